"""KSD against derivatives by differences and double loops, its scores, and bad input."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate, stats
from sklearn.datasets import make_blobs
from sklearn.mixture import GaussianMixture

import mercer
from mercer import RBF, InverseMultiquadric, Laplacian, Linear, Matern, RationalQuadratic
from mercer.errors import (
    EmptyInputError,
    InputTypeError,
    NotDifferentiableError,
    ParameterError,
    ShapeError,
)
from mercer.statistics.fit.ksd import ksd_test
from mercer.statistics.fit.samplers import sampler_of
from mercer.statistics.fit.stein import stein_block, stein_terms

KERNELS = [
    RBF(),
    RBF([0.5, 2.0]),
    RationalQuadratic(1.3, alpha=0.7),
    InverseMultiquadric(0.8),
    Matern(1.4, nu=2.5),
    0.3 * RBF() + RationalQuadratic([1.0, 2.0], alpha=2.0),
    RBF([0.5, 2.0]).on([0, 1]),
]


def naive_stein(kernel, score, x, y, h=1e-4):
    """h(x, y) by differences of the kernel."""

    def k(a, b):
        return float(kernel(a[None], b[None])[0, 0])

    e = np.eye(len(x)) * h
    by_x = np.array([(k(x + s, y) - k(x - s, y)) / (2 * h) for s in e])
    by_y = np.array([(k(x, y + s) - k(x, y - s)) / (2 * h) for s in e])
    both = [
        (k(x + s, y + s) - k(x + s, y - s) - k(x - s, y + s) + k(x - s, y - s)) / (4 * h * h)
        for s in e
    ]
    sx, sy = score(x), score(y)
    return sx @ sy * k(x, y) + sx @ by_y + sy @ by_x + sum(both)


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_stein_kernels_are_derivatives_of_kernels(kernel):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((5, 2))
    S = -(X**3)
    H = stein_block(stein_terms(kernel, 2), X, S, 0, 5)
    for i in range(5):
        for j in range(5):
            expected = naive_stein(kernel, lambda x: -(x**3), X[i], X[j])
            assert H[i, j] == pytest.approx(expected, abs=2e-5)
    assert np.allclose(H, H.T, rtol=0, atol=1e-12)
    assert np.linalg.eigvalsh(H)[0] > -1e-10


def test_the_statistic_and_its_null_are_double_sums():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((300, 2))  # more than one block of rows
    result = ksd_test(X, lambda x: -x, kernel=RBF(), n_permutations=4, random_state=5)
    n, total = len(X), 0.0
    K = RBF()(X)
    signs = 2 * np.random.default_rng(5).integers(0, 2, (n, 4), dtype=np.int8) - 1.0
    H = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            d = X[i] - X[j]
            inner = X[i] @ X[j] - X[i] @ d + X[j] @ d + 2 - d @ d
            H[i, j] = K[i, j] * inner
            total += H[i, j]
    assert result.statistic == pytest.approx(total / n**2, rel=1e-10)
    expected = np.einsum("ic,ij,jc->c", signs, H, signs) / n**2
    assert np.allclose(result.null, expected, rtol=1e-9)


def test_the_mean_of_a_stein_kernel_is_zero():
    """∫ h(x, y) p(y) dy = 0, by quadrature."""
    y = np.linspace(-9, 9, 4001)[:, None]
    p = stats.norm.pdf(y[:, 0])
    for kernel in (RBF(0.8), RationalQuadratic(alpha=0.5), Matern(nu=2.5), InverseMultiquadric()):
        points = np.concatenate([[[0.7]], y])
        row = stein_block(stein_terms(kernel, 1), points, -points, 0, 1)[0, 1:]
        assert abs(integrate.trapezoid(row * p, y[:, 0])) < 1e-8


def test_scores_of_scipy_distributions():
    x = np.linspace(-3, 3, 13)
    from mercer.statistics.fit.scores import score_function

    cases = [
        (stats.norm(0.5, 2.0), (0.5 - x) / 4),
        (stats.t(4.0), -5 * x / (4 + x**2)),
        (stats.logistic(), -np.tanh(x / 2)),
        (stats.laplace(0.1), -np.sign(x - 0.1)),
    ]
    for distribution, expected in cases:
        found = score_function(distribution, 1)(x[:, None])[:, 0]
        assert np.allclose(found, expected, rtol=1e-6, atol=1e-7)
    positive = np.array([[0.3], [1.0], [4.0]])
    found = score_function(stats.gamma(3.0), 1)(positive)
    assert np.allclose(found, 2 / positive - 1, rtol=1e-6)
    normal = stats.multivariate_normal([1.0, 0.0], [[2.0, 0.5], [0.5, 1.0]])
    X = np.random.default_rng(0).standard_normal((6, 2))
    expected = -(X - [1.0, 0.0]) @ np.linalg.inv([[2.0, 0.5], [0.5, 1.0]])
    assert np.allclose(score_function(normal, 2)(X), expected)
    both = score_function([stats.norm(), stats.t(4.0)], 2)(X)
    assert np.allclose(both[:, 0], -X[:, 0], atol=1e-7)


@pytest.mark.parametrize("kind", ["full", "tied", "diag", "spherical"])
def test_scores_of_mixtures_are_gradients(kind):
    from sklearn.mixture import GaussianMixture

    from mercer.statistics.fit.scores import score_function

    rng = np.random.default_rng(2)
    data = np.concatenate([rng.standard_normal((60, 2)), rng.normal(3, 0.5, (40, 2))])
    model = GaussianMixture(2, covariance_type=kind, random_state=0).fit(data)
    check_gradient(score_function(model, 2), model.score_samples, data[::9])


def check_gradient(score, log_density, X, h=1e-5):
    found = score(X)
    for j in range(X.shape[1]):
        step = np.eye(X.shape[1])[j] * h
        slope = (log_density(X + step) - log_density(X - step)) / (2 * h)
        assert np.allclose(found[:, j], slope, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("window", ["gaussian", "matern", "scikit-learn"])
def test_scores_of_kernel_densities_are_gradients(window):
    import sklearn.neighbors

    from mercer.statistics.fit.scores import score_function

    rng = np.random.default_rng(3)
    data, weight = rng.standard_normal((40, 2)), rng.uniform(0.5, 2.0, 40)
    model = mercer.KernelDensity(bandwidth=0.6)
    if window == "matern":
        model = mercer.KernelDensity(kernel=Matern(0.8, nu=2.5))
    if window == "scikit-learn":
        model = sklearn.neighbors.KernelDensity(bandwidth=0.6)
    model.fit(data, sample_weight=weight)
    check_gradient(score_function(model, 2), model.score_samples, rng.standard_normal((7, 2)))


def test_power_and_level():
    rng = np.random.default_rng(4)
    rejected = 0
    for _ in range(100):
        X = rng.standard_normal((200, 2))
        rejected += ksd_test(X, lambda x: -x, n_permutations=99, random_state=rng).rejects()
    assert rejected <= 5 + 3 * np.sqrt(100 * 0.05 * 0.95)
    heavy = rng.standard_t(2, (400, 2))
    assert ksd_test(heavy, lambda x: -x, random_state=0).pvalue == 0.001
    assert ksd_test(rng.gamma(3.0, size=400), stats.gamma(3.0), random_state=0).pvalue > 0.01


def test_fit_test():
    from mercer.statistics.fit.models import fit_test

    rng = np.random.default_rng(5)
    train = rng.standard_normal((400, 1))
    model = mercer.KernelDensity(bandwidth=0.3).fit(train)
    assert fit_test(model, rng.standard_normal((200, 1)), random_state=0).pvalue > 0.01
    assert fit_test(model, rng.normal(1.0, 1.0, (200, 1)), random_state=0).pvalue == 0.001
    assert any("fitted on these" in note for note in fit_test(model, train).notes)
    with pytest.raises(InputTypeError, match="no density"):
        fit_test(mercer.KernelRidge(), train)
    with pytest.raises(InputTypeError, match="not fitted"):
        fit_test(mercer.KernelDensity(), train)
    with pytest.raises(NotDifferentiableError):
        fit_test(mercer.KernelDensity(kernel="tophat").fit(train), train)


def test_threads_and_groups():
    rng = np.random.default_rng(6)
    X = np.repeat(rng.standard_normal((40, 2)), 10, axis=0)
    groups = np.repeat(np.arange(40), 10)
    nulls = []
    for threads in (1, 2):
        with mercer.config_context(threads=threads):
            options = {"n_permutations": 50, "random_state": 0}
            nulls.append(ksd_test(X, lambda x: -x, groups=groups, **options).null)
    assert np.array_equal(*nulls)
    assert ksd_test(X, lambda x: -x, random_state=0).pvalue < 0.01  # 400 samples that are 40
    assert ksd_test(X, lambda x: -x, groups=groups, random_state=0).pvalue > 0.01


def score_of_wrong_shape(X):
    return X[:, :1]


X2 = np.random.default_rng(7).standard_normal((20, 2))


@pytest.mark.parametrize(
    ("X", "score", "options", "error", "match"),
    [
        (X2, score_of_wrong_shape, {}, ShapeError, r"\(20, 2\)"),
        (X2, lambda X: X / 0.0, {}, ShapeError, "not finite"),
        (X2, lambda X: "steep", {}, InputTypeError, "score.*numbers"),
        (X2, 3, {}, InputTypeError, "score"),
        (X2, stats.norm(), {}, ShapeError, "2 columns"),
        (X2, stats.multivariate_normal([0.0] * 3), {}, ShapeError, "2 columns"),
        (X2, [stats.norm(), "normal"], {}, InputTypeError, "frozen"),
        (X2[:1], lambda X: -X, {}, EmptyInputError, "fewer than 2"),
        (X2[:0], lambda X: -X, {}, EmptyInputError, "fewer than 2"),
        ([[np.nan, 1.0], [1.0, 2.0]], lambda X: -X, {}, ShapeError, "row 0"),
        (X2, lambda X: -X, {"kernel": Laplacian()}, NotDifferentiableError, "second"),
        (X2, lambda X: -X, {"kernel": Linear()}, NotDifferentiableError, "second"),
        (X2[:, 0] ** 2, stats.expon(), {}, ParameterError, "vanish"),
        (X2[:, 0] ** 2, stats.uniform(), {}, ParameterError, "vanish"),
        (X2[:, 0], stats.gamma(3.0), {}, ShapeError, "not finite"),
        (["a", "b", "c"], lambda X: -X, {}, InputTypeError, "numbers"),
    ],
)
def test_bad_input(X, score, options, error, match):
    with np.errstate(all="ignore"), pytest.raises(error, match=match):
        ksd_test(X, score, **options)


def test_constant_columns_and_few_samples():
    result = ksd_test(np.ones((30, 1)), lambda x: -x, random_state=0)
    assert 0 < result.pvalue <= 1
    assert any("many samples" in note for note in result.notes)


def test_samples_without_a_scale_are_told():
    X = np.random.default_rng(0).standard_normal((20, 2))
    with pytest.raises(InputTypeError, match="rows of numbers"):
        ksd_test([["a", "b"]] * 20, lambda x: -x)
    with pytest.raises(ParameterError, match="finite variance; scale"):
        ksd_test(1e200 * X, lambda x: -x)


def test_skewed_scores_are_named():
    heights = np.random.default_rng(0).lognormal(size=(200, 1))
    options = {"n_permutations": 19, "random_state": 0}
    skewed = ksd_test(heights, stats.lognorm(1.0), null="bootstrap", **options)
    assert "skewed" in " ".join(skewed.notes) and "column 0" in " ".join(skewed.notes)
    for rows, score in ((np.log(heights), stats.norm()), (np.zeros((30, 1)), lambda x: -x)):
        test = ksd_test(rows, score, **options)
        assert "skewed" not in " ".join(test.notes) and test.how == "wild bootstrap"


# -- null distributions of simulated samples


def test_samples_are_simulated_where_scores_are_skewed():
    law, n = stats.lognorm(1.0), 40
    heights = law.rvs((n, 1), random_state=1)
    test = ksd_test(heights, law, n_permutations=5, random_state=0)
    assert test.how == "samples of the density" and "skewed" not in str(test)
    rng = np.random.default_rng(0)
    for value in test.null:
        drawn = law.rvs((n, 1), random_state=rng)
        again = ksd_test(drawn, law, n_permutations=1, null="bootstrap")
        assert again.statistic == pytest.approx(value, rel=1e-12)
    grouped = ksd_test(heights, law, n_permutations=5, groups=np.arange(n) // 2)
    assert grouped.how == "wild bootstrap" and "skewed" in str(grouped)


DENSITIES = {
    "columns": [stats.norm(), stats.gamma(3.0)],
    "normal": stats.multivariate_normal([1.0, 2.0], [[2.0, 0.5], [0.5, 1.0]]),
    "mixture": GaussianMixture(2, random_state=0).fit(make_blobs(90, centers=2, random_state=0)[0]),
    "density": mercer.KernelDensity(bandwidth=0.5).fit(make_blobs(90, random_state=0)[0]),
}


@pytest.mark.parametrize("name", DENSITIES)
def test_every_density_that_is_known_is_sampled(name):
    score = DENSITIES[name]
    drawn = sampler_of(score)(60, np.random.default_rng(3))
    assert drawn.shape == (60, 2)
    options = {"n_permutations": 39, "null": "simulated", "random_state": 0}
    test = ksd_test(drawn, score, **options)
    assert test.pvalue > 0.05
    assert ksd_test(drawn + 2.0, score, **options).pvalue == 1 / 40
    assert (ksd_test(drawn, score, **options).null == test.null).all()


@pytest.mark.parametrize("law", [stats.gamma(3.0), stats.lognorm(1.0)], ids=["Gamma", "lognormal"])
def test_the_level_of_simulated_samples_holds_for_skewed_scores(law):
    rng, rejected, count = np.random.default_rng(0), 0, 100
    for _ in range(count):
        rows = law.rvs((30, 1), random_state=rng)
        rejected += ksd_test(
            rows, law, n_permutations=19, null="simulated", random_state=rng
        ).rejects()
    assert rejected / count <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / count)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"null": "exact"}, "must be 'auto', 'bootstrap' or 'simulated'"),
        ({"null": "simulated"}, "needs a density that can be sampled"),
    ],
)
def test_null_distributions_that_are_refused(options, message):
    with pytest.raises(ParameterError, match=message):
        ksd_test(np.zeros((30, 1)), lambda x: -x, **options)
