"""Scores and shortened texts, as the report and the command line show them."""

from __future__ import annotations

from mercer.automatic.metrics import METRICS

Described = tuple[str, str] | None  # the title and caption of a figure, if there is one to draw


def metric_text(name: str, value: float, error: float | None = None) -> str:
    """The value of a metric, in per cent where that is usual, with its standard error if given."""
    if METRICS[name].percent:
        shown = f"{100 * value:.1f} %"
        return shown if error is None else f"{shown} ± {100 * error:.1f}"
    digits = ".4g" if METRICS[name].name in ("rmse", "mae") else ".3f"
    shown = f"{value:{digits}}"
    if error is None:
        return shown
    return f"{shown} ± {error:.2g}" if digits == ".4g" else f"{shown} ± {error:.3f}"


def shorten(text: str, most: int, end: int = 0) -> str:
    """At most ``most`` letters of a text; its last ``end`` letters stay."""
    if len(text) <= most:
        return text
    if end:
        return f"{text[: most - end - 5]} ... {text[-end:]}"
    return text[: most - 1] + "…"
