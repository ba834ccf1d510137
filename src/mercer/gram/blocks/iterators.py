"""Rows that a function yields block by block, each time it is called."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from mercer.aliases import RawSamples
from mercer.domains.raw import raw_length
from mercer.errors import InputTypeError, ShapeError
from mercer.gram.blocks.base import Block, Rows, as_array

Factory = Callable[[], Iterable[Any]]


class IteratorRows(Rows):
    """Blocks of a function without arguments that returns a new iterator each time.

    The iterator yields X, (X, y) or (X, y, weight). The rows must be the same in the same order
    each time, which is checked.

    Parameters
    ----------
    factory : callable
        The function.
    """

    lasting = False

    def __init__(self, factory: Factory) -> None:
        super().__init__()
        self.factory = factory

    def _read(self) -> Iterator[Block]:
        for number, item in enumerate(self.factory()):
            if isinstance(item, Block):
                yield item
                continue
            X, y, weight = _three(item)
            _check_lengths(number, X, y, weight)
            yield Block(X, y, weight)


def _three(item: Any) -> tuple[RawSamples, np.ndarray | None, np.ndarray | None]:
    """Samples, targets and weights of what an iterator yields."""
    if not isinstance(item, tuple):
        return item, None, None
    if len(item) > 3:
        rule = "yields tuples of more than three entries"
        raise InputTypeError("the iterator", len(item), rule, "yield X, (X, y) or (X, y, weight)")
    X, *rest = item
    y, weight = (*rest, None, None)[:2]
    return X, as_array(y), as_array(weight)


def _check_lengths(
    number: int, X: RawSamples, y: np.ndarray | None, weight: np.ndarray | None
) -> None:
    for name, values in (("y", y), ("weight", weight)):
        if values is not None and len(values) != raw_length(X):
            rule = f"must have one entry for each of the {raw_length(X)} rows"
            raise ShapeError(f"{name} of block {number}", f"{len(values)} entries", rule)
