"""Operators, features, parameters: the algebra as users write it."""

from __future__ import annotations

import copy
import math
import operator

import naive
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF as TheirRBF  # noqa: N811
from sklearn.gaussian_process.kernels import ConstantKernel, WhiteKernel
from sklearn.gaussian_process.kernels import Matern as TheirMatern
from sklearn.metrics import pairwise
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

import mercer
from mercer import (
    ANOVA,
    RBF,
    AllSubsets,
    ArcCosine,
    Centered,
    Chi2,
    Constant,
    Cosine,
    ExponentialDot,
    Jaccard,
    Laplacian,
    Linear,
    Matern,
    Normalized,
    Polynomial,
    PowerSeries,
    SetIntersection,
    SharedSubsets,
    Sigmoid,
    White,
    errors,
    to_sklearn,
)


def test_operators(rng):
    X = rng.standard_normal((12, 3))
    a, b = RBF(), Linear()
    A, B = a(X), b(X)
    for kernel, expected in [
        (a + b, A + B),
        (a - b, A - B),
        (-a, -A),
        (2 * a, 2 * A),
        (a * 2, 2 * A),
        (np.float64(2) * a, 2 * A),
        (a / 4, A / 4),
        (a * b, A * B),
        (b**2, B**2),
        (a + 1, A + 1),
        (1 + a, A + 1),
        (a - 0.5, A - 0.5),
        ((0.1 * b).exp(), np.exp(0.1 * B)),
        (2 * a * (3 * b), 6 * A * B),
        (a + b + a * b, A + B + A * B),
        (sum([a, b]), A + B),
    ]:
        np.testing.assert_allclose(
            kernel(X), expected, rtol=1e-12, atol=1e-14, err_msg=repr(kernel)
        )


def test_operators_copy_and_flatten():
    a = RBF()
    k = a + a + a * a
    a.length_scale = 5.0
    assert repr(k) == "RBF() + RBF() + RBF() * RBF()" and len(k.terms) == 3
    assert repr(2 * (3 * RBF())) == "6.0 * RBF()"
    assert k.k1 is not k.k2


def test_what_is_no_operand():
    for bad in ("x", None, [1], 1j):
        with pytest.raises(TypeError):
            RBF() + bad
        with pytest.raises(TypeError):
            RBF() * bad
    with pytest.raises(errors.ParameterError):
        RBF() / Linear()
    with pytest.raises(errors.ParameterError):
        RBF() ** -1
    with pytest.raises(errors.ParameterError):
        RBF() @ Linear()


def test_against_scikit_learn(rng):
    X, Y = rng.random((40, 5)), rng.random((9, 5))
    g = 0.7
    for ours, theirs in [
        (RBF.from_gamma(g), pairwise.rbf_kernel(X, Y, gamma=g)),
        (RBF.from_sigma(2.0), pairwise.rbf_kernel(X, Y, gamma=1 / 8)),
        (Laplacian(length_scale=1 / g), pairwise.laplacian_kernel(X, Y, gamma=g)),
        (
            Polynomial(degree=3, scale=g, offset=0.5),
            pairwise.polynomial_kernel(X, Y, degree=3, gamma=g, coef0=0.5),
        ),
        (Sigmoid(scale=g, offset=0.5), pairwise.sigmoid_kernel(X, Y, gamma=g, coef0=0.5)),
        (Chi2(gamma=g), pairwise.chi2_kernel(X, Y, gamma=g)),
        (Cosine(), pairwise.cosine_similarity(X, Y)),
        (Linear(), pairwise.linear_kernel(X, Y)),
    ]:
        np.testing.assert_allclose(ours(X, Y), theirs, rtol=1e-12, err_msg=repr(ours))
    for nu in (0.5, 1.5, 2.5, 0.9, math.inf):
        np.testing.assert_allclose(
            Matern(nu=nu, length_scale=0.8)(X, Y), TheirMatern(0.8, nu=nu)(X, Y), rtol=1e-9
        )


def test_gaussian_is_an_alias():
    assert mercer.Gaussian is RBF


# -- features
# --------------------------------------------------------------------------------------------------


def test_polynomial_features_are_all_monomials(rng):
    for degree, offset in [(1, 1.0), (2, 0.5), (3, 1.0), (3, 0.0), (4, 2.0)]:
        k = Polynomial(degree=degree, scale=0.7, offset=offset)
        X = rng.standard_normal((6, 3))
        phi = k.features(X)
        expected = math.comb(3 + degree, degree) if offset else math.comb(2 + degree, degree)
        assert phi.shape == (6, expected) == (6, k.feature_dim(3))
        exact = [
            sorted(float(v) for v in naive.features_by_enumeration(k, x) if v or offset) for x in X
        ]
        np.testing.assert_allclose(np.sort(phi, axis=1), exact, rtol=1e-12)


def test_the_lectures_quadratic_map():
    phi = Polynomial(degree=2, offset=0.0).features([[2.0, 3.0]])
    assert sorted(phi[0].tolist()) == pytest.approx(sorted([4.0, 9.0, math.sqrt(2) * 6.0]))


@pytest.mark.parametrize("kernel", [ANOVA(degree=2), ANOVA(degree=3), AllSubsets()], ids=repr)
def test_subset_features(kernel, rng):
    X = rng.standard_normal((5, 4))
    exact = [sorted(float(v) for v in naive.features_by_enumeration(kernel, x)) for x in X]
    np.testing.assert_allclose(np.sort(kernel.features(X), axis=1), exact, rtol=1e-12)


def test_the_empty_product_is_one(rng):
    X = rng.standard_normal((5, 3))
    assert np.array_equal(ANOVA(degree=0)(X), np.ones((5, 5)))
    assert repr(mercer.parse("ANOVA(degree=0)")) == "ANOVA(degree=0)"
    total = sum(ANOVA(degree=degree)(X) for degree in range(4))
    np.testing.assert_allclose(total, AllSubsets()(X), rtol=1e-12)


def test_composite_features(rng):
    X = rng.random((10, 3))
    for k in [
        2.0 * Linear() + Polynomial(degree=2) * Linear(),
        (Linear() + 0.5) ** 3,
        PowerSeries(Linear(), [1.0, 0.0, 2.0]),
        Polynomial(degree=2).normalize(),
        Linear().on([0, 2]) * Linear().on([1]),
        Linear() @ mercer.kernels.functions.arctan,
    ]:
        phi = k.features(X)
        np.testing.assert_allclose(phi @ phi.T, k(X), rtol=1e-12)
        assert phi.shape[1] == k.feature_dim(3)


def test_taylor_maps(rng):
    X = 0.5 * rng.standard_normal((8, 2))
    for k in (RBF(length_scale=1.5), ExponentialDot(alpha=0.7), RBF(length_scale=[1.0, 2.0])):
        errors_ = [
            np.abs(k.features(X, truncate=m) @ k.features(X, truncate=m).T - k(X)).max()
            for m in (1, 3, 6, 12)
        ]
        assert errors_ == sorted(errors_, reverse=True) and errors_[-1] < 1e-8
        assert k.feature_dim(2) == math.inf
        with pytest.raises(errors.InfiniteFeaturesError, match="KernelMap"):
            k.features(X)


# -- fitted kernels
# --------------------------------------------------------------------------------------------------


def test_centering(rng):
    X, Y = rng.standard_normal((15, 2)), rng.standard_normal((4, 2))
    k = RBF().center()
    with pytest.raises(errors.NotFittedError):
        k(X)
    k.fit(X)
    K, n = RBF()(X), 15
    one = np.ones((n, n)) / n
    np.testing.assert_allclose(k(X), K - one @ K - K @ one + one @ K @ one, atol=1e-14)
    R = RBF()(Y, X)
    np.testing.assert_allclose(
        k(Y, X), R - R.mean(axis=1, keepdims=True) - K.mean(axis=0) + K.mean(), atol=1e-14
    )
    assert repr(k) == "RBF().center()"
    k.set_params(kernel__length_scale=3.0)
    K = RBF(length_scale=3.0)(X)
    np.testing.assert_allclose(k(X), K - one @ K - K @ one + one @ K @ one, atol=1e-14)
    with pytest.raises(errors.NotFittedError):
        clone(k)(X)
    assert isinstance(copy.deepcopy(k), Centered)


def test_normalizing(rng):
    X = rng.standard_normal((9, 2))
    X[4] = 0.0
    k = Linear().normalize()
    K = k(X)
    assert isinstance(k, Normalized)
    assert (K[4] == 0).all() and (np.delete(K.diagonal(), 4) == 1).all()
    np.testing.assert_allclose(K, Cosine()(X), rtol=1e-13)
    with pytest.raises(errors.DefinitenessError, match=r"center\(\)"):
        mercer.NegativeDistance().normalize()
    with pytest.raises(errors.DefinitenessError):
        (RBF() - 2.0 * Constant(1.0)).normalize()(X)
    huge = 1e150 * X
    np.testing.assert_allclose(Linear().normalize()(huge), K, rtol=1e-12)


def test_arc_cosine_at_right_angles_and_zero():
    X = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, 0.0]])
    np.testing.assert_allclose(ArcCosine(order=0)(X)[0], [1.0, 0.5, 0.0, 0.5], atol=1e-15)
    np.testing.assert_allclose(ArcCosine(order=1)(X)[0], [1.0, 1 / math.pi, 0.0, 0.0], atol=1e-15)


# -- sets
# --------------------------------------------------------------------------------------------------


def test_sets():
    a, b, empty = {"x", "y", "z"}, {"y", "z", "w", "v"}, set()
    assert Jaccard()([a, b, empty]).tolist() == [[1.0, 0.4, 0.0], [0.4, 1.0, 0.0], [0.0, 0.0, 1.0]]
    assert SetIntersection()([a, b])[0, 1] == 2.0 and SharedSubsets()([a, b])[0, 1] == 4.0
    # elements the first side has never seen still count in a size
    assert Jaccard()([a], [{"x", "q", "r"}])[0, 0] == pytest.approx(1 / 5)
    assert Jaccard()([a], [b]).tolist() == Jaccard()([b], [a]).T.tolist()


def test_sets_as_rows_and_as_objects(rng):
    rows = rng.integers(0, 2, (30, 6))
    sets = [frozenset(np.flatnonzero(r)) for r in rows]
    holder = np.empty((30, 1), dtype=object)
    holder[:, 0] = sets
    for k in (Jaccard(), SetIntersection(), SharedSubsets()):
        expected = k(rows)
        for other in (sets, holder, holder[:, 0], pd.Series(sets), rows.astype(bool)):
            assert np.array_equal(k(other), expected)


def test_sets_and_vectors_combine_on_zero_one_rows(rng):
    rows = rng.integers(0, 2, (20, 5)).astype(float)
    k = Jaccard() * RBF() + Linear()
    np.testing.assert_allclose(k(rows), Jaccard()(rows) * RBF()(rows) + rows @ rows.T, rtol=1e-13)


# -- tables
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_columns_by_name(frame, rng):
    x = rng.standard_normal((10, 3))
    table = frame({"a": x[:, 0], "b": x[:, 1], "c": x[:, 2]})
    k = RBF().on(["a", "c"]) + Linear().on("b")
    expected = RBF()(x[:, [0, 2]]) + np.outer(x[:, 1], x[:, 1])
    np.testing.assert_allclose(k(table), expected, rtol=1e-13)
    np.testing.assert_allclose((RBF().on([0, 2]) + Linear().on(1))(table), expected, rtol=1e-13)
    np.testing.assert_allclose(RBF()(table), RBF()(x), rtol=1e-13)
    assert repr(mercer.parse(repr(k))) == repr(k)
    with pytest.raises(errors.WidthError, match="z"):
        RBF().on("z")(table)


# -- scikit-learn
# --------------------------------------------------------------------------------------------------


def test_scikit_learn_takes_a_kernel_as_it_is(rng):
    X = rng.standard_normal((120, 2))
    y = (np.hypot(*X.T) > 1.1).astype(int)
    ours = SVC(kernel=RBF.from_gamma(0.5)).fit(X, y)
    theirs = SVC(kernel="rbf", gamma=0.5).fit(X, y)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-3)
    search = GridSearchCV(
        SVC(kernel=0.5 * RBF() + Linear()), {"kernel__k1__kernel__length_scale": [0.01, 1.0]}, cv=3
    ).fit(X, y)
    assert search.best_params_ == {"kernel__k1__kernel__length_scale": 1.0}


def test_gaussian_process_of_scikit_learn(rng):
    X = rng.standard_normal((60, 2))
    y = np.sin(X[:, 0]) + 0.1 * rng.standard_normal(60)
    ours = GaussianProcessRegressor(
        to_sklearn(1.0 * RBF(length_scale=[1.0, 1.0]) + 0.1 * White())
    ).fit(X, y)
    theirs = GaussianProcessRegressor(
        ConstantKernel(1.0) * TheirRBF([1.0, 1.0]) + WhiteKernel(0.1)
    ).fit(X, y)
    assert ours.log_marginal_likelihood_value_ == pytest.approx(
        theirs.log_marginal_likelihood_value_, rel=1e-6
    )
    np.testing.assert_allclose(ours.predict(X[:5] + 0.1), theirs.predict(X[:5] + 0.1), atol=1e-4)
    theta = np.array([0.3, -0.2, 0.5, -1.0])
    value, slope = ours.log_marginal_likelihood(theta, eval_gradient=True)
    their_value, their_slope = theirs.log_marginal_likelihood(theta, eval_gradient=True)
    assert value == pytest.approx(their_value, rel=1e-9)
    np.testing.assert_allclose(slope, their_slope, rtol=1e-7)


def test_bridge_details():
    k = to_sklearn(2.0 * RBF() + White(), bounds=(1e-2, 1e2), fixed=("k1__factor",))
    assert k.theta.shape == (1,) and k.bounds.shape == (1, 2) and not k.is_stationary()
    assert clone(k) == k and clone(k).kernel is not k.kernel
    assert k.clone_with_theta(np.log([3.0])).kernel.k1.kernel.length_scale == pytest.approx(3.0)
    assert k.theta == pytest.approx(0.0)
    with pytest.raises(errors.DefinitenessError):
        to_sklearn(mercer.NegativeDistance())
    with pytest.raises(errors.ParameterError):
        to_sklearn(RBF(), fixed=("speed",)).theta  # noqa: B018


class Counting(RBF, abstract=True):
    """Counts the tiles that are computed."""

    tiles = 0

    def tile(self, pair, out):
        Counting.tiles += 1
        super().tile(pair, out)


def nested_centers(depth, kernel):
    for _ in range(depth):
        kernel = kernel.center()
    return kernel


def test_nested_centers_take_no_longer_than_as_many_single_ones(rng):
    X = rng.standard_normal((40, 3))

    def evaluations(depth):
        kernel = nested_centers(depth, Counting())
        Counting.tiles = 0
        kernel.fit(X)(X)
        return Counting.tiles

    assert evaluations(20) <= 20 * evaluations(1)


def centered_sums(depth, make, combine=operator.add):
    kernel = make(1.0)
    for level in range(depth):
        kernel = combine(kernel.center(), make(2.0 + level))
    return kernel.center()


@pytest.mark.parametrize("form", [lambda a, b: a + b, lambda a, b: 0.5 * a + b, lambda a, b: b - a])
def test_centers_nested_in_sums_take_linear_time(rng, form):
    X, Y = rng.standard_normal((20, 2)), rng.standard_normal((5, 2))

    def evaluations(depth):
        kernel = centered_sums(depth, Counting, form)
        Counting.tiles = 0
        kernel.fit(X)
        fitted, Counting.tiles = Counting.tiles, 0
        kernel(Y, X)
        return np.array([fitted, Counting.tiles])

    few, many = evaluations(5), evaluations(20)
    assert (many <= 4 * few).all(), (few, many)


@pytest.mark.parametrize("form", [operator.add, operator.mul, lambda a, b: a - 0.5 * b])
@pytest.mark.parametrize("noise", [0.0, 0.3])
def test_centers_nested_in_sums_and_products(rng, form, noise):
    """Against centering by matrices."""
    X, Y = rng.standard_normal((12, 2)), rng.standard_normal((5, 2))

    def make(scale):
        return RBF(scale) + noise * White() if noise else RBF(scale)

    def slowly(depth, left, right):
        """The kernel before its last centering."""
        K = make(1.0)(left, right)
        if depth:
            K = form(centered(depth - 1, left, right), make(1.0 + depth)(left, right))
        return K

    def centered(depth, left, right):
        K = slowly(depth, left, right)
        x, y = slowly(depth, left, X), slowly(depth, right, X)
        inside = slowly(depth, X, X).mean()
        return K - x.mean(axis=1)[:, None] - y.mean(axis=1)[None, :] + inside

    kernel = centered_sums(3, make, form).fit(X)
    if not noise:
        np.testing.assert_allclose(kernel(Y, X), centered(3, Y, X), atol=1e-12)
    W = rng.standard_normal((5, 5))
    gradient = kernel.gradient(Y, W)
    for name, value in kernel.continuous_params().items():
        if name in gradient:
            step = 1e-5
            up, down = kernel.copy(), kernel.copy()
            up.fit(X), down.fit(X)
            up.set_params(**{name: value + step})
            down.set_params(**{name: value - step})
            slope = (W * (up(Y) - down(Y))).sum() / (2 * step)
            assert gradient[name] == pytest.approx(slope, abs=1e-7), name


def test_nested_centers_of_a_saved_kernel_are_shared(rng, tmp_path):
    X = rng.standard_normal((20, 2))
    kernel = centered_sums(20, RBF).fit(X)
    mercer.save(kernel, tmp_path / "k.mercer")
    loaded = mercer.load(tmp_path / "k.mercer")
    assert (loaded(X) == kernel(X)).all()


def test_nested_centers_are_one(rng):
    X, Y = rng.standard_normal((30, 3)), rng.standard_normal((10, 3))
    once, twice = RBF().center().fit(X), nested_centers(2, RBF()).fit(X)
    np.testing.assert_allclose(twice(Y, X), once(Y, X), atol=1e-15)
    W = rng.standard_normal((30, 30))
    (first,), (second,) = once.gradient(X, W).values(), twice.gradient(X, W).values()
    np.testing.assert_allclose(first, second, rtol=1e-12)


@pytest.mark.parametrize("theta", [0, -1.0, np.nan, np.inf, "x", None])
def test_an_inverse_root_needs_a_positive_number(theta):
    with pytest.raises(mercer.errors.ParameterError, match="theta"):
        mercer.inverse_root(theta)


@pytest.mark.parametrize(
    "operation", [operator.add, operator.sub, operator.mul], ids=lambda f: f.__name__
)
def test_a_kernel_of_another_library_is_refused(operation):
    for theirs in (TheirRBF(2.0), 2.0 * TheirMatern(), mercer.to_sklearn(mercer.RBF())):
        with pytest.raises(TypeError, match="is a kernel of scikit-learn; write mercer's in its"):
            operation(mercer.RBF(), theirs)


def test_a_fitted_product_knows_whether_its_parts_look_at_all_columns():
    kernel = RBF().on([0, 1]) * RBF().on([2, 3])
    assert kernel.certificate().status == "psd"
    assert kernel.certificate(4).status == "strict"
    assert kernel.copy().fit(np.eye(4)).certificate().status == "strict"
    assert kernel.fit(np.eye(5)).certificate().status == "psd"
    assert (2.0 * kernel + 1.0).fit(np.eye(4)).certificate().status == "strict"
