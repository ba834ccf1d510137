"""Gradients of parameters that are arrays, alone and inside composites, against derivatives in high
precision.
"""

from __future__ import annotations

import naive
import numpy as np
import pytest

from mercer import (
    RBF,
    Exponential,
    Laplacian,
    Linear,
    Matern,
    Periodic,
    Polynomial,
    PowerSeries,
    RadialKernel,
    RationalQuadratic,
    White,
)
from mercer.errors import NotDifferentiableError
from mercer.params import param, positive

SCALES = [0.7, 1.5, 3.0]
KERNELS = [
    RBF(length_scale=SCALES),
    Exponential(length_scale=SCALES),
    Laplacian(length_scale=SCALES),
    Matern(nu=0.5, length_scale=SCALES),
    Matern(nu=1.5, length_scale=SCALES),
    Matern(nu=2.5, length_scale=SCALES),
    Matern(nu=0.9, length_scale=SCALES),
    RationalQuadratic(length_scale=SCALES, alpha=0.6),
    Periodic(period=[1.0, 2.0, 3.0], length_scale=SCALES),
    2.0 * RBF(length_scale=SCALES) * Linear() + 0.1 * White(),
    ((0.3 * Polynomial(degree=2, scale=0.4)).exp() + RBF(length_scale=SCALES)).normalize(),
    (RBF(length_scale=SCALES) ** 1.5).center(),
    (Matern(length_scale=SCALES) * RBF()).center().normalize(),
    PowerSeries(0.5 * RBF(length_scale=SCALES), [1.0, 2.0, 0.5]) * Periodic(period=2.0),
    RBF(length_scale=[1.0, 2.0]).on([0, 2]) * Laplacian().on([1]),
]


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_against_high_precision(kernel):
    rng = np.random.default_rng(0)
    X, W = rng.standard_normal((5, 3)), rng.standard_normal((5, 5))
    kernel = kernel.copy().fit(X)
    for path, slope in kernel.gradient(X, W).items():
        for index in np.ndindex(np.shape(slope)):
            at = index[0] if index else None
            terms = [
                W[i, j] * float(naive.derivative(kernel, path, at, X[i], X[j], same=i == j))
                for i in range(5)
                for j in range(5)
            ]
            assert np.asarray(slope)[index] == pytest.approx(
                sum(terms), abs=1e-11 * max(np.abs(terms).sum(), 1e-3)
            ), (path, index)


def test_many_tiles(rng):
    """The sum over tiles of a symmetric matrix, with weights that are not symmetric."""
    X, W = rng.standard_normal((600, 3)), rng.standard_normal((600, 600))
    k = RBF(length_scale=SCALES)
    K = k(X)
    for f, scale in enumerate(SCALES):
        exact = (W * K * (X[:, None, f] - X[None, :, f]) ** 2 / scale**3).sum()
        assert k.gradient(X, W)["length_scale"][f] == pytest.approx(exact, rel=1e-10)


@pytest.mark.parametrize("n_columns", [1, 4, 6])
def test_many_tiles_of_a_laplacian(n_columns, rng):
    X, W = rng.standard_normal((600, n_columns)), rng.standard_normal((600, 600))
    scales = rng.uniform(0.5, 3.0, n_columns)
    k = Laplacian(length_scale=scales)
    K = k(X)
    exact = [
        (W * K * np.abs(X[:, None, f] - X[None, :, f]) / scale**2).sum()
        for f, scale in enumerate(scales)
    ]
    size = np.abs(W).sum()
    np.testing.assert_allclose(k.gradient(X, W)["length_scale"], exact, atol=1e-14 * size)


class Forgetful(RadialKernel, abstract=True):
    """exp(−s²/2)^power, whose author forgot a derivative."""

    power: float = param(default=1.0, check=positive, continuous=True)

    def profile(self, s2):
        return np.exp(-0.5 * s2 * self.power)

    def slope(self, s2):
        return self.power * self.profile(s2)


def test_a_derivative_that_is_never_yielded_is_not_zero():
    with pytest.raises(NotDifferentiableError, match=r"power.*tile_derivatives"):
        Forgetful().gradient(np.eye(3), np.ones((3, 3)))
