"""Newton's method for log-losses against a minimizer that knows nothing of kernels, by every way to
take a step.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import linalg, optimize
from scipy.special import logsumexp

from mercer import RBF
from mercer.gram.plan import FLOAT64, Plan
from mercer.gram.stored import Stored
from mercer.linalg.cholesky import pivoted_cholesky
from mercer.solvers.newton import Binary, Multinomial, newton


def as_matrix(K: np.ndarray, stored: bool = True) -> Stored:
    """A matrix that solvers may factor, or may only multiply."""
    return Stored(K, Plan("stored" if stored else "streamed", FLOAT64, K.nbytes, "of a test"))


def problem(classes: int, n: int = 40, seed: int = 0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 2))
    label = rng.integers(0, classes, n)
    label[:classes] = np.arange(classes)
    weight = rng.uniform(0.2, 3.0, n)
    loss = Binary(label, weight) if classes == 2 else Multinomial(label, weight, classes)
    return RBF()(X), label, weight, loss


def log_loss(label: np.ndarray, weight: np.ndarray, F: np.ndarray) -> float:
    """The definition, whatever the number of outputs."""
    scores = np.column_stack([np.zeros(len(F)), F]) if F.shape[1] == 1 else F
    return float(weight @ (logsumexp(scores, axis=1) - scores[np.arange(len(label)), label]))


def minimum(
    K: np.ndarray, label: np.ndarray, weight: np.ndarray, outputs: int, intercept: bool
) -> float:
    """The objective at its minimum, by BFGS over explicit features."""
    values, vectors = linalg.eigh(K)
    features = vectors * np.sqrt(np.maximum(values, 0.0))
    n, d = features.shape

    def value(v: np.ndarray) -> tuple[float, np.ndarray]:
        W, b = v[: d * outputs].reshape(d, outputs), v[d * outputs :]
        F = features @ W + (b if intercept else 0.0)
        scores = np.column_stack([np.zeros(n), F]) if outputs == 1 else F
        p = np.exp(scores - logsumexp(scores, axis=1, keepdims=True))
        p[np.arange(n), label] -= 1.0
        slope = (weight[:, None] * p)[:, -outputs:]
        return log_loss(label, weight, F) + 0.5 * (W**2).sum(), np.append(
            features.T @ slope + W, slope.sum(axis=0) * intercept
        )

    found = optimize.minimize(
        value,
        np.zeros(d * outputs + outputs),
        jac=True,
        method="L-BFGS-B",
        options={"ftol": 1e-15, "gtol": 1e-9},
    )
    return float(found.fun)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("classes", [2, 3, 5])
@pytest.mark.parametrize("way", ["stored", "products", "preconditioned"])
def test_the_minimum_of_the_objective(way, classes, intercept):
    K, label, weight, loss = problem(classes)
    low = pivoted_cholesky(as_matrix(K), 10) if way == "preconditioned" else None
    found = newton(as_matrix(K, way == "stored"), loss, intercept=intercept, low=low, tol=1e-8)
    assert found.converged and found.residual <= 1e-8 and found.reason == "converged"
    F = K @ found.dual + found.bias
    objective = log_loss(label, weight, F) + 0.5 * float((found.dual * (K @ found.dual)).sum())
    assert found.objective == pytest.approx(objective, rel=1e-12)
    assert objective == pytest.approx(minimum(K, label, weight, loss.outputs, intercept), rel=1e-9)
    np.testing.assert_allclose(found.dual.sum(axis=0) if intercept else found.bias, 0.0, atol=1e-8)


@pytest.mark.parametrize("way", ["stored", "products"])
@pytest.mark.parametrize("classes", [2, 3, 5])
def test_a_small_tolerance_is_reached_in_few_steps(classes, way):
    K, _, _, loss = problem(classes)
    found = newton(as_matrix(K, way == "stored"), loss, tol=1e-11)
    assert found.converged and found.iterations < 20, found.residual


@pytest.mark.parametrize("classes", [2, 4])
def test_gradient_and_curvature_are_derivatives(classes):
    _, label, weight, loss = problem(classes, n=7)
    F = np.random.default_rng(3).normal(scale=2.0, size=(7, loss.outputs))
    assert loss.value(F) == pytest.approx(log_loss(label, weight, F), rel=1e-13)

    def downhill(G):
        return loss.look(G).copy()

    gradient = downhill(F)
    slope = optimize.approx_fprime(F.ravel(), lambda v: loss.value(v.reshape(F.shape)), 1e-6)
    np.testing.assert_allclose(gradient.ravel(), -slope, atol=1e-5)
    for a in range(loss.outputs):
        shift = np.zeros_like(F)
        shift[:, a] = 1e-5
        change = (downhill(F - shift) - downhill(F + shift)) / 2e-5
        loss.look(F)
        for b in range(loss.outputs):
            np.testing.assert_allclose(loss.curvature(a, b), change[:, b], atol=1e-8)


@pytest.mark.parametrize("classes", [2, 4])
def test_the_root_is_a_root_of_the_curvature(classes):
    *_, loss = problem(classes, n=6)
    rng = np.random.default_rng(1)
    gradient = loss.look(rng.standard_normal((6, loss.outputs)))
    U, V = rng.standard_normal((2, 6, loss.outputs))
    assert (loss.forward(U) * V).sum() == pytest.approx((U * loss.backward(V)).sum())
    H = np.stack(
        [
            np.stack([loss.curvature(a, b) for b in range(loss.outputs)], axis=1)
            for a in range(loss.outputs)
        ],
        axis=1,
    )
    np.testing.assert_allclose(
        loss.forward(loss.backward(V)), np.einsum("nab,nb->na", H, V), atol=1e-13
    )
    np.testing.assert_allclose(loss.forward(loss.pull), gradient, atol=1e-13)


@pytest.mark.parametrize("classes", [2, 3])
def test_far_scores_stay_finite(classes):
    *_, loss = problem(classes, n=6)
    for size in (50.0, 800.0, 1e5):
        F = size * np.random.default_rng(0).choice([-1.0, 1.0], (6, loss.outputs))
        assert (
            np.isfinite(loss.value(F))
            and np.isfinite(loss.look(F)).all()
            and np.isfinite(loss.pull).all()
        )
        assert np.isfinite(loss.forward(loss.pull)).all()


@pytest.mark.parametrize("way", ["stored", "products"])
@pytest.mark.parametrize("classes", [2, 3])
def test_a_solution_needs_no_further_step(classes, way):
    K, _, _, loss = problem(classes)
    stored = K if way == "stored" else None
    first = newton(as_matrix(K, stored is not None), loss, tol=1e-8)
    again = newton(as_matrix(K, stored is not None), loss, tol=1e-8, start=(first.dual, first.bias))
    assert first.iterations > 0 and again.iterations == 0 and again.converged
    np.testing.assert_allclose(again.dual, first.dual, atol=1e-14)


@pytest.mark.parametrize("classes", [2, 3])
def test_a_bad_start_only_costs_steps(classes):
    K, _, _, loss = problem(classes)
    n = len(K)
    rng = np.random.default_rng(0)
    A = 100.0 * rng.standard_normal((n, loss.outputs))
    start = A - A.mean(axis=0), 500.0 * np.arange(1.0, loss.outputs + 1)
    good, bad = (newton(as_matrix(K, True), loss, tol=1e-9, start=s) for s in (None, start))
    assert bad.converged, bad.reason
    np.testing.assert_allclose(
        K @ bad.dual + bad.bias,
        K @ good.dual + good.bias + (bad.bias - good.bias).mean(),
        atol=1e-6,
    )


@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize("classes", [2, 3])
def test_a_start_made_with_or_without_bias_serves_the_other_problem(classes, before):
    K, _, _, loss = problem(classes)
    first = newton(as_matrix(K, True), loss, intercept=before, tol=1e-9)
    warm = newton(
        as_matrix(K, True), loss, intercept=not before, tol=1e-9, start=(first.dual, first.bias)
    )
    cold = newton(as_matrix(K, True), loss, intercept=not before, tol=1e-9)
    assert warm.converged
    assert warm.objective == pytest.approx(cold.objective, rel=1e-9)
    np.testing.assert_allclose(K @ warm.dual + warm.bias, K @ cold.dual + cold.bias, atol=1e-6)


@pytest.mark.parametrize("way", ["stored", "products"])
@pytest.mark.parametrize("classes", [2, 3])
def test_strong_weights_on_separable_samples(classes, way):
    rng = np.random.default_rng(0)
    label = np.arange(30) % classes
    X = 10.0 * label[:, None] + rng.standard_normal((30, 1))
    K, weight = RBF(length_scale=3.0)(X), np.full(30, 1e8)
    loss = Binary(label, weight) if classes == 2 else Multinomial(label, weight, classes)
    found = newton(as_matrix(K, way == "stored"), loss, tol=1e-9)
    assert found.converged, found.reason
    F = K @ found.dual + found.bias
    assert ((F[:, 0] > 0) == label).all() if classes == 2 else (F.argmax(axis=1) == label).all()


def test_a_weight_of_zero_is_absence():
    K, label, weight, _ = problem(3)
    weight[5:10] = 0.0
    kept = weight > 0
    whole = newton(as_matrix(K, True), Multinomial(label, weight, 3), tol=1e-8)
    part = K[np.ix_(kept, kept)]
    less = newton(as_matrix(part, True), Multinomial(label[kept], weight[kept], 3), tol=1e-8)
    np.testing.assert_allclose(whole.dual[~kept], 0.0, atol=1e-12)
    np.testing.assert_allclose(whole.dual[kept], less.dual, atol=1e-6)


def test_steps_can_be_limited_counted_and_stopped():
    K, _, _, loss = problem(3)
    few = newton(as_matrix(K, False), loss, tol=1e-12, max_iter=2)
    assert (few.iterations, few.converged, few.reason) == (
        2,
        False,
        "max_iter reached",
    ) and few.products > 0
    told: list[tuple[int, float]] = []

    def stop(steps: int, objective: float) -> bool:
        told.append((steps, objective))
        return steps == 3

    stopped = newton(as_matrix(K, False), loss, tol=1e-12, callback=stop)
    assert stopped.iterations == 3 and not stopped.converged and "callback" in stopped.reason
    assert [s for s, _ in told] == [0, 1, 2, 3]
    assert all(b < a for (_, a), (_, b) in itertools.pairwise(told))


def test_singular_matrices_are_legal():
    for K in (np.zeros((6, 6)), np.ones((6, 6))):
        label = np.array([0, 0, 1, 1, 1, 1])
        for stored in (K, None):
            found = newton(as_matrix(K, stored is not None), Binary(label, np.ones(6)), tol=1e-10)
            assert found.converged
            np.testing.assert_allclose(
                K @ found.dual + found.bias, np.log(2.0), atol=1e-8
            )  # the share of ones is 4/6


def test_a_matrix_that_is_no_kernel_is_refused():
    with pytest.raises(np.linalg.LinAlgError, match="not a kernel matrix"):
        newton(as_matrix(-20 * np.eye(4)), Binary(np.array([0, 1, 0, 1]), np.ones(4)))
