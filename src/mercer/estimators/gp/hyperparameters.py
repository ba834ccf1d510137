"""The hyperparameters of a kernel as a vector θ of logarithms: what an optimizer moves, within what
bounds, and the gradient along it.
"""

from __future__ import annotations

import abc
from typing import Any, ClassVar

import numpy as np
from sklearn.gaussian_process.kernels import Kernel as SklearnBase

from mercer.aliases import RawSamples
from mercer.bridges.from_sklearn import Translation, entry, translate
from mercer.definiteness import CPD, INDEFINITE, Certificate
from mercer.domains.base import Batch
from mercer.errors import DefinitenessError, ParameterError
from mercer.estimators.common.base import witness_text
from mercer.estimators.common.prepared import prepare_both, training_batch
from mercer.estimators.gp.bounds import DEFAULT, Bounds, BoundsLike, Names, Place, places_of
from mercer.gram.fill import dense
from mercer.gram.plan import FLOAT64
from mercer.kernels.base import Kernel
from mercer.state import State, storable

Derivatives = dict[str, Any]  # by the names of a mercer kernel's parameters


class Hyperparameters(abc.ABC):
    """The logarithms θ of a kernel's hyperparameters, and the kernel's values at the present θ.

    The values are those of the mercer kernel, if there is one.
    """

    kernel: Any  # as the user gave it, of mercer or of scikit-learn
    not_learned: tuple[str, ...]  # continuous, but left as they are though nobody asked for it
    at_end: np.ndarray | bool  # whether the upper bounds cannot be widened

    @abc.abstractmethod
    def labels(self) -> list[str]:
        """What every number of θ is called."""

    @abc.abstractmethod
    def _theta(self) -> np.ndarray: ...

    @abc.abstractmethod
    def _set_theta(self, theta: np.ndarray) -> None: ...

    @abc.abstractmethod
    def bounds(self) -> np.ndarray:
        """Logarithms of the least and the largest values, a row per hyperparameter."""

    @abc.abstractmethod
    def bounds_setting(self, name: str) -> str:
        """How a user writes the bounds of a hyperparameter."""

    @abc.abstractmethod
    def fit(self, X: RawSamples) -> None:
        """Let the kernel learn from the samples what it needs to know of them."""

    @abc.abstractmethod
    def chain_rule(self, derivatives: Derivatives) -> np.ndarray:
        """Derivatives in the parameters of the mercer kernel as a gradient in θ."""

    @property
    def mercer_kernel(self) -> Kernel | None:
        """The function as a mercer kernel; None where mercer does not have it."""
        return self.kernel

    @property
    def theta(self) -> np.ndarray:
        """Logarithms of the hyperparameters that are learned."""
        return self._theta()

    @theta.setter
    def theta(self, theta: np.ndarray) -> None:
        if np.shape(theta) != self._theta().shape:
            names = ", ".join(self.labels()) or "no parameter"
            rule = f"must have one number for each of {names}"
            raise ParameterError("theta", f"array of shape {np.shape(theta)}", rule)
        self._set_theta(theta)

    def at_bounds(self) -> list[str]:
        """The hyperparameters that lie at bounds that could be widened."""
        close = np.isclose(self.bounds(), self.theta[:, None], rtol=1e-5, atol=1e-6)
        close[:, 1] &= np.logical_not(self.at_end)
        return [name for name, near in zip(self.labels(), close, strict=True) if near.any()]

    def _mercer(self) -> Kernel:
        assert self.mercer_kernel is not None
        return self.mercer_kernel

    def training_gram(self, X: RawSamples) -> np.ndarray:
        """The matrix of the training samples, which are read once for all θ."""
        return _gram(self._mercer(), training_batch(self._mercer(), X))

    def gram(self, X: RawSamples) -> np.ndarray:
        """The matrix of other samples."""
        return _gram(self._mercer(), Batch(X))

    def cross(self, X: RawSamples, Y: RawSamples) -> np.ndarray:
        """The matrix of new and training samples."""
        return dense(self._mercer(), *prepare_both(self._mercer(), X, Y), FLOAT64)

    def diag(self, X: RawSamples) -> np.ndarray:
        """k(x, x) of all samples."""
        return np.array(self._mercer().diag(X), dtype=float)

    def gradient(self, X: RawSamples, W: np.ndarray) -> np.ndarray:
        """The gradient of Σ W∘K in θ."""
        return self.chain_rule(self._mercer().gradient(training_batch(self._mercer(), X), W))


def check_status(kernel: Kernel, certificate: Certificate) -> None:
    """Refuse a kernel that is known not to be positive semi-definite."""
    if certificate.status not in (CPD, INDEFINITE):
        return
    status = f"{certificate.status}{witness_text(certificate)}"
    rule = f"is {status}, and a Gaussian process needs a positive semi-definite kernel"
    remedy = "center a cpd kernel, or change the failing part"
    raise DefinitenessError("kernel", kernel, rule, remedy)


def _gram(kernel: Kernel, batch: Batch) -> np.ndarray:
    samples = kernel.prepare(batch)
    return dense(kernel, samples, samples, FLOAT64)


@storable
class KernelParameters(Hyperparameters):
    """The positive continuous parameters of a mercer kernel, except fixed ones."""

    stored: ClassVar[State] = State(plain=("kernel", "places", "ranges", "at_end", "not_learned"))

    def __init__(self, kernel: Kernel, bounds: BoundsLike = DEFAULT, fixed: Names = ()) -> None:
        check_status(kernel, kernel.certificate())
        self.kernel = kernel
        checked = Bounds(kernel, bounds, fixed)
        self.places: dict[str, Place] = {}  # of every number of θ, by its label
        self.not_learned = ()
        for name in checked.free():
            self._choose(name, checked)
        self.ranges, self.at_end = checked.ranges(self.places)
        self._rebuild()

    def _rebuild(self) -> None:
        """Tell the kernel what is learned of it, so that its own theta has the same numbers."""
        limits = zip(self.places, map(tuple, self.ranges.tolist()), strict=True)
        self.kernel._limits = dict(limits)

    def _choose(self, name: str, checked: Bounds) -> None:
        """Learn a parameter whose numbers have logarithms, each its own."""
        values = np.asarray(checked.values[name], dtype=float)
        if values.ndim > 1:
            self.not_learned += (f"{name} (a matrix)",)
        elif not (values > 0).all():
            self.not_learned += (f"{name} (not positive)",)
        else:
            self.places.update(checked.free_places(name))

    def labels(self) -> list[str]:
        return list(self.places)

    def _theta(self) -> np.ndarray:
        return self.kernel.theta

    def _set_theta(self, theta: np.ndarray) -> None:
        self.kernel.theta = theta

    def bounds(self) -> np.ndarray:
        return np.log(self.ranges)

    def bounds_setting(self, name: str) -> str:
        return f"bounds={{{name!r}: (low, high)}}"

    def fit(self, X: RawSamples) -> None:
        self.kernel.fit(X)

    def chain_rule(self, derivatives: Derivatives) -> np.ndarray:
        values = self.kernel.continuous_params()
        places = self.places.values()
        return np.array([entry(derivatives[n], i) * entry(values[n], i) for n, i in places])


@storable
class SklearnParameters(Hyperparameters):
    """The hyperparameters of a kernel of `sklearn.gaussian_process`, which has its own bounds.

    The kernel is computed by mercer where mercer has the same function.
    """

    not_learned: tuple[str, ...] = ()
    at_end: np.ndarray | bool = False
    stored: ClassVar[State] = State(plain=("kernel", "_n_columns"), rebuilt=("_translation",))

    def __init__(self, kernel: SklearnBase) -> None:
        self.kernel = kernel
        self._n_columns: int | None = None
        self._translation: Translation | None = None

    def _rebuild(self) -> None:
        """Translate the kernel at its present parameters."""
        self._translation = None
        if self._n_columns is not None:
            self._translation = translate(self.kernel, self._n_columns)

    @property
    def mercer_kernel(self) -> Kernel | None:
        if self._translation is None:
            return None
        return self._translation.kernel

    def labels(self) -> list[str]:
        free = [parameter for parameter in self.kernel.hyperparameters if not parameter.fixed]
        # for scikit-learn an array of one is a number
        values = [np.squeeze(np.zeros(parameter.n_elements)) for parameter in free]
        return [
            one for p, value in zip(free, values, strict=True) for one in places_of(p.name, value)
        ]

    def _theta(self) -> np.ndarray:
        return np.asarray(self.kernel.theta)

    def _set_theta(self, theta: np.ndarray) -> None:
        self.kernel.theta = theta
        self._rebuild()

    def bounds(self) -> np.ndarray:
        return np.asarray(self.kernel.bounds).reshape(-1, 2)

    def bounds_setting(self, name: str) -> str:
        return f"{name.split('__')[-1]}_bounds of the kernel"

    def fit(self, X: RawSamples) -> None:
        self._n_columns = None
        if isinstance(X, np.ndarray) and X.ndim == 2:
            self._n_columns = X.shape[1]
        self._rebuild()

    def chain_rule(self, derivatives: Derivatives) -> np.ndarray:
        assert self._translation is not None
        return self._translation.gradient(derivatives)

    def training_gram(self, X: RawSamples) -> np.ndarray:
        return self.gram(X)

    def gram(self, X: RawSamples) -> np.ndarray:
        if self.mercer_kernel is None:
            return np.array(self.kernel(X), dtype=float)
        return super().gram(X)

    def cross(self, X: RawSamples, Y: RawSamples) -> np.ndarray:
        if self.mercer_kernel is None:
            return np.asarray(self.kernel(X, Y), dtype=float)
        return super().cross(X, Y)

    def diag(self, X: RawSamples) -> np.ndarray:
        if self.mercer_kernel is None:
            return np.array(self.kernel.diag(X), dtype=float)
        return super().diag(X)

    def gradient(self, X: RawSamples, W: np.ndarray) -> np.ndarray:
        if self.mercer_kernel is None:
            return np.einsum("ij,ijk->k", W, self.kernel(X, eval_gradient=True)[1])
        return super().gradient(X, W)
