"""Densities by windows against scikit-learn's, against sums of logarithms, and against their own
integrals and samples.
"""

from __future__ import annotations

import functools
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from scipy import integrate, special, stats
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KernelDensity as Theirs
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import parametrize_with_checks

from mercer import (
    RBF,
    Constant,
    Cosine,
    Exponential,
    InverseMultiquadric,
    Jaccard,
    KernelDensity,
    Laplacian,
    Linear,
    Matern,
    NegativeDistance,
    RationalQuadratic,
    Wendland,
    White,
    config_context,
    errors,
)
from mercer.errors import DataWarning
from mercer.estimators.density.windows import WINDOWS

NAMES = ["gaussian", "tophat", "epanechnikov", "exponential", "linear", "cosine"]
COMPACT = ["tophat", "epanechnikov", "linear", "cosine"]


@parametrize_with_checks(
    [KernelDensity(kernel="epanechnikov", algorithm="tree"), KernelDensity(kernel=RBF())]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def samples(n: int = 120, d: int = 2, seed: int = 0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, d)), 1.5 * rng.standard_normal((80, d))


def log_window(name: str, s: np.ndarray) -> np.ndarray:
    """Log of the window at s bandwidths from its middle."""
    inside = np.minimum(s, 1.0)
    with np.errstate(divide="ignore"):
        compact = {
            "tophat": np.zeros_like(s),
            "epanechnikov": np.log1p(-(inside**2)),
            "linear": np.log1p(-inside),
            "cosine": np.log(np.cos(0.5 * np.pi * inside)),
        }
    return (
        np.where(s < 1, compact[name], -np.inf)
        if name in compact
        else -s
        if name == "exponential"
        else -0.5 * s**2
    )


@functools.cache
def log_integral(name: str, d: int) -> float:
    """Log of the window's integral over R^d: the surface of the sphere times ∫ r^{d−1} w(r) dr."""
    end = 1.0 if name in COMPACT else 60.0 + 6 * d
    moment = integrate.quad(
        lambda r: r ** (d - 1) * np.exp(log_window(name, np.array(r))),
        0,
        end,
        epsabs=0,
        epsrel=1e-12,
        limit=500,
    )[0]
    return float(np.log(2 * np.pi ** (d / 2)) - special.gammaln(d / 2) + np.log(moment))


def brute(name, X, new, h, weight=None):
    weight = np.ones(len(X)) if weight is None else weight
    with np.errstate(divide="ignore"):
        terms = log_window(name, cdist(new, X) / h) + np.log(weight)
    return (
        special.logsumexp(terms, axis=1)
        - np.log(weight.sum())
        - log_integral(name, X.shape[1])
        - X.shape[1] * np.log(h)
    )


def window(name):
    return KernelDensity(kernel=name, bandwidth=0.7)


# -- equal to scikit-learn, and to the definition
# ----------------------------------------------------------------------


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("d", [1, 2, 5])
@pytest.mark.parametrize("name", NAMES)
def test_scikit_learns_density(name, d, weighted):
    if name == "cosine" and d % 2 == 0:
        pytest.skip("there scikit-learn's window does not integrate to 1")
    X, new = samples(d=d)
    weight = np.random.default_rng(1).uniform(0.1, 3.0, len(X)) if weighted else None
    ours = KernelDensity(bandwidth=0.8, kernel=name).fit(X, sample_weight=weight)
    theirs = Theirs(bandwidth=0.8, kernel=name, rtol=1e-12, atol=0).fit(X, sample_weight=weight)
    found, expected = ours.score_samples(new), theirs.score_samples(new)
    reached = np.isfinite(found)
    np.testing.assert_allclose(np.exp(found), np.exp(expected), atol=1e-6)
    np.testing.assert_allclose(found[reached], expected[reached], atol=2e-5)
    assert (expected[~reached] < -30).all()


@pytest.mark.parametrize("algorithm", ["auto", "tile", "tree", "kd_tree", "ball_tree"])
@pytest.mark.parametrize("d", [1, 3, 7])
@pytest.mark.parametrize("name", NAMES)
def test_the_definition(name, d, algorithm):
    X, new = samples(d=d)
    weight = np.random.default_rng(1).uniform(0.1, 3.0, len(X))
    for h in (0.3, 2.5):
        model = KernelDensity(bandwidth=h, kernel=name, algorithm=algorithm).fit(
            X, sample_weight=weight
        )
        np.testing.assert_allclose(
            model.score_samples(new), brute(name, X, new, h, weight), rtol=1e-10, atol=1e-10
        )
        assert model.normalized_ and model.bandwidth_ == h


@pytest.mark.parametrize("name", COMPACT)
@pytest.mark.parametrize("n", [500, 3000])
def test_tiles_and_trees_agree(name, n):
    X, new = samples(n, 2)
    tile, tree, auto = (
        KernelDensity(bandwidth=0.1, kernel=name, algorithm=a).fit(X)
        for a in ("tile", "tree", "auto")
    )
    np.testing.assert_allclose(tree.score_samples(new), tile.score_samples(new), atol=1e-10)
    np.testing.assert_allclose(auto.score_samples(new), tile.score_samples(new), atol=1e-10)
    assert "tree" in tree.report_.plan and "tree" not in tile.report_.plan


@pytest.mark.parametrize("algorithm", ["tile", "tree"])
@pytest.mark.parametrize("h", [1.0, 2.0, 3.0, 7.0, 10.0])
def test_the_edge_of_a_window_is_outside(h, algorithm):
    """Whole numbers, so that distances equal the bandwidth exactly; scikit-learn leaves them out
    too.
    """
    X = np.arange(60.0)[:, None]
    for name in COMPACT:
        found = KernelDensity(bandwidth=h, kernel=name, algorithm=algorithm).fit(X).score_samples(X)
        np.testing.assert_allclose(found, brute(name, X, X, h), atol=1e-10)
    theirs = Theirs(bandwidth=h, kernel="tophat").fit(X).score_samples(X)
    found = KernelDensity(bandwidth=h, kernel="tophat", algorithm=algorithm).fit(X).score_samples(X)
    np.testing.assert_allclose(found, theirs, atol=1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_the_integral_is_one(name):
    X = np.array([[-1.0], [0.3], [0.5], [2.0]])
    grid = np.linspace(-25.0, 25.0, 200_001)
    density = np.exp(window(name).fit(X).score_samples(grid[:, None]))
    assert integrate.trapezoid(density, grid) == pytest.approx(1.0, abs=1e-3)
    step = np.linspace(-9.0, 9.0, 301)
    plane = np.stack(np.meshgrid(step, step), axis=-1).reshape(-1, 2)
    model = KernelDensity(bandwidth=0.9, kernel=name).fit([[0.0, 0.5], [1.0, -0.5]])
    assert np.exp(model.score_samples(plane)).sum() * (step[1] - step[0]) ** 2 == pytest.approx(
        1.0, abs=5e-3
    )


@pytest.mark.parametrize("d", [1, 2, 3, 10, 50])
@pytest.mark.parametrize("name", NAMES)
def test_the_windows_know_their_integrals(name, d):
    assert WINDOWS[name].log_integral(d, 1.0) == pytest.approx(log_integral(name, d), abs=1e-7)
    assert WINDOWS[name].log_integral(d, 2.0) == pytest.approx(
        log_integral(name, d) + d * np.log(2), abs=1e-7
    )


@pytest.mark.parametrize("name", ["gaussian", "exponential"])
def test_far_points_have_finite_logarithms(name):
    X, _ = samples(d=3)
    far = np.array([[60.0, 0.0, 0.0], [1e4, 1e4, 0.0], [1e8, 0.0, 0.0]])
    for weight in (None, np.linspace(0.1, 2.0, len(X))):
        found = (
            KernelDensity(bandwidth=0.5, kernel=name)
            .fit(X, sample_weight=weight)
            .score_samples(far)
        )
        assert np.isfinite(found).all()
        np.testing.assert_allclose(found, brute(name, X, far, 0.5, weight), rtol=1e-10)


def test_far_points_under_an_rbf_kernel_are_those_under_the_gaussian_window():
    X, _ = samples(d=3)
    far = np.array([[5.0, 0.0, 0.0], [60.0, 0.0, 0.0], [1e4, 1e4, 0.0]])
    expected = KernelDensity(bandwidth=0.5).fit(X).score_samples(far)
    np.testing.assert_allclose(
        KernelDensity(kernel=RBF(length_scale=0.5)).fit(X).score_samples(far), expected, rtol=1e-10
    )


@pytest.mark.parametrize("name", COMPACT)
def test_compact_windows_end(name):
    X, _ = samples(d=2)
    for algorithm in ("tile", "tree"):
        model = KernelDensity(kernel=name, algorithm=algorithm).fit(X)
        assert (
            model.score_samples([[50.0, 0.0]]).tolist() == [-np.inf]
            and model.score([[50.0, 0.0]]) == -np.inf
        )


def test_an_rbf_with_a_scale_per_column_is_a_product_of_normals():
    X, new = samples(d=2)
    model = KernelDensity(kernel=RBF(length_scale=[0.5, 2.0])).fit(X)
    expected = np.log(
        np.mean(
            [
                stats.norm(x[0], 0.5).pdf(new[:, 0]) * stats.norm(x[1], 2.0).pdf(new[:, 1])
                for x in X
            ],
            axis=0,
        )
    )
    np.testing.assert_allclose(model.score_samples(new), expected, atol=1e-10)
    assert model.normalized_
    drawn = model.sample(20_000, random_state=0)
    np.testing.assert_allclose(drawn.var(axis=0), X.var(axis=0) + np.array([0.25, 4.0]), rtol=0.05)


def test_the_score_is_the_total():
    X, new = samples()
    model = KernelDensity().fit(X)
    assert (
        model.score(new)
        == pytest.approx(model.score_samples(new).sum())
        == pytest.approx(Theirs().fit(X).score(new), abs=1e-4)
    )


# -- weights
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bandwidth", [0.5, "scott", "silverman", "reference"])
@pytest.mark.parametrize("name", ["gaussian", "epanechnikov", RBF()], ids=str)
def test_a_weight_is_a_number_of_copies(name, bandwidth, rng):
    X, new = samples()
    weight = rng.integers(0, 3, len(X))
    model = KernelDensity(kernel=name, bandwidth=bandwidth)
    a, b = clone(model).fit(X, sample_weight=weight), clone(model).fit(np.repeat(X, weight, axis=0))
    np.testing.assert_allclose(a.score_samples(new), b.score_samples(new), atol=1e-10)


# -- bandwidths
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("d", [1, 4])
def test_rules_for_the_bandwidth(d):
    X, _ = samples(d=d)
    X = X * np.linspace(1.0, 3.0, d)
    n = len(X)
    for rule in ("scott", "silverman"):
        assert KernelDensity(bandwidth=rule).fit(X).bandwidth_ == pytest.approx(
            Theirs(bandwidth=rule).fit(X).bandwidth_, rel=1e-12
        )
    reference = (n * (d + 2) / 4) ** (-1 / (d + 4)) * X.std(axis=0).mean()
    assert KernelDensity(bandwidth="reference").fit(X).bandwidth_ == pytest.approx(
        reference, rel=1e-12
    )


def left_out(name, X, h):
    """The mean log-density of every sample under the others."""
    terms = log_window(name, cdist(X, X) / h)
    np.fill_diagonal(terms, -np.inf)
    return (
        special.logsumexp(terms, axis=1)
        - np.log(len(X) - 1)
        - log_integral(name, X.shape[1])
        - X.shape[1] * np.log(h)
    ).mean()


def clusters(n: int, gap: float):
    rng = np.random.default_rng(0)
    return rng.standard_normal((n, 1)) + gap * (np.arange(n) % 2)[:, None]


@pytest.mark.parametrize(
    "X",
    [
        samples(80, 1)[0],
        samples(60, 3)[0],
        clusters(80, 20.0),
        clusters(80, 1000.0),
        np.exp(2 * samples(80, 1)[0]),
    ],
    ids=["line", "space", "two clusters", "two far clusters", "skewed"],
)
@pytest.mark.parametrize("name", ["gaussian", "exponential"])
def test_the_likelihood_is_largest_at_the_bandwidth_found(name, X):
    model = KernelDensity(kernel=name, bandwidth="likelihood").fit(X)
    grid = X.std() * np.exp(np.linspace(-9.0, 2.0, 331))
    values = np.array([left_out(name, X, h) for h in grid])
    best = int(np.argmax(values))
    assert 0 < best < len(grid) - 1
    assert left_out(name, X, model.bandwidth_) >= values[best] - 1e-5
    assert model.bandwidth_ == pytest.approx(grid[best], rel=0.03)
    assert model.loo_log_likelihood_ == pytest.approx(left_out(name, X, model.bandwidth_), rel=1e-9)


def test_the_likelihood_of_a_compact_window():
    X, _ = samples(60, 1)
    model = KernelDensity(kernel="epanechnikov", bandwidth="likelihood").fit(X)
    grid = X.std() * np.exp(np.linspace(-5.0, 2.0, 700))
    assert (
        left_out("epanechnikov", X, model.bandwidth_)
        >= max(left_out("epanechnikov", X, h) for h in grid) - 1e-3
    )


def test_bandwidths_by_search():
    X, _ = samples(150, 1)
    search = GridSearchCV(KernelDensity(), {"bandwidth": [0.01, 0.4, 20.0]}).fit(X)
    assert search.best_params_ == {"bandwidth": 0.4}
    search = GridSearchCV(
        KernelDensity(kernel=RBF()), {"kernel__length_scale": [0.01, 0.4, 20.0]}
    ).fit(X)
    assert search.best_params_ == {"kernel__length_scale": 0.4}


# -- drawing from it
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_draws_follow_the_density(name):
    X = np.array([[0.0], [3.0]])
    model = KernelDensity(bandwidth=0.8, kernel=name).fit(X, sample_weight=[1.0, 3.0])
    drawn = model.sample(4000, random_state=0)[:, 0]
    grid = np.linspace(-30.0, 30.0, 60_001)
    density = np.exp(model.score_samples(grid[:, None]))
    cumulative = integrate.cumulative_trapezoid(density, grid, initial=0.0)
    assert stats.kstest(drawn, lambda x: np.interp(x, grid, cumulative)).pvalue > 0.001


@pytest.mark.parametrize("d", [2, 5])
@pytest.mark.parametrize("name", NAMES)
def test_the_distances_of_draws_follow_the_window(name, d):
    drawn = (
        KernelDensity(bandwidth=2.0, kernel=name)
        .fit(np.full((1, d), 7.0))
        .sample(4000, random_state=1)
        - 7.0
    )
    radius = np.linalg.norm(drawn, axis=1) / 2.0
    grid = np.linspace(0.0, 1.0 if name in COMPACT else 40.0, 40_001)
    with np.errstate(divide="ignore"):
        cumulative = integrate.cumulative_trapezoid(
            np.exp(log_window(name, grid)) * grid ** (d - 1), grid, initial=0.0
        )
    cumulative /= cumulative[-1]
    assert stats.kstest(radius, lambda r: np.interp(r, grid, cumulative)).pvalue > 0.001
    np.testing.assert_allclose(drawn.mean(axis=0), 0.0, atol=5 * drawn.std() / np.sqrt(4000))


def test_draws_repeat_with_their_seed():
    X, _ = samples()
    model = KernelDensity().fit(X)
    assert model.sample().shape == (1, 2)
    np.testing.assert_array_equal(model.sample(5, random_state=3), model.sample(5, random_state=3))
    assert not np.array_equal(model.sample(5, random_state=3), model.sample(5, random_state=4))
    with pytest.raises(errors.ParameterError, match="drawn"):
        KernelDensity(kernel="precomputed").fit(RBF()(X)).sample()
    for wrong in (0, -1, 2.5, "3"):
        with pytest.raises(ValueError, match="n_samples"):
            model.sample(wrong)


# -- kernels of every sort
# ---------------------------------------------------------------------------------------------


def test_ways_to_name_a_kernel():
    X, new = samples()
    expected = KernelDensity(bandwidth=2.0).fit(X).score_samples(new)
    for kernel in (RBF(length_scale=2.0), "RBF(length_scale=2.0)"):
        np.testing.assert_allclose(
            KernelDensity(kernel=kernel).fit(X).score_samples(new), expected, atol=1e-10
        )
    k = RBF(length_scale=2.0)
    given = KernelDensity(kernel="precomputed").fit(k(X))
    constant = np.log(2 * np.pi * 4.0)
    np.testing.assert_allclose(given.score_samples(k(new, X)) - constant, expected, atol=1e-10)
    assert not given.normalized_
    scores = (
        cross_val_score(KernelDensity(kernel="precomputed"), k(X)),
        cross_val_score(KernelDensity(kernel=k), X),
    )
    np.testing.assert_allclose(scores[0] - constant * len(X) / 5, scores[1], atol=1e-8)


def test_the_gaussian_window_is_an_inner_product_with_the_mean():
    X, new = samples()
    mean = RBF(length_scale=0.7)(new, X).mean(axis=1)
    np.testing.assert_allclose(
        np.exp(window("gaussian").fit(X).score_samples(new)), mean / (2 * np.pi * 0.49), rtol=1e-10
    )


def test_sets_in_a_pipeline():
    sets = [{"a", "b"}, {"a", "c"}, {"b", "c"}] * 4
    model = make_pipeline(FunctionTransformer(list), KernelDensity(kernel=Jaccard())).fit(sets)
    common, rare = model.score_samples([{"a", "b"}, {"c", "x", "y"}])
    assert common > rare and model.score_samples([{"q"}]).tolist() == [-np.inf]
    assert common == pytest.approx(np.log(np.mean([1.0, 1 / 3, 1 / 3])))


@pytest.mark.parametrize("name", [*NAMES, RBF()], ids=str)
def test_sparse_rows_are_dense_rows(name):
    X, new = (np.where(np.abs(a) > 0.5, a, 0.0) for a in samples())
    model = KernelDensity(kernel=name, bandwidth=0.9)
    dense, sparse = clone(model).fit(X), clone(model).fit(sp.csr_matrix(X))
    np.testing.assert_allclose(
        sparse.score_samples(sp.csr_matrix(new)), dense.score_samples(new), atol=1e-9
    )
    np.testing.assert_allclose(sparse.sample(3, random_state=0), dense.sample(3, random_state=0))


def test_kernels_that_take_negative_values():
    X, _ = samples()
    with pytest.raises(ValueError, match="has no finite, positive integral"):
        KernelDensity(kernel=NegativeDistance()).fit(X)
    with pytest.raises(ValueError, match="negative"):
        KernelDensity(kernel=lambda a, b: a @ b.T).fit(X).score_samples(-10 * X)


# -- what must hold
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["gaussian", "exponential", "epanechnikov", "cosine"])
@pytest.mark.parametrize("algorithm", ["tile", "tree"])
def test_shifting_the_data_changes_nothing(name, algorithm):
    X, new = (np.round(a * 2**20) / 2**20 for a in samples())
    model = KernelDensity(kernel=name, bandwidth=2.0, algorithm=algorithm)
    near, far = (
        clone(model).fit(X).score_samples(new),
        clone(model).fit(X + 1e6).score_samples(new + 1e6),
    )
    np.testing.assert_allclose(near, far, atol=1e-8)


@pytest.mark.parametrize("rule", ["reference", "likelihood"])
def test_shifting_the_data_does_not_change_the_bandwidth(rule):
    X = np.round(samples()[0] * 2**20) / 2**20
    near, far = (KernelDensity(bandwidth=rule).fit(x).bandwidth_ for x in (X, X + 1e6))
    assert far == pytest.approx(near, rel=1e-6)


@pytest.mark.parametrize("name", ["gaussian", "epanechnikov"])
def test_bits_do_not_depend_on_threads_or_memory(name):
    X, _ = samples(900)
    found = []
    for settings in ({"threads": 1}, {"threads": 2}, {"threads": 2, "memory_budget": "1 MB"}):
        with config_context(**settings):
            model = KernelDensity(
                kernel=name, bandwidth="likelihood" if name == "gaussian" else 0.2
            ).fit(X)
            found.append((model.bandwidth_, model.score_samples(X + 0.1)))
    for other in found[1:]:
        assert found[0][0] == other[0] and np.array_equal(found[0][1], other[1])


def test_duplicates_constants_and_single_samples_are_legal():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in NAMES:
            one = KernelDensity(kernel=name, bandwidth=2.0).fit([[1.0, 2.0]])
            assert one.score_samples([[1.0, 2.0]])[0] == pytest.approx(
                -log_integral(name, 2) - 2 * np.log(2.0)
            )
            same = KernelDensity(kernel=name).fit(np.ones((20, 2)))
            assert same.score_samples(np.ones((1, 2)))[0] == pytest.approx(-log_integral(name, 2))
        X = np.column_stack([np.ones(20), np.arange(20) // 2])
        for rule in ("scott", "silverman", "reference", "likelihood"):
            assert np.isfinite(KernelDensity(bandwidth=rule).fit(X).score(X))


# -- refusals
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", ["reference", "likelihood"])
def test_equal_samples_have_no_bandwidth(rule):
    for X in (np.ones((20, 2)), [[1.0]]):
        with pytest.raises(ValueError, match=r"bandwidth.*give a number"):
            KernelDensity(bandwidth=rule).fit(X)


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"X": np.full((30, 2), np.nan)}, "NaN"),
        ({"X": [["a", "b"]] * 30}, "could not convert|numeric|string"),
        ({"X": np.ones(30)}, "2D"),
        ({"sample_weight": -np.ones(30)}, ">= 0"),
        ({"sample_weight": np.zeros(30)}, "zero or negative"),
        ({"sample_weight": np.ones(7)}, "each of the 30"),
    ],
    ids=lambda v: str(v)[:30],
)
def test_bad_data(change, match):
    with pytest.raises(ValueError, match=match):
        KernelDensity().fit(**{"X": np.arange(60.0).reshape(30, 2), **change})


@pytest.mark.parametrize(
    "options",
    [
        {"bandwidth": 0.0},
        {"bandwidth": -1.0},
        {"bandwidth": "wide"},
        {"bandwidth": np.nan},
        {"bandwidth": np.inf},
        {"kernel": 3},
        {"kernel": "hope"},
        {"algorithm": "much"},
        {"metric": "hope"},
        {"leaf_size": 0},
    ],
    ids=str,
)
def test_bad_parameters(options):
    with pytest.raises(ValueError):
        KernelDensity(**options).fit(samples()[0])


def test_refusals():
    X, _ = samples()
    for call in (lambda: KernelDensity().score_samples(X), lambda: KernelDensity().sample()):
        with pytest.raises(NotFittedError):
            call()
    with pytest.raises(ValueError, match="features"):
        KernelDensity().fit(X).score_samples(X[:, :1])
    with pytest.raises(ValueError, match="square"):
        KernelDensity(kernel="precomputed").fit(X)
    with pytest.raises(ValueError):
        KernelDensity(kernel="precomputed").fit(RBF()(X)).score_samples(RBF()(X)[:, :10])


# -- kernels as windows
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "kernel",
    [
        1.0 * RBF(),
        3.0 * (0.5 * RBF(0.7)),
        Matern(),
        Matern(nu=0.5, length_scale=0.3),
        2.0 * Matern(nu=0.8),
        Exponential(),
        Laplacian(0.5),
        RationalQuadratic(alpha=3.0),
        Wendland(2.0),
        RBF() * Matern(nu=2.5),
        RBF() + 0.5 * Laplacian(),
        RBF() + 0.1 * White(),
        InverseMultiquadric() ** 4,
    ],
    ids=repr,
)
def test_kernels_of_vectors_give_densities(kernel):
    """In one and two dimensions the integral over a wide grid is 1."""
    model = KernelDensity(kernel=kernel).fit([[0.0], [0.5]])
    t = np.sinh(np.linspace(-14, 14, 40001))
    assert model.normalized_
    line = np.exp(model.score_samples(t[:, None]))
    assert integrate.trapezoid(line, t) == pytest.approx(1.0, abs=2e-4)
    plane = KernelDensity(kernel=kernel).fit([[0.0, 0.0]])
    s = np.sinh(np.linspace(-6, 6, 601))
    grid = np.stack(np.meshgrid(s, s), axis=-1).reshape(-1, 2)
    values = np.exp(plane.score_samples(grid)).reshape(len(s), len(s))
    assert integrate.trapezoid(integrate.trapezoid(values, s, axis=0), s) == pytest.approx(
        1.0, abs=5e-3
    )


def test_a_multiple_is_the_same_density():
    X, new = samples()
    far = 50 * new  # where values underflow
    expected = KernelDensity(kernel=RBF()).fit(X)
    scaled = KernelDensity(kernel=7.0 * RBF()).fit(X)
    for Z in (new, far):
        np.testing.assert_allclose(scaled.score_samples(Z), expected.score_samples(Z), rtol=1e-12)
    np.testing.assert_array_equal(
        scaled.sample(3, random_state=0), expected.sample(3, random_state=0)
    )


@pytest.mark.parametrize(
    "kernel",
    [Linear(), RBF() + 1.0, RationalQuadratic(alpha=0.5), InverseMultiquadric(), Cosine()],
    ids=repr,
)
def test_kernels_without_an_integral_are_refused(kernel):
    with pytest.raises(errors.ParameterError, match="has no finite, positive integral over R"):
        KernelDensity(kernel=kernel).fit(samples()[0])


# -- other distances
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("metric", "options"),
    [("manhattan", None), ("chebyshev", None), ("minkowski", {"p": 3}), ("minkowski", {"p": 2})],
)
def test_distances_are_those_of_scikit_learn(name, metric, options):
    X, new = samples()
    weight = np.random.default_rng(3).random(len(X))
    parameters = {"kernel": name, "bandwidth": 1.3, "metric": metric, "metric_params": options}
    ours = KernelDensity(**parameters).fit(X, sample_weight=weight).score_samples(new)
    theirs = Theirs(**parameters).fit(X, sample_weight=weight).score_samples(new)
    inside = np.isfinite(theirs)
    gap = ours[inside] - theirs[inside]
    if name == "cosine":  # its integral in scikit-learn is that of one dimension
        gap = gap - gap[0]
    np.testing.assert_allclose(gap, 0.0, atol=1e-6)
    np.testing.assert_array_equal(np.isfinite(ours), inside)


def test_a_tree_knows_its_metrics():
    X, _ = samples()
    with pytest.raises(ValueError, match="invalid metric"):
        KernelDensity(algorithm="kd_tree", metric="haversine").fit(X)
    assert not KernelDensity(metric="haversine").fit(X).normalized_


@pytest.mark.parametrize("kernel", [Constant(), White(), 2.0 * White(), 3.0 * Constant()])
def test_kernels_of_anything_give_no_density_of_vectors(kernel):
    with pytest.raises(errors.ParameterError, match="no finite, positive integral"):
        KernelDensity(kernel=kernel).fit(np.arange(10.0)[:, None])


def test_a_pull_back_is_warned_of(rng):
    X = rng.standard_normal((30, 1))
    with pytest.warns(DataWarning, match=r"integral over R\^1 is not known"):
        model = KernelDensity(kernel=2.0 * (RBF() @ np.arctan)).fit(X)
    assert not model.normalized_


def test_the_report_names_the_bandwidth_only_where_there_is_one():
    X = np.random.default_rng(0).normal(size=(20, 2))
    own = KernelDensity(kernel=RBF(length_scale=0.5)).fit(X)
    assert own.report_.solver == "mean of the kernel over the samples"
    assert KernelDensity(bandwidth=0.5, kernel="tophat").fit(X).report_.solver == "bandwidth 0.5"


@pytest.mark.parametrize("metric", ["dice", "sokalsneath", "braycurtis", "jaccard"])
def test_rows_of_zeros_are_equal(metric):
    X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 0.0]])
    found = KernelDensity(algorithm="ball_tree", metric=metric).fit(X).score_samples(X)
    assert found[0] == found[2] > found[1]
