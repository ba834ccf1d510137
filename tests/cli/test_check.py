"""Is it a kernel? The exit code says it."""

from __future__ import annotations

import json

import numpy as np
import pytest


@pytest.fixture
def numbers(tmp_path):
    file = tmp_path / "numbers.csv"
    X = np.random.default_rng(0).standard_normal((30, 4))
    np.savetxt(file, X, delimiter=",", header="a,b,c,d", comments="")
    return file


@pytest.mark.parametrize(
    ("expression", "code"),
    [
        ("RBF()", 0),
        ("0.5 * RBF(2.0) + Linear()", 0),
        ("NegativeDistance()", 0),
        ("Sigmoid()", 1),
        ("RBF() - 2.0 * Linear()", 1),
        ("EditDistance(gamma=2.0)", 3),
    ],
)
def test_exit_codes(mercer, expression, code):
    said = mercer("check", expression)
    assert said.code == code and said.err == "" and said.out
    told = json.loads(mercer("check", expression, "--json").out)
    assert told["exit"] == code and told["certificate"].splitlines()[0] in said.out


BAD = [
    "",
    "RBF(",
    "Nope()",
    "RBF(nope=1)",
    "RBF(length_scale=-1)",
    "3",
    "'text'",
    "__import__('os').system('touch pwned')",
    "RBF().__class__.__mro__",
    "RBF()._tile",
    "(lambda: RBF())()",
    "[RBF() for _ in range(3)]",
    "open('pwned', 'w')",
    "9**9**9 * RBF()",
    "RBF() ** 99999999999999999999999",
    "RBF() ** -1",
    "(" * 300 + "RBF()" + ")" * 300,
    "RBF() + " * 5000 + "RBF()",
    "RBF()\nLinear()",
    "RBF(length_scale=1e999)",
    "\0",
]


@pytest.mark.parametrize("expression", BAD, ids=range(len(BAD)))
def test_bad_and_hostile_expressions(mercer, one_line, expression, tmp_path):
    one_line(mercer("check", expression))
    assert list(tmp_path.iterdir()) == []


def test_dimensions(mercer, numbers):
    assert mercer("check", "Bessel(order=0)").code == 0
    assert mercer("check", "Bessel(order=0)", "-d", "4").code == 1
    assert (
        mercer("check", "Bessel(order=0)", numbers).code == 1
    )  # valid in the plane, not where the data are


@pytest.mark.parametrize(
    "wrapped",
    ["MissingAware({})", "Completions({})", "Imputed({})", "ModeFilled({})", "{}.on([0, 1])"],
)
def test_dimensions_of_what_is_inside(mercer, numbers, wrapped):
    expression = wrapped.format("DistanceCosine()")
    assert mercer("check", expression, "-d", "2").code == 1
    assert mercer("check", expression, numbers).code == 1


def test_data(mercer, one_line, numbers, tmp_path):
    said = mercer("check", "RBF()", numbers)
    assert said.code == 0 and "on 30 samples of the data: smallest eigenvalue" in said.out
    found = json.loads(mercer("check", "RBF()", numbers, "--json").out)["data"]
    assert found["samples"] == 30 and found["psd"] is True
    assert mercer("check", "RBF().on(['a', 'b'])", numbers).code == 0
    assert mercer("check", "Linear().on(['d'])", numbers, "-t", "a").code == 0
    assert mercer("check", "RBF() - Linear()", numbers).code == 1
    one_line(mercer("check", "RBF().on(['d'])", numbers, "-t", "d"), "['d'] are not in the table")
    one_line(mercer("check", "RBF()", numbers, "-t", "z"), "target = 'z' is not a column")
    one_line(mercer("check", "RBF()", tmp_path / "none.csv"), "is not there")
    one_line(mercer("check", "HistogramIntersection()", numbers), "must be >= 0")
    words = tmp_path / "words.fa"
    words.write_text(">x\nacgt\n>y\nttga\n>z\nacca\n")
    assert mercer("check", "Spectrum(2)", words).code == 0
    one_line(mercer("check", "RBF()", words))


def test_many_samples_are_thinned(mercer, tmp_path):
    file = tmp_path / "many.csv"
    np.savetxt(file, np.random.default_rng(0).standard_normal((2000, 2)), delimiter=",")
    assert "on 1,000 samples of the data" in mercer("check", "Linear()", file).out


def test_witnesses_are_whole_in_json(mercer, numbers):
    from mercer import parse

    for expression in ("Sigmoid()", "EditDistance()", "RBF() - 2.0 * Linear()"):
        told = json.loads(mercer("check", expression, "--json").out)
        witness = told["witness"]
        c = np.array(witness["coefficients"])
        value = c @ parse(expression)(witness["points"]) @ c
        assert value < 0 and value == pytest.approx(witness["value"])
    told = json.loads(mercer("check", "RBF() - Linear()", numbers, "--json").out)
    assert told["witness"]["value"] < 0 and "c = (" in told["refutation"]
    assert json.loads(mercer("check", "RBF()", "--json").out)["witness"] is None


def test_the_proof_by_algebra(mercer, one_line):
    said = mercer("check", "RBF(length_scale=2.0)", "--algebraic")
    assert said.code == 0 and "conformal change" in said.out and "Bochner" not in said.out
    one_line(mercer("check", "Linear()", "--algebraic"), "--algebraic")


@pytest.mark.parametrize(
    "expression", ["RBF([1, 2])", "RBF([1, 2]) + 2.0 * Linear()", "Linear() * RBF().on([0, 3])"]
)
def test_columns_that_do_not_exist(mercer, expression):
    said = mercer("check", expression, "-d", "3")
    assert said.code == 2 and said.out == "" and said.err.count("\n") == 1
    assert "column" in said.err and "3" in said.err
    assert mercer("check", expression).code == 0


def test_doubts_about_the_data_are_notes(mercer, tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n" + "1.5,2\n2.5,3\n" * 10 + "oops,4\n")
    said = mercer("check", "RBF().on(['b'])", "t.csv")
    assert said.code == 0 and "Warning" not in said.err
    assert said.err.startswith("mercer: note: ") and "oops" in said.err


def test_the_limit_of_an_exponent_is_said(mercer):
    said = mercer("check", "RBF() ** 99999999999")
    assert said.code == 2 and "at most 2147483648" in said.err
