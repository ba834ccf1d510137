"""What rows are compared with where none are given."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mercer
from mercer import RBF, SVR, AutoClassifier, AutoRegressor, KernelRidge, errors, explain

RNG = np.random.default_rng(0)
N = 150
TABLE = pd.DataFrame(
    {
        "number": RNG.standard_normal(N),
        "constant": 1.0,
        "letter": pd.Categorical(RNG.choice(list("xyz"), N)),
        "size": pd.Categorical(RNG.choice(["s", "m", "l"], N), ["s", "m", "l"], ordered=True),
        "sparse": pd.arrays.SparseArray((RNG.random(N) > 0.7).astype(float)),
        "gap": pd.array(RNG.choice([1, 2, None], N), dtype="Int64"),
    }
)
Y = (TABLE.number + (TABLE.letter == "x")).to_numpy()


def test_automatic_models_keep_a_hundred_rows(tmp_path):
    """One row is explained with the model alone, also after it was loaded from a file."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = AutoRegressor(time="fast").fit(TABLE, Y)
        again = AutoRegressor(time="fast").fit(TABLE, Y)
    kept = model.background_
    assert list(kept.columns) == list(TABLE.columns) and len(kept) == 100
    pd.testing.assert_frame_equal(kept, again.background_)
    assert (
        abs(kept.number.mean() - TABLE.number.mean()) < 0.2
        and not kept.number.is_monotonic_increasing
    )
    found = explain(model, TABLE[:1])
    expected = explain(model, TABLE[:1], background=kept)
    np.testing.assert_array_equal(found.values, expected.values)
    np.testing.assert_allclose(found.base_values, model.predict(kept).mean())
    mercer.save(model, tmp_path / "m.mercer")
    loaded = mercer.load(tmp_path / "m.mercer")
    np.testing.assert_array_equal(explain(loaded, TABLE[:1]).values, expected.values)


def test_columns_that_the_model_does_not_know_are_not_read():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = AutoRegressor(time="fast", drop="gap").fit(TABLE, Y)
    found = explain(model, TABLE[:1].assign(new=1.0))
    assert found.feature_names == list(TABLE.columns)
    fewer = explain(model, TABLE[:1].drop(columns=["gap", "constant"]))
    assert "gap" not in fewer.feature_names
    np.testing.assert_allclose(fewer.base_values, found.base_values)


@pytest.mark.parametrize("learner", ["auto", "svc"])
@pytest.mark.parametrize("form", [np.asarray, lambda X: X.tolist()], ids=["array", "list"])
def test_arrays_and_lists(learner, form):
    X = RNG.standard_normal((120, 2))
    given = form(X)
    model = AutoClassifier(learner=learner, time="fast").fit(given, X[:, 0] > 0)
    assert len(model.background_) == 100
    found = explain(model, given[:1])
    assert found.values.shape[:2] == (1, 2)
    model.fit(X[:30], X[:30, 0] > 0)
    assert len(model.background_) == 30
    X[:] = 0.0
    assert np.asarray(model.background_).any()


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "dia"])
def test_sparse_matrices(form):
    X = RNG.standard_normal((40, 2))
    model = AutoRegressor(learner="ridge").fit(sparse.coo_matrix(X).asformat(form), X[:, 0])
    assert model.background_.shape == (40, 2) and model.background_.format == "csr"


def test_polars():
    polars = pytest.importorskip("polars")
    table = polars.DataFrame({"a": TABLE.number.to_numpy(), "c": TABLE.letter.tolist()})
    model = AutoRegressor(time="fast").fit(table, Y)
    assert explain(model, table[:1]).feature_names == ["a", "c"]


def test_rows_of_weight_zero_are_not_kept():
    X = np.arange(60.0)[:, None] + RNG.standard_normal((60, 2))
    model = AutoRegressor(time="fast").fit(X, X[:, 0], sample_weight=np.arange(60) >= 30)
    assert len(model.background_) == 30 and model.background_[:, 0].min() > 20


def test_other_samples_have_none():
    texts = ["".join(RNG.choice(list("acgt"), 12)) for _ in range(40)]
    model = AutoClassifier(time="fast").fit(texts, np.arange(40) % 2)
    assert not hasattr(model, "background_")
    X = RNG.standard_normal((40, 2))
    model.fit(X, X[:, 0] > 0)
    assert hasattr(model, "background_")
    assert not hasattr(model.fit(texts, np.arange(40) % 2), "background_")


def test_a_model_that_keeps_no_rows_says_so():
    X = RNG.standard_normal((40, 2))
    model = AutoRegressor(time="fast").fit(X, X[:, 0])
    del model.background_  # a file of an earlier version
    for other in (model, lambda rows: rows[:, 0]):
        with pytest.raises(errors.ParameterError, match=r"^background is needed: the model keeps"):
            explain(other, X[:1])


def test_what_a_pipeline_keeps_is_not_what_it_reads():
    """The last step keeps samples that the first ones have changed."""
    X = 100.0 + RNG.standard_normal((40, 2))
    pipeline = make_pipeline(StandardScaler(), SVR(kernel=RBF())).fit(X, X[:, 0])
    with pytest.raises(errors.ParameterError, match=r"^background is needed"):
        explain(pipeline, X[:1])
    alone = make_pipeline(KernelRidge(0.1, kernel=RBF())).fit(X, X[:, 0])
    np.testing.assert_allclose(explain(alone, X[:1]).base_values, alone.predict(X).mean())
