"""Kernel canonical correlation against the generalized eigenproblem written out, and against plain
canonical correlation.
"""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import projection as naive
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

from mercer import (
    RBF,
    Jaccard,
    KernelCCA,
    Linear,
    Polynomial,
    Sigmoid,
    config_context,
    errors,
    kernel,
)


@parametrize_with_checks([KernelCCA(n_components=1, kernel=RBF(), kappa=0.1)])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def views(n: int = 70, seed: int = 0, m: int = 2):
    """Views of one hidden circle, each with noise of its own."""
    rng = np.random.default_rng(seed)
    t = rng.uniform(-np.pi, np.pi, n)
    made = [
        np.column_stack([np.sin(t), t]),
        np.column_stack([t**2, np.cos(t), rng.standard_normal(n)]),
        np.column_stack([np.cos(t), t]),
    ]
    return [
        V + 0.2 * np.random.default_rng(seed + 1 + i).standard_normal(V.shape)
        for i, V in enumerate(made[:m])
    ]


def linear_views(n: int = 80, seed: int = 0):
    rng = np.random.default_rng(seed)
    hidden = rng.standard_normal((n, 2))
    X = hidden @ rng.standard_normal((2, 4)) + rng.standard_normal((n, 4))
    return X, hidden @ rng.standard_normal((2, 3)) + rng.standard_normal((n, 3)) + 5.0


def aligned(Z, other):
    """Z with the signs of other."""
    return Z * np.sign((Z * other).sum(axis=0))


def correlations(A, B):
    return np.array([np.corrcoef(a, b)[0, 1] for a, b in zip(A.T, B.T, strict=True)])


def quiet(model, *args):
    """Fitted with what it warns of left unsaid."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return model.fit(*args)


# -- equal to the definition
# -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", ["linear", Linear()], ids=str)
@pytest.mark.parametrize("shape", ["wide", "one column"])
def test_linear_views_without_regularization_are_plain_canonical_correlation(kernel, shape):
    X, Y = linear_views()
    Y = Y if shape == "wide" else Y[:, :1]
    expected = naive.canonical_correlations(X, Y)
    k = len(expected)
    model = KernelCCA(k, kernel=kernel, kappa=0.0).fit(X, Y)
    np.testing.assert_allclose(model.correlations_, expected, atol=1e-6)
    np.testing.assert_allclose(model.training_correlations_, expected, atol=1e-6)
    U, V = model.transform(X, Y)
    np.testing.assert_allclose(U.T @ V / len(X), np.diag(expected), atol=1e-6)
    np.testing.assert_allclose(U.T @ U / len(X), np.eye(k), atol=1e-6)
    np.testing.assert_array_equal(model.ranks_, [4, Y.shape[1]])


@pytest.mark.parametrize("kappa", [0.02, 0.1, 1.0])
@pytest.mark.parametrize(
    "kernels",
    [(RBF(), RBF()), (RBF(length_scale=0.7), Polynomial(degree=2)), (Linear(), RBF())],
    ids=["rbf", "polynomial", "linear"],
)
def test_the_definition(kernels, kappa):
    X, Y = views()
    new = views(25, seed=7)
    model = KernelCCA(3, kernel=list(kernels), kappa=kappa)
    if isinstance(kernels[0], Linear):
        model.set_params(n_components=2)
    model.fit(X, Y)
    expected = naive.kernel_cca(
        [k(V) for k, V in zip(kernels, (X, Y), strict=True)], model.n_components, kappa
    )
    np.testing.assert_allclose(model.correlations_, expected.values, atol=1e-7)
    for i, (k, V, Z) in enumerate(zip(kernels, (X, Y), new, strict=True)):
        slow = expected.variates(i)
        np.testing.assert_allclose(aligned(model.transform_view(V, i), slow), slow, atol=1e-5)
        slow = expected.variates(i, k(Z, V)) * np.sign(
            (model.transform_view(V, i) * slow).sum(axis=0)
        )
        np.testing.assert_allclose(model.transform_view(Z, i), slow, atol=1e-5)
    plain = correlations(expected.variates(0), expected.variates(1))
    np.testing.assert_allclose(model.training_correlations_, plain, atol=1e-5)


@pytest.mark.parametrize("kappa", [0.05, 0.5])
def test_three_views(kappa):
    V = views(m=3)
    kernels = [RBF(), RBF(length_scale=2.0), Polynomial(degree=2)]
    model = KernelCCA(2, kernel=kernels, kappa=kappa).fit(*V)
    expected = naive.kernel_cca([k(v) for k, v in zip(kernels, V, strict=True)], 2, kappa)
    np.testing.assert_allclose(model.correlations_, expected.values, atol=1e-7)
    found = model.transform(*V)
    assert isinstance(found, tuple) and len(found) == 3
    for i, Z in enumerate(found):
        slow = expected.variates(i)
        np.testing.assert_allclose(aligned(Z, slow), slow, atol=1e-5)
    pairs = [correlations(a, b) for a, b in itertools.combinations(found, 2)]
    np.testing.assert_allclose(model.training_correlations_, np.mean(pairs, axis=0), atol=1e-9)
    assert len(model.ranks_) == 3


def test_two_views_twice_over_are_as_two():
    """The problem of many views with two of them is the problem of two."""
    X, Y = views()
    two = KernelCCA(2, kernel=RBF(), kappa=0.1).fit(X, Y)
    expected = naive.kernel_cca([RBF()(X), RBF()(Y)], 2, 0.1)
    R = [naive.centered(RBF()(V)) + len(X) * 0.05 * np.eye(len(X)) for V in (X, Y)]
    M = (
        np.linalg.solve(R[0], naive.centered(RBF()(X)))
        @ naive.centered(RBF()(Y))
        @ np.linalg.inv(R[1])
    )
    np.testing.assert_allclose(two.correlations_, np.linalg.svd(M, compute_uv=False)[:2], atol=1e-7)
    np.testing.assert_allclose(two.correlations_, expected.values, atol=1e-7)


# -- what the parts say of each other
# ----------------------------------------------------------------------------------


@pytest.mark.parametrize("m", [2, 3])
def test_variates_have_mean_0_and_variance_1_and_agree(m):
    V = views(m=m)
    model = KernelCCA(3, kernel=RBF(), kappa=0.05).fit(*V)
    found = model.transform(*V)
    for Z in found:
        assert Z.shape == (70, 3)
        np.testing.assert_allclose(Z.mean(axis=0), 0.0, atol=1e-9)
        np.testing.assert_allclose(Z.var(axis=0), 1.0, atol=1e-9)
    for a, b in itertools.combinations(found, 2):
        assert (correlations(a, b)[:2] > 0).all()
    assert (np.diff(model.correlations_) <= 1e-12).all() and (model.correlations_ <= 1 + 1e-9).all()


def test_one_view_is_transformed_alone():
    X, Y = views()
    model = KernelCCA(2, kernel=RBF(), kappa=0.05).fit(X, Y)
    first, second = model.transform(X, Y)
    np.testing.assert_array_equal(model.transform(X), first)
    np.testing.assert_array_equal(model.transform_view(X, 0), first)
    np.testing.assert_array_equal(model.transform_view(Y, 1), second)
    other = clone(model).fit_transform(X, Y)
    np.testing.assert_allclose(other[0] if isinstance(other, tuple) else other, first, atol=1e-9)


def test_a_column_may_be_a_vector():
    X, Y = linear_views()
    a, b = (KernelCCA(1, kernel=RBF(), kappa=0.1).fit(X, y) for y in (Y[:, 0], Y[:, :1]))
    np.testing.assert_allclose(a.correlations_, b.correlations_, atol=1e-12)
    np.testing.assert_allclose(a.transform(X, Y[:, 0])[1], b.transform(X, Y[:, :1])[1], atol=1e-10)


def test_swapped_views_correlate_as_before():
    X, Y = views()
    a, b = (KernelCCA(3, kernel=RBF(), kappa=0.05).fit(*v) for v in ((X, Y), (Y, X)))
    np.testing.assert_allclose(a.correlations_, b.correlations_, atol=1e-8)
    np.testing.assert_allclose(
        aligned(b.transform(Y, X)[1], a.transform(X)), a.transform(X), atol=1e-5
    )


def test_fewer_components_are_the_first():
    X, Y = views()
    many, few = (KernelCCA(c, kernel=RBF(), kappa=0.05).fit(X, Y) for c in (4, 2))
    np.testing.assert_allclose(few.correlations_, many.correlations_[:2], atol=1e-9)
    np.testing.assert_allclose(few.transform(X), many.transform(X)[:, :2], atol=1e-6)


def test_the_circle_is_found_and_noise_is_not():
    X, Y = views(200)
    new = views(200, seed=9)
    found = KernelCCA(1, kernel=RBF(), kappa=0.1).fit(X, Y)
    assert correlations(*found.transform(*new))[0] > 0.9
    shuffled = KernelCCA(1, kernel=RBF(), kappa=0.1).fit(
        X, Y[np.random.default_rng(0).permutation(200)]
    )
    assert shuffled.correlations_[0] < 0.6 * found.correlations_[0]


def test_more_regularization_is_less_correlation():
    X, Y = views()
    found = [
        KernelCCA(1, kernel=RBF(), kappa=k).fit(X, Y).correlations_[0]
        for k in (0.01, 0.1, 1.0, 10.0)
    ]
    assert (np.diff(found) < 0).all()


def test_loadings_are_correlations():
    X, Y = linear_views()
    model = KernelCCA(2, kernel="linear", kappa=0.0).fit(X, Y)
    for view, V in enumerate((X, Y)):
        Z, found = model.transform(X, Y)[view], model.loadings(V, view=view)
        expected = [[np.corrcoef(v, z)[0, 1] for z in Z.T] for v in V.T]
        assert np.shape(found) == (V.shape[1], 2)
        np.testing.assert_allclose(found, expected, atol=1e-8)
    np.testing.assert_allclose(model.loadings(X), model.loadings(X, view=0))


@settings(max_examples=12)
@given(seed=st.integers(0, 10_000), n=st.integers(5, 30), kappa=st.floats(0.01, 2.0))
def test_any_views(seed, n, kappa):
    rng = np.random.default_rng(seed)
    X, Y = rng.standard_normal((n, 2)), rng.standard_normal((n, 3))
    order = rng.permutation(n)
    model = KernelCCA(2, kernel=RBF(), kappa=kappa).fit(X, Y)
    expected = naive.kernel_cca([RBF()(X), RBF()(Y)], 2, kappa)
    np.testing.assert_allclose(model.correlations_, expected.values, atol=1e-7)
    assert (model.correlations_ >= 0).all() and (model.correlations_ <= 1).all()
    np.testing.assert_allclose(
        KernelCCA(2, kernel=RBF(), kappa=kappa).fit(X[order], Y[order]).correlations_,
        model.correlations_,
        atol=1e-8,
    )


# -- kernels and samples of every sort
# ---------------------------------------------------------------------------------


def words(n: int = 60, seed: int = 0):
    """Sets that follow a hidden number, and vectors that do."""
    rng = np.random.default_rng(seed)
    t = rng.uniform(0, 1, n)
    sets = [
        {w for w, at in zip("abcdefgh", np.linspace(0, 1, 8), strict=True) if abs(at - x) < 0.3}
        | {"s"}
        for x in t
    ]
    return sets, np.column_stack([t, rng.standard_normal(n)]) + 0.05 * rng.standard_normal((n, 2))


def test_sets_and_vectors():
    sets, X = words()
    model = KernelCCA(2, kernel=[Jaccard(), RBF()], kappa=0.1).fit(sets, X)
    expected = naive.kernel_cca([Jaccard()(sets), RBF()(X)], 2, 0.1)
    np.testing.assert_allclose(model.correlations_, expected.values, atol=1e-7)
    new_sets, new = words(seed=1)
    U, V = model.transform(new_sets, new)
    assert correlations(U, V)[0] > 0.8
    slow = expected.variates(0, Jaccard()(new_sets, sets))
    np.testing.assert_allclose(aligned(U, slow), slow, atol=1e-5)
    backwards = KernelCCA(2, kernel=[RBF(), Jaccard()], kappa=0.1).fit(X, sets)
    np.testing.assert_allclose(backwards.correlations_, model.correlations_, atol=1e-8)


@kernel(objects=True, status="psd")
def common_letters(a, b):
    """Counts of letters, multiplied: a kernel on strings."""
    return float(sum(a.count(c) * b.count(c) for c in "abcdefgh"))


def test_strings_sets_and_vectors():
    sets, X = words()
    texts = ["".join(sorted(s - {"s"})) * 2 for s in sets]
    model = quiet(
        KernelCCA(1, kernel=[RBF(), Jaccard(), common_letters], kappa=0.1), X, sets, texts
    )
    expected = naive.kernel_cca([RBF()(X), Jaccard()(sets), common_letters(texts)], 1, 0.1)
    np.testing.assert_allclose(model.correlations_, expected.values, atol=1e-6)
    found = model.transform(X[:5], sets[:5], texts[:5])
    assert [Z.shape for Z in found] == [(5, 1)] * 3


def test_ways_to_name_a_kernel():
    X, Y = views()
    expected = KernelCCA(2, kernel=RBF(length_scale=2.0), kappa=0.05).fit(X, Y)
    for named in (
        "rbf",
        "RBF(length_scale=2.0)",
        ["rbf", RBF(length_scale=2.0)],
        lambda a, b: RBF(length_scale=2.0)(a, b),
    ):
        model = quiet(KernelCCA(2, kernel=named, gamma=0.125, kappa=0.05), X, Y)
        np.testing.assert_allclose(model.correlations_, expected.correlations_, atol=1e-7)
        np.testing.assert_allclose(
            aligned(model.transform(X), expected.transform(X)), expected.transform(X), atol=1e-5
        )
    K = RBF(length_scale=2.0)(X)
    kept = K.copy()
    given = quiet(KernelCCA(2, kernel=["precomputed", RBF(length_scale=2.0)], kappa=0.05), K, Y)
    np.testing.assert_allclose(given.correlations_, expected.correlations_, atol=1e-7)
    np.testing.assert_allclose(
        aligned(given.transform(K[:9]), expected.transform(X[:9])),
        expected.transform(X[:9]),
        atol=1e-5,
    )
    np.testing.assert_array_equal(K, kept)


def test_each_view_has_a_scale_of_its_own():
    X, Y = views()
    Y = 100 * Y
    grams = [RBF.from_gamma(1 / (V.shape[1] * V.var()))(V) for V in (X, Y)]
    model = KernelCCA(2, kappa=0.05).fit(X, Y)
    np.testing.assert_allclose(
        model.correlations_, naive.kernel_cca(grams, 2, 0.05).values, atol=1e-7
    )


def test_sparse_rows_are_dense_rows():
    X, Y = (np.where(np.abs(V) > 0.3, V, 0.0) for V in views())
    dense = KernelCCA(2, kernel=RBF(), kappa=0.05).fit(X, Y)
    sparse = KernelCCA(2, kernel=RBF(), kappa=0.05).fit(sp.csr_matrix(X), sp.csr_matrix(Y))
    np.testing.assert_allclose(sparse.correlations_, dense.correlations_, atol=1e-7)
    np.testing.assert_allclose(
        aligned(sparse.transform(sp.csr_matrix(X)), dense.transform(X)),
        dense.transform(X),
        atol=1e-5,
    )


def test_frames():
    X, Y = views()
    frames = pd.DataFrame(X, columns=["a", "b"]), pd.DataFrame(Y, columns=["c", "d", "e"])
    model, plain = (KernelCCA(2, kernel=RBF(), kappa=0.05).fit(*v) for v in (frames, (X, Y)))
    np.testing.assert_array_equal(model.correlations_, plain.correlations_)
    np.testing.assert_array_equal(model.transform(*frames)[1], plain.transform(X, Y)[1])


def test_definiteness():
    X, Y = views()
    with pytest.raises(errors.DefinitenessError, match="Sigmoid"):
        KernelCCA(1, kernel=[RBF(), Sigmoid(scale=0.5)]).fit(X, Y)


# -- what must hold
# --------------------------------------------------------------------------------------------------


def test_a_small_memory_budget_changes_the_way_only():
    X, Y = views(300)
    roomy = KernelCCA(2, kernel=RBF(), kappa=0.05).fit(X, Y)
    with config_context(memory_budget="4 MB"):
        narrow = KernelCCA(2, kernel=RBF(), kappa=0.05).fit(X, Y)
    np.testing.assert_allclose(narrow.correlations_, roomy.correlations_, atol=1e-8)
    np.testing.assert_allclose(narrow.transform(X), roomy.transform(X), atol=1e-6)


@pytest.mark.parametrize("m", [2, 3])
def test_bits_do_not_depend_on_threads(m):
    V = views(250, m=m)
    found = []
    for threads in (1, 2, 8):
        with config_context(threads=threads):
            model = KernelCCA(2, kernel=RBF(), kappa=0.05).fit(*V)
            found.append((model.correlations_, *model.transform(*V)))
    for other in found[1:]:
        assert all(np.array_equal(a, b) for a, b in zip(found[0], other, strict=True))


def test_shifting_a_view_changes_nothing():
    X, Y = (np.round(V * 2**20) / 2**20 for V in views())
    near, far = (KernelCCA(2, kernel=RBF(), kappa=0.05).fit(X, Y + shift) for shift in (0.0, 1e6))
    np.testing.assert_allclose(near.correlations_, far.correlations_, atol=1e-8)
    np.testing.assert_allclose(near.transform(X), far.transform(X), atol=1e-6)


def test_a_low_rank_is_near():
    X, Y = views(200)
    whole, low = (
        KernelCCA(1, kernel=RBF(length_scale=2.0), kappa=0.1, max_rank=r).fit(X, Y)
        for r in (500, 15)
    )
    assert max(low.ranks_) <= 15 < max(whole.ranks_)
    assert low.correlations_[0] == pytest.approx(whole.correlations_[0], abs=0.02)


def test_the_report_says_how():
    assert "RBF" in str(KernelCCA(1, kernel=RBF(), kappa=0.1).fit(*views()).report_)


# -- degenerate data
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("m", [2, 3])
def test_more_components_than_the_rank(m):
    X, Y = linear_views()
    Y = Y[:, :1]
    V = (X, Y) if m == 2 else (X, Y, X[:, :1])
    model = KernelCCA(4 if m == 2 else 9, kernel="linear", kappa=0.01)
    with pytest.warns(UserWarning, match="n_components"):
        model.fit(*V)
    assert np.isfinite(model.correlations_).all() and all(
        np.isfinite(Z).all() for Z in model.transform(*V)
    )
    assert model.transform(X).shape[1] == len(model.correlations_)


def test_duplicates_are_legal():
    X, Y = (np.repeat(V[:15], 4, axis=0) for V in views())
    model = quiet(KernelCCA(2, kernel=RBF(), kappa=0.05), X, Y)
    expected = naive.kernel_cca([RBF()(X), RBF()(Y)], 2, 0.05)
    np.testing.assert_allclose(model.correlations_, expected.values, atol=1e-7)
    Z = model.transform(X)
    np.testing.assert_allclose(Z[0], Z[3], atol=1e-7)


def test_equal_views_correlate_fully():
    X, _ = linear_views()
    np.testing.assert_allclose(
        KernelCCA(2, kernel="linear", kappa=0.0).fit(X, X).correlations_, 1.0, atol=1e-8
    )


@pytest.mark.parametrize("kernel", ["linear", "rbf", RBF()], ids=str)
@pytest.mark.parametrize("kappa", [0.0, 0.1])
def test_without_spread_there_is_an_error_or_nothing_but_numbers(kernel, kappa):
    X, Y = views(20)
    for V in ((X, np.ones((20, 2))), (np.ones((20, 2)), Y), (X[:1], Y[:1])):
        try:
            model = quiet(KernelCCA(1, kernel=kernel, kappa=kappa), *V)
        except ValueError:
            continue
        assert np.isfinite(model.correlations_).all() and all(
            np.isfinite(Z).all() for Z in model.transform(*V)
        )
        np.testing.assert_allclose(model.correlations_, 0.0, atol=1e-6)


# -- refusals
# --------------------------------------------------------------------------------------------------


def test_views_of_different_lengths():
    X, Y = views()
    for fit in (
        lambda: KernelCCA(1, kernel=RBF()).fit(X, Y[:50]),
        lambda: KernelCCA(1, kernel=RBF()).fit(X, Y, X[:50]),
    ):
        with pytest.raises(ValueError, match="70") as caught:
            fit()
        assert "50" in str(caught.value)
    sets, V = words()
    with pytest.raises(ValueError, match="60"):
        KernelCCA(1, kernel=[Jaccard(), RBF()]).fit(sets, V[:31])
    model = KernelCCA(1, kernel=RBF(), kappa=0.1).fit(X, Y)
    assert model.transform_view(Y[:50], 1).shape == (50, 1)


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"X": np.full((30, 2), np.nan)}, "NaN"),
        ({"y": np.full((30, 2), np.nan)}, "NaN"),
        ({"y": None}, "requires y|second view"),
        ({"X": [["a", "b"]] * 30}, "could not convert|numeric|string"),
        ({"X": np.ones(30)}, "2D"),
    ],
    ids=lambda v: str(v)[:30],
)
def test_bad_data(change, match):
    with pytest.raises(ValueError, match=match):
        KernelCCA(1).fit(
            **{
                "X": np.arange(60.0).reshape(30, 2),
                "y": np.arange(60.0).reshape(30, 2) ** 2,
                **change,
            }
        )


@pytest.mark.parametrize(
    "options",
    [
        {"n_components": 0},
        {"n_components": 1.5},
        {"kernel": 3},
        {"kernel": "hope"},
        {"kernel": ["rbf"]},
        {"kernel": ["rbf"] * 3},
        {"gamma": "much"},
        {"kappa": -1.0},
        {"kappa": np.nan},
        {"max_rank": 0},
        {"tol": -1.0},
    ],
    ids=str,
)
def test_bad_parameters(options):
    with pytest.raises(ValueError):
        KernelCCA(**options).fit(*views())


def test_refusals_after_the_fit():
    X, Y = views()
    with pytest.raises(NotFittedError):
        KernelCCA().transform(X)
    model = KernelCCA(2, kernel=RBF(), kappa=0.1).fit(X, Y)
    for call in (
        lambda: model.transform(X[:, :1]),
        lambda: model.transform(X, Y[:, :1]),
        lambda: model.transform_view(X, 1),
    ):
        with pytest.raises(ValueError):
            call()
    for view in (2, -3):
        with pytest.raises((ValueError, IndexError), match="view"):
            model.transform_view(X, view)
    with pytest.raises(ValueError, match="square"):
        KernelCCA(1, kernel="precomputed").fit(X, RBF()(Y))


def test_parameters_without_effect_are_named_once(rng):
    X = rng.standard_normal((30, 2))
    for kernels in (RBF(), "RBF()", [RBF(), Linear(), RBF(2.0)]):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            KernelCCA(kernel=kernels, gamma=0.3, degree=5).fit(X, X, X)
        said = [str(w.message).split(":")[0] for w in caught]
        assert said == ["gamma = 0.3 is ignored", "degree = 5 is ignored"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        KernelCCA(kernel=[RBF(), "rbf"], gamma=0.3).fit(X, X)  # the second view has use for it
