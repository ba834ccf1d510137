"""The stages of a study, which are announced and timed."""

from __future__ import annotations

import contextlib
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from mercer.automatic.studies.deadline import Deadline, OutOfTimeError, check_time, keeping

T = TypeVar("T")
Progress = Callable[[str, int], None]  # a new stage and its number of steps, or "" and steps done
Announce = Callable[[str, Any], None]  # the name of a finding, and the finding


class Stages:
    """Announces the stages of a study, measures their time and collects their warnings."""

    def __init__(
        self,
        progress: Progress | None = None,
        announce: Announce | None = None,
        limit: float | None = None,
    ) -> None:
        self.limit = limit  # seconds that the whole study should take
        self.progress = progress or (lambda stage, steps: None)
        self.announce = announce or (lambda name, result: None)
        self.start = time.perf_counter()
        self.seconds: dict[str, float] = {}
        self.notes: list[str] = []

    @contextlib.contextmanager
    def stage(self, name: str, n_steps: int = 1) -> Iterator[None]:
        """A stage of so many steps; its warnings become notes."""
        self.progress(name, n_steps)
        start = time.perf_counter()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield
        for warning in caught:
            text = str(warning.message)
            if text not in self.notes:
                self.notes.append(text)
        self.seconds[name] = time.perf_counter() - start

    def if_time(self, what: str, compute: Callable[[], T], default: T) -> T:
        """What is computed while there is time; a note, and the default, once it is over."""
        if self.limit is None:
            return compute()
        deadline = Deadline(self.limit - self.spent)
        try:
            with keeping(deadline):
                check_time()
                return compute()
        except OutOfTimeError:
            self.notes.append(f"there was no time for {what}: give a longer --time")
            return default

    @property
    def spent(self) -> float:
        """The seconds since the study began."""
        return time.perf_counter() - self.start

    def step(self) -> None:
        """One step of the current stage is done."""
        self.progress("", 1)
