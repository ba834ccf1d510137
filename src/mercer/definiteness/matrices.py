"""Checks of a matrix that should be a Gram matrix, and three ways to repair one that is not."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from mercer.definiteness.scale import judge, judge_balanced
from mercer.errors import (
    DefinitenessError,
    InputTypeError,
    NotFiniteError,
    ParameterError,
    ShapeError,
)

_WAYS = ("clip", "flip", "shift")


def _numbers(K: ArrayLike) -> np.ndarray:
    """An array of any shape, in single or double precision."""
    if sparse.issparse(K):
        raise InputTypeError("K", type(K).__name__, "must be a dense matrix", "give K.toarray()")
    try:
        array = np.asarray(K)
    except ValueError as error:
        raise ShapeError("K", type(K).__name__, f"is not a matrix ({error})") from None
    if array.dtype.kind not in "fiub":
        value = f"{array.dtype} of shape {array.shape}"
        raise InputTypeError("K", value, "must be a matrix of numbers")
    if array.dtype in (np.float32, np.float64):
        return array
    return array.astype(np.float64)


def _square(K: ArrayLike) -> np.ndarray:
    """A finite square matrix, in single or double precision, for a matrix of any numbers."""
    matrix = _numbers(K)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or matrix.size == 0:
        raise ShapeError("K", f"array of shape {matrix.shape}", "must be square")
    bad = np.argwhere(~np.isfinite(matrix))
    if len(bad):
        i, j = bad[0]
        raise NotFiniteError(f"K[{i}, {j}]", float(matrix[i, j]), "must be finite")
    return matrix


@dataclasses.dataclass(frozen=True)
class GramReport:
    """The result of `check_gram` for a matrix; ``psd`` is the verdict.

    Attributes
    ----------
    matrix : ndarray of shape (n, n)
        The symmetric part of the matrix.
    symmetric : bool
        Whether it was symmetric.
    diagonal_nonnegative : bool
        Whether no diagonal entry is negative.
    cauchy_schwarz : bool
        Whether |K_ij| ≤ √(K_ii K_jj) everywhere.
    min_eigenvalue, max_eigenvalue : float
        The ends of the spectrum.
    tolerance : float
        The rounding error of these.
    worst : ndarray of shape (n,)
        The unit vector c with the smallest cᵀKc.
    cpd : bool
        Whether cᵀKc ≥ 0 where Σc = 0.
    psd : bool
        Whether cᵀKc ≥ 0 for all c.
    strict : bool
        Whether the matrix is nonsingular beyond rounding.
    """

    matrix: np.ndarray = dataclasses.field(repr=False)
    symmetric: bool
    diagonal_nonnegative: bool
    cauchy_schwarz: bool
    min_eigenvalue: float
    max_eigenvalue: float
    tolerance: float
    worst: np.ndarray = dataclasses.field(repr=False)
    cpd: bool
    psd: bool
    strict: bool

    def square_root(self) -> np.ndarray:
        """The symmetric positive B with B Bᵀ = K."""
        if not self.psd:
            value = f"smallest eigenvalue {self.min_eigenvalue:.6g}"
            remedy = "use mercer.repair(K, how='clip')"
            raise DefinitenessError("K", value, "has no real square root", remedy)
        values, vectors = np.linalg.eigh(self.matrix)
        return (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T

    def __str__(self) -> str:
        mark = {True: "yes", False: "NO"}
        lowest = f"{self.min_eigenvalue:.6g} (tolerance {self.tolerance:.2g})"
        return "\n".join(
            [
                f"symmetric                        {mark[self.symmetric]}",
                f"diagonal ≥ 0                     {mark[self.diagonal_nonnegative]}",
                f"|K_ij| ≤ √(K_ii K_jj)            {mark[self.cauchy_schwarz]}",
                f"smallest eigenvalue              {lowest}",
                f"positive semi-definite           {mark[self.psd]}",
                f"conditionally, where Σc = 0      {mark[self.cpd]}",
            ]
        )


def check_gram(K: ArrayLike, rounding: float = 0.0) -> GramReport:
    """Check whether a matrix is a Gram matrix, that is symmetric and positive semi-definite.

    Symmetry, diagonal, Cauchy–Schwarz and eigenvalues are looked at, and the same where Σc = 0.
    The matrix is judged at its own scale, divided by the roots of its diagonal, so that what is
    small and negative is not lost beside what is large.

    Parameters
    ----------
    K : array_like of shape (n, n)
        The matrix.
    rounding : float, default 0.0
        An absolute rounding error of the entries, where these are what is left of larger numbers:
        about 1e-15 times those.

    Returns
    -------
    GramReport
        The verdict, and what led to it.

    Examples
    --------
    >>> from mercer import check_gram
    >>> check_gram([[0.0, 0.0], [0.0, -1.0]]).psd  # both leading principal minors are 0
    False
    >>> check_gram([[1e16, 0.0], [0.0, -10.0]]).psd
    False
    """
    given = _square(K)
    eps = float(np.finfo(given.dtype).eps)
    matrix = given.astype(np.float64)
    size = float(np.abs(matrix).max())
    symmetric = bool(np.abs(matrix - matrix.T).max() <= 10 * eps * size)
    half = matrix / 2 + matrix.T / 2
    values, vectors = np.linalg.eigh(half)
    judgement = judge(half, eps, rounding=rounding)
    worst, lowest = vectors[:, 0], float(values[0])
    if not judgement.psd:
        # An eigenvalue far below the largest is lost in the rounding error of that one.
        worst = min(worst, judgement.worst, key=lambda c: float(c @ half @ c))
        lowest = min(lowest, float(worst @ half @ worst))
    psd = symmetric and judgement.psd
    return GramReport(
        matrix=half,
        symmetric=symmetric,
        diagonal_nonnegative=judgement.diagonal,
        cauchy_schwarz=judgement.cauchy_schwarz,
        min_eigenvalue=lowest,
        max_eigenvalue=float(values[-1]),
        tolerance=10 * len(half) * eps * float(np.abs(values).max()),
        worst=worst,
        cpd=psd or (symmetric and judge_balanced(half, eps, rounding).psd),
        psd=psd,
        strict=symmetric and judgement.strict,
    )


@dataclasses.dataclass(frozen=True)
class Repaired:
    """A repaired Gram matrix, and how rows k(new, training) are to be changed to fit it."""

    matrix: np.ndarray
    how: str
    operator: np.ndarray | None = dataclasses.field(repr=False)
    min_eigenvalue: float

    def rows(self, k: ArrayLike) -> np.ndarray:
        """The rows of new samples, changed as the training matrix was."""
        rows = np.asarray(k, dtype=float)
        if rows.ndim != 2 or rows.shape[1] != len(self.matrix):
            rule = f"must have {len(self.matrix)} columns, one per training sample"
            raise ShapeError("k", f"array of shape {rows.shape}", rule)
        return rows if self.operator is None else rows @ self.operator


def repair(K: ArrayLike, how: str = "clip") -> Repaired:
    """Turn a symmetric matrix into a positive semi-definite one by its eigenvalues.

    * ``clip``: negative eigenvalues become 0; new rows are k·P, P the projector on the positive.
    * ``flip``: they change sign; new rows are k·V sign(Λ) Vᵀ.
    * ``shift``: |λ_min| is added to the diagonal; new rows stay.

    Parameters
    ----------
    K : array_like of shape (n, n)
        The matrix.
    how : {"clip", "flip", "shift"}
        What becomes of negative eigenvalues.

    Returns
    -------
    Repaired
        The matrix, and what to do with the rows of new samples.

    Examples
    --------
    >>> from mercer import check_gram, repair
    >>> check_gram(repair([[1.0, 2.0], [2.0, 1.0]], how="shift").matrix).psd
    True
    """
    if how not in _WAYS:
        raise ParameterError("how", how, "must be one of 'clip', 'flip', 'shift'")
    matrix = _square(K).astype(np.float64)
    if np.abs(matrix - matrix.T).max() > 1e-8 * max(np.abs(matrix).max(), 1e-300):
        raise ParameterError("K", "asymmetric", "must be symmetric", "use (K + K.T)/2")
    half = (matrix + matrix.T) / 2
    values, vectors = np.linalg.eigh(half)
    lowest = float(values[0])
    if how == "shift":
        # The rounding error of the eigenvalue is added, or the result might miss being psd by it.
        rounding = len(half) * np.finfo(float).eps * float(np.abs(values).max())
        shift = rounding - lowest if lowest < 0 else 0.0
        return Repaired(half + shift * np.eye(len(half)), how, None, lowest)
    signs = np.where(values > 0, 1.0, 0.0) if how == "clip" else np.sign(values)
    repaired = (vectors * (values * signs)) @ vectors.T
    operator = (vectors * signs) @ vectors.T
    return Repaired((repaired + repaired.T) / 2, how, operator, lowest)
