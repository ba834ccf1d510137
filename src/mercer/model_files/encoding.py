"""Objects <-> a plain tree and a list of arrays.

The tree is a flat list of objects, in which every one refers only to earlier ones by ``["@", number]``: what is shared is stored once and
stays shared, nothing can contain itself, and reading it back needs no recursion.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from mercer.errors import MercerError, ModelFileError
from mercer.model_files import known, quirks, refusal, scalars
from mercer.model_files.checks import check
from mercer.model_files.codecs import CODECS, by_codec

DEEPEST = 200
MOST_NODES = 20_000_000
MOST_UNFOLDED = 100_000_000  # shared things counted as often as they occur: lists of the same lists of the same lists grow fast


class Writer:
    """Collects objects and arrays; ``path`` tells in messages where in the model something was found."""

    def __init__(self) -> None:
        self.objects: list[Any] = []
        self.arrays: list[np.ndarray] = []
        self.libraries: set[str] = set()
        self._places: dict[int, int] = {}
        self._kept: list[Any] = []  # so that no other object takes over an id
        self._open: set[int] = set()
        self._depth = self._nodes = 0

    def node(self, value: Any, path: str) -> Any:
        """A value as JSON."""
        self._nodes += 1
        if self._nodes > MOST_NODES:
            remedy = "keep fewer samples that are not arrays (texts, sets, lists)"
            raise ModelFileError(
                path,
                f"{self._nodes} values",
                f"are more than the {MOST_NODES} that a file may hold",
                remedy,
            )
        made = scalars.write(value)
        if made is not scalars.MISSING:
            return made
        named = self._function(value)
        if named is not None:
            return named
        kind = type(value)
        if kind is tuple:
            return ["tuple", *self._items(value, path)]
        if kind is frozenset:
            return ["frozenset", *_sorted(self._items(value, path))]
        if kind is slice:
            return [
                "slice",
                *(self.node(part, path) for part in (value.start, value.stop, value.step)),
            ]
        place = self._places.get(id(value))
        if place is None:
            place = self._add(value, path)
        return ["@", place]

    def _add(self, value: Any, path: str) -> int:
        if id(value) in self._open:
            raise ModelFileError(path, type(value).__name__, "contains itself, and cannot be saved")
        self._open.add(id(value))
        self._enter(path)
        entry = self._entry(value, path)
        self._depth -= 1
        self._open.discard(id(value))
        self.objects.append(entry)
        self._kept.append(value)
        self._places[id(value)] = len(self.objects) - 1
        return len(self.objects) - 1

    def _enter(self, path: str) -> None:
        self._depth += 1
        if self._depth > DEEPEST:
            raise ModelFileError(
                path[:60] + "...", "a value", f"is nested deeper than {DEEPEST} levels"
            )

    def _items(self, values: Any, path: str) -> list[Any]:
        self._enter(path)
        made = [self.node(item, f"{path}[{at}]") for at, item in enumerate(values)]
        self._depth -= 1
        return made

    def _entry(self, value: Any, path: str) -> list[Any]:
        kind = type(value)
        if kind is list:
            return ["list", *self._items(value, path)]
        if kind is set:
            return ["set", *_sorted(self._items(value, path))]
        if kind is dict:
            made: list[Any] = ["dict"]
            for key, item in value.items():
                made += [self.node(key, f"{path} (a key)"), self.node(item, f"{path}[{key!r}]")]
            return made
        codec = by_codec(value)
        if codec is not None:
            return [codec.word, *codec.write(value, self, path)]
        entry = known.by_class(kind)
        if entry is None:
            raise refusal.of(value, path)
        return self._made(entry, value, path)

    def array(self, values: np.ndarray) -> int:
        """The number of an array among those that are stored as bytes."""
        self.arrays.append(values)
        return len(self.arrays) - 1

    @staticmethod
    def _function(value: Any) -> Any:
        if not callable(value):
            return None
        from mercer.kernels.functions import FUNCTIONS

        for name, registered in FUNCTIONS.items():
            if registered.function is value:
                return ["function", name]
        for name in known.FUNCTIONS:
            if known.function_of_ours(name) is value:
                return ["our function", name]
        return None

    def _made(self, entry: known.Known, value: Any, path: str) -> list[Any]:
        held = quirks.state(entry, value)
        if not entry.ours:
            self.libraries.add("scikit-learn")
        names = value._param_names() if entry.kind == "kernel" else entry.parameters()
        parameters = {
            name: self.node(held.pop(name), f"{path}.{name}") for name in names if name in held
        }
        for name in held:
            if entry.kind == "record" or (entry.kind != "object" and not known.is_learned(name)):
                rule = f"is not a parameter of {entry.attribute}, nor an attribute that fit sets"
                raise ModelFileError(
                    f"{path}.{name}", held[name], rule, f"delete it: del model.{name}"
                )
        return [
            "made",
            entry.name,
            parameters,
            {name: self.node(item, f"{path}.{name}") for name, item in held.items()},
        ]


def _sorted(nodes: list[Any]) -> list[Any]:
    """Sets have no order of their own, and files of equal models are equal."""
    return sorted(nodes, key=lambda node: json.dumps(node, sort_keys=True))


class Reader:
    """Makes the objects of a tree again, one after the other."""

    def __init__(self, arrays: list[np.ndarray]) -> None:
        self.arrays = arrays
        self._made: list[Any] = []
        self._sizes: list[int] = []
        self._depths: list[int] = []
        self._nodes = self._size = self._deep = 0

    def all(self, objects: Any, root: Any) -> Any:
        if not isinstance(objects, list):
            raise ModelFileError("objects", type(objects).__name__, "is not a list")
        for number, entry in enumerate(objects):
            self._size, self._deep = 1, 0
            what = f"objects[{number}]"
            if isinstance(entry, list) and len(entry) > 1 and entry[0] == "made":
                what = f"{what}, {entry[1]}"
            try:
                made = self._object(entry)
            except ModelFileError:
                raise
            except MercerError as error:  # what the class itself says of its parameters
                raise ModelFileError(f"{what}: {error}") from None
            except Exception as error:
                raise ModelFileError(
                    what, entry, f"cannot be made ({type(error).__name__}: {error})"
                ) from None
            self._made.append(made)
            self._sizes.append(self._size)
            self._depths.append(self._deep + 1)
            if self._size > MOST_UNFOLDED or self._deep >= DEEPEST:
                raise ModelFileError(
                    what,
                    f"{self._size} values, {self._deep} levels",
                    "is larger, or nested deeper, than allowed",
                )
        return self.value(root)

    def value(self, node: Any, depth: int = 0) -> Any:
        """What a piece of JSON stands for."""
        self._nodes += 1
        self._size += 1
        if self._nodes > MOST_NODES or depth > DEEPEST:
            raise ModelFileError(
                "tree",
                f"{self._nodes} values, {depth} levels",
                "is larger, or nested deeper, than allowed",
            )
        if not isinstance(node, (list, dict)):
            return node
        if isinstance(node, dict) or not node or not isinstance(node[0], str):
            raise ModelFileError("value", node, "is not part of the format")
        word = node[0]
        if word == "@":
            return self._earlier(node)
        if word in scalars.WORDS:
            return scalars.read(node)
        if word == "function":
            return _registered(node[1])
        if word == "our function":
            return known.function_of_ours(node[1])
        items = [self.value(part, depth + 1) for part in node[1:]]
        if word == "tuple":
            return tuple(items)
        if word == "frozenset":
            return frozenset(items)
        if word == "slice" and len(items) == 3:
            return slice(*items)
        raise ModelFileError("value", node, "is not part of the format")

    def _earlier(self, node: list[Any]) -> Any:
        number = node[1] if len(node) == 2 else None
        if type(number) is not int or not 0 <= number < len(self._made):
            raise ModelFileError("reference", node, "is to nothing that was made before")
        self._size += self._sizes[number]
        self._deep = max(self._deep, self._depths[number])
        return self._made[number]

    def array(self, number: Any) -> np.ndarray:
        if type(number) is not int or not 0 <= number < len(self.arrays):
            raise ModelFileError(
                "array", number, f"is not one of the {len(self.arrays)} in the file"
            )
        return self.arrays[number]

    def _object(self, entry: Any) -> Any:
        if not isinstance(entry, list) or not entry or not isinstance(entry[0], str):
            raise ModelFileError("object", entry, "is not part of the format")
        word, *parts = entry
        if word == "made":
            return self._instance(*parts)
        if word in CODECS:
            return CODECS[word].read(self, *parts)
        if word not in ("list", "set", "dict"):
            raise ModelFileError("object", word, "is not part of the format")
        items = [self.value(part) for part in parts]
        if word == "dict":
            return dict(zip(items[::2], items[1::2], strict=True))
        return items if word == "list" else set(items)

    def _instance(self, name: Any, parameters: Any, state: Any) -> Any:
        entry = known.by_name(name)
        if not isinstance(parameters, dict) or not isinstance(state, dict):
            raise ModelFileError("object", name, "is not part of the format")
        known.check_names(entry, parameters, state)
        given = {key: self.value(node) for key, node in parameters.items()}
        learned = {key: self.value(node) for key, node in state.items()}
        made = object.__new__(entry.made) if entry.kind == "object" else entry.made(**given)
        for key, value in learned.items():
            object.__setattr__(made, key, value)
        quirks.mend(entry, made)
        check(entry, made)
        return made


def _registered(name: Any) -> Any:
    from mercer.kernels.functions import FUNCTIONS

    found = FUNCTIONS.get(name) if isinstance(name, str) else None
    if found is None:
        remedy = f"register the function under this name before loading: @mercer.register_function({name!r})"
        raise ModelFileError(
            "function", name, "is not registered here, and files hold no code", remedy
        )
    return found.function
