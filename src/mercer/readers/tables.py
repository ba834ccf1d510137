"""Delimited text as a data frame: its separator, its header and its missing values are detected."""

from __future__ import annotations

import contextlib
import csv
import dataclasses
import io
import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from mercer.aliases import Frame
from mercer.errors import InputError, MissingDependencyError
from mercer.readers.files import MOST_BYTES, check_file, read_text

MISSING = ("", "?", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "null", "NULL")
_SEPARATORS = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "bars", " ": "blanks"}
PARQUET = (".parquet", ".pq")
_LOOK = 200  # lines that are looked at before the whole file is read
_NUMBER = re.compile(r"[-+]?(\d+[.,]?\d*|[.,]\d+)([eE][-+]?\d+)?")
_THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2},\d{3}")
_LINE_ENDS = re.compile(r"\r\n|\n|\r")  # str.splitlines knows more, which occur inside cells
_BLANK_LINES = re.compile(r"\A(?:[ \t]*(?:\r\n|\n|\r))+")  # at the beginning
_LONGEST = 2**31 - 1  # letters of a cell


@dataclasses.dataclass(frozen=True)
class Layout:
    """How a table was written, so that another one of its kind is read in the same way."""

    separator: str
    header: bool
    names: tuple[str, ...]
    texts: tuple[str, ...]  # columns that are text, also where a later file has only digits there
    missing: tuple[str, ...] = MISSING
    encoding: str = "utf-8"
    decimal: str = "."

    def __str__(self) -> str:
        between = "Parquet"
        if self.separator:
            between = _SEPARATORS.get(self.separator, repr(self.separator))
        title = "a header" if self.header else "no header"
        parts = [between, title, f"{len(self.names)} columns"]
        if self.decimal == ",":
            parts.append("decimal commas")
        return ", ".join(parts)


def pandas() -> ModuleType:
    """The library pandas, or an error that says how to install it."""
    try:
        import pandas as pd
    except ImportError:
        rule, remedy = "is needed to read tables", "pip install 'mercer[cli]'"
        raise MissingDependencyError("pandas", "not installed", rule, remedy) from None
    return pd


def read_table(
    path: str | Path,
    *,
    separator: str | None = None,
    header: bool | None = None,
    missing: tuple[str, ...] | None = None,
    encoding: str = "utf-8",
    like: Layout | None = None,
    most_bytes: int = MOST_BYTES,
) -> tuple[Frame, Layout]:
    """Read a delimited file (plain or gzip) or a Parquet file; what is None is detected.

    Decimal commas are read where the separator is another character and no number has a point.

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
    like : Layout, optional
        The layout of an earlier file: columns keep its names and types, and some may be absent.
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
    >>> _ = file.write_text("age;colour\\n31;red\\n?;blue\\n")
    >>> from mercer.readers import read_table
    >>> frame, layout = read_table(file)
    >>> print(layout, frame["age"].tolist())
    semicolons, a header, 2 columns [31.0, nan]
    """
    path = Path(path)
    if path.suffix.lower() in PARQUET:
        return _parquet(path, most_bytes)
    if like is not None:
        separator = separator or like.separator
        encoding = like.encoding
    missing = _missing(missing, like)
    text = read_text(path, encoding, most_bytes)
    separator, rows = _first_rows(path, text, separator)
    if header is None:
        header = _has_header(rows, missing, like)
    names = _names(path, rows[0], header, like)
    if header and len(rows) == 1:
        raise InputError("path", str(path), "has a header and no rows")
    layout = Layout(separator, header, tuple(names), (), missing, encoding)
    if like is None:
        layout = dataclasses.replace(layout, decimal=_decimal(text, separator))
    else:
        layout = dataclasses.replace(layout, decimal=like.decimal, texts=like.texts)
    frame = _frame(path, text, layout)
    return frame, dataclasses.replace(layout, texts=_texts(frame))


def _missing(cells: tuple[str, ...] | None, like: Layout | None) -> tuple[str, ...]:
    """The cells that mean a missing value: those given, those of an earlier table, or the usual."""
    if like is not None:
        return tuple(cells or like.missing)
    return MISSING if cells is None else tuple(cells)


def _first_rows(path: Path, text: str, separator: str | None) -> tuple[str, list[list[str]]]:
    """The separator, which is detected if it is None, and the first rows."""
    with _long_cells(), _one_line(path):
        separator = separator or _separator(text)
        _check_separator(separator)
        _check_rectangle(path, text, separator)
        rows = list(itertools.islice(table_rows(text, separator), _LOOK))
    if not rows:
        raise InputError("path", str(path), "is empty")
    return separator, rows


def _check_separator(separator: str) -> None:
    if len(separator) != 1 or separator in '\r\n"':
        remedy = "a blank stands for any number of blanks and tabs"
        raise InputError("separator", separator, "must be one character", remedy)


@contextlib.contextmanager
def _long_cells() -> Iterator[None]:
    """Let cells be as long as whole texts."""
    before = csv.field_size_limit(_LONGEST)
    try:
        yield
    finally:
        csv.field_size_limit(before)


@contextlib.contextmanager
def _one_line(path: Path) -> Iterator[None]:
    """Turn errors of the module csv into one line."""
    try:
        yield
    except csv.Error as error:
        raise InputError("path", str(path), f"is not a table ({error})") from None


def _texts(frame: Frame) -> tuple[str, ...]:
    """The columns of strings, and not those of other objects, such as truth values with None."""
    kind_of = pandas().api.types.infer_dtype
    return tuple(name for name in frame.columns if kind_of(frame[name], skipna=True) == "string")


def _parquet(path: Path, most_bytes: int) -> tuple[Frame, Layout]:
    pd = pandas()
    check_file(path, most_bytes)
    try:
        frame = pd.read_parquet(path)
    except ImportError:
        rule, remedy = "is needed for Parquet", "pip install pyarrow, or the extra mercer[parquet]"
        raise MissingDependencyError("pyarrow", "not installed", rule, remedy) from None
    except Exception as error:
        rule = f"is not a Parquet file ({str(error).splitlines()[0]})"
        raise InputError("path", str(path), rule) from None
    frame.columns = [str(name) for name in frame.columns]
    _check_twice(path, list(frame.columns))
    return frame, Layout("", True, tuple(frame.columns), _texts(frame))


def _reader(text: str, separator: str) -> Any:
    """A reader of the module csv, which gives the cells of every line and knows its number."""
    lines: Iterable[str] = io.StringIO(text, newline="")
    if separator == " ":  # any number of blanks and tabs, also at the ends
        lines = (line.strip(" \t").replace("\t", " ") for line in _LINE_ENDS.split(text))
    return csv.reader(lines, delimiter=separator, skipinitialspace=True)


def table_rows(text: str, separator: str) -> Iterator[list[str]]:
    """The cells of every line that is not blank."""
    return (row for row in _reader(text, separator) if not _is_blank(row))


def _is_blank(row: list[str]) -> bool:
    return not row or (len(row) == 1 and not row[0].strip())


def _separator(text: str) -> str:
    """The separator that cuts most of the first lines into the same number of cells."""
    scores = {separator: _agreement(text, separator) for separator in _SEPARATORS}
    return max(scores, key=lambda separator: scores[separator])


def _row_lengths(text: str, separator: str) -> Counter[int]:
    """How many of the first lines have each number of cells; none if they cannot be read."""
    try:
        rows = itertools.islice(table_rows(text, separator), _LOOK)
        return Counter(len(row) for row in rows)
    except csv.Error:
        return Counter()


def _agreement(text: str, separator: str) -> tuple[float, int]:
    """The share of lines with the most frequent number of cells, and this number."""
    lengths = _row_lengths(text, separator)
    n_cells, frequency = max(lengths.items(), key=lambda item: item[1], default=(0, 0))
    share = frequency / max(1, lengths.total())
    # Blanks stand between words too: all lines must have the same number of them.
    if n_cells == 1 or (separator == " " and share < 1.0):
        return 0.0, 0
    return share, n_cells


def _check_rectangle(path: Path, text: str, separator: str) -> None:
    """Refuse rows of different lengths, and name the line."""
    lines = _cells_per_line(text, separator)
    _, expected = next(lines, (0, 0))
    for at, n_cells in lines:
        if n_cells != expected:
            rule = f"has {n_cells} cells where the first row has {expected}"
            remedy = "correct the line, or name the separator"
            line = _LINE_ENDS.split(text, at)[at - 1][:60]
            raise InputError(f"{path.name}, line {at}", line, rule, remedy)


def _cells_per_line(text: str, separator: str) -> Iterator[tuple[int, int]]:
    """The number of every line that is not blank, and the number of its cells."""
    if separator == " " or '"' in text:
        rows = _reader(text, separator)
        return ((rows.line_num, len(row)) for row in rows if not _is_blank(row))
    # Without quotes, counting the separators is quicker.
    lines = enumerate(_LINE_ENDS.split(text), 1)
    return ((at, line.count(separator) + 1) for at, line in lines if line.strip())


def _has_header(rows: list[list[str]], missing: tuple[str, ...], like: Layout | None) -> bool:
    """Whether the first row holds names, by those of an earlier table if there is one."""
    if like is None:
        return _is_header(rows, missing)
    names = _named(rows[0])
    known = sum(name in like.names for name in names)
    if like.header:
        return 2 * known > len(names) or _is_header(rows, missing)
    return bool(names) and known == len(names)


def _is_header(rows: list[list[str]], missing: tuple[str, ...]) -> bool:
    """Names are different words that do not occur again below; some cells may be empty."""
    names = _named(rows[0])
    if not names or any(_NUMBER.fullmatch(name) or name in missing for name in names):
        return False
    columns = [set(map(str.strip, cells)) for cells in zip(*rows[1:], strict=False)]
    if any(cell.strip() in below - {""} for cell, below in zip(rows[0], columns, strict=False)):
        return False
    # If a name occurs twice, only numbers below show that these are names, for the user to correct.
    return len(set(names)) == len(names) or any(map(_are_numbers, columns))


def _are_numbers(cells: Iterable[str]) -> bool:
    return all(map(_NUMBER.fullmatch, cells))


def _named(cells: Iterable[str]) -> list[str]:
    """The cells that are not empty, without blanks around them."""
    return [cell.strip() for cell in cells if cell.strip()]


def _decimal(text: str, separator: str) -> str:
    """The decimal mark: a comma where cells are such as 1,5 and none is such as 1.5.

    If all of them are such as 1,500, commas may separate thousands: the cells stay text.
    """
    with_commas = _numbers_with(",", text, separator)
    if separator == "," or all(map(_THOUSANDS.fullmatch, with_commas)):
        return "."
    with_points = _numbers_with(r"\.", text, separator)
    if any(with_points):
        return "."
    return ","


def _numbers_with(mark: str, text: str, separator: str) -> Iterator[str]:
    """The cells that are numbers with this decimal mark."""
    inside, blanks = rf'[^{re.escape(separator)}\r\n"]', " *"
    if separator == " ":
        inside, blanks = r'[^ \t\r\n"]', ""
    number = rf"([-+]?\d*{mark}\d+(?:[eE][-+]?\d+)?)"
    cells = re.finditer(rf"(?<!{inside}){blanks}{number}{blanks}(?!{inside})", text)
    return (cell[1] for cell in cells)


def _names(path: Path, first: list[str], header: bool, like: Layout | None) -> list[str]:
    """The names of the columns: those in the header, those of an earlier table, or c0, c1, ..."""
    if header:
        names = [cell.strip() or f"c{at}" for at, cell in enumerate(first)]
        _check_twice(path, names)
        return names
    if like is None or like.header:
        return [f"c{at}" for at in range(len(first))]
    _check_width(path, len(first), len(like.names))
    return list(like.names)


def _check_width(path: Path, n_columns: int, n_known: int) -> None:
    """Refuse a table that lacks more than one column: of one, the caller knows which it is."""
    if n_columns not in (n_known, n_known - 1):
        rule = f"has {n_columns} columns where the table that was learned from has {n_known}"
        raise InputError("path", str(path), rule)


def _check_twice(path: Path, names: list[str]) -> None:
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise InputError("path", str(path), f"has two columns called {twice[0]!r}", "rename one")


def _frame(path: Path, text: str, layout: Layout) -> Frame:
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
    for name in layout.names:
        if str(frame[name].dtype) in ("object", "str", "string"):
            frame[name] = _tidied(frame[name])
    return frame


def _tidied(column: Any) -> Any:
    """Texts without blanks around them; whole numbers beyond 64 bits as floating-point numbers."""
    kind = pandas().api.types.infer_dtype(column, skipna=True)
    if kind == "string":
        return column.str.strip()
    if "integer" in kind or kind == "floating":
        return column.astype(float)
    return column
