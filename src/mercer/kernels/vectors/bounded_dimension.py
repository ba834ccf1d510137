"""Radial functions that are positive definite up to some dimension only.

The domain of their certificates names that dimension.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.polynomial import Polynomial
from numpy.polynomial.polynomial import polyval

from mercer.definiteness import POSITIVE_DIAGONAL, PSD, STRICT, Definite
from mercer.definiteness.means import SPECTRUM, blind, finite
from mercer.kernels.base import Kernel
from mercer.kernels.vectors.radial import RadialKernel, ScaledDistance
from mercer.params import between, integer, param, positive

__all__ = ["Bessel", "DistanceCosine", "Wendland"]


class Bessel(ScaledDistance):
    """k = Γ(ν+1) (2/z)^ν J_ν(z), z = ‖x−y‖/ℓ: the Bessel kernel.

    It is the Fourier transform of a sphere in 2ν + 2 dimensions, and a kernel up to there.

    Parameters
    ----------
    order : float
        ν, from 0 to 100.
    length_scale : float, default 1.0
        ℓ, one length scale for all columns.

    References
    ----------
    Schoenberg, "Metric spaces and completely monotone functions", Annals of Mathematics 39, 1938.

    Examples
    --------
    >>> from mercer import Bessel
    >>> Bessel(order=0.5)([[0.0], [1.0]]).round(4).tolist()
    [[1.0, 0.8415], [0.8415, 1.0]]
    """

    order: float = param(check=between(0, 100, open_low=False))
    length_scale: float = param(default=1.0, check=positive, continuous=True)

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(order=1.0), cls(order=0.5, length_scale=2.0)]

    def claim(self) -> Definite:
        dimension = 2 * self.order + 2
        rule = f"Bochner: in d < 2ν + 2 = {dimension:g} dimensions the spectral density "
        rule += "∝ (1 − ‖ℓω‖²)₊^(ν−d/2) is ≥ 0 and integrable"
        if float(dimension).is_integer():
            rule += f", and in d = {dimension:g} the measure is a sphere"
        most, facts = math.floor(dimension), (POSITIVE_DIAGONAL,)
        unseen = blind("frequencies above 1/ℓ are not seen (Sriperumbudur et al. 2010, theorem 9)")
        return Definite(PSD, rule, max_dim=most, facts=facts, means=unseen)

    def _value(self, s2: np.ndarray, order: float) -> np.ndarray:
        """The profile of this order; near 0 by its power series."""
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
    """k = cos(‖x−y‖/ℓ), the cosine of a distance: a kernel on the line, not in the plane.

    Parameters
    ----------
    length_scale : float, default 1.0
        ℓ, one length scale for all columns.

    Examples
    --------
    >>> from mercer import DistanceCosine
    >>> DistanceCosine()([[0.0], [1.0]]).round(4).tolist()
    [[1.0, 0.5403], [0.5403, 1.0]]
    >>> DistanceCosine().certificate(2).status
    'indefinite'
    """

    definite = Definite(
        PSD,
        "Bochner: on the line the spectral measure is two points, of weight ½ each",
        max_dim=1,
        facts=(POSITIVE_DIAGONAL,),
        means=finite("a cosine and a sine"),
    )
    length_scale: float = param(default=1.0, check=positive, continuous=True)

    def profile(self, s2: np.ndarray) -> np.ndarray:
        return np.cos(np.sqrt(s2))

    def slope(self, s2: np.ndarray) -> np.ndarray:
        return np.sinc(np.sqrt(s2) / np.pi)


class Wendland(RadialKernel):
    """k = (1 − t)^p q(t), t = ‖x−y‖/ℓ, q a polynomial, and 0 from t = 1 on: Wendland's function.

    It has compact support, is 2·smoothness times differentiable, and a kernel on R^d for
    d ≤ dimension.

    Parameters
    ----------
    length_scale : float, default 1.0
        ℓ, the radius of the support.
    smoothness : {0, 1, 2, 3}, default 1
        Half the number of continuous derivatives.
    dimension : int, default 3
        The largest number of columns, at least 1.

    References
    ----------
    Wendland, "Piecewise polynomial, positive definite and compactly supported radial functions of
    minimal degree", Advances in Computational Mathematics 4, 1995.

    Examples
    --------
    >>> from mercer import Wendland
    >>> Wendland(length_scale=2.0)([[0.0], [1.0], [2.0]])[0].tolist()
    [1.0, 0.1875, 0.0]
    """

    length_scale: float = param(default=1.0, check=positive, continuous=True)
    smoothness: int = param(default=1, check=integer(0, 3))
    dimension: int = param(default=3, check=integer(1))

    def claim(self) -> Definite:
        reach = 2 * (self.dimension // 2) + 1  # the formula for 2m dimensions holds for 2m + 1 too
        place = "on the line" if reach == 1 else f"in up to {reach} dimensions"
        rule = f"Bochner: {place} the Fourier transform is ≥ 0 (Wendland 1995); "
        rule += "it is analytic, as the support is compact, so that its zeros have measure 0"
        return Definite(STRICT, rule, max_dim=reach, means=SPECTRUM)

    def _polynomial(self) -> tuple[int, np.ndarray]:
        """The power p of 1 − t, and the coefficients of q from the lowest."""
        m = self.dimension // 2 + self.smoothness + 1
        quadratic = [1.0, (3 * m + 6) / 3, (m * m + 4 * m + 3) / 3]
        cubic = [1.0, (15 * m + 45) / 15, (6 * m * m + 36 * m + 45) / 15]
        cubic.append((m**3 + 9 * m * m + 23 * m + 15) / 15)
        inner = [[1.0], [1.0, m + 1.0], quadratic, cubic][self.smoothness]
        return m + self.smoothness, np.array(inner)

    def profile(self, s2: np.ndarray) -> np.ndarray:
        t = np.sqrt(s2)
        power, inner = self._polynomial()
        return np.where(t < 1, (1 - t) ** power * polyval(t, inner), 0.0)

    def slope(self, s2: np.ndarray) -> np.ndarray:
        t = np.sqrt(s2)
        power, inner = self._polynomial()
        # −d/dt [(1−t)^p q] = (1−t)^(p−1) [p q − (1−t) q′], the bracket divisible by t if q is not 1
        q = Polynomial(inner)
        coefficients = (power * q - Polynomial([1, -1]) * q.deriv()).coef
        if self.smoothness:
            reduced = polyval(t, coefficients[1:])
        else:
            reduced = polyval(t, coefficients) / np.where(t > 0, t, np.inf)
        return np.where(t < 1, (1 - t) ** (power - 1) * reduced, 0.0)

    @classmethod
    def examples(cls) -> list[Kernel]:
        rough, smooth = cls(length_scale=2.0, smoothness=0), cls(smoothness=3)
        return [cls(length_scale=3.0), rough, cls(4.0, smoothness=2, dimension=8), smooth]
