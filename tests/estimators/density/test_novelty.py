"""Novelty by the mean against distances of explicit features, and its false-alarm rates against
what is promised.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from scipy import linalg
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import parametrize_with_checks

import mercer
from mercer import (
    RBF,
    CentroidNovelty,
    Jaccard,
    Linear,
    NegativeDistance,
    Polynomial,
    Sigmoid,
    config_context,
    errors,
)

RULES = ["exchange", "plain", "bound"]


@parametrize_with_checks(
    [CentroidNovelty(kernel=RBF()), CentroidNovelty(rule="plain", kernel=RBF())]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def samples(n: int = 40, seed: int = 0, d: int = 3):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, d)), rng.standard_normal((60, d)) * rng.choice(
        [0.5, 1.0, 3.0], (60, 1)
    )


def features(kernel, *collections):
    """Explicit features of all collections, by the square root of their common matrix, centered
    where it must be.
    """
    rows = np.vstack(collections)
    H = np.eye(len(rows)) - 1 / len(rows)
    K = kernel(rows)
    values, vectors = linalg.eigh(K if kernel.certificate().psd else H @ K @ H)
    return np.split(
        vectors * np.sqrt(np.maximum(values, 0.0)), np.cumsum([len(c) for c in collections])[:-1]
    )


def score(rule, train, new, delta=0.01, radius=1.0):
    """The decision for every new sample, by the definition, one by one."""
    n, decisions = len(train), []
    for x in new:
        if rule == "exchange":
            mean = np.vstack([train, x]).mean(axis=0)
            decisions.append(np.linalg.norm(train - mean, axis=1).max() - np.linalg.norm(x - mean))
            continue
        mean = train.mean(axis=0)
        threshold = np.linalg.norm(train - mean, axis=1).max()
        if rule == "bound":
            threshold += 2 * np.sqrt(2 * radius**2 / n) * (np.sqrt(2) + np.sqrt(np.log(1 / delta)))
        decisions.append(threshold - np.linalg.norm(x - mean))
    return np.array(decisions)


# -- the definition
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "kernel", [RBF(), Linear(), Polynomial(degree=2), NegativeDistance()], ids=repr
)
@pytest.mark.parametrize("rule", RULES)
def test_distances_of_explicit_features(rule, kernel):
    X, new = samples()
    model = CentroidNovelty(rule=rule, kernel=kernel, radius=5.0, delta=0.1).fit(X)
    train, others = features(kernel, X, new)
    expected = score(rule, train, others, 0.1, 5.0)
    found = model.decision_function(new)
    np.testing.assert_allclose(found, expected, atol=1e-6)
    sure = np.abs(expected) > 1e-6
    assert (model.predict(new)[sure] == np.where(expected[sure] > 0, 1, -1)).all()
    np.testing.assert_allclose(model.score_samples(new), found + model.offset_, atol=1e-12)
    np.testing.assert_allclose(
        model.distances_, np.linalg.norm(train - train.mean(axis=0), axis=1), atol=1e-7
    )
    if rule != "exchange":
        np.testing.assert_allclose(
            -model.score_samples(new),
            np.linalg.norm(others - train.mean(axis=0), axis=1),
            atol=1e-7,
        )
        assert model.offset_ == -model.threshold_


@pytest.mark.parametrize(
    "kernel",
    [RBF(length_scale=0.5), RBF(), Linear(), NegativeDistance(), Polynomial(degree=3)],
    ids=repr,
)
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("shift", [0.0, 100.0])
def test_training_samples_are_old(rule, kernel, shift):
    for seed in range(5):
        X = samples(30, seed)[0] + shift
        model = CentroidNovelty(rule=rule, kernel=kernel, radius=1.0).fit(X)
        assert (model.predict(X) == 1).all()
        assert all(model.predict(row[None])[0] == 1 for row in X)


@pytest.mark.parametrize(
    ("kernel", "size", "shift"),
    [(RBF(), 1e-6, 0.0), (RBF(), 1e-6, 1e4), (Linear(), 0.01, 1e4)],
    ids=repr,
)
@pytest.mark.parametrize("rule", RULES)
def test_training_samples_are_old_also_where_distances_are_small_beside_lengths(
    rule, kernel, size, shift
):
    for seed in range(20):
        X = size * samples(50, seed)[0] + shift
        assert (CentroidNovelty(rule=rule, kernel=kernel, radius=1.0).fit(X).predict(X) == 1).all()


@pytest.mark.parametrize(
    "kernel", [RBF(), Linear(), NegativeDistance(), Polynomial(degree=3)], ids=repr
)
@pytest.mark.parametrize("rule", RULES)
def test_equal_samples_are_old_and_others_new(rule, kernel):
    X = np.tile([[0.1, 0.7, 0.3]], (7, 1))
    model = CentroidNovelty(rule=rule, kernel=kernel, radius=1.0).fit(X)
    assert (model.predict(X) == 1).all() and model.predict(X[:1])[0] == 1
    np.testing.assert_allclose(model.distances_, 0.0, atol=1e-7)
    if rule != "bound":
        assert model.predict(X[:1] + 0.5)[0] == -1


@pytest.mark.parametrize("rule", ["exchange", "plain"])
def test_one_sample(rule):
    model = CentroidNovelty(rule=rule, kernel=RBF()).fit([[1.0, 2.0]])
    assert model.predict([[1.0, 2.0]])[0] == 1
    assert model.predict([[5.0, 2.0]])[0] == (
        1 if rule == "exchange" else -1
    )  # two samples are equally far from their mean


# -- false alarms
# --------------------------------------------------------------------------------------------------


def alarms(rule, kernel, n, d, trials, seed, delta=0.05, tests=1):
    """The share of new samples called new, over training sets and samples, and its
    standard error.
    """
    rng = np.random.default_rng(seed)
    rates = np.empty(trials)
    for t in range(trials):
        model = CentroidNovelty(rule=rule, kernel=kernel, delta=delta).fit(
            rng.standard_normal((n, d))
        )
        rates[t] = (model.predict(rng.standard_normal((tests, d))) == -1).mean()
    return rates.mean(), rates.std() / np.sqrt(trials)


def check_rates(trials, tests):
    for n, d, kernel in (
        (5, 1, RBF()),
        (20, 10, RBF()),
        (20, 2, Linear()),
        (9, 3, NegativeDistance()),
    ):
        rate, error = alarms("exchange", kernel, n, d, trials, n, tests=tests)
        assert rate <= 1 / (n + 1) + 3 * error, (n, d, kernel)
        assert rate >= 0.2 / (n + 1) - 3 * error  # and it does detect
    for n, d in ((20, 10), (5, 1)):
        rate, error = alarms("bound", RBF(), n, d, trials, n, tests=tests)
        assert rate <= 1 / (n + 1) + 0.05 + 3 * error
    rate, _ = alarms("plain", RBF(length_scale=1.0), 20, 10, trials, 7, tests=tests)
    assert rate > 0.9


def test_false_alarm_rates():
    check_rates(120, 20)


@pytest.mark.slow
def test_false_alarm_rates_to_two_digits():
    check_rates(4000, 20)


def test_the_exchange_rate_is_reached():
    """One dimension, linear kernel, continuous samples: the farthest is always unique, so that the
    rate is 1/(n + 1) exactly.
    """
    rate, error = alarms("exchange", Linear(), 9, 1, 400, 3, tests=20)
    assert rate == pytest.approx(0.1, abs=3 * error)


def test_the_bound_is_that_of_the_definition():
    X, _ = samples(50)
    plain, bound = (
        CentroidNovelty(rule=r, kernel=RBF(), delta=0.05).fit(X) for r in ("plain", "bound")
    )
    added = 2 * np.sqrt(2 / 50) * (np.sqrt(2) + np.sqrt(np.log(20)))
    assert bound.threshold_ - plain.threshold_ == pytest.approx(added, rel=1e-12)
    wide = CentroidNovelty(rule="bound", kernel=RBF(), delta=0.05, radius=3.0).fit(X)
    assert wide.threshold_ - plain.threshold_ == pytest.approx(3 * added, rel=1e-12)


def test_the_radius():
    X, new = samples()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        CentroidNovelty(rule="bound", kernel=RBF()).fit(X)
        CentroidNovelty(rule="bound", kernel=Linear(), radius=4.0).fit(X)
        CentroidNovelty(rule="bound", kernel=NegativeDistance(), radius=4.0).fit(X)
        CentroidNovelty(kernel=Linear()).fit(X)
    with pytest.warns(UserWarning, match=r"radius.*largest.*normalize"):
        model = CentroidNovelty(rule="bound", kernel=Linear(), delta=0.1).fit(X)
    expected = score("bound", X, new, 0.1, np.linalg.norm(X, axis=1).max())
    np.testing.assert_allclose(model.decision_function(new), expected, atol=1e-9)
    with pytest.raises(errors.DefinitenessError, match=r"radius.*exchange"):
        CentroidNovelty(rule="bound", kernel=NegativeDistance()).fit(X)


# -- weights
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", [RBF(), NegativeDistance()], ids=repr)
@pytest.mark.parametrize("rule", RULES)
def test_a_weight_is_a_number_of_copies(rule, kernel, rng):
    X, new = samples()
    weight = rng.integers(0, 3, 40)
    model = CentroidNovelty(rule=rule, kernel=kernel, radius=1.0)
    a, b = clone(model).fit(X, sample_weight=weight), clone(model).fit(np.repeat(X, weight, axis=0))
    np.testing.assert_allclose(a.decision_function(new), b.decision_function(new), atol=1e-9)
    assert a.threshold_ == pytest.approx(b.threshold_, rel=1e-9)


def test_weights_of_one_are_no_weights_also_far_from_the_origin():
    X, new = samples()
    a, b = CentroidNovelty().fit(X + 1e6), CentroidNovelty().fit(X + 1e6, sample_weight=np.ones(40))
    np.testing.assert_allclose(
        a.decision_function(new + 1e6), b.decision_function(new + 1e6), atol=1e-8
    )


# -- kernels of every sort
# ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", RULES)
def test_ways_to_name_a_kernel(rule):
    X, new = samples()
    expected = (
        CentroidNovelty(rule=rule, kernel=RBF(length_scale=2.0)).fit(X).decision_function(new)
    )
    for kernel in ("rbf", "RBF(length_scale=2.0)"):
        np.testing.assert_allclose(
            CentroidNovelty(rule=rule, kernel=kernel, gamma=0.125).fit(X).decision_function(new),
            expected,
            atol=1e-7,
        )
    k = RBF(length_scale=2.0)
    given = CentroidNovelty(rule=rule, kernel="precomputed").fit(k(X))
    np.testing.assert_allclose(given.decision_function(k(new, X)), expected, atol=1e-9)

    def share_old(model, X, y=None):
        return (model.predict(X) == 1).mean()

    scores = [
        cross_val_score(m, x, scoring=share_old)
        for m, x in (
            (CentroidNovelty(rule=rule, kernel="precomputed"), k(X)),
            (CentroidNovelty(rule=rule, kernel=k), X),
        )
    ]
    np.testing.assert_array_equal(*scores)


def test_a_matrix_with_an_uneven_diagonal_does_not_tell_the_lengths_of_new_samples():
    X, new = samples()
    model = CentroidNovelty(kernel="precomputed").fit(Linear()(X))
    np.testing.assert_allclose(model.distances_, np.linalg.norm(X - X.mean(axis=0), axis=1))
    with pytest.raises(errors.ShapeError, match=r"diagonal.*normalize"):
        model.predict(Linear()(new, X))


@pytest.mark.parametrize("rule", ["exchange", "plain"])
def test_sets_in_a_pipeline(rule):
    sets = [{"a", "b"}, {"a", "c"}, {"b", "c"}, {"a", "b", "c"}] * 4
    model = make_pipeline(
        FunctionTransformer(list), CentroidNovelty(rule=rule, kernel=Jaccard())
    ).fit(sets)
    assert model.predict([{"a", "b"}, {"x", "y"}]).tolist() == [1, -1]


@pytest.mark.parametrize("kernel", ["rbf", RBF(), Linear()], ids=repr)
@pytest.mark.parametrize("rule", RULES)
def test_sparse_rows_are_dense_rows(rule, kernel):
    X, new = (np.where(np.abs(a) > 0.5, a, 0.0) for a in samples())
    model = CentroidNovelty(rule=rule, kernel=kernel, radius=1.0)
    dense, sparse = clone(model).fit(X), clone(model).fit(sp.csr_matrix(X))
    np.testing.assert_allclose(
        sparse.decision_function(sp.csr_matrix(new)), dense.decision_function(new), atol=1e-8
    )


# -- what must hold
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", RULES)
def test_shifting_the_data_changes_nothing(rule):
    X, new = (np.round(a * 2**20) / 2**20 for a in samples())
    near, far = (
        CentroidNovelty(rule=rule, kernel=RBF(length_scale=2.0)).fit(x) for x in (X, X + 1e6)
    )
    np.testing.assert_allclose(
        near.decision_function(new), far.decision_function(new + 1e6), atol=1e-8
    )


@pytest.mark.parametrize("rule", RULES)
def test_bits_do_not_depend_on_threads_or_memory(rule):
    X = samples(800)[0]
    found = []
    for settings in ({"threads": 1}, {"threads": 2}, {"threads": 2, "memory_budget": "1 MB"}):
        with config_context(**settings):
            model = CentroidNovelty(rule=rule, kernel=RBF()).fit(X)
            found.append((model.distances_, model.decision_function(X + 0.5)))
    for other in found[1:]:
        assert all(np.array_equal(a, b) for a, b in zip(found[0], other, strict=True))


def test_many_tiles():
    rng = np.random.default_rng(0)
    X, new = rng.standard_normal((700, 2)), 2 * rng.standard_normal((600, 2))
    found = CentroidNovelty(kernel=Linear()).fit(X).decision_function(new)
    np.testing.assert_allclose(found, score("exchange", X, new), atol=1e-8)


def test_constants_give_no_warnings_of_numbers():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", mercer.errors.DataWarning)  # that all samples are equal
        X = np.column_stack([np.ones(20), np.arange(20) // 2])
        for rule in RULES:
            assert (CentroidNovelty(rule=rule).fit(X).predict(X) == 1).all()
            assert (
                CentroidNovelty(rule=rule).fit(np.zeros((5, 2))).predict(np.zeros((1, 2))) == 1
            ).all()


# -- refusals
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"X": np.full((30, 2), np.nan)}, "NaN"),
        ({"X": [["a", "b"]] * 30}, "could not convert|numeric|string"),
        ({"X": np.ones(30)}, "2D"),
        ({"sample_weight": -np.ones(30)}, ">= 0"),
        ({"sample_weight": np.zeros(30)}, "zero or negative"),
        ({"sample_weight": np.ones(7)}, "each of the 30"),
    ],
    ids=lambda v: str(v)[:30],
)
def test_bad_data(change, match):
    with pytest.raises(ValueError, match=match):
        CentroidNovelty().fit(**{"X": np.arange(60.0).reshape(30, 2), **change})


@pytest.mark.parametrize(
    "options",
    [
        {"rule": "much"},
        {"delta": 0.0},
        {"delta": 1.0},
        {"radius": 0.0},
        {"radius": -1.0},
        {"radius": "1"},
        {"kernel": 3},
        {"kernel": "hope"},
    ],
    ids=str,
)
def test_bad_parameters(options):
    with pytest.raises(ValueError):
        CentroidNovelty(**options).fit(samples()[0])


def test_refusals():
    X, _ = samples()
    for method in ("predict", "decision_function", "score_samples"):
        with pytest.raises(NotFittedError):
            getattr(CentroidNovelty(), method)(X)
    with pytest.raises(ValueError, match="features"):
        CentroidNovelty().fit(X).predict(X[:, :2])
    with pytest.raises(ValueError, match="square"):
        CentroidNovelty(kernel="precomputed").fit(X)
    with pytest.raises(ValueError):
        CentroidNovelty(kernel="precomputed").fit(RBF()(X)).predict(RBF()(X)[:, :10])
    with pytest.raises(errors.DefinitenessError, match="Sigmoid"):
        CentroidNovelty(kernel=Sigmoid(scale=0.5)).fit(X)
