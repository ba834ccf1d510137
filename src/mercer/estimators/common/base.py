"""What the estimators share: which kernel is meant, whether it may be used, and rows that stay structured."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from mercer import _compiled
from mercer.aliases import Estimator, Gamma, KernelLike, RawSamples, Weights
from mercer.definiteness import CPD, INDEFINITE, UNKNOWN, Definite
from mercer.domains.base import Anything, Batch, Domain, Samples, in_order_of, pick_rows, raw_length
from mercer.domains.raw import own_copy
from mercer.domains.vectors import VECTORS, Vectors
from mercer.errors import (
    DefinitenessError,
    DefinitenessWarning,
    EmptyInputError,
    InputTypeError,
    NotFiniteError,
    ParameterError,
    ShapeError,
    explain,
    warn,
)
from mercer.estimators.common.fitting import Observable
from mercer.estimators.common.prepared import sides
from mercer.gram.fill import multiply, visit_rows
from mercer.gram.tile import Pair
from mercer.kernels.base import Kernel
from mercer.kernels.combine.maps import reads_by_name
from mercer.kernels.expression import parse
from mercer.kernels.vectors.coordinate import Chi2
from mercer.kernels.vectors.dot import Constant, Cosine, Linear, Polynomial, Sigmoid
from mercer.kernels.vectors.radial import RBF, Laplacian
from mercer.kernels.vectors.widths import width
from mercer.params import function, param

KERNEL_RULES: dict[str, list[Any]] = {  # scikit-learn's parameter checks for what names a kernel
    "gamma": [
        StrOptions({"scale", "auto", "sigest", "median"}),
        Interval(Real, 0.0, None, closed="left"),
    ],
    "degree": [Interval(Real, 0, None, closed="left")],
    "coef0": [Interval(Real, None, None, closed="neither")],
}


class _RawSamples(Samples):
    """Rows as they came, for functions that take collections."""

    def __init__(self, raw: RawSamples) -> None:
        self.raw = raw
        self.origin = self

    def __len__(self) -> int:
        return raw_length(self.raw)

    def take(self, rows: np.ndarray) -> _RawSamples:
        taken = _RawSamples(pick_rows(self.raw, rows))
        taken._inherit(self, rows)
        return taken


class _Raw(Domain):
    name = "collections"

    def encode(self, batch: Batch) -> Samples:
        return _RawSamples(batch.raw)


class CallableKernel(Kernel, abstract=True):
    """A function of two collections, as scikit-learn takes it; nothing is known of its definiteness."""

    definite: ClassVar[Definite | None] = None
    domain: ClassVar[Domain] = _Raw()
    function: Any = param(check=function)

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        left = pick_rows(pair.x.raw, np.arange(pair.i0, pair.i1))
        right = pick_rows(pair.y.raw, np.arange(pair.j0, pair.j1))
        values = np.asarray(self.function(left, right), dtype=float)
        if values.shape != out.shape:
            raise ShapeError(
                "kernel",
                self.function,
                f"returned shape {values.shape} for {out.shape[0]} and {out.shape[1]} samples",
            )
        np.copyto(out, values)


@dataclasses.dataclass(frozen=True)
class Choice:
    """The kernel an estimator was given, made concrete; None if the data are the Gram matrix."""

    kernel: Kernel | None
    foreign: bool  # a scikit-learn name or a callable: used as asked, with a warning where it may not be psd


def choose_kernel(
    kernel: KernelLike,
    X: RawSamples,
    gamma: Gamma = "scale",
    degree: int = 3,
    coef0: float = 0.0,
    weight: Any = None,
) -> Choice:
    """A kernel object, an expression, a scikit-learn name, a callable, or "precomputed"."""
    if isinstance(kernel, Kernel):
        return Choice(clone(kernel), False)
    if isinstance(kernel, str):
        if kernel == "precomputed":
            return Choice(None, True)
        made = _by_name(kernel, X, gamma, degree, coef0, weight)
        return Choice(parse(kernel), False) if made is None else Choice(made, True)
    if isinstance(kernel, type) and issubclass(kernel, Kernel):
        raise ParameterError(
            "kernel", kernel.__name__, "is a class, not a kernel", f"say {kernel.__name__}()"
        )
    if callable(kernel):
        return Choice(CallableKernel(kernel), True)
    remedy = "give a mercer kernel, an expression, a scikit-learn name, a function of two collections, or 'precomputed'"
    raise ParameterError("kernel", kernel, "is not a kernel", remedy)


def _weighted_variance(X: RawSamples, weight: np.ndarray) -> float:
    """Of all entries, about their mean: the difference of two squares would lose it far from the origin."""
    share = weight / weight.sum()
    mean = float(share @ np.asarray(X.mean(axis=1)).ravel())
    if not hasattr(X, "toarray"):
        return float(share @ ((X - mean) ** 2).mean(axis=1))
    stored = X.tocsr()
    entry = np.repeat(share, np.diff(stored.indptr)) / X.shape[1]
    return float(entry @ (stored.data - mean) ** 2 + (1.0 - entry.sum()) * mean**2)


def _gamma(gamma: Gamma, X: RawSamples, weight: Any) -> float:
    if gamma == "auto" or gamma is None:
        return 1.0 / X.shape[1]
    if gamma == "scale":
        if weight is None and not hasattr(X, "toarray"):
            variance = float(X.var())
        else:
            variance = _weighted_variance(
                X, np.full(X.shape[0], 1.0) if weight is None else np.asarray(weight, dtype=float)
            )
        return 1.0 / (X.shape[1] * variance) if variance > 0 else 1.0
    if gamma in ("sigest", "median"):
        return 0.5 / width(X, gamma, weight=weight) ** 2
    return float(gamma)


def _by_name(
    name: str, X: RawSamples, gamma: Gamma, degree: int, coef0: float, weight: Any
) -> Kernel | None:
    match name:
        case "linear":
            return Linear()
        case "cosine":
            return Cosine()
        case "rbf" | "poly" | "polynomial" | "sigmoid" | "laplacian" | "chi2":
            pass
        case _:
            return None
    g = _gamma(gamma, X, weight)
    if g == 0:  # allowed by scikit-learn: every value is the same
        flat = {"poly": coef0**degree, "polynomial": coef0**degree, "sigmoid": np.tanh(coef0)}.get(
            name, 1.0
        )
        return Constant(float(flat)) if flat >= 0 else float(flat) * Constant(1.0)
    match name:
        case "rbf":
            return RBF.from_gamma(g)
        case "laplacian":
            return Laplacian(length_scale=1.0 / g)
        case "chi2":
            return Chi2(gamma=g)
        case "sigmoid":
            return Sigmoid(scale=g, offset=float(coef0))
    if degree != int(degree):
        raise ParameterError(
            "degree",
            degree,
            "must be a whole number: other powers of an inner product are no kernel",
        )
    return (
        Polynomial(degree=int(degree), scale=g, offset=float(coef0))
        if degree >= 1
        else Constant(1.0)
    )


def _are_vectors(domain: Domain) -> bool:
    """Vectors, or what several kernels read that all want vectors; noise and constants do not look at samples."""
    looked = [part for part in getattr(domain, "domains", ()) if not isinstance(part, Anything)]
    return isinstance(domain, Vectors) or (
        bool(looked) and all(_are_vectors(part) for part in looked)
    )


def _where_not_finite(X: RawSamples) -> str:
    """The first such value by its place, and what to do about it."""
    remedy = "drop or impute the row, or use MissingAware(kernel) for holes"
    if hasattr(X, "tocoo"):
        stored = X.tocoo()
        at = int(np.argmax(~np.isfinite(stored.data)))
        row, column, value = int(stored.row[at]), int(stored.col[at]), stored.data[at]
    else:
        values = np.asarray(X, dtype=float)
        row, column = (int(place) for place in np.argwhere(~np.isfinite(values))[0])
        value = values[row, column]
    name = list(X.columns)[column] if hasattr(X, "columns") else column
    return explain(f"X[{row}, {name!r}]", float(value), "must be finite", remedy)


def note_columns(estimator: Estimator, X: RawSamples) -> None:
    """Remember how many columns there are, and what a data frame calls them, as scikit-learn does."""
    for name in ("n_features_in_", "feature_names_in_"):
        estimator.__dict__.pop(name, None)
    if hasattr(X, "shape") and len(X.shape) == 2:
        estimator.n_features_in_ = X.shape[1]
    if hasattr(X, "columns") and all(isinstance(name, str) for name in X.columns):
        estimator.feature_names_in_ = np.asarray(list(X.columns), dtype=object)


def as_in_training(estimator: Estimator, X: RawSamples) -> Any:
    """The columns of training by their names; a kernel that looks by names may do without some."""
    known, kernel = vars(estimator).get("feature_names_in_"), vars(estimator).get("kernel_")
    if known is None or not hasattr(X, "columns") or len(set(known)) < len(known):
        return X
    kernels = kernel if isinstance(kernel, (list, tuple)) else [kernel]
    if not set(known) <= set(X.columns) and all(
        isinstance(k, Kernel) and reads_by_name(k) for k in kernels
    ):
        return X
    return in_order_of(X, list(known))


class KernelEstimator(Observable, BaseEstimator):
    """Mixin of estimators that have a ``kernel`` parameter."""

    needs: ClassVar[str] = "psd"  # "psd", "cpd" (Σc = 0 is built in) or "any"
    small_fits_use_blas: ClassVar[bool] = True

    def _given_kernel(self) -> Any:
        """What the user named; estimators that know other names for it override this."""
        return vars(self)["kernel"]

    def _choose(self, X: RawSamples, weight: Any = None) -> Choice:
        p = vars(self)
        choice = choose_kernel(
            self._given_kernel(),
            X,
            p.get("gamma", "scale"),
            p.get("degree", 3),
            p.get("coef0", 0.0),
            weight,
        )
        self._check_definite(choice, p.get("repair"))
        return choice

    def _check_definite(self, choice: Choice, repair: str | None) -> None:
        """Refuse what is known not to fit, warn of what may not."""
        if repair not in (None, "clip", "flip", "shift"):
            raise ParameterError("repair", repair, "must be None, 'clip', 'flip' or 'shift'")
        if choice.kernel is None or self.needs == "any" or repair is not None:
            return
        certificate = choice.kernel.certificate()
        if certificate.psd or (certificate.status == CPD and self.needs == "cpd"):
            return
        name = type(self).__name__
        leaf = certificate.failing()
        where = (
            "" if leaf is None or leaf.claim == certificate.claim else f", because of {leaf.claim}"
        )
        if choice.foreign or certificate.status == UNKNOWN:
            rule = f"is {certificate.status}, where {name} needs a {self.needs} kernel{where}: solved as asked"
            warn(explain("kernel", choice.kernel, rule), DefinitenessWarning)
            return
        witness = (
            f" ({leaf.witness})"
            if leaf is not None and leaf.witness is not None and certificate.status == INDEFINITE
            else ""
        )
        repairable = "repair" in vars(self)
        mend = (
            "change it, or say repair='clip', 'flip' or 'shift'"
            if repairable
            else "change it, or fit mercer.repair(K) as precomputed"
        )
        remedy = "centre it: k.center()" if certificate.status == CPD else mend
        raise DefinitenessError(
            "kernel",
            choice.kernel,
            f"is {certificate.status}{where}{witness}; {name} needs {self.needs}",
            remedy,
        )

    def _domain(self) -> Domain | None:
        kernel = self._given_kernel()
        if isinstance(kernel, str) and kernel in (
            "rbf",
            "linear",
            "poly",
            "polynomial",
            "sigmoid",
            "laplacian",
            "cosine",
        ):
            return VECTORS
        if isinstance(kernel, str) and kernel != "precomputed":
            try:
                found = _by_name(kernel, np.ones((1, 1)), 1.0, 3, 1.0, None) or parse(kernel)
                return found.domain
            except Exception:
                return None
        return getattr(kernel, "domain", None)

    def _takes_vectors(self) -> bool:
        """Whether scikit-learn's checks apply: vectors, Gram matrices, and functions of arrays."""
        domain = self._domain()
        return domain is None or _are_vectors(domain)

    def _check_X(self, X: RawSamples, reset: bool, **options: Any) -> Any:
        if self._takes_vectors():
            return self._check_numbers(X, reset=reset, **options)
        if raw_length(X) == 0:
            raise EmptyInputError("X", X, "is empty", "give at least one sample")
        if not reset:
            return as_in_training(self, X)
        note_columns(self, X)
        return own_copy(X)  # it will be kept

    def _check_numbers(self, X: RawSamples, **options: Any) -> Any:
        """scikit-learn's checks, of ``y`` too if it is given."""
        kernel = self._given_kernel()
        sparse = "csr" if not (isinstance(kernel, str) and kernel == "precomputed") else False
        try:
            return validate_data(
                self, X, **{"accept_sparse": sparse, "dtype": np.float64, "order": "C", **options}
            )
        except ValueError as error:
            if "could not convert string to float" in str(
                error
            ) or "dtype='numeric' is not compatible" in str(error):
                rule = f"holds text where kernel {kernel} wants numbers ({error})"
                raise InputTypeError(
                    "X", X, rule, "encode it, or give a kernel that reads text"
                ) from None
            if "Input X contains" in str(error):
                raise NotFiniteError(
                    f"{str(error).splitlines()[0]} {_where_not_finite(X)}"
                ) from None
            raise

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        kernel = self._given_kernel()
        domain = self._domain()
        tags.input_tags.pairwise = isinstance(kernel, str) and kernel == "precomputed"
        tags.input_tags.sparse = self._takes_vectors() and not tags.input_tags.pairwise
        tags.input_tags.positive_only = bool(getattr(domain, "nonnegative", False))
        if not self._takes_vectors():
            tags.input_tags.two_d_array = False
        return tags


@dataclasses.dataclass
class Expansion:
    """f(x) = Σ c_i k(x, x_i): the samples that count, kept raw, and how to evaluate it for new ones."""

    kernel: Kernel | None
    samples: Any  # raw rows, or None for precomputed
    columns: np.ndarray  # positions among the training samples
    width: int  # how many training samples there were

    def apply(self, X: RawSamples, coefficients: np.ndarray) -> np.ndarray:
        """k(X, samples) @ coefficients, tile by tile."""
        if self.kernel is None:
            return self._given(X) @ coefficients
        if len(self.columns) == 0:
            return np.zeros((len(Batch(X)), coefficients.shape[1]))
        x, y = self.sides(X)
        return multiply(self.kernel, x, y, coefficients)

    def _given(self, X: RawSamples) -> np.ndarray:
        """The columns that count of a precomputed k(X, X_train)."""
        if X.shape[1] != self.width:
            rule = "must have one column for each training sample"
            raise ShapeError(
                "X", f"{X.shape[1]} columns", rule, f"give k(X, X_train) with {self.width} columns"
            )
        return np.asarray(X)[:, self.columns]

    def sides(self, X: RawSamples) -> tuple[Any, Any]:
        """New and training samples as the kernel reads them."""
        assert self.kernel is not None
        return sides(self.kernel, X, self.samples)

    def squares(self, X: RawSamples, known: np.ndarray) -> np.ndarray:
        """k(x, x) of new samples; a precomputed k(X, X_train) tells it only if it is the same for all training samples, ``known``."""
        if self.kernel is not None:
            return np.asarray(self.kernel.diagonal(self.sides(X)[0]), dtype=np.float64)
        first = float(known[0])
        if not np.allclose(known, first, rtol=1e-12, atol=0.0):
            rule = "does not tell k(x, x) of new samples: its diagonal is not constant"
            raise ShapeError(
                "kernel", "precomputed", rule, "normalise the matrix, or give the kernel itself"
            )
        return np.full(X.shape[0], first)

    def visit(
        self, X: RawSamples, visit: Callable[[np.ndarray, tuple[int, int], tuple[int, int]], Any]
    ) -> None:
        """Show ``visit(tile, rows, cols)`` all of k(X, samples), a few rows at a time, columns in order."""
        if self.kernel is not None:
            visit_rows(self.kernel, *self.sides(X), visit)
            return
        K = self._given(X)
        for start in range(0, len(K), 256):
            part = np.ascontiguousarray(K[start : start + 256], dtype=np.float64)
            visit(part, (start, start + len(part)), (0, K.shape[1]))


def check_weights(sample_weight: Weights, n: int) -> np.ndarray:
    """One weight >= 0 per sample; ones if none are given."""
    if sample_weight is None:
        return np.ones(n)
    weight = np.asarray(sample_weight, dtype=np.float64)
    if weight.ndim == 0:
        weight = np.full(n, float(weight))
    if weight.shape != (n,):
        raise ShapeError(
            "sample_weight",
            f"array of shape {weight.shape}",
            f"must have one value for each of the {n} samples",
        )
    if not np.isfinite(weight).all() or weight.min() < 0:
        row = int(np.argmax(~np.isfinite(weight) | (weight < 0)))
        raise ParameterError(f"sample_weight[{row}]", float(weight[row]), "must be finite and >= 0")
    if not weight.any():
        raise ParameterError(
            "sample_weight", "all 0", "leaves no sample: all samples have zero or negative weights"
        )
    return weight


def check_square(X: RawSamples) -> None:
    """A precomputed training matrix: square and symmetric."""
    if X.shape[0] != X.shape[1]:
        raise ShapeError(
            "X",
            f"array of shape {X.shape}",
            "should be a square kernel matrix",
            "Precomputed matrix must be a square matrix: k(X, X)",
        )
    largest, gap = _compiled.storage.asymmetry(np.require(X, requirements=["C", "W"]))
    if gap > 1e-8 * (largest or 1.0):
        i, j = np.unravel_index(int(np.argmax(np.abs(X - X.T))), X.shape)
        raise ShapeError(
            f"K[{i}, {j}] - K[{j}, {i}]",
            float(X[i, j] - X[j, i]),
            "is not 0: K must be symmetric",
            "use (K + K.T)/2",
        )


__all__ = [
    "Choice",
    "Expansion",
    "KernelEstimator",
    "check_is_fitted",
    "check_square",
    "check_weights",
    "choose_kernel",
]
