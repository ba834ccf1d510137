"""Derivatives of a user's function by its parameters.

A complex step, Im f(θ + ih)/h, is exact to the last digits, but wrong without a word where the code
is not analytic: ``abs`` drops the imaginary part. So a parameter's first derivatives are compared
with central differences, which are used from then on where the two disagree.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np

from mercer.errors import CompilationError, warn
from mercer.kernels.custom.function import UserFunction

__all__: list[str] = []

_COMPLEX_STEP = 1e-30
_EPS = float(np.finfo(float).eps)
_STEP = _EPS ** (1 / 3)  # relative, of a central difference
_AGREEMENT = 1e-5  # of two derivatives, relative to the largest
_COMPARED = 24  # samples on either side

Params = dict[str, float]
Derivative = Callable[[str, Any, Any], np.ndarray]  # of a name, rows and columns


class Slopes:
    """Derivatives of a function by its parameters, at given values of these."""

    def __init__(self, function: UserFunction, params: Params) -> None:
        self.function = function
        self.params = params

    def choose(self, name: str, rows: Any, cols: Any) -> Derivative:
        """Decide by some pairs of samples how derivatives by a parameter are computed."""
        analytic = self.function.analytic
        with self.function.lock:
            if name not in analytic and not self.function.slow:
                self._compare(name, _some(rows), _some(cols))
        if analytic.get(name, False):
            return self._by_complex_step
        return self._by_differences

    def _compare(self, name: str, rows: Any, cols: Any) -> None:
        """Note whether the complex step gives what differences give, where these say anything."""
        reason = "its code does not take complex numbers"
        differences = self._by_differences(name, rows, cols)
        largest = np.abs(differences).max(initial=0.0)
        size = np.abs(self._values(self.params, rows, cols)).max(initial=0.0)
        noise = _EPS * size / self._step(name)  # of differences, by rounding
        with contextlib.suppress(CompilationError):
            gap = np.abs(self._by_complex_step(name, rows, cols) - differences)
            if largest <= noise / _AGREEMENT:  # ask again at other parameters
                return
            if np.all(gap <= _AGREEMENT * largest):
                self.function.analytic[name] = True
                return
            reason = "its code is not analytic, as with abs"
        self.function.analytic[name] = False
        how = "are computed by central differences, to about 9 digits"
        warn(f"derivatives of the kernel {self.function.name} by {name} {how}: {reason}")

    def _by_complex_step(self, name: str, rows: Any, cols: Any) -> np.ndarray:
        params = {key: complex(value) for key, value in self.params.items()}
        params[name] += complex(0.0, _COMPLEX_STEP)
        values = np.empty((len(rows), len(cols)), dtype=complex)
        self.function.evaluate(rows, cols, params, values)
        return np.ascontiguousarray(values.imag) / _COMPLEX_STEP

    def _by_differences(self, name: str, rows: Any, cols: Any) -> np.ndarray:
        value, step = self.params[name], self._step(name)
        above, below = value + step, value - step
        high, low = (
            self._values({**self.params, name: moved}, rows, cols) for moved in (above, below)
        )
        return (high - low) / (above - below)

    def _step(self, name: str) -> float:
        return _STEP * (abs(self.params[name]) or 1.0)

    def _values(self, params: Params, rows: Any, cols: Any) -> np.ndarray:
        values = np.empty((len(rows), len(cols)))
        self.function.evaluate(rows, cols, params, values)
        return values


def _some(rows: Any) -> Any:
    """A few samples from all over a collection."""
    return rows[:: max(1, len(rows) // _COMPARED)]
