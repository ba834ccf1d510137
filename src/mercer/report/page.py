"""The HTML page of a report: its sections around the figures, in one file that loads nothing."""

from __future__ import annotations

import os
from collections.abc import Sequence
from html import escape
from pathlib import Path

from mercer.automatic.study import Study
from mercer.model_files.writing import write_whole
from mercer.report.figures import Picture, pictures
from mercer.report.sections import data, model, performance, samples

_LINKS = {
    "error": "Performance",
    "notes": "Notes",
    "pictures": "Predictions",
    "classes": "Classes",
    "typical": "Typical samples",
    "examples": "Samples predicted worst",
    "tried": "What was tried",
    "kernel": "Kernel",
    "space": "Feature space",
    "data": "Data",
    "again": "Reproduce",
}
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
    drawn = pictures(study)
    of_predictions = [picture for picture in drawn if not picture.of_samples]
    of_samples = [picture for picture in drawn if picture.of_samples]
    parts = [
        performance.performance(study),
        performance.notes(study),
        _figures(of_predictions, "pictures"),
        performance.classes(study),
        samples.typical(study),
        samples.predicted_worst(study),
        samples.support_vectors(study),
        model.model_selection(study),
        model.kernel(study),
        _figures(of_samples, "space"),
        data.data(study),
        data.reproduce(study, command, sources, memory),
    ]
    body = "\n".join(filter(None, parts))
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


def _figures(drawn: list[Picture], place: str) -> str:
    if not drawn:
        return ""
    figures = []
    for picture in drawn:
        title, caption = escape(picture.title), escape(picture.caption)
        image = f'<img src="{picture.uri}" alt="{title}: {caption}">'
        text = f"<figcaption>{caption}</figcaption>"
        figures.append(f'<figure id="{picture.name}"><h3>{title}</h3>{image}{text}</figure>')
    return f'<div class="figures" id="{place}">{"".join(figures)}</div>'
