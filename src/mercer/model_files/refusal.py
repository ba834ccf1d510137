"""Why something cannot be saved, where it was found, and what to do instead."""

from __future__ import annotations

from typing import Any

from mercer.errors import ModelFileError


def of(value: Any, path: str) -> ModelFileError:
    """The error for a value that no file holds."""
    from mercer.kernels.base import Kernel

    kind = type(value)
    name = kind.__name__
    if hasattr(value, "best_estimator_") or kind.__module__.startswith("sklearn.model_selection"):
        return _error(path, name, "is a search, not a model", "save search.best_estimator_")
    if name in ("CustomKernel", "CallableKernel"):
        rule = "is a function of your own, and files hold no code"
        return _error(
            path,
            repr(value),
            rule,
            "build the kernel from those of mercer, or fit the model on a precomputed matrix",
        )
    if isinstance(value, Kernel):
        return _error(
            path,
            name,
            "is a kernel class of your own, which another program would not have",
            "use kernels that come with mercer",
        )
    if isinstance(value, type) or callable(value):
        shown = getattr(value, "__qualname__", name)
        remedy = "a function of a collection (k @ f, FromFeatures(f), Conformal(k, f)) can be named: @mercer.register_function('its_name'), "
        remedy += "before saving and before loading; for other functions give a kernel, a name or a parameter of mercer"
        return _error(path, shown, "is a function, and files hold no code", remedy)
    if kind.__module__.startswith("scipy.sparse"):
        return _error(path, name, "is a sparse format that is not stored", "convert it: X.tocsr()")
    if kind.__module__.startswith("scipy.stats"):
        return _error(
            path,
            name,
            "is a distribution, which files do not hold",
            "after the fit it is not needed: model.set_params(priors=None)",
        )
    return _error(
        path,
        f"{kind.__module__}.{name}",
        "is not of a class that model files hold",
        "see the table in mercer.model_files.known",
    )


def _error(path: str, value: Any, rule: str, remedy: str) -> ModelFileError:
    return ModelFileError(path, value, rule, remedy)
