"""Functions of other distances than a scaled Euclidean one; most are conditionally positive."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from mercer import _compiled
from mercer.aliases import LengthScale, Prepared
from mercer.definiteness import CPD, DIVISIBLE, SEPARATES, STRICT, Definite
from mercer.definiteness.means import ENERGY, SPECTRUM, finite
from mercer.domains.base import Batch
from mercer.domains.vectors.domain import VectorSamples
from mercer.errors import NotDifferentiableError
from mercer.gram.single import SingleTiles
from mercer.gram.tile import Pair
from mercer.kernels.base import Derivative, Kernel, WeightedSum
from mercer.kernels.separable.separable import product_form
from mercer.kernels.vectors.inputs import weighted_differences, weighted_signs
from mercer.kernels.vectors.radial import check_per_column
from mercer.kernels.vectors.single_tiles import Formula, vector_tiles
from mercer.params import between, param, positive, positive_or_per_column

__all__ = ["InverseMultiquadric", "Laplacian", "LogDistance", "Multiquadric", "NegativeDistance"]


class DistanceKernel(Kernel, abstract=True):
    """k(x, y) = profile(‖x−y‖²) with one continuous parameter, and the derivative in it."""

    invariance: ClassVar[str] = "radial"

    def profile(self, r2: np.ndarray) -> np.ndarray:
        """The kernel's values for these squared distances."""
        raise NotImplementedError(f"{type(self).__name__} must define profile(r2)")

    def profile_derivative(self, r2: np.ndarray) -> np.ndarray:
        """The derivative of `profile` in the parameter."""
        raise NotImplementedError(f"{type(self).__name__} must define profile_derivative(r2)")

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        np.copyto(out, self.profile(pair.sqdist(None, out)))

    def diagonal(self, samples: Prepared) -> np.ndarray:
        return np.full(len(samples), float(self.profile(np.zeros(1))[0]))

    def slope(self, r2: np.ndarray) -> np.ndarray:
        """−2 dk/d(r²), from which the derivatives in x follow."""
        remedy = f"{type(self).__name__} must define slope(r2)"
        raise NotDifferentiableError("input_gradient", self, "has no derivative in x", remedy)

    def curvature(self, r2: np.ndarray) -> np.ndarray | None:
        """4 d²k/d(r²)², if k has second derivatives in x everywhere, and they are known."""
        return None

    def tile_input_gradients(self, pair: Pair, weights: np.ndarray) -> np.ndarray:
        r2 = pair.sqdist()
        with np.errstate(all="ignore"):
            slope = np.where(r2 > 0, self.slope(r2), 0.0)
        return -weighted_differences(pair, slope, weights)

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        (name,) = self._continuous
        yield name, None, self.profile_derivative(pair.sqdist())


class InverseMultiquadric(DistanceKernel):
    """k = 1/√(‖x−y‖² + c²), the inverse multiquadric.

    Parameters
    ----------
    c : float, default 1.0
        The positive shift.

    Examples
    --------
    >>> from mercer import InverseMultiquadric
    >>> InverseMultiquadric(c=3.0)([[0.0], [4.0]])[1].round(4).tolist()
    [0.2, 0.3333]
    """

    definite = Definite(
        STRICT,
        "mixture: (r² + c²)^(−½) = ∫ e^(−tr²) e^(−tc²) dt/√(πt), Gaussians with weights > 0",
        facts=(DIVISIBLE,),
        means=SPECTRUM,
    )
    c: float = param(default=1.0, check=positive, continuous=True)

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        _compiled.profiles.inverse_root(pair.sqdist(None, out), float(self.c) ** 2, out)

    def profile(self, r2: np.ndarray) -> np.ndarray:
        return 1.0 / np.sqrt(r2 + float(self.c) ** 2)

    def profile_derivative(self, r2: np.ndarray) -> np.ndarray:
        return -self.c * self.profile(r2) ** 3

    def slope(self, r2: np.ndarray) -> np.ndarray:
        return self.profile(r2) ** 3

    def curvature(self, r2: np.ndarray) -> np.ndarray:
        return 3.0 * self.profile(r2) ** 5


class Multiquadric(DistanceKernel):
    """k = −√(‖x−y‖² + c²), the multiquadric; the minus sign makes it conditionally positive.

    Parameters
    ----------
    c : float, default 1.0
        The positive shift.

    References
    ----------
    Micchelli, "Interpolation of scattered data: distance matrices and conditionally positive
    definite functions", Constructive Approximation 2, 1986.

    Examples
    --------
    >>> from mercer import Multiquadric
    >>> Multiquadric(c=3.0)([[0.0], [4.0]]).tolist()
    [[-3.0, -5.0], [-5.0, -3.0]]
    """

    definite = Definite(
        CPD,
        "Schoenberg: −√(r² + c²) is minus a Bernstein function of r², which grows from r = 0 on",
        facts=(SEPARATES,),
        means=ENERGY,
    )
    c: float = param(default=1.0, check=positive, continuous=True)

    def profile(self, r2: np.ndarray) -> np.ndarray:
        return -np.sqrt(r2 + float(self.c) ** 2)

    def profile_derivative(self, r2: np.ndarray) -> np.ndarray:
        return self.c / self.profile(r2)

    def slope(self, r2: np.ndarray) -> np.ndarray:
        return -1.0 / self.profile(r2)


class _PowerOfDistance(DistanceKernel, abstract=True):
    """A function of ‖x−y‖^p."""

    power: float = param(default=1.0, check=between(0, 2), continuous=True)

    def _power(self, r2: np.ndarray) -> np.ndarray:
        if self.power == 2:
            return r2
        if self.power == 1:
            return np.sqrt(r2)
        return r2 ** (0.5 * self.power)

    def _power_derivative(self, r2: np.ndarray) -> np.ndarray:
        log = np.log(np.where(r2 > 0, r2, 1.0))
        return np.where(r2 > 0, self._power(r2) * 0.5 * log, 0.0)

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(), cls(power=2.0), cls(power=0.7)]


class NegativeDistance(_PowerOfDistance):
    """k = −‖x−y‖^p, 0 < p ≤ 2, the negative of a power of the distance.

    Parameters
    ----------
    power : float, default 1.0
        p, above 0 and at most 2.

    References
    ----------
    Schoenberg, "Metric spaces and positive definite functions", Transactions of the American
    Mathematical Society 44, 1938.

    Examples
    --------
    >>> from mercer import NegativeDistance
    >>> float(NegativeDistance()([[0.0, 0.0], [3.0, 4.0]])[0, 1])
    -5.0
    """

    definite = Definite(
        CPD,
        "Schoenberg: ‖x−y‖^p is conditionally negative definite for 0 < p ≤ 2",
        facts=(SEPARATES,),
        means=ENERGY,
    )

    def claim(self) -> Definite:
        if self.power < 2.0:
            return self.definite
        # −‖x−y‖² is 2⟨x, y⟩ up to terms that vanish where the mass is 0
        return dataclasses.replace(self.definite, means=finite("x"))

    def profile(self, r2: np.ndarray) -> np.ndarray:
        return -self._power(r2)

    def profile_derivative(self, r2: np.ndarray) -> np.ndarray:
        return -self._power_derivative(r2)

    def slope(self, r2: np.ndarray) -> np.ndarray:
        return self.power * self._power(r2) / r2


class LogDistance(_PowerOfDistance):
    """k = −log(1 + ‖x−y‖^p), 0 < p ≤ 2, the negative logarithm of a distance.

    Parameters
    ----------
    power : float, default 1.0
        p, above 0 and at most 2.

    References
    ----------
    Boughorbel, Tarel and Boujemaa, "Conditionally positive definite kernels for SVM based image
    recognition", ICME 2005.

    Examples
    --------
    >>> from mercer import LogDistance
    >>> round(float(LogDistance()([[0.0, 0.0], [3.0, 4.0]])[0, 1]), 4)
    -1.7918
    """

    definite = Definite(
        CPD,
        "Schoenberg: log(1 + ψ) of a conditionally negative definite ψ is one again",
        facts=(SEPARATES,),
        means=ENERGY,
    )

    def profile(self, r2: np.ndarray) -> np.ndarray:
        return -np.log1p(self._power(r2))

    def profile_derivative(self, r2: np.ndarray) -> np.ndarray:
        return -self._power_derivative(r2) / (1.0 + self._power(r2))

    def slope(self, r2: np.ndarray) -> np.ndarray:
        power = self._power(r2)
        return self.power * power / (r2 * (1.0 + power))


class Laplacian(Kernel, splits=product_form):
    """k(x, y) = exp(−Σ |x_j − y_j|/ℓ_j), a product of exponential kernels over the columns.

    Parameters
    ----------
    length_scale : float or array-like of shape (n_features,), default 1.0
        ℓ, one length scale for all columns or one per column.

    Examples
    --------
    >>> from mercer import Laplacian
    >>> Laplacian(length_scale=2.0)([[0.0, 0.0], [1.0, 1.0]]).round(4).tolist()
    [[1.0, 0.3679], [0.3679, 1.0]]
    """

    definite = Definite(
        STRICT,
        "Schoenberg: exp of minus Σ|x_j − y_j|/ℓ_j, a sum of conditionally negative distances "
        "that is 0 only at x = y",
        facts=(DIVISIBLE,),
        means=SPECTRUM,
    )
    invariance: ClassVar[str] = "translation"
    hints: ClassVar[dict[str, str]] = {"gamma": "write length_scale: length_scale = 1/gamma"}
    length_scale: LengthScale = param(default=1.0, check=positive_or_per_column, continuous=True)

    def prepare(self, batch: Batch) -> Prepared:
        samples = super().prepare(batch)
        check_per_column(self, "length_scale", self.length_scale, samples.n_features)
        return samples

    def _scaled(self, pair: Pair, out: np.ndarray | None = None) -> tuple[np.ndarray, float]:
        """A tile and a factor whose product is the scaled L1 distance."""
        if np.ndim(self.length_scale):
            return pair.l1(1.0 / np.asarray(self.length_scale, dtype=float), out), 1.0
        return pair.l1(np.ones(pair.x.n_features), out), float(1.0 / np.float64(self.length_scale))

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        tile, factor = self._scaled(pair, out)
        _compiled.profiles.exponential_down(tile, -factor, out)

    def diagonal(self, samples: Prepared) -> np.ndarray:
        return np.ones(len(samples))

    def single_tiles(self, centers: Prepared) -> SingleTiles | None:
        scale = 1.0 / np.asarray(self.length_scale, dtype=float)
        return vector_tiles(Formula("GAUSSIAN", "ABSOLUTES"), centers, scale, 1.0)

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        tile, factor = self._scaled(pair)
        value = np.exp(-factor * tile)
        if not np.ndim(self.length_scale):
            yield "length_scale", None, value * tile * factor * factor
            return
        for f, scale in enumerate(np.asarray(self.length_scale, dtype=float)):
            out = pair.squared_difference(f, np.empty(pair.shape))
            yield "length_scale", f, np.sqrt(out) * value / (scale * scale)

    def weighted_derivatives(self, pair: Pair, weights: np.ndarray) -> Iterator[WeightedSum]:
        """Yield the derivatives of Σ weights∘k; those in one length scale per column at once."""
        if not np.ndim(self.length_scale) or not isinstance(pair.x, VectorSamples):
            yield from super().weighted_derivatives(pair, weights)
            return
        values = pair.buffer()
        self.tile(pair, values)
        values *= weights
        sums = np.zeros(pair.x.n_features)
        _compiled.coordinates.distance_sums(*pair.coordinates(), values, sums)
        for f, value in enumerate(sums / np.asarray(self.length_scale, dtype=float) ** 2):
            yield "length_scale", f, float(value)

    def tile_input_gradients(self, pair: Pair, weights: np.ndarray) -> np.ndarray:
        tile, factor = self._scaled(pair)
        value = np.exp(-factor * tile)
        return -weighted_signs(pair, value, weights) / np.asarray(self.length_scale, dtype=float)
