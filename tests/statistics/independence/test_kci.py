"""KCI against dense matrices, its null distributions, its regressions, and bad input."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import mercer
from mercer import RBF, NegativeDistance, Sigmoid, Spectrum
from mercer.errors import (
    DefinitenessError,
    DefinitenessWarning,
    EmptyInputError,
    MemoryBudgetError,
    ParameterError,
    ShapeError,
)
from mercer.statistics.independence.kci import kci_test, limit_moments
from mercer.statistics.independence.regression import learn_regression, residuals


def triple(n=60, seed=0, strength=0.0):
    rng = np.random.default_rng(seed)
    z, a, b, c = rng.standard_normal((4, n))
    return z + a + strength * c, np.sin(z) + b + strength * c, z


def dense_statistic(kx, ky, kz, x, y, z, regressions):
    """tr(R_x K̃ R_x · R_y L̃ R_y)/n with dense matrices, by loops in the end."""
    n = len(z)
    H = np.eye(n) - 1 / n
    parts = []
    for K, found in zip((kx(x) * kz(z), ky(y)), regressions):
        Kz = H @ found.kernel(z) @ H
        R = found.noise * np.linalg.inv(Kz + found.noise * np.eye(n))
        parts.append(R @ H @ K @ H @ R)
    return sum(parts[0][i, j] * parts[1][j, i] for i in range(n) for j in range(n)) / n, parts


def test_the_statistic_is_its_definition():
    x, y, z = (v[:, None] for v in triple(40))
    kernels = RBF(1.5), RBF(0.7), RBF(1.0)
    names = dict(zip(("kernel_x", "kernel_y", "kernel_z"), kernels))
    result = kci_test(x, y, z, **names)
    expected, parts = dense_statistic(*kernels, x, y, z, result.regressions)
    assert result.statistic == pytest.approx(expected, rel=1e-8, abs=1e-10)
    # the Gamma distribution has the mean and variance of Σ λ z², λ of the Schur product
    values = np.linalg.eigvalsh(parts[0] * parts[1] / 40)
    factors = [np.linalg.cholesky(P + 1e-13 * np.eye(40)) for P in parts]
    mean, variance = limit_moments(*factors)
    assert mean == pytest.approx(values.sum(), rel=1e-8)
    assert variance == pytest.approx(2 * np.sum(values**2), rel=1e-8)


def test_residuals_by_factors_are_those_by_matrices():
    rng = np.random.default_rng(1)
    A, C = rng.standard_normal((12, 5)), rng.standard_normal((12, 3))
    expected = 0.3 * np.linalg.solve(C @ C.T + 0.3 * np.eye(12), A)
    assert np.allclose(residuals(A, C, 0.3), expected, rtol=0, atol=1e-12)
    assert residuals(A, np.zeros((12, 0)), 0.3) is A


def test_noise_is_learned():
    rng = np.random.default_rng(2)
    z = rng.uniform(-2, 2, (150, 1))
    quiet = learn_regression(RBF(), z, np.sin(z) + 0.1 * rng.standard_normal((150, 1)))
    loud = learn_regression(RBF(), z, np.sin(z) + 3.0 * rng.standard_normal((150, 1)))
    assert quiet.noise < 0.2 < 1.0 < loud.noise


@pytest.mark.parametrize("null", ["gamma", "spectral"])
def test_dependence_through_the_given_view_is_taken_away(null):
    x, y, z = triple(200)
    options = {"null": null, "random_state": 0}
    assert kci_test(x, y, z, **options).pvalue > 0.05
    assert kci_test(x, y, np.zeros(200), **options).pvalue < 0.001
    assert kci_test(*triple(200, strength=1.0), **options).pvalue < 0.001


def test_null_distributions_agree():
    for seed in range(4):
        views = triple(150, seed, strength=0.3)
        gamma = kci_test(*views).pvalue
        spectral = kci_test(*views, null="spectral", random_state=0).pvalue
        assert abs(gamma - spectral) < 0.04
        assert gamma > 0 and spectral > 0


def test_tables_strings_and_categories():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(3)
    group = rng.choice(["a", "b"], 120)
    x = rng.standard_normal(120) + 2 * (group == "a")
    y = rng.standard_normal(120) + 2 * (group == "a")
    table = pandas.DataFrame({"group": group})
    assert kci_test(x, y, table).pvalue > 0.01
    words = [letter * 3 for letter in group]
    assert kci_test(x, y, words, kernel_z=Spectrum(length=2).normalize()).pvalue > 0.01
    x[::10] = np.nan
    assert kci_test(pandas.DataFrame({"x": x}), y, table).pvalue > 0.001


def test_sparse_views_are_those_of_dense_ones():
    rng = np.random.default_rng(4)
    counts = rng.poisson(0.5, (250, 6)).astype(float)
    x, y = counts[:, 0] + rng.standard_normal((2, 250))
    sparse = sp.csr_array(counts)
    options = {"kernel_z": RBF(1.5)}
    found, expected = kci_test(x, y, sparse, **options), kci_test(x, y, counts, **options)
    assert found.pvalue == pytest.approx(expected.pvalue, rel=1e-6)
    assert kci_test(sparse, y, x).pvalue > 0
    assert kci_test(x, y, sparse).pvalue > 0.01


def test_results_do_not_depend_on_threads():
    found = []
    for threads in (1, 2):
        with mercer.config_context(threads=threads):
            found.append(kci_test(*triple(80), null="spectral", random_state=0))
    assert found[0].statistic == found[1].statistic and found[0].pvalue == found[1].pvalue


def test_matrices_beyond_the_budget_are_streamed():
    views = triple(300)
    exact = kci_test(*views)
    with mercer.config_context(memory_budget="1 MB"):
        streamed = kci_test(*views)
        with pytest.raises(MemoryBudgetError, match="gamma"):
            kci_test(*views, null="spectral")
    assert streamed.pvalue == pytest.approx(exact.pvalue, rel=1e-3)


def test_conditionally_positive_and_indefinite_kernels():
    x, y, z = triple(80)
    assert kci_test(x, y, z, kernel_y=NegativeDistance()).pvalue > 0.001
    with pytest.warns(DefinitenessWarning), pytest.raises(DefinitenessError, match="kernel_x"):
        kci_test(x[:, None], y, z, kernel_x=Sigmoid())


def test_constant_views_have_p_1():
    _, y, z = triple(50)
    for views in ((y, np.ones(50), z), (np.ones(50), y, z)):
        for null in ("gamma", "spectral"):
            result = kci_test(*views, null=null, random_state=0)
            assert result.pvalue == 1.0
            assert any("same for all samples" in note for note in result.notes)


def test_text_names_the_regressions():
    text = str(kci_test(*triple(60)))
    assert "X given Z" in text and "noise" in text and "no conditional test" in text


@pytest.mark.parametrize(
    ("views", "options", "error", "match"),
    [
        (([1.0], [1.0], [1.0]), {}, EmptyInputError, "fewer than 2"),
        ((range(5), range(5), range(5)), {}, EmptyInputError, "too few"),
        ((range(20), range(20), range(19)), {}, ShapeError, "Z"),
        ((range(20), range(20), range(20)), {"null": "permutation"}, ParameterError, "null"),
    ],
)
def test_bad_input(views, options, error, match):
    with pytest.raises(error, match=match):
        kci_test(*views, **options)


def test_the_level_is_near_what_was_asked_for():
    rejected = sum(kci_test(*triple(100, seed)).rejects() for seed in range(20))
    assert rejected <= 4
