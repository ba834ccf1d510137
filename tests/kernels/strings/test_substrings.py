"""Kernels of shared substrings: storage, features, alphabets, and use under learners."""

from __future__ import annotations

import pickle
import threading

import numpy as np
import pytest
from naive.strings import KERNELS
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import LinearSVC

from mercer import SVC, BlendedSpectrum, GappedKmer, KernelPCA, KernelRidge, Mismatch, Spectrum
from mercer.domains import counts, ngrams
from mercer.errors import DomainError, NotFittedError, ParameterError

ALL = [
    Spectrum(length=1),
    Spectrum(length=3),
    Spectrum(length=30),
    BlendedSpectrum(length=3, decay=0.7),
    GappedKmer(length=4, matches=2),
    GappedKmer(length=3, matches=3),
    Mismatch(length=3, mismatches=1, alphabet="abcd"),
    Mismatch(length=2, mismatches=2, alphabet="dcba"),
    Mismatch(length=3, mismatches=0, alphabet="abcd"),
]


def random_strings(rng, count, letters="abcd", longest=25):
    return [
        "".join(rng.choice(list(letters), size=rng.integers(0, longest + 1))) for _ in range(count)
    ]


def oracle(kernel, X, Y):
    value = KERNELS[type(kernel).__name__]
    params = kernel.get_params() | {"alphabet_": getattr(kernel, "alphabet_", None)}
    return np.array([[float(value(params, x, y, False)) for y in Y] for x in X])


@pytest.fixture(params=["as it comes", "dense", "sparse", "hashes", "sparse hashes"])
def storage(request, monkeypatch):
    if "dense" in request.param:
        monkeypatch.setattr(counts, "_DENSE", -1.0)
    if "sparse" in request.param:
        monkeypatch.setattr(counts, "_DENSE", 2.0)
    if "hashes" in request.param:
        monkeypatch.setattr(ngrams, "_LOOKUP", 0)
    return request.param


def test_the_lecture():
    features = Spectrum(length=2).features(["aababc"]).toarray()
    assert sorted(features[0]) == [1, 1, 1, 2]  # aa, ba, bc once, ab twice
    counts = Spectrum(length=2)(["aababc"], ["aa", "ab", "ba", "bc", "ca", "bb"])
    assert counts.tolist() == [[1, 2, 1, 1, 0, 0]]


@pytest.mark.parametrize("kernel", ALL, ids=repr)
def test_every_storage_agrees_with_enumeration(kernel, storage, rng):
    X, Y = [*random_strings(rng, 12), ""], [*random_strings(rng, 7), "", "dddddd"]
    exact = {} if not isinstance(kernel, BlendedSpectrum) else {"rtol": 1e-13}
    same = np.testing.assert_array_equal if not exact else np.testing.assert_allclose
    same(kernel(X), oracle(kernel, X, X), **exact)
    same(kernel(X, Y), oracle(kernel, X, Y), **exact)
    same(kernel.diag(Y), oracle(kernel, Y, Y).diagonal(), **exact)
    K = kernel(X)
    assert np.array_equal(K, K.T) and np.array_equal(kernel.diag(X), K.diagonal())


@pytest.mark.parametrize("kernel", ALL, ids=repr)
def test_features(kernel, storage, rng):
    X = [*random_strings(rng, 20), ""]
    F = kernel.features(X)
    assert F.has_canonical_format and F.dtype == np.float64
    np.testing.assert_allclose((F @ F.T).toarray(), kernel(X), rtol=1e-13)
    H = kernel.hashed_features(X, width=2**30)
    assert H.shape == (21, 2**30) and H.has_canonical_format
    H = csr_matrix(
        (H.data, np.unique(H.indices, return_inverse=True)[1], H.indptr), shape=(21, 10**4)
    )  # products make room for all columns
    np.testing.assert_allclose((H @ H.T).toarray(), kernel(X), rtol=1e-13)


@pytest.mark.parametrize("kernel", ALL, ids=repr)
def test_hashed_features_do_not_depend_on_the_collection(kernel, monkeypatch, rng):
    X = random_strings(rng, 30)
    whole = kernel.hashed_features(X, width=1000)
    rows = rng.permutation(30)[:11]
    assert (kernel.hashed_features([X[i] for i in rows], width=1000) != whole[rows]).nnz == 0
    monkeypatch.setattr(ngrams, "_BLOCK", 40)
    assert (kernel.hashed_features(X, width=1000) != whole).nnz == 0
    monkeypatch.setattr(ngrams, "_LOOKUP", 0)
    assert (kernel.hashed_features(X, width=1000) != whole).nnz == 0


@pytest.mark.parametrize("width", [0, -1, 2.5, True, "many", None])
@pytest.mark.parametrize("kernel", [Spectrum(), BlendedSpectrum()], ids=repr)
def test_widths(kernel, width):
    with pytest.raises(ParameterError, match="width"):
        kernel.hashed_features(["abc"], width=width)


@pytest.mark.parametrize("kernel", ALL, ids=repr)
def test_a_subset_gives_the_same_as_the_whole(kernel, rng):
    X = random_strings(rng, 40)
    rows = rng.permutation(40)[:15]
    assert np.array_equal(kernel([X[i] for i in rows]), kernel(X)[np.ix_(rows, rows)])
    assert np.array_equal(kernel([X[i] for i in rows], X), kernel(X)[rows])


@pytest.mark.parametrize("kernel", ALL, ids=repr)
def test_short_and_empty_strings_have_no_features(kernel):
    assert not kernel(["", ""]).any()
    assert not kernel(["", "", ""], ["abcd"]).any() and not kernel(["abcd"], [""]).any()
    assert kernel.features([""]).nnz == 0
    if not isinstance(kernel, BlendedSpectrum):
        length = kernel.length
        assert (
            kernel.diag(["a" * (length - 1), "a" * length])[0] == 0 < kernel.diag(["a" * length])[0]
        )


def test_normalized_with_unseen_substrings(storage):
    kernel = Spectrum(length=2).normalize()
    np.testing.assert_allclose(
        kernel(["abab"], ["ab", "xy", "abxy", "abab"]),
        [[2 / 5**0.5, 0, 2 / 15**0.5, 1]],
        rtol=1e-15,
    )


def test_products_within_a_second_collection(storage):
    """What only the second collection has still counts between two of its strings."""
    from mercer.domains.base import Batch
    from mercer.gram.fill import dense

    kernel, left = Spectrum(length=1), Batch(["ab", "ba"])
    kernel.prepare(left)
    one, two = (kernel.prepare(Batch(Y, like=left)) for Y in (["axx", "y", "b"], ["xyz", "zz"]))
    assert dense(kernel, one, two).tolist() == [[2, 0], [1, 0], [0, 0]]
    assert dense(kernel, one, one).tolist() == [[5, 0, 0], [0, 1, 0], [0, 0, 1]]
    taken = one.take(np.array([1, 0]))
    assert dense(kernel, taken, two).tolist() == [[1, 0], [2, 0]]


def test_counts_beyond_single_precision(monkeypatch):
    monkeypatch.setattr(counts, "_EXACT", 4.0)
    X = ["aaab", "aaaaaaaaab", "b"]
    assert np.array_equal(Spectrum(length=1)(X), oracle(Spectrum(length=1), X, X))
    assert np.array_equal(Spectrum(length=1)(X[2:], X), oracle(Spectrum(length=1), X[2:], X))


def test_large_counts_are_exact():
    X = ["a" * 5_000_000 + "b", "a" * 4_999_999]
    assert Spectrum(length=1)(X).tolist() == [
        [5_000_000**2 + 1, 5_000_000 * 4_999_999],
        [5_000_000 * 4_999_999, 4_999_999**2],
    ]


def test_any_alphabet(storage, rng):
    letters = ["a", "é", "ж", "中", "😀", "𝒳", "\x00", "\ud800", "\U0010ffff"]
    X = random_strings(rng, 15, letters)
    for kernel in (
        Spectrum(length=2),
        GappedKmer(length=3, matches=2),
        Mismatch(length=2, mismatches=1).fit(X),
    ):
        assert np.array_equal(kernel(X), oracle(kernel, X, X))


def test_threads_share_a_vocabulary(rng):
    from mercer.domains.base import Batch

    kernel, left = Spectrum(length=4), Batch(random_strings(rng, 20))
    kernel.prepare(left)
    others = [random_strings(rng, 50, "abcdefgh") for _ in range(8)]
    threads = [
        threading.Thread(target=lambda Y=Y: kernel.prepare(Batch(Y, like=left))) for Y in others
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    hashes = kernel.prepare(left).known.hashes
    assert len(np.unique(hashes)) == len(hashes)


# -- mismatches
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "mismatches"), [(1, 0), (1, 1), (2, 1), (3, 2), (4, 1), (3, 3)])
@pytest.mark.parametrize("alphabet", ["abc", None])
def test_mismatch_by_enumeration(n, mismatches, alphabet, storage, rng):
    X = random_strings(rng, 8, "abc", 9)
    kernel = Mismatch(length=n, mismatches=mismatches, alphabet=alphabet).fit(["cab"])
    assert np.array_equal(kernel(X), oracle(kernel, X, X))


def test_letters_that_fit_did_not_meet(storage, rng):
    """They stand in no feature: each is a mismatch."""
    kernel = Mismatch(length=3, mismatches=1).fit(["abba"])
    assert kernel.alphabet_ == "ab"
    X = ["abxab", "xxx", "axbab", "zab", "ababab", "ab😀"]
    assert np.array_equal(kernel(X), oracle(kernel, X, X))
    assert kernel.diag(["xxx"])[0] == 0 and kernel.diag(["zab"])[0] == 2


def test_an_alphabet_of_nothing_and_of_one():
    assert not Mismatch(length=2).fit(["", ""])(["ab", ""]).any()
    assert Mismatch(length=2).fit(["aa"])(["aaa", "ab", "bb"]).tolist() == [
        [4, 2, 0],
        [2, 1, 0],
        [0, 0, 0],
    ]


def test_letters_outside_a_given_alphabet():
    kernel = Mismatch(length=2, alphabet="acgt")
    with pytest.raises(DomainError, match=r"X\[1\], letter 2.*'n'"):
        kernel(["acgt", "acna"])
    with pytest.raises(DomainError, match=r"Y\[2\], letter 0.*'A'"):
        kernel(["acgt"], ["a", "", "A"])
    with pytest.raises(DomainError, match=r"X\[1\]"):
        kernel.hashed_features(["acgt", "x"])


def test_rows_are_named_also_in_later_blocks(monkeypatch):
    monkeypatch.setattr(ngrams, "_BLOCK", 4)
    with pytest.raises(DomainError, match=r"X\[2\], letter 3"):
        Mismatch(length=2, alphabet="acgt").hashed_features(["acgt", "acgt", "acg-"])


def test_mismatch_must_be_fitted():
    with pytest.raises(NotFittedError, match="alphabet"):
        Mismatch()(["ab"])
    with pytest.raises(NotFittedError):
        Mismatch().hashed_features(["ab"])


@pytest.mark.parametrize(
    "make",
    [
        lambda: Spectrum(length=0),
        lambda: Spectrum(length=2.5),
        lambda: BlendedSpectrum(decay=-1.0),
        lambda: GappedKmer(length=3, matches=4),
        lambda: GappedKmer(length=40, matches=20),
        lambda: Mismatch(length=2, mismatches=3),
        lambda: Mismatch(mismatches=-1),
        lambda: Mismatch(alphabet=""),
        lambda: Mismatch(alphabet="aa"),
        lambda: Mismatch(alphabet=["a"]),
        lambda: Mismatch(length=10, mismatches=5, alphabet="abcdefghij")(["abcdefghij"]),
    ],
)
def test_refused_parameters(make):
    with pytest.raises(ParameterError):
        make()


def test_fitted_kernels_are_copied(rng):
    X = random_strings(rng, 5)
    kernel = Mismatch(length=2).fit(X)
    assert np.array_equal(pickle.loads(pickle.dumps(kernel))(X), kernel(X))
    assert not hasattr(clone(kernel), "alphabet_")


# -- under learners
# --------------------------------------------------------------------------------------------------


def planted(rng, count=60):
    """Strings with and without a motif."""
    X, y = [], []
    for i in range(count):
        letters = list(rng.choice(list("acgt"), size=30))
        if i % 2:
            at = rng.integers(0, 22)
            letters[at : at + 8] = "ttgacaat"
        X.append("".join(letters))
        y.append(i % 2)
    return X, np.array(y)


@pytest.mark.parametrize(
    "kernel",
    [Spectrum(length=4), BlendedSpectrum(length=4, decay=2.0), GappedKmer(), Mismatch(length=5)],
    ids=repr,
)
@pytest.mark.parametrize("form", [list, lambda t: np.array(t, dtype=object)], ids=["list", "array"])
def test_cross_validation(kernel, form, rng):
    X, y = planted(rng)
    assert cross_val_score(SVC(kernel=kernel.normalize(), C=10.0), form(X), y, cv=5).mean() > 0.8


def test_learners(rng):
    X, y = planted(rng)
    kernel = Spectrum(length=4).normalize()
    assert KernelRidge(kernel=kernel, alpha=0.1).fit(X, 1.0 * y).score(X, 1.0 * y) > 0.8
    assert KernelPCA(2, kernel=kernel).fit(X).transform([*X[:3], "", "nnnnnnnn"]).shape == (5, 2)
    model = make_pipeline(KernelPCA(20, kernel=kernel), LinearSVC(C=10.0))
    assert cross_val_score(model, X, y, cv=3).mean() > 0.7
    upper = make_pipeline(
        FunctionTransformer(lambda texts: [text.upper() for text in texts]), SVC(kernel=kernel)
    )
    assert np.array_equal(upper.fit(X, y).predict(X), SVC(kernel=kernel).fit(X, y).predict(X))


def test_prediction_does_not_depend_on_company(rng):
    X, y = planted(rng)
    model = SVC(kernel=GappedKmer(length=5, matches=3).normalize()).fit(X, y)
    new, _ = planted(rng, 10)
    together = model.decision_function([*new, "", "xyz"])
    alone = np.concatenate([model.decision_function([x]) for x in [*new, "", "xyz"]])
    np.testing.assert_allclose(together, alone, rtol=1e-12)


def test_grid_search(rng):
    X, y = planted(rng)
    search = GridSearchCV(SVC(kernel=Spectrum(), C=10.0), {"kernel__length": [1, 4]}, cv=3).fit(
        X, y
    )
    assert search.best_params_ == {"kernel__length": 4}
    search = GridSearchCV(SVC(kernel=Mismatch(length=4)), {"kernel__mismatches": [0, 1]}, cv=3).fit(
        X, y
    )
    assert search.best_estimator_.predict(X).shape == y.shape


def test_linear_learners_on_features(rng):
    X, y = planted(rng, 200)
    F = Spectrum(length=5).hashed_features(X)
    assert cross_val_score(LinearSVC(), F, y, cv=3).mean() > 0.8


def test_sums_of_string_kernels(rng):
    X, _ = planted(rng, 20)
    kernel = Spectrum(length=2).normalize() + 0.5 * GappedKmer(length=4, matches=2).normalize()
    parts = Spectrum(length=2).normalize()(X) + 0.5 * GappedKmer(length=4, matches=2).normalize()(X)
    np.testing.assert_allclose(kernel(X), parts, rtol=1e-14)
    total = sum(0.5 ** (2 * m) * Spectrum(length=m)(X) for m in (1, 2, 3))
    np.testing.assert_allclose(BlendedSpectrum(length=3, decay=0.5)(X), total, rtol=1e-14)
