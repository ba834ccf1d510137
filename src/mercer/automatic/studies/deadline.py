"""A limit of time: what is begun within it, and what is stopped when it is over."""

from __future__ import annotations

import contextlib
import contextvars
import time
from collections.abc import Callable, Iterator
from typing import TypeVar

_SLOWER = {"balanced": 15.0, "best": 7.5}  # how much longer than all before it, about

_Model = TypeVar("_Model")


class OutOfTimeError(Exception):
    """The time is over; whoever set the limit goes on with what there is."""


class Deadline:
    """So many seconds from now on."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.start = _now()

    @property
    def spent(self) -> float:
        """The seconds that have passed."""
        return _now() - self.start

    @property
    def is_over(self) -> bool:
        """Whether all of them have passed."""
        return self.spent > self.seconds


_current: contextvars.ContextVar[Deadline | None] = contextvars.ContextVar("deadline", default=None)


def _now() -> float:
    return time.perf_counter()


@contextlib.contextmanager
def keeping(deadline: Deadline | None) -> Iterator[None]:
    """Within this block, `check_time` raises an error once the deadline is over."""
    token = _current.set(deadline)
    try:
        yield
    finally:
        _current.reset(token)


def time_is_over() -> bool:
    """Whether the deadline of the block is over; never where there is none."""
    deadline = _current.get()
    return deadline is not None and deadline.is_over


def _seconds(value: float) -> str:
    """Seconds in words, without powers of ten."""
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


def seconds_given() -> float:
    """The seconds of the deadline of the block, which has one."""
    deadline = _current.get()
    assert deadline is not None
    return deadline.seconds


def check_time() -> None:
    """Raise `OutOfTimeError` where the deadline of the block is over."""
    if time_is_over():
        raise OutOfTimeError


def best_in_time(
    attempt: Callable[[str], _Model], seconds: float, what: str = "time ="
) -> tuple[_Model, list[str]]:
    """The model of the most effort for which there is time, and what was left out, in words.

    The least effort is never stopped. More of it is begun where it should take less than is left,
    and given up between two candidates when the time is over.
    """
    deadline, limit = Deadline(seconds), f"{what} {seconds:g}"
    model, notes = attempt("fast"), []
    for effort, factor in _SLOWER.items():
        estimate = factor * deadline.spent
        if deadline.spent + estimate >= seconds:
            notes.append(
                f"{limit} is too short for {effort!r}, which takes about {_seconds(estimate)} s"
            )
            break
        try:
            with keeping(deadline):
                model = attempt(effort)
        except OutOfTimeError:
            notes.append(f"{effort!r} was given up when {limit} was over")
            break
    over = deadline.spent - seconds
    if over > 0:
        notes.append(
            f"the fit took {_seconds(deadline.spent)} s, {_seconds(over)} s more than {limit}"
        )
    return model, notes
