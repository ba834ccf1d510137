"""Random permutations, labels, swaps and signs, and the p-values that they give.

Two-sample tests need to know of each row which sample it belongs to: labels are columns of a matrix
S of zeros and ones, in bytes, the first of them as the samples were given. Tests of independence
permute rows, and wild bootstraps draw signs. Everything keeps groups of dependent rows together.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from mercer.aliases import RandomState
from mercer.errors import ParameterError, ShapeError, warn_ignored
from mercer.params import integer

_TIE = 1e-9  # relative difference up to which two statistics are the same but for rounding
_AT_A_TIME = 32  # columns that are shuffled at a time: more would need memory twice
_DEFAULT = 999  # permutations
_LEAST = 19  # permutations, one of which gives 1/20
_RANDOM = "give None, an integer, or a NumPy Generator"


def generator(random_state: RandomState) -> np.random.Generator:
    """The generator that a seed, a generator, or None stands for."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31))
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        rule = "is no seed of a random generator"
        raise ParameterError("random_state", random_state, rule, _RANDOM) from None


def check_permutations(count: object) -> int:
    """The number of permutations, at least one."""
    integer(1, 10_000_000).check("n_permutations", count)
    return int(count)  # type: ignore[call-overload]


def warn_of_permutations(count: object, method: str) -> None:
    """Warn of a number of permutations that was given to a method that draws none."""
    if count != _DEFAULT:
        warn_ignored("n_permutations", count, f"{method} draws none")


def too_few(count: int) -> tuple[str, ...]:
    """A remark where so few permutations were drawn that no p-value is 0.05."""
    if count >= _LEAST:
        return ()
    return (f"{count} permutations cannot reject at 5 %: give n_permutations=999",)


def group_numbers(groups: ArrayLike, n: int) -> np.ndarray:
    """The number 0, 1, ... of the group of every row."""
    labels = np.asarray(groups)
    if labels.shape != (n,):
        rule = f"must have one label for each of the {n} rows"
        raise ShapeError("groups", f"array of shape {labels.shape}", rule)
    if labels.dtype == object:
        labels = labels.astype(str)
    return np.unique(labels, return_inverse=True)[1].ravel()


# -- which sample a row belongs to -----------------------------------------------------------------


def labels_of(
    n_first: int,
    n_second: int,
    count: int,
    rng: np.random.Generator,
    groups: np.ndarray | None = None,
) -> np.ndarray:
    """Whether each row belongs to the first sample, in bytes: as given, and permuted.

    Parameters
    ----------
    n_first, n_second : int
        The rows of the two samples, which are numbered one sample after the other.
    count : int
        How many permutations to draw.
    rng : Generator
        Where they are drawn from.
    groups : ndarray of shape (n_first + n_second,), optional
        The number of every row's group. Groups that lie in one sample are permuted as a whole;
        where every group has rows of both samples, labels are permuted within groups.

    Returns
    -------
    ndarray of int8, of shape (n_first + n_second, 1 + count)
        The first column is as given.
    """
    given = np.zeros(n_first + n_second, dtype=np.int8)
    given[:n_first] = 1
    if groups is None:
        return _with_first(given, _shuffled(given, count, rng))
    first, last = _extremes(given, groups)
    if (first == last).all():
        return _with_first(given, _shuffled(first, count, rng)[groups])
    mixed = first != last
    if not mixed.all():
        rule = "are partly in one sample and partly in both"
        remedy = "give groups that lie in one sample each, or that all have rows of both"
        raise ParameterError("groups", f"{int(mixed.sum())} of {len(mixed)} groups", rule, remedy)
    return _with_first(given, _shuffled_within(given, groups, count, rng))


def swaps_of(
    n_pairs: int, count: int, rng: np.random.Generator, groups: np.ndarray | None = None
) -> np.ndarray:
    """The same as `labels_of` for paired samples: the two rows of a pair are swapped at random.

    Pairs of the same group are swapped together.
    """
    swapped = signs_of(n_pairs, count, rng, groups) < 0
    first = np.ones((n_pairs, 1 + count), dtype=np.int8)
    first[:, 1:] -= swapped
    return np.concatenate([first, 1 - first])


def distinct_labels(n_first: int, n_second: int, groups: np.ndarray | None) -> float:
    """How many different permutations of labels there are."""
    if groups is None:
        return _choices(n_first, n_second)
    given = np.arange(n_first + n_second) < n_first
    first, last = _extremes(given.astype(np.int8), groups)
    if (first == last).all():
        return _choices(int(first.sum()), int(len(first) - first.sum()))
    inside = np.bincount(groups, weights=given)
    sizes = np.bincount(groups)
    return float(np.prod([_choices(int(a), int(b - a)) for a, b in zip(inside, sizes)]))


def _choices(a: int, b: int) -> float:
    """The binomial coefficient of a + b over a, infinite where it is huge."""
    if a + b > 1000:
        return math.inf if min(a, b) > 1 else float(math.comb(a + b, a))
    return float(math.comb(a + b, a))


def _with_first(given: np.ndarray, drawn: np.ndarray) -> np.ndarray:
    """The columns with that of the samples as given before them."""
    out = np.empty((len(given), 1 + drawn.shape[1]), dtype=np.int8)
    out[:, 0] = given
    out[:, 1:] = drawn
    return out


def _shuffled(values: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
    """Columns of shuffled values."""
    out = np.empty((len(values), count), dtype=values.dtype)
    for start in range(0, count, _AT_A_TIME):
        part = out[:, start : start + _AT_A_TIME]
        part[...] = rng.permuted(np.tile(values, (part.shape[1], 1)), axis=1).T
    return out


def _extremes(given: np.ndarray, groups: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The smallest and the largest label in each group."""
    n_groups = int(groups.max()) + 1
    low = np.ones(n_groups, dtype=np.int8)
    high = np.zeros(n_groups, dtype=np.int8)
    np.minimum.at(low, groups, given)
    np.maximum.at(high, groups, given)
    return low, high


def _shuffled_within(
    given: np.ndarray, groups: np.ndarray, count: int, rng: np.random.Generator
) -> np.ndarray:
    """Columns of labels that are shuffled within groups."""
    drawn = np.empty((len(given), count), dtype=np.int8)
    for group in range(int(groups.max()) + 1):
        rows = np.flatnonzero(groups == group)
        drawn[rows] = _shuffled(given[rows], count, rng)
    return drawn


# -- rows, and signs -------------------------------------------------------------------------------


def row_permutations(
    n: int, count: int, rng: np.random.Generator, groups: np.ndarray | None = None
) -> np.ndarray:
    """Permutations of n rows, one in each row of the result, of shape (count, n).

    Rows of a group stay together and in order: groups of the same size change places.
    """
    if groups is None:
        return rng.permuted(np.tile(np.arange(n), (count, 1)), axis=1)
    out = np.empty((count, n), dtype=np.int64)
    order = np.argsort(groups, kind="stable")
    sizes = np.bincount(groups)
    starts = np.cumsum(sizes) - sizes
    for size in np.unique(sizes):
        same = np.flatnonzero(sizes == size)
        places = order[starts[same][:, None] + np.arange(size)]  # the rows of each group
        drawn = row_permutations(len(same), count, rng)
        out[:, places.ravel()] = places[drawn].reshape(count, -1)
    return out


def signs_of(
    n: int, count: int, rng: np.random.Generator, groups: np.ndarray | None = None
) -> np.ndarray:
    """Random signs ±1 in bytes, of shape (n, count); rows of the same group have the same."""
    n_drawn = n if groups is None else int(groups.max()) + 1
    signs = (2 * rng.integers(0, 2, (n_drawn, count), dtype=np.int8) - 1).astype(np.int8)
    return signs if groups is None else signs[groups]


# -- p-values --------------------------------------------------------------------------------------


def permutation_pvalue(statistic: float, null: np.ndarray) -> float:
    """The share of statistics that are at least as large, where the observed one counts too.

    Statistics that differ by rounding errors only count as equal.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.statistics.permutations import permutation_pvalue
    >>> permutation_pvalue(3.0, np.array([1.0, 2.0, 4.0]))
    0.5
    """
    size = max(abs(float(statistic)), float(np.abs(null).max(initial=0.0)))
    above = int(np.sum(null >= statistic - _TIE * size))
    return (1 + above) / (1 + len(null))


def all_tied(statistic: float, null: np.ndarray) -> tuple[str, ...]:
    """A remark where all permutations tie, as they do if a kernel finds no two rows alike."""
    size = max(abs(float(statistic)), float(np.abs(null).max(initial=0.0)))
    if np.abs(null - statistic).max(initial=0.0) > _TIE * size:
        return ()
    return (
        "all permutations have the same statistic, so that p = 1: the kernel may be too narrow or"
        " too wide for these rows",
    )
