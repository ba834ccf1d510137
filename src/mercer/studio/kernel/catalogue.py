"""The kernels that the page offers as blocks, by the kind of samples that they compare."""

from __future__ import annotations

import functools
import inspect
from typing import Any

from mercer import kernels
from mercer.kernels.base import REGISTRY
from mercer.studio.kernel.sliders import needed_of

# the kernels that come first, for the plane
_FAVORITES = (
    "RBF",
    "Linear",
    "Polynomial",
    "Matern",
    "Periodic",
    "RationalQuadratic",
    "Laplacian",
    "Cosine",
    "Constant",
    "White",
    "Sigmoid",
)
_ANYTHING = "anything"


@functools.cache
def catalogue() -> list[dict[str, Any]]:
    """Name, expression, kind of samples, status and formula of every kernel to start from."""
    entries = [entry for entry in map(_entry, kernels.catalogue()) if entry is not None]
    order = {name: at for at, name in enumerate(_FAVORITES)}
    return sorted(entries, key=lambda entry: (order.get(entry["name"], len(order)), entry["name"]))


def _entry(name: str) -> dict[str, Any] | None:
    cls = REGISTRY.get(name)
    if cls is None or cls.__module__.startswith("mercer.kernels.combine."):
        return None
    needed = needed_of(cls)
    if needed is None:
        return None
    try:
        kernel = cls(**needed)
    except (TypeError, ValueError):  # it needs a graph, a model or another kernel
        return None
    formula = (inspect.getdoc(cls) or "").split("\n\n")[0].replace("\n", " ")
    arguments = ", ".join(f"{key}={value!r}" for key, value in needed.items())
    return {
        "name": name,
        "text": f"{name}({arguments})",
        "kind": kernel.domain.name.partition(" (")[0],
        "status": kernel.certificate().status,
        "formula": formula,
        "favorite": name in _FAVORITES,
        "anywhere": kernel.domain.name == _ANYTHING,
    }
