"""A user's function of two samples: compiled when first needed, interpreted where it cannot be."""

from __future__ import annotations

import contextlib
import importlib
import inspect
import pickle
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from mercer import _compiled
from mercer.errors import CompilationError, ModelFileError, ParameterError, SlowPathWarning, warn
from mercer.execution.progress import tell
from mercer.params import is_real

__all__: list[str] = []

PairFunction = Callable[..., float]  # of two samples, and of numbers by name
Rows = Any  # rows of numbers, or a list of objects
Fill = Callable[[np.ndarray, np.ndarray, tuple[Any, ...], np.ndarray], None]

# Functions that came as code, from a script or a notebook: workers read the same one many times,
# and compile it once.
_BY_CODE: dict[tuple[bytes, str], UserFunction] = {}


class UserFunction:
    """A function of two samples, and how it is computed; copies of a kernel share it.

    Parameters
    ----------
    function : callable
        The function as written.
    how : {"auto", "compile", "python"}
        Whether to compile it.
    """

    def __init__(self, function: PairFunction, how: str) -> None:
        self.function = function
        self.how = how
        self.slow = how == "python"  # whether it is interpreted
        self.doubted = False  # whether the user was warned that nothing is known of it
        self.analytic: dict[str, bool] = {}  # whether derivatives are taken by a complex step
        self.lock = threading.RLock()
        self._fill: Fill | None = None
        self._widths: set[int] = set()  # numbers of columns for which it was tried

    @property
    def name(self) -> str:
        """What the user calls it."""
        return self.function.__name__

    def begin(self, row: np.ndarray, params: dict[str, float]) -> None:
        """Try it on a row of numbers, and compile it, unless that was done before."""
        with self.lock:
            if row.size not in self._widths:
                # compiled code reads beyond the end of a row without a word
                with contextlib.suppress(ArithmeticError), np.errstate(all="ignore"):
                    self._put(self.function(row, row, **params), np.empty(1), 0)
                self._widths.add(row.size)
            if not self.slow and self._fill is None:
                self._compile(row[None], tuple(params.values()))

    def _compile(self, rows: np.ndarray, params: tuple[float, ...]) -> None:
        tell(f"compiling the kernel {self.name}; this is done once and takes some seconds")
        try:
            fill = _compiled.pairs.compile_pairs(self.function)
            fill(rows, rows, params, np.empty((1, 1)))
        except CompilationError as error:
            self._interpret_from_now_on(str(error))
        else:
            self._fill = fill

    def _interpret_from_now_on(self, reason: str) -> None:
        if self.how == "compile":
            rule = f"cannot be compiled ({reason})"
            remedy = "write it with numbers, loops and NumPy, or set compile='auto'"
            raise CompilationError("kernel", self.name, rule, remedy) from None
        self.slow = True
        remedy = "write it with numbers, loops and NumPy, or set compile='python' if that is fine"
        message = f"the kernel {self.name} cannot be compiled and is about 100 times slower"
        warn(f"{message} ({reason}); {remedy}", SlowPathWarning)

    def evaluate(self, rows: Rows, cols: Rows, params: dict[str, Any], out: np.ndarray) -> None:
        """Set out[i, j] = f(rows[i], cols[j]); raise CompilationError if complex numbers fail."""
        if self._fill is not None:  # objects are never compiled
            self._fill(rows, cols, tuple(params.values()), out)
            return
        for i, x in enumerate(rows):
            for j, y in enumerate(cols):
                self._put(self.function(x, y, **params), out, (i, j))

    def _put(self, value: object, out: np.ndarray, place: int | tuple[int, int]) -> None:
        """Set an entry of an array to what the function returned, which must be a number."""
        try:
            out[place] = value
        except (TypeError, ValueError):
            raise self._no_number(value) from None
        if value is None:  # which NumPy takes for NaN
            raise self._no_number(value)

    def _no_number(self, value: object) -> ParameterError:
        rule = "is what it returned for two samples, and not a number"
        remedy = "return one number, such as float(...)"
        return ParameterError(f"kernel {self.name}", value, rule, remedy)

    def by_name(self) -> tuple[str, str] | None:
        """The module and the name under which another process can import it; None without."""
        module, name = self.function.__module__, self.function.__qualname__
        if module == "__main__" or _imported(module, name) is not self:
            return None
        return module, name

    def by_code(self) -> bytes:
        """The function itself, for another process that cannot import it."""
        code = _compiled.pairs.function_as_bytes(self.function)
        _BY_CODE.setdefault((code, self.how), self)
        return code


def _imported(module: str, name: str) -> UserFunction | None:
    """The function of the kernel of this name; None if there is none."""
    try:
        value: Any = importlib.import_module(module)
        for part in name.split("."):
            value = getattr(value, part)
    except (ImportError, AttributeError):
        return None
    function = getattr(value, "_function", None)
    return function if isinstance(function, UserFunction) else None


def function_by_name(module: str, name: str) -> UserFunction:
    """The function that a pickle names."""
    function = _imported(module, name)
    if function is None:
        _check_module(module, name)
        remedy = "define it there again with @mercer.kernel"
        raise ModelFileError("kernel", f"{module}.{name}", "is not a kernel any more", remedy)
    return function


def _check_module(module: str, name: str) -> None:
    """Say that a module cannot be imported, if that is why a kernel is not found."""
    try:
        importlib.import_module(module)
    except ImportError as error:
        rule = f"cannot be loaded: module {module} cannot be imported ({error})"
        remedy = "put its file into the current folder, or its folder on sys.path"
        raise ModelFileError("kernel", f"{module}.{name}", rule, remedy) from None


def function_by_code(code: bytes, how: str) -> UserFunction:
    """The function that a pickle holds, the same one every time."""
    if (code, how) not in _BY_CODE:
        # reached from unpickling alone: whoever reads a pickle runs what is in it
        _BY_CODE[code, how] = UserFunction(pickle.loads(code), how)
    return _BY_CODE[code, how]


def _arguments(function: PairFunction) -> list[inspect.Parameter]:
    """All arguments of a function, checked to begin with two samples."""
    if not hasattr(function, "__name__"):  # a partial function, an object that can be called
        remedy = "write it as a function with def, whose name the kernel will have"
        raise ParameterError("kernel", function, "has no name", remedy)
    try:
        arguments = list(inspect.signature(function).parameters.values())
    except ValueError:
        rule = "does not say which arguments it takes"
        remedy = "write a function with def that calls it"
        raise ParameterError("kernel", function.__name__, rule, remedy) from None
    variadic = any(a.kind in (a.VAR_POSITIONAL, a.VAR_KEYWORD) for a in arguments)
    if len(arguments) < 2 or variadic:
        raise ParameterError(
            "kernel", function.__name__, "must take two samples, then named numbers"
        )
    return arguments


def default_params(function: PairFunction) -> dict[str, float]:
    """The parameters of a function of two samples, with their defaults."""
    params = _arguments(function)[2:]
    for a in params:
        if not is_real(a.default):
            given = "no default" if a.default is a.empty else a.default
            remedy = f"set {a.name}=1.0; what is no number can be a variable outside the function"
            rule = "must have a number as default"
            raise ParameterError(f"kernel: {a.name}", given, rule, remedy)
    return {a.name: float(a.default) for a in params}
