"""Base class of support vector machines: data, the dual problem, support vectors, the report."""

from __future__ import annotations

import operator
import time
from numbers import Integral, Real
from typing import ClassVar

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Hidden, Interval, StrOptions

from mercer.aliases import (
    Features,
    KernelLike,
    ParameterRules,
    Prepared,
    RawSamples,
    Targets,
    Weights,
)
from mercer.domains.base import pick_rows
from mercer.errors import ParameterError, warn
from mercer.estimators.common.base import CENTER_RULES, KERNEL_RULES, KernelEstimator
from mercer.estimators.common.expansion import Expansion
from mercer.estimators.common.fitting import iteration_callback
from mercer.estimators.common.kernel_choice import is_precomputed
from mercer.estimators.common.report import FitReport
from mercer.estimators.common.training import Target, Training, begin
from mercer.estimators.common.validation import check_fitted
from mercer.estimators.svm.probability import NOT_ASKED
from mercer.execution.workspace import Workspace
from mercer.kernels.base import Kernel
from mercer.kernels.vectors.dot import Linear
from mercer.solvers.margin.dual import DualSolution
from mercer.solvers.margin.problem import MarginProblem
from mercer.state import State

# the first sentence is scikit-learn's, which users filter warnings by
_ADVICE = "Consider pre-processing your data with StandardScaler or MinMaxScaler."
_MORE_ADVICE = "or raise max_iter or tol, or lower C"


class SupportVectorMachine(KernelEstimator):
    """Base class of support vector machines."""

    needs: ClassVar[str] = "cpd"
    small_fits_use_blas: ClassVar[bool] = False  # only the polish uses BLAS, and limits it itself
    stored: ClassVar[State] = State(
        finite=("_dual_coef", "intercept_"),
        plain=(
            "kernel_",
            "support_",
            "support_vectors_",
            "shape_fit_",
            "fit_status_",
            "n_iter_",
            "report_",
            "_n_support",
            "_duals",
        ),
        samples=("support_vectors_",),
        per_sample=("support_",),
        per_sample_last=("_dual_coef",),
        positions={"support_": "_n_training"},
    )
    kernel: KernelLike
    tol: float
    repair: str | None
    warm_start: bool
    verbose: bool
    max_iter: int
    _dual_coef: np.ndarray
    intercept_: np.ndarray

    _parameter_constraints: ClassVar[ParameterRules] = {
        **KERNEL_RULES,
        "degree": [Interval(Integral, 0, None, closed="left")],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "shrinking": ["boolean"],
        "cache_size": [Interval(Real, 0, None, closed="neither")],
        "verbose": ["verbose"],
        "max_iter": [Interval(Integral, -1, None, closed="left")],
        "C": [Interval(Real, 0.0, None, closed="right")],
        "nu": [Interval(Real, 0.0, 1.0, closed="right")],
        "epsilon": [Interval(Real, 0.0, None, closed="left")],
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "probability": ["boolean", Hidden(StrOptions({NOT_ASKED}))],
        "decision_function_shape": [StrOptions({"ovo", "ovr"})],
        "break_ties": ["boolean"],
        "random_state": ["random_state"],
        "warm_start": ["boolean"],
        **CENTER_RULES,
    }

    def _begin(self, X: RawSamples, y: Targets, sample_weight: Weights, target: Target) -> Training:
        """Checked training data with a fitted kernel, for the dual problem of all samples."""
        exact = getattr(type(self), "loss", None)  # the default of the class
        if exact is not None and self.loss != exact:
            remedy = f"set centers to a number of rows, or loss={exact!r}"
            raise ParameterError("loss", self.loss, "is for fits on centers only", remedy)
        if sparse.issparse(X) and is_precomputed(self.kernel):
            raise TypeError("Sparse precomputed kernels are not supported: give K.toarray()")
        data = begin(self, X, y, sample_weight, target=target)
        self.shape_fit_ = data.X.shape if hasattr(data.X, "shape") else (data.n_given,)
        return data

    def _problem(self, data: Training) -> MarginProblem:
        """The dual problem of all samples of positive weight."""
        return self._part(data.kernel, data.whole(), data.rows)

    def _part(
        self,
        kernel: Kernel | None,
        whole: Prepared,
        rows: np.ndarray,
        number: int = 0,
        work: Workspace | None = None,
    ) -> MarginProblem:
        """The problem of some rows; ``number`` identifies it among the problems of one fit."""
        callback = iteration_callback(self)
        problem = MarginProblem(kernel, whole, rows, self.tol, self.repair, callback, work)
        if self.warm_start and self.repair is None:
            past = getattr(self, "_duals", {})
            if number in past and np.array_equal(past[number][0], rows):
                problem.earlier = past[number][1]
            self._duals = {**past, number: (rows, problem.solved)}
        return problem

    def _report(
        self,
        kernel: Kernel | None,
        plan: str,
        solutions: list[DualSolution],
        seconds: float,
        tol: float | None = None,
        n_problems: int | None = None,
    ) -> None:
        """Set ``report_`` and ``fit_status_``; warn of problems that were not solved.

        A solution may be that of several problems; ``n_problems`` is then their number.
        """
        worst = max(solutions, key=operator.attrgetter("gap"))
        tol = self.tol if tol is None else tol
        objective, iterations, unsolved = 0.0, 0, []
        for solution in solutions:
            objective += solution.objective
            iterations += solution.iterations
            if not solution.converged:
                unsolved.append(solution)
        converged = not unsolved
        facts = {
            "gap": worst.gap,
            "tol": tol,
            "objective": objective,
            "iterations": iterations,
            "support": len(self.support_),
        }
        if n_problems is None:
            n_problems = len(solutions)
        solver = f"second-order SMO, {n_problems} problem(s)"
        self.report_ = FitReport(
            kernel, plan, solver, self.shape_fit_[0], seconds, converged, facts
        )
        self.fit_status_ = int(not converged)
        if not converged:
            gap = f"KKT gap {worst.gap:.3g}, tolerance {tol:.3g}"
            name = type(self).__name__
            reason = f"{name} did not converge: {unsolved[0].reason}."
            message = f"{reason}  {_ADVICE} ({gap}; {_MORE_ADVICE})"
            warn(message, ConvergenceWarning)
        if self.verbose:
            print(self.report_)

    @property
    def _n_training(self) -> int:
        """Number of samples that were given to ``fit``."""
        return int(self.shape_fit_[0])

    def _expansion(self) -> Expansion:
        """The sum over support vectors, for new samples."""
        samples = None if self.kernel_ is None else self.support_vectors_
        return Expansion(self.kernel_, samples, self.support_, self._n_training)

    def _keep_support(self, kernel: Kernel | None, X: RawSamples, support: np.ndarray) -> None:
        """Set the kernel and the support vectors, by their positions among all samples."""
        self.kernel_ = kernel
        self.support_ = support.astype(np.int32)
        self.support_vectors_ = np.empty((0, 0))
        if kernel is not None:
            self.support_vectors_ = pick_rows(X, support)

    def _in_layout(self, coefficients: np.ndarray) -> Features:
        """Features of the support vectors: CSR where the samples are, as scikit-learn's."""
        if sparse.issparse(self.support_vectors_):
            return type(self.support_vectors_)(coefficients)
        return coefficients

    @property
    def dual_coef_(self) -> Features:
        """Coefficients of the support vectors; CSR where the samples are sparse."""
        check_fitted(self)
        return self._in_layout(self._dual_coef)

    @property
    def coef_(self) -> Features:
        """The weight of every column, where the kernel is linear; it cannot be written."""
        check_fitted(self)
        if not isinstance(self.kernel_, Linear):
            raise AttributeError("coef_ is only available when using a linear kernel")
        weights = self._in_layout(self._linear_coefficients()) @ self.support_vectors_
        values = weights.data if sparse.issparse(weights) else weights
        values.flags.writeable = False
        return weights

    def _linear_coefficients(self) -> np.ndarray:
        """A row of coefficients of the support vectors for every decision value."""
        return self._dual_coef


class SingleMachine(SupportVectorMachine):
    """A machine with one Gram matrix of all samples, and a row of coefficients for each output."""

    n_iter_: int | np.ndarray

    def _finish(
        self,
        problem: MarginProblem,
        data: Training,
        betas: list[np.ndarray],
        intercepts: list[float],
        solutions: list[DualSolution],
        start: float,
    ) -> None:
        """Set the fitted attributes from the coefficients β and the intercept of each output."""
        beta = np.array([problem.coefficients(each) for each in betas])
        used = np.flatnonzero(beta.any(axis=0))
        self._keep_support(data.kernel, data.X, data.rows[used])
        self._n_support = np.count_nonzero(beta, axis=1).astype(np.int32)
        self._dual_coef = beta[:, used]
        self.intercept_ = np.array(intercepts)
        self.n_iter_ = solutions[0].iterations
        if len(solutions) > 1:
            self.n_iter_ = np.array([solution.iterations for solution in solutions])
        self._report(data.kernel, problem.plan, solutions, time.perf_counter() - start)

    @property
    def n_support_(self) -> np.ndarray:
        """Number of support vectors of each output."""
        check_fitted(self)
        return self._n_support

    def _value(self, X: RawSamples) -> np.ndarray:
        """f(x) = Σ β_i k(x, x_i) + b, a column for each of several outputs."""
        check_fitted(self)
        X = self._check_X(X, reset=False)
        coefficients = np.ascontiguousarray(self._dual_coef.T)
        values = self._expansion().apply(X, coefficients) + self.intercept_
        return values if len(self.intercept_) > 1 else values[:, 0]


def filled(room: np.ndarray, total: float) -> np.ndarray:
    """The first variables at their bounds, until they sum to the total."""
    before = np.concatenate([[0.0], np.cumsum(room)[:-1]])
    return np.clip(total - before, 0.0, room)
