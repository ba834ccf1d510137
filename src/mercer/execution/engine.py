"""Where the blocks of a source of rows are computed: here, or wherever another engine sends them.

An engine maps a function over blocks and adds the results in a tree that is fixed by the number of
blocks. Nothing else depends on where the blocks are computed, so that results have the same bits
for any number of threads or workers. Functions are module-level functions or small frozen data
classes, so that another engine can send them to other processes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol

from mercer.execution.cancel import check_stop

BlockFunction = Callable[..., Any]  # of a block and further arguments


class Engine(Protocol):
    """What the passes over blocks ask of an engine."""

    def map(self, function: BlockFunction, blocks: Iterable[Any], *arguments: Any) -> list[Any]:
        """The results of ``function(block, *arguments)`` in the order of the blocks."""

    def map_sum(self, function: BlockFunction, blocks: Iterable[Any], *arguments: Any) -> Any:
        """The same results, added in a fixed tree."""


class LocalEngine:
    """Blocks one after the other in this process; threads share the work inside of each block.

    Examples
    --------
    >>> from mercer.execution.engine import LocalEngine
    >>> LocalEngine().map_sum(
    ...     lambda block, factor: (factor * sum(block),), [[1, 2], [3]], 10
    ... )
    (60,)
    """

    def map(self, function: BlockFunction, blocks: Iterable[Any], *arguments: Any) -> list[Any]:
        """The results of ``function(block, *arguments)`` in the order of the blocks."""
        results = []
        for block in blocks:
            check_stop()
            results.append(function(block, *arguments))
        return results

    def map_sum(self, function: BlockFunction, blocks: Iterable[Any], *arguments: Any) -> Any:
        """The same results, added in a fixed tree; they are tuples of numbers and arrays."""
        total = TreeSum()
        for block in blocks:
            check_stop()
            total.add(function(block, *arguments))
        return total.result()


class TreeSum:
    """A sum of tuples in the order of a binary tree whose shape only their number decides.

    Neighbors are added first, then neighboring pairs, and so on. Only one partial sum of each
    level is held: some twenty for a million blocks.
    """

    def __init__(self) -> None:
        self.partial: list[tuple[int, Any]] = []  # sums of 2^level results, levels falling

    def add(self, value: Any) -> None:
        """Add the next result."""
        level = 0
        while self.partial and self.partial[-1][0] == level:
            value = _added(self.partial.pop()[1], value)
            level += 1
        self.partial.append((level, value))

    def result(self) -> Any:
        """The whole sum; None where nothing was added."""
        if not self.partial:
            return None
        total = self.partial[-1][1]
        for _, earlier in reversed(self.partial[:-1]):
            total = _added(earlier, total)
        return total


def tree_sum(results: Iterable[Any]) -> Any:
    """The sum of results, in the order in which every engine has to add them."""
    total = TreeSum()
    for result in results:
        total.add(result)
    return total.result()


def _added(left: Any, right: Any) -> Any:
    """The sum of two tuples, entry by entry, or of two numbers or arrays."""
    if isinstance(left, tuple):
        return tuple(a + b for a, b in zip(left, right, strict=True))
    return left + right
