"""FASTA files: named sequences of letters."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import TextIO, cast

from mercer.errors import InputError
from mercer.readers.files import is_gzip


def read_fasta(path: str | PathLike[str]) -> tuple[list[str], list[str]]:
    """Names and sequences of a FASTA file, which may be compressed by gzip.

    Letters are not changed; blanks between them are dropped. Lines that begin with ';' are
    comments.

    Parameters
    ----------
    path : str or path
        The file.

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
    path = Path(path)
    try:
        with _open_text(path) as lines:
            names, sequences = _parse(lines, path.name)
    except (EOFError, gzip.BadGzipFile, zlib.error, UnicodeDecodeError) as error:
        rule, remedy = f"cannot be read ({error})", "is it whole, and text or gzip?"
        raise InputError("path", str(path), rule, remedy) from error
    if not names:
        raise InputError("path", str(path), "holds no sequence")
    return names, sequences


def _open_text(path: Path) -> TextIO:
    if is_gzip(path) or path.suffix == ".gz":
        return cast(TextIO, gzip.open(path, "rt", encoding="utf-8-sig"))
    return path.open(encoding="utf-8-sig")


def _parse(lines: Iterable[str], file: str) -> tuple[list[str], list[str]]:
    names: list[str] = []
    parts: list[list[str]] = []
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if text.startswith(">"):
            names.append(text[1:].strip())
            parts.append([])
        elif text and not text.startswith(";"):
            if not parts:
                rule = "comes before the first line that begins with '>'"
                raise InputError(f"{file}, line {number}", text, rule, "is this a FASTA file?")
            parts[-1].append("".join(text.split()))
    return names, ["".join(part) for part in parts]
