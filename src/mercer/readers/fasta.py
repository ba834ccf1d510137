"""Files of sequences."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path
from typing import Any

from mercer.errors import InputError


def read_fasta(path: Any) -> tuple[list[str], list[str]]:
    """Names and sequences of a FASTA file, which may be compressed by gzip; letters stay as they are, without blanks. ';' begins a comment.

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "two.fa"
    >>> _ = file.write_text(">first of two\\nacgt\\nac\\n>second\\nttga\\n")
    >>> from mercer import read_fasta
    >>> read_fasta(file)
    (['first of two', 'second'], ['acgtac', 'ttga'])
    """
    path = Path(path)
    names: list[str] = []
    parts: list[list[str]] = []
    try:
        with path.open("rb") as start:
            packed = start.read(2) == b"\x1f\x8b"
        opener: Any = gzip.open if packed or path.suffix == ".gz" else open
        with opener(path, "rt", encoding="utf-8-sig") as lines:
            for number, line in enumerate(lines, 1):
                text = line.strip()
                if text.startswith(">"):
                    names.append(text[1:].strip())
                    parts.append([])
                elif text and not text.startswith(";"):
                    if not parts:
                        rule = "comes before the first line that begins with '>'"
                        raise InputError(
                            f"{path.name}, line {number}", text, rule, "is this a FASTA file?"
                        )
                    parts[-1].append("".join(text.split()))
    except (EOFError, gzip.BadGzipFile, zlib.error, UnicodeDecodeError) as error:
        raise InputError(
            "path", str(path), f"cannot be read ({error})", "is it whole, and text or gzip?"
        ) from error
    if not names:
        raise InputError("path", str(path), "holds no sequence")
    return names, ["".join(part) for part in parts]
