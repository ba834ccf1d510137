"""A linear model on the same folds: what a model with a kernel has to be better than."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression, RidgeCV

from mercer.aliases import Estimator, RawSamples
from mercer.automatic.assessment import Assessment, predict
from mercer.automatic.metrics import Reference
from mercer.automatic.question import Question
from mercer.automatic.subsets import split_folds
from mercer.automatic.tabular.scores import TableScores
from mercer.domains.base import pick_rows
from mercer.proposals.tables import TableColumn, read_columns

_ALPHAS = 10.0 ** np.arange(-3.0, 4.0)
_FOLDS = 5
_READ = ("number", "category", "date")  # columns that a linear model can use
Scores = dict[str, tuple[float, float]]  # the mean and the standard error of each metric


def linear_scores(
    question: Question, held_out: Question, assessment: Assessment | None, seed: int
) -> Scores:
    """All metrics of a linear model of the same columns; none where samples have no columns.

    Ridge regression or logistic regression reads robust scores of numbers and indicators of
    categories.
    """
    if assessment is None or not _has_columns(question.X):
        return {}
    if assessment.folds > 1 and len(assessment.fold) < len(question.y):
        return {}  # the time was over before the last folds
    columns = []
    if hasattr(question.X, "columns"):
        known = question.X.loc[:, question.X.notna().any()]
        columns = [each for each in read_columns(known) if each.kind in _READ]
        if not columns:
            return {}
    reference = Reference(question.y, question.task)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rows = [
            reference.measure(predict(model, Z, y, reference))
            for model, Z, y in _fits(question, held_out, assessment, columns, seed)
        ]
    factor = 1.0 / len(rows) + 1.0 / max(len(rows) - 1, 1)  # as of overlapping training sets
    results = {}
    for name in rows[0]:
        values = np.array([row[name] for row in rows])
        values = values[np.isfinite(values)]
        if len(values) == 0:
            continue
        error = float("nan")
        if len(values) > 1:
            error = float(np.sqrt(factor * values.var(ddof=1)))
        results[name] = (float(values.mean()), error)
    return results


def _has_columns(X: RawSamples) -> bool:
    return hasattr(X, "columns") or sparse.issparse(X)


def _fits(
    question: Question,
    held_out: Question,
    assessment: Assessment,
    columns: list[TableColumn],
    seed: int,
) -> Iterator[tuple[Estimator, RawSamples, np.ndarray]]:
    """Fitted models, each with the held-out samples that it is judged by."""
    if assessment.folds == 1:  # a test file
        encode = _Encoder(columns).fit(question.X)
        model = _model(question.task).fit(encode(question.X), question.y)
        yield model, encode(held_out.X), held_out.y
        return
    X, y = question.X, question.y
    if assessment.folds == 0:  # leave-one-out predictions have no folds
        parts = split_folds(y, question.task == "classification", _FOLDS, seed)
    else:
        places = range(assessment.folds)
        parts = [
            (np.flatnonzero(assessment.fold != at), np.flatnonzero(assessment.fold == at))
            for at in places
        ]
    for train, test in parts:
        known = pick_rows(X, train)
        encode = _Encoder(columns).fit(known)
        if question.task == "classification" and len(np.unique(y[train])) < 2:
            continue
        yield (
            _model(question.task).fit(encode(known), y[train]),
            encode(pick_rows(X, test)),
            y[test],
        )


def _model(task: str) -> Estimator:
    if task == "classification":
        return LogisticRegression(max_iter=2000)
    return RidgeCV(_ALPHAS)


class _Encoder:
    """Scores of the columns of a table; other rows of numbers as they are."""

    def __init__(self, columns: list[TableColumn]) -> None:
        self.columns = columns
        self.scores: TableScores | None = None

    def fit(self, X: RawSamples) -> _Encoder:
        if self.columns:
            self.scores = TableScores(self.columns, (), "squash").fit(X)
        return self

    def __call__(self, X: RawSamples) -> RawSamples:
        return X if self.scores is None else self.scores(X)
