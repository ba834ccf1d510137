"""Why samples are predicted as they are: the columns, or parts, that contribute most."""

from __future__ import annotations

import numpy as np

from mercer.aliases import Estimator, RawSamples
from mercer.domains.base import pick_rows, raw_length
from mercer.errors import NotSeparableError
from mercer.explanations.explaining import explain_quickly
from mercer.explanations.explanation import Explanation
from mercer.explanations.formatting import largest_first
from mercer.explanations.parts import PartExplanation
from mercer.explanations.rows import column_names, is_table

_BACKGROUND = 50  # rows that others are compared with
_MOST_COLUMNS = 100  # of a table; more would take long
_NAMED = 3  # contributions of each sample


def reasons(model: Estimator, X: RawSamples, rows: np.ndarray) -> list[str]:
    """The largest contributions to the predictions of rows; none where they would take long."""
    if is_table(X) and len(column_names(X)) > _MOST_COLUMNS:
        return []
    count = raw_length(X)
    some = np.unique(np.linspace(0, count - 1, min(count, _BACKGROUND)).astype(int))
    try:
        explanation = explain_quickly(model, pick_rows(X, rows), pick_rows(X, some))
    except NotSeparableError:
        return []
    predicted = _predicted_places(model, pick_rows(X, rows))
    return [_reason(explanation, row, place) for row, place in enumerate(predicted)]


def _predicted_places(model: Estimator, X: RawSamples) -> list[int]:
    """The output of the predicted class, for each row; 0 where there is one output."""
    classes = [str(name) for name in getattr(model, "classes_", ())]
    if len(classes) < 3:
        return [0] * raw_length(X)
    return [classes.index(str(name)) for name in model.predict(X)]


def _reason(explanation: Explanation | PartExplanation, row: int, output: int) -> str:
    values, names = explanation.values[row], _names(explanation, row)
    if values.ndim == 2:
        values = values[:, output]
    places = largest_first(values, _NAMED)
    return ", ".join(f"{names[at]} {values[at]:+.3g}" for at in places)


def _names(explanation: Explanation | PartExplanation, row: int) -> list[str]:
    """The names of columns or of parts, with the positions of parts where labels are repeated."""
    if not isinstance(explanation, PartExplanation):
        return explanation.feature_names
    labels = explanation.labels[row]
    if len(set(labels)) == len(labels):
        return labels
    return [f"{label} ({at + 1})" for at, label in enumerate(labels)]
