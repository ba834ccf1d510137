"""Training samples that are read once: the same predictions whatever was predicted before, and
nothing kept too long.
"""

from __future__ import annotations

import copy
import gc
import pickle
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest

from mercer import (
    RBF,
    SVC,
    GaussianProcessRegressor,
    Jaccard,
    KernelRidge,
    MeanEmbedding,
    MissingAware,
    Overlap,
    Spectrum,
    TfIdf,
    White,
)
from mercer.estimators.common import prepared as sides

TEXTS = [
    "crude oil prices",
    "oil exports rise",
    "wheat and corn",
    "corn prices fall",
    "barley",
    "oil tanker",
    "grain and wheat",
    "crude",
]
NEW = ["oil and zinc", "zinc tin zinc", "corn", "tin wheat tin", ""]
TABLE = pd.DataFrame({"a": list("xyzxyzxy"), "b": [None, *"uvuvuvu"]})
NEW_TABLE = pd.DataFrame({"a": list("xqrqz"), "b": ["u", "w", None, "w", "v"]})
CASES = {
    "words": (TfIdf(), TEXTS, NEW),
    "substrings": (Spectrum(length=2), TEXTS, NEW),
    "sets": (Jaccard(), [set(t.split()) for t in TEXTS], [set(t.split()) for t in NEW]),
    "categories": (Overlap(), TABLE[["a"]], NEW_TABLE[["a"]]),
    "holes": (MissingAware(Overlap()), TABLE, NEW_TABLE),
    "bags": (
        MeanEmbedding(Spectrum(length=2)),
        [t.split() or [""] for t in TEXTS],
        [t.split() or [""] for t in NEW],
    ),
}
every_case = pytest.mark.parametrize(("kernel", "X", "new"), CASES.values(), ids=CASES.keys())


def rows(X, at):
    return X.iloc[at] if hasattr(X, "iloc") else [X[i] for i in at]


def fitted(kernel, X):
    return KernelRidge(kernel=kernel, alpha=0.1).fit(X, np.arange(8.0))


@every_case
def test_what_was_predicted_before_leaves_no_trace(kernel, X, new):
    expected = fitted(kernel, X).predict(new)
    model = fitted(kernel, X)
    for at in ([4, 1], [0], [3, 2, 0], [1]):
        np.testing.assert_allclose(model.predict(rows(new, at)), expected[at], rtol=1e-12)
    np.testing.assert_array_equal(model.predict(new), expected)
    read = sides._READ[id(model.kernel_)]
    before = pickle.dumps([s.__dict__ for s in read._samples.values()])
    model.predict(new)
    assert pickle.dumps([s.__dict__ for s in read._samples.values()]) == before


@every_case
def test_predictions_of_many_threads(kernel, X, new):
    expected = [fitted(kernel, X).predict(rows(new, [i])) for i in range(5)]
    model = fitted(kernel, X)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda i: model.predict(rows(new, [i % 5])), range(40)))
    for i, values in enumerate(found):
        np.testing.assert_array_equal(values, expected[i % 5])


def test_nothing_outlives_the_model_or_is_stored_with_it():
    model = fitted(TfIdf(), TEXTS)
    size = len(pickle.dumps(model))
    model.predict(NEW)
    assert len(pickle.dumps(model)) == size
    read = weakref.ref(sides._READ[id(model.kernel_)].encode(model.kernel_.domain))
    del model
    gc.collect()
    assert read() is None


@every_case
def test_every_model_is_freed(kernel, X, new):
    before = len(sides._READ)
    for _ in range(3):
        fitted(kernel.copy(), X).predict(new)
    gc.collect()
    assert len(sides._READ) <= before


def test_other_training_samples_are_read_anew():
    model = fitted(Spectrum(length=2), TEXTS)
    model.predict(NEW)
    model.fit(TEXTS[::-1], np.arange(8.0))
    np.testing.assert_array_equal(
        model.predict(NEW), fitted(Spectrum(length=2), TEXTS[::-1]).predict(NEW)
    )
    other = copy.deepcopy(model)
    np.testing.assert_array_equal(other.predict(NEW), model.predict(NEW))


def test_numbers_are_not_kept():
    X = np.random.default_rng(0).standard_normal((20, 2))
    model = SVC(kernel=RBF()).fit(X, X[:, 0] > 0)
    model.predict(X)
    assert id(model.kernel_) not in sides._READ


def test_noise_is_of_the_sample_also_where_it_is_read_once():
    """A new sample equal to one of training does not share its noise."""
    kernel = 1.0 * Spectrum(length=2).normalize() + 0.5 * White()
    process = GaussianProcessRegressor(kernel, optimizer=None).fit(TEXTS, np.arange(8.0))
    first, std = process.predict(TEXTS, return_std=True)
    again, _ = process.predict(list(TEXTS), return_std=True)
    np.testing.assert_array_equal(first, again)
    K = Spectrum(length=2).normalize()(TEXTS)
    np.testing.assert_allclose(
        first, K @ np.linalg.solve(K + 0.5 * np.eye(8), np.arange(8.0)), rtol=1e-9
    )
    assert (std > 0).all()
