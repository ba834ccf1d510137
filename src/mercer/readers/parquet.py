"""Parquet files: what they hold is looked at before they are read."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

from mercer.aliases import Frame
from mercer.errors import ABSENT, InputError, MissingDependencyError
from mercer.readers.files import check_file, pandas, too_large

SUFFIXES = (".parquet", ".pq")
_NUMBER_BYTES = 8  # of a number in a data frame
_BROKEN = (ValueError, TypeError, OSError, NotImplementedError, KeyError, OverflowError)


def read_parquet(path: Path, most_bytes: int) -> Frame:
    """A Parquet file as a data frame, with an index that has a name as a column."""
    check_file(path, most_bytes)
    kind_of = pandas().api.types.infer_dtype
    pq = _pyarrow()
    try:
        with pq.ParquetFile(path) as file:
            _check_schema(path, file.schema_arrow)
            _check_size(path, file, most_bytes)
            frame = file.read().to_pandas()
    except InputError:
        raise
    except _BROKEN as error:  # pyarrow's own errors are of these classes
        rule = f"is not a Parquet file ({str(error).splitlines()[0]})"
        raise InputError("path", str(path), rule) from None
    named = [name for name in frame.index.names if name is not None]
    if named:
        frame = frame.reset_index()
    frame.columns = [str(name) for name in frame.columns]
    for name in frame.columns:
        if kind_of(frame[name], skipna=True) == "decimal":
            frame[name] = frame[name].astype(float)
    return frame


def _pyarrow() -> ModuleType:
    try:
        import pyarrow.parquet
    except ImportError:
        rule, remedy = "is needed for Parquet, and is not installed", "pip install pyarrow"
        raise MissingDependencyError("pyarrow", ABSENT, rule, remedy) from None
    return pyarrow.parquet


def _check_schema(path: Path, schema: Any) -> None:
    """Refuse columns of one name, and columns whose cells are no single values."""
    check_twice(path, schema.names)
    import pyarrow.types as types

    for field in schema:
        if types.is_nested(field.type) or types.is_binary(field.type):
            rule = f"holds {field.type} where single numbers or texts are expected"
            remedy = "give each value a column of its own, or leave the column out"
            raise InputError(f"{path.name}, column", field.name, rule, remedy)


def check_twice(path: Path, names: list[str]) -> None:
    """Refuse two columns of one name."""
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise InputError("path", str(path), f"has two columns called {twice[0]!r}", "rename one")


def _check_size(path: Path, file: Any, most_bytes: int) -> None:
    """Refuse a table that is too large when it is unpacked: a small file may hold any number."""
    size = _NUMBER_BYTES * file.metadata.num_rows * file.metadata.num_columns
    if size > most_bytes:
        raise too_large(path, size, most_bytes)
    texts = [field.name for field in file.schema_arrow if _is_text(field)]
    size += sum(_text_bytes(path, name) for name in texts)
    if size > most_bytes:
        raise too_large(path, size, most_bytes)


def _is_text(field: Any) -> bool:
    import pyarrow.types as types

    return types.is_string(field.type) or types.is_large_string(field.type)


def _text_bytes(path: Path, name: str) -> int:
    """The size of the texts of a column, from its different values and where they stand."""
    import pyarrow.compute as compute

    total = 0
    with _pyarrow().ParquetFile(path, read_dictionary=[name]) as file:
        for chunk in file.read(columns=[name]).column(0).chunks:
            lengths = compute.binary_length(chunk.dictionary)
            total += compute.sum(lengths.take(chunk.indices)).as_py() or 0
    return total
