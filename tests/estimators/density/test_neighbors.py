"""Nearest neighbors in feature space against scikit-learn's, with distances worked out from the
kernel's definition.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist
from sklearn.datasets import load_diabetes, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor, NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, scale
from sklearn.utils.estimator_checks import parametrize_with_checks

import mercer
from mercer import (
    RBF,
    Jaccard,
    KernelNeighborsClassifier,
    KernelNeighborsRegressor,
    Linear,
    NegativeDistance,
    Polynomial,
    Sigmoid,
    config_context,
    errors,
)

COPIES = {
    f"check_sample_weight_equivalence_on_{kind}_data": "copies take the places of other neighbors"
    for kind in ("dense", "sparse")
}


@parametrize_with_checks(
    [
        KernelNeighborsClassifier(3, weights="distance", kernel=RBF()),
        KernelNeighborsRegressor(3, weights="distance", kernel=RBF()),
    ],
    expected_failed_checks=lambda estimator: COPIES,
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def samples(n: int = 90, seed: int = 0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 3))
    return (
        X,
        np.array(["red", "green", "blue"])[rng.integers(0, 3, n)],
        X[:, 0] + rng.standard_normal(n),
        rng.standard_normal((25, 3)),
    )


# distances in feature space, from the formulas of the kernels
DISTANCES = [
    (Linear(), cdist),
    (
        RBF(length_scale=0.7),
        lambda a, b: np.sqrt(2 * -np.expm1(-cdist(a, b, "sqeuclidean") / (2 * 0.49))),
    ),
    (NegativeDistance(), lambda a, b: np.sqrt(2 * cdist(a, b))),
    (
        Polynomial(degree=2, scale=1.0, offset=1.0),
        lambda a, b: np.sqrt(
            np.maximum(
                ((a * a).sum(1) + 1)[:, None] ** 2
                + ((b * b).sum(1) + 1) ** 2
                - 2 * (a @ b.T + 1) ** 2,
                0,
            )
        ),
    ),
]
WEIGHTS = ["uniform", "distance", None, lambda d: np.exp(-d)]


@pytest.mark.parametrize(
    "weights", WEIGHTS, ids=lambda w: w if isinstance(w, str) else type(w).__name__
)
@pytest.mark.parametrize(
    ("kernel", "distance"),
    DISTANCES,
    ids=lambda v: "distance" if callable(v) and not hasattr(v, "certificate") else repr(v),
)
@pytest.mark.parametrize("k", [1, 5, 90])
def test_scikit_learns_neighbors_under_the_same_distance(k, kernel, distance, weights):
    X, label, number, new = samples()
    inside, outside = distance(X, X), distance(new, X)
    np.fill_diagonal(inside, 0.0)
    theirs = KNeighborsClassifier(k, weights=weights, metric="precomputed").fit(inside, label)
    ours = KernelNeighborsClassifier(k, weights=weights, kernel=kernel).fit(X, label)
    assert ours.classes_.tolist() == theirs.classes_.tolist()
    np.testing.assert_allclose(ours.predict_proba(new), theirs.predict_proba(outside), atol=1e-7)
    assert (ours.predict(new) == theirs.predict(outside)).all()
    for target in (number, np.column_stack([number, -number, X[:, 1]])):
        theirs = KNeighborsRegressor(k, weights=weights, metric="precomputed").fit(inside, target)
        ours = KernelNeighborsRegressor(k, weights=weights, kernel=kernel).fit(X, target)
        np.testing.assert_allclose(ours.predict(new), theirs.predict(outside), atol=1e-7)
    d, found = ours.kneighbors(new)
    d2, found2 = theirs.kneighbors(outside)
    np.testing.assert_array_equal(found, found2)
    np.testing.assert_allclose(d, d2, atol=1e-7)


def test_the_linear_kernel_is_the_euclidean_distance():
    X, y = load_iris(return_X_y=True)
    ours, theirs = (
        KernelNeighborsClassifier(kernel="linear").fit(X[::2], y[::2]),
        KNeighborsClassifier().fit(X[::2], y[::2]),
    )
    assert ours.score(X[1::2], y[1::2]) == theirs.score(X[1::2], y[1::2])
    X, y = load_diabetes(return_X_y=True)
    ours, theirs = (
        m.fit(X[:300], y[:300])
        for m in (KernelNeighborsRegressor(kernel=Linear()), KNeighborsRegressor())
    )
    np.testing.assert_allclose(ours.predict(X[300:]), theirs.predict(X[300:]))


def test_a_radial_kernel_has_the_neighbors_of_its_argument():
    X, label, _, new = samples()
    expected = KNeighborsClassifier(7).fit(X, label).kneighbors(new)[1]
    for kernel in (RBF(length_scale=2.0), NegativeDistance(), "rbf"):
        np.testing.assert_array_equal(
            KernelNeighborsClassifier(7, kernel=kernel)
            .fit(X, label)
            .kneighbors(new, return_distance=False),
            expected,
        )


# -- the search
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", [RBF(), Linear(), NegativeDistance(), "precomputed"], ids=repr)
def test_neighbors_of_the_training_samples_are_others(kernel):
    X, label, _, _ = samples()
    X[1] = X[0]
    data = RBF()(X) if isinstance(kernel, str) else X
    model = KernelNeighborsClassifier(4, kernel=kernel).fit(data, label)
    distance, found = model.kneighbors()
    expected = cdist(X, X)
    np.fill_diagonal(expected, np.inf)
    assert found[0, 0] == 1 and found[1, 0] == 0 and distance[0, 0] == distance[1, 0] == 0.0
    assert (found != np.arange(90)[:, None]).all()
    np.testing.assert_array_equal(found, np.argsort(expected, axis=1, kind="stable")[:, :4])
    assert (np.diff(distance, axis=1) >= 0).all()
    np.testing.assert_array_equal(model.kneighbors(return_distance=False), found)
    assert model.kneighbors(n_neighbors=89)[1].shape == (90, 89)


@pytest.mark.parametrize("kernel", [RBF(), Linear(), NegativeDistance()], ids=repr)
def test_of_equal_distances_the_first_sample_comes_first(kernel):
    X = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]] * 100)
    model = KernelNeighborsRegressor(3, kernel=kernel).fit(X, np.arange(400.0))
    assert model.kneighbors([[0.0, 0.0]])[1].tolist() == [[0, 1, 2]]
    assert model.kneighbors([[1.0, 0.0]], n_neighbors=101)[1][0].tolist() == [*range(0, 400, 4), 1]
    votes = KernelNeighborsClassifier(2, kernel=kernel).fit(X, np.resize(["b", "a"], 400))
    assert votes.predict([[0.0, 0.0]]).tolist() == ["a"]  # one vote each: the first of the classes


@pytest.mark.parametrize(
    "kernel", [RBF(), Linear(), NegativeDistance(), Polynomial(degree=3)], ids=repr
)
def test_a_training_sample_decides_alone_when_distances_weigh(kernel):
    X, label, number, _ = samples()
    model = KernelNeighborsRegressor(10, weights="distance", kernel=kernel).fit(X, number)
    np.testing.assert_allclose(model.predict(X), number, rtol=1e-12)
    assert (
        KernelNeighborsClassifier(10, weights="distance", kernel=kernel).fit(X, label).predict(X)
        == label
    ).all()
    assert not model.kneighbors(X)[0][:, 0].any()


def test_small_distances_are_not_lost():
    """1 − exp(−d²/2) near d = 10⁻⁴: the distance to eight digits less."""
    X = np.array([[0.0], [1e-4], [3e-4]])
    d, found = (
        KernelNeighborsRegressor(2, kernel=RBF())
        .fit(X, [0.0, 1.0, 2.0])
        .kneighbors([[0.5e-4], [2.9e-4]])
    )
    np.testing.assert_allclose(d, [[0.5e-4, 0.5e-4], [1e-5, 1.9e-4]], rtol=1e-4)
    assert found[1].tolist() == [2, 1]


def test_many_tiles():
    rng = np.random.default_rng(0)
    X, new = rng.standard_normal((1500, 4)), rng.standard_normal((700, 4))
    model = KernelNeighborsRegressor(9, kernel=RBF(length_scale=3.0)).fit(X, X[:, 0])
    found = model.kneighbors(new, return_distance=False)
    expected = np.argsort(cdist(new, X), axis=1)[:, :9]
    np.testing.assert_array_equal(found, expected)
    given = KernelNeighborsRegressor(9, kernel="precomputed").fit(RBF(length_scale=3.0)(X), X[:, 0])
    np.testing.assert_array_equal(given.kneighbors(RBF(length_scale=3.0)(new, X))[1], expected)


# -- kernels of every sort
# ---------------------------------------------------------------------------------------------


def test_ways_to_name_a_kernel():
    X, label, number, new = samples()
    K, K_new = RBF(length_scale=2.0)(X), RBF(length_scale=2.0)(new, X)
    for weights in ("uniform", "distance"):
        expected = (
            KernelNeighborsRegressor(weights=weights, kernel=RBF(length_scale=2.0))
            .fit(X, number)
            .predict(new)
        )
        for kernel in ("rbf", "RBF(length_scale=2.0)"):
            model = KernelNeighborsRegressor(weights=weights, kernel=kernel, gamma=0.125).fit(
                X, number
            )
            np.testing.assert_allclose(model.predict(new), expected, atol=1e-7)
        given = KernelNeighborsRegressor(weights=weights, kernel="precomputed")
        np.testing.assert_allclose(given.fit(K, number).predict(K_new), expected, atol=1e-12)
        scores = (
            cross_val_score(m, x, number)
            for m, x in (
                (given, K),
                (KernelNeighborsRegressor(weights=weights, kernel=RBF(length_scale=2.0)), X),
            )
        )
        np.testing.assert_allclose(*scores, atol=1e-9)
    given = cross_val_score(KernelNeighborsClassifier(kernel="precomputed"), K, label)
    np.testing.assert_array_equal(
        given, cross_val_score(KernelNeighborsClassifier(kernel=RBF(length_scale=2.0)), X, label)
    )


def test_a_matrix_with_an_uneven_diagonal_tells_positions_only():
    X, label, _, new = samples()
    k = Polynomial(degree=2)
    given, made = (
        KernelNeighborsClassifier(kernel="precomputed").fit(k(X), label),
        KernelNeighborsClassifier(kernel=k).fit(X, label),
    )
    np.testing.assert_array_equal(
        given.kneighbors(k(new, X), return_distance=False),
        made.kneighbors(new, return_distance=False),
    )
    assert (given.predict(k(new, X)) == made.predict(new)).all()
    np.testing.assert_allclose(given.kneighbors()[0], made.kneighbors()[0], atol=1e-7)
    with pytest.raises(errors.ShapeError, match=r"diagonal.*normalize"):
        given.kneighbors(k(new, X))
    with pytest.raises(errors.ShapeError, match="diagonal"):
        KernelNeighborsClassifier(weights="distance", kernel="precomputed").fit(
            k(X), label
        ).predict(k(new, X))


def test_sets_in_a_pipeline_and_a_search():
    sets = [{"a", "b"}, {"a", "c"}, {"x", "y"}, {"y", "z"}] * 8
    y = np.array(["low", "low", "high", "high"] * 8)
    model = make_pipeline(
        FunctionTransformer(list),
        KernelNeighborsClassifier(3, kernel=Jaccard(), weights="distance"),
    )
    assert model.fit(sets, y).predict([{"a"}, {"x", "q"}]).tolist() == ["low", "high"]
    assert cross_val_score(model, sets, y, cv=4).mean() == 1.0
    near = KernelNeighborsRegressor(1, kernel=Jaccard()).fit(sets[:4], [1.0, 2.0, 3.0, 4.0])
    assert near.predict([{"c", "a"}]).tolist() == [2.0]
    assert near.kneighbors([{"a"}])[0][0, 0] == pytest.approx(1.0)  # √(2 − 2·½)
    X, y = load_iris(return_X_y=True)
    search = GridSearchCV(
        KernelNeighborsClassifier(kernel=RBF()),
        {"n_neighbors": [3, 100], "kernel__length_scale": [1.0]},
        cv=3,
    )
    assert search.fit(scale(X), y).best_params_["n_neighbors"] == 3


@pytest.mark.parametrize("kernel", ["rbf", RBF(), Linear()], ids=repr)
def test_sparse_rows_are_dense_rows(kernel):
    X, label, _, new = samples()
    X, new = (np.where(np.abs(a) > 0.5, a, 0.0) for a in (X, new))
    dense = KernelNeighborsClassifier(kernel=kernel, weights="distance").fit(X, label)
    sparse = KernelNeighborsClassifier(kernel=kernel, weights="distance").fit(
        sp.csr_matrix(X), label
    )
    np.testing.assert_allclose(
        sparse.predict_proba(sp.csr_matrix(new)), dense.predict_proba(new), atol=1e-7
    )
    np.testing.assert_allclose(sparse.predict_proba(new), dense.predict_proba(new), atol=1e-7)
    np.testing.assert_array_equal(sparse.kneighbors()[1], dense.kneighbors()[1])


def test_definiteness():
    X, label, number, _ = samples()
    with pytest.raises(errors.DefinitenessError, match="Sigmoid"):
        KernelNeighborsClassifier(kernel=Sigmoid(scale=0.5)).fit(X, label)
    with pytest.raises(errors.DefinitenessError, match="Sigmoid"):
        KernelNeighborsRegressor(kernel=Sigmoid(scale=0.5)).fit(X, number)


# -- what must hold
# --------------------------------------------------------------------------------------------------


def test_shifting_the_data_changes_nothing():
    X, _, number, new = samples()
    X, new = np.round(X * 2**20) / 2**20, np.round(new * 2**20) / 2**20
    for kernel in (RBF(length_scale=2.0), NegativeDistance()):
        near, far = (
            KernelNeighborsRegressor(kernel=kernel, weights="distance").fit(x, number)
            for x in (X, X + 1e6)
        )
        np.testing.assert_allclose(near.predict(new), far.predict(new + 1e6), atol=1e-8)
        np.testing.assert_array_equal(near.kneighbors()[1], far.kneighbors()[1])


def test_bits_do_not_depend_on_threads_or_memory():
    X, _, number, _ = samples(800)
    found = []
    for settings in ({"threads": 1}, {"threads": 2}, {"threads": 2, "memory_budget": "1 MB"}):
        with config_context(**settings):
            model = KernelNeighborsRegressor(weights="distance", kernel=RBF()).fit(X, number)
            found.append((*model.kneighbors(), model.predict(X + 0.1)))
    for other in found[1:]:
        assert all(np.array_equal(a, b) for a, b in zip(found[0], other, strict=True))


def test_duplicates_constants_and_few_samples_are_legal():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", mercer.errors.DataWarning)  # that all samples are equal
        for weights in ("uniform", "distance"):
            X = np.ones((20, 2))
            assert KernelNeighborsRegressor(5, weights=weights).fit(X, np.arange(20.0)).predict(
                X[:1]
            ).tolist() == [2.0]
            assert KernelNeighborsClassifier(5, weights=weights).fit(X, np.arange(20) % 2).predict(
                X[:1]
            ).tolist() == [0]
        assert KernelNeighborsRegressor(1, kernel=RBF()).fit([[1.0]], [4.0]).predict(
            [[9.0]]
        ).tolist() == [4.0]
        assert KernelNeighborsClassifier(1, kernel=RBF()).fit([[1.0], [2.0]], ["a", "b"]).predict(
            [[1.9]]
        ).tolist() == ["b"]


# -- refusals
# --------------------------------------------------------------------------------------------------


def test_more_neighbors_than_samples():
    X, label, number, new = samples(10)
    model = KernelNeighborsRegressor(11).fit(X, number)
    with pytest.raises(ValueError, match="n_neighbors = 11"):
        model.predict(new)
    assert KernelNeighborsRegressor(10).fit(X, number).predict(new).shape == (25,)
    few = KernelNeighborsClassifier(2).fit(X, label)
    with pytest.raises(ValueError, match="10"):
        few.kneighbors(new, n_neighbors=11)
    with pytest.raises(ValueError, match="9"):
        few.kneighbors(n_neighbors=10)
    for wrong, error in (
        (0, ValueError),
        (-1, ValueError),
        (2.0, TypeError),
        ("2", TypeError),
        (True, TypeError),
    ):
        with pytest.raises(error, match="n_neighbors"):
            few.kneighbors(new, n_neighbors=wrong)


def test_weights_that_are_no_weights():
    X, label, number, new = samples()
    for model, y in ((KernelNeighborsClassifier, label), (KernelNeighborsRegressor, number)):
        with pytest.raises(errors.ParameterError, match="weight 0"):
            model(weights=np.zeros_like).fit(X, y).predict(new)
        with pytest.raises(ValueError):
            model(weights=lambda d: d[:, :2]).fit(X, y).predict(new)
        with pytest.raises(ValueError, match="weights"):
            model(weights=lambda d: np.full(d.shape, np.nan)).fit(X, y).predict(new)


@pytest.mark.parametrize(
    "model", [KernelNeighborsClassifier(), KernelNeighborsRegressor()], ids=repr
)
@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"X": np.full((30, 2), np.nan)}, "NaN"),
        ({"X": [["a", "b"]] * 30}, "could not convert|numeric|string"),
        ({"y": None}, "requires y"),
        ({"y": np.zeros(28)}, "inconsistent"),
        ({"y": np.full(30, np.nan)}, "NaN"),
    ],
    ids=lambda v: str(v)[:30],
)
def test_bad_data(model, change, match):
    X = np.arange(60.0).reshape(30, 2)
    with pytest.raises(ValueError, match=match):
        model.fit(**{"X": X, "y": np.arange(30) % 2, **change})


def test_bad_targets():
    X = np.arange(60.0).reshape(30, 2)
    with pytest.raises(ValueError, match="greater than one"):
        KernelNeighborsClassifier().fit(X, np.zeros(30))
    with pytest.raises(ValueError, match="continuous"):
        KernelNeighborsClassifier().fit(X, np.linspace(0, 1, 30))
    with pytest.raises(ValueError):
        KernelNeighborsRegressor().fit(X, np.array(["a", "b"] * 15))
    with pytest.raises(ValueError):
        KernelNeighborsRegressor(1, kernel=Jaccard()).fit([{"a"}, {"b"}], [1.0, np.nan])


@pytest.mark.parametrize(
    "options",
    [
        {"n_neighbors": 0},
        {"n_neighbors": 2.5},
        {"weights": "much"},
        {"gamma": -1.0},
        {"kernel": 3},
        {"kernel": "hope"},
    ],
    ids=str,
)
def test_bad_parameters(options):
    X, label, number, _ = samples(20)
    with pytest.raises(ValueError):
        KernelNeighborsClassifier(**options).fit(X, label)
    with pytest.raises(ValueError):
        KernelNeighborsRegressor(**options).fit(X, number)


def test_refusals_after_the_fit():
    X, label, number, _ = samples(30)
    for model in (KernelNeighborsClassifier(), KernelNeighborsRegressor()):
        for call in (lambda: model.predict(X), lambda: model.kneighbors(X), model.kneighbors):
            with pytest.raises(NotFittedError):
                call()
        with pytest.raises(ValueError, match="features"):
            model.fit(X, label if isinstance(model, KernelNeighborsClassifier) else number).predict(
                X[:, :2]
            )
    with pytest.raises(ValueError, match="square"):
        KernelNeighborsRegressor(kernel="precomputed").fit(X, number)
    given = KernelNeighborsRegressor(kernel="precomputed").fit(RBF()(X), number)
    with pytest.raises(ValueError):
        given.predict(RBF()(X)[:, :10])


@pytest.mark.parametrize("mode", ["connectivity", "distance"])
def test_graphs_are_those_of_scikit_learn(mode):
    X = np.random.default_rng(0).standard_normal((40, 3))
    ours = KernelNeighborsClassifier(4, kernel="linear").fit(X, X[:, 0] > 0)
    theirs = NearestNeighbors(n_neighbors=4).fit(X)
    for new in (None, X[:7] + 0.1):
        graph = ours.kneighbors_graph(new, mode=mode)
        expected = theirs.kneighbors_graph(new, mode=mode)
        np.testing.assert_allclose(graph.toarray(), expected.toarray(), atol=1e-7)
    with pytest.raises(errors.ParameterError, match="mode"):
        ours.kneighbors_graph(mode="weights")


def test_weights_of_samples_are_weights_of_votes():
    X = np.array([[0.0], [1.0], [2.0], [3.0], [50.0]])
    labels, numbers = np.array(list("aabba")), np.array([1.0, 2.0, 3.0, 4.0, 100.0])
    weight = np.array([1.0, 2.0, 5.0, 0.0, 1.0])
    model = KernelNeighborsClassifier(3, kernel=RBF(9.0)).fit(X, labels, sample_weight=weight)
    np.testing.assert_allclose(model.predict_proba([[1.1]]), [[3 / 8, 5 / 8]])
    mean = KernelNeighborsRegressor(3, kernel=RBF(9.0)).fit(X, numbers, sample_weight=weight)
    np.testing.assert_allclose(mean.predict([[1.1]]), [(1.0 + 4.0 + 15.0) / 8])
    # a sample of weight 0 is nobody's neighbor, and positions are those of the others
    assert mean.n_samples_fit_ == len(mean.X_fit_) == 4
    assert mean.kneighbors([[3.0]], 4, return_distance=False)[0].tolist() == [2, 1, 0, 3]
    assert mean.kneighbors(n_neighbors=1, return_distance=False)[:, 0].tolist() == [1, 0, 1, 2]
    K = RBF(9.0)(X)
    given = KernelNeighborsRegressor(3, kernel="precomputed").fit(K, numbers, sample_weight=weight)
    np.testing.assert_allclose(given.predict(RBF(9.0)([[1.1]], X)), mean.predict([[1.1]]))
    of_training = given.kneighbors(n_neighbors=1, return_distance=False)
    assert of_training[:, 0].tolist() == [1, 0, 1, 2]
    assert given.kneighbors_graph().shape == (4, 4)


def test_weights_of_samples_multiply_those_of_distances():
    X, y = np.array([[0.0], [1.0], [3.0]]), np.array([0.0, 1.0, 5.0])
    weight = np.array([1.0, 4.0, 2.0])
    model = KernelNeighborsRegressor(3, weights="distance", kernel="linear")
    model.fit(X, y, sample_weight=weight)
    own = weight / np.abs(X[:, 0] - 2.0)
    np.testing.assert_allclose(model.predict([[2.0]]), [own @ y / own.sum()])
    np.testing.assert_allclose(model.predict([[1.0]]), [1.0])
