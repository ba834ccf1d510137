"""Whether a symmetric matrix is positive semi-definite, judged at the scale of its own rows.

An eigenvalue of −10 is a rounding error beside entries of 1e16 that were subtracted from each
other, and none where they have nothing to do with it. So each row has its own uncertainty, and the
matrix is scaled by its diagonal, D^(−1/2) A D^(−1/2), before its eigenvalues are looked at.
"""

from __future__ import annotations

import dataclasses

import numpy as np

_EPS = float(np.finfo(float).eps)
_MOST_TESTED = 700  # rows of a matrix before a fit


@dataclasses.dataclass(frozen=True)
class Judgement:
    """The verdict on a matrix, and what led to it.

    Attributes
    ----------
    psd : bool
        Whether no cᵀAc is negative beyond rounding.
    strict : bool
        Whether every cᵀAc is positive beyond rounding.
    diagonal : bool
        Whether no diagonal entry is negative beyond rounding.
    cauchy_schwarz : bool
        Whether |A_ij| ≤ √(A_ii A_jj) up to rounding.
    worst : ndarray of shape (n,)
        The unit vector c with the smallest cᵀAc at the scale of the matrix.
    """

    psd: bool
    strict: bool
    diagonal: bool
    cauchy_schwarz: bool
    worst: np.ndarray


def judge(
    A: np.ndarray, eps: float, sizes: np.ndarray | None = None, rounding: float = 0.0
) -> Judgement:
    """Judge a symmetric matrix whose entries were rounded to a precision of ``eps``.

    ``sizes`` are the largest numbers from which the entries of each row were computed, where these
    are known, and ``rounding`` is an absolute error of all entries beside.
    """
    unit = float(np.abs(A).max()) or 1.0
    A = A / unit
    n = len(A)
    slack = 10 * max(n, 10) * eps
    noise = slack * (_sizes(A, eps) if sizes is None else sizes / unit) + 2 * n * rounding / unit
    diagonal = A.diagonal() + noise
    at = _refuting_row(A, diagonal, noise)
    if at is not None:
        return Judgement(False, False, bool(diagonal[at] >= 0), False, _against_row(A, at))
    rows = np.flatnonzero(diagonal > 0)  # the others are 0
    if not len(rows):
        return Judgement(True, False, True, True, np.eye(n)[0])
    root = np.sqrt(diagonal[rows])
    scaled = (A + np.diag(noise))[np.ix_(rows, rows)] / root[:, None] / root
    values, vectors = np.linalg.eigh(scaled)
    worst = np.zeros(n)
    worst[rows] = vectors[:, 0] / root
    tolerance = slack * max(1.0, float(values[-1]))
    uncertainty = float((noise[rows] / diagonal[rows]).max())
    return Judgement(
        psd=bool(values[0] >= -tolerance),
        strict=len(rows) == n and bool(values[0] - uncertainty > tolerance),
        diagonal=True,
        cauchy_schwarz=bool(np.abs(scaled).max() <= 1.0 + slack),
        worst=_unit(worst),
    )


def _sizes(A: np.ndarray, eps: float) -> np.ndarray:
    """For every row the size of the numbers that its entries may be what is left of.

    Centering, repairing and factoring subtract numbers as large as the rows that a row has entries
    in common with. What is left of these is a multiple of their last digit: a row with a smaller
    diagonal was not computed that way, and its own entries are all that counts.
    """
    entries = np.abs(A)
    own = entries.diagonal()
    sizes = np.where(entries > 0, np.maximum(entries, own), 0.0).max(axis=1)
    evidence = np.where(own > 0, own, entries.max(axis=1))
    last_digit = eps * sizes / (10 * len(A) ** 2)
    return np.where(evidence >= last_digit, sizes, own)


def _refuting_row(A: np.ndarray, diagonal: np.ndarray, noise: np.ndarray) -> int | None:
    """A row whose diagonal entry is negative, or 0 where others are not; None if there is none."""
    largest = np.abs(A).max(axis=1)
    refuting = (diagonal < 0) | ((A.diagonal() == 0) & (largest > noise))
    if not refuting.any():
        return None
    return int(np.argmin(np.where(refuting, diagonal, np.inf)))


def _against_row(A: np.ndarray, at: int) -> np.ndarray:
    """A unit vector c with cᵀAc < 0 for a row that refutes by its diagonal entry."""
    c = np.zeros(len(A))
    c[at] = 1.0
    if A[at, at] < 0:
        return c
    other = int(np.argmax(np.abs(A[at])))
    entry = A[at, other]
    c[other] = -np.sign(entry) * min(1.0, abs(entry) / max(abs(A[other, other]), 1e-300))
    return c / np.linalg.norm(c)


def _unit(vector: np.ndarray) -> np.ndarray:
    """The vector divided by its norm, whose square may be beyond the range of numbers."""
    shape = vector / np.abs(vector).max()
    return shape / np.linalg.norm(shape)


def judge_balanced(A: np.ndarray, eps: float, rounding: float = 0.0) -> Judgement:
    """Judge cᵀAc among the c with Σc = 0, by differences from the smallest row."""
    if len(A) == 1:
        return Judgement(True, True, True, True, np.zeros(1))
    differences, sizes, at = _differences(A)
    judgement = judge(differences, eps, sizes, 4 * rounding)
    worst = np.insert(judgement.worst, at, -judgement.worst.sum())
    return dataclasses.replace(judgement, worst=_unit(worst))


def _differences(A: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
    """⟨φ_i − φ_o, φ_j − φ_o⟩ for the smallest row o, the sizes of what was subtracted, and o."""
    entries = np.abs(A)
    at = int(np.argmin(entries.max(axis=1)))
    others = np.flatnonzero(np.arange(len(A)) != at)
    block = np.ix_(others, others)
    row = A[others, at]
    differences = A[block] - row[:, None] - row + A[at, at]
    sizes = (entries[block] + np.abs(row)[:, None] + np.abs(row) + entries[at, at]).max(axis=1)
    return differences, sizes, at


def lowest_if_negative(K: np.ndarray, rows: np.ndarray, balanced: bool) -> float | None:
    """The smallest eigenvalue of a matrix that is not psd on some of its rows.

    For cpd it is that of the centered matrix. None of a matrix that is. An attempt of a Cholesky
    factor is all that most matrices need, and of a large one only a part is looked at, so that the
    test is cheap against any fit.
    """
    if len(rows) > _MOST_TESTED:
        rows = np.sort(np.random.default_rng(0).choice(rows, _MOST_TESTED, replace=False))
    eps = _EPS
    if K.dtype.kind == "f":
        eps = float(np.finfo(K.dtype).eps)
    if len(rows) < len(K):
        K = K[np.ix_(rows, rows)]
    whole = part = np.asarray(K, dtype=np.float64)
    sizes = None
    if balanced and len(whole) > 1:
        part, sizes, _ = _differences(whole)
        whole = whole - whole.mean(axis=0)
        whole = whole - whole.mean(axis=1)[:, None]
    if _has_factor(part, eps) or judge(part / 2 + part.T / 2, eps, sizes).psd:
        return None
    return float(np.linalg.eigvalsh(whole)[0])


def _has_factor(A: np.ndarray, eps: float) -> bool:
    """Whether the scaled matrix, with a rounding error on its diagonal, has a Cholesky factor."""
    diagonal = A.diagonal()
    if diagonal.min() <= 0:
        return False
    root = np.sqrt(diagonal)
    scaled = A / root[:, None] / root
    scaled.flat[:: len(A) + 1] += 10 * max(len(A), 10) * eps
    try:
        np.linalg.cholesky(scaled)
    except np.linalg.LinAlgError:
        return False
    return True
