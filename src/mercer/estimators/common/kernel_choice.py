"""Kernel objects made from what a user may pass as ``kernel=``."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone

from mercer.aliases import Gamma, KernelLike, RawSamples, Weights
from mercer.definiteness import Definite
from mercer.domains.base import Batch, Domain, Samples, pick_rows, raw_length
from mercer.domains.raw import dense_numbers
from mercer.errors import InputTypeError, ParameterError, ShapeError
from mercer.gram.tile import Pair
from mercer.kernels.base import Kernel
from mercer.kernels.custom.foreign import refuse_mixture
from mercer.kernels.custom.symmetry import check_symmetric
from mercer.kernels.expression import parse
from mercer.kernels.vectors.coordinate import Chi2
from mercer.kernels.vectors.distance import Laplacian
from mercer.kernels.vectors.dot import Constant, Linear, Polynomial
from mercer.kernels.vectors.radial import RBF
from mercer.kernels.vectors.transformed_dot import Cosine, Sigmoid
from mercer.kernels.vectors.widths import width
from mercer.params import function, param

VECTOR_NAMES = {
    "rbf",
    "linear",
    "poly",
    "polynomial",
    "sigmoid",
    "laplacian",
    "cosine",
    "chi2",
    "additive_chi2",
}
_NO_NUMBERS = "cSUMmV"  # kinds of NumPy: complex, bytes, texts, times, records


class _RawSamples(Samples):
    """Rows as they came, for functions that take collections."""

    def __init__(self, raw: RawSamples) -> None:
        self.raw = raw

    def __len__(self) -> int:
        return raw_length(self.raw)

    def take(self, rows: np.ndarray) -> _RawSamples:
        taken = _RawSamples(pick_rows(self.raw, rows))
        taken._inherit(self, rows)
        return taken


class _Collections(Domain):
    """Collections that are passed on to the user's function unread."""

    name = "collections"

    def encode(self, batch: Batch) -> Samples:
        raw = batch.raw
        if hasattr(raw, "to_numpy") and not hasattr(raw, "columns"):
            raw = raw.to_numpy()  # of a series, whose samples may have any labels
        return _RawSamples(raw)


class CallableKernel(Kernel, abstract=True):
    """A function of two collections, or of two samples, as scikit-learn takes them.

    Which of the two it is shows when it is called on a few samples. Its definiteness is unknown.
    """

    definite: ClassVar[Definite | None] = None
    domain: ClassVar[Domain] = _Collections()
    function: KernelLike = param(check=function)

    def warn_unknown(self, learner: str, remedy: str = "", because: str = "") -> None:
        ours = (
            "if you know that it is, write it as a function of two samples with "
            "@mercer.kernel(status='psd'), or fit k(X, X) as 'precomputed'"
        )
        super().warn_unknown(learner, remedy or ours, because)

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        left = pick_rows(pair.x.raw, np.arange(pair.i0, pair.i1))
        right = pick_rows(pair.y.raw, np.arange(pair.j0, pair.j1))
        if self._takes_collections(left, right):
            np.copyto(out, self._values(left, right))
        else:
            for i in range(out.shape[0]):
                for j in range(out.shape[1]):
                    out[i, j] = self._value(left[i], right[j])
        check_symmetric(pair, out, self.function)

    def _takes_collections(self, left: RawSamples, right: RawSamples) -> bool:
        """Whether it gives a matrix for a few samples, of two shapes: one may be by accident."""
        refusal: Exception | None = None
        for rows, cols in ((2, 3), (1, 2)):
            some = pick_rows(left, np.arange(min(rows, raw_length(left))))
            others = pick_rows(right, np.arange(min(cols, raw_length(right))))
            try:
                self._values(some, others)
            except Exception as error:  # whatever a user's function raises on what it cannot take
                refusal = error
        return refusal is None or not self._takes_pairs(left, right, refusal)

    def _takes_pairs(self, left: RawSamples, right: RawSamples, refusal: Exception) -> bool:
        try:
            self._value(left[0], right[0])
        except Exception:  # neither one nor the other, unless it wants to see all samples
            return self._refuses(left, right, refusal)
        return True

    def _refuses(self, left: RawSamples, right: RawSamples, refusal: Exception) -> bool:
        """False if it takes these collections, though not a few of them; else the reason."""
        try:
            self._values(left, right)
        except Exception:  # the first reason says more
            raise refusal from None
        return False

    def _value(self, left: Any, right: Any) -> float:
        """The function of two samples, which must be a real number."""
        value = self.function(left, right)
        if isinstance(value, (complex, np.complexfloating)):
            rule = f"returned values of type {type(value).__name__}"
            raise InputTypeError("kernel", self.function, rule, "return real numbers")
        return float(value)

    def _values(self, left: RawSamples, right: RawSamples) -> np.ndarray:
        values = self.function(left, right)
        kind: Any = getattr(values, "dtype", None)
        if not hasattr(kind, "kind"):  # of another library, or of nested lists
            kind = np.asarray(values).dtype
        if kind.kind in _NO_NUMBERS:
            rule = f"returned values of type {kind}"
            raise InputTypeError("kernel", self.function, rule, "return real numbers")
        values = dense_numbers(values)
        shape = raw_length(left), raw_length(right)
        if values.shape != shape:
            rule = f"returned shape {values.shape} for {shape[0]} and {shape[1]} samples"
            raise ShapeError("kernel", self.function, rule)
        return values


@dataclasses.dataclass(frozen=True)
class Choice:
    """The kernel an estimator was given, as an object; None if the data are the Gram matrix."""

    kernel: Kernel | None
    # a scikit-learn name or a callable: used as asked, with a warning where it may not be psd
    foreign: bool


def choose_kernel(
    kernel: KernelLike,
    X: RawSamples,
    gamma: Gamma = "scale",
    degree: float = 3,
    coef0: float = 0.0,
    weight: Weights = None,
) -> Choice:
    """A kernel object, an expression, a scikit-learn name, a callable, or "precomputed"."""
    if isinstance(kernel, Kernel):
        return Choice(clone(kernel), False)
    if is_precomputed(kernel):
        return Choice(None, True)
    if isinstance(kernel, str):
        named = kernel_by_name(kernel, X, gamma, degree, coef0, weight)
        if named is None:
            return Choice(parse(kernel), False)
        return Choice(named, True)
    if isinstance(kernel, type) and issubclass(kernel, Kernel):
        name = kernel.__name__
        raise ParameterError("kernel", name, "is a class, not a kernel", f"give {name}()")
    if callable(kernel):
        refuse_mixture(kernel)
        return Choice(CallableKernel(kernel), True)
    remedy = (
        "give a mercer kernel, an expression, a scikit-learn name, a function of two collections "
        "or of two samples, or 'precomputed'"
    )
    raise ParameterError("kernel", kernel, "is not a kernel", remedy)


def has_own_parameters(kernel: KernelLike) -> bool:
    """Whether it is a kernel object or an expression, rather than a name or a function."""
    if isinstance(kernel, str):
        return not is_precomputed(kernel) and kernel not in VECTOR_NAMES
    return isinstance(kernel, Kernel)


def why_unused(choice: Choice, given: KernelLike) -> str:
    """Why a matrix or a function has no use for parameters of kernels by name; empty for these."""
    if choice.kernel is None:
        return "the Gram matrix is given"
    if isinstance(choice.kernel, CallableKernel) and not isinstance(given, str):
        return "a function has parameters of its own"
    return ""


def is_precomputed(kernel: KernelLike) -> bool:
    """Whether the samples are the Gram matrix."""
    return isinstance(kernel, str) and kernel == "precomputed"


def gamma_value(gamma: Gamma, X: RawSamples, weight: Weights) -> float:
    """The number that ``gamma`` stands for on these samples."""
    if gamma == "auto" or gamma is None:
        return 1.0 / X.shape[1]
    if gamma == "scale":
        with np.errstate(over="ignore", invalid="ignore"):
            variance = _variance(X, weight)
        if not np.isfinite(variance):
            remedy = "divide the data by a constant, or standardize the columns"
            raise ParameterError("gamma", gamma, "needs the variance of X, which overflows", remedy)
        if variance <= 0:
            return 1.0
        return 1.0 / (X.shape[1] * variance)
    if gamma in ("sigest", "median"):
        return 0.5 / width(X, gamma, sample_weight=weight) ** 2
    return float(gamma)


def _variance(X: RawSamples, weight: Weights) -> float:
    """The variance of all entries about their mean, samples weighted."""
    sparse = hasattr(X, "toarray")
    if weight is None and not sparse:
        return float(X.var())
    if weight is None:
        weight = np.full(X.shape[0], 1.0)
    share = np.asarray(weight, dtype=float) / np.sum(weight)
    mean = float(share @ np.asarray(X.mean(axis=1)).ravel())
    # a difference of two squares would lose the variance far from the origin
    if not sparse:
        return float(share @ ((X - mean) ** 2).mean(axis=1))
    stored = X.tocsr()
    entry = np.repeat(share, np.diff(stored.indptr)) / X.shape[1]
    return float(entry @ (stored.data - mean) ** 2 + (1.0 - entry.sum()) * mean * mean)


def kernel_by_name(
    name: str, X: RawSamples, gamma: Gamma, degree: float, coef0: float, weight: Weights
) -> Kernel | None:
    """The kernel that scikit-learn calls by this name; None if it has none."""
    if name not in VECTOR_NAMES:
        return None
    if name == "linear":
        return Linear()
    if name == "cosine":
        return Cosine()
    if name == "additive_chi2":
        from sklearn.metrics.pairwise import additive_chi2_kernel  # it imports all of scipy.stats

        return CallableKernel(additive_chi2_kernel)
    value = gamma_value(gamma, X, weight)
    if value == 0:
        return _constant(name, degree, coef0)
    match name:
        case "rbf":
            return RBF.from_gamma(value)
        case "laplacian":
            return Laplacian(length_scale=1.0 / value)
        case "chi2":
            return Chi2(gamma=value)
        case "sigmoid":
            return Sigmoid(scale=value, offset=float(coef0))
    return _polynomial(degree, value, float(coef0))


def _constant(name: str, degree: float, coef0: float) -> Kernel:
    """The constant kernel that gamma = 0 gives, which scikit-learn allows."""
    value = 1.0
    if name in ("poly", "polynomial"):
        value = float(coef0**degree)
    elif name == "sigmoid":
        value = float(np.tanh(coef0))
    if value < 0:
        return value * Constant(1.0)
    return Constant(value)


def _polynomial(degree: float, scale: float, offset: float) -> Kernel:
    """(scale·xᵀy + offset)^degree for a whole number of a degree."""
    if degree != int(degree):
        rule = "must be a whole number: other powers of an inner product are not kernels"
        raise ParameterError("degree", degree, rule)
    if degree < 1:
        return Constant(1.0)
    return Polynomial(degree=int(degree), scale=scale, offset=offset)
