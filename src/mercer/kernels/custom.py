"""A user's own function of two samples as a kernel, compiled."""

from __future__ import annotations

import importlib
import inspect
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from mercer.aliases import RawSamples
from mercer.definiteness import CPD, PSD, STRICT, UNKNOWN, Certificate, Where
from mercer.domains.base import Domain
from mercer.domains.objects import OBJECTS
from mercer.domains.vectors.domain import VECTORS
from mercer.errors import (
    CompilationError,
    KernelOverflowError,
    NotDifferentiableError,
    ParameterError,
    SlowPathWarning,
)
from mercer.gram.tile import Pair
from mercer.kernels.base import REGISTRY, Derivative, Kernel
from mercer.kernels.expression import CUSTOM
from mercer.kernels.parameters import computed
from mercer.params import is_real

__all__ = ["kernel"]

_STEP = 1e-30  # of a derivative by a complex step
_STATUSES = (STRICT, PSD, CPD, UNKNOWN)

PairFunction = Callable[..., float]  # of two samples, and of numbers by name


class Compiled:
    """A function, compiled when first needed; ``slow`` says why it could not be."""

    def __init__(self, function: PairFunction, how: str) -> None:
        self.function = function
        self.how = how
        self.loops: dict[bool, Callable[..., None]] = {}
        self.slow = ""

    def loop(self, is_complex: bool) -> Callable[..., None] | None:
        """fill(x, y, params, out) over all rows of x and y; None if it must be interpreted."""
        if self.how == "python" or self.slow:
            return None
        if is_complex not in self.loops:
            self.loops[is_complex] = self._compile()
        return self.loops[is_complex]

    def _compile(self) -> Callable[..., None]:
        import numba

        one = numba.njit(nogil=True, error_model="numpy")(self.function)

        def fill(x: np.ndarray, y: np.ndarray, params: tuple[Any, ...], out: np.ndarray) -> None:
            for i in range(x.shape[0]):
                for j in range(y.shape[0]):
                    out[i, j] = one(x[i], y[j], *params)

        return numba.njit(nogil=True, error_model="numpy")(fill)


class CustomKernel(Kernel, abstract=True):
    """k(x, y) = f(x, y), a user's function: what the decorator `kernel` returns.

    Keyword arguments of the function, with numbers as defaults, are parameters.
    """

    def __init__(
        self, function: Compiled, status: str, domain: Domain, params: dict[str, float]
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
    def python_function(self) -> PairFunction:
        """The function as written: the oracle of the compiled one."""
        return self._function.function

    @property
    def function_params(self) -> dict[str, float]:
        """The numbers that the function takes beside two samples."""
        return {name: getattr(self, name) for name in self._names}

    def _check(self, name: str, value: object) -> None:
        if not is_real(value):
            what = f"{self.python_function.__name__}: {name}"
            raise ParameterError(what, value, "must be a finite number")

    def __call__(self, X: RawSamples = None, Y: RawSamples = None, **params: float) -> Any:
        """The Gram matrix; or, with parameters only, the same kernel with these."""
        if X is None and params:
            return self.copy().set_params(**params)
        return super().__call__(X, Y)

    def __repr__(self) -> str:
        defaults = _defaults(self.python_function)
        changed = {n: v for n, v in self.function_params.items() if v != defaults[n]}
        shown = ", ".join(f"{name}={float(value)!r}" for name, value in changed.items())
        return f"{self.python_function.__name__}({shown})"

    def __reduce__(self) -> tuple[Callable[..., CustomKernel], tuple[object, ...]]:
        function = self.python_function
        if "<" in function.__qualname__:
            rule = "is defined inside a function and cannot be pickled"
            remedy = "define it at the top of a module"
            raise ParameterError("kernel", function.__qualname__, rule, remedy)
        return _restore, (function.__module__, function.__qualname__, self.function_params)

    def copy(self) -> CustomKernel:
        """The same kernel, whose parameters can be set apart; the compiled loop is shared."""
        duplicate = object.__new__(type(self))
        duplicate.__dict__.update(self.__dict__)
        return duplicate

    def __sklearn_clone__(self) -> CustomKernel:
        return self.copy()

    def certify(self, d: int | None) -> Certificate:
        rule = "stated by the user"
        if self._status == UNKNOWN:
            rule = "no rule: it is a function of your own; if you have a proof, say status='psd'"
        return Certificate(self._status, repr(self), rule, Where(self.domain.name))

    def continuous_params(self) -> dict[str, Any]:
        return self.function_params

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        if self._domain is not VECTORS:
            self._interpret(pair.x.items[pair.rows], pair.y.items[pair.cols], out)
            return
        rows, cols = self._rows(pair)
        params = tuple(float(value) for value in self.function_params.values())
        if not self._run(rows, cols, params, out):
            self._interpret(rows, cols, out)

    @staticmethod
    def _rows(pair: Pair) -> tuple[np.ndarray, np.ndarray]:
        """The rows and the columns of a tile as vectors."""
        if pair.x.sparse:
            pair.coordinates()  # which refuses sparse rows
        return pair.x.x[pair.rows], pair.y.x[pair.cols]

    def _interpret(self, rows: Iterable[Any], cols: Iterable[Any], out: np.ndarray) -> None:
        for i, x in enumerate(rows):
            for j, y in enumerate(cols):
                out[i, j] = self.python_function(x, y, **self.function_params)

    def _run(
        self, rows: np.ndarray, cols: np.ndarray, params: tuple[Any, ...], out: np.ndarray
    ) -> bool:
        """Run the compiled loop; False if there is none."""
        is_complex = np.iscomplexobj(out)
        fill = self._function.loop(is_complex)
        if fill is None:
            return False
        from numba.core.errors import NumbaError

        try:
            fill(rows, cols, params, out)
        except NumbaError as error:
            lines = [line.strip() for line in str(error).splitlines()]
            reason = next(filter(None, lines), "unknown reason")
            self._refuse(reason, is_complex)
            return False
        return True

    def _refuse(self, reason: str, is_complex: bool) -> None:
        """Note that the function cannot be compiled, which is an error where it was asked for."""
        name = self.python_function.__name__
        if self._function.how == "compile":
            rule = f"cannot be compiled ({reason})"
            raise CompilationError("kernel", name, rule, "or say compile='auto'") from None
        if not is_complex:
            self._function.slow = reason
            message = f"kernel {name} runs interpreted, about 100 times slower: {reason}"
            warnings.warn(message, SlowPathWarning, stacklevel=3)

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        """By a complex step, which has no cancellation: Im f(θ + ih)/h."""
        for at, name in enumerate(self._names):
            params = [complex(value) for value in self.function_params.values()]
            params[at] += complex(0.0, _STEP)
            values = self._complex_tile(pair, tuple(params))
            yield name, None, np.ascontiguousarray(values.imag) / _STEP

    def _complex_tile(self, pair: Pair, params: tuple[complex, ...]) -> np.ndarray:
        """The values at complex parameters, by the compiled loop alone."""
        out = np.empty(pair.shape, dtype=complex)
        if self._domain is VECTORS and self._run(*self._rows(pair), params, out):
            return out
        rule = "cannot be differentiated: its code does not take complex numbers"
        raise NotDifferentiableError("kernel", self.python_function.__name__, rule)


def _restore(module: str, name: str, params: dict[str, float]) -> CustomKernel:
    """The kernel of a pickle, from the module that defines it."""
    value: object = importlib.import_module(module)
    for part in name.split("."):
        value = getattr(value, part)
    if not isinstance(value, CustomKernel):
        raise KernelOverflowError(f"{module}.{name} is no longer a kernel")
    return value.copy().set_params(**params)


def _arguments(function: PairFunction) -> list[inspect.Parameter]:
    """All arguments of a function, checked to begin with two samples."""
    arguments = list(inspect.signature(function).parameters.values())
    variadic = any(a.kind in (a.VAR_POSITIONAL, a.VAR_KEYWORD) for a in arguments)
    if len(arguments) < 2 or variadic:
        name = getattr(function, "__name__", function)
        raise ParameterError("kernel", name, "must take two samples, then named numbers")
    return arguments


def _defaults(function: PairFunction) -> dict[str, float]:
    """The parameters of a function of two samples, with their defaults."""
    params = _arguments(function)[2:]
    for a in params:
        if not is_real(a.default):
            raise ParameterError(f"kernel: {a.name}", a.default, "must have a number as default")
    return {a.name: float(a.default) for a in params}


def kernel(
    function: PairFunction | None = None,
    *,
    status: str = UNKNOWN,
    compile: str = "auto",
    objects: bool = False,
) -> Any:
    """Turn a function of two samples into a kernel.

    Parameters
    ----------
    function : callable
        f(x, y, ...), a number; further arguments have numbers as defaults and become parameters.
    status : {"strict", "psd", "cpd", "unknown"}
        What you know of its definiteness.
    compile : {"auto", "compile", "python"}
        "auto" is interpreted, with a warning, where it cannot be compiled, "compile" is an error
        there, and "python" is never compiled.
    objects : bool
        Whether to hand over any Python objects instead of rows of numbers, interpreted.

    Returns
    -------
    Kernel
        The kernel; without a function a decorator, which returns one.

    Examples
    --------
    >>> import mercer
    >>> @mercer.kernel(status="psd")
    ... def cubic(x, y, offset=1.0):
    ...     s = offset
    ...     for i in range(x.size):
    ...         s += x[i] * y[i]
    ...     return s**3
    >>> cubic([[1.0], [2.0]]).tolist()
    [[8.0, 27.0], [27.0, 125.0]]
    >>> cubic(offset=0.0)([[1.0], [2.0]]).tolist()
    [[1.0, 8.0], [8.0, 64.0]]
    """
    if status not in _STATUSES:
        remedy = "leave it out for what is no kernel: refute finds the witness"
        raise ParameterError("status", status, f"must be one of {_STATUSES}", remedy)
    if compile not in ("auto", "compile", "python"):
        raise ParameterError("compile", compile, "must be 'auto', 'compile' or 'python'")

    def decorate(function: PairFunction) -> CustomKernel:
        compiled = Compiled(function, "python" if objects else compile)
        domain = OBJECTS if objects else VECTORS
        custom = CustomKernel(compiled, status, domain, _defaults(function))
        name = function.__name__
        if name in REGISTRY:
            remedy = "give the function another name"
            raise ParameterError("kernel", name, "is the name of a kernel class", remedy)
        CUSTOM[name] = custom
        return custom

    if function is None:
        return decorate
    if not callable(function):
        raise ParameterError("kernel", function, "must be a function of two samples")
    return decorate(function)
