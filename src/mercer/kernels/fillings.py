"""The leaves of `MissingAware` and `Completions`: kernels whose mean over fillings has a formula, and enumeration for all others.

Every leaf learns the distributions of its own columns. Where k factors over columns the mean does too, and nothing is enumerated.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Hashable
from typing import Any, ClassVar, Self

import numpy as np

from mercer import _compiled, errors
from mercer.definiteness import PSD, Definite
from mercer.domains.base import Batch, Domain
from mercer.domains.categories import Categories, is_hole, table_columns
from mercer.domains.holes import HoledNumbers, HoledSamples
from mercer.domains.vectors import Vectors
from mercer.errors import DomainError, ParameterError, WidthError, explain
from mercer.gram.pair import Pair
from mercer.kernels.base import Kernel
from mercer.kernels.categories import Overlap, WeightedOverlap, rarity
from mercer.kernels.composite import is_kernel
from mercer.kernels.dot import Linear
from mercer.kernels.maps import Warp
from mercer.kernels.parts import Parts
from mercer.params import Constraint, boolean, choice, integer, param

__all__: list[str] = []

_MOST = 4096  # completions of one row that are enumerated
_BLOCK = 1 << 20  # differences of numbers held at a time

markers = Constraint("markers", lambda v: isinstance(v, tuple) and all(isinstance(m, Hashable) for m in v), "give a tuple, such as ('?',)")
some_values = Constraint("values", lambda v: v is None or isinstance(v, (list, tuple)), "give a list of values for each column, or None")


def no_value(name: str) -> DomainError:
    """A column of holes only."""
    return DomainError(explain(name, "no value", "has nothing that a hole could be filled with", "leave the column out"))


def column_shares(batch: Batch, given: tuple[Hashable, ...], uniform: bool = False, values: Any = None) -> list[dict[Any, float]]:
    """For every column the probability of each value a hole may have."""
    batch.encode(Categories(holes=True, markers=given))  # refuses what is not a table of categories
    columns, names = table_columns(batch)
    if values is not None and len(values) != len(columns):
        raise ParameterError(explain("values", f"{len(values)} lists", f"must be one for each of the {len(columns)} columns"))
    made = []
    for k, column in enumerate(columns):
        count = Counter(value for value in column if not (is_hole(value) or value in given))
        if values is not None:
            count = Counter(dict.fromkeys(values[k], 1))
        if not count:
            raise no_value(names[k])
        total = sum(count.values())
        made.append({value: 1.0 / len(count) if uniform else number / total for value, number in count.items()})
    return made


class Expected(Kernel, abstract=True):
    """A leaf: the mean of a kernel over all fillings of both rows."""

    definite: ClassVar[Definite | None] = Definite(
        PSD, "mean embedding: the inner product of the means of φ over all fillings", "tables with holes"
    )
    kernel: Kernel = param(check=is_kernel)
    missing: tuple[Hashable, ...] = param(default=(), check=markers)
    uniform: bool = param(default=False, check=boolean)
    values: Any = param(default=None, check=some_values)

    def _fitted(self, name: str, width: int, side: str) -> Any:
        """What was learned of each column, of as many columns as there are now."""
        if not hasattr(self, name):
            raise errors.NotFittedError(
                explain("kernel", self.kernel, "does not know the distributions of the columns yet", "call kernel.fit(X)")
            )
        learned = getattr(self, name)
        if len(learned) != width:
            raise WidthError(explain(side, f"{width} columns", f"must have the {len(learned)} columns the kernel was fitted on"))
        return learned


class Sides(Parts):
    """Parts that also know what two holes are worth, column by column."""

    def __init__(self, *sides: Any, both: np.ndarray, **extra: Any) -> None:
        super().__init__(*sides, **extra)
        self.both = both

    def one_columns(self) -> np.ndarray:
        return self.once("one", lambda: np.ascontiguousarray(self.extra["one"].T))

    def take(self, rows: np.ndarray) -> Sides:
        taken = super().take(rows)
        made = Sides(*taken.sides, both=self.both, **taken.extra)
        made._inherit(self, rows)
        return made


class ExpectedMatches(Expected, abstract=True):
    """Of `Overlap`, `WeightedOverlap` and RBF @ one_hot: sums or products over columns of what only asks whether two categories agree."""

    @property
    def domain(self) -> Domain:  # type: ignore[override]
        return Categories(holes=True, markers=self.missing)

    def fit_batch(self, batch: Batch) -> Self:
        self.shares_ = column_shares(batch, self.missing, self.uniform, self.values)
        # how rare a category is, is a matter of the data, whatever holes are filled with
        self.rarities_ = column_shares(batch, self.missing) if isinstance(self.kernel, WeightedOverlap) else None
        return self

    @property
    def _product(self) -> bool:
        return not isinstance(self.kernel, Overlap)

    @property
    def _differ(self) -> float:
        """The term of a column in which they differ; of products, the logarithm of the factor."""
        return -1.0 / float(self.kernel.kernel.length_scale) ** 2 if isinstance(self.kernel, Warp) else 0.0  # type: ignore[attr-defined]

    def _agree(self, k: int, value: Any, width: int) -> float:
        """The same where both have this value."""
        if isinstance(self.kernel, WeightedOverlap):
            share = self.rarities_[k].get(value, 0.0)  # type: ignore[index]
            return float(self.kernel.gamma / width * rarity(share, float(self.kernel.alpha)))
        return 0.0 if self._product else 1.0

    def _means(self, agree: np.ndarray, share: np.ndarray) -> tuple[np.ndarray, float]:
        """Of a value and a hole, and of two holes, from what agreement on each value is worth and how likely each is."""
        alike = float((share * share).sum())
        if not self._product:
            return share * agree, alike
        differ = self._differ
        with np.errstate(divide="ignore"):  # the logarithm of 0 is −∞, and its exponential 0 again
            one = np.logaddexp(np.log(share) + agree, np.log1p(-share) + differ)
            both = np.logaddexp.reduce([*(2 * np.log(share) + agree), np.log(max(0.0, 1.0 - alike)) + differ])
        return one, float(both)

    def prepare(self, batch: Batch) -> Sides:
        side: Any = batch.encode(self.domain)
        n, d = side.codes.shape
        shares = self._fitted("shares_", d, batch.side)
        same, one, both = np.empty((n, d)), np.empty((n, d)), np.empty(d)
        for k, vocabulary in enumerate(side.vocabularies):
            values = list(dict.fromkeys([*vocabulary, *shares[k]]))  # those of the codes come first
            agree = np.array([self._agree(k, value, d) for value in values])
            of_one, both[k] = self._means(agree, np.array([shares[k].get(value, 0.0) for value in values]))
            # the code of a hole, −1, finds a last value that is never used
            same[:, k], one[:, k] = agree[side.codes[:, k]], of_one[side.codes[:, k]]
        return Sides(side, same=same, one=one, both=both)

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        x, y = pair.x[0], pair.y[0]
        _compiled.categories.expected_matches(
            x.codes[pair.i0 : pair.i1],
            pair.x.extra["same"][pair.rows],
            pair.x.extra["one"][pair.rows],
            y.columns()[:, pair.j0 : pair.j1],
            pair.y.one_columns()[:, pair.j0 : pair.j1],
            pair.x.both,
            self._differ,
            out,
        )
        if self._product:
            np.exp(out, out=out)
        else:
            out /= x.width

    def diagonal(self, side: Any) -> np.ndarray:
        parts = np.where(side[0].codes >= 0, side.extra["same"], side.both)
        total = np.zeros(len(side))
        for column in parts.T:  # in the order of the tiles, so that the bits agree
            total += column
        return np.exp(total) if self._product else total / side[0].width


class _Numbers(Expected, abstract=True):
    """Of kernels on numbers: means and variances of the columns, or their values."""

    numbers: str = param(default="gaussian", check=choice("gaussian", "empirical"))

    @property
    def domain(self) -> Domain:  # type: ignore[override]
        return HoledNumbers(self.missing)

    def fit_batch(self, batch: Batch) -> Self:
        side: Any = batch.encode(self.domain)
        seen = [column[~np.isnan(column)] for column in side.x.T]
        for name, column in zip(side.names, seen, strict=True):
            if not len(column):
                raise no_value(name)
        self.means_, self.variances_ = np.array([c.mean() for c in seen]), np.array([c.var() for c in seen])
        self.observed_ = [np.unique(c, return_counts=True) for c in seen] if self.numbers == "empirical" else None
        return self


def _log_mean(x: np.ndarray, values: np.ndarray, counts: np.ndarray, scale: float) -> np.ndarray:
    """log of the mean of exp(−(x − v)²/2ℓ²) over values v, some rows at a time."""
    from scipy.special import logsumexp

    made = np.empty(len(x))
    step = max(1, _BLOCK // len(values))
    for start in range(0, len(x), step):
        at = slice(start, start + step)
        made[at] = logsumexp(-0.5 * ((x[at, None] - values) / scale) ** 2, axis=1, b=counts)
    return made - np.log(counts.sum())


class ExpectedGaussian(_Numbers, abstract=True):
    """Of `RBF`: holes are normal with the column's mean and variance, or any of its values."""

    def _scales(self, width: int) -> np.ndarray:
        """One length scale for every column."""
        given = np.asarray(self.kernel.length_scale, dtype=np.float64)  # type: ignore[attr-defined]
        if given.ndim and len(given) != width:
            raise WidthError(explain("length_scale", f"{len(given)} values", f"must be one for each of the {width} columns"))
        return np.full(width, 1.0) * given

    def prepare(self, batch: Batch) -> Sides:
        from scipy.special import logsumexp

        side: Any = batch.encode(self.domain)
        d = side.x.shape[1]
        scale = self._scales(d)
        mean, variance = self._fitted("means_", d, batch.side), self._fitted("variances_", d, batch.side)
        x = np.where(np.isnan(side.x), 0.0, side.x)
        if self.observed_ is None:
            wide = scale**2 + variance
            one = np.log(scale / np.sqrt(wide)) - 0.5 * (x - mean) ** 2 / wide
            both = np.log(scale / np.sqrt(scale**2 + 2 * variance))
        else:
            one, both = np.empty(x.shape), np.empty(d)
            for k, (values, counts) in enumerate(self.observed_):
                one[:, k] = _log_mean(x[:, k], values, counts, scale[k])
                both[k] = logsumexp(_log_mean(values, values, counts, scale[k]), b=counts) - np.log(counts.sum())
        return Sides(side, one=one, both=both)

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        x, y = pair.x[0], pair.y[0]
        _compiled.categories.expected_gaussian(
            x.x[pair.i0 : pair.i1],
            pair.x.extra["one"][pair.rows],
            y.columns()[:, pair.j0 : pair.j1],
            pair.y.one_columns()[:, pair.j0 : pair.j1],
            pair.x.both,
            0.5 / self._scales(len(pair.x.both)) ** 2,
            out,
        )
        np.exp(out, out=out)

    def diagonal(self, side: Any) -> np.ndarray:
        total = np.zeros(len(side))
        for column in np.where(np.isnan(side[0].x), side.both, 0.0).T:
            total += column
        return np.exp(total)


class MeanFilled(_Numbers, abstract=True):
    """Of `Linear`: the mean of an inner product is that of the rows filled with their columns' means."""

    def prepare(self, batch: Batch) -> Any:
        side: Any = batch.encode(self.domain)
        self._fitted("means_", side.x.shape[1], batch.side)
        return Linear().prepare(batch.apply(_Filler(self)))

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        np.copyto(out, pair.dot(out))

    def diagonal(self, side: Any) -> np.ndarray:
        return side.norms


class _Filler:
    """A function of a collection that puts the means where holes are."""

    __name__ = "fill"

    def __init__(self, owner: MeanFilled) -> None:
        self.owner = owner

    def __hash__(self) -> int:
        return hash(id(self.owner))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Filler) and other.owner is self.owner

    def __call__(self, raw: Any) -> np.ndarray:
        side: HoledSamples = Batch(raw).encode(self.owner.domain)  # type: ignore[assignment]
        return np.where(np.isnan(side.x), self.owner.means_, side.x)


class Completed(Expected, abstract=True):
    """Of any kernel: rows completed in all ways, or by one shared table of draws, and the mean over all pairs of completions."""

    draws: int = param(default=32, check=integer(1))
    enumerate: bool = param(default=False, check=boolean)

    @property
    def domain(self) -> Domain:  # type: ignore[override]
        numbers = isinstance(self.kernel.domain, Vectors)
        return HoledNumbers(self.missing) if numbers else Categories(holes=True, markers=self.missing)

    def fit_batch(self, batch: Batch) -> Self:
        from mercer.kernels.embeddings import MeanEmbedding

        self.shares_ = column_shares(batch, self.missing, self.uniform, self.values)
        rng = np.random.default_rng(0)
        # draws for each pair apart would not be positive: one table serves all rows
        self.table_ = [[values[i] for i in self._drawn(rng, share)] for share in self.shares_ for values in [list(share)]]
        columns, _ = table_columns(batch)
        whole = [row for row in zip(*columns, strict=True) if not any(map(self._is_hole, row))]
        self.inner_ = MeanEmbedding(self.kernel.copy())
        self.inner_.kernel.fit(as_table(whole or list(zip(*self.table_, strict=True)), batch.raw))
        return self

    def _drawn(self, rng: np.random.Generator, share: dict[Any, float]) -> np.ndarray:
        return rng.choice(len(share), self.draws, p=list(share.values()))

    def _is_hole(self, value: Any) -> bool:
        return is_hole(value) or value in self.missing

    def _completions(self, row: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        holes = [k for k, value in enumerate(row) if self._is_hole(value)]
        if not holes:
            return [row]
        if self.enumerate:
            count = float(np.prod([len(self.shares_[k]) for k in holes]))
            if count > _MOST:
                rule = f"would have {count:.0f} completions of one row, where {_MOST} are allowed"
                raise ParameterError(explain("Completions", self.kernel, rule, "use MissingAware, which draws some"))
            fills: Any = itertools.product(*(self.shares_[k] for k in holes))
        else:
            fills = zip(*(self.table_[k] for k in holes), strict=True)
        made = []
        for fill in fills:
            filled = list(row)
            for k, value in zip(holes, fill, strict=True):
                filled[k] = value
            made.append(tuple(filled))
        return made

    def bags(self, raw: Any) -> list[Any]:
        columns, _ = table_columns(Batch(raw))
        return [as_table(self._completions(row), raw) for row in zip(*columns, strict=True)]

    def prepare(self, batch: Batch) -> Any:
        self._fitted("shares_", len(table_columns(batch)[0]), batch.side)
        return self.inner_.prepare(batch.apply(self.bags))

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        self.inner_.tile(pair, out)

    def diagonal(self, side: Any) -> np.ndarray:
        return self.inner_.diagonal(side)


def as_table(rows: list[tuple[Any, ...]], like: Any) -> Any:
    """Rows as a table of the kind they came from: a data frame keeps its names, numbers are an array of numbers, anything else objects."""
    if hasattr(like, "iloc"):
        import pandas

        return pandas.DataFrame(rows, columns=like.columns)
    if hasattr(like, "columns"):
        return type(like)(rows, schema=like.schema, orient="row")
    if all(isinstance(value, (int, float, np.number)) and not isinstance(value, bool) for row in rows for value in row):
        return np.array(rows, dtype=float)
    made = np.empty((len(rows), len(rows[0])), dtype=object)
    for i, row in enumerate(rows):
        made[i] = row
    return made
