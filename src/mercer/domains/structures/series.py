"""Series: numbers, or rows of numbers, in an order; the lengths may differ."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.aliases import Prepared, RawSamples
from mercer.domains.base import Batch, Domain, Samples
from mercer.domains.raw import as_list, starts_of
from mercer.errors import (
    DomainError,
    EmptyInputError,
    InputTypeError,
    NotFiniteError,
    ShapeError,
    WidthError,
)

_FORMS = "give a list of arrays, one for each series, of shape (length,) or (length, channels)"
_ORDER = (
    "set channels='first' for (n, channels, length), as aeon and sktime have it, "
    "or channels='last' for (n, length, channels), as tslearn"
)

Curve = tuple[np.ndarray, np.ndarray | None]  # the points of a series, and their times


@dataclass(eq=False)
class SeriesSamples(Samples):
    """Series: ``values[offsets[i]:offsets[i + 1]]`` are the points of series i, at ``times``.

    ``timed`` says whether the times were given; otherwise they divide the interval from 0 to 1.
    """

    values: np.ndarray
    offsets: np.ndarray
    times: np.ndarray
    timed: bool
    columns: list[object] | None = None  # the names of the channels, of series in data frames

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> np.ndarray:
        return np.diff(self.offsets)

    @property
    def n_channels(self) -> int:
        return self.values.shape[1]

    def take(self, rows: np.ndarray) -> SeriesSamples:
        rows = np.asarray(rows, dtype=np.int64)
        points, offsets = points_of(self.offsets, rows)
        parts = self.values[points], offsets, self.times[points], self.timed, self.columns
        return SeriesSamples(*parts)._inherit(self, rows)


def points_of(offsets: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The positions of all points of some series, and where each of these begins among them."""
    sizes = np.diff(offsets)[rows]
    starts = starts_of(sizes)
    return np.arange(starts[-1]) + np.repeat(offsets[rows] - starts[:-1], sizes), starts


class Series(Domain):
    """Finite series of numbers, or of rows of numbers: the channels.

    A collection is a list of arrays of shape (length,) or (length, channels), a list of data frames
    whose columns are the channels, an array of two axes whose rows are series, or one of three
    axes, of which ``channels`` says whether the channels come first or last after the samples.
    Points of nothing but NaN at the end of a series are dropped. A pair (times, values) is a curve
    that is known at the given times.
    """

    name = "series"
    accepts = frozenset({"series", "objects"})

    def __init__(self, channels: str | None = None) -> None:
        self.channels = channels

    def __hash__(self) -> int:
        return hash((Series, self.channels))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Series) and other.channels == self.channels

    def encode(self, batch: Batch) -> SeriesSamples:
        listed = self._listed(batch.raw, batch.argument)
        names = [f"{batch.argument}[{row}]" for row in range(len(listed))]
        like: Prepared = batch.encode_like(self)
        columns = _columns_of(listed[0]) if like is None else like.columns
        if columns is not None:
            listed = [
                _in_order(one, columns, name) for one, name in zip(listed, names, strict=True)
            ]
        curves = list(map(self._read, listed, names))
        samples = _joined(curves, names)
        samples.columns = columns
        if like is not None:
            _check_alike(samples, like, batch)
        return samples

    def _listed(self, raw: RawSamples, argument: str) -> list[Any]:
        """The collection as a list of series."""
        _refuse_single(raw, argument)
        if hasattr(raw, "columns") and len(raw.columns) > 1:
            raw = raw.to_numpy()
        if isinstance(raw, np.ndarray) and raw.dtype != object:
            self._check_axes(raw, argument)
        listed = as_list(raw, argument, "series", _FORMS)
        if not listed:
            raise EmptyInputError(argument, listed, "is empty", "give at least one series")
        return listed

    def _check_axes(self, array: np.ndarray, argument: str) -> None:
        shape = f"array of shape {array.shape}"
        if array.ndim == 3 and self.channels is None:
            raise ShapeError(
                argument, shape, "does not say which axis is time and which are channels", _ORDER
            )
        if array.ndim not in (2, 3):
            raise ShapeError(argument, shape, "must have two or three axes", _FORMS)

    def _read(self, sample: Any, name: str) -> Curve:
        """The points of one series, and their times where they are given."""
        times = None
        if isinstance(sample, tuple) and len(sample) == 2 and np.ndim(sample[0]):
            times, sample = _numbers(sample[0], f"the times of {name}"), sample[1]
        values = self._points(sample, name)
        known = np.flatnonzero(~np.isnan(values).all(axis=1))
        if len(known) == 0:
            raise EmptyInputError(name, sample, "is an empty series", "drop it")
        length = int(known[-1]) + 1
        if times is not None:
            _check_times(times, len(values), length, name)
            times = times[:length]
        values = values[:length]
        _check_finite(values, name)
        return values, times

    def _points(self, sample: Any, name: str) -> np.ndarray:
        """The points of one series as rows, with a column for each channel."""
        values = _numbers(sample, name)
        if values.ndim == 1:
            values = values[:, None]
        elif self.channels == "first" and values.ndim == 2:
            values = values.T
        if values.ndim != 2 or values.shape[1] == 0:
            shape = f"array of shape {values.shape}"
            raise ShapeError(name, shape, "must have shape (length,) or (length, channels)", _FORMS)
        return values

    def sample(self, count: int, n_columns: int, rng: np.random.Generator) -> list[np.ndarray]:
        lengths = rng.integers(1, 6, count)
        return [rng.standard_normal((length, min(n_columns, 3))) for length in lengths]

    def lattices(self, n_columns: int, rng: np.random.Generator) -> list[RawSamples]:
        """All short series of two points, constant ones of many lengths, and random walks."""
        points = rng.standard_normal((2, min(n_columns, 3)))
        words = [w for n in range(1, 5) for w in itertools.product((0, 1), repeat=n)]
        short = [points[list(word)] for word in words]
        constant = [np.zeros((n, 1)) for n in range(1, 16)]
        numbers = [w for n in range(1, 4) for w in itertools.product((0.0, 1.0, 4.0), repeat=n)]
        sizes = rng.integers(2, 20, 40)
        walks = [rng.standard_normal((n, min(n_columns, 3))).cumsum(axis=0) for n in sizes]
        return [short, constant, [np.array(word)[:, None] for word in numbers], walks]


def _refuse_single(raw: RawSamples, argument: str) -> None:
    """Refuse numbers in one axis, which are a series and not a collection."""
    kind = getattr(raw, "dtype", np.dtype(object)).kind
    if getattr(raw, "ndim", 0) == 1 and kind in "fiub":
        rule = "is one series, not a collection of them"
        raise InputTypeError(argument, raw, rule, "give a list: [X]")


def _columns_of(sample: Any) -> list[object] | None:
    """The names of the columns of a data frame; None of anything else."""
    return list(sample.columns) if hasattr(sample, "columns") else None


def _in_order(sample: Any, columns: list[object], name: str) -> Any:
    """A data frame with its columns in that order; anything else as it is."""
    own = _columns_of(sample)
    if own is None or own == columns:
        return sample
    if len(own) != len(columns) or set(own) != set(columns):
        rule = f"does not have the columns {columns} of the other series"
        raise WidthError(name, own, rule, "give all series the same channels")
    return sample[columns]


def _numbers(values: Any, name: str) -> np.ndarray:
    """An array of double precision; an error if it holds anything but numbers."""
    if hasattr(values, "to_numpy"):
        values = values.to_numpy()
    if isinstance(values, (str, bytes, dict, set, frozenset)):
        raise InputTypeError(name, values, "is not a series of numbers", _FORMS)
    try:
        array = np.asarray(values)
        if array.dtype.kind not in "fiubO":
            raise TypeError(f"{array.dtype} is not a type of numbers")
        return array.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise InputTypeError(
            name, values, f"is not a series of numbers ({error})", _FORMS
        ) from None


def _check_finite(values: np.ndarray, name: str) -> None:
    wrong = np.argwhere(~np.isfinite(values))
    if len(wrong):
        time, channel = (int(place) for place in wrong[0])
        remedy = "fill the gap, or cut the series: only NaN at the end is dropped"
        place = f"{name}, time {time}, channel {channel}"
        raise NotFiniteError(place, float(values[time, channel]), "must be finite", remedy)


def _check_times(times: np.ndarray, given: int, length: int, name: str) -> None:
    """Refuse times that are not one for each point, finite and increasing."""
    what = f"the times of {name}"
    if times.shape != (given,):
        rule = f"must be one for each of the {given} points"
        raise ShapeError(what, f"array of shape {times.shape}", rule)
    known = times[:length]
    if not np.isfinite(known).all():
        at = int(np.argmin(np.isfinite(known)))
        raise NotFiniteError(f"{what}, point {at}", float(known[at]), "must be finite")
    steps = np.diff(known)
    if (steps <= 0).any():
        at = int(np.argmax(steps <= 0))
        value = f"{known[at]:g}, {known[at + 1]:g}"
        rule = f"do not increase at point {at + 1}"
        raise DomainError(what, value, rule, "sort the points, and average equal times")


def _check_fit(curve: Curve, name: str, first: Curve, first_name: str) -> None:
    """Refuse a series with other channels than the first, or with times where that has none."""
    width, timed = curve[0].shape[1], curve[1] is not None
    first_width, first_timed = first[0].shape[1], first[1] is not None
    if width != first_width:
        rule = f"does not fit {first_name}, which has {first_width}"
        raise WidthError(name, f"{width} channels", rule, "give all series the same channels")
    if timed != first_timed:
        rule = f"has {('no times', 'times')[timed]}, unlike {first_name}"
        raise DomainError(name, "a series", rule, "give times to all series or to none")


def _joined(curves: list[Curve], names: list[str]) -> SeriesSamples:
    """All series in one array."""
    for curve, name in zip(curves, names, strict=True):
        _check_fit(curve, name, curves[0], names[0])
    timed = curves[0][1] is not None
    lengths = np.array([len(values) for values, _ in curves])
    grids = [np.linspace(0.0, 1.0, len(v)) if t is None else t for v, t in curves]
    points = np.ascontiguousarray(np.concatenate([values for values, _ in curves]))
    return SeriesSamples(points, starts_of(lengths), np.concatenate(grids), timed)


def _check_alike(samples: SeriesSamples, like: SeriesSamples, batch: Batch) -> None:
    """Refuse series that have other channels than those they are compared with, or other times."""
    if samples.n_channels != like.n_channels:
        value = f"{samples.n_channels} channels"
        rule = f"do not fit {batch.other}, which have {like.n_channels}"
        raise WidthError(batch.argument, value, rule, "give all series the same channels")
    if samples.timed != like.timed:
        rule = f"must have times exactly where {batch.other} have them"
        raise DomainError(batch.argument, "series", rule, "give times to all series or to none")


SERIES = Series()
