"""DNA in capital and in small letters, among samples and in columns."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest

from mercer import AutoClassifier, AutoRegressor, describe, table_kernel
from mercer.errors import DataWarning

_MIXED = r"holds DNA in capital and in small letters, which kernels take for different ones; "
IN_COLUMN = rf"column 'dna' {_MIXED}.*X\['dna'\]\.str\.(upper|to_uppercase)\(\)"


def sequences(n=40):
    """Strings of which every other one has small letters."""
    rng = np.random.default_rng(0)
    found = ["".join(rng.choice(list("ACGT"), 12)) for _ in range(n)]
    return [text.lower() if at % 2 else text for at, text in enumerate(found)]


def table(cells=None):
    cells = sequences() if cells is None else cells
    return pd.DataFrame({"dna": cells, "size": np.arange(len(cells)) % 7.0})


def classes(n=40):
    return np.arange(n) % 2


FORMS = {
    "pandas": lambda frame: frame,
    "categories": lambda frame: frame.astype({"dna": "category"}),
    "strings": lambda frame: frame.astype({"dna": "string"}),
    "polars": lambda frame: pl.DataFrame(frame.to_dict("list")),
}
USES = {
    "describe": describe,
    "table_kernel": table_kernel,
    "AutoClassifier": lambda X: AutoClassifier(time="fast").fit(X, classes()),
    "AutoRegressor": lambda X: AutoRegressor(learner="ridge").fit(X, np.arange(40.0)),
    "AutoClassifier, a kernel": lambda X: AutoClassifier("Overlap().on(['dna'])").fit(X, classes()),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("use", USES)
def test_a_column_of_a_frame(use, form):
    with pytest.warns(DataWarning, match=IN_COLUMN):
        USES[use](FORMS[form](table()))


@pytest.mark.parametrize("make", [list, np.array, lambda texts: np.array(texts, dtype=object)])
def test_a_list_of_sequences(make):
    remedy = r"X = \[text\.upper\(\) for text in X\]"
    with pytest.warns(DataWarning, match=f"^X {_MIXED}.*{remedy}"):
        AutoClassifier(time="fast").fit(make(sequences()), classes())


def test_columns_without_names():
    rows = table().to_numpy(dtype=object)
    for X in (rows, rows.tolist()):
        with pytest.warns(DataWarning, match=f"^column 0 {_MIXED}"):
            describe(X)
        with pytest.warns(DataWarning, match=f"^column 0 {_MIXED}"):
            AutoClassifier(time="fast").fit(X, classes())


def test_a_column_that_is_left_out():
    with warnings.catch_warnings():
        warnings.simplefilter("error", DataWarning)
        AutoRegressor(learner="ridge", drop=["dna"]).fit(table(), np.arange(40.0))


def test_gaps_blanks_and_missing_cells():
    odd = [None if at == 3 else f" {text[:6]}-{text[6:]}N\n" for at, text in enumerate(sequences())]
    with pytest.warns(DataWarning, match=IN_COLUMN):
        describe(table(odd))
    odd[3] = "?"
    with pytest.warns(DataWarning, match=IN_COLUMN):
        describe(table(odd), missing=("?",))


IN_NO_DOUBT = {
    "capital": [text.upper() for text in sequences()],
    "small": [text.lower() for text in sequences()],
    "answers": ["Y", "n", "N", "y"] * 10,
    "genes": ["AA", "Aa", "aa", "aA"] * 10,
    "two genes": ["AaBb", "AABB", "aabb", "Aabb"] * 10,
    "proteins": ["MKVLaa", "mkv"] * 20,
    "names": ["Ann", "Gus", "Ada", "Bob"] * 10,
    "numbers": list(range(40)),
    "nothing": [np.nan] * 39 + ["a"],
}


@pytest.mark.parametrize("case", IN_NO_DOUBT)
def test_what_is_in_no_doubt(case):
    with warnings.catch_warnings():
        warnings.simplefilter("error", DataWarning)
        describe(table(IN_NO_DOUBT[case]))
