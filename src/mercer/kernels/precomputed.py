"""A kernel given by its matrix; samples are positions in it."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.definiteness import CPD, INDEFINITE, PSD, STRICT, Certificate, Where, Witness
from mercer.definiteness.matrices import check_gram
from mercer.domains.base import Batch, Domain, Samples
from mercer.errors import DomainError, EmptyInputError, InputTypeError, ParameterError
from mercer.gram.tile import Pair
from mercer.kernels.base import Kernel
from mercer.params import param, square_matrix

__all__ = ["Precomputed"]


class PositionSamples(Samples):
    """Positions in a matrix."""

    def __init__(self, at: np.ndarray) -> None:
        self.at = at
        self.origin = self

    def __len__(self) -> int:
        return len(self.at)

    def take(self, rows: np.ndarray) -> PositionSamples:
        taken = PositionSamples(self.at[rows])
        taken._inherit(self, rows)
        return taken


class Positions(Domain):
    """Whole numbers from 0, as a list, a vector, or one column."""

    name = "positions"
    accepts = frozenset({"indices"})

    def __init__(self, count: int) -> None:
        self.count = count

    def __hash__(self) -> int:
        return hash((Positions, self.count))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Positions) and other.count == self.count

    def encode(self, batch: Batch) -> Samples:
        try:
            at = np.asarray(batch.raw)
        except ValueError:
            raise InputTypeError(
                batch.argument,
                "a ragged list",
                "must be positions in the matrix",
                "give whole numbers",
            ) from None
        if at.ndim == 2 and at.shape[1] == 1:
            at = at[:, 0]
        if at.size == 0:
            raise EmptyInputError(batch.argument, "no positions", "is empty")
        whole = at.dtype.kind in "iu" or (
            at.dtype.kind == "f" and bool((np.isfinite(at) & (at == np.floor(at))).all())
        )
        if at.ndim != 1 or not whole:
            raise InputTypeError(
                batch.argument,
                f"{at.dtype} of shape {at.shape}",
                "must be positions in the matrix",
                "give whole numbers",
            )
        return PositionSamples(at.astype(np.int64))

    def sample(self, count: int, width: int, rng: np.random.Generator) -> Any:
        return rng.integers(0, self.count, count)

    def lattices(self, width: int, rng: np.random.Generator) -> list[Any]:
        return [np.arange(self.count)]


class Precomputed(Kernel):
    """k(i, j) = matrix[i, j] on positions i, j.

    >>> from mercer import Precomputed
    >>> Precomputed(matrix=[[2.0, 1.0], [1.0, 3.0]])([1, 0])[0].tolist()
    [3.0, 1.0]
    """

    matrix: Any = param(check=square_matrix)

    @property
    def domain(self) -> Domain:  # type: ignore[override]
        return Positions(len(self.matrix))

    def check_params(self) -> None:
        k = np.asarray(self.matrix, dtype=float)
        if not np.allclose(k, k.T, rtol=1e-10, atol=1e-10 * np.abs(k).max()):
            raise ParameterError(
                "Precomputed: matrix",
                f"{k.shape}, asymmetric",
                "must be symmetric",
                "use (K + K.T)/2",
            )

    def certify(self, d: int | None) -> Certificate:
        k = np.asarray(self.matrix, dtype=float)
        report = check_gram((k + k.T) / 2)
        where = Where(f"the {len(np.asarray(self.matrix))} given positions")
        rule = f"checked: the smallest eigenvalue is {report.min_eigenvalue:.4g}"
        if report.psd:
            return Certificate(STRICT if report.strict else PSD, repr(self), rule, where)
        if report.cpd:
            return Certificate(CPD, repr(self), rule + ", but none is negative where Σc = 0", where)
        witness = Witness(np.arange(len(report.worst)), report.worst, report.min_eigenvalue)
        return Certificate(INDEFINITE, repr(self), rule, where, witness=witness)

    def prepare(self, batch: Batch) -> PositionSamples:
        samples: Any = super().prepare(batch)
        size = len(np.asarray(self.matrix))
        if samples.at.min() < 0 or samples.at.max() >= size:
            bad = int(samples.at[(samples.at < 0) | (samples.at >= size)][0])
            raise DomainError(
                batch.argument, bad, f"is not a position in the {size} x {size} matrix"
            )
        return samples

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        matrix = np.asarray(self.matrix, dtype=float)
        np.copyto(out, matrix[np.ix_(pair.x.at[pair.rows], pair.y.at[pair.cols])])

    def diagonal(self, side: PositionSamples) -> np.ndarray:
        return np.asarray(self.matrix, dtype=float)[side.at, side.at]

    def map_features(self, batch: Batch, truncate: int | None) -> Any:
        k = np.asarray(self.matrix, dtype=float)
        return check_gram((k + k.T) / 2).square_root()[self.prepare(batch).at]

    def feature_dim(self, p: int) -> float:
        return len(np.asarray(self.matrix))

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(matrix=[[2.0, 1.0, 0.0], [1.0, 2.0, 0.5], [0.0, 0.5, 1.0]])]
