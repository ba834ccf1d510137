"""Kernels on probability distributions, given as rows that sum to 1.

>>> from mercer import Bhattacharyya
>>> Bhattacharyya()([[0.25, 0.75], [1.0, 0.0]])[0, 1]
np.float64(0.5)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from mercer import _compiled
from mercer.aliases import Prepared, SparseMatrix
from mercer.definiteness import DIVISIBLE, POSITIVE_DIAGONAL, PSD, SEPARATES, STRICT, Definite
from mercer.definiteness.means import GAUSSIAN, finite
from mercer.domains.base import Batch, Domain
from mercer.domains.distributions import PROBABILITIES, powers
from mercer.domains.parts import Parts
from mercer.errors import InputTypeError
from mercer.gram.tile import Pair
from mercer.kernels.base import Derivative, Kernel
from mercer.params import param, positive

__all__ = ["Bhattacharyya", "Hellinger", "JensenShannon", "ProbabilityProduct"]

_SIMPLEX = "probability rows"


class JensenShannon(Kernel):
    """exp(−γ JSD), JSD = H((p+q)/2) − (H(p) + H(q))/2 the Jensen-Shannon divergence.

    The entropies H have natural logarithms, so that the divergence lies between 0 and log 2.

    Parameters
    ----------
    gamma : float, default=1.0
        The factor γ of the divergence, a positive number.

    Examples
    --------
    >>> from mercer import JensenShannon
    >>> round(float(JensenShannon(gamma=2.0)([[1.0, 0.0], [0.0, 1.0]])[0, 1]), 12)
    0.25

    References
    ----------
    B. Fuglede and F. Topsøe (2004). Jensen-Shannon divergence and Hilbert space embedding. IEEE
    International Symposium on Information Theory, 31.
    """

    definite = Definite(
        STRICT,
        "Schoenberg: √JSD is a distance in a Hilbert space (Fuglede and Topsøe), "
        "so −JSD is cpd, and 0 only at p = q",
        _SIMPLEX,
        facts=(DIVISIBLE,),
        means=GAUSSIAN,
    )
    domain: ClassVar[Domain] = PROBABILITIES
    gamma: float = param(default=1.0, check=positive, continuous=True)

    def prepare(self, batch: Batch) -> Prepared:
        samples = super().prepare(batch)
        if samples.sparse:
            rule = "is not enough for JensenShannon"
            raise InputTypeError(batch.argument, "a sparse matrix", rule, "give X.toarray()")
        return samples

    def _divergence(self, pair: Pair) -> np.ndarray:
        out = pair.buffer()
        _compiled.distributions.jensen_shannon_tile(*pair.coordinates(), out)
        return out

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        mark = pair.work.temporary.used
        _compiled.profiles.exponential_down(self._divergence(pair), -float(self.gamma), out)
        pair.work.temporary.used = mark

    def diagonal(self, samples: Prepared) -> np.ndarray:
        return np.ones(len(samples))

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        mark = pair.work.temporary.used
        divergence = self._divergence(pair)
        tile = -divergence * np.exp(-self.gamma * divergence)
        pair.work.temporary.used = mark
        yield "gamma", None, tile

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(), cls(gamma=3.5)]


class Hellinger(Kernel):
    """exp(−γ(1 − Σ√(pq))) = exp(−γ Σ(√p − √q)²/2), a Gaussian of the Hellinger distance.

    The two forms are equal because the rows sum to 1. It is computed in the second one, which is
    exact for rows close to each other.

    Parameters
    ----------
    gamma : float, default=1.0
        The factor γ of the squared distance, a positive number.

    Examples
    --------
    >>> from mercer import Hellinger
    >>> Hellinger(gamma=2.0)([[1.0, 0.0]], [[0.25, 0.75]]).round(4).tolist()  # exp(−1)
    [[0.3679]]

    References
    ----------
    M. Hein and O. Bousquet (2005). Hilbertian metrics and positive definite kernels on probability
    measures. Artificial Intelligence and Statistics, 136-143.
    """

    definite = Definite(
        STRICT,
        "pull-back of a Gaussian by the injective p ↦ √p",
        _SIMPLEX,
        facts=(DIVISIBLE,),
        means=GAUSSIAN,
    )
    domain: ClassVar[Domain] = PROBABILITIES
    gamma: float = param(default=1.0, check=positive, continuous=True)

    def prepare(self, batch: Batch) -> Prepared:
        return powers(super().prepare(batch), 0.5)

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        _compiled.profiles.exponential_down(pair.sqdist(None, out), -0.5 * float(self.gamma), out)

    def diagonal(self, samples: Prepared) -> np.ndarray:
        return np.ones(len(samples))

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        half = 0.5 * pair.sqdist()
        yield "gamma", None, -half * np.exp(-self.gamma * half)

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(), cls(gamma=2.5)]


class Bhattacharyya(Kernel):
    """Σ √(p q), the cosine of the angle between the roots of two distributions.

    Examples
    --------
    >>> from mercer import Bhattacharyya
    >>> Bhattacharyya()([[0.25, 0.75], [1.0, 0.0]])[0, 1]
    np.float64(0.5)

    References
    ----------
    T. Jebara, R. Kondor and A. Howard (2004). Probability product kernels. Journal of Machine
    Learning Research 5, 819-844.
    """

    definite = Definite(
        PSD,
        "inner product: φ(p) = √p",
        _SIMPLEX,
        facts=(POSITIVE_DIAGONAL, SEPARATES),
        means=finite("√p"),
    )
    domain: ClassVar[Domain] = PROBABILITIES

    def prepare(self, batch: Batch) -> Prepared:
        return powers(super().prepare(batch), 0.5)

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        np.copyto(out, pair.dot(out))

    def diagonal(self, samples: Prepared) -> np.ndarray:
        return samples.norms

    def map_features(self, batch: Batch, truncate: int | None) -> np.ndarray | SparseMatrix:
        return self.prepare(batch).x

    def feature_dim(self, p: int) -> float:
        return p


class ProbabilityProduct(Kernel):
    """Σ p^ρ q^ρ, the probability product kernel.

    ρ = ½ is `Bhattacharyya`, and ρ = 1 the expected likelihood of one distribution under the other.

    Parameters
    ----------
    rho : float, default=1.0
        The exponent ρ, a positive number.

    Examples
    --------
    >>> from mercer import ProbabilityProduct
    >>> ProbabilityProduct(rho=1.0)([[0.25, 0.75]], [[0.5, 0.5]]).tolist()
    [[0.5]]

    References
    ----------
    T. Jebara, R. Kondor and A. Howard (2004). Probability product kernels. Journal of Machine
    Learning Research 5, 819-844.
    """

    definite = Definite(
        PSD,
        "inner product: φ(p) = p^ρ",
        _SIMPLEX,
        facts=(POSITIVE_DIAGONAL, SEPARATES),
        means=finite("p^ρ"),
    )
    domain: ClassVar[Domain] = PROBABILITIES
    rho: float = param(default=1.0, check=positive, continuous=True)

    def prepare(self, batch: Batch) -> Parts:
        samples = super().prepare(batch)
        return Parts(samples, powers(samples, float(self.rho)))

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        np.copyto(out, pair.part(1).dot(out))

    def diagonal(self, samples: Parts) -> np.ndarray:
        return samples[1].norms

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        """Σ p^ρ q^ρ (log p + log q): two inner products, both of terms ≤ 0."""
        rho = float(self.rho)
        left = powers(pair.x[0], rho, logarithm=True)
        right = powers(pair.y[0], rho, logarithm=True)
        yield "rho", None, pair.of(left, pair.y[1]).dot() + pair.of(pair.x[1], right).dot()

    def map_features(self, batch: Batch, truncate: int | None) -> np.ndarray | SparseMatrix:
        return self.prepare(batch)[1].x

    def feature_dim(self, p: int) -> float:
        return p

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(), cls(rho=0.5), cls(rho=1.7)]
