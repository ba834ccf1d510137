"""Progress of every fit."""

from __future__ import annotations

import numpy as np
import pytest
from contract.cases import case, every_estimator, fitted, samples, target, value
from sklearn.base import clone

import mercer
from mercer import LinearSVC, LinearSVR
from mercer.execution import progress

# those whose fit has neither tiles nor steps: it stores samples, counts, or takes one factor
QUICK = {
    *("KernelDensity", "KernelMap", "KernelNeighborsClassifier", "KernelNeighborsRegressor"),
    *("MCA", "Nystroem", "RBFSampler", "PolynomialCountSketch"),
    *("AdditiveChi2Sampler", "SkewedChi2Sampler"),
}


@every_estimator()
def test_progress_of_every_fit(name, monkeypatch, capsys):
    monkeypatch.setattr(progress, "_PATIENCE", -1.0)
    n, Z = 2 * case(name).many, samples(name, 20, 1)
    silent = value(fitted(name, n=n), Z)
    capsys.readouterr()
    with mercer.config_context(progress=True):
        model = fitted(name, n=n)
    shown = capsys.readouterr().err
    np.testing.assert_array_equal(value(model, Z), silent)
    assert ("tile" in shown or "step" in shown) or name in QUICK


@pytest.mark.parametrize("name", ["GaussianProcessRegressor", "KernelLogisticRegression"])
def test_steps_of_solvers_are_shown(name, monkeypatch, capsys):
    monkeypatch.setattr(progress, "_PATIENCE", -1.0)
    X = np.random.default_rng(0).standard_normal((300, 2))
    y = np.sin(X[:, 0])
    if name == "KernelLogisticRegression":
        y = y > 0
    with mercer.config_context(progress=True):
        getattr(mercer, name)().fit(X, y)
    assert f"{name}: " in capsys.readouterr().err


MACHINES = [
    LinearSVC(loss="hinge"),
    LinearSVC(penalty="l1"),
    LinearSVC(multi_class="crammer_singer"),
    LinearSVC(),
    LinearSVR(),
]


@pytest.mark.parametrize("model", MACHINES, ids=repr)
def test_rounds_of_linear_machines_are_shown(model, monkeypatch, capsys):
    monkeypatch.setattr(progress, "_PATIENCE", -1.0)
    X, y = samples("LinearSVC", 200), target("LinearSVC", 200)
    with mercer.config_context(progress=True):
        clone(model).fit(X, y if isinstance(model, LinearSVC) else X[:, 0])
    assert f"{type(model).__name__}: " in capsys.readouterr().err
