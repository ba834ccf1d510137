"""The algebra of kernels: what the operators and methods of `Algebra` build from copies."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

from mercer.aliases import Columns
from mercer.errors import DomainMismatchError, ParameterError
from mercer.kernels.base import Kernel
from mercer.kernels.combine.columns import On
from mercer.kernels.combine.composite import Nary
from mercer.kernels.combine.feature_space import Centered, Normalized
from mercer.kernels.combine.maps import Warp
from mercer.kernels.combine.powers import Exp, Power
from mercer.kernels.combine.products import Product
from mercer.kernels.combine.sums import Scaled, Sum
from mercer.kernels.custom.foreign import is_foreign, refuse_mixture
from mercer.kernels.functions import FUNCTIONS
from mercer.kernels.operators import builds
from mercer.kernels.vectors.dot import Constant
from mercer.params import is_real

__all__: list[str] = []

Operand = Any  # a kernel or a number; for anything else an operator returns NotImplemented


def _kernel(value: Operand) -> Kernel | None:
    """A copy of a kernel, or a constant from a number."""
    if isinstance(value, Kernel):
        return value.copy()
    if not is_real(value):
        _refuse_foreign(value)
        return None
    if value < 0:
        return Scaled(float(value), Constant(1.0))
    return Constant(float(value))


def _refuse_foreign(value: object) -> None:
    """Refuse a kernel of scikit-learn, which would take ours for a constant."""
    if is_foreign(value):
        refuse_mixture(value)
        rule = "is a kernel of scikit-learn"
        remedy = "write mercer's in its place, or combine kernels of scikit-learn only"
        raise DomainMismatchError("operand", value, rule, remedy)


def _kernels(left: Operand, right: Operand) -> list[Kernel] | None:
    """Both operands as kernels; None if one of them cannot be."""
    first, second = _kernel(left), _kernel(right)
    if first is None or second is None:
        return None
    return [first, second]


def _flat(kind: type[Nary], operands: list[Kernel]) -> list[Kernel]:
    """The operands, with the terms of those that are of the kind themselves."""
    terms: list[Kernel] = []
    for operand in operands:
        if isinstance(operand, Nary) and type(operand) is kind:
            terms += operand.terms
        else:
            terms.append(operand)
    return terms


@builds("sum")
def add(left: Operand, right: Operand) -> Kernel:
    """k1 + k2; sums in it are merged into one."""
    operands = _kernels(left, right)
    if operands is None:
        return NotImplemented
    return Sum(*_flat(Sum, operands))


@builds("difference")
def subtract(left: Operand, right: Operand) -> Kernel:
    """k1 − k2, as a sum with a negative multiple."""
    if is_real(right):
        return add(left, _minus(right))
    if not isinstance(right, Kernel):
        _refuse_foreign(right)
        return NotImplemented
    if is_real(left) and left < 0:
        left = _minus(-left)
    return add(left, scale(-1.0, right))


def _minus(number: float) -> Kernel | float:
    """−c as an operand: a multiple of the constant c where that is positive."""
    if number < 0:
        return -number
    return Scaled(-1.0, Constant(float(number)))


def scale(factor: float, kernel: Operand) -> Kernel:
    """c · k; of a multiple the factors are multiplied."""
    if not isinstance(kernel, Kernel):
        return NotImplemented
    kernel = kernel.copy()
    if isinstance(kernel, Scaled):
        return Scaled(float(factor) * float(kernel.factor), kernel.kernel)
    return Scaled(float(factor), kernel)


@builds("product")
def multiply(left: Operand, right: Operand) -> Kernel:
    """k1 · k2; constants move to the front: (2 k1) k2 = 2 (k1 k2)."""
    if is_real(left):
        return scale(left, right)
    if is_real(right):
        return scale(right, left)
    operands = _kernels(left, right)
    if operands is None:
        return NotImplemented
    return _product(operands)


def _product(operands: list[Kernel]) -> Kernel:
    """The product of kernels, a multiple of one if some of them are multiples."""
    factors = [float(k.factor) for k in operands if isinstance(k, Scaled)]
    kernels = [k.kernel if isinstance(k, Scaled) else k for k in operands]
    product = Product(*_flat(Product, kernels))
    return Scaled(math.prod(factors), product) if factors else product


@builds("quotient")
def divide(left: Kernel, right: Operand) -> Kernel:
    """k/c."""
    if not is_real(right) or right == 0:
        remedy = "a quotient of kernels is not a kernel"
        raise ParameterError("divisor", right, "must be a number other than 0", remedy)
    return scale(1.0 / float(right), left)


@builds("pull-back")
def pull_back(kernel: Kernel, function: object) -> Kernel:
    """k(f(x), f(y)) for a function, or the name of a registered one."""
    if isinstance(function, str) and function in FUNCTIONS:
        function = FUNCTIONS[function].function
    if isinstance(function, Kernel) or not callable(function):
        rule = "must be a function of a collection"
        raise ParameterError("@", function, rule, "k @ f is the kernel k(f(x), f(y))")
    return Warp(kernel.copy(), function)


@builds("columns")
def on(kernel: Kernel, columns: Columns) -> Kernel:
    """k on some columns, which may be an array or an index of a data frame."""
    if hasattr(columns, "tolist"):
        columns = columns.tolist()
    return On(kernel.copy(), columns)


def _of_copy(kind: Callable[..., Kernel], kernel: Kernel, *args: float) -> Kernel:
    """A combination of one kernel, of which a copy is taken."""
    return kind(kernel.copy(), *args)


builds("power")(functools.partial(_of_copy, Power))
builds("exponential")(functools.partial(_of_copy, Exp))
builds("normalization")(functools.partial(_of_copy, Normalized))
builds("centering")(functools.partial(_of_copy, Centered))
