"""Kernels of bags by their means, and kernels of samples by the scores of a model."""

from __future__ import annotations

import copy
import pickle
import re

import naive
import numpy as np
import pandas as pd
import polars as pl
import pytest
from naive import distributions as naive_distributions
from scipy.sparse import csr_matrix
from scipy.special import logsumexp
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import BernoulliNB, ComplementNB, GaussianNB, MultinomialNB

import mercer
from mercer import (
    RBF,
    Fisher,
    Jaccard,
    JensenShannon,
    Linear,
    MeanEmbedding,
    NegativeDistance,
    Sigmoid,
    White,
    errors,
)
from mercer.kernels.distributions.scores import score_size, scores
from mercer.kernels.numerics.derivatives import jacobian
from mercer.testing import check_kernel


def by_hand(kernel, left, right):
    return np.array([[kernel(a, b).mean() for b in right] for a in left])


def some_bags(rng, n, largest=9, d=3):
    return [
        rng.standard_normal((int(m), d)) + i % 2 for i, m in enumerate(rng.integers(1, largest, n))
    ]


# ---- mean embedding ----


@pytest.mark.parametrize(("d", "largest"), [(3, 9), (3, 700), (80, 9), (80, 400)])
def test_equals_the_mean_over_all_pairs(d, largest, rng):
    """Small bags, bags of several tiles, and as many columns as BLAS takes."""
    bags = some_bags(rng, 25, largest, d)
    kernel = MeanEmbedding(RBF(length_scale=2.0) + 0.1 * Linear())
    K = kernel(bags)
    np.testing.assert_allclose(K, by_hand(kernel.kernel, bags, bags), rtol=1e-12)
    assert np.array_equal(K, K.T) and np.array_equal(K.diagonal(), kernel.diag(bags))
    np.testing.assert_allclose(kernel(bags[:4], bags[2:]), K[:4, 2:], rtol=1e-12)
    lazy = kernel.gram(bags)
    assert np.array_equal(lazy.rows([3]).ravel()[3], K[3, 3])
    np.testing.assert_allclose(lazy.rows([3, 1, 3]), K[[3, 1, 3]], rtol=1e-12)


def test_many_bags_fill_several_tiles(rng):
    bags = some_bags(rng, 530, 6, 2)
    kernel = MeanEmbedding(RBF())
    K = kernel(bags)
    assert np.array_equal(K, K.T) and np.array_equal(K.diagonal(), kernel.diag(bags))
    at = [0, 255, 256, 257, 511, 529]
    np.testing.assert_allclose(
        K[np.ix_(at, at)], by_hand(RBF(), [bags[i] for i in at], [bags[i] for i in at]), rtol=1e-12
    )
    np.testing.assert_allclose(kernel.gram(bags) @ np.ones(530), K.sum(axis=1), rtol=1e-12)
    with mercer.config_context(threads=1):
        assert np.array_equal(kernel(bags), K)


def test_one_large_bag_needs_no_large_matrix(rng):
    bags = [rng.standard_normal((6000, 2)), rng.standard_normal((10, 2))]
    with mercer.config_context(memory_budget=2**20, threads=2):
        K = MeanEmbedding(RBF())(bags)
    flat = RBF().gram(bags[0]) @ np.ones(6000)
    assert K[0, 0] == pytest.approx(flat.mean() / 6000, rel=1e-12)
    assert K[0, 1] == pytest.approx(RBF()(bags[1], bags[0]).mean(), rel=1e-12)


def test_mean_discrepancy_by_hand(rng):
    """‖mean of P − mean of Q‖², biased, as the test of two samples has it."""
    P, Q = rng.standard_normal((40, 2)), rng.standard_normal((55, 2)) + 0.5
    K = MeanEmbedding(RBF())([P, Q])
    by_pairs = RBF()(P).mean() + RBF()(Q).mean() - 2 * RBF()(P, Q).mean()
    assert K[0, 0] + K[1, 1] - 2 * K[0, 1] == pytest.approx(by_pairs, rel=1e-12)
    means = MeanEmbedding(Linear()).features([P, Q])
    np.testing.assert_allclose(means, [P.mean(axis=0), Q.mean(axis=0)], rtol=1e-14)


def test_bags_of_sets():
    bags = [[{"a", "b"}, {"c"}], [{"b"}], [{"a", "b", "c"}, set(), {"c"}]]
    kernel = MeanEmbedding(Jaccard())
    exact = naive.gram(kernel, bags).astype(float)
    np.testing.assert_allclose(kernel(bags), exact, rtol=1e-14)
    np.testing.assert_allclose(
        kernel(bags, [[{"z"}, {"a"}]]),
        naive.gram(kernel, bags, [[{"z"}, {"a"}]]).astype(float),
        rtol=1e-14,
    )
    assert (
        kernel.certificate().status == "psd"
        and mercer.definiteness.POSITIVE_DIAGONAL in kernel.certificate().facts
    )


def test_bags_of_distributions_bags_of_bags_and_noise(rng):
    rows = [rng.dirichlet(np.ones(4), m) for m in (1, 3, 2)]
    np.testing.assert_allclose(
        MeanEmbedding(JensenShannon())(rows), by_hand(JensenShannon(), rows, rows), rtol=1e-13
    )
    nested = [some_bags(rng, 3), some_bags(rng, 1), some_bags(rng, 2)]
    inner = MeanEmbedding(RBF())
    np.testing.assert_allclose(
        MeanEmbedding(inner)(nested), by_hand(inner, nested, nested), rtol=1e-12
    )
    np.testing.assert_allclose(MeanEmbedding(White())(rows), np.diag([1, 1 / 3, 1 / 2]))


@pytest.mark.parametrize(
    "inner",
    [
        RBF(length_scale=[1.0, 2.0, 0.5]),
        2.0 * RBF() * mercer.Periodic(period=3.0),
        RBF().normalize(),
    ],
)
def test_inner_parameters_have_derivatives(inner, rng):
    kernel = MeanEmbedding(inner)
    for bags in (some_bags(rng, 8), some_bags(rng, 5, 400)):
        n = len(bags)
        W = rng.standard_normal((n, n))
        flat = np.vstack(bags)
        place = np.repeat(np.arange(n), [len(b) for b in bags])
        size = np.bincount(place)
        spread = (W / np.outer(size, size))[np.ix_(place, place)]
        expected = inner.gradient(flat, spread)
        found = kernel.gradient(bags, W)
        assert (
            set(found)
            == {f"kernel__{name}" for name in expected}
            == set(kernel.continuous_params())
        )
        for name, slope in expected.items():
            np.testing.assert_allclose(found[f"kernel__{name}"], slope, rtol=1e-8, atol=1e-11)
        means = MeanEmbedding(Linear())
        product = (kernel * means).gradient(bags, W)
        by_tiles = dict.fromkeys(expected, 0.0)
        for name, index, tile in jacobian(kernel, bags):
            by_tiles[name.removeprefix("kernel__")] += (W * tile).sum() * np.eye(3)[
                index if index is not None else 0
            ]
        for name, slope in expected.items():
            np.testing.assert_allclose(
                product[f"k1__kernel__{name}"],
                kernel.gradient(bags, W * means(bags))[f"kernel__{name}"],
                rtol=1e-8,
                atol=1e-11,
            )
            np.testing.assert_allclose(
                by_tiles[name][: np.size(slope)], np.ravel(slope), rtol=1e-8, atol=1e-11
            )


def test_certificates_follow_the_inner_kernel():
    assert (
        MeanEmbedding(RBF()).certificate().status == "psd"
    )  # never strict: {x, y} is the mean of {x} and {y}
    points = [np.array([[0.0]]), np.array([[1.0]]), np.array([[0.0], [1.0]])]
    assert abs(np.linalg.eigvalsh(MeanEmbedding(RBF())(points))[0]) < 1e-15
    assert MeanEmbedding(NegativeDistance()).certificate().status == "cpd"
    refused = MeanEmbedding(Sigmoid()).certificate(2)
    assert refused.status == "indefinite"
    c = refused.witness.coefficients
    assert c @ MeanEmbedding(Sigmoid())(refused.witness.points) @ c < 0
    assert MeanEmbedding(mercer.Wendland(dimension=3)).certificate(8).status in (
        "unknown",
        "indefinite",
    )
    assert "finite bags of R^d" in MeanEmbedding(RBF()).certificate().domain


def test_inner_kernels_learn_from_all_samples(rng):
    bags = some_bags(rng, 6)
    kernel = MeanEmbedding(RBF().center()).fit(bags)
    np.testing.assert_allclose(
        kernel(bags), by_hand(RBF().center().fit(np.vstack(bags)), bags, bags), atol=1e-14
    )


@pytest.mark.parametrize("inner", [Linear(), mercer.Polynomial(degree=2), mercer.SetIntersection()])
def test_features_are_means(inner, rng):
    kernel = MeanEmbedding(inner)
    bags = kernel.domain.sample(7, 3, rng)
    phi = kernel.features(bags)
    phi = phi.toarray() if hasattr(phi, "toarray") else phi
    np.testing.assert_allclose(phi @ phi.T, kernel(bags), rtol=1e-12, atol=1e-14)


def test_all_forms_of_bags(rng):
    bags = [rng.standard_normal((4, 2)) for _ in range(6)]
    kernel = MeanEmbedding(RBF())
    K = kernel(bags)
    objects = np.empty(6, dtype=object)
    objects[:] = bags
    frames = [pd.DataFrame(b, columns=["a", "b"]) for b in bags]
    forms = [
        tuple(bags), np.stack(bags), objects, objects[:, None], pd.Series(bags), pd.DataFrame({"bag": bags}),  # noqa: E501
        [b.tolist() for b in bags], pl.Series([b.tolist() for b in bags]), pl.DataFrame({"bag": [b.tolist() for b in bags]}),  # noqa: E501
        frames, [pl.DataFrame(f) for f in frames], [csr_matrix(b) for b in bags], [bags[0].tolist(), *bags[1:]],  # noqa: E501
        [csr_matrix(bags[0]), *bags[1:]],
    ]  # fmt: skip
    for form in forms:
        np.testing.assert_allclose(kernel(form), K, rtol=1e-12)
        np.testing.assert_allclose(kernel(form, bags[:2]), K[:, :2], rtol=1e-12)
    np.testing.assert_allclose(
        kernel.on("bag")(pd.DataFrame({"bag": bags, "other": range(6)})), K, rtol=1e-12
    )
    np.testing.assert_allclose((kernel + 1.0)(bags), K + 1.0, rtol=1e-12)


@pytest.mark.parametrize(
    ("bags", "error", "words"),
    [
        ([[[1.0]], []], errors.EmptyInputError, r"X\[1\] = \[\] is an empty bag; drop it"),
        ([np.ones((2, 1)), np.empty((0, 1))], errors.EmptyInputError, r"X\[1\]"),
        ([], errors.EmptyInputError, "X = "),
        ([np.ones((2, 1)), np.ones((2, 3))], errors.WidthError, r"X\[1\] = '3 columns' does not fit X\[0\], which has 1"),  # noqa: E501
        ([pd.DataFrame({"a": [1.0]}), pd.DataFrame({"b": [1.0]})], errors.WidthError, r"X\[1\] = \"columns \['b'\]\""),  # noqa: E501
        ([np.ones((2, 1)), np.array([[0.0], [np.nan]])], errors.NotFiniteError, r"in the bag X\[1\]: X\[1, 0\] = nan"),  # noqa: E501
        ([np.ones((2, 1)), [["a"]]], errors.InputTypeError, r"in the bag X\[1\]"),
        (["abc"], errors.InputTypeError, r"X\[0\] = 'abc' is not a bag"),
        ([{1.0, 2.0}], errors.InputTypeError, r"X\[0\] = \{1.0, 2.0\} is not a bag"),
        ([np.ones((2, 1)), 3.0], errors.InputTypeError, r"X\[1\] = 3.0 is not a bag"),
        ([np.ones((2, 1)), None], errors.InputTypeError, r"X\[1\] = None is not a bag"),
        (7, errors.InputTypeError, "not a collection"),
        (pd.DataFrame({"a": [[1.0]], "b": [[1.0]]}), errors.InputTypeError, "2 columns, where one of bags"),  # noqa: E501
        ([np.ones(3)], errors.ShapeError, "two axes"),
    ],
)  # fmt: skip
def test_bad_bags_are_named(bags, error, words):
    with pytest.raises(error, match=words):
        MeanEmbedding(RBF())(bags)


def test_other_bad_input():
    with pytest.raises(errors.ParameterError, match="must be a kernel"):
        MeanEmbedding("RBF()")
    with pytest.raises(errors.EmptyInputError, match=r"Y\[0\] = \[\]"):
        MeanEmbedding(RBF())([[[1.0]]], [[]])
    with pytest.raises(errors.WidthError):
        MeanEmbedding(RBF())([[[1.0]]], [[[1.0, 2.0]]])
    with pytest.raises(errors.KernelOverflowError, match=r"k\(x\[1\], y\[1\]\)"):
        MeanEmbedding(Linear())([[[1.0]], [[1e200], [1.0]]])
    with pytest.raises(errors.DomainMismatchError):
        MeanEmbedding(RBF()) + RBF()


def two_kinds_of_bags(rng, n=40):
    """The means are the same; one kind is wider."""
    y = np.arange(n) % 2
    return [rng.standard_normal((int(rng.integers(5, 25)), 2)) * (1.0 + label) for label in y], y


def test_bags_in_learners(rng):
    bags, y = two_kinds_of_bags(rng)
    kernel = MeanEmbedding(RBF())
    assert cross_val_score(mercer.SVC(kernel=kernel), bags, y, cv=4).mean() > 0.85
    frame = pd.DataFrame({"bag": bags})
    assert cross_val_score(mercer.SVC(kernel=kernel), frame, y, cv=4).mean() > 0.85
    assert cross_val_score(mercer.SVC(kernel=kernel), frame["bag"], y, cv=4).mean() > 0.85
    Z = mercer.KernelPCA(2, kernel=kernel).fit_transform(bags)
    assert abs(np.corrcoef(Z[:, 0], y)[0, 1]) > 0.7
    grid = {"kernel__kernel__length_scale": [0.3, 1.0, 3.0]}
    search = GridSearchCV(mercer.SVC(kernel=kernel), grid, cv=3).fit(bags, y)
    assert search.best_score_ > 0.8 and len(search.predict(bags[:3])) == 3
    spread = np.array([b.std() for b in bags])
    assert mercer.KernelRidge(alpha=0.1, kernel=kernel).fit(bags, spread).score(bags, spread) > 0.7


def test_bags_of_probabilities_and_a_grid_over_gamma(rng):
    y = np.arange(30) % 2
    bags = [
        rng.dirichlet([1.0, 1.0, 5.0] if label else [5.0, 1.0, 1.0], int(rng.integers(1, 5)))
        for label in y
    ]
    search = GridSearchCV(
        mercer.SVC(kernel=MeanEmbedding(JensenShannon())),
        {"kernel__kernel__gamma": [0.5, 5.0]},
        cv=3,
    ).fit(bags, y)
    assert search.best_score_ > 0.9
    text = "MeanEmbedding(kernel=JensenShannon(gamma=5.0)).normalize()"
    assert (
        repr(mercer.parse(text)) == text
        and mercer.SVC(kernel=text).fit(bags, y).score(bags, y) > 0.9
    )


# ---- Fisher ----


def mixture(rng, covariances, groups=2, d=2):
    X = np.vstack(
        [rng.standard_normal((40, d)) * (1, 2, 0.5)[:d], 3 + rng.standard_normal((60, d))]
    )
    return GaussianMixture(groups, covariance_type=covariances, random_state=0).fit(X), X


def shifted(model, d, t):
    """A copy of the mixture, its parameters moved as the documentation says."""
    made = copy.deepcopy(model)
    groups = len(model.weights_)
    logits = np.log(model.weights_) + t[:groups]
    made.weights_ = np.exp(logits - logsumexp(logits))
    move = t[groups : groups * (1 + d)].reshape(groups, d)
    rest = t[groups * (1 + d) :]
    roots = []
    for k in range(groups):
        root = (
            model.precisions_cholesky_
            if model.covariance_type == "tied"
            else model.precisions_cholesky_[k]
        )
        roots.append(
            np.linalg.inv(root).T
            if np.ndim(root) == 2
            else np.diag(np.broadcast_to(1.0 / root, (d,)))
        )  # C
        made.means_[k] = model.means_[k] + roots[k] @ move[k]
    full = {"full", "tied"}
    each = (
        d * (d + 1) // 2
        if model.covariance_type in full
        else d
        if model.covariance_type == "diag"
        else 1
    )
    found = []
    for k in range(groups):
        free = rest if model.covariance_type == "tied" else rest[k * each : (k + 1) * each]
        S = np.zeros((d, d))
        if model.covariance_type in full:
            S[np.triu_indices(d)] = free
            S = np.triu(S) + np.triu(S, 1).T
        else:
            S[np.diag_indices(d)] = free
        found.append(roots[k] @ (np.eye(d) + S) @ roots[k].T)
    inverse = [np.linalg.inv(np.linalg.cholesky(c)).T for c in found]
    match model.covariance_type:
        case "full":
            made.precisions_cholesky_ = np.array(inverse)
        case "tied":
            made.precisions_cholesky_ = inverse[0]
        case "diag":
            made.precisions_cholesky_ = np.array([np.diag(i) for i in inverse])
        case "spherical":
            made.precisions_cholesky_ = np.array([i[0, 0] for i in inverse])
    return made


@pytest.mark.parametrize("covariances", ["full", "tied", "diag", "spherical"])
@pytest.mark.parametrize("d", [1, 3])
def test_scores_are_slopes_of_score_samples(covariances, d, rng):
    model, X = mixture(rng, covariances, 2, d)
    X = X[::10]
    u = scores(model, X)
    assert u.shape == (len(X), score_size(model))
    step = 1e-4
    for i in range(score_size(model)):
        e = step * np.eye(score_size(model))[i]
        values = [shifted(model, d, s * e).score_samples(X) for s in (-2, -1, 1, 2)]
        slope = (values[0] - 8 * values[1] + 8 * values[2] - values[3]) / (12 * step)
        np.testing.assert_allclose(u[:, i], slope, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("kind", [GaussianNB, MultinomialNB, BernoulliNB])
def test_scores_of_naive_bayes_are_slopes(kind, rng):
    y = np.arange(30) % 3
    X = rng.poisson(2.0 + y[:, None], (30, 4)).astype(float)
    model = kind().fit(X, y)
    fields = {**model.get_params(), **vars(model)}
    u = scores(model, X)
    assert u.shape == (30, score_size(model))
    at = np.zeros(score_size(model))
    # the oracle's likelihood is scikit-learn's, up to what does not depend on the parameters
    ours = [float(naive_distributions.log_likelihood(kind.__name__, fields, x, at)) for x in X[:6]]
    np.testing.assert_allclose(
        ours, logsumexp(model.predict_joint_log_proba(X[:6]), axis=1), rtol=1e-12
    )
    step = 1e-4
    for i in range(score_size(model)):
        e = step * np.eye(score_size(model))[i]
        values = [
            [
                float(naive_distributions.log_likelihood(kind.__name__, fields, x, s * e))
                for x in X[:3]
            ]
            for s in (-2, -1, 1, 2)
        ]
        a, b, c, d = np.array(values)
        np.testing.assert_allclose(
            u[:3, i], (a - 8 * b + 8 * c - d) / (12 * step), rtol=1e-7, atol=1e-8
        )


def test_scores_sum_to_nearly_nothing_at_the_maximum(rng):
    """The mean score of the data that a mixture was fitted to is 0, up to the fit's tolerance and
    its reg_covar.
    """
    X = mixture(rng, "full")[1]
    model = GaussianMixture(2, tol=1e-12, max_iter=2000, reg_covar=0.0, random_state=0).fit(X)
    assert np.abs(scores(model, X).mean(axis=0)).max() < 1e-5


@pytest.mark.parametrize("covariances", ["full", "tied", "diag", "spherical"])
def test_fisher_keeps_the_promises_and_equals_the_oracle(covariances, rng):
    model, X = mixture(rng, covariances)
    kernel = Fisher(model, epsilon=0.3)
    check_kernel(kernel, X)
    kernel.fit(X)
    exact = naive.gram(kernel, X[::20]).astype(float)
    np.testing.assert_allclose(kernel(X[::20]), exact, rtol=0, atol=1e-13 * np.abs(exact).max())


def test_fisher_is_the_definition(rng):
    model, X = mixture(rng, "full")
    kernel = Fisher(model).fit(X)
    u = scores(model, X)
    F = u.T @ u / len(X)
    np.testing.assert_allclose(kernel.information_, F, rtol=1e-12, atol=1e-14)
    ridge = 1e-6 * np.trace(F) / len(F)
    expected = u @ np.linalg.solve(F + ridge * np.eye(len(F)), u.T)
    np.testing.assert_allclose(kernel(X), expected, rtol=1e-8, atol=1e-8)
    assert (
        kernel.features(X).shape == (100, score_size(model))
        and kernel.certificate().status == "psd"
    )
    assert kernel.diag(X).mean() == pytest.approx(
        len(F) - 1, abs=0.01
    )  # the trace of F⁻¹F, one logit being redundant


def test_fisher_does_not_mind_units(rng):
    model, X = mixture(rng, "full")
    scale, shift = np.array([1e3, 1e-3]), np.array([50.0, -7.0])
    moved = copy.deepcopy(model)
    moved.means_ = model.means_ * scale + shift
    moved.precisions_cholesky_ = model.precisions_cholesky_ / scale[None, :, None]
    Z = X * scale + shift
    np.testing.assert_allclose(
        Fisher(moved).fit(Z)(Z), Fisher(model).fit(X)(X), rtol=1e-6, atol=1e-6
    )


@pytest.mark.parametrize("kind", [GaussianNB, MultinomialNB, BernoulliNB])
def test_fisher_of_naive_bayes(kind, rng):
    y = np.arange(60) % 2
    X = rng.poisson(np.where(y[:, None] == 1, [3.0, 0.5, 1.0], [0.5, 3.0, 1.0])).astype(float)
    model = kind().fit(X, y)
    kernel = Fisher(model, epsilon=0.1).fit(X)
    exact = naive.gram(kernel, X[:5]).astype(float)
    np.testing.assert_allclose(kernel(X[:5]), exact, rtol=0, atol=1e-13 * np.abs(exact).max())
    np.testing.assert_allclose(kernel(csr_matrix(X)), kernel(X), rtol=1e-12, atol=1e-12)
    # of zeros and ones even the true probabilities get no more than 78 % right
    assert cross_val_score(mercer.SVC(kernel=kernel), X, y, cv=3).mean() > (
        0.65 if kind is BernoulliNB else 0.8
    )


def test_copies_of_fisher_keep_the_model(rng):
    model, X = mixture(rng, "diag")
    kernel = Fisher(model, epsilon=0.01).fit(X)
    K = kernel(X)
    assert clone(kernel).model is model and not hasattr(clone(kernel), "information_")
    for made in (pickle.loads(pickle.dumps(kernel)), copy.deepcopy(kernel), kernel.copy()):
        assert np.array_equal(made(X), K)
    assert np.array_equal(clone(kernel + 1.0).fit(X)(X), (kernel + 1.0)(X))
    assert re.fullmatch(r"Fisher\(model=model_GaussianMixture_\w+, epsilon=0.01\)", repr(kernel))
    assert mercer.parse(repr(kernel)) == kernel
    y = np.arange(100) < 40
    assert cross_val_score(mercer.SVC(kernel=kernel), X, y, cv=3).mean() > 0.8
    search = GridSearchCV(
        mercer.SVC(kernel=kernel), {"kernel__epsilon": [1e-6, 1e-2, 1.0]}, cv=3
    ).fit(X, y)
    assert search.best_score_ > 0.8
    assert mercer.KernelPCA(2, kernel=kernel).fit_transform(X).shape == (100, 2)


def test_bad_models_and_data(rng):
    model, X = mixture(rng, "full")
    for bad in (None, GaussianMixture, KMeans(), ComplementNB(), 3):
        with pytest.raises(errors.ParameterError, match="must be a generative model"):
            Fisher(bad)
    with pytest.raises(errors.ParameterError, match="epsilon"):
        Fisher(model, epsilon=0.0)
    for unfitted in (GaussianMixture(2), GaussianNB()):
        with pytest.raises(errors.NotFittedError, match="is not fitted; fit it first"):
            Fisher(unfitted).fit(X)
    with pytest.raises(errors.NotFittedError, match="has no Fisher matrix; call fit"):
        Fisher(model)(X)
    with pytest.raises(errors.WidthError, match="fitted on 2"):
        Fisher(model).fit(np.ones((4, 3)))
    with pytest.raises(errors.NotFiniteError):
        Fisher(model).fit([[np.nan, 1.0]])
    with pytest.raises(errors.NotFittedError):  # another model, another matrix
        Fisher(model).fit(X).set_params(model=copy.deepcopy(model))(X)
    counts = MultinomialNB().fit([[1, 0], [0, 2]], [0, 1])
    with pytest.raises(errors.DomainError, match=">= 0"):
        Fisher(counts).fit([[1.0, -1.0]])
    with pytest.raises(errors.DomainError, match="must be 0 or 1"):
        Fisher(BernoulliNB(binarize=None).fit([[0, 1], [1, 0]], [0, 1])).fit([[0.5, 1.0]])
    with (
        mercer.config_context(memory_budget=100),
        pytest.raises(errors.MemoryBudgetError, match="Fisher matrix"),
    ):
        Fisher(model).fit(X)


def test_fisher_of_bags_and_of_rows_far_away(rng):
    model, X = mixture(rng, "full")
    kernel = Fisher(model, epsilon=0.1).fit(X)
    assert np.isfinite(kernel(np.vstack([X[:3], [[1e3, -1e3]]]))).all()
    bags = [X[:10], X[10:13], X[60:]]
    mean = MeanEmbedding(Fisher(model, epsilon=0.1)).fit(bags)
    np.testing.assert_allclose(
        mean(bags), by_hand(Fisher(model, epsilon=0.1).fit(np.vstack(bags)), bags, bags), rtol=1e-9
    )


def test_a_bag_that_cannot_be_fitted_leaves_the_inner_kernel_as_it_was():
    kernel = MeanEmbedding(RBF().center())
    good = [np.array([[1.0], [3.0]]), np.array([[5.0]])]
    before = kernel.fit(good)(good)
    with pytest.raises(mercer.errors.NotFiniteError, match=r"X\[1\]"):
        kernel.fit([np.array([[7.0], [9.0]]), np.array([[np.nan]])])
    assert np.array_equal(kernel(good), before)
