"""Labels that spread, against scikit-learn's classes and closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import semi_supervised
from sklearn.datasets import make_classification, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.neighbors import NearestNeighbors

from mercer import RBF, LabelPropagation, LabelSpreading, errors

BOTH = [LabelPropagation, LabelSpreading]


def half_labeled() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    X, y = make_classification(150, n_classes=3, n_informative=3, n_redundant=0, random_state=0)
    y[::2] = -1
    return X[:120, :4], y[:120], X[120:, :4]


@pytest.mark.parametrize("ours", BOTH)
@pytest.mark.parametrize("kernel", ["rbf", "knn", lambda a, b: rbf_kernel(a, b, gamma=0.3)])
def test_as_scikit_learn(ours, kernel):
    X, y, new = half_labeled()
    parameters = {"kernel": kernel, "gamma": 0.3, "tol": 1e-8, "max_iter": 5000}
    model = ours(**parameters).fit(X, y)
    theirs = getattr(semi_supervised, ours.__name__)(**parameters).fit(X, y)
    np.testing.assert_allclose(model.label_distributions_, theirs.label_distributions_, atol=1e-7)
    np.testing.assert_array_equal(model.transduction_, theirs.transduction_)
    np.testing.assert_allclose(model.predict_proba(new), theirs.predict_proba(new), atol=1e-7)
    np.testing.assert_array_equal(model.predict(new), theirs.predict(new))


def test_the_steady_state_is_the_closed_form():
    X, y, _ = half_labeled()
    alpha = 0.4
    model = LabelSpreading(kernel=RBF(), alpha=alpha, tol=1e-12, max_iter=5000).fit(X, y)
    W = RBF()(X)
    np.fill_diagonal(W, 0.0)
    root = 1 / np.sqrt(W.sum(axis=1))
    S = root[:, None] * W * root
    Y = (y[:, None] == model.classes_).astype(float)
    F = np.linalg.solve(np.eye(len(X)) - alpha * S, (1 - alpha) * Y)
    np.testing.assert_allclose(
        model.label_distributions_, F / F.sum(axis=1, keepdims=True), atol=1e-9
    )


@pytest.mark.parametrize("estimator", BOTH)
def test_two_labels_are_enough_for_two_moons(estimator):
    X, y = make_moons(200, noise=0.04, random_state=0)
    partial = np.full(200, -1)
    for c in (0, 1):
        partial[np.flatnonzero(y == c)[0]] = c
    model = estimator(kernel=RBF(0.1), max_iter=5000, tol=1e-2)
    if estimator is LabelSpreading:
        model.set_params(alpha=0.99)
    assert (model.fit(X, partial).transduction_ == y).mean() == 1.0


@pytest.mark.parametrize("estimator", BOTH)
def test_bad_input(estimator):
    X, y, new = half_labeled()
    with pytest.raises(errors.ParameterError, match="needs a label"):
        estimator().fit(X, np.full(len(X), -1))
    with pytest.raises(errors.ParameterError, match="negative affinities"):
        estimator(kernel=lambda a, b: -rbf_kernel(a, b)).fit(X, y)
    with pytest.warns(ConvergenceWarning, match="max_iter=1 was reached"):
        estimator(kernel=RBF(), max_iter=1).fit(X, y)
    far = estimator(kernel=RBF(), max_iter=1000).fit(X, y).predict_proba(1e6 + new)
    np.testing.assert_allclose(far, 1 / 3)


def few_neighbors(X, Y):
    """A function of whole collections, with a sparse matrix."""
    links = NearestNeighbors(n_neighbors=10).fit(X).kneighbors_graph(Y, mode="distance")
    links.data = np.exp(-(links.data**2))
    return links.T


@pytest.mark.parametrize("ours", BOTH)
def test_a_function_may_give_a_sparse_graph_of_all_samples(ours):
    X, y, new = half_labeled()
    model = ours(kernel=few_neighbors, max_iter=5000).fit(X, y)
    theirs = getattr(semi_supervised, ours.__name__)(kernel=few_neighbors, max_iter=5000)
    theirs.fit(X, y)
    np.testing.assert_allclose(model.label_distributions_, theirs.label_distributions_, atol=1e-7)
    np.testing.assert_allclose(model.predict_proba(new), theirs.predict_proba(new), atol=1e-7)
