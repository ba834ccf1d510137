"""A kernel as a formula in LaTeX, with the numbers of its parameters."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from mercer.kernels.faces.formulas import AROUND, FORMULAS, PER_COLUMN, SYMBOLS, VARIANTS

if TYPE_CHECKING:
    from mercer.kernels.base import Kernel

__all__: list[str] = []

_SLOT = re.compile(r"<(\w+)>")
_MOST = 3  # columns, or numbers of a list, that are all shown
_SPECIAL = re.compile(r"([#$%&_{}])")


def latex(kernel: Kernel, x: str = "x", y: str = "y") -> str:
    """The value of a kernel at x and y as a formula, with the numbers of its parameters.

    Examples
    --------
    >>> from mercer import RBF, Linear
    >>> from mercer.kernels.faces.latex import latex
    >>> print(latex(0.5 * Linear() + RBF(length_scale=2.0)))
    0.5\\,\\langle x, y\\rangle + \\exp\\left(-\\frac{\\lVert x - y\\rVert^2}{2\\cdot 2^2}\\right)
    """
    kernel = _bare(kernel)
    name = type(kernel).__name__
    if name in _COMBINED:
        return _COMBINED[name](kernel, x, y)
    if name in AROUND:
        return _around(AROUND[name], kernel, x, y)
    return _leaf(kernel, x, y)


def symbolic(name: str) -> str | None:
    """The formula of a kernel with symbols for its parameters; None if there is none."""
    formula = FORMULAS.get(name) or AROUND.get(name)
    if formula is None:
        return None
    values = {"x": "x", "y": "y", "k": "k(x, y)", "kxx": "k(x, x)", "kyy": "k(y, y)"}
    values["kab"] = "k(a, b)"
    text = _SLOT.sub(lambda match: values.get(match[1], SYMBOLS.get(match[1], "?")), formula)
    # A symbol need not be said to be itself, nor be multiplied by a dot.
    return text.replace(r",\ \nu = \nu", "").replace(r"\cdot ", r"\,")


def _leaf(kernel: Kernel, x: str, y: str) -> str:
    """The formula of a kernel that has no kernels among its parameters, or its name."""
    name = type(kernel).__name__
    parameters = {each: getattr(kernel, each) for each in kernel._names}
    several = {each: value for each, value in parameters.items() if _is_several(value)}
    formula = VARIANTS.get((name, str(parameters.get("form"))), FORMULAS.get(name))
    if several.keys() & SYMBOLS.keys() and name in PER_COLUMN:
        formula = PER_COLUMN[name]
    if formula is None:
        own = repr(kernel).partition("(")[0]  # a function of the user has its own name
        return rf"\operatorname{{{_plain(own)}}}({x}, {y})"
    slots = {each: _number(value, each) for each, value in parameters.items()}
    ones = _without_ones(_fill(formula, {**slots, "x": "<x>", "y": "<y>"}))
    text = _fill(ones, {"x": x, "y": y})
    lists = [
        rf"\quad {SYMBOLS[each]} = {_numbers(value)}"
        for each, value in several.items()
        if each in SYMBOLS
    ]
    return ",".join([text, *lists])


def _around(formula: str, kernel: Kernel, x: str, y: str) -> str:
    """The formula of a function of one kernel."""
    child = kernel.children()[0]
    values = {"x": x, "y": y, "k": latex(child, x, y), "kab": latex(child, "a", "b")}
    values |= {"kxx": latex(child, x, x), "kyy": latex(child, y, y)}
    return _fill(formula, values)


def _fill(formula: str, values: dict[str, str]) -> str:
    return _SLOT.sub(lambda match: values[match[1]], formula)


_ONES = (  # factors, divisors and exponents that are 1, and terms that are 0
    (re.compile(r"\\cdot 1(\^2)?(?![\d.])"), ""),
    (re.compile(r"(?<![\d.\w])1(\\,|(?=\\sum|\\left|\\int))"), ""),
    (re.compile(r" \+ 0(?=\\right\))"), ""),
    (re.compile(r" \+ 0\\int .*$"), ""),
    (re.compile(r"(?<!=\d\})\^\{1\}"), ""),
    (re.compile(r"\\frac(\{(?:[^{}]|\{[^{}]*\})*\})\{1(\^2)?\}"), r"\1"),
    (re.compile(r"\)/1(?![\d.])"), ")"),
)


def _without_ones(text: str) -> str:
    """A formula without the numbers that change nothing, such as a length scale of 1."""
    for pattern, put in _ONES:
        text = pattern.sub(put, text)
    return text


# -- combinations ----------------------------------------------------------------------------------


def _bare(kernel: Any) -> Any:
    """The kernel without a factor of 1, such as that of the only kernel of a learned sum."""
    while type(kernel).__name__ == "Scaled" and _number(kernel.factor) == "1":
        kernel = kernel.kernel
    return kernel


def _inside(kernel: Kernel, x: str, y: str) -> str:
    """A factor of a product: in parentheses where it is a sum, or has conditions after a comma."""
    text = latex(kernel, x, y)
    is_sum = type(_bare(kernel)).__name__ in ("Sum", "Mixture", "PowerSeries")
    return rf"\left({text}\right)" if is_sum or r"\quad" in text else text


def _sum(kernel: Any, x: str, y: str) -> str:
    terms = [latex(term, x, y) for term in kernel.terms]
    return " + ".join(terms).replace("+ -", "- ")


def _product(kernel: Any, x: str, y: str) -> str:
    return r"\cdot ".join(_inside(term, x, y) for term in kernel.terms)


def _scaled(kernel: Any, x: str, y: str) -> str:
    return rf"{_number(kernel.factor)}\,{_inside(kernel.kernel, x, y)}"


def _power(kernel: Any, x: str, y: str) -> str:
    return rf"\left({latex(kernel.kernel, x, y)}\right)^{{{_number(kernel.exponent)}}}"


def _warp(kernel: Any, x: str, y: str) -> str:
    name = _name(kernel.function)
    return latex(kernel.kernel, f"{name}({x})", f"{name}({y})")


def _on(kernel: Any, x: str, y: str) -> str:
    columns = kernel.columns
    if isinstance(columns, slice):
        columns = [f"{columns.start or 0}:{columns.stop or ''}"]
    elif not _is_several(columns):
        columns = [columns]
    shown = [rf"\mathrm{{{_plain(column)}}}" for column in columns]
    if len(shown) > _MOST:
        shown = [shown[0], r"\dots", shown[-1]]
    index = ",".join(shown)
    return latex(kernel.kernel, f"{{{x}}}_{{{index}}}", f"{{{y}}}_{{{index}}}")


def _conformal(kernel: Any, x: str, y: str) -> str:
    name = _name(kernel.function)
    return rf"{name}({x})\,{_inside(kernel.kernel, x, y)}\,{name}({y})"


def _from_features(kernel: Any, x: str, y: str) -> str:
    name = _name(kernel.function)
    return rf"\langle {name}({x}), {name}({y})\rangle"


def _series(kernel: Any, x: str, y: str) -> str:
    return rf"\sum_n a_n \left({latex(kernel.kernel, x, y)}\right)^n"


def _mixture(kernel: Any, x: str, y: str) -> str:
    return rf"\sum_i w_i\,k_{{\theta_i}}({x}, {y})"


def _limit(kernel: Any, x: str, y: str) -> str:
    return rf"\lim_n k_n({x}, {y})"


_COMBINED: dict[str, Callable[[Any, str, str], str]] = {
    "Sum": _sum,
    "Product": _product,
    "Scaled": _scaled,
    "Power": _power,
    "Warp": _warp,
    "On": _on,
    "Conformal": _conformal,
    "FromFeatures": _from_features,
    "PowerSeries": _series,
    "Mixture": _mixture,
    "Limit": _limit,
}


# -- numbers and names -----------------------------------------------------------------------------


def _is_several(value: object) -> bool:
    return isinstance(value, (list, tuple, np.ndarray))


def _number(value: Any, name: str = "") -> str:
    """A number with four digits; a symbol for anything else."""
    is_number = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
    if not is_number:
        return SYMBOLS.get(name, rf"\mathrm{{{_plain(name)}}}")
    text = f"{value:.4g}"
    mantissa, mark, exponent = text.partition("e")
    if not mark:
        return text.replace("inf", r"\infty")
    return rf"{{{mantissa}\cdot 10^{{{int(exponent)}}}}}"


def _numbers(values: Any) -> str:
    """A list of numbers; the ends of a long one."""
    shown = [_number(value) for value in np.ravel(np.asarray(values, dtype=float))]
    if len(shown) > 2 * _MOST:
        shown = [*shown[:_MOST], r"\dots", shown[-1]]
    return "(" + r",\ ".join(shown) + ")"


def _name(function: object) -> str:
    """The name of a function, upright."""
    return rf"\mathrm{{{_plain(getattr(function, '__name__', 'f'))}}}"


def _plain(text: object) -> str:
    """A text without what LaTeX takes for commands."""
    return _SPECIAL.sub(r"\\\1", str(text).replace("\\", "").replace("<", "").replace(">", ""))
