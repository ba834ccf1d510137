"""Support vector regression against scikit-learn, and the two forms against each other."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.svm as theirs
from sklearn.datasets import load_diabetes
from sklearn.preprocessing import scale

from mercer import SVR, NuSVR


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 1.0])
def test_svr(dual_objective, epsilon):
    X, y = load_diabetes(return_X_y=True)
    X, y = scale(X)[:150], scale(y)[:150]
    options = {"C": 10.0, "epsilon": epsilon, "gamma": 0.1, "tol": 1e-6}
    ours, other = SVR(**options).fit(X, y), theirs.SVR(**options).fit(X, y)
    np.testing.assert_allclose(ours.predict(X), other.predict(X), atol=1e-3)
    K = ours.kernel_(X)
    values = []
    for model in (ours, other):
        beta = np.zeros(len(y))
        beta[model.support_] = model.dual_coef_[0]
        values.append(dual_objective(K, beta, y, epsilon))
    assert values[0] <= values[1] + 1e-4 * abs(values[1])


def test_nu_svr():
    X, y = load_diabetes(return_X_y=True)
    X, y = scale(X)[:150], scale(y)[:150]
    ours, other = (
        NuSVR(nu=0.4, C=2.0, tol=1e-8).fit(X, y),
        theirs.NuSVR(nu=0.4, C=2.0, tol=1e-8).fit(X, y),
    )
    np.testing.assert_allclose(ours.predict(X), other.predict(X), atol=1e-3)
    # the ε it found makes an ε-machine with the same function
    same = SVR(C=2.0, epsilon=ours.epsilon_, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(same.predict(X), ours.predict(X), atol=1e-5)
