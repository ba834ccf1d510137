"""The heat map shows the metric that was learned."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

from mercer import RBF, MetricDisplay, errors, learn_metric

mpl.use("Agg")
import matplotlib.pyplot as plt

X = np.random.default_rng(0).standard_normal((120, 5))
y = np.sin(2 * X[:, 3]) + 0.5 * X[:, 1]


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def test_weights_round_by_round():
    learned = learn_metric(RBF(2.0), pd.DataFrame(X, columns=list("abcde")), y)
    shown = MetricDisplay.from_metric(learned)
    assert shown.names[:2] == ["d", "b"]
    order = np.argsort(-learned.metric)
    for number, step in enumerate(learned.history):
        np.testing.assert_array_equal(shown.values[:, number], step.metric[order])
    np.testing.assert_array_equal(np.asarray(shown.image_.get_array()), shown.values)
    assert shown.round == learned.round
    assert shown.frame_.get_x() == learned.round - 0.5
    assert [tick.get_text() for tick in shown.ax_.get_yticklabels()] == shown.names
    assert shown.ax_.get_xlabel() == "round"


def test_a_matrix():
    learned = learn_metric(RBF(2.0), X, y, diagonal=False)
    shown = MetricDisplay.from_metric(learned, names=list("abcde"), most=3)
    assert shown.names[0] == "d"
    order = np.argsort(-learned.metric.diagonal())[:3]
    np.testing.assert_array_equal(shown.values, learned.metric[np.ix_(order, order)])
    assert shown.frame_ is None
    low, high = shown.image_.get_clim()
    assert low == -high
    again = shown.plot(ax=plt.subplots()[1], cmap="PuOr")
    assert again.image_.get_cmap().name == "PuOr"


def test_columns_without_names_and_errors():
    learned = learn_metric(RBF(2.0), X, y)
    assert MetricDisplay.from_metric(learned).names[0] == "3"
    with pytest.raises(errors.ShapeError, match="names"):
        MetricDisplay.from_metric(learned, names=["a"])
    with pytest.raises(errors.ParameterError, match="learned"):
        MetricDisplay.from_metric(learned.kernel)
    with pytest.raises(errors.ParameterError, match="most"):
        MetricDisplay.from_metric(learned, most=0)
