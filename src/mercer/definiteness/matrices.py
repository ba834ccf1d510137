"""Checks on a matrix that should be a Gram matrix, and the three ways to repair one that is not."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from mercer.errors import (
    DefinitenessError,
    InputTypeError,
    NotFiniteError,
    ParameterError,
    ShapeError,
)


def _square(K: Any) -> np.ndarray:
    try:
        matrix = np.asarray(K)
    except ValueError as error:
        raise ShapeError("K", type(K).__name__, f"is not a matrix ({error})") from None
    if matrix.dtype.kind not in "fiub":
        raise InputTypeError(
            "K", f"{matrix.dtype} of shape {matrix.shape}", "must be a matrix of numbers"
        )
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or matrix.size == 0:
        raise ShapeError("K", f"array of shape {matrix.shape}", "must be square")
    if matrix.dtype not in (np.float32, np.float64):
        matrix = matrix.astype(np.float64)
    if not np.isfinite(matrix).all():
        i, j = np.argwhere(~np.isfinite(matrix))[0]
        raise NotFiniteError(f"K[{i}, {j}]", float(matrix[i, j]), "must be finite")
    return matrix


@dataclasses.dataclass(frozen=True)
class GramReport:
    """What `check_gram` found; ``psd`` is the verdict."""

    matrix: np.ndarray = dataclasses.field(repr=False)
    symmetric: bool
    diagonal_nonnegative: bool
    cauchy_schwarz: bool
    min_eigenvalue: float
    max_eigenvalue: float
    tolerance: float
    worst: np.ndarray = dataclasses.field(repr=False)  # unit c with the smallest cᵀKc
    cpd: bool
    psd: bool

    @property
    def strict(self) -> bool:
        """Nonsingular beyond rounding."""
        return self.psd and self.min_eigenvalue > self.tolerance

    def square_root(self) -> np.ndarray:
        """The symmetric positive B with B Bᵀ = K."""
        if not self.psd:
            raise DefinitenessError(
                "K",
                f"smallest eigenvalue {self.min_eigenvalue:.6g}",
                "has no real square root",
                "use mercer.repair(K, how='clip')",
            )
        values, vectors = np.linalg.eigh(self.matrix)
        return (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T

    def __str__(self) -> str:
        mark = {True: "yes", False: "NO"}
        return "\n".join(
            [
                f"symmetric                        {mark[self.symmetric]}",
                f"diagonal ≥ 0                     {mark[self.diagonal_nonnegative]}",
                f"|K_ij| ≤ √(K_ii K_jj)            {mark[self.cauchy_schwarz]}",
                f"smallest eigenvalue              {self.min_eigenvalue:.6g} (tolerance {self.tolerance:.2g})",
                f"positive semi-definite           {mark[self.psd]}",
                f"conditionally, where Σc = 0      {mark[self.cpd]}",
            ]
        )


def check_gram(K: Any) -> GramReport:
    """Is this a Gram matrix? Symmetry, diagonal, Cauchy–Schwarz, eigenvalues, and the same where Σc = 0.

    >>> from mercer import check_gram
    >>> check_gram([[0.0, 0.0], [0.0, -1.0]]).psd  # both leading principal minors are 0
    False
    """
    matrix = _square(K)
    n = len(matrix)
    eps = float(np.finfo(matrix.dtype).eps)
    whole = matrix.astype(np.float64)
    size = float(np.abs(whole).max())
    symmetric = bool(np.abs(whole - whole.T).max() <= 10 * eps * size)
    half = (whole + whole.T) / 2
    diagonal = half.diagonal()
    slack = 10 * n * eps
    nonnegative = bool(diagonal.min() >= -slack * size)
    root = np.sqrt(np.maximum(diagonal, 0.0))
    bounded = bool((np.abs(half) <= np.outer(root, root) + slack * size).all())
    values, vectors = np.linalg.eigh(half)
    tolerance = slack * float(np.abs(values).max())
    centred = half - half.mean(axis=0) - half.mean(axis=1)[:, None] + half.mean()
    low = float(np.linalg.eigvalsh(centred)[0])
    cpd = symmetric and low >= -slack * float(np.abs(values).max())
    psd = symmetric and bool(values[0] >= -tolerance)
    return GramReport(
        half,
        symmetric,
        nonnegative,
        bounded,
        float(values[0]),
        float(values[-1]),
        tolerance,
        vectors[:, 0],
        cpd or psd,
        psd,
    )


@dataclasses.dataclass(frozen=True)
class Repaired:
    """A repaired Gram matrix, and how rows k(new, training) are to be changed to fit it."""

    matrix: np.ndarray
    how: str
    operator: np.ndarray | None = dataclasses.field(repr=False)
    min_eigenvalue: float

    def rows(self, k: Any) -> np.ndarray:
        """The rows of new samples, changed as the training matrix was."""
        rows = np.asarray(k, dtype=float)
        if rows.ndim != 2 or rows.shape[1] != len(self.matrix):
            raise ShapeError(
                "k",
                f"array of shape {rows.shape}",
                f"must have {len(self.matrix)} columns, one per training sample",
            )
        return rows if self.operator is None else rows @ self.operator


def repair(K: Any, how: str = "clip") -> Repaired:
    """The nearest way to a positive semi-definite matrix.

    * ``clip``: negative eigenvalues become 0; new rows are k·P, P the projector on the positive ones.
    * ``flip``: they change sign; new rows are k·V sign(Λ) Vᵀ.
    * ``shift``: |λ_min| is added to the diagonal; new rows stay.

    >>> from mercer import check_gram, repair
    >>> check_gram(repair([[1.0, 2.0], [2.0, 1.0]], how="shift").matrix).psd
    True
    """
    if how not in ("clip", "flip", "shift"):
        raise ParameterError("how", how, "must be one of 'clip', 'flip', 'shift'")
    matrix = _square(K).astype(np.float64)
    if np.abs(matrix - matrix.T).max() > 1e-8 * max(np.abs(matrix).max(), 1e-300):
        raise ParameterError("K", "asymmetric", "must be symmetric", "use (K + K.T)/2")
    half = (matrix + matrix.T) / 2
    values, vectors = np.linalg.eigh(half)
    low = float(values[0])
    if how == "shift":
        return Repaired(half + max(0.0, -low) * np.eye(len(half)), how, None, low)
    signs = np.where(values > 0, 1.0, 0.0) if how == "clip" else np.sign(values)
    operator = (vectors * signs) @ vectors.T
    made = (vectors * (values * signs)) @ vectors.T
    return Repaired((made + made.T) / 2, how, operator, low)
