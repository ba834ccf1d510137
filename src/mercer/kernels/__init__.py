"""All kernels.

A module added to this folder, or to one of its folders, is found by the names in its ``__all__``.
"""

from __future__ import annotations

import importlib
import pkgutil

from mercer.kernels.base import REGISTRY, Kernel

__all__ = ["Kernel", "catalogue"]


def catalogue() -> dict[str, type[Kernel]]:
    """The kernels mercer brings, by name."""
    return {name: REGISTRY[name] for name in sorted(__all__) if name in REGISTRY}


for _info in pkgutil.walk_packages(__path__, f"{__name__}."):
    if _info.ispkg:
        continue
    _module = importlib.import_module(_info.name)
    for _name in _module.__all__:
        globals()[_name] = getattr(_module, _name)
    __all__ += _module.__all__
