"""Objectives of learning and their gradients, against the definitions in high precision."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest

from mercer import RBF, KernelRidge
from mercer.domains.base import Batch
from mercer.estimators.gp.hyperparameters import KernelParameters
from mercer.estimators.learning.objectives import OBJECTIVES, loo_slope, profiled_slope
from mercer.estimators.learning.problem import NormalPrior, Problem

N = 5
RNG = np.random.default_rng(0)
X = RNG.standard_normal((N, 2))
WEIGHTS = {"none": 1.0, "weights": np.array([1.0, 2.0, 0.5, 3.0, 1.0])}


def targets(weight) -> np.ndarray:
    """Two columns of weighted mean 0."""
    Y = np.random.default_rng(1).standard_normal((N, 2))
    return Y - np.average(Y, axis=0, weights=np.broadcast_to(weight, (N,)))


def matrices(theta, weight):
    """K, the noise of every sample, and the weights, as mpmath's numbers."""
    factor, *scales, noise = (mp.exp(t) for t in theta)
    w = [mp.mpf(float(v)) for v in np.broadcast_to(weight, (N,))]

    def value(i, j):
        gaps = [(mp.mpf(X[i, f]) - mp.mpf(X[j, f])) / scales[f] for f in range(2)]
        return factor * mp.exp(-sum(gap * gap for gap in gaps) / 2)

    K = mp.matrix(N, N)
    for i in range(N):
        for j in range(N):
            K[i, j] = value(i, j)
    return K, noise, w


def noisy(K, noise, w):
    C = K.copy()
    for i in range(N):
        C[i, i] += noise / w[i]
    return C


def columns(weight):
    Y = targets(weight)
    return [mp.matrix([mp.mpf(v) for v in Y[:, c]]) for c in range(2)]


def evidence(theta, weight, profile=False):
    """The log-density of w copies of every target, by the definition where w is whole."""
    K, noise, w = matrices(theta, weight)
    C = noisy(K, noise, w)
    G, logdet, count = C**-1, mp.log(mp.det(C)), sum(w)
    total = mp.mpf(0)
    for y in columns(weight):
        square = (y.T * G * y)[0]
        scale = square / count if profile else mp.mpf(1)
        total += -square / (2 * scale) - logdet / 2 - N * mp.log(2 * mp.pi) / 2
        for v in w:  # copies of an observation beside the first
            total += -((v - 1) * mp.log(2 * mp.pi * noise) + mp.log(v)) / 2
        total -= count * mp.log(scale) / 2
    return total


def loo(theta, weight):
    K, noise, w = matrices(theta, weight)
    C = noisy(K, noise, w)
    loss = mp.mpf(0)
    for y in columns(weight):
        for i in range(N):
            others = [j for j in range(N) if j != i]
            inner = mp.matrix([[C[a, b] for b in others] for a in others])
            solved = mp.lu_solve(inner, mp.matrix([y[j] for j in others]))
            gap = y[i] - sum(K[i, j] * solved[at] for at, j in enumerate(others))
            loss += w[i] * gap**2
    count = 2 * sum(w)
    return -count * mp.log(loss / count) / 2


def alignment(theta, weight):
    """That of the matrices in which every sample is repeated; weights stand for copies."""
    K, _, w = matrices(theta, weight)
    total = sum(w)
    H = mp.matrix(N, N)
    for i in range(N):
        for j in range(N):
            H[i, j] = (1 if i == j else 0) - w[j] / total
    T = mp.matrix(N, N)
    for y in columns(weight):
        T += y * y.T
    Kc, Tc = H * K * H.T, H * T * H.T

    def inner(A, B):
        return sum(w[i] * w[j] * A[i, j] * B[i, j] for i in range(N) for j in range(N))

    return total * inner(Kc, Tc) / mp.sqrt(inner(Kc, Kc) * inner(Tc, Tc))


DEFINITIONS = {
    "evidence": evidence,
    "profiled": lambda theta, weight: evidence(theta, weight, profile=True),
    "loo": loo,
    "alignment": alignment,
}


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("by", DEFINITIONS)
def test_value_and_gradient_equal_the_definition(by, weights):
    weight = WEIGHTS[weights]
    kernel = 1.7 * RBF([0.8, 1.4])
    objective = {**OBJECTIVES, "profiled": profiled_slope}[by]
    problem = Problem(
        KernelParameters(kernel), Batch(X), targets(weight), weight, 0.3, (1e-6, 1e2), objective
    )
    found, gradient = problem.slope(problem.theta())
    theta = [mp.log(mp.mpf(v)) for v in (1.7, 0.8, 1.4, 0.3)]
    with mp.workdps(60):
        exact = DEFINITIONS[by](theta, weight)
        assert found.value == pytest.approx(float(exact), rel=1e-12)
        for at in range(4):
            step = mp.mpf(10) ** -20
            up, down = list(theta), list(theta)
            up[at] += step
            down[at] -= step
            change = DEFINITIONS[by](up, weight) - DEFINITIONS[by](down, weight)
            slope = float(change / (2 * step))
            assert gradient[at] == pytest.approx(slope, rel=1e-9, abs=1e-10)


def test_leave_one_out_equals_refitting(rng):
    X, Y = rng.standard_normal((30, 2)), rng.standard_normal((30, 3))
    kernel, noise = RBF(1.3), 0.2
    gaps = []
    for i in range(30):
        others = np.arange(30) != i
        model = KernelRidge(kernel=kernel, alpha=noise).fit(X[others], Y[others])
        gaps.append(Y[i] - model.predict(X[i : i + 1])[0])
    found = loo_slope(kernel(X), noise, Y, 1.0)
    assert found.score == pytest.approx(np.mean(np.square(gaps)), rel=1e-10)


@pytest.mark.parametrize("by", OBJECTIVES)
def test_a_weight_is_a_number_of_copies(by, rng):
    """A value may differ by a constant; its slope in the kernel does not."""
    X, Y = rng.standard_normal((12, 2)), rng.standard_normal((12, 1))
    counts = rng.integers(1, 4, 12)
    copies = np.repeat(np.arange(12), counts)
    Y = Y - np.average(Y, axis=0, weights=counts)
    kernel = RBF([0.8, 1.4])
    slopes = []
    for rows, weight in [(np.arange(12), counts.astype(float)), (copies, 1.0)]:
        if by == "loo" and np.ndim(weight) == 0:
            continue  # copies are left out together, not one by one
        problem = Problem(
            KernelParameters(kernel.copy()),
            Batch(X[rows]),
            Y[rows],
            weight,
            0.3,
            (1e-6, 1e2),
            OBJECTIVES[by],
        )
        slopes.append(problem.slope(problem.theta())[1])
    np.testing.assert_allclose(slopes[0], slopes[-1], rtol=1e-9, atol=1e-10)


def test_the_normal_prior_has_the_gradient_of_its_density():
    prior = NormalPrior(np.array([0.5, -1.0]), 0.7)
    theta = np.array([1.0, 0.3, 9.0])  # the noise, last, has no density
    value, gradient = prior.at(theta)
    assert value == pytest.approx(-0.5 * ((0.5 / 0.7) ** 2 + (1.3 / 0.7) ** 2))
    np.testing.assert_allclose(gradient, [-0.5 / 0.49, -1.3 / 0.49, 0.0])
