"""Files of series with their classes: the ``.ts`` files of aeon and sktime, and those of UCR."""

from __future__ import annotations

import dataclasses
import errno
import re
from collections.abc import Iterator
from os import PathLike
from pathlib import Path

import numpy as np

from mercer.errors import InputError
from mercer.readers.cells import doubt_digits_of_line
from mercer.readers.files import MOST_BYTES, read_text

# UCR's names of files, whose rows are a class and the values of one series
_UCR = re.compile(r".*_(TRAIN|TEST)\.(tsv|txt)(\.gz)?", re.IGNORECASE)
_WHOLE = re.compile(r"[-+]?[0-9]{1,309}")  # more digits are beyond all floats
_BLANKS = re.compile(r"[\s,]+")

Row = tuple[np.ndarray, str]  # the values of a series, (length, channels), and its label
Header = dict[str, str]  # what the lines with an @ say, by their first word


def holds_series(path: Path) -> bool:
    """Whether the name of a file is one of a file of series."""
    return _is_ts(path) or bool(_UCR.fullmatch(path.name))


def _is_ts(path: Path) -> bool:
    return path.name.lower().removesuffix(".gz").endswith(".ts")


def read_series(
    path: str | PathLike[str], *, most_bytes: int = MOST_BYTES, strict: bool = False
) -> tuple[list[np.ndarray], np.ndarray | None]:
    """Series and their labels from a ``.ts`` file, or from a file of the UCR archive.

    A ``.ts`` file has a header of lines that begin with @, and a line for each series, whose
    channels are separated by colons; the label is last. Other files have a row for each series, of
    numbers between tabs, blanks or commas; the label is first. "?" and "NaN" stand for missing
    values, which are allowed at the end of a series only.

    Parameters
    ----------
    path : str or path
        The file, which may be compressed by gzip.
    most_bytes : int
        Larger files are refused.
    strict : bool
        Whether whole numbers beyond 2⁵³, whose last digits are lost, are an error. Otherwise a
        warning names the first of them.

    Returns
    -------
    series : list of ndarray of shape (length, channels)
        The series.
    labels : ndarray or None
        Classes as text, or targets as numbers; None if the file has none.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "Two_TRAIN.tsv"
    >>> _ = file.write_text("1\\t0.5\\t0.7\\t0.9\\n2\\t0.1\\t0.2\\tNaN\\n")
    >>> from mercer import read_series
    >>> series, labels = read_series(file)
    >>> [len(one) for one in series], labels.tolist()
    ([3, 2], ['1', '2'])
    """
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(errno.ENOENT, "the file is not there", str(path))
    text = read_text(path, most=most_bytes)
    read = _read_ts if _is_ts(path) else _read_rows
    rows, header = read(_File(path, strict), text)
    if not rows:
        raise InputError("path", str(path), "holds no series")
    return [_without_end(values) for values, _ in rows], _labels(rows, header)


@dataclasses.dataclass
class _File:
    """A file whose numbers are read line by line."""

    path: Path
    strict: bool
    is_doubted: bool = False  # one warning for a file is enough

    def numbers(self, line: int, cells: list[str]) -> np.ndarray:
        """The cells of a line as numbers."""
        try:
            values = np.array([float(cell.strip().replace("?", "nan")) for cell in cells])
        except ValueError as error:
            rule = f"is not a file of series: line {line} ({error})"
            raise self.refusal(rule) from None
        if not self.is_doubted:
            name, strict = self.path.name, self.strict
            self.is_doubted = doubt_digits_of_line(name, line, cells, values, strict)
        return values

    def refusal(self, rule: str, remedy: str = "") -> InputError:
        """The error of what this file breaks."""
        return InputError("path", str(self.path), rule, remedy)


def _labels(rows: list[Row], header: Header) -> np.ndarray | None:
    """Classes as text or targets as numbers, as the header says; None if it says there are none."""
    if header.get("classlabel", "true").startswith("false"):
        return None
    labels = np.array([label for _, label in rows], dtype=object)
    if header.get("targetlabel", "false").startswith("true"):
        return labels.astype(float)
    return labels


def _without_end(values: np.ndarray) -> np.ndarray:
    """The series without missing values at its end."""
    known = np.flatnonzero(~np.isnan(values).all(axis=1))
    return values[: int(known[-1]) + 1 if len(known) else 0]


def _read_rows(file: _File, text: str) -> tuple[list[Row], Header]:
    """A label and the values of one channel in every row."""
    rows = []
    for number, line in enumerate(text.splitlines(), start=1):
        cells = [cell for cell in _BLANKS.split(line.strip()) if cell]
        if len(cells) > 1:
            values = file.numbers(number, cells[1:])
            rows.append((values[:, None], _name(cells[0])))
        elif cells:
            raise file.refusal(f"has a label without a series in line {number}")
    return rows, {}


def _read_ts(file: _File, text: str) -> tuple[list[Row], Header]:
    """The lines after @data, and the header before it."""
    rows: list[Row] = []
    header: Header = {}
    in_data = False
    for number, line in _lines_of_ts(text):
        if line.startswith("@"):
            word, _, rest = line[1:].partition(" ")
            header[word.lower()] = rest.strip().lower()
            in_data = word.lower() == "data"
            _refuse_stamps(file, header)
        elif in_data:
            rows.append(_ts_row(file, number, line, header))
    if "targetlabel" in header:
        header.setdefault("classlabel", header["targetlabel"])
    return rows, header


def _refuse_stamps(file: _File, header: Header) -> None:
    if header.get("timestamps", "false").startswith("true"):
        remedy = "give curves as pairs (times, values) in Python"
        raise file.refusal("has time stamps, which are not read", remedy)


def _lines_of_ts(text: str) -> Iterator[tuple[int, str]]:
    """The lines that are neither empty nor comments, with their numbers from 1 on."""
    for number, line in enumerate(map(str.strip, text.splitlines()), start=1):
        if line and not line.startswith(("#", "%")):
            yield number, line


def _ts_row(file: _File, number: int, line: str, header: Header) -> Row:
    parts = line.split(":")
    label = ""
    if header.get("classlabel", header.get("targetlabel", "false")).startswith("true"):
        *parts, label = parts
    if header.get("targetlabel", "false").startswith("true"):
        file.numbers(number, [label])  # refuses what is none
    channels = [file.numbers(number, part.split(",")) for part in parts]
    lengths = list(map(len, channels))
    if len(set(lengths)) != 1:
        rule = f"has channels of lengths {lengths} in line {number}"
        raise file.refusal(rule, "give all channels of a series the same length")
    return np.stack(channels, axis=1), label.strip()


def _name(label: str) -> str:
    """A label as text; old files of UCR write whole numbers with decimals."""
    if _WHOLE.fullmatch(label):
        return str(int(label))  # to the last digit
    try:
        number = float(label)
    except ValueError:
        return label
    return str(int(number)) if number.is_integer() else label
