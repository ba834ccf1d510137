"""Docstrings are plain text with few marks; what reStructuredText would take for more is escaped before it looks.

Marks are ``literals``, `references`, lists, numpydoc's sections and examples after >>>. A formula such as |A ∩ B| or an attribute such as
alpha_ is text.
"""

from __future__ import annotations

import re
from typing import Any

_MARKS = re.compile(r"(``.+?``|`[^`\n]+`)")
_SPECIAL = re.compile(r"(?<!\\)(\||\*)")
_TRAILING = re.compile(r"(?<=\w)_(?=\W|$)")
_MADE_BY_SKLEARN = re.compile(r"set_\w+_request|get_metadata_routing")


def escaped(line: str) -> str:
    """The line with bars, stars and trailing underscores as themselves, outside literals and references."""
    parts = _MARKS.split(line)
    for i in range(0, len(parts), 2):
        bullet = re.match(r"\s*\* ", parts[i]) if i == 0 else None
        start = bullet.end() if bullet else 0
        parts[i] = parts[i][:start] + _TRAILING.sub(r"\\_", _SPECIAL.sub(r"\\\1", parts[i][start:]))
    return "".join(parts)


def _is_section_entry(line: str) -> bool:
    """``alpha_ : the penalty`` under Parameters or Attributes: numpydoc escapes it itself."""
    return re.match(r"\s*[\w, .]+ :( |$)", line) is not None


def plain(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Escape all but examples."""
    example = False
    for i, line in enumerate(lines):
        bare = line.strip()
        if bare.startswith(">>>"):
            example = True
        elif not bare:
            example = False
        if example:
            continue
        if _is_section_entry(line):
            names, colon, meaning = line.partition(" :")
            lines[i] = names + colon + escaped(meaning)
        else:
            lines[i] = escaped(line)


def ours(app: Any, what: str, name: str, obj: Any, skip: bool, options: Any) -> bool | None:
    """Members of scikit-learn's and SciPy's own classes are documented there."""
    if _MADE_BY_SKLEARN.fullmatch(name):
        return True
    subject = getattr(obj, "fget", None) or getattr(obj, "__func__", obj)
    module = getattr(subject, "__module__", None)
    if module is not None and callable(subject) and not str(module).startswith("mercer"):
        return True
    return None


def setup(app: Any) -> dict[str, Any]:
    app.connect("autodoc-process-docstring", plain, priority=400)  # numpydoc comes at 500
    app.connect("autodoc-skip-member", ours)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
