"""Columns that name the rows of a table: identifiers, which nothing should be learned from."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from mercer.aliases import Frame

DISTINCT = 0.95  # share of different values from which strings may be identifiers
_FEWEST = 20  # rows below which distinct values prove nothing
# Names of keys: "id", "customer_id", "customerId", "UUID", "row", "Unnamed: 0" and the like.
_WHOLE_NAME = re.compile(
    r"(?i)(id|ids|key|uid|uuid|guid|pk|idx|index|row|rows|row_?(id|no|nr|num|number|names?)"
    r"|record(_?id)?|nr|no|number|unnamed: ?\d+|#)"
)
_END_OF_NAME = re.compile(r".*([_\s.-](?i:id|key|uid|uuid|guid|pk|idx)|[a-z](Id|ID|Key|UUID))")


# A label with a number, "C-10001" or "INV0042": the letters, which are the same in all rows, and
# digits. Prices ("EUR 120") have a space.
_LABEL = re.compile(r"([^\W\d][^\s\d]*)(\d+)")
_JOINTS = ("-", "_", "#", "/", ".", ":")  # after which the numbers may have any length


def is_key(name: object) -> bool:
    """Whether a column has the name of a key."""
    text = str(name).strip()
    return bool(_WHOLE_NAME.fullmatch(text) or _END_OF_NAME.fullmatch(text))


def names_rows(name: object, values: Sequence[Any]) -> bool:
    """Whether a column has the name of a key, and values that are all different.

    Parameters
    ----------
    name : object
        The name of the column.
    values : sequence
        Its values, without missing ones.

    Returns
    -------
    bool
        Whether it names the rows.

    Examples
    --------
    >>> from mercer.proposals.keys import names_rows
    >>> names_rows("customer_id", range(50)), names_rows("age", range(50))
    (True, False)
    """
    if not is_key(name) or len(values) < _FEWEST:
        return False
    if all(isinstance(value, str) for value in values):
        return len(set(values)) >= DISTINCT * len(values)
    if not all(isinstance(value, (int, float, np.number)) for value in values):
        return False
    return len(set(values)) == len(values) and all(value == round(value) for value in values)


def are_labels(values: Sequence[Any]) -> bool:
    """Whether values are labels that differ in their numbers only, such as C-10000 and C-10001.

    Examples
    --------
    >>> from mercer.proposals.keys import are_labels
    >>> (
    ...     are_labels([f"C-{i}" for i in range(50)]),
    ...     are_labels([f"{i} kg" for i in range(50)]),
    ... )
    (True, False)
    """
    if len(values) < _FEWEST or len(set(values)) < len(values):
        return False
    if not all(isinstance(value, str) for value in values):
        return False
    found = [_LABEL.fullmatch(value.strip()) for value in values]
    parts = [match.groups() for match in found if match is not None]
    if len(parts) < len(values) or len({letters for letters, _ in parts}) > 1:
        return False
    has_joint = parts[0][0].endswith(_JOINTS)
    return has_joint or len({len(digits) for _, digits in parts}) == 1


def identifiers(*frames: Frame) -> list[Any]:
    """The columns of the first data frame that name the rows in each of the frames."""
    return [name for name in frames[0].columns if _identifies(name, frames)]


def _identifies(name: Any, frames: Sequence[Frame]) -> bool:
    if not is_key(name) and frames[0][name].dtype.kind in "iufbM":
        return False
    columns = [frame[name].dropna().tolist() for frame in frames]
    return all(names_rows(name, values) or are_labels(values) for values in columns)
