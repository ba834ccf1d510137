"""Pieces of a page: sections, facts and tables, with all text from the data escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape


def section(title: str, content: str, attributes: str = "") -> str:
    """A card with a heading."""
    return f"<section{attributes}><h2>{escape(title)}</h2>{content}</section>"


def fact(value: str, name: str) -> str:
    """A figure in large type with what it is below; words are set smaller than numbers."""
    kind = "" if any(letter.isdigit() for letter in value) else ' class="word"'
    return f'<div class="fact"><b{kind}>{escape(value)}</b><span>{escape(name)}</span></div>'


def table(
    header: Sequence[str], rows: Iterable[Sequence[object]], numbers: Iterable[int] = ()
) -> str:
    """A table; ``numbers`` are the positions of its numeric columns."""
    kinds = ["" for _ in header]
    for index in numbers:
        kinds[index] = ' class="number"'
    top = _row("th", kinds, header)
    body = "".join(_row("td", kinds, row) for row in rows)
    return f'<div class="scroll"><table><thead>{top}</thead><tbody>{body}</tbody></table></div>'


def _row(tag: str, kinds: Sequence[str], values: Sequence[object]) -> str:
    pairs = zip(kinds, values, strict=True)
    cells = "".join(f"<{tag}{kind}>{escape(str(value))}</{tag}>" for kind, value in pairs)
    return f"<tr>{cells}</tr>"


def folded(title: str, content: str) -> str:
    """Content that is shown on request, and in print."""
    return f"<details><summary>{escape(title)}</summary>{content}</details>"
