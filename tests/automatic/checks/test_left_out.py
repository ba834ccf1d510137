"""Identifiers, constants and idle texts are found; features are not."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from automatic.checks.messy import messy

from mercer.automatic.checks.left_out import columns_to_leave_out

IDLE = {
    "customer_id": "identifier",
    "token": "identifier",
    "count": "identifier",
    "remark": "text",
    "version": "constant",
}


@pytest.mark.parametrize("seed", range(4))
def test_what_is_no_feature_is_left_out(seed):
    frame, y = messy(seed=seed)
    found = {each.column: each.kind for each in columns_to_leave_out(frame, y, classification=True)}
    assert found == IDLE


def test_numbers_as_targets():
    frame, _ = messy()
    y = frame["age"].to_numpy() + np.random.default_rng(0).standard_normal(len(frame))
    found = columns_to_leave_out(frame, y, classification=False)
    assert {each.column: each.kind for each in found} == IDLE


def test_reasons_are_told():
    frame, y = messy()
    found = {
        each.column: each.reason for each in columns_to_leave_out(frame, y, classification=True)
    }
    assert found["version"] == "is '2.1' in every row"
    assert found["count"] == "counts the rows, from 0 to 299"
    assert found["customer_id"].startswith("is an identifier: 300 different whole numbers")


def test_what_is_kept():
    frame, y = messy()
    kept = ["token", "version", "customer_id"]
    found = columns_to_leave_out(frame, y, classification=True, keep=kept)
    assert [each.column for each in found] == ["count", "remark"]


def test_texts_and_strings_that_tell_the_target_stay():
    frame, y = messy()
    rng = np.random.default_rng(1)
    mood = np.where(y == "yes", "angry", "happy")
    remarks = [f"{text} {word}" for text, word in zip(frame["remark"], mood, strict=True)]
    codes = [f"{'AX' if label == 'yes' else 'BQ'}{rng.integers(10**6):06d}" for label in y]
    found = columns_to_leave_out(frame.assign(remark=remarks, token=codes), y, classification=True)
    assert {each.column for each in found} == IDLE.keys() - {"remark", "token"}


def test_a_counter_that_tells_the_target_stays_unless_it_is_a_key():
    steps = np.arange(100)
    frame = pd.DataFrame({"week": steps, "id": steps, "a": np.random.default_rng(0).random(100)})
    found = columns_to_leave_out(frame, 0.1 * steps, classification=False)
    assert [each.column for each in found] == ["id"]


def test_something_remains_to_learn_from():
    rng = np.random.default_rng(0)
    names = ["".join(rng.choice(list("abcdefgh"), 8)) for _ in range(60)]
    frame = pd.DataFrame({"name": names})
    y = rng.integers(0, 2, 60)
    assert columns_to_leave_out(frame, y, classification=True) == []


def test_few_rows_prove_nothing():
    frame, y = messy(40)
    found = columns_to_leave_out(frame[:12], y[:12], classification=True)
    assert [each.kind for each in found] == ["constant"]


def test_a_text_is_not_judged_beside_a_column_that_tells_the_target():
    frame, y = messy()
    words = np.where(y == "yes", "paid late again and again", "always paid in good time")
    notes = [f"{text} note{at}" for at, text in enumerate(words)]
    leaked = frame.assign(comment=notes, closed=np.where(y == "yes", "by us", "by them"))
    found = {each.column: each for each in columns_to_leave_out(leaked, y, classification=True)}
    assert "comment" not in found
    rows = min(len(frame), 500)
    assert f"added nothing measurable on {rows} rows" in found["remark"].reason


def test_missing_values():
    frame, y = messy()
    frame = frame.assign(hole=None, mark="?")
    frame.loc[::3, ["remark", "token", "age"]] = None
    found = columns_to_leave_out(frame, y, classification=True, missing=("?",))
    kinds = {each.column: each.kind for each in found}
    assert kinds == {**IDLE, "hole": "empty", "mark": "empty"}
    # one value and missing ones: that a value is missing may tell something
    frame["mark"] = np.where(np.arange(len(frame)) % 2, "x", None)
    assert "mark" not in {e.column for e in columns_to_leave_out(frame, y, classification=True)}
