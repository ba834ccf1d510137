"""Many small margin problems in one call, against the general solver one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mercer
from mercer import RBF, SVC, _compiled
from mercer._compiled.margin.class_blocks import COLUMNS
from mercer.domains.base import Batch
from mercer.solvers.margin import one_vs_one as pairs
from mercer.solvers.margin.class_gaussians import ClassGaussians
from mercer.solvers.margin.dual import Bounds, DualProblem
from mercer.solvers.margin.problem import TINY
from mercer.solvers.margin.smo import solve_dual


def solve_pairs(K, places, sign, bounds, tol, classes=None):
    """The solutions of problems whose rows are given apart."""
    starts = np.concatenate([[0], np.cumsum([len(at) for at in places])])
    found = pairs.solve_pairs(K, np.concatenate(places), starts, sign, bounds, tol, classes)
    return [found.of(number) for number in range(len(places))]


def problems(seed, classes=5, size=12, C=1.0):
    rng = np.random.default_rng(seed)
    label = np.repeat(np.arange(classes), rng.integers(1, size + 1, classes))
    X = rng.standard_normal((len(label), 2)) + 0.7 * label[:, None]
    X[rng.integers(0, len(X), 3)] = X[0]  # equal rows
    K = RBF(length_scale=float(rng.uniform(0.3, 2)))(X)
    members = [rng.permutation(np.flatnonzero(label == c)) for c in range(classes)]
    places = [
        np.concatenate([members[a], members[b]])
        for a in range(classes)
        for b in range(a + 1, classes)
    ]
    sign = np.concatenate([np.where(label[at] == label[at[0]], 1.0, -1.0) for at in places])
    limit = C * rng.uniform(0.5, 2.0, len(sign))
    bounds = Bounds(np.where(sign < 0, -limit, 0.0), np.where(sign > 0, limit, 0.0))
    return K, places, sign, bounds


@settings(max_examples=30)
@given(
    st.integers(0, 10_000), st.sampled_from([0.1, 1.0, 100.0]), st.sampled_from([1e-2, 1e-3, 1e-6])
)
def test_each_is_the_solution_of_the_general_solver(seed, C, tol):
    K, places, sign, bounds = problems(seed, C=C)
    start = 0
    for at, found in zip(places, solve_pairs(K, places, sign, bounds, tol), strict=True):
        part = slice(start, start + len(at))
        start += len(at)
        if not found.converged:
            continue
        limits = Bounds(bounds.lower[None, part], bounds.upper[None, part])
        problem = DualProblem(sign[None, part], limits, np.zeros((1, len(at))), tol=tol)
        exact = solve_dual(K[np.ix_(at, at)], problem)
        assert found.converged and found.gap <= tol
        assert abs(found.beta.sum()) <= 1e-10 * C
        assert (found.beta >= bounds.lower[part]).all() and (found.beta <= bounds.upper[part]).all()
        np.testing.assert_allclose(
            found.slack[0], sign[part] - K[np.ix_(at, at)] @ found.beta[0], atol=1e-11 * C
        )
        # both are within their gap of the optimum
        room = (bounds.upper[part] - bounds.lower[part]).sum() * (
            found.gap + exact.gap
        ) + 1e-9 * max(1.0, abs(exact.objective))
        assert abs(found.objective - exact.objective) <= room
        if (
            max(found.gap, exact.gap) < 1e-9
        ):  # both polished: then the multipliers are the same, where free variables set them
            free = (found.beta[0] > bounds.lower[part]) & (found.beta[0] < bounds.upper[part])
            if free.any():
                np.testing.assert_allclose(found.levels, exact.levels, atol=1e-7)


def test_few_are_left_to_the_general_solver():
    left = total = 0
    for seed in range(20):
        found = solve_pairs(*problems(seed), 1e-3)
        left, total = left + sum(not one.converged for one in found), total + len(found)
    assert left < 0.1 * total


def test_what_needs_more_steps_is_left(monkeypatch):
    monkeypatch.setattr(pairs, "_STEPS", 1)
    K, places, sign, bounds = problems(0, size=30)
    assert any(one.reason == pairs.LEFT for one in solve_pairs(K, places, sign, bounds, 1e-9))


@pytest.mark.parametrize("steps", [1, 100_000])
def test_classes_are_the_same_whoever_solves_them(monkeypatch, steps):
    """All problems in one call, all one by one, and on any number of threads."""
    rng = np.random.default_rng(0)
    label = rng.integers(0, 20, 400)
    X = rng.standard_normal((400, 3)) + label[:, None] % 5
    monkeypatch.setattr(pairs, "_STEPS", steps)
    model = SVC(kernel=RBF(), C=10.0, tol=1e-10).fit(X, label)
    single = SVC(kernel=RBF(), C=10.0, tol=1e-10, max_iter=10**6).fit(
        X, label
    )  # a limit leads to the general solver
    np.testing.assert_array_equal(model.support_, single.support_)
    np.testing.assert_allclose(model.dual_coef_, single.dual_coef_, atol=1e-7)
    np.testing.assert_allclose(model.intercept_, single.intercept_, atol=1e-7)
    with mercer.config_context(threads=1):
        again = SVC(kernel=RBF(), C=10.0, tol=1e-10).fit(X, label)
    assert np.array_equal(again.dual_coef_, model.dual_coef_)
    given = SVC(kernel="precomputed", C=10.0, tol=1e-10).fit(RBF()(X), label)
    np.testing.assert_allclose(given.dual_coef_, model.dual_coef_, atol=1e-7)


@pytest.mark.parametrize("most", [-1, 10**6])
@pytest.mark.parametrize("seed", [3751, 4677])
def test_what_is_called_converged_is_within_the_tolerance(seed, most):
    """A polish that stops half-way must not leave things worse than it found them."""
    rng = np.random.default_rng(seed)
    classes = int(rng.integers(2, 8))
    n, d = int(rng.integers(classes, 90)), int(rng.integers(1, 5))
    y = np.concatenate([np.arange(classes), rng.integers(0, classes, n - classes)])
    X = rng.standard_normal((n, d)) * rng.choice([0.1, 1, 10]) + rng.choice([0, 1.0]) * y[:, None]
    X = np.round(X) if rng.random() < 0.3 else X
    C, scale = float(10 ** rng.uniform(-3, 2)), float(10 ** rng.uniform(-1, 1))
    report = SVC(kernel=RBF(length_scale=scale), C=C, max_iter=most).fit(X, y).report_
    assert report.converged and report.gap <= 1e-3


@pytest.mark.parametrize("C", [0.1, 1.0, 100.0])
def test_gaussians_on_demand_are_those_of_the_matrix(C):
    rng = np.random.default_rng(1)
    label = np.repeat(np.arange(4), [1, 7, 30, 90])  # more samples than a chunk holds
    X = rng.standard_normal((len(label), 6)) + 1e3  # far from the origin
    X[5] = X[6]
    kernel = RBF(length_scale=2.0)
    K, z = kernel(X), kernel.gaussian_rows(kernel.prepare(Batch(X)))
    order = np.array([(b, a) for a in range(4) for b in range(a)])
    places = [np.flatnonzero((label == a) | (label == b)) for b, a in order]
    classes = ClassGaussians(z, [np.flatnonzero(label == c) for c in range(4)], order)
    sign = np.concatenate([np.where(label[at] == label[at[0]], 1.0, -1.0) for at in places])
    bounds = Bounds(np.minimum(C * sign, 0.0), np.maximum(C * sign, 0.0))
    given = solve_pairs(K, places, sign, bounds, 1e-3)
    made = solve_pairs(np.empty((0, 0)), places, sign, bounds, 1e-3, classes)
    for one, other, at in zip(given, made, places, strict=True):
        assert one.converged and other.converged and other.gap <= 1e-9
        np.testing.assert_allclose(other.beta, one.beta, atol=1e-7 * C)
        target = np.where(label[at] == label[at[0]], 1.0, -1.0)
        fresh = target - K[np.ix_(at, at)] @ other.beta[0]
        np.testing.assert_allclose(other.slack[0], fresh, atol=1e-10 * max(1.0, C))


def test_keys_have_room_for_the_places_of_all_variables():
    code = _compiled.one_vs_one
    assert TINY + COLUMNS + code.LANES <= code.LONGEST
