"""The columns that the user chose: the target, an identifier, and which others to learn from."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence

import numpy as np

from mercer.aliases import Frame, RawSamples
from mercer.automatic.checks.left_out import LeftOut
from mercer.errors import InputError, did_you_mean

_POSITION = re.compile(r"-?[0-9]{1,9}")
_SHOWN = 12  # names of columns in an error message


def find_column(frame: Frame, wanted: str | None, option: str = "target") -> str:
    """The column with that name or position; negative positions count from the end."""
    names = list(frame.columns)
    if wanted is None:
        raise InputError(f"the {option} is not named; --{option}, one of: {_listed(names)}")
    if wanted in names:
        return wanted
    if _POSITION.fullmatch(wanted) and -len(names) <= int(wanted) < len(names):
        return names[int(wanted)]
    remedy = did_you_mean(wanted, names, f"there are: {_listed(names)}")
    raise InputError(option, wanted, "is not a column", remedy)


def _listed(names: list[str]) -> str:
    more = ["..."] if len(names) > _SHOWN else []
    return ", ".join(names[:_SHOWN] + more)


@dataclasses.dataclass(frozen=True)
class Choice:
    """Which columns of a table are learned from; each is named, or given by its position.

    Attributes
    ----------
    columns : sequence of str
        The columns to learn from; all of them if empty. A text may name several, with commas.
    drop : sequence of str
        Columns to leave out.
    keep : sequence of str
        Columns to learn from although they look like identifiers, or do not predict the target.
    id : str or None
        The column that names the rows: it is not learned from, and goes with the predictions.
    """

    columns: Sequence[str] = ()
    drop: Sequence[str] = ()
    keep: Sequence[str] = ()
    id: str | None = None

    def apply(
        self, frame: RawSamples, target: str
    ) -> tuple[Frame, list[LeftOut], np.ndarray | None]:
        """The samples of a table, the columns that are left out, and the names of the samples."""
        if not hasattr(frame, "columns"):
            return self._refuse_options(frame)
        others = [name for name in frame.columns if name != target]
        left_out, names = [], None
        if self.id is not None:
            name = find_column(frame, self.id, "id")
            names = frame[name].astype(object).to_numpy()
            left_out.append(LeftOut(name, "id", "identifies the rows (--id)"))
        wanted = find_columns(frame, self.columns, "columns") or others
        dropped = find_columns(frame, self.drop, "drop")
        _check_target(target, [*dropped, *(each.column for each in left_out)])
        for name in others:
            if name in dropped or name not in wanted:
                option = "--drop" if name in dropped else "--columns"
                left_out.append(LeftOut(name, "asked", f"as asked for ({option})"))
        left_out_names = {each.column for each in left_out}
        rest = [name for name in others if name not in left_out_names]
        if not rest:
            raise InputError("table", f"only {target!r}", "has no column left to learn from")
        return frame[rest], left_out, names

    def kept(self, frame: RawSamples) -> list[str]:
        """The columns that the user wants to be used whatever they look like."""
        if not hasattr(frame, "columns"):
            return []
        columns = find_columns(frame, self.columns, "columns")
        return [*columns, *find_columns(frame, self.keep, "keep")]

    def _refuse_options(self, samples: RawSamples) -> tuple[RawSamples, list[LeftOut], None]:
        for option, value in dataclasses.asdict(self).items():
            if value:
                rule = "is for tables, and these samples have no columns"
                raise InputError(f"--{option}", value, rule)
        return samples, [], None


EVERY_COLUMN = Choice()


def find_columns(frame: Frame, wanted: Sequence[str], option: str) -> list[str]:
    """The columns of these names or positions, of which a text may hold several with commas."""
    columns = []
    for text in wanted:
        parts = [text] if text in frame.columns else [part.strip() for part in text.split(",")]
        columns += [find_column(frame, part, option) for part in parts]
    return columns


def _check_target(target: str, left_out: list[str]) -> None:
    if target in left_out:
        raise InputError("target", target, "is left out as well", "name another column")
