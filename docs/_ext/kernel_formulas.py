"""Add the formula of a kernel, typeset, to its page of the reference."""

from __future__ import annotations

from typing import Any

from mercer.kernels import catalogue
from mercer.kernels.faces.latex import symbolic


def add(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Insert the formula after the first paragraph of the docstring of a kernel."""
    if what != "class" or catalogue().get(name.rpartition(".")[2]) is not obj:
        return
    formula = symbolic(obj.__name__)
    if formula is None:
        return
    end = lines.index("") if "" in lines else len(lines)
    lines[end:end] = ["", ".. math::", "", f"   k(x, y) = {formula}", ""]


def setup(app: Any) -> dict[str, Any]:
    app.connect("autodoc-process-docstring", add, priority=450)  # after formulas were escaped
    return {"parallel_read_safe": True, "parallel_write_safe": True}
