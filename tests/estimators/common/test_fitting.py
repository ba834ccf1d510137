"""A fit that does not end leaves the estimator as it was; callbacks hear of fits."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

from mercer import RBF, SVC, KernelRidge

callback = pytest.importorskip("sklearn.callback")


def data(n: int = 60):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 3))
    return X, (X[:, 0] > 0).astype(int)


@pytest.mark.parametrize("model", [SVC(kernel=RBF()), KernelRidge(kernel=RBF())], ids=repr)
def test_a_failed_fit_changes_nothing(model):
    X, y = data()
    model.fit(X, y)
    before = vars(model).copy()
    with pytest.raises(ValueError):
        model.fit(np.full((5, 2), np.nan), np.zeros(5))
    assert vars(model).keys() == before.keys()
    assert all(vars(model)[name] is value for name, value in before.items())
    fresh = clone(model)
    with pytest.raises(ValueError):
        fresh.fit(X, np.full(len(y), np.nan))
    assert vars(fresh).keys() == vars(clone(model)).keys()


class Listener:
    def __init__(self) -> None:
        self.heard: list[str] = []

    def setup(self, estimator, context):
        self.heard.append("setup")

    def on_fit_task_begin(self, estimator, context):
        self.heard.append(f"begin {context.task_name}")

    def on_fit_task_end(self, estimator, context, *, fitted_estimator=None):
        self.heard.append(f"end {context.task_name}")
        self.fitted = fitted_estimator

    def teardown(self, estimator, context):
        self.heard.append("teardown")


@pytest.mark.parametrize("model", [SVC(kernel=RBF()), KernelRidge(kernel=RBF())], ids=repr)
def test_callbacks_hear_of_a_fit(model):
    X, y = data()
    listener = Listener()
    fitted = clone(model).set_callbacks(listener).fit(X, y)
    assert listener.heard[:2] == ["setup", "begin fit"]
    assert listener.heard[-2:] == ["end fit", "teardown"]
    np.testing.assert_array_equal(listener.fitted.predict(X), fitted.predict(X))
    assert not hasattr(fitted, "_callback_fit_ctx")
