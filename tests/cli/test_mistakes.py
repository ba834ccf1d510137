"""Command lines with a mistake: one line says what is wrong, and nothing is done."""

from __future__ import annotations

import pytest

HUGE = str(2**70)
MISTAKES: dict[str, tuple[list[str], list[str]]] = {  # arguments, and what the line has to say
    "seed": (["fit", "t.csv", "-t", "y", "--seed", HUGE], ["--seed", "4294967295"]),
    "seed of 33 bits": (["fit", "t.csv", "-t", "y", "--seed", str(2**32)], ["--seed"]),
    "negative seed": (["fit", "t.csv", "-t", "y", "--seed", "-1"], ["--seed"]),
    "repeats": (["fit", "t.csv", "-t", "y", "--repeats", HUGE], ["--repeats"]),
    "threads": (["fit", "t.csv", "-t", "y", "--threads", HUGE], ["--threads"]),
    "one fold": (["fit", "t.csv", "-t", "y", "--folds", "1"], ["--folds"]),
    "position": (["fit", "t.csv", "-t", "99"], ["'99' is not a column"]),
    "huge position": (["fit", "t.csv", "-t", HUGE], ["is not a column"]),
    "two minuses": (["fit", "t.csv", "-t", "--1"], ["'--1' is not a column"]),
    "a digit that is none": (["fit", "t.csv", "-t", "²"], ["'²' is not a column"]),
    "column misspelt": (["fit", "t.csv", "-t", "colur"], ["did you mean 'color'?"]),
    "text misspelt": (["fit", "t.csv", "-t", "y", "--text", "colors"], ["did you mean 'color'?"]),
    "learner misspelt": (["fit", "t.csv", "-t", "y", "-l", "rigde"], ["did you mean 'ridge'?"]),
    "other learner": (["fit", "t.csv", "-t", "y", "-l", "svr"], ["svr", "classification"]),
    "task misspelt": (
        ["fit", "t.csv", "-t", "y", "--task", "clasification"],
        ["did you mean 'classification'?"],
    ),
    "case": (["fit", "t.csv", "-t", "y", "--case", "title"], ["case = 'title'", "'upper'"]),
    "kernel misspelt": (["fit", "t.csv", "-t", "y", "-k", "RBFF()"], ["did you mean RBF?"]),
    "empty separator": (["fit", "t.csv", "-t", "y", "--separator", ""], ["separator = ''"]),
    "zero separator": (["fit", "t.csv", "-t", "y", "--separator", "\0"], ["separator"]),
    "separator beyond ASCII": (
        ["fit", "t.csv", "-t", "y", "--separator", "é"],
        ["separator = 'é'"],
    ),
    "encoding": (["fit", "t.csv", "-t", "y", "--encoding", "a\0b"], ["encoding", "is unknown"]),
    "device": (["fit", "t.csv", "-t", "y", "-o", "/dev/null"], ["/dev/null", "device"]),
    "nested folder": (["fit", "t.csv", "-t", "y", "-r", "no/r.html"], ["folder that is not there"]),
    "dimension": (["check", "Wendland()", "-d", "100000"], ["--dimension", "10000"]),
    "huge dimension": (["check", "RBF()", "-d", HUGE], ["--dimension"]),
    "no dimension": (["check", "RBF()", "-d", "0"], ["--dimension"]),
    "kernel of numbers": (
        ["fit", "t.csv", "-t", "y", "-k", "RBF(1.0)"],
        ["these columns are not: color; give --columns a,b, or leave --kernel out"],
    ),
    "kernel of numbers, compared": (
        ["compare", "t.csv", "t.csv", "--kernel", "RBF(1.0)"],
        ["these columns are not: color, y; give --columns a,b, or leave --kernel out"],
    ),
    "kernels": (["kernels", "Spectrm"], ["did you mean Spectrum"]),
    "kernels, other case": (["kernels", "gausian"], ["is unknown"]),
    "kernels, nothing": (["kernels", ""], ["mercer kernels lists all"]),
    "command": (["predct", "t.mercer"], ["predict"]),
    "option": (["fit", "t.csv", "--tarjet", "y"], ["--target"]),
    "gallery": (["gallery", "sinusoid5"], ["did you mean 'sinusoids'?"]),
    "gallery number": (["gallery", HUGE], ["is not in the gallery"]),
    "gallery digit": (["gallery", "²"], ["is not in the gallery"]),
    "gallery folder": (["gallery", "1", "-o", "t.csv"], ["is a file"]),
    "predictions over the data": (["predict", "t.csv", "t.csv", "-o", "t.csv"], ["would be lost"]),
    "predictions nowhere": (["predict", "t.csv", "t.csv", "-o", "no/p.csv"], ["not there"]),
}


@pytest.mark.parametrize(("args", "parts"), MISTAKES.values(), ids=MISTAKES)
def test_one_line(mercer, one_line, rows, write, tmp_path, args, parts):
    before = write(tmp_path / "t.csv", rows).read_bytes()
    one_line(mercer(*args), *parts)
    assert [file.name for file in tmp_path.iterdir()] == ["t.csv"]
    assert (tmp_path / "t.csv").read_bytes() == before


def test_large_dimensions(mercer):
    assert mercer("check", "RBF()", "-d", "10000").code == 0
    assert mercer("check", "DistanceCosine()", "-d", "10000").code == 1


def test_the_largest_seed(fit, rows, write, tmp_path):
    write(tmp_path / "t.csv", rows)
    said = fit("t.csv", "-t", "y", "-q", "--seed", 2**32 - 1, "--repeats", "2")
    assert said == (0, "", "")


def test_a_tab_as_shells_pass_it_on(fit, rows, write, tmp_path):
    write(tmp_path / "t.csv", rows, between="\t")
    assert fit("t.csv", "-t", "y", "-q", "--separator", "\\t") == (0, "", "")


def test_a_header_where_the_model_knows_none(mercer, one_line, fit, rows, write, tmp_path):
    """It is no row of data, of which each cell would be missing."""
    fit(write(tmp_path / "t.csv", rows[1:]), "-t", "3", "-q")
    said = mercer("predict", "t.mercer", write(tmp_path / "n.csv", rows))
    one_line(said, "columns 'c0', 'c1', 'c2' are missing")
