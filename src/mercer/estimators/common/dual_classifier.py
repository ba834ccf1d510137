"""Classifiers by functions in the span of the training samples, with a bias."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from sklearn.base import ClassifierMixin

from mercer.aliases import RawSamples
from mercer.estimators.common.base import KernelEstimator
from mercer.estimators.common.expansion import Expansion
from mercer.estimators.common.training import Training
from mercer.estimators.common.validation import check_fitted
from mercer.kernels.base import Kernel
from mercer.state import State


class DualClassifier(ClassifierMixin, KernelEstimator):
    """f(x) + b = Σ a_i k(x, x_i) + b, one function per class, or one for two classes."""

    classes_: np.ndarray
    dual_coef_: np.ndarray
    intercept_: np.ndarray
    stored: ClassVar[State] = State(
        finite=("dual_coef_", "intercept_"),
        plain=("kernel_", "classes_", "support_", "X_fit_", "_n_training", "report_"),
        samples=("X_fit_",),
        per_sample=("support_", "dual_coef_"),
        positions={"support_": "_n_training"},
    )

    def _keep_samples(self, data: Training) -> None:
        """Set the kernel and the samples of positive weight."""
        self.kernel_ = data.kernel
        self.support_ = data.rows
        self.X_fit_ = data.samples()
        self._n_training = data.n_given

    def _keep_centers(
        self, kernel: Kernel, samples: RawSamples, positions: np.ndarray, n_training: int
    ) -> None:
        """Set the kernel and the centers, which stand for the samples."""
        self.kernel_ = kernel
        self.support_ = positions
        self.X_fit_ = samples
        self._n_training = n_training
        for name in ("loo_decision_", "loo_accuracy_"):  # of an earlier fit
            self.__dict__.pop(name, None)

    def _values(self, X: RawSamples) -> np.ndarray:
        """f(x) + b, a column per function."""
        check_fitted(self)
        X = self._check_X(X, reset=False)
        expansion = Expansion(self.kernel_, self.X_fit_, self.support_, self._n_training)
        return expansion.apply(X, np.ascontiguousarray(self.dual_coef_)) + self.intercept_

    def _labels(self, values: np.ndarray) -> np.ndarray:
        """The class with the largest value, or the second of two where it is positive."""
        if values.shape[1] == 1:
            return self.classes_[(values[:, 0] > 0).astype(int)]
        return self.classes_[np.argmax(values, axis=1)]

    def decision_function(self, X: RawSamples) -> np.ndarray:
        """Evaluate the decision function f(x) + b.

        Parameters
        ----------
        X : array-like or collection of n_samples
            New samples.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            One number for two classes, positive for the second; else one column per class.
        """
        return single_column_as_vector(self._values(X))

    def predict(self, X: RawSamples) -> np.ndarray:
        """Predict class labels.

        Parameters
        ----------
        X : array-like or collection of n_samples
            New samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            The class with the largest decision value.
        """
        return self._labels(self._values(X))


def single_column_as_vector(values: np.ndarray) -> np.ndarray:
    """A matrix of one column as a vector; others unchanged."""
    if values.shape[1] == 1:
        return values[:, 0]
    return values
