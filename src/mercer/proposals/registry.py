"""The kinds of sample whose kernels are learned, beside numbers and categories.

A line of `KINDS` adds a kind: how its samples are recognized, the kernels that are tried on them,
and the function that reads a column of a table as a list of them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from mercer.aliases import KernelLike, RawSamples
from mercer.domains.structures.tree_forms import look_like_trees
from mercer.errors import InputTypeError
from mercer.kernels.base import Kernel
from mercer.kernels.functions import SampleFunction
from mercer.kernels.tables.columns import sets, texts
from mercer.proposals.items import Families, set_kernels, string_kernels, text_kernels
from mercer.proposals.recognition import are_graphs, are_series
from mercer.proposals.structures import graph_kernels, series_kernels, tree_kernels
from mercer.readers.graph_collection import GraphCollection

_MOST_ROWS = 5000  # samples from which the kind of all of them is inferred
_WORDS = 4.0  # words per string, on average, from which strings are read as texts


@dataclasses.dataclass(frozen=True)
class Kind:
    """A kind of sample.

    Attributes
    ----------
    name : str
        What a column of a table that holds such samples is called.
    samples : str
        What a collection of them is called.
    holds : callable
        Whether some samples are of this kind.
    families : callable
        The kernels to try on some samples, in families of which the best kernel is kept.
    reader : callable
        Reads one column of a table as a list of samples.
    """

    name: str
    samples: str
    holds: Callable[[Sequence[Any]], bool]
    families: Callable[[Sequence[Any]], Families]
    reader: SampleFunction


def _are_texts(values: Sequence[Any]) -> bool:
    if not isinstance(values[0], str):
        return False
    return float(np.mean([len(str(text).split()) for text in values])) >= _WORDS


def _are_strings(values: Sequence[Any]) -> bool:
    return isinstance(values[0], str)


def _are_sets(values: Sequence[Any]) -> bool:
    return isinstance(values[0], (set, frozenset))


def not_in_columns(X: RawSamples) -> list[Any]:
    """Refuse a column of samples that are read from lists only."""
    remedy = "give these samples alone, or a kernel of the column"
    raise InputTypeError("X", X, "has a column of graphs, trees or series", remedy)


KINDS = {
    kind.name: kind
    for kind in (
        Kind("graph", "graphs", are_graphs, graph_kernels, not_in_columns),
        Kind("tree", "trees", look_like_trees, tree_kernels, not_in_columns),
        Kind("series", "series", are_series, series_kernels, not_in_columns),
        Kind("text", "texts", _are_texts, text_kernels, texts),
        Kind("string", "sequences", _are_strings, string_kernels, texts),
        Kind("set", "sets", _are_sets, set_kernels, sets),
    )
}


def kind_of_samples(X: RawSamples) -> Kind | None:
    """The kind of a list of samples; None for tables and matrices."""
    is_list = isinstance(X, (list, tuple, GraphCollection))
    is_vector = isinstance(X, np.ndarray) and X.ndim == 1 and X.dtype.kind in "OU"
    has_three_axes = np.ndim(X) == 3 if isinstance(X, np.ndarray) else False
    if not (is_list or is_vector or has_three_axes) or len(X) == 0:
        return None
    some = list(X[:_MOST_ROWS])
    return next((kind for kind in KINDS.values() if kind.holds(some)), None)


def few_kernels(kind: Kind, samples: Sequence[Any]) -> list[Kernel]:
    """The kernels of the first family, and the first one of each other."""
    first, *others = kind.families(samples)
    return [*first, *(family[0] for family in others)]


def is_auto(kernel: KernelLike) -> bool:
    """Whether the kernel is to be chosen from the samples."""
    return isinstance(kernel, str) and kernel == "auto"
