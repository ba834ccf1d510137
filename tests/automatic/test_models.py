"""The automatic estimators: scikit-learn's contract, any samples, every learner, the same again."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import mercer
from mercer import RBF, AutoClassifier, AutoRegressor, Jaccard, Linear, config_context, errors
from mercer.automatic.learners import LEARNERS

rng = np.random.default_rng(0)
X = rng.standard_normal((60, 3))
CLASSES = np.array(["low", "middle", "high"])[np.digitize(X[:, 0] + 0.3 * X[:, 1], [-0.5, 0.5])]
TWO = np.where(X[:, 0] + 0.3 * X[:, 1] > 0, "yes", "no")
NUMBERS = 100.0 + 5.0 * np.sin(X[:, 0]) + X[:, 1]
NEW = rng.standard_normal((20, 3))
WORDS = [
    " ".join(rng.choice(["sea", "ship", "port"] if at % 2 else ["wheat", "farm", "port"], 8))
    for at in range(40)
]
STRINGS = ["".join(rng.choice(list("acgt" if at % 2 else "aacg"), 25)) for at in range(40)]
PREDICTS = {"regression": "predict", "classification": "predict_proba"}
SIDE = np.array(["odd" if at % 2 else "even" for at in range(40)])


def copies(estimator):
    kinds = ("dense", "sparse")
    why = "copies of a sample are left out one at a time, and fall into different folds"
    return {f"check_sample_weight_equivalence_on_{kind}_data": why for kind in kinds}


@parametrize_with_checks(
    [AutoClassifier(learner="ridge"), AutoRegressor()], expected_failed_checks=copies
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks([AutoClassifier()], expected_failed_checks=copies)
def test_scikit_learn_checks_of_support_vectors(estimator, check):
    check(estimator)


def make(task, learner="ridge", **options):
    return (AutoClassifier if task == "classification" else AutoRegressor)(
        learner=learner, **options
    )


def target(task):
    return CLASSES if task == "classification" else NUMBERS


# -- learners --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("task", "learner"), LEARNERS)
def test_every_learner(task, learner, tmp_path):
    rows = slice(0, 30 if learner == "rvm" else 60)  # whose fits are slow
    samples, y = X[rows], target(task)[rows]
    model = make(task, learner, kernel=RBF(length_scale=2.0)).fit(samples, y)
    assert (
        model.learner_ == learner
        and len(model.tuned_.trials) >= 3
        and repr(model.tuned_.kernel) in {row[0] for row in model.tuned_.trials}
    )
    base = 0.6 if task == "classification" else 0.3
    assert model.score(samples, y) > base
    said = model.predict(NEW)
    mercer.save(model, tmp_path / "some.mercer")
    for again in (mercer.load(tmp_path / "some.mercer"), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(again.predict(NEW), said)
    if learner != "rvm":
        np.testing.assert_array_equal(clone(model).fit(samples, y).predict(NEW), said)
    if task == "classification":
        p = model.predict_proba(NEW)
        np.testing.assert_allclose(p.sum(axis=1), 1.0)
        assert (p >= 0).all()
        np.testing.assert_array_equal(model.classes_[p.argmax(axis=1)], said)
        np.testing.assert_array_equal(mercer.load(tmp_path / "some.mercer").predict_proba(NEW), p)
    elif learner in ("gp", "rvm"):
        mean, deviation = model.predict(NEW, return_std=True)
        np.testing.assert_allclose(mean, said)
        assert (deviation > 0).all() and deviation.max() < 3 * NUMBERS.std()
    else:
        with pytest.raises(
            errors.ParameterError, match=f"return_std = True is not known to {learner}"
        ):
            model.predict(NEW, return_std=True)


@pytest.mark.parametrize("learner", [name for task, name in LEARNERS if task == "classification"])
def test_probabilities_of_two_classes_agree_with_predictions(learner):
    model = AutoClassifier(RBF(length_scale=2.0), learner).fit(X, TWO)
    p = model.predict_proba(NEW)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    np.testing.assert_array_equal(model.classes_[(p[:, 1] > 0.5).astype(int)], model.predict(NEW))


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_the_choice_has_the_least_loss(task):
    model = make(task).fit(X, target(task))
    assert model.tuned_.loss == pytest.approx(min(loss for _, _, loss in model.tuned_.trials))
    assert model.n_tuned_ == 60 and model.kernel_ is model.model_.kernel_
    some = make(task, tune_rows=30).fit(X, target(task))
    assert some.n_tuned_ == 30 and some.predict(NEW).shape == (20,)


def test_rare_classes_take_part_in_the_choice():
    y = np.where(np.arange(60) < 2, "rare", TWO)
    model = AutoClassifier(learner="ridge", tune_rows=10).fit(X, y)
    assert "rare" in model.classes_ and model.n_tuned_ == 10


@pytest.mark.parametrize("task", ["classification", "regression"])
@pytest.mark.parametrize("learner", ["ridge", "auto"])
def test_the_same_again(task, learner):
    first = make(task, learner, random_state=3, tune_rows=40).fit(X, target(task))
    for threads in (1, 2):
        with config_context(threads=threads):
            again = make(task, learner, random_state=3, tune_rows=40).fit(X, target(task))
            assert (again.tuned_.trials, again.tuned_.penalty) == (
                first.tuned_.trials,
                first.tuned_.penalty,
            )
            np.testing.assert_array_equal(again.predict(NEW), first.predict(NEW))
            if task == "classification":
                np.testing.assert_array_equal(again.predict_proba(NEW), first.predict_proba(NEW))


# -- samples ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "frame", [pytest.param(pd.DataFrame, id="pandas"), pytest.param(pl.DataFrame, id="polars")]
)
def test_frames(frame):
    columns = {"size": X[:, 0], "weight": X[:, 1], "color": np.where(X[:, 2] > 0, "red", "blue")}
    table = frame(columns)
    model = AutoClassifier(learner="ridge").fit(table, TWO)
    assert model.feature_names_in_.tolist() == list(columns) and "one_hot" in repr(model.kernel_)
    np.testing.assert_array_equal(
        model.predict(table),
        AutoClassifier(learner="ridge").fit(pd.DataFrame(columns), TWO).predict(table),
    )
    turned = frame({name: columns[name] for name in reversed(columns)})
    np.testing.assert_array_equal(model.predict(turned), model.predict(table))
    with pytest.raises(
        errors.WidthError, match="X: column 'color' is missing, which the model was fitted on"
    ):
        model.predict(frame({"size": X[:, 0], "weight": X[:, 1]}))


def test_frames_whose_columns_are_numbered():
    model = AutoClassifier(learner="ridge").fit(pd.DataFrame(X), TWO)
    named = AutoClassifier(learner="ridge").fit(pd.DataFrame(X, columns=list("abc")), TWO)
    np.testing.assert_array_equal(
        model.predict(pd.DataFrame(NEW)), named.predict(pd.DataFrame(NEW, columns=list("abc")))
    )


def test_holes_are_told_and_filled():
    table = pd.DataFrame(
        {"size": X[:, 0], "color": np.where(X[:, 2] > 0, "red", "blue"), "none": np.nan}
    )
    model = AutoClassifier(learner="ridge").fit(table, TWO)
    assert model.left_out_ == ["none"]
    torn = table.copy()
    torn.loc[3, "size"] = np.nan
    torn.loc[4, "color"] = None
    filled = "has missing values and had none in training: filled with"
    with pytest.warns(UserWarning, match=rf"column 'size' {filled} .*; so have \['color'\]"):
        said = model.predict(torn)
    filled = torn.assign(
        size=torn["size"].fillna(table["size"].median()),
        color=torn["color"].fillna(table["color"].mode()[0]),
    )
    np.testing.assert_array_equal(said, model.predict(filled))


def test_a_filling_is_told_plainly():
    table = pd.DataFrame({"size": X[:, 0], "truth": X[:, 1] > 0})
    model = AutoClassifier(learner="ridge").fit(table, TWO)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model.predict(table.assign(size=np.nan))
        model.predict(table.assign(truth=np.nan))
    assert len(said) == 2 and not any("np." in str(one.message) for one in said)


def test_holes_in_training():
    table = pd.DataFrame(
        {"size": X[:, 0], "other": X[:, 1], "color": np.where(X[:, 2] > 0, "red", "blue")}
    )
    table.loc[:9, "size"] = np.nan
    table.loc[5:14, "color"] = None
    model = AutoClassifier(learner="ridge").fit(table, TWO)
    assert "MissingAware" in repr(model.kernel_) and model.score(table, TWO) > 0.7
    marked = table.assign(color=table["color"].fillna("?"))
    again = AutoClassifier(learner="ridge", missing=("?",)).fit(marked, TWO)
    np.testing.assert_array_equal(again.predict(marked), model.predict(table))
    holed = np.where(rng.random(X.shape) < 0.1, np.nan, X)
    assert AutoClassifier(learner="ridge").fit(holed, TWO).score(holed, TWO) > 0.7


@pytest.mark.parametrize("samples", [STRINGS, WORDS], ids=["strings", "texts"])
def test_lists_of_strings(samples):
    model = AutoClassifier(learner="ridge").fit(samples, SIDE)
    assert ("TfIdf" if samples is WORDS else "Spectrum") in repr(
        model.kernel_
    ) or "GappedKmer" in repr(model.kernel_)
    assert model.score(samples, SIDE) > 0.9
    np.testing.assert_array_equal(
        model.predict(np.array(samples, dtype=object)), model.predict(samples)
    )


@pytest.mark.parametrize("form", [sp.csr_matrix, sp.csr_array, sp.coo_array])
def test_sparse(form):
    thin = np.where(np.abs(X) > 0.8, X, 0.0)
    model = AutoRegressor(learner="ridge").fit(form(thin), NUMBERS)
    np.testing.assert_allclose(model.predict(form(thin)), model.predict(thin), rtol=1e-9)


def test_arrays_and_frames_may_change_places():
    """Names are only asked for where they are known."""
    model = AutoClassifier(RBF(length_scale=2.0), "ridge").fit(X, TWO)
    np.testing.assert_array_equal(
        model.predict(pd.DataFrame(NEW, columns=list("abc"))), model.predict(NEW)
    )


def test_other_samples_by_a_kernel_of_ones_own():
    sets = [set(rng.choice(6, 3) + 4 * (at % 2)) for at in range(40)]
    model = AutoClassifier(Jaccard(), "ridge").fit(sets, SIDE)
    assert model.score(sets, SIDE) > 0.8 and len(model.candidates_) == 1


# -- kernels ---------------------------------------------------------------------------------------


def test_kernels_that_are_given():
    model = AutoRegressor("0.5 * RBF(length_scale=2.0) + Linear()", "ridge").fit(X, NUMBERS)
    assert [repr(k) for k in model.candidates_[:3]] == [
        f"0.5 * RBF({at}) + Linear()" for at in ("length_scale=4.0", "length_scale=2.0", "")
    ]
    assert [repr(k) for k in AutoRegressor(Linear(), "ridge").fit(X, NUMBERS).candidates_] == [
        "Linear()"
    ]
    wide = RBF(length_scale=[1.0, 2.0, 3.0])
    tried = AutoRegressor(wide, "ridge").fit(X, NUMBERS).candidates_
    assert len(tried) >= 3 and tried[0].length_scale == [2.0, 4.0, 6.0]
    assert wide.length_scale == [1.0, 2.0, 3.0]


# -- refused ---------------------------------------------------------------------------------------


def test_refused():
    with pytest.raises(
        errors.ParameterError, match="learner = 'svr' does not do classification; one of auto, svc"
    ):
        AutoClassifier(learner="svr").fit(X, TWO)
    with pytest.raises(errors.ParameterError, match="kernel = 3 is not a kernel"):
        AutoClassifier(kernel=3).fit(X, TWO)
    with pytest.raises(errors.ParseError):
        AutoClassifier(kernel="RBF(").fit(X, TWO)
    with pytest.raises(errors.ParameterError, match="tune_rows = 2"):
        AutoClassifier(tune_rows=2).fit(X, TWO)
    with pytest.raises(errors.ShapeError, match="must have one for each of the 60 samples"):
        AutoClassifier().fit(X, TWO[:5])
    with pytest.raises(ValueError, match="greater than one"):
        AutoClassifier().fit(X, np.zeros(60))
    with pytest.raises(errors.InputError, match="has no value twice"):
        AutoClassifier().fit(X, [f"name {at}" for at in range(60)])
    with pytest.raises(errors.ShapeError, match="too few"):
        AutoRegressor().fit(X[:3], NUMBERS[:3])
    with pytest.raises(ValueError, match="y is None"):
        AutoRegressor().fit(X, None)
    with pytest.raises(errors.InputTypeError, match="is among the strings"):
        AutoClassifier().fit([*STRINGS[:-1], 3], SIDE)
    infinite = X.copy()
    infinite[0, 0] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        AutoRegressor().fit(infinite, NUMBERS)


@pytest.mark.parametrize("seed", [2**70, -1, "1", 0.5])
def test_seeds_out_of_range(seed):
    with pytest.raises(errors.ParameterError, match="random_state"):
        AutoRegressor(random_state=seed).fit(np.arange(20.0)[:, None], np.arange(20.0))


def test_a_random_generator_as_seed():
    X, y = np.random.default_rng(0).standard_normal((30, 2)), np.arange(30) % 2
    made = [AutoClassifier(random_state=np.random.RandomState(1)).fit(X, y) for _ in range(2)]
    np.testing.assert_array_equal(made[0].predict_proba(X), made[1].predict_proba(X))


@pytest.mark.parametrize(("task", "learner"), LEARNERS)
def test_every_learner_takes_weights(task, learner):
    kind, y = (AutoRegressor, NUMBERS) if task == "regression" else (AutoClassifier, CLASSES)
    weight = np.ones(60)
    weight[::4] = 0.0
    kept = np.flatnonzero(weight)
    options = {"learner": learner, "kernel": RBF()}
    weighted = kind(**options).fit(X, y, sample_weight=weight)
    without = kind(**options).fit(X[kept], y[kept])
    assert weighted.tuned_.penalty == without.tuned_.penalty
    predictions = [getattr(model, PREDICTS[task])(NEW) for model in (weighted, without)]
    np.testing.assert_allclose(*predictions, rtol=1e-6, atol=1e-6)


def test_weights_decide():
    at, sides = np.zeros((40, 1)), np.array(["a", "b"] * 20)
    at[:, 0] = np.linspace(0, 1, 40)
    for side in "ab":
        weight = np.where(sides == side, 5.0, 0.5)
        model = AutoClassifier(RBF(), learner="logistic").fit(at, sides, sample_weight=weight)
        assert (model.predict(at) == side).all()
    heavy = np.where(np.arange(60) < 30, 9.0, 1.0)
    mean = AutoRegressor(RBF()).fit(X, NUMBERS, sample_weight=heavy)
    assert mean.target_mean_ == np.average(NUMBERS, weights=heavy)
    with pytest.raises(ValueError, match="sample_weight"):
        AutoRegressor().fit(X, NUMBERS, sample_weight=-heavy)
