"""The influence of a sample is what a fit without it changes."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from mercer import (
    RBF,
    SVC,
    AutoRegressor,
    Constant,
    GaussianProcessRegressor,
    KernelNeighborsRegressor,
    KernelRidge,
    KernelRidgeClassifier,
    KernelRidgeCV,
    Linear,
    Spectrum,
    White,
    errors,
    feature_distance,
    influence,
)

RNG = np.random.default_rng(0)
X = RNG.standard_normal((25, 3))
Y = np.sin(X[:, 0]) + X[:, 1]
NEW = RNG.standard_normal((3, 3))
WEIGHT = RNG.uniform(0.5, 2.0, 25)
WITH_ZERO = np.where(np.arange(25) == 3, 0.0, WEIGHT)


@pytest.mark.parametrize(
    ("model", "y", "weight", "method"),
    [
        (KernelRidge(0.1, kernel=RBF()), Y, None, "predict"),
        (KernelRidge(0.1, kernel=RBF()), Y, WITH_ZERO, "predict"),
        (KernelRidge(0.1, kernel=RBF()), np.column_stack([Y, X[:, 0]]), None, "predict"),
        (KernelRidgeClassifier(0.1, kernel=RBF()), Y > 0, None, "decision_function"),
        (
            KernelRidgeClassifier(0.1, kernel=RBF()),
            np.digitize(Y, [-0.5, 0.5]),
            WEIGHT,
            "decision_function",
        ),
    ],
    ids=["ridge", "weighted", "two targets", "two classes", "three classes"],
)
def test_refits(model, y, weight, method):
    options = {} if weight is None else {"sample_weight": weight}
    model = clone(model).fit(X, y, **options)
    found = influence(model, NEW, **options)
    whole = getattr(model, method)(NEW)
    np.testing.assert_allclose(found.predictions, whole, atol=1e-12)
    for left_out in range(0, 25, 3):
        rest = np.arange(25) != left_out
        options = {} if weight is None else {"sample_weight": weight[rest]}
        other = clone(model).fit(X[rest], y[rest], **options)
        change = whole - getattr(other, method)(NEW)
        np.testing.assert_allclose(found.values[:, left_out], change, atol=1e-10)


def test_a_chosen_penalty_stays():
    model = KernelRidgeCV(kernel=RBF()).fit(X, Y)
    found = influence(model, NEW)
    other = KernelRidge(model.alpha_, kernel=RBF()).fit(X[1:], Y[1:])
    np.testing.assert_allclose(found.values[:, 0], model.predict(NEW) - other.predict(NEW))


def test_gaussian_processes():
    kernel = Constant(1.0) * RBF() + White()
    model = GaussianProcessRegressor(kernel=kernel, alpha=1e-3, normalize_y=True).fit(X, Y)
    found = influence(model, NEW)
    mean, scale = Y.mean(), Y.std()  # the units of the targets stay
    rest = GaussianProcessRegressor(kernel=model.kernel_, alpha=1e-3, optimizer=None)
    rest.fit(X[1:], (Y[1:] - mean) / scale)
    change = model.predict(NEW) - (mean + scale * rest.predict(NEW))
    np.testing.assert_allclose(found.values[:, 0], change, atol=1e-10)


def test_averages_of_ridge_regressions():
    model = AutoRegressor(time="fast").fit(X, Y)
    found = influence(model, NEW)
    inner = model.model_.model_
    Z, targets = inner.Z_[1:], ((Y - model.target_mean_) / model.target_scale_)[1:]
    rest = clone(inner).fit(Z, targets)
    left = model.target_mean_ + model.target_scale_ * rest.predict(model.model_.encode(NEW))
    np.testing.assert_allclose(found.values[:, 0], model.predict(NEW) - left, atol=1e-8)


LONGLEY = """60323 83.0 234289 2356 1590 107608, 61122 88.5 259426 2325 1456 108632,
60171 88.2 258054 3682 1616 109773, 61187 89.5 284599 3351 1650 110929,
63221 96.2 328975 2099 3099 112075, 63639 98.1 346999 1932 3594 113270,
64989 99.0 365385 1870 3547 115094, 63761 100.0 363112 3578 3350 116219,
66019 101.2 397469 2904 3048 117388, 67857 104.6 419180 2822 2857 118734,
68169 108.4 442769 2936 2798 120445, 66513 110.8 444546 4681 2637 121950,
68655 112.6 482704 3813 2552 123366, 69564 114.2 502601 3931 2514 125368,
69331 115.7 518173 4806 2572 127852, 70551 116.9 554894 4007 2827 130081"""


def test_the_distances_of_cook():
    """Longley's table: the values that statsmodels prints, and NIST's deviation of residuals."""
    table = np.array([row.split() for row in LONGLEY.split(",")], dtype=float)
    columns = np.column_stack([table[:, 1:], np.arange(1947, 1963)])
    columns = (columns - columns.mean(axis=0)) / columns.std(axis=0)
    model = KernelRidge(1e-7, kernel=Linear() + Constant()).fit(columns, table[:, 0])
    variance = np.sum((table[:, 0] - model.predict(columns)) ** 2) / (16 - 7)
    assert abs(np.sqrt(variance) - 304.854) < 1e-2  # as certified by NIST
    distances = (influence(model, columns).values ** 2).sum(axis=0) / (7 * variance)
    assert np.argsort(-distances)[:4].tolist() == [4, 15, 3, 9]
    assert distances[[4, 15, 3, 9]].round(4).tolist() == [0.6139, 0.4667, 0.2442, 0.2352]


def test_nearest():
    model = KernelRidge(0.1, kernel=RBF()).fit(X, Y)
    found = influence(model, NEW, nearest=4)
    distances = feature_distance(model.kernel_, NEW, X)
    order = np.argsort(distances, axis=1)[:, :4]
    np.testing.assert_array_equal(found.nearest, order)
    np.testing.assert_allclose(found.distances, np.take_along_axis(distances, order, axis=1))


def test_models_without_a_closed_form():
    model = SVC(kernel=RBF()).fit(X, Y > 0)
    found = influence(model, NEW)
    assert found.values is None and set(found.nearest.ravel()) <= set(model.support_)
    with pytest.raises(errors.ParameterError, match="no closed form"):
        found.most(0)
    assert "nearest" in str(found)
    for other in (
        KernelRidge(0.1, kernel=RBF(), centers=5),
        GaussianProcessRegressor(kernel=RBF(), method="sparse"),
        KernelRidgeClassifier(kernel=RBF(), class_weight="balanced"),
    ):
        targets = Y > 0 if isinstance(other, KernelRidgeClassifier) else Y
        assert influence(other.fit(X, targets), NEW).values is None


def test_strings_and_text():
    texts = ["acca", "acgt", "ttga", "tgat"]
    model = KernelRidge(0.1, kernel=Spectrum(2)).fit(texts, [1.0, 1.0, 0.0, 0.0])
    found = influence(model, ["acc"], nearest=2)
    assert found.most(0, count=1) == [0] and found.nearest[0, 0] == 0
    assert "changed most by: 0 (+" in str(found) and "<pre>" in found._repr_html_()
    assert found.to_dict()["nearest"] == found.nearest.tolist()
    assert len(found) == 1 and "values=(1, 4)" in repr(found)


def test_refused():
    model = KernelRidge(0.1, kernel=RBF())
    with pytest.raises(NotFittedError, match="not fitted"):
        influence(model, NEW)
    model.fit(X, Y)
    with pytest.raises(errors.EmptyInputError, match="nothing to explain"):
        influence(model, NEW[:0])
    with pytest.raises(errors.ParameterError, match="nearest"):
        influence(model, NEW, nearest=0)
    with pytest.raises(errors.InputTypeError, match="sum over training samples"):
        influence(KernelNeighborsRegressor(kernel=RBF()).fit(X, Y), NEW)
