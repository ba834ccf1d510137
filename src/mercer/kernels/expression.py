"""Kernels as text: `parse` reads what ``repr`` prints.

It is a small reader over Python's syntax tree, which never calls ``eval``.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from typing import Any

from mercer.errors import MercerError, ParseError, did_you_mean
from mercer.kernels.base import REGISTRY, Kernel
from mercer.kernels.functions import FUNCTIONS, MAKERS, OBJECTS

__all__: list[str] = []

_LONGEST = 20_000
_DEEPEST = 100
_LONGEST_CHAIN = 2000
_METHODS = ("center", "exp", "normalize", "on")
_ALIASES = {"Gaussian": "RBF", "SquaredExponential": "RBF", "SameHoles": "SharedMissingness"}
_NUMBERS = {"inf": math.inf, "True": True, "False": False, "None": None}
_OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
# The names of scikit-learn's kernels, which estimators read before they parse.
_SKLEARN = (
    "linear",
    "poly",
    "rbf",
    "laplacian",
    "sigmoid",
    "cosine",
    "chi2",
    "additive_chi2",
    "precomputed",
)

# The names of other libraries' kernels, and what to write here.
FOREIGN = {
    "WhiteKernel": "write noise_level * White()",
    "ConstantKernel": "write Constant(c), or c * k for a multiple of k",
    "DotProduct": "write Linear() + Constant(sigma_0**2)",
    "ExpSineSquared": "write Periodic(length_scale, period)",
    "PairwiseKernel": "write the kernel itself, such as RBF() or Chi2()",
    "CompoundKernel": "give one kernel: `k1 + k2` or `k1 * k2`",
    "RBFKernel": "write RBF(length_scale), or a * RBF(length_scale)",
    "MaternKernel": "write Matern(length_scale, nu)",
    "LinearKernel": "write Linear()",
    "PeriodicKernel": "write Periodic(length_scale, period)",
    "ScaleKernel": "write a * k",
    "compare": "mercer.mmd_test(X, Y) tests whether two samples differ",
}

# The names of graphs, models and fitted maps, which texts cannot hold.
_NO_EXPRESSIONS = {  # what is taken elsewhere, or is made of the data
    "auto": "AutoClassifier and AutoRegressor choose a kernel; other learners take one, such as "
    "'rbf', or an expression",
    "table": "table_kernel(X) makes a kernel for a table",
}
_OF_AN_OBJECT = re.compile(r"graph_of_\w+|model_\w+|\w+_[0-9a-f]{8}")

CUSTOM: dict[str, Kernel] = {}  # kernels made by the decorator, by the name of their function


def parse(text: str, names: dict[str, Any] | None = None) -> Kernel:
    """Read a kernel expression, such as ``repr`` of a kernel prints.

    Parameters
    ----------
    text : str
        The expression: kernels, numbers, ``+ - * / ** @`` and the methods of kernels.
    names : dict, optional
        Kernels, kernel classes, functions, graphs or models beside the known ones, by name. The
        graphs, models and fitted maps, such as ``squash.fit(X)``, of the kernels of this process
        are known by the names that ``repr`` shows, which end with a digest of their contents.

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
    tree = _syntax_tree(text)
    try:
        kernel = _Reader(names or {}).visit(tree)
    except MercerError:
        raise
    except (TypeError, OverflowError, ZeroDivisionError) as error:
        raise ParseError("expression", text, f"is not a kernel: {error}") from None
    if not isinstance(kernel, Kernel):
        remedy = "write, for example, 2.0 * RBF() + Linear()"
        raise ParseError("expression", text, "is not a kernel", remedy)
    return kernel


def _syntax_tree(text: str) -> ast.expr:
    if not isinstance(text, str):
        raise ParseError("expression", text, "must be text")
    if len(text) > _LONGEST:
        raise ParseError("expression", f"{len(text)} characters", f"is longer than {_LONGEST}")
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        rule = f"cannot be read: {getattr(error, 'msg', error)}"
        raise ParseError("expression", text, rule) from None


def _text(node: ast.AST) -> str:
    """A part of the expression, for a message."""
    try:
        return ast.unparse(node)[:80]
    except RecursionError:
        return "..."


def _check_operands(node: ast.expr, *values: object) -> None:
    """Arithmetic is for kernels and numbers."""
    for value in values:
        if not isinstance(value, (Kernel, int, float)) or isinstance(value, bool):
            rule = "does arithmetic with something that is neither a kernel nor a number"
            raise ParseError("expression", _text(node), rule)


def _binary(node: ast.BinOp, left: Any, right: Any) -> Any:
    """The result of one operator."""
    if isinstance(node.op, ast.MatMult):
        return _pull_back(node, left, right)
    _check_operands(node, left, right)
    # Of the powers only those of a kernel by a number have a meaning.
    is_power = isinstance(left, Kernel) and not isinstance(right, Kernel)
    if type(node.op) not in _OPERATORS or (isinstance(node.op, ast.Pow) and not is_power):
        rule = "uses an operator that kernels do not have"
        raise ParseError("expression", _text(node), rule, "use + - * / ** @")
    return _OPERATORS[type(node.op)](left, right)


def _pull_back(node: ast.BinOp, left: object, right: object) -> Kernel:
    if isinstance(left, Kernel) and callable(right) and not isinstance(right, (Kernel, type)):
        return left @ right
    raise ParseError("expression", _text(node), "must be kernel @ function")


def _are_slice_ends(args: list[Any]) -> bool:
    return 1 <= len(args) <= 3 and all(end is None or isinstance(end, int) for end in args)


def _check_arguments(node: ast.Call) -> None:
    """Arguments must be written out, each once."""
    names = [keyword.arg for keyword in node.keywords]
    if None in names or any(isinstance(arg, ast.Starred) for arg in node.args):
        raise ParseError("expression", _text(node), "uses * or **, which is not allowed")
    repeated = {str(name) for name in names if names.count(name) > 1}
    if repeated:
        raise ParseError("expression", sorted(repeated), "is given twice")


def _arms(node: ast.BinOp) -> list[ast.BinOp]:
    """The operators of a + b + c + ..., the last first: each is the left operand of the former."""
    arms = [node]
    while isinstance(arms[-1].left, ast.BinOp) and not isinstance(arms[-1].left.op, ast.Pow):
        arms.append(arms[-1].left)
    if len(arms) > _LONGEST_CHAIN:
        rule = f"has more than {_LONGEST_CHAIN}"
        raise ParseError("expression", f"{len(arms)} terms", rule)
    return arms


class _Reader(ast.NodeVisitor):
    """Computes the value of a syntax tree; whatever has no method here is refused."""

    def __init__(self, names: dict[str, Any]) -> None:
        self.names = names
        self.depth = 0

    def visit(self, node: ast.AST) -> Any:
        """The value of a part of the expression."""
        if self.depth > _DEEPEST:
            value = f"{self.depth} levels"
            raise ParseError("expression", value, f"is nested deeper than {_DEEPEST}")
        self.depth += 1
        try:
            return super().visit(node)
        finally:
            self.depth -= 1

    def generic_visit(self, node: ast.AST) -> Any:
        """Refuse what is not part of the language."""
        raise ParseError("expression", _text(node), "is not part of the kernel language")

    def visit_Constant(self, node: ast.Constant) -> Any:
        value = node.value
        if value is not None and not isinstance(value, (int, float, str)):
            return self.generic_visit(node)
        if isinstance(value, int) and value.bit_length() > 64:
            raise ParseError("number", "more than 64 bits", "is too large")
        return value

    def visit_List(self, node: ast.List) -> list[Any]:
        return [self.visit(element) for element in node.elts]

    def visit_Tuple(self, node: ast.Tuple) -> tuple[Any, ...]:
        return tuple(self.visit(element) for element in node.elts)

    def visit_Dict(self, node: ast.Dict) -> dict[Any, Any]:
        keys = [key for key in node.keys if key is not None]
        if len(keys) < len(node.keys):
            raise ParseError("expression", _text(node), "uses **, which is not allowed")
        return {self.visit(key): self.visit(v) for key, v in zip(keys, node.values, strict=True)}

    def visit_Name(self, node: ast.Name) -> Any:
        """What a name stands for; kernels are copied."""
        functions = {name: entry.function for name, entry in FUNCTIONS.items()}
        meanings = {**CUSTOM, **functions, **OBJECTS, **_NUMBERS, **self.names}
        if node.id not in meanings:
            return self._refuse_name(node.id)
        value = meanings[node.id]
        return value.copy() if isinstance(value, Kernel) else value

    def _refuse_name(self, name: str) -> None:
        if name in REGISTRY or name in _ALIASES:
            raise ParseError("expression", name, "is a kernel class", f"write {name}()")
        classes = [f"{kernel}()" for kernel in (*REGISTRY, *_ALIASES)]
        near = did_you_mean(
            name, [*self.names, *FUNCTIONS, *CUSTOM, *_SKLEARN, *classes], code=True
        )
        remedy = near or "register a function with mercer.register_function"
        remedy = _NO_EXPRESSIONS.get(name, remedy)
        if _OF_AN_OBJECT.fullmatch(name):
            remedy = f"give the object: parse(text, names={{{name!r}: ...}})"
        raise ParseError("expression", name, "is not a known name", remedy)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        if not isinstance(node.op, (ast.USub, ast.UAdd)):
            return self.generic_visit(node)
        value = self.visit(node.operand)
        _check_operands(node, value)
        return -value if isinstance(node.op, ast.USub) else value

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        """A chain of operators, in a loop: a long sum is deep as a tree, not as an expression."""
        arms = _arms(node)
        if sum(isinstance(arm.op, ast.MatMult) for arm in arms) > _DEEPEST:
            raise ParseError("expression", "k @ f @ g @ ...", f"is nested deeper than {_DEEPEST}")
        value = self.visit(arms[-1].left)
        for arm in reversed(arms):
            value = _binary(arm, value, self.visit(arm.right))
        return value

    def visit_Call(self, node: ast.Call) -> Any:
        match node.func:
            case ast.Name(id=name):
                return self._call(node, name)
            case ast.Attribute():
                return self._method(node, node.func)
        return self.generic_visit(node)

    def _arguments(self, node: ast.Call) -> tuple[list[Any], dict[str, Any]]:
        """The arguments of a call, by position and by name."""
        _check_arguments(node)
        args = [self.visit(arg) for arg in node.args]
        return args, {str(keyword.arg): self.visit(keyword.value) for keyword in node.keywords}

    def _call(self, node: ast.Call, name: str) -> Any:
        """A kernel, a slice, or a function that is made from numbers."""
        args, named = self._arguments(node)
        if name == "slice" and not named and _are_slice_ends(args):
            return slice(*args)
        if name in MAKERS and not named and len(args) == 1:
            return MAKERS[name](args[0])
        return self._kernel(name, args, named)

    def _kernel(self, name: str, args: list[Any], named: dict[str, Any]) -> Kernel:
        """A kernel of a class, or a known kernel with other parameters."""
        known = self.names.get(name) or REGISTRY.get(_ALIASES.get(name, name)) or CUSTOM.get(name)
        if isinstance(known, Kernel) and not args:
            return known.copy().set_params(**named)
        if isinstance(known, type) and issubclass(known, Kernel):
            return known(*args, **named)
        near = did_you_mean(name, [*self.names, *REGISTRY, *_ALIASES, *CUSTOM], code=True)
        remedy = FOREIGN.get(name) or near or "`mercer kernels` lists them all"
        raise ParseError("expression", name, "is not a known kernel", remedy)

    def _method(self, node: ast.Call, method: ast.Attribute) -> Any:
        """The result of a method of a kernel."""
        if method.attr not in _METHODS:
            remedy = f"methods of a kernel are {', '.join(_METHODS)}"
            raise ParseError("expression", _text(method), "cannot be called", remedy)
        owner = self.visit(method.value)
        if not isinstance(owner, Kernel):
            raise ParseError("expression", _text(method), "is a method of kernels only")
        args, named = self._arguments(node)
        return getattr(owner, method.attr)(*args, **named)
