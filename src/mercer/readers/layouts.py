"""The layout of a table: its separator, its header, its decimal mark, and how they are detected."""

from __future__ import annotations

import csv
import dataclasses
import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator

from mercer.readers.doubts import holds_sequences
from mercer.readers.rows import table_rows

MISSING = ("", "?", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "null", "NULL")
_SEPARATORS = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "bars", " ": "blanks"}
LOOK = 200  # lines that are looked at before the whole file is read
_NUMBER = re.compile(r"[-+]?(\d+[.,]?\d*|[.,]\d+)([eE][-+]?\d+)?")
_THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2},\d{3}")


@dataclasses.dataclass(frozen=True)
class Layout:
    """How a table was written, so that another one of its kind is read in the same way.

    Attributes
    ----------
    separator : str
        The character between two cells; empty for a Parquet file.
    header : bool
        Whether the first line has the names of the columns.
    names : tuple of str
        The names of the columns.
    texts : tuple of str
        The columns that are text, also where a later file has only digits there.
    missing : tuple of str
        The words that stand for a missing value.
    encoding : str
        The encoding of the file.
    decimal : str
        The decimal point, or the comma in its place.
    day_first : tuple of str
        The columns of dates such as 31/12/2021.
    month_first : tuple of str
        The columns of dates such as 12/31/2021.
    case : str or None
        "upper" or "lower", where columns of DNA are read in one case.
    sequences : tuple of str
        These columns.
    """

    separator: str
    header: bool
    names: tuple[str, ...]
    texts: tuple[str, ...]
    missing: tuple[str, ...] = MISSING
    encoding: str = "utf-8"
    decimal: str = "."
    day_first: tuple[str, ...] = ()
    month_first: tuple[str, ...] = ()
    case: str | None = None
    sequences: tuple[str, ...] = ()

    @property
    def date_orders(self) -> dict[str, str]:
        """Whether the day or the month comes first in these columns."""
        return dict.fromkeys(self.day_first, "day") | dict.fromkeys(self.month_first, "month")

    def __str__(self) -> str:
        between = "Parquet"
        if self.separator:
            between = _SEPARATORS.get(self.separator, repr(self.separator))
        title = "a header" if self.header else "no header"
        parts = [between, title, f"{len(self.names)} columns"]
        if self.decimal == ",":
            parts.append("decimal commas")
        for first, columns in (("day", self.day_first), ("month", self.month_first)):
            if columns:
                parts.append(f"dates with the {first} first")
        if self.sequences:
            parts.append(f"DNA in {self.case} case")
        return ", ".join(parts)


def find_separator(text: str) -> str:
    """The separator that cuts most of the first lines into the same number of cells."""
    scores = {separator: _agreement(text, separator) for separator in _SEPARATORS}
    return max(scores, key=lambda separator: scores[separator])


def _row_lengths(text: str, separator: str) -> Counter[int]:
    """How many of the first lines have each number of cells; none if they cannot be read."""
    try:
        rows = itertools.islice(table_rows(text, separator), LOOK)
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


def has_header(rows: list[list[str]], missing: tuple[str, ...], like: Layout | None) -> bool:
    """Whether the first row holds names, by those of an earlier table if there is one."""
    if like is None:
        return _is_header(rows, missing)
    names = _named(rows[0])
    known = sum(name in like.names for name in names)
    if like.header:
        return 2 * known > len(names) or _is_header(rows, missing)
    return bool(names) and (known == len(names) or _is_above_numbers(rows, missing))


def _is_header(rows: list[list[str]], missing: tuple[str, ...]) -> bool:
    """Names are different words that do not occur again below; some cells may be empty."""
    if _is_above_numbers(rows, missing):
        return True
    names = _named(rows[0])
    values = [name for name in names if name in missing or _NUMBER.fullmatch(name)]
    if values or not names:
        return False
    columns = [set(map(str.strip, cells)) for cells in zip(*rows[1:], strict=False)]
    if _occurs_below(rows[0], columns) or _is_sequence(rows):
        return False
    if len(set(names)) == len(names):
        return True
    return _are_names_to_correct(names, columns)


def _are_names_to_correct(names: list[str], columns: list[set[str]]) -> bool:
    """Whether names of which some occur twice stand above numbers, or are no cells below."""
    return any(map(_are_numbers, columns)) or set(names).isdisjoint(set().union(*columns))


def _occurs_below(first: list[str], columns: list[set[str]]) -> bool:
    pairs = zip(first, columns, strict=False)
    return any(cell.strip() in below - {""} for cell, below in pairs)


def _is_sequence(rows: list[list[str]]) -> bool:
    """Whether a cell of the first row is a sequence of DNA, as those below it are."""
    for first, *below in zip(*rows, strict=False):
        if holds_sequences([first, *below]) and holds_sequences([first]):
            shortest = min(map(len, below), default=len(first) + 1)
            if len(first) >= shortest:
                return True
    return False


def _is_above_numbers(rows: list[list[str]], missing: tuple[str, ...]) -> bool:
    """Whether most columns of numbers, and two or more, have a word in the first row."""
    words = numbers = 0
    for first, *below in zip(*rows, strict=False):
        present = [cell.strip() for cell in below if cell.strip() not in missing]
        if present and _are_numbers(present):
            numbers += 1
            words += _NUMBER.fullmatch(first.strip()) is None and first.strip() not in missing
    return words >= 2 and 2 * words > numbers


def _are_numbers(cells: Iterable[str]) -> bool:
    return all(map(_NUMBER.fullmatch, cells))


def _named(cells: Iterable[str]) -> list[str]:
    """The cells that are not empty, without blanks around them."""
    return [cell.strip() for cell in cells if cell.strip()]


def find_decimal(text: str, separator: str) -> str:
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
