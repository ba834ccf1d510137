"""Values that are neither single nor of the table of classes: arrays, sparse matrices, random generators, graphs, data frames."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from mercer.errors import ModelFileError
from mercer.model_files import frames, refusal
from mercer.model_files.container import can_store

if TYPE_CHECKING:
    from mercer.model_files.encoding import Reader, Writer


@dataclasses.dataclass(frozen=True)
class Codec:
    """How one kind of value is written as a list of JSON values, and made of them again."""

    word: str
    holds: Callable[[Any], bool]
    write: Callable[[Any, Writer, str], list[Any]]
    read: Callable[..., Any]


def _module(value: Any) -> str:
    return type(value).__module__.partition(".")[0]


# -- arrays ------------------------------------------------------------------------------------------------------------


def _write_array(value: np.ndarray, writer: Writer, path: str) -> list[Any]:
    value = np.asarray(value)  # of a memory map, the array
    if not can_store(value.dtype):
        raise ModelFileError(
            path,
            str(value.dtype),
            "is a kind of array that files do not hold",
            "convert it: array.astype(float)",
        )
    return [writer.array(value)]


def _read_array(reader: Reader, number: Any) -> np.ndarray:
    return reader.array(number)


def _write_objects(value: np.ndarray, writer: Writer, path: str) -> list[Any]:
    return [
        list(value.shape),
        *(writer.node(item, f"{path}[{at}]") for at, item in enumerate(value.ravel().tolist())),
    ]


def _read_objects(reader: Reader, shape: Any, *items: Any) -> np.ndarray:
    if (
        not isinstance(shape, list)
        or not all(type(n) is int and 0 <= n < 2**31 for n in shape)
        or math.prod(shape) != len(items)
    ):
        raise ModelFileError("shape", shape, f"is not that of an array of {len(items)} objects")
    made = np.empty(len(items), dtype=object)
    for at, item in enumerate(items):
        made[at] = reader.value(item)
    return made.reshape(shape)


# -- sparse matrices ---------------------------------------------------------------------------------------------------

_COMPRESSED = ("csr_matrix", "csc_matrix", "csr_array", "csc_array")
_COORDINATES = ("coo_matrix", "coo_array")


def _is_sparse(value: Any) -> bool:
    return (
        _module(value) == "scipy"
        and type(value).__name__ in _COMPRESSED + _COORDINATES
        and value.ndim == 2
    )


def _write_sparse(value: Any, writer: Writer, path: str) -> list[Any]:
    name = type(value).__name__
    parts = (
        (value.row, value.col)
        if name in _COORDINATES
        else (value.indices[: value.indptr[-1]], value.indptr)
    )
    data = value.data if name in _COORDINATES else value.data[: value.indptr[-1]]
    return [
        name,
        list(map(int, value.shape)),
        *(writer.node(part, path) for part in (data, *parts)),
    ]


def _read_sparse(reader: Reader, name: Any, shape: Any, *nodes: Any) -> Any:
    import scipy.sparse

    data, *parts = (reader.value(node) for node in nodes)
    good = (
        name in _COMPRESSED + _COORDINATES
        and isinstance(shape, list)
        and len(shape) == 2
        and len(parts) == 2
    )
    if not good or not all(type(n) is int and 0 <= n < 2**48 for n in shape):
        raise ModelFileError("sparse matrix", name, "is not one that files hold")
    _check_vector(data, "biufc", "data")
    for part in parts:
        _check_vector(part, "i", "indices")
    if name in _COORDINATES:
        _check_places(parts[0], shape[0])
        _check_places(parts[1], shape[1])
        good = len(parts[0]) == len(parts[1]) == len(data)
        arguments: Any = (data, (parts[0], parts[1]))
    else:
        indices, starts = parts
        rows, columns = shape if name.startswith("csr") else shape[::-1]
        _check_places(indices, columns)
        good = (
            len(starts) == rows + 1
            and starts[0] == 0
            and starts[-1] == len(indices) == len(data)
            and bool((np.diff(starts) >= 0).all())
        )
        arguments = (data, indices, starts)
    if not good:
        raise ModelFileError(
            "sparse matrix", f"{name} of shape {shape}", "has parts that do not belong together"
        )
    return getattr(scipy.sparse, name)(arguments, shape=tuple(shape), copy=False)


def _check_vector(value: Any, kinds: str, what: str) -> None:
    if type(value) is not np.ndarray or value.ndim != 1 or value.dtype.kind not in kinds:
        raise ModelFileError(
            f"sparse matrix: {what}", type(value).__name__, "is not a vector of numbers"
        )


def _check_places(places: np.ndarray, count: int) -> None:
    if places.size and (places.min() < 0 or places.max() >= count):
        raise ModelFileError(
            "sparse matrix: indices", int(places.max()), f"are not all from 0 to {count - 1}"
        )


# -- random generators -------------------------------------------------------------------------------------------------

_SOURCES: dict[
    str, tuple[str, ...]
] = {  # and the fields of "state" that are vectors, with their lengths
    "MT19937": ("key 624",),
    "PCG64": (),
    "PCG64DXSM": (),
    "Philox": ("counter 4", "key 2"),
    "SFC64": ("state 4",),
}
_PLACES = {"pos": 624, "buffer_pos": 4}  # compiled code looks up numbers at these places, unchecked


def _write_generator(value: Any, writer: Writer, path: str) -> list[Any]:
    old = isinstance(value, np.random.RandomState)
    state = value.get_state(legacy=False) if old else value.bit_generator.state
    if state["bit_generator"] not in _SOURCES:
        raise refusal.of(value, path)
    return ["RandomState" if old else "Generator", writer.node(state, path)]


def _read_generator(reader: Reader, name: Any, node: Any) -> Any:
    state = reader.value(node)
    source = state.get("bit_generator") if isinstance(state, dict) else None
    if name not in ("RandomState", "Generator") or source not in _SOURCES or not _is_state(state):
        raise ModelFileError("random generator", source, "is not in a state that it can have")
    made = getattr(np.random, source)(0)
    if name == "Generator":
        made.state = state
        return np.random.Generator(made)
    old = np.random.RandomState(made)
    old.set_state(state)
    return old


def _is_state(state: dict[str, Any]) -> bool:
    inner = state.get("state")
    if not isinstance(inner, dict):
        return False
    for field in _SOURCES[state["bit_generator"]]:
        name, count = field.split()
        vector = inner.get(name)
        if (
            type(vector) is not np.ndarray
            or vector.shape != (int(count),)
            or vector.dtype.kind != "u"
        ):
            return False
    for values in (state, inner):
        for name, most in _PLACES.items():
            if name in values and not (type(values[name]) is int and 0 <= values[name] <= most):
                return False
    return "buffer" not in state or (
        type(state["buffer"]) is np.ndarray and state["buffer"].shape == (4,)
    )


# -- graphs ------------------------------------------------------------------------------------------------------------

_GRAPHS = ("Graph", "DiGraph", "MultiGraph", "MultiDiGraph")


def _write_graph(value: Any, writer: Writer, path: str) -> list[Any]:
    """Nodes and weighted edges: kernels see nothing else of a graph."""
    nodes = [writer.node(node, f"{path} (a node)") for node in value]
    edges: list[Any] = []
    for a, b, weight in value.edges(data="weight"):
        edges.append(
            [writer.node(a, path), writer.node(b, path), writer.node(weight, f"{path} (a weight)")]
        )
    return [type(value).__name__, nodes, edges]


def _read_graph(reader: Reader, name: Any, nodes: Any, edges: Any) -> Any:
    import networkx

    if name not in _GRAPHS:
        raise ModelFileError("graph", name, "is not one that files hold")
    made = getattr(networkx, name)()
    made.add_nodes_from([reader.value(node) for node in nodes])
    for a, b, weight in edges:
        left, right, value = reader.value(a), reader.value(b), reader.value(weight)
        if value is None:
            made.add_edge(left, right)
        else:
            made.add_edge(left, right, weight=value)
    return made


def _is_nodes(value: Any) -> bool:
    from mercer.domains.nodes import Nodes

    return type(value) is Nodes


def _write_nodes(value: Any, writer: Writer, path: str) -> list[Any]:
    return [writer.node(value.graph.matrix, path), writer.node(value.names, path)]


def _read_nodes(reader: Reader, matrix: Any, names: Any) -> Any:
    from mercer.domains.nodes import read_nodes

    return read_nodes(reader.value(matrix), reader.value(names), "graph")


def _is_array(value: Any) -> bool:
    return type(value) in (np.ndarray, np.memmap)


CODECS = {
    codec.word: codec
    for codec in (
        Codec("array", lambda v: _is_array(v) and v.dtype.kind != "O", _write_array, _read_array),
        Codec("objects", lambda v: _is_array(v), _write_objects, _read_objects),
        Codec("sparse", _is_sparse, _write_sparse, _read_sparse),
        Codec(
            "random",
            lambda v: type(v) in (np.random.RandomState, np.random.Generator),
            _write_generator,
            _read_generator,
        ),
        Codec(
            "graph",
            lambda v: _module(v) == "networkx" and type(v).__name__ in _GRAPHS,
            _write_graph,
            _read_graph,
        ),
        Codec("nodes", _is_nodes, _write_nodes, _read_nodes),
        Codec(
            "frame",
            lambda v: _module(v) == "pandas" and type(v).__name__ == "DataFrame",
            frames.write_frame,
            frames.read_frame,
        ),
        Codec(
            "series",
            lambda v: _module(v) == "pandas" and type(v).__name__ == "Series",
            frames.write_series,
            frames.read_series,
        ),
        Codec(
            "index",
            lambda v: _module(v) == "pandas" and type(v).__name__.endswith("Index"),
            frames.write_index,
            frames.read_index,
        ),
        Codec(
            "stamp",
            lambda v: _module(v) == "pandas" and type(v).__name__ in frames.STAMPS,
            frames.write_stamp,
            frames.read_stamp,
        ),
        Codec(
            "polars",
            lambda v: _module(v) == "polars" and type(v).__name__ == "DataFrame",
            frames.write_polars,
            frames.read_polars,
        ),
    )
}


def by_codec(value: Any) -> Codec | None:
    """The codec of a value, if it has one."""
    return next((codec for codec in CODECS.values() if codec.holds(value)), None)
