"""What `check_kernel` says of kernels that break a promise, and where it says nothing."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import mercer
from mercer import RBF, errors
from mercer.testing import check_kernel

RNG = np.random.default_rng(0)
HOURS = RNG.uniform(0.0, 24.0, (30, 1))
COUNTS = RNG.poisson(3.0, (30, 4)).astype(float)


def clock(X):
    angle = np.asarray(X)[:, 0] * np.pi / 12
    return np.column_stack([np.cos(angle), np.sin(angle)])


def exact_clock(X):
    return clock(np.asarray(X, dtype=float))


@mercer.kernel(status="psd", compile="python")
def common_counts(x, y):
    return sum(min(a, b) for a, b in zip(x, y, strict=True))


@mercer.kernel(status="psd", compile="python")
def root_counts(x, y):
    return float(np.sqrt(x * y).sum())


@mercer.kernel(compile="python")
def on_a_circle(x, y):
    gap = abs(x[0] - y[0])
    return np.exp(-(min(gap, 24.0 - gap) ** 2) / 72.0)


def test_a_function_that_computes_in_single_precision():
    check_kernel(RBF(0.5) @ exact_clock, HOURS, dims=())
    match = r"float32 results .* entry \[\d+, \d+\] is 0\..* let it begin with X = np\.asarray"
    with pytest.raises(AssertionError, match=match):
        check_kernel(RBF(0.5) @ clock, HOURS)


def test_a_function_that_cannot_be_pickled():
    with pytest.raises(AssertionError, match=r"pickling keeps the kernel.* write a lambda"):
        check_kernel(RBF() @ (lambda X: np.asarray(X, dtype=float)), HOURS)


def test_a_kernel_for_a_part_of_the_space():
    """Points are made up in all of it, unless that is switched off."""
    check_kernel(common_counts, COUNTS, made_up=False)
    for args in ((common_counts, COUNTS), (common_counts,)):
        with pytest.raises(AssertionError, match=r"were made up.*made_up=False\) and k\.refute"):
            check_kernel(*args)
    with pytest.raises(errors.ParameterError, match=r"^X is needed with made_up=False"):
        check_kernel(common_counts, made_up=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        with pytest.raises(errors.KernelOverflowError) as caught:
            check_kernel(root_counts)
    assert "made_up=False" in caught.value.__notes__[0]


def test_a_kernel_that_claims_nothing_is_refuted_aloud():
    assert on_a_circle.refute(HOURS) is not None
    with pytest.warns(
        errors.DefinitenessWarning, match=r"on_a_circle\(\) claims nothing, and is not"
    ):
        check_kernel(on_a_circle, HOURS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_kernel(on_a_circle, np.linspace(0.0, 3.0, 20)[:, None], made_up=False)
