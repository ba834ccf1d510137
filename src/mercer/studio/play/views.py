"""Views of the samples under a kernel: Gram matrix, spectrum, principal components, neighbors."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
from scipy.sparse.linalg import ArpackError, eigsh

from mercer.automatic.subsets import even_rows
from mercer.studio.play.problem import Problem

_MOST_SHOWN = 320  # rows of the Gram matrix
_MOST_EIGENVALUES = 600  # samples whose spectrum is computed
_NEAREST = 6
_FEW = 100  # samples whose components are not worth an iteration
_RESTARTS, _PRECISION = 5, 1e-6  # of the iteration, whose result is only looked at


def gram(problem: Problem, request: dict[str, Any]) -> dict[str, Any]:
    """The Gram matrix with rows in the order that is asked for, at most as many as are seen."""
    rows = _ordered(problem, str(request.get("order", "class")))
    rows = rows[even_rows(len(rows), _MOST_SHOWN)]
    return {"gram": problem.matrix[np.ix_(rows, rows)], "gram_rows": rows.astype(float)}


def _ordered(problem: Problem, order: str) -> np.ndarray:
    if order == "drawn":
        return np.arange(problem.count)
    if order == "component" and problem.count > 2:
        return np.argsort(_components(problem, 1)[0][:, 0], kind="stable")
    if problem.space == "curve":
        return np.argsort(problem.X[:, 0], kind="stable")
    return np.argsort(problem.y, kind="stable")


def spectrum(problem: Problem, request: dict[str, Any]) -> dict[str, Any]:
    """The eigenvalues of the Gram matrix, divided by the number of samples, in falling order."""
    rows = even_rows(problem.count, _MOST_EIGENVALUES)
    values = np.linalg.eigvalsh(problem.matrix[np.ix_(rows, rows)])[::-1] / max(1, len(rows))
    total = float(values.sum())
    largest = float(np.abs(values).max(initial=0.0))
    rounding = 50 * len(rows) * np.finfo(float).eps * largest
    facts = {"smallest": float(values[-1]), "negative": int(np.sum(values < -rounding))}
    if total > 0:
        facts["effective"] = float(total**2 / np.sum(values**2))  # the participation ratio
    return {"spectrum": values, "spectrum_facts": facts}


def components(problem: Problem, request: dict[str, Any]) -> dict[str, Any]:
    """The samples on the first two principal components in feature space."""
    if problem.count < 3:
        return {}
    points, shares = _components(problem, 2)
    return {"components": points, "shares": [round(float(each), 4) for each in shares]}


def _components(problem: Problem, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Principal components of the centered Gram matrix, and their shares of the variance."""
    K = problem.matrix
    means = K.mean(axis=0)
    centered = K - means - means[:, None] + means.mean()
    values, vectors = _largest(centered, min(count, len(K) - 1))
    values = np.maximum(values, 0.0)
    largest = np.argmax(np.abs(vectors), axis=0)
    signs = np.sign(vectors[largest, np.arange(vectors.shape[1])])
    total = max(float(np.trace(centered)), float(values.sum())) or 1.0  # of an indefinite one
    return vectors * signs * np.sqrt(values), values / total


def _largest(matrix: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """The largest eigenvalues with their eigenvectors, as precise as a picture needs them.

    A short iteration finds them where they are well apart, at a fifth of the cost. Others are left
    to the decomposition: eigenvectors of equal eigenvalues would change from call to call.
    """
    n = len(matrix)
    if n > _FEW:
        start = np.random.default_rng(0).standard_normal(n)
        with contextlib.suppress(ArpackError):
            values, vectors = eigsh(
                matrix, count, which="LA", v0=start, tol=_PRECISION, maxiter=_RESTARTS
            )
            if np.diff(values, prepend=0.0).min() > 100 * _PRECISION * values[-1]:
                return values[::-1], vectors[:, ::-1]
    values, vectors = np.linalg.eigh(matrix)  # a part alone may be empty if eigenvalues are equal
    return values[: -count - 1 : -1], vectors[:, : -count - 1 : -1]


def neighbors(problem: Problem, request: dict[str, Any]) -> dict[str, Any]:
    """The samples nearest to one of them in feature space, with their distances."""
    focus = request.get("focus")
    if focus is None or not 0 <= int(focus) < problem.count:
        return {}
    at = int(focus)
    K = problem.matrix
    squares = K[at, at] + np.diag(K) - 2.0 * K[at]
    order = [row for row in np.argsort(squares, kind="stable").tolist() if row != at][:_NEAREST]
    near = [
        {"row": row, "distance": float(np.sqrt(max(0.0, squares[row]))), "value": float(K[at, row])}
        for row in order
    ]
    return {"focus": at, "neighbors": near}
