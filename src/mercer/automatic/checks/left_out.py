"""Columns that should not be learned from: empty ones, constants, identifiers, idle texts."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection

import numpy as np

from mercer.aliases import Frame, RandomState
from mercer.automatic.checks.leaks import leaking_columns
from mercer.automatic.checks.value import ColumnValue
from mercer.automatic.subsets import thin_out
from mercer.proposals.keys import DISTINCT, is_key
from mercer.proposals.tables import read_columns

_FEWEST = 20  # rows below which distinct values prove nothing
_MOST_TRIED = 20  # columns that are compared: each takes tenths of a second
_MOST_ROWS = 5000  # from which types are read
# Standard errors that a column has to gain: one text in six gains one by chance.
_LEAST_GAIN = {"identifier": 2.0, "text": 1.0}


@dataclasses.dataclass(frozen=True)
class LeftOut:
    """A column that is not learned from.

    Attributes
    ----------
    column : str
        Its name.
    kind : str
        "empty", "constant", "identifier" or "text"; "asked" where the user said so.
    reason : str
        Why, as the end of a sentence that begins with the name.
    """

    column: str
    kind: str
    reason: str


def columns_to_leave_out(
    frame: Frame,
    y: np.ndarray,
    *,
    classification: bool,
    keep: Collection[object] = (),
    missing: tuple[object, ...] = (),
    random_state: RandomState = 0,
) -> list[LeftOut]:
    """The columns that should not be learned from, with reasons.

    Left out are columns without any value, constants, whole numbers that are all different and have
    the name of a key, and, where their leave-one-out value is not above its error: numbers that
    count the rows, strings and texts. At least one column that is not constant remains.

    Parameters
    ----------
    frame : DataFrame
        The table, a data frame of pandas without the target.
    y : ndarray of shape (n,)
        The target.
    classification : bool
        Whether the target is a class.
    keep : collection, default ()
        Columns to keep in any case.
    missing : tuple, default ()
        Values, such as "?", that mean a missing value beside None and NaN.
    random_state : int
        The seed of the rows on which columns are compared.

    Returns
    -------
    list of LeftOut
        The columns in the order of the table.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from mercer.automatic.checks.left_out import columns_to_leave_out
    >>> rng = np.random.default_rng(0)
    >>> frame = pd.DataFrame({"customer_id": rng.permutation(50), "age": rng.random(50)})
    >>> columns_to_leave_out(frame, frame["age"] > 0.5, classification=True)[0].column
    'customer_id'
    """
    left_out = _without_content(frame, missing)
    rest = frame.drop(columns=list(left_out))
    if len(rest) >= _FEWEST and len(rest.columns):
        seed = random_state if isinstance(random_state, (int, np.integer)) else 0
        left_out |= _without_value(rest, np.asarray(y), classification, missing, int(seed), keep)
    kept = set(keep)
    return [left_out[name] for name in frame.columns if name in left_out and name not in kept]


def _without_content(frame: Frame, missing: tuple[object, ...]) -> dict[object, LeftOut]:
    """The columns that are empty or constant."""
    left_out = {}
    for name in frame.columns:
        present = _present(frame[name], missing)
        if len(present) == 0:
            left_out[name] = LeftOut(str(name), "empty", "has no value at all")
        elif len(present) == len(frame) and _is_constant(present):
            value = str(present.iloc[0])[:30]
            left_out[name] = LeftOut(str(name), "constant", f"is {value!r} in every row")
    return left_out


def _present(values: Frame, missing: tuple[object, ...]) -> Frame:
    """The values of a column that are not missing."""
    present = values.dropna()
    if missing:
        return present[~present.isin(missing)]
    return present


def _is_constant(values: Frame) -> bool:
    first = values.iloc[0]
    if values.dtype.kind == "O":  # perhaps of sets, which pandas does not compare
        return all(value == first for value in values)
    return bool((values == first).all())


def _without_value(
    frame: Frame,
    y: np.ndarray,
    classification: bool,
    missing: tuple[object, ...],
    seed: int,
    keep: Collection[object],
) -> dict[object, LeftOut]:
    """Identifiers and texts that are not informative of the target."""
    keys, suspects = _suspicions(frame, missing, keep)
    others = [name for name in frame.columns if name not in keys and name not in suspects]
    left_out = keys
    if suspects:
        # Beside a column that determines the target alone, nothing else adds anything.
        leaks = {name for name, _ in leaking_columns(frame[others], y, classification)}
        beside = [name for name in others if str(name) not in leaks]
        compared = ColumnValue(frame, y, beside, classification, seed)
        left_out = keys | _without_gain(suspects, compared)
    if not others and len(left_out) == len(frame.columns):
        # There is nothing else to learn from.
        return {}
    return left_out


def _suspicions(
    frame: Frame, missing: tuple[object, ...], keep: Collection[object]
) -> tuple[dict[object, LeftOut], dict[object, LeftOut]]:
    """Numbers with the name of a key, and other columns that may be no features."""
    keys: dict[object, LeftOut] = {}
    suspects: dict[object, LeftOut] = {}
    for name, kind in _kinds(frame, missing).items():
        verdict = _suspicion(str(name), kind, frame[name])
        if verdict is None or name in keep:
            continue
        group = keys if kind == "number" and is_key(name) else suspects
        group[name] = verdict
    return keys, suspects


def _without_gain(suspects: dict[object, LeftOut], compared: ColumnValue) -> dict[object, LeftOut]:
    """The first suspects without those that lower the error by more than chance does."""
    left_out = {}
    for name, verdict in list(suspects.items())[:_MOST_TRIED]:
        fall, error = compared.gain(name)
        if fall <= _LEAST_GAIN[verdict.kind] * error:
            rows = f"{len(compared.frame):,} rows"
            left_out[name] = dataclasses.replace(verdict, reason=verdict.reason.format(rows=rows))
    return left_out


def _kinds(frame: Frame, missing: tuple[object, ...]) -> dict[object, str]:
    """What every column is taken for; numbers need not be read again."""
    numbers = [name for name in frame.columns if frame[name].dtype.kind in "iuf"]
    others = frame.drop(columns=numbers)
    kinds: dict[object, str] = dict.fromkeys(numbers, "number")
    if len(others.columns):
        some = thin_out(others, _MOST_ROWS)
        read = read_columns(some.loc[:, some.notna().any()], missing)
        kinds |= {column.name: column.kind for column in read}
    return kinds


def _suspicion(name: str, kind: str, values: Frame) -> LeftOut | None:
    """Why a column may be no feature; None if nothing speaks for it."""
    if kind not in ("number", "string", "text"):
        return None
    present = values.dropna()
    distinct = present.nunique()
    if kind == "number":
        return _number_suspicion(name, present, distinct)
    if kind == "string" and distinct >= DISTINCT * len(present):
        strings = f"{distinct:,} different strings"
        rule = f"is an identifier: {strings} that do not help to predict the target"
        return LeftOut(name, "identifier", rule)
    rule = f"is text ({distinct:,} different ones) that added nothing measurable on {{rows}}"
    return LeftOut(name, "text", rule)


def _number_suspicion(name: str, present: Frame, distinct: int) -> LeftOut | None:
    """Why whole numbers that are all different may be the names of rows."""
    numbers = present.to_numpy(dtype=float)
    if distinct < len(numbers) or not (numbers == np.round(numbers)).all():
        return None
    steps = np.diff(numbers)
    if len(steps) and (steps == steps[0]).all():
        reason = f"counts the rows, from {numbers[0]:g} to {numbers[-1]:g}"
        return LeftOut(name, "identifier", reason)
    if is_key(name):
        reason = f"is an identifier: {distinct:,} different whole numbers, named as a key"
        return LeftOut(name, "identifier", reason)
    return None
