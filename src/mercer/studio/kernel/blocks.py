"""A kernel expression as blocks that the page draws, and prints as the same expression again.

The text is first read by `mercer.parse`, which refuses whatever is no kernel; only then its syntax
tree is turned into blocks. What has no block of its own becomes a block of text.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from mercer.kernels.base import REGISTRY, Kernel
from mercer.kernels.expression import parse
from mercer.studio.kernel.sliders import parameters_of

Block = dict[str, Any]
_METHODS = ("center", "exp", "normalize")


def read(text: str, names: dict[str, Any] | None = None) -> tuple[Kernel, Block]:
    """The kernel of an expression, and its blocks."""
    kernel = parse(text, names)
    return kernel, _block(ast.parse(text.strip(), mode="eval").body)


def _block(node: ast.expr) -> Block:
    match node:
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return _OPERATORS[type(op)](node, left, right)
        case ast.UnaryOp(op=ast.USub(), operand=part) if _number(part) is None:
            return {"kind": "scale", "factor": -1, "part": _block(part)}
        case ast.Call(func=ast.Attribute(value=part, attr=name), args=[], keywords=[]):
            if name in _METHODS:
                return {"kind": "method", "name": name, "part": _block(part)}
        case ast.Call(func=ast.Name(id=name)):
            return _leaf(node, name)
    return _as_text(node)


def _as_text(node: ast.expr) -> Block:
    return {"kind": "text", "text": ast.unparse(node)}


def _number(node: ast.expr) -> float | None:
    """The value of a number that is written out, with its sign."""
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return -value
    return None


def _sum(node: ast.expr, left: ast.expr, right: ast.expr) -> Block:
    if _number(left) is not None or _number(right) is not None:
        return _as_text(node)
    return _joined("sum", _block(left), _block(right))


def _difference(node: ast.expr, left: ast.expr, right: ast.expr) -> Block:
    if _number(left) is not None or _number(right) is not None:
        return _as_text(node)
    return _joined("sum", _block(left), _scaled(-1, _block(right)))


def _product(node: ast.expr, left: ast.expr, right: ast.expr) -> Block:
    first, second = _number(left), _number(right)
    if first is not None and second is None:
        return _scaled(first, _block(right))
    if second is not None and first is None:
        return _scaled(second, _block(left))
    if first is not None:
        return _as_text(node)
    return _joined("product", _block(left), _block(right))


def _quotient(node: ast.expr, left: ast.expr, right: ast.expr) -> Block:
    divisor = _number(right)
    if not divisor or _number(left) is not None:
        return _as_text(node)
    return _scaled(1 / divisor, _block(left))


def _power(node: ast.expr, left: ast.expr, right: ast.expr) -> Block:
    exponent = _number(right)
    if exponent is None:
        return _as_text(node)
    return {"kind": "power", "exponent": exponent, "part": _block(left)}


_OPERATORS: dict[type, Callable[[ast.expr, ast.expr, ast.expr], Block]] = {
    ast.Add: _sum,
    ast.Sub: _difference,
    ast.Mult: _product,
    ast.Div: _quotient,
    ast.Pow: _power,
}


def _scaled(factor: float, part: Block) -> Block:
    if part["kind"] == "scale":
        return {**part, "factor": factor * part["factor"]}
    if part["kind"] == "product" and part["parts"][0]["kind"] == "scale":
        first, *others = part["parts"]
        parts = [first["part"], *others]
        return {
            "kind": "scale",
            "factor": factor * first["factor"],
            "part": {**part, "parts": parts},
        }
    return {"kind": "scale", "factor": factor, "part": part}


def _joined(kind: str, left: Block, right: Block) -> Block:
    """One block for a chain of the same operator; a number goes in front of a product."""
    if kind == "product" and left["kind"] == "scale":
        return _scaled(left["factor"], _joined(kind, left["part"], right))
    parts = left["parts"] if left["kind"] == kind else [left]
    return {"kind": kind, "parts": [*parts, right]}


def _leaf(node: ast.Call, name: str) -> Block:
    cls = REGISTRY.get(name)
    if cls is None:
        return _as_text(node)
    given = dict(zip(cls._names, node.args)) | {str(k.arg): k.value for k in node.keywords}
    if len(node.args) > len(cls._names) or set(given) - set(cls._names):
        return _as_text(node)
    params = []
    for known in parameters_of(cls):
        if known["name"] in given:
            params.append({**known, **_argument(given[known["name"]])})
        elif "default" in known:
            params.append({**known, "value": known["default"]})
    return {"kind": "leaf", "name": name, "params": params}


def _argument(node: ast.expr) -> Block:
    """What a parameter was given: a number or a word, a kernel, or any other text."""
    if isinstance(node, ast.Constant) and isinstance(node.value, (str, bool)):
        return {"value": node.value}
    value = _number(node)
    if value is not None:
        return {"value": value}
    if isinstance(node, (ast.Call, ast.BinOp)):
        block = _block(node)
        if block["kind"] != "text":
            return {"block": block}
    return {"text": ast.unparse(node)}
