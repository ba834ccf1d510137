"""Who waits for the compiler is told so, once, and only for functions of mercer."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from mercer import _compiled
from mercer._compiled import announcements
from mercer._compiled.announcements import Announcer


def event(module: str) -> SimpleNamespace:
    function = SimpleNamespace(py_func=SimpleNamespace(__module__=module))
    return SimpleNamespace(data={"dispatcher": function})


@pytest.fixture
def clock(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(announcements.time, "perf_counter", lambda: now[0])
    return now


def test_a_second_of_compiling_is_announced_once(clock):
    said = []
    announcer = Announcer(said.append)
    ours, theirs = event("mercer._compiled.storage"), event("user")
    for seconds, expected in ((0.6, 0), (0.6, 1), (5.0, 1)):
        announcer.on_start(ours)
        announcer.on_start(ours)  # one that it calls
        clock[0] += seconds
        announcer.on_end(ours)
        announcer.on_end(ours)
        assert len(said) == expected
    announcer = Announcer(said.append)
    announcer.on_start(theirs)
    clock[0] += 9.0
    announcer.on_end(theirs)
    assert len(said) == 1


def test_it_is_said_where_other_messages_are(monkeypatch):
    said = []
    monkeypatch.setattr(_compiled, "say", said.append)
    _compiled.tell("wait")
    monkeypatch.setattr(_compiled, "say", None)
    _compiled.tell("nobody listens")
    assert said == ["wait"]
