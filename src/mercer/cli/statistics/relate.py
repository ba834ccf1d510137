"""``mercer relate``: which columns of a table depend on each other, also given others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mercer.aliases import Frame
from mercer.automatic.checks.chosen import find_column, find_columns
from mercer.cli.loading import missing_words
from mercer.cli.output import note, plain_warnings, print_json, with_threads
from mercer.errors import InputError
from mercer.markup import visible
from mercer.proposals.keys import identifiers
from mercer.readers import read_source
from mercer.statistics.independence.pairs import Relations, relate


def run(
    data: list[Path],
    columns: list[str],
    given: list[str],
    groups: str | None,
    options: dict[str, Any],
    reading: dict[str, Any],
    threads: int | None,
    as_json: bool,
) -> int:
    """Run the command; return 0."""
    with plain_warnings(), with_threads(threads):
        table = _read(data, reading)
        relations = _relations(table, columns, given, groups, options)
    if as_json:
        files = [str(file) for file in data]
        print_json({"data": files, "rows": len(table), **relations.to_dict()})
        return 0
    head, *rest = str(relations).split("\n")
    print(f"{len(table):,} rows of {data[0]}")
    print(visible("\n".join([head, *rest[: len(relations.rows()) - 1]])))
    for text in dict.fromkeys([*relations.notes, *_notes(relations)]):
        note(text)
    return 0


def _read(data: list[Path], reading: dict[str, Any]) -> Frame:
    source = read_source(data, **{**reading, "missing": missing_words(reading["missing"])})
    if source.kind != "table":
        rule = f"holds {source.kind}, of which there are no columns to relate"
        raise InputError("data", str(data[0]), rule, "give a table")
    return source.samples


def _relations(
    table: Frame, columns: list[str], given: list[str], groups: str | None, options: dict[str, Any]
) -> Relations:
    """The tests of the columns that were named, or of all of them."""
    conditions = find_columns(table, given, "given")
    labels = None
    if groups is not None:
        groups = find_column(table, groups, "groups")
        labels = table[groups].astype(str).to_numpy()
    chosen = find_columns(table, columns, "columns")
    if not columns:
        others = [name for name in table.columns if name not in (*conditions, groups)]
        keys = identifiers(table[others])
        chosen = [name for name in others if name not in keys]
        if keys:
            names = ", ".join(keys)
            note(f"left out as identifiers: {names}; --columns relates those that it names")
    return relate(table, chosen, given=conditions, groups=labels, **options)


def _notes(relations: Relations) -> list[str]:
    """What the tests say, each remark once, but for how kernels were chosen."""
    notes = [text for pair in relations.pairs for text in pair.result.notes]
    return [text for text in notes if "chosen from each view" not in text]
