"""Progress is told: with an estimate, and where there is no terminal only after a long silence."""

from __future__ import annotations

import contextlib
import io
import time

import pytest

from mercer.cli import findings
from mercer.cli import progress as module
from mercer.cli.findings import Printer
from mercer.cli.progress import PassLines, progress_bars


@pytest.fixture
def clock(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(module.time, "perf_counter", lambda: now[0])
    return now


def test_a_line_after_a_long_silence(clock, capsys):
    with progress_bars(True) as progress:
        progress("fit", 1)
        clock[0] = 100.0
        progress("", 1)
        progress("assess", 10)
        for seconds in (110.0, 120.0, 131.0, 140.0, 162.0, 170.0, 180.0, 190.0, 191.0, 250.0):
            clock[0] = seconds
            progress("", 1)
    said = capsys.readouterr()
    assert said.out == "" and said.err.splitlines() == [
        "mercer: cross-validation, about 72 s left (3 of 10)",
        "mercer: cross-validation, about 62 s left (5 of 10)",
    ]


def test_nothing_is_shown(clock, capsys):
    with progress_bars(False) as progress:
        progress("assess", 2)
        clock[0] = 1e6
        progress("", 1)
    assert capsys.readouterr() == ("", "")


def test_bars_on_a_terminal(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    screen = Terminal()
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    with progress_bars(True) as progress:
        for stage, steps, part in (
            ("read", 1, "reading"),
            ("fit", 1, "model selection"),
            ("", 1, ""),
            ("assess", 2, "cross-validation"),
            ("", 1, "1 of 2"),
            ("own", 1, "own"),
        ):
            progress(stage, steps)
            for _ in range(1200):  # bars are drawn by a thread, ten times a second
                if part in screen.getvalue():
                    break
                time.sleep(0.05)
    shown = screen.getvalue()
    for part in ("reading", "model selection", "cross-validation", "1 of 2", "own"):
        assert part in shown


class Timer:
    """Rings when the test says so."""

    def __init__(self, seconds, ring):
        assert seconds == 1.0
        self.ring = ring

    def start(self):
        pass

    def cancel(self):
        pass


def test_lines_wait_a_second(capsys, monkeypatch):
    monkeypatch.setattr(findings.threading, "Timer", Timer)
    with Printer(True) as tell:
        tell([("data", "some")])
        assert capsys.readouterr().out == ""
        tell._timer.ring()
        assert capsys.readouterr().out == "data       some\n"
        tell([("target", "y")])
        assert capsys.readouterr().out == "target     y\n"
    with contextlib.suppress(ValueError), Printer(True) as tell:
        tell([("data", "some")])
        raise ValueError
    assert capsys.readouterr().out == ""
    with Printer(False) as tell:
        tell([("data", "some")])
    assert capsys.readouterr().out == ""


def test_the_bar_moves_while_a_step_lasts(clock):
    bar = module._Clock()
    bar.begin("fit", 1)
    assert bar.completed == 0.0 and bar.left == 0.0  # nothing is known
    clock[0] = 10.0
    bar.begin("assess", 4)
    assert bar.left == 40.0
    clock[0] = 15.0
    assert bar.completed == pytest.approx(0.5) and bar.left == pytest.approx(35.0)
    clock[0] = 100.0  # slower than the fit, so that the bar waits
    assert bar.completed == pytest.approx(0.95)
    bar.advance(1)
    assert bar.completed == 1.0 and bar.left == pytest.approx(270.0)
    clock[0] = 145.0
    assert bar.completed == pytest.approx(1.5) and bar.left == pytest.approx(225.0)
    bar.advance(3)
    assert bar.completed == 4.0 and bar.left == 0.0


def test_the_time_left_begins_anew_with_other_centers(clock, capsys):
    lines = PassLines()
    for seconds, done, total in ((500.0, 9, 10), (1000.0, 10, 10), (1040.0, 1, 5)):
        clock[0] = seconds
        lines(done, total)
    assert capsys.readouterr().err.splitlines()[-1] == "mercer: pass 1 of about 5, about 160 s left"
