"""Whether floating-point numbers tell samples apart, which learners ask a kernel before a fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np
from scipy.sparse import issparse

from mercer.aliases import RawSamples
from mercer.definiteness import SEPARATES, STRICT, Certificate
from mercer.domains.base import Domain
from mercer.domains.vectors.domain import are_vectors

if TYPE_CHECKING:
    from mercer.kernels.base import Kernel

__all__: list[str] = []


class Points(NamedTuple):
    """The points of all samples, one in each row, and the kernel that compares points."""

    rows: np.ndarray
    kernel: Kernel


class Resolution:
    """What a kernel knows of samples that differ, where rounding may make them the same."""

    domain: ClassVar[Domain]

    if TYPE_CHECKING:

        def certificate(self, d: int | None = None) -> Certificate: ...

    is_constant: ClassVar[bool] = False  # all values are equal by the structure of the kernel
    compares_points: ClassVar[bool] = False  # which samples such as series and bags consist of

    @property
    def compares_rows(self) -> bool:
        """Whether the kernel compares samples that are rows of numbers."""
        return are_vectors(self.domain)

    def inner_points(self, X: RawSamples) -> Points | None:
        """Return the points inside samples, which the kernel compares; None if these are no rows.

        It is asked of a fitted kernel.
        """
        return None

    @property
    def strict_where_it_looks(self) -> bool:
        """Whether the kernel is strict, on the columns or images that it looks at."""
        return self.certificate().status == STRICT

    def must_vary(self, X: RawSamples) -> bool:
        """Whether the exact values of the kernel on these samples cannot all be equal."""
        if self.certificate().has(SEPARATES) and not hasattr(X, "iloc"):
            return _differ(X)
        return self.varies_in_part(X)

    def varies_in_part(self, X: RawSamples) -> bool:
        """The same of a kernel that does not separate samples, as a part of it does."""
        return False


def rows_must_vary(kernel: Kernel, X: RawSamples) -> bool:
    """Whether a strict kernel of rows of numbers has these to compare, and must vary on them."""
    if hasattr(X, "iloc"):
        X = _numbers_of_frame(X)
    is_matrix = issparse(X) or (_are_floats(X) and X.ndim == 2)
    return is_matrix and kernel.strict_where_it_looks and kernel.must_vary(X)


def _are_floats(x: object) -> bool:
    """Whether the argument is an array of floating-point numbers, and not empty."""
    return isinstance(x, np.ndarray) and x.dtype.kind == "f" and x.size > 0


def _numbers_of_frame(X: RawSamples) -> RawSamples:
    """The rows of a data frame, as floating-point numbers if all are finite numbers."""
    values = X.to_numpy()
    if values.dtype.kind not in "fiub" or not np.isfinite(values).all():
        return None
    return values.astype(float)


def _differ(X: RawSamples) -> bool:
    """Whether not all samples are equal."""
    low, high = X.min(axis=0), X.max(axis=0)
    return bool((low != high).sum())
