"""Relevance vector machines against the evidence they maximize, against known functions, and
against bad input.
"""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import gp as naive_gp
from scipy.integrate import trapezoid
from scipy.stats import norm
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, scale
from sklearn.utils.estimator_checks import parametrize_with_checks

import mercer
from mercer import RBF, RVC, RVR, SVR, Jaccard, Laplacian, Multiquadric, Polynomial, errors
from mercer.solvers.rvm.likelihoods import Gaussian

NAMES = np.array(["low", "middle", "high"])


@parametrize_with_checks([RVR(fit_intercept=False, noise_variance=0.1)])
def test_scikit_learn_checks(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        check(estimator)


def numbers(n: int = 60, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, (n, 2))
    return (
        X,
        1.0 + np.sin(2 * X[:, 0]) + 0.3 * X[:, 1] + 0.1 * rng.standard_normal(n),
        rng.uniform(-3, 3, (20, 2)),
    )


def sinc(n: int = 100, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    X = np.linspace(-10, 10, n)[:, None]
    return X, np.sinc(X[:, 0] / np.pi) + 0.1 * np.random.default_rng(seed).standard_normal(n)


def two_gaussians(n: int = 200, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """The probability of the second class is sigmoid(2 · the first coordinate)."""
    rng = np.random.default_rng(seed)
    label = rng.integers(0, 2, n)
    X = rng.standard_normal((n, 2))
    X[:, 0] += 2.0 * label - 1.0
    return X, label


def three(n: int = 90) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    label = rng.integers(0, 3, n)
    return rng.standard_normal((n, 2)) + 2.5 * np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])[
        label
    ], NAMES[label]


def basis(model, K: np.ndarray) -> np.ndarray:
    """The columns in use, in the order of covariance_, out of a kernel matrix with all training
    samples.
    """
    kept = K[:, model.relevance_]
    return (
        np.column_stack([np.ones(len(K)), kept])
        if np.isfinite(np.ravel(model.intercept_alpha_)[0])
        else kept
    )


def precisions(model) -> np.ndarray:
    return np.concatenate(
        [[a for a in np.ravel(model.intercept_alpha_) if np.isfinite(a)], np.ravel(model.alpha_)]
    )


def weights(model) -> np.ndarray:
    bias = np.ravel(model.intercept_) if np.isfinite(np.ravel(model.intercept_alpha_)[0]) else []
    return np.concatenate([bias, np.ravel(model.dual_coef_)])


def regression_agrees(model, K: np.ndarray, y: np.ndarray) -> None:
    """What a fitted RVR says of itself is what the formulas say of its precisions."""
    Phi, alpha = basis(model, K), precisions(model)
    assert model.log_marginal_likelihood_value_ == pytest.approx(
        naive_gp.rvm_evidence(Phi, y, alpha, model.noise_variance_), rel=1e-8
    )
    mean, covariance = naive_gp.rvm_posterior(Phi, y, alpha, model.noise_variance_)
    np.testing.assert_allclose(
        weights(model), mean, rtol=1e-5, atol=1e-7 * np.abs(mean).max(initial=1e-30)
    )
    np.testing.assert_allclose(
        model.covariance_, covariance, rtol=1e-5, atol=1e-7 * np.abs(covariance).max(initial=1e-30)
    )


# ---- Regression ----

KERNELS = {
    "rbf": RBF(length_scale=0.8),
    "laplacian": Laplacian(length_scale=1.5),
    "polynomial": Polynomial(degree=3, offset=1.0),
    "cpd": Multiquadric(),
    "indefinite": mercer.Sigmoid(scale=0.5, offset=-1.0),
    "callable": lambda A, B: np.abs(A[:, None] - B[None]).sum(axis=2),
}


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_evidence_and_posterior_for_any_kernel(name, fit_intercept):
    X, y, Z = numbers()
    kernel = KERNELS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("error", errors.DefinitenessWarning)
        model = RVR(kernel, fit_intercept=fit_intercept).fit(X, y)
    regression_agrees(model, kernel(X, X.copy()), y)
    assert 0 < len(model.relevance_) < len(y)
    assert fit_intercept or (model.intercept_alpha_ == np.inf and model.intercept_ == 0)
    Phi = basis(model, kernel(Z, X))
    mean, std = model.predict(Z, return_std=True)
    np.testing.assert_allclose(mean, Phi @ weights(model), rtol=1e-8, atol=1e-8)
    expected = np.sqrt(
        model.noise_variance_ + np.einsum("ij,jk,ik->i", Phi, model.covariance_, Phi)
    )
    np.testing.assert_allclose(std, expected, rtol=1e-8)
    np.testing.assert_allclose(model.predict(Z), mean, rtol=1e-12, atol=1e-12)


def test_attributes():
    X, y, _ = numbers()
    model = RVR().fit(X, y)
    many = len(model.relevance_)
    assert (np.diff(model.relevance_) > 0).all() and np.issubdtype(
        model.relevance_.dtype, np.integer
    )
    np.testing.assert_array_equal(model.relevance_vectors_, X[model.relevance_])
    assert model.dual_coef_.shape == model.alpha_.shape == (many,)
    assert isinstance(model.intercept_, float) and isinstance(model.noise_variance_, float)
    assert model.covariance_.shape == (many + np.isfinite(model.intercept_alpha_),) * 2
    assert (model.alpha_ > 0).all() and np.isfinite(model.alpha_).all()
    assert 1 <= model.n_iter_ <= 1000
    assert "converged" in str(model.report_) and "NOT" not in str(model.report_)


@pytest.mark.parametrize("noise", [None, 0.02])
@pytest.mark.parametrize(("tol", "slack"), [(1e-3, 1e-2), (1e-6, 1e-5)])
@pytest.mark.parametrize("seed", range(3))
def test_the_evidence_is_stationary(noise, tol, slack, seed):
    X, y, _ = numbers(seed=seed)
    model = RVR(RBF(length_scale=0.8), noise_variance=noise, tol=tol, max_iter=10_000).fit(X, y)
    Phi = basis(model, RBF(length_scale=0.8)(X))
    at = np.log([*precisions(model), model.noise_variance_])
    slope = naive_gp.differences(
        lambda t: naive_gp.rvm_evidence(Phi, y, np.exp(t[:-1]), np.exp(t[-1])), at
    )
    np.testing.assert_allclose(slope[:-1], 0.0, atol=slack)
    if (
        noise is None
    ):  # the second derivative along log noise is about n/2, along log alpha at most 1/2
        assert abs(slope[-1]) < slack * len(y)
    else:
        assert model.noise_variance_ == noise


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("seed", range(2))
def test_no_function_left_out_raises_the_evidence_and_none_kept_lowers_it(fit_intercept, seed):
    X, y, _ = numbers(40, seed)
    K = RBF(length_scale=0.8)(X)
    model = RVR(RBF(length_scale=0.8), fit_intercept=fit_intercept, tol=1e-6, max_iter=10_000).fit(
        X, y
    )
    Phi, alpha, noise = basis(model, K), precisions(model), model.noise_variance_
    reached = model.log_marginal_likelihood_value_
    left = list(K[:, np.setdiff1d(np.arange(40), model.relevance_)].T)
    if fit_intercept and not np.isfinite(model.intercept_alpha_):
        left.append(np.ones(40))
    assert left
    for column in left:
        for one in np.logspace(-4, 8, 13):
            assert (
                naive_gp.rvm_evidence(
                    np.column_stack([Phi, column]), y, np.append(alpha, one), noise
                )
                < reached + 1e-4
            )
    for i in range(len(alpha)):
        assert (
            naive_gp.rvm_evidence(np.delete(Phi, i, axis=1), y, np.delete(alpha, i), noise)
            < reached + 1e-4
        )


def test_sinc_is_found_by_few_vectors():
    grid = np.linspace(-10, 10, 400)[:, None]
    truth = np.sinc(grid[:, 0] / np.pi)
    ours, other = [], []
    for seed in range(4):
        X, y = sinc(seed=seed)
        model = RVR(gamma=1 / 9).fit(X, y)
        assert 3 <= len(model.relevance_) < 15
        assert 0.08 < np.sqrt(model.noise_variance_) < 0.12
        ours.append(np.sqrt(np.mean((model.predict(grid) - truth) ** 2)))
        other.append(
            np.sqrt(
                np.mean((SVR(gamma=1 / 9, C=1.0, epsilon=0.1).fit(X, y).predict(grid) - truth) ** 2)
            )
        )
    assert np.mean(ours) <= 1.3 * np.mean(other)


def test_a_kernel_too_wide_for_sinc_harms_it_less_than_svr():
    X, y = sinc()
    model, other = RVR().fit(X, y), SVR().fit(X, y)
    gaps = [
        np.sqrt(np.mean((m.predict(X) - np.sinc(X[:, 0] / np.pi)) ** 2)) for m in (model, other)
    ]
    assert len(model.relevance_) < 15 and gaps[0] < 0.8 * gaps[1]


def test_far_from_the_data_it_is_too_sure():
    X, y = sinc()
    model = RVR(gamma=1 / 9, fit_intercept=False).fit(X, y)
    mean, std = model.predict([[1e3]], return_std=True)
    assert mean[0] == 0 and std[0] == pytest.approx(np.sqrt(model.noise_variance_))
    assert (model.predict(X, return_std=True)[1] > std[0]).all()
    with_bias = RVR(gamma=1 / 9).fit(X, y + 3)
    mean, std = with_bias.predict([[1e3]], return_std=True)
    assert mean[0] == pytest.approx(with_bias.intercept_)
    bias = with_bias.covariance_[0, 0] if np.isfinite(with_bias.intercept_alpha_) else 0.0
    assert std[0] == pytest.approx(np.sqrt(with_bias.noise_variance_ + bias))


@pytest.mark.parametrize("factor", [1e-6, 1e6])
def test_the_unit_of_the_target_does_not_matter(factor):
    X, y, Z = numbers()
    one, other = RVR(RBF()).fit(X, y), RVR(RBF()).fit(X, factor * y)
    np.testing.assert_array_equal(one.relevance_, other.relevance_)
    np.testing.assert_allclose(
        other.dual_coef_, factor * one.dual_coef_, rtol=2e-2
    )  # as close as tol makes it
    np.testing.assert_allclose(other.alpha_, one.alpha_ / factor**2, rtol=2e-2)
    assert other.noise_variance_ == pytest.approx(one.noise_variance_ * factor**2, rel=1e-3)
    for u, v in zip(
        other.predict(Z, return_std=True), one.predict(Z, return_std=True), strict=True
    ):
        np.testing.assert_allclose(u, factor * v, rtol=1e-3, atol=1e-3 * factor)
    shifted = one.log_marginal_likelihood_value_ - len(y) * np.log(factor)
    assert other.log_marginal_likelihood_value_ == pytest.approx(shifted, rel=1e-6)


@settings(max_examples=25)
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(2, 30),
    spread=st.floats(1e-3, 1e3),
    fixed=st.booleans(),
    bias=st.booleans(),
)
def test_any_data_give_a_fit_that_agrees_with_itself(seed, n, spread, fixed, bias):
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((n, 2)), spread * rng.standard_normal(n)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = RVR(RBF(), noise_variance=spread**2 / 4 if fixed else None, fit_intercept=bias).fit(
            X, y
        )
    Phi, alpha = basis(model, RBF()(X)), precisions(model)
    assert model.noise_variance_ > 0 and np.isfinite(model.predict(X)).all()
    mean, _ = naive_gp.rvm_posterior(Phi, y, alpha, model.noise_variance_)
    np.testing.assert_allclose(model.predict(X), Phi @ mean, atol=1e-5 * spread)
    nothing = naive_gp.rvm_evidence(np.zeros((n, 0)), y, np.zeros(0), model.noise_variance_)
    assert model.log_marginal_likelihood_value_ >= nothing - 1e-6 * abs(nothing)


# ---- Any way to name a kernel, any samples ----


@pytest.mark.parametrize("machine", [RVR, RVC])
def test_a_matrix_is_as_good_as_the_kernel(machine):
    X, y, Z = numbers()
    y = y if machine is RVR else (y > 1).astype(int)
    k = RBF(length_scale=0.8)
    one, other = machine(k).fit(X, y), machine("precomputed").fit(k(X), y)
    np.testing.assert_array_equal(one.relevance_, other.relevance_)
    np.testing.assert_allclose(one.dual_coef_, other.dual_coef_, rtol=1e-6)
    np.testing.assert_allclose(one.predict(Z), other.predict(k(Z, X)))
    by_name = machine(gamma=1 / (2 * 0.8**2)).fit(X, y)
    np.testing.assert_allclose(by_name.dual_coef_, one.dual_coef_, rtol=1e-6)
    text = machine("RBF(length_scale=0.8)").fit(X, y)
    np.testing.assert_allclose(text.dual_coef_, one.dual_coef_, rtol=1e-6)
    rows = machine(k).fit(sp.csr_array(X), y)
    np.testing.assert_allclose(
        rows.predict(sp.csr_array(Z)), one.predict(Z), rtol=1e-3
    )  # rounded otherwise, within tol


def test_scikit_learn_names_of_indefinite_kernels():
    X, y, _ = numbers()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = RVR("sigmoid", gamma=0.5, coef0=-1.0).fit(X, y)
        labels = RVC("sigmoid", gamma=0.5, coef0=-1.0).fit(X, y > 1)
    K = np.tanh(0.5 * X @ X.T - 1)
    regression_agrees(model, K, y)
    assert labels.log_marginal_likelihood_value_ == pytest.approx(
        naive_gp.rvm_laplace(basis(labels, K), y > 1, precisions(labels)).evidence, abs=1e-4
    )


def test_sets():
    rng = np.random.default_rng(0)
    sets = [set(rng.choice(12, rng.integers(1, 8), replace=False).tolist()) for _ in range(50)]
    size = np.array([len(s & {0, 1, 2, 3}) for s in sets], dtype=float)
    model = RVR(Jaccard()).fit(sets, size)
    assert [sets[i] for i in model.relevance_] == list(model.relevance_vectors_)
    regression_agrees(model, Jaccard()(sets), size)
    assert np.corrcoef(model.predict(sets), size)[0, 1] > 0.7
    assert RVC(Jaccard()).fit(sets, size > 1).predict_proba(sets[:4]).shape == (4, 2)


@pytest.mark.parametrize("machine", [RVR, RVC])
def test_two_fits_are_the_same_fit(machine):
    X, y, Z = numbers()
    y = y if machine is RVR else NAMES[np.digitize(y, [0.5, 1.5])]
    one, other = machine().fit(X, y), machine().fit(X, y)
    for name in ("relevance_", "dual_coef_", "intercept_", "alpha_", "intercept_alpha_"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    np.testing.assert_array_equal(one.predict(Z), other.predict(Z))


def test_a_search_chooses_the_width():
    X, y = sinc()
    search = GridSearchCV(
        RVR(), {"gamma": [1e-6, 1 / 9, 1e3]}, cv=KFold(3, shuffle=True, random_state=0)
    ).fit(X[::2], y[::2])
    assert search.best_params_ == {"gamma": 1 / 9}


# ---- Classification ----


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize(
    "kernel", [RBF(), Multiquadric(), mercer.Sigmoid(scale=0.5, offset=-1.0)], ids=repr
)
def test_labels_have_the_mode_the_covariance_and_the_evidence_of_laplace(kernel, fit_intercept):
    X, label = two_gaussians(80)
    model = RVC(kernel, fit_intercept=fit_intercept).fit(X, label)
    many = len(model.relevance_)
    assert model.dual_coef_.shape == model.alpha_.shape == (1, many) and model.intercept_.shape == (
        1,
    )
    found = naive_gp.rvm_laplace(basis(model, kernel(X)), label, precisions(model))
    assert model.log_marginal_likelihood_value_ == pytest.approx(found.evidence, abs=1e-4)
    np.testing.assert_allclose(weights(model), found.mean, rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(model.covariance_, found.covariance, rtol=1e-3, atol=1e-4)
    Z = X[:20] + 0.5
    Phi = basis(model, kernel(Z, X))
    value, variance = Phi @ weights(model), np.einsum("ij,jk,ik->i", Phi, model.covariance_, Phi)
    z = np.linspace(-10, 10, 20_001)
    averaged = trapezoid(
        naive_gp.sigmoid(value[:, None] + np.sqrt(variance)[:, None] * z) * norm.pdf(z), z
    )
    np.testing.assert_allclose(
        model.predict_proba(Z), np.column_stack([1 - averaged, averaged]), atol=1e-6
    )
    odds = np.log(averaged) - np.log1p(-averaged)
    np.testing.assert_allclose(model.decision_function(Z), odds, rtol=1e-4, atol=1e-6)
    np.testing.assert_array_equal(model.predict(Z), model.predict_proba(Z).argmax(axis=1))


@pytest.mark.parametrize("seed", range(3))
def test_precisions_of_a_classifier_are_a_fixed_point_and_nothing_is_left_out(seed):
    X, label = two_gaussians(60, seed)
    K = RBF()(X)
    model = RVC(RBF(), tol=1e-6, max_iter=10_000).fit(X, label)
    Phi, alpha = basis(model, K), precisions(model)
    found = naive_gp.rvm_laplace(Phi, label, alpha)
    np.testing.assert_allclose(alpha * (found.mean**2 + np.diag(found.covariance)), 1.0, atol=1e-3)
    noise = 1 / found.curvature  # the normal likelihood that stands for the logistic one
    reached = naive_gp.rvm_evidence(Phi, found.target, alpha, noise)
    for i in np.setdiff1d(np.arange(60), model.relevance_):
        for one in np.logspace(-4, 8, 13):
            more = naive_gp.rvm_evidence(
                np.column_stack([Phi, K[:, i]]), found.target, np.append(alpha, one), noise
            )
            assert more < reached + 1e-2


def test_overlapping_gaussians_need_few_vectors_and_have_honest_probabilities():
    gap = []
    for seed in range(3):
        X, label = two_gaussians(seed=seed)
        model = RVC(gamma=0.1).fit(X, label)
        assert 1 <= len(model.relevance_) < 10
        Z, _ = two_gaussians(400, seed + 100)
        gap.append(np.abs(model.predict_proba(Z)[:, 1] - naive_gp.sigmoid(2 * Z[:, 0])).mean())
        assert (model.predict(Z) == (Z[:, 0] > 0)).mean() > 0.85
    assert np.mean(gap) < 0.07


def test_three_classes_are_three_machines():
    X, y = three()
    model = RVC(RBF()).fit(X, y)
    assert model.classes_.tolist() == sorted(NAMES)
    many, Z = len(model.relevance_), X[:15] + 0.3
    assert model.dual_coef_.shape == model.alpha_.shape == (3, many) and model.intercept_.shape == (
        3,
    )
    np.testing.assert_array_equal(model.relevance_vectors_, X[model.relevance_])
    assert (np.isinf(model.alpha_) == (model.dual_coef_ == 0)).all() and np.isfinite(
        model.alpha_
    ).any(axis=0).all()
    values, probability = model.decision_function(Z), model.predict_proba(Z)
    assert values.shape == probability.shape == (15, 3)
    alone = np.empty((15, 3))
    for c, name in enumerate(model.classes_):
        machine = RVC(RBF()).fit(X, y == name)
        used = np.isfinite(model.alpha_[c])
        np.testing.assert_array_equal(model.relevance_[used], machine.relevance_)
        np.testing.assert_allclose(model.dual_coef_[c, used], machine.dual_coef_[0], rtol=1e-6)
        np.testing.assert_allclose(values[:, c], machine.decision_function(Z), rtol=1e-6, atol=1e-8)
        alone[:, c] = machine.predict_proba(Z)[:, 1]
    np.testing.assert_allclose(probability, alone / alone.sum(axis=1, keepdims=True), atol=1e-8)
    np.testing.assert_array_equal(model.predict(Z), model.classes_[probability.argmax(axis=1)])
    assert model.score(X, y) > 0.75 and np.isfinite(model.log_marginal_likelihood_value_)


def test_iris():
    X, y = load_iris(return_X_y=True)
    model = RVC().fit(scale(X), y)
    assert model.score(scale(X), y) > 0.94 and len(model.relevance_) < 40
    assert log_loss(y, model.predict_proba(scale(X))) < 0.25


def honest(model, X: np.ndarray, y: np.ndarray, least: float) -> None:
    probability = cross_val_predict(
        model, X, y, cv=StratifiedKFold(5, shuffle=True, random_state=0), method="predict_proba"
    )
    assert (np.unique(y)[probability.argmax(axis=1)] == y).mean() > least
    assert log_loss(y, probability) < 0.69


def test_sonar(shared_data):
    frame = pd.read_csv(shared_data / "sonar/sonar.csv")
    honest(
        make_pipeline(StandardScaler(), RVC()),
        frame.drop(columns="Class").to_numpy(),
        frame["Class"].to_numpy(),
        0.75,
    )


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_promoters(shared_data, kernel):
    frame = pd.read_csv(shared_data / "promoters/promotergene_kernlab.csv")
    X = pd.get_dummies(frame.drop(columns="Class"), dtype=float).to_numpy()
    honest(RVC(kernel), X, frame["Class"].to_numpy(), 0.80)


# ---- Odd and bad input ----


@pytest.mark.parametrize("value", [5.0, -3e-4, 2e7, 0.0])
@pytest.mark.parametrize("fixed", [None, 0.01])
def test_a_constant_target_needs_no_vectors(value, fixed):
    X, _, Z = numbers(30)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        noise = None if fixed is None else fixed * max(value**2, 1e-8)
        model = RVR(noise_variance=noise).fit(X, np.full(30, value))
    assert len(model.relevance_) == len(model.dual_coef_) == len(model.alpha_) == 0
    mean, std = model.predict(Z, return_std=True)
    np.testing.assert_allclose(mean, value, rtol=0.02)
    assert np.isfinite(std).all()


def test_nothing_at_all_is_left_of_zeros():
    X, _, Z = numbers(30)
    model = RVR(fit_intercept=False).fit(X, np.zeros(30))
    assert len(model.relevance_) == 0 and model.covariance_.shape == (0, 0)
    assert (model.predict(Z) == 0).all()


def test_labels_that_say_nothing():
    X = np.repeat([[0.0], [1.0]], 20, axis=0)
    y = np.tile([0, 1], 20)
    model = RVC().fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), 0.5, atol=0.05)


def test_separable_labels():
    X = np.array([[-3.0], [-2.0], [2.0], [3.0]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = RVC().fit(X, [0, 0, 1, 1])
    assert np.isfinite(model.dual_coef_).all() and model.score(X, [0, 0, 1, 1]) == 1
    probability = model.predict_proba(X)
    assert np.isfinite(probability).all() and (probability >= 0).all()


def test_one_sample_and_two():
    one = RVR().fit([[1.0]], [2.0])
    assert (
        np.isfinite(one.predict([[1.0], [5.0]])).all()
        and np.isfinite(one.predict([[1.0]], return_std=True)[1]).all()
    )
    two = RVR().fit([[1.0], [2.0]], [2.0, 3.0])
    assert np.isfinite(two.predict([[1.0], [5.0]])).all()
    assert np.isfinite(RVC().fit([[1.0], [2.0]], ["a", "b"]).predict_proba([[1.0], [5.0]])).all()


@pytest.mark.parametrize("machine", [RVR, RVC])
def test_a_sample_twice_is_not_needed_twice(machine):
    X, y, Z = numbers(30)
    y = y if machine is RVR else (y > 1).astype(int)
    model = machine(RBF()).fit(np.repeat(X, 3, axis=0), np.repeat(y, 3))
    assert len(np.unique(model.relevance_vectors_, axis=0)) == len(model.relevance_)
    assert np.isfinite(model.predict(Z)).all()
    if machine is RVR:
        regression_agrees(model, RBF()(np.repeat(X, 3, axis=0)), np.repeat(y, 3))


def test_noiseless_data_are_fitted_closely():
    X = np.linspace(-3, 3, 40)[:, None]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = RVR(RBF()).fit(X, np.sin(X[:, 0]))
    np.testing.assert_allclose(model.predict(X), np.sin(X[:, 0]), atol=1e-2)
    assert model.noise_variance_ > 0


@pytest.mark.parametrize("machine", [RVR, RVC])
def test_too_few_steps_are_told(machine):
    X, y, _ = numbers()
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        model = machine(max_iter=1).fit(X, y if machine is RVR else (y > 1).astype(int))
    assert model.n_iter_ == 1 and "NOT converged" in str(model.report_)


@pytest.mark.parametrize(
    "options",
    [
        {"kernel": 3},
        {"kernel": "nonsense"},
        {"gamma": -1.0},
        {"max_iter": 0},
        {"tol": -1.0},
        {"fit_intercept": "yes"},
        {"noise_variance": -1.0},
        {"noise_variance": 0.0},
    ],
    ids=str,
)
def test_refused_parameters(options):
    X, y, _ = numbers(10)
    machines = [RVR] if "noise_variance" in options else [RVR, RVC]
    for machine in machines:
        with pytest.raises(ValueError):
            machine(**options).fit(X, y if machine is RVR else (y > 1).astype(int))


@pytest.mark.parametrize("machine", [RVR, RVC])
def test_refused_data(machine):
    X, y, _ = numbers(10)
    y = y if machine is RVR else (y > 1).astype(int)
    holed = X.copy()
    holed[3, 1] = np.nan
    for samples, target in (
        (holed, y),
        (X, np.full(10, np.nan)),
        (X, y[:5]),
        (X[:0], y[:0]),
        (X, None),
    ):
        with pytest.raises(ValueError):
            machine().fit(samples, target)
    with pytest.raises(ValueError, match="NaN"):
        machine().fit(holed, y)
    with pytest.raises(ValueError, match="requires y"):
        machine().fit(X, None)
    with pytest.raises(ValueError):
        machine("precomputed").fit(X, y)
    fitted = clone(machine()).fit(X, y)
    with pytest.raises(ValueError):
        fitted.predict(X[:, :1])


def test_one_class_is_refused():
    X, _, _ = numbers(10)
    with pytest.raises(ValueError, match="class"):
        RVC().fit(X, np.ones(10))
    with pytest.raises(ValueError, match="class"):
        RVC().fit([[1.0]], [0])


# -- what was wrong once
# ---------------------------------------------------------------------------------------------


def test_probabilities_rank_as_the_decision_function():
    X, y = two_gaussians(80)
    model = RVC(RBF(0.7)).fit(X, y)
    Z = np.random.default_rng(1).uniform(-6, 6, (500, 2))
    values, probability = model.decision_function(Z), model.predict_proba(Z)[:, 1]
    order = np.argsort(values)
    assert (np.diff(probability[order]) >= -1e-12).all()
    np.testing.assert_array_equal(values > 0, probability > 0.5)


def test_targets_without_noise_end_and_the_evidence_never_falls():
    """Functions without use left at any loss of evidence, came back, and left again."""
    X = np.random.default_rng(0).standard_normal((260, 4))
    y = np.sin(X[:, 0]) + X[:, 1]
    evidence = []
    original = Gaussian.maximize

    def watched(self, basis, max_steps, callback):
        def listen(step, value):
            evidence.append((step, value))
            return False

        return original(self, basis, max_steps, listen)

    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("error")
        patch.setattr(Gaussian, "maximize", watched)
        model = RVR(RBF.from_gamma(0.2)).fit(X, y)
    assert model.report_.converged and model.score(X, y) > 0.99
    steps, values = np.array(evidence).T
    rises = np.diff(values)[np.diff(steps) > 0]  # within a start
    assert rises.min() > -0.1


def test_weights_are_copies():
    rng = np.random.default_rng(0)
    X = rng.uniform(-5, 5, (50, 1))
    y = 1e3 * (np.sinc(X[:, 0]) + 0.1 * rng.standard_normal(50))
    weight = rng.integers(0, 4, 50)
    rows = np.repeat(np.arange(50), weight)
    Z = np.linspace(-5, 5, 30)[:, None]
    weighted = RVR(RBF()).fit(X, y, sample_weight=weight)
    repeated = RVR(RBF()).fit(X[rows], y[rows])
    np.testing.assert_array_equal(rows[repeated.relevance_], weighted.relevance_)
    values = [m.log_marginal_likelihood_value_ for m in (weighted, repeated)]
    np.testing.assert_allclose(*values, rtol=1e-6)
    np.testing.assert_allclose(weighted.noise_variance_, repeated.noise_variance_, rtol=1e-3)
    for ours, theirs in zip(
        weighted.predict(Z, return_std=True), repeated.predict(Z, return_std=True), strict=True
    ):
        np.testing.assert_allclose(ours, theirs, rtol=1e-3, atol=1.0)
    labels = NAMES[np.digitize(y, [0.0, 500.0])]
    weighted = RVC(RBF()).fit(X, labels, sample_weight=weight)
    repeated = RVC(RBF()).fit(X[rows], labels[rows])
    np.testing.assert_allclose(weighted.predict_proba(Z), repeated.predict_proba(Z), atol=1e-3)
    values = [m.log_marginal_likelihood_value_ for m in (weighted, repeated)]
    np.testing.assert_allclose(*values, rtol=1e-5)


def test_functions_in_use_beyond_the_budget_are_refused(rng):
    X = rng.uniform(-8.0, 8.0, size=(3000, 1))
    refused = pytest.raises(errors.MemoryBudgetError, match="the functions in use")
    with mercer.config_context(memory_budget="1 MB"), refused:
        RVR(RBF(0.5)).fit(X, np.sin(3.0 * X[:, 0]))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("frequency", [0.0, 1.0, 3.0])
def test_targets_without_noise_are_reproduced(frequency, seed):
    """Functions in use are alike to rounding then, and H + diag α may lose its definiteness."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-3, 3, (520, 1))
    y = 2 * X[:, 0] if frequency == 0 else np.cos(frequency * X[:, 0])
    assert RVR().fit(X, y).score(X, y) > 0.99
