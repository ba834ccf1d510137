"""Kernels of words: the formula by hand, stop words, sequences of words, and use under learners."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from mercer import SVC, BagOfWords, KernelPCA, KernelRidge, TfIdf
from mercer.errors import (
    DomainError,
    DomainMismatchError,
    NotFittedError,
    ParameterError,
    WidthError,
)

TEXTS = [
    "Crude oil prices rose; oil exports fell.",
    "Wheat and corn, wheat and barley",
    "the price of oil",
    "corn exports of the U.S.",
    "",
    "!? a",
]


def by_hand(texts, fitted):
    """log(1 + count) log(N / (1 + df)), of length one."""
    analyze = CountVectorizer().build_analyzer()
    sets = [set(analyze(text)) for text in fitted]
    rows = []
    for text in texts:
        words = analyze(text)
        row = {}
        for word in set(words):
            df = sum(word in found for found in sets)
            if df:
                row[word] = math.log(1 + words.count(word)) * math.log(len(fitted) / (1 + df))
        length = math.sqrt(sum(v * v for v in row.values()))
        rows.append({word: v / length for word, v in row.items()} if length else {})
    return rows


def test_tf_idf_by_hand():
    new = ["oil oil oil, and unheard things", "unheard", "", "corn of wheat"]
    left, right = by_hand(new, TEXTS), by_hand(TEXTS, TEXTS)
    expected = [[sum(x[w] * y[w] for w in x.keys() & y.keys()) for y in right] for x in left]
    kernel = TfIdf().fit(TEXTS)
    np.testing.assert_allclose(kernel(new, TEXTS), expected, rtol=1e-13, atol=1e-16)
    np.testing.assert_allclose(kernel(TEXTS, new), np.transpose(expected), rtol=1e-13, atol=1e-16)
    np.testing.assert_allclose(kernel.diag(new), [1, 0, 0, 1], rtol=1e-14)
    assert kernel.idf_["oil"] == pytest.approx(math.log(6 / 3)) and kernel.idf_[
        "wheat"
    ] == pytest.approx(math.log(6 / 2))


def test_columns_are_those_of_fit():
    kernel = TfIdf().fit(TEXTS)
    F = kernel.features(TEXTS)
    assert (
        F.shape == (6, len(kernel.idf_))
        and (kernel.features([TEXTS[3], "unheard oil"])[:1] != F[3:4]).nnz == 0
    )
    model = LinearSVC().fit(F, [1, 0, 1, 0, 0, 0])
    assert model.predict(kernel.features(["oil oil", "corn and gas"])).tolist() == [1, 0]


def test_unseen_words_are_dropped():
    kernel = TfIdf().fit(TEXTS)
    np.testing.assert_allclose(
        kernel(["oil"], ["oil and gas", "oil and"])[0, 0],
        kernel(["oil"], ["oil and"])[0, 0],
        rtol=1e-14,
    )
    assert not kernel(["gas"], ["gas", "oil"]).any()


def test_words_that_all_but_one_have_weigh_nothing():
    assert TfIdf().fit(["aa bb", "aa cc", "dd"]).diag(["aa", "bb"]).tolist() == [0, 1]


def test_words_that_all_have_weigh_below_zero_and_still_count():
    kernel = TfIdf().fit(["aa bb", "aa cc"])
    assert kernel.idf_["aa"] < 0 and kernel.diag(["aa"])[0] == 1


@pytest.mark.parametrize(
    "kernel",
    [TfIdf(), BagOfWords(), BagOfWords(ngrams=(1, 3)), TfIdf(stop_words=("oil",))],
    ids=repr,
)
def test_features(kernel):
    kernel.fit(TEXTS)
    F = kernel.features(TEXTS)
    assert hasattr(F, "tocsr")
    np.testing.assert_allclose((F @ F.T).toarray(), kernel(TEXTS), rtol=1e-13, atol=1e-16)
    K = kernel(TEXTS)
    assert np.array_equal(K, K.T) and np.array_equal(K.diagonal(), kernel.diag(TEXTS))
    assert np.array_equal(kernel([TEXTS[3], TEXTS[0]]), K[np.ix_([3, 0], [3, 0])])


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"lowercase": False},
        {"ngrams": (2, 2)},
        {"ngrams": (1, 3)},
        {"stop_words": "english"},
        {"stop_words": ["oil", "corn"]},
    ],
    ids=repr,
)
def test_counts_are_those_of_the_vectorizer(options):
    names = {"ngrams": "ngram_range"}
    theirs = CountVectorizer(
        **{names.get(name, name): value for name, value in options.items()}
    ).fit_transform(TEXTS)
    assert np.array_equal(BagOfWords(**options)(TEXTS), (theirs @ theirs.T).toarray())
    assert np.array_equal(
        BagOfWords(**options)(TEXTS, TEXTS[:2]), (theirs @ theirs[:2].T).toarray()
    )


def test_unicode_words():
    assert BagOfWords()(["Größe ГРОЗА 中文"], ["größe гроза", "中文 中文"]).tolist() == [[2, 2]]


def test_tf_idf_must_be_fitted():
    with pytest.raises(NotFittedError, match="fit"):
        TfIdf()(TEXTS)
    assert not hasattr(clone(TfIdf().fit(TEXTS)), "idf_")
    kernel = TfIdf().fit(TEXTS)
    assert np.array_equal(pickle.loads(pickle.dumps(kernel))(TEXTS), kernel(TEXTS))


def test_only_empty_texts():
    assert not TfIdf().fit(["", ""])(["", "word"]).any()
    assert not BagOfWords()(["", "a"]).any()
    assert BagOfWords().features([""]).shape == (1, 1)


@pytest.mark.parametrize(
    "options",
    [
        {"ngrams": (0, 1)},
        {"ngrams": (2, 1)},
        {"ngrams": 2},
        {"ngrams": (True, 1)},
        {"ngrams": (1, 1.5)},
        {"stop_words": "french"},
        {"stop_words": [1]},
        {"stop_words": np.array(["a", "b"])},
        {"lowercase": "yes"},
    ],
    ids=repr,
)
def test_refused_parameters(options):
    with pytest.raises(ParameterError):
        TfIdf(**options)


# -- under learners
# --------------------------------------------------------------------------------------------------


@pytest.fixture
def news(rng):
    oil, grain, both = (
        "crude oil barrel opec tanker",
        "wheat corn grain harvest farm",
        "the price of market exports said year",
    )
    texts, topics = [], []
    for i in range(60):
        own = (oil if i % 2 else grain).split()
        texts.append(" ".join([*rng.choice(own, size=2), *rng.choice(both.split(), size=12)]))
        topics.append("crude" if i % 2 else "grain")
    return texts, np.array(topics)


@pytest.mark.parametrize(
    "kernel",
    [TfIdf(), BagOfWords(), BagOfWords(stop_words="english").normalize(), TfIdf(ngrams=(1, 2))],
    ids=repr,
)
def test_cross_validation(kernel, news):
    texts, topics = news
    assert cross_val_score(SVC(kernel=kernel), texts, topics, cv=5).mean() > 0.9
    assert cross_val_score(SVC(kernel=kernel), pd.Series(texts), topics, cv=5).mean() > 0.9


def test_other_learners_and_search(news):
    texts, topics = news
    assert (
        KernelRidge(kernel=TfIdf(), alpha=0.1)
        .fit(texts, 1.0 * (topics == "crude"))
        .predict(["crude oil"])[0]
        > 0.5
    )
    model = make_pipeline(KernelPCA(5, kernel=TfIdf()), LinearSVC())
    assert cross_val_score(model, texts, topics, cv=3).mean() > 0.9
    search = GridSearchCV(
        SVC(kernel=TfIdf()),
        {"kernel__ngrams": [(1, 1), (2, 2)], "kernel__stop_words": [None, "english"]},
        cv=3,
    )
    assert search.fit(texts, topics).best_params_["kernel__ngrams"] == (1, 1)


def test_idf_is_learned_on_the_training_set_alone(news):
    texts, topics = news
    model = SVC(kernel=TfIdf()).fit(texts[:30], topics[:30])
    same = TfIdf().fit(texts[:30])
    expected = (
        SVC(kernel="precomputed")
        .fit(same(texts[:30]), topics[:30])
        .decision_function(same(texts[30:], texts[:30]))
    )
    np.testing.assert_allclose(model.decision_function(texts[30:]), expected, rtol=1e-7, atol=1e-9)


def test_counts_made_elsewhere():
    texts = ["crude oil prices", "oil exports", "wheat and corn", "corn prices", "barley"]
    counts = CountVectorizer().fit_transform(texts)
    for kernel in (BagOfWords(), TfIdf()):
        np.testing.assert_allclose(kernel.fit(counts)(counts), kernel.fit(texts)(texts), atol=1e-14)
        np.testing.assert_allclose(
            kernel.fit(counts)(counts[:2], counts), kernel.fit(texts)(texts[:2], texts), atol=1e-14
        )
    assert SVC(kernel=TfIdf()).fit(counts, list("ooccc")).predict(counts[:2]).tolist() == ["o", "o"]
    with pytest.raises(DomainError, match="not a count"):
        BagOfWords()(-counts)
    with pytest.raises(DomainError, match="not a count"):
        BagOfWords()(-counts.toarray())
    with pytest.raises(WidthError, match="as many columns"):
        BagOfWords()(counts, counts[:, :3])


@pytest.mark.parametrize("kernel", [BagOfWords(), TfIdf(), TfIdf(smooth_idf=True)], ids=repr)
@pytest.mark.parametrize("form", ["array", "list", "pandas", "nullable", "polars"])
def test_dense_counts(kernel, form):
    texts = ["crude oil prices", "oil exports", "wheat and corn", "corn prices", "barley"]
    vectorizer = CountVectorizer()
    dense = vectorizer.fit_transform(texts).toarray()
    frame = pd.DataFrame(dense, columns=vectorizer.get_feature_names_out())
    counts = {
        "array": dense,
        "list": dense.tolist(),
        "pandas": frame,
        "nullable": frame.astype("Int64"),
        "polars": pl.DataFrame(dense, schema=list(frame.columns)),
    }[form]
    expected = kernel.fit(texts)(texts)
    np.testing.assert_allclose(kernel.fit(counts)(counts), expected, atol=1e-14)
    model = SVC(kernel=kernel).fit(counts, list("ooccc"))
    assert model.predict(counts[:2]).tolist() == ["o", "o"]


def test_columns_of_counts_are_matched_by_name():
    frame = pd.DataFrame([[2, 0, 1], [0, 3, 1], [1, 0, 0]], columns=["oil", "corn", "and"])
    swapped = frame[["and", "corn", "oil"]]
    for kernel in (BagOfWords(), TfIdf()):
        assert np.array_equal(kernel.fit(frame)(frame, swapped), kernel(frame))
        assert np.array_equal(kernel(swapped), kernel(frame))


def test_words_are_not_compared_with_columns():
    counts = np.array([[2, 0, 1], [0, 3, 1], [1, 0, 0]])
    with pytest.raises(DomainMismatchError, match="fitted to words"):
        TfIdf().fit(TEXTS)(counts)
    with pytest.raises(DomainMismatchError, match="fitted to columns"):
        TfIdf().fit(counts)(TEXTS)
    with pytest.raises(WidthError, match="3"):
        TfIdf().fit(counts)(counts[:, :2])


def test_smooth_idf_is_scikit_learns():
    counts = CountVectorizer().fit_transform(TEXTS)
    theirs = TfidfTransformer(sublinear_tf=False).fit(counts)
    ours = TfIdf(smooth_idf=True).fit(counts)
    np.testing.assert_allclose(list(ours.idf_.values()), theirs.idf_, rtol=1e-14)
    ones = (counts > 0).astype(float)
    expected = (theirs.transform(ones) @ theirs.transform(ones).T).toarray()
    np.testing.assert_allclose(ours(ones), expected, atol=1e-14)


def test_smooth_weights_fall_with_the_share_of_texts():
    kernel = TfIdf(smooth_idf=True).fit(["aa bb cc", "aa bb", "aa"])
    assert kernel.idf_["cc"] > kernel.idf_["bb"] > kernel.idf_["aa"] == 1
