"""The methods of a matrix that the algorithms of linear algebra call."""

from __future__ import annotations

from typing import Protocol

import numpy as np


class Multipliable(Protocol):
    """A matrix that is only multiplied."""

    def __matmul__(self, V: np.ndarray, /) -> np.ndarray: ...


class HasRows(Protocol):
    """A symmetric matrix that gives single rows and its diagonal."""

    def row(self, i: int, /) -> np.ndarray: ...
    def diagonal(self) -> np.ndarray: ...


class Identity:
    """The identity matrix: no preconditioner."""

    def __matmul__(self, V: np.ndarray, /) -> np.ndarray:
        return V


class Diagonal:
    """A diagonal matrix."""

    def __init__(self, entries: np.ndarray) -> None:
        self.entries = entries[:, None]

    def __matmul__(self, V: np.ndarray, /) -> np.ndarray:
        return self.entries * V
