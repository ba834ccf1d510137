"""Kernel ridge against scikit-learn, against its closed forms, and on either solver."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.kernel_ridge import KernelRidge as TheirRidge
from sklearn.model_selection import LeaveOneOut, cross_val_predict, cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from mercer import (
    RBF,
    Constant,
    Jaccard,
    KernelRidge,
    KernelRidgeCV,
    Linear,
    NegativeDistance,
    Polynomial,
    config_context,
    errors,
)


@parametrize_with_checks([KernelRidge(kernel=RBF())])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def data(n: int = 120, outputs: int = 0, seed: int = 0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 4))
    y = np.sin(X[:, 0]) + 0.1 * rng.standard_normal(n)
    return X, y if not outputs else np.column_stack([y * (k + 1) + X[:, k] for k in range(outputs)])


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly", "laplacian", "cosine"])
@pytest.mark.parametrize("outputs", [0, 3])
def test_equals_scikit_learn(kernel, outputs):
    X, y = data(outputs=outputs)
    weight = np.random.default_rng(1).random(len(X)) + 0.1
    for alpha in (0.5, 1e-3):
        ours, theirs = (
            cls(alpha=alpha, kernel=kernel, gamma=0.3).fit(X, y, weight)
            for cls in (KernelRidge, TheirRidge)
        )
        np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-8, atol=1e-8)
        assert ours.dual_coef_.shape == theirs.dual_coef_.shape


def test_one_penalty_per_output():
    X, Y = data(outputs=3)
    many = KernelRidge(alpha=[0.1, 1.0, 1.0], kernel=RBF()).fit(X, Y)
    for k, alpha in enumerate([0.1, 1.0, 1.0]):
        np.testing.assert_allclose(
            many.predict(X)[:, k],
            KernelRidge(alpha=alpha, kernel=RBF()).fit(X, Y[:, k]).predict(X),
            atol=1e-10,
        )
    with pytest.raises(errors.ParameterError, match="each of the 3"):
        KernelRidge(alpha=[0.1, 1.0]).fit(X, Y)


def test_the_identities_of_the_lecture():
    """w = Σ a φ gives J(w) = J(a), and a_i = (y_i − f(x_i))/λ."""
    X, y = data()
    k, alpha = Polynomial(degree=2), 0.7
    model = KernelRidge(alpha=alpha, kernel=k).fit(X, y)
    phi = k.features(X)
    w = np.linalg.solve(phi.T @ phi + alpha * np.eye(phi.shape[1]), phi.T @ y)
    np.testing.assert_allclose(model.predict(X), phi @ w, atol=1e-9)
    np.testing.assert_allclose(model.dual_coef_, (y - model.predict(X)) / alpha, atol=1e-9)
    value = 0.5 * np.sum((y - phi @ w) ** 2) + 0.5 * alpha * w @ w
    assert (
        model.report_.objective == pytest.approx(value, rel=1e-9) and model.report_.identity < 1e-8
    )
    assert "Cholesky" in str(model.report_)


@pytest.mark.parametrize("outputs", [0, 2])
def test_beyond_the_budget(outputs):
    X, y = data(400, outputs)
    weight = np.random.default_rng(1).random(400) + 0.1
    dense = KernelRidge(alpha=0.1, kernel=RBF()).fit(X, y, weight)
    with config_context(memory_budget="1 MB"):
        lazy = KernelRidge(alpha=0.1, kernel=RBF()).fit(X, y, weight)
    assert "conjugate gradients" in lazy.report_.solver and "Cholesky" in dense.report_.solver
    np.testing.assert_allclose(lazy.predict(X), dense.predict(X), atol=1e-7)
    assert lazy.report_.objective == pytest.approx(dense.report_.objective, rel=1e-6)


def test_a_weight_is_a_number_of_copies():
    X, y = data(60)
    weight = np.random.default_rng(2).integers(0, 3, 60)
    rows = np.repeat(np.arange(60), weight)
    a, b = (
        KernelRidge(kernel=RBF()).fit(X, y, weight),
        KernelRidge(kernel=RBF()).fit(X[rows], y[rows]),
    )
    np.testing.assert_allclose(a.predict(X), b.predict(X), atol=1e-10)


def test_singular_systems_are_solved_by_least_squares():
    X, _ = data(30)
    with pytest.warns(UserWarning, match="Singular"):
        model = KernelRidge(alpha=0, kernel=Linear()).fit(X, X @ np.ones(4))
    np.testing.assert_allclose(model.predict(X), X @ np.ones(4), atol=1e-8)


def test_shifting_the_data_changes_nothing():
    X, y = data(80)
    X = np.round(X * 2**20) / 2**20
    near, far = (
        KernelRidge(kernel=RBF(), alpha=0.1).fit(X, y),
        KernelRidge(kernel=RBF(), alpha=0.1).fit(X + 1e6, y),
    )
    np.testing.assert_allclose(near.predict(X), far.predict(X + 1e6), atol=1e-8)


def test_leave_one_out_in_closed_form():
    X, y = data(40)
    alphas = [1e-3, 0.1, 1.0, 30.0]
    model = KernelRidgeCV(alphas=alphas, kernel=RBF()).fit(X, y)
    slow = [
        cross_val_predict(KernelRidge(alpha=a, kernel=RBF()), X, y, cv=LeaveOneOut())
        for a in alphas
    ]
    np.testing.assert_allclose(model.loo_errors_, [np.mean((y - p) ** 2) for p in slow], rtol=1e-8)
    best = int(np.argmin(model.loo_errors_))
    assert model.alpha_ == alphas[best]
    np.testing.assert_allclose(model.loo_predictions_, slow[best], atol=1e-9)
    np.testing.assert_allclose(
        model.predict(X),
        KernelRidge(alpha=model.alpha_, kernel=RBF()).fit(X, y).predict(X),
        atol=1e-9,
    )


def test_several_outputs_share_one_penalty():
    X, Y = data(40, 2)
    model = KernelRidgeCV(alphas=[0.1, 10.0], kernel=RBF()).fit(X, Y)
    assert model.predict(X).shape == Y.shape == model.loo_predictions_.shape


def test_sets_and_precomputed():
    sets = [{"a", "b"}, {"a"}, {"x"}, {"x", "y"}] * 5
    y = np.array([1.0, 1.0, -1.0, -1.0] * 5)
    assert (
        np.sign(KernelRidge(kernel=Jaccard()).fit(sets, y).predict([{"b"}, {"y"}])) == [1, -1]
    ).all()
    X, y = data(50)
    K = RBF()(X)
    a, b = KernelRidge(kernel="precomputed").fit(K, y), KernelRidge(kernel=RBF()).fit(X, y)
    np.testing.assert_allclose(a.predict(K), b.predict(X), atol=1e-10)
    assert np.array_equal(K, RBF()(X))  # not written over
    np.testing.assert_allclose(
        cross_val_score(KernelRidge(kernel="precomputed"), K, y),
        cross_val_score(KernelRidge(kernel=RBF()), X, y),
    )


def test_refusals():
    X, y = data(20)
    with pytest.raises(errors.DefinitenessError, match=r"center\(\)"):
        KernelRidge(kernel=NegativeDistance()).fit(X, y)
    with pytest.raises(errors.ParameterError, match="positive"):
        KernelRidgeCV(alphas=[0.0, 1.0]).fit(X, y)
    with pytest.raises(errors.ParameterError, match="sample_weight"):
        KernelRidge().fit(X, y, -np.ones(20))
    with pytest.raises(ValueError):
        KernelRidge(alpha=-1.0).fit(X, y)


@pytest.mark.parametrize(
    "kernel", [Linear(), 2.0 * Linear() + Constant(1.0), Polynomial(degree=2, offset=1.0)], ids=repr
)
def test_the_primal_is_the_dual(kernel):
    rng = np.random.default_rng(3)
    X, weight = rng.standard_normal((120, 4)), rng.integers(0, 3, 120)
    Y = np.column_stack([X[:, 0] ** 2, X @ np.arange(4.0)]) + 0.1 * rng.standard_normal((120, 2))
    for alpha in (0.5, [0.1, 3.0]):
        primal = KernelRidge(alpha=alpha, kernel=kernel).fit(X, Y, weight)
        assert "features" in primal.report_.plan
        dual = KernelRidge(alpha=alpha, kernel="precomputed").fit(kernel(X), Y, weight)
        assert not hasattr(dual, "primal_coef_")
        np.testing.assert_allclose(primal.dual_coef_, dual.dual_coef_, atol=1e-10)
        np.testing.assert_allclose(
            primal.predict(X[:9]), dual.predict(kernel(X[:9], X)), atol=1e-10
        )
    sparse = KernelRidge(alpha=0.5, kernel=Linear()).fit(sp.csr_array(X), Y)
    np.testing.assert_allclose(
        sparse.predict(sp.csr_array(X)),
        KernelRidge(alpha=0.5, kernel=Linear()).fit(X, Y).predict(X),
        atol=1e-10,
    )
    assert hasattr(sparse, "primal_coef_")


def test_dependent_features_fall_back_to_the_dual():
    X = np.random.default_rng(3).normal(size=(400, 3))
    y = X[:, 1] ** 2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = KernelRidge(alpha=1e-12, kernel=Linear()).fit(np.column_stack([X, X]) * 1e3, y)
    assert not hasattr(model, "primal_coef_") and np.isfinite(model.dual_coef_).all()
