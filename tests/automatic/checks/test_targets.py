"""Targets that may be meant otherwise are pointed out, in one line each."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mercer.automatic.checks.chosen import Choice
from mercer.automatic.question import ask
from mercer.errors import InputError
from mercer.readers import Source

rng = np.random.default_rng(0)
N = 120


def table(y, **columns):
    frame = pd.DataFrame({"a": rng.standard_normal(N), "b": rng.standard_normal(N), **columns})
    return Source("table", frame.assign(y=y), None, [], None, "made up")


POINTED_OUT = {
    "three numbers": (np.arange(N) % 3, "y has 3 different numbers (0, 1, 2), which are read"),
    "twelve numbers": (np.arange(N) % 12, "y has 12 different numbers (0 to 11), which are read"),
    "three fractions": (np.arange(N) % 3 / 2, "y has 3 different numbers only (0, 0.5, 1), which"),
    "rows": (np.arange(N), "y counts the rows, from 0 to 119: is it the target?"),
    "many classes": ([f"k{at % 60}" for at in range(N)], "y has 60 classes, 2 samples each on"),
}


@pytest.mark.parametrize(("y", "said"), POINTED_OUT.values(), ids=POINTED_OUT)
def test_notes(y, said):
    (note,) = ask(table(y), "y").notes
    assert note.startswith(said) and "\n" not in note


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_nothing_is_said_of_what_was_asked_for(task):
    assert ask(table(np.arange(N) % 3), "y", task).notes == []


def test_nothing_is_said_of_two_numbers_and_of_many():
    assert ask(table(np.arange(N) % 2), "y").notes == []
    assert ask(table(rng.standard_normal(N)), "y").notes == []
    assert ask(table(["u", "v", "w"] * 40), "y").notes == []


DAYS = pd.date_range("2020-01-01", periods=N)
REFUSED = {
    "dates": (DAYS.strftime("%Y-%m-%d"), "holds dates, such as '2020-01-01'"),
    "times": (DAYS.strftime("%Y-%m-%d 12:30"), "which are neither numbers nor classes"),
    "other dates": (DAYS.strftime("%d/%m/%Y"), "holds dates, such as '01/01/2020'"),
    "datetimes": (DAYS, "give a number, such as days since a start"),
    "names": ([f"name {at}" for at in range(N)], "is it the name of the row, or a text"),
    "amounts": ([f"${at},{at:03d}.50" for at in range(N)], r"is it a number\? write '\$0,000.50'"),
    "shares": ([f"{at} %" for at in range(N)], "is it a number"),
}


@pytest.mark.parametrize(("y", "said"), REFUSED.values(), ids=REFUSED)
def test_refused(y, said):
    with pytest.raises(InputError, match=said) as caught:
        ask(table(y), "y")
    assert "\n" not in str(caught.value)


def test_dates_that_repeat_can_be_classes():
    y = np.array(["2020-01-01", "2021-01-01"] * (N // 2), dtype=object)
    assert ask(table(y), "y", "classification").task == "classification"


# -- the columns that the user chose ---------------------------------------------------------------


def chosen(**options):
    source = table(["u", "v"] * (N // 2), key=np.arange(N), **{"c,d": rng.random(N)})
    return ask(source, "y", choice=Choice(**options))


@pytest.mark.parametrize(
    ("options", "columns"),
    [
        ({"drop": ["a"]}, ["b", "key", "c,d"]),
        ({"drop": ["0", "c,d"]}, ["b", "key"]),
        ({"drop": ["a, key"]}, ["b", "c,d"]),
        ({"columns": ["b", "a"]}, ["a", "b"]),
        ({"columns": ["a,b"], "drop": ["a"]}, ["b"]),
        ({"id": "key"}, ["a", "b", "c,d"]),
    ],
)
def test_columns_are_chosen(options, columns):
    found = chosen(**options)
    assert list(found.X.columns) == columns
    assert {each.column for each in found.left_out}.isdisjoint(columns)
    assert len(found.left_out) + len(columns) == 4


def test_names_of_samples():
    assert chosen(id="key").names.tolist() == list(range(N)) and chosen().names is None


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"drop": ["keys"]}, "drop = 'keys' is not a column; did you mean 'key'"),
        ({"columns": ["a,z"]}, "columns = 'z' is not a column"),
        ({"id": "nothing"}, "id = 'nothing' is not a column"),
        ({"drop": ["y"]}, "target = 'y' is left out as well"),
        ({"drop": ["a", "b", "key", "c,d"]}, "has no column left to learn from"),
    ],
)
def test_refused_columns(options, said):
    with pytest.raises(InputError, match=said):
        chosen(**options)


def test_columns_of_samples_that_have_none():
    source = Source("texts", ["a b"] * 20, np.array(["u", "v"] * 10), [], None, "20 texts")
    assert len(ask(source, None, choice=Choice()).y) == 20
    with pytest.raises(InputError, match=r"--drop = .* is for tables"):
        ask(source, None, choice=Choice(drop=["a"]))
