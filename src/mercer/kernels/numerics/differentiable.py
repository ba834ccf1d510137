"""Derivatives of a kernel: in its parameters, and in its first argument."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np
from numpy.typing import ArrayLike

from mercer import _compiled
from mercer.aliases import RawSamples
from mercer.errors import NotDifferentiableError
from mercer.gram.tile import Pair
from mercer.kernels.numerics import derivatives

if TYPE_CHECKING:
    from mercer.kernels.base import Derivative, Kernel, WeightedSum

__all__: list[str] = []


class Differentiable:
    """The gradients of weighted sums of a kernel, from the derivatives of its tiles."""

    _continuous: ClassVar[tuple[str, ...]]

    def gradient(self, X: RawSamples, W: ArrayLike, Y: RawSamples = None) -> dict[str, Any]:
        """d/dθ of Σ W_ij k(x_i, y_j) for every continuous parameter θ, by nested name.

        Parameters
        ----------
        X : collection of n samples
            The samples x.
        W : array_like of shape (n, m)
            The weights.
        Y : collection of m samples, optional
            The samples y; those of X by default.

        Returns
        -------
        dict
            A number, or an array shaped like the parameter, for each parameter.

        Examples
        --------
        >>> import numpy as np
        >>> from mercer import RBF
        >>> gradient = RBF(length_scale=2.0).gradient([[0.0], [2.0]], np.ones((2, 2)))
        >>> gradient["length_scale"].round(4)
        np.float64(0.6065)
        """
        return derivatives.gradient(cast("Kernel", self), X, W, Y)

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        """Yield dk/dθ of one tile for every continuous θ; each is valid until the next."""
        if self._continuous:
            raise NotDifferentiableError("gradient", self, "is not defined for this kernel")
        return iter(())

    def weighted_derivatives(self, pair: Pair, weights: np.ndarray) -> Iterator[WeightedSum]:
        """Yield d/dθ of Σ weights∘k over one tile; kernels may know a shorter way than by tiles."""
        total = _compiled.storage.weighted_sum
        for name, place, tile in self.tile_derivatives(pair):
            yield name, place, total(weights, np.ascontiguousarray(tile))

    def input_gradient(self, X: RawSamples, W: ArrayLike, Y: RawSamples = None) -> np.ndarray:
        """d/dx_i of Σ_j W_ij k(x_i, y_j) for every row x_i of numbers.

        The samples y stay where they are, those of X too. With W_ij = a_j it is the gradient of
        f(x) = Σ_j a_j k(x, y_j) at every x_i. A sample y_j = x_i adds nothing where the kernel has
        no derivative, as the exponential kernel at distance 0.

        Parameters
        ----------
        X : array-like of shape (n, d)
            The rows x.
        W : array_like of shape (n, m), or (m,) for the same weights in all rows
            The weights.
        Y : array-like of shape (m, d), optional
            The rows y; those of X by default.

        Returns
        -------
        ndarray of shape (n, d)
            One gradient per row of X.

        Examples
        --------
        >>> from mercer import RBF
        >>> RBF().input_gradient([[1.0]], [1.0], [[0.0]]).round(4)
        array([[-0.6065]])
        """
        return derivatives.input_gradient(cast("Kernel", self), X, W, Y)

    def tile_input_gradients(self, pair: Pair, weights: np.ndarray) -> np.ndarray:
        """The gradients in x of Σ_j weights_ij k(x_i, y_j) over one tile, of several functions.

        ``weights`` has the shape (functions, rows, columns), or (functions, 1, columns) where all
        rows have the same; the result has the shape (functions, rows, features).
        """
        remedy = "take a radial kernel, Laplacian(), or sums and products of them"
        raise NotDifferentiableError("input_gradient", self, "has no derivative in x", remedy)

    def continuous_params(self) -> dict[str, Any]:
        """The parameters that `gradient` differentiates, in its order, by nested name."""
        params = {}
        for name in self._continuous:
            params[name] = getattr(self, name)
        return params
