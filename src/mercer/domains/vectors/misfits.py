"""Which columns of a data frame hold something other than numbers, and what."""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np

from mercer.aliases import Frame, RawSamples
from mercer.errors import InputTypeError

NEVER_A_VALUE = ("NoneType", "NAType", "NaTType")  # pandas is not imported to name its types
UNREADABLE = "not a number"  # nor anything else that a kernel of tables reads
_NUMBERS = (Real, Decimal, np.bool_)


@dataclasses.dataclass(frozen=True)
class Misfit:
    """The first value of a column that is not a number."""

    column: Hashable
    row: int
    value: Any

    @property
    def is_missing(self) -> bool:
        """Whether a value is missing there, while all that are present are numbers."""
        return type(self.value).__name__ in NEVER_A_VALUE

    def refusal(self, argument: str, where: str, remedy: str) -> InputTypeError:
        """The error that names the column; ``where`` says what needs numbers."""
        rule = f"is {self.kind} {where}"
        return InputTypeError(f"{argument}, column {self.column!r}", self.value, rule, remedy)

    @property
    def kind(self) -> str:
        """What the value is, in words."""
        if isinstance(self.value, (str, bytes)):
            return "text"
        if hasattr(self.value, "year") or isinstance(self.value, np.datetime64):
            return "a date"
        return UNREADABLE


def misfits(raw: RawSamples) -> list[Misfit]:
    """The columns of a data frame that are not numbers; none of samples of another form.

    Columns where values are merely missing come last.
    """
    if not hasattr(raw, "columns"):
        return []
    columns = [
        misfit
        for name, column in zip(raw.columns, frame_columns(raw), strict=True)
        if (misfit := _misfit(name, column)) is not None
    ]
    return sorted(columns, key=lambda misfit: misfit.is_missing)


def frame_columns(frame: Frame) -> list[list[Any]]:
    """The columns of a data frame; those of pandas by position, as two may have the same name."""
    if hasattr(frame, "iloc"):
        return [column.to_list() for _, column in frame.items()]
    return [frame[name].to_list() for name in frame.columns]


def _misfit(name: Hashable, column: list[Any]) -> Misfit | None:
    missing = None
    for row, value in enumerate(column):
        if isinstance(value, _NUMBERS):
            continue
        misfit = Misfit(name, row, value)
        if not misfit.is_missing:
            return misfit
        missing = missing or misfit
    return missing
