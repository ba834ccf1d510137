"""Exact predictions of a Gaussian process without the dense matrix: conjugate gradients."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from mercer.aliases import RawSamples
from mercer.domains.base import Batch
from mercer.errors import warn
from mercer.estimators.gp.sparse import SparsePosterior
from mercer.gram.matrix import Matrix, Shifted, Weighted
from mercer.gram.plan import FLOAT64, Plan, rows_at_a_time
from mercer.gram.streamed import Streamed
from mercer.linalg.cg import LowRankInverse, Ridge, conjugate_gradients
from mercer.linalg.products import product
from mercer.state import State, storable

_RANK = 300  # of the preconditioner


@storable
class IterativePosterior(SparsePosterior):
    """Hyperparameters by the bound, predictions by the exact posterior.

    (K + noise)⁻¹ is applied by preconditioned conjugate gradients.
    """

    stored: ClassVar[State] = State(
        finite=("white", "root", "preconditioner"),
        rebuilt=("prepared",),
        per_sample=("white", "root", "preconditioner"),
    )
    method: ClassVar[str] = "iterative"

    def condition(self) -> None:
        super().condition()
        inputs = self._inputs(np.arange(1))
        self.prepared, self.white = inputs.x, inputs.white_noise()
        self.root = 1.0 / np.sqrt(self.noise + self.white)
        _, factor = self._pivots(inputs, min(_RANK, len(self.Y)))
        self.preconditioner = factor * self.root[:, None]
        self.dual = self._solve(self.Y)

    def _rebuild(self) -> None:
        self.prepared = self.kernel.prepare(Batch(self.X))

    def _matrix(self) -> Matrix:
        """The covariance of the function, scaled so that every sample has noise 1."""
        size = FLOAT64.itemsize * len(self.Y) ** 2
        plan = Plan("streamed", FLOAT64, size, "is not stored")
        streamed = Streamed(self.kernel, self.prepared, self.prepared, plan)
        return Weighted(Shifted(streamed, -self.white), self.root)

    def _solve(self, V: np.ndarray) -> np.ndarray:
        """(K + noise)⁻¹V."""
        root = self.root[:, None]
        inverse = LowRankInverse(self.preconditioner, 1.0)
        solution = conjugate_gradients(Ridge(self._matrix(), 1.0), root * V, inverse, tol=1e-9)
        if not solution.converged:
            reached = f"conjugate gradients stopped at a residual of {solution.residual:.1e}"
            warn(f"{reached}; raise alpha, or say method='sparse'", ConvergenceWarning)
        return root * solution.x

    @property
    def plan(self) -> str:
        way = "exact mean and variance by preconditioned conjugate gradients, tiles computed anew"
        learned = f"parameters by the bound of {len(self.inducing)} inducing points"
        return f"iterative: {learned}, {way}: {self.reason}"

    def expansion_samples(self) -> RawSamples:
        return self.X

    def _block_size(self) -> int:
        return rows_at_a_time(len(self.Y), 0.125, most=256)

    def _explained(self, K: np.ndarray) -> np.ndarray:
        return np.einsum("ij,ji->i", K, self._solve(np.ascontiguousarray(K.T)))

    def covariance(self, X: RawSamples) -> np.ndarray:
        K = self.parameters.cross(self.X, X)
        return self.parameters.gram(X) - product(K.T, self._solve(K))
