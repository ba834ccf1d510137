"""A kernel as lines to read: one term on each line, with the columns that it uses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mercer.kernels.base import Kernel
from mercer.kernels.combine.composite import Nary
from mercer.kernels.combine.maps import Warp
from mercer.kernels.combine.sums import Scaled, Sum
from mercer.kernels.functions import without_marks

_KINDS = {"squash": "scaled columns", "ranks": "ranks of columns"}


def term_lines(kernel: Kernel) -> list[str]:
    """The kernel in full: the terms of a sum, or the factors of a product, on a line each.

    Length scales of a learned kernel of a table stand beside the names of their columns, the
    smallest first: the prediction depends on these columns most.

    Examples
    --------
    >>> from mercer import RBF, Linear
    >>> from mercer.report.terms import term_lines
    >>> for line in term_lines(RBF(length_scale=2.0).on(["age"]) + 0.5 * Linear()):
    ...     print(line)
    RBF(length_scale=2.0).on(['age'])
    + 0.5 * Linear()
    """
    return list(map(without_marks, _term_lines(kernel)))


def _term_lines(kernel: Kernel) -> list[str]:
    if not isinstance(kernel, Nary):
        return [_term(kernel)]
    sign, precedence = ("+ ", 0) if isinstance(kernel, Sum) else ("* ", kernel.precedence)
    terms = [_term(term, precedence) for term in kernel.terms]
    return [terms[0], *(sign + term for term in terms[1:])]


def _term(kernel: Kernel, precedence: int = 0) -> str:
    """One term; a kernel of the columns of a table with the names of these."""
    if isinstance(kernel, Scaled):
        inner = _named(kernel.kernel)
        if inner is None:
            return repr(kernel)
        return inner if kernel.factor == 1.0 else f"{kernel.factor:.4g} * {inner}"
    text = _named(kernel) or repr(kernel)
    return f"({text})" if kernel.precedence < precedence else text


def _named(kernel: Kernel) -> str | None:
    """A kernel of the scores of columns, as text; None of another kernel."""
    if not isinstance(kernel, Warp):
        return None
    owners = getattr(kernel.function, "owners_", None)
    scales = getattr(kernel.kernel, "length_scale", None)
    if owners is None or scales is None:
        return None
    kind = _KINDS.get(getattr(kernel.function, "kind", ""), "columns")
    name = type(kernel.kernel).__name__
    return f"{name} of {kind}, {scale_text(owners, scales)}"


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
