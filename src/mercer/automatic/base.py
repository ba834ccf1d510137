"""What automatic classifiers and regressors share: model selection, and checks of tables."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import Tags
from sklearn.utils.validation import column_or_1d, validate_data

from mercer.aliases import Frame, KernelLike, RandomState, RawSamples, Targets, Weights
from mercer.automatic.candidates import candidates, is_auto
from mercer.automatic.frames import (
    as_collection,
    as_pandas,
    is_list_of_rows,
    is_numeric_table,
    typical_value,
)
from mercer.automatic.learners import learner_for
from mercer.automatic.tuning import TunedModel, blas_threads, tune
from mercer.domains.base import pick_rows, raw_length
from mercer.domains.tables.columns import missing_values
from mercer.errors import ParameterError, ShapeError, WidthError, warn
from mercer.estimators.common.validation import check_weights
from mercer.state import State

# What only a fit on a table sets.
_OF_TABLES = ("n_features_in_", "feature_names_in_", "columns_", "left_out_", "fillings_")
_FEWEST = 4  # samples below which nothing can be held out


class Automatic(BaseEstimator):
    """The common part of classification and regression: model selection and input checks."""

    _task: ClassVar[str]
    stored: ClassVar[State] = State(
        plain=(
            *("candidates_", "tuned_", "n_tuned_", "learner_", "way_", "loss_", "penalty_name_"),
            *("model_", "kernel_", "columns_", "left_out_", "fillings_"),
            "source_",  # a study sets it: the file that the model was fitted on
        )
    )

    def __init__(
        self,
        kernel: KernelLike = "auto",
        learner: str = "auto",
        *,
        missing: Any = (),
        tune_rows: int = 1000,
        random_state: RandomState = 0,
    ) -> None:
        self.kernel = kernel
        self.learner = learner
        self.missing = missing
        self.tune_rows = tune_rows
        self.random_state = random_state

    def _fit(self, X: RawSamples, y: np.ndarray, weight: np.ndarray | None) -> None:
        """Choose kernel and penalty on at most ``tune_rows`` samples, then fit on all."""
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
        self.tuned_: TunedModel = tune(learner, self.candidates_, X_tune, y[rows], seed, of_rows)
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
        self, X: RawSamples, y: Targets, sample_weight: Weights
    ) -> tuple[RawSamples, np.ndarray, np.ndarray | None]:
        """Samples, targets and weights for a fit; samples of weight 0 are left out."""
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
        if sample_weight is None:
            return X, y, None
        weight = check_weights(sample_weight, len(y))
        rows = np.flatnonzero(weight)
        if len(rows) < len(y):
            X = pick_rows(X, rows)
        return X, y[rows], weight[rows]

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
