"""Two small tables that come with the package, and where larger ones may lie on this machine."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import numpy as np

from mercer.aliases import RawSamples, Targets
from mercer.errors import MissingDependencyError

__all__ = ["data_folder", "house_votes", "promoters", "shipped"]

_FOLDER = Path(__file__).parent
_SHIPPED = {"house_votes": "house_votes.csv", "promoters": "promoters.csv"}


def shipped() -> dict[str, Path]:
    """The CSV files inside the package, by name; in both, the first column, Class, is the target.

    Returns
    -------
    files : dict of str to Path
        The path of every file.

    Examples
    --------
    >>> from mercer.datasets import shipped
    >>> sorted(shipped())
    ['house_votes', 'promoters']
    """
    return {name: _FOLDER / file for name, file in _SHIPPED.items()}


def house_votes(*, as_frame: bool = False) -> tuple[RawSamples, Targets]:
    """Sixteen votes of the 435 members of the House in 1984, and their party.

    A vote is y, n or None. The 392 missing values are members who did not vote, which is not the
    same as a vote that was lost. From the UCI Machine Learning Repository, congressional voting
    records.

    Parameters
    ----------
    as_frame : bool
        Whether to return a DataFrame and a Series of pandas.

    Returns
    -------
    X : array of shape (435, 16), or DataFrame
        The votes.
    y : array of shape (435,), or Series
        The parties.

    Examples
    --------
    >>> from mercer.datasets import house_votes
    >>> X, y = house_votes()
    >>> X.shape, sum(v is None for v in X.ravel()), sorted(set(y.tolist()))
    ((435, 16), 392, ['democrat', 'republican'])
    """
    return _read("house_votes", as_frame)


def promoters(*, as_frame: bool = False) -> tuple[RawSamples, Targets]:
    """Fifty-seven nucleotides around 106 places of the DNA of E. coli, and whether a gene starts.

    The class is + where the transcription of a gene starts, and - elsewhere. From the UCI Machine
    Learning Repository, molecular biology (promoter gene sequences).

    Parameters
    ----------
    as_frame : bool
        Whether to return a DataFrame and a Series of pandas.

    Returns
    -------
    X : array of shape (106, 57), or DataFrame
        The nucleotides.
    y : array of shape (106,), or Series
        The classes.

    Examples
    --------
    >>> from mercer.datasets import promoters
    >>> X, y = promoters()
    >>> X.shape, "".join(X[0])[:12], str(y[0])
    ((106, 57), 'gccttctccaaa', '+')
    """
    return _read("promoters", as_frame)


def _read(name: str, as_frame: bool) -> tuple[RawSamples, Targets]:
    with shipped()[name].open(newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    cells = np.array(rows, dtype=object)
    cells[cells == ""] = None
    X, y = cells[:, 1:], cells[:, 0].astype(str)
    if not as_frame:
        return X, y
    try:
        import pandas as pd
    except ImportError:
        remedy = "pip install 'mercer[frames]'"
        raise MissingDependencyError("as_frame", True, "needs pandas", remedy) from None
    return pd.DataFrame(X, columns=header[1:], dtype=object), pd.Series(y, name=header[0])


def data_folder() -> Path | None:
    """The folder of larger public data sets, which has a folder for each; None if there is none.

    It is ``$MERCER_DATA`` if that is set, or else ``shared/data`` beside a checkout.
    """
    named = os.environ.get("MERCER_DATA")
    folder = Path(__file__).resolve().parents[4] / "shared" / "data"
    if named:
        folder = Path(named)
    return folder if folder.is_dir() else None
