"""Long fits on centers: checkpoints, and how many passes are to come."""

import os

import numpy as np
import pytest

import mercer
from mercer import RBF, KernelLogisticRegression, KernelRidge, scan
from mercer.errors import InputError, ParameterError
from mercer.execution import progress

rng = np.random.default_rng(0)
X = rng.standard_normal((3000, 4))
Y = np.sin(2 * X[:, 0]) + X[:, 1]
KERNEL = RBF(length_scale=1.5)
MODELS = {
    "squared": (KernelRidge(1e-3, kernel=KERNEL, centers=150, random_state=0), Y),
    "logistic": (
        KernelLogisticRegression(50.0, kernel=KERNEL, centers=150, random_state=0, tol=1e-8),
        Y > 0,
    ),
}


class InterruptedFitError(Exception):
    pass


def fit_and_fail(model, y):
    model.fit(X, y)
    raise InterruptedFitError


def blocks(y, most):
    """A source that fails after so many passes."""
    passes = [0]

    def factory():
        passes[0] += 1
        if passes[0] > most:
            raise InterruptedFitError
        for start in range(0, 3000, 1000):
            yield X[start : start + 1000], y[start : start + 1000]

    return factory


@pytest.mark.parametrize("name", MODELS)
def test_an_interrupted_fit_goes_on(name, tmp_path, monkeypatch):
    monkeypatch.setattr("mercer.gram.plan.kept_rows", lambda: 0)
    monkeypatch.setattr("mercer.estimators.centers.data.kept_rows", lambda: 0)
    model, y = MODELS[name]
    expected = model.fit(scan(blocks(y, 10**6)))
    whole, values = expected.report_.passes, expected.dual_coef_.copy()
    path = tmp_path / "fit.checkpoint"
    with pytest.raises(InterruptedFitError), mercer.checkpoint(path, every=0.0):
        model.fit(scan(blocks(y, whole)))  # some passes read samples, labels and sums
    assert path.exists()
    with mercer.checkpoint(path):
        again = model.fit(scan(blocks(y, 10**6)))
    assert again.report_.passes < whole
    f, g = KERNEL(X, again.X_fit_) @ again.dual_coef_, KERNEL(X, again.X_fit_) @ values
    np.testing.assert_allclose(f, g, atol=1e-4)
    assert os.listdir(tmp_path) == []


def test_another_problem_begins_anew(tmp_path):
    model, y = MODELS["squared"]
    path = tmp_path / "fit.checkpoint"
    with pytest.raises(InterruptedFitError), mercer.checkpoint(path):
        fit_and_fail(model, y)
    passes = model.report_.passes
    other = KernelRidge(10.0, kernel=KERNEL, centers=150, random_state=0)
    alone = other.fit(X, y).report_.passes
    with mercer.checkpoint(path):
        assert model.fit(X, y).report_.passes < passes
        assert other.fit(X, y).report_.passes == alone


def test_what_is_no_checkpoint(tmp_path):
    (tmp_path / "text").write_text("abc")
    with (
        pytest.raises(InputError, match="is not a checkpoint"),
        mercer.checkpoint(tmp_path / "text"),
    ):
        pass
    with pytest.raises(InputError, match="folder"), mercer.checkpoint(tmp_path / "a" / "b"):
        pass
    with pytest.raises(ParameterError, match="every"), mercer.checkpoint(tmp_path / "c", every=-1):
        pass


@pytest.mark.parametrize("name", MODELS)
def test_passes_are_foreseen(name, monkeypatch):
    monkeypatch.setattr(progress, "_PATIENCE", -1.0)
    seen = []
    model, y = MODELS[name]
    with mercer.config_context(progress=lambda done, total: seen.append((done, total))):
        model.fit(X, y)
    whole = model.report_.passes
    of_passes = [(done, total) for done, total in seen if total >= done]
    assert of_passes
    total = [total for done, total in of_passes if done >= whole // 2][0]
    assert 0.5 * whole <= total <= 2.5 * whole
