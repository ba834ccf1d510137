"""Which files are read block by block, and which options are not used there."""

from __future__ import annotations

import os
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from mercer.aliases import Frame
from mercer.automatic.checks.chosen import Choice, find_column
from mercer.automatic.studies.effort import Effort
from mercer.cli.streaming.kernels import is_numeric
from mercer.errors import InputError, MercerError, ParameterError
from mercer.gram.blocks.files import ARROW, PARQUET, find_files, has_rows
from mercer.gram.blocks.sources import scan
from mercer.gram.plan import kept_rows
from mercer.proposals.keys import is_key
from mercer.readers.sources import holds_tables

MANY_ROWS = 100_000  # of one table, beyond which it is read block by block
SOME_ROWS = 3000  # the same, where centers or a cluster are asked for
_DEFAULTS: tuple[object, ...] = (None, (), [], False, "utf-8")  # of options that are not used here


def streams(
    data: list[Path],
    target: str | None,
    choices: dict[str, Any],
    reading: dict[str, Any],
    test: Path | None,
) -> bool:
    """Whether files are read block by block: several tables, a folder of them, or a large one.

    One table is large by its bytes, or by its rows: more than 3,000 where centers or a cluster are
    asked for, and more than 100,000 of a Parquet or Arrow file that needs nothing else.
    """
    for path in data:
        if "*" not in str(path) and not path.exists():
            raise InputError("path", str(path), "is not there")
    if not all(map(_has_rows, data)):
        return False
    if len(data) > 1 or "*" in str(data[0]) or data[0].is_dir():
        return True
    if not data[0].is_file():
        return False
    if os.path.getsize(data[0]) > kept_rows():
        return True
    if choices.get("centers") is not None or choices.get("engine") is not None:
        return _has_more(data[0], SOME_ROWS)
    if target is None or _unused(choices, reading, test) or unused_note(choices["effort"]):
        return False
    if not data[0].name.lower().endswith((*PARQUET, *ARROW)):
        return False  # a text file may lack a header, and its types are those of all rows
    return _has_more(data[0], MANY_ROWS) and _is_plain(data[0], target, choices["choice"])


def _has_more(path: Path, most: int) -> bool:
    """Whether a table has more than so many rows, each of which takes two bytes at least."""
    packed = path.name.lower().endswith((*PARQUET, *ARROW, ".gz"))
    if not packed and os.path.getsize(path) <= 2 * most:
        return False
    try:
        return len(scan(path)) > most
    except (MercerError, ValueError, EOFError, zlib.error):
        return False  # the reading of the whole table says what is wrong


def _is_plain(path: Path, target: str, choice: Choice) -> bool:
    """Whether the columns to learn from hold finite numbers only, and no target is missing.

    Columns that may be identifiers are for the reading of the whole table.
    """
    try:
        return all(_is_complete(block.X, target, choice) for block in scan(path))
    except (MercerError, ValueError):
        return False


def _is_complete(frame: Frame, target: str, choice: Choice) -> bool:
    name = find_column(frame, target)
    features = choice.apply(frame, name)[0]
    if any(map(is_key, features.columns)):
        return False
    if frame[name].isna().any() or not all(is_numeric(column) for _, column in features.items()):
        return False
    return bool(np.isfinite(np.asarray(features, dtype=np.float64)).all())


def _has_rows(path: Path) -> bool:
    """Whether a file, a folder or a pattern is one of tables."""
    return has_rows(str(path)) or "*" in str(path) or holds_tables(path)


def tables_of(data: list[Path]) -> list[Path]:
    """The tables of files, folders and patterns."""
    return list(map(Path, find_files(data)))


def refuse_unused(choices: dict[str, Any], reading: dict[str, Any], test: Path | None) -> None:
    """Refuse options that only a table read as a whole obeys."""
    for name, value in _unused(choices, reading, test).items():
        rule = "is not used where files are read block by block"
        remedy = "leave it out, or give a table that fits an eighth of the memory budget"
        raise ParameterError(f"--{name}", value, rule, remedy)


def _unused(
    choices: dict[str, Any], reading: dict[str, Any], test: Path | None
) -> dict[str, object]:
    """The options that only a table read as a whole obeys, where they were given."""
    given = {**reading, "metric": choices["metric"], "test": test}
    if choices["learner"] != "auto":
        given["learner"] = choices["learner"]
    return {name: value for name, value in given.items() if value not in _DEFAULTS}


def unused_note(effort: Effort) -> list[str]:
    """A note on options of cross-validation, which does not take place."""
    default = Effort()
    given = {
        "--quick": effort.quick,
        "--time": effort.seconds is not None,
        "--folds": effort.folds != default.folds,
        "--repeats": effort.repeats is not None,
    }
    names = [name for name, is_given in given.items() if is_given]
    if not names:
        return []
    verb = "has" if len(names) == 1 else "have"
    return [f"{', '.join(names)} {verb} no effect where files are read block by block"]
