"""Relevance vector machines: sparse Bayesian regression and classification."""

from __future__ import annotations

import time
from collections.abc import Iterator
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from mercer.aliases import Gamma, KernelLike, ParameterRules, RawSamples, Targets
from mercer.domains.base import pick_rows, raw_length
from mercer.errors import ParameterError, warn
from mercer.estimators.common.averaging import averaged
from mercer.estimators.common.base import KERNEL_RULES, KernelEstimator
from mercer.estimators.common.expansion import Expansion
from mercer.estimators.common.fitting import fits, iteration_callback
from mercer.estimators.common.report import FitReport
from mercer.estimators.common.training import Training, begin, begin_classes
from mercer.execution.blas import serial_blas
from mercer.gram.matrix import Matrix
from mercer.gram.plan import PRODUCTS
from mercer.solvers.rvm import Basis, Gaussian, Logistic, Relevance

_LARGEST = 1e150  # whose square is still a number
_BLOCK = 1024  # new samples whose variance is computed at a time


class _RelevanceMachine(KernelEstimator):
    """What both machines share: the basis, the functions that stay, and the variance of the latent function."""

    needs: ClassVar[str] = "any"

    _parameter_constraints: ClassVar[ParameterRules] = {
        **KERNEL_RULES,
        "fit_intercept": ["boolean"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="neither")],
    }

    def _maximise(self, matrix: Matrix, likelihood: Gaussian | Logistic) -> Relevance:
        """The functions that the evidence keeps, in order of the samples."""
        given = vars(self)
        basis = Basis(matrix, given["fit_intercept"])
        # many small matrices: BLAS threads would wait for each other, and large ones run on ours
        with serial_blas():
            result = likelihood.maximise(basis, given["max_iter"], iteration_callback(self))
        if not result.converged:
            limits = f"raise max_iter={given['max_iter']}, or tol={given['tol']}"
            message = f"the evidence still rises after {result.iterations} steps; {limits}"
            warn(message, ConvergenceWarning)
        order = np.argsort(result.active)
        result.active, result.alpha = result.active[order], result.alpha[order]
        result.mean = result.mean[order]
        result.covariance = result.covariance[np.ix_(order, order)]
        return result

    def _keep(self, data: Training, results: list[Relevance], matrix: Matrix, start: float) -> None:
        """The union of the functions that the problems kept, and the weights of all on it."""
        constant = int(vars(self)["fit_intercept"])
        used = np.unique(np.concatenate([result.active for result in results]))
        kept = used[used >= constant] - constant
        self.kernel_ = data.kernel
        self.relevance_ = data.rows[kept]
        self.relevance_vectors_ = None
        if data.kernel is not None:
            self.relevance_vectors_ = pick_rows(data.X, self.relevance_)
        self._n_training = data.n_given
        self._covariances = [result.covariance for result in results]
        weights = np.zeros((len(results), len(kept) + 1))
        precisions = np.full_like(weights, np.inf)
        for row, result in enumerate(results):
            places = 1 + np.searchsorted(kept, result.active - constant)
            places = np.where(result.active < constant, 0, places)
            weights[row, places], precisions[row, places] = result.mean, result.alpha
        self.intercept_: Any = weights[:, 0]
        self.intercept_alpha_: Any = precisions[:, 0]
        self.dual_coef_, self.alpha_ = weights[:, 1:], precisions[:, 1:]
        self.n_iter_ = max(result.iterations for result in results)
        self.log_marginal_likelihood_value_ = float(np.mean([result.value for result in results]))
        self.report_ = FitReport(
            data.kernel,
            str(matrix.plan),
            "sequential maximisation of the evidence",
            data.count,
            time.perf_counter() - start,
            all(result.converged for result in results),
            {
                "likelihood": self.log_marginal_likelihood_value_,
                "iterations": self.n_iter_,
                "relevant": len(kept),
            },
        )

    def _expansion(self) -> Expansion:
        return Expansion(self.kernel_, self.relevance_vectors_, self.relevance_, self._n_training)

    def _functions(self, X: RawSamples) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Blocks of new samples: their positions, and the constant and all relevant columns there."""
        for start in range(0, raw_length(X), _BLOCK):
            rows = np.arange(start, min(raw_length(X), start + _BLOCK))
            values = np.ones((len(rows), 1 + len(self.relevance_)))
            if len(self.relevance_):
                identity = np.eye(len(self.relevance_))
                values[:, 1:] = self._expansion().apply(pick_rows(X, rows), identity)
            yield rows, values

    def _latent(self, X: RawSamples) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance of every latent function, a column for each problem."""
        shape = raw_length(X), len(self._covariances)
        mean, variance = np.empty(shape), np.empty(shape)
        weights = np.column_stack([np.atleast_1d(self.intercept_), np.atleast_2d(self.dual_coef_)])
        precisions = np.column_stack(
            [np.atleast_1d(self.intercept_alpha_), np.atleast_2d(self.alpha_)]
        )
        for rows, Phi in self._functions(X):
            mean[rows] = Phi @ weights.T
            for number, covariance in enumerate(self._covariances):
                own = Phi[:, np.isfinite(precisions[number])]
                variance[rows, number] = np.einsum("ij,ij->i", own @ covariance, own)
        return mean, np.maximum(variance, 0.0)


class RVR(RegressorMixin, _RelevanceMachine):
    """Relevance vector regression: few samples, found by the evidence, carry the function; the noise is learned.

    The basis is the constant and the columns of the kernel matrix, so the kernel may be any function of two samples. It is a Bayesian
    linear model, not a Gaussian process: away from the relevance vectors the functions of a local kernel vanish, and with them the
    variance. ``return_std`` is then the noise alone, where a `GaussianProcessRegressor` says that it does not know.

    Parameters
    ----------
    kernel, gamma, degree, coef0 : as in `SVR`
    fit_intercept : whether the constant is in the basis
    noise_variance : the variance of the noise; None to learn it
    max_iter : steps, each of which moves one function in, out, or to another precision
    tol : rise of the evidence that is no more worth a step, and relative change of a precision that is none

    Attributes
    ----------
    relevance_ : positions of the samples that carry the function, the constant not among them
    relevance_vectors_ : these samples
    dual_coef_, intercept_ : the mean of their weights, and of the constant's
    alpha_, intercept_alpha_ : the precisions; infinite for a constant that was left out
    covariance_ : of the weights, the constant first if it is in use
    noise_variance_ : given or learned
    log_marginal_likelihood_value_ : the evidence

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

    _parameter_constraints: ClassVar[ParameterRules] = {
        **_RelevanceMachine._parameter_constraints,
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
    def fit(self, X: RawSamples, y: Targets) -> Self:
        """Find the relevant samples for the numbers ``y``."""
        start = time.perf_counter()
        data = begin(self, X, y, None, target="number")
        # squares stay finite while the targets have magnitude 1
        size = float(np.abs(data.y).max()) or 1.0
        if size > _LARGEST:
            rule = f"has no finite variance beyond {_LARGEST:g}"
            raise ParameterError("y", f"values up to {size:.3g}", rule, "scale y")
        matrix = data.matrix(PRODUCTS)
        likelihood = Gaussian(data.y / size, self._scaled_noise(size), self.tol)
        result = self._maximise(matrix, likelihood)
        result.mean, result.alpha = result.mean * size, result.alpha / size**2
        result.covariance = result.covariance * size**2
        result.value -= data.count * np.log(size)
        self._keep(data, [result], matrix, start)
        self.noise_variance_ = likelihood.noise * size**2
        self.covariance_ = result.covariance
        self.dual_coef_, self.alpha_ = self.dual_coef_[0], self.alpha_[0]
        self.intercept_ = float(self.intercept_[0])
        self.intercept_alpha_ = float(self.intercept_alpha_[0])
        return self

    def _scaled_noise(self, size: float) -> float | None:
        if self.noise_variance is None:
            return None
        noise = self.noise_variance / size**2
        if not 0 < noise < np.inf:
            rule = f"cannot be distinguished from 0 beside targets of {size:.3g}"
            raise ParameterError("noise_variance", self.noise_variance, rule)
        return noise

    def predict(self, X: RawSamples, return_std: bool = False) -> Any:
        """The mean, and the standard deviation of a new observation: of the noise and of the weights."""
        check_is_fitted(self)
        X = self._check_X(X, reset=False)
        if not return_std:
            return self._expansion().apply(X, self.dual_coef_[:, None])[:, 0] + self.intercept_
        mean, variance = self._latent(X)
        return mean[:, 0], np.sqrt(self.noise_variance_ + variance[:, 0])


class RVC(ClassifierMixin, _RelevanceMachine):
    """Relevance vector classification: logistic, by Laplace's approximation, with few samples and probabilities.

    More than two classes: one machine for each against the rest, their probabilities normalised. As with `RVR` the variance vanishes
    away from the relevance vectors, so a probability there is as sure as the constant makes it.

    Parameters
    ----------
    kernel, gamma, degree, coef0, fit_intercept, max_iter, tol : as in `RVR`

    Attributes
    ----------
    classes_ : the labels
    relevance_ : positions of all samples that carry some machine
    dual_coef_, intercept_, alpha_, intercept_alpha_ : as in `RVR`, a row for each machine; 0 and infinite where it has no use for a sample

    Examples
    --------
    >>> from mercer import RBF, RVC
    >>> X = [[0.0], [0.5], [1.0], [4.0], [4.5], [5.0]]
    >>> model = RVC(RBF()).fit(X, ["low"] * 3 + ["high"] * 3)
    >>> model.predict([[0.2], [4.8]]).tolist(), len(model.relevance_)
    (['low', 'high'], 2)
    """

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
    def fit(self, X: RawSamples, y: Targets) -> Self:
        """Find the relevant samples for the labels ``y``."""
        start = time.perf_counter()
        data = begin_classes(self, X, y, None)
        matrix = data.matrix(PRODUCTS)
        against_rest = [1] if len(self.classes_) == 2 else range(len(self.classes_))
        results = [
            self._maximise(matrix, Logistic((data.y == c).astype(float), self.tol))
            for c in against_rest
        ]
        self._keep(data, results, matrix, start)
        self.covariance_: Any = self._covariances
        if len(results) == 1:
            self.covariance_ = self._covariances[0]
        return self

    def decision_function(self, X: RawSamples) -> np.ndarray:
        """The latent function at the mean of the weights; a column for each class where there are more than two."""
        check_is_fitted(self)
        X = self._check_X(X, reset=False)
        made = self._expansion().apply(X, np.ascontiguousarray(self.dual_coef_.T)) + self.intercept_
        return made[:, 0] if made.shape[1] == 1 else made

    def predict_proba(self, X: RawSamples) -> np.ndarray:
        """Probabilities, averaged over the weights."""
        check_is_fitted(self)
        mean, variance = self._latent(self._check_X(X, reset=False))
        each = np.column_stack([averaged(m, v) for m, v in zip(mean.T, variance.T, strict=True)])
        if len(self.classes_) == 2:
            return np.column_stack([1 - each[:, 0], each[:, 0]])
        total = each.sum(axis=1, keepdims=True)
        return np.where(total > 0, each / np.where(total > 0, total, 1.0), 1.0 / each.shape[1])

    def predict(self, X: RawSamples) -> np.ndarray:
        """The likeliest class."""
        made = self.decision_function(X)
        return self.classes_[
            (made > 0).astype(int) if made.ndim == 1 else np.argmax(self.predict_proba(X), axis=1)
        ]
