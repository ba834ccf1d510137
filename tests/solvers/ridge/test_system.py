"""The linear system of squared losses, beyond the memory of its matrix."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

import mercer
from mercer import RBF, KernelDiscriminant, KernelRidge, KernelRidgeClassifier, NegativeDistance
from mercer.domains.base import Batch
from mercer.gram import plan
from mercer.gram.streamed import Streamed, in_single_precision
from mercer.solvers.ridge.preconditioner import NystromInverse

rng = np.random.default_rng(0)
X = rng.standard_normal((1500, 3))
Y = np.sin(2 * X[:, 0]) + X[:, 1]


def test_the_preconditioner_obeys_the_memory_budget():
    exact = KernelRidge(0.5, kernel=RBF(), centers="all").fit(X, Y)
    with mercer.config_context(memory_budget="1 MB"):
        model = KernelRidge(0.5, kernel=RBF(), centers="all").fit(X, Y)
    assert "preconditioner of rank 20," in model.report_.solver  # 20 · 1500 · 8 bytes: a quarter
    np.testing.assert_allclose(model.dual_coef_, exact.dual_coef_, atol=1e-7)


@pytest.fixture
def beyond_memory(monkeypatch):
    """No matrix is stored, and those that are multiplied are so in single precision."""
    monkeypatch.setattr(plan, "_MANY_PAIRS", 0.0)
    with mercer.config_context(memory_budget="8 MB"):
        yield


def gaussian(length_scale):
    return np.exp(-0.5 * cdist(X, X, "sqeuclidean") / length_scale**2)


def single(kernel, samples):
    x = kernel.prepare(Batch(samples))
    found = Streamed(kernel, x, x, plan.plan_matrix(len(samples), plan.FACTOR))
    return in_single_precision(found)


@pytest.mark.parametrize("columns", [1, 5, 13])
def test_products_in_single_precision(columns):
    rows = np.random.default_rng(1).standard_normal((4500, 4))  # three panels
    V = np.random.default_rng(2).standard_normal((len(rows), columns))
    kernel = RBF(2.0)
    product = single(kernel, rows) @ V
    np.testing.assert_allclose(product, kernel(rows) @ V, atol=1e-4)
    with mercer.config_context(threads=1):
        np.testing.assert_array_equal(single(kernel, rows) @ V, product)


@pytest.mark.parametrize("centered", [False, True])
def test_the_preconditioner_inverts_the_nystrom_approximation(centered):
    kernel, n, penalty = RBF(2.0), 300, 0.7
    rows, weight = X[:n], rng.uniform(0.5, 2.0, n)
    found = NystromInverse(single(kernel, rows), 40, penalty, weight, centered)
    places = np.random.default_rng(0).choice(n, 40, replace=False)
    K = kernel(rows)
    near = K[:, places] @ np.linalg.solve(K[np.ix_(places, places)], K[places])
    missed = weight @ (K - near).diagonal() / n
    P = np.eye(n)
    if centered:
        P -= weight / weight.sum()
    D = np.diag(np.sqrt(weight))
    system = D @ P @ near @ P.T @ D + (penalty + missed) * np.eye(n)
    R = rng.standard_normal((n, 2))
    np.testing.assert_allclose(found @ R, np.linalg.solve(system, R), atol=2e-3)


@pytest.mark.parametrize("weighted", [False, True])
def test_ridge_in_single_precision(beyond_memory, weighted):
    weight = rng.uniform(0.2, 3.0, len(X)) if weighted else None
    target = np.column_stack([100.0 + Y, np.cos(X[:, 2])])  # a mean far from 0 costs no accuracy
    model = KernelRidge(0.5, kernel=RBF(), centers="all").fit(X, target, weight)
    assert model.report_.plan.startswith("float32 tiles recomputed in every product")
    assert "rounding" in model.report_.solver
    K, diagonal = gaussian(1.0), 0.5 / (np.ones(len(X)) if weight is None else weight)
    exact = K @ np.linalg.solve(K + np.diag(diagonal), target)
    error = np.sqrt(np.mean((model.predict(X) - exact) ** 2, axis=0))
    assert (error <= 1e-3 * target.std(axis=0)).all()


def test_double_precision_where_single_precision_is_not_enough(beyond_memory):
    model = KernelRidge(1e-4, kernel=RBF(3.0), centers="all").fit(X, Y)
    assert model.report_.plan.startswith("tiles recomputed")
    K = gaussian(3.0)
    exact = K @ np.linalg.solve(K + 1e-4 * np.eye(len(X)), Y)
    np.testing.assert_allclose(model.predict(X), exact, atol=1e-5)


@pytest.mark.parametrize("learner", [KernelRidgeClassifier, KernelDiscriminant])
def test_centered_systems_in_single_precision(beyond_memory, learner):
    labels = np.digitize(Y, [-0.5, 0.5])
    model = learner(alpha=0.5, kernel=RBF(), centers="all").fit(X, labels)
    assert model.report_.plan.startswith("float32 tiles")
    with mercer.config_context(memory_budget="1 GB"):
        exact = learner(alpha=0.5, kernel=RBF(), centers="all").fit(X, labels)
    assert exact.report_.plan.startswith("dense")
    assert np.mean(model.predict(X) != exact.predict(X)) <= 0.002


def test_conditionally_definite_kernels_have_double_precision(beyond_memory):
    labels = (Y > 0).astype(int)
    model = KernelRidgeClassifier(alpha=0.5, kernel=NegativeDistance(), centers="all").fit(
        X, labels
    )
    assert model.report_.plan.startswith("tiles recomputed")
