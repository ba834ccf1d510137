"""Values that threads share: computed once, by one of them."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

T = TypeVar("T")
_lock = threading.RLock()
_generation = 0  # of forked processes


def _replace_locks() -> None:
    global _lock, _generation
    _lock = threading.RLock()
    _generation += 1


if hasattr(os, "register_at_fork"):  # a lock held by another thread would stay locked in the child
    os.register_at_fork(after_in_child=_replace_locks)


def shared_lock() -> threading.RLock:
    """The lock under which threads compute what they share; a forked process has its own."""
    return _lock


class Memo:
    """Values that are computed once and kept as long as the object that holds them."""

    _memo: dict[Hashable, Any]
    _making: dict[Hashable, threading.RLock]

    def once(self, key: Hashable, make: Callable[[], T], keep: int = 8) -> T:
        """Return the value kept under ``key``; the first call computes it by ``make()``.

        If several threads ask for it at the same time, one computes it and the others wait; values
        under other keys are not waited for, so that ``make`` may use threads. At most ``keep``
        values are kept: a further one replaces the oldest.
        """
        memo = self.__dict__.setdefault("_memo", {})
        value = memo.get(key)
        if value is not None:
            return value
        own_key = key, _generation  # a forked process has its own locks
        with _lock:
            making = self.__dict__.setdefault("_making", {})
            lock = making.setdefault(own_key, threading.RLock())
        with lock:
            value = memo.get(key)  # another thread may have computed it in the meantime
            if value is not None:
                return value
            value = make()
            with _lock:
                if len(memo) >= keep:
                    memo.pop(next(iter(memo)))
                memo[key] = value
                making.pop(own_key, None)
        return value

    def __getstate__(self) -> dict[str, Any]:
        own = {"_memo", "_making"}
        return {name: value for name, value in self.__dict__.items() if name not in own}
