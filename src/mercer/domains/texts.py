"""Texts as sparse rows of word counts, read by scikit-learn's vectoriser."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from mercer.domains.base import Batch, Domain, Samples
from mercer.domains.strings import texts_of
from mercer.domains.vectors import CsrSamples
from mercer.errors import DomainError, DomainMismatchError, WidthError


class WordSamples(Samples):
    """Counts of words; collections that are compared share one vocabulary, which only grows."""

    def __init__(self, counts: CsrSamples, vocabulary: dict[str, int], given: bool = False) -> None:
        self.counts = counts
        self.given = given  # as counts, not as texts
        self.vocabulary = vocabulary
        self.origin = self

    def __len__(self) -> int:
        return len(self.counts)

    def fork(self) -> WordSamples:
        return self._forked(vocabulary=dict(self.vocabulary))

    def take(self, rows: np.ndarray) -> WordSamples:
        taken = WordSamples(self.counts.take(rows), self.vocabulary, self.given)
        taken._inherit(self, rows)
        return taken


class Words(Domain):
    """Texts, cut into words and sequences of words as ``options`` of scikit-learn's CountVectorizer say."""

    name = "texts"
    accepts = frozenset({"strings", "objects"})

    def __init__(self, **options: Any) -> None:
        self.options = options

    def __hash__(self) -> int:
        return hash((Words, repr(sorted(self.options.items()))))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Words) and other.options == self.options

    def encode(self, batch: Batch) -> WordSamples:
        from scipy.sparse import csr_matrix
        from sklearn.feature_extraction.text import CountVectorizer

        like: Any = None if batch.like is None else batch.like.encode(self)
        if like is not None and like.given != hasattr(batch.raw, "tocsr"):
            forms = ("texts", "counts")
            rule = f"cannot be compared with {batch.other}, which are {forms[like.given]}: their columns have no words"
            raise DomainMismatchError(
                batch.side, forms[not like.given], rule, "give both in one form"
            )
        if hasattr(batch.raw, "tocsr"):
            return self._counted(batch, like)
        analyse = CountVectorizer(**self.options).build_analyzer()
        known: dict[str, int] = {} if like is None else like.vocabulary
        indptr, indices, data = [0], [], []
        for text in texts_of(batch):
            for word, count in Counter(analyse(text)).items():
                indices.append(known.setdefault(word, len(known)))
                data.append(float(count))
            indptr.append(len(indices))
        counts = csr_matrix(
            (data, indices, indptr), shape=(len(indptr) - 1, max(1, len(known))), dtype=np.float64
        )
        counts.sort_indices()
        return WordSamples(CsrSamples(counts), known)

    def _counted(self, batch: Batch, like: Any) -> WordSamples:
        """A sparse matrix of counts, a column for each word: as a vectoriser of one's own makes it."""
        from scipy.sparse import csr_matrix

        counts = csr_matrix(
            batch.raw, dtype=np.float64, copy=True
        )  # what is done to it is not done to the caller's
        counts.sum_duplicates()
        counts.sort_indices()
        if not np.isfinite(counts.data).all() or (counts.nnz and counts.data.min() < 0):
            raise DomainError(
                batch.side, "a sparse matrix", "holds what is no count", "give numbers >= 0"
            )
        if like is not None and len(like.vocabulary) != counts.shape[1]:
            rule = f"must have as many columns as {batch.other}: {len(like.vocabulary)}"
            raise WidthError(batch.side, f"{counts.shape[1]} columns", rule)
        known = (
            {f"column {k}": k for k in range(counts.shape[1])} if like is None else like.vocabulary
        )
        return WordSamples(CsrSamples(counts), known, given=True)

    def sample(self, count: int, width: int, rng: np.random.Generator) -> Any:
        words = np.array(["kernel", "proof", "the", "oil", "grain", "an", "wheat"])
        return [
            " ".join(rng.choice(words, size=int(rng.integers(0, width + 5)))) for _ in range(count)
        ]

    def lattices(self, width: int, rng: np.random.Generator) -> list[Any]:
        chain = [" ".join(["word"] * k + ["other"] * (6 - k)) for k in range(7)]
        return [chain, self.sample(60, width, rng), self.sample(40, 4 * width, rng)]
