"""Kernels made from kernels: sums, multiples, products, powers, exponentials.

Composition happens tile by tile, in place, while the tile is in the cache.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from mercer import _compiled
from mercer.definiteness import STRICT, Certificate, Witness
from mercer.definiteness.rules import exp_rule, power_rule, product_rule, scale_rule, sum_rule
from mercer.domains.base import Batch
from mercer.errors import DomainError, InfiniteFeaturesError, MercerError, ParameterError
from mercer.gram.tile import Pair
from mercer.kernels.base import Derivative, Kernel
from mercer.kernels.combine.composite import Composite, is_constant, is_kernel, within
from mercer.kernels.combine.parts import Parts
from mercer.params import Constraint, is_real, param, real

__all__ = ["Exp", "Power", "Product", "Scaled", "Sum"]


class _Nary(Composite, abstract=True):
    """Any number of children, named k1, k2, ... as parameters."""

    def __init__(self, *terms: Kernel, **named: Kernel) -> None:
        names = tuple(f"k{i}" for i in range(1, len(terms) + len(named) + 1))
        if sorted(named) != sorted(names[len(terms) :]) or not names:
            rule = "must be given in order, or by the names k1, k2, ..."
            raise ParameterError(type(self).__name__, [*map(repr, terms), *named], rule)
        object.__setattr__(self, "_names", names)
        for name, term in zip(names, terms, strict=False):
            setattr(self, name, term)
        for name, term in named.items():
            setattr(self, name, term)
        self.check_params()

        object.__setattr__(self, "_ready", True)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._param_names():
            super().__setattr__(name, value)
        elif "_ready" in self.__dict__:
            self._assign({name: value})
        else:
            is_kernel.check(f"{type(self).__name__}: {name}", value)
            object.__setattr__(self, name, value)

    def _assign(self, values: dict[str, Any]) -> None:
        for name, value in values.items():
            is_kernel.check(f"{type(self).__name__}: {name}", value)
        super()._assign(values)

    def _param_names(self) -> tuple[str, ...]:
        return self._names  # type: ignore[attr-defined]

    def children(self) -> dict[str, Kernel]:
        return {name: self.__dict__[name] for name in self._names}  # type: ignore[attr-defined]

    @property
    def terms(self) -> list[Kernel]:
        return list(self.children().values())

    _combine: ClassVar[np.ufunc]

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        for at, (_, child, part) in enumerate(self.pairs(pair)):
            if at == 0:
                child.tile(part, out)
                continue
            mark = pair.work.mark()
            other = pair.buffer()
            child.tile(part, other)
            self._combine(out, other, out=out)
            pair.work.release(mark)

    def diagonal(self, side: Parts) -> np.ndarray:
        values = [child.diagonal(side[at]) for at, child in enumerate(self.terms)]
        total = values[0].copy()
        for value in values[1:]:
            self._combine(total, value, out=total)
        return total


class Sum(_Nary):
    """k1 + k2 + ..."""

    _combine = np.add
    precedence: ClassVar[int] = 1

    def certify(self, d: int | None) -> Certificate:
        used = [
            t for t in self.terms if not (isinstance(t, Scaled) and t.factor == 0)
        ]  # weight 0 drops the term
        return sum_rule(repr(self), [t.certify(d) for t in used or self.terms])

    def __repr__(self) -> str:
        text = repr(self.terms[0])
        for term in self.terms[1:]:
            if isinstance(term, Scaled) and term.factor < 0:
                text += f" - {(-term)!r}"
            else:
                text += f" + {term!r}"
        return text

    def map_features(self, batch: Batch, truncate: int | None) -> Any:
        blocks = [term.map_features(batch, truncate) for term in self.terms]
        if any(hasattr(b, "tocsr") for b in blocks):
            from scipy.sparse import csr_matrix, hstack

            return hstack([csr_matrix(b) for b in blocks]).tocsr()
        return np.hstack(blocks)

    def feature_dim(self, p: int) -> float:
        return sum(t.feature_dim(p) for t in self.terms)

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        for name, child, part in self.pairs(pair):
            for inner, index, tile in child.tile_derivatives(part):
                yield f"{name}__{inner}", index, tile

    def weighted_derivatives(
        self, pair: Pair, weights: np.ndarray
    ) -> Iterator[tuple[str, Any, float]]:
        for name, child, part in self.pairs(pair):
            for inner, index, value in child.weighted_derivatives(part, weights):
                yield f"{name}__{inner}", index, value

    @classmethod
    def examples(cls) -> list[Kernel]:
        from mercer.kernels.vectors.distance import NegativeDistance
        from mercer.kernels.vectors.dot import Linear, Polynomial
        from mercer.kernels.vectors.radial import RBF

        return [
            0.5 * RBF(length_scale=2.0) + Polynomial(degree=3) * Linear(),
            RBF() + NegativeDistance(),
            RBF() - 0.5 * Linear(),
        ]


class Product(_Nary):
    """k1 · k2 · ..."""

    _combine = np.multiply
    precedence: ClassVar[int] = 2

    def certify(self, d: int | None) -> Certificate:
        parts = [t.certify(d) for t in self.terms]
        return product_rule(repr(self), parts, self._splits(parts, d))

    def _splits(self, parts: list[Certificate], d: int | None) -> bool:
        """Whether the factors look at disjoint columns that together are all d of them, each strictly."""
        from mercer.kernels.combine.maps import On

        looked = [
            (t, p)
            for t, p in zip(self.terms, parts, strict=True)
            if not (is_constant(t) and t.c > 0)  # type: ignore[attr-defined]
        ]
        if d is None or not all(
            isinstance(t, On) and p.parts[0].status == STRICT for t, p in looked
        ):
            return False
        columns = [t.positions(d) for t, _ in looked]  # type: ignore[attr-defined]
        return None not in columns and sorted(itertools.chain.from_iterable(columns)) == list(
            range(d)
        )

    def __repr__(self) -> str:
        return " * ".join(within(t, 3) for t in self.terms)

    def map_features(self, batch: Batch, truncate: int | None) -> Any:
        blocks = [term.map_features(batch, truncate) for term in self.terms]
        blocks = [b.toarray() if hasattr(b, "toarray") else b for b in blocks]
        made = blocks[0]
        for block in blocks[1:]:
            made = np.einsum("ia,ib->iab", made, block).reshape(len(made), -1)
        return made

    def feature_dim(self, p: int) -> float:
        dims = [t.feature_dim(p) for t in self.terms]
        return (
            0
            if 0 in dims
            else float(np.prod([float(v) for v in dims]))
            if np.inf in dims
            else int(np.prod(dims, dtype=object))
        )

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        for name, child, part, others in self._with_others(pair):
            for inner, index, tile in child.tile_derivatives(part):
                yield f"{name}__{inner}", index, tile * others

    def weighted_derivatives(
        self, pair: Pair, weights: np.ndarray
    ) -> Iterator[tuple[str, Any, float]]:
        for name, child, part, others in self._with_others(pair):
            for inner, index, value in child.weighted_derivatives(part, weights * others):
                yield f"{name}__{inner}", index, value

    def _with_others(self, pair: Pair) -> Iterator[tuple[str, Kernel, Pair, np.ndarray]]:
        """Every factor, and the product of the others on this tile."""
        tiles = []
        for _, child, part in self.pairs(pair):
            tiles.append(np.empty(pair.shape))
            child.tile(part, tiles[-1])
        for at, (name, child, part) in enumerate(self.pairs(pair)):
            yield name, child, part, np.prod([t for i, t in enumerate(tiles) if i != at], axis=0)

    @classmethod
    def examples(cls) -> list[Kernel]:
        from mercer.kernels.vectors.coordinate import Periodic
        from mercer.kernels.vectors.dot import Linear
        from mercer.kernels.vectors.radial import RBF

        return [RBF() * Periodic(period=3.0), (Linear() + 1.0) * RBF() * RBF(length_scale=3.0)]


class Scaled(Composite):
    """factor · k."""

    precedence: ClassVar[int] = 2
    factor: float = param(check=real, continuous=True)
    kernel: Kernel = param(check=is_kernel)

    def certify(self, d: int | None) -> Certificate:
        def witness() -> Witness | None:
            rng = np.random.default_rng(0)
            widths = (d,) if d else (2, 1, 3, 4, 5, 6, 7, 8)
            for points in itertools.chain.from_iterable(
                self.kernel.domain.lattices(w, rng) for w in widths
            ):
                try:
                    diagonal = self.kernel.diag(points)
                except MercerError:  # overflow, or outside the domain: not a place to look
                    continue
                at = int(np.argmax(diagonal))
                if diagonal[at] > 0:
                    return Witness(
                        points[at : at + 1], np.ones(1), float(self.factor * diagonal[at])
                    )
            return None

        return scale_rule(repr(self), float(self.factor), self.kernel.certify(d), witness)

    def __repr__(self) -> str:
        if self.factor == -1:
            return f"-{within(self.kernel, 3)}"
        from mercer.kernels.combine.maps import (
            Warp,
        )  # k @ f binds like a product: it needs brackets here

        return f"{float(self.factor)!r} * {within(self.kernel, 3 if isinstance(self.kernel, Warp) else 2)}"

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        self.kernel.tile(pair.of(pair.x[0], pair.y[0]), out)
        out *= self.factor

    def diagonal(self, side: Parts) -> np.ndarray:
        return self.factor * self.kernel.diagonal(side[0])

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        part = pair.of(pair.x[0], pair.y[0])
        value = np.empty(pair.shape)
        self.kernel.tile(part, value)
        yield "factor", None, value
        for inner, index, tile in self.kernel.tile_derivatives(part):
            yield f"kernel__{inner}", index, tile * self.factor

    def weighted_derivatives(
        self, pair: Pair, weights: np.ndarray
    ) -> Iterator[tuple[str, Any, float]]:
        part = pair.of(pair.x[0], pair.y[0])
        value = np.empty(pair.shape)
        self.kernel.tile(part, value)
        yield "factor", None, _compiled.storage.weighted_sum(weights, value)
        for inner, index, found in self.kernel.weighted_derivatives(part, weights):
            yield f"kernel__{inner}", index, found * self.factor

    def map_features(self, batch: Batch, truncate: int | None) -> Any:
        if self.factor < 0:
            raise InfiniteFeaturesError(
                "features", self, "is a negative multiple and has no real feature map"
            )
        return np.sqrt(self.factor) * self.kernel.map_features(batch, truncate)

    def feature_dim(self, p: int) -> float:
        return self.kernel.feature_dim(p)

    @classmethod
    def examples(cls) -> list[Kernel]:
        from mercer.kernels.vectors.radial import RBF

        return [cls(factor=2.5, kernel=RBF()), cls(factor=-1.0, kernel=RBF())]


class Power(Composite):
    """k ** exponent: an integer ≥ 1, or any positive real for kernels that are infinitely divisible."""

    precedence: ClassVar[int] = 4
    kernel: Kernel = param(check=is_kernel)
    exponent: float = param(
        check=Constraint(
            "positive",
            lambda v: is_real(v) and 0 < v <= 2**31,
            "give an integer >= 1, or a real > 0",
        )
    )

    @property
    def whole(self) -> bool:
        return float(self.exponent).is_integer()

    def certify(self, d: int | None) -> Certificate:
        return power_rule(repr(self), self.exponent, self.kernel.certify(d))

    def __repr__(self) -> str:
        from mercer.kernels.expression import show_value

        return f"{within(self.kernel, 5)} ** {show_value(self.exponent)}"

    def _raise(self, base: np.ndarray, out: np.ndarray) -> None:
        if self.whole:
            _compiled.profiles.integer_power(base, 1.0, 0.0, int(self.exponent), out)
            return
        if base.size and base.min() < 0:
            i, j = np.argwhere(base < 0)[0]
            rule = f"is negative and has no real power {self.exponent:g}"
            raise DomainError(
                f"k at ({i}, {j}) of the tile", float(base[i, j]), rule, "use an integer exponent"
            )
        np.power(base, float(self.exponent), out=out)

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        mark = pair.work.mark()
        base = pair.buffer()
        self.kernel.tile(pair.of(pair.x[0], pair.y[0]), base)
        self._raise(base, out)
        pair.work.release(mark)

    def diagonal(self, side: Parts) -> np.ndarray:
        base = self.kernel.diagonal(side[0])[None, :]
        out = np.empty_like(base)
        self._raise(base, out)
        return out[0]

    def continuous_params(self) -> dict[str, Any]:
        found = super().continuous_params()
        return found if self.whole else {"exponent": self.exponent, **found}

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        part = pair.of(pair.x[0], pair.y[0])
        base = np.empty(pair.shape)
        self.kernel.tile(part, base)
        p = self.exponent
        if not self.whole:
            yield (
                "exponent",
                None,
                np.where(base > 0, base**p * np.log(np.where(base > 0, base, 1.0)), 0.0),
            )
        outer = p * base ** (p - 1) if p != 1 else np.ones_like(base)
        for inner, index, tile in self.kernel.tile_derivatives(part):
            yield f"kernel__{inner}", index, tile * outer

    def map_features(self, batch: Batch, truncate: int | None) -> Any:
        from mercer.kernels.vectors.monomials import dot_power_features

        if not self.whole:
            return super().map_features(batch, truncate)
        inner = self.kernel.map_features(batch, truncate)
        inner = inner.toarray() if hasattr(inner, "toarray") else inner
        return dot_power_features(inner, [0.0] * int(self.exponent) + [1.0])

    def feature_dim(self, p: int) -> float:
        from math import comb, inf, isinf

        inner = self.kernel.feature_dim(p)
        return (
            inf
            if isinf(inner) or not self.whole
            else comb(int(inner) + int(self.exponent) - 1, int(self.exponent))
        )

    @classmethod
    def examples(cls) -> list[Kernel]:
        from mercer.kernels.vectors.dot import Linear
        from mercer.kernels.vectors.radial import RBF

        return [
            cls(kernel=Linear(), exponent=2),
            cls(kernel=RBF(), exponent=0.5),
            cls(kernel=Linear() + 0.5, exponent=3),
        ]


class Exp(Composite):
    """exp(k), the exponential of every value."""

    kernel: Kernel = param(check=is_kernel)

    def certify(self, d: int | None) -> Certificate:
        return exp_rule(repr(self), self.kernel.certify(d))

    def __repr__(self) -> str:
        return f"{within(self.kernel, 9)}.exp()"

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        mark = pair.work.mark()
        inner = pair.buffer()
        self.kernel.tile(pair.of(pair.x[0], pair.y[0]), inner)
        _compiled.profiles.exponential(inner, 1.0, out)
        pair.work.release(mark)

    def diagonal(self, side: Parts) -> np.ndarray:
        inner = self.kernel.diagonal(side[0])[None, :]
        out = np.empty_like(inner)
        _compiled.profiles.exponential(inner, 1.0, out)
        return out[0]

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        value = np.empty(pair.shape)
        self.tile(pair, value)
        for inner, index, tile in self.kernel.tile_derivatives(pair.of(pair.x[0], pair.y[0])):
            yield f"kernel__{inner}", index, tile * value

    @classmethod
    def examples(cls) -> list[Kernel]:
        from mercer.kernels.vectors.distance import NegativeDistance
        from mercer.kernels.vectors.dot import Linear

        return [cls(kernel=0.1 * Linear()), cls(kernel=0.5 * NegativeDistance())]
