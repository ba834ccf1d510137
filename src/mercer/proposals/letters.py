"""DNA in capital and in small letters, which kernels take for different letters."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any

import numpy as np

from mercer.aliases import RawSamples
from mercer.domains.tables.columns import Markers
from mercer.errors import ABSENT, DataWarning, explain, warn
from mercer.readers.doubts import BOTH_CASES, is_mixed_column


def warn_of_case(X: RawSamples, missing: Markers = (), ignored: Collection[object] = ()) -> None:
    """Say which columns of a table, or whether strings, are DNA in capital and small letters."""
    for what, cells, remedy in _columns_of_strings(X, ignored):
        if is_mixed_column(cells, missing):
            warn(explain(what, ABSENT, BOTH_CASES, f"write it in one case: {remedy}"), DataWarning)
    if _holds_strings(X) and is_mixed_column(X, missing):
        remedy = "X = [text.upper() for text in X]"
        warn(explain("X", ABSENT, BOTH_CASES, f"write it in one case: {remedy}"), DataWarning)


def _columns_of_strings(
    X: RawSamples, ignored: Collection[object]
) -> Iterator[tuple[str, Iterable[Any], str]]:
    """What each column is called, its cells, and how it is written in capital letters."""
    if hasattr(X, "columns"):
        upper = "upper" if hasattr(X, "iloc") else "to_uppercase"
        for name in X.columns:
            # A name that occurs twice is refused elsewhere.
            if name not in ignored and not hasattr(X[name], "columns"):
                yield f"column {name!r}", X[name], f"X[{name!r}].str.{upper}()"
    elif isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind in "OU":
        for at in range(X.shape[1]):
            remedy = f"X[:, {at}] = [text.upper() for text in X[:, {at}]]"
            yield f"column {at}", X[:, at], remedy
    elif isinstance(X, (list, tuple)) and X and all(isinstance(r, (list, tuple)) for r in X):
        shortest = min(map(len, X))
        for at in range(shortest):
            yield f"column {at}", [row[at] for row in X], "text.upper() for each text"


def _holds_strings(X: RawSamples) -> bool:
    """Whether samples are a list, an array or a series of strings."""
    is_flat = isinstance(X, (list, tuple)) or len(getattr(X, "shape", ())) == 1
    return is_flat and len(X) > 0 and isinstance(next(iter(X)), str)
