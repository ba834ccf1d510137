"""Kernels of mapped samples: pull-backs, conformal changes, explicit features."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from typing import ClassVar, Self

import numpy as np

from mercer.aliases import Features, Prepared, RawSamples
from mercer.definiteness import PSD, STRICT, UNKNOWN, Certificate, Definite, Where
from mercer.definiteness.rules import conformal_rule, pull_back_rule
from mercer.domains.base import Anything, Batch, Domain
from mercer.domains.parts import Parts
from mercer.errors import NotDifferentiableError, NotFiniteError, ShapeError
from mercer.gram.tile import Pair
from mercer.kernels.base import Derivative, Kernel
from mercer.kernels.combine.column_maps import ColumnMap, ranks, squash
from mercer.kernels.combine.composite import Mapped, PullBack, as_dense, within
from mercer.kernels.combine.linear_map import LinearMap
from mercer.kernels.functions import SampleFunction, absolute, arctan, describe, row_sums
from mercer.kernels.parameters import show_value
from mercer.kernels.separable.terms import Columns, Separation
from mercer.kernels.vectors.dot import Linear
from mercer.kernels.vectors.radial import RBF
from mercer.params import boolean, function, param
from mercer.state import State

__all__ = ["Conformal", "FromFeatures", "Warp"]


class Warp(PullBack):
    """k(f(x), f(y)), written ``k @ f``: the pull-back of a kernel by a function.

    Parameters
    ----------
    kernel : Kernel
        The kernel k of the images.
    function : callable
        f, of a whole collection of samples: one image for each.

    Examples
    --------
    >>> from mercer import Linear, parse
    >>> parse("Linear() @ absolute")([[-1.0]], [[2.0]]).tolist()
    [[2.0]]
    """

    precedence: ClassVar[int] = 2
    domain: ClassVar[Domain] = Anything()
    stored: ClassVar[State] = State(plain=("function_",))
    function: SampleFunction = param(check=function)

    @property
    def learned(self) -> SampleFunction:
        """The function itself, or what `fit` has learned of a map that learns from samples."""
        fitted = self.__dict__.get("function_")
        return fitted if type(fitted) is type(self.function) else self.function

    def certify(self, d: int | None) -> Certificate:
        known = describe(self.learned)
        # A claim for few dimensions only is about the dimension of the images.
        inner = self.kernel.certify(self._image_dimension(d))
        if math.isfinite(inner.where.max_dim):
            claim = f"{inner.claim} is {inner.status} on {inner.where} only"
            rule = f"no rule: {claim}, and the width of {known.name}(x) is not known"
            return Certificate(UNKNOWN, repr(self), rule, inner.where, (inner,))
        certificate = pull_back_rule(repr(self), inner, known.injective, known.name, known.stated)
        if certificate.status != STRICT or self.learned is not self.function:
            return certificate
        condition = getattr(self.function, "condition", "")
        assumed = Where(conditions=(condition,) if condition else ())
        return dataclasses.replace(certificate, where=certificate.where.meet(assumed))

    def _image_dimension(self, d: int | None) -> int | None:
        """The number of columns of the images of points in R^d, if it can be known."""
        if d is None or getattr(self.function, "shares", False):  # as wide as its vocabulary
            return None
        if isinstance(self.function, ColumnMap):
            return d
        try:
            image = np.asarray(self.function(np.zeros((1, d))))
        except Exception:  # a user's function may want anything
            return None
        return image.shape[1] if image.ndim == 2 else None

    def __repr__(self) -> str:
        return f"{within(self.kernel, 4)} @ {show_value(self.function)}"

    def images(self, batch: Batch) -> Batch:
        return batch.apply(self.learned)

    def fit_batch(self, batch: Batch) -> Self:
        if isinstance(self.function, ColumnMap):
            self.function_ = self.function.fit(batch.raw)
        self.kernel.fit_batch(self.images(batch))
        return self

    def separation(self, columns: Columns) -> Separation:
        """Return the form of the kernel of the images, where every column has its own."""
        by_column = getattr(self.learned, "separated", None)
        if by_column is None or len(columns) == 1:
            return super().separation(columns)
        return by_column(self, columns)

    def tile_input_gradients(self, pair: Pair, weights: np.ndarray) -> np.ndarray:
        if not isinstance(self.function, LinearMap):
            remedy = "map the samples first, and take the kernel of the images"
            what = "has no derivative in x"
            raise NotDifferentiableError("input_gradient", self, what, remedy)
        inner = self.kernel.tile_input_gradients(pair.part(0), weights)
        return self.function.pull_back(inner)

    def feature_dim(self, p: int) -> float:
        if isinstance(self.function, ColumnMap):
            return self.kernel.feature_dim(p)
        image = np.asarray(self.function(np.zeros((1, p))))
        return self.kernel.feature_dim(image.shape[1] if image.ndim == 2 else 1)

    @classmethod
    def examples(cls) -> list[Kernel]:
        functions: list[SampleFunction] = [arctan, squash, ranks]
        return [cls(Linear(), absolute), *(cls(RBF(), function) for function in functions)]


def _one_number_each(function: SampleFunction, batch: Batch) -> np.ndarray:
    """f(x) of every sample, checked to be one finite number."""
    values = np.asarray(batch.apply(function).raw, dtype=float)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        rule = f"returned shape {values.shape}"
        raise ShapeError("function", describe(function).name, rule, "return one number per sample")
    if not np.isfinite(values).all():
        row = int(np.argmax(~np.isfinite(values)))
        raise NotFiniteError(f"f(x[{row}])", float(values[row]), "must be finite")
    return values


class Conformal(Mapped):
    """f(x) k(x, y) f(y); say ``nonzero=True`` if f never vanishes, and strictness is kept.

    Parameters
    ----------
    kernel : Kernel
        The kernel k.
    function : callable
        f, of a whole collection of samples: one number for each.
    nonzero : bool
        Whether f never vanishes, so that a strictly positive definite kernel stays strict.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import Conformal, Linear
    >>> Conformal(Linear(), function=lambda X: np.asarray(X)[:, 0])([[2.0]]).tolist()
    [[16.0]]
    """

    invariance: ClassVar[str] = "none"
    varies_with_parts: ClassVar[bool] = True
    is_constant: ClassVar[bool] = False  # f may vary
    function: SampleFunction = param(check=function)
    nonzero: bool = param(default=False, check=boolean)

    def certify(self, d: int | None) -> Certificate:
        known = describe(self.function)
        inner = self.kernel.certify(d)
        assumed = f"{known.name}(x) ≠ 0"
        if known.nonzero and not known.stated:
            assumed = ""
        return conformal_rule(repr(self), inner, self.nonzero or known.nonzero, assumed)

    def prepare(self, batch: Batch) -> Parts:
        return Parts(self.kernel.prepare(batch), weight=_one_number_each(self.function, batch))

    @staticmethod
    def _weights(pair: Pair) -> np.ndarray:
        """f(x) f(y) of one tile."""
        return pair.x.extra["weight"][pair.rows, None] * pair.y.extra["weight"][None, pair.cols]

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        super().tile(pair, out)
        out *= self._weights(pair)

    def diagonal(self, samples: Parts) -> np.ndarray:
        weight = samples.extra["weight"]
        return self.kernel.diagonal(samples[0]) * (weight * weight)

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        weights = self._weights(pair)
        for name, place, tile in super().tile_derivatives(pair):
            yield name, place, tile * weights

    def map_features(self, batch: Batch, truncate: int | None) -> np.ndarray:
        inner = as_dense(self.kernel.map_features(batch, truncate))
        return inner * _one_number_each(self.function, batch)[:, None]

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(kernel=RBF(), function=row_sums)]


class FromFeatures(Kernel):
    """⟨f(x), f(y)⟩ for a function that returns one number, or one row, per sample.

    Parameters
    ----------
    function : callable
        f, the feature map, of a whole collection of samples.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import FromFeatures
    >>> lengths = FromFeatures(function=lambda texts: np.array([len(t) for t in texts]))
    >>> lengths(["ab", "abc"]).tolist()
    [[4.0, 6.0], [6.0, 9.0]]
    """

    domain: ClassVar[Domain] = Anything()
    function: SampleFunction = param(check=function)

    def claim(self) -> Definite:
        return Definite(PSD, f"inner product: φ(x) = {describe(self.function).name}(x)", "any set")

    @staticmethod
    def _rows(values: RawSamples) -> Features:
        """Feature vectors as rows of a matrix; one number makes a row of one column."""
        rows = values if hasattr(values, "tocsr") else np.asarray(values, dtype=float)
        return rows[:, None] if rows.ndim == 1 else rows

    def _mapped(self, batch: Batch) -> Batch:
        return batch.apply(self.function).apply(self._rows)

    def prepare(self, batch: Batch) -> Prepared:
        return Linear().prepare(self._mapped(batch))

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        np.copyto(out, pair.dot(out))

    def diagonal(self, samples: Prepared) -> np.ndarray:
        return samples.norms

    def map_features(self, batch: Batch, truncate: int | None) -> Features:
        return Linear().map_features(self._mapped(batch), truncate)

    def feature_dim(self, p: int) -> float:
        return self._rows(self.function(np.zeros((1, p)))).shape[1]

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(function=row_sums), cls(function=arctan)]
