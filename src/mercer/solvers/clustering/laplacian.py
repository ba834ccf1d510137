"""The smoothest functions on a graph: the last eigenvectors of its normalised Laplacian."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import linalg, sparse
from scipy.sparse import csgraph
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh, splu

from mercer.linalg.lanczos import block_size, leading

_SMALL = 300  # vertices below which all eigenvalues are had at once
_WIDE = 30_000  # vertices beyond which a factorisation may fill up, unless links are very few
_SHIFT = 1e-5  # past the largest eigenvalue, 1


@dataclasses.dataclass(frozen=True)
class Smooth:
    """Eigenvalues of I − D^{-1/2} W D^{-1/2}, the smallest first, with unit eigenvectors."""

    values: np.ndarray
    vectors: np.ndarray
    solver: str
    residual: float
    parts: int  # connected components, or eigenvalues that are 0 up to rounding


def smoothest(
    product: Callable[[np.ndarray], np.ndarray],
    degree: np.ndarray,
    count: int,
    start: np.ndarray,
    tol: float,
) -> Smooth:
    """By block Lanczos on products with W."""
    root, alone = _roots(degree)

    def normalised(V: np.ndarray) -> np.ndarray:
        image = root[:, None] * product(root[:, None] * V)
        image[alone] += V[alone]  # a vertex without links is a component of its own
        return image

    found = leading(normalised, start, count, tol=tol, passes=400)
    values = np.maximum(1.0 - found.values, 0.0)
    zero = int((values < 1e-10).sum())
    return Smooth(
        values, found.vectors, f"block Lanczos, {found.passes} passes", found.residual, max(zero, 1)
    )


def smoothest_sparse(
    W: Any, degree: np.ndarray, count: int, rng: np.random.RandomState, tol: float
) -> Smooth:
    """Component by component, each by a factorisation next to its eigenvalue 0."""
    root, alone = _roots(degree)
    W = sparse.csr_array(W, copy=True)
    W.eliminate_zeros()  # a stored zero is no link
    parts, member = csgraph.connected_components(W, directed=False)
    N = sparse.diags_array(root) @ W @ sparse.diags_array(root) + sparse.diags_array(
        alone.astype(float)
    )
    N = sparse.csr_array(N)
    n = len(degree)
    values, columns, residual = [], [], 0.0
    order = np.argsort(member, kind="stable")
    for rows in np.split(order, np.cumsum(np.bincount(member))[:-1]):
        block = N[rows][:, rows] if parts > 1 else N
        found, vectors, left = _component(block, min(count, len(rows)), rng, tol)
        residual = max(residual, left)
        values.append(found)
        for v in vectors.T:
            columns.append((rows, v))
    every = np.concatenate(values)
    best = np.argsort(every, kind="stable")[:count]
    V = np.zeros((n, len(best)))
    for at, i in enumerate(best):
        rows, v = columns[i]
        V[rows, at] = v
    how = (
        "dense eigenvalues"
        if n <= _SMALL
        else "Lanczos beside a sparse factorisation"
        if n <= _WIDE
        else "block Lanczos"
    )
    return Smooth(every[best], V, how, residual, parts)


def _roots(degree: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    alone = degree <= 0
    return np.where(alone, 0.0, 1.0 / np.sqrt(np.where(alone, 1.0, degree))), alone


def _component(
    N: Any, count: int, rng: np.random.RandomState, tol: float
) -> tuple[np.ndarray, np.ndarray, float]:
    """The smallest eigenvalues of I − N for a connected graph."""
    n = N.shape[0]
    if n <= _SMALL or count >= n - 1:
        values, V = linalg.eigh(np.eye(n) - N.toarray(), subset_by_index=[0, count - 1])
        return np.maximum(values, 0.0), V, 0.0
    if n <= _WIDE or N.nnz <= 5 * n:
        # (1 + shift) − N is positive definite: its inverse has the wanted eigenvalues far apart
        factor = splu(
            sparse.csc_array((1.0 + _SHIFT) * sparse.eye_array(n) - N),
            permc_spec="MMD_AT_PLUS_A",
            options={"SymmetricMode": True},
        )
        inverse = LinearOperator((n, n), matvec=factor.solve, dtype=float)
        try:
            inverses, V = eigsh(inverse, count, which="LA", v0=rng.standard_normal(n))
            order = np.argsort(-inverses)
            return np.maximum(1.0 / inverses[order] - _SHIFT, 0.0), V[:, order], 0.0
        except ArpackNoConvergence:  # pragma: no cover - the block method below has no such end
            pass
    found = leading(
        lambda V: N @ V, rng.standard_normal((n, block_size(count))), count, tol=tol, passes=2000
    )
    return np.maximum(1.0 - found.values, 0.0), found.vectors, found.residual
