"""The kernel that the decorator makes of a user's function."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from mercer.aliases import Prepared, RawSamples
from mercer.definiteness import UNKNOWN, Certificate, Where
from mercer.domains.base import Batch, Domain
from mercer.domains.objects import OBJECTS
from mercer.domains.vectors.domain import VECTORS
from mercer.errors import InputTypeError
from mercer.gram.tile import Pair
from mercer.kernels.base import Derivative, Kernel
from mercer.kernels.custom.function import (
    PairFunction,
    UserFunction,
    default_params,
    function_by_code,
    function_by_name,
)
from mercer.kernels.custom.slopes import Slopes
from mercer.kernels.custom.symmetry import check_symmetric
from mercer.kernels.expression import CUSTOM
from mercer.kernels.parameters import computed
from mercer.params import Constraint, real

__all__: list[str] = []


class CustomKernel(Kernel, abstract=True):
    """k(x, y) = f(x, y), a user's function: what the decorator `kernel` returns.

    Keyword arguments of the function, with numbers as defaults, are parameters.
    """

    def __init__(
        self, function: UserFunction, status: str, domain: Domain, params: dict[str, float]
    ) -> None:
        self._function = function
        self._status = status
        self._domain = domain
        object.__setattr__(self, "_names", tuple(params))
        for name, value in params.items():
            setattr(self, name, value)

    @computed
    def domain(self) -> Domain:
        return self._domain

    @property
    def _called(self) -> str:
        """What errors call the kernel."""
        return self._function.name

    @property
    def python_function(self) -> PairFunction:
        """The function as written: the oracle of the compiled one."""
        return self._function.function

    @property
    def function_params(self) -> dict[str, float]:
        """The numbers that the function takes beside two samples."""
        return {name: float(getattr(self, name)) for name in self._names}

    def constraint(self, name: str) -> Constraint:
        return real

    def _check(self, name: str, value: object) -> None:
        real.check(f"{self._function.name}: {name}", value)

    def __call__(self, X: RawSamples = None, Y: RawSamples = None, **params: float) -> Any:
        """The Gram matrix; or, without samples, a copy with these parameters."""
        if X is None and Y is None:
            return self.copy().set_params(**params)
        return super().__call__(X, Y)

    def __repr__(self) -> str:
        defaults = default_params(self.python_function)
        changed = {n: v for n, v in self.function_params.items() if v != defaults[n]}
        shown = ", ".join(f"{name}={value!r}" for name, value in changed.items())
        return f"{self._function.name}({shown})"

    def __reduce__(self) -> tuple[Callable[..., CustomKernel], tuple[object, ...]]:
        own = self._function
        named = own.by_name()
        is_objects = self._domain is OBJECTS
        if named is not None:
            return _restore_named, (*named, self._status, is_objects, self.function_params)
        code = own.by_code()
        return _restore_code, (code, own.how, self._status, is_objects, self.function_params)

    def copy(self) -> CustomKernel:
        """The same kernel, whose parameters can be set apart; the compiled loop is shared."""
        duplicate = object.__new__(type(self))
        duplicate.__dict__.update(self.__dict__)
        return duplicate

    def __sklearn_clone__(self) -> CustomKernel:
        return self.copy()

    def certify(self, d: int | None) -> Certificate:
        rule = "the statement of its author, which is not checked"
        if self._status == UNKNOWN:
            rule = "no rule: it is a function of your own; if you have a proof, set status='psd'"
        return Certificate(self._status, repr(self), rule, Where(self.domain.name))

    def continuous_params(self) -> dict[str, Any]:
        return self.function_params

    @property
    def text_remedy(self) -> str:
        return "encode it, or use @mercer.kernel(objects=True) if the function takes such objects"

    def warn_unknown(self, learner: str, remedy: str = "", because: str = "") -> None:
        """Warn once of each function, however often and in how many copies it is used."""
        if not self._function.doubted:
            self._function.doubted = True
            remedy = "if you know that it is, use @mercer.kernel(status='psd'); "
            super().warn_unknown(learner, f"{remedy}{self}.refute(X) looks for a counterexample")

    def prepare(self, batch: Batch) -> Prepared:
        try:
            samples = super().prepare(batch)
        except InputTypeError:
            rule = f"does not hold rows of numbers, which the function {self._function.name} takes"
            raise InputTypeError(batch.argument, batch.raw, rule, self.text_remedy) from None
        if self._domain is VECTORS and not samples.sparse:
            # not in a thread: messages are printed, and a warning points to the user's line
            self._function.begin(samples.x[0], self.function_params)
        return samples

    @staticmethod
    def _collections(pair: Pair) -> tuple[Any, Any]:
        """All samples on the left and on the right: rows of numbers, or objects."""
        if hasattr(pair.x, "items"):
            return pair.x.items, pair.y.items
        if pair.x.sparse:
            pair.coordinates()  # which refuses sparse rows
        return pair.x.x, pair.y.x

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        left, right = self._collections(pair)
        self._function.evaluate(left[pair.rows], right[pair.cols], self.function_params, out)
        check_symmetric(pair, out, self)

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        """By a complex step or by central differences; see `Slopes`."""
        left, right = self._collections(pair)
        slopes = Slopes(self._function, self.function_params)
        for name in self._names:
            # decided by all samples, so that it does not matter which tile is first
            derivative = slopes.choose(name, left, right)
            yield name, None, derivative(name, left[pair.rows], right[pair.cols])


def _restored(
    function: UserFunction, status: str, is_objects: bool, params: dict[str, float]
) -> CustomKernel:
    domain = OBJECTS if is_objects else VECTORS
    kernel = CustomKernel(function, status, domain, default_params(function.function))
    CUSTOM.setdefault(function.name, kernel)
    return kernel.copy().set_params(**params)


def _restore_named(module: str, name: str, *state: Any) -> CustomKernel:
    """The kernel of a pickle, from the module that defines it."""
    return _restored(function_by_name(module, name), *state)


def _restore_code(code: bytes, how: str, *state: Any) -> CustomKernel:
    """The kernel of a pickle that holds its code."""
    return _restored(function_by_code(code, how), *state)
