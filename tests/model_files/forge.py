"""Files that were tampered with by someone who knows the format: the contents are altered and the
checksum is right again.
"""

from __future__ import annotations

import hashlib
import json
import random
import struct
from pathlib import Path
from typing import Any

START = struct.Struct("<8sII32sQQ")


def taken_apart(raw: bytes) -> tuple[dict[str, Any], bytes]:
    """The header and the bytes of the arrays."""
    *_, length, data = START.unpack(raw[: START.size])
    first = START.size + length + -(START.size + length) % 64
    return json.loads(raw[START.size : START.size + length]), raw[first : first + data]


def put_together(header: dict[str, Any] | str | bytes, data: bytes, **fixed: Any) -> bytes:
    """A file with these contents and whatever else is told of it."""
    text = (
        header
        if isinstance(header, bytes)
        else (header if isinstance(header, str) else json.dumps(header)).encode()
    )
    fields = {
        "magic": b"\x89mercer\n",
        "format": 1,
        "zero": 0,
        "version": b"0.1.0",
        "length": len(text),
        "room": len(data),
        **fixed,
    }
    raw = START.pack(*fields.values()) + text
    raw += bytes(-len(raw) % 64) + data
    return raw + hashlib.sha256(raw).digest()


def laid_out(header: dict[str, Any], arrays: list[bytes]) -> bytes:
    """The arrays one after the other, their places told in the header."""
    data = b""
    for entry, raw in zip(header["arrays"], arrays, strict=True):
        entry["offset"], entry["bytes"] = len(data), len(raw)
        data += raw + bytes(-len(raw) % 64)
    return data


def parts(header: dict[str, Any], data: bytes) -> list[bytes]:
    return [data[e["offset"] : e["offset"] + e["bytes"]] for e in header["arrays"]]


NUMBERS = (0, -1, 1, 2, 7, 255, 2**31 - 1, -(2**31), 2**40, 2**62, 1e308, -1e-308, 0.5)
WORDS = (
    "tuple",
    "list",
    "@",
    "array",
    "made",
    "",
    "rbf",
    "precomputed",
    "function",
    "C",
    "F",
    "k1",
)


def mutated(raw: bytes, seed: int) -> bytes:
    """One change that a person might make: a shape, a type, a length, a value, a name,
    a reference.
    """
    rng = random.Random(seed)
    header, data = taken_apart(raw)
    arrays = parts(header, data)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        kind = rng.random()
        if arrays and kind < 0.5:
            _change_array(header, arrays, rng)
        elif kind < 0.75:
            _change_attribute(header, rng)
        else:
            _change_tree(header, rng)
    return put_together(header, laid_out(header, arrays))


def _change_array(header: dict[str, Any], arrays: list[bytes], rng: random.Random) -> None:
    at = rng.randrange(len(arrays))
    entry, raw = header["arrays"][at], bytearray(arrays[at])
    shape, size = entry["shape"], int(entry["dtype"][2:].split("[")[0])
    if entry["dtype"][1] == "U":
        size *= 4
    match rng.randrange(7):
        case 0 if shape and shape[0] > 1:  # shorter, by a row or down to one
            keep = rng.choice((shape[0] - 1, 1))
            row = len(raw) // shape[0]
            entry["shape"], raw = [keep, *shape[1:]], raw[: keep * row]
        case 1 if shape and shape[0]:  # longer
            row = len(raw) // shape[0]
            entry["shape"], raw = [shape[0] + 1, *shape[1:]], raw + raw[:row]
        case 2 if len(shape) == 2:
            entry["shape"] = shape[::-1]
        case 3 if len(shape) >= 1:
            entry["shape"] = [len(raw) // size] if len(shape) > 1 else [shape[0], 1]
        case 4 if len(shape) == 2 and shape[1] > 1:  # fewer columns
            row, cut = len(raw) // shape[0], len(raw) // shape[0] // shape[1]
            raw = bytearray(b"".join(raw[i * row : (i + 1) * row - cut] for i in range(shape[0])))
            entry["shape"] = [shape[0], shape[1] - 1]
        case 5 if len(raw) >= 8:  # a value: too large, negative, not a number
            place = rng.randrange(len(raw) // size) * size
            raw[place : place + size] = rng.choice(
                (b"\xff" * size, b"\x7f" * size, b"\x00" * size, b"\x00" * (size - 1) + b"\x80")
            )
        case _:
            entry["dtype"] = rng.choice(
                [
                    d
                    for d in ("<f8", "<i8", "<u8", "<M8[D]", "<f4", "<i4", "|b1", "|u1")
                    if int(d[2]) == size
                ]
                or ["<f8"]
            )
    arrays[at] = bytes(raw)


def _change_attribute(header: dict[str, Any], rng: random.Random) -> None:
    """One attribute holds what another one does, or any object of the file, or is not there."""
    kept = [
        (at, part)
        for at, e in enumerate(header["objects"])
        if isinstance(e, list)
        for part in e
        if isinstance(part, dict) and part
    ]
    if not kept:
        return
    at, held = rng.choice(kept)
    name, other = rng.choice(list(held)), rng.choice(list(held))
    match rng.randrange(4):
        case 0:
            held[name], held[other] = held[other], held[name]
        case 1:
            held[name] = held[other]
        case 2:
            held[name] = ["@", rng.randrange(at or 1)]
        case _:
            del held[name]


def _change_tree(header: dict[str, Any], rng: random.Random) -> None:
    """Somewhere in the objects: another value, one less, one more, two swapped."""
    place: Any = header["objects"]
    while True:
        keys = list(place.keys()) if isinstance(place, dict) else list(range(len(place)))
        if not keys:
            return
        key = rng.choice(keys)
        inner = place[key]
        if isinstance(inner, (list, dict)) and inner and rng.random() < 0.85:
            place = inner
            continue
        break
    match rng.randrange(6):
        case 0:
            place[key] = rng.choice(NUMBERS)
        case 1:
            place[key] = rng.choice(WORDS)
        case 2:
            place[key] = rng.choice(
                (
                    [],
                    {},
                    None,
                    True,
                    ["@", rng.randrange(len(header["objects"]))],
                    ["tuple", 1, 2],
                    ["float", "7ff8000000000000"],
                )
            )
        case 3:
            del place[key]
        case 4 if isinstance(place, list):
            place.insert(key, inner)
        case _:
            other = rng.choice(keys)
            place[key], place[other] = place[other], place[key]


def attack(folder: str, seeds: range) -> None:
    """Load mutated copies of every file and use what loads; whatever kills the interpreter shows in
    how this process ends.
    """
    import warnings

    import numpy as np

    import mercer
    from mercer.errors import ModelFileError

    warnings.simplefilter("ignore")
    refused = used = 0
    for source in sorted(Path(folder).glob("*.mercer")):
        raw = source.read_bytes()
        X = mercer.load(source.with_suffix(".new")).get_params()["class_weight"]
        for seed in seeds:
            Path(folder, "last").write_text(f"{source.name} {seed}")
            Path(folder, "mutated").write_bytes(mutated(raw, seed))
            try:
                model = mercer.load(Path(folder, "mutated"))
            except ModelFileError:
                refused += 1
                continue
            used += 1
            for method in (
                "predict",
                "decision_function",
                "predict_proba",
                "score_samples",
                "transform",
                "__call__",
            ):
                try:
                    with np.errstate(all="ignore"):
                        getattr(model, method)(X)
                except Exception:  # a complaint is as good as an answer: only a crash is not
                    continue
    print(refused, used)
