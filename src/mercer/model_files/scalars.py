"""Single values as JSON: what JSON has is written directly, all else as a list led by a word.

Floats keep their bits: JSON writes the shortest decimal that reads back as the same number; NaN
and infinities are written as bytes.
"""

from __future__ import annotations

import base64
import datetime
import fractions
import struct
import zoneinfo
from collections.abc import Callable
from typing import Any

import numpy as np

from mercer.errors import ModelFileError
from mercer.model_files.layout import Json, can_store, check_values, stored_dtype

_LIMIT = 2**63  # of integers that are written as JSON numbers
LONGEST_RANGE = 10**8
_NUMPY_TYPES = (
    *("bool_", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64", "complex64", "complex128", "str_", "bytes_"),
)
TYPES: dict[str, type] = {t.__name__: t for t in (bool, int, float, complex, str, bytes, object)}
TYPES |= {f"np.{name}": getattr(np, name) for name in _NUMPY_TYPES}
_TYPE_NAMES = {cls: name for name, cls in TYPES.items()}
NOT_SCALAR = object()  # what `write` returns for anything that is not a single value


def write(value: object) -> Json:
    """A single value as JSON, or `NOT_SCALAR`."""
    writer = _WRITERS.get(type(value))
    if writer is not None:
        return writer(value)
    return _write_numpy(value)


def _write_int(value: int) -> Json:
    if -_LIMIT <= value < _LIMIT:
        return value
    return ["int", hex(value)]


def _write_float(value: float) -> Json:
    if value - value == 0:  # neither infinite nor NaN
        return value
    return ["float", struct.pack(">d", value).hex()]


def _write_str(value: str) -> Json:
    try:
        value.encode()
    except UnicodeEncodeError:
        # Of two lone surrogates beside each other JSON would make one character.
        return ["str", value.encode("utf-8", "surrogatepass").hex()]
    return value


def _write_range(value: range) -> Json:
    parts = (value.start, value.stop, value.step)
    if any(abs(part) >= _LIMIT for part in parts):
        return NOT_SCALAR
    return ["range", *parts]


def _write_datetime(value: datetime.datetime) -> Json:
    zone = value.tzinfo
    if isinstance(zone, zoneinfo.ZoneInfo) and zone.key is not None:
        return ["datetime", value.replace(tzinfo=None).isoformat(), value.fold, zone.key]
    if zone is not None and type(zone) is not datetime.timezone:
        return NOT_SCALAR
    return ["datetime", value.isoformat(), value.fold, None]


def _write_time(value: datetime.time) -> Json:
    if value.tzinfo is not None:
        return NOT_SCALAR
    return ["time", value.isoformat(), value.fold]


def _write_numpy(value: object) -> Json:
    """A scalar or a type of NumPy, or a type of Python."""
    if isinstance(value, np.generic) and can_store(value.dtype):
        stored = np.array(value).astype(stored_dtype(value.dtype))
        return ["numpy", stored.dtype.str, stored.tobytes().hex()]
    if isinstance(value, type) and value in _TYPE_NAMES:
        return ["type", _TYPE_NAMES[value]]
    if isinstance(value, np.dtype) and _is_dtype(value):
        return ["dtype", value.str]
    return NOT_SCALAR


def _is_dtype(dtype: np.dtype) -> bool:
    """Whether files hold this type: that of objects, or one of arrays that they hold."""
    return dtype.str == "|O" or can_store(dtype)


_WRITERS: dict[type, Callable[[Any], Json]] = {
    type(None): lambda value: value,
    bool: lambda value: value,
    int: _write_int,
    float: _write_float,
    str: _write_str,
    complex: lambda value: ["complex", _write_float(value.real), _write_float(value.imag)],
    bytes: lambda value: ["bytes", base64.b64encode(value).decode()],
    range: _write_range,
    fractions.Fraction: lambda value: ["fraction", hex(value.numerator), hex(value.denominator)],
    datetime.datetime: _write_datetime,
    datetime.date: lambda value: ["date", value.isoformat()],
    datetime.time: _write_time,
    datetime.timedelta: lambda span: ["timedelta", span.days, span.seconds, span.microseconds],
}


def read(node: list[Json]) -> object:
    """The value of a list that begins with one of `WORDS`."""
    try:
        return _READERS[node[0]](*node[1:])
    except (ValueError, TypeError, KeyError, ArithmeticError, struct.error, OSError) as error:
        raise ModelFileError("value", node, f"cannot be read ({error})") from None


def _read_float(node: Json) -> float:
    if type(node) is float:
        return node
    word, text = node
    if word != "float":
        raise ValueError("a float is expected")
    return float(struct.unpack(">d", bytes.fromhex(text))[0])


def _read_numpy(name: str, text: str) -> np.generic:
    dtype = np.dtype(name)
    raw = np.frombuffer(bytes.fromhex(text), dtype=np.uint8)
    if not can_store(dtype) or dtype.itemsize != len(raw):
        raise ValueError(f"{name} is not a number of so many bytes")
    check_values(raw, dtype)
    return raw.view(dtype).astype(dtype.newbyteorder("="))[0]


def _read_datetime(text: str, fold: int, zone: str | None) -> datetime.datetime:
    value = datetime.datetime.fromisoformat(text).replace(fold=fold)
    if zone is None:
        return value
    return value.replace(tzinfo=zoneinfo.ZoneInfo(zone))


def _read_range(*parts: int) -> range:
    value = range(*map(_integer, parts))
    if len(value) > LONGEST_RANGE:
        raise ValueError(f"a range of {len(value)} numbers is too long")
    return value


def _read_timedelta(*parts: int) -> datetime.timedelta:
    days, seconds, microseconds = map(_integer, parts)
    return datetime.timedelta(days, seconds, microseconds)


def _integer(value: object) -> int:
    if type(value) is not int:
        raise ValueError(f"{value!r} is not an integer")
    return value


def _read_dtype(text: str) -> np.dtype:
    dtype = np.dtype(text)
    if not _is_dtype(dtype):
        raise ValueError(f"{text} is not a type of arrays")
    return dtype.newbyteorder("=")


_READERS: dict[str, Callable[..., object]] = {
    "int": lambda text: int(text, 16),
    "float": lambda text: _read_float(["float", text]),
    "str": lambda text: bytes.fromhex(text).decode("utf-8", "surrogatepass"),
    "complex": lambda real, imaginary: complex(_read_float(real), _read_float(imaginary)),
    "bytes": lambda text: base64.b64decode(text, validate=True),
    "range": _read_range,
    "fraction": lambda above, below: fractions.Fraction(int(above, 16), int(below, 16)),
    "datetime": _read_datetime,
    "date": datetime.date.fromisoformat,
    "time": lambda text, fold: datetime.time.fromisoformat(text).replace(fold=fold),
    "timedelta": _read_timedelta,
    "numpy": _read_numpy,
    "type": TYPES.__getitem__,
    "dtype": _read_dtype,
}
WORDS = frozenset(_READERS)
