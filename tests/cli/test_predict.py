"""``mercer predict`` on tables that are not quite those of the training."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest

import mercer as library
from mercer.cli.predict import _as_csv


@pytest.fixture(scope="module")
def model(tmp_path_factory, fit, rows, write):
    folder = tmp_path_factory.mktemp("model")
    fit(write(folder / "t.csv", rows), "-t", "y", "-q", "-o", folder / "t.mercer")
    return folder / "t.mercer"


@pytest.fixture(scope="module")
def bare(tmp_path_factory, fit, rows, write):
    """Of a table without a header."""
    folder = tmp_path_factory.mktemp("bare")
    fit(write(folder / "t.csv", rows[1:]), "-t", "3", "-q", "-o", folder / "t.mercer")
    return folder / "t.mercer"


@pytest.fixture
def expected(mercer, model, rows, write, tmp_path):
    said = mercer("predict", model, write(tmp_path / "same.csv", rows))
    assert said.code == 0 and said.out.startswith("y\n") and said.out.count("\n") == 61
    assert said.err.startswith("accuracy on these 60 samples: ")
    return said.out


def test_tables_of_the_same_columns(mercer, model, expected, rows, write, tmp_path):
    forms = {
        "without the target": [row[:3] for row in rows],
        "in another order": [[row[3], row[2], row[1], row[0]] for row in rows],
        "with more columns": [
            [*row, "more", "1", "x", "2", str(at)] for at, row in enumerate(rows)
        ],
        "with blank lines": [*rows, [""], [""]],
    }
    forms["with more columns"][0] = [*rows[0], "p", "q", "r", "s", "t"]
    for name, form in forms.items():
        said = mercer("predict", model, write(tmp_path / "new.csv", form))
        assert said.code == 0 and said.out == expected, name
        assert ("accuracy" in said.err) is (name != "without the target")


def test_holes_and_new_categories(mercer, model, rows, write, tmp_path):
    torn = [rows[0], ["", *rows[1][1:]], *rows[2:]]
    said = mercer("predict", model, write(tmp_path / "new.csv", torn))
    assert (
        said.code == 0
        and "mercer: note: column 'a' has missing values and had none in training" in said.err
    )
    assert mercer("predict", model, "new.csv", "--quiet") == (0, "", "")
    strange = [rows[0], *([*row[:2], "purple", row[3]] for row in rows[1:])]
    said = mercer("predict", model, write(tmp_path / "new.csv", strange))
    note = "column 'color' = 'purple' was not seen in training, as 100 % of the 60 values"
    assert said.code == 0 and said.err.count("note") == 1 and note in said.err
    assert mercer("predict", model, "new.csv", "--strict").code == 2
    some = [rows[0], *strange[1:25], *rows[25:]]
    said = mercer("predict", model, write(tmp_path / "new.csv", some))
    assert said.code == 0 and "'purple' was not seen in training, as 24 of the 60" in said.err
    assert mercer("predict", model, "new.csv", "--strict").code == 0  # as it was in doubt before
    assert mercer("predict", model, write(tmp_path / "new.csv", rows)).err.count("note") == 0


def test_a_file_without_a_header_is_named_so(mercer, one_line, model, rows, write, tmp_path):
    said = mercer("predict", model, write(tmp_path / "new.csv", rows[1:]))
    one_line(said, "'a', 'b', 'color'", "the file has no header")


def test_one_row(mercer, model, expected, rows, write, tmp_path):
    said = mercer("predict", model, write(tmp_path / "new.csv", [rows[0][:3], rows[1][:3]]))
    assert said.out == "".join(expected.splitlines(keepends=True)[:2])


def test_targets_with_holes_are_not_counted(mercer, model, rows, write, tmp_path):
    some = [rows[0], *([*row[:3], ""] for row in rows[1:31]), *rows[31:]]
    said = mercer("predict", model, write(tmp_path / "new.csv", some))
    assert "accuracy on the 30 samples whose y is given" in said.err
    none = [rows[0], *([*row[:3], ""] for row in rows[1:])]
    assert mercer("predict", model, write(tmp_path / "new.csv", none)).err == ""


def test_whole_numbers_as_classes(mercer, fit, rows, write, tmp_path):
    numbers = [rows[0], *([*row[:3], "1" if row[3] == "yes" else "0"] for row in rows[1:])]
    fit(write(tmp_path / "t.csv", numbers), "-t", "y", "-q", "-k", "RBF(2.0).on(['a', 'b'])")
    whole = json.loads(mercer("predict", "t.mercer", "t.csv", "--json").out)["score"]
    numbers[1][3] = ""  # which makes numbers with a point of them
    torn = json.loads(
        mercer("predict", "t.mercer", write(tmp_path / "new.csv", numbers), "--json").out
    )["score"]
    assert whole > 0.9 and torn > 0.9


def test_without_a_header(mercer, bare, expected, rows, write, tmp_path):
    same = mercer("predict", bare, write(tmp_path / "new.csv", rows[1:]))
    assert (
        same.code == 0
        and same.out.splitlines()[1:] == expected.splitlines()[1:]
        and same.out.startswith("c3\n")
    )
    lacking = mercer("predict", bare, write(tmp_path / "new.csv", [row[:3] for row in rows[1:]]))
    assert lacking.out == same.out and lacking.err == ""
    few = mercer("predict", bare, write(tmp_path / "new.csv", rows[1:3]))
    assert few.out.splitlines() == same.out.splitlines()[:3]


def test_refused_tables(mercer, one_line, model, bare, rows, write, tmp_path):
    one_line(
        mercer("predict", model, write(tmp_path / "n.csv", [[row[0], row[2]] for row in rows])),
        "column 'b' is missing",
    )
    one_line(
        mercer("predict", model, write(tmp_path / "n.csv", rows[1:])),
        "columns 'a', 'b', 'color' are missing",
    )
    one_line(
        mercer("predict", bare, write(tmp_path / "n.csv", [row[:2] for row in rows[1:]])),
        "has 2 columns where the table that was",
    )
    text = [rows[0], *(["much", *row[1:]] for row in rows[1:31]), *rows[31:]]
    said = mercer("predict", model, write(tmp_path / "n.csv", text), "--quiet")
    one_line(said, "n.csv, column 'a' = 'much' is text")
    one_line(mercer("predict", model, write(tmp_path / "n.csv", [*rows, ["1"]])), "line 62")
    one_line(
        mercer("predict", model, write(tmp_path / "n.csv", rows[:1])), "has a header and no rows"
    )
    (tmp_path / "empty").mkdir()
    one_line(mercer("predict", model, tmp_path / "empty"), "is a folder")
    one_line(mercer("predict", model, "none.csv"), "is not there")
    write(tmp_path / "n.csv", rows)
    write(tmp_path / "o.csv", [row[:3] for row in rows])
    one_line(mercer("predict", model, "n.csv", "o.csv"), "has other columns than n.csv")
    assert mercer("predict", model, "n.csv", "n.csv").out.count("\n") == 1 + 2 * 60
    one_line(mercer("predict", bare, "none.csv"), "is not there")


def test_a_line_of_text_is_no_row_of_a_table(mercer, one_line, model, tmp_path):
    (tmp_path / "new.txt").write_text("hello world\n")
    said = mercer("predict", model, tmp_path / "new.txt")
    one_line(said, "has a single line, which is no row")
    one_line(said, "its columns are a, b, color, y")
    (tmp_path / "new.txt").write_text("a,b,color\n")
    one_line(mercer("predict", model, tmp_path / "new.txt"), "has a header and no rows")


def test_refused_models(mercer, one_line, model, rows, write, tmp_path):
    data = write(tmp_path / "n.csv", rows)
    raw = model.read_bytes()
    damaged = bytearray(raw)
    damaged[len(raw) // 2] ^= 255
    for content in (
        b"",
        raw[:7],
        raw[: len(raw) // 2],
        raw[:-1],
        bytes(damaged),
        b"a,b\n1,2\n",
        b"\x80\x04\x95\x00",
        b"PK\x03\x04junk",
    ):
        (tmp_path / "odd.mercer").write_bytes(content)
        one_line(mercer("predict", "odd.mercer", data))
    one_line(mercer("predict", "none.mercer", data), "is not there")
    one_line(mercer("predict", tmp_path, data))
    library.save(library.SVC().fit(np.eye(4), [0, 1, 0, 1]), tmp_path / "own.mercer")
    one_line(mercer("predict", "own.mercer", data), "which mercer fit stores")


def test_json_and_files(mercer, model, expected, rows, write, tmp_path):
    write(tmp_path / "same.csv", rows)
    said = mercer("predict", model, "same.csv", "--json", "--probabilities", "--out", "out.csv")
    found = json.loads(said.out)
    assert (
        said.err == ""
        and found["samples"] == 60
        and found["predictions"] == expected.splitlines()[1:]
    )
    np.testing.assert_allclose(np.add(found["columns"]["p(no)"], found["columns"]["p(yes)"]), 1.0)
    written = list(csv.reader(io.StringIO((tmp_path / "out.csv").read_text())))
    assert (
        written[0] == ["y", "p(no)", "p(yes)"]
        and [row[0] for row in written[1:]] == found["predictions"]
    )
    for row in written[1:]:
        assert (float(row[2]) > 0.5) is (row[0] == "yes")
    said = mercer("predict", model, "same.csv", "--out", "out.csv")
    assert said.out == "" and (tmp_path / "out.csv").read_text() == expected
    assert mercer("predict", model, "same.csv", "--quiet") == (0, "", "")
    assert mercer("predict", model, "same.csv", "--out", "none/out.csv").code == 2


def test_numbers_and_their_deviations(mercer, one_line, fit, rows, write, tmp_path):
    write(tmp_path / "t.csv", rows)
    fit("t.csv", "-t", "b", "-q", "-k", "Linear().on(['a'])")
    said = mercer("predict", "t.mercer", "t.csv")
    assert (
        said.code == 0
        and said.err.startswith("R² on these 60 samples: ")
        and float(said.out.splitlines()[1]) < 10
    )
    one_line(
        mercer("predict", "t.mercer", "t.csv", "-p"), "ridge, which has none; fit with --learner gp"
    )
    mercer(
        "fit",
        "t.csv",
        "-t",
        "b",
        "-q",
        "-k",
        "Linear().on(['a'])",
        "-l",
        "gp",
        "--folds",
        "2",
        "--repeats",
        "1",
        "--no-report",
    )
    found = json.loads(mercer("predict", "t.mercer", "t.csv", "-p", "--json").out)
    assert min(found["columns"]["deviation"]) > 0


def test_sequences_and_vectors(mercer, one_line, fit, tmp_path):
    rng = np.random.default_rng(0)
    texts = ["".join(rng.choice(list("acgt" if at % 2 else "aacg"), 20)) for at in range(30)]
    (tmp_path / "s.fa").write_text(
        "".join(f">{'xy'[at % 2]}\n{text}\n" for at, text in enumerate(texts))
    )
    (tmp_path / "n.fa").write_text(
        "".join(f">name {at}\n{text}\n" for at, text in enumerate(texts))
    )
    (tmp_path / "u.fa").write_text("".join(f">unknown\n{text}\n" for text in texts))
    fit("s.fa", "-q", "-k", "Spectrum(2)")
    said = [mercer("predict", "s.mercer", name) for name in ("s.fa", "n.fa", "u.fa")]
    assert (
        said[0].err.startswith("accuracy")
        and said[1].out.startswith("name,label\nname 0,")
        and said[1].err == ""
    )
    # headers that are no classes are not counted as errors
    assert said[2].out == said[0].out
    assert said[2].err.startswith("mercer: note: label = 'unknown' is not a class of the model")
    assert "accuracy on" not in said[2].err
    lines = ["1 1:0.5 3:1", "-1 2:1.5"] * 15
    (tmp_path / "v.svm").write_text("\n".join(lines))
    (tmp_path / "w.svm").write_text("1 1:0.5\n-1 2:1.5\n")
    fit("v.svm", "-q", "-k", "RBF()")
    assert (
        mercer("predict", "v.mercer", "w.svm").out == "label\n1\n-1\n"
    )  # the last column is zero in every row
    (tmp_path / "w.svm").write_text("1 1:0.5 9:1\n")
    one_line(mercer("predict", "v.mercer", "w.svm"), "features")
    one_line(
        mercer("predict", "v.mercer", "s.fa"),
        "are sequences, where the model was fitted on vectors",
    )


# -- data that are in doubt


def test_a_word_among_numbers_is_missing(mercer, one_line, model, rows, write, tmp_path):
    text = [rows[0], *rows[1:4], ["much", *rows[4][1:]], *rows[5:]]
    said = mercer("predict", model, write(tmp_path / "n.csv", text))
    assert said.code == 0 and said.out.count("\n") == 61
    assert "note: n.csv, line 5, column 'a' = 'much' is not a number" in said.err
    one_line(mercer("predict", model, "n.csv", "--strict"), "line 5, column 'a' = 'much'")


def test_labels_that_are_no_classes(mercer, model, rows, write, tmp_path):
    """As in the test set of Adult, whose labels end with a point."""
    dotted = [rows[0], *([*row[:3], f"{row[3]}."] for row in rows[1:])]
    said = mercer("predict", model, write(tmp_path / "n.csv", dotted))
    assert said.code == 0 and said.out.count("\n") == 61 and "%" not in said.err
    assert "y = 'no.' is not a class of the model, nor is any other label" in said.err
    assert "the model knows no, yes; is 'no.' meant for 'no'?" in said.err
    assert json.loads(mercer("predict", model, "n.csv", "--json").out)["score"] is None
    some = [*rows[:31], *dotted[31:]]
    said = mercer("predict", model, write(tmp_path / "n.csv", some))
    assert "accuracy on these 60 samples" in said.err
    assert "50.0 % of the labels count as errors" in said.err


def test_letters_of_the_other_case(mercer, fit, tmp_path):
    rng = np.random.default_rng(0)
    texts = ["".join(rng.choice(list("acgt" if at % 2 else "aacg"), 20)) for at in range(30)]
    lines = "".join(f">{'xy'[at % 2]}\n{text}\n" for at, text in enumerate(texts))
    (tmp_path / "s.fa").write_text(lines)
    (tmp_path / "t.fa").write_text("".join(f">n{at}\n{t.upper()}\n" for at, t in enumerate(texts)))
    fit("s.fa", "-q", "-k", "Spectrum(2)")
    assert "note: letters = 'ACGT' do not occur in the training" in (
        mercer("predict", "s.mercer", "t.fa").err
    )
    assert mercer("predict", "s.mercer", "t.fa", "--case", "lower").err == ""
    fit("s.fa", "-q", "-k", "Spectrum(2)", "--case", "upper")
    assert mercer("predict", "s.mercer", "t.fa").err == ""  # it is read as the training data were


def test_columns_of_dna(mercer, fit, tmp_path, write):
    rng = np.random.default_rng(0)
    texts = ["".join(rng.choice(list("ACGT" if at % 2 else "AACG"), 20)) for at in range(30)]
    one_case = [["dna", "kind"], *([text, "xy"[at % 2]] for at, text in enumerate(texts))]
    small = [[text.lower(), label] for text, label in one_case]
    both = [*one_case[:-3], *small[-3:]]
    write(tmp_path / "one.csv", one_case)
    write(tmp_path / "small.csv", small)
    write(tmp_path / "both.csv", both)
    kernel = ("-t", "kind", "-k", "(Spectrum(2) @ texts).on(['dna'])")
    note = "both.csv, column 'dna' holds DNA in capital and in small letters"
    said = fit("both.csv", *kernel)
    assert said.code == 0 and (said.out + said.err).count("holds DNA in capital") == 1, said
    assert "read it in one case (--case upper" in said.out + said.err
    assert note in fit("both.csv", "-q", "--strict", *kernel).err
    assert fit("one.csv", "-q", *kernel).err == ""
    assert mercer("predict", "one.mercer", "one.csv", "-q").err == ""
    assert mercer("predict", "one.mercer", "both.csv").err.count(note) == 1
    said = mercer("predict", "one.mercer", "small.csv").err
    assert "column 'dna': letters = 'acgt' do not occur in the training sequences" in said
    assert "DNA" not in mercer("predict", "one.mercer", "small.csv", "--case", "upper").err
    right = mercer("predict", "one.mercer", "one.csv").out
    assert mercer("predict", "one.mercer", "small.csv", "--case", "upper").out == right
    said = fit("both.csv", "-q", "--case", "lower", "-t", "kind", "-k", kernel[-1])
    assert said.code == 0 and said.err == ""
    assert mercer("predict", "both.mercer", "both.csv").out == right  # it is read as in training
    assert "DNA in lower case" in fit("both.csv", "--case", "lower", *kernel).out


def test_single_texts(mercer, fit, one_line, tmp_path):
    for at in range(24):
        folder = tmp_path / "texts" / ("sea", "hill")[at % 2]
        folder.mkdir(parents=True, exist_ok=True)
        words = ("ships sail the sea", "sheep climb the hill")[at % 2]
        (folder / f"{at}.txt").write_bytes(f"{words} {at} {'é' * (at % 3)}\n".encode("latin-1"))
    said = fit("texts", "-q", "--encoding", "latin-1")
    assert said.code == 0, said.err
    said = mercer("predict", "texts.mercer", "texts/sea/2.txt")
    assert said.code == 0 and said.out == "name,label\ntexts/sea/2.txt,sea\n" and said.err == ""
    said = mercer("predict", "texts.mercer", "texts/sea/2.txt", "texts/hill/5.txt")
    assert said.out.splitlines()[1:] == ["texts/sea/2.txt,sea", "texts/hill/5.txt,hill"]
    assert "accuracy on these 24 samples" in mercer("predict", "texts.mercer", "texts").err
    one_line(mercer("predict", "texts.mercer", "none.txt"), "is not there")


# -- what is printed


def test_formulas(mercer, fit, rows, write, tmp_path):
    names = {"yes": "=1+1", "no": "-1"}
    odd = [rows[0], *([*row[:3], names[row[3]]] for row in rows[1:])]
    fit(write(tmp_path / "t.csv", odd), "-t", "y", "-q")
    plain = mercer("predict", "t.mercer", "t.csv").out
    safe = mercer("predict", "t.mercer", "t.csv", "--spreadsheet").out
    assert {"=1+1", "-1"} <= set(plain.splitlines())
    assert safe == plain.replace("=1+1", "'=1+1")


@pytest.mark.parametrize("first", ["=", "+", "-", "@", "\t", "\r"])
def test_first_letters_of_formulas(first):
    columns = [("y", np.array([f"{first}cmd|x", "-1.5", "plain"], dtype=object))]
    cells = list(csv.reader(io.StringIO(_as_csv(columns, spreadsheet=True), newline="")))
    assert cells == [["y"], [f"'{first}cmd|x"], ["-1.5"], ["plain"]]


def test_no_cell_begins_another_row():
    columns = [("y", np.array(["a\r=1+1", "a\n=1+1", 'a"b', "a,b"], dtype=object))]
    text = _as_csv(columns, spreadsheet=False)
    assert text == 'y\n"a\r=1+1"\n"a\n=1+1"\n"a""b"\n"a,b"\n'


def test_control_characters_do_not_reach_the_terminal(mercer, fit, rows, write, tmp_path):
    odd = [rows[0], *([*row[:2], f"\x1b[31m{row[2]}", f"\x1b]0;{row[3]}\x07"] for row in rows[1:])]
    said = fit(write(tmp_path / "t.csv", odd), "-t", "y", "-k", "Overlap().on(['color'])")
    assert said.code == 0 and "\x1b" not in said.out + said.err and "\\x1b]0;yes" in said.out
    assert "\x1b" not in mercer("explain", "t.mercer").out
    dotted = [rows[0], *([*row[:3], "\x1b]0;no"] for row in rows[1:])]
    said = mercer("predict", "t.mercer", write(tmp_path / "n.csv", dotted))
    assert "\x1b" not in said.err and "\x1b" in said.out  # a file gets the labels as they are
