"""Everything can be compiled before it is used."""

from __future__ import annotations

import pytest

import mercer
from mercer import first_use
from mercer.errors import ParameterError


def test_stages_are_reported(monkeypatch):
    called = []
    stages = {"one": lambda: called.append(1), "two": lambda: called.append(2)}
    monkeypatch.setattr(first_use, "STAGES", stages)
    told = []
    assert mercer.warmup(lambda *stage: told.append(stage)) == 0
    assert called == [1, 2]
    assert [(name, compiled) for name, compiled, _ in told] == [("one", 0), ("two", 0)]
    assert all(seconds >= 0.0 for _, _, seconds in told)


def test_a_report_is_a_function():
    with pytest.raises(ParameterError, match="report = 'loud' must be a function"):
        mercer.warmup("loud")


@pytest.mark.slow
@pytest.mark.parametrize("stage", list(first_use.STAGES))
def test_a_stage_finds_everything_the_second_time(stage):
    first_use.STAGES[stage]()
    before = mercer._compiled.compilations()
    first_use.STAGES[stage]()
    assert mercer._compiled.compilations() == before
