"""Products of kernels."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Self

import numpy as np

from mercer.aliases import Prepared
from mercer.definiteness import STRICT, Certificate
from mercer.definiteness.rules import product_rule
from mercer.domains.base import Batch
from mercer.domains.vectors.domain import are_vectors
from mercer.gram.tile import Pair
from mercer.kernels.base import Derivative, Kernel, WeightedSum
from mercer.kernels.combine.columns import On, only_in, only_with
from mercer.kernels.combine.composite import Nary, as_dense, within
from mercer.kernels.separable.terms import Columns, Separation
from mercer.kernels.vectors.coordinate import Periodic
from mercer.kernels.vectors.dot import Constant, Linear
from mercer.kernels.vectors.radial import RBF
from mercer.state import State

__all__ = ["Product"]


def _strict_columns(
    factor: Kernel, certificate: Certificate, columns: Sequence[Any]
) -> list[int] | None:
    """The columns on which a factor is strict, none of a constant; None if that is not known."""
    if isinstance(factor, Constant) and factor.c > 0:
        return []
    if isinstance(factor, On) and certificate.parts[0].status == STRICT:
        return factor.places(columns)
    return None


class Product(Nary):
    """k1 · k2 · ..., written ``k1 * k2``: the Schur product of the Gram matrices.

    Parameters
    ----------
    *terms : Kernel
        The factors; as parameters they are called k1, k2, ...
    **named : Kernel
        The same by name: ``k1=..., k2=...``.

    Examples
    --------
    >>> from mercer import RBF, Linear
    >>> (RBF() * Linear())([[2.0]], [[2.0]]).tolist()
    [[4.0]]
    """

    _combine = np.multiply
    precedence: ClassVar[int] = 3
    varies_with_parts: ClassVar[bool] = True
    stored: ClassVar[State] = State(plain=("column_names_",))

    def fit_batch(self, batch: Batch) -> Self:
        super().fit_batch(batch)
        self.__dict__.pop("column_names_", None)
        on_columns = [term for term in self.terms if isinstance(term, On)]
        # whether the factors look at all columns is known from here on
        if on_columns and are_vectors(self.domain):
            samples: Prepared = batch.encode(on_columns[0].domain)
            self.n_columns_ = int(samples.n_features)
        elif on_columns and batch.names is not None:
            self.column_names_ = batch.names
        return self

    def certify(self, d: int | None) -> Certificate:
        names = self.__dict__.get("column_names_")
        if d is None:
            d = self.__dict__.get("n_columns_")
        parts = [term.certify(d) for term in self.terms]
        if d is not None and self._splits(parts, range(d)):
            where = only_in(d)
        elif d is None and names is not None and self._splits(parts, names):
            where = only_with(names)
        else:
            return product_rule(repr(self), parts)
        certificate = product_rule(repr(self), parts, split=True)
        return dataclasses.replace(certificate, where=certificate.where.meet(where))

    def _splits(self, parts: list[Certificate], columns: Sequence[Any]) -> bool:
        """Whether the factors look at disjoint columns that together are all, each strictly."""
        places: list[int] = []
        for factor, certificate in zip(self.terms, parts, strict=True):
            own = _strict_columns(factor, certificate, columns)
            if own is None:
                return False
            places += own
        return sorted(places) == list(range(len(columns))) and len(set(columns)) == len(columns)

    def __repr__(self) -> str:
        return " * ".join(within(term, 4) for term in self.terms)

    def map_features(self, batch: Batch, truncate: int | None) -> np.ndarray:
        blocks = [as_dense(term.map_features(batch, truncate)) for term in self.terms]
        features = blocks[0]
        for block in blocks[1:]:
            features = np.einsum("ia,ib->iab", features, block).reshape(len(features), -1)
        return features

    def feature_dim(self, p: int) -> float:
        dims = [term.feature_dim(p) for term in self.terms]
        if 0 in dims:
            return 0
        return math.prod(dims)

    def separation(self, columns: Columns) -> Separation:
        parts = [term.separation(columns) for term in self.terms]
        return functools.reduce(Separation.times, parts)

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        for name, child, part, others in self._with_others(pair):
            for inner, place, tile in child.tile_derivatives(part):
                yield f"{name}__{inner}", place, tile * others

    def weighted_derivatives(self, pair: Pair, weights: np.ndarray) -> Iterator[WeightedSum]:
        for name, child, part, others in self._with_others(pair):
            for inner, place, value in child.weighted_derivatives(part, weights * others):
                yield f"{name}__{inner}", place, value

    def tile_input_gradients(self, pair: Pair, weights: np.ndarray) -> np.ndarray:
        parts = [
            child.tile_input_gradients(part, weights * others)
            for _, child, part, others in self._with_others(pair)
        ]
        return functools.reduce(np.add, parts)

    def _with_others(self, pair: Pair) -> Iterator[tuple[str, Kernel, Pair, np.ndarray]]:
        """Every factor, and the product of the others on this tile."""
        tiles = [np.empty(pair.shape) for _ in self.terms]
        for tile, (_, child, part) in zip(tiles, self.pairs(pair), strict=True):
            child.tile(part, tile)
        for at, (name, child, part) in enumerate(self.pairs(pair)):
            yield name, child, part, np.prod(tiles[:at] + tiles[at + 1 :], axis=0)

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [RBF() * Periodic(period=3.0), (Linear() + 1.0) * RBF() * RBF(length_scale=3.0)]
