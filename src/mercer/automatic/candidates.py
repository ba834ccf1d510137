"""Candidate kernels for a kind of samples, the smoothest first."""

from __future__ import annotations

import numpy as np

from mercer.aliases import KernelLike, LengthScale, RawSamples, SparseMatrix
from mercer.automatic.subsets import thin_out
from mercer.errors import ParameterError
from mercer.kernels.base import Kernel
from mercer.kernels.expression import parse
from mercer.kernels.vectors.radial import RBF
from mercer.proposals.registry import few_kernels, is_auto, kind_of_samples
from mercer.proposals.tables import proposed_kernel, read_columns

# Length scales in units of the mean distance; the mean exponent of the kernel is 1/scale².
SCALES = (2.0, 1.0, 0.5, 0.25)
_GIVEN = (2.0, 1.0, 0.5)  # of the length scales of a given kernel
_WIDER, _NARROWER = (4.0, 8.0, 16.0), (0.25, 0.125, 0.0625)  # where the best lies at the border
_MOST_ROWS = 5000  # rows from which types and length scales are estimated


def kind_of(X: RawSamples) -> str:
    """The kind of the samples: one of `KINDS`, as "texts", or "vectors" (sparse) or "table"."""
    if hasattr(X, "tocsr"):
        return "vectors"
    kind = kind_of_samples(X)
    return "table" if kind is None else kind.samples


def candidates(X: RawSamples, kernel: KernelLike, missing: tuple[object, ...] = ()) -> list[Kernel]:
    """The kernels to choose from: a given one at several length scales, else by the kind of X."""
    if not is_auto(kernel):
        return widths(_given_kernel(kernel))
    if hasattr(X, "tocsr"):
        return _sparse_kernels(X)
    kind = kind_of_samples(X)
    if kind is not None:
        return few_kernels(kind, list(X))
    return _table_kernels(X, missing)


def beyond(kernel: KernelLike) -> tuple[list[Kernel], list[Kernel]]:
    """The wider and the narrower versions of a given kernel, beyond those of `candidates`."""
    if is_auto(kernel):
        return [], []
    given = _given_kernel(kernel)
    if len(widths(given)) == 1:
        return [], []
    return widths(given, _WIDER), widths(given, _NARROWER)


def _given_kernel(kernel: KernelLike) -> Kernel:
    if isinstance(kernel, str):
        return parse(kernel)
    if not isinstance(kernel, Kernel):
        remedy = "give 'auto', a mercer kernel or an expression"
        raise ParameterError("kernel", kernel, "is not a kernel", remedy)
    return kernel


def widths(kernel: Kernel, scales: tuple[float, ...] = _GIVEN) -> list[Kernel]:
    """The kernel with all its length scales multiplied; the kernel alone if it has none."""
    values = kernel.get_params()
    names = [name for name in values if name.rpartition("__")[2] == "length_scale"]
    names = [name for name in names if not isinstance(values[name], str)]  # learned ones
    if not names:
        return [kernel]
    kernels = []
    for scale in scales:
        changed = {name: _times(values[name], scale) for name in names}
        kernels.append(kernel.copy().set_params(**changed))
    return kernels


def _times(length_scale: LengthScale, factor: float) -> LengthScale:
    if np.ndim(length_scale):
        return [float(part) * factor for part in length_scale]
    return float(length_scale) * factor


def _rbf_kernels(length: float) -> list[Kernel]:
    return [RBF(float(f"{scale * length:.4g}")) for scale in SCALES]


def _table_kernels(X: RawSamples, missing: tuple[object, ...]) -> list[Kernel]:
    some = thin_out(X, _MOST_ROWS)
    columns = read_columns(some, missing)
    kernels = [proposed_kernel(some, scale=scale, missing=missing) for scale in SCALES]
    if len(columns) > 1 and all(c.kind == "number" and not c.missing_share for c in columns):
        # Numbers in one unit, such as pixels, lose information by being standardized.
        variance = sum(column.unit**2 for column in columns if column.spread > 0)
        kernels += _rbf_kernels(float(np.sqrt(variance)))
    return kernels


def _sparse_kernels(X: SparseMatrix) -> list[Kernel]:
    stored, n_samples = X.tocsc(), X.shape[0]
    means = np.asarray(stored.mean(axis=0)).ravel()
    n_zeros = n_samples - np.diff(stored.indptr)
    centered = stored.data - np.repeat(means, np.diff(stored.indptr))
    with np.errstate(all="ignore"):  # a difference of two squares would lose digits
        variance = float((centered @ centered + n_zeros @ means**2) / n_samples)
    if not np.isfinite(variance):
        remedy = "divide the data by a constant, or standardize the columns"
        raise ParameterError("kernel", "auto", "needs the variance of X, which overflows", remedy)
    return _rbf_kernels(float(np.sqrt(variance)) or 1.0)
