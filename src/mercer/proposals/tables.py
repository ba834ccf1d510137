"""A kernel for a table: every kind of column has a kernel that suits it, in units of its spread."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import operator
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from mercer.aliases import Frame
from mercer.domains.base import Batch, raw_length
from mercer.domains.tables.columns import Markers, present_values, table_columns
from mercer.errors import InputTypeError, NotFiniteError, ParameterError, explain, warn
from mercer.kernels.base import Kernel
from mercer.kernels.functions import FUNCTIONS
from mercer.kernels.sets import Jaccard
from mercer.kernels.strings.substrings import BlendedSpectrum
from mercer.kernels.tables.categories import one_hot
from mercer.kernels.tables.columns import CYCLES, DATE, days, sets, texts
from mercer.kernels.tables.missing import MissingAware
from mercer.kernels.tables.shared_missingness import SharedMissingness
from mercer.kernels.texts import TfIdf
from mercer.kernels.vectors.radial import RBF
from mercer.params import positive, renamed_arguments
from mercer.proposals.keys import names_rows
from mercer.proposals.letters import warn_of_case
from mercer.state import storable

_FEW = 10  # different values up to which text is a category, however few rows there are
_SOME = 30  # and up to which it is one where values repeat
_SHARE = 0.05  # or, of many rows, this share
TELLING = 30  # missing values from which there are enough rows to learn what one means
_SMALLEST, _LARGEST = 1e-150, 1e150  # deviations whose squares can be computed with
_LONG = 4.0  # words, on average, from which text is read as words


@storable
@dataclasses.dataclass(frozen=True)
class TableColumn:
    """The kind and the statistics of a column."""

    kind: str  # number, category, date, text, string, set
    spread: float  # the mean squared difference of two rows, on the column's own scale
    unit: float = 1.0  # that scale
    cycles: tuple[tuple[str, float], ...] = ()  # of dates: which, and their spreads
    name: Any = None
    missing_share: float = 0.0


def read_columns(frame: Frame, missing: Markers = ()) -> list[TableColumn]:
    """The kind of every column: by its values, and as categories where they are stored as such."""
    columns, _ = table_columns(Batch(frame))
    if not hasattr(frame, "columns"):
        return [_column(name, values, missing, "") for name, values in enumerate(columns)]
    described = []
    for name, values in zip(frame.columns, columns, strict=True):
        if hasattr(frame[name], "columns"):
            raise ParameterError("X", name, "is the name of two columns", "give each its own")
        stored = str(getattr(frame[name], "dtype", ""))
        described.append(_column(name, values, missing, stored))
    return described


def _column(name: Any, values: list[Any], missing: Markers, stored: str) -> TableColumn:
    """The description of one column, which is stored as a type of that name."""
    where = f"column {name!r}"
    present = present_values(values, missing)
    if not present:
        rule = "has no value at all, so that nothing can be learned of it"
        remedy = f"leave it out: drop(columns=[{name!r}])"
        raise ParameterError(where, "every value missing", rule, remedy)
    if stored.startswith(("category", "Categorical", "Enum")):
        column = _category(present)
    else:
        column = _by_values(where, present)
    if column.kind in ("text", "string", "date"):
        _refuse_markers(where, column.kind, values, missing)
    share = 1.0 - len(present) / len(values)
    return dataclasses.replace(column, name=name, missing_share=share)


def _refuse_markers(where: str, kind: str, values: list[Any], missing: Markers) -> None:
    """The kernels of texts and dates know None and NaN only."""
    for value in present_values(values):
        if value in missing:
            rule = f"marks a missing value among values read as {kind}"
            raise ParameterError(where, value, rule, "put None there")


def _by_values(where: str, values: list[Any]) -> TableColumn:
    """The description of a column by the types of its values."""
    if _are_all(values, bool, np.bool_):
        return _category(values)
    if _are_all(values, int, float, np.number):
        return _numbers(where, np.array(values, dtype=float))
    if all(map(_is_date, values)):
        return _dates(values)
    if _are_all(values, set, frozenset):
        return TableColumn("set", 2.0)
    if not _are_all(values, str):
        raise _unreadable(where, values)
    return _strings(values)


def _are_all(values: list[Any], *kinds: type) -> bool:
    return all(issubclass(kind, kinds) for kind in set(map(type, values)))


def _is_date(value: object) -> bool:
    return hasattr(value, "year") or isinstance(value, np.datetime64)


def _unreadable(where: str, values: list[Any]) -> InputTypeError:
    """The error of values that are neither numbers nor dates nor texts."""
    kinds = sorted({type(value).__name__ for value in values})
    if len(kinds) == 1:
        rule = "is of a kind that table_kernel cannot read"
        return InputTypeError(where, kinds[0], rule, "leave it out")
    remedy = "make them all text, or all numbers"
    return InputTypeError(where, ", ".join(kinds), "mixes types", remedy)


def _numbers(where: str, numbers: np.ndarray) -> TableColumn:
    infinite = numbers[~np.isfinite(numbers)]
    if len(infinite):
        raise NotFiniteError(where, float(infinite[0]), "is not finite")
    if (numbers == numbers[0]).all():
        return TableColumn("number", 0.0)
    with np.errstate(over="ignore", invalid="ignore"):
        deviation = float(numbers.std())
    if not _SMALLEST <= deviation <= _LARGEST:
        values = f"values from {numbers.min():.3g} to {numbers.max():.3g}"
        rule = "have a variance that floating point cannot hold"
        raise ParameterError(where, values, rule, "multiply the column by a constant")
    return TableColumn("number", 2.0, deviation)


def _strings(values: list[str]) -> TableColumn:
    """Text is a date, or a category where there are few different values, or words or letters."""
    if all(map(DATE.fullmatch, values)):
        return _dates(values)
    is_long = float(np.mean([len(v.split()) for v in values])) >= _LONG
    if _has_few_values(values, is_long):
        return _category(values)
    return TableColumn("text" if is_long else "string", 2.0)


def _has_few_values(texts: list[str], are_long: bool) -> bool:
    """Whether texts are names of categories; long ones are if they repeat."""
    n_distinct = len(set(texts))
    if n_distinct <= len(texts) / 2:
        return n_distinct <= max(_SOME, _SHARE * len(texts))
    return n_distinct <= _FEW and not are_long


def _dates(values: list[Any]) -> TableColumn:
    """Dates go round in the cycles they pass through more than once."""
    rows = [[value] for value in values]
    at = days(rows)
    if (span := float(np.ptp(at))) == 0:
        return TableColumn("date", 0.0)
    return TableColumn("date", 2.0, float(at.std()), _cycles(rows, span))


def _cycles(rows: list[list[Any]], span: float) -> tuple[tuple[str, float], ...]:
    """The cycles that dates pass through in a span of days, with the spread of each."""
    cycles = []
    for cycle, period in CYCLES.items():
        spread = 2.0 * float(FUNCTIONS[cycle].function(rows).var(axis=0).sum())
        if span > period and spread > 1e-9:
            cycles.append((cycle, spread))
    return tuple(cycles)


def _category(values: list[Any]) -> TableColumn:
    shares = np.array(list(Counter(values).values())) / len(values)
    if len(shares) == 1:
        return TableColumn("category", 0.0)
    return TableColumn("category", 2.0 * (1.0 - float((shares**2).sum())))


@renamed_arguments(frame="X")
def table_kernel(
    X: Frame, *, scale: float = 1.0, missing: Markers = (), holes: bool = False
) -> Kernel:
    """A kernel for the rows of a table, proposed from its columns as algebra that can be edited.

    It is one RBF of the whole row, in units of how much each column spreads: numbers by their
    deviations, categories by whether they agree, long texts by the words they share, short ones of
    many different values by their letters, sets by the elements they share, dates as numbers and
    by the cycles they pass through.
    Constant columns are left out. Where a column has missing values its kernel is the expectation
    over what could stand there (`MissingAware`); and since a missing value may be informative by
    itself, where values are missing counts like a category in columns with 30 of them or more
    (`SharedMissingness`).

    The kernel is a starting point: its widths are those of the columns and are not tuned.
    `AutoClassifier`, `AutoRegressor` and `learn_kernel` learn them. Columns that name the rows,
    such as ``customer_id``, give a warning, and so do columns of DNA in capital and small letters.

    Parameters
    ----------
    X : data frame, array or list of rows
        The table.
    scale : float, default 1.0
        The width of the kernel: the mean exponent is 1/scale².
    missing : tuple, default ()
        Values, such as "?", that mean a missing value beside None and NaN.
    holes : bool, default False
        Whether all columns are expected to have missing values, as they may in new rows.

    Returns
    -------
    Kernel
        A product of kernels, each of some columns.

    Examples
    --------
    >>> from mercer import table_kernel
    >>> table_kernel([[30.0, "red"], [41.0, "green"], [None, "red"], [25.0, "red"]])
    MissingAware(RBF(length_scale=[7.837])).on([0]) * (RBF(length_scale=1.173) @ one_hot).on([1])
    """
    positive.check("scale", scale)
    kernel = proposed_kernel(X, scale=scale, missing=missing, holes=holes)
    if hasattr(X, "columns"):
        _warn_of_identifiers(X)
    warn_of_case(X, missing)
    return kernel


def _warn_of_identifiers(frame: Frame) -> None:
    """Say which columns name the rows; rows do not become similar by their names."""
    columns, _ = table_columns(Batch(frame))
    pairs = zip(frame.columns, columns, strict=True)
    keys = [str(name) for name, values in pairs if names_rows(name, present_values(values))]
    if keys:
        remedy = f"leave identifiers out: X.drop(columns={keys})"
        warn(explain("X", keys, "has the name of a key, and all its values differ", remedy))


def proposed_kernel(
    frame: Frame, *, scale: float = 1.0, missing: Markers = (), holes: bool = False
) -> Kernel:
    """The same for callers that have looked at the columns."""
    columns = _varying_columns(frame, missing)
    telling = [c for c in columns if round(c.missing_share * raw_length(frame)) >= TELLING]
    width = float(scale) * float(np.sqrt(_total_spread(columns, telling) / 2.0))
    incomplete = {c.name for c in columns if holes or c.missing_share}
    factors = _block_kernels(columns, width, missing, incomplete)
    for column in columns:
        factors += _column_kernels(column, width, column.name in incomplete)
    if telling:
        kernel = SharedMissingness(digits(width), missing=missing)
        factors.append(kernel.on([c.name for c in telling]))
    return functools.reduce(operator.mul, factors)


def _varying_columns(frame: Frame, missing: Markers) -> list[TableColumn]:
    """The columns that are not constant, at least one."""
    if hasattr(frame, "collect"):
        rule, remedy = "is not computed yet", "give X.collect()"
        raise InputTypeError("X", type(frame).__name__, rule, remedy)
    columns = [column for column in read_columns(frame, missing) if column.spread > 0]
    if not columns:
        raise ParameterError("X", "every column constant", "leaves nothing in which rows differ")
    return columns


def _total_spread(columns: list[TableColumn], telling: list[TableColumn]) -> float:
    """The mean squared difference of two rows, in the units of the columns."""
    spread = sum(c.spread + sum(spread for _, spread in c.cycles) for c in columns)
    return spread + sum(4.0 * c.missing_share * (1.0 - c.missing_share) for c in telling)


def _block_kernels(
    columns: list[TableColumn], width: float, missing: Markers, incomplete: set[Any]
) -> list[Kernel]:
    """The kernels of all numbers and of all categories, complete columns and others apart."""
    blocks: dict[Any, list[TableColumn]] = {}
    for column in columns:
        blocks.setdefault((column.kind, column.name in incomplete), []).append(column)
    kernels = []
    for kind, has_gaps in itertools.product(("number", "category"), (False, True)):
        if (kind, has_gaps) in blocks:
            kernels.append(_block_kernel(blocks[kind, has_gaps], width, missing, has_gaps))
    return kernels


def _block_kernel(block: list[TableColumn], width: float, missing: Markers, gaps: bool) -> Kernel:
    """The kernel of columns that are all numbers or all categories."""
    kernel: Kernel = RBF(digits(width)) @ one_hot
    if block[0].kind == "number":
        kernel = RBF([digits(width * c.unit) for c in block])
    if gaps:
        kernel = MissingAware(kernel, missing=missing)
    return kernel.on([c.name for c in block])


# The kernels of columns that hold texts or sets, and the maps that read them.
_OF_ITEMS: dict[str, tuple[Callable[[], Kernel], Callable[..., list[Any]]]] = {
    "text": (TfIdf, texts),
    "string": (lambda: BlendedSpectrum(length=3).normalize(), texts),
    "set": (Jaccard, sets),
}


def _column_kernels(column: TableColumn, width: float, incomplete: bool) -> list[Kernel]:
    """The kernels of a column of dates, texts or sets; none of others, which are in blocks.

    That of texts or sets is the RBF of the features of a kernel k: exp(k/ℓ²), normalized.
    """
    if column.kind == "date":
        return _date_kernels(column, width, incomplete)
    if column.kind not in _OF_ITEMS:
        return []
    make_inner, read = _OF_ITEMS[column.kind]
    kernel = (digits(width**-2) * make_inner()).exp().normalize()
    return [(kernel @ read).on([column.name])]


def _date_kernels(column: TableColumn, width: float, incomplete: bool) -> list[Kernel]:
    kernels = []
    for function, unit in [("days", column.unit), *((cycle, 1.0) for cycle, _ in column.cycles)]:
        kernel: Kernel = RBF(digits(width * unit))
        if incomplete:
            kernel = MissingAware(kernel)
        kernels.append((kernel @ FUNCTIONS[function].function).on([column.name]))
    return kernels


def digits(value: float) -> float:
    """Four digits: a width need not be exact, and should be readable."""
    return float(f"{value:.4g}")
