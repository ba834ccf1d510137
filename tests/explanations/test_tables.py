"""Tables of numbers, categories, missing values and texts: players are the original columns."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from naive.shapley import shapley
from scipy.sparse import csr_matrix

from mercer import (
    RBF,
    AutoClassifier,
    AutoRegressor,
    KernelRidge,
    explain,
    one_hot,
    table_kernel,
)  # fmt: skip

RNG = np.random.default_rng(0)
N = 120
TABLE = pd.DataFrame(
    {
        "a": RNG.standard_normal(N),
        "b": RNG.standard_normal(N),
        "c": RNG.choice(list("xyz"), N),
        "d": RNG.choice(list("pq"), N),
    }
)
Y = (TABLE.a + (TABLE.c == "x") * TABLE.b).to_numpy()
TABLE.loc[RNG.random(N) < 0.2, "b"] = np.nan
ROWS, BACKGROUND = TABLE[:2], TABLE[50:55]


def log_odds(model):
    def function(frame):
        p = model.predict_proba(frame)
        return np.log(p[:, 1]) - np.log(p[:, 0]) if p.shape[1] == 2 else np.log(p)

    return function


def test_a_proposed_kernel():
    model = KernelRidge(0.1, kernel=table_kernel(TABLE)).fit(TABLE, Y)
    found = explain(model, ROWS, background=BACKGROUND)
    assert found.method == "exact" and found.feature_names == list("abcd")
    np.testing.assert_allclose(
        found.values, shapley(model.predict, ROWS, BACKGROUND), rtol=0, atol=1e-8
    )
    assert found.data[0, 2] == TABLE.c[0]


@pytest.mark.parametrize("effort", ["fast", "balanced"])
def test_learned_kernels(effort):
    model = AutoRegressor(time=effort).fit(TABLE, Y)
    found = explain(model, ROWS, background=BACKGROUND)
    expected = shapley(model.predict, ROWS, BACKGROUND)
    assert found.method == "exact"
    np.testing.assert_allclose(found.values, expected, rtol=0, atol=1e-8)


@pytest.mark.parametrize("cuts", [[0.0], [-0.5, 0.5]], ids=["two", "three"])
def test_learned_log_odds(cuts):
    labels = np.array(list("uvw"))[np.digitize(Y, cuts)]
    model = AutoClassifier(time="fast").fit(TABLE, labels)
    found = explain(model, ROWS, background=BACKGROUND)
    assert found.method == "exact"
    assert found.quantity == ("log-odds of v against u" if len(cuts) == 1 else "log-odds")
    if len(cuts) == 1:
        expected = shapley(log_odds(model), ROWS, BACKGROUND)
        np.testing.assert_allclose(found.values, expected, rtol=0, atol=1e-8)
    else:  # logits are log p up to a constant of every row
        assert found.output_names == list("uvw")
        scores = found.values.sum(axis=1) + found.base_values
        expected = log_odds(model)(ROWS)
        gap = scores - expected
        np.testing.assert_allclose(gap - gap[:, :1], 0.0, atol=1e-8)


def test_mixed_probabilities_are_sampled():
    few = TABLE[:40].assign(e=RNG.standard_normal(40), f=RNG.standard_normal(40))
    model = AutoClassifier().fit(few, Y[:40] > 0)
    found = explain(model, few[:1], background=few[20:23], samples=60)
    assert found.method == "sampling"
    expected = shapley(log_odds(model), few[:1], few[20:23])
    assert np.abs(found.values - expected).max() <= 5 * found.error.max()
    total = found.values.sum(axis=1) + found.base_values
    np.testing.assert_allclose(total, log_odds(model)(few[:1]), atol=1e-8)


def test_texts_beside_numbers():
    words = RNG.choice(["corn", "oil", "wheat"], N)
    filler = ["the", "of", "some", "few", "words", "about", "prices", "sales", "rates", "week"]
    texts = [" ".join([*RNG.choice(filler, 4), word]) for word in words]
    table = TABLE[["a", "c"]].assign(t=texts)
    model = AutoRegressor(time="fast").fit(table, TABLE.a + 2.0 * (words == "oil"))
    found = explain(model, table[:1], background=table[50:53])
    expected = shapley(model.predict, table[:1], table[50:53])
    assert found.method == "exact"
    np.testing.assert_allclose(found.values, expected, rtol=0, atol=1e-8)


def test_columns_that_were_left_out_have_the_value_zero():
    table = TABLE.assign(constant=1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = AutoRegressor(time="fast").fit(table, Y)
    found = explain(model, table[:2], background=table[50:60])
    assert found.feature_names[-1] == "constant" and np.all(found.values[:, -1] == 0)
    np.testing.assert_allclose(
        found.values.sum(axis=1) + found.base_values, model.predict(table[:2]), atol=1e-9
    )


def test_arrays_of_numbers():
    X = RNG.standard_normal((60, 3))
    model = AutoRegressor(time="fast").fit(X, X[:, 0])
    found = explain(model, X[:2], background=X[:5])
    expected = shapley(model.predict, X[:2], X[:5])
    np.testing.assert_allclose(found.values, expected, rtol=0, atol=1e-8)


def test_a_category_is_one_player():
    """The same model of indicators, grouped, has the same values."""
    names = ["c", "d"]
    model = KernelRidge(0.1, kernel=RBF() @ one_hot).fit(TABLE[names], Y)
    found = explain(model, ROWS[names], background=BACKGROUND[names])
    indicators = pd.get_dummies(TABLE[names]).astype(float)
    other = KernelRidge(0.1, kernel=RBF()).fit(indicators.to_numpy(), Y)
    Z = indicators.to_numpy()
    groups = {"c": [0, 1, 2], "d": [3, 4]}
    grouped = explain(other, Z[:2], background=Z[50:55], groups=groups)
    np.testing.assert_allclose(found.values, grouped.values, atol=1e-10)
    assert grouped.feature_names == names
    assert grouped.data[0].tolist() == [int(np.argmax(Z[0, :3])), int(np.argmax(Z[0, 3:]))]


def test_sparse_rows_lists_and_other_frames():
    X = RNG.standard_normal((40, 4)) * (RNG.random((40, 4)) > 0.5)
    y = X[:, 0] * X[:, 1]
    dense = explain(KernelRidge(0.1, kernel=RBF()).fit(X, y), X[:2], background=X[5:9])
    S = csr_matrix(X)
    found = explain(KernelRidge(0.1, kernel=RBF()).fit(S, y), S[:2], background=S[5:9])
    np.testing.assert_allclose(found.values, dense.values, atol=1e-12)
    assert found.data.shape == (2, 4)
    rows = [[1.0, "a"], [2.0, "b"], [0.5, "a"], [1.5, "b"]] * 6
    model = KernelRidge(0.1, kernel=table_kernel(rows)).fit(rows, [1.0, 2.0, 0.0, 1.0] * 6)
    found = explain(model, rows[:2], background=rows[:4])
    assert found.method == "exact" and found.data[0].tolist() == [1.0, "a"]


def test_polars():
    polars = pytest.importorskip("polars")
    table = polars.DataFrame({"a": TABLE.a.to_numpy(), "c": TABLE.c.tolist()})
    regressor = AutoRegressor(time="fast").fit(table, Y)
    found = explain(regressor, table[:2], background=table[5:15])
    assert found.method == "exact" and found.feature_names == ["a", "c"]
    classifier = AutoClassifier().fit(table[:40], Y[:40] > 0)
    found = explain(classifier, table[:1], background=table[5:9], samples=8)
    assert found.values.shape == (1, 2)
