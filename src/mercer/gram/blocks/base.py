"""Base classes of sources of rows: blocks in order, a length that is counted once, a sample."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, Self

import numpy as np

from mercer.aliases import RawSamples, Targets
from mercer.domains.raw import pick_rows, raw_length
from mercer.errors import InputError, ShapeError
from mercer.execution.cancel import check_stop
from mercer.gram.blocks.checksum import block_bytes, block_checksum
from mercer.gram.blocks.kinds import Kind

BLOCK_BYTES = 32 * 2**20  # of a block of numbers
MOST_ROWS = 2**17  # of a block
LEAST_ROWS = 256


def rows_per_block(n_columns: int, given: int | None = None) -> int:
    """How many rows a block has: those given, else as many as some megabytes hold."""
    if given is not None:
        return given
    return max(LEAST_ROWS, min(MOST_ROWS, BLOCK_BYTES // (8 * max(1, n_columns))))


@dataclasses.dataclass(frozen=True, eq=False)
class Block:
    """Consecutive rows of a source, with their targets and weights.

    ``weight`` is None where all rows count once. ``place`` is the file that the rows come from, and
    ``first`` the row of this file that the block begins with.
    """

    X: RawSamples
    y: np.ndarray | None = None
    weight: np.ndarray | None = None
    place: str = ""
    first: int = 0
    number: int = 0
    start: int = 0  # the row of the source that the block begins with

    def __len__(self) -> int:
        return raw_length(self.X)

    def name_row(self, row: int) -> str:
        """Where a row of the block comes from, in words."""
        if self.place:
            return f"{self.place}, row {self.first + row} (block {self.number})"
        return f"row {self.start + row} (block {self.number})"

    def weights(self) -> np.ndarray:
        """The weights of the rows, ones where none are given."""
        return np.ones(len(self)) if self.weight is None else self.weight

    def by_rows(self) -> Block:
        """The block with a data frame of numbers laid out by rows, as every pass reads them."""
        if not hasattr(self.X, "iloc") or not hasattr(self.X, "columns"):
            return self
        if set(self.X.dtypes) != {np.dtype(np.float64)}:
            return self
        values = np.ascontiguousarray(self.X.to_numpy())
        frame = type(self.X)(values, self.X.index, self.X.columns, copy=False)
        return dataclasses.replace(self, X=frame)

    def take(self, rows: np.ndarray) -> Block:
        """Some rows of the block."""
        return dataclasses.replace(
            self,
            X=pick_rows(self.X, rows),
            y=entries(self.y, rows),
            weight=entries(self.weight, rows),
        )


def entries(values: np.ndarray | None, rows: np.ndarray | slice) -> np.ndarray | None:
    """The targets or weights of some rows; None where there are none."""
    if values is None:
        return None
    return values[rows]


def as_array(values: Targets) -> np.ndarray | None:
    """Targets or weights as an array; None where there are none."""
    if values is None:
        return None
    return np.asarray(values)


class Part(Protocol):
    """Something small that knows how to read one block, wherever it is sent."""

    def load(self) -> Block:
        """Read the block."""


Change = Callable[[Block], Block]


@dataclasses.dataclass(frozen=True, eq=False)
class Ready:
    """A block that is in memory."""

    block: Block

    def load(self) -> Block:
        """The block itself."""
        return self.block


@dataclasses.dataclass(frozen=True, eq=False)
class Placed:
    """A part that knows its place in the source, and what is changed in its block."""

    part: Part
    number: int
    start: int
    changes: tuple[Change, ...]

    def load(self) -> Block:
        """Read the block and change it."""
        block = dataclasses.replace(self.part.load(), number=self.number, start=self.start)
        for change in self.changes:
            block = change(block)
        return block


class Rows:
    """A source of rows that is read block by block, as often as it is asked.

    A subclass defines `_read`, or `_parts` where every block can be read by itself. ``lasting`` is
    False where another reading could give other rows: then every block is compared with the
    checksum of the first reading.
    """

    lasting = True

    def __init__(self) -> None:
        self.lengths: list[int] = []  # of the blocks, counted once
        self.bytes = 0  # of all blocks
        self._sums: list[int] = []
        self._kind: Kind | None = None  # of the first block
        self._ended = False  # whether all blocks have been read once
        self._kept: list[Block] | None = None

    # -- what subclasses define --------------------------------------------------------------------
    def _parts(self) -> Sequence[Part] | None:
        """Parts that can be read in any order; None where blocks come only one after the other."""
        return None

    def _read(self) -> Iterator[Block]:
        """The blocks in order."""
        for part in self._parts() or ():
            yield part.load()

    # -- what everybody uses -----------------------------------------------------------------------
    def __iter__(self) -> Iterator[Block]:
        """The blocks in order, numbered and checked."""
        if self._kept is not None:
            yield from self._kept
            return
        number, start = 0, 0
        for found in self._read():
            if len(found) == 0:  # an empty block or file has nothing to say
                continue
            check_stop()
            block = dataclasses.replace(found, number=number, start=start)
            self._check(block)
            yield block
            number, start = number + 1, start + len(block)
        self._check_end(number)

    def __len__(self) -> int:
        """The number of rows, counted by one pass where it is not known."""
        if not self.lengths:
            for _ in self:
                pass
        return sum(self.lengths)

    def keep(self, most_bytes: int) -> bool:
        """Hold all blocks in memory, if they take no more than this; return whether they do.

        Parts that can be read in any order are read once, whether they are held or not; others are
        counted first, which shows iterators that do not give the same rows again.
        """
        if self._parts() is None:
            len(self)
        too_large = self._ended and self.bytes > most_bytes
        if self._kept is None and not too_large:
            self._kept = self._gathered(most_bytes)
        return self._kept is not None

    def _gathered(self, most_bytes: int) -> list[Block] | None:
        """All blocks; None where they take more bytes, which is known at the end of the reading."""
        blocks: list[Block] = []
        for block in self:
            blocks.append(block.by_rows())
            if self.bytes > most_bytes:
                blocks.clear()
        return blocks or None

    def parts(self) -> list[Placed] | None:
        """The blocks as parts that can be sent elsewhere; None where that is impossible."""
        if self._kept is not None:
            return [Placed(Ready(block), block.number, block.start, ()) for block in self._kept]
        parts = self._parts()
        if parts is None:
            return None
        return self._placed(parts)

    def _placed(self, parts: Sequence[Part]) -> list[Placed]:
        """Parts with their numbers and the rows that they begin with; empty ones are left out."""
        len(self)  # counts the rows of the blocks
        starts = np.cumsum([0, *self.lengths[:-1]]).tolist()
        if len(parts) != len(self.lengths):
            parts = [part for part in parts if len(part.load())]
        return [Placed(part, i, starts[i], ()) for i, part in enumerate(parts)]

    def map(self, *changes: Change) -> Changed:
        """The same source, with every block changed when it is read."""
        return Changed(self, changes)

    def take(self, index: np.ndarray) -> Block:
        """The rows at these positions, in this order, by one pass."""
        order = np.argsort(index, kind="stable")
        ascending = index[order]
        picked = []
        for block in self:
            low, high = np.searchsorted(ascending, [block.start, block.start + len(block)])
            if high > low:
                picked.append(block.take(ascending[low:high] - block.start))
        back = np.empty(len(index), dtype=np.int64)
        back[order] = np.arange(len(index))
        return joined(picked).take(back)

    def whole(self) -> Block:
        """All rows at once."""
        return joined(list(self))

    def _check(self, block: Block) -> None:
        """Note the length and checksum of a block when it is first read; compare them later."""
        checksum = 0
        if not self.lasting:
            checksum = block_checksum(block.X, block.y, block.weight)
        if block.number == len(self._sums) and not self._ended:
            self._note(block, checksum)
        elif self._sums[block.number : block.number + 1] != [checksum]:
            raise _changed_rows(block.name_row(0))

    def _note(self, block: Block, checksum: int) -> None:
        """Keep the checksum, the size and the length of a block that is read for the first time."""
        kind = Kind.of(block.X, block.y)
        self._kind = self._kind or kind
        kind.check(self._kind, block.name_row(0))
        self._sums.append(checksum)
        self.bytes += block_bytes(block.X)
        if block.number == len(self.lengths):
            self.lengths.append(len(block))

    def _check_end(self, number: int) -> None:
        if number == 0:
            rule, remedy = "has no rows", "check the path, or what the function yields"
            raise InputError("X", type(self).__name__, rule, remedy)
        if number < len(self._sums):
            raise _changed_rows(f"{len(self._sums)} blocks, then {number}")
        self._ended = True


def _changed_rows(where: str) -> InputError:
    rule = "gave other rows when it was read again"
    remedy = "give the same rows in the same order each time: fix the seed, or write them to a file"
    return InputError("the source of rows", where, rule, remedy)


class Changed(Rows):
    """A source whose blocks are changed when they are read."""

    def __init__(self, source: Rows, changes: tuple[Change, ...]) -> None:
        super().__init__()
        self.source, self.changes = source, changes

    def __iter__(self) -> Iterator[Block]:
        for found in self.source:
            block = found
            for change in self.changes:
                block = change(block)
            yield block

    def __len__(self) -> int:
        return len(self.source)

    def keep(self, most_bytes: int) -> bool:
        kept = self.source.keep(most_bytes)
        self.bytes = self.source.bytes  # as it is counted, before blocks are changed
        return kept

    def parts(self) -> list[Placed] | None:
        parts = self.source.parts()
        if parts is None:
            return None
        return [dataclasses.replace(part, changes=(*part.changes, *self.changes)) for part in parts]

    def map(self, *changes: Change) -> Self:
        return type(self)(self.source, (*self.changes, *changes))


def joined(blocks: Sequence[Block]) -> Block:
    """Several blocks as one; the width has to be the same."""
    first = blocks[0]
    if len(blocks) == 1:
        return first
    return Block(
        stacked([block.X for block in blocks]),
        None if first.y is None else np.concatenate([block.y for block in blocks]),
        None if first.weight is None else np.concatenate([block.weights() for block in blocks]),
    )


def stacked(parts: list[RawSamples]) -> RawSamples:
    """Collections of the same kind, one after the other."""
    first = parts[0]
    if hasattr(first, "iloc"):
        import pandas

        return pandas.concat(parts, ignore_index=True)
    if hasattr(first, "tocsr"):
        import scipy

        return scipy.sparse.vstack(parts, format="csr")
    if isinstance(first, np.ndarray):
        return _stacked_arrays(parts)
    return list(itertools.chain.from_iterable(parts))


def _stacked_arrays(parts: list[np.ndarray]) -> np.ndarray:
    """Arrays of equal widths, one after the other."""
    widths = {part.shape[1:] for part in parts}
    if len(widths) > 1:
        raise ShapeError("X", f"blocks of shapes {sorted(widths)}", "must have equal columns")
    return np.concatenate(parts)
