"""Independent components by kernels."""

from __future__ import annotations

import time
import warnings
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from scipy import linalg
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.decomposition import FastICA
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted, validate_data

from mercer.aliases import ParameterRules, RandomState, RawSamples, Targets
from mercer.errors import ParameterError, explain, warn
from mercer.estimators.common.fitting import Observable, fits, iteration_callback
from mercer.estimators.common.report import FitReport
from mercer.estimators.common.signs import sign_flips
from mercer.execution.blas import serial_blas
from mercer.solvers.projection.independence import Contrast, descend, sweep

_MANY = 1000  # samples beyond which Bach and Jordan take a narrower kernel and less regularisation
_SWEEPS = 3


class KernelICA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Observable, BaseEstimator):
    """Sources that no functions of an RKHS can correlate: independent component analysis by the kernel generalised variance.

    The samples are whitened; then every pair of directions is rotated to its best angle among all, from FastICA's solution and from random
    ones, and conjugate gradients on the rotations finish. No shape of the sources is assumed: where FastICA's fixed nonlinearity is blind,
    this is not. Time is linear in the samples.

    Parameters
    ----------
    n_components : sources; as many as columns by default. Fewer are found among the leading principal components
    width : of the Gaussian kernel on sources of unit variance; by default 1, or ½ for more than 1,000 samples, as by Bach and Jordan
    kappa : κ of the regularisation nκ; by default 0.02, or 0.002 for more than 1,000 samples
    n_init : starts: FastICA's solution, then random rotations
    tol, max_iter : of the conjugate gradients
    max_rank : of the incomplete Cholesky factors
    random_state : of the starts

    Attributes
    ----------
    components_, mixing_, mean_, whitening_ : unmixing matrix (sources × columns), its pseudo-inverse, and what was done before
    contrast_ : the kernel generalised variance reached
    n_iter_ : steps of the conjugate gradients

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import KernelICA
    >>> sources = np.random.default_rng(0).uniform(size=(300, 2))
    >>> model = KernelICA(random_state=0).fit(sources @ np.array([[1.0, 0.5], [0.3, 1.0]]))
    >>> found = np.abs(model.components_ @ np.array([[1.0, 0.5], [0.3, 1.0]]).T)
    >>> bool((np.sort(found, axis=1)[:, 0] < 0.1 * np.sort(found, axis=1)[:, 1]).all())
    True
    """

    small_fits_use_blas: ClassVar[bool] = False  # all fits do, and say so themselves

    _parameter_constraints: ClassVar[ParameterRules] = {
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "width": [Interval(Real, 0, None, closed="neither"), None],
        "kappa": [Interval(Real, 0, None, closed="neither"), None],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "max_rank": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_components: int | None = None,
        *,
        width: float | None = None,
        kappa: float | None = None,
        n_init: int = 1,
        tol: float = 1e-6,
        max_iter: int = 200,
        max_rank: int = 60,
        random_state: RandomState = None,
    ) -> None:
        self.n_components = n_components
        self.width = width
        self.kappa = kappa
        self.n_init = n_init
        self.tol = tol
        self.max_iter = max_iter
        self.max_rank = max_rank
        self.random_state = random_state

    @fits
    def fit(self, X: RawSamples, y: Targets = None) -> Self:
        """Fit on samples ``X``, vectors; ``y`` is ignored."""
        start = time.perf_counter()
        X = validate_data(self, X, dtype=np.float64, order="C", ensure_min_samples=2)
        n = len(X)
        width = float(self.width) if self.width is not None else 0.5 if n > _MANY else 1.0
        kappa = float(self.kappa) if self.kappa is not None else 2e-3 if n > _MANY else 2e-2
        with serial_blas():  # the matrices are small
            Z = self._whiten(X)
            contrast = Contrast(width, kappa, int(self.max_rank))
            rng = check_random_state(self.random_state)
            best: Any = None
            for at in range(self.n_init):
                made = self._from(contrast, Z, self._start(Z, rng, at), at)
                if best is None or made[1] < best[1]:
                    best = made
        W, self.contrast_, self.n_iter_, converged = best
        if not converged:
            rule = f"no convergence after {self.n_iter_} steps; raise max_iter, or tol"
            warn(rule, ConvergenceWarning)
        self.components_ = W @ self.whitening_
        self.components_ *= sign_flips(self.components_.T)[:, None]
        self.mixing_ = linalg.pinv(self.components_, check_finite=False)
        self._n_features_out = len(W)
        told = f"pairwise rotations, then {self.n_iter_} steps of conjugate gradients, {contrast.evaluations} evaluations"
        kernel = f"RBF(length_scale={width:g}) of each source, kappa {kappa:g}"
        self.report_ = FitReport(
            kernel,
            "incomplete Cholesky factors, linear in the samples",
            told,
            n,
            time.perf_counter() - start,
            converged,
            {"contrast": self.contrast_, "sources": len(W)},
        )
        return self

    def _whiten(self, X: np.ndarray) -> np.ndarray:
        """Rows of unit variance, uncorrelated: the leading principal components."""
        most = min(X.shape)
        count = most if self.n_components is None else min(self.n_components, most)
        self.mean_ = X.mean(axis=0)
        centred = X - self.mean_
        centred -= centred.mean(axis=0)  # the mean itself is rounded, which shows in large columns
        _, s, Vt = linalg.svd(centred, full_matrices=False, check_finite=False)
        rounding = 8 * np.finfo(float).eps * float(np.abs(X).max(initial=0.0)) * np.sqrt(len(X))
        rank = int((s > max(1e-10 * float(s[0]), rounding)).sum())
        if rank == 0:
            raise ParameterError(
                "X",
                f"array of shape {X.shape}",
                "is constant: it has no sources",
                "give samples that vary",
            )
        asked = self.n_components if self.n_components is not None else X.shape[1]
        if min(count, rank) < asked:
            rule = f"is more than the rank of the samples: {min(count, rank)} sources are found"
            warn(explain("n_components", asked, rule), UserWarning)
        count = min(count, rank)
        self.whitening_ = (
            Vt[:count] * sign_flips(Vt[:count].T)[:, None] / s[:count, None] * np.sqrt(len(X))
        )
        return np.ascontiguousarray(self.whitening_ @ (X - self.mean_).T)

    def _start(self, Z: np.ndarray, rng: Any, at: int) -> np.ndarray:
        m = len(Z)
        if at == 0 and m > 1:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)  # it is a start only
                found = (
                    FastICA(whiten=False, fun="cube", max_iter=100, random_state=0)
                    .fit(Z.T)
                    .components_
                )
            if np.isfinite(found).all():
                left, _, right = linalg.svd(found)
                return left @ right
        return linalg.qr(rng.standard_normal((m, m)))[0]

    def _from(
        self, contrast: Contrast, Z: np.ndarray, W: np.ndarray, at: int
    ) -> tuple[np.ndarray, float, int, bool]:
        S = W @ Z
        if len(W) == 1:
            return W, 0.0, 1, True
        for _ in range(_SWEEPS if len(W) > 2 else 1):
            S, W, most = sweep(contrast, S, W, self.tol)
            if most < 0.02:
                break
        S, W, value, steps, converged = descend(
            contrast, S, W, float(self.tol), self.max_iter, iteration_callback(self)
        )
        return W, value, steps, converged

    def transform(self, X: RawSamples) -> np.ndarray:
        """The sources, of unit variance on the training samples."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64, order="C")
        return (X - self.mean_) @ self.components_.T

    def inverse_transform(self, X: RawSamples) -> np.ndarray:
        """Samples from sources."""
        check_is_fitted(self)
        S = np.asarray(X, dtype=np.float64)
        if S.ndim != 2 or S.shape[1] != self.mixing_.shape[1]:
            raise ParameterError(
                "X",
                f"array of shape {S.shape}",
                f"must have {self.mixing_.shape[1]} columns, one for each source",
            )
        return S @ self.mixing_.T + self.mean_
