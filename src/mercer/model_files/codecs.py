"""How arrays, sparse matrices, random generators, graphs and data frames are written and read."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from mercer.aliases import SparseMatrix
from mercer.errors import ModelFileError
from mercer.model_files import frames, refusal
from mercer.model_files.layout import Json, can_store, is_count, is_shape

if TYPE_CHECKING:
    import networkx

    from mercer.model_files.encoding import Reader, Writer


@dataclasses.dataclass(frozen=True)
class Codec:
    """How one kind of value is written as a list of JSON values, and read from them."""

    word: str
    library: str
    classes: tuple[str, ...]  # by name, so that no library is imported in vain
    write: Callable[[Any, Writer, str], list[Json]]
    read: Callable[..., object]


# -- arrays --------------------------------------------------------------------------------------


def _write_array(value: np.ndarray, writer: Writer, path: str) -> list[Json]:
    value = np.asarray(value)  # of a memory map, the array
    if not can_store(value.dtype):
        rule = "is a kind of array that files do not hold"
        raise ModelFileError(path, str(value.dtype), rule, "convert it: array.astype(float)")
    return [writer.array(value)]


def _read_array(reader: Reader, number: Json) -> np.ndarray:
    return reader.array(number)


def _write_objects(value: np.ndarray, writer: Writer, path: str) -> list[Json]:
    return [list(value.shape), *writer.items(value.ravel().tolist(), path)]


def _read_objects(reader: Reader, shape: Json, *items: Json) -> np.ndarray:
    if not is_shape(shape) or math.prod(shape) != len(items):
        raise ModelFileError("shape", shape, f"is not that of an array of {len(items)} objects")
    array = np.empty(len(items), dtype=object)
    for at, item in enumerate(items):
        array[at] = reader.value(item)
    return array.reshape(shape)


# -- sparse matrices -----------------------------------------------------------------------------

_COMPRESSED = ("csr_matrix", "csc_matrix", "csr_array", "csc_array")
_COORDINATES = ("coo_matrix", "coo_array")
_SPARSE = _COMPRESSED + _COORDINATES


def _write_sparse(value: SparseMatrix, writer: Writer, path: str) -> list[Json]:
    name = type(value).__name__
    if value.ndim != 2:
        raise refusal.of(value, path)
    if name in _COORDINATES:
        parts = (value.data, value.row, value.col)
    else:
        stored = value.indptr[-1]  # what lies behind is unused memory
        parts = (value.data[:stored], value.indices[:stored], value.indptr)
    return [name, list(map(int, value.shape)), *(writer.node(part, path) for part in parts)]


def _read_sparse(reader: Reader, name: Json, shape: Json, *nodes: Json) -> SparseMatrix:
    import scipy.sparse

    if name not in _SPARSE or not is_shape(shape) or len(shape) != 2:
        raise ModelFileError("sparse matrix", name, "is not one that files hold")
    data, first, second = map(reader.value, nodes)
    _check_vector(data, "biufc", "data")
    _check_vector(first, "i", "indices")
    _check_vector(second, "i", "indices")
    parts: Any = (data, first, second)
    if name in _COORDINATES:
        belong = _is_coordinates(*parts, *shape)
        parts = (data, (first, second))
    elif name.startswith("csr"):
        belong = _is_compressed(*parts, *shape)
    else:
        belong = _is_compressed(*parts, *shape[::-1])
    if not belong:
        rule = "has parts that do not belong together"
        raise ModelFileError("sparse matrix", f"{name} of shape {shape}", rule)
    return getattr(scipy.sparse, name)(parts, shape=tuple(shape), copy=False)


def _is_coordinates(
    data: np.ndarray, rows: np.ndarray, columns: np.ndarray, n_rows: int, n_columns: int
) -> bool:
    """Whether these are the values of such a matrix with their rows and columns."""
    _check_indices(rows, n_rows)
    _check_indices(columns, n_columns)
    return len(rows) == len(columns) == len(data)


def _is_compressed(
    data: np.ndarray, indices: np.ndarray, starts: np.ndarray, n_rows: int, n_columns: int
) -> bool:
    """Whether these are compressed rows (or columns, with the shape reversed) of such a matrix."""
    _check_indices(indices, n_columns)
    if len(starts) != n_rows + 1 or starts[0] != 0:
        return False
    ascending = (np.diff(starts) >= 0).all()
    return bool(ascending and starts[-1] == len(indices) == len(data))


def _check_vector(value: object, kinds: str, what: str) -> None:
    is_vector = isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind in kinds
    if not is_vector:
        rule = "is not a vector of numbers"
        raise ModelFileError(f"sparse matrix: {what}", type(value).__name__, rule)


def _check_indices(indices: np.ndarray, count: int) -> None:
    if indices.size and (indices.min() < 0 or indices.max() >= count):
        rule = f"are not all from 0 to {count - 1}"
        raise ModelFileError("sparse matrix: indices", int(indices.max()), rule)


# -- random generators ---------------------------------------------------------------------------

# The vectors in the state of each bit generator, with their lengths, and the largest positions in
# them: compiled code relies on both.
_VECTORS: dict[str, dict[str, int]] = {
    "MT19937": {"key": 624},
    "PCG64": {},
    "PCG64DXSM": {},
    "Philox": {"counter": 4, "key": 2},
    "SFC64": {"state": 4},
}
_LAST_POSITIONS = {"pos": 624, "buffer_pos": 4}


def _write_generator(value: Any, writer: Writer, path: str) -> list[Json]:
    name = type(value).__name__
    if name == "RandomState":
        state = value.get_state(legacy=False)
    else:
        state = value.bit_generator.state
    if state["bit_generator"] not in _VECTORS:
        raise refusal.of(value, path)
    return [name, writer.node(state, path)]


def _read_generator(
    reader: Reader, name: Json, node: Json
) -> np.random.RandomState | np.random.Generator:
    state = reader.value(node)
    if name not in ("RandomState", "Generator") or not _is_state(state):
        raise ModelFileError("random generator", name, "is not in a state that it can have")
    source = getattr(np.random, state["bit_generator"])(0)
    if name == "Generator":
        source.state = state
        return np.random.Generator(source)
    generator = np.random.RandomState(source)
    generator.set_state(state)
    return generator


def _is_state(state: Json) -> bool:
    """Whether a bit generator can be in this state."""
    if not isinstance(state, dict) or state.get("bit_generator") not in _VECTORS:
        return False
    outer = {"buffer": 4} if "buffer" in state else {}
    return _has(state, outer) and _has(state.get("state"), _VECTORS[state["bit_generator"]])


def _has(state: Json, vectors: dict[str, int]) -> bool:
    """Whether this part of a state has vectors of these lengths, and no position beyond them."""
    if not isinstance(state, dict):
        return False
    for name, length in vectors.items():
        vector = np.asarray(state.get(name))
        if vector.shape != (length,) or vector.dtype.kind != "u":
            return False
    return all(is_count(state.get(name, 0), last + 1) for name, last in _LAST_POSITIONS.items())


# -- graphs --------------------------------------------------------------------------------------

_GRAPHS = ("Graph", "DiGraph", "MultiGraph", "MultiDiGraph")


def _write_graph(value: networkx.Graph, writer: Writer, path: str) -> list[Json]:
    """Nodes and weighted edges: kernels use nothing else of a graph."""
    nodes = [writer.node(node, f"{path} (a node)") for node in value]
    edges: list[Json] = []
    for a, b, weight in value.edges(data="weight"):
        ends = [writer.node(a, path), writer.node(b, path)]
        edges.append([*ends, writer.node(weight, f"{path} (a weight)")])
    return [type(value).__name__, nodes, edges]


def _read_graph(reader: Reader, name: Json, nodes: Json, edges: Json) -> networkx.Graph:
    import networkx

    if name not in _GRAPHS:
        raise ModelFileError("graph", name, "is not one that files hold")
    graph = getattr(networkx, name)()
    graph.add_nodes_from(map(reader.value, nodes))
    for edge in edges:
        a, b, weight = map(reader.value, edge)
        if weight is None:
            graph.add_edge(a, b)
        else:
            graph.add_edge(a, b, weight=weight)
    return graph


# -- the list of codecs ---------------------------------------------------------------------------

_ARRAYS = ("ndarray", "memmap")
_GENERATORS = ("RandomState", "Generator")
_FRAME = ("DataFrame",)
CODECS = {
    codec.word: codec
    for codec in (
        Codec("objects", "numpy", _ARRAYS, _write_objects, _read_objects),
        Codec("array", "numpy", _ARRAYS, _write_array, _read_array),
        Codec("sparse", "scipy", _SPARSE, _write_sparse, _read_sparse),
        Codec("random", "numpy", _GENERATORS, _write_generator, _read_generator),
        Codec("graph", "networkx", _GRAPHS, _write_graph, _read_graph),
        Codec("frame", "pandas", _FRAME, frames.write_frame, frames.read_frame),
        Codec("series", "pandas", ("Series",), frames.write_series, frames.read_series),
        Codec("index", "pandas", frames.INDICES, frames.write_index, frames.read_index),
        Codec("stamp", "pandas", frames.STAMPS, frames.write_stamp, frames.read_stamp),
        Codec("polars", "polars", _FRAME, frames.write_polars, frames.read_polars),
    )
}
_BY_CLASS = {(codec.library, name): codec for codec in CODECS.values() for name in codec.classes}


def by_codec(value: object) -> Codec | None:
    """The codec of a value, if it has one."""
    if type(value) is np.ndarray and value.dtype.kind == "O":
        return CODECS["objects"]
    library = type(value).__module__.partition(".")[0]
    return _BY_CLASS.get((library, type(value).__name__))
