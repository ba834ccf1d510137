"""Typeset formulas without a network: one file of MathJax, taken from a package, is copied.

The package ``sphinx-mathjax-offline`` of the extra ``docs`` brings MathJax; of its 24 MB only the
file that reads TeX and draws SVG is needed, which has its letters inside. The repository holds none
of it.
"""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path
from typing import Any

FILE = "tex-svg.js"


def source() -> Path:
    """The file inside the installed package."""
    found = importlib.util.find_spec("sphinx-mathjax-offline")
    if found is None or found.origin is None:
        raise ImportError("formulas need MathJax: pip install 'mercer[docs]'")
    return Path(found.origin).parent / "static" / "mathjax" / FILE


def copy(app: Any, error: Exception | None) -> None:
    """Put the file beside the pages."""
    if error is not None or app.builder.format != "html":
        return
    folder = Path(app.outdir) / "_static" / "mathjax"
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(source(), folder / FILE)


def setup(app: Any) -> dict[str, Any]:
    app.setup_extension("sphinx.ext.mathjax")
    app.config.mathjax_path = f"mathjax/{FILE}"
    app.connect("build-finished", copy)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
