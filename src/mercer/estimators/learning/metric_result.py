"""A learned metric, and the rounds that led to it."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from mercer.kernels.base import Kernel

_SHOWN = 10  # columns or directions in print


@dataclasses.dataclass(frozen=True, repr=False, eq=False)
class MetricRound:
    """A kernel with the metric of one round, and how well ridge regression does with it."""

    kernel: Kernel
    metric: np.ndarray  # a weight per column, or a matrix
    loo_error: float  # the mean squared leave-one-out error, as a share of the variance
    ridge: float  # the penalty, as a multiple of the mean of k(x, x)

    def __repr__(self) -> str:
        return f"MetricRound(loo_error={self.loo_error:.4g}, ridge={self.ridge:.3g})"


@dataclasses.dataclass(frozen=True, repr=False, eq=False)
class LearnedMetric:
    """The result of `learn_metric`: the best of several rounds.

    Parameters
    ----------
    history : tuple of MetricRound
        All rounds, round 0 without a metric.
    names : list or None
        The names of the columns, if X was a data frame.

    Attributes
    ----------
    kernel : Kernel
        The kernel with the learned metric.
    metric : ndarray of shape (n_features,) or (n_features, n_features)
        A weight per column, of mean 1, or the matrix W, whose diagonal has mean 1.
    round : int
        The round that was chosen.
    loo_errors : ndarray of shape (rounds + 1,)
        The mean squared leave-one-out error of every round, as a share of the variance.
    ridge : float
        The penalty that was chosen in this round, as a multiple of the mean of k(x, x).
    """

    history: tuple[MetricRound, ...]
    names: list[Any] | None = None

    @property
    def loo_errors(self) -> np.ndarray:
        return np.array([step.loo_error for step in self.history])

    @property
    def round(self) -> int:
        return int(np.argmin(self.loo_errors))

    @property
    def kernel(self) -> Kernel:
        return self.history[self.round].kernel

    @property
    def metric(self) -> np.ndarray:
        return self.history[self.round].metric

    @property
    def ridge(self) -> float:
        return self.history[self.round].ridge

    def __repr__(self) -> str:
        errors = ", ".join(f"{error:.4g}" for error in self.loo_errors)
        lines = [
            f"LearnedMetric: round {self.round} of {len(self.history) - 1}",
            f"leave-one-out error of each round, as a share of the variance: {errors}",
            f"ridge {self.ridge:.3g} × mean of k(x, x)",
        ]
        return "\n".join([*lines, *self._weights()])

    def _weights(self) -> list[str]:
        """The largest weights of columns, or of directions."""
        if self.metric.ndim == 2:
            return [f"shares of the directions: {_listed(self._shares())}"]
        order = np.argsort(-self.metric, kind="stable")
        names = self.names or [f"column {column}" for column in range(len(order))]
        lines = [f"  {names[column]!s:<20} {self.metric[column]:.3g}" for column in order[:_SHOWN]]
        if len(order) > _SHOWN:
            lines.append(f"  and {len(order) - _SHOWN} more columns")
        return ["weights of the columns, on average 1:", *lines]

    def _shares(self) -> np.ndarray:
        values = np.linalg.eigvalsh(self.metric)[::-1]
        return values / values.sum()


def _listed(shares: np.ndarray) -> str:
    shown = ", ".join(f"{share:.3g}" for share in shares[:_SHOWN])
    return shown + (", ..." if len(shares) > _SHOWN else "")
