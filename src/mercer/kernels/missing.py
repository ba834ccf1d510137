"""Kernels on tables with holes: the mean of k over all ways to fill them (theorems 4 and 5 of the lectures).

The holes of two rows are filled independently, also when the two are the same row; so the kernel is the inner product of the means of φ
over the fillings, and positive whatever k is. Where k factors over columns the mean does too, and nothing is enumerated.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable
from typing import Any, ClassVar, Self

import numpy as np

from mercer import _compiled
from mercer.definiteness import PSD, UNKNOWN, Certificate, Definite
from mercer.domains.base import Batch, Domain
from mercer.domains.categories import Categories, is_hole, table_columns
from mercer.domains.holes import HoledNumbers, HoledSamples
from mercer.errors import DomainError, NotFittedError, ParameterError, explain
from mercer.gram.pair import Pair
from mercer.kernels.base import Kernel
from mercer.kernels.categories import Overlap, WeightedOverlap, one_hot, rarity
from mercer.kernels.compose import Product, Scaled, Sum
from mercer.kernels.composite import is_kernel
from mercer.kernels.dot import Constant, Linear
from mercer.kernels.maps import On, Warp
from mercer.kernels.parts import Parts
from mercer.kernels.radial import RBF
from mercer.params import Constraint, boolean, choice, integer, param

__all__ = ["Completions", "MissingAware"]

_MOST = 4096  # completions of one row that are enumerated

markers = Constraint("markers", lambda v: isinstance(v, tuple) and all(isinstance(m, Hashable) for m in v), "give a tuple, such as ('?',)")
some_values = Constraint("values", lambda v: v is None or isinstance(v, (list, tuple)), "give a list of values for each column, or None")


def column_shares(batch: Batch, given: tuple[Hashable, ...], uniform: bool, values: Any) -> list[dict[Any, float]]:
    """For every column the probability of each value a hole may have."""
    columns, names = table_columns(batch)
    if values is not None and len(values) != len(columns):
        raise ParameterError(explain("values", f"{len(values)} lists", f"must be one for each of the {len(columns)} columns"))
    made = []
    for k, column in enumerate(columns):
        seen = [value for value in column if not (is_hole(value) or value in given)]
        known = list(dict.fromkeys(seen if values is None else [*values[k]]))
        if not known:
            raise DomainError(explain(names[k], "no value", "has nothing that a hole could be filled with", "leave the column out"))
        if uniform:
            made.append({value: 1.0 / len(known) for value in known})
        else:
            count = dict.fromkeys(known, 0)
            for value in seen:
                count[value] += 1
            made.append({value: number / len(seen) for value, number in count.items()})
    return made


class _Expected(Kernel, abstract=True):
    """A leaf whose mean over fillings has a closed form; it learns the distributions of its own columns."""

    definite: ClassVar[Definite | None] = Definite(
        PSD, "mean embedding: the inner product of the means of φ over all fillings", "tables with holes"
    )
    kernel: Kernel = param(check=is_kernel)
    missing: tuple[Hashable, ...] = param(default=(), check=markers)
    uniform: bool = param(default=False, check=boolean)
    values: Any = param(default=None, check=some_values)

    def _fitted(self, name: str) -> Any:
        if not hasattr(self, name):
            raise NotFittedError(
                explain("MissingAware", self.kernel, "does not know the distributions of the columns yet", "call kernel.fit(X)")
            )
        return getattr(self, name)


class _ExpectedMatches(_Expected, abstract=True):
    """Of `Overlap`, `WeightedOverlap` and RBF @ one_hot: sums or products over columns of what only asks whether two categories agree."""

    @property
    def domain(self) -> Domain:  # type: ignore[override]
        return Categories(holes=True, markers=self.missing)

    @property
    def product(self) -> bool:
        return not isinstance(self.kernel, Overlap)

    def fit_batch(self, batch: Batch) -> Self:
        self.shares_ = column_shares(batch, self.missing, self.uniform, self.values)
        # how rare a category is, is a matter of the data, whatever holes are filled with
        self.rarities_ = column_shares(batch, self.missing, False, None) if isinstance(self.kernel, WeightedOverlap) else None
        return self

    def _agreement(self, k: int, value: Any, width: int) -> float:
        """The factor (or term) of a column in which both have this value."""
        if isinstance(self.kernel, WeightedOverlap):
            share = self._fitted("rarities_")[k].get(value, 0.0)
            return float(np.exp(self.kernel.gamma / width * rarity(share, float(self.kernel.alpha))))
        return 1.0

    def _difference(self) -> float:
        if isinstance(self.kernel, Warp):
            return float(np.exp(-1.0 / float(self.kernel.kernel.length_scale) ** 2))  # type: ignore[attr-defined]
        return 1.0 if isinstance(self.kernel, WeightedOverlap) else 0.0

    def prepare(self, batch: Batch) -> Parts:
        side: Any = batch.encode(self.domain)
        shares = self._fitted("shares_")
        n, d = side.codes.shape
        same, one, both = np.zeros((n, d)), np.zeros((n, d)), np.zeros(d)
        differ = self._difference()
        for k, (vocabulary, share) in enumerate(zip(side.vocabularies, shares, strict=True)):
            agree = {value: self._agreement(k, value, d) for value in {*vocabulary, *share}}
            of_same, of_one = np.zeros(len(vocabulary) + 1), np.zeros(len(vocabulary) + 1)
            for value, code in vocabulary.items():
                p = share.get(value, 0.0)
                of_same[code], of_one[code] = agree[value], p * agree[value] + (1 - p) * differ
            alike = sum(p * p for p in share.values())
            both[k] = sum(p * p * agree[value] for value, p in share.items()) + (1 - alike) * differ
            same[:, k], one[:, k] = of_same[side.codes[:, k]], of_one[side.codes[:, k]]
        if self.product:  # sums of logarithms
            with np.errstate(divide="ignore"):
                same, one, both = (np.where(part > 0, np.log(np.where(part > 0, part, 1.0)), 0.0) for part in (same, one, both))
        return _Sides(side, same=same, one=one).with_both(both, one)

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        x, y = pair.x[0], pair.y[0]
        differ = float(np.log(self._difference())) if self.product else 0.0
        _compiled.categories.expected_matches(
            x.codes[pair.i0 : pair.i1],
            pair.x.extra["same"][pair.rows],
            pair.x.extra["one"][pair.rows],
            y.columns()[:, pair.j0 : pair.j1],
            pair.y.one_columns()[:, pair.j0 : pair.j1],
            pair.x.both,
            differ,
            out,
        )
        if self.product:
            np.exp(out, out=out)
        else:
            out /= x.width

    def diagonal(self, side: Any) -> np.ndarray:
        parts = np.where(side[0].codes >= 0, side.extra["same"], side.both)
        total = np.zeros(len(side))
        for column in parts.T:  # in the order of the tiles, so that the bits agree
            total += column
        return np.exp(total) if self.product else total / side[0].width


class _Sides(Parts):
    """Parts that also know what two holes are worth, column by column."""

    both: np.ndarray

    def with_both(self, both: np.ndarray, one: np.ndarray) -> _Sides:
        self.both = both
        return self

    def one_columns(self) -> np.ndarray:
        return self.once("one", lambda: np.ascontiguousarray(self.extra["one"].T))

    def take(self, rows: np.ndarray) -> _Sides:
        taken = super().take(rows)
        made = _Sides(*taken.sides, **taken.extra).with_both(self.both, self.extra["one"])
        made._inherit(self, rows)
        return made


def _scales(kernel: Any, width: int) -> np.ndarray:
    """One length scale for every column."""
    return np.full(width, 1.0) * np.asarray(kernel.length_scale, dtype=np.float64)


class _ExpectedGaussian(_Expected, abstract=True):
    """Of `RBF`: holes are normal with the column's mean and variance, or any of its values."""

    numbers: str = param(default="gaussian", check=choice("gaussian", "empirical"))

    @property
    def domain(self) -> Domain:  # type: ignore[override]
        return HoledNumbers(self.missing)

    def fit_batch(self, batch: Batch) -> Self:
        side: Any = batch.encode(self.domain)
        empty = np.isnan(side.x).all(axis=0)
        if empty.any():
            k = int(np.argmax(empty))
            raise DomainError(explain(f"column {k}", "no value", "has nothing that a hole could be filled with", "leave the column out"))
        self.means_, self.variances_ = np.nanmean(side.x, axis=0), np.nanvar(side.x, axis=0)
        self.observed_ = [column[~np.isnan(column)] for column in side.x.T] if self.numbers == "empirical" else None
        return self

    def prepare(self, batch: Batch) -> _Sides:
        side: Any = batch.encode(self.domain)
        mean, variance = self._fitted("means_"), self._fitted("variances_")
        scale = _scales(self.kernel, len(mean))
        x = np.where(np.isnan(side.x), 0.0, side.x)
        if self.observed_ is None:
            wide = scale**2 + variance
            one = np.log(scale / np.sqrt(wide)) - 0.5 * (x - mean) ** 2 / wide
            both = np.log(scale / np.sqrt(scale**2 + 2 * variance))
        else:
            from scipy.special import logsumexp

            one, both = np.empty(x.shape), np.empty(len(scale))
            for k, values in enumerate(self.observed_):
                one[:, k] = logsumexp(-0.5 * ((x[:, k, None] - values) / scale[k]) ** 2, axis=1) - np.log(len(values))
                both[k] = logsumexp(-0.5 * ((values[:, None] - values) / scale[k]) ** 2) - 2 * np.log(len(values))
        return _Sides(side, one=one).with_both(both, one)

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        x, y = pair.x[0], pair.y[0]
        sharp = 0.5 / _scales(self.kernel, len(pair.x.both)) ** 2
        _compiled.categories.expected_gaussian(
            x.x[pair.i0 : pair.i1],
            pair.x.extra["one"][pair.rows],
            y.columns()[:, pair.j0 : pair.j1],
            pair.y.one_columns()[:, pair.j0 : pair.j1],
            pair.x.both,
            sharp,
            out,
        )
        np.exp(out, out=out)

    def diagonal(self, side: Any) -> np.ndarray:
        total = np.zeros(len(side))
        for column in np.where(np.isnan(side[0].x), side.both, 0.0).T:
            total += column
        return np.exp(total)


class _MeanFilled(_Expected, abstract=True):
    """Of `Linear`: the mean of an inner product is that of the rows filled with their columns' means."""

    @property
    def domain(self) -> Domain:  # type: ignore[override]
        return HoledNumbers(self.missing)

    fit_batch = _ExpectedGaussian.fit_batch
    numbers: ClassVar[str] = "gaussian"  # type: ignore[misc]

    def prepare(self, batch: Batch) -> Any:
        side: Any = batch.encode(self.domain)
        mean = self._fitted("means_")
        return Linear().prepare(batch.apply(_Filler(self, side, mean)))

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        np.copyto(out, pair.dot(out))

    def diagonal(self, side: Any) -> np.ndarray:
        return side.norms


class _Filler:
    """A function of a collection that puts the means where holes are."""

    __name__ = "fill"

    def __init__(self, owner: _MeanFilled, side: HoledSamples, mean: np.ndarray) -> None:
        self.owner, self.mean = owner, mean

    def __hash__(self) -> int:
        return hash(id(self.owner))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Filler) and other.owner is self.owner

    def __call__(self, raw: Any) -> np.ndarray:
        x: Any = Batch(raw).encode(self.owner.domain)
        return np.where(np.isnan(x.x), self.mean, x.x)


class _Bags(_Expected, abstract=True):
    """Of any kernel: rows completed in all ways, or by one shared table of draws, and the mean over all pairs of completions."""

    draws: int = param(default=32, check=integer(1))
    enumerate: bool = param(default=False, check=boolean)

    @property
    def domain(self) -> Domain:  # type: ignore[override]
        return Categories(holes=True, markers=self.missing)

    def fit_batch(self, batch: Batch) -> Self:
        columns, _ = table_columns(batch)
        self.shares_ = column_shares(batch, self.missing, self.uniform, self.values)
        rng = np.random.default_rng(0)
        # draws for each pair apart would not be positive: one table serves all rows
        self.table_ = [[list(share)[i] for i in rng.choice(len(share), self.draws, p=list(share.values()))] for share in self.shares_]
        whole = [row for row in zip(*columns, strict=True) if not any(self._is_hole(v) for v in row)]
        if not whole:
            whole = [tuple(self.table_[k][m] for k in range(len(columns))) for m in range(self.draws)]
        from mercer.kernels.embeddings import MeanEmbedding

        self.inner_ = MeanEmbedding(self.kernel.copy())
        self.inner_.kernel.fit(_as_table(whole))
        return self

    def _is_hole(self, value: Any) -> bool:
        return is_hole(value) or value in self.missing

    def _completions(self, row: tuple[Any, ...]) -> Any:
        holes = [k for k, value in enumerate(row) if self._is_hole(value)]
        if not holes:
            return _as_table([row])
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
        return _as_table(made)

    def bags(self, raw: Any) -> list[Any]:
        columns, _ = table_columns(Batch(raw))
        return [self._completions(row) for row in zip(*columns, strict=True)]

    def prepare(self, batch: Batch) -> Any:
        self._fitted("inner_")
        return self.inner_.prepare(batch.apply(self.bags))

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        self.inner_.tile(pair, out)

    def diagonal(self, side: Any) -> np.ndarray:
        return self.inner_.diagonal(side)


def _as_table(rows: list[tuple[Any, ...]]) -> Any:
    """Numbers as an array of numbers, anything else as objects."""
    if all(isinstance(value, (int, float, np.number)) and not isinstance(value, bool) for row in rows for value in row):
        return np.array(rows, dtype=float)
    made = np.empty((len(rows), len(rows[0])), dtype=object)
    for i, row in enumerate(rows):
        made[i] = row
    return made


def _is_one_hot_rbf(kernel: Kernel) -> bool:
    return (
        isinstance(kernel, Warp)
        and kernel.function is one_hot
        and isinstance(kernel.kernel, RBF)
        and not np.ndim(kernel.kernel.length_scale)
    )


def _apart(kernel: Product) -> bool:
    """Whether the factors look at different columns, so that their holes are filled independently."""
    seen: set[Any] = set()
    for child in kernel.children().values():
        if not isinstance(child, On) or isinstance(child.columns, slice):
            return False
        listed = set(child._listed())
        if listed & seen:
            return False
        seen |= listed
    return True


class _Filled(Kernel, abstract=True):
    """What `MissingAware` and `Completions` share: the kernel is rewritten leaf by leaf when it is fitted."""

    kernel: Kernel = param(check=is_kernel)
    missing: tuple[Hashable, ...] = param(default=(), check=markers)

    def _options(self) -> dict[str, Any]:
        raise NotImplementedError(type(self).__name__)

    def rewritten(self, kernel: Kernel) -> Kernel:
        options = self._options()
        plain = {name: options[name] for name in ("missing", "uniform", "values")}
        if isinstance(kernel, (Overlap, WeightedOverlap)) or _is_one_hot_rbf(kernel):
            return _ExpectedMatches(kernel.copy(), **plain)
        if isinstance(kernel, RBF) and not options["uniform"]:
            return _ExpectedGaussian(kernel.copy(), **plain, numbers=options["numbers"])
        if isinstance(kernel, Linear) and not options["uniform"]:
            return _MeanFilled(kernel.copy(), **plain)
        if isinstance(kernel, Constant):
            return kernel.copy()
        if isinstance(kernel, Scaled):
            return Scaled(kernel.factor, self.rewritten(kernel.kernel))
        if isinstance(kernel, On):
            return On(self.rewritten(kernel.kernel), kernel.columns)
        if isinstance(kernel, Sum) or (isinstance(kernel, Product) and _apart(kernel)):
            return type(kernel)(*(self.rewritten(child) for child in kernel.children().values()))
        return _Bags(kernel.copy(), **plain, draws=options["draws"], enumerate=options["uniform"])

    @property
    def domain(self) -> Domain:  # type: ignore[override]
        return self.rewritten(self.kernel).domain

    def certify(self, d: int | None) -> Certificate:
        inner = self.kernel.certify(None)
        if not inner.psd:
            return Certificate(UNKNOWN, repr(self), f"no rule: {inner.claim} is {inner.status}", inner.where, (inner,))
        rule = "mean embedding: the inner product of the means of φ over all fillings of the holes"
        return Certificate(PSD, repr(self), rule, inner.where, (inner,))

    def fit_batch(self, batch: Batch) -> Self:
        self.expected_ = self.rewritten(self.kernel).fit_batch(batch)
        return self

    def _made(self) -> Kernel:
        if not hasattr(self, "expected_"):
            raise NotFittedError(
                explain(type(self).__name__, self, "does not know the distributions of the columns yet", "call kernel.fit(X)")
            )
        return self.expected_

    def prepare(self, batch: Batch) -> Any:
        return self._made().prepare(batch)

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        self._made().tile(pair, out)

    def diagonal(self, side: Any) -> np.ndarray:
        return self._made().diagonal(side)

    def __repr__(self) -> str:
        shown = [repr(self.kernel)]
        for name in self._param_names():
            value = getattr(self, name)
            if name != "kernel" and value != self.__dataclass_fields__[name].default:  # type: ignore[attr-defined]
                shown.append(f"{name}={value!r}")
        return f"{type(self).__name__}({', '.join(shown)})"


class MissingAware(_Filled):
    """E k(x′, y′), the holes of x and y filled independently by what their columns hold elsewhere.

    The distributions are those of the training values. Categories: their shares. Numbers: normal, or with ``numbers="empirical"`` any
    of the values. Closed forms for `Overlap` (this is K₁ of the lectures), `WeightedOverlap`, RBF @ one_hot, `RBF`, `Linear`, their sums,
    and products over different columns; other kernels by ``draws`` fillings from one table that all rows share. A hole is None, NaN, or
    one of ``missing``.

    >>> from mercer import MissingAware, Overlap
    >>> votes = [["y", "n"], ["y", None], ["n", "n"], ["y", "y"]]
    >>> MissingAware(Overlap()).fit(votes)(votes)[1].round(3).tolist()
    [0.833, 0.778, 0.333, 0.667]
    """

    numbers: str = param(default="gaussian", check=choice("gaussian", "empirical"))
    draws: int = param(default=32, check=integer(1))

    def _options(self) -> dict[str, Any]:
        return {"missing": self.missing, "uniform": False, "values": None, "numbers": self.numbers, "draws": self.draws}

    @classmethod
    def examples(cls) -> list[Kernel]:
        from mercer.kernels.dot import Polynomial

        return [cls(Overlap()), cls(WeightedOverlap(gamma=2.0)), cls(RBF()), cls(Linear()), cls(Polynomial(degree=2), draws=3)]


class Completions(_Filled):
    """The mean of k over all completions of x and of y, every value of a column as likely as any other.

    Values are those seen in training, or ``values``, a list for each column. In closed form for `Overlap`, `WeightedOverlap` and
    RBF @ one_hot; for other kernels the completions are enumerated.

    >>> from mercer import Completions, Overlap
    >>> votes = [["y", "n"], ["y", None], ["n", "n"], ["y", "y"]]
    >>> Completions(Overlap()).fit(votes)(votes)[1].tolist()
    [0.75, 0.75, 0.25, 0.75]
    """

    values: Any = param(default=None, check=some_values)

    def _options(self) -> dict[str, Any]:
        return {"missing": self.missing, "uniform": True, "values": self.values, "numbers": "gaussian", "draws": 1}

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(Overlap()), cls(WeightedOverlap(gamma=2.0))]
