"""The preconditioner of problems on centers: the Hessian of a sample of the rows.

With K_mm = L Lᵀ and the sample's rows Φ = K_sm L⁻ᵀ, the Hessian ΦᵀWΦ + λ is near to that of all
rows in the coordinates Lᵀu. Rows are whitened before they are multiplied: a sum of K_ms K_sm in
single precision that is whitened afterwards is wrong in the first digit.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import scipy

from mercer.errors import DefinitenessError
from mercer.gram.plan import FLOAT32, FLOAT64

SampleRows = Iterable[tuple[np.ndarray, np.ndarray]]  # k of rows with the centers; their curvatures
_SMALLEST = {FLOAT64: 1e-13, FLOAT32: 1e-9}  # jitter of K_mm, in units of its trace
_LARGEST = 1e-3
_STRIP = 64  # columns of a matrix that are copied at a time


class Whitening:
    """L with L Lᵀ = K_mm + jitter, and products with its inverse.

    Parameters
    ----------
    inner : ndarray of shape (m, m)
        K_mm in double precision.
    dtype : dtype
        The precision of the factor that is kept.
    tiles : dtype, optional
        The precision of the rows, which decides on the jitter; by default that of the factor.
    """

    def __init__(self, inner: np.ndarray, dtype: np.dtype, tiles: np.dtype | None = None) -> None:
        self.dtype = np.dtype(dtype)
        self.trace = float(np.trace(inner)) or 1.0
        least = _SMALLEST[np.dtype(tiles or dtype)] * self.trace
        factor = inner.copy(order="C").T
        self.jitter = _factor(factor, least, self.trace)
        self.L = np.asfortranarray(factor, dtype=self.dtype)

    def __len__(self) -> int:
        return len(self.L)

    def whiten(self, rows: np.ndarray) -> np.ndarray:
        """L⁻¹ of the transposed rows, which are overwritten: a column for each row."""
        return lower_solve(self.L, rows.T, overwrite=True)

    def forward(self, V: np.ndarray) -> np.ndarray:
        """L⁻¹ V."""
        return lower_solve(self.L, V)

    def unwhiten(self, V: np.ndarray) -> np.ndarray:
        """L⁻ᵀ V."""
        return lower_solve(self.L, V, transposed=True)

    def explained(self, rows: np.ndarray) -> np.ndarray:
        """q(x, x) = k_xᵀ K_mm⁻¹ k_x of rows k_x: what the centers know of k(x, x)."""
        columns = self.whiten(rows)
        return np.einsum("ij,ij->j", columns, columns, dtype=np.float64)


class SampleHessian:
    """The Hessian of a sample of rows in whitened coordinates, with a bias or without.

    Parameters
    ----------
    whitening : Whitening
        The coordinates.
    sample : iterable of (rows, curvatures)
        k of the sample's rows with the centers, some at a time, and the curvature of each row.
    intercept : bool
        Whether there is a bias.
    """

    def __init__(self, whitening: Whitening, sample: SampleRows, intercept: bool) -> None:
        self.whitening, self.intercept = whitening, intercept
        m = len(whitening)
        self.hessian = np.zeros((m, m), dtype=whitening.dtype, order="F")
        self.mixed, self.total = np.zeros(m), 0.0
        syrk = scipy.linalg.get_blas_funcs("syrk", dtype=whitening.dtype)
        for rows, curvature in sample:
            columns = whitening.whiten(rows)
            root = np.sqrt(curvature).astype(whitening.dtype)
            columns *= root
            self.hessian = syrk(1.0, columns, 1.0, self.hessian, lower=1, overwrite_c=1)
            self.mixed += columns @ root
            self.total += float(curvature.sum())

    def inverse(self, penalty: float) -> HessianInverse:
        """The inverse of the Hessian with a penalty, in the coordinates u; it takes its place."""
        return HessianInverse(self, penalty)


class HessianInverse:
    """(L⁻ᵀ (ΦᵀWΦ + λ)⁻¹ L⁻¹), with a last row for the bias where there is one."""

    def __init__(self, sample: SampleHessian, penalty: float) -> None:
        self.whitening, self.intercept = sample.whitening, sample.intercept
        self.C = sample.hessian
        del sample.hessian  # a copy of it would be as large as K_mm
        size = float(np.trace(self.C)) + penalty
        self.C[np.diag_indices_from(self.C)] += penalty
        _reflect(self.C.T)
        _factor(self.C, float(np.finfo(self.C.dtype).eps) * size, size)
        if self.intercept:
            self.mixed = lower_solve(self.C, sample.mixed[:, None])[:, 0].astype(np.float64)
            rest = sample.total - float(self.mixed @ self.mixed)
            self.corner = np.sqrt(max(rest, 1e-6 * sample.total))

    def __matmul__(self, G: np.ndarray) -> np.ndarray:
        m = len(self.C)
        z = lower_solve(self.C, lower_solve(self.whitening.L, G[:m]))
        if not self.intercept:
            return self._back(z)
        bias = (G[m:] - self.mixed @ z) / self.corner**2
        return np.concatenate([self._back(z - self.mixed[:, None] * bias), bias])

    def _back(self, z: np.ndarray) -> np.ndarray:
        """Fᵀ-solve and return to the coordinates u."""
        v = lower_solve(self.C, z, transposed=True)
        return lower_solve(self.whitening.L, v, transposed=True).astype(np.float64)


class PathInverse:
    """The inverses for several penalties, one for each column, by one eigendecomposition."""

    def __init__(self, sample: SampleHessian, penalties: np.ndarray) -> None:
        self.whitening = sample.whitening
        values, self.vectors = scipy.linalg.eigh(sample.hessian, lower=True, check_finite=False)
        self.factors = 1.0 / (np.maximum(values, 0.0)[:, None] + penalties)

    def __matmul__(self, G: np.ndarray) -> np.ndarray:
        z = self.vectors.T @ lower_solve(self.whitening.L, G)
        v = self.vectors @ (self.factors * z).astype(self.vectors.dtype)
        return lower_solve(self.whitening.L, v, transposed=True).astype(np.float64)


def lower_solve(
    factor: np.ndarray, B: np.ndarray, transposed: bool = False, overwrite: bool = False
) -> np.ndarray:
    """factor⁻¹ B of a lower triangle; B may be overwritten if it lies as BLAS wants it."""
    trsm = scipy.linalg.get_blas_funcs("trsm", dtype=factor.dtype)
    right = np.asarray(B, dtype=factor.dtype, order="F")
    return trsm(1.0, factor, right, lower=1, trans_a=int(transposed), overwrite_b=int(overwrite))


def _factor(matrix: np.ndarray, jitter: float, size: float) -> float:
    """Overwrite a symmetric matrix, in Fortran's order, by its lower factor.

    Returns the jitter with which it is positive definite. Nothing is copied: where a factorization
    fails, what it has overwritten is still there above the diagonal.
    """
    potrf = scipy.linalg.get_lapack_funcs("potrf", dtype=matrix.dtype)
    diagonal = np.diag_indices_from(matrix)
    kept = matrix[diagonal].copy()
    while jitter <= _LARGEST * size:
        matrix[diagonal] = kept + jitter
        _, info = potrf(matrix, lower=1, clean=0, overwrite_a=1)
        if info == 0:
            _clear_above(matrix)
            return jitter
        _reflect(matrix)
        jitter *= 10.0
    rule = "is not positive semi-definite on the centers"
    remedy = "take another kernel, or centers='all'; kernel.refute(X) looks for a reason in it"
    raise DefinitenessError("kernel", f"jitter {jitter:.1g}", rule, remedy)


def _reflect(matrix: np.ndarray) -> None:
    """Copy what is above the diagonal below it, some columns at a time."""
    for start in range(0, len(matrix), _STRIP):
        stop = start + _STRIP
        square = np.triu(matrix[start:stop, start:stop])
        matrix[start:stop, start:stop] = square + np.triu(square, 1).T
        matrix[stop:, start:stop] = matrix[start:stop, stop:].T


def _clear_above(matrix: np.ndarray) -> None:
    """Put zeros above the diagonal, some columns at a time."""
    for start in range(0, len(matrix), _STRIP):
        stop = start + _STRIP
        matrix[:start, start:stop] = 0.0
        matrix[start:stop, start:stop] = np.tril(matrix[start:stop, start:stop])
