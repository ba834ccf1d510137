"""Fisher's discriminant against scikit-learn's, against the eigenproblem of explicit features, and
against ridge classification.
"""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy import linalg
from scipy.special import log_softmax
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, scale
from sklearn.utils.estimator_checks import parametrize_with_checks

import mercer
from mercer import (
    RBF,
    Jaccard,
    KernelDiscriminant,
    KernelRidgeClassifier,
    Linear,
    NegativeDistance,
    Polynomial,
    Sigmoid,
    config_context,
    errors,
)


@parametrize_with_checks([KernelDiscriminant(alpha=0.1, kernel=RBF(length_scale=2.0))])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def wine(step: int = 2):
    X, y = load_wine(return_X_y=True)
    return scale(X)[::step, :5], np.array(["one", "two", "three"])[y[::step]]


def aligned(Z, other):
    """Z with the signs of other."""
    return Z * np.sign((Z * other).sum(axis=0))


def by_definition(Phi, y, alpha, weight=None, priors=None):
    """Projection and log-posteriors from S_B v = μ (S_W + αI) v, vᵀ(S_W + αI)v = n."""
    w = np.ones(len(y)) if weight is None else weight
    n, classes = w.sum(), np.unique(y)
    mean = w @ Phi / n
    means = np.array([w[y == c] @ Phi[y == c] / w[y == c].sum() for c in classes])
    within, between = alpha * np.eye(Phi.shape[1]), np.zeros((Phi.shape[1],) * 2)
    for c, m in zip(classes, means, strict=True):
        part = Phi[y == c] - m
        within += part.T @ (w[y == c][:, None] * part)
        between += w[y == c].sum() * np.outer(m - mean, m - mean)
    shares, V = linalg.eigh(between, within)
    order = np.argsort(shares)[::-1][: len(classes) - 1]
    V, shares = V[:, order] * np.sqrt(n), shares[order]
    prior = (
        np.array([w[y == c].sum() / n for c in classes]) if priors is None else np.asarray(priors)
    )

    def posterior(features):
        Z, M = (features - mean) @ V, (means - mean) @ V
        return log_softmax(
            np.log(prior) - 0.5 * ((Z[:, None, :] - M[None]) ** 2).sum(axis=2), axis=1
        )

    return lambda features: (features - mean) @ V, posterior, shares / shares.sum()


# -- equal to scikit-learn, and to the definition
# ----------------------------------------------------------------------


@pytest.mark.parametrize("solver", ["svd", "eigen"])
@pytest.mark.parametrize("priors", [None, [0.2, 0.5, 0.3]])
def test_the_linear_kernel_is_linear_discriminant_analysis(solver, priors):
    X, y = wine(1)
    ours = KernelDiscriminant(alpha=1e-6, kernel=Linear(), priors=priors).fit(X, y)
    theirs = LinearDiscriminantAnalysis(solver=solver, priors=priors).fit(X, y)
    if priors is None:
        np.testing.assert_allclose(
            aligned(ours.transform(X), theirs.transform(X)), theirs.transform(X), atol=2e-6
        )
        np.testing.assert_allclose(
            ours.explained_variance_ratio_, theirs.explained_variance_ratio_, atol=1e-7
        )
        np.testing.assert_allclose(ours.priors_, theirs.priors_)
    if (
        priors is None or solver == "svd"
    ):  # "eigen" weighs the spread within the classes by the priors too
        np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-6)
        assert (ours.predict(X) == theirs.predict(X)).all()


def test_two_classes_are_linear_discriminant_analysis():
    X, y = (a[:100] for a in load_iris(return_X_y=True))
    ours, theirs = (
        KernelDiscriminant(alpha=1e-6, kernel=Linear()).fit(X, y),
        LinearDiscriminantAnalysis().fit(X, y),
    )
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), rtol=1e-5)
    np.testing.assert_allclose(
        aligned(ours.transform(X), theirs.transform(X)), theirs.transform(X), atol=1e-5
    )


@pytest.mark.parametrize("alpha", [1e-3, 1.0, 100.0, 1e6])
@pytest.mark.parametrize("kernel", [Polynomial(degree=2), Linear()], ids=repr)
@pytest.mark.parametrize("weighted", [False, True])
def test_the_eigenproblem_of_explicit_features(kernel, alpha, weighted):
    X, y = wine()
    weight = np.random.default_rng(0).uniform(0.1, 3.0, len(y)) if weighted else None
    new = X + 0.3
    Phi, Phi_new = np.asarray(kernel.features(X)), np.asarray(kernel.features(new))
    np.testing.assert_allclose(Phi @ Phi.T, kernel(X), atol=1e-8)
    project, posterior, ratio = by_definition(Phi, y, alpha, weight)
    model = KernelDiscriminant(alpha=alpha, kernel=kernel).fit(X, y, weight)
    expected = project(Phi_new)
    np.testing.assert_allclose(
        aligned(model.transform(new), expected),
        expected,
        atol=1e-6 * max(1.0, np.abs(expected).max()),
    )
    np.testing.assert_allclose(
        model.predict_log_proba(new), posterior(Phi_new), atol=1e-5, rtol=1e-6
    )
    np.testing.assert_allclose(model.explained_variance_ratio_, ratio, atol=1e-6)


@pytest.mark.parametrize("kernel", [RBF(length_scale=2.0), NegativeDistance()], ids=repr)
def test_infinite_features_by_the_square_root_of_the_centered_matrix(kernel):
    X, y = wine()
    n = len(y)
    H = np.eye(n) - 1 / n
    values, vectors = linalg.eigh(H @ kernel(X) @ H)
    Phi = vectors * np.sqrt(np.maximum(values, 0.0))
    project, posterior, _ = by_definition(Phi, y, 0.5)
    model = KernelDiscriminant(alpha=0.5, kernel=kernel).fit(X, y)
    np.testing.assert_allclose(aligned(model.transform(X), project(Phi)), project(Phi), atol=1e-7)
    np.testing.assert_allclose(model.predict_log_proba(X), posterior(Phi), atol=1e-6)


@pytest.mark.parametrize("kernel", [RBF(), Linear(), NegativeDistance()], ids=repr)
@pytest.mark.parametrize("alpha", [0.01, 1.0, 1e4])
def test_two_classes_have_the_direction_of_ridge_classification(kernel, alpha):
    X, y = wine()
    y = y == "one"
    ours, ridge = (
        m(alpha=alpha, kernel=kernel).fit(X, y) for m in (KernelDiscriminant, KernelRidgeClassifier)
    )
    Z, F = ours.transform(X)[:, 0], ridge.decision_function(X)
    assert abs(np.corrcoef(Z, F)[0, 1]) == pytest.approx(1.0, abs=1e-9)
    a, b = ours.dual_coef_[:, 0], ridge.dual_coef_[:, 0]
    assert abs(a @ b) == pytest.approx(np.linalg.norm(a) * np.linalg.norm(b), rel=1e-9)


def test_a_strong_penalty_leaves_the_direction_between_the_means():
    X, y = wine()
    y = y == "one"
    X, y = np.vstack([X[y][:25], X[~y][:25]]), np.repeat([1, 0], 25)
    gap = X[:25].mean(axis=0) - X[25:].mean(axis=0)
    for alpha in (1e6, 1e10, 1e15):
        model = KernelDiscriminant(alpha=alpha, kernel=Linear()).fit(X, y)
        expected = (X - X.mean(axis=0)) @ gap > 0
        assert (model.predict(X) == expected).all()


# -- what the parts say of each other
# ----------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [2, 3])
def test_predictions_probabilities_and_means_agree(k):
    X, y = wine()
    y = y if k == 3 else np.where(y == "one", "one", "else")
    model = KernelDiscriminant(alpha=0.1, kernel=RBF()).fit(X, y)
    p, logs, D = model.predict_proba(X), model.predict_log_proba(X), model.decision_function(X)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    np.testing.assert_allclose(np.exp(logs), p)
    np.testing.assert_allclose(
        D if k == 2 else D - D[:, :1],
        logs[:, 1] - logs[:, 0] if k == 2 else logs - logs[:, :1],
        atol=1e-9,
    )
    assert (model.classes_[p.argmax(axis=1)] == model.predict(X)).all()
    Z = model.transform(X)
    np.testing.assert_allclose(
        model.means_, [Z[y == c].mean(axis=0) for c in model.classes_], atol=1e-9
    )
    np.testing.assert_allclose(Z.mean(axis=0), 0.0, atol=1e-9)
    assert Z.shape == (len(y), k - 1) and (np.diff(model.explained_variance_ratio_) <= 0).all()


def test_fewer_components_are_the_first_and_predict_as_before():
    X, y = wine()
    whole, one = (KernelDiscriminant(n_components=c, kernel=RBF()).fit(X, y) for c in (None, 1))
    np.testing.assert_array_equal(one.transform(X), whole.transform(X)[:, :1])
    np.testing.assert_array_equal(one.predict_proba(X), whole.predict_proba(X))
    np.testing.assert_array_equal(
        one.explained_variance_ratio_, whole.explained_variance_ratio_[:1]
    )
    for wrong in (3, 0, 1.5):
        with pytest.raises(ValueError, match="n_components"):
            KernelDiscriminant(n_components=wrong).fit(X, y)


def test_priors():
    X, y = wine()
    even = KernelDiscriminant(priors=[1 / 3] * 3, kernel=RBF()).fit(X, y)
    skew = KernelDiscriminant(priors=[0.6, 0.3, 0.1], kernel=RBF()).fit(X, y)
    np.testing.assert_allclose(
        skew.predict_log_proba(X),
        log_softmax(even.predict_log_proba(X) + np.log([0.6, 0.3, 0.1]), axis=1),
        atol=1e-10,
    )
    never = KernelDiscriminant(priors=[0.5, 0.5, 0.0], kernel=RBF()).fit(X, y)
    assert not never.predict_proba(X)[:, 2].any() and "two" not in never.predict(X)
    binary = KernelDiscriminant(priors=[0.0, 1.0], kernel=RBF()).fit(X, y == "one")
    assert binary.predict(X).all()
    for wrong in (
        [0.5, 0.5],
        [-0.1, 0.6, 0.5],
        [0.0, 0.0, 0.0],
        [np.nan, 0.5, 0.5],
        [np.inf, 1.0, 1.0],
        ["a", "b", "c"],
        0.5,
    ):
        with pytest.raises(ValueError):
            KernelDiscriminant(priors=wrong).fit(X, y)


def test_frames_come_out_named():
    X, y = wine()
    frame = pd.DataFrame(X, columns=list("abcde"), index=np.arange(len(X)) + 7)
    made = KernelDiscriminant(kernel=RBF()).set_output(transform="pandas").fit_transform(frame, y)
    assert made.columns.tolist() == [
        "kerneldiscriminant0",
        "kerneldiscriminant1",
    ] and made.index.equals(frame.index)
    model = KernelDiscriminant(kernel=RBF(), n_components=1).fit(frame, y)
    assert model.get_feature_names_out().tolist() == ["kerneldiscriminant0"]
    assert model.transform(frame).shape == (len(X), 1) and model.feature_names_in_.tolist() == list(
        "abcde"
    )


def test_a_weight_is_a_number_of_copies(rng):
    X, y = wine()
    weight = rng.integers(0, 3, len(y))
    rows = np.repeat(np.arange(len(y)), weight)
    for kernel in (RBF(), NegativeDistance()):
        a, b = (
            KernelDiscriminant(kernel=kernel).fit(*args)
            for args in ((X, y, weight), (X[rows], y[rows]))
        )
        np.testing.assert_allclose(a.transform(X), b.transform(X), atol=1e-8)
        np.testing.assert_allclose(a.predict_proba(X), b.predict_proba(X), atol=1e-8)
        np.testing.assert_allclose(a.priors_, b.priors_)


# -- kernels of every sort
# ---------------------------------------------------------------------------------------------


def test_ways_to_name_a_kernel():
    X, y = wine()
    expected = KernelDiscriminant(kernel=RBF(length_scale=2.0)).fit(X, y).transform(X)
    for kernel in ("rbf", "RBF(length_scale=2.0)"):
        np.testing.assert_allclose(
            KernelDiscriminant(kernel=kernel, gamma=0.125).fit(X, y).transform(X),
            expected,
            atol=1e-8,
        )
    K = RBF(length_scale=2.0)(X)
    kept = K.copy()
    given = KernelDiscriminant(kernel="precomputed")
    np.testing.assert_allclose(clone(given).fit(K, y).transform(K), expected, atol=1e-8)
    np.testing.assert_array_equal(K, kept)
    np.testing.assert_allclose(
        cross_val_score(given, K, y, scoring="neg_log_loss"),
        cross_val_score(
            KernelDiscriminant(kernel=RBF(length_scale=2.0)), X, y, scoring="neg_log_loss"
        ),
        atol=1e-8,
    )


def test_sets_in_a_pipeline_and_a_search():
    sets = [{"a", "b"}, {"a", "c"}, {"x", "y"}, {"y", "z"}] * 8
    y = np.array(["low", "low", "high", "high"] * 8)
    model = make_pipeline(FunctionTransformer(list), KernelDiscriminant(kernel=Jaccard()))
    assert model.fit(sets, y).predict([{"a"}, {"x", "q"}]).tolist() == ["low", "high"]
    assert model.transform(sets).shape == (32, 1)
    assert cross_val_score(model, sets, y, cv=4).mean() == 1.0
    X, y = wine()
    search = GridSearchCV(
        KernelDiscriminant(kernel=RBF()), {"kernel__length_scale": [0.01, 3.0]}, cv=3
    ).fit(X, y)
    assert search.best_params_ == {"kernel__length_scale": 3.0}


@pytest.mark.parametrize("kernel", ["rbf", RBF(), Linear()], ids=repr)
def test_sparse_rows_are_dense_rows(kernel):
    X, y = wine()
    X = np.where(np.abs(X) > 0.7, X, 0.0)
    dense, sparse = (
        KernelDiscriminant(kernel=kernel).fit(X, y),
        KernelDiscriminant(kernel=kernel).fit(sp.csr_matrix(X), y),
    )
    np.testing.assert_allclose(sparse.transform(sp.csr_matrix(X)), dense.transform(X), atol=1e-8)


def test_definiteness():
    X, y = wine()
    assert KernelDiscriminant(kernel=NegativeDistance()).fit(X, y).score(X, y) > 0.8
    with pytest.raises(errors.DefinitenessError, match="Sigmoid"):
        KernelDiscriminant(kernel=Sigmoid(scale=0.5)).fit(X, y)


# -- what must hold
# --------------------------------------------------------------------------------------------------


def test_shifting_the_data_changes_nothing():
    X, y = wine()
    X = np.round(X * 2**20) / 2**20
    near, far = (KernelDiscriminant(kernel=RBF(length_scale=2.0)).fit(x, y) for x in (X, X + 1e6))
    np.testing.assert_allclose(near.transform(X), far.transform(X + 1e6), atol=1e-8)
    np.testing.assert_allclose(near.predict_proba(X), far.predict_proba(X + 1e6), atol=1e-8)


@pytest.mark.parametrize("budget", ["8 GB", "1 MB"])
def test_bits_do_not_depend_on_threads(budget):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((600, 3)), rng.integers(0, 3, 600)
    found = []
    for threads in (1, 2):
        with config_context(threads=threads, memory_budget=budget):
            model = KernelDiscriminant(kernel=RBF(length_scale=2.0)).fit(X, y)
            found.append((model.dual_coef_, model.transform(X)))
    assert all(np.array_equal(a, b) for a, b in zip(*found, strict=True))


@pytest.mark.parametrize("kernel", [RBF(length_scale=2.0), NegativeDistance()], ids=repr)
@pytest.mark.parametrize("weighted", [False, True])
def test_a_small_memory_budget_changes_the_way_only(kernel, weighted):
    X, y = wine(1)
    weight = np.random.default_rng(0).uniform(0.1, 3.0, len(y)) if weighted else None
    roomy = KernelDiscriminant(alpha=0.1, kernel=kernel).fit(X, y, weight)
    with config_context(memory_budget="100 kB"):
        narrow = KernelDiscriminant(alpha=0.1, kernel=kernel).fit(X, y, weight)
    assert "tiles" in narrow.report_.plan and "dense" in roomy.report_.plan
    np.testing.assert_allclose(narrow.transform(X), roomy.transform(X), atol=1e-5)
    np.testing.assert_allclose(narrow.predict_proba(X), roomy.predict_proba(X), atol=1e-5)


def test_duplicates_constants_and_two_samples_are_legal():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", mercer.errors.DataWarning)  # that all are equal
        X, y = np.ones((20, 2)), np.arange(20) % 2
        flat = KernelDiscriminant().fit(X, y)
        np.testing.assert_allclose(flat.predict_proba(X), 0.5, atol=1e-6)
        assert (
            np.isfinite(flat.transform(X)).all()
            and np.isfinite(flat.explained_variance_ratio_).all()
        )
        X[:, 1] = np.arange(20)
        assert np.isfinite(
            KernelDiscriminant(kernel=Linear())
            .fit(np.vstack([X, X]), np.concatenate([y, 1 - y]))
            .transform(X)
        ).all()
        two = KernelDiscriminant(kernel=RBF()).fit([[0.0], [3.0]], ["a", "b"])
        line = KernelDiscriminant(kernel=Linear()).fit(
            [[0.0], [1.0], [5.0], [6.0], [9.0], [10.0]], [0, 0, 1, 1, 2, 2]
        )
    assert two.predict([[0.1], [2.9]]).tolist() == ["a", "b"]
    assert (
        line.predict([[0.4], [5.5], [9.6]]).tolist() == [0, 1, 2]
        and line.explained_variance_ratio_[1] < 1e-9
    )


# -- refusals
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"y": np.zeros(30)}, "greater than one"),
        ({"y": np.full(30, np.nan)}, "NaN"),
        ({"y": np.linspace(0, 1, 30)}, "continuous"),
        ({"y": None}, "requires y"),
        ({"X": np.full((30, 2), np.nan)}, "NaN"),
        ({"X": [["a", "b"]] * 30}, "could not convert|numeric|string"),
        ({"sample_weight": -np.ones(30)}, ">= 0"),
        ({"sample_weight": np.zeros(30)}, "zero or negative"),
        ({"sample_weight": np.arange(30) % 2}, "positive weight"),
        ({"sample_weight": np.ones(7)}, "each of the 30"),
    ],
    ids=lambda v: str(v)[:30],
)
def test_bad_data(change, match):
    X = np.arange(60.0).reshape(30, 2)
    with pytest.raises(ValueError, match=match):
        KernelDiscriminant().fit(**{"X": X, "y": np.arange(30) % 2, **change})


@pytest.mark.parametrize(
    "options",
    [
        {"alpha": 0.0},
        {"alpha": -1.0},
        {"alpha": "1"},
        {"kernel": 3},
        {"kernel": "hope"},
        {"gamma": "much"},
    ],
    ids=str,
)
def test_bad_parameters(options):
    with pytest.raises(ValueError):
        KernelDiscriminant(**options).fit(*wine())


def test_refusals_after_the_fit():
    X, y = wine()
    with pytest.raises(NotFittedError):
        KernelDiscriminant().predict(X)
    with pytest.raises(NotFittedError):
        KernelDiscriminant().transform(X)
    model = KernelDiscriminant().fit(X, y)
    with pytest.raises(ValueError, match="features"):
        model.transform(X[:, :2])
    with pytest.raises(ValueError, match="square"):
        KernelDiscriminant(kernel="precomputed").fit(X, y)
    with pytest.raises(ValueError):
        KernelDiscriminant(kernel="precomputed").fit(RBF()(X), y).predict(RBF()(X)[:, :10])
