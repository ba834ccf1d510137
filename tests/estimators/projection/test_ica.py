"""Independent components: what is mixed is found again, and what cannot be is said."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.decomposition import FastICA
from sklearn.utils.estimator_checks import parametrize_with_checks

from mercer import KernelICA, config_context, errors


@parametrize_with_checks([KernelICA(1)])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def amari(A):
    """Of Bach and Jordan, between 0 and 100 for two sources: 0 for a permutation with scales."""
    A = np.abs(A)
    return (
        100
        * ((A.sum(axis=1) / A.max(axis=1) - 1).sum() + (A.sum(axis=0) / A.max(axis=0) - 1).sum())
        / (2 * len(A))
    )


def sources(n=600, seed=0):
    rng = np.random.default_rng(seed)
    made = np.vstack(
        [
            rng.uniform(size=n),
            rng.laplace(size=n),
            rng.exponential(size=n),
            np.sign(rng.standard_normal(n)) + 0.3 * rng.standard_normal(n),
        ]
    )
    return (made - made.mean(axis=1, keepdims=True)) / made.std(axis=1, keepdims=True)


def test_four_sources_are_found():
    S = sources()
    V = np.random.default_rng(1).standard_normal((4, 4))
    model = KernelICA(random_state=0).fit((V @ S).T)
    assert amari(model.components_ @ V) / 3 < 5
    assert model.contrast_ < 0.1


def test_it_sees_what_fast_ica_does_not():
    """Two skewed, two-humped sources, to which the logcosh contrast is blind at the truth."""
    errors = []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        humps = np.where(
            rng.random((2, 1000)) < 0.75,
            rng.normal(-0.5, 0.15, (2, 1000)),
            rng.normal(0.5, 0.15, (2, 1000)),
        )
        S = (humps - humps.mean(axis=1, keepdims=True)) / humps.std(axis=1, keepdims=True)
        V = np.array([[1.0, 0.6], [-0.4, 1.0]])
        X = (V @ S).T
        fast = FastICA(whiten="unit-variance", max_iter=1000, random_state=0).fit(X).components_
        errors.append((amari(KernelICA(random_state=0).fit(X).components_ @ V), amari(fast @ V)))
    ours, theirs = np.mean(errors, axis=0)
    assert ours < 4.0
    assert theirs > 4.0


def test_sources_have_unit_variance_and_go_back():
    X = (np.random.default_rng(0).standard_normal((4, 4)) @ sources()).T + 5.0
    model = KernelICA(random_state=0).fit(X)
    S = model.transform(X)
    np.testing.assert_allclose(np.cov(S.T, bias=True), np.eye(4), atol=1e-10)
    np.testing.assert_allclose(model.inverse_transform(S), X, atol=1e-8)
    np.testing.assert_allclose(model.mixing_ @ model.components_, np.eye(4), atol=1e-8)


def test_fewer_sources_than_columns():
    S = sources()[:2]
    X = (np.random.default_rng(0).standard_normal((5, 2)) @ S).T
    model = KernelICA(2, random_state=0).fit(X)
    assert (
        model.transform(X).shape == (600, 2)
        and amari(np.corrcoef(model.transform(X).T, S)[:2, 2:]) < 10
    )
    with pytest.warns(UserWarning, match="rank of the samples: 2 sources"):
        KernelICA(random_state=0).fit(X)


def test_it_reproduces_whatever_the_threads():
    X = (np.random.default_rng(0).standard_normal((4, 4)) @ sources(300)).T
    found = []
    for threads in (1, 2, 8):
        with config_context(threads=threads):
            found.append(KernelICA(random_state=0, n_init=2).fit(X).components_)
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])
    model = KernelICA(random_state=0).fit(X)
    np.testing.assert_array_equal(
        pickle.loads(pickle.dumps(model)).transform(X), model.transform(X)
    )


def test_a_report_prints():
    report = str(KernelICA(random_state=0).fit(sources(200).T).report_)
    assert "kernel generalized variance" in report and "sources 4" in report


def test_bad_input_is_named():
    X = sources(100).T
    with pytest.raises(ValueError, match="constant"):
        KernelICA().fit(np.ones((20, 3)))
    with pytest.raises(ValueError, match="NaN"):
        KernelICA().fit(np.where(X[3, 1] == X, np.nan, X))
    with pytest.raises(ValueError, match="length_scale"):
        KernelICA(length_scale=0.0).fit(X)
    model = KernelICA(random_state=0).fit(X)
    with pytest.raises(ValueError, match="4 columns, one for each source"):
        model.inverse_transform(X[:, :2])
    with pytest.warns(UserWarning, match="no convergence|rank"):
        KernelICA(max_iter=1, tol=0.0, random_state=0).fit(X)


def test_factors_beyond_the_budget_are_refused(rng):
    S = rng.uniform(size=(20_000, 4))
    refused = pytest.raises(errors.MemoryBudgetError, match="lower max_rank")
    with config_context(memory_budget="8 MB"), refused:
        KernelICA(random_state=0).fit(S)
