"""Kernels that go coordinate by coordinate: subsets of features, splines, histograms, periods."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from mercer import _compiled
from mercer.aliases import LengthScale, Prepared
from mercer.definiteness import DIVISIBLE, POSITIVE_DIAGONAL, PSD, SEPARATES, STRICT, Definite
from mercer.domains.base import Batch, Domain
from mercer.domains.vectors import NONNEGATIVE
from mercer.gram.fill import check_budget
from mercer.gram.tile import Pair
from mercer.kernels.base import Derivative, Kernel
from mercer.kernels.vectors.dot import dense_rows
from mercer.kernels.vectors.radial import check_width
from mercer.params import integer, param, positive, positive_or_per_column

__all__ = ["ANOVA", "AllSubsets", "Brownian", "Chi2", "HistogramIntersection", "Periodic", "Spline"]


def _subset_products(x: np.ndarray, sizes: range) -> np.ndarray:
    """One column Π x_i for every subset of the columns of one of these sizes."""
    width = sum(math.comb(x.shape[1], s) for s in sizes)
    check_budget(len(x), width, np.float64, "the feature matrix")
    columns = [
        np.prod(x[:, list(chosen)], axis=1)
        for s in sizes
        for chosen in itertools.combinations(range(x.shape[1]), s)
    ]
    return np.stack(columns, axis=1) if columns else np.zeros((len(x), 0))


class ANOVA(Kernel):
    """Σ over subsets of ``degree`` features of Π x_i y_i, by a recursion of O(n·degree) steps."""

    degree: int = param(check=integer(1))

    def claim(self) -> Definite:
        rule = "inner product: φ(x) = the products over all subsets of this size"
        return Definite(PSD, rule, facts=(SEPARATES,) if self.degree == 1 else ())

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        x, panel = pair.coordinates()
        if self.degree > x.shape[1]:  # there is no subset of that size
            out.fill(0.0)
        else:
            _compiled.coordinates.anova_tile(x, panel, int(self.degree), out)

    def map_features(self, batch: Batch, truncate: int | None) -> Any:
        return _subset_products(
            dense_rows(self.prepare(batch)), range(self.degree, self.degree + 1)
        )

    def feature_dim(self, p: int) -> float:
        return math.comb(p, self.degree)

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(degree=2), cls(degree=1), cls(degree=3)]


class AllSubsets(Kernel):
    """Π (1 + x_i y_i): one feature for every subset of the columns."""

    definite = Definite(
        PSD,
        "inner product: φ(x) = the products over all subsets",
        facts=(SEPARATES, POSITIVE_DIAGONAL),
    )

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        _compiled.coordinates.all_subsets_tile(*pair.coordinates(), out)

    def map_features(self, batch: Batch, truncate: int | None) -> Any:
        x = dense_rows(self.prepare(batch))
        return _subset_products(x, range(x.shape[1] + 1))

    def feature_dim(self, p: int) -> float:
        return 2**p


class Periodic(Kernel):
    """exp(−2 Σ sin²(π (x_j − y_j)/p_j)/ℓ_j²), with one period and length scale, or one per column."""

    definite = Definite(
        PSD,
        "pull-back of a Gaussian by x ↦ (cos 2πx/p, sin 2πx/p), column by column",
        facts=(POSITIVE_DIAGONAL,),
    )
    invariance: ClassVar[str] = "translation"
    period: Any = param(default=1.0, check=positive_or_per_column, continuous=True)
    length_scale: LengthScale = param(default=1.0, check=positive_or_per_column, continuous=True)

    def prepare(self, batch: Batch) -> Any:
        samples: Any = super().prepare(batch)
        check_width(self, "period", self.period, samples.n_features)
        check_width(self, "length_scale", self.length_scale, samples.n_features)
        return samples

    def _columns(self, width: int) -> tuple[np.ndarray, np.ndarray]:
        period = np.broadcast_to(np.asarray(self.period, dtype=float), (width,)).copy()
        return period, np.broadcast_to(np.asarray(self.length_scale, dtype=float), (width,)).copy()

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        x, panel = pair.coordinates()
        period, scale = self._columns(x.shape[1])
        _compiled.coordinates.periodic_tile(x, panel, period, 2.0 / (scale * scale), out)

    def diagonal(self, side: Prepared) -> np.ndarray:
        return np.ones(len(side))

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        x, panel = pair.coordinates()
        period, scale = self._columns(x.shape[1])
        value, sines, slopes = np.empty(pair.shape), np.empty(pair.shape), np.empty(pair.shape)
        self.tile(pair, value)
        terms: dict[str, list[np.ndarray]] = {"period": [], "length_scale": []}
        for f, (p, s) in enumerate(zip(period, scale, strict=True)):
            _compiled.coordinates.periodic_terms(x, panel, f, p, sines, slopes)
            terms["period"].append(value * slopes * (2.0 * np.pi / (s * s * p * p)))
            terms["length_scale"].append(value * sines * (4.0 / s**3))
        for name, tiles in terms.items():
            if np.ndim(getattr(self, name)):
                for f, tile in enumerate(tiles):
                    yield name, f, tile
            else:
                yield name, None, np.sum(tiles, axis=0)

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(), cls(period=2.5, length_scale=1.5)]


class _Histogram(Kernel, abstract=True):
    domain: ClassVar[Domain] = NONNEGATIVE


class Brownian(_Histogram):
    """Π min(x_j, y_j), the covariance of Brownian motion (of a sheet, in several columns), on x ≥ 0."""

    definite = Definite(PSD, "inner product: φ(x) = the indicator of the box [0, x]", "x ≥ 0")

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        _compiled.coordinates.brownian_tile(*pair.coordinates(), out)


class Spline(_Histogram):
    """Π (1 + xy + xy m − (x+y)m²/2 + m³/3), m = min(x, y): cubic splines on x ≥ 0."""

    definite = Definite(
        STRICT,
        "inner product: φ(x) = (1, x, the ramps (x − t)₊), a tensor product over columns",
        "x ≥ 0",
    )

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        _compiled.coordinates.spline_tile(*pair.coordinates(), out)


class HistogramIntersection(_Histogram):
    """Σ min(x_j, y_j), on x ≥ 0."""

    definite = Definite(
        PSD,
        "inner product: φ(x) = the indicators of the intervals [0, x_j]",
        "x ≥ 0",
        facts=(SEPARATES,),
    )

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        _compiled.coordinates.intersection_tile(*pair.coordinates(), out)


class Chi2(_Histogram):
    """exp(−γ Σ (x_j − y_j)²/(x_j + y_j)), on x ≥ 0; 0/0 counts 0."""

    definite = Definite(
        STRICT, "Schoenberg: −(x−y)²/(x+y) is cpd and 0 only at x = y", "x ≥ 0", facts=(DIVISIBLE,)
    )
    gamma: float = param(default=1.0, check=positive, continuous=True)

    def _distance(self, pair: Pair) -> np.ndarray:
        out = pair.buffer()
        _compiled.coordinates.chi2_tile(*pair.coordinates(), out)
        return out

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        mark = pair.work.mark()
        _compiled.profiles.exponential_down(self._distance(pair), -float(self.gamma), out)
        pair.work.release(mark)

    def diagonal(self, side: Prepared) -> np.ndarray:
        return np.ones(len(side))

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        distance = self._distance(pair)
        yield "gamma", None, -distance * np.exp(-self.gamma * distance)
