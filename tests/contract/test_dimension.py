"""Claims that hold in few dimensions only: whoever asks, asks in the dimension of the samples."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pandas as pd
import pytest
from contract.cases import every_estimator, make, numbers, samples, target

import mercer
from mercer import (
    RBF,
    Completions,
    Conformal,
    DistanceCosine,
    Imputed,
    MeanEmbedding,
    MissingAware,
    ModeFilled,
    PowerSeries,
    Wendland,
    errors,
)
from mercer.kernels import catalogue
from mercer.kernels.functions import arctan, row_sums

LIMITED = [
    kernel
    for cls in catalogue().values()
    for kernel in cls.examples()
    if not kernel.children() and math.isfinite(kernel.certificate().where.max_dim)
]
WRAPPERS = {
    "itself": lambda k: k,
    "multiple": lambda k: 2.0 * k,
    "sum": lambda k: k + RBF(length_scale=3.0),
    "product": lambda k: k * RBF(length_scale=30.0),
    "power": lambda k: k**2,
    "exp": lambda k: k.exp(),
    "series": lambda k: PowerSeries(k, [0.5, 1.0]),
    "center": lambda k: k.center(),
    "normalize": lambda k: k.normalize(),
    "conformal": lambda k: Conformal(k, row_sums),
    "columns": lambda k: k.on([0, 1, 2, 3]),
    "slice": lambda k: k.on(slice(0, 4)),
    "function": lambda k: k @ arctan,
    "missing": MissingAware,
    "completions": Completions,
    "imputed": Imputed,
    "filled": ModeFilled,
    "nested": lambda k: (0.5 * (k @ arctan)).center() + RBF(),
}


def wrappers():
    return pytest.mark.parametrize("wrap", WRAPPERS.values(), ids=WRAPPERS)


def test_there_are_such_kernels():
    assert {type(kernel).__name__ for kernel in LIMITED} >= {"Bessel", "DistanceCosine", "Wendland"}


@wrappers()
@pytest.mark.parametrize("kernel", LIMITED, ids=repr)
def test_no_claim_beyond_the_dimension(kernel, wrap):
    limit = int(kernel.certificate().where.max_dim)
    rng = np.random.default_rng(0)
    for d in sorted({4, limit, limit + 1, 9}):
        wrapped = wrap(kernel.copy())
        looks_at = min(d, 4) if "columns" in wrapped.get_params() else d
        if d < 4 and looks_at < 4 and ".on" in repr(wrapped):
            continue  # the wrappers that take columns take four
        X = rng.uniform(-1, 1, (12, d))
        assert wrapped.fit(X).certificate().cpd == (looks_at <= limit), d
        assert wrap(kernel.copy()).certificate(d).cpd == (looks_at <= limit), d


@wrappers()
def test_a_learner_refuses(wrap):
    X = 4.0 * numbers(60)
    y = (X[:, 0] > 0).astype(int)
    kernel = wrap(DistanceCosine())
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            model = mercer.SVC(kernel=kernel).fit(X, y)
        except errors.DefinitenessError:
            return
    # powers and exponentials of it may be positive on these samples: then the model says so
    assert any(issubclass(w.category, errors.DefinitenessWarning) for w in caught)
    assert model.report_.status == "unknown"


@every_estimator("kernel")
def test_every_estimator_asks(name):
    X = 4.0 * samples(name)
    if name != "ImputedVote" and getattr(make(name), "needs", "any") == "any":
        pytest.skip("it needs no positive kernel")
    with pytest.raises(errors.DefinitenessError, match="< 0"):
        make(name, DistanceCosine()).fit(X, target(name))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", errors.DefinitenessWarning)
        make(name, DistanceCosine().on([0])).fit(X, target(name))


def test_bags_and_columns_of_bags():
    rng = np.random.default_rng(0)
    flat = [4.0 * rng.standard_normal((5, 1)) for _ in range(30)]
    wide = [4.0 * rng.standard_normal((5, 2)) for _ in range(30)]
    y = np.arange(30) % 2
    kernel = MeanEmbedding(DistanceCosine())
    assert mercer.SVC(kernel=kernel).fit(flat, y).report_.status == "psd"
    with pytest.raises(errors.DefinitenessError, match="< 0"):
        mercer.SVC(kernel=kernel).fit(wide, y)
    column = kernel.on("bag")
    assert column.copy().fit(pd.DataFrame({"bag": flat})).certificate().psd
    assert not column.copy().fit(pd.DataFrame({"bag": wide})).certificate().psd


def test_the_image_of_a_function_counts():
    X = 4.0 * numbers(40)
    y = (X[:, 0] > 0).astype(int)
    flat = DistanceCosine() @ (lambda X: np.asarray(X)[:, :1])
    assert mercer.SVC(kernel=flat).fit(X, y).report_.status == "psd"
    wide = DistanceCosine() @ (lambda X: np.repeat(np.asarray(X)[:, :1], 2, axis=1) ** [1, 2])
    with pytest.raises(errors.DefinitenessError, match="< 0"):
        mercer.SVC(kernel=wide).fit(X[:, :1], y)


def test_one_hot_is_as_wide_as_its_categories():
    kernel = Wendland(dimension=1) @ "one_hot"
    colors = [["red"], ["green"], ["blue"], ["black"]] * 3
    assert kernel.certificate(1).status == "unknown"
    assert kernel.fit(colors).certificate().status == "unknown"


def test_a_witness_on_columns_is_a_witness():
    for columns in ([1, 3], slice(1, None), [-1, 0], ["a", "b"]):
        kernel = DistanceCosine().on(columns)
        d = 3 if isinstance(columns, slice) else None
        witness = kernel.certificate(d).witness
        c = np.asarray(witness.coefficients)
        assert c @ kernel(witness.points) @ c == pytest.approx(witness.value)
    assert DistanceCosine().on([0, 0]).certificate().status == "unknown"


def test_saved_models_say_it_too(tmp_path):
    X = numbers(30)
    y = (X[:, 0] > 0).astype(int)
    with pytest.warns(errors.DefinitenessWarning):
        model = mercer.SVC(kernel=Wendland(dimension=1)).fit(X, y)
    mercer.save(model, tmp_path / "model.mercer")
    loaded = mercer.load(tmp_path / "model.mercer")
    assert loaded.report_.status == model.report_.status == "unknown"
    assert "R^4" in str(loaded.kernel_.certificate())


def test_a_dimension_that_was_given_counts_more():
    kernel = DistanceCosine().fit(numbers(5))
    assert kernel.certificate().status == "indefinite"
    assert kernel.certificate(1).status == "psd"


def test_kernels_without_a_limit_are_not_fitted_twice(monkeypatch):
    calls = []
    original = RBF.fit_batch
    monkeypatch.setattr(RBF, "fit_batch", lambda self, b: calls.append(1) or original(self, b))
    X = numbers(30)
    mercer.SVC(kernel=RBF()).fit(X, (X[:, 0] > 0).astype(int))
    assert len(calls) == 1


def _graphs(d):
    rng = np.random.default_rng(0)
    path = [(0, 1), (1, 2), (2, 3)]
    attributes = 4.0 * rng.standard_normal((16, 4, d))
    return [{"edges": path, "n_nodes": 4, "attributes": rows} for rows in attributes]


@pytest.mark.parametrize("graph_kernel", [mercer.ShortestPaths, mercer.GraphHopper])
def test_attributes_of_nodes_count(graph_kernel):
    y = np.arange(16) % 2
    kernel = graph_kernel(node=Wendland())
    assert kernel.certificate().where.max_dim == 3
    assert "d ≤ 3" in str(kernel.certificate().where)
    assert mercer.SVC(kernel=kernel).fit(_graphs(3), y).report_.status == "psd"
    with pytest.warns(
        errors.DefinitenessWarning, match=r"Wendland\(\) is not known .* on R\^5, as"
    ):
        assert mercer.SVC(kernel=kernel).fit(_graphs(5), y).report_.status == "unknown"


def test_conditions_of_the_kernel_on_attributes_hold_for_the_graphs():
    kernel = mercer.ShortestPaths(node=mercer.Spline(), length=mercer.Brownian())
    assert "x ≥ 0" in str(kernel.certificate().where)
    assert str(mercer.ShortestPaths(length=RBF()).certificate().where) == "graphs"
    kernel = mercer.ShortestPaths(length=DistanceCosine())  # distances are numbers on a line
    assert math.isinf(kernel.certificate().where.max_dim)
    assert kernel.certificate().psd
