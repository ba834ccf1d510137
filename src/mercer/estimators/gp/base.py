"""Base class of Gaussian processes: which kernel is learned and how, and checks before a fit."""

from __future__ import annotations

import time
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.gaussian_process.kernels import Kernel as SklearnBase
from sklearn.utils._param_validation import Interval, StrOptions

from mercer.aliases import KernelLike, ParameterRules, RandomState, RawSamples, Targets, Weights
from mercer.definiteness import UNKNOWN
from mercer.domains.base import Batch, pick_rows
from mercer.errors import ParameterError
from mercer.estimators.common.base import KernelEstimator, certificate_on
from mercer.estimators.common.fitting import iteration_callback
from mercer.estimators.common.report import FitReport
from mercer.estimators.common.training import Target, check_data
from mercer.estimators.common.validation import check_resolved, check_weights, warn_of_equal_samples
from mercer.estimators.gp import learning
from mercer.estimators.gp.bounds import BoundsLike, Names
from mercer.estimators.gp.hyperparameters import Hyperparameters, check_status
from mercer.estimators.gp.kernel_argument import choose_hyperparameters
from mercer.gram.fill import check_diagonal
from mercer.kernels.base import Kernel
from mercer.state import State


class GaussianProcess(KernelEstimator):
    """Base class of Gaussian processes, whose kernel may also be one of scikit-learn's."""

    needs: ClassVar[str] = "psd"
    memory_remedy: ClassVar[str] = "choose a method with inducing points, or fit fewer samples"

    _parameter_constraints: ClassVar[ParameterRules] = {
        "optimizer": [StrOptions({"bfgs", "fmin_l_bfgs_b"}), callable, None],
        "n_restarts_optimizer": [Interval(Integral, 0, None, closed="left")],
        "copy_X_train": ["boolean"],
        "random_state": ["random_state"],
        "bounds": ["array-like", dict],
        "fixed": ["array-like", str],
        "priors": [dict, None],
    }

    stored: ClassVar[State] = State(
        finite=("log_marginal_likelihood_value_",), plain=("kernel_", "report_")
    )

    kernel: KernelLike
    optimizer: learning.Optimizer
    n_restarts_optimizer: int
    copy_X_train: bool  # noqa: N815
    random_state: RandomState
    bounds: BoundsLike
    fixed: Names
    priors: learning.PriorsLike

    def _hyperparameters(self, kernel: KernelLike = None) -> Hyperparameters:
        """The hyperparameters of a kernel, or of the one that was given to the constructor."""
        if kernel is None:
            kernel = self.kernel
        return choose_hyperparameters(kernel, self.bounds, self.fixed)

    def _takes_vectors(self) -> bool:
        if isinstance(self.kernel, SklearnBase):
            return bool(self.kernel.requires_vector_input)
        return super()._takes_vectors()

    def _begin(self, X: RawSamples, y: Targets, target: Target) -> tuple[RawSamples, np.ndarray]:
        """Check the kernel and its priors, then samples and targets."""
        parameters = self._hyperparameters()
        learning.Priors(parameters, self.priors)
        if self._takes_vectors():
            X, y = check_data(self, X, y, target, accept_sparse=False, order=None)
        else:
            X, y = check_data(self, X, y, target)
        kernel = parameters.mercer_kernel
        if kernel is None:
            return X, y
        certificate = certificate_on(kernel, X)
        check_status(kernel, certificate)
        if certificate.status == UNKNOWN:
            kernel.warn_unknown("a Gaussian process")
        warn_of_equal_samples(X)
        given = self.optimizer is None or len(parameters.theta) == 0
        # learned length scales leave where they start
        check_resolved(kernel, X, must_differ=given or kernel.is_constant)
        return X, y

    def _count(
        self, X: RawSamples, y: np.ndarray, sample_weight: Weights
    ) -> tuple[RawSamples, np.ndarray, np.ndarray, np.ndarray | float]:
        """Samples and targets of positive weight, which of all they are, and their weights.

        The weight is 1.0 where none are given.
        """
        if sample_weight is None:
            return X, y, np.ones(len(y), dtype=bool), 1.0
        weight = check_weights(sample_weight, len(y))
        counted = weight > 0
        if counted.all():
            return X, y, counted, weight
        return pick_rows(X, np.flatnonzero(counted)), y[counted], counted, weight[counted]

    def _check_values(self, kernel: Kernel | None, X: RawSamples, counted: np.ndarray) -> None:
        """Refuse k(x, x) that is not finite by the row of X, before some rows are left out."""
        if kernel is None or counted.all():
            return
        samples = kernel.prepare(Batch(X)).take(np.flatnonzero(counted))
        with np.errstate(all="ignore"):
            check_diagonal(kernel.diagonal(samples), samples=samples)

    def _own(self, X: RawSamples) -> RawSamples:
        """The training samples, copied if that was asked for."""
        if self.copy_X_train and self._takes_vectors():
            return np.copy(X)
        return X

    def _learn(self, parameters: Hyperparameters, evidence: learning.Evidence) -> learning.Learned:
        """Set θ to the best within its bounds."""
        if self.optimizer is None or len(parameters.theta) == 0:
            return learning.Learned()
        priors = learning.Priors(parameters, self.priors)
        starts = learning.draw_starts(parameters, self.n_restarts_optimizer, self.random_state)
        if len(starts) == 1:
            self._check_start(priors, starts[0])
        objective = learning.Objective(evidence, priors, iteration_callback(self))
        return learning.learn(parameters, objective, self.optimizer, starts, self.kernel)

    def _check_start(self, priors: learning.Priors, theta: np.ndarray) -> None:
        """Refuse a start at which the priors have no density."""
        if not np.isfinite(priors.at(theta)[0]):
            rule = "gives the kernel's own parameters no density, and there is no way from there"
            remedy = "begin with parameters that the priors allow"
            raise ParameterError("priors", self.priors, rule, remedy)

    def _set_report(
        self,
        parameters: list[Hyperparameters],
        plan: str,
        n_samples: int,
        start: float,
        learned: learning.Learned,
        facts: dict[str, Any],
        notes: tuple[str, ...] = (),
    ) -> None:
        """Set ``report_`` of a fit of one or several problems that began at the time ``start``."""
        kernel = parameters[0].kernel
        if len(parameters) > 1 or not isinstance(kernel, Kernel):
            kernel = "; ".join(repr(problem.kernel) for problem in parameters)
        at_bounds = tuple(name for problem in parameters for name in problem.at_bounds())
        facts = {
            **facts,
            "evaluations": learned.evaluations,
            "at_bounds": at_bounds,
            "kept": parameters[0].not_learned,
        }
        seconds = time.perf_counter() - start
        solver = f"optimizer {self.optimizer}"
        self.report_ = FitReport(
            kernel, plan, solver, n_samples, seconds, learned.converged, facts, notes
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        return tags
