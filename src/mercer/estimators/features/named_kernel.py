"""The parameters ``gamma``, ``coef0`` and ``degree`` of kernels that are given by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mercer.aliases import Estimator
from mercer.errors import ParameterError, warn_ignored

_NAMED = ("gamma", "coef0", "degree")


def named_parameters(model: Estimator) -> Mapping[str, Any]:
    """The parameters of an estimator, with those of ``kernel_params`` where its own are None."""
    given = vars(model)
    if not isinstance(model.kernel, str):
        return given
    params = model.kernel_params or {}
    return {**given, **{n: value for n, value in params.items() if given.get(n) is None}}


def warn_of_unused(kernel_params: Mapping[str, Any] | None) -> None:
    """Warn of entries of ``kernel_params`` that no kernel with a name takes."""
    unused = {n: v for n, v in (kernel_params or {}).items() if n not in _NAMED}
    if unused:
        warn_ignored("kernel_params", unused, "no kernel with a name takes them")


def refuse_parameters(model: Estimator) -> None:
    """Raise an error for a parameter of a kernel where no kernel could take it."""
    for name in _NAMED:
        if getattr(model, name) is not None:
            rule = "has no meaning for a function or a precomputed Gram matrix"
            raise ParameterError(name, getattr(model, name), rule, "leave it out")
