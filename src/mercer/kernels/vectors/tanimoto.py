"""The Tanimoto kernel, by which molecular fingerprints are compared.

>>> from mercer import Tanimoto
>>> Tanimoto()([[1, 1, 0, 1]], [[1, 0, 0, 1]]).round(3).tolist()
[[0.667]]
"""

from __future__ import annotations

from typing import cast

import numpy as np

from mercer import _compiled
from mercer.aliases import Prepared
from mercer.definiteness import STRICT, Definite
from mercer.domains.base import Batch, Domain, Samples, Tile
from mercer.domains.parts import Parts
from mercer.domains.vectors.domain import NONNEGATIVE, VECTORS
from mercer.gram.tile import Pair
from mercer.kernels.base import Kernel
from mercer.params import choice, param

__all__ = ["Tanimoto"]

_STRICT = (
    "whose features are all monomials of φ, independent for distinct φ; 0 is orthogonal to all "
    "others"
)


class Words(Samples):
    """Rows of zeros and ones, 64 of them in a word."""

    def __init__(self, words: np.ndarray) -> None:
        self.words = words

    def __len__(self) -> int:
        return len(self.words)

    def take(self, rows: np.ndarray) -> Words:
        return Words(self.words[rows])._inherit(self, rows)


class Tanimoto(Kernel):
    """Σ min(x_j, y_j)/Σ max(x_j, y_j), or ⟨x, y⟩/(‖x‖² + ‖y‖² − ⟨x, y⟩); k(0, 0) = 1.

    On rows of zeros and ones both are the number of ones in common divided by the number of columns
    where either is 1, which is `Jaccard` of the sets of these columns; such rows are packed to
    bits.

    Parameters
    ----------
    form : {"minmax", "dot"}, default="minmax"
        ``"minmax"`` for counts, of numbers that are not negative, as RDKit compares count
        fingerprints; ``"dot"`` for any numbers, as GAUCHE does.

    Examples
    --------
    >>> from mercer import Tanimoto
    >>> Tanimoto()([[2, 0, 1]], [[1, 1, 1]]).tolist()
    [[0.5]]
    >>> Tanimoto(form="dot")([[2, 0, 1]], [[1, 1, 1]]).tolist()
    [[0.6]]

    References
    ----------
    L. Ralaivola, S. J. Swamidass, H. Saigo and P. Baldi (2005). Graph kernels for chemical
    informatics. Neural Networks 18, 1093-1110.
    """

    form: str = param(default="minmax", check=choice("minmax", "dot"))

    @property
    def domain(self) -> Domain:  # type: ignore[override]
        return NONNEGATIVE if self.form == "minmax" else VECTORS

    @property
    def constant_diagonal(self) -> bool:
        return True

    def claim(self) -> Definite:
        if self.form == "dot":
            rule = "Schur product of ⟨x, y⟩, whose diagonal is positive, and the strict "
            rule += "1/(‖x‖² + ‖y‖² − ⟨x, y⟩) = ∫ e^(−t‖x‖²) e^(−t‖y‖²) e^(t⟨x, y⟩) dt over t > 0, "
            return Definite(STRICT, rule + _STRICT.replace("φ", "x"))
        rule = "Schur product of m = Σ min(x_j, y_j) = ⟨φ(x), φ(y)⟩, φ the indicators of the "
        rule += "intervals [0, x_j], whose diagonal is positive, and the strict 1/Σ max(x_j, y_j) "
        rule += "= ∫ e^(−tΣx) e^(−tΣy) e^(tm) dt over t > 0, "
        return Definite(STRICT, rule + _STRICT, "x ≥ 0")

    def prepare(self, batch: Batch) -> Parts:
        samples: Prepared = batch.encode(self.domain)
        sides = [samples]
        if not samples.sparse and _is_binary(samples.x):
            sides.append(samples.once("words", lambda: Words(_packed(samples.x))))
        prepared = Parts(*sides, total=self._totals(samples))
        return prepared._inherit(samples, np.arange(len(samples)))

    def _totals(self, samples: Prepared) -> np.ndarray:
        """Σ x_j or ‖x‖² of every row, added up in the order in which tiles are."""
        if self.form == "dot":
            return cast(np.ndarray, samples.norms)
        if not samples.sparse:
            return np.add.reduce(np.ascontiguousarray(samples.x.T), axis=0)
        totals, rows = np.empty(len(samples)), samples.x
        _compiled.sparse.row_dots(rows.indptr, rows.data, np.ones(rows.nnz), totals)
        return totals

    def _common(self, pair: Pair, out: np.ndarray) -> np.ndarray:
        """Σ min(x_j, y_j) or ⟨x, y⟩."""
        if len(pair.x.sides) == len(pair.y.sides) == 2:
            words = pair.x[1].words, pair.y[1].words
            _compiled.bits.common_ones(*words, pair.i0, pair.j0, out)
            return out
        rows = pair.part(0)
        if self.form == "dot":
            return rows.dot(out)
        return smaller_parts(rows, out)

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        common = self._common(pair, out)
        whole = pair.x.extra["total"][pair.rows, None] + pair.y.extra["total"][None, pair.cols]
        whole -= common
        np.divide(common, whole, out=out, where=whole > 0)
        out[whole <= 0] = 1.0  # both are 0

    def diagonal(self, samples: Parts) -> np.ndarray:
        return np.ones(len(samples))

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(), cls(form="dot")]


def smaller_parts(pair: Pair, out: np.ndarray) -> np.ndarray:
    """Σ min(x_j, y_j) of rows of numbers that are not negative, dense or sparse."""
    if not pair.x.sparse:
        _compiled.coordinates.intersection_tile(*pair.coordinates(), out)
        return out
    pair.x.minima(pair.y, Tile(pair.rows, pair.cols, out, pair.work))
    return out


def _is_binary(x: np.ndarray) -> bool:
    return bool(((x == 0.0) | (x == 1.0)).all())


def _packed(x: np.ndarray) -> np.ndarray:
    """Rows of zeros and ones as words of 64 bits."""
    n_words = -(-x.shape[1] // 64)
    octets = np.zeros((len(x), 8 * n_words), dtype=np.uint8)
    bits = np.packbits(x.astype(bool), axis=1)
    octets[:, : bits.shape[1]] = bits
    return octets.view(np.uint64)
