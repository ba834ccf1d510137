"""A kernel given by its matrix; samples are positions in it."""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import ArrayLike

from mercer.definiteness import CPD, INDEFINITE, PSD, STRICT, Certificate, Where, Witness
from mercer.definiteness.matrices import GramReport, check_gram
from mercer.definiteness.means import FINITE_SET
from mercer.domains.base import Batch, Domain
from mercer.domains.positions import Positions, PositionSamples
from mercer.errors import DomainError, ParameterError
from mercer.gram.tile import Pair
from mercer.kernels.base import Kernel
from mercer.kernels.parameters import computed
from mercer.params import param, square_matrix

__all__ = ["Precomputed"]

_MOST = 64  # certificates of matrices that are kept, by their contents: each costs n³ operations
_CERTIFICATES: dict[tuple[int, bytes], Certificate] = {}


class Precomputed(Kernel):
    """k(i, j) = matrix[i, j] on positions i, j.

    Parameters
    ----------
    matrix : array_like of shape (n, n)
        The symmetric matrix of all values.

    Examples
    --------
    >>> from mercer import Precomputed
    >>> Precomputed(matrix=[[2.0, 1.0], [1.0, 3.0]])([1, 0])[0].tolist()
    [3.0, 1.0]
    """

    matrix: ArrayLike = param(check=square_matrix)

    def _values(self) -> np.ndarray:
        return np.asarray(self.matrix, dtype=float)

    def _report(self) -> GramReport:
        k = self._values()
        return check_gram((k + k.T) / 2)

    @computed
    def domain(self) -> Domain:
        return Positions(len(self._values()))

    def check_params(self) -> None:
        k = self._values()
        if not np.allclose(k, k.T, rtol=1e-10, atol=1e-10 * np.abs(k).max()):
            value = f"{k.shape}, asymmetric"
            raise ParameterError(
                "Precomputed: matrix", value, "must be symmetric", "use (K + K.T)/2"
            )

    def certify(self, d: int | None) -> Certificate:
        values = np.ascontiguousarray(self._values())
        key = len(values), hashlib.blake2b(values.data, digest_size=16).digest()
        known = _CERTIFICATES.get(key)
        if known is None:
            known = self._certificate()
            if len(_CERTIFICATES) >= _MOST:
                _CERTIFICATES.clear()
            _CERTIFICATES[key] = known
        return known

    def _certificate(self) -> Certificate:
        report = self._report()
        where = Where(f"the {len(report.worst)} given positions")
        rule = f"its eigenvalues, computed: the smallest is {report.min_eigenvalue:.4g}"
        if report.strict:
            rule += ", beyond rounding errors"
            return Certificate(STRICT, repr(self), rule, where, means=FINITE_SET)
        if report.psd:
            return Certificate(PSD, repr(self), f"{rule}, 0 but for rounding errors", where)
        if report.cpd:
            return Certificate(CPD, repr(self), rule + ", but none is negative where Σc = 0", where)
        witness = Witness(np.arange(len(report.worst)), report.worst, report.min_eigenvalue)
        return Certificate(INDEFINITE, repr(self), rule, where, witness=witness)

    def prepare(self, batch: Batch) -> PositionSamples:
        samples: PositionSamples = super().prepare(batch)
        size = len(self._values())
        outside = (samples.at < 0) | (samples.at >= size)
        if outside.any():
            rule = f"is not a position in the {size} x {size} matrix"
            raise DomainError(batch.argument, int(samples.at[outside][0]), rule)
        return samples

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        np.copyto(out, self._values()[np.ix_(pair.x.at[pair.rows], pair.y.at[pair.cols])])

    def diagonal(self, samples: PositionSamples) -> np.ndarray:
        return self._values()[samples.at, samples.at]

    def map_features(self, batch: Batch, truncate: int | None) -> np.ndarray:
        return self._report().square_root()[self.prepare(batch).at]

    def feature_dim(self, p: int) -> float:
        return len(self._values())

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(matrix=[[2.0, 1.0, 0.0], [1.0, 2.0, 0.5], [0.0, 0.5, 1.0]])]
