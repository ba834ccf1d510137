"""The chapters of the documentation: those of a checkout, or those that a wheel brings along."""

from __future__ import annotations

import functools
from pathlib import Path

from mercer.errors import InputError

_DOCS = Path(__file__).resolve().parents[4] / "docs"
_INSTALLED = Path(__file__).resolve().parents[2] / "chapters"


@functools.cache
def chapters() -> dict[str, Path]:
    """The Markdown files of the documentation by name, such as "samples/strings"."""
    is_ours = (_DOCS / "conf.py").is_file()  # the folder of a checkout, not of another project
    folder = _DOCS if is_ours else _INSTALLED
    files = [*folder.glob("*.md"), *folder.glob("samples/*.md")]
    return {file.relative_to(folder).with_suffix("").as_posix(): file for file in sorted(files)}


def chapter(name: str) -> str:
    """The text of a chapter; only names that are listed are ever opened."""
    known = chapters()
    if name not in known:
        remedy = f"give one of {', '.join(known)}" if known else "the package is incomplete"
        raise InputError("chapter", name, "is not here", remedy)
    return known[name].read_text(encoding="utf-8")
