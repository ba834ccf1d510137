"""Which form a matrix takes, in which precision, at what size, and why.

This is the only module that reads the memory budget. A Gram matrix, or whatever else grows with
the square of the samples, is stored only where a function below says so:

==========================  ===================================  =================================
who asks                    stored while                         beyond
==========================  ===================================  =================================
`PRODUCTS` (k-means, PCA,   the matrix fits half the budget      tiles recomputed in every product
spectral clustering, RVM)
`FACTOR` (ridge,            the matrix, which the factor         conjugate gradients on recomputed
discriminant)               overwrites, fits half the budget     tiles, in single precision where
                                                                 there are many
`COPY` (logistic            the matrix and a copy of it fit      conjugate gradients on recomputed
regression)                 half the budget                      tiles
`WHOLE` (the caller asks    the matrix fits the budget           an error, or inducing points
for the matrix, exact GP)
`plan_stack` (several       all of their triangles fit half      each is computed again when it is
kernels)                    the budget, in double or else in     needed
                            single precision
`plan_dual` (SVM)           the matrix of a small problem fits   rows in single precision, computed
                            half the budget                      again when needed
`plan_centers` (learners    the matrix fits half the budget, or  a function on some of the rows, the
with ``centers="auto"``)    n² times the steps is below 6·10¹¹   centers, by passes over all of them
==========================  ===================================  =================================
"""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from mercer.aliases import DType
from mercer.config import format_bytes, get_config
from mercer.errors import MemoryBudgetError

FLOAT64 = np.dtype(np.float64)
FLOAT32 = np.dtype(np.float32)
_NAMES = {FLOAT64: "float64", FLOAT32: "float32"}  # NumPy composes them anew each time
_QUICK_ROWS = 256 * 2**20  # bytes of stored rows of a kernel that computes them as fast as memory
_ALL_CLASSES = 512 * 2**20  # bytes of a matrix that serves every two classes
_EXACT_WORK = 6e11  # entries that an exact solver computes at most, in all of its steps
_PER_ROOT = 10  # centers for each √n
_MANY_ENTRIES = 2e7  # of a pass: fewer cost little in double precision
_MANY_PAIRS = 4e8  # of a matrix that is not stored: products of fewer are quick in any precision
_RANK_PER_ROOT, _HIGHEST_RANK = 6, 2000  # of a preconditioner, the first for each √n
NEVER_STORED = "use k.gram(X), which never stores it"
RAISE = "raise the budget with mercer.config_context(memory_budget=...)"


@dataclasses.dataclass(frozen=True)
class Need:
    """What a solver does with a matrix, as the share of the budget that the matrix may take."""

    share: float
    words: str


PRODUCTS = Need(0.5, "half the memory budget")
FACTOR = Need(0.5, "half the memory budget")
COPY = Need(0.25, "a quarter of the memory budget")
WHOLE = Need(1.0, "the memory budget")
PANELS = Need(0.125, "an eighth of the memory budget")


@dataclasses.dataclass(frozen=True)
class Plan:
    """The form of a matrix, its size, and the reason.

    Forms are "stored", "streamed", "rows", "features", and "triangles" of several matrices.
    """

    form: str
    dtype: np.dtype
    bytes: int
    reason: str

    @property
    def stored(self) -> bool:
        """Whether all of the matrix is held in memory."""
        return self.form == "stored"

    def __str__(self) -> str:
        size = format_bytes(self.bytes)
        match self.form:
            case "stored":
                return f"dense Gram matrix, {_NAMES[self.dtype]}, {size}"
            case "rows":
                return f"rows on demand, {_NAMES[self.dtype]}, at most {size}"
            case "features" | "triangles":
                return f"{self.reason}, {size}"
            case _:
                kind = "float32 tiles" if self.dtype == FLOAT32 else "tiles"
                return f"{kind} recomputed in every product: {size} {self.reason}"


def plan_matrix(n: int, need: Need, *, given: bool = False, required: bool = False) -> Plan:
    """The form of an n × n Gram matrix in double precision.

    Parameters
    ----------
    n : int
        Number of samples.
    need : Need
        What the solver does with the matrix.
    given : bool, default=False
        Whether the user gave the matrix: then it is in memory already.
    required : bool, default=False
        Whether the solver cannot do without the stored matrix.
    """
    size = FLOAT64.itemsize * n * n
    if given:
        return Plan("stored", FLOAT64, size, "was given")
    if size <= _room(need.share):
        return Plan("stored", FLOAT64, size, f"fits {need.words}")
    if required:
        return Plan("stored", FLOAT64, size, "was asked for")
    return Plan("streamed", FLOAT64, size, f"exceeds {need.words}")


def plan_stack(n: int, count: int) -> Plan:
    """The form of several n × n Gram matrices, of which the lower triangles are held."""
    numbers = count * (n * (n + 1) // 2)
    what = f"{count} Gram matrices"
    for dtype, words in ((FLOAT64, ""), (FLOAT32, " in single precision")):
        size = dtype.itemsize * numbers
        if size <= _room(PRODUCTS.share):
            return Plan("triangles", dtype, size, f"triangles of {what}{words}")
    return Plan(
        "streamed", FLOAT64, FLOAT64.itemsize * numbers, f"of {what} exceed {PRODUCTS.words}"
    )


def plan_dual(n: int, *, given: bool, precise: bool, small: bool) -> Plan:
    """The form of the Gram matrix of a support vector machine.

    Parameters
    ----------
    n : int
        Number of samples.
    given : bool
        Whether the matrix is stored in any case: it was given, or has to be repaired.
    precise : bool
        Whether the solver needs double precision.
    small : bool
        Whether the problem is so small that a stored matrix is fastest.
    """
    dtype = FLOAT64 if precise else FLOAT32
    size = dtype.itemsize * n * n
    if given:
        return Plan("stored", dtype, size, "was given")
    if small and size <= _room(0.5):
        return Plan("stored", dtype, size, "fits half the memory budget")
    rows = min(_room(0.5), FLOAT32.itemsize * n * n)
    return Plan("rows", FLOAT32, rows, "is computed row by row")


def plan_centers(n: int, steps: float) -> int | None:
    """How many centers stand for n rows; None where all rows do, because that is affordable.

    Parameters
    ----------
    n : int
        Number of rows.
    steps : float
        Products with the whole matrix that the exact solver is expected to need.
    """
    fitting = FLOAT64.itemsize * n * n <= _room(0.5)
    if fitting or float(n) * n * steps <= _EXACT_WORK:
        return None
    return default_centers(n)


def default_centers(n: int) -> int:
    """How many centers stand for n rows, where not all do: 10 √n, or what the budget holds."""
    return max(1, min(n, int(_PER_ROOT * math.sqrt(n)), most_centers()))


def most_centers() -> int:
    """How many centers the budget holds: two matrices of them, and a factor."""
    return max(1, math.isqrt(_room(0.5) // (3 * FLOAT64.itemsize)))


def single_products(n: int) -> bool:
    """Whether a matrix that is not stored may be multiplied in single precision: a large one."""
    return float(n) * n >= _MANY_PAIRS


def preconditioner_rank(n: int) -> int:
    """The rank of the preconditioner of an n × n matrix that is not stored.

    Its square matrices take an eighth of the budget at most, and making it takes about as long as
    two products with the whole matrix.
    """
    affordable = int(_RANK_PER_ROOT * math.sqrt(n))
    held = math.isqrt(_room(0.125) // (4 * FLOAT64.itemsize))
    return max(1, min(n, affordable, held, _HIGHEST_RANK))


def single_tiles(n: int, n_centers: int) -> bool:
    """Whether tiles of rows and centers may be in single precision: only where they are many."""
    return float(n) * n_centers >= _MANY_ENTRIES


def kept_rows() -> int:
    """Bytes of rows that may be held in memory, where they are read from files again and again."""
    return _room(0.125)


def plan_features(n: int, n_features: float) -> Plan | None:
    """Explicit features instead of a Gram matrix, where they are few and fit; else None."""
    size = FLOAT64.itemsize * (n * n_features + n_features * n_features)
    if 2 * n_features > n or size > _room(0.5):
        return None
    words = f"{int(n_features)} explicit features of {n} samples"
    return Plan("features", FLOAT64, int(FLOAT64.itemsize * n * n_features), words)


def row_capacity(n: int, least: int, quick: bool) -> int:
    """How many rows of n float32 values a cache may hold.

    A quick kernel computes a row again in less time than fresh memory for it takes, so that more
    rows would not help.
    """
    room = _room(0.5)
    if quick:
        room = min(room, _QUICK_ROWS)
    return int(min(n, max(room // (FLOAT32.itemsize * n), least)))


def fits(rows: int, columns: int, need: Need = WHOLE, dtype: np.dtype = FLOAT64) -> bool:
    """Whether a matrix of this size may be stored."""
    return dtype.itemsize * rows * columns <= _room(need.share)


def most_samples(need: Need, dtype: np.dtype = FLOAT64) -> int:
    """The samples of the largest Gram matrix that may be stored."""
    return int((_room(need.share) / dtype.itemsize) ** 0.5)


def fits_all_classes(n: int) -> bool:
    """Whether one matrix may serve the support vector problems of all pairs of classes."""
    return FLOAT64.itemsize * n * n <= min(_ALL_CLASSES, _room(COPY.share))


def fits_class_blocks(sizes: list[int]) -> bool:
    """Whether a Gram matrix of each class may serve all problems of two classes that it is in."""
    entries = sum(size * size for size in sizes)
    return FLOAT64.itemsize * entries <= min(_ALL_CLASSES, _room(COPY.share))


def rows_at_a_time(n: int, share: float, most: int | None = None) -> int:
    """How many rows of n float64 values may be held at a time, at least one."""
    count = max(1, _room(share) // (FLOAT64.itemsize * n))
    return count if most is None else min(most, count)


def require_room(
    rows: int,
    columns: int,
    dtype: DType,
    what: str = "the dense Gram matrix",
    remedy: str = NEVER_STORED,
) -> None:
    """Raise `MemoryBudgetError` for a matrix beyond the budget, before it is allocated."""
    size = rows * columns * np.dtype(dtype).itemsize
    budget = _room(1.0)
    if size <= budget:
        return
    raise MemoryBudgetError(
        what,
        f"{rows} x {columns}, {format_bytes(size)}",
        f"exceeds the memory budget of {format_bytes(budget)}",
        f"{remedy}, or {RAISE}",
    )


def describe(rows: int, columns: int, dtype: DType) -> str:
    """Whether a matrix that is not stored could be, in words."""
    size = rows * columns * np.dtype(dtype).itemsize
    budget = _room(1.0)
    verb, way = "exceeds", "tiles are recomputed in every product"
    if size <= budget:
        verb, way = "fits", "dense() may store it"
    sizes = f"{rows} x {columns} ({format_bytes(size)})"
    return f"{sizes} {verb} the budget of {format_bytes(budget)}: {way}"


def budget_text() -> str:
    """The memory budget, in words."""
    return format_bytes(_room(1.0))


def _room(share: float) -> int:
    """Bytes that a share of the budget holds."""
    return int(get_config().memory_budget * share)
