"""Memory that a thread uses again."""

from __future__ import annotations

import numpy as np

from mercer.execution.workspace import Workspace


def test_small_matrices_are_kept_and_large_ones_are_not():
    space = Workspace()
    small = space.out(300, 300)
    assert np.shares_memory(space.out(100, 100), small)
    large = space.out(2000, 2000)
    assert large.shape == (2000, 2000)
    assert np.shares_memory(space.out(300, 300), small)
