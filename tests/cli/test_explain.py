"""A model file is told in words."""

from __future__ import annotations

import json

import numpy as np
import pytest

import mercer as library
from mercer.cli.explain import _print_effects


def test_a_model_of_a_table(mercer, fit, rows, write, tmp_path):
    fit(write(tmp_path / "t.csv", rows), "-t", "y", "-q", "-k", "RBF().on(['a']) + RBF().on(['b'])")
    said = mercer("explain", "t.mercer")
    assert said.code == 0 and said.err == ""
    for part in (
        "fitted on 60 samples",
        "y (classification)",
        "Is the kernel positive semi-definite?",
        "fall of the score when a column is shuffled",
        "‖f‖²",
        "with the largest weights",
        "color=",
    ):
        assert part in said.out, part
    assert said.out.index("Is the kernel") > said.out.index("with the largest weights")
    told = json.loads(mercer("explain", "t.mercer", "--json").out)
    assert (
        told["summary"]["target"] == "y" and len(told["shares"]) == 2 and len(told["examples"]) == 8
    )


def test_effects_on_a_class_whose_name_has_control_characters(mercer, write, tmp_path):
    rng = np.random.default_rng(0)
    cells = [[f"{x:.3f}", "yes\x1b]0;a\x07" if x > 0 else "no"] for x in rng.standard_normal(60)]
    write(tmp_path / "t.csv", [["a", "y"], *cells])
    assert mercer("fit", "t.csv", "-t", "y", "-q", "--no-assess", "--no-report").code == 0
    said = mercer("explain", "t.mercer")
    assert "Main effects on the probability of yes\\x1b]0;a\\x07" in said.out
    assert "\x1b" not in said.out + said.err


@pytest.mark.parametrize(
    "samples",
    [["acgt", "ttga", "acca", "ggta"], np.eye(4), [{1, 2}, {3}, {1}, {4, 3}]],
    ids=["strings", "vectors", "sets"],
)
def test_other_models(mercer, samples, tmp_path):
    kernel = {str: library.Spectrum(2), set: library.Jaccard()}.get(type(samples[0]), library.RBF())
    library.save(library.SVC(kernel=kernel).fit(samples, [0, 1, 0, 1]), tmp_path / "own.mercer")
    said = mercer("explain", "own.mercer")
    assert said.code == 0 and said.out.startswith("model   SVC") and repr(kernel) in said.out
    assert json.loads(mercer("explain", "own.mercer", "--json").out)["summary"] == {}


def test_a_kernel(mercer, tmp_path):
    library.save(library.RBF(), tmp_path / "k.mercer")
    assert mercer("explain", "k.mercer").out == f"{library.RBF().certificate()}\n"
    assert json.loads(mercer("explain", "k.mercer", "--json").out)["kernel"] == "RBF()"


def test_refused(mercer, one_line, tmp_path):
    one_line(mercer("explain", "none.mercer"), "is not there")
    for content, part in (
        (b"", "it is empty"),
        (b"a,b\n1,2\n", "was not saved by mercer.save"),
        (b"\x80\x04\x95", "was not saved"),
        (b"PK\x03\x04", ""),
    ):
        (tmp_path / "odd.mercer").write_bytes(content)
        one_line(mercer("explain", "odd.mercer"), part)
    one_line(mercer("explain", tmp_path))


@pytest.mark.parametrize(
    "learner", ["svc", "ridge", "logistic", "gp", "rvm", "neighbors", "discriminant"]
)
def test_every_learner_of_three_classes(mercer, rows, write, tmp_path, learner):
    """Fitted, reported, explained and asked for probabilities."""
    odd = [[*row[:3], f"class {row[2]}" if at % 4 else "class red"] for at, row in enumerate(rows)]
    odd[0] = rows[0]
    write(tmp_path / "t.csv", odd)
    said = mercer("fit", "t.csv", "-t", "y", "-l", learner, "--folds", "2", "--repeats", "1")
    assert said.code == 0 and said.err == "", said.err
    assert (tmp_path / "t.html").exists()
    for args in (["explain", "t.mercer"], ["predict", "t.mercer", "t.csv", "-p"]):
        said = mercer(*args)
        assert said.code == 0 and said.out, said.err
    assert json.loads(mercer("explain", "t.mercer", "--json").out)["certificate"]


def test_one_kernel_for_each_class(mercer, tmp_path):
    X = np.random.default_rng(0).standard_normal((40, 2))
    y = np.arange(40) % 3
    library.save(library.GaussianProcessClassifier(library.RBF()).fit(X, y), tmp_path / "g.mercer")
    said = mercer("explain", "g.mercer")
    assert said.code == 0 and said.out.count("RBF(") >= 3
    assert len(json.loads(mercer("explain", "g.mercer", "--json").out)["kernel"]) == 3


def test_single_rows(mercer, fit, rows, write, tmp_path):
    table = write(tmp_path / "t.csv", rows)
    fit(table, "-t", "y", "-q", "-k", "RBF().on(['a']) + RBF().on(['b'])")
    said = mercer("explain", "t.mercer", table, "--rows", "1,4-5")
    assert said.code == 0 and "exact Shapley values" in said.out
    assert all(f"row {number}: " in said.out for number in (1, 4, 5))
    told = json.loads(mercer("explain", "t.mercer", table, "--rows", "2", "--json").out)
    assert told["rows"] == [2] and told["background"] == 60
    assert len(told["values"][0]) == len(told["feature_names"])


def test_columns_that_were_left_out_are_not_listed(mercer, fit, rows, write, tmp_path):
    """Two classes: the text says whose log-odds or decision function it shows."""
    counted = [
        [*rows[0], "customer_id"],
        *([*row, str(1000 + at)] for at, row in enumerate(rows[1:])),
    ]
    table = write(tmp_path / "t.csv", counted)
    fit(table, "-t", "y", "-q")
    said = mercer("explain", "t.mercer", table, "--rows", "1")
    assert said.code == 0 and "customer_id" not in said.out
    classes = library.load(tmp_path / "t.mercer").classes_
    assert "y, compared with 60 training rows" in said.out
    assert f" of {classes[1]} against {classes[0]}\n" in said.out
    told = json.loads(mercer("explain", "t.mercer", "--json").out)
    assert told["kernel"] == told["summary"]["kernel"]
    assert "_of_columns_" not in str(told) and "scaled_columns_" not in str(told)


def test_parts_of_sequences(mercer, fit, write, tmp_path):
    texts = [["s", "y"], *([text, str("ac" in text)] for text in map("".join, _sequences()))]
    table = write(tmp_path / "s.csv", texts)
    assert fit(table, "-t", "y", "-q", "--text", "s", "-k", "Spectrum(2).on('s')").code == 0
    said = mercer("explain", "s.mercer", table, "--rows", "3")
    assert said.code == 0 and "s = " in said.out


def test_samples_of_sequences_have_numbers_and_names(mercer, fit, tmp_path):
    """Of a kernel without parts, too, such as the one that a fit chooses."""
    strings = list(map("".join, _sequences()))
    for name, some in (("one", strings[:20]), ("other", strings[20:])):
        lines = [f">gene {at}\n{text}\n" for at, text in enumerate(some)]
        (tmp_path / f"{name}.fasta").write_text("".join(lines))
    kernel = ("-k", "(0.5 * Spectrum(2).normalize()).exp()")
    assert fit("one.fasta", "other.fasta", "-q", *kernel, "-o", "dna.mercer").code == 0
    said = mercer("explain", "dna.mercer", "one.fasta", "--rows", "2")
    assert said.code == 0 and said.err == "", said
    assert "sample 2 (gene 1): " in said.out and "by sampling" in said.out


def _sequences():
    return np.random.default_rng(0).choice(list("acgt"), (40, 8))


def test_rows_that_are_not_there(mercer, one_line, fit, rows, write, tmp_path):
    table = write(tmp_path / "t.csv", rows)
    fit(table, "-t", "y", "-q", "-k", "RBF().on(['a']) + RBF().on(['b'])")
    one_line(mercer("explain", "t.mercer", table, "--rows", "0"), "between 1 and 60")
    one_line(mercer("explain", "t.mercer", table, "--rows", "one"), "such as 1,2,5-8")


def test_one_row_is_compared_with_training_rows(mercer, one_line, fit, rows, write, tmp_path):
    """The same values whatever else is in the file; a model of an earlier version keeps no rows."""
    table = write(tmp_path / "t.csv", rows)
    fit(table, "-t", "y", "-q", "-k", "RBF().on(['a']) + RBF().on(['b'])")
    alone = write(tmp_path / "one.csv", rows[:2])
    said = mercer("explain", "t.mercer", alone)
    assert said.code == 0 and "compared with 60 training rows" in said.out
    of_one = json.loads(mercer("explain", "t.mercer", alone, "--json").out)
    of_many = json.loads(mercer("explain", "t.mercer", table, "--rows", "1", "--json").out)
    assert of_one == of_many and of_one["background"] == 60
    model = library.load(tmp_path / "t.mercer")
    del model.background_
    library.save(model, tmp_path / "t.mercer")
    one_line(mercer("explain", "t.mercer", alone), "data has to have several rows")
    assert "rows of the data" in mercer("explain", "t.mercer", table).out


def test_a_long_proof_is_printed_in_outline(mercer, tmp_path):
    kernel = library.RBF() * sum((library.RBF(float(i)) for i in range(2, 16)), library.RBF()).exp()
    library.save(library.SVC(kernel=kernel).fit(np.eye(4), [0, 1, 0, 1]), tmp_path / "m.mercer")
    whole = str(kernel.certificate())
    _, proof = mercer("explain", "m.mercer").out.split("positive semi-definite?\n\n")
    lines = proof.splitlines()
    assert len(whole.splitlines()) > 40 >= len(lines) - 1
    assert lines[1] == whole.splitlines()[1] and "--json prints the whole proof" in lines[-1]
    assert json.loads(mercer("explain", "m.mercer", "--json").out)["certificate"] == whole


def test_effects_on_several_classes_are_named_line_by_line(capsys):
    one, other = ["a", [0.0, 1.0], [-0.1, 0.1], "stay"], ["b", ["x", "y"], [0.2, -0.2], "leave"]
    _print_effects([one, one])
    printed = capsys.readouterr().out
    assert "on the probability of stay, as" in printed and "(of " not in printed
    _print_effects([one, other])
    head, *lines = filter(None, capsys.readouterr().out.splitlines())
    assert "on the probability of the class that changes most, as" in head
    assert [line.rpartition("   ")[2] for line in lines] == ["(of stay)", "(of leave)"]
