"""``mercer relate``: what it prints, its JSON, and its mistakes."""

from __future__ import annotations

import json

import numpy as np
import pytest

from mercer.cli import main


@pytest.fixture
def data(tmp_path):
    rng = np.random.default_rng(0)
    z, a, b = rng.standard_normal((3, 90))
    lines = ["z,x,y,color,clinic"]
    for i in range(90):
        color = "red" if z[i] > 0 else "blue"
        shown = "" if i % 9 == 0 else f"{z[i] + 0.5 * a[i]:.4f}"
        lines.append(f"{z[i]:.4f},{shown},{z[i] + 0.5 * b[i]:.4f},{color},{i // 3}")
    path = tmp_path / "data.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def relate(capsys, monkeypatch):
    def call(*args):
        monkeypatch.setattr("sys.argv", ["mercer", "relate", *map(str, args)])
        with pytest.raises(SystemExit) as ended:
            main()
        said = capsys.readouterr()
        return int(ended.value.code or 0), said.out, said.err

    return call


def test_two_columns(relate, data):
    code, out, _ = relate(data, "--columns", "x,y", "--permutations", "99")
    assert code == 0
    assert "90 rows" in out and "x, y" in out and "dependent" in out


def test_given(relate, data):
    code, out, err = relate(data, "--columns", "x,y", "--given", "z")
    assert code == 0 and "given z" in out and "no dependence seen" in out
    assert "no conditional test" in err


def test_json_of_all_columns(relate, data):
    code, out, _ = relate(data, "--groups", "clinic", "--permutations", "49", "--json")
    found = json.loads(out)
    assert code == 0 and len(found["pairs"]) == 6 and found["rows"] == 90
    assert found["joint"]["pvalue"] == 0.02


@pytest.mark.parametrize(
    ("args", "match"),
    [
        (["--columns", "x"], "too few"),
        (["--columns", "x,w"], "not a column"),
        (["--columns", "x,y", "--given", "w"], "not a column"),
        (["--columns", "x,y", "--given", "z", "--groups", "clinic"], "not valid"),
    ],
)
def test_mistakes(relate, data, args, match):
    code, _, err = relate(data, *args)
    assert code != 0 and match in err


def test_sequences_have_no_columns(relate, tmp_path):
    path = tmp_path / "a.fasta"
    path.write_text(">a\nACGT\n>b\nACGA\n")
    code, _, err = relate(path)
    assert code != 0 and "no columns" in err
