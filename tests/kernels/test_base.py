"""What kernels say of themselves: their children, whether k(x, x) is constant, whether there is
noise.
"""

from __future__ import annotations

import pydoc

import numpy as np
import pytest

import mercer
from mercer import RBF, Constant, Linear, Matern, MeanEmbedding, PowerSeries, White
from mercer.kernels.base import Kernel


@pytest.mark.parametrize(
    ("kernel", "children"),
    [
        (RBF(), []),
        (RBF() + Linear() + 1.0, ["RBF()", "Linear()", "Constant()"]),
        (2.0 * RBF(), ["RBF()"]),
        (RBF().center().normalize(), ["RBF().center()"]),
        (MeanEmbedding(RBF()), ["RBF()"]),
    ],
)
def test_children_are_the_kernels_among_the_parameters(kernel, children):
    assert list(map(repr, kernel.children())) == children


CONSTANT = [
    RBF(),
    White(),
    Constant(2.0),
    RBF() + White(),
    3.0 * Matern() * RBF() + 0.5 * White(),
    (RBF() + White()) ** 2,
    (RBF() * 0.5).exp(),
    PowerSeries(0.5 * RBF(), coefficients=[1.0, 0.5]),
]
VARYING = [
    Linear(),
    RBF() + Linear(),
    RBF() * Linear(),
    Linear() ** 2,
    Linear().exp(),
    RBF().on([0]),
]


@pytest.mark.parametrize("kernel", CONSTANT, ids=repr)
def test_a_constant_diagonal_is_constant(kernel, rng):
    assert kernel.constant_diagonal
    diagonal = kernel.diag(rng.standard_normal((20, 3)))
    np.testing.assert_allclose(diagonal, diagonal[0], rtol=1e-15)


@pytest.mark.parametrize("kernel", VARYING, ids=repr)
def test_no_constant_diagonal_is_claimed(kernel):
    assert not kernel.constant_diagonal


@pytest.mark.parametrize("name", sorted(mercer.kernels.catalogue()))
def test_no_example_claims_a_constant_diagonal_in_vain(name, rng):
    for kernel in mercer.kernels.catalogue()[name].examples():
        if kernel.constant_diagonal:
            X = kernel.domain.sample(12, 3, rng)
            diagonal = kernel.fit(X).diag(X)
            np.testing.assert_allclose(diagonal, diagonal[0], rtol=1e-12)


def test_white_noise_is_found_however_deep():
    assert White().has_white_noise
    assert (2.0 * (RBF() + White()).center() + Linear()).has_white_noise
    assert not (2.0 * RBF().center() + Linear()).has_white_noise


def test_the_operators_are_documented_and_inherited():
    text = pydoc.render_doc(Kernel)
    assert "exp(k): psd" in text
    assert "k1 + k2" in text
    assert type(RBF() + 1).__name__ == "Sum"
    with pytest.raises(TypeError):
        RBF() + "x"
    with pytest.raises(TypeError):
        "x" * RBF()


def test_terms_are_named_once():
    with pytest.raises(mercer.errors.ParameterError, match="in order, or by the names"):
        mercer.Sum(RBF(), k1=Linear())
