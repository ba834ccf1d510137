"""Functions of a symmetric matrix: by its eigenvectors where it is small, else by what they do to a few vectors.

The actions treat every column of a block alike and by itself, whatever stands beside it, so that an entry of
a Gram matrix has the same bits whichever rows were asked for with it.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy

from mercer.config import get_config
from mercer.domains.nodes import Graph
from mercer.errors import DomainError
from mercer.execution.cancel import check_stop

__all__: list[str] = []

SPECTRAL_LIMIT = 3000  # nodes: up to here one eigendecomposition is cheaper than actions
WIDTH = 16  # columns of a block of vectors
_DENSE = 0.05  # of all weights: a matrix so full gains nothing from being sparse
_STEPS = 40  # of Lanczos, for the ends of a spectrum
_FILL = 20  # times the stored weights: what a triangular factor may hold
Block = np.ndarray  # n x c, C order

MATRICES: dict[str, Callable[[Graph], scipy.sparse.csr_array]] = {
    "B": lambda graph: graph.matrix,
    "L": lambda graph: graph.laplacian,
    "Lsym": lambda graph: graph.normalized_laplacian,
}


# -- by eigenvectors ---------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Spectrum:
    """Eigenvalues and eigenvectors (columns), part by part of the graph; ``first`` marks the smallest value of each part."""

    values: np.ndarray
    vectors: np.ndarray
    first: np.ndarray


def is_small(graph: Graph) -> bool:
    """Whether an eigendecomposition is the better way, and there is room for it."""
    n = len(graph)
    return (
        n <= SPECTRAL_LIMIT or graph.matrix.nnz > _DENSE * n * n
    ) and 24 * n * n <= get_config().memory_budget


def spectrum(graph: Graph, which: str) -> Spectrum:
    """Of B, L or Lsym, made once for a graph.

    Every connected part has its own: values between two parts are then 0 and not nearly 0, and the one vector of each
    part that L maps to 0 is known.
    """

    def make() -> Spectrum:
        matrix = MATRICES[which](graph)
        n = len(graph)
        count, label = graph.components
        order = np.argsort(label, kind="stable")
        edges = np.concatenate([[0], np.cumsum(np.bincount(label, minlength=count))])
        values, vectors, first = np.empty(n), np.zeros((n, n)), np.zeros(n, dtype=bool)
        first[edges[:-1]] = True
        for a, b in itertools.pairwise(edges.tolist()):
            nodes = order[a:b]
            values[a:b], u = np.linalg.eigh(matrix[nodes][:, nodes].toarray())
            vectors[nodes, a:b] = u
        if (
            which != "B" and graph.negative_pair() is None
        ):  # as is known: not below 0, and 0 once for each part
            values = np.where(first, 0.0, np.maximum(values, 0.0))
        return Spectrum(values, vectors, first)

    return graph.kept.once(("spectrum", which), make)


# -- exponentials: a Chebyshev series ----------------------------------------------------------------------------------


def spectral_bounds(graph: Graph, which: str) -> tuple[float, float]:
    """An interval that holds the spectrum of B or L, tight where it matters: outside it the exponential would be lost in rounding."""

    def make() -> tuple[float, float]:
        matrix = MATRICES[which](graph)
        diagonal = matrix.diagonal()
        radius = np.asarray(abs(matrix).sum(axis=1), dtype=float).ravel() - np.abs(diagonal)
        low, high = float((diagonal - radius).min()), float((diagonal + radius).max())  # Gershgorin
        found = _lanczos(matrix)
        margin = 1e-3 * (found[1] - found[0])
        return max(low, found[0] - margin), min(high, found[1] + margin)

    return graph.kept.once(("bounds", which), make)


def _lanczos(matrix: scipy.sparse.csr_array) -> tuple[float, float]:
    """The ends of the spectrum as a Krylov space of a fixed random vector sees them, moved out by how far they may be wrong."""
    n = matrix.shape[0]
    steps = min(_STEPS, n)
    basis = np.zeros((steps + 1, n))
    v = np.random.default_rng(0).standard_normal(n)
    basis[0] = v / np.linalg.norm(v)
    a, b = np.zeros(steps), np.zeros(steps)
    scale = float(np.abs(matrix.data).max(initial=0.0))
    for k in range(steps):
        w = matrix @ basis[k]
        a[k] = basis[k] @ w
        w -= (basis[: k + 1] @ w) @ basis[: k + 1]
        b[k] = np.linalg.norm(w)
        if b[k] <= 1e-12 * scale:
            steps = k + 1
            break
        basis[k + 1] = w / b[k]
    inner = np.diag(a[:steps]) + np.diag(b[: steps - 1], 1) + np.diag(b[: steps - 1], -1)
    values, vectors = np.linalg.eigh(inner)
    wrong = b[steps - 1] * np.abs(vectors[-1])
    return float(values[0] - wrong[0]), float(values[-1] + wrong[-1])


def exponential(graph: Graph, which: str, t: float, V: Block) -> Block:
    """exp(tA) V for A = B or L: exp on an interval is a Chebyshev series whose coefficients are Bessel functions, all of one sign."""
    low, high = spectral_bounds(graph, which)
    middle, half = (high + low) / 2, (high - low) / 2
    z = t * half
    top = np.exp(t * middle + abs(z))
    coefficients = scipy.special.ive(
        np.arange(int(40 + 12 * np.sqrt(abs(z))) + 1), abs(z)
    )  # e^{−z} I_k(z): twice their sum is about 1
    last = int(np.max(np.flatnonzero(coefficients > 1e-18), initial=0))
    coefficients = coefficients[: last + 1] * np.where(
        np.arange(last + 1) % 2 == 1, np.sign(z), 1.0
    )
    total = coefficients[0] * V
    if last == 0:
        return top * total

    def make() -> scipy.sparse.csr_array:
        return scipy.sparse.csr_array(
            (MATRICES[which](graph) - middle * scipy.sparse.eye_array(len(graph))) * (2 / half)
        )

    twice = graph.kept.once(("twice", which), make)  # of the matrix moved into [−1, 1]
    before, now = V, (twice @ V) / 2
    total += (2 * coefficients[1]) * now
    for coefficient in coefficients[2:]:
        check_stop()
        after = twice @ now
        after -= before
        before, now = now, after
        total += (2 * coefficient) * now
    total *= top
    return total


# -- inverses: a triangular factor where it stays thin, else conjugate gradients ---------------------------------------


@dataclasses.dataclass(frozen=True)
class Factor:
    """A sparse triangular factor in an order that keeps it near the diagonal."""

    lu: Any
    order: np.ndarray

    def solve(self, V: Block) -> Block:
        out = np.empty_like(V)
        for c in range(V.shape[1]):  # one by one: a column must not depend on its neighbours
            out[self.order, c] = self.lu.solve(np.ascontiguousarray(V[self.order, c]))
        return out


def _thin_order(graph: Graph) -> np.ndarray | None:
    """An order of the nodes in which L has a narrow envelope, which bounds every triangular factor; None for most networks.

    Long and thin graphs (paths, rings, strips) are where conjugate gradients are slow.
    """

    def make() -> tuple[np.ndarray | None]:
        matrix = scipy.sparse.csr_matrix(graph.laplacian)
        order = scipy.sparse.csgraph.reverse_cuthill_mckee(matrix, symmetric_mode=True)
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        rows = np.repeat(np.arange(len(order)), np.diff(matrix.indptr))
        reach = np.zeros(len(order))
        np.maximum.at(reach, rows, place[rows] - place[matrix.indices])
        return (order if reach.sum() <= _FILL * max(matrix.nnz, 1) else None,)

    return graph.kept.once("thin order", make)[0]


def _factor(graph: Graph, key: Any, matrix: scipy.sparse.csr_array) -> Factor | None:
    order = _thin_order(graph)
    if order is None:
        return None

    def make() -> Factor:
        from scipy.sparse.linalg import splu

        options = {"SymmetricMode": True, "Equil": False}
        return Factor(
            splu(
                matrix[order][:, order].tocsc(),
                permc_spec="NATURAL",
                diag_pivot_thresh=0.0,
                options=options,
            ),
            order,
        )

    return graph.recent.once(("factor", key), make, keep=2)


def _column_sums(x: Block) -> np.ndarray:
    return np.add.reduce(x, axis=0)


def _conjugate_gradients(
    apply: Callable[[Block], Block], inverse_diagonal: np.ndarray, V: Block, limit: int
) -> Block:
    """X with apply(X) = V, to rounding: a column that is done waits for the others, and the rest is solved for again."""
    X = np.zeros_like(V)
    R = V.copy()
    scale = inverse_diagonal[:, None]
    whole = _column_sums(R * R * scale)
    floor = whole * (16 * np.finfo(float).eps) ** 2
    for _ in range(3):
        Z = scale * R
        P = Z.copy()
        size = _column_sums(R * Z)
        target = np.maximum(floor, 1e-20 * size)
        for _ in range(limit):
            active = size > target
            if not active.any():
                break
            check_stop()
            Q = apply(P)
            step = np.where(active, size / np.where(active, _column_sums(P * Q), 1.0), 0.0)
            X += step * P
            R -= step * Q
            np.multiply(scale, R, out=Z)
            new = _column_sums(R * Z)
            P *= np.where(active, new / np.where(active, size, 1.0), 0.0)
            P += Z
            size = np.where(active, new, size)
        else:
            rule = f"has not converged after {limit} steps of conjugate gradients"
            raise DomainError(
                "graph", f"{len(V)} nodes", rule, "take a smaller t, or LaplacianDiffusion"
            )
        R = V - apply(X)
    return X


def _limit(graph: Graph) -> int:
    return 1000 + 10 * len(graph)


def resolvent(graph: Graph, t: float, V: Block) -> Block:
    """(I + tL)⁻¹ V for weights >= 0."""
    matrix = graph.laplacian
    whole: Any = scipy.sparse.eye_array(len(graph), format="csr") + t * matrix
    factor = _factor(graph, t, scipy.sparse.csr_array(whole))
    if factor is not None:
        X = factor.solve(V)
        return X + factor.solve(V - whole @ X)
    return _conjugate_gradients(
        lambda x: x + t * (matrix @ x), 1.0 / (1.0 + t * matrix.diagonal()), V, _limit(graph)
    )


def _centred(graph: Graph, V: Block) -> Block:
    """Without the mean of each connected part: the projection on what L does not lose."""
    count, label = graph.components
    member = scipy.sparse.csr_array(
        (np.ones(len(label)), (label, np.arange(len(label)))), shape=(count, len(label))
    )
    return V - ((member @ V) / np.bincount(label, minlength=count)[:, None])[label]


def pseudo_inverse(graph: Graph, V: Block) -> Block:
    """L⁺ V for weights >= 0, part by part."""
    matrix = graph.laplacian
    right = _centred(graph, V)
    if _thin_order(graph) is not None:
        ground = np.zeros(len(graph))
        ground[np.unique(graph.components[1], return_index=True)[1]] = (
            1.0  # one node of each part is held at 0, the mean is taken off below
        )
        factor = _factor(
            graph, "ground", scipy.sparse.csr_array(matrix + scipy.sparse.diags_array(ground))
        )
        assert factor is not None
        X = _centred(graph, factor.solve(right))
        return _centred(graph, X + factor.solve(_centred(graph, right - matrix @ X)))
    diagonal = matrix.diagonal()
    X = _conjugate_gradients(
        lambda x: matrix @ x, 1.0 / np.where(diagonal > 0, diagonal, 1.0), right, _limit(graph)
    )
    return _centred(graph, X)
