"""KernelSearch: scores against refitting, the kernel found, and what is said of it."""

from __future__ import annotations

import numpy as np
import pytest

import mercer
from mercer import (
    RBF,
    GaussianProcessRegressor,
    Jaccard,
    KernelSearch,
    Linear,
    Matern,
    Periodic,
    Product,
    RationalQuadratic,
    Scaled,
    Spectrum,
    Sum,
)
from mercer.estimators.learning.terms import additive_terms
from mercer.estimators.search.expression import Expression, Term
from mercer.estimators.search.likelihood import Likelihood, Samples
from mercer.estimators.search.ranges import Ranges
from mercer.solvers.gp import left_out
from mercer.solvers.gp.evidence import evidence

QUICK = [RBF(), Periodic(), Linear().center()]


def series(n: int = 60, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = np.sort(rng.uniform(0, 6, n))
    return x[:, None], 2 * x + np.sin(2 * np.pi * x) + 0.1 * rng.standard_normal(n)


@pytest.fixture(scope="module")
def found() -> KernelSearch:
    return KernelSearch(QUICK, depth=1).fit(*series())


def forms(kernel) -> list[str]:
    """The names of the factors of every term."""
    terms = kernel.terms if isinstance(kernel, Sum) else [kernel]
    bare = [term.kernel if isinstance(term, Scaled) else term for term in terms]
    factors = [term.terms if isinstance(term, Product) else [term] for term in bare]
    return sorted("*".join(sorted(repr(f).split("(")[0] for f in each)) for each in factors)


# -- densities of what is left out -----------------------------------------------------------------


def dense_problem() -> tuple[np.ndarray, np.ndarray]:
    X, y = series(30)
    K = RBF()(X) + 0.1 * np.eye(30)
    return K, y[:, None] - y.mean()


def conditional(K: np.ndarray, y: np.ndarray, rows: np.ndarray, given: np.ndarray) -> float:
    """log p(y at rows | y at the given ones), from the definition."""
    cross = np.linalg.solve(K[np.ix_(given, given)], K[np.ix_(given, rows)])
    mean = cross.T @ y[given]
    covariance = K[np.ix_(rows, rows)] - K[np.ix_(rows, given)] @ cross
    gap = y[rows] - mean
    form = float(gap @ np.linalg.solve(covariance, gap))
    return -0.5 * (form + np.linalg.slogdet(2 * np.pi * covariance)[1])


@pytest.mark.parametrize("count", [30, 7])
def test_leaving_blocks_out_is_refitting_without_them(count):
    K, Y = dense_problem()
    blocks = np.array_split(np.arange(30), count)
    result = evidence(K.copy(), 0.0, Y)
    values = left_out.given_other_blocks(result.upper, result.alpha, blocks)
    everything = np.arange(30)
    expected = [conditional(K, Y[:, 0], b, np.setdiff1d(everything, b)) for b in blocks]
    np.testing.assert_allclose(values, expected, rtol=1e-9)
    if count == 30:
        alone = left_out.given_all_others(result.upper, result.alpha)
        np.testing.assert_allclose(alone, expected, rtol=1e-9)


def test_densities_given_those_before_add_up_to_the_evidence():
    K, Y = dense_problem()
    result = evidence(K.copy(), 0.0, Y)
    steps = left_out.given_those_before(result.upper, Y)
    np.testing.assert_allclose(steps.sum(), result.value, rtol=1e-12)
    np.testing.assert_allclose(steps[9], conditional(K, Y[:, 0], np.r_[9], np.arange(9)))


# -- the evidence of an expression -----------------------------------------------------------------


def test_the_evidence_and_its_gradient_are_those_of_a_gaussian_process():
    X, y = series()
    smooth = Matern(nu=1.5, length_scale=2.0)  # which has no short cut
    expression = Expression(
        (
            Term(0.5, (RBF(1.5), Periodic(1.1, 0.8))),
            Term(0.3, (RationalQuadratic(0.7, 2.0),)),
            Term(0.1, (Linear().center().fit(X), smooth)),
        ),
        0.05,
    )
    y = (y - y.mean()) / y.std()
    problem = Likelihood(Samples(X, y, Ranges(X)), expression)
    value, gradient = problem(problem.theta)
    process = GaussianProcessRegressor(expression.kernel(), alpha=0.05, optimizer=None).fit(X, y)
    np.testing.assert_allclose(-value, process.log_marginal_likelihood_value_, rtol=1e-10)
    steps = 1e-5 * np.eye(len(gradient))
    numeric = [
        (problem(problem.theta + h)[0] - problem(problem.theta - h)[0]) / 2e-5 for h in steps
    ]
    np.testing.assert_allclose(gradient, numeric, rtol=1e-5, atol=1e-5)


# -- what is found ---------------------------------------------------------------------------------


def test_a_line_and_a_wave_are_found_and_described(found):
    assert forms(found.kernel_) == ["Linear", "Periodic"]
    line, wave, noise = found.describe().splitlines()
    assert line.startswith("A linear trend explains 9") and line.endswith(" % of the variance.")
    assert wave.startswith("A periodic function with period ")
    assert noise.startswith("Noise with a standard deviation of 0.")
    assert found.kernel_.certificate().psd
    assert "greedy search by bic" in str(found.report_)


def test_predictions_are_those_of_a_gaussian_process_with_the_kernel_found(found):
    X, y = series()
    twin = GaussianProcessRegressor(found.kernel_, alpha=found.noise_, optimizer=None)
    twin.fit(X, y - y.mean())
    mean, std = found.predict(X[:5], return_std=True)
    expected, spread = twin.predict(X[:5], return_std=True)
    np.testing.assert_allclose(mean, expected + y.mean(), rtol=1e-9)
    np.testing.assert_allclose(std, spread, rtol=1e-6)
    means, stds = found.predict_terms(X[:5])
    np.testing.assert_allclose(means.sum(axis=1) + y.mean(), mean, rtol=1e-9)
    assert stds.shape == (5, 2) and (stds > 0).all()


def test_an_interval_of_new_values_needs_the_noise_that_is_documented():
    rng = np.random.default_rng(0)
    months = np.arange(144)[:, None] / 12
    y = 5 * months[:, 0] + 8 * np.sin(2 * np.pi * months[:, 0]) + 3 * rng.standard_normal(144)
    model = KernelSearch(QUICK, depth=1).fit(months[:96], y[:96])
    mean, std = model.predict(months[96:], return_std=True)
    wrong = np.abs(y[96:] - mean)
    assert np.mean(wrong <= 1.96 * np.sqrt(std**2 + model.noise_)) >= 0.9
    assert np.mean(wrong <= 1.96 * std) < 0.75  # of the function alone
    assert "np.sqrt(std**2 + model.noise_)" in KernelSearch.predict.__doc__


def test_the_history_tells_what_was_tried_and_kept(found):
    kept = [entry for entry in found.history_ if entry["kept"]]
    assert [entry["depth"] for entry in kept][:2] == [0, 1]
    assert kept[1]["gain"] > kept[1]["error"] > 0
    assert len(found.history_) > len(kept)
    assert all(mercer.parse(entry["kernel"]) for entry in found.history_)


def test_noise_has_no_structure():
    rng = np.random.default_rng(1)
    model = KernelSearch(QUICK, depth=2).fit(np.arange(50.0)[:, None], rng.standard_normal(50))
    assert isinstance(model.kernel_, Scaled)  # one term


@pytest.mark.parametrize("scoring", ["bic", "evidence", "loo"])
def test_units_of_y_do_not_matter(scoring):
    X, y = series(40)
    settings = {"scoring": scoring, "depth": 1}
    small = KernelSearch(QUICK[1:], **settings).fit(X, y)
    large = KernelSearch(QUICK[1:], **settings).fit(X, 1e6 * y + 3)
    np.testing.assert_allclose(large.predict(X), 1e6 * small.predict(X) + 3, rtol=1e-6)
    np.testing.assert_allclose(large.noise_, 1e12 * small.noise_, rtol=1e-5)


def test_the_same_seed_gives_the_same_kernel():
    X, y = series(260)
    models = [KernelSearch([RBF()], depth=1, rows=230, random_state=7).fit(X, y) for _ in range(2)]
    assert repr(models[0].kernel_) == repr(models[1].kernel_)
    assert "230 samples" in str(models[0].report_)


def test_each_column_has_its_own_kernels():
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, (60, 2))
    y = np.sin(2 * X[:, 0]) + 2 * X[:, 1] + 0.05 * rng.standard_normal(60)
    model = KernelSearch([RBF(), Linear().center()], depth=1).fit(X, y)
    assert "RBF" in repr(model.kernel_) and ".on(0)" in repr(model.kernel_)
    assert ".on(1)" in repr(model.kernel_)
    assert "of column 1 explains" in model.describe()
    together = KernelSearch([RBF()], depth=0, columns="all").fit(X, y)
    assert ".on" not in repr(together.kernel_)


def test_other_kinds_of_samples():
    rng = np.random.default_rng(0)
    texts = ["".join(rng.choice(list("acgt"), 12)) for _ in range(40)]
    y = np.array([text.count("ac") - text.count("g") for text in texts], dtype=float)
    model = KernelSearch([Spectrum(length=1), Spectrum(length=2)], depth=1).fit(texts, y)
    assert np.corrcoef(model.predict(texts), y)[0, 1] > 0.9
    sets = [set(text) for text in texts]
    assert "kernel" in KernelSearch([Jaccard()], depth=0).fit(sets, y).describe()


def test_the_report_says_what_each_term_is_worth(found):
    """The error without a term is that of leaving out every sample in turn, computed directly."""
    X, y = series()
    terms, report = additive_terms(found.kernel_), found.report_
    np.testing.assert_allclose([row[2] for row in report.terms], found.shares_)
    losses = {None: report.loss, **{at: row[3] for at, row in enumerate(report.terms)}}
    centered, noise = y - y.mean(), found.noise_ * np.eye(len(y))
    for without, loss in losses.items():
        K = sum(term(X) for at, term in enumerate(terms) if at != without)
        gaps = []
        for i in range(len(y)):
            rest = np.flatnonzero(np.arange(len(y)) != i)
            part = np.ix_(rest, rest)
            dual = np.linalg.solve(K[part] + noise[part], centered[rest])
            gaps.append(centered[i] - K[i, rest] @ dual)
        assert loss == pytest.approx(np.mean(np.square(gaps)), rel=1e-6)
    assert min(row[3] for row in report.terms) > report.loss
    assert "loss without" in str(report)


def test_a_weight_is_a_number_of_copies():
    X, y = series(40)
    weight = np.ones(40)
    weight[5:12], weight[20] = 2.0, 0.0
    copies = np.repeat(np.arange(40), weight.astype(int))
    bases = [RBF(), Linear()]
    model = KernelSearch(bases, depth=1).fit(X, y, sample_weight=weight)
    other = KernelSearch(bases, depth=1).fit(X[copies], y[copies])
    assert forms(model.kernel_) == forms(other.kernel_)
    assert model.best_score_ == pytest.approx(other.best_score_, abs=1e-4)
    np.testing.assert_allclose(model.predict(X), other.predict(X), atol=1e-3)
    np.testing.assert_allclose(model.shares_, other.shares_, atol=1e-3)


# -- errors ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"bases": RBF()}, "is one kernel, where a list"),
        ({"bases": []}, "has no kernel to begin with"),
        ({"bases": [3]}, r"bases\[0\] = 3 is not a kernel"),
        ({"operators": ("-",)}, "must be among"),
        ({"blocks": 5}, "is for scoring='loo'"),
        ({"blocks": 100, "scoring": "loo"}, "must not exceed the number of samples"),
    ],
)
def test_errors_name_the_parameter(settings, words):
    with pytest.raises(ValueError, match=words):
        KernelSearch(**settings).fit(*series(20))


@pytest.mark.slow
def test_the_generating_terms_are_found_in_nine_of_ten_draws():
    kernels = [
        RBF(2.0) + Periodic(1.3),
        Linear() + Periodic(0.9, 0.8),
        RBF(3.0) * Periodic(1.0),
        1.0 * RBF(1.0),
        1.0 * Periodic(1.5),
        RBF(0.5) + Linear(),
        RBF(4.0) * Periodic(1.0, 0.8) + Linear(),
        Linear() * Periodic(1.2),
        RBF(3.0) * Periodic(0.8, 0.7),
        RBF(1.5) + Periodic(0.8),
    ]
    right = 0
    for seed, kernel in enumerate(kernels):
        rng = np.random.default_rng(100 + seed)
        X = np.sort(rng.uniform(-5, 5, 150))[:, None]
        K = kernel(X) / kernel.diag(X).mean() + 0.01 * np.eye(150)
        y = np.linalg.cholesky(K) @ rng.standard_normal(150)
        right += forms(KernelSearch().fit(X, y).kernel_) == forms(kernel)
    assert right >= 9
