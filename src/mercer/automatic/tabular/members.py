"""Members of an ensemble: kernels that are learned on some rows, chosen by leave-one-out errors."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import numpy as np

from mercer.automatic.studies.deadline import check_time
from mercer.automatic.tabular.additive import allows_terms, by_terms
from mercer.automatic.tabular.gradients import (
    allows_full_metric,
    by_gradient_products,
    by_gradients,
)
from mercer.automatic.tabular.kernels import (
    PENALTIES,
    Learned,
    Rows,
    by_evidence,
    gram,
    plain_laplacian,
    scaled,
    weighted_rbf,
)
from mercer.kernels.base import Kernel
from mercer.kernels.combine.maps import Warp
from mercer.kernels.combine.sums import Sum
from mercer.solvers.ridge.left_out import left_out
from mercer.state import storable

_MEANINGS = {  # of the words by which members are described
    "@ squash": "squash: columns are scaled by their spread, and far values drawn in",
    "@ ranks": "ranks: values of columns are replaced by their ranks",
    "no learning": "no learning: all columns have the same length scale",
    "(evidence": "evidence: each column has a length scale that a Gaussian process has learned",
    "(average gradients": "average gradients: each column has a length scale, which is small where "
    "the prediction changes with the column",
    "(average gradient products": "average gradient products: a metric of the linear combinations "
    "of columns along which the prediction changes",
    "(weights by the evidence": "weights by the evidence: a sum of kernels of single columns and "
    "of their product",
    " × ": "× 0.25 or × 4: with so many times these length scales",
}
_STEPS = (25, 10)  # of the search for length scales, and of one that begins near its end
_ROUNDS = 2
_LAPLACIAN, _RBF = (1.0, 0.25), (1.0, 4.0)  # factors of the learned length scales
_PLAIN_WIDTHS = (0.25, 0.5, 1.0, 2.0)  # factors of the mean distance
_MOST_PENALTIES = 5
_GRADIENT_ROWS = 500  # that a brief search learns a metric from


@storable
@dataclasses.dataclass(frozen=True)
class Member:
    """A kernel of one kind of scores, its penalty, and its share in the ensemble."""

    scores: str
    kernel: Kernel
    penalty: float
    weight: float
    how: str
    loss: float  # the mean leave-one-out error of this member alone


@dataclasses.dataclass
class Trial:
    """A member that could be chosen, and its predictions for left-out samples."""

    member: Member
    left_out: np.ndarray


@dataclasses.dataclass
class Choice:
    """The chosen members, and the leave-one-out predictions of their average."""

    members: list[Member]
    left_out: np.ndarray
    trials: list[tuple[str, float, float]]


@dataclasses.dataclass(frozen=True)
class Search:
    """How many members are looked for, and among how many kernels."""

    members: int
    finalists: int = 4  # kernels that are looked at on all the rows of the second choice
    learned: bool = True  # whether length scales are learned
    full_metric: bool = False  # whether directions are learned where there are enough rows
    additive: bool = True  # whether terms of single columns are added to their product
    brief: bool = False  # whether few penalties, and no multiples of length scales, are tried


def choose(first: dict[str, Rows], second: dict[str, Rows], search: Search) -> Choice:
    """Learn kernels on the first rows, and choose members and penalties on the second.

    The rows are given for each kind of scores; both may be the same.
    """
    most = search.members
    trials = list(_trials(first, search))
    some = next(iter(first.values()))
    whole = next(iter(second.values()))
    if len(whole.Y) > len(some.Y):
        finalists = _finalists(trials, some, search)
        trials = [trial for one in finalists for trial in _near_penalty(one, second)]
    shares, average = greedy_average([trial.left_out for trial in trials], whole, most)
    members = [
        dataclasses.replace(trials[place].member, weight=float(shares[place]))
        for place in np.flatnonzero(shares)
    ]
    tried = [(describe_member(t.member), t.member.penalty, t.member.loss) for t in trials]
    return Choice(members, average, tried)


def describe_member(member: Member) -> str:
    """The kernel or its kind, the kind of scores, and how the kernel was learned."""
    kernel = type(member.kernel).__name__
    if isinstance(member.kernel, Sum):
        kernel = f"({len(member.kernel.children())} terms)"
    elif isinstance(member.kernel, Warp):
        kernel = f"{type(member.kernel.kernel).__name__} @ linear map"
    return f"{kernel} @ {member.scores} ({member.how})"


def meanings(text: str) -> list[str]:
    """The words by which some members are described, each with its meaning."""
    return [meaning for words, meaning in _MEANINGS.items() if words in text]


def _trials(first: dict[str, Rows], search: Search) -> Iterator[Trial]:
    """All kernels at all penalties."""
    if search.brief and search.learned:
        yield from _brief_trials(first)
        return
    end = None
    for scores, rows in first.items():
        check_time()
        candidates: list[Learned] = []
        if search.learned:
            widths, end = by_evidence(rows, _STEPS[end is not None], end)
            gradients = by_gradients(rows, _ROUNDS)
            candidates += _multiples(widths, _LAPLACIAN)
            candidates += _multiples(gradients, _RBF)
            if search.full_metric and allows_full_metric(rows):
                candidates.append(by_gradient_products(rows, gradients))
            if search.additive and scores == "squash" and allows_terms(rows):
                candidates.append(by_terms(rows, widths.kernel, float(np.exp(end[-1]))))
        else:
            plain = Learned(plain_laplacian(rows.Z), "no learning")
            candidates += _multiples(plain, (0.25, 1.0))
        for one in candidates:
            check_time()
            path = rows.path(gram(one.kernel, rows.Z)) if one.left_out is None else one.left_out
            for penalty, predicted in zip(PENALTIES, path, strict=True):
                loss = rows.loss(predicted)
                member = Member(scores, one.kernel, float(penalty), 0.0, one.how, loss)
                yield Trial(member, predicted)


def _multiples(learned: Learned, factors: tuple[float, ...]) -> Iterator[Learned]:
    """The kernel with multiples of its length scales."""
    for factor in factors:
        if factor == 1.0:
            yield learned
        else:
            yield Learned(scaled(learned.kernel, factor), f"{learned.how} × {factor:g}")


def _brief_trials(first: dict[str, Rows]) -> Iterator[Trial]:
    """Learned kernels at the penalties near the one that they were learned with.

    A metric hardly improves with the rows that it is learned from, unlike single length scales.
    """
    end = None
    for scores, rows in first.items():
        widths, end = by_evidence(rows, _STEPS[end is not None], end)
        few = rows.thinned(_GRADIENT_ROWS)
        metric = by_gradients(few, _ROUNDS)
        assert metric.left_out is not None
        at = PENALTIES[int(np.argmin(few.losses(metric.left_out)))]
        for learned, penalty in ((widths, np.exp(end[-1])), (metric, at)):
            start = Member(scores, learned.kernel, float(penalty), 0.0, learned.how, np.inf)
            yield from _near_penalty(start, first)


def _finalists(trials: list[Trial], rows: Rows, search: Search) -> list[Member]:
    """The kernels of the best average, then the best of the others, each at its best penalty."""
    shares, _ = greedy_average([trial.left_out for trial in trials], rows, search.members)
    chosen = [trials[place].member for place in np.flatnonzero(shares)]
    ranked = sorted((trial.member for trial in trials), key=lambda member: member.loss)
    best: dict[int, Member] = {}
    for member in ranked:
        best.setdefault(id(member.kernel), member)
    wanted = dict.fromkeys(id(member.kernel) for member in [*chosen, *ranked])
    return [best[kernel] for kernel in list(wanted)[: search.finalists]]


def _near_penalty(member: Member, given: dict[str, Rows]) -> Iterator[Trial]:
    """The kernel at the penalties around that of the member, downhill."""
    check_time()
    rows = given[member.scores]
    K = gram(member.kernel, rows.Z)
    losses: dict[int, float] = {}

    def attempt(exponent: int) -> Iterator[Trial]:
        penalty = float(10.0 ** (exponent / 2))
        predicted = left_out(K, rows.Y, rows.weight, penalty, rows.groups)
        losses[exponent] = np.inf
        if predicted is not None:
            losses[exponent] = rows.loss(predicted)
            changed = dataclasses.replace(member, penalty=penalty, loss=losses[exponent])
            yield Trial(changed, predicted)

    at = round(2 * np.log10(member.penalty))
    yield from attempt(at)
    yield from attempt(at - 1)
    step = -1 if losses[at - 1] < losses[at] else 1
    while len(losses) < _MOST_PENALTIES:
        if at + step not in losses:
            yield from attempt(at + step)
        if losses[at + step] >= losses[at]:
            return
        at += step


def greedy_average(
    predictions: list[np.ndarray], rows: Rows, most: int
) -> tuple[np.ndarray, np.ndarray]:
    """Shares of predictions, and their average, by adding the one that helps most, again and again.

    A prediction may be added more than once (Caruana et al., 2004).
    """
    P = np.array(predictions)
    shares, total = np.zeros(len(P)), np.zeros_like(rows.Y)
    for count in range(1, most + 1):
        best = int(np.argmin(rows.losses((total + P) / count)))
        shares[best] += 1.0 / most
        total += P[best]
    return shares, total / most


def plain_members(rows: dict[str, Rows]) -> list[Member]:
    """Kernels with one length scale for all scores, chosen by leave-one-out errors.

    Half is a Laplacian and an RBF of bounded scores, half an RBF of ranks if there are any.
    """
    members = []
    for scores, some in rows.items():
        kernels: list[Kernel] = [weighted_rbf(some.Z, np.ones(some.Z.shape[1]))]
        if scores == "squash":
            kernels.append(plain_laplacian(some.Z))
        for kernel in kernels:
            tried = [scaled(kernel, factor) for factor in _PLAIN_WIDTHS]
            losses = [float(some.losses(some.path(gram(one, some.Z))).min()) for one in tried]
            best, share = int(np.argmin(losses)), 1.0 / (len(rows) * len(kernels))
            members.append(Member(scores, tried[best], 1.0, share, "no learning", losses[best]))
    return members
