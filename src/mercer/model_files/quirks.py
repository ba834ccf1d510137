"""The few classes of which not everything is stored as it is: what is made anew when needed is forgotten."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from mercer.errors import ModelFileError

if TYPE_CHECKING:
    from mercer.model_files.known import Known

ALWAYS_FORGOTTEN = {
    "_ready",
    "_names",
    "_held",
    "_skl_callbacks",
    "_callback_fit_ctx",
    "_parent_callback_ctx",
}  # made by constructors, or of a fit


def _forget_mean_of(kernel: Any, held: dict[str, Any]) -> None:
    """Whether the mean belongs to the present parameters; what says so holds addresses of functions."""
    from mercer.kernels.combine.feature_space import _fingerprint

    if "_mean_of" in held:
        held["_mean_of"] = held["_mean_of"] == _fingerprint(kernel.kernel)


def _remember_mean_of(kernel: Any) -> None:
    from mercer.kernels.combine.feature_space import _fingerprint

    if "_mean_of" in vars(kernel):
        kernel._mean_of = _fingerprint(kernel.kernel) if kernel._mean_of is True else ()


def _share_samples(graph: Any, held: dict[str, Any]) -> None:
    """Links to new samples need no more of the training data than the expansion has."""
    import dataclasses

    del held["side"]
    held["data"] = dataclasses.replace(graph.data, X=graph.expansion.samples)


def _no_side(graph: Any) -> None:
    graph.side = None  # only a fit multiplies by the graph


def _new_side(posterior: Any) -> None:
    from mercer.domains.base import Batch

    posterior.side = posterior.kernel.prepare(Batch(posterior.X))


def _new_tree(density: Any) -> None:
    if vars(density).get("_use_tree"):
        from scipy.spatial import KDTree

        density._tree = KDTree(density.X_fit_)


def _no_draws(deck: Any) -> None:
    deck._drawn_before = {}


def _count_outputs(encoder: Any) -> None:
    """Columns of a sparse result are numbered from these, by code that trusts them."""
    held = vars(encoder)
    if "categories_" not in held:
        return
    held["_n_features_outs"] = encoder._compute_n_features_outs()
    width = len(encoder.categories_)
    rare: Any = held.get("_infrequent_indices") if held.get("_infrequent_enabled") else None
    maps: Any = (
        held.get("_default_to_infrequent_mappings") if held.get("_infrequent_enabled") else None
    )
    dropped = held.get("_drop_idx_after_grouping")
    for k, values in enumerate(encoder.categories_):
        left_out = None if dropped is None else dropped[k]
        groups = held["_n_features_outs"][k] + (left_out is not None)
        good = left_out is None or 0 <= left_out < groups
        if rare is not None or maps is not None:
            few, onto = rare[k], maps[k]
            good = good and (few is None) == (onto is None) and len(rare) == len(maps) == width
            good = good and (
                few is None
                or (
                    _within(few, len(values)) and len(onto) == len(values) and _within(onto, groups)
                )
            )
        if not good or (dropped is not None and len(dropped) != width):
            raise ModelFileError(
                "OneHotEncoder", f"column {k}", "has categories that are not numbered within it"
            )


def _within(places: np.ndarray, count: int) -> bool:
    return (
        places.dtype.kind == "i"
        and places.ndim == 1
        and (not places.size or (int(places.min()) >= 0 and int(places.max()) < count))
    )


def _check_vocabulary(vectorizer: Any) -> None:
    words = vars(vectorizer).get("vocabulary_")
    if words is not None and (
        not isinstance(words, dict) or sorted(words.values()) != list(range(len(words)))
    ):
        raise ModelFileError(
            "vocabulary_", f"{len(words)} words", "are not numbered from 0, each once"
        )


_DROPPED: dict[str, tuple[str, ...]] = {
    "HotDeck": ("_drawn_before",),
    "Iterative": ("side",),
    "KernelDensity": ("_tree",),
    "sklearn.feature_extraction.text.CountVectorizer": ("_stop_words_id",),
    "sklearn.feature_extraction.text.TfidfVectorizer": ("_stop_words_id",),
}
_BEFORE: dict[str, Callable[[Any, dict[str, Any]], None]] = {
    "Centered": _forget_mean_of,
    "KernelGraph": _share_samples,
}
_AFTER: dict[str, Callable[[Any], None]] = {
    "Centered": _remember_mean_of,
    "HotDeck": _no_draws,
    "Iterative": _new_side,
    "KernelDensity": _new_tree,
    "KernelGraph": _no_side,
    "sklearn.preprocessing.OneHotEncoder": _count_outputs,
    "sklearn.feature_extraction.text.CountVectorizer": _check_vocabulary,
    "sklearn.feature_extraction.text.TfidfVectorizer": _check_vocabulary,
}


def state(entry: Known, value: Any) -> dict[str, Any]:
    """What is stored of an object, by attribute."""
    dropped = ALWAYS_FORGOTTEN | set(_DROPPED.get(entry.name, ()))
    held = {name: item for name, item in vars(value).items() if name not in dropped}
    if entry.name in _BEFORE:
        _BEFORE[entry.name](value, held)
    return held


def mend(entry: Known, made: Any) -> None:
    """What a loaded object needs beside what was stored."""
    if entry.name in _AFTER:
        _AFTER[entry.name](made)
