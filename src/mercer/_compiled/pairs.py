"""A user's function of two rows: compiled with the loop over all pairs, or as bytes."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba import cloudpickle

from mercer.errors import CompilationError

Fill = Callable[[np.ndarray, np.ndarray, tuple[Any, ...], np.ndarray], None]


def compile_pairs(function: Callable[..., float]) -> Fill:
    """fill(x, y, params, out) sets out[i, j] = function(x[i], y[j], *params).

    It raises `CompilationError` with the first line of Numba's reason where a function, or a
    combination of types, cannot be compiled.
    """
    if not inspect.isfunction(function):  # a method, a function that is written in C
        raise CompilationError(f"{type(function).__name__} instead of a function")
    one = numba.njit(nogil=True, error_model="numpy")(function)

    @numba.njit(nogil=True, error_model="numpy")
    def loop(x: np.ndarray, y: np.ndarray, params: tuple[Any, ...], out: np.ndarray) -> None:
        for i in range(x.shape[0]):
            for j in range(y.shape[0]):
                out[i, j] = one(x[i], y[j], *params)

    def fill(x: np.ndarray, y: np.ndarray, params: tuple[Any, ...], out: np.ndarray) -> None:
        signature = tuple(numba.typeof(value) for value in (x, y, params, out))
        if signature not in loop.overloads:
            _compile(loop, signature)
        loop(x, y, params, out)

    return fill


def _compile(loop: Any, signature: tuple[Any, ...]) -> None:
    try:
        with warnings.catch_warnings():
            # np.dot of rows that are not contiguous is nothing that a user could change
            warnings.simplefilter("ignore", numba.NumbaPerformanceWarning)
            loop.compile(signature)
    except Exception as error:  # Numba raises its own errors, and others too: any is a refusal
        lines = [line.strip() for line in str(error).splitlines()]
        messages = (line for line in lines if line and not line.startswith("Failed in "))
        raise CompilationError(next(messages, type(error).__name__)) from None


def function_as_bytes(function: Callable[..., float]) -> bytes:
    """A function with its code, for a process that cannot import it; `pickle.loads` reads it."""
    return cloudpickle.dumps(function)
