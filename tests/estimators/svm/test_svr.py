"""Support vector regression against scikit-learn, and the two forms against each other."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn.svm as theirs
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from sklearn.exceptions import DataConversionWarning
from sklearn.preprocessing import scale

import mercer
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


@pytest.mark.parametrize("machine", [SVR(tol=1e-6), NuSVR(tol=1e-6, kernel="linear")])
def test_several_outputs_are_single_ones(machine):
    X, y = load_diabetes(return_X_y=True)
    X, y = scale(X)[:120], scale(y)[:120]
    Y = np.column_stack([y, X[:, 2] ** 2, -y])
    weight = np.random.default_rng(0).integers(0, 3, 120).astype(float)
    model = clone(machine).fit(X, Y, sample_weight=weight)
    singles = [clone(machine).fit(X, column, sample_weight=weight) for column in Y.T]
    expected = np.column_stack([single.predict(X) for single in singles])
    np.testing.assert_allclose(model.predict(X), expected, atol=1e-9)
    n_support = len(model.support_)
    assert model.dual_coef_.shape == (3, n_support) and len(model.support_vectors_) == n_support
    assert model.intercept_.shape == model.n_iter_.shape == (3,)
    assert model.n_iter_.tolist() == [single.n_iter_ for single in singles]
    assert model.n_support_.tolist() == [len(single.support_) for single in singles]
    assert model.fit_status_ == 0 and "3 problem(s)" in str(model.report_)
    if machine.kernel == "linear":
        np.testing.assert_allclose(X @ model.coef_.T + model.intercept_, expected, atol=1e-8)
        np.testing.assert_allclose(model.epsilon_, [single.epsilon_ for single in singles])


@pytest.mark.parametrize("machine", [SVR(), NuSVR()])
def test_several_outputs_of_any_form(machine, tmp_path):
    X, y = load_diabetes(return_X_y=True)
    X, Y = scale(X)[:80], scale(np.column_stack([y, y**2]))[:80]
    model = clone(machine).fit(X, Y)
    expected = model.predict(X)
    assert model.__sklearn_tags__().target_tags.multi_output
    K = model.kernel_(X)
    given = clone(machine).set_params(kernel="precomputed").fit(K, Y)
    np.testing.assert_allclose(given.predict(K), expected, atol=1e-9)
    sparse = clone(machine).fit(sp.csr_matrix(X), Y)
    assert sp.issparse(sparse.dual_coef_) and sparse.dual_coef_.shape[0] == 2
    np.testing.assert_allclose(sparse.predict(sp.csr_matrix(X)), expected, atol=1e-6)
    mercer.save(model, tmp_path / "model.mercer")
    np.testing.assert_array_equal(mercer.load(tmp_path / "model.mercer").predict(X), expected)
    warm = clone(machine).set_params(warm_start=True).fit(X, Y)
    steps = warm.n_iter_.sum()
    assert warm.fit(X, Y).n_iter_.sum() < steps
    np.testing.assert_allclose(warm.predict(X), expected, atol=1e-2)
    frame = clone(machine).fit(X, pd.DataFrame(Y, columns=["a", "b"]))
    np.testing.assert_array_equal(frame.predict(X), expected)


def test_one_column_is_one_output():
    X, y = load_diabetes(return_X_y=True)
    X, y = scale(X)[:80], scale(y)[:80]
    with pytest.warns(DataConversionWarning):
        model = SVR().fit(X, y[:, None])
    np.testing.assert_array_equal(model.predict(X), SVR().fit(X, y).predict(X))
    assert isinstance(model.n_iter_, int)
