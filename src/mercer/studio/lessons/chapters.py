"""The chapters of the documentation, where the library runs from a checkout."""

from __future__ import annotations

import functools
from pathlib import Path

from mercer.errors import InputError

_DOCS = Path(__file__).resolve().parents[4] / "docs"


@functools.cache
def chapters() -> dict[str, Path]:
    """The Markdown files of the documentation by name, such as "samples/strings"."""
    if not (_DOCS / "conf.py").is_file():  # of another project, or none
        return {}
    files = [*_DOCS.glob("*.md"), *_DOCS.glob("samples/*.md")]
    return {file.relative_to(_DOCS).with_suffix("").as_posix(): file for file in sorted(files)}


def chapter(name: str) -> str:
    """The text of a chapter; only names that are listed are ever opened."""
    known = chapters()
    if name not in known:
        remedy = "the documentation is part of a checkout of the repository"
        raise InputError("chapter", name, "is not here", remedy)
    return known[name].read_text(encoding="utf-8")
