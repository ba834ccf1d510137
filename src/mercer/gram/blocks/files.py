"""Rows of files: Parquet and Arrow by row groups, CSV in chunks; a path, several, or a glob."""

from __future__ import annotations

import dataclasses
import functools
import glob
import itertools
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mercer.aliases import Frame
from mercer.errors import ABSENT, InputError, MissingDependencyError, did_you_mean
from mercer.gram.blocks.base import Block, Rows, rows_per_block

ARROW = (".arrow", ".feather", ".ipc")
PARQUET = (".parquet", ".pq", ".parq")
TEXT = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz")
SUFFIXES = (*PARQUET, *ARROW, *TEXT)


def find_files(paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> list[str]:
    """The files of a path, a folder, a glob, or a list of these; folders and globs are sorted."""
    given = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    names = [os.fspath(path) for path in given]
    files = list(itertools.chain.from_iterable(map(_expanded, names)))
    missing = list(itertools.filterfalse(os.path.isfile, files))
    if missing or not files:
        name = [*missing, *names][0]
        raise InputError("path", name, "is not a file", "check the path or the pattern")
    return files


def _expanded(path: str) -> list[str]:
    """The files in a folder, or those that match a pattern, sorted; any other path by itself."""
    if os.path.isdir(path):
        return sorted(filter(has_rows, map(str, Path(path).rglob("*"))))
    if glob.has_magic(path) and not os.path.exists(path):
        return sorted(glob.glob(path, recursive=True))
    return [path]


def has_rows(path: str) -> bool:
    """Whether a file is one of those that can be read block by block."""
    return path.lower().endswith(SUFFIXES)


@dataclasses.dataclass(frozen=True)
class Columns:
    """Which columns are features, which is the target and which the weight."""

    target: str | tuple[str, ...] | None = None
    weight: str | None = None
    features: tuple[str, ...] | None = None

    def named(self) -> list[str] | None:
        """The columns to read; None for all of them."""
        if self.features is None:
            return None
        return [*self.features, *self.apart()]

    def apart(self) -> list[str]:
        """The columns that are no features: the targets and the weight."""
        return [*self.targets(), *filter(None, [self.weight])]

    def targets(self) -> list[str]:
        """The names of the targets."""
        if self.target is None:
            return []
        return [self.target] if isinstance(self.target, str) else list(self.target)

    def split(self, frame: Frame, place: str, first: int) -> Block:
        """A frame as samples, targets and weights."""
        self._check_names(frame, place)
        if self.features is None:
            features = frame.drop(columns=self.apart())
        else:
            features = frame[[*self.features]]
        weight = None
        if self.weight is not None:
            weight = frame[self.weight].to_numpy(dtype=np.float64)
        return Block(features, self._target_values(frame), weight, place, first)

    def _check_names(self, frame: Frame, place: str) -> None:
        """Raise an error for a column that the frame has not."""
        for name in (*self.apart(), *(self.features or ())):
            if name not in frame.columns:
                remedy = did_you_mean(name, list(map(str, frame.columns)))
                raise InputError("column", name, f"is not in {place}", remedy)

    def _target_values(self, frame: Frame) -> np.ndarray | None:
        """One target as a vector, several as columns."""
        if self.target is None:
            return None
        if isinstance(self.target, str):
            return frame[self.target].to_numpy()
        return frame[[*self.target]].to_numpy()


def _arrow() -> Any:
    try:
        import pyarrow
        import pyarrow.dataset  # loads what reads files
        import pyarrow.parquet
    except ImportError:
        rule, remedy = "is needed to read these files, and is not installed", "pip install pyarrow"
        raise MissingDependencyError("pyarrow", ABSENT, rule, remedy) from None
    return pyarrow


@functools.lru_cache(maxsize=2)
def _group(path: str, group: int, columns: tuple[str, ...] | None, _changed: float) -> Any:
    """One row group of a file; the last ones are kept, since several blocks may lie in one."""
    pyarrow = _arrow()
    names = None if columns is None else list(columns)
    if path.lower().endswith(ARROW):
        with pyarrow.memory_map(path) as file:
            batch = pyarrow.ipc.open_file(file).get_batch(group)
            table = pyarrow.Table.from_batches([batch])
        return table if names is None else table.select(names)
    return pyarrow.parquet.ParquetFile(path).read_row_group(group, columns=names)


@dataclasses.dataclass(frozen=True)
class GroupPart:
    """Consecutive rows of one row group of a Parquet or Arrow file."""

    path: str
    group: int
    start: int  # within the group
    stop: int
    first: int  # the row of the file
    columns: Columns

    def load(self) -> Block:
        """Read the rows."""
        names = self.columns.named()
        try:
            changed = os.path.getmtime(self.path)
            key = None if names is None else tuple(names)
            table = _group(self.path, self.group, key, changed)
        except (OSError, ValueError, KeyError) as error:
            rule = f"cannot be read ({str(error).splitlines()[0]})"
            remedy = "files must stay as they are until the fit ends"
            raise InputError("file", self.path, rule, remedy) from None
        frame = table.slice(self.start, self.stop - self.start).to_pandas()
        return self.columns.split(frame, self.path, self.first)


class FileRows(Rows):
    """Rows of Parquet or Arrow files, by row groups.

    Parameters
    ----------
    paths : list of str
        The files, in order.
    columns : Columns
        Which columns are what.
    block_rows : int or None
        Rows of a block at most.
    """

    lasting = False

    def __init__(self, paths: list[str], columns: Columns, block_rows: int | None = None) -> None:
        super().__init__()
        self.paths, self.columns = paths, columns
        self.block_rows = block_rows
        self._found: list[GroupPart] = []

    def _parts(self) -> Sequence[GroupPart]:
        if not self._found:
            self._found = [part for path in self.paths for part in self._parts_of(path)]
        return self._found

    def _parts_of(self, path: str) -> Iterator[GroupPart]:
        sizes, width = _group_sizes(path)
        step = rows_per_block(width, self.block_rows)
        first = 0
        for group, size in enumerate(sizes):
            for start in range(0, size, step):
                stop = min(size, start + step)
                yield GroupPart(path, group, start, stop, first + start, self.columns)
            first += size


def _group_sizes(path: str) -> tuple[list[int], int]:
    """The rows of every row group, and the number of columns."""
    pyarrow = _arrow()
    try:
        if path.lower().endswith(ARROW):
            return _batch_sizes(path)
        about = pyarrow.parquet.ParquetFile(path).metadata
    except (OSError, ValueError) as error:
        rule = f"cannot be read ({str(error).splitlines()[0]})"
        raise InputError("file", path, rule) from None
    return [about.row_group(g).num_rows for g in range(about.num_row_groups)], about.num_columns


def _batch_sizes(path: str) -> tuple[list[int], int]:
    """The rows of every batch of an Arrow file, and the number of columns."""
    pyarrow = _arrow()
    with pyarrow.memory_map(path) as file:
        reader = pyarrow.ipc.open_file(file)
        sizes = [reader.get_batch(i).num_rows for i in range(reader.num_record_batches)]
        return sizes, len(reader.schema)


class TextRows(Rows):
    """Rows of CSV files in chunks, with a header; they can only be read one after the other."""

    lasting = False

    def __init__(self, paths: list[str], columns: Columns, block_rows: int | None = None) -> None:
        super().__init__()
        self.paths, self.columns = paths, columns
        self.block_rows = block_rows

    def _read(self) -> Iterator[Block]:
        for path in self.paths:
            yield from self._read_file(path)

    def _chunk_rows(self, path: str, separator: str) -> int:
        """How many rows of a file are read at a time."""
        import pandas

        if self.block_rows is not None:
            return self.block_rows
        return rows_per_block(pandas.read_csv(path, sep=separator, nrows=1).shape[1])

    def _read_file(self, path: str) -> Iterator[Block]:
        import pandas

        separator = "\t" if ".tsv" in path.lower() else ","
        first = 0
        try:
            step = self._chunk_rows(path, separator)
            names = self.columns.named()
            with pandas.read_csv(path, sep=separator, chunksize=step, usecols=names) as chunks:
                for frame in chunks:
                    yield self.columns.split(frame.reset_index(drop=True), path, first)
                    first += len(frame)
        except pandas.errors.EmptyDataError:  # an empty file has no rows
            return
        except (OSError, pandas.errors.ParserError) as error:
            rule = f"cannot be read after row {first} ({str(error).splitlines()[0]})"
            raise InputError("file", path, rule) from None
