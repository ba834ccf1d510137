"""Samples that are all equal are told: a model of them predicts a constant."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from contract.cases import ESTIMATORS, make, samples, target
from scipy.sparse import csr_array

from mercer import SVC, GaussianProcessRegressor, KernelRidge, LinearSVC, LinearSVR, Spectrum
from mercer.errors import DataWarning

SILENT = {
    "KernelDensity",  # equal samples have a density
    "MCA",  # its map keeps nothing of columns that do not vary
    "AdditiveChi2Sampler",  # features of a row do not depend on the others
    "PolynomialCountSketch",
    "RBFSampler",
    "SkewedChi2Sampler",
}


def said_of(model, X, y):
    """What a fit says of equal samples, as a warning or an error."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            model.fit(X, y)
        except ValueError as error:
            return [str(error)]
    return [str(w.message) for w in caught if w.category is DataWarning]


@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_estimator(name):
    X = np.repeat(samples(name)[:1], 60, axis=0)
    said = said_of(make(name), X, target(name))
    assert (len(said) > 0) == (name not in SILENT)


@pytest.mark.parametrize(
    "samples_of",
    [csr_array, pd.DataFrame, pl.DataFrame, lambda X: X.astype(np.float32), lambda X: X @ X.T],
    ids=["sparse", "pandas", "polars", "float32", "matrix"],
)
def test_kinds_of_samples(samples_of):
    X = np.full((20, 3), 2.5)
    K = samples_of(X)
    kernel = "precomputed" if K.shape == (20, 20) else "rbf"
    model = SVC(kernel=kernel)
    with pytest.warns(DataWarning, match="all 20 samples of X are equal"):
        model.fit(K, np.arange(20) % 2)


def test_strings_and_weights_and_linear_machines():
    y = np.arange(20) % 2
    with pytest.warns(DataWarning, match="all 20 samples of X are equal"):
        KernelRidge(kernel=Spectrum(2)).fit(["abab"] * 20, y)
    X = np.full((20, 3), 2.5)
    for model in (LinearSVC(), LinearSVR(), GaussianProcessRegressor()):
        with pytest.warns(DataWarning, match="all 20 samples of X are equal"):
            model.fit(X, y)
    X[3] += 1.0
    with pytest.warns(DataWarning, match="all 19 samples of X are equal"):
        KernelRidge().fit(X, y, sample_weight=np.arange(20) != 3)


def test_samples_that_differ_say_nothing():
    X = np.full((20, 3), 2.5)
    X[7, 1] = 2.51
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        KernelRidge(kernel="linear").fit(X, X[:, 1])
        KernelRidge(kernel=Spectrum(2)).fit(["abab", "abab", "ba", "abab"], np.arange(4.0))
        KernelRidge().fit(X[:1], X[:1, 0])
