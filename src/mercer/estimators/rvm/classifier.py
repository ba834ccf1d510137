"""Relevance vector classification."""

from __future__ import annotations

import time
from typing import ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin

from mercer.aliases import Gamma, KernelLike, RawSamples, Targets, Weights
from mercer.estimators.common.dual_classifier import single_column_as_vector
from mercer.estimators.common.fitting import fits
from mercer.estimators.common.training import begin_classes
from mercer.estimators.common.validation import check_fitted
from mercer.estimators.rvm.base import RelevanceMachine
from mercer.gram.plan import PRODUCTS
from mercer.solvers.gp.averaging import averaged
from mercer.solvers.rvm.basis import Basis
from mercer.solvers.rvm.likelihoods import Logistic
from mercer.state import State


class RVC(ClassifierMixin, RelevanceMachine):
    """Relevance vector classification: a sparse Bayesian logistic model of kernel functions.

    The log-odds are Σ w_i k(x, x_i) + b with a normal prior of precision α_i for every weight; the
    evidence, by Laplace's approximation, drives most precisions to infinity. With more than two
    classes there is one machine for each against the rest, and their probabilities are normalized.
    Use it for probabilities from few samples. As with `RVR` the variance vanishes away from the
    relevance vectors, where probabilities depend on the constant alone.

    Parameters
    ----------
    kernel : Kernel, str or callable, default="rbf"
        A mercer kernel, an expression such as ``"0.5 * RBF() + Linear()"``, a scikit-learn name, a
        function of two collections or of two samples, or "precomputed", where X is the Gram matrix.
    gamma : {"scale", "auto", "sigest", "median"} or float, default="scale"
        The coefficient of the kernels named "rbf", "poly", "sigmoid", "laplacian" and "chi2":
        "scale" is 1 / (n_features · variance of X), "auto" is 1 / n_features, and "sigest" and
        "median" come from distances between samples. Kernel objects have their own parameters.
    degree : float, default=3
        The degree of the kernel named "poly", a whole number; ignored by all others.
    coef0 : float, default=0.0
        The constant term of the kernels named "poly" and "sigmoid".
    fit_intercept : bool, default=True
        Whether the constant is one of the basis functions.
    max_iter : int, default=1000
        The largest number of steps, of which each adds, removes or re-estimates one basis function.
    tol : float, default=1e-3
        The gain in log evidence that is not worth another step, and the relative change of a
        precision that is none.

    Attributes
    ----------
    kernel_ : Kernel or None
        The fitted kernel; None where it is precomputed.
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    relevance_ : ndarray of shape (n_relevant,)
        Positions of the relevance vectors among the training samples.
    relevance_vectors_ : array-like or collection of n_relevant
        The relevance vectors; None where the kernel is precomputed.
    dual_coef_ : ndarray of shape (n_machines, n_relevant)
        Means of the weights of the relevance vectors, a row for each machine; 0 where it does not
        use them.
    intercept_ : ndarray of shape (n_machines,)
        Means of the weights of the constant.
    alpha_ : ndarray of shape (n_machines, n_relevant)
        Precisions of the prior of the weights; infinite where a machine does not use a sample.
    intercept_alpha_ : ndarray of shape (n_machines,)
        Precisions of the weights of the constant; infinite where it is not in use.
    covariance_ : ndarray of shape (n_weights, n_weights), or list of them
        Covariance of the weights of each machine, the constant first if it is in use.
    log_marginal_likelihood_value_ : float
        The logarithm of the evidence, by Laplace's approximation; the mean over the machines.
    n_iter_ : int
        Largest number of steps of a machine.
    report_ : FitReport
        How the model was fitted: plan of the Gram matrix, solver, convergence, time.
    n_features_in_ : int
        Number of columns of the training samples, where they have columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where all of them are strings.

    See Also
    --------
    RVR : The same for numbers.
    GaussianProcessClassifier : A prior over functions.
    SVC : Sparse classification without a prior.

    References
    ----------
    .. [1] M. E. Tipping, "Sparse Bayesian learning and the relevance vector machine", Journal of
           Machine Learning Research 1 (2001) 211-244.
    .. [2] M. E. Tipping and A. C. Faul, "Fast marginal likelihood maximization for sparse Bayesian
           models", International Workshop on Artificial Intelligence and Statistics (2003).

    Examples
    --------
    >>> from mercer import RBF, RVC
    >>> X = [[0.0], [0.5], [1.0], [4.0], [4.5], [5.0]]
    >>> model = RVC(RBF()).fit(X, ["low"] * 3 + ["high"] * 3)
    >>> model.predict([[0.2], [4.8]]).tolist(), len(model.relevance_)
    (['low', 'high'], 2)
    """

    stored: ClassVar[State] = State(plain=("classes_",))

    def __init__(
        self,
        kernel: KernelLike = "rbf",
        *,
        gamma: Gamma = "scale",
        degree: float = 3,
        coef0: float = 0.0,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float = 1e-3,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol

    @fits
    def fit(self, X: RawSamples, y: Targets, sample_weight: Weights = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like or collection of n_samples
            Training samples, or their kernel matrix if the kernel is "precomputed".
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            What the log-likelihood of each label is multiplied by. A weight of 2 is the same row
            twice, one of 0 leaves the row out.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        start = time.perf_counter()
        data = begin_classes(self, X, y, sample_weight)
        matrix = data.matrix(PRODUCTS)
        against_rest = range(len(self.classes_))
        if len(self.classes_) == 2:
            against_rest = range(1, 2)
        basis = Basis(matrix, self.fit_intercept)
        labels = [(data.y == c).astype(float) for c in against_rest]
        results = [
            self._maximize(basis, Logistic(label, self.tol, data.weight)) for label in labels
        ]
        self._keep(data, results, matrix, start)
        self.covariance_: list[np.ndarray] | np.ndarray = self._covariances
        if len(results) == 1:
            self.covariance_ = self._covariances[0]
        return self

    def decision_function(self, X: RawSamples) -> np.ndarray:
        """Compute the log-odds of each class against the rest.

        They are the logit of the averaged probabilities, and so rank samples as these do: a latent
        value counts for less where the posterior is less sure of it.

        Parameters
        ----------
        X : array-like or collection of n_samples
            New samples.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            One number for two classes, positive for the second; else one column per class.
        """
        mean, variance = self._checked_latent(X)
        least = np.finfo(float).tiny
        for_it, against = (np.maximum(_each(m, variance), least) for m in (mean, -mean))
        return single_column_as_vector(np.log(for_it) - np.log(against))

    def predict_proba(self, X: RawSamples) -> np.ndarray:
        """Predict class probabilities, averaged over the posterior of the weights.

        Parameters
        ----------
        X : array-like or collection of n_samples
            New samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities, classes in the order of ``classes_``.
        """
        each = _each(*self._checked_latent(X))
        if len(self.classes_) == 2:
            return np.column_stack([1 - each[:, 0], each[:, 0]])
        total = each.sum(axis=1, keepdims=True)
        return np.where(total > 0, each / np.where(total > 0, total, 1.0), 1.0 / each.shape[1])

    def _checked_latent(self, X: RawSamples) -> tuple[np.ndarray, np.ndarray]:
        check_fitted(self)
        return self._latent(self._check_X(X, reset=False))

    def predict(self, X: RawSamples) -> np.ndarray:
        """Predict class labels.

        Parameters
        ----------
        X : array-like or collection of n_samples
            New samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            The likeliest class.
        """
        values = self.decision_function(X)
        if values.ndim == 1:
            return self.classes_[(values > 0).astype(int)]
        return self.classes_[np.argmax(self.predict_proba(X), axis=1)]


def _each(mean: np.ndarray, variance: np.ndarray) -> np.ndarray:
    """Averaged probabilities, a column for each latent function."""
    return np.column_stack([averaged(m, v) for m, v in zip(mean.T, variance.T, strict=True)])
