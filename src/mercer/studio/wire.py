"""Messages between page, server and worker: a JSON head, and float32 arrays behind it.

A frame is the length of the head (four bytes, little endian), the head, padded with blanks to a
multiple of four, and the arrays. The head names the arrays with their offsets and shapes, so that
the page reads them without a copy.
"""

from __future__ import annotations

import json
import math
import struct
from typing import Any

import numpy as np

_LENGTH = struct.Struct("<I")
MOST_BYTES = 64 * 2**20  # of one frame

Message = dict[str, Any]


def pack(message: Message) -> bytes:
    """A message as bytes; the arrays among its values become float32."""
    head: Message = {}
    places: dict[str, Any] = {}
    parts: list[bytes] = []
    at = 0
    for name, value in message.items():
        if not isinstance(value, np.ndarray):
            head[name] = value
            continue
        data = np.ascontiguousarray(value, dtype="<f4").tobytes()
        places[name] = {"at": at, "shape": list(value.shape)}
        parts.append(data)
        at += len(data)
    text = json.dumps({**plain(head), "arrays": places}, allow_nan=False).encode("utf-8")
    text += b" " * (-len(text) % 4)
    return b"".join([_LENGTH.pack(len(text)), text, *parts])


def unpack(frame: bytes) -> Message:
    """The message of a frame, with its arrays."""
    (length,) = _LENGTH.unpack_from(frame)
    message = json.loads(frame[4 : 4 + length])
    for name, place in message.pop("arrays").items():
        count = math.prod(place["shape"])
        values = np.frombuffer(frame, "<f4", count, 4 + length + place["at"])
        message[name] = values.reshape(place["shape"])
    return message


def plain(value: Any) -> Any:
    """A value that JSON can hold: no NumPy numbers, and None for what is not finite."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, np.generic | np.ndarray):
        return plain(value.tolist())
    return _plain_scalar(value)


def _plain_scalar(value: object) -> object:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, (str, int, float, type(None))):
        return value
    return str(value)
