"""Collections of strings in every form, and what is refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from mercer import BagOfWords, Spectrum
from mercer.domains.base import Batch
from mercer.domains.strings import STRINGS, StringSamples
from mercer.errors import EmptyInputError, InputTypeError

TEXTS = ["aababc", "", "héllo wörld", "a", "𝒳𝒴𝒳𝒴 😀", "ab\x00ab"]

FORMS = {
    "list": list,
    "tuple": tuple,
    "object array": lambda t: np.array(t, dtype=object),
    "string array": np.array,
    "column": lambda t: np.array(t, dtype=object).reshape(-1, 1),
    "pandas series": pd.Series,
    "pandas strings": lambda t: pd.Series(t, index=range(10, 10 + len(t)), dtype="string"),
    "pandas categories": lambda t: pd.Series(t).astype("category"),
    "pandas frame": lambda t: pd.DataFrame({"name": t}),
    "polars series": pl.Series,
    "polars frame": lambda t: pl.DataFrame({"name": t}),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("kernel", [Spectrum(length=2), BagOfWords()], ids=repr)
def test_every_form_is_read_alike(form, kernel):
    expected = kernel(TEXTS)
    assert np.array_equal(kernel(form(TEXTS)), expected)
    assert np.array_equal(kernel(form(TEXTS), TEXTS[:2]), expected[:, :2])
    assert np.array_equal(kernel.diag(form(TEXTS)), expected.diagonal())


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_rows_are_taken_from_every_form(form):
    rows = np.array([4, 0, 0, 2])
    taken = Batch(form(TEXTS)).take(rows)
    assert np.array_equal(
        Spectrum(length=1).prepare(taken).norms, Spectrum(length=1).diag([TEXTS[i] for i in rows])
    )


def test_code_points_not_bytes():
    side = Batch(TEXTS).encode(STRINGS)
    assert side.lengths.tolist() == [6, 0, 11, 1, 6, 5]
    assert side.string(4).tolist() == [ord(c) for c in TEXTS[4]]
    assert Spectrum(length=1)(["𝒳𝒳", "é"], ["𝒳", "e\u0301"]).tolist() == [[2, 0], [0, 0]]


def test_surrogates_are_letters_too():
    assert Spectrum(length=1)(["\ud800\ud800a", "a"]).tolist() == [[5, 1], [1, 1]]
    assert Spectrum(length=1)(["a"], ["\udfffa"]).tolist() == [[1]]


def test_taking_and_blocks():
    side = Batch(TEXTS).encode(STRINGS)
    taken = side.take(np.array([2, 1, 0]))
    assert ["".join(map(chr, taken.string(i))) for i in range(3)] == [TEXTS[2], "", TEXTS[0]]
    assert taken.identities().tolist() == [2, 1, 0] and taken.origin is side
    assert len(side.take(np.array([], dtype=int))) == 0
    for letters in (1, 6, 7, 1000):
        blocks = list(side.blocks(letters))
        assert np.concatenate([part.identities() for part in blocks]).tolist() == list(
            range(len(TEXTS))
        )
        assert [
            "".join(map(chr, part.string(i))) for part in blocks for i in range(len(part))
        ] == TEXTS
        assert all(len(part) == 1 or len(part.codes) <= letters for part in blocks)


def test_alphabet():
    found, places = Batch(["cab", "", "a😀"]).encode(STRINGS).alphabet()
    assert found.tolist() == [97, 98, 99, 0x1F600] and places.tolist() == [2, 0, 1, 0, 3]
    found, places = StringSamples(
        np.empty(0, dtype=np.uint32), np.zeros(2, dtype=np.int64)
    ).alphabet()
    assert len(found) == len(places) == 0


@pytest.mark.parametrize(
    "bad", [None, float("nan"), 3, b"bytes", ["list"], pd.NA, np.nan], ids=repr
)
@pytest.mark.parametrize("kernel", [Spectrum(), BagOfWords()], ids=repr)
def test_what_is_no_string_is_named(kernel, bad):
    with pytest.raises(InputTypeError, match=r"X\[1\]"):
        kernel(["a", bad, "b"])
    with pytest.raises(InputTypeError, match=r"Y\[2\]"):
        kernel(["a"], ["b", "c", bad])


def test_missing_values_of_series_are_named():
    for series in (
        pd.Series(["a", None]),
        pd.Series(["a", pd.NA], dtype="string"),
        pl.Series(["a", None]),
    ):
        with pytest.raises(InputTypeError, match=r"X\[1\]"):
            Spectrum()(series)


@pytest.mark.parametrize(
    "bad", ["one text", {"a": 1}, iter(["a"]), 3, np.array("a")], ids=lambda v: type(v).__name__
)
def test_what_is_no_collection(bad):
    with pytest.raises(InputTypeError, match="X"):
        Spectrum()(bad)


def test_several_columns_are_refused():
    with pytest.raises(InputTypeError, match="2 columns"):
        Spectrum()(pd.DataFrame({"a": ["x"], "b": ["y"]}))
    with pytest.raises(InputTypeError, match="2 columns"):
        Spectrum()(np.array([["x", "y"]], dtype=object))


@pytest.mark.parametrize(
    "empty",
    [[], np.array([], dtype=object), pd.Series([], dtype=object), pl.Series([], dtype=pl.String)],
    ids=repr,
)
def test_no_strings(empty):
    with pytest.raises(EmptyInputError):
        Spectrum()(empty)
