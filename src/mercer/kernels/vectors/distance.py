"""Functions of ‖x−y‖ with parameters of their own; most are conditionally positive."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from mercer import _compiled
from mercer.aliases import Prepared
from mercer.definiteness import CPD, DIVISIBLE, SEPARATES, STRICT, Definite
from mercer.gram.tile import Pair
from mercer.kernels.base import Derivative, Kernel
from mercer.params import between, param, positive

__all__ = ["InverseMultiquadric", "LogDistance", "Multiquadric", "NegativeDistance"]


class DistanceKernel(Kernel, abstract=True):
    """A function of ‖x−y‖² with parameters of its own: ``value(r2)`` and, for each parameter, a derivative."""

    invariance: ClassVar[str] = "radial"

    def value(self, r2: np.ndarray) -> np.ndarray:
        raise NotImplementedError(f"{type(self).__name__} must define value(r2)")

    def value_derivative(self, r2: np.ndarray) -> np.ndarray:
        """With respect to the one parameter."""
        raise NotImplementedError(f"{type(self).__name__} must define value_derivative(r2)")

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        np.copyto(out, self.value(pair.sqdist(None, out)))

    def diagonal(self, side: Prepared) -> np.ndarray:
        return np.full(len(side), float(self.value(np.zeros(1))[0]))

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        (name,) = self._continuous
        yield name, None, self.value_derivative(pair.sqdist())


class InverseMultiquadric(DistanceKernel):
    """k = 1/√(‖x−y‖² + c²)."""

    definite = Definite(STRICT, "mixture: a Gamma mixture of Gaussians", facts=(DIVISIBLE,))
    c: float = param(default=1.0, check=positive, continuous=True)

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        _compiled.profiles.inverse_root(pair.sqdist(None, out), float(self.c) ** 2, out)

    def value(self, r2: np.ndarray) -> np.ndarray:
        return 1.0 / np.sqrt(r2 + float(self.c) ** 2)

    def value_derivative(self, r2: np.ndarray) -> np.ndarray:
        return -self.c * self.value(r2) ** 3


class Multiquadric(DistanceKernel):
    """k = −√(‖x−y‖² + c²); the minus sign makes it conditionally positive."""

    definite = Definite(
        CPD,
        "Schoenberg: −√(r² + c²) is a Bernstein function of r² with a minus sign",
        facts=(SEPARATES,),
    )
    c: float = param(default=1.0, check=positive, continuous=True)

    def value(self, r2: np.ndarray) -> np.ndarray:
        return -np.sqrt(r2 + float(self.c) ** 2)

    def value_derivative(self, r2: np.ndarray) -> np.ndarray:
        return self.c / self.value(r2)


class _PowerOfDistance(DistanceKernel, abstract=True):
    power: float = param(default=1.0, check=between(0, 2), continuous=True)

    def _power(self, r2: np.ndarray) -> np.ndarray:
        if self.power == 2:
            return r2
        return np.sqrt(r2) if self.power == 1 else r2 ** (0.5 * self.power)

    def _power_derivative(self, r2: np.ndarray) -> np.ndarray:
        with np.errstate(divide="ignore"):
            return np.where(r2 > 0, self._power(r2) * 0.5 * np.log(np.where(r2 > 0, r2, 1.0)), 0.0)

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(), cls(power=2.0), cls(power=0.7)]


class NegativeDistance(_PowerOfDistance):
    """k = −‖x−y‖^p, 0 < p ≤ 2."""

    definite = Definite(
        CPD,
        "Schoenberg: ‖x−y‖^p is conditionally negative definite for 0 < p ≤ 2",
        facts=(SEPARATES,),
    )

    def value(self, r2: np.ndarray) -> np.ndarray:
        return -self._power(r2)

    def value_derivative(self, r2: np.ndarray) -> np.ndarray:
        return -self._power_derivative(r2)


class LogDistance(_PowerOfDistance):
    """k = −log(1 + ‖x−y‖^p), 0 < p ≤ 2."""

    definite = Definite(
        CPD,
        "Schoenberg: log(1 + ψ) of a conditionally negative definite ψ is one again",
        facts=(SEPARATES,),
    )

    def value(self, r2: np.ndarray) -> np.ndarray:
        return -np.log1p(self._power(r2))

    def value_derivative(self, r2: np.ndarray) -> np.ndarray:
        return -self._power_derivative(r2) / (1.0 + self._power(r2))
