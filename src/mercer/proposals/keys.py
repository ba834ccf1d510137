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


def identifiers(*frames: Frame) -> list[Any]:
    """The columns of the first data frame that name the rows in each of the frames."""
    return [
        name
        for name in frames[0].columns
        if is_key(name) and all(names_rows(name, frame[name].dropna().tolist()) for frame in frames)
    ]
