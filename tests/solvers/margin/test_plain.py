"""Margin problems without compiled code: the solutions of the compiled loop, to rounding."""

from __future__ import annotations

import types

import numpy as np
import pytest

from mercer import SVC
from mercer.solvers.margin import one_vs_one
from mercer.solvers.margin.plain import Patience


def plainly(monkeypatch, X, y, **options):
    with monkeypatch.context() as patch:
        patch.setattr(one_vs_one.Patience, "allows", lambda *args: True)
        patch.setattr(Patience, "spent", 0.0)
        patch.setattr(Patience, "limit", 1e9)
        model = SVC(**options).fit(X, y)
        assert Patience.spent > 0.0
    return model


@pytest.mark.parametrize(("classes", "C"), [(2, 1.0), (2, 300.0), (3, 5.0)])
@pytest.mark.parametrize("tol", [1e-3, 1e-2])
def test_solutions_are_the_same(monkeypatch, classes, C, tol):
    rng = np.random.default_rng(classes)
    X = rng.normal(size=(80, 3))
    noisy = X[:, 0] + 0.3 * rng.normal(size=80)
    y = np.digitize(noisy, np.linspace(-0.5, 0.5, classes - 1) if classes > 2 else [0.0])
    plain, loop = plainly(monkeypatch, X, y, C=C, tol=tol), SVC(C=C, tol=tol).fit(X, y)
    np.testing.assert_array_equal(plain.support_, loop.support_)
    limit = 1e-9 if tol < 5e-3 else 2 * tol
    np.testing.assert_allclose(
        plain.decision_function(X), loop.decision_function(X), rtol=0, atol=limit
    )
    assert plain.report_.converged and loop.report_.converged


def test_weights_and_equal_rows(monkeypatch):
    X = np.repeat([[0.0], [1.0], [2.0], [3.0]], 5, axis=0)
    y, weight = np.arange(20) // 5 % 2, np.linspace(0.0, 2.0, 20)
    options = {"C": 10.0, "kernel": "rbf", "gamma": 1.0}
    with monkeypatch.context() as patch:
        patch.setattr(one_vs_one.Patience, "allows", lambda *args: True)
        patch.setattr(Patience, "limit", 1e9)
        plain = SVC(**options).fit(X, y, weight)
    loop = SVC(**options).fit(X, y, weight)
    np.testing.assert_allclose(plain.decision_function(X), loop.decision_function(X), atol=1e-6)


def test_when_to_do_without(monkeypatch):
    cache = types.SimpleNamespace(_cache_file=types.SimpleNamespace(_load_index=dict))
    cold = types.SimpleNamespace(signatures=[], _cache=cache)
    monkeypatch.setattr(Patience, "limit", 0.5)
    monkeypatch.setattr(Patience, "spent", 0.0)
    assert Patience.allows(cold, 200) and not Patience.allows(cold, 1000)
    assert not Patience.allows(types.SimpleNamespace(signatures=[1]), 200)
    assert Patience.spent == Patience.limit  # what is compiled need not be looked at again
    monkeypatch.setattr(Patience, "spent", 0.0)
    assert not Patience.allows(types.SimpleNamespace(signatures=[]), 200)  # of unknown caches
    cache._cache_file._load_index = lambda: {"signature": "file"}
    assert not Patience.allows(cold, 200)
    cache._cache_file._load_index = dict
    monkeypatch.setattr(Patience, "spent", 0.6)
    assert not Patience.allows(cold, 200)
