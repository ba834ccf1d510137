"""Models as plain JSON and a list of arrays.

The JSON is a flat list of objects, in which every object refers only to earlier ones, by
``["@", number]``: what is shared is stored once and stays shared, nothing can contain itself, and
reading it back needs no recursion.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from mercer.errors import MercerError, ModelFileError
from mercer.kernels.functions import FUNCTIONS
from mercer.model_files import known, refusal, scalars
from mercer.model_files.codecs import CODECS, by_codec
from mercer.model_files.entries import Entry
from mercer.model_files.layout import Json, is_count

DEEPEST = 200
MOST_NODES = 20_000_000
MOST_UNFOLDED = 100_000_000  # with shared objects counted as often as they occur


class Writer:
    """Collects the objects and arrays of a model.

    In its methods ``path`` is the place of a value in the model, for error messages.
    """

    def __init__(self) -> None:
        self.objects: list[Json] = []
        self.arrays: list[np.ndarray] = []
        self.libraries: set[str] = set()
        self._numbers: dict[int, int] = {}  # of objects, by id
        self._kept: list[object] = []  # so that no other object takes over an id
        self._open: set[int] = set()
        self._depth = 0
        self._nodes = 0

    def node(self, value: object, path: str) -> Json:
        """A value as JSON: a single value itself, an object as a reference."""
        self._count_node(path)
        scalar = scalars.write(value)
        if scalar is not scalars.NOT_SCALAR:
            return scalar
        immutable = _function_name(value) or self._immutable(value, path)
        return immutable or ["@", self._number(value, path)]

    def _count_node(self, path: str) -> None:
        self._nodes += 1
        if self._nodes > MOST_NODES:
            rule = f"are more than the {MOST_NODES} that a file may hold"
            remedy = "keep fewer samples that are not arrays (texts, sets, lists)"
            raise ModelFileError(path, f"{self._nodes} values", rule, remedy)

    def _immutable(self, value: object, path: str) -> Json:
        """A tuple, frozen set or slice as JSON, and None for others, which are shared."""
        if type(value) is tuple:
            return ["tuple", *self.items(value, path)]
        if type(value) is frozenset:
            return ["frozenset", *_sorted(self.items(value, path))]
        if isinstance(value, slice):
            parts = (value.start, value.stop, value.step)
            return ["slice", *(self.node(part, path) for part in parts)]
        return None

    def _number(self, value: object, path: str) -> int:
        """The number of an object, which is written if it was not before."""
        number = self._numbers.get(id(value))
        if number is not None:
            return number
        if id(value) in self._open:
            raise ModelFileError(path, type(value).__name__, "contains itself, and cannot be saved")
        self._open.add(id(value))
        self._enter(path)
        entry = self._entry(value, path)
        self._depth -= 1
        self._open.discard(id(value))
        self.objects.append(entry)
        self._kept.append(value)
        self._numbers[id(value)] = len(self.objects) - 1
        return len(self.objects) - 1

    def _enter(self, path: str) -> None:
        self._depth += 1
        if self._depth > DEEPEST:
            rule = f"is nested deeper than {DEEPEST} levels"
            raise ModelFileError(path[:60] + "...", "a value", rule)

    def items(self, values: Iterable[object], path: str) -> list[Json]:
        """The items of a collection as JSON."""
        self._enter(path)
        nodes = [self.node(item, f"{path}[{at}]") for at, item in enumerate(values)]
        self._depth -= 1
        return nodes

    def _entry(self, value: object, path: str) -> list[Json]:
        """An object as it stands in the list of objects."""
        if type(value) in (list, set, dict):
            return self._collection(value, path)
        codec = by_codec(value)
        if codec is not None:
            return [codec.word, *codec.write(value, self, path)]
        entry = known.by_class(type(value))
        if entry is None:
            raise refusal.of(value, path)
        return ["made", entry.name, *self._state(entry, value, path)]

    def _collection(self, values: Any, path: str) -> list[Json]:
        if type(values) is list:
            return ["list", *self.items(values, path)]
        if type(values) is set:
            return ["set", *_sorted(self.items(values, path))]
        nodes: list[Json] = ["dict"]
        for key, item in values.items():
            nodes += [self.node(key, f"{path} (a key)"), self.node(item, f"{path}[{key!r}]")]
        return nodes

    def array(self, values: np.ndarray) -> int:
        """The number of an array among those that are stored as bytes."""
        self.arrays.append(values)
        return len(self.arrays) - 1

    def _state(self, entry: Entry, value: object, path: str) -> tuple[Json, Json]:
        """The parameters of an instance, and its other attributes."""
        if entry.library:
            self.libraries.add(entry.library)
        learned = entry.attributes(value)
        names = entry.parameters_of(value)
        given = {name: learned.pop(name) for name in names if name in learned}
        _check_declared(entry, learned, path)
        return self._attributes(given, path), self._attributes(learned, path)

    def _attributes(self, values: dict[str, object], path: str) -> Json:
        return {name: self.node(item, f"{path}.{name}") for name, item in values.items()}


def _check_declared(entry: Entry, learned: dict[str, object], path: str) -> None:
    """Refuse attributes that the class does not declare as set by ``fit``."""
    class_name = entry.cls.__name__
    for name, value in learned.items():
        if not entry.learns(name):
            rule = f"is neither a parameter of {class_name} nor declared by it as stored state"
            remedy = f"delete it (del model.{name}), or declare it in the class: "
            remedy += f"{class_name}.stored = State(plain=({name!r},))"
            raise ModelFileError(f"{path}.{name}", value, rule, remedy)


def _function_name(value: object) -> Json:
    """A function as JSON if it has a name in files, or None."""
    if not callable(value):
        return None
    names = [name for name, entry in FUNCTIONS.items() if entry.function is value]
    return ["function", names[0]] if names else None


def _sorted(nodes: list[Json]) -> list[Json]:
    """The items of a set in an order that is the same in every process, and so in every file."""
    return sorted(nodes, key=lambda node: json.dumps(node, sort_keys=True))


class Reader:
    """Makes the objects of a file again, one after the other."""

    def __init__(self, arrays: list[np.ndarray]) -> None:
        self.arrays = arrays
        self._objects: list[object] = []
        self._sizes: list[int] = []
        self._depths: list[int] = []
        self._nodes = 0
        self._size = 0  # of the present object, with all that it refers to
        self._depth = 0

    def all(self, objects: Json, root: Json) -> Any:
        """Read all objects, and return what the root stands for."""
        if not isinstance(objects, list):
            raise ModelFileError("objects", type(objects).__name__, "is not a list")
        names = [_class_name(entry) for entry in objects]
        known.register(names)
        for number, (entry, name) in enumerate(zip(objects, names, strict=True)):
            what = f"objects[{number}]"
            self._add(entry, what if name is None else f"{what}, {name}")
        return self.value(root)

    def _add(self, entry: Json, what: str) -> None:
        """Read one object, and note how large it is with all that it refers to."""
        self._size = 1
        self._depth = 0
        self._objects.append(self._named_object(entry, what))
        self._sizes.append(self._size)
        self._depths.append(self._depth + 1)
        if self._size > MOST_UNFOLDED or self._depth >= DEEPEST:
            raise _too_large(what, self._size, self._depth)

    def _named_object(self, entry: Json, what: str) -> object:
        """An object, where every error says which one could not be made."""
        try:
            return self._object(entry)
        except ModelFileError:
            raise
        except MercerError as error:  # what the class itself says of its parameters
            raise ModelFileError(f"{what}: {error}") from None
        except Exception as error:
            rule = f"cannot be made ({type(error).__name__}: {error})"
            raise ModelFileError(what, entry, rule) from None

    def value(self, node: Json, depth: int = 0) -> Any:
        """What a piece of JSON stands for."""
        self._nodes += 1
        self._size += 1
        if self._nodes > MOST_NODES or depth > DEEPEST:
            raise _too_large("tree", self._nodes, depth)
        if isinstance(node, (list, dict)):
            return self._tagged(node, depth)
        return node

    def _tagged(self, node: Json, depth: int) -> object:
        """What a list stands for that begins with a word."""
        word = _first_word(node, "value")
        if word == "@":
            return self._earlier(node)
        if word in scalars.WORDS:
            return scalars.read(node)
        if word == "function":
            return _read_function(node[1])
        return _read_immutable(word, [self.value(part, depth + 1) for part in node[1:]])

    def _earlier(self, node: list[Json]) -> object:
        """The object that a reference refers to."""
        if len(node) != 2 or not is_count(node[1], len(self._objects)):
            raise ModelFileError("reference", node, "does not refer to an earlier object")
        number = node[1]
        self._size += self._sizes[number]
        self._depth = max(self._depth, self._depths[number])
        return self._objects[number]

    def array(self, number: Json) -> np.ndarray:
        """One of the arrays that are stored as bytes."""
        if not is_count(number, len(self.arrays)):
            rule = f"is not one of the {len(self.arrays)} in the file"
            raise ModelFileError("array", number, rule)
        return self.arrays[number]

    def _object(self, entry: Json) -> object:
        """The object of an entry of the list of objects."""
        word = _first_word(entry, "object")
        parts = entry[1:]
        if word == "made":
            return self._instance(*parts)
        if word in CODECS:
            return CODECS[word].read(self, *parts)
        return _read_collection(word, [self.value(part) for part in parts])

    def _instance(self, name: Json, parameters: Json, state: Json) -> object:
        """An instance of one of the classes that files may hold."""
        entry = known.by_name(name)
        if not isinstance(parameters, dict) or not isinstance(state, dict):
            raise ModelFileError("object", name, "is not part of the format")
        renamed = getattr(entry.cls, "renamed", {})  # since the file was written
        parameters = {renamed.get(old, old): value for old, value in parameters.items()}
        state = {renamed.get(old, old): value for old, value in state.items()}
        entry.check_names(parameters, state)
        return entry.make(self._attributes(parameters), self._attributes(state))

    def _attributes(self, nodes: dict[str, Json]) -> dict[str, object]:
        return {name: self.value(node) for name, node in nodes.items()}


def _class_name(entry: Json) -> Json:
    """The name of the class of an instance; None for other objects."""
    is_instance = isinstance(entry, list) and len(entry) > 1 and entry[0] == "made"
    return entry[1] if is_instance else None


def _too_large(what: str, count: int, depth: int) -> ModelFileError:
    rule = "is larger, or nested deeper, than allowed"
    return ModelFileError(what, f"{count} values, {depth} levels", rule)


def _first_word(node: Json, what: str) -> str:
    """The word that a list begins with, which says what kind of value it stands for."""
    if not isinstance(node, list) or not node or not isinstance(node[0], str):
        raise ModelFileError(what, node, "is not part of the format")
    return node[0]


def _read_immutable(word: str, items: list[object]) -> object:
    match word:
        case "tuple":
            return tuple(items)
        case "frozenset":
            return frozenset(items)
        case "slice" if len(items) == 3:
            return slice(*items)
    raise ModelFileError("value", word, "is not part of the format")


def _read_collection(word: str, items: list[object]) -> object:
    match word:
        case "list":
            return items
        case "set":
            return set(items)
        case "dict":
            return dict(zip(items[::2], items[1::2], strict=True))
    raise ModelFileError("object", word, "is not part of the format")


def _read_function(name: Json) -> Callable[..., object]:
    """The function that was registered under a name."""
    if isinstance(name, str) and name in FUNCTIONS:
        return FUNCTIONS[name].function
    remedy = "register the function under this name before loading: "
    remedy += f"@mercer.register_function({name!r})"
    rule = "is not registered here, and files hold no code"
    raise ModelFileError("function", name, rule, remedy)
