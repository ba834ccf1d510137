"""Losses of a row and their derivatives, which the pass over all rows evaluates.

Each is called with the values f of some rows, their targets and weights, and returns Σ w·loss and
the derivatives w·dloss/df. ``curvature`` bounds the second derivative, for preconditioners.
"""

from __future__ import annotations

import dataclasses
from typing import ClassVar, Protocol

import numpy as np

from mercer.aliases import Targets

Result = tuple[float, np.ndarray]


class SmoothLoss(Protocol):
    """A loss with the values that solvers and their preconditioners use."""

    @property
    def curvature(self) -> float: ...
    def __call__(self, values: np.ndarray, y: Targets, weight: np.ndarray, /) -> Result: ...


@dataclasses.dataclass(frozen=True)
class Squared:
    """½ (f − y)²."""

    curvature: ClassVar[float] = 1.0

    def __call__(self, values: np.ndarray, y: Targets, weight: np.ndarray) -> Result:
        gap = values - y
        slopes = weight[:, None] * gap
        return 0.5 * float(np.vdot(slopes, gap)), slopes


@dataclasses.dataclass(frozen=True)
class Logistic:
    """log(1 + exp(−s f)) for classes 0 and 1 with signs s."""

    curvature: ClassVar[float] = 0.25

    def __call__(self, values: np.ndarray, y: Targets, weight: np.ndarray) -> Result:
        sign = np.where(y > 0, -1.0, 1.0)
        margin = sign * values[:, 0]  # −s f
        losses = np.logaddexp(0.0, margin)
        slopes = weight * sign * np.exp(margin - losses)
        return float(weight @ losses), slopes[:, None]


@dataclasses.dataclass(frozen=True)
class Multinomial:
    """log Σ exp(f_c) − f_y for class numbers y."""

    curvature: ClassVar[float] = 0.5

    def __call__(self, values: np.ndarray, y: Targets, weight: np.ndarray) -> Result:
        shifted = values - values.max(axis=1, keepdims=True)
        slopes = np.exp(shifted)
        total = slopes.sum(axis=1)
        rows = np.arange(len(y))
        losses = np.log(total) - shifted[rows, y]
        slopes /= total[:, None]
        slopes[rows, y] -= 1.0
        slopes *= weight[:, None]
        return float(weight @ losses), slopes


def _signs(values: np.ndarray, y: Targets) -> np.ndarray:
    """1 for the class of a row and −1 for every other one; one column for two classes."""
    n_columns = values.shape[1]
    if n_columns == 1:
        return np.where(y > 0, 1.0, -1.0)[:, None]
    return np.where(y[:, None] == np.arange(n_columns), 1.0, -1.0)


@dataclasses.dataclass(frozen=True)
class SquaredHinge:
    """max(0, 1 − s f)², for each class against the rest; one column for two classes."""

    curvature: ClassVar[float] = 2.0

    def __call__(self, values: np.ndarray, y: Targets, weight: np.ndarray) -> Result:
        sign = _signs(values, y)
        short = np.maximum(1.0 - sign * values, 0.0)
        weighted = weight[:, None] * short
        return float(np.vdot(weighted, short)), -2.0 * sign * weighted


@dataclasses.dataclass(frozen=True)
class HuberizedHinge:
    """max(0, 1 − s f), with a parabola of a given width instead of its kink, as `SquaredHinge`."""

    width: float

    @property
    def curvature(self) -> float:
        """The curvature of the loss near its kink, where it is a parabola."""
        return 1.0 / self.width

    def __call__(self, values: np.ndarray, y: Targets, weight: np.ndarray) -> Result:
        sign = _signs(values, y)
        loss, slopes = SmoothHinge(self.width)(sign * values - 1.0, y, weight)
        return loss, sign * slopes


@dataclasses.dataclass(frozen=True)
class SquaredTube:
    """max(0, |f − y| − ε)²: the squared loss outside of a tube."""

    epsilon: float
    curvature: ClassVar[float] = 2.0

    def __call__(self, values: np.ndarray, y: Targets, weight: np.ndarray) -> Result:
        gap = values - y
        beyond = np.maximum(np.abs(gap) - self.epsilon, 0.0)
        weighted = weight[:, None] * beyond
        return float(np.vdot(weighted, beyond)), 2.0 * np.sign(gap) * weighted


@dataclasses.dataclass(frozen=True)
class HuberizedTube:
    """max(0, |f − y| − ε), with parabolas of a given width instead of its kinks."""

    epsilon: float
    width: float

    @property
    def curvature(self) -> float:
        """The curvature of the loss near its kinks, where it is a parabola."""
        return 1.0 / self.width

    def __call__(self, values: np.ndarray, y: Targets, weight: np.ndarray) -> Result:
        gap = values - y
        beyond = self.epsilon - np.abs(gap)
        loss, slopes = SmoothHinge(self.width)(beyond, y, weight)
        return loss, -np.sign(gap) * slopes


@dataclasses.dataclass(frozen=True)
class SmoothQuantile:
    """max(q r, (q − 1) r) of r = y − f, with a parabola of a given width instead of its kink.

    There is one quantile q for all columns, or one for each.
    """

    quantile: float | tuple[float, ...]
    width: float

    @property
    def curvature(self) -> float:
        """The curvature of the loss near its kink, where it is a parabola."""
        return 1.0 / self.width

    def __call__(self, values: np.ndarray, y: Targets, weight: np.ndarray) -> Result:
        # the conjugate: max over q − 1 <= s <= q of s r − ½ width s²
        gap = y - values
        upper = np.asarray(self.quantile)
        slope = np.clip(gap / self.width, upper - 1.0, upper)
        losses = slope * gap - 0.5 * self.width * slope * slope
        weighted = weight[:, None]
        return float(np.sum(weighted * losses)), -weighted * slope


@dataclasses.dataclass(frozen=True)
class SmoothHinge:
    """max(0, −f), with a parabola of a given width instead of its kink."""

    width: float

    @property
    def curvature(self) -> float:
        """The curvature of the loss near its kink, where it is a parabola."""
        return 1.0 / self.width

    def __call__(self, values: np.ndarray, y: Targets, weight: np.ndarray) -> Result:
        return SmoothQuantile(1.0, self.width)(values, np.zeros(1), weight)


@dataclasses.dataclass(frozen=True)
class Huber:
    """½ (f − y)², linear beyond a width."""

    width: float
    curvature: ClassVar[float] = 1.0

    def __call__(self, values: np.ndarray, y: Targets, weight: np.ndarray) -> Result:
        gap = values - y
        slope = np.clip(gap, -self.width, self.width)
        losses = slope * gap - 0.5 * slope * slope
        return float(np.sum(weight[:, None] * losses)), weight[:, None] * slope
