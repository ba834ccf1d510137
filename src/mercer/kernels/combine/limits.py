"""Limits of kernels, of which the first terms are given."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mercer.aliases import Features
from mercer.definiteness import Certificate
from mercer.definiteness.rules import limit_rule
from mercer.domains.base import Batch
from mercer.domains.parts import Parts
from mercer.gram.tile import Pair
from mercer.kernels.base import Derivative, Kernel
from mercer.kernels.combine.composite import Nary
from mercer.kernels.combine.series import PowerSeries
from mercer.kernels.vectors.dot import Linear
from mercer.kernels.vectors.radial import RBF

__all__ = ["Limit"]


class Limit(Nary):
    """lim kₙ(x, y), of which the terms k1, k2, ... are given and the last one is computed.

    It is positive semi-definite if all terms are, each by its own rule. That the sequence
    converges, and goes on like the given terms, is your statement: the certificate prints it as an
    assumption. Strictness is never inherited: RBF(ℓ) is strict for every ℓ, and its limit for ℓ → ∞
    is constant.

    Parameters
    ----------
    *terms : Kernel
        Terms of the sequence in their order; as parameters they are called k1, k2, ...
    **named : Kernel
        The same by name: ``k1=..., k2=...``.

    Examples
    --------
    >>> from mercer import RBF, Limit
    >>> flat = Limit(
    ...     RBF(length_scale=10.0), RBF(length_scale=100.0), RBF(length_scale=1000.0)
    ... )
    >>> flat.certificate().status
    'psd'
    >>> flat([[0.0], [1.0]]).round(4).tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """

    def certify(self, d: int | None) -> Certificate:
        return limit_rule(repr(self), [term.certify(d) for term in self.terms])

    def __repr__(self) -> str:
        return f"Limit({', '.join(map(repr, self.terms))})"

    @property
    def constant_diagonal(self) -> bool:
        return self.terms[-1].constant_diagonal

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        self.terms[-1].tile(pair.of(pair.x[-1], pair.y[-1]), out)

    def diagonal(self, samples: Parts) -> np.ndarray:
        return self.terms[-1].diagonal(samples[-1])

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        """Only the last term counts: the derivatives in parameters of the others are 0."""
        last = self.terms[-1]
        for name, child, part in self.pairs(pair):
            for inner, place, tile in child.tile_derivatives(part):
                yield f"{name}__{inner}", place, tile if child is last else np.zeros(pair.shape)

    def map_features(self, batch: Batch, truncate: int | None) -> Features:
        return self.terms[-1].map_features(batch, truncate)

    def feature_dim(self, p: int) -> float:
        return self.terms[-1].feature_dim(p)

    @classmethod
    def examples(cls) -> list[Kernel]:
        series = [PowerSeries(Linear(), [1.0, 1.0, 0.5][:n]) for n in (2, 3)]
        return [cls(*series), cls(RBF(length_scale=1.5), RBF(length_scale=3.0))]
