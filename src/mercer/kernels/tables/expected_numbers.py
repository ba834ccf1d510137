"""Expectations over fillings of `RBF` and `Linear` on numbers, in closed form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar, Self, cast

import numpy as np

from mercer import _compiled
from mercer.aliases import Prepared, RawSamples
from mercer.domains.base import Batch, Domain
from mercer.domains.tables.missing import IncompleteNumbers, IncompleteSamples
from mercer.errors import ParameterError, WidthError
from mercer.gram.tile import Pair
from mercer.kernels.base import Derivative
from mercer.kernels.separable.separable import product_form, sum_form
from mercer.kernels.tables.expectations import ColumnTerms, Expected, no_value
from mercer.kernels.vectors.dot import Linear
from mercer.kernels.vectors.radial import RBF
from mercer.params import choice, param
from mercer.state import State, storable

__all__: list[str] = []

_BLOCK = 1 << 20  # differences of numbers held at a time

Weighted = tuple[np.ndarray, np.ndarray]  # numbers, and weights in proportion to their probability
Terms = tuple[ColumnTerms, ColumnTerms]  # of the rows and of the columns of a tile


class _Numbers(Expected, abstract=True):
    """The expectation of a kernel on numbers: it learns moments of the columns, or their values."""

    numbers: str = param(default="gaussian", check=choice("gaussian", "empirical"))
    stored: ClassVar[State] = State(finite=("means_", "variances_", "observed_"))

    @property
    def domain(self) -> Domain:  # type: ignore[override]
        return IncompleteNumbers(self.missing)

    def fit_batch(self, batch: Batch) -> Self:
        samples = cast(IncompleteSamples, batch.encode(self.domain))
        columns = [self._fillings(k, samples) for k in range(samples.n_columns)]
        self.means_ = np.array([_mean(column) for column in columns])
        self.variances_ = np.array([_variance(column) for column in columns])
        self.observed_ = None
        if self.numbers == "empirical":
            self.observed_ = [_weighted_values(column) for column in columns]
        return self

    def of_column(self, position: int, n_columns: int) -> Self:
        only = slice(position, position + 1)
        inner = self.kernel.of_column(position, n_columns)
        kernel = type(self)(inner, self.missing, self.uniform, numbers=self.numbers)
        kernel.means_, kernel.variances_ = self.means_[only], self.variances_[only]
        kernel.observed_ = None if self.observed_ is None else self.observed_[only]
        return kernel

    def _fillings(self, k: int, samples: IncompleteSamples) -> np.ndarray | Weighted:
        """The numbers that may fill a column, as often as they are likely, or with weights."""
        column, name = samples.x[:, k], samples.names[k]
        present = column[~np.isnan(column)]
        given = None if self.values is None else self.values[k]
        if isinstance(given, Mapping):
            return self._given_numbers(k, name), np.array(list(given.values()), dtype=float)
        if given is not None:
            present = self._given_numbers(k, name)
        if not len(present):
            raise no_value(name)
        return np.unique(present) if self.uniform else present

    def _given_numbers(self, k: int, name: str) -> np.ndarray:
        assert self.values is not None
        values = list(self.values[k] or ())
        try:
            return np.array([float(value) for value in values])
        except (TypeError, ValueError):
            raise ParameterError(f"values[{k}]", values, f"must be numbers, as {name} is") from None


def _mean(column: np.ndarray | Weighted) -> float:
    if isinstance(column, tuple):
        return float(np.average(column[0], weights=column[1]))
    return float(column.mean())


def _variance(column: np.ndarray | Weighted) -> float:
    if isinstance(column, tuple):
        return float(np.average((column[0] - _mean(column)) ** 2, weights=column[1]))
    return float(column.var())


def _weighted_values(column: np.ndarray | Weighted) -> Weighted:
    """The different values of a column, and how often each is there."""
    return column if isinstance(column, tuple) else np.unique(column, return_counts=True)


def _log_sums(
    x: np.ndarray, values: np.ndarray, counts: np.ndarray, scale: float
) -> Iterator[tuple[slice, np.ndarray, np.ndarray]]:
    """g = ((x − v)/ℓ)² for all values v, and log Σ exp(−g/2), for some rows at a time."""
    from scipy.special import logsumexp

    step = max(1, _BLOCK // len(values))
    for start in range(0, len(x), step):
        rows = slice(start, start + step)
        gaps = ((x[rows, None] - values) / scale) ** 2
        yield rows, gaps, logsumexp(-0.5 * gaps, axis=1, b=counts)


def _log_mean(x: np.ndarray, values: np.ndarray, counts: np.ndarray, scale: float) -> np.ndarray:
    """The logarithm of the mean of exp(−g/2) over the values."""
    log_sums = np.empty(len(x))
    for rows, _, total in _log_sums(x, values, counts, scale):
        log_sums[rows] = total
    return log_sums - np.log(counts.sum())


def _log_mean_slope(
    x: np.ndarray, values: np.ndarray, counts: np.ndarray, scale: float
) -> np.ndarray:
    """The derivative of `_log_mean` in ℓ."""
    slopes = np.empty(len(x))
    for rows, gaps, total in _log_sums(x, values, counts, scale):
        slopes[rows] = (np.exp(-0.5 * gaps - total[:, None]) * gaps) @ counts / scale
    return slopes


@storable
class ExpectedGaussian(_Numbers, abstract=True, splits=product_form):
    """The expectation of `RBF`: missing numbers are normal, or any of their column's values."""

    @property
    def _length_scale(self) -> np.ndarray:
        return np.asarray(cast(RBF, self.kernel).length_scale, dtype=np.float64)

    def _scales(self, n_columns: int) -> np.ndarray:
        """One length scale for every column."""
        given = self._length_scale
        if given.ndim and len(given) != n_columns:
            rule = f"must be one for each of the {n_columns} columns"
            raise WidthError("length_scale", f"{len(given)} values", rule)
        return np.full(n_columns, 1.0) * given

    def _means(self, samples: IncompleteSamples) -> ColumnTerms:
        """Logarithms of the expectation of every column's factor."""
        x, scale = np.nan_to_num(samples.x), self._scales(samples.n_columns)
        if self.observed_ is None:
            wide, wider = scale**2 + self.variances_, scale**2 + 2 * self.variances_
            one = np.log(scale / np.sqrt(wide)) - 0.5 * (x - self.means_) ** 2 / wide
            return ColumnTerms(samples, one=one, both=np.log(scale / np.sqrt(wider)))
        one, both = np.empty(x.shape), np.empty(len(scale))
        for k, (values, counts) in enumerate(self.observed_):
            one[:, k] = _log_mean(x[:, k], values, counts, scale[k])
            means = np.exp(_log_mean(values, values, counts, scale[k]))
            both[k] = np.log(counts @ means / counts.sum())
        return ColumnTerms(samples, one=one, both=both)

    def _slopes(self, samples: IncompleteSamples) -> ColumnTerms:
        """The derivatives of `_means` in the columns' length scales."""
        x, scale = np.nan_to_num(samples.x), self._scales(samples.n_columns)
        if self.observed_ is None:
            wide, wider = scale**2 + self.variances_, scale**2 + 2 * self.variances_
            one = self.variances_ / (scale * wide) + scale * ((x - self.means_) / wide) ** 2
            return ColumnTerms(samples, one=one, both=2 * self.variances_ / (scale * wider))
        one, both = np.empty(x.shape), np.empty(len(scale))
        for k, (values, counts) in enumerate(self.observed_):
            one[:, k] = _log_mean_slope(x[:, k], values, counts, scale[k])
            parts = counts * np.exp(_log_mean(values, values, counts, scale[k]))
            both[k] = parts @ _log_mean_slope(values, values, counts, scale[k]) / parts.sum()
        return ColumnTerms(samples, one=one, both=both)

    def prepare(self, batch: Batch) -> ColumnTerms:
        samples = cast(IncompleteSamples, batch.encode(self.domain))
        self._check_columns("means_", samples.n_columns, batch.argument)
        return self._means(samples)

    def _sum(
        self, pair: Pair, terms: Terms, sharp: np.ndarray, columns: tuple[int, int], out: np.ndarray
    ) -> None:
        x, y = terms
        numbers, one = x[0].x[pair.rows], x.extra["one"][pair.rows]
        numbers_y, one_y = y[0].columns()[:, pair.cols], y.one_columns()[:, pair.cols]
        fill = _compiled.categories.expected_gaussian
        fill(numbers, one, numbers_y, one_y, x.both, sharp, *columns, out)

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        n_columns = len(pair.x.both)
        sharp = 0.5 / self._scales(n_columns) ** 2
        self._sum(pair, (pair.x, pair.y), sharp, (0, n_columns), out)
        np.exp(out, out=out)

    def diagonal(self, terms: ColumnTerms) -> np.ndarray:
        total = np.zeros(len(terms))
        for column in np.where(np.isnan(terms[0].x), terms.both, 0.0).T:
            total += column
        return np.exp(total)

    def _slope_terms(self, terms: ColumnTerms) -> ColumnTerms:
        return terms.once("slopes", lambda: self._slopes(terms[0]))

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        n_columns = len(pair.x.both)
        terms = self._slope_terms(pair.x), self._slope_terms(pair.y)
        value, slope = np.empty(pair.shape), np.empty(pair.shape)
        self.tile(pair, value)
        sharp = -1.0 / self._scales(n_columns) ** 3
        if self._length_scale.ndim == 0:
            self._sum(pair, terms, sharp, (0, n_columns), slope)
            yield "length_scale", None, np.multiply(slope, value, out=slope)
            return
        for k in range(n_columns):
            self._sum(pair, terms, sharp, (k, k + 1), slope)
            yield "length_scale", k, np.multiply(slope, value, out=slope)


@storable
class MeanFilled(_Numbers, abstract=True, splits=sum_form):
    """The expectation of `Linear`: the inner product of rows filled with their columns' means."""

    def prepare(self, batch: Batch) -> Prepared:
        samples = cast(IncompleteSamples, batch.encode(self.domain))
        self._check_columns("means_", samples.n_columns, batch.argument)
        return Linear().prepare(batch.apply(self.filled))

    def filled(self, raw: RawSamples) -> np.ndarray:
        """The table with the columns' means where numbers are missing."""
        x = cast(IncompleteSamples, Batch(raw).encode(self.domain)).x
        return np.where(np.isnan(x), self.means_, x)

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        np.copyto(out, pair.dot(out))

    def diagonal(self, prepared: Prepared) -> np.ndarray:
        return prepared.norms
