"""The HTML page of a report: its sections around the figures; all text from the data is escaped."""

from __future__ import annotations

import hashlib
import os
import platform
import sys
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

import numpy as np

import mercer
from mercer.automatic.assessment import Assessment
from mercer.automatic.explanations import trials
from mercer.automatic.metrics import METRICS
from mercer.automatic.question import Question
from mercer.automatic.studies.remarks import class_of_interest, constant_text
from mercer.automatic.study import Study
from mercer.domains.base import pick_rows, raw_length
from mercer.domains.raw import dense_numbers
from mercer.model_files.writing import write_whole
from mercer.report.figures import Picture, pictures
from mercer.report.formatting import metric_text, shorten
from mercer.report.reasons import reasons

_MOST_COLUMNS = 10  # of a sample that are shown in a table
_MOST_CLASSES = 30  # that are listed
_LINKS = {
    "error": "Performance",
    "pictures": "Figures",
    "kernel": "Kernel",
    "examples": "Samples predicted worst",
    "data": "Data",
    "again": "Reproduce",
}
_MOST_BYTES = 200_000_000  # of a data file whose checksum is computed
_HEAD = (
    '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    # Nothing is loaded and no script runs, even if some text of the data were not escaped.
    '<meta http-equiv="Content-Security-Policy" '
    "content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'\">\n"
)


def write_report(
    study: Study,
    path: str | os.PathLike[str],
    *,
    command: str = "",
    files: str | Path | Sequence[str | Path] = (),
    memory: float | None = None,
) -> Path:
    """Write the report of a study to one HTML file, whole or not at all.

    Parameters
    ----------
    study : Study
        The results to report.
    path : str or path
        The file to write.
    command : str
        The command that reproduces the results.
    files : path or sequence of paths
        The files that the data came from.
    memory : float, optional
        The peak memory in bytes.

    Returns
    -------
    Path
        The file that was written.
    """
    sources = [Path(file) for file in ([files] if isinstance(files, (str, Path)) else files)]
    target = Path(path)
    page = _page(study, sources, command, memory)
    write_whole(str(target), [page.encode("utf-8", "backslashreplace")])
    return target


def _page(study: Study, sources: list[Path], command: str, memory: float | None) -> str:
    title = study.question.target
    if sources:
        title += f" from {', '.join(file.name for file in sources)}"
    sections = [
        _performance(study),
        _notes(study),
        _figures(pictures(study)),
        _kernel(study),
        _model_selection(study),
        _predicted_worst(study),
        _support_vectors(study),
        _data(study),
        _reproduce(study, command, sources, memory),
    ]
    body = "\n".join(filter(None, sections))
    present = {place: name for place, name in _LINKS.items() if f' id="{place}"' in body}
    links = " ".join(f'<a href="#{place}">{name}</a>' for place, name in present.items())
    style = (Path(__file__).parent / "style.css").read_text(encoding="utf-8")
    return (
        f"{_HEAD}<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n"
        f"<body>\n<main>\n<header><h1>{escape(title)}</h1>"
        f'<p class="soft">{escape(study.source.description)}</p>'
        f"<nav>{links}</nav></header>\n"
        f"{body}\n</main>\n</body>\n</html>\n"
    )


def _section(title: str, content: str, attributes: str = "") -> str:
    return f"<section{attributes}><h2>{escape(title)}</h2>{content}</section>"


def _fact(value: str, name: str) -> str:
    return f'<div class="fact"><b>{escape(value)}</b><span>{escape(name)}</span></div>'


def _performance(study: Study) -> str:
    y, model = study.question.y, study.model
    count = f"samples, {len(np.unique(y))} classes" if study.is_classification else "samples"
    facts = [
        _fact(f"{len(y):,}", count),
        _fact(type(model.model_).__name__, f"{model.penalty_name_} = {model.tuned_.penalty:g}"),
    ]
    table, method = "", "The error was not estimated."
    if study.assessment is not None:
        name, found = study.metric.name, study.assessment
        where = f"{study.score_name} on held-out samples, ± standard error"
        compared = f"{study.score_name} of the baseline, {constant_text(study.question)}"
        facts = [
            _fact(metric_text(name, found.mean, found.error), where),
            _fact(metric_text(name, found.baselines[name]), compared),
            *facts,
        ]
        table, method = _scores(study), _method(found)
    content = f'<div class="facts">{"".join(facts)}</div>{table}<p class="soft">{method}</p>'
    return _section("Predictive performance", content, ' id="error"')


def _scores(study: Study) -> str:
    """All metrics of the held-out predictions beside those of the constant prediction."""
    assert study.assessment is not None
    rows = []
    for name in study.assessment.measured:
        mean, error, baseline = study.assessment.result(name)
        better = "yes" if study.assessment.is_better(name) else "no"
        values = metric_text(name, mean, error), metric_text(name, baseline)
        rows.append([METRICS[name].title, *values, better])
    text = ""
    if study.is_classification:
        whose = class_of_interest(study.question)
        text = f'<p class="soft">Precision, recall and F1 are those of {escape(whose)}.</p>'
    header = ["metric", "model", constant_text(study.question), "better by more than its error"]
    return _table(header, rows, numbers=(1, 2)) + text


def _method(assessment: Assessment) -> str:
    if assessment.folds == 0:
        return (
            f"Estimated on {assessment.predicted.shape[1]:,} samples, each predicted by a model "
            "without it. Kernel and penalty were chosen by these predictions, so that scores are a "
            "little too good; standard errors are by the bootstrap."
        )
    if assessment.folds == 1:
        return (
            f"Estimated on the {assessment.predicted.shape[1]:,} samples of a test file; standard "
            "errors are those of the bootstrap."
        )
    return (
        f"Estimated by {assessment.repeats} × {assessment.folds}-fold cross-validation. Kernel, "
        "length scale and penalty were chosen anew inside each fold, so that the estimate is not "
        "biased by the choice. The standard error allows for the overlap of the training sets."
    )


def _notes(study: Study) -> str:
    notes = [*study.question.notes, *study.notes]
    if not notes:
        return ""
    items = "".join(f"<li>{escape(note)}</li>" for note in notes)
    return _section("Notes", f"<ul>{items}</ul>")


def _figures(drawn: Iterable[Picture]) -> str:
    figures = []
    for picture in drawn:
        title, caption = escape(picture.title), escape(picture.caption)
        image = f'<img src="{picture.uri}" alt="{title}: {caption}">'
        text = f"<figcaption>{caption}</figcaption>"
        figures.append(f'<figure id="{picture.name}"><h3>{title}</h3>{image}{text}</figure>')
    return f'<div class="figures" id="pictures">{"".join(figures)}</div>'


def _kernel(study: Study) -> str:
    kernel = study.model.kernel_
    certificate = f"<pre>{escape(str(kernel.certificate()))}</pre>"
    title = "<h3>Is it positive semi-definite?</h3>"
    content = f"<pre>{escape(repr(kernel))}</pre>{title}{certificate}"
    return _section("The kernel", content, ' id="kernel" class="long"')


def _table(
    header: Sequence[str], rows: Iterable[Sequence[object]], numbers: Iterable[int] = ()
) -> str:
    """A table; ``numbers`` are the positions of its numeric columns."""
    kinds = ["" for _ in header]
    for index in numbers:
        kinds[index] = ' class="number"'
    top = _row("th", kinds, header)
    body = "".join(_row("td", kinds, row) for row in rows)
    return f'<div class="scroll"><table><thead>{top}</thead><tbody>{body}</tbody></table></div>'


def _row(tag: str, kinds: Sequence[str], values: Sequence[object]) -> str:
    pairs = zip(kinds, values, strict=True)
    cells = "".join(f"<{tag}{kind}>{escape(str(value))}</{tag}>" for kind, value in pairs)
    return f"<tr>{cells}</tr>"


def _model_selection(study: Study) -> str:
    model = study.model
    rows = []
    for kernel, penalty, loss in sorted(trials(model), key=lambda trial: trial[2])[:12]:
        rows.append([f"{loss:.4g}", f"{penalty:g}", shorten(kernel, 90, end=25)])
    table = _table([model.loss_, model.penalty_name_, "kernel"], rows, numbers=(0, 1))
    text = (
        f"{len(model.tuned_.trials)} combinations of kernel and penalty were compared by "
        f"{model.way_}; those with the smallest {model.loss_} come first."
    )
    if not study.is_classification:
        text += " Errors are those of the target; the model is fitted to the standardised target, "
        text += f"and {model.penalty_name_} is the one of that fit."
    return _section("Model selection", f"<p>{escape(text)}</p>{table}")


def _sample_cells(
    study: Study, question: Question, rows: np.ndarray
) -> tuple[list[str], list[list[str]]]:
    """A header and the cells that show samples."""
    X = pick_rows(question.X, rows)
    if hasattr(X, "columns"):
        important = [each.column for each in study.contributions if each.column in X.columns]
        shown = (important or [str(name) for name in X.columns])[:_MOST_COLUMNS]
        return shown, [list(map(_cell, row)) for row in X[shown].to_numpy(dtype=object)]
    if hasattr(X, "toarray"):
        return ["nonzero values"], [[f"{row.nnz}"] for row in X]
    return ["sample"], [[shorten(str(sample), 90)] for sample in X]


def _cell(value: object) -> str:
    if value is None or value != value:
        return "–"
    return shorten(_plain(value), 28)


def _plain(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _row_name(question: Question, row: int) -> str:
    """The number of a row in the data, from 1, and its name where it has one."""
    number = str(int(question.rows[row]) + 1)
    if question.names is None:
        return number
    return f"{number} ({shorten(str(question.names[row]), 24)})"


def _predicted_worst(study: Study) -> str:
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
    why = reasons(study.model, question.X, worst)
    if why:
        header = ["why", *header]
        cells = [[reason, *shown] for reason, shown in zip(why, cells, strict=True)]
    rows = []
    for (row, value), shown in zip(study.hardest, cells, strict=True):
        targets = _plain(y[row]), _plain(predicted[row])
        rows.append([_row_name(question, row), *targets, number.format(value), *shown])
    table = _table(["row", "true", "predicted", measure, *header], rows, numbers=(0, 3))
    text += (
        ", when they were not in the training set. Rows of the data are counted from 1. "
        "Wrong labels are often among them."
    )
    if why:
        text += (
            " Why: the largest contributions to the final model's decision function, log-odds or "
            "prediction, compared with the mean over the data."
        )
    return _section("Samples predicted worst", f"<p>{text}</p>{table}", ' id="examples"')


def _support_vectors(study: Study) -> str:
    model, question = study.model.model_, study.question
    if not hasattr(model, "support_") or not hasattr(model, "dual_coef_"):
        return ""
    # the model is one of the standardised target
    scale = getattr(study.model, "target_scale_", 1.0)
    weights = scale * np.abs(np.atleast_2d(dense_numbers(model.dual_coef_))).sum(axis=0)
    if len(weights) != len(model.support_):
        return ""
    order = np.argsort(-weights, kind="stable")[:8]
    support = np.asarray(model.support_)[order]
    header, cells = _sample_cells(study, question, support)
    rows = []
    for weight, row, shown in zip(weights[order], support, cells, strict=True):
        target = _plain(question.y[row])
        rows.append([_row_name(question, row), target, f"{weight:.3g}", *shown])
    table = _table(["row", question.target, "weight", *header], rows, numbers=(0, 2))
    n_samples, n_support = raw_length(question.X), len(model.support_)
    text = (
        f"The decision function is a weighted sum over {n_support:,} of the {n_samples:,} samples "
        f"({100 * n_support / n_samples:.0f} %). These have the largest weights."
    )
    return _section("Support vectors", f"<p>{text}</p>{table}")


def _data(study: Study) -> str:
    question = study.question
    target = f"Target: {escape(question.target)} ({question.task})."
    content = f"<p>{escape(study.source.description)}. {target}</p>{_distribution(study)}"
    if study.columns:
        rows = [
            [c["name"], c["kind"], f"{c['missing']:,}", f"{c['distinct']:,}", c["values"]]
            for c in study.columns
        ]
        header = ["column", "type", "missing", "distinct", "values"]
        if study.question.left_out:
            header.append("left out")
            rows = [[*row, c["left out"]] for row, c in zip(rows, study.columns, strict=True)]
        table = _table(header, rows, numbers=(2, 3))
        if len(rows) > 30:
            table = f"<details><summary>{len(rows)} columns</summary>{table}</details>"
        content += f"<h3 style='margin-top:1rem'>Columns</h3>{table}"
    return _section("The data", content, ' id="data" class="long"')


def _distribution(study: Study) -> str:
    """A table of the classes, or of the quartiles of the target."""
    y = study.question.y
    if not study.is_classification:
        quartiles = np.quantile(y, [0, 0.25, 0.5, 0.75, 1])
        header = ["minimum", "lower quartile", "median", "upper quartile", "maximum"]
        return _table(header, [[f"{value:.5g}" for value in quartiles]])
    classes, counts = np.unique(y, return_counts=True)
    rows = []
    for index in np.argsort(-counts, kind="stable")[:_MOST_CLASSES]:
        count = counts[index]
        rows.append([classes[index], f"{count:,}", f"{100 * count / len(y):.1f} %"])
    return _table(["class", "samples", "share"], rows, numbers=(1, 2))


def _reproduce(study: Study, command: str, sources: list[Path], memory: float | None) -> str:
    import scipy
    import sklearn

    libraries = (platform.python_version(), np.__version__, scipy.__version__, sklearn.__version__)
    seconds = ", ".join(f"{name} {value:.1f} s" for name, value in study.seconds.items())
    facts = [
        ["mercer", mercer.__version__],
        ["Python, NumPy, SciPy, scikit-learn", ", ".join(libraries)],
        ["machine", f"{platform.machine()}, {os.cpu_count()} processors, {sys.platform}"],
        ["time", seconds],
    ]
    if memory is not None:
        facts.append(["peak memory", f"{memory / 1e6:,.0f} MB"])
    for file in sources:
        if file.is_file() and file.stat().st_size <= _MOST_BYTES:
            checksum = hashlib.sha256(file.read_bytes()).hexdigest()
            facts.append([f"SHA-256 of {file.name}", checksum])
    content = _table(["", ""], facts)
    if command:
        content = f"<pre>{escape(command)}</pre>{content}"
    return _section("Reproduce", content, ' id="again"')
