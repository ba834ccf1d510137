"""Vectors: rows of finite real numbers, dense or sparse."""

from __future__ import annotations

import math

import numpy as np

from mercer.aliases import DType, Prepared, RawSamples, SparseMatrix
from mercer.domains.base import Anything, Batch, Domain
from mercer.domains.vectors.dense import TILE, WIDE, VectorSamples
from mercer.domains.vectors.misfits import UNREADABLE, misfits
from mercer.domains.vectors.sparse import CsrSamples
from mercer.errors import (
    DomainError,
    EmptyInputError,
    InputError,
    InputTypeError,
    NotFiniteError,
    ShapeError,
    WidthError,
)

__all__ = ["NONNEGATIVE", "TILE", "VECTORS", "WIDE", "CsrSamples", "VectorSamples", "Vectors"]


def _not_numbers(raw: RawSamples, dtype: DType, argument: str) -> InputError:
    for misfit in misfits(raw)[:1]:
        if misfit.is_missing:
            return _missing(f"{argument}[{misfit.row}], {misfit.column}", misfit.value)
        remedy = "encode it, or use table_kernel(X)"
        if misfit.kind == UNREADABLE:
            remedy = "encode it, or leave it out"
        return misfit.refusal(argument, "where numbers are needed", remedy)
    value = f"{type(raw).__name__} of {dtype}"
    remedy = "encode text and categories, or use a kernel for them"
    return InputTypeError(argument, value, "does not hold numbers", remedy)


def _as_floats(raw: RawSamples, argument: str) -> np.ndarray:
    """An array of double precision."""
    try:
        array = np.asarray(raw)
    except (ValueError, TypeError) as error:  # ragged lists
        rule = f"is not a rectangular table ({error})"
        raise ShapeError(argument, type(raw).__name__, rule) from None
    if array.dtype.kind == "O":
        return _objects_as_floats(array, raw, argument)
    if array.dtype.kind not in "fiub":
        raise _not_numbers(raw, array.dtype, argument)
    return array.astype(np.float64, copy=False)


def _objects_as_floats(array: np.ndarray, raw: RawSamples, argument: str) -> np.ndarray:
    """Numbers stored as objects; NumPy would also read text that looks like a number."""
    if any(isinstance(value, (str, bytes)) for value in array.ravel()):
        raise _not_numbers(raw, "strings", argument)
    try:
        return array.astype(np.float64)
    except (TypeError, ValueError):
        raise _not_numbers(raw, "objects", argument) from None


def _missing(place: str, value: object) -> NotFiniteError:
    remedy = "drop or impute the row, or use MissingAware for missing values"
    return NotFiniteError(place, value, "must be finite", remedy)


def _check_finite(samples: VectorSamples | CsrSamples, batch: Batch) -> None:
    """Refuse NaN and infinity, and name the place."""
    bad = ~np.isfinite(samples.values)
    if not bad.any():
        return
    at = int(np.argmax(bad))
    row, column = samples.position(at)
    place = f"{batch.argument}[{row}, {column}]"
    if batch.names is not None:
        place = f"{batch.argument}[{row}], {batch.names[column]}"
    raise _missing(place, float(samples.values[at]))


def check_signs(samples: VectorSamples | CsrSamples, argument: str, rule: str, remedy: str) -> None:
    """Refuse negative numbers, and name the place of the first."""
    values = samples.values
    if not values.size or values.min() >= 0:
        return
    at = int(np.argmax(values < 0))
    row, column = samples.position(at)
    raise DomainError(f"{argument}[{row}, {column}]", float(values[at]), rule, remedy)


def _wrong_shape(x: np.ndarray | SparseMatrix, argument: str) -> EmptyInputError | ShapeError:
    if x.size == 0 and x.ndim == 1:
        return EmptyInputError(argument, "no samples", "is empty", "give at least one sample")
    shown = f"array of shape {x.shape}"
    if x.ndim == 2:
        return EmptyInputError(argument, shown, _no_elements(x.shape))
    remedy = "use X.reshape(-1, 1) for one feature, X.reshape(1, -1) for one sample"
    return ShapeError(argument, shown, "must have two axes, samples and features", remedy)


def _no_elements(shape: tuple[int, ...]) -> str:
    """The rule that an empty array breaks, in words that scikit-learn's checks look for."""
    what = "sample" if shape[0] == 0 else "feature"
    counted = f"found 0 {what}(s), shape={shape}"
    return f"is empty: at least one {what} ({counted}) while a minimum of 1 is required"


def _check_n_features(n_features: int, wanted: int, batch: Batch) -> None:
    if n_features != wanted:
        has = "have" if batch.new else "has"
        rule = f"does not fit {batch.other}, which {has} {wanted}"
        value = f"{n_features} columns"
        raise WidthError(batch.argument, value, rule, "give both the same features")


class Vectors(Domain):
    """Rows of finite real numbers; ``nonnegative`` ones for histograms and the like."""

    accepts = frozenset({"matrix"})

    def __init__(self, nonnegative: bool = False) -> None:
        self.nonnegative = nonnegative
        self.name = "vectors with entries ≥ 0" if nonnegative else "vectors"

    def __reduce__(self) -> str:
        # Domains are compared by identity: a copy is the same object.
        return "NONNEGATIVE" if self.nonnegative else "VECTORS"

    def encode(self, batch: Batch) -> VectorSamples | CsrSamples:
        samples: Prepared
        if self.nonnegative:
            samples = batch.encode(VECTORS)
            rule = "must be >= 0 for this kernel"
            check_signs(samples, batch.argument, rule, "shift or rescale the data")
            return samples
        if hasattr(batch.raw, "tocsr"):
            samples = self._encode_sparse(batch)
            stored = samples.x.data
        else:
            x = batch.raw
            if type(x) is not np.ndarray or x.dtype != np.float64:
                x = _as_floats(x, batch.argument)
            x = np.ascontiguousarray(x)
            if x.ndim != 2 or 0 in x.shape:
                raise _wrong_shape(x, batch.argument)
            samples, stored = VectorSamples(x), x
        # The sum of squares is a quick test without warnings: it may overflow where all values are
        # finite, but never the other way round.
        if not math.isfinite(np.vdot(stored, stored)):
            _check_finite(samples, batch)
        if batch.like is not None:
            samples = self._match(samples, batch.like.encode(VECTORS), batch)
        return samples

    @staticmethod
    def _encode_sparse(batch: Batch) -> CsrSamples:
        if batch.raw.dtype.kind not in "fiub":
            raise _not_numbers(batch.raw, batch.raw.dtype, batch.argument)
        x = batch.raw.tocsr().astype(np.float64)
        if x.ndim != 2 or 0 in x.shape:
            raise _wrong_shape(x, batch.argument)
        if not x.has_canonical_format:
            x = x.copy()
            x.sum_duplicates()
        return CsrSamples(x)

    @staticmethod
    def _match(samples: Prepared, like: Prepared, batch: Batch) -> VectorSamples | CsrSamples:
        """Samples stored as those that they are compared with, which have as many columns."""
        _check_n_features(samples.n_features, like.n_features, batch)
        if samples.sparse and not like.sparse:
            return VectorSamples(np.ascontiguousarray(samples.x.toarray()))
        if like.sparse and not samples.sparse:
            import scipy.sparse

            return CsrSamples(scipy.sparse.csr_matrix(samples.x))
        return samples

    def sample(self, count: int, n_columns: int, rng: np.random.Generator) -> np.ndarray:
        x = rng.standard_normal((count, n_columns))
        return np.abs(x) if self.nonnegative else x

    def lattices(self, n_columns: int, rng: np.random.Generator) -> list[np.ndarray]:
        """A grid, a line, tight clusters, a cross, a sphere, and noise at three scales."""
        d = n_columns
        grid = _grid(d)
        line = np.linspace(-1, 1, 33)[:, None] * np.ones(d)
        centers = 3 * rng.standard_normal((6, d))
        clusters = (centers[:, None] + 1e-2 * rng.standard_normal((6, 6, d))).reshape(-1, d)
        axes = np.eye(min(d, 64), d)
        cross = np.vstack([np.zeros((1, d)), axes, -axes, 2 * axes])
        noise = rng.standard_normal((60, d))
        lengths = np.linalg.norm(noise, axis=1, keepdims=True)
        sphere = 3 * noise / np.maximum(lengths, 1e-12)
        centered = grid - grid.mean(axis=0)
        points = [centered, grid, line, clusters, cross, noise, 10 * noise, 0.1 * noise, sphere]
        points = [np.unique(np.round(x, 12), axis=0) for x in points]
        if self.nonnegative:
            points = [np.abs(x) for x in points]
        return points


def are_vectors(domain: Domain) -> bool:
    """Whether samples are vectors for every kernel that reads them.

    Noise and constants do not look at samples.
    """
    if isinstance(domain, Vectors):
        return True
    parts = [part for part in getattr(domain, "domains", ()) if not isinstance(part, Anything)]
    return bool(parts) and all(are_vectors(part) for part in parts)


def _grid(n_columns: int) -> np.ndarray:
    """About 64 points of a grid in up to six dimensions; further columns are 0."""
    axes = min(n_columns, 6)
    steps = 2
    if n_columns <= 6:
        steps = max(2, round(64 ** (1 / n_columns)))
    points = np.meshgrid(*[np.arange(steps, dtype=float)] * axes, indexing="ij")
    grid = np.zeros((steps**axes, n_columns))
    grid[:, :axes] = np.stack([axis.ravel() for axis in points], axis=1)
    return grid


VECTORS = Vectors()
NONNEGATIVE = Vectors(nonnegative=True)
