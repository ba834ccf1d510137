"""Sets of labels against their definitions, and simulated coverage, also of each class."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier

import mercer
from mercer import (
    RBF,
    SVC,
    ConformalClassifier,
    KernelLogisticRegression,
    KernelRidgeClassifier,
    Spectrum,
)
from mercer.errors import ParameterError, ShapeError
from mercer.estimators.conformal.set_scores import SetScore
from mercer.estimators.held_out.outputs import of_decisions, probabilities

LEAST_SQUARES = KernelRidgeClassifier(alpha=0.5, kernel=RBF())
LOGISTIC = KernelLogisticRegression(5.0, kernel=RBF())


def data(n=80, seed=0, n_classes=3):
    rng = np.random.default_rng(seed)
    y = rng.choice(
        n_classes, n, p=np.array([0.6, 0.25, 0.15])[:n_classes] / [1, 0.85][n_classes == 2]
    )
    return rng.standard_normal((n, 2)) + 1.3 * y[:, None], np.array(["a", "b", "c"])[y]


# -- scores --------------------------------------------------------------------------------------


def gathered(p, label, u, penalty=0.0, allowed=0):
    """The definition of APS and RAPS: labels one by one, in descending order of probability."""
    before = 0.0
    for place, each in enumerate(sorted(range(len(p)), key=lambda c: (-p[c], c)), start=1):
        if each == label:
            return before + u * p[each] + penalty * max(place - allowed, 0)
        before += p[each]
    raise AssertionError


@settings(max_examples=50, deadline=None)
@given(
    weights=st.lists(st.integers(0, 5), min_size=2, max_size=6).filter(any),
    u=st.floats(0.0, 1.0),
    penalty=st.floats(0.0, 1.0),
    allowed=st.integers(0, 3),
)
def test_scores_are_their_definitions(weights, u, penalty, allowed):
    p = np.array(weights) / sum(weights)
    aps, raps = SetScore("aps", penalty, allowed), SetScore("raps", penalty, allowed)
    for label in range(len(p)):
        assert aps(p[None], np.array([u]))[0, label] == pytest.approx(gathered(p, label, u))
        expected = gathered(p, label, u, penalty, allowed)
        assert raps(p[None], np.array([u]))[0, label] == pytest.approx(expected)
    np.testing.assert_allclose(SetScore("lac", 0, 0)(p[None], 1.0)[0], 1 - p)


def test_decisions_as_probabilities():
    values = np.array([0.3, -2.0])
    np.testing.assert_allclose(of_decisions(values)[:, 1], 1 / (1 + np.exp(-2 * values)))
    assert of_decisions(np.zeros((4, 3))).tolist() == [[1 / 3] * 3] * 4
    X, y = data()
    few = SVC().fit(X[y != "b"], y[y != "b"])
    whole = probabilities(few, X, np.array(["a", "b", "c"]))
    assert (whole[:, 1] == 0).all() and whole.sum(axis=1) == pytest.approx(1.0)


# -- sets ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("conformity", ["aps", "raps", "lac"])
@pytest.mark.parametrize("by_class", [False, True])
def test_split_sets_are_the_plain_formula(conformity, by_class):
    X, y = data(200)
    options = {"conformity": conformity, "by_class": by_class, "calibration": 0.5}
    model = ConformalClassifier(LOGISTIC, **options).fit(X[:150], y[:150])
    assert model.method_ == "split"
    sets = model.predict_set(X[150:], 0.8)
    p = model.predict_proba(X[150:])
    scores = model.conformity_(p, model._draws(50, 2))
    for label in range(3):
        own = np.sort(model.scores_[model.labels_ == label] if by_class else model.scores_)
        level = own[math.ceil(0.8 * (len(own) + 1) - 1e-12) - 1]
        np.testing.assert_array_equal(sets.members[:, label], scores[:, label] <= level)


@pytest.mark.parametrize("method", ["jackknife+", "cv+"])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("conformity", ["aps", "lac"])
def test_least_squares_sets_are_those_of_all_fits(method, n_classes, conformity):
    X, y = data(60, n_classes=n_classes)
    options = {"conformity": conformity, "cv": 5}
    model = ConformalClassifier(LEAST_SQUARES, method, **options).fit(X, y)
    again = ConformalClassifier(LEAST_SQUARES, method, refit=True, **options).fit(X, y)
    np.testing.assert_allclose(model.scores_, again.scores_, atol=1e-10)
    new = data(50, 1)[0]
    sets = model.predict_set(new)
    np.testing.assert_array_equal(sets.members, again.predict_set(new).members)
    # the definition, one label at a time
    u = model._draws(50, 2)
    for row, label in ((0, 0), (7, 1), (33, n_classes - 1)):
        below = 0
        for group, fit in enumerate(again.left_out_.models):
            p = probabilities(fit, new[row : row + 1], model.classes_)
            score = model.conformity_(p, u[row : row + 1])[0, label]
            below += (again.scores_[again.left_out_.groups == group] < score).sum()
        assert sets.members[row, label] == (below < 0.9 * 61)


def test_labels_may_be_numbers_of_any_kind():
    X, y = data(60)
    _, codes = np.unique(y, return_inverse=True)
    expected = ConformalClassifier(LEAST_SQUARES).fit(X, y)
    for labels in (codes, 10.0 * codes + 5.0, codes == 1):
        model = ConformalClassifier(LEAST_SQUARES).fit(X, labels)
        again = ConformalClassifier(LEAST_SQUARES, "jackknife+", refit=True).fit(X, labels)
        np.testing.assert_allclose(model.scores_, again.scores_, atol=1e-10)
        if labels.dtype != bool:
            np.testing.assert_array_equal(model.scores_, expected.scores_)


def test_logistic_regression_is_left_out_approximately():
    X, y = data(80, n_classes=2)
    model = ConformalClassifier(LOGISTIC, "jackknife+").fit(X, y)
    exact = ConformalClassifier(LOGISTIC, "jackknife+", refit=True).fit(X, y)
    np.testing.assert_allclose(model.scores_, exact.scores_, atol=0.02)
    sets = model.predict_set(X)
    assert sets.bound is None and "approximate" in sets.guarantee
    assert exact.guarantee_.formula == "≥ 1 − 2α"
    three = ConformalClassifier(LOGISTIC, "cv+", cv=4).fit(*data(60))
    assert three.guarantee_.formula == "≥ 1 − 2α − √(2/n)"  # fitted again


def test_weights_of_classes_chosen_on_all_rows():
    X, y = data(60)
    balanced = clone(LEAST_SQUARES).set_params(class_weight="balanced")
    model = ConformalClassifier(balanced, "jackknife+").fit(X, y)
    assert "weights of the classes were chosen on all rows" in model.guarantee_.doubt
    fixed = clone(LEAST_SQUARES).set_params(class_weight={"a": 1.0, "b": 2.0, "c": 3.0})
    given_weights = ConformalClassifier(fixed).fit(X, y)
    again = ConformalClassifier(fixed, "jackknife+", refit=True).fit(X, y)
    assert given_weights.method_ == "jackknife+"
    np.testing.assert_allclose(given_weights.scores_, again.scores_, atol=1e-10)


REPEATS = 200


@pytest.mark.parametrize(
    ("model", "least"),
    [
        (ConformalClassifier(LEAST_SQUARES), 0.6),
        (ConformalClassifier(LEAST_SQUARES, "split", calibration=0.5), 0.8),
        (ConformalClassifier(LEAST_SQUARES, "split", calibration=0.5, conformity="raps"), 0.8),
        (ConformalClassifier(LEAST_SQUARES, "split", calibration=0.5, conformity="lac"), 0.8),
    ],
    ids=["jackknife+", "aps", "raps", "lac"],
)
def test_coverage_over_many_repeats(model, least):
    covered = []
    for seed in range(REPEATS):
        X, y = data(130, seed)
        model.set_params(random_state=seed).fit(X[:80], y[:80])
        covered.append(model.predict_set(X[80:], 0.8).covered(y[80:]))
    mean, error = np.mean(covered), np.std(covered, ddof=1) / math.sqrt(REPEATS)
    assert mean >= least - 2 * error
    assert mean <= 0.8 + 1 / 41 + 0.03 + 2 * error


def test_coverage_of_each_class():
    by_class: dict[bool, list[float]] = {False: [], True: []}
    for seed in range(100):
        X, y = data(500, seed)
        for own in by_class:
            model = ConformalClassifier(
                LEAST_SQUARES, "split", calibration=0.5, by_class=own, random_state=seed
            )
            sets = model.fit(X[:300], y[:300]).predict_set(X[300:], 0.8)
            by_class[own].append(sets.covered_by_class(y[300:])["c"])
    error = np.std(by_class[True], ddof=1) / 10
    assert np.mean(by_class[True]) > 0.8 - 2 * error
    assert np.mean(by_class[False]) < np.mean(by_class[True])
    assert "of every class" in sets.guarantee


# -- crossings and bad input ---------------------------------------------------------------------


def test_results_read_and_reproduce():
    X, y = data(120)
    model = ConformalClassifier(SVC()).fit(X, y)
    sets = model.predict_set(X)
    np.testing.assert_array_equal(sets.members, model.predict_set(X).members)
    assert np.asarray(sets).shape == (120, 3) and len(sets) == 120
    assert [set(labels) for labels in sets] == [set(sets[i]) for i in range(120)]
    assert sets.guarantee in str(sets) and sets._repr_html_().count("<table") == 1
    assert sets.sizes.tolist() == [len(labels) for labels in sets]
    with pytest.raises(ShapeError, match="one label for each"):
        sets.contain(y[:3])
    other = ConformalClassifier(SVC(), random_state=1).fit(X, y).predict_set(X)
    assert (other.members != sets.members).any()
    fixed = ConformalClassifier(SVC(), randomized=False).fit(X, y)
    np.testing.assert_array_equal(
        fixed.predict_set(X).members[:9], fixed.predict_set(X[:9]).members
    )
    generator = np.random.RandomState(0)
    ConformalClassifier(SVC(), random_state=generator).fit(X, y).predict_set(X)


def test_strings_and_files(tmp_path):
    rng = np.random.default_rng(0)
    words = ["".join(rng.choice(list("ab"), 8)) for _ in range(60)]
    y = ["many" if word.count("aa") > 1 else "few" for word in words]
    model = ConformalClassifier(KernelRidgeClassifier(alpha=0.5, kernel=Spectrum(2)))
    model.fit(words, y, sample_weight=np.arange(60) % 3)
    assert model.method_ == "jackknife+"
    mercer.save(model, tmp_path / "model")
    loaded = mercer.load(tmp_path / "model")
    members = model.predict_set(words).members
    np.testing.assert_array_equal(loaded.predict_set(words).members, members)


@pytest.mark.parametrize("method", ["jackknife+", "cv+", "split"])
def test_a_precomputed_matrix_is_its_kernel(method):
    X, y = data(60)
    new = data(30, 1)[0]
    options = {"method": method, "cv": 4, "calibration": 0.5}
    given_kernel = ConformalClassifier(LEAST_SQUARES, **options).fit(X, y)
    matrix = ConformalClassifier(
        KernelRidgeClassifier(alpha=0.5, kernel="precomputed"), **options
    ).fit(RBF()(X), y)
    ours, theirs = matrix.predict_set(RBF()(new, X)), given_kernel.predict_set(new)
    np.testing.assert_array_equal(ours.members, theirs.members)


def test_other_libraries_and_searches():
    X, y = data(120)
    model = ConformalClassifier(KNeighborsClassifier(5), "cv+", cv=4).fit(X, y)
    assert model.predict_set(X).covered(y) > 0.8
    search = GridSearchCV(
        ConformalClassifier(LEAST_SQUARES), {"estimator__alpha": [0.1, 1.0]}, cv=3
    )
    assert search.fit(X, y).best_estimator_.predict_set(X).covered(y) > 0.8
    fitted = SVC().fit(X[:60], y[:60])
    before = ConformalClassifier(fitted, "prefit").fit(X[60:], y[60:])
    assert len(before.scores_) == 60 and before.estimator_ is fitted
    shifted = ConformalClassifier(SVC(kernel=RBF()), shift="kmm").fit(X, y)
    assert shifted.predict_set(X + 0.3).bound is None


def test_refusals():
    X, y = data(60)
    with pytest.raises(ValueError, match="greater than one; got 1 class"):
        ConformalClassifier(SVC()).fit(X, ["a"] * 60)
    with pytest.raises(ParameterError, match="is not a classifier"):
        ConformalClassifier(mercer.SVR()).fit(X, y)
    with pytest.raises(ParameterError, match="is not for by_class=True"):
        ConformalClassifier(LEAST_SQUARES, "cv+", by_class=True).fit(X, y)
    model = ConformalClassifier(LEAST_SQUARES, by_class=True, calibration=0.5).fit(X, y)
    with pytest.raises(ParameterError, match="of class 'c': it needs at least 19"):
        model.predict_set(X, 0.95)
    with pytest.raises(ParameterError, match="strictly between"):
        model.predict_set(X, 1.0)
    with pytest.raises(ParameterError, match="neither probabilities nor decision values"):
        ConformalClassifier(Labels()).fit(X, y)
    with pytest.raises(ParameterError, match="conformity = 'top'"):
        ConformalClassifier(SVC(), conformity="top").fit(X, y)


class Labels(SVC):
    """A classifier that gives labels alone."""

    @property
    def decision_function(self):
        raise AttributeError("decision_function")
