"""The elements of reports in HTML; all text from the data is escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

from mercer.report.figures import Picture
from mercer.report.formatting import shorten

_NUMBER = re.compile(r"[-+−]?\d[\d.,]{0,11}(e[-+]?\d+)?")
_PHONE = 42  # letters on a line of a phone
_UNIT = re.compile(r"(?<=\d) (?=%)")
_SHORT = 18  # letters in a third of it, on two lines

_HEAD = (
    '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    # Nothing is loaded and no script runs, even if some text of the data were not escaped.
    '<meta http-equiv="Content-Security-Policy" '
    "content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'\">\n"
)


def document(title: str, description: str, links: str, body: str) -> str:
    """A whole page."""
    style = (Path(__file__).parent / "style.css").read_text(encoding="utf-8")
    return (
        f"{_HEAD}<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n"
        f"<body>\n<main>\n<header><h1>{escape(title)}</h1>"
        f'<p class="soft">{escape(description)}</p>'
        f"<nav>{links}</nav></header>\n"
        f"{body}\n</main>\n</body>\n</html>\n"
    )


def section(title: str, content: str, attributes: str = "") -> str:
    """A section with a title."""
    return f"<section{attributes}><h2>{escape(title)}</h2>{content}</section>"


def fact(value: str, name: str) -> str:
    """A figure in large type with what it is below; words are set smaller than numbers."""
    kind = "" if any(letter.isdigit() for letter in value) else ' class="word"'
    return f'<div class="fact"><b{kind}>{_joined(value)}</b><span>{escape(name)}</span></div>'


def folded(title: str, content: str) -> str:
    """Content that is shown on request, and in print."""
    return f"<details><summary>{escape(title)}</summary>{content}</details>"


def figures(drawn: Sequence[Picture], place: str = "pictures") -> str:
    """Pictures beside each other, with their captions."""
    if not drawn:
        return ""
    parts = []
    for picture in drawn:
        title, caption = escape(picture.title), escape(picture.caption)
        image = f'<img src="{picture.uri}" alt="{title}: {caption}">'
        text = f"<figcaption>{caption}</figcaption>"
        parts.append(f'<figure id="{picture.name}"><h3>{title}</h3>{image}{text}</figure>')
    return f'<div class="figures" id="{place}">{"".join(parts)}</div>'


def table(
    header: Sequence[str],
    rows: Iterable[Sequence[object]],
    numbers: Iterable[int] = (),
    extra: int = 0,
) -> str:
    """A table; ``numbers`` are the positions of its numeric columns.

    The last ``extra`` columns are shown on wide screens, and not on paper. On phones, the rows of
    a table that is wider than the screen are shown as blocks, in which each cell has its title.
    """
    kinds = [""] * len(header)
    for index in numbers:
        kinds[index] = "number"
    for index in range(len(kinds) - extra, len(kinds)):
        kinds[index] = "extra"
    lines = [list(map(str, row)) for row in rows]
    top = "".join(_cell("th", kind, title) for kind, title in zip(kinds, header, strict=True))
    shown = len(header) - extra
    if shown > 3 and _letters(header[:shown], lines) > _PHONE:
        opening, body = '<table class="stacked">', (_stacked(kinds, header, line) for line in lines)
    else:
        opening, body = "<table>", (_row(kinds, line) for line in lines)
    parts = f"<thead><tr>{top}</tr></thead><tbody>{''.join(body)}</tbody>"
    return f'<div class="scroll">{opening}{parts}</table></div>'


def _letters(header: Sequence[str], lines: list[list[str]]) -> int:
    """About how many letters wide a table is; titles and long texts are broken into lines."""
    total = 0
    for index, title in enumerate(header):
        word = max(map(len, re.split(r"[\s-]", title)))
        longest = max((len(line[index]) for line in lines), default=0)
        total += max(word, min(longest, _SHORT)) + 2  # and the space between columns
    return total


def _row(kinds: Sequence[str], values: Sequence[str]) -> str:
    pairs = zip(kinds, values, strict=True)
    return f"<tr>{''.join(_cell('td', kind, value) for kind, value in pairs)}</tr>"


def _stacked(kinds: Sequence[str], header: Sequence[str], values: Sequence[str]) -> str:
    """A row whose cells know their titles; those of long text take a line of the block."""
    cells = []
    for kind, title, value in zip(kinds, header, values, strict=True):
        length = "long" if len(value) > _SHORT else ""
        cells.append(_cell("td", f"{kind} {length}".strip(), value, title))
    return f"<tr>{''.join(cells)}</tr>"


def _cell(tag: str, kind: str, text: str, title: str = "") -> str:
    if tag == "td" and "number" not in kind and _NUMBER.fullmatch(text):
        kind = f"{kind} whole".strip()  # digits are not broken into lines
    attributes = _attribute("class", kind) + _attribute("data-title", title)
    return f"<{tag}{attributes}>{_joined(text)}</{tag}>"


def _joined(text: str) -> str:
    """Escaped text in which a number and the sign of its unit stay on one line."""
    return escape(_UNIT.sub("\N{NO-BREAK SPACE}", text))


def _attribute(name: str, value: str) -> str:
    return f' {name}="{escape(value)}"' if value else ""


def cell(value: object) -> str:
    """A value of the data in a table."""
    if value is None or value != value:
        return "–"
    return shorten(plain(value), 28)


def plain(value: object) -> str:
    """A value as text."""
    return f"{value:.4g}" if isinstance(value, float) else str(value)
