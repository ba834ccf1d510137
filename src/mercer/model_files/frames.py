"""Data frames of pandas and polars: names of columns, labels of rows, and columns by type."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from mercer.aliases import DType, Frame
from mercer.errors import ABSENT, MissingDependencyError, ModelFileError
from mercer.model_files.layout import Json

if TYPE_CHECKING:
    import pandas

    from mercer.model_files.encoding import Reader, Writer

INDICES = (
    *("Index", "RangeIndex", "MultiIndex", "CategoricalIndex", "DatetimeIndex"),
    *("TimedeltaIndex", "IntervalIndex", "PeriodIndex"),
)
_MISSING = {"NaTType": "NaT", "NAType": "NA"}  # pandas's missing values, by the names of classes
STAMPS = ("Timestamp", "Timedelta", *_MISSING)
_INTEGERS = ("Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64")
_NULLABLE = (*_INTEGERS, "Float32", "Float64", "boolean")
_NULLABLE_ARRAYS = {"b": "BooleanArray", "f": "FloatingArray"}  # by kind of NumPy's type
_ROWS_ALLOWED = 10**6  # in a frame, however few values the file has


def _library(name: str) -> ModuleType:
    """pandas or polars, or an error that says how to get it."""
    try:
        return importlib.import_module(name)
    except ImportError:
        rule = "is needed, and is not installed: the model holds a data frame"
        raise MissingDependencyError(name, ABSENT, rule, f"pip install {name}") from None


def _unknown(what: str, name: object) -> ModelFileError:
    return ModelFileError(what, name, "is not part of the format")


# -- columns of pandas ---------------------------------------------------------------------------


def _write_column(values: Any, writer: Writer, path: str) -> list[Json]:
    """The values of a Series or an Index, with their type."""
    pd = _library("pandas")
    dtype = values.dtype
    match dtype:
        case pd.CategoricalDtype():
            codes = writer.node(np.asarray(values.array.codes), path)
            categories = writer.node(dtype.categories, path)
            return ["category", codes, categories, bool(dtype.ordered)]
        case pd.DatetimeTZDtype():
            moments = values.array.tz_convert("UTC").tz_localize(None).to_numpy()
            return ["zone", writer.node(np.asarray(moments), path), str(dtype.tz)]
        case pd.StringDtype():
            texts = values.array.to_numpy(dtype=object, na_value=None).tolist()
            return ["string", dtype.storage, dtype.na_value is pd.NA, writer.node(texts, path)]
        case pd.api.extensions.ExtensionDtype() if str(dtype) in _NULLABLE:
            return _write_nullable(values, writer, path)
        case np.dtype():
            return ["plain", writer.node(values.to_numpy(), path)]
    rule = "is a type of column that files do not hold"
    raise ModelFileError(path, str(dtype), rule, "convert it: frame.astype(...)")


def _write_nullable(values: Any, writer: Writer, path: str) -> list[Json]:
    """Numbers with 0 for missing values, and where values are missing."""
    dtype = values.dtype.numpy_dtype
    numbers = values.array.to_numpy(dtype=dtype, na_value=dtype.type(0))
    missing = np.asarray(values.isna())
    return ["nullable", writer.node(np.asarray(numbers), path), writer.node(missing, path)]


def _read_column(reader: Reader, node: Json) -> Any:
    pd = _library("pandas")
    match node:
        case ["category", codes, categories, ordered]:
            dtype = pd.CategoricalDtype(reader.value(categories), ordered is True)
            return pd.Categorical.from_codes(reader.value(codes), dtype=dtype)
        case ["zone", moments, zone]:
            return pd.array(pd.DatetimeIndex(reader.value(moments), tz="UTC").tz_convert(zone))
        case ["string", "python" | "pyarrow" as storage, has_na, texts]:
            missing = pd.NA if has_na else np.nan
            return pd.array(reader.value(texts), pd.StringDtype(storage, na_value=missing))
        case ["nullable", numbers, missing]:
            return _read_nullable(reader.value(numbers), reader.value(missing))
        case ["plain", values]:
            return _vector(reader.value(values))
    raise _unknown("column", node[0])


def _read_nullable(numbers: np.ndarray, missing: np.ndarray) -> Any:
    arrays = _library("pandas").arrays
    if len(_vector(numbers)) != len(_vector(missing)):
        rule = "does not say of every value whether it is missing"
        raise ModelFileError("column", numbers.shape, rule)
    array_class = _NULLABLE_ARRAYS.get(numbers.dtype.kind, "IntegerArray")
    return getattr(arrays, array_class)(numbers, missing)


def _vector(values: object) -> np.ndarray:
    if not isinstance(values, np.ndarray) or values.ndim != 1:
        raise ModelFileError("column", type(values).__name__, "is not a vector")
    return values


# -- labels and frames of pandas -----------------------------------------------------------------


def write_index(value: Any, writer: Writer, path: str) -> list[Json]:
    """The labels of rows or columns; those of a range by its limits."""
    pd = _library("pandas")
    path = f"{path} (labels)"
    if isinstance(value, pd.MultiIndex):
        return _write_levels(value, writer, path)
    if isinstance(value, pd.RangeIndex):
        limits = [int(value.start), int(value.stop), int(value.step)]
        return ["range", writer.node(value.name, path), *limits]
    if getattr(value, "freq", None) is not None:
        value = type(value)(value, freq=None)
    return ["one", writer.node(value.name, path), _write_column(value, writer, path)]


def _write_levels(value: Any, writer: Writer, path: str) -> list[Json]:
    labels = [value.get_level_values(at) for at in range(value.nlevels)]
    levels = [_write_column(level, writer, path) for level in labels]
    return ["levels", [writer.node(name, path) for name in value.names], levels]


def read_index(reader: Reader, kind: Json, name: Json, *parts: Json) -> pandas.Index:
    """The labels that `write_index` wrote."""
    if kind == "range":
        return _read_range(parts, reader.value(name))
    if kind == "levels":
        return _read_levels(reader, name, parts[0])
    if kind != "one":
        raise _unknown("labels", kind)
    values = _read_column(reader, parts[0])
    return _library("pandas").Index(values, dtype=values.dtype, name=reader.value(name))


def _read_range(limits: tuple[Json, ...], name: object) -> pandas.Index:
    if not all(type(limit) is int for limit in limits):
        raise _unknown("range", limits)
    return _library("pandas").RangeIndex(*limits, name=name)


def _read_levels(reader: Reader, names: Json, levels: Json) -> pandas.Index:
    columns = [_read_column(reader, level) for level in levels]
    labels = [reader.value(name) for name in names]
    return _library("pandas").MultiIndex.from_arrays(columns, names=labels)


def write_frame(value: Frame, writer: Writer, path: str) -> list[Json]:
    """The names, the labels and the columns of a frame of pandas."""
    columns = [
        _write_column(value.iloc[:, at], writer, f"{path}[{name!r}]")
        for at, name in enumerate(value.columns)
    ]
    return [writer.node(value.columns, path), writer.node(value.index, path), columns]


def read_frame(reader: Reader, names: Json, index: Json, columns: Json) -> pandas.DataFrame:
    """The frame that `write_frame` wrote."""
    labels = reader.value(names)
    rows = reader.value(index)
    _check_row_count(reader, len(rows))
    values = [_read_column(reader, column) for column in columns]
    if [len(column) for column in values] != [len(rows)] * len(labels):
        rule = "are not as many, or not as long, as its labels say"
        raise ModelFileError("frame", f"{len(values)} columns", rule)
    frame = _library("pandas").DataFrame(dict(enumerate(values)), index=rows)
    frame.columns = labels
    return frame


def _check_row_count(reader: Reader, n_rows: int) -> None:
    """The labels of a range take no room in the file, and must not grow into a large frame."""
    if n_rows > max([_ROWS_ALLOWED, *(array.size for array in reader.arrays)]):
        raise ModelFileError("frame", f"{n_rows} rows", "are more than the file has values")


def write_series(value: pandas.Series, writer: Writer, path: str) -> list[Json]:
    """The name, the labels and the values of a series."""
    name, index = writer.node(value.name, path), writer.node(value.index, path)
    return [name, index, _write_column(value, writer, path)]


def read_series(reader: Reader, name: Json, index: Json, column: Json) -> pandas.Series:
    """The series that `write_series` wrote."""
    rows = reader.value(index)
    values = _read_column(reader, column)
    if len(rows) != len(values):
        rule = f"are not as many as its {len(rows)} labels"
        raise ModelFileError("series", f"{len(values)} values", rule)
    return _library("pandas").Series(values, index=rows, name=reader.value(name))


def write_stamp(value: Any, writer: Writer, path: str) -> list[Json]:
    """One moment or span of time of pandas, or one of its two missing values."""
    name = type(value).__name__
    if name in _MISSING:
        return [name]
    if name == "Timedelta":
        return [name, writer.node(value.to_timedelta64(), path)]
    zone = None
    if value.tz is not None:
        zone = str(value.tz)
        value = value.tz_convert("UTC").tz_localize(None)
    return [name, writer.node(value.to_datetime64(), path), zone]


def read_stamp(reader: Reader, name: Json, *parts: Json) -> object:
    """The moment, span or missing value that `write_stamp` wrote."""
    pd = _library("pandas")
    if name in _MISSING:
        return getattr(pd, _MISSING[name])
    if name not in STAMPS:
        raise _unknown("moment", name)
    value = getattr(pd, name)(reader.value(parts[0]))
    if name == "Timestamp" and parts[1] is not None:
        return value.tz_localize("UTC").tz_convert(parts[1])
    return value


# -- polars --------------------------------------------------------------------------------------

_PLAIN = (
    *(*_INTEGERS, "Float32", "Float64", "Boolean", "String"),
    *("Date", "Time", "Null", "Categorical", "Binary"),
)
_PARAMETERS: dict[str, Callable[[DType], list[Json]]] = {  # of the other types
    "Datetime": lambda dtype: [dtype.time_unit, dtype.time_zone],
    "Duration": lambda dtype: [dtype.time_unit],
    "Enum": lambda dtype: [dtype.categories.to_list()],
}


def _write_dtype(dtype: DType, path: str) -> list[Json]:
    """The name of a type of polars and its parameters."""
    name = str(dtype.base_type().__name__)
    if name in _PLAIN:
        return [name]
    if name not in _PARAMETERS:
        rule = "is a type of column that files do not hold"
        raise ModelFileError(path, str(dtype), rule, "convert it: frame.cast(...)")
    return [name, *_PARAMETERS[name](dtype)]


def _read_dtype(node: Json) -> DType:
    name, *parameters = node
    if name not in (*_PLAIN, *_PARAMETERS):
        raise _unknown("column", name)
    return getattr(_library("polars"), name)(*parameters)


def write_polars(value: Frame, writer: Writer, path: str) -> list[Json]:
    """The number of rows and the columns of a frame of polars."""
    columns: list[Json] = []
    for series in value.iter_columns():
        here = f"{path}[{series.name!r}]"
        dtype = _write_dtype(series.dtype, here)
        if series.dtype.is_numeric() and not series.null_count():
            values = writer.node(series.to_numpy(), here)
        else:
            values = writer.node(series.to_list(), here)
        columns.append([series.name, dtype, values])
    return [value.height, columns]


def read_polars(reader: Reader, height: Json, columns: Json) -> Frame:
    """The frame that `write_polars` wrote."""
    polars = _library("polars")
    try:
        series = [_read_polars_column(reader, *column) for column in columns]
    except polars.exceptions.PanicException as error:  # which is not an `Exception`
        raise ModelFileError("frame", str(error), "cannot be made from its columns") from None
    if {len(column) for column in series} - {height}:
        raise ModelFileError("frame", f"{height} rows", "is not the length of its columns")
    return polars.DataFrame(series)


def _read_polars_column(reader: Reader, name: Json, dtype: Json, values: Json) -> Any:
    return _library("polars").Series(name, reader.value(values), dtype=_read_dtype(dtype))
