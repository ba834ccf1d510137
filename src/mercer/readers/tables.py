"""Delimited text as a data frame: which separator, is there a header, which cells are holes."""

from __future__ import annotations

import csv
import dataclasses
import io
import itertools
import re
from collections import Counter
from pathlib import Path
from typing import Any

from mercer.errors import InputError, MissingDependencyError, explain
from mercer.readers.files import MOST_BYTES, read_text

MISSING = ("", "?", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "null", "NULL")
_SEPARATORS = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "bars", " ": "blanks"}
_LOOK = 200  # lines that are looked at before the whole is read
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")


@dataclasses.dataclass(frozen=True)
class Layout:
    """How a table was written, so that another one of its kind is read alike."""

    separator: str
    header: bool
    names: tuple[str, ...]
    texts: tuple[str, ...]  # columns that are text, also where a later file has only digits there
    missing: tuple[str, ...] = MISSING
    encoding: str = "utf-8"

    def __str__(self) -> str:
        title = "a header" if self.header else "no header"
        return f"{_SEPARATORS.get(self.separator, repr(self.separator))}, {title}, {len(self.names)} columns"


def pandas() -> Any:
    try:
        import pandas as pd
    except ImportError:
        raise MissingDependencyError(explain("pandas", "not installed", "is needed to read tables", "pip install 'mercer[cli]'")) from None
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
    and the like. ``like`` is the layout of an earlier file: columns keep its names and types, and some may be absent.

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "some.csv"
    >>> _ = file.write_text("age;colour\\n31;red\\n?;blue\\n")
    >>> from mercer.readers import read_table
    >>> frame, layout = read_table(file)
    >>> print(layout, frame["age"].tolist())
    semicolons, a header, 2 columns [31.0, nan]
    """
    path = Path(path)
    if path.suffix in (".parquet", ".pq"):
        return _parquet(path)
    if like is not None:
        separator, missing, encoding = separator or like.separator, missing or like.missing, like.encoding
    missing = MISSING if missing is None else tuple(missing)
    text = read_text(path, encoding, most_bytes)
    if not text.strip():
        raise InputError(explain("path", str(path), "is empty"))
    separator = separator or _separator(text)
    _check_rectangle(path, text, separator)
    first, *rest = itertools.islice(_rows(text, separator), _LOOK)
    if header is None:
        header = _is_header(first, rest, missing) if like is None or not like.header else set(map(str.strip, first)) <= set(like.names)
    names = _names(path, first, header, like)
    if header and not rest:
        raise InputError(explain("path", str(path), "has a header and no rows"))
    frame = _frame(path, text, separator, header, names, missing, like)
    texts = tuple(name for name in names if frame[name].dtype.kind == "O" or str(frame[name].dtype) in ("str", "string"))
    return frame, Layout(separator, header, tuple(names), texts, missing, encoding)


def _parquet(path: Path) -> tuple[Any, Layout]:
    pd = pandas()
    if not path.exists():
        raise InputError(explain("path", str(path), "is not there"))
    try:
        frame = pd.read_parquet(path)
    except ImportError:
        raise MissingDependencyError(explain("pyarrow", "not installed", "is needed for Parquet", "pip install pyarrow")) from None
    except Exception as error:
        raise InputError(explain("path", str(path), f"is not a Parquet file ({str(error).splitlines()[0]})")) from None
    frame.columns = [str(name) for name in frame.columns]
    return frame, Layout("", True, tuple(frame.columns), ())


def _rows(text: str, separator: str) -> Any:
    """Cells of every line that is not blank."""
    if separator == " ":
        return (line.split() for line in text.splitlines() if line.strip())
    return (
        row for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator, skipinitialspace=True) if any(map(str.strip, row))
    )


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
    try:
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator, skipinitialspace=True) if separator != " " else None
        quoted = separator != " " and '"' in text
        lines: Any = ((rows.line_num, len(row)) for row in rows if any(row)) if quoted and rows is not None else None
        if lines is None:
            stripped = ((at, line) for at, line in enumerate(text.splitlines(), 1) if line.strip())
            lines = ((at, len(line.split()) if separator == " " else line.count(separator) + 1) for at, line in stripped)
        for at, cells in lines:
            width = cells if width is None else width
            if cells != width:
                rule = f"has {cells} cells where the first row has {width}"
                raise InputError(explain(f"{path.name}, line {at}", _line(text, at), rule, "mend the line, or name the separator"))
    except csv.Error as error:
        raise InputError(explain("path", str(path), f"is not a table ({error})")) from None


def _line(text: str, at: int) -> str:
    return next(itertools.islice(text.splitlines(), at - 1, None), "")[:60]


def _is_header(first: list[str], rest: list[list[str]], missing: tuple[str, ...]) -> bool:
    """Names are words, all different, that do not occur again below."""
    names = [cell.strip() for cell in first]
    if len(set(names)) < len(names) or any(_NUMBER.fullmatch(name) for name in names):
        return False
    if any(name in missing and name for name in names):
        return False
    return bool(rest) and not any(name == row[at].strip() for row in rest for at, name in enumerate(names))


def _names(path: Path, first: list[str], header: bool, like: Layout | None) -> list[str]:
    if not header:
        if like is None or like.header:
            return [f"c{at}" for at in range(len(first))]
        if len(first) not in (len(like.names), len(like.names) - 1):
            rule = f"has {len(first)} columns where the table that was learned from has {len(like.names)}"
            raise InputError(explain("path", str(path), rule))
        return list(like.names)  # of one less column the caller knows which is absent
    names = [cell.strip() or f"c{at}" for at, cell in enumerate(first)]
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise InputError(explain("path", str(path), f"has two columns called {twice[0]!r}", "rename one"))
    return names


def _frame(path: Path, text: str, separator: str, header: bool, names: list[str], missing: tuple[str, ...], like: Layout | None) -> Any:
    pd = pandas()
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
            dtype=known or None,
        )
    except (ValueError, OverflowError) as error:
        raise InputError(explain("path", str(path), f"cannot be read as a table ({str(error).splitlines()[0]})")) from None
    for name in names:
        if str(frame[name].dtype) in ("object", "str", "string"):
            frame[name] = frame[name].str.strip()
    return frame
