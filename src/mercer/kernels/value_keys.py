"""Values of parameters in a form that can be compared and hashed."""

from __future__ import annotations

import functools
from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np

__all__: list[str] = []


@functools.singledispatch
def value_key(value: Any) -> Hashable:
    """A parameter in a form that is equal, and has an equal hash, where the value is equal."""
    if hasattr(value, "tocoo"):  # a sparse matrix
        entries = value.tocoo()
        return (*value.shape, *map(value_key, (entries.row, entries.col, entries.data)))
    try:
        hash(value)
    except TypeError:  # compared by identity
        return ("object", id(value))
    return value


@value_key.register
def _(value: Mapping) -> Hashable:
    return frozenset((key, value_key(item)) for key, item in value.items())


@value_key.register
def _(value: np.ndarray) -> Hashable:
    return value_key(value.tolist())


@value_key.register(list)
@value_key.register(tuple)
def _(value: list[Any] | tuple[Any, ...]) -> Hashable:
    return tuple(map(value_key, value))


@value_key.register
def _(value: slice) -> Hashable:
    return ("slice", value.start, value.stop, value.step)
