"""Kernels of mapped samples: pull-backs, columns, conformal changes, explicit features.

Functions take a whole collection and return one row (or one number) per sample. Registered ones have a name that
prints and parses::

    @mercer.register_function("log", injective=True)
    def log(X): return np.log(X)
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import numpy as np

from mercer.aliases import Columns, Prepared, RawSamples
from mercer.definiteness import PSD, UNKNOWN, Certificate, Definite
from mercer.definiteness.rules import conformal_rule, pull_back_rule
from mercer.domains.base import Anything, Batch, Domain
from mercer.domains.vectors import VECTORS, Vectors
from mercer.errors import NotFiniteError, ParameterError, ShapeError
from mercer.gram.tile import Pair
from mercer.kernels.base import Derivative, Kernel
from mercer.kernels.combine.composite import Composite, is_kernel, within
from mercer.kernels.combine.parts import Parts
from mercer.kernels.vectors.dot import Linear
from mercer.params import Constraint, boolean, function, param

__all__ = ["Conformal", "FromFeatures", "On", "Warp"]


@dataclasses.dataclass(frozen=True)
class Registered:
    """What is known of a registered function."""

    name: str
    function: Callable[[Any], Any]
    injective: bool = False
    nonzero: bool = False


FUNCTIONS: dict[str, Registered] = {}


def register_function(
    name: str, *, injective: bool = False, nonzero: bool = False
) -> Callable[[Any], Any]:
    """Give a function of a collection a name that prints and parses, and say what proofs may use of it."""
    if not name.isidentifier():
        raise ParameterError("name", name, "must be a Python name")

    def decorate(made: Callable[[Any], Any]) -> Callable[[Any], Any]:
        FUNCTIONS[name] = Registered(name, made, injective, nonzero)
        return made

    return decorate


def describe(made: Callable[[Any], Any]) -> Registered:
    """The registered entry of a function, or an anonymous one."""
    for entry in FUNCTIONS.values():
        if entry.function is made:
            return entry
    return Registered(getattr(made, "__name__", type(made).__name__), made)


def _numbers(X: RawSamples) -> np.ndarray:
    return X.toarray() if hasattr(X, "toarray") else np.asarray(X, dtype=float)


@register_function("identity", injective=True)
def identity(X: RawSamples) -> Any:
    return X


@register_function("exponential", injective=True, nonzero=True)
def exponential(X: RawSamples) -> Any:
    return np.exp(_numbers(X))


@register_function("arctan", injective=True)
def arctan(X: RawSamples) -> Any:
    return np.arctan(_numbers(X))


@register_function("absolute")
def absolute(X: RawSamples) -> Any:
    return np.abs(_numbers(X))


class _Single(Composite, abstract=True):
    """One child, whose parameters are all there is to differentiate."""

    kernel: Kernel = param(check=is_kernel)

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        self.kernel.tile(pair.of(pair.x[0], pair.y[0]), out)

    def diagonal(self, side: Parts) -> np.ndarray:
        return self.kernel.diagonal(side[0])

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        for name, index, tile in self.kernel.tile_derivatives(pair.of(pair.x[0], pair.y[0])):
            yield f"kernel__{name}", index, tile


class Warp(_Single):
    """k(f(x), f(y)), written ``k @ f``."""

    precedence: ClassVar[int] = 2
    domain: ClassVar[Domain] = Anything()
    invariance: ClassVar[str] = "none"
    function: Any = param(check=function)

    def certify(self, d: int | None) -> Certificate:
        known = describe(self.function)
        inner = self.kernel.certify(None)
        if math.isfinite(inner.where.max_dim):  # it counts how wide the images are
            width = self._image_width(d)
            if width is None:
                rule = f"no rule: {inner.claim} is {inner.status} on {inner.where} only, and the width of {known.name}(x) is not known"
                return Certificate(UNKNOWN, repr(self), rule, inner.where, (inner,))
            inner = self.kernel.certify(width)
        return pull_back_rule(repr(self), inner, known.injective, known.name)

    def _image_width(self, d: int | None) -> int | None:
        if d is None:
            return None
        try:
            image = np.asarray(self.function(np.zeros((1, d))))
        except Exception:  # a user's function may want anything
            return None
        return image.shape[1] if image.ndim == 2 else None

    def __repr__(self) -> str:
        from mercer.kernels.expression import show_value

        return f"{within(self.kernel, 3)} @ {show_value(self.function)}"

    def prepare(self, batch: Batch) -> Parts:
        return Parts(self.kernel.prepare(batch.apply(self.function)))

    def fit_batch(self, batch: Batch) -> Any:
        self.kernel.fit_batch(batch.apply(self.function))
        return self

    def map_features(self, batch: Batch, truncate: int | None) -> Any:
        return self.kernel.map_features(batch.apply(self.function), truncate)

    def feature_dim(self, p: int) -> float:
        image = np.asarray(self.function(np.zeros((1, p))))
        return self.kernel.feature_dim(image.shape[1] if image.ndim == 2 else 1)

    @classmethod
    def examples(cls) -> list[Kernel]:
        from mercer.kernels.vectors.radial import RBF

        return [cls(kernel=RBF(), function=arctan), cls(kernel=Linear(), function=absolute)]


def _are_columns(value: Any) -> bool:
    if isinstance(value, slice):
        return value.step != 0
    if isinstance(value, str) or (
        isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    ):
        return True
    return (
        isinstance(value, (list, tuple))
        and len(value) > 0
        and all(isinstance(c, (str, int, np.integer)) and not isinstance(c, bool) for c in value)
    )


class Tables(Domain):
    """Columns, by name or position, each block read by a kernel of its own."""

    name = "tables"
    accepts = frozenset({"matrix"})

    def sample(self, count: int, width: int, rng: np.random.Generator) -> Any:
        return VECTORS.sample(count, width, rng)


_TABLE = Tables()


class On(_Single):
    """The kernel on some columns, by position or by name, written ``k.on([0, 2])``."""

    invariance: ClassVar[str] = "none"
    columns: Columns = param(
        check=Constraint(
            "columns", _are_columns, "give a name, a position, a list of them, or a slice"
        )
    )

    @property
    def domain(self) -> Domain:  # type: ignore[override]
        named = not isinstance(self.columns, slice) and any(
            isinstance(c, str) for c in self._listed()
        )
        return (
            self.kernel.domain if isinstance(self.kernel.domain, Vectors) and not named else _TABLE
        )

    def _listed(self) -> list[Any]:
        return (
            [self.columns]
            if isinstance(self.columns, (int, np.integer, str))
            else list(self.columns)
        )

    def counted_from_the_front(self, names: list[Any]) -> On:
        """The same with positions from the end of these columns, such as -1, replaced by names, which of arrays are positions."""

        def is_from_the_end(c: Any) -> bool:
            return (
                isinstance(c, (int, np.integer)) and bool(-len(names) <= c < 0) and c not in names
            )

        if isinstance(self.columns, slice) or not any(map(is_from_the_end, self._listed())):
            return self
        return On(self.kernel, [names[c] if is_from_the_end(c) else c for c in self._listed()])

    def positions(self, d: int) -> list[int] | None:
        """The columns as positions among d; None if they are names, or do not exist."""
        if isinstance(self.columns, slice):
            return list(range(d))[self.columns]
        listed = self._listed()
        if any(isinstance(c, str) or not -d <= c < d for c in listed):
            return None
        return [int(c) % d for c in listed]

    def certify(self, d: int | None) -> Certificate:
        if isinstance(self.columns, slice):
            width = None if d is None else len(self.positions(d) or [])
        else:
            width = len(self._listed())
        inner = self.kernel.certify(width or None)
        covers = d is not None and set(self.positions(d) or []) == set(range(d))
        made = pull_back_rule(repr(self), inner, covers, "the columns")
        return dataclasses.replace(
            made,
            where=inner.where
            if width is None
            else dataclasses.replace(inner.where, max_dim=math.inf),
        )

    def __repr__(self) -> str:
        from mercer.kernels.expression import show_value

        return f"{within(self.kernel, 9)}.on({show_value(self.columns)})"

    def prepare(self, batch: Batch) -> Parts:
        return Parts(self.kernel.prepare(batch.select(self.columns)))

    def fit_batch(self, batch: Batch) -> Any:
        self.kernel.fit_batch(batch.select(self.columns))
        return self

    def map_features(self, batch: Batch, truncate: int | None) -> Any:
        return self.kernel.map_features(batch.select(self.columns), truncate)

    def feature_dim(self, p: int) -> float:
        return self.kernel.feature_dim(len(self.positions(p) or []))

    @classmethod
    def examples(cls) -> list[Kernel]:
        from mercer.kernels.vectors.radial import RBF

        return [
            cls(kernel=RBF(), columns=[0]),
            RBF().on([0]) * RBF(length_scale=2.0).on(slice(1, None)),
        ]


def _one_number_each(made: Callable[[Any], Any], batch: Batch) -> np.ndarray:
    values = np.asarray(batch.apply(made).raw, dtype=float)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise ShapeError(
            "function",
            describe(made).name,
            f"returned shape {values.shape}",
            "return one number per sample",
        )
    if not np.isfinite(values).all():
        row = int(np.argmax(~np.isfinite(values)))
        raise NotFiniteError(f"f(x[{row}])", float(values[row]), "must be finite")
    return values


def reads_by_name(kernel: Kernel) -> bool:
    """Whether all columns are looked at by their names, so that neither their order nor others matter."""
    if isinstance(kernel, On):
        return not isinstance(kernel.columns, slice) and all(
            isinstance(c, str) for c in kernel._listed()
        )
    given = kernel.get_params(deep=False).values()
    if any(
        callable(value) and not isinstance(value, Kernel) for value in given
    ):  # which may look at anything
        return False
    inside = [value for value in given if isinstance(value, Kernel)]
    return isinstance(kernel.domain, Anything) if not inside else all(map(reads_by_name, inside))


def by_names(batch: Batch, names: list[Any] | None, kernel: Kernel) -> Batch:
    """The columns that were there when the kernel was fitted, in that order; a kernel that looks by names may do without some."""
    if names is None or len(set(names)) < len(names):
        return batch
    seen = [one.names for one in (batch, batch.like) if one is not None and one.names is not None]
    if all(have == names for have in seen) or (
        reads_by_name(kernel) and not all(set(names) <= set(have) for have in seen)
    ):
        return batch
    return batch.aligned(names)


class Conformal(_Single):
    """f(x) k(x, y) f(y); say ``nonzero=True`` if f never vanishes, and strictness is kept."""

    invariance: ClassVar[str] = "none"
    function: Any = param(check=function)
    nonzero: bool = param(default=False, check=boolean)

    def certify(self, d: int | None) -> Certificate:
        return conformal_rule(
            repr(self), self.kernel.certify(d), self.nonzero or describe(self.function).nonzero
        )

    def prepare(self, batch: Batch) -> Parts:
        return Parts(self.kernel.prepare(batch), weight=_one_number_each(self.function, batch))

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        super().tile(pair, out)
        out *= pair.x.extra["weight"][pair.rows, None] * pair.y.extra["weight"][None, pair.cols]

    def diagonal(self, side: Parts) -> np.ndarray:
        weight = side.extra["weight"]
        return self.kernel.diagonal(side[0]) * (weight * weight)

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        weight = pair.x.extra["weight"][pair.rows, None] * pair.y.extra["weight"][None, pair.cols]
        for name, index, tile in super().tile_derivatives(pair):
            yield name, index, tile * weight

    def map_features(self, batch: Batch, truncate: int | None) -> Any:
        inner = self.kernel.map_features(batch, truncate)
        inner = inner.toarray() if hasattr(inner, "toarray") else inner
        return inner * _one_number_each(self.function, batch)[:, None]

    def feature_dim(self, p: int) -> float:
        return self.kernel.feature_dim(p)

    @classmethod
    def examples(cls) -> list[Kernel]:
        from mercer.kernels.vectors.radial import RBF

        return [cls(kernel=RBF(), function=row_sums)]


@register_function("row_sums")
def row_sums(X: RawSamples) -> Any:
    return _numbers(X).sum(axis=1)


class FromFeatures(Kernel):
    """⟨f(x), f(y)⟩ for a function that returns one number, or one row, per sample."""

    domain: ClassVar[Domain] = Anything()
    function: Any = param(check=function)

    def claim(self) -> Definite:
        return Definite(PSD, f"inner product: φ(x) = {describe(self.function).name}(x)", "any set")

    @staticmethod
    def _rows(values: Any) -> Any:
        values = values if hasattr(values, "tocsr") else np.asarray(values, dtype=float)
        return values[:, None] if values.ndim == 1 else values

    def _mapped(self, batch: Batch) -> Batch:
        return batch.apply(self.function).apply(self._rows)

    def prepare(self, batch: Batch) -> Any:
        return Linear().prepare(self._mapped(batch))

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        np.copyto(out, pair.dot(out))

    def diagonal(self, side: Prepared) -> np.ndarray:
        return side.norms

    def map_features(self, batch: Batch, truncate: int | None) -> Any:
        return Linear().map_features(self._mapped(batch), truncate)

    def feature_dim(self, p: int) -> float:
        return self._rows(self.function(np.zeros((1, p)))).shape[1]

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(function=row_sums), cls(function=arctan)]
