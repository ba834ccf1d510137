"""The kernel of a test suits the samples, and does not look at their order."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from mercer import RBF, Constant, Jaccard, Kernel, Precomputed, errors, hsic_test, mmd_test
from mercer.statistics.automatic_kernel import (
    automatic_kernel,
    automatic_kernels,
    fitted_kernel,
    some_rows,
    widened,
)
from mercer.statistics.samples import as_samples, pooled

RNG = np.random.default_rng(0)
X = RNG.standard_normal((40, 3)) * [1.0, 10.0, 0.1]
WORDS = ["".join(RNG.choice(list("abc"), 6)) for _ in range(30)]
TABLE = pd.DataFrame({"a": X[:, 0], "b": RNG.choice(list("xyz"), 40), "c": X[:, 1]})
COLLECTIONS = {
    "vectors": X,
    "table": TABLE,
    "missing": TABLE.mask(RNG.random(TABLE.shape) < 0.1),
    "strings": WORDS,
    "sets": [{1, 2}, {2, 3}, {1}, {4, 2}] * 5,
    "graphs": [nx.erdos_renyi_graph(6, 0.5, seed=seed) for seed in range(12)],
    "series": [RNG.standard_normal((5 + i % 3, 2)) for i in range(12)],
    "sparse": sp.random(30, 20, density=0.3, format="csr", random_state=0),
    "texts": ["the cat sat on the mat", "a dog ran in the park", "the dog sat on a cat"] * 5,
}


@pytest.mark.parametrize("name", COLLECTIONS)
def test_every_kind_of_sample_has_kernels(name):
    samples = COLLECTIONS[name]
    several = automatic_kernels(samples)
    assert len(several) >= 3
    for kernel in [automatic_kernel(samples), several[0], several[-1]]:
        K = kernel.fit(samples)(samples)
        assert kernel.certificate().psd
        assert K.min() >= 0.0 and K.max() < 1.0 + 1e-9 and K.std() > 0.01


def test_the_order_of_the_samples_does_not_matter():
    order = RNG.permutation(40)
    assert repr(automatic_kernel(X[order])) == repr(automatic_kernel(X))
    assert repr(automatic_kernel(TABLE.iloc[order])) == repr(automatic_kernel(TABLE))


def test_two_rows_at_the_mean_distance():
    K = automatic_kernel(X)(X)
    assert -np.log(K[~np.eye(40, dtype=bool)]).mean() == pytest.approx(0.5, abs=0.03)


def test_where_values_are_missing_counts_however_seldom():
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0], "b": [5.0, 5.0, None, 5.0]})
    K = automatic_kernel(frame).fit(frame)(frame)
    assert K[1, 2] < 0.2 * K[1, 0]


def test_constant_tables():
    assert isinstance(automatic_kernel(np.ones((4, 2))), Constant)
    assert len(automatic_kernels(np.ones((4, 2)))) == 1


def test_widened_kernels_are_gaussians_in_feature_space():
    K = Jaccard()([{1}, {1, 2}, {3}])
    wide = widened(Jaccard(), [{1}, {1, 2}, {3}], 1.0)([{1}, {1, 2}, {3}])
    squared = 2.0 - 2.0 * K
    mean = squared[np.triu_indices(3, 1)].mean()
    np.testing.assert_allclose(wide, np.exp(-squared / (2.0 * mean)), rtol=1e-3)


def test_given_kernels_are_copied_and_fitted():
    kernel = RBF().center()
    fitted, notes = fitted_kernel(kernel, X)
    assert fitted is not kernel and notes == ()
    fitted(X)
    named, notes = fitted_kernel("rbf", X)
    assert isinstance(named, RBF) and "taken together" in notes[0]
    assert fitted_kernel("RBF(2.0) + Linear()", X)[0].certificate().psd
    assert isinstance(fitted_kernel(lambda a, b: float(a @ b), X)[0], Kernel)


def test_kernels_that_are_none():
    with pytest.raises(errors.ParameterError, match="Precomputed"):
        fitted_kernel("precomputed", X)
    with pytest.raises(errors.ParameterError, match="not a kernel"):
        fitted_kernel(3, X)


def test_some_rows_are_drawn_at_random():
    assert some_rows(X, 100) is X
    assert len(some_rows(WORDS, 5)) == 5 and set(some_rows(WORDS, 5)) <= set(WORDS)


def test_samples_and_pools():
    assert as_samples([1, 2, 3.0], "X").shape == (3, 1)
    assert as_samples(pd.Series([1, 2]), "X").shape == (2, 1)
    assert as_samples(pd.Series(["a", "b"]), "X") == ["a", "b"]
    positions = Precomputed(matrix=np.eye(3))
    assert np.ndim(as_samples([0, 1], "X", positions)) == 1
    assert as_samples((c for c in "abc"), "X") == ["a", "b", "c"]
    other = TABLE[["c", "a", "b"]]
    assert list(pooled(TABLE, other).columns) == ["a", "b", "c"]
    assert pooled(COLLECTIONS["sparse"], COLLECTIONS["sparse"].toarray()).shape == (60, 20)


@pytest.mark.parametrize(
    ("bad", "error"),
    [
        (None, errors.InputTypeError),
        ([], errors.EmptyInputError),
        ([[1.0]], errors.EmptyInputError),
        ("text", errors.InputTypeError),
        (3, errors.InputTypeError),
    ],
)
def test_bad_samples(bad, error):
    with pytest.raises(error, match=r"Y|X"):
        as_samples(bad, "Y")


def test_pools_of_different_columns_are_refused():
    with pytest.raises(errors.WidthError, match="in one table only"):
        pooled(TABLE, TABLE[["a", "b"]])
    with pytest.raises(errors.WidthError, match="same columns"):
        pooled(X, X[:, :2])


def drawn(values: list, share: float) -> list:
    """Forty of two values, the first of them with this share."""
    return [values[0]] * round(40 * share) + [values[1]] * (40 - round(40 * share))


UNLIKE = {  # pairs of samples that some of the proposed kernels do not tell apart
    "letters": ["a", "b"],
    "nothing and a letter": ["", "b"],
    "lengths": ["a", "ab"],
    "order of letters": ["abababab", "babababa"],
    "order of words": ["the cat saw the dog", "the dog saw the cat"],
    "words of one letter": ["a b c d", "e f g h"],
    "sets of one element": [{"a"}, {"b"}],
    "no element and one": [set(), {"b"}],
    "single nodes": [([], ["C"]), ([], ["N"])],
    "series of one value": [[1.0], [2.0, 2.0]],
}


@pytest.mark.parametrize("name", UNLIKE)
@pytest.mark.parametrize("method", ["quadratic", "aggregated"])
def test_samples_of_few_features_are_told_apart(name, method):
    first, second = drawn(UNLIKE[name], 0.9), drawn(UNLIKE[name], 0.3)
    assert mmd_test(first, second, method=method, n_permutations=99, random_state=0).rejects()


@pytest.mark.parametrize("value", ["a", "", "abab", "the same words in every row", {1}])
def test_samples_that_are_all_the_same(value):
    for method in ("quadratic", "aggregated"):
        assert mmd_test([value] * 5, [value] * 6, method=method, random_state=0).pvalue == 1.0


def test_columns_without_values_tell_nothing():
    numbers = RNG.standard_normal((40, 2))
    holes = np.column_stack([np.full(40, np.nan), numbers])
    assert list(automatic_kernel(holes).columns) == [1, 2]
    frame = pd.DataFrame(holes, columns=["none", "a", "b"])
    assert list(automatic_kernel(frame).columns) == ["a", "b"]
    assert len(automatic_kernels(frame)) == len(automatic_kernels(numbers))
    assert mmd_test(frame[["none"]], frame[["none"]], random_state=0).pvalue == 1.0
    assert hsic_test(holes[:, :1], numbers, random_state=0).pvalue == 1.0
