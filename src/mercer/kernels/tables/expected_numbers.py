"""Means over fillings of `RBF` and `Linear` on numbers, in closed form."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

import numpy as np

from mercer import _compiled
from mercer.aliases import Prepared, RawSamples
from mercer.domains.base import Batch, Domain
from mercer.domains.missing import IncompleteNumbers, IncompleteSamples
from mercer.errors import ParameterError, WidthError
from mercer.gram.tile import Pair
from mercer.kernels.base import Derivative
from mercer.kernels.tables.expectations import Expected, Sides, no_value
from mercer.kernels.vectors.dot import Linear
from mercer.params import choice, param

__all__: list[str] = []

_BLOCK = 1 << 20  # differences of numbers held at a time


class _Numbers(Expected, abstract=True):
    """Of kernels on numbers: means and variances of the columns, or their values."""

    numbers: str = param(default="gaussian", check=choice("gaussian", "empirical"))

    @property
    def domain(self) -> Domain:  # type: ignore[override]
        return IncompleteNumbers(self.missing)

    def fit_batch(self, batch: Batch) -> Self:
        side: Prepared = batch.encode(self.domain)
        seen = [column[~np.isnan(column)] for column in side.x.T]
        if self.values is not None:
            seen = [self._number_values(k, name) for k, name in enumerate(side.names)]
        for name, column in zip(side.names, seen, strict=True):
            if not len(column):
                raise no_value(name)
        seen = [np.unique(column) for column in seen] if self.uniform else seen
        self.means_, self.variances_ = (
            np.array([c.mean() for c in seen]),
            np.array([c.var() for c in seen]),
        )
        self.observed_ = (
            [np.unique(c, return_counts=True) for c in seen]
            if self.numbers == "empirical"
            else None
        )
        return self

    def _number_values(self, k: int, name: str) -> np.ndarray:
        try:
            return np.array([float(value) for value in self.values[k]])
        except (TypeError, ValueError):
            raise ParameterError(
                f"values[{k}]", self.values[k], f"must be numbers, as {name} is"
            ) from None


def _log_sums(
    x: np.ndarray, values: np.ndarray, counts: np.ndarray, scale: float
) -> Iterator[tuple[slice, np.ndarray, np.ndarray]]:
    """Some rows at a time: ((x − v)/ℓ)² for all values v, and the logarithm of the sum of exp(−½ of these)."""
    from scipy.special import logsumexp

    step = max(1, _BLOCK // len(values))
    for start in range(0, len(x), step):
        at = slice(start, start + step)
        gaps = ((x[at, None] - values) / scale) ** 2
        yield at, gaps, logsumexp(-0.5 * gaps, axis=1, b=counts)


def _log_mean(x: np.ndarray, values: np.ndarray, counts: np.ndarray, scale: float) -> np.ndarray:
    made = np.empty(len(x))
    for at, _, total in _log_sums(x, values, counts, scale):
        made[at] = total
    return made - np.log(counts.sum())


def _log_mean_slope(
    x: np.ndarray, values: np.ndarray, counts: np.ndarray, scale: float
) -> np.ndarray:
    """Its derivative in ℓ."""
    made = np.empty(len(x))
    for at, gaps, total in _log_sums(x, values, counts, scale):
        made[at] = (np.exp(-0.5 * gaps - total[:, None]) * gaps) @ counts / scale
    return made


class ExpectedGaussian(_Numbers, abstract=True):
    """Of `RBF`: holes are normal with the column's mean and variance, or any of its values."""

    def _scales(self, width: int) -> np.ndarray:
        """One length scale for every column."""
        given = np.asarray(self.kernel.length_scale, dtype=np.float64)  # type: ignore[attr-defined]
        if given.ndim and len(given) != width:
            raise WidthError(
                "length_scale",
                f"{len(given)} values",
                f"must be one for each of the {width} columns",
            )
        return np.full(width, 1.0) * given

    def _means(self, side: Prepared) -> Sides:
        """Logarithms of the mean of every column's factor."""
        x, scale = np.where(np.isnan(side.x), 0.0, side.x), self._scales(side.x.shape[1])
        if self.observed_ is None:
            wide = scale**2 + self.variances_
            one = np.log(scale / np.sqrt(wide)) - 0.5 * (x - self.means_) ** 2 / wide
            return Sides(
                side, one=one, both=np.log(scale / np.sqrt(scale**2 + 2 * self.variances_))
            )
        one, both = np.empty(x.shape), np.empty(len(scale))
        for k, (values, counts) in enumerate(self.observed_):
            one[:, k] = _log_mean(x[:, k], values, counts, scale[k])
            both[k] = np.log(
                counts @ np.exp(_log_mean(values, values, counts, scale[k])) / counts.sum()
            )
        return Sides(side, one=one, both=both)

    def _slopes(self, side: Prepared) -> Sides:
        """The derivatives of `_means` in the columns' length scales."""
        x, scale = np.where(np.isnan(side.x), 0.0, side.x), self._scales(side.x.shape[1])
        if self.observed_ is None:
            wide, wider = scale**2 + self.variances_, scale**2 + 2 * self.variances_
            one = self.variances_ / (scale * wide) + scale * ((x - self.means_) / wide) ** 2
            return Sides(side, one=one, both=2 * self.variances_ / (scale * wider))
        one, both = np.empty(x.shape), np.empty(len(scale))
        for k, (values, counts) in enumerate(self.observed_):
            one[:, k] = _log_mean_slope(x[:, k], values, counts, scale[k])
            parts = counts * np.exp(_log_mean(values, values, counts, scale[k]))
            both[k] = parts @ _log_mean_slope(values, values, counts, scale[k]) / parts.sum()
        return Sides(side, one=one, both=both)

    def prepare(self, batch: Batch) -> Sides:
        side: Prepared = batch.encode(self.domain)
        self._fitted("means_", side.x.shape[1], batch.argument)
        return self._means(side)

    def _sum(
        self,
        pair: Pair,
        x: Sides,
        y: Sides,
        sharp: np.ndarray,
        columns: tuple[int, int],
        out: np.ndarray,
    ) -> None:
        _compiled.categories.expected_gaussian(
            x[0].x[pair.i0 : pair.i1],
            x.extra["one"][pair.rows],
            y[0].columns()[:, pair.j0 : pair.j1],
            y.one_columns()[:, pair.j0 : pair.j1],
            x.both,
            sharp,
            *columns,
            out,
        )

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        d = len(pair.x.both)
        self._sum(pair, pair.x, pair.y, 0.5 / self._scales(d) ** 2, (0, d), out)
        np.exp(out, out=out)

    def diagonal(self, side: Prepared) -> np.ndarray:
        total = np.zeros(len(side))
        for column in np.where(np.isnan(side[0].x), side.both, 0.0).T:
            total += column
        return np.exp(total)

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        d = len(pair.x.both)
        x, y = (
            side.once("slopes", lambda side=side: self._slopes(side[0]))
            for side in (pair.x, pair.y)
        )
        value, slope = np.empty(pair.shape), np.empty(pair.shape)
        self.tile(pair, value)
        sharp = -1.0 / self._scales(d) ** 3
        whole = np.ndim(self.kernel.length_scale) == 0  # type: ignore[attr-defined]
        for index, columns in [(None, (0, d))] if whole else [(k, (k, k + 1)) for k in range(d)]:
            self._sum(pair, x, y, sharp, columns, slope)
            yield "length_scale", index, np.multiply(slope, value, out=slope)


class MeanFilled(_Numbers, abstract=True):
    """Of `Linear`: the mean of an inner product is that of the rows filled with their columns' means."""

    def prepare(self, batch: Batch) -> Any:
        side: Prepared = batch.encode(self.domain)
        self._fitted("means_", side.x.shape[1], batch.argument)
        return Linear().prepare(batch.apply(_Filler(self)))

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        np.copyto(out, pair.dot(out))

    def diagonal(self, side: Prepared) -> np.ndarray:
        return side.norms


class _Filler:
    """A function of a collection that puts the means where holes are."""

    __name__ = "fill"

    def __init__(self, owner: MeanFilled) -> None:
        self.owner = owner

    def __hash__(self) -> int:
        return hash(id(self.owner))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Filler) and other.owner is self.owner

    def __call__(self, raw: RawSamples) -> np.ndarray:
        side: IncompleteSamples = Batch(raw).encode(self.owner.domain)  # type: ignore[assignment]
        return np.where(np.isnan(side.x), self.owner.means_, side.x)
