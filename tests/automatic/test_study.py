"""What is asked of a source, and what a study finds."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from mercer import errors
from mercer.automatic.question import ask
from mercer.automatic.studies.effort import Effort
from mercer.automatic.study import layout_of, study
from mercer.readers import Source, read_source

rng = np.random.default_rng(0)
N = 60
A, B = rng.standard_normal((2, N))


def table(**columns):
    return Source("table", pd.DataFrame(columns), None, [], None, "made up")


def labeled(**more):
    return table(
        a=A, b=B, color=np.where(B > 0.5, "red", "blue"), y=np.where(A > 0, "yes", "no"), **more
    )


# -- the question ----------------------------------------------------------------------------------


def test_the_target_is_parted_from_the_samples():
    asked = ask(labeled(), "y")
    assert (asked.task, asked.target, list(asked.X.columns)) == (
        "classification",
        "y",
        ["a", "b", "color"],
    )
    for place in ("3", "-1"):
        assert ask(labeled(), place).target == "y"
    assert ask(labeled(), "a").task == "regression"


@pytest.mark.parametrize(
    ("values", "task"),
    [
        (np.arange(N) % 3, "classification"),
        ((np.arange(N) % 3).astype(float), "classification"),
        (np.arange(N), "regression"),
        (np.arange(N) % 3 + 0.5, "regression"),
        (np.arange(N) % 2 == 0, "classification"),
        (np.array(["1", "2", "x"] * 20), "classification"),
    ],
)
def test_which_task(values, task):
    asked = ask(table(a=A, y=values), "y")
    assert asked.task == task and len(asked.y) == N
    if task == "classification":
        assert asked.y.dtype.kind in "UO" and "." not in str(asked.y[0])


def test_holes_of_the_target_are_left_out():
    source = labeled()
    source.samples.loc[[3, 5], "y"] = None
    asked = ask(source, "y")
    assert (
        len(asked.y) == N - 2
        and asked.notes == ["2 rows have no y and are left out"]
        and 3 not in asked.rows
        and 4 in asked.rows
    )


def test_classes_of_one_sample_are_left_out():
    y = np.where(A > 0, "yes", "no").astype(object)
    y[7] = "odd"
    asked = ask(table(a=A, y=y), "y")
    assert (
        len(asked.y) == N - 1
        and asked.notes == ["1 classes have one sample each and are left out: odd"]
        and 7 not in asked.rows
    )


REFUSED = {
    "not named": (
        labeled,
        None,
        "auto",
        "the target is not named; --target, one of: a, b, color, y",
    ),
    "misspelt": (labeled, "Y", "auto", r"target = 'Y' is not a column; did you mean 'y'\?"),
    "unknown": (labeled, "z", "auto", "target = 'z' is not a column; there are: a, b, color, y"),
    "too far": (labeled, "4", "auto", "target = '4' is not a column"),
    "text as numbers": (
        labeled,
        "y",
        "regression",
        "holds text, which is not a number; --task classification",
    ),
    "one class": (
        lambda: table(a=A, y=["no"] * N),
        "y",
        "auto",
        "is 'no' in every row: there is one class only",
    ),
    "one number": (lambda: table(a=A, y=[2.5] * N), "y", "regression", "is 2.5 in every row"),
    "names": (
        lambda: table(a=A, y=[f"name {at}" for at in range(N)]),
        "y",
        "auto",
        "has 60 classes in 60 rows: too few of each",
    ),
    "no value": (lambda: table(a=A, y=[None] * N), "y", "auto", "target = 'y' has no value at all"),
    "nothing else": (lambda: table(y=A), "y", "auto", "has no column to predict the target from"),
    "few rows": (
        lambda: table(a=A[:9], y=["u", "v", "u"] * 3),
        "y",
        "auto",
        "data = '9 samples' are too few",
    ),
    "infinite": (
        lambda: table(a=A, y=np.where(np.arange(N) == 3, np.inf, B)),
        "y",
        "auto",
        "holds infinities",
    ),
    "no classes": (
        lambda: Source("texts", ["a b"] * N, None, [], None, "60 texts"),
        None,
        "auto",
        "carry no classes",
    ),
    "no classes of graphs": (
        lambda: Source("graphs", ["CC"] * N, None, [], None, "60 graphs"),
        None,
        "auto",
        "carry no classes; .*NAME_graph_labels.txt",
    ),
}


@pytest.mark.parametrize(("source", "target", "task", "said"), REFUSED.values(), ids=REFUSED)
def test_refused(source, target, task, said):
    with pytest.raises(errors.InputError, match=said) as caught:
        ask(source(), target, task)
    assert "\n" not in str(caught.value)


def test_infinities_among_whole_numbers_are_refused():
    with pytest.raises(errors.InputError, match="infinit"):
        ask(table(a=A, y=[1.0, 2.0, np.inf] * 20), "y")


# -- the study -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def made():
    heard = []
    found = study(
        labeled(none=[None] * N),
        "y",
        learner="ridge",
        cv=2,
        repeats=2,
        progress=lambda *said: heard.append(said),
    )
    return found, heard


def test_a_study_of_a_table(made):
    found, heard = made
    summary = found.summary()
    assert (
        summary["task"] == "classification"
        and summary["samples"] == N
        and summary["repeats"] == 2
        and summary["mean"] > 0.8
    )
    assert found.baseline == pytest.approx(max(np.mean(A > 0), np.mean(A <= 0)))
    assert summary["notes"] == [
        "column 'a' predicts y by itself (AUC 1): is it known before y is? --drop a leaves it out"
    ]
    assert [each["column"] for each in summary["left out"]] == ["none"]
    assert {one["name"]: one["kind"] for one in found.columns} == {
        "a": "number",
        "b": "number",
        "color": "category",
        "none": "empty",
    }
    assert [stage for stage, _ in heard if stage] == [
        *("look", "fit", "assess", "columns", "learning curve")
    ]
    assert heard.count(("", 1)) == 1 + 4
    assert layout_of(found.model) is None and found.model.source_["target"] == "y"


def test_a_column_that_is_left_out_needs_no_other_note():
    order = np.argsort(A)  # rows sorted by class: their counter knows it
    rows = table(row_id=np.arange(1000, 1000 + N), a=A[order], y=np.sort(A > 0).astype(int))
    found = study(rows, "y", task="classification", learner="ridge", cv=2, repeats=1)
    assert [each.column for each in found.question.left_out] == ["row_id"]
    assert not any("row_id" in note for note in found.question.notes)


def test_the_column_that_matters_contributes_most(made):
    found, _ = made
    assert found.contributions[0].column == "a" and found.contributions[0].drop > 0.2
    drops = {one.column: one.drop for one in found.contributions}
    assert abs(drops["b"]) < 0.15 and "none" not in drops


def test_the_hardest_have_the_least_probability(made):
    found, _ = made
    own = found.assessment.probability[np.arange(N), (found.question.y == "yes").astype(int)]
    assert [at for at, _ in found.hardest] == np.argsort(own, kind="stable")[:10].tolist()


def test_the_learning_curve_rises(made):
    found, _ = made
    counts = [point.count for point in found.curve]
    assert (
        counts == sorted(counts)
        and counts[-1] == 48
        and all(0.4 < point.score <= 1.0 for point in found.curve)
    )


def test_a_study_of_numbers_by_terms():
    found = study(
        table(a=A, b=B, y=2 * A + 0.1 * B + 50),
        "y",
        kernel="Linear().on(['a']) + Linear().on(['b'])",
        cv=3,
        repeats=1,
    )
    assert (
        found.summary()["score"] == "R2" and found.assessment.mean > 0.9 and found.baseline == 0.0
    )
    assert (
        sum(share for _, share in found.shares) == pytest.approx(1.0) and found.shares[0][1] > 0.9
    )
    gap = np.abs(found.question.y - found.assessment.predicted[0])
    assert found.hardest[0][0] == int(np.argmax(gap))


def others() -> list[Source]:
    letters = ["".join(rng.choice(list("acgt" if at % 2 else "aacg"), 20)) for at in range(30)]
    words = [" ".join(rng.choice(["sea", "ship", "to", "x" * (1 + at % 2)], 9)) for at in range(30)]
    thin = sp.csr_matrix(np.abs(rng.standard_normal((30, 5))) * (rng.random((30, 5)) > 0.5))
    labels = np.array(["x", "y"] * 15)
    return [
        Source("sequences", letters, labels, [], None, "told"),
        Source("texts", words, labels, [], None, "told"),
        Source("vectors", thin, np.where(labels == "x", 1.0, -1.0), [], None, "told"),
    ]


@pytest.mark.parametrize("source", others(), ids=lambda source: source.kind)
def test_studies_of_other_samples(source):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = study(source, learner="ridge", cv=2, repeats=1)
    assert found.question.target == "label" and found.contributions == [] and found.columns == []
    assert set(found.question.y) == ({"1", "-1"} if source.kind == "vectors" else {"x", "y"})


def test_a_layout_is_kept(tmp_path):
    file = tmp_path / "some.csv"
    file.write_text("a;y\n" + "".join(f"{a:.3f};{a > 0}\n".replace(".", ",") for a in A))
    found = study(read_source(file), "y", learner="ridge", cv=2, repeats=1, explain_columns=False)
    layout = layout_of(found.model)
    assert (
        layout.separator == ";"
        and layout.decimal == ","
        and layout.names == ("a", "y")
        and found.contributions == []
    )


@pytest.mark.parametrize("tested", [False, True])
def test_classes_that_are_never_predicted_are_noted(tested):
    """Nine rows of 300 that nothing sets apart, as they are in a test set."""
    y = np.where(np.arange(300) % 2, "odd", "even").astype(object)
    y[:9] = "rare"
    draw = np.random.default_rng(0)
    source = table(a=(np.arange(300) % 2) + 0.1 * draw.standard_normal(300), y=y)
    effort = Effort(2, 1, test=source if tested else None)
    options = {"learner": "ridge", "effort": effort, "explain_columns": False}
    said = "predicted for none of the held-out rows of that class: 'rare' (9); --balanced"
    notes = study(source, "y", **options).notes
    assert [note for note in notes if said in note]
    assert not [
        note for note in study(source, "a", **options).notes if "predicted for none" in note
    ]
