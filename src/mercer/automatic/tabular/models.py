"""Models of a table that learn their kernels: what the automatic estimators fit on tables."""

from __future__ import annotations

import time
from typing import ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator

from mercer.aliases import RawSamples
from mercer.automatic.tables import Column
from mercer.automatic.tabular.ensembles import LogisticMembers, RidgeMembers, class_probabilities
from mercer.automatic.tabular.kernels import Rows
from mercer.automatic.tabular.members import Choice, Member, choose
from mercer.automatic.tabular.penalties import choose_penalty, least_penalty
from mercer.automatic.tabular.scores import KINDS, TableScores
from mercer.domains.tables.columns import Markers
from mercer.estimators.local_models import LocalModels
from mercer.execution.blas import serial_blas
from mercer.kernels.base import Kernel
from mercer.kernels.combine.maps import Warp
from mercer.kernels.combine.sums import Sum
from mercer.kernels.vectors.distance import Laplacian
from mercer.state import State, storable

_STRUCTURE_ROWS = 700  # that kernels are learned on
_CHOICE_ROWS = 2500  # that members and penalties are chosen on
_WHOLE = 4000  # rows up to which one model is fitted to all of them
_PART = 2500  # rows of a part of a larger table
EFFORTS = {"fast": (500, 500, 1), "balanced": (700, 2500, 1), "best": (1200, 4000, 3)}


class LearnedTable(BaseEstimator):
    """What models of numbers and of classes share: scores, rows, members, and their kernel."""

    stored: ClassVar[State] = State(
        plain=(
            *("columns", "missing", "members", "effort", "seed"),
            *("scores_", "model_", "members_", "kernel_", "trials_", "seconds_", "n_chosen_"),
        ),
        finite=("importances_",),
    )

    def __init__(
        self,
        columns: list[Column],
        missing: Markers = (),
        members: int = 5,
        effort: str = "balanced",
        seed: int = 0,
    ) -> None:
        self.columns = columns
        self.missing = missing
        self.members = members
        self.effort = effort
        self.seed = seed

    def _encode(self, X: RawSamples) -> np.ndarray:
        """Both kinds of scores side by side."""
        return np.hstack([scores(X) for scores in self.scores_.values()])

    def _learn_members(
        self, X: RawSamples, Y: np.ndarray, weight: np.ndarray | None, order: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, Choice]:
        """The scores of all rows, the rows of the choice, and the chosen members."""
        start = time.perf_counter()
        self.scores_ = {
            kind: TableScores(self.columns, self.missing, kind).fit(X) for kind in KINDS
        }
        encoded = {kind: scores(X) for kind, scores in self.scores_.items()}
        n_first, n_second, _ = EFFORTS[self.effort]
        first, second = np.sort(order[:n_first]), np.sort(order[:n_second])
        self.seconds_ = {"scores of columns": time.perf_counter() - start}

        def rows_at(places: np.ndarray) -> dict[str, Rows]:
            of_rows = None if weight is None else weight[places]
            return {
                kind: Rows(Z[places], self.scores_[kind].tied, Y[places], of_rows)
                for kind, Z in encoded.items()
            }

        start = time.perf_counter()
        with serial_blas():
            choice = choose(rows_at(first), rows_at(second), self.members, self.effort == "fast")
        self.seconds_["learning and choice of kernels"] = time.perf_counter() - start
        self.members_, self.trials_ = choice.members, choice.trials
        self.n_chosen_ = len(second)
        self.kernel_ = self._kernel()
        self.importances_ = self._importances(encoded)
        return np.hstack(list(encoded.values())), second, choice

    def _kernel(self) -> Kernel:
        """The members' kernels of raw rows, summed by their weights."""
        terms = [
            member.weight * Warp(member.kernel, self.scores_[member.scores])
            for member in self.members_
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

    def _n_scores(self) -> int:
        return len(self.scores_["squash"].tied)

    def _final(self, model: BaseEstimator, n_samples: int) -> BaseEstimator:
        """The model of all rows, or of each part of a larger table."""
        if n_samples <= _WHOLE:
            return model
        trees = EFFORTS[self.effort][2]
        return LocalModels(model, most=_PART, trees=trees, random_state=self.seed)

    def _fit_final(
        self, model: BaseEstimator, Z: np.ndarray, y: np.ndarray, weight: np.ndarray | None
    ) -> None:
        start = time.perf_counter()
        self.model_ = self._final(model, len(Z)).fit(Z, y, sample_weight=weight)
        self.seconds_["fit on all rows"] = time.perf_counter() - start


def _contributions(member: Member, Z: np.ndarray) -> np.ndarray:
    """The mean distance of two rows along each score, in units of its length scale."""
    shuffled = Z[np.random.default_rng(0).permutation(len(Z))]
    steps = np.abs(shuffled - Z) / np.asarray(member.kernel.length_scale)  # type: ignore[attr-defined]
    power = 1 if isinstance(member.kernel, Laplacian) else 2
    return np.asarray((steps**power).mean(axis=0)) + 1e-300


@storable
class LearnedRegressor(LearnedTable):
    """Averaged kernel ridge regressions, whose kernels are learned, of standardised targets."""

    stored: ClassVar[State] = State(finite=("loo_predictions_", "loo_rows_", "loo_loss_"))

    def fit(self, X: RawSamples, y: np.ndarray, sample_weight: np.ndarray | None = None) -> Self:
        """Learn the kernels on some rows, and fit their ridge regressions on all."""
        order = np.random.default_rng(self.seed).permutation(len(y))
        Y = y[:, None]
        Z, rows, choice = self._learn_members(X, Y, sample_weight, order)
        self.loo_rows_, self.loo_predictions_ = rows, choice.left_out[:, 0]
        of_rows = None if sample_weight is None else sample_weight[rows]
        squares = (self.loo_predictions_ - y[rows]) ** 2
        self.loo_loss_ = float(np.average(squares, weights=of_rows))
        model = RidgeMembers(self.members_, self._n_scores())
        self._fit_final(model, Z, y, sample_weight)
        return self

    def predict(self, X: RawSamples) -> np.ndarray:
        """The average prediction of every row."""
        return self.model_.predict(self._encode(X))


@storable
class LearnedClassifier(LearnedTable):
    """Kernel logistic regression with a sum of learned kernels, for classes 0, 1, ..."""

    stored: ClassVar[State] = State(
        finite=("loo_predictions_", "loo_rows_", "loo_loss_", "penalty_"), plain=("classes_",)
    )

    def fit(self, X: RawSamples, y: np.ndarray, sample_weight: np.ndarray | None = None) -> Self:
        """Learn the kernels on some rows by squared errors, and fit the log-odds on all."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        indicators = (codes[:, None] == np.arange(len(self.classes_))).astype(float)
        if len(self.classes_) == 2:
            indicators = indicators[:, 1:]
        centred = indicators - np.average(indicators, axis=0, weights=sample_weight)
        Y = centred / (np.sqrt((centred**2).mean()) or 1.0)
        order = stratified_order(codes, self.seed)
        Z, rows, _ = self._learn_members(X, Y, sample_weight, order)
        self._choose_penalty(Z, codes, sample_weight, np.sort(order[: len(rows)]))
        model = LogisticMembers(self.members_, self._n_scores(), self.penalty_)
        self._fit_final(model, Z, codes, sample_weight)
        return self

    def _choose_penalty(
        self, Z: np.ndarray, codes: np.ndarray, weight: np.ndarray | None, chosen: np.ndarray
    ) -> None:
        start = time.perf_counter()
        rows = chosen
        if len(rows) > _STRUCTURE_ROWS:
            rows = np.sort(stratified_order(codes, self.seed)[:_STRUCTURE_ROWS])
        of_rows = None if weight is None else weight[rows]
        model = LogisticMembers(self.members_, self._n_scores(), 1.0)
        model.Z_ = Z[rows]
        n_scales = int(self.scores_["squash"].tied.max()) + 1
        least = least_penalty(n_scales, len(codes))
        with serial_blas():
            K = model.summed_gram(Z[rows])
            results = choose_penalty(K, codes[rows], of_rows, least, self.seed)
        self.penalty_, scores, tried = results
        self.loo_rows_ = rows
        self.loo_predictions_ = class_probabilities(scores)
        self.loo_loss_ = min(loss for _, loss in tried)
        self.trials_ += [("logistic regression of the sum", *pair) for pair in tried]
        self.seconds_["choice of the penalty"] = time.perf_counter() - start

    def predict_proba(self, X: RawSamples) -> np.ndarray:
        """Class probabilities, in the order of ``classes_``."""
        return self.model_.predict_proba(self._encode(X))

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
