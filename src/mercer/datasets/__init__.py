"""Two small tables that come with the package, and where larger ones may lie on this machine."""

from __future__ import annotations

import csv
import os
from pathlib import Path
from typing import Any

import numpy as np

from mercer.errors import MissingDependencyError

__all__ = ["data_folder", "house_votes", "promoters", "shipped"]

_FOLDER = Path(__file__).parent
_SHIPPED = {"house_votes": "house_votes.csv", "promoters": "promoters.csv"}


def shipped() -> dict[str, Path]:
    """The CSV files inside the package, by name; in both the first column, Class, is what is to be told.

    >>> from mercer.datasets import shipped
    >>> sorted(shipped())
    ['house_votes', 'promoters']
    """
    return {name: _FOLDER / file for name, file in _SHIPPED.items()}


def house_votes(*, as_frame: bool = False) -> tuple[Any, Any]:
    """Sixteen votes (y, n, or None) of the 435 members of the House in 1984, and their party: a table with 392 holes.

    From the UCI Machine Learning Repository, congressional voting records. A member who did not vote is not one whose vote was lost.

    >>> from mercer.datasets import house_votes
    >>> X, y = house_votes()
    >>> X.shape, sum(v is None for v in X.ravel()), sorted(set(y.tolist()))
    ((435, 16), 392, ['democrat', 'republican'])
    """
    return _table("house_votes", as_frame)


def promoters(*, as_frame: bool = False) -> tuple[Any, Any]:
    """Fifty-seven nucleotides around 106 places of the DNA of E. coli, and whether a gene's transcription starts there (+) or not (-).

    From the UCI Machine Learning Repository, molecular biology (promoter gene sequences).

    >>> from mercer.datasets import promoters
    >>> X, y = promoters()
    >>> X.shape, "".join(X[0])[:12], str(y[0])
    ((106, 57), 'gccttctccaaa', '+')
    """
    return _table("promoters", as_frame)


def _table(name: str, as_frame: bool) -> tuple[Any, Any]:
    with shipped()[name].open(newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    cells = np.array([[value or None for value in row] for row in rows], dtype=object)
    X, y = cells[:, 1:], cells[:, 0].astype(str)
    if not as_frame:
        return X, y
    try:
        import pandas as pd
    except ImportError:
        raise MissingDependencyError(
            "as_frame", True, "needs pandas", "pip install 'mercer[frames]'"
        ) from None
    return pd.DataFrame(X, columns=header[1:], dtype=object), pd.Series(y, name=header[0])


def data_folder() -> Path | None:
    """Where larger public data sets lie, one folder each: ``$MERCER_DATA``, or ``shared/data`` beside a checkout; None if there is none."""
    named = os.environ.get("MERCER_DATA")
    if named:
        return Path(named) if Path(named).is_dir() else None
    beside = Path(__file__).resolve().parents[4] / "shared" / "data"
    return beside if beside.is_dir() else None
