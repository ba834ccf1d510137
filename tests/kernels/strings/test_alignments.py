"""Kernels that align strings: against enumeration, on the books' examples, on bad input, inside
learners.
"""

from __future__ import annotations

import math
import re

import naive
import numpy as np
import pytest
from mpmath import mp, mpf
from naive.alignments import (
    alignments,
    alignments_by_enumeration,
    edit_distance,
    subsequence_features,
)

import mercer
from mercer import EditDistance, LocalAlignment, Subsequence
from mercer.definiteness.matrices import check_gram
from mercer.errors import DomainError, InputTypeError, KernelOverflowError, ParameterError
from mercer.kernels.strings.substitution import AMINO_ACIDS, read_scores

TEXTS = [
    "",
    "a",
    "ab",
    "ba",
    "abracadabra",
    "barbara",
    "über",
    "Ünïcode ✓",
    "日本語日本",
    "🐍a🐍b",
    "aaaaaaa",
    "xyz",
]
ABC = ("abc", [[2.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 3.0]])


def random_strings(count: int, letters: str, longest: int, seed: int = 0) -> list[str]:
    rng = np.random.default_rng(seed)
    return [
        "".join(rng.choice(list(letters), size=int(rng.integers(0, longest + 1))))
        for _ in range(count)
    ]


def assert_oracle(kernel, X, Y=None, rtol=2e-14):
    exact = naive.gram(kernel, X, Y).astype(float)
    np.testing.assert_allclose(kernel(X, Y), exact, rtol=rtol, atol=0)


# -- subsequences
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("length", [1, 2, 3, 4, 5, 6, 7, 9, 10, 11])
@pytest.mark.parametrize("decay", [0.3, 1.0])
def test_subsequences_by_enumeration(length, decay):
    assert_oracle(Subsequence(length=length, decay=decay), [*TEXTS, *random_strings(4, "ab", 12)])


def test_the_examples_of_lodhi():
    decay = 0.7
    k = Subsequence(length=2, decay=decay)
    words = ["cat", "car", "bat", "bar"]
    K = k(words)
    np.testing.assert_allclose(K[0, 1], decay**4)  # "ca"
    np.testing.assert_allclose(K[0, 0], 2 * decay**4 + decay**6)
    np.testing.assert_allclose(K[0, 2], decay**4)  # "at"
    assert K[0, 3] == 0
    np.testing.assert_allclose(k.normalize()(words)[0, 1], 1 / (2 + decay**2))


def test_a_long_text_equals_the_plain_recursion():
    x, y = (
        random_strings(1, "abcd ", 0)[0] + "the cat sat on the mat " * 9,
        "a cat is not a mat, and that is that " * 7,
    )
    decay, length = 0.6, 4

    def recursion(s, t):
        row = np.ones((len(s) + 1, len(t) + 1))
        for _ in range(length):
            new = np.zeros_like(row)
            for i in range(1, len(s) + 1):
                q = 0.0
                for j in range(1, len(t) + 1):
                    q = decay * q + (decay**2 * row[i - 1, j - 1] if s[i - 1] == t[j - 1] else 0.0)
                    new[i, j] = decay * new[i - 1, j] + q
            kept, row = row, new
        return sum(
            decay**2 * kept[i, j] for i in range(len(s)) for j in range(len(t)) if s[i] == t[j]
        )

    found = Subsequence(length=length, decay=decay)([x, y])
    np.testing.assert_allclose(
        found, [[recursion(a, b) for b in (x, y)] for a in (x, y)], rtol=1e-12
    )


@pytest.mark.parametrize("length", [1, 3, 5])
def test_pairs_beside_each_other_do_not_meet(length):
    """More lengths than there are places to order them by, and strings of several blocks of
    columns.
    """
    rng = np.random.default_rng(3)
    X = ["".join(rng.choice(list("ab "), size=size)) for size in range(300)]
    rng.shuffle(X)
    Y = ["ab a" * 40, "", "b"]
    k = Subsequence(length=length, decay=0.4)
    assert np.array_equal(k(X, Y), [[k([x], [y])[0, 0] for y in Y] for x in X])


def test_short_strings_are_the_zero_vector():
    k = Subsequence(length=3)
    K = k(["ab", "", "abc"])
    assert (K[:2] == 0).all() and K[2, 2] == 0.5**6
    assert (k.normalize()(["ab", "", "abc"])[:2] == 0).all()


def test_features_give_the_same_value():
    left, right = (subsequence_features(text, 3, mpf(0.5)) for text in ("gatta", "cata"))
    assert math.isclose(
        Subsequence(length=3, decay=0.5)(["gatta"], ["cata"])[0, 0],
        float(sum(v * right[u] for u, v in left.items())),
    )


@pytest.mark.parametrize("length", [1, 2, 5])
def test_the_slope_in_the_decay(length):
    k = Subsequence(length=length, decay=0.6)
    X = random_strings(6, "ab", 9, seed=3)
    for i, x in enumerate(X):
        for j, y in enumerate(X):
            W = np.zeros((6, 6))
            W[i, j] = 1.0
            exact = float(naive.derivative(k, "decay", None, x, y))
            assert math.isclose(k.gradient(X, W)["decay"], exact, rel_tol=1e-12, abs_tol=0)


def test_too_large_values_are_named():
    with pytest.raises(KernelOverflowError, match=re.escape("k(x[0], y[0])")):
        Subsequence(length=80, decay=1.0)(["a" * 3000])


@pytest.mark.parametrize(
    "bad", [{"length": 0}, {"length": 2.5}, {"decay": 0.0}, {"decay": 1.1}, {"decay": math.nan}]
)
def test_subsequence_parameters(bad):
    with pytest.raises(ParameterError, match=next(iter(bad))):
        Subsequence(**bad)


# -- local alignments
# ------------------------------------------------------------------------------------------------


def test_the_oracle_equals_enumeration():
    p = {"beta": mpf("0.5"), "scores": "blosum62", "open": mpf(11), "extend": mpf(1)}
    q = {"beta": mpf("0.8"), "scores": "match", "open": mpf(2), "extend": mpf("0.5")}
    with mp.workdps(40):
        for given, x, y in (
            (p, "HEAGW", "PAWH"),
            (p, "", "AW"),
            (q, "abcab", "bacb"),
            (q, "aab", "aab"),
        ):
            assert (
                abs(alignments(given, x, y) - alignments_by_enumeration(given, x, y))
                < mpf(10) ** -35
            )


def test_blosum62_against_enumeration():
    p = {"beta": mpf("0.5"), "scores": "blosum62", "open": mpf(11), "extend": mpf(1)}
    X = ["HEAGW", "PAWH", "A", "WW", ""]
    sums = np.array([[float(alignments_by_enumeration(p, x, y)) for y in X] for x in X])
    exact = sums / np.sqrt(np.outer(sums.diagonal(), sums.diagonal()))
    np.testing.assert_allclose(
        LocalAlignment(beta=0.5, scores="blosum62", open=11, extend=1)(X), exact, rtol=1e-14
    )


@pytest.mark.parametrize(
    "kernel",
    [
        LocalAlignment(),
        LocalAlignment(beta=2.0, open=0.5, extend=0.0),
        LocalAlignment(open=math.inf, extend=math.inf),
        LocalAlignment(open=1.0, extend=math.inf),
        LocalAlignment(beta=0.05, open=0.0, extend=3.0),
    ],
    ids=repr,
)
def test_local_alignments_against_the_definition(kernel):
    assert_oracle(kernel, ["", "a", "ba", "abracad", "barba", "Ünï ✓", "🐍a🐍b", "aaaaaa"])


def test_scores_in_every_form():
    X = random_strings(6, "abc", 7)
    alphabet, matrix = ABC
    table = {a: {b: matrix[i][j] for j, b in enumerate(alphabet)} for i, a in enumerate(alphabet)}
    half = {
        a: {b: matrix[i][j] for j, b in enumerate(alphabet) if j <= i}
        for i, a in enumerate(alphabet)
    }
    K = LocalAlignment(scores=ABC)(X)
    assert_oracle(LocalAlignment(scores=ABC), X)
    for scores in (table, half, ("abc", np.array(matrix)), ["abc", matrix]):
        assert np.array_equal(LocalAlignment(scores=scores)(X), K)
    assert_oracle(LocalAlignment(scores=half), X)
    assert repr(LocalAlignment(scores=table)) == "LocalAlignment(scores=<scores of 3 letters>)"
    assert np.array_equal(mercer.parse(repr(LocalAlignment(scores=ABC)))(X), K)
    match = ("abc", 2 * np.eye(3) - 1)
    np.testing.assert_allclose(LocalAlignment(scores=match)(X), LocalAlignment()(X), rtol=1e-14)


def test_long_strings_do_not_overflow():
    k = LocalAlignment(beta=10.0, open=10.0, extend=10.0)  # a gap costs e^−100
    K = k(["a" * 500, "a" * 499, "a" * 500 + "b" * 30 + "c" * 900, ""])
    assert np.isfinite(K).all() and (K.diagonal() == 1).all()
    # n equal letters on n equal letters: e^(10 n) and little else, here in two ways
    np.testing.assert_allclose(np.log(K[0, 1]), 4990 - (5000 + 4990) / 2 + math.log(2), rtol=1e-4)
    assert K[0, 2] == 0 and K[0, 3] == 0  # true to the last bit: e^−4000 and less


def test_a_second_alignment_outgrows_the_first():
    """Cells far from a strong alignment start at 1, however large the others are."""
    x, y = "a" * 20 + "c" * 25, "c" * 25 + "a" * 20
    texts = [x, y, "a" * 18 + "b" * 5 + "c" * 25, "a" * 19 + "x" * 3 + "c" * 20]
    found = LocalAlignment(beta=40.0, open=3.0, extend=1.0)(
        texts
    )  # the a alone give e^800, the c e^1000
    for i, j in ((0, 1), (2, 3), (0, 2), (1, 3)):
        exact = alignments_in_logarithms(texts[i], texts[j], 40.0, 3.0, 1.0)
        np.testing.assert_allclose(found[i, j], exact, rtol=1e-12)


def alignments_in_logarithms(x: str, y: str, beta: float, opened: float, longer: float) -> float:
    """Saigo and Vert's recursion in 50 digits, which do not overflow."""

    def total(s, t):
        with mp.workdps(50):
            a, b = mp.exp(-mpf(beta) * opened), mp.exp(-mpf(beta) * longer)
            same, other = mp.exp(mpf(beta)), mp.exp(-mpf(beta))
            m = np.full((len(s) + 1, len(t) + 1), mpf(0))
            u, v = m.copy(), m.copy()
            for i in range(1, len(s) + 1):
                for j in range(1, len(t) + 1):
                    w = same if s[i - 1] == t[j - 1] else other
                    m[i, j] = w * (1 + m[i - 1, j - 1] + u[i - 1, j - 1] + v[i - 1, j - 1])
                    u[i, j] = a * m[i - 1, j] + b * u[i - 1, j]
                    v[i, j] = a * (m[i, j - 1] + u[i, j - 1]) + b * v[i, j - 1]
            return 1 + mp.fsum(m.ravel())

    return float(total(x, y) / mp.sqrt(total(x, x) * total(y, y)))


@pytest.mark.parametrize("beta", [0.5, 15.0, 40.0])
def test_sums_beyond_all_floats(beta):
    x, y = "abcab" * 11 + "ccc", "abcb" * 14
    found = LocalAlignment(beta=beta, open=1.0, extend=0.5)([x], [y])[0, 0]
    np.testing.assert_allclose(found, alignments_in_logarithms(x, y, beta, 1.0, 0.5), rtol=1e-12)


def test_blosum62_is_the_table_of_ncbi():
    letters, table = read_scores("scores", "blosum62")
    assert letters == AMINO_ACIDS + "BZX*" and np.array_equal(table, table.T)
    assert table.diagonal().tolist() == [
        4,
        5,
        6,
        6,
        9,
        5,
        5,
        6,
        8,
        4,
        4,
        5,
        5,
        6,
        7,
        4,
        5,
        11,
        7,
        4,
        4,
        4,
        -1,
        1,
    ]
    at = letters.index
    assert [table[at(a), at(b)] for a, b in ("WF", "IV", "DB", "EZ", "LP", "X*")] == [
        1,
        3,
        4,
        4,
        -3,
        -4,
    ]
    # the expected score of unrelated proteins, as the table's header states it (−0.5209
    # before rounding to whole numbers)
    assert -1.2 < table[:20, :20].mean() < -0.8


def pam250() -> tuple[str, np.ndarray]:
    """Dayhoff's table: the lower triangle, by rows."""
    rows = """2
    -2 6
    0 0 2
    0 -1 2 4
    -2 -4 -4 -5 12
    0 1 1 2 -5 4
    0 -1 1 3 -5 2 4
    1 -3 0 1 -3 -1 0 5
    -1 2 2 1 -3 3 1 -2 6
    -1 -2 -2 -2 -2 -2 -2 -3 -2 5
    -2 -3 -3 -4 -6 -2 -3 -4 -2 2 6
    -1 3 1 0 -5 1 0 -2 0 -2 -3 5
    -1 0 -2 -3 -5 -1 -2 -3 -2 2 4 0 6
    -3 -4 -3 -6 -4 -5 -5 -5 -2 1 2 -5 0 9
    1 0 0 -1 -3 0 -1 0 0 -2 -3 -1 -2 -5 6
    1 0 1 0 0 -1 0 1 -1 -1 -3 0 -2 -3 1 2
    1 -1 0 0 -2 -1 0 0 -1 0 -2 0 -1 -3 0 1 3
    -6 2 -4 -7 -8 -5 -7 -7 -3 -5 -2 -3 -4 0 -6 -2 -5 17
    -3 -4 -2 -4 0 -4 -4 -5 0 -1 -1 -4 -2 7 -5 -3 -3 0 10
    0 -2 -2 -2 -2 -2 -2 -1 -2 4 2 -2 2 -1 -1 -1 0 -6 -2 4"""
    low = np.zeros((20, 20))
    for i, row in enumerate(rows.splitlines()):
        low[i, : i + 1] = [float(v) for v in row.split()]
    return AMINO_ACIDS, low + np.tril(low, -1).T


def test_letters_decide_what_is_claimed():
    assert LocalAlignment(beta=0.5, scores="blosum62").certificate().status == "psd"
    assert LocalAlignment(beta=0.5, scores="blosum62").certificate().domain.endswith("BZX*")
    assert (
        LocalAlignment(beta=0.1, scores="blosum62").certificate().domain
        == f"strings of {AMINO_ACIDS}"
    )
    for beta, status in (
        (0.05, "unknown"),
        (0.1, "unknown"),
        (0.2, "unknown"),
        (0.3, "psd"),
        (0.5, "psd"),
    ):
        made = LocalAlignment(beta=beta, scores=pam250()).certificate()
        assert made.status == status and "smallest eigenvalue" in str(made)
    assert LocalAlignment().certificate().status == "psd"


def test_unknown_letters_are_named():
    k = LocalAlignment(scores="blosum62")
    for text, remedy in (("ARNd", "use capitals"), ("ARU", "replace it by X")):
        with pytest.raises(
            DomainError, match=re.escape("X[1] = ") + f".*letter without scores.*{remedy}"
        ):
            k(["AR", text])
    with pytest.raises(DomainError, match=re.escape("Y[0] = 'x'") + ".*add it to the scores"):
        LocalAlignment(scores=ABC)(["abc"], ["x"])


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"scores": "pam"}, "are not scores of letters"),
        ({"scores": ("ab", [[1.0]])}, "2 letters for a matrix of 1 rows"),
        ({"scores": ("aa", [[1.0, 0.0], [0.0, 1.0]])}, "twice"),
        ({"scores": ("ab", [[1.0, 0.0], [0.5, 1.0]])}, "not symmetric"),
        ({"scores": {"a": {"a": 1.0}, "b": {"b": 1.0}}}, "must be a number"),
        ({"scores": {"a": {"a": 1.0, "b": 0.0}}}, "no dict of its own"),
        ({"scores": {"a": {"a": 1.0, "b": 0.0}, "b": {"b": 1.0, "a": 0.5}}}, "the other way round"),
        ({"scores": {}}, "one dict for every letter"),
        ({"scores": 3}, "scores of letters"),
        ({"beta": 0.0}, "beta"),
        ({"beta": 200.0}, "smaller beta"),
        ({"beta": 20.0, "scores": "blosum62"}, "smaller beta"),
        ({"open": -1.0}, "open"),
        ({"open": 1e6}, "math.inf, which forbids gaps"),
        ({"extend": math.nan}, "extend"),
    ],
)
def test_local_alignment_parameters(bad, message):
    with pytest.raises(ParameterError, match=message):
        LocalAlignment(**bad)


# -- edit distance
# --------------------------------------------------------------------------------------------------


def test_edit_distance():
    k = EditDistance(gamma=0.5)
    np.testing.assert_allclose(
        -2 * np.log(k(["kitten", "flaw", ""], ["sitting", "lawn", "日本"])),
        [[3, 5, 6], [7, 2, 4], [7, 4, 2]],
    )
    assert_oracle(k, TEXTS)
    assert_oracle(k, TEXTS, ["", "🐍", "bar", "nothing in common"])


@pytest.mark.parametrize("longest", [20, 70, 140])
def test_edit_distance_beyond_a_word(longest):
    X, Y = (
        random_strings(6, "abcd", longest, seed=longest),
        random_strings(5, "abce", longest, seed=longest + 1),
    )
    X += ["a" * 64, "b" * 65, "ab" * 32 + "a", "a" * 63]
    Y += ["a" * 128, "ab" * 64, "a" * 64]
    found = -np.log(EditDistance(gamma=0.01)(X, Y)) / 0.01
    np.testing.assert_allclose(found, [[levenshtein(x, y) for y in Y] for x in X], atol=1e-9)


def levenshtein(x: str, y: str) -> int:
    row = list(range(len(y) + 1))
    for i, a in enumerate(x):
        new = [i + 1]
        for j, b in enumerate(y):
            new.append(min(row[j + 1] + 1, new[j] + 1, row[j] + (a != b)))
        row = new
    return row[-1]


@pytest.mark.parametrize("gamma", [1e-3, 0.1, 0.3, 0.33, 0.336, 0.3365, 0.34, 0.346])
def test_the_witness_against_edit_distance(gamma):
    k = EditDistance(gamma=gamma)
    made = k.certificate()
    assert made.status == "indefinite" and list(made.witness.points) == [
        "a",
        "ab",
        "ba",
        "bb",
        "aba",
    ]
    c = made.witness.coefficients
    assert float(c @ k(made.witness.points) @ c) < 0
    if gamma <= 0.3:
        assert c.tolist() == [2, -3, -3, 2, 2]


def test_beyond_the_witness_nothing_is_known():
    assert EditDistance(gamma=1.2).certificate().status == "unknown"
    five = EditDistance(gamma=0.35)(["a", "ab", "ba", "bb", "aba"])
    assert np.linalg.eigvalsh(five)[0] > 0
    distances = {(x, y): edit_distance(x, y) for x in ("a", "bb", "aba") for y in ("ab", "ba")}
    assert set(distances.values()) == {1}


# -- all of them
# --------------------------------------------------------------------------------------------------

KERNELS = [
    Subsequence(length=2),
    Subsequence(length=4),
    Subsequence(length=6),
    LocalAlignment(),
    LocalAlignment(scores=ABC, beta=0.7),
    EditDistance(),
]


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_one_pair_or_many(kernel):
    """Tiles, threads and the place in a collection change nothing; neither does the order of the
    two but in the last digits.
    """
    X = random_strings(300, "abc", 30, seed=5)
    with mercer.config_context(threads=1):
        K = kernel(X)
    assert np.array_equal(kernel(X), K) and np.array_equal(K, K.T)
    assert np.array_equal(kernel.diag(X), K.diagonal())
    some = [3, 270, 11, 3]
    assert np.array_equal(kernel([X[i] for i in some]), K[np.ix_(some, some)])
    np.testing.assert_allclose(kernel(X[:40], X[250:]), K[:40, 250:], rtol=1e-13)


@pytest.mark.parametrize("kernel", [k for k in KERNELS if k.certificate().psd], ids=repr)
@pytest.mark.parametrize("longest", [4, 25])
def test_claimed_kernels_are_psd(kernel, longest):
    X = list(dict.fromkeys(random_strings(120, "abc", longest, seed=7)))
    assert check_gram(kernel(X)).psd and check_gram(kernel.normalize()(X)).psd


def test_blosum62_is_psd_on_proteins():
    X = list(dict.fromkeys(random_strings(80, AMINO_ACIDS, 12, seed=8)))
    assert check_gram(LocalAlignment(beta=0.5, scores="blosum62", open=11, extend=1)(X)).psd


@pytest.mark.parametrize("kernel", [Subsequence(), LocalAlignment(), EditDistance()], ids=repr)
@pytest.mark.parametrize("bad", [1, None, 2.5, b"abc", ["a"], math.nan])
def test_what_is_not_a_string_is_named(kernel, bad):
    with pytest.raises(InputTypeError, match=re.escape("X[2]")):
        kernel(["a", "b", bad])
    with pytest.raises(InputTypeError, match=re.escape("Y[0]")):
        kernel(["a", "b"], [bad])


def words() -> tuple[list[str], np.ndarray]:
    """Two languages that share their letters and differ in the order of them."""
    rng = np.random.default_rng(1)
    first = ["".join(rng.choice(["abc", "cba", "a", "ab"], size=6)) for _ in range(30)]
    second = ["".join(rng.choice(["acb", "bca", "c", "cc"], size=6)) for _ in range(30)]
    return first + second, np.repeat([0, 1], 30)


STRINGS_OF_ALL_KINDS = {
    "list": list,
    "array": lambda X: np.array(X, dtype=object),
    "text array": np.array,
    "pandas": lambda X: pytest.importorskip("pandas").Series(X, name="text"),
    "polars": lambda X: pytest.importorskip("polars").Series("text", X),
}


@pytest.mark.parametrize("kind", STRINGS_OF_ALL_KINDS)
@pytest.mark.parametrize("kernel", [Subsequence(length=3).normalize(), LocalAlignment()], ids=repr)
def test_learners_take_strings(kernel, kind):
    X, y = words()
    given = STRINGS_OF_ALL_KINDS[kind](X)
    plain = mercer.SVC(kernel=kernel).fit(X, y)
    model = mercer.SVC(kernel=kernel).fit(given, y)
    assert np.array_equal(model.decision_function(given), plain.decision_function(X))
    assert model.score(given, y) > 0.95
    Z = mercer.KernelPCA(n_components=2, kernel=kernel).fit_transform(given)
    assert Z.shape == (60, 2) and np.isfinite(Z).all()
    Z_plain = mercer.KernelPCA(n_components=2, kernel=kernel).fit(X).transform(X[:5])
    np.testing.assert_allclose(Z[:5], Z_plain, atol=1e-8)


@pytest.mark.parametrize("kind", ["list", "pandas"])
def test_cross_validation_and_search(kind):
    from sklearn.model_selection import GridSearchCV, cross_val_score

    X, y = words()
    X = STRINGS_OF_ALL_KINDS[kind](X)
    kernel = Subsequence(length=2).normalize()
    assert cross_val_score(mercer.SVC(kernel=kernel), X, y, cv=3).mean() > 0.9
    search = GridSearchCV(
        mercer.SVC(kernel=kernel), {"kernel__kernel__decay": [0.3, 0.9]}, cv=3
    ).fit(X, y)
    assert search.best_score_ > 0.9


def test_an_edit_distance_needs_repair():
    X, y = words()
    with pytest.raises(mercer.errors.DefinitenessError, match="EditDistance"):
        mercer.SVC(kernel=EditDistance(gamma=0.1)).fit(X, y)
    assert mercer.SVC(kernel=EditDistance(gamma=0.1), repair="clip").fit(X, y).score(X, y) > 0.9


def test_scores_are_read_once(monkeypatch):
    import mercer.kernels.strings.local_alignment as module

    scores = {a: {b: 2.0 if a == b else -1.0 for b in "ab"} for a in "ab"}
    kernel = LocalAlignment(scores=scores)
    expected = kernel(["ab", "ba"])
    monkeypatch.setattr(module, "read_scores", None)  # any further reading would fail
    assert np.array_equal(kernel(["ab", "ba"]), expected)
    assert kernel.certificate().psd
    scores["a"]["a"] = -100.0  # changes after the kernel was made are not seen
    assert np.array_equal(kernel.copy()(["ab", "ba"]), expected)


def test_the_eigenvalue_without_a_rule_is_that_of_all_letters(monkeypatch):
    import mercer.kernels.strings.local_alignment as module

    monkeypatch.setattr(module, "_smallest_eigenvalue", lambda beta, matrix: -float(len(matrix)))
    text = str(LocalAlignment(scores="blosum62").certificate())
    assert f"strings of {AMINO_ACIDS}BZX*" in text and "smallest eigenvalue -24" in text
