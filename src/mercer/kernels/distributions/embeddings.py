"""The kernel mean embedding: an inner kernel on samples becomes a kernel on bags of samples."""

from __future__ import annotations

import dataclasses
import itertools
import operator
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import ClassVar, Self, TypeVar, cast

import numpy as np

from mercer.aliases import Prepared, RawSamples, SparseMatrix
from mercer.definiteness import INDEFINITE, POSITIVE_DIAGONAL, PSD, STRICT, UNKNOWN, Certificate
from mercer.definiteness.means import blind
from mercer.domains.base import Batch, Domain, pick_rows, raw_length
from mercer.domains.distributions import Bags, BagSamples, bags_of
from mercer.domains.vectors.domain import TILE, are_vectors
from mercer.errors import MercerError
from mercer.execution.threads import run
from mercer.execution.workspace import Workspace
from mercer.gram.tile import Pair
from mercer.kernels.base import Derivative, Kernel, Place, WeightedSum
from mercer.kernels.combine.composite import Composite, is_kernel
from mercer.kernels.distributions.inner_tiles import Strip, on_strips
from mercer.kernels.numerics.resolution import Points
from mercer.params import param

__all__ = ["MeanEmbedding"]

_MIXED = blind("the bag {x, y} is the mean of the bags {x} and {y}")
_LARGE_BAG = 8 * TILE  # samples of a bag that several threads should share

Result = TypeVar("Result")
ParameterKey = tuple[str, Place]


class EmbeddedBags(BagSamples):
    """Bags whose samples are prepared for the inner kernel, and the squared norms of their means.

    The norms are computed once and kept when bags are taken, so that a diagonal has the same bits
    wherever a tile begins.
    """

    def __init__(self, elements: Prepared, offsets: np.ndarray, squares: np.ndarray) -> None:
        super().__init__(elements, offsets)
        self.squares = squares

    def take(self, rows: np.ndarray) -> EmbeddedBags:
        bags = super().take(rows)
        taken = EmbeddedBags(bags.elements, bags.offsets, self.squares[rows])
        taken._inherit(self, rows)
        return taken


class BagKernel(Composite, abstract=True):
    """A sum of an inner kernel over the samples of two bags, divided by a number of each bag."""

    invariance: ClassVar[str] = "none"
    compares_points: ClassVar[bool] = True

    @property
    def inner(self) -> Kernel:
        """The parameter ``kernel``, of which subclasses decide the place."""
        return cast(Kernel, vars(self)["kernel"])

    def bags(self, batch: Batch) -> list[RawSamples]:
        """The samples of every bag."""
        raise NotImplementedError(f"{type(self).__name__} must define bags(batch)")

    def shares(self, sizes: np.ndarray) -> np.ndarray:
        """Return the divisors of the sums over bags of these sizes."""
        raise NotImplementedError(f"{type(self).__name__} must define shares(sizes)")

    def _divisors(self, pair: Pair) -> np.ndarray:
        """What the sums over every two bags are divided by."""
        rows, cols = self.shares(pair.x.sizes[pair.rows]), self.shares(pair.y.sizes[pair.cols])
        return rows[:, None] * cols[None]

    def _inner(self, batch: Batch, use: Callable[[Batch], Result]) -> tuple[BagSamples, Result]:
        """Use the samples of all bags together; an error names the bag that it comes from."""
        bags = cast(BagSamples, batch.encode(self.domain))
        try:
            return bags, use(bags.elements)
        except MercerError:
            for row, bag in enumerate(self.bags(batch)):
                try:
                    use(Batch(bag))
                except MercerError as error:
                    raise type(error)(f"in the bag {batch.argument}[{row}]: {error}") from None
            raise

    def fit_batch(self, batch: Batch) -> Self:
        """Fit the inner kernel to the samples of all bags."""
        self._inner(batch, self.inner.fit_batch)
        return self

    def inner_points(self, X: RawSamples) -> Points | None:
        if not are_vectors(self.inner.domain):
            return None
        encode = operator.methodcaller("encode", self.inner.domain)
        _, elements = self._inner(Batch(X), encode)
        return Points(elements.x, self.inner)

    def prepare(self, batch: Batch) -> EmbeddedBags:
        bags, elements = self._inner(batch, self.inner.prepare)
        embedded = EmbeddedBags(elements, bags.offsets, self._squares(elements, bags.offsets))
        embedded.origin, embedded.index = bags.origin, bags.index
        return embedded

    def _squares(self, elements: Prepared, offsets: np.ndarray) -> np.ndarray:
        """k(x, x) of every bag: large bags one by one, small ones many at a time."""
        sizes = np.diff(offsets)
        squares = np.empty(len(sizes))

        def fill(first: int, last: int, work: Workspace) -> None:
            if offsets[first] == offsets[last]:  # bags without samples
                squares[first:last] = 0.0
                return
            inner_offsets = offsets[first : last + 1] - offsets[first]
            samples = elements.take(np.arange(offsets[first], offsets[last]))
            bags = BagSamples(samples, inner_offsets)
            pair = Pair(bags, bags, 0, last - first, 0, last - first, work)
            shares = self.shares(sizes[first:last]) ** 2
            squares[first:last] = self._sums(pair).diagonal() / shares

        def run_on(groups: list[tuple[int, int]]) -> None:
            if groups:
                run(len(groups), lambda number, work: fill(*groups[number], work), "bags")

        small = []
        for first, last in _groups(sizes.tolist()):
            if sizes[first] > _LARGE_BAG:
                run_on([(first, last)])
            else:
                small.append((first, last))
        run_on(small)
        return squares

    def _sums(self, pair: Pair) -> np.ndarray:
        """The sum of the inner kernel over the samples of every two bags."""
        upper = _is_symmetric(pair)

        def sum_strip(strip: Strip, work: Workspace) -> np.ndarray:
            sums = strip.zeros()
            for inner in strip.tiles(work, self.inner.leaves > 1, upper):
                tile = work.out(*inner.pair.shape)
                self.inner.tile(inner.pair, tile)
                sums[:, inner.cols] += inner.sums(tile)
            return sums

        total = np.zeros(pair.shape)
        for rows, sums in on_strips(pair, sum_strip):
            total[rows] += sums
        if upper:
            return total + total.T
        return total

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        np.divide(self._sums(pair), self._divisors(pair), out=out)
        if pair.x.origin is pair.y.origin:
            same = pair.x.identities()[pair.rows, None] == pair.y.identities()[None, pair.cols]
            np.copyto(out, pair.x.squares[pair.rows, None], where=same)

    def diagonal(self, samples: EmbeddedBags) -> np.ndarray:
        return samples.squares.copy()

    def rounding_error(self, samples: EmbeddedBags) -> float:
        return self.inner.rounding_error(samples.elements)

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        def sum_strip(strip: Strip, work: Workspace) -> dict[ParameterKey, np.ndarray]:
            sums: dict[ParameterKey, np.ndarray] = defaultdict(strip.zeros)
            for inner in strip.tiles(work, self.inner.leaves > 1):
                for name, index, tile in self.inner.tile_derivatives(inner.pair):
                    sums[name, index][:, inner.cols] += inner.sums(tile)
            return sums

        total: dict[ParameterKey, np.ndarray] = defaultdict(lambda: np.zeros(pair.shape))
        for rows, sums in on_strips(pair, sum_strip):
            for key, value in sums.items():
                total[key][rows] += value
        counts = self._divisors(pair)
        for (name, index), value in total.items():
            yield f"kernel__{name}", index, value / counts

    def weighted_derivatives(self, pair: Pair, weights: np.ndarray) -> Iterator[WeightedSum]:
        """The weight of two bags is shared by their samples, so that no parameter needs a tile."""
        shares = weights / self._divisors(pair)
        upper = _is_symmetric(pair)
        if upper:
            shares = shares + shares.T

        def sum_strip(strip: Strip, work: Workspace) -> dict[ParameterKey, float]:
            sums: dict[ParameterKey, float] = defaultdict(float)
            for inner in strip.tiles(work, self.inner.leaves > 1, upper):
                inner_weights = inner.spread(shares[strip.rows])
                derivatives = self.inner.weighted_derivatives(inner.pair, inner_weights)
                for name, index, value in derivatives:
                    sums[name, index] += value
            return sums

        total: dict[ParameterKey, float] = defaultdict(float)
        for _, sums in on_strips(pair, sum_strip):
            for key, value in sums.items():
                total[key] += value
        for (name, index), value in total.items():
            yield f"kernel__{name}", index, value

    def map_features(self, batch: Batch, truncate: int | None) -> np.ndarray | SparseMatrix:
        """The sums of the inner features, divided; sparse ones stay sparse."""

        def map_elements(elements: Batch) -> np.ndarray | SparseMatrix:
            return self.inner.map_features(elements, truncate)

        from scipy.sparse import csr_matrix

        bags, rows = self._inner(batch, map_elements)
        sizes = bags.sizes
        weights = np.repeat(1.0 / self.shares(np.maximum(sizes, 1)), sizes)
        shape = (len(sizes), rows.shape[0])
        return csr_matrix((weights, np.arange(sizes.sum()), bags.offsets), shape=shape) @ rows

    def feature_dim(self, p: int) -> float:
        return self.inner.feature_dim(p)


class MeanEmbedding(BagKernel):
    """Σ_i Σ_j k(x_i, y_j)/(m n) over the samples of two bags: ⟨·, ·⟩ of their mean features.

    A sample is also compared with itself where a bag meets itself. A bag is any collection that the
    inner kernel takes, and not empty.

    Parameters
    ----------
    kernel : Kernel
        The inner kernel, on samples.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import Linear, MeanEmbedding
    >>> MeanEmbedding(Linear())([np.array([[1.0], [3.0]]), np.array([[5.0]])]).tolist()
    [[4.0, 10.0], [10.0, 25.0]]

    References
    ----------
    A. Smola, A. Gretton, L. Song and B. Schölkopf (2007). A Hilbert space embedding for
    distributions. Algorithmic Learning Theory, 13-31.
    """

    kernel: Kernel = param(check=is_kernel)

    @property
    def domain(self) -> Domain:  # type: ignore[override]
        return Bags(self.kernel.domain)

    def certify(self, d: int | None) -> Certificate:
        part = self.kernel.certify(d)
        inner_space = "" if part.where.space == "any set" else f" of {part.where.space}"
        where = dataclasses.replace(part.where, space=f"finite bags{inner_space}")
        if part.psd:  # It is never strict: the bag {x, y} is the mean of {x} and {y}.
            facts = {POSITIVE_DIAGONAL} if part.status == STRICT else set()
            rule = "mean embedding: the feature of a bag is the mean of the features of its samples"
            known = frozenset(facts)
            return Certificate(PSD, repr(self), rule, where, (part,), known, means=_MIXED)
        if part.cpd:
            rule = "mean embedding: coefficients c_i/m_i of the samples sum to Σc"
            rule += ", so where Σc = 0 the form is ≥ 0"
            return Certificate(part.status, repr(self), rule, where, (part,), means=_MIXED)
        if part.status == INDEFINITE and part.witness is not None:
            points = part.witness.points
            bags = [pick_rows(points, [i]) for i in range(raw_length(points))]
            witness = dataclasses.replace(part.witness, points=bags)
            rule = "restriction: on bags of one sample it is the inner kernel"
            return Certificate(INDEFINITE, repr(self), rule, where, (part,), witness=witness)
        rule = "no rule: the inner kernel is not known to be psd"
        return Certificate(UNKNOWN, repr(self), rule, where, (part,))

    def bags(self, batch: Batch) -> list[RawSamples]:
        return bags_of(batch)

    def shares(self, sizes: np.ndarray) -> np.ndarray:
        return sizes.astype(float)

    @classmethod
    def examples(cls) -> list[Kernel]:
        from mercer.kernels.sets import Jaccard
        from mercer.kernels.vectors.distance import NegativeDistance
        from mercer.kernels.vectors.dot import Linear
        from mercer.kernels.vectors.radial import RBF

        inner: list[Kernel] = [RBF() + 0.5 * Linear(), Jaccard(), NegativeDistance()]
        return [cls(kernel=kernel) for kernel in inner]


def _groups(sizes: list[int]) -> list[tuple[int, int]]:
    """Slices of consecutive bags that have at most TILE samples together; larger bags are alone."""
    starts = []
    room = 0
    for bag, size in enumerate(sizes):
        if size > room:
            starts.append(bag)
            room = TILE
        room -= size
    return list(itertools.pairwise([*starts, len(sizes)]))


def _is_symmetric(pair: Pair) -> bool:
    """Whether bags meet themselves, so that half of the inner tiles is enough."""
    return pair.x is pair.y and pair.rows == pair.cols
