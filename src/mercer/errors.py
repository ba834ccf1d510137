"""Every error and warning mercer raises, all importable from here.

All messages have one form: *what* was wrong, its *value*, the *rule* it broke and the *remedy*.
"""

from __future__ import annotations

import difflib
import sys
import warnings
from collections.abc import Iterable
from types import FrameType
from typing import TYPE_CHECKING, Any

ABSENT: Any = object()  # the value of what was not given, or is not there


def explain(what: str, value: object, rule: str, remedy: str = "") -> str:
    """The one message form: ``what = value rule; remedy``.

    Of what is not there, such as a parameter that has to be given, only ``what rule; remedy``.

    Parameters
    ----------
    what : str
        The name of the thing at fault, such as "C" or "X[0, 1]".
    value : object
        Its value; `ABSENT` where there is none.
    rule : str
        The rule that it breaks, such as "must be > 0".
    remedy : str, default=""
        What can be done about it.

    Returns
    -------
    str
        The message.
    """
    text = f"{what} {rule}"
    if value is not ABSENT:
        shown = repr(value)
        if len(shown) > 120:
            shown = shown[:117] + "..."
        text = f"{what} = {shown} {rule}"
    return f"{text}; {remedy}" if remedy else text


def did_you_mean(
    name: str, known: Iterable[str], otherwise: str = "", *, code: bool = False
) -> str:
    """A remedy for a name that is not known: the nearest one, or else what the caller says.

    Names in code, of kernels and parameters, are not quoted.
    """
    if code:
        near = nearest(name, known, most=1)
    else:
        near = list(map(repr, nearest(name, known)))
    return f"did you mean {', '.join(near)}?" if near else otherwise


def missing_columns_text(absent: list[Any]) -> str:
    """The beginning of a message on columns that a table does not have."""
    if len(absent) == 1:
        return f"column {absent[0]!r} is missing"
    more = f" and {len(absent) - 3} more" if len(absent) > 3 else ""
    return f"columns {', '.join(map(repr, absent[:3]))}{more} are missing"


def nearest(name: str, known: Iterable[str], most: int = 3) -> list[str]:
    """At most so many known names that are like a name, in capital or small letters."""
    plain: dict[str, str] = {}
    for each in known:
        plain[each.lower().removesuffix("()")] = each
    matches = difflib.get_close_matches(name.lower(), plain, n=most, cutoff=0.6)
    return [plain[match] for match in matches]


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line that called the library, however deep inside it the reason was found."""
    frame: FrameType | None = sys._getframe(1)
    level = 2
    while frame is not None and _package(frame) in ("mercer", "sklearn", "contextlib"):
        frame = frame.f_back
        level += 1
    warnings.warn(message, category, stacklevel=level)


def warn_ignored(name: str, value: object, reason: str, remedy: str = "leave it out") -> None:
    """Warn of a parameter that was given and has no effect beside the others."""
    warn(explain(name, value, f"is ignored: {reason}", remedy))


def _package(frame: FrameType) -> str:
    """The package whose code runs in a frame."""
    return frame.f_globals.get("__name__", "").partition(".")[0]


class MercerError(Exception):
    """Base of every error raised by mercer.

    It is given a message, or the parts of one as `explain` takes them.
    """

    def __init__(self, message: str, *parts: Any) -> None:
        super().__init__(explain(message, *parts) if parts else message)


class ParameterError(MercerError, ValueError):
    """A parameter is out of its range."""


class UnknownParameterError(ParameterError, TypeError):
    """A name that no parameter has; the message has the nearest one."""


class InputError(MercerError, ValueError):
    """The data cannot be used without a change."""


class DataWarning(UserWarning):
    """Data are hardly meant as they are written, such as a word among numbers."""


class NotFiniteError(InputError):
    """NaN or infinity in the data; the message names row and column."""


class EmptyInputError(InputError):
    """No rows, or no columns."""


class ShapeError(InputError):
    """An array with the wrong number of axes, or of the wrong length."""


class WidthError(InputError):
    """Two collections, or a collection and a parameter, disagree on the number of columns."""


class InputTypeError(InputError, TypeError):
    """Objects of a type this domain does not hold (strings for numbers, say)."""


class UnsupportedInputError(InputTypeError, NotImplementedError):
    """Objects of a type that one method has no formula for, though others read them."""


class DomainError(MercerError, ValueError):
    """A value lies outside the set on which the kernel is defined."""


class RadiusError(DomainError):
    """k(x, x) reaches the radius of convergence of a power series."""


class DomainMismatchError(MercerError, TypeError):
    """Kernels on different kinds of samples were combined."""


class DefinitenessError(MercerError, ValueError):
    """Something needs a (conditionally) positive semi-definite kernel and did not get one."""


class DefinitenessWarning(UserWarning):
    """A kernel that may not be positive semi-definite is used nevertheless."""


class InfiniteFeaturesError(MercerError, ValueError):
    """The feature map has no finite explicit form."""


class MemoryBudgetError(MercerError, MemoryError):
    """A dense matrix would exceed the configured memory budget."""

    def __init__(self, message: str, *parts: Any) -> None:
        super().__init__(message, *parts)
        self.parts = (message, *parts)  # a learner names its own remedy instead of the last one


class KernelOverflowError(MercerError, OverflowError, ValueError):
    """A kernel value is not a finite number; the message names the rows."""

    place: tuple[int, int] | None = None
    value: float = float("nan")


class ParseError(MercerError, ValueError):
    """A kernel expression that cannot be read."""


class ModelFileError(MercerError, ValueError):
    """A model cannot be saved, or a file is not a whole, unaltered model of a known kind."""


class NotSeparableError(MercerError, TypeError):
    """A kernel is no sum of products over columns, where one is needed."""


class NotDifferentiableError(MercerError, TypeError):
    """A derivative was asked of something that has none."""


class CompilationError(MercerError, TypeError):
    """A user's function could not be compiled."""


class MissingDependencyError(MercerError, ImportError):
    """An optional library is needed and is not installed."""


class ClusterError(MercerError, RuntimeError):
    """The cluster that blocks were sent to is gone, or cannot do the work."""


class SlowPathWarning(UserWarning):
    """Something works, but interpreted; the message says why."""


if TYPE_CHECKING:

    class NotFittedError(MercerError, ValueError, AttributeError):
        """A kernel that learns from data was used before ``fit``."""


def __getattr__(name: str) -> Any:
    # scikit-learn's class is a base of ours, so that `except sklearn.exceptions.NotFittedError`
    # works, but importing scikit-learn costs over a second: the class is made when first needed.
    if name != "NotFittedError":
        remedy = did_you_mean(name, (*globals(), "NotFittedError"), code=True)
        text = f"module 'mercer.errors' has no attribute {name!r}"
        raise AttributeError(f"{text}; {remedy}" if remedy else text)
    from sklearn.exceptions import NotFittedError as SklearnNotFittedError

    class NotFittedError(MercerError, SklearnNotFittedError):
        """A kernel that learns from data was used before ``fit``."""

    NotFittedError.__qualname__ = name
    globals()[name] = NotFittedError
    return NotFittedError
