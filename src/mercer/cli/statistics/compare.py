"""``mercer compare``: whether, and where, two files of samples differ."""

from __future__ import annotations

import dataclasses
import shlex
from pathlib import Path
from typing import Any

import numpy as np

from mercer.aliases import RawSamples
from mercer.cli.loading import missing_words
from mercer.cli.numeric import check_columns
from mercer.cli.output import align, check_writable, note, plain_warnings, print_json, with_threads
from mercer.cli.statistics.columns import alike
from mercer.domains.base import pick_rows, raw_length
from mercer.kernels.expression import parse
from mercer.readers import read_source
from mercer.report.comparison import Comparison, write_comparison
from mercer.report.elements import cell
from mercer.statistics.two_sample.columns import ColumnTests, column_tests
from mercer.statistics.two_sample.mmd import mmd_test
from mercer.statistics.two_sample.result import MMDResult

_SHOWN_ROWS = 5  # of each file
_SHOWN_COLUMNS = 10
_LEVEL = 0.05


@dataclasses.dataclass(frozen=True)
class Settings:
    """How files are compared.

    Parameters
    ----------
    kernel : str
        An expression, or "auto".
    permutations : int
        How many permutations.
    most_rows : int
        Rows of each file that are compared at most.
    columns, drop : sequences of str
        Columns to compare, all others being left out, and columns to leave out.
    seed : int
        The seed of the random generator.
    """

    kernel: str = "auto"
    permutations: int = 999
    most_rows: int = 2000
    columns: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    seed: int = 0


def run(
    data: tuple[Path, Path],
    settings: Settings,
    reading: dict[str, Any],
    report: Path | None,
    threads: int | None,
    as_json: bool,
    quiet: bool,
) -> int:
    """Run the command; return 0, or 1 where rows differ at 5 %, or a column is in one file only."""
    if report is not None:
        check_writable(report, list(data))
    with plain_warnings(not quiet), with_threads(threads):
        compared = _compare(data, settings, reading)
    if report is not None:
        write_comparison(compared, report)
    if as_json:
        print_json(_values(compared, report))
    elif not quiet:
        print(_text(compared, report))
    return int(_differ(compared))


def _differ(compared: Comparison) -> bool:
    """Whether the files have other columns, or rows that differ."""
    return any(compared.single) or compared.result.rejects(_LEVEL)


def _compare(data: tuple[Path, Path], settings: Settings, reading: dict[str, Any]) -> Comparison:
    if "missing" in reading:
        reading = {**reading, "missing": missing_words(reading["missing"])}
    first = read_source([data[0]], **reading)
    second = read_source([data[1]], like=first, **reading)
    for each in (first, second):
        for remark in each.notes:
            note(remark)
    X, Y, single, notes = alike(first, second, settings.columns, settings.drop)
    if settings.kernel != "auto":
        for Z in (X, Y):
            check_columns(parse(settings.kernel), Z)
    rng = np.random.default_rng(settings.seed)
    (X, places), (Y, others) = (_some(Z, settings.most_rows, rng) for Z in (X, Y))
    if len(places) < raw_length(first.samples) or len(others) < raw_length(second.samples):
        notes.append(f"{len(places):,} and {len(others):,} rows, drawn at random, were compared")
    options: dict[str, Any] = {"n_permutations": settings.permutations, "random_state": rng}
    result = mmd_test(X, Y, settings.kernel, **options)
    columns = _column_tests(X, Y, settings, options)
    header, rows = _telling(X, Y, (places, others), result, columns)
    names = _names(data)
    notes += [*result.notes, *(columns.notes if columns is not None else ())]
    command = _command(data, settings)
    return Comparison(names, result, columns, header, rows, notes, command, single)


def _names(data: tuple[Path, Path]) -> tuple[str, str]:
    """The names of the files, with their folders where the names are the same."""
    first, second = data
    return (str(first), str(second)) if first.name == second.name else (first.name, second.name)


# -- samples ---------------------------------------------------------------------------------------


def _some(
    samples: RawSamples, most: int, rng: np.random.Generator
) -> tuple[RawSamples, np.ndarray]:
    """At most so many samples, drawn at random, and their places."""
    count = raw_length(samples)
    if count <= most:
        return samples, np.arange(count)
    rows = np.sort(rng.permutation(count)[:most])
    return pick_rows(samples, rows), rows


def _column_tests(
    X: RawSamples, Y: RawSamples, settings: Settings, options: dict[str, Any]
) -> ColumnTests | None:
    """The tests of the columns of tables that have several."""
    if not hasattr(X, "columns"):
        return None
    return column_tests(X, Y, max_rows=settings.most_rows, **options)


def _telling(
    X: RawSamples,
    Y: RawSamples,
    places: tuple[np.ndarray, np.ndarray],
    result: MMDResult,
    columns: ColumnTests | None,
) -> tuple[list[str], tuple[list[list[str]], list[list[str]]]]:
    """The rows of each that are least like the other, with the columns that differ first."""
    shown = [test.name for test in columns.tests[:_SHOWN_COLUMNS]] if columns is not None else []
    witness = result.witness_of_samples()
    tables = []
    for at, Z in enumerate((X, Y)):
        order = np.argsort(-witness[at] if at == 0 else witness[at], kind="stable")[:_SHOWN_ROWS]
        rows = []
        for row in order:
            number = f"{places[at][row] + 1}"
            rows.append([number, f"{witness[at][row]:.3g}", *_cells(Z, int(row), shown)])
        tables.append(rows)
    header = [str(name) for name in shown] or ["sample"]
    return header, (tables[0], tables[1])


def _cells(Z: RawSamples, row: int, shown: list[Any]) -> list[str]:
    if shown:
        return [cell(value) for value in Z[shown].iloc[row]]
    sample = pick_rows(Z, [row])
    if not isinstance(sample, list):
        return [f"row {row + 1}"]
    if isinstance(sample[0], np.ndarray):
        return [f"{len(sample[0])} points"]
    return [cell(sample[0])]


# -- output ----------------------------------------------------------------------------------------


def _command(data: tuple[Path, Path], settings: Settings) -> str:
    parts = ["mercer", "compare", *map(str, data)]
    for name, value in (("--kernel", settings.kernel), ("--seed", str(settings.seed))):
        parts += [name, value]
    parts += ["--permutations", str(settings.permutations), "--rows", str(settings.most_rows)]
    for option, names in (("--columns", settings.columns), ("--drop", settings.drop)):
        for name in names:
            parts += [option, name]
    return shlex.join(parts)


def _text(compared: Comparison, report: Path | None) -> str:
    lines = [("verdict", _verdict(compared)), *_single_lines(compared)]
    if compared.columns is not None:
        lines += _column_lines(compared.columns)
    for at, name in enumerate(compared.names):
        numbers = ", ".join(row[0] for row in compared.rows[at])
        lines.append((f"rows of {name}", f"{numbers} are least like {compared.names[1 - at]}"))
    lines += [("note", text) for text in compared.notes]
    if report is not None:
        lines.append(("report", str(report)))
    return align(lines)


def _verdict(compared: Comparison) -> str:
    """Whether the rows differ, after the columns of one file only, if there are such."""
    first, second = compared.names
    rows = "differ" if compared.result.rejects(_LEVEL) else "are not seen to differ"
    pvalue = f"p = {compared.result.pvalue:.3g}"
    if compared.columns is None or not any(compared.single):
        return f"{first} and {second} {rows}: {pvalue}"
    shared = f"in the {len(compared.columns.tests)} columns that are compared"
    return f"{first} and {second} have different columns; they {rows} {shared}: {pvalue}"


def _single_lines(compared: Comparison) -> list[tuple[str, str]]:
    """The columns that one of the files lacks."""
    pairs = zip(compared.names, compared.single, strict=True)
    return [(f"only in {name}", ", ".join(columns)) for name, columns in pairs if columns]


def _column_lines(columns: ColumnTests) -> list[tuple[str, str]]:
    """Which columns differ, after the correction for their number."""
    different = [test for test in columns.tests if test.corrected <= _LEVEL]
    if not different:
        return [("columns", f"none of {len(columns.tests)} differs by itself")]
    words = [f"{test.name} (p = {test.corrected:.3g})" for test in different[:_SHOWN_COLUMNS]]
    rest = len(different) - len(words)
    more = f", and {rest} more" if rest else ""
    return [("columns", f"{', '.join(words)}{more}; p corrected for {len(columns.tests)} columns")]


def _values(compared: Comparison, report: Path | None) -> dict[str, Any]:
    columns = compared.columns
    rows = {
        name: [int(row[0]) for row in compared.rows[at]] for at, name in enumerate(compared.names)
    }
    return {
        "different": _differ(compared),
        "columns_of_one_file": dict(zip(compared.names, compared.single, strict=True)),
        **compared.result.to_dict(),
        "columns": [] if columns is None else columns.to_dict()["columns"],
        "telling_rows": rows,
        "notes": compared.notes,
        "report": None if report is None else str(report),
    }
