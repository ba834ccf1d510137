"""Samples of the wrong type, and values outside the domain of a kernel, are refused."""

from __future__ import annotations

import contextlib
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from bad_input.common import DENSE, FORM, FORMS, of, points, refuses

import mercer
from mercer import (
    ANOVA,
    RBF,
    AllSubsets,
    Brownian,
    Chi2,
    Conformal,
    Constant,
    FromFeatures,
    HistogramIntersection,
    Jaccard,
    Laplacian,
    Linear,
    Matches,
    Periodic,
    PowerSeries,
    Precomputed,
    SetIntersection,
    SharedSubsets,
    Sigmoid,
    Spline,
)
from mercer.errors import (
    DomainError,
    DomainMismatchError,
    InputError,
    InputTypeError,
    KernelOverflowError,
    MercerError,
    RadiusError,
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
