"""Escape formulas in docstrings that reStructuredText would take for markup.

Docstrings have little markup: ``literals``, `references`, lists, numpydoc's sections and
examples. A formula such as |A ∩ B| and an attribute such as alpha_ are text. In a section of
parameters or attributes, ``name : text`` gives the type if indented lines follow, and the meaning
if none do.
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
    """The line with bars, stars and trailing underscores escaped outside of markup."""
    parts = _MARKS.split(line)
    for i in range(0, len(parts), 2):
        bullet = re.match(r"\s*\* ", parts[i]) if i == 0 else None
        start = bullet.end() if bullet else 0
        parts[i] = parts[i][:start] + _TRAILING.sub(r"\\_", _SPECIAL.sub(r"\\\1", parts[i][start:]))
    return "".join(parts)


def plainly(lines: list[str]) -> list[str]:
    """All lines except examples escaped, and a meaning on the line of its name moved below it."""
    plain: list[str] = []
    section, example = "", False
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        bare = line.strip()
        if bare and re.fullmatch(r"-{3,}", following.strip()):
            section = bare
        example = bool(bare) and (example or bare.startswith(">>>"))
        entry = _ENTRY.fullmatch(line) if section in _SECTIONS else None
        if example:
            plain.append(line)
        elif entry is None:
            plain.append(escaped(line))
        elif following.startswith(" "):  # a description: what follows the colon is a type
            plain.append(f"{entry[1]} : {escaped(entry[2])}")
        else:
            plain += [entry[1], "    " + escaped(entry[2])]
    return plain


def rewrite(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Change the lines of a docstring before numpydoc reads them."""
    lines[:] = plainly(lines)


def skip(app: Any, what: str, name: str, obj: Any, skipped: bool, options: Any) -> bool | None:
    """Leave out members that scikit-learn and SciPy define and document."""
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
