"""Kernels as text: `parse` reads what ``repr`` prints. A small reader over Python's syntax tree, never ``eval``."""

from __future__ import annotations

import ast
import difflib
import math
from fractions import Fraction
from typing import Any

import numpy as np

from mercer.errors import MercerError, ParseError
from mercer.kernels.base import REGISTRY, Kernel

__all__: list[str] = []

_LONGEST = 20_000
_DEEPEST = 100
_LONGEST_CHAIN = 2000
_METHODS = frozenset({"exp", "normalize", "center", "on"})
_ALIASES = {"Gaussian": "RBF", "SameHoles": "SharedMissingness"}
_THEIRS = (
    "linear",
    "poly",
    "rbf",
    "laplacian",
    "sigmoid",
    "cosine",
    "chi2",
    "precomputed",
)  # which estimators read before they parse
_NUMBERS = {"inf": math.inf, "True": True, "False": False, "None": None}


def _nearest(name: str, known: list[str]) -> str:
    """The known name that was probably meant, whatever the case of its letters."""
    plain = {one.lower().removesuffix("()"): one for one in known}
    found = difflib.get_close_matches(name.lower(), plain, n=1, cutoff=0.7)
    return f"did you mean {plain[found[0]]}?" if found else ""


def show_value(value: Any) -> str:
    """A parameter as text that `parse` reads back."""
    if isinstance(value, np.ndarray):
        return repr(value.tolist()) if value.size <= 64 else f"<array of shape {value.shape}>"
    if isinstance(value, Fraction):
        return repr(float(value))
    if isinstance(value, np.generic):
        return repr(value.item())
    if isinstance(value, (list, tuple)) and len(value) > 64:
        return f"<{type(value).__name__} of length {len(value)}>"
    if isinstance(value, slice):
        return "slice(" + ", ".join(map(show_value, (value.start, value.stop, value.step))) + ")"
    if isinstance(value, (list, tuple)):
        inner = ", ".join(map(show_value, value))
        return (
            f"[{inner}]"
            if isinstance(value, list)
            else f"({inner}{',' if len(value) == 1 else ''})"
        )
    if callable(value) and not isinstance(value, Kernel):
        from mercer.kernels.combine.maps import FUNCTIONS, describe
        from mercer.kernels.combine.series import InverseRoot

        if isinstance(value, InverseRoot):
            return f"inverse_root({show_value(value.theta)})"

        name = describe(value).name
        return name if name in FUNCTIONS and FUNCTIONS[name].function is value else f"<{name}>"
    return repr(value)


def parse(text: str, names: dict[str, Any] | None = None) -> Kernel:
    """Read a kernel expression; ``names`` adds kernels, kernel classes or functions to the known ones.

    >>> import mercer
    >>> mercer.parse("0.5 * RBF(length_scale=2.0) + Polynomial(degree=3) * Linear()")
    0.5 * RBF(length_scale=2.0) + Polynomial(degree=3) * Linear()
    >>> mercer.parse("__import__('os').system('ls')")
    Traceback (most recent call last):
    ...
    mercer.errors.ParseError: expression = "__import__('os').system" cannot be called; methods of a kernel are center, exp, normalize, on
    """
    if not isinstance(text, str):
        raise ParseError("expression", text, "must be text")
    if len(text) > _LONGEST:
        raise ParseError("expression", f"{len(text)} characters", f"is longer than {_LONGEST}")
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ParseError(
            "expression", text, f"cannot be read: {getattr(error, 'msg', error)}"
        ) from None
    try:
        made = _Reader(names or {}).read(tree.body, 0)
    except ParseError:
        raise
    except (MercerError, TypeError, OverflowError, ZeroDivisionError) as error:
        if isinstance(error, MercerError):
            raise
        raise ParseError("expression", text, f"is not a kernel: {error}") from None
    if not isinstance(made, Kernel):
        raise ParseError(
            "expression", text, "is not a kernel", "write, for example, 2.0 * RBF() + Linear()"
        )
    return made


def _text(node: ast.expr) -> str:
    """A part of the expression, for a message."""
    try:
        return ast.unparse(node)[:80]
    except RecursionError:
        return "..."


class _Reader:
    """Walks the tree; whatever is not listed here is refused."""

    def __init__(self, names: dict[str, Any]) -> None:
        self.names = names

    def read(self, node: ast.expr, depth: int) -> Any:
        if depth > _DEEPEST:
            raise ParseError("expression", f"{depth} levels", f"is nested deeper than {_DEEPEST}")
        below = depth + 1
        match node:
            case ast.Constant(value=None | bool() | int() | float() | str()):
                return self._constant(node.value)
            case ast.Name():
                return self._name(node)
            case ast.List() | ast.Tuple():
                values = [self.read(e, below) for e in node.elts]
                return tuple(values) if isinstance(node, ast.Tuple) else values
            case ast.UnaryOp(op=ast.USub() | ast.UAdd()):
                value = self.read(node.operand, below)
                self._arithmetic(node, value)
                return -value if isinstance(node.op, ast.USub) else value
            case ast.BinOp():
                return self._chain(node, below)
            case ast.Call(func=ast.Name()):
                return self._call(node, below)
            case ast.Call(func=ast.Attribute()):
                return self._method(node, below)
        raise ParseError("expression", _text(node), "is not part of the kernel language")

    def _chain(self, node: ast.BinOp, below: int) -> Any:
        """a + b + c + ...: a long sum is deep as a tree but not as an expression, so the left arm is walked in a loop."""
        arms = [node]
        while isinstance(arms[-1].left, ast.BinOp) and not isinstance(arms[-1].left.op, ast.Pow):
            arms.append(arms[-1].left)
            if len(arms) > _LONGEST_CHAIN:
                raise ParseError(
                    "expression", f"{len(arms)} terms", f"has more than {_LONGEST_CHAIN}"
                )
        if sum(isinstance(arm.op, ast.MatMult) for arm in arms) > _DEEPEST:
            raise ParseError("expression", "k @ f @ g @ ...", f"is nested deeper than {_DEEPEST}")
        value = self.read(arms[-1].left, below)
        for arm in reversed(arms):
            value = self._binary(arm, value, self.read(arm.right, below))
        return value

    def _constant(self, value: Any) -> Any:
        if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 64:
            raise ParseError("number", "more than 64 bits", "is too large")
        return value

    def _name(self, node: ast.Name) -> Any:
        from mercer.kernels.combine.maps import FUNCTIONS

        if node.id in self.names:
            found = self.names[node.id]
            return found.copy() if isinstance(found, Kernel) else found
        if node.id in _NUMBERS:
            return _NUMBERS[node.id]
        if node.id in FUNCTIONS:
            return FUNCTIONS[node.id].function
        if node.id in CUSTOM:
            return CUSTOM[node.id].copy()
        if node.id in REGISTRY:
            raise ParseError("expression", node.id, "is a kernel class", f"write {node.id}()")
        near = _nearest(
            node.id,
            [*self.names, *FUNCTIONS, *CUSTOM, *_THEIRS, *(f"{name}()" for name in REGISTRY)],
        )
        raise ParseError(
            "expression",
            node.id,
            "is not a known name",
            near or "register a function with mercer.register_function",
        )

    @staticmethod
    def _arithmetic(node: ast.expr, *values: Any) -> None:
        for value in values:
            if not isinstance(value, (Kernel, int, float)) or isinstance(value, bool):
                raise ParseError(
                    "expression",
                    _text(node),
                    "does arithmetic with something that is no kernel and no number",
                )

    def _binary(self, node: ast.BinOp, left: Any, right: Any) -> Any:
        if isinstance(node.op, ast.MatMult):
            if (
                isinstance(left, Kernel)
                and callable(right)
                and not isinstance(right, (Kernel, type))
            ):
                return left @ right
            raise ParseError("expression", _text(node), "must be kernel @ function")
        self._arithmetic(node, left, right)
        match node.op:
            case ast.Add():
                return left + right
            case ast.Sub():
                return left - right
            case ast.Mult():
                return left * right
            case ast.Div():
                return left / right
            case ast.Pow() if isinstance(left, Kernel) and not isinstance(right, Kernel):
                return left**right
        raise ParseError(
            "expression",
            _text(node),
            "uses an operator that kernels do not have",
            "use + - * / ** @",
        )

    def _arguments(self, node: ast.Call, below: int) -> tuple[list[Any], dict[str, Any]]:
        if any(isinstance(a, ast.Starred) for a in node.args) or any(
            k.arg is None for k in node.keywords
        ):
            raise ParseError("expression", _text(node), "uses * or **, which is not allowed")
        repeated = {
            k.arg for k in node.keywords if [other.arg for other in node.keywords].count(k.arg) > 1
        }
        if repeated:
            raise ParseError("expression", sorted(map(str, repeated)), "is given twice")
        return [self.read(a, below) for a in node.args], {
            str(k.arg): self.read(k.value, below) for k in node.keywords
        }

    def _call(self, node: ast.Call, below: int) -> Any:
        name = node.func.id  # type: ignore[attr-defined]
        args, named = self._arguments(node, below)
        if (
            name == "slice"
            and not named
            and all(a is None or isinstance(a, int) for a in args)
            and 1 <= len(args) <= 3
        ):
            return slice(*args)
        if (
            name == "inverse_root"
            and not named
            and len(args) == 1
            and isinstance(args[0], (int, float))
        ):
            from mercer.kernels.combine.series import inverse_root

            return inverse_root(args[0])
        made = self.names.get(name) or REGISTRY.get(_ALIASES.get(name, name)) or CUSTOM.get(name)
        if isinstance(made, Kernel) and not args:
            return made.copy().set_params(**named)
        if not (isinstance(made, type) and issubclass(made, Kernel)):
            near = _nearest(name, [*self.names, *REGISTRY, *CUSTOM])
            raise ParseError(
                "expression",
                name,
                "is not a known kernel",
                near or "`mercer kernels` lists them all",
            )
        return made(*args, **named)

    def _method(self, node: ast.Call, below: int) -> Any:
        attribute = node.func
        if attribute.attr not in _METHODS:  # type: ignore[attr-defined]
            listed = ", ".join(sorted(_METHODS))
            raise ParseError(
                "expression",
                _text(attribute),
                "cannot be called",
                f"methods of a kernel are {listed}",
            )
        owner = self.read(attribute.value, below)  # type: ignore[attr-defined]
        if not isinstance(owner, Kernel):
            raise ParseError("expression", _text(attribute), "is a method of kernels only")
        args, named = self._arguments(node, below)
        return getattr(owner, attribute.attr)(*args, **named)  # type: ignore[attr-defined]


CUSTOM: dict[str, Kernel] = {}  # kernels made by the decorator, by the name of their function
