"""Whatever a kernel says of its columns is true: of every kernel and all its examples."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from mercer.domains.vectors.domain import are_vectors
from mercer.errors import MercerError, NotSeparableError
from mercer.kernels.base import REGISTRY

CASES = [
    pytest.param(kernel, id=f"{name}-{at}")
    for name, cls in sorted(REGISTRY.items())
    for at, kernel in enumerate(cls.examples())
]


@pytest.mark.parametrize("kernel", CASES)
def test_the_products_sum_to_the_kernel(kernel):
    if not are_vectors(kernel.domain) and "matrix" not in kernel.domain.accepts:
        pytest.skip("its samples have no columns")
    rng = np.random.default_rng(0)
    kernel = kernel.copy()
    try:
        samples = kernel.domain.sample(7, 3, rng)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = kernel.fit(samples)(samples[:4], samples)
        separation = kernel.separation(range(np.shape(samples)[1]))
    except (NotSeparableError, NotImplementedError, IndexError):
        pytest.skip("it has no such form")
    except MercerError:
        pytest.skip("it is not defined on these samples")
    total = np.zeros(expected.shape)
    for term in separation.terms:
        product = np.full(expected.shape, term.weight)
        for factor in term.factors.values():
            product = product * factor(samples[:4], samples)
        total += product
    scale = max(1.0, float(np.abs(expected).max()))
    assert np.abs(total - expected).max() <= separation.error + 1e-12 * scale
    assert np.abs(expected).max() <= separation.bound * (1 + 1e-12)
