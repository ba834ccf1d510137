"""Tables under estimators: columns by their names, the caller's data left alone, other processes,
messages that name the user's things.
"""

from __future__ import annotations

import copy
import pickle
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.feature_extraction.text import CountVectorizer

import mercer
from mercer import (
    RBF,
    SVC,
    BagOfWords,
    Completions,
    GaussianProcessRegressor,
    Imputed,
    KernelPCA,
    KernelRidge,
    Linear,
    Matern,
    MissingAware,
    ModeFilled,
    Overlap,
    Spectrum,
    TfIdf,
    WeightedOverlap,
    White,
    errors,
    one_hot,
    table_kernel,
)
from mercer.kernels.functions import row_sums

FRAME = pd.DataFrame({"a": list("xyxyxyxy"), "b": list("yyxxyyxx"), "c": list("ppqqrrss")})
LABEL = [0, 1] * 4
WHOLE = [
    Overlap(),
    WeightedOverlap(),
    RBF() @ one_hot,
    MissingAware(Overlap()),
    Completions(Overlap()),
    ModeFilled(Overlap()),
]
WHOLE += [Imputed(Overlap()), MissingAware(Overlap().exp())]


@pytest.mark.parametrize("kernel", WHOLE, ids=str)
def test_columns_are_found_by_name(kernel):
    model = SVC(kernel=kernel).fit(FRAME, LABEL)
    expected = model.decision_function(FRAME)
    other = FRAME[["c", "a", "b"]].assign(more=1)
    for table in (other, pl.DataFrame({name: other[name].tolist() for name in other})):
        np.testing.assert_allclose(model.decision_function(table), expected, rtol=1e-12)
    np.testing.assert_allclose(
        model.decision_function(FRAME.to_numpy()), expected, rtol=1e-12
    )  # by position, where there are no names
    with pytest.raises(
        errors.WidthError, match=r"'a'.* not in the table, which has \['zz', 'b', 'c'\]"
    ):
        model.predict(FRAME.rename(columns={"a": "zz"}))
    assert model.feature_names_in_.tolist() == ["a", "b", "c"] and model.n_features_in_ == 3


@pytest.mark.parametrize("kernel", WHOLE, ids=str)
def test_two_tables_are_matched_by_name(kernel):
    kernel = kernel.copy().fit(FRAME)
    np.testing.assert_allclose(kernel(FRAME, FRAME[["b", "c", "a"]]), kernel(FRAME), rtol=1e-12)
    other = FRAME[["b", "c", "a"]]
    for left, right in (
        (other, other),
        (other, FRAME),
        (FRAME, other.assign(more=1)),
        (other, FRAME.to_numpy()),
        (FRAME.to_numpy(), other),
    ):
        if isinstance(kernel, Overlap | mercer.kernels.combine.maps.Warp) and not (
            hasattr(left, "columns") and hasattr(right, "columns")
        ):
            continue  # nothing was learned, so nothing tells what the columns of an array are
        np.testing.assert_allclose(kernel(left, right), kernel(FRAME), rtol=1e-12)


@pytest.mark.parametrize("kernel", WHOLE, ids=str)
def test_kernel_maps_and_votes(kernel):
    made = mercer.KernelMap(kernel).fit(FRAME)
    np.testing.assert_allclose(
        made.transform(FRAME[["c", "a", "b"]].assign(more=1)), made.transform(FRAME), rtol=1e-12
    )
    vote = mercer.ImputedVote(SVC(kernel=kernel), categories=True).fit(FRAME, LABEL)
    np.testing.assert_array_equal(
        vote.votes(FRAME[["c", "a", "b"]].assign(more=1)), vote.votes(FRAME)
    )


def test_positions_from_the_end_of_columns_named_by_numbers():
    X = np.random.default_rng(0).standard_normal((8, 4))
    X[3, 2] = np.nan
    for names in ([0, 2, 3, 7], [2, 0, 1, 5], [-1, 0, 1, 2]):
        frame = pd.DataFrame(X, columns=names)
        last = frame[[-1]] if -1 in names else frame.iloc[:, [-1]]
        np.testing.assert_allclose(
            MissingAware(RBF().on([-1])).fit(frame)(frame),
            MissingAware(RBF()).fit(last)(last),
            rtol=1e-12,
        )


def test_functions_may_look_at_any_column():
    frame = pd.DataFrame(np.random.default_rng(0).standard_normal((8, 3)), columns=list("abc"))
    for kernel in (mercer.FromFeatures(row_sums), mercer.Conformal(RBF().on(["a"]), row_sums)):
        model = KernelRidge(kernel=kernel).fit(frame, LABEL)
        with pytest.raises(errors.WidthError, match="not in the table"):
            model.predict(frame[["a"]])


def test_several_classes_by_names():
    model = mercer.GaussianProcessClassifier(
        (Overlap().on(["a"]) * Overlap().on(["b"])).normalize(), optimizer=None
    ).fit(FRAME, [0, 1, 2, 1] * 2)
    np.testing.assert_array_equal(model.predict(FRAME[["b", "a"]]), model.predict(FRAME))


PAIR = Overlap().on(["a"]) * Overlap().on(["b"])


@pytest.mark.parametrize("kernel", [PAIR, MissingAware(PAIR)], ids=str)
def test_kernels_of_names_do_without_other_columns(kernel):
    model = SVC(kernel=kernel).fit(FRAME, LABEL)
    np.testing.assert_array_equal(model.predict(FRAME[["b", "a"]]), model.predict(FRAME))


def test_two_columns_of_one_name():
    frame = pd.DataFrame(
        [["x", "p", "y"], ["y", "q", "y"], ["x", "q", "x"]], columns=["a", "b", "a"]
    )
    with pytest.raises(errors.WidthError, match="two columns"):
        Overlap().on(["a"])(frame)
    np.testing.assert_array_equal(Overlap()(frame), Overlap()(frame.to_numpy()))
    assert SVC(kernel=Overlap()).fit(frame, [0, 1, 0]).predict(frame).shape == (3,)
    numbers = pd.DataFrame([[1.0, 2.0], [3.0, np.nan]], columns=["a", "a"])
    np.testing.assert_array_equal(
        MissingAware(RBF()).fit(numbers)(numbers),
        MissingAware(RBF()).fit(numbers.to_numpy())(numbers.to_numpy()),
    )


# -- the caller's data
# --------------------------------------------------------------------------------------------------

TEXTS = ["zebra zebra apple", "apple pear pear pear", "zebra pear", "apple"]


@pytest.mark.parametrize("kernel", [BagOfWords(), TfIdf()], ids=str)
def test_counts_are_left_alone(kernel):
    counts = CountVectorizer().fit_transform(TEXTS)
    assert not counts.has_sorted_indices or counts.dtype != float  # as vectorizers make them
    before = counts.toarray()
    K = kernel.copy().fit(counts)(counts)
    np.testing.assert_array_equal(counts.toarray(), before)
    np.testing.assert_allclose(K, kernel.copy().fit(TEXTS)(TEXTS), rtol=1e-12)


@pytest.mark.parametrize("kernel", [BagOfWords(), TfIdf()], ids=str)
def test_texts_and_counts_do_not_mix(kernel):
    counts = CountVectorizer().fit_transform(TEXTS)
    for train, new in ((TEXTS, counts), (counts, TEXTS)):
        with pytest.raises(
            errors.DomainMismatchError, match="cannot be compared with the training samples"
        ):
            SVC(kernel=kernel).fit(train, [0, 1, 0, 1]).predict(new)


@pytest.mark.parametrize(
    "make",
    [
        lambda: SVC(kernel=Overlap()),
        lambda: KernelRidge(kernel=Overlap()),
        lambda: KernelPCA(kernel=Overlap()),
    ],
)
def test_rows_that_change_later(make):
    rows = [["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"]]
    new = [list(row) for row in rows]
    model = make().fit(rows, [0, 0, 1, 1])
    said = model.predict if hasattr(model, "predict") else model.transform
    rows[0][0], rows[2][0] = "b", "a"
    expected = make().fit(new, [0, 0, 1, 1])
    np.testing.assert_array_equal(
        said(new), (expected.predict if hasattr(model, "predict") else expected.transform)(new)
    )


@pytest.mark.parametrize(
    ("kernel", "X", "spoil"),
    [
        (
            Overlap(),
            pl.DataFrame({"a": list("xyxy"), "b": list("uuvv")}),
            lambda X: X.__setitem__((0, "a"), "y"),
        ),
        (
            Overlap(),
            (["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"]),
            lambda X: X[0].__setitem__(0, "b"),
        ),
        (
            mercer.MeanEmbedding(RBF()),
            [[[0.0]], [[1.0]], [[2.0], [3.0]], [[4.0]]],
            lambda X: X[0][0].__setitem__(0, 9.0),
        ),
        (mercer.Jaccard(), [{1, 2}, {2}, {3}, {1}], lambda X: X[0].add(9)),
    ],
    ids=["polars", "tuples", "bags", "sets"],
)
def test_collections_that_change_later(kernel, X, spoil):
    new = copy.deepcopy(X)
    model = KernelRidge(kernel=kernel).fit(X, [0.0, 1.0, 2.0, 3.0])
    spoil(X)
    np.testing.assert_array_equal(
        model.predict(new), KernelRidge(kernel=kernel).fit(new, [0.0, 1.0, 2.0, 3.0]).predict(new)
    )


# -- other processes
# --------------------------------------------------------------------------------------------------

_ELSEWHERE = """
import pickle, sys, mercer
rows = [["a", "b"], ["a", None], ["b", "b"], ["b", "a"]]
for name in sys.argv[1:]:
    model = mercer.load(name) if name.endswith("mercer") else pickle.load(open(name, "rb"))
    print(model.predict(rows).tolist())
"""


@pytest.mark.parametrize(
    "kernel",
    [MissingAware(RBF() @ one_hot), Completions(RBF() @ one_hot), Imputed(RBF() @ one_hot)],
    ids=str,
)
def test_a_model_works_in_another_process(kernel, tmp_path):
    rows = [["a", "b"], ["a", None], ["b", "b"], ["b", "a"]]
    model = SVC(kernel=kernel).fit(rows, [0, 0, 1, 1])
    mercer.save(model, tmp_path / "m.mercer")
    (tmp_path / "m.pickle").write_bytes(pickle.dumps(model))
    call = [
        sys.executable,
        "-c",
        _ELSEWHERE,
        str(tmp_path / "m.mercer"),
        str(tmp_path / "m.pickle"),
    ]
    assert (
        subprocess.run(call, capture_output=True, text=True, check=True).stdout.split("\n")[:2]
        == [str(model.predict(rows).tolist())] * 2
    )


# -- mixed tables, holes
# ------------------------------------------------------------------------------------------------

MIXED = [[0.1 * i, "abc"[i % 3], None if i % 5 == 0 else float(i % 4)] for i in range(30)]


@pytest.mark.parametrize("form", [list, lambda rows: np.array(rows, dtype=object), pd.DataFrame])
def test_mixed_tables_without_names(form):
    rows, y = form(MIXED), [row[0] for row in MIXED]
    kernel = table_kernel(rows)
    for model in (
        KernelRidge(kernel=kernel),
        GaussianProcessRegressor(kernel, alpha=0.1, optimizer=None),
        mercer.SVR(kernel=kernel),
    ):
        assert np.abs(model.fit(rows, y).predict(rows) - y).mean() < 0.5
    assert KernelPCA(2, kernel=kernel).fit_transform(rows).shape == (30, 2)


def test_noise_is_not_averaged_over_fillings():
    X = np.array([[1.0, 2.0], [np.nan, 1.0], [2.0, 2.0]])
    more = MissingAware(RBF() + 0.1 * White()).fit(X)(X) - MissingAware(RBF()).fit(X)(X)
    np.testing.assert_allclose(more, 0.1 * np.eye(3), atol=1e-15)
    only = MissingAware(RBF() * White()).fit(X)(X)
    np.testing.assert_allclose(only, np.diag(MissingAware(RBF()).fit(X)(X).diagonal()), atol=1e-15)


def test_positions_from_the_end_have_closed_forms():
    rng = np.random.default_rng(0)
    X = rng.choice(np.array([*"abc", None], dtype=object), (12, 4))
    for kernel, same in (
        (Overlap().on([-1, 0]), Overlap().on([3, 0])),
        (Overlap().on(-1) * Overlap().on(0), Overlap().on(3) * Overlap().on(0)),
    ):
        np.testing.assert_array_equal(MissingAware(kernel).fit(X)(X), MissingAware(same).fit(X)(X))


def test_completions_of_numbers_in_closed_form():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, (8, 3)).astype(float)
    X[rng.random(X.shape) < 0.3] = np.nan
    X[0] = [0.0, 1.0, 2.0]
    for inner in (RBF(length_scale=[0.7, 1.0, 2.0]), Linear()):
        other = (
            Completions(inner**1).fit(X)
            if isinstance(inner, RBF)
            else Completions(Matern() * 0.0 + inner * Matern(length_scale=1e9))
        )
        np.testing.assert_allclose(Completions(inner).fit(X)(X), other.fit(X)(X), rtol=1e-6)
    given = [[0.0, 5.0], [1.0], [2.0]]
    hole = np.array([[np.nan, 1.0, 2.0], [0.0, 1.0, 2.0]])
    assert Completions(RBF(), values=given).fit(hole)(hole)[0, 1] == pytest.approx(
        (1 + np.exp(-12.5)) / 2
    )
    with pytest.raises(errors.ParameterError, match=r"values\[0\]"):
        Completions(RBF(), values=[["a"], [1.0], [2.0]]).fit(hole)


def test_numbers_that_are_written_as_text():
    Z = np.array([["1.5", "2"], ["?", "4"], ["3.5", "?"], ["2.5", "6"]], dtype=object)
    N = np.array([[1.5, 2.0], [np.nan, 4.0], [3.5, np.nan], [2.5, 6.0]])
    for kernel in (
        MissingAware(RBF()),
        ModeFilled(RBF()),
        Imputed(RBF()),
        Completions(RBF()),
        MissingAware(Matern()),
    ):
        read = kernel.copy().set_params(missing=("?",)).fit(Z)(Z)
        np.testing.assert_allclose(read, kernel.copy().fit(N)(N), rtol=1e-14)


# -- messages
# --------------------------------------------------------------------------------------------------


def test_messages_speak_of_the_users_x():
    with pytest.raises(errors.InputTypeError, match=r"^X\[1\] = None is not a string"):
        SVC(kernel=Spectrum(length=2)).fit(["ab", "bc"], [0, 1]).predict(["a", None])
    with pytest.raises(
        errors.WidthError,
        match=r"^X = '1 columns' must have as many columns as the training samples: 2",
    ):
        SVC(kernel=Overlap()).fit([["a", "b"], ["b", "b"]], [0, 1]).predict([["a"]])
    frame = pd.DataFrame({"a": [1.0, 2.0], "height": [1.0, 2.0]})
    model = KernelRidge(kernel=RBF().on(["height"])).fit(frame, [0, 1])
    with pytest.raises(errors.NotFiniteError, match=r"^X\[1\], height = nan"):
        model.predict(frame.assign(height=[1.0, np.nan]))
    for learner in (SVC, KernelRidge, KernelPCA, mercer.KernelLogisticRegression):
        with pytest.raises(errors.InputTypeError, match="give a kernel that reads text"):
            learner(kernel=RBF()).fit([["a"], ["b"]], [0, 1])
    with pytest.raises(errors.EmptyInputError, match="is empty"):
        Overlap()([])
    for learner in (SVC, KernelRidge, KernelPCA):
        with pytest.raises(errors.ParameterError, match=r"is a class, not a kernel; give RBF\(\)"):
            learner(kernel=RBF).fit(np.eye(4), [0, 1, 0, 1])
        for table, place in (
            (np.diag([1.0, np.nan]), "X[1, 1]"),
            (pd.DataFrame({"a": [1.0, np.inf]}), "X[1, 'a']"),
        ):
            with pytest.raises(
                errors.NotFiniteError, match=re.escape(place) + r" = .*MissingAware"
            ):
                learner(kernel=RBF()).fit(table, [0, 1])


def test_sets_are_no_rows():
    sets = [{"milk", "bread"}, {"bread", "tea"}, {"nails", "milk"}, {"tea", "milk"}]
    for kernel in (Overlap(), RBF() @ one_hot, MissingAware(Overlap())):
        with pytest.raises(errors.InputTypeError, match="Jaccard"):
            SVC(kernel=kernel).fit(sets, [0, 1, 0, 1])
    with pytest.raises(errors.InputTypeError, match="Jaccard"):
        table_kernel(sets)


def test_columns_as_arrays():
    assert repr(RBF().on(np.array([0, 1]))) == "RBF().on([0, 1])"
    assert repr(RBF().on(pd.Index(["a", "b"]))) == "RBF().on(['a', 'b'])"


def test_matrices_of_graphs_with_names():
    A = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0.0]])
    named = mercer.Diffusion(pd.DataFrame(A, index=list("abc"), columns=list("abc")), t=0.5)
    np.testing.assert_array_equal(named(["a", "c"]), mercer.Diffusion(A, t=0.5)([0, 2]))
    np.testing.assert_array_equal(
        mercer.Diffusion(pd.DataFrame(A), t=0.5)([0, 2]), named(["a", "c"])
    )
    with pytest.raises(errors.ParameterError, match=r"B.loc\[B.columns\]"):
        mercer.Diffusion(pd.DataFrame(A, index=list("acb"), columns=list("abc")))


def test_words_as_sets_and_lists():
    assert TfIdf(stop_words={"oil"}, ngrams=[1, 2]).fit(TEXTS)(TEXTS).shape == (4, 4)
    np.testing.assert_array_equal(
        BagOfWords(stop_words={"pear"}, ngrams=[1, 2])(TEXTS),
        BagOfWords(stop_words=["pear"], ngrams=(1, 2))(TEXTS),
    )


def test_all_names_at_once():
    call = [
        sys.executable,
        "-c",
        "from mercer import *; print(RBF().certificate().psd, SVC.__name__, 'annotations' in dir())",  # noqa: E501
    ]
    assert (
        subprocess.run(call, capture_output=True, text=True, check=True).stdout
        == "True SVC False\n"
    )
