"""The decorator that turns a function of two samples into a kernel."""

from __future__ import annotations

from typing import Any

from mercer.definiteness import CPD, PSD, STRICT, UNKNOWN
from mercer.domains.objects import OBJECTS
from mercer.domains.vectors.domain import VECTORS
from mercer.errors import ParameterError
from mercer.kernels.base import REGISTRY
from mercer.kernels.custom.custom_kernel import CustomKernel
from mercer.kernels.custom.function import PairFunction, UserFunction, default_params
from mercer.kernels.expression import CUSTOM

__all__ = ["kernel"]

_STATUSES = (STRICT, PSD, CPD, UNKNOWN)


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
        f(x, y, ...), a number; further arguments have numbers as defaults and become parameters,
        which Gaussian processes learn.
    status : {"strict", "psd", "cpd", "unknown"}
        What you know of its definiteness; learners that need a positive semi-definite kernel
        warn of one that is unknown.
    compile : {"auto", "compile", "python"}
        "auto" is interpreted, with a warning, where it cannot be compiled, "compile" is an error
        there, and "python" is never compiled.
    objects : bool
        Whether to hand over any Python objects (texts, lists, dictionaries, ...) instead of rows
        of numbers. The function is then interpreted.

    Returns
    -------
    Kernel
        The kernel; without a function a decorator, which returns one. ``mine(X, Y)`` is the Gram
        matrix, and ``mine()`` or ``mine(width=2.0)`` is a copy with the same or other parameters.

    Notes
    -----
    Derivatives by the parameters are computed by a complex step where it agrees with central
    differences when first used, else by central differences. A kernel that is defined in a script,
    a notebook or a function is sent to other processes (``n_jobs=2``) with its code; one that is
    defined in a module is imported there.

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
        remedy = "leave it out for what is not a kernel: refute finds the witness"
        raise ParameterError("status", status, f"must be one of {_STATUSES}", remedy)
    if compile not in ("auto", "compile", "python"):
        raise ParameterError("compile", compile, "must be 'auto', 'compile' or 'python'")

    def decorate(function: PairFunction) -> CustomKernel:
        params = default_params(function)
        own = UserFunction(function, "python" if objects else compile)
        custom = CustomKernel(own, status, OBJECTS if objects else VECTORS, params)
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
