"""The intersection of histograms, and of the features of other kernels."""

import numpy as np
import pytest
import scipy.sparse

import mercer
from mercer import BagOfWords, HistogramIntersection, Linear, Polynomial, SetIntersection, Spectrum
from mercer.errors import DomainError, InfiniteFeaturesError, ParameterError

TEXTS = ["banana", "bandana", "anna", "", "xyz", "nab band"]
WORDS = ["the cat the dog", "the dog", "a bird sings", "the the the cat"]
SETS = [{1, 2}, {2, 3}, set(), {1, 2, 3}]
TREES = ["(a b b)", "(a (b c) b)", "(d)", "(a b)"]
GRAPHS = [([(0, 1), (1, 2)], 3), ([(0, 1), (1, 2), (2, 0), (2, 3)], 4), ([], 2), ([(0, 1)], 5)]
CASES = [
    (Spectrum(1), TEXTS),
    (BagOfWords(), WORDS),
    (SetIntersection(), SETS),
    (mercer.Subtrees(normalized=False), TREES),
    (mercer.WeisfeilerLehman(depth=2), GRAPHS),
    (mercer.ShortestPaths(), GRAPHS),
    (mercer.GraphHopper(), GRAPHS),
    (mercer.Graphlets(size=3), GRAPHS),
]


@pytest.mark.parametrize(("kernel", "X"), CASES, ids=[repr(kernel) for kernel, _ in CASES])
def test_the_smaller_of_both_counts(kernel, X):
    k = HistogramIntersection(of=kernel)
    counts = kernel.features(X)
    counts = counts.toarray() if hasattr(counts, "toarray") else counts
    exact = np.minimum(counts[:, None], counts[None]).sum(axis=2)
    assert np.array_equal(k(X), exact)
    unary = k.features(X)
    assert set(unary.data) <= {1.0}
    assert np.array_equal((unary @ unary.T).toarray(), exact)
    for cut in (1, 2, 3):  # features that only one side has
        assert np.array_equal(k(X[:cut], X[cut:]), exact[:cut, cut:])
        assert np.array_equal(k(X[cut:], X[:cut]), exact[cut:, :cut])


def test_colors_of_nodes_give_the_optimal_assignment():
    k = HistogramIntersection(of=mercer.WeisfeilerLehman(depth=3))
    assert np.array_equal(k(GRAPHS), mercer.WeisfeilerLehmanAssignment(depth=3)(GRAPHS))
    model = mercer.SVC(kernel=k).fit(GRAPHS[:3], [0, 1, 0])
    assert np.isfinite(model.decision_function(GRAPHS)).all()


def test_real_weights():
    X = np.random.default_rng(0).random((7, 3))
    exact = np.minimum(X[:, None], X[None]).sum(axis=2)
    for k in (HistogramIntersection(), HistogramIntersection(of=Linear())):
        np.testing.assert_allclose(k(X), exact, rtol=1e-14)
        np.testing.assert_allclose(k(scipy.sparse.csr_matrix(X)), exact, rtol=1e-14)
        with pytest.raises(InfiniteFeaturesError, match="whole"):
            k.features(X)


def test_signed_features_are_refused():
    with pytest.raises(DomainError, match=r"φ\(X\)\[0, 1\].*>= 0"):
        HistogramIntersection(of=Linear())([[1.0, -1.0]])
    with pytest.raises(DomainError, match=">= 0"):
        HistogramIntersection(of=Polynomial(degree=3))([[1.0, -1.0]])


def test_kernels_without_common_columns_are_refused():
    rounds = mercer.WeisfeilerLehman(depth=1, weights=[1.0, 2.0])
    pairs = mercer.ShortestPaths(node=mercer.RBF())
    for kernel in (mercer.BlendedSpectrum(), mercer.SubsetTrees(), rounds, pairs):
        with pytest.raises(ParameterError, match="same columns"):
            HistogramIntersection(of=kernel)
    for wrong in (3, "Spectrum(2)", Spectrum):
        with pytest.raises(ParameterError, match="of"):
            HistogramIntersection(of=wrong)


def test_learning_saving_and_parsing(tmp_path):
    y = [0, 0, 1, 1]
    k = mercer.parse("HistogramIntersection(of=BagOfWords())")
    model = mercer.SVC(kernel=k.normalize()).fit(WORDS, y)
    mercer.save(model, tmp_path / "m.mercer")
    assert np.array_equal(
        mercer.load(tmp_path / "m.mercer").decision_function(WORDS), model.decision_function(WORDS)
    )
    assert "intervals" in str(k.certificate())
