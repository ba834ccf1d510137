"""Learners of numbers that are given a data frame of other things name its column."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import mercer
from mercer import (
    RBF,
    SVC,
    GaussianProcessClassifier,
    KernelPCA,
    KernelSearch,
    LinearSVC,
    LinearSVR,
    MercerMap,
)
from mercer.errors import InputTypeError, NotFiniteError

y = np.arange(6) % 2
AGE = {"age": np.linspace(0.0, 1.0, 6)}
TEXT = AGE | {"c": ["u", "v"] * 3}
FRAMES = {
    "text": pd.DataFrame(TEXT),
    "polars": pl.DataFrame(TEXT),
    "text beside a bool": pd.DataFrame(TEXT | {"b": [True, False] * 3}),
    "category beside a bool": pd.DataFrame(
        AGE | {"c": pd.Categorical(["u", "v"] * 3), "b": y == 1}
    ),
    "text beside missing integers": pd.DataFrame({"i": pd.array([1, None] * 3, "Int64")} | TEXT),
}


@pytest.mark.parametrize("frame", FRAMES.values(), ids=list(FRAMES))
def test_the_column_of_text_is_named(frame):
    with pytest.raises(InputTypeError) as caught:
        SVC().fit(frame, y)
    assert str(caught.value) == (
        "X, column 'c' = 'u' is text where kernel rbf needs numbers; "
        "set kernel=table_kernel(X), or encode it; AutoClassifier takes it as it is"
    )
    SVC(kernel=mercer.table_kernel(FRAMES["text"])).fit(FRAMES["text"], y)  # the remedy works


@pytest.mark.parametrize(
    ("column", "rule"),
    [
        (pd.date_range("2020", periods=6), "is a date where kernel rbf needs numbers; set kernel="),
        (pd.to_timedelta(np.arange(6), unit="D"), "needs numbers; encode it, or leave it out"),
        ([[1, 2]] * 6, r"\[1, 2\] is not a number where kernel rbf needs numbers; encode it, or"),
    ],
)
def test_other_types_are_named_too(column, rule):
    with pytest.raises(InputTypeError, match=f"^X, column 'd' = .*{rule}"):
        SVC().fit(pd.DataFrame(AGE | {"d": column}), y)


DATES = pd.date_range("2020", periods=6, freq="MS")


@pytest.mark.parametrize("learner", [SVC(), KernelPCA(), KernelSearch()], ids=repr)
@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame({"d": DATES}),
        pd.DataFrame({"d": DATES.tz_localize("UTC")}),
        pl.DataFrame({"d": DATES.to_numpy()}),
        pd.DataFrame({"d": DATES - DATES[0]}),
        DATES.to_numpy()[:, None],
    ],
    ids=["pandas", "zone", "polars", "durations", "array"],
)
def test_a_table_of_dates_alone_is_not_taken_for_numbers(learner, X):
    """NumPy would count nanoseconds or seconds, as each table stores them."""
    with pytest.raises(InputTypeError, match=r"X.* needs numbers; .*encode it"):
        learner.fit(X, y)
    numbers = np.arange(6.0)[:, None]
    model = SVC().fit(numbers, y)
    with pytest.raises(InputTypeError, match=r"X.* needs numbers; .*encode it"):
        model.predict(X)


@pytest.mark.parametrize("dtype", ["Int64", "boolean"])
@pytest.mark.parametrize("learner", [SVC(), LinearSVC(), KernelPCA()], ids=repr)
def test_missing_integers_are_missing_values(learner, dtype):
    frame = pd.DataFrame(AGE | {"i": pd.array([1, None] * 3, dtype=dtype)})
    with pytest.raises(NotFiniteError, match=r"X\[1, 'i'\] = nan must be finite; .*MissingAware"):
        learner.fit(frame, y)
    SVC(kernel=mercer.MissingAware(RBF())).fit(frame, y)  # the remedy works


@pytest.mark.parametrize(
    ("learner", "words"),
    [
        (GaussianProcessClassifier(), "GaussianProcessClassifier needs numbers; set kernel="),
        (KernelPCA(), r"kernel linear needs numbers; set kernel=table_kernel\(X\), or encode it$"),
        (MercerMap(), r"kernel RBF\(\) needs numbers; set kernel="),
        (LinearSVC(), "LinearSVC needs numbers; encode it; AutoClassifier takes it"),
        (LinearSVR(), "LinearSVR needs numbers; encode it; AutoRegressor takes it"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_every_learner_says_what_helps_it(learner, words):
    with pytest.raises(InputTypeError, match=f"^X, column 'c' = 'u' is text where {words}"):
        learner.fit(FRAMES["text"], y)


def test_text_among_the_targets_is_not_blamed_on_the_samples():
    targets = np.array(["a", "b"] * 3, dtype=object)
    with pytest.raises(ValueError, match="could not convert string to float"):
        mercer.SVR().fit(np.eye(6), targets)
