"""What notebooks show of a fitted model: scikit-learn's diagram, then the kernel and the report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class ShowsFit:
    """Adds what a fit has learned to the diagram of an estimator."""

    def _repr_html_inner(self) -> str:
        inner: Any = super()
        return inner._repr_html_inner() + fitted_html(self)

    def _repr_mimebundle_(self, **options: Any) -> dict[str, str]:
        inner: Any = super()
        bundle: dict[str, str] = inner._repr_mimebundle_(**options)
        if "text/html" in bundle:
            bundle["text/html"] += fitted_html(self)
        return bundle


def fitted_html(model: object) -> str:
    """The fitted kernel and the report of a model as HTML; nothing of a model that is not fitted.

    A list of kernels, as of a model of several views, is shown one by one.
    """
    kernels = getattr(model, "kernel_", None)
    parts: list[Any] = list(kernels) if isinstance(kernels, Sequence) else [kernels]
    parts.append(getattr(model, "report_", None))
    shown = [part._repr_html_() for part in parts if hasattr(part, "_repr_html_")]
    return "".join(f"<div>{part}</div>" for part in shown)
