"""Docstrings are plain text with few marks; what reStructuredText would take for more is escaped before it looks.

Marks are ``literals``, `references`, lists, numpydoc's sections and examples after >>>. A formula such as |A ∩ B| or an attribute such as
alpha_ is text. In a section of parameters or attributes a line ``name : meaning`` says what the name means, not its type.
"""

from __future__ import annotations

import re
from typing import Any

_MARKS = re.compile(r"(``.+?``|`[^`\n]+`)")
_SPECIAL = re.compile(r"(?<!\\)([|*])")
_TRAILING = re.compile(r"(?<=\w)_(?=\W|$)")
_ENTRY = re.compile(r"([\w*]+(?:, [\w*]+)*) : (.+)")
_SECTIONS = {"Parameters", "Attributes"}
_MADE_BY_SKLEARN = re.compile(r"set_\w+_request|get_metadata_routing")


def escaped(line: str) -> str:
    """The line with bars, stars and trailing underscores as themselves, outside literals and references."""
    parts = _MARKS.split(line)
    for i in range(0, len(parts), 2):
        bullet = re.match(r"\s*\* ", parts[i]) if i == 0 else None
        start = bullet.end() if bullet else 0
        parts[i] = parts[i][:start] + _TRAILING.sub(r"\\_", _SPECIAL.sub(r"\\\1", parts[i][start:]))
    return "".join(parts)


def plainly(lines: list[str]) -> list[str]:
    """All lines but examples escaped, meanings of entries on lines of their own."""
    made: list[str] = []
    section, example = "", False
    for i, line in enumerate(lines):
        bare = line.strip()
        if i + 1 < len(lines) and bare and re.fullmatch(r"-{3,}", lines[i + 1].strip()):
            section = bare
        example = bool(bare) and (example or bare.startswith(">>>"))
        entry = _ENTRY.fullmatch(line) if section in _SECTIONS else None
        if example:
            made.append(line)
        elif entry is not None:
            made += [entry[1], "    " + escaped(entry[2])]
        else:
            made.append(escaped(line))
    return made


def rewrite(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Before numpydoc reads them."""
    lines[:] = plainly(lines)


def skip(app: Any, what: str, name: str, obj: Any, skipped: bool, options: Any) -> bool | None:
    """Members that scikit-learn and SciPy define are documented there."""
    if _MADE_BY_SKLEARN.fullmatch(name):
        return True
    subject = getattr(obj, "fget", None) or getattr(obj, "__func__", obj)
    module = getattr(subject, "__module__", None)
    if module is not None and callable(subject) and not str(module).startswith("mercer"):
        return True
    return None


def setup(app: Any) -> dict[str, Any]:
    app.connect("autodoc-process-docstring", rewrite, priority=400)  # numpydoc comes at 500
    app.connect("autodoc-skip-member", skip)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
