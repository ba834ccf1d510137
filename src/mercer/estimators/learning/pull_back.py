"""Kernels of rescaled columns, written with a length scale per column where that can be."""

from __future__ import annotations

import functools

import numpy as np

from mercer.kernels.base import Kernel
from mercer.kernels.combine.linear_map import linear_map
from mercer.kernels.combine.products import Product
from mercer.kernels.combine.sums import Scaled, Sum
from mercer.kernels.vectors.distance import Laplacian
from mercer.kernels.vectors.dot import Constant, White
from mercer.kernels.vectors.radial import ScaledDistance
from mercer.params import positive_or_per_column


def has_scale_per_column(kernel: Kernel) -> bool:
    """Whether a kernel divides every column by a length scale of its own."""
    if not isinstance(kernel, (ScaledDistance, Laplacian)):
        return False
    return kernel.constraint("length_scale") is positive_or_per_column


def pull_back(kernel: Kernel, metric: np.ndarray) -> Kernel:
    """k(W^½x, W^½y) for a diagonal W, given as a vector, or a matrix."""
    if metric.ndim == 2:
        return kernel @ linear_map(matrix_power(metric, 0.5))
    factors = np.sqrt(metric)
    return rescaled(kernel, factors) or kernel @ linear_map(factors)


def matrix_power(matrix: np.ndarray, power: float) -> np.ndarray:
    """A power of a positive semi-definite matrix; eigenvalues within rounding errors of 0 are 0."""
    values, Q = np.linalg.eigh(matrix)
    floor = len(values) * np.finfo(float).eps * float(np.abs(values).max())
    powers = np.where(values > floor, np.maximum(values, 0.0) ** power, 0.0)
    return (Q * powers) @ Q.T


@functools.singledispatch
def rescaled(kernel: Kernel, factors: np.ndarray) -> Kernel | None:
    """k(x∘factors, y∘factors) with a length scale per column; None if it has no such form."""
    if not has_scale_per_column(kernel):
        return None
    copy = kernel.copy()
    scale = np.asarray(kernel.length_scale, dtype=float)
    return copy.set_params(length_scale=scale / factors)


@rescaled.register(Constant)
@rescaled.register(White)
def _of_constant(kernel: Constant | White, factors: np.ndarray) -> Kernel:
    return kernel.copy()


@rescaled.register(Sum)
@rescaled.register(Product)
@rescaled.register(Scaled)
def _of_parts(kernel: Kernel, factors: np.ndarray) -> Kernel | None:
    parts = {name: rescaled(child, factors) for name, child in kernel.named_children().items()}
    if None in parts.values():
        return None
    return kernel.copy().set_params(**parts)
