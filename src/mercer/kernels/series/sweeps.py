"""Signature kernels of some series, one after the other, with LANES others beside them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from mercer import _compiled
from mercer.domains.vectors.domain import TILE

__all__: list[str] = []

# fills rows of values, of shape (tiles, rows, columns of a tile), and of slopes
Source = Callable[[int, int, np.ndarray, np.ndarray], None]

Shape = tuple[int, int]  # the number of tiles of columns, and of columns of each

_VALUES = 2**19  # values of a block of rows, some megabytes
_EXACT = np.empty(0)
_NO_SLOPES = np.empty((0, 0, 0))


class Block(NamedTuple):
    """Rows ``first:last`` of points: those of whole series, or a part of one.

    A part begins with the last row of the part before, if there is one.
    """

    first: int
    last: int
    series: slice
    offsets: np.ndarray
    carry: bool


def blocks(offsets: np.ndarray, width: int) -> Iterator[Block]:
    """Blocks of rows whose values have ``width`` columns."""
    most = max(2, min(TILE, _VALUES // width))
    start = 0
    while start < len(offsets) - 1:
        end = int(np.searchsorted(offsets, offsets[start] + most, side="right")) - 1
        first = int(offsets[start])
        if end > start:
            inner = offsets[start : end + 1] - first
            yield Block(first, int(offsets[end]), slice(start, end), inner, False)
        else:
            end = start + 1
            last = int(offsets[end])
            for row in range(first, last - 1, most - 1):
                stop = min(row + most, last)
                yield Block(row, stop, slice(start, end), np.array([0, stop - row]), row > first)
        start = end


@dataclasses.dataclass
class SignatureSums:
    """Signature kernels by series, level and lane, times 2^−exponent; and their derivatives."""

    values: np.ndarray  # (series, levels, LANES)
    exponents: np.ndarray  # (series, LANES)
    slopes: np.ndarray  # (parameters, series, levels, LANES)

    @classmethod
    def empty(cls, n_series: int, n_levels: int, n_slopes: int) -> SignatureSums:
        shape = n_series, n_levels, _compiled.series.LANES
        exponents = np.zeros((n_series, shape[2]), dtype=np.int64)
        return cls(np.zeros(shape), exponents, np.zeros((n_slopes, *shape)))


def sweep(
    levels: int | None, offsets: np.ndarray, shape: Shape, source: Source, n_slopes: int
) -> SignatureSums:
    """Signature kernels of series, whose points have these offsets, with rows of lanes.

    Without ``levels`` all of them are summed.
    """
    width = shape[0] * shape[1]
    advance, n_levels = _advance_whole, 1
    if levels is not None:
        advance, n_levels = _advance_levels, levels + 1
    sums = SignatureSums.empty(len(offsets) - 1, n_levels, n_slopes)
    repeats = max(n_slopes, 1)
    state = np.zeros((repeats, 2, n_levels, width))
    exponents = np.zeros((repeats, _compiled.series.LANES), dtype=np.int64)
    for block in blocks(offsets, width):
        values = np.empty((shape[0], block.last - block.first, shape[1]))
        slopes = np.empty((n_slopes, *values.shape))
        source(block.first, block.last, values, slopes)
        for number in range(repeats):
            moved = slopes[number] if n_slopes else _NO_SLOPES
            into = sums.slopes[number, block.series] if n_slopes else np.empty_like(sums.values)
            advance(block, values, moved, state[number], exponents[number], sums, into)
    return sums


def _advance_levels(
    block: Block,
    values: np.ndarray,
    slopes: np.ndarray,
    state: np.ndarray,
    exponents: np.ndarray,
    sums: SignatureSums,
    into: np.ndarray,
) -> None:
    out = sums.values[block.series]
    if len(slopes):
        given = values, slopes, block.offsets, block.carry
        _compiled.signatures.add_level_slopes(*given, *state, out, into)
    else:
        _compiled.signatures.add_levels(values, block.offsets, block.carry, _EXACT, state[0], out)


def _advance_whole(
    block: Block,
    values: np.ndarray,
    slopes: np.ndarray,
    state: np.ndarray,
    exponents: np.ndarray,
    sums: SignatureSums,
    into: np.ndarray,
) -> None:
    at = slopes, block.offsets, block.carry, state[:, 0], exponents
    outs = sums.values[block.series], sums.exponents[block.series], into
    _compiled.signatures.add_steps(values, *at, *outs)


def rounding(levels: int, offsets: np.ndarray, shape: Shape, source: Source) -> np.ndarray:
    """What rounding errors may add to the kernels: (series, levels, LANES)."""
    width = shape[0] * shape[1]
    lanes = _compiled.series.LANES
    eps = float(np.finfo(float).eps)
    largest, plain = (SignatureSums.empty(len(offsets) - 1, levels + 1, 0).values for _ in range(2))
    states = np.zeros((2, levels + 1, width))
    for block in blocks(offsets, width):
        values = np.empty((shape[0], block.last - block.first, shape[1]))
        source(block.first, block.last, values, np.empty((0, *values.shape)))
        errors = 4 * eps * np.abs(values).max(axis=1).reshape(-1, lanes).max(axis=0)
        at = block.offsets, block.carry
        for error, state, out in zip((errors, 0 * errors), states, (largest, plain), strict=True):
            _compiled.signatures.add_levels(values, *at, error, state, out[block.series])
    return largest - plain + 16 * eps * plain
