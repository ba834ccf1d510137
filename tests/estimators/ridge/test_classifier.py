"""The least-squares SVM against its linear system, and leave-one-out against leaving one out."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.preprocessing import scale
from sklearn.utils.estimator_checks import parametrize_with_checks

from mercer import (
    RBF,
    Jaccard,
    KernelRidgeClassifier,
    Linear,
    NegativeDistance,
    OneClassSVM,
    errors,
)


@parametrize_with_checks([KernelRidgeClassifier(leave_one_out=True, kernel=RBF())])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def two(n: int = 80):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 3))
    return X, np.where(np.hypot(X[:, 0], X[:, 1]) + 0.2 * rng.standard_normal(n) > 1.1, "out", "in")


def test_the_linear_system_of_the_definition():
    X, y = two()
    model = KernelRidgeClassifier(alpha=0.3, kernel=RBF()).fit(X, y)
    sign = np.where(y == model.classes_[1], 1.0, -1.0)
    n = len(y)
    system = np.block(
        [[RBF()(X) + 0.3 * np.eye(n), np.ones((n, 1))], [np.ones((1, n)), np.zeros((1, 1))]]
    )
    exact = np.linalg.solve(system, np.append(sign, 0.0))
    np.testing.assert_allclose(model.dual_coef_[:, 0], exact[:-1], atol=1e-9)
    assert model.intercept_[0] == pytest.approx(exact[-1], abs=1e-9)
    assert model.report_.identity < 1e-8


def test_the_linear_kernel_is_ridge_classification():
    X, y = load_wine(return_X_y=True)
    X = scale(X)
    ours, theirs = (
        KernelRidgeClassifier(alpha=2.0, kernel=Linear()).fit(X, y),
        RidgeClassifier(alpha=2.0).fit(X, y),
    )
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-8)


@pytest.mark.parametrize("kernel", [RBF(), NegativeDistance()], ids=repr)
def test_leave_one_out(kernel):
    for X, y in (two(40), tuple(a[::4] for a in load_iris(return_X_y=True))):
        model = KernelRidgeClassifier(alpha=0.5, kernel=kernel, leave_one_out=True).fit(X, y)
        slow = cross_val_predict(
            clone(model).set_params(leave_one_out=False),
            X,
            y,
            cv=LeaveOneOut(),
            method="decision_function",
        )
        np.testing.assert_allclose(model.loo_decision_, slow, atol=1e-8)
        assert 0.5 < model.loo_accuracy_ <= 1.0


def test_leave_one_out_accuracy_counts_samples_by_their_weights():
    """Weights of classes are of the loss, not of the samples."""
    X, y = two(40)
    weight = np.random.default_rng(1).integers(0, 4, len(y)).astype(float)
    options = {"alpha": 0.5, "kernel": RBF(0.3), "leave_one_out": True}
    for class_weight in (None, {"in": 3.0}):
        model = KernelRidgeClassifier(class_weight=class_weight, **options).fit(X, y, weight)
        right = model.classes_[(model.loo_decision_ > 0).astype(int)] == y[weight > 0]
        expected = np.average(right, weights=weight[weight > 0])
        assert right.mean() != expected
        assert model.loo_accuracy_ == pytest.approx(expected, abs=1e-12)


def test_weights_are_copies():
    X, y = two()
    weight = np.random.default_rng(1).integers(0, 3, len(y))
    rows = np.repeat(np.arange(len(y)), weight)
    a, b = (
        KernelRidgeClassifier(kernel=RBF()).fit(*args)
        for args in ((X, y, weight), (X[rows], y[rows]))
    )
    np.testing.assert_allclose(a.decision_function(X), b.decision_function(X), atol=1e-9)


def test_sets_and_precomputed():
    sets = [{"a", "b"}, {"a"}, {"x"}, {"x", "y"}, {"p"}, {"p", "q"}] * 4
    y = np.array([0, 0, 1, 1, 2, 2] * 4)
    model = KernelRidgeClassifier(kernel=Jaccard()).fit(sets, y)
    assert model.predict([{"b", "a"}, {"y"}, {"q"}]).tolist() == [0, 1, 2]
    X, y = two()
    K = RBF()(X)
    given, made = (
        KernelRidgeClassifier(kernel="precomputed").fit(K, y),
        KernelRidgeClassifier(kernel=RBF()).fit(X, y),
    )
    np.testing.assert_allclose(given.decision_function(K), made.decision_function(X), atol=1e-9)


def test_refusals():
    X, y = two()
    with pytest.raises(ValueError, match="greater than one"):
        KernelRidgeClassifier().fit(X, np.zeros(len(y)))
    with pytest.raises(errors.ParameterError):
        KernelRidgeClassifier().fit(X, y, -np.ones(len(y)))
    with pytest.raises(ValueError):
        KernelRidgeClassifier(alpha=0.0).fit(X, y)
    with pytest.raises(errors.DefinitenessError):
        OneClassSVM(kernel=NegativeDistance()).fit(X)
