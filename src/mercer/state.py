"""Stored state, declared where it is born: what of a fitted object a model file holds, and how it
is checked when a file is loaded.

A class that can be saved is registered by `storable` and declares its fitted attributes as a
`State`; declarations of base classes are added to it. `mercer.model_files` knows no class but through
this registry.
"""

from __future__ import annotations

import dataclasses
from typing import Any, TypeVar

import numpy as np

from mercer.errors import ModelFileError

Class = TypeVar("Class", bound=type)

STORABLE: dict[str, type] = {}  # by the name that files use


@dataclasses.dataclass(frozen=True)
class State:
    """The fitted attributes of a class.

    Every attribute that ``fit`` sets is named in exactly one place: ``finite``, ``plain`` or ``rebuilt``.
    The other fields say more of attributes that are named there.

    Parameters
    ----------
    finite : tuple of str
        Numbers and arrays of numbers, all of them finite.
    plain : tuple of str
        Everything else that is stored.
    rebuilt : tuple of str
        Attributes that are not stored; the class's method ``_rebuild`` sets them after loading.
    samples : tuple of str
        Collections of training samples, of which each is None or has one entry per kept sample.
    per_sample : tuple of str
        Arrays whose first axis has one entry per kept sample; attributes that are None are skipped.
    per_sample_last : tuple of str
        Arrays whose last axis has one entry per kept sample.
    positions : dict of str to str
        Arrays of positions, and the attribute with the number they lie below.
    """

    finite: tuple[str, ...] = ()
    plain: tuple[str, ...] = ()
    rebuilt: tuple[str, ...] = ()
    samples: tuple[str, ...] = ()
    per_sample: tuple[str, ...] = ()
    per_sample_last: tuple[str, ...] = ()
    positions: dict[str, str] = dataclasses.field(default_factory=dict)

    def __add__(self, other: State) -> State:
        parts = {
            field.name: getattr(self, field.name) + getattr(other, field.name)
            for field in dataclasses.fields(self)
            if field.name != "positions"
        }
        return State(**parts, positions={**self.positions, **other.positions})

    @property
    def names(self) -> frozenset[str]:
        """Every declared attribute."""
        return frozenset((*self.finite, *self.plain, *self.rebuilt))


def storable(cls: Class) -> Class:
    """Let model files hold instances of a class, under the class's own name without underscores."""
    name = cls.__name__.lstrip("_")
    if STORABLE.get(name, cls).__module__ != cls.__module__:
        raise TypeError(f"two classes that model files may hold are called {name}")
    STORABLE[name] = cls
    return cls


def declared(cls: type) -> State:
    """The declarations of a class and of all its bases, each as ``stored = State(...)``."""
    total = State()
    for base in reversed(cls.__mro__):
        total = total + vars(base).get("stored", State())
    return total


def check_count(what: str, count: int, expected: int) -> None:
    """Raise `ModelFileError` unless there is one value for each kept sample."""
    if count != expected:
        rule = f"are not one for each of the {expected} samples that are kept"
        raise ModelFileError(what, f"{count} values", rule)


def check_positions(what: str, positions: np.ndarray, count: int) -> None:
    """Raise `ModelFileError` unless all positions are integers from 0 to count - 1."""
    integers = type(positions) is np.ndarray and positions.dtype.kind in "iu"
    if not integers:
        raise ModelFileError(what, type(positions).__name__, "are not positions")
    if positions.size and (positions.min() < 0 or positions.max() >= count):
        rule = f"are not all positions from 0 to {count - 1}"
        raise ModelFileError(what, f"{positions.dtype} {positions[:3]}", rule)


def check_finite(what: str, value: Any) -> None:
    """Raise `ModelFileError` for numbers that are not finite; other values pass."""
    if not isinstance(value, (float, np.ndarray, np.floating)):
        return
    numbers = np.asarray(value)
    if numbers.dtype.kind in "fc" and not np.isfinite(numbers).all():
        first = np.ravel(numbers)[~np.isfinite(np.ravel(numbers))][0]
        raise ModelFileError(what, first, "must be finite")
