"""The closed table of classes that model files may hold. Nothing else is ever made from a file.

It consists of the catalogue of kernels, the registry of estimators, the classes that
`mercer.state.storable` registers, and some classes of scikit-learn.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable

from mercer.errors import ModelFileError
from mercer.estimators import ESTIMATORS, estimator
from mercer.kernels import catalogue
from mercer.model_files import scikit_learn
from mercer.model_files.entries import Entry
from mercer.state import FORMER_NAMES, STORABLE


def by_name(name: object) -> Entry:
    """The class a file asks for."""
    if isinstance(name, str):
        name = FORMER_NAMES.get(name, name)
        entry = _find(name) or _find_after_imports(name)
        if entry is not None:
            return entry
    rule = "is not one that model files may hold"
    raise ModelFileError("class", name, rule, "load only files of mercer.save")


def by_class(cls: type) -> Entry | None:
    """The entry of a class; None if it has none. A class that exists is registered already."""
    entry = _find(scikit_learn.name_of(cls) or cls.__name__.lstrip("_"))
    if entry is None or entry.cls is not cls:
        return None
    return entry


def register(names: Iterable[object]) -> None:
    """Import the estimators among some names, and so register the classes they consist of."""
    for name in names:
        if isinstance(name, str) and name in ESTIMATORS:
            estimator(name)


def register_all() -> None:
    """Import every module with classes that files may hold."""
    import mercer.automatic
    import mercer.bridges.to_sklearn  # noqa: F401

    register(ESTIMATORS)


def _find_after_imports(name: str) -> Entry | None:
    register_all()
    return _find(name)


def _find(name: str) -> Entry | None:
    """The class of this name, as far as it is registered; an estimator is imported."""
    cls: type | None
    if name in ESTIMATORS:
        cls = estimator(name)
    else:
        cls = STORABLE.get(name) or catalogue().get(name)
    return scikit_learn.find(name) if cls is None else _entry(name, cls)


_entry = functools.cache(Entry)
