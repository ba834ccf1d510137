"""NaN, infinity and no samples are refused, and the message names the place."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from bad_input.common import FORMS, brief, of, points, refuses

import mercer
from mercer import (
    RBF,
    Brownian,
    Chi2,
    Conformal,
    Constant,
    Cosine,
    FromFeatures,
    Jaccard,
    Laplacian,
    Linear,
    Matches,
    Matern,
    Polynomial,
    Precomputed,
    White,
)
from mercer.errors import EmptyInputError, NotFiniteError, WidthError

# ---- NaN and infinity ----


def called(side, table, row, column):
    """A cell, by the name of its column where it has one."""
    return (
        f"{side}[{row}], {list(table.columns)[column]}"
        if hasattr(table, "columns")
        else f"{side}[{row}, {column}]"
    )


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("place", [(0, 0), (2, 1), (3, 2)])
@of(FORMS)
def test_not_finite_in_every_form(form, place, value):
    X = points()
    X[place] = value
    refuses(
        NotFiniteError,
        lambda: RBF()(form(X)),
        f"{called('X', form(X), *place)} = {value} must be finite",
        "drop or impute",
    )


@pytest.mark.parametrize(
    "kernel",
    [
        Linear(),
        Polynomial(degree=3),
        Laplacian(),
        Chi2(),
        Brownian(),
        Cosine(),
        Matern(),
        Jaccard(),
        Matches(),
        RBF() + Linear(),
        RBF().exp(),
        RBF().normalize(),
    ],
    ids=repr,
)
def test_not_finite_for_every_kind_of_kernel(kernel):
    X = np.ones((4, 3))
    X[2, 1] = math.nan
    refuses(NotFiniteError, lambda: kernel(X), "X[2, 1] = nan must be finite")


@pytest.mark.parametrize(
    "call",
    [
        lambda k, X: k(X),
        lambda k, X: k.gram(X),
        lambda k, X: k.diag(X),
        lambda k, X: k.features(X),
        lambda k, X: k.center().fit(X),
        lambda k, X: k.gradient(X, np.ones((4, 4))),
        lambda k, X: mercer.feature_norm(k, X),
        lambda k, X: mercer.feature_distance(k, X),
        lambda k, X: mercer.combination_norm(k, X, np.ones(4)),
        lambda k, X: mercer.centroid_distance(k, X, points()),
    ],
    ids=[
        "call",
        "gram",
        "diag",
        "features",
        "fit",
        "gradient",
        "norm",
        "distance",
        "combination",
        "centroid",
    ],
)
def test_not_finite_by_every_way_in(call):
    X = points()
    X[1, 2] = math.inf
    refuses(NotFiniteError, lambda: call(Linear(), X), "X[1, 2] = inf must be finite")


@of(FORMS)
def test_not_finite_in_the_second_collection_is_called_y(form):
    Y = points()
    Y[1, 0] = math.nan
    refuses(
        NotFiniteError,
        lambda: RBF()(points(), form(Y)),
        f"{called('Y', form(Y), 1, 0)} = nan must be finite",
    )


def test_not_finite_far_down():
    X = np.zeros((700, 2))
    X[612, 1] = -math.inf
    refuses(NotFiniteError, lambda: RBF()(X), "X[612, 1] = -inf")


def test_large_finite_numbers_are_finite():
    """Their sum is not, which is no reason to refuse them."""
    assert RBF(length_scale=1e150)(np.full((3, 2), 1e308)).tolist() == np.ones((3, 3)).tolist()


@pytest.mark.parametrize("missing", [None, math.nan], ids=["None", "nan"])
def test_missing_values_in_a_table(missing):
    refuses(NotFiniteError, lambda: RBF()([[1.0, 2.0], [missing, 1.0]]), "X[1, 0] = nan")
    refuses(
        NotFiniteError,
        lambda: RBF()(pd.DataFrame({"a": [1.0, 2.0], "b": [missing, 1.0]})),
        "X[0], b = nan",
    )


def test_missing_integers_of_pandas():
    refuses(
        NotFiniteError,
        lambda: RBF()(pd.DataFrame({"a": pd.array([1, None], dtype="Int64")})),
        "X[1], a = nan",
    )


def test_a_weight_that_is_not_finite():
    kernel = Conformal(kernel=RBF(), function=lambda X: np.log(np.asarray(X)[:, 0] - 1.0))
    with np.errstate(all="ignore"):
        refuses(
            NotFiniteError, lambda: kernel([[3.0], [2.0], [1.0]]), "f(x[2]) = -inf must be finite"
        )


# ---- Empty ----


@pytest.mark.parametrize(
    ("X", "missing"),
    [
        (np.empty((0, 3)), "sample"),
        (np.empty((0, 3), dtype=np.float32), "sample"),
        (np.empty((0, 0)), "sample"),
        (np.empty((3, 0)), "feature"),
        ([[]], "feature"),
        (sp.csr_matrix((0, 3)), "sample"),
        (sp.csr_matrix((3, 0)), "feature"),
        (pd.DataFrame({"a": []}), "sample"),
        (pd.DataFrame(index=range(3)), "feature"),
    ],
    ids=["0x3", "0x3 float32", "0x0", "3x0", "[[]]", "csr 0x3", "csr 3x0", "no rows", "no columns"],
)
@pytest.mark.parametrize("kernel", [RBF(), Linear(), Chi2(), RBF() + Linear()], ids=repr)
def test_empty(kernel, X, missing):
    refuses(EmptyInputError, lambda: kernel(X), "X = ", "is empty", f"0 {missing}")


@pytest.mark.parametrize("X", [[], (), np.array([])], ids=["list", "tuple", "array"])
@pytest.mark.parametrize(
    "kernel",
    [RBF(), Chi2(), Jaccard(), Precomputed(matrix=np.eye(2))],
    ids=lambda k: type(k).__name__,
)
def test_nothing_at_all_is_empty(kernel, X):
    refuses(EmptyInputError, lambda: kernel(X), "X = ", "is empty")


@pytest.mark.parametrize(
    "kernel",
    [RBF(), Jaccard(), Constant(), White(), RBF() + White(), FromFeatures(function=lambda X: X)],
    ids=brief,
)
@pytest.mark.parametrize(
    "call",
    [lambda k, X: k(X), lambda k, X: k.diag(X), lambda k, X: k.gram(X)],
    ids=["call", "diag", "gram"],
)
def test_no_rows_is_empty_for_kernels_that_look_at_nothing_too(kernel, call):
    refuses(EmptyInputError, lambda: call(kernel, np.empty((0, 2))), "is empty")


def test_an_empty_second_collection():
    refuses(EmptyInputError, lambda: RBF()(points(), np.empty((0, 3))), "Y = ", "is empty")
    refuses(EmptyInputError, lambda: Jaccard()([{1}], []), "is empty")


def test_no_columns_chosen():
    refuses(WidthError, lambda: RBF().on(slice(7, 9))(points()), "none of the 3 columns")
