"""Fenced blocks of Markdown pages, for the tests that run them."""

from __future__ import annotations

import re
from pathlib import Path


def fenced(path: Path) -> list[tuple[str, str]]:
    """The fenced blocks of a page in their order, each with its language, without the fences."""
    parts = re.split(r"^```(.*)\n", path.read_text(encoding="utf-8"), flags=re.M)
    return list(zip(parts[1::4], parts[2::4], strict=True))  # text, "python", block, "", text, ...


def blocks(path: Path, language: str) -> list[str]:
    """The fenced blocks of a language."""
    return [block for named, block in fenced(path) if named == language]
