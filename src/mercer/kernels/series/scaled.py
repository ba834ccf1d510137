"""Numbers with an exponent of two of their own, which neither overflow nor underflow."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mercer.aliases import Index

__all__: list[str] = []

_BEYOND = 5000  # exponents beyond all floats


class Scaled(NamedTuple):
    """value · 2^exponent."""

    value: np.ndarray
    exponent: np.ndarray

    def plain(self) -> np.ndarray:
        """The numbers, 0 or infinite beyond the range of floats."""
        exponents = np.clip(self.exponent, -_BEYOND, _BEYOND).astype(np.int32)
        return np.ldexp(self.value, exponents)

    def at(self, rows: Index) -> Scaled:
        """Some of the numbers."""
        return Scaled(self.value[rows], self.exponent[rows])

    def of_rows(self) -> Scaled:
        """Numbers of (samples, levels) for the rows of matrices, one for each level."""
        return Scaled(self.value.T[:, :, None], self.exponent.T[:, :, None])

    def of_columns(self) -> Scaled:
        """Numbers of (samples, levels) for the columns of matrices, one for each level."""
        return Scaled(self.value.T[:, None, :], self.exponent.T[:, None, :])

    def over_root(self, x: Scaled, y: Scaled) -> np.ndarray:
        """These numbers divided by √(x y)."""
        exponents = x.exponent + y.exponent
        # An even exponent is halved by the root; an odd one leaves a factor 2 under it.
        odd = exponents % 2
        quotients = self.value / np.sqrt(np.ldexp(x.value * y.value, odd))
        return Scaled(quotients, self.exponent - (exponents - odd) // 2).plain()
