"""What a reader is in doubt of: a warning, or an error where files are read strictly.

DNA in capital and in small letters is one such doubt: kernels take them for different letters.
"""

from __future__ import annotations

from collections.abc import Iterable

from mercer.aliases import Frame
from mercer.errors import ABSENT, DataWarning, InputError, ParameterError, explain, warn

BOTH_CASES = "holds DNA in capital and in small letters, which kernels take for different ones"
_REMEDY = "read it in one case (--case upper, or case='upper')"
_GAPS = frozenset("-* \t\r\n")
_NUCLEOTIDES = "acgturykmswbdhvn"  # with the letters of IUPAC for uncertain ones
_ALLOWED = _GAPS | set(_NUCLEOTIDES) | set(_NUCLEOTIDES.upper())
_BASES = "acgtunACGTUN-*"
_LEAST_BASES = 0.9  # share of the letters of a column of sequences
_LEAST_LENGTH = 3.0  # on average, of a column of sequences: answers such as Y and n are none


def doubt(strict: bool, what: str, value: object, rule: str, remedy: str) -> None:
    """Warn of data that are hardly meant as they are written; refuse them if ``strict``."""
    if strict:
        raise InputError(what, value, rule, remedy)
    warn(explain(what, value, rule, remedy), DataWarning)


def check_case(case: str | None) -> None:
    """Refuse what is no case of letters."""
    if case not in (None, "upper", "lower"):
        raise ParameterError("case", case, "must be 'upper', 'lower' or None")


def doubt_case(what: str, files: str | list[str], sequences: list[str], strict: bool) -> None:
    """Say so where DNA is in capital and in small letters."""
    if is_mixed_case(sequences):
        doubt(strict, what, files, BOTH_CASES, _REMEDY)


def doubt_case_of_columns(file: str, frame: Frame, strict: bool) -> None:
    """Say which columns of a table hold DNA in capital and in small letters."""
    for name in frame.columns:
        if is_mixed_column(frame[name]):
            doubt(strict, f"{file}, column {name!r}", ABSENT, BOTH_CASES, _REMEDY)


def is_mixed_case(sequences: Iterable[object]) -> bool:
    """Whether sequences are DNA or RNA, with capital and small letters."""
    letters = "".join(nucleic_letters(sequences))
    return letters != letters.upper() and letters != letters.lower()


def is_mixed_column(cells: Iterable[object], missing: tuple[object, ...] = ()) -> bool:
    """Whether the cells of a column are DNA or RNA, with capital and small letters."""
    words = {word for word in missing if isinstance(word, str)}
    present = [cell for cell in cells if not (isinstance(cell, str) and cell in words)]
    return is_mixed_case(present) and _are_long(present)


def holds_sequences(cells: Iterable[object]) -> bool:
    """Whether the cells of a column are DNA or RNA in any letters, and not answers or names."""
    return bool(nucleic_letters(cells)) and _are_long(cells)


def nucleic_letters(cells: Iterable[object]) -> set[str]:
    """The letters of DNA or RNA without gaps and blanks; none if a cell is anything else."""
    letters: set[str] = set()
    for cell in cells:
        if isinstance(cell, str):
            letters.update(cell)
            if not letters <= _ALLOWED:
                return set()
        elif not _is_missing(cell):
            return set()
    return letters - _GAPS


def _is_missing(cell: object) -> bool:
    is_nan = isinstance(cell, float) and cell != cell
    return is_nan or type(cell).__name__ in ("NoneType", "NAType")


def _are_long(cells: Iterable[object]) -> bool:
    """Whether nucleotides are most of the letters, and cells are of several."""
    texts = ["".join(cell.split()) for cell in cells if isinstance(cell, str)]
    n_letters = sum(len(text) for text in texts)
    n_bases = sum(text.count(base) for text in texts for base in _BASES)
    return n_letters >= _LEAST_LENGTH * len(texts) and n_bases >= _LEAST_BASES * n_letters
