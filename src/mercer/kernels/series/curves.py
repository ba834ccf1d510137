"""The inner product of curves that are known at some points."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from mercer import _compiled
from mercer.definiteness import PSD, Definite
from mercer.definiteness.means import blind
from mercer.domains.base import Domain
from mercer.domains.structures.series import Series, SeriesSamples
from mercer.gram.tile import Pair
from mercer.kernels.base import Derivative, Kernel
from mercer.kernels.parameters import computed
from mercer.kernels.series.global_alignment import channel_axis
from mercer.kernels.strings.pairwise import Entries
from mercer.params import nonnegative, param

__all__ = ["CurveProduct"]


class CurveProduct(Kernel):
    """a ∫ f g + b ∫ f′ g′ of two curves, which are linear between the points where they are known.

    A sample is a pair (times, values) with increasing times, which may differ from curve to curve,
    or the values alone, whose times then divide the interval from 0 to 1. Integrals are exact; a
    curve is 0 outside of its times, so that the integral is over the times that both curves have.
    Products of several channels are added.

    ``(k / s**2).exp().normalize()`` is the Gaussian kernel exp(−‖f − g‖²/2s²) of curves.

    Parameters
    ----------
    value : float, default=1.0
        The weight a ≥ 0 of the product of the curves.
    slope : float, default=0.0
        The weight b ≥ 0 of the product of their derivatives.
    channels : {None, "first", "last"}, default=None
        The order of the axes of arrays: "first" for (n, channels, length), as aeon and sktime have
        it, "last" for (n, length, channels), as tslearn. Needed for arrays of three axes only.

    Examples
    --------
    >>> from mercer import CurveProduct
    >>> line, step = ([0.0, 1.0], [0.0, 1.0]), ([0.0, 0.5, 1.0], [1.0, 1.0, 1.0])
    >>> CurveProduct()([line, step]).round(4).tolist()
    [[0.3333, 0.5], [0.5, 1.0]]

    References
    ----------
    J. O. Ramsay and B. W. Silverman (2005). Functional Data Analysis, second edition. Springer.
    """

    definite = Definite(
        PSD,
        "inner product in L²: φ(x) = (√a f, √b f′), the interpolated curve, 0 beyond its times",
        "curves",
        means=blind("the mean of φ is the mean curve"),
    )
    invariance: ClassVar[str] = "none"
    value: float = param(default=1.0, check=nonnegative, continuous=True)
    slope: float = param(default=0.0, check=nonnegative, continuous=True)
    channels: str | None = param(default=None, check=channel_axis)

    @computed
    def domain(self) -> Domain:
        return Series(self.channels)

    def _products(self, entries: Entries) -> tuple[np.ndarray, np.ndarray]:
        """∫ f g and ∫ f′ g′ of all entries."""
        x, y = entries.x, entries.y
        curves = (x.values, x.times, x.offsets, y.values, y.times, y.offsets)
        values, slopes = np.empty((2, len(entries.left)))

        def fill(left: np.ndarray, right: np.ndarray, where: slice) -> None:
            compute = _compiled.curves.curve_products
            compute(*curves, left, right, values[where], slopes[where])

        entries.run(fill)
        return values, slopes

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        entries = Entries.of_tile(pair)
        values, slopes = self._products(entries)
        entries.scatter(pair, self.value * values + self.slope * slopes, out)

    def diagonal(self, samples: SeriesSamples) -> np.ndarray:
        values, slopes = self._products(Entries.of_diagonal(samples))
        return self.value * values + self.slope * slopes

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        entries = Entries.of_tile(pair)
        for name, products in zip(("value", "slope"), self._products(entries), strict=True):
            tile = np.empty(pair.shape)
            entries.scatter(pair, products, tile)
            yield name, None, tile

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(), cls(value=0.5, slope=2.0)]
