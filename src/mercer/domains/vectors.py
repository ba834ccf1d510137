"""Rows of numbers, dense or sparse, and the products between two collections of them.

Dense rows are kept twice: as they came (the rows of a tile) and in *panels*, feature by feature (its columns).
Up to `WIDE` features inner products and squared distances are summed directly; beyond, they come from BLAS on
centred data, and entries that lost too much to cancellation are computed again directly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from mercer import _compiled
from mercer.aliases import DType, Prepared, RawSamples
from mercer.domains.base import Batch, Domain, Samples
from mercer.errors import (
    DomainError,
    EmptyInputError,
    InputTypeError,
    NotFiniteError,
    ShapeError,
    WidthError,
)

if TYPE_CHECKING:
    import scipy.sparse

TILE = 256  # rows and columns of a tile, and the width of a panel
WIDE = 48  # more features than this: BLAS
_SUMMED = 64  # products that BLAS may add in one go
_KEEP = 0.5  # a squared distance below this share of ‖x‖² + ‖y‖² is computed again
_MANY = 8  # if more than 1/8 of a tile has to be computed again, all of it is


class Workspace(Protocol):
    """What the engine lends to a tile."""

    def lookup(self, size: int) -> np.ndarray: ...
    def serial_blas(self) -> None: ...


class VectorSamples(Samples):
    """Dense rows as float64."""

    sparse = False

    def __init__(self, x: np.ndarray) -> None:
        self.x = x
        self.origin = self

    def __len__(self) -> int:
        return self.x.shape[0]

    @property
    def width(self) -> int:
        return self.x.shape[1]

    def take(self, rows: np.ndarray) -> VectorSamples:
        taken = VectorSamples(np.ascontiguousarray(self.x[rows]))
        taken._inherit(self, rows)
        return taken

    @property
    def panels(self) -> np.ndarray:
        return self.once("panels", self._pack)

    def _pack(self) -> np.ndarray:
        n, d = self.x.shape
        width = min(TILE, -(-n // 8) * 8)
        made = np.empty((-(-n // width), d, width))
        _compiled.storage.pack(self.x, made)
        return made

    def panel(self, j0: int) -> np.ndarray:
        """The panel that starts at row j0."""
        return self.panels[j0 // TILE]

    @property
    def norms(self) -> np.ndarray:
        """‖x‖² of every row, summed as tiles are."""
        return self.once("norms", lambda: self.products_with(self))

    def products_with(self, other: VectorSamples) -> np.ndarray:
        """⟨x_i, y_i⟩ of every row."""
        out = np.empty(len(self))
        _compiled.products.row_dots(self.x, other.x, out)
        return out

    @property
    def mean(self) -> np.ndarray:
        return self.once("mean", lambda: self.x.mean(axis=0))

    def centred(
        self, centre: np.ndarray, weights: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray]:
        """(x − centre)√weights and its squared norms, for BLAS."""

        def make() -> tuple[np.ndarray, np.ndarray]:
            rows = self.x - centre
            if weights is not None:
                rows *= np.sqrt(weights)
            return rows, np.einsum("ij,ij->i", rows, rows)

        return self.once(
            ("centred", centre.tobytes(), None if weights is None else weights.tobytes()), make
        )

    def dot(
        self, y: VectorSamples, i0: int, i1: int, j0: int, j1: int, out: np.ndarray, work: Workspace
    ) -> None:
        if self.width <= WIDE:
            _compiled.products.dot_tile(self.x[i0:i1], y.panel(j0), out)
            return
        work.serial_blas()
        rows, cols = self.x[i0:i1], y.x[j0:j1]
        # BLAS adds all products one after the other; some at a time, they keep the accuracy of the direct path
        np.dot(rows[:, :_SUMMED], cols[:, :_SUMMED].T, out=out)
        part = np.empty_like(out)
        for start in range(_SUMMED, self.width, _SUMMED):
            np.dot(rows[:, start : start + _SUMMED], cols[:, start : start + _SUMMED].T, out=part)
            out += part
        _compiled.products.repair_dots(
            out, self.norms[i0:i1], y.norms[j0:j1], rows, cols, np.empty(1)
        )

    def sqdist(
        self,
        y: VectorSamples,
        weights: np.ndarray | None,
        i0: int,
        i1: int,
        j0: int,
        j1: int,
        out: np.ndarray,
        work: Workspace,
    ) -> None:
        if self.width > WIDE and self._wide_sqdist(y, weights, i0, i1, j0, j1, out, work):
            return
        if weights is None:
            _compiled.products.sqdist_tile(self.x[i0:i1], y.panel(j0), out)
        else:
            _compiled.products.weighted_sqdist_tile(self.x[i0:i1], y.panel(j0), weights, out)

    def _wide_sqdist(
        self,
        y: VectorSamples,
        weights: np.ndarray | None,
        i0: int,
        i1: int,
        j0: int,
        j1: int,
        out: np.ndarray,
        work: Workspace,
    ) -> bool:
        """By BLAS; False if so much was lost that the whole tile should be computed directly."""
        products = _compiled.products
        rows, nx = self.centred(self.mean, weights)
        cols, ny = y.centred(self.mean, weights)
        work.serial_blas()
        np.dot(rows[i0:i1], cols[j0:j1].T, out=out)
        nx, ny = nx[i0:i1], ny[j0:j1]
        lost = products.dots_to_sqdist(out, nx, ny, _KEEP)
        if lost * _MANY > out.size:
            return False
        if lost:
            ones = np.ones(self.width) if weights is None else weights
            products.repair_sqdist(out, nx, ny, _KEEP, self.x[i0:i1], y.x[j0:j1], ones)
        return True

    def l1(
        self,
        y: VectorSamples,
        weights: np.ndarray,
        i0: int,
        i1: int,
        j0: int,
        j1: int,
        out: np.ndarray,
        work: Workspace,
    ) -> None:
        _compiled.products.l1_tile(self.x[i0:i1], y.panel(j0), weights, out)

    def squared_difference(
        self, y: VectorSamples, f: int, i0: int, i1: int, j0: int, j1: int, out: np.ndarray
    ) -> None:
        _compiled.coordinates.squared_difference(self.x[i0:i1], y.panel(j0), f, out)


class CsrSamples(Samples):
    """Sparse rows; inner products and Euclidean distances only."""

    sparse = True

    def __init__(self, x: scipy.sparse.csr_matrix) -> None:
        self.x = x
        self.origin = self
        self._panels: dict[int, tuple[np.ndarray, ...]] = {}

    def __len__(self) -> int:
        return self.x.shape[0]

    @property
    def width(self) -> int:
        return self.x.shape[1]

    def take(self, rows: np.ndarray) -> CsrSamples:
        taken = CsrSamples(self.x[rows])
        taken._inherit(self, rows)
        return taken

    @property
    def norms(self) -> np.ndarray:
        return self._norms(None)

    def _norms(self, weights: np.ndarray | None) -> np.ndarray:
        def make() -> np.ndarray:
            out = np.empty(len(self))
            weighted = self.x.data if weights is None else self.x.data * weights[self.x.indices]
            _compiled.sparse.row_dots(self.x.indptr, self.x.data, weighted, out)
            return out

        return self.once(("norms", None if weights is None else weights.tobytes()), make)

    def products_with(self, other: CsrSamples) -> np.ndarray:
        return np.asarray(self.x.multiply(other.x).sum(axis=1)).ravel()

    def _panel(self, j0: int, weights: np.ndarray | None) -> tuple[np.ndarray, ...]:
        """Rows j0 … j0 + TILE turned by feature: (features, starts, rows, values)."""
        made = self._panels.get(j0)
        if made is None:
            block = self.x[j0 : j0 + TILE].tocoo()
            order = np.lexsort((block.row, block.col))
            column = block.col[order]
            features, counts = np.unique(column, return_counts=True)
            starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
            made = (
                features.astype(np.int64),
                starts,
                block.row[order].astype(np.int64),
                block.data[order],
                column,
            )
            self._panels[j0] = made
        features, starts, rows, values, column = made
        return features, starts, rows, values if weights is None else values * weights[column]

    def dot(
        self, y: CsrSamples, i0: int, i1: int, j0: int, j1: int, out: np.ndarray, work: Workspace
    ) -> None:
        self._dot(y, None, i0, i1, j0, out, work)

    def _dot(
        self,
        y: CsrSamples,
        weights: np.ndarray | None,
        i0: int,
        i1: int,
        j0: int,
        out: np.ndarray,
        work: Workspace,
    ) -> None:
        x = self.x
        lookup = work.lookup(max(self.width, y.width))
        _compiled.sparse.dot_tile(
            x.indptr, x.indices, x.data, i0, i1, *y._panel(j0, weights), lookup, out
        )

    def sqdist(
        self,
        y: CsrSamples,
        weights: np.ndarray | None,
        i0: int,
        i1: int,
        j0: int,
        j1: int,
        out: np.ndarray,
        work: Workspace,
    ) -> None:
        self._dot(y, weights, i0, i1, j0, out, work)
        nx, ny = self._norms(weights)[i0:i1], y._norms(weights)[j0:j1]
        if _compiled.products.dots_to_sqdist(out, nx, ny, _KEEP):
            a, b = self.x, y.x
            ones = np.ones(self.width) if weights is None else weights
            _compiled.sparse.repair_sqdist(
                out,
                nx,
                ny,
                _KEEP,
                a.indptr,
                a.indices,
                a.data,
                i0,
                b.indptr,
                b.indices,
                b.data,
                j0,
                ones,
            )

    def __getattr__(self, name: str) -> Any:
        if name in ("panel", "l1", "squared_difference", "panels"):
            raise InputTypeError(
                "X",
                "a sparse matrix",
                "is not enough for this kernel, which looks at every coordinate",
                "give X.toarray()",
            )
        raise AttributeError(name)


def _not_numbers(raw: RawSamples, dtype: DType, side: str) -> InputTypeError:
    return InputTypeError(
        side,
        f"{type(raw).__name__} of {dtype}",
        "does not hold numbers",
        "encode text and categories, or use a kernel for them",
    )


def _as_floats(raw: RawSamples, side: str) -> np.ndarray:
    try:
        array = np.asarray(raw)
    except (ValueError, TypeError) as error:  # ragged lists
        raise ShapeError(
            side, type(raw).__name__, f"is not a rectangular table ({error})"
        ) from None
    if array.dtype == np.float64:
        return array
    if array.dtype.kind == "O":
        try:
            if any(isinstance(v, (str, bytes)) for v in array.ravel()):
                raise _not_numbers(raw, "strings", side)
            return array.astype(np.float64)
        except (TypeError, ValueError) as error:
            if isinstance(error, InputTypeError):
                raise
            raise _not_numbers(raw, "objects", side) from None
    if array.dtype.kind not in "fiub":
        raise _not_numbers(raw, array.dtype, side)
    return array.astype(np.float64)


def _check_finite(values: np.ndarray, where: Any, batch: Batch) -> None:
    """NaN and infinity are refused, with the place; the sum is a quick test that can only err on the side of looking."""
    with np.errstate(over="ignore", invalid="ignore"):
        total = values.sum()
    if not np.isfinite(total):
        bad = ~np.isfinite(values)
        if bad.any():
            row, column, value = where(bad)
            at = (
                f"{batch.side}[{row}, {column}]"
                if batch.names is None
                else f"{batch.side}[{row}], {batch.names[column]}"
            )
            raise NotFiniteError(
                at,
                float(value),
                "must be finite",
                "drop or impute the row, or use MissingAware for holes",
            )


def _check_shape(x: Prepared, batch: Batch) -> None:
    if x.size == 0 and x.ndim == 1:
        raise EmptyInputError(batch.side, "no samples", "is empty", "give at least one sample")
    if x.ndim != 2:
        remedy = "use X.reshape(-1, 1) for one feature, X.reshape(1, -1) for one sample"
        raise ShapeError(
            batch.side,
            f"array of shape {x.shape}",
            "must have two axes, samples and features",
            remedy,
        )
    if 0 in x.shape:
        what = "sample" if x.shape[0] == 0 else "feature"
        rule = f"is empty: at least one {what} (found 0 {what}(s), shape={x.shape}) while a minimum of 1 is required"
        raise EmptyInputError(batch.side, f"array of shape {x.shape}", rule)


class Vectors(Domain):
    """Rows of finite real numbers; ``nonnegative`` ones for histograms and the like."""

    accepts = frozenset({"matrix"})

    def __init__(self, nonnegative: bool = False) -> None:
        self.nonnegative = nonnegative
        self.name = "vectors with entries ≥ 0" if nonnegative else "vectors"

    def __hash__(self) -> int:
        return hash((Vectors, self.nonnegative))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Vectors) and other.nonnegative == self.nonnegative

    def encode(self, batch: Batch) -> Samples:
        samples: Any
        if self.nonnegative:
            samples = batch.encode(VECTORS)
            self._check_signs(samples, batch.side)
            return samples
        raw = batch.raw
        if type(raw) is np.ndarray and raw.dtype == np.float64 and raw.ndim == 2 and raw.size:
            x = np.ascontiguousarray(raw)
            _check_finite(x, lambda bad: (*np.argwhere(bad)[0], x[bad][0]), batch)
            samples = VectorSamples(x)
        elif hasattr(raw, "tocsr"):
            samples = self._encode_sparse(raw, batch)
        else:
            x = np.ascontiguousarray(_as_floats(raw, batch.side))
            _check_shape(x, batch)
            _check_finite(x, lambda bad: (*np.argwhere(bad)[0], x[bad][0]), batch)
            samples = VectorSamples(x)
        return (
            samples
            if batch.like is None
            else self._match(samples, batch.like.encode(VECTORS), batch)
        )

    def _encode_sparse(self, raw: RawSamples, batch: Batch) -> CsrSamples:
        if raw.dtype.kind not in "fiub":
            raise _not_numbers(raw, raw.dtype, batch.side)
        x = raw.tocsr().astype(np.float64)
        _check_shape(x, batch)
        if not x.has_canonical_format:
            x = x.copy()
            x.sum_duplicates()

        def place(bad: np.ndarray) -> tuple[int, int, float]:
            at = int(np.argmax(bad))
            return (
                int(np.searchsorted(x.indptr, at, side="right") - 1),
                int(x.indices[at]),
                x.data[at],
            )

        _check_finite(x.data, place, batch)
        return CsrSamples(x)

    @staticmethod
    def _match(samples: Any, like: Any, batch: Batch) -> Any:
        """The same width as the other side, and the same storage."""
        if samples.width != like.width:
            rule = (
                f"does not fit {batch.other}, which {'have' if batch.new else 'has'} {like.width}"
            )
            raise WidthError(
                batch.side, f"{samples.width} columns", rule, "give both the same features"
            )
        if samples.sparse and not like.sparse:
            return VectorSamples(np.ascontiguousarray(samples.x.toarray()))
        if like.sparse and not samples.sparse:
            import scipy.sparse

            return CsrSamples(scipy.sparse.csr_matrix(samples.x))
        return samples

    @staticmethod
    def _check_signs(samples: Any, side: str) -> None:
        values = samples.x.data if samples.sparse else samples.x
        if values.size and values.min() < 0:
            if samples.sparse:
                raise DomainError(
                    side, float(values.min()), "must be >= 0 everywhere for this kernel"
                )
            row, column = np.argwhere(values < 0)[0]
            raise DomainError(
                f"{side}[{row}, {column}]",
                float(values[row, column]),
                "must be >= 0 for this kernel",
                "shift or rescale the data",
            )

    def sample(self, count: int, width: int, rng: np.random.Generator) -> np.ndarray:
        x = rng.standard_normal((count, width))
        return np.abs(x) if self.nonnegative else x

    def lattices(self, width: int, rng: np.random.Generator) -> list[np.ndarray]:
        """A grid, a line, tight clusters, a sphere and noise at three scales."""
        side = max(2, round(64 ** (1 / width))) if width <= 6 else 2
        axes = np.meshgrid(*[np.arange(side, dtype=float)] * min(width, 6), indexing="ij")
        grid = np.zeros((side ** min(width, 6), width))
        grid[:, : min(width, 6)] = np.stack([a.ravel() for a in axes], axis=1)
        line = np.linspace(-1, 1, 33)[:, None] * np.ones(width)
        centres = 3 * rng.standard_normal((6, width))
        clusters = (centres[:, None] + 1e-2 * rng.standard_normal((6, 6, width))).reshape(-1, width)
        cross = np.vstack([np.zeros((1, width)), np.eye(width), -np.eye(width), 2 * np.eye(width)])
        made = [grid - grid.mean(axis=0), grid, line, clusters, cross]
        noise = rng.standard_normal((60, width))
        made += [
            noise,
            10 * noise,
            0.1 * noise,
            3 * noise / np.maximum(np.linalg.norm(noise, axis=1, keepdims=True), 1e-12),
        ]
        made = [np.unique(np.round(m, 12), axis=0) for m in made]
        return [np.abs(m) for m in made] if self.nonnegative else made


VECTORS = Vectors()
NONNEGATIVE = Vectors(nonnegative=True)
