"""The operators of kernels: ``+ - * / ** @`` and the methods that build other kernels.

What each of them builds is registered by `mercer.kernels.algebra`, which knows sums, products and
the other combinations; the classes of those inherit the operators from here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from mercer.aliases import Columns
from mercer.kernels.functions import SampleFunction

if TYPE_CHECKING:
    from mercer.kernels.base import Kernel

__all__: list[str] = []

Builder = Callable[..., Any]

_BUILDERS: dict[str, Builder] = {}


def builds(operation: str) -> Callable[[Builder], Builder]:
    """Register the decorated function as the one that builds the result of an operation."""

    def register(builder: Builder) -> Builder:
        _BUILDERS[operation] = builder
        return builder

    return register


class Algebra:
    """The operators and methods that build kernels from kernels; operands are copied."""

    __array_ufunc__ = None  # so that numpy_scalar * kernel reaches __rmul__

    def __add__(self, other: Kernel | float) -> Kernel:
        """k1 + k2, or k1 + c."""
        return _BUILDERS["sum"](self, other)

    def __radd__(self, other: float) -> Kernel:
        """c + k."""
        return _BUILDERS["sum"](other, self)

    def __sub__(self, other: Kernel | float) -> Kernel:
        """k1 − k2, or k1 − c."""
        return _BUILDERS["difference"](self, other)

    def __rsub__(self, other: float) -> Kernel:
        """c − k."""
        return _BUILDERS["difference"](other, self)

    def __neg__(self) -> Kernel:
        """−k."""
        return _BUILDERS["product"](-1.0, self)

    def __mul__(self, other: Kernel | float) -> Kernel:
        """k1 · k2, or c · k1."""
        return _BUILDERS["product"](self, other)

    def __rmul__(self, other: float) -> Kernel:
        """c · k."""
        return _BUILDERS["product"](other, self)

    def __truediv__(self, other: float) -> Kernel:
        """k/c."""
        return _BUILDERS["quotient"](self, other)

    def __pow__(self, exponent: float) -> Kernel:
        """k ** p."""
        return _BUILDERS["power"](self, exponent)

    def __matmul__(self, function: SampleFunction | str) -> Kernel:
        """k(f(x), f(y)), for a function of samples or the name of a registered one."""
        return _BUILDERS["pull-back"](self, function)

    def exp(self) -> Kernel:
        """exp(k): psd for psd and conditionally psd k."""
        return _BUILDERS["exponential"](self)

    def normalize(self) -> Kernel:
        """k(x,y)/√(k(x,x) k(y,y))."""
        return _BUILDERS["normalization"](self)

    def center(self) -> Kernel:
        """Centered in feature space on the data given to ``fit``."""
        return _BUILDERS["centering"](self)

    def on(self, columns: Columns) -> Kernel:
        """The kernel on some columns only."""
        return _BUILDERS["columns"](self, columns)
