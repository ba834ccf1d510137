"""Features of one view that another view does not explain: residuals of Gaussian processes.

The residuals of the columns of A are RA with R = ε(K̃ + εI)⁻¹, where K̃ is the centered Gram matrix
of the view that is given. Its kernel and ε, the share of noise, are those that maximize the
evidence of the leading principal components of A on some of the rows.
"""

from __future__ import annotations

import dataclasses
import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from mercer.aliases import RawSamples
from mercer.domains.base import pick_rows
from mercer.errors import NotDifferentiableError
from mercer.kernels.base import Kernel
from mercer.kernels.precomputed import Precomputed
from mercer.kernels.vectors.dot import White

_MOST_ROWS = 200  # from which hyperparameters are learned
_MOST_TARGETS = 10  # principal components that are regressed on
_LEAST_SHARE = 0.01  # of the variance that a component has to have
_LEAST_NOISE = 1e-3  # share of the signal: an interpolation has no residuals to be tested
_BOUNDS = (1e-4, 1e4)


@dataclasses.dataclass(frozen=True)
class Regression:
    """A kernel of the view that is given, and the noise in units of its signal.

    Attributes
    ----------
    kernel : Kernel
        The kernel, with hyperparameters learned where it has any.
    noise : float
        ε, the variance of the noise divided by that of the signal.
    """

    kernel: Kernel
    noise: float


def learn_regression(kernel: Kernel, Z: RawSamples, A: np.ndarray) -> Regression:
    """The kernel and the noise that explain the columns of A by Z best, by their evidence.

    Parameters
    ----------
    kernel : Kernel
        The kernel on Z, fitted, from whose hyperparameters learning starts.
    Z : collection of n samples
        What is given.
    A : ndarray of shape (n, n_features)
        Features of another view, centered.
    """
    rows = _some(len(A))
    targets = _components(A)[rows]
    scale = float(np.mean(targets**2)) or 1.0
    targets = targets / np.sqrt(scale)
    some = pick_rows(Z, rows)
    if hasattr(some, "toarray"):
        some = some.toarray()  # a Gaussian process reads dense rows
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        try:
            regression = _maximum(kernel, some, targets)
        except NotDifferentiableError:
            at_rows = Precomputed(matrix=np.asarray(kernel(some), dtype=float))
            regression = _maximum(at_rows, np.arange(len(rows)), targets)
            regression = dataclasses.replace(regression, kernel=kernel)
    return regression


def residuals(A: np.ndarray, C: np.ndarray, noise: float) -> np.ndarray:
    """ε(CCᵀ + εI)⁻¹A = A − C(CᵀC + εI)⁻¹CᵀA."""
    from scipy.linalg import cho_factor, cho_solve

    if not C.shape[1]:
        return A
    inner = C.T @ C
    inner.flat[:: len(inner) + 1] += noise
    out: np.ndarray = A - C @ cho_solve(cho_factor(inner), C.T @ A)
    return out


def _maximum(kernel: Kernel, Z: RawSamples, targets: np.ndarray) -> Regression:
    """The hyperparameters of largest evidence."""
    # scikit-learn's estimators take long to import
    from mercer.estimators.gp.regressor import GaussianProcessRegressor

    signal = 0.5 * kernel
    process = GaussianProcessRegressor(signal + 0.5 * White(), bounds=_BOUNDS, method="exact")
    learned = process.fit(Z, targets).kernel_
    scaled, white = learned.terms
    noise = float(white.factor) / float(scaled.factor)
    return Regression(scaled.kernel, max(noise, _LEAST_NOISE))


def _some(n: int) -> np.ndarray:
    """The rows from which hyperparameters are learned: all, or a fixed choice at random."""
    if n <= _MOST_ROWS:
        return np.arange(n)
    return np.sort(np.random.default_rng(n).choice(n, _MOST_ROWS, replace=False))


def _components(A: np.ndarray) -> np.ndarray:
    """The leading principal components of the columns of A, with their lengths."""
    values, vectors = np.linalg.eigh(A.T @ A)
    keep = np.flatnonzero(values >= _LEAST_SHARE * max(float(values.sum()), 1e-300))
    keep = keep[-_MOST_TARGETS:]
    if not len(keep):
        return np.zeros((len(A), 1))
    return A @ vectors[:, keep]
