"""Views of canonical correlation analysis: factors of their Gram matrices, and maps to variates."""

from __future__ import annotations

import dataclasses
import functools
from numbers import Real
from typing import ClassVar

import numpy as np
from scipy import linalg

from mercer.aliases import RawSamples, Weights
from mercer.domains.base import Batch, pick_rows, raw_length
from mercer.errors import (
    ABSENT,
    DefinitenessWarning,
    MemoryBudgetError,
    ParameterError,
    ShapeError,
    explain,
    warn,
)
from mercer.estimators.common.base import KernelEstimator
from mercer.estimators.common.expansion import Expansion
from mercer.estimators.common.validation import check_resolved, check_square, check_weights
from mercer.gram.matrix import Matrix
from mercer.gram.plan import FLOAT64, RAISE, WHOLE, Plan, budget_text, plan_matrix
from mercer.gram.stored import Stored
from mercer.gram.streamed import Streamed
from mercer.kernels.base import Kernel
from mercer.linalg.cholesky import landmarks
from mercer.solvers.projection.cca import View
from mercer.state import State, check_count, storable


@storable
@dataclasses.dataclass
class FittedView:
    """A view's map to its variates k(x, pivots) B − centre."""

    stored: ClassVar[State] = State(
        finite=("B", "centre", "left"), plain=("owner", "kernel", "expansion", "rank")
    )

    owner: KernelEstimator  # checks the samples of this view
    kernel: Kernel | None
    expansion: Expansion
    B: np.ndarray
    centre: np.ndarray
    rank: int
    left: float  # the share of the trace that the pivots do not explain

    def variates(self, X: RawSamples) -> np.ndarray:
        """The variates of samples that were checked."""
        return self.expansion.apply(X, self.B) - self.centre

    def rotate(
        self, factor: View, weights: np.ndarray, scale: np.ndarray, signs: np.ndarray
    ) -> None:
        """Compose the map to the factor's columns with that from these to the variates."""
        to_variates = factor.V @ ((factor.share / factor.s)[:, None] * weights) / scale * signs
        self.B = np.ascontiguousarray(self.B @ to_variates)
        self.centre = self.centre @ to_variates

    def _check_loaded(self) -> None:
        check_count("B", len(self.B), len(self.expansion.positions))


@dataclasses.dataclass(frozen=True)
class Counted:
    """The samples of positive weight, and how often each of them counts: once if it is None."""

    rows: np.ndarray
    n_given: int
    weight: np.ndarray | None

    @classmethod
    def of(cls, sample_weight: Weights, n: int) -> Counted:
        """The samples of positive weight among n, whose weights are checked."""
        weight = check_weights(sample_weight, n)
        rows = np.flatnonzero(weight > 0)
        return cls(rows, n, None if (weight == 1).all() else weight[rows])

    @property
    def total(self) -> float:
        """The sum of all weights."""
        return len(self.rows) if self.weight is None else float(self.weight.sum())

    def means(self, values: np.ndarray) -> np.ndarray:
        """The means of columns, or of a vector."""
        return values.mean(axis=0) if self.weight is None else self.weight @ values / self.total

    def weighed(self, G: np.ndarray) -> np.ndarray:
        """Rows whose squares count as often as the samples do."""
        return G if self.weight is None else G * np.sqrt(self.weight)[:, None]

    def unweighed(self, G: np.ndarray) -> np.ndarray:
        """The rows from which `weighed` made these."""
        return G if self.weight is None else G / np.sqrt(self.weight)[:, None]

    def pick(self, X: RawSamples) -> RawSamples:
        """The samples that count."""
        return X if len(self.rows) == self.n_given else pick_rows(X, self.rows)


class _FromFirst:
    """The Gram matrix with the first sample as origin.

    Distances are all that counts for correlations: a conditionally positive definite kernel is as
    good as a positive definite one, and a constant adds no rank.
    """

    def __init__(self, matrix: Matrix) -> None:
        self.matrix = matrix

    @functools.cached_property
    def origin(self) -> np.ndarray:
        """Kernel values with the first sample."""
        return self.matrix.row(0).copy()

    @functools.cached_property
    def scale(self) -> float:
        """The largest entry of the diagonal before the shift."""
        return float(np.abs(self.matrix.diagonal()).max())

    @functools.cached_property
    def _squares(self) -> np.ndarray:
        squares = self.matrix.diagonal() - 2 * self.origin + self.origin[0]
        squares[squares <= 1e-14 * self.scale] = 0.0
        return squares

    def row(self, i: int) -> np.ndarray:
        """One row of the centered matrix."""
        return self.matrix.row(i) - self.origin - self.origin[i] + self.origin[0]

    def diagonal(self) -> np.ndarray:
        """Squared distances from the first sample."""
        return self._squares


def fit_view(
    owner: KernelEstimator,
    X: RawSamples,
    counted: Counted,
    max_rank: int,
    tol: float,
    name: str,
    room: int,
) -> tuple[FittedView, np.ndarray]:
    """Factor a view's Gram matrix by incomplete Cholesky; the view, and the centered factor.

    The map of the view continues the columns of the centered factor to new samples. ``room`` is the
    rank that the memory budget has room for.
    """
    n, kernel = len(counted.rows), owner._choose(counted.pick(X), counted.weight).kernel
    shifted = _FromFirst(_gram(kernel, X, counted))
    squares = shifted.diagonal()
    mean_square = max(float(counted.means(squares)), 1e-300)
    # what is left below the rounding error of the values themselves is no dimension
    noise = 10 * np.finfo(float).eps * shifted.scale / mean_square
    tol = max(tol, noise, 1e-15)
    pivots, L = landmarks(shifted, min(max_rank, n, room), tol, counted.weight)
    explained = np.einsum("ij,ij->i", L, L)
    lowest = float((squares - explained).min())
    if lowest < -max(1e-8, noise) * float(squares.max()):
        negative = f"{lowest:.4g} is left of a squared length"
        rule = f"is not positive on the samples of {name}: {negative}"
        remedy = "repair the matrix by mercer.repair(K) and give it as precomputed"
        warn(explain("kernel", owner._given_kernel(), rule, remedy), DefinitenessWarning)
    left = max(0.0, 1.0 - float(counted.means(explained)) / mean_square)
    if len(pivots) == room < min(max_rank, n) and left > tol:
        rule = f"exceeds its share of the memory budget of {budget_text()}"
        remedy = f"lower max_rank={max_rank}, raise tol, or {RAISE}"
        size = f"{n} x {min(max_rank, n)}"
        raise MemoryBudgetError(f"KernelCCA: the factor of {name}", size, rule, remedy)
    mean = counted.means(L)
    # column j is Σ_p (k(x, p) − k(x, 0) − k(p, 0) + k(0, 0)) L_pp⁻ᵀ: weights on pivots and sample 0
    inverse = np.empty((0, 0))
    if len(pivots):
        identity = np.eye(len(pivots))
        inverse = linalg.solve_triangular(L[pivots], identity, lower=True, check_finite=False).T
    B = np.vstack([inverse, -inverse.sum(axis=0)])
    centre = (shifted.origin[pivots] - shifted.origin[0]) @ inverse + mean
    rows = counted.rows[np.append(pivots, 0)]
    samples = None
    if kernel is not None:
        samples = pick_rows(X, rows)
    expansion = Expansion(kernel, samples, rows, counted.n_given)
    L -= mean
    return FittedView(owner, kernel, expansion, B, centre, len(pivots), left), L


def _gram(kernel: Kernel | None, X: RawSamples, counted: Counted) -> Matrix:
    """The Gram matrix of a view, which is not stored unless it was given."""
    n = len(counted.rows)
    if kernel is None:
        check_square(X)
        K = np.asarray(X)
        if n < counted.n_given:
            K = K[np.ix_(counted.rows, counted.rows)]
        return Stored(K, plan_matrix(n, WHOLE, given=True))
    some = counted.pick(X)
    kernel.fit(some)
    check_resolved(kernel, some, must_differ=False)  # views that do not vary are refused later
    samples = kernel.prepare(Batch(X))
    if n < counted.n_given:  # taken from all, so that errors give the user's row numbers
        samples = samples.take(counted.rows)
    plan = Plan("streamed", FLOAT64, FLOAT64.itemsize * n * n, "is not stored")
    return Streamed(kernel, samples, samples, plan)


def as_view(view: RawSamples, name: str) -> RawSamples:
    """The samples of a view: numbers in one dimension become a column, all else is unchanged."""
    if view is None:
        raise ParameterError(name, ABSENT, "is missing", "give all views")
    if not hasattr(view, "__len__") and hasattr(view, "__array__"):
        view = np.asarray(view)
    entries = _entries(view)
    if len(entries) and all(isinstance(entry, Real) for entry in entries):
        return np.asarray(entries, dtype=float).reshape(-1, 1)
    return view


def _entries(view: RawSamples) -> list[object]:
    """The entries of a collection in one dimension; none for any other."""
    if isinstance(view, (list, tuple)):
        return list(view)
    if isinstance(view, np.ndarray) and view.ndim == 1:
        return view.tolist()
    is_series = hasattr(view, "to_numpy") and len(getattr(view, "shape", ())) == 1
    if is_series:
        return view.to_numpy().tolist()
    return []


def count_samples(views: list[RawSamples]) -> int:
    """The number of samples, which all views must share."""
    counts = [raw_length(view) for view in views]
    for number, count in enumerate(counts):
        if count != counts[0]:
            inconsistent = "Found input variables with inconsistent numbers of samples"
            rule = f"must be views of the same samples: {inconsistent}: {counts}"
            shown = f"{count} samples, view 0 has {counts[0]}"
            raise ShapeError(f"view {number}", shown, rule)
    if counts[0] < 2:
        rule = "is too few to correlate anything"
        raise ShapeError("X", "n_samples=1", rule, "give at least 2 samples")
    return counts[0]
