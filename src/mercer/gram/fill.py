"""Cut a Gram matrix into tiles and do something with each: store it, multiply by it, visit it.

Sums are made in an order that depends on the sizes only, never on the number of threads.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Protocol

import numpy as np

from mercer import _compiled
from mercer.aliases import DType, Prepared
from mercer.domains.vectors.domain import TILE
from mercer.errors import KernelOverflowError, ShapeError
from mercer.execution.cancel import check_stop
from mercer.execution.threads import run
from mercer.execution.workspace import Workspace
from mercer.gram.plan import FLOAT64, require_room
from mercer.gram.tile import Pair

_CACHED = 32 * 2**20  # bytes: a larger matrix is written past the cache
_PARTIALS = 64 * 2**20  # bytes that a symmetric product may spend on partial results
_STRIPS = 64  # partial results at most
_FEW = 4  # columns that are multiplied one by one

Range = tuple[int, int]
Place = tuple[Range, Range]  # the rows and the columns of a tile
Visitor = Callable[[np.ndarray, Range, Range], Any]  # of a tile, its rows and its columns
WorkingVisitor = Callable[[np.ndarray, Range, Range, Workspace], None]
PairVisitor = Callable[[Pair, Range, Range], Any]


class Fills(Protocol):
    """All that the engine knows of a kernel."""

    @property
    def leaves(self) -> int: ...
    def tile(self, pair: Pair, out: np.ndarray) -> None: ...
    def diagonal(self, samples: Prepared, /) -> np.ndarray: ...


def blocks(count: int) -> list[Range]:
    """Ranges of at most TILE rows."""
    return [(start, min(count, start + TILE)) for start in range(0, count, TILE)]


def tiles_of(n: int, m: int, symmetric: bool) -> list[Place]:
    """The tiles of an n × m matrix; of a symmetric one those on and above the diagonal."""
    tiles = []
    for top in range(0, n, TILE):
        rows = top, min(n, top + TILE)
        for left in range(top if symmetric else 0, m, TILE):
            tiles.append((rows, (left, min(m, left + TILE))))
    return tiles


def _tile(kernel: Fills, x: Prepared, y: Prepared, place: Place, work: Workspace) -> np.ndarray:
    """One tile in the thread's own memory, not checked."""
    (top, bottom), (left, right) = place
    tile = work.out(bottom - top, right - left)
    compute_tile(kernel, x, y, place, tile, work)
    return tile


def _check_finite(x: Prepared, y: Prepared, tile: np.ndarray, place: Place) -> None:
    if not np.isfinite(tile).all():
        raise overflow_at(x, y, tile, place)


def compute_tile(
    kernel: Fills, x: Prepared, y: Prepared, place: Place, out: np.ndarray, work: Workspace
) -> None:
    """Compute one tile, exactly symmetric on the diagonal of a symmetric matrix."""
    work.shared.used = work.temporary.used = 0
    rows, cols = place
    # the products of a tile are shared only where several formulas read them
    shared: dict[Any, np.ndarray] | None = None if kernel.leaves == 1 else {}
    kernel.tile(Pair(x, y, *rows, *cols, work, shared), out)
    if x is y and rows == cols:
        _compiled.storage.mirror(out)


def overflow_at(x: Prepared, y: Prepared, out: np.ndarray, place: Place) -> KernelOverflowError:
    """The error for the first entry that is not finite."""
    i, j = np.argwhere(~np.isfinite(out))[0]
    rows, cols = place
    # samples know where they were taken from: a part of a collection is named by its place in it
    row, column = x.identities()[rows[0] + i], y.identities()[cols[0] + j]
    return overflow_error(int(row), int(column), float(out[i, j]))


def overflow_error(i: int, j: int, value: float) -> KernelOverflowError:
    """The error for one entry that is not finite."""
    remedy = "rescale the data, or take a smaller degree, exponent or time"
    return KernelOverflowError(f"k(x[{i}], y[{j}])", value, "is not a finite number", remedy)


def dense(
    kernel: Fills, x: Prepared, y: Prepared, dtype: DType = FLOAT64, out: np.ndarray | None = None
) -> np.ndarray:
    """The whole matrix, in ``out`` if given; only half of it is computed where ``x is y``."""
    n, m = len(x), len(y)
    streaming = False
    if out is None:
        require_room(n, m, dtype)
        if n * m * 8 > _CACHED and np.dtype(dtype) == FLOAT64:
            # so large a matrix is written past the cache, in whole cache lines
            streaming = n % 8 == 0 and m % 8 == 0
        out = _aligned(n, m) if streaming else np.empty((n, m), dtype=dtype)
    if n <= TILE and m <= TILE:
        run(1, partial(_fill_small, kernel, x, y, out))
    else:
        tiles = tiles_of(n, m, x is y)
        fill = partial(_fill_part, kernel, x, y, out, tiles, streaming)
        run(len(tiles), fill, "Gram matrix")
    return out


def _aligned(n: int, m: int) -> np.ndarray:
    """An empty float64 matrix that starts on a cache line."""
    room = np.empty(n * m + 8)
    skip = -(room.ctypes.data // 8) % 8
    return room[skip : skip + n * m].reshape(n, m)


def _fill_small(
    kernel: Fills, x: Prepared, y: Prepared, matrix: np.ndarray, _: int, work: Workspace
) -> None:
    """A matrix of one tile."""
    n, m = matrix.shape
    whole = (0, n), (0, m)
    # compiled loops are fast on whole rows of double precision only
    if matrix.dtype == np.float64 and matrix.flags.c_contiguous:
        compute_tile(kernel, x, y, whole, matrix, work)
    else:
        matrix[...] = _tile(kernel, x, y, whole, work)
    if not np.isfinite(matrix).all():  # values may overflow in another precision
        raise overflow_at(x, y, matrix, whole)


def _fill_part(
    kernel: Fills,
    x: Prepared,
    y: Prepared,
    matrix: np.ndarray,
    tiles: list[Place],
    streaming: bool,
    number: int,
    work: Workspace,
) -> None:
    """One tile of a matrix of many, and its mirror image in a symmetric one."""
    rows, cols = tiles[number]
    tile = work.out(rows[1] - rows[0], cols[1] - cols[0])
    compute_tile(kernel, x, y, (rows, cols), tile, work)
    deliver = _compiled.streaming.deliver if streaming else _compiled.storage.deliver
    if not deliver(tile, matrix, rows[0], cols[0], x is y and rows != cols):
        raise overflow_at(x, y, tile.astype(matrix.dtype), (rows, cols))


def multiply(kernel: Fills, x: Prepared, y: Prepared, v: np.ndarray) -> np.ndarray:
    """K @ v without K: each tile is used while it is in the cache and then forgotten."""
    n, m = len(x), len(y)
    v = np.ascontiguousarray(v, dtype=np.float64)
    if v.ndim != 2 or len(v) != m:  # compiled loops read as many rows as there are samples
        rule = f"must have one row for each of the {m} samples"
        raise ShapeError("coefficients", f"array of shape {v.shape}", rule)
    out = np.zeros((n, v.shape[1]))
    strips = _row_strips(n, v.shape[1]) if x is y else []
    if strips:
        return _multiply_symmetric(kernel, x, v, out, strips)

    def add(tile: np.ndarray, rows: Range, cols: Range, work: Workspace) -> None:
        total = out[slice(*rows)]
        _add_product(tile, v[slice(*cols)], total, work)
        if _may_have_overflowed(total):
            _check_finite(x, y, tile, (rows, cols))

    _sweep_rows(kernel, x, y, add, "Gram product")
    return out


def _row_strips(n: int, n_columns: int) -> list[range]:
    """Groups of row blocks for a symmetric product: their number depends on the sizes alone."""
    count = -(-n // TILE)
    groups = max(1, min(_STRIPS, count, _PARTIALS // max(1, 8 * n * n_columns)))
    if groups < 2:
        return []
    # Row block a has count − a tiles in the upper triangle: cut where the tiles are shared evenly.
    cost = np.cumsum(count - np.arange(count))
    edges = np.searchsorted(cost, np.linspace(0, cost[-1], groups + 1)[1:-1]) + 1
    edges = np.unique(np.concatenate([[0], edges, [count]]))
    return [range(a, b) for a, b in itertools.pairwise(edges.tolist())]


def _multiply_symmetric(
    kernel: Fills, x: Prepared, v: np.ndarray, out: np.ndarray, strips: list[range]
) -> np.ndarray:
    """Upper triangle only; what a strip adds to other rows is kept apart and added in order."""
    ranges = blocks(len(x))
    partial = [np.empty(0)] * len(strips)

    def compute(number: int, work: Workspace) -> None:
        total = np.zeros_like(out)
        for a in strips[number]:
            for cols in ranges[a:]:
                add_both(ranges[a], cols, total, work)
        partial[number] = total

    def add_both(rows: Range, cols: Range, total: np.ndarray, work: Workspace) -> None:
        check_stop()
        tile, part = _tile(kernel, x, x, (rows, cols), work), total[slice(*rows)]
        _add_product(tile, v[slice(*cols)], part, work)
        if _may_have_overflowed(part):
            _check_finite(x, x, tile, (rows, cols))
        if rows != cols:
            _add_product(tile, v[slice(*rows)], total[slice(*cols)], work, transposed=True)

    run(len(strips), compute, "Gram product")
    for total in partial:
        out += total
    return out


def _may_have_overflowed(product: np.ndarray) -> bool:
    """Whether a tile that was multiplied may hold infinite values, which stay so times 0.

    A product of few columns has far fewer numbers than the tile. BLAS, which multiplies by more
    of them, need not multiply by zeros.
    """
    return product.shape[1] > _FEW or not np.isfinite(product).all()


def _add_product(
    tile: np.ndarray, v: np.ndarray, out: np.ndarray, work: Workspace, transposed: bool = False
) -> None:
    """Add the product of a tile, or of its transpose, with v."""
    if v.shape[1] > _FEW:
        work.serial_blas()
        if transposed:
            tile = tile.T
        out += tile @ v
        return
    product = _compiled.storage.times_vector
    if transposed:
        product = _compiled.storage.transposed_times_vector
    for c in range(v.shape[1]):
        total = np.ascontiguousarray(out[:, c])
        product(tile, np.ascontiguousarray(v[:, c]), total)
        out[:, c] = total


def _sweep_rows(kernel: Fills, x: Prepared, y: Prepared, visit: WorkingVisitor, label: str) -> None:
    """Compute and visit every tile; those of the same rows in order and from one thread."""
    row_blocks, col_blocks = blocks(len(x)), blocks(len(y))

    def compute(number: int, work: Workspace) -> None:
        rows = row_blocks[number]
        for cols in col_blocks:
            check_stop()
            visit(_tile(kernel, x, y, (rows, cols), work), rows, cols, work)

    run(len(row_blocks), compute, label)


def visit_rows(
    kernel: Fills, x: Prepared, y: Prepared, visit: Visitor, label: str = "samples"
) -> None:
    """Call ``visit(tile, rows, cols)`` for every tile; those of the same rows come in order."""

    def check_and_visit(tile: np.ndarray, rows: Range, cols: Range, work: Workspace) -> None:
        _check_finite(x, y, tile, (rows, cols))
        visit(tile, rows, cols)

    _sweep_rows(kernel, x, y, check_and_visit, label)


def map_tiles(
    kernel: Fills, x: Prepared, y: Prepared, visit: PairVisitor, symmetric: bool, label: str
) -> Iterator[Any]:
    """Call ``visit(pair, rows, cols)`` for every tile; results come in a fixed order."""
    tiles = tiles_of(len(x), len(y), symmetric)
    results: list[Any] = [None] * len(tiles)

    def compute(number: int, work: Workspace) -> None:
        rows, cols = tiles[number]
        work.reset()
        results[number] = visit(Pair(x, y, *rows, *cols, work, {}), rows, cols)

    run(len(tiles), compute, label)
    yield from results


# -- diagonals -------------------------------------------------------------------------------------


def check_diagonal(
    values: np.ndarray, dtype: DType = np.float64, samples: Prepared | None = None
) -> np.ndarray:
    """A diagonal in its final precision, refused where it is not finite.

    The error gives the place of a sample in the collection that ``samples`` were taken from.
    """
    with np.errstate(over="ignore"):
        values = values.astype(dtype, copy=False)
    if np.isfinite(values).all():
        return values
    row = int(np.argmax(~np.isfinite(values)))
    place = row if samples is None else int(samples.identities()[row])
    what = f"k(x[{place}], x[{place}])"
    raise KernelOverflowError(
        what, float(values[row]), "is not a finite number", "rescale the data"
    )


def diagonal_by_blocks(kernel: Fills, samples: Prepared, size: int = 16) -> np.ndarray:
    """k(x, x) from small tiles along the diagonal, for kernels that know no shorter way.

    It is not checked to be finite.
    """
    n = len(samples)
    out = np.empty(n)

    def compute(number: int, work: Workspace) -> None:
        rows = np.arange(number * size, min(n, (number + 1) * size))
        block = samples.take(rows)
        whole = (0, len(rows))
        tile = np.empty((len(rows), len(rows)))
        compute_tile(kernel, block, block, (whole, whole), tile, work)
        out[rows] = tile.diagonal()

    run(-(-n // size), compute, "diagonal")
    return out
