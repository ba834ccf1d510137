"""Checks of samples, weights and precomputed matrices, with messages that name the place."""

from __future__ import annotations

import inspect
from collections.abc import Sequence

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from mercer import errors
from mercer.aliases import Estimator, Features, RawSamples, Weights
from mercer.domains.base import in_order_of, pick_rows, raw_length
from mercer.domains.raw import dense_numbers
from mercer.errors import (
    ABSENT,
    DataWarning,
    KernelOverflowError,
    ParameterError,
    ShapeError,
    explain,
    warn,
    warn_ignored,
)
from mercer.kernels.base import Kernel
from mercer.kernels.combine.columns import reads_by_name
from mercer.kernels.numerics.resolution import Points

_ROUNDING = 4 * np.finfo(float).eps
_STRIP = 256  # rows of a matrix that are compared with its columns at a time
_SQUARED = 1e150  # of larger numbers the squares, or their sums, overflow
_VANISHING = 1e-154  # of smaller numbers the squares are 0, or have lost their digits
_RESOLVED = 1e-4  # of the largest scale: samples that differ by more do so in feature space


def where_not_finite(X: RawSamples) -> str:
    """The first value that is not finite, by its place, and what to do about it."""
    if hasattr(X, "tocoo"):
        stored = X.tocoo()
        at = int(np.argmax(~np.isfinite(stored.data)))
        row, column, value = int(stored.row[at]), int(stored.col[at]), stored.data[at]
    else:
        values = dense_numbers(X)
        row, column = (int(place) for place in np.argwhere(~np.isfinite(values))[0])
        value = values[row, column]
    name = column
    if hasattr(X, "columns"):
        name = list(X.columns)[column]
    remedy = "drop or impute the row, or use MissingAware(kernel) for missing values"
    return explain(f"X[{row}, {name!r}]", float(value), "must be finite", remedy)


def check_fitted(estimator: Estimator) -> None:
    """scikit-learn's check; a report says at once that there was a fit."""
    if "report_" not in vars(estimator):
        check_is_fitted(estimator)


def note_columns(estimator: Estimator, X: RawSamples) -> None:
    """Remember the number of columns and the names of a data frame's, as scikit-learn does."""
    for name in ("n_features_in_", "feature_names_in_"):
        estimator.__dict__.pop(name, None)
    if hasattr(X, "shape") and len(X.shape) == 2:
        estimator.n_features_in_ = X.shape[1]
    if hasattr(X, "columns") and all(isinstance(name, str) for name in X.columns):
        estimator.feature_names_in_ = np.asarray(list(X.columns), dtype=object)


def as_in_training(estimator: Estimator, X: RawSamples) -> RawSamples:
    """A data frame with the columns of training in their order, matched by name.

    A kernel that looks columns up by name may do without some.
    """
    known = vars(estimator).get("feature_names_in_")
    if known is None or not hasattr(X, "columns") or len(set(known)) < len(known):
        return X
    incomplete = not set(known) <= set(X.columns)
    if incomplete and _reads_columns_by_name(vars(estimator).get("kernel_")):
        return X
    return in_order_of(X, list(known))


def _reads_columns_by_name(kernels: object) -> bool:
    """Whether one kernel, or each of several, looks columns up by their names."""
    if not isinstance(kernels, Sequence):
        kernels = [kernels]
    return all(isinstance(kernel, Kernel) and reads_by_name(kernel) for kernel in kernels)


def check_weights(sample_weight: Weights, n: int) -> np.ndarray:
    """One weight >= 0 per sample; ones if none are given."""
    if sample_weight is None:
        return np.ones(n)
    weight = np.asarray(sample_weight, dtype=np.float64)
    if weight.ndim == 0:
        weight = np.full(n, float(weight))
    if weight.shape != (n,):
        rule = f"must have one value for each of the {n} samples"
        raise ShapeError("sample_weight", f"array of shape {weight.shape}", rule)
    wrong = ~np.isfinite(weight) | (weight < 0)
    if wrong.any():
        row = int(np.argmax(wrong))
        what = f"sample_weight[{row}]"
        raise ParameterError(what, float(weight[row]), "must be finite and >= 0")
    if not weight.any():
        rule = "leaves no sample: all samples have zero or negative weights"
        raise ParameterError("sample_weight", "all 0", rule)
    return weight


def weights_for(estimator: Estimator, sample_weight: Weights, n: int) -> np.ndarray:
    """Checked weights for an estimator that is to be fitted with them."""
    if not has_fit_parameter(estimator, "sample_weight"):
        rule = "takes no sample_weight"
        raise ParameterError("estimator", estimator, rule, "choose one that does")
    return check_weights(sample_weight, n)


def check_squares(y: np.ndarray) -> np.ndarray:
    """The targets; those whose variance overflows are refused."""
    size = float(np.abs(y).max())
    if size > _SQUARED:
        rule = f"has no finite variance beyond {_SQUARED:g}"
        raise ParameterError("y", f"values up to {size:.3g}", rule, "scale y")
    return y


def check_sums(X: Features) -> None:
    """Raise an error if sums of squares over the samples overflow."""
    largest = max(float(X.max()), -float(X.min()))
    if largest > _SQUARED / X.shape[0]:
        rule = f"has values up to {largest:.3g}, whose variance overflows"
        remedy = "divide the data by a constant, or standardize the columns"
        raise KernelOverflowError("X", "the training samples", rule, remedy)
    if 0.0 < largest < _VANISHING:
        rule = f"has values up to {largest:.3g}, whose squares are 0"
        remedy = "multiply the data by a constant, or standardize the columns"
        raise ParameterError("X", "the training samples", rule, remedy)


def warn_of_ignored(
    estimator: Estimator,
    *names: str,
    because: str = "the kernel has parameters of its own",
    remedy: str = "set them in the kernel",
) -> None:
    """Warn of parameters that were set beside a kernel that has no use for them."""
    given = vars(estimator)
    defaults = inspect.unwrap(type(estimator).__init__).__kwdefaults__
    for name in names:
        if name in given and given[name] != defaults.get(name, given[name]):
            warn_ignored(name, given[name], because, remedy)


def check_resolved(kernel: Kernel, X: RawSamples, must_differ: bool) -> None:
    """Raise an error if floating point numbers cannot represent how near samples are to each other.

    Distances may overflow, so that the kernel is 0 for any two samples; or different samples may
    be the same in feature space, unless the learner allows that. A first look at two samples
    settles nearly all cases without the kernel. A kernel that is constant by its structure, as
    gamma = 0 makes it, is allowed with a warning.
    """
    if must_differ and kernel.is_constant:
        rule = "is constant, so that no two samples differ and all predictions are equal"
        warn(explain("kernel", kernel, rule, "set gamma > 0, or give another kernel"), DataWarning)
        return
    if kernel.compares_points:
        _check_points(kernel.inner_points(X), must_differ)
        return
    if hasattr(X, "iloc") and must_differ:
        _check_varies(kernel, X)
    # other libraries have types of their own, which are no numbers of NumPy
    is_float = getattr(getattr(X, "dtype", None), "kind", "") == "f"
    if not is_float or X.ndim != 2:
        return
    values = X.data if issparse(X) else X
    largest = max(float(values.max(initial=0.0)), -float(values.min(initial=0.0)))
    if largest > _SQUARED:
        _check_distances(kernel, X)
    elif must_differ:
        # two samples that differ by far more than rounding error settle nearly all cases
        scale = 1.0
        for value in kernel.continuous_params().values():
            scale = max(scale, float(np.abs(value).max()))
        if issparse(X) or np.abs(X[0] - X[-1]).min() <= _RESOLVED * scale:
            _check_varies(kernel, X)


def warn_of_equal_samples(X: RawSamples) -> None:
    """Warn where all samples are equal, or all values of a Gram matrix: nothing tells them apart.

    Two samples settle nearly all cases.
    """
    n = raw_length(X)
    if n > 1 and are_equal(pick_rows(X, np.array([0, n - 1]))) and are_equal(X):
        rule = "are equal, so that nothing tells them apart"
        message = explain(f"all {n} samples of X", ABSENT, rule, "give samples that differ")
        warn(message, DataWarning)


def are_equal(X: RawSamples) -> bool:
    """Whether rows of numbers or words, or strings, are all the same; False for other samples."""
    if issparse(X):
        low, high = X.min(axis=0), X.max(axis=0)
        return not (low != high).sum()
    if isinstance(X, list | tuple):
        return all(isinstance(sample, str) and sample == X[0] for sample in X)
    values = X.to_numpy() if hasattr(X, "to_numpy") else X
    if not isinstance(values, np.ndarray) or values.dtype.kind not in "fiubUS":
        return False
    return bool((values == values[:1]).all())


def _check_distances(kernel: Kernel, X: RawSamples) -> None:
    """Raise an error if a sample of middling size has no other near it."""
    if not kernel.compares_rows:
        return
    size = abs(X).max(axis=1)
    if issparse(X):
        size = size.toarray().ravel()
    sample = np.argsort(size)[[len(size) // 2]]
    try:
        row = kernel(X[sample], X)[0]
    except KernelOverflowError:  # the Gram matrix will raise it, with the rows of X
        return
    row[sample] = 0.0
    if not row.any():
        rule = "is 0 for any two of these samples, whose distances overflow"
        remedy = "divide the data by a constant, or standardize the columns"
        raise KernelOverflowError("kernel", kernel, rule, remedy)


def _check_points(points: Points | None, must_differ: bool) -> None:
    """The same of the points of series and bags, which a kernel inside compares."""
    if points is None or points.rows.shape[0] == 0:
        return
    largest = float(abs(points.rows).max())
    if largest > _SQUARED:
        rule = f"has points of values up to {largest:.3g}, whose distances overflow"
        remedy = "divide the data by a constant, or standardize the columns"
        raise KernelOverflowError("X", "the collection of samples", rule, remedy)
    if must_differ:
        _check_varies(points.kernel.copy().fit(points.rows), points.rows)


def _check_varies(kernel: Kernel, X: RawSamples) -> None:
    """Raise an error if different samples are the same in feature space for lack of precision.

    Of a kernel that separates points this can only be rounding; others may be constant on
    purpose.
    """
    if not kernel.must_vary(X):
        return
    try:
        constant = _agree(kernel, X[:1], X[-1:]) and _agree(kernel, X[:1], X)
    except errors.NotFittedError:  # such as a centered kernel, whose values depend on all samples
        return
    if constant:
        rule = "is constant on these samples, which differ by too little beside its length scale"
        raise ParameterError("kernel", kernel, rule, "rescale the data, or change the length scale")


def _agree(kernel: Kernel, sample: RawSamples, others: RawSamples) -> bool:
    """Whether k(x, x) = k(x, y) = k(y, y) for one sample x and all y, up to rounding."""
    values = np.concatenate([kernel(sample, others)[0], kernel.diag(others)])
    return bool(np.ptp(values) <= _ROUNDING * np.abs(values).max())


def check_square(X: RawSamples) -> None:
    """Raise an error for a precomputed training matrix that is not square or not symmetric."""
    if X.shape[0] != X.shape[1]:
        remedy = "Precomputed matrix must be a square matrix: k(X, X)"
        shape = f"array of shape {X.shape}"
        raise ShapeError("X", shape, "should be a square kernel matrix", remedy)
    largest, gap = _asymmetry(X)
    if gap > 1e-8 * (largest or 1.0):
        i, j = np.unravel_index(int(np.argmax(np.abs(X - X.T))), X.shape)
        rule = "is not 0: K must be symmetric"
        what = f"K[{i}, {j}] - K[{j}, {i}]"
        raise ShapeError(what, float(X[i, j] - X[j, i]), rule, "use (K + K.T)/2")


def _asymmetry(X: np.ndarray) -> tuple[float, float]:
    """The largest |K_ij| and the largest |K_ij − K_ji|, strip by strip to save memory."""
    largest = gap = 0.0
    for start in range(0, len(X), _STRIP):
        strip = slice(start, start + _STRIP)
        rows = np.asarray(X[strip], dtype=float)
        largest = max(largest, float(np.abs(rows).max()))
        gap = max(gap, float(np.abs(rows - X[:, strip].T).max()))
    return largest, gap
