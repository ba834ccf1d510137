"""Delimited text as a data frame: which separator, is there a header, which cells are holes."""

from __future__ import annotations

import contextlib
import csv
import dataclasses
import io
import itertools
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mercer.aliases import Frame
from mercer.errors import InputError, MissingDependencyError
from mercer.readers.files import MOST_BYTES, check_file, read_text

MISSING = ("", "?", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "null", "NULL")
_SEPARATORS = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "bars", " ": "blanks"}
PARQUET = (".parquet", ".pq")
_LOOK = 200  # lines that are looked at before the whole is read
_NUMBER = re.compile(r"[-+]?(\d+[.,]?\d*|[.,]\d+)([eE][-+]?\d+)?")
_THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2},\d{3}")
_ENDS = re.compile(
    r"\r\n|\n|\r"
)  # of lines; str.splitlines knows more of them, which stand inside cells
_LONGEST = 2**31 - 1  # letters of a cell


@dataclasses.dataclass(frozen=True)
class Layout:
    """How a table was written, so that another one of its kind is read alike."""

    separator: str
    header: bool
    names: tuple[str, ...]
    texts: tuple[str, ...]  # columns that are text, also where a later file has only digits there
    missing: tuple[str, ...] = MISSING
    encoding: str = "utf-8"
    decimal: str = "."

    def __str__(self) -> str:
        title = "a header" if self.header else "no header"
        between = (
            _SEPARATORS.get(self.separator, repr(self.separator)) if self.separator else "Parquet"
        )
        return f"{between}, {title}, {len(self.names)} columns" + (
            ", decimal commas" if self.decimal == "," else ""
        )


def pandas() -> Any:
    try:
        import pandas as pd
    except ImportError:
        raise MissingDependencyError(
            "pandas", "not installed", "is needed to read tables", "pip install 'mercer[cli]'"
        ) from None
    return pd


def read_table(
    path: Any,
    *,
    separator: str | None = None,
    header: bool | None = None,
    missing: tuple[str, ...] | None = None,
    encoding: str = "utf-8",
    like: Layout | None = None,
    most_bytes: int = MOST_BYTES,
) -> tuple[Any, Layout]:
    """A data frame of a delimited file (plain or gzip) or a Parquet file, and how it was read; what is None is found out.

    Columns of files without a header are called c0, c1, ... ``missing`` are the cells that mean a hole; by default the empty one, "?", "NA"
    and the like. Decimal commas are read where the separator is another and no number has a point. ``like`` is the layout of an earlier
    file: columns keep its names and types, and some may be absent.

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
        separator, missing, encoding = (
            separator or like.separator,
            missing or like.missing,
            like.encoding,
        )
    missing = MISSING if missing is None else tuple(missing)
    text = read_text(path, encoding, most_bytes)
    if not text.strip():
        raise InputError("path", str(path), "is empty")
    with _long_cells(), _one_line(path):
        separator = separator or _separator(text)
        if len(separator) != 1 or separator in '\r\n"':
            raise InputError(
                "separator",
                separator,
                "must be one character",
                "a blank stands for any number of blanks and tabs",
            )
        _check_rectangle(path, text, separator)
        first, *rest = itertools.islice(_rows(text, separator), _LOOK)
    if header is None:
        header = (
            _is_header(first, rest, missing)
            if like is None
            else _is_known(first, rest, missing, like)
        )
    names = _names(path, first, header, like)
    if header and not rest:
        raise InputError("path", str(path), "has a header and no rows")
    decimal = _decimal(text, separator) if like is None else like.decimal
    frame = _frame(path, text, separator, decimal, header, names, missing, like)
    return frame, Layout(separator, header, tuple(names), _texts(frame), missing, encoding, decimal)


@contextlib.contextmanager
def _long_cells() -> Iterator[None]:
    """Cells may be whole texts."""
    before = csv.field_size_limit(_LONGEST)
    try:
        yield
    finally:
        csv.field_size_limit(before)


@contextlib.contextmanager
def _one_line(path: Path) -> Iterator[None]:
    try:
        yield
    except csv.Error as error:
        raise InputError("path", str(path), f"is not a table ({error})") from None


def _texts(frame: Frame) -> tuple[str, ...]:
    """Columns of strings; others that are stored as objects, such as truth values with holes, are not."""
    pd = pandas()
    return tuple(
        name
        for name in frame.columns
        if pd.api.types.infer_dtype(frame[name], skipna=True) == "string"
    )


def _parquet(path: Path, most_bytes: int) -> tuple[Any, Layout]:
    pd = pandas()
    check_file(path, most_bytes)
    try:
        frame = pd.read_parquet(path)
    except ImportError:
        raise MissingDependencyError(
            "pyarrow",
            "not installed",
            "is needed for Parquet",
            "pip install pyarrow, or the extra mercer[parquet]",
        ) from None
    except Exception as error:
        raise InputError(
            "path", str(path), f"is not a Parquet file ({str(error).splitlines()[0]})"
        ) from None
    frame.columns = [str(name) for name in frame.columns]
    _check_twice(path, list(frame.columns))
    return frame, Layout("", True, tuple(frame.columns), _texts(frame))


def _reader(text: str, separator: str) -> Any:
    """Cells of every line; it knows at which line it is."""
    lines: Any = io.StringIO(text, newline="")
    if separator == " ":  # any number of blanks and tabs, also at the ends
        lines = (line.strip(" \t").replace("\t", " ") for line in _ENDS.split(text))
    return csv.reader(lines, delimiter=separator, skipinitialspace=True)


def _rows(text: str, separator: str) -> Any:
    """Cells of every line that is not blank."""
    return (row for row in _reader(text, separator) if not _is_blank(row))


def _is_blank(row: list[str]) -> bool:
    return not row or (len(row) == 1 and not row[0].strip())


def _separator(text: str) -> str:
    """The separator that cuts most of the first lines into the same number of cells, more than one."""
    best, score = ",", (0.0, 0)
    for separator in _SEPARATORS:
        try:
            widths = Counter(len(row) for row in itertools.islice(_rows(text, separator), _LOOK))
        except csv.Error:
            continue
        width, count = widths.most_common(1)[0]
        agreed = (count / widths.total(), width)
        # blanks stand between words too: they must agree everywhere to count
        if width > 1 and (separator != " " or agreed[0] == 1.0) and agreed > score:
            best, score = separator, agreed
    return best


def _check_rectangle(path: Path, text: str, separator: str) -> None:
    """Every row as wide as the first; the message names the line."""
    width = None
    lines: Any
    if separator == " " or '"' in text:
        rows = _reader(text, separator)
        lines = ((rows.line_num, len(row)) for row in rows if not _is_blank(row))
    else:  # the same, faster
        lines = (
            (at, line.count(separator) + 1)
            for at, line in enumerate(_ENDS.split(text), 1)
            if line.strip()
        )
    for at, cells in lines:
        width = cells if width is None else width
        if cells != width:
            rule = f"has {cells} cells where the first row has {width}"
            raise InputError(
                f"{path.name}, line {at}",
                _line(text, at),
                rule,
                "mend the line, or name the separator",
            )


def _line(text: str, at: int) -> str:
    return _ENDS.split(text, at)[at - 1][:60]


def _is_header(first: list[str], rest: list[list[str]], missing: tuple[str, ...]) -> bool:
    """Names are words, all different, that do not occur again below; cells without a name may be among them."""
    names = [cell.strip() for cell in first]
    told = [name for name in names if name]
    if not told or any(_NUMBER.fullmatch(name) or name in missing for name in told):
        return False
    if any(name and name == row[at].strip() for row in rest for at, name in enumerate(names)):
        return False
    if len(set(told)) < len(
        told
    ):  # a name twice: that is for the user to mend, if names they are, above numbers
        return any(
            all(_NUMBER.fullmatch(row[at].strip()) for row in rest) for at in range(len(names))
        ) and bool(rest)
    return True


def _is_known(
    first: list[str], rest: list[list[str]], missing: tuple[str, ...], like: Layout
) -> bool:
    """Whether the first row are names, by those of an earlier table; some may be new."""
    told = [cell.strip() for cell in first if cell.strip()]
    known = sum(name in like.names for name in told)
    if not like.header:
        return bool(told) and known == len(told)
    return 2 * known > len(told) or _is_header(first, rest, missing)


def _decimal(text: str, separator: str) -> str:
    """A comma, where cells are such as 1,5 and none is such as 1.5; if all of them are such as 1,500 nobody knows, and they stay text."""
    if separator == ",":
        return "."
    edge, blanks = (
        (r'[^ \t\r\n"]', "") if separator == " " else (rf'[^{re.escape(separator)}\r\n"]', " *")
    )

    def cells(mark: str) -> Iterator[re.Match[str]]:
        return re.finditer(
            rf"(?<!{edge}){blanks}([-+]?\d*{mark}\d+(?:[eE][-+]?\d+)?){blanks}(?!{edge})", text
        )

    if all(_THOUSANDS.fullmatch(cell[1]) for cell in cells(",")):
        return "."
    return "." if next(cells(r"\."), None) is not None else ","


def _names(path: Path, first: list[str], header: bool, like: Layout | None) -> list[str]:
    if not header:
        if like is None or like.header:
            return [f"c{at}" for at in range(len(first))]
        if len(first) not in (len(like.names), len(like.names) - 1):
            rule = f"has {len(first)} columns where the table that was learned from has {len(like.names)}"
            raise InputError("path", str(path), rule)
        return list(like.names)  # of one less column the caller knows which is absent
    names = [cell.strip() or f"c{at}" for at, cell in enumerate(first)]
    _check_twice(path, names)
    return names


def _check_twice(path: Path, names: list[str]) -> None:
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise InputError("path", str(path), f"has two columns called {twice[0]!r}", "rename one")


def _frame(
    path: Path,
    text: str,
    separator: str,
    decimal: str,
    header: bool,
    names: list[str],
    missing: tuple[str, ...],
    like: Layout | None,
) -> Any:
    pd = pandas()
    text = re.sub(
        r"\A(?:[ \t]*(?:\r\n|\n|\r))+", "", text
    )  # so that the first line is the first row
    known = {name: str for name in like.texts if name in names} if like is not None else {}
    try:
        frame = pd.read_csv(
            io.StringIO(text),
            sep=r"\s+" if separator == " " else separator,
            header=None,
            names=names,
            skiprows=1 if header else 0,
            index_col=False,
            na_values=list(missing),
            keep_default_na=False,
            skipinitialspace=True,
            low_memory=False,
            decimal=decimal,
            dtype=known or None,
        )
    except (ValueError, OverflowError) as error:
        raise InputError(
            "path", str(path), f"cannot be read as a table ({str(error).splitlines()[0]})"
        ) from None
    for name in names:
        if str(frame[name].dtype) in ("object", "str", "string"):
            kind = pd.api.types.infer_dtype(frame[name], skipna=True)
            if kind == "string":
                frame[name] = frame[name].str.strip()
            elif "integer" in kind or kind == "floating":  # whole numbers beyond 64 bits
                frame[name] = frame[name].astype(float)
    return frame
