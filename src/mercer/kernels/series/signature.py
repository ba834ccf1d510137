"""The signature kernel of two series."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Hashable, Iterator
from typing import Any, ClassVar, Self, cast

import numpy as np

from mercer import _compiled
from mercer.aliases import Prepared, RawSamples
from mercer.definiteness import POSITIVE_DIAGONAL, PSD, UNKNOWN, Certificate, Where
from mercer.domains.base import Batch, Domain, Samples
from mercer.domains.distributions import BagSamples
from mercer.domains.structures.series import Series, SeriesSamples
from mercer.domains.vectors.domain import TILE
from mercer.errors import DomainMismatchError, ParameterError
from mercer.execution.threads import run
from mercer.execution.workspace import Workspace
from mercer.gram.tile import Pair
from mercer.kernels.base import Derivative, Kernel
from mercer.kernels.combine.composite import Composite, is_kernel
from mercer.kernels.numerics.resolution import Points
from mercer.kernels.parameters import computed
from mercer.kernels.series.global_alignment import channel_axis
from mercer.kernels.series.scaled import Scaled
from mercer.kernels.series.static_values import fill, in_lanes, parameters
from mercer.kernels.series.sweeps import rounding, sweep
from mercer.kernels.vectors.radial import RBF
from mercer.params import Constraint, as_vector, boolean, integer, is_real, param

__all__ = ["Signature"]

_ROWS = 32  # series that are compared with a group of others in one go

_levels = Constraint(
    "an integer from 1 to 100, or None", lambda v: v is None or integer(1, 100).holds(v)
)


def _are_weights(value: Any) -> bool:
    if value is None or isinstance(value, (str, bytes)) or is_real(value):
        return value is None
    numbers = as_vector(value)
    return numbers is not None and bool((np.isfinite(numbers) & (numbers >= 0)).all())


_weights = Constraint(
    "numbers >= 0, one for each level from 0 on, or None", _are_weights, "give a list of numbers"
)


class Paths(BagSamples):
    """The points of series as a kernel prepared them, and the norms of their signatures."""

    def __init__(self, points: Prepared, offsets: np.ndarray) -> None:
        super().__init__(points, offsets)
        self.norms = Scaled(np.empty(0), np.empty(0))  # (series, levels) and (series, 1)
        self.slopes: dict[Hashable, np.ndarray] = {}  # of their logarithms, by kernel

    def take(self, rows: np.ndarray) -> Paths:
        bags = super().take(rows)
        taken = Paths(bags.elements, bags.offsets)
        taken.norms = self.norms.at(rows)
        return taken._inherit(self, rows)


def _series_of(where: Where, time: bool) -> Where | None:
    """The series whose points are in a set, with the time if it is a channel; None if none are."""
    space, most = where.space, where.max_dim - time
    number = re.fullmatch(r"R\^(\d+)", space)
    if number is not None:
        most = int(number[1]) - time
        space = f"R^{most}"
    if most < 1:
        return None
    if number is not None:
        most = math.inf
    return dataclasses.replace(where, space=f"series of {space}", max_dim=most)


class Signature(Composite):
    """Σ_p w_p S_p(x, y)/√(S_p(x, x) S_p(y, y)), S_p = Σ Π ⟨Δx_i, Δy_j⟩ over p steps in order.

    The signature of a series describes it by the products of its steps, in their order: level 1 is
    the sum of all steps, level 2 has the products of two steps, and so on. S_p sums Π_q ⟨Δx_{i_q},
    Δy_{j_q}⟩ over all i₁ < ... < i_p and j₁ < ... < j_p. The steps are those of the features of a
    kernel of points, the ``static`` one: ⟨Δx_i, Δy_j⟩ = k(x_{i+1}, y_{j+1}) − k(x_{i+1}, y_j) −
    k(x_i, y_{j+1}) + k(x_i, y_j). S_0 is 1; a level that is 0 contributes 0.

    ``levels=None`` sums all levels, and normalizes the sum. It is computed by k₊₊ = k₊₀ + k₀₊ +
    (Δ − 1) k₀₀, which is exact for series; schemes of higher order for smooth curves lose the
    definiteness.

    Parameters
    ----------
    levels : int or None, default=4
        The number of levels beside level 0.
    static : Kernel, default=RBF()
        The kernel of two points, rows with a column for each channel and one for the time.
    weights : array_like of shape (levels + 1,) or None, default=None
        The weights w of the levels 0, 1, ...; by default all are 1/(levels + 1).
    time : bool, default=True
        Whether time is a further channel, which goes from 0 to 1 if no times are given. Without it,
        the kernel does not see how fast a series goes its way.
    channels : {None, "first", "last"}, default=None
        The order of the axes of arrays: "first" for (n, channels, length), as aeon and sktime have
        it, "last" for (n, length, channels), as tslearn. Needed for arrays of three axes only.

    Examples
    --------
    >>> from mercer import Linear, Signature
    >>> up_down, down_up = [0.0, 1.0, 0.0], [0.0, -1.0, 0.0]
    >>> Signature(levels=2, static=Linear())([up_down, down_up])[0].round(3).tolist()
    [1.0, 0.787]

    References
    ----------
    F. J. Király and H. Oberhauser (2019). Kernels for sequentially ordered data. Journal of Machine
    Learning Research 20, 1-45.
    """

    invariance: ClassVar[str] = "none"
    compares_points: ClassVar[bool] = True
    levels: int | None = param(default=4, check=_levels)
    static: Kernel = dataclasses.field(
        default_factory=RBF, metadata={"check": is_kernel, "continuous": False}
    )
    weights: Any = param(default=None, check=_weights, continuous=True)
    time: bool = param(default=True, check=boolean)
    channels: str | None = param(default=None, check=channel_axis)

    @computed
    def domain(self) -> Domain:
        return Series(self.channels)

    @computed
    def leaves(self) -> int:
        return 1  # the products of points are shared within a sweep

    def check_params(self) -> None:
        if "matrix" not in self.static.domain.accepts:
            rule = f"is a kernel of {self.static.domain.name}, where points are rows of numbers"
            raise DomainMismatchError("Signature: static", self.static, rule)
        if self.weights is not None:
            self._check_weights()

    def _check_weights(self) -> None:
        """Raise an error for weights that are not those of the levels."""
        if self.levels is None:
            rule = "are of single levels, which levels=None does not separate"
            raise ParameterError("Signature: weights", self.weights, rule)
        if len(self.weights) != self.levels + 1:
            rule = f"must be {self.levels + 1} numbers, for level 0 and {self.levels} more"
            raise ParameterError("Signature: weights", self.weights, rule)

    def certify(self, d: int | None) -> Certificate:
        part = self.static.certify(None if d is None else d + self.time)
        where = _series_of(part.where, self.time)
        if not part.cpd:
            rule = "no rule: the steps of series need a kernel of points that is psd or cpd"
            return Certificate(UNKNOWN, repr(self), rule, where or Where("series"), (part,))
        if where is None:
            rule = f"no rule: {part.claim} is {part.status} on {part.where} only, and points have "
            rule += "the time beside at least one channel"
            return Certificate(UNKNOWN, repr(self), rule, Where("series"), (part,))
        rule = "inner product in the tensor algebra: "
        if self.levels is None:
            rule += "Π(1 + φ(x_{i+1}) − φ(x_i)), divided by its norm"
        else:
            rule += f"the levels of Π(1 + φ(x_{{i+1}}) − φ(x_i)) up to {self.levels}, each divided "
            rule += "by its norm or 0, with weights ≥ 0"
        if not part.psd:
            rule += "; differences of features need a cpd kernel only"
        facts = set()
        if self.levels is None or self._level_weights()[0] > 0:
            facts.add(POSITIVE_DIAGONAL)
        return Certificate(PSD, repr(self), rule, where, (part,), frozenset(facts))

    def continuous_params(self) -> dict[str, Any]:
        params = super().continuous_params()
        return {name: value for name, value in params.items() if value is not None}

    def _level_weights(self) -> np.ndarray:
        """The weights of the levels; of one where all are summed."""
        if self.levels is None:
            return np.ones(1)
        if self.weights is None:
            return np.full(self.levels + 1, 1.0 / (self.levels + 1))
        return np.asarray(self.weights, dtype=float)

    # -- samples -----------------------------------------------------------------------------------

    def _points(self, samples: SeriesSamples) -> Batch:
        """The points of all series, with the time if it is asked for."""

        def make() -> Batch:
            columns = [samples.values]
            if self.time:
                columns.append(samples.times[:, None])
            return Batch(np.concatenate(columns, axis=1))

        return samples.once(("points", bool(self.time)), make)

    def inner_points(self, X: RawSamples) -> Points:
        rows = cast(SeriesSamples, Batch(X).encode(self.domain)).values
        if self.time:  # which does not tell one series from another
            rows = np.column_stack([rows, np.zeros(len(rows))])
        return Points(rows, self.static)

    def fit_batch(self, batch: Batch) -> Self:
        self.static.fit_batch(self._points(cast(SeriesSamples, batch.encode(self.domain))))
        return self

    def prepare(self, batch: Batch) -> Paths:
        samples = cast(SeriesSamples, batch.encode(self.domain))
        paths = Paths(self.static.prepare(self._points(samples)), samples.offsets)
        paths.origin, paths.index = samples.origin, samples.index
        values, exponents, _ = self._own(paths, 0, self.levels is not None)
        paths.norms = Scaled(values, exponents[:, None])
        return paths

    def rounding_error(self, samples: Prepared) -> float:
        return 0.0

    # -- sweeps ------------------------------------------------------------------------------------

    def _own(
        self, paths: Paths, n_slopes: int, rounded: bool = False
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """S_p(x, x) of all series, exponents and derivatives; 0 where rounding may have made it."""
        lanes = _compiled.series.LANES
        n_levels = len(self._level_weights())
        values = np.empty((len(paths), n_levels))
        exponents = np.empty(len(paths), dtype=np.int64)
        slopes = np.empty((n_slopes, len(paths), n_levels))
        groups = _equal_lengths(paths.sizes, lanes)

        def work_on(number: int, work: Workspace) -> None:
            rows = groups[number]
            count = int(paths.sizes[rows[0]])
            shape = 1, lanes * count
            points = [paths.offsets[row] + np.arange(count) for row in rows]
            sides = [(paths.elements.take(p), paths.elements.take(p)) for p in points]

            def source(first: int, last: int, filled: np.ndarray, moved: np.ndarray) -> None:
                filled[:], moved[:] = 0.0, 0.0
                for lane, (x, y) in enumerate(sides):
                    pair = Pair(x, y, first, last, 0, count, work)
                    self._fill_lane(pair, filled[0, :, lane::lanes], moved[:, 0, :, lane::lanes])

            ends = np.array([0, count])
            sums = sweep(self.levels, ends, shape, source, n_slopes)
            kept = slice(0, len(rows))
            values[rows] = sums.values[0, :, kept].T
            exponents[rows] = sums.exponents[0, kept]
            slopes[:, rows] = sums.slopes[:, 0, :, kept].transpose(0, 2, 1)
            if rounded:
                noise = rounding(n_levels - 1, ends, shape, source)[0, :, kept].T
                values[rows] = np.where(values[rows] > noise, values[rows], 0.0)

        run(len(groups), work_on, "signatures")
        return values, exponents, slopes

    def _fill_lane(self, pair: Pair, values: np.ndarray, slopes: np.ndarray) -> None:
        """The values of the points of a series with each other, and their derivatives."""
        for start in range(pair.j0, pair.j1, TILE):
            stop = min(start + TILE, pair.j1)
            inner = Pair(pair.x, pair.y, pair.i0, pair.i1, start, stop, pair.work)
            tile = np.empty((1, *inner.shape))
            moved = np.empty((len(slopes), *tile.shape))
            fill(self.static, inner, tile, moved)
            values[:, start:stop] = tile[0]
            slopes[:, :, start:stop] = moved[:, 0]

    def _quotients(self, pair: Pair, n_slopes: int) -> tuple[np.ndarray, np.ndarray]:
        """The normalized levels of a tile and, not yet complete, their derivatives."""
        x, y = cast(Paths, pair.x), cast(Paths, pair.y)
        n_levels = len(self._level_weights())
        tiles = np.zeros((1 + n_slopes, n_levels, *pair.shape))
        lanes = _compiled.series.LANES
        elements, starts = in_lanes(y)
        symmetric = pair.x is pair.y and pair.rows == pair.cols
        # The lower triangle is computed, in which the last, narrow group of columns has few rows.
        into_tiles = tiles.swapaxes(2, 3) if symmetric else tiles
        parts = list(_parts(pair, lanes, symmetric))

        def work_on(number: int, work: Workspace) -> None:
            first, last, group = parts[number]
            left, right = int(starts[group]), int(starts[group + 1])
            begin = int(x.offsets[first])

            def source(top: int, bottom: int, values: np.ndarray, moved: np.ndarray) -> None:
                inner = Pair(x.elements, elements, begin + top, begin + bottom, left, right, work)
                fill(self.static, inner, values, moved)

            ends = x.offsets[first : last + 1] - begin
            sums = sweep(self.levels, ends, ((right - left) // TILE, TILE), source, n_slopes)
            cols = np.arange(max(group * lanes, pair.j0), min((group + 1) * lanes, pair.j1))
            kept = cols - group * lanes
            rows, at = slice(first - pair.i0, last - pair.i0), slice(cols[0], cols[-1] + 1)
            into = slice(at.start - pair.j0, at.stop - pair.j0)
            norms = x.norms.at(slice(first, last)).of_rows(), y.norms.at(at).of_columns()
            exponents = sums.exponents[None, :, kept]
            for filled, numbers in zip(into_tiles, (sums.values, *sums.slopes), strict=True):
                scaled = Scaled(numbers[:, :, kept].swapaxes(0, 1), exponents)
                filled[:, rows, into] = _over_norms(scaled, *norms)

        pair.work.serial_blas()
        run(len(parts), work_on, "signatures")
        if symmetric:
            for tile in tiles.reshape(-1, *pair.shape):
                _compiled.storage.mirror(tile)
        return tiles[0], tiles[1:]

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        levels, _ = self._quotients(pair, 0)
        np.einsum("l,lij->ij", self._level_weights(), levels, out=out)
        same = _same(pair)
        if same is not None:
            np.copyto(out, self.diagonal(pair.x)[pair.rows, None], where=same)

    def diagonal(self, samples: Paths) -> np.ndarray:
        present = samples.norms.value > 0
        return np.einsum("nl,l->n", present.astype(float), self._level_weights())

    # -- derivatives -------------------------------------------------------------------------------

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        x, y = cast(Paths, pair.x), cast(Paths, pair.y)
        names = parameters(self.static, x.elements)
        levels, slopes = self._quotients(pair, len(names))
        if self.weights is not None:
            yield from (("weights", level, tile) for level, tile in enumerate(levels))
        own_x, own_y = self._own_slopes(x, len(names)), self._own_slopes(y, len(names))
        same = _same(pair)
        for number, (name, place) in enumerate(names):
            own = own_x[number][pair.rows].T[:, :, None] + own_y[number][pair.cols].T[:, None, :]
            total = np.einsum("l,lij->ij", self._level_weights(), slopes[number] - levels * own / 2)
            if same is not None:
                total[same] = 0.0  # k(x, x) does not depend on the kernel of points
            yield f"static__{name}", place, total

    def _own_slopes(self, paths: Paths, n_slopes: int) -> np.ndarray:
        """The derivatives of log S_p(x, x), 0 where it is 0."""

        # not by ``once``, whose lock the threads that compute them would wait for
        key = self._value_key()
        known = paths.slopes.get(key)
        if known is None:
            values, _, slopes = self._own(paths, n_slopes)
            present = paths.norms.value > 0
            known = np.where(present, slopes / np.where(present, values, 1.0), 0.0)
            paths.slopes = {key: known}  # a learner that moves a parameter never comes back to it
        return known

    @classmethod
    def examples(cls) -> list[Kernel]:
        from mercer.kernels.vectors.distance import NegativeDistance
        from mercer.kernels.vectors.dot import Linear

        two = RBF(2.0) + 0.5 * Linear()
        weighted = cls(2, RBF([0.5, 1.0, 2.0, 1.5]), weights=[0.5, 1.0, 2.0])
        whole = cls(None, RBF(1.5), time=False)
        return [cls(), weighted, whole, cls(3, two), cls(2, NegativeDistance())]


def _equal_lengths(sizes: np.ndarray, most: int) -> list[np.ndarray]:
    """Groups of at most so many series of one length each."""
    groups = []
    for size in np.unique(sizes):
        rows = np.flatnonzero(sizes == size)
        groups += [rows[first : first + most] for first in range(0, len(rows), most)]
    return groups


def _parts(pair: Pair, lanes: int, symmetric: bool) -> Iterator[tuple[int, int, int]]:
    """Rows of a tile, from the first to before the last, and groups of columns beside them."""
    for group in range(pair.j0 // lanes, -(-pair.j1 // lanes)):
        top = max(pair.i0, group * lanes) if symmetric else pair.i0
        for first in range(top, pair.i1, _ROWS):
            yield first, min(first + _ROWS, pair.i1), group


def _over_norms(values: Scaled, x: Scaled, y: Scaled) -> np.ndarray:
    """Values over the roots of both norms, 0 where one of them is 0."""
    present = (x.value > 0) & (y.value > 0)
    x, y = (Scaled(np.where(side.value > 0, side.value, 1.0), side.exponent) for side in (x, y))
    return np.where(present, values.over_root(x, y), 0.0)


def _same(pair: Pair) -> np.ndarray | None:
    """Where a tile compares a series with itself."""
    x, y = cast(Samples, pair.x), cast(Samples, pair.y)
    if x.origin is not y.origin:
        return None
    return x.identities()[pair.rows, None] == y.identities()[None, pair.cols]
