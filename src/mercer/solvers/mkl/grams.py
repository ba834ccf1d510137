"""Several Gram matrices of the same samples, and what weights are learned from.

A matrix is held as the rows of its lower triangle, one after the other, divided by the mean of its
diagonal: a sum of matrices is then one pass over half the numbers. Where not all of them fit the
memory budget, they are held in single precision, or each is computed again when it is needed.
"""

from __future__ import annotations

import abc
import functools
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from scipy.linalg import blas

from mercer import _compiled
from mercer.aliases import DType
from mercer.errors import ParameterError, ShapeError
from mercer.execution.cancel import check_stop
from mercer.linalg.products import product

_NUMBERS = 2**14  # of each triangle that are added at a time, in the cache
_TOGETHER = 4  # matrices that are added in one pass
_ROWS = 32  # of a matrix that are summed at a time, in the cache
Compute = Callable[[int], np.ndarray]  # the matrix of this number


class Grams(abc.ABC):
    """Gram matrices K_1, ..., K_m, each divided by the mean of its diagonal.

    Parameters
    ----------
    n : int
        Number of samples.
    scale : ndarray of shape (m,)
        What the given matrices were divided by.
    """

    def __init__(self, n: int, scale: np.ndarray) -> None:
        self.n, self.scale = n, scale

    def __len__(self) -> int:
        return len(self.scale)

    @functools.cached_property
    def _diagonal(self) -> np.ndarray:
        """Where the diagonal is among the numbers of a triangle."""
        i = np.arange(self.n)
        return i * (i + 3) // 2

    @abc.abstractmethod
    def triangle(self, k: int) -> np.ndarray:
        """The lower triangle of matrix k, row by row."""

    def _sum(self, weights: np.ndarray) -> np.ndarray:
        total = np.zeros(self.n * (self.n + 1) // 2)
        for k in np.flatnonzero(weights):
            check_stop()
            total += weights[k] * self.triangle(int(k))
        return total

    def combine(self, weights: np.ndarray, whole: bool = False) -> np.ndarray:
        """Σ w_k K_k as a square array, of which only the lower triangle is filled, or the whole."""
        matrix = np.empty((self.n, self.n))
        unpack(self._sum(weights), matrix)
        if whole:
            _compiled.storage.mirror(matrix.T)
        return matrix

    def merged(self, weights: np.ndarray) -> Stored:
        """Σ w_k K_k as the only matrix."""
        return Stored(self._sum(weights)[None], np.ones(1))

    def at(self, rows: np.ndarray) -> Stored:
        """All matrices on some of the samples, in order."""
        below, beside = np.tril_indices(len(rows))
        i, j = rows[below], rows[beside]
        places = i * (i + 1) // 2 + j
        triangles = np.empty((len(self), len(places)))
        for k in range(len(self)):
            check_stop()
            triangles[k] = self.triangle(k)[places]
        return Stored(triangles, self.scale)

    @abc.abstractmethod
    def some(self, numbers: np.ndarray) -> Grams:
        """Some of the matrices."""

    def exact(self) -> Grams:
        """The matrices in double precision."""
        return self

    def inner(self, W: np.ndarray, doubled: bool = False) -> np.ndarray:
        """Σ W∘K_k for every k and a symmetric W, of which the lower triangle is read.

        Where it is ``doubled``, numbers below the diagonal stand for both sides of it already.
        """
        v = pack(W)
        if not doubled:
            v *= 2.0
            v[self._diagonal] *= 0.5
        return self._dot(v)

    def _dot(self, v: np.ndarray) -> np.ndarray:
        return np.array([self.triangle(k) @ v for k in range(len(self))])

    def times(self, v: np.ndarray) -> np.ndarray:
        """K_k v for every k, a row each."""
        # rows of a lower triangle are columns of an upper one, as LAPACK packs it
        return np.array(
            [blas.dspmv(self.n, 1.0, self.triangle(k), v, lower=0) for k in range(len(self))]
        )

    def quadratic(self, v: np.ndarray) -> np.ndarray:
        """vᵀK_k v for every k."""
        return self.times(v) @ v

    def products(self) -> np.ndarray:
        """The inner products Σ K_k∘K_l of all matrices."""
        table = np.empty((len(self), len(self)))
        for k in range(len(self)):
            first = self.triangle(k)
            for j in range(k + 1):
                table[k, j] = table[j, k] = self._product(first, self.triangle(j))
        return table

    def _product(self, first: np.ndarray, second: np.ndarray) -> float:
        diagonal = self._diagonal
        return float(2.0 * (first @ second) - first[diagonal] @ second[diagonal])


class Stored(Grams):
    """Triangles of all matrices, a row each, in memory."""

    def __init__(self, triangles: np.ndarray, scale: np.ndarray) -> None:
        super().__init__(side(triangles.shape[1]), scale)
        self.triangles = triangles

    def triangle(self, k: int) -> np.ndarray:
        return self.triangles[k]

    def some(self, numbers: np.ndarray) -> Stored:
        return Stored(self.triangles[numbers], self.scale[numbers])

    def _sum(self, weights: np.ndarray) -> np.ndarray:
        # by SciPy's BLAS, as the factorizations that follow: see `mercer.linalg.products`
        return blas.dgemv(1.0, self.triangles.T, weights)

    def _dot(self, v: np.ndarray) -> np.ndarray:
        return blas.dgemv(1.0, self.triangles.T, v, trans=1)

    def products(self) -> np.ndarray:
        diagonals = self.triangles[:, self._diagonal]
        return 2.0 * product(self.triangles, self.triangles.T) - diagonals @ diagonals.T


class Single(Stored):
    """Triangles of all matrices in single precision, whose sums are added in double precision.

    Parameters
    ----------
    triangles : ndarray of shape (m, n (n + 1) / 2)
        The triangles, float32.
    computed : Grams
        The same matrices in double precision.
    """

    def __init__(self, triangles: np.ndarray, computed: Grams) -> None:
        super().__init__(triangles, computed.scale)
        self.computed = computed

    def exact(self) -> Grams:
        return self.computed

    def triangle(self, k: int) -> np.ndarray:
        return self.triangles[k].astype(np.float64)

    def some(self, numbers: np.ndarray) -> Single:
        return Single(self.triangles[numbers], self.computed.some(numbers))

    def _parts(self) -> Iterator[tuple[slice, np.ndarray]]:
        """Some numbers of all triangles at a time, in double precision."""
        for start in range(0, self.triangles.shape[1], _NUMBERS):
            check_stop()
            part = slice(start, start + _NUMBERS)
            yield part, self.triangles[:, part].astype(np.float64)

    def _sum(self, weights: np.ndarray) -> np.ndarray:
        return np.concatenate([weights @ part for _, part in self._parts()])

    def _dot(self, v: np.ndarray) -> np.ndarray:
        total = np.zeros(len(self))
        for at, part in self._parts():
            total += part @ v[at]
        return total

    def products(self) -> np.ndarray:
        diagonals = self.triangles[:, self._diagonal].astype(np.float64)
        total = -diagonals @ diagonals.T
        for _, part in self._parts():
            total += 2.0 * product(part, part.T)
        return total


class Given(Grams):
    """Square matrices as they were given, for methods that read each of them once or twice."""

    def __init__(self, matrices: list[np.ndarray], scale: np.ndarray) -> None:
        super().__init__(len(matrices[0]), scale)
        self.matrices = matrices

    def triangle(self, k: int) -> np.ndarray:
        return pack(self.matrices[k]) / self.scale[k]

    def some(self, numbers: np.ndarray) -> Given:
        return Given([self.matrices[k] for k in numbers], self.scale[numbers])

    def combine(self, weights: np.ndarray, whole: bool = False) -> np.ndarray:
        matrix = np.zeros((self.n, self.n))
        missing = -len(self) % _TOGETHER  # the last matrices are filled up by one of weight 0
        scaled = np.append(weights / self.scale, np.zeros(missing))
        matrices = [*self.matrices, *self.matrices[:1] * missing]
        for first in range(0, self.n, _ROWS):  # of the lower triangle, as many as the cache holds
            stop = min(first + _ROWS, self.n)
            for k in range(0, len(matrices), _TOGETHER):
                four, own = matrices[k : k + _TOGETHER], scaled[k : k + _TOGETHER]
                _compiled.storage.add_four(matrix, *four, own, first, stop)
        if whole:
            _compiled.storage.mirror(matrix.T)
        return matrix

    def quadratic(self, v: np.ndarray) -> np.ndarray:
        some = np.flatnonzero(v)
        part, few = np.empty((len(some), len(some))), v[some]
        values = np.empty(len(self))
        for k, one in enumerate(self.matrices):
            _compiled.storage.pick(one, some, part)
            values[k] = few @ (part @ few)
        return values / self.scale


class Recomputed(Grams):
    """Matrices that are computed whenever they are needed.

    Parameters
    ----------
    compute : callable
        Gives the matrix of a number.
    n : int
        Number of samples.
    scale : ndarray of shape (m,)
        What each is divided by.
    """

    def __init__(self, compute: Compute, n: int, scale: np.ndarray) -> None:
        super().__init__(n, scale)
        self.compute = compute

    def triangle(self, k: int) -> np.ndarray:
        return pack(self.compute(k)) / self.scale[k]

    def some(self, numbers: np.ndarray) -> Recomputed:
        def compute(k: int) -> np.ndarray:
            return self.compute(int(numbers[k]))

        return Recomputed(compute, self.n, self.scale[numbers])


def side(count: int) -> int:
    """The number of rows of a triangle of so many numbers."""
    return int((np.sqrt(8.0 * count + 1.0) - 1.0) / 2.0 + 0.5)


def pack(matrix: np.ndarray) -> np.ndarray:
    """The lower triangle of a matrix, row by row."""
    n = len(matrix)
    packed = np.empty(n * (n + 1) // 2)
    start = 0
    for i in range(n):
        packed[start : start + i + 1] = matrix[i, : i + 1]
        start += i + 1
    return packed


def unpack(packed: np.ndarray, matrix: np.ndarray) -> None:
    """Fill the lower triangle of a matrix."""
    start = 0
    for i in range(len(matrix)):
        matrix[i, : i + 1] = packed[start : start + i + 1]
        start += i + 1


def stored(compute: Compute, n: int, scale: np.ndarray, dtype: DType = np.float64) -> Stored:
    """All matrices, computed once and kept, in single precision too."""
    triangles = np.empty((len(scale), n * (n + 1) // 2), dtype=dtype)
    for k in range(len(scale)):
        check_stop()
        triangles[k] = pack(compute(k))
        triangles[k] /= scale[k]
    if dtype == np.float32:
        return Single(triangles, Recomputed(compute, n, scale))
    return Stored(triangles, scale)


def as_grams(matrices: Grams | Sequence[np.ndarray] | np.ndarray, read_once: bool = False) -> Grams:
    """Matrices of shape (m, n, n), or a list of them, as solvers read them.

    Triangles are copied, unless the matrices are ``read_once``.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.solvers.mkl.grams import as_grams
    >>> grams = as_grams([4.0 * np.eye(2), np.ones((2, 2))])
    >>> np.tril(grams.combine(np.array([0.5, 0.5]))).tolist(), grams.scale.tolist()
    ([[1.0, 0.0], [0.5, 1.0]], [4.0, 1.0])
    """
    if isinstance(matrices, Grams):
        return matrices
    arrays = [np.asarray(matrix, dtype=np.float64, order="C") for matrix in matrices]
    if not arrays:
        raise ParameterError("Ks", matrices, "must be at least one Gram matrix")
    n = len(arrays[0])
    for array in arrays:
        if array.shape != (n, n):
            rule = f"must be a Gram matrix of the same {n} samples as the first"
            raise ShapeError("Ks", f"array of shape {array.shape}", rule)
    scale = np.array([mean_diagonal(array.diagonal(), k) for k, array in enumerate(arrays)])
    if read_once:
        return Given(arrays, scale)
    return stored(arrays.__getitem__, n, scale)


def mean_diagonal(diagonal: np.ndarray, number: int) -> float:
    """The mean of a diagonal, which has to be positive."""
    mean = float(np.mean(diagonal))
    if not mean > 0 or not np.isfinite(mean):
        rule = "has a diagonal whose mean is not positive and finite"
        raise ParameterError("kernel", f"number {number}", rule, "leave it out")
    return mean
