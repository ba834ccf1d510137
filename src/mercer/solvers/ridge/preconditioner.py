"""The preconditioner of a large ridge system: a Nyström approximation of its matrix.

With m samples drawn at random, K is near K_nm K_mm⁻¹ K_mn. Tiles of K_nm are computed again in
every step, which costs little beside a product with K: only matrices of size m × m are stored.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mercer.gram.plan import FLOAT32, FLOAT64, rows_at_a_time
from mercer.gram.streamed import SingleStreamed
from mercer.solvers.nystrom.preconditioner import SampleHessian, Whitening

_ROWS, _SHARE = 4096, 0.0625  # that are whitened at a time, and their share of the budget


class NystromInverse:
    """(D P K̂ Pᵀ D + λ′)⁻¹ with K̂ = K_nm K_mm⁻¹ K_mn, by the Woodbury identity.

    λ′ is the penalty and the mean of what K̂ leaves out of the diagonal.

    Parameters
    ----------
    matrix : SingleStreamed
        K.
    rank : int
        The number m of samples.
    penalty : float
        λ.
    weight : ndarray of shape (n,)
        The squares of D.
    centered : bool
        Whether P centers about the weighted mean; else it is the identity.
    """

    def __init__(
        self,
        matrix: SingleStreamed,
        rank: int,
        penalty: float,
        weight: np.ndarray,
        centered: bool = False,
    ) -> None:
        self.rank, self.weight, self.centered = rank, weight, centered
        self.root = np.sqrt(weight)[:, None]
        self.mean_weights = weight / weight.sum()
        places = np.random.default_rng(0).choice(len(matrix), rank, replace=False)
        self.columns = matrix.panel(places)
        inner = matrix.rows(places).columns(places).dense()
        # R and what is subtracted from it below nearly cancel under a small penalty: with a factor
        # in single precision the result would not be positive definite
        whitening = Whitening(inner, FLOAT64, tiles=FLOAT32)
        hessian = SampleHessian(whitening, self._whole(), intercept=False)
        missed = float(weight @ matrix.diagonal()) - float(np.trace(hessian.hessian))
        if centered:
            hessian.hessian -= np.outer(hessian.mixed, hessian.mixed / hessian.total)
        self.penalty = penalty + max(missed, 0.0) / len(matrix)
        self.inner = hessian.inverse(self.penalty)

    def _whole(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """K_nm, some rows at a time, with their weights."""
        n = len(self.weight)
        step = rows_at_a_time(self.rank, _SHARE, _ROWS)
        for start in range(0, n, step):
            places = np.arange(start, min(n, start + step))
            yield self.columns.values(places), self.weight[places]

    def __matmul__(self, R: np.ndarray) -> np.ndarray:
        weights = np.ascontiguousarray(self.root * R)
        if self.centered:
            weights = weights - self.mean_weights[:, None] * weights.sum(axis=0)
        coefficients = self.inner @ self.columns.sweep(weights=weights).T
        known = np.zeros_like(R)
        self.columns.sweep(known, np.ascontiguousarray(coefficients.T))
        if self.centered:
            known -= self.mean_weights @ known
        return (R - self.root * known) / self.penalty
