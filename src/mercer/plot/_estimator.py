"""What the displays read from estimators: the kernel, the samples, the names of components."""

from __future__ import annotations

from numbers import Integral

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mercer.aliases import Columns, Estimator, RawSamples
from mercer.errors import ParameterError, ShapeError
from mercer.kernels.base import Kernel


def last_step(estimator: Estimator) -> Estimator:
    """The last step of a pipeline; any other estimator itself."""
    return estimator[-1] if hasattr(estimator, "steps") else estimator


def before_last_step(estimator: Estimator, X: RawSamples) -> RawSamples:
    """The samples as the last step of a pipeline gets them; for other estimators the samples."""
    if hasattr(estimator, "steps") and len(estimator) > 1:
        return estimator[:-1].transform(X)
    return X


def kernel_and_samples(estimator: Estimator, X: RawSamples) -> tuple[Kernel, RawSamples]:
    """The kernel of a fitted estimator, and the samples as it gets them."""
    check_is_fitted(estimator)
    X = before_last_step(estimator, X)
    kernel = getattr(last_step(estimator), "kernel_", None)
    if not isinstance(kernel, Kernel):
        rule = "has no kernel of its own"
        raise ParameterError("estimator", estimator, rule, "use from_matrix(K)")
    return kernel, X


def square_matrix(K: object) -> np.ndarray:
    """A precomputed Gram matrix as an array, which must be square."""
    matrix = np.asarray(K, dtype=float)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ShapeError("K", f"array of shape {matrix.shape}", "must be a square matrix")
    return matrix


def evenly(count: int, most: int) -> np.ndarray:
    """At most ``most`` of ``count`` positions, at equal distances."""
    if most < 1:
        raise ParameterError("most", most, "must be at least 1 sample")
    if count <= most:
        return np.arange(count)
    return np.linspace(0, count - 1, most).round().astype(int)


def two_positions(
    name: str, chosen: Columns, count: int, whose: str, remedy: str
) -> tuple[int, int]:
    """Two different positions among ``count``, or an error that names the argument."""
    positions = list(chosen) if isinstance(chosen, (list, tuple, np.ndarray)) else []
    if [isinstance(at, Integral) for at in positions] != [True, True]:
        raise ParameterError(name, chosen, "must be two positions", f"{name}=(0, 1)")
    if min(positions) < -count or max(positions) >= count:
        raise ParameterError(name, chosen, f"is not among the {count} of {whose}", remedy)
    first, second = np.mod(positions, count).tolist()
    if first == second:
        raise ParameterError(name, chosen, "must be two different positions", f"{name}=(0, 1)")
    return first, second


def ordinal(at: int) -> str:
    """The ordinal number of a position: 1st for position 0."""
    number = at + 1
    if number % 100 in (11, 12, 13):
        return f"{number}th"
    return str(number) + {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")


def shares(estimator: Estimator) -> np.ndarray | None:
    """The share of the whole that each component explains, where the estimator has it."""
    for name in ("explained_variance_ratio_", "explained_inertia_ratio_"):
        if hasattr(estimator, name):
            return np.asarray(getattr(estimator, name), dtype=float)
    return None


def component_names(estimator: Estimator, positions: tuple[int, int]) -> tuple[str, str]:
    """The names of two components, for the axes."""
    first, second = positions
    return _component_name(estimator, first), _component_name(estimator, second)


def _component_name(estimator: Estimator, at: int) -> str:
    """A component with its share, or with its correlation."""
    share = shares(estimator)
    if share is not None and at < len(share):
        return f"{ordinal(at)} component ({100 * share[at]:.1f} %)"
    if hasattr(estimator, "correlations_"):
        return f"{ordinal(at)} component (correlation {estimator.correlations_[at]:.2f})"
    return f"{ordinal(at)} component"
