"""Displays show the numbers of the result."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pytest

from mercer import RBF, NullDisplay, WitnessDisplay, errors, mmd_test

mpl.use("Agg")
import matplotlib.pyplot as plt

RNG = np.random.default_rng(0)
X, Y = RNG.standard_normal((40, 1)), 2.0 * RNG.standard_normal((50, 1))
RESULT = mmd_test(X, Y, RBF(), n_permutations=99, random_state=0)


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def test_the_histogram_holds_all_permutations_and_the_line_the_statistic():
    shown = NullDisplay.from_result(RESULT, bins=10)
    assert sum(bar.get_height() for bar in shown.bars_) == 99 and len(shown.bars_) == 10
    assert shown.line_.get_xdata()[0] == RESULT.statistic
    assert shown.critical_line_.get_xdata()[0] == RESULT.critical_value()
    again = shown.plot(ax=plt.subplots()[1])
    assert again is shown


def test_too_few_permutations_have_no_critical_value():
    few = mmd_test(X, Y, RBF(), n_permutations=9, random_state=0)
    assert NullDisplay.from_result(few).critical_line_ is None


def test_tests_without_permutations_have_no_null_to_draw():
    with pytest.raises(errors.ParameterError, match="formula"):
        NullDisplay.from_result(mmd_test(X, Y, RBF(), method="cross"))


def test_the_curve_is_the_witness_function():
    shown = WitnessDisplay.from_result(RESULT, names=("a", "b"))
    points, values = shown.line_.get_data()
    np.testing.assert_allclose(values, RESULT.witness(points[:, None]))
    assert [t.get_text() for t in shown.ax_.get_legend().get_texts()] == ["a", "b"]


def test_other_samples_have_histograms():
    words = mmd_test(["aab", "aba"] * 5, ["abb", "bab"] * 5, n_permutations=19, random_state=0)
    shown = WitnessDisplay.from_result(words)
    assert shown.line_ is None and len(shown.bars_) == 60
    with pytest.raises(errors.ParameterError, match="no result of mmd_test"):
        WitnessDisplay.from_result(3)
