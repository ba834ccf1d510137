"""Gaussian process regression: a distribution over functions, its parameters learned by the evidence."""

from __future__ import annotations

import dataclasses
import time
import warnings
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from scipy import linalg
from sklearn.base import MultiOutputMixin, RegressorMixin
from sklearn.gaussian_process.kernels import Kernel as TheirKernel
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_array, validate_data

from mercer.config import format_bytes
from mercer.domains.base import raw_length
from mercer.errors import ShapeError, explain
from mercer.estimators.base import Expansion, KernelEstimator, check_is_fitted
from mercer.estimators.fitting import fits, step_teller
from mercer.estimators.gp_learning import at_bounds, learn
from mercer.estimators.hyper import Learned, Theirs, as_learned
from mercer.gram.engine import check_budget
from mercer.solvers.evidence import Evidence, evidence

_BLOCK = 1024  # new samples whose variance is computed at a time


@dataclasses.dataclass(frozen=True)
class GaussianProcessReport:
    """What a Gaussian process learned, and how."""

    kernel: str
    plan: str
    likelihood: float
    jitter: float
    evaluations: int
    at_bounds: tuple[str, ...]
    seconds: float

    def __str__(self) -> str:
        jitter = f", jitter {self.jitter:.3g} on the diagonal" if self.jitter else ""
        bounds = f"; at their bounds: {', '.join(self.at_bounds)}" if self.at_bounds else ""
        return "\n".join(
            [
                f"kernel      {self.kernel}",
                f"plan        {self.plan}{jitter}",
                f"evidence    log marginal likelihood {self.likelihood:.10g} after {self.evaluations} evaluations{bounds}",
                f"            {self.seconds:.3g} s",
            ]
        )


class GaussianProcessRegressor(MultiOutputMixin, RegressorMixin, KernelEstimator):
    """Gaussian process regression with scikit-learn's parameters and attributes, on any kernel.

    Parameters
    ----------
    kernel : a mercer kernel, an expression, or a kernel of ``sklearn.gaussian_process.kernels``. By default ``1.0 * RBF(1.0)``
    alpha : variance of the noise, one number or one for each sample
    optimizer : "fmin_l_bfgs_b", None, or a function of (objective, start, bounds) as in scikit-learn
    n_restarts_optimizer : further starts, drawn within the bounds
    normalize_y : learn (y − mean)/deviation; predictions are turned back
    bounds : limits of every learned parameter of a mercer kernel, or a dict of limits by name
    fixed : names of parameters that stay as they are
    random_state : chooses the restarts

    Attributes
    ----------
    kernel_ : the kernel with the parameters learned
    log_marginal_likelihood_value_ : the evidence there
    L_, alpha_ : the lower factor of K + noise, and (K + noise)⁻¹ y

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

    needs: ClassVar[str] = "psd"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "alpha": [Interval(Real, 0, None, closed="left"), np.ndarray],
        "optimizer": [StrOptions({"fmin_l_bfgs_b"}), callable, None],
        "n_restarts_optimizer": [Interval(Integral, 0, None, closed="left")],
        "normalize_y": ["boolean"],
        "copy_X_train": ["boolean"],
        "n_targets": [Interval(Integral, 1, None, closed="left"), None],
        "random_state": ["random_state"],
        "bounds": ["array-like", dict],
        "fixed": ["array-like"],
    }

    def __init__(
        self,
        kernel: Any = None,
        *,
        alpha: Any = 1e-10,
        optimizer: Any = "fmin_l_bfgs_b",
        n_restarts_optimizer: int = 0,
        normalize_y: bool = False,
        copy_X_train: bool = True,
        n_targets: int | None = None,
        random_state: Any = None,
        bounds: Any = (1e-5, 1e5),
        fixed: Any = (),
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

    # -- the kernel --------------------------------------------------------------------------------------------------

    def _made(self, kernel: Any = None) -> Learned | Theirs:
        return as_learned(self.kernel if kernel is None else kernel, self.bounds, self.fixed)

    def _takes_vectors(self) -> bool:
        if isinstance(self.kernel, TheirKernel):
            return bool(self.kernel.requires_vector_input)
        return super()._takes_vectors()

    # -- fit ---------------------------------------------------------------------------------------------------------

    @fits
    def fit(self, X: Any, y: Any) -> Self:
        """Learn the parameters by the evidence of ``y``, one or several numbers for each sample in ``X``."""
        start = time.perf_counter()
        if y is None:
            raise ValueError(f"This {type(self).__name__} estimator requires y to be passed, but the target y is None")
        model = self._made()
        if self._takes_vectors():
            X, y = validate_data(self, X, y, multi_output=True, y_numeric=True, dtype=np.float64, ensure_2d=True)
        else:
            X = self._check_X(X, reset=True)
            y = check_array(y, ensure_2d=False, dtype=np.float64)
            if len(y) != raw_length(X):
                raise ShapeError(explain("y", f"{len(y)} values", f"must have one for each of the {raw_length(X)} samples"))
        y = np.asarray(y, dtype=np.float64)
        if self.n_targets is not None and (1 if y.ndim == 1 else y.shape[1]) != self.n_targets:
            rule = f"is not the number of columns of y, {1 if y.ndim == 1 else y.shape[1]}"
            raise ValueError(explain("n_targets", self.n_targets, rule))
        n = raw_length(X)
        if isinstance(self.alpha, np.ndarray) and self.alpha.shape != (n,):
            raise ValueError(f"alpha must be a scalar or an array with same number of entries as y. ({self.alpha.shape} != ({n},))")
        check_budget(n, n, np.float64)
        self._y_train_mean = y.mean(axis=0) if self.normalize_y else np.zeros(y.shape[1:])
        spread = y.std(axis=0) if self.normalize_y else np.ones(y.shape[1:])
        self._y_train_std = np.where(spread > 10 * np.finfo(float).eps * np.abs(self._y_train_mean), spread, 1.0)
        self.X_train_ = np.copy(X) if self.copy_X_train and isinstance(X, np.ndarray) else X
        self.y_train_ = (y - self._y_train_mean) / self._y_train_std
        model.fit(self.X_train_)
        self._evaluations = 0
        self._model = model
        self.kernel_ = model.kernel
        self._learn(model)
        found = self._evidence(model, patient=True)
        if found is None:
            rule = "gives a matrix that is not positive definite, even with jitter"
            raise np.linalg.LinAlgError(explain("kernel", self.kernel_, rule, "raise alpha, or look at kernel.certificate()"))
        if found.jitter:
            rule = f"was not enough: {found.jitter:.3g} had to be added to the diagonal of K"
            warnings.warn(explain("alpha", self.alpha, rule, "raise alpha, or remove duplicate samples"), stacklevel=4)
        self.L_ = np.tril(found.upper.T)
        self.alpha_ = found.alpha[:, 0] if y.ndim == 1 else found.alpha
        self.log_marginal_likelihood_value_ = found.value
        self.report_ = GaussianProcessReport(
            repr(self.kernel_),
            f"exact, dense Gram matrix, float64, {format_bytes(8 * n * n)}, Cholesky",
            found.value,
            found.jitter,
            self._evaluations,
            tuple(at_bounds(model)),
            time.perf_counter() - start,
        )
        return self

    def _columns(self) -> np.ndarray:
        return self.y_train_[:, None] if self.y_train_.ndim == 1 else self.y_train_

    def _evidence(self, model: Learned | Theirs, patient: bool = False) -> Evidence | None:
        return evidence(model.gram(self.X_train_), np.asarray(self.alpha, dtype=float), self._columns(), patient)

    def _objective(self, model: Learned | Theirs, theta: np.ndarray, slope: bool) -> tuple[float, np.ndarray]:
        """The log marginal likelihood at θ, and its gradient."""
        model.theta = theta
        self._evaluations += 1
        found = self._evidence(model)
        if found is None or not np.isfinite(found.value):
            return -np.inf, np.zeros(len(theta))
        return found.value, model.slope(self.X_train_, found.weights()) if slope else np.zeros(0)

    def _learn(self, model: Learned | Theirs) -> None:
        tell = step_teller(self)

        def minus(theta: np.ndarray, eval_gradient: bool = True) -> Any:
            value, slope = self._objective(model, theta, eval_gradient)
            if tell is not None and tell(self._evaluations, value):
                raise StopIteration
            return (-value, -slope) if eval_gradient else -value

        learn(model, minus, self.optimizer, self.n_restarts_optimizer, self.random_state, self.kernel)

    def log_marginal_likelihood(self, theta: Any = None, eval_gradient: bool = False, clone_kernel: bool = True) -> Any:
        """The evidence of the training data for the logarithms ``theta`` of the parameters, and its gradient if asked for."""
        check_is_fitted(self)
        if theta is None:
            if eval_gradient:
                raise ValueError("Gradient can only be evaluated for theta!=None")
            return self.log_marginal_likelihood_value_
        model = self._made(self.kernel_) if clone_kernel else self._model
        if not clone_kernel or isinstance(model, Learned):
            model.fit(self.X_train_)
        value, slope = self._objective(model, np.asarray(theta, dtype=float), eval_gradient)
        return (value, slope) if eval_gradient else value

    # -- predict -----------------------------------------------------------------------------------------------------

    def predict(self, X: Any, return_std: bool = False, return_cov: bool = False) -> Any:
        """The mean, and the standard deviations or the covariance of the function (not of a noisy observation)."""
        if return_std and return_cov:
            raise RuntimeError("At most one of return_std or return_cov can be requested.")
        fitted = hasattr(self, "X_train_")
        X = self._check_X(X, reset=False) if fitted or not self._takes_vectors() else check_array(X, dtype=np.float64)
        if not fitted:
            return self._prior(X, return_std, return_cov)
        mean = self._turned_back(self._mean(X))
        if return_cov:
            K = self._model.cross(X, self.X_train_)
            V = linalg.solve_triangular(self.L_, K.T, lower=True, check_finite=False)
            return mean, self._scaled_back(self._model.gram(X) - V.T @ V)
        if return_std:
            return mean, np.sqrt(self._scaled_back(self._variance(X)))
        return mean

    def _mean(self, X: Any) -> np.ndarray:
        dual = self.alpha_ if self.alpha_.ndim == 2 else self.alpha_[:, None]
        if isinstance(self._model, Learned):
            n = raw_length(self.X_train_)
            made = Expansion(self._model.kernel, self.X_train_, np.arange(n), n).apply(X, np.ascontiguousarray(dual))
        else:
            made = self._model.cross(X, self.X_train_) @ dual
        return made if self.alpha_.ndim == 2 else made[:, 0]

    def _variance(self, X: Any) -> np.ndarray:
        """k(x, x) − ‖L⁻¹k(x)‖², a block of samples at a time."""
        from mercer.domains.base import pick_rows

        variance = self._model.diag(X)
        for start in range(0, len(variance), _BLOCK):
            rows = np.arange(start, min(len(variance), start + _BLOCK))
            K = self._model.cross(pick_rows(X, rows), self.X_train_)
            # K is in C order, Lᵀ in Fortran order as it lies: solve from the right, in place
            V = linalg.blas.dtrsm(1.0, self.L_.T, K.T, trans_a=1, overwrite_b=1)
            variance[rows] -= np.einsum("ij,ij->j", V, V)
        negative = variance < 0
        if negative.any():
            if variance.min() < -1e-6 * max(float(np.abs(variance).max()), 1e-300):
                warnings.warn("Predicted variances smaller than 0. Setting those variances to 0.", stacklevel=3)
            variance[negative] = 0.0
        return variance

    def _turned_back(self, mean: np.ndarray) -> np.ndarray:
        mean = self._y_train_std * mean + self._y_train_mean
        return mean[:, 0] if mean.ndim == 2 and mean.shape[1] == 1 else mean

    def _scaled_back(self, variance: np.ndarray) -> np.ndarray:
        made = np.multiply.outer(variance, self._y_train_std**2)
        return made[..., 0] if made.shape[-1:] == (1,) and np.ndim(self._y_train_std) == 1 else made

    def _prior(self, X: Any, return_std: bool, return_cov: bool) -> Any:
        model = self._made()
        many = 1 if self.n_targets is None else self.n_targets
        mean = np.zeros((raw_length(X), many)).squeeze(axis=1) if many == 1 else np.zeros((raw_length(X), many))
        if return_cov:
            K = model.gram(X)
            return mean, K if many == 1 else np.repeat(K[:, :, None], many, axis=-1)
        if return_std:
            std = np.sqrt(model.diag(X))
            return mean, std if many == 1 else np.repeat(std[:, None], many, axis=-1)
        return mean

    def sample_y(self, X: Any, n_samples: int = 1, random_state: Any = 0) -> np.ndarray:
        """Draw functions and evaluate them at ``X``; one column per draw."""
        rng = check_random_state(random_state)
        mean, covariance = self.predict(X, return_cov=True)
        if mean.ndim == 1:
            return rng.multivariate_normal(mean, covariance, n_samples).T
        drawn = [
            rng.multivariate_normal(mean[:, target], covariance[..., target], n_samples).T[:, np.newaxis] for target in range(mean.shape[1])
        ]
        return np.hstack(drawn)

    def leave_one_out(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Mean, standard deviation and log-density of every noisy observation given all the others, in closed form."""
        check_is_fitted(self)
        inverse = linalg.lapack.dpotri(self.L_.T, lower=0)[0].diagonal()
        dual = self.alpha_
        variance = 1.0 / inverse
        shaped = variance if dual.ndim == 1 else variance[:, None]
        gap = dual * shaped
        density = -0.5 * np.log(2 * np.pi * shaped) - 0.5 * gap**2 / shaped - np.log(self._y_train_std)
        mean = self._y_train_std * (self.y_train_ - gap) + self._y_train_mean
        return mean, np.sqrt(shaped) * self._y_train_std, density

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        tags.input_tags.sparse = False
        return tags
