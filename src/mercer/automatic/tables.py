"""A kernel for a table: columns are read, each kind gets the kernel that suits it, and the widths come from the data."""

from __future__ import annotations

import dataclasses
from collections import Counter
from typing import Any

import numpy as np

from mercer.aliases import Frame
from mercer.domains.base import Batch, raw_length
from mercer.domains.categories import is_missing, table_columns
from mercer.errors import InputTypeError, NotFiniteError, ParameterError
from mercer.kernels.base import Kernel
from mercer.kernels.functions import FUNCTIONS
from mercer.kernels.strings.substrings import BlendedSpectrum
from mercer.kernels.tables.categories import one_hot
from mercer.kernels.tables.columns import CYCLES, DATE, days, texts
from mercer.kernels.tables.missing import MissingAware
from mercer.kernels.tables.shared_missingness import SameHoles
from mercer.kernels.texts import TfIdf
from mercer.kernels.vectors.radial import RBF

_FEW = 10  # different values up to which text is a category, however few rows there are
_SOME = 30  # and up to which it is one where values repeat
_SHARE = 0.05  # or, of many rows, this share
_TORN = 30  # holes from which there are enough rows to tell what a hole means
_LONG = 4.0  # words, on average, from which text is read as words


@dataclasses.dataclass(frozen=True)
class Column:
    """What a column was taken for."""

    name: Any
    kind: str  # number, category, text, string, date
    holes: float  # the share of them
    spread: float  # the mean squared difference of two rows, on the column's own scale
    unit: float  # that scale
    cycles: tuple[tuple[str, float], ...] = ()  # of dates: which, and their spreads


def read_columns(frame: Frame, missing: tuple[Any, ...] = ()) -> list[Column]:
    """The kind of every column: by its values, and as categories where they are stored as such."""
    columns, _ = table_columns(Batch(frame))
    named = hasattr(frame, "columns")
    names = list(frame.columns) if named else list(range(len(columns)))
    made = []
    for name, values in zip(names, columns, strict=True):
        if named and hasattr(frame[name], "columns"):
            raise ParameterError("frame", name, "is the name of two columns", "give each its own")
        seen = [v for v in values if not (is_missing(v) or v in missing)]
        if not seen:
            rule = "has no value at all, so that nothing can be learned of it"
            raise ParameterError(
                f"column {name!r}",
                "every value missing",
                rule,
                f"leave it out: drop(columns=[{name!r}])",
            )
        stored = str(getattr(frame[name], "dtype", "")) if named else ""
        holes = 1.0 - len(seen) / len(values)
        column = (
            _category(name, seen, holes)
            if stored.startswith(("category", "Categorical", "Enum"))
            else _column(name, seen, holes)
        )
        if column.kind in ("text", "string", "date") and any(
            v in missing for v in values if not is_missing(v)
        ):
            marker = next(v for v in values if not is_missing(v) and v in missing)
            raise ParameterError(
                f"column {name!r}",
                marker,
                f"marks a hole among values read as {column.kind}",
                "put None there",
            )
        made.append(column)
    return made


def _column(name: Any, seen: list[Any], holes: float) -> Column:
    if all(isinstance(v, (bool, np.bool_)) for v in seen):
        return _category(name, seen, holes)
    if all(isinstance(v, (int, float, np.number)) for v in seen):
        numbers = np.array(seen, dtype=float)
        if not np.isfinite(numbers).all():
            raise NotFiniteError(
                f"column {name!r}", float(numbers[~np.isfinite(numbers)][0]), "is not finite"
            )
        spread = float(numbers.std()) if np.ptp(numbers) > 0 else 0.0
        return Column(name, "number", holes, 2.0 if spread else 0.0, spread or 1.0)
    if all(hasattr(v, "year") or isinstance(v, np.datetime64) for v in seen):
        return _dates(name, seen, holes)
    if not all(isinstance(v, str) for v in seen):
        kinds = sorted({type(v).__name__ for v in seen})
        if len(kinds) == 1:
            raise InputTypeError(
                f"column {name!r}",
                kinds[0],
                "is of a kind that table_kernel cannot read",
                "leave it out",
            )
        raise InputTypeError(
            f"column {name!r}",
            ", ".join(kinds),
            "mixes types",
            "make them all text, or all numbers",
        )
    if all(DATE.fullmatch(v) for v in seen):
        return _dates(name, seen, holes)
    return _words(name, seen, holes)


def _words(name: Any, seen: list[str], holes: float) -> Column:
    distinct, words = len(set(seen)), float(np.mean([len(v.split()) for v in seen]))
    repeats = distinct <= len(seen) / 2
    long = words >= _LONG
    if not (long and not repeats) and (
        distinct <= _FEW or (distinct <= max(_SOME, _SHARE * len(seen)) and repeats)
    ):
        return _category(name, seen, holes)
    return Column(name, "text" if long else "string", holes, 2.0, 1.0)


def _dates(name: Any, seen: list[Any], holes: float) -> Column:
    """Dates go round in the cycles they pass through more than once."""
    at = days([[v] for v in seen])
    span, spread = float(np.ptp(at)), float(at.std())
    cycles = []
    for cycle, period in CYCLES.items():
        turn = 2.0 * float(FUNCTIONS[cycle].function([[v] for v in seen]).var(axis=0).sum())
        if span > period and turn > 1e-9:
            cycles.append((cycle, turn))
    return Column(name, "date", holes, 2.0 if span > 0 else 0.0, spread or 1.0, tuple(cycles))


def _category(name: Any, seen: list[Any], holes: float) -> Column:
    share = np.array(list(Counter(seen).values())) / len(seen)
    return Column(
        name,
        "category",
        holes,
        2.0 * (1.0 - float((share**2).sum())) if len(share) > 1 else 0.0,
        1.0,
    )


def table_kernel(
    frame: Frame, *, scale: float = 1.0, missing: tuple[Any, ...] = (), holes: bool = False
) -> Kernel:
    """A kernel for the rows of a table, proposed from its columns and shown as algebra, to be used as it is or edited.

    It is one RBF of the whole row, in units of how much each column spreads: numbers by their deviations, categories by whether they
    agree, long texts by the words they share, short ones of many different values by their letters, dates as numbers and by the cycles
    they pass through. Widths make the mean exponent 1/scale²; constant columns are left out. Where a column has holes its kernel is the
    mean over what could stand there, with ``holes=True`` everywhere, for holes that only new rows will have; and since a hole may tell
    something by itself, where rows have holes counts like a category, in columns with 30 holes or more. ``missing`` are values, such
    as "?", that mean a hole beside None and NaN.

    >>> from mercer import table_kernel
    >>> table_kernel([[30.0, "red"], [41.0, "green"], [None, "red"], [25.0, "red"]])
    MissingAware(RBF(length_scale=[7.837])).on([0]) * (RBF(length_scale=1.173) @ one_hot).on([1])
    """
    if (
        not isinstance(scale, (int, float, np.number))
        or isinstance(scale, bool)
        or not (np.isfinite(scale) and scale > 0)
    ):
        raise ParameterError("scale", scale, "must be a number > 0")
    if hasattr(frame, "collect"):
        raise InputTypeError(
            "frame", type(frame).__name__, "is not computed yet", "give frame.collect()"
        )
    columns = [column for column in read_columns(frame, missing) if column.spread > 0]
    if not columns:
        raise ParameterError("frame", "every column constant", "has nothing to tell rows apart by")
    # a hole may tell something by itself: who does not answer differs from who does
    torn = [c for c in columns if round(c.holes * raw_length(frame)) >= _TORN]
    whole = sum(column.spread + sum(turn for _, turn in column.cycles) for column in columns)
    whole += sum(4.0 * c.holes * (1.0 - c.holes) for c in torn)
    width = float(scale) * float(np.sqrt(whole / 2.0))
    factors: list[Kernel] = []
    for kind in ("number", "category"):
        for holed in (False, True):
            block = [c for c in columns if c.kind == kind and bool(c.holes or holes) == holed]
            if block:
                kernel = (
                    RBF([_digits(width * c.unit) for c in block])
                    if kind == "number"
                    else RBF(_digits(width)) @ one_hot
                )
                factors.append(_aware(kernel, holed, missing).on([c.name for c in block]))
    for c in columns:
        if c.kind == "date":
            for function, unit in [("days", c.unit), *((cycle, 1.0) for cycle, _ in c.cycles)]:
                factors.append(
                    (
                        _aware(RBF(_digits(width * unit)), bool(c.holes or holes), ())
                        @ FUNCTIONS[function].function
                    ).on([c.name])
                )
        elif c.kind in ("text", "string"):
            inner = TfIdf() if c.kind == "text" else BlendedSpectrum(n=3).normalize()
            # exp(c k), normalised, is the RBF of what k is the inner product of
            alike = (_digits(width**-2) * inner).exp().normalize()
            factors.append((alike @ texts).on([c.name]))
    if torn:
        factors.append(SameHoles(_digits(width), missing=missing).on([c.name for c in torn]))
    made = factors[0]
    for factor in factors[1:]:
        made = made * factor
    return made


def _aware(kernel: Kernel, holes: bool, missing: tuple[Any, ...]) -> Kernel:
    return MissingAware(kernel, missing=missing) if holes else kernel


def _digits(value: float) -> float:
    """Four digits: a width need not be exact, and should be readable."""
    return float(f"{value:.4g}")
