"""A kernel as lines to read: one term on each line, with the columns that it uses."""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from mercer.kernels.base import Kernel
from mercer.kernels.combine.columns import On
from mercer.kernels.combine.maps import Warp
from mercer.kernels.combine.products import Product
from mercer.kernels.combine.sums import Scaled, Sum
from mercer.kernels.functions import without_marks
from mercer.markup import four_digits

_KINDS = {"squash": "scaled columns", "ranks": "ranks of columns"}


def term_lines(kernel: Kernel, columns: Sequence[str] | None = None) -> list[str]:
    """The kernel in full: the terms of a sum, or the factors of a product, on a line each.

    Length scales of a learned kernel of a table, or of a kernel of ``columns``, stand beside the
    names of their columns, the smallest first: the prediction depends on these columns most.

    Examples
    --------
    >>> from mercer import RBF, Linear
    >>> from mercer.report.terms import term_lines
    >>> for line in term_lines(RBF(length_scale=2.0).on(["age"]) + 0.5 * Linear()):
    ...     print(line)
    RBF(length_scale=2.0).on(['age'])
    + 0.5 * Linear()
    >>> term_lines(RBF(length_scale=[2.0, 0.333]), ["age", "dose"])
    ['RBF of columns, length scales: dose 0.333; age 2']
    """
    return [readable(line) for line in _term_lines(kernel, _Place(columns))]


def readable(text: str) -> str:
    """An expression or a proof for readers: no marks of objects, and numbers of four digits."""
    return four_digits(without_marks(text))


@dataclasses.dataclass(frozen=True)
class _Place:
    """Where a kernel stands: what its columns are called, and what it is multiplied by."""

    names: Sequence[str] | None = None
    kind: str = "columns"
    factor: float = 1.0


def _term_lines(kernel: Kernel, place: _Place) -> list[str]:
    if isinstance(kernel, Product):
        return _joined("*", [_factor(term, place, kernel.precedence) for term in kernel.terms])
    return _joined("+", _terms(kernel, place))


def _joined(sign: str, parts: list[str]) -> list[str]:
    """Terms or factors on a line each, with the sign before all but the first."""
    first, *others = parts
    return [first, *(f"{sign} {part}" for part in others)]


def _terms(kernel: Kernel, place: _Place) -> list[str]:
    """The terms of a sum, or a kernel alone: of columns whose names are known, where they are."""
    named = _named(kernel, place)
    if named or not isinstance(kernel, Sum):
        return named or [repr(kernel)]
    return list(itertools.chain.from_iterable(_terms(term, place) for term in kernel.terms))


def _factor(kernel: Kernel, place: _Place, precedence: int) -> str:
    """A factor of a product, in brackets where it needs them."""
    text = " + ".join(_named(kernel, place) or [repr(kernel)])
    return f"({text})" if kernel.precedence < precedence else text


@functools.singledispatch
def _named(kernel: Kernel, place: _Place) -> list[str]:
    """The terms of a kernel of columns whose names are known, as text; none of another kernel."""
    scales = getattr(kernel, "length_scale", None)
    if place.names is None or scales is None or np.size(scales) not in (1, len(place.names)):
        return []
    text = f"{type(kernel).__name__} of {place.kind}, {scale_text(place.names, scales)}"
    return [text if place.factor == 1.0 else f"{place.factor:.4g} * {text}"]


@_named.register
def _(kernel: Scaled, place: _Place) -> list[str]:
    factor = float(f"{place.factor * kernel.factor:.4g}")
    return _named(kernel.kernel, dataclasses.replace(place, factor=factor))


@_named.register
def _(kernel: Sum, place: _Place) -> list[str]:
    terms = [_named(term, place) for term in kernel.terms]
    return list(itertools.chain.from_iterable(terms)) if all(terms) else []


@_named.register
def _(kernel: Product, place: _Place) -> list[str]:
    alone = dataclasses.replace(place, factor=1.0)
    factors = [_named(term, alone) for term in kernel.terms]
    if not all(factors):
        return []
    text = " * ".join(f"({' + '.join(terms)})" for terms in factors)
    return [text if place.factor == 1.0 else f"{place.factor:.4g} * {text}"]


@_named.register
def _(kernel: On, place: _Place) -> list[str]:
    names = place.names
    columns = None if names is None else kernel.positions(len(names))
    if names is None or columns is None:
        return []
    return _named(
        kernel.kernel, dataclasses.replace(place, names=[names[column] for column in columns])
    )


@_named.register
def _(kernel: Warp, place: _Place) -> list[str]:
    titles = getattr(kernel.function, "titles", None)
    if titles is None:
        return []
    kind = _KINDS.get(getattr(kernel.function, "kind", ""), "columns")
    return _named(kernel.kernel, dataclasses.replace(place, names=titles, kind=kind))


def scale_text(owners: Sequence[Any], scales: Any) -> str:
    """Each column with its length scale, the smallest first; columns of equal ones together."""
    each = np.broadcast_to(np.asarray(scales, dtype=float), len(owners))
    columns: dict[str, list[str]] = {}
    for place in np.argsort(each, kind="stable"):
        names = columns.setdefault(f"{each[place]:.3g}", [])
        if str(owners[place]) not in names:
            names.append(str(owners[place]))
    if len(columns) == 1:
        scale, names = columns.popitem()
        return f"length scale {scale}: {', '.join(names)}"
    each_scale = (f"{', '.join(names)} {scale}" for scale, names in columns.items())
    return f"length scales: {'; '.join(each_scale)}"
