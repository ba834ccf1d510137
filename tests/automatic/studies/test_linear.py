"""The linear model that others are compared with."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import scipy.sparse as sp

from mercer.automatic.question import Question
from mercer.automatic.studies.linear import linear_scores


def test_a_linear_target_is_learned(studied):
    result = studied("numbers")
    mean, error = result.linear["r2"]
    assert mean > 0.95 and error > 0
    assert set(result.linear) == set(result.assessment.measured)


@pytest.mark.parametrize("kind", ["two", "three"])
def test_classes(studied, kind):
    mean, error = studied(kind).linear["accuracy"]
    assert 0.6 < mean <= 1.0 and error >= 0
    assert studied(kind).linear["auc"][0] > 0.7


def test_other_folds(studied):
    """Leave-one-out predictions have no folds, and a test file is one of its own."""
    result = studied("two")
    for folds in (0, 1):
        assessment = dataclasses.replace(result.assessment, folds=folds)
        scores = linear_scores(result.question, result.held_out, assessment, 0)
        assert 0.6 < scores["accuracy"][0] <= 1.0
        assert np.isnan(scores["accuracy"][1]) == (folds == 1)


def test_samples_without_columns_have_none(studied):
    result = studied("two")
    texts = [f"{a:.3f}" for a in result.question.X["a"]]
    question = dataclasses.replace(result.question, X=texts)
    assert linear_scores(question, question, result.assessment, 0) == {}
    assert linear_scores(result.question, result.held_out, None, 0) == {}
    only_text = result.question.X[["word"]].assign(
        word=[f"some words of row {row} that say nothing else" for row in range(90)]
    )
    question = dataclasses.replace(result.question, X=only_text)
    assert linear_scores(question, question, result.assessment, 0) == {}


def test_sparse_rows(studied):
    result = studied("two")
    X = sp.csr_matrix(result.question.X[["a", "b"]].to_numpy())
    question = Question(X, result.question.y, "y", "classification", np.arange(90), [])
    assert linear_scores(question, question, result.assessment, 0)["accuracy"][0] > 0.6


def test_a_column_without_values_is_left_out(studied):
    result = studied("two")
    question = dataclasses.replace(result.question, X=result.question.X.assign(empty=np.nan))
    scores = linear_scores(question, question, result.assessment, 0)
    assert scores["accuracy"] == result.linear["accuracy"]
