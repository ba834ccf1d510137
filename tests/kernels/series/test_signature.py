"""The signature kernel, beyond what the contract of all kernels says."""

import numpy as np
import pytest
from naive.series import tensors

import mercer
from mercer import (
    RBF,
    SVC,
    Bessel,
    DistanceCosine,
    GeneralLinear,
    Linear,
    NegativeDistance,
    Sigmoid,
    Signature,
    Spectrum,
    Wendland,
    load,
    save,
)
from mercer.errors import DomainMismatchError, ParameterError


def walks(count, seed=0, channels=2, low=1, high=40):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(low, high, count)
    return [rng.standard_normal((n, channels)).cumsum(axis=0) / 5 for n in sizes]


def inner(x, y, levels, level=None):
    a, b = tensors(np.diff(x, axis=0), levels), tensors(np.diff(y, axis=0), levels)
    return np.array([np.sum(u * v) for u, v in zip(a, b, strict=True)])


def test_with_a_linear_kernel_it_is_the_inner_product_of_tensors():
    X = walks(10, low=6)
    levels = np.array([[inner(x, y, 3) for y in X] for x in X])
    own = np.array([levels[i, i] for i in range(10)])
    quotients = levels / np.sqrt(own[:, None] * own)
    weights = np.array([0.5, 1.0, 2.0, 3.0])
    K = Signature(3, Linear(), weights=weights, time=False)(X)
    np.testing.assert_allclose(K, quotients @ weights, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("levels", [3, None])
def test_long_series_are_read_in_parts(levels, monkeypatch):
    """Blocks of few rows, and of many series, have the same values."""
    X = walks(20, low=1, high=60)
    k = Signature(levels, RBF(0.7))
    W = np.random.default_rng(0).standard_normal((20, 20))
    K, slope = k(X), k.gradient(X, W)
    monkeypatch.setattr("mercer.kernels.series.sweeps._VALUES", 7000)
    np.testing.assert_allclose(k(X), K, rtol=0, atol=1e-13)
    again = k.gradient(X, W)["static__length_scale"]
    np.testing.assert_allclose(again, slope["static__length_scale"], rtol=1e-10)


def test_all_levels_neither_overflow_nor_lose_definiteness():
    """The increments on which a scheme of second order has the eigenvalue −4205."""
    steps = [(4, 3), (4, -3), (0, -1), (3, 4)]
    X = [np.cumsum([0.0, *pair]) for pair in steps]
    K = Signature(None, Linear(), time=False)(X)
    assert np.linalg.eigvalsh(K)[0] >= -1e-12
    long = [30 * x for x in walks(6, low=300, high=400)]
    K = Signature(None, Linear())(long)
    assert np.isfinite(K).all()
    np.testing.assert_allclose(K.diagonal(), 1.0, rtol=1e-12)
    assert np.linalg.eigvalsh(K)[0] >= -1e-10


def goursat(x, y):
    """The second-order scheme of Salvi et al. for the signature kernel of smooth curves."""
    k = np.ones((len(x) + 1, len(y) + 1))
    for i, j in np.ndindex(len(x), len(y)):
        d = x[i] * y[j]
        near = (k[i, j + 1] + k[i + 1, j]) * (1 + d / 2 + d * d / 12)
        k[i + 1, j + 1] = near - k[i, j] * (1 - d * d / 12)
    return k[-1, -1]


def test_the_scheme_of_second_order_is_not_a_kernel():
    steps = [(4, 3), (4, -3), (0, -1), (3, 4)]
    K = np.array([[goursat(x, y) for y in steps] for x in steps])
    assert np.linalg.eigvalsh(K)[0] == pytest.approx(-4205, abs=1)


def test_a_level_that_is_zero_contributes_zero():
    k = Signature(2, Linear(), weights=[1.0, 1.0, 1.0], time=False)
    closed = [0.1, 0.4, -0.7, 0.1]  # its first level is 0, but for rounding
    single, straight = [3.0], [0.0, 1.0]
    K = k([closed, single, straight])
    assert K.diagonal().tolist() == [2.0, 1.0, 2.0]
    np.testing.assert_allclose(K[np.triu_indices(3, 1)], [1.0, 1.0, 1.0])


def test_without_time_the_pace_is_not_seen():
    slow, fast = [0.0, 0.0, 1.0, 1.0, 2.0], [0.0, 1.0, 2.0]
    assert Signature(2, time=False)([slow, fast])[0, 1] == pytest.approx(1.0)
    assert Signature(2)([slow, fast])[0, 1] < 0.999


def test_given_times_are_the_time():
    values = [0.0, 1.0, 0.5]
    plain = Signature(3)([values, [1.0, 0.0, 3.0]])
    timed = Signature(3)([([0, 0.5, 1], values), ([0, 0.5, 1], [1.0, 0.0, 3.0])])
    np.testing.assert_allclose(timed, plain, rtol=1e-14)


def test_certificates_follow_the_kernel_of_points():
    assert Signature().certificate().psd
    assert Signature(2, NegativeDistance()).certificate().psd
    assert Signature(2, Sigmoid()).certificate().status == "unknown"
    assert "series of R^d" in str(Signature().certificate())


def test_the_time_is_a_dimension_of_the_points_of_a_series():
    """The cosine of a distance is a kernel on the line, not in the plane of value and time."""
    series = [[0.0, 4.0, -2.0], [1.0, 5.0], [3.0, -1.0, 0.5, 2.0], [2.0, 2.5, -3.0], [-4.0, 1.0]]
    timed = Signature(1, DistanceCosine(length_scale=0.5))
    assert np.linalg.eigvalsh(timed(series))[0] < -0.01
    assert timed.certificate().status == "unknown"
    assert timed.certificate(d=1).status == "unknown"
    assert "the time" in timed.certificate().rule
    assert timed.certificate(d=1).domain == "series of R^1"
    plain = Signature(1, DistanceCosine(length_scale=0.5), time=False)
    assert plain.certificate().domain == "series of R^d, d ≤ 1"
    assert plain.certificate(d=1).domain == "series of R^1"
    assert plain.certificate(d=2).status == "unknown"


def test_signatures_name_the_channels_that_a_kernel_of_points_allows():
    assert Signature(2, Bessel(order=0)).certificate().domain == "series of R^d, d ≤ 1"
    assert Signature(2, Bessel(order=0)).certificate(d=2).status == "unknown"
    assert Signature(2, Wendland(dimension=3)).certificate(d=2).domain == "series of R^2"
    assert Signature(2, GeneralLinear(np.eye(2))).certificate().domain == "series of R^1"
    assert Signature(2, NegativeDistance()).certificate(d=3).domain == "series of R^d"


def test_a_fitted_signature_is_certified_for_its_channels():
    series = [[0.0, 1.0], [1.0, 3.0, 2.0]]
    fitted = Signature(1, DistanceCosine()).fit(series)
    assert not fitted.certificate().psd
    assert Signature(1, Bessel(order=0)).fit(series).certificate().psd


def test_wrong_parameters():
    with pytest.raises(ParameterError, match="must be 5 numbers"):
        Signature(4, weights=[1.0, 2.0])
    with pytest.raises(ParameterError, match="levels=None"):
        Signature(None, weights=[1.0])
    with pytest.raises(DomainMismatchError, match="kernel of strings"):
        Signature(2, Spectrum(3))
    assert Signature().static is not Signature().static


def test_expressions_and_files(tmp_path):
    k = Signature(3, RBF(2.0), time=False)
    assert mercer.parse(repr(k)) == k
    X = walks(20, low=5)
    y = np.arange(20) % 2
    model = SVC(kernel=k).fit(X, y)
    save(model, tmp_path / "paths.mercer")
    again = load(tmp_path / "paths.mercer")
    assert np.array_equal(again.decision_function(X), model.decision_function(X))


def test_the_proof_says_what_is_normalized():
    assert "weights ≥ 0" in mercer.Signature(levels=3).certificate().rule
    assert "the levels" not in mercer.Signature(levels=None).certificate().rule
