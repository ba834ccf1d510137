"""Gaussian process regression: a distribution over functions, its parameters learned by the evidence."""

from __future__ import annotations

import copy
import time
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from scipy import linalg
from sklearn.base import MultiOutputMixin, RegressorMixin, clone
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import check_array

from mercer.aliases import KernelLike, ParameterRules, RandomState, RawSamples, Targets
from mercer.config import format_bytes
from mercer.domains.base import raw_length
from mercer.errors import NotFiniteError, NotFittedError, ShapeError, explain, warn
from mercer.estimators.common.fitting import fits
from mercer.estimators.common.report import FitReport
from mercer.estimators.gp.base import GaussianProcess
from mercer.estimators.gp.exact import Exact
from mercer.estimators.gp.hyperparameters import Learned, Theirs
from mercer.estimators.gp.learning import at_bounds
from mercer.estimators.gp.sparse import Iterative, Sparse
from mercer.gram.plan import WHOLE, budget_text, plan_matrix

_METHODS = {"exact", "sparse", "iterative"}
_ROUNDS = 3  # times that inducing points are chosen anew for the parameters found


def fitted_mean(mean: Any, X: RawSamples, y: np.ndarray) -> Any:
    """A mean function: a copy fitted to the data, if it is a regressor; else as it is."""
    return clone(mean).fit(X, y) if hasattr(mean, "fit") else mean


def mean_at(mean: Any, X: RawSamples, shape: tuple[int, ...]) -> np.ndarray | float:
    """The mean function's values; one column serves all targets."""
    if mean is None:
        return 0.0
    values = np.asarray(mean.predict(X) if hasattr(mean, "predict") else mean(X), dtype=np.float64)
    if not np.isfinite(values).all():
        raise NotFiniteError(
            "mean", mean, f"is not finite for sample {int(np.argwhere(~np.isfinite(values))[0][0])}"
        )
    if values.shape == shape:
        return values
    if values.size != shape[0]:
        raise ShapeError(
            "mean",
            f"values of shape {values.shape}",
            f"must give one for each of the {shape[0]} samples",
        )
    return values.reshape((shape[0],) + (1,) * (len(shape) - 1))


class GaussianProcessRegressor(MultiOutputMixin, RegressorMixin, GaussianProcess):
    """Gaussian process regression with scikit-learn's parameters and attributes, on any kernel.

    Parameters
    ----------
    kernel : a mercer kernel, an expression, or a kernel of ``sklearn.gaussian_process.kernels``. By default ``1.0 * RBF(1.0)``
    alpha : variance of the noise, one number or one for each sample
    optimizer : "bfgs" (steps kept short), SciPy's "fmin_l_bfgs_b", None, or a function of (objective, start, bounds) as in scikit-learn
    n_restarts_optimizer : further starts, drawn by turns around the given parameters and anywhere within the bounds
    normalize_y : learn (y − mean)/deviation; predictions are turned back
    bounds : limits of every learned parameter of a mercer kernel, or a dict of limits by name; a list of them for an array
    fixed : names of parameters that stay as they are; ``length_scale[1]`` is one number of an array, also in ``bounds`` and ``priors``
    priors : densities of parameters by name, anything with ``logpdf``; they join the evidence while parameters are learned
    mean : the mean function: None for 0, a function of X, or a regressor that is fitted first, such as ``LinearRegression()``
    method : "exact" (Cholesky), "sparse" (inducing points, Titsias' bound), "iterative" (parameters by that bound, exact predictions
        by conjugate gradients), or "auto": exact while the matrix fits the memory budget, else sparse
    n_inducing : how many inducing points, at most
    random_state : chooses the restarts

    Attributes
    ----------
    kernel_ : the kernel with the parameters learned
    log_marginal_likelihood_value_ : the evidence there
    L_, alpha_ : the lower factor of K + noise, and (K + noise)⁻¹ y; for inducing points the factor of theirs, and their weights
    inducing_ : positions of the inducing points among the samples, where there are any
    mean_ : the mean function, fitted
    report_ : the plan and why, the evidence or its bound, jitter, parameters at their bounds, and those not learned

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
        "method": [StrOptions({"auto", *_METHODS})],
        "n_inducing": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        kernel: KernelLike = None,
        *,
        alpha: Any = 1e-10,
        optimizer: Any = "bfgs",
        n_restarts_optimizer: int = 0,
        normalize_y: bool = False,
        copy_X_train: bool = True,
        n_targets: int | None = None,
        random_state: RandomState = None,
        bounds: Any = (1e-5, 1e5),
        fixed: Any = (),
        priors: dict[str, Any] | None = None,
        mean: Any = None,
        method: str = "auto",
        n_inducing: int = 500,
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

    # -- fit ---------------------------------------------------------------------------------------------------------

    @fits
    def fit(self, X: RawSamples, y: Targets) -> Self:
        """Learn the parameters by the evidence of ``y``, one or several numbers for each sample in ``X``."""
        start = time.perf_counter()
        X, y = self._begin(X, y, numbers=True)
        y = np.asarray(y, dtype=np.float64)
        many = 1 if y.ndim == 1 else y.shape[1]
        if self.n_targets is not None and many != self.n_targets:
            raise ValueError(
                explain("n_targets", self.n_targets, f"is not the number of columns of y, {many}")
            )
        self.X_train_ = np.copy(X) if self.copy_X_train and self._takes_vectors() else X
        self.mean_ = fitted_mean(self.mean, X, y)
        y = y - mean_at(self.mean_, X, y.shape)
        self._y_train_mean = y.mean(axis=0) if self.normalize_y else np.zeros(y.shape[1:])
        spread = y.std(axis=0) if self.normalize_y else np.ones(y.shape[1:])
        self._y_train_std = np.where(
            spread > 10 * np.finfo(float).eps * np.abs(self._y_train_mean), spread, 1.0
        )
        self.y_train_ = (y - self._y_train_mean) / self._y_train_std
        model = self._made()
        model.fit(self.X_train_)
        found = self._inference(model)
        evaluations = self._learn(model, found.objective)
        if isinstance(found, Sparse):
            evaluations += self._learn_again(model, found)
        found.settle()
        if found.jitter:
            rule = f"was not enough: {found.jitter:.3g} had to be added to the diagonal of K"
            warn(explain("alpha", self.alpha, rule, "raise alpha, or remove duplicate samples"))
        self._found, self._model, self.kernel_ = found, model, model.kernel
        self.L_ = found.lower
        self.alpha_ = found.dual[:, 0] if y.ndim == 1 else found.dual
        self.__dict__.pop("inducing_", None)
        if isinstance(found, Sparse):
            self.inducing_ = found.inducing
        self.log_marginal_likelihood_value_ = found.value
        self.report_ = FitReport(
            model.kernel if model.ours is model.kernel else repr(model.kernel),
            found.plan,
            f"optimizer {self.optimizer}",
            len(y),
            time.perf_counter() - start,
            facts={
                "bound": found.bound,
                "likelihood": found.likelihood,
                "jitter": found.jitter,
                "evaluations": evaluations,
                "at_bounds": tuple(at_bounds(model)),
                "kept": tuple(model.kept),
            },
        )
        return self

    def _inference(self, model: Learned | Theirs) -> Exact | Sparse:
        """The way to the posterior that was asked for, or that fits the memory."""
        n = len(self.y_train_)
        if isinstance(self.alpha, np.ndarray):
            if self.alpha.shape != (n,):
                raise ValueError(
                    f"alpha must be a scalar or an array with same number of entries as y. ({self.alpha.shape} != ({n},))"
                )
            if not ((self.alpha >= 0) & np.isfinite(self.alpha)).all():
                raise ValueError(explain("alpha", self.alpha, "must be variances: finite and >= 0"))
        Y = self.y_train_[:, None] if self.y_train_.ndim == 1 else self.y_train_
        noise = np.asarray(self.alpha, dtype=float)
        plan = plan_matrix(n, WHOLE, required=self.method == "exact")
        if self.method in ("exact", "auto") and plan.stored:
            return Exact(model, self.X_train_, Y, noise)
        why = "asked for"
        if self.method == "auto":
            size = format_bytes(plan.bytes)
            why = f"the matrix of {size} exceeds the memory budget of {budget_text()}"
        kind = Iterative if self.method == "iterative" else Sparse
        return kind(model, self.X_train_, Y, noise, self.n_inducing, why)

    def _learn_again(self, model: Learned | Theirs, found: Sparse) -> int:
        """Inducing points that suit the parameters, and parameters that suit the points, while the bound rises."""
        if self.optimizer is None or len(model.theta) == 0 or found.count == len(self.y_train_):
            return 0
        evaluations, best = 0, found.objective(model.theta, False)[0]
        for _ in range(_ROUNDS - 1):
            theta, points = model.theta, found.inducing
            found.choose()
            evaluations += self._learn(model, found.objective)
            value = found.objective(model.theta, False)[0]
            if value <= best:
                model.theta, found.inducing = theta, points
                break
            rise, best = value - best, value
            if rise < 1e-4 * abs(best):
                break
        return evaluations

    def log_marginal_likelihood(
        self, theta: Any = None, eval_gradient: bool = False, clone_kernel: bool = True
    ) -> Any:
        """The evidence of the training data for the logarithms ``theta`` of the parameters, and its gradient if asked for.

        With inducing points it is the bound, for the points of the fit.
        """
        self._check_fitted()
        if theta is None:
            if eval_gradient:
                raise ValueError("Gradient can only be evaluated for theta!=None")
            return self.log_marginal_likelihood_value_
        found = copy.copy(self._found)
        if clone_kernel:
            found.model = self._made(self.kernel_)
        found.model.fit(self.X_train_)
        value, slope = found.objective(np.asarray(theta, dtype=float), eval_gradient)
        return (value, slope) if eval_gradient else value

    def _check_fitted(self) -> None:
        """An unfitted process predicts from its prior, so that scikit-learn's own check lets it pass."""
        if not hasattr(self, "X_train_"):
            raise NotFittedError(
                type(self).__name__, "unfitted", "has seen no data", "call fit(X, y) first"
            )

    # -- predict -----------------------------------------------------------------------------------------------------

    def predict(self, X: RawSamples, return_std: bool = False, return_cov: bool = False) -> Any:
        """The mean, and the standard deviations or the covariance.

        They are of the function, without ``alpha``; a `White` term of the kernel is part of it and counts, as in scikit-learn.
        """
        if return_std and return_cov:
            raise RuntimeError("At most one of return_std or return_cov can be requested.")
        fitted = hasattr(self, "X_train_")
        X = (
            self._check_X(X, reset=False)
            if fitted or not self._takes_vectors()
            else check_array(X, dtype=np.float64)
        )
        if not fitted:
            return self._prior(X, return_std, return_cov)
        if return_std:
            mean, variance = self._found.mean_and_variance(X)
            return self._turned_back(X, mean), np.sqrt(self._scaled_back(variance))
        mean = self._turned_back(X, self._found.mean(X))
        return (mean, self._scaled_back(self._found.covariance(X))) if return_cov else mean

    def _turned_back(self, X: RawSamples, mean: np.ndarray) -> np.ndarray:
        if self.y_train_.ndim == 1:
            mean = mean[:, 0]
        mean = self._y_train_std * mean + self._y_train_mean + mean_at(self.mean_, X, mean.shape)
        return mean[:, 0] if mean.ndim == 2 and mean.shape[1] == 1 else mean

    def _scaled_back(self, variance: np.ndarray) -> np.ndarray:
        made = np.multiply.outer(variance, self._y_train_std**2)
        return made[..., 0] if made.shape[-1:] == (1,) and np.ndim(self._y_train_std) == 1 else made

    def _prior(self, X: RawSamples, return_std: bool, return_cov: bool) -> Any:
        model = self._made()
        many = 1 if self.n_targets is None else self.n_targets
        mean = np.zeros(raw_length(X) if many == 1 else (raw_length(X), many))
        if self.mean is not None and not hasattr(self.mean, "fit"):  # a regressor knows nothing yet
            mean = mean + mean_at(self.mean, X, mean.shape)
        if return_cov:
            K = model.own(X)
            return mean, K if many == 1 else np.repeat(K[:, :, None], many, axis=-1)
        if return_std:
            std = np.sqrt(model.diag(X))
            return mean, std if many == 1 else np.repeat(std[:, None], many, axis=-1)
        return mean

    def sample_y(
        self, X: RawSamples, n_samples: int = 1, random_state: RandomState = 0
    ) -> np.ndarray:
        """Draw functions and evaluate them at ``X``; one column per draw."""
        rng = check_random_state(random_state)
        mean, covariance = self.predict(X, return_cov=True)
        if mean.ndim == 1:
            return rng.multivariate_normal(mean, covariance, n_samples).T
        drawn = [
            rng.multivariate_normal(mean[:, target], covariance[..., target], n_samples).T[
                :, np.newaxis
            ]
            for target in range(mean.shape[1])
        ]
        return np.hstack(drawn)

    def leave_one_out(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Mean, standard deviation and log-density of every noisy observation given all the others, in closed form."""
        self._check_fitted()
        if not isinstance(self._found, Exact):
            raise ValueError(
                explain(
                    "method",
                    self.method,
                    "has no leave-one-out in closed form",
                    "fit with method='exact'",
                )
            )
        inverse = linalg.lapack.dpotri(self.L_.T, lower=0)[0].diagonal()
        dual = self.alpha_
        variance = 1.0 / inverse
        shaped = variance if dual.ndim == 1 else variance[:, None]
        gap = dual * shaped
        density = (
            -0.5 * np.log(2 * np.pi * shaped) - 0.5 * gap**2 / shaped - np.log(self._y_train_std)
        )
        mean = (
            self._y_train_std * (self.y_train_ - gap)
            + self._y_train_mean
            + mean_at(self.mean_, self.X_train_, gap.shape)
        )
        return mean, np.sqrt(shaped) * self._y_train_std, density

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        return tags
