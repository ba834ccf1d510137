"""The arrows are the correlations of columns with variates."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgba
from sklearn.exceptions import NotFittedError

from mercer import KernelCCA, KernelPCA, LoadingsDisplay, errors

mpl.use("Agg")
import matplotlib.pyplot as plt

rng = np.random.default_rng(0)
HIDDEN = rng.standard_normal((80, 2))
X = np.column_stack([HIDDEN, rng.standard_normal(80)])
Y = np.column_stack(
    [HIDDEN @ [1.0, 1.0], HIDDEN[:, 0], rng.standard_normal(80), HIDDEN[:, 1]]
) + 0.3 * rng.standard_normal((80, 4))
MODEL = KernelCCA(3, kernel="linear").fit(X, Y)


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def test_arrows_are_the_loadings():
    shown = LoadingsDisplay.from_estimator(MODEL, X, Y, components=(0, 2))
    for view, (arrows, data) in enumerate(zip(shown.arrows_, (X, Y), strict=True)):
        expected = MODEL.loadings(data, view)[:, [0, 2]]
        np.testing.assert_allclose(np.column_stack([arrows.U, arrows.V]), expected)
        variates = MODEL.transform_view(data, view)
        assert arrows.U[0] == pytest.approx(np.corrcoef(data[:, 0], variates[:, 0])[0, 1])
        np.testing.assert_allclose(arrows.get_facecolor()[0], to_rgba(f"C{view}"))
    assert np.linalg.norm(np.concatenate(shown.loadings), axis=1).max() <= 1 + 1e-12
    assert shown.circle_.get_radius() == 1 and shown.ax_.get_aspect() == 1
    assert shown.ax_.get_xlabel() == f"1st component (correlation {MODEL.correlations_[0]:.2f})"
    assert [text.get_text() for text in shown.names_] == ["x0", "x1", "x2", "y0", "y1", "y2", "y3"]
    np.testing.assert_allclose([text.xy for text in shown.names_], np.concatenate(shown.loadings))
    assert [text.get_text() for text in shown.ax_.get_legend().get_texts()] == ["X", "y"]


def test_names_of_frames_and_given_names():
    left, right = pd.DataFrame(X, columns=["a", "b", "c"]), pd.DataFrame(Y, columns=list("defg"))
    model = KernelCCA(2, kernel="linear").fit(left, right)
    shown = LoadingsDisplay.from_estimator(model, left, right, view_names=("cause", "effect"))
    assert "".join(text.get_text() for text in shown.names_) == "abcdefg"
    assert [text.get_text() for text in shown.ax_.get_legend().get_texts()] == ["cause", "effect"]
    named = LoadingsDisplay.from_estimator(MODEL, X, Y, names=(["u", "v", "w"], range(4)))
    assert [text.get_text() for text in named.names_] == ["u", "v", "w", "0", "1", "2", "3"]


def test_names_do_not_cover_each_other():
    boxes = [
        text.get_window_extent() for text in LoadingsDisplay.from_estimator(MODEL, X, Y).names_
    ]
    assert not any(a.overlaps(b) for at, a in enumerate(boxes) for b in boxes[:at])


def test_one_column():
    model = KernelCCA(2).fit(X, Y[:, 0])
    shown = LoadingsDisplay.from_estimator(model, X, Y[:, 0])
    assert shown.names[1] == ["y"] and len(shown.arrows_[1].U) == 1
    assert LoadingsDisplay.from_estimator(model, X, pd.Series(Y[:, 0], name="price")).names[1] == [
        "price"
    ]


def test_axes_given_and_drawn_again():
    _, ax = plt.subplots()
    shown = LoadingsDisplay.from_estimator(MODEL, X, Y, ax=ax, colors=("C3", "C4"))
    assert shown.ax_ is ax and shown.figure_ is ax.figure
    np.testing.assert_allclose(shown.arrows_[1].get_facecolor()[0], to_rgba("C4"))
    assert shown.plot() is shown and shown.ax_ is not ax


def test_refused():
    with pytest.raises(NotFittedError):
        LoadingsDisplay.from_estimator(KernelCCA(), X, Y)
    with pytest.raises(errors.ParameterError, match="has no loadings"):
        LoadingsDisplay.from_estimator(KernelPCA(2).fit(X), X, Y)
    for components in ((0, 3), (1, 1), 0):
        with pytest.raises(errors.ParameterError, match="components"):
            LoadingsDisplay.from_estimator(MODEL, X, Y, components=components)
    with pytest.raises(errors.ParameterError, match=r"names = .*two lists"):
        LoadingsDisplay.from_estimator(MODEL, X, Y, names=["u", "v", "w"])
    with pytest.raises(errors.ShapeError, match=r"names = .*4 columns of y"):
        LoadingsDisplay.from_estimator(MODEL, X, Y, names=(["u", "v", "w"], ["z"]))
    with pytest.raises(errors.ParameterError, match="view_names"):
        LoadingsDisplay.from_estimator(MODEL, X, Y, view_names="XY")
