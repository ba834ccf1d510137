"""The progress of a command: bars on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import contextlib
import functools
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

Progress = Callable[[str, int], None]
_STAGES = {
    "read": "reading",
    "look": "looking at columns",
    "fit": "model selection",
    "assess": "cross-validation",
    "columns": "column importance",
}
_SILENCE = 30.0  # seconds without a word where there is no terminal


@contextlib.contextmanager
def progress_bars(shown: bool) -> Iterator[Progress]:
    """Shows progress on the error stream: a bar for each stage, or lines if it is no terminal.

    It yields a function of the name of a new stage and its number of steps, or of an empty name and
    the number of steps that are done.
    """
    if not shown:
        yield lambda stage, steps: None
    elif not sys.stderr.isatty():
        yield _Lines()
    else:
        with _bars() as progress:
            yield progress


class _Clock:
    """Knows how long a stage has taken, and will take: a fold takes as long as the first fit."""

    def __init__(self) -> None:
        self.name, self.start = "", time.perf_counter()
        self.done = self.total = 0
        self.since = 0.0  # seconds of the stage when the last step ended
        self.fit = 0.0

    def begin(self, stage: str, steps: int) -> None:
        now = time.perf_counter()
        if self.name == "fit":
            self.fit = now - self.start
        self.name, self.start, self.done, self.total = stage, now, 0, steps
        self.since = 0.0

    @property
    def elapsed(self) -> float:
        return time.perf_counter() - self.start

    @property
    def step(self) -> float:
        """The seconds that one step takes, as far as that is known; else 0."""
        if self.done:
            return self.since / self.done
        return self.fit if self.name == "assess" else 0.0

    @property
    def left(self) -> float:
        """The seconds that the stage will still take; 0 if nothing is known."""
        if not self.step:
            return 0.0
        waited = self.elapsed - self.since  # in the step that has not ended
        ahead = max(self.total - self.done - 1, 0) * self.step
        return ahead + max(self.step - waited, 0.0) if self.done < self.total else 0.0

    @property
    def completed(self) -> float:
        """The steps that are done, and an estimate of how much of the next one is."""
        if not self.step or self.done >= self.total:
            return float(self.done)
        return self.done + min((self.elapsed - self.since) / self.step, 0.95)

    def advance(self, steps: int) -> None:
        """Some steps have ended now."""
        self.done += steps
        self.since = self.elapsed

    @property
    def rounds(self) -> str:
        """How many steps are done, where there are several."""
        return f"{self.done} of {self.total}" if self.total > 1 else ""

    @property
    def text(self) -> str:
        title = _STAGES.get(self.name, self.name)
        if self.left < 2.0:
            return title
        return f"{title}, about {self.left:.0f} s left"


class _Lines:
    """A line after a long silence: a log should not be filled, nor a user kept in doubt."""

    def __init__(self) -> None:
        self.clock = _Clock()
        self.last = time.perf_counter()

    def __call__(self, stage: str, steps: int) -> None:
        if stage:
            self.clock.begin(stage, steps)
            return
        self.clock.advance(steps)
        now = time.perf_counter()
        if self.clock.name != "assess" or self.clock.done == self.clock.total:
            return
        if now - max(self.last, self.clock.start) > _SILENCE:
            self.last = now
            print(f"mercer: {self.clock.text} ({self.clock.rounds})", file=sys.stderr, flush=True)


@contextlib.contextmanager
def _bars() -> Iterator[Progress]:
    from rich.console import Console

    # Lines that are printed meanwhile stand above the bar, unless they go elsewhere.
    above = sys.stdout.isatty()
    clock = _Clock()
    with _moving(clock)(console=Console(stderr=True), transient=True, redirect_stdout=above) as bar:

        def progress(stage: str, steps: int) -> None:
            if not stage:
                clock.advance(steps)
                return
            for task in bar.tasks[-1:]:
                bar.remove_task(task.id)
            clock.begin(stage, steps)
            # A bar of one step would stand still: it moves without an end instead.
            bar.add_task(clock.text, total=steps if steps > 1 else None, rounds=clock.rounds)

        yield progress


def _moving(clock: _Clock) -> Callable[..., Any]:
    """The class of a bar that moves with the clock, also while a step lasts."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    class Moving(Progress):
        def get_renderables(self) -> Iterable[Any]:
            for task in self.tasks:
                task.completed, task.description = clock.completed, clock.text
                task.fields["rounds"] = clock.rounds
            yield from super().get_renderables()

    name, rounds = TextColumn("{task.description:40s}"), TextColumn("{task.fields[rounds]}")
    columns = (name, BarColumn(bar_width=24), TimeElapsedColumn(), rounds)
    return functools.partial(Moving, *columns)


class PassLines:
    """Passes over all rows and the time left: one line that changes on a terminal, else a few."""

    def __init__(self) -> None:
        self.start = self.last = self.before = time.perf_counter()
        self.done = 0
        self.on_terminal = sys.stderr.isatty()

    def __call__(self, done: int, total: int) -> None:
        now = time.perf_counter()
        if done < self.done:  # another solution, on more centers, has begun after the last pass
            self.start = self.before
        self.done, self.before = done, now
        pause = 0.5 if self.on_terminal else _SILENCE
        if now - self.last < pause:
            return
        self.last = now
        left = (now - self.start) / done * max(total - done, 0)
        text = f"mercer: pass {done} of about {total}, about {left:.0f} s left"
        end = "\r" if self.on_terminal else "\n"
        print(f"{text:60s}" if self.on_terminal else text, end=end, file=sys.stderr, flush=True)
