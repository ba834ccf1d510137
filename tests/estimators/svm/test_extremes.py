"""Penalties and tolerances at the ends of their ranges: an answer, a warning or an error."""

import warnings

import numpy as np
import pytest
from sklearn import svm
from sklearn.exceptions import ConvergenceWarning

from mercer import RBF, SVC, SVR, Linear, NuSVC, NuSVR
from mercer.errors import ParameterError
from mercer.solvers.margin import dual


@pytest.fixture
def noise(rng):
    """Two classes that no plane separates."""
    y = rng.integers(2, size=80)
    return rng.normal(size=(80, 4)) + y[:, None] * [1.0, 0.0, 0.0, 0.0], y


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_an_infinite_penalty_is_the_hard_margin(rng, kernel):
    y = rng.integers(3, size=90)
    X = rng.normal(size=(90, 3)) + 8.0 * np.eye(3)[y]
    hard, large = SVC(C=np.inf, kernel=kernel).fit(X, y), SVC(C=1e8, kernel=kernel).fit(X, y)
    np.testing.assert_allclose(hard.decision_function(X), large.decision_function(X), atol=1e-3)
    np.testing.assert_allclose(hard.dual_coef_.sum(axis=1), large.dual_coef_.sum(axis=1), atol=1e-3)
    assert hard.report_.objective == pytest.approx(large.report_.objective, rel=1e-3)
    assert hard.fit_status_ == 0 and hard.report_.gap <= hard.tol


def test_the_hard_margin_of_two_points_is_known():
    model = SVC(C=np.inf, kernel="linear").fit([[0.0], [1e-3], [1.0], [2.0]], [0, 0, 1, 1])
    np.testing.assert_allclose(model.coef_, [[2 / 0.999]], rtol=1e-6)
    np.testing.assert_allclose(model.intercept_, [-1.001 / 0.999], rtol=1e-6)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_classes_that_no_plane_separates_have_no_hard_margin(noise, n_classes):
    X, y = noise
    y = np.where(X[:, 1] > 1.0, n_classes - 1, y)
    with pytest.raises(ParameterError, match=r"C = inf .*hard margin.*does not separate"):
        SVC(C=np.inf, kernel="linear").fit(X, y)
    with pytest.raises(ParameterError, match="hard margin"):
        SVC(C=np.inf).fit([[0.0], [0.0], [1.0]], [0, 1, 1])


def test_an_infinite_penalty_of_errors_beyond_epsilon(rng):
    X = rng.normal(size=(40, 3))
    y = np.sin(X).sum(axis=1)
    model = SVR(C=np.inf, kernel=RBF(), epsilon=0.05).fit(X, y)
    assert np.abs(model.predict(X) - y).max() < 0.05 + model.tol
    with pytest.raises(ParameterError, match=r"C = inf .*within epsilon"):
        SVR(C=np.inf, kernel=RBF(), epsilon=0.05).fit(np.vstack([X, X]), np.append(y, y + 1.0))
    with pytest.raises(ParameterError, match="C = inf"):
        NuSVR(C=np.inf).fit(X, y)


@pytest.mark.parametrize("options", [{"C": 1e15}, {"tol": 1e-300}, {"C": 1e15, "tol": 1e-300}])
@pytest.mark.parametrize("n", [60, 700])
def test_extreme_penalties_and_tolerances_end_with_a_warning(rng, monkeypatch, options, n):
    monkeypatch.setattr(dual, "_LEAST_LIMIT", 200_000)
    X = rng.normal(size=(n, 3))
    y = rng.integers(3, size=n)
    statuses = []
    for model, target in ((SVC(kernel="linear"), y), (SVC(), y), (SVR(), X[:, 0] + y)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model.set_params(**options).fit(X, target)
        assert model.fit_status_ == any("did not converge" in str(w.message) for w in caught)
        assert np.isfinite(model.predict(X)).all()
        statuses.append(model.fit_status_)
    assert 1 in statuses


def test_the_limit_of_steps_is_libsvms():
    problem = dual.DualProblem(np.zeros((1, 7)), None, np.zeros((1, 7)))
    assert problem.steps_left(0) == 10_000_000
    assert dual.DualProblem(np.zeros((1, 7)), None, np.zeros((1, 7)), max_iter=5).steps_left(2) == 3


@pytest.mark.parametrize("n", [60, 1000])
def test_a_share_of_errors_that_leaves_no_margin_is_said(rng, n):
    y = rng.integers(2, size=n)
    X = rng.normal(size=(n, 4)) + y[:, None] * [1.0, 0.0, 0.0, 0.0]
    with pytest.warns(
        ConvergenceWarning, match=r"nu = 0.1 is too small.*margin comes out 0.*raise nu"
    ):
        model = NuSVC(nu=0.1, kernel="linear").fit(X, y)
    assert np.abs(model.decision_function(X)).max() < 1e6


def test_a_margin_below_the_tolerance_is_resolved_or_told(rng):
    y = rng.integers(2, size=700)
    X = rng.normal(size=(700, 4)) + y[:, None] * [1.0, 0.0, 0.0, 0.0]
    model = NuSVC(nu=0.4).fit(X, y)
    assert 0.9 < np.quantile(np.abs(model.decision_function(X)), 0.4) < 1.1
    with pytest.warns(ConvergenceWarning, match="scale of decision values is uncertain"):
        model = NuSVC(nu=0.1).fit(X, y)
    assert np.abs(model.decision_function(X)).max() < 1e6
    assert model.score(X, y) > 0.7 and model.fit_status_ == 0


def test_the_unresolved_problem_gives_the_reason(rng):
    X, y = rng.normal(size=(50, 2)), rng.integers(2, size=50)
    text = r"Solver terminated early \(max_iter=2\).  Consider pre-processing your data"
    with pytest.warns(ConvergenceWarning, match=text):
        SVC(kernel=Linear(), max_iter=2).fit(X, y)
    with pytest.warns(ConvergenceWarning, match=text):
        svm.SVC(kernel="linear", max_iter=2).fit(X, y)


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
@pytest.mark.parametrize("machine", [SVC, SVR])
def test_a_huge_penalty_on_noise_is_given_up_soon(machine, kernel):
    """Coefficients grow to the size of C, by Newton steps: others would make ten million steps."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 3))
    y = X[:, 0] + rng.standard_normal(60)
    if machine is SVC:
        y = y > 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = machine(kernel=kernel, C=1e15).fit(X, y)
    assert model.report_.iterations < 3_000_000
    assert np.abs(model.decision_function(X) if machine is SVC else model.predict(X)).max() < 1e3
