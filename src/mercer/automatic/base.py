"""What automatic classifiers and regressors share: model selection, and checks of tables."""

from __future__ import annotations

import time
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import Tags
from sklearn.utils.validation import column_or_1d, validate_data

from mercer.aliases import Estimator, Frame, KernelLike, RandomState, RawSamples, Targets, Weights
from mercer.automatic.candidates import candidates, is_auto, kind_of
from mercer.automatic.frames import (
    as_collection,
    as_pandas,
    is_list_of_rows,
    is_numeric_table,
    typical_value,
)
from mercer.automatic.learners import LEARNED, learner_for
from mercer.automatic.metrics import metric_for
from mercer.automatic.subsets import thin_out
from mercer.automatic.tables import TableColumn, read_columns
from mercer.automatic.tabular.models import (
    EFFORTS,
    LearnedClassifier,
    LearnedRegressor,
    LearnedTable,
)
from mercer.automatic.tabular.report import learned_report
from mercer.automatic.tuning import TunedModel, blas_threads, tune
from mercer.domains.base import pick_rows, raw_length
from mercer.domains.tables.columns import missing_values
from mercer.errors import ParameterError, ShapeError, WidthError, warn
from mercer.estimators.common.validation import check_weights
from mercer.params import integer, positive
from mercer.state import State

# What only a fit on a table sets.
_OF_TABLES = ("n_features_in_", "feature_names_in_", "columns_", "left_out_", "fillings_")
_FEWEST = 4  # samples below which nothing can be held out
_FEWEST_TO_LEARN = 20  # samples from which the kernels of a table are learned
_MOST_CLASSES = 60  # for which probabilities are learned by logistic regression
_MOST_ROWS = 5000  # rows from which the kinds of columns are told
_SLOWER = 15.0  # how much longer more effort takes, about


class Automatic(BaseEstimator):
    """The common part of classification and regression: model selection and input checks."""

    _task: ClassVar[str]
    model_: Estimator
    stored: ClassVar[State] = State(
        plain=(
            *("candidates_", "tuned_", "n_tuned_", "learner_", "way_", "loss_", "penalty_name_"),
            *("model_", "kernel_", "columns_", "left_out_", "fillings_"),
            *("loo_predictions_", "importances_", "report_"),
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
        tune_rows: int = 1000,
        random_state: RandomState = 0,
    ) -> None:
        self.kernel = kernel
        self.learner = learner
        self.members = members
        self.time = time
        self.metric = metric
        self.missing = missing
        self.tune_rows = tune_rows
        self.random_state = random_state

    def _fit(
        self,
        X: RawSamples,
        y: np.ndarray,
        weight: np.ndarray | None,
        groups: np.ndarray | None = None,
    ) -> None:
        """Learn kernels of a table; of other samples, choose among given ones."""
        self._check_choices()
        for name in ("loo_predictions_", "importances_", "report_"):
            self.__dict__.pop(name, None)
        columns = self._columns_to_learn(X, y)
        if columns:
            self._fit_table(X, y, weight, groups, columns)
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

    def _columns_to_learn(self, X: RawSamples, y: np.ndarray) -> list[TableColumn]:
        """The columns of a table whose kernels can be learned; none for other samples."""
        if not self._may_learn(y) or kind_of(X) != "table":
            return []
        columns = read_columns(thin_out(X, _MOST_ROWS), tuple(self.missing))
        if not {column.kind for column in columns} <= {"number", "category", "date"}:
            return []
        return [column for column in columns if column.spread > 0]

    def _may_learn(self, y: np.ndarray) -> bool:
        """Whether neither the parameters nor the targets speak against learning kernels."""
        is_free = is_auto(self.kernel) and self.learner == "auto"
        n_classes = 0
        if self._task == "classification":
            n_classes = len(np.unique(y))
        return is_free and len(y) >= _FEWEST_TO_LEARN and n_classes <= _MOST_CLASSES

    def _refuse_groups(self, groups: np.ndarray | None) -> None:
        if groups is not None:
            rule = "keep samples together only where the kernels of a table are learned"
            remedy = "kernel='auto', learner='auto', columns of numbers, categories and dates"
            raise ParameterError("groups", f"{len(groups)} values", rule, remedy)

    def _fit_table(
        self,
        X: RawSamples,
        y: np.ndarray,
        weight: np.ndarray | None,
        groups: np.ndarray | None,
        columns: list[TableColumn],
    ) -> None:
        """Learn the kernels of a table, with as much effort as there is time for."""
        self._check_counts(raw_length(X))
        start = time.perf_counter()
        kind = LearnedClassifier if self._task == "classification" else LearnedRegressor
        notes: list[str] = []

        def attempt(effort: str) -> LearnedTable:
            model = kind(
                columns,
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
            model = attempt("fast")
            for effort, factor in (("balanced", _SLOWER), ("best", _SLOWER / 2)):
                spent = time.perf_counter() - start
                if spent * (1.0 + factor) < self.time:
                    model = attempt(effort)
            notes.append("the effort depends on the time that was measured: not reproducible")
        self._keep_table(model, len(y), columns, time.perf_counter() - start, notes)

    def _keep_table(
        self,
        model: LearnedTable,
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
        names = getattr(self, "columns_", list(range(getattr(self, "n_features_in_", 0))))
        places = [names.index(column.name) for column in columns]
        self.importances_ = np.zeros(len(names))
        self.importances_[places] = model.importances_
        self.report_ = learned_report(model, n_samples, seconds, notes)

    def _in_units(self, predicted: np.ndarray) -> np.ndarray:
        """Predictions of the model in the units of the target."""
        return predicted

    def _fit_chosen(self, X: RawSamples, y: np.ndarray, weight: np.ndarray | None) -> None:
        """Choose kernel and penalty on at most ``tune_rows`` samples, then fit on all."""
        if self.metric is not None:
            warn(f"metric={self.metric!r} is not used: there is one for learned kernels only")
        n_samples = raw_length(X)
        learner = learner_for(self._task, self.learner, n_samples)
        self._check_counts(n_samples)
        seed = self._seed()
        rows = self._tuning_rows(y, seed)
        X_tune = X
        if len(rows) < n_samples:
            X_tune = pick_rows(X, rows)
        self.candidates_ = candidates(X, self.kernel, tuple(self.missing))
        of_rows = None if weight is None else weight[rows]
        self.tuned_ = tune(learner, self.candidates_, X_tune, y[rows], seed, of_rows)
        self.n_tuned_ = len(rows)
        self.learner_ = learner.name
        self.way_ = learner.way
        self.loss_ = learner.loss
        self.penalty_name_ = learner.penalty
        with blas_threads(n_samples):
            model = learner.make(self.tuned_.kernel, self.tuned_.penalty)
            self.model_ = model.fit(X, y, sample_weight=weight)
        self.kernel_ = self.model_.kernel_
        if isinstance(self.kernel_, list):  # one for each class, of which none was learned
            self.kernel_ = self.kernel_[0]
        self._calibrate(X_tune, y[rows], seed, of_rows)

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

    def _calibrate(self, X: RawSamples, y: np.ndarray, seed: int, weight: Weights) -> None:
        """Classifiers calibrate their probabilities here."""

    def _check_input(
        self, X: RawSamples, y: Targets, sample_weight: Weights, groups: Any
    ) -> tuple[RawSamples, np.ndarray, np.ndarray | None, np.ndarray | None]:
        """Samples, targets, weights and groups for a fit; samples of weight 0 are left out."""
        if y is None:
            # The words are those that scikit-learn's own checks of estimators look for.
            message = "requires y to be passed, but the target y is None"
            raise ValueError(f"This {type(self).__name__} estimator {message}")
        self._forget_columns()
        X = self._check_samples(X, reset=True)
        y = column_or_1d(y, warn=True)
        if len(y) != raw_length(X):
            rule = f"must have one for each of the {raw_length(X)} samples"
            raise ShapeError("y", f"{len(y)} values", rule)
        if groups is not None:
            groups = np.unique(column_or_1d(groups), return_inverse=True)[1]
            if len(groups) != len(y):
                rule = f"must have one for each of the {len(y)} samples"
                raise ShapeError("groups", f"{len(groups)} values", rule)
        if sample_weight is None:
            return X, y, None, groups
        weight = check_weights(sample_weight, len(y))
        rows = np.flatnonzero(weight)
        if len(rows) < len(y):
            X = pick_rows(X, rows)
        if groups is not None:
            groups = groups[rows]
        return X, y[rows], weight[rows], groups

    def _check_samples(self, X: RawSamples, reset: bool) -> RawSamples:
        """Check the samples: tables of numbers by scikit-learn, other samples by their kernel."""
        X = as_collection(X)
        if is_numeric_table(X):
            checks = {"accept_sparse": "csr", "ensure_all_finite": "allow-nan"}
            return validate_data(self, X, reset=reset, dtype=np.float64, **checks)
        if hasattr(X, "columns"):
            return self._check_frame(as_pandas(X), reset)
        if reset and (is_list_of_rows(X) or np.ndim(X) == 2):
            self.n_features_in_ = len(X[0])
        return X

    def _forget_columns(self) -> None:
        """Forget the columns of an earlier fit, and the file that a study read them from."""
        for name in (*_OF_TABLES, "source_"):
            self.__dict__.pop(name, None)

    def _check_frame(self, frame: Frame, reset: bool) -> Frame:
        if reset:
            return self._learn_columns(frame)
        if hasattr(self, "columns_"):
            return self._fill_missing(self._select_columns(frame))
        # The model was fitted on an array: columns are known by their position.
        numeric = all(dtype.kind in "biuf" for dtype in frame.dtypes)
        return self._check_samples(frame.to_numpy(dtype=None if numeric else object), reset=False)

    def _learn_columns(self, frame: Frame) -> Frame:
        """The training table without its empty columns; remember names and typical values."""
        # scikit-learn's rule: only names that are all strings are feature names.
        if all(isinstance(name, str) for name in frame.columns):
            self.feature_names_in_ = np.asarray(frame.columns, dtype=object)
        self.n_features_in_ = len(frame.columns)
        self.columns_ = list(frame.columns)
        markers = [value for value in self.missing if value is not None]
        missing = frame.isna() | frame.isin(markers)
        self.left_out_ = list(frame.columns[missing.all()])
        complete = frame.columns[~missing.any()]
        self.fillings_ = {name: typical_value(frame[name]) for name in complete}
        return frame.drop(columns=self.left_out_)

    def _select_columns(self, frame: Frame) -> Frame:
        """The columns of the training table, in its order."""
        wanted = [name for name in self.columns_ if name not in self.left_out_]
        absent = [name for name in wanted if name not in frame.columns]
        if absent:
            rule = "lacks what the model was fitted on"
            remedy = f"it has {list(frame.columns)[:20]}"
            raise WidthError("X", f"no column {absent[0]!r}", rule, remedy)
        return frame[wanted]

    def _fill_missing(self, frame: Frame) -> Frame:
        """Fill missing values where the training table had none, and warn."""
        affected = [name for name in self.fillings_ if frame[name].isna().any()]
        if not affected:
            return frame
        first, *others = affected
        message = f"column {first!r} has missing values and had none in training: filled with "
        message += repr(self.fillings_[first])
        if others:
            message += f"; so have {others}"
        warn(message)
        return frame.assign(**{str(name): self._filled(frame[name]) for name in affected})

    def _filled(self, column: Frame) -> list[object]:
        value = self.fillings_[column.name]
        gaps = zip(column, missing_values(column), strict=True)
        return [value if missing else cell for cell, missing in gaps]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = is_auto(self.kernel)
        tags.input_tags.sparse = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags
