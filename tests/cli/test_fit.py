"""``mercer fit`` on tables as they come; what cannot be used is one line."""

from __future__ import annotations

import json
import os
import re
import shlex
from html import unescape

import numpy as np
import pytest

from mercer import load
from mercer.automatic.study import layout_of

NARROW = ("-t", "y", "-k", "RBF(2.0).on(['a'])")


def column(rows, name, values):
    """The table with one more column at its left."""
    return [[name, *rows[0]], *([value, *row] for value, row in zip(values, rows[1:], strict=True))]


def told(said) -> dict:
    """The lines of the text by their names; the notes as a list."""
    found: dict = {"note": []}
    whole = re.sub(r"\n {13}(?=\S)", " ", said.out)  # lines that go on below
    for line in whole.splitlines():
        name, _, text = line.partition("  ")
        if name == "note":
            found["note"].append(text.strip())
        elif name:
            found[name] = text.strip()
    return found


# -- what it says and leaves behind ----------------------------------------------------------------


def test_text_model_and_report(mercer, rows, write, tmp_path):
    write(tmp_path / "t.csv", rows)
    said = mercer("fit", "t.csv", "-t", "y", "--folds", "2", "--repeats", "1", "-l", "ridge")
    found = told(said)
    assert (
        said.code == 0
        and said.err == ""
        and found["data"] == "t.csv: 60 rows; commas, a header, 4 columns"
    )
    assert (
        found["model"] == "t.mercer"
        and found["report"] == "t.html"
        and re.match(r"\d+\.\d % ± ", found["accuracy"])
    )
    assert sorted(file.name for file in tmp_path.iterdir()) == ["t.csv", "t.html", "t.mercer"]
    assert (
        "mercer fit t.csv --target y --learner ridge --folds 2 --repeats 1"
        in (tmp_path / "t.html").read_text()
    )
    assert load("t.mercer").source_["target"] == "y"


def test_json_is_one_object(fit, rows, write, tmp_path):
    write(tmp_path / "t.csv", rows)
    said = fit("t.csv", *NARROW, "--json")
    found = json.loads(said.out)
    assert said.code == 0 and said.err == "" and said.out.count("\n") == 1
    assert {
        "task",
        "target",
        "samples",
        "kernel",
        "status",
        "learner",
        "mean",
        "error",
        "baseline",
        "notes",
        "model",
        "report",
    } <= found.keys()
    assert found["report"] is None and found["samples"] == 60 and found["folds"] == 2


def test_quiet_places_and_threads(mercer, rows, write, tmp_path):
    write(tmp_path / "t.csv", rows)
    made = []
    for threads in (1, 2):
        model = tmp_path / f"{threads}.bin"
        said = mercer(
            "fit",
            "t.csv",
            *NARROW,
            "-q",
            "--folds",
            "2",
            "--repeats",
            "1",
            "--no-report",
            "-o",
            model,
            "--threads",
            threads,
        )
        assert said == (0, "", "")
        made.append(load(model))
    X = made[0].model_.support_vectors_
    np.testing.assert_array_equal(
        made[0].model_.decision_function(X), made[1].model_.decision_function(X)
    )
    assert not (tmp_path / "t.mercer").exists() and not (tmp_path / "t.html").exists()


def test_the_command_in_the_report_reproduces(mercer, rows, write, tmp_path):
    write(
        tmp_path / "a t.csv",
        [[cell.replace("red", "-") for cell in row] for row in rows[1:]],
        between="|",
    )
    options = [
        "--folds",
        "2",
        "--repeats",
        "1",
        "-l",
        "ridge",
        "-k",
        "RBF(2.0).on(['c0'])",
        "--seed",
        "3",
    ]
    reading = ["--missing", "-", "--separator", "|", "--no-header", "--encoding", "latin-1"]
    assert mercer("fit", "a t.csv", "-t", "-1", *options, *reading, "-q").code == 0
    page = (tmp_path / "a t.html").read_text()
    command = shlex.split(unescape(re.search(r"<pre>(mercer fit .*?)</pre>", page)[1]))
    assert command[:5] == ["mercer", "fit", "a t.csv", "--target", "-1"]
    for part in (*reading, "--seed", "3", "RBF(length_scale=2.0).on(['c0'])"):
        assert part in command
    assert mercer(*command[1:], "-q").code == 0
    hide = re.compile(r"(<td>time</td>|<td>peak memory</td>).*?</tr>")
    assert hide.sub("", (tmp_path / "a t.html").read_text()) == hide.sub("", page)


@pytest.mark.parametrize(
    ("marks", "missing"), [(["-"], 4), (["-", "unknown"], 5), (["-", ""], 2), ([], 3)]
)
def test_words_for_missing_values_are_added_to_the_usual_ones(mercer, tmp_path, marks, missing):
    """Unless the empty text is among them, which stands for no others than those given."""
    cells = ["NA", "?", "-", "", "unknown", *(["low", "high"] * 20)]
    lines = ["a,b,y", *(f"{at % 7},{cell},{at % 2}" for at, cell in enumerate(cells))]
    (tmp_path / "t.csv").write_text("\n".join(lines))
    options = [word for mark in marks for word in ("--missing", mark)]
    said = mercer("fit", "t.csv", "-t", "y", "--quick", "--no-report", "-l", "ridge", *options)
    assert said.code == 0, said.err
    assert f"{missing} missing cell" in " ".join(said.out.split())


def test_numbers(fit, rows, write, tmp_path):
    write(tmp_path / "t.csv", rows)
    found = told(fit("t.csv", "-t", "b", "-k", "Linear().on(['a'])"))
    assert (
        found["target"].startswith("b: ")
        and "deviation" in found["target"]
        and "baseline, the mean: " in found["R²"]
        and "baseline" in found["RMSE"]
    )


def test_a_process(mercer, rows, write, tmp_path):
    write(tmp_path / "t.csv", rows)
    options = (
        "-k",
        "RBF(2.0).on(['a'])",
        "-l",
        "gp",
        "--folds",
        "2",
        "--repeats",
        "1",
        "--no-report",
    )
    assert mercer("fit", "t.csv", "-t", "b", *options).code == 0


# -- tables as they come ---------------------------------------------------------------------------


def test_decimal_commas_are_kept_for_predictions(mercer, fit, rows, write, tmp_path):
    foreign = [[cell.replace(".", ",") for cell in row] for row in rows]
    write(tmp_path / "t.csv", foreign, between=";")
    found = told(fit("t.csv", *NARROW))
    assert found["data"].endswith("decimal commas") and layout_of(load("t.mercer")).decimal == ","
    write(tmp_path / "new.csv", [foreign[0][:3], *(row[:3] for row in foreign[1:])], between=";")
    plain = write(tmp_path / "plain.csv", rows)
    fit(plain, *NARROW, "-q")
    assert (
        mercer("predict", "t.mercer", "new.csv").out
        == mercer("predict", "plain.mercer", "plain.csv").out
    )


@pytest.mark.parametrize(
    "encode",
    [
        lambda text: text.encode("utf-16"),
        lambda text: b"\xef\xbb\xbf" + text.encode(),
        lambda text: text.replace("\n", "\r\n").encode(),
        lambda text: (text + "\n\n").encode(),
        lambda text: text.replace("\n", ",\n").encode(),
        lambda text: text.replace("red", '"re\nd"').encode(),
    ],
    ids=[
        "UTF-16",
        "BOM",
        "CRLF",
        "blank lines at the end",
        "trailing separators",
        "newlines in quotes",
    ],
)
def test_ways_to_write_a_table(fit, rows, write, tmp_path, encode):
    file = write(tmp_path / "t.csv", rows)
    file.write_bytes(encode(file.read_text()))
    said = fit("t.csv", *NARROW, "--json")
    assert said.code == 0 and json.loads(said.out)["samples"] == 60


COLUMNS = {
    "no value": [""] * 60,
    "constant": ["7"] * 60,
    "truth values": ["True", "False"] * 30,
    "truth values with holes": ["True", "False", ""] * 20,
    "huge whole numbers": [str(10**25 + at * 10**22) for at in range(60)],
    "dates": [f"2020-{1 + at % 12:02d}-{1 + at % 28:02d}" for at in range(60)],
    "thousands": [f'"{at + 1},{at:03d}"' for at in range(60)],
    "many categories": [f"name {at}" for at in range(60)],
    "long texts": ["so many words here and there " * 3 + str(at) for at in range(60)],
    "holes": ["?" if at % 4 else str(at) for at in range(60)],
}


@pytest.mark.parametrize("values", COLUMNS.values(), ids=COLUMNS)
def test_columns(mercer, fit, rows, write, tmp_path, values):
    write(tmp_path / "t.csv", [[row[0], row[1], row[4]] for row in column(rows, "more", values)])
    said = fit("t.csv", "-t", "y")
    assert said.code == 0 and said.err == "", said.err
    notes = told(said)["note"]
    if not any(values):
        assert told(said)["left out"] == "more: has no value at all"
    else:
        doubtful = "," in values[1] or (len(values[1]) > 20 and values[1].isdigit())
        assert len(notes) == doubtful
    again = mercer("predict", "t.mercer", "t.csv")
    assert (
        again.code == 0
        and again.out.count("\n") == 61
        and "accuracy on these 60 samples" in again.err
    ), again.err


def test_a_target_with_holes(fit, rows, write, tmp_path):
    write(
        tmp_path / "t.csv",
        [rows[0], *([*row[:3], ""] if at % 6 == 0 else row for at, row in enumerate(rows[1:]))],
    )
    assert told(fit("t.csv", *NARROW))["note"] == ["10 rows have no y and are left out"]


def test_one_column_and_ten_rows(fit, rows, write, tmp_path):
    write(tmp_path / "t.csv", [[row[0], row[3]] for row in rows[:11]])
    assert fit("t.csv", "-t", "y").code == 0


@pytest.mark.slow
def test_ten_thousand_categories(mercer, tmp_path):
    (tmp_path / "t.csv").write_text(
        "a,b,y\n" + "".join(f"{at % 7},name{at},{at % 2}\n" for at in range(10_000))
    )
    assert mercer("fit", "t.csv", "-t", "y", "--folds", "2", "--repeats", "1", "-q").code == 0


# -- refused ---------------------------------------------------------------------------------------


def _table(*rows):
    return "".join(",".join(row) + "\n" for row in rows).encode()


BAD = {
    "ragged": (
        lambda rows: _table(*rows[:5], ["1", "2"], *rows[5:]),
        ("t.csv, line 6 = '1,2' has 2 cells where the first row has 4",),
    ),
    "latin-1": (
        lambda rows: _table(*rows).replace(b"red", b"r\xf6d"),
        ("is not utf-8 text (line 2", "latin-1"),
    ),
    "empty": (lambda rows: b"", ("is empty",)),
    "blank": (lambda rows: b"\n\n", ("is empty",)),
    "header only": (lambda rows: _table(rows[0]), ("has a header and no rows",)),
    "target not there": (
        lambda rows: _table(*(row[:3] for row in rows)),
        ("target = 'y' is not a column", "a, b, color"),
    ),
    "target misspelt": (
        lambda rows: _table([*rows[0][:3], "Y"], *rows[1:]),
        ("did you mean 'Y'?",),
    ),
    "no target value": (
        lambda rows: _table(rows[0], *([*row[:3], ""] for row in rows[1:])),
        ("has no value at all",),
    ),
    "one class": (
        lambda rows: _table(rows[0], *([*row[:3], "no"] for row in rows[1:])),
        ("there is one class only",),
    ),
    "only the target": (
        lambda rows: _table(*([row[3]] for row in rows)),
        ("has no column to predict the target from",),
    ),
    "all constant": (
        lambda rows: _table(["a", "y"], *(["7", row[3]] for row in rows[1:])),
        ("every column constant",),
    ),
    "no values but the target": (
        lambda rows: _table(["a", "y"], *(["", row[3]] for row in rows[1:])),
        ("has no columns",),
    ),
    "nine rows": (lambda rows: _table(*rows[:10]), ("9 samples", "too few")),
    "one row": (lambda rows: _table(*rows[:2]), ("too few",)),
    "many classes": (
        lambda rows: _table(["a", "y"], *([str(at % 7), f"name{at}"] for at in range(10_000))),
        ("has 10,000 classes in 10,000 rows: too few of each",),
    ),
    "infinity": (
        lambda rows: _table(*column(rows, "far", ["inf", *map(str, range(59))])),
        ("column 'far' = inf is not finite",),
    ),
    "two columns of a name": (
        lambda rows: _table(["a", "a", "color", "y"], *rows[1:]),
        ("has two columns called 'a'",),
    ),
    "binary": (lambda rows: bytes(range(256)) * 40, ("is not text",)),
    "half a gzip": (lambda rows: b"\x1f\x8b\x08\x00\x00", ("cannot be read",)),
}


@pytest.mark.parametrize(("content", "parts"), BAD.values(), ids=BAD)
def test_refused_tables(fit, one_line, rows, tmp_path, content, parts):
    (tmp_path / "t.csv").write_bytes(content(rows))
    one_line(fit("t.csv", "-t", "y"), *parts)
    assert [file.name for file in tmp_path.iterdir()] == ["t.csv"]


def test_refused_targets_and_options(mercer, one_line, rows, write, tmp_path):
    write(tmp_path / "t.csv", rows)
    for args, part in (
        ((), "--target, one of: a, b, color, y"),
        (("-t", "9"), "is not a column"),
        (("-t", "y", "-k", "RBF("), "cannot be read"),
        (("-t", "y", "-k", "Nope()"), "Nope"),
        (("-t", "y", "-k", "RBF().on(['z'])"), "z"),
        (("-t", "y", "-k", "RBF()"), "numbers"),
        (("-t", "y", "-k", "Spectrum(3)"), "columns"),
        (("-t", "y", "-l", "nope"), "learner = 'nope' does not do classification"),
        (("-t", "y", "-l", "svr"), "does not do classification"),
        (("-t", "y", "--task", "nope"), "must be auto, classification or regression"),
        (("-t", "y", "--task", "regression"), "holds text"),
        (("-t", "y", "--task", "regression", "-l", "svc"), "does not do regression"),
        (("-t", "y", "--encoding", "klingon"), "encoding = 'klingon' is unknown"),
        (("-t", "y", "--separator", "ab"), "must be one character"),
        (("-t", "y", "-o", "none/x.mercer"), "is in a folder that is not there"),
        (("-t", "y", "-r", "none/x.html"), "is in a folder that is not there"),
        (("-t", "y", "-o", str(tmp_path)), "is a folder"),
        (("-t", "y", "-o", "t.csv"), "is among the data"),
        (("-t", "y", "-r", "t.csv"), "is among the data"),
    ):
        one_line(mercer("fit", "t.csv", *args), part)
    assert [file.name for file in tmp_path.iterdir()] == ["t.csv"]


def test_a_kernel_that_is_none(fit, one_line, rows, write, tmp_path):
    write(tmp_path / "t.csv", [[row[0], row[1], row[3]] for row in rows])
    one_line(fit("t.csv", "-t", "y", "-k", "Sigmoid()"), "Sigmoid() is indefinite")
    one_line(fit("t.csv", "-t", "y", "-k", "Sigmoid().on(['a'])"), "because of Sigmoid()")
    unknown = "Sigmoid().on(['a']) + RBF().on(['a'])"
    said = fit("t.csv", "-t", "y", "-k", unknown)
    assert said.code == 0 and "because of Sigmoid()" in " ".join(said.out.split())


def test_refused_paths(mercer, one_line, tmp_path):
    one_line(mercer("fit", "none.csv", "-t", "y"), "path = 'none.csv' is not there")
    (tmp_path / "folder").mkdir()
    one_line(mercer("fit", "folder", "-t", "y"), "holds no text")
    os.mkfifo("pipe")
    one_line(mercer("fit", "pipe", "-t", "y"), "is not a file")
    one_line(mercer("fit", "none.csv", "other.csv", "-t", "y"), "is not there")
    (tmp_path / "big.fa").touch()
    os.truncate("big.fa", 2_000_000_000)
    one_line(mercer("fit", "big.fa", "-t", "y"), "has 2.0 GB, above the limit of 1.0 GB")


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="nothing is closed to the superuser"
)
def test_a_closed_file(mercer, one_line, rows, write, tmp_path):
    write(tmp_path / "t.csv", rows).chmod(0)
    one_line(mercer("fit", "t.csv", "-t", "y"), "cannot be read")


def test_data_in_doubt(fit, one_line, rows, write, tmp_path):
    odd = [rows[0], *rows[1:9], ["1.5x", *rows[9][1:]], *rows[10:]]
    said = fit(write(tmp_path / "t.csv", odd), "-t", "y")
    assert said.code == 0 and said.err == ""
    assert "t.csv, line 10, column 'a' = '1.5x' is not a number" in " ".join(told(said)["note"])
    refused = fit("t.csv", "-t", "y", "--strict")
    one_line(refused, "line 10, column 'a' = '1.5x'")
    assert "read as" not in refused.err.replace("read the column as", "")
    said = fit("t.csv", "-t", "y", "--text", "a")
    assert said.code == 0 and told(said)["note"] == []
    one_line(fit("t.csv", "-t", "y", "--text", "colr"), "did you mean 'color'?")
