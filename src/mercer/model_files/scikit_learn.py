"""The classes of scikit-learn that model files may hold, and what is special about a few of them.

They are what fitted kernels hold, and what people put around models of mercer. What ``fit`` sets
is recognized by its name, which begins or ends with an underscore.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from mercer.errors import ModelFileError
from mercer.model_files.entries import TRANSIENT, Attributes, Entry

CLASSES = {
    "sklearn.compose": ("ColumnTransformer", "make_column_selector"),
    "sklearn.feature_extraction.text": ("CountVectorizer", "TfidfTransformer", "TfidfVectorizer"),
    "sklearn.gaussian_process.kernels": (
        *("CompoundKernel", "ConstantKernel", "DotProduct", "ExpSineSquared", "Exponentiation"),
        *("Matern", "Product", "RBF", "RationalQuadratic", "Sum", "WhiteKernel"),
    ),
    "sklearn.impute": ("SimpleImputer",),
    "sklearn.linear_model": ("LinearRegression",),  # the mean function of a Gaussian process
    "sklearn.mixture": ("GaussianMixture",),
    "sklearn.naive_bayes": ("BernoulliNB", "GaussianNB", "MultinomialNB"),
    "sklearn.pipeline": ("Pipeline",),
    "sklearn.preprocessing": (
        "FunctionTransformer",  # a ColumnTransformer writes "passthrough" so
        *("MinMaxScaler", "OneHotEncoder", "OrdinalEncoder", "RobustScaler", "StandardScaler"),
    ),
}

_DROPPED = {"CountVectorizer": "_stop_words_id", "TfidfVectorizer": "_stop_words_id"}


class SklearnEntry(Entry):
    """A class of scikit-learn that files may hold."""

    library = "scikit-learn"

    def attributes(self, instance: object) -> Attributes:
        attributes = super().attributes(instance)
        attributes.pop(_DROPPED.get(self.cls.__name__, ""), None)
        return attributes

    def learns(self, name: str) -> bool:
        underscored = name.startswith("_") or name.endswith("_")
        if not underscored and self.kind != "object":
            return False
        if name in self.parameters or name in TRANSIENT:
            return False
        return not self._is_shadowed(name)

    def _is_shadowed(self, name: str) -> bool:
        """Whether an attribute would stand in for something that the class itself has."""
        if name.startswith("__") or not name.isidentifier():
            return True
        return any(vars(base).get(name) is not None for base in self.cls.__mro__)

    def finish(self, instance: object) -> None:
        check = _CHECKS.get(self.cls.__name__)
        if check is not None:
            check(instance)


def find(name: str) -> SklearnEntry | None:
    """The class that has this name, with its module, in files."""
    module, _, attribute = name.rpartition(".")
    if attribute not in CLASSES.get(module, ()):
        return None
    return _entry(name, getattr(importlib.import_module(module), attribute))


_entry = functools.cache(SklearnEntry)


def name_of(cls: type) -> str | None:
    """The name of a class in files."""
    for module, names in CLASSES.items():
        if cls.__name__ in names and cls.__module__.startswith(module):
            return f"{module}.{cls.__name__}"
    return None


def _check_encoder(encoder: Any) -> None:
    """Columns of a sparse result are numbered from the categories, by code that trusts them."""
    held = vars(encoder)
    if "categories_" not in held:
        return
    held["_n_features_outs"] = encoder._compute_n_features_outs()
    nothing = [None] * len(encoder.categories_)
    rare = mappings = dropped = nothing
    if held.get("_drop_idx_after_grouping") is not None:
        dropped = held["_drop_idx_after_grouping"]
    if held.get("_infrequent_enabled"):
        rare = held["_infrequent_indices"]
        mappings = held["_default_to_infrequent_mappings"]
    counts = held["_n_features_outs"]
    columns = zip(encoder.categories_, counts, dropped, rare, mappings, strict=True)
    for k, column in enumerate(columns):
        if not _is_numbered(*column):
            rule = "has categories that are not numbered within it"
            raise ModelFileError("OneHotEncoder", f"column {k}", rule)


def _is_numbered(values: Any, n_outputs: int, dropped: int | None, rare: Any, mapping: Any) -> bool:
    """Whether what is said of a column's categories refers to them and to their groups."""
    if dropped is None:
        return _are_groups(rare, mapping, len(values), n_outputs)
    n_groups = n_outputs + 1
    return 0 <= dropped < n_groups and _are_groups(rare, mapping, len(values), n_groups)


def _are_groups(rare: Any, mapping: Any, n_values: int, n_groups: int) -> bool:
    """Whether rare values are values of a column, and all values are mapped to its groups."""
    if rare is None or mapping is None:
        return rare is mapping
    mapped = len(mapping) == n_values and _are_positions(mapping, n_groups)
    return mapped and _are_positions(rare, n_values)


def _are_positions(positions: np.ndarray, count: int) -> bool:
    if positions.dtype.kind != "i" or positions.ndim != 1:
        return False
    return bool(((positions >= 0) & (positions < count)).all())


def _check_vocabulary(vectorizer: Any) -> None:
    words = vars(vectorizer).get("vocabulary_", {})
    if not isinstance(words, dict) or sorted(words.values()) != list(range(len(words))):
        rule = "are not numbered from 0, each once"
        raise ModelFileError("vocabulary_", f"{len(words)} words", rule)


_CHECKS: dict[str, Callable[[Any], None]] = {
    "OneHotEncoder": _check_encoder,
    "CountVectorizer": _check_vocabulary,
    "TfidfVectorizer": _check_vocabulary,
}
