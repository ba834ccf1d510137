"""``mercer doctor`` describes the installation, and says what to do."""

from __future__ import annotations

import json
from types import SimpleNamespace

import mercer as library
from mercer import _compiled
from mercer.cli.tools import doctor


def test_what_is_there_is_listed(mercer):
    said = mercer("doctor")
    for part in (library.__version__, "numpy", "numba", "threads", "cache folder", "compiled"):
        assert part in said.out


def test_the_same_as_json(mercer):
    facts = json.loads(mercer("doctor", "--json").out)
    assert facts["packages"]["numpy"]
    assert {"python", "linear algebra", "memory", "cache folder", "advice"} <= facts.keys()


def _function(name, folder):
    code = SimpleNamespace(__module__="mercer._compiled.x", __name__=name)
    return SimpleNamespace(py_func=code, stats=SimpleNamespace(cache_path=folder))


def test_stored_functions_are_counted(tmp_path, monkeypatch):
    import sys

    tag = f"py{sys.version_info.major}{sys.version_info.minor}"
    (tmp_path / f"x.one-12.{tag}.nbi").touch()
    (tmp_path / "x.two-12.py20.nbi").touch()  # of another Python
    functions = [_function("one", str(tmp_path)), _function("two", str(tmp_path))]
    monkeypatch.setattr(_compiled, "functions", lambda: functions)
    assert doctor.compile_state() == (tmp_path, 1, 2)
    monkeypatch.setattr(_compiled, "functions", lambda: [_function("one", None)])
    assert doctor.compile_state() == (None, 0, 1)


def test_advice(tmp_path, mercer, monkeypatch):
    assert doctor._advice(tmp_path / "new", 3, 5) == []
    assert "mercer warmup" in doctor._advice(tmp_path, 0, 5)[0]
    assert "NUMBA_CACHE_DIR" in doctor._advice(None, 0, 5)[0]
    monkeypatch.setattr(doctor, "compile_state", lambda: (None, 0, 5))
    assert mercer("doctor").code == 1


def test_packages_that_are_not_there_come_last():
    assert doctor._text({"a": None, "b": "1.0"}) == "b 1.0, not installed: a"
    assert doctor._version("no-such-package") is None
