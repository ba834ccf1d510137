"""Every error is a MercerError and a built-in error, and all messages have one form."""

from __future__ import annotations

import math

import pytest

from mercer import errors
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
        (errors.NotSeparableError, TypeError),
        (errors.CompilationError, TypeError),
    ],
)
def test_errors_can_be_caught_by_their_builtin(error, builtin):
    assert issubclass(error, builtin)
