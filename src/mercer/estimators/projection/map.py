"""The empirical kernel map: a sample becomes its kernel values with some landmarks."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from mercer.aliases import RandomState, RawSamples, Targets
from mercer.domains.base import Batch, pick_rows, raw_length
from mercer.domains.raw import own_copy
from mercer.domains.vectors.domain import Vectors
from mercer.errors import EmptyInputError, ParameterError
from mercer.estimators.common.fitting import restores
from mercer.estimators.common.prepared import prepare_both
from mercer.estimators.common.validation import as_in_training, note_columns
from mercer.gram.fill import dense
from mercer.kernels.base import Kernel
from mercer.kernels.vectors.radial import RBF


class KernelMap(TransformerMixin, BaseEstimator):
    """x ↦ [k(x, x_1), ..., k(x, x_m)].

    Parameters
    ----------
    kernel : Kernel, default RBF() landmarks : None (all training samples), an integer (so many of
    them, drawn at random), or a collection random_state : for the draw

    Examples
    --------
    >>> from mercer import RBF, KernelMap
    >>> KernelMap(RBF(), landmarks=2, random_state=0).fit_transform([[0.0], [1.0], [2.0]]).shape
    (3, 2)
    """

    def __init__(
        self, kernel: Kernel | None = None, landmarks: Any = None, random_state: RandomState = None
    ) -> None:
        self.kernel = kernel
        self.landmarks = landmarks
        self.random_state = random_state

    def _check(self, X: RawSamples, reset: bool) -> Any:
        """scikit-learn's checks for vectors; other samples are checked by their own domain."""
        kernel = self.kernel if self.kernel is not None else RBF()
        if isinstance(kernel.domain, Vectors):
            return validate_data(
                self, X, reset=reset, accept_sparse="csr", dtype=[np.float64, np.float32]
            )
        if not reset:
            return as_in_training(self, X)
        if raw_length(X) == 0:
            raise EmptyInputError("X", X, "is empty", "give at least one sample")
        note_columns(self, X)
        return own_copy(X)

    @restores
    def fit(self, X: RawSamples, y: Targets = None) -> Self:
        """Choose the landmarks and fit the kernel on the training samples."""
        if self.kernel is not None and not isinstance(self.kernel, Kernel):
            raise ParameterError("KernelMap: kernel", self.kernel, "must be a mercer kernel")
        X = self._check(X, reset=True)
        batch = Batch(X)
        kernel = RBF() if self.kernel is None else clone(self.kernel)
        self.kernel_ = kernel.fit_batch(batch)
        if self.landmarks is None:
            self.landmarks_ = X
        elif isinstance(self.landmarks, (int, np.integer)) and not isinstance(self.landmarks, bool):
            if not self.landmarks >= 1:
                raise ParameterError("KernelMap: landmarks", self.landmarks, "must be at least 1")
            count = min(int(self.landmarks), len(batch))
            rows = np.sort(
                check_random_state(self.random_state).choice(len(batch), count, replace=False)
            )
            self.landmarks_ = pick_rows(X, rows)
        else:
            self.landmarks_ = self._check(self.landmarks, reset=False)
        self._n_features_out = len(Batch(self.landmarks_))
        return self

    def transform(self, X: RawSamples) -> np.ndarray:
        """The kernel values with the landmarks."""
        check_is_fitted(self)
        X = self._check(X, reset=False)
        if isinstance(self.kernel_.domain, Vectors):
            return self.kernel_(X, self.landmarks_)
        return dense(
            self.kernel_, *prepare_both(self.kernel_, X, self.landmarks_), np.dtype(np.float64)
        )

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        check_is_fitted(self)
        return np.array([f"kernelmap{i}" for i in range(self._n_features_out)], dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        domain = RBF.domain if self.kernel is None else getattr(self.kernel, "domain", None)
        tags.input_tags.sparse = isinstance(domain, Vectors)
        tags.input_tags.positive_only = bool(getattr(domain, "nonnegative", False))
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
