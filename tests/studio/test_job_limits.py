"""The memory of a process is limited where the system can, and running out of it is an answer."""

from __future__ import annotations

import subprocess
import sys

import pytest

from mercer.studio import actions
from mercer.studio.job_limits import limit_memory

PROGRAM = """
import numpy as np
from mercer.studio.job_limits import limit_memory
print(limit_memory(100_000_000))
try:
    np.ones(50_000_000)
except MemoryError:
    print("refused")
print(np.ones(1_000_000).sum())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what is mapped")
def test_a_process_cannot_use_more():
    said = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert said.stdout.split() == ["True", "refused", "1000000.0"]


def test_without_a_limit_nothing_is_limited():
    assert not limit_memory(0)


def test_a_system_that_cannot_limit_memory_goes_on(monkeypatch):
    monkeypatch.setitem(sys.modules, "resource", None)  # as on Windows
    assert not limit_memory(10**9)


def test_running_out_of_memory_is_an_answer(monkeypatch):
    def greedy(request, tell):
        raise MemoryError

    monkeypatch.setitem(actions._ACTIONS, "look", greedy)
    assert "not enough memory" in actions.perform({"do": "look"}, print)["error"]


def test_a_bug_is_an_answer_that_says_so(monkeypatch):
    monkeypatch.setitem(actions._ACTIONS, "look", lambda request, tell: 1 / 0)
    assert actions.perform({"do": "look"}, print)["bug"]
