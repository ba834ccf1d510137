"""Parameters of kernels: a default, a constraint, and one message when it is broken."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import math
import numbers
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, ParamSpec, Self, TypeVar

import numpy as np

from mercer.errors import ParameterError, UnknownParameterError, did_you_mean, explain, warn

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


@dataclasses.dataclass(frozen=True)
class Constraint:
    """A test of a value, and the rule in words.

    Parameters
    ----------
    rule : str
        What the value must be, for the message "must be ...".
    holds : callable
        Whether a value keeps the rule.
    remedy : str
        What to give instead.
    low, high : float
        The numbers beyond which the rule is broken.
    """

    rule: str
    holds: Callable[[Any], bool]
    remedy: str = ""
    low: float = -math.inf
    high: float = math.inf

    def check(self, what: str, value: object) -> None:
        """Raise a `ParameterError` about ``what`` if the value breaks the rule."""
        if not self.holds(value):
            raise ParameterError(what, value, f"must be {self.rule}", self.remedy)


def is_real(value: Any) -> bool:
    """Whether a value is a finite real number; booleans are not numbers here."""
    if not isinstance(value, numbers.Real) or isinstance(value, (bool, np.bool_)):
        return False
    try:
        return math.isfinite(float(value))
    except OverflowError:  # an integer beyond all floats
        return False


def is_integer(value: object) -> bool:
    """Whether a value is a whole number of an integer type; booleans are not numbers here."""
    return isinstance(value, numbers.Integral) and not isinstance(value, (bool, np.bool_))


def _are_positive(value: Any) -> bool:
    """Whether a value is a positive number, or a vector of them."""
    if is_real(value):
        return value > 0
    if not isinstance(value, (list, tuple, np.ndarray)):
        return False
    column = as_vector(value)
    return column is not None and bool(np.all(np.isfinite(column) & (column > 0)))


def as_vector(value: Any) -> np.ndarray | None:
    """The value as a vector of numbers; None if it is none."""
    try:
        column = np.asarray(value)
    except (TypeError, ValueError):  # a ragged list, for instance
        return None
    is_vector = column.ndim == 1 and column.size > 0 and column.dtype.kind in "fiu"
    return column if is_vector else None


real = Constraint("a finite number", is_real)
positive = Constraint("positive", lambda v: is_real(v) and v > 0, "give a finite number > 0")
nonnegative = Constraint(
    "non-negative", lambda v: is_real(v) and v >= 0, "give a finite number >= 0"
)
positive_or_per_column = Constraint(
    "positive", _are_positive, "give one number > 0, or a list of them, one per column"
)
function = Constraint(
    "callable", callable, "give a function of a whole collection, or a registered name"
)
positive_or_inf = Constraint(
    "positive",
    lambda v: (is_real(v) and v > 0) or (isinstance(v, float) and v == math.inf),
    "give a number > 0, or math.inf",
)
boolean = Constraint("True or False", lambda v: isinstance(v, (bool, np.bool_)))


def between(low: float, high: float, *, open_low: bool = True) -> Constraint:
    """A number in ]low, high] (or [low, high])."""

    def holds(value: Any) -> bool:
        if not is_real(value) or value > high:
            return False
        return value > low or (value == low and not open_low)

    bracket = "]" if open_low else "["
    return Constraint(f"in {bracket}{low:g}, {high:g}]", holds, low=low, high=high)


def integer(low: int, high: float = math.inf) -> Constraint:
    """A whole number of at least ``low`` and at most ``high``."""
    rule = f"an integer >= {low}"
    if math.isfinite(high):
        rule = f"an integer from {low} to {high}"
    return Constraint(rule, lambda v: is_integer(v) and low <= v <= high)


def choice(*values: Any) -> Constraint:
    """One of a few values, numbers or texts; booleans are not numbers here."""

    def holds(value: object) -> bool:
        if isinstance(value, (bool, np.bool_)) or not isinstance(value, (str, numbers.Real)):
            return False
        return value in values

    return Constraint("one of " + ", ".join(map(repr, values)), holds)


def is_square_matrix(value: Any) -> bool:
    """Whether a value is a square matrix of finite numbers."""
    try:
        array = _as_numbers(np.asarray(value))
    except (TypeError, ValueError, OverflowError):
        return False
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        return False
    return array.size > 0 and bool(np.isfinite(array).all())


def _as_numbers(array: np.ndarray) -> np.ndarray:
    """The array in double precision; an error if it holds anything but numbers."""
    if array.dtype.kind not in "fiuO":
        raise TypeError(f"{array.dtype} is not a type of numbers")
    # NumPy would read texts among objects as numbers.
    if array.dtype.kind == "O" and any(isinstance(v, (str, bytes)) for v in array.ravel()):
        raise TypeError("text is not a number")
    return array.astype(float)


square_matrix = Constraint("a finite square matrix", is_square_matrix)


def param(
    *,
    default: Any = dataclasses.MISSING,
    check: Constraint,
    continuous: bool = False,
    kw_only: bool = False,
) -> Any:
    """Declare a field of a kernel.

    Parameters
    ----------
    default : object
        The default; a parameter without one must be given.
    check : Constraint
        The rule that every value must keep.
    continuous : bool
        Whether ``gradient`` differentiates the parameter.
    kw_only : bool
        Whether the parameter is given by name only, after those of subclasses.

    Returns
    -------
    dataclasses.Field
        The field.

    Examples
    --------
    >>> from mercer.params import param, positive
    >>> field = param(default=1.0, check=positive, continuous=True)
    >>> field.metadata["check"].rule
    'positive'
    """
    metadata = {"check": check, "continuous": continuous}
    if default is dataclasses.MISSING:
        return dataclasses.field(metadata=metadata, kw_only=kw_only)
    return dataclasses.field(default=default, metadata=metadata, kw_only=kw_only)


def renamed_arguments(
    **renamed: str,
) -> Callable[[Callable[_Arguments, _Result]], Callable[_Arguments, _Result]]:
    """Let a function accept old names of its arguments, with a DeprecationWarning.

    Parameters
    ----------
    renamed : str
        The present name of the argument that had the name of the keyword.

    Returns
    -------
    callable
        A decorator of functions.

    Examples
    --------
    >>> from mercer.params import renamed_arguments
    >>> @renamed_arguments(centre="center")
    ... def distance(x, center):
    ...     return abs(x - center)
    >>> distance(1.0, centre=3.0)
    2.0
    """

    def decorate(function: Callable[_Arguments, _Result]) -> Callable[_Arguments, _Result]:
        @functools.wraps(function)
        def accept(*args: _Arguments.args, **options: _Arguments.kwargs) -> _Result:
            what = f"argument of {function.__name__}"
            return function(*args, **with_present_names(what, renamed, options))

        return accept

    return decorate


def warn_of_old_name(what: str, name: str, present: str) -> None:
    """Warn of a name that works until the next version only.

    Parameters
    ----------
    what : str
        What the name is, such as "parameter of RBF".
    name, present : str
        The name that was used, and the one to use.
    """
    rule = f"is the old name of {present}, which will be removed"
    warn(explain(what, name, rule, f"write {present}"), DeprecationWarning)


def with_present_names(what: str, renamed: dict[str, str], options: dict[str, Any]) -> Any:
    """Arguments by their present names, with a warning for each of an old name.

    ``what`` says what they are, such as "argument of width"; ``renamed`` has the present names by
    the old ones.
    """
    named = dict(options)
    for old in renamed.keys() & options.keys():
        present = renamed[old]
        if present in options:
            rule = f"is given beside {old}, its old name"
            raise ParameterError(present, options[present], rule, f"leave {old} out")
        warn_of_old_name(what, old, present)
        named[present] = named.pop(old)
    return named


class Renamed:
    """An object of which parameters and attributes had other names, which work for a release."""

    renamed: ClassVar[dict[str, str]] = {}  # the present names by the old ones

    def __getattr__(self, name: str) -> Any:
        if name not in type(self).renamed:
            text = f"{type(self).__name__!r} object has no attribute {name!r}"
            raise AttributeError(text, name=name, obj=self)
        return getattr(self, self._present_name(name))

    def _present_name(self, name: str) -> str:
        """The name of a parameter or an attribute, with a warning where it is an old one."""
        present = self.renamed.get(name)
        if present is None:
            return name
        warn_of_old_name(f"parameter of {type(self).__name__}", name, present)
        return present

    def _with_present_names(self, state: dict[str, Any]) -> dict[str, Any]:
        """The attributes in a pickle, in which they may have old names."""
        return {self.renamed.get(name, name): value for name, value in state.items()}


class OldNames(Renamed):
    """An estimator of which parameters and attributes had other names.

    The constructor knows them by `named_arguments`; ``get_params`` has the present names alone.
    """

    if TYPE_CHECKING:

        def __init__(self, *args: Any, **options: Any) -> None: ...

    def set_params(self, **params: Any) -> Self:
        """Set parameters, by their present names or old ones.

        Parameters
        ----------
        **params : object
            The parameters by name, as scikit-learn's estimators take them.

        Returns
        -------
        estimator
            The estimator itself.
        """
        what = f"parameter of {type(self).__name__}"
        super().set_params(**with_present_names(what, self.renamed, params))  # type: ignore[misc]
        return self

    def __setattr__(self, name: str, value: object) -> None:
        object.__setattr__(self, self._present_name(name), value)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(self._with_present_names(state))  # type: ignore[misc]


def named_arguments(cls: type) -> None:
    """Let a class say which argument of its constructor a misspelt one may have meant.

    Python does so since 3.13.

    Parameters
    ----------
    cls : type
        The class, whose own constructor is changed, if it has one.
    """
    init = vars(cls).get("__init__")
    if init is not None and not hasattr(init, "__wrapped__"):
        cls.__init__ = _with_nearest_name(init)  # type: ignore[misc]


def _with_nearest_name(init: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(init)
    def accept(self: object, *args: Any, **options: Any) -> None:
        try:
            init(self, *args, **options)
        except TypeError:
            renamed = getattr(type(self), "renamed", {})
            if renamed.keys() & options.keys():
                what = f"parameter of {type(self).__name__}"
                accept(self, *args, **with_present_names(what, renamed, options))
                return
            known = list(inspect.signature(init).parameters)[1:]
            name = next((name for name in options if name not in known), None)
            if name is None:
                raise
            raise _unknown_parameter(self, name, options[name], known) from None

    return accept


def _unknown_parameter(
    owner: object, name: str, value: object, known: list[str]
) -> UnknownParameterError:
    remedy = did_you_mean(name, known, f"it has {', '.join(known)}", code=True)
    what = f"{type(owner).__name__}: {name}"
    return UnknownParameterError(what, value, "is not a parameter", remedy)


class NearestNames:
    """An estimator that says which parameter a misspelt one may have meant."""

    if TYPE_CHECKING:

        def get_params(self, deep: bool = True) -> dict[str, Any]: ...

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        named_arguments(cls)

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name; those of a part are written ``part__name``.

        Parameters
        ----------
        **params : object
            The parameters by name, as scikit-learn's estimators take them.

        Returns
        -------
        estimator
            The estimator itself.
        """
        known = list(self.get_params(deep=False))
        for name, value in params.items():
            own = name.partition("__")[0]
            if own not in known:
                raise _unknown_parameter(self, own, value, known)
        super().set_params(**params)  # type: ignore[misc]
        return self
