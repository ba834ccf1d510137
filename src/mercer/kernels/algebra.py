"""The algebra in one place: what ``+ - * / ** @`` and the methods of a kernel build. Operands are copied."""

from __future__ import annotations

import math
from typing import Any

from mercer.aliases import Columns
from mercer.errors import ParameterError
from mercer.kernels.base import Kernel
from mercer.kernels.combine.feature_space import Centered, Normalized
from mercer.kernels.combine.maps import FUNCTIONS, On, Warp
from mercer.kernels.combine.sums import Exp, Power, Product, Scaled, Sum
from mercer.kernels.vectors.dot import Constant
from mercer.params import is_real

__all__: list[str] = []


def _kernel(value: Any) -> Kernel | None:
    """A copy of a kernel, or a constant from a number."""
    if isinstance(value, Kernel):
        return value.copy()
    if not is_real(value):
        return None
    return Constant(float(value)) if value >= 0 else Scaled(float(value), Constant(1.0))


def _flat(kind: type, *operands: Kernel) -> list[Kernel]:
    return [term for k in operands for term in (k.terms if type(k) is kind else [k])]  # type: ignore[attr-defined]


def add(left: Any, right: Any) -> Any:
    a, b = _kernel(left), _kernel(right)
    return NotImplemented if a is None or b is None else Sum(*_flat(Sum, a, b))


def subtract(left: Any, right: Any) -> Any:
    if is_real(right):
        return add(left, -1.0 * Constant(float(right))) if right >= 0 else add(left, -right)
    if not isinstance(right, Kernel):
        return NotImplemented
    if is_real(left) and left < 0:
        return add(-1.0 * Constant(-float(left)), multiply(-1.0, right))
    return add(left, multiply(-1.0, right))


def multiply(left: Any, right: Any) -> Any:
    if is_real(left) or is_real(right):
        factor, kernel = (left, right) if is_real(left) else (right, left)
        if not isinstance(kernel, Kernel):
            return NotImplemented
        kernel = kernel.copy()
        if isinstance(kernel, Scaled):
            return Scaled(float(factor) * float(kernel.factor), kernel.kernel)
        return Scaled(float(factor), kernel)
    a, b = _kernel(left), _kernel(right)
    if a is None or b is None:
        return NotImplemented
    # constants move to the front: (2 k1) k2 = 2 (k1 k2)
    factors = [float(k.factor) for k in (a, b) if isinstance(k, Scaled)]
    product = Product(*_flat(Product, *(k.kernel if isinstance(k, Scaled) else k for k in (a, b))))
    return Scaled(math.prod(factors), product) if factors else product


def divide(left: Kernel, right: Any) -> Any:
    if not is_real(right) or right == 0:
        raise ParameterError(
            "divisor",
            right,
            "must be a number other than 0",
            "a quotient of kernels is not a kernel",
        )
    return multiply(1.0 / float(right), left)


def power(kernel: Kernel, exponent: Any) -> Any:
    return Power(kernel.copy(), exponent)


def pull_back(kernel: Kernel, function: Any) -> Any:
    if isinstance(function, str) and function in FUNCTIONS:
        function = FUNCTIONS[function].function
    if isinstance(function, Kernel) or not callable(function):
        raise ParameterError(
            "@", function, "must be a function of a collection", "k @ f is the kernel k(f(x), f(y))"
        )
    return Warp(kernel.copy(), function)


def exponential(kernel: Kernel) -> Kernel:
    return Exp(kernel.copy())


def normalize(kernel: Kernel) -> Kernel:
    return Normalized(kernel.copy())


def center(kernel: Kernel) -> Kernel:
    return Centered(kernel.copy())


def on(kernel: Kernel, columns: Columns) -> Kernel:
    if hasattr(columns, "tolist"):  # an array, or an index of a data frame
        columns = columns.tolist()
    return On(kernel.copy(), columns)
