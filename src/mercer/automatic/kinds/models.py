"""Models of samples of any kind, and of tables that mix them, whose kernels are learned."""

from __future__ import annotations

import collections
import dataclasses
import time
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, clone

from mercer.aliases import Estimator, RawSamples
from mercer.automatic.kinds.mixing import best_penalty, mix, shortened, summed, with_product
from mercer.automatic.kinds.terms import (
    TABLE,
    Candidate,
    Held,
    Part,
    Term,
    gram,
    names_of_kinds,
    part_candidates,
)
from mercer.automatic.metrics import metric_for
from mercer.automatic.studies.deadline import check_time
from mercer.automatic.tabular.classifier import LearnedClassifier, stratified_order
from mercer.automatic.tabular.ensembles import class_probabilities
from mercer.automatic.tabular.models import EFFORTS, LearnedRegressor, LearnedTable
from mercer.automatic.tabular.penalties import Options, choose_penalty, least_penalty, make_folds
from mercer.automatic.tuning import blas_threads
from mercer.domains.base import pick_rows
from mercer.domains.tables.columns import Markers
from mercer.errors import InputError
from mercer.estimators.logistic import KernelLogisticRegression
from mercer.estimators.ridge.regressor import KernelRidge
from mercer.execution.blas import serial_blas
from mercer.kernels.base import Kernel
from mercer.proposals.tables import TableColumn
from mercer.state import State, storable

_TOL = 1e-4  # of the gradient of a log-loss


class LearnedMixture(BaseEstimator):
    """A sum of kernels of the parts of samples, with learned parameters and weights.

    Parameters
    ----------
    columns : list of TableColumn
        The columns of a table; empty where the samples are no rows.
    parts : list of Part
        The parts with kernels of their own.
    missing, members, effort, metric, seed
        As of `LearnedTable`, which learns the kernel of numbers, categories and dates.
    """

    stored: ClassVar[State] = State(
        plain=("model_", "members_", "kernel_", "trials_", "seconds_", "n_chosen_"),
        finite=("importances_", "loo_predictions_", "loo_rows_", "loo_loss_", "penalty_"),
    )
    title: ClassVar[str]  # in words, wherever a model is described
    loss_name: ClassVar[str]
    penalty_name: ClassVar[str]
    kernel_: Kernel

    def __init__(
        self,
        columns: list[TableColumn],
        parts: list[Part],
        missing: Markers = (),
        members: int = 5,
        effort: str = "balanced",
        metric: str | None = None,
        seed: int = 0,
    ) -> None:
        self.columns = columns
        self.parts = parts
        self.missing = missing
        self.members = members
        self.effort = effort
        self.metric = metric
        self.seed = seed

    @property
    def _table_columns(self) -> list[TableColumn]:
        """The columns of numbers, categories and dates."""
        own = {part.column for part in self.parts}
        return [column for column in self.columns if column.name not in own]

    def _learn_terms(
        self, X: RawSamples, targets: np.ndarray, held: Held, first: np.ndarray
    ) -> np.ndarray:
        """Learn kernels and their weights on the first rows; the matrix of the sum of kernels."""
        self.seconds_ = {}
        some, few = pick_rows(X, first), held.take(first)
        quick = self.effort == "fast"
        candidates: list[Candidate] = []
        shares = np.ones(0)
        start = time.perf_counter()
        with serial_blas():
            for part in self.parts:
                check_time()
                candidates += part_candidates(part, some, few, quick)
            self.seconds_[f"kernels of {names_of_kinds(self.parts)}"] = time.perf_counter() - start
            if self._table_columns:
                candidate, shares = self._table_candidate(some, targets[first], few)
                candidates.append(candidate)
            if not candidates:
                rule = "is empty in every sample: there is nothing to learn from"
                raise InputError("X", self.parts[0].name, rule)
            start = time.perf_counter()
            candidates = shortened(with_product(candidates, few))
            self.members_, K = mix(candidates, few)
            self.seconds_["weights of kernels"] = time.perf_counter() - start
        self.trials_ = [(each.title, each.penalty, each.loss) for each, _ in candidates]
        self.kernel_ = summed(self.members_)
        self.importances_ = self._importances(candidates, shares)
        return K

    def _table_candidate(
        self, X: RawSamples, targets: np.ndarray, held: Held
    ) -> tuple[Candidate, np.ndarray]:
        """The learned kernel of numbers, categories and dates, and the share of each column."""
        start = time.perf_counter()
        kind: type[LearnedTable] = LearnedClassifier
        if held.Y.shape[1] == 1:  # two classes are learned as numbers, which is cheaper
            kind, targets = LearnedRegressor, held.Y[:, 0]
        options: dict[str, Any] = {"members": self.members, "effort": self.effort}
        table = kind(self._table_columns, missing=self.missing, seed=self.seed, **options)
        table.fit(X, targets, held.weight, held.groups)
        kernel = table.kernel_
        K = gram(kernel, X)
        term = Term(kernel, (TABLE,), "learned length scales", *held.least_loss(K))
        self.seconds_["kernel of numbers and categories"] = time.perf_counter() - start
        return (term, K), table.importances_

    def _importances(self, candidates: list[Candidate], shares: np.ndarray) -> np.ndarray:
        """How much each column adds to the squared distance of two rows; they sum to 1."""
        total = self._distances_of_parts(candidates)
        added = {part.column: total[part.name] for part in self.parts}
        for column, share in zip(self._table_columns, shares, strict=True):
            added[column.name] = share * total[TABLE]
        result = np.array([added.get(column.name, 0.0) for column in self.columns])
        return result / (result.sum() or 1.0)

    def _distances_of_parts(self, candidates: list[Candidate]) -> dict[str, float]:
        """How much each part adds to the squared distance of two rows; nothing if it is unused."""
        distances = {id(term.kernel): _mean_distance(K) for term, K in candidates}
        total: dict[str, float] = collections.defaultdict(float)
        for term in self.members_:
            for owner in term.owners:
                total[owner] += term.weight * distances[id(term.kernel)] / len(term.owners)
        return total

    @property
    def _power(self) -> int:
        return 1 if self.metric == "mae" else 2

    @property
    def chosen_penalty(self) -> float:
        """The penalty of the final model."""
        return self.penalty_

    @property
    def blank(self) -> Estimator:
        """An unfitted copy of the final model, for a Gram matrix."""
        return clone(self.model_).set_params(kernel="precomputed")

    def encode(self, X: RawSamples) -> np.ndarray:
        """The Gram matrix of samples, parts of which serve all models of their subsets."""
        return gram(self.kernel_, X)

    def _fit_final(
        self, model: Estimator, X: RawSamples, y: np.ndarray, weight: np.ndarray | None
    ) -> None:
        start = time.perf_counter()
        check_time()
        with blas_threads(len(y)):
            self.model_ = model.fit(X, y, sample_weight=weight)
        self.kernel_ = self.model_.kernel_
        self.seconds_["fit on all samples"] = time.perf_counter() - start


def _mean_distance(K: np.ndarray) -> float:
    """The mean squared distance of two samples in feature space."""
    return max(float(2.0 * (K.diagonal().mean() - K.mean())), 1e-12)


@storable
class MixtureRegressor(LearnedMixture):
    """Kernel ridge regression with a learned sum of kernels, of standardized targets."""

    title: ClassVar[str] = "ridge regression with a learned mixture of kernels"
    loss_name: ClassVar[str] = "mean squared error"
    penalty_name: ClassVar[str] = "alpha"

    def fit(
        self,
        X: RawSamples,
        y: np.ndarray,
        sample_weight: np.ndarray | None = None,
        groups: np.ndarray | None = None,
    ) -> Self:
        """Learn the kernels on some samples, and fit the ridge regression on all."""
        order = np.random.default_rng(self.seed).permutation(len(y))
        effort = EFFORTS[self.effort]
        first, second = np.sort(order[: effort.learned]), np.sort(order[: effort.chosen])
        held = Held(y[:, None], sample_weight, groups, self._power)
        K = self._learn_terms(X, y, held, first)
        start = time.perf_counter()
        _, penalty = held.take(first).least_loss(K)
        if len(second) > len(first):
            K = gram(self.kernel_, pick_rows(X, second))
        self.penalty_, predicted, tried = best_penalty(K, held.take(second), penalty)
        self.trials_ += [("ridge regression with the sum of kernels", *pair) for pair in tried]
        self.loo_rows_, self.loo_predictions_ = second, predicted[:, 0]
        squares = dataclasses.replace(held, power=2).take(second)
        self.loo_loss_ = squares.loss(predicted)
        self.n_chosen_ = len(second)
        self.seconds_["choice of the penalty"] = time.perf_counter() - start
        self._fit_final(KernelRidge(self.penalty_, kernel=self.kernel_), X, y, sample_weight)
        return self

    def predict(self, X: RawSamples) -> np.ndarray:
        """The prediction of every sample."""
        return self.model_.predict(X)


@storable
class MixtureClassifier(LearnedMixture):
    """Kernel logistic regression with a learned sum of kernels, for classes 0, 1, ..."""

    title: ClassVar[str] = "logistic regression with a learned mixture of kernels"
    loss_name: ClassVar[str] = "log-loss on held-out rows"
    penalty_name: ClassVar[str] = "penalty"
    stored: ClassVar[State] = State(plain=("classes_",))

    def fit(
        self,
        X: RawSamples,
        y: np.ndarray,
        sample_weight: np.ndarray | None = None,
        groups: np.ndarray | None = None,
    ) -> Self:
        """Learn the kernels on some samples by squared errors, and fit the log-odds on all."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        held = Held(class_targets(codes, sample_weight), sample_weight, groups)
        first = np.sort(stratified_order(codes, self.seed)[: EFFORTS[self.effort].learned])
        K = self._learn_terms(X, codes, held, first)
        start = time.perf_counter()
        few = held.take(first)
        metric = None
        if self.metric not in (None, "logloss"):
            metric = metric_for(str(self.metric), "classification")
        options = Options(self.seed, few.groups, metric)
        least = least_penalty(len(self.members_) + len(self._table_columns), len(codes))
        with serial_blas():
            folds = make_folds(K + 1.0, codes[first], few.weight, options)
            choice = choose_penalty(folds, codes[first], few.weight, least, options)
        self.penalty_, scores, tried = choice
        what = "logistic regression with the sum of kernels"
        self.trials_ += [(what, *pair) for pair in tried]
        self.loo_rows_, self.loo_predictions_ = first, class_probabilities(scores)
        own = self.loo_predictions_[np.arange(len(first)), codes[first]]
        losses = -np.log(np.maximum(own, 1e-15))
        self.loo_loss_ = float(np.average(losses, weights=few.weight))
        self.n_chosen_ = len(first)
        self.seconds_["choice of the penalty"] = time.perf_counter() - start
        model = KernelLogisticRegression(1.0 / self.penalty_, kernel=self.kernel_, tol=_TOL)
        self._fit_final(model, X, codes, sample_weight)
        return self

    def predict_proba(self, X: RawSamples) -> np.ndarray:
        """Class probabilities, in the order of ``classes_``."""
        return self.model_.predict_proba(X)

    def predict(self, X: RawSamples) -> np.ndarray:
        """The most probable class of every sample."""
        return self.classes_[np.argmax(self.predict_proba(X), axis=1)]


def class_targets(codes: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
    """Centered indicators of the classes, of two classes one column, in units of their spread."""
    indicators = (codes[:, None] == np.arange(codes.max() + 1)).astype(float)
    if indicators.shape[1] == 2:
        indicators = indicators[:, 1:]
    centered = indicators - np.average(indicators, axis=0, weights=weight)
    return centered / (np.sqrt((centered**2).mean()) or 1.0)
