"""Estimators that find kernel, width and penalty themselves."""

from __future__ import annotations

import contextlib
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, check_is_fitted, column_or_1d, validate_data

from mercer.aliases import RawSamples, Targets
from mercer.automatic.candidates import candidates
from mercer.automatic.frames import as_pandas, nested_rows, usual
from mercer.automatic.learners import Learner, Tuned, learner_for, tune
from mercer.domains.base import pick_rows, raw_length
from mercer.domains.tables import missing_values
from mercer.errors import InputError, ParameterError, ShapeError, WidthError, warn
from mercer.execution.blas import serial_blas

_FEW = (
    1000  # samples up to which further threads of BLAS gain little, and on a busy machine lose much
)
_FEWEST = 4  # samples below which nothing can be held out


class _Automatic(BaseEstimator):
    """What both tasks share."""

    _task: ClassVar[str]

    def __init__(
        self,
        kernel: Any = "auto",
        learner: str = "auto",
        *,
        missing: Any = (),
        tune_rows: int = 1000,
        random_state: int | None = 0,
    ) -> None:
        self.kernel = kernel
        self.learner = learner
        self.missing = missing
        self.tune_rows = tune_rows
        self.random_state = random_state

    def _fit(self, X: RawSamples, y: np.ndarray) -> Learner:
        """Choose on some rows, fit on all."""
        n = raw_length(X)
        learner = learner_for(self._task, self.learner, n)
        if not isinstance(self.tune_rows, (int, np.integer)) or self.tune_rows < _FEWEST:
            raise ParameterError(
                "tune_rows", self.tune_rows, f"must be a whole number, at least {_FEWEST}"
            )
        if n < _FEWEST:
            raise ShapeError(
                "X",
                f"{n} sample(s)",
                f"are too few to hold some out: a minimum of {_FEWEST} is required",
            )
        seed = 0 if self.random_state is None else int(self.random_state)
        rows = self._rows(y, seed)
        self.candidates_ = candidates(X, self.kernel, tuple(self.missing))
        part = X if len(rows) == n else pick_rows(X, rows)
        self.tuned_: Tuned = tune(learner, self.candidates_, part, y[rows], seed)
        self.n_tuned_ = len(rows)
        self.learner_, self.way_, self.loss_, self.penalty_name_ = (
            learner.name,
            learner.way,
            learner.loss,
            learner.penalty,
        )
        with serial_blas() if n <= _FEW else contextlib.nullcontext():
            self.model_ = learner.make(self.tuned_.kernel, self.tuned_.penalty).fit(X, y)
        self.kernel_ = self.model_.kernel_
        self._calibrate(part, y[rows], seed)
        return learner

    def _rows(self, y: np.ndarray, seed: int) -> np.ndarray:
        """At most ``tune_rows`` of the samples, drawn without regard to anything but, for classes, their shares."""
        if len(y) <= self.tune_rows:
            return np.arange(len(y))
        drawn = np.random.default_rng(seed).permutation(len(y))
        if self._task == "regression":
            return np.sort(drawn[: self.tune_rows])
        # two of every class at least; otherwise classes as often as they occur
        place = np.empty(len(y))
        for label in np.unique(y):
            mine = drawn[y[drawn] == label]
            place[mine] = (np.arange(len(mine)) + 0.5) / len(mine)
            place[mine[:2]] = -1.0
        return np.sort(np.argsort(place, kind="stable")[: self.tune_rows])

    def _calibrate(self, X: RawSamples, y: np.ndarray, seed: int) -> None:
        """Nothing, except for classes."""

    def _checked(self, X: RawSamples, reset: bool) -> Any:
        """Tables of numbers go through scikit-learn's checks; others are the kernel's to judge."""
        if not hasattr(X, "__len__") and hasattr(X, "__array__"):
            X = np.asarray(X)
        if getattr(X, "ndim", 2) != 1 and raw_length(X) == 0:
            raise InputError("X", "0 sample(s)", "is empty: a minimum of 1 is required")
        numbers = hasattr(X, "tocsr") or (isinstance(X, np.ndarray) and X.dtype.kind in "biufc")
        nested = nested_rows(X) and all(isinstance(v, (int, float)) for row in X for v in row)
        objects = isinstance(X, np.ndarray) and X.dtype.kind == "O" and X.ndim == 2
        if numbers or nested or (isinstance(X, np.ndarray) and X.ndim != 1 and not objects):
            return validate_data(
                self,
                X,
                reset=reset,
                accept_sparse="csr",
                dtype=np.float64,
                ensure_all_finite="allow-nan",
            )
        if hasattr(X, "columns"):
            return self._frame(X, reset)
        if reset:
            for name in ("n_features_in_", "feature_names_in_", "columns_"):
                self.__dict__.pop(name, None)
            if nested_rows(X) or np.ndim(X) == 2:
                self.n_features_in_ = len(X[0])
        return X

    def _frame(self, X: RawSamples, reset: bool) -> Any:
        """Columns that say nothing are left out; holes where the training table had none are filled, and that is said."""
        X = as_pandas(X)
        if reset:
            self.__dict__.pop("feature_names_in_", None)
            if all(isinstance(name, str) for name in X.columns):  # scikit-learn's rule
                self.feature_names_in_ = np.asarray(X.columns, dtype=object)
            self.n_features_in_ = len(X.columns)
            self.columns_ = list(X.columns)
            hole = X.isna() | X.isin([v for v in self.missing if v is not None])
            self.left_out_ = [name for name in X.columns if hole[name].all()]
            self.fillings_ = {name: usual(X[name]) for name in X.columns if not hole[name].any()}
            return X.drop(columns=self.left_out_) if self.left_out_ else X
        if not hasattr(self, "columns_"):  # fitted on an array: places are names
            return self._checked(
                X.to_numpy(dtype=None if all(d.kind in "biuf" for d in X.dtypes) else object),
                reset=False,
            )
        wanted = [name for name in self.columns_ if name not in self.left_out_]
        absent = [name for name in wanted if name not in X.columns]
        if absent:
            rule = "lacks what the model was fitted on"
            raise WidthError(
                "X", f"no column {absent[0]!r}", rule, f"it has {list(X.columns)[:20]}"
            )
        X = X[wanted]
        torn = [name for name in wanted if name in self.fillings_ and X[name].isna().any()]
        if torn:
            more = f"; so have {torn[1:]}" if torn[1:] else ""
            warn(
                f"column {torn[0]!r} has holes and had none in training: filled with {self.fillings_[torn[0]]!r}{more}"
            )
            X = X.assign(
                **{
                    str(name): [
                        self.fillings_[name] if gone else value
                        for value, gone in zip(X[name], missing_values(X[name]), strict=True)
                    ]
                    for name in torn
                }
            )
        return X

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = isinstance(self.kernel, str) and self.kernel == "auto"
        tags.input_tags.sparse = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags


class AutoClassifier(ClassifierMixin, _Automatic):
    """Classes of any samples: the kernel from the data, its width and the penalty by cross-validation.

    Tables (arrays, data frames, holes and all) get the kernel of `table_kernel`, strings a spectrum kernel, texts `TfIdf`; each at several
    widths or lengths. The choice is made on at most ``tune_rows`` rows, the fit on all.

    Parameters
    ----------
    kernel : "auto", or a kernel or expression, which is tried at half and double its length scales too
    learner : "auto" (support vectors), "svc", "ridge", "logistic", "gp", "rvm", "neighbors" or "discriminant"
    missing : values, such as "?", that mean a hole beside None and NaN
    tune_rows : how many samples choose
    random_state : seeds folds and the rows that choose

    Attributes
    ----------
    model_ : the fitted learner
    kernel_ : its kernel
    tuned_ : what was chosen, and all that was tried
    classes_ : the classes

    Examples
    --------
    >>> from mercer import AutoClassifier
    >>> from mercer.datasets import house_votes
    >>> X, y = house_votes()
    >>> model = AutoClassifier().fit(X[:300], y[:300])
    >>> bool(model.score(X[300:], y[300:]) > 0.9)
    True
    """

    _task = "classification"

    def fit(self, X: RawSamples, y: Targets) -> Self:
        """Choose and fit."""
        if y is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y is None"
            )
        X = self._checked(X, reset=True)
        y = column_or_1d(y, warn=True)
        if y.dtype.kind == "f" and not np.isfinite(y).all():
            raise ValueError("Input y contains NaN or infinity: a class must have a name")
        check_classification_targets(y)
        if len(y) != raw_length(X):
            raise ShapeError(
                "y", f"{len(y)} values", f"must have one for each of the {raw_length(X)} samples"
            )
        self.classes_, counts = np.unique(y, return_counts=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"The number of classes has to be greater than one; got {len(self.classes_)} class"
            )
        if len(self.classes_) > 2 and counts.max() == 1:
            raise InputError(
                "y",
                f"{len(self.classes_)} classes",
                "has no value twice: nothing can be told",
                "is it a name?",
            )
        self._fit(X, np.searchsorted(self.classes_, y))  # type: ignore[arg-type]
        self.model_.classes_ = self.classes_[self.model_.classes_]
        return self

    def _calibrate(self, X: RawSamples, y: np.ndarray, seed: int) -> None:
        """Probabilities of a support vector machine from decisions on held-out parts of the rows that chose."""
        if self.learner_ != "svc":
            return
        K = np.asarray(self.kernel_(X))
        held = type(self.model_)(
            kernel="precomputed", C=self.tuned_.penalty, probability=True, random_state=seed
        ).fit(K, y)
        self.model_.probability = True
        self.model_._steepness = held._steepness

    def predict(self, X: RawSamples) -> np.ndarray:
        """The class of every sample."""
        check_is_fitted(self)
        return self.model_.predict(self._checked(X, reset=False))

    def predict_proba(self, X: RawSamples) -> np.ndarray:
        """A probability for every class; learners without probabilities give the share of their decision, by a softmax."""
        check_is_fitted(self)
        X = self._checked(X, reset=False)
        if hasattr(self.model_, "predict_proba"):
            return self.model_.predict_proba(X)
        scores = self.model_.decision_function(X)
        scores = np.column_stack([-scores, scores]) if scores.ndim == 1 else 2.0 * scores
        raised = np.exp(scores - scores.max(axis=1, keepdims=True))
        return raised / raised.sum(axis=1, keepdims=True)


class AutoRegressor(RegressorMixin, _Automatic):
    """Numbers for any samples: the kernel from the data, its width and the penalty by leave-one-out in closed form.

    The target is brought to mean 0 and deviation 1 before, and back after; for the rest see `AutoClassifier`.

    Parameters
    ----------
    kernel : "auto", or a kernel or expression, which is tried at half and double its length scales too
    learner : "auto" (ridge, or svr of more than 8,000 samples), "ridge", "gp" (by the evidence), "svr", "rvm" or "neighbors"
    missing, tune_rows, random_state : as in `AutoClassifier`

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from mercer import AutoRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = AutoRegressor().fit(X[:300], y[:300])
    >>> bool(model.score(X[300:], y[300:]) > 0.4)
    True
    """

    _task = "regression"

    def fit(self, X: RawSamples, y: Targets) -> Self:
        """Choose and fit."""
        if y is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y is None"
            )
        X = self._checked(X, reset=True)
        y = check_array(column_or_1d(y, warn=True), ensure_2d=False, dtype=np.float64)
        if len(y) != raw_length(X):
            raise ShapeError(
                "y", f"{len(y)} values", f"must have one for each of the {raw_length(X)} samples"
            )
        self.target_mean_ = float(y.mean())
        self.target_scale_ = float(y.std()) or 1.0
        self._fit(X, (y - self.target_mean_) / self.target_scale_)
        return self

    def predict(self, X: RawSamples, return_std: bool = False) -> Any:
        """The value of every sample; ``return_std`` is for Gaussian processes and relevance vectors."""
        check_is_fitted(self)
        X = self._checked(X, reset=False)
        if not return_std:
            return self.target_mean_ + self.target_scale_ * self.model_.predict(X)
        if self.learner_ not in ("gp", "rvm"):
            raise ParameterError(
                "return_std", True, f"is not known to {self.learner_}", "learner='gp'"
            )
        mean, deviation = self.model_.predict(X, return_std=True)
        return self.target_mean_ + self.target_scale_ * mean, self.target_scale_ * deviation
