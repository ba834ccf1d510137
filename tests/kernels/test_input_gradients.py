"""Derivatives in the samples, against central differences."""

import numpy as np
import pytest
from scipy import sparse

from mercer import RBF, Constant, Exponential, Laplacian, Linear, Matern, linear_map, squash
from mercer.errors import MercerError, NotDifferentiableError, ShapeError
from mercer.kernels import catalogue
from mercer.kernels.base import Kernel

WITH_DERIVATIVES = [
    "RBF",
    "Matern",
    "Exponential",
    "Laplacian",
    "RationalQuadratic",
    "InverseMultiquadric",
    "Multiquadric",
    "NegativeDistance",
    "LogDistance",
    "Linear",
    "Wendland",
]


def differences(kernel, X, W, Y):
    """d/dx of Σ W_ij k(x_i, y_j) by central differences."""
    step, out = 1e-5, np.empty(X.shape)
    for column in range(X.shape[1]):
        above, below = X.copy(), X.copy()
        above[:, column] += step
        below[:, column] -= step
        out[:, column] = ((kernel(above, Y) - kernel(below, Y)) * W).sum(axis=1) / (2 * step)
    return out


def samples(rows=(7, 5), d=3, seed=0):
    rng = np.random.default_rng(seed)
    X, Y = rng.standard_normal((rows[0], d)), rng.standard_normal((rows[1], d))
    return X, rng.standard_normal(rows), Y


def kernels_of_vectors():
    for name, cls in catalogue().items():
        for at, kernel in enumerate(cls.examples()):
            yield pytest.param(kernel, id=f"{name}-{at}")


@pytest.mark.parametrize("kernel", list(kernels_of_vectors()))
def test_every_kernel_has_the_derivative_or_refuses(kernel: Kernel):
    X, W, Y = samples()
    try:
        gradient = kernel.input_gradient(X, W, Y)
    except MercerError:
        if type(kernel).__name__ in WITH_DERIVATIVES:
            raise
        return
    # a constant, which looks at no columns, has one column of zeros
    assert np.abs(gradient - differences(kernel, X, W, Y)).max() < 1e-7


@pytest.mark.parametrize(
    "kernel",
    [
        RBF([1.0, 0.5, 2.0]),
        Laplacian([1.0, 0.5, 2.0]),
        2.0 * RBF() + Matern() * Linear(),
        RBF() * Laplacian() * Exponential() + Constant(),
        Matern(nu=2.5) @ linear_map([[1.0, 2.0, 0.0], [0.0, 1.0, -1.0]]),
        RBF() @ linear_map([1.0, 2.0, 3.0]),
    ],
    ids=repr,
)
def test_composites(kernel):
    X, W, Y = samples()
    assert kernel.input_gradient(X, W, Y) == pytest.approx(differences(kernel, X, W, Y), abs=1e-7)
    row = W[:1]
    assert kernel.input_gradient(X, row[0], Y) == pytest.approx(
        differences(kernel, X, row, Y), abs=1e-7
    )


@pytest.mark.parametrize("kernel", [RBF(5.0), Laplacian(9.0)], ids=repr)
def test_many_tiles_and_a_large_offset(kernel):
    X, W, Y = samples((600, 300), 60)
    X, Y = np.round(X, 3), np.round(Y, 3)
    gradient = kernel.input_gradient(X, W, Y)
    assert kernel.input_gradient(X + 2.0**20, W, Y + 2.0**20) == pytest.approx(gradient, abs=1e-6)
    few = slice(250, 260)  # of two tiles
    if isinstance(kernel, RBF):
        expected = differences(kernel, X[few], W[few], Y)
    else:
        signs = np.sign(X[few, None] - Y[None])
        expected = -np.einsum("ijf,ij->if", signs, W[few] * kernel(X[few], Y)) / 9.0
    assert gradient[few] == pytest.approx(expected, abs=1e-6)


def test_sparse_rows():
    X, W, Y = samples()
    gradient = RBF().input_gradient(sparse.csr_matrix(X), W, sparse.csr_matrix(Y))
    assert gradient == pytest.approx(RBF().input_gradient(X, W, Y), abs=1e-12)


@pytest.mark.parametrize("kernel", [Exponential(), Matern(nu=0.5), Laplacian()], ids=repr)
def test_the_sample_itself_adds_nothing_where_there_is_no_derivative(kernel):
    X, _, _ = samples()
    W = np.ones((7, 7))
    without = W - np.eye(7)
    assert kernel.input_gradient(X, W) == pytest.approx(kernel.input_gradient(X, without))


def test_errors_name_the_argument():
    X, W, Y = samples()
    with pytest.raises(ShapeError, match="W"):
        RBF().input_gradient(X, W.T, Y)
    with pytest.raises(NotDifferentiableError, match="map the samples first"):
        (RBF() @ squash).fit(X).input_gradient(X, np.ones(7))
