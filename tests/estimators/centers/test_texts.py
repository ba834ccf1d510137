"""Texts on centers: a column of them may be a list, an array or a series."""

import functools

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone

from mercer import RBF, KernelRidge, Spectrum
from mercer.errors import ParameterError

WORDS = [f"word {i}" for i in range(57)]
Y = np.sin(np.arange(57.0))


@pytest.mark.parametrize(
    "layout", [pd.Series, pl.Series, np.array, functools.partial(np.array, dtype=object)]
)
@pytest.mark.parametrize("centers", [9, WORDS[:9]], ids=["drawn", "given"])
def test_texts_of_any_layout(layout, centers):
    model = KernelRidge(kernel=Spectrum(2), centers=centers, random_state=0).fit(WORDS, Y)
    again = clone(model).fit(layout(WORDS), Y)
    np.testing.assert_array_equal(again.predict(layout(WORDS)), model.predict(WORDS))


def test_centers_that_are_no_numbers_are_refused():
    X = Y[:, None]
    with pytest.raises(ParameterError, match=r"centers = .* must be rows of numbers"):
        KernelRidge(kernel=RBF(), centers=[["a"], ["b"]]).fit(X, Y)
