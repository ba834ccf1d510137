"""Relevance vector machines: sparse Bayesian regression and classification on the columns of a kernel matrix."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from mercer.aliases import Gamma, KernelLike, ParameterRules, RawSamples, Targets
from mercer.config import format_bytes, get_config
from mercer.domains.base import pick_rows, raw_length
from mercer.errors import ParameterError, warn
from mercer.estimators.common.base import KERNEL_RULES, Expansion, KernelEstimator
from mercer.estimators.common.fitting import fits, step_teller
from mercer.estimators.common.report import RelevanceReport
from mercer.estimators.common.training import Training, begin, begin_classes
from mercer.estimators.gp.averaging import averaged
from mercer.execution.blas import serial_blas
from mercer.execution.threads import run
from mercer.execution.workspace import Workspace
from mercer.gram.fill import dense, multiply, visit_rows
from mercer.solvers.rvm import Basis, Gaussian, Logistic, Relevance

_LARGEST = 1e150  # whose square is still a number
_BLOCK = 1024  # new samples whose variance is computed at a time
_STRIP = 256  # functions that a thread looks at at a time


class StoredBasis:
    """The constant, if wanted, and the columns of a stored matrix."""

    def __init__(self, K: np.ndarray, bias: bool) -> None:
        self.Phi = np.column_stack([np.ones(len(K)), K]) if bias else K
        self.count = self.Phi.shape[1]

    def columns(self, which: np.ndarray) -> np.ndarray:
        return self.Phi[:, which]

    def correlate(self, V: np.ndarray) -> np.ndarray:
        return self._by_strips(V.shape[1:], lambda strip: strip.T @ V)

    def energy(self, b: np.ndarray) -> np.ndarray:
        return self._by_strips((), lambda strip: np.square(strip).T @ b)

    def _by_strips(
        self, shape: tuple[int, ...], made: Callable[[np.ndarray], np.ndarray]
    ) -> np.ndarray:
        out = np.empty((self.count, *shape))

        def work_on(number: int, work: Workspace) -> None:
            columns = slice(number * _STRIP, (number + 1) * _STRIP)
            out[columns] = made(self.Phi[:, columns])

        run(-(-self.count // _STRIP), work_on)
        return out


class LazyBasis:
    """The same with a matrix that is computed anew, tile by tile, whenever all of it is met."""

    def __init__(self, data: Training, bias: bool) -> None:
        assert data.kernel is not None
        self.kernel, self.side, self.bias = data.kernel, data.side(), int(bias)
        self.count = len(self.side) + self.bias

    def columns(self, which: np.ndarray) -> np.ndarray:
        made = np.ones((len(self.side), len(which)))
        real = np.flatnonzero(which >= self.bias)
        if len(real):
            made[:, real] = dense(
                self.kernel,
                self.side.take(which[real] - self.bias),
                self.side,
                np.dtype(np.float64),
            ).T
        return made

    def correlate(self, V: np.ndarray) -> np.ndarray:
        made = multiply(self.kernel, self.side, self.side, np.ascontiguousarray(V))
        return np.vstack([V.sum(axis=0), made]) if self.bias else made

    def energy(self, b: np.ndarray) -> np.ndarray:
        made = np.zeros(len(self.side))

        def add(tile: np.ndarray, rows: tuple[int, int], cols: tuple[int, int]) -> None:
            made[slice(*rows)] += np.square(tile) @ b[slice(*cols)]

        visit_rows(self.kernel, self.side, self.side, add)
        return np.append(b.sum(), made) if self.bias else made


class _RelevanceMachine(KernelEstimator):
    """What both machines share: the basis, the functions that stay, and the variance of the latent function."""

    needs: ClassVar[str] = "any"

    _parameter_constraints: ClassVar[ParameterRules] = {
        **KERNEL_RULES,
        "fit_intercept": ["boolean"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="neither")],
    }

    def _basis(self, data: Training) -> tuple[Basis, str]:
        bias, size = bool(vars(self)["fit_intercept"]), 8 * data.count**2
        if (
            data.kernel is None or 2 * size <= get_config().memory_budget
        ):  # the matrix, and the copy that has the constant
            return StoredBasis(
                data.gram(), bias
            ), f"dense Gram matrix, float64, {format_bytes(size)}"
        budget = format_bytes(get_config().memory_budget)
        return (
            LazyBasis(data, bias),
            f"tiles of the Gram matrix computed anew: {format_bytes(size)} exceed half the budget of {budget}",
        )

    def _maximise(self, basis: Basis, likelihood: Gaussian | Logistic) -> Relevance:
        p = vars(self)
        with (
            serial_blas()
        ):  # many small matrices: threads would wait for each other; what is large runs on ours
            found = likelihood.maximise(basis, p["max_iter"], step_teller(self))
        if not found.converged:
            message = f"the evidence still rises after {found.iterations} steps; raise max_iter={p['max_iter']}, or tol={p['tol']}"
            warn(message, ConvergenceWarning)
        order = np.argsort(found.active)
        found.active, found.alpha, found.mean = (
            found.active[order],
            found.alpha[order],
            found.mean[order],
        )
        found.covariance = found.covariance[np.ix_(order, order)]
        return found

    def _keep(self, data: Training, found: list[Relevance], plan: str, start: float) -> None:
        """The union of what the problems kept, and everybody's weights on it."""
        bias = int(vars(self)["fit_intercept"])
        self._found = found
        used = np.unique(np.concatenate([f.active for f in found]))
        kept = used[used >= bias] - bias
        self.relevance_ = data.rows[kept]
        self.relevance_vectors_ = (
            None if data.kernel is None else pick_rows(data.X, self.relevance_)
        )
        self.kernel_ = data.kernel
        self._expansion = Expansion(
            data.kernel, self.relevance_vectors_, self.relevance_, data.width
        )
        weights, precisions = (
            np.zeros((len(found), len(kept) + 1)),
            np.full((len(found), len(kept) + 1), np.inf),
        )
        for row, f in enumerate(found):
            at = np.where(f.active < bias, 0, 1 + np.searchsorted(kept, f.active - bias))
            weights[row, at], precisions[row, at] = f.mean, f.alpha
        self.intercept_: Any = weights[:, 0]
        self.intercept_alpha_: Any = precisions[:, 0]
        self.dual_coef_, self.alpha_ = weights[:, 1:], precisions[:, 1:]
        self.n_iter_ = max(f.iterations for f in found)
        self.log_marginal_likelihood_value_ = float(np.mean([f.value for f in found]))
        name = "precomputed" if data.kernel is None else repr(data.kernel)
        status = "unknown" if data.kernel is None else data.kernel.certify(None).status
        self.report_ = RelevanceReport(
            name,
            status,
            plan,
            self.log_marginal_likelihood_value_,
            len(kept),
            data.count,
            self.n_iter_,
            all(f.converged for f in found),
            time.perf_counter() - start,
        )

    def _functions(self, X: RawSamples) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Blocks of new samples: their positions, and the constant and all relevant columns there."""
        for start in range(0, raw_length(X), _BLOCK):
            rows = np.arange(start, min(raw_length(X), start + _BLOCK))
            values = np.ones((len(rows), 1 + len(self.relevance_)))
            if len(self.relevance_):
                values[:, 1:] = self._expansion.apply(
                    pick_rows(X, rows), np.eye(len(self.relevance_))
                )
            yield rows, values

    def _latent(self, X: RawSamples) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance of every latent function, a column for each problem."""
        mean, variance = (np.empty((raw_length(X), len(self._found))) for _ in range(2))
        weights = np.column_stack([np.atleast_1d(self.intercept_), np.atleast_2d(self.dual_coef_)])
        precisions = np.column_stack(
            [np.atleast_1d(self.intercept_alpha_), np.atleast_2d(self.alpha_)]
        )
        for rows, Phi in self._functions(X):
            mean[rows] = Phi @ weights.T
            for number, found in enumerate(self._found):
                own = Phi[:, np.isfinite(precisions[number])]
                variance[rows, number] = np.einsum("ij,ij->i", own @ found.covariance, own)
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
        basis, plan = self._basis(data)
        size = float(np.abs(data.y).max()) or 1.0  # squares stay finite while it is done
        if size > _LARGEST:
            raise ParameterError(
                "y",
                f"values up to {size:.3g}",
                f"has no finite variance beyond {_LARGEST:g}",
                "scale y",
            )
        noise = None if self.noise_variance is None else self.noise_variance / size**2
        if noise is not None and not 0 < noise < np.inf:
            raise ParameterError(
                "noise_variance",
                self.noise_variance,
                f"cannot be told from 0 beside targets of {size:.3g}",
            )
        likelihood = Gaussian(data.y / size, noise, self.tol)
        found = self._maximise(basis, likelihood)
        found.mean, found.alpha = found.mean * size, found.alpha / size**2
        found.covariance, found.value = (
            found.covariance * size**2,
            found.value - data.count * np.log(size),
        )
        self._keep(data, [found], plan, start)
        self.noise_variance_ = likelihood.noise * size**2
        self.covariance_ = found.covariance
        self.dual_coef_, self.alpha_ = self.dual_coef_[0], self.alpha_[0]
        self.intercept_, self.intercept_alpha_ = (
            float(self.intercept_[0]),
            float(self.intercept_alpha_[0]),
        )
        return self

    def predict(self, X: RawSamples, return_std: bool = False) -> Any:
        """The mean, and the standard deviation of a new observation: of the noise and of the weights."""
        check_is_fitted(self)
        X = self._check_X(X, reset=False)
        if not return_std:
            return self._expansion.apply(X, self.dual_coef_[:, None])[:, 0] + self.intercept_
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
        basis, plan = self._basis(data)
        ones = [1] if len(self.classes_) == 2 else range(len(self.classes_))
        found = [
            self._maximise(basis, Logistic((data.y == c).astype(float), self.tol)) for c in ones
        ]
        self._keep(data, found, plan, start)
        self.covariance_ = found[0].covariance if len(found) == 1 else [f.covariance for f in found]
        return self

    def decision_function(self, X: RawSamples) -> np.ndarray:
        """The latent function at the mean of the weights; a column for each class where there are more than two."""
        check_is_fitted(self)
        X = self._check_X(X, reset=False)
        made = self._expansion.apply(X, np.ascontiguousarray(self.dual_coef_.T)) + self.intercept_
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
