"""Link pictures to their full size: on a phone their labels are small."""

from __future__ import annotations

import re
from typing import Any

_STUDY = re.compile(r'<img src="([^"]+)"[^>]*class = "sphx-glr-single-img"\s*/>')
_PAGE = re.compile(r'(?<=<p>)<img [^>]*src="([^"]+)"[^>]*>(?=</p>)')


def link(app: Any, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Make a link of every picture that stands on its own."""
    for kind in (_STUDY, _PAGE):
        context["body"] = kind.sub(r'<a href="\1">\g<0></a>', context.get("body", ""))


def setup(app: Any) -> dict[str, Any]:
    app.connect("html-page-context", link)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
