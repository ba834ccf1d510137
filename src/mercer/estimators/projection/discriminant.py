"""Fisher's discriminant in feature space (KFDA): directions that part the class means, measured by the spread within."""

from __future__ import annotations

import time
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from scipy import linalg
from scipy.special import log_softmax
from sklearn.base import ClassifierMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from mercer.aliases import Gamma, KernelLike, ParameterRules, RawSamples, Targets, Weights
from mercer.errors import ParameterError
from mercer.estimators.common.base import KERNEL_RULES, KernelEstimator
from mercer.estimators.common.expansion import Expansion
from mercer.estimators.common.fitting import fits
from mercer.estimators.common.report import FitReport
from mercer.estimators.common.signs import sign_flips
from mercer.estimators.common.training import Training, begin_classes
from mercer.gram.matrix import Centered
from mercer.gram.plan import FACTOR
from mercer.solvers.ridge.system import RidgeSystem


class KernelDiscriminant(
    ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClassifierMixin, KernelEstimator
):
    """Linear discriminant analysis of φ(x) with within-class scatter S_W + λI, as classifier and as projection.

    With the linear kernel and λ near 0 it is scikit-learn's ``LinearDiscriminantAnalysis``; with
    two classes the direction is that of `KernelRidgeClassifier` with the same λ. One linear system
    with a column per class, then a small eigenproblem.

    Parameters
    ----------
    alpha : λ, positive; larger is smoother
    n_components : directions to keep in `transform`, at most one fewer than classes
    kernel, gamma, degree, coef0 : as in `SVC`
    priors : probabilities of the classes; by default their shares

    Attributes
    ----------
    explained_variance_ratio_ : the share of each direction in the separation of the class means
    means_ : where the class means project to

    Examples
    --------
    >>> from mercer import RBF, KernelDiscriminant
    >>> model = KernelDiscriminant(alpha=0.1, kernel=RBF()).fit([[0.0], [1.0], [4.0], [5.0]], ["low", "low", "high", "high"])
    >>> model.predict([[0.5], [4.5]]).tolist(), model.transform([[0.5]]).shape
    (['low', 'high'], (1, 1))
    """

    needs: ClassVar[str] = "cpd"

    _parameter_constraints: ClassVar[ParameterRules] = {
        "alpha": [Interval(Real, 0, None, closed="neither")],
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        **KERNEL_RULES,
        "priors": ["array-like", None],
    }

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        n_components: int | None = None,
        kernel: KernelLike = "rbf",
        gamma: Gamma = "scale",
        degree: float = 3,
        coef0: float = 0.0,
        priors: Any = None,
    ) -> None:
        self.alpha = alpha
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.priors = priors

    @fits
    def fit(self, X: RawSamples, y: Targets, sample_weight: Weights = None) -> Self:
        """Fit on samples ``X`` with labels ``y``; a weight counts a sample several times."""
        start = time.perf_counter()
        data = begin_classes(self, X, y, sample_weight)
        n_classes = len(self.classes_)
        counts = np.bincount(data.y, data.weight, minlength=n_classes)
        self.priors_ = self._priors(counts / data.weight.sum())
        n_components = self._checked_components(n_classes)
        system = RidgeSystem(data.matrix(FACTOR), float(self.alpha), data.weight, centered=True)
        dual, separation = self._directions(data, system, counts)
        self.explained_variance_ratio_ = (separation / (separation.sum() or 1.0))[:n_components]
        self.kernel_, self.support_, self.X_fit_ = data.kernel, data.rows, data.samples()
        self._n_training = data.n_given
        self.dual_coef_ = dual
        F = data.products() @ dual
        self._center = data.weight @ F / float(data.weight.sum())
        self._n_features_out = n_components
        members = (data.y[:, None] == np.arange(n_classes)) * data.weight[:, None] / counts
        self.means_ = members.T @ F - self._center
        self.report_ = FitReport(
            data.kernel,
            str(system.plan),
            f"{system.solver}, centred matrix",
            data.count,
            time.perf_counter() - start,
        )
        return self

    def _checked_components(self, n_classes: int) -> int:
        if self.n_components is None:
            return n_classes - 1
        if self.n_components > n_classes - 1:
            rule = f"cannot be larger than the number of classes - 1, which is {n_classes - 1}"
            raise ParameterError("n_components", self.n_components, rule)
        return self.n_components

    def _directions(
        self, data: Training, system: RidgeSystem, counts: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Coefficients of the discriminant directions, and how well each separates the means.

        S_T = Φ̃ᵀWΦ̃ and S_B = Φ̃ᵀWE (WE)ᵀΦ̃ with E orthonormal in W; directions are Φ̃ᵀA v with
        A = (K̃ + λ/w)⁻¹E.
        """
        E = (data.y[:, None] == np.arange(len(counts))) / np.sqrt(counts)
        A = system.solve(E)
        between = (data.weight[:, None] * E).T @ self._image(data, system, E, A)
        shares, V = linalg.eigh((between + between.T) / 2)
        order = np.argsort(shares)[::-1][: len(counts) - 1]
        shares, V = np.clip(shares[order], 0.0, 1.0 - 1e-15), V[:, order]
        useful = shares > 1e-12 * shares[0]
        # vᵀ(S_T + λ)v = share, of which share² lies between the means: the rest, over n, becomes 1
        within = np.where(useful, shares * (1 - shares), 1.0)
        V = V * np.where(useful, np.sqrt(float(data.weight.sum()) / within), 0.0)
        dual = A @ (V * sign_flips(V))
        dual -= system.mean_weights[:, None] * dual.sum(axis=0)
        return dual, shares / (1 - shares)

    def _image(
        self, data: Training, system: RidgeSystem, E: np.ndarray, A: np.ndarray
    ) -> np.ndarray:
        """K̃A: from the solved system, unless that difference cancels under a strong penalty."""
        within = self.alpha * A / data.weight[:, None]
        mild = float(np.abs(within).max()) < 0.99 * float(np.abs(E).max())
        if system.stored and mild:
            return E - within
        return Centered(data.products(), system.mean_weights) @ A

    def _priors(self, shares: np.ndarray) -> np.ndarray:
        if self.priors is None:
            return shares
        priors = np.asarray(self.priors, dtype=float)
        if (
            priors.shape != shares.shape
            or not np.isfinite(priors).all()
            or (priors < 0).any()
            or priors.sum() <= 0
        ):
            raise ParameterError(
                "priors", self.priors, f"must be {len(shares)} numbers >= 0, one per class"
            )
        return priors / priors.sum()

    def _projected(self, X: RawSamples) -> np.ndarray:
        check_is_fitted(self)
        X = self._check_X(X, reset=False)
        expansion = Expansion(self.kernel_, self.X_fit_, self.support_, self._n_training)
        return expansion.apply(X, np.ascontiguousarray(self.dual_coef_)) - self._center

    def transform(self, X: RawSamples) -> np.ndarray:
        """Coordinates in which the regularised within-class covariance is 1, the most discriminating first."""
        return self._projected(X)[:, : self._n_features_out]

    def _log_posterior(self, X: RawSamples) -> np.ndarray:
        Z = self._projected(X)
        with np.errstate(divide="ignore"):
            prior = np.log(self.priors_)
        return prior + Z @ self.means_.T - 0.5 * (self.means_**2).sum(axis=1)

    def decision_function(self, X: RawSamples) -> np.ndarray:
        """Log-posterior up to a constant: one column per class, or the difference of the two."""
        D = self._log_posterior(X)
        return D[:, 1] - D[:, 0] if D.shape[1] == 2 else D

    def predict(self, X: RawSamples) -> np.ndarray:
        """The likeliest class."""
        D = self._log_posterior(X)
        return self.classes_[
            (D[:, 1] > D[:, 0]).astype(int) if D.shape[1] == 2 else np.argmax(D, axis=1)
        ]

    def predict_proba(self, X: RawSamples) -> np.ndarray:
        """Probabilities under normal classes of equal covariance in the projection."""
        return np.exp(self.predict_log_proba(X))

    def predict_log_proba(self, X: RawSamples) -> np.ndarray:
        """Logarithms of `predict_proba`."""
        return np.asarray(log_softmax(self._log_posterior(X), axis=1))
