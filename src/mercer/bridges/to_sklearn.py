"""mercer kernels inside scikit-learn's Gaussian processes."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.gaussian_process.kernels import Hyperparameter
from sklearn.gaussian_process.kernels import Kernel as TheirKernel

from mercer.aliases import RawSamples
from mercer.errors import DefinitenessError, ParameterError
from mercer.kernels.base import Kernel
from mercer.kernels.derivatives import jacobian


class SklearnKernel(TheirKernel):
    """A mercer kernel as a kernel of `sklearn.gaussian_process`: theta (logarithms), bounds, gradient.

    Parameters that are positive are learned; others, and those in ``fixed``, stay as they are.
    """

    def __init__(
        self, kernel: Kernel, limits: tuple[float, float] = (1e-5, 1e5), fixed: tuple[str, ...] = ()
    ) -> None:
        self.kernel = kernel
        self.limits = limits
        self.fixed = fixed

    def _learned(self) -> dict[str, Any]:
        found = self.kernel.continuous_params()
        unknown = [name for name in self.fixed if name not in found]
        if unknown:
            raise ParameterError("fixed", unknown, f"are not among the parameters {list(found)}")
        return {
            n: v
            for n, v in found.items()
            if n not in self.fixed and np.all(np.asarray(v, dtype=float) > 0)
        }

    # scikit-learn calls this a property of the class of a kernel; here it follows from the kernel inside
    @property
    def hyperparameters(self) -> list[Hyperparameter]:
        return [
            Hyperparameter(name, "numeric", self.limits, int(np.size(value)))
            for name, value in self._learned().items()
        ]

    @property
    def theta(self) -> np.ndarray:
        values = [np.log(np.asarray(v, dtype=float)).ravel() for v in self._learned().values()]
        return np.concatenate(values) if values else np.zeros(0)

    @theta.setter
    def theta(self, theta: np.ndarray) -> None:
        at = 0
        for name, value in self._learned().items():
            size = int(np.size(value))
            part = np.exp(np.asarray(theta[at : at + size], dtype=float))
            at += size
            self.kernel.set_params(
                **{name: part.reshape(np.shape(value)) if np.ndim(value) else float(part[0])}
            )

    def __call__(self, X: RawSamples, Y: RawSamples = None, eval_gradient: bool = False) -> Any:
        if not eval_gradient:
            return self.kernel(X, Y)
        if Y is not None:
            raise ParameterError("eval_gradient", True, "is for k(X) only")
        learned = self._learned()
        found = [
            m * np.asarray(learned[name], dtype=float)[() if i is None else i]
            for name, i, m in jacobian(self.kernel, X)
            if name in learned
        ]
        k = self.kernel(X)
        return k, np.stack(found, axis=-1) if found else np.zeros((*k.shape, 0))

    def diag(self, X: RawSamples) -> np.ndarray:
        return self.kernel.diag(X)

    def is_stationary(self) -> bool:
        return self.kernel.invariance in ("radial", "translation")

    @property
    def requires_vector_input(self) -> bool:
        return "matrix" in self.kernel.domain.accepts

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SklearnKernel) and repr(self) == repr(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"to_sklearn({self.kernel!r})"


def to_sklearn(
    kernel: Kernel, bounds: tuple[float, float] = (1e-5, 1e5), fixed: tuple[str, ...] = ()
) -> SklearnKernel:
    """The kernel as `sklearn.gaussian_process` wants it, with theta, bounds and gradient.

    >>> from sklearn.gaussian_process import GaussianProcessRegressor
    >>> from mercer import RBF, to_sklearn
    >>> model = GaussianProcessRegressor(to_sklearn(2.0 * RBF()), alpha=0.1).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 0.0])
    >>> model.kernel_.theta.shape
    (2,)
    """
    status = kernel.certificate().status
    if status in ("cpd", "indefinite"):
        rule = f"is {status}, and a Gaussian process needs a positive semi-definite kernel"
        raise DefinitenessError(
            "to_sklearn", kernel, rule, "centre a cpd kernel, or change the failing part"
        )
    return SklearnKernel(kernel.copy(), bounds, fixed)
