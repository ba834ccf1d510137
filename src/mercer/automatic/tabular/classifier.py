"""The model of classes of a table: logistic regression with a sum of learned kernels."""

from __future__ import annotations

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
from mercer.automatic.tabular.members import Member, describe_member, plain_members
from mercer.automatic.tabular.models import PLAIN_ROWS, LearnedTable
from mercer.automatic.tabular.penalties import Options, choose_penalty, least_penalty, plain_share
from mercer.execution.blas import serial_blas
from mercer.state import State, storable

_STRUCTURE_ROWS = 700  # that penalties are chosen on
_LEAST = 1e-6  # the smallest penalty of kernels that were not learned

# scores, classes and weights of the rows that a penalty is chosen on, and by what
Problem = tuple[np.ndarray, np.ndarray, np.ndarray | None, Options]


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
        centered = indicators - np.average(indicators, axis=0, weights=sample_weight)
        Y = centered / (np.sqrt((centered**2).mean()) or 1.0)
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
            few = np.sort(order[: min(len(rows), PLAIN_ROWS)])
            of_few = None if sample_weight is None else sample_weight[few]
            together = None if groups is None else groups[few]
            known = (self.scores_["squash"].tied, Y[few], of_few, together)
            rows_of = {
                kind: Rows(scores_of(kind, Z[few], self._n_scores()), *known)
                for kind in self.scores_
            }
            with serial_blas():
                members = plain_members(rows_of)
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
        """The options of the choice of penalties."""
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
