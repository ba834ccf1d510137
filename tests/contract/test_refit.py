"""A second fit that fails, or is interrupted, leaves an estimator as it was: what it predicts, its
attributes, and the objects that these hold.
"""

from __future__ import annotations

import contextlib
import copy
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from contract import cases
from contract.cases import ESTIMATORS, samples, value
from contract.test_every_estimator import calls_of_mercer

import mercer
from mercer.gram.tile import Pair

AUTOMATIC = {
    "AutoClassifier": "SVC",  # the estimator whose targets suit it
    "AutoRegressor": "SVR",
}
every = pytest.mark.parametrize("name", [*ESTIMATORS, *AUTOMATIC])


def make(name: str) -> Any:
    if name in AUTOMATIC:
        return getattr(mercer, name)(learner="ridge")
    return cases.make(name)


def target(name: str, n: int) -> Any:
    return cases.target(AUTOMATIC.get(name, name), n)


def fitted(name: str) -> tuple[Any, Any, bytes, np.ndarray]:
    """A model, new samples, all that it holds, and what it says of the samples."""
    Z = samples(name, 20, 1)
    model = make(name).fit(samples(name), target(name, 60))
    value(model, Z)  # what is computed when it is first needed is there from now on
    return model, Z, pickle.dumps(model), value(model, Z)


def assert_untouched(model: Any, Z: Any, held: bytes, said: np.ndarray) -> None:
    again = pickle.dumps(model)
    np.testing.assert_array_equal(value(model, Z), said)
    assert again == held


@every
@pytest.mark.parametrize("share", [0.05, 0.3, 0.6, 0.8, 0.95])
def test_interrupted_anywhere(name, share):
    model, *kept = fitted(name)
    other, y = samples(name, 50)[::-1].copy(), target(name, 50)
    make(name).fit(other, y)  # what is done once only, at the first fit, is not counted
    twin = copy.deepcopy(model)
    with calls_of_mercer() as count:
        twin.fit(other, y)
    with pytest.raises(KeyboardInterrupt), calls_of_mercer(max(1, share * count[0])):
        model.fit(other, y)
    assert_untouched(model, *kept)


@every
def test_a_tile_that_fails(name, monkeypatch):
    model, *kept = fitted(name)
    other, y = samples(name, 50)[::-1].copy(), target(name, 50)
    made = []
    original = Pair.__init__

    def failing(self: Pair, *args: Any, **options: Any) -> None:
        made.append(self)
        if len(made) > 1:
            raise RuntimeError("a tile that fails")
        original(self, *args, **options)

    with monkeypatch.context() as patch, contextlib.suppress(RuntimeError):
        patch.setattr(Pair, "__init__", failing)
        model.fit(other, y)
        return  # it fits without a second tile
    assert_untouched(model, *kept)


@every
def test_bad_targets_and_samples(name):
    model, *kept = fitted(name)
    X, y = samples(name, 50), target(name, 50)
    bad = [(X[:0], None if y is None else y[:0]), (X, y if y is None else y[:-3])]
    if y is not None and y.dtype.kind == "f":
        bad += [(X, np.where(y > y.mean(), np.nan, y)), (X, np.where(y > y.mean(), np.inf, y))]
    elif y is not None:
        bad.append((X, np.full(len(y), "one")))
    if X.dtype.kind == "f":
        bad.append((np.where(X > 2.0, np.inf, X), y))
    for X_bad, y_bad in bad:
        try:
            model.fit(X_bad, y_bad)
        except ValueError:
            assert_untouched(model, *kept)
        else:
            model, *kept = fitted(name)


@pytest.mark.parametrize("name", AUTOMATIC)
def test_a_model_of_a_frame_fitted_on_an_array_forgets_the_frame(name):
    X, y = samples(name), target(name, 60)
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame["e"] = np.nan
    model = make(name).fit(frame, y)
    assert model.left_out_ == ["e"]
    model.source_ = {"kind": "table"}
    model.fit(X, y)
    again = make(name).fit(X, y)
    assert vars(model).keys() == vars(again).keys()
    np.testing.assert_array_equal(model.predict(X), again.predict(X))
    swapped = pd.DataFrame(X, columns=list("dcba"))
    np.testing.assert_array_equal(model.predict(swapped), again.predict(swapped))
