"""Objectives against their definitions, and gradients against differences."""

from __future__ import annotations

import functools

import naive.mkl as naive
import numpy as np
import pytest
from scipy.optimize import minimize

from mercer import RBF, errors
from mercer.solvers.mkl import starts
from mercer.solvers.mkl.alignment import alignment, alignment_objective
from mercer.solvers.mkl.easy import easy, easy_objective, nearest_points
from mercer.solvers.mkl.evidence import evidence, evidence_objective
from mercer.solvers.mkl.grams import Recomputed, as_grams, pack
from mercer.solvers.mkl.loo import loo, loo_objective, solve_left_out
from mercer.solvers.mkl.simple import SimpleObjective, duality_gap, simple

N = 40
rng = np.random.default_rng(0)
X = rng.standard_normal((N, 4))
Ks = [RBF()(X[:, [c]]) for c in range(4)]
Y = np.column_stack([np.sin(2 * X[:, 0]), X[:, 1] ** 2]) + 0.2 * rng.standard_normal((N, 2))
Y -= Y.mean(axis=0)
SIGN = np.where(Y[:, 0] > 0, 1.0, -1.0)
WEIGHTS = np.array([2.0, 0.7, 0.1, 1.3])
FOLDS = np.array_split(rng.permutation(N), 5)
GRAMS = as_grams(Ks)
RECOMPUTED = Recomputed(Ks.__getitem__, N, np.ones(4))
GIVEN = as_grams(Ks, read_once=True)


def test_evidence_is_the_density_of_the_targets():
    expected = sum(naive.log_evidence(Ks, y, WEIGHTS) for y in Y.T)
    assert -evidence_objective(Ks, Y, WEIGHTS)[0] == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize("folds", [None, FOLDS], ids=["singly", "folds"])
def test_errors_are_those_of_refitting(folds):
    expected = naive.left_out(Ks, Y, WEIGHTS, folds)
    _, found = solve_left_out(GRAMS.combine(WEIGHTS), Y, folds)
    np.testing.assert_allclose(found, expected, atol=1e-10)
    value = loo_objective(Ks, Y, WEIGHTS, folds)[0]
    assert value == pytest.approx(np.mean(expected**2), rel=1e-10)


def test_alignment_is_its_definition():
    K = sum(w * K for w, K in zip(WEIGHTS, Ks, strict=True))
    expected = naive.centered_alignment(K, Y)
    assert alignment_objective(Ks, Y, WEIGHTS) == pytest.approx(expected, rel=1e-10)


OBJECTIVES = {
    "evidence": functools.partial(evidence_objective, GRAMS, Y),
    "loo": functools.partial(loo_objective, GRAMS, Y),
    "folds": functools.partial(loo_objective, GRAMS, Y, folds=FOLDS),
    "simple": SimpleObjective(GRAMS, (SIGN > 0).astype(int), np.ones(N)),
    "recomputed": functools.partial(evidence_objective, RECOMPUTED, Y),
}


@pytest.mark.parametrize("name", OBJECTIVES)
def test_gradients(name):
    objective, step = OBJECTIVES[name], 1e-5
    _, gradient = objective(WEIGHTS)
    for k in range(4):
        up, down = WEIGHTS.copy(), WEIGHTS.copy()
        up[k] += step
        down[k] -= step
        slope = (objective(up)[0] - objective(down)[0]) / (2 * step)
        assert gradient[k] == pytest.approx(slope, rel=1e-5, abs=1e-7)


@pytest.mark.parametrize("grams", [GRAMS, RECOMPUTED, GIVEN], ids=["stored", "again", "given"])
def test_forms_of_matrices_agree(grams):
    K = sum(w * K for w, K in zip(WEIGHTS, Ks, strict=True))
    np.testing.assert_allclose(grams.combine(WEIGHTS, whole=True), K, atol=1e-13)
    W = rng.standard_normal((N, N))
    W = W + W.T
    np.testing.assert_allclose(grams.inner(W), [np.sum(W * K) for K in Ks], atol=1e-10)
    expected = [[np.sum(A * B) for B in Ks] for A in Ks]
    np.testing.assert_allclose(grams.products(), expected, rtol=1e-12)
    v = np.where(rng.random(N) < 0.5, 0.0, rng.standard_normal(N))
    np.testing.assert_allclose(grams.quadratic(v), [v @ K @ v for K in Ks], atol=1e-12)
    np.testing.assert_allclose(grams.times(v), [K @ v for K in Ks], atol=1e-12)
    some = grams.some(np.array([2, 0]))
    np.testing.assert_array_equal(some.triangle(1), pack(Ks[0]))


METHODS = {
    "evidence": lambda Ks: evidence(Ks, Y),
    "evidence, alpha": lambda Ks: evidence(Ks, Y, alpha=0.1),
    "loo": lambda Ks: loo(Ks, Y),
    "folds": lambda Ks: loo(Ks, Y, folds=FOLDS),
    "alignment": lambda Ks: alignment(Ks, Y),
    "easy": lambda Ks: easy(Ks, SIGN[:, None]),
    "simple": lambda Ks: simple(Ks, (SIGN > 0).astype(int), np.ones(N)),
}


@pytest.mark.parametrize("name", METHODS)
def test_shares_neither_depend_on_units_nor_on_order(name):
    found = METHODS[name](Ks)
    assert found.shares.min() >= 0 and found.shares.sum() == pytest.approx(1.0)
    units, order = np.array([1e-3, 1.0, 7.0, 1e4]), np.array([2, 0, 3, 1])
    other = METHODS[name]([unit * K for unit, K in zip(units, Ks, strict=True)])
    np.testing.assert_allclose(other.shares, found.shares, atol=1e-3)
    np.testing.assert_allclose(other.weights * units, found.weights, atol=1e-3)
    moved = METHODS[name]([Ks[k] for k in order])
    np.testing.assert_allclose(moved.shares, found.shares[order], atol=1e-3)
    assert moved.value == pytest.approx(found.value, rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("name", ["evidence", "loo", "folds"])
def test_no_other_minimizer_is_lower(name):
    found = METHODS[name](Ks)
    objective = OBJECTIVES[name]

    def of_logarithms(u):
        value, gradient = objective(np.exp(u))
        return value, gradient * np.exp(u)

    bounds = [(-18.0, 18.0)] * 4
    for start in rng.uniform(-3, 3, (5, 4)):
        theirs = minimize(of_logarithms, start, jac=True, bounds=bounds, method="L-BFGS-B")
        assert found.value <= theirs.fun + 1e-4 * max(1.0, abs(theirs.fun))


def test_equal_weights_are_never_better_in_their_own_objective():
    equal = np.full(4, 0.25)
    for total in 10.0 ** np.arange(-3, 5):
        assert evidence(Ks, Y).value <= evidence_objective(Ks, Y, total * equal)[0]
        assert loo(Ks, Y).value <= loo_objective(Ks, Y, total * equal)[0]
    assert alignment(Ks, Y).value >= alignment_objective(Ks, Y, equal)
    machine = SimpleObjective(Ks, (SIGN > 0).astype(int), np.ones(N))
    found = simple(Ks, (SIGN > 0).astype(int), np.ones(N))
    value, slopes = machine(found.shares)
    assert found.value <= machine(equal)[0] + 1e-6
    assert duality_gap(found.shares, slopes) < 1e-2 * value


@pytest.mark.parametrize("name", ["evidence", "loo", "folds"])
def test_beginning_with_half_of_the_samples_is_no_worse(name, monkeypatch):
    at_once = METHODS[name](Ks)
    monkeypatch.setattr(starts, "_SEVERAL", 20)
    found = METHODS[name](Ks)
    assert found.value <= at_once.value + 1e-3 * max(1.0, abs(at_once.value))
    assert found.value <= OBJECTIVES[name](found.start)[0] + 1e-9


def test_alignment_is_largest():
    found = alignment(Ks, Y)
    for weights in rng.dirichlet(np.ones(4), 200):
        assert alignment_objective(Ks, Y, weights) <= found.value + 1e-12


def test_nearest_points_of_easy():
    """No points of the hulls are nearer, and weights are the distances that each matrix sees."""
    found = easy(Ks, SIGN[:, None], 0.2)
    K = 0.8 * sum(Ks) + 0.2 * np.eye(N)
    gamma, _, _ = nearest_points(K, SIGN)
    assert found.value == pytest.approx(easy_objective(Ks, SIGN, gamma, 0.2), rel=1e-9)
    distances = np.array([(SIGN * gamma) @ K @ (SIGN * gamma) for K in Ks])
    np.testing.assert_allclose(found.shares, distances / distances.sum(), atol=1e-9)
    for _ in range(100):
        other = np.empty(N)
        for side in (SIGN > 0, SIGN < 0):
            other[side] = rng.dirichlet(np.full(int(side.sum()), 0.3))
        for step in (1.0, 0.1, 0.01):
            mixed = (1 - step) * gamma + step * other
            assert easy_objective(Ks, SIGN, mixed, 0.2) >= found.value * (1 - 1e-6)


def test_a_matrix_without_effect_is_dropped():
    found = evidence(Ks, np.ascontiguousarray(Y[:, :1]))
    assert found.shares[0] > 0.9 and (found.shares == 0).sum() >= 1


def test_a_callback_stops_the_descent():
    heard = []

    def callback(steps, value):
        heard.append(value)
        return len(heard) >= 3

    assert not evidence(Ks, Y, start=WEIGHTS, callback=callback).converged
    assert len(heard) == 3


def test_bad_matrices():
    with pytest.raises(errors.ShapeError, match="same 40 samples"):
        as_grams([Ks[0], Ks[1][:5, :5]])
    with pytest.raises(errors.ParameterError, match="at least one"):
        as_grams([])
    with pytest.raises(errors.ParameterError, match="mean is not positive"):
        as_grams([np.zeros((3, 3))])


def test_matrices_as_given_are_summed_whatever_their_number():
    for count in (1, 3, 5):
        matrices = [(k + 1.0) * Ks[k % len(Ks)] for k in range(count)]
        grams, weights = as_grams(matrices, read_once=True), np.arange(1.0, count + 1.0)
        expected = sum(w * K / K.diagonal().mean() for w, K in zip(weights, matrices, strict=True))
        np.testing.assert_allclose(grams.combine(weights, whole=True), expected, atol=1e-12)
