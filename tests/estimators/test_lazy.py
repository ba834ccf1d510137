"""Predictions for collections of Dask."""

from __future__ import annotations

import numpy as np
import pytest

import mercer
from mercer import SVC, KernelRidge, Nystroem, predict_lazily
from mercer.errors import DataWarning, InputTypeError, ParameterError


def models(rng):
    X = rng.standard_normal((60, 3))
    ridge = KernelRidge(kernel="rbf", alpha=0.1).fit(X, X[:, 0])
    svc = SVC(kernel="rbf").fit(X, np.where(X[:, 1] > 0, "high", "low"))
    return X, ridge, svc, Nystroem(n_components=5, random_state=0).fit(X)


def test_what_is_refused(rng):
    X, ridge, *_ = models(rng)
    with pytest.raises(InputTypeError, match=r"call model\.predict"):
        predict_lazily(ridge, X)
    with pytest.raises(ParameterError, match="is not a method of KernelRidge"):
        predict_lazily(ridge, X, "predict_proba")


def test_rows_that_are_read_block_by_block(rng):
    X, ridge, svc, features = models(rng)
    rows = mercer.scan(
        lambda: ((X[start : start + 25], X[start : start + 25, 0]) for start in (0, 25, 50))
    )
    np.testing.assert_allclose(ridge.predict(rows), ridge.predict(X), rtol=1e-12)
    assert svc.predict(rows).tolist() == svc.predict(X).tolist()
    np.testing.assert_allclose(features.transform(rows), features.transform(X), rtol=1e-12)


def test_files_that_are_read_block_by_block(rng, tmp_path):
    pd = pytest.importorskip("pandas")
    X = pd.DataFrame(rng.standard_normal((60, 2)), columns=["a", "b"])
    X.assign(y=X["a"]).to_csv(tmp_path / "rows.csv", index=False)
    rows = mercer.scan(tmp_path / "rows.csv", target="y", block_rows=25)
    model = KernelRidge(kernel="rbf", alpha=0.1, centers=20, random_state=0).fit(rows)
    np.testing.assert_allclose(model.predict(rows), model.predict(X), rtol=1e-12)


def test_arrays(rng):
    da = pytest.importorskip("dask.array")
    X, ridge, svc, features = models(rng)
    lazy = da.from_array(X, chunks=(25, 2))
    for model, method in ((ridge, "predict"), (svc, "predict"), (features, "transform")):
        found = predict_lazily(model, lazy, method)
        expected = getattr(model, method)(X)
        assert found.shape == expected.shape
        assert found.dtype == expected.dtype
        assert isinstance(found, da.Array)
        values = found.compute(scheduler="synchronous")
        if values.dtype.kind == "f":
            np.testing.assert_allclose(values, expected, rtol=1e-12)
        else:
            np.testing.assert_array_equal(values, expected)


def test_frames(rng):
    dd = pytest.importorskip("dask.dataframe")
    pandas = pytest.importorskip("pandas")
    X, *_ = models(rng)
    frame = pandas.DataFrame(X, columns=list("abc"))
    ridge = KernelRidge(kernel="rbf", alpha=0.1).fit(frame, X[:, 0])
    features = Nystroem(n_components=5, random_state=0).fit(frame)
    lazy = dd.from_pandas(frame, npartitions=3)
    lazy = lazy[lazy.a > lazy.a.max() - 2.0]  # some partitions may be empty
    kept = frame[frame.a > frame.a.max() - 2.0]
    found = predict_lazily(ridge, lazy).compute(scheduler="synchronous")
    np.testing.assert_allclose(found.to_numpy(), ridge.predict(kept), rtol=1e-12)
    assert found.index.equals(kept.index)
    mapped = predict_lazily(features, lazy, "transform").compute(scheduler="synchronous")
    np.testing.assert_allclose(mapped.to_numpy(), features.transform(kept), rtol=1e-9)
    assert list(mapped.columns) == [f"transform{i}" for i in range(5)]


def test_models_answer_lazily_by_themselves(rng):
    da = pytest.importorskip("dask.array")
    X, ridge, svc, features = models(rng)
    lazy = da.from_array(X, chunks=(25, 2))
    svc.set_params(probability=True).fit(X, svc.predict(X))
    asked = [(ridge, "predict"), (svc, "predict_proba"), (svc, "decision_function")]
    for model, method in (*asked, (features, "transform")):
        found = getattr(model, method)(lazy)
        assert isinstance(found, da.Array)
        expected = getattr(model, method)(X)
        np.testing.assert_allclose(found.compute(scheduler="synchronous"), expected, atol=1e-9)


OTHERS = {
    "AdditiveChi2Sampler": "transform",
    "PolynomialCountSketch": "transform",
    "RBFSampler": "transform",
    "SkewedChi2Sampler": "transform",
    "KernelICA": "transform",
    "KernelMap": "transform",
    "MercerMap": "transform",
    "MCA": "transform",
    "LinearSVC": "decision_function",
    "LinearSVR": "predict",
}


@pytest.mark.parametrize("name", OTHERS)
def test_transformers_and_linear_machines_answer_lazily_too(name, rng):
    da = pytest.importorskip("dask.array")
    X = np.abs(rng.standard_normal((60, 3)))
    X = np.round(X) if name == "MCA" else X
    model, method = getattr(mercer, name)().fit(X, X[:, 0] > 0.7), OTHERS[name]
    found = getattr(model, method)(da.from_array(X, chunks=(25, 2)))
    assert isinstance(found, da.Array)
    expected = np.asarray(getattr(model, method)(X))
    np.testing.assert_allclose(found.compute(scheduler="synchronous"), expected, atol=1e-9)


def test_what_wraps_another_model_answers_lazily(rng):
    da = pytest.importorskip("dask.array")
    X, ridge, *_ = models(rng)
    model = mercer.LocalModels(ridge, most=40).fit(X, X[:, 0])
    found = model.predict(da.from_array(X, chunks=(25, 3)))
    assert isinstance(found, da.Array)
    np.testing.assert_allclose(found.compute(scheduler="synchronous"), model.predict(X), atol=1e-9)


LOADING = [mercer.LinearSVC(), mercer.KernelDensity(), mercer.RBFSampler(), mercer.NuSVC(nu=0.1)]


@pytest.mark.parametrize("model", LOADING, ids=lambda model: type(model).__name__)
def test_what_is_loaded_as_a_whole_is_said_once(model, rng):
    da = pytest.importorskip("dask.array")
    X = rng.standard_normal((40, 3))
    lazy, labels = da.from_array(X, chunks=(10, 3)), X[:, 0] > 0
    with pytest.warns(DataWarning, match="960 B' is loaded into memory as a whole") as record:
        model.fit(lazy, labels)
    assert len([each for each in record if each.category is DataWarning]) == 1
    with pytest.warns(DataWarning, match="4 partitions' is loaded into memory as a whole"):
        model.fit(lazy[lazy[:, 0] < np.inf], labels)
