"""Base class of automatic classifiers and regressors: model selection, and checks of tables."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from mercer.aliases import Estimator, KernelLike, RandomState, RawSamples
from mercer.automatic.candidates import beyond, candidates
from mercer.automatic.held_out_metrics import judged_by
from mercer.automatic.inputs import CheckedInput
from mercer.automatic.kinds.models import LearnedMixture, MixtureClassifier, MixtureRegressor
from mercer.automatic.kinds.report import mixture_report
from mercer.automatic.kinds.terms import Part
from mercer.automatic.learners import LEARNED, calibrate, learner_for
from mercer.automatic.metrics import metric_for
from mercer.automatic.studies.deadline import Deadline, best_in_time, keeping
from mercer.automatic.subsets import thin_out
from mercer.automatic.tabular.classifier import LearnedClassifier
from mercer.automatic.tabular.models import EFFORTS, LearnedRegressor, LearnedTable
from mercer.automatic.tabular.report import learned_report
from mercer.automatic.tuning import TunedModel, blas_threads, tune
from mercer.domains.base import pick_rows, raw_length
from mercer.errors import ParameterError, ShapeError
from mercer.estimators.common.lazily import AnswersDask
from mercer.params import integer, positive
from mercer.proposals.registry import KINDS, is_auto, kind_of_samples
from mercer.proposals.tables import TableColumn, read_columns
from mercer.state import State

_FEWEST = 4  # samples below which nothing can be held out
_FEWEST_TO_LEARN = 20  # samples from which the kernels of a table are learned
_MOST_CLASSES = 60  # for which probabilities are learned by logistic regression
_MOST_ROWS = 5000  # rows from which the kinds of columns are inferred
_MOST_MIXED = 6000  # samples of which the matrix of a sum of kernels is stored
_OF_ROWS: dict[str, Any] = {"classification": LearnedClassifier, "regression": LearnedRegressor}
_OF_PARTS: dict[str, Any] = {"classification": MixtureClassifier, "regression": MixtureRegressor}


class Automatic(AnswersDask, CheckedInput):
    """The common part of classification and regression: model selection."""

    _task: ClassVar[str]
    model_: Estimator
    stored: ClassVar[State] = State(
        plain=(
            *("candidates_", "tuned_", "n_tuned_", "learner_", "way_", "loss_", "penalty_name_"),
            *("model_", "kernel_", "columns_", "left_out_", "fillings_", "reasons_", "orders_"),
            *("loo_predictions_", "importances_", "report_", "background_"),
            "source_",  # a study sets it: the file that the model was fitted on
        )
    )

    def __init__(
        self,
        kernel: KernelLike = "auto",
        learner: str = "auto",
        *,
        members: int = 5,
        time: str | float = "balanced",
        metric: str | None = None,
        missing: Any = (),
        keep: Any = (),
        drop: Any = (),
        tune_rows: int = 1000,
        random_state: RandomState = 0,
    ) -> None:
        self.kernel = kernel
        self.learner = learner
        self.members = members
        self.time = time
        self.metric = metric
        self.missing = missing
        self.keep = keep
        self.drop = drop
        self.tune_rows = tune_rows
        self.random_state = random_state

    def _fit(
        self,
        X: RawSamples,
        y: np.ndarray,
        weight: np.ndarray | None,
        groups: np.ndarray | None = None,
    ) -> None:
        """Learn kernels of the samples, or choose among given ones."""
        self._check_choices()
        for name in ("loo_predictions_", "loo_errors_", "loo_scores_", "importances_", "report_"):
            self.__dict__.pop(name, None)
        X = self._leave_out_columns(X, y, self._task == "classification")
        columns, parts = self._what_to_learn(X, y)
        if columns or parts:
            self._fit_learned(X, y, weight, groups, columns, parts)
        else:
            self._refuse_groups(groups)
            self._fit_chosen(X, y, weight)

    def _check_choices(self) -> None:
        """Refuse values of the parameters that say how kernels are learned."""
        integer(1).check("members", self.members)
        is_seconds = isinstance(self.time, (int, float)) and not isinstance(self.time, bool)
        if is_seconds:
            positive.check("time", self.time)
        elif self.time not in EFFORTS:
            raise ParameterError(
                "time", self.time, f"must be one of {', '.join(EFFORTS)}, or seconds"
            )
        if self.metric is not None:
            metric_for(self.metric, self._task)

    def _what_to_learn(self, X: RawSamples, y: np.ndarray) -> tuple[list[TableColumn], list[Part]]:
        """The columns of a table whose kernels can be learned, and parts of kinds of their own."""
        if not self._may_learn(y) or hasattr(X, "tocsr"):
            return [], []
        kind = kind_of_samples(X)
        columns: list[TableColumn] = []
        if kind is not None:
            parts = [Part(kind.name)]
        else:
            columns = self._informative_columns(X)
            parts = [Part(column.kind, column.name) for column in columns if column.kind in KINDS]
        if parts and len(y) > _MOST_MIXED:
            return [], []
        return columns, parts

    def _informative_columns(self, X: RawSamples) -> list[TableColumn]:
        """The columns of a table that vary; a constant with missing values varies too."""
        columns = read_columns(thin_out(X, _MOST_ROWS), tuple(self.missing))
        return [column for column in columns if column.spread > 0 or column.missing_share > 0]

    def _may_learn(self, y: np.ndarray) -> bool:
        """Whether neither the parameters nor the targets speak against learning kernels."""
        is_free = is_auto(self.kernel) and self.learner == "auto"
        n_classes = 0
        if self._task == "classification":
            n_classes = len(np.unique(y))
        elif not np.ptp(y):
            return False  # one number explains all of it
        return is_free and len(y) >= _FEWEST_TO_LEARN and n_classes <= _MOST_CLASSES

    def _refuse_groups(self, groups: np.ndarray | None) -> None:
        if groups is not None:
            rule = "keep samples together only where kernels are learned"
            remedy = "kernel='auto', learner='auto', at least 20 samples"
            raise ParameterError("groups", f"{len(groups)} values", rule, remedy)

    def _fit_learned(
        self,
        X: RawSamples,
        y: np.ndarray,
        weight: np.ndarray | None,
        groups: np.ndarray | None,
        columns: list[TableColumn],
        parts: list[Part],
    ) -> None:
        """Learn the kernels of the samples, with as much effort as there is time for."""
        self._check_counts(raw_length(X))
        start = time.perf_counter()
        kinds, options = _OF_ROWS, self._of_rows(y)
        if parts:
            kinds, options = _OF_PARTS, {"parts": parts}
        notes = [f"column {name!r} {reason}: left out" for name, (_, reason) in self._reasons()]

        def attempt(effort: str) -> LearnedTable | LearnedMixture:
            model = kinds[self._task](
                columns,
                **options,
                missing=tuple(self.missing),
                members=self.members,
                effort=effort,
                metric=self.metric,
                seed=self._seed(),
            )
            return model.fit(X, y, weight, groups)

        if isinstance(self.time, str):
            model = attempt(self.time)
        else:
            model, left_out = best_in_time(attempt, self.time)
            notes += left_out
            notes.append("the effort depends on the time that was measured: not reproducible")
        self._keep_learned(model, len(y), columns, time.perf_counter() - start, notes)

    def _of_rows(self, y: np.ndarray) -> dict[str, Any]:
        """Options of models of rows that depend on the target."""
        return {}

    def _keep_learned(
        self,
        model: LearnedTable | LearnedMixture,
        n_samples: int,
        columns: list[TableColumn],
        seconds: float,
        notes: list[str],
    ) -> None:
        """Set the fitted attributes from a model of learned kernels."""
        self.model_, self.kernel_ = model, model.kernel_
        self.learner_, self.way_ = LEARNED, "closed-form leave-one-out"
        self.loss_, self.penalty_name_ = model.loss_name, model.penalty_name
        penalty = model.chosen_penalty
        self.tuned_: TunedModel = TunedModel(model.kernel_, penalty, model.loo_loss_, model.trials_)
        self.candidates_ = [member.kernel for member in model.members_]
        self.n_tuned_ = model.n_chosen_
        shape = (n_samples, *model.loo_predictions_.shape[1:])
        self.loo_predictions_ = np.full(shape, np.nan)
        self.loo_predictions_[model.loo_rows_] = self._in_units(model.loo_predictions_)
        if columns:
            names = getattr(self, "columns_", list(range(getattr(self, "n_features_in_", 0))))
            places = [names.index(column.name) for column in columns]
            self.importances_ = np.zeros(len(names))
            self.importances_[places] = model.importances_
        if isinstance(model, LearnedMixture):
            self.report_ = mixture_report(model, n_samples, seconds, notes)
        else:
            self.report_ = learned_report(model, n_samples, seconds, notes)

    def _add_note(self, note: str) -> None:
        """Let the report say something more."""
        self.report_ = dataclasses.replace(self.report_, notes=(*self.report_.notes, note))

    def _in_units(self, predicted: np.ndarray) -> np.ndarray:
        """Predictions of the model in the units of the target."""
        return predicted

    def _fit_chosen(self, X: RawSamples, y: np.ndarray, weight: np.ndarray | None) -> None:
        """Choose kernel and penalty on at most ``tune_rows`` samples, then fit on all."""
        n_samples = raw_length(X)
        learner = learner_for(self._task, self.learner, n_samples)
        if self.metric is not None:
            learner = judged_by(learner, metric_for(self.metric, self._task))
        self._check_counts(n_samples)
        seed = self._seed()
        rows = self._tuning_rows(y, seed)
        X_tune = X
        if len(rows) < n_samples:
            X_tune = pick_rows(X, rows)
        self.candidates_ = candidates(X, self.kernel, tuple(self.missing))
        of_rows = None if weight is None else weight[rows]
        further = beyond(self.kernel)
        with keeping(None if isinstance(self.time, str) else Deadline(self.time)):
            self.tuned_ = tune(learner, self.candidates_, X_tune, y[rows], seed, of_rows, further)
        self.n_tuned_ = len(rows)
        self.learner_ = learner.name
        self.way_ = learner.way
        self.loss_ = learner.loss
        self.penalty_name_ = learner.penalty
        with blas_threads(n_samples):
            model = learner.make(self.tuned_.kernel, self.tuned_.penalty)
            self.model_ = model.fit(X, y, sample_weight=weight)
        self.kernel_ = self.model_.kernel_
        if isinstance(self.kernel_, Sequence):  # one for each class, of which none was learned
            self.kernel_ = self.kernel_[0]
        if self.learner_ == "svc":
            calibrate(self.model_, X_tune, y[rows], self.tuned_.penalty, seed, of_rows)

    def _reasons(self) -> list[tuple[str, list[str]]]:
        """The columns that are left out, each with a kind and a reason."""
        return list(getattr(self, "reasons_", {}).items())

    def _seed(self) -> int:
        """The seed of the folds; a random generator draws it."""
        seed = self.random_state or 0
        if isinstance(seed, np.random.RandomState):
            return int(seed.randint(2**31))
        if not isinstance(seed, (int, np.integer)) or not 0 <= seed < 2**32:
            rule = "must be a whole number from 0 to 2^32 - 1, or a RandomState"
            raise ParameterError("random_state", seed, rule)
        return int(seed)

    def _check_counts(self, n_samples: int) -> None:
        if not isinstance(self.tune_rows, (int, np.integer)) or self.tune_rows < _FEWEST:
            rule = f"must be a whole number, at least {_FEWEST}"
            raise ParameterError("tune_rows", self.tune_rows, rule)
        if n_samples < _FEWEST:
            rule = f"are too few to hold some out: a minimum of {_FEWEST} is required"
            raise ShapeError("X", f"{n_samples} sample(s)", rule)

    def _tuning_rows(self, y: np.ndarray, seed: int) -> np.ndarray:
        """At most ``tune_rows`` samples, drawn at random; classes keep their shares."""
        if len(y) <= self.tune_rows:
            return np.arange(len(y))
        shuffled = np.random.default_rng(seed).permutation(len(y))
        if self._task == "regression":
            return np.sort(shuffled[: self.tune_rows])
        # At least two samples of every class come first; then classes in proportion.
        priority = np.empty(len(y))
        for label in np.unique(y):
            members = shuffled[y[shuffled] == label]
            priority[members] = (np.arange(len(members)) + 0.5) / len(members)
            priority[members[:2]] = -1.0
        return np.sort(np.argsort(priority, kind="stable")[: self.tune_rows])
