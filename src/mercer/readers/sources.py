"""Files and folders of any known format as samples, with their labels where the format has them."""

from __future__ import annotations

import dataclasses
import io
import itertools
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mercer.aliases import RawSamples, Targets
from mercer.errors import InputError
from mercer.readers import parquet
from mercer.readers.cells import doubt_digits
from mercer.readers.doubts import check_case, doubt_case, is_mixed_case
from mercer.readers.fasta import read_fasta
from mercer.readers.files import MOST_BYTES, read_text
from mercer.readers.layouts import Layout
from mercer.readers.series import holds_series, read_series
from mercer.readers.tables import read_table
from mercer.readers.trees import LINES, hold_trees, read_tree_files, read_tree_lines
from mercer.readers.tudataset import is_tudataset, read_tudataset

_FASTA = {".fa", ".fasta", ".fna", ".faa", ".fas", ".ffn"}
_COLUMNAR = (".parq", ".arrow", ".feather", ".ipc")  # beside those of `parquet.SUFFIXES`
_DELIMITED = (".csv", ".tsv", ".csv.gz", ".tsv.gz")
_NAMED_SVMLIGHT = (".svm", ".svmlight", ".libsvm")
_SVMLIGHT = re.compile(r"[-+]?[\d.eE+-]+(\s+\d+:[-+\d.eE]+)*\s*(#.*)?")  # a row may be all zeros


_MANY_COLUMNS = 1_000_000  # of sparse vectors, up to which their number needs no reason
_EMPTY_COLUMNS = 100  # columns for each value, beyond which a column number is a mistake


@dataclasses.dataclass(frozen=True)
class Source:
    """Samples of one kind, and how they were read.

    Attributes
    ----------
    kind : str
        "table", "sequences", "texts", "graphs", "trees", "series", or "vectors" (sparse).
    samples : data frame, list of samples, or sparse matrix
        The samples.
    labels : ndarray or None
        The labels; None where the format has none, as in a table, where they are a column.
    names : list of str
        The names of the samples; empty where they have none.
    layout : Layout or None
        How a table was written; None for other formats.
    description : str
        How the source was read, in words.
    options : dict of str to object
        The options with which another source is read in the same way.
    notes : tuple of str
        What was in doubt.
    """

    kind: str
    samples: RawSamples
    labels: Targets
    names: list[str]
    layout: Layout | None
    description: str
    options: dict[str, Any] = dataclasses.field(default_factory=dict)
    notes: tuple[str, ...] = ()


def read_source(
    paths: str | Path | Sequence[str | Path],
    *,
    like: Source | None = None,
    most_bytes: int = MOST_BYTES,
    **options: Any,
) -> Source:
    """Read a table, a file of series, svmlight or FASTA, trees, graphs, or texts by class.

    What is in doubt gives a warning; ``options["strict"]`` makes an error of it.

    Parameters
    ----------
    paths : path or list of paths
        A file or a folder. Several FASTA files are one collection; where their headers are names,
        the file that holds a sequence is its class.
    like : Source, optional
        An earlier source, whose layout tables are read by.
    most_bytes : int
        Larger files are refused.
    **options
        Options of `read_table` and `read_fasta`.

    Returns
    -------
    source : Source
        The samples, with labels and names where the format has them.
    """
    check_case(options.get("case"))
    files = _existing(paths)
    if all(_suffix(file) in _FASTA for file in files):
        return _sequences(files, most_bytes, options)
    if len(files) > 1:
        rule = "are several files, which only FASTA files may be"
        raise InputError("paths", [str(file) for file in files], rule)
    return _read_one(files[0], like, most_bytes, options)


def read_texts(files: Sequence[Path], encoding: str = "utf-8", case: str | None = None) -> Source:
    """Files of which each is one text, without classes."""
    texts = [_in_case(read_text(file, encoding), case) for file in files]
    return Source("texts", texts, None, list(map(str, files)), None, f"{len(files):,} texts")


def _read_one(file: Path, like: Source | None, most_bytes: int, options: dict[str, Any]) -> Source:
    if is_tudataset(file):
        return _graphs(file)
    if file.is_dir():
        return _texts(file, most_bytes, options)
    if _suffix(file) in LINES:
        return _tree_lines(file, most_bytes)
    if holds_series(file):
        return _series(file, most_bytes, bool(options.get("strict")))
    if file.suffix.lower() not in parquet.SUFFIXES:
        text = read_text(file, "latin-1", most_bytes)
        if _suffix(file) in _NAMED_SVMLIGHT or _is_svmlight(text):
            doubt_digits(file.name, text, bool(options.get("strict")))
            return _vectors(file, text)
    return _table(file, like, most_bytes, options)


def _table(file: Path, like: Source | None, most_bytes: int, options: dict[str, Any]) -> Source:
    layout = None if like is None else like.layout
    frame, layout = read_table(file, like=layout, most_bytes=most_bytes, **options)
    missing = int(frame.isna().to_numpy().sum())
    cells = f", {missing:,} missing cell{'s' if missing > 1 else ''}" if missing else ""
    return Source("table", frame, None, [], layout, f"{len(frame):,} rows; {layout}{cells}")


def _tree_lines(file: Path, most_bytes: int) -> Source:
    trees, labels = read_tree_lines(file, most_bytes)
    return Source("trees", trees, labels, [], None, f"{len(trees):,} trees")


def _graphs(folder: Path) -> Source:
    graphs, y = read_tudataset(folder)
    sizes = graphs.n_nodes
    description = f"{len(graphs):,} graphs of {sizes.min()} to {sizes.max()} nodes"
    return Source("graphs", graphs, y, [], None, description)


def _series(file: Path, most_bytes: int, strict: bool) -> Source:
    series, labels = read_series(file, most_bytes=most_bytes, strict=strict)
    lengths = [len(one) for one in series]
    extent = " to ".join(map(str, sorted({min(lengths), max(lengths)})))
    description = f"{len(series):,} series of {extent} points"
    if series[0].shape[1] > 1:
        description += f" and {series[0].shape[1]} channels"
    return Source("series", series, labels, [], None, description)


def _existing(paths: str | Path | Sequence[str | Path]) -> list[Path]:
    several = [paths] if isinstance(paths, (str, Path)) else paths
    files = [Path(path) for path in several]
    if not files:
        raise InputError("paths", [], "names no file")
    for file in files:
        if not file.exists():
            raise InputError("path", str(file), "is not there")
    return files


def _suffix(file: Path) -> str:
    """What a file's name ends with, before the ending of gzip."""
    return Path(file.name.removesuffix(".gz")).suffix.lower()


def _sequences(files: Sequence[Path], most_bytes: int, options: dict[str, Any]) -> Source:
    case, strict = options.get("case"), bool(options.get("strict"))
    headers: list[str] = []
    parts: list[list[str]] = []  # the sequences of each file
    origins: list[str] = []
    for file in files:
        names, letters = read_fasta(file, case=case, strict=strict, most_bytes=most_bytes)
        headers += names
        parts.append(letters)
        origins += [file.name.partition(".")[0]] * len(names)
    sequences = list(itertools.chain.from_iterable(parts))
    if not any(map(is_mixed_case, parts)):
        doubt_case("paths", [file.name for file in files], sequences, strict)
    labels, meaning = _classes(headers, origins, len(files))
    lengths = list(map(len, sequences))
    extent = f"{len(sequences):,} sequences of {min(lengths)} to {max(lengths)} letters"
    if len(set(headers)) < len(headers):
        headers = []
    description = f"{extent}, {meaning}"
    return Source("sequences", sequences, labels, headers, None, description, {"case": case})


def _classes(headers: list[str], origins: list[str], n_files: int) -> tuple[np.ndarray | None, str]:
    """The classes of sequences: headers that repeat, or else the files that hold them."""
    different = len(set(headers))
    repeated = 1 < different <= max(2, len(headers) // 5)
    if repeated or (different == 1 and n_files == 1):
        return np.array(headers, dtype=object), "classes in the headers"
    if len(set(origins)) > 1:
        return np.array(origins, dtype=object), "classes by file"
    return None, "headers are names"


def _texts(folder: Path, most_bytes: int, options: dict[str, Any]) -> Source:
    """The texts or trees of all folders in a folder, or its own if it has no folders."""
    if holds_tables(folder):
        remedy = f"give a table, or {folder}/* where several are read"
        raise InputError("path", str(folder), "is a folder of tables", remedy)
    files, classes, extent = _files_by_class(folder)
    if not files:
        remedy = "make a folder for every class, with its texts in it"
        raise InputError("path", str(folder), "holds no text", remedy)
    names = [str(file.relative_to(folder)) for file in files]
    if hold_trees(files):
        trees = read_tree_files(files, most_bytes)
        return Source("trees", trees, classes, names, None, f"{len(files):,} trees{extent}")
    encoding, case = options.get("encoding", "utf-8"), options.get("case")
    texts = []
    for file in files:  # all of them together have to keep the limit
        texts.append(read_text(file, encoding, most_bytes))
        most_bytes -= len(texts[-1])
    texts = [_in_case(text, case) for text in texts]
    doubt_case("path", str(folder), texts, bool(options.get("strict")))
    description, used = f"{len(files):,} texts{extent}", {"encoding": encoding, "case": case}
    return Source("texts", texts, classes, names, None, description, used)


def _in_case(text: str, case: str | None) -> str:
    """A text in capital or in small letters, or as it is."""
    return text if case is None else str(getattr(text, case)())


def holds_tables(folder: Path) -> bool:
    """Whether a folder holds tables: Parquet or Arrow files at any depth, or CSV files in it."""
    if not folder.is_dir() or is_tudataset(folder):
        return False
    inside = _visible_files(folder.rglob("*"))
    columnar = [file.name.lower().endswith((*parquet.SUFFIXES, *_COLUMNAR)) for file in inside]
    delimited = [file.name.lower().endswith(_DELIMITED) for file in inside]
    if any(file.parent != folder for file in inside):
        return bool(inside) and all(columnar)
    return bool(inside) and (all(columnar) or all(delimited))


def _files_by_class(folder: Path) -> tuple[list[Path], np.ndarray | None, str]:
    """The files in the folders of a folder, the folder of each, and how many folders there are.

    Where these hold no files, the files of the folder itself, without classes.
    """
    files: list[Path] = []
    labels: list[str] = []
    for part in sorted(path for path in folder.iterdir() if path.is_dir()):
        inside = _visible_files(part.rglob("*"))
        files += inside
        labels += [part.name] * len(inside)
    if not labels:
        return _visible_files(folder.iterdir()), None, ""
    return files, np.array(labels, dtype=object), f" in {len(set(labels))} folders"


def _visible_files(paths: Iterable[Path]) -> list[Path]:
    return sorted(path for path in paths if path.is_file() and not path.name.startswith("."))


def _is_svmlight(text: str) -> bool:
    """Whether the first lines of a file are rows of svmlight, one of them with an entry."""
    lines = [line.strip() for line in text.split("\n", 50)[:50] if line.strip()]
    entries = any(":" in line for line in lines)
    return entries and all(_SVMLIGHT.fullmatch(line) for line in lines[:49])


def _vectors(file: Path, text: str) -> Source:
    from sklearn.datasets import load_svmlight_file

    try:
        X, y = load_svmlight_file(io.BytesIO(text.encode("latin-1")), zero_based=False)
    except (ValueError, OverflowError) as error:
        raise InputError("path", str(file), f"is not a svmlight file ({error})") from None
    n_samples, n_columns = X.shape
    if n_columns > max(_MANY_COLUMNS, _EMPTY_COLUMNS * X.nnz):
        rule = f"names column {n_columns:,}, and has {X.nnz:,} values only"
        raise InputError("path", str(file), rule, "is the number of a column wrong?")
    percent = 100 * X.nnz / max(1, n_samples * n_columns)
    description = (
        f"{n_samples:,} rows of {n_columns} columns, {percent:.0f} % of them set (svmlight)"
    )
    return Source("vectors", X, y, [], None, description)
