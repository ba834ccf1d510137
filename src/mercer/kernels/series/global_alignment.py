"""The global alignment kernel of two series."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, Self, cast

import numpy as np

from mercer import _compiled, errors
from mercer.aliases import LengthScale, RawSamples
from mercer.definiteness import POSITIVE_DIAGONAL, PSD, Definite
from mercer.domains.base import Batch, Domain
from mercer.domains.parts import Parts
from mercer.domains.structures.series import Series, SeriesSamples
from mercer.errors import ParameterError
from mercer.gram.tile import Pair
from mercer.kernels.base import Derivative, Kernel, Place
from mercer.kernels.numerics.resolution import Points
from mercer.kernels.parameters import computed
from mercer.kernels.series.alignment_shares import alignment_shares
from mercer.kernels.series.scaled import Scaled
from mercer.kernels.series.widths import median_width
from mercer.kernels.strings.pairwise import Entries
from mercer.kernels.vectors.radial import RBF, check_per_column
from mercer.params import Constraint, boolean, param, positive, positive_or_per_column
from mercer.state import State

__all__ = ["GlobalAlignment"]

_MEDIAN = "median"
_width = dataclasses.replace(
    positive_or_per_column,
    holds=lambda v: (isinstance(v, str) and v == _MEDIAN) or positive_or_per_column.holds(v),
    remedy="give one number > 0, a list of them, one per channel, or 'median'",
)
_window = Constraint(
    "positive or None", lambda v: v is None or positive.holds(v), "give a number > 0, or None"
)
channel_axis = Constraint(
    "None, 'first' or 'last'",
    lambda v: v is None or (isinstance(v, str) and v in ("first", "last")),
)
_BAND = (
    "a hard band makes it indefinite: the series (0), (0, 0), (0, 0, 0), (0, 0, 0, 0) with "
    "|i − j| ≤ 1 have the eigenvalue −0.398; write window=, whose weight falls linearly"
)
_RULE = (
    "global alignments (Cuturi 2007): κ/(1 + κ) = {part} is psd, which makes Σ Π κ over all "
    "alignments psd{normalized}"
)


class GlobalAlignment(Kernel):
    """Σ Π κ(x_i, y_j) over all alignments of x and y, κ = ωk/(2 − ωk), normalized to k(x, x) = 1.

    An alignment is a path through the pairs of points of two series, from the pair of their first
    points to that of their last, in steps that advance x, y or both by one point. k is the Gaussian
    kernel exp(−‖x_i − y_j‖²/2ℓ²) of two points, and ω = (1 − |i − j|/window)₊, or 1 without a
    window. All alignments count, where dynamic time warping keeps the cheapest one. The sum is kept
    as a number and an exponent, so that long series neither overflow nor underflow.

    Parameters
    ----------
    length_scale : float, array_like of shape (n_channels,) or "median", default=1.0
        The length scale ℓ, or one for each channel. "median" takes, in ``fit``, the median distance
        between points of the series times the square root of the median length.
    window : float or None, default=None
        Only points whose positions differ by less are compared, and count the less, the more these
        differ. Series whose lengths differ by as much have the value 0.
    normalized : bool, default=True
        Whether to divide by √(k(x, x) k(y, y)). Without it, values of series longer than about 400
        points overflow.
    channels : {None, "first", "last"}, default=None
        The order of the axes of arrays: "first" for (n, channels, length), as aeon and sktime have
        it, "last" for (n, length, channels), as tslearn. Needed for arrays of three axes only.

    Attributes
    ----------
    length_scale_ : float
        The length scale that "median" stands for.

    Examples
    --------
    >>> from mercer import GlobalAlignment
    >>> early, late, other = [0, 1, 2, 0, 0, 0], [0, 0, 0, 1, 2, 0, 0], [2, 0, 2, 0, 2]
    >>> GlobalAlignment(length_scale=1.0)([early, late, other])[0].round(3).tolist()
    [1.0, 0.307, 0.003]

    References
    ----------
    M. Cuturi, J.-P. Vert, Ø. Birkenes and T. Matsui (2007). A kernel for time series based on
    global alignments. ICASSP, II-413-416.

    M. Cuturi (2011). Fast global alignment kernels. International Conference on Machine Learning,
    929-936.
    """

    length_scale: LengthScale = param(default=1.0, check=_width, continuous=True)
    compares_points: ClassVar[bool] = True
    window: float | None = param(default=None, check=_window)
    normalized: bool = param(default=True, check=boolean)
    channels: str | None = param(default=None, check=channel_axis)

    stored: ClassVar[State] = State(finite=("length_scale_",))
    hints: ClassVar[dict[str, str]] = {
        "sigma": "write length_scale",
        "gamma": "write length_scale, which is 1/√(2γ)",
        **dict.fromkeys(("band", "radius", "sakoe_chiba_radius", "global_constraint"), _BAND),
    }

    @computed
    def domain(self) -> Domain:
        return Series(self.channels)

    @property
    def constant_diagonal(self) -> bool:
        return bool(self.normalized)

    def claim(self) -> Definite:
        part = "k/2"
        if self.window is not None:
            part = "ωk/2, the product of a triangle of positions and a Gaussian,"
        normalized = ", and normalized" if self.normalized else ""
        rule = _RULE.format(part=part, normalized=normalized)
        return Definite(PSD, rule, "series", facts=(POSITIVE_DIAGONAL,))

    def continuous_params(self) -> dict[str, Any]:
        params = super().continuous_params()
        return {} if self._by_median else params

    # -- the length scale --------------------------------------------------------------------------

    @property
    def _by_median(self) -> bool:
        return isinstance(self.length_scale, str)

    def fit_batch(self, batch: Batch) -> Self:
        if self._by_median:
            self.length_scale_ = median_width(cast(SeriesSamples, batch.encode(self.domain)))
        return self

    def remark(self) -> str:
        """Describe a length scale that was learned, for reports."""
        learned = getattr(self, "length_scale_", None)
        return "" if learned is None else f"length scale {learned:.4g}, by the median heuristic"

    def scales(self, n_channels: int) -> np.ndarray:
        """The length scale of every channel."""
        scale = self.length_scale
        if self._by_median:
            scale = getattr(self, "length_scale_", None)
        if scale is None:
            rule, remedy = "is not known before fit", "call kernel.fit(X) first"
            raise errors.NotFittedError("length_scale", _MEDIAN, rule, remedy)
        check_per_column(self, "length_scale", scale, n_channels)
        scales = np.broadcast_to(np.asarray(scale, dtype=float), (n_channels,))
        with np.errstate(all="ignore"):
            usable = np.isfinite(1.0 / (scales * scales)).all()
        if not usable:
            raise ParameterError("length_scale", scale, "is too small: 1/ℓ² overflows")
        return scales

    def inner_points(self, X: RawSamples) -> Points:
        rows = cast(SeriesSamples, Batch(X).encode(self.domain)).values
        return Points(rows, RBF(self.scales(rows.shape[1]).tolist()))

    # -- sums over alignments ----------------------------------------------------------------------

    def _computed(
        self, entries: Entries, compute: Callable[..., None], outs: list[np.ndarray]
    ) -> None:
        """Fill arrays whose last axis has the entries, series of similar lengths together."""
        x, y = entries.x, entries.y
        order = entries.order_by_length()
        left, right = entries.left[order], entries.right[order]
        series = (x.values, x.offsets, y.values, y.offsets)
        weights = 0.5 / self.scales(x.n_channels) ** 2
        window = 0.0 if self.window is None else float(self.window)
        ordered = [np.empty_like(out) for out in outs]

        def fill(left: np.ndarray, right: np.ndarray, where: slice) -> None:
            compute(*series, left, right, weights, window, *(out[..., where] for out in ordered))

        in_order = dataclasses.replace(entries, left=left, right=right)
        in_order.run(fill, _compiled.series.LANES)
        for out, values in zip(outs, ordered, strict=True):
            out[..., order] = values

    def _sums(self, entries: Entries) -> Scaled:
        """The sums over alignments."""
        values = np.empty(len(entries.left))
        exponents = np.empty(len(entries.left), dtype=np.int64)
        self._computed(entries, _compiled.series.alignment_sums, [values, exponents])
        return Scaled(values, exponents)

    def _slopes(self, entries: Entries) -> np.ndarray:
        """The derivatives of the sums' logarithms in the length scales, a row for each."""
        scales = self.scales(entries.x.n_channels)
        directions = -1.0 / scales**3
        if np.ndim(self.length_scale):
            directions = np.diag(directions)
        directions = np.ascontiguousarray(np.atleast_2d(directions))
        slopes = np.empty((len(directions), len(entries.left)))

        def compute(*given: Any) -> None:
            *others, out = given
            part = np.empty(out.shape)
            _compiled.series.alignment_slopes(*others, directions, part)
            out[...] = part

        self._computed(entries, compute, [slopes])
        return slopes

    def prepare(self, batch: Batch) -> Parts:
        samples = cast(SeriesSamples, batch.encode(self.domain))
        entries = Entries.of_diagonal(samples)
        prepared = Parts(samples, **self._sums(entries)._asdict())
        prepared._inherit(samples, entries.left)
        return prepared

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        entries = Entries.of_tile(pair.part(0))
        entries.scatter(pair, self._values(pair, entries), out)

    def _values(self, pair: Pair, entries: Entries) -> np.ndarray:
        sums = self._sums(entries)
        if not self.normalized:
            return sums.plain()
        x, y = Scaled(**pair.x.extra), Scaled(**pair.y.extra)
        return sums.over_root(x.at(entries.left), y.at(entries.right))

    def diagonal(self, samples: Parts) -> np.ndarray:
        if self.normalized:
            return np.ones(len(samples))
        return Scaled(**samples.extra).plain()

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        if self._by_median:
            return
        entries = Entries.of_tile(pair.part(0))
        values = self._values(pair, entries)
        slopes = self._slopes(entries)
        if self.normalized:
            x, y = self._own_slopes(pair.x[0]), self._own_slopes(pair.y[0])
            slopes = slopes - 0.5 * (x[:, entries.left] + y[:, entries.right])
        for number, slope in enumerate(slopes):
            tile = np.empty(pair.shape)
            entries.scatter(pair, values * slope, tile)
            place: Place = number if np.ndim(self.length_scale) else None
            yield "length_scale", place, tile

    def _own_slopes(self, samples: SeriesSamples) -> np.ndarray:
        """The derivatives of log k(x, x), computed once."""
        # not by ``once``, whose lock other threads would wait for
        kept = samples.__dict__.setdefault("_slopes", {})
        key = self._value_key()
        slopes = kept.get(key)
        if slopes is None:
            kept.clear()  # a learner that moves the length scale never comes back to it
            slopes = kept[key] = self._slopes(Entries.of_diagonal(samples))
        return slopes

    # -- what it sees ------------------------------------------------------------------------------

    def alignment(self, x: RawSamples, y: RawSamples) -> np.ndarray:
        """Return the points of two series that the kernel puts together.

        Parameters
        ----------
        x, y : array_like of shape (length,) or (length, channels)
            The series.

        Returns
        -------
        ndarray of shape (len(x), len(y))
            The share of all alignments, each counted by Π κ, that pass through a pair of points.

        Examples
        --------
        >>> from mercer import GlobalAlignment
        >>> GlobalAlignment(length_scale=0.5).alignment([0, 2], [0, 0, 2]).round(2).tolist()
        [[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
        """
        samples = cast(SeriesSamples, Batch([x, y]).encode(self.domain))
        scaled = samples.values / self.scales(samples.n_channels)
        left, right = np.split(scaled, samples.offsets[1:-1])
        squares = ((left[:, None] - right[None]) ** 2).sum(axis=2)
        omega: float | np.ndarray = 1.0
        if self.window is not None:
            gaps = np.abs(np.subtract.outer(np.arange(len(left)), np.arange(len(right))))
            omega = np.maximum(0.0, 1.0 - gaps / self.window)
        k = omega * np.exp(-0.5 * squares)
        return alignment_shares(k / (2.0 - k))

    @classmethod
    def examples(cls) -> list[Kernel]:
        kernels = [cls(), cls(length_scale=[0.5, 1.0, 2.0], window=3.5)]
        return [*kernels, cls(length_scale=2.0, window=2, normalized=False), cls("median")]
