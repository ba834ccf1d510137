"""Numbers for hashes of 64 bits, by a table that grows with what it has met."""

from __future__ import annotations

import numpy as np

from mercer._compiled import compiled

_FIRST = 4096  # slots of the first table, a power of two


@compiled
def _slot(table, different, key):
    """The slot of a hash: the one that holds it, or the empty one where it belongs."""
    last = len(table) - 1
    slot = np.int64(key >> np.uint64(1)) & last
    while table[slot] >= 0 and different[table[slot]] != key:
        slot = (slot + 1) & last
    return slot


@compiled
def number_hashes(hashes, columns, different):
    """Write the column of every hash, and the different ones in the order in which they appear.

    Returns how many are different; ``different`` has room for all of them.
    """
    table = np.full(_FIRST, -1, np.int32)
    used = np.int64(0)
    for at in range(len(hashes)):
        key = hashes[at]
        slot = _slot(table, different, key)
        if table[slot] < 0:
            different[used] = key
            table[slot] = used
            columns[at] = used
            used += 1
            if 2 * used > len(table):
                table = np.full(4 * len(table), -1, np.int32)
                for known in range(used):
                    table[_slot(table, different, different[known])] = known
        else:
            columns[at] = table[slot]
    return used


@compiled
def add_up(columns, counts, starts, n_columns, ends):
    """Add up the counts of equal columns of each row, in place; those of row i end at ends[i + 1].

    The columns of a row keep the order in which they appear.
    """
    place = np.full(n_columns, -1, np.int64)
    used = np.int64(0)
    for row in range(len(starts) - 1):
        first = used
        for at in range(starts[row], starts[row + 1]):
            column = columns[at]
            if place[column] >= first:
                counts[place[column]] += counts[at]
            else:
                place[column] = used
                columns[used], counts[used] = column, counts[at]
                used += 1
        ends[row + 1] = used
