"""Link public names written as code, such as `SVC` or `RBF(length_scale)`, to the reference."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref

import mercer
from mercer import kernels

# Names that are also parameters or methods, and aliases, which have no page.
_WORDS = {"kernel", "repair", "save", "load", "param", "parse", "width", "Gaussian", "SameHoles"}
_NAMES = {*mercer.__all__, *kernels.__all__} - _WORDS - set(mercer._MODULES)
_CODE = re.compile(r"(?:mercer\.)?(\w+)(\(.*\))?")


def _column(code: nodes.Node) -> int:
    """The number of the table column that holds it; 0 outside of tables."""
    while code is not None and not isinstance(code, nodes.entry):
        code = code.parent
    return 0 if code is None else code.parent.index(code)


def link(app: Any, doctree: nodes.document) -> None:
    """Make links of names, except in links, in headings, and on the pages of the reference."""
    page = app.env.docname
    if page.startswith(("api/", "gallery/")):
        return
    for code in list(doctree.findall(nodes.literal)):
        match = _CODE.fullmatch(code.astext())
        if match is None or match[1] not in _NAMES:
            continue
        if isinstance(code.parent, (nodes.reference, pending_xref, nodes.title)):
            continue
        # The other columns of this page have the names of other libraries.
        if page == "names" and _column(code) > 0:
            continue
        wrapped = pending_xref(
            "",
            refdoc=page,
            refdomain="py",
            reftype="obj",
            reftarget=f"mercer.{match[1]}",
            refexplicit=True,
        )
        code.replace_self(wrapped)
        wrapped += code


def setup(app: Any) -> dict[str, Any]:
    app.connect("doctree-read", link)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
