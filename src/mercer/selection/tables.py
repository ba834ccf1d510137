"""A kernel for a table: columns are read, each kind gets the kernel that suits it, and the widths come from the data."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from mercer.domains.base import Batch
from mercer.domains.categories import is_hole, table_columns
from mercer.errors import InputTypeError, ParameterError, explain
from mercer.kernels.base import Kernel
from mercer.kernels.categories import one_hot
from mercer.kernels.coordinate import Periodic
from mercer.kernels.maps import register_function
from mercer.kernels.missing import MissingAware
from mercer.kernels.radial import RBF
from mercer.kernels.strings import BlendedSpectrum
from mercer.kernels.texts import TfIdf

_FEW = 30  # different values up to which text is a category, however few rows there are
_SHARE = 0.05  # and of all rows, beyond that
_LONG = 4.0  # words, on average, from which text is read as words


@dataclasses.dataclass(frozen=True)
class Column:
    """What a column was taken for."""

    name: Any
    kind: str  # number, category, text, string, date
    holes: bool
    spread: float  # the mean squared difference of two rows, on the column's own scale
    unit: float  # that scale


@register_function("days", injective=True)
def days(X: Any) -> np.ndarray:
    """Dates as days since 1970; a hole is NaN."""
    columns, names = table_columns(Batch(X))
    made = np.empty((len(columns[0]), len(columns)))
    for k, values in enumerate(columns):
        for row, value in enumerate(values):
            try:
                made[row, k] = np.nan if is_hole(value) else np.datetime64(value, "s").astype(np.int64) / 86_400.0
            except (TypeError, ValueError):
                raise InputTypeError(explain(f"X[{row}], {names[k]}", value, "is not a date")) from None
    return made


def read_columns(frame: Any, missing: tuple[Any, ...] = ()) -> list[Column]:
    """The kind of every column: by its values, not by how they are stored."""
    columns, _ = table_columns(Batch(frame))
    names = list(frame.columns) if hasattr(frame, "columns") else list(range(len(columns)))
    made = []
    for name, values in zip(names, columns, strict=True):
        seen = [v for v in values if not (is_hole(v) or v in missing)]
        if not seen:
            rule = "has no value at all, so that nothing can be learned of it"
            raise ParameterError(explain(f"column {name!r}", "every value missing", rule, f"leave it out: drop(columns=[{name!r}])"))
        made.append(_column(name, seen, len(seen) < len(values)))
    return made


def _column(name: Any, seen: list[Any], holes: bool) -> Column:
    distinct = len(set(map(str, seen)))
    if all(isinstance(v, (bool, np.bool_)) for v in seen):
        return _category(name, seen, holes)
    if all(isinstance(v, (int, float, np.number)) for v in seen):
        numbers = np.array(seen, dtype=float)
        if not np.isfinite(numbers).all():
            raise InputTypeError(explain(f"column {name!r}", float(numbers[~np.isfinite(numbers)][0]), "is not finite"))
        spread = float(numbers.std()) or 1.0
        return Column(name, "number", holes, 2.0, spread)
    if all(hasattr(v, "year") or isinstance(v, np.datetime64) for v in seen):
        spread = float(np.std(days([[v] for v in seen]))) or 1.0
        return Column(name, "date", holes, 2.0, spread)
    if not all(isinstance(v, str) for v in seen):
        kinds = ", ".join(sorted({type(v).__name__ for v in seen}))
        raise InputTypeError(explain(f"column {name!r}", kinds, "mixes types", "make them all text, or all numbers"))
    if distinct <= max(_FEW, _SHARE * len(seen)):
        return _category(name, seen, holes)
    words = float(np.mean([len(v.split()) for v in seen]))
    return Column(name, "text" if words >= _LONG else "string", holes, 2.0, 1.0)


def _category(name: Any, seen: list[Any], holes: bool) -> Column:
    _, counts = np.unique([str(v) for v in seen], return_counts=True)
    return Column(name, "category", holes, 2.0 * (1.0 - float(((counts / counts.sum()) ** 2).sum())), 1.0)


def table_kernel(frame: Any, *, scale: float = 1.0, missing: tuple[Any, ...] = ()) -> Kernel:
    """A kernel for the rows of a table, proposed from its columns and shown as algebra, to be used as it is or edited.

    Numbers are compared by an RBF in units of their deviations, categories by an RBF of their one-hot rows, together one RBF of the whole
    row; long texts by the words they share, short ones of many different values by their letters, dates as numbers and by the season.
    Where a column has holes its kernel is the mean over what could stand there. Widths make the mean exponent of numbers, categories and
    dates 1; ``scale`` multiplies them all. ``missing`` are values, such as "?", that mean a hole beside None and NaN.

    >>> from mercer import table_kernel
    >>> table_kernel([[30.0, "red"], [41.0, "green"], [None, "red"], [25.0, "red"]])
    MissingAware(RBF(length_scale=[7.837])).on([0]) * (RBF(length_scale=1.173) @ one_hot).on([1])
    """
    if not isinstance(scale, (int, float, np.number)) or isinstance(scale, bool) or not (np.isfinite(scale) and scale > 0):
        raise ParameterError(explain("scale", scale, "must be a number > 0"))
    columns = [column for column in read_columns(frame, missing) if column.spread > 0]
    if not columns:
        raise ParameterError(explain("frame", "every column constant", "has nothing to tell rows apart by"))
    whole = sum(column.spread for column in columns if column.kind in ("number", "category", "date"))
    width = float(scale) * float(np.sqrt(whole / 2.0)) if whole else float(scale)
    factors: list[Kernel] = []
    for holes in (False, True):
        numbers = [c for c in columns if c.kind == "number" and c.holes == holes]
        if numbers:
            kernel: Kernel = RBF(length_scale=[_digits(width * c.unit) for c in numbers])
            factors.append(_aware(kernel, holes, missing).on([c.name for c in numbers]))
    for holes in (False, True):
        categories = [c for c in columns if c.kind == "category" and c.holes == holes]
        if categories:
            kernel = RBF(length_scale=_digits(width)) @ one_hot
            factors.append(_aware(kernel, holes, missing).on([c.name for c in categories]))
    for c in columns:
        if c.kind == "date":
            factors.append((RBF(length_scale=_digits(width * c.unit)) @ days).on([c.name]))
            factors.append((Periodic(period=365.25) @ days).on([c.name]))
        elif c.kind == "text":
            factors.append(TfIdf().on(c.name).exp())
        elif c.kind == "string":
            factors.append(BlendedSpectrum(n=3).normalize().on(c.name).exp())
    made = factors[0]
    for factor in factors[1:]:
        made = made * factor
    return made


def _aware(kernel: Kernel, holes: bool, missing: tuple[Any, ...]) -> Kernel:
    return MissingAware(kernel, missing=missing) if holes else kernel


def _digits(value: float) -> float:
    """Four digits: a width need not be exact, and should be readable."""
    return float(f"{value:.4g}")
