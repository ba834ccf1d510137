"""scikit-learn's own checks of every estimator of the registry, with default parameters, and its
parameters with their defaults where it has the estimator too.

Other parameters are checked beside the other tests of an estimator.
"""

from __future__ import annotations

import importlib
import inspect
import re
import warnings

import numpy as np
import pytest
from contract.cases import ESTIMATORS, by_default, case
from contract.in_place import IN_PLACE
from scipy.sparse import issparse
from sklearn.base import RegressorMixin, is_clusterer
from sklearn.datasets import load_iris
from sklearn.utils.estimator_checks import parametrize_with_checks

import mercer


@parametrize_with_checks(
    [by_default(name) for name in ESTIMATORS],
    expected_failed_checks=lambda estimator: case(type(estimator).__name__).unlike,
    xfail_strict=False,
)
def test_scikit_learn_checks(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)


BOTH = [(module, name) for module, names in IN_PLACE.items() for name in names]
OTHER_DEFAULTS = {
    ("GaussianProcessRegressor", "optimizer"): "bfgs",
    ("GaussianProcessClassifier", "optimizer"): "bfgs",
    ("SVC", "probability"): False,  # deprecated by scikit-learn 1.8, which marks it by its default
    ("NuSVC", "probability"): False,
    ("SpectralClustering", "affinity"): "kernel",  # the parameter kernel, which is "rbf"
    ("SpectralClustering", "eigen_solver"): "auto",
}


@pytest.mark.parametrize(("module", "name"), BOTH)
def test_parameters_and_their_defaults_are_scikit_learns(module, name):
    theirs = inspect.signature(getattr(importlib.import_module(module), name)).parameters
    ours = inspect.signature(getattr(mercer, name)).parameters
    assert set(theirs) <= set(ours)
    for parameter, own in ours.items():
        if parameter not in theirs:
            assert own.kind is inspect.Parameter.KEYWORD_ONLY, parameter
            continue
        assert own.kind == theirs[parameter].kind, parameter
        default = OTHER_DEFAULTS.get((name, parameter), theirs[parameter].default)
        assert own.default == default, parameter


@pytest.mark.parametrize(("module", "name"), BOTH)
def test_the_parameters_of_scikit_learns_class_build_ours(module, name):
    """Its defaults are markers here and there, which mean the same."""
    cls = getattr(importlib.import_module(module), name)
    X, y = load_iris(return_X_y=True)
    X, y = X[:120], y[:120]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours, theirs = getattr(mercer, name)(**cls().get_params()).fit(X, y), cls().fit(X, y)
    assert hasattr(ours, "predict_proba") == hasattr(theirs, "predict_proba")


@pytest.mark.parametrize("name", ESTIMATORS)
def test_the_constant_of_polynomials_is_that_of_scikit_learns_relatives(name):
    """1 as in KernelRidge, KernelPCA and SpectralClustering, else 0 as in SVC."""
    model = by_default(name)
    if not hasattr(model, "coef0"):
        pytest.skip("has no parameter coef0")
    if name in ("Nystroem", "PolynomialCountSketch"):
        pytest.skip("has the default of scikit-learn's own")
    relatives = name.startswith("KernelRidge") and name != "KernelRidgeClassifier"
    projects = hasattr(model, "transform") and not hasattr(model, "predict")
    assert model.coef0 == (1.0 if relatives or projects or is_clusterer(model) else 0.0)


def attributes(cls):
    """The fitted attributes that the documentation of a class of scikit-learn lists."""
    section = inspect.getdoc(cls).split("Attributes\n----------\n")[1]
    section = re.split(r"\n\w[\w ]*\n---", section)[0]
    return re.findall(r"^(\w+_) :", section, re.MULTILINE)


# what a fit of scikit-learn leaves and one of mercer does not, and why not
WITHOUT = {("KernelDensity", "tree_"): "densities are summed without a tree"}


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize(("module", "name"), BOTH)
def test_fitted_attributes_are_scikit_learns(module, name, kernel):
    cls = getattr(importlib.import_module(module), name)
    X, y = load_iris(return_X_y=True)
    if issubclass(cls, RegressorMixin):
        y = y.astype(float)
    options = {}
    if {"coef0", "kernel"} <= set(inspect.signature(cls).parameters):
        options["kernel"] = kernel
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours, theirs = getattr(mercer, name)(**options).fit(X, y), cls(**options).fit(X, y)
        for attribute in attributes(cls):
            if not hasattr(theirs, attribute) or (name, attribute) in WITHOUT:
                continue
            assert hasattr(ours, attribute), attribute
            expected, got = getattr(theirs, attribute), getattr(ours, attribute)
            if issparse(expected):
                assert type(got) is type(expected), attribute
            if isinstance(expected, np.ndarray):
                assert isinstance(got, np.ndarray), attribute
                assert got.ndim == expected.ndim and got.dtype.kind == expected.dtype.kind, (
                    attribute
                )
