"""Limits, mixtures and spectral densities."""

from __future__ import annotations

import numpy as np
import pytest

import mercer
from mercer import (
    RBF,
    DistanceCosine,
    Laplacian,
    Limit,
    Linear,
    Matern,
    Mixture,
    NegativeDistance,
    RationalQuadratic,
    Sigmoid,
    Stationary,
    errors,
)


def test_a_limit_is_never_strict(rng):
    certificate = Limit(RBF(), RBF(length_scale=10.0)).certificate()
    assert certificate.status == "psd" and "assumed: the sequence converges" in str(certificate)
    assert len(certificate.parts) == 2
    assert Limit(NegativeDistance(), RBF()).certificate().status == "cpd"
    assert Limit(Sigmoid(), RBF()).certificate().status == "unknown"
    assert not Limit(DistanceCosine(), RBF()).certificate(2).psd
    X = rng.standard_normal((5, 2))
    np.testing.assert_array_equal(Limit(RBF(), Linear())(X), Linear()(X))


@pytest.mark.parametrize("alpha", [0.5, 1.0, 3.0])
def test_a_gamma_mixture_of_gaussians_is_the_rational_quadratic(alpha, rng):
    X = rng.standard_normal((12, 3))
    mixed = Mixture.gamma(RBF(), shape=alpha, length_scale=2.0, points=60)
    gap = np.abs(mixed(X) - RationalQuadratic(length_scale=2.0, alpha=alpha)(X)).max()
    assert gap < 1e-6
    certificate = mixed.certificate()
    assert certificate.status == "strict" and "weights > 0" in certificate.rule


def test_the_error_of_a_mixture_is_stated(rng):
    coarse = Mixture.gamma(RBF(), shape=0.7, points=4)
    assert coarse.error > 1e-4 and "estimated" in str(coarse.certificate())
    X = rng.standard_normal((30, 1))
    assert mercer.check_gram(coarse(X)).psd  # the sum is psd whatever its error
    uniform = Mixture.over(RBF(), "length_scale", np.ones_like, 1.0, 2.0)
    assert uniform.error < 1e-12 and uniform([[0.0]])[0, 0] == pytest.approx(1.0)


def test_what_no_mixture_can_be():
    with pytest.raises(errors.ParameterError, match="weights"):
        Mixture(RBF(), "length_scale", [1.0, 2.0], [1.0, -1.0])
    with pytest.raises(errors.ParameterError, match="width"):
        Mixture(RBF(), "width", [1.0], [1.0])
    with pytest.raises(errors.ParameterError, match="weights"):
        Mixture(RBF(), "length_scale", [1.0, 2.0], [1.0])
    with pytest.raises(errors.ParameterError, match="density"):
        Mixture.over(RBF(), "length_scale", lambda t: t - 1.5, 1.0, 2.0)
    assert Mixture(Sigmoid(), "scale", [1.0], [1.0]).certificate().status == "unknown"
    assert Mixture(Sigmoid(), "scale", [1.0], [0.0]).certificate().status == "psd"
    assert not Mixture(DistanceCosine(), "length_scale", [1.0], [1.0]).certificate(2).psd


def test_spectral_densities(rng):
    X = rng.uniform(-1, 1, (15, 2))
    gaussian = Stationary(lambda w: np.exp(-(w**2) / 2), length_scale=1.5)
    np.testing.assert_allclose(gaussian(X), RBF(length_scale=1.5)(X), atol=1e-12)
    exponential = Stationary(lambda w: 1 / (1 + w**2), cutoff=1500.0, points=6000)
    np.testing.assert_allclose(exponential(X[:6]), Laplacian()(X[:6]), atol=2e-3)
    matern = Stationary(lambda w: (3 + w**2) ** -2.0, cutoff=300.0, points=3000)
    np.testing.assert_allclose(matern(X[:, :1]), Matern(nu=1.5)(X[:, :1]), atol=1e-5)
    assert "Bochner" in str(gaussian.certificate()) and gaussian.certificate().status == "psd"


@pytest.mark.parametrize("density", [lambda w: 1 - w, lambda w: 0 * w, lambda w: w[:2], np.log])
def test_densities_that_are_none(density):
    with pytest.raises(errors.DefinitenessError, match="spectral_density"):
        Stationary(density)


def test_round_trips(tmp_path):
    kernels = [
        Limit(RBF(), RBF(length_scale=2.0)),
        Mixture(RBF(), "length_scale", [1.0, 2.0], [0.5, 0.5], 0.1),
        mercer.parse("Stationary(spectral_density=normal_density, length_scale=2.0)"),
    ]
    X = np.linspace(0, 1, 6)[:, None]
    for number, kernel in enumerate(kernels):
        assert repr(mercer.parse(repr(kernel))) == repr(kernel)
        model = mercer.SVC(kernel=kernel).fit(X, [0, 0, 0, 1, 1, 1])
        mercer.save(model, tmp_path / f"{number}.mercer")
        loaded = mercer.load(tmp_path / f"{number}.mercer")
        np.testing.assert_array_equal(loaded.decision_function(X), model.decision_function(X))
