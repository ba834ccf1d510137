"""What the tests of bad input share: the form of all messages, and tables in every form."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

FORM = re.compile(r"[^=]* = .+ \S+", re.DOTALL)


def refuses(error, call, *fragments):
    """The message of a call that must raise exactly this error, with these fragments in it."""
    with pytest.raises(error) as caught:
        call()
    assert isinstance(error, tuple) or caught.type is error, (
        f"{caught.type.__name__}, not {error.__name__}: {caught.value}"
    )
    text = str(caught.value)
    assert FORM.fullmatch(text), f"not 'what = value rule; remedy': {text}"
    for fragment in fragments:
        assert fragment in text, f"{fragment!r} is not in: {text}"
    return text


def points(rows=4, columns=3):
    """Small positive numbers, all different."""
    return np.arange(1.0, rows * columns + 1).reshape(rows, columns) / (rows * columns)


def as_frame(X):
    return pd.DataFrame(X, columns=[f"c{i}" for i in range(X.shape[1])])


FORMS = {
    "float64": np.asarray,
    "fortran": np.asfortranarray,
    "float32": lambda X: X.astype(np.float32),
    "strided": lambda X: np.repeat(X, 2, axis=0)[::2],
    "csr": sp.csr_matrix,
    "csc": sp.csc_matrix,
    "coo array": sp.coo_array,
    "list": lambda X: X.tolist(),
    "tuple of tuples": lambda X: tuple(map(tuple, X.tolist())),
    "objects": lambda X: X.astype(object),
    "pandas": as_frame,
    "polars": lambda X: pl.DataFrame(X),
}
DENSE = {name: form for name, form in FORMS.items() if name not in ("csr", "csc", "coo array")}


def of(forms):
    return pytest.mark.parametrize("form", forms.values(), ids=list(forms))


def brief(value):
    return repr(value)[:50].partition(" at 0x")[0]
