"""What Gaussian processes share: which kernel is learned and how, and the checks before a fit."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.gaussian_process.kernels import Kernel as TheirKernel
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_array

from mercer.aliases import KernelLike, ParameterRules, RawSamples, Targets
from mercer.definiteness import UNKNOWN
from mercer.domains.base import raw_length
from mercer.errors import (
    DefinitenessWarning,
    MercerError,
    NotDifferentiableError,
    ParameterError,
    ShapeError,
    explain,
    warn,
)
from mercer.estimators.common.base import KernelEstimator
from mercer.estimators.common.fitting import step_teller
from mercer.estimators.gp.hyperparameters import Learned, Theirs, as_learned
from mercer.estimators.gp.learning import Priors, learn


@dataclasses.dataclass(frozen=True)
class GaussianProcessReport:
    """What a Gaussian process learned, and how."""

    kernel: str
    plan: str
    likelihood: float  # the exact one, or Laplace's; NaN where only the bound was computed
    jitter: float
    evaluations: int
    at_bounds: tuple[str, ...]
    seconds: float
    bound: float | None = None  # of the evidence, where inducing points were used
    kept: tuple[str, ...] = ()  # continuous parameters that were not learned, and why

    def __str__(self) -> str:
        jitter = f", jitter {self.jitter:.3g} on the diagonal" if self.jitter else ""
        bounds = f"; at their bounds: {', '.join(self.at_bounds)}" if self.at_bounds else ""
        exact = (
            "" if np.isnan(self.likelihood) else f"log marginal likelihood {self.likelihood:.10g}"
        )
        below = "" if self.bound is None else f"variational bound {self.bound:.10g}"
        evidence = ", ".join(part for part in (below, exact) if part)
        return "\n".join(
            [
                f"kernel      {self.kernel}",
                f"plan        {self.plan}{jitter}",
                f"evidence    {evidence} after {self.evaluations} evaluations{bounds}",
                *([f"not learned {', '.join(self.kept)}"] if self.kept else []),
                f"            {self.seconds:.3g} s",
            ]
        )


class GaussianProcess(KernelEstimator):
    """A process whose kernel is one of ours, an expression, a function, or one of scikit-learn's."""

    needs: ClassVar[str] = "psd"

    _parameter_constraints: ClassVar[ParameterRules] = {
        "optimizer": [StrOptions({"bfgs", "fmin_l_bfgs_b"}), callable, None],
        "n_restarts_optimizer": [Interval(Integral, 0, None, closed="left")],
        "copy_X_train": ["boolean"],
        "random_state": ["random_state"],
        "bounds": ["array-like", dict],
        "fixed": ["array-like", str],
        "priors": [dict, None],
    }

    def _made(self, kernel: KernelLike = None) -> Learned | Theirs:
        p = vars(self)
        return as_learned(p["kernel"] if kernel is None else kernel, p["bounds"], p["fixed"])

    def _takes_vectors(self) -> bool:
        kernel = vars(self)["kernel"]
        if isinstance(kernel, TheirKernel):
            return bool(kernel.requires_vector_input)
        return super()._takes_vectors()

    def _begin(self, X: RawSamples, y: Targets, numbers: bool) -> tuple[Any, Any]:
        """Samples and targets, checked."""
        if y is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y is None"
            )
        model = self._made()
        Priors(
            model, vars(self)["priors"]
        )  # a kernel, names or distributions that make no sense are refused first
        if isinstance(model, Learned) and model.kernel.certificate().status == UNKNOWN:
            rule = "is not known to be positive semi-definite, as a Gaussian process needs it: used as asked"
            warn(explain("kernel", model.kernel, rule), DefinitenessWarning)
        if self._takes_vectors():
            options: dict[str, Any] = {"multi_output": True, "y_numeric": True} if numbers else {}
            return self._check_numbers(X, y=y, accept_sparse=False, order=None, **options)
        X = self._check_X(X, reset=True)
        if numbers:
            y = check_array(y, ensure_2d=False, dtype=np.float64)
        if len(y) != raw_length(X):
            raise ShapeError(
                "y", f"{len(y)} values", f"must have one for each of the {raw_length(X)} samples"
            )
        return X, y

    def _learn(
        self,
        model: Learned | Theirs,
        objective: Callable[[np.ndarray, bool], tuple[float, np.ndarray]],
    ) -> int:
        """Set θ to the best within its bounds; how often the objective was evaluated."""
        p = vars(self)
        tell, priors, evaluations = step_teller(self), Priors(model, p["priors"]), 0

        stopping = False

        def minus(theta: np.ndarray, eval_gradient: bool = True) -> Any:
            nonlocal evaluations, stopping
            if stopping:  # a callback said so after the last one, which still counts
                raise StopIteration
            evaluations += 1
            try:
                value, slope = objective(theta, eval_gradient)
            except NotDifferentiableError:
                raise
            except (
                MercerError
            ):  # a kernel that these samples allow only some parameters: there is nothing beyond
                if evaluations == 1:
                    raise
                value, slope = -np.inf, np.zeros(len(theta))
            more, pull = priors.at(theta)
            stopping = tell is not None and bool(tell(evaluations, value))
            return (-value - more, -slope - pull) if eval_gradient else -value - more

        if (
            p["optimizer"] is not None
            and p["n_restarts_optimizer"] == 0
            and not np.isfinite(priors.at(model.theta)[0])
        ):
            rule = "gives the kernel's own parameters no density, and there is no way from there"
            raise ParameterError(
                "priors", p["priors"], rule, "begin with parameters that the priors allow"
            )
        learn(
            model, minus, p["optimizer"], p["n_restarts_optimizer"], p["random_state"], p["kernel"]
        )
        return evaluations

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        return tags
