"""What all margin machines share: checked data, a problem to solve, support vectors, a report."""

from __future__ import annotations

import time
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import column_or_1d
from sklearn.utils._param_validation import Interval, StrOptions, validate_parameter_constraints
from sklearn.utils.validation import check_array, check_is_fitted

from mercer.aliases import ParameterRules, RawSamples, Targets, Weights
from mercer.domains.base import Batch, pick_rows, raw_length
from mercer.errors import ShapeError, warn
from mercer.estimators.common.base import (
    Choice,
    Expansion,
    KernelEstimator,
    check_square,
    check_weights,
)
from mercer.estimators.common.fitting import step_teller
from mercer.estimators.common.report import MarginReport
from mercer.estimators.svm.problem import MarginProblem
from mercer.execution.workspace import Workspace
from mercer.kernels.base import Kernel
from mercer.kernels.vectors.dot import Linear
from mercer.solvers.margin.dual import DualSolution

_VALID: set[Any] = set()  # parameter values that were checked before


class Margin(KernelEstimator):
    """What all margin machines share."""

    needs: ClassVar[str] = "cpd"
    small_fits_use_blas: ClassVar[bool] = False  # but in the polish, which sees to it

    _parameter_constraints: ClassVar[ParameterRules] = {
        "degree": [Interval(Integral, 0, None, closed="left")],
        "gamma": [
            StrOptions({"scale", "auto", "sigest", "median"}),
            Interval(Real, 0.0, None, closed="left"),
        ],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "shrinking": ["boolean"],
        "cache_size": [Interval(Real, 0, None, closed="neither")],
        "verbose": ["verbose"],
        "max_iter": [Interval(Integral, -1, None, closed="left")],
        "C": [Interval(Real, 0.0, None, closed="neither")],
        "nu": [Interval(Real, 0.0, 1.0, closed="right")],
        "epsilon": [Interval(Real, 0.0, None, closed="left")],
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "probability": ["boolean"],
        "decision_function_shape": [StrOptions({"ovo", "ovr"})],
        "break_ties": ["boolean"],
        "random_state": ["random_state"],
        "warm_start": ["boolean"],
    }

    def _validate_params(self) -> None:
        known = vars(self)
        mine = {name: known[name] for name in self._parameter_constraints if name in known}
        try:  # values that were right once are right again: the checks cost as much as a small fit
            key = (type(self), *((type(value), value) for value in mine.values()))
            if key in _VALID:
                return
        except TypeError:  # a value that cannot be remembered
            key = None
        rules = {name: self._parameter_constraints[name] for name in mine}
        validate_parameter_constraints(rules, mine, caller_name=type(self).__name__)
        if key is not None and len(_VALID) < 10_000:
            _VALID.add(key)

    # -- data --------------------------------------------------------------------------------------------------------

    def _begin(
        self, X: RawSamples, y: Targets, sample_weight: Weights
    ) -> tuple[Any, Any, np.ndarray, Choice]:
        """Checked data without the samples of weight 0, and the kernel fitted on them."""
        if self._plain(
            X, y
        ):  # arrays that need no conversion: scikit-learn's checks cost more than a small fit
            self.n_features_in_ = X.shape[1]
            self.__dict__.pop("feature_names_in_", None)
        elif self._takes_vectors():
            if y is None:
                X = self._check_X(X, reset=True)
            else:
                X, y = self._check_numbers(X, y=y, **self._target_checks())
        else:
            X = self._check_X(X, reset=True)
            if y is not None:
                if self._target_checks().get("y_numeric"):
                    y = check_array(y, ensure_2d=False, dtype=np.float64)
                y = column_or_1d(y, warn=True)
                if len(y) != raw_length(X):
                    raise ShapeError(
                        "y",
                        f"{len(y)} values",
                        f"must have one for each of the {raw_length(X)} samples",
                    )
        n = raw_length(X)
        weight = check_weights(sample_weight, n)
        choice = self._choose(X, weight if sample_weight is not None else None)
        if choice.kernel is None:
            check_square(X)
        self.shape_fit_ = X.shape if hasattr(X, "shape") else (n,)
        return X, y, weight, choice

    def _plain(self, X: RawSamples, y: Targets) -> bool:
        """Whether the data are what the checks would make of them, seen at a glance."""
        return (
            type(X) is np.ndarray
            and type(y) is np.ndarray
            and X.dtype == np.float64
            and X.ndim == 2
            and X.shape[1] > 0
            and y.shape == X.shape[:1]
            and len(X) > 1
            and y.dtype.kind in "iubU"
            and self._takes_vectors()
            and X.flags.c_contiguous
            and bool(np.isfinite(X.sum()))
        )

    def _target_checks(self) -> dict[str, Any]:
        return {}

    def _kept(
        self, choice: Choice, X: RawSamples, weight: np.ndarray
    ) -> tuple[np.ndarray, Kernel | None]:
        """The samples of positive weight, and the kernel fitted on them."""
        rows = np.flatnonzero(weight > 0)
        kernel = choice.kernel
        if kernel is not None:
            kernel.fit(X if len(rows) == len(weight) else pick_rows(X, rows))
        return rows, kernel

    def _whole(self, kernel: Kernel | None, X: RawSamples) -> Any:
        """All samples, prepared by the kernel, or their Gram matrix in the one layout that the solver is compiled for."""
        return (
            np.require(X, requirements=["C", "W"]) if kernel is None else kernel.prepare(Batch(X))
        )

    def _problem(self, kernel: Kernel | None, X: RawSamples, rows: np.ndarray) -> MarginProblem:
        return self._part(kernel, self._whole(kernel, X), rows)

    def _part(
        self,
        kernel: Kernel | None,
        whole: Any,
        rows: np.ndarray,
        number: int = 0,
        work: Workspace | None = None,
    ) -> MarginProblem:
        """The problem of some rows of prepared samples; ``number`` tells the problems of one fit apart."""
        problem = MarginProblem(kernel, whole, rows, self.tol, self.repair, step_teller(self), work)
        if self.warm_start and self.repair is None:
            past = getattr(self, "_duals", {})
            if number in past and np.array_equal(past[number][0], rows):
                problem.warm = past[number][1]
            self._duals = {**past, number: (rows, problem.solved)}
        return problem

    def _report(
        self,
        kernel: Kernel | None,
        plan: str,
        solutions: list[DualSolution],
        seconds: float,
        tol: float | None = None,
    ) -> None:
        worst = max(solutions, key=lambda s: s.gap)
        tol = self.tol if tol is None else tol
        n = self.shape_fit_[0]
        converged = all(s.converged for s in solutions)
        self.report_ = MarginReport(
            model=kernel,
            plan=plan,
            solver=f"second-order SMO, {len(solutions)} problem(s)",
            objective=sum(s.objective for s in solutions),
            gap=worst.gap,
            tol=tol,
            iterations=sum(s.iterations for s in solutions),
            converged=converged,
            support=len(self.support_),
            samples=n,
            seconds=seconds,
        )
        self.fit_status_ = 0 if converged else 1
        if not converged:
            advice = "scale the features (StandardScaler), raise max_iter or tol, or lower C"
            warn(
                f"{type(self).__name__} did not converge ({worst.reason}): KKT gap {worst.gap:.3g}, tolerance {tol:.3g}; {advice}",
                ConvergenceWarning,
            )
        if self.verbose:
            print(self.report_)

    def _expansion(self) -> Expansion:
        samples = None if self.kernel_ is None else self.support_vectors_
        return Expansion(self.kernel_, samples, self.support_, self.shape_fit_[0])

    def _keep_support(self, kernel: Kernel | None, X: RawSamples, support: np.ndarray) -> None:
        self.kernel_ = kernel
        self.support_ = support.astype(np.int32)
        self.support_vectors_ = np.empty((0, 0)) if kernel is None else pick_rows(X, support)

    @property
    def coef_(self) -> np.ndarray:
        """The weights of the columns, for the linear kernel."""
        check_is_fitted(self)
        if not isinstance(self.kernel_, Linear):
            raise AttributeError("coef_ is only available when using a linear kernel")
        made = self.dual_coef_ @ self.support_vectors_
        return np.asarray(made)


class SingleMachine(Margin):
    """One problem, one row of coefficients."""

    def _finish(
        self,
        problem: MarginProblem,
        X: RawSamples,
        rows: np.ndarray,
        beta: np.ndarray,
        intercept: float,
        solution: DualSolution,
        start: float,
    ) -> None:
        kernel = problem.kernel
        beta = problem.coefficients(beta)
        used = np.flatnonzero(beta)
        self._keep_support(kernel, X, rows[used])
        self._n_support = np.array([len(used)], dtype=np.int32)
        self.dual_coef_ = beta[None, used]
        self.intercept_ = np.array([intercept])
        self.n_iter_ = solution.iterations
        self._report(kernel, problem.plan, [solution], time.perf_counter() - start)

    @property
    def n_support_(self) -> np.ndarray:
        """The number of support vectors."""
        check_is_fitted(self)
        return self._n_support

    def _value(self, X: RawSamples) -> np.ndarray:
        check_is_fitted(self)
        X = self._check_X(X, reset=False)
        return (
            self._expansion().apply(X, np.ascontiguousarray(self.dual_coef_.T))[:, 0]
            + self.intercept_[0]
        )


def filled(room: np.ndarray, total: float) -> np.ndarray:
    """The first variables at their bounds, until they sum to the total."""
    before = np.concatenate([[0.0], np.cumsum(room)[:-1]])
    return np.clip(total - before, 0.0, room)
