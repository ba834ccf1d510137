"""Main effects: of a sum of functions of single columns they are these functions."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from mercer import EffectsDisplay, errors, main_effects

rng = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "size": rng.normal(size=50),
        "count": rng.integers(0, 4, 50),
        "town": rng.choice(["x", "y"], 50),
        "name": [f"name {k}" for k in range(50)],
    }
)


class Additive(RegressorMixin, BaseEstimator):
    def predict(self, X):
        return X["size"] ** 2 + 3.0 * X["count"] + 10.0 * (X["town"] == "x")


class Classes(ClassifierMixin, BaseEstimator):
    classes_ = np.array(["no", "yes"])

    def predict_proba(self, X):
        p = 1.0 / (1.0 + np.exp(-np.asarray(X)[:, 0].astype(float)))
        return np.column_stack([1.0 - p, p])


def test_effects_of_a_sum():
    found = {effect.column: effect for effect in main_effects(Additive(), FRAME)}
    assert list(found) == ["town", "count", "size"] or list(found) == ["town", "size", "count"]
    town = dict(zip(found["town"].values, found["town"].effects, strict=True))
    assert town["x"] == pytest.approx(5.0) and town["y"] == pytest.approx(-5.0)
    np.testing.assert_allclose(found["count"].effects, [-4.5, -1.5, 1.5, 4.5])
    size = found["size"]
    squares = np.array(size.values) ** 2
    np.testing.assert_allclose(size.effects, squares - squares.mean(), atol=1e-12)
    assert "x +5" in str(found["town"]) and "at 3" in str(found["count"])


def test_effects_of_probabilities():
    X = rng.normal(size=(30, 2))
    first, second = main_effects(Classes(), X)
    assert first.column == 0 and first.of == "yes" and second.spread == 0.0
    assert (np.diff(first.effects) > 0).all()


@pytest.mark.parametrize("as_text", [True, False])
def test_dates_have_an_effect_along_time(as_text):
    dates = pd.Series(pd.date_range("2020-01-01", periods=100, freq="D"))[rng.permutation(100)]
    frame = pd.DataFrame({"day": dates.to_numpy(), "name": [f"name {k}" for k in range(100)]})
    if as_text:
        frame["day"] = frame["day"].dt.strftime("%Y-%m-%d")

    class Later(RegressorMixin, BaseEstimator):
        def predict(self, X):
            return (pd.to_datetime(X["day"]) - pd.Timestamp("2020-01-01")).dt.days.to_numpy()

    (found,) = main_effects(Later(), frame, points=5)
    assert found.column == "day" and len(found.values) == 5
    assert (np.diff(found.effects) > 0).all()
    assert str(found).startswith("-44.4 at 2020-01-06  ") and str(found).endswith("2020-04-04")


def test_refused():
    with pytest.raises(errors.InputTypeError, match="no columns"):
        main_effects(Additive(), ["a", "b"])
    with pytest.raises(errors.InputError, match="could be changed"):
        EffectsDisplay.from_estimator(Additive(), FRAME[["name"]])


def test_display():
    import matplotlib as mpl

    mpl.use("Agg")
    display = EffectsDisplay.from_estimator(Additive(), FRAME, most=2)
    assert len(display.axes_) == 2 and display.axes_[0].get_xlabel() == "town"
    with pytest.raises(errors.ParameterError, match="must be at least 2"):
        display.plot(axes=[display.axes_[0]])
