"""Which files are read block by block, and which options are not used there."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from mercer.automatic.studies.effort import Effort
from mercer.errors import InputError, ParameterError
from mercer.gram.blocks.files import find_files, has_rows
from mercer.gram.plan import kept_rows
from mercer.readers.sources import holds_tables

_DEFAULTS: tuple[object, ...] = (None, (), [], False, "utf-8")  # of options that are not used here


def streams(data: list[Path]) -> bool:
    """Whether files are read block by block: several tables, a folder of them, or a large one."""
    for path in data:
        if "*" not in str(path) and not path.exists():
            raise InputError("path", str(path), "is not there")
    if not all(map(_has_rows, data)):
        return False
    if len(data) > 1 or "*" in str(data[0]) or data[0].is_dir():
        return True
    return data[0].is_file() and os.path.getsize(data[0]) > kept_rows()


def _has_rows(path: Path) -> bool:
    """Whether a file, a folder or a pattern is one of tables."""
    return has_rows(str(path)) or "*" in str(path) or holds_tables(path)


def tables_of(data: list[Path]) -> list[Path]:
    """The tables of files, folders and patterns."""
    return list(map(Path, find_files(data)))


def refuse_unused(choices: dict[str, Any], reading: dict[str, Any], test: Path | None) -> None:
    """Refuse options that only a table read as a whole obeys."""
    given = {**reading, "metric": choices["metric"], "test": test}
    if choices["learner"] != "auto":
        given["learner"] = choices["learner"]
    for name, value in given.items():
        if value not in _DEFAULTS:
            rule = "is not used where files are read block by block"
            remedy = "leave it out, or give a table that fits an eighth of the memory budget"
            raise ParameterError(f"--{name}", value, rule, remedy)


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
