"""Support vector classification against scikit-learn: decisions, layout, weights, probabilities,
refusals.
"""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.svm as theirs
from sklearn.datasets import load_iris, load_wine
from sklearn.preprocessing import scale

import mercer
from mercer import SVC, SVR, NuSVC, errors
from mercer.estimators.svm.probability import steepness


@pytest.mark.parametrize("C", [0.1, 1.0, 100.0])
@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
def test_svc_decisions(classes, dual_objective, kernel, C):
    X, y = classes()
    options = {"C": C, "kernel": kernel, "gamma": 0.1, "coef0": 1.0, "degree": 2, "tol": 1e-6}
    ours, other = SVC(**options).fit(X, y), theirs.SVC(**options).fit(X, y)
    np.testing.assert_allclose(ours.decision_function(X), other.decision_function(X), atol=1e-3)
    assert (ours.predict(X) == other.predict(X)).all()
    K = ours.kernel_(X)
    sign = np.where(y == 1, 1.0, -1.0)
    values = []
    for model in (ours, other):
        beta = np.zeros(len(y))
        beta[model.support_] = model.dual_coef_[0]
        values.append(dual_objective(K, beta, sign))
    assert values[0] <= values[1] + 1e-4 * abs(values[1])


@pytest.mark.parametrize("data", [load_iris, load_wine])
@pytest.mark.parametrize("shape", ["ovr", "ovo"])
def test_multiclass_layout(data, shape):
    X, y = data(return_X_y=True)
    X = scale(X)
    labels = np.array(["one", "two", "three"])[y]
    ours = SVC(tol=1e-8, decision_function_shape=shape).fit(X, labels)
    other = theirs.SVC(tol=1e-8, decision_function_shape=shape).fit(X, labels)
    assert ours.classes_.tolist() == other.classes_.tolist()
    np.testing.assert_allclose(ours.decision_function(X), other.decision_function(X), atol=1e-4)
    assert (ours.predict(X) == other.predict(X)).all()
    assert np.abs(ours.n_support_ - other.n_support_).max() <= 2
    np.testing.assert_allclose(ours.intercept_, other.intercept_, atol=1e-4)
    whole = np.zeros((2, 2, len(y)))
    for at, model in enumerate((ours, other)):
        whole[at][:, model.support_] = model.dual_coef_
    if data is load_wine:  # iris has equal rows, whose coefficients may be exchanged
        np.testing.assert_allclose(whole[0], whole[1], atol=1e-3)
    np.testing.assert_array_equal(ours.support_vectors_, X[ours.support_])


def test_break_ties_and_shapes(classes):
    X, y = classes(150, 4)
    model = SVC(break_ties=True).fit(X, y)
    assert (model.predict(X) == model.classes_[np.argmax(model.decision_function(X), axis=1)]).all()
    with pytest.raises(ValueError, match="break_ties"):
        SVC(break_ties=True, decision_function_shape="ovo").fit(X, y).predict(X)
    assert SVC(decision_function_shape="ovo").fit(X, y).decision_function(X).shape == (150, 6)


def test_nu_svc(classes):
    X, y = classes(150, 3)
    ours, other = NuSVC(nu=0.3, tol=1e-8).fit(X, y), theirs.NuSVC(nu=0.3, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(ours.decision_function(X), other.decision_function(X), atol=1e-3)
    assert (ours.predict(X) == other.predict(X)).all()


def test_class_weights(classes):
    X, y = classes(120, 3)
    for weights in ("balanced", {0: 1.0, 1: 5.0, 2: 0.5}):
        ours, other = (
            SVC(class_weight=weights, tol=1e-8).fit(X, y),
            theirs.SVC(class_weight=weights, tol=1e-8).fit(X, y),
        )
        np.testing.assert_allclose(ours.decision_function(X), other.decision_function(X), atol=1e-4)
        np.testing.assert_allclose(ours.class_weight_, other.class_weight_)


@pytest.mark.parametrize("k", [2, 4])
def test_probabilities_agree_with_predictions(classes, k):
    X, y = classes(200, k)
    model = SVC(probability=True, random_state=0).fit(X, y)
    p = model.predict_proba(X)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    assert (model.classes_[p.argmax(axis=1)] == model.predict(X)).all()
    if k == 2:
        assert ((p[:, 1] > 0.5) == (model.decision_function(X) > 0)).all()
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), p)
    with pytest.raises(AttributeError, match="predict_proba"):
        SVC().fit(X, y).predict_proba(X)


@pytest.mark.parametrize(
    ("change", "error", "match"),
    [
        ({"y": np.zeros(30)}, ValueError, "greater than one"),
        ({"y": np.full(30, np.nan)}, ValueError, "NaN"),
        ({"sample_weight": -np.ones(30)}, errors.ParameterError, ">= 0"),
        ({"sample_weight": np.zeros(30)}, errors.ParameterError, "zero or negative"),
        ({"sample_weight": np.ones(7)}, errors.ShapeError, "each of the 30"),
        ({"y": np.array([0, 1] * 14)}, ValueError, "inconsistent"),
    ],
    ids=lambda v: str(v)[:30],
)
def test_bad_data(classes, change, error, match):
    X, y = classes(30)
    arguments = {"X": X, "y": y, **change}
    with pytest.raises(error, match=match):
        SVC().fit(**arguments)


def test_infeasible_nu_says_the_bound(classes):
    X, y = classes(40)
    y[:] = 0
    y[:4] = 1
    with pytest.raises(ValueError, match=r"nu = 0\.5.*at most 0\.2"):
        NuSVC(nu=0.5).fit(X, y)


def test_mercer_svc_is_importable_lazily():
    assert mercer.SVC is SVC


@pytest.mark.parametrize("kind", [SVC, SVR])
def test_a_matrix_may_lie_in_memory_as_it_likes(kind):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 3))
    K, y = mercer.RBF()(X), rng.integers(0, 4, 40)
    expected = kind(kernel="precomputed").fit(K, y).dual_coef_
    fixed = K.copy()
    fixed.flags.writeable = False
    for other in (
        np.asfortranarray(K),
        np.repeat(np.repeat(K, 2, axis=0), 2, axis=1)[::2, ::2],
        fixed,
        K.tolist(),
    ):
        assert np.array_equal(kind(kernel="precomputed").fit(other, y).dual_coef_, expected)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_steepness_of_probabilities_counts_samples_by_their_weights(n_classes):
    rng = np.random.default_rng(0)
    margins = rng.standard_normal((60, n_classes))
    labels = np.argmax(margins + rng.standard_normal((60, n_classes)), axis=1)
    weight = rng.integers(0, 4, 60)
    rows = np.repeat(np.arange(60), weight)
    copies = steepness(margins[rows], labels[rows], np.ones(len(rows)))
    assert steepness(margins, labels, weight) == pytest.approx(copies, rel=1e-6)
    assert steepness(margins, labels, np.ones(60)) != pytest.approx(copies, rel=1e-2)


@pytest.mark.parametrize(
    "model",
    [SVC(probability=True, random_state=0), NuSVC(nu=0.2, probability=True, random_state=0)],
)
def test_probabilities_are_calibrated_with_weights(classes, model):
    """Wrong labels of little weight do not make probabilities less sharp."""
    X, y = classes()
    weight = np.ones(len(y))
    weight[::5] = 1e-6
    wrong = np.where(weight < 1, 1 - y, y)
    sharp = model.fit(X, wrong, weight)._steepness
    assert sharp > 0.8 * model.fit(X[weight == 1], y[weight == 1])._steepness
    assert sharp > 1.5 * model.fit(X, wrong)._steepness


@pytest.mark.parametrize("model", [SVC(), NuSVC(nu=0.2)])
def test_without_probability_the_error_says_what_to_do(model):
    X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
    assert not hasattr(model.fit(X, y), "predict_proba")
    with pytest.raises(AttributeError, match=r"probability=True.*CalibratedProbabilities"):
        model.predict_log_proba(X)
    assert "probabilities" in type(model).predict_proba.__doc__
