"""Texts as sparse rows of word counts, read by scikit-learn's CountVectorizer."""

from __future__ import annotations

import numbers
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.aliases import RawSamples
from mercer.domains.base import Batch, Domain, Samples, in_order_of
from mercer.domains.strings import texts_of
from mercer.domains.vectors.domain import CsrSamples
from mercer.errors import DomainError, DomainMismatchError, WidthError


@dataclass(eq=False)
class WordSamples(Samples):
    """Counts of words; collections that are compared share one vocabulary, which only grows.

    The words of given counts are the names of their columns, or positions where they have no names.
    """

    counts: CsrSamples
    vocabulary: dict[Hashable, int]
    given: bool = False  # whether the user gave counts, not texts

    def __len__(self) -> int:
        return len(self.counts)

    def fork(self) -> WordSamples:
        return self._forked(vocabulary=dict(self.vocabulary))

    def take(self, rows: np.ndarray) -> WordSamples:
        taken = WordSamples(self.counts.take(rows), self.vocabulary, self.given)
        return taken._inherit(self, rows)


def _check_form(given: bool, other: bool, batch: Batch) -> None:
    """Refuse to compare texts with counts, whose columns have no words."""
    if given != other:
        forms = ("texts", "counts")
        which = f"which are {forms[other]}: their columns have no words"
        rule = f"cannot be compared with {batch.other}, {which}"
        raise DomainMismatchError(batch.argument, forms[given], rule, "give both in one form")


def _counts_of(raw: RawSamples) -> RawSamples | None:
    """A matrix of numbers with a row for each text; None if the samples are texts."""
    if hasattr(raw, "tocsr"):
        return raw
    if isinstance(raw, (list, tuple)) and not _has_rows(raw):
        return None
    try:
        array = np.asarray(raw)
    except (TypeError, ValueError):  # rows of different lengths
        return None
    if array.ndim != 2 or array.shape[1] == 0:
        return None
    return _as_numbers(array)


def _as_numbers(array: np.ndarray) -> np.ndarray | None:
    """An array of numbers; None if there are others among its values, or none at all."""
    if array.dtype.kind in "biuf":
        return array
    # Tables of pandas' own types of numbers become objects; text is never read as numbers.
    are_numbers = all(isinstance(value, numbers.Real) for value in array.ravel())
    if array.size and are_numbers:
        return array.astype(float)
    return None


def _has_rows(raw: Sequence[object]) -> bool:
    return len(raw) > 0 and not isinstance(raw[0], str) and hasattr(raw[0], "__len__")


def _column_names(batch: Batch, n_columns: int) -> Iterable[Hashable]:
    """The words of given counts: the names of a data frame's columns, or positions."""
    names = batch.names
    if names is None:
        return range(n_columns)
    words = [str(name) for name in names]
    if len(set(words)) < len(words):
        rule = "has two columns of one name"
        raise WidthError(batch.argument, "a data frame", rule, "give each word one column")
    return words


class Words(Domain):
    """Texts, cut into words by scikit-learn's CountVectorizer with these ``options``.

    Counts of words are taken too: an array, a sparse matrix or a data frame of numbers.
    """

    name = "texts"
    accepts = frozenset({"strings", "objects"})

    def __init__(self, **options: Any) -> None:
        self.options = options

    def __hash__(self) -> int:
        return hash((Words, repr(sorted(self.options.items()))))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Words) and other.options == self.options

    def encode(self, batch: Batch) -> WordSamples:
        like = batch.encode_like(self)
        raw = in_order_of(batch.raw, None if batch.like is None else batch.like.names)
        counts = _counts_of(raw)
        vocabulary = {}
        if like is not None:
            _check_form(counts is not None, like.given, batch)
            vocabulary = like.vocabulary
        if counts is not None:
            return self._from_counts(counts, batch, vocabulary)
        return self._from_texts(batch, vocabulary)

    def _from_texts(self, batch: Batch, vocabulary: dict[Hashable, int]) -> WordSamples:
        from scipy.sparse import csr_matrix
        from sklearn.feature_extraction.text import CountVectorizer

        analyze = CountVectorizer(**self.options).build_analyzer()
        indptr, indices, data = [0], [], []
        for text in texts_of(batch):
            for word, count in Counter(analyze(text)).items():
                indices.append(vocabulary.setdefault(word, len(vocabulary)))
                data.append(float(count))
            indptr.append(len(indices))
        shape = (len(indptr) - 1, max(1, len(vocabulary)))
        counts = csr_matrix((data, indices, indptr), shape=shape, dtype=np.float64)
        counts.sort_indices()
        return WordSamples(CsrSamples(counts), vocabulary)

    @staticmethod
    def _from_counts(
        matrix: RawSamples, batch: Batch, vocabulary: dict[Hashable, int]
    ) -> WordSamples:
        """Counts with a column for each word, as a vectorizer makes them."""
        from scipy.sparse import csr_matrix

        counts = csr_matrix(matrix, dtype=np.float64, copy=True)
        counts.sum_duplicates()
        counts.sort_indices()
        valid = np.isfinite(counts.data) & (counts.data >= 0)
        if not valid.all():
            value = float(counts.data[np.argmin(valid)])
            raise DomainError(batch.argument, value, "is not a count", "give numbers >= 0")
        n_columns = counts.shape[1]
        if batch.like is None:
            vocabulary.update({name: k for k, name in enumerate(_column_names(batch, n_columns))})
        if len(vocabulary) != n_columns:
            rule = f"must have as many columns as {batch.other}: {len(vocabulary)}"
            raise WidthError(batch.argument, f"{n_columns} columns", rule)
        return WordSamples(CsrSamples(counts), vocabulary, given=True)

    def sample(self, count: int, n_columns: int, rng: np.random.Generator) -> list[str]:
        words = np.array(["kernel", "proof", "the", "oil", "grain", "an", "wheat"])
        lengths = (int(rng.integers(0, n_columns + 5)) for _ in range(count))
        return [" ".join(rng.choice(words, size=length)) for length in lengths]

    def lattices(self, n_columns: int, rng: np.random.Generator) -> list[RawSamples]:
        """Texts between two words, and random texts, short and long."""
        chain = [" ".join(["word"] * k + ["other"] * (6 - k)) for k in range(7)]
        return [chain, self.sample(60, n_columns, rng), self.sample(40, 4 * n_columns, rng)]
