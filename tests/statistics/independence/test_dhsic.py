"""dHSIC against sums over all indices, its permutations, and bad input."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import mercer
from mercer import RBF, Laplacian, Linear, NegativeDistance
from mercer.errors import EmptyInputError, MemoryBudgetError, ParameterError, ShapeError
from mercer.statistics.independence.dhsic import dhsic_test
from mercer.statistics.independence.hsic import hsic_test


def naive_dhsic(*matrices):
    """The three terms of the definition, by loops."""
    n = len(matrices[0])
    pairs = list(itertools.product(range(n), repeat=2))
    joint = sum(np.prod([K[i, j] for K in matrices]) for i, j in pairs) / n**2
    apart = np.prod([sum(K[i, j] for i, j in pairs) / n**2 for K in matrices])
    mixed = 0.0
    for i in range(n):
        mixed += np.prod([sum(K[i, j] for j in range(n)) / n for K in matrices]) / n
    return joint + apart - 2 * mixed


@pytest.mark.parametrize("n_views", [2, 3, 4])
def test_the_statistic_is_its_definition(n_views):
    rng = np.random.default_rng(0)
    views = [rng.standard_normal((9, 1 + v)) for v in range(n_views)]
    kernels = [RBF(), Laplacian(), Linear() + 1.0, RBF(3.0)][:n_views]
    result = dhsic_test(*views, kernels=kernels, n_permutations=2, random_state=0)
    expected = naive_dhsic(*(k(X) for k, X in zip(kernels, views)))
    assert result.statistic == pytest.approx(expected, abs=1e-12)


def test_null_values_are_those_of_permuted_samples():
    rng = np.random.default_rng(1)
    X, Y, Z = rng.standard_normal((3, 8, 2))
    result = dhsic_test(X, Y, Z, kernels=RBF(), n_permutations=4, random_state=3)
    drawn = np.random.default_rng(3)
    second = drawn.permuted(np.tile(np.arange(8), (4, 1)), axis=1)
    third = drawn.permuted(np.tile(np.arange(8), (4, 1)), axis=1)
    k = RBF()
    expected = [naive_dhsic(k(X), k(Y[p]), k(Z[q])) for p, q in zip(second, third)]
    assert np.allclose(result.null, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("kernel", [RBF(), NegativeDistance(), Linear()], ids=repr)
def test_of_two_views_it_is_hsic(kernel):
    rng = np.random.default_rng(2)
    X, Y = rng.standard_normal((2, 15, 2))
    one = dhsic_test(X, Y, kernels=kernel, n_permutations=5, random_state=1)
    other = hsic_test(X, Y, kernel_x=kernel, kernel_y=kernel, n_permutations=5, random_state=1)
    assert one.statistic == pytest.approx(other.statistic, abs=1e-12)
    assert np.allclose(one.null, other.null, rtol=0, atol=1e-12)


def test_three_dependent_views_of_which_any_two_are_independent():
    rng = np.random.default_rng(3)
    x, y = rng.choice([-1.0, 1.0], (2, 80))
    for pair in itertools.combinations((x, y, x * y), 2):
        assert hsic_test(*pair, random_state=0).pvalue > 0.01
    assert dhsic_test(x, y, x * y, random_state=0).pvalue == 0.001


def test_conditionally_positive_kernels_see_dependence_of_two_of_three_views():
    rng = np.random.default_rng(4)
    x, z = rng.standard_normal((2, 100))
    result = dhsic_test(x, x + 0.1 * z, z[::-1], kernels=NegativeDistance(), random_state=0)
    assert result.pvalue == 0.001
    assert any("induces" in note for note in result.notes)
    # the induced kernel is positive definite: the statistic is the square of a distance
    assert result.null.min() > 0


def test_centered_kernels_are_warned_of():
    rng = np.random.default_rng(5)
    x, y, z = rng.standard_normal((3, 60))
    centered = RBF().center()
    result = dhsic_test(x, x + 0.1 * y, z, kernels=centered, n_permutations=99, random_state=0)
    assert any("signed measures" in note for note in result.notes)


def test_threads_and_groups():
    rng = np.random.default_rng(6)
    x, y, z = np.repeat(rng.standard_normal((3, 12)), 4, axis=1)
    nulls = []
    for threads in (1, 2):
        with mercer.config_context(threads=threads):
            options = {"groups": np.repeat(np.arange(12), 4), "random_state": 0}
            nulls.append(dhsic_test(x, y, z, n_permutations=30, **options).null)
    assert np.array_equal(*nulls)


@pytest.mark.parametrize(
    ("views", "options", "error", "match"),
    [
        (([1.0, 2.0],), {}, ShapeError, "two views"),
        (([1.0], [1.0], [1.0]), {}, EmptyInputError, "fewer than 2"),
        (([1.0, 2.0], [1.0, 2.0], [1.0]), {}, EmptyInputError, "view 3"),
        (([1.0, 2.0], [1.0, 2.0], [1.0, 2.0, 3.0]), {}, ShapeError, "view 3"),
        (([1.0, 2.0], [1.0, 2.0]), {"kernels": [RBF()]}, ParameterError, "one for each"),
    ],
)
def test_bad_input(views, options, error, match):
    with pytest.raises(error, match=match):
        dhsic_test(*views, **options)


def test_matrices_beyond_the_budget():
    X = np.zeros((400, 1))
    with mercer.config_context(memory_budget="1 MB"), pytest.raises(MemoryBudgetError):
        dhsic_test(X, X, X)


def test_constant_views_have_p_1():
    x = np.arange(20.0)
    assert dhsic_test(np.ones(20), np.ones(20), x, n_permutations=19).pvalue == 1.0


def test_the_level_holds():
    rng = np.random.default_rng(7)
    rejected = 0
    for _ in range(300):
        x, y, z = rng.standard_normal((3, 30))
        options = {"kernels": RBF(), "n_permutations": 39, "random_state": rng}
        rejected += dhsic_test(x, y, z, **options).rejects()
    assert abs(rejected / 300 - 0.05) <= 3 * np.sqrt(0.05 * 0.95 / 300)
