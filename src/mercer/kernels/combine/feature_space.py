"""Kernels of a changed feature map: normalized, centered."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar, Self

import numpy as np

from mercer import _compiled, errors
from mercer.aliases import Prepared, RawSamples
from mercer.config import config_context
from mercer.definiteness import CPD, INDEFINITE, Certificate
from mercer.definiteness.rules import center_rule, normalize_rule
from mercer.domains.base import Batch
from mercer.domains.parts import Parts
from mercer.errors import DefinitenessError
from mercer.gram.fill import map_tiles, multiply
from mercer.gram.tile import Pair
from mercer.kernels.base import Derivative, Kernel
from mercer.kernels.combine.composite import Mapped, as_dense, within
from mercer.kernels.combine.sums import Scaled, Sum
from mercer.kernels.numerics.derivatives import Bounds
from mercer.kernels.separable.parts import PartValues
from mercer.kernels.separable.terms import Columns, ColumnTerm, Separation
from mercer.kernels.vectors.distance import NegativeDistance
from mercer.kernels.vectors.dot import Linear, Polynomial
from mercer.kernels.vectors.radial import RBF
from mercer.state import State

__all__ = ["Centered", "Normalized"]

_BLOCK = 16  # samples whose k(x, x) is differentiated at a time


def _positive_quotient(numerator: np.ndarray, denominator: np.ndarray) -> np.ndarray:
    """numerator/denominator where the denominator is positive, and the numerator elsewhere."""
    return numerator / np.where(denominator > 0, denominator, 1.0)


class Normalized(Mapped):
    """k(x, y)/√(k(x, x) k(y, y)), written ``k.normalize()``.

    Where k(x, x) = 0 the feature is the zero vector, and so is every value.

    Parameters
    ----------
    kernel : Kernel
        The kernel k, positive semi-definite or not known to be otherwise.

    Examples
    --------
    >>> from mercer import Polynomial
    >>> Polynomial(degree=2).normalize()([[1.0], [1.0]]).tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """

    def check_params(self) -> None:
        super().check_params()
        status = self.kernel.certify(None).status
        if status in (CPD, INDEFINITE):
            rule = f"is {status} and cannot be normalized"
            remedy = "center a cpd kernel first: k.center().normalize()"
            raise DefinitenessError("Normalized: kernel", self.kernel, rule, remedy)

    def certify(self, d: int | None) -> Certificate:
        return normalize_rule(repr(self), self.kernel.certify(d))

    def __repr__(self) -> str:
        return f"{within(self.kernel, 9)}.normalize()"

    def separation(self, columns: Columns) -> Separation:
        """Return normalized factors where k is one product over columns."""
        inner = self.kernel.separation(columns)
        if len(inner.terms) != 1 or len(columns) == 1:
            return super().separation(columns)
        factors = {j: Normalized(factor) for j, factor in inner.terms[0].factors.items()}
        return Separation([ColumnTerm(1.0, factors)], 0.0, 1.0)

    def part_values(self, X: RawSamples, samples: RawSamples, C: np.ndarray) -> list[PartValues]:
        own_squares, other_squares = self.kernel.diag(X), self.kernel.diag(samples)
        lengths, others = (np.sqrt(np.where(k > 0, k, 1.0)) for k in (own_squares, other_squares))
        inner = self.kernel.part_values(X, samples, C / others[:, None])
        return [part.scaled(1.0 / length) for part, length in zip(inner, lengths, strict=True)]

    def prepare(self, batch: Batch) -> Parts:
        samples = self.kernel.prepare(batch)
        diagonal = self.kernel.diagonal(samples)
        # At the center of a centered kernel only a rounding error is left of k(x, x).
        error = self.kernel.rounding_error(samples)
        diagonal = np.where(np.abs(diagonal) <= error, 0.0, diagonal)
        if diagonal.min() < 0:
            row = int(np.argmin(diagonal))
            what = f"k(x[{row}], x[{row}])"
            rule = "is negative, so that k is not a kernel and cannot be normalized"
            raise DefinitenessError(what, float(diagonal[row]), rule, "look at k.certificate()")
        return Parts(samples, diagonal=diagonal)

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        mark = pair.work.temporary.used
        inner = pair.buffer()
        self.kernel.tile(pair.part(0), inner)
        kx = pair.x.extra["diagonal"][pair.rows]
        ky = pair.y.extra["diagonal"][pair.cols]
        _compiled.profiles.cosine(inner, kx, ky, out)
        pair.work.temporary.used = mark

    def diagonal(self, samples: Parts) -> np.ndarray:
        return (samples.extra["diagonal"] > 0).astype(float)

    def _diagonal_derivatives(self, samples: Parts) -> list[np.ndarray]:
        """d log k(x, x)/dθ of every sample, parameter by parameter."""

        def compute() -> list[np.ndarray]:
            starts = np.arange(_BLOCK, len(samples), _BLOCK)
            blocks = np.split(np.arange(len(samples)), starts)
            # Serial: the lock of `once` is held, and no other thread may wait for it.
            with config_context(threads=1), np.errstate(all="ignore"):
                slopes = [self._block_derivatives(samples[0].take(rows)) for rows in blocks]
            k = samples.extra["diagonal"]
            derivatives = [np.concatenate(parts) for parts in zip(*slopes, strict=True)]
            return [np.where(k > 0, _positive_quotient(v, k), 0.0) for v in derivatives]

        return samples.once("diagonal derivatives", compute)

    def _block_derivatives(self, block: Prepared) -> list[np.ndarray]:
        """dk(x, x)/dθ of a few samples, parameter by parameter."""

        def visit(pair: Pair, rows: Bounds, cols: Bounds) -> list[np.ndarray]:
            return [tile.diagonal().copy() for _, _, tile in self.kernel.tile_derivatives(pair)]

        (diagonals,) = map_tiles(self.kernel, block, block, visit, True, "diagonal")
        return diagonals

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        value = np.empty(pair.shape)
        self.tile(pair, value)
        kx = pair.x.extra["diagonal"][pair.rows, None]
        ky = pair.y.extra["diagonal"][None, pair.cols]
        root = np.sqrt(kx) * np.sqrt(ky)
        left = self._diagonal_derivatives(pair.x)
        right = self._diagonal_derivatives(pair.y)
        tiles = self.kernel.tile_derivatives(pair.part(0))
        for at, (name, place, tile) in enumerate(tiles):
            slopes = left[at][pair.rows, None] + right[at][None, pair.cols]
            derivative = _positive_quotient(tile, root) - 0.5 * value * slopes
            yield f"kernel__{name}", place, np.where(root > 0, derivative, 0.0)

    def map_features(self, batch: Batch, truncate: int | None) -> np.ndarray:
        inner = as_dense(self.kernel.map_features(batch, truncate))
        norm = np.sqrt(np.einsum("ij,ij->i", inner, inner))
        return inner / np.where(norm > 0, norm, 1.0)[:, None]

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(kernel=Polynomial(degree=2))]


class _CenteredParts(Parts):
    """Prepared samples that also know the samples of the center."""

    def __init__(self, center: Prepared, *sides: Prepared, **extra: np.ndarray) -> None:
        super().__init__(*sides, **extra)
        self.center = center

    def take(self, rows: np.ndarray) -> _CenteredParts:
        parts = super().take(rows)
        taken = _CenteredParts(self.center, *parts.sides, **parts.extra)
        taken._inherit(self, rows)
        return taken


def _fingerprint(kernel: Kernel) -> tuple[Any, ...]:
    """All parameters, so that a change of any of them is seen."""

    def key(value: Any) -> object:
        if isinstance(value, np.ndarray):
            return value.shape, value.tobytes()
        if callable(value) and not isinstance(value, Kernel):
            return id(value)
        return repr(value)

    keys = tuple((name, key(value)) for name, value in kernel.get_params().items())
    return keys, type(kernel).__name__


def _is_centered_at(kernel: Kernel, samples: RawSamples) -> bool:
    """Whether the features are centered at these samples: all their means over them are 0.

    White noise is not: the noise of the center counts in its own mean alone.
    """
    centered = isinstance(kernel, Centered) and kernel.__dict__.get("center_") is samples
    return centered and not kernel.has_white_noise


def _has_centered_term(kernel: Kernel, samples: RawSamples) -> bool:
    """Whether a term of a sum is centered at these samples."""
    if isinstance(kernel, (Sum, Scaled)):
        return any(_has_centered_term(child, samples) for child in kernel.children())
    return _is_centered_at(kernel, samples)


def _term_means(
    kernel: Kernel, samples: RawSamples, means: Callable[[Kernel, tuple[int, ...]], Any]
) -> Any:
    """The means of k(x, c) over the center's ``samples`` c, given those of a kernel at a place.

    Terms of a sum that are centered at these samples have none, and are not computed again.
    """

    def add(term: Kernel, place: tuple[int, ...]) -> Any:
        if _is_centered_at(term, samples):
            return 0.0
        if not _has_centered_term(term, samples):
            return means(term, place)
        children = enumerate(term.children())
        total = sum(add(child, (*place, at)) for at, child in children)
        return float(term.factor) * total if isinstance(term, Scaled) else total

    return add(kernel, ())


def _at(samples: Prepared, place: tuple[int, ...]) -> Prepared:
    """The samples that a kernel inside of others prepared."""
    for at in place:
        samples = samples.sides[at]
    return samples


def _row_means(kernel: Kernel, x: Prepared, y: Prepared) -> np.ndarray:
    """The mean of k(x, y) over all y, for every x."""
    return multiply(kernel, x, y, np.full((len(y), 1), 1.0 / len(y)))[:, 0]


class Centered(Mapped):
    """⟨φ(x) − φ_c, φ(y) − φ_c⟩, φ_c the mean of the data given to ``fit``; written ``k.center()``.

    On those data it is K − 1K/N − K1/N + 1K1/N². Also for conditionally positive kernels, which
    centering makes positive. `White` inside is noise of each new sample: the center's own noise is
    counted in its mean, but no sample given later is taken for one of the center's.

    Parameters
    ----------
    kernel : Kernel
        The kernel k, positive semi-definite or conditionally so.

    Attributes
    ----------
    center_ : collection
        The samples given to ``fit``.
    mean_ : float
        The mean of k over all pairs of them.

    Examples
    --------
    >>> from mercer import Linear
    >>> Linear().center().fit([[1.0], [3.0]])([[1.0], [3.0]]).tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """

    invariance: ClassVar[str] = "none"
    stored: ClassVar[State] = State(finite=("mean_",), plain=("center_", "_mean_of"))

    def certify(self, d: int | None) -> Certificate:
        return center_rule(repr(self), self.kernel.certify(d))

    def __repr__(self) -> str:
        return f"{within(self.kernel, 9)}.center()"

    def fit_batch(self, batch: Batch) -> Self:
        self.kernel.fit_batch(batch)
        self.center_ = batch.kept()
        self._set_mean(batch)
        return self

    @property
    def _is_centered(self) -> bool:
        """Whether the features are centered at the same samples already."""
        return _is_centered_at(self.kernel, self.__dict__.get("center_"))

    def _set_mean(self, center: Batch) -> None:
        """The mean of k over the center; it is computed anew when a parameter has changed."""

        def mean(term: Kernel, _: tuple[int, ...]) -> float:
            samples = term.prepare(center)
            return float(_row_means(term, samples, samples).mean())

        self.mean_ = float(_term_means(self.kernel, self.center_, mean))
        self._mean_of = _fingerprint(self.kernel)

    # What the mean belongs to holds addresses of functions: a file says whether it is up to date.

    def _before_store(self, state: dict[str, object]) -> None:
        state["_mean_of"] = state.get("_mean_of") == _fingerprint(self.kernel)

    def _rebuild(self) -> None:
        self._mean_of = _fingerprint(self.kernel) if self._mean_of is True else ()

    def _center(self, batch: Batch) -> Batch:
        if not hasattr(self, "center_"):
            rule = "does not know its center yet"
            raise errors.NotFittedError("Centered", self, rule, "call kernel.fit(X) first")
        return batch.beside(self.center_)

    def prepare(self, batch: Batch) -> Parts:
        if batch.prepared is None:
            return self._prepare(batch)
        if id(self) not in batch.prepared:
            batch.prepared[id(self)] = self._prepare(batch)
        return batch.prepared[id(self)]

    def _prepare(self, batch: Batch) -> Parts:
        center_batch = self._center(batch)
        beyond = self._center(center_batch)  # what kernels inside share lives as long as this
        samples = self.kernel.prepare(batch)
        if self._is_centered:
            return Parts(samples, mean=np.zeros(len(samples)))
        center = self.kernel.prepare(center_batch)
        if self._mean_of != _fingerprint(self.kernel):
            self._set_mean(center_batch)
        del beyond

        def means(term: Kernel, place: tuple[int, ...]) -> np.ndarray:
            return _row_means(term, _at(samples, place), _at(center, place))

        mean = _term_means(self.kernel, self.center_, means)
        return _CenteredParts(center, samples, mean=np.zeros(len(samples)) + mean)

    def rounding_error(self, samples: Prepared) -> float:
        """The rounding error of the values that are subtracted, which may be far larger."""
        size = np.abs(self.kernel.diagonal(samples[0])).max()
        size = size + 2 * np.abs(samples.extra["mean"]).max() + abs(self.mean_)
        return max(super().rounding_error(samples), 16 * float(np.finfo(float).eps * size))

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        self.kernel.tile(pair.part(0), out)
        out -= pair.x.extra["mean"][pair.rows, None] + pair.y.extra["mean"][None, pair.cols]
        out += self.mean_

    def diagonal(self, samples: Parts) -> np.ndarray:
        mean = samples.extra["mean"]
        return (self.kernel.diagonal(samples[0]) - (mean + mean)) + self.mean_

    def _mean_derivatives(self, samples: _CenteredParts) -> tuple[list[np.ndarray], list[float]]:
        """d/dθ of the mean of k(x, c) over the center's points c, and of its own mean."""

        def compute() -> tuple[list[np.ndarray], list[float]]:
            with config_context(threads=1), np.errstate(all="ignore"):
                across = self._slope_means(samples[0], samples.center)
                inside = self._slope_means(samples.center, samples.center)
            return across, [float(means.mean()) for means in inside]

        return samples.once("mean derivatives", compute)

    def _slope_means(self, left: Prepared, right: Prepared) -> list[np.ndarray]:
        """d/dθ of the mean of k(x, y) over y, for every x, parameter by parameter."""

        def visit(pair: Pair, rows: Bounds, cols: Bounds) -> tuple[Bounds, list[np.ndarray]]:
            return rows, [tile.sum(axis=1) for _, _, tile in self.kernel.tile_derivatives(pair)]

        totals: dict[int, np.ndarray] = {}
        for rows, sums in map_tiles(self.kernel, left, right, visit, False, "center"):
            for at, values in enumerate(sums):
                totals.setdefault(at, np.zeros(len(left)))[slice(*rows)] += values
        return [total / len(right) for total in totals.values()]

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        if not isinstance(pair.x, _CenteredParts):  # centered already
            yield from super().tile_derivatives(pair)
            return
        left, whole = self._mean_derivatives(pair.x)
        right, _ = self._mean_derivatives(pair.y)
        tiles = self.kernel.tile_derivatives(pair.part(0))
        for at, (name, place, tile) in enumerate(tiles):
            centered = tile - left[at][pair.rows, None] - right[at][None, pair.cols] + whole[at]
            yield f"kernel__{name}", place, centered

    def map_features(self, batch: Batch, truncate: int | None) -> np.ndarray:
        center = as_dense(self.kernel.map_features(self._center(batch), truncate))
        inner = as_dense(self.kernel.map_features(batch, truncate))
        return inner - center.mean(axis=0)

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(kernel=RBF()), cls(kernel=NegativeDistance()), cls(kernel=Linear())]
