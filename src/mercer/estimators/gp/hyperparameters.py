"""Kernel parameters as a vector of logarithms: what an optimiser moves, within what bounds, and the gradient along it."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.gaussian_process.kernels import CompoundKernel
from sklearn.gaussian_process.kernels import Kernel as TheirKernel

from mercer.aliases import KernelLike, RawSamples
from mercer.bridges.from_sklearn import Term, translate
from mercer.domains.base import Batch
from mercer.errors import DefinitenessError, ParameterError
from mercer.estimators.common.kernel_choice import CallableKernel
from mercer.estimators.common.prepared import prepare_both, training_batch
from mercer.estimators.gp.bounds import DEFAULT, Limits, label
from mercer.gram.fill import dense
from mercer.kernels.base import Kernel
from mercer.kernels.expression import parse
from mercer.kernels.vectors.radial import RBF

# scikit-learn's names, each with parameters that can be learned
_NAMES = {
    "linear": "Linear()",
    "poly": "Polynomial(degree=3, offset=1.0)",
    "polynomial": "Polynomial(degree=3, offset=1.0)",
    "rbf": "RBF()",
    "laplacian": "Laplacian()",
    "cosine": "Cosine()",
    "chi2": "Chi2()",
}


class Learned:
    """The positive continuous parameters of a mercer kernel, except fixed ones."""

    def __init__(self, kernel: Kernel, bounds: Any = DEFAULT, fixed: Any = ()) -> None:
        status = kernel.certificate().status
        if status in ("cpd", "indefinite"):
            rule = f"is {status}, and a Gaussian process needs a positive semi-definite kernel"
            raise DefinitenessError(
                "kernel", kernel, rule, "centre a cpd kernel, or change the failing part"
            )
        self.kernel = kernel
        limits = Limits(kernel, bounds, fixed)
        self.names: list[tuple[str, int | None]] = []
        self.limits: list[tuple[float, float]] = []
        self.ends: list[
            bool
        ] = []  # whether the upper limit is the parameter's own, which nobody can widen
        self.kept: list[
            str
        ] = []  # continuous parameters that stay as given though nobody asked for it
        for name, value in limits.known.items():
            values = np.asarray(value, dtype=float)
            if name in limits.fixed:
                continue
            if (
                values.ndim > 1 or not (values > 0).all()
            ):  # only what has a logarithm, each number its own, can be moved
                self.kept.append(f"{name} ({'a matrix' if values.ndim > 1 else 'not positive'})")
                continue
            for i in [None] if values.ndim == 0 else range(len(values)):
                if label(name, i) not in limits.fixed:
                    low, high, end = limits.of(name, i)
                    self.names.append((name, i))
                    self.limits.append((low, high))
                    self.ends.append(end)

    @property
    def ours(self) -> Kernel:
        return self.kernel

    @property
    def theta(self) -> np.ndarray:
        known = self.kernel.continuous_params()
        return np.array(
            [
                np.log(float(np.asarray(known[name])[() if i is None else i]))
                for name, i in self.names
            ]
        )

    @theta.setter
    def theta(self, theta: np.ndarray) -> None:
        if np.shape(theta) != (len(self.names),):
            rule = f"must have one number for each of {', '.join(self.labels()) or 'no parameter'}"
            raise ParameterError("theta", f"array of shape {np.shape(theta)}", rule)
        known = self.kernel.continuous_params()
        made: dict[str, Any] = {}
        for (name, i), value in zip(
            self.names, np.exp(np.asarray(theta, dtype=float)), strict=True
        ):
            if i is None:
                made[name] = float(value)
            else:
                made.setdefault(name, np.array(known[name], dtype=float))[i] = value
        self.kernel.set_params(**made)

    @property
    def bounds(self) -> np.ndarray:
        """Logarithms of the limits, a row per parameter."""
        return np.log(np.array(self.limits, dtype=float)).reshape(-1, 2)

    def labels(self) -> list[str]:
        return [label(name, i) for name, i in self.names]

    def fit(self, X: RawSamples) -> None:
        self.kernel.fit(X)

    def gram(self, X: RawSamples) -> np.ndarray:
        """The matrix of the training samples, which are read once for all parameters."""
        return gram(self.kernel, training_batch(self.kernel, X))

    def own(self, X: RawSamples) -> np.ndarray:
        """The matrix of other samples."""
        return gram(self.kernel, Batch(X))

    def slope(self, X: RawSamples, W: np.ndarray) -> np.ndarray:
        """d/dθ Σ W∘K for every logarithm θ."""
        return self.logarithmic(self.kernel.gradient(training_batch(self.kernel, X), W))

    def logarithmic(self, found: dict[str, Any]) -> np.ndarray:
        """Derivatives by name as derivatives in every logarithm θ."""
        known = self.kernel.continuous_params()
        at = [() if i is None else i for _, i in self.names]
        pairs = zip(self.names, at, strict=True)
        return np.array(
            [
                float(np.asarray(found[name])[i] * np.asarray(known[name], dtype=float)[i])
                for (name, _), i in pairs
            ]
        )

    def cross(self, X: RawSamples, Y: RawSamples) -> np.ndarray:
        return cross(self.kernel, X, Y)

    def diag(self, X: RawSamples) -> np.ndarray:
        return np.asarray(self.kernel.diag(X), dtype=float)


class Theirs:
    """A kernel of `sklearn.gaussian_process`, with its own logarithms and bounds; computed by ours where we have the same function."""

    kept: tuple[str, ...] = ()

    def __init__(self, kernel: TheirKernel) -> None:
        self.kernel = kernel
        self._term: Term | None = None
        self._width: int | None = None

    @property
    def ours(self) -> Kernel | None:
        """The same function as a mercer kernel, at the present parameters."""
        return None if self._term is None else self._term.kernel

    @property
    def theta(self) -> np.ndarray:
        return np.asarray(self.kernel.theta)

    @theta.setter
    def theta(self, theta: np.ndarray) -> None:
        if np.shape(theta) != (self.kernel.n_dims,):
            rule = f"must have one number for each of {', '.join(self.labels()) or 'no parameter'}"
            raise ParameterError("theta", f"array of shape {np.shape(theta)}", rule)
        self.kernel.theta = theta
        self._translate()

    def _translate(self) -> None:
        self._term = None if self._width is None else translate(self.kernel, self._width)

    @property
    def bounds(self) -> np.ndarray:
        return np.asarray(self.kernel.bounds).reshape(-1, 2)

    def labels(self) -> list[str]:
        found: list[str] = []
        for parameter in self.kernel.hyperparameters:
            if not parameter.fixed:
                many = parameter.n_elements
                found += (
                    [parameter.name]
                    if many == 1
                    else [f"{parameter.name}[{i}]" for i in range(many)]
                )
        return found

    def fit(self, X: RawSamples) -> None:
        """Nothing is learned of the samples themselves but how many columns they have."""
        self._width = X.shape[1] if isinstance(X, np.ndarray) and X.ndim == 2 else None
        self._translate()

    def gram(self, X: RawSamples) -> np.ndarray:
        return (
            np.array(self.kernel(X), dtype=float)
            if self.ours is None
            else gram(self.ours, Batch(X))
        )

    own = gram

    def slope(self, X: RawSamples, W: np.ndarray) -> np.ndarray:
        if self.ours is None:
            return np.einsum("ij,ijk->k", W, self.kernel(X, eval_gradient=True)[1])
        return self.logarithmic(self.ours.gradient(X, W))

    def logarithmic(self, found: dict[str, Any]) -> np.ndarray:
        """Derivatives by our names as derivatives in every logarithm θ of theirs."""
        assert self._term is not None
        return self._term.slope(found)

    def cross(self, X: RawSamples, Y: RawSamples) -> np.ndarray:
        return (
            np.asarray(self.kernel(X, Y), dtype=float)
            if self.ours is None
            else cross(self.ours, X, Y)
        )

    def diag(self, X: RawSamples) -> np.ndarray:
        return np.array(
            self.kernel.diag(X) if self.ours is None else self.ours.diag(X), dtype=float
        )


def gram(kernel: Kernel, batch: Batch) -> np.ndarray:
    side = kernel.prepare(batch)
    return dense(kernel, side, side, np.dtype(np.float64))


def cross(kernel: Kernel, X: RawSamples, Y: RawSamples) -> np.ndarray:
    return dense(kernel, *prepare_both(kernel, X, Y), np.dtype(np.float64))


def same_kernel(one: Any, other: Any) -> bool:
    """Whether two given kernels say the same, parameters included."""
    if isinstance(one, Kernel) and isinstance(other, Kernel):
        return type(one) is type(other) and repr(one) == repr(other)
    return type(one) is type(other) and bool(one == other)


def as_learned(kernel: KernelLike, bounds: Any, fixed: Any) -> Learned | Theirs:
    """A copy of the kernel a process was given, ready to be learned; by default ``1.0 * RBF(1.0)``."""
    if kernel is None:
        return Learned(1.0 * RBF(length_scale=1.0), bounds, fixed)
    if isinstance(kernel, CompoundKernel):
        raise ValueError("kernel cannot be a CompoundKernel")
    if isinstance(kernel, TheirKernel):
        for name, given, default in (("bounds", bounds, DEFAULT), ("fixed", fixed, ())):
            if isinstance(given, (dict, str)) or tuple(given) != default:
                remedy = f"say {type(kernel).__name__}(..., length_scale_bounds=(low, high)), or ...='fixed'"
                raise ParameterError(
                    name,
                    given,
                    "is for mercer's kernels: those of scikit-learn have bounds of their own",
                    remedy,
                )
        return Theirs(clone(kernel))
    if isinstance(kernel, str):
        if kernel == "precomputed":
            rule = "cannot say k(x, x) of new samples, which a variance needs"
            raise ParameterError(
                "kernel",
                kernel,
                rule,
                "use mercer.kernels.Precomputed(K) and positions 0, 1, ... as samples",
            )
        return Learned(parse(_NAMES.get(kernel, kernel)), bounds, fixed)
    if isinstance(kernel, Kernel):
        return Learned(clone(kernel), bounds, fixed)
    if isinstance(kernel, type) and issubclass(kernel, (Kernel, TheirKernel)):
        raise ParameterError(
            "kernel", kernel.__name__, "is a class, not a kernel", f"say {kernel.__name__}()"
        )
    if callable(kernel):
        return Learned(CallableKernel(kernel), bounds, fixed)
    remedy = "give a mercer kernel, an expression, a function of two collections, or a kernel of sklearn.gaussian_process"
    raise ParameterError("kernel", kernel, "is not a kernel", remedy)
