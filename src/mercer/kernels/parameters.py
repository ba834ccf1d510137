"""Parameters as dataclass fields with rules, which scikit-learn reads and sets by nested names."""

from __future__ import annotations

import copy
import dataclasses
from typing import Any, ClassVar, Self, dataclass_transform

from mercer.errors import MercerError, ParameterError
from mercer.params import Constraint, param

__all__: list[str] = []


@dataclass_transform(field_specifiers=(param,), eq_default=False)
class Parameterised:
    """An object whose parameters are its fields, each checked whenever it is set."""

    _own_init: ClassVar[bool] = False
    _checks: ClassVar[dict[str, Constraint]] = {}
    _continuous: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "__init__" in cls.__dict__:
            cls._own_init = True  # written by hand, for this class and the ones below
        if not cls._own_init:
            dataclasses.dataclass(repr=False, eq=False)(cls)
        fields = [
            f for f in getattr(cls, "__dataclass_fields__", {}).values() if "check" in f.metadata
        ]
        cls._checks = {f.name: f.metadata["check"] for f in fields}
        cls._continuous = tuple(f.name for f in fields if f.metadata["continuous"])

    def __post_init__(self) -> None:
        self.check_params()
        object.__setattr__(self, "_ready", True)

    def __setattr__(self, name: str, value: Any) -> None:
        check = self._checks.get(name)
        if check is not None:
            check.check(f"{type(self).__name__}: {name}", value)
            if "_ready" in self.__dict__:
                self._assign({name: value})
                return
        elif not (name.startswith("_") or name.endswith("_") or name in self._param_names()):
            raise ParameterError(
                f"{type(self).__name__}: {name}",
                value,
                "is not a parameter",
                f"it has {self._param_names()}",
            )
        object.__setattr__(self, name, value)

    def _param_names(self) -> tuple[str, ...]:
        return tuple(self._checks)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters by name; nested ones as ``k1__length_scale``."""
        found: dict[str, Any] = {}
        for name in self._param_names():
            value = getattr(self, name)
            found[name] = value
            if deep and isinstance(value, Parameterised):
                found.update({f"{name}__{inner}": v for inner, v in value.get_params().items()})
        return found

    def set_params(self, **params: Any) -> Self:
        """Change parameters; all are checked, and a refused one changes nothing of this kernel."""
        before = self._snapshot()
        try:
            return self._set_params(params)
        except MercerError:
            for kernel, state in before:
                kernel.__dict__.clear()
                kernel.__dict__.update(state)
            raise

    def _snapshot(self) -> list[tuple[Parameterised, dict[str, Any]]]:
        """This kernel and all inside it, with what they hold."""
        found = [(self, dict(self.__dict__))]
        for value in self.__dict__.values():
            if isinstance(value, Parameterised):
                found += value._snapshot()
        return found

    def _assign(self, values: dict[str, Any]) -> None:
        """Several parameters at once, each checked, and the rules that tie them; all or none."""
        before = {name: self.__dict__.get(name) for name in values}
        try:
            for name, value in values.items():
                if name in self._checks:
                    self._checks[name].check(f"{type(self).__name__}: {name}", value)
                object.__setattr__(self, name, value)
            self.check_params()
        except MercerError:
            self.__dict__.update(before)
            raise

    def _set_params(self, params: dict[str, Any]) -> Self:
        own = {name: value for name, value in params.items() if "__" not in name}
        nested: dict[str, dict[str, Any]] = {}
        for name, value in params.items():
            head, mark, rest = name.partition("__")
            if head not in self._param_names():
                rule = f"is not a parameter of {type(self).__name__}"
                raise ParameterError(
                    "set_params", name, rule, f"it has {', '.join(self._param_names()) or 'none'}"
                )
            if mark:
                nested.setdefault(head, {})[rest] = value
        self._assign(own)
        for head, inner in nested.items():
            child = getattr(self, head)
            if not isinstance(child, Parameterised):
                raise ParameterError("set_params", head, "has no parameters of its own")
            child._set_params(inner)
        if nested:
            self.check_params()
        return self

    def check_params(self) -> None:
        """Rules that tie several parameters together."""

    def copy(self) -> Self:
        """The same kernel with its own children; what was fitted stays fitted, arrays are shared."""
        made = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, Parameterised):
                object.__setattr__(made, name, value.copy())
        return made

    def __repr__(self) -> str:
        from mercer.kernels.expression import show_value

        shown = []
        for f in dataclasses.fields(self):  # type: ignore[arg-type]
            value = getattr(self, f.name)
            if f.default is dataclasses.MISSING or repr(value) != repr(f.default):
                shown.append(f"{f.name}={show_value(value)}")
        return f"{type(self).__name__}({', '.join(shown)})"
