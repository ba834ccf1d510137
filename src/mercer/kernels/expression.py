"""Kernels as text: `parse` reads what ``repr`` prints.

It is a small reader over Python's syntax tree, which never calls ``eval``.
"""

from __future__ import annotations

import ast
import difflib
import math
from typing import Any

from mercer.errors import MercerError, ParseError
from mercer.kernels.base import REGISTRY, Kernel
from mercer.kernels.functions import FUNCTIONS, inverse_root

__all__: list[str] = []

_LONGEST = 20_000
_DEEPEST = 100
_LONGEST_CHAIN = 2000
_METHODS = ("center", "exp", "normalize", "on")
_ALIASES = {"Gaussian": "RBF", "SameHoles": "SharedMissingness"}
_NUMBERS = {"inf": math.inf, "True": True, "False": False, "None": None}
# The names of scikit-learn's kernels, which estimators read before they parse.
_SKLEARN = ("linear", "poly", "rbf", "laplacian", "sigmoid", "cosine", "chi2", "precomputed")

CUSTOM: dict[str, Kernel] = {}  # kernels made by the decorator, by the name of their function


def parse(text: str, names: dict[str, Any] | None = None) -> Kernel:
    """Read a kernel expression, such as ``repr`` of a kernel prints.

    Parameters
    ----------
    text : str
        The expression: kernels, numbers, ``+ - * / ** @`` and the methods of kernels.
    names : dict, optional
        Kernels, kernel classes or functions beside the known ones, by name.

    Returns
    -------
    Kernel
        The kernel.

    Examples
    --------
    >>> import mercer
    >>> mercer.parse("0.5 * RBF(length_scale=2.0) + Polynomial(degree=3) * Linear()")
    0.5 * RBF(length_scale=2.0) + Polynomial(degree=3) * Linear()
    >>> mercer.parse("__import__('os').system('ls')")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    mercer.errors.ParseError: expression = "__import__('os').system" cannot be called; methods ...
    """
    if not isinstance(text, str):
        raise ParseError("expression", text, "must be text")
    if len(text) > _LONGEST:
        raise ParseError("expression", f"{len(text)} characters", f"is longer than {_LONGEST}")
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        rule = f"cannot be read: {getattr(error, 'msg', error)}"
        raise ParseError("expression", text, rule) from None
    try:
        kernel = _Reader(names or {}).read(tree.body, 0)
    except MercerError:
        raise
    except (TypeError, OverflowError, ZeroDivisionError) as error:
        raise ParseError("expression", text, f"is not a kernel: {error}") from None
    if not isinstance(kernel, Kernel):
        remedy = "write, for example, 2.0 * RBF() + Linear()"
        raise ParseError("expression", text, "is not a kernel", remedy)
    return kernel


def _nearest(name: str, known: list[str]) -> str:
    """A question for the known name that was probably meant, whatever the case of its letters."""
    plain = {one.lower().removesuffix("()"): one for one in known}
    matches = difflib.get_close_matches(name.lower(), plain, n=1, cutoff=0.7)
    return f"did you mean {plain[matches[0]]}?" if matches else ""


def _text(node: ast.expr) -> str:
    """A part of the expression, for a message."""
    try:
        return ast.unparse(node)[:80]
    except RecursionError:
        return "..."


def _check_operands(node: ast.expr, *values: object) -> None:
    """Arithmetic is for kernels and numbers."""
    for value in values:
        if not isinstance(value, (Kernel, int, float)) or isinstance(value, bool):
            rule = "does arithmetic with something that is no kernel and no number"
            raise ParseError("expression", _text(node), rule)


def _binary(node: ast.BinOp, left: Any, right: Any) -> Any:
    """The result of one operator."""
    if isinstance(node.op, ast.MatMult):
        return _pull_back(node, left, right)
    _check_operands(node, left, right)
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
    rule = "uses an operator that kernels do not have"
    raise ParseError("expression", _text(node), rule, "use + - * / ** @")


def _pull_back(node: ast.BinOp, left: object, right: object) -> Kernel:
    if isinstance(left, Kernel) and callable(right) and not isinstance(right, (Kernel, type)):
        return left @ right
    raise ParseError("expression", _text(node), "must be kernel @ function")


def _make_slice(args: list[Any]) -> slice | None:
    """The slice of one to three integers or None; None for anything else."""
    are_ends = all(end is None or isinstance(end, int) for end in args)
    return slice(*args) if are_ends and 1 <= len(args) <= 3 else None


def _are_one_number(args: list[Any]) -> bool:
    return len(args) == 1 and isinstance(args[0], (int, float))


class _Reader:
    """Walks the syntax tree; whatever is not listed here is refused."""

    def __init__(self, names: dict[str, Any]) -> None:
        self.names = names

    def read(self, node: ast.expr, depth: int) -> Any:
        """The value of a part of the expression."""
        if depth > _DEEPEST:
            raise ParseError("expression", f"{depth} levels", f"is nested deeper than {_DEEPEST}")
        below = depth + 1
        match node:
            case ast.Constant(value=None | bool() | int() | float() | str()):
                return self._constant(node.value)
            case ast.Name():
                return self._name(node.id)
            case ast.List():
                return [self.read(element, below) for element in node.elts]
            case ast.Tuple():
                return tuple(self.read(element, below) for element in node.elts)
            case ast.UnaryOp(op=ast.USub() | ast.UAdd()):
                return self._sign(node, below)
            case ast.BinOp():
                return self._chain(node, below)
            case ast.Call(func=ast.Name() as function):
                return self._call(node, function.id, below)
            case ast.Call(func=ast.Attribute() as method):
                return self._method(node, method, below)
        raise ParseError("expression", _text(node), "is not part of the kernel language")

    @staticmethod
    def _constant(value: Any) -> Any:
        is_integer = isinstance(value, int) and not isinstance(value, bool)
        if is_integer and value.bit_length() > 64:
            raise ParseError("number", "more than 64 bits", "is too large")
        return value

    def _name(self, name: str) -> Any:
        """What a name stands for; kernels are copied."""
        functions = {known: entry.function for known, entry in FUNCTIONS.items()}
        meanings = {**CUSTOM, **functions, **_NUMBERS, **self.names}
        if name in meanings:
            value = meanings[name]
            return value.copy() if isinstance(value, Kernel) else value
        if name in REGISTRY:
            raise ParseError("expression", name, "is a kernel class", f"write {name}()")
        classes = [f"{kernel}()" for kernel in REGISTRY]
        near = _nearest(name, [*self.names, *FUNCTIONS, *CUSTOM, *_SKLEARN, *classes])
        remedy = near or "register a function with mercer.register_function"
        raise ParseError("expression", name, "is not a known name", remedy)

    def _sign(self, node: ast.UnaryOp, below: int) -> Any:
        value = self.read(node.operand, below)
        _check_operands(node, value)
        return -value if isinstance(node.op, ast.USub) else value

    def _chain(self, node: ast.BinOp, below: int) -> Any:
        """a + b + c + ..., whose left arms are walked in a loop.

        A long sum is deep as a tree but not as an expression.
        """
        arms = [node]
        while isinstance(arms[-1].left, ast.BinOp) and not isinstance(arms[-1].left.op, ast.Pow):
            arms.append(arms[-1].left)
            if len(arms) > _LONGEST_CHAIN:
                rule = f"has more than {_LONGEST_CHAIN}"
                raise ParseError("expression", f"{len(arms)} terms", rule)
        if sum(isinstance(arm.op, ast.MatMult) for arm in arms) > _DEEPEST:
            raise ParseError("expression", "k @ f @ g @ ...", f"is nested deeper than {_DEEPEST}")
        value = self.read(arms[-1].left, below)
        for arm in reversed(arms):
            value = _binary(arm, value, self.read(arm.right, below))
        return value

    def _arguments(self, node: ast.Call, below: int) -> tuple[list[Any], dict[str, Any]]:
        """The arguments of a call, by position and by name."""
        names = [keyword.arg for keyword in node.keywords]
        if None in names or any(isinstance(arg, ast.Starred) for arg in node.args):
            raise ParseError("expression", _text(node), "uses * or **, which is not allowed")
        repeated = {str(name) for name in names if names.count(name) > 1}
        if repeated:
            raise ParseError("expression", sorted(repeated), "is given twice")
        args = [self.read(arg, below) for arg in node.args]
        named = {str(keyword.arg): self.read(keyword.value, below) for keyword in node.keywords}
        return args, named

    def _call(self, node: ast.Call, name: str, below: int) -> Any:
        """A kernel, a slice, or the coefficients of a power series."""
        args, named = self._arguments(node, below)
        if name == "slice" and not named:
            columns = _make_slice(args)
            if columns is not None:
                return columns
        if name == "inverse_root" and not named and _are_one_number(args):
            return inverse_root(args[0])
        return self._kernel(name, args, named)

    def _kernel(self, name: str, args: list[Any], named: dict[str, Any]) -> Kernel:
        """A kernel of a class, or a known kernel with other parameters."""
        known = self.names.get(name) or REGISTRY.get(_ALIASES.get(name, name)) or CUSTOM.get(name)
        if isinstance(known, Kernel) and not args:
            return known.copy().set_params(**named)
        if isinstance(known, type) and issubclass(known, Kernel):
            return known(*args, **named)
        near = _nearest(name, [*self.names, *REGISTRY, *CUSTOM])
        remedy = near or "`mercer kernels` lists them all"
        raise ParseError("expression", name, "is not a known kernel", remedy)

    def _method(self, node: ast.Call, method: ast.Attribute, below: int) -> Any:
        """The result of a method of a kernel."""
        if method.attr not in _METHODS:
            remedy = f"methods of a kernel are {', '.join(_METHODS)}"
            raise ParseError("expression", _text(method), "cannot be called", remedy)
        owner = self.read(method.value, below)
        if not isinstance(owner, Kernel):
            raise ParseError("expression", _text(method), "is a method of kernels only")
        args, named = self._arguments(node, below)
        return getattr(owner, method.attr)(*args, **named)
