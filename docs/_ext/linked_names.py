"""A public name in a page, written as code, leads to its page of the reference: `SVC`, `RBF(length_scale)`."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref

import mercer
from mercer import kernels

_WORDS = {
    "kernel",
    "repair",
    "save",
    "load",
    "param",
    "parse",
    "width",
    "Gaussian",
}  # parameters and methods; the last has no page
_NAMES = {*mercer.__all__, *kernels.__all__} - _WORDS - set(mercer._MODULES)
_CODE = re.compile(r"(?:mercer\.)?(\w+)(\(.*\))?")


def _column(code: nodes.Node) -> int:
    """In which column of a table it stands; 0 outside tables."""
    while code is not None and not isinstance(code, nodes.entry):
        code = code.parent
    return 0 if code is None else code.parent.index(code)


def link(app: Any, doctree: nodes.document) -> None:
    """Wrap such names; not those that are links already, in headings, or on the pages of the reference."""
    page = app.env.docname
    if page.startswith(("api/", "gallery/")):
        return
    for code in list(doctree.findall(nodes.literal)):
        found = _CODE.fullmatch(code.astext())
        if (
            found is None
            or found[1] not in _NAMES
            or isinstance(code.parent, (nodes.reference, pending_xref, nodes.title))
        ):
            continue
        if page == "names" and _column(code) > 0:  # what others call it is not ours
            continue
        wrapped = pending_xref(
            "",
            refdoc=page,
            refdomain="py",
            reftype="obj",
            reftarget=f"mercer.{found[1]}",
            refexplicit=True,
        )
        code.replace_self(wrapped)
        wrapped += code


def setup(app: Any) -> dict[str, Any]:
    app.connect("doctree-read", link)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
