"""Gaussian process classification by Laplace's approximation."""

from __future__ import annotations

import copy
import time
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.gaussian_process.kernels import CompoundKernel
from sklearn.gaussian_process.kernels import Kernel as TheirKernel
from sklearn.utils import column_or_1d
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from mercer.aliases import KernelLike, ParameterRules, RandomState, RawSamples, Targets
from mercer.config import format_bytes
from mercer.domains.base import pick_rows, raw_length
from mercer.errors import ParameterError, explain
from mercer.estimators.common.fitting import fits
from mercer.estimators.common.report import FitReport
from mercer.estimators.gp.base import GaussianProcess
from mercer.estimators.gp.hyperparameters import Learned, Theirs, same_kernel
from mercer.estimators.gp.laplace import Binary, Several
from mercer.estimators.gp.learning import at_bounds
from mercer.gram.plan import require_room
from mercer.kernels.base import Kernel


class GaussianProcessClassifier(ClassifierMixin, GaussianProcess):
    """Gaussian process classification, logistic likelihood, with scikit-learn's parameters, on any kernel.

    More than two classes: one process for each against the rest, or for each pair, with probabilities normalised; or all at once with
    one kernel and a softmax.

    Parameters
    ----------
    kernel, optimizer, n_restarts_optimizer, bounds, fixed, priors, random_state : as in `GaussianProcessRegressor`
    max_iter_predict : Newton steps for the mode, at most
    warm_start : begin at the modes of the last fit, and at its parameters if the given kernel is still the same
    multi_class : "one_vs_rest", "one_vs_one", or "multinomial"

    Examples
    --------
    >>> from mercer import RBF, GaussianProcessClassifier
    >>> model = GaussianProcessClassifier(4.0 * RBF(), optimizer=None).fit([[0.0], [1.0], [4.0], [5.0]], ["low", "low", "high", "high"])
    >>> model.predict([[0.5], [4.5]]).tolist(), float(model.predict_proba([[50.0]])[0, 0])
    (['low', 'high'], 0.5)
    """

    _parameter_constraints: ClassVar[ParameterRules] = {
        **GaussianProcess._parameter_constraints,
        "max_iter_predict": [Interval(Integral, 1, None, closed="left")],
        "warm_start": ["boolean"],
        "multi_class": [StrOptions({"one_vs_rest", "one_vs_one", "multinomial"})],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        kernel: KernelLike = None,
        *,
        optimizer: Any = "bfgs",
        n_restarts_optimizer: int = 0,
        max_iter_predict: int = 100,
        warm_start: bool = False,
        copy_X_train: bool = True,
        random_state: RandomState = None,
        multi_class: str = "one_vs_rest",
        n_jobs: int | None = None,
        bounds: Any = (1e-5, 1e5),
        fixed: Any = (),
        priors: dict[str, Any] | None = None,
    ) -> None:
        self.kernel = kernel
        self.optimizer = optimizer
        self.n_restarts_optimizer = n_restarts_optimizer
        self.max_iter_predict = max_iter_predict
        self.warm_start = warm_start
        self.copy_X_train = copy_X_train
        self.random_state = random_state
        self.multi_class = multi_class
        self.n_jobs = n_jobs
        self.bounds = bounds
        self.fixed = fixed
        self.priors = priors

    @fits
    def fit(self, X: RawSamples, y: Targets) -> Self:
        """Learn the parameters by the approximate evidence of the labels ``y``."""
        start = time.perf_counter()
        X, y = self._begin(X, y, numbers=False)
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        n = raw_length(X)
        self.classes_, label = np.unique(y, return_inverse=True)
        self.n_classes_ = len(self.classes_)
        many = self.n_classes_ if self.multi_class == "multinomial" and self.n_classes_ > 2 else 1
        what = "the dense Gram matrix" if many == 1 else "a Gram matrix for each of the classes"
        require_room(n * many, n, np.float64, what)
        if self.n_classes_ < 2:
            raise ValueError(
                f"GaussianProcessClassifier requires 2 or more distinct classes; got {self.n_classes_} class"
            )
        past = vars(self).get("_machines", []) if self.warm_start else []
        same = same_kernel(vars(self).get("_given"), self.kernel) and self.optimizer is not None
        self._given = copy.deepcopy(self.kernel)
        X = np.copy(X) if self.copy_X_train and self._takes_vectors() else X
        self._machines, self._pairs = [], self._problems()
        evaluations = 0
        for number, (a, b) in enumerate(self._pairs):
            rows = np.arange(n) if b is None else np.flatnonzero((label == a) | (label == b))
            some = X if len(rows) == n else pick_rows(X, rows)
            machine = self._machine(self._made(), some, label if a is None else label[rows] == a)
            if number < len(past) and len(past) == len(self._pairs):
                machine.mode = past[number].mode
                if same and machine.model.labels() == past[number].model.labels():
                    machine.model.theta = past[number].model.theta
            evaluations += self._learn(machine.model, machine.at)
            machine.settle()
            self._machines.append(machine)
        values = [m.found.value for m in self._machines]
        self.log_marginal_likelihood_value_ = float(np.mean(values))
        kernels = [m.model.kernel for m in self._machines]
        several: Any = (
            CompoundKernel(kernels) if all(isinstance(k, TheirKernel) for k in kernels) else kernels
        )
        self.kernel_ = kernels[0] if len(kernels) == 1 else several
        shown: Any = "; ".join(repr(kernel) for kernel in kernels)
        if len(kernels) == 1 and isinstance(kernels[0], Kernel):
            shown = kernels[0]
        size = format_bytes(8 * n * n)
        self.report_ = FitReport(
            shown,
            f"Laplace, {len(kernels)} problem(s), dense Gram matrix, float64, {size}",
            f"optimizer {self.optimizer}",
            n,
            time.perf_counter() - start,
            facts={
                "likelihood": self.log_marginal_likelihood_value_,
                "evaluations": evaluations,
                "at_bounds": tuple(name for m in self._machines for name in at_bounds(m.model)),
                "kept": tuple(self._machines[0].model.kept),
            },
        )
        return self

    def _machine(
        self, model: Learned | Theirs, X: RawSamples, label: np.ndarray
    ) -> Binary | Several:
        kind = Several if self.multi_class == "multinomial" and self.n_classes_ > 2 else Binary
        return kind(model, X, label, self.max_iter_predict)

    def _problems(self) -> list[tuple[int | None, int | None]]:
        """The class that is 1, and the one that is 0; None for all others, and for all at once."""
        k = self.n_classes_
        if k == 2:
            return [(1, None)]
        if self.multi_class == "multinomial":
            return [(None, None)]
        if self.multi_class == "one_vs_rest":
            return [(c, None) for c in range(k)]
        return [(a, b) for a in range(k) for b in range(a + 1, k)]

    def log_marginal_likelihood(
        self, theta: Any = None, eval_gradient: bool = False, clone_kernel: bool = True
    ) -> Any:
        """The approximate evidence for the logarithms ``theta``, averaged over the problems of several classes."""
        check_is_fitted(self)
        if theta is None:
            if eval_gradient:
                raise ValueError("Gradient can only be evaluated for theta!=None")
            return self.log_marginal_likelihood_value_
        theta = np.asarray(theta, dtype=float)
        count, problems = len(self._machines[0].model.theta), len(self._machines)
        if theta.shape not in ((count,), (problems * count,)):
            many = (
                f", or {problems * count} for the {problems} problems one after the other"
                if problems > 1
                else ""
            )
            raise ParameterError(
                "theta", f"array of shape {theta.shape}", f"must have {count} numbers{many}"
            )
        alike = len(theta) == count
        if eval_gradient and not alike:
            raise ValueError(
                explain(
                    "eval_gradient",
                    True,
                    "is for parameters that all problems share",
                    f"give the {count} of one kernel",
                )
            )
        values, slopes = [], []
        for number, fitted in enumerate(self._machines):
            model = self._made(fitted.model.kernel)
            label = fitted.label if isinstance(fitted, Binary) else fitted.label.argmax(axis=0)
            machine = self._machine(model, fitted.X, label)
            value, slope = machine.at(
                theta if alike else theta[number * count : (number + 1) * count], eval_gradient
            )
            values.append(value)
            slopes.append(slope)
        return (
            (float(np.mean(values)), np.mean(slopes, axis=0))
            if eval_gradient
            else float(np.mean(values))
        )

    def latent_mean_and_variance(self, X: RawSamples) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance of the latent function, for two classes."""
        check_is_fitted(self)
        if self.n_classes_ > 2:
            rule = "is for two classes: with more there is a latent function for each problem"
            raise ValueError(
                explain("latent_mean_and_variance", f"{self.n_classes_} classes", rule)
            )
        return self._machines[0].latent(self._check_X(X, reset=False))  # type: ignore[union-attr]

    def predict_proba(self, X: RawSamples) -> np.ndarray:
        """Probabilities, averaged over the latent function: far from the data they are undecided."""
        check_is_fitted(self)
        X = self._check_X(X, reset=False)
        each = np.column_stack([machine.probabilities(X) for machine in self._machines])
        if self.n_classes_ == 2:
            return np.column_stack([1 - each[:, 0], each[:, 0]])
        if self.multi_class == "one_vs_one":
            votes = np.zeros((len(each), self.n_classes_))
            for number, (a, b) in enumerate(self._pairs):
                votes[:, a] += each[:, number]
                votes[:, b] += 1 - each[:, number]
            each = votes
        total = each.sum(axis=1, keepdims=True)
        return np.where(total > 0, each / np.where(total > 0, total, 1.0), 1.0 / self.n_classes_)

    def predict(self, X: RawSamples) -> np.ndarray:
        """The likeliest class."""
        probability = self.predict_proba(X)
        return self.classes_[
            (probability[:, 1] > 0.5).astype(int)
            if self.n_classes_ == 2
            else np.argmax(probability, axis=1)
        ]
