"""The bars and points are the contributions."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

from mercer import (
    RBF,
    AutoRegressor,
    BeeswarmDisplay,
    ContributionsDisplay,
    KernelLogisticRegression,
    KernelRidge,
    WaterfallDisplay,
    errors,
    explain,
)

mpl.use("Agg")
import matplotlib.pyplot as plt

X = np.random.default_rng(0).standard_normal((40, 4))
FOUND = explain(KernelRidge(0.1, kernel=RBF()).fit(X, X[:, 0] * X[:, 1]), X, background=X)


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def test_a_waterfall_ends_at_the_prediction():
    shown = WaterfallDisplay.from_explanation(FOUND, 3)
    widths = np.array([bar.get_width() for bar in shown.bars_])
    order = np.argsort(-np.abs(FOUND.values[3]), kind="stable")
    np.testing.assert_allclose(widths, FOUND.values[3][order])
    first, last = shown.bars_[0], shown.bars_[-1]
    total = FOUND.base_values[3] + FOUND.values[3].sum()
    assert abs(first.get_x() + first.get_width() - total) < 1e-12
    assert abs(last.get_x() - FOUND.base_values[3]) < 1e-12
    names = [label.get_text() for label in shown.ax_.get_yticklabels()]
    assert names[0].startswith(f"x{order[0]} = ")


def test_few_bars():
    shown = WaterfallDisplay.from_explanation(FOUND, 0, most=2)
    names = [label.get_text() for label in shown.ax_.get_yticklabels()]
    assert len(shown.bars_) == 3 and names[-1] == "2 other columns"
    bars = ContributionsDisplay.from_explanation(FOUND, most=2)
    assert len(bars.bars_) == 3


def test_bars_are_means_of_sizes():
    shown = ContributionsDisplay.from_explanation(FOUND)
    np.testing.assert_allclose(shown.values, np.abs(FOUND.values).mean(axis=0))
    alone = ContributionsDisplay.from_explanation(FOUND[0])
    np.testing.assert_array_equal(alone.values, FOUND.values[0])


def test_a_swarm_has_a_point_for_each_row():
    shown = BeeswarmDisplay.from_explanation(FOUND, most=3)
    order = np.argsort(-np.abs(FOUND.values).mean(axis=0), kind="stable")
    for column, points in zip(order, shown.points_, strict=False):
        drawn = points.get_offsets()[:, 0]
        np.testing.assert_allclose(drawn, FOUND.values[:, column])
    assert len(shown.points_) == 3


def test_categories_are_gray_and_missing_values_are_drawn():
    table = pd.DataFrame({"a": X[:, 0], "c": np.where(X[:, 1] > 0, "u", "v")})
    table.loc[:4, "a"] = np.nan
    model = AutoRegressor(time="fast").fit(table, X[:, 0] + X[:, 1])
    shown = explain(model, table, background=table).plot()
    assert isinstance(shown, BeeswarmDisplay) and len(shown.points_) == 2


def test_plot_chooses():
    assert isinstance(FOUND[:1].plot(), WaterfallDisplay)
    assert isinstance(FOUND[0].plot(), WaterfallDisplay)
    ax = plt.subplots()[1]
    assert FOUND.plot("bar", ax=ax).ax_ is ax
    with pytest.raises(errors.ParameterError, match="kind"):
        FOUND.plot("pie")


def test_refused():
    with pytest.raises(errors.ParameterError, match="one of the 40 rows"):
        WaterfallDisplay.from_explanation(FOUND, 40)
    with pytest.raises(errors.ParameterError, match="swarm"):
        BeeswarmDisplay.from_explanation(FOUND[0])
    with pytest.raises(errors.ParameterError, match="most"):
        ContributionsDisplay.from_explanation(FOUND, most=0)
    model = KernelLogisticRegression(kernel=RBF()).fit(X, np.digitize(X[:, 0], [-0.5, 0.5]))
    several = explain(model, X[:9], background=X)
    with pytest.raises(errors.ParameterError, match="which of the outputs"):
        several.plot("bar")
    assert len(several.plot("bar", output="1").bars_) == 4
    with pytest.raises(errors.InputError, match="nothing to draw"):
        FOUND[:0].plot("bar")
