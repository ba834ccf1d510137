"""Columns that tell the target alone are pointed out."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mercer.automatic.checks.leaks import leaking_columns

rng = np.random.default_rng(0)
N = 120
A, B = rng.standard_normal((2, N))
TWO = np.where(A > 0.5, "yes", "no")
THREE = np.digitize(A, [-0.5, 0.5]).astype(str)
HONEST = {"b": B, "noisy": A + 0.3 * B, "color": rng.choice(["red", "blue"], N)}


LEAKS = {
    "number": (A, TWO),
    "falling number": (-A, TWO),
    "code": (np.where(A > 0.5, "closed", "open"), TWO),
    "codes of one class each": (np.where(A > 0.5, rng.choice(["p", "q"], N), "open"), TWO),
    "truth": (A > 0.5, TWO),
    "filled for one class only": (np.where(A > 0.5, B, np.nan), TWO),
    "ranges": (A, THREE),
    "codes of three classes": (np.char.add("class ", THREE), THREE),
}


@pytest.mark.parametrize(("values", "y"), LEAKS.values(), ids=LEAKS)
def test_classes(values, y):
    found = leaking_columns(pd.DataFrame({**HONEST, "leak": values}), y, classification=True)
    assert found == [("leak", "AUC 1")]


@pytest.mark.parametrize("values", [2 * A + 3, -A, np.exp(A)], ids=["line", "falling", "curve"])
def test_numbers(values):
    found = leaking_columns(pd.DataFrame({**HONEST, "leak": values}), A, classification=False)
    assert found == [("leak", "R² 1")]


def test_groups_of_numbers():
    group = rng.integers(0, 5, N)
    frame = pd.DataFrame({**HONEST, "leak": np.array(list("abcde"))[group]})
    assert leaking_columns(frame, 10.0 * group, classification=False) == [("leak", "R² 1")]


def test_names_of_rows_that_tell_the_class():
    code = [f"{'AX' if label == 'yes' else 'BQ'}{at:04d}" for at, label in enumerate(TWO)]
    ((name, reached),) = leaking_columns(pd.DataFrame({"code": code, **HONEST}), TWO, True)
    assert name == "code" and "by its letters" in reached
    # they may be all there is to learn from
    assert leaking_columns(pd.DataFrame({"code": code}), TWO, True) == []


def test_identifiers_and_few_rows_are_no_leaks():
    names = pd.DataFrame({"name": [f"n{at}" for at in range(N)], "half": [None, "x"] * (N // 2)})
    assert leaking_columns(names, TWO, classification=True) == []
    assert leaking_columns(names, A, classification=False) == []
    few = pd.DataFrame({"a": A[:12]})
    assert leaking_columns(few, TWO[:12], classification=True) == []
