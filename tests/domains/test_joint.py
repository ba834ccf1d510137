"""Samples of kernels that are combined across domains."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import mercer
from mercer import (
    RBF,
    Chi2,
    Hellinger,
    Jaccard,
    JensenShannon,
    MissingAware,
    Overlap,
    Spline,
    White,
)
from mercer.domains.base import Batch

KERNELS = [RBF(), Chi2(), Hellinger(), JensenShannon(), Overlap(), MissingAware(RBF()), White()]


@pytest.mark.parametrize(
    "pair", list(itertools.permutations(range(len(KERNELS)), 2)), ids=lambda pair: str(pair)
)
def test_samples_suit_every_part(pair):
    kernel = KERNELS[pair[0]] + KERNELS[pair[1]]
    X = kernel.domain.sample(30, 3, np.random.default_rng(1))
    kernel.fit(X)
    assert np.isfinite(kernel(X)).all()
    for points in kernel.domain.lattices(3, np.random.default_rng(2)):
        kernel.fit(points).prepare(Batch(points))


def test_names_do_not_matter(monkeypatch):
    """A domain with a long name is not stricter for it."""
    monkeypatch.setattr(
        mercer.domains.vectors.domain.VECTORS, "name", "vectors of real numbers " * 9
    )
    kernel = RBF() + Chi2()
    assert (kernel.domain.sample(30, 3, np.random.default_rng(0)) >= 0).all()


def test_sets_beside_numbers():
    kernel = Jaccard() + RBF()
    assert set(np.unique(kernel.domain.sample(30, 3, np.random.default_rng(0)))) == {0.0, 1.0}
    assert kernel.refute() is None


def test_nested_sums():
    kernel = (RBF() + Hellinger()) * (White() + Chi2())
    X = kernel.domain.sample(30, 3, np.random.default_rng(0))
    assert np.isfinite(kernel(X)).all()


def test_blocks_of_columns_that_several_kernels_read():
    inner = RBF() * Spline()  # numbers, and numbers ≥ 0
    kernel = inner.on([1]) * RBF().on([0])
    assert kernel.certificate(2).psd
    for d in (None, 2, 3):
        assert (-1.0 * kernel).certificate(d).status in ("indefinite", "unknown")
        assert kernel.refute(d=d) is None
    assert kernel.domain.sample(3, 2, np.random.default_rng(0)).shape == (3, 2)
