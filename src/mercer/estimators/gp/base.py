"""What Gaussian processes share: which kernel is learned and how, and the checks before a fit."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.gaussian_process.kernels import Kernel as TheirKernel
from sklearn.utils._param_validation import Interval, StrOptions

from mercer.aliases import KernelLike, ParameterRules, RawSamples, Targets
from mercer.definiteness import UNKNOWN
from mercer.errors import (
    DefinitenessWarning,
    MercerError,
    NotDifferentiableError,
    ParameterError,
    explain,
    warn,
)
from mercer.estimators.common.base import KernelEstimator
from mercer.estimators.common.fitting import iteration_callback
from mercer.estimators.common.training import Target, check_data
from mercer.estimators.gp.hyperparameters import Learned, Theirs, as_learned
from mercer.estimators.gp.learning import Priors, learn


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

    def _begin(self, X: RawSamples, y: Targets, numbers: bool) -> tuple[RawSamples, np.ndarray]:
        """Check the kernel and its priors, then samples and targets."""
        model = self._made()
        Priors(model, vars(self)["priors"])
        if isinstance(model, Learned) and model.kernel.certificate().status == UNKNOWN:
            rule = (
                "is not known to be positive semi-definite, as a Gaussian process needs it: used "
                "as asked"
            )
            warn(explain("kernel", model.kernel, rule), DefinitenessWarning)
        target: Target = "numbers" if numbers else "labels"
        return check_data(self, X, y, target, **self._data_options())

    def _data_options(self) -> dict[str, Any]:
        if self._takes_vectors():
            return {"accept_sparse": False, "order": None}
        return {}

    def _learn(
        self,
        model: Learned | Theirs,
        objective: Callable[[np.ndarray, bool], tuple[float, np.ndarray]],
    ) -> int:
        """Set θ to the best within its bounds; how often the objective was evaluated."""
        p = vars(self)
        callback, priors, evaluations = iteration_callback(self), Priors(model, p["priors"]), 0

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
            stopping = callback is not None and bool(callback(evaluations, value))
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
