"""Functions of the distance: proved, refuted with a witness, or unknown with what was looked at."""

from __future__ import annotations

import math

import numpy as np
import pytest

import mercer
from mercer import RBF, Bessel, Linear, Matern, Wendland, bochner, errors


@pytest.mark.parametrize(
    ("kernel", "d", "status"),
    [
        (RBF(), 3, "strict"),
        (Matern(nu=0.7), 5, "strict"),
        (Bessel(order=0.0), 2, "psd"),
        (Bessel(order=0.0), 3, "indefinite"),
        ("DistanceCosine()", 1, "psd"),
        ("DistanceCosine()", 2, "indefinite"),
    ],
    ids=repr,
)
def test_kernels_are_proved_by_their_transform(kernel, d, status):
    assert bochner(kernel, d).status == status


@pytest.mark.parametrize(
    ("f", "d"),
    [
        (lambda r: np.cos(r), 2),
        (lambda r: (r < 1.0).astype(float), 1),  # its transform is sin(ω)/ω
        (lambda r: np.exp(-(r**4)), 1),
        (lambda r: np.exp(-(r**3)), 2),
        (lambda r: -np.exp(-r), 1),
        (lambda r: r, 1),
        (lambda r: np.maximum(1 - r**2, 0.0), 1),
        (lambda r: (1 - r**2) * np.exp(-(r**2) / 2) + 1.0, 3),
    ],
    ids=["cos", "box", "quartic", "cubic", "negative", "growing", "parabola", "hat"],
)
def test_what_is_no_kernel_has_a_witness(f, d):
    certificate = bochner(f, d)
    if certificate.status == "unknown":
        pytest.fail(str(certificate))
    points = np.asarray(certificate.witness.points)
    c = certificate.witness.coefficients
    r = np.sqrt(((points[:, None] - points) ** 2).sum(axis=2))
    assert points.shape[1] == d and c @ f(r) @ c < 0


@pytest.mark.parametrize("d", [1, 2])
@pytest.mark.parametrize(
    "f", [lambda r: np.exp(-r), lambda r: np.exp(-(r**2)), lambda r: 1 / (1 + r**2) ** 4]
)
def test_what_is_a_kernel_is_not_refuted(f, d):
    certificate = bochner(f, d)
    assert certificate.status == "unknown" and "frequenc" in certificate.rule


def test_the_wave_that_does_not_decay():
    assert bochner(np.cos, 1).status == "unknown"
    assert "decays too slowly" in str(bochner(np.cos, 1))


def test_refusals():
    with pytest.raises(errors.ParameterError, match="x − y"):
        bochner(Linear(), 2)
    with pytest.raises(errors.ParameterError, match="dimension"):
        bochner(RBF(), 0)
    with pytest.raises(errors.ParameterError, match="not finite"):
        bochner(lambda r: r * np.nan, 2)
    with pytest.raises(errors.ParameterError, match="f"):
        bochner(3.0, 1)
    assert "_OfDistance" not in mercer.kernels.catalogue()


@pytest.mark.parametrize("scale", [1e-9, 1e-4, 1e4, 1e9])
def test_distances_of_any_unit(scale):
    assert bochner(lambda r: (r < scale).astype(float)).status == "indefinite"
    certificate = bochner(lambda r: np.exp(-((r / scale) ** 2)), 2)
    assert certificate.status == "unknown" and "100 frequencies" in certificate.rule


def test_many_dimensions():
    with np.errstate(all="raise", under="ignore"):
        certificate = bochner(lambda r: np.exp(-np.square(r / 5.0)), 1000)
    assert certificate.status == "unknown" and "not negative at 100 freq" in certificate.rule


def test_kernels_of_which_nothing_is_known_are_looked_at():
    certificate = bochner(RBF() - 0.9 * RBF(length_scale=0.5), 3)
    assert certificate.status == "indefinite" and certificate.claim.startswith("RBF() - 0.9")
    certificate = bochner(Wendland(length_scale=3.0), 5)
    assert certificate.status == "unknown" and certificate.claim == "Wendland(length_scale=3.0)"
    assert "the Fourier transform is negative at frequency" in certificate.rule


def test_functions_of_one_number_are_refused():
    for f in (math.exp, lambda r: 1.0, lambda r: [r]):
        with pytest.raises(errors.ParameterError, match="function of an array of distances"):
            bochner(f)
