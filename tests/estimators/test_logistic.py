"""Kernel logistic regression against scikit-learn's, against the dual problem solved by scipy, and
against what must not happen.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from scipy import optimize
from scipy.special import entr, expit, softmax
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine, make_classification
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, scale
from sklearn.utils.estimator_checks import parametrize_with_checks

import mercer
from mercer import (
    RBF,
    Jaccard,
    KernelLogisticRegression,
    Linear,
    NegativeDistance,
    Polynomial,
    Sigmoid,
    config_context,
    errors,
)


@parametrize_with_checks([KernelLogisticRegression(kernel=RBF(length_scale=2.0), C=5.0)])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def classes(n: int = 80, k: int = 2, seed: int = 0):
    X, y = make_classification(
        n, 5, n_informative=4, n_redundant=0, n_classes=k, flip_y=0.1, random_state=seed
    )
    return scale(X), y


def tight(**options):
    return KernelLogisticRegression(**{"kernel": RBF(), "tol": 1e-8, **options})


# -- equal to scikit-learn, and to the definition
# ----------------------------------------------------------------------


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("C", [0.05, 1.0, 20.0])
@pytest.mark.parametrize("k", [2, 3, 4])
def test_the_linear_kernel_is_logistic_regression(k, C, intercept):
    X, y = classes(100, k)
    ours = tight(kernel=Linear(), C=C, fit_intercept=intercept).fit(X, y)
    other = LogisticRegression(C=C, fit_intercept=intercept, tol=1e-10, max_iter=10_000).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), other.predict_proba(X), atol=1e-6)
    np.testing.assert_allclose(ours.decision_function(X), other.decision_function(X), atol=1e-5)
    np.testing.assert_allclose(ours.intercept_, other.intercept_, atol=1e-5)
    assert (ours.predict(X) == other.predict(X)).all() and ours.score(X, y) == other.score(X, y)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("class_weight", ["balanced", {0: 3.0, 1: 0.5, 2: 1.0}, {2: 4.0}])
@pytest.mark.parametrize("k", [2, 3])
def test_class_weights_are_scikit_learns(k, class_weight, weighted):
    X, y = classes(90, 3)
    X, y = X[y < k][10:], y[y < k][10:]
    if isinstance(class_weight, dict):
        class_weight = {c: w for c, w in class_weight.items() if c < k}
    weight = np.random.default_rng(0).uniform(0.0, 2.0, len(y)) if weighted else None
    ours = tight(kernel=Linear(), class_weight=class_weight).fit(X, y, weight)
    other = LogisticRegression(class_weight=class_weight, tol=1e-10, max_iter=10_000).fit(
        X, y, weight
    )
    np.testing.assert_allclose(ours.predict_proba(X), other.predict_proba(X), atol=1e-6)


def dual_value(alpha, K, C, sign):
    """−½ Σ αα′ ss′ K + C Σ H(α/C), H the entropy: to be maximized over 0 ≤ α ≤ C."""
    share = alpha / C
    return C * (entr(share) + entr(1 - share)).sum() - 0.5 * (sign * alpha) @ K @ (sign * alpha)


def test_the_dual_without_bias():
    X, y = classes(40)
    K, sign, C = RBF()(X), np.where(y == 1, 1.0, -1.0), 3.0

    def loss(t):
        alpha = C * expit(t)
        slope = -t - (sign * (K @ (sign * alpha)))  # dD/dα
        return -dual_value(alpha, K, C, sign), -slope * alpha * (1 - alpha / C)

    found = optimize.minimize(
        loss, np.zeros(40), jac=True, method="BFGS", options={"gtol": 1e-9, "maxiter": 5000}
    )
    model = tight(C=C, fit_intercept=False, tol=1e-10).fit(X, y)
    np.testing.assert_allclose(model.dual_coef_[:, 0], sign * C * expit(found.x), atol=1e-6)
    assert model.report_.objective == pytest.approx(-found.fun, rel=1e-9)  # no duality gap
    assert model.intercept_.tolist() == [0.0]


def test_the_dual_with_bias():
    X, y = classes(25)
    K, sign, C = RBF()(X), np.where(y == 1, 1.0, -1.0), 2.0
    found = optimize.minimize(
        lambda a: -dual_value(a, K, C, sign),
        np.where(sign > 0, 1.0 / (sign > 0).sum(), 1.0 / (sign < 0).sum()),
        method="SLSQP",
        bounds=[(1e-9, C - 1e-9)] * 25,
        constraints={"type": "eq", "fun": lambda a: sign @ a},
        options={"ftol": 1e-13, "maxiter": 1000},
    )
    model = tight(C=C).fit(X, y)
    np.testing.assert_allclose(model.dual_coef_[:, 0], sign * found.x, atol=1e-4)
    assert model.report_.objective == pytest.approx(-found.fun, rel=1e-8)
    assert abs(model.dual_coef_.sum()) < 1e-9


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("kernel", [RBF(), NegativeDistance(), Polynomial(degree=2)], ids=repr)
def test_coefficients_are_what_is_left_of_the_labels(k, kernel):
    """a = C·w·(1[y = c] − p): the equation of the optimum."""
    X, y = classes(60, k)
    weight = np.random.default_rng(0).uniform(0.1, 3.0, 60)
    model = tight(C=4.0, kernel=kernel).fit(X, y, weight)
    left = (y[:, None] == np.arange(k)) - model.predict_proba(X)
    np.testing.assert_allclose(
        model.dual_coef_, 4.0 * weight[:, None] * left[:, -model.dual_coef_.shape[1] :], atol=1e-6
    )
    np.testing.assert_allclose(model.dual_coef_.sum(axis=0), 0.0, atol=1e-8)


def test_probabilities_decisions_and_predictions_agree():
    for k in (2, 4):
        X, y = classes(100, k)
        names = np.array(list("zyxw"))[y]
        model = KernelLogisticRegression().fit(X, names)
        p, F = model.predict_proba(X), model.decision_function(X)
        np.testing.assert_allclose(p.sum(axis=1), 1.0, rtol=1e-14)
        np.testing.assert_allclose(
            p, np.column_stack([expit(-F), expit(F)]) if k == 2 else softmax(F, axis=1)
        )
        np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), p)
        assert (model.classes_[p.argmax(axis=1)] == model.predict(X)).all()


def test_log_probabilities_where_probabilities_underflow():
    X = np.array([[-1.0], [1.0]] * 5)
    model = KernelLogisticRegression(kernel=Linear(), C=1e3).fit(X, [0, 1] * 5)
    logs = model.predict_log_proba([[1e4]])
    assert (
        model.predict_proba([[1e4]]).tolist() == [[0.0, 1.0]]
        and np.isfinite(logs).all()
        and logs[0, 0] < -1000
    )


# -- weights
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("class_weight", [None, "balanced", {0: 2.0}])
@pytest.mark.parametrize("k", [2, 3])
def test_a_weight_is_a_number_of_copies(k, class_weight, rng):
    X, y = classes(60, k)
    weight = rng.integers(0, 4, 60)
    rows = np.repeat(np.arange(60), weight)
    model = tight(class_weight=class_weight)
    weighted, copied = clone(model).fit(X, y, weight), clone(model).fit(X[rows], y[rows])
    np.testing.assert_allclose(
        weighted.decision_function(X), copied.decision_function(X), atol=1e-6
    )


def test_weights_of_one_are_no_weights_also_far_from_the_origin():
    X, y = classes(60)
    for shift in (0.0, 1e6):
        a, b = (
            KernelLogisticRegression(tol=1e-9).fit(X + shift, y, w) for w in (None, np.ones(60))
        )
        assert a.kernel_.length_scale == pytest.approx(b.kernel_.length_scale, rel=1e-9)
        np.testing.assert_allclose(
            a.decision_function(X + shift), b.decision_function(X + shift), atol=1e-7
        )


# -- kernels of every sort
# ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [2, 3])
def test_ways_to_name_a_kernel(k):
    X, y = classes(80, k)
    expected = tight(kernel=RBF(length_scale=2.0)).fit(X, y).decision_function(X)
    np.testing.assert_allclose(
        tight(kernel="RBF(length_scale=2.0)").fit(X, y).decision_function(X), expected, atol=1e-9
    )
    np.testing.assert_allclose(
        tight(kernel="rbf", gamma=0.125).fit(X, y).decision_function(X), expected, atol=1e-7
    )
    K = RBF(length_scale=2.0)(X)
    given = tight(kernel="precomputed").fit(K, y)
    np.testing.assert_allclose(given.decision_function(K), expected, atol=1e-7)
    scores = [
        cross_val_score(m, data, y, scoring="neg_log_loss")
        for m, data in ((tight(kernel="precomputed"), K), (tight(kernel="rbf", gamma=0.125), X))
    ]
    np.testing.assert_allclose(*scores, atol=1e-7)


def test_the_given_matrix_is_not_written_on():
    X, y = classes(40)
    K = RBF()(X)
    kept = K.copy()
    KernelLogisticRegression(kernel="precomputed").fit(K, y)
    np.testing.assert_array_equal(K, kept)


def test_sets_in_a_pipeline_and_a_search():
    sets = [{"a", "b"}, {"a", "c"}, {"x", "y"}, {"y", "z"}] * 8
    y = np.array(["low", "low", "high", "high"] * 8)
    model = make_pipeline(
        FunctionTransformer(list), KernelLogisticRegression(kernel=Jaccard(), C=10.0)
    )
    assert model.fit(sets, y).predict([{"a"}, {"x", "q"}]).tolist() == ["low", "high"]
    assert cross_val_score(model, sets, y, cv=4).mean() == 1.0
    X, y = load_wine(return_X_y=True)
    search = GridSearchCV(
        KernelLogisticRegression(kernel=RBF()), {"kernel__length_scale": [0.01, 3.0]}, cv=3
    ).fit(scale(X), y)
    assert search.best_params_ == {"kernel__length_scale": 3.0} and search.best_score_ > 0.95


@pytest.mark.parametrize("kernel", ["rbf", RBF(), Linear()], ids=repr)
def test_sparse_rows_are_dense_rows(kernel):
    X, y = classes(60, 3)
    X = np.where(np.abs(X) > 0.7, X, 0.0)
    dense, sparse = tight(kernel=kernel).fit(X, y), tight(kernel=kernel).fit(sp.csr_matrix(X), y)
    np.testing.assert_allclose(
        sparse.decision_function(sp.csr_matrix(X)), dense.decision_function(X), atol=1e-6
    )
    np.testing.assert_allclose(
        dense.decision_function(sp.csr_matrix(X)), dense.decision_function(X), atol=1e-9
    )


def test_definiteness():
    X, y = classes(60)
    assert KernelLogisticRegression(kernel=NegativeDistance()).fit(X, y).score(X, y) > 0.8
    with pytest.raises(errors.DefinitenessError, match=r"center\(\)"):
        KernelLogisticRegression(kernel=NegativeDistance(), fit_intercept=False).fit(X, y)
    with pytest.raises(errors.DefinitenessError, match="Sigmoid"):
        KernelLogisticRegression(kernel=Sigmoid(scale=0.5)).fit(X, y)
    with pytest.raises(ValueError, match="kernel"):
        KernelLogisticRegression(kernel="precomputed", C=100.0).fit(-RBF()(X), y)


# -- what must hold
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [2, 3])
def test_shifting_the_data_changes_nothing(k):
    X, y = classes(80, k)
    X = np.round(X * 2**20) / 2**20
    near, far = (
        KernelLogisticRegression(kernel=RBF(length_scale=2.0)).fit(x, y) for x in (X, X + 1e6)
    )
    np.testing.assert_allclose(near.predict_proba(X), far.predict_proba(X + 1e6), atol=1e-5)


@pytest.mark.parametrize("budget", ["8 GB", "1 MB"])
@pytest.mark.parametrize("k", [2, 3])
def test_bits_do_not_depend_on_threads(k, budget):
    X, y = classes(600, k)
    found = []
    for threads in (1, 2):
        with config_context(threads=threads, memory_budget=budget):
            model = KernelLogisticRegression(kernel=RBF(length_scale=2.0), tol=1e-3).fit(X, y)
            found.append((model.dual_coef_, model.intercept_, model.decision_function(X)))
    assert all(np.array_equal(a, b) for a, b in zip(*found, strict=True))


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("kernel", [RBF(), Linear(), NegativeDistance()], ids=repr)
def test_a_small_memory_budget_changes_the_way_only(kernel, k, intercept):
    if isinstance(kernel, NegativeDistance) and not intercept:
        pytest.skip("needs the bias")
    X, y = classes(120, k)
    weight = np.random.default_rng(0).uniform(0.1, 2.0, 120)
    roomy = tight(kernel=kernel, fit_intercept=intercept, C=3.0).fit(X, y, weight)
    with config_context(memory_budget="100 kB"):
        narrow = tight(kernel=kernel, fit_intercept=intercept, C=3.0).fit(X, y, weight)
    assert "tiles" in narrow.report_.plan and "dense" in roomy.report_.plan
    assert narrow.report_.converged
    np.testing.assert_allclose(narrow.decision_function(X), roomy.decision_function(X), atol=1e-6)
    np.testing.assert_allclose(narrow.intercept_, roomy.intercept_, atol=1e-6)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("C", [1e-4, 1e4, 1e8])
def test_weak_and_strong_penalties_converge(C, k):
    X, y = classes(80, k)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = KernelLogisticRegression(C=C, kernel=RBF(length_scale=2.0)).fit(X, y)
    assert model.report_.converged and np.isfinite(model.predict_proba(X)).all()
    if C == 1e8:
        assert model.score(X, y) == 1.0


def test_report():
    X, y = classes(60)
    model = tight(C=2.0).fit(X, y)
    report, K, F = model.report_, RBF()(X), model.decision_function(X)
    a = model.dual_coef_[:, 0]
    objective = 2.0 * np.logaddexp(0, np.where(y == 1, -F, F)).sum() + 0.5 * a @ K @ a
    assert report.objective == pytest.approx(objective, rel=1e-10)
    assert report.converged and report.residual <= report.tol == 1e-8 and report.samples == 60
    assert "converged" in str(report) and report.iterations == model.n_iter_ >= 1


def test_too_few_steps_give_advice():
    X, y = classes(60)
    with pytest.warns(ConvergenceWarning, match=r"max_iter reached.*scale the features"):
        model = KernelLogisticRegression(max_iter=1, C=100.0).fit(X, y)
    assert model.n_iter_ == 1 and not model.report_.converged


# -- beginning at the last solution
# ------------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [2, 3])
def test_a_warm_start_saves_steps_and_changes_nothing(k):
    X, y = classes(80, k)
    cold = tight(C=1.1).fit(X, y)
    warm = tight(C=1.0, warm_start=True).fit(X, y)
    first = warm.n_iter_
    assert warm.fit(X, y).n_iter_ == 0
    warm.set_params(C=1.1).fit(X, y)
    assert warm.n_iter_ <= first
    np.testing.assert_allclose(warm.decision_function(X), cold.decision_function(X), atol=1e-6)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("before", [True, False])
def test_a_warm_start_does_not_hold_on_to_the_bias(before, k):
    X, y = classes(80, k)
    cold = tight(fit_intercept=not before).fit(X, y)
    warm = (
        tight(fit_intercept=before, warm_start=True)
        .fit(X, y)
        .set_params(fit_intercept=not before)
        .fit(X, y)
    )
    np.testing.assert_allclose(warm.intercept_, cold.intercept_, atol=1e-6)
    np.testing.assert_allclose(warm.decision_function(X), cold.decision_function(X), atol=1e-6)


@pytest.mark.parametrize("change", ["labels", "classes", "samples", "kernel"])
def test_a_warm_start_survives_a_new_problem(change):
    X, y = classes(80, 3)
    warm = tight(C=1e4, warm_start=True).fit(X, y)
    X, y = {
        "labels": (X, 2 - y),
        "classes": (X, y > 0),
        "samples": (X[:50], y[:50]),
        "kernel": (X, y),
    }[change]
    kernel = RBF(length_scale=3.0) if change == "kernel" else RBF()
    cold = tight(C=1e4, kernel=kernel).fit(X, y)
    warm.set_params(kernel=kernel)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warm.fit(X, y)
    np.testing.assert_allclose(warm.decision_function(X), cold.decision_function(X), atol=1e-3)


# -- edges and refusals
# ------------------------------------------------------------------------------------------------


def test_duplicates_constants_and_two_samples_are_legal():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", mercer.errors.DataWarning)  # that all are equal
        X, y = np.ones((20, 2)), np.arange(20) % 2
        np.testing.assert_allclose(
            KernelLogisticRegression().fit(X, y).predict_proba(X), 0.5, atol=1e-9
        )
        skew = KernelLogisticRegression().fit(X, np.arange(20) < 5)
        np.testing.assert_allclose(skew.predict_proba(X)[:, 1], 0.25, atol=1e-6)
        X[:, 1] = np.arange(20)
        KernelLogisticRegression().fit(np.vstack([X, X]), np.concatenate([y, 1 - y]))
        KernelLogisticRegression().fit(X, np.arange(20) % 3)
        two = KernelLogisticRegression(kernel=RBF()).fit([[0.0], [3.0]], ["a", "b"])
    assert two.predict([[0.1], [2.9]]).tolist() == ["a", "b"]


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"y": np.zeros(30)}, "greater than one"),
        ({"y": np.full(30, np.nan)}, "NaN"),
        ({"y": np.linspace(0, 1, 30)}, "continuous"),
        ({"y": None}, "requires y"),
        ({"y": np.array([0, 1] * 14)}, "inconsistent"),
        ({"X": np.full((30, 2), np.nan)}, "NaN"),
        ({"X": [["a", "b"]] * 30}, "could not convert|numeric|string"),
        ({"sample_weight": -np.ones(30)}, ">= 0"),
        ({"sample_weight": np.zeros(30)}, "zero or negative"),
        ({"sample_weight": np.full(30, np.nan)}, "finite"),
        ({"sample_weight": np.ones(7)}, "each of the 30"),
        ({"sample_weight": np.arange(30) % 2}, "positive weight"),
    ],
    ids=lambda v: str(v)[:30],
)
def test_bad_data(change, match):
    X, y = classes(30)
    y = np.arange(30) % 2
    with pytest.raises(ValueError, match=match):
        KernelLogisticRegression().fit(**{"X": X, "y": y, **change})


@pytest.mark.parametrize(
    "options",
    [
        {"C": 0.0},
        {"C": "1"},
        {"C": np.inf},
        {"tol": 0.0},
        {"max_iter": 0},
        {"gamma": "much"},
        {"kernel": 3},
        {"kernel": "hope"},
        {"class_weight": "much"},
        {"class_weight": {0: -1.0}},
        {"class_weight": {0: np.nan}},
        {"class_weight": {0: 0.0, 1: 0.0}},
    ],
    ids=str,
)
def test_bad_parameters(options):
    X, y = classes(20)
    with pytest.raises(ValueError):
        KernelLogisticRegression(**options).fit(X, y)


def test_a_class_without_weight_gets_no_probability_by_the_bias():
    X, y = (a[::3] for a in load_iris(return_X_y=True))
    weighted = tight(class_weight={2: 0.0}, tol=1e-6).fit(X, y)
    without = tight(tol=1e-6).fit(X[y < 2], y[y < 2])
    assert (weighted.predict(X[y < 2]) == without.predict(X[y < 2])).all()


def test_refusals_after_the_fit():
    X, y = classes(30)
    with pytest.raises(NotFittedError):
        KernelLogisticRegression().predict(X)
    model = KernelLogisticRegression().fit(X, y)
    with pytest.raises(ValueError, match="features"):
        model.predict_proba(X[:, :3])
    with pytest.raises(ValueError, match="square"):
        KernelLogisticRegression(kernel="precomputed").fit(X, y)
    given = KernelLogisticRegression(kernel="precomputed").fit(RBF()(X), y)
    with pytest.raises(ValueError):
        given.predict(RBF()(X)[:, :10])
    before = model.decision_function(X)
    with pytest.raises(ValueError):
        model.fit(X, np.zeros(30))
    np.testing.assert_array_equal(model.decision_function(X), before)
