"""Exit codes, and one line for everything that goes wrong."""

from __future__ import annotations

import subprocess
import sys

import pytest

import mercer as library


def test_version_and_help(mercer):
    assert mercer("--version") == (0, f"mercer {library.__version__}\n", "")
    said = mercer("--help")
    assert said.code == 0 and all(
        name in said.out for name in ("fit", "predict", "explain", "check", "kernels", "gallery")
    )
    assert "--target" in mercer("fit", "-h").out
    bare = mercer()
    assert bare.code == 2 and "Usage" in bare.out and bare.err == ""


@pytest.mark.parametrize(
    ("args", "part"),
    [
        (("nope",), "nope"),
        (("fit",), "DATA"),
        (("fit", "x.csv", "--nope"), "--nope"),
        (("fit", "x.csv", "--folds", "1"), "--folds"),
        (("fit", "x.csv", "--folds", "many"), "--folds"),
        (("fit", "x.csv", "--seed", "-1"), "--seed"),
        (("fit", "x.csv", "--target"), "--target"),
        (("predict", "x.mercer"), "DATA"),
        (("check",), "EXPRESSION"),
    ],
)
def test_misused(mercer, one_line, args, part):
    one_line(mercer(*args), part)


def test_stopped(mercer, one_line, monkeypatch, rows, write, tmp_path):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("mercer.cli.fit.study", stop)
    one_line(mercer("fit", write(tmp_path / "t.csv", rows), "-t", "y"), "stopped", code=130)
    assert not (tmp_path / "t.mercer").exists()


def test_bugs_in_mercer_are_told_apart(mercer, monkeypatch, rows, write, tmp_path):
    def fall(*_, **__):
        raise ZeroDivisionError("oh\nno")

    monkeypatch.setattr("mercer.cli.fit.study", fall)
    said = mercer("fit", write(tmp_path / "t.csv", rows), "-t", "y")
    assert (
        said.code == 70
        and said.err
        == "mercer: ZeroDivisionError: oh no (a bug in mercer; MERCER_TRACEBACK=1 shows where)\n"
    )
    monkeypatch.setenv("MERCER_TRACEBACK", "1")
    with pytest.raises(ZeroDivisionError):
        mercer("fit", "t.csv", "-t", "y")


def test_memory_that_is_not_there(mercer, one_line, monkeypatch, rows, write, tmp_path):
    def swell(*_, **__):
        raise MemoryError

    monkeypatch.setattr("mercer.cli.fit.study", swell)
    one_line(mercer("fit", write(tmp_path / "t.csv", rows), "-t", "y"), "MemoryError")


def test_without_typer(mercer, one_line, monkeypatch):
    monkeypatch.setitem(sys.modules, "typer", None)
    monkeypatch.delitem(sys.modules, "mercer.cli.app", raising=False)
    one_line(mercer("kernels"), "pip install 'mercer[cli]'")


@pytest.mark.slow
def test_as_a_process():
    ended = subprocess.run(
        [sys.executable, "-m", "mercer", "check", "Sigmoid()"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 1 and "INDEFINITE" in ended.stdout and ended.stderr == ""
