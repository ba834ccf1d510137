"""Gaussian process regression, with hyperparameters learned by the evidence."""

from __future__ import annotations

import copy
import math
import time
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import check_array

from mercer.aliases import (
    CentersLike,
    KernelLike,
    ParameterRules,
    RandomState,
    RawSamples,
    Targets,
    Weights,
)
from mercer.domains.base import raw_length
from mercer.errors import NotFittedError, explain
from mercer.estimators.common.base import CENTER_RULES
from mercer.estimators.common.fitting import fits
from mercer.estimators.common.validation import check_squares
from mercer.estimators.gp import inference
from mercer.estimators.gp.base import GaussianProcess
from mercer.estimators.gp.bounds import BoundsLike, Names
from mercer.estimators.gp.learning import Learned, Optimizer, PriorsLike
from mercer.estimators.gp.posterior import ExactPosterior, Posterior
from mercer.estimators.gp.sparse import SparsePosterior
from mercer.estimators.gp.targets import MeanFunction, Units, fitted_mean, mean_at
from mercer.state import State, check_positions


class GaussianProcessRegressor(MultiOutputMixin, RegressorMixin, GaussianProcess):
    """Gaussian process regression on any kernel, with scikit-learn's parameters and names.

    The targets are y = f(x) + ε with f a Gaussian process of covariance k and ε normal noise. The
    prediction is the posterior of f: its mean is k(x, X)(K + αI)⁻¹y, and its variance
    k(x, x) − k(x, X)(K + αI)⁻¹k(X, x). Use it where the uncertainty of predictions matters, or
    where parameters are to be learned by maximizing the log marginal likelihood (evidence) of y.

    Parameters
    ----------
    kernel : Kernel, str, callable or sklearn.gaussian_process.kernels.Kernel, default=None
        The covariance function: a mercer kernel, an expression, one of scikit-learn's names for
        kernels, a function of two collections or samples, or a kernel of scikit-learn's Gaussian
        processes. It is copied. None is ``1.0 * RBF(1.0)``.
    alpha : float or ndarray of shape (n_samples,), default=1e-10
        The variance of the noise, one for all samples or one for each.
    optimizer : {"bfgs", "fmin_l_bfgs_b"}, callable or None, default="bfgs"
        How hyperparameters are learned: by BFGS with short steps, by SciPy's L-BFGS-B, not at all,
        or by a function of (objective, start, bounds) that returns the best θ and the value there.
    n_restarts_optimizer : int, default=0
        The number of further starts, drawn by turns around the given hyperparameters and anywhere
        within the bounds.
    normalize_y : bool, default=False
        Whether to learn (y − mean)/deviation; predictions have the units of y.
    copy_X_train : bool, default=True
        Whether to keep a copy of the training samples, rather than the array that was given.
    n_targets : int, default=None
        The number of columns of y. An unfitted process predicts as many from its prior.
    random_state : int, RandomState or None, default=None
        The seed that further starts are drawn with.
    bounds : tuple of two float, or dict, default=(1e-5, 1e5)
        The least and the largest value of every learned hyperparameter of a mercer kernel, or a
        dictionary of such pairs by name. An array of hyperparameters may have a list of pairs.
    fixed : str or sequence of str, default=()
        Names of hyperparameters of a mercer kernel that are not learned. ``length_scale[1]`` is one
        number of an array, also in ``bounds`` and ``priors``.
    priors : dict, default=None
        Densities of hyperparameters by name, objects with ``logpdf`` such as SciPy's frozen
        distributions. Their logarithms are added to the evidence while hyperparameters are learned.
    mean : callable, regressor or None, default=None
        The mean function of the process: a function of X, or a regressor that is fitted first, such
        as ``LinearRegression()``. None is 0.
    method : {"auto", "exact", "sparse", "iterative"}, default="auto"
        How the posterior is computed: "exact" by a Cholesky factor; "sparse" with inducing points,
        by Titsias' bound of the evidence; "iterative" learns by that bound and predicts exactly, by
        conjugate gradients. "auto" is exact while the matrix fits the memory budget, else sparse.
    n_inducing : int, default=500
        The largest number of inducing points; not looked at where the process is exact.
    centers : {"auto", "all"}, int or array-like, default="auto"
        Another name for inducing points, as other learners have it: so many, or these samples, for
        ``method="sparse"``; "all" is exact; "auto" leaves it to ``method`` and ``n_inducing``.

    Attributes
    ----------
    kernel_ : Kernel or sklearn.gaussian_process.kernels.Kernel
        The kernel with the hyperparameters learned.
    log_marginal_likelihood_value_ : float
        The log marginal likelihood at these hyperparameters, or its bound with inducing points.
    X_train_ : ndarray or list
        The training samples, those of positive weight.
    y_train_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
        The targets, without the mean function and normalized if that was asked for.
    L_ : ndarray
        The lower Cholesky factor of K + αI, or of the matrix of inducing points.
    alpha_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
        The coefficients (K + αI)⁻¹y; those of the inducing points for ``method="sparse"``.
    inducing_ : ndarray of shape (n_inducing,)
        Positions of the inducing points among the samples. Only where there are any.
    mean_ : callable, regressor or None
        The mean function, fitted.
    n_features_in_ : int
        The number of columns of X, where X has columns.
    feature_names_in_ : ndarray of str
        The names of the columns, where X has names for them.
    report_ : FitReport
        How the model was fitted: the plan and why, the evidence or its bound, jitter,
        hyperparameters at their bounds, and those that were not learned.

    See Also
    --------
    GaussianProcessClassifier, KernelRidge

    References
    ----------
    Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006, chapters 2 and 5.
    Titsias, Variational Learning of Inducing Variables in Sparse Gaussian Processes, AISTATS 2009.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import RBF, GaussianProcessRegressor
    >>> X = np.linspace(0, 5, 20)[:, None]
    >>> model = GaussianProcessRegressor(1.0 * RBF(), alpha=0.01).fit(X, np.sin(X[:, 0]))
    >>> mean, std = model.predict([[2.5], [30.0]], return_std=True)
    >>> mean.round(2).tolist(), bool(std[0] < 0.1 < std[1])
    ([0.6, 0.0], True)
    """

    _parameter_constraints: ClassVar[ParameterRules] = {
        **GaussianProcess._parameter_constraints,
        "alpha": [Interval(Real, 0, None, closed="left"), np.ndarray],
        "normalize_y": ["boolean"],
        "n_targets": [Interval(Integral, 1, None, closed="left"), None],
        "mean": [None, callable, HasMethods(["fit", "predict"])],
        "method": [StrOptions({"auto", *inference.METHODS})],
        "n_inducing": [Interval(Integral, 1, None, closed="left")],
        **CENTER_RULES,
    }

    stored: ClassVar[State] = State(
        finite=("y_train_", "L_", "alpha_"),
        plain=("X_train_", "mean_", "inducing_", "_posterior", "_units"),
        samples=("X_train_",),
        per_sample=("y_train_",),
        positions={"inducing_": "y_train_"},
    )

    def __init__(
        self,
        kernel: KernelLike = None,
        *,
        alpha: float | np.ndarray = 1e-10,
        optimizer: Optimizer = "bfgs",
        n_restarts_optimizer: int = 0,
        normalize_y: bool = False,
        copy_X_train: bool = True,
        n_targets: int | None = None,
        random_state: RandomState = None,
        bounds: BoundsLike = (1e-5, 1e5),
        fixed: Names = (),
        priors: PriorsLike = None,
        mean: MeanFunction = None,
        method: str = "auto",
        n_inducing: int = 500,
        centers: CentersLike = "auto",
    ) -> None:
        self.kernel = kernel
        self.alpha = alpha
        self.optimizer = optimizer
        self.n_restarts_optimizer = n_restarts_optimizer
        self.normalize_y = normalize_y
        self.copy_X_train = copy_X_train
        self.n_targets = n_targets
        self.random_state = random_state
        self.bounds = bounds
        self.fixed = fixed
        self.priors = priors
        self.mean = mean
        self.method = method
        self.n_inducing = n_inducing
        self.centers = centers

    @fits
    def fit(self, X: RawSamples, y: Targets = None, sample_weight: Weights = None) -> Self:
        """Learn the hyperparameters by the evidence of the targets, and compute the posterior.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or list
            The training samples, of whatever kind the kernel reads.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            One or several numbers for each sample.
        sample_weight : array-like of shape (n_samples,), default=None
            How often each target was observed: the variance of its noise, ``alpha`` and the
            `White` terms of the kernel, is divided by the weight. A weight of 2 is the same row
            twice, one of 0 leaves the row out.

        Returns
        -------
        self : GaussianProcessRegressor
            The fitted estimator.
        """
        start = time.perf_counter()
        way = inference.Way.of(self.method, self.n_inducing, self.centers)
        X, y, sample_weight, notes = inference.loaded(X, y, sample_weight, self._takes_vectors())
        given, y = self._begin(X, y, "numbers")
        X, y, counted, weight = self._count(given, check_squares(y), sample_weight)
        n_targets = math.prod(y.shape[1:])
        if self.n_targets not in (None, n_targets):
            rule = "The number of targets seen in `y` is different from the parameter `n_targets`"
            raise ValueError(f"{rule}. Got {n_targets} != {self.n_targets}.")
        X = self.X_train_ = self._own(X)
        self.mean_ = fitted_mean(self.mean, X, y, weight)
        y = y - mean_at(self.mean_, X, y.shape)
        self._units = Units.of(y, self.normalize_y, weight)
        self.y_train_ = self._units.normalize(y)
        parameters = self._hyperparameters()
        parameters.fit(X)
        self._check_values(parameters.mercer_kernel, given, counted)
        if sample_weight is not None:
            inference.check_separable(parameters, X)
        Y = self.y_train_.reshape(len(y), n_targets)
        noise = inference.checked_noise(self.alpha, counted)
        posterior = inference.choose_posterior(way.method, parameters, X, Y, noise, weight)
        learned = self._learn_posterior(posterior, way)
        posterior.condition()
        learned = inference.warn_of_rounding(posterior, learned, self.alpha)
        self._posterior, self.kernel_ = posterior, parameters.kernel
        self.L_, self.alpha_ = posterior.lower, posterior.dual.reshape(-1, *y.shape[1:])
        self.log_marginal_likelihood_value_ = np.float64(posterior.value)
        notes = (*notes, *filter(None, [posterior.doubt]))
        plan, facts = posterior.plan, posterior.facts()
        self._set_report([parameters], plan, len(y), start, learned, facts, notes)
        return self

    def _learn_posterior(self, posterior: Posterior, way: inference.Way) -> Learned:
        """Learn the hyperparameters, and the inducing points where there are any."""
        self.__dict__.pop("inducing_", None)
        if not isinstance(posterior, SparsePosterior):
            return self._learn(posterior.parameters, posterior.evidence)
        posterior.begin(way.count(len(posterior.Y)), way.inducing)
        learned = self._learn(posterior.parameters, posterior.evidence)
        if self.optimizer is not None:
            learned = learned.and_then(inference.refine_inducing(posterior, self._learn))
        if posterior.given is None:
            self.inducing_ = posterior.inducing
        return learned

    def log_marginal_likelihood(
        self,
        theta: np.ndarray | None = None,
        eval_gradient: bool = False,
        clone_kernel: bool = True,
    ) -> float | tuple[float, np.ndarray]:
        """The log marginal likelihood of the training data, or its bound with inducing points.

        Parameters
        ----------
        theta : array-like of shape (n_hyperparameters,), default=None
            Logarithms of the hyperparameters; None for those that were learned.
        eval_gradient : bool, default=False
            Whether to return the gradient in ``theta`` too.
        clone_kernel : bool, default=True
            Whether ``kernel_`` is left alone; if not, its hyperparameters are changed.

        Returns
        -------
        float or tuple of float and ndarray
            The log marginal likelihood, and its gradient if that was asked for.
        """
        self._check_fitted()
        if theta is None:
            if eval_gradient:
                raise ValueError("Gradient can only be evaluated for theta!=None")
            return self.log_marginal_likelihood_value_
        posterior = copy.copy(self._posterior)
        if clone_kernel:
            posterior.parameters = self._hyperparameters(self.kernel_)
        posterior.parameters.fit(self.X_train_)
        value, gradient = posterior.evidence(np.asarray(theta, dtype=float), eval_gradient)
        value = np.float64(value)
        return (value, gradient) if eval_gradient else value

    def _check_fitted(self) -> None:
        if not hasattr(self, "X_train_"):  # scikit-learn's check lets this estimator pass
            name = type(self).__name__
            raise NotFittedError(name, "unfitted", "has seen no data", "call fit(X, y) first")

    def predict(
        self, X: RawSamples, return_std: bool = False, return_cov: bool = False
    ) -> inference.Prediction:
        """Predict the mean of the function, and its standard deviations or covariance.

        They are of the function, without ``alpha``; a `White` term of the kernel is part of it and
        counts, as in scikit-learn. Where the noise is ``alpha``, the standard deviation of a new
        value of y is ``np.sqrt(std**2 + alpha)``. Before ``fit`` they are those of the prior.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or list
            The samples.
        return_std : bool, default=False
            Whether to return standard deviations too.
        return_cov : bool, default=False
            Whether to return the covariance matrix too; not together with ``return_std``.

        Returns
        -------
        ndarray or tuple of two ndarray
            The mean of shape (n_samples,) or (n_samples, n_targets), and standard deviations of the
            same shape, or the covariance, with a last axis for several targets.
        """
        if return_std and return_cov:
            raise RuntimeError("At most one of return_std or return_cov can be requested.")
        if hasattr(self, "X_train_"):
            X = self._check_X(X, reset=False)
            return self._predict_posterior(X, return_std, return_cov)
        X = self._check_before_fit(X)
        prior = self._hyperparameters(), self.mean, self.n_targets or 1
        return inference.predict_prior(*prior, X, return_std, return_cov)

    def _check_before_fit(self, X: RawSamples) -> RawSamples:
        if self._takes_vectors():
            return check_array(X, dtype=np.float64)
        return self._check_X(X, reset=False)

    def _predict_posterior(
        self, X: RawSamples, return_std: bool, return_cov: bool
    ) -> inference.Prediction:
        if return_std:
            mean, variance = self._posterior.mean_and_variance(X)
            return self._mean(X, mean), np.sqrt(self._units.restore_variance(variance))
        mean = self._mean(X, self._posterior.mean(X))
        if return_cov:
            return mean, self._units.restore_variance(self._posterior.covariance(X))
        return mean

    def _mean(self, X: RawSamples, mean: np.ndarray) -> np.ndarray:
        """The mean in the units of y, with the mean function."""
        mean = self._units.restore(mean)
        mean = mean + mean_at(self.mean_, X, mean.shape)
        return mean[:, 0] if mean.shape[1:] == (1,) else mean

    def sample_y(
        self, X: RawSamples, n_samples: int = 1, random_state: RandomState = 0
    ) -> np.ndarray:
        """Draw functions from the posterior, or before ``fit`` from the prior.

        Parameters
        ----------
        X : array-like of shape (n_samples_X, n_features) or list
            The samples at which the functions are evaluated.
        n_samples : int, default=1
            The number of functions.
        random_state : int, RandomState or None, default=0
            The seed.

        Returns
        -------
        ndarray of shape (n_samples_X, n_samples) or (n_samples_X, n_targets, n_samples)
            A column for each function.
        """
        mean, covariance = self.predict(X, return_cov=True)
        return inference.drawn(mean, covariance, n_samples, random_state)

    def leave_one_out(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Predict every noisy observation from all the others, in closed form.

        A sample of weight w is w observations of the same value, which are left out together; what
        is predicted is their mean.

        Returns
        -------
        tuple of three ndarray
            The mean, the standard deviation and the log-density of every observation.
        """
        self._check_fitted()
        if not isinstance(self._posterior, ExactPosterior):
            rule = "has no leave-one-out in closed form"
            raise ValueError(explain("method", self.method, rule, "fit with method='exact'"))
        means = mean_at(self.mean_, self.X_train_, self.y_train_.shape)
        return inference.left_out(self._posterior, self.y_train_, self._units, means)

    def _check_loaded(self) -> None:
        if hasattr(self, "inducing_"):
            check_positions("inducing_", self.inducing_, raw_length(self.X_train_))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        return tags
