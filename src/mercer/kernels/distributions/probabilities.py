"""Kernels on probability distributions, given as rows that sum to 1.

>>> from mercer import Bhattacharyya
>>> Bhattacharyya()([[0.25, 0.75], [1.0, 0.0]])[0, 1]
np.float64(0.5)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from mercer import _compiled
from mercer.aliases import Prepared
from mercer.definiteness import DIVISIBLE, POSITIVE_DIAGONAL, PSD, SEPARATES, STRICT, Definite
from mercer.domains.base import Batch, Domain
from mercer.domains.distributions import PROBABILITIES, powers
from mercer.errors import InputTypeError
from mercer.gram.tile import Pair
from mercer.kernels.base import Derivative, Kernel
from mercer.kernels.combine.parts import Parts
from mercer.params import param, positive

__all__ = ["Bhattacharyya", "Hellinger", "JensenShannon", "ProbabilityProduct"]

_SIMPLEX = "probability rows"


class JensenShannon(Kernel):
    """exp(−γ JSD), JSD = H((p+q)/2) − (H(p) + H(q))/2 with natural logarithms, from 0 to log 2.

    >>> from mercer import JensenShannon
    >>> round(float(JensenShannon(gamma=2.0)([[1.0, 0.0], [0.0, 1.0]])[0, 1]), 12)
    0.25
    """

    definite = Definite(
        STRICT,
        "Schoenberg: √JSD is a distance in a Hilbert space (Topsøe), so −JSD is cpd, and 0 only at p = q",
        _SIMPLEX,
        facts=(DIVISIBLE,),
    )
    domain: ClassVar[Domain] = PROBABILITIES
    gamma: float = param(default=1.0, check=positive, continuous=True)

    def prepare(self, batch: Batch) -> Any:
        samples: Any = super().prepare(batch)
        if samples.sparse:
            raise InputTypeError(
                batch.argument,
                "a sparse matrix",
                "is not enough for JensenShannon",
                "give X.toarray()",
            )
        return samples

    def _divergence(self, pair: Pair) -> np.ndarray:
        out = pair.buffer()
        _compiled.distributions.jensen_shannon_tile(*pair.coordinates(), out)
        return out

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        mark = pair.work.mark()
        _compiled.profiles.exponential_down(self._divergence(pair), -float(self.gamma), out)
        pair.work.release(mark)

    def diagonal(self, side: Prepared) -> np.ndarray:
        return np.ones(len(side))

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        mark = pair.work.mark()
        divergence = self._divergence(pair)
        tile = -divergence * np.exp(-self.gamma * divergence)
        pair.work.release(mark)
        yield "gamma", None, tile

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(), cls(gamma=3.5)]


class Hellinger(Kernel):
    """exp(−γ(1 − Σ√(pq))), which is exp(−γ Σ(√p − √q)²/2) because the rows sum to 1: a Gaussian of the roots.

    It is computed in the second form, which is exact for rows close to each other.
    """

    definite = Definite(
        STRICT, "pull-back of a Gaussian by the injective p ↦ √p", _SIMPLEX, facts=(DIVISIBLE,)
    )
    domain: ClassVar[Domain] = PROBABILITIES
    gamma: float = param(default=1.0, check=positive, continuous=True)

    def prepare(self, batch: Batch) -> Any:
        return powers(super().prepare(batch), 0.5)

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        _compiled.profiles.exponential_down(pair.sqdist(None, out), -0.5 * float(self.gamma), out)

    def diagonal(self, side: Prepared) -> np.ndarray:
        return np.ones(len(side))

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        half = 0.5 * pair.sqdist()
        yield "gamma", None, -half * np.exp(-self.gamma * half)

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(), cls(gamma=2.5)]


class Bhattacharyya(Kernel):
    """Σ √(p q), the cosine of the angle between the roots of two distributions."""

    definite = Definite(
        PSD, "inner product: φ(p) = √p", _SIMPLEX, facts=(POSITIVE_DIAGONAL, SEPARATES)
    )
    domain: ClassVar[Domain] = PROBABILITIES

    def prepare(self, batch: Batch) -> Any:
        return powers(super().prepare(batch), 0.5)

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        np.copyto(out, pair.dot(out))

    def diagonal(self, side: Prepared) -> np.ndarray:
        return side.norms

    def map_features(self, batch: Batch, truncate: int | None) -> Any:
        return self.prepare(batch).x

    def feature_dim(self, p: int) -> float:
        return p


class ProbabilityProduct(Kernel):
    """Σ p^ρ q^ρ: ρ = ½ is `Bhattacharyya`, ρ = 1 the expected likelihood of one distribution under the other."""

    definite = Definite(
        PSD, "inner product: φ(p) = p^ρ", _SIMPLEX, facts=(POSITIVE_DIAGONAL, SEPARATES)
    )
    domain: ClassVar[Domain] = PROBABILITIES
    rho: float = param(default=1.0, check=positive, continuous=True)

    def prepare(self, batch: Batch) -> Parts:
        samples = super().prepare(batch)
        return Parts(samples, powers(samples, float(self.rho)))

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        np.copyto(out, pair.of(pair.x[1], pair.y[1]).dot(out))

    def diagonal(self, side: Parts) -> np.ndarray:
        return side[1].norms

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        """Σ p^ρ q^ρ (log p + log q): two inner products, both of terms ≤ 0."""
        left, right = (
            powers(side[0], float(self.rho), logarithm=True) for side in (pair.x, pair.y)
        )
        yield "rho", None, pair.of(left, pair.y[1]).dot() + pair.of(pair.x[1], right).dot()

    def map_features(self, batch: Batch, truncate: int | None) -> Any:
        return self.prepare(batch)[1].x

    def feature_dim(self, p: int) -> float:
        return p

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(), cls(rho=0.5), cls(rho=1.7)]
