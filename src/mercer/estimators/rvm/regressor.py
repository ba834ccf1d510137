"""Relevance vector regression."""

from __future__ import annotations

import time
from numbers import Real
from typing import ClassVar, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils._param_validation import Interval

from mercer.aliases import Gamma, KernelLike, ParameterRules, RawSamples, Targets, Weights
from mercer.errors import ParameterError
from mercer.estimators.common.fitting import fits
from mercer.estimators.common.training import begin
from mercer.estimators.common.validation import check_fitted, check_squares
from mercer.estimators.rvm.base import RelevanceMachine
from mercer.gram.plan import PRODUCTS
from mercer.solvers.rvm.basis import Basis, WeightedBasis
from mercer.solvers.rvm.likelihoods import Gaussian
from mercer.state import State


class RVR(RegressorMixin, RelevanceMachine):
    """Relevance vector regression: a sparse Bayesian linear model of kernel functions.

    The model is y = Σ w_i k(x, x_i) + b + noise with a normal prior of precision α_i for every
    weight. Maximizing the evidence drives most precisions to infinity, so that few samples, the
    relevance vectors, carry the function. Use it for regression with very fast predictions. The
    kernel may be any function of two samples.

    It is a Bayesian linear model, not a Gaussian process: away from the relevance vectors the
    functions of a local kernel vanish, and with them the variance of their sum. ``return_std`` is
    then the noise alone, where a `GaussianProcessRegressor` gives the variance of its prior.

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
    noise_variance : float or None, default=None
        The variance of the noise; None learns it from the evidence.
    max_iter : int, default=1000
        The largest number of steps, of which each adds, removes or re-estimates one basis function.
    tol : float, default=1e-3
        The gain in log evidence that is not worth another step, and the relative change of a
        precision that is none.

    Attributes
    ----------
    kernel_ : Kernel or None
        The fitted kernel; None where it is precomputed.
    relevance_ : ndarray of shape (n_relevant,)
        Positions of the relevance vectors among the training samples.
    relevance_vectors_ : array-like or collection of n_relevant
        The relevance vectors; None where the kernel is precomputed.
    dual_coef_ : ndarray of shape (n_relevant,)
        Means of the weights of the relevance vectors.
    intercept_ : float
        Mean of the weight of the constant; 0 where it is not in use.
    alpha_ : ndarray of shape (n_relevant,)
        Precisions of the prior of the weights.
    intercept_alpha_ : float
        Precision of the constant's weight; infinite where it is not in use.
    covariance_ : ndarray of shape (n_weights, n_weights)
        Covariance of the weights, the constant first if it is in use.
    noise_variance_ : float
        The variance of the noise, given or learned.
    log_marginal_likelihood_value_ : float
        The logarithm of the evidence.
    n_iter_ : int
        Number of steps.
    report_ : FitReport
        How the model was fitted: plan of the Gram matrix, solver, convergence, time.
    n_features_in_ : int
        Number of columns of the training samples, where they have columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where all of them are strings.

    See Also
    --------
    RVC : The same for classes.
    GaussianProcessRegressor : A prior over functions, whose variance grows away from the samples.
    SVR : Sparse regression without probabilities.

    References
    ----------
    .. [1] M. E. Tipping, "Sparse Bayesian learning and the relevance vector machine", Journal of
           Machine Learning Research 1 (2001) 211-244.
    .. [2] M. E. Tipping and A. C. Faul, "Fast marginal likelihood maximization for sparse Bayesian
           models", International Workshop on Artificial Intelligence and Statistics (2003).

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import RBF, RVR
    >>> x = np.linspace(-10, 10, 100)
    >>> y = np.sinc(x / np.pi) + 0.1 * np.random.default_rng(0).standard_normal(100)
    >>> model = RVR(RBF(length_scale=2.0)).fit(x[:, None], y)
    >>> len(model.relevance_) < 10, bool(0.08 < np.sqrt(model.noise_variance_) < 0.12)
    (True, True)
    """

    stored: ClassVar[State] = State(plain=("noise_variance_",))

    _parameter_constraints: ClassVar[ParameterRules] = {
        **RelevanceMachine._parameter_constraints,
        "noise_variance": [Interval(Real, 0, None, closed="neither"), None],
    }

    def __init__(
        self,
        kernel: KernelLike = "rbf",
        *,
        gamma: Gamma = "scale",
        degree: float = 3,
        coef0: float = 0.0,
        fit_intercept: bool = True,
        noise_variance: float | None = None,
        max_iter: int = 1000,
        tol: float = 1e-3,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.fit_intercept = fit_intercept
        self.noise_variance = noise_variance
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
            Target values.
        sample_weight : array-like of shape (n_samples,), default=None
            How often each target was observed: the log-likelihood of a sample is multiplied by its
            weight. A weight of 2 is the same row twice, one of 0 leaves the row out.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        start = time.perf_counter()
        data = begin(self, X, y, sample_weight, target="number")
        # squares stay finite while the targets have magnitude 1
        size = float(np.abs(data.y).max()) or 1.0
        check_squares(data.y)
        matrix = data.matrix(PRODUCTS)
        basis, weight = Basis(matrix, self.fit_intercept), None
        if np.any(data.weight != 1.0):  # equal weights of 1 give the same bits as none
            weight = data.weight
            basis = WeightedBasis(matrix, self.fit_intercept, weight)
        likelihood = Gaussian(data.y / size, self._scaled_noise(size), self.tol, weight)
        result = self._maximize(basis, likelihood)
        result.mean = result.mean * size
        result.alpha = result.alpha / size**2
        result.covariance = result.covariance * size**2
        result.value -= likelihood.count * np.log(size)
        self._keep(data, [result], matrix, start)
        self.noise_variance_ = likelihood.noise * size**2
        self.covariance_ = result.covariance
        self.dual_coef_ = self.dual_coef_[0]
        self.alpha_ = self.alpha_[0]
        self.intercept_ = np.ravel(self.intercept_).item()
        self.intercept_alpha_ = np.ravel(self.intercept_alpha_).item()
        return self

    def _scaled_noise(self, size: float) -> float | None:
        """The given variance of the noise, for targets that are divided by ``size``."""
        if self.noise_variance is None:
            return None
        noise = self.noise_variance / size**2
        if not 0 < noise < np.inf:
            rule = f"cannot be distinguished from 0 beside targets of {size:.3g}"
            raise ParameterError("noise_variance", self.noise_variance, rule)
        return noise

    def predict(
        self, X: RawSamples, return_std: bool = False
    ) -> np.ndarray | tuple[np.ndarray, np.ndarray]:
        """Predict the targets of new samples.

        Parameters
        ----------
        X : array-like or collection of n_samples
            New samples.
        return_std : bool, default=False
            Whether standard deviations are returned too.

        Returns
        -------
        mean : ndarray of shape (n_samples,)
            The mean of the predictive distribution.
        std : ndarray of shape (n_samples,)
            The standard deviation of a new observation, from the noise and from the weights; only
            with ``return_std``.
        """
        check_fitted(self)
        X = self._check_X(X, reset=False)
        if not return_std:
            return self._expansion().apply(X, self.dual_coef_[:, None])[:, 0] + self.intercept_
        mean, variance = self._latent(X)
        return mean[:, 0], np.sqrt(self.noise_variance_ + variance[:, 0])
