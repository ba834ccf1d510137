"""Kernels of scikit-learn's Gaussian processes said with ours, so that an existing program runs at our speed."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import sklearn.gaussian_process.kernels as theirs

from mercer.aliases import Index
from mercer.kernels.base import Kernel
from mercer.kernels.combine.powers import Power
from mercer.kernels.combine.products import Product
from mercer.kernels.combine.sums import Scaled, Sum
from mercer.kernels.vectors.coordinate import Periodic
from mercer.kernels.vectors.dot import Constant, Linear, White
from mercer.kernels.vectors.matern import Matern
from mercer.kernels.vectors.radial import RBF, RationalQuadratic


@dataclasses.dataclass
class Term:
    """One of our kernels, and where each of their logarithms θ is found in it, in their order."""

    kernel: Kernel
    places: list[
        tuple[str, int | None, float]
    ]  # our name, position inside an array, d log ours / dθ

    def under(self, name: str) -> list[tuple[str, int | None, float]]:
        return [(f"{name}__{inner}", at, power) for inner, at, power in self.places]

    def slope(self, gradient: dict[str, Any]) -> np.ndarray:
        """Derivatives by our names as derivatives in their θ."""
        known = self.kernel.continuous_params()
        made = []
        for name, at, power in self.places:
            index: Index = () if at is None else at
            made.append(
                power
                * float(
                    np.asarray(known[name], dtype=float)[index] * np.asarray(gradient[name])[index]
                )
            )
        return np.array(made)


def translate(kernel: theirs.Kernel, width: int) -> Term | None:
    """The same function of samples with so many columns; None where we have no word for it."""
    if isinstance(kernel, theirs.KernelOperator):
        parts = [translate(kernel.k1, width), translate(kernel.k2, width)]
        kind = {theirs.Sum: Sum, theirs.Product: Product}.get(type(kernel))
        if kind is None or parts[0] is None or parts[1] is None:
            return None
        return Term(
            kind(parts[0].kernel, parts[1].kernel), parts[0].under("k1") + parts[1].under("k2")
        )
    if type(kernel) is theirs.Exponentiation:
        inner = translate(kernel.kernel, width)
        whole = inner is not None and kernel.exponent >= 1 and float(kernel.exponent).is_integer()
        return (
            Term(Power(inner.kernel, kernel.exponent), inner.under("kernel"))
            if inner is not None and whole
            else None
        )
    return _leaf(kernel, width)


def _leaf(kernel: theirs.Kernel, width: int) -> Term | None:
    scales = np.array(getattr(kernel, "length_scale", 1.0), dtype=float)
    scale = (
        float(scales.item()) if scales.size == 1 else scales
    )  # one in a list is for them a number, whatever the width
    names: dict[str, tuple[str, float]] = {"length_scale": ("length_scale", 1.0)}
    made: Kernel
    match type(kernel):
        case theirs.ConstantKernel:
            made, names = Constant(float(kernel.constant_value)), {"constant_value": ("c", 1.0)}
        case theirs.WhiteKernel:
            made, names = (
                Scaled(float(kernel.noise_level), White()),
                {"noise_level": ("factor", 1.0)},
            )
        case theirs.RBF:
            made = RBF(length_scale=scale)
        case theirs.Matern:
            made = (
                RBF(length_scale=scale)
                if kernel.nu == np.inf
                else Matern(nu=float(kernel.nu), length_scale=scale)
            )
        case theirs.RationalQuadratic:
            made = RationalQuadratic(length_scale=scale, alpha=float(kernel.alpha))
            names["alpha"] = ("alpha", 1.0)
        case theirs.ExpSineSquared if width == 1:  # of a distance, where ours is of every column
            made = Periodic(period=float(kernel.periodicity), length_scale=scale)
            names["periodicity"] = ("period", 1.0)
        case theirs.DotProduct:
            made, names = (
                Sum(Constant(float(kernel.sigma_0) ** 2), Linear()),
                {"sigma_0": ("k1__c", 2.0)},
            )
        case _:
            return None
    places: list[tuple[str, int | None, float]] = []
    for parameter in kernel.hyperparameters:
        if not parameter.fixed:
            name, power = names[parameter.name]
            several = parameter.n_elements > 1
            places += [(name, at if several else None, power) for at in range(parameter.n_elements)]
    return Term(made, places)
