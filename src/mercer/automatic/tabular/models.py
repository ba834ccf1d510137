"""Models of a table that learn their kernels, and that of numbers."""

from __future__ import annotations

import dataclasses
import time
from typing import ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, clone

from mercer.aliases import RawSamples
from mercer.automatic.studies.deadline import check_time
from mercer.automatic.tabular.ensembles import WHOLE, RidgeMembers
from mercer.automatic.tabular.importances import contributions
from mercer.automatic.tabular.kernels import (
    PENALTIES,
    Rows,
    gram,
    plain_laplacian,
    scaled,
    weighted_rbf,
)
from mercer.automatic.tabular.members import Choice, Search, choose
from mercer.automatic.tabular.scores import KINDS, TableScores
from mercer.automatic.tabular.targets import AS_IT_IS, TargetMap, choose_target, maps_to_try
from mercer.domains.tables.columns import Markers
from mercer.estimators.local_models import LocalModels
from mercer.execution.blas import serial_blas
from mercer.gram.plan import FLOAT32, PRODUCTS, most_samples
from mercer.kernels.base import Kernel
from mercer.kernels.combine.maps import Warp
from mercer.kernels.combine.sums import Sum
from mercer.proposals.tables import TableColumn
from mercer.state import State, storable

PLAIN_ROWS = 400  # on which kernels that are not learned are compared
_PART = 2500  # rows of a part of a larger table, whose matrices are factored
_LARGE_PART = 16000  # rows of a part whose equations are solved by conjugate gradients
_SMOOTH = 2.0  # length scale of a smooth kernel, in units of the root mean distance
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


class LearnedTable(BaseEstimator):
    """Base class of models of numbers and of classes: scores, rows, members, and their kernel."""

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
        power = 1 if self.metric == "mae" else 2
        self.seconds_ = {"scores of columns": time.perf_counter() - start}

        def rows_at(places: np.ndarray) -> dict[str, Rows]:
            of_rows = None if weight is None else weight[places]
            together = None if groups is None else groups[places]
            target = self._target()
            rows = {}
            for kind, Z in encoded.items():
                known = (self.scores_[kind].tied, target(Y[places]), of_rows, together, power)
                rows[kind] = Rows(Z[places], *known, target, Y[places])
            return rows

        start = time.perf_counter()
        self._choose_target(rows_at(np.sort(order[:PLAIN_ROWS]))["squash"])
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
            parts = contributions(member.kernel, encoded[member.scores])
            owners = [names.index(name) for name in self.scores_[member.scores].owners_]
            total += member.weight * np.bincount(owners, parts, len(names))
        return total / total.sum()

    # -- what the two kinds say of themselves --

    title: ClassVar[str]  # in words, wherever a model is described
    loss_name: ClassVar[str]
    penalty_name: ClassVar[str]
    _learns_full_metric: ClassVar[bool] = False
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
        is_regression = self._learns_full_metric
        # terms of single columns hardly help where a metric that mixes columns is learned
        additive = not is_regression or self.effort == "best"
        search = Search(
            self.members, learned=not self._is_fast, full_metric=is_regression, additive=additive
        )
        return effort.learned, effort.chosen, search

    def _target(self) -> TargetMap:
        """The map of the target that is learned."""
        return AS_IT_IS

    def _choose_target(self, rows: Rows) -> None:
        """Choose the map of the target; classes have none."""

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
        check_time()
        start = time.perf_counter()
        self.model_ = self._final(model, len(Z)).fit(Z, y, sample_weight=weight)
        self.seconds_["fit on all rows"] = time.perf_counter() - start


@storable
class LearnedRegressor(LearnedTable):
    """Averaged kernel ridge regressions, whose kernels are learned, of standardized targets."""

    title: ClassVar[str] = "ridge regression with learned kernels"
    loss_name: ClassVar[str] = "mean squared error"
    penalty_name: ClassVar[str] = "alpha"
    _learns_full_metric: ClassVar[bool] = True

    stored: ClassVar[State] = State(
        plain=("target_", "target_losses_"), finite=("loo_predictions_", "loo_rows_", "loo_loss_")
    )

    def __init__(
        self,
        columns: list[TableColumn],
        missing: Markers = (),
        members: int = 5,
        effort: str = "balanced",
        metric: str | None = None,
        seed: int = 0,
        origin: float | None = None,
    ) -> None:
        super().__init__(columns, missing, members, effort, metric, seed)
        self.origin = origin  # where the target is 0, if it is never negative

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
        self.target_, self._maps = AS_IT_IS, maps_to_try(y, self.origin, sample_weight)
        Z, rows, choice = self._learn_members(X, Y, sample_weight, order, groups)
        of_rows = None if sample_weight is None else sample_weight[rows]
        self.target_ = self.target_.fitted(choice.left_out, Y[rows], of_rows)
        self.loo_rows_ = rows
        self.loo_predictions_ = self.target_.mapped_back(choice.left_out)[:, 0]
        squares = (self.loo_predictions_ - y[rows]) ** 2
        self.loo_loss_ = float(np.average(squares, weights=of_rows))
        model = RidgeMembers(self.members_, self._n_scores(), self.target_)
        self._fit_final(model, Z, y, sample_weight)
        return self

    def _target(self) -> TargetMap:
        return self.target_

    def _choose_target(self, rows: Rows) -> None:
        """Choose the map of the target by the errors of two kernels that are not learned."""
        maps = self.__dict__.pop("_maps")
        self.target_losses_: dict[str, float] = {}
        if len(maps) == 1:
            return
        rough, smooth = plain_laplacian(rows.Z), weighted_rbf(rows.Z, np.ones(rows.Z.shape[1]))
        grams = [gram(kernel, rows.Z) for kernel in (rough, scaled(smooth, _SMOOTH))]
        chosen = choose_target(maps, grams, rows.Y[:, 0], PENALTIES, rows.weight, rows.groups)
        self.target_, self.target_losses_ = chosen

    def _search(self, n_samples: int) -> tuple[int, int, Search]:
        """A large table has few members, which see many rows each."""
        if n_samples <= WHOLE:
            return super()._search(n_samples)
        effort = self._effort
        members = min(self.members, effort.members_large)
        search = Search(members, members + 1, not self._is_fast, brief=True)
        return effort.learned_large, effort.chosen_large, search

    def _final(self, model: BaseEstimator, n_samples: int) -> BaseEstimator:
        """One final model for up to some ten thousand rows if float32 is exact enough."""
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
