"""The additive terms of a kernel, and the posterior of each in a Gaussian process."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from mercer.aliases import RawSamples
from mercer.estimators.common.prepared import prepare_both
from mercer.estimators.gp.regressor import GaussianProcessRegressor
from mercer.gram.fill import dense
from mercer.gram.plan import FLOAT64
from mercer.kernels.base import Kernel
from mercer.kernels.combine.sums import Scaled, Sum


def additive_terms(kernel: Kernel) -> list[Kernel]:
    """The terms of a sum, of sums inside it too; a kernel that is no sum is its only term."""
    if isinstance(kernel, Sum):
        return [term for child in kernel.terms for term in additive_terms(child)]
    if isinstance(kernel, Scaled) and isinstance(kernel.kernel, Sum):
        inner = additive_terms(kernel.kernel)
        return [Scaled(kernel.factor, term) for term in inner]
    return [kernel]


def term_posteriors(
    process: GaussianProcessRegressor, X: RawSamples, centered: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """Means and standard deviations of all terms at X, a column for each, in the units of y.

    Each may be centered on the training samples: the data determine the level of the sum of all
    terms, and hardly that of one.
    """
    terms = additive_terms(process.kernel_)
    samples, dual = process.X_train_, process.alpha_
    means, deviations = [], []
    for term in terms:
        K = dense(term, *prepare_both(term, X, samples), FLOAT64)
        variance = np.array(term.diag(X), dtype=float)
        if centered:
            row = np.asarray(term(samples), dtype=float).mean(axis=0)
            variance += row.mean() - 2.0 * K.mean(axis=1)
            K = K - row
        V = linalg.solve_triangular(process.L_, K.T, lower=True, check_finite=False)
        variance -= np.einsum("ij,ij->j", V, V)
        means.append(K @ dual)
        deviations.append(np.sqrt(np.maximum(variance, 0.0)))
    scale = process._units.scale
    return scale * np.column_stack(means), scale * np.column_stack(deviations)
