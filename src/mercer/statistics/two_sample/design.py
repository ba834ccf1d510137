"""Which rows belong to which sample: as given, permuted, in groups, or swapped within pairs."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from mercer.errors import ShapeError
from mercer.statistics.permutations import (
    distinct_labels,
    group_numbers,
    labels_of,
    swaps_of,
    too_few,
)


@dataclasses.dataclass(frozen=True)
class Design:
    """Which rows of the pooled samples belong to the first one: as given, and permuted.

    Parameters
    ----------
    labels : ndarray of shape (n_first + n_second, 1 + n_permutations)
        Columns of zeros and ones, in bytes; the first is as given.
    n_first : int
        Rows of the first sample.
    paired : bool
        Whether row i of the first sample belongs to row i of the second.
    """

    labels: np.ndarray
    n_first: int
    paired: bool = False

    @property
    def n_second(self) -> int:
        """Rows of the second sample."""
        return len(self.labels) - self.n_first

    @property
    def smaller(self) -> int:
        """Rows of the smaller sample."""
        return min(self.n_first, self.n_second)


Described = tuple[Design, tuple[str, ...]]  # a design, and remarks on it


def free_design(n: int, m: int, count: int, rng: np.random.Generator, groups: Any) -> Described:
    """The design of two samples of n and m rows, with permutations of rows or of groups."""
    if groups is None:
        return Design(labels_of(n, m, count, rng), n), _few(distinct_labels(n, m, None), count)
    numbers = pooled_groups(groups, n, m)
    labels = labels_of(n, m, count, rng, numbers)
    inside = len(np.intersect1d(numbers[:n], numbers[n:])) > 0
    way = "labels are permuted within" if inside else "permutations move rows together of"
    notes = (f"{way} {int(numbers.max()) + 1} groups",)
    return Design(labels, n), (*notes, *_few(distinct_labels(n, m, numbers), count))


def paired_design(n: int, m: int, count: int, rng: np.random.Generator, groups: Any) -> Described:
    """The design of paired rows, which are swapped within pairs; groups of pairs together."""
    if n != m:
        rule = f"must have a row for each of the {n} rows of X, where samples are paired"
        raise ShapeError("Y", f"{m} rows", rule)
    numbers = None if groups is None else group_numbers(groups, n)
    n_free = n if numbers is None else int(numbers.max()) + 1
    labels = swaps_of(n, count, rng, numbers)
    distinct = 2.0 ** (min(n_free, 1000) - 1)  # a swap of all pairs changes nothing
    return Design(labels, n, paired=True), ("rows are swapped within pairs", *_few(distinct, count))


def pooled_groups(groups: Any, n: int, m: int) -> np.ndarray:
    """The numbers of the groups of the rows of both samples, given together or apart."""
    if isinstance(groups, (tuple, list)) and len(groups) == 2 and n + m > 2:
        first, second = (np.asarray(part).ravel() for part in groups)
        if len(first) != n or len(second) != m:
            value = f"{len(first)} and {len(second)} labels"
            raise ShapeError("groups", value, f"must be those of {n} and {m} rows")
        groups = np.concatenate([first, second])
    return group_numbers(groups, n + m)


def _few(distinct: float, count: int) -> tuple[str, ...]:
    """A remark where there are few different permutations."""
    if distinct > count:
        return too_few(count)
    words = f"there are only {int(distinct)} different permutations"
    return (f"{words}: but for chance, p is at least 1/{int(distinct)}", *too_few(count))
