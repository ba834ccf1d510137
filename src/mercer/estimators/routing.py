"""Trees of median splits, which send rows to parts of a table and blend at the borders."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import ClassVar

import numpy as np

from mercer.errors import ModelFileError
from mercer.state import State, storable

_EVEN = 0.05  # of the rows that the smaller side of a split has at least
_TRIES = 5  # directions, where the rows do not differ along the first

# a direction in which rows, given as an array, are split, at the first or a further attempt
Direction = Callable[[np.ndarray, int], np.ndarray]


@dataclasses.dataclass(frozen=True)
class Split:
    """Rows below a threshold along a direction go left, others right, and some go to both sides."""

    direction: np.ndarray
    threshold: float
    band: float  # rows that are no farther from the threshold go to both sides

    def right_shares(self, Z: np.ndarray) -> np.ndarray:
        """The share of the right side in every row's prediction; it is linear across the band."""
        gap = Z @ self.direction - self.threshold
        if self.band == 0:
            return (gap >= 0).astype(float)
        return np.clip(0.5 + gap / (2.0 * self.band), 0.0, 1.0)

    def members(self, Z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Which rows train the left side, and which the right one."""
        gap = Z @ self.direction - self.threshold
        return (gap < 0) | (gap <= self.band), (gap >= 0) | (gap >= -self.band)


def split_rows(Z: np.ndarray, overlap: float, direction: Direction) -> Split | None:
    """A split near the median along the first direction that divides the rows well enough."""
    for attempt in range(_TRIES):
        along = direction(Z, attempt)
        places = Z @ along
        threshold = _median_gap(places)
        if threshold is not None:
            return Split(along, threshold, _band(np.abs(places - threshold), overlap))
    return None


def _median_gap(places: np.ndarray) -> float | None:
    """A number between two different places, as near to the median as can be.

    None if one side would have hardly any rows.
    """
    ordered = np.sort(places)
    n = len(ordered)
    cuts = np.flatnonzero(np.diff(ordered) > 0) + 1  # the numbers of rows below
    if len(cuts) == 0:
        return None
    below = int(cuts[np.argmin(np.abs(2 * cuts - n))])
    if min(below, n - below) < _EVEN * n:
        return None
    low, high = float(ordered[below - 1]), float(ordered[below])
    middle = low + 0.5 * (high - low)
    return middle if middle > low else high


def _band(distances: np.ndarray, overlap: float) -> float:
    """The distance within which a share of the rows lies; 0 where equal places make it too many."""
    count = int(overlap * len(distances))
    if count == 0:
        return 0.0
    band = float(np.partition(distances, count - 1)[count - 1])
    within = int(np.count_nonzero(distances <= band))
    return band if within <= count + _EVEN * len(distances) else 0.0


@storable
class RoutingTree:
    """Splits from the root on; each has two children, further splits or leaves."""

    stored: ClassVar[State] = State(
        finite=("directions", "thresholds", "bands"), plain=("children",)
    )

    def __init__(self, splits: list[Split], children: list[tuple[int, int]]) -> None:
        self.directions = np.array([split.direction for split in splits])
        self.thresholds = np.array([split.threshold for split in splits])
        self.bands = np.array([split.band for split in splits])
        self.children = np.array(children, dtype=np.int64).reshape(len(splits), 2)

    @property
    def n_leaves(self) -> int:
        """The number of leaves: one more than there are splits."""
        return len(self.thresholds) + 1

    def shares(self, Z: np.ndarray) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
        """Every leaf that rows get to, with the rows and its shares in their predictions."""
        stack = [(0 if len(self.thresholds) else -1, np.arange(len(Z)), np.ones(len(Z)))]
        while stack:
            node, rows, shares = stack.pop()
            if len(rows) == 0:
                continue
            if node < 0:
                yield -1 - node, rows, shares
                continue
            split = Split(self.directions[node], self.thresholds[node], self.bands[node])
            right = split.right_shares(Z[rows])
            for child, part in zip(self.children[node], (1.0 - right, right), strict=True):
                reached = part > 0
                stack.append((int(child), rows[reached], shares[reached] * part[reached]))

    def _check_loaded(self) -> None:
        """Every split is reached from an earlier one, and every leaf is there once."""
        count = len(self.thresholds)
        nodes = np.sort(np.asarray(self.children).ravel())
        expected = np.r_[np.arange(-count - 1, 0), np.arange(1, count)]
        known = np.array_equal(nodes, expected) if count else nodes.size == 0
        later = np.asarray(self.children).reshape(-1, 2) > np.arange(count)[:, None]
        if not known or not (later | (np.asarray(self.children).reshape(-1, 2) < 0)).all():
            raise ModelFileError("routing tree", "children", "do not make a tree")


def grow(
    Z: np.ndarray, most: int, overlap: float, direction: Direction
) -> tuple[RoutingTree, list[np.ndarray]]:
    """Split rows until every part has at most so many, and the rows of every leaf.

    Rows that no split separates stay together. Children are numbered: splits from 0 on, leaves
    from −1 downwards.
    """
    splits: list[Split] = []
    children: list[tuple[int, int]] = []
    leaves: list[np.ndarray] = []

    def add(rows: np.ndarray) -> int:
        part = Z[rows]
        split = split_rows(part, overlap, direction) if len(rows) > most else None
        if split is None:
            leaves.append(rows)
            return -len(leaves)
        node = len(splits)
        splits.append(split)
        children.append((0, 0))
        left, right = split.members(part)
        children[node] = add(rows[left]), add(rows[right])
        return node

    add(np.arange(len(Z)))
    return RoutingTree(splits, children), leaves


def directions(root: np.ndarray, random: np.random.RandomState, principal: bool) -> Direction:
    """The first principal component of the weighted columns, or one that is drawn at random."""

    def direction(Z: np.ndarray, attempt: int) -> np.ndarray:
        if not principal or attempt:
            return root * random.standard_normal(len(root))
        weighted = (Z - Z.mean(axis=0)) * root
        top = np.linalg.eigh(weighted.T @ weighted)[1][:, -1]
        return root * top * np.sign(top[np.argmax(np.abs(top))])

    return direction
