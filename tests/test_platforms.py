"""What Windows and macOS lack is not needed: it is taken away, and everything still works."""

from __future__ import annotations

import ctypes
import io
import subprocess
import sys
from types import SimpleNamespace

import pytest

from mercer import cli, limits
from mercer.cli import output

WITHOUT_UNIX = """
import os, sys
import joblib, numba, pandas, sklearn.svm, scipy.optimize, tempfile  # they may use what they find

for name in (
    "fork", "forkpty", "register_at_fork", "sched_getaffinity", "getuid", "geteuid", "getegid",
    "fchown", "fchmod", "sysconf", "O_NOFOLLOW", "O_CLOEXEC", "O_DIRECTORY", "uname", "getpgid",
):
    if hasattr(os, name):
        delattr(os, name)
for name in ("fcntl", "resource", "pwd", "grp", "termios"):
    sys.modules[name] = None

import numpy as np
import mercer
from mercer.cli import main
from mercer.model_files import parts

assert not parts.LOCKS
X = np.random.default_rng(0).random((60, 3))
y = X[:, 0] > 0.5
model = mercer.SVC(kernel=mercer.RBF()).fit(X, y)
mercer.save(model, "model.mercer")
mercer.save(model, "model.mercer")  # over the first one
assert (mercer.load("model.mercer").predict(X) == model.predict(X)).all()
assert mercer.get_config().threads >= 1 and mercer.get_config().memory_budget > 0
for words in (["check", "RBF() * Linear()"], ["doctor"], ["explain", "model.mercer"]):
    sys.argv = ["mercer", *words]
    try:
        main()
    except SystemExit as ended:
        assert ended.code == 0, words
print("done")
"""


def test_everything_works_without_what_only_unix_has(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_UNIX], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.stdout.endswith("done\n"), done.stderr[-2000:]
    assert [path.name for path in tmp_path.iterdir()] == ["model.mercer"]


def test_the_memory_of_windows_is_asked_for(monkeypatch):
    def fill(pointer):
        status = ctypes.cast(pointer, ctypes.POINTER(limits._MemoryStatus)).contents
        assert status.length == 64  # the size that Windows expects
        status.physical = 12_000_000_000
        return 1

    kernel32 = SimpleNamespace(GlobalMemoryStatusEx=fill)
    monkeypatch.setattr(ctypes, "windll", SimpleNamespace(kernel32=kernel32), raising=False)
    monkeypatch.delattr("os.sysconf", raising=False)
    assert list(limits._physical_memory()) == [12_000_000_000]
    kernel32.GlobalMemoryStatusEx = lambda pointer: 0
    assert list(limits._physical_memory()) == []


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "utf-8"])
def test_formulas_can_be_printed_in_any_encoding(encoding, monkeypatch):
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding)
    monkeypatch.setattr(sys, "stdout", stream)
    cli._allow_formulas()
    print("cᵀKc ≥ 0")
    stream.flush()
    assert raw.getvalue().decode("utf-8").strip() == "cᵀKc ≥ 0"


def test_streams_that_cannot_be_changed_are_left_alone(monkeypatch):
    monkeypatch.setattr(sys, "stdout", SimpleNamespace(encoding="ascii"))
    monkeypatch.setattr(sys, "stderr", None)
    cli._allow_formulas()


@pytest.mark.parametrize(("system", "unit"), [("linux", 1024), ("darwin", 1)])
def test_peak_memory_is_in_bytes_on_every_system(system, unit, monkeypatch):
    usage = SimpleNamespace(ru_maxrss=5)
    fake = SimpleNamespace(RUSAGE_SELF=0, getrusage=lambda who: usage)
    monkeypatch.setitem(sys.modules, "resource", fake)
    monkeypatch.setattr(sys, "platform", system)
    assert output.peak_memory() == 5 * unit


def test_peak_memory_is_unknown_on_windows(monkeypatch):
    monkeypatch.setitem(sys.modules, "resource", None)
    assert output.peak_memory() is None
