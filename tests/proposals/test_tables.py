"""`table_kernel`: what it takes columns for, what it makes of them, what it refuses, and whether
the kernel works.
"""

from __future__ import annotations

import datetime as dt
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import mercer
from mercer import RBF, SVC, KernelPCA, KernelRidge, errors, table_kernel
from mercer.kernels.tables.categories import one_hot
from mercer.kernels.tables.columns import days
from mercer.proposals.tables import read_columns

N = 40
WORDS = ["oil", "wheat", "ship", "bank", "price"]


def columns(holes: bool = False) -> dict[str, list]:
    rng = np.random.default_rng(0)
    made = {
        "number": rng.normal(5.0, 3.0, N).tolist(),
        "count": rng.integers(0, 9, N).tolist(),
        "flag": (rng.random(N) < 0.5).tolist(),
        "color": rng.choice(["red", "green", "blue"], N).tolist(),
        "text": [" ".join(rng.choice(WORDS, 6)) + f" of {i}" for i in range(N)],
        "code": ["".join(rng.choice(list("ACGT"), 8)) for _ in range(N)],
        "date": [dt.datetime(2020, 1, 1) + dt.timedelta(days=29 * i) for i in range(N)],
        "same": [7] * N,
    }
    if holes:
        for k, name in enumerate(made):
            made[name][k + 1] = made[name][k + 9] = None
    return made


def frame(holes: bool = False) -> pd.DataFrame:
    return pd.DataFrame(columns(holes))


def kinds(table, **options) -> dict:
    return {c.name: c.kind for c in read_columns(table, **options)}


EXPECTED = {
    "number": "number",
    "count": "number",
    "flag": "category",
    "color": "category",
    "text": "text",
    "code": "string",
    "date": "date",
    "same": "number",
}


# -- what columns are taken for
# ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("holes", [False, True])
def test_kinds_in_pandas_and_polars(holes):
    made = columns(holes)
    assert kinds(pd.DataFrame(made)) == EXPECTED
    assert kinds(pl.DataFrame(made)) == EXPECTED
    objects = np.array(list(zip(*made.values(), strict=True)), dtype=object)
    assert list(kinds(objects).values()) == list(EXPECTED.values())
    found = {c.name: bool(c.missing_share) for c in read_columns(pd.DataFrame(made))}
    assert set(found.values()) == {holes}


def test_types_say_what_values_do_not():
    table = pd.DataFrame(
        {
            "code": pd.Categorical([1, 2, 3, 1]),
            "n": pd.array([1, None, 3, 4], dtype="Int64"),
            "b": [True, False, True, True],
        }
    )
    assert kinds(table) == {"code": "category", "n": "number", "b": "category"}
    table = pl.DataFrame({"c": ["a", "b", "a"]}, schema={"c": pl.Categorical})
    assert kinds(table) == {"c": "category"}
    many = pd.DataFrame({"c": pd.Categorical([f"x{i}" for i in range(100)])})
    assert kinds(many) == {"c": "category"}


def test_texts_strings_categories_dates():
    table = pd.DataFrame(
        {
            "few": ["a", "b"] * 50,
            "some": [f"place {i % 25}" for i in range(100)],
            "codes": [f"X{i}" for i in range(100)],
            "sentences": [f"this is what person {i} said" for i in range(100)],
            "answers": ["strongly agree with the statement", "do not agree with the statement"]
            * 50,
            "iso": [f"20{10 + i % 10}-01-31" for i in range(100)],
            "times": [f"2020-01-{1 + i % 28:02d} 12:30" for i in range(100)],
        }
    )
    assert kinds(table) == {
        "few": "category",
        "some": "category",
        "codes": "string",
        "sentences": "text",
        "answers": "category",
        "iso": "date",
        "times": "date",
    }


def test_dates_go_round_in_the_cycles_they_pass():
    def cycles(values):
        return [name for name, _ in read_columns(pd.DataFrame({"d": values}))[0].cycles]

    assert cycles(pd.date_range("2020-01-01", periods=50, freq="20D")) == [
        "year_cycle",
        "week_cycle",
    ]
    assert cycles(pd.date_range("2020-01-01", periods=50, freq="D")) == ["week_cycle"]
    assert cycles(pd.date_range("2020-01-01", periods=50, freq="5h")) == ["week_cycle", "day_cycle"]
    assert cycles(pd.date_range("2020-01-01", periods=50, freq="7D")) == []


def test_dates_of_every_form_are_the_same_days():
    noon = 18262.5
    assert days([[dt.datetime(2020, 1, 1, 12)], [None]])[0, 0] == noon
    assert days(np.array([["2020-01-01T12:00"]], dtype="datetime64[ns]"))[0, 0] == noon
    assert days(np.array([["2020-01-01T12:00", "NaT"]], dtype="datetime64[s]"))[0, 0] == noon
    assert days(pd.DataFrame({"d": pd.to_datetime(["2020-01-01 12:00"])}))[0, 0] == noon
    assert days(pd.DataFrame({"d": pd.to_datetime(["2020-01-01 14:00+02:00"])}))[0, 0] == noon
    assert days(pl.DataFrame({"d": [dt.datetime(2020, 1, 1, 12)]}))[0, 0] == noon
    assert days([["2020-01-01 12:00"], [dt.date(2020, 1, 1)]]).ravel().tolist() == [
        noon,
        noon - 0.5,
    ]
    with pytest.raises(errors.InputTypeError, match=r"X\[1\], d = 'soon' is not a date"):
        days(pd.DataFrame({"d": ["2020-01-01", "soon"]}))


# -- the kernel
# --------------------------------------------------------------------------------------------------


def test_it_is_one_rbf_of_the_whole_row():
    table = frame()[["number", "count", "color", "same"]]
    share = table["color"].value_counts(normalize=True).to_numpy()
    width = np.sqrt((2 + 2 + 2 * (1 - (share**2).sum())) / 2)
    scaled = table[["number", "count"]] / table[["number", "count"]].std(ddof=0)
    squares = -2 * np.log(RBF()(scaled.to_numpy())) + 2 * (
        np.array(table["color"])[:, None] != np.array(table["color"])
    )
    np.testing.assert_allclose(
        table_kernel(table)(table), np.exp(-squares / (2 * width**2)), rtol=2e-3
    )
    np.testing.assert_allclose(squares.mean() / (2 * width**2), 1.0, rtol=1e-9)  # the mean exponent
    np.testing.assert_allclose(
        table_kernel(table, scale=2.0)(table), np.exp(-squares / (8 * width**2)), rtol=2e-3
    )


def test_it_is_shown_as_algebra():
    kernel = table_kernel(frame()[["number", "color", "same"]])
    number, color = repr(kernel).split(" * ")
    assert number.startswith("RBF(length_scale=[") and number.endswith("]).on(['number'])")
    assert color.startswith("(RBF(length_scale=") and color.endswith(" @ one_hot).on(['color'])")
    assert "same" not in repr(kernel)
    assert (
        repr(table_kernel(pd.DataFrame({"c": ["a", "b"]})))
        == "(RBF(length_scale=0.7071) @ one_hot).on(['c'])"
    )


@pytest.mark.parametrize("holes", [False, True])
def test_every_kind_of_column(holes):
    tables = [frame(holes), pl.DataFrame(columns(holes))]
    grams = []
    for table in tables:
        kernel = table_kernel(table)
        assert ("MissingAware" in repr(kernel)) == holes
        assert repr(mercer.parse(repr(kernel))) == repr(kernel)
        K = kernel.fit(table)(table)
        np.testing.assert_array_equal(mercer.parse(repr(kernel)).fit(table)(table), K)
        assert np.linalg.eigvalsh(K).min() > -1e-10 and kernel.certificate().psd
        assert K.min() > 0 and K.max() <= 1 + 1e-12
        grams.append(K)
    np.testing.assert_allclose(grams[0], grams[1], rtol=1e-13)
    if not holes:
        np.testing.assert_allclose(np.diag(grams[0]), 1.0, rtol=1e-12)


def test_markers_mean_holes():
    table = frame(holes=True)[["number", "color"]].astype(object)
    marked = table.where(table.notna(), "?")
    a, b = table_kernel(table), table_kernel(marked, missing=("?",))
    np.testing.assert_array_equal(a.fit(table)(table), b.fit(marked)(marked))
    texts = frame()[["text"]].astype(object)
    texts.loc[3, "text"] = "?"
    with pytest.raises(
        errors.ParameterError,
        match=r"column 'text' = '\?' marks a missing value among values read as text; put None there",  # noqa: E501
    ):
        table_kernel(texts, missing=("?",))


def test_holes_that_only_new_rows_have():
    train, new = frame(), frame(holes=True)
    with pytest.raises(errors.MercerError):
        table_kernel(train).fit(train)(new, train)
    kernel = table_kernel(train, holes=True).fit(train)
    assert np.isfinite(kernel(new, train)).all()
    np.testing.assert_allclose(kernel(train), table_kernel(train).fit(train)(train), rtol=1e-12)


def test_a_category_and_a_word_that_were_not_seen():
    train = frame()
    new = train.iloc[:2].copy()
    new["color"], new["text"], new["code"] = "violet", "something else entirely now", "NNN"
    K = table_kernel(train).fit(train)(new, train)
    assert (K[0, 0] < 1) and (K > 0).all()


def test_arrays_and_lists():
    X = np.array([[30.0, "red"], [41.0, "green"], [None, "red"], [25.0, "red"]], dtype=object)
    kernel = table_kernel(X)
    assert kernel.fit(X)(X).shape == (4, 4)
    assert repr(table_kernel(X.tolist())) == repr(kernel)
    numbers = np.random.default_rng(0).standard_normal((10, 3))
    np.testing.assert_array_equal(
        table_kernel(numbers)(numbers), table_kernel(numbers.tolist())(numbers.tolist())
    )


def test_lists_of_mixed_rows():
    rows = [[30.0, "red"], [41.0, "green"], [27.0, "red"], [25.0, "red"]]
    assert table_kernel(rows).fit(rows)(rows).shape == (4, 4)


# -- what is refused
# --------------------------------------------------------------------------------------------------


def test_mixed_types_in_one_column():
    with pytest.raises(errors.InputTypeError, match="column 'm' = 'int, str' mixes types"):
        table_kernel(pd.DataFrame({"m": [1, "a", 2]}))
    with pytest.raises(errors.InputTypeError, match=r"column 1 = 'datetime, float' mixes types"):
        table_kernel(np.array([[1, 1.5], [2, dt.datetime(2020, 1, 1)]], dtype=object))
    with pytest.raises(errors.InputTypeError, match="column 'm' = 'list' is of a kind"):
        table_kernel(pd.DataFrame({"m": [[1], [2]]}))


def test_empty_and_constant_columns():
    with pytest.raises(
        errors.ParameterError,
        match=r"column 'empty' = 'every value missing' .*; leave it out: drop\(columns=\['empty'\]\)",  # noqa: E501
    ):
        table_kernel(pd.DataFrame({"a": [1, 2], "empty": [None, None]}))
    with pytest.raises(errors.ParameterError, match="every column constant"):
        table_kernel(pd.DataFrame({"a": [1, 1], "b": ["x", "x"]}))
    for empty in (pd.DataFrame(), pd.DataFrame({"a": []}), []):
        with pytest.raises(errors.MercerError):
            table_kernel(empty)
    with pytest.raises(errors.NotFiniteError, match="column 'a' = inf"):
        table_kernel(pd.DataFrame({"a": [1.0, np.inf]}))
    with pytest.raises(errors.ParameterError, match="two columns"):
        table_kernel(pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"]))


@pytest.mark.parametrize("scale", [0.0, -1.0, np.nan, np.inf, True, "1"])
def test_bad_scales(scale):
    with pytest.raises(errors.ParameterError, match="scale"):
        table_kernel(frame(), scale=scale)


def test_a_column_that_is_not_there_is_named():
    train = frame()
    model = SVC(kernel=table_kernel(train)).fit(train, np.arange(N) % 2)
    for table in (train, pl.DataFrame(columns())):
        with pytest.raises(errors.WidthError, match=r"\['color'\] are not in the table"):
            model.predict(
                table.drop(columns="color")
                if isinstance(table, pd.DataFrame)
                else table.drop("color")
            )
    assert (
        model.predict(train[train.columns[::-1]]).tolist() == model.predict(train).tolist()
    )  # by name, in any order


# -- in use
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("holes", [False, True])
def test_under_estimators(holes):
    X = frame(holes)
    y = (frame()["color"] == "red").to_numpy().astype(int)
    kernel = table_kernel(X, scale=0.7, holes=True)
    assert cross_val_score(SVC(kernel=kernel, C=10.0), X, y, cv=4).mean() > 0.7
    assert (
        cross_val_score(
            make_pipeline(FunctionTransformer(), SVC(kernel=repr(kernel), C=10.0)), X, y, cv=3
        ).mean()
        > 0.7
    )
    assert np.isfinite(cross_val_score(KernelRidge(kernel=kernel), X, y, cv=3)).all()
    assert KernelPCA(2, kernel=kernel).fit_transform(X).shape == (N, 2)
    grid = {
        "kernel": [table_kernel(X, scale=scale, holes=True) for scale in (0.5, 1.0)],
        "C": [1.0, 10.0],
    }
    search = GridSearchCV(SVC(), grid, cv=3).fit(X, y)
    assert search.best_score_ > 0.7
    model = clone(search.best_estimator_).fit(X, y)
    np.testing.assert_array_equal(
        pickle.loads(pickle.dumps(model)).decision_function(X), model.decision_function(X)
    )


def test_one_hot_rows_are_what_scikit_learn_makes():
    from sklearn.preprocessing import OneHotEncoder

    X = frame()[["color", "flag"]]
    rows = OneHotEncoder(sparse_output=False).fit_transform(X)
    np.testing.assert_allclose(
        (RBF(length_scale=1.3) @ one_hot)(X), RBF(length_scale=1.3)(rows), rtol=1e-13
    )


@pytest.mark.parametrize("size", [1e-200, 1e200, 1e300])
def test_a_variance_that_cannot_be_held_is_told(size):
    X = size * np.random.default_rng(0).standard_normal((20, 2))
    with pytest.raises(errors.ParameterError, match=r"column 0 = .*variance .*multiply"):
        table_kernel(X)
    with pytest.raises(errors.ParameterError, match="multiply the column"):
        mercer.hsic_test(X, X)  # which said that they are the same for all samples: p = 1
    with pytest.raises(errors.ParameterError, match="variance"):
        mercer.mmd_test(X, 2 * X)
    assert read_columns(np.full((20, 1), size))[0].spread == 0.0
