"""Lines and JSON."""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

from mercer.cli.output import align, folded, peak_memory, plain_warnings, print_json, with_threads
from mercer.config import get_config


def test_json_is_what_every_parser_reads(capsys):
    print_json(
        {
            "a": float("nan"),
            "b": [np.inf, np.float64(1.5), np.int64(3)],
            4: np.array([[1.0, np.nan]]),
            "p": Path("x"),
            "t": (True, None),
        }
    )
    said = capsys.readouterr().out
    assert said.count("\n") == 1
    found = json.loads(said, parse_constant=lambda name: 1 / 0)
    assert found == {
        "a": None,
        "b": [None, 1.5, 3],
        "4": [[1.0, None]],
        "p": "x",
        "t": [True, None],
    }


@pytest.mark.parametrize(("columns", "widest"), [(60, 60), (80, 80), (200, 88)])
def test_lines_fit_a_narrow_terminal(monkeypatch, columns, widest):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", str(columns))
    said = align([("name", "word " * 60), ("other", "chosen by leave-one-out")])
    assert widest - 8 <= max(map(len, said.splitlines())) <= widest


def test_proofs_and_tables_are_folded_between_words(monkeypatch):
    text = "  by Bochner: the Fourier transform of a Gaussian is a Gaussian\n\n  RBF  strict  k = 1"
    assert folded(text) == text  # as tests, files and pipes get it
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "44")
    assert folded(text).splitlines() == [
        "  by Bochner: the Fourier transform of a",
        "    Gaussian is a Gaussian",
        "",
        "  RBF  strict  k = 1",
    ]


def test_lines_are_folded_beside_their_names():
    said = align([("name", "word " * 60), ("other", "x\ny"), ("", "z")]).splitlines()
    assert (
        all(len(line) <= 130 for line in said)
        and said[0].startswith("name   word")
        and said[1].startswith(" " * 7)
    )
    assert said[-3:] == ["other  x", "       y", "       z"]


def test_paths_are_not_broken_at_hyphens():
    path = "/home/a-name-with-hyphens" * 3
    assert path in align([("python", f"3.12 ({path})"), ("folder", path)])


def test_notes(capsys):
    for shown in (True, False):
        with plain_warnings(shown):
            for _ in range(3):
                warnings.warn("one\nline", stacklevel=1)
    assert capsys.readouterr().err == "mercer: note: one line\n"


def test_threads_and_memory():
    before = get_config().threads
    with with_threads(3):
        assert get_config().threads == 3
    with with_threads(None):
        assert get_config().threads == before
    assert peak_memory() is None or peak_memory() > 1e7
