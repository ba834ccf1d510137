"""The engine: results in the order of the blocks, sums in a tree that their number decides."""

import numpy as np
import pytest

from mercer.execution.engine import LocalEngine, tree_sum


def scaled(block, factor):
    return factor * block, np.full(2, block)


def test_map_keeps_the_order_of_blocks():
    assert LocalEngine().map(lambda block: 2 * block, [3, 1, 2]) == [6, 2, 4]


@pytest.mark.parametrize("count", [1, 2, 3, 5, 8, 11])
def test_sums_follow_a_fixed_tree(count):
    values = (np.random.default_rng(count).random(count) * 10.0 ** np.arange(count)).tolist()
    level = [(value,) for value in values]
    while len(level) > 1:  # neighbors first
        pairs = [(a[0] + b[0],) for a, b in zip(level[::2], level[1::2], strict=False)]
        level = pairs + level[2 * len(pairs) :]
    assert tree_sum((value,) for value in values)[0] == pytest.approx(level[0][0], rel=1e-15)
    found, vector = LocalEngine().map_sum(scaled, values, 1.0)
    assert found == tree_sum(values)
    assert vector.tolist() == [found, found]


def test_nothing_sums_to_nothing():
    assert LocalEngine().map_sum(scaled, [], 1.0) is None
