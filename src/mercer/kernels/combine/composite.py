"""Kernels with children: what sums, products, functions and maps of kernels share."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any, ClassVar, Self

import numpy as np

from mercer.aliases import Features, Prepared, RawSamples
from mercer.definiteness import STRICT
from mercer.domains.base import Batch, Domain
from mercer.domains.joint import Joint
from mercer.domains.parts import Parts
from mercer.errors import DomainMismatchError, ParameterError
from mercer.gram.single import CombinedTiles, ScaledTiles, SingleTiles
from mercer.gram.tile import Pair
from mercer.kernels.base import Derivative, Kernel
from mercer.kernels.numerics.resolution import rows_must_vary
from mercer.kernels.parameters import computed
from mercer.kernels.vectors.dot import Constant
from mercer.params import Constraint, param
from mercer.state import State

__all__: list[str] = []

is_kernel = Constraint("a kernel", lambda v: isinstance(v, Kernel), "give a mercer kernel object")


def within(child: Kernel, precedence: int) -> str:
    """A child's text, in brackets where it binds less tightly than the precedence asks."""
    if child.precedence < precedence:
        return f"({child!r})"
    return repr(child)


def as_dense(features: Features) -> np.ndarray:
    """The rows of a feature map as a dense array."""
    return features.toarray() if hasattr(features, "toarray") else features


class Composite(Kernel, abstract=True):
    """A kernel with children."""

    varies_with_parts: ClassVar[bool] = False  # if a strict one varies, as far as it is cpd

    @computed
    def domain(self) -> Domain:
        domains = list(map(operator.attrgetter("domain"), self.named_children().values()))
        if domains.count(domains[0]) == len(domains):
            return domains[0]
        return Joint(domains)

    @computed
    def leaves(self) -> int:
        return sum(map(operator.attrgetter("leaves"), self.named_children().values()))

    @computed
    def invariance(self) -> str:
        children = [child for child in self.children() if not isinstance(child, Constant)]
        kinds = {child.invariance for child in children} or {"radial"}
        if len(kinds) == 1:
            return kinds.pop()
        return "translation" if kinds == {"translation", "radial"} else "none"

    def check_params(self) -> None:
        children = self.children()
        if not children or frozenset.intersection(*(child.domain.accepts for child in children)):
            return
        listed = ", ".join(f"{child!r} on {child.domain.name}" for child in children)
        rule = "mixes kernels on different kinds of samples"
        remedy = "name the columns of each: k1.on('a') + k2.on('b')"
        raise DomainMismatchError(type(self).__name__, listed, rule, remedy)

    def prepare(self, batch: Batch) -> Prepared:
        return Parts(*map(operator.methodcaller("prepare", batch), self.named_children().values()))

    def fit_batch(self, batch: Batch) -> Self:
        for child in self.named_children().values():
            child.fit_batch(batch)
        return self

    def rounding_error(self, samples: Prepared) -> float:
        parts = zip(self.children(), samples.sides, strict=True)
        return max((child.rounding_error(part) for child, part in parts), default=0.0)

    def pairs(self, pair: Pair) -> Iterator[tuple[str, Kernel, Pair]]:
        """Every child with its name and with the tile of the samples that it prepared."""
        for at, (name, child) in enumerate(self.named_children().items()):
            yield name, child, pair.part(at)

    def varies_in_part(self, X: RawSamples) -> bool:
        if not self.varies_with_parts or not self.certificate().cpd:
            return False
        strict = [child for child in self.children() if child.strict_where_it_looks]
        return any(child.must_vary(X) for child in strict)

    def continuous_params(self) -> dict[str, Any]:
        params = dict(super().continuous_params())
        for name, child in self.named_children().items():
            for inner, value in child.continuous_params().items():
                params[f"{name}__{inner}"] = value
        return params


class Mapped(Composite, abstract=True):
    """One child on samples that are changed first; only its parameters are differentiated."""

    kernel: Kernel = param(check=is_kernel)

    @computed
    def is_constant(self) -> bool:
        return self.kernel.is_constant

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        self.kernel.tile(pair.part(0), out)

    def diagonal(self, samples: Parts) -> np.ndarray:
        return self.kernel.diagonal(samples[0])

    def single_tiles(self, centers: Prepared) -> SingleTiles | None:
        if type(self).tile is not Mapped.tile:  # a kernel that changes the values, too
            return None
        inner = self.kernel.single_tiles(centers[0])
        return None if inner is None else ScaledTiles(inner)

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        for name, place, tile in self.kernel.tile_derivatives(pair.part(0)):
            yield f"kernel__{name}", place, tile

    def feature_dim(self, p: int) -> float:
        return self.kernel.feature_dim(p)


class PullBack(Mapped, abstract=True):
    """k(f(x), f(y)): one child on images of the samples, such as some of their columns."""

    invariance: ClassVar[str] = "none"

    def images(self, batch: Batch) -> Batch:
        """f of all samples."""
        raise NotImplementedError(f"{type(self).__name__} must define images(batch)")

    def prepare(self, batch: Batch) -> Parts:
        return Parts(self.kernel.prepare(self.images(batch)))

    def map_features(self, batch: Batch, truncate: int | None) -> Features:
        return self.kernel.map_features(self.images(batch), truncate)

    @property
    def compares_rows(self) -> bool:
        return self.kernel.compares_rows

    @property
    def strict_where_it_looks(self) -> bool:
        return self.kernel.certificate().status == STRICT

    def varies_in_part(self, X: RawSamples) -> bool:
        return rows_must_vary(self.kernel, self.images(Batch(X)).raw)


class Pointwise(Composite, abstract=True):
    """A function of the children's values k(x, y) alone."""

    @property
    def constant_diagonal(self) -> bool:
        return all(child.constant_diagonal for child in self.children())

    @computed
    def is_constant(self) -> bool:
        if vars(self).get("factor") == 0:  # a multiple by 0
            return True
        return all(map(operator.attrgetter("is_constant"), self.named_children().values()))


class Profile(Pointwise, abstract=True):
    """A function of the values of one kernel, f(k(x, y))."""

    kernel: Kernel = param(check=is_kernel)

    def values(self, inner: np.ndarray, out: np.ndarray) -> None:
        """Fill ``out`` with f of the child's values."""
        raise NotImplementedError(f"{type(self).__name__} must define values(inner, out)")

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        mark = pair.work.temporary.used
        inner = pair.buffer()
        self.kernel.tile(pair.part(0), inner)
        self.values(inner, out)
        pair.work.temporary.used = mark

    def diagonal(self, samples: Parts) -> np.ndarray:
        inner = self.kernel.diagonal(samples[0])[None, :]
        out = np.empty_like(inner)
        self.values(inner, out)
        return out[0]


class Nary(Pointwise, abstract=True):
    """Any number of children, named k1, k2, ... as parameters, under an associative operation.

    Composition happens tile by tile, in place, while the tile is in the cache.
    """

    _names: ClassVar[tuple[str, ...]] = ()  # each instance has its own
    _combine: ClassVar[np.ufunc]
    stored: ClassVar[State] = State(rebuilt=("_names",))  # by the constructor

    def __init__(self, *terms: Kernel, **named: Kernel) -> None:
        children = {f"k{i}": term for i, term in enumerate(terms, start=1)} | named
        count = len(terms) + len(named)
        object.__setattr__(self, "_names", tuple(f"k{i}" for i in range(1, count + 1)))
        if count == 0 or set(children) != set(self._names):
            given = [*map(repr, terms), *named]
            rule = "must be given in order, or by the names k1, k2, ..."
            raise ParameterError(type(self).__name__, given, rule)
        for name, child in children.items():
            setattr(self, name, child)
        self.__post_init__()

    def _check(self, name: str, value: object) -> None:
        is_kernel.check(f"{type(self).__name__}: {name}", value)

    @property
    def terms(self) -> list[Kernel]:
        """The children in order."""
        return self.children()

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        first, *others = self.named_children().values()
        first.tile(pair.part(0), out)
        temporary = pair.work.temporary
        for at, child in enumerate(others, start=1):
            mark = temporary.used
            other = temporary.take(*pair.shape)
            child.tile(pair.part(at), other)
            self._combine(out, other, out=out)
            temporary.used = mark

    def single_tiles(self, centers: Prepared) -> SingleTiles | None:
        if type(self).tile is not Nary.tile:
            return None
        parts = [child.single_tiles(centers[at]) for at, child in enumerate(self.terms)]
        known = [part for part in parts if part is not None]
        return CombinedTiles(known, self._combine) if len(known) == len(parts) else None

    def diagonal(self, samples: Parts) -> np.ndarray:
        values = [child.diagonal(samples[at]) for at, child in enumerate(self.terms)]
        total = values[0].copy()
        for value in values[1:]:
            self._combine(total, value, out=total)
        return total
