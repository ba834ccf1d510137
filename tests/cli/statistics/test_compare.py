"""``mercer compare``: the verdict, the columns and the rows, as text, JSON and a page."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

RNG = np.random.default_rng(0)
FEW = ("--permutations", "99")


def table(n, shift=0.0):
    frame = pd.DataFrame({"age": RNG.normal(40, 8, n), "city": RNG.choice(["rome", "oslo"], n)})
    frame["income"] = RNG.exponential(3.0, n) + shift
    frame.loc[::9, "income"] = np.nan
    return frame.assign(all="x")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    for name, frame in {
        "a.csv": table(60),
        "b.csv": table(50, 4.0),
        "c.csv": table(55),
        "d.csv": table(20).rename(columns={"age": "years"}),
    }.items():
        frame.to_csv(folder / name, index=False)
    return folder


def test_tables_that_differ(mercer, files):
    said = mercer("compare", files / "a.csv", files / "b.csv", *FEW)
    assert said.code == 1 and "a.csv and b.csv differ: p = 0.01" in said.out
    assert "income (p = 0.01)" in said.out and "age" not in said.out.splitlines()[1]


def test_tables_that_do_not(mercer, files):
    said = mercer("compare", files / "a.csv", files / "c.csv", *FEW)
    assert said.code == 0 and "not seen to differ" in said.out


def test_json_and_the_page(mercer, files, tmp_path):
    page = tmp_path / "page.html"
    said = mercer("compare", files / "a.csv", files / "b.csv", "--json", "-r", page, *FEW)
    values = json.loads(said.out)
    assert values["different"] and values["columns"][0]["name"] == "income"
    assert len(values["telling_rows"]["a.csv"]) == 5 and values["report"] == str(page)
    text = page.read_text(encoding="utf-8")
    assert "Which columns?" in text and "data:image/svg+xml" in text and "income" in text


def test_columns_are_chosen(mercer, files):
    said = mercer("compare", files / "a.csv", files / "b.csv", "--drop", "income", "--json", *FEW)
    names = {column["name"] for column in json.loads(said.out)["columns"]}
    assert names == {"age", "city", "all"} and said.code == 0
    said = mercer("compare", files / "a.csv", files / "b.csv", "--columns", "income,age", *FEW)
    assert "2 columns" in said.out


def test_columns_of_one_file_are_a_difference(mercer, files, tmp_path):
    """A file that lost a column does not pass, whatever the other columns say."""
    page = tmp_path / "page.html"
    said = mercer("compare", files / "a.csv", files / "d.csv", "-r", page, *FEW)
    assert said.code == 1
    text = " ".join(said.out.split())
    assert "a.csv and d.csv have different columns; they " in text
    assert "in the 3 columns that are compared: p = " in text
    assert "only in a.csv age" in text and "only in d.csv years" in text
    assert "Only in d.csv: years." in page.read_text(encoding="utf-8")
    values = json.loads(mercer("compare", files / "a.csv", files / "d.csv", "--json", *FEW).out)
    assert values["different"]
    assert values["columns_of_one_file"] == {"a.csv": ["age"], "d.csv": ["years"]}


def test_columns_that_may_be_missing_are_dropped(mercer, files):
    """Of one file or the other; the others decide."""
    same = ("--drop", "age,years", "--columns", "city,all", *FEW)
    for options in (("--drop", "age,years,income", *FEW), same):
        said = mercer("compare", files / "a.csv", files / "d.csv", *options)
        assert said.code == 0 and "only in" not in said.out, said.out
    said = mercer("compare", files / "a.csv", files / "d.csv", "--columns", "city,years", *FEW)
    assert said.code == 1 and "only in d.csv" in said.out and "age" not in said.out


def test_identifiers_are_left_out_as_in_a_fit(mercer, files):
    for name, first in (("a", 0), ("c", 500)):
        frame = pd.read_csv(files / f"{name}.csv")
        frame["customer_id"] = [f"C-{first + row:05d}" for row in range(len(frame))]
        frame.to_csv(files / f"{name}_keys.csv", index=False)
    said = mercer("compare", files / "a_keys.csv", files / "c_keys.csv", *FEW)
    assert said.code == 0 and "left out as identifiers: customer_id" in " ".join(said.out.split())
    named = ("--columns", "customer_id,age")
    said = mercer("compare", files / "a_keys.csv", files / "c_keys.csv", *named, *FEW)
    assert said.code == 1 and "customer_id" in said.out and "left out" not in said.out


def test_fewer_rows(mercer, files):
    said = mercer("compare", files / "a.csv", files / "b.csv", "--rows", "30", *FEW)
    assert "30 and 30 rows, drawn at random" in said.out


def test_sequences(mercer, tmp_path):
    for name, letters in (("x", "AC"), ("y", "GT")):
        lines = [f">{i}\n{''.join(RNG.choice(list(letters), 12))}" for i in range(15)]
        (tmp_path / f"{name}.fasta").write_text("\n".join(lines))
    said = mercer("compare", tmp_path / "x.fasta", tmp_path / "y.fasta", *FEW)
    assert said.code == 1 and "x.fasta and y.fasta differ" in said.out


def test_mistakes(mercer, files, tmp_path):
    (tmp_path / "z.csv").write_text("q,r\n1,2\n3,4\n")
    bad = [
        (files / "a.csv", tmp_path / "none.csv"),
        (files / "a.csv", tmp_path / "z.csv"),
        (files / "a.csv", files / "b.csv", "--drop", "nobody"),
        (files / "a.csv", files / "b.csv", "--drop", "age,city,income,all"),
        (files / "a.csv", files / "b.csv", "--report", files / "a.csv"),
        (files / "a.csv", files / "b.csv", "--kernel", "Nope()"),
    ]
    for arguments in bad:
        said = mercer("compare", *arguments, *FEW)
        assert said.code == 2 and said.err.startswith("mercer: ") and said.out == ""
