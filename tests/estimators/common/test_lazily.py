"""Scores of rows that are read block by block, with the targets that they have."""

from __future__ import annotations

import numpy as np
import pytest

import mercer
from mercer import errors

rng = np.random.default_rng(0)
X = rng.standard_normal((120, 3))
Y = X[:, 0] + 0.1 * rng.standard_normal(120)
WEIGHT = rng.uniform(0.5, 2.0, 120)
LABELS = np.where(Y > 0, "up", "down")
MODELS = [
    (mercer.KernelRidge(kernel=mercer.RBF(), centers=20), Y),
    (mercer.KernelRidgeCV(kernel=mercer.RBF()), Y),
    (mercer.KernelQuantileRegressor(kernel=mercer.RBF()), Y),
    (mercer.GaussianProcessRegressor(mercer.RBF(), alpha=0.1, optimizer=None), Y),
    (mercer.KernelLogisticRegression(kernel=mercer.RBF(), centers=20), LABELS),
    (mercer.LinearSVC(), LABELS),
    (mercer.LocalModels(mercer.KernelRidge(kernel=mercer.RBF()), most=80), Y),
]


def rows(targets, **options):
    return mercer.scan(X, targets, block_rows=50, **options)


@pytest.mark.parametrize(("model", "y"), MODELS, ids=lambda case: type(case).__name__)
def test_rows_are_scored_with_their_own_targets(model, y):
    model.fit(X, y)
    expected = model.score(X, y)
    assert model.score(rows(y)) == pytest.approx(expected, abs=1e-9)
    assert model.score(rows(y), None) == pytest.approx(expected, abs=1e-9)
    assert model.score(rows(None), y) == pytest.approx(expected, abs=1e-9)
    weighted = model.score(X, y, sample_weight=WEIGHT)
    assert weighted != expected or y is LABELS
    assert model.score(rows(y, sample_weight=WEIGHT)) == pytest.approx(weighted, abs=1e-9)


def test_rows_without_targets_are_refused():
    model = mercer.KernelRidge(kernel=mercer.RBF()).fit(X, Y)
    with pytest.raises(errors.InputError, match="have no targets to be compared with"):
        model.score(rows(None))
    with pytest.raises(TypeError, match="'y'"):
        model.score(X)
