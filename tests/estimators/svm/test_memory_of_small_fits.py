"""The Gram matrix of a small fit lies where that of the next one will; no model keeps it."""

from __future__ import annotations

import numpy as np
import pytest

from mercer import RBF, SVC, NuSVC
from mercer.execution.threads import POOL

X = np.random.default_rng(0).standard_normal((400, 3))
CLASSES = [X[:, 0] > 0, np.digitize(X[:, 0], [-0.5, 0.5])]


@pytest.mark.parametrize("y", CLASSES, ids=["two", "three"])
@pytest.mark.parametrize("learner", [SVC, NuSVC])
def test_the_next_fit_changes_no_model(learner, y):
    first = learner(kernel=RBF()).fit(X, y)
    expected = first.decision_function(X)
    learner(kernel=RBF(0.3)).fit(X, y)
    np.testing.assert_array_equal(first.decision_function(X), expected)
    np.testing.assert_array_equal(learner(kernel=RBF()).fit(X, y).decision_function(X), expected)


def test_fits_give_their_memory_back():
    SVC(kernel=RBF()).fit(X, CLASSES[0])
    idle = len(POOL.idle)
    for _ in range(3):
        SVC(kernel=RBF()).fit(X, CLASSES[0])
    assert len(POOL.idle) == idle
