"""Kernel Fisher discriminant analysis."""

from __future__ import annotations

import time
from collections.abc import Sequence
from numbers import Integral, Real
from typing import ClassVar, Self

import numpy as np
from scipy.special import log_softmax
from sklearn.base import ClassifierMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils._param_validation import Interval

from mercer.aliases import (
    CentersLike,
    Gamma,
    KernelLike,
    ParameterRules,
    RandomState,
    RawSamples,
    Targets,
    Weights,
)
from mercer.errors import ParameterError
from mercer.estimators.centers.data import open_rows
from mercer.estimators.common.base import CENTER_RULES, KERNEL_RULES, KernelEstimator
from mercer.estimators.common.expansion import Expansion
from mercer.estimators.common.fitting import fits
from mercer.estimators.common.report import FitReport
from mercer.estimators.common.training import Training, begin_classes
from mercer.estimators.common.validation import check_fitted
from mercer.estimators.projection.discriminant_on_centers import (
    EXACT_STEPS,
    directions,
    fit_discriminant,
)
from mercer.gram.matrix import Centered
from mercer.gram.plan import FACTOR
from mercer.solvers.ridge.system import RidgeSystem
from mercer.state import State


class KernelDiscriminant(
    ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClassifierMixin, KernelEstimator
):
    """Kernel Fisher discriminant: directions that maximize vᵀS_B v / vᵀ(S_W + λI)v.

    This is linear discriminant analysis of φ(x): S_B and S_W are the scatter of φ between and
    within the classes. It is both a classifier, with normal classes of equal covariance in the
    projection, and a projection to at most one dimension fewer than there are classes. With the
    linear kernel and λ near 0 it is scikit-learn's ``LinearDiscriminantAnalysis``; with two classes
    the direction is that of `KernelRidgeClassifier` with the same λ. A fit solves one linear system
    with a column for each class, and a small eigenproblem.

    Parameters
    ----------
    alpha : float, default=1.0
        The regularization λ > 0; larger values give smoother functions.
    n_components : int or None, default=None
        The number of directions that `transform` keeps; by default all, one fewer than classes.
    kernel : Kernel, str or callable, default="rbf"
        A mercer kernel, an expression of kernels, one of scikit-learn's names ("linear", "poly",
        "rbf", "sigmoid", "laplacian", "cosine", "chi2"), a function of two collections or samples,
        or "precomputed", where ``X`` is the Gram matrix.
    gamma : {"scale", "auto", "sigest", "median"} or float, default="scale"
        The coefficient of a kernel that is given by name. "scale" is 1/(n_features · X.var()),
        "auto" is 1/n_features, "sigest" and "median" come from distances between samples.
    degree : float, default=3
        The degree of the polynomial kernel that is given by name.
    coef0 : float, default=0.0
        The constant term of the polynomial and the sigmoid kernel that are given by name.
    priors : array-like of shape (n_classes,) or None, default=None
        The probabilities of the classes; by default their shares among the training samples.
    centers : {"auto", "all"}, int or array-like, default="auto"
        Directions are combinations of these samples: all, so many drawn uniformly, or given ones.
        The scatter is that of all samples in any case. "auto" takes all while they are few enough
        (see the guide on scaling).
    random_state : int, RandomState or None, default=None
        Seed of the centers.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    priors_ : ndarray of shape (n_classes,)
        The probabilities of the classes.
    explained_variance_ratio_ : ndarray of shape (n_components,)
        The share of each direction in the separation of the class means.
    means_ : ndarray of shape (n_classes, n_classes - 1)
        The projections of the class means.
    dual_coef_ : ndarray of shape (n_support, n_classes - 1)
        The coefficients of the directions in the training samples.
    kernel_ : Kernel or None
        The kernel in use; None for a precomputed Gram matrix.
    X_fit_ : collection or None
        The training samples of positive weight, or the centers; None for a precomputed matrix.
    support_ : ndarray of shape (n_support,)
        The positions of these samples.
    report_ : FitReport
        How the model was fitted.
    n_features_in_ : int
        The number of columns of ``X``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The names of the columns of ``X``, where it has such.

    See Also
    --------
    KernelRidgeClassifier : Least squares on the labels, the same direction for two classes.
    KernelPCA : A projection that knows no classes.

    References
    ----------
    .. [1] S. Mika, G. Rätsch, J. Weston, B. Schölkopf, K.-R. Müller. Fisher discriminant analysis
       with kernels. Neural Networks for Signal Processing IX, 1999.
    .. [2] G. Baudat, F. Anouar. Generalized discriminant analysis using a kernel approach. Neural
       Computation 12, 2000.

    Examples
    --------
    >>> from mercer import RBF, KernelDiscriminant
    >>> X, y = [[0.0], [1.0], [4.0], [5.0]], ["low", "low", "high", "high"]
    >>> model = KernelDiscriminant(alpha=0.1, kernel=RBF()).fit(X, y)
    >>> model.predict([[0.5], [4.5]]).tolist(), model.transform([[0.5]]).shape
    (['low', 'high'], (1, 1))
    """

    needs: ClassVar[str] = "cpd"
    stored: ClassVar[State] = State(
        finite=("dual_coef_", "means_", "priors_", "explained_variance_ratio_", "_center"),
        plain=(
            *("classes_", "kernel_", "X_fit_", "support_", "report_"),
            *("_n_training", "_n_features_out"),
        ),
        samples=("X_fit_",),
        per_sample=("support_", "dual_coef_"),
        positions={"support_": "_n_training"},
    )

    _parameter_constraints: ClassVar[ParameterRules] = {
        "alpha": [Interval(Real, 0, None, closed="neither")],
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        **KERNEL_RULES,
        "priors": ["array-like", None],
        **CENTER_RULES,
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
        priors: Sequence[float] | None = None,
        centers: CentersLike = "auto",
        random_state: RandomState = None,
    ) -> None:
        self.alpha = alpha
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.priors = priors
        self.centers = centers
        self.random_state = random_state

    @fits
    def fit(self, X: RawSamples, y: Targets = None, sample_weight: Weights = None) -> Self:
        """Find the discriminant directions.

        Parameters
        ----------
        X : array-like, sparse matrix or collection of length n_samples
            Training samples, or their Gram matrix if it is precomputed.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            A weight counts a sample several times.

        Returns
        -------
        KernelDiscriminant
            The fitted estimator.
        """
        start = time.perf_counter()
        opened = open_rows(self, X, y, sample_weight, target="labels", steps=EXACT_STEPS)
        if opened.data is not None:
            fit_discriminant(self, opened.data, start)
            return self
        data = begin_classes(self, opened.X, opened.y, opened.weight)
        n_classes = len(self.classes_)
        counts = np.bincount(data.y, data.weight, minlength=n_classes)
        self.priors_ = self._priors(counts / data.weight.sum())
        n_components = self._checked_components(n_classes)
        system = RidgeSystem(data.matrix(FACTOR), float(self.alpha), data.weight, centered=True)
        dual, separation = self._directions(data, system, counts)
        self.explained_variance_ratio_ = (separation / (separation.sum() or 1.0))[:n_components]
        self.kernel_ = data.kernel
        self.X_fit_ = data.samples()
        self.support_, self._n_training = data.rows, data.n_given
        self.dual_coef_ = dual
        F = system.products(data.products) @ dual
        self._center = data.weight @ F / float(data.weight.sum())
        self._n_features_out = n_components
        members = (data.y[:, None] == np.arange(n_classes)) * data.weight[:, None] / counts
        self.means_ = members.T @ F - self._center
        plan, solver = str(system.plan), f"{system.solver}, centered matrix"
        seconds = time.perf_counter() - start
        self.report_ = FitReport(data.kernel, plan, solver, data.count, seconds, notes=opened.notes)
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
        V, separation = directions(between, float(data.weight.sum()))
        dual = A @ V
        dual -= system.mean_weights[:, None] * dual.sum(axis=0)
        return dual, separation

    def _image(
        self, data: Training, system: RidgeSystem, E: np.ndarray, A: np.ndarray
    ) -> np.ndarray:
        """K̃A: from the solved system, unless that difference cancels under a strong penalty."""
        within = self.alpha * A / data.weight[:, None]
        mild = float(np.abs(within).max()) < 0.99 * float(np.abs(E).max())
        if system.stored and mild:
            return E - within
        return Centered(system.products(data.products), system.mean_weights) @ A

    def _priors(self, shares: np.ndarray) -> np.ndarray:
        if self.priors is None:
            return shares
        priors = np.asarray(self.priors, dtype=float)
        finite = priors.shape == shares.shape and bool(np.isfinite(priors).all())
        if not finite or (priors < 0).any() or priors.sum() <= 0:
            rule = f"must be {len(shares)} numbers >= 0, one per class"
            raise ParameterError("priors", self.priors, rule)
        return priors / priors.sum()

    def _projected(self, X: RawSamples) -> np.ndarray:
        check_fitted(self)
        X = self._check_X(X, reset=False)
        expansion = Expansion(self.kernel_, self.X_fit_, self.support_, self._n_training)
        return expansion.apply(X, np.ascontiguousarray(self.dual_coef_)) - self._center

    def transform(self, X: RawSamples) -> np.ndarray:
        """Coordinates in which the regularized within-class covariance is the identity.

        Parameters
        ----------
        X : array-like, sparse matrix or collection of length n_samples
            New samples, or k(X, X_train) if the kernel is precomputed.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            The coordinates, the most discriminating first.
        """
        return self._projected(X)[:, : self._n_features_out]

    def _log_posterior(self, X: RawSamples) -> np.ndarray:
        """Logarithms of the class probabilities, up to a constant for each sample."""
        Z = self._projected(X)
        with np.errstate(divide="ignore"):
            prior = np.log(self.priors_)
        return prior + Z @ self.means_.T - 0.5 * (self.means_**2).sum(axis=1)

    def decision_function(self, X: RawSamples) -> np.ndarray:
        """Logarithms of the class probabilities, up to a constant for each sample.

        Parameters
        ----------
        X : array-like, sparse matrix or collection of length n_samples
            New samples, or k(X, X_train) if the kernel is precomputed.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or (n_samples,) for two classes
            One column for each class, or the difference of the two.
        """
        logs = self._log_posterior(X)
        if len(self.classes_) == 2:
            return logs[:, 1] - logs[:, 0]
        return logs

    def predict(self, X: RawSamples) -> np.ndarray:
        """The most probable class.

        Parameters
        ----------
        X : array-like, sparse matrix or collection of length n_samples
            New samples, or k(X, X_train) if the kernel is precomputed.

        Returns
        -------
        ndarray of shape (n_samples,)
            Class labels.
        """
        logs = self._log_posterior(X)
        return self.classes_[np.argmax(logs, axis=1)]

    def predict_proba(self, X: RawSamples) -> np.ndarray:
        """Probabilities under normal classes of equal covariance in the projection.

        Parameters
        ----------
        X : array-like, sparse matrix or collection of length n_samples
            New samples, or k(X, X_train) if the kernel is precomputed.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            The probabilities, which sum to 1 in each row.
        """
        return np.exp(self.predict_log_proba(X))

    def predict_log_proba(self, X: RawSamples) -> np.ndarray:
        """Logarithms of the class probabilities.

        Parameters
        ----------
        X : array-like, sparse matrix or collection of length n_samples
            New samples, or k(X, X_train) if the kernel is precomputed.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            The logarithms of `predict_proba`.
        """
        return np.asarray(log_softmax(self._log_posterior(X), axis=1))
