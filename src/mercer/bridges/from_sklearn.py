"""Kernels of scikit-learn's Gaussian processes translated into mercer kernels, so that an existing
program runs at mercer's speed.
"""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

import numpy as np
import sklearn.gaussian_process.kernels as sk

from mercer.aliases import Index
from mercer.kernels.base import Kernel
from mercer.kernels.combine.powers import Power
from mercer.kernels.combine.products import Product
from mercer.kernels.combine.sums import Scaled, Sum
from mercer.kernels.vectors.coordinate import Periodic
from mercer.kernels.vectors.dot import Constant, Linear, White
from mercer.kernels.vectors.gaussian_mixtures import Matern, RationalQuadratic
from mercer.kernels.vectors.radial import RBF

# scikit-learn's name of a parameter: mercer's name, and d log(mercer's parameter)/dθ
_Names = dict[str, tuple[str, float]]
_LENGTH_SCALE: _Names = {"length_scale": ("length_scale", 1.0)}


class Place(NamedTuple):
    """Where one of scikit-learn's logarithms θ is found in a mercer kernel."""

    name: str  # the parameter
    position: int | None  # inside an array; None for a single number
    power: float  # d log(parameter)/dθ


@dataclasses.dataclass
class Translation:
    """A mercer kernel, and the places of scikit-learn's logarithms θ in it, in their order."""

    kernel: Kernel
    places: list[Place]

    def places_under(self, name: str) -> list[Place]:
        """The places in a kernel that has this one as its parameter ``name``."""
        return [place._replace(name=f"{name}__{place.name}") for place in self.places]

    def gradient(self, derivatives: dict[str, Any]) -> np.ndarray:
        """Derivatives by mercer's names as derivatives in θ."""
        values = self.kernel.continuous_params()
        gradient = []
        for name, position, power in self.places:
            slope = entry(values[name], position) * entry(derivatives[name], position)
            gradient.append(power * slope)
        return np.array(gradient)


def entry(parameter: float | np.ndarray, position: Index) -> float:
    """One number of a parameter; the position is None where the parameter is one number."""
    if position is None:
        return float(parameter)
    return float(np.asarray(parameter)[position])


def translate(kernel: sk.Kernel, n_columns: int) -> Translation | None:
    """The same function of samples with so many columns; None where mercer does not have it."""
    match type(kernel):
        case sk.Sum:
            return _combined(Sum, kernel, n_columns)
        case sk.Product:
            return _combined(Product, kernel, n_columns)
        case sk.Exponentiation:
            return _power(kernel, n_columns)
    simple = _simple(kernel, n_columns)
    if simple is None:
        return None
    translated, names = simple
    return Translation(translated, _places(kernel, names))


def _combined(
    kind: type[Sum] | type[Product], kernel: sk.KernelOperator, n_columns: int
) -> Translation | None:
    first = translate(kernel.k1, n_columns)
    second = translate(kernel.k2, n_columns)
    if first is None or second is None:
        return None
    places = first.places_under("k1") + second.places_under("k2")
    return Translation(kind(first.kernel, second.kernel), places)


def _power(kernel: sk.Exponentiation, n_columns: int) -> Translation | None:
    inner = translate(kernel.kernel, n_columns)
    whole = kernel.exponent >= 1 and float(kernel.exponent).is_integer()
    if inner is None or not whole:
        return None
    return Translation(Power(inner.kernel, kernel.exponent), inner.places_under("kernel"))


def _places(kernel: sk.Kernel, names: _Names) -> list[Place]:
    places = []
    for parameter in kernel.hyperparameters:
        if not parameter.fixed:
            name, power = names[parameter.name]
            several = range(parameter.n_elements) if parameter.n_elements > 1 else [None]
            places += [Place(name, position, power) for position in several]
    return places


def _simple(kernel: sk.Kernel, n_columns: int) -> tuple[Kernel, _Names] | None:
    """The mercer kernel, and the names of its parameters."""
    scales = np.array(getattr(kernel, "length_scale", 1.0), dtype=float)
    # for scikit-learn a list of one is a number, however many columns there are
    scale = float(scales.item()) if scales.size == 1 else scales
    match type(kernel):
        case sk.ConstantKernel:
            return Constant(float(kernel.constant_value)), {"constant_value": ("c", 1.0)}
        case sk.WhiteKernel:
            return Scaled(float(kernel.noise_level), White()), {"noise_level": ("factor", 1.0)}
        case sk.DotProduct:
            offset = Constant(float(kernel.sigma_0) ** 2)
            return Sum(offset, Linear()), {"sigma_0": ("k1__c", 2.0)}
        case sk.Matern if kernel.nu != np.inf:
            return Matern(nu=float(kernel.nu), length_scale=scale), _LENGTH_SCALE
        case sk.RBF | sk.Matern:
            return RBF(length_scale=scale), _LENGTH_SCALE
        case sk.RationalQuadratic:
            rational = RationalQuadratic(length_scale=scale, alpha=float(kernel.alpha))
            return rational, {**_LENGTH_SCALE, "alpha": ("alpha", 1.0)}
        # scikit-learn's is a function of the distance, mercer's of every column
        case sk.ExpSineSquared if n_columns == 1:
            periodic = Periodic(period=float(kernel.periodicity), length_scale=scale)
            return periodic, {**_LENGTH_SCALE, "periodicity": ("period", 1.0)}
    return None
