"""HSIC against double loops, its null distributions, its forms, its level, and bad input."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mercer
from mercer import RBF, Jaccard, Laplacian, Linear, NegativeDistance, Polynomial, Sigmoid, Spectrum
from mercer.errors import (
    DefinitenessWarning,
    EmptyInputError,
    MemoryBudgetError,
    ParameterError,
    ShapeError,
)
from mercer.statistics.independence.dhsic import dhsic_test
from mercer.statistics.independence.hsic import hsic_test
from mercer.statistics.independence.null import cross_sum, permutation_moments
from mercer.statistics.independence.views import Centered, centered, read_view


def naive_hsic(K, L):
    """E k l + E k E l − 2 E E k E l, by loops over all samples."""
    n = len(K)
    both = sum(K[i, j] * L[i, j] for i in range(n) for j in range(n)) / n**2
    one = sum(K[i, j] for i in range(n) for j in range(n)) / n**2
    other = sum(L[i, j] for i in range(n) for j in range(n)) / n**2
    mixed = sum(K[i, j] * L[i, q] for i in range(n) for j in range(n) for q in range(n)) / n**3
    return both + one * other - 2 * mixed


KERNELS = [RBF(), Linear(), NegativeDistance(), Polynomial(degree=2), Laplacian(2.0)]


@pytest.mark.parametrize("kernel_x", KERNELS, ids=repr)
@pytest.mark.parametrize("kernel_y", [RBF(0.5), NegativeDistance()], ids=repr)
def test_the_statistic_is_its_definition(kernel_x, kernel_y):
    rng = np.random.default_rng(1)
    X, Y = rng.standard_normal((14, 2)), rng.standard_normal((14, 3))
    result = hsic_test(X, Y, kernel_x=kernel_x, kernel_y=kernel_y, n_permutations=3, random_state=0)
    expected = naive_hsic(kernel_x(X), kernel_y(Y))
    assert abs(result.statistic - expected) <= 1e-10 * max(1.0, abs(expected))


def test_null_values_are_those_of_permuted_samples():
    rng = np.random.default_rng(2)
    X, Y = rng.standard_normal((11, 2)), rng.standard_normal((11, 1))
    result = hsic_test(X, Y, kernel_x=RBF(), kernel_y=RBF(), n_permutations=6, random_state=4)
    drawn = np.random.default_rng(4).permuted(np.tile(np.arange(11), (6, 1)), axis=1)
    expected = [naive_hsic(RBF()(X), RBF()(Y[order])) for order in drawn]
    assert np.allclose(result.null, expected, rtol=0, atol=1e-12)
    assert result.pvalue == (1 + np.sum(result.null >= result.statistic)) / 7


def test_hsic_of_distances_is_the_squared_distance_covariance():
    x = np.array([0.0, 1.0, 4.0, 6.0])
    a, b = np.abs(x[:, None] - x), np.abs(x[:, None] ** 2 - x**2)
    H = np.eye(4) - 0.25
    kernel = NegativeDistance()
    found = hsic_test(x, x**2, kernel_x=kernel, kernel_y=kernel, n_permutations=1).statistic
    assert found == pytest.approx(np.sum((H @ a @ H) * (H @ b @ H)) / 16, rel=1e-12)


@settings(max_examples=30, deadline=None)
@given(st.integers(4, 6), st.integers(0, 1000))
def test_moments_over_all_permutations(n, seed):
    rng = np.random.default_rng(seed)
    H = np.eye(n) - 1 / n
    K, L = (H @ (a @ a.T) @ H for a in (rng.standard_normal((n, 2)), rng.standard_normal((n, 3))))
    values = [np.sum(K * L[np.ix_(p, p)]) for p in itertools.permutations(range(n))]
    mean, variance = permutation_moments(K, L)
    assert mean == pytest.approx(np.mean(values), rel=1e-9)
    assert variance == pytest.approx(np.var(values), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("forms", list(itertools.product([False, True], repeat=2)))
def test_factors_and_matrices_have_the_same_sums(forms):
    rng = np.random.default_rng(3)
    A, B = rng.standard_normal((9, 3)), rng.standard_normal((9, 2))
    order = rng.permutation(9)
    K, L = (Centered(F, True) if f else Centered(F @ F.T) for F, f in zip((A, B), forms))
    expected = np.sum((A @ A.T) * (B @ B.T)[np.ix_(order, order)])
    assert cross_sum(K, L, order) == pytest.approx(expected, rel=1e-12)


def test_exact_factors_are_found_and_change_nothing():
    rng = np.random.default_rng(4)
    X, Y = rng.standard_normal((400, 3)), rng.standard_normal((400, 2))
    found = centered(read_view(X, "X", Linear(), "hsic_test"))
    assert found.factor and found.array.shape[1] == 3 and "exact" in found.text()
    result = hsic_test(X, Y, kernel_x=Linear(), kernel_y=RBF(), n_permutations=9, random_state=0)
    H = np.eye(400) - 1 / 400
    expected = np.sum((H @ X @ X.T @ H) * RBF()(Y)) / 400**2
    assert result.statistic == pytest.approx(expected, rel=1e-10)


def test_factors_of_low_rank_state_their_error_and_keep_the_test():
    rng = np.random.default_rng(5)
    x = rng.standard_normal(300)
    y = x + rng.standard_normal(300)
    result = hsic_test(x, y, rank=4, random_state=0)
    assert result.pvalue == 0.001
    assert any("of its trace" in note for note in result.notes)
    exact = hsic_test(x, y, random_state=0).statistic
    assert hsic_test(x, y, rank=300, random_state=0).statistic == pytest.approx(exact, rel=1e-6)


def test_matrices_beyond_the_budget_become_factors():
    rng = np.random.default_rng(6)
    X = rng.standard_normal((500, 2))
    with mercer.config_context(memory_budget="2 MB"):
        result = hsic_test(X, X[:, 0], n_permutations=19, random_state=0)
        cpd = NegativeDistance()
        other = hsic_test(X, X[:, 0], kernel_x=cpd, kernel_y=cpd, n_permutations=19, random_state=0)
        with pytest.warns(DefinitenessWarning), pytest.raises(MemoryBudgetError, match="factor"):
            hsic_test(X, X, kernel_x=Sigmoid())
    assert "rank" in result.forms[0] and result.pvalue == 0.05
    exact = hsic_test(X, X[:, 0], kernel_x=cpd, kernel_y=cpd, n_permutations=1).statistic
    assert other.statistic == pytest.approx(exact, rel=0.05)


def test_threads_do_not_change_results():
    rng = np.random.default_rng(7)
    X, Y = rng.standard_normal((80, 2)), rng.standard_normal((80, 2))
    results = []
    for threads in (1, 2):
        with mercer.config_context(threads=threads):
            results.append(hsic_test(X, Y, n_permutations=50, random_state=1))
    assert np.array_equal(results[0].null, results[1].null)
    assert results[0].pvalue == results[1].pvalue


def test_any_kind_of_sample():
    rng = np.random.default_rng(8)
    strings = ["".join(rng.choice(list("ACGT"), 12)) for _ in range(40)]
    sets = [set(rng.choice(9, 3).tolist()) for _ in range(40)]
    first = [[string[0]] for string in strings]
    assert hsic_test(strings, sets, random_state=0).pvalue > 0.01
    assert hsic_test(first, first, random_state=0).pvalue == 0.001
    assert hsic_test(strings, sets, kernel_x=Spectrum(length=2), kernel_y=Jaccard()).pvalue > 0.0


def test_tables_with_missing_values():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(9)
    number = rng.standard_normal(60)
    color = np.where(number > 0, "red", "blue").astype(object)
    table = pandas.DataFrame({"number": number})
    table.loc[::7, "number"] = np.nan
    color[::9] = None
    assert hsic_test(table, pandas.DataFrame({"color": color}), random_state=0).pvalue == 0.001


def test_groups_move_as_a_whole():
    groups = np.repeat(np.arange(10), 6)
    rng = np.random.default_rng(10)
    rejected, ignored = 0, 0
    for _ in range(40):  # the same value in a group: 10 samples, not 60
        x, y = np.repeat(rng.standard_normal((2, 10)), 6, axis=1)
        options = {"n_permutations": 99, "random_state": rng}
        rejected += hsic_test(x, y, groups=groups, **options).rejects()
        ignored += hsic_test(x, y, **options).rejects()
    assert rejected <= 6 < 30 < ignored


@pytest.mark.parametrize("null", ["gamma", "spectral"])
def test_formulas_agree_with_permutations(null):
    rng = np.random.default_rng(11)
    for strength in (0.0, 0.15, 0.3):
        x = rng.standard_normal(200)
        y = strength * x + rng.standard_normal(200)
        exact = hsic_test(x, y, random_state=0).pvalue
        found = hsic_test(x, y, null=null, random_state=0).pvalue
        assert abs(found - exact) < 0.04
        assert found > 0


def test_what_the_kernel_cannot_see_is_said():
    x = np.random.default_rng(12).uniform(-1, 1, 200)
    blind = hsic_test(x, x**2, kernel_x=Linear(), kernel_y=Linear(), random_state=0)
    assert blind.pvalue > 0.05
    assert any("not characteristic" in note for note in blind.notes)
    assert hsic_test(x, x**2, random_state=0).pvalue == 0.001


def test_constant_columns_have_p_1():
    result = hsic_test(np.ones(20), np.arange(20.0), random_state=0)
    assert result.statistic == 0.0 and result.pvalue == 1.0
    assert any("same for all samples" in note for note in result.notes)
    assert hsic_test(np.full(20, 0.1), np.arange(20.0), kernel_x=RBF()).pvalue == 1.0
    assert hsic_test(np.ones(20), np.arange(20.0), null="gamma").pvalue == 1.0


def test_text_html_and_dictionary():
    result = hsic_test(np.arange(30.0), np.arange(30.0) ** 2, random_state=0)
    assert "independent: rejected at 5 %" in str(result)
    assert "<table>" in result._repr_html_()
    assert result.to_dict()["n_samples"] == 30


@pytest.mark.parametrize(
    ("arguments", "options", "error", "match"),
    [
        (([1.0], [2.0]), {}, EmptyInputError, "fewer than 2"),
        (([], []), {}, EmptyInputError, "fewer than 2"),
        (([1.0, 2.0, 3.0], [1.0, 2.0]), {}, ShapeError, "as many samples as X"),
        (([1.0, 2.0], [1.0, 2.0]), {"null": "beta"}, ParameterError, "null"),
        (([1.0, 2.0], [1.0, 2.0]), {"null": "gamma"}, ParameterError, "at least 6"),
        (([1.0, 2.0], [1.0, 2.0]), {"rank": 0}, ParameterError, "rank"),
        (([1.0, 2.0], [1.0, 2.0]), {"n_permutations": 0}, ParameterError, "n_permutations"),
        (([1.0, 2.0], [1.0, 2.0]), {"groups": [1]}, ShapeError, "groups"),
    ],
)
def test_bad_input(arguments, options, error, match):
    with pytest.raises(error, match=match):
        hsic_test(*arguments, **options)


def test_formulas_refuse_groups():
    x = np.arange(8.0)
    with pytest.raises(ParameterError, match="independent rows"):
        hsic_test(x, x, null="gamma", groups=[0, 0, 1, 1, 2, 2, 3, 3])


def test_few_samples_are_said_to_be_too_few():
    result = hsic_test([1.0, 2.0, 3.0], [1.0, 2.0, 3.0], random_state=0)
    assert any("only 6 different permutations" in note for note in result.notes)
    assert result.pvalue > 0.05
    apart = hsic_test(np.arange(6.0), np.arange(6.0), groups=[0, 1, 1, 2, 2, 2])
    assert apart.pvalue == 1.0 and any("only 1 different" in note for note in apart.notes)


def test_a_kernel_that_finds_no_rows_alike_is_named():
    x = 1e6 * np.random.default_rng(0).standard_normal((30, 2))
    for test in (
        hsic_test(x, x, kernel_x=RBF(), kernel_y=RBF(), n_permutations=19),
        dhsic_test(x, x, x, kernels=RBF(), n_permutations=19),
    ):
        assert test.pvalue == 1.0 and "same statistic" in " ".join(test.notes)
    constant = hsic_test(np.ones(30), x, n_permutations=19)
    assert "same for all samples" in " ".join(constant.notes)
    assert "same statistic" not in " ".join(constant.notes)


def test_indefinite_kernels_warn():
    x = np.random.default_rng(0).standard_normal((20, 2))
    with pytest.warns(DefinitenessWarning, match="indefinite"):
        result = hsic_test(x, x, kernel_x=Sigmoid(), kernel_y=RBF(), n_permutations=9)
    assert 0 < result.pvalue <= 1


def test_the_level_holds_for_vectors():
    rng = np.random.default_rng(13)
    rejected = 0
    for _ in range(300):
        x, y = rng.standard_normal((2, 30))
        rejected += hsic_test(x, y, kernel_x=RBF(), n_permutations=39, random_state=rng).rejects()
    assert abs(rejected / 300 - 0.05) <= 3 * np.sqrt(0.05 * 0.95 / 300)


def test_the_published_distance_covariance_of_irises():
    """The example of dcov.test in the R package energy: irises 1-50 against 51-100."""
    from sklearn.datasets import load_iris

    X = load_iris().data
    x, y = X[:50], X[50:100]

    def covariance(a, b):
        k = NegativeDistance()
        return hsic_test(a, b, kernel_x=k, kernel_y=k, n_permutations=1).statistic ** 0.5

    assert 50 * covariance(x, y) ** 2 == pytest.approx(0.5254, abs=5e-5)
    assert covariance(x, y) == pytest.approx(0.1025087, abs=5e-8)
    assert covariance(x, x) == pytest.approx(0.2712927, abs=5e-8)
    assert covariance(y, y) == pytest.approx(0.4135274, abs=5e-8)
    correlation = covariance(x, y) / (covariance(x, x) * covariance(y, y)) ** 0.5
    assert correlation == pytest.approx(0.3060479, abs=5e-8)


@pytest.mark.parametrize("test", [hsic_test, dhsic_test])
def test_few_permutations_are_said(test):
    x, y = np.random.default_rng(0).standard_normal((2, 30))
    few = test(x, y, n_permutations=18, random_state=0)
    assert any("18 permutations cannot reject at 5 %" in note for note in few.notes)
    assert not any("cannot reject" in note for note in test(x, y, n_permutations=19).notes)


@pytest.mark.parametrize("null", ["gamma", "spectral"])
def test_permutations_that_are_not_drawn_are_named(null):
    x = np.random.default_rng(0).normal(size=40)
    with pytest.warns(UserWarning, match="n_permutations = 77 is ignored"):
        hsic_test(x, x**2, null=null, n_permutations=77)
