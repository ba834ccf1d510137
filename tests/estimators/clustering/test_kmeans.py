"""Kernel k-means against scikit-learn's means, against Lloyd's iteration written out, and against
its own distances.
"""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import projection as naive
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs, make_circles
from sklearn.exceptions import NotFittedError
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from mercer import (
    RBF,
    Jaccard,
    KernelKMeans,
    Linear,
    NegativeDistance,
    Polynomial,
    Sigmoid,
    config_context,
    errors,
)

KERNELS = [RBF(length_scale=3.0), Polynomial(degree=2), Linear(), NegativeDistance()]


def drawn_anew(estimator):
    """Copies of a sample change what is drawn first: scikit-learn leaves its own k-means out of
    these checks too.
    """
    return {
        f"check_sample_weight_equivalence_on_{kind}_data": "the first centers are drawn"
        for kind in ("dense", "sparse")
    }


@parametrize_with_checks(
    [KernelKMeans(n_clusters=3, kernel=Linear(), init="random")],
    expected_failed_checks=drawn_anew,
    xfail_strict=False,
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def samples(n: int = 120, d: int = 3, seed: int = 0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, d)) * 2.0, rng.standard_normal((40, d)) * 2.0


def blobs(n: int = 120, seed: int = 0):
    return make_blobs(n, 2, centers=[[0, 0], [8, 0], [0, 8]], cluster_std=0.8, random_state=seed)


def rows_of(n: int, k: int, seed: int = 0):
    return np.random.default_rng(seed).permutation(n)[:k]


def distances(kernel, new, X, labels, weight=None):
    """Squared, to the centers of these labels."""
    members = [np.flatnonzero(labels == c) for c in range(labels.max() + 1)]
    weight = np.ones(len(X)) if weight is None else weight
    return naive.center_distances(np.diag(kernel(new)), kernel(new, X), kernel(X), members, weight)


# -- equal to scikit-learn, and to the definition
# ----------------------------------------------------------------------


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("k", [1, 2, 5, 12])
@pytest.mark.parametrize("kernel", ["linear", Linear()], ids=str)
def test_the_linear_kernel_is_scikit_learns_means(kernel, k, weighted):
    X, new = samples()
    weight = np.random.default_rng(1).uniform(0.2, 3.0, len(X)) if weighted else None
    rows = rows_of(len(X), k)
    ours = KernelKMeans(k, kernel=kernel, init=rows).fit(X, sample_weight=weight)
    theirs = KMeans(k, init=X[rows], n_init=1, tol=0).fit(X, sample_weight=weight)
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)
    assert ours.inertia_ == pytest.approx(theirs.inertia_, rel=1e-9)
    np.testing.assert_allclose(ours.transform(new), theirs.transform(new), atol=1e-7)
    np.testing.assert_array_equal(ours.predict(new), theirs.predict(new))
    assert ours.score(new) == pytest.approx(theirs.score(new), rel=1e-9)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("k", [2, 6])
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: type(k).__name__)
def test_the_definition(kernel, k, weighted):
    X, new = samples()
    weight = np.random.default_rng(1).uniform(0.2, 3.0, len(X)) if weighted else None
    rows = rows_of(len(X), k)
    model = KernelKMeans(k, kernel=kernel, init=rows).fit(X, sample_weight=weight)
    expected = naive.kernel_kmeans(kernel(X), k, rows, weight)
    np.testing.assert_array_equal(model.labels_, expected.labels)
    assert model.inertia_ == pytest.approx(expected.inertia, rel=1e-9)
    squared = distances(kernel, new, X, expected.labels, weight)
    np.testing.assert_allclose(model.transform(new), np.sqrt(squared), atol=1e-7)
    np.testing.assert_array_equal(model.predict(new), squared.argmin(axis=1))
    assert model.score(new) == pytest.approx(-squared.min(axis=1).sum(), rel=1e-9)
    sizes = np.bincount(expected.labels, weight, minlength=k)
    np.testing.assert_allclose(model.cluster_sizes_, sizes)


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: type(k).__name__)
def test_labels_to_begin_with(kernel):
    X, _ = samples()
    start = np.random.default_rng(3).integers(0, 4, len(X))
    model = KernelKMeans(4, kernel=kernel, init=start).fit(X)
    expected = naive.kernel_kmeans(kernel(X), 4, start)
    np.testing.assert_array_equal(model.labels_, expected.labels)
    assert model.inertia_ == pytest.approx(expected.inertia, rel=1e-9)


def test_a_function_to_begin_with():
    X, _ = samples()
    rows = rows_of(len(X), 4)
    seen = []

    def start(X, n_clusters, random_state):
        seen.append((len(X), n_clusters))
        return rows

    found = KernelKMeans(4, kernel=RBF(), init=start, random_state=0).fit(X)
    np.testing.assert_array_equal(
        found.labels_, KernelKMeans(4, kernel=RBF(), init=rows).fit(X).labels_
    )
    assert set(seen) == {(len(X), 4)}


@settings(max_examples=20)
@given(
    seed=st.integers(0, 10_000), n=st.integers(2, 30), k=st.integers(1, 6), weighted=st.booleans()
)
def test_any_samples(seed, n, k, weighted):
    k = min(k, n - 1)  # as many positions as samples could be labels
    rng = np.random.default_rng(seed)
    X, rows = rng.standard_normal((n, 2)), rng.permutation(n)[:k]
    weight = rng.uniform(0.1, 2.0, n) if weighted else None
    kernel = RBF()
    model = KernelKMeans(k, kernel=kernel, init=rows).fit(X, sample_weight=weight)
    expected = naive.kernel_kmeans(kernel(X), k, rows, weight)
    np.testing.assert_array_equal(model.labels_, expected.labels)
    assert model.inertia_ == pytest.approx(expected.inertia, rel=1e-8, abs=1e-12)


@settings(max_examples=20)
@given(
    seed=st.integers(0, 10_000), k=st.integers(1, 6), init=st.sampled_from(["k-means++", "random"])
)
def test_every_result_is_a_fixed_point(seed, k, init):
    X = np.random.default_rng(seed).standard_normal((40, 2))
    kernel = RBF()
    model = KernelKMeans(k, kernel=kernel, init=init, random_state=seed).fit(X)
    assert sorted(set(model.labels_)) == list(range(k)) and model.cluster_sizes_.sum() == 40
    squared = distances(kernel, X, X, model.labels_)
    np.testing.assert_allclose(squared[range(40), model.labels_], squared.min(axis=1), atol=1e-9)
    assert model.inertia_ == pytest.approx(
        naive.inertia(kernel(X), model.labels_), rel=1e-9, abs=1e-12
    )


# -- what the parts say of each other
# ----------------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: type(k).__name__)
def test_predictions_of_the_training_samples_are_their_labels(kernel):
    X, _ = samples()
    model = KernelKMeans(5, kernel=kernel, random_state=0).fit(X)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    Z = model.transform(X)
    assert Z.shape == (len(X), 5) and (Z >= 0).all()
    np.testing.assert_array_equal(Z.argmin(axis=1), model.labels_)
    assert (
        model.inertia_
        == pytest.approx((Z.min(axis=1) ** 2).sum(), rel=1e-6)
        == pytest.approx(-model.score(X), rel=1e-6)
    )
    np.testing.assert_array_equal(clone(model).fit_predict(X), model.labels_)
    np.testing.assert_allclose(clone(model).fit_transform(X), Z, atol=1e-7)
    assert 1 <= model.n_iter_ <= 300


@pytest.mark.parametrize("kernel", [RBF(), Linear()], ids=str)
def test_a_weight_is_a_number_of_copies(kernel, rng):
    X, new = samples(60)
    weight = rng.integers(1, 4, len(X))
    copies = np.repeat(np.arange(len(X)), weight)
    rows = rows_of(len(X), 4)
    a = KernelKMeans(4, kernel=kernel, init=rows).fit(X, sample_weight=weight)
    b = KernelKMeans(4, kernel=kernel, init=np.searchsorted(copies, rows)).fit(X[copies])
    np.testing.assert_array_equal(a.labels_[copies], b.labels_)
    assert a.inertia_ == pytest.approx(b.inertia_, rel=1e-9)
    np.testing.assert_allclose(a.cluster_sizes_, b.cluster_sizes_)
    np.testing.assert_allclose(a.transform(new), b.transform(new), atol=1e-8)


def test_samples_without_weight_are_labeled_and_count_for_nothing():
    X, new = samples(60)
    weight = np.ones(60)
    weight[40:] = 0.0
    rows = rows_of(40, 4)
    with_them = KernelKMeans(4, kernel=RBF(), init=rows).fit(X, sample_weight=weight)
    without = KernelKMeans(4, kernel=RBF(), init=rows).fit(X[:40])
    np.testing.assert_array_equal(with_them.labels_[:40], without.labels_)
    np.testing.assert_array_equal(with_them.labels_[40:], without.predict(X[40:]))
    np.testing.assert_allclose(with_them.transform(new), without.transform(new), atol=1e-8)
    assert (
        with_them.inertia_ == pytest.approx(without.inertia_, rel=1e-9)
        and with_them.cluster_sizes_.sum() == 40
    )


def test_scaling_the_weights_changes_nothing():
    X, _ = samples()
    weight, rows = np.random.default_rng(1).uniform(0.2, 3.0, len(X)), rows_of(len(X), 4)
    a, b = (
        KernelKMeans(4, kernel=RBF(), init=rows).fit(X, sample_weight=w)
        for w in (weight, 1000 * weight)
    )
    np.testing.assert_array_equal(a.labels_, b.labels_)
    assert b.inertia_ == pytest.approx(1000 * a.inertia_, rel=1e-9)


def test_a_constant_added_to_the_kernel_changes_nothing():
    X, _ = samples()
    rows = rows_of(len(X), 4)
    a, b = (KernelKMeans(4, kernel=k, init=rows).fit(X) for k in (RBF(), RBF() + 5.0))
    np.testing.assert_array_equal(a.labels_, b.labels_)
    assert b.inertia_ == pytest.approx(a.inertia_, rel=1e-9)


# -- ways to begin and to end
# ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("init", ["k-means++", "random"])
def test_blobs_are_found(init):
    X, y = blobs()
    for kernel in (Linear(), RBF(length_scale=3.0)):
        model = KernelKMeans(3, kernel=kernel, init=init, n_init=10, random_state=0).fit(X)
        assert adjusted_rand_score(y, model.labels_) == 1.0


def test_circles_are_found_from_labels_nearly_right():
    X, y = make_circles(200, factor=0.2, noise=0.03, random_state=0)
    start = np.where(np.random.default_rng(0).random(200) < 0.05, 1 - y, y)
    assert (
        adjusted_rand_score(
            y, KernelKMeans(2, kernel=RBF(length_scale=0.4), init=start).fit(X).labels_
        )
        == 1.0
    )


def test_more_attempts_are_no_worse():
    X, _ = samples()
    one, ten = (
        KernelKMeans(8, kernel=RBF(), init="random", n_init=n, random_state=0).fit(X).inertia_
        for n in (1, 10)
    )
    assert ten <= one
    auto = KernelKMeans(8, kernel=RBF(), init="random", random_state=0).fit(X).inertia_
    assert auto == ten
    single = [
        KernelKMeans(8, kernel=RBF(), n_init=n, random_state=0).fit(X).inertia_ for n in ("auto", 1)
    ]
    assert single[0] == single[1]


@pytest.mark.parametrize("init", ["k-means++", "random"])
def test_the_random_state_decides(init):
    X, _ = samples()
    a, b = (KernelKMeans(6, kernel=RBF(), init=init, random_state=4).fit(X) for _ in range(2))
    np.testing.assert_array_equal(a.labels_, b.labels_)
    others = {
        KernelKMeans(6, kernel=RBF(), init=init, n_init=1, random_state=s).fit(X).inertia_
        for s in range(6)
    }
    assert len(others) > 1


def test_careful_seeds_are_better_than_any():
    X, _ = make_blobs(200, 2, centers=10, cluster_std=0.2, random_state=0)
    careful, random = (
        np.mean(
            [
                KernelKMeans(10, kernel=Linear(), init=init, n_init=1, random_state=s)
                .fit(X)
                .inertia_
                for s in range(10)
            ]
        )
        for init in ("k-means++", "random")
    )
    assert careful < random


def test_the_inertia_falls_with_every_step():
    X, _ = samples()
    rows = rows_of(len(X), 6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = [
            KernelKMeans(6, kernel=RBF(), init=rows, max_iter=m).fit(X).inertia_
            for m in range(1, 12)
        ]
    assert (np.diff(found) <= 1e-9).all() and found[-1] < found[0]


def test_a_tolerance_ends_earlier():
    X, _ = samples(400)
    rows = rows_of(len(X), 8)
    close, loose = (KernelKMeans(8, kernel=RBF(), init=rows, tol=t).fit(X) for t in (0.0, 0.05))
    assert loose.n_iter_ < close.n_iter_ and loose.inertia_ >= close.inertia_


def test_an_empty_cluster_takes_the_farthest_sample():
    X = np.array([[0.0], [1.0], [2.0], [50.0]])
    model = KernelKMeans(2, kernel=Linear(), init=np.zeros(4, dtype=int)).fit(X)
    assert model.labels_.tolist() == [0, 0, 0, 1] and model.inertia_ == pytest.approx(2.0)
    X = np.array([[0.0], [0.0], [1.0], [2.0], [50.0]])
    assert KernelKMeans(2, kernel=Linear(), init=[0, 1]).fit(X).labels_.tolist() == [0, 0, 0, 0, 1]
    X, start = np.vstack([blobs()[0], [[100.0, 100.0]]]), np.append(blobs()[1], 0)
    model = KernelKMeans(4, kernel=Linear(), init=start).fit(X)
    assert (
        np.bincount(model.labels_, minlength=4).min() == 1
        and (model.labels_ == model.labels_[-1]).sum() == 1
    )


@pytest.mark.parametrize("seed", [105, 2005, 2734, 4632, 5977])
def test_clusters_that_empty_on_the_way(seed):
    """Seeds at which a cluster loses its last sample after some steps; farthest is meant from the
    center of the new label.
    """
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((12, 2))
    rows = rng.permutation(12)[:6]
    model, expected = (
        KernelKMeans(6, kernel=Linear(), init=rows).fit(X),
        naive.kernel_kmeans(X @ X.T, 6, rows),
    )
    np.testing.assert_array_equal(model.labels_, expected.labels)
    assert model.inertia_ == pytest.approx(
        KMeans(6, init=X[rows], n_init=1, tol=0).fit(X).inertia_, rel=1e-9
    )


@settings(max_examples=20)
@given(seed=st.integers(0, 10_000), by_labels=st.booleans())
def test_empty_clusters_by_the_definition(seed, by_labels):
    rng = np.random.default_rng(seed)
    X = np.vstack([np.zeros((2, 2)), rng.standard_normal((28, 2))])
    start = rng.integers(0, 3, 30) if by_labels else np.array([0, 1, 7, 9])
    model, expected = (
        KernelKMeans(4, kernel=RBF(), init=start).fit(X),
        naive.kernel_kmeans(RBF()(X), 4, start),
    )
    np.testing.assert_array_equal(model.labels_, expected.labels)
    assert model.inertia_ == pytest.approx(expected.inertia, rel=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_no_cluster_is_left_empty(seed):
    X = np.random.default_rng(seed).standard_normal((30, 1)) ** 3
    for init in ("random", "k-means++", np.zeros(30, dtype=int)):
        model = KernelKMeans(
            12, kernel=RBF(length_scale=0.5), init=init, n_init=1, random_state=seed
        ).fit(X)
        assert (
            np.bincount(model.labels_, minlength=12).min() >= 1
            and np.isfinite(model.transform(X)).all()
        )


# -- kernels and samples of every sort
# ---------------------------------------------------------------------------------


def test_ways_to_name_a_kernel():
    X, new = samples()
    rows = rows_of(len(X), 4)
    expected = KernelKMeans(4, kernel=RBF(length_scale=2.0), init=rows).fit(X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", errors.DefinitenessWarning)
        for kernel in ("rbf", "RBF(length_scale=2.0)", lambda a, b: RBF(length_scale=2.0)(a, b)):
            model = KernelKMeans(4, kernel=kernel, gamma=0.125, init=rows).fit(X)
            np.testing.assert_array_equal(model.labels_, expected.labels_)
            np.testing.assert_allclose(model.transform(new), expected.transform(new), atol=1e-7)
    K = RBF(length_scale=2.0)(X)
    kept = K.copy()
    given = KernelKMeans(4, kernel="precomputed", init=rows).fit(K)
    np.testing.assert_array_equal(given.labels_, expected.labels_)
    np.testing.assert_allclose(
        given.transform(RBF(length_scale=2.0)(new, X)) ** 2, expected.transform(new) ** 2, atol=1e-9
    )
    np.testing.assert_array_equal(
        given.predict(RBF(length_scale=2.0)(new, X)), expected.predict(new)
    )
    np.testing.assert_array_equal(K, kept)


def test_the_scale_of_the_data_sets_gamma():
    X, _ = samples()
    rows, gamma = rows_of(len(X), 4), 1 / (X.shape[1] * X.var())
    a, b = (KernelKMeans(4, init=rows, gamma=g).fit(X) for g in ("scale", gamma))
    np.testing.assert_array_equal(a.labels_, b.labels_)
    assert a.inertia_ == pytest.approx(b.inertia_, rel=1e-9)


def test_sets():
    sets = [{"a", "b"}, {"a", "c"}, {"b", "c"}, {"x", "y"}, {"x", "z"}, {"y", "z"}] * 3
    model = KernelKMeans(2, kernel=Jaccard(), n_init=10, random_state=0).fit(sets)
    assert adjusted_rand_score([0, 0, 0, 1, 1, 1] * 3, model.labels_) == 1.0
    first, second = model.predict([{"a"}, {"x", "q"}])
    assert first == model.labels_[0] and second == model.labels_[3]


@pytest.mark.parametrize("kernel", ["rbf", "linear", RBF()], ids=str)
def test_sparse_rows_are_dense_rows(kernel):
    X, new = (np.where(np.abs(a) > 1.0, a, 0.0) for a in samples())
    rows = rows_of(len(X), 4)
    dense, sparse = (
        KernelKMeans(4, kernel=kernel, init=rows).fit(a) for a in (X, sp.csr_matrix(X))
    )
    np.testing.assert_array_equal(sparse.labels_, dense.labels_)
    np.testing.assert_allclose(
        sparse.transform(sp.csr_matrix(new)), dense.transform(new), atol=1e-7
    )


def test_frames_come_out_named():
    X, _ = samples()
    frame = pd.DataFrame(X, columns=list("abc"), index=np.arange(len(X)) + 7)
    made = KernelKMeans(2, random_state=0).set_output(transform="pandas").fit_transform(frame)
    assert made.columns.tolist() == ["kernelkmeans0", "kernelkmeans1"] and made.index.equals(
        frame.index
    )


def test_a_search_and_a_pipeline():
    X, y = blobs()
    model = make_pipeline(StandardScaler(), KernelKMeans(3, kernel=RBF(), n_init=5, random_state=0))
    search = GridSearchCV(model, {"kernelkmeans__n_clusters": [1, 3]}, cv=3).fit(X)
    assert search.best_params_ == {"kernelkmeans__n_clusters": 3}
    assert adjusted_rand_score(y, search.predict(X)) == 1.0


def test_definiteness():
    X, _ = samples()
    with pytest.raises(errors.DefinitenessError, match="Sigmoid"):
        KernelKMeans(2, kernel=Sigmoid(scale=0.5)).fit(X)


# -- what must hold
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "kernel", [RBF(), Polynomial(degree=2), NegativeDistance()], ids=lambda k: type(k).__name__
)
@pytest.mark.parametrize("weighted", [False, True])
def test_a_small_memory_budget_changes_the_way_only(kernel, weighted):
    X, new = samples(300)
    weight = np.random.default_rng(1).uniform(0.2, 3.0, 300) if weighted else None
    rows = rows_of(300, 5)
    roomy = KernelKMeans(5, kernel=kernel, init=rows).fit(X, sample_weight=weight)
    with config_context(memory_budget="200 kB"):
        narrow = KernelKMeans(5, kernel=kernel, init=rows).fit(X, sample_weight=weight)
        found, predicted = narrow.transform(new), narrow.predict(new)
        drawn = KernelKMeans(5, kernel=kernel, random_state=0).fit(X, sample_weight=weight)
    np.testing.assert_array_equal(narrow.labels_, roomy.labels_)
    assert narrow.inertia_ == pytest.approx(roomy.inertia_, rel=1e-8)
    np.testing.assert_allclose(found, roomy.transform(new), atol=1e-7)
    np.testing.assert_array_equal(predicted, roomy.predict(new))
    assert narrow.report_.plan != roomy.report_.plan
    np.testing.assert_array_equal(
        drawn.labels_,
        KernelKMeans(5, kernel=kernel, random_state=0).fit(X, sample_weight=weight).labels_,
    )


@pytest.mark.parametrize("budget", ["8 GB", "500 kB"])
@pytest.mark.parametrize("init", ["k-means++", "random"])
def test_bits_do_not_depend_on_threads(budget, init):
    X, new = samples(400)
    found = []
    for threads in (1, 2, 8):
        with config_context(threads=threads, memory_budget=budget):
            model = KernelKMeans(6, kernel=RBF(), init=init, random_state=0).fit(X)
            found.append((model.labels_, np.array(model.inertia_), model.transform(new)))
    for other in found[1:]:
        assert all(np.array_equal(a, b) for a, b in zip(found[0], other, strict=True))


def test_shifting_the_data_changes_nothing():
    X, new = (np.round(a * 2**20) / 2**20 for a in samples())
    rows = rows_of(len(X), 5)
    near, far = (KernelKMeans(5, kernel=RBF(), init=rows).fit(X + shift) for shift in (0.0, 1e6))
    np.testing.assert_array_equal(near.labels_, far.labels_)
    np.testing.assert_allclose(near.transform(new), far.transform(new + 1e6), atol=1e-7)


def test_the_order_of_the_samples_does_not_matter():
    X, _ = samples()
    rows, order = rows_of(len(X), 5), np.random.default_rng(9).permutation(len(X))
    a = KernelKMeans(5, kernel=RBF(), init=rows).fit(X)
    b = KernelKMeans(5, kernel=RBF(), init=np.argsort(order)[rows]).fit(X[order])
    np.testing.assert_array_equal(a.labels_[order], b.labels_)


def test_the_report_says_how():
    X, _ = samples()
    assert "RBF" in str(KernelKMeans(2, kernel=RBF(), random_state=0).fit(X).report_)


# -- degenerate data
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", [RBF(), Linear()], ids=str)
@pytest.mark.parametrize("init", ["k-means++", "random"])
def test_one_cluster_has_the_spread_of_the_data(kernel, init):
    X, _ = samples()
    model = KernelKMeans(1, kernel=kernel, init=init, random_state=0).fit(X)
    assert not model.labels_.any() and model.inertia_ == pytest.approx(
        np.trace(naive.centered(kernel(X))), rel=1e-9
    )


@pytest.mark.parametrize("init", ["k-means++", "random"])
def test_as_many_clusters_as_samples(init):
    X, _ = samples(10)
    model = KernelKMeans(10, kernel=RBF(), init=init, random_state=0).fit(X)
    assert sorted(model.labels_) == list(range(10)) and model.inertia_ == pytest.approx(
        0.0, abs=1e-9
    )
    one = KernelKMeans(1, init=init).fit([[1.0, 2.0]])
    assert (
        one.labels_.tolist() == [0]
        and one.inertia_ == pytest.approx(0.0, abs=1e-12)
        and one.predict([[3.0, 0.0]]).tolist() == [0]
    )


@pytest.mark.parametrize("init", ["k-means++", "random"])
@pytest.mark.parametrize("kernel", [RBF(), "linear"], ids=str)
def test_equal_samples_give_numbers_and_labels_below_k(init, kernel):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        for X in (np.ones((20, 2)), np.repeat([[0.0, 0.0], [3.0, 0.0]], 10, axis=0)):
            model = KernelKMeans(4, kernel=kernel, init=init, random_state=0).fit(X)
            assert (
                model.labels_.min() >= 0
                and model.labels_.max() < 4
                and model.inertia_ == pytest.approx(0.0, abs=1e-9)
            )
            assert (
                np.isfinite(model.inertia_)
                and not np.isnan(model.transform(X)).any()
                and len(set(model.predict(X))) <= 4
            )


# -- refusals
# --------------------------------------------------------------------------------------------------


def test_more_clusters_than_samples():
    X, _ = samples(5)
    with pytest.raises(ValueError, match="n_clusters"):
        KernelKMeans(6).fit(X)
    with pytest.raises(ValueError, match="n_clusters"):
        KernelKMeans(2).fit([[1.0, 2.0]])


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
        KernelKMeans(2).fit(**{"X": np.arange(60.0).reshape(30, 2), **change})


@pytest.mark.parametrize(
    "options",
    [
        {"n_clusters": 0},
        {"n_clusters": 1.5},
        {"kernel": 3},
        {"kernel": "hope"},
        {"gamma": "much"},
        {"init": "hope"},
        {"init": [0, 1]},
        {"init": [0, 1, 1000]},
        {"init": [-1, 0, 1]},
        {"init": [0.5, 1.5, 2.5]},
        {"init": np.full(120, 7)},
        {"init": lambda X, n_clusters, random_state: [0]},
        {"n_init": 0},
        {"n_init": "hope"},
        {"max_iter": 0},
        {"tol": -1.0},
    ],
    ids=lambda given: next(iter(given)),
)
def test_bad_parameters(options):
    with pytest.raises(ValueError):
        KernelKMeans(**{"n_clusters": 3, **options}).fit(samples()[0])


def test_refusals_after_the_fit():
    X, _ = samples()
    for call in (KernelKMeans().predict, KernelKMeans().transform, KernelKMeans().score):
        with pytest.raises(NotFittedError):
            call(X)
    model = KernelKMeans(2).fit(X)
    for call in (model.predict, model.transform, model.score):
        with pytest.raises(ValueError, match="features"):
            call(X[:, :2])
        with pytest.raises(ValueError, match="NaN"):
            call(X * np.nan)
    with pytest.raises(ValueError, match="square"):
        KernelKMeans(2, kernel="precomputed").fit(X)
    with pytest.raises(ValueError):
        KernelKMeans(2, kernel="precomputed").fit(RBF()(X)).predict(RBF()(X)[:, :10])
