"""Independent component analysis by the kernel generalized variance."""

from __future__ import annotations

import time
import warnings
from numbers import Integral, Real
from typing import ClassVar, Self

import numpy as np
from scipy import linalg
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.decomposition import FastICA
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from mercer.aliases import ParameterRules, RandomState, RawSamples, Weights
from mercer.errors import ParameterError, explain, warn
from mercer.estimators.common.fitting import Observable, fits, iteration_callback
from mercer.estimators.common.lazily import AnswersDask
from mercer.estimators.common.numbers import read_numbers
from mercer.estimators.common.report import FitReport
from mercer.estimators.common.validation import check_weights
from mercer.execution.blas import serial_blas
from mercer.gram.plan import FLOAT64, require_room
from mercer.linalg.signs import sign_flips
from mercer.params import OldNames
from mercer.solvers.projection.independence import (
    Contrast,
    Rotation,
    descend,
    sweep,
    weighted_fast_ica,
)
from mercer.state import State

_MANY = 1000  # samples beyond which Bach and Jordan take a narrower kernel and less regularization
_COPIES = 4  # of all factors: themselves, side by side, and what the gradient solves for
_REMEDY = "lower max_rank, raise kappa, or fit on fewer samples"
_SWEEPS = 3


class KernelICA(
    OldNames,
    AnswersDask,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    Observable,
    BaseEstimator,
):
    """Independent component analysis that minimizes the kernel generalized variance of the sources.

    This contrast, ½ (Σ log det(G_iᵀG_i + nκ) − log det(GᵀG + nκ)) for factors G_i of the sources'
    Gram matrices, measures how much functions of the sources from the space of a Gaussian kernel
    can correlate. No shape of the sources is assumed, so that sources are found to which the fixed
    nonlinearity of FastICA is blind. The samples are whitened; then every two directions are
    rotated to their best angle, beginning with FastICA's solution and with random ones, and
    conjugate gradients on the rotations finish. Time is linear in the number of samples.

    Parameters
    ----------
    n_components : int or None, default=None
        The number of sources; by default that of the columns. Fewer sources are looked for among
        the leading principal components.
    length_scale : float or None, default=None
        The length scale of the Gaussian kernel on sources of unit variance. By default 1, or ½ for
        more than 1,000 samples, as Bach and Jordan take it.
    kappa : float or None, default=None
        κ of the regularization nκ. By default 0.02, or 0.002 for more than 1,000 samples.
    n_init : int, default=1
        The number of starts: FastICA's solution, then random rotations.
    tol : float, default=1e-6
        The conjugate gradients end when the gradient is that small, or the contrast falls by less
        than ``tol`` times itself.
    max_iter : int, default=200
        The largest number of steps of the conjugate gradients.
    max_rank : int, default=60
        The largest rank of the incomplete Cholesky factors.
    random_state : int, RandomState or None, default=None
        Seed of the random starts.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The unmixing matrix.
    mixing_ : ndarray of shape (n_features, n_components)
        Its pseudo-inverse.
    mean_ : ndarray of shape (n_features,)
        The mean of the training samples.
    whitening_ : ndarray of shape (n_components, n_features)
        The matrix that whitens the centered samples.
    contrast_ : float
        The kernel generalized variance of the sources.
    n_iter_ : int
        The number of steps of the conjugate gradients.
    report_ : FitReport
        How the model was fitted.
    n_features_in_ : int
        The number of columns of ``X``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The names of the columns of ``X``, where it has such.

    References
    ----------
    .. [1] F. R. Bach, M. I. Jordan. Kernel independent component analysis. Journal of Machine
       Learning Research 3, 2002.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import KernelICA
    >>> sources = np.random.default_rng(0).uniform(size=(300, 2))
    >>> mixing = np.array([[1.0, 0.5], [0.3, 1.0]])
    >>> model = KernelICA(random_state=0).fit(sources @ mixing)
    >>> product = np.sort(np.abs(model.components_ @ mixing.T), axis=1)
    >>> bool((product[:, 0] < 0.1 * product[:, 1]).all())
    True
    """

    renamed: ClassVar[dict[str, str]] = {"width": "length_scale"}
    small_fits_use_blas: ClassVar[bool] = False  # every fit makes BLAS serial itself
    stored: ClassVar[State] = State(
        finite=("components_", "mixing_", "mean_", "whitening_", "contrast_"),
        plain=("n_iter_", "report_", "_n_features_out"),
    )

    _parameter_constraints: ClassVar[ParameterRules] = {
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "length_scale": [Interval(Real, 0, None, closed="neither"), None],
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
        length_scale: float | None = None,
        kappa: float | None = None,
        n_init: int = 1,
        tol: float = 1e-6,
        max_iter: int = 200,
        max_rank: int = 60,
        random_state: RandomState = None,
    ) -> None:
        self.n_components = n_components
        self.length_scale = length_scale
        self.kappa = kappa
        self.n_init = n_init
        self.tol = tol
        self.max_iter = max_iter
        self.max_rank = max_rank
        self.random_state = random_state

    @fits
    def fit(self, X: RawSamples, y: object = None, sample_weight: Weights = None) -> Self:
        """Find the sources.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            A weight counts a sample several times in all means and covariances.

        Returns
        -------
        KernelICA
            The fitted estimator.
        """
        start = time.perf_counter()
        X = read_numbers(self, X, dtype=np.float64, order="C", ensure_min_samples=2)
        weight = check_weights(sample_weight, len(X))
        X, weight = X[weight > 0], weight[weight > 0]
        contrast = self._contrast(weight)
        with serial_blas():  # the matrices are small
            Z = self._whiten(X, weight)
            columns = _COPIES * contrast.ranks(Z)
            require_room(len(X), columns, FLOAT64, "the factors of all sources", _REMEDY)
            best = self._best_of_starts(contrast, Z)
        self.contrast_, self.n_iter_ = best.value, best.iterations
        if not best.converged:
            rule = f"no convergence after {self.n_iter_} steps; raise max_iter, or tol"
            warn(rule, ConvergenceWarning)
        self.components_ = best.W @ self.whitening_
        self.components_ *= sign_flips(self.components_.T)[:, None]
        self.mixing_ = linalg.pinv(self.components_, check_finite=False)
        self._n_features_out = len(best.W)
        kernel = f"RBF(length_scale={contrast.width:g}) of each source, kappa {contrast.kappa:g}"
        plan = "incomplete Cholesky factors, linear in the samples"
        steps = f"pairwise rotations, then {self.n_iter_} steps of conjugate gradients"
        solver = f"{steps}, {contrast.evaluations} evaluations"
        facts = {"contrast": self.contrast_, "sources": len(best.W)}
        seconds, done = time.perf_counter() - start, best.converged
        self.report_ = FitReport(kernel, plan, solver, len(X), seconds, done, facts)
        return self

    def _contrast(self, weight: np.ndarray) -> Contrast:
        """The contrast, by default with the settings of Bach and Jordan."""
        width, kappa = 1.0, 2e-2
        if weight.sum() > _MANY:
            width, kappa = 0.5, 2e-3
        if self.length_scale is not None:
            width = float(self.length_scale)
        if self.kappa is not None:
            kappa = float(self.kappa)
        return Contrast(width, kappa, int(self.max_rank), weight)

    def _whiten(self, X: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """The leading principal components as rows, uncorrelated and of unit variance."""
        are_equal = bool((weight == 1).all())
        shares = None if are_equal else weight
        self.mean_ = np.average(X, axis=0, weights=shares)
        centered = X - self.mean_
        # the mean itself is rounded, which shows in large columns
        centered -= np.average(centered, axis=0, weights=shares)
        if not are_equal:
            centered *= np.sqrt(weight)[:, None]
        _, s, Vt = linalg.svd(centered, full_matrices=False, check_finite=False)
        rounding = 8 * np.finfo(float).eps * float(np.abs(X).max(initial=0.0))
        rounding *= np.sqrt(weight.sum())
        rank = int((s > max(1e-10 * float(s[0]), rounding)).sum())
        if rank == 0:
            shown = f"array of shape {X.shape}"
            rule = "is constant: it has no sources"
            raise ParameterError("X", shown, rule, "give samples that vary")
        asked = X.shape[1]
        if self.n_components is not None:
            asked = self.n_components
        count = min(asked, rank)
        if count < asked:
            rule = f"is more than the rank of the samples: {count} sources are found"
            warn(explain("n_components", asked, rule), UserWarning)
        directions = Vt[:count] * sign_flips(Vt[:count].T)[:, None]
        self.whitening_ = directions / s[:count, None] * np.sqrt(weight.sum())
        return np.ascontiguousarray(self.whitening_ @ (X - self.mean_).T)

    # -- rotations ---------------------------------------------------------------------------------

    def _best_of_starts(self, contrast: Contrast, Z: np.ndarray) -> Rotation:
        rng = check_random_state(self.random_state)
        results = []
        for number in range(self.n_init):
            start = self._start(Z, contrast.weight, rng, number)
            results.append(self._rotated(contrast, Z, start))
        return min(results, key=lambda result: result.value)

    def _start(
        self, Z: np.ndarray, weight: np.ndarray, rng: np.random.RandomState, number: int
    ) -> np.ndarray:
        """FastICA's solution for the first start, if it has one; else a random rotation."""
        m = len(Z)
        if number == 0 and m > 1:
            if not (weight == 1).all():
                return weighted_fast_ica(Z, weight)
            fast = FastICA(whiten=False, fun="cube", max_iter=100, random_state=0)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)  # it is a start only
                unmixing = fast.fit(Z.T).components_
            if np.isfinite(unmixing).all():
                left, _, right = linalg.svd(unmixing)
                return left @ right
        return linalg.qr(rng.standard_normal((m, m)))[0]

    def _rotated(self, contrast: Contrast, Z: np.ndarray, W: np.ndarray) -> Rotation:
        """The best rotation that a start leads to."""
        if len(W) == 1:
            return Rotation(W, 0.0, iterations=1)
        S = W @ Z
        for _ in range(_SWEEPS if len(W) > 2 else 1):
            largest_angle = sweep(contrast, S, W, self.tol)
            if largest_angle < 0.02:
                break
        callback = iteration_callback(self)
        return descend(contrast, S, W, float(self.tol), self.max_iter, callback)

    # -- the fitted model --------------------------------------------------------------------------

    def transform(self, X: RawSamples) -> np.ndarray:
        """The sources, which have unit variance on the training samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New samples.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            The sources.
        """
        check_is_fitted(self)
        X = read_numbers(self, X, reset=False, dtype=np.float64, order="C")
        return (X - self.mean_) @ self.components_.T

    def inverse_transform(self, X: RawSamples) -> np.ndarray:
        """Samples from sources.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)
            Sources.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            Samples with these sources.
        """
        check_is_fitted(self)
        S = np.asarray(X, dtype=np.float64)
        n_sources = self.mixing_.shape[1]
        if S.ndim != 2 or S.shape[1] != n_sources:
            rule = f"must have {n_sources} columns, one for each source"
            raise ParameterError("X", f"array of shape {S.shape}", rule)
        return S @ self.mixing_.T + self.mean_
