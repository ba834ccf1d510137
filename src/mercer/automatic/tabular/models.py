"""Models of a table that learn their kernels: what the automatic estimators fit on tables."""

from __future__ import annotations

import dataclasses
import time
from typing import ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, clone

from mercer.aliases import RawSamples
from mercer.automatic.metrics import metric_for
from mercer.automatic.tabular.ensembles import (
    WHOLE,
    LogisticMembers,
    LogisticMixture,
    RidgeMembers,
    class_probabilities,
)
from mercer.automatic.tabular.kernels import Rows
from mercer.automatic.tabular.members import (
    Choice,
    Member,
    Search,
    choose,
    describe_member,
    plain_members,
)
from mercer.automatic.tabular.penalties import Options, choose_penalty, least_penalty, plain_share
from mercer.automatic.tabular.scores import KINDS, TableScores
from mercer.domains.tables.columns import Markers
from mercer.estimators.local_models import LocalModels
from mercer.execution.blas import serial_blas
from mercer.gram.plan import FLOAT32, PRODUCTS, most_samples
from mercer.kernels.base import Kernel
from mercer.kernels.combine.maps import Warp
from mercer.kernels.combine.sums import Sum
from mercer.kernels.vectors.distance import Laplacian
from mercer.proposals.tables import TableColumn
from mercer.state import State, storable

_STRUCTURE_ROWS = 700  # that kernels are learned on
_PLAIN_ROWS = 400  # that the widths of kernels that are not learned are chosen on
_LEAST = 1e-6  # the smallest penalty of kernels that were not learned
_PART = 2500  # rows of a part of a larger table, whose matrices are factored
_LARGE_PART = 16000  # rows of a part whose equations are solved by conjugate gradients
_SINGLE = 1e-3  # the smallest penalty that single precision resolves


@dataclasses.dataclass(frozen=True)
class Effort:
    """How many rows kernels are learned on, and how many members are chosen on."""

    learned: int
    chosen: int
    trees: int  # of a table that is divided
    learned_large: int  # rows that kernels of a large table of numbers are learned on
    chosen_large: int
    members_large: int


EFFORTS = {
    "fast": Effort(300, 300, 1, 400, 400, 1),
    "balanced": Effort(700, 2500, 1, 1000, 1500, 1),
    "best": Effort(1200, 4000, 3, 1500, 4000, 3),
}


# scores, classes and weights of the rows that a penalty is chosen on, and by what
Problem = tuple[np.ndarray, np.ndarray, np.ndarray | None, Options]


class LearnedTable(BaseEstimator):
    """What models of numbers and of classes share: scores, rows, members, and their kernel."""

    stored: ClassVar[State] = State(
        plain=("scores_", "model_", "members_", "kernel_", "trials_", "seconds_", "n_chosen_"),
        finite=("importances_",),
    )

    def __init__(
        self,
        columns: list[TableColumn],
        missing: Markers = (),
        members: int = 5,
        effort: str = "balanced",
        metric: str | None = None,
        seed: int = 0,
    ) -> None:
        self.columns = columns
        self.missing = missing
        self.members = members
        self.effort = effort
        self.metric = metric
        self.seed = seed

    def _learn_members(
        self,
        X: RawSamples,
        Y: np.ndarray,
        weight: np.ndarray | None,
        order: np.ndarray,
        groups: np.ndarray | None,
    ) -> tuple[np.ndarray, np.ndarray, Choice]:
        """The scores of all rows, the rows of the choice, and the chosen members."""
        start = time.perf_counter()
        kinds = list(KINDS)
        are_categories = all(column.kind == "category" for column in self.columns)
        if are_categories or self._is_fast:  # categories have the same scores in both kinds
            kinds = kinds[:1]
        self.scores_ = {
            kind: TableScores(self.columns, self.missing, kind).fit(X) for kind in kinds
        }
        encoded = {kind: scores(X) for kind, scores in self.scores_.items()}
        n_learned, n_chosen, search = self._search(len(Y))
        first, second = np.sort(order[:n_learned]), np.sort(order[:n_chosen])
        self.seconds_ = {"scores of columns": time.perf_counter() - start}

        def rows_at(places: np.ndarray) -> dict[str, Rows]:
            of_rows = None if weight is None else weight[places]
            together = None if groups is None else groups[places]
            power = 1 if self.metric == "mae" else 2
            return {
                kind: Rows(Z[places], self.scores_[kind].tied, Y[places], of_rows, together, power)
                for kind, Z in encoded.items()
            }

        start = time.perf_counter()
        with serial_blas():
            choice = choose(rows_at(first), rows_at(second), search)
        self.seconds_["learning and choice of kernels"] = time.perf_counter() - start
        self.members_, self.trials_ = choice.members, choice.trials
        self.n_chosen_ = len(second)
        self.kernel_ = self._kernel()
        self.importances_ = self._importances(encoded)
        return np.hstack(list(encoded.values())), second, choice

    def _kernel(self) -> Kernel:
        """The members' kernels of raw rows, summed by their weights; equal ones are one term."""
        weights: dict[tuple[str, Kernel], float] = {}
        for member in self.members_:
            key = (member.scores, member.kernel)
            weights[key] = weights.get(key, 0.0) + member.weight
        terms = [
            round(weight, 4) * Warp(kernel, self.scores_[scores])
            for (scores, kernel), weight in weights.items()
        ]
        return terms[0] if len(terms) == 1 else Sum(*terms)

    def _importances(self, encoded: dict[str, np.ndarray]) -> np.ndarray:
        """How much each column adds to the distance of two rows, on average; they sum to 1."""
        names = [column.name for column in self.columns]
        total = np.zeros(len(names))
        for member in self.members_:
            parts = _contributions(member, encoded[member.scores])
            owners = [names.index(name) for name in self.scores_[member.scores].owners_]
            total += member.weight * np.bincount(owners, parts / parts.sum(), len(names))
        return total / total.sum()

    # -- what the two kinds say of themselves --

    loss_name: ClassVar[str]
    penalty_name: ClassVar[str]
    loo_predictions_: np.ndarray
    loo_rows_: np.ndarray
    loo_loss_: float

    @property
    def chosen_penalty(self) -> float:
        """The penalty to show."""
        raise NotImplementedError(type(self).__name__)

    @property
    def _is_fast(self) -> bool:
        """Whether no length scale is learned."""
        return self.effort == "fast"

    @property
    def _effort(self) -> Effort:
        return EFFORTS[self.effort]

    def _search(self, n_samples: int) -> tuple[int, int, Search]:
        """The rows that kernels are learned on, and chosen on, and what is looked for."""
        effort = self._effort
        return effort.learned, effort.chosen, Search(self.members, learned=not self._is_fast)

    def _n_scores(self) -> int:
        return len(self.scores_["squash"].tied)

    def _final(self, model: BaseEstimator, n_samples: int) -> BaseEstimator:
        """The model of all rows, or of each part of a larger table."""
        if n_samples <= WHOLE:
            return model
        return self._divided(model, _PART)

    def _divided(self, model: BaseEstimator, rows: int) -> LocalModels:
        """A model of each part of a table."""
        return LocalModels(model, most=rows, trees=self._effort.trees, random_state=self.seed)

    @property
    def blank(self) -> BaseEstimator:
        """An ensemble of the same members, not fitted, for scores of any rows."""
        model = self.model_
        if isinstance(model, LocalModels):
            model = model.estimator
        return clone(model)

    def encode(self, X: RawSamples) -> np.ndarray:
        """The scores of rows, which the ensemble reads."""
        return np.hstack([scores(X) for scores in self.scores_.values()])

    def _fit_final(
        self, model: BaseEstimator, Z: np.ndarray, y: np.ndarray, weight: np.ndarray | None
    ) -> None:
        start = time.perf_counter()
        self.model_ = self._final(model, len(Z)).fit(Z, y, sample_weight=weight)
        self.seconds_["fit on all rows"] = time.perf_counter() - start


def _contributions(member: Member, Z: np.ndarray) -> np.ndarray:
    """The mean distance of two rows along each score, in units of its length scale."""
    shuffled = Z[np.random.default_rng(0).permutation(len(Z))]
    steps = np.abs(shuffled - Z) / np.asarray(member.kernel.length_scale)
    power = 1 if isinstance(member.kernel, Laplacian) else 2
    return np.asarray((steps**power).mean(axis=0)) + 1e-300


@storable
class LearnedRegressor(LearnedTable):
    """Averaged kernel ridge regressions, whose kernels are learned, of standardised targets."""

    loss_name: ClassVar[str] = "mean squared error"
    penalty_name: ClassVar[str] = "alpha"

    stored: ClassVar[State] = State(finite=("loo_predictions_", "loo_rows_", "loo_loss_"))

    def fit(
        self,
        X: RawSamples,
        y: np.ndarray,
        sample_weight: np.ndarray | None = None,
        groups: np.ndarray | None = None,
    ) -> Self:
        """Learn the kernels on some rows, and fit their ridge regressions on all."""
        order = np.random.default_rng(self.seed).permutation(len(y))
        Y = y[:, None]
        Z, rows, choice = self._learn_members(X, Y, sample_weight, order, groups)
        self.loo_rows_, self.loo_predictions_ = rows, choice.left_out[:, 0]
        of_rows = None if sample_weight is None else sample_weight[rows]
        squares = (self.loo_predictions_ - y[rows]) ** 2
        self.loo_loss_ = float(np.average(squares, weights=of_rows))
        model = RidgeMembers(self.members_, self._n_scores())
        self._fit_final(model, Z, y, sample_weight)
        return self

    def _search(self, n_samples: int) -> tuple[int, int, Search]:
        """A large table has few members, which see many rows each."""
        if n_samples <= WHOLE:
            return super()._search(n_samples)
        effort = self._effort
        members = min(self.members, effort.members_large)
        search = Search(members, members + 1, not self._is_fast, brief=True)
        return effort.learned_large, effort.chosen_large, search

    def _final(self, model: BaseEstimator, n_samples: int) -> BaseEstimator:
        """One model of up to some ten thousand rows where single precision resolves it."""
        rows = min(_LARGE_PART, most_samples(PRODUCTS, FLOAT32))
        least = min(member.penalty for member in self.members_)
        if n_samples <= WHOLE or least < _SINGLE or rows <= WHOLE:
            return super()._final(model, n_samples)
        if n_samples <= rows:
            return model
        return self._divided(model, rows)

    @property
    def chosen_penalty(self) -> float:
        """The penalty of the member with the largest weight."""
        return max(self.members_, key=lambda member: member.weight).penalty

    def predict(self, X: RawSamples) -> np.ndarray:
        """The average prediction of every row."""
        return self.model_.predict(self.encode(X))


@storable
class LearnedClassifier(LearnedTable):
    """Kernel logistic regression with a sum of learned kernels, for classes 0, 1, ..."""

    loss_name: ClassVar[str] = "log-loss on held-out rows"
    penalty_name: ClassVar[str] = "penalty"

    stored: ClassVar[State] = State(
        finite=("loo_predictions_", "loo_rows_", "loo_loss_", "penalty_", "plain_share_"),
        plain=("classes_",),
    )

    def fit(
        self,
        X: RawSamples,
        y: np.ndarray,
        sample_weight: np.ndarray | None = None,
        groups: np.ndarray | None = None,
    ) -> Self:
        """Learn the kernels on some rows by squared errors, and fit the log-odds on all."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        indicators = (codes[:, None] == np.arange(len(self.classes_))).astype(float)
        if len(self.classes_) == 2:
            indicators = indicators[:, 1:]
        centred = indicators - np.average(indicators, axis=0, weights=sample_weight)
        Y = centred / (np.sqrt((centred**2).mean()) or 1.0)
        order = stratified_order(codes, self.seed)
        Z, rows, _ = self._learn_members(X, Y, sample_weight, order, groups)
        start = time.perf_counter()
        n_scales = 0 if self._is_fast else int(self.scores_["squash"].tied.max()) + 1
        some = np.sort(order[: min(len(rows), _STRUCTURE_ROWS)])
        least = least_penalty(n_scales, len(codes))
        weight = None if sample_weight is None else sample_weight[some]
        problem = (Z[some], codes[some], weight, self._options(groups, some))
        learned = self._choose_penalty(self.members_, problem, least)
        models, held_out = [learned[0]], [learned[1]]
        self.plain_share_ = plain_share(n_scales, len(codes))
        if self.plain_share_ > 0:
            few = np.sort(order[: min(len(rows), _PLAIN_ROWS)])
            of_few = None if sample_weight is None else sample_weight[few]
            together = None if groups is None else groups[few]
            squashed = Z[few][:, : self._n_scores()]
            tied = self.scores_["squash"].tied
            with serial_blas():
                members = plain_members(Rows(squashed, tied, Y[few], of_few, together))
            plain = self._choose_penalty(members, problem, _LEAST)
            models.append(plain[0])
            held_out.append(plain[1])
        shares = [1.0 - self.plain_share_, self.plain_share_][: len(models)]
        self.penalty_ = models[0].penalty
        self.loo_rows_ = some
        self.loo_predictions_ = np.average(held_out, axis=0, weights=shares)
        own = self.loo_predictions_[np.arange(len(some)), codes[some]]
        self.loo_loss_ = float(np.average(-np.log(np.maximum(own, 1e-15)), weights=weight))
        self.seconds_["choice of penalties"] = time.perf_counter() - start
        model = models[0] if len(models) == 1 else LogisticMixture(models, shares)
        self._fit_final(model, Z, codes, sample_weight)
        return self

    def _options(self, groups: np.ndarray | None, rows: np.ndarray) -> Options:
        """By what penalties are chosen."""
        together = None if groups is None else groups[rows]
        metric = None
        if self.metric not in (None, "logloss"):
            metric = metric_for(str(self.metric), "classification")
        return Options(self.seed, together, metric, self._is_fast)

    def _choose_penalty(
        self, members: list[Member], problem: Problem, least: float
    ) -> tuple[LogisticMembers, np.ndarray]:
        """A logistic regression with its penalty, and probabilities of held-out rows."""
        Z, codes, weight, options = problem
        model = LogisticMembers(members, self._n_scores(), 1.0)
        model.Z_ = Z
        with serial_blas():
            results = choose_penalty(model.summed_gram(Z), codes, weight, least, options)
        penalty, scores, tried = results
        what = " + ".join(dict.fromkeys(describe_member(member) for member in members))
        self.trials_ += [(f"logistic regression with {what}", *pair) for pair in tried]
        return LogisticMembers(members, self._n_scores(), penalty), class_probabilities(scores)

    @property
    def chosen_penalty(self) -> float:
        """The penalty of the logistic regression."""
        return self.penalty_

    def predict_proba(self, X: RawSamples) -> np.ndarray:
        """Class probabilities, in the order of ``classes_``."""
        return self.model_.predict_proba(self.encode(X))

    def predict(self, X: RawSamples) -> np.ndarray:
        """The most probable class of every row."""
        return self.classes_[np.argmax(self.predict_proba(X), axis=1)]


def stratified_order(codes: np.ndarray, seed: int) -> np.ndarray:
    """A random order of samples in whose every beginning the classes have their shares."""
    shuffled = np.random.default_rng(seed).permutation(len(codes))
    priority = np.empty(len(codes))
    for code in np.unique(codes):
        members = shuffled[codes[shuffled] == code]
        priority[members] = (np.arange(len(members)) + 0.5) / len(members)
    return np.argsort(priority, kind="stable")
