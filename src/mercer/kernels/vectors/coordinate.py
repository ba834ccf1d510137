"""Kernels that go coordinate by coordinate: subsets of features, splines, histograms, periods."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from mercer import _compiled
from mercer.aliases import LengthScale, Prepared
from mercer.definiteness import DIVISIBLE, POSITIVE_DIAGONAL, PSD, SEPARATES, STRICT, Definite
from mercer.definiteness.means import GAUSSIAN, blind, finite
from mercer.domains.base import Batch, Domain
from mercer.domains.vectors.domain import NONNEGATIVE
from mercer.gram.plan import require_room
from mercer.gram.tile import Pair
from mercer.kernels.base import Derivative, Kernel
from mercer.kernels.separable.separable import product_form
from mercer.kernels.vectors.dot import dense_rows
from mercer.kernels.vectors.radial import check_per_column
from mercer.params import integer, param, positive, positive_or_per_column

__all__ = ["ANOVA", "AllSubsets", "Brownian", "Chi2", "Periodic", "Spline"]


def _subset_products(x: np.ndarray, sizes: range) -> np.ndarray:
    """One column Π x_i for every subset of the columns of one of these sizes."""
    n_samples, n_columns = x.shape
    n_subsets = sum(math.comb(n_columns, size) for size in sizes)
    require_room(n_samples, n_subsets, np.float64, "the feature matrix")
    products = np.empty((n_samples, n_subsets))
    subsets = (itertools.combinations(range(n_columns), size) for size in sizes)
    for column, subset in enumerate(itertools.chain.from_iterable(subsets)):
        products[:, column] = np.prod(x[:, list(subset)], axis=1)
    return products


class ANOVA(Kernel):
    """Σ over subsets of ``degree`` features of Π x_i y_i, by a recursion of O(n·degree) steps.

    Parameters
    ----------
    degree : int
        The size of the subsets; with 0 there is the empty one alone, and the kernel is 1.

    References
    ----------
    Shawe-Taylor and Cristianini, "Kernel Methods for Pattern Analysis", Cambridge 2004, chapter 9.

    Examples
    --------
    >>> from mercer import ANOVA
    >>> ANOVA(degree=2)([[1.0, 2.0, 3.0]]).tolist()
    [[49.0]]
    """

    degree: int = param(check=integer(0))

    def claim(self) -> Definite:
        rule = "inner product: φ(x) = the products over all subsets of this size"
        facts = {0: (POSITIVE_DIAGONAL,), 1: (SEPARATES,)}
        own_facts = facts.get(int(self.degree), ())
        return Definite(PSD, rule, facts=own_facts, means=finite("products"))

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        x, panel = pair.coordinates()
        if self.degree > x.shape[1]:  # there is no subset of that size
            out.fill(0.0)
        else:
            _compiled.coordinates.anova_tile(x, panel, int(self.degree), out)

    def map_features(self, batch: Batch, truncate: int | None) -> np.ndarray:
        sizes = range(self.degree, self.degree + 1)
        return _subset_products(dense_rows(self.prepare(batch)), sizes)

    def feature_dim(self, p: int) -> float:
        return math.comb(p, self.degree)

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(degree=2), cls(degree=1), cls(degree=3), cls(degree=0)]


class AllSubsets(Kernel, splits=product_form):
    """Π (1 + x_i y_i): one feature for every subset of the columns.

    References
    ----------
    Shawe-Taylor and Cristianini, "Kernel Methods for Pattern Analysis", Cambridge 2004, chapter 9.

    Examples
    --------
    >>> from mercer import AllSubsets
    >>> AllSubsets()([[1.0, 2.0]]).tolist()
    [[10.0]]
    """

    definite = Definite(
        PSD,
        "inner product: φ(x) = the products over all subsets",
        facts=(SEPARATES, POSITIVE_DIAGONAL),
        means=finite("products"),
    )

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        _compiled.coordinates.all_subsets_tile(*pair.coordinates(), out)

    def map_features(self, batch: Batch, truncate: int | None) -> np.ndarray:
        x = dense_rows(self.prepare(batch))
        return _subset_products(x, range(x.shape[1] + 1))

    def feature_dim(self, p: int) -> float:
        return 2**p


class Periodic(Kernel, splits=product_form):
    """exp(−2 Σ sin²(π (x_j − y_j)/p_j)/ℓ_j²), the periodic kernel (MacKay), column by column.

    Parameters
    ----------
    period : float or array-like of shape (n_features,), default 1.0
        p, one period for all columns or one per column.
    length_scale : float or array-like of shape (n_features,), default 1.0
        ℓ, one length scale for all columns or one per column.

    References
    ----------
    MacKay, "Introduction to Gaussian processes", NATO ASI Series F 168, 1998.

    Examples
    --------
    >>> from mercer import Periodic
    >>> Periodic(period=2.0)([[0.0], [4.0]]).tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """

    definite = Definite(
        PSD,
        "pull-back of a Gaussian by x ↦ (cos 2πx/p, sin 2πx/p), column by column",
        facts=(POSITIVE_DIAGONAL,),
        means=blind("x and x + p are the same"),
    )
    invariance: ClassVar[str] = "translation"
    period: LengthScale = param(default=1.0, check=positive_or_per_column, continuous=True)
    length_scale: LengthScale = param(default=1.0, check=positive_or_per_column, continuous=True)

    def prepare(self, batch: Batch) -> Prepared:
        samples = super().prepare(batch)
        check_per_column(self, "period", self.period, samples.n_features)
        check_per_column(self, "length_scale", self.length_scale, samples.n_features)
        return samples

    def _columns(self, n_columns: int) -> tuple[np.ndarray, np.ndarray]:
        """The period and the length scale of every column."""
        period = np.broadcast_to(np.asarray(self.period, dtype=float), (n_columns,))
        scale = np.broadcast_to(np.asarray(self.length_scale, dtype=float), (n_columns,))
        return period.copy(), scale.copy()

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        x, panel = pair.coordinates()
        period, scale = self._columns(x.shape[1])
        _compiled.coordinates.periodic_tile(x, panel, period, 2.0 / (scale * scale), out)

    def diagonal(self, samples: Prepared) -> np.ndarray:
        return np.ones(len(samples))

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        x, panel = pair.coordinates()
        period, scale = self._columns(x.shape[1])
        value, sines, slopes = np.empty(pair.shape), np.empty(pair.shape), np.empty(pair.shape)
        self.tile(pair, value)
        in_period, in_scale = [], []
        for f, (p, s) in enumerate(zip(period, scale, strict=True)):
            _compiled.coordinates.periodic_terms(x, panel, f, p, sines, slopes)
            in_period.append(value * slopes * (2.0 * np.pi / (s * s * p * p)))
            in_scale.append(value * sines * (4.0 / s**3))
        yield from self._gathered("period", in_period)
        yield from self._gathered("length_scale", in_scale)

    def _gathered(self, name: str, tiles: list[np.ndarray]) -> Iterator[Derivative]:
        """The derivatives in each column's value of a parameter, or in the one for all columns."""
        if np.ndim(getattr(self, name)) == 0:
            yield name, None, np.sum(tiles, axis=0)
            return
        for f, tile in enumerate(tiles):
            yield name, f, tile

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(), cls(period=2.5, length_scale=1.5)]


class _Histogram(Kernel, abstract=True):
    """A kernel on vectors whose entries are not negative."""

    domain: ClassVar[Domain] = NONNEGATIVE


class Brownian(_Histogram, splits=product_form):
    """Π min(x_j, y_j) on x ≥ 0, the covariance of Brownian motion (of a sheet, in several columns).

    Examples
    --------
    >>> from mercer import Brownian
    >>> Brownian()([[1.0], [3.0]]).tolist()
    [[1.0, 1.0], [1.0, 3.0]]
    """

    definite = Definite(PSD, "inner product: φ(x) = the indicator of the box [0, x]", "x ≥ 0")

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        _compiled.coordinates.brownian_tile(*pair.coordinates(), out)


class Spline(_Histogram, splits=product_form):
    """Π (1 + xy + xy m − (x+y)m²/2 + m³/3), m = min(x, y): cubic splines on x ≥ 0.

    References
    ----------
    Wahba, "Spline Models for Observational Data", SIAM 1990.

    Examples
    --------
    >>> from mercer import Spline
    >>> Spline()([[0.0], [3.0]]).tolist()
    [[1.0, 1.0], [1.0, 19.0]]
    """

    definite = Definite(
        STRICT,
        "inner product: φ(x) = (1, x, the ramp t ↦ (x − t)₊ on t ≥ 0); ramps with different ends "
        "x > 0 are independent, and beside them φ(0) = (1, 0, 0) is; a tensor product over the "
        "columns, which stays strict",
        "x ≥ 0",
    )

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        _compiled.coordinates.spline_tile(*pair.coordinates(), out)


class Chi2(_Histogram, splits=product_form):
    """exp(−γ Σ (x_j − y_j)²/(x_j + y_j)), on x ≥ 0; 0/0 counts 0: the exponential χ² kernel.

    Parameters
    ----------
    gamma : float, default 1.0
        The positive factor γ of the χ² distance.

    References
    ----------
    Zhang, Marszałek, Lazebnik and Schmid, "Local features and kernels for classification of
    texture and object categories", International Journal of Computer Vision 73, 2007.

    Examples
    --------
    >>> from mercer import Chi2
    >>> Chi2(gamma=0.5)([[1.0, 0.0], [0.0, 1.0]]).round(4).tolist()
    [[1.0, 0.3679], [0.3679, 1.0]]
    """

    definite = Definite(
        STRICT,
        "Schoenberg: −(x−y)²/(x+y) = 4xy/(x+y) − x − y is cpd, as xy/(x+y) = ∫ x e^(−tx) y e^(−ty) "
        "dt is an inner product and x + y drops out where Σc = 0; it is 0 only at x = y",
        "x ≥ 0",
        facts=(DIVISIBLE,),
        means=GAUSSIAN,
    )
    gamma: float = param(default=1.0, check=positive, continuous=True)

    def _distance(self, pair: Pair) -> np.ndarray:
        out = pair.buffer()
        _compiled.coordinates.chi2_tile(*pair.coordinates(), out)
        return out

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        mark = pair.work.temporary.used
        _compiled.profiles.exponential_down(self._distance(pair), -float(self.gamma), out)
        pair.work.temporary.used = mark

    def diagonal(self, samples: Prepared) -> np.ndarray:
        return np.ones(len(samples))

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        distance = self._distance(pair)
        yield "gamma", None, -distance * np.exp(-self.gamma * distance)
