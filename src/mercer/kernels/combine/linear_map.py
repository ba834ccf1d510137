"""Linear maps of rows of numbers, such as a learned metric."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from mercer.aliases import RawSamples
from mercer.domains.raw import dense_numbers
from mercer.errors import NotSeparableError, ParameterError, WidthError
from mercer.kernels.functions import MAKERS
from mercer.kernels.parameters import show_map, show_value
from mercer.kernels.separable.terms import Columns, Separation
from mercer.state import State, storable

__all__: list[str] = []


@storable
class LinearMap:
    """x ↦ A x for every row x; of a vector a, the products x_j a_j."""

    stored: ClassVar[State] = State(finite=("matrix",))

    def __init__(self, matrix: np.ndarray) -> None:
        self.matrix = matrix

    @property
    def __name__(self) -> str:
        return "linear_map"

    @property
    def injective(self) -> bool:
        """Whether the columns of A are linearly independent, beyond rounding errors."""
        if self.matrix.ndim == 1:
            return bool((self.matrix != 0).all())
        return int(np.linalg.matrix_rank(self.matrix)) == self.matrix.shape[1]

    def __call__(self, X: RawSamples) -> np.ndarray:
        x = dense_numbers(X)
        if x.ndim != 2 or x.shape[1] != self.matrix.shape[-1]:
            rule = f"must have the {self.matrix.shape[-1]} columns of the linear map"
            raise WidthError("X", f"array of shape {x.shape}", rule)
        return x * self.matrix if self.matrix.ndim == 1 else x @ self.matrix.T

    def pull_back(self, gradients: np.ndarray) -> np.ndarray:
        """Gradients in A x as gradients in x, along the last axis."""
        return gradients * self.matrix if self.matrix.ndim == 1 else gradients @ self.matrix

    def separated(self, warp: Any, columns: Columns) -> Separation:
        """The form of a kernel of images that are multiples of single columns."""
        if self.matrix.ndim > 1:
            rule = "mixes the columns"
            raise NotSeparableError("linear_map", warp, rule, "explain it by sampling")
        inner = warp.kernel.separation(range(len(columns)))
        return inner.mapped(lambda factor: type(warp)(factor, self))

    def __repr__(self) -> str:
        numbers = show_value(self.matrix)
        if numbers.startswith("<"):  # too many of them
            return show_map(self, "linear_map")
        return f"linear_map({numbers})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LinearMap) and np.array_equal(self.matrix, other.matrix)

    def __hash__(self) -> int:
        return hash((LinearMap, self.matrix.shape, self.matrix.tobytes()))


@show_value.register
def _(value: LinearMap) -> str:
    return repr(value)


def linear_map(matrix: ArrayLike) -> LinearMap:
    """The map x ↦ A x of rows of numbers, for pull-backs: ``kernel @ linear_map(A)``.

    Parameters
    ----------
    matrix : array-like of shape (n_outputs, n_features) or (n_features,)
        The matrix A; a vector multiplies every column by one number.

    Returns
    -------
    callable
        The map. A pull-back by it stays strictly positive definite if the columns of A are
        linearly independent.

    Examples
    --------
    >>> from mercer import RBF, linear_map
    >>> k = RBF() @ linear_map([[1.0, 1.0]])
    >>> k([[1.0, 2.0]], [[2.0, 1.0]]).tolist()
    [[1.0]]
    >>> k.certificate().status
    'psd'
    """
    try:
        array = np.array(matrix, dtype=float)
    except (TypeError, ValueError):
        raise ParameterError("matrix", matrix, "must be a matrix of numbers") from None
    if array.ndim not in (1, 2) or array.size == 0 or not np.isfinite(array).all():
        raise ParameterError("matrix", matrix, "must be a matrix, or a vector, of finite numbers")
    array.setflags(write=False)
    return LinearMap(array)


MAKERS["linear_map"] = linear_map
