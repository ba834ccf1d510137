"""The empirical kernel map as a transformer."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from mercer import RBF, Jaccard, KernelMap, errors


@parametrize_with_checks([KernelMap(RBF(length_scale=2.0), centers=5, random_state=0)])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_values(rng):
    X, Y = rng.standard_normal((30, 2)), rng.standard_normal((4, 2))
    np.testing.assert_array_equal(KernelMap(RBF()).fit(X).transform(Y), RBF()(Y, X))
    some = KernelMap(RBF(), centers=7, random_state=0).fit(X)
    assert some.transform(Y).shape == (4, 7) and len(some.get_feature_names_out()) == 7
    np.testing.assert_array_equal(
        KernelMap(RBF(), centers=X[:3]).fit(X).transform(Y), RBF()(Y, X[:3])
    )


def test_in_a_pipeline_on_sets():
    sets = [{"a", "b"}, {"a"}, {"x", "y"}, {"y"}] * 5
    y = [0, 0, 1, 1] * 5
    model = make_pipeline(KernelMap(Jaccard()), LogisticRegression()).fit(sets, y)
    assert model.score(sets, y) == 1.0
    assert model.predict([{"b"}, {"x"}]).tolist() == [0, 1]


def test_bad_parameters(rng):
    X = rng.standard_normal((5, 2))
    with pytest.raises(errors.ParameterError):
        KernelMap("rbf").fit(X)
    with pytest.raises(errors.ParameterError):
        KernelMap(centers=0).fit(X)
