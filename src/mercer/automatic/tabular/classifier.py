"""The model of classes of a table: logistic regression with a sum of learned kernels."""

from __future__ import annotations

import dataclasses
import time
from typing import ClassVar, Self

import numpy as np

from mercer.aliases import RawSamples
from mercer.automatic.metrics import metric_for
from mercer.automatic.tabular.ensembles import (
    LogisticMembers,
    LogisticMixture,
    class_probabilities,
    scores_of,
)
from mercer.automatic.tabular.kernels import Rows
from mercer.automatic.tabular.members import Member, choose, describe_member, plain_members
from mercer.automatic.tabular.models import PLAIN_ROWS, LearnedTable
from mercer.automatic.tabular.penalties import (
    Fold,
    LeftOut,
    Options,
    best_share,
    choose_penalty,
    fold_count,
    make_folds,
    plain_share,
)
from mercer.execution.blas import serial_blas
from mercer.state import State, storable

_JUDGED_ROWS = 700  # that penalties are chosen on
_UNSEEN_ROWS = 350  # that no kernel was learned from: enough to choose penalties on
_CROSSED = 4  # folds without which kernels are learned once more
_LEAST = 1e-6  # the smallest penalty


@dataclasses.dataclass(frozen=True)
class _Problem:
    """The rows that penalties are chosen on, and by what."""

    Z: np.ndarray  # scores
    codes: np.ndarray
    Y: np.ndarray  # the classes as numbers, by which kernels are learned
    weight: np.ndarray | None
    groups: np.ndarray | None
    options: Options

    def take(self, places: np.ndarray) -> _Problem:
        """Some of the rows."""
        weight = None if self.weight is None else self.weight[places]
        groups = None if self.groups is None else self.groups[places]
        known = (self.Z[places], self.codes[places], self.Y[places], weight, groups)
        return _Problem(*known, self.options)

    def n_folds(self, most: int) -> int:
        """As many folds as the rarest class has rows, but at least two."""
        return fold_count(self.codes, most)

    @property
    def for_folds(self) -> tuple[np.ndarray, int, np.ndarray | None]:
        """What a fold knows of all rows."""
        return self.codes, int(self.codes.max()) + 1, self.weight


@storable
class LearnedClassifier(LearnedTable):
    """Kernel logistic regression with a sum of learned kernels, for classes 0, 1, ..."""

    title: ClassVar[str] = "logistic regression with learned kernels"
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
        centered = indicators - np.average(indicators, axis=0, weights=sample_weight)
        Y = centered / (np.sqrt((centered**2).mean()) or 1.0)
        order = stratified_order(codes, self.seed)
        Z, _, _ = self._learn_members(X, Y, sample_weight, order, groups)
        start = time.perf_counter()
        some, is_seen = self._judged_rows(codes, order)
        options = self._options(groups, some)
        problem = _Problem(Z, codes, Y, sample_weight, groups, options).take(some)
        n_scales = 0 if self._is_fast else int(self.scores_["squash"].tied.max()) + 1
        folds = self._crossed(problem) if is_seen else self._folds(self.members_, problem)
        learned, held_out = self._choose_penalty(self.members_, folds, problem)
        model: LogisticMembers | LogisticMixture = learned
        self.plain_share_ = plain_share(n_scales, len(codes))
        if self.plain_share_ > 0:
            few = np.sort(stratified_order(problem.codes, self.seed)[:PLAIN_ROWS])
            with serial_blas():
                members = plain_members(self._rows(problem, few))
            plain, of_plain = self._choose_penalty(members, self._folds(members, problem), problem)
            given = (problem.codes, problem.weight, self.plain_share_)
            self.plain_share_ = best_share(held_out, of_plain, *given)
            shares = [1.0 - self.plain_share_, self.plain_share_]
            held_out = np.average([held_out, of_plain], axis=0, weights=shares)
            model = LogisticMixture([learned, plain], shares)
        self.penalty_ = learned.penalty
        self.loo_rows_, self.loo_predictions_ = some, held_out
        own = held_out[np.arange(len(some)), problem.codes]
        losses = -np.log(np.maximum(own, 1e-15))
        self.loo_loss_ = float(np.average(losses, weights=problem.weight))
        self.seconds_["choice of penalties"] = time.perf_counter() - start
        self._fit_final(model, Z, codes, sample_weight)
        return self

    def _judged_rows(self, codes: np.ndarray, order: np.ndarray) -> tuple[np.ndarray, bool]:
        """The rows that penalties are chosen on, and whether kernels were learned from them.

        Kernels look better than they are on rows that they were learned from.
        """
        first = 0
        if not self._is_fast and len(codes) - self._effort.learned >= _UNSEEN_ROWS:
            first = self._effort.learned
        count = min(_JUDGED_ROWS, self._effort.chosen)
        rows = np.sort(order[first : first + count])
        absent = np.setdiff1d(codes, codes[rows])
        others = [np.flatnonzero(codes == code)[0] for code in absent]
        return np.sort(np.append(rows, others).astype(int)), first == 0 and not self._is_fast

    def _rows(self, problem: _Problem, places: np.ndarray) -> dict[str, Rows]:
        """Some rows of a problem, for each kind of scores."""
        known = problem.take(places)
        facts = (self.scores_["squash"].tied, known.Y, known.weight, known.groups)
        return {
            kind: Rows(scores_of(kind, known.Z, self._n_scores()), *facts) for kind in self.scores_
        }

    def _crossed(self, problem: _Problem) -> list[Fold]:
        """Folds whose kernels are learned without the rows that are held out."""
        search = self._search(len(problem.codes))[2]
        folds = []
        for train, test in problem.options.folds(problem.codes, problem.n_folds(_CROSSED)):
            rows = self._rows(problem, train)
            with serial_blas():
                members = choose(rows, rows, search).members
            K = self._gram(members, problem)
            folds.append(Fold(K, *problem.for_folds, (train, test)))
        return folds

    def _folds(self, members: list[Member], problem: _Problem) -> list[Fold] | list[LeftOut]:
        """Folds of one sum of kernels."""
        K = self._gram(members, problem)
        return make_folds(K, problem.codes, problem.weight, problem.options)

    def _gram(self, members: list[Member], problem: _Problem) -> np.ndarray:
        model = LogisticMembers(members, self._n_scores(), 1.0)
        model.Z_ = problem.Z
        with serial_blas():
            return model.summed_gram(problem.Z)

    def _options(self, groups: np.ndarray | None, rows: np.ndarray) -> Options:
        """The options of the choice of penalties."""
        together = None if groups is None else groups[rows]
        metric = None
        if self.metric not in (None, "logloss"):
            metric = metric_for(str(self.metric), "classification")
        return Options(self.seed, together, metric, self._is_fast)

    def _choose_penalty(
        self, members: list[Member], folds: list[Fold] | list[LeftOut], problem: _Problem
    ) -> tuple[LogisticMembers, np.ndarray]:
        """A logistic regression with its penalty, and probabilities of held-out rows."""
        given = (problem.codes, problem.weight, _LEAST, problem.options)
        with serial_blas():
            penalty, scores, tried = choose_penalty(folds, *given)
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
