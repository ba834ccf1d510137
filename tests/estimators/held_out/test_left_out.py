"""Models without groups of rows, as files hold them."""

from __future__ import annotations

import copy
import dataclasses

import numpy as np
import pytest

import mercer
from mercer import RBF, SVC, ConformalClassifier, ConformalRegressor, KernelRidge
from mercer.errors import ModelFileError

X = np.random.default_rng(0).standard_normal((30, 2))


def refused(model, folder, **wrong):
    """Saved with other arrays than a fit would leave, and loaded."""
    changed = copy.copy(model)
    for name, value in wrong.items():
        setattr(changed, name, value)
    mercer.save(changed, folder / "model")
    with pytest.raises(ModelFileError):
        mercer.load(folder / "model")


def test_files_that_contradict_themselves(tmp_path):
    model = ConformalRegressor(KernelRidge(kernel=RBF())).fit(X, X[:, 0])
    form = model.left_out_
    for name, value in (
        ("projector", form.projector[:-1]),
        ("offset", form.offset[:-1]),
        ("steps", form.steps[:-1]),
        ("groups", form.groups + 1),
    ):
        refused(model, tmp_path, left_out_=dataclasses.replace(form, **{name: value}))
    refused(model, tmp_path, scores_=model.scores_[:-1])
    folds = ConformalRegressor(KernelRidge(), "cv+", cv=3, refit=True).fit(X, X[:, 0])
    few = dataclasses.replace(folds.left_out_, models=folds.left_out_.models[:2])
    refused(folds, tmp_path, left_out_=few)
    classifier = ConformalClassifier(SVC()).fit(X, X[:, 0] > 0)
    refused(classifier, tmp_path, labels_=classifier.labels_ + 1)
    refused(classifier, tmp_path, labels_=classifier.labels_[:-1])
