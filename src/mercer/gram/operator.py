"""The Gram matrix as users see it: computed only where asked, and taken by SciPy's solvers."""

from __future__ import annotations

import numpy as np
from scipy.sparse.linalg import LinearOperator

import mercer.markup as markup
from mercer.aliases import DType, Index, Prepared
from mercer.errors import ShapeError
from mercer.gram.fill import Fills, check_diagonal, dense, multiply
from mercer.gram.plan import describe

_PIXELS = 96  # the largest number of rows and columns of a thumbnail


class Gram(LinearOperator):
    """The Gram matrix of a kernel, not stored; ``kernel.gram(X, Y)`` returns it.

    ``K @ v`` streams over tiles in a few megabytes, ``K.diag()`` and ``K.rows(idx)`` compute what
    they return, ``K.dense()`` stores it all, within the memory budget. It is a
    `scipy.sparse.linalg.LinearOperator`, so that SciPy's solvers take it.

    Parameters
    ----------
    kernel : Kernel
        The kernel.
    x, y : Samples
        Prepared samples: what ``kernel.prepare`` returns. Both are the same object for k(X).
    dtype : dtype, default=float64
        The precision of all results.

    Examples
    --------
    >>> from mercer import RBF
    >>> K = RBF().gram([[0.0], [1.0], [2.0]])
    >>> K.shape, (K @ [1.0, 0.0, 0.0]).round(2).tolist()
    ((3, 3), [1.0, 0.61, 0.14])
    """

    def __init__(self, kernel: Fills, x: Prepared, y: Prepared, dtype: DType = np.float64) -> None:
        self.kernel = kernel
        self.x, self.y = x, y
        super().__init__(np.dtype(dtype), (len(x), len(y)))

    @property
    def symmetric(self) -> bool:
        """Whether it compares a collection with itself."""
        return self.x is self.y

    @property
    def plan(self) -> str:
        """Whether the matrix could be stored, in words."""
        return describe(self.shape[0], self.shape[1], self.dtype)

    def dense(self, dtype: DType = None) -> np.ndarray:
        """The matrix itself."""
        return dense(self.kernel, self.x, self.y, self.dtype if dtype is None else dtype)

    def diag(self) -> np.ndarray:
        """The diagonal, without the matrix."""
        if not self.symmetric:
            raise ShapeError("diag", f"k(X, Y), {self.shape}", "is for k(X) only", "use k.diag(X)")
        with np.errstate(all="ignore"):
            return check_diagonal(self.kernel.diagonal(self.x), self.dtype)

    def rows(self, index: Index) -> np.ndarray:
        """Some rows, all columns; rows keep their identity, so white noise stays on its sample."""
        index = _positions(index, self.shape[0])
        return dense(self.kernel, self.x.take(index), self.y, self.dtype)

    def __getitem__(self, key: Index) -> np.ndarray:
        """``K[rows]`` or ``K[rows, cols]``, computed now."""
        rows, cols = key if isinstance(key, tuple) else (key, slice(None))
        i, j = _positions(rows, self.shape[0]), _positions(cols, self.shape[1])
        out = dense(self.kernel, self.x.take(i), self.y.take(j), self.dtype)
        if _is_single(cols):
            out = out[:, 0]
        if _is_single(rows):
            out = out[0]
        return out

    def _matmat(self, v: np.ndarray) -> np.ndarray:
        product = multiply(self.kernel, self.x, self.y, np.asarray(v))
        return product.astype(self.dtype, copy=False)

    def _matvec(self, v: np.ndarray) -> np.ndarray:
        return self._matmat(np.asarray(v).reshape(-1, 1))

    def _adjoint(self) -> Gram:
        return Gram(self.kernel, self.y, self.x, self.dtype)

    _transpose = _adjoint

    def _repr_html_(self) -> str:
        """The matrix as notebooks show it: a thumbnail of some rows and columns, size and plan."""
        some = [np.unique(np.linspace(0, n - 1, min(n, _PIXELS)).astype(int)) for n in self.shape]
        thumbnail = ""
        if all(map(len, some)):
            with np.errstate(all="ignore"):
                thumbnail = markup.picture(self[some[0], some[1]], f"{self!r}, every few rows")
        rows, columns = self.shape
        facts = [("kernel", markup.code(self.kernel))]
        facts += [("size", f"{rows:,} × {columns:,}, {self.dtype}"), ("plan", self.plan)]
        shown = markup.table([(name, text) for name, text in facts])
        return markup.box(markup.table([(thumbnail, shown)]))

    def __repr__(self) -> str:
        return f"<Gram {self.shape[0]} x {self.shape[1]} of {self.kernel!r}>"


def _is_single(index: Index) -> bool:
    return not isinstance(index, slice) and np.ndim(index) == 0


def _positions(index: Index, count: int) -> np.ndarray:
    """Integers, slices and masks as positions."""
    if isinstance(index, slice):
        return np.arange(count)[index]
    positions = np.atleast_1d(np.asarray(index))
    if positions.dtype == bool:
        return _masked(positions, count)
    integers = positions.ndim == 1 and positions.dtype.kind in "iu" and positions.size > 0
    if not integers:
        raise ShapeError("rows", index, "must be positions: integers, a slice or a mask")
    if positions.min() < -count or positions.max() >= count:
        raise ShapeError("rows", index, f"must lie between {-count} and {count - 1}")
    return np.where(positions < 0, positions + count, positions)


def _masked(mask: np.ndarray, count: int) -> np.ndarray:
    if mask.shape != (count,):
        rule = f"must have one entry for each of the {count} rows"
        raise ShapeError("mask", f"length {mask.size}", rule)
    return np.flatnonzero(mask)
