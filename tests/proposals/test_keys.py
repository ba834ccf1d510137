"""Columns that name the rows are told by their names and by their values."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mercer.proposals.keys import are_labels, identifiers, is_key, names_rows


@pytest.mark.parametrize(
    "name", ["id", "ID", "customer_id", "customerId", "PassengerId", "uuid", "Unnamed: 0", "row_no"]
)
def test_names_of_keys(name):
    assert is_key(name)


@pytest.mark.parametrize(
    "name", ["refractive_index", "age", "paid", "humid", "monkey", "number of rooms", "width", "c0"]
)
def test_names_of_features(name):
    assert not is_key(name)


@pytest.mark.parametrize("values", [range(100), [f"C-{i}" for i in range(100)], np.arange(30.0)])
def test_values_that_are_all_different(values):
    assert names_rows("customer_id", list(values))
    assert not names_rows("age", list(values))


@pytest.mark.parametrize(
    "values",
    [[1, 2] * 20, ["a", "b"] * 20, range(10), [0.5 + i for i in range(40)], [None] * 30, []],
)
def test_values_that_name_no_rows(values):
    assert not names_rows("customer_id", list(values))


def test_columns_that_name_rows_in_every_table():
    one = pd.DataFrame({"id": range(40), "key": range(40), "age": range(40)})
    other = one.assign(key=1)
    assert identifiers(one) == ["id", "key"] and identifiers(one, other) == ["id"]


@pytest.mark.parametrize("label", ["C-{}", "Kunde_{}", "INV{:04}", "site/a#{}", "é{:03}"])
def test_labels_with_numbers_name_rows_whatever_the_column_is_called(label):
    labels = [label.format(7 * i) for i in range(40)]
    assert are_labels(labels)
    frame = pd.DataFrame({"customer": labels, "age": range(40)})
    assert identifiers(frame) == ["customer"] == identifiers(frame, frame[:20])
    assert identifiers(frame, frame.assign(customer="C-1")) == []


@pytest.mark.parametrize(
    "values",
    [
        [f"{i} kg" for i in range(40)],
        [f"EUR {i}" for i in range(100, 140)],
        [f"CHF{i}" for i in range(80, 120)],  # prices: the numbers have two digits or three
        [f"2020-01-{i:02}" for i in range(1, 30)],
        [f"C-{i}" for i in range(10)],
        ["C-1", "C-2"] * 20,
        [f"{'CD'[i % 2]}-{i}" for i in range(40)],
        ["".join("ACGT"[i // 4**j % 4] for j in range(5)) for i in range(40)],
        [frozenset({i}) for i in range(40)],
    ],
)
def test_values_that_are_no_labels(values):
    assert not are_labels(values)
