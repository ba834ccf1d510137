"""Delimited text as a data frame: its separator, its header and its missing values are detected."""

from __future__ import annotations

import contextlib
import csv
import dataclasses
import io
import itertools
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NoReturn

from mercer.aliases import Frame
from mercer.errors import InputError, did_you_mean
from mercer.readers import parquet
from mercer.readers.cells import Cells, doubt_digits_of_columns
from mercer.readers.doubts import check_case, doubt_case_of_columns, holds_sequences
from mercer.readers.files import MOST_BYTES, pandas, read_text
from mercer.readers.layouts import LOOK, MISSING, Layout, find_decimal, find_separator, has_header
from mercer.readers.rows import check_rectangle, long_cells, table_rows
from mercer.readers.written_dates import as_dates, date_orders

_MOST_COLUMNS = 1_000_000
_BLANK_LINES = re.compile(r"\A(?:[ \t]*(?:\r\n|\n|\r))+")  # at the beginning


def read_table(
    path: str | Path,
    *,
    separator: str | None = None,
    header: bool | None = None,
    missing: tuple[str, ...] | None = None,
    encoding: str = "utf-8",
    texts: Sequence[str] = (),
    like: Layout | None = None,
    strict: bool = False,
    case: str | None = None,
    most_bytes: int = MOST_BYTES,
) -> tuple[Frame, Layout]:
    """Read a delimited file (plain or gzip) or a Parquet file; what is None is detected.

    Decimal commas are read where the separator is another character and no number has a point. A
    cell that is not a number, in a column where at most one cell in twenty is not, is a missing
    value, with a warning that names its line. Dates such as 31/12/2021 become 2021-12-31 where all
    cells of a column allow only one order of day and month. Columns of DNA in capital and in small
    letters, which kernels take for different letters, give a warning.

    Parameters
    ----------
    path : str or path
        The file.
    separator : str, optional
        One character between the cells; a blank stands for any number of blanks and tabs.
    header : bool, optional
        Whether the first row holds the names of the columns; without, they are c0, c1, ...
    missing : tuple of str, optional
        The cells that mean a missing value; by default the empty one, "?", "NA" and the like.
    encoding : str
        The encoding of the text.
    texts : sequence of str
        Columns to be read as text, such as numbers that are names.
    like : Layout, optional
        The layout of an earlier file: columns keep its names and types, and some may be absent.
    strict : bool
        Whether to refuse what would give a warning.
    case : {"upper", "lower"}, optional
        Change all letters of columns of DNA or RNA to capital or to small letters.
    most_bytes : int
        Larger files are refused.

    Returns
    -------
    frame : DataFrame
        The table.
    layout : Layout
        How it was read.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "some.csv"
    >>> _ = file.write_text("age;color\\n31;red\\n?;blue\\n")
    >>> from mercer.readers import read_table
    >>> frame, layout = read_table(file)
    >>> print(layout, frame["age"].tolist())
    semicolons, a header, 2 columns [31.0, nan]
    """
    check_case(case)
    path = Path(path)
    if path.suffix.lower() in parquet.SUFFIXES:
        frame = parquet.read_parquet(path, most_bytes)
        layout = Layout("", True, tuple(frame.columns), ())
        _check_known(texts, list(frame.columns))
        if like is not None:
            layout = dataclasses.replace(layout, case=like.case, sequences=like.sequences)
            texts = [name for name in like.texts if name in frame.columns]
        for name in texts:
            frame[name] = _as_texts(frame[name])
        doubt_digits_of_columns(path.name, frame, strict)
        return _in_one_case(path, frame, layout, case, strict)
    if like is not None:
        # The layout of a Parquet file has no separator: that of a text is then detected.
        separator = (like.separator or None) if separator is None else separator
        encoding = like.encoding
    missing = _missing(missing, like)
    text = read_text(path, encoding, most_bytes)
    separator, rows = _first_rows(path, text, separator)
    _check_count(path, len(rows[0]))
    if header is None:
        header = has_header(rows, missing, like)
    names = _names(path, rows[0], header, like)
    if header and len(rows) == 1:
        _refuse_single_line(path, names, like)
    is_first = like is None
    if like is None:
        _check_known(texts, names)
        decimal = find_decimal(text, separator)
        like = Layout(separator, header, (), tuple(texts), decimal=decimal, encoding=encoding)
    layout = dataclasses.replace(
        like, separator=separator, header=header, names=tuple(names), missing=missing
    )
    frame = _frame(path, text, layout, strict)
    if is_first:
        orders = date_orders(frame.drop(columns=list(texts)))
        day_first, month_first = _keys(orders, "day"), _keys(orders, "month")
        layout = dataclasses.replace(layout, day_first=day_first, month_first=month_first)
    frame = as_dates(frame, layout.date_orders)
    return _in_one_case(path, frame, layout, case, strict)


def _in_one_case(
    path: Path, frame: Frame, layout: Layout, case: str | None, strict: bool
) -> tuple[Frame, Layout]:
    """The table with columns of DNA in the case that is asked for, or that of an earlier table."""
    case = case or layout.case
    if case is not None:
        others = [name for name in frame.columns if name not in layout.sequences]
        sequences = (*layout.sequences, *(n for n in others if holds_sequences(frame[n])))
        for name in filter(frame.columns.__contains__, sequences):
            frame[name] = _changed(frame[name], case)
        layout = dataclasses.replace(layout, case=case, sequences=sequences)
    doubt_case_of_columns(path.name, frame, strict)
    return frame, dataclasses.replace(layout, texts=text_columns(frame))


def _as_texts(column: Frame) -> Frame:
    """A column as texts; categories and missing values stay what they are."""
    if str(column.dtype) == "category":
        return column
    return column.astype(object).where(column.isna(), column.astype(str))


def _changed(column: Frame, case: str) -> Frame:
    """A column whose texts are in one case; categories that then agree are one."""
    cells = [getattr(cell, case)() if isinstance(cell, str) else cell for cell in column]
    kind = "category" if str(column.dtype) == "category" else None
    return pandas().Series(cells, index=column.index, dtype=kind)


def _keys(orders: dict[str, str], order: str) -> tuple[str, ...]:
    return tuple(name for name, each in orders.items() if each == order)


def _missing(cells: tuple[str, ...] | None, like: Layout | None) -> tuple[str, ...]:
    """The cells that mean a missing value: those given, those of an earlier table, or the usual."""
    if like is not None:
        return tuple(cells or like.missing)
    return MISSING if cells is None else tuple(cells)


def _first_rows(path: Path, text: str, separator: str | None) -> tuple[str, list[list[str]]]:
    """The separator, which is detected if it is None, and the first rows."""
    with long_cells(), _one_line(path):
        if separator is None:
            separator = find_separator(text)
        _check_separator(separator)
        check_rectangle(path, text, separator)
        rows = list(itertools.islice(table_rows(text, separator), LOOK))
    if not rows:
        raise InputError("path", str(path), "is empty")
    return separator, rows


def _check_count(path: Path, n_columns: int) -> None:
    """Refuse more columns than a data frame has room for, each of which takes about a kilobyte."""
    if n_columns > _MOST_COLUMNS:
        rule = f"has {n_columns:,} columns, above the limit of {_MOST_COLUMNS:,}"
        raise InputError("path", str(path), rule, "is the separator wrong? else give fewer columns")


def _check_separator(separator: str) -> None:
    if len(separator) != 1 or not separator.isascii() or separator in '\0\r\n"':
        remedy = "a blank stands for any number of blanks and tabs"
        raise InputError("separator", separator, "must be one character of ASCII", remedy)


@contextlib.contextmanager
def _one_line(path: Path) -> Iterator[None]:
    """Turn errors of the module csv into one line."""
    try:
        yield
    except csv.Error as error:
        raise InputError("path", str(path), f"is not a table ({error})") from None


def text_columns(frame: Frame) -> tuple[str, ...]:
    """The columns of strings, and not those of other objects, such as truth values with None."""
    kind_of = pandas().api.types.infer_dtype
    return tuple(name for name in frame.columns if kind_of(frame[name], skipna=True) == "string")


def _names(path: Path, first: list[str], header: bool, like: Layout | None) -> list[str]:
    """The names of the columns: those in the header, those of an earlier table, or c0, c1, ..."""
    if header:
        names = [cell.strip() or f"c{at}" for at, cell in enumerate(first)]
        parquet.check_twice(path, names)
        return names
    if like is None or like.header:
        return [f"c{at}" for at in range(len(first))]
    _check_width(path, len(first), len(like.names))
    return list(like.names)


def _refuse_single_line(path: Path, names: list[str], like: Layout | None) -> NoReturn:
    """Raise an error for a header without rows, or for a line that is not of such a table."""
    if like is None or not set(names).isdisjoint(like.names):
        raise InputError("path", str(path), "has a header and no rows")
    rule = "has a single line, which is no row of the table that the model was fitted on"
    raise InputError("path", str(path), rule, f"its columns are {', '.join(like.names)}")


def _check_width(path: Path, n_columns: int, n_known: int) -> None:
    """Refuse a table that lacks more than one column: of one, the caller knows which it is."""
    if n_columns not in (n_known, n_known - 1):
        rule = f"has {n_columns} columns where the table that was learned from has {n_known}"
        raise InputError("path", str(path), rule)


def _check_known(texts: Sequence[str], names: list[str]) -> None:
    for name in texts:
        if name not in names:
            raise InputError("texts", name, "is not a column", did_you_mean(name, names))


def _frame(path: Path, text: str, layout: Layout, strict: bool) -> Frame:
    separator = layout.separator
    if separator == " ":
        separator = r"\s+"
    known_texts = {name: str for name in layout.texts if name in layout.names}
    try:
        frame = pandas().read_csv(
            io.StringIO(_BLANK_LINES.sub("", text)),
            sep=separator,
            header=None,
            names=list(layout.names),
            skiprows=int(layout.header),
            index_col=False,
            na_values=list(layout.missing),
            keep_default_na=False,
            skipinitialspace=True,
            low_memory=False,
            decimal=layout.decimal,
            dtype=known_texts or None,
        )
    except (ValueError, OverflowError) as error:
        rule = f"cannot be read as a table ({str(error).splitlines()[0]})"
        raise InputError("path", str(path), rule) from None
    cells = Cells(path.name, text, layout, strict)
    with long_cells():
        for name in layout.names:
            if str(frame[name].dtype) in ("object", "str", "string"):
                frame[name] = _tidied(cells, frame[name])
        cells.check_digits(frame)
    return frame


def _tidied(cells: Cells, column: Frame) -> Frame:
    """Texts without blanks around them; numbers where nearly all cells are numbers."""
    kind = pandas().api.types.infer_dtype(column, skipna=True)
    if kind == "string" and column.name in cells.layout.texts:
        return column.str.strip()
    if kind == "string":
        return cells.as_numbers(column)
    if "integer" in kind or kind == "floating":  # whole numbers beyond 64 bits
        return column.astype(str).astype(float)  # by text: beyond all floats they are infinite
    return column
