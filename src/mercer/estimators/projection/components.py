"""Principal components in feature space: eigenpairs of the centered Gram matrix."""

from __future__ import annotations

import dataclasses
from numbers import Integral, Real
from typing import ClassVar

import numpy as np
from scipy import linalg
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from mercer.aliases import CentersLike, Gamma, KernelLike, ParameterRules, RandomState, RawSamples
from mercer.errors import DefinitenessError, DefinitenessWarning, explain, warn
from mercer.estimators.common.base import CENTER_RULES, KERNEL_RULES, KernelEstimator
from mercer.estimators.common.fitting import iteration_callback
from mercer.estimators.common.training import Training
from mercer.execution.blas import serial_blas
from mercer.gram import plan as plans
from mercer.gram.matrix import Centered, Matrix, Weighted
from mercer.gram.stored import FEW, Stored
from mercer.linalg.lanczos import CLOSE, Leading, block_size, leading
from mercer.linalg.signs import sign_flips
from mercer.state import State

_SMALL = 300  # samples below which all eigenvalues are computed
_SIGNIFICANT = 1e-5  # the same among the components, where scikit-learn refuses it
_NEGATIVE = 1e-8  # times the largest: an eigenvalue below minus this is not rounding error


class _Unit:
    """A centered Gram matrix over a scale: the mean of every column of a product is subtracted."""

    def __init__(self, matrix: Matrix, scale: float) -> None:
        self.matrix = matrix
        self.scale = scale

    def __matmul__(self, V: np.ndarray) -> np.ndarray:
        image = self.matrix @ self._centered(V) / self.scale
        return self._centered(image)

    def _centered(self, V: np.ndarray) -> np.ndarray:
        return V - V.mean(axis=0)


class _WeightedUnit(_Unit):
    """√W K √W over a scale, centered: (I − qqᵀ) √W K √W (I − qqᵀ) with q = √w/‖√w‖."""

    def __init__(self, matrix: Matrix, scale: float, root: np.ndarray) -> None:
        super().__init__(Weighted(matrix, root), scale)
        self.unit = root / np.linalg.norm(root)

    def _centered(self, V: np.ndarray) -> np.ndarray:
        return V - np.outer(self.unit, self.unit @ V)


def _centered_again(matrix: Centered) -> np.ndarray:
    """A centered matrix, without what the rounding errors of its means left in all entries.

    Means of many numbers are a little off, and the remainder would be a component of its own.
    """
    K, share = matrix.dense(), matrix.mean_weights
    left = (Stored(K, matrix.plan) @ share[:, None])[:, 0]
    K -= left[:, None]
    K -= (left - float(share @ left))[None, :]
    return K


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
        **CENTER_RULES,
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
        centers: CentersLike = "auto",
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
        self.centers = centers

    def _wanted(self) -> int | None:
        """The number of components; None for all, or for a share of the variance."""
        if isinstance(self.n_components, Integral):
            return int(self.n_components)
        return None

    def _solver(self, n: int, count: int) -> str:
        if self.eigen_solver == "arpack":
            return "lanczos"
        if self.eigen_solver != "auto":
            return self.eigen_solver
        if self._wanted() is not None and not plans.fits(n, n, plans.PRODUCTS):
            return "lanczos"  # the matrix is not stored unless there is no other way
        all_at_once = n <= _SMALL or count > n // 10
        return "dense" if all_at_once else "lanczos"

    def _solve(
        self, data: Training, matrix: Centered, count: int, solver: str
    ) -> tuple[Leading, str]:
        """The largest eigenpairs of the centered matrix, and how they were found.

        Where samples have weights they are those of √W K √W.
        """
        n = len(matrix)
        root = None if (data.weight == 1).all() else np.sqrt(data.weight)
        if solver == "dense":
            return self._solve_dense(data, matrix, root, count), f"dense eigenvalues, {n} x {n}"
        if solver == "randomized":
            name, block, tol = "randomized block Krylov", count + 10, 0.0
            passes = self._power(count, n) + 1
        else:
            name, block, tol = "block Lanczos", FEW, self.tol or CLOSE
            passes = int(self.max_iter or 1000)
            if not matrix.plan.stored:
                block = block_size(count)
        rng = check_random_state(self.random_state or 0)
        start = rng.standard_normal((n, min(n, block)))
        top = self._iterate(matrix, root, start, count, tol, passes)
        if solver == "lanczos" and not top.converged:
            message = f"relative residual {top.residual:.2g} after {top.iterations} passes"
            advice = "raise max_iter, or use 'dense'"
            warn(f"no convergence: {message}; {advice}", ConvergenceWarning)
        work = f"{top.iterations} passes of {min(n, block)} columns"
        return top, f"{name}, {work}, relative residual {top.residual:.1e}"

    def _power(self, count: int, n: int) -> int:
        """Passes of the randomized iteration, after the first."""
        if self.iterated_power != "auto":
            return int(self.iterated_power)
        return 4 if count >= 0.1 * n else 7

    def _iterate(
        self,
        matrix: Centered,
        root: np.ndarray | None,
        start: np.ndarray,
        count: int,
        tol: float,
        passes: int,
    ) -> Leading:
        diagonal = self._diagonal if root is None else self._diagonal * root**2
        # squares of tiny or huge eigenvalues would be lost
        scale = float(np.abs(diagonal).max(initial=0.0)) or 1.0
        # the rounding error of products with the matrix that is not centered
        noise = np.finfo(float).eps * float(np.abs(diagonal / scale).sum())
        unit, callback = _Unit(matrix.matrix, scale), iteration_callback(self)
        if root is not None:
            unit = _WeightedUnit(matrix.matrix, scale, root)
        with serial_blas():  # products run on mercer's threads, and the rest is small
            top = leading(
                unit, start, count, tol=tol, noise=noise, passes=passes, callback=callback
            )
        return dataclasses.replace(top, values=top.values * scale, lowest=top.lowest * scale)

    def _solve_dense(
        self, data: Training, matrix: Centered, root: np.ndarray | None, count: int
    ) -> Leading:
        n, K = len(matrix), _centered_again(matrix)
        if root is not None:
            K *= root[:, None]
            K *= root[None, :]
        certified = data.kernel is not None and data.kernel.certificate().cpd
        # negative eigenvalues are looked for where there may be some
        some = None if count > n // 2 or not certified else [n - count, n - 1]
        values, vectors = linalg.eigh(K, subset_by_index=some, overwrite_a=True, check_finite=False)
        lowest = float(values[0]) if some is None else np.nan
        return Leading(values[::-1][:count], vectors[:, ::-1][:, :count], lowest, iterations=1)

    def _keep_eigenpairs(self, top: Leading, count: int, weight: np.ndarray) -> None:
        """Eigenpairs with signs that reproduce; rounding errors and negative values become 0."""
        n, total = len(top.vectors), float(weight.sum())
        eps = np.finfo(float).eps
        diagonal = weight * self._diagonal
        trace = float(diagonal.sum()) - total * self._total_mean
        rounding = max(
            eps * n * float(np.abs(diagonal).max(initial=0.0)),
            10 * eps * float(np.abs(top.values).max(initial=0.0)),
        )
        positive = np.flatnonzero(top.values > rounding)
        values, vectors = np.zeros(count), np.zeros((n, count))
        values[: len(positive)] = top.values[positive]
        kept = top.vectors[:, positive]
        # copies of a sample share its entry: one of weight w has √w times theirs
        vectors[:, : len(positive)] = kept * sign_flips(kept / np.sqrt(weight)[:, None])
        size = count
        if self._wanted() is None or self.remove_zero_eig:
            size = len(positive)
        if self.n_components is not None and self._wanted() is None:
            reached = np.searchsorted(np.cumsum(values[:size]), self.n_components * trace)
            size = min(size, int(reached) + 1)
        self.eigenvalues_, self.eigenvectors_ = values[:size], vectors[:, :size]
        self.explained_variance_ = self.eigenvalues_ / max(total - 1, 1)
        whole = trace if trace > rounding else np.inf
        self.explained_variance_ratio_ = self.eigenvalues_ / whole

    def _check_matrix(self, K: RawSamples, rows: np.ndarray) -> None:
        """Nothing to check here: its eigenvalues are checked in the fit."""

    def _check_wanted(self, top: Leading, largest: float) -> None:
        """Refuse clearly negative eigenvalues among the components, as scikit-learn does."""
        lowest = float(top.values.min(initial=0.0))
        if lowest >= -max(_SIGNIFICANT * largest, 1e-10):
            return
        value = f"smallest eigenvalue {lowest:.4g}, largest {largest:.4g}"
        rule = "there are significant negative eigenvalues, and no principal components to them"
        remedy = "ask for fewer components, or give mercer.repair(K).matrix as precomputed"
        raise DefinitenessError("kernel", value, rule, remedy)

    def _notes(self, top: Leading, rank: int) -> tuple[str, ...]:
        """What the user should know, also said in warnings."""
        notes = []
        largest = float(top.values.max(initial=0.0))
        rounding = 10 * np.finfo(float).eps * float(np.abs(self._diagonal).sum())
        if top.lowest < -max(_NEGATIVE * max(largest, -top.lowest), rounding):
            self._check_wanted(top, largest)
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
