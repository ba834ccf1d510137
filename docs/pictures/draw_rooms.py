"""Draw rooms.svg from the layers of import-linter: python docs/pictures/draw_rooms.py."""

from __future__ import annotations

import tomllib
from html import escape
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]

# What each package or module holds.
CONTENTS = {
    "cli": "the commands fit, predict, explain, check, compare, studio, …",
    "studio": "the page in the browser, its server and its processes",
    "report": "the HTML page of a fitted model",
    "model_files": "save and load, by declared state",
    "first_use": "compiles everything at once",
    "automatic": "kernel and hyperparameters chosen from the data",
    "testing": "checks of any kernel",
    "plot": "displays",
    "statistics": "tests of hypotheses, thinning",
    "explanations": "contributions of columns, parts of a sample and training samples",
    "estimators": "the scikit-learn interface: common, svm, ridge, gp, projection, …",
    "bridges": "kernels from and to scikit-learn",
    "proposals": "kernels that suit a kind of data",
    "kernels": "formulas, algebra, gradients, witnesses",
    "solvers": "margin, ridge, gp, projection, …",
    "gram": "plan, tiles, Stored, Streamed, LowRank",
    "linalg": "Cholesky, conjugate gradients, Lanczos, the base class Solution",
    "domains": "what a sample is: raw objects become flat arrays",
    "execution": "threads, BLAS",
    "definiteness": "certificates",
    "params": "rules",
    "state": "stored state",
    "config": "settings",
    "readers": "files of data",
    "datasets": "two tables",
    "_compiled": "Numba loops",
    "limits": "memory of the process",
    "signals": "Ctrl-C that waits",
    "markup": "HTML for notebooks",
    "errors": "errors and warnings",
    "aliases": "names of types",
    "homes": "modules of the public names",
    "version": "the version",
}

# The steps of a fit that happen in each package, as the page on design numbers them.
STEPS = {"estimators": "1, 7", "domains": "2", "kernels": "3", "gram": "4, 5", "solvers": "6"}

WIDTH, ROW, GAP, MARGIN, LEFT = 900, 44, 10, 16, 44
SANS = "font-family='DejaVu Sans, Verdana, sans-serif'"
MONO = "font-family='DejaVu Sans Mono, Menlo, Consolas, monospace'"


def layers() -> list[list[str]]:
    """The packages of each layer, the highest layer first."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    names = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    return [
        [room.strip(" ()").removeprefix("mercer.") for room in layer.split("|")] for layer in names
    ]


def box(room: str, x: float, y: float, width: float, alone: bool) -> list[str]:
    """One package: its name, its contents, and the steps of a fit that happen in it."""
    steps = STEPS.get(room)
    fill, line = ("#fdf0d5", "#b7791f") if steps else ("#eef3f8", "#6b87a3")
    parts = [
        f"<rect x='{x}' y='{y}' width='{width}' height='{ROW}' rx='6' "
        f"fill='{fill}' stroke='{line}'/>"
    ]
    holds = escape(CONTENTS[room])
    name = f"font-size='15' font-weight='bold' fill='#1b2a3a' {MONO}"
    words = f"font-size='13' fill='#33475b' {SANS}"
    if alone:
        parts.append(f"<text x='{x + 14}' y='{y + 27}' {name}>{room}</text>")
        parts.append(f"<text x='{x + 150}' y='{y + 27}' {words}>{holds}</text>")
    else:
        parts.append(f"<text x='{x + 14}' y='{y + 19}' {name}>{room}</text>")
        parts.append(f"<text x='{x + 14}' y='{y + 36}' {words}>{holds}</text>")
    if steps:
        label = f"font-size='14' font-weight='bold' fill='#8a5a12' text-anchor='end' {SANS}"
        baseline = y + 27 if alone else y + 19
        parts.append(f"<text x='{x + width - 14}' y='{baseline}' {label}>{steps}</text>")
    return parts


def picture() -> str:
    """The whole drawing."""
    rows = layers()
    height = 2 * MARGIN + len(rows) * (ROW + GAP) + 24
    parts = [
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {height}' "
        f"width='{WIDTH}' height='{height}' role='img' "
        "aria-label='The packages of mercer; imports point down only'>",
        "<defs><marker id='tip' viewBox='0 0 10 10' refX='8' refY='5' markerWidth='7' "
        "markerHeight='7' orient='auto'>"
        "<path d='M0 0 L10 5 L0 10 z' fill='#6b87a3'/></marker></defs>",
        f"<rect width='{WIDTH}' height='{height}' fill='white'/>",
    ]
    for number, rooms in enumerate(rows):
        y = MARGIN + number * (ROW + GAP)
        width = (WIDTH - LEFT - MARGIN - GAP * (len(rooms) - 1)) / len(rooms)
        for place, room in enumerate(rooms):
            parts += box(room, LEFT + place * (width + GAP), y, width, len(rooms) == 1)
    end = MARGIN + len(rows) * (ROW + GAP) - GAP
    parts.append(
        f"<path d='M22 {MARGIN} V{end}' stroke='#6b87a3' stroke-width='2' marker-end='url(#tip)'/>"
    )
    caption = "Imports point down only. Numbers are the steps of a fit, where they happen."
    parts.append(
        f"<text x='{LEFT}' y='{end + 26}' font-size='13' fill='#33475b' {SANS}>{caption}</text>"
    )
    return "\n".join([*parts, "</svg>", ""])


if __name__ == "__main__":
    (HERE / "rooms.svg").write_text(picture(), encoding="utf-8")
