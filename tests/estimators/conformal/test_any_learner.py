"""Every regressor and classifier of the registry can be wrapped."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from contract.cases import make, samples, target
from sklearn.base import is_classifier, is_regressor

from mercer import CalibratedProbabilities, ConformalClassifier, ConformalRegressor
from mercer.estimators import ESTIMATORS

MODELS = {name: make(name) for name in ESTIMATORS if name != "KernelSearch"}
OWN = {"CalibratedProbabilities", "ConformalClassifier", "ConformalRegressor"}
REGRESSORS = [name for name, model in MODELS.items() if is_regressor(model) and name not in OWN]
CLASSIFIERS = [name for name, model in MODELS.items() if is_classifier(model) and name not in OWN]


@pytest.mark.parametrize("name", REGRESSORS)
def test_regressors(name):
    X, y = samples(name), target(name)
    conformity = "quantile" if name == "KernelQuantileRegressor" else "absolute"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for method in ("auto", "cv+")[: 1 + (conformity == "absolute")]:
            model = ConformalRegressor(MODELS[name], method, conformity=conformity, cv=3)
            result = model.fit(X, y).predict_interval(X, 0.8)
            assert (result.lower <= result.upper).all() and np.isfinite(result.width).all()
            assert result.covered(y) > 0.6


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_classifiers(name):
    if name == "ImputedVote":
        pytest.skip("it gives labels alone")
    X, y = samples(name), target(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for method in ("auto", "cv+"):
            model = ConformalClassifier(MODELS[name], method, cv=3).fit(X, y)
            assert model.predict_set(X, 0.8).covered(y) > 0.6
        p = CalibratedProbabilities(MODELS[name], cv=3).fit(X, y).predict_proba(X)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
