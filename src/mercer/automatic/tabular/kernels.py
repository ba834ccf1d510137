"""Kernels of scores with length scales, which the evidence chooses, and rows to learn from."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from scipy import optimize

from mercer.aliases import LengthScale
from mercer.automatic.tabular.targets import AS_IT_IS, TargetMap
from mercer.domains.base import Batch
from mercer.estimators.learning.objectives import profiled_slope
from mercer.gram.fill import dense
from mercer.gram.plan import FLOAT64
from mercer.kernels.base import Kernel
from mercer.kernels.numerics.derivatives import gradient_between
from mercer.kernels.vectors.distance import Laplacian
from mercer.kernels.vectors.radial import RBF
from mercer.solvers.ridge.left_out import left_out_path

PENALTIES = 10.0 ** np.arange(1.0, -6.01, -0.5)
_PRIOR = 1.0  # the standard deviation of the logarithm of a length scale around its start
_FARTHEST = 6.0  # of a logarithm from its start
_FEW_ROWS, _STEPS_AFTER = 350, 8  # for the beginning of a search, and its steps on all rows
_NOISE = (1e-7, 0.1, 10.0)  # least, first and largest variance of the noise


@dataclasses.dataclass
class Rows:
    """Scores and targets of the samples that kernels are learned from."""

    Z: np.ndarray
    tied: np.ndarray  # for each score, which length scale it has
    Y: np.ndarray  # as models learn it
    weight: np.ndarray | None = None
    groups: np.ndarray | None = None  # samples of one group are left out together
    power: int = 2  # of the errors: 1 for absolute ones
    target: TargetMap = AS_IT_IS
    y: np.ndarray | None = None  # in its own units, where these are others than those of Y

    def thinned(self, most: int) -> Rows:
        """Samples at equal steps, at most so many: rows of a table may be in some order."""
        places = slice(None, None, -(-len(self.Y) // most))
        few = dataclasses.replace(self, Z=self.Z[places], Y=self.Y[places])
        for name in ("weight", "groups", "y"):
            array = getattr(self, name)
            if array is not None:
                setattr(few, name, array[places])
        return few

    def losses(self, left_out: np.ndarray) -> np.ndarray:
        """The mean errors of predictions for left-out samples, over the last two axes.

        They are errors of the target in its own units.
        """
        wanted = self.Y if self.y is None else self.y
        predicted = self.target.unbiased(left_out, wanted, self.weight)
        errors = (np.abs(predicted - wanted) ** self.power).mean(axis=-1)
        return np.average(errors, axis=-1, weights=self.weight)

    def loss(self, left_out: np.ndarray) -> float:
        """The mean error of predictions for left-out samples."""
        return float(self.losses(left_out))

    def path(self, K: np.ndarray) -> np.ndarray:
        """Predictions for left-out samples with a Gram matrix, at each of the penalties."""
        return left_out_path(K, self.Y, self.weight, PENALTIES, self.groups)


@dataclasses.dataclass
class Learned:
    """A learned kernel, how it was learned, and its leave-one-out predictions if known."""

    kernel: Kernel
    how: str
    left_out: np.ndarray | None = None  # for each penalty


def gram(kernel: Kernel, Z: np.ndarray, other: np.ndarray | None = None) -> np.ndarray:
    """The matrix of a kernel of scores, without the checks of raw samples."""
    rows = kernel.prepare(Batch(Z))
    columns = rows if other is None else kernel.prepare(Batch(other))
    return dense(kernel, rows, columns, FLOAT64)


def spreads(Z: np.ndarray, power: int) -> np.ndarray:
    """The mean of |difference|^power between two rows, column by column."""
    shuffled = Z[np.random.default_rng(0).permutation(len(Z))]
    return np.asarray((np.abs(shuffled - Z) ** power).mean(axis=0))


def _readable(lengths: np.ndarray) -> LengthScale:
    """Four digits, and one number if all are equal: a length scale need not be exact."""
    rounded = [float(f"{length:.4g}") for length in np.ravel(lengths)]
    if len(set(rounded)) == 1:
        return rounded[0]
    return rounded


def plain_laplacian(Z: np.ndarray) -> Laplacian:
    """The Laplacian with one length scale for all scores, the mean distance."""
    total = float(spreads(Z, 1).sum()) or 1.0
    return Laplacian(_readable(np.full(Z.shape[1], total)))


def weighted_rbf(Z: np.ndarray, metric: np.ndarray) -> RBF:
    """Length scales for a metric with these weights, in units of the root mean distance."""
    mean = float((spreads(Z, 2) / 2.0 * metric).sum()) or 1.0
    return RBF(_readable(np.sqrt(mean / metric)))


def scaled(kernel: Kernel, factor: float) -> Kernel:
    """The kernel with all its length scales multiplied."""
    return type(kernel)(_readable(factor * np.asarray(kernel.length_scale)))  # type: ignore[call-arg]


class WidthProblem:
    """The evidence of a Laplacian kernel as a function of the logarithms of its length scales.

    Scores that are tied move together, and the last coordinate is the logarithm of the noise.
    """

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.start = np.log(np.asarray(plain_laplacian(rows.Z).length_scale))
        self.n_scales = int(rows.tied.max()) + 1
        self.samples = Laplacian().prepare(Batch(rows.Z))

    def kernel(self, theta: np.ndarray) -> Laplacian:
        """The kernel at θ."""
        return Laplacian(np.exp(self.start + theta[self.rows.tied]).tolist())

    def __call__(self, coordinates: np.ndarray) -> tuple[float, np.ndarray]:
        """Minus the evidence and the prior, and the gradient."""
        theta, noise = coordinates[:-1], float(np.exp(coordinates[-1]))
        kernel = self.kernel(theta)
        K = dense(kernel, self.samples, self.samples, FLOAT64)
        weight: Any = 1.0 if self.rows.weight is None else self.rows.weight
        slope = profiled_slope(K, noise, self.rows.Y, weight)
        if slope is None:
            return np.inf, np.zeros(len(coordinates))
        n_targets = self.rows.Y.shape[1]
        in_scale = gradient_between(kernel, self.samples, self.samples, slope.weights)
        moved = np.asarray(in_scale["length_scale"]) * np.asarray(kernel.length_scale)
        gradient = np.append(
            np.bincount(self.rows.tied, moved, minlength=self.n_scales), noise * slope.in_noise
        )
        gradient /= -n_targets
        gradient[:-1] += theta / _PRIOR**2
        penalty = 0.5 * float(theta @ theta) / _PRIOR**2
        return penalty - slope.value / n_targets, gradient


def by_evidence(
    rows: Rows, steps: int, start: np.ndarray | None = None
) -> tuple[Learned, np.ndarray]:
    """A Laplacian with a length scale per column, and where the search ended.

    The search begins on a part of the rows, where a step takes an eighth of the time.
    """
    if start is None and len(rows.Y) > 2 * _FEW_ROWS - 1:
        _, start = by_evidence(rows.thinned(_FEW_ROWS), steps)
        steps = _STEPS_AFTER
    problem = WidthProblem(rows)
    if start is None:
        start = np.append(np.zeros(problem.n_scales), np.log(_NOISE[1]))
    limits = [(-_FARTHEST, _FARTHEST)] * problem.n_scales
    limits.append((float(np.log(_NOISE[0])), float(np.log(_NOISE[2]))))
    options = {"maxiter": steps, "maxfun": steps + steps // 4 + 2}
    result = optimize.minimize(
        problem, start, jac=True, method="L-BFGS-B", bounds=limits, options=options
    )
    return Learned(scaled(problem.kernel(result.x[:-1]), 1.0), "evidence"), result.x
