"""Radial functions that are kernels up to some dimension only: the domain in a certificate is there for them."""

from __future__ import annotations

import numpy as np

from mercer.definiteness import POSITIVE_DIAGONAL, PSD, STRICT, Definite
from mercer.kernels.base import Kernel
from mercer.kernels.vectors.radial import RadialKernel, ScaledDistance
from mercer.params import between, integer, param, positive

__all__ = ["Bessel", "DistanceCosine", "Wendland"]


class Bessel(ScaledDistance):
    """k = Γ(ν+1) (2/z)^ν J_ν(z), z = ‖x−y‖/ℓ: the Fourier transform of a sphere in 2ν + 2 dimensions."""

    order: float = param(check=between(0, 100, open_low=False))  # type: ignore[misc]
    length_scale: float = param(default=1.0, check=positive, continuous=True)

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(order=1.0), cls(order=0.5, length_scale=2.0)]

    def claim(self) -> Definite:
        rule = f"Bochner and Schoenberg: the spectral measure lives on a sphere of 2ν + 2 = {2 * self.order + 2:g} dimensions"
        return Definite(PSD, rule, max_dim=2 * self.order + 2, facts=(POSITIVE_DIAGONAL,))

    def _value(self, s2: np.ndarray, order: float) -> np.ndarray:
        from scipy.special import gammaln, hyp0f1, jv

        z = np.sqrt(s2)
        with np.errstate(divide="ignore", invalid="ignore"):
            value = np.exp(gammaln(order + 1.0) + order * np.log(2.0 / z)) * jv(order, z)
        return np.where(s2 < 1.0, hyp0f1(order + 1.0, -s2 / 4.0), value)

    def profile(self, s2: np.ndarray) -> np.ndarray:
        return self._value(s2, self.order)

    def slope(self, s2: np.ndarray) -> np.ndarray:
        return self._value(s2, self.order + 1.0) / (2.0 * (self.order + 1.0))


class DistanceCosine(RadialKernel):
    """k = cos(‖x−y‖/ℓ): a kernel on the line, not in the plane."""

    definite = Definite(
        PSD,
        "Bochner: the spectral measure is two points, which exist as a radial measure on the line only",
        max_dim=1,
        facts=(POSITIVE_DIAGONAL,),
    )
    length_scale: float = param(default=1.0, check=positive, continuous=True)

    def profile(self, s2: np.ndarray) -> np.ndarray:
        return np.cos(np.sqrt(s2))

    def slope(self, s2: np.ndarray) -> np.ndarray:
        return np.sinc(np.sqrt(s2) / np.pi)


class Wendland(RadialKernel):
    """A polynomial in t = ‖x−y‖/ℓ that is zero from t = 1 on; 2·smoothness times differentiable, for R^d with d ≤ dimension."""

    length_scale: float = param(default=1.0, check=positive, continuous=True)
    smoothness: int = param(default=1, check=integer(0, 3))
    dimension: int = param(default=3, check=integer(1))

    def claim(self) -> Definite:
        reach = 2 * (self.dimension // 2) + 1  # the formula for 2m dimensions holds for 2m + 1 too
        rule = f"Bochner: Wendland's function has a positive Fourier transform in up to {reach} dimensions"
        return Definite(STRICT, rule, max_dim=reach)

    def _polynomial(self) -> tuple[int, np.ndarray]:
        """(power of 1 − t, coefficients from the lowest)."""
        k = self.smoothness
        m = self.dimension // 2 + k + 1
        inner = [
            [1.0],
            [1.0, m + 1.0],
            [1.0, (3 * m + 6) / 3, (m * m + 4 * m + 3) / 3],
            [
                1.0,
                (15 * m + 45) / 15,
                (6 * m * m + 36 * m + 45) / 15,
                (m**3 + 9 * m * m + 23 * m + 15) / 15,
            ],
        ][k]
        return m + k, np.array(inner)

    def profile(self, s2: np.ndarray) -> np.ndarray:
        t = np.sqrt(s2)
        power, inner = self._polynomial()
        return np.where(t < 1, (1 - t) ** power * np.polynomial.polynomial.polyval(t, inner), 0.0)

    def slope(self, s2: np.ndarray) -> np.ndarray:
        t = np.sqrt(s2)
        power, inner = self._polynomial()
        # −d/dt [(1−t)^p q] = (1−t)^(p−1) [p q − (1−t) q′]; for smoothness ≥ 1 the bracket is divisible by t
        bracket = (
            power * np.polynomial.Polynomial(inner)
            - np.polynomial.Polynomial([1, -1]) * np.polynomial.Polynomial(inner).deriv()
        )
        coefficients = bracket.coef
        if self.smoothness:
            reduced = np.polynomial.polynomial.polyval(t, coefficients[1:])
        else:
            reduced = np.polynomial.polynomial.polyval(t, coefficients) / np.where(t > 0, t, np.inf)
        return np.where(t < 1, (1 - t) ** (power - 1) * reduced, 0.0)

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [
            cls(length_scale=3.0),
            cls(length_scale=2.0, smoothness=0),
            cls(length_scale=4.0, smoothness=2, dimension=8),
            cls(smoothness=3),
        ]
