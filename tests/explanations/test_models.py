"""Every family of models: the values are the Shapley values of what the model computes."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from naive.shapley import shapley
from sklearn import svm as peer
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import (
    RBF,
    RVC,
    RVR,
    SVC,
    SVDD,
    SVR,
    Constant,
    GaussianProcessClassifier,
    GaussianProcessRegressor,
    KernelDiscriminant,
    KernelLogisticRegression,
    KernelNeighborsRegressor,
    KernelQuantileRegressor,
    KernelRidge,
    KernelRidgeClassifier,
    KernelRidgeCV,
    Laplacian,
    LinearSVC,
    LinearSVR,
    LocalModels,
    MultipleKernelClassifier,
    MultipleKernelRegressor,
    NuSVC,
    NuSVR,
    OneClassSVM,
    White,
    explain,
)

RNG = np.random.default_rng(0)
X = RNG.standard_normal((60, 4))
NUMBERS = np.sin(X[:, 0]) + X[:, 1] * X[:, 2]
TWO, THREE = (NUMBERS > 0).astype(int), np.digitize(NUMBERS, [-0.5, 0.5])
BACKGROUND, ROWS = X[:6], X[10:12]

MODELS = [
    (KernelRidge(0.1, kernel=RBF(2.0)), NUMBERS, "predict"),
    (KernelRidge(0.1, kernel="rbf"), np.column_stack([NUMBERS, X[:, 0]]), "predict"),
    (KernelRidge(0.1, kernel="linear"), NUMBERS, "predict"),
    (KernelRidge(0.1, kernel="polynomial"), NUMBERS, "predict"),
    (KernelRidge(0.1, kernel=RBF(), centers=20), NUMBERS, "predict"),
    (KernelRidgeCV(kernel=RBF()), NUMBERS, "predict"),
    (SVR(kernel=Laplacian(2.0)), NUMBERS, "predict"),
    (NuSVR(kernel=RBF()), NUMBERS, "predict"),
    (SVC(kernel=RBF([1.0, 2.0, 3.0, 4.0])), TWO, "decision_function"),
    (NuSVC(kernel=RBF(), nu=0.3), TWO, "decision_function"),
    (OneClassSVM(kernel=RBF()), NUMBERS, "decision_function"),
    (RVR(kernel=RBF()), NUMBERS, "predict"),
    (LinearSVC(), THREE, "decision_function"),
    (LinearSVR(), NUMBERS, "predict"),
    (KernelLogisticRegression(kernel=RBF()), TWO, "decision_function"),
    (KernelLogisticRegression(kernel=RBF()), THREE, "decision_function"),
    (KernelDiscriminant(kernel=RBF()), TWO, "decision_function"),
    (KernelDiscriminant(kernel=RBF()), THREE, "decision_function"),
    (KernelRidgeClassifier(kernel=RBF()), THREE, "decision_function"),
    (KernelQuantileRegressor(kernel=RBF()), NUMBERS, "predict"),
    (MultipleKernelRegressor([RBF().on([0]), RBF().on([1, 2])]), NUMBERS, "predict"),
    (MultipleKernelClassifier([RBF().on([0]), RBF().on([1, 2])]), TWO, "decision_function"),
    (
        GaussianProcessRegressor(kernel=Constant(2.0) * RBF() + White(), normalize_y=True),
        NUMBERS,
        "predict",
    ),
    (make_pipeline(StandardScaler(), SVR(kernel=RBF())), NUMBERS, "predict"),
]


@pytest.mark.parametrize(
    ("model", "y", "method"), MODELS, ids=lambda value: getattr(type(value), "__name__", "")
)
def test_exact(model, y, method):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, y)
    found = explain(model, ROWS, background=BACKGROUND)
    function = getattr(model, method)
    assert found.method == "exact" and np.all(found.error == 0)
    np.testing.assert_allclose(
        found.values, shapley(function, ROWS, BACKGROUND), rtol=1e-8, atol=1e-10
    )
    total = found.values.sum(axis=1) + found.base_values
    np.testing.assert_allclose(total, function(ROWS), rtol=1e-8, atol=1e-9)
    if found.values.ndim == 3:
        assert len(found.output_names) == found.values.shape[2]


def test_latent_functions():
    model = GaussianProcessClassifier(kernel=RBF(), optimizer=None).fit(X, TWO)
    found = explain(model, ROWS, background=BACKGROUND)
    expected = shapley(lambda Z: model.latent_mean_and_variance(Z)[0], ROWS, BACKGROUND)
    np.testing.assert_allclose(found.values, expected, atol=1e-10)
    for multi_class in ("one_vs_rest", "multinomial"):
        model = GaussianProcessClassifier(kernel=RBF(), optimizer=None, multi_class=multi_class)
        found = explain(model.fit(X, THREE), ROWS, background=BACKGROUND)
        assert found.values.shape == (2, 4, 3) and found.method == "exact"
    found = explain(RVC(kernel=RBF()).fit(X, TWO), ROWS, background=BACKGROUND)
    assert (found.method, found.quantity) == ("exact", "latent mean of 1 against 0")


def test_pairs_of_classes_are_summed():
    model = SVC(kernel=RBF(), decision_function_shape="ovo").fit(X, THREE)

    def summed(Z):
        first, second, third = model.decision_function(Z).T  # of (0, 1), (0, 2) and (1, 2)
        return np.column_stack([first + second, third - first, -second - third])

    found = explain(model, ROWS, background=BACKGROUND)
    np.testing.assert_allclose(found.values, shapley(summed, ROWS, BACKGROUND), atol=1e-10)
    assert found.output_names == ["0", "1", "2"]


@pytest.mark.parametrize(
    ("model", "y", "method"),
    [
        (KernelNeighborsRegressor(kernel=RBF()), NUMBERS, "predict"),
        (LocalModels(KernelRidge(0.1, kernel=RBF()), most=30), NUMBERS, "predict"),
        (SVR(kernel="sigmoid"), NUMBERS, "predict"),
        (SVDD(kernel=RBF() + RBF(2.0)), NUMBERS, "decision_function"),
        (make_pipeline(PCA(), SVR(kernel=RBF())), NUMBERS, "predict"),
        (peer.SVC(), TWO, "decision_function"),
    ],
    ids=["neighbors", "local", "sigmoid", "svdd", "pipeline", "scikit-learn"],
)
def test_other_models_are_sampled(model, y, method):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, y)
    found = explain(model, ROWS, background=BACKGROUND, samples=300)
    function = getattr(model, method)
    expected = shapley(function, ROWS, BACKGROUND)
    assert found.method == "sampling"
    assert np.abs(found.values - expected).max() <= 5 * found.error.max() + 1e-12
    total = found.values.sum(axis=1) + found.base_values
    np.testing.assert_allclose(total, function(ROWS), atol=1e-10)


def test_functions_are_sampled():
    found = explain(lambda Z: Z[:, 0] * Z[:, 1], ROWS, background=BACKGROUND)
    expected = shapley(lambda Z: Z[:, 0] * Z[:, 1], ROWS, BACKGROUND)
    assert np.abs(found.values - expected).max() <= 4 * found.error.max()
    assert np.all(found.values[:, 2:] == 0)
