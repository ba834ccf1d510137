"""The HTML page of a report: its sections around the figures, in one file that loads nothing."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from mercer.automatic.study import Study
from mercer.model_files.writing import write_whole
from mercer.report.elements import document, figures
from mercer.report.figures import pictures
from mercer.report.sections import data, model, performance, samples

_LINKS = {
    "error": "Performance",
    "notes": "Notes",
    "pictures": "Predictions",
    "classes": "Classes",
    "typical": "Typical samples",
    "examples": "Samples predicted worst",
    "tried": "Model selection",
    "kernel": "Kernel",
    "space": "Feature space",
    "data": "Data",
    "again": "Reproduce",
}


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
    drawn = pictures(study)
    of_predictions = [picture for picture in drawn if not picture.of_samples]
    of_samples = [picture for picture in drawn if picture.of_samples]
    parts = [
        performance.performance(study),
        performance.notes(study),
        figures(of_predictions, "pictures"),
        performance.classes(study),
        samples.typical(study),
        samples.predicted_worst(study),
        samples.support_vectors(study),
        model.model_selection(study),
        model.kernel(study),
        figures(of_samples, "space"),
        data.data(study),
        data.reproduce(study, command, sources, memory),
    ]
    body = "\n".join(filter(None, parts))
    present = {place: name for place, name in _LINKS.items() if f' id="{place}"' in body}
    links = " ".join(f'<a href="#{place}">{name}</a>' for place, name in present.items())
    return document(title, study.source.description, links, body)
