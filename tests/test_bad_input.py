"""Bad input: every kind has its own error class, and the message says what = value rule; remedy.

At the end, the input that only looks bad: it must work, and without a warning.
"""

from __future__ import annotations

import contextlib
import math
import re
import tracemalloc
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

import mercer
from mercer import (
    ANOVA,
    RBF,
    AllSubsets,
    ArcCosine,
    Bessel,
    Brownian,
    Chi2,
    Conformal,
    Constant,
    Cosine,
    Exponential,
    ExponentialDot,
    FromFeatures,
    GeneralLinear,
    HistogramIntersection,
    Jaccard,
    Laplacian,
    Linear,
    LogDistance,
    Matches,
    Matern,
    Multiquadric,
    NegativeDistance,
    Normalized,
    Periodic,
    Polynomial,
    Power,
    PowerSeries,
    Precomputed,
    RationalQuadratic,
    Scaled,
    SetIntersection,
    SharedSubsets,
    Sigmoid,
    Spline,
    Wendland,
    White,
    errors,
)
from mercer.errors import (
    DefinitenessError,
    DomainError,
    DomainMismatchError,
    EmptyInputError,
    InfiniteFeaturesError,
    InputError,
    InputTypeError,
    KernelOverflowError,
    MemoryBudgetError,
    MercerError,
    NotFiniteError,
    ParameterError,
    RadiusError,
    ShapeError,
    WidthError,
    explain,
)
from mercer.kernels import catalogue

FORM = re.compile(r"[^=]* = .+ \S+", re.DOTALL)


def refuses(error, call, *fragments):
    """The call raises exactly this error, in the one message form, with these fragments; returns the message."""
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


# ---- The errors themselves ----


ERRORS = [
    value
    for value in vars(errors).values()
    if isinstance(value, type) and issubclass(value, Exception) and "Warning" not in value.__name__
]


def test_the_message_form():
    assert explain("degree", 0, "must be an integer >= 1") == "degree = 0 must be an integer >= 1"
    assert (
        explain("X[1, 2]", math.nan, "must be finite", "drop the row")
        == "X[1, 2] = nan must be finite; drop the row"
    )


def test_a_long_value_is_cut():
    text = explain("X", list(range(1000)), "is too long", "shorten it")
    assert len(text) < 180 and text.endswith("... is too long; shorten it")


@pytest.mark.parametrize("error", ERRORS, ids=lambda e: e.__name__)
def test_every_error_is_a_mercer_error(error):
    assert issubclass(error, MercerError)
    assert error.__doc__


def test_not_fitted_is_a_mercer_error_too():
    assert issubclass(errors.NotFittedError, MercerError)
    assert errors.NotFittedError is errors.NotFittedError
    with pytest.raises(AttributeError):
        _ = errors.NoSuchError


@pytest.mark.parametrize(
    ("error", "builtin"),
    [
        (ParameterError, ValueError),
        (InputError, ValueError),
        (NotFiniteError, InputError),
        (EmptyInputError, InputError),
        (ShapeError, InputError),
        (WidthError, InputError),
        (InputTypeError, InputError),
        (InputTypeError, TypeError),
        (DomainError, ValueError),
        (RadiusError, DomainError),
        (DomainMismatchError, TypeError),
        (DefinitenessError, ValueError),
        (InfiniteFeaturesError, ValueError),
        (MemoryBudgetError, MemoryError),
        (KernelOverflowError, OverflowError),
        (errors.ParseError, ValueError),
        (errors.NotDifferentiableError, TypeError),
        (errors.CompilationError, TypeError),
    ],
)
def test_errors_can_be_caught_by_their_builtin(error, builtin):
    assert issubclass(error, builtin)


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


@pytest.mark.parametrize("hole", [None, math.nan], ids=["None", "nan"])
def test_holes_in_a_table(hole):
    refuses(NotFiniteError, lambda: RBF()([[1.0, 2.0], [hole, 1.0]]), "X[1, 0] = nan")
    refuses(
        NotFiniteError,
        lambda: RBF()(pd.DataFrame({"a": [1.0, 2.0], "b": [hole, 1.0]})),
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
    refuses(EmptyInputError, lambda: RBF().on(slice(7, 9))(points()), "is empty")


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


def test_another_width_than_the_centre():
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


# ---- Types ----


@pytest.mark.parametrize(
    "X",
    [
        [["a", "b"], ["c", "d"]],
        ["a", "b"],
        "abc",
        np.array([["a"], ["b"]]),
        np.array([["a"], [1.0]], dtype=object),
        np.array([["1.0"], ["2.0"]], dtype=object),
        np.array([[b"1"], [b"2"]]),
        np.array([[object()]]),
        np.array([[1j]]),
        np.array([["2020-01-01"]], dtype="datetime64[D]"),
        pd.DataFrame({"a": ["x", "y"]}),
        pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]}),
        pd.DataFrame({"a": pd.Categorical(["x", "y"])}),
        pl.DataFrame({"a": ["x", "y"]}),
        sp.csr_matrix(np.array([[1j]])),
        [{1}, {2}],
        {1.0, 2.0},
        {"a": [1.0]},
    ],
    ids=lambda X: f"{type(X).__name__} {str(X)[:20]!r}",
)
@pytest.mark.parametrize("kernel", [RBF(), Chi2(), Linear() + RBF()], ids=repr)
def test_not_numbers(kernel, X):
    refuses(InputTypeError, lambda: kernel(X), "X = ", "does not hold numbers", "encode")


@pytest.mark.parametrize("X", [None, 5, object()], ids=lambda v: type(v).__name__)
@pytest.mark.parametrize(
    "kernel",
    [RBF(), Jaccard(), Constant(), Precomputed(matrix=np.eye(2)), RBF().on([0])],
    ids=lambda k: type(k).__name__,
)
def test_no_collection_at_all(kernel, X):
    with pytest.raises(InputError) as caught:
        kernel(X)
    assert FORM.fullmatch(str(caught.value))


# ---- Values outside the domain ----


@pytest.mark.parametrize(
    "kernel",
    [Chi2(), Brownian(), Spline(), HistogramIntersection(), Chi2() + RBF(), Brownian().exp()],
    ids=repr,
)
@of(DENSE)
def test_negative_values(kernel, form):
    X = points()
    X[2, 1] = -0.25
    refuses(
        DomainError, lambda: kernel(form(X)), "X[2, 1] = -0.25 must be >= 0", "shift or rescale"
    )


@pytest.mark.parametrize(
    "kernel", [Chi2(), Brownian(), Spline(), HistogramIntersection()], ids=repr
)
def test_negative_values_on_the_other_side_and_in_sparse_data(kernel):
    refuses(DomainError, lambda: kernel(points(), -points()), "Y[0, 0] = ", "must be >= 0")
    refuses(DomainError, lambda: kernel(sp.csr_matrix([[0.0, -2.0]])), "-2.0", "must be >= 0")


@pytest.mark.parametrize(
    "kernel", [Jaccard(), SetIntersection(), SharedSubsets(), Matches()], ids=repr
)
@pytest.mark.parametrize("value", [2.0, 0.5, -1.0])
@of(FORMS)
def test_sets_are_zeros_and_ones(kernel, value, form):
    X = np.eye(3)
    X[1, 2] = value
    refuses(DomainError, lambda: kernel(form(X)), str(value), "must be 0 or 1", "Python sets")


@pytest.mark.parametrize("kernel", [Jaccard(), SetIntersection(), SharedSubsets()], ids=repr)
@pytest.mark.parametrize(
    "item", ["abc", [1, 2], 3, None, (1,), {1: 2}], ids=lambda v: type(v).__name__
)
def test_not_a_set_among_sets(kernel, item):
    refuses(
        InputTypeError,
        lambda: kernel([{1}, {2}, item]),
        f"X[2] = {item!r} is not a set",
        "frozenset",
    )
    column = np.empty(3, dtype=object)
    column[:] = [{1}, {2}, item]
    refuses(InputTypeError, lambda: kernel(column), f"X[2] = {item!r} is not a set")


@pytest.mark.parametrize(
    "X", [["abc", {1}], [3, {1}], [["a", "b"], ["c", "d"]], ["ab", "c"], {1, 2}], ids=str
)
def test_something_else_instead_of_sets(X):
    refuses(InputTypeError, lambda: Jaccard()(X), "X")


@pytest.mark.parametrize("kernel", [Jaccard(), SetIntersection(), SharedSubsets()], ids=repr)
def test_sets_against_rows(kernel):
    refuses(
        DomainMismatchError,
        lambda: kernel([{1}, {2}], np.eye(2)),
        "Y = 'rows of numbers'",
        "Python sets",
        "one form",
    )
    refuses(
        DomainMismatchError,
        lambda: kernel(np.eye(2), [{1}, {2}]),
        "Y = 'Python sets'",
        "rows of numbers",
        "one form",
    )


def test_matches_needs_columns():
    refuses(
        InputTypeError,
        lambda: Matches()([{1}, {2}]),
        "X = 'Python sets'",
        "number of columns",
        "zeros and ones",
    )


@pytest.mark.parametrize(
    ("kernel", "X", "value", "radius"),
    [
        (
            PowerSeries(kernel=Linear(), coefficients=lambda n: 1.0, radius=1.0),
            [[0.5], [1.0]],
            "1.0",
            "1",
        ),
        (
            PowerSeries(kernel=Linear(), coefficients=lambda n: 1.0, radius=2.5),
            [[0.5], [2.0]],
            "4.0",
            "2.5",
        ),
        (
            PowerSeries(kernel=2.0 * RBF(), coefficients=[1.0, 1.0], radius=2.0),
            [[0.0], [1.0]],
            "2.0",
            "2",
        ),
    ],
    ids=["on it", "beyond it", "finite sum"],
)
def test_outside_the_radius(kernel, X, value, radius):
    message = [f" = {value} must be below the radius of convergence {radius}", "rescale the data"]
    refuses(RadiusError, lambda: kernel(X), "k(x[", *message)
    refuses(RadiusError, lambda: kernel.diag(X), *message)
    refuses(RadiusError, lambda: kernel.gram(X), *message)
    if value != "2.0":
        refuses(RadiusError, lambda: kernel([[0.5]], X), *message)
        assert np.isfinite(kernel([[0.5]])).all()


def test_a_series_that_does_not_converge_is_an_error():
    kernel = PowerSeries(kernel=Linear(), coefficients=lambda n: 1.0)
    refuses(RadiusError, lambda: kernel([[1.0]]), "did not converge")
    refuses((RadiusError, KernelOverflowError), lambda: kernel([[2.0]]))


@pytest.mark.parametrize("exponent", [0.5, 1.5, 2.25])
@pytest.mark.parametrize("kernel", [Linear(), -RBF(), Sigmoid()], ids=repr)
def test_a_negative_base_has_no_real_power(kernel, exponent):
    X = [[1.0], [-1.0]]
    refuses(
        DomainError,
        lambda: (kernel**exponent)(X),
        "is negative",
        f"no real power {exponent:g}",
        "integer exponent",
    )
    assert np.isfinite((kernel**3)(X)).all()


def test_a_negative_base_on_the_diagonal():
    refuses(DomainError, lambda: ((-RBF()) ** 0.5).diag([[1.0]]), "-1.0", "is negative")


@of({name: FORMS[name] for name in ("csr", "csc", "coo array")})
@pytest.mark.parametrize(
    "kernel",
    [
        Laplacian(),
        Periodic(),
        ANOVA(degree=2),
        AllSubsets(),
        Brownian(),
        Spline(),
        HistogramIntersection(),
        Chi2(),
        RBF() + Laplacian(),
    ],
    ids=repr,
)
def test_sparse_input_for_kernels_of_coordinates(kernel, form):
    refuses(
        InputTypeError,
        lambda: kernel(form(points())),
        "X = 'a sparse matrix'",
        "every coordinate",
        "X.toarray()",
    )


def test_sparse_input_for_a_gradient_per_column():
    refuses(
        InputTypeError,
        lambda: RBF(length_scale=[1.0, 2.0, 3.0]).gradient(
            sp.csr_matrix(points()), np.ones((4, 4))
        ),
        "X.toarray()",
    )


@mercer.kernel
def own_dot(x, y):
    total = 0.0
    for i in range(x.size):
        total += x[i] * y[i]
    return total


@pytest.mark.parametrize(
    "kernel",
    [RBF() @ "arctan", Conformal.examples()[0], FromFeatures.examples()[0], RBF().on([0])],
    ids=["pull-back", "conformal", "features", "columns"],
)
@of({name: FORMS[name] for name in ("csr", "coo array")})
def test_sparse_input_for_functions_is_computed_or_refused(kernel, form):
    """Never an error of NumPy's or Numba's, and never a wrong number."""
    X = points()
    try:
        K = kernel(form(X))
    except MercerError:
        return
    np.testing.assert_allclose(K, kernel(X), rtol=1e-12)


@of({name: FORMS[name] for name in ("csr", "coo array")})
def test_sparse_input_for_ones_own_function(form):
    """Computed or refused; and the function stays compiled for dense rows afterwards."""
    X = points()
    kernel = mercer.kernel(own_dot.python_function)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with contextlib.suppress(MercerError):
            np.testing.assert_allclose(kernel(form(X)), X @ X.T, rtol=1e-12)
        np.testing.assert_allclose(kernel(X), X @ X.T, rtol=1e-12)


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


# ---- Parameters ----

# (kernel, parameter, values beyond its range)
RANGES = [
    (
        RBF(),
        "length_scale",
        [
            0,
            0.0,
            -1.0,
            [],
            [1.0, -1.0],
            [1.0, 0.0],
            [[1.0]],
            np.ones((2, 2)),
            np.array([1.0, np.nan]),
        ],
    ),
    (Exponential(), "length_scale", [0, -2]),
    (Laplacian(), "length_scale", [0, -2]),
    (Matern(), "nu", [0, -0.5, -math.inf]),
    (RationalQuadratic(), "alpha", [0, -1.0]),
    (Bessel(order=1.0), "order", [-0.5, 101]),
    (Wendland(), "smoothness", [-1, 4, 1.5, 1.0]),
    (Wendland(), "dimension", [0, 2.5]),
    (Multiquadric(), "c", [0, -1]),
    (NegativeDistance(), "power", [0, -1, 2.0001]),
    (LogDistance(), "power", [0, -1, 3]),
    (Polynomial(degree=3), "degree", [0, -1, 2.5, 3.0]),
    (Polynomial(degree=3), "scale", [0, -1]),
    (ExponentialDot(), "alpha", [0, -1]),
    (ArcCosine(), "order", [3, -1, 0.5]),
    (ANOVA(degree=2), "degree", [0, 1.5]),
    (Periodic(), "period", [0, -1, [1.0, -1.0]]),
    (Chi2(), "gamma", [0, -1]),
    (Constant(), "c", [-1, -1e-9]),
    (Power(kernel=RBF(), exponent=2), "exponent", [0, -1, -0.5]),
    (PowerSeries(kernel=Linear(), coefficients=[1.0]), "radius", [0, -1]),
    (
        PowerSeries(kernel=Linear(), coefficients=[1.0]),
        "coefficients",
        [[], [math.nan], [[1.0]], 3.0],
    ),
    (
        GeneralLinear(A=np.eye(2)),
        "A",
        [np.ones((2, 3)), np.ones(3), np.empty((0, 0)), [[math.nan]], [[1.0, 2.0], [3.0]]],
    ),
    (
        Precomputed(matrix=np.eye(2)),
        "matrix",
        [np.ones((2, 3)), np.ones(3), np.empty((0, 0)), [[math.inf]], 7],
    ),
    (Scaled(factor=2.0, kernel=RBF()), "kernel", [2.0, "RBF", RBF]),
]
# what is no number is refused by every parameter that is one
NUMBERS = [case for case in RANGES if case[1] not in ("kernel", "coefficients", "A", "matrix")] + [
    (Polynomial(degree=3), "offset", []),
    (Sigmoid(), "scale", []),
    (Scaled(factor=2.0, kernel=RBF()), "factor", []),
]
NO_NUMBERS = [
    True,
    False,
    np.True_,
    math.nan,
    "2",
    "",
    None,
    [None],
    ["1"],
    1j,
    b"1",
    object,
    {},
    {1.0},
]
CASES = [(k, n, v) for k, n, values in RANGES for v in values]
CASES += [(k, n, v) for k, n, _ in NUMBERS for v in NO_NUMBERS]
CASES += [(k, n, math.inf) for k, n, _ in NUMBERS if n not in ("nu", "radius")]
CASES += [
    (k, n, 10**400)
    for k, n in ((RBF(), "length_scale"), (Polynomial(degree=3), "offset"), (Chi2(), "gamma"))
]


def case_id(value):
    if isinstance(value, mercer.Kernel):
        return type(value).__name__
    return "10**400" if isinstance(value, int) and value > 10**30 else str(value)[:25]


bad_parameters = pytest.mark.parametrize(("kernel", "name", "value"), CASES, ids=case_id)


@bad_parameters
def test_out_of_range_at_construction(kernel, name, value):
    given = {**kernel.get_params(deep=False), name: value}
    refuses(
        ParameterError,
        lambda: type(kernel)(**given),
        f"{type(kernel).__name__}: {name} = ",
        " must be ",
    )


@bad_parameters
def test_out_of_range_by_attribute(kernel, name, value):
    kernel = kernel.copy()
    before = repr(kernel)
    refuses(
        ParameterError,
        lambda: setattr(kernel, name, value),
        f"{type(kernel).__name__}: {name} = ",
        " must be ",
    )
    assert repr(kernel) == before


@bad_parameters
def test_out_of_range_by_set_params(kernel, name, value):
    kernel = kernel.copy()
    before = repr(kernel)
    refuses(
        ParameterError,
        lambda: kernel.set_params(**{name: value}),
        f"{type(kernel).__name__}: {name} = ",
        " must be ",
    )
    assert repr(kernel) == before


@pytest.mark.parametrize("value", [["1", "2"], np.array(["1", "2"]), [["1"]]], ids=str)
def test_texts_are_no_coefficients(value):
    refuses(
        ParameterError,
        lambda: PowerSeries(kernel=Linear(), coefficients=value),
        "PowerSeries: coefficients = ",
    )


@pytest.mark.parametrize(
    "family",
    [lambda v: GeneralLinear(A=v), lambda v: Precomputed(matrix=v)],
    ids=["GeneralLinear", "Precomputed"],
)
@pytest.mark.parametrize(
    "value", [[["1"]], [["a"]], np.array([["1", "0"], ["0", "1"]]), "1", None], ids=str
)
def test_texts_are_no_matrix(family, value):
    refuses(ParameterError, lambda: family(value), "must be a finite square matrix")


@pytest.mark.parametrize("value", [[[1.0], [1.0, 2.0]], [1.0, [2.0]]], ids=str)
def test_ragged_length_scales(value):
    refuses(
        ParameterError, lambda: RBF(length_scale=value), "RBF: length_scale = ", "one per column"
    )


def test_an_array_is_no_choice():
    refuses(
        ParameterError,
        lambda: ArcCosine(order=np.array([0, 1])),
        "ArcCosine: order = ",
        "one of 0, 1, 2",
    )


def test_a_kernel_is_no_list_of_coefficients():
    refuses(
        ParameterError,
        lambda: PowerSeries(kernel=Linear(), coefficients=RBF()),
        "PowerSeries: coefficients = ",
    )


@pytest.mark.parametrize(
    ("call", "fragments"),
    [
        (lambda: RBF.from_gamma(0), ["gamma = 0 must be positive"]),
        (lambda: RBF.from_gamma(-1.0), ["gamma = -1.0 must be positive"]),
        (lambda: RBF.from_sigma(-1.0), ["length_scale = -1.0 must be positive"]),
        (lambda: RBF() ** -1, ["Power: exponent = -1 must be positive"]),
        (lambda: RBF() ** 0, ["Power: exponent = 0 must be positive"]),
        (lambda: RBF() ** "2", ["Power: exponent = '2' must be positive"]),
        (lambda: RBF() / 0, ["divisor = 0", "other than 0"]),
        (lambda: RBF() / Linear(), ["divisor = Linear()", "not a kernel"]),
        (lambda: RBF() / math.nan, ["divisor = nan"]),
        (lambda: RBF() @ 3, ["@ = 3 must be a function"]),
        (lambda: RBF() @ RBF(), ["@ = RBF() must be a function"]),
        (lambda: RBF() @ "no such function", ["@ = 'no such function' must be a function"]),
        (lambda: mercer.Sum(), ["Sum = []"]),
        (lambda: mercer.Sum(RBF(), k3=RBF()), ["Sum = ", "k1, k2"]),
        (lambda: mercer.Sum(RBF(), 2.0), ["Sum: k2 = 2.0 must be a kernel"]),
        (lambda: mercer.Warp(kernel=RBF(), function=3), ["Warp: function = 3 must be callable"]),
        (
            lambda: Conformal(kernel=RBF(), function=np.sum, nonzero=1),
            ["Conformal: nonzero = 1 must be True or False"],
        ),
        (lambda: mercer.register_function("no name"), ["name = 'no name' must be a Python name"]),
        (
            lambda: mercer.kernel(lambda x, y: 0.0, status="positive"),
            ["status = 'positive' must be one of"],
        ),
        (lambda: mercer.kernel(lambda x, y: 0.0, compile="yes"), ["compile = 'yes' must be"]),
        (lambda: mercer.kernel(3), ["kernel = 3 must be a function of two samples"]),
        (lambda: mercer.kernel(lambda x: 0.0), ["must take two samples"]),
        (lambda: mercer.kernel(lambda x, y, p: 0.0), ["kernel: p", "a number as default"]),
        (
            lambda: mercer.KernelMap(kernel=3).fit(points()),
            ["KernelMap: kernel = 3 must be a mercer kernel"],
        ),
        (
            lambda: mercer.KernelMap(landmarks=0).fit(points()),
            ["KernelMap: landmarks = 0 must be at least 1"],
        ),
        (
            lambda: mercer.repair(np.eye(2), how="mend"),
            ["how = 'mend' must be one of 'clip', 'flip', 'shift'"],
        ),
    ],
)
def test_other_parameters(call, fragments):
    refuses(ParameterError, call, *fragments)


@pytest.mark.parametrize("other", ["a", None, [1.0], math.nan, math.inf, True], ids=repr)
def test_arithmetic_with_what_is_no_kernel(other):
    for call in (
        lambda: RBF() + other,
        lambda: RBF() - other,
        lambda: RBF() * other,
        lambda: other + RBF(),
        lambda: other * RBF(),
    ):
        with pytest.raises(TypeError):
            call()


def test_unknown_parameters():
    kernel = RBF() + Linear()
    refuses(
        ParameterError,
        lambda: kernel.k1.set_params(lengthscale=2.0),
        "'lengthscale' is not a parameter of RBF",
        "it has length_scale",
    )
    refuses(
        ParameterError,
        lambda: Linear().set_params(scale=2.0),
        "'scale' is not a parameter of Linear",
        "none",
    )
    refuses(
        ParameterError,
        lambda: kernel.set_params(k3=RBF()),
        "'k3' is not a parameter of Sum",
        "k1, k2",
    )
    refuses(
        ParameterError,
        lambda: kernel.set_params(k1__lengthscale=2.0),
        "'lengthscale' is not a parameter of RBF",
    )
    refuses(
        ParameterError, lambda: kernel.set_params(k3__length_scale=2.0), "is not a parameter of Sum"
    )
    refuses(
        ParameterError,
        lambda: RBF().set_params(length_scale__x=2.0),
        "length_scale",
        "no parameters of its own",
    )
    refuses(
        ParameterError,
        lambda: setattr(RBF(), "lengthscale", 2.0),
        "RBF: lengthscale = 2.0 is not a parameter",
        "length_scale",
    )
    with pytest.raises(TypeError, match="lengthscale"):
        RBF(lengthscale=2.0)


REFUSED = [
    (RBF(length_scale=2.0), {"length_scale": -1.0}, ParameterError),
    (Polynomial(degree=2), {"scale": 3.0, "offset": 4.0, "degree": 0}, ParameterError),
    (RBF(length_scale=2.0), {"length_scale": 3.0, "gamma": 1.0}, ParameterError),
    (2.0 * RBF(), {"factor": 3.0, "kernel__length_scale": -1.0}, ParameterError),
    (2.0 * RBF(), {"kernel": Linear(), "kernel__length_scale": 1.0}, ParameterError),
    (RBF() + Polynomial(degree=3), {"k1__length_scale": 3.0, "k2__degree": 0}, ParameterError),
    (RBF() + Polynomial(degree=3), {"k1": Linear(), "k2__degree": 0}, ParameterError),
    (RBF() + Polynomial(degree=3), {"k1__length_scale": 3.0, "k2__power": 2}, ParameterError),
    (RBF() + Polynomial(degree=3), {"k2__scale": 2.0, "k2__degree": 0}, ParameterError),
    (
        (RBF() * Linear()).exp(),
        {"kernel__k1__length_scale": 3.0, "kernel__k2__scale": 2.0},
        ParameterError,
    ),
    (GeneralLinear(A=np.eye(2)), {"A": [[1.0, 2.0], [2.0, 1.0]]}, DefinitenessError),
    (GeneralLinear(A=np.eye(2)), {"A": [[1.0, 2.0], [0.0, 1.0]]}, ParameterError),
    (Precomputed(matrix=np.eye(2)), {"matrix": [[1.0, 2.0], [0.0, 1.0]]}, ParameterError),
    (RBF() + Linear(), {"k2": Precomputed(matrix=np.eye(2))}, DomainMismatchError),
    (RBF().normalize(), {"kernel": NegativeDistance()}, DefinitenessError),
]


@pytest.mark.parametrize(("kernel", "params", "error"), REFUSED, ids=lambda v: str(v)[:50])
def test_a_refused_set_params_changes_nothing(kernel, params, error):
    kernel = kernel.copy()
    text, values = repr(kernel), kernel.get_params(deep=False)
    refuses(error, lambda: kernel.set_params(**params))
    assert repr(kernel) == text
    assert all(kernel.get_params(deep=False)[name] is value for name, value in values.items())


@pytest.mark.parametrize(
    ("kernel", "name", "value", "error"),
    [
        (kernel, *next(iter(params.items())), error)
        for kernel, params, error in REFUSED
        if len(params) == 1
    ],
    ids=lambda v: str(v)[:50],
)
def test_rules_hold_for_attributes_too(kernel, name, value, error):
    kernel = kernel.copy()
    text = repr(kernel)
    refuses(error, lambda: setattr(kernel, name, value))
    assert repr(kernel) == text


def test_a_good_set_params_works_after_a_refused_one():
    kernel = RBF() + Linear()
    refuses(ParameterError, lambda: kernel.set_params(k1__length_scale=0))
    assert repr(kernel.set_params(k1__length_scale=2.0)) == "RBF(length_scale=2.0) + Linear()"


# ---- Definiteness ----


@pytest.mark.parametrize(
    ("A", "low"),
    [
        ([[1.0, 2.0], [2.0, 1.0]], "-1"),
        ([[-1.0]], "-1"),
        (np.diag([1.0, -0.5, 3.0]), "-0.5"),
        ([[0.0, 1.0], [1.0, 0.0]], "-1"),
    ],
    ids=str,
)
def test_an_indefinite_general_linear_kernel(A, low):
    refuses(
        DefinitenessError,
        lambda: GeneralLinear(A=A),
        f"GeneralLinear: A = 'smallest eigenvalue {low}'",
        "positive semi-definite",
        "repair",
    )


@pytest.mark.parametrize("A", [[[1.0, 2.0], [0.0, 1.0]], [[1.0, 1e-6], [0.0, 1.0]]], ids=str)
def test_an_asymmetric_matrix(A):
    refuses(
        ParameterError,
        lambda: GeneralLinear(A=A),
        "GeneralLinear: A = 'asymmetric'",
        "must be symmetric",
        "(A + A.T)/2",
    )
    refuses(
        ParameterError,
        lambda: Precomputed(matrix=A),
        "Precomputed: matrix = ",
        "asymmetric",
        "must be symmetric",
        "(K + K.T)/2",
    )


@pytest.mark.parametrize(
    "kernel",
    [NegativeDistance(), LogDistance(), Multiquadric(), RBF() + NegativeDistance()],
    ids=repr,
)
def test_normalizing_a_conditional_kernel(kernel):
    refuses(
        DefinitenessError,
        kernel.normalize,
        f"Normalized: kernel = {kernel!r} is cpd",
        "k.center().normalize()",
    )
    fitted = kernel.center().normalize().fit(points())
    np.testing.assert_allclose(fitted(points()).diagonal(), 1.0, rtol=1e-12)


@pytest.mark.parametrize("kernel", [Sigmoid(), Polynomial(degree=3, offset=-1.0), -RBF()], ids=repr)
def test_normalizing_an_indefinite_kernel(kernel):
    refuses(
        DefinitenessError,
        lambda: Normalized(kernel=kernel),
        "Normalized: kernel = ",
        "is indefinite",
    )


def test_normalizing_where_the_diagonal_is_negative():
    kernel = (Linear() - 2.0 * RBF()).normalize()
    refuses(
        DefinitenessError,
        lambda: kernel([[3.0], [0.5]]),
        "k(x[1], x[1]) = -1.75 is negative",
        "k.certificate()",
    )


def test_lengths_of_conditional_kernels():
    refuses(
        DefinitenessError,
        lambda: mercer.feature_norm(NegativeDistance(), points()),
        "feature_norm = NegativeDistance()",
        "feature_distance",
    )
    refuses(
        DefinitenessError,
        lambda: mercer.feature_norm(-RBF(), points()),
        "k(x[0], x[0]) = -1.0 is negative",
    )
    refuses(DefinitenessError, lambda: mercer.feature_distance(-RBF(), points()), "is negative")
    refuses(
        DefinitenessError,
        lambda: mercer.combination_norm(NegativeDistance(), points(), np.ones(4)),
        "alpha = 4.0 must sum to 0",
    )
    refuses(
        DefinitenessError,
        lambda: mercer.combination_norm(-RBF(), points(), np.ones(4)),
        "is negative",
    )


def test_a_matrix_without_a_square_root():
    refuses(
        DefinitenessError,
        mercer.check_gram([[1.0, 2.0], [2.0, 1.0]]).square_root,
        "smallest eigenvalue -1",
        "mercer.repair",
    )


# ---- Features ----


@pytest.mark.parametrize(
    "kernel",
    [
        RBF(),
        Laplacian(),
        Matern(),
        ExponentialDot(),
        Periodic(),
        Chi2(),
        ArcCosine(),
        Linear().exp(),
        RBF() + Linear(),
        RBF() * Linear(),
        2.0 * RBF(),
        RBF() ** 2,
        Linear() ** 0.5,
        RBF().normalize(),
        RBF().on([0]),
        PowerSeries(kernel=Linear(), coefficients=lambda n: 0.5**n, radius=2.0),
    ],
    ids=brief,
)
def test_infinite_features(kernel):
    text = refuses(
        InfiniteFeaturesError,
        lambda: kernel.features(points()),
        "features = ",
        "no finite feature map",
    )
    assert "KernelMap" in text.partition(";")[2]
    assert kernel.feature_dim(3) == math.inf


@pytest.mark.parametrize(
    "kernel",
    [
        -Linear(),
        -0.5 * Polynomial(degree=3),
        PowerSeries(kernel=Linear(), coefficients=[1.0, -1.0]),
    ],
    ids=repr,
)
def test_no_real_features(kernel):
    refuses(
        InfiniteFeaturesError,
        lambda: kernel.features(points()),
        "features = ",
        "no real feature map",
    )


def test_too_many_features():
    refuses(
        InfiniteFeaturesError,
        lambda: SharedSubsets().features([set(range(40))]),
        "2^40 features",
        "KernelMap",
    )
    refuses(
        DefinitenessError,
        lambda: Polynomial(degree=3, offset=-1.0).features(points()),
        "Polynomial: offset = -1.0",
        "offset >= 0",
    )
    with mercer.config_context(memory_budget="1 MB"):
        refuses(
            MemoryBudgetError,
            lambda: Polynomial(degree=8).features(np.ones((10, 20))),
            "the feature matrix = '10 x 3108105",
        )
        refuses(
            MemoryBudgetError,
            lambda: AllSubsets().features(np.ones((10, 40))),
            "the feature matrix = ",
        )


@pytest.mark.parametrize("truncate", [-1, 1.5, "3", True], ids=repr)
@pytest.mark.parametrize("kernel", [RBF(), ExponentialDot()], ids=repr)
def test_a_truncation_is_a_degree(kernel, truncate):
    refuses(ParameterError, lambda: kernel.features(points(), truncate=truncate), "truncate")


# ---- Memory ----


@pytest.mark.parametrize(
    ("call", "size"),
    [
        (lambda X: RBF()(X), "2000 x 2000, 32 MB"),
        (lambda X: RBF()(X.astype(np.float32)), "2000 x 2000, 16 MB"),
        (lambda X: RBF()(X, X[:1500]), "2000 x 1500, 24 MB"),
        (lambda X: RBF()(sp.csr_matrix(X)), "2000 x 2000, 32 MB"),
        (lambda X: (RBF() + Linear())(X), "2000 x 2000, 32 MB"),
        (lambda X: RBF().gram(X).dense(), "2000 x 2000, 32 MB"),
        (lambda X: RBF().gram(X).rows(np.arange(100)), "100 x 2000, 1.6 MB"),
        (lambda X: RBF().gram(X)[:], "2000 x 2000, 32 MB"),
        (lambda X: Jaccard()([{i} for i in range(2000)]), "2000 x 2000, 32 MB"),
    ],
    ids=[
        "dense",
        "float32",
        "two sides",
        "sparse",
        "sum",
        "gram.dense",
        "gram.rows",
        "gram[]",
        "sets",
    ],
)
def test_beyond_the_memory_budget(call, size):
    X = np.linspace(0.0, 1.0, 2000)[:, None]
    with mercer.config_context(memory_budget="1 MB"):
        text = refuses(
            MemoryBudgetError,
            lambda: call(X),
            f"the dense Gram matrix = '{size}'",
            "exceeds the memory budget of 1 MB",
        )
    remedy = text.partition(";")[2]
    assert "k.gram(X)" in remedy and "memory_budget" in remedy


def test_what_exceeds_the_budget_is_not_allocated():
    X = np.linspace(0.0, 1.0, 20_000)[:, None]
    RBF()(X[:10])
    with mercer.config_context(memory_budget="10 MB"):
        tracemalloc.start()
        try:
            refuses(MemoryBudgetError, lambda: RBF()(X), "3.2 GB")
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert peak < 10e6


def test_the_lazy_matrix_works_under_the_same_budget():
    X = np.linspace(0.0, 30.0, 2000)[:, None]
    v = np.cos(np.arange(2000.0))
    with mercer.config_context(memory_budget="1 MB"):
        lazy = RBF().gram(X)
        product = lazy @ v
        assert "exceeds the budget of 1 MB" in lazy.plan
        assert lazy.rows([5, 7]).shape == (2, 2000)
        assert lazy.diag().tolist() == [1.0] * 2000
    np.testing.assert_allclose(product, np.exp(-0.5 * (X - X.T) ** 2) @ v, rtol=1e-9, atol=1e-9)


def test_the_budget_is_exact():
    X = points(100, 1)
    with mercer.config_context(memory_budget=80_000):
        assert RBF()(X).nbytes == 80_000
    with mercer.config_context(memory_budget=79_999):
        refuses(MemoryBudgetError, lambda: RBF()(X), "80 kB")


# ---- Kernels of different domains ----


@pytest.mark.parametrize(
    "call",
    [
        lambda p: RBF() + p,
        lambda p: p + RBF(),
        lambda p: RBF() * p,
        lambda p: RBF() - p,
        lambda p: 2.0 * Linear() + p.exp(),
        lambda p: p.normalize() * Laplacian(),
        lambda p: Jaccard() + p,
        lambda p: Chi2() + p,
        lambda p: RBF() + Linear() + p,
        lambda p: mercer.Sum(RBF(), p),
        lambda p: mercer.Product(k1=RBF(), k2=p),
    ],
)
def test_kernels_of_different_domains(call):
    text = refuses(
        DomainMismatchError,
        lambda: call(Precomputed(matrix=np.eye(2))),
        "different kinds of samples",
        "on positions",
    )
    assert ".on(" in text.partition(";")[2]


def test_the_remedy_for_different_domains_works():
    K = np.array([[2.0, 1.0], [1.0, 3.0]])
    frame = pd.DataFrame({"a": [0.0, 1.0], "i": [1, 0]})
    kernel = RBF().on("a") + Precomputed(matrix=K).on("i")
    np.testing.assert_allclose(kernel(frame), RBF()([[0.0], [1.0]]) + K[::-1, ::-1])


def test_what_goes_with_everything():
    K = np.array([[2.0, 1.0], [1.0, 3.0]])
    assert (Precomputed(matrix=K) + 1.0)([0, 1]).tolist() == [[3.0, 2.0], [2.0, 4.0]]
    assert (Precomputed(matrix=K) + White())([0, 1]).tolist() == [[3.0, 1.0], [1.0, 4.0]]
    assert (RBF() + Jaccard())(np.eye(2))[0, 0] == 2.0


# ---- Overflow ----

OVERFLOWING = [
    (Polynomial(degree=200), 1e5),
    (Polynomial(degree=200) + RBF(), 1e5),
    (ExponentialDot(), 1e5),
    (Linear().exp(), 1e5),
    (Linear() ** 100, 1e5),
    (Linear(), 1e200),
    (Linear() * Linear(), 1e100),
    (Spline(), 1e160),
    (Brownian(), 1e160),
    (AllSubsets(), 1e160),
    (PowerSeries(kernel=Linear(), coefficients=[0.0] * 100 + [1.0]), 1e5),
]
overflowing = pytest.mark.parametrize(("kernel", "large"), OVERFLOWING, ids=lambda v: repr(v)[:40])


def large_row(count, row, large):
    """Zeros, but for one row."""
    X = np.zeros((count, 2))
    X[row] = large
    return X


@overflowing
@pytest.mark.parametrize(("count", "row"), [(6, 3), (300, 20), (600, 300)])
def test_overflow_names_the_rows(kernel, large, count, row):
    X = large_row(count, row, large)
    Y = large_row(4, 1, large)
    refuses(
        KernelOverflowError,
        lambda: kernel(X),
        f"k(x[{row}], y[{row}]) = inf is not a finite number",
        "rescale the data",
    )
    refuses(
        KernelOverflowError, lambda: kernel(X, Y), f"k(x[{row}], y[1]) = inf is not a finite number"
    )
    refuses(
        KernelOverflowError,
        lambda: kernel.gram(X) @ np.ones(count),
        f"k(x[{row}], y[{row}]) = inf is not a finite number",
    )
    refuses(
        KernelOverflowError,
        lambda: kernel.gram(X, Y) @ np.ones(4),
        f"k(x[{row}], y[1]) = inf is not a finite number",
    )


@overflowing
@pytest.mark.parametrize("row", [3, 20])
def test_overflow_on_the_diagonal_names_the_row(kernel, large, row):
    X = large_row(30, row, large)
    refuses(
        KernelOverflowError,
        lambda: kernel.diag(X),
        f"k(x[{row}], ",
        " = inf is not a finite number",
        "rescale the data",
    )


@overflowing
def test_overflow_on_the_lazy_diagonal_names_the_row(kernel, large):
    X = large_row(6, 3, large)
    refuses(
        KernelOverflowError,
        lambda: kernel.gram(X).diag(),
        "k(x[3], ",
        " = inf is not a finite number",
        "rescale the data",
    )


@overflowing
def test_rows_of_a_lazy_matrix_keep_their_numbers_in_errors(kernel, large):
    X = large_row(30, 20, large)
    refuses(
        KernelOverflowError,
        lambda: kernel.gram(X).rows([4, 20]),
        "k(x[20], y[20]) = inf is not a finite number",
    )
    refuses(
        KernelOverflowError,
        lambda: kernel.gram(X)[20, 20],
        "k(x[20], y[20]) = inf is not a finite number",
    )


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix], ids=["dense", "csr"])
def test_overflow_of_fitted_kernels_and_norms(form):
    X = form(large_row(6, 3, 1e5))
    kernel = Polynomial(degree=200)
    refuses(KernelOverflowError, lambda: kernel.center().fit(X), "x[3]")
    refuses(KernelOverflowError, lambda: kernel.normalize()(X), "x[3]")
    refuses(KernelOverflowError, lambda: mercer.feature_norm(kernel, X), "x[3]")
    refuses(KernelOverflowError, lambda: mercer.combination_norm(kernel, X, np.ones(6)), "x[3]")


@pytest.mark.parametrize(
    "call",
    [
        lambda k, X: k(X),
        lambda k, X: k(X, X[:3]),
        lambda k, X: k.diag(X),
        lambda k, X: k.gram(X).diag(),
    ],
    ids=["call", "two sides", "diag", "gram.diag"],
)
@pytest.mark.parametrize("count", [6, 600])
def test_overflow_of_single_precision(call, count):
    """10^60 is a float64 but not a float32."""
    X = large_row(count, 2, 1e5).astype(np.float32)
    kernel = Polynomial(degree=6)
    assert np.isfinite(kernel(X.astype(float))).all()
    refuses(KernelOverflowError, lambda: call(kernel, X), "x[2]")


def test_overflow_leaves_no_trace():
    X = large_row(600, 300, 1e5)
    refuses(KernelOverflowError, lambda: Polynomial(degree=200)(X))
    assert Polynomial(degree=2)(X)[300, 300] == (2e10 + 1.0) ** 2


def right_or_refused(call, right):
    """A right value or an error of ours; a wrong number is the one thing that must not come out."""
    with np.errstate(all="ignore"):
        try:
            K = call()
        except MercerError:
            return
    np.testing.assert_allclose(K, right, rtol=0, atol=1e-200)


@pytest.mark.parametrize(
    "family", [RBF, Exponential, Laplacian, Matern, RationalQuadratic], ids=lambda f: f.__name__
)
@pytest.mark.parametrize("columns", [2, 60])
@pytest.mark.parametrize("large", [1e150, 1e200, 1e300])
def test_distances_beyond_all_numbers(family, columns, large):
    X = np.array([[1.0], [2.0], [3.0]]) * np.full(columns, large)
    right_or_refused(lambda: family()(X), np.eye(3))


@pytest.mark.parametrize("family", [RBF, Exponential, Laplacian, Matern], ids=lambda f: f.__name__)
@pytest.mark.parametrize("scale", [1e-150, 1e-160, 1e-200, 1e-310, [1e-200, 1e-200]], ids=str)
def test_length_scales_next_to_zero(family, scale):
    X = np.array([[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]])
    right_or_refused(lambda: family(length_scale=scale)(X), np.eye(3))


@pytest.mark.parametrize("scale", [1e-160, 1e-200, 1e-310])
def test_periodic_length_scales_next_to_zero(scale):
    right_or_refused(
        lambda: Periodic(period=4.0, length_scale=scale)([[0.0], [1.0], [2.0]]), np.eye(3)
    )


@pytest.mark.parametrize(
    "call",
    [
        lambda: Polynomial(degree=2**63)([[0.0], [1.0]]),
        lambda: Polynomial(degree=10**25)([[0.0], [1.0]]),
        lambda: (RBF() ** 1e300)([[0.0], [1.0]]),
        lambda: ANOVA(degree=10**12)([[0.0], [1.0]]),
        lambda: Polynomial(degree=2000).features(np.ones((2, 1))),
    ],
    ids=["2^63", "10^25", "1e300", "ANOVA", "features"],
)
def test_enormous_degrees_are_computed_or_refused(call):
    with contextlib.suppress(MercerError):
        assert np.isfinite(call()).all()


# ---- Fitting ----


@pytest.mark.parametrize(
    "kernel",
    [
        RBF().center(),
        RBF().center() + Linear(),
        RBF().center().normalize(),
        Linear().center().on([0]),
    ],
    ids=repr,
)
@pytest.mark.parametrize(
    "call",
    [lambda k: k(points()), lambda k: k.diag(points()), lambda k: k.gram(points())],
    ids=["call", "diag", "gram"],
)
def test_not_fitted(kernel, call):
    from sklearn.exceptions import NotFittedError

    refuses(
        errors.NotFittedError,
        lambda: call(kernel),
        "Centered = ",
        ".center() does not know its centre yet",
        "call kernel.fit(X) first",
    )
    with pytest.raises(NotFittedError):
        call(kernel)
    fitted = kernel.copy().fit(points())
    assert np.isfinite(fitted(points())).all()
    refuses(errors.NotFittedError, lambda: call(kernel))


def test_features_of_an_unfitted_kernel():
    refuses(
        errors.NotFittedError,
        lambda: Linear().center().features(points()),
        "call kernel.fit(X) first",
    )


# ---- Given matrices ----


@pytest.mark.parametrize("X", [[2], [0, 5], [-1], np.array([[3]]), [0.0, 7.0]], ids=str)
def test_a_position_out_of_range(X):
    refuses(
        (DomainError, InputError),
        lambda: Precomputed(matrix=np.eye(2))(X),
        "X = ",
        "is not a position in the 2 x 2 matrix",
    )


def test_a_position_out_of_range_on_the_other_side():
    refuses(
        (DomainError, InputError),
        lambda: Precomputed(matrix=np.eye(2))([0], [2]),
        "Y = 2",
        "is not a position",
    )


@pytest.mark.parametrize(
    "X",
    [[0.5], ["a"], [[0, 1]], [True], [math.nan], [[[0]]], [None], [[0], [0, 1]], [math.inf]],
    ids=str,
)
def test_what_is_no_position(X):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(InputError) as caught:
            Precomputed(matrix=np.eye(2))(X)
    assert FORM.fullmatch(str(caught.value))


@pytest.mark.parametrize("check", [mercer.check_gram, mercer.repair], ids=["check_gram", "repair"])
@pytest.mark.parametrize(
    "K",
    [np.ones((2, 3)), np.ones(3), np.empty((0, 0)), np.ones((2, 2, 2)), 1.0],
    ids=lambda K: str(np.shape(K)),
)
def test_a_gram_matrix_is_square(check, K):
    refuses(ShapeError, lambda: check(K), "K = ", "must be square")


@pytest.mark.parametrize("check", [mercer.check_gram, mercer.repair], ids=["check_gram", "repair"])
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_gram_matrix_is_finite(check, value):
    K = np.eye(3)
    K[1, 2] = value
    refuses(NotFiniteError, lambda: check(K), f"K[1, 2] = {value} must be finite")


@pytest.mark.parametrize("check", [mercer.check_gram, mercer.repair], ids=["check_gram", "repair"])
@pytest.mark.parametrize(
    "K", [[["a", "b"], ["c", "d"]], [["1"]], None, [[1j]], "K", [[None]]], ids=str
)
def test_a_gram_matrix_holds_numbers(check, K):
    refuses(InputTypeError, lambda: check(K), "K = ", "matrix of numbers")


@pytest.mark.parametrize("check", [mercer.check_gram, mercer.repair], ids=["check_gram", "repair"])
def test_a_ragged_gram_matrix(check):
    refuses(ShapeError, lambda: check([[1.0], [1.0, 2.0]]), "K = ")


def test_repair_of_an_asymmetric_matrix():
    refuses(
        ParameterError,
        lambda: mercer.repair([[1.0, 2.0], [0.0, 1.0]]),
        "K = 'asymmetric' must be symmetric",
        "(K + K.T)/2",
    )
    assert mercer.check_gram([[1.0, 2.0], [0.0, 1.0]]).psd is False


@pytest.mark.parametrize(
    "k", [np.ones(2), np.ones((1, 3)), np.ones((2, 2, 2))], ids=lambda k: str(k.shape)
)
def test_new_rows_of_a_repaired_matrix(k):
    refuses(ShapeError, lambda: mercer.repair(np.eye(2)).rows(k), "k = ", "2 columns")


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


# ---- Input that only looks bad ----

EXAMPLES = [
    k
    for cls in catalogue().values()
    for k in cls.examples()
    # rows of probabilities must sum to 1, and a fitted mixture knows its width: they have tests of their own
    if "matrix" in k.domain.accepts
    and not isinstance(k, mercer.Fisher)
    and k.domain != mercer.Hellinger.domain
]
SET_KERNELS = (Jaccard, Matches, SetIntersection, SharedSubsets)
every_kernel = pytest.mark.parametrize("example", EXAMPLES, ids=lambda k: repr(k)[:60])


def table(kernel):
    """Twelve rows the kernel takes: small positive numbers, or zeros and ones."""
    rng = np.random.default_rng(7)
    return (
        rng.integers(0, 2, (12, 3)).astype(float)
        if isinstance(kernel, SET_KERNELS)
        else rng.random((12, 3))
    )


@pytest.fixture
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@every_kernel
@pytest.mark.usefixtures("no_warnings")
def test_one_sample(example):
    X = table(example)
    kernel = example.copy().fit(X)
    K = kernel(X)
    one = kernel(X[:1])
    np.testing.assert_allclose(one, K[:1, :1], rtol=1e-13, atol=1e-15)
    assert kernel.diag(X[:1]).tolist() == one.ravel().tolist()
    np.testing.assert_allclose(kernel.gram(X[:1]) @ [2.0], 2.0 * one[0], rtol=1e-13, atol=1e-15)
    assert kernel(X[:1], X).shape == (1, 12) and kernel(X, X[:1]).shape == (12, 1)


@every_kernel
@pytest.mark.usefixtures("no_warnings")
def test_fitted_on_one_sample(example):
    X = table(example)[:1]
    assert np.isfinite(example.copy().fit(X)(X)).all()


@every_kernel
@pytest.mark.usefixtures("no_warnings")
def test_one_column(example):
    if "GeneralLinear" in repr(example) or "slice(1" in repr(example):
        pytest.skip("has more columns in its parameters")
    X = table(example)[:, :1]
    kernel = example.copy().fit(X)
    K = kernel(X)
    assert np.isfinite(K).all() and np.array_equal(K, K.T)


@every_kernel
@pytest.mark.usefixtures("no_warnings")
@pytest.mark.parametrize("value", [0.0, 1.0])
def test_constant_columns(example, value):
    X = np.full((12, 3), value)
    kernel = example.copy().fit(X)
    K = kernel(X)
    assert np.isfinite(K).all()
    off = K[~np.eye(12, dtype=bool)]
    np.testing.assert_allclose(off, off[0], rtol=1e-13, atol=1e-15)


@every_kernel
@pytest.mark.usefixtures("no_warnings")
def test_duplicate_rows(example):
    X = table(example)
    X[5] = X[2]
    kernel = example.copy().fit(X)
    K = kernel(X)
    others = [i for i in range(12) if i not in (2, 5)]
    np.testing.assert_allclose(K[2, others], K[5, others], rtol=1e-13, atol=1e-15)
    if not isinstance(example, White):
        np.testing.assert_allclose(K[2, 5], K[2, 2], rtol=1e-13, atol=1e-13)


@every_kernel
@pytest.mark.usefixtures("no_warnings")
@pytest.mark.parametrize(
    "dtype", [bool, np.int8, np.uint8, np.int32, np.int64, np.uint64, np.float16, object]
)
def test_other_dtypes(example, dtype):
    X = np.random.default_rng(8).integers(0, 2, (12, 3)).astype(float)
    if isinstance(example, PowerSeries) and math.isfinite(example.radius):
        assert example.radius > example.kernel.diag(X).max()
    kernel = example.copy().fit(X)
    K = kernel(X.astype(dtype))
    assert K.dtype == np.float64
    assert np.array_equal(K, kernel(X))


@every_kernel
@pytest.mark.usefixtures("no_warnings")
def test_memory_layouts(example):
    X = table(example)
    kernel = example.copy().fit(X)
    K = kernel(X)
    wide = np.zeros((24, 6))
    wide[::2, 1::2] = X
    frozen = X.copy()
    frozen.flags.writeable = False
    for other in (
        np.asfortranarray(X),
        wide[::2, 1::2],
        X[::-1, ::-1][::-1, ::-1],
        X.T.copy().T,
        frozen,
        X.astype(">f8"),
    ):
        assert np.array_equal(kernel(other), K)
        assert np.array_equal(kernel.diag(other), kernel.diag(X))


@every_kernel
@pytest.mark.usefixtures("no_warnings")
def test_the_input_is_left_alone(example):
    X = table(example)
    before = X.copy()
    kernel = example.copy().fit(X)
    K = kernel(X)
    kernel.diag(X)
    assert np.array_equal(X, before)
    K[:] = 0.0
    assert np.array_equal(X, before)


@pytest.mark.usefixtures("no_warnings")
@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix], ids=["dense", "csr"])
@pytest.mark.parametrize("columns", [2, 60])
@pytest.mark.parametrize("kernel", [Cosine(), Linear().normalize()], ids=repr)
def test_zero_vectors_of_the_cosine(kernel, form, columns):
    X = np.zeros((4, columns))
    X[1, 0], X[3, 0] = 2.0, -3.0
    right = np.zeros((4, 4))
    right[1, 1] = right[3, 3] = 1.0
    right[1, 3] = right[3, 1] = -1.0
    assert kernel(form(X)).tolist() == right.tolist()
    assert kernel.diag(form(X)).tolist() == [0.0, 1.0, 0.0, 1.0]
    assert kernel(form(X[:1])).tolist() == [[0.0]]


@pytest.mark.usefixtures("no_warnings")
def test_zero_vectors_of_other_kernels():
    zeros = np.zeros((2, 3))
    assert ArcCosine(order=0)(zeros).tolist() == [[0.5, 0.5], [0.5, 0.5]]
    assert ArcCosine(order=1)(zeros).tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert Chi2()(zeros).tolist() == [[1.0, 1.0], [1.0, 1.0]]
    assert Jaccard()(zeros).tolist() == [[1.0, 1.0], [1.0, 1.0]]
    assert Jaccard()([set(), set()]).tolist() == [[1.0, 1.0], [1.0, 1.0]]
    assert Jaccard()([set(), {1}]).tolist() == [[1.0, 0.0], [0.0, 1.0]]


@pytest.mark.usefixtures("no_warnings")
@pytest.mark.parametrize(
    "collect",
    [
        list,
        tuple,
        pd.Series,
        lambda sets: np.array(sets, dtype=object),
        lambda sets: pd.DataFrame({"tags": sets}),
    ],
    ids=["list", "tuple", "Series", "objects", "DataFrame"],
)
def test_sets_in_every_collection(collect):
    sets = [{"a", "b"}, frozenset({"b", "c", "d"}), set()]
    right = [[1.0, 0.25, 0.0], [0.25, 1.0, 0.0], [0.0, 0.0, 1.0]]
    assert Jaccard()(collect(sets)).tolist() == right
    assert Jaccard()(collect(sets), collect(sets)).tolist() == right


@pytest.mark.usefixtures("no_warnings")
def test_sets_in_a_column():
    frame = pd.DataFrame({"tags": [{"a", "b"}, {"b", "c", "d"}], "x": [0.0, 1.0]})
    assert Jaccard().on("tags")(frame).tolist() == [[1.0, 0.25], [0.25, 1.0]]
    np.testing.assert_allclose(
        (Jaccard().on("tags") * RBF().on("x"))(frame)[0, 1], 0.25 * math.exp(-0.5), rtol=1e-14
    )


@pytest.mark.usefixtures("no_warnings")
def test_an_element_that_only_the_other_side_has():
    assert Jaccard()([{1, 2}], [{2, 3}, {4}]).tolist() == [[1 / 3, 0.0]]


@pytest.mark.usefixtures("no_warnings")
@pytest.mark.parametrize("n", [1, 2, 7, 8, 255, 256, 257, 511, 512, 513])
@pytest.mark.parametrize("columns", [1, 3, 48, 49, 60])
def test_sizes_around_the_tiles(n, columns):
    """Against plain NumPy, for one tile, exact tiles and one row more, by sums and by BLAS."""
    rng = np.random.default_rng(n + columns)
    X = rng.standard_normal((n, columns)) / math.sqrt(columns)
    Y = rng.standard_normal((257, columns)) / math.sqrt(columns)
    v = rng.standard_normal(n)
    dots = X @ X.T
    distances = sum((X[:, None, j] - X[None, :, j]) ** 2 for j in range(columns))
    across = sum((X[:, None, j] - Y[None, :, j]) ** 2 for j in range(columns))
    np.testing.assert_allclose(Linear()(X), dots, rtol=0, atol=1e-14 * columns)
    np.testing.assert_allclose(Linear()(X, Y), X @ Y.T, rtol=0, atol=1e-14 * columns)
    np.testing.assert_allclose(RBF()(X), np.exp(-0.5 * distances), rtol=1e-13)
    np.testing.assert_allclose(RBF()(X, Y), np.exp(-0.5 * across), rtol=1e-13)
    np.testing.assert_allclose(RBF().gram(X) @ v, np.exp(-0.5 * distances) @ v, rtol=0, atol=1e-11)
    np.testing.assert_allclose(Linear().diag(X), dots.diagonal(), rtol=1e-13)
    assert np.array_equal(RBF()(X), RBF()(X).T)
