"""Principal components in feature space: eigenpairs of the centred Gram matrix."""

from __future__ import annotations

import functools
from numbers import Integral, Real
from typing import ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from mercer.aliases import Gamma, KernelLike, ParameterRules, RandomState
from mercer.errors import DefinitenessWarning, explain, warn
from mercer.estimators.common.base import KERNEL_RULES, KernelEstimator
from mercer.estimators.common.fitting import iteration_callback
from mercer.estimators.common.signs import sign_flips
from mercer.estimators.common.training import Training
from mercer.gram import plan as plans
from mercer.gram.matrix import Centered
from mercer.gram.stored import FEW
from mercer.kernels.base import Kernel
from mercer.linalg.lanczos import CLOSE, Leading, block_size
from mercer.solvers.projection.components import by_factorisation, by_iteration
from mercer.state import State

_SMALL = 300  # samples below which all eigenvalues are computed
_NEGATIVE = 1e-8  # times the largest: an eigenvalue below minus this is not rounding error


class PrincipalComponents(KernelEstimator):
    """The parameters of `KernelPCA`, and its eigenproblem."""

    needs: ClassVar[str] = "cpd"
    stored: ClassVar[State] = State(
        finite=(
            *("eigenvalues_", "eigenvectors_", "explained_variance_", "explained_variance_ratio_"),
            *("_diagonal", "_total_mean"),
        ),
        per_sample=("eigenvectors_", "_diagonal"),
    )

    _parameter_constraints: ClassVar[ParameterRules] = {
        "n_components": [
            Interval(Integral, 1, None, closed="left"),
            Interval(Real, 0, 1, closed="neither"),
            None,
        ],
        **KERNEL_RULES,
        "gamma": [*KERNEL_RULES["gamma"], None],
        "kernel_params": [dict, None],
        "alpha": [Interval(Real, 0, None, closed="left")],
        "fit_inverse_transform": ["boolean"],
        "inverse": [StrOptions({"ridge", "fixed_point"})],
        "eigen_solver": [StrOptions({"auto", "dense", "lanczos", "arpack", "randomized"})],
        "tol": [Interval(Real, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left"), None],
        "iterated_power": [Interval(Integral, 0, None, closed="left"), StrOptions({"auto"})],
        "remove_zero_eig": ["boolean"],
        "random_state": ["random_state"],
        "copy_X": ["boolean"],
        "n_jobs": [None, Integral],
    }

    def __init__(
        self,
        n_components: float | None = None,
        *,
        kernel: KernelLike = "linear",
        gamma: Gamma = None,
        degree: float = 3,
        coef0: float = 1.0,
        kernel_params: dict[str, object] | None = None,
        alpha: float = 1.0,
        fit_inverse_transform: bool = False,
        inverse: str = "ridge",
        eigen_solver: str = "auto",
        tol: float = 0.0,
        max_iter: int | None = None,
        iterated_power: int | str = "auto",
        remove_zero_eig: bool = False,
        random_state: RandomState = None,
        copy_X: bool = True,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.alpha = alpha
        self.fit_inverse_transform = fit_inverse_transform
        self.inverse = inverse
        self.eigen_solver = eigen_solver
        self.tol = tol
        self.max_iter = max_iter
        self.iterated_power = iterated_power
        self.remove_zero_eig = remove_zero_eig
        self.random_state = random_state
        self.copy_X = copy_X
        self.n_jobs = n_jobs

    def _given_kernel(self) -> KernelLike:
        is_function = callable(self.kernel) and not isinstance(self.kernel, Kernel)
        if self.kernel_params and is_function:
            return functools.partial(self.kernel, **self.kernel_params)
        return self.kernel

    def _wanted(self) -> int | None:
        """The number of components; None for all, or for a share of the variance."""
        return int(self.n_components) if isinstance(self.n_components, Integral) else None

    def _solver(self, n: int, count: int) -> str:
        if self.eigen_solver == "arpack":
            return "lanczos"
        if self.eigen_solver != "auto":
            return self.eigen_solver
        if self._wanted() is not None and not plans.fits(n, n, plans.PRODUCTS):
            return "lanczos"  # the matrix is not stored unless there is no other way
        return "dense" if n <= _SMALL or count > n // 10 else "lanczos"

    def _solve(
        self, data: Training, matrix: Centered, count: int, solver: str
    ) -> tuple[Leading, str]:
        """The largest eigenpairs of the centred matrix, and how they were found."""
        n = len(matrix)
        if solver == "dense":
            certified = data.kernel is not None and data.kernel.certificate().cpd
            # negative eigenvalues are looked for where there may be some
            with_lowest = count > n // 2 or not certified
            return by_factorisation(matrix, count, with_lowest), f"dense eigenvalues, {n} x {n}"
        name, block, tol, passes = self._iteration(solver, count, n, matrix.plan.stored)
        rng = check_random_state(0 if self.random_state is None else self.random_state)
        start = rng.standard_normal((n, min(n, block)))
        callback = iteration_callback(self)
        top = by_iteration(matrix.matrix, self._diagonal, start, count, tol, passes, callback)
        if solver == "lanczos" and not top.converged:
            message = f"relative residual {top.residual:.2g} after {top.iterations} passes"
            advice = "raise max_iter, or use 'dense'"
            warn(f"no convergence: {message}; {advice}", ConvergenceWarning)
        work = f"{top.iterations} passes of {start.shape[1]} columns"
        return top, f"{name}, {work}, relative residual {top.residual:.1e}"

    def _iteration(
        self, solver: str, count: int, n: int, stored: bool
    ) -> tuple[str, int, float, int]:
        """Name, columns of a block, tolerance and passes of an iteration."""
        if solver == "randomized":
            power = self.iterated_power
            if power == "auto":
                power = 4 if count >= 0.1 * n else 7
            return "randomised block Krylov", count + 10, 0.0, int(power) + 1
        block = FEW if stored else block_size(count)
        passes = 1000 if self.max_iter is None else int(self.max_iter)
        return "block Lanczos", block, self.tol or CLOSE, passes

    def _keep_eigenpairs(self, top: Leading, count: int) -> None:
        """Eigenpairs with signs that reproduce; rounding errors and negative values become 0."""
        n = len(top.vectors)
        eps = np.finfo(float).eps
        trace = float(self._diagonal.sum()) - n * self._total_mean
        rounding = max(
            eps * n * float(np.abs(self._diagonal).max(initial=0.0)),
            10 * eps * float(np.abs(top.values).max(initial=0.0)),
        )
        positive = np.flatnonzero(top.values > rounding)
        values, vectors = np.zeros(count), np.zeros((n, count))
        values[: len(positive)] = top.values[positive]
        kept = top.vectors[:, positive]
        vectors[:, : len(positive)] = kept * sign_flips(kept)
        size = count
        if self._wanted() is None or self.remove_zero_eig:
            size = len(positive)
        if self.n_components is not None and self._wanted() is None:
            reached = np.searchsorted(np.cumsum(values[:size]), self.n_components * trace)
            size = min(size, int(reached) + 1)
        self.eigenvalues_, self.eigenvectors_ = values[:size], vectors[:, :size]
        self.explained_variance_ = self.eigenvalues_ / max(n - 1, 1)
        total = trace if trace > rounding else np.inf
        self.explained_variance_ratio_ = self.eigenvalues_ / total

    def _notes(self, top: Leading, rank: int) -> tuple[str, ...]:
        """What the user should know, also said in warnings."""
        notes = []
        largest = float(top.values.max(initial=0.0))
        rounding = 10 * np.finfo(float).eps * float(np.abs(self._diagonal).sum())
        if top.lowest < -max(_NEGATIVE * max(largest, -top.lowest), rounding):
            low = f"{top.lowest:.4g}"
            notes.append(f"negative eigenvalues, one at most {low}, are left out")
            extremes = f"smallest eigenvalue at most {low}, largest {largest:.4g}"
            rule = f"is not positive on these samples: {extremes}; it is left out"
            remedy = "repair the matrix by mercer.repair(K) and give it as precomputed"
            warn(explain("kernel", self.kernel, rule, remedy), DefinitenessWarning)
        wanted = self._wanted()
        if wanted is not None and rank < wanted:
            others = "left out" if self.remove_zero_eig else "columns of zeros"
            rule = f"is more than the rank, {rank}: the others are {others}"
            notes.append(f"n_components={wanted} {rule}")
            warn(explain("n_components", wanted, rule), UserWarning)
        return tuple(notes)
