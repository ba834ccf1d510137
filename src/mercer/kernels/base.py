"""What every kernel is: parameters, a Gram matrix, a proof, and the operators that build others from it.

A new kernel is a subclass with fields, one line ``definite = ...`` and one formula; see `RadialKernel` and
`DotKernel` for the shortest way, and ``tile`` for the general one.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from mercer import _compiled
from mercer.aliases import Columns, Prepared, RawSamples
from mercer.definiteness import INDEFINITE, UNKNOWN, Certificate, Definite, Witness
from mercer.domains.base import Batch, Domain
from mercer.domains.vectors import VECTORS
from mercer.errors import InfiniteFeaturesError, ParameterError
from mercer.gram.fill import check_diagonal, dense, diagonal_by_blocks
from mercer.gram.tile import Pair
from mercer.kernels.parameters import Parameterised

if TYPE_CHECKING:
    from mercer.gram.operator import Gram

__all__: list[str] = []

REGISTRY: dict[str, type[Kernel]] = {}

Derivative = tuple[
    str, Any, np.ndarray
]  # parameter name, index inside it (None for a scalar), tile


class Kernel(Parameterised):
    """A symmetric function of two samples."""

    domain: ClassVar[Domain] = VECTORS
    invariance: ClassVar[str] = "none"
    definite: ClassVar[Definite | None] = None
    abstract: ClassVar[bool] = True

    __array_ufunc__ = None  # so that numpy_scalar * kernel reaches __rmul__

    def __init_subclass__(cls, abstract: bool = False, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.abstract = abstract
        if not abstract:
            REGISTRY[cls.__name__] = cls

    # -- computing ---------------------------------------------------------------------------------------------------

    def __call__(self, X: RawSamples, Y: RawSamples = None) -> np.ndarray:
        """The dense Gram matrix, ``(len(X), len(Y))``; exactly symmetric when ``Y`` is None."""
        x, y, dtype = self._sides(X, Y)
        return dense(self, x, y, dtype)

    def gram(self, X: RawSamples, Y: RawSamples = None) -> Gram:
        """The lazy matrix: ``@``, ``.diag()``, ``.rows(idx)``, ``.dense()``."""
        from mercer.gram.operator import Gram

        return Gram(self, *self._sides(X, Y))

    def diag(self, X: RawSamples) -> np.ndarray:
        """k(x, x) for every row, without the matrix."""
        batch = Batch(X)
        with np.errstate(all="ignore"):
            return check_diagonal(
                self.diagonal(self.prepare(batch)), np.float32 if batch.float32 else np.float64
            )

    def _sides(self, X: RawSamples, Y: RawSamples) -> tuple[Any, Any, Any]:
        left = (
            X if isinstance(X, Batch) else Batch(X)
        )  # a batch holds what was already read of its samples
        x = self.prepare(left)
        if Y is None:
            return x, x, np.float32 if left.float32 else np.float64
        right = Batch(Y, like=left)
        return x, self.prepare(right), np.float32 if left.float32 and right.float32 else np.float64

    def prepare(self, batch: Batch) -> Any:
        """The work that is done once per sample: encoding, norms, images under a map."""
        return batch.encode(self.domain)

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        """Fill ``out`` with the values of one tile."""
        raise NotImplementedError(f"{type(self).__name__} must define tile(pair, out)")

    def rounding_error(self, side: Prepared) -> float:
        """An absolute rounding error of the values beyond their own last place, where a kernel cancels."""
        return 0.0

    @property
    def leaves(self) -> int:
        """How many formulas ask for products of a tile: one alone need not share them."""
        return 1

    def diagonal(self, side: Prepared) -> np.ndarray:
        """k(x, x) of prepared samples; kernels with a shorter way override this."""
        return diagonal_by_blocks(self, side)

    # -- learning from data ------------------------------------------------------------------------------------------

    def fit(self, X: RawSamples) -> Self:
        """Learn what the kernel takes from data (a centre, frequencies); most kernels take nothing."""
        return self.fit_batch(Batch(X))

    def fit_batch(self, batch: Batch) -> Self:
        return self

    # -- definiteness ------------------------------------------------------------------------------------------------

    def certificate(self, d: int | None = None) -> Certificate:
        """Why, and where, the kernel is positive semi-definite; ``d`` asks about R^d.

        >>> from mercer import RBF, Linear
        >>> print((RBF() + Linear()).certificate())
        RBF() + Linear()
          is strictly positive definite on R^d
          by sum: cᵀ(K₁ + K₂)c = cᵀK₁c + cᵀK₂c
            RBF()
              is strictly positive definite on R^d
              by Bochner: the Fourier transform of a Gaussian is a Gaussian, positive everywhere
            Linear()
              is positive semi-definite on R^d
              by inner product: φ(x) = x
        """
        if d is not None and (not isinstance(d, (int, np.integer)) or isinstance(d, bool) or d < 1):
            raise ParameterError("d", d, "must be a dimension: an integer >= 1")
        return self.certify(d)

    def certify(self, d: int | None) -> Certificate:
        """The proof's node; leaves state `definite`, composites apply a rule to their parts."""
        claim = self.claim()
        if claim is None:
            return Certificate(UNKNOWN, repr(self), "nothing is claimed")
        made = claim.certificate(repr(self))
        if d is not None and d > made.where.max_dim:
            rule = f"{made.rule}; it does not extend to R^{d}"
            where = dataclasses.replace(made.where, max_dim=math.inf, space=f"R^{d}")
            witness = self.refute(d=d)
            return Certificate(
                UNKNOWN if witness is None else INDEFINITE, repr(self), rule, where, witness=witness
            )
        return made

    def claim(self) -> Definite | None:
        """What a leaf says of itself; override it where the claim depends on parameters."""
        return self.definite

    def refute(self, X: RawSamples = None, d: int | None = None) -> Witness | None:
        """Points and coefficients with cᵀKc < 0, searched among ``X`` or on lattices in R^d; None if none is found."""
        from mercer.kernels.refutation import refute

        return refute(self, X, d)

    # -- features ----------------------------------------------------------------------------------------------------

    def features(self, X: RawSamples, truncate: int | None = None) -> Any:
        """The explicit feature map, ``features(X) @ features(X).T == k(X)``, when it is finite."""
        if truncate is not None and (
            not isinstance(truncate, (int, np.integer))
            or isinstance(truncate, bool)
            or truncate < 0
        ):
            raise ParameterError("truncate", truncate, "must be a degree: an integer >= 0")
        return self.map_features(Batch(X), truncate)

    def map_features(self, batch: Batch, truncate: int | None) -> Any:
        raise InfiniteFeaturesError(
            "features",
            self,
            "has no finite feature map",
            "use KernelMap(kernel, landmarks), which samples it",
        )

    def single_precision(self, side: Prepared) -> Any:
        """Prepared samples in single precision, where the kernel has a quick way to fill such tiles; else None."""
        return None

    def feature_dim(self, p: int) -> float:
        """The dimension of the feature map on R^p."""
        return math.inf

    # -- derivatives -------------------------------------------------------------------------------------------------

    def gradient(self, X: RawSamples, W: Any, Y: RawSamples = None) -> dict[str, Any]:
        """d/dθ of Σ W_ij k(x_i, y_j) for every continuous parameter θ, by nested name.

        >>> import numpy as np
        >>> from mercer import RBF
        >>> RBF(length_scale=2.0).gradient([[0.0], [2.0]], np.ones((2, 2)))["length_scale"].round(4)
        np.float64(0.6065)
        """
        from mercer.kernels.derivatives import gradient

        return gradient(self, X, W, Y)

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        """Yield dk/dθ of one tile for every continuous parameter, one after the other; a tile is valid until the next."""
        if self._continuous:
            from mercer.errors import NotDifferentiableError

            raise NotDifferentiableError("gradient", self, "is not defined for this kernel")
        return iter(())

    def weighted_derivatives(
        self, pair: Pair, weights: np.ndarray
    ) -> Iterator[tuple[str, Any, float]]:
        """Yield d/dθ of Σ weights∘k over one tile for every continuous parameter; kernels may know a shorter way than by tiles."""
        total = _compiled.storage.weighted_sum
        for name, index, tile in self.tile_derivatives(pair):
            yield name, index, total(weights, np.ascontiguousarray(tile))

    def continuous_params(self) -> dict[str, Any]:
        """The parameters that `gradient` differentiates, in its order, by nested name."""
        return {name: getattr(self, name) for name in self._continuous}

    # -- text --------------------------------------------------------------------------------------------------------

    precedence: ClassVar[int] = 9  # of the printed algebra: sum 1, product 2, power 4, atom 9

    @classmethod
    def examples(cls) -> list[Kernel]:
        """A few instances, for tests and for the catalogue."""
        return [cls()]

    # -- algebra -----------------------------------------------------------------------------------------------------

    def __add__(self, other: Any) -> Kernel:
        from mercer.kernels import algebra

        return algebra.add(self, other)

    def __radd__(self, other: Any) -> Kernel:
        from mercer.kernels import algebra

        return algebra.add(other, self)

    def __sub__(self, other: Any) -> Kernel:
        from mercer.kernels import algebra

        return algebra.subtract(self, other)

    def __rsub__(self, other: Any) -> Kernel:
        from mercer.kernels import algebra

        return algebra.subtract(other, self)

    def __neg__(self) -> Kernel:
        from mercer.kernels import algebra

        return algebra.multiply(-1.0, self)

    def __mul__(self, other: Any) -> Kernel:
        from mercer.kernels import algebra

        return algebra.multiply(self, other)

    def __rmul__(self, other: Any) -> Kernel:
        from mercer.kernels import algebra

        return algebra.multiply(other, self)

    def __truediv__(self, other: Any) -> Kernel:
        from mercer.kernels import algebra

        return algebra.divide(self, other)

    def __pow__(self, exponent: Any) -> Kernel:
        from mercer.kernels import algebra

        return algebra.power(self, exponent)

    def __matmul__(self, function: Any) -> Kernel:
        from mercer.kernels import algebra

        return algebra.pull_back(self, function)

    def exp(self) -> Kernel:
        """exp(k): psd for psd and conditionally psd k."""
        from mercer.kernels import algebra

        return algebra.exponential(self)

    def normalize(self) -> Kernel:
        """k(x,y)/√(k(x,x) k(y,y))."""
        from mercer.kernels import algebra

        return algebra.normalize(self)

    def center(self) -> Kernel:
        """Centred in feature space on the data given to ``fit``."""
        from mercer.kernels import algebra

        return algebra.center(self)

    def on(self, columns: Columns) -> Kernel:
        """The kernel on some columns only."""
        from mercer.kernels import algebra

        return algebra.on(self, columns)
