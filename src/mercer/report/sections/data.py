"""The data that the model was fitted on, and how to get the same results again."""

from __future__ import annotations

import hashlib
import os
import platform
import sys
from html import escape
from pathlib import Path

import numpy as np

from mercer.automatic.study import Study
from mercer.report.elements import folded, section, table
from mercer.version import __version__

_STAGES = {  # what is done in each of them
    "look": "reading the columns",
    "fit": "choosing and fitting the model",
    "assess": "estimating its error",
    "columns": "shuffling columns",
    "learning curve": "the learning curve",
}
_MOST_CLASSES = 30  # that are listed
_MOST_COLUMNS = 30  # that are not folded away
_MOST_BYTES = 200_000_000  # of a data file whose checksum is computed


def data(study: Study) -> str:
    """The target and its distribution, and what each column holds."""
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
        columns = table(header, rows, numbers=(2, 3))
        if len(rows) > _MOST_COLUMNS:
            columns = folded(f"{len(rows)} columns", columns)
        content += f"<h3>Columns</h3>{columns}"
    return section("The data", content, ' id="data" class="long"')


def _distribution(study: Study) -> str:
    """A table of the classes, or of the quartiles of the target."""
    y = study.question.y
    if not study.is_classification:
        quartiles = np.quantile(y, [0, 0.25, 0.5, 0.75, 1])
        header = ["minimum", "lower quartile", "median", "upper quartile", "maximum"]
        return table(header, [[f"{value:.5g}" for value in quartiles]], numbers=range(len(header)))
    classes, counts = np.unique(y, return_counts=True)
    rows = []
    for index in np.argsort(-counts, kind="stable")[:_MOST_CLASSES]:
        count = counts[index]
        rows.append([classes[index], f"{count:,}", f"{100 * count / len(y):.1f} %"])
    return table(["class", "samples", "share"], rows, numbers=(1, 2))


def reproduce(study: Study, command: str, sources: list[Path], memory: float | None) -> str:
    """The command, the versions, the time, and checksums of the data."""
    import scipy
    import sklearn

    libraries = (platform.python_version(), np.__version__, scipy.__version__, sklearn.__version__)
    spent = study.seconds.items()
    seconds = ", ".join(f"{_STAGES.get(name, name)} {value:.1f} s" for name, value in spent)
    facts = [
        ["mercer", __version__],
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
    content = table(["", ""], facts)
    if command:
        content = f"<pre>{escape(command)}</pre>{content}"
    return section("Reproduce", content, ' id="again"')
