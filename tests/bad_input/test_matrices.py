"""Kernels that are not fitted, and matrices that are not Gram matrices, are refused."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from bad_input.common import FORM, points, refuses

import mercer
from mercer import RBF, Linear, Precomputed, errors
from mercer.errors import (
    DomainError,
    InputError,
    InputTypeError,
    NotFiniteError,
    ParameterError,
    ShapeError,
)

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
        ".center() does not know its center yet",
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
