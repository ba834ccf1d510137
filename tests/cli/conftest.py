"""Commands run inside the process: it is faster, and the same code."""

from __future__ import annotations

import contextlib
import io
import sys
from typing import Any, NamedTuple

import numpy as np
import pytest

from mercer.cli import main

FAST = ("--folds", "2", "--repeats", "1", "--learner", "ridge", "--no-report")


class Said(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str


def call(*args: Any) -> Said:
    """``mercer ARGS``."""
    out, err, before = io.StringIO(), io.StringIO(), sys.argv
    sys.argv = ["mercer", *map(str, args)]
    try:
        with (
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
            pytest.raises(SystemExit) as ended,
        ):
            main()
    finally:
        sys.argv = before
    return Said(int(ended.value.code or 0), out.getvalue(), err.getvalue())


@pytest.fixture(scope="session")
def mercer():
    return call


@pytest.fixture(scope="session")
def fit():
    """``mercer fit ARGS``, as little as possible of it."""
    return lambda *args: call("fit", *args, *FAST)


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch):
    """Files without a folder go where nothing is lost."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="session")
def rows() -> list[list[str]]:
    """A header and sixty rows: two numbers, a category, two classes."""
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((2, 60))
    made = [
        [
            f"{a[i]:.3f}",
            f"{b[i]:.3f}",
            ("red", "green", "blue")[i % 3],
            "yes" if a[i] + 0.3 * b[i] > 0 else "no",
        ]
        for i in range(60)
    ]
    return [["a", "b", "color", "y"], *made]


@pytest.fixture(scope="session")
def write():
    """Cells as a file."""

    def write(path, rows, between=","):
        path.write_text("".join(between.join(row) + "\n" for row in rows))
        return path

    return write


@pytest.fixture(scope="session")
def one_line():
    """The command was refused: one line on the error stream."""

    def check(said: Said, *parts: str, code: int = 2) -> None:
        # After a second, what is known of the data is printed: a busy machine may take that long.
        assert said.code == code and (not said.out or said.out.startswith("data  ")), said
        assert (
            said.err.startswith("mercer: ")
            and said.err.count("\n") == 1
            and said.err.endswith("\n")
        ), said.err
        assert "Traceback" not in said.err and "a bug in mercer" not in said.err
        for part in parts:
            assert part in said.err, said.err

    return check
