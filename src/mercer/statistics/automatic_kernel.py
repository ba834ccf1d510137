"""The kernel of a test, where none is given: what suits the samples, which are looked at pooled.

Which sample a row belongs to, or which rows are paired, is never looked at, so that permutations
remain valid.
"""

from __future__ import annotations

import numpy as np

from mercer.aliases import KernelLike, RawSamples
from mercer.domains.base import Batch, pick_rows, raw_length
from mercer.domains.tables.columns import present_values, table_columns
from mercer.errors import ParameterError
from mercer.estimators.common.kernel_choice import VECTOR_NAMES, choose_kernel
from mercer.kernels.base import Kernel
from mercer.kernels.combine.column_maps import ranks
from mercer.kernels.tables.shared_missingness import SharedMissingness
from mercer.kernels.vectors.distance import Laplacian
from mercer.kernels.vectors.dot import Constant, Polynomial
from mercer.kernels.vectors.radial import RBF
from mercer.proposals.registry import few_kernels, is_auto, kind_of_samples
from mercer.proposals.tables import TELLING, TableColumn, digits, proposed_kernel, read_columns

_MOST_ROWS = 5000  # from which kinds of columns and length scales are estimated
_MOST_PAIRED = 200  # samples whose kernel values are computed to find a scale
_USUAL = 2.0**0.5  # the scale of one kernel: two rows at the mean distance have k = exp(−1/2)
_SAME = 1e-9  # squared distance up to which two samples have the same features
_LARGEST = 300.0  # of the factor of a kernel in an exponent: exp(2 · 300) is still finite
SCALES = (0.0625, 0.125, 0.25, 0.5, 1.0, 2.0, 4.0)  # of an aggregated test, times `_USUAL`
_SCALES_OF_RANKS = (0.25, 0.5, 1.0, 2.0)
_POOLED = "chosen from the samples taken together, not from which belongs to which"


def fitted_kernel(
    kernel: KernelLike, X: RawSamples, chosen_from: str = _POOLED
) -> tuple[Kernel, tuple[str, ...]]:
    """The kernel that was asked for, fitted on samples, and remarks on the choice.

    Parameters
    ----------
    kernel : Kernel, str or callable
        A kernel, an expression, a name of scikit-learn's, a function, or "auto".
    X : collection of samples
        The samples: pooled ones in a test of two samples, one margin in a test of independence.
    chosen_from : str
        How the remark on an automatic choice goes on after "the kernel was".

    Returns
    -------
    tuple of a Kernel and a tuple of str
        A copy of the kernel, and remarks.
    """
    if is_auto(kernel):
        return automatic_kernel(X).fit(X), (f"the kernel was {chosen_from}",)
    if isinstance(kernel, str) and kernel == "precomputed":
        remedy = "give Precomputed(matrix=K), with positions in K as samples"
        raise ParameterError("kernel", kernel, "does not say which samples are which", remedy)
    named = isinstance(kernel, str) and kernel in VECTOR_NAMES
    if named and not hasattr(X, "tocsr"):
        X = np.asarray(X, dtype=float)
    chosen = choose_kernel(kernel, X).kernel
    if chosen is None:  # "precomputed" alone, which is refused above
        raise ParameterError("kernel", kernel, "is not a kernel")
    notes = (f"its width was {chosen_from}",) if named else ()
    return chosen.fit(X), notes


def automatic_kernel(X: RawSamples, scale: float = 1.0) -> Kernel:
    """A kernel that suits the samples, not fitted.

    Parameters
    ----------
    X : collection of samples
        A table, a sparse matrix, strings, texts, sets, graphs, trees or series.
    scale : float, default=1.0
        By how much it is wider than usual; two samples at the mean distance have the value
        exp(−1/(2 scale²)).

    Examples
    --------
    >>> from mercer.statistics.automatic_kernel import automatic_kernel
    >>> automatic_kernel([[0.0, 1.0], [2.0, 5.0], [4.0, 9.0]])
    RBF(length_scale=[3.266, 6.532]).on([0, 1])
    """
    some = some_rows(X, _MOST_ROWS)
    if hasattr(some, "tocsr"):
        return RBF(digits(scale * _USUAL * _spread(some)))
    kind = kind_of_samples(some)
    if kind is not None:
        first = _first_that_reads_all(few_kernels(kind, list(some)), some)
        return widened(first, some, scale)
    table = _without_empty_columns(some)
    return _kernel_of_table(table, _columns_of(table), scale)


def automatic_kernels(X: RawSamples, scales: tuple[float, ...] = SCALES) -> list[Kernel]:
    """Kernels of several kinds and widths that suit the samples, for an aggregated test."""
    some = some_rows(X, _MOST_ROWS)
    if hasattr(some, "tocsr"):
        spread = _USUAL * _spread(some)
        return [RBF(digits(scale * spread)) for scale in scales]
    kind = kind_of_samples(some)
    if kind is not None:
        inner = few_kernels(kind, list(some))
        return [widened(k, some, s) for k in inner for s in scales[1::2]]
    return _kernels_of_table(_without_empty_columns(some), scales)


def _kernels_of_table(table: RawSamples, scales: tuple[float, ...]) -> list[Kernel]:
    """Products of kernels of the columns, and Laplacian kernels if all of them are numbers."""
    columns = _columns_of(table)
    varying = [column for column in columns if column.spread > 0]
    if not varying:
        return [_kernel_of_table(table, columns, 1.0)]
    kernels = [_kernel_of_table(table, columns, scale) for scale in scales]
    if _are_numbers(columns):
        kernels += [_laplacian(varying, scale) for scale in scales]
    return kernels


def _are_numbers(columns: list[TableColumn]) -> bool:
    return all(column.kind == "number" and not column.missing_share for column in columns)


def kernels_of_ranks(X: RawSamples) -> list[Kernel]:
    """Kernels of the normal scores of every column's ranks; none unless all columns are numbers.

    They see dependence of columns whatever their margins are, and no value is far from others.
    """
    if hasattr(X, "tocsr") or kind_of_samples(X) is not None:
        return []
    columns = _columns_of(_without_empty_columns(some_rows(X, _MOST_ROWS)))
    names = [column.name for column in columns if column.spread > 0]
    if not names or not _are_numbers(columns):
        return []
    width = _USUAL * len(names) ** 0.5
    scores = [RBF(digits(scale * width)) for scale in _SCALES_OF_RANKS]
    return [(kernel @ ranks).on(names) for kernel in (*scores, Polynomial(degree=2, offset=0.0))]


def widened(kernel: Kernel, X: RawSamples, scale: float) -> Kernel:
    """exp(−d²/(2ℓ²)) with the distance d in the feature space of a kernel with k(x, x) = 1.

    It distinguishes distributions that have the same mean in that space. ℓ is ``scale`` times the
    root of the mean of d² over two different samples.
    """
    some = some_rows(X, _MOST_PAIRED)
    K = kernel.copy().fit(some)(some)
    n = len(K)
    mean = float((K.sum() - np.trace(K)) / max(1, n * (n - 1)))
    squared = 2.0 * max(1.0 - mean, 1e-3)  # the mean of d²
    factor = min(1.0 / (squared * scale**2), _LARGEST)
    return (digits(factor) * kernel).exp().normalize()


def _first_that_reads_all(kernels: list[Kernel], X: RawSamples) -> Kernel:
    """The first of the kernels that fail to read the fewest samples."""
    some = some_rows(X, _MOST_PAIRED)
    return kernels[int(np.argmin([_unread(kernel.copy().fit(some), some) for kernel in kernels]))]


def _unread(kernel: Kernel, X: RawSamples) -> int:
    """How many samples have no features at all; all of them if their features are the same.

    Strings of one letter have no substrings of two, and words of one letter do not count in
    `TfIdf`: then k(x, x) is 0.
    """
    norms = kernel.diag(X)
    values = kernel(pick_rows(X, np.arange(1)), X)[0]
    if np.all(norms[0] + norms - 2.0 * values <= _SAME):
        return len(norms)
    return int(np.sum(norms <= 0.0))


def some_rows(X: RawSamples, most: int) -> RawSamples:
    """All samples, or so many that are drawn at random, whatever sample they belong to."""
    n = raw_length(X)
    if n <= most:
        return X
    rows = np.random.default_rng(n).choice(n, most, replace=False)
    return pick_rows(X, np.sort(rows))


def _without_empty_columns(table: RawSamples) -> RawSamples:
    """The table less the columns without any value, which carry no information.

    Columns that are known by their positions have a constant instead, so that others keep theirs.
    """
    columns, _ = table_columns(Batch(table))
    filled = [bool(present_values(values)) for values in columns]
    if all(filled):
        return table
    if hasattr(table, "columns"):
        return table[[name for name, has_values in zip(table.columns, filled) if has_values]]
    constant = [0.0] * raw_length(table)
    kept = [values if has_values else constant for values, has_values in zip(columns, filled)]
    return [list(row) for row in zip(*kept, strict=True)]


def _columns_of(table: RawSamples) -> list[TableColumn]:
    """What the columns were taken for; none where no column has a value."""
    if hasattr(table, "columns") and len(table.columns) == 0:
        return []
    return read_columns(table)


def _kernel_of_table(table: RawSamples, columns: list[TableColumn], scale: float) -> Kernel:
    """A kernel of the values, and of where they are missing, however seldom that is."""
    varies = any(column.spread > 0 for column in columns)
    kernel = proposed_kernel(table, scale=scale * _USUAL) if varies else Constant(1.0)
    unseen = [c.name for c in columns if c.missing_share > 0 and not _tells(c, raw_length(table))]
    if not unseen:
        return kernel
    width = digits(0.5 * scale * len(columns) ** 0.5)
    return kernel * SharedMissingness(width).on(unseen)


def _tells(column: TableColumn, n: int) -> bool:
    """Whether `table_kernel` looks at where values of this column are missing."""
    return column.spread > 0 and round(column.missing_share * n) >= TELLING


def _laplacian(columns: list[TableColumn], scale: float) -> Kernel:
    """exp(−Σ|x−y|/ℓ) in units of the columns, whose exponent is about 1/scale on average."""
    width = scale * _USUAL * len(columns)
    kernel = Laplacian(length_scale=[digits(width * column.unit) for column in columns])
    return kernel.on([column.name for column in columns])


def _spread(X: RawSamples) -> float:
    """The root of the sum of the variances of the columns of a sparse matrix; 1 if it is 0."""
    square = np.asarray(X.multiply(X).mean(axis=0)).sum()
    variance = float(square - (np.asarray(X.mean(axis=0)) ** 2).sum())
    return float(np.sqrt(max(variance, 0.0))) or 1.0
