"""Learned models of strings, texts, sets, and of tables that mix them with numbers."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mercer import RBF, AutoClassifier, AutoRegressor, TfIdf, load, save
from mercer.automatic.kinds.mixing import best_penalty, mix, shortened, summed, with_product
from mercer.automatic.kinds.terms import Held, Part, Term, gram, names_of_kinds, part_candidates
from mercer.errors import InputError
from mercer.execution.blas import serial_blas
from mercer.kernels.tables.columns import sets as read_sets
from mercer.proposals.items import set_kernels
from mercer.proposals.registry import KINDS, Kind

rng = np.random.default_rng(0)
N = 90
WORDS = ["sea", "ship", "port", "wheat", "farm", "grain", "the", "price"]
TEXTS = [" ".join(rng.choice(WORDS, 7)) for _ in range(N)]
SETS = [set(rng.choice(list("abcdef"), 3).tolist()) for _ in range(N)]
DNA = ["".join(rng.choice(list("acgt"), 20)) for _ in range(N)]
NUMBERS = rng.normal(size=N)
SHIPS = np.array([text.count("ship") for text in TEXTS])
TAGGED = np.array(["a" in tags for tags in SETS])
TABLE = pd.DataFrame(
    {"number": NUMBERS, "town": rng.choice(list("xyz"), N), "note": TEXTS, "tags": SETS}
)
Y = NUMBERS + 2.0 * SHIPS + 2.0 * TAGGED


@pytest.fixture(scope="module")
def regressor():
    return AutoRegressor().fit(TABLE, Y)


def test_a_mixed_table(regressor, tmp_path):
    assert regressor.learner_ == "learned" and regressor.score(TABLE, Y) > 0.9
    left_out = regressor.loo_predictions_
    assert left_out.shape == (N,) and np.corrcoef(left_out, Y)[0, 1] > 0.9
    low, high = regressor.predict_interval(TABLE, 0.8)
    assert (low < high).all() and np.mean((low <= Y) & (high >= Y)) > 0.5
    importances = dict(zip(TABLE.columns, regressor.importances_, strict=True))
    assert sum(importances.values()) == pytest.approx(1.0)
    assert importances["note"] > 3 * importances["town"]
    assert "column 'note'" in str(regressor.report_) or "on(['note'])" in str(regressor.report_)
    assert "kernels of sets and texts: " in str(regressor.report_)
    assert str(regressor.kernel_.certificate().status) in ("psd", "strict")
    save(regressor, tmp_path / "some.mercer")
    again = load(tmp_path / "some.mercer")
    np.testing.assert_array_equal(again.predict(TABLE[:9]), regressor.predict(TABLE[:9]))
    np.testing.assert_array_equal(again.loo_predictions_, left_out)


def test_names_of_kinds():
    assert names_of_kinds([Part("tree")]) == "trees"
    assert names_of_kinds([Part("text", "a"), Part("text", "b")]) == "texts"
    parts = [Part("set", "a"), Part("string", "b"), Part("text", "c")]
    assert names_of_kinds(parts) == "sequences, sets and texts"


def test_the_order_of_columns_and_missing_values_of_new_rows(regressor):
    shuffled = TABLE[["tags", "note", "town", "number"]]
    np.testing.assert_array_equal(regressor.predict(shuffled), regressor.predict(TABLE))
    gaps = TABLE[:3].astype(object)
    gaps.loc[0, "note"], gaps.loc[1, "tags"] = None, None
    with pytest.warns(UserWarning, match="had none in training"):
        assert np.isfinite(regressor.predict(gaps)).all()


def test_missing_texts_and_sets_in_training():
    table = TABLE.astype(object)
    table.loc[::9, "note"] = None
    table.loc[::7, "tags"] = None
    table["number"] = NUMBERS
    model = AutoRegressor(time="fast").fit(table, Y)
    assert np.isfinite(model.predict(table)).all() and model.score(table, Y) > 0.5


def test_an_array_of_objects_is_a_table():
    rows = TABLE[["number", "note"]].to_numpy(dtype=object)
    model = AutoRegressor(time="fast").fit(rows, NUMBERS + 2.0 * SHIPS)
    assert model.importances_.shape == (2,) and model.score(rows, NUMBERS + 2.0 * SHIPS) > 0.8


@pytest.mark.parametrize(
    ("samples", "y"),
    [
        (TEXTS, SHIPS > 0),
        (SETS, np.array(["with" if tag else "without" for tag in TAGGED])),
        (DNA, np.array([text[3] for text in DNA])),  # four classes, told by a place
    ],
)
def test_samples_of_one_kind(samples, y):
    model = AutoClassifier(time="fast" if len(np.unique(y)) > 2 else "balanced").fit(samples, y)
    assert model.learner_ == "learned" and not hasattr(model, "importances_")
    probability = model.predict_proba(samples)
    np.testing.assert_allclose(probability.sum(axis=1), 1.0)
    np.testing.assert_array_equal(
        model.classes_[probability.argmax(axis=1)], model.predict(samples)
    )
    assert model.loo_predictions_.shape == probability.shape and model.score(samples, y) > 0.8


def test_random_state_reproduces_and_weights_of_zero_leave_out():
    weight = np.ones(N)
    weight[:10] = 0.0
    one = AutoRegressor(time="fast").fit(TEXTS, Y, sample_weight=weight)
    two = AutoRegressor(time="fast").fit(TEXTS[10:], Y[10:], sample_weight=weight[10:])
    np.testing.assert_array_equal(one.predict(TEXTS), two.predict(TEXTS))


def test_groups_are_left_out_together():
    groups = np.arange(N) // 3
    model = AutoRegressor(time="fast").fit(TEXTS, Y, groups=groups)
    assert model.loo_predictions_.shape == (N,)


def test_weights_are_never_worse_than_the_best_alone():
    held = Held((Y - Y.mean())[:, None] / Y.std())
    parts = [Part("text", "note"), Part("set", "tags")]
    with serial_blas():
        found = [each for part in parts for each in part_candidates(part, TABLE, held, False)]
        found = shortened(with_product(found, held))
        terms, K = mix(found, held)
    assert sum(term.weight for term in terms) == pytest.approx(1.0, abs=0.01)
    assert held.least_loss(K)[0] <= 1.001 * min(term.loss for term, _ in found)
    np.testing.assert_allclose(gram(summed(terms), TABLE), K, atol=1e-9)


def test_the_penalty_is_a_local_minimum_of_the_loss():
    held = Held((Y - Y.mean())[:, None] / Y.std())
    K = gram(RBF(), NUMBERS[:, None])
    penalty, predicted, tried = best_penalty(K, held, 1e-2)
    losses = dict(tried)
    assert losses[penalty] == pytest.approx(held.loss(predicted))
    assert losses[penalty] <= 1.001 * min(losses.values())


def test_one_line_adds_a_kind(monkeypatch):
    class Bag(frozenset):
        pass

    bag = Kind("bag", "bags", lambda v: isinstance(v[0], Bag), set_kernels, read_sets)
    monkeypatch.setattr("mercer.proposals.registry.KINDS", {"bag": bag, **KINDS})
    monkeypatch.setattr("mercer.automatic.kinds.terms.KINDS", {"bag": bag, **KINDS})
    model = AutoClassifier(time="fast").fit([Bag(tags) for tags in SETS], TAGGED)
    assert model.model_.parts == [Part("bag")] and model.score(SETS, TAGGED) > 0.9


def test_samples_without_content_are_refused():
    with pytest.raises(InputError, match="nothing to learn from"):
        AutoClassifier().fit([""] * 30, [0, 1] * 15)


def test_titles_of_terms():
    assert Term(TfIdf(), ("text",), "", 0.0, 1.0).title == "TfIdf()"
    assert "product" in Term(TfIdf(), ("text", "set"), "", 0.0, 1.0).title
