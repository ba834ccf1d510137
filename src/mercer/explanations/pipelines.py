"""Pipelines whose first steps change every column on its own, such as a scaler."""

from __future__ import annotations

import dataclasses

import numpy as np
from sklearn.pipeline import Pipeline

from mercer.aliases import RawSamples
from mercer.domains.raw import pick_rows, raw_length
from mercer.explanations.functions import LearnedFunction, learned_function
from mercer.explanations.rows import as_matrix, is_table, mixed

_TRIED = 8  # rows that are put together from two, to see whether columns depend on one each


@learned_function.register
def _of_pipeline(model: Pipeline) -> LearnedFunction | None:
    """The function of the last step, of samples that the other steps have changed."""
    inner = learned_function(model.steps[-1][1])
    if inner is None or len(model.steps) == 1:
        return inner
    before, read = model[:-1], inner.read
    return dataclasses.replace(inner, read=lambda X: read(before.transform(X)))


def goes_by_columns(function: LearnedFunction, X: RawSamples, background: RawSamples) -> bool:
    """Whether every column, as the function reads it, depends on that column of X alone.

    It is tried on rows that are put together from one of X and one of the background.
    """
    rows, others = function.read(X), function.read(background)
    if not is_table(rows) or as_matrix(rows).shape[1] != as_matrix(X).shape[1]:
        return False
    rng = np.random.default_rng(0)
    explained = rng.integers(raw_length(X), size=_TRIED)
    drawn = rng.integers(raw_length(background), size=_TRIED)
    chosen = rng.random((_TRIED, as_matrix(X).shape[1])) < 0.5
    together = function.read(mixed(pick_rows(X, explained), pick_rows(background, drawn), chosen))
    apart = mixed(pick_rows(rows, explained), pick_rows(others, drawn), chosen)
    try:
        return bool(np.allclose(as_matrix(together), as_matrix(apart), equal_nan=True))
    except TypeError:  # columns of text
        return bool((as_matrix(together) == as_matrix(apart)).all())
