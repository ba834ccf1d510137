"""Remove the empty line that ends every example of a page; doctest needs it, readers do not."""

from __future__ import annotations

from typing import Any


def close_up(app: Any, docname: str, source: list[str]) -> None:
    """Remove the empty line before the fence that closes a block."""
    source[0] = source[0].replace("\n\n```\n", "\n```\n")


def setup(app: Any) -> dict[str, Any]:
    app.connect("source-read", close_up)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
