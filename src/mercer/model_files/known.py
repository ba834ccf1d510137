"""The closed table of classes that model files may hold. Nothing else is ever made from a file.

It consists of the catalogue of kernels, the registry of estimators, the classes that
`mercer.state.storable` registers, and some classes of scikit-learn. What a class is decides how it
is stored:

- a kernel or an estimator: its parameters, which the class checks again, then what ``fit`` set;
- a dataclass: its fields;
- any other class: its attributes.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Iterable
from typing import Literal

from mercer.errors import ModelFileError
from mercer.estimators import ESTIMATORS, estimator
from mercer.kernels import Kernel, catalogue
from mercer.model_files import scikit_learn
from mercer.state import FORMER_NAMES, STORABLE, State, declared, to_store

Kind = Literal["kernel", "estimator", "record", "object"]


@dataclasses.dataclass(frozen=True)
class Known:
    """One class of the table."""

    name: str  # in files
    cls: type

    @functools.cached_property
    def kind(self) -> Kind:
        """What the class is, which decides how it is stored."""
        if issubclass(self.cls, Kernel):
            return "kernel"
        if hasattr(self.cls, "get_params"):
            return "estimator"
        return "record" if dataclasses.is_dataclass(self.cls) else "object"

    @functools.cached_property
    def ours(self) -> bool:
        """Whether this is a class of mercer."""
        return scikit_learn.find(self.name) is None

    @functools.cached_property
    def state(self) -> State:
        """What the class declares of its fitted attributes."""
        return declared(self.cls)

    @property
    def is_model(self) -> bool:
        """Whether people save instances of the class, or only what contains them."""
        return self.kind in ("kernel", "estimator")

    @functools.cached_property
    def parameters(self) -> tuple[str, ...]:
        """What the constructor takes by name; nothing for objects that are made without it."""
        if self.kind == "object":
            return ()
        variable = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
        arguments = inspect.signature(self.cls).parameters.values()
        return tuple(argument.name for argument in arguments if argument.kind not in variable)

    def parameters_of(self, instance: object) -> tuple[str, ...]:
        """The parameters of an instance: sums and products have as many as they have terms."""
        if self.is_model:
            return tuple(instance.get_params(deep=False))  # type: ignore[attr-defined]
        return self.parameters

    def attributes(self, instance: object) -> dict[str, object]:
        """The parameters and the learned attributes of an instance that are stored."""
        if self.ours:
            attributes = to_store(instance)
        else:
            attributes = scikit_learn.to_store(instance)
        for name in scikit_learn.TRANSIENT:
            attributes.pop(name, None)
        return attributes

    def learns(self, name: str) -> bool:
        """Whether ``fit`` sets an attribute of this name, which is stored."""
        if self.kind == "record":
            return False
        if self.ours:
            of_estimators = self.kind == "estimator" and name in scikit_learn.SET_BY_FIT
            return of_estimators or name in self.state.kept
        other = name in self.parameters or name in scikit_learn.TRANSIENT
        if other or _is_shadowed(self.cls, name):
            return False
        return self.kind == "object" or name.startswith("_") or name.endswith("_")

    def check_names(self, parameters: dict[str, object], learned: dict[str, object]) -> None:
        """Refuse parameters that the class has not, and attributes that it does not learn."""
        strange = [name for name in parameters if name not in self.parameters]
        if not self.parameters and self.kind == "kernel":
            strange = []  # sums and products check the names of their terms themselves
        incomplete = self.kind == "record" and len(parameters) != len(self.parameters)
        if strange or incomplete:
            rule = f"are not the parameters of {self.name}, which has {self.parameters}"
            raise ModelFileError(self.name, strange or sorted(parameters), rule)
        for name in learned:
            if not self.learns(name):
                rule = f"is not an attribute that {self.name} learns"
                raise ModelFileError(self.name, name, rule)


def _is_shadowed(cls: type, name: str) -> bool:
    """Whether an attribute would stand in for something that the class itself has."""
    if name.startswith("__") or not name.isidentifier():
        return True
    return any(vars(base).get(name) is not None for base in cls.__mro__)


def by_name(name: object) -> Known:
    """The class a file asks for."""
    if not isinstance(name, str):
        raise _not_known(name)
    name = FORMER_NAMES.get(name, name)
    cls = _listed(name)
    if cls is None:
        _register_all()
        cls = STORABLE.get(name)
    if cls is None:
        raise _not_known(name)
    return _entry(name, cls)


def by_class(cls: type) -> Known | None:
    """The entry of a class; None if it has none. A class that exists is registered already."""
    name = scikit_learn.name_of(cls) or cls.__name__.lstrip("_")
    if _listed(name) is not cls:
        return None
    return _entry(name, cls)


def _listed(name: str) -> type | None:
    """The class of this name, as far as it is registered; one of the estimators is imported."""
    if name in ESTIMATORS:
        return estimator(name)
    return STORABLE.get(name) or catalogue().get(name) or scikit_learn.find(name)


def register(names: Iterable[object]) -> None:
    """Import the estimators among some names, and so register the classes they consist of."""
    for name in names:
        if isinstance(name, str) and name in ESTIMATORS:
            estimator(name)


_entry = functools.cache(Known)


@functools.cache
def _register_all() -> None:
    """Import every module whose classes files may hold, so that they are registered."""
    import mercer.automatic
    import mercer.bridges.to_sklearn  # noqa: F401

    register(ESTIMATORS)


def _not_known(name: object) -> ModelFileError:
    rule = "is not one that model files may hold"
    return ModelFileError("class", name, rule, "load only files of mercer.save")
