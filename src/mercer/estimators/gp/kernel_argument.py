"""The ``kernel`` argument of a Gaussian process, and the hyperparameters it stands for."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.gaussian_process.kernels import CompoundKernel
from sklearn.gaussian_process.kernels import Kernel as SklearnBase

from mercer.aliases import KernelLike
from mercer.errors import ParameterError
from mercer.estimators.common.kernel_choice import CallableKernel
from mercer.estimators.gp.bounds import DEFAULT, BoundsLike, Names
from mercer.estimators.gp.hyperparameters import KernelParameters, SklearnParameters
from mercer.kernels.base import Kernel
from mercer.kernels.custom.foreign import refuse_mixture
from mercer.kernels.expression import parse
from mercer.kernels.vectors.radial import RBF
from mercer.state import State, storable

# scikit-learn's names, each with parameters that can be learned
_EXPRESSIONS = {
    "linear": "Linear()",
    "poly": "Polynomial(degree=3, offset=1.0)",
    "polynomial": "Polynomial(degree=3, offset=1.0)",
    "rbf": "RBF()",
    "laplacian": "Laplacian()",
    "cosine": "Cosine()",
    "chi2": "Chi2()",
}


def choose_hyperparameters(
    kernel: KernelLike, bounds: BoundsLike, fixed: Names
) -> KernelParameters | SklearnParameters:
    """The hyperparameters of a copy of the given kernel; by default of ``1.0 * RBF(1.0)``."""
    if isinstance(kernel, SklearnBase):
        refuse_mixture(kernel)
        return _sklearn_parameters(kernel, bounds, fixed)
    return KernelParameters(mercer_kernel(kernel), bounds, fixed)


def mercer_kernel(kernel: KernelLike) -> Kernel:
    """A copy of the given kernel, an object of mercer's."""
    if kernel is None:
        return 1.0 * RBF(length_scale=1.0)
    if isinstance(kernel, Kernel):
        return clone(kernel)
    if isinstance(kernel, str):
        return _named_kernel(kernel)
    _check_function(kernel)
    return CallableKernel(kernel)


def _check_function(kernel: KernelLike) -> None:
    """Refuse what is neither a kernel nor a function that computes one."""
    if isinstance(kernel, type) and issubclass(kernel, (Kernel, SklearnBase)):
        name = kernel.__name__
        raise ParameterError("kernel", name, "is a class, not a kernel", f"give {name}()")
    if not callable(kernel):
        ours = "give a mercer kernel, an expression, a function of two collections"
        remedy = f"{ours}, or a kernel of sklearn.gaussian_process"
        raise ParameterError("kernel", kernel, "is not a kernel", remedy)


def _named_kernel(name: str) -> Kernel:
    if name == "precomputed":
        rule = "cannot compute k(x, x) of new samples, which a variance needs"
        remedy = "use mercer.kernels.Precomputed(K) and positions 0, 1, ... as samples"
        raise ParameterError("kernel", name, rule, remedy)
    return parse(_EXPRESSIONS.get(name, name))


def _sklearn_parameters(kernel: SklearnBase, bounds: BoundsLike, fixed: Names) -> SklearnParameters:
    if isinstance(kernel, CompoundKernel):
        raise ValueError("kernel cannot be a CompoundKernel")
    for name, given, default in (("bounds", bounds, DEFAULT), ("fixed", fixed, ())):
        if isinstance(given, (dict, str)) or tuple(given) != default:
            rule = "is for mercer's kernels: those of scikit-learn have bounds of their own"
            example = f"{type(kernel).__name__}(..., length_scale_bounds=(low, high))"
            raise ParameterError(name, given, rule, f"set {example}, or ...='fixed'")
    return SklearnParameters(clone(kernel))


def same_kernel(one: KernelLike, other: KernelLike) -> bool:
    """Whether two given kernels are the same, parameters included."""
    if type(one) is not type(other):
        return False
    if isinstance(one, Kernel):
        return repr(one) == repr(other)
    return bool(one == other)


def one_or_several(kernels: list[Any]) -> Any:
    """A single kernel, or all of them as scikit-learn keeps those of several problems."""
    if len(kernels) == 1:
        return kernels[0]
    if all(isinstance(kernel, SklearnBase) for kernel in kernels):
        return CompoundKernel(kernels)
    return SeveralKernels(kernels)


@storable
@dataclasses.dataclass
class SeveralKernels(Sequence[Kernel]):
    """The kernels of several problems, with the attributes of scikit-learn's CompoundKernel.

    Attributes
    ----------
    kernels : list of Kernel
        The kernels, one for each problem.
    """

    stored: ClassVar[State] = State(plain=("kernels",))

    kernels: list[Kernel]

    def __len__(self) -> int:
        return len(self.kernels)

    def __getitem__(self, index: Any) -> Any:
        return self.kernels[index]

    @property
    def theta(self) -> np.ndarray:
        """The logarithms of the hyperparameters, those of one kernel after those of another."""
        return np.concatenate([kernel.theta for kernel in self])

    @property
    def bounds(self) -> np.ndarray:
        """The logarithms of their least and largest values, a row for each."""
        return np.vstack([kernel.bounds for kernel in self])

    @property
    def hyperparameters(self) -> list[Any]:
        """The hyperparameters of all kernels, in the order of ``theta``."""
        return [each for kernel in self for each in kernel.hyperparameters]

    @property
    def n_dims(self) -> int:
        """The number of entries of ``theta``."""
        return len(self.theta)
