"""The set that a certificate names is one on which the claim holds, and witnesses lie in it."""

from __future__ import annotations

import numpy as np
import pytest

from mercer import (
    RBF,
    Bessel,
    Constant,
    DistanceCosine,
    Exponential,
    Linear,
    LogDistance,
    MissingAware,
    Multiquadric,
    NegativeDistance,
    Overlap,
    SharedMissingness,
    WeisfeilerLehman,
    Wendland,
    White,
    check_gram,
    register_function,
)
from mercer.kernels import functions

MISSING = "values may be missing"


@pytest.fixture
def doubled(monkeypatch):
    monkeypatch.setattr(functions, "FUNCTIONS", dict(functions.FUNCTIONS))
    return register_function("doubled", injective=True)(lambda X: 2.0 * np.asarray(X, dtype=float))


@pytest.mark.parametrize(
    "kernel",
    [
        MissingAware(RBF()) + RBF(),
        RBF() * MissingAware(RBF()),
        (MissingAware(Linear()) + Exponential()).exp(),
        MissingAware(Overlap()) + Overlap(),
    ],
)
def test_values_may_be_missing_only_where_all_parts_allow_it(kernel):
    assert MISSING not in kernel.certificate().domain


def test_values_may_be_missing_where_all_parts_allow_it():
    for kernel in (
        MissingAware(RBF()) + MissingAware(Linear()),
        MissingAware(RBF()) * SharedMissingness(),
        MissingAware(RBF()) + White(),
        MissingAware(RBF()).on(["a"]) + RBF().on(["b"]),
        MissingAware(MissingAware(RBF())),
    ):
        assert kernel.certificate().domain.count(MISSING) == 1


@pytest.mark.parametrize("kernel", [DistanceCosine(), Wendland(dimension=1), Bessel(order=0)])
def test_the_point_that_refutes_a_negative_multiple_is_in_the_domain(kernel):
    certificate = (-1.0 * kernel).certificate()
    assert certificate.status == "indefinite"
    assert np.shape(certificate.witness.points)[1] <= certificate.where.max_dim


def test_strictness_that_needs_all_columns_names_their_number():
    """exp(−|x₁ − y₁|) is strict on the line only, which the pull-back does not say itself."""
    kernel = (0.5 * NegativeDistance().on([0])).exp()
    assert kernel.certificate(d=1).domain == "R^d, d = 1"
    assert kernel.certificate(d=2).status == "psd"
    assert Linear().on([0]).exp().certificate(d=1).domain == "R^d, d = 1"


def test_columns_of_columns_are_counted_in_the_table():
    nested = RBF().on([0]).on([0])
    assert nested.certificate(d=1).domain == "R^d, d = 1"
    assert nested.certificate(d=2).domain == "R^d"
    named = (RBF().on([0]) * RBF().on([1])).on(["a", "b"])
    assert "d = " not in named.certificate(d=3).domain.partition(" in ")[0]


def test_conditions_of_a_pull_back_are_about_images(doubled):
    def turned(X):
        return np.asarray(X, dtype=float)[:, ::-1]

    domain = ((RBF() @ doubled) @ turned).certificate().domain
    assert "doubled(turned(x)) in R^d" in domain
    assert "doubled(x)" not in domain


def test_a_witness_is_printed_on_one_line():
    assert "\n" not in str((-1.0 * WeisfeilerLehman(1)).certificate().witness)


def test_columns_that_are_not_there_prove_nothing(doubled):
    """The images of points of the line have no second column."""
    split = RBF().on([0]) * RBF().on([1])
    assert (split @ doubled).certificate(d=2).status == "strict"
    assert (split @ doubled).certificate(d=1).status == "unknown"
    assert (White().on([0]) * RBF().on([1])).certificate(d=1).status == "unknown"


def test_a_tensor_product_names_its_constant_factor():
    split = RBF().on([0]) * RBF().on([1])
    assert "constant" not in split.certificate(d=2).rule
    assert (Constant(2.0) * split).certificate(d=2).rule.endswith("times a constant > 0")
    assert (Constant(0.0) * split).certificate(d=2).status == "psd"


@pytest.mark.parametrize("kernel", [NegativeDistance(), LogDistance(), RBF() + Multiquadric()])
@pytest.mark.parametrize("numbers", ["gaussian", "empirical"])
def test_the_expectation_of_a_cpd_kernel_is_cpd(kernel, numbers):
    """Coefficients of rows are shared out among their fillings, which keeps their sum."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20, 2))
    X[rng.random(X.shape) < 0.3] = np.nan
    expected = MissingAware(kernel, numbers=numbers).fit(X)
    assert expected.certificate().status == expected.expected_.certificate().status == "cpd"
    assert check_gram(expected(X)).cpd
    assert expected.center().certificate().status == "psd"
