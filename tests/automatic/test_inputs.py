"""What automatic models make of the columns of a table: which are left out, ordered categories."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

from mercer import AutoClassifier, AutoRegressor, load, save
from mercer.errors import InputTypeError, ParameterError

rng = np.random.default_rng(0)
N = 80
SIZE = rng.normal(size=N)
GRADES = ["poor", "fair", "good", "excellent"]
GRADE = rng.integers(0, 4, N)
FRAME = pd.DataFrame(
    {
        "customer_id": rng.permutation(N) + 1000,
        "size": SIZE,
        "grade": pd.Categorical.from_codes(GRADE, GRADES, ordered=True),
        "same": "x",
        "flag": rng.random(N) > 0.5,
    }
)
Y = SIZE + GRADE


@pytest.fixture(scope="module")
def model():
    with pytest.warns(UserWarning, match="'customer_id' is an identifier") as caught:
        fitted = AutoRegressor(time="fast").fit(FRAME, Y)
    assert not any("same" in str(each.message) for each in caught)
    return fitted


def test_columns_are_left_out_with_reasons(model, tmp_path):
    assert model.left_out_ == ["customer_id", "same"]
    assert "column 'customer_id' is an identifier" in str(model.report_)
    assert model.importances_.shape == (5,) and model.importances_[0] == 0.0
    without = FRAME.drop(columns=["customer_id", "same"])
    np.testing.assert_array_equal(model.predict(without), model.predict(FRAME))
    save(model, tmp_path / "some.mercer")
    again = load(tmp_path / "some.mercer")
    np.testing.assert_array_equal(again.predict(without), model.predict(FRAME))
    assert again.reasons_ == model.reasons_


def test_columns_can_be_kept():
    for keep in ("all", ["customer_id"], "customer_id"):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            kept = AutoRegressor(time="fast", keep=keep).fit(FRAME, Y)
        assert "customer_id" not in kept.left_out_


def test_columns_are_dropped(tmp_path):
    for drop in (["flag", "customer_id"], pd.Index(["flag", "customer_id"])):
        model = AutoRegressor(time="fast", drop=drop).fit(FRAME, Y)
        assert model.left_out_ == ["flag", "customer_id", "same"]
        assert "column 'flag' as asked for (drop): left out" in str(model.report_)
        assert model.importances_[[0, 4]].tolist() == [0.0, 0.0]
    save(model, tmp_path / "some.mercer")
    again = load(tmp_path / "some.mercer").predict(FRAME.drop(columns=["flag", "same"]))
    np.testing.assert_array_equal(again, model.predict(FRAME))
    cells = FRAME.assign(curve=[np.arange(3.0)] * N)  # which no table of several columns may hold
    of_cells = AutoRegressor(time="fast", drop=["flag", "customer_id", "curve"]).fit(cells, Y)
    np.testing.assert_array_equal(of_cells.predict(cells), model.predict(FRAME))
    without = AutoRegressor(time="fast", drop=["grade", "customer_id"]).fit(FRAME, Y)
    assert np.isfinite(without.predict(FRAME.drop(columns="grade"))).all()
    given = AutoRegressor(kernel="RBF()", drop="flag").fit(FRAME[["size", "flag"]], Y)
    assert given.left_out_ == ["flag"] and given.kernel_ is not None


@pytest.mark.parametrize("option", ["keep", "drop"])
def test_columns_that_are_not_there_are_refused(option):
    with pytest.raises(ParameterError, match=f"{option} = 'flagg' is not a column.*'flag'"):
        AutoRegressor(**{option: ["size", "flagg"]}).fit(FRAME, Y)
    with pytest.raises(ParameterError, match=r"the table has .*'customer_id', 'size'"):
        AutoRegressor(**{option: [7]}).fit(FRAME, Y)
    with pytest.raises(ParameterError, match="do not have; give a data frame"):
        AutoRegressor(**{option: ["size"]}).fit(SIZE[:, None], Y)
    with pytest.raises(ParameterError, match="leaves no column"):
        AutoRegressor(drop=list(FRAME)).fit(FRAME, Y)


def test_ordered_categories_are_ranks(model):
    # a rank between two others has a value between theirs, although no row had it in training
    rows = FRAME["grade"] != "fair"
    partial = AutoRegressor(keep="all").fit(FRAME[["size", "grade"]][rows], Y[rows])
    new = pd.DataFrame({"size": 0.0, "grade": GRADES})
    low, between, high, _ = partial.predict(new)
    assert low + 0.3 < between < high - 0.3
    as_text = FRAME.astype({"grade": str})
    np.testing.assert_array_equal(model.predict(as_text), model.predict(FRAME))
    with pytest.warns(UserWarning, match="column 'grade' has missing values"):
        strange = model.predict(FRAME[:2].assign(grade=["unknown", None]))
    assert np.isfinite(strange).all()


def test_intervals_and_booleans_are_read():
    table = pd.DataFrame({"cut": pd.cut(SIZE, 4), "flag": FRAME["flag"]})
    fitted = AutoClassifier(time="fast").fit(table, SIZE > 0)
    assert fitted.score(table, SIZE > 0) > 0.8


def test_texts_that_tell_nothing_are_left_out_by_the_rows_of_the_fit():
    names = ["".join(rng.choice(list("abcdefgh"), 6)) for _ in range(N)]
    table = pd.DataFrame({"size": SIZE, "name": names})
    y = SIZE > 0
    with pytest.warns(UserWarning, match="'name'"):
        fitted = AutoClassifier(time="fast").fit(table, y)
    assert fitted.left_out_ == ["name"]
    telling = table.assign(name=[f"{'xy'[int(label)]}{name}" for label, name in zip(y, names)])
    kept = AutoClassifier(time="fast").fit(telling.drop(columns="size").assign(c=SIZE**2), y)
    assert kept.left_out_ == []


@pytest.mark.parametrize("value", ["2024-01-05", "yes", 3.0])
def test_a_constant_that_is_missing_in_one_class_tells_it(value):
    y = rng.random(N) > 0.5
    table = pd.DataFrame({"size": rng.normal(size=N), "gone": np.where(y, value, None)})
    if value == 3.0:
        table["gone"] = table["gone"].astype(float)
    model = AutoClassifier().fit(table, y)
    assert model.score(table, y) == 1.0 and model.importances_[1] > 0.3


def test_arrays_of_letters_are_tables_of_categories():
    letters = np.random.default_rng(0).choice(list("abc"), (60, 3))
    y = letters[:, 0] == "a"
    model = AutoClassifier(random_state=0).fit(letters, y)
    assert (model.predict(letters) == y).all()
    rows = AutoClassifier(random_state=0).fit(letters.tolist(), y)
    assert (model.predict_proba(letters.astype("S")) == rows.predict_proba(letters.tolist())).all()
    assert model.predict(np.full((1, 3), "1")).shape == (1,)  # digits are letters to this model
    numbers = np.random.default_rng(0).standard_normal((60, 3))
    of_text = AutoRegressor(random_state=0).fit(numbers.astype(str), numbers[:, 0])
    of_numbers = AutoRegressor(random_state=0).fit(numbers, numbers[:, 0])
    assert (of_text.predict(numbers.astype(str)) == of_numbers.predict(numbers)).all()


@pytest.mark.parametrize("cell", ["?", "four", "2,5"])
def test_text_among_new_numbers_is_named(model, cell):
    new = FRAME.astype({"size": object})
    new.loc[3, "size"] = cell
    with pytest.raises(InputTypeError, match=r"X\[3\], 'size' = .* is not a number, .*; correct"):
        model.predict(new)
