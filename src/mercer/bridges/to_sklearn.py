"""mercer kernels inside scikit-learn's Gaussian processes."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from sklearn.gaussian_process.kernels import Hyperparameter
from sklearn.gaussian_process.kernels import Kernel as SklearnBase

from mercer.aliases import RawSamples
from mercer.bridges.from_sklearn import entry
from mercer.definiteness import CPD, INDEFINITE, UNKNOWN, Certificate
from mercer.errors import DefinitenessError, ParameterError
from mercer.kernels.base import Kernel
from mercer.kernels.custom.foreign import refuse_mixture
from mercer.kernels.numerics.derivatives import jacobian
from mercer.state import State, storable


@storable
class SklearnKernel(SklearnBase):
    """A mercer kernel as a kernel of `sklearn.gaussian_process`, with theta, bounds and gradient.

    Parameters
    ----------
    kernel : Kernel
        The kernel, whose positive continuous parameters are learned.
    limits : tuple of two float, default=(1e-5, 1e5)
        The least and the largest value of each learned parameter.
    fixed : tuple of str, default=()
        Names of parameters that are not learned.
    """

    _n_columns: int | None = None  # of the samples that were looked at last
    stored: ClassVar[State] = State(rebuilt=("_n_columns",))

    def __init__(
        self, kernel: Kernel, limits: tuple[float, float] = (1e-5, 1e5), fixed: tuple[str, ...] = ()
    ) -> None:
        self.kernel = kernel
        self.limits = limits
        self.fixed = fixed

    def _learned(self) -> dict[str, np.ndarray]:
        """The values of the parameters that are learned, by name."""
        continuous = self.kernel.continuous_params()
        unknown = [name for name in self.fixed if name not in continuous]
        if unknown:
            rule = f"are not among the parameters {list(continuous)}"
            raise ParameterError("fixed", unknown, rule)
        values = {name: np.asarray(value, dtype=float) for name, value in continuous.items()}
        return {n: v for n, v in values.items() if n not in self.fixed and np.all(v > 0)}

    # A class attribute in scikit-learn's kernels; here it follows from the kernel inside.
    @property
    def hyperparameters(self) -> list[Hyperparameter]:
        return [
            Hyperparameter(name, "numeric", self.limits, value.size)
            for name, value in self._learned().items()
        ]

    @property
    def theta(self) -> np.ndarray:
        return np.concatenate([np.zeros(0), *(np.log(v).ravel() for v in self._learned().values())])

    @theta.setter
    def theta(self, theta: np.ndarray) -> None:
        start = 0
        for name, value in self._learned().items():
            part = np.exp(np.asarray(theta[start : start + value.size], dtype=float))
            start += value.size
            new = part.reshape(value.shape) if value.ndim else float(part[0])
            self.kernel.set_params(**{name: new})

    def __call__(
        self, X: RawSamples, Y: RawSamples = None, eval_gradient: bool = False
    ) -> np.ndarray | tuple[np.ndarray, np.ndarray]:
        self._check_dimension(X)
        if not eval_gradient:
            return self.kernel(X, Y)
        if Y is not None:
            raise ParameterError("eval_gradient", True, "is for k(X) only")
        learned = self._learned()
        K = self.kernel(X)
        derivatives = [
            matrix * entry(learned[name], position)
            for name, position, matrix in jacobian(self.kernel, X)
            if name in learned
        ]
        if not derivatives:
            return K, np.zeros((*K.shape, 0))
        return K, np.stack(derivatives, axis=-1)

    def _check_dimension(self, X: RawSamples) -> None:
        """Refuse samples with more columns than the kernel is one for; a number of them once."""
        shape: tuple[int, ...] = getattr(X, "shape", ())
        if len(shape) != 2 or shape[1] == self._n_columns or not self.kernel.limited:
            return
        certificate = self.kernel.certificate(shape[1])
        _check_status(self.kernel, certificate)
        if certificate.status == UNKNOWN:
            self.kernel.warn_unknown("a Gaussian process", because=f" on {certificate.where}")
        self._n_columns = shape[1]

    def diag(self, X: RawSamples) -> np.ndarray:
        return self.kernel.diag(X)

    def is_stationary(self) -> bool:
        return self.kernel.invariance in ("radial", "translation")

    @property
    def requires_vector_input(self) -> bool:
        return "matrix" in self.kernel.domain.accepts

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SklearnKernel) and repr(self) == repr(other)

    def __repr__(self) -> str:
        return f"to_sklearn({self.kernel!r})"


def _check_status(kernel: Kernel, certificate: Certificate) -> None:
    """Refuse a kernel that is known not to be positive semi-definite."""
    if certificate.status in (CPD, INDEFINITE):
        status = f"is {certificate.status} on {certificate.where}"
        rule = f"{status}, and a Gaussian process needs a positive semi-definite kernel"
        remedy = "center a cpd kernel, or change the failing part"
        raise DefinitenessError("to_sklearn", kernel, rule, remedy)


def to_sklearn(
    kernel: Kernel, bounds: tuple[float, float] = (1e-5, 1e5), fixed: tuple[str, ...] = ()
) -> SklearnKernel:
    """A mercer kernel as `sklearn.gaussian_process` wants it, with theta, bounds and gradient.

    Parameters
    ----------
    kernel : Kernel
        A positive semi-definite kernel. Its positive continuous parameters are learned. One that
        is a kernel in few dimensions only refuses samples of more when a process is fitted.
    bounds : tuple of two float, default=(1e-5, 1e5)
        The least and the largest value of each learned parameter.
    fixed : tuple of str, default=()
        Names of parameters that are not learned.

    Returns
    -------
    SklearnKernel
        A kernel for the estimators of `sklearn.gaussian_process`; the given one is copied.

    Examples
    --------
    >>> from sklearn.gaussian_process import GaussianProcessRegressor
    >>> from mercer import RBF, to_sklearn
    >>> model = GaussianProcessRegressor(to_sklearn(2.0 * RBF()), alpha=0.1)
    >>> model.fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 0.0]).kernel_.theta.shape
    (2,)
    """
    refuse_mixture(kernel)
    if not isinstance(kernel, Kernel):
        raise ParameterError("to_sklearn: kernel", kernel, "must be a mercer kernel")
    _check_status(kernel, kernel.certificate())
    return SklearnKernel(kernel.copy(), bounds, fixed)
