"""Sums and multiples of kernels."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from mercer import _compiled
from mercer.aliases import Features, RawSamples
from mercer.definiteness import Certificate, Witness
from mercer.definiteness.rules import scale_rule, sum_rule
from mercer.domains.base import Batch
from mercer.domains.parts import Parts
from mercer.errors import InfiniteFeaturesError, MercerError
from mercer.gram.single import ScaledTiles, SingleTiles
from mercer.gram.tile import Pair
from mercer.kernels.base import Derivative, Kernel, WeightedSum
from mercer.kernels.combine.composite import Nary, Pointwise, is_kernel, within
from mercer.kernels.separable.parts import PartValues
from mercer.kernels.separable.terms import Columns, Separation
from mercer.kernels.vectors.distance import NegativeDistance
from mercer.kernels.vectors.dot import Linear, Polynomial
from mercer.kernels.vectors.radial import RBF
from mercer.params import param, real

__all__ = ["Scaled", "Sum"]


class Sum(Nary):
    """k1 + k2 + ..., written ``k1 + k2``.

    Parameters
    ----------
    *terms : Kernel
        The summands; as parameters they are called k1, k2, ...
    **named : Kernel
        The same by name: ``k1=..., k2=...``.

    Examples
    --------
    >>> from mercer import RBF, Linear
    >>> (RBF() + Linear())([[1.0]], [[1.0]]).tolist()
    [[2.0]]
    """

    _combine = np.add
    precedence: ClassVar[int] = 1
    varies_with_parts: ClassVar[bool] = True

    def certify(self, d: int | None) -> Certificate:
        # A term of weight 0 does not count.
        certificates: list[Certificate] = []
        for term in self.named_children().values():
            if not isinstance(term, Scaled) or term.factor != 0:
                certificates.append(term.certify(d))
        if not certificates:
            certificates = [term.certify(d) for term in self.terms]
        return sum_rule(repr(self), certificates)

    def __repr__(self) -> str:
        first, *others = self.named_children().values()
        text = repr(first)
        for term in others:
            if isinstance(term, Scaled) and term.factor < 0:
                text += f" - {(-term)!r}"
            else:
                text += f" + {term!r}"
        return text

    def map_features(self, batch: Batch, truncate: int | None) -> Features:
        blocks = [term.map_features(batch, truncate) for term in self.terms]
        if any(hasattr(block, "tocsr") for block in blocks):
            from scipy.sparse import csr_matrix, hstack

            return hstack([csr_matrix(block) for block in blocks]).tocsr()
        return np.hstack(blocks)

    def feature_dim(self, p: int) -> float:
        return sum(term.feature_dim(p) for term in self.terms)

    def separation(self, columns: Columns) -> Separation:
        parts = [term.separation(columns) for term in self.terms]
        return functools.reduce(Separation.plus, parts)

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        for name, child, part in self.pairs(pair):
            for inner, place, tile in child.tile_derivatives(part):
                yield f"{name}__{inner}", place, tile

    def weighted_derivatives(self, pair: Pair, weights: np.ndarray) -> Iterator[WeightedSum]:
        for name, child, part in self.pairs(pair):
            for inner, place, value in child.weighted_derivatives(part, weights):
                yield f"{name}__{inner}", place, value

    def tile_input_gradients(self, pair: Pair, weights: np.ndarray) -> np.ndarray:
        parts = [child.tile_input_gradients(part, weights) for _, child, part in self.pairs(pair)]
        return functools.reduce(np.add, parts)

    def part_values(self, X: RawSamples, samples: RawSamples, C: np.ndarray) -> list[PartValues]:
        of_terms = [term.part_values(X, samples, C) for term in self.terms]
        columns = zip(*of_terms, strict=True)
        return [functools.reduce(PartValues.plus, of_sample) for of_sample in columns]

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [
            0.5 * RBF(length_scale=2.0) + Polynomial(degree=3) * Linear(),
            RBF() + NegativeDistance(),
            RBF() - 0.5 * Linear(),
        ]


class Scaled(Pointwise):
    """factor · k, written ``2.0 * k``.

    Parameters
    ----------
    factor : float
        The weight; a negative one makes no kernel but may be a term of one.
    kernel : Kernel
        The kernel k.

    Examples
    --------
    >>> from mercer import Linear
    >>> (2.0 * Linear())([[1.0]], [[3.0]]).tolist()
    [[6.0]]
    """

    precedence: ClassVar[int] = 3
    varies_with_parts: ClassVar[bool] = True
    factor: float = param(check=real, continuous=True)
    kernel: Kernel = param(check=is_kernel)

    def certify(self, d: int | None) -> Certificate:
        inner = self.kernel.certify(d)
        within_claim = functools.partial(self._witness, d, inner.where.max_dim)
        return scale_rule(repr(self), float(self.factor), inner, within_claim)

    def _witness(self, d: int | None, most: float) -> Witness | None:
        """A point of at most so many columns with k(x, x) > 0: it refutes a negative multiple."""
        rng = np.random.default_rng(0)
        dimensions = (d,) if d else tuple(n for n in (2, 1, 3, 4, 5, 6, 7, 8) if n <= most)
        lattices = (self.kernel.domain.lattices(n_features, rng) for n_features in dimensions)
        witnesses = map(self._witness_among, itertools.chain.from_iterable(lattices))
        return next(filter(None, witnesses), None)

    def _witness_among(self, points: RawSamples) -> Witness | None:
        try:
            diagonal = self.kernel.diag(points)
        except MercerError:
            # An overflow, or outside the domain: not a place to look.
            return None
        at = int(np.argmax(diagonal))
        if diagonal[at] <= 0:
            return None
        return Witness(points[at : at + 1], np.ones(1), float(self.factor * diagonal[at]))

    def __repr__(self) -> str:
        if self.factor == -1:
            return f"-{within(self.kernel, 4)}"
        return f"{float(self.factor)!r} * {within(self.kernel, 3)}"

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        self.kernel.tile(pair.part(0), out)
        out *= self.factor

    def single_tiles(self, centers: Parts) -> SingleTiles | None:
        inner = self.kernel.single_tiles(centers[0])
        return None if inner is None else ScaledTiles(inner, float(self.factor))

    def diagonal(self, samples: Parts) -> np.ndarray:
        return self.factor * self.kernel.diagonal(samples[0])

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        yield "factor", None, self._child_tile(pair)
        for inner, place, tile in self.kernel.tile_derivatives(pair.part(0)):
            yield f"kernel__{inner}", place, tile * self.factor

    def weighted_derivatives(self, pair: Pair, weights: np.ndarray) -> Iterator[WeightedSum]:
        yield "factor", None, _compiled.storage.weighted_sum(weights, self._child_tile(pair))
        for inner, place, value in self.kernel.weighted_derivatives(pair.part(0), weights):
            yield f"kernel__{inner}", place, value * self.factor

    def tile_input_gradients(self, pair: Pair, weights: np.ndarray) -> np.ndarray:
        return self.factor * self.kernel.tile_input_gradients(pair.part(0), weights)

    def _child_tile(self, pair: Pair) -> np.ndarray:
        """The values of k, which are the derivative in the factor."""
        values = np.empty(pair.shape)
        self.kernel.tile(pair.part(0), values)
        return values

    def map_features(self, batch: Batch, truncate: int | None) -> Features:
        if self.factor < 0:
            rule = "is a negative multiple and has no real feature map"
            raise InfiniteFeaturesError("features", self, rule)
        return np.sqrt(self.factor) * self.kernel.map_features(batch, truncate)

    def feature_dim(self, p: int) -> float:
        return self.kernel.feature_dim(p)

    def separation(self, columns: Columns) -> Separation:
        return self.kernel.separation(columns).scaled(float(self.factor))

    def part_values(self, X: RawSamples, samples: RawSamples, C: np.ndarray) -> list[PartValues]:
        return self.kernel.part_values(X, samples, float(self.factor) * C)

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(factor=2.5, kernel=RBF()), cls(factor=-1.0, kernel=RBF())]
