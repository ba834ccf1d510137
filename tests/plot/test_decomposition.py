"""DecompositionDisplay: axes, bands and titles for every additive term."""

from __future__ import annotations

import numpy as np
import pytest

from mercer import (
    RBF,
    DecompositionDisplay,
    GaussianProcessRegressor,
    KernelRidge,
    Linear,
    Periodic,
    errors,
)

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

X = np.random.default_rng(0).uniform(0, 5, (60, 2))
Y = np.sin(2 * X[:, 0]) + X[:, 1]
KERNEL = RBF().on(0) + 2.0 * Linear().center().on(1)
MODEL = GaussianProcessRegressor(KERNEL, alpha=0.01, optimizer=None).fit(X, Y)


def test_every_term_is_drawn_along_its_column():
    shown = DecompositionDisplay.from_estimator(MODEL, grid=50)
    assert shown.names == ["column 0", "column 1"]
    assert len(shown.lines_) == len(shown.bands_) == len(shown.axes_) == 2
    assert shown.axes_[1].get_title() == "A linear trend of column 1"
    along = shown.grids[0]
    expected = np.sin(2 * along) - np.sin(2 * X[:, 0]).mean()
    np.testing.assert_allclose(shown.means[0], expected, atol=0.3)


def test_bands_do_not_hold_the_unknown_level():
    kernel = RBF(length_scale=5.0) + Periodic(period=0.7)
    model = GaussianProcessRegressor(kernel, alpha=0.01, optimizer=None).fit(X[:, :1], Y)
    shown = DecompositionDisplay.from_estimator(model)
    assert max(std.mean() for std in shown.stds) < 0.3


def test_other_axes_and_errors():
    figure, axes = matplotlib.pyplot.subplots(2, 1)
    assert DecompositionDisplay.from_estimator(MODEL, axes=axes).figure_ is figure
    with pytest.raises(errors.ShapeError, match="one for each of the 2 terms"):
        DecompositionDisplay.from_estimator(MODEL, axes=axes[:1])
    with pytest.raises(errors.ParameterError, match="level = 2"):
        DecompositionDisplay.from_estimator(MODEL, level=2)
    with pytest.raises(errors.ParameterError, match="KernelRidge"):
        DecompositionDisplay.from_estimator(KernelRidge(kernel=KERNEL).fit(X, Y))
