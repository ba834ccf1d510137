"""The classes of scikit-learn that model files may hold, and what is special about a few of them.

They are what fitted kernels hold, and what people put around models of mercer. What ``fit`` sets
is recognised by its name, which begins or ends with an underscore.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from mercer.errors import ModelFileError

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

# What scikit-learn itself sets in estimators of any library: while they are fitted, and by `fit`.
TRANSIENT = {"_skl_callbacks", "_callback_fit_ctx", "_parent_callback_ctx"}
SET_BY_FIT = {"n_features_in_", "feature_names_in_"}

_DROPPED = {"CountVectorizer": "_stop_words_id", "TfidfVectorizer": "_stop_words_id"}


def find(name: str) -> type | None:
    """The class that has this name, with its module, in files."""
    module, _, attribute = name.rpartition(".")
    if attribute not in CLASSES.get(module, ()):
        return None
    return getattr(importlib.import_module(module), attribute)


def name_of(cls: type) -> str | None:
    """The name of a class in files."""
    for module, names in CLASSES.items():
        if cls.__name__ in names and cls.__module__.startswith(module):
            return f"{module}.{cls.__name__}"
    return None


def to_store(instance: object) -> dict[str, object]:
    """The attributes of an instance that a file holds."""
    dropped = _DROPPED.get(type(instance).__name__)
    return {name: value for name, value in vars(instance).items() if name != dropped}


def finish_loading(instance: object) -> None:
    """Check what compiled code of scikit-learn relies on."""
    check = _CHECKS.get(type(instance).__name__)
    if check is not None:
        check(instance)


def _check_encoder(encoder: Any) -> None:
    """Columns of a sparse result are numbered from the categories, by code that trusts them."""
    held = vars(encoder)
    if "categories_" not in held:
        return
    held["_n_features_outs"] = encoder._compute_n_features_outs()
    n_columns = len(encoder.categories_)
    nothing = [None] * n_columns
    rare = mappings = nothing
    if held.get("_infrequent_enabled"):
        rare = held.get("_infrequent_indices", nothing)
        mappings = held.get("_default_to_infrequent_mappings", nothing)
    dropped = held.get("_drop_idx_after_grouping")
    if dropped is None:
        dropped = nothing
    if not len(dropped) == len(rare) == len(mappings) == n_columns:
        raise _wrong_numbers(0)
    for k, values in enumerate(encoder.categories_):
        n_groups = held["_n_features_outs"][k]
        if dropped[k] is not None:
            n_groups += 1
            if not 0 <= dropped[k] < n_groups:
                raise _wrong_numbers(k)
        if not _are_groups(rare[k], mappings[k], len(values), n_groups):
            raise _wrong_numbers(k)


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


def _wrong_numbers(column: int) -> ModelFileError:
    rule = "has categories that are not numbered within it"
    return ModelFileError("OneHotEncoder", f"column {column}", rule)


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
