"""How much each score adds to the distance of two rows, for the kernels that are learned."""

from __future__ import annotations

import functools

import numpy as np

from mercer.kernels.base import Kernel
from mercer.kernels.combine.columns import On
from mercer.kernels.combine.linear_map import LinearMap
from mercer.kernels.combine.maps import Warp
from mercer.kernels.combine.sums import Scaled, Sum
from mercer.kernels.vectors.distance import Laplacian
from mercer.kernels.vectors.radial import RBF


def contributions(kernel: Kernel, Z: np.ndarray) -> np.ndarray:
    """The shares of the scores in the mean distance of two rows; they sum to 1."""
    shuffled = Z[np.random.default_rng(0).permutation(len(Z))]
    parts = np.maximum(_added(kernel, shuffled - Z), 0.0) + 1e-300
    return np.asarray(parts / parts.sum())


@functools.singledispatch
def _added(kernel: Kernel, steps: np.ndarray) -> np.ndarray:
    """What each score adds, in units of its length scale."""
    raise NotImplementedError(type(kernel).__name__)


@_added.register
def _(kernel: Laplacian, steps: np.ndarray) -> np.ndarray:
    return np.asarray((np.abs(steps) / np.asarray(kernel.length_scale)).mean(axis=0))


@_added.register
def _(kernel: RBF, steps: np.ndarray) -> np.ndarray:
    return np.asarray(((steps / np.asarray(kernel.length_scale)) ** 2).mean(axis=0))


@_added.register
def _(kernel: Warp, steps: np.ndarray) -> np.ndarray:
    """For a linear map A it is x_j (AᵀA x)_j: products of two scores count half for each."""
    assert isinstance(kernel.function, LinearMap)
    A = kernel.function.matrix
    return np.asarray((steps * (steps @ A.T @ A)).mean(axis=0))


@_added.register
def _(kernel: On, steps: np.ndarray) -> np.ndarray:
    added = np.zeros(steps.shape[1])
    places = kernel.listed()
    added[places] = _added(kernel.kernel, steps[:, places])
    return added


@_added.register
def _(kernel: Scaled, steps: np.ndarray) -> np.ndarray:
    return float(kernel.factor) * _added(kernel.kernel, steps)


@_added.register
def _(kernel: Sum, steps: np.ndarray) -> np.ndarray:
    return np.asarray(np.sum([_added(term, steps) for term in kernel.children()], axis=0))
