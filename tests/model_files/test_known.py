"""The closed table has all kernels and estimators, and nothing that was not registered."""

from __future__ import annotations

import subprocess
import sys

import pytest

import mercer
from mercer.errors import ModelFileError
from mercer.estimators import ESTIMATORS
from mercer.kernels import catalogue
from mercer.model_files import known, scikit_learn
from mercer.state import FORMER_NAMES, STORABLE

known.register_all()
THEIRS = [f"{module}.{name}" for module, names in scikit_learn.CLASSES.items() for name in names]
NAMES = [*catalogue(), *ESTIMATORS, *STORABLE, *THEIRS]


def test_every_entry_is_a_class_with_a_name_of_its_own():
    assert len(set(NAMES)) == len(NAMES)
    entries = [known.by_name(name) for name in NAMES]
    assert {entry.kind for entry in entries} == {"kernel", "estimator", "record", "object"}
    for name, entry in zip(NAMES, entries, strict=True):
        assert isinstance(entry.cls, type) and entry.name == name
        assert known.by_class(entry.cls) is entry
        assert bool(entry.library) == (name in THEIRS)


def test_every_estimator_is_there():
    for name in ESTIMATORS:
        assert known.by_name(name).cls is getattr(mercer, name)
    assert known.by_name("AutoClassifier").cls is mercer.AutoClassifier


@pytest.mark.parametrize("name", ["Expansion", "TunedModel", "SklearnKernel"])
def test_classes_that_are_not_imported_yet_are_found(name):
    code = "from mercer.model_files import known\n"
    code += f"assert known.by_name({name!r}).cls.__name__ == {name!r}"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_no_fallback_for_classes_beside_the_table():
    class SVC(mercer.SVC):
        """A namesake is not the class itself."""

    class Expansion:
        """Neither is a namesake of a helper class."""

    for cls in (SVC, Expansion, dict, type):
        assert known.by_class(cls) is None
    for name in ("Kernel", "mercer.SVC", "sklearn.svm.SVC", "sklearn.pipeline.Bunch", "", "."):
        with pytest.raises(ModelFileError, match="may hold"):
            known.by_name(name)


def test_former_names_are_those_of_classes():
    assert FORMER_NAMES
    for old, new in FORMER_NAMES.items():
        assert old not in NAMES
        assert known.by_name(old) is known.by_name(new)
