"""Mistakes that were found once and must not come back."""

from __future__ import annotations

import math

import naive
import numpy as np
import pandas as pd
import pytest

import mercer
from mercer import (
    ANOVA,
    RBF,
    ArcCosine,
    Bessel,
    Constant,
    DistanceCosine,
    GeneralLinear,
    Linear,
    Matern,
    NegativeDistance,
    Polynomial,
    PowerSeries,
    Precomputed,
    SetIntersection,
    Sigmoid,
    White,
    centroid_distance,
    combination_norm,
    errors,
    to_sklearn,
)
from mercer.kernels.functions import absolute, identity


@pytest.mark.parametrize(
    ("nu", "distance"), [(1000.0, 3.0), (200.0, 0.1), (100.0, 0.004), (40.0, 1e-9), (150.0, 8.0)]
)
def test_matern_of_large_order(nu, distance):
    exact = float(naive.value(Matern(nu=nu), [0.0], [distance]))
    assert Matern(nu=nu)([[0.0]], [[distance]])[0, 0] == pytest.approx(exact, rel=1e-9)
    X = np.linspace(0, 6, 40)[:, None]
    assert Matern(nu=nu).refute(X) is None
    slope = Matern(nu=nu).gradient([[0.0]], [[1.0]], [[distance]])["length_scale"]
    assert slope == pytest.approx(
        float(naive.derivative(Matern(nu=nu), "length_scale", None, [0.0], [distance])), rel=1e-8
    )


def test_power_series_with_gaps_are_summed_to_the_end():
    sparse = PowerSeries(Linear(), coefficients=lambda n: 1.0 if n % 8 == 0 else 0.0, radius=1.0)
    assert sparse([[math.sqrt(0.9)]])[0, 0] == pytest.approx(1 / (1 - 0.9**8), rel=1e-12)
    late = PowerSeries(Linear(), coefficients=lambda n: 1.0 if n in (0, 10) else 0.0)
    assert late([[math.sqrt(2)]])[0, 0] == pytest.approx(1025.0)
    exp = PowerSeries(Linear(), coefficients=lambda n: math.exp(-math.lgamma(n + 1)))
    assert exp([[6.0]])[0, 0] == pytest.approx(math.exp(36), rel=1e-12)
    for far in (
        10.0,
        math.sqrt(200),
    ):  # the coefficients that count there are below the smallest float
        with pytest.raises(errors.RadiusError, match=r"k\.exp\(\)"):
            exp([[far]])


def test_power_series_whose_late_coefficients_are_negative():
    k = PowerSeries(Linear(), coefficients=lambda n: 1.0 if n < 256 else -1000.0, radius=1.0)
    assert "looked at for n < 256" in str(k.certificate())
    with pytest.raises(errors.ParameterError, match="256"):
        k([[math.sqrt(0.99)]])
    factorial = PowerSeries(Linear(), coefficients=lambda n: 1.0 / math.factorial(n))
    assert factorial.certificate().status == "psd"


def test_centered_sets_see_every_element():
    train, X, Y = [{1, 2}, {3}, {2, 3}], [{1}, {1, 2}], [{3}, {2, 3}]
    k = SetIntersection().center().fit(train)
    exact = np.array([[float(naive.value(k, x, y)) for y in Y] for x in X])
    np.testing.assert_allclose(k(X, Y), exact, atol=1e-12)
    np.testing.assert_allclose(k(Y, X).T, exact, atol=1e-12)
    assert centroid_distance(SetIntersection(), [{1}], [{2, 3}, {2}])[0] ** 2 == pytest.approx(2.25)


def test_combinations_in_the_null_space_have_norm_zero():
    for seed in range(50):
        X = np.random.default_rng(seed).standard_normal((4, 2))
        w = np.linalg.svd(X.T)[2][-1]
        assert combination_norm(Linear(), X, w) < 1e-7


def test_columns_in_proofs():
    with pytest.raises(errors.ParameterError):
        RBF().on([True, False])
    for absent in ([5], [0, 3], slice(2, None)):
        for k in (RBF().on(absent), RBF().on([0]) * RBF().on(absent), 1.0 + RBF().on(absent)):
            with pytest.raises(errors.WidthError, match="columns"):
                k.certificate(2)
            with pytest.raises(errors.WidthError, match="columns"):
                k([[1.0, 2.0]])
    for k in (
        RBF([1.0, 2.0]),
        GeneralLinear(np.eye(2)),
        RBF([1.0, 2.0]).on([0]),
        2.0 + RBF([1, 2]),
    ):
        with pytest.raises(errors.WidthError):
            k.certificate(3)
    assert DistanceCosine().on([0, 1]).certificate().status != "psd"
    assert DistanceCosine().on(["a", "b"]).certificate(2).status != "psd"
    assert DistanceCosine().on([0]).certificate(3).domain == "R^d"
    assert (RBF().on([0]) * RBF().on([1]) * Constant(2.0)).certificate(2).status == "strict"


@pytest.mark.parametrize("function", [identity, absolute])
def test_a_pull_back_counts_the_width_of_its_images(function):
    assert (DistanceCosine() @ function).certificate(2).status not in ("psd", "strict")
    assert (DistanceCosine() @ function).certificate(1).status == "psd"


def test_no_nan_becomes_a_number():
    X = np.zeros((2, 100))
    X[1] = 1e200
    assert np.array_equal(RBF()(X), np.eye(2))
    for call in (
        lambda: RBF(length_scale=[1e-170, 1.0])([[0.0, 1.0], [1.0, 1.0]]),
        lambda: RBF(length_scale=1e-170)([[0.0], [1.0]]),
        lambda: RBF(length_scale=1e200)([[0.0], [1e200]]),
    ):
        with pytest.raises(errors.KernelOverflowError):
            call()


def test_the_center_of_a_centered_kernel_normalizes_to_zero():
    for seed in range(20):
        X = np.random.default_rng(seed).standard_normal((5, 2))
        k = Linear().center().fit(X).normalize()
        assert k(X.mean(axis=0, keepdims=True))[0, 0] == 0.0
        k.gradient(X, np.ones((5, 5)))


def test_refutations_know_rounding():
    X = 1e8 + np.random.default_rng(0).standard_normal((20, 2))
    assert Linear().center().fit(X).refute(X) is None
    box = 1e-3 * np.random.default_rng(0).random((20, 2))
    assert RBF().center().fit(box).refute(box) is None
    assert RBF().refute(np.random.default_rng(0).random((40, 1)).astype(np.float32)) is None
    assert Sigmoid().refute(pd.DataFrame({"a": [0.1, 2.0, 3.0]})) is not None


def test_a_function_prints_its_registered_name_only_if_it_is_that_function():
    def arctan(X):
        return 0 * np.asarray(X, dtype=float)

    assert repr(RBF() @ arctan) == "RBF() @ <arctan>"
    k = -2.0 * (RBF() @ absolute)
    assert repr(k) == "-2.0 * (RBF() @ absolute)"
    assert mercer.parse(repr(k)).certificate().status == k.certificate().status
    assert (
        repr(mercer.parse(repr(RBF(length_scale=list(np.array([1.5, 2.0]))))))
        == "RBF(length_scale=[1.5, 2.0])"
    )
    with pytest.raises(errors.ParameterError):

        @mercer.kernel
        def Linear(x, y):
            return 0.0


def test_witnesses_show_what_they_say():
    assert (2.0 * Sigmoid()).certificate().witness.value == pytest.approx(
        2 * Sigmoid().certificate().witness.value
    )
    assert Precomputed([[2.0, 1.0], [1 + 1e-12, 2.0]]).certificate().status == "strict"
    for kernel in (
        Sigmoid(offset=1e-9),
        Polynomial(degree=2, offset=-1e-170),
        Polynomial(degree=3, offset=-1e120),
    ):
        certificate = kernel.certificate()
        assert certificate.status == "unknown" or certificate.witness.value < 0
    assert Precomputed(np.diag([1.0, 1, 1, 1, -1])).refute() is not None
    with pytest.raises(errors.ParameterError):
        mercer.kernel(lambda x, y: -1.0, status="indefinite")


def test_a_center_is_kept_and_its_mean_is_fresh(rng):
    Z = rng.standard_normal((6, 9))
    given = Z.copy()
    k = Linear().center().fit(given)
    before = k(Z[:2])
    given += 5
    assert np.array_equal(k(Z[:2]), before)
    k = GeneralLinear(np.eye(9)).center().fit(Z)
    k.set_params(kernel__A=5 * np.eye(9))
    np.testing.assert_allclose(k(Z), GeneralLinear(5 * np.eye(9)).center().fit(Z)(Z), atol=1e-12)


def test_invariances():
    assert RBF().center().invariance == "none"
    assert (Linear() + 1).invariance == "dot" and (RBF() + 1).invariance == "radial"
    assert not to_sklearn(RBF().center()).is_stationary()


def test_a_refused_change_changes_nothing():
    k = 2.0 * RBF()
    with pytest.raises(errors.ParameterError):
        k.set_params(factor=3.0, kernel__length_scale=-1.0)
    assert repr(k) == "2.0 * RBF()"
    normal = (Linear() + 1.0).normalize()
    with pytest.raises(errors.DefinitenessError):
        normal.set_params(kernel__k1=NegativeDistance())
    assert repr(normal) == "(Linear() + Constant()).normalize()"


def test_zero_vectors_are_half_on():
    assert ArcCosine(order=0)([[0.0, 0.0]])[0, 0] == 0.5


def test_order_of_arguments():
    assert Bessel(3.0, 2.0).order == 3.0


@pytest.mark.parametrize(
    ("kernel", "d", "status"),
    [
        (-GeneralLinear(np.eye(3)), None, "indefinite"),
        (-RBF(length_scale=[1.0, 2, 3]), None, "indefinite"),
        (-Precomputed(np.eye(2)), None, "indefinite"),
        (-RBF().on([5]), None, "indefinite"),
        (-ANOVA(degree=3), None, "indefinite"),
        (RBF() * DistanceCosine(), 1, "strict"),
        (RBF() * ArcCosine(order=0), 1, "strict"),
        ((Linear() ** 1).exp(), None, "strict"),
        (PowerSeries(Linear(), [0, 1.0]).exp(), None, "strict"),
        (GeneralLinear(np.eye(2)).exp(), None, "strict"),
    ],
    ids=repr,
)
def test_as_strong_as_the_rules_allow(kernel, d, status):
    assert kernel.certificate(d).status == status


def test_numbers_less_kernels(rng):
    X = rng.standard_normal((4, 2))
    np.testing.assert_allclose((1 - RBF())(X), 1 - RBF()(X), atol=1e-15)
    np.testing.assert_allclose((-1 - RBF())(X), -1 - RBF()(X), atol=1e-15)
    assert (White() - 0.5)(X)[0, 0] == 0.5
