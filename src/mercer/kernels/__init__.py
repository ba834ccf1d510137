"""All kernels. A module added to this folder, with its names in ``__all__``, is found by itself."""

from __future__ import annotations

import importlib
import pkgutil

from mercer.kernels.base import REGISTRY, Kernel

__all__ = ["Kernel", "catalogue"]


def catalogue() -> dict[str, type[Kernel]]:
    """The kernels mercer brings, by name."""
    return {name: REGISTRY[name] for name in sorted(__all__) if name in REGISTRY}


for _found in pkgutil.iter_modules(__path__):
    _module = importlib.import_module(f"{__name__}.{_found.name}")
    for _name in _module.__all__:
        globals()[_name] = getattr(_module, _name)
    __all__ += _module.__all__
