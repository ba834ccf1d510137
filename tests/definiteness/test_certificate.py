"""Every row of the algebra: what it certifies, what it refuses to certify, and the witnesses."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mercer
from mercer import (
    ANOVA,
    RBF,
    AllSubsets,
    Bessel,
    Brownian,
    Chi2,
    Conformal,
    Constant,
    Cosine,
    DistanceCosine,
    Exponential,
    ExponentialDot,
    FromFeatures,
    GeneralLinear,
    InverseMultiquadric,
    Jaccard,
    Laplacian,
    Linear,
    LogDistance,
    Matern,
    Multiquadric,
    NegativeDistance,
    Periodic,
    Polynomial,
    PowerSeries,
    Precomputed,
    RationalQuadratic,
    SharedSubsets,
    Sigmoid,
    Wendland,
    White,
    inverse_root,
)
from mercer.kernels.functions import absolute, arctan
from mercer.kernels.numerics import refutation
from mercer.testing import check_kernel

CASES = [
    # sums and multiples
    (RBF() + Linear(), "strict"),
    (Linear() + Cosine(), "psd"),
    (RBF() + NegativeDistance(), "cpd"),
    (Linear() + NegativeDistance(), "cpd"),
    (RBF() + Sigmoid(), "unknown"),
    (RBF() - Linear(), "unknown"),
    (-RBF(), "indefinite"),
    (-1.0 * NegativeDistance(), "unknown"),
    (0.0 * Sigmoid() + RBF(), "strict"),
    (0 * RBF(), "psd"),
    (2.5 * NegativeDistance(), "cpd"),
    (RBF().on([0]) + RBF().on([1]), "psd"),
    (White() + Linear(), "strict"),
    # products
    (RBF() * Linear(), "psd"),
    (RBF() * Periodic(), "strict"),
    (RBF() * Polynomial(degree=2), "strict"),
    (RBF() * Polynomial(degree=2, offset=0.0), "psd"),
    (RBF() * NegativeDistance(), "unknown"),
    (Linear() * Linear(), "psd"),
    (RBF() * Constant(0.0), "psd"),
    # pull-backs
    (RBF() @ arctan, "strict"),
    (RBF() @ absolute, "psd"),
    (NegativeDistance() @ absolute, "cpd"),
    (Sigmoid() @ arctan, "unknown"),
    (RBF().on([0]), "psd"),
    # conformal changes and features
    (Conformal(RBF(), absolute), "psd"),
    (Conformal(RBF(), arctan, nonzero=True), "strict"),
    (Conformal(NegativeDistance(), arctan), "unknown"),
    (FromFeatures(absolute), "psd"),
    # powers
    (RBF() ** 2, "strict"),
    (Linear() ** 3, "psd"),
    (NegativeDistance() ** 2, "unknown"),
    (RBF() ** 0.5, "strict"),
    (Exponential() ** 1.7, "strict"),
    (Laplacian() ** 0.3, "strict"),
    (Matern(nu=2.5) ** 0.2, "strict"),
    (RationalQuadratic() ** 0.2, "strict"),
    (InverseMultiquadric() ** 0.2, "strict"),
    ((RBF() * Laplacian()) ** 0.5, "strict"),
    (Linear().exp() ** 0.5, "strict"),
    (Linear() ** 0.5, "unknown"),
    ((RBF() + Linear()) ** 0.5, "unknown"),
    (ExponentialDot() ** 0.5, "strict"),
    # power series
    (PowerSeries(Linear(), [1.0, 2.0]), "psd"),
    (PowerSeries(RBF(), [0.0, 2.0]), "strict"),
    (PowerSeries(RBF(), [1.0]), "psd"),
    (PowerSeries(RBF(), [1.0, -1.0]), "unknown"),
    (PowerSeries(NegativeDistance(), [1.0, 1.0]), "unknown"),
    (PowerSeries(Linear(), inverse_root(4.0), radius=4.0), "psd"),
    # exponentials
    (Linear().exp(), "strict"),
    (NegativeDistance().exp(), "strict"),
    (Multiquadric().exp(), "strict"),
    (LogDistance().exp(), "strict"),
    ((-1.0 * Linear()).exp(), "unknown"),
    (Cosine().exp(), "psd"),
    (Linear().on([0]).exp(), "psd"),
    (Polynomial(degree=2).exp(), "strict"),
    (Polynomial(degree=2, offset=0.0).exp(), "psd"),
    (Polynomial(degree=3, offset=0.0).exp(), "strict"),
    (ANOVA(degree=2).exp(), "psd"),
    (AllSubsets().exp(), "strict"),
    # normalization and centering
    (RBF().normalize(), "strict"),
    (Linear().normalize(), "psd"),
    (RBF().center(), "psd"),
    (NegativeDistance().center(), "psd"),
    (Sigmoid().center(), "unknown"),
    # leaves that depend on parameters
    (Polynomial(degree=2, offset=-0.5), "indefinite"),
    (Polynomial(degree=3, offset=-0.5), "indefinite"),
    (Sigmoid(offset=0.0), "indefinite"),
    (Sigmoid(offset=3.0, scale=0.1), "indefinite"),
    (Sigmoid(offset=-3.0), "indefinite"),
    (Chi2(), "strict"),
    (Brownian(), "psd"),
    (Jaccard(), "strict"),
    (SharedSubsets(), "strict"),
    (GeneralLinear(np.eye(2)), "psd"),
    (Precomputed(np.eye(3)), "strict"),
    (Precomputed(np.ones((3, 3))), "psd"),
    (Precomputed([[0.0, -1.0], [-1.0, 0.0]]), "cpd"),
    (Precomputed([[0.0, 1.0], [1.0, 0.0]]), "indefinite"),
]


@pytest.mark.parametrize(("kernel", "status"), CASES, ids=[repr(k) for k, _ in CASES])
def test_status(kernel, status):
    certificate = kernel.certificate()
    assert certificate.status == status, str(certificate)
    if status == "indefinite":
        c = np.asarray(certificate.witness.coefficients)
        assert c @ kernel(certificate.witness.points) @ c < 0


@pytest.mark.parametrize(
    ("kernel", "d", "status"),
    [
        (Bessel(order=0.0), 2, "psd"),
        (Bessel(order=0.0), 3, "indefinite"),
        (Bessel(order=0.5), 3, "psd"),
        (Bessel(order=0.5), 4, "indefinite"),
        (Bessel(order=1.0), 5, "indefinite"),
        (DistanceCosine(), 1, "psd"),
        (DistanceCosine(), 2, "indefinite"),
        (Wendland(dimension=3), 3, "strict"),
        (RBF(), 50, "strict"),
        (Laplacian(), 7, "strict"),
        (RBF() * DistanceCosine(), 2, "unknown"),
        (RBF().on([0]) * RBF().on([1]), 2, "strict"),
        (RBF().on([0]) * RBF().on([1]), 3, "psd"),
        (RBF().on([0, 1]) * RBF().on([1]), 2, "strict"),
        (RBF().on([0, 1]) * RBF().on([1, 2]), 3, "psd"),
        (RBF().on(slice(0, 2)) * RBF().on(slice(2, None)), 5, "strict"),
        (RBF().on([0, 1, 2]), 3, "strict"),
        (DistanceCosine().on([2]), 5, "psd"),
    ],
    ids=repr,
)
def test_the_dimension_counts(kernel, d, status):
    certificate = kernel.certificate(d)
    assert certificate.status == status, str(certificate)
    assert (certificate.witness is not None) == (status == "indefinite")


TABLE = pd.DataFrame({"a": [0.0, 0.0, 1.0, 2.0], "b": [1.0, 2.0, 1.0, 2.0]})


@pytest.mark.parametrize(
    ("kernel", "more", "status"),
    [
        (RBF().on("a") * RBF().on(["b"]), {}, "strict"),
        (RBF().on("a") * RBF().on([1]), {}, "strict"),
        (RBF().on("a") * RBF().on(["b"]) * Constant(2.0), {}, "strict"),
        (RBF().on("a") * RBF().on("b"), {"c": 0.0}, "psd"),
        (RBF().on("a") * RBF().on("a"), {}, "psd"),
        (RBF().on(["a", "b"]) * RBF().on("b"), {}, "psd"),
        (RBF().on("a") * Linear().on("b"), {}, "psd"),
    ],
)
def test_products_over_named_columns_are_strict_where_these_are_all(kernel, more, status):
    assert kernel.certificate().status == "psd"
    frame = TABLE.assign(**more)
    fitted = kernel.fit(frame)
    assert fitted.certificate().status == status
    assert ("columns ['a', 'b']" in str(fitted.certificate().where)) == (status == "strict")
    smallest = np.linalg.eigvalsh(fitted(frame)).min()
    assert status != "strict" or smallest > 0.01
    assert fitted.fit(TABLE.assign(z=1.0)).certificate().status == "psd"


def test_a_name_that_two_columns_have_proves_nothing():
    kernel = RBF().on("a") * RBF().on("b")
    twice = pd.DataFrame(np.arange(6.0).reshape(2, 3), columns=["a", "b", "b"])
    kernel.column_names_ = list(twice.columns)
    assert kernel.certificate().status == "psd"


def test_the_proof_names_its_rules_and_domain():
    text = str(
        (0.5 * RBF() + Linear() * Chi2() + NegativeDistance().exp() @ absolute).certificate()
    )
    for word in (
        "sum",
        "Schur product",
        "Bochner",
        "Schoenberg",
        "inner product",
        "pull-back",
        "x ≥ 0",
        "positive multiple",
    ):
        assert word in text, word
    assert "power series" in str(PowerSeries(Linear(), [1.0, 1.0], radius=2.0).certificate())
    assert "k(x,x) < 2" in PowerSeries(Linear(), [1.0, 1.0], radius=2.0).certificate().domain


@pytest.mark.parametrize(
    ("kernel", "words"),
    [
        (Jaccard(), ("Schur product", "independent for distinct sets")),
        (SharedSubsets(), ("triangular", "independent")),
        (mercer.Spline(), ("ramp", "independent", "tensor product")),
        (Chi2(), ("e^(−tx)", "Σc = 0")),
        (mercer.Mismatch(), ("within the mismatches",)),
        (mercer.GappedKmer(), ("the places P",)),
        (PowerSeries(Linear(), inverse_root(4.0), radius=4.0), ("(2n choose n)/(4ⁿ θ^(n+½)) > 0",)),
        (GeneralLinear(np.eye(4) / 3), ("on R^4", "0.3333")),
    ],
    ids=repr,
)
def test_the_text_proves_the_status(kernel, words):
    text = str(kernel.certificate())
    for word in words:
        assert word in text, text
    assert "0.33333333" not in text


def test_what_is_only_assumed_is_printed():
    series = PowerSeries(Linear(), coefficients=lambda n: 1.0, radius=1.0).certificate()
    assert "aₙ ≥ 0 for all n" in str(series.where)
    assert "aₙ ≥ 0 for all n" not in str(PowerSeries(Linear(), inverse_root(1.0)).certificate())


def test_what_has_no_rule_is_not_said_to_follow_from_one():
    @mercer.kernel
    def mine(x, y):
        return x[0] * y[0]

    for kernel in (mine, RBF() - Linear()):
        lines = str(kernel.certificate()).splitlines()
        assert any(line.strip().startswith("no rule: ") for line in lines)
        assert not any("by no rule" in line or "by nothing" in line for line in lines)
    assert "status='psd'" in str(mine.certificate())


def test_witnesses_are_printed_whole():
    kernel = mercer.EditDistance(gamma=0.9)
    witness = kernel.certificate().witness
    assert len(witness.coefficients) > 5
    listed = witness.to_dict()
    assert listed["points"] == list(witness.points) and "'abab'" in str(witness)
    c = np.array([float(v) for v in str(witness).split("c = (")[1].split(")")[0].split(",")])
    np.testing.assert_array_equal(c, listed["coefficients"])
    value = float(c @ kernel(listed["points"]) @ c)
    assert value < 0 and value == pytest.approx(listed["value"])


@pytest.mark.parametrize("gamma", [0.05, 0.3, 0.35, 0.5, 0.7, 0.9, 1.0])
def test_edit_distances_up_to_one_are_refuted(gamma):
    kernel = mercer.EditDistance(gamma=gamma)
    certificate = kernel.certificate()
    assert certificate.status == "indefinite"
    c = certificate.witness.coefficients
    assert c @ kernel(certificate.witness.points) @ c < 0
    assert mercer.EditDistance(gamma=2.0).certificate().status == "unknown"


def test_the_failing_leaf_is_found():
    leaf = (RBF() + Linear() * Sigmoid()).certificate().failing()
    assert leaf is not None and leaf.claim == "Sigmoid()"
    assert RBF().certificate().failing() is None


def test_the_gaussian_by_algebra():
    text = str(RBF().algebraic_certificate())
    assert "conformal" in text and "exponential" in text and "inner product" in text
    assert RBF().algebraic_certificate().status == "strict"


@pytest.mark.parametrize("kernel", [k for k, s in CASES if s in ("strict", "psd", "cpd")], ids=repr)
def test_no_claim_is_refuted(kernel):
    if isinstance(kernel, (Precomputed, GeneralLinear)) or "center" in repr(kernel):
        pytest.skip("on given points or after fit only: see the contract tests")
    assert kernel.refute() is None


@pytest.mark.parametrize(
    "kernel",
    [
        Sigmoid(),
        DistanceCosine(),
        -RBF(),
        RBF() - 2.0 * Linear(),
        Polynomial(degree=2, offset=-1.0),
    ],
    ids=repr,
)
def test_what_is_no_kernel_is_refuted(kernel):
    witness = kernel.refute()
    c = np.asarray(witness.coefficients)
    assert c @ kernel(witness.points) @ c < 0
    assert "< 0" in str(witness)


def test_refutation_on_the_users_data(rng):
    X = rng.standard_normal((150, 2))
    witness = Sigmoid(scale=2.0).refute(X)
    assert witness is not None and RBF().refute(X) is None
    balanced = (-1.0 * NegativeDistance()).refute(X)
    assert balanced is not None


def test_refutation_looks_at_some_of_many_samples(rng, monkeypatch):
    monkeypatch.setattr(refutation, "_MOST", 100)
    assert Sigmoid(scale=2.0).refute(rng.standard_normal((1000, 2))) is not None


def test_matern_of_an_l1_distance_is_no_kernel_in_the_plane():
    """Psd on the line, not in the plane: what published libraries ship unmarked."""

    @mercer.kernel
    def l1_matern(x, y):
        z = math.sqrt(3.0) * (abs(x[0] - y[0]) + (abs(x[1] - y[1]) if x.size > 1 else 0.0))
        return (1.0 + z) * math.exp(-z)

    assert l1_matern.certificate().status == "unknown"
    assert l1_matern.refute(d=1) is None
    # a square around its center, over and over at several sizes
    corners = np.array([[1.0, 0], [-1, 0], [0, 1], [0, -1], [0, 0]])
    X = np.vstack([s * corners for s in (0.05, 0.1, 0.2, 0.4)])
    assert l1_matern.refute(np.unique(X, axis=0)) is not None or l1_matern.refute(d=2) is not None


LEAVES = st.sampled_from(
    [
        RBF(),
        Linear(),
        Cosine(),
        Polynomial(degree=2),
        Constant(0.5),
        NegativeDistance(),
        Periodic(),
        Laplacian(length_scale=2.0),
    ]
)


def trees() -> st.SearchStrategy:
    def grow(inner):
        return st.one_of(
            st.tuples(inner, inner).map(lambda p: p[0] + p[1]),
            st.tuples(inner, inner).map(lambda p: p[0] * p[1]),
            st.tuples(st.sampled_from([0.5, 2.0, 0.0, -1.0]), inner).map(lambda p: p[0] * p[1]),
            inner.map(lambda k: k**2),
            inner.map(lambda k: (0.1 * k).exp()),
            inner.map(lambda k: k.on([0])),
            inner.map(lambda k: k @ arctan),
        )

    return st.recursive(LEAVES, grow, max_leaves=4)


@given(trees())
def test_random_algebra_never_claims_too_much(kernel):
    """Whatever the rules certify, lattices in one and two dimensions fail to refute."""
    from mercer.errors import KernelOverflowError
    from mercer.kernels.numerics.refutation import witness_among

    rng = np.random.default_rng(0)
    for d in (1, 2):
        certificate = kernel.certificate(d)
        for points in mercer.domains.vectors.domain.VECTORS.lattices(d, rng):
            try:
                if certificate.cpd:
                    assert witness_among(kernel, points, certificate.status == "cpd") is None, str(
                        certificate
                    )
                if certificate.status == "strict":
                    assert (kernel.diag(points) > 0).all()
            except KernelOverflowError:
                continue


def test_user_defined_kernel_of_the_lecture(rng):
    """(Σ f_i(x) f_i(y))/√(θ − ⟨x, y⟩) on [−1, 1]^d, θ > d: built by the rules and certified."""
    d, theta = 3, 3.5

    def descriptors(X):
        X = np.asarray(X)
        return np.column_stack([X.sum(axis=1), np.sin(X[:, 0]), X[:, 1] ** 2])

    k = FromFeatures(descriptors) * PowerSeries(Linear(), inverse_root(theta), radius=theta)
    X = rng.uniform(-1, 1, (30, d))
    f = descriptors(X)
    np.testing.assert_allclose(k(X), (f @ f.T) / np.sqrt(theta - X @ X.T), rtol=1e-12)
    assert k.certificate().status == "psd"
    with pytest.raises(mercer.errors.RadiusError):
        k(2 * np.ones((1, d)))


def test_check_kernel_catches_a_false_claim():
    class Liar(mercer.RadialKernel):
        """cos(s), said to be strict everywhere."""

        definite = mercer.Definite("strict", "because I say so")

        def profile(self, s2):
            return np.cos(np.sqrt(s2))

    with pytest.raises(AssertionError, match="claims strict"):
        check_kernel(Liar(), gradient=False)
    del mercer.kernels.base.REGISTRY["Liar"]


def test_check_kernel_catches_a_wrong_gradient():
    class Slip(mercer.RadialKernel):
        """A Gaussian with a wrong slope."""

        definite = mercer.Definite("strict", "Bochner")

        def profile(self, s2):
            return np.exp(-0.5 * s2)

        def slope(self, s2):
            return 1.01 * np.exp(-0.5 * s2)

    with pytest.raises(AssertionError, match="length_scale"):
        check_kernel(Slip())
    del mercer.kernels.base.REGISTRY["Slip"]


def test_a_sum_with_an_unknown_term_does_not_say_that_the_term_is_refuted():
    unknown = mercer.kernel(lambda x, y: 1.0 / (1.0 + abs(x[0] - y[0])))()
    assert (unknown + mercer.RBF()).certificate().rule == "no rule: a term is not known to be psd"
