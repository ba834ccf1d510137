"""Probabilities fitted on rows held out."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.metrics import log_loss

import mercer
from mercer import RBF, SVC, CalibratedProbabilities, KernelRidgeClassifier, Spectrum
from mercer.errors import ParameterError
from mercer.estimators.conformal.links import LINKS, log_odds, logarithms


def data(n=400, seed=0, n_classes=2):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    return rng.standard_normal((n, 2)) + 1.2 * y[:, None], y


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("method", LINKS)
def test_they_improve_on_what_margins_suggest(n_classes, method):
    X, y = data(600, n_classes=n_classes)
    model = CalibratedProbabilities(SVC(C=100.0), method).fit(X[:300], y[:300])
    p = model.predict_proba(X[300:])
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    raw = model._ask(model.estimator_, X[300:])
    if method == "isotonic":  # which may say 0
        p = 0.999 * p + 0.001 / n_classes
    assert log_loss(y[300:], p) < log_loss(y[300:], raw) + 0.01
    np.testing.assert_array_equal(model.predict(X[300:]), model.classes_[p.argmax(axis=1)])
    assert "log-loss of rows held out" in str(model.report_)


def test_two_classes_are_platts():
    rng = np.random.default_rng(0)
    f = rng.standard_normal(200) * 3
    y = (f + rng.standard_normal(200) > 0.7).astype(int)
    z = np.column_stack([-f, f])
    link = LINKS["sigmoid"](z, y, np.ones(200))
    up, down = (y.sum() + 1) / (y.sum() + 2), 1 / ((1 - y).sum() + 2)
    target = np.where(y == 1, up, down)

    def platt(parameters):
        p = 1 / (1 + np.exp(-parameters[0] * f - parameters[1]))
        return -np.mean(target * np.log(p) + (1 - target) * np.log1p(-p))

    best = minimize(platt, [1.0, 0.0], method="BFGS", options={"gtol": 1e-7}).x
    expected = 1 / (1 + np.exp(-best[0] * f - best[1]))
    np.testing.assert_allclose(link(z)[:, 1], expected, atol=1e-4)
    temperature = LINKS["temperature"](z, y, np.ones(200))
    assert (temperature.biases == 0).all()
    assert ((temperature(z)[:, 1] > 0.5) == (f > 0)).all()
    np.testing.assert_allclose(log_odds(z)[:, 1], 2 * f)
    assert np.isfinite(logarithms(np.zeros(3))).all()


def test_weights_are_copies_for_the_link():
    rng = np.random.default_rng(0)
    z = logarithms(rng.dirichlet(np.ones(3), 50))
    y, weight = rng.integers(0, 3, 50), rng.integers(1, 4, 50)
    for method in LINKS:
        weighted = LINKS[method](z, y, weight.astype(float))
        copied = LINKS[method](
            np.repeat(z, weight, axis=0), np.repeat(y, weight), np.ones(weight.sum())
        )
        np.testing.assert_allclose(weighted(z), copied(z), atol=1e-5)


def test_closed_forms_hold_each_row_out():
    X, y = data(60, n_classes=3)
    estimator = KernelRidgeClassifier(alpha=0.5, kernel=RBF())
    model = CalibratedProbabilities(estimator).fit(X, y)
    assert "60 models" in model.report_.plan and "closed form" in model.report_.plan
    folds = CalibratedProbabilities(SVC(), cv=3).fit(X, y)
    assert "3 models fitted" in folds.report_.plan


def test_strings_files_and_matrices(tmp_path):
    rng = np.random.default_rng(0)
    words = ["".join(rng.choice(list("ab"), 8)) for _ in range(60)]
    y = np.array(["few", "many"])[[int(word.count("aa") > 1) for word in words]]
    k = Spectrum(2)
    model = CalibratedProbabilities(SVC(kernel=k)).fit(words, y)
    mercer.save(model, tmp_path / "model")
    p = model.predict_proba(words)
    np.testing.assert_array_equal(mercer.load(tmp_path / "model").predict_proba(words), p)
    matrix = CalibratedProbabilities(SVC(kernel="precomputed")).fit(k(words), y)
    np.testing.assert_allclose(matrix.predict_proba(k(words)), p, atol=1e-4)
    step = CalibratedProbabilities(SVC(kernel=k), "isotonic").fit(words, y)
    mercer.save(step, tmp_path / "step")
    again = mercer.load(tmp_path / "step").predict_proba(words)
    np.testing.assert_array_equal(again, step.predict_proba(words))
    assert clone(step).method == "isotonic"


def test_refusals():
    X, y = data(40)
    with pytest.raises(ParameterError, match="method = 'beta'"):
        CalibratedProbabilities(SVC(), "beta").fit(X, y)
    with pytest.raises(ValueError, match="greater than one; got 1 class"):
        CalibratedProbabilities(SVC()).fit(X, np.zeros(40, dtype=int))
    alone = y.copy()
    alone[0] = 2  # a class of one row is held out with the others, and then unknown
    assert CalibratedProbabilities(SVC()).fit(X, alone).predict_proba(X).shape == (40, 3)
