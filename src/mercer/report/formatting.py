"""Scores and shortened texts, as the report and the command line show them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from mercer.automatic.metrics import METRICS

Described = tuple[str, str] | None  # the title and caption of a figure, if there is one to draw


def metric_text(name: str, value: float, error: float | None = None) -> str:
    """The value of a metric, in percent where that is usual, with its standard error if known."""
    metric = METRICS[name]
    factor, unit, digits, error_digits = 1, "", ".3f", ".3f"
    if metric.percent:
        factor, unit, digits, error_digits = 100, " %", ".1f", ".1f"
    elif metric.name in ("rmse", "mae"):
        digits, error_digits = ".4g", ".2g"
    # A value that rounds to zero has no sign.
    shown = f"{factor * value:z{digits}}{unit}"
    if error is None or not np.isfinite(error):
        return shown
    return f"{shown} ± {factor * error:{error_digits}}"


def shorten(text: str, most: int, end: int = 0) -> str:
    """At most ``most`` letters of a text; its last ``end`` letters stay."""
    if len(text) <= most:
        return text
    if end:
        return f"{text[: most - end - 5]} ... {text[-end:]}"
    return text[: most - 1] + "…"


def sample_text(sample: Any) -> str:
    """A sample in few words: the size of a graph, the first points of a series, or a text."""
    if isinstance(sample, Mapping) and {"edges", "n_nodes"} <= set(sample):
        return shorten(_graph_text(sample), 90)
    if isinstance(sample, np.ndarray) and sample.ndim == 2:
        return shorten(_series_text(sample), 90)
    return shorten(str(sample), 90)


def _graph_text(graph: Mapping[str, Any]) -> str:
    """The size of a graph, and how often labels of nodes occur in it, the most common first."""
    labels = Counter(graph.get("node_labels", ())).most_common()
    shown = ", ".join(f"{count} × {label}" for label, count in labels)
    size = f"{graph['n_nodes']} nodes, {len(graph['edges'])} edges"
    return f"{size}; labels {shown}" if labels else size


def _series_text(points: np.ndarray) -> str:
    """The length of a series and its first values, or the number of its channels."""
    length, channels = points.shape
    if channels > 1:
        return f"{length} points of {channels} channels"
    return f"{length} points: " + ", ".join(f"{value:.3g}" for value in points[:15, 0])
