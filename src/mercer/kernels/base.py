"""The base class of all kernels: parameters, a Gram matrix, a certificate, and the algebra.

A new kernel is a subclass with fields, one line ``definite = ...`` and one formula; see
`RadialKernel` and `DotKernel` for the shortest way, and ``tile`` for the general one.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from mercer.aliases import DType, Features, Prepared, RawSamples
from mercer.definiteness import CPD, INDEFINITE, UNKNOWN, Certificate, Definite, Where, Witness
from mercer.domains.base import Batch, Domain
from mercer.domains.vectors.domain import VECTORS, are_vectors
from mercer.errors import DefinitenessWarning, InfiniteFeaturesError, WidthError, explain, warn
from mercer.gram.fill import check_diagonal, dense, diagonal_by_blocks
from mercer.gram.single import SingleTiles
from mercer.gram.tile import Pair
from mercer.kernels.faces.shown import Shown
from mercer.kernels.numerics import refutation
from mercer.kernels.numerics.differentiable import Differentiable
from mercer.kernels.numerics.logarithms import Logarithms
from mercer.kernels.numerics.resolution import Resolution
from mercer.kernels.operators import Algebra
from mercer.kernels.parameters import Parameterized, restore
from mercer.kernels.separable.separable import Separable
from mercer.params import integer
from mercer.state import State

if TYPE_CHECKING:
    from mercer.gram.operator import Gram

__all__: list[str] = []

REGISTRY: dict[str, type[Kernel]] = {}

Place = int | tuple[int, ...] | None  # an index into a parameter; None of a single number
Derivative = tuple[str, Place, np.ndarray]  # the parameter's name, the place in it, a tile
WeightedSum = tuple[str, Place, float]  # of a derivative over a tile

_DIMENSION = dataclasses.replace(integer(1), rule="a dimension: an integer >= 1")
_DEGREE = dataclasses.replace(integer(0), rule="a degree: an integer >= 0")
# what to do about samples that are no numbers where numbers are needed
TEXT_REMEDY = (
    "encode it, or give a kernel that reads text, such as Spectrum(3) for strings; "
    "AutoClassifier and AutoRegressor choose one"
)


def _result_dtype(x: Batch, y: Batch) -> DType:
    """Single precision where all samples were given in it."""
    return np.float32 if x.float32 and y.float32 else np.float64


def _is_row(value: RawSamples) -> bool:
    """Whether a value is one row of numbers, rather than a collection of rows."""
    return isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind in "fiub"


class Kernel(Algebra, Differentiable, Logarithms, Resolution, Separable, Shown, Parameterized):
    """A symmetric function of two samples."""

    domain: ClassVar[Domain] = VECTORS
    invariance: ClassVar[str] = "none"
    definite: ClassVar[Definite | None] = None
    is_distance: ClassVar[bool] = False  # −d²/2 of a distance d, for searches of neighbors
    abstract: ClassVar[bool] = True
    aligned: ClassVar[bool] = False  # whether features of compared samples have the same columns
    leaves: ClassVar[int] = 1  # formulas that ask for products of a tile: one need not share them
    precedence: ClassVar[int] = 9  # in print: sum 1, pull-back 2, product 3, power 4, atom 9
    # Gaussian processes set the limits of parameters anew
    stored: ClassVar[State] = State(plain=("n_columns_",), rebuilt=("_limits",))

    def __init_subclass__(cls, abstract: bool = False, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.abstract = abstract
        if not abstract:
            REGISTRY[cls.__name__] = cls

    @classmethod
    def examples(cls) -> list[Kernel]:
        """A few instances, for tests and for the catalogue."""
        return [cls()]

    # -- structure ---------------------------------------------------------------------------------
    def children(self) -> list[Kernel]:
        """The kernels among the parameters."""
        return list(self.named_children().values())

    def named_children(self) -> dict[str, Kernel]:
        """The kernels among the parameters, by name."""
        children, given = {}, self.__dict__
        for name in self._names:
            value = given[name]
            if isinstance(value, Kernel):
                children[name] = value
        return children

    @property
    def constant_diagonal(self) -> bool:
        """Whether k(x, x) is known to be the same for all samples."""
        return self.invariance in ("translation", "radial")

    @property
    def has_white_noise(self) -> bool:
        """Whether `White` is part of the kernel."""
        return any(child.has_white_noise for child in self.children())

    @property
    def limited(self) -> bool:
        """Whether what is claimed of the kernel, or of a part, holds in few dimensions only."""
        children = self.named_children().values()
        if children:
            return any(child.limited for child in children)
        claim = self.claim()
        return claim is not None and math.isfinite(claim.max_dim)

    @property
    def text_remedy(self) -> str:
        """The remedy for samples that are no numbers where the kernel needs numbers."""
        return TEXT_REMEDY

    # -- computing ---------------------------------------------------------------------------------
    def __call__(self, X: RawSamples, Y: RawSamples = None) -> np.ndarray:
        """The dense Gram matrix, ``(len(X), len(Y))``; exactly symmetric when ``Y`` is None.

        Of two single rows of numbers it is one number, as scikit-learn asks for it.
        """
        if _is_row(X) and _is_row(Y) and "matrix" in self.domain.accepts:
            row = X[None]
            return self(row, None if Y is X else Y[None])[0, 0]
        x, y, dtype = self._prepare_both(X, Y)
        return dense(self, x, y, dtype)

    def gram(self, X: RawSamples, Y: RawSamples = None) -> Gram:
        """The lazy matrix: ``@``, ``.diag()``, ``.rows(idx)``, ``.dense()``."""
        # The class is a linear operator of SciPy, whose import takes long.
        from mercer.gram.operator import Gram

        return Gram(self, *self._prepare_both(X, Y))

    def diag(self, X: RawSamples) -> np.ndarray:
        """k(x, x) for every row, without the matrix."""
        batch = Batch(X)
        with np.errstate(all="ignore"):
            return check_diagonal(self.diagonal(self.prepare(batch)), _result_dtype(batch, batch))

    def _prepare_both(self, X: RawSamples, Y: RawSamples) -> tuple[Prepared, Prepared, DType]:
        """The rows' and the columns' samples prepared, the same where Y is None, and the dtype."""
        # A batch holds what was already read of its samples.
        left = X if isinstance(X, Batch) else Batch(X)
        x = self.prepare(left)
        if Y is None:
            return x, x, _result_dtype(left, left)
        right = Batch(Y, like=left)
        return x, self.prepare(right), _result_dtype(left, right)

    def prepare(self, batch: Batch) -> Prepared:
        """The work that is done once per sample: encoding, norms, images under a map."""
        return batch.encode(self.domain)

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        """Fill ``out`` with the values of one tile."""
        raise NotImplementedError(f"{type(self).__name__} must define tile(pair, out)")

    def diagonal(self, samples: Prepared) -> np.ndarray:
        """k(x, x) of prepared samples; kernels with a shorter way override this."""
        return diagonal_by_blocks(self, samples)

    def rounding_error(self, samples: Prepared) -> float:
        """An absolute rounding error of the values beyond their last place, where terms cancel."""
        return 0.0

    def single_precision(self, samples: Prepared) -> Any:
        """Prepared samples for a quick way to fill tiles in single precision; None without one."""
        return None

    def gaussian_rows(self, samples: Prepared) -> np.ndarray | None:
        """Rows z with k = exp(−‖z − z′‖²), for loops that compute few values; None without them."""
        return None

    def single_tiles(self, centers: Prepared) -> SingleTiles | None:
        """Values of any samples with these in single precision; None if the kernel has none."""
        return None

    # -- learning from data ------------------------------------------------------------------------
    def fit(self, X: RawSamples) -> Self:
        """Learn what the kernel takes from data (a center, frequencies); most take nothing.

        A fit that fails or is interrupted leaves the kernel, and all kernels inside it, unchanged.
        """
        before = self._snapshot()
        try:
            return self.fit_batch(Batch(X))
        except BaseException:
            restore(before)
            raise

    def fit_batch(self, batch: Batch) -> Self:
        """Learn from a batch of samples, as `fit` does."""
        claim = self.claim()
        if claim is not None and math.isfinite(claim.max_dim):
            # A fitted kernel is certified in the dimension of what it was fitted on.
            samples: Prepared = batch.encode(self.domain)
            self.n_columns_ = int(samples.n_features)
        return self

    # -- definiteness ------------------------------------------------------------------------------
    def certificate(self, d: int | None = None) -> Certificate:
        """Why, and where, the kernel is positive semi-definite; ``d`` asks about R^d.

        A kernel that was fitted is asked about the number of columns that it has seen. One that
        has parameters of other columns than d has raises WidthError.

        >>> from mercer import RBF, Linear
        >>> print((RBF() + Linear()).certificate())
        RBF() + Linear()
          is strictly positive definite on R^d
          by sum: cᵀ(K₁ + K₂)c = cᵀK₁c + cᵀK₂c, and that of a strict term is > 0 unless c = 0
            RBF()
              is strictly positive definite on R^d
              by Bochner: the Fourier transform of a Gaussian is a Gaussian, positive everywhere
            Linear()
              is positive semi-definite on R^d
              by inner product: φ(x) = x
        """
        if d is not None:
            _DIMENSION.check("d", d)
            self._check_width(d)
        return self.certify(d)

    def _check_width(self, d: int) -> None:
        """Raise WidthError if parameters are of columns that rows of d numbers do not have."""
        if not are_vectors(self.domain):
            return
        try:
            self.prepare(Batch(np.full((1, d), 1.0 / d)))
        except WidthError:
            raise
        except Exception:  # not fitted, or a user's function: neither is about the width
            return

    def certify(self, d: int | None) -> Certificate:
        """The certificate: leaves state `definite`, composites apply a rule to their parts."""
        claim = self.claim()
        if claim is None:
            return Certificate(UNKNOWN, repr(self), "no rule: nothing is claimed")
        certificate = claim.certificate(repr(self))
        if d is None:
            d = self.__dict__.get("n_columns_")
        if d is None or math.isinf(claim.max_dim):
            return certificate
        where = dataclasses.replace(certificate.where, max_dim=math.inf, space=f"R^{d}")
        if d <= claim.max_dim:
            return dataclasses.replace(certificate, where=where)
        return self._certify_beyond(certificate, where, d)

    def _certify_beyond(self, certificate: Certificate, where: Where, d: int) -> Certificate:
        """The certificate in a dimension beyond that of the claim."""
        most = f"{certificate.where.max_dim:g}"
        elsewhere = f"there is a proof for d ≤ {most} only, by {certificate.rule}"
        witness = refutation.refute_in(self, d, balanced=certificate.status == CPD)
        if witness is None:
            rule = f"no rule in R^{d}; {elsewhere}"
            return Certificate(UNKNOWN, repr(self), rule, where)
        rule = f"a counterexample in R^{d}; {elsewhere}"
        return Certificate(INDEFINITE, repr(self), rule, where, witness=witness)

    def warn_unknown(self, learner: str, remedy: str = "", because: str = "") -> None:
        """Warn that it is unknown whether the kernel is definite, as a learner needs it."""
        for child in self.children():
            if child.certificate().status == UNKNOWN:
                child.warn_unknown(learner, remedy)
                return
        known = f"is not known to be positive semi-definite{because}"
        if "n_columns_" in vars(self):
            known += f" on R^{self.n_columns_}"
        rule = f"{known}, as {learner} needs it: used as asked"
        warn(explain("kernel", self, rule, remedy), DefinitenessWarning)

    def claim(self) -> Definite | None:
        """The claim of a leaf; override it where the claim depends on parameters."""
        return self.definite

    def refute(self, X: RawSamples = None, d: int | None = None) -> Witness | None:
        """Points and coefficients with cᵀKc < 0, among ``X`` or on lattices in R^d; else None."""
        return refutation.refute(self, X, d)

    # -- features ----------------------------------------------------------------------------------
    def features(self, X: RawSamples, truncate: int | None = None) -> Features:
        """The explicit feature map, ``features(X) @ features(X).T == k(X)``, when it is finite."""
        if truncate is not None:
            _DEGREE.check("truncate", truncate)
        return self.map_features(Batch(X), truncate)

    def map_features(self, batch: Batch, truncate: int | None) -> Features:
        """The feature map of a batch, as `features`."""
        remedy = "use KernelMap(kernel, centers), which samples it"
        raise InfiniteFeaturesError("features", self, "has no finite feature map", remedy)

    def feature_dim(self, p: int) -> float:
        """The dimension of the feature map on R^p."""
        return math.inf
