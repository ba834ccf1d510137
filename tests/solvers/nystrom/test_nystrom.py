"""Learning on centers against the explicit formula, for every loss."""

import numpy as np
import pytest
import scipy

import mercer
from mercer import RBF, Laplacian
from mercer.errors import DefinitenessError
from mercer.execution.engine import LocalEngine
from mercer.gram.blocks.arrays import ArrayRows
from mercer.gram.centers import Centers
from mercer.gram.fused import CenterMatrix
from mercer.solvers.nystrom import losses
from mercer.solvers.nystrom.descent import solve_loss
from mercer.solvers.nystrom.preconditioner import PathInverse, SampleHessian, Whitening
from mercer.solvers.nystrom.squared import solve_squared

rng = np.random.default_rng(0)
N, M = 700, 30
X = rng.standard_normal((N, 4))
Y = np.column_stack([np.sin(2 * X[:, 0]) + X[:, 1], X[:, 2] ** 2])
LABELS = np.digitize(Y[:, 0], [-0.5, 0.5])
WEIGHT = rng.random(N) + 0.5
KERNEL = RBF(length_scale=2.0)
K, INNER = KERNEL(X, X[:M]), KERNEL(X[:M])

LOSSES = {
    "squared": (losses.Squared(), Y, 2),
    "logistic": (losses.Logistic(), LABELS > 0, 1),
    "multinomial": (losses.Multinomial(), LABELS, 3),
    "squared hinge": (losses.SquaredHinge(), (LABELS > 0).astype(int), 1),
    "squared hinge of classes": (losses.SquaredHinge(), LABELS, 3),
    "huberized hinge": (losses.HuberizedHinge(0.5), (LABELS > 0).astype(int), 1),
    "huberized hinge of classes": (losses.HuberizedHinge(1.0), LABELS, 3),
    "squared tube": (losses.SquaredTube(0.1), Y, 2),
    "huberized tube": (losses.HuberizedTube(0.1, 0.3), Y, 2),
    "quantile": (losses.SmoothQuantile(0.8, 0.2), Y, 2),
    "Huber": (losses.Huber(0.3), Y, 2),
}


def matrix_of(y, single=False, kernel=KERNEL):
    rows = ArrayRows(X, y, WEIGHT, block_rows=150)
    return CenterMatrix(Centers(kernel, X[:M], single), rows, LocalEngine())


def hessian_of(matrix, intercept, curvature=1.0):
    whitening = Whitening(matrix.inner.dense(), matrix.centers.dtype)
    part = slice(0, 8 * M)
    weight = curvature * WEIGHT[part] * WEIGHT.sum() / WEIGHT[part].sum()
    return SampleHessian(whitening, [(matrix.centers.rows(X[part]), weight)], intercept)


def solve(name, single=False, intercept=True, tol=1e-11):
    loss, y, n_outputs = LOSSES[name]
    matrix = matrix_of(y, single)
    inverse = hessian_of(matrix, intercept, loss.curvature).inverse(0.5)
    options = {"n_outputs": n_outputs, "intercept": intercept, "tol": tol, "limit": 500}
    if name == "squared":
        return solve_squared(matrix, np.array([0.5]), inverse, **options)
    return solve_loss(matrix, loss, 0.5, inverse, **options)


def objective(name, V):
    """The loss of all rows and the penalty, from the dense matrices."""
    loss, y, n_outputs = LOSSES[name]
    V = V.reshape(M + 1, n_outputs)
    value, slopes = loss(K @ V[:M] + V[M], y, WEIGHT)
    pull = 0.5 * INNER @ V[:M]
    gradient = np.vstack([K.T @ slopes + pull, slopes.sum(axis=0)])
    return value + 0.5 * float(np.sum(V[:M] * pull)), gradient.ravel()


@pytest.mark.parametrize("name", LOSSES)
def test_derivatives_are_those_of_the_loss(name):
    loss, y, n_outputs = LOSSES[name]
    f = rng.standard_normal((N, n_outputs))
    direction = rng.standard_normal(f.shape)
    slopes = loss(f, y, WEIGHT)[1]
    change = loss(f + 1e-6 * direction, y, WEIGHT)[0] - loss(f - 1e-6 * direction, y, WEIGHT)[0]
    assert change / 2e-6 == pytest.approx(float(np.vdot(slopes, direction)), rel=1e-6)


@pytest.mark.parametrize("name", LOSSES)
def test_solution_is_that_of_the_explicit_problem(name):
    solution = solve(name)
    V = np.vstack([solution.weights, solution.bias])
    assert solution.converged
    value, _ = objective(name, V)
    best = scipy.optimize.minimize(
        lambda v: objective(name, v),
        V.ravel(),
        jac=True,
        method="BFGS" if V.size < 40 else "L-BFGS-B",
        options={"gtol": 1e-9, "maxiter": 500},
    )
    assert value == pytest.approx(solution.objective, rel=1e-12)
    assert value <= best.fun * (1 + 1e-12)
    f = K @ V[:M] + V[M]
    F = best.x.reshape(V.shape)
    assert np.abs(K @ F[:M] + F[M] - f).max() <= 1e-6 * np.abs(f).max()
    # f64: the gradient by values of f vanishes as far as rounding lets it
    gradient = objective(name, V)[1]
    assert np.abs(gradient).max() <= 1e-7 * np.abs(objective(name, 0 * V)[1]).max()


def test_squared_loss_is_the_explicit_formula():
    """u = (K_mn W K_nm + λ K_mm)⁻¹ K_mn W y, to eight digits."""
    solution = solve("squared", intercept=False)
    u = np.linalg.solve(K.T @ (WEIGHT[:, None] * K) + 0.5 * INNER, K.T @ (WEIGHT[:, None] * Y))
    assert np.abs(K @ (solution.weights - u)).max() <= 1e-8 * np.abs(K @ u).max()
    loss = 0.5 * np.sum(WEIGHT[:, None] * (Y - K @ u) ** 2)
    assert solution.objective == pytest.approx(loss + 0.25 * np.sum(u * (INNER @ u)), rel=1e-10)


@pytest.mark.parametrize("name", LOSSES)
def test_single_precision_changes_the_function_by_a_thousandth(name):
    rough, fine = solve(name, single=True, tol=1e-5), solve(name)
    f = K @ fine.weights + fine.bias
    assert np.abs(K @ rough.weights + rough.bias - f).max() <= 1e-3 * np.abs(f).max()


@pytest.mark.parametrize("single", [False, True])
def test_bits_do_not_depend_on_threads(single):
    found = []
    for threads in (1, 2, 8):
        with mercer.config_context(threads=threads):
            loss, y, _ = LOSSES["multinomial"]
            rows = ArrayRows(np.tile(X, (12, 1)), np.tile(y, 12), np.tile(WEIGHT, 12), 5000)
            matrix = CenterMatrix(Centers(KERNEL, X[:M], single), rows, LocalEngine())
            U = np.random.default_rng(1).standard_normal((M, 3))
            value, slopes, sums = matrix.gather(loss, U, np.ones(3))
            found.append((value, slopes.tobytes(), sums.tobytes()))
    assert found[0] == found[1] == found[2]


def test_several_penalties_are_solved_in_the_same_passes():
    penalties = np.array([0.01, 1.0, 100.0])
    matrix = matrix_of(np.tile(Y[:, :1], 3))
    inverse = PathInverse(hessian_of(matrix, False), penalties)
    options = {"n_outputs": 3, "intercept": False, "tol": 1e-11, "limit": 200}
    solution = solve_squared(matrix, penalties, inverse, **options)
    for column, penalty in enumerate(penalties):
        A = K.T @ (WEIGHT[:, None] * K) + penalty * INNER
        f = K @ np.linalg.solve(A, K.T @ (WEIGHT * Y[:, 0]))
        assert np.abs(K @ solution.weights[:, column] - f).max() <= 1e-8 * np.abs(f).max()
    assert matrix.passes < 60


def test_a_start_near_the_solution_saves_steps():
    first = solve("squared", intercept=False)
    matrix = matrix_of(Y)
    inverse = hessian_of(matrix, False).inverse(0.5)
    options = {"n_outputs": 2, "intercept": False, "tol": 1e-3, "limit": 50}
    start = first.weights + 1e-6
    again = solve_squared(matrix, np.array([0.5]), inverse, start=start, **options)
    assert again.objective == pytest.approx(first.objective, rel=1e-8)


def test_what_the_centers_explain_is_all_of_themselves():
    matrix = matrix_of(Y)
    whitening = Whitening(matrix.inner.dense(), np.dtype(float))
    q = whitening.explained(matrix.centers.rows(X))
    exact = np.einsum("ij,ji->i", K, np.linalg.solve(INNER, K.T))
    assert q == pytest.approx(exact, abs=1e-8)
    assert q[:M] == pytest.approx(np.ones(M), abs=1e-8)


def test_duplicate_centers_are_no_obstacle():
    rows = ArrayRows(X, Y, WEIGHT)
    centers = Centers(KERNEL, np.repeat(X[:10], 3, axis=0), False)
    matrix = CenterMatrix(centers, rows, LocalEngine())
    inverse = hessian_of(matrix, False).inverse(0.5)
    options = {"n_outputs": 2, "intercept": False, "tol": 1e-9, "limit": 200}
    f = centers.apply(X, solve_squared(matrix, np.array([0.5]), inverse, **options).weights)
    few, small = KERNEL(X, X[:10]), KERNEL(X[:10])
    A = few.T @ (WEIGHT[:, None] * few) + 0.5 * small
    exact = few @ np.linalg.solve(A, few.T @ (WEIGHT[:, None] * Y))
    assert np.abs(f - exact).max() <= 1e-6 * np.abs(exact).max()


def test_kernels_without_single_precision_use_double():
    centers = Centers(Laplacian(), X[:M], single=False)
    assert centers.dtype == np.float64
    assert centers.rows(X[:50]) == pytest.approx(Laplacian()(X[:50], X[:M]), abs=1e-14)
    with pytest.raises(DefinitenessError, match="not positive semi-definite on the centers"):
        Whitening(-np.eye(3), np.dtype(float))
