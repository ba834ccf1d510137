"""Which kernels are characteristic: claims of "yes" and "no" are attacked on data."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import mercer
from mercer import (
    RBF,
    ArcCosine,
    BagOfWords,
    Bessel,
    Chi2,
    Constant,
    CurveProduct,
    Exponential,
    ExponentialDot,
    Jaccard,
    Laplacian,
    Linear,
    LogDistance,
    Matern,
    MeanEmbedding,
    Multiquadric,
    NegativeDistance,
    Overlap,
    Periodic,
    Polynomial,
    Precomputed,
    SetIntersection,
    Spectrum,
    Subsequence,
    WeightedDegree,
    WeightedOverlap,
    WeisfeilerLehman,
    Wendland,
    White,
)
from mercer.kernels import catalogue
from mercer.kernels.functions import absolute, arctan

CASES = [
    # sums and multiples
    (RBF() + Linear(), "yes"),
    (Linear() + Polynomial(degree=3), "no"),
    (Linear() + Periodic(), "unknown"),
    (RBF() + NegativeDistance(), "yes"),
    (2.0 * Laplacian(), "yes"),
    (3.0 * Linear(), "no"),
    (0.0 * RBF(), "no"),
    (-RBF(), "unknown"),
    (RBF() + White(), "yes"),
    # products: the other factors must not vanish, and White has no separable feature space
    (RBF() * Periodic(), "yes"),
    (RBF() * Linear(), "unknown"),
    (RBF() * (Linear() + 1.0), "yes"),
    (RBF() * White(), "unknown"),
    (Linear() * Linear(), "no"),
    # powers and series
    (Exponential() ** 2, "yes"),
    (RBF() ** 0.3, "yes"),
    (Linear() ** 3, "no"),
    (Linear().exp(), "yes"),
    (NegativeDistance().exp(), "yes"),
    (White().exp(), "unknown"),
    (WeightedDegree().exp(), "yes"),
    (Spectrum().exp(), "unknown"),
    # changes of length, centers, images
    (ExponentialDot().normalize(), "yes"),
    (Polynomial(degree=2).normalize(), "no"),
    (NegativeDistance().center().normalize(), "unknown"),
    (RBF().center(), "yes"),
    (Multiquadric().center(), "yes"),
    (Linear().center(), "no"),
    (RBF() @ arctan, "yes"),
    (RBF() @ absolute, "unknown"),
    (Linear() @ arctan, "unknown"),
    (NegativeDistance(power=2.0), "no"),
    (NegativeDistance(power=1.99), "yes"),
    (Jaccard(), "unknown"),
    (Precomputed([[2.0, 1.0], [1.0, 2.0]]), "yes"),
    (Precomputed([[1.0, 1.0], [1.0, 1.0]]), "unknown"),
]


@pytest.mark.parametrize(("kernel", "answer"), CASES, ids=lambda case: str(case)[:50])
def test_rules(kernel, answer):
    certificate = kernel.certificate()
    assert certificate.characteristic == answer
    assert certificate.means.reason


@pytest.mark.parametrize(
    ("kernel", "d", "answer"),
    [
        (RBF().on([0]), 1, "yes"),
        (RBF().on([0]), 2, "no"),
        (RBF().on([0]), None, "unknown"),
        (Linear().on([0]), None, "no"),
        (RBF().on([0]) * Laplacian().on([1, 2]), 3, "yes"),
        (2.0 * RBF().on([0]) * Laplacian().on([1, 2]), 3, "yes"),
        (RBF().on([0]) * Laplacian().on([1, 2]), 4, "unknown"),
        (RBF().on([0]) + RBF().on([1]), 2, "unknown"),
        (Wendland(), 3, "yes"),
        (Wendland(), 4, "unknown"),
        (Bessel(order=1.0), 2, "no"),
        (Overlap(), 1, "yes"),
        (Overlap(), 2, "no"),
    ],
)
def test_columns_and_dimensions(kernel, d, answer):
    assert kernel.certificate(d).characteristic == answer


def _difference(kernel, one, two):
    """‖mean of φ over one − mean of φ over two‖², by a naive double loop."""
    samples = list(one) + list(two)
    weights = np.r_[np.full(len(one), 1 / len(one)), np.full(len(two), -1 / len(two))]
    K = kernel(np.array(samples) if isinstance(samples[0], np.ndarray) else samples)
    total = sum(weights[i] * weights[j] * K[i, j] for i in range(len(K)) for j in range(len(K)))
    return float(total)


def _strings(bits):
    return ["".join("ab"[bit] for bit in row) for row in bits]


_CUBE = np.array(np.meshgrid([0, 1], [0, 1], [0, 1], [0, 1])).reshape(4, -1).T
_EVEN = _CUBE[_CUBE.sum(axis=1) % 2 == 0]
_ROWS = [["a", "c"], ["b", "d"]], [["a", "d"], ["b", "c"]]

# two distributions with equal means for claims of "no"
REFUTATIONS = [
    (Linear(), [[-1.0], [1.0]], [[-2.0], [2.0]]),
    (NegativeDistance(power=2.0), [[-1.0], [1.0]], [[-2.0], [2.0]]),
    (Polynomial(degree=2), [[-1.0], [0.0], [1.0]], [[-0.816496580927726], [0.816496580927726]]),
    (Periodic(period=1.0), [[0.25]], [[3.25]]),
    (ArcCosine(order=1), [[2.0, 2.0]], [[1.0, 1.0], [3.0, 3.0]]),
    (ArcCosine(order=0), [[1.0, 2.0]], [[2.0, 4.0]]),
    (Overlap(), *_ROWS),
    (SetIntersection(), [{1}, {2}], [set(), {1, 2}]),
    (BagOfWords(), ["one two"], ["two one"]),
    (Spectrum(length=1), ["ab", "c"], ["a", "bc"]),
    (Subsequence(length=1), ["ab", "c"], ["a", "bc"]),
    (WeightedDegree(length=3), _strings(_CUBE), 2 * _strings(_EVEN)),
    (CurveProduct(), [np.ones(4), -np.ones(4)], [2 * np.ones(4), -2 * np.ones(4)]),
    (MeanEmbedding(RBF()), [[[0.0], [1.0]]], [[[0.0]], [[1.0]]]),
    (Constant(), [[0.0]], [[1.0]]),
]


@pytest.mark.parametrize(("kernel", "one", "two"), REFUTATIONS, ids=lambda case: str(case)[:30])
def test_equal_means_where_no_is_claimed(kernel, one, two):
    d = 2 if isinstance(kernel, Overlap) else None
    assert kernel.certificate(d).characteristic == "no"
    assert abs(_difference(kernel, one, two)) < 1e-9


def test_weisfeiler_lehman_does_not_tell_two_triangles_from_a_hexagon():
    networkx = pytest.importorskip("networkx")
    triangles = networkx.disjoint_union(networkx.cycle_graph(3), networkx.cycle_graph(3))
    hexagon = networkx.cycle_graph(6)
    kernel = WeisfeilerLehman(node_labels=None, unlabeled="constant", edge_labels=None)
    K = kernel([triangles, hexagon])
    assert kernel.certificate().characteristic == "no"
    assert abs(K[0, 0] + K[1, 1] - 2 * K[0, 1]) < 1e-12


VECTORS = [
    RBF(),
    Laplacian(),
    Exponential(),
    Matern(nu=2.5),
    ExponentialDot(alpha=0.3),
    LogDistance(),
    Multiquadric(),
    NegativeDistance(),
    Wendland(length_scale=3.0),
    (0.2 * Linear()).exp(),
    RBF() * (Linear() + 1.0),
    RBF().center(),
]


@pytest.mark.parametrize("kernel", VECTORS, ids=repr)
def test_distributions_with_equal_moments_differ(kernel):
    """Two distributions on few points whose first three moments agree, and others at random."""
    assert kernel.certificate().characteristic == "yes"
    points = np.arange(6.0)[:, None] / 2
    moments = np.vander(points[:, 0], 4).T
    _, _, directions = np.linalg.svd(moments)
    K = kernel.fit(points)(points)
    for c in directions[4:]:  # no mass, no mean, no variance, no skewness
        assert c @ K @ c > 1e-9
    rng = np.random.default_rng(0)
    X = rng.standard_normal((12, 2))
    centered = np.eye(12) - 1 / 12
    values = np.linalg.eigvalsh(centered @ kernel.fit(X)(X) @ centered)
    assert values[1] > 1e-12  # one zero alone, of the constant


def test_categories_of_equal_margins_differ():
    kernel = WeightedOverlap().fit(_ROWS[0] + _ROWS[1])
    assert kernel.certificate().characteristic == "yes"
    assert _difference(kernel, *_ROWS) > 1e-3


def test_chi2_tells_histograms_of_equal_mean():
    assert _difference(Chi2(), [[1.0, 3.0], [3.0, 1.0]], [[2.0, 2.0]]) > 1e-3


@pytest.mark.parametrize("name", sorted(catalogue()))
def test_a_characteristic_kernel_separates_points(name):
    """Equal features of two samples would refute the claim: a strict or separating status."""
    for kernel in catalogue()[name].examples():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            certificate = kernel.certificate()
        if certificate.characteristic == "yes":
            assert certificate.cpd
            assert certificate.has("k(x,x) + k(y,y) − 2k(x,y) > 0 for x ≠ y")
        if certificate.means.signed:
            assert certificate.status == "strict"
            assert certificate.has("k(x,x) > 0")


def test_texts_of_certificates_are_as_before():
    assert str(RBF().certificate()).count("\n") == 2
    assert "characteristic: yes" in str(RBF().certificate().means)
    assert repr(mercer.RBF().certificate()) == "<Certificate: RBF() is strict on R^d>"
