"""Whatever was given, as samples and, where the format tells them, what is to be learned of them."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mercer.errors import InputError
from mercer.readers.fasta import read_fasta
from mercer.readers.files import MOST_BYTES, check_file, read_text
from mercer.readers.tables import PARQUET, Layout, read_table

_FASTA = {".fa", ".fasta", ".fna", ".faa", ".fas", ".ffn"}
_SVMLIGHT = re.compile(r"[-+]?[\d.eE+-]+(\s+\d+:[-+\d.eE]+)*\s*(#.*)?")  # a row may be all zeros


@dataclasses.dataclass(frozen=True)
class Source:
    """Samples of one kind."""

    kind: str  # "table", "sequences", "texts" or "vectors" (sparse)
    samples: Any  # a data frame, a list of strings, or a sparse matrix
    labels: Any  # where the format has them; of a table None, since they are one of its columns
    names: list[str]  # of the samples, empty where they have none
    layout: Layout | None  # of a table
    told: str  # how it was read


def read_source(
    paths: Any, *, like: Source | None = None, most_bytes: int = MOST_BYTES, **options: Any
) -> Source:
    """Read a table, a svmlight file, FASTA files or a folder with a folder of texts for every class.

    Several FASTA files are one collection; where their headers are names, the file that a sequence is in is its class. Options go to
    `read_table`.
    """
    files = [Path(path) for path in ([paths] if isinstance(paths, (str, Path)) else paths)]
    if not files:
        raise InputError("paths", [], "names no file")
    for file in files:
        if not file.exists():
            raise InputError("path", str(file), "is not there")
    if all(_suffix(file) in _FASTA for file in files):
        for file in files:
            check_file(file, most_bytes)
        return _sequences(files)
    if len(files) > 1:
        raise InputError(
            "paths",
            [str(file) for file in files],
            "are several files, which only FASTA files may be",
        )
    file = files[0]
    if file.is_dir():
        return _texts(file, options.get("encoding", "utf-8"))
    if file.suffix.lower() not in PARQUET and _is_svmlight(file, most_bytes):
        return _vectors(file)
    frame, layout = read_table(
        file, like=None if like is None else like.layout, most_bytes=most_bytes, **options
    )
    return Source("table", frame, None, [], layout, f"{len(frame):,} rows; {layout}")


def _suffix(file: Path) -> str:
    return Path(file.stem).suffix.lower() if file.suffix == ".gz" else file.suffix.lower()


def _sequences(files: Sequence[Path]) -> Source:
    headers: list[str] = []
    sequences: list[str] = []
    origin: list[str] = []
    for file in files:
        found, texts = read_fasta(file)
        headers += found
        sequences += texts
        origin += [file.name.partition(".")[0] if len(files) > 1 else ""] * len(found)
    different = len(set(headers))
    labels: Any = None
    if 1 < different <= max(2, len(headers) // 5) or (different == 1 and len(files) == 1):
        labels, told = np.array(headers), "classes in the headers"
    elif len(set(origin)) > 1:
        labels, told = np.array(origin), "classes by file"
    else:
        told = "headers are names"
    lengths = [len(text) for text in sequences]
    told = f"{len(sequences):,} sequences of {min(lengths)} to {max(lengths)} letters, {told}"
    return Source(
        "sequences", sequences, labels, headers if different == len(headers) else [], None, told
    )


def _texts(folder: Path, encoding: str) -> Source:
    texts: list[str] = []
    labels: list[str] = []
    names: list[str] = []
    for part in sorted(path for path in folder.iterdir() if path.is_dir()):
        for file in sorted(
            path for path in part.rglob("*") if path.is_file() and not path.name.startswith(".")
        ):
            texts.append(read_text(file, encoding))
            labels.append(part.name)
            names.append(str(file.relative_to(folder)))
    if not texts:  # not yet sorted into classes: the texts alone
        loose = sorted(
            path for path in folder.iterdir() if path.is_file() and not path.name.startswith(".")
        )
        texts, names = [read_text(file, encoding) for file in loose], [file.name for file in loose]
    if not texts:
        raise InputError(
            "path",
            str(folder),
            "holds no text",
            "make a folder for every class, with its texts in it",
        )
    told = (
        f"{len(texts):,} texts in {len(set(labels))} folders" if labels else f"{len(texts):,} texts"
    )
    return Source("texts", texts, np.array(labels) if labels else None, names, None, told)


def _is_svmlight(file: Path, most_bytes: int) -> bool:
    lines = [
        line for line in read_text(file, "latin-1", most_bytes).split("\n", 50)[:50] if line.strip()
    ]
    return any(":" in line for line in lines) and all(
        _SVMLIGHT.fullmatch(line.strip()) for line in lines[: 50 if len(lines) < 50 else 49]
    )


def _vectors(file: Path) -> Source:
    from sklearn.datasets import load_svmlight_file

    try:
        X, y = load_svmlight_file(str(file), zero_based=False)
    except (ValueError, OSError) as error:
        raise InputError("path", str(file), f"is not a svmlight file ({error})") from None
    share = X.nnz / max(1, X.shape[0] * X.shape[1])
    return Source(
        "vectors",
        X,
        y,
        [],
        None,
        f"{X.shape[0]:,} rows of {X.shape[1]} columns, {100 * share:.0f} % of them set (svmlight)",
    )
