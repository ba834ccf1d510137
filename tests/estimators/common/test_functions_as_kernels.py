"""Functions as kernels: of two collections, of two samples, on lists; and ours in scikit-learn."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import sklearn.cluster
import sklearn.decomposition
import sklearn.kernel_approximation
import sklearn.kernel_ridge
from sklearn.metrics.pairwise import additive_chi2_kernel

import mercer
from mercer import RBF, SVC, KernelPCA, KernelRidge, Nystroem, SpectralClustering, errors

pytestmark = pytest.mark.filterwarnings("ignore::mercer.errors.DefinitenessWarning")


def pair(x, y, gamma=0.5):
    return np.exp(-gamma * np.sum((x - y) ** 2))


def collections(X, Y, gamma=0.5):
    return np.exp(-gamma * np.sum((X[:, None] - Y[None]) ** 2, axis=2))


@pytest.mark.parametrize("value", [1j, "x"])
def test_values_that_are_no_real_numbers(value):
    X = np.random.default_rng(0).standard_normal((30, 2))
    for form in (np.asarray, lambda K: K.tolist()):
        model = SVC(kernel=lambda a, b, form=form: form(np.full((len(a), len(b)), value)))
        with pytest.raises(errors.InputTypeError, match=r"returned values of type.*return real"):
            model.fit(X, X[:, 0] > 0)


@pytest.mark.parametrize("d", [1, 2, 3, 7])
@pytest.mark.parametrize("function", [pair, collections, np.dot, lambda X, Y: X @ Y.T])
def test_functions_of_pairs_and_of_collections(rng, function, d):
    X = rng.standard_normal((7, d))
    y = X[:, 0]
    kernel = RBF() if function in (pair, collections) else mercer.Linear()
    expected = KernelRidge(kernel=kernel).fit(X, y).predict(X[:3])
    found = KernelRidge(kernel=function).fit(X, y).predict(X[:3])
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


def test_arguments_of_a_function(rng):
    X = rng.standard_normal((9, 2))
    expected = sklearn.kernel_ridge.KernelRidge(kernel=pair, kernel_params={"gamma": 2.0})
    found = KernelRidge(kernel=pair, kernel_params={"gamma": 2.0}).fit(X, X[:, 0]).predict(X)
    np.testing.assert_allclose(found, expected.fit(X, X[:, 0]).predict(X), rtol=1e-9)
    assert KernelPCA(2, kernel=pair, kernel_params={"gamma": 2.0}).fit_transform(X).shape == (9, 2)


@pytest.mark.parametrize("where", ["affinity", "kernel"])
def test_arguments_of_a_function_of_affinities(rng, where):
    X = rng.standard_normal((9, 2))
    given = {where: pair, "kernel_params": {"gamma": 2.0}}
    model = SpectralClustering(2, **given).fit(X)
    expected = SpectralClustering(2, affinity="rbf", gamma=2.0).fit(X)
    np.testing.assert_allclose(model.affinity_matrix_, expected.affinity_matrix_, rtol=1e-9)
    with pytest.raises(TypeError, match="gama"):
        SpectralClustering(2, **{where: pair}, kernel_params={"gama": 2.0}).fit(X)


@pytest.mark.parametrize("kernel", ["rbf", "poly", "chi2"])
def test_the_nystrom_map_takes_arguments_of_a_name(rng, kernel):
    X = np.abs(rng.standard_normal((9, 2)))
    options = {"n_components": 9, "random_state": 0, "kernel_params": {"gamma": 2.0, "degree": 2}}
    for gamma in (None, 0.3):  # which one given by its own name goes before
        theirs = sklearn.kernel_approximation.Nystroem(kernel, gamma=gamma, **options)
        ours = Nystroem(kernel, gamma=gamma, **options).fit_transform(X)
        expected = theirs.fit_transform(X)
        np.testing.assert_allclose(ours @ ours.T, expected @ expected.T, rtol=1e-6)


@pytest.mark.parametrize(
    "model",
    [
        KernelRidge(kernel="rbf", kernel_params={"gamma": 2.0}),
        KernelPCA(kernel="additive_chi2", kernel_params={"gamma": 2.0}),
        SpectralClustering(2, affinity="rbf", kernel_params={"gamma": 2.0}),
        Nystroem("rbf", n_components=5, kernel_params={"gama": 2.0}),
    ],
    ids=repr,
)
def test_arguments_that_no_function_takes_are_named(rng, model):
    X = np.abs(rng.standard_normal((9, 2)))
    with pytest.warns(UserWarning, match="kernel_params = .* is ignored"):
        model.fit(X, X[:, 0])


def test_functions_on_lists():
    words = ["abc", "bcd", "xyz", "xy"] * 3

    def common(A, B):
        return np.array([[float(len(set(a) & set(b))) for b in B] for a in A])

    model = SVC(kernel=common).fit(words, [0, 0, 1, 1] * 3)
    assert model.predict(["abd", "zy"]).tolist() == [0, 1]


WORDS = ["abc", "bcd", "xyz", "xy"] * 3
FORMS = {
    "array of text": (np.array(WORDS), None),
    "array of objects": (np.array(WORDS, dtype=object), None),
    "series": (pd.Series(WORDS, index=range(5, 17)), None),
    "tuple": (tuple(WORDS), None),
    "dictionaries": ([dict.fromkeys(word) for word in WORDS], None),
    "lists of different lengths": ([list(word) for word in WORDS], None),
    "lists of equal lengths": ([list(word[:2]) for word in WORDS], None),
    "a table of text": (np.array([list(word[:2]) for word in WORDS]), None),
    "graphs": ([nx.path_graph(list(word)) for word in WORDS], lambda graph: graph.nodes),
    "series of numbers": ([[ord(c) for c in word] for word in WORDS], None),
    "series of vectors": ([[[ord(c)] for c in word[:2]] for word in WORDS], np.ravel),
    "array of series": (np.array([[[ord(c)] for c in word[:2]] for word in WORDS]), np.ravel),
}


@pytest.mark.parametrize("of_pairs", [True, False])
@pytest.mark.parametrize("form", FORMS)
def test_functions_of_anything(form, of_pairs):
    """What is not rows of numbers goes to the function as it is."""
    X, letters = FORMS[form]
    letters = letters or (lambda sample: sample)

    def common(a, b):
        return float(len(set(letters(a)) & set(letters(b))))

    def all_common(A, B):
        return np.array([[common(a, b) for b in B] for a in A])

    for model in (SVC(), KernelPCA(2), KernelPCA(2, gamma=None, centers=4, random_state=0)):
        model.set_params(kernel=common if of_pairs else all_common)
        model.fit(X, [0, 0, 1, 1] * 3)
        if isinstance(model, SVC):
            assert model.predict(X).tolist() == [0, 0, 1, 1] * 3
            continue
        Z = model.transform(X)
        assert len(Z) == 12 and np.isfinite(Z).all()


def test_a_bad_cell_among_rows_of_numbers_is_not_handed_to_a_function():
    with pytest.raises(mercer.errors.InputTypeError, match="holds text"):
        SVC(kernel=pair).fit([[1.0, 2.0], [3.0, "?"], [0.0, 1.0]], [0, 1, 1])


@pytest.mark.parametrize("layout", [np.asarray, scipy.sparse.csr_array])
def test_a_function_may_give_a_sparse_matrix(rng, layout):
    X, y = layout(rng.standard_normal((8, 2))), [0, 1] * 4
    model = SVC(kernel=lambda A, B: scipy.sparse.csr_array(A @ B.T)).fit(X, y)
    expected = SVC(kernel="linear").fit(X, y).decision_function(X)
    np.testing.assert_allclose(model.decision_function(X), expected, atol=1e-9)


def test_a_function_may_want_to_see_all_samples(rng):
    X = rng.standard_normal((8, 2))

    def of_eight(A, B):
        return (A @ B.T + np.zeros((8, 8)))[: len(A), : len(B)]

    expected = KernelRidge(kernel="linear").fit(X, X[:, 0]).predict(X)
    found = KernelRidge(kernel=of_eight).fit(X, X[:, 0]).predict(X)
    np.testing.assert_allclose(found, expected)


def test_what_a_function_raises_is_not_hidden(rng):
    def broken(A, B):
        raise RuntimeError("my own reason")

    with pytest.raises(RuntimeError, match="my own reason"):
        SVC(kernel=broken).fit(rng.standard_normal((8, 2)), [0, 1] * 4)


def test_the_additive_chi2_kernel(rng):
    X = np.abs(rng.standard_normal((9, 2)))
    other = sklearn.kernel_ridge.KernelRidge(kernel="additive_chi2").fit(X, X[:, 0])
    ours = KernelRidge(kernel="additive_chi2").fit(X, X[:, 0])
    np.testing.assert_allclose(ours.predict(X), other.predict(X), rtol=1e-8)
    np.testing.assert_allclose(ours.kernel_(X), additive_chi2_kernel(X))


def test_scikit_learn_takes_our_kernels(rng):
    X = rng.standard_normal((30, 2))
    ours, y = RBF(), X[:, 0]
    assert ours(X[0], X[1]) == ours(X[:2])[0, 1]
    named = sklearn.kernel_ridge.KernelRidge(kernel="rbf", gamma=0.5).fit(X, y).predict(X)
    found = sklearn.kernel_ridge.KernelRidge(kernel=ours).fit(X, y).predict(X)
    np.testing.assert_allclose(found, named, rtol=1e-9)
    pca = sklearn.decomposition.KernelPCA(2, kernel="rbf", gamma=0.5).fit_transform(X)
    again = sklearn.decomposition.KernelPCA(2, kernel=ours).fit_transform(X)
    np.testing.assert_allclose(np.abs(again), np.abs(pca), atol=1e-9)
    nystroem = sklearn.kernel_approximation.Nystroem(kernel=ours, n_components=30)
    Z = nystroem.fit_transform(X)
    np.testing.assert_allclose(Z @ Z.T, ours(X), atol=1e-8)
    labels = sklearn.cluster.SpectralClustering(3, affinity=ours, random_state=0).fit_predict(X)
    assert set(labels) == {0, 1, 2}


def test_the_warning_of_a_function_has_a_remedy(rng):
    X = rng.standard_normal((9, 2))
    remedy = r"write it as a function of two samples with @mercer\.kernel\(status='psd'\)"
    with pytest.warns(mercer.errors.DefinitenessWarning, match=remedy):
        SVC(kernel=collections).fit(X, X[:, 0] > 0)
