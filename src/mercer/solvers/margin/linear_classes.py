"""All classes of a linear classifier at once, after Crammer and Singer:
½ Σ ‖w_m‖² + Σ c max(0, 1 + max over other classes m of ⟨w_m − w_y, x⟩)."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from mercer import _compiled
from mercer.aliases import Features
from mercer.solvers.margin.dual import Callback
from mercer.solvers.margin.linear import LinearSolution, generator_state, in_batches, squares


def solve_classes(
    X: Features,
    label: np.ndarray,
    penalty: np.ndarray,
    tol: float,
    max_iter: int,
    seed: int,
    callback: Callback | None = None,
) -> LinearSolution:
    """Coordinate descent on the dual, a row of weights for each class 0, 1, ..."""
    used = penalty > 0.0
    rows, label, penalty = sparse.csr_array(X[used]), label[used], penalty[used]
    alpha = np.zeros((rows.shape[0], label.max() + 1))
    w = np.zeros((rows.shape[1], alpha.shape[1]))
    fixed = rows.data, rows.indices, rows.indptr, squares(rows), label, penalty

    def descend(most: int, done: int) -> tuple[int, bool]:
        generator = generator_state(seed, done)
        return _compiled.linear_classes.descend_classes(*fixed, tol, most, generator, alpha, w)

    def value() -> float:
        return float(0.5 * np.sum(w * w) + penalty @ _losses(rows @ w, label))

    entries = rows.nnz * alpha.shape[1]
    rounds = in_batches(descend, value, entries, max_iter, callback)
    return LinearSolution(w.T.copy(), value(), **rounds)


def _losses(values: np.ndarray, label: np.ndarray) -> np.ndarray:
    """max(0, 1 + f_m − f_y) of the best other class m."""
    own = np.arange(len(label)), label
    beaten = 1.0 + values - values[own][:, None]
    beaten[own] = 0.0
    return beaten.max(axis=1)
