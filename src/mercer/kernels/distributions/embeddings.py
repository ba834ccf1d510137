"""Kernels of collections of samples, and of samples through a model of how they came about."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, Self

import numpy as np

from mercer import errors
from mercer.definiteness import (
    CPD,
    INDEFINITE,
    POSITIVE_DIAGONAL,
    PSD,
    STRICT,
    UNKNOWN,
    Certificate,
    Definite,
    Where,
    Witness,
)
from mercer.domains.base import Batch, Domain, pick_rows, raw_length
from mercer.domains.distributions import Bags, BagSamples, bags_of
from mercer.domains.vectors import NONNEGATIVE, TILE, VECTORS, VectorSamples
from mercer.errors import DomainError, MercerError
from mercer.execution.cancel import check_stop
from mercer.execution.threads import run
from mercer.execution.workspace import Workspace
from mercer.gram.fill import check_budget
from mercer.gram.tile import Pair
from mercer.kernels.base import Derivative, Kernel
from mercer.kernels.combine.composite import Composite, is_kernel
from mercer.kernels.distributions.scores import check_fitted, count, is_model, kind, scores
from mercer.kernels.vectors.dot import dense_rows
from mercer.params import param, positive

__all__ = ["Fisher", "MeanEmbedding"]

_LARGE = 8 * TILE  # samples of a bag that several threads should share
_ROWS = 4096  # scores that are summed at a time


class _Embedded(BagSamples):
    """Bags whose samples are prepared for the inner kernel, and ‖mean‖² of every bag.

    The squared norms are computed once and kept when bags are taken, so that a diagonal has the same bits wherever a tile begins.
    """

    def __init__(self, elements: Any, offsets: np.ndarray, squares: np.ndarray) -> None:
        super().__init__(elements, offsets)
        self.squares = squares

    def take(self, rows: np.ndarray) -> _Embedded:
        bags = super().take(rows)
        taken = _Embedded(bags.elements, bags.offsets, self.squares[rows])
        taken._inherit(self, rows)
        return taken


@dataclasses.dataclass
class _Block:
    """One inner tile: which bags its rows and its columns belong to, and where each begins."""

    pair: Pair
    skip: int  # columns before the first that counts: a tile has to begin at a multiple of TILE
    row_starts: np.ndarray
    first_col: int  # position of the first bag among those of the outer tile
    col_starts: np.ndarray
    halved: bool  # on the diagonal of a symmetric sum, of which only the upper half is computed

    @property
    def cols(self) -> slice:
        return slice(self.first_col, self.first_col + len(self.col_starts))

    def sums(self, tile: np.ndarray) -> np.ndarray:
        made = np.add.reduceat(
            np.add.reduceat(tile[:, self.skip :], self.col_starts, axis=1), self.row_starts, axis=0
        )
        return 0.5 * made if self.halved else made

    def spread(self, weights: np.ndarray) -> np.ndarray:
        """One weight per pair of bags as one per pair of samples."""
        m, n = self.pair.shape
        rows = np.repeat(weights[:, self.cols], np.diff(self.row_starts, append=m), axis=0)
        made = np.zeros((m, n))
        made[:, self.skip :] = np.repeat(
            rows, np.diff(self.col_starts, append=n - self.skip), axis=1
        )
        return 0.5 * made if self.halved else made


def _bags_in(offsets: np.ndarray, start: int, stop: int) -> tuple[int, np.ndarray]:
    """The first of the bags that have samples from start to stop, and where they begin, counted from start."""
    first = int(np.searchsorted(offsets, start, side="right")) - 1
    last = int(np.searchsorted(offsets, stop, side="left"))
    return first, np.maximum(offsets[first:last], start) - start


class MeanEmbedding(Composite):
    """The mean of the inner kernel over all pairs of samples of two bags: the inner product of their mean features.

    The pairs of a sample with itself count too, also where a bag meets itself. A bag is any collection that the inner kernel takes.

    >>> import numpy as np
    >>> from mercer import Linear, MeanEmbedding
    >>> MeanEmbedding(Linear())([np.array([[1.0], [3.0]]), np.array([[5.0]])]).tolist()
    [[4.0, 10.0], [10.0, 25.0]]
    """

    invariance: ClassVar[str] = "none"
    kernel: Kernel = param(check=is_kernel)

    @property
    def domain(self) -> Domain:  # type: ignore[override]
        return Bags(self.kernel.domain)

    def certify(self, d: int | None) -> Certificate:
        part = self.kernel.certify(d)
        space = (
            "finite bags" if part.where.space == "any set" else f"finite bags of {part.where.space}"
        )
        where = dataclasses.replace(part.where, space=space)
        if part.psd:  # never strict: the bag {x, y} is the mean of {x} and {y}
            facts = frozenset({POSITIVE_DIAGONAL} if part.status == STRICT else ())
            rule = "mean embedding: the feature of a bag is the mean of the features of its samples"
            return Certificate(PSD, repr(self), rule, where, (part,), facts)
        if part.status == CPD:
            rule = "mean embedding: coefficients c_i/m_i of the samples sum to Σc, so where Σc = 0 the form is ≥ 0"
            return Certificate(CPD, repr(self), rule, where, (part,))
        if part.status == INDEFINITE and part.witness is not None:
            return self._refuted(part, part.witness, where)
        return Certificate(
            UNKNOWN, repr(self), "no rule: the inner kernel is not known to be psd", where, (part,)
        )

    def _refuted(self, part: Certificate, found: Witness, where: Where) -> Certificate:
        bags = [pick_rows(found.points, [i]) for i in range(raw_length(found.points))]
        witness = dataclasses.replace(found, points=bags)
        return Certificate(
            INDEFINITE,
            repr(self),
            "on bags of one sample it is the inner kernel",
            where,
            (part,),
            witness=witness,
        )

    # -- preparing ---------------------------------------------------------------------------------------------------

    def _inner(self, batch: Batch, use: Callable[[Batch], Any]) -> tuple[BagSamples, Any]:
        """All samples of all bags as the inner kernel reads them; what is wrong with one is told of its bag."""
        bags: Any = batch.encode(self.domain)
        try:
            return bags, use(bags.elements)
        except MercerError:
            for row, bag in enumerate(bags_of(batch)):
                try:
                    use(Batch(bag))
                except MercerError as error:
                    raise type(error)(f"in the bag {batch.argument}[{row}]: {error}") from None
            raise

    def fit_batch(self, batch: Batch) -> Self:
        """The inner kernel learns from the samples of all bags."""
        self._inner(batch, self.kernel.fit_batch)
        return self

    def prepare(self, batch: Batch) -> _Embedded:
        bags, elements = self._inner(batch, self.kernel.prepare)
        made = _Embedded(elements, bags.offsets, self._squares(elements, bags.offsets))
        made.origin, made.index = bags.origin, bags.index
        return made

    def _squares(self, elements: Any, offsets: np.ndarray) -> np.ndarray:
        """k(x, x) of every bag: large bags one by one, small ones many at a time."""
        sizes = np.diff(offsets)
        groups: list[list[int]] = []
        room = 0
        for bag, size in enumerate(sizes.tolist()):
            if not groups or size > room:
                groups.append([])
                room = TILE
            groups[-1].append(bag)
            room -= size
        out = np.empty(len(sizes))

        def work_on(number: int, work: Workspace) -> None:
            first, last = groups[number][0], groups[number][-1] + 1
            block = BagSamples(
                elements.take(np.arange(offsets[first], offsets[last])),
                offsets[first : last + 1] - offsets[first],
            )
            whole = Pair(block, block, 0, last - first, 0, last - first, work)
            out[first:last] = self._sums(whole).diagonal() / sizes[first:last].astype(float) ** 2

        alone = [number for number, group in enumerate(groups) if sizes[group[0]] > _LARGE]
        others = [number for number, group in enumerate(groups) if sizes[group[0]] <= _LARGE]
        for number in alone:
            run(1, lambda _, work, number=number: work_on(number, work))  # type: ignore[misc]
        if others:
            run(len(others), lambda at, work: work_on(others[at], work), "bags")
        return out

    # -- tiles -------------------------------------------------------------------------------------------------------

    def _strips(
        self,
        pair: Pair,
        begin: Callable[[slice], Any],
        visit: Callable[[Any, _Block, Workspace], None],
        upper: bool = False,
    ) -> list[tuple[slice, Any]]:
        """Visit all inner tiles: one state for each TILE rows of samples, with the bags they belong to, always in the same order."""
        x, y = pair.x, pair.y
        top, bottom = int(x.offsets[pair.i0]), int(x.offsets[pair.i1])
        left, right = int(y.offsets[pair.j0]), int(y.offsets[pair.j1])
        strips = [
            (max(start, top), min(start + TILE, bottom))
            for start in range(top - top % TILE, bottom, TILE)
        ]
        made: list[Any] = [None] * len(strips)

        def work_on(number: int, work: Workspace) -> None:
            r0, r1 = strips[number]
            first, row_starts = _bags_in(x.offsets, r0, r1)
            rows = slice(first - pair.i0, first - pair.i0 + len(row_starts))
            state = begin(rows)
            start = r0 - r0 % TILE if upper else left - left % TILE
            for c0 in range(start, right, TILE):
                check_stop()
                c1, skip = min(c0 + TILE, right), max(left - c0, 0)
                first_col, col_starts = _bags_in(y.offsets, c0 + skip, c1)
                work.reset()
                inner = Pair(
                    x.elements,
                    y.elements,
                    r0,
                    r1,
                    c0,
                    c1,
                    work,
                    None if self.kernel.leaves == 1 else {},
                )
                visit(
                    state,
                    _Block(
                        inner,
                        skip,
                        row_starts,
                        first_col - pair.j0,
                        col_starts,
                        upper and c0 == start,
                    ),
                    work,
                )
            made[number] = rows, state

        pair.work.serial_blas()
        run(len(strips), work_on, "bags")
        return made

    def _sums(self, pair: Pair) -> np.ndarray:
        """Σ of the inner kernel over all pairs of samples, for every pair of bags."""
        upper = self._symmetric(pair)

        def begin(rows: slice) -> np.ndarray:
            return np.zeros((rows.stop - rows.start, pair.shape[1]))

        def visit(state: np.ndarray, block: _Block, work: Workspace) -> None:
            tile = work.out(*block.pair.shape)
            self.kernel.tile(block.pair, tile)
            state[:, block.cols] += block.sums(tile)

        total = np.zeros(pair.shape)
        for rows, part in self._strips(pair, begin, visit, upper):
            total[rows] += part
        return total + total.T if upper else total

    @staticmethod
    def _symmetric(pair: Pair) -> bool:
        """Bags against themselves: half of the inner tiles tell the others."""
        return pair.x is pair.y and pair.rows == pair.cols

    @staticmethod
    def _pairs_of(pair: Pair) -> np.ndarray:
        """How many pairs of samples every pair of bags has."""
        return pair.x.sizes[pair.rows, None].astype(float) * pair.y.sizes[None, pair.cols]

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        np.divide(self._sums(pair), self._pairs_of(pair), out=out)
        if pair.x.origin is pair.y.origin:
            same = pair.x.identities()[pair.rows, None] == pair.y.identities()[None, pair.cols]
            np.copyto(out, pair.x.squares[pair.rows, None], where=same)

    def diagonal(self, side: _Embedded) -> np.ndarray:
        return side.squares.copy()

    def rounding_error(self, side: _Embedded) -> float:
        return self.kernel.rounding_error(side.elements)

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        def visit(state: dict[Any, np.ndarray], block: _Block, work: Workspace) -> None:
            for name, index, tile in self.kernel.tile_derivatives(block.pair):
                if (name, index) not in state:
                    state[name, index] = np.zeros((len(block.row_starts), pair.shape[1]))
                state[name, index][:, block.cols] += block.sums(tile)

        total: dict[Any, np.ndarray] = {}
        for rows, part in self._strips(pair, lambda rows: {}, visit):
            for key, value in part.items():
                total.setdefault(key, np.zeros(pair.shape))[rows] += value
        pairs = self._pairs_of(pair)
        for (name, index), value in total.items():
            yield f"kernel__{name}", index, value / pairs

    def weighted_derivatives(
        self, pair: Pair, weights: np.ndarray
    ) -> Iterator[tuple[str, Any, float]]:
        """By giving every pair of samples its share of the weight: no tile per parameter."""
        shares = weights / self._pairs_of(pair)
        upper = self._symmetric(pair)
        if upper:
            shares = shares + shares.T

        def visit(
            state: tuple[np.ndarray, dict[Any, float]], block: _Block, work: Workspace
        ) -> None:
            mine, sums = state
            for name, index, value in self.kernel.weighted_derivatives(
                block.pair, block.spread(mine)
            ):
                sums[name, index] = sums.get((name, index), 0.0) + value

        total: dict[Any, float] = {}
        for _, (_, sums) in self._strips(pair, lambda rows: (shares[rows], {}), visit, upper):
            for key, value in sums.items():
                total[key] = total.get(key, 0.0) + value
        for (name, index), value in total.items():
            yield f"kernel__{name}", index, value

    # -- features ----------------------------------------------------------------------------------------------------

    def map_features(self, batch: Batch, truncate: int | None) -> Any:
        """The means of the inner features; sparse ones stay sparse."""
        bags, inner = self._inner(
            batch, lambda elements: self.kernel.map_features(elements, truncate)
        )
        if hasattr(inner, "tocsr"):
            from scipy.sparse import csr_matrix

            sizes = bags.sizes
            average = csr_matrix(
                (np.repeat(1.0 / sizes, sizes), np.arange(sizes.sum()), bags.offsets)
            )
            return (average @ inner).tocsr()
        return np.add.reduceat(inner, bags.offsets[:-1], axis=0) / bags.sizes[:, None]

    def feature_dim(self, p: int) -> float:
        return self.kernel.feature_dim(p)

    @classmethod
    def examples(cls) -> list[Kernel]:
        from mercer.kernels.sets import Jaccard
        from mercer.kernels.vectors.distance import NegativeDistance
        from mercer.kernels.vectors.dot import Linear
        from mercer.kernels.vectors.radial import RBF

        return [
            cls(kernel=RBF() + 0.5 * Linear()),
            cls(kernel=Jaccard()),
            cls(kernel=NegativeDistance()),
        ]


class Fisher(Kernel):
    """u_xᵀ (F + εI)⁻¹ u_y, u the score d log p(x)/dθ of a fitted model, F = mean of u uᵀ over the data given to ``fit``.

    The model is a fitted GaussianMixture, GaussianNB, MultinomialNB or BernoulliNB of scikit-learn; it is used as it is, never fitted
    here, and the classes of a naive Bayes model are taken as components of a mixture. ε is ``epsilon`` times the mean eigenvalue
    of F. The parameters θ are free of units, so that ε is fair to all of them: logits of the weights, means in standard
    deviations of their component, relative covariances, logits of probabilities (`mercer.kernels.distributions.scores` has the formulas).
    """

    model: Any = param(check=is_model)
    epsilon: float = param(default=1e-6, check=positive)

    @property
    def domain(self) -> Domain:  # type: ignore[override]
        return NONNEGATIVE if kind(self.model) == "MultinomialNB" else VECTORS

    def claim(self) -> Definite:
        return Definite(PSD, "inner product: φ(x) = (F + εI)^(−1/2) u(x), u the score of the model")

    def __repr__(self) -> str:
        ridge = "" if self.epsilon == 1e-6 else f", epsilon={float(self.epsilon)!r}"
        return f"Fisher(model=<{type(self.model).__name__}>{ridge})"

    def __sklearn_clone__(self) -> Fisher:
        return Fisher(
            model=self.model, epsilon=self.epsilon
        )  # a clone of the model would have forgotten what it learned

    def _encode(self, batch: Batch) -> Any:
        samples: Any = batch.encode(self.domain)
        check_fitted(self.model, samples.n_features)
        return samples

    def fit_batch(self, batch: Batch) -> Self:
        """Learn F."""
        x = self._encode(batch).x
        size = count(self.model)
        check_budget(size, size, np.float64, "the Fisher matrix")
        total = np.zeros((size, size))
        for start in range(0, x.shape[0], _ROWS):
            rows = x[start : start + _ROWS]
            u = scores(self.model, rows.toarray() if hasattr(rows, "toarray") else rows)
            total += u.T @ u
        total /= x.shape[0]
        if not np.isfinite(total).all() or not np.trace(total) > 0:
            rule = "is no Fisher matrix: the scores of the data are all 0, or not finite"
            raise DomainError(
                "the trace of F", float(np.trace(total)), rule, "fit on more, or on rescaled data"
            )
        self.information_ = (total + total.T) / 2
        self._learned_with = self.model
        return self

    def prepare(self, batch: Batch) -> VectorSamples:
        from scipy.linalg import cholesky, solve_triangular

        samples = self._encode(batch)
        information = getattr(self, "information_", None)
        size = count(self.model)
        if information is None or self._learned_with is not self.model:
            raise errors.NotFittedError(
                "Fisher", self, "has no Fisher matrix", "call fit(X) with training data first"
            )
        check_budget(len(samples), size, np.float64, "the scores")
        ridge = float(self.epsilon) * np.trace(information) / size
        root = cholesky(information + ridge * np.eye(size), lower=True)
        u = scores(self.model, dense_rows(samples))
        made = VectorSamples(np.ascontiguousarray(solve_triangular(root, u.T, lower=True).T))
        made.origin, made.index = samples.origin, samples.index
        return made

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        np.copyto(out, pair.dot(out))

    def diagonal(self, side: VectorSamples) -> np.ndarray:
        return side.norms

    def map_features(self, batch: Batch, truncate: int | None) -> Any:
        return self.prepare(batch).x

    def feature_dim(self, p: int) -> float:
        return count(self.model)

    @classmethod
    def examples(cls) -> list[Kernel]:
        from sklearn.mixture import GaussianMixture
        from sklearn.naive_bayes import BernoulliNB, MultinomialNB

        rng = np.random.default_rng(0)
        x = np.vstack([rng.standard_normal((20, 3)), 1.5 + rng.standard_normal((20, 3))])
        labels = np.repeat([0, 1], 20)
        mixture = GaussianMixture(2, random_state=0).fit(x)
        words = MultinomialNB().fit(rng.poisson(2.0, (40, 3)), labels)
        return [
            cls(model=mixture, epsilon=0.5),
            cls(model=words, epsilon=0.5),
            cls(model=BernoulliNB().fit(x, labels), epsilon=0.5),
        ]
