"""How instances of one class are stored. What the class is decides it:

- a kernel or an estimator: its parameters, which the class checks again, then what ``fit`` set;
- a dataclass: its fields;
- any other class: its attributes.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
from typing import Literal

from mercer.errors import ModelFileError
from mercer.kernels import Kernel
from mercer.model_files.checks import check
from mercer.state import State, declared, finish_loading, to_store

Kind = Literal["kernel", "estimator", "record", "object"]
Attributes = dict[str, object]

# What scikit-learn sets in estimators of any library: while they are fitted, and by `fit`.
TRANSIENT = {"_skl_callbacks", "_callback_fit_ctx", "_parent_callback_ctx"}
SET_BY_FIT = {"n_features_in_", "feature_names_in_"}
_VARIABLE = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


@dataclasses.dataclass(frozen=True)
class Entry:
    """A class that files may hold."""

    name: str  # in files
    cls: type

    library = ""  # which the class comes from, if it is not mercer

    @functools.cached_property
    def kind(self) -> Kind:
        """What the class is."""
        if issubclass(self.cls, Kernel):
            return "kernel"
        if hasattr(self.cls, "get_params"):
            return "estimator"
        return "record" if dataclasses.is_dataclass(self.cls) else "object"

    @property
    def is_model(self) -> bool:
        """Whether people save instances of the class, or only what contains them."""
        return self.kind in ("kernel", "estimator")

    @functools.cached_property
    def parameters(self) -> tuple[str, ...]:
        """What the constructor takes by name; nothing for objects that are made without it."""
        if self.kind == "object":
            return ()
        arguments = inspect.signature(self.cls).parameters.values()
        return tuple(argument.name for argument in arguments if argument.kind not in _VARIABLE)

    def parameters_of(self, instance: object) -> tuple[str, ...]:
        """The parameters of an instance: sums and products have as many as they have terms."""
        if self.is_model:
            return tuple(instance.get_params(deep=False))  # type: ignore[attr-defined]
        return self.parameters

    @functools.cached_property
    def state(self) -> State:
        """What the class declares of its fitted attributes."""
        return declared(self.cls)

    def attributes(self, instance: object) -> Attributes:
        """The parameters and the learned attributes of an instance that are stored."""
        attributes = to_store(instance)
        return {name: value for name, value in attributes.items() if name not in TRANSIENT}

    def learns(self, name: str) -> bool:
        """Whether ``fit`` sets an attribute of this name, which is stored."""
        if self.kind == "estimator" and name in SET_BY_FIT:
            return True
        return self.kind != "record" and name in self.state.kept

    def check_names(self, parameters: Attributes, learned: Attributes) -> None:
        """Refuse parameters that the class has not, and attributes that it does not learn."""
        if not self._are_parameters(parameters):
            rule = f"are not the parameters of {self.name}, which has {self.parameters}"
            raise ModelFileError(self.name, sorted(parameters), rule)
        for name in learned:
            if not self.learns(name):
                rule = f"is not an attribute that {self.name} learns"
                raise ModelFileError(self.name, name, rule)

    def _are_parameters(self, names: Attributes) -> bool:
        if self.kind == "kernel" and not self.parameters:
            return True  # sums and products check the names of their terms themselves
        if self.kind == "record":
            return names.keys() == set(self.parameters)
        return names.keys() <= set(self.parameters)

    def make(self, parameters: Attributes, learned: Attributes) -> object:
        """An instance with these parameters and attributes, checked."""
        instance: object
        if self.kind == "object":
            instance = object.__new__(self.cls)
        else:
            instance = self.cls(**parameters)
        for name, value in learned.items():
            object.__setattr__(instance, name, value)
        self.finish(instance)
        return instance

    def finish(self, instance: object) -> None:
        """Check what was loaded, and set what is not stored."""
        check(self.name, instance)
        finish_loading(instance)
