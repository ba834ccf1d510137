"""Scores and shortened texts, as the report and the command line show them."""

from __future__ import annotations


def score_text(mean: float, error: float, accuracy: bool) -> str:
    """A score with its standard error: an accuracy in per cent, R² as a number."""
    if accuracy:
        return f"{100 * mean:.1f} % ± {100 * error:.1f}"
    return f"{mean:.3f} ± {error:.3f}"


def shorten(text: str, most: int, end: int = 0) -> str:
    """At most ``most`` letters of a text; its last ``end`` letters stay."""
    if len(text) <= most:
        return text
    if end:
        return f"{text[: most - end - 5]} ... {text[-end:]}"
    return text[: most - 1] + "…"
