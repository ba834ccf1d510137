"""Data frames of pandas and polars: names, rows' labels, and columns with their types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mercer.aliases import Columns, DType, Index
from mercer.errors import MissingDependencyError, ModelFileError

if TYPE_CHECKING:
    from mercer.model_files.encoding import Reader, Writer

STAMPS = ("Timestamp", "Timedelta", "NaTType", "NAType")
_NUMBERS = (
    "Int8",
    "Int16",
    "Int32",
    "Int64",
    "UInt8",
    "UInt16",
    "UInt32",
    "UInt64",
    "Float32",
    "Float64",
    "boolean",
)


def _pandas() -> Any:
    try:
        import pandas
    except ImportError:
        raise MissingDependencyError(
            "pandas", None, "is needed: the model holds a data frame", "pip install pandas"
        ) from None
    return pandas


# -- columns of pandas -------------------------------------------------------------------------------------------------


def _write_column(values: Any, writer: Writer, path: str) -> list[Any]:
    """The values of a Series or an Index."""
    pd = _pandas()
    dtype = values.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        held = values.array if hasattr(values, "array") else values
        return [
            "category",
            writer.node(np.asarray(held.codes), path),
            writer.node(dtype.categories, path),
            bool(dtype.ordered),
        ]
    if isinstance(dtype, pd.DatetimeTZDtype):
        moments = np.asarray(values.array.tz_convert("UTC").tz_localize(None).to_numpy())
        return ["zone", writer.node(moments, path), str(dtype.tz)]
    if isinstance(dtype, pd.StringDtype):
        listed = [
            None if missing else str(text)
            for text, missing in zip(values.array, values.isna(), strict=True)
        ]
        return ["string", dtype.storage, dtype.na_value is pd.NA, writer.node(listed, path)]
    if str(dtype) in _NUMBERS and isinstance(dtype, pd.api.extensions.ExtensionDtype):
        missing = np.asarray(values.isna())
        known = values.array.to_numpy(dtype=dtype.numpy_dtype, na_value=dtype.numpy_dtype.type(0))
        return ["nullable", writer.node(np.asarray(known), path), writer.node(missing, path)]
    if isinstance(dtype, np.dtype):
        return ["plain", writer.node(values.to_numpy(), path)]
    raise ModelFileError(
        path,
        str(dtype),
        "is a type of column that files do not hold",
        "convert it: frame.astype(...)",
    )


def _read_column(reader: Reader, node: Any) -> Any:
    pd = _pandas()
    kind, *parts = node
    if kind == "category":
        codes, categories, ordered = (
            reader.value(parts[0]),
            reader.value(parts[1]),
            parts[2] is True,
        )
        return pd.Categorical.from_codes(codes, dtype=pd.CategoricalDtype(categories, ordered))
    if kind == "zone":
        return pd.array(pd.DatetimeIndex(reader.value(parts[0]), tz="UTC").tz_convert(parts[1]))
    if kind == "string" and parts[0] in ("python", "pyarrow"):
        dtype = pd.StringDtype(parts[0], na_value=pd.NA if parts[1] else np.nan)
        return pd.array(reader.value(parts[2]), dtype=dtype)
    if kind == "nullable":
        known, missing = reader.value(parts[0]), reader.value(parts[1])
        made = {"b": pd.arrays.BooleanArray, "f": pd.arrays.FloatingArray}.get(
            known.dtype.kind, pd.arrays.IntegerArray
        )
        if known.shape != missing.shape or known.ndim != 1:
            raise ModelFileError(
                "column", known.shape, "does not say of every value whether it is there"
            )
        return made(known, missing)
    if kind == "plain":
        values = reader.value(parts[0])
        if type(values) is not np.ndarray or values.ndim != 1:
            raise ModelFileError("column", type(values).__name__, "is not a vector")
        return values
    raise ModelFileError("column", kind, "is not part of the format")


def write_index(value: Any, writer: Writer, path: str) -> list[Any]:
    pd = _pandas()
    path = f"{path} (labels)"
    if isinstance(value, pd.RangeIndex):
        return [
            "range",
            writer.node(value.name, path),
            int(value.start),
            int(value.stop),
            int(value.step),
        ]
    if isinstance(value, pd.MultiIndex):
        levels = [
            _write_column(value.get_level_values(at), writer, path) for at in range(value.nlevels)
        ]
        return ["levels", [writer.node(name, path) for name in value.names], levels]
    if getattr(value, "freq", None) is not None:
        value = type(value)(value, freq=None)
    return ["one", writer.node(value.name, path), _write_column(value, writer, path)]


def read_index(reader: Reader, kind: Any, name: Any, *parts: Any) -> Any:
    pd = _pandas()
    if kind == "range" and all(type(part) is int for part in parts):
        return pd.RangeIndex(*parts, name=reader.value(name))
    if kind == "levels":
        return pd.MultiIndex.from_arrays(
            [_read_column(reader, part) for part in parts[0]], names=[reader.value(n) for n in name]
        )
    if kind != "one":
        raise ModelFileError("labels", kind, "is not part of the format")
    values = _read_column(reader, parts[0])
    return pd.Index(values, dtype=values.dtype, name=reader.value(name))


def write_frame(value: Any, writer: Writer, path: str) -> list[Any]:
    columns = [
        _write_column(value.iloc[:, at], writer, f"{path}[{name!r}]")
        for at, name in enumerate(value.columns)
    ]
    return [writer.node(value.columns, path), writer.node(value.index, path), columns]


def read_frame(reader: Reader, names: Any, index: Index, columns: Columns) -> Any:
    pd = _pandas()
    labels, rows = reader.value(names), reader.value(index)
    _check_length(len(rows), _most_rows(reader))
    made = [_read_column(reader, column) for column in columns]
    if len(made) != len(labels) or any(len(column) != len(rows) for column in made):
        raise ModelFileError(
            "frame", f"{len(made)} columns", "are not as many, or not as long, as its labels say"
        )
    frame = pd.DataFrame(dict(enumerate(made)), index=rows)
    frame.columns = labels
    return frame


def _most_rows(reader: Reader) -> int:
    """Rows that a frame may have: those of a range take no room in the file."""
    return max([10**6, *(array.size for array in reader.arrays)])


def _check_length(rows: int, most: int) -> None:
    if rows > most:
        raise ModelFileError("frame", f"{rows} rows", "are more than the file has values")


def write_series(value: Any, writer: Writer, path: str) -> list[Any]:
    return [
        writer.node(value.name, path),
        writer.node(value.index, path),
        _write_column(value, writer, path),
    ]


def read_series(reader: Reader, name: Any, index: Index, column: Any) -> Any:
    rows, values = reader.value(index), _read_column(reader, column)
    if len(rows) != len(values):
        raise ModelFileError(
            "series", f"{len(values)} values", f"are not as many as its {len(rows)} labels"
        )
    return _pandas().Series(values, index=rows, name=reader.value(name))


def write_stamp(value: Any, writer: Writer, path: str) -> list[Any]:
    """One moment or span of time, or one of the two values that say there is none."""
    name = type(value).__name__
    if name in ("NaTType", "NAType"):
        return [name]
    if name == "Timedelta":
        return [name, writer.node(value.to_timedelta64(), path)]
    zone = None if value.tz is None else str(value.tz)
    moment = value if zone is None else value.tz_convert("UTC").tz_localize(None)
    return [name, writer.node(moment.to_datetime64(), path), zone]


def read_stamp(reader: Reader, name: Any, *parts: Any) -> Any:
    pd = _pandas()
    if name in ("NaTType", "NAType"):
        return pd.NaT if name == "NaTType" else pd.NA
    if name == "Timedelta":
        return pd.Timedelta(reader.value(parts[0]))
    if name != "Timestamp":
        raise ModelFileError("moment", name, "is not part of the format")
    made = pd.Timestamp(reader.value(parts[0]))
    return made if parts[1] is None else made.tz_localize("UTC").tz_convert(parts[1])


# -- polars ------------------------------------------------------------------------------------------------------------

_SIMPLE = (
    *(
        "Int8",
        "Int16",
        "Int32",
        "Int64",
        "UInt8",
        "UInt16",
        "UInt32",
        "UInt64",
        "Float32",
        "Float64",
    ),
    *("Boolean", "String", "Date", "Time", "Null", "Categorical", "Binary"),
)


def _write_dtype(dtype: DType, path: str) -> list[Any]:
    name = type(dtype).__name__ if not isinstance(dtype, type) else dtype.__name__
    if name in _SIMPLE:
        return [name]
    if name == "Datetime":
        return [name, dtype.time_unit, dtype.time_zone]
    if name == "Duration":
        return [name, dtype.time_unit]
    if name == "Enum":
        return [name, dtype.categories.to_list()]
    raise ModelFileError(
        path,
        str(dtype),
        "is a type of column that files do not hold",
        "convert it: frame.cast(...)",
    )


def _read_dtype(node: Any) -> Any:
    import polars

    name, *parts = node
    if name not in (*_SIMPLE, "Datetime", "Duration", "Enum"):
        raise ModelFileError("column", name, "is not part of the format")
    return getattr(polars, name)(*parts)


def write_polars(value: Any, writer: Writer, path: str) -> list[Any]:
    columns = []
    for series in value.iter_columns():
        here = f"{path}[{series.name!r}]"
        numbers = series.dtype.is_numeric() and not series.null_count()
        columns.append(
            [
                series.name,
                _write_dtype(series.dtype, here),
                writer.node(series.to_numpy() if numbers else series.to_list(), here),
            ]
        )
    return [value.height, columns]


def read_polars(reader: Reader, height: Any, columns: Columns) -> Any:
    try:
        import polars
    except ImportError:
        raise MissingDependencyError(
            "polars", None, "is needed: the model holds a data frame", "pip install polars"
        ) from None
    read = [(name, reader.value(values), _read_dtype(dtype)) for name, dtype, values in columns]
    try:
        made = [polars.Series(name, values, dtype=dtype) for name, values, dtype in read]
    except polars.exceptions.PanicException as error:  # not an `Exception`
        raise ModelFileError("frame", str(error), "is not made of its columns") from None
    if any(len(series) != height for series in made):
        raise ModelFileError("frame", f"{height} rows", "is not the length of its columns")
    return polars.DataFrame(made)
