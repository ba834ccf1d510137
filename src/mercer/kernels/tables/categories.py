"""Kernels on tables of categories: how many columns agree, and how rare what they agree on is.

>>> from mercer import Overlap
>>> Overlap()([["red", "round"], ["red", "long"]])[0, 1]
np.float64(0.5)
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Hashable, Iterator
from typing import Any, ClassVar, Self, cast

import numpy as np
from numpy.typing import ArrayLike

from mercer import _compiled, errors
from mercer.aliases import RawSamples, SparseMatrix
from mercer.definiteness import POSITIVE_DIAGONAL, PSD, SEPARATES, STRICT, Certificate, Definite
from mercer.definiteness.means import GAUSSIAN, YES, Means, blind
from mercer.domains.base import Batch, Domain, in_order_of
from mercer.domains.parts import Parts
from mercer.domains.tables.categories import CATEGORIES, CategorySamples, Vocabulary
from mercer.domains.tables.columns import table_columns
from mercer.errors import DomainError, InputTypeError, WidthError
from mercer.gram.single import SingleTiles, in_range
from mercer.gram.tile import Pair
from mercer.kernels.base import Derivative, Kernel
from mercer.kernels.combine.columns import by_names
from mercer.kernels.functions import register_function
from mercer.kernels.separable.separable import mean_form, product_form, sum_form
from mercer.kernels.separable.terms import Columns, Separation
from mercer.kernels.vectors.single_tiles import Formula, MatchTiles
from mercer.params import param, positive
from mercer.state import State

__all__ = ["Overlap", "WeightedOverlap"]

SPACE = "tables of categories"

Shares = dict[Hashable, float]  # of the values of a column, their relative frequencies


def _indicator_matrix(codes: np.ndarray, sizes: list[int]) -> SparseMatrix:
    """Rows of zeros and ones, with a feature for each of the codes that a column may have."""
    from scipy.sparse import csr_matrix

    n, d = codes.shape
    first = np.concatenate([[0], np.cumsum(sizes)])
    places = (codes + first[:-1]).ravel()
    return csr_matrix((np.ones(n * d), places, np.arange(0, n * d + 1, d)), (n, int(first[-1])))


class Overlap(Kernel, splits=mean_form):
    """(1/d) Σ_k [x_k = y_k]: the share of columns in which two rows agree.

    Rows of a table, of any hashable values; the simple matching coefficient of two of them.
    Missing values are refused: see `MissingAware`.

    Examples
    --------
    >>> from mercer import Overlap
    >>> Overlap()([["red", "round"], ["red", "long"]]).tolist()
    [[1.0, 0.5], [0.5, 1.0]]
    """

    definite = Definite(
        PSD,
        "inner product: φ(x) = one-hot(x)/√d",
        SPACE,
        facts=(SEPARATES, POSITIVE_DIAGONAL),
        means=Means(separable=True),
    )
    domain: ClassVar[Domain] = CATEGORIES

    def certify(self, d: int | None) -> Certificate:
        certificate = super().certify(d)
        if d is None:
            return certificate
        means = blind("the means are the frequencies in each column alone")
        if d == 1:
            reason = "the means are the probabilities of all values"
            means = Means(YES, reason, signed=True, separable=True)
        return dataclasses.replace(certificate, means=means)

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        codes = pair.x.codes[pair.rows]
        _compiled.categories.matches(codes, pair.y.columns()[:, pair.cols], 0, out)
        out /= pair.x.n_columns

    def single_tiles(self, centers: CategorySamples) -> SingleTiles:
        return MatchTiles(Formula("POWER"), self._shares, centers.columns(), 1.0)

    def _shares(self, samples: CategorySamples) -> tuple[np.ndarray, np.ndarray]:
        """The codes of all values, and the share 1/d that each of them counts."""
        return samples.codes, np.full(samples.codes.shape, 1.0 / samples.n_columns)

    def diagonal(self, samples: CategorySamples) -> np.ndarray:
        return np.ones(len(samples))

    def map_features(self, batch: Batch, truncate: int | None) -> SparseMatrix:
        samples: CategorySamples = self.prepare(batch)
        sizes = [max(1, len(known)) for known in samples.vocabularies]
        return _indicator_matrix(samples.codes, sizes) / np.sqrt(samples.n_columns)


def frequencies(batch: Batch) -> list[Shares]:
    """The relative frequencies of every column's values."""
    batch.encode(CATEGORIES)  # refuses missing values, and what cannot be a category
    columns, _ = table_columns(batch)
    return [relative_frequencies(Counter(column)) for column in columns]


def relative_frequencies(counts: Counter[Hashable]) -> Shares:
    """Every value's share of all that were counted."""
    total = sum(counts.values())
    return {value: count / total for value, count in counts.items()}


def h_alpha(z: ArrayLike, alpha: float = 1.0) -> np.ndarray:
    """h_α(z) = (1 − z^α)^{1/α}, the weight of a category that a share z of the rows has.

    It falls from 1 for what is never seen to 0 for what every row has; `WeightedOverlap` uses it.

    Parameters
    ----------
    z : array_like
        Shares between 0 and 1.
    alpha : float, default 1.0
        The order α > 0: the weight falls slowly at first if α > 1.

    Returns
    -------
    ndarray
        The weights, in the shape of z.

    Examples
    --------
    >>> from mercer import h_alpha
    >>> h_alpha([0.0, 0.5, 1.0], alpha=2.0).round(3).tolist()
    [1.0, 0.866, 0.0]
    """
    positive.check("h_alpha: alpha", alpha)
    try:
        shares = np.asarray(z, dtype=float)
    except (TypeError, ValueError):
        raise InputTypeError("h_alpha: z", z, "must be numbers from 0 to 1") from None
    outside = shares[~((shares >= 0) & (shares <= 1))]
    if outside.size:
        raise DomainError("h_alpha: z", float(outside[0]), "must be a share, from 0 to 1")
    return rarity(shares, float(alpha))


def rarity(share: float | np.ndarray, alpha: float) -> np.ndarray:
    """h_α of shares that are known to be from 0 to 1."""
    return (1.0 - np.asarray(share, dtype=float) ** alpha) ** (1.0 / alpha)


class WeightedOverlap(Kernel, splits=product_form):
    """exp((γ/d) Σ_k h_α(P_k(x_k)) [x_k = y_k]), h_α(z) = (1 − z^α)^{1/α}.

    Agreement on what is rare counts more: P_k is the share of a category among the training values
    of column k, learned by ``fit``; a category that was not seen has P = 0.

    Parameters
    ----------
    alpha : float, default 1.0
        How the weight h_α falls with the share of a category: slowly at first if α > 1.
    gamma : float, default 1.0
        The factor γ of the exponent.

    Attributes
    ----------
    frequencies_ : list of dict
        For every training column, the shares of its categories.

    Examples
    --------
    >>> from mercer import WeightedOverlap
    >>> rows = [["a", "x"], ["a", "y"], ["a", "x"], ["b", "x"]]
    >>> WeightedOverlap(alpha=1.0, gamma=2.0).fit(rows)(rows[:2]).round(3).tolist()
    [[1.649, 1.284], [1.284, 2.718]]
    """

    domain: ClassVar[Domain] = CATEGORIES
    stored: ClassVar[State] = State(finite=("frequencies_",), plain=("names_",))
    alpha: float = param(default=1.0, check=positive)
    gamma: float = param(default=1.0, check=positive, continuous=True)

    def claim(self) -> Definite:
        # h_α is 0 only for a value that all training rows have, of which a column has at most one
        rule = (
            "exp of an inner product, the one-hot row weighted by the roots of h_α; strict as at "
        )
        rule += "most one value of a column weighs 0, so that it separates all rows"
        return Definite(STRICT, rule, SPACE, facts=(POSITIVE_DIAGONAL,), means=GAUSSIAN)

    def fit_batch(self, batch: Batch) -> Self:
        self.frequencies_ = frequencies(batch)
        self.names_ = batch.names
        return self

    def of_column(self, position: int, n_columns: int) -> WeightedOverlap:
        kernel = WeightedOverlap(self.alpha, float(self.gamma) / n_columns)
        kernel.frequencies_, kernel.names_ = [self.frequencies_[position]], None
        return kernel

    def weights(self, samples: CategorySamples) -> np.ndarray:
        """h_α(P) of every value, and 0 of a missing one."""
        if not hasattr(self, "frequencies_"):
            rule = "does not know the frequencies yet"
            raise errors.NotFittedError("WeightedOverlap", self, rule, "call kernel.fit(X) first")
        if samples.n_columns != len(self.frequencies_):
            rule = f"must have the {len(self.frequencies_)} columns the kernel was fitted on"
            raise WidthError("X", f"{samples.n_columns} columns", rule)
        weights = np.empty(samples.codes.shape)
        for k, vocabulary in enumerate(samples.vocabularies):
            # the last weight is that of a missing value, whose code is −1
            of_code = np.zeros(len(vocabulary) + 1)
            for value, code in vocabulary.items():
                share = self.frequencies_[k].get(value, 0.0)
                of_code[code] = rarity(share, float(self.alpha))
            weights[:, k] = of_code[samples.codes[:, k]]
        return weights

    def prepare(self, batch: Batch) -> Parts:
        named = by_names(batch, getattr(self, "names_", None), self)
        samples = cast(CategorySamples, named.encode(self.domain))
        return Parts(samples, weight=self.weights(samples))

    def _exponent(self, pair: Pair, out: np.ndarray) -> None:
        x, y = pair.x[0], pair.y[0]
        weight = pair.x.extra["weight"][pair.rows]
        columns = y.columns()[:, pair.cols]
        _compiled.categories.weighted_matches(x.codes[pair.rows], weight, columns, 0, out)
        out /= x.n_columns

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        self._exponent(pair, out)
        np.exp(float(self.gamma) * out, out=out)

    def single_tiles(self, centers: Parts) -> SingleTiles | None:
        gamma, largest = float(self.gamma), float(self.diagonal(centers).max())
        formula = Formula("EXP", a=gamma, slope=gamma)
        if not in_range(largest):
            return None
        return MatchTiles(formula, self._shares, centers[0].columns(), largest)

    def _shares(self, samples: Parts) -> tuple[np.ndarray, np.ndarray]:
        """The codes of all values, and their weights over the number of columns."""
        return samples[0].codes, samples.extra["weight"] / samples[0].n_columns

    def diagonal(self, samples: Parts) -> np.ndarray:
        total = np.zeros(len(samples))
        # summed in the order of the tiles, so that the two agree to the bit
        for column in samples.extra["weight"].T:
            total += column
        return np.exp(float(self.gamma) * (total / samples[0].n_columns))

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        exponent = pair.buffer()
        self._exponent(pair, exponent)
        yield "gamma", None, exponent * np.exp(float(self.gamma) * exponent)

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(alpha=0.5, gamma=2.0), cls(alpha=2.0)]


def _numbered(values: list[Hashable]) -> Vocabulary:
    """The distinct values, numbered in the order in which they occur first."""
    return {value: code for code, value in enumerate(dict.fromkeys(values))}


class _OneHot:
    """Rows of categories as sparse rows of zeros and ones, one for every category of a column.

    ``kernel @ one_hot`` applies a kernel to them; ``one_hot(X)`` returns the sparse matrix, and
    ``one_hot(Z, like=one_hot(X))`` that of other rows with the same columns.
    """

    shares = True
    __name__ = "one_hot"

    def __repr__(self) -> str:
        return "one_hot"

    def __call__(self, X: RawSamples, like: SparseMatrix = None) -> SparseMatrix:
        batch = Batch(in_order_of(X, getattr(like, "names", None)))
        batch.encode(CATEGORIES)  # refuses missing values, and what cannot be a category
        columns, _ = table_columns(batch)
        vocabularies = [_numbered(values) for values in columns]
        if like is not None:
            vocabularies = like.vocabularies
        if len(vocabularies) != len(columns):
            rule = f"must have as many columns as X, which has {len(vocabularies)}"
            raise WidthError("Y", f"{len(columns)} columns", rule)
        # The last code of every column is for categories that the other collection does not have:
        # they agree with nothing.
        codes = np.empty((len(columns[0]), len(columns)), dtype=int)
        for k, known in enumerate(vocabularies):
            codes[:, k] = [known.get(value, len(known)) for value in columns[k]]
        image = _indicator_matrix(codes, [len(known) + 1 for known in vocabularies])
        image.vocabularies = vocabularies
        image.names = batch.names
        return image

    def separated(self, warp: Any, columns: Columns) -> Separation:
        """The form of a kernel of zeros and ones that treats all of them alike."""
        alike = all(np.ndim(value) == 0 for value in warp.continuous_params().values())
        form = type(warp.kernel).splits
        if not alike or form not in (product_form, sum_form):
            rule = "is no sum of products over columns of categories"
            raise errors.NotSeparableError("kernel", warp, rule, "explain it by sampling")
        return form(warp, columns)

    def __reduce__(self) -> str:
        return "one_hot"


one_hot = _OneHot()
register_function("one_hot", injective=True)(one_hot)
