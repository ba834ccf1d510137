"""The closed table names classes that exist, and every kernel and estimator that can be fitted is in it."""

from __future__ import annotations

import mercer
from mercer.estimators import ESTIMATORS
from mercer.kernels import catalogue
from mercer.model_files import known


def test_every_entry_is_a_class():
    kinds = {entry.kind for entry in known.table().values()}
    assert kinds == {"kernel", "estimator", "record", "object"}
    for name, entry in known.table().items():
        assert (
            isinstance(entry.made, type)
            and entry.name == name
            and known.by_class(entry.made) is entry
        )


def test_every_kernel_and_estimator_is_there():
    assert catalogue().keys() <= known.table().keys()
    for name in ESTIMATORS:
        assert known.by_class(getattr(mercer, name)) is known.table()[name]


def test_functions_are_there():
    for name in known.FUNCTIONS:
        assert callable(known.function_of_ours(name))


def test_no_fallback_for_classes_beside_the_table():
    class SVC(mercer.SVC):
        """A namesake is not the class itself."""

    assert (
        known.by_class(SVC) is None
        and known.by_class(dict) is None
        and known.by_class(type) is None
    )


def test_old_names_are_those_of_classes():
    for old, new in known.OLD_NAMES.items():
        assert old not in known.table()
        assert known.by_name(old) is known.table()[new]
