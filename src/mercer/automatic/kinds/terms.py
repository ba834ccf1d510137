"""Terms of a mixed kernel: candidates whose parameters are learned by leave-one-out errors."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from mercer.aliases import RawSamples
from mercer.domains.base import pick_rows
from mercer.kernels.base import Kernel
from mercer.proposals.registry import KINDS
from mercer.solvers.ridge.left_out import left_out_path
from mercer.state import storable

PENALTIES = 10.0 ** np.arange(1.0, -6.01, -0.5)
TABLE = "numbers and categories"  # the name of the part of a table that has learned scores
_SCREENED = 300  # samples on which the kernels of a family are compared
_EXPONENTS = (1.0, 4.0, 16.0)  # tried first, of the RBF of a kernel's features


@dataclasses.dataclass(frozen=True)
class Held:
    """Targets of samples that are left out, and how their errors count."""

    Y: np.ndarray
    weight: np.ndarray | None = None
    groups: np.ndarray | None = None  # samples of one group are left out together
    power: int = 2  # of the errors: 1 for absolute ones

    def take(self, rows: np.ndarray) -> Held:
        """The held-out problem of some of the samples."""
        weight = None if self.weight is None else self.weight[rows]
        groups = None if self.groups is None else self.groups[rows]
        return Held(self.Y[rows], weight, groups, self.power)

    def loss(self, predicted: np.ndarray) -> float:
        """The mean error of predictions for left-out samples."""
        errors = (np.abs(predicted - self.Y) ** self.power).mean(axis=-1)
        return float(np.average(errors, weights=self.weight))

    def least_loss(self, K: np.ndarray) -> tuple[float, float]:
        """The least loss of ridge regression over all penalties, and the penalty."""
        path = left_out_path(K, self.Y, self.weight, PENALTIES, self.groups)
        losses = [self.loss(predicted) for predicted in path]
        best = int(np.argmin(losses))
        return losses[best], float(PENALTIES[best])


@storable
@dataclasses.dataclass(frozen=True)
class Part:
    """A part of the samples that has kernels of its own.

    Attributes
    ----------
    kind : str
        A kind of `KINDS`.
    column : object
        The column that holds it; None where the samples themselves are of that kind.
    """

    kind: str
    column: Any = None

    @property
    def name(self) -> str:
        """What the part is called in reports."""
        return self.kind if self.column is None else f"column {self.column!r}"

    def read(self, X: RawSamples) -> list[Any]:
        """The samples of this part."""
        if self.column is None:
            return list(X)
        values = X[self.column].to_frame() if hasattr(X, "columns") else _one_column(X, self.column)
        return list(KINDS[self.kind].reader(values))

    def of_rows(self, kernel: Kernel) -> Kernel:
        """A kernel of this part as one of whole rows."""
        if self.column is None:
            return kernel
        return (kernel @ KINDS[self.kind].reader).on([self.column])


def _one_column(X: RawSamples, at: int) -> list[list[Any]]:
    return [[row[at]] for row in X]


@storable
@dataclasses.dataclass(frozen=True)
class Term:
    """A kernel of whole rows, how it was learned, and its weight in the sum.

    Attributes
    ----------
    kernel : Kernel
        The kernel.
    owners : tuple of str
        The parts that it reads.
    how : str
        What was learned, in words.
    loss : float
        The leave-one-out error with this kernel alone.
    penalty : float
        The penalty with the least such error.
    weight : float
        Its weight in the sum, in units of k(x, x).
    """

    kernel: Kernel
    owners: tuple[str, ...]
    how: str
    loss: float
    penalty: float
    weight: float = 0.0

    @property
    def title(self) -> str:
        """The kernel and what it reads; a product, or the kernel of many columns, is too long."""
        if self.owners == (TABLE,):
            return f"the kernel of {TABLE}"
        if len(self.owners) > 1:
            return f"the product of the best kernels of {', '.join(self.owners)}"
        return repr(self.kernel)


Candidate = tuple[Term, np.ndarray]  # a term, and its Gram matrix


def names_of_kinds(parts: list[Part]) -> str:
    """What the samples of some parts are called, as "sequences, sets and texts"."""
    *others, last = sorted({KINDS[part.kind].samples for part in parts})
    return " and ".join([", ".join(others), last] if others else [last])


def part_candidates(part: Part, X: RawSamples, held: Held, quick: bool) -> list[Candidate]:
    """The best kernel of each family, and the best of all as the RBF of its features."""
    samples = part.read(X)
    some = np.unique(np.linspace(0, len(samples) - 1, _SCREENED).round().astype(int))
    few, few_held = pick_rows(samples, some), held.take(some)
    families = KINDS[part.kind].families(samples)
    if quick:
        families = families[:1]
    candidates: list[Candidate] = []
    kernels: list[Kernel] = []
    for family in families:
        kernel = _best_of_family(family, few, few_held)
        K = gram(kernel, samples)
        if K.any():  # or else no sample is long enough for a substring
            term = Term(part.of_rows(kernel), (part.name,), "no learning", *held.least_loss(K))
            candidates.append((term, K))
            kernels.append(kernel)
    if not candidates:
        return []
    best = min(range(len(candidates)), key=lambda at: candidates[at][0].loss)
    return [*candidates, _rbf_of_features(part, kernels[best], candidates[best][1], held)]


def _best_of_family(family: list[Kernel], samples: RawSamples, held: Held) -> Kernel:
    """The kernel of the least leave-one-out error; the only one needs no comparison."""
    if len(family) == 1:
        return family[0]
    losses = [held.least_loss(gram(kernel, samples))[0] for kernel in family]
    return family[int(np.argmin(losses))]


def _rbf_of_features(part: Part, kernel: Kernel, K: np.ndarray, held: Held) -> Candidate:
    """The normalized exp(c k) with the c of the least leave-one-out error, to a factor of two."""
    tried: dict[float, Candidate] = {}
    squares = K.diagonal()  # 0 for an empty text, else 1
    halves = -0.5 * (squares[:, None] + squares - 2.0 * K)

    def attempt(c: float) -> float:
        if c not in tried:
            E = np.exp(c * halves)
            rbf = (c * kernel).exp().normalize()
            how = f"width by leave-one-out, c = {c:g}"
            tried[c] = Term(part.of_rows(rbf), (part.name,), how, *held.least_loss(E)), E
        return tried[c][0].loss

    center = min(_EXPONENTS, key=attempt)
    return tried[min((center / 2.0, center, 2.0 * center), key=attempt)]


def gram(kernel: Kernel, X: RawSamples) -> np.ndarray:
    """The Gram matrix of a kernel that learns from the samples what it needs."""
    return np.asarray(kernel.copy().fit(X)(X))
