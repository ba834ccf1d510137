"""A user's own function of two rows as a kernel, compiled."""

from __future__ import annotations

import importlib
import inspect
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from mercer.aliases import RawSamples
from mercer.definiteness import CPD, PSD, STRICT, UNKNOWN, Certificate, Where
from mercer.domains.base import Batch, Domain, Samples, raw_length
from mercer.domains.vectors import VECTORS
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
from mercer.params import is_real

__all__ = ["kernel"]


class _ObjectSamples(Samples):
    """Anything at all, one object per sample."""

    def __init__(self, items: list[Any]) -> None:
        self.items = items
        self.origin = self

    def __len__(self) -> int:
        return len(self.items)

    def take(self, rows: np.ndarray) -> _ObjectSamples:
        taken = _ObjectSamples([self.items[i] for i in rows])
        taken._inherit(self, rows)
        return taken


class Objects(Domain):
    """Samples a user's function understands."""

    name = "objects"

    def encode(self, batch: Batch) -> Samples:
        raw = batch.raw
        return _ObjectSamples([raw[i] for i in range(raw_length(raw))])

    def sample(self, count: int, width: int, rng: np.random.Generator) -> Any:
        return rng.standard_normal((count, width))


_OBJECTS = Objects()


class Compiled:
    """A function, compiled when first needed; ``slow`` says why it could not be."""

    def __init__(self, function: Callable[..., float], how: str) -> None:
        self.function = function
        self.how = how
        self.loops: dict[bool, Any] = {}
        self.slow = ""

    def loop(self, complex_: bool = False) -> Any:
        """fill(x, y, params, out) over all pairs of rows, or None if the function has to be interpreted."""
        if self.how == "python" or self.slow:
            return None
        if complex_ not in self.loops:
            import numba

            one = numba.njit(nogil=True, error_model="numpy")(self.function)

            @numba.njit(nogil=True, error_model="numpy")
            def fill(x, y, params, out):  # type: ignore[no-untyped-def]
                for i in range(x.shape[0]):
                    for j in range(y.shape[0]):
                        out[i, j] = one(x[i], y[j], *params)

            self.loops[complex_] = fill
        return self.loops[complex_]


class CustomKernel(Kernel, abstract=True):
    """What the decorator `kernel` makes. Keyword arguments of the function, with numbers as defaults, are parameters.

    ``python_function`` is the function as written: the oracle of the compiled one.
    """

    def __init__(
        self, function: Compiled, status: str, domain: Domain, params: dict[str, float]
    ) -> None:
        object.__setattr__(self, "_function", function)
        object.__setattr__(self, "_status", status)
        object.__setattr__(self, "_domain", domain)
        object.__setattr__(self, "_names", tuple(params))
        for name, value in params.items():
            setattr(self, name, value)

    _function: Compiled
    _status: str
    _domain: Domain
    _names: tuple[str, ...]

    @property
    def domain(self) -> Domain:  # type: ignore[override]
        return self._domain

    @property
    def python_function(self) -> Callable[..., float]:
        return self._function.function

    @property
    def function_params(self) -> dict[str, float]:
        return {name: getattr(self, name) for name in self._names}

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self._param_names() and not is_real(value):
            raise ParameterError(
                f"{self.python_function.__name__}: {name}", value, "must be a finite number"
            )
        super().__setattr__(name, value)

    def _assign(self, values: dict[str, Any]) -> None:
        for name, value in values.items():
            setattr(self, name, value)

    def _param_names(self) -> tuple[str, ...]:
        return self._names

    def __call__(self, X: RawSamples = None, Y: RawSamples = None, **params: float) -> Any:
        """The Gram matrix; or, with parameters only, the same kernel with these."""
        if X is None and params:
            return self.copy().set_params(**params)
        return super().__call__(X, Y)

    def __repr__(self) -> str:
        defaults = _defaults(self.python_function)
        shown = ", ".join(
            f"{n}={float(v)!r}" for n, v in self.function_params.items() if v != defaults[n]
        )
        return f"{self.python_function.__name__}({shown})"

    def __reduce__(self) -> Any:
        function = self.python_function
        if "<" in function.__qualname__:
            rule = "is defined inside a function and cannot be pickled"
            raise ParameterError(
                "kernel", function.__qualname__, rule, "define it at the top of a module"
            )
        return _restore, (function.__module__, function.__qualname__, self.function_params)

    def copy(self) -> CustomKernel:
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        return made

    def __sklearn_clone__(self) -> CustomKernel:
        return self.copy()

    def certify(self, d: int | None) -> Certificate:
        rule = (
            "nothing is known of a user's function"
            if self._status == UNKNOWN
            else "stated by the user"
        )
        return Certificate(self._status, repr(self), rule, Where(self.domain.name))

    def continuous_params(self) -> dict[str, Any]:
        return self.function_params

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        if self._domain is VECTORS:
            if pair.x.sparse:
                pair.coordinates()  # which refuses sparse rows
            rows, cols = pair.x.x[pair.rows], pair.y.x[pair.cols]
            if self._compiled(
                rows, cols, tuple(float(v) for v in self.function_params.values()), out, False
            ):
                return
        else:
            rows, cols = pair.x.items[pair.rows], pair.y.items[pair.cols]
        for i, a in enumerate(rows):
            for j, b in enumerate(cols):
                out[i, j] = self.python_function(a, b, **self.function_params)

    def _compiled(
        self,
        rows: np.ndarray,
        cols: np.ndarray,
        params: tuple[Any, ...],
        out: np.ndarray,
        complex_: bool,
    ) -> bool:
        """Run the compiled loop; False if there is none."""
        fill = self._function.loop(complex_)
        if fill is None:
            return False
        from numba.core.errors import NumbaError

        try:
            fill(rows, cols, params, out)
        except NumbaError as error:
            reason = next(
                (line.strip() for line in str(error).splitlines() if line.strip()), "unknown reason"
            )
            name = self.python_function.__name__
            if self._function.how == "compile":
                raise CompilationError(
                    "kernel", name, f"cannot be compiled ({reason})", "or say compile='auto'"
                ) from None
            if complex_:
                return False
            self._function.slow = reason
            warnings.warn(
                f"kernel {name} runs interpreted, about 100 times slower: {reason}",
                SlowPathWarning,
                stacklevel=2,
            )
            return False
        return True

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        """By a complex step, which has no cancellation: Im f(θ + ih)/h."""
        step = 1e-30
        values = [float(v) for v in self.function_params.values()]
        if self._domain is VECTORS and pair.x.sparse:
            pair.coordinates()
        for at, name in enumerate(self._names):
            params = tuple(complex(v, step if i == at else 0.0) for i, v in enumerate(values))
            out = np.empty(pair.shape, dtype=complex)
            if self._domain is not VECTORS or not self._compiled(
                pair.x.x[pair.rows], pair.y.x[pair.cols], params, out, True
            ):
                rule = "cannot be differentiated: its code does not take complex numbers"
                raise NotDifferentiableError("kernel", self.python_function.__name__, rule)
            yield name, None, np.ascontiguousarray(out.imag) / step


def _restore(module: str, name: str, params: dict[str, float]) -> CustomKernel:
    made: Any = importlib.import_module(module)
    for part in name.split("."):
        made = getattr(made, part)
    if not isinstance(made, CustomKernel):
        raise KernelOverflowError(f"{module}.{name} is no longer a kernel")
    return made.copy().set_params(**params) if params else made.copy()


def _defaults(function: Callable[..., float]) -> dict[str, float]:
    arguments = list(inspect.signature(function).parameters.values())
    if len(arguments) < 2 or any(a.kind in (a.VAR_POSITIONAL, a.VAR_KEYWORD) for a in arguments):
        raise ParameterError(
            "kernel",
            getattr(function, "__name__", function),
            "must take two samples, then named numbers",
        )
    for a in arguments[2:]:
        if not is_real(a.default):
            raise ParameterError(f"kernel: {a.name}", a.default, "must have a number as default")
    return {a.name: float(a.default) for a in arguments[2:]}


def kernel(
    function: Any = None, *, status: str = UNKNOWN, compile: str = "auto", objects: bool = False
) -> Any:
    """Turn a function of two samples into a kernel.

    ``compile`` is "auto" (interpreted, with a warning, where it cannot be compiled), "compile" (an error there) or
    "python" (never compiled); ``objects=True`` hands over any Python objects instead of rows of numbers, interpreted.
    ``status`` is what you know of its definiteness.

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
    if status not in (STRICT, PSD, CPD, UNKNOWN):
        remedy = "leave it out for what is no kernel: refute finds the witness"
        raise ParameterError(
            "status", status, f"must be one of {(STRICT, PSD, CPD, UNKNOWN)}", remedy
        )
    if compile not in ("auto", "compile", "python"):
        raise ParameterError("compile", compile, "must be 'auto', 'compile' or 'python'")

    def decorate(made: Callable[..., float]) -> CustomKernel:
        custom = CustomKernel(
            Compiled(made, "python" if objects else compile),
            status,
            _OBJECTS if objects else VECTORS,
            _defaults(made),
        )
        if made.__name__ in REGISTRY:
            raise ParameterError(
                "kernel",
                made.__name__,
                "is the name of a kernel class",
                "give the function another name",
            )
        CUSTOM[made.__name__] = custom
        return custom

    if function is None:
        return decorate
    if not callable(function):
        raise ParameterError("kernel", function, "must be a function of two samples")
    return decorate(function)
