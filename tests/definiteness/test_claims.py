"""Every certificate holds on the set that it prints, and its text argues for its status."""

from __future__ import annotations

import math

import naive
import numpy as np
import pandas as pd
import pytest

import mercer
from mercer import (
    RBF,
    Bessel,
    Conformal,
    Constant,
    Cosine,
    DistanceCosine,
    EditDistance,
    Linear,
    Matern,
    MissingAware,
    Mixture,
    NegativeDistance,
    Polynomial,
    PowerSeries,
    Spectrum,
    Wendland,
    inverse_root,
    parse,
    register_function,
)
from mercer.kernels import REGISTRY, functions
from mercer.kernels.functions import row_sums

# What in a text argues for strictness, beyond a feature map that proves "psd" alone.
STRICTLY = (
    "strict",
    "independent",
    "independence",
    "Bochner",
    "only at",
    "separates",
    "weights > 0",
    "injective",
    "Oppenheim",
    "eigenvalues",
    "nonsingular",
    "orthogonal to all others",
    "positive multiple",
    "all of them",
)


def _nodes(certificate):
    yield certificate
    for part in certificate.parts:
        yield from _nodes(part)


@pytest.mark.parametrize("kind", REGISTRY.values(), ids=list(REGISTRY))
def test_strictness_has_an_argument_of_its_own(kind):
    for kernel in kind.examples():
        for d in (None, 1, 2):
            for node in _nodes(kernel.certify(d)):  # whatever the width of its parameters
                if node.status == "strict":
                    assert any(word in node.rule for word in STRICTLY), str(node)


# Distinct points: the origin, and others close to it and to each other.
CLOSE = np.array([[0.0, 0.0], [2.0**-20, 0.0], [0.0, 2.0**-20], [1.0, 1.0], [1.0, 1.0 + 2.0**-20]])


@pytest.mark.parametrize("name", sorted({"Exp", "Power", "Product", "Sum", *naive.NUMERIC}))
def test_strict_kernels_tell_close_points_apart(name):
    """In 60 digits, where a matrix that is singular has an eigenvalue of about 1e-60."""
    examples = REGISTRY.get(name, RBF).examples()
    for kernel in (k for k in examples if k.certify(2).status == "strict"):
        assert naive.min_eigenvalue(naive.gram(kernel, CLOSE)) > 1e-45, repr(kernel)


@pytest.mark.parametrize(
    "kernel",
    [
        RBF().on([0]) * RBF().on([1]),
        RBF().on([0, 1]),
        DistanceCosine().on(slice(0, 1)) + RBF().on(slice(0, 2)),
        DistanceCosine().on(slice(1, None)),
    ],
    ids=repr,
)
def test_a_proof_that_counts_the_columns_says_so(kernel):
    """In the plane it is strict, or psd; with a third column it is not."""
    plane, space = kernel.certificate(2), kernel.certificate(3)
    assert plane.psd and plane.status != space.status
    assert "d = 2" in plane.domain and "d = 2" not in space.domain


def test_a_kernel_of_columns_is_one_on_tables():
    kernel = Spectrum(length=2).on("text") + RBF().on(["age"])
    assert kernel.certificate().domain == "tables, 'text' in strings, ['age'] in R^d"
    table = pd.DataFrame({"text": ["abab", "ba"], "age": [1.0, 2.0]})
    assert kernel(table).shape == (2, 2)


@pytest.mark.parametrize("radius", [math.inf, 2.0, 1.0, 0.5])
def test_a_power_series_is_claimed_where_it_converges(radius):
    series = PowerSeries(Linear(), inverse_root(1.0), radius=radius)
    assert f"k(x,x) < {min(radius, 1.0):g}" in series.certificate().domain
    geometric = PowerSeries(Linear(), lambda n: 1.0)
    assert "the series converges" in geometric.certificate().domain


def test_what_the_user_states_of_a_function_is_printed():
    assert (
        "assumed: row_sums(x) ≠ 0" in Conformal(RBF(), row_sums, nonzero=True).certificate().domain
    )
    assert "stated" not in str(Conformal(RBF(), row_sums).certificate())


def test_beyond_the_proved_dimension_nothing_is_said_without_a_witness():
    beyond = Wendland().certificate(5)
    assert beyond.status == "unknown" and beyond.rule.startswith("no rule in R^5")
    assert DistanceCosine().certificate(2).rule.startswith("a counterexample in R^2")


def test_a_counterexample_that_underflows_is_none():
    hidden = Polynomial(degree=2, offset=-1e-200).certificate()
    assert hidden.status == "unknown" and hidden.rule.startswith("no rule")


def test_the_order_of_a_bessel_kernel_need_not_give_a_whole_dimension():
    assert Bessel(order=0.7).certificate().domain == "R^d, d ≤ 3"
    assert Bessel(order=0.7).certificate(3).psd
    assert Bessel(order=0.7).certificate(4).status == "indefinite"


def test_a_mixture_shows_the_part_that_makes_it_strict():
    mixed = Mixture(1.0 * RBF(), "factor", [0.0, 1.0], [1.0, 1.0]).certificate()
    assert mixed.status == "strict" and mixed.parts[0].status == "strict"
    cpd = Mixture(1.0 * NegativeDistance(), "factor", [0.0, 1.0], [1.0, 1.0]).certificate()
    assert cpd.status == "cpd" and cpd.parts[0].status == "cpd"


def test_powers_of_a_matern_kernel_cite_why_it_is_infinitely_divisible():
    assert "infinitely divisible" in str((Matern() ** 0.3).certificate().parts[0])
    assert "Gaussian" in Matern(nu=math.inf).certificate().rule


def test_an_expectation_claims_no_more_than_its_kernel():
    votes = [["ab", "n"], ["ba", None], ["bb", "n"], ["a", "y"]]
    kernel = MissingAware(EditDistance(gamma=0.2).on([0])).fit(votes)
    for certificate in (kernel.certificate(), kernel.expected_.certificate()):
        assert not certificate.psd, str(certificate)
    assert "values may be missing" in MissingAware(Polynomial(degree=2)).certificate().domain


def test_letters_beyond_those_of_the_proof_are_told():
    """Below 0.2 it is a kernel on the amino acids, and not with B, Z, X and *."""
    letters = list("ARNDCQEGHILKMFPSTWYVBZX*")
    kernel = mercer.LocalAlignment(beta=0.1, scores="blosum62", open=11, extend=1)
    assert kernel.certificate().domain == "strings of ARNDCQEGHILKMFPSTWYV"
    with pytest.warns(mercer.errors.DefinitenessWarning, match="20 amino acids only"):
        assert np.linalg.eigvalsh(kernel(letters))[0] < -0.005
    assert np.linalg.eigvalsh(kernel(letters[:20]))[0] > 0
    assert np.linalg.eigvalsh(kernel.set_params(beta=0.2)(letters))[0] > 0


def test_scikit_learn_is_told_of_a_kernel_that_is_none_in_this_dimension(rng):
    from sklearn.gaussian_process import GaussianProcessRegressor

    X, y = rng.standard_normal((20, 2)), rng.standard_normal(20)
    model = GaussianProcessRegressor(mercer.to_sklearn(DistanceCosine()), alpha=10.0)
    with pytest.raises(mercer.errors.DefinitenessError, match=r"is indefinite on R\^2"):
        model.fit(X, y)
    assert model.fit(X[:, :1], y).predict(X[:, :1]).shape == (20,)
    beyond = mercer.to_sklearn(Wendland(dimension=1))
    with pytest.warns(mercer.errors.DefinitenessWarning, match="not known"):
        beyond(np.zeros((2, 5)))


def used_facts(kernel):
    """The lines of a printed proof that state a fact of a part."""
    lines = map(str.strip, str(kernel.certificate()).splitlines())
    return [line.removeprefix("and ") for line in lines if line.startswith("and ")]


def test_facts_are_printed_where_a_rule_relies_on_them():
    apart = "k(x,x) + k(y,y) − 2k(x,y) > 0 for x ≠ y"
    divisible = "is infinitely divisible: k^p is psd for every p > 0"
    assert used_facts(Linear()) == used_facts(RBF()) == []
    assert used_facts(RBF() * Polynomial(2)) == ["k(x,x) > 0"]
    assert used_facts(RBF() * RBF()) == []  # it follows from strictness
    assert used_facts(Linear().exp()) == [apart]
    assert used_facts((2.0 * Linear() + Constant()).exp()) == [apart] * 3
    assert used_facts(RBF() ** 0.5) == [divisible]
    assert used_facts(RBF() ** 2) == []
    assert used_facts(Cosine().exp() ** 0.5) == [divisible]  # exp gives it, not the cosine
    assert used_facts(Cosine() + Linear()) == []


def test_what_a_user_states_of_a_function_is_an_assumption(monkeypatch):
    monkeypatch.setattr(functions, "FUNCTIONS", dict(functions.FUNCTIONS))

    @register_function("stated_cube", injective=True, nonzero=True)
    def stated_cube(X):
        return np.asarray(X) ** 3

    for kernel in (RBF(), RBF() + Linear()):
        certificate = (kernel @ stated_cube).certificate()
        assert certificate.status == "strict"
        assert "assumed: stated_cube is injective" in certificate.domain
        assert "the injective" not in str(certificate)
    assert "assumed" not in str((Cosine() @ stated_cube).certificate())  # nothing depends on it
    assert "assumed" not in str(parse("RBF() @ arctan").certificate())
    assert "assumed: stated_cube(x) ≠ 0" in Conformal(RBF(), stated_cube).certificate().domain
    assert "assumed" not in str(Conformal(Cosine(), stated_cube).certificate())


def test_the_error_of_a_mixture_is_an_estimate():
    assert "estimated as" in str(Mixture.gamma(RBF(), 2.0).certificate())
