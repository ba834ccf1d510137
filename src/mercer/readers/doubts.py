"""What a reader is in doubt of: a warning, or an error where files are read strictly."""

from __future__ import annotations

from mercer.errors import DataWarning, InputError, explain, warn


def doubt(strict: bool, what: str, value: object, rule: str, remedy: str) -> None:
    """Warn of data that are hardly meant as they are written; refuse them if ``strict``."""
    if strict:
        raise InputError(what, value, rule, remedy)
    warn(explain(what, value, rule, remedy), DataWarning)
