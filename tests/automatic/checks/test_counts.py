"""The table of counts that a study of missing values begins with."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import mercer
from mercer import errors

# The first columns of the lecture's table: 139 samples of water, and two markers.
ORIGIN = ["Human"] * 50 + ["Cow"] * 26 + ["Poultry"] * 31 + ["Pig"] * 32
HF183 = [0] * 68 + [1] * 40 + [None] * 31
CF128 = [None] * 30 + [0] * 104 + [1] * 5


@pytest.fixture
def frame() -> pd.DataFrame:
    origin = pd.Categorical(ORIGIN, categories=["Human", "Cow", "Poultry", "Pig"])
    return pd.DataFrame({"Origin": origin, "HF183": HF183, "CF128": CF128})


def test_the_table_of_the_lecture(frame):
    lines = str(mercer.describe(frame)).splitlines()
    assert [line.split() for line in lines[:4]] == [
        ["Origin", "HF183", "CF128"],
        ["Human:", "50", "0:", "68", "0:", "104"],
        ["Cow:", "26", "1:", "40", "1:", "5"],
        ["Poultry:", "31", "missing:", "31", "(22.3", "%)", "missing:", "30", "(21.6", "%)"],
    ]
    assert lines[-1].startswith(
        "139 rows, 3 columns, 14.6 % of all cells are missing, 21.6 to 22.3"
    )


def test_all_kinds_of_tables_say_the_same(frame):
    said = mercer.describe(frame)
    polars = mercer.describe(pl.DataFrame({"Origin": ORIGIN, "HF183": HF183, "CF128": CF128}))
    rows = mercer.describe(list(zip(ORIGIN, HF183, CF128)))
    for other in (polars, rows):
        assert other.rows == 139 and other.share == said.share
        assert [c.missing for c in other.columns] == [0, 31, 30]
        assert all(a.counts == b.counts for a, b in zip(said.columns, other.columns))
    marked = frame.astype(object).where(frame.notna(), "?")
    assert mercer.describe(marked, missing=("?",)).columns[1] == said.columns[1]


def test_numbers_and_many_values():
    made = mercer.describe(
        pd.DataFrame({"x": np.arange(101.0), "name": [f"n{at % 50}" for at in range(101)]})
    )
    x, name = made.columns
    assert x.counts == {} and x.quartiles["median"] == 50.0 and x.quartiles["max"] == 100.0
    assert name.quartiles == {} and sum(name.counts.values()) == 101
    assert "(others): 88" in str(made) and "no missing values" in str(made)
    assert "<td>median: 50</td>" in made._repr_html_()


def test_texts_of_the_data_are_texts():
    made = mercer.describe([["<b>", "a\nb"], ["<b>", "x" * 99]])
    assert "<b>" not in made._repr_html_() and "a b: 1" in str(made)
    assert max(map(len, str(made).splitlines())) < 100


def test_columns_without_values_and_mixed_ones():
    made = mercer.describe([[None, 1], [None, "x"], [float("nan"), 2.5]])
    assert made.columns[0].share == 1.0 and made.columns[1].counts == {1: 1, "x": 1, 2.5: 1}


def test_refused():
    with pytest.raises(errors.ParameterError, match="most"):
        mercer.describe([[1]], most=0)
    with pytest.raises(errors.InputTypeError, match="holds lists"):
        mercer.describe(pd.DataFrame({"a": [[1], [2]]}))
    with pytest.raises(errors.InputError):
        mercer.describe([])
    with pytest.raises(errors.InputTypeError, match="is not computed yet"):
        mercer.describe(pl.DataFrame({"a": [1]}).lazy())


def test_control_characters_are_escaped():
    """In displays of Python as on the command line; notebooks show HTML."""
    frame = pd.DataFrame({"a\x1b[31m": ["x\x07", "y\u202e"] * 20, "b": np.arange(40.0)})
    y = np.where(np.arange(40) % 2, "no\x1b]0;a\x07", "yes")
    model = mercer.AutoClassifier(time="fast").fit(frame, y)
    shown = [mercer.describe(frame), mercer.explain(model, frame[:2]), mercer.relate(frame)]
    for each in shown:
        assert not set(str(each)) & set("\x1b\x07\u202e") and "\\x1b" in str(each), each
