"""Kernels of a changed feature map: normalised, centred."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any, ClassVar, Self

import numpy as np

from mercer import _compiled, errors
from mercer.aliases import Prepared
from mercer.config import config_context
from mercer.definiteness import CPD, INDEFINITE, Certificate
from mercer.definiteness.rules import center_rule, normalize_rule
from mercer.domains.base import Batch
from mercer.errors import DefinitenessError
from mercer.gram.fill import map_tiles, multiply
from mercer.gram.tile import Pair
from mercer.kernels.base import Derivative, Kernel
from mercer.kernels.combine.composite import Composite, is_kernel, within
from mercer.kernels.combine.parts import Parts
from mercer.params import param

__all__ = ["Centered", "Normalized"]


class Normalized(Composite):
    """k(x, y)/√(k(x, x) k(y, y)); where k(x, x) = 0 the feature is the zero vector, and so is every value."""

    kernel: Kernel = param(check=is_kernel)

    def check_params(self) -> None:
        super().check_params()
        status = self.kernel.certify(None).status
        if status in (CPD, INDEFINITE):
            rule = f"is {status} and cannot be normalised"
            raise DefinitenessError(
                "Normalized: kernel",
                self.kernel,
                rule,
                "centre a cpd kernel first: k.center().normalize()",
            )

    def certify(self, d: int | None) -> Certificate:
        return normalize_rule(repr(self), self.kernel.certify(d))

    def __repr__(self) -> str:
        return f"{within(self.kernel, 9)}.normalize()"

    def prepare(self, batch: Batch) -> Parts:
        side = self.kernel.prepare(batch)
        diagonal = self.kernel.diagonal(side)
        noise = self.kernel.rounding_error(side)
        diagonal = np.where(
            np.abs(diagonal) <= noise, 0.0, diagonal
        )  # at the centre of a centred kernel
        if diagonal.min() < 0:
            row = int(np.argmin(diagonal))
            rule = "is negative, so that k is no kernel and cannot be normalised"
            raise DefinitenessError(
                f"k(x[{row}], x[{row}])", float(diagonal[row]), rule, "look at k.certificate()"
            )
        return Parts(side, diagonal=diagonal)

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        mark = pair.work.mark()
        inner = pair.buffer()
        self.kernel.tile(pair.of(pair.x[0], pair.y[0]), inner)
        _compiled.profiles.cosine(
            inner, pair.x.extra["diagonal"][pair.rows], pair.y.extra["diagonal"][pair.cols], out
        )
        pair.work.release(mark)

    def diagonal(self, side: Parts) -> np.ndarray:
        return (side.extra["diagonal"] > 0).astype(float)

    def _diagonal_derivatives(self, side: Parts) -> list[np.ndarray]:
        """d log k(x, x)/dθ of every sample, parameter by parameter."""

        def make() -> list[np.ndarray]:
            # serial: the lock of `once` is held, and no other thread may wait for it
            with config_context(threads=1), np.errstate(all="ignore"):
                found: dict[int, np.ndarray] = {}
                for start in range(0, len(side), 16):
                    rows = np.arange(start, min(len(side), start + 16))
                    block = side[0].take(rows)
                    for visited in map_tiles(
                        self.kernel, block, block, self._take_diagonals, True, "diagonal"
                    ):
                        for at, values in enumerate(visited):
                            found.setdefault(at, np.empty(len(side)))[rows] = values
            diagonal = side.extra["diagonal"]
            return [
                np.where(diagonal > 0, v / np.where(diagonal > 0, diagonal, 1.0), 0.0)
                for v in found.values()
            ]

        return side.once("diagonal derivatives", make)

    def _take_diagonals(self, pair: Pair, rows: Any, cols: Any) -> list[np.ndarray]:
        return [tile.diagonal().copy() for _, _, tile in self.kernel.tile_derivatives(pair)]

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        value = np.empty(pair.shape)
        self.tile(pair, value)
        kx, ky = (
            pair.x.extra["diagonal"][pair.rows, None],
            pair.y.extra["diagonal"][None, pair.cols],
        )
        root = np.sqrt(kx) * np.sqrt(ky)
        left, right = self._diagonal_derivatives(pair.x), self._diagonal_derivatives(pair.y)
        for at, (name, index, tile) in enumerate(
            self.kernel.tile_derivatives(pair.of(pair.x[0], pair.y[0]))
        ):
            a, b = left[at][pair.rows, None], right[at][None, pair.cols]
            yield (
                f"kernel__{name}",
                index,
                np.where(
                    root > 0, tile / np.where(root > 0, root, 1.0) - 0.5 * value * (a + b), 0.0
                ),
            )

    def map_features(self, batch: Batch, truncate: int | None) -> Any:
        inner = self.kernel.map_features(batch, truncate)
        inner = inner.toarray() if hasattr(inner, "toarray") else inner
        norm = np.sqrt(np.einsum("ij,ij->i", inner, inner))
        return inner / np.where(norm > 0, norm, 1.0)[:, None]

    def feature_dim(self, p: int) -> float:
        return self.kernel.feature_dim(p)

    @classmethod
    def examples(cls) -> list[Kernel]:
        from mercer.kernels.vectors.dot import Polynomial

        return [cls(kernel=Polynomial(degree=2))]


class _CentredParts(Parts):
    """A side that also knows the samples of the centre."""

    def __init__(self, middle: Any, *sides: Any, **extra: Any) -> None:
        super().__init__(*sides, **extra)
        self.middle = middle

    def take(self, rows: np.ndarray) -> _CentredParts:
        taken = super().take(rows)
        made = _CentredParts(self.middle, *taken.sides, **taken.extra)
        made._inherit(self, rows)
        return made


def _fingerprint(kernel: Kernel) -> tuple[Any, ...]:
    """All parameters, so that a change of any of them is seen."""

    def key(value: Any) -> Any:
        if isinstance(value, np.ndarray):
            return value.shape, value.tobytes()
        return id(value) if callable(value) and not isinstance(value, Kernel) else repr(value)

    return tuple((name, key(value)) for name, value in kernel.get_params().items()), type(
        kernel
    ).__name__


class Centered(Composite):
    """The kernel of φ(x) − φ_c, φ_c the mean of the data given to ``fit``: K − 1K/N − K1/N + 1K1/N² on them.

    Also for conditionally positive kernels, which centring makes positive. `White` inside is noise of each new sample:
    the centre's own noise is counted in its mean, but no sample given later is taken for one of the centre's.
    """

    kernel: Kernel = param(check=is_kernel)
    invariance: ClassVar[str] = "none"

    def certify(self, d: int | None) -> Certificate:
        return center_rule(repr(self), self.kernel.certify(d))

    def __repr__(self) -> str:
        return f"{within(self.kernel, 9)}.center()"

    def fit_batch(self, batch: Batch) -> Self:
        self.kernel.fit_batch(batch)
        self.center_ = copy.copy(batch.raw)
        self._set_mean(self.kernel.prepare(batch))
        return self

    def _set_mean(self, side: Prepared) -> None:
        """The mean of k over all pairs of the centre's points; it is made anew when a parameter has changed."""
        self.mean_ = float(
            multiply(self.kernel, side, side, np.full((len(side), 1), 1.0 / len(side))).mean()
        )
        self._mean_of = _fingerprint(self.kernel)

    def _centre(self, batch: Batch) -> Batch:
        if not hasattr(self, "center_"):
            raise errors.NotFittedError(
                "Centered", self, "does not know its centre yet", "call kernel.fit(X) first"
            )
        return Batch(self.center_, like=batch)

    def prepare(self, batch: Batch) -> Parts:
        centre = self._centre(batch)
        side = self.kernel.prepare(batch)
        middle = self.kernel.prepare(centre)
        if self._mean_of != _fingerprint(self.kernel):
            self._set_mean(middle)
        means = multiply(self.kernel, side, middle, np.full((len(middle), 1), 1.0 / len(middle)))[
            :, 0
        ]
        return _CentredParts(middle, side, mean=means)

    def rounding_error(self, side: Prepared) -> float:
        """What is left of large values that cancel is as uncertain as they are."""
        size = (
            np.abs(self.kernel.diagonal(side[0])).max()
            + 2 * np.abs(side.extra["mean"]).max()
            + abs(self.mean_)
        )
        return max(super().rounding_error(side), 16 * float(np.finfo(float).eps * size))

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        self.kernel.tile(pair.of(pair.x[0], pair.y[0]), out)
        out -= pair.x.extra["mean"][pair.rows, None] + pair.y.extra["mean"][None, pair.cols]
        out += self.mean_

    def diagonal(self, side: Parts) -> np.ndarray:
        return (
            self.kernel.diagonal(side[0]) - (side.extra["mean"] + side.extra["mean"])
        ) + self.mean_

    def _mean_derivatives(self, side: _CentredParts) -> tuple[list[np.ndarray], list[float]]:
        """d/dθ of the mean of k(x, c) over the centre's points c, and of its own mean."""

        def row_means(left: Any, right: Any) -> list[np.ndarray]:
            def visit(pair: Pair, rows: tuple[int, int], cols: tuple[int, int]) -> Any:
                return rows, [tile.sum(axis=1) for _, _, tile in self.kernel.tile_derivatives(pair)]

            found: dict[int, np.ndarray] = {}
            for rows, sums in map_tiles(self.kernel, left, right, visit, False, "centre"):
                for at, values in enumerate(sums):
                    found.setdefault(at, np.zeros(len(left)))[rows[0] : rows[1]] += values
            return [v / len(right) for v in found.values()]

        def make() -> tuple[list[np.ndarray], list[float]]:
            with config_context(threads=1), np.errstate(all="ignore"):
                middle = side.middle
                return row_means(side[0], middle), [
                    float(v.mean()) for v in row_means(middle, middle)
                ]

        return side.once("mean derivatives", make)

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        left, whole = self._mean_derivatives(pair.x)
        right, _ = self._mean_derivatives(pair.y)
        for at, (name, index, tile) in enumerate(
            self.kernel.tile_derivatives(pair.of(pair.x[0], pair.y[0]))
        ):
            yield (
                f"kernel__{name}",
                index,
                tile - left[at][pair.rows, None] - right[at][None, pair.cols] + whole[at],
            )

    def map_features(self, batch: Batch, truncate: int | None) -> Any:
        middle = self.kernel.map_features(self._centre(batch), truncate)
        inner = self.kernel.map_features(batch, truncate)
        dense_ = [b.toarray() if hasattr(b, "toarray") else b for b in (inner, middle)]
        return dense_[0] - dense_[1].mean(axis=0)

    def feature_dim(self, p: int) -> float:
        return self.kernel.feature_dim(p)

    @classmethod
    def examples(cls) -> list[Kernel]:
        from mercer.kernels.vectors.distance import NegativeDistance
        from mercer.kernels.vectors.dot import Linear
        from mercer.kernels.vectors.radial import RBF

        return [cls(kernel=RBF()), cls(kernel=NegativeDistance()), cls(kernel=Linear())]
