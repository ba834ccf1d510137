"""Views of the same samples: the kernel of each, and its centered Gram matrix in one of two forms.

A test of independence needs K̃ = HKH with H = I − 11ᵀ/n, which is also right for kernels that are
only conditionally positive definite. It is stored while two of them fit the memory budget; a factor
A of K̃ ≈ AAᵀ takes its place where it is exact and smaller, or where the matrix does not fit.
"""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from mercer.aliases import KernelLike, RawSamples
from mercer.definiteness import CPD
from mercer.domains.base import Batch
from mercer.domains.raw import raw_length
from mercer.errors import MemoryBudgetError, ShapeError
from mercer.gram.build import gram_matrix
from mercer.gram.plan import COPY, RAISE, plan_matrix
from mercer.kernels.base import Kernel
from mercer.kernels.vectors.dot import Constant
from mercer.linalg.cholesky import pivoted_cholesky
from mercer.proposals.registry import is_auto
from mercer.statistics.automatic_kernel import automatic_kernel, fitted_kernel
from mercer.statistics.result import kernel_notes
from mercer.statistics.samples import as_samples

_SMALL = 300  # samples whose matrix is as quick as any factor
_EXACT = 1e-13  # share of the trace that a factor may lack and still be called exact
_MOST_RANK = 200  # of a factor that stands for a matrix beyond the budget
_NARROW = 0.25  # the scale of the narrow kernel, in units of the wide one's
_CHOSEN = "kernels or widths were chosen from each view alone, not from how views are paired"
_CONSTANT = 1e-12  # share of the trace that centering leaves of a constant, by rounding


@dataclasses.dataclass(frozen=True)
class View:
    """One view of the samples: what was given, and the kernel, fitted on it alone.

    Attributes
    ----------
    samples : collection
        The samples.
    kernel : Kernel
        The fitted kernel.
    name : str
        The argument that it was given as.
    notes : tuple of str
        Remarks on the kernel.
    """

    samples: RawSamples
    kernel: Kernel
    name: str
    notes: tuple[str, ...]

    def __len__(self) -> int:
        return raw_length(self.samples)


@dataclasses.dataclass(frozen=True)
class Centered:
    """K̃ = HKH, as a matrix or as a factor.

    Attributes
    ----------
    array : ndarray
        K̃, of shape (n, n), or the factor, of shape (n, rank).
    factor : bool
        Whether it is a factor.
    trace_error : float
        The share of the trace of K that the factor lacks.
    """

    array: np.ndarray
    factor: bool = False
    trace_error: float = 0.0

    @property
    def constant(self) -> bool:
        """Whether nothing is left of the view: it is the same for all samples."""
        return not self.array.any()

    def matrix(self) -> np.ndarray:
        """K̃ itself."""
        return self.array @ self.array.T if self.factor else self.array

    def trace(self) -> float:
        """The trace of K̃."""
        return float(np.sum(self.array**2) if self.factor else np.trace(self.array))

    def text(self) -> str:
        """The form, in words."""
        n, columns = self.array.shape
        if not self.factor:
            return f"matrix of {n} rows"
        error = (
            "exact" if self.trace_error <= _EXACT else f"{self.trace_error:.2g} of the trace off"
        )
        return f"factor of rank {columns}, {error}"


def wide_and_narrow(X: RawSamples) -> Kernel:
    """The sum of a wide kernel that suits the samples, counted twice, and of a narrow one.

    A wide kernel sees trends, a narrow one waves and rings. On columns of numbers the widths are
    1.4 and 0.35 standard deviations: in simulations this had about the power of one kernel of the
    median distance against trends, and more against waves and rings.
    """
    wide = automatic_kernel(X)
    if isinstance(wide, Constant):
        return wide
    return 2.0 * wide + automatic_kernel(X, scale=_NARROW)


def read_view(
    raw: RawSamples, name: str, kernel: KernelLike, test: str, mixed: bool = True
) -> View:
    """A view with its kernel, chosen and fitted on it alone: never on how views are paired.

    Parameters
    ----------
    raw : collection of samples
        What the user gave.
    name : str
        The argument, for messages.
    kernel : Kernel, str or callable
        The kernel, or "auto".
    test : str
        The name of the test, for messages.
    mixed : bool, default=True
        Whether an automatic kernel is a sum of two widths.
    """
    samples = as_samples(raw, name, kernel)
    if mixed and is_auto(kernel):
        chosen = wide_and_narrow(samples).fit(samples)
        remarks: tuple[str, ...] = (_CHOSEN,)
    else:
        chosen, notes = fitted_kernel(kernel, samples)
        remarks = (_CHOSEN,) if notes else ()
    return View(samples, chosen, name, remarks + kernel_notes(chosen, test))


def check_same_length(views: list[View]) -> int:
    """The number of samples, of which each view has one row."""
    n = len(views[0])
    for view in views[1:]:
        if len(view) != n:
            rule = f"must have as many samples as {views[0].name}, which has {n}"
            raise ShapeError(view.name, f"{len(view)} samples", rule, "give one row per sample")
    return n


def all_notes(views: list[View]) -> tuple[str, ...]:
    """The notes of all views, each once."""
    return tuple(dict.fromkeys(note for view in views for note in view.notes))


def centered(view: View, rank: int | None = None) -> Centered:
    """K̃ of a view, as a matrix while it fits a quarter of the budget, or as a factor.

    Parameters
    ----------
    view : View
        The samples and their kernel.
    rank : int, optional
        The rank of the factor, where one is wanted in any case.
    """
    n = len(view)
    plan = plan_matrix(n, COPY)
    if rank is not None or not plan.stored:
        return _approximate(view, min(n, rank or _MOST_RANK))
    if n > _SMALL and view.kernel.certificate().psd:
        factor = _factor(view.kernel, view, math.isqrt(2 * n))
        if factor.trace_error <= _EXACT:
            return factor
    return Centered(_center(view.kernel(view.samples).astype(np.float64, copy=False)))


def centered_matrix(view: View) -> np.ndarray:
    """K̃ of a view, stored; an error where it does not fit."""
    return _center(np.asarray(view.kernel(view.samples), dtype=np.float64))


def _approximate(view: View, rank: int) -> Centered:
    """A factor of low rank; of a cpd kernel, that of the positive kernel ⟨φ − μ, φ − μ⟩."""
    certificate = view.kernel.certificate()
    if not certificate.cpd:
        rule = "exceeds the memory budget, and a factor needs a positive definite kernel"
        raise MemoryBudgetError(f"the Gram matrix of {view.name}", f"{len(view)} rows", rule, RAISE)
    kernel = view.kernel
    if certificate.status == CPD:
        kernel = kernel.center().fit(view.samples)
    return _factor(kernel, view, rank)


def _factor(kernel: Kernel, view: View, rank: int) -> Centered:
    """A centered pivoted Cholesky factor."""
    samples = kernel.prepare(Batch(view.samples))
    matrix = gram_matrix(
        kernel, samples, dataclasses.replace(plan_matrix(1, COPY), form="streamed")
    )
    A = pivoted_cholesky(matrix, rank, _EXACT)
    total = float(np.sum(matrix.diagonal()))
    error = 0.0
    if total > 0:
        error = max(0.0, 1.0 - float(np.sum(A**2)) / total)
    A = np.ascontiguousarray(A - A.mean(axis=0))
    if np.sum(A**2) <= _CONSTANT * total:
        A[:] = 0.0
    return Centered(A, True, error)


def _center(K: np.ndarray) -> np.ndarray:
    """HKH, symmetric to the last bit; zeros where K is constant but for rounding errors."""
    size = float(np.abs(K).max())
    means = K.mean(axis=0)
    K = K - means
    K -= means[:, None] - means.mean()
    if np.abs(K).max() <= _CONSTANT * size:
        return np.zeros_like(K)
    return (K + K.T) / 2.0
