"""The score of rows held out is scikit-learn's."""

import numpy as np
import pytest
from sklearn.metrics import r2_score

from mercer.estimators.centers.scores import r_squared


@pytest.mark.parametrize("n_targets", [1, 3])
def test_r_squared_is_that_of_scikit_learn(rng, n_targets):
    y = rng.standard_normal((50, n_targets))
    values = y + 0.5 * rng.standard_normal(y.shape)
    assert r_squared(values, y) == pytest.approx(r2_score(y, values), rel=1e-13)


@pytest.mark.parametrize("missed", [0.0, 1.0])
def test_a_constant_target_scores_one_or_nothing(rng, missed):
    y = np.column_stack([np.full(50, 2.0), rng.standard_normal(50)])
    values = y + np.array([missed, 0.3])
    assert r_squared(values, y) == pytest.approx(r2_score(y, values), rel=1e-13)
