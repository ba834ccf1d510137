"""Slow, obvious formulas of projections and clusterings to test fast ones against.

Every one is written straight from its definition, with dense matrices of the size the formula has
and no rearrangement that would
save time or memory.  Nothing is imported from the library under test; kernels come in as matrices.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import linalg

TINY = 1e-10  # share of the largest eigenvalue below which one is zero


def centering(n: int) -> np.ndarray:
    return np.eye(n) - np.ones((n, n)) / n


def centered(K: np.ndarray) -> np.ndarray:
    """⟨φ(x_i) − μ, φ(x_j) − μ⟩, μ the mean of the n samples."""
    H = centering(len(K))
    return H @ K @ H


def centered_new(K_new: np.ndarray, K: np.ndarray) -> np.ndarray:
    """⟨φ(x) − μ, φ(x_j) − μ⟩ from K_new = k(x, x_j), one row for each new x."""
    n = len(K)
    return (K_new - np.ones((len(K_new), n)) / n @ K) @ centering(n)


def centered_diagonal(diagonal: np.ndarray, K_new: np.ndarray, K: np.ndarray) -> np.ndarray:
    """‖φ(x) − μ‖² from diagonal = k(x, x)."""
    return diagonal - 2 * K_new.mean(axis=1) + K.mean()


def squared_distances(K: np.ndarray) -> np.ndarray:
    """‖φ(x_i) − φ(x_j)‖²."""
    return np.maximum(np.diag(K)[:, None] + np.diag(K)[None, :] - 2 * K, 0.0)


def upright(V: np.ndarray) -> np.ndarray:
    """The sign of every column such that its largest entry in absolute value is positive."""
    return V * np.array([1.0 if v[np.argmax(np.abs(v))] >= 0 else -1.0 for v in V.T])


# ---- Kernel principal components ----


class Components(NamedTuple):
    K: np.ndarray
    values: np.ndarray  # descending, positive ones only
    vectors: np.ndarray  # unit columns

    def scores(self, K_new: np.ndarray) -> np.ndarray:
        """⟨φ(x) − μ, v_j⟩, v_j = Σ_i a_ij (φ(x_i) − μ) of length 1."""
        return centered_new(K_new, self.K) @ self.vectors / np.sqrt(self.values)

    def error(self, diagonal: np.ndarray, K_new: np.ndarray) -> np.ndarray:
        """‖φ(x) − μ − Σ_j ⟨φ(x) − μ, v_j⟩ v_j‖²."""
        return centered_diagonal(diagonal, K_new, self.K) - (self.scores(K_new) ** 2).sum(axis=1)

    def weights(self, scores: np.ndarray) -> np.ndarray:
        """g with μ + Σ_j z_j v_j = Σ_i g_i φ(x_i), one row for each row z of scores."""
        a = scores / np.sqrt(self.values) @ self.vectors.T
        return a @ centering(len(self.K)) + 1 / len(self.K)


def kernel_pca(K: np.ndarray, n_components: int | None = None) -> Components:
    values, vectors = np.linalg.eigh(centered(K))
    values, vectors = values[::-1], vectors[:, ::-1]
    kept = np.flatnonzero(values > TINY * values[0])[:n_components]
    return Components(K, values[kept], upright(vectors[:, kept]))


# ---- Kernel k-means ----


class Clustering(NamedTuple):
    labels: np.ndarray
    inertia: float


def center_distances(
    diagonal: np.ndarray,
    K_new: np.ndarray,
    K: np.ndarray,
    members: list[np.ndarray],
    weight: np.ndarray,
) -> np.ndarray:
    """‖φ(x) − m_c‖², m_c the weighted mean of the samples members[c]."""
    found = np.zeros((len(K_new), len(members)))
    for c, rows in enumerate(members):
        share = weight[rows] / weight[rows].sum()
        found[:, c] = diagonal - 2 * K_new[:, rows] @ share + share @ K[np.ix_(rows, rows)] @ share
    return found


def fill_empty(labels: np.ndarray, distances: np.ndarray, weight: np.ndarray, k: int) -> np.ndarray:
    """Every cluster without weight takes the sample farthest from its own center."""
    labels = labels.copy()
    for c in range(k):
        if weight[labels == c].sum() > 0:
            continue
        own = np.array(
            [distances[i, labels[i]] if labels[i] >= 0 else np.inf for i in range(len(labels))]
        )
        alone = np.array(
            [weight[labels == label].sum() == weight[i] for i, label in enumerate(labels)]
        )
        own[alone | (weight == 0)] = -np.inf
        labels[np.argmax(own)] = c
    return labels


def kernel_kmeans(
    K: np.ndarray, k: int, start: np.ndarray, weight: np.ndarray | None = None, max_iter: int = 300
) -> Clustering:
    """Lloyd's iteration from k positions of samples, or from n labels, until no label changes."""
    n = len(K)
    weight = np.ones(n) if weight is None else np.asarray(weight, dtype=float)
    start = np.asarray(start)
    if len(start) == n:
        present = [c for c in range(k) if weight[start == c].sum() > 0]
        distances = np.full((n, k), np.inf)
        distances[:, present] = center_distances(
            np.diag(K), K, K, [np.flatnonzero(start == c) for c in present], weight
        )
        labels = fill_empty(start, distances, weight, k)
    else:
        distances = center_distances(np.diag(K), K, K, [np.array([i]) for i in start], np.ones(n))
        labels = fill_empty(distances.argmin(axis=1), distances, weight, k)
    for _ in range(max_iter):
        distances = center_distances(
            np.diag(K), K, K, [np.flatnonzero(labels == c) for c in range(k)], weight
        )
        new = fill_empty(distances.argmin(axis=1), distances, weight, k)
        if np.array_equal(new, labels):
            break
        labels = new
    return Clustering(labels, inertia(K, labels, weight))


def inertia(K: np.ndarray, labels: np.ndarray, weight: np.ndarray | None = None) -> float:
    """Σ_i w_i ‖φ(x_i) − m_{c(i)}‖² with m the means of these labels."""
    weight = np.ones(len(K)) if weight is None else np.asarray(weight, dtype=float)
    total = 0.0
    for c in np.unique(labels):
        rows = np.flatnonzero(labels == c)
        if weight[rows].sum() > 0:
            part = np.ix_(rows, rows)
            total += (
                weight[rows]
                @ center_distances(
                    np.diag(K)[rows], K[part], K[part], [np.arange(len(rows))], weight[rows]
                )[:, 0]
            )
    return float(total)


# ---- Spectral clustering ----


def local_scaling(D2: np.ndarray, m: int) -> np.ndarray:
    """exp(−d²_ij/(s_i s_j)), s_i the distance from sample i to the m-th nearest other one; D2 holds
    squared distances.
    """
    n = len(D2)
    s = np.array([np.sort(np.sqrt(np.delete(D2[i], i)))[m - 1] for i in range(n)])
    return np.exp(-D2 / np.outer(s, s))


def nearest_neighbors(D2: np.ndarray, k: int) -> np.ndarray:
    """½(A + Aᵀ), A_ij = 1 where j is one of the k samples nearest to i, i itself the
    first of them.
    """
    A = np.zeros_like(D2)
    for i, row in enumerate(D2):
        others = np.argsort(np.where(np.arange(len(row)) == i, -1.0, row), kind="stable")
        A[i, others[:k]] = 1.0
    return 0.5 * (A + A.T)


def laplacian(W: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """I − D^{−½} W D^{−½} with the diagonal of W left out, and the degrees; a sample without
    neighbors has a row of zeros.
    """
    W = W - np.diag(np.diag(W))
    d = W.sum(axis=1)
    alone = d == 0
    root = np.where(alone, 1.0, np.sqrt(d))
    return np.diag(np.where(alone, 0.0, 1.0)) - W / np.outer(root, root), np.where(alone, 1.0, d)


class Embedding(NamedTuple):
    values: np.ndarray  # of the Laplacian, ascending
    u: np.ndarray  # rows D^{−½} v

    def extended(self, W_new: np.ndarray) -> np.ndarray:
        """u(x) = Σ_i w(x, x_i) u_i/(d(x)(1 − λ)), d(x) = Σ_i w(x, x_i)."""
        return W_new @ self.u / W_new.sum(axis=1, keepdims=True) / (1 - self.values)


def spectral_embedding(W: np.ndarray, n_components: int) -> Embedding:
    L, d = laplacian(W)
    values, vectors = np.linalg.eigh(L)
    return Embedding(values[:n_components], vectors[:, :n_components] / np.sqrt(d)[:, None])


# ---- Regularized kernel canonical correlation ----


class Correlations(NamedTuple):
    grams: list[np.ndarray]
    values: np.ndarray  # descending
    weights: list[np.ndarray]  # one n × n_components array for each view

    def variates(self, view: int, K_new: np.ndarray | None = None) -> np.ndarray:
        """Coordinates with mean 0 and variance 1 on the training samples."""
        K, a = self.grams[view], self.weights[view]
        ours = centered(K) @ a
        new = ours if K_new is None else centered_new(K_new, K) @ a
        return new / np.sqrt((ours**2).mean(axis=0))


def kernel_cca(grams: list[np.ndarray], n_components: int, kappa: float) -> Correlations:
    """Largest λ of A a = λ B a; B has the blocks (K_i + nκ/2 I)², A the same and K_i K_j beside
    them. (λ − 1)/(m − 1) is returned.
    """
    n, m = len(grams[0]), len(grams)
    A, B = np.zeros((m * n, m * n)), np.zeros((m * n, m * n))
    views = [centered(K) for K in grams]
    for i in range(m):
        for j in range(m):
            block = np.ix_(range(i * n, (i + 1) * n), range(j * n, (j + 1) * n))
            if i == j:
                R = views[i] + n * kappa / 2 * np.eye(n)
                A[block] = B[block] = R @ R
            else:
                A[block] = views[i] @ views[j]
    values, vectors = linalg.eigh(A, B)
    values, vectors = values[::-1][:n_components], vectors[:, ::-1][:, :n_components]
    return Correlations(
        grams, (values - 1) / (m - 1), [vectors[i * n : (i + 1) * n] for i in range(m)]
    )


def canonical_correlations(X: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """Singular values of Q_Xᵀ Q_Y, by Björck and Golub."""
    Q = [np.linalg.qr(Z - Z.mean(axis=0))[0] for Z in (X, Y)]
    return np.linalg.svd(Q[0].T @ Q[1], compute_uv=False)


# ---- Multiple correspondence analysis ----


class Correspondences(NamedTuple):
    Z: np.ndarray  # indicator matrix, n × J
    n_columns: int  # Q, of the table
    eigenvalues: np.ndarray  # all above 0, descending
    rows: np.ndarray  # principal coordinates on all axes
    columns: np.ndarray
    masses: np.ndarray

    def corrected(self) -> np.ndarray:
        """Benzécri: (Q/(Q−1))² (λ − 1/Q)² where λ > 1/Q, else 0."""
        Q = self.n_columns
        return np.where(
            self.eigenvalues > 1 / Q, (Q / (Q - 1) * (self.eigenvalues - 1 / Q)) ** 2, 0.0
        )

    def ratio(self, correction: str | None) -> np.ndarray:
        """Shares of inertia; Greenacre's total is the mean off-diagonal inertia of the Burt matrix,
        Q/(Q−1) (Σ λ² − (J − Q)/Q²).
        """
        Q, J = self.n_columns, self.Z.shape[1]
        if correction is None:
            return self.eigenvalues / self.eigenvalues.sum()
        if correction == "benzecri":
            return self.corrected() / self.corrected().sum()
        return self.corrected() / (Q / (Q - 1) * ((self.eigenvalues**2).sum() - (J - Q) / Q**2))

    def contributions(self) -> np.ndarray:
        """c_j f_jk²/λ_k."""
        return self.masses[:, None] * self.columns**2 / self.eigenvalues

    def cos2(self) -> np.ndarray:
        """f_jk²/d_j², d_j² the squared χ² distance of column j from the mean."""
        return self.columns**2 / (self.columns**2).sum(axis=1, keepdims=True)


def indicator(table: list[list[Any]], categories: list[list[Any]]) -> np.ndarray:
    """One column of 0 and 1 for each category of each column; an entry outside the categories has
    none.
    """
    return np.array(
        [[float(row[q] == c) for q, names in enumerate(categories) for c in names] for row in table]
    )


def mca(Z: np.ndarray, n_columns: int) -> Correspondences:
    """Correspondence analysis of an indicator matrix, by the SVD of its standardized residuals."""
    P = Z / Z.sum()
    r, c = P.sum(axis=1), P.sum(axis=0)
    S = np.diag(r**-0.5) @ (P - np.outer(r, c)) @ np.diag(c**-0.5)
    U, s, Vt = np.linalg.svd(S, full_matrices=False)
    kept = s > TINY
    s = s[kept]
    return Correspondences(
        Z, n_columns, s**2, np.diag(r**-0.5) @ U[:, kept] * s, np.diag(c**-0.5) @ Vt[kept].T * s, c
    )
