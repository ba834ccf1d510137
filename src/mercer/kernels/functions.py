"""Functions that kernels take as parameters, by names that print and parse.

A function of samples takes a whole collection and returns one row, or one number, per sample::

    @mercer.register_function("log", injective=True)
    def log(X):
        return np.log(X)
"""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
import math
import re
import weakref
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from mercer.aliases import RawSamples
from mercer.errors import ParameterError
from mercer.params import positive
from mercer.state import State, storable

__all__: list[str] = []

SampleFunction = Callable[[RawSamples], RawSamples]


@dataclasses.dataclass(frozen=True)
class Registered:
    """A function of samples, its name, and what proofs may use of it."""

    name: str
    function: SampleFunction
    injective: bool = False
    nonzero: bool = False

    @property
    def stated(self) -> bool:
        """Whether it is a user who says that it is injective or never vanishes."""
        return not str(getattr(self.function, "__module__", "")).startswith("mercer.")


FUNCTIONS: dict[str, Registered] = {}
MAKERS: dict[str, Callable[[Any], Any]] = {}  # functions of one argument that make a function


# Graphs and models that kernels hold, by the names that they print, as long as they live. Text
# cannot hold them: in another process, `parse` is given them by ``names``.
OBJECTS: weakref.WeakValueDictionary[str, Any] = weakref.WeakValueDictionary()
_counter = itertools.count(1)
_MARKED = re.compile(r"\b([A-Za-z]\w*)_[0-9a-f]{8}\b")


def without_marks(text: str) -> str:
    """An expression or a proof for readers: names of objects without their numbers.

    Names that end in a date, such as those of columns, are no marks.
    """
    return _MARKED.sub(_without_mark, text)


def _without_mark(match: re.Match[str]) -> str:
    name, kind = match[0], match[1]
    if name not in OBJECTS and name[len(kind) + 1 :].isdigit():
        return name
    return kind


def name_object(value: object, kind: str, content: str = "") -> str:
    """The name of an object in kernel expressions, unique for its content or the object."""
    for name, known in OBJECTS.items():
        if known is value:
            return name
    mark = next(_counter) if not content else hashlib.blake2b(content.encode()).hexdigest()[:8]
    OBJECTS[f"{kind}_{mark}"] = value
    return f"{kind}_{mark}"


def register_function(
    name: str, *, injective: bool = False, nonzero: bool = False
) -> Callable[[SampleFunction], SampleFunction]:
    """Give a function of samples a name that prints and parses, and state what proofs may use.

    Parameters
    ----------
    name : str
        The name in kernel expressions, a Python identifier.
    injective : bool
        Whether different samples have different images, so that a pull-back stays strict.
        Certificates print it as an assumption.
    nonzero : bool
        Whether the function never vanishes, so that a conformal change stays strict; an
        assumption as well.

    Returns
    -------
    callable
        A decorator, which returns the function unchanged.

    Examples
    --------
    >>> import numpy as np
    >>> import mercer
    >>> @mercer.register_function("cube", injective=True)
    ... def cube(X):
    ...     return np.asarray(X) ** 3
    >>> mercer.parse("RBF() @ cube")
    RBF() @ cube
    """
    if not name.isidentifier():
        raise ParameterError("name", name, "must be a Python name")

    def decorate(function: SampleFunction) -> SampleFunction:
        FUNCTIONS[name] = Registered(name, function, injective, nonzero)
        return function

    return decorate


def describe(function: SampleFunction) -> Registered:
    """The registered entry of a function, or one made of what the function says of itself."""
    for entry in FUNCTIONS.values():
        if entry.function is function:
            return entry
    name = getattr(function, "__name__", type(function).__name__)
    return Registered(name, function, getattr(function, "injective", False) is True)


def _numbers(X: RawSamples) -> np.ndarray:
    return X.toarray() if hasattr(X, "toarray") else np.asarray(X, dtype=float)


@register_function("identity", injective=True)
def identity(X: RawSamples) -> RawSamples:
    """f(x) = x."""
    return X


@register_function("exponential", injective=True, nonzero=True)
def exponential(X: RawSamples) -> np.ndarray:
    """f(x) = exp(x), coordinate by coordinate."""
    return np.exp(_numbers(X))


@register_function("arctan", injective=True)
def arctan(X: RawSamples) -> np.ndarray:
    """f(x) = arctan(x), coordinate by coordinate."""
    return np.arctan(_numbers(X))


@register_function("absolute")
def absolute(X: RawSamples) -> np.ndarray:
    """f(x) = |x|, coordinate by coordinate."""
    return np.abs(_numbers(X))


@register_function("row_sums")
def row_sums(X: RawSamples) -> np.ndarray:
    """f(x) = Σ x_j, one number per sample."""
    return _numbers(X).sum(axis=1)


@register_function("words")
def words(text: str) -> list[str]:
    """The words of one text, as parts for `Convolution`."""
    return text.split()


@register_function("numbers")
def numbers(row: RawSamples) -> list[list[float]]:
    """The numbers of one row, each as a row of its own, as parts for `Convolution`."""
    return [[float(number)] for number in row]


@storable
class InverseRoot:
    """The coefficients n ↦ aₙ of 1/√(θ − z) = Σ aₙ zⁿ."""

    stored: ClassVar[State] = State(finite=("theta",))
    proof: ClassVar[str] = "aₙ = (2n choose n)/(4ⁿ θ^(n+½)) > 0"  # what a certificate may cite

    def __init__(self, theta: float) -> None:
        self.theta = theta

    @property
    def radius(self) -> float:
        """The radius of convergence."""
        return self.theta

    def __repr__(self) -> str:
        return f"inverse_root({self.theta!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, InverseRoot) and other.theta == self.theta

    def __hash__(self) -> int:
        return hash((InverseRoot, self.theta))

    def __call__(self, n: int) -> float:
        log_binomial = math.lgamma(2 * n + 1) - 2 * math.lgamma(n + 1)
        return math.exp(log_binomial - n * math.log(4.0) - (n + 0.5) * math.log(self.theta))


def inverse_root(theta: float) -> InverseRoot:
    """The coefficients of 1/√(θ − z) = Σ (2n choose n) zⁿ/(4ⁿ θ^(n+½)), all positive.

    Parameters
    ----------
    theta : float
        θ > 0, the radius of convergence.

    Returns
    -------
    callable
        n ↦ aₙ, for `PowerSeries`.

    Examples
    --------
    >>> from mercer import inverse_root
    >>> inverse_root(1.0)(2)
    0.375
    """
    positive.check("inverse_root: theta", theta)
    return InverseRoot(float(theta))


MAKERS["inverse_root"] = inverse_root
