"""The rows of delimited text, with the lines they stand on, and whether they are of one length."""

from __future__ import annotations

import contextlib
import csv
import io
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from mercer.errors import InputError

LINE_ENDS = re.compile(r"\r\n|\n|\r")  # str.splitlines knows more, which occur inside cells
_LONGEST = 2**31 - 1  # letters of a cell


@contextlib.contextmanager
def long_cells() -> Iterator[None]:
    """Let cells be as long as whole texts."""
    before = csv.field_size_limit(_LONGEST)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def numbered_rows(text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    """The cells of every row that is not blank, and the line on which it begins."""
    lines: Iterable[str] = io.StringIO(text, newline="")
    if separator == " ":  # any number of blanks and tabs, also at the ends
        lines = (line.strip(" \t").replace("\t", " ") for line in LINE_ENDS.split(text))
    reader = csv.reader(lines, delimiter=separator, skipinitialspace=True)
    line = 1
    for row in reader:
        if not _is_blank(row):
            yield line, row
        line = reader.line_num + 1


def table_rows(text: str, separator: str) -> Iterator[list[str]]:
    """The cells of every line that is not blank."""
    return (row for _, row in numbered_rows(text, separator))


def _is_blank(row: list[str]) -> bool:
    return not row or (len(row) == 1 and not row[0].strip())


def check_rectangle(path: Path, text: str, separator: str) -> None:
    """Refuse rows of different lengths and quotes that do not end, and name the line."""
    if '"' in text:
        _check_quotes(path, text, separator)
    lines = _cells_per_line(text, separator)
    _, expected = next(lines, (0, 0))
    for at, n_cells in lines:
        if n_cells != expected:
            rule = f"has {n_cells} cells where the first row has {expected}"
            remedy = "correct the line, or name the separator"
            raise InputError(f"{path.name}, line {at}", _line(text, at), rule, remedy)


def _line(text: str, at: int) -> str:
    """The beginning of a line, which is counted from 1."""
    return LINE_ENDS.split(text, at)[at - 1][:60]


def _cells_per_line(text: str, separator: str) -> Iterator[tuple[int, int]]:
    """The number of every line that is not blank, and the number of its cells."""
    if separator == " " or '"' in text:
        return ((at, len(row)) for at, row in numbered_rows(text, separator))
    # Without quotes, counting the separators is quicker.
    lines = enumerate(LINE_ENDS.split(text), 1)
    return ((at, line.count(separator) + 1) for at, line in lines if line.strip())


def _check_quotes(path: Path, text: str, separator: str) -> None:
    """Refuse a row of several lines whose quotes do not enclose whole cells.

    A quote that is never closed would hide all lines up to the next quote, or to the end of the
    file, in one cell.
    """
    if separator == " ":  # quotes end with the line
        return
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, skipinitialspace=True)
    lines: list[str] | None = None
    before = 0
    for _ in reader:
        first, before = before, reader.line_num
        if before - first < 2:
            continue
        if lines is None:
            lines = list(io.StringIO(text, newline=""))
        try:
            row = lines[first:before]
            list(csv.reader(row, delimiter=separator, skipinitialspace=True, strict=True))
        except csv.Error:
            rule = "has a quote that is not closed"
            remedy = "close it, or double the quotes that stand inside a quoted cell"
            place = f"{path.name}, line {first + 1}"
            raise InputError(place, _line(text, first + 1), rule, remedy) from None
