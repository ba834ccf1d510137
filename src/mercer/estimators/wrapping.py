"""The common part of estimators that wrap another one: samples, targets, weights and tags."""

from __future__ import annotations

import copy

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, is_classifier
from sklearn.utils import Tags, column_or_1d, get_tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, check_consistent_length, validate_data

from mercer.aliases import Estimator, RawSamples, Targets
from mercer.domains.base import raw_length
from mercer.errors import EmptyInputError
from mercer.estimators.common.lazily import AnswersDask
from mercer.estimators.common.validation import as_in_training, note_columns
from mercer.estimators.routing_columns import is_array_of_numbers


class Wrapper(AnswersDask, MetaEstimatorMixin, BaseEstimator):
    """Base class of estimators with a parameter ``estimator``, a classifier or a regressor."""

    estimator: Estimator

    def _checked(self, X: RawSamples, y: Targets) -> tuple[RawSamples, np.ndarray]:
        """Samples as arrays of numbers or as they are, and targets as an array."""
        if y is None:
            name = type(self).__name__
            message = "requires y to be passed, but the target y is None"
            raise ValueError(f"This {name} estimator {message}")
        X = self._samples(X, reset=True)
        if is_classifier(self):
            targets = column_or_1d(y, warn=True)
            check_classification_targets(targets)
        else:
            targets = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y")
        check_consistent_length(X, targets)
        return X, targets

    def _samples(self, X: RawSamples, reset: bool) -> RawSamples:
        """Arrays of numbers after scikit-learn's checks; tables and other samples as they are."""
        tags = self.__sklearn_tags__().input_tags
        if isinstance(X, (list, tuple)) and raw_length(X) == 0:
            raise EmptyInputError("X", X, "is empty", "give at least one sample")
        if tags.two_d_array and is_array_of_numbers(X):
            sparse = "csr" if tags.sparse else False
            finite = "allow-nan" if tags.allow_nan else True
            return validate_data(
                self, X, reset=reset, accept_sparse=sparse, ensure_all_finite=finite
            )
        if reset:
            note_columns(self, X)
            return X
        return as_in_training(self, X)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator)
        tags.estimator_type = inner.estimator_type
        tags.classifier_tags = copy.deepcopy(inner.classifier_tags)
        tags.regressor_tags = copy.deepcopy(inner.regressor_tags)
        tags.target_tags = copy.deepcopy(inner.target_tags)
        tags.input_tags = copy.deepcopy(inner.input_tags)
        return tags
