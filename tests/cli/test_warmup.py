"""``mercer warmup`` says what it compiled."""

from __future__ import annotations

from mercer import first_use


def test_one_line_for_each_stage(mercer, monkeypatch):
    monkeypatch.setattr(first_use, "STAGES", {"kernels": lambda: None})
    said = mercer("warmup")
    assert said.code == 0
    first, last = said.out.splitlines()
    assert first.split()[:3] == ["kernels", "0", "compiled"]
    assert last.startswith("0 functions compiled and cached in ")
    assert mercer("warmup", "--quiet").out == ""
