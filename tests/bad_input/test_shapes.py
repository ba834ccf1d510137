"""Wrong axes, ragged lists and different numbers of columns are refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from bad_input.common import FORMS, as_frame, of, points, refuses

import mercer
from mercer import (
    RBF,
    Chi2,
    Conformal,
    Cosine,
    Exponential,
    GeneralLinear,
    Jaccard,
    Laplacian,
    Linear,
    Matern,
    Periodic,
    Polynomial,
    RationalQuadratic,
)
from mercer.errors import MercerError, ParameterError, ShapeError, WidthError

# ---- Axes ----


@pytest.mark.parametrize("kernel", [RBF(), Linear(), Chi2(), Jaccard(), RBF() * Linear()], ids=repr)
@pytest.mark.parametrize("shape", [(4,), (2, 2, 2), (1, 1, 1, 1)], ids=str)
def test_wrong_number_of_axes(kernel, shape):
    X = np.ones(shape)
    text = refuses(
        ShapeError,
        lambda: kernel(X),
        "X = ",
        f"shape {shape}",
        "two axes",
        "X.reshape(-1, 1)",
        "X.reshape(1, -1)",
    )
    assert text.index("two axes") < text.index(";") < text.index("reshape")


@pytest.mark.parametrize(
    "X",
    [
        np.arange(4, dtype=np.float32),
        [1, 2, 3],
        pd.Series([1.0, 2.0]),
        3.0,
        np.float64(2.0),
        sp.coo_array([1.0, 2.0]),
    ],
)
def test_one_axis_in_other_forms(X):
    refuses(ShapeError, lambda: RBF()(X), "X = ", "two axes")


def test_one_axis_on_the_other_side_is_called_y():
    refuses(ShapeError, lambda: RBF()(points(), [1.0, 2.0, 3.0]), "Y = ", "two axes")


@pytest.mark.parametrize(
    "X", [[[1.0, 2.0], [3.0]], [[1.0], [2.0, 3.0], []], [[1.0, [2.0]], [3.0, 4.0]]], ids=str
)
@pytest.mark.parametrize("kernel", [RBF(), Chi2(), RBF() + Linear(), RBF().on([0])], ids=repr)
def test_ragged_lists(kernel, X):
    refuses(ShapeError, lambda: kernel(X), "X = ", "rectangular")


# ---- Widths ----


@of(FORMS)
@pytest.mark.parametrize(
    "kernel", [RBF(), Linear(), Polynomial(degree=3), Cosine(), RBF() + Linear()], ids=repr
)
def test_two_widths(kernel, form):
    refuses(
        WidthError,
        lambda: kernel(form(points(4, 3)), form(points(4, 2))),
        "Y = '2 columns'",
        "X, which has 3",
        "same features",
    )


def test_two_widths_dense_against_sparse():
    refuses(WidthError, lambda: RBF()(points(4, 3), sp.csr_matrix(points(4, 2))), "2 columns")
    refuses(WidthError, lambda: RBF()(sp.csr_matrix(points(4, 3)), points(4, 2)), "2 columns")


def test_another_width_than_the_center():
    kernel = RBF().center().fit(points(4, 3))
    refuses(WidthError, lambda: kernel(points(4, 2)), "columns")


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix], ids=["dense", "csr"])
@pytest.mark.parametrize(
    "family",
    [RBF, Exponential, Matern, RationalQuadratic, Laplacian, Periodic],
    ids=lambda f: f.__name__,
)
@pytest.mark.parametrize("count", [1, 2, 4])
def test_wrong_number_of_length_scales(family, count, form):
    kernel = family(length_scale=[1.0] * count)
    refuses(
        WidthError,
        lambda: kernel(form(points(4, 3))),
        f"{family.__name__}: length_scale = '{count} values'",
        "one per column",
        "3",
    )


def test_wrong_number_of_periods():
    refuses(
        WidthError,
        lambda: Periodic(period=[1.0, 2.0])(points(4, 3)),
        "Periodic: period = '2 values'",
        "3",
    )


def test_wrong_size_of_a_general_linear_kernel():
    refuses(
        WidthError,
        lambda: GeneralLinear(A=np.eye(2))(points(4, 3)),
        "GeneralLinear: A = '2 x 2'",
        "3 columns",
    )


# ---- Columns ----


@pytest.mark.parametrize(
    ("columns", "X", "named"),
    [
        ([3], points(), "[3]"),
        ([0, 5], points(), "[5]"),
        (-4, points(), "[-4]"),
        (3, points(), "[3]"),
        ("a", points(), "['a']"),
        (["a", "c0"], as_frame(points()), "['a']"),
        ("a", as_frame(points()), "['a']"),
        (["a", "b"], pl.DataFrame({"a": [1.0]}), "['b']"),
        ([7], as_frame(points()), "[7]"),
        ([3], sp.csr_matrix(points()), "[3]"),
        ([0], [1.0, 2.0], "[0]"),
    ],
    ids=str,
)
def test_missing_columns(columns, X, named):
    refuses(WidthError, lambda: RBF().on(columns)(X), f"columns = {named}")


def test_missing_columns_say_what_there_is():
    refuses(WidthError, lambda: RBF().on("a")(as_frame(points())), "['c0', 'c1', 'c2']")
    refuses(WidthError, lambda: RBF().on([9])(points()), "3 columns of X", "positions")


@pytest.mark.parametrize(
    "columns",
    [None, 1.5, [], [1.0], {0}, [None], True, [True, False, True], {"a": 1}, b"a"],
    ids=repr,
)
def test_what_is_no_column(columns):
    refuses(
        ParameterError,
        lambda: RBF().on(columns),
        "On: columns = ",
        "must be columns",
        "a name, a position",
    )


def test_a_slice_without_steps():
    with pytest.raises(MercerError):
        RBF().on(slice(0, 2, 0))(points())


# ---- Shapes of other arguments ----


@pytest.mark.parametrize("shape", [(3, 4), (4, 3), (4,), (16,), (4, 4, 1), (), (0, 0)], ids=str)
def test_weights_of_the_wrong_shape(shape):
    refuses(
        ShapeError,
        lambda: RBF().gradient(points(), np.ones(shape)),
        f"W = 'array of shape {shape}'",
        "(4, 4)",
    )


def test_weights_of_the_wrong_shape_for_two_sides():
    refuses(
        ShapeError,
        lambda: RBF().gradient(points(), np.ones((4, 4)), points()[:2]),
        "W = 'array of shape (4, 4)'",
        "(4, 2)",
    )
    refuses(ShapeError, lambda: RBF().gradient(points(), [[1.0], [1.0, 2.0]]), "W = ")


@pytest.mark.parametrize("count", [0, 1, 3, 5])
def test_the_wrong_number_of_coefficients(count):
    refuses(
        ShapeError,
        lambda: mercer.combination_norm(RBF(), points(), np.ones(count)),
        f"alpha = '{count} values'",
        "each of the 4 samples",
    )


@pytest.mark.parametrize(
    ("index", "fragment"),
    [
        ([4], "between -4 and 3"),
        ([-5], "between -4 and 3"),
        ([0.5], "positions"),
        ("a", "positions"),
        ([True], "one entry for each of the 4 rows"),
        ([], "positions"),
    ],
    ids=str,
)
def test_rows_of_a_lazy_matrix_that_are_not_there(index, fragment):
    lazy = RBF().gram(points())
    refuses(ShapeError, lambda: lazy.rows(index), fragment)
    refuses(ShapeError, lambda: lazy[index], fragment)
    refuses(ShapeError, lambda: lazy[:, index], fragment)


def test_the_diagonal_of_a_rectangle():
    refuses(ShapeError, RBF().gram(points(), points()).diag, "diag = ", "k(X) only", "k.diag(X)")


@pytest.mark.parametrize("length", [3, 5])
def test_a_vector_that_does_not_fit(length):
    with pytest.raises(ValueError):
        RBF().gram(points()) @ np.ones(length)


def test_a_function_that_loses_rows():
    refuses(
        ParameterError,
        lambda: (RBF() @ (lambda X: X[:2]))(points()),
        "function = ",
        "returned 2 rows for 4 samples",
        "one row",
    )
    refuses(
        ShapeError,
        lambda: Conformal(kernel=RBF(), function=lambda X: X)(points()),
        "returned shape (4, 3)",
        "one number per sample",
    )
