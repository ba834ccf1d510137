"""Data and length scales beyond what numbers can tell apart are errors, not models."""

from __future__ import annotations

import numpy as np
import pytest
from contract.cases import every_estimator, make, samples, target, value

import mercer
from mercer import RBF, Constant, Linear, errors

LEARNS_SCALES = "its length scales are learned"
WIDE = {
    "GaussianProcessClassifier": LEARNS_SCALES,
    "GaussianProcessRegressor": LEARNS_SCALES,
    "KernelDensity": "a wide window is a density",
    "KernelMap": "it only computes the kernel",
    "MercerMap": "a constant kernel has one eigenfunction",
}


def test_an_overflow_is_a_value_error():
    assert issubclass(errors.KernelOverflowError, ValueError)


@every_estimator("kernel", "names")
def test_a_variance_that_overflows_is_an_error(name):
    model = make(name, "rbf")
    if "gamma" not in model.get_params(deep=False):
        pytest.skip("it has no gamma")
    model.set_params(gamma="scale")
    with pytest.raises(ValueError, match=r"overflow|finite"):
        model.fit(1e200 * samples(name), target(name))


@every_estimator("kernel")
@pytest.mark.parametrize("kernel", [RBF(1e12), 2.0 * RBF(1e12)], ids=repr)
def test_a_kernel_that_is_constant_on_the_data_is_an_error(name, kernel):
    if name in WIDE:
        pytest.skip(WIDE[name])
    with pytest.raises(errors.ParameterError, match="constant"):
        make(name, kernel).fit(samples(name), target(name))
    with pytest.raises(errors.ParameterError, match="constant"):
        make(name, RBF()).fit(1e-200 * samples(name), target(name))


@every_estimator("overflow")
def test_inner_products_that_overflow_are_an_error(name):
    X, y = 1e200 * samples(name), target(name)
    with pytest.raises(ValueError, match="finite"):
        value(make(name, Linear()).fit(X, y), X)


def test_kernels_that_are_constant_on_purpose():
    X = samples("SVC")
    for kernel in (Constant(2.0), RBF().on([0])):
        mercer.KernelRidge(kernel=kernel).fit(np.column_stack([np.ones(60), X]), X[:, 0])
    mercer.KernelRidge(kernel=RBF()).fit(np.ones((20, 2)), np.arange(20.0))
