"""Shares of additive terms: they add up, and agree with what the terms are."""

from __future__ import annotations

import numpy as np
import pytest

from mercer import (
    RBF,
    SVC,
    SVR,
    GaussianProcessRegressor,
    KernelPCA,
    KernelRidge,
    KernelSearch,
    Linear,
    term_shares,
)

X = np.random.default_rng(0).normal(size=(50, 2))
Y = 3 * X[:, 0] + np.sin(2 * X[:, 1])
KERNEL = 0.5 * Linear().on(0) + RBF().on(1)
MODELS = [
    KernelRidge(kernel=KERNEL, alpha=0.1).fit(X, Y),
    GaussianProcessRegressor(KERNEL, alpha=0.1, optimizer=None).fit(X, Y),
    SVR(kernel=KERNEL, C=10.0).fit(X, Y),
    SVC(kernel=KERNEL).fit(X, Y > 0),
    KernelSearch([RBF(), Linear().center()], depth=1).fit(X, Y),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_shares_add_up(model):
    shares = term_shares(model)
    np.testing.assert_allclose(shares.norm.sum(), 1.0)
    np.testing.assert_allclose(shares.covariance.sum(), 1.0)
    assert (shares.variance_error > 0).all()
    line = 0 if "Linear" in repr(shares.terms[0]) else 1
    assert shares.variance[line] > 0.5
    assert set(shares.to_dict()) >= {"terms", "norm", "variance", "correlation"}


def test_the_functions_are_those_of_the_terms():
    model = MODELS[0]
    first = KERNEL.terms[0](X) @ model.dual_coef_
    second = KERNEL.terms[1](X) @ model.dual_coef_
    np.testing.assert_allclose(first + second, model.predict(X))
    shares = term_shares(model)
    np.testing.assert_allclose(shares.variance[0], first.var() / (first + second).var())
    norms = [model.dual_coef_ @ first, model.dual_coef_ @ second]
    np.testing.assert_allclose(shares.norm, norms / np.sum(norms))


def test_the_table_names_terms_and_their_correlations():
    model = KernelRidge(kernel=Linear().on(0) + RBF(3.0).on(0), alpha=0.1).fit(X, Y)
    text = str(term_shares(model))
    assert text.splitlines()[1].split()[-1] == "Linear().on(0)"
    assert "f1 and f2 have the correlation" in text
    assert not term_shares(model).orthogonal


def test_other_samples_and_seeds():
    model = MODELS[0]
    one, other = (term_shares(model, X[:30], n_bootstrap=20, random_state=1) for _ in range(2))
    assert one.to_dict() == other.to_dict()


def test_errors():
    with pytest.raises(ValueError, match="has no kernel that is a sum of terms"):
        term_shares(KernelRidge(kernel="precomputed").fit(KERNEL(X), Y))
    with pytest.raises(TypeError, match="is not a sum of kernels of training samples"):
        term_shares(KernelPCA(kernel=KERNEL).fit(X))
    with pytest.raises(ValueError, match="n_bootstrap"):
        term_shares(MODELS[0], n_bootstrap=1)
