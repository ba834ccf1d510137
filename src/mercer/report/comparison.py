"""The HTML page of a comparison of two collections of samples."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from html import escape
from pathlib import Path

from mercer.aliases import Axes
from mercer.model_files.writing import write_whole
from mercer.plot.statistics.null import NullDisplay
from mercer.plot.statistics.witness import WitnessDisplay
from mercer.report.elements import document, fact, figures, section, table
from mercer.report.figures import drawn_by
from mercer.report.formatting import Described
from mercer.statistics.two_sample.columns import ColumnTests
from mercer.statistics.two_sample.result import MMDResult

_NULL = (
    "The statistic of the samples as given, among those of samples whose rows were permuted; it is"
    " large where the two differ."
)
_WITNESS = (
    "The witness function is large at rows that are like the first sample and unlike the second,"
    " and small at rows that are like the second."
)


@dataclasses.dataclass(frozen=True)
class Comparison:
    """A test of two collections, of their columns, and the rows that distinguish them.

    Parameters
    ----------
    names : tuple of two str
        What the collections are called.
    result : MMDResult
        The test of both.
    columns : ColumnTests or None
        The tests of the columns; None where samples have none.
    header : list of str
        The names of the cells of rows.
    rows : tuple of two lists of rows
        The rows of each that are least like the other: number, witness function, cells.
    notes : list of str
        Remarks.
    command : str
        The command that was given.
    single : tuple of two sequences of str
        The columns of tables that are in the first only, and in the second only.
    """

    names: tuple[str, str]
    result: MMDResult
    columns: ColumnTests | None
    header: list[str]
    rows: tuple[list[list[str]], list[list[str]]]
    notes: list[str]
    command: str = ""
    single: tuple[Sequence[str], Sequence[str]] = ((), ())


def write_comparison(comparison: Comparison, path: Path) -> Path:
    """Write the page of a comparison, whole or not at all."""
    write_whole(str(path), [_page(comparison).encode("utf-8", "backslashreplace")])
    return path


def _page(comparison: Comparison) -> str:
    first, second = comparison.names
    sections = [
        _verdict(comparison),
        figures(drawn_by([_null, _witness], comparison)),
        _columns(comparison),
        *(_rows(comparison, at) for at in (0, 1)),
        _notes(comparison),
    ]
    result = comparison.result
    description = f"{result.n_first:,} and {result.n_second:,} rows compared"
    return document(f"{first} and {second}", description, "", "\n".join(filter(None, sections)))


def _verdict(comparison: Comparison) -> str:
    result = comparison.result
    facts = [
        fact("yes" if result.rejects() else "not seen", "a difference, at 5 %"),
        fact(f"{result.pvalue:.3g}", f"p-value, from {result.n_permutations} permutations"),
    ]
    if comparison.columns is not None:
        count = len(comparison.columns.different())
        facts.append(fact(str(count), f"of {len(comparison.columns.tests)} columns differ"))
    count = sum(map(len, comparison.single))
    if count:
        facts.append(fact(str(count), "columns are in one file only"))
    meaning = (
        "A p-value is how often samples of one and the same distribution differ as much. A large"
        " one does not prove that there is no difference."
    )
    content = f'<div class="facts">{"".join(facts)}</div>{_single(comparison)}'
    content += f'<p class="soft">{meaning}</p>'
    return section("Do they differ?", content, ' id="error"')


def _single(comparison: Comparison) -> str:
    """The columns that one of the files lacks."""
    pairs = zip(comparison.names, comparison.single, strict=True)
    lines = [f"Only in {name}: {', '.join(columns)}." for name, columns in pairs if columns]
    return "".join(f"<p>{escape(line)}</p>" for line in lines)


def _null(comparison: Comparison, ax: Axes) -> Described:
    NullDisplay.from_result(comparison.result, ax=ax)
    return "Null distribution", _NULL


def _witness(comparison: Comparison, ax: Axes) -> Described:
    WitnessDisplay.from_result(comparison.result, ax=ax, names=comparison.names)
    return "Witness function", _WITNESS


def _columns(comparison: Comparison) -> str:
    if comparison.columns is None:
        return ""
    header, *rows = comparison.columns.rows()
    words = "Corrected p-values allow for the number of columns (Westfall and Young, step-down)."
    content = f"<p>{words}</p>{table(header, rows, numbers=(1, 2, 3))}"
    return section("Which columns?", content, ' id="data" class="long"')


def _rows(comparison: Comparison, at: int) -> str:
    name, other = comparison.names[at], comparison.names[1 - at]
    header = ["row", "witness", *comparison.header]
    content = table(header, comparison.rows[at], numbers=(0, 1))
    return section(f"Rows of {name} least like {other}", content, ' class="long"')


def _notes(comparison: Comparison) -> str:
    notes = [*comparison.notes, f"kernel: {comparison.result.kernel_text()}"]
    if comparison.command:
        notes.append(f"command: {comparison.command}")
    items = "".join(f"<li>{escape(note)}</li>" for note in notes)
    return section("Notes", f"<ul>{items}</ul>")
