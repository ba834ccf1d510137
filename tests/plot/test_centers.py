"""The learning curve of the number of centers."""

import numpy as np
import pytest

from mercer import RBF, CentersDisplay, KernelRidge
from mercer.errors import ParameterError

pytest.importorskip("matplotlib").use("Agg")

rng = np.random.default_rng(0)
X = rng.standard_normal((500, 2))
Y = np.sin(2 * X[:, 0]) * X[:, 1]
MODEL = KernelRidge(0.01, kernel=RBF(), random_state=0)


def test_scores_of_other_rows_over_the_number_of_centers():
    parts = {"X_test": X[300:], "y_test": Y[300:]}
    shown = CentersDisplay.from_estimator(MODEL, X[:300], Y[:300], n_centers=[40, 10, 10], **parts)
    assert shown.n_centers.tolist() == [10, 40]
    for count, score in zip(shown.n_centers, shown.scores, strict=True):
        model = KernelRidge(0.01, kernel=RBF(), random_state=0, centers=int(count))
        assert score == model.fit(X[:300], Y[:300]).score(X[300:], Y[300:])
    np.testing.assert_array_equal(shown.line_.get_ydata(), shown.scores)
    assert (np.diff(shown.trace_errors[:, 0]) < 0).all()
    assert MODEL.centers == "auto"


def test_rows_that_a_fit_holds_out(monkeypatch):
    monkeypatch.setattr("mercer.estimators.centers.problem._LARGE", 100)
    shown = CentersDisplay.from_estimator(MODEL, X, Y, n_centers=[20])
    assert shown.metric == "score of rows held out"
    assert shown.ax_.get_ylabel() == shown.metric


def test_what_is_refused():
    with pytest.raises(ParameterError, match="X_test"):
        CentersDisplay.from_estimator(MODEL, X, Y, n_centers=[20])
    with pytest.raises(ParameterError, match="n_centers"):
        CentersDisplay.from_estimator(MODEL, X, Y, n_centers=[0])
