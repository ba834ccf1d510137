"""Cells that do not suit their column: text among numbers, and numbers with too many digits."""

from __future__ import annotations

import dataclasses
import itertools
import math
import re

import numpy as np

from mercer.aliases import Frame
from mercer.readers.doubts import doubt
from mercer.readers.layouts import Layout
from mercer.readers.rows import numbered_rows

_MOST_BAD = 0.05  # share of text up to which a column is one of numbers
_EXACT = 2**53  # above, not every whole number is a floating-point number
_MANY_DIGITS = re.compile(r"\d{16}")
_WHOLE = re.compile(r"[-+]?\d+")
_GROUPED = re.compile(r"[-+]?\d{1,3}(,\d{3})*")  # thousands, or the decimals of European numbers
_MOST_LISTED = 3  # words that repeat, and as many that do not, of those that are no numbers
_AS_TEXT = "read the column as text (--text, or texts=)"
_AS_NAME = f"if it is a name, {_AS_TEXT}"
_LOST = "is a whole number beyond 2^53: its last digits are lost"
_SMALLER = "divide the values by a constant, or subtract one"
_LONG_VALUE = re.compile(r":([-+]?\d{16,})(?=\s|$)")


@dataclasses.dataclass(frozen=True)
class Cells:
    """The cells of a table, which know the lines they stand on."""

    file: str
    text: str
    layout: Layout
    strict: bool

    def as_numbers(self, column: Frame) -> Frame:
        """A column of strings as numbers, if nearly all of them are; what is not is missing.

        A column of which half or more are numbers, but not nearly all, remains text with a warning.
        """
        import pandas as pd

        name = str(column.name)
        column = column.str.strip()
        column = column.where(~column.isin(self.layout.missing))
        plain = column
        if self.layout.decimal == ",":
            plain = column.str.replace(",", ".")
        numbers = pd.to_numeric(plain, errors="coerce").astype(float)
        bad = np.flatnonzero(column.notna() & numbers.isna())
        n_numbers = int(numbers.notna().sum())
        if len(bad) >= max(1, n_numbers):
            self._doubt_thousands(column, name)
            return column
        if len(bad) > max(_MOST_BAD * n_numbers, 1):
            how = "the column is read as text"
            self._doubt_words(column, bad, n_numbers, how, "correct them")
            return column
        if len(bad):
            remedy = f"correct what is wrong, or {_AS_TEXT}"
            self._doubt_words(column, bad, n_numbers, "read as missing", remedy)
        return numbers

    def _doubt_words(
        self, column: Frame, bad: np.ndarray, n_numbers: int, how: str, remedy: str
    ) -> None:
        """Name the first of the cells that are not numbers, and which others there are."""
        name = str(column.name)
        rule = f"is not a number, as the other {n_numbers} cells are"
        if len(bad) > 1:
            others = f"and {len(bad) - 1} more cells are not numbers"
            rule = f"{others}, as the other {n_numbers} are"
        if not self.strict:
            rule += f": {how}"
        if len(bad) > 1:
            rule += f" ({self._listed(column.iloc[bad], bad, name)})"
        self._doubt(int(bad[0]), name, rule, remedy)

    def _listed(self, words: Frame, rows: np.ndarray, name: str) -> str:
        """The words that repeat, which may mean a missing value, and those that may be errors."""
        counts = words.value_counts()  # the most frequent first
        often = counts[counts > 1]
        listed = [f"{word!r} {count} times" for word, count in often[:_MOST_LISTED].items()]
        once = [row for word, row in zip(words, rows.tolist(), strict=True) if counts[word] == 1]
        for row in once[:_MOST_LISTED]:
            line, cell = self._find(row, name)
            listed.append(f"{cell!r} in line {line}")
        n_others = len(counts) - len(listed)
        if n_others:
            listed.append(f"{n_others} more")
        return ", ".join(listed)

    def _doubt(self, row: int, name: str, rule: str, remedy: str) -> None:
        line, cell = self._find(row, name)
        doubt(self.strict, f"{self.file}, line {line}, column {name!r}", cell, rule, remedy)

    def _find(self, row: int, name: str) -> tuple[int, str]:
        """The line of a row of the table, and the cell of a column there."""
        rows = numbered_rows(self.text, self.layout.separator)
        at = row + int(self.layout.header)
        line, cells = next(itertools.islice(rows, at, None), (at + 1, []))
        return line, dict(zip(self.layout.names, cells, strict=False)).get(name, "").strip()

    def _doubt_thousands(self, column: Frame, name: str) -> None:
        """Say so where all cells would be numbers but for commas that may mean two things."""
        present = column.dropna()
        if present.map(lambda cell: _GROUPED.fullmatch(cell) is not None).all():
            first = int(np.flatnonzero(column.notna())[0])
            rule = "has a comma before decimals or thousands: the column is read as text"
            remedy = "write numbers with a decimal point, and without commas"
            self._doubt(first, name, rule, remedy)

    def check_digits(self, frame: Frame) -> None:
        """Say so where whole numbers have more digits than a floating-point number holds."""
        if not _MANY_DIGITS.search(self.text):
            return
        large = {name: _are_large(frame[name]) for name in frame.columns}
        rows = itertools.islice(
            numbered_rows(self.text, self.layout.separator), int(self.layout.header), None
        )
        for (line, cells), *are_large in zip(rows, *large.values(), strict=False):
            for name, cell, is_large in zip(large, cells, are_large, strict=False):
                if is_large and _loses_digits(cell.strip()):
                    place = f"{self.file}, line {line}, column {name!r}"
                    doubt(self.strict, place, cell.strip(), _LOST, _AS_NAME)
                    return


def doubt_digits_of_columns(file: str, frame: Frame, strict: bool) -> None:
    """The same of a table that is no text: its first number that is rounded is named."""
    for name in frame.columns:
        if _kind(frame[name]) not in "iu":
            continue
        for value in frame[name][_are_large(frame[name])]:
            if value != int(float(value)):
                doubt(strict, f"{file}, column {name!r}", int(value), _LOST, _AS_NAME)
                break


def doubt_digits(file: str, text: str, strict: bool) -> None:
    """The same of the values of a text in which they stand after colons."""
    for match in _LONG_VALUE.finditer(text):
        if _loses_digits(match[1]):
            line = text.count("\n", 0, match.start()) + 1
            doubt(strict, f"{file}, line {line}", match[1], _LOST, _SMALLER)
            return


def doubt_digits_of_line(
    file: str, line: int, cells: list[str], values: np.ndarray, strict: bool
) -> bool:
    """The same of the cells of one line and what was read of them; whether one was rounded."""
    for at in np.flatnonzero(np.abs(values) >= _EXACT):
        cell = cells[at].strip()
        if _loses_digits(cell):
            doubt(strict, f"{file}, line {line}", cell, _LOST, _SMALLER)
            return True
    return False


def _kind(column: Frame) -> str:
    """The kind of a column's numbers, which pandas' own types call by the same letters."""
    return str(getattr(column.dtype, "kind", "O"))


def _are_large(column: Frame) -> np.ndarray:
    """Which numbers may be beyond those that are exact."""
    if _kind(column) not in "iuf":
        return np.zeros(len(column), dtype=bool)
    return np.abs(column.to_numpy(dtype=float, na_value=np.nan)) >= _EXACT


def _loses_digits(cell: str) -> bool:
    if _WHOLE.fullmatch(cell) is None:
        return False
    number = float(cell)
    return math.isinf(number) or int(cell) != int(number)
