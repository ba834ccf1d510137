"""Functions of distances, inner products and matches in single precision, for any rows."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np

from mercer import _compiled
from mercer.aliases import Prepared
from mercer.domains.vectors.dense import pack
from mercer.domains.vectors.domain import TILE, CsrSamples, VectorSamples
from mercer.errors import KernelOverflowError
from mercer.gram.single import EPS, Rows, SingleTiles, in_range

__all__: list[str] = []

_BY_BLAS = 40  # columns from which BLAS is quicker than differences
_NEAR = 64.0  # squared norms up to which distances from inner products are accurate enough
_FARTHEST = 1e15  # coordinates whose squares, summed, are finite

# of prepared samples, the codes of their categories and the weight of each
Shares = Callable[[Prepared], tuple[np.ndarray, np.ndarray]]


@dataclasses.dataclass(frozen=True)
class Formula:
    """f of a sum over the columns: names of `_compiled.single_tiles`, and its parameters.

    ``slope`` says how many times larger the relative error of a value is than that of the sum.
    ``smooth`` is whether f has a bounded derivative at 0.
    """

    f: str
    sums: str = "SQUARES"
    a: float = 1.0
    b: float = 0.0
    degree: int = 1
    slope: float = 1.0
    smooth: bool = True

    def numbers(self) -> tuple[int, int, np.float32, np.float32, int]:
        """The arguments of compiled loops."""
        codes = _compiled.single_tiles
        sums, f = getattr(codes, self.sums), getattr(codes, self.f)
        return sums, f, np.float32(self.a), np.float32(self.b), self.degree


def vector_tiles(
    formula: Formula, centers: Prepared, scale: float | np.ndarray, largest: float
) -> SingleTiles | None:
    """Tiles of rows of numbers times a scale; None if single precision is no good for them."""
    if not isinstance(centers, (VectorSamples, CsrSamples)):
        return None
    sparse = isinstance(centers, CsrSamples)
    if sparse and (formula.sums == "ABSOLUTES" or not formula.smooth):
        return None
    # centered: far from the origin single precision would see no differences
    centered = formula.sums != "PRODUCTS" and not sparse
    factors = np.broadcast_to(np.asarray(scale, dtype=float), (centers.n_features,))
    shift = np.asarray(centers.mean) if centered else None
    farthest = _largest_coordinate(centers, shift, factors)
    if not farthest < _FARTHEST or not in_range(largest):
        return None
    return VectorTiles(formula, centers, factors, shift, largest)


def _largest_coordinate(samples: Prepared, shift: np.ndarray | None, factors: np.ndarray) -> float:
    if isinstance(samples, CsrSamples):
        return float(np.abs(samples.values).max(initial=0.0) * np.abs(factors).max(initial=0.0))
    rows = samples.x if shift is None else samples.x - shift
    return float((np.abs(rows).max(axis=0, initial=0.0) * factors).max(initial=0.0))


class VectorTiles(SingleTiles):
    """f of distances or inner products, by differences of coordinates or by BLAS."""

    def __init__(
        self,
        formula: Formula,
        centers: Prepared,
        factors: np.ndarray,
        shift: np.ndarray | None,
        largest: float,
    ) -> None:
        self.factors, self.shift, self.formula = factors, shift, formula
        super().__init__(len(centers), largest, 0.0)
        z = self._rows(centers)
        self.norms = _norms(z)
        norm = float(self.norms.max(initial=0.0))
        # by inner products a distance is rounded by the size of the norms
        accurate = formula.smooth and formula.sums != "ABSOLUTES"
        near = formula.sums == "PRODUCTS" or norm <= _NEAR
        wide = centers.n_features >= _BY_BLAS
        self.by_blas = isinstance(centers, CsrSamples) or (wide and accurate and near)
        self.error = EPS * largest * self._rounding(z, norm)
        if self.by_blas:
            dense = z.toarray() if hasattr(z, "toarray") else z
            self.columns = np.ascontiguousarray(dense.T)
        else:
            self.columns = _panels(z)

    def _rounding(self, z: np.ndarray, norm: float) -> float:
        """The error of a value in units of that of storing it."""
        if self.formula.sums == "PRODUCTS":
            return 3.0 + self.formula.slope * 2.0 * np.sqrt(z.shape[1])
        if self.by_blas:
            return 3.0 + self.formula.slope * 4.0 * norm
        # a coordinate is rounded by its size, and far apart clusters have large ones
        coordinate = float(np.abs(z).max(initial=0.0))
        added = np.sqrt(z.shape[1]) if self.formula.sums == "ABSOLUTES" else 1.0
        return 3.0 + self.formula.slope * coordinate * added

    def _rows(self, samples: Prepared) -> Rows:
        """The rows of samples, centered and scaled, in single precision."""
        if isinstance(samples, CsrSamples) and self.shift is None:
            scaled = samples.x.multiply(self.factors[None, :]).tocsr()
            data = self._bounded(scaled.data)
            return type(scaled)((data, scaled.indices, scaled.indptr), shape=scaled.shape)
        x = samples.x.toarray() if isinstance(samples, CsrSamples) else samples.x
        rows = x if self.shift is None else x - self.shift
        return self._bounded(np.multiply(rows, self.factors, dtype=np.float64))

    def _bounded(self, values: np.ndarray) -> np.ndarray:
        """Numbers in single precision; what is too far away for it is as far as it can be."""
        if self.formula.sums != "PRODUCTS":
            return np.clip(values, -_FARTHEST, _FARTHEST).astype(np.float32)
        largest = float(np.abs(values).max(initial=0.0))
        if largest >= _FARTHEST:
            rule = "is too large for inner products in single precision"
            raise KernelOverflowError("X", largest, rule, "rescale the data")
        return values.astype(np.float32)

    def scaled(self, samples: Prepared) -> Rows:
        z = self._rows(samples)
        if self.by_blas:
            return z, _norms(z)
        return (z.toarray() if hasattr(z, "toarray") else z), self.norms

    def fill_rows(self, z: Rows, start: int, stop: int, out: np.ndarray) -> None:
        codes = _compiled.single_tiles
        rows, norms = z[0][start:stop], z[1]
        n = out.shape[1]
        if not self.by_blas:
            panels = self.columns[: -(-n // self.columns.shape[2])]
            codes.fill(rows, panels, *self.formula.numbers(), out)
            return
        if hasattr(rows, "toarray"):
            out[...] = rows @ self.columns[:, :n]
        else:
            np.dot(rows, self.columns[:, :n], out=out)
        codes.finish(norms[start:stop], self.norms[:n], *self.formula.numbers(), out)


class MatchTiles(SingleTiles):
    """f of the weights of columns in which rows of categories agree."""

    def __init__(
        self, formula: Formula, shares: Shares, columns: np.ndarray, largest: float
    ) -> None:
        d, n = columns.shape
        super().__init__(n, largest, EPS * largest * (2.0 + formula.slope * np.sqrt(d)))
        self.formula, self.shares, self.columns = formula, shares, columns

    def scaled(self, samples: Prepared) -> Rows:
        codes, weights = self.shares(samples)
        return codes, weights.astype(np.float32)

    def fill_rows(self, z: Rows, start: int, stop: int, out: np.ndarray) -> None:
        codes, weights = (array[start:stop] for array in z)
        _, *numbers = self.formula.numbers()
        columns = np.ascontiguousarray(self.columns[:, : out.shape[1]])
        _compiled.single_tiles.matches(codes, weights, columns, *numbers, out)


def _norms(z: Rows) -> np.ndarray:
    """Squared norms of rows, summed in double precision."""
    if hasattr(z, "toarray"):
        squares = z.multiply(z).sum(axis=1, dtype=np.float64)
        return np.asarray(squares).ravel().astype(np.float32)
    return np.einsum("ij,ij->i", z, z, dtype=np.float64).astype(np.float32)


def _panels(z: np.ndarray) -> np.ndarray:
    """The rows feature by feature, in panels."""
    n, d = z.shape
    panels = np.empty((-(-n // TILE), d, min(TILE, -(-n // 8) * 8)), dtype=np.float32)
    pack(z, panels)
    return panels
