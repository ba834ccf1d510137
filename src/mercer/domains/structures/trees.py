"""Ordered, labeled trees: all nodes of a collection in flat arrays, children before parents."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mercer import _compiled
from mercer.aliases import RawSamples
from mercer.domains.base import Batch, Domain, Samples
from mercer.domains.raw import as_list, starts_of
from mercer.domains.structures.tree_forms import REMEDY, Label, Tree, as_tree
from mercer.errors import EmptyInputError


class Links(NamedTuple):
    """What follows from the labels and the numbers of children, for every node of a collection.

    Hashes have 64 bits: two different productions, or subtrees, share one with probability 2⁻⁶⁴.
    """

    first: np.ndarray  # the children of node v are children[first[v]:first[v + 1]]
    children: np.ndarray
    productions: np.ndarray  # hashes of a label with the labels of the children; 0 of leaves
    subtrees: np.ndarray  # hashes of whole subtrees, by the order of the children
    bags: np.ndarray  # the same, in whatever order the children are
    sizes: np.ndarray  # the number of nodes of subtrees


class Groups(NamedTuple):
    """The nodes of every tree in groups of equal keys, groups in the order of their keys.

    Compiled functions read it as a tuple.
    """

    starts: np.ndarray  # groups starts[i]:starts[i + 1] belong to tree i
    keys: np.ndarray  # of the groups
    bounds: np.ndarray  # group g has the nodes members[bounds[g]:bounds[g + 1]]
    members: np.ndarray
    group: np.ndarray  # of every node; −1 of nodes that belong to none
    rank: np.ndarray  # of every node within its group
    nodes: np.ndarray  # nodes nodes[i]:nodes[i + 1] belong to tree i
    first: np.ndarray  # as in Links
    children: np.ndarray


@dataclass(eq=False)
class TreeSamples(Samples):
    """Trees: nodes ``offsets[i]:offsets[i + 1]`` are those of tree i, in post-order.

    ``labels`` are hashes of labels, the same in every collection; ``counts`` how many children the
    nodes have.
    """

    labels: np.ndarray
    counts: np.ndarray
    offsets: np.ndarray

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> np.ndarray:
        """How many nodes the trees have."""
        return np.diff(self.offsets)

    def take(self, rows: np.ndarray) -> TreeSamples:
        rows = np.asarray(rows, dtype=np.int64)
        sizes = self.lengths[rows]
        offsets = starts_of(sizes)
        nodes = np.arange(offsets[-1]) + np.repeat(self.offsets[rows] - offsets[:-1], sizes)
        return TreeSamples(self.labels[nodes], self.counts[nodes], offsets)._inherit(self, rows)

    def links(self) -> Links:
        """Children, and hashes of productions and subtrees."""

        def make() -> Links:
            first = starts_of(self.counts)
            children = np.empty(max(1, first[-1]), dtype=np.int64)
            hashes = np.empty((3, len(self.labels)), dtype=np.uint64)
            sizes = np.empty(len(self.labels), dtype=np.int64)
            _compiled.trees.link(self.labels, first, children, hashes, sizes)
            productions, subtrees, bags = hashes
            return Links(first, children, productions, subtrees, bags, sizes)

        return self.once("links", make)

    @property
    def roots(self) -> np.ndarray:
        """Hashes of whole trees."""
        return self.links().subtrees[self.offsets[1:] - 1]

    def groups(self, kind: str) -> Groups:
        """Nodes with equal keys together: "labels", "productions", "subtrees" and so on.

        "fragments" are productions, and the labels of leaves.
        """
        return self.once(("groups", kind), lambda: self._grouped(self._keys(kind)))

    def _keys(self, kind: str) -> np.ndarray:
        if kind == "labels":
            return self.labels
        links = self.links()
        if kind == "fragments":
            return np.where(self.counts > 0, links.productions, links.subtrees)
        return getattr(links, kind)

    def _grouped(self, keys: np.ndarray) -> Groups:
        links = self.links()
        tree = np.repeat(np.arange(len(self)), self.lengths)
        nodes = np.flatnonzero(keys)
        members = nodes[np.lexsort((keys[nodes], tree[nodes]))]
        new = np.ones(len(members), dtype=bool)
        same_key = keys[members[1:]] == keys[members[:-1]]
        new[1:] = ~(same_key & (tree[members[1:]] == tree[members[:-1]]))
        begins = np.flatnonzero(new)
        bounds = np.append(begins, len(members))
        number = np.cumsum(new) - 1
        group = np.full(len(keys), -1)
        group[members] = number
        rank = np.zeros(len(keys), dtype=np.int64)
        rank[members] = np.arange(len(members)) - bounds[number]
        starts = np.searchsorted(tree[members[begins]], np.arange(len(self) + 1))
        own = (keys[members[begins]], bounds, members, group, rank)
        return Groups(starts, *own, self.offsets, links.first, links.children)


def trees_of(batch: Batch) -> list[Tree]:
    """The trees of a list, an array of objects, a series, or a table of one column."""
    return read_trees(batch.raw, batch.argument)


def read_trees(raw: RawSamples, argument: str) -> list[Tree]:
    """The trees of a collection; messages call it by the name of the argument."""
    if isinstance(raw, np.ndarray) and raw.dtype == object and raw.shape[1:] == (1,):
        raw = raw.ravel()
    samples = as_list(raw, argument, "trees", REMEDY)
    if len(samples) == 0:
        raise EmptyInputError(argument, samples, "is empty", "give at least one tree")
    return [as_tree(sample, f"{argument}[{row}]") for row, sample in enumerate(samples)]


def _hash_of(label: Label) -> int:
    """64 bits of a label, the same in every process, and never 0."""
    text = _spelled(label).encode("utf-8", "surrogatepass")
    digest = hashlib.blake2b(text, digest_size=8).digest()
    return int.from_bytes(digest, "little") or 1


def _spelled(label: Label) -> str:
    """A label as text, by its kind: 1 and 1.0 are equal, 1 and "1" are not."""
    if isinstance(label, str):
        return f"s{label}"
    if label is None or isinstance(label, bool):
        return f"c{label}"
    if isinstance(label, int) or label.is_integer():
        return f"n{int(label):x}"
    return f"n{label!r}"


def _hashed(labels: Iterable[Label]) -> np.ndarray:
    """The hashes of labels, each of which is computed once."""
    hashes: dict[tuple[type, Label], int] = {}
    label_hashes = []
    for label in labels:
        key = (type(label), label)
        if key not in hashes:
            hashes[key] = _hash_of(label)
        label_hashes.append(hashes[key])
    return np.array(label_hashes, dtype=np.uint64)


class Trees(Domain):
    """Finite ordered trees with a text or a number at every node."""

    name = "trees"
    accepts = frozenset({"trees", "objects"})

    def encode(self, batch: Batch) -> Samples:
        trees = trees_of(batch)
        labels = _hashed(itertools.chain.from_iterable(tree.labels for tree in trees))
        offsets = starts_of(np.array([len(tree) for tree in trees]))
        counts = np.concatenate([tree.counts for tree in trees])
        return TreeSamples(labels, counts, offsets)

    def own(self, raw: RawSamples) -> RawSamples:
        """Trees of mercer's own, which model files can hold whatever the user's were."""
        return read_trees(raw, "X")

    def sample(self, count: int, n_columns: int, rng: np.random.Generator) -> list[Any]:
        return [_random_tree(int(rng.integers(1, n_columns + 6)), rng) for _ in range(count)]

    def lattices(self, n_columns: int, rng: np.random.Generator) -> list[RawSamples]:
        """All trees of up to four nodes, paths and stars, near copies, and random trees."""
        rough = {str(tree): tree for tree in self.sample(60, 3 * n_columns, rng)}
        collections = (_small_trees(), _paths_and_stars(), rough.values())
        return [list(map(_as_node, trees)) for trees in collections]


def _small_trees() -> list[Any]:
    """All trees of up to four nodes with one label, and of up to three with two."""
    alike = [tree for size in range(1, 5) for tree in all_trees(size, "a")]
    mixed = [tree for size in range(1, 4) for tree in all_trees(size, "ab")]
    return alike + [tree for tree in mixed if "b" in str(tree)]


def _paths_and_stars() -> list[Any]:
    """Trees of up to ten nodes, without branches or with nothing but leaves."""
    paths: list[Any] = ["a"]
    for _ in range(9):
        paths.append(("a", paths[-1]))
    return paths + [("a", *"b" * count) for count in range(2, 10)]


def _as_node(tree: Any) -> Any:
    """A single label as a node: a text would be taken for a bracket string."""
    return tree if isinstance(tree, tuple) else (tree,)


def _random_tree(n_nodes: int, rng: np.random.Generator) -> Any:
    """A tree of a number of nodes with the labels a, b and c, as nested tuples."""
    label = str(rng.choice(list("abc")))
    children = []
    left = n_nodes - 1
    while left > 0:
        size = int(rng.integers(1, left + 1))
        child = _random_tree(size, rng)
        children.append(child if size > 1 else child[0])
        left -= size
    return (label, *children)


def all_trees(n_nodes: int, alphabet: str) -> Iterator[Any]:
    """Every ordered tree with so many nodes and these labels: nested tuples, leaves are texts."""
    for label in alphabet:
        if n_nodes == 1:
            yield label
        for forest in _all_forests(n_nodes - 1, alphabet):
            if forest:
                yield (label, *forest)


def _all_forests(n_nodes: int, alphabet: str) -> Iterator[tuple[Any, ...]]:
    """Every sequence of trees with so many nodes together."""
    if n_nodes == 0:
        yield ()
    for size in range(1, n_nodes + 1):
        for first in all_trees(size, alphabet):
            for rest in _all_forests(n_nodes - size, alphabet):
                yield (first, *rest)


TREES = Trees()
