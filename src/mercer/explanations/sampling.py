"""Shapley values of any function of rows by sampling orders of the columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from mercer.aliases import RawSamples
from mercer.domains.raw import pick_rows, raw_length
from mercer.explanations.rows import mixed

_BLOCK = 4096  # rows that are put together at a time

RowFunction = Callable[[RawSamples], np.ndarray]  # values of rows, a column for each output


def sampled_values(
    function: RowFunction,
    rows: RawSamples,
    background: RawSamples,
    owners: np.ndarray,
    samples: int,
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    """Means over random orders of the columns, and their standard errors.

    Every background row is met equally often, and every order is followed by its reverse, so that
    the values of a row sum to f(x) minus the mean over the background.

    Parameters
    ----------
    function : callable
        Values of rows, of shape (n, n_outputs).
    rows, background : tables
        What is explained, and what it is compared with.
    owners : ndarray of int
        The player that each column belongs to.
    samples : int
        The least number of orders.
    rng : Generator
        What draws them.

    Returns
    -------
    tuple of two ndarray of shape (n_rows, n_players, n_outputs)
        The values and their standard errors.
    """
    least = 2 if raw_length(background) == 1 else 1  # one pair of orders shows no error
    repeats = max(least, -(-samples // (2 * raw_length(background))))
    values, errors = [], []
    for row in range(raw_length(rows)):
        draws = list(_pairs_of_orders(function, rows, row, background, owners, repeats, rng))
        drawn = np.concatenate(draws)
        values.append(drawn.mean(axis=0))
        errors.append(drawn.std(axis=0, ddof=1) / np.sqrt(len(drawn)))
    return np.array(values), np.array(errors)


def _pairs_of_orders(
    function: RowFunction,
    rows: RawSamples,
    row: int,
    background: RawSamples,
    owners: np.ndarray,
    repeats: int,
    rng: np.random.Generator,
) -> Iterator[np.ndarray]:
    """Mean contributions of an order and its reverse, for some background rows at a time."""
    count, n_background = int(owners.max()) + 1, raw_length(background)
    step = max(1, _BLOCK // (2 * (count + 1)))
    others = np.tile(np.arange(n_background), repeats)
    for start in range(0, len(others), step):
        some = others[start : start + step]
        orders = rng.permuted(np.tile(np.arange(count), (len(some), 1)), axis=1)
        both = np.concatenate([orders, orders[:, ::-1]])
        places = np.argsort(both, axis=1)  # of every player in its order
        known = places[:, None, :] < np.arange(count + 1)[None, :, None]
        chosen = known[:, :, owners].reshape(-1, len(owners))
        drawn = np.repeat(np.concatenate([some, some]), count + 1)
        explained = np.full(len(drawn), row)
        table = mixed(pick_rows(rows, explained), pick_rows(background, drawn), chosen)
        f = np.asarray(function(table)).reshape(len(both), count + 1, -1)
        gains = np.take_along_axis(np.diff(f, axis=1), places[:, :, None], axis=1)
        yield (gains[: len(some)] + gains[len(some) :]) / 2.0
