"""Single values <-> JSON. What JSON has stands for itself; everything else is a list that begins with a word.

Floats keep their bits: JSON writes the shortest decimal that reads back as the same number; NaN and infinities are written as bytes.
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
from mercer.model_files.container import can_store

_SMALL = 2**63
LONGEST_RANGE = 10**8
TYPES: dict[str, type] = {
    t.__name__: t for t in (bool, int, float, complex, str, bytes, object)
} | {
    f"np.{name}": getattr(np, name)
    for name in [
        "bool_",
        "int8",
        "int16",
        "int32",
        "int64",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
        "float16",
        "float32",
        "float64",
        "complex64",
        "complex128",
        "str_",
        "bytes_",
    ]
}
_NAMES = {made: name for name, made in TYPES.items()}
MISSING = object()  # "not a single value"


def _float(value: float) -> Any:
    return value if value - value == 0 else ["float", struct.pack(">d", value).hex()]


def _str(value: str) -> Any:
    try:
        value.encode()
    except (
        UnicodeEncodeError
    ):  # a lone half of a pair: JSON would join two of them to another letter
        return ["str", value.encode("utf-8", "surrogatepass").hex()]
    return value


def _datetime(value: datetime.datetime) -> Any:
    zone = value.tzinfo
    if isinstance(zone, zoneinfo.ZoneInfo) and zone.key is not None:
        return ["datetime", value.replace(tzinfo=None).isoformat(), value.fold, zone.key]
    if zone is not None and type(zone) is not datetime.timezone:
        return MISSING
    return ["datetime", value.isoformat(), value.fold, None]


def _numpy(value: np.generic) -> Any:
    array = np.array(value)
    if not can_store(array.dtype):
        return MISSING
    stored = (
        array.astype(array.dtype.newbyteorder("<"))
        if array.dtype.itemsize
        else array.astype(f"{array.dtype.kind}1")
    )
    return ["numpy", stored.dtype.str, stored.tobytes().hex()]


_WRITE: dict[type, Callable[[Any], Any]] = {
    type(None): lambda v: v,
    bool: lambda v: v,
    int: lambda v: v if -_SMALL <= v < _SMALL else ["int", hex(v)],
    float: _float,
    str: _str,
    complex: lambda v: ["complex", _float(v.real), _float(v.imag)],
    bytes: lambda v: ["bytes", base64.b64encode(v).decode()],
    range: lambda v: (
        ["range", v.start, v.stop, v.step]
        if all(abs(x) < _SMALL for x in (v.start, v.stop, v.step))
        else MISSING
    ),
    fractions.Fraction: lambda v: ["fraction", hex(v.numerator), hex(v.denominator)],
    datetime.datetime: _datetime,
    datetime.date: lambda v: ["date", v.isoformat()],
    datetime.time: lambda v: ["time", v.isoformat(), v.fold] if v.tzinfo is None else MISSING,
    datetime.timedelta: lambda v: ["timedelta", v.days, v.seconds, v.microseconds],
}


def write(value: Any) -> Any:
    """A single value as JSON, or `MISSING`."""
    kind = type(value)
    known = _WRITE.get(kind)
    if known is not None:
        return known(value)
    if isinstance(value, np.generic):
        return _numpy(value)
    if isinstance(value, type) and value in _NAMES:
        return ["type", _NAMES[value]]
    if isinstance(value, np.dtype) and (value.str == "|O" or can_store(value)):
        return ["dtype", value.str]
    return MISSING


# -- reading -----------------------------------------------------------------------------------------------------------


def _read_float(node: Any) -> float:
    if type(node) is float:
        return node
    word, text = node
    if word != "float":
        raise ValueError("a float is wanted")
    return float(struct.unpack(">d", bytes.fromhex(text))[0])


def _read_numpy(kind: str, text: str) -> Any:
    dtype, raw = np.dtype(kind), bytes.fromhex(text)
    if (
        not can_store(dtype)
        or dtype.itemsize != len(raw)
        or (dtype.kind == "b" and raw not in (b"\0", b"\1"))
    ):
        raise ValueError(f"{kind} is not a number of so many bytes")
    value = np.frombuffer(raw, dtype=dtype)
    if dtype.kind == "U" and value.view("<u4").max() > 0x10FFFF:
        raise ValueError("not a letter")
    return value.astype(dtype.newbyteorder("="))[0]


def _read_datetime(text: str, fold: int, zone: str | None) -> datetime.datetime:
    made = datetime.datetime.fromisoformat(text).replace(fold=fold)
    return made if zone is None else made.replace(tzinfo=zoneinfo.ZoneInfo(zone))


def _read_range(*parts: int) -> range:
    made = range(*map(_whole, parts))
    if len(made) > LONGEST_RANGE:
        raise ValueError(f"a range of {len(made)} numbers is too long")
    return made


def _whole(value: Any) -> int:
    if type(value) is not int:
        raise ValueError(f"{value!r} is not a whole number")
    return value


def _read_dtype(text: str) -> np.dtype:
    made = np.dtype(text)
    if made.str != "|O" and not can_store(made):
        raise ValueError(f"{text} is not a type of arrays")
    return made.newbyteorder("=")


_READ: dict[str, Callable[..., Any]] = {
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
    "timedelta": lambda days, seconds, micro: datetime.timedelta(
        _whole(days), _whole(seconds), _whole(micro)
    ),
    "numpy": _read_numpy,
    "type": lambda name: TYPES[name],
    "dtype": _read_dtype,
}
WORDS = frozenset(_READ)


def read(node: list[Any]) -> Any:
    """The value of a list that begins with one of `WORDS`."""
    try:
        return _READ[node[0]](*node[1:])
    except (
        ValueError,
        TypeError,
        KeyError,
        OverflowError,
        ZeroDivisionError,
        struct.error,
        OSError,
    ) as error:
        raise ModelFileError("value", node, f"cannot be read ({error})") from None
