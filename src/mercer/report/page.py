"""The page: sections of plain HTML around the figures, every text from the data escaped."""

from __future__ import annotations

import hashlib
import os
import platform
import sys
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

import mercer
from mercer.automatic.study import Study
from mercer.domains.base import pick_rows, raw_length
from mercer.report.figures import Picture, pictures

_COLUMNS = 10  # of a sample that are shown in a table
_PLACES = {
    "error": "Error",
    "pictures": "Pictures",
    "kernel": "Kernel",
    "examples": "Hardest samples",
    "data": "Data",
    "again": "Reproduce",
}
_HASHED = 200_000_000  # bytes of data up to which a checksum is worth its time


def write_report(
    study: Study, path: Any, *, command: str = "", files: Any = (), memory: float | None = None
) -> Path:
    """Write the report of a study; ``command`` is how to reproduce it, ``files`` the data it came from, ``memory`` the peak in bytes."""
    title = _title(study, files)
    drawn = pictures(study)
    sections = [
        _headline(study),
        _notes(study),
        _figures(drawn),
        _kernel(study),
        _chosen(study),
        _hardest(study),
        _support(study),
        _data(study),
        _reproduce(study, command, files, memory),
    ]
    style = (Path(__file__).parent / "style.css").read_text(encoding="utf-8")
    body = "\n".join(section for section in sections if section)
    links = " ".join(
        f'<a href="#{place}">{name}</a>'
        for place, name in _PLACES.items()
        if f' id="{place}"' in body
    )
    page = (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        # nothing from elsewhere, no scripts: also should a text of the data slip through
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'\">\n"
        f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n<main>\n"
        f'<header><h1>{escape(title)}</h1><p class="soft">{escape(study.source.description)}</p>'
        f"<nav>{links}</nav></header>\n"
        f"{body}\n</main>\n</body>\n</html>\n"
    )
    target = Path(path)
    spare = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        spare.write_text(page, encoding="utf-8")
        spare.replace(target)
    finally:
        spare.unlink(missing_ok=True)
    return target


def _title(study: Study, files: Any) -> str:
    named = [Path(file).name for file in ([files] if isinstance(files, (str, Path)) else files)]
    return f"{study.question.target} from {', '.join(named)}" if named else study.question.target


def score_text(study: Study) -> str:
    """The score with its standard error, as a person reads it."""
    found = study.found
    if study.question.task == "classification":
        return f"{100 * found.mean:.1f} % ± {100 * found.error:.1f}"
    return f"{found.mean:.3f} ± {found.error:.3f}"


def _fact(value: str, name: str) -> str:
    return f'<div class="fact"><b>{escape(value)}</b><span>{escape(name)}</span></div>'


def _headline(study: Study) -> str:
    classes = study.question.task == "classification"
    y = study.question.y
    facts = [
        _fact(
            score_text(study),
            ("accuracy" if classes else "R²") + " on unseen samples, ± standard error",
        )
    ]
    if classes:
        facts.append(_fact(f"{100 * study.baseline:.1f} %", "by always saying the commonest class"))
    else:
        gap = y - study.found.predicted[0]
        facts.append(
            _fact(
                f"{np.sqrt(np.mean(gap**2)):.4g}",
                f"root mean squared error; the target's deviation is {y.std():.4g}",
            )
        )
    facts.append(
        _fact(f"{len(y):,}", f"samples, {len(np.unique(y))} classes" if classes else "samples")
    )
    facts.append(
        _fact(
            type(study.model.model_).__name__,
            f"{study.model.penalty_name_} = {study.model.tuned_.penalty:g}",
        )
    )
    how = (
        f"Estimated by {study.found.repeats} × {study.found.folds}-fold cross-validation; kernel, width and penalty were chosen anew "
        "inside every fold, so that the choice does not flatter the estimate. The standard error allows for the overlap of training sets."
    )
    return f'<section id="error"><h2>How well it does</h2><div class="facts">{"".join(facts)}</div><p class="soft">{how}</p></section>'


def _notes(study: Study) -> str:
    notes = [*study.question.notes, *study.notes]
    return (
        f"<section><h2>Notes</h2><ul>{''.join(f'<li>{escape(note)}</li>' for note in notes)}</ul></section>"
        if notes
        else ""
    )


def _figures(drawn: list[Picture]) -> str:
    made = "".join(
        f'<figure id="{one.name}"><h3>{escape(one.title)}</h3><img src="{one.uri}" alt="{escape(one.title)}: {escape(one.says)}">'
        f"<figcaption>{escape(one.says)}</figcaption></figure>"
        for one in drawn
    )
    return f'<div class="figures" id="pictures">{made}</div>'


def _kernel(study: Study) -> str:
    kernel = study.model.kernel_
    return (
        f'<section id="kernel" class="long"><h2>The kernel, and why it is one</h2><pre>{escape(repr(kernel))}</pre>'
        f"<h3>Proof</h3><pre>{escape(str(kernel.certificate()))}</pre></section>"
    )


def _table(head: list[str], rows: list[list[Any]], numbers: set[int] = frozenset()) -> str:  # type: ignore[assignment]
    def cell(tag: str, at: int, value: Any) -> str:
        kind = ' class="number"' if at in numbers else ""
        return f"<{tag}{kind}>{escape(str(value))}</{tag}>"

    top = "".join(cell("th", at, name) for at, name in enumerate(head))
    body = "".join(
        "<tr>" + "".join(cell("td", at, value) for at, value in enumerate(row)) + "</tr>"
        for row in rows
    )
    return f'<div class="scroll"><table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>'


def _chosen(study: Study) -> str:
    tuned = study.model.tuned_
    rows = []
    for kernel, penalty, loss in sorted(tuned.table, key=lambda tried: tried[2])[:12]:
        short = kernel if len(kernel) <= 90 else kernel[:60] + " ... " + kernel[-25:]
        rows.append([f"{loss:.4g}", f"{penalty:g}", short])
    way = f"{len(tuned.table)} pairs of kernel and penalty by {study.model.way_}; the least {study.model.loss_} first."
    table = _table([study.model.loss_, study.model.penalty_name_, "kernel"], rows, {0, 1})
    return f"<section><h2>What was tried</h2><p>{escape(way)}</p>{table}</section>"


def _cells(study: Study, places: np.ndarray) -> tuple[list[str], list[list[str]]]:
    """Head and cells that show samples."""
    X = study.question.X
    picked = pick_rows(X, places)
    if hasattr(picked, "columns"):
        order = [one.column for one in study.contributions if one.column in picked.columns] or [
            str(c) for c in picked.columns
        ]
        shown = order[:_COLUMNS]
        return shown, [[_short(v) for v in row] for row in picked[shown].to_numpy(dtype=object)]
    if hasattr(picked, "toarray"):
        return ["values set"], [[f"{part.nnz}"] for part in picked]
    return ["sample"], [[_short(text, 90)] for text in picked]


def _short(value: Any, most: int = 28) -> str:
    if value is None or value != value:
        return "–"
    text = f"{value:.4g}" if isinstance(value, float) else str(value)
    return text if len(text) <= most else text[: most - 1] + "…"


def _hardest(study: Study) -> str:
    if not study.hardest:
        return ""
    places = np.array([at for at, _ in study.hardest])
    head, cells = _cells(study, places)
    y, said = study.question.y, study.found.predicted[0]
    classes = study.question.task == "classification"
    rows = []
    for (at, value), shown in zip(study.hardest, cells, strict=True):
        true = str(y[at]) if classes else f"{y[at]:.4g}"
        told = str(said[at]) if classes else f"{said[at]:.4g}"
        rows.append(
            [
                int(study.question.rows[at]) + 1,
                true,
                told,
                f"{value:.3f}" if classes else f"{value:+.4g}",
                *shown,
            ]
        )
    text = (
        "Samples whose own class was given the least probability"
        if classes
        else "Samples with the largest residuals"
    )
    measure = "p(true)" if classes else "true − said"
    return (
        f'<section id="examples"><h2>Hardest samples</h2><p>{text}, when they were not in the training set; rows of the data are counted '
        f"from 1. Wrong labels are often among them.</p>{_table(['row', 'true', 'said', measure, *head], rows, {0, 3})}</section>"
    )


def _support(study: Study) -> str:
    model = study.model.model_
    if not hasattr(model, "support_") or not hasattr(model, "dual_coef_"):
        return ""
    weight = np.abs(np.atleast_2d(model.dual_coef_)).sum(axis=0)
    if len(weight) != len(model.support_):
        return ""
    n, used = raw_length(study.question.X), len(model.support_)
    order = np.argsort(-weight, kind="stable")[:8]
    places = np.asarray(model.support_)[order]
    head, cells = _cells(study, places)
    y = study.question.y
    rows = [
        [
            int(study.question.rows[at]) + 1,
            y[at] if study.question.task == "classification" else f"{y[at]:.4g}",
            f"{weight[i]:.3g}",
            *shown,
        ]
        for i, at, shown in zip(order, places, cells, strict=True)
    ]
    return (
        f"<section><h2>What it remembers</h2><p>The model is a weighted sum over {used:,} of the {n:,} samples ({100 * used / n:.0f} %); "
        f"these weigh most.</p>{_table(['row', study.question.target, 'weight', *head], rows, {0, 2})}</section>"
    )


def _data(study: Study) -> str:
    y = study.question.y
    parts = [
        f"<p>{escape(study.source.description)}. Target: {escape(study.question.target)} ({study.question.task}).</p>"
    ]
    if study.question.task == "classification":
        found, counts = np.unique(y, return_counts=True)
        order = np.argsort(-counts, kind="stable")[:30]
        parts.append(
            _table(
                ["class", "samples", "share"],
                [[found[i], f"{counts[i]:,}", f"{100 * counts[i] / len(y):.1f} %"] for i in order],
                {1, 2},
            )
        )
    else:
        quantiles = np.quantile(y, [0, 0.25, 0.5, 0.75, 1])
        parts.append(
            _table(
                ["least", "quarter", "median", "three quarters", "most"],
                [[f"{q:.5g}" for q in quantiles]],
            )
        )
    if study.columns:
        rows = [
            [c["name"], c["kind"], f"{c['missing']:,}", f"{c['distinct']:,}", c["values"]]
            for c in study.columns
        ]
        table = _table(["column", "taken for", "missing", "distinct", "values"], rows, {2, 3})
        folded = (
            f"<details><summary>{len(rows)} columns</summary>{table}</details>"
            if len(rows) > 30
            else table
        )
        parts.append(f"<h3 style='margin-top:1rem'>Columns</h3>{folded}")
    return f'<section id="data" class="long"><h2>The data</h2>{"".join(parts)}</section>'


def _reproduce(study: Study, command: str, files: Any, memory: float | None) -> str:
    import scipy
    import sklearn

    facts = [
        ["mercer", mercer.__version__],
        [
            "Python, NumPy, SciPy, scikit-learn",
            f"{platform.python_version()}, {np.__version__}, {scipy.__version__}, {sklearn.__version__}",
        ],
        ["machine", f"{platform.machine()}, {os.cpu_count()} processors, {sys.platform}"],
        ["time", ", ".join(f"{name} {value:.1f} s" for name, value in study.seconds.items())],
    ]
    if memory is not None:
        facts.append(["memory at most", f"{memory / 1e6:,.0f} MB"])
    for file in [files] if isinstance(files, (str, Path)) else files:
        file = Path(file)
        if file.is_file() and file.stat().st_size <= _HASHED:
            facts.append([f"SHA-256 of {file.name}", hashlib.sha256(file.read_bytes()).hexdigest()])
    again = f"<pre>{escape(command)}</pre>" if command else ""
    return f'<section id="again"><h2>Reproduce</h2>{again}{_table(["", ""], facts)}</section>'
