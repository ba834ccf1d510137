"""What the samples say of a kernel's parameters before any is learned: bounds and first values."""

from __future__ import annotations

import copy
import dataclasses
import functools
from typing import Any

import numpy as np
from scipy.signal import lombscargle

from mercer.aliases import RawSamples
from mercer.kernels.base import Kernel
from mercer.kernels.combine.columns import On
from mercer.kernels.vectors.coordinate import Periodic
from mercer.kernels.vectors.gaussian_mixtures import RationalQuadratic

_SHAPE = (0.1, 3.0)  # of the length scale of a periodic kernel; beyond, it is a constant
_TAIL = (0.05, 50.0)  # of the exponent of a rational quadratic kernel
_LENGTHS = (0.02, 0.1, 0.5)  # first length scales, as shares of the range
_FINEST = 8  # frequencies between two that the samples resolve
_MOST_FREQUENCIES = 20_000
_PEAKS = 3  # of a periodogram
_WINDOW = np.hanning(4 * _FINEST)  # a season that changes has several peaks around its frequency
_PERIODS = 2.0  # that must be seen: less often, nothing shows that a function is periodic
_SHORTEST = 3.5  # samples of a period, at least: seasons of quarterly data have four
_SAME = 0.02  # a relative difference of two first periods


@dataclasses.dataclass(frozen=True)
class Column:
    """The values of a column, how far they reach, and how far neighbors are apart."""

    values: np.ndarray
    span: float
    gap: float

    @classmethod
    def of(cls, values: np.ndarray) -> Column:
        """Measure a column; a constant one is given the range 1."""
        count, span = len(np.unique(values)), float(np.ptp(values))
        if count < 2:
            return cls(values, 1.0, 0.5)
        return cls(values, span, span / (count - 1))

    @property
    def periods(self) -> tuple[float, float]:
        """The shortest and the longest period that the samples can show."""
        longest = self.span / _PERIODS
        return min(_SHORTEST * self.gap, 0.5 * longest), longest

    @property
    def frequencies(self) -> float:
        """How many frequencies between those of these periods the samples resolve."""
        low, high = self.periods
        return self.span * (1.0 / low - 1.0 / high)

    def peaks(self, targets: np.ndarray) -> list[float]:
        """The periods of the highest peaks of a periodogram, and twice and three times the first.

        A function that is periodic but no wave may have its highest peak at a harmonic.
        """
        low, high = self.periods
        count = min(int(_FINEST * self.frequencies), _MOST_FREQUENCIES)
        frequencies = np.linspace(1.0 / high, 1.0 / low, max(count, 3))
        centered = targets - np.polyval(np.polyfit(self._scaled(), targets, 2), self._scaled())
        if not np.any(np.abs(centered) > 1e-12):
            return [high]
        power = lombscargle(self.values, centered, 2 * np.pi * frequencies)
        is_peak = np.r_[True, power[1:] > power[:-1]] & np.r_[power[:-1] >= power[1:], True]
        places = np.flatnonzero(is_peak)
        best = places[np.argsort(-power[places], kind="stable")][:_PEAKS]
        periods = (1.0 / frequencies[best]).tolist()
        periods.append(1.0 / frequencies[np.argmax(np.convolve(power, _WINDOW, mode="same"))])
        multiples = [factor * periods[0] for factor in (2, 3)]
        return periods + [period for period in multiples if period <= high]

    def _scaled(self) -> np.ndarray:
        return (self.values - self.values.mean()) / self.span


class Ranges:
    """The columns of the samples, where they are vectors; of other samples nothing is known."""

    def __init__(self, X: RawSamples) -> None:
        self.columns: list[Column] = []
        if isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind == "f":
            self.columns = [Column.of(X[:, j]) for j in range(X.shape[1])]

    def of_rows(self, rows: np.ndarray) -> Ranges:
        """Some of the samples, whose parameters have the same bounds."""
        taken = copy.copy(self)
        taken.columns = [dataclasses.replace(c, values=c.values[rows]) for c in self.columns]
        return taken

    def columns_of(self, kernel: Kernel) -> list[Column]:
        """The columns that a base kernel looks at."""
        if not isinstance(kernel, On):
            return self.columns
        positions = kernel.positions(len(self.columns)) if self.columns else None
        return [self.columns[at] for at in positions or []]

    def bounds(self, kernel: Kernel) -> dict[str, Any]:
        """Bounds of the parameters with a meaning; others have those of Gaussian processes."""
        columns = self.columns_of(kernel)
        bounds: dict[str, Any] = {}
        for name, value in kernel.continuous_params().items():
            ends = _ends(kernel, name, columns)
            if ends is not None and np.ndim(value) < 2:
                bounds[name] = ends
        return bounds

    def starts(self, kernel: Kernel, targets: list[np.ndarray]) -> list[Kernel]:
        """Copies of a base kernel with different first values; itself where it has none."""
        starts: list[Kernel] = []
        for name, value in kernel.continuous_params().items():
            for first in self._first_values(kernel, name, value, targets):
                starts.append(_changed(kernel, name, first))
        return starts or [kernel]

    def _first_values(
        self, kernel: Kernel, name: str, value: float | np.ndarray, targets: list[np.ndarray]
    ) -> list[float] | list[float | np.ndarray]:
        """Values to begin with of a length scale, or of the period of one column."""
        columns, kind = self.columns_of(kernel), _kind(kernel, name)
        if columns and kind == "length":
            return [_length(columns, value, share) for share in _LENGTHS]
        if len(columns) == 1 and kind == "period" and np.ndim(value) == 0:
            return _distinct([period for y in targets for period in columns[0].peaks(y)])
        return []

    def price(self, kernel: Kernel) -> float:
        """The logarithm of the number of frequencies among which each period was chosen."""
        periods = sum(_kind(kernel, name) == "period" for name in kernel.continuous_params())
        counts = [max(column.frequencies, 1.0) for column in self.columns_of(kernel)]
        return periods * float(np.sum(np.log(counts)))

    def relaxed(self, kernel: Kernel) -> Kernel:
        """The kernel with long length scales, which other terms leave room for."""
        columns = self.columns_of(kernel)
        for name, value in kernel.continuous_params().items():
            if columns and _kind(kernel, name) == "length":
                kernel = _changed(kernel, name, _length(columns, value, _LENGTHS[-1]))
        return kernel


def _distinct(periods: list[float]) -> list[float]:
    """The periods without those that are as good as equal to one before."""
    kept: list[float] = []
    for period in periods:
        if all(abs(period / other - 1.0) > _SAME for other in kept):
            kept.append(period)
    return kept


def _kind(kernel: Kernel, name: str) -> str:
    """What a parameter, given by its nested name, measures: a length, a period, or another thing.

    The length scale of a periodic kernel has no unit.
    """
    *path, last = name.split("__")
    owner = functools.reduce(getattr, path, kernel)
    if isinstance(owner, Periodic):
        return "period" if last == "period" else "shape"
    if isinstance(owner, RationalQuadratic) and last == "alpha":
        return "tail"
    return "length" if last == "length_scale" else ""


def _ends(kernel: Kernel, name: str, columns: list[Column]) -> tuple[float, float] | None:
    """The least and the largest value of a parameter, where the samples determine them."""
    kind = _kind(kernel, name)
    if kind == "shape":
        return _SHAPE
    if kind == "tail":
        return _TAIL
    if kind == "" or not columns:
        return None
    if kind == "period":
        shortest, longest = np.transpose([column.periods for column in columns])
        return float(shortest.min()), float(longest.max())
    gaps, spans = np.transpose([(column.gap, column.span) for column in columns])
    return 0.5 * float(gaps.min()), 100.0 * float(spans.max()) * len(columns)


def _length(columns: list[Column], value: float | np.ndarray, share: float) -> float | np.ndarray:
    """A length scale, or one for each column, that is a share of the range."""
    spans = share * np.sqrt(len(columns)) * np.array([column.span for column in columns])
    if np.shape(value) == spans.shape:
        return spans
    return float(np.mean(spans))


def _changed(kernel: Kernel, name: str, value: float | np.ndarray) -> Kernel:
    return kernel.copy().set_params(**{name: value})
