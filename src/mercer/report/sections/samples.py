"""Samples that explain the model: typical ones, those predicted worst, support vectors."""

from __future__ import annotations

import numpy as np

from mercer.automatic.question import Question
from mercer.automatic.study import Study
from mercer.domains.base import pick_rows, raw_length
from mercer.domains.raw import dense_numbers
from mercer.report.elements import cell, plain, section, table
from mercer.report.formatting import sample_text, shorten
from mercer.report.reasons import reasons

_MOST_COLUMNS = 8  # of a sample that are shown in a table
_NEAR, _PULL = "most similar training samples", "largest contributions"
_FROM_ONE = "Rows of the data are counted from 1."
_FROM_ONE_IN_TEST = "Rows are those of the test file, counted from 1."


def typical(study: Study) -> str:
    """The samples that are most like the others of their class."""
    if not study.typical:
        return ""
    rows = np.array([each.row for each in study.typical])
    header, cells = _sample_cells(study, study.question, rows)
    lines = []
    for each, shown in zip(study.typical, cells, strict=True):
        target = plain(study.question.y[each.row])
        name = row_name(study.question, each.row)
        lines.append([name, target, f"{each.similarity:.2f}", *shown])
    whose = "all others"
    if study.is_classification:
        whose = "the others of their class"
    text = f"Samples that are most similar to {whose}, by the kernel. {_FROM_ONE}"
    header = ["row", study.question.target, "mean similarity", *header]
    content = f"<p>{text}</p>{table(header, lines, numbers=(0, 2))}"
    return section("Most typical samples", content, ' id="typical"')


def predicted_worst(study: Study) -> str:
    """The samples predicted worst, with what the most similar training samples are."""
    if study.assessment is None or not study.hardest:
        return ""
    question = study.held_out
    y, predicted = question.y, study.assessment.predicted[0]
    text, measure = "Samples with the largest residuals", "true − predicted"
    number = "{:+.4g}"
    if study.is_classification:
        text, measure = "Samples whose own class got the smallest probability", "p(true class)"
        number = "{:.3f}"
    worst = np.array([row for row, _ in study.hardest])
    header, cells = _sample_cells(study, question, worst)
    why, reason_cells = _reasons(study, worst)
    rows = []
    for (row, value), reason, shown in zip(study.hardest, reason_cells, cells, strict=True):
        targets = plain(y[row]), plain(predicted[row])
        rows.append([row_name(question, row), *targets, number.format(value), *reason, *shown])
    extra = len(header) if _PULL in why else 0  # the most important ones are among the reasons
    header = ["row", "true", "predicted", measure, *why, *header]
    of_test_file = study.assessment.folds == 1
    text += ", when they were not in the training set. "
    text += f"{_FROM_ONE_IN_TEST if of_test_file else _FROM_ONE} "
    text += "Wrong labels are often among them."
    if _PULL in why:
        text += (
            " Contributions are those to the final model's decision function, log-odds or "
            "prediction, compared with the mean over the data."
        )
    content = f"<p>{text}</p>{table(header, rows, numbers=(0, 3), extra=extra)}"
    return section("Samples predicted worst", content, ' id="examples"')


def _reasons(study: Study, worst: np.ndarray) -> tuple[list[str], list[list[str]]]:
    """What is known of why samples were predicted badly: a header, and cells for each sample."""
    header, columns = [], []
    if study.reasons:
        header.append(_NEAR)
        columns.append([study.reasons.get(int(row), "") for row in worst])
    X = study.held_out.X
    if hasattr(X, "columns"):
        X = X[list(study.question.X.columns)]
    pulls = reasons(study.model, X, worst)
    if pulls:
        header.append(_PULL)
        columns.append(pulls)
    return header, [list(cells) for cells in zip(*columns, strict=True)] or [[] for _ in worst]


def support_vectors(study: Study) -> str:
    """The samples with the largest weights, of models that are sums over samples."""
    model, question = study.model.model_, study.question
    if not hasattr(model, "support_") or not hasattr(model, "dual_coef_"):
        return ""
    # the model is one of the standardized target
    scale = getattr(study.model, "target_scale_", 1.0)
    weights = scale * np.abs(np.atleast_2d(dense_numbers(model.dual_coef_))).sum(axis=0)
    if len(weights) != len(model.support_):
        return ""
    order = np.argsort(-weights, kind="stable")[:8]
    support = np.asarray(model.support_)[order]
    header, cells = _sample_cells(study, question, support)
    rows = []
    for weight, row, shown in zip(weights[order], support, cells, strict=True):
        target = plain(question.y[row])
        rows.append([row_name(question, row), target, f"{weight:.3g}", *shown])
    shown_rows = table(["row", question.target, "weight", *header], rows, numbers=(0, 2))
    n_samples, n_support = raw_length(question.X), len(model.support_)
    text = (
        f"The decision function is a weighted sum over {n_support:,} of the {n_samples:,} samples "
        f"({100 * n_support / n_samples:.0f} %). These have the largest weights."
    )
    return section("Support vectors", f"<p>{text}</p>{shown_rows}")


def _sample_cells(
    study: Study, question: Question, rows: np.ndarray
) -> tuple[list[str], list[list[str]]]:
    """A header and the cells that show samples."""
    X = pick_rows(question.X, rows)
    if hasattr(X, "columns"):
        shown = _shown_columns(study, list(X.columns))
        return shown, [list(map(cell, row)) for row in X[shown].to_numpy(dtype=object)]
    if hasattr(X, "toarray"):
        return ["nonzero values"], [[f"{row.nnz}"] for row in X]
    return ["sample"], [[sample_text(sample)] for sample in X]


def _shown_columns(study: Study, columns: list[str]) -> list[str]:
    """The columns of the largest importance, or the first ones where none is known."""
    important = [each.column for each in study.contributions if each.column in columns]
    return (important or columns)[:_MOST_COLUMNS]


def row_name(question: Question, row: int) -> str:
    """The number of a row in the data, from 1, and its name where it has one."""
    number = str(int(question.rows[row]) + 1)
    if question.names is None:
        return number
    return f"{number} ({shorten(str(question.names[row]), 24)})"
