"""Kernels of texts by the words they share.

>>> from mercer import BagOfWords
>>> BagOfWords()(["a kernel is a kernel", "No kernel"], ["kernel, no proof"]).tolist()
[[2.0], [2.0]]
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from mercer import errors
from mercer.aliases import Prepared
from mercer.definiteness import PSD, Definite
from mercer.domains.base import Batch, Domain
from mercer.domains.parts import Parts
from mercer.domains.texts import Words, WordSamples
from mercer.domains.vectors import CsrSamples
from mercer.gram.tile import Pair
from mercer.kernels.base import Kernel
from mercer.params import Constraint, boolean, param

__all__ = ["BagOfWords", "TfIdf"]


def _is_range(value: Any) -> bool:
    if (
        not isinstance(value, (tuple, list))
        or len(value) != 2
        or not all(isinstance(v, int) and not isinstance(v, bool) for v in value)
    ):
        return False
    return 1 <= value[0] <= value[1]


def _are_words(value: Any) -> bool:
    if isinstance(value, str):
        return value == "english"
    return value is None or (
        isinstance(value, (list, tuple, set, frozenset)) and all(isinstance(v, str) for v in value)
    )


class _WordKernel(Kernel, abstract=True):
    """Texts read by scikit-learn's vectoriser: words of two letters or more, in lower case unless asked otherwise.

    A sparse matrix is taken for counts that a vectoriser of one's own made.
    """

    ngrams: Any = param(
        default=(1, 1),
        check=Constraint("a range", _is_range, "give (least, most) words, such as (1, 2)"),
    )
    stop_words: Any = param(
        default=None,
        check=Constraint("words", _are_words, "give None, 'english', or a list of words"),
    )
    lowercase: bool = param(default=True, check=boolean)

    @property
    def domain(self) -> Domain:  # type: ignore[override]
        stop = (
            self.stop_words
            if self.stop_words is None or isinstance(self.stop_words, str)
            else sorted(self.stop_words)
        )
        return Words(ngram_range=tuple(self.ngrams), stop_words=stop, lowercase=self.lowercase)


class BagOfWords(_WordKernel):
    """Σ_w |x|_w |y|_w: the inner product of the counts of words."""

    definite: ClassVar[Definite | None] = Definite(
        PSD, "inner product: φ(x) = the counts of words", "texts"
    )

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        np.copyto(out, pair.of(pair.x.counts, pair.y.counts).dot())

    def diagonal(self, side: WordSamples) -> np.ndarray:
        return side.counts.norms

    def map_features(self, batch: Batch, truncate: int | None) -> Any:
        side: Prepared = self.prepare(batch)
        return side.counts.x

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(), cls(ngrams=(1, 2), stop_words="english")]


class TfIdf(_WordKernel):
    """The cosine of log(1 + count)·log(N/(1 + df)): N texts were given to ``fit``, df of them have the word.

    Words that ``fit`` did not meet are dropped; a text without any other has φ = 0. Rows stay sparse.

    >>> from mercer import TfIdf
    >>> texts = ["crude oil prices", "oil exports", "wheat and corn", "corn prices", "barley"]
    >>> TfIdf().fit(texts)(["oil"], ["crude oil", "corn"]).round(3).tolist()
    [[0.487, 0.0]]
    """

    definite: ClassVar[Definite | None] = Definite(
        PSD, "inner product: φ(x) = the weighted counts of words, of length 1 or 0", "texts"
    )

    def fit_batch(self, batch: Batch) -> Self:
        side: Prepared = batch.encode(self.domain)
        found = np.bincount(side.counts.x.indices, minlength=len(side.vocabulary))
        self.idf_ = {
            word: float(np.log(len(side) / (1.0 + found[column])))
            for word, column in side.vocabulary.items()
        }
        return self

    def prepare(self, batch: Batch) -> Parts:
        if not hasattr(self, "idf_"):
            raise errors.NotFittedError(
                "TfIdf",
                self,
                "does not know how frequent words are",
                "call kernel.fit(texts) first",
            )
        side: Prepared = batch.encode(self.domain)
        # the weights are kept with the rows, so that no others can have their address
        return Parts(
            side.once(("weighted", id(self.idf_)), lambda: (self._weighted(side), self.idf_))[0]
        )

    def _weighted(self, side: Prepared) -> CsrSamples:
        from scipy.sparse import csr_matrix

        # the columns are those of fit, in its order: a text's row, and its rounding, does not depend on the texts beside it
        place = {word: column for column, word in enumerate(self.idf_)}
        column = np.array([place.get(word, -1) for word in side.vocabulary] or [-1])
        weight = np.array(list(self.idf_.values()) or [0.0])
        found = side.counts.x
        kept = column[found.indices] >= 0
        columns = column[found.indices[kept]]
        starts = np.concatenate([[0], np.cumsum(kept)])[found.indptr]
        rows = csr_matrix(
            (np.log1p(found.data[kept]) * weight[columns], columns, starts),
            shape=(len(side), len(weight)),
        )
        rows.sort_indices()
        length = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
        rows.data /= np.repeat(np.where(length > 0, length, 1.0), np.diff(rows.indptr))
        return CsrSamples(rows)

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        np.copyto(out, pair.of(pair.x[0], pair.y[0]).dot())

    def diagonal(self, side: Parts) -> np.ndarray:
        return side[0].norms

    def map_features(self, batch: Batch, truncate: int | None) -> Any:
        return self.prepare(batch)[0].x

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls()]
