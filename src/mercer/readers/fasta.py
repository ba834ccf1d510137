"""FASTA files: named sequences of letters."""

from __future__ import annotations

import errno
from collections.abc import Iterable
from os import PathLike
from pathlib import Path

from mercer.errors import InputError
from mercer.readers.doubts import check_case, doubt, doubt_case
from mercer.readers.files import MOST_BYTES, read_text
from mercer.readers.rows import LINE_ENDS


def read_fasta(
    path: str | PathLike[str],
    *,
    case: str | None = None,
    strict: bool = False,
    most_bytes: int = MOST_BYTES,
) -> tuple[list[str], list[str]]:
    """Names and sequences of a FASTA file, which may be compressed by gzip.

    Blanks between letters are dropped. Lines that begin with ';' are comments. Sequences without
    letters, and DNA in capital and small letters, which kernels take for different letters, give a
    warning.

    Parameters
    ----------
    path : str or path
        The file.
    case : {"upper", "lower"}, optional
        Change all letters to capital or to small letters.
    strict : bool
        Whether to refuse what would give a warning.
    most_bytes : int
        Larger files, or files with more letters after they are unpacked, are refused.

    Returns
    -------
    names : list of str
        The header of every sequence, without the leading '>'.
    sequences : list of str
        The letters of every sequence.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "two.fa"
    >>> _ = file.write_text(">first of two\\nacgt\\nac\\n>second\\nttga\\n")
    >>> from mercer import read_fasta
    >>> read_fasta(file)
    (['first of two', 'second'], ['acgtac', 'ttga'])
    """
    check_case(case)
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(errno.ENOENT, "the file is not there", str(path))
    text = read_text(path, most=most_bytes)
    lines, names, sequences = _parse(LINE_ENDS.split(text), path.name)
    if not names:
        raise InputError("path", str(path), "holds no sequence")
    _check_letters(path.name, lines, names, sequences, strict)
    if case is not None:
        sequences = [getattr(sequence, case)() for sequence in sequences]
    doubt_case("path", path.name, sequences, strict)
    return names, sequences


def _parse(lines: Iterable[str], file: str) -> tuple[list[int], list[str], list[str]]:
    """The line, the name and the letters of every sequence."""
    starts: list[int] = []
    names: list[str] = []
    parts: list[list[str]] = []
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if text.startswith(">"):
            starts.append(number)
            names.append(text[1:].strip())
            parts.append([])
        elif text and not text.startswith(";"):
            if not parts:
                rule = "comes before the first line that begins with '>'"
                raise InputError(f"{file}, line {number}", text, rule, "is this a FASTA file?")
            parts[-1].append("".join(text.split()))
    return starts, names, ["".join(part) for part in parts]


def _check_letters(
    file: str, lines: list[int], names: list[str], sequences: list[str], strict: bool
) -> None:
    """Say so where sequences have no letters."""
    empty = [at for at, sequence in enumerate(sequences) if not sequence]
    if empty:
        rule = "is a sequence without letters"
        if len(empty) > 1:
            rule += f", and so are {len(empty) - 1} more"
        first = empty[0]
        remedy = "complete it, or leave it out"
        doubt(strict, f"{file}, line {lines[first]}", f">{names[first]}", rule, remedy)
