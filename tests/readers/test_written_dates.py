"""Dates as people write them: the order of day and month is known from the first table."""

from __future__ import annotations

import dataclasses

import pandas as pd
import pytest

from mercer.readers import read_table
from mercer.readers.written_dates import as_dates, date_orders

DAYS = pd.date_range("2021-01-05", periods=60, freq="9D")
ISO = DAYS.strftime("%Y-%m-%d").tolist()


@pytest.mark.parametrize(
    ("written", "order"),
    [("%d/%m/%Y", "day"), ("%m/%d/%Y", "month"), ("%d-%m-%Y", "day"), ("%d.%m.%Y", "day")],
)
def test_the_order_is_the_only_one_that_all_values_allow(written, order):
    frame = pd.DataFrame({"joined": DAYS.strftime(written), "size": 1.0})
    assert date_orders(frame) == {"joined": order}
    assert as_dates(frame, {"joined": order})["joined"].tolist() == ISO


def test_times_and_missing_values_are_kept():
    frame = pd.DataFrame({"at": ["31/12/2021 23:05", None, "1/2/2022 7:30"]})
    read = as_dates(frame, date_orders(frame))["at"]
    assert read[[0, 2]].tolist() == ["2021-12-31 23:05", "2022-02-01 07:30"]
    assert read.isna()[1]


@pytest.mark.parametrize(
    "values",
    [
        ["1/2/2022", "3/4/2022"],  # in two ways
        ["31/12/2021", "12/31/2021"],  # in no way
        ["31/02/2021"],  # there is no such day
        ["1/2/22", "31/2/22"],  # of which century?
        ["31/12/2021", "soon"],
        [None, None],
    ],
)
def test_other_columns_are_left_as_they_are(values):
    assert date_orders(pd.DataFrame({"when": values})) == {}


def test_dots_stand_between_day_and_month():
    assert date_orders(pd.DataFrame({"when": ["1.2.2022", "3.4.2022"]})) == {"when": "day"}


def test_later_tables_are_read_in_the_order_of_the_first(tmp_path):
    first, later = tmp_path / "first.csv", tmp_path / "later.csv"
    first.write_text("id,joined\n1,31/12/2021\n2,\n3,01/02/2022\n")
    later.write_text("id,joined\n1,02/03/2022\n")
    frame, layout = read_table(first)
    assert frame["joined"].dropna().tolist() == ["2021-12-31", "2022-02-01"]
    assert layout.day_first == ("joined",) and "dates with the day first" in str(layout)
    known, same = read_table(later, like=layout)
    assert known["joined"].tolist() == ["2022-03-02"]
    assert dataclasses.replace(same, names=layout.names) == layout
    alone, _ = read_table(later)  # nobody knows
    assert alone["joined"].tolist() == ["02/03/2022"]


def test_columns_asked_for_as_text_stay_text(tmp_path):
    path = tmp_path / "some.csv"
    path.write_text("id,joined\n1,31/12/2021\n2,01/02/2022\n")
    frame, layout = read_table(path, texts=["joined"])
    assert frame["joined"].tolist() == ["31/12/2021", "01/02/2022"]
    assert layout.day_first == ()
