"""Kernels of texts by the words they share.

>>> from mercer import BagOfWords
>>> BagOfWords()(["a kernel is a kernel", "No kernel"], ["kernel, no proof"]).tolist()
[[2.0], [2.0]]
"""

from __future__ import annotations

from collections.abc import Collection, Hashable
from typing import ClassVar, Self

import numpy as np

from mercer import errors
from mercer.aliases import Features, Prepared, RawSamples
from mercer.definiteness import PSD, Definite
from mercer.definiteness.means import finite
from mercer.domains.base import Batch, Domain
from mercer.domains.parts import Parts
from mercer.domains.texts import Words, WordSamples
from mercer.domains.vectors.domain import CsrSamples
from mercer.errors import DomainMismatchError, WidthError
from mercer.gram.tile import Pair
from mercer.kernels.base import Kernel
from mercer.kernels.parameters import computed
from mercer.kernels.separable.parts import PartValues, both_batches, feature_values
from mercer.params import Constraint, boolean, integer, param
from mercer.state import State

__all__ = ["BagOfWords", "TfIdf"]

_count = integer(1)


def _is_range(value: object) -> bool:
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        return False
    are_integers = all(isinstance(v, int) and _count.holds(v) for v in value)
    return are_integers and value[0] <= value[1]


def _are_words(value: object) -> bool:
    if value is None or isinstance(value, str):
        return value in (None, "english")
    if not isinstance(value, (list, tuple, set, frozenset)):
        return False
    return all(isinstance(word, str) for word in value)


_range = Constraint("a range", _is_range, "give (least, most) words, such as (1, 2)")
_words = Constraint("words", _are_words, "give None, 'english', or a list of words")


class _WordKernel(Kernel, abstract=True):
    """Texts read by scikit-learn's vectorizer: words of two letters or more."""

    aligned: ClassVar[bool] = True
    ngrams: tuple[int, int] = param(default=(1, 1), check=_range)
    stop_words: Collection[str] | None = param(default=None, check=_words)
    lowercase: bool = param(default=True, check=boolean)

    @computed
    def domain(self) -> Domain:
        stop = self.stop_words
        if stop is not None and not isinstance(stop, str):
            stop = sorted(stop)
        return Words(ngram_range=tuple(self.ngrams), stop_words=stop, lowercase=self.lowercase)


class BagOfWords(_WordKernel):
    """Σ_w |x|_w |y|_w: the inner product of the counts of words.

    Texts are read by scikit-learn's vectorizer: words of two letters or more. An array, a sparse
    matrix or a data frame of numbers is taken for counts, with a column for each word.

    Parameters
    ----------
    ngrams : (int, int)
        The least and the most words of the sequences that are counted.
    stop_words : None, "english", or list of str
        Words that are left out.
    lowercase : bool
        Whether to read capital letters as small ones.

    Examples
    --------
    >>> from mercer import BagOfWords
    >>> BagOfWords(stop_words=["the"])(
    ...     ["the kernel"], ["the kernel of the kernel"]
    ... ).tolist()
    [[2.0]]
    """

    definite = Definite(
        PSD, "inner product: φ(x) = the counts of words", "texts", means=finite("counts of words")
    )

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        np.copyto(out, pair.of(pair.x.counts, pair.y.counts).dot())

    def diagonal(self, samples: WordSamples) -> np.ndarray:
        return samples.counts.norms

    def map_features(self, batch: Batch, truncate: int | None) -> Features:
        return self.prepare(batch).counts.x

    def part_values(self, X: RawSamples, samples: RawSamples, C: np.ndarray) -> list[PartValues]:
        new, training = map(self.prepare, both_batches(X, samples))
        return feature_values(new.counts.x, training.counts.x, list(new.vocabulary), C)

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(), cls(ngrams=(1, 2), stop_words="english")]


class TfIdf(_WordKernel):
    """The cosine of log(1 + count)·log(N/(1 + df)): df of the N texts of ``fit`` have the word.

    This weight, log(N/(1 + df)), is 0 for a word that all texts but one have, and slightly negative
    for a word that all texts have, which then counts a little. ``smooth_idf=True`` takes the weight
    of scikit-learn's `TfidfTransformer`, 1 + log((1 + N)/(1 + df)), which is at least 1 and falls
    with df.

    Words that ``fit`` did not meet are dropped; a text without any other has φ = 0. Rows stay
    sparse. An array, a sparse matrix or a data frame of numbers is taken for counts, with a column
    for each word.

    Parameters
    ----------
    ngrams : (int, int)
        The least and the most words of the sequences that are counted.
    stop_words : None, "english", or list of str
        Words that are left out.
    lowercase : bool
        Whether to read capital letters as small ones.
    smooth_idf : bool
        Whether words are weighted by 1 + log((1 + N)/(1 + df)), as in scikit-learn.

    Attributes
    ----------
    idf_ : dict
        The weight of every word that ``fit`` met; for counts without names, of every column.

    Examples
    --------
    >>> from mercer import TfIdf
    >>> texts = [
    ...     "crude oil prices",
    ...     "oil exports",
    ...     "wheat and corn",
    ...     "corn prices",
    ...     "barley",
    ... ]
    >>> TfIdf().fit(texts)(["oil"], ["crude oil", "corn"]).round(3).tolist()
    [[0.487, 0.0]]
    >>> TfIdf().fit(texts).idf_["oil"].__round__(3)
    0.511
    >>> TfIdf(smooth_idf=True).fit(texts).idf_["oil"].__round__(3)
    1.693
    """

    smooth_idf: bool = param(default=False, check=boolean)
    stored: ClassVar[State] = State(finite=("idf_",))

    definite = Definite(
        PSD,
        "inner product: φ(x) = the weighted counts of words, of length 1 or 0",
        "texts",
        means=finite("counts of words"),
    )

    def fit_batch(self, batch: Batch) -> Self:
        samples: Prepared = batch.encode(self.domain)
        vocabulary = samples.vocabulary
        n_texts = np.bincount(samples.counts.x.indices, minlength=len(vocabulary))
        if self.smooth_idf:
            weights = 1.0 + np.log((1.0 + len(samples)) / (1.0 + n_texts))
        else:
            weights = np.log(len(samples) / (1.0 + n_texts))
        self.idf_ = {word: float(weights[column]) for word, column in vocabulary.items()}
        return self

    def prepare(self, batch: Batch) -> Parts:
        if not hasattr(self, "idf_"):
            rule = "does not know how frequent words are"
            raise errors.NotFittedError("TfIdf", self, rule, "call kernel.fit(texts) first")
        samples: Prepared = batch.encode(self.domain)
        self._check_words(samples, batch.argument)

        def weighted() -> tuple[CsrSamples, dict[Hashable, float]]:
            # The weights are kept with the rows, so that no others can have their address.
            return self._weighted(samples), self.idf_

        rows, _ = samples.once(("weighted", id(self.idf_)), weighted)
        return Parts(rows)

    def _check_words(self, samples: WordSamples, argument: str) -> None:
        """Refuse columns without names where words were fitted, and the other way round."""
        by_position = [bool(known) and 0 in known for known in (samples.vocabulary, self.idf_)]
        if samples.vocabulary and self.idf_ and by_position[0] != by_position[1]:
            forms = ["columns without names" if by else "words" for by in by_position]
            rule = f"cannot be weighted by a kernel that was fitted to {forms[1]}"
            raise DomainMismatchError(argument, forms[0], rule, "fit it to samples of this form")
        if all(by_position) and len(samples.vocabulary) != len(self.idf_):
            rule = f"must have as many columns as the samples of fit: {len(self.idf_)}"
            raise WidthError(argument, f"{len(samples.vocabulary)} columns", rule)

    def _weighted(self, samples: WordSamples) -> CsrSamples:
        """The weighted counts as rows of length 1, or 0.

        The columns are those of ``fit``, in its order: a text's row, and its rounding, does not
        depend on the texts beside it.
        """
        from scipy.sparse import csr_matrix

        place = {word: column for column, word in enumerate(self.idf_)}
        column = np.array([place.get(word, -1) for word in samples.vocabulary] or [-1])
        weight = np.array(list(self.idf_.values()) or [0.0])
        counts = samples.counts.x
        kept = column[counts.indices] >= 0
        columns = column[counts.indices[kept]]
        starts = np.concatenate([[0], np.cumsum(kept)])[counts.indptr]
        values = np.log1p(counts.data[kept]) * weight[columns]
        rows = csr_matrix((values, columns, starts), shape=(len(samples), len(weight)))
        rows.sort_indices()
        length = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
        rows.data /= np.repeat(np.where(length > 0, length, 1.0), np.diff(rows.indptr))
        return CsrSamples(rows)

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        np.copyto(out, pair.part(0).dot())

    def diagonal(self, samples: Parts) -> np.ndarray:
        return samples[0].norms

    def map_features(self, batch: Batch, truncate: int | None) -> Features:
        return self.prepare(batch)[0].x

    def part_values(self, X: RawSamples, samples: RawSamples, C: np.ndarray) -> list[PartValues]:
        new, training = map(self.prepare, both_batches(X, samples))
        return feature_values(new[0].x, training[0].x, list(self.idf_), C)

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(), cls(smooth_idf=True)]
