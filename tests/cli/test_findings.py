"""What ``mercer fit`` prints beside scores: what was missing, what was replaced, and why."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import mercer as library
from mercer.cli import fit as fit_command
from mercer.cli.fit import Destination


def test_labels_of_a_test_file_that_are_no_class_are_named(fit, rows, write, one_line, tmp_path):
    write(tmp_path / "t.csv", rows)
    dotted = [rows[0], *([*row[:-1], f"{row[-1]}."] for row in rows[1:])]
    said = fit("t.csv", "-t", "y", "--test", write(tmp_path / "new.csv", dotted))
    one_line(said, "is not a class of the data", "is 'no.' meant for 'no'?")
    some = [rows[0], *dotted[1:5], *rows[5:]]
    said = fit("t.csv", "-t", "y", "--test", write(tmp_path / "new.csv", some))
    assert said.code == 0 and "4 rows of the test file" in " ".join(said.out.split())


def test_missing_cells_are_counted(fit, rows, write, tmp_path):
    torn = [rows[0], *(["?", *row[1:]] for row in rows[1:4]), *rows[4:]]
    said = fit(write(tmp_path / "t.csv", torn), "-t", "y")
    assert "4 columns, 3 missing cells" in said.out


def test_the_report_says_that_rows_are_of_the_test_file(mercer, rows, write, tmp_path):
    write(tmp_path / "t.csv", rows)
    options = ("-t", "y", "-l", "ridge", "--test", write(tmp_path / "new.csv", rows))
    assert mercer("fit", "t.csv", *options).code == 0
    page = (tmp_path / "t.html").read_text()
    assert "Rows are those of the test file, counted from 1." in page


def test_time_that_is_exceeded_is_said(mercer, rows, write, tmp_path, monkeypatch):
    now = iter(range(0, 10**6, 20))  # whoever looks at the clock finds 20 seconds gone
    monkeypatch.setattr(fit_command.time, "perf_counter", lambda: float(next(now)))
    write(tmp_path / "t.csv", rows)
    options = ("-t", "y", "-l", "ridge", "--no-report", "--time", "1", "--json")
    notes = json.loads(mercer("fit", "t.csv", *options).out)["notes"]
    assert "s longer than --time 1" in " ".join(notes)


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("a.train.fasta", "a.train.mercer"),
        ("a.test.fasta.gz", "a.test.mercer"),
        ("adult.data", "adult.mercer"),
        ("table", "table.mercer"),
        (".csv", "csv.mercer"),
    ],
)
def test_models_of_different_files_have_different_names(name, model):
    assert Destination.of(Path(name), None, None, True).model == Path(model)


def test_a_replaced_model_is_named(fit, rows, write, tmp_path):
    write(tmp_path / "t.csv", rows)
    assert "t.mercer\n" in fit("t.csv", "-t", "y").out
    assert "t.mercer, replaced" in fit("t.csv", "-t", "y").out


def test_inner_models_have_names_in_words(mercer, rows, write, tmp_path):
    write(tmp_path / "t.csv", rows)
    said = mercer("fit", "t.csv", "-t", "y", "--quick", "--no-assess")
    assert "learner    logistic regression with learned kernels, penalty" in said.out
    told = mercer("explain", "t.mercer")
    assert "logistic regression with learned kernels, fitted" in told.out.splitlines()[0]
    for text in (said.out, told.out, (tmp_path / "t.html").read_text()):
        assert "LearnedClassifier" not in text, text
    assert type(library.load("t.mercer").model_).__name__ == "LearnedClassifier"
