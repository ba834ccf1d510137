"""Stored state, declared where it is born: what of a fitted object a model file holds, and how it
is checked when a file is loaded.

A class declares its fitted attributes as ``stored: ClassVar[State] = State(...)``; the declarations
of its bases are added. Classes that are neither in the catalogue of kernels nor in the registry of
estimators are registered by `storable`. `mercer.model_files` knows no class but through these.

A class may define three methods, each of which is called for objects that hold any declared state:

- ``_before_store(self, state)`` changes the dictionary of attributes that is going to be stored;
- ``_rebuild(self)`` sets what is not stored, after an object was loaded and its state was checked;
- ``_check_loaded(self)`` then raises `ModelFileError` where the object contradicts itself.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TypeVar

import numpy as np

from mercer.errors import ModelFileError

Class = TypeVar("Class", bound=type)

STORABLE: dict[str, type] = {}  # by the name that files use
FORMER_NAMES: dict[str, str] = {}  # what classes were called in files of earlier versions


@dataclasses.dataclass(frozen=True)
class State:
    """The fitted attributes of a class.

    Every attribute that ``fit`` sets is named in exactly one place: ``finite``, ``plain`` or
    ``rebuilt``. The other fields say more of attributes that are named there. The fields of a
    dataclass are stored in any case, and need not be named.

    Parameters
    ----------
    finite : tuple of str
        Numbers and arrays of numbers, or collections of them, all of them finite.
    plain : tuple of str
        Everything else that is stored.
    rebuilt : tuple of str
        Attributes that are not stored; the constructor or the method ``_rebuild`` sets them.
    samples : tuple of str
        Collections of training samples, of which each is None or has one entry per kept sample.
    per_sample : tuple of str
        Arrays whose first axis has one entry per kept sample; attributes that are None are skipped.
    per_sample_last : tuple of str
        Arrays whose last axis has one entry per kept sample.
    positions : dict of str to str
        Arrays of positions, and the attribute with the number they lie below (or with the
        collection that they are positions in).
    kernel : str
        The attribute with the kernel that reads the samples.
    """

    finite: tuple[str, ...] = ()
    plain: tuple[str, ...] = ()
    rebuilt: tuple[str, ...] = ()
    samples: tuple[str, ...] = ()
    per_sample: tuple[str, ...] = ()
    per_sample_last: tuple[str, ...] = ()
    positions: dict[str, str] = dataclasses.field(default_factory=dict)
    kernel: str = "kernel_"

    def __add__(self, other: State) -> State:
        parts = {
            field.name: getattr(self, field.name) + getattr(other, field.name)
            for field in dataclasses.fields(self)
            if field.name not in ("positions", "kernel")
        }
        kernel = self.kernel if other.kernel == State.kernel else other.kernel
        return State(**parts, positions={**self.positions, **other.positions}, kernel=kernel)

    @property
    def names(self) -> frozenset[str]:
        """Every declared attribute."""
        return self.kept.union(self.rebuilt)

    @property
    def kept(self) -> frozenset[str]:
        """The attributes that are stored."""
        return frozenset((*self.finite, *self.plain))


def storable(cls: Class) -> Class:
    """Let model files hold instances of a class, under the class's own name without underscores."""
    name = cls.__name__.lstrip("_")
    if STORABLE.get(name, cls).__module__ != cls.__module__:
        raise TypeError(f"two classes that model files may hold are called {name}")
    STORABLE[name] = cls
    return cls


def formerly(*names: str) -> Callable[[Class], Class]:
    """Let files of earlier versions, which have other names for a class, be loaded."""

    def decorate(cls: Class) -> Class:
        FORMER_NAMES.update(dict.fromkeys(names, cls.__name__))
        return cls

    return decorate


def declared(cls: type) -> State:
    """The declarations of a class and of all its bases, each as ``stored = State(...)``."""
    total = State()
    for base in reversed(cls.__mro__):
        own = vars(base).get("stored")
        if isinstance(own, State):
            total = total + own
    return total


def to_store(instance: object) -> dict[str, object]:
    """The attributes of an instance that a file holds, and those that are not declared."""
    state = declared(type(instance))
    attributes = {
        name: value for name, value in vars(instance).items() if name not in state.rebuilt
    }
    if not state.kept.isdisjoint(attributes):
        _call(instance, "_before_store", attributes)
    return attributes


def finish_loading(instance: object) -> None:
    """Set what is not stored of a loaded object, and let its class check the whole."""
    if not declared(type(instance)).kept.isdisjoint(vars(instance)):
        _call(instance, "_rebuild")
        _call(instance, "_check_loaded")


def _call(instance: object, method: str, *arguments: object) -> None:
    """Call a method that a class may have or not."""
    if hasattr(type(instance), method):
        getattr(instance, method)(*arguments)


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


def check_finite(what: str, value: object) -> None:
    """Raise `ModelFileError` for numbers that are not finite, and for what is not a number.

    None passes; of lists, tuples and dictionaries the items are checked.
    """
    if value is None:
        return
    if isinstance(value, (list, tuple)):
        for item in value:
            check_finite(what, item)
        return
    if isinstance(value, dict):
        check_finite(what, list(value.values()))
        return
    numbers = np.asarray(value)
    if numbers.dtype.kind not in "biuf":
        raise ModelFileError(what, f"{type(value).__name__}", "is not an array of numbers")
    if not np.isfinite(numbers).all():
        first = np.ravel(numbers)[~np.isfinite(np.ravel(numbers))][0]
        raise ModelFileError(what, first, "must be finite")
