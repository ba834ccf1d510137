"""Parameters of kernels: checked fields, which scikit-learn reads and sets by nested names."""

from __future__ import annotations

import copy
import dataclasses
import functools
import io
import pickle
from collections.abc import Callable, Hashable, Iterable
from fractions import Fraction
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Generic,
    Self,
    TypeVar,
    dataclass_transform,
    overload,
)

import numpy as np

from mercer.errors import MercerError, ParameterError, UnknownParameterError, did_you_mean
from mercer.kernels.functions import FUNCTIONS, InverseRoot, describe, name_object
from mercer.kernels.value_keys import value_key
from mercer.params import Constraint, Renamed, param
from mercer.state import State

__all__: list[str] = []

_LONGEST_SHOWN = 64  # entries of an array or a list that a text shows

Params = dict[str, Any]  # values of parameters, by name
T = TypeVar("T")


class computed(property, Generic[T]):  # noqa: N801
    """A property in place of a class attribute, such as a domain that depends on parameters."""

    if TYPE_CHECKING:

        def __init__(self, getter: Callable[[Any], T]) -> None: ...

        @overload
        def __get__(self, instance: None, owner: type, /) -> Self: ...
        @overload
        def __get__(self, instance: object, owner: type | None = None, /) -> T: ...
        def __get__(self, instance: object, owner: type | None = None, /) -> Self | T: ...


@dataclass_transform(field_specifiers=(param,), eq_default=False)
@dataclasses.dataclass(repr=False, eq=False)
class Parameterized(Renamed):
    """An object whose parameters are its fields, each checked whenever it is set."""

    _own_init: ClassVar[bool] = False
    _names: ClassVar[tuple[str, ...]] = ()  # of the parameters
    _checks: ClassVar[dict[str, Constraint]] = {}
    _continuous: ClassVar[tuple[str, ...]] = ()
    stored: ClassVar[State] = State(rebuilt=("_ready",))  # by the constructor
    hints: ClassVar[dict[str, str]] = {}  # what to write for other libraries' names of parameters

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "__init__" in cls.__dict__:
            cls._own_init = True  # written by hand, for this class and the ones below
        if not cls._own_init:
            dataclasses.dataclass(repr=False, eq=False)(cls)
            cls.__init__ = _by_present_names(cls.__init__)  # type: ignore[method-assign]
        checked = [field for field in dataclasses.fields(cls) if "check" in field.metadata]
        cls._checks = {field.name: field.metadata["check"] for field in checked}
        cls._names = tuple(cls._checks)
        cls._continuous = tuple(field.name for field in checked if field.metadata["continuous"])

    def __post_init__(self) -> None:
        self.check_params()
        object.__setattr__(self, "_ready", True)

    def __setattr__(self, name: str, value: Any) -> None:
        name = self._present_name(name)
        if name in self._names and "_ready" in self.__dict__:
            self._assign({name: value})
        else:
            self._check_attribute(name, value)
            object.__setattr__(self, name, value)

    def _check_attribute(self, name: str, value: object) -> None:
        """Check a parameter by its rule; other attributes are private, learned, or refused."""
        if name in self._names:
            self._check(name, value)
        elif not name.startswith("_") and not name.endswith("_") and name != "theta":
            raise self._refusal(name, value)

    def __setstate__(self, state: Params) -> None:
        """Restore a pickle, in which parameters may have old names."""
        self.__dict__.update(self._with_present_names(state))

    def _refusal(self, name: str, value: object) -> ParameterError:
        """The error of a name that is no parameter, with what was probably meant."""
        known = self._names
        listed = f"it has {', '.join(known)}" if known else "it has none"
        if inside := self._paths_to(name):
            listed = f"{listed}; parts of it have {', '.join(inside)}"
        remedy = self.hints.get(name) or did_you_mean(name, known, listed, code=True)
        what = f"{getattr(self, '_called', type(self).__name__)}: {name}"
        return UnknownParameterError(what, value, "is not a parameter", remedy)

    def _paths_to(self, name: str) -> list[str]:
        """The parameters of this name of the kernels inside, as ``set_params`` takes them."""
        parts = [(k, v) for k, v in vars(self).items() if k in self._names]
        return [
            f"{part}__{path}"
            for part, kernel in parts
            if isinstance(kernel, Parameterized)
            for path in kernel.get_params()
            if path.split("__")[-1] == name
        ]

    def _present_names(self, params: Params) -> Params:
        """Parameters by their present names; those of kernels inside keep their ``__`` names."""
        result: Params = {}
        for name, value in params.items():
            head, mark, rest = name.partition("__")
            present = self._present_name(head)
            if present not in self._names:
                raise self._refusal(name, value)
            if present + mark + rest in result:
                raise ParameterError(type(self).__name__, present, "is given twice")
            result[present + mark + rest] = value
        return result

    def _check(self, name: str, value: object) -> None:
        """Check one parameter by its own rule."""
        self._checks[name].check(f"{type(self).__name__}: {name}", value)

    def constraint(self, name: str) -> Constraint:
        """Return the rule of a parameter of this kernel itself."""
        return self._checks[name]

    def get_params(self, deep: bool = True) -> Params:
        """Parameters by name; nested ones as ``k1__length_scale``."""
        params: Params = {}
        for name in self._names:
            value = getattr(self, name)
            params[name] = value
            if deep and isinstance(value, Parameterized):
                params.update({f"{name}__{inner}": v for inner, v in value.get_params().items()})
        return params

    def set_params(self, **params: Any) -> Self:
        """Change parameters; all are checked, and a refused one changes nothing of this kernel."""
        before = self._snapshot()
        try:
            return self._set_params(params)
        except MercerError:
            restore(before)
            raise

    def _snapshot(self) -> Snapshot:
        """This kernel and all inside it, with the attributes of each."""
        states: Snapshot = [(self, dict(self.__dict__))]
        for value in self.__dict__.values():
            if isinstance(value, Parameterized):
                states += value._snapshot()
        return states

    def _assign(self, values: Params) -> None:
        """Set several parameters, each checked, and the rules that tie them; all or none."""
        before = {name: self.__dict__.get(name) for name in values}
        try:
            for name, value in values.items():
                self._check(name, value)
                object.__setattr__(self, name, value)
            self.check_params()
        except MercerError:
            self.__dict__.update(before)
            raise

    def _set_params(self, params: Params) -> Self:
        own, nested = self._split_names(params)
        self._assign(own)
        for name, values in nested.items():
            child = getattr(self, name)
            if not isinstance(child, Parameterized):
                raise ParameterError("set_params", name, "has no parameters of its own")
            child._set_params(values)
        if nested:
            self.check_params()
        return self

    def _split_names(self, params: Params) -> tuple[Params, dict[str, Params]]:
        """Parameters of this kernel, and those of its children by the child's name."""
        own: Params = {}
        nested: dict[str, Params] = {}
        for name, value in self._present_names(params).items():
            head, mark, rest = name.partition("__")
            if mark:
                nested.setdefault(head, {})[rest] = value
            else:
                own[name] = value
        return own, nested

    def check_params(self) -> None:
        """Check the rules that tie several parameters together."""

    def __sklearn_clone__(self) -> Self:
        """A copy of the parameters, which were checked before, without what was fitted."""
        from sklearn.base import clone  # loaded already by whoever calls this

        fresh = object.__new__(type(self))
        construct = self._own_init and "_names" not in self.__dict__
        for name, value in self.__dict__.items():
            if name in self._names:
                fresh.__dict__[name] = clone(value, safe=False)
            elif name in ("_ready", "_names"):
                fresh.__dict__[name] = value
            elif name.startswith("_"):  # derived from parameters, or learned
                construct = True
        if construct:
            return type(self)(**{name: fresh.__dict__[name] for name in self._names})
        return fresh

    def __eq__(self, other: object) -> bool:
        """Whether the other is of the same class and has equal parameters.

        Arrays are compared by value, functions and models by identity. What ``fit`` has learned
        does not count.
        """
        if type(other) is not type(self):
            return NotImplemented
        return self is other or self._value_key() == other._value_key()

    def __hash__(self) -> int:
        """A hash of the parameters: a kernel that is a key of a dictionary must not be changed."""
        return hash(self._value_key())

    def _value_key(self) -> tuple[Hashable, ...]:
        """The class and the values of all parameters, in a form that can be compared."""
        params = ((name, value_key(getattr(self, name))) for name in self._names)
        return (type(self), *params)

    def copy(self) -> Self:
        """The same kernel with copies of its children; what was fitted stays, arrays are shared."""
        duplicate = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, Parameterized):
                object.__setattr__(duplicate, name, value.copy())
        return duplicate

    def __repr__(self) -> str:
        shown = []
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if field.default is dataclasses.MISSING or repr(value) != repr(field.default):
                shown.append(f"{field.name}={show_value(value)}")
        return f"{type(self).__name__}({', '.join(shown)})"


def _by_present_names(init: Callable[..., None]) -> Callable[..., None]:
    """A constructor that takes old names of parameters, and says what a wrong one should be."""

    @functools.wraps(init)
    def wrapper(self: Parameterized, *args: Any, **named: Any) -> None:
        init(self, *args, **(self._present_names(named) if named else named))

    return wrapper


Snapshot = list[tuple[Parameterized, Params]]


def restore(before: Snapshot) -> None:
    """Give kernels the attributes that they had."""
    for kernel, state in before:
        kernel.__dict__.clear()
        kernel.__dict__.update(state)


@value_key.register
def _(value: Parameterized) -> Hashable:
    return value._value_key()


@functools.singledispatch
def show_value(value: object) -> str:
    """A parameter as text that `mercer.parse` reads back, where that can be."""
    if callable(value) and not isinstance(value, Parameterized):
        entry = describe(value)
        if FUNCTIONS.get(entry.name) is entry:
            return entry.name
        return show_map(value, entry.name) if hasattr(type(value), "stored") else f"<{entry.name}>"
    return repr(value)


def show_map(value: object, name: str) -> str:
    """The name of a map that was fitted, or is too long for a text: a hash of its contents."""
    content = io.BytesIO()
    pickler = pickle.Pickler(content)
    pickler.fast = True  # equal objects give equal bytes only without references to earlier ones
    pickler.dump(value)
    return name_object(value, name, content.getvalue().hex())


@show_value.register(np.ndarray)
@show_value.register(np.generic)
def _(value: np.ndarray | np.generic) -> str:
    if value.size > _LONGEST_SHOWN:
        return f"<array of shape {value.shape}>"
    return repr(value.tolist())


@show_value.register
def _(value: Fraction) -> str:
    return repr(float(value))


@show_value.register
def _(value: slice) -> str:
    return f"slice({_listed((value.start, value.stop, value.step))})"


@show_value.register(list)
@show_value.register(tuple)
def _(value: list[Any] | tuple[Any, ...]) -> str:
    if len(value) > _LONGEST_SHOWN:
        return f"<{type(value).__name__} of length {len(value)}>"
    if isinstance(value, list):
        return f"[{_listed(value)}]"
    return f"({_listed(value)},)" if len(value) == 1 else f"({_listed(value)})"


@show_value.register
def _(value: InverseRoot) -> str:
    return f"inverse_root({show_value(value.theta)})"


def _listed(values: Iterable[object]) -> str:
    return ", ".join(map(show_value, values))
