"""Cut a Gram matrix into tiles and do something with each: store it, multiply by it, sum it.

Reductions are made in an order that depends on the sizes only, never on the number of threads.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any, Protocol

import numpy as np

from mercer import _compiled
from mercer.aliases import DType, Prepared
from mercer.config import format_bytes, get_config
from mercer.domains.vectors import TILE
from mercer.errors import KernelOverflowError, MemoryBudgetError, ShapeError
from mercer.execution.cancel import check_stop
from mercer.execution.threads import run
from mercer.execution.workspace import Workspace
from mercer.gram.tile import Pair

_CACHED = 32 * 2**20  # a larger matrix is written past the cache
_PARTIALS = 64 * 2**20  # bytes that a symmetric product may spend on partial results


class Fills(Protocol):
    """All that the engine knows of a kernel."""

    @property
    def leaves(self) -> int: ...
    def tile(self, pair: Pair, out: np.ndarray) -> None: ...


def blocks(count: int) -> list[tuple[int, int]]:
    """Ranges of at most TILE rows."""
    return [(start, min(count, start + TILE)) for start in range(0, count, TILE)]


def _fill(
    kernel: Fills,
    x: Prepared,
    y: Prepared,
    rows: tuple[int, int],
    cols: tuple[int, int],
    out: np.ndarray,
    work: Workspace,
    alone: bool,
) -> None:
    """One tile, exactly symmetric when it lies on the diagonal of a symmetric matrix."""
    work.reset()
    kernel.tile(Pair(x, y, rows[0], rows[1], cols[0], cols[1], work, None if alone else {}), out)
    if x is y and rows == cols:
        _compiled.storage.mirror(out)


def _overflow(
    x: Prepared, y: Prepared, out: np.ndarray, rows: tuple[int, int], cols: tuple[int, int]
) -> KernelOverflowError:
    i, j = np.argwhere(~np.isfinite(out))[0]
    # samples know where they were taken from, so that a part of a collection is named by its place in the whole
    return overflow_error(
        int(x.identities()[rows[0] + i]), int(y.identities()[cols[0] + j]), float(out[i, j])
    )


def overflow_error(i: int, j: int, value: float) -> KernelOverflowError:
    """The error for one entry."""
    remedy = "rescale the data, or take a smaller degree, exponent or time"
    return KernelOverflowError(f"k(x[{i}], y[{j}])", value, "is not a finite number", remedy)


def fill(
    kernel: Fills,
    x: Prepared,
    y: Prepared,
    rows: tuple[int, int],
    cols: tuple[int, int],
    out: np.ndarray,
    work: Workspace,
) -> None:
    """One tile, checked to be finite."""
    _fill(kernel, x, y, rows, cols, out, work, kernel.leaves == 1)
    if not _compiled.storage.all_finite(out):
        raise _overflow(x, y, out, rows, cols)


def check_budget(rows: int, cols: int, dtype: DType, what: str = "the dense Gram matrix") -> None:
    """A matrix beyond the memory budget is refused before it is allocated."""
    size = rows * cols * np.dtype(dtype).itemsize
    budget = get_config().memory_budget
    if size > budget:
        raise MemoryBudgetError(
            what,
            f"{rows} x {cols}, {format_bytes(size)}",
            f"exceeds the memory budget of {format_bytes(budget)}",
            "use k.gram(X), which never stores it, or raise the budget with mercer.config_context(memory_budget=...)",
        )


def _aligned(n: int, m: int) -> np.ndarray:
    """An empty float64 matrix that starts on a cache line."""
    room = np.empty(n * m + 8)
    skip = -(room.ctypes.data // 8) % 8
    return room[skip : skip + n * m].reshape(n, m)


def dense(
    kernel: Fills,
    x: Prepared,
    y: Prepared,
    dtype: DType = np.float64,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """The whole matrix, in ``out`` if given; only the upper triangle is computed when ``x is y``."""
    dtype = np.dtype(dtype) if out is None else out.dtype
    n, m = len(x), len(y)
    if out is None:
        check_budget(n, m, dtype)
    streamed = (
        out is None and dtype == np.float64 and n % 8 == 0 and m % 8 == 0 and n * m * 8 > _CACHED
    )
    matrix = (
        out if out is not None else _aligned(n, m) if streamed else np.empty((n, m), dtype=dtype)
    )
    direct = matrix.dtype == np.float64
    if n <= TILE and m <= TILE:  # small: no machinery

        def whole(_: int, work: Workspace) -> None:
            here = (
                direct and matrix.flags.c_contiguous
            )  # compiled loops are quick on whole rows only
            tile = matrix if here else work.out(n, m)
            fill(kernel, x, y, (0, n), (0, m), tile, work)
            if not here:
                matrix[...] = tile
                if not np.isfinite(matrix).all():
                    raise _overflow(x, y, matrix, (0, n), (0, m))

        run(1, whole)
        return matrix
    symmetric = x is y
    row_blocks, col_blocks = blocks(n), blocks(m)
    tiles = [
        (r, c)
        for a, r in enumerate(row_blocks)
        for b, c in enumerate(col_blocks)
        if not symmetric or b >= a
    ]
    deliver = _compiled.streaming.deliver if streamed else _compiled.storage.deliver
    alone = kernel.leaves == 1

    def work_on(number: int, work: Workspace) -> None:
        rows, cols = tiles[number]
        tile = work.out(rows[1] - rows[0], cols[1] - cols[0])
        _fill(kernel, x, y, rows, cols, tile, work, alone)
        if not deliver(tile, matrix, rows[0], cols[0], symmetric and rows != cols):
            raise _overflow(x, y, tile.astype(dtype), rows, cols)

    run(len(tiles), work_on, "Gram matrix")
    return matrix


def _row_strips(n: int, m: int, columns: int) -> list[range]:
    """Groups of row blocks for a symmetric product: their number depends on the sizes alone."""
    count = -(-n // TILE)
    groups = max(1, min(64, count, _PARTIALS // max(1, 8 * m * columns)))
    if groups < 2:
        return []
    # Row block a has count − a tiles in the upper triangle: cut where the tiles are shared out evenly.
    cost = np.cumsum(count - np.arange(count))
    edges = np.searchsorted(cost, np.linspace(0, cost[-1], groups + 1)[1:-1]) + 1
    edges = np.unique(np.concatenate([[0], edges, [count]]))
    return [range(a, b) for a, b in itertools.pairwise(edges.tolist())]


def multiply(kernel: Fills, x: Prepared, y: Prepared, v: np.ndarray) -> np.ndarray:
    """K @ v without K: each tile is used while it is in the cache and then forgotten."""
    n, m = len(x), len(y)
    v = np.ascontiguousarray(v, dtype=np.float64)
    if v.ndim != 2 or len(v) != m:  # compiled loops read as many rows as there are samples
        raise ShapeError(
            "coefficients",
            f"array of shape {v.shape}",
            f"must have one row for each of the {m} samples",
        )
    out = np.zeros((n, v.shape[1]))
    if x is y:
        strips = _row_strips(n, m, v.shape[1])
        if strips:
            return _multiply_symmetric(kernel, x, v, out, strips)
    row_blocks, col_blocks = blocks(n), blocks(m)

    def work_on(number: int, work: Workspace) -> None:
        rows = row_blocks[number]
        for cols in col_blocks:
            check_stop()
            tile = work.out(rows[1] - rows[0], cols[1] - cols[0])
            fill(kernel, x, y, rows, cols, tile, work)
            _add_product(tile, v[cols[0] : cols[1]], out[rows[0] : rows[1]], work)

    run(len(row_blocks), work_on, "Gram product")
    return out


def times_few(K: np.ndarray, V: np.ndarray) -> np.ndarray:
    """K V of a stored matrix and at most four columns, at the speed of reading it; by our own threads, so let BLAS be serial around it."""
    n, width = len(K), V.shape[1]
    vectors = np.zeros((4, K.shape[1]))
    vectors[:width] = V.T
    out = np.empty((n, 4))
    strips = [(start, min(n, start + TILE)) for start in range(0, n, TILE)]
    if len(strips) > 1 and n - strips[-1][0] < 2:  # rows are taken two by two
        strips[-2:] = [(strips[-2][0], n)]

    def work_on(number: int, work: Workspace) -> None:
        a, b = strips[number]
        _compiled.storage.times_four(K[a:b], vectors, out[a:b])

    run(len(strips), work_on, "product")
    return out[:, :width]


def _add_product(
    tile: np.ndarray, v: np.ndarray, out: np.ndarray, work: Workspace, transposed: bool = False
) -> None:
    storage = _compiled.storage
    if v.shape[1] <= 4:
        product = storage.transposed_times_vector if transposed else storage.times_vector
        for c in range(v.shape[1]):
            column = np.ascontiguousarray(v[:, c])
            total = np.ascontiguousarray(out[:, c])
            product(tile, column, total)
            out[:, c] = total
    else:
        work.serial_blas()
        out += (tile.T if transposed else tile) @ v


def _multiply_symmetric(
    kernel: Fills, x: Prepared, v: np.ndarray, out: np.ndarray, strips: list[range]
) -> np.ndarray:
    """Upper triangle only; what a strip contributes to other rows is kept apart and added in order."""
    ranges = blocks(len(x))
    partial: list[np.ndarray | None] = [None] * len(strips)

    def work_on(number: int, work: Workspace) -> None:
        mine = np.zeros_like(out)
        for a in strips[number]:
            rows = ranges[a]
            for cols in ranges[a:]:
                check_stop()
                tile = work.out(rows[1] - rows[0], cols[1] - cols[0])
                fill(kernel, x, x, rows, cols, tile, work)
                _add_product(tile, v[cols[0] : cols[1]], mine[rows[0] : rows[1]], work)
                if rows != cols:
                    _add_product(
                        tile, v[rows[0] : rows[1]], mine[cols[0] : cols[1]], work, transposed=True
                    )
        partial[number] = mine

    run(len(strips), work_on, "Gram product")
    for mine in partial:
        out += mine
    return out


def visit_rows(
    kernel: Fills,
    x: Prepared,
    y: Prepared,
    visit: Callable[[np.ndarray, tuple[int, int], tuple[int, int]], Any],
    label: str = "samples",
) -> None:
    """Call ``visit(tile, rows, cols)`` for every tile; the tiles of the same rows come in order and from one thread."""
    row_blocks, col_blocks = blocks(len(x)), blocks(len(y))

    def work_on(number: int, work: Workspace) -> None:
        rows = row_blocks[number]
        for cols in col_blocks:
            check_stop()
            tile = work.out(rows[1] - rows[0], cols[1] - cols[0])
            fill(kernel, x, y, rows, cols, tile, work)
            visit(tile, rows, cols)

    run(len(row_blocks), work_on, label)


def map_tiles(
    kernel: Fills,
    x: Prepared,
    y: Prepared,
    visit: Callable[[Pair, tuple[int, int], tuple[int, int]], Any],
    symmetric: bool,
    label: str,
) -> Iterator[Any]:
    """Call ``visit(pair, rows, cols)`` for every tile (the upper triangle if ``symmetric``); results in a fixed order."""
    row_blocks, col_blocks = blocks(len(x)), blocks(len(y))
    tiles = [
        (r, c)
        for a, r in enumerate(row_blocks)
        for b, c in enumerate(col_blocks)
        if not symmetric or b >= a
    ]
    results: list[Any] = [None] * len(tiles)

    def work_on(number: int, work: Workspace) -> None:
        rows, cols = tiles[number]
        work.reset()
        results[number] = visit(
            Pair(x, y, rows[0], rows[1], cols[0], cols[1], work, {}), rows, cols
        )

    run(len(tiles), work_on, label)
    yield from results


def check_diagonal(values: np.ndarray, dtype: DType = np.float64) -> np.ndarray:
    """A diagonal in its final precision, refused where it is not finite."""
    with np.errstate(over="ignore"):
        values = values.astype(dtype, copy=False)
    if not np.isfinite(values).all():
        row = int(np.argmax(~np.isfinite(values)))
        raise KernelOverflowError(
            f"k(x[{row}], x[{row}])",
            float(values[row]),
            "is not a finite number",
            "rescale the data",
        )
    return values


def diagonal_by_blocks(kernel: Fills, side: Prepared, size: int = 16) -> np.ndarray:
    """k(x, x) from small tiles along the diagonal: for kernels that know no shorter way. Not checked to be finite."""
    n = len(side)
    out = np.empty(n)

    def work_on(number: int, work: Workspace) -> None:
        rows = np.arange(number * size, min(n, (number + 1) * size))
        block = side.take(rows)
        tile = np.empty((len(rows), len(rows)))
        _fill(kernel, block, block, (0, len(rows)), (0, len(rows)), tile, work, kernel.leaves == 1)
        out[rows] = tile.diagonal()

    run(-(-n // size), work_on, "diagonal")
    return out
