"""Precomputed matrices that are not positive: a warning with the smallest eigenvalue."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest
from contract.cases import every_estimator, make, numbers, target

import mercer
from mercer import RBF, SVC, SVR, KernelRidge, NegativeDistance, Sigmoid, errors
from mercer.definiteness import scale

SAID_OTHERWISE = ("KernelPCA", "KernelCCA")  # by their own results


@every_estimator("precomputed")
def test_every_estimator_says_it(name):
    if name in SAID_OTHERWISE or getattr(make(name), "needs", "any") == "any":
        pytest.skip("it needs no positive matrix, or its own results tell")
    K = Sigmoid()(numbers(60))
    y = target(name)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        make(name, "precomputed").fit(K, y)
    told = [str(w.message) for w in caught if w.category is errors.DefinitenessWarning]
    told = [text for text in told if "squared distances are negative" not in text]  # of clusters
    assert len(told) == 1 and re.search("smallest eigenvalue (after centering )?-", told[0]), told
    assert "repair" in told[0]


@every_estimator("precomputed")
def test_nothing_is_said_of_gram_matrices(name):
    if name == "KernelCCA" or getattr(make(name), "needs", "any") == "any":
        pytest.skip("it needs no positive matrix, or two")
    X, y = numbers(60), target(name)
    low_rank = X[:, :2] @ X[:, :2].T
    for K in (RBF()(X), low_rank, 1e-12 * RBF()(X), np.eye(60)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", errors.DefinitenessWarning)
            make(name, "precomputed").fit(K, y)


def test_repair_is_honored():
    X = numbers(60)
    y = (X[:, 0] > 0).astype(int)
    K = Sigmoid()(X)
    for how in ("clip", "flip", "shift"):
        with warnings.catch_warnings():
            warnings.simplefilter("error", errors.DefinitenessWarning)
            model = SVC(kernel="precomputed", repair=how, tol=1e-8).fit(K, y)
        fixed = mercer.repair(K, how=how)
        other = SVC(kernel="precomputed", tol=1e-8).fit(fixed.matrix, y)
        np.testing.assert_allclose(
            model.decision_function(K), other.decision_function(fixed.rows(K)), atol=1e-5
        )


def test_conditionally_positive_matrices():
    X = numbers(40)
    y = X[:, 0]
    with warnings.catch_warnings():
        warnings.simplefilter("error", errors.DefinitenessWarning)
        SVR(kernel="precomputed").fit(NegativeDistance()(X), y)
    with pytest.warns(errors.DefinitenessWarning, match="smallest eigenvalue (after centering )?-"):
        KernelRidge(kernel="precomputed").fit(NegativeDistance()(X), y)


def test_rows_of_weight_zero_do_not_count():
    X = numbers(40)
    K = RBF()(X)
    K[0, 0] = -5.0
    weight = np.ones(40)
    weight[0] = 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("error", errors.DefinitenessWarning)
        KernelRidge(kernel="precomputed").fit(K, X[:, 0], weight)


def test_of_a_large_matrix_a_part_is_looked_at(monkeypatch):
    monkeypatch.setattr(scale, "_MOST_TESTED", 30)
    K = Sigmoid()(numbers(200))
    assert scale.lowest_if_negative(K, np.arange(200), balanced=False) < 0
    assert scale.lowest_if_negative(RBF()(numbers(200)), np.arange(200), balanced=True) is None


@pytest.mark.parametrize(("model", "said"), [(SVC, "after centering -3'"), (KernelRidge, "e -3'")])
def test_the_eigenvalue_is_that_of_the_matrix(model, said, rng):
    Z = rng.standard_normal((30, 3))
    with pytest.warns(errors.DefinitenessWarning, match=said):
        model(kernel="precomputed").fit(Z @ Z.T - 3 * np.eye(30), np.arange(30) % 2)
