"""Kernel principal components on centers: directions in their span, variances of all rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from mercer.errors import ParameterError, warn
from mercer.estimators.centers.data import RowData
from mercer.estimators.centers.unlabeled import Basis
from mercer.estimators.common.fitting import iteration_callback
from mercer.estimators.common.kernel_choice import gamma_value
from mercer.linalg.lanczos import Leading
from mercer.linalg.signs import sign_flips
from mercer.solvers.nystrom.components import Scatter, leading_on_centers, row_sums, sample_start

if TYPE_CHECKING:
    from mercer.estimators.projection.pca import KernelPCA

_PASSES = 200


def fit_components(estimator: KernelPCA, data: RowData, start: float) -> None:
    """Set the components, their variances, and the report."""
    wanted = estimator._wanted()
    if wanted is None:
        rule = "must be an integer for a fit on centers"
        raise ParameterError("n_components", estimator.n_components, rule)
    basis = Basis(estimator, data)
    sums, total = row_sums(basis.matrix)
    scatter = Scatter(basis.matrix, basis.whitening, sums, total)
    top = _solve(estimator, basis, scatter, min(wanted, len(basis.matrix)))
    mean = basis.whitening.forward(sums[:, None] / total)  # in whitened coordinates
    trace = basis.total_square() - total * float(np.sum(mean**2))
    _keep(estimator, basis, top, wanted, trace)
    estimator._center = (sums / total) @ estimator._dual
    estimator._share = basis.whitening.unwhiten(mean)[:, 0]
    estimator._weight = np.ones(len(basis.matrix))
    estimator._total_mean = float(np.sum(mean**2))
    facts = {
        "components": int((estimator.eigenvalues_ > 0).sum()),
        "explained": float(estimator.explained_variance_ratio_.sum()),
        "residual": top.residual,
    }
    solver = f"block Lanczos on the scatter of all rows, {top.iterations} passes"
    estimator.report_ = basis.report(solver, start, top.converged, facts)


def _solve(estimator: KernelPCA, basis: Basis, scatter: Scatter, count: int) -> Leading:
    passes = int(estimator.max_iter or _PASSES)
    rng = check_random_state(estimator.random_state or 0)
    callback = iteration_callback(estimator)
    start = sample_start(scatter, basis.whole_sample(), count, rng)
    top = leading_on_centers(scatter, count, start, float(estimator.tol), passes, callback)
    if not top.converged:
        reached = f"relative residual {top.residual:.2g} after {top.iterations} passes"
        warn(f"no convergence: {reached}; raise max_iter, or tol", ConvergenceWarning)
    return top


def _keep(estimator: KernelPCA, basis: Basis, top: Leading, wanted: int, trace: float) -> None:
    """Set what describes the components, in terms of the centers."""
    data = basis.data
    values, vectors = np.zeros(wanted), np.zeros((len(basis.matrix), wanted))
    positive = top.values > 1e-12 * float(top.values.max(initial=0.0))
    n_positive = int(positive.sum())
    values[:n_positive] = top.values[positive]
    dual = basis.whitening.unwhiten(top.vectors[:, positive])
    vectors[:, :n_positive] = dual * sign_flips(dual)
    size = n_positive if estimator.remove_zero_eig else wanted
    estimator.eigenvalues_, estimator._dual = values[:size], vectors[:, :size]
    estimator.eigenvectors_ = estimator._dual * np.sqrt(estimator.eigenvalues_)
    estimator.explained_variance_ = estimator.eigenvalues_ / max(data.total_weight - 1, 1)
    estimator.explained_variance_ratio_ = estimator.eigenvalues_ / (trace if trace > 0 else np.inf)
    estimator.kernel_, estimator.X_fit_ = data.kernel, basis.samples
    estimator._rows, estimator._n_training = basis.positions, basis.n_training
    estimator._diagonal = np.asarray(basis.matrix.inner.diagonal(), dtype=np.float64)
    estimator._n_features_out = size
    estimator.gamma_ = estimator.gamma
    X = basis.sample().X
    if estimator._takes_vectors() and not estimator._takes_as_given(X):
        estimator.gamma_ = gamma_value(estimator.gamma, X, None)
