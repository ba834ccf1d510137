"""Tables as the models read them."""

from __future__ import annotations

from typing import Any

from mercer.aliases import Frame, RawSamples
from mercer.errors import MissingDependencyError


def as_pandas(frame: Frame) -> Any:
    """A pandas frame of the same columns; polars' own conversion would need pyarrow."""
    if hasattr(frame, "iloc"):
        return frame
    try:
        import pandas as pd
    except ImportError:
        raise MissingDependencyError(
            "pandas", "not installed", "is needed for data frames", "pip install 'mercer[frames]'"
        ) from None
    return pd.DataFrame({name: frame[name].to_list() for name in frame.columns})


def usual(column: Any) -> Any:
    """The median of numbers, else the commonest value, as a plain value."""
    value = column.median() if column.dtype.kind in "iuf" else column.mode().iloc[0]
    return value.item() if hasattr(value, "item") else value


def nested_rows(X: RawSamples) -> bool:
    """Whether this is a list of rows; strings and sets are samples, not rows."""
    return (
        isinstance(X, (list, tuple))
        and len(X) > 0
        and all(isinstance(row, (list, tuple)) for row in X)
    )
