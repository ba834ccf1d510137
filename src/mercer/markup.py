"""Texts for terminals, and HTML for notebooks: boxes, tables and pictures, in light and dark.

Colors are those of the notebook; lines and backgrounds are half transparent grays, so that nothing
has to know which theme is in use.
"""

from __future__ import annotations

import base64
import html
import re
import struct
import zlib
from collections.abc import Iterable, Sequence

import numpy as np

# All control characters but tabs and line ends, and marks that change the direction of writing.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")
_BOX = (
    "display:inline-block;max-width:100%;box-sizing:border-box;padding:.5em .8em;margin:.2em 0;"
    "border:1px solid rgba(127,127,127,.4);border-radius:6px;color:inherit;"
    "font-family:system-ui,sans-serif;font-size:.95em;line-height:1.45;overflow-x:auto;overflow-y:hidden"
)
_TABLE = "border-collapse:collapse;color:inherit;background:none;margin:0"
_CELL = (
    "text-align:left;vertical-align:top;padding:.15em .9em .15em 0;border:0;color:inherit;"
    "background:none"
)
_BADGES = {  # green, green, amber, gray, red
    "strict": "46,160,67",
    "psd": "46,160,67",
    "cpd": "210,153,34",
    "unknown": "127,127,127",
    "indefinite": "218,54,51",
}
_LONG = re.compile(r"(?<![\w.])\d+\.\d{5,}(?:e[-+]?\d+)?")  # a number of more digits than one reads
_MANY = re.compile(r"\[([^\[\],]+), ([^\[\],]+)(?:, [^\[\],]+){5,}, ([^\[\],]+)\]")
# five colors between which those of pictures lie: dark blue to yellow
_COLORS = np.array(
    [[38, 24, 82], [89, 44, 122], [178, 62, 108], [240, 122, 73], [250, 219, 128]], dtype=float
)


def shortened(text: str) -> str:
    """The text of a kernel with the ends of lists of more than seven numbers alone, to be read.

    Examples
    --------
    >>> from mercer.markup import shortened
    >>> shortened("RBF(length_scale=[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0])")
    'RBF(length_scale=[1.0, 2.0, …, 8.0])'
    """
    return _MANY.sub(r"[\1, \2, …, \3]", text)


def four_digits(text: str) -> str:
    """A text whose numbers with more digits than one reads have four of them.

    Examples
    --------
    >>> from mercer.markup import four_digits
    >>> four_digits("RBF(length_scale=0.12345678) + 2.5 * Linear()")
    'RBF(length_scale=0.1235) + 2.5 * Linear()'
    """
    return _LONG.sub(lambda number: f"{float(number[0]):.4g}", text)


def escaped(text: object) -> str:
    """A text in which nothing is taken for markup."""
    return html.escape(str(text))


def code(text: object) -> str:
    """A text in the letters of programs, wrapped where it is long."""
    style = "white-space:pre-wrap;overflow-wrap:anywhere;background:none;color:inherit"
    return f'<code style="{style}">{escaped(text)}</code>'


def name(text: object) -> str:
    """A name in the letters of programs, on one line."""
    style = "white-space:nowrap;background:none;color:inherit"
    return f'<code style="{style}">{escaped(text)}</code>'


def box(*parts: str) -> str:
    """Parts of HTML below each other in a frame."""
    inside = "".join(f'<div style="padding:.15em 0">{part}</div>' for part in parts if part)
    return f'<div style="{_BOX}">{inside}</div>'


def badge(status: str, words: str) -> str:
    """A colored mark that says what is known of a kernel."""
    color = _BADGES.get(status, _BADGES["unknown"])
    style = (
        f"background:rgba({color},.18);border:1px solid rgba({color},.6);border-radius:1em;"
        "padding:0 .6em;white-space:nowrap"
    )
    return f'<span style="{style}">{escaped(words)}</span>'


def table(rows: Iterable[Sequence[str]], header: Sequence[str] = ()) -> str:
    """A table of cells that are HTML already; of rows without a header the first cell is a name."""
    head = "".join(f'<th style="{_CELL}">{escaped(title)}</th>' for title in header)
    body = []
    for first, *others in rows:
        tag = "td" if header else "th"
        cells = "".join(f'<td style="{_CELL}">{cell}</td>' for cell in others)
        body.append(f'<tr><{tag} style="{_CELL}">{first}</{tag}>{cells}</tr>')
    top = f"<thead><tr>{head}</tr></thead>" if header else ""
    return f'<table style="{_TABLE}">{top}<tbody>{"".join(body)}</tbody></table>'


def folded(summary: str, content: str, is_open: bool = True) -> str:
    """Content that folds away below its summary."""
    opened = " open" if is_open else ""
    style = "margin-left:1em;padding-left:.7em;border-left:1px solid rgba(127,127,127,.4)"
    return (
        f'<details{opened}><summary style="cursor:pointer">{summary}</summary>'
        f'<div style="{style}">{content}</div></details>'
    )


def picture(matrix: np.ndarray, words: str, side: int = 160) -> str:
    """A matrix of numbers as a small picture, dark where they are small."""
    data = base64.b64encode(png(matrix)).decode("ascii")
    style = f"width:{side}px;max-width:100%;image-rendering:pixelated;border-radius:3px"
    source = f"data:image/png;base64,{data}"
    return f'<img alt="{escaped(words)}" style="{style}" src="{source}">'


def png(matrix: np.ndarray) -> bytes:
    """A matrix of numbers as a PNG file, one pixel each; values that are not finite are black."""
    pixels = _colors(np.asarray(matrix, dtype=float))
    height, width, _ = pixels.shape
    lines = np.concatenate([np.zeros((height, 1), np.uint8), pixels.reshape(height, -1)], axis=1)
    size = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = (("IHDR", size), ("IDAT", zlib.compress(lines.tobytes(), 9)), ("IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, data) for name, data in chunks)


def _chunk(name: str, data: bytes) -> bytes:
    body = name.encode("ascii") + data
    return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))


def _colors(values: np.ndarray) -> np.ndarray:
    """A color for every value, from the least to the largest."""
    finite = np.isfinite(values)
    low, high = (values[finite].min(), values[finite].max()) if finite.any() else (0.0, 0.0)
    scaled = np.where(finite, values - low, 0.0) / ((high - low) or 1.0)
    place = scaled * (len(_COLORS) - 1)
    below = np.minimum(place.astype(int), len(_COLORS) - 2)
    share = (place - below)[..., None]
    pixels = (1 - share) * _COLORS[below] + share * _COLORS[below + 1]
    return np.where(finite[..., None], pixels, 0.0).round().astype(np.uint8)


def visible(text: str) -> str:
    """A text whose control characters are written as escapes: data must not move the cursor,
    change colors or reverse the direction of what a terminal shows.
    """
    return _CONTROL.sub(lambda match: ascii(match[0])[1:-1], text)


class LabeledLines:
    """Results that are shown as labeled lines of text, and in notebooks as a table."""

    def lines(self) -> list[tuple[str, str]]:
        """The result as labeled lines of text."""
        raise NotImplementedError

    def __str__(self) -> str:
        lines = self.lines()
        width = 2 + max(len(label) for label, _ in lines)
        return visible("\n".join(f"{label:<{width}}{text}" for label, text in lines))

    def _repr_html_(self) -> str:
        lines = self.lines()
        rows = [
            f"<tr><th>{escaped(name)}</th><td>{escaped(text)}</td></tr>" for name, text in lines
        ]
        return f"<table>{''.join(rows)}</table>"


class TextTable:
    """Results that are shown as a table with a head, followed by notes."""

    notes: Sequence[str]

    def rows(self) -> list[tuple[str, ...]]:
        """The table as text, with its head."""
        raise NotImplementedError

    def __str__(self) -> str:
        rows = self.rows()
        widths = [2 + max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["".join(f"{t:<{w}}" for t, w in zip(row, widths)).rstrip() for row in rows]
        return visible("\n".join([*lines, *self.notes]))

    def _repr_html_(self) -> str:
        head, *rows = self.rows()
        lines = [f"<tr><th>{'</th><th>'.join(map(escaped, head))}</th></tr>"]
        lines += [f"<tr><td>{'</td><td>'.join(map(escaped, row))}</td></tr>" for row in rows]
        return f"<table>{''.join(lines)}</table>"
