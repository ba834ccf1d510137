"""Classification with learned weights of several kernels."""

from __future__ import annotations

import time
from collections.abc import Hashable, Sequence
from numbers import Real
from typing import ClassVar, Self

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.metaestimators import available_if

from mercer.aliases import (
    ClassWeight,
    KernelLike,
    ParameterRules,
    RandomState,
    RawSamples,
    Splitter,
    Targets,
    Weights,
)
from mercer.estimators.common.dual_classifier import DualClassifier
from mercer.estimators.common.fitting import fits, iteration_callback
from mercer.estimators.common.training import Training, begin_classes
from mercer.estimators.common.validation import check_fitted
from mercer.estimators.mkl.base import MKL_RULES, MultipleKernelEstimator
from mercer.estimators.mkl.learning import MARGIN_METHODS, RIDGE_METHODS, Result, Task, learn
from mercer.estimators.mkl.ridge import ridge
from mercer.estimators.mkl.terms import Terms
from mercer.estimators.svm.probability import softmax, steepness
from mercer.estimators.svm.svc import SVC
from mercer.solvers.mkl.grams import Grams
from mercer.state import State


def _has_probabilities(model: MultipleKernelClassifier) -> bool:
    return model.weights not in MARGIN_METHODS or model.probability


class MultipleKernelClassifier(MultipleKernelEstimator, DualClassifier):
    """Classification with the kernel Σ w_k k_k, whose weights w ≥ 0 are learned.

    Each kernel is divided by the mean of k(x, x) over the training samples, so that weights compare
    kernels of any unit, and the weights of the divided kernels sum to 1: they are the *shares* of
    the kernels. The classifier that follows depends on how weights are learned: for "easy" and
    "simple" it is `SVC` with the learned kernel, otherwise ridge regression on ±1, a function for
    each class against the rest, with probabilities by a softmax that is fitted to decisions on
    samples left out. Any other learner takes ``kernel_``.

    Parameters
    ----------
    kernels : list of Kernel or str
        The kernels, or expressions such as ``"RBF(length_scale=2.0)"``. Kernels of some columns of
        a table are written ``k.on(["a", "b"])``, so that they may read different kinds of samples.
    weights : {"evidence", "loo", "alignment", "average", "easy", "simple"}, default="evidence"
        How weights are learned: by the marginal likelihood of a Gaussian process with targets ±1
        ("evidence"), by the squared error of samples that are left out ("loo"), by the largest
        centered alignment of the kernel with the labels ("alignment"), from the distances between
        the nearest points of two classes (EasyMKL, "easy"), or by the objective of a support vector
        machine (SimpleMKL, "simple"). "average" gives all kernels the same share.
    alpha : float or None, default=None
        The penalty of ridge regression, in units of a kernel whose k(x, x) is 1 on average. None
        learns it by the same objective, and by leave-one-out errors for "alignment" and "average".
    C : float, default=1.0
        The bound of the coefficients of support vectors, as in `SVC`, for "easy" and "simple".
    lam : float, default=0.1
        The regularization λ of "easy", between 0 and 1.
    groups : array-like of n_kernels labels or None, default=None
        Kernels with the same label share one weight.
    sparse : bool, default=False
        Whether kernels are dropped whose removal raises the leave-one-out loss of ridge regression
        on ±1 by no more than the standard error of the difference; the lightest are tried first,
        and the weights of the others are learned again.
    class_weight : dict or "balanced", default=None
        Weights by class label, which multiply the weights of samples; "balanced" weighs classes
        inversely to their sizes.
    cv : int, splitter or None, default=None
        The folds of "loo"; None leaves out one sample at a time. Both are computed in closed form.
    probability : bool, default=False
        Whether `predict_proba` is available for "easy" and "simple", as in `SVC`; it always is for
        the others.
    random_state : int, RandomState instance or None, default=None
        Determines the folds on which the probabilities of `SVC` are calibrated.

    Attributes
    ----------
    kernel_ : Sum
        The learned kernel, with its kernels of positive weight. It may be used in any learner.
    weights_ : ndarray of shape (n_kernels,)
        The weights of the kernels as they were given.
    shares_ : ndarray of shape (n_kernels,)
        The weights of the divided kernels, which sum to 1.
    alpha_ : float
        The penalty of ridge regression; for "easy" and "simple" it is 1/C and matters for the table
        of the report alone.
    path_ : ndarray of shape (n_steps, n_kernels)
        The shares after every step of the solver.
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    support_ : ndarray of shape (n_kept,)
        Positions of the samples of positive weight among the training samples.
    X_fit_ : array-like or collection of n_kept
        The training samples of positive weight.
    dual_coef_ : ndarray of shape (n_kept, n_outputs)
        Coefficients of the samples, a column per class, or one column for two classes; not for
        "easy" and "simple".
    intercept_ : ndarray of shape (n_outputs,)
        The means of the targets ±1, likewise.
    steepness_ : float
        The factor of the decisions in the softmax, likewise.
    machine_ : SVC
        The support vector classifier; only for "easy" and "simple".
    report_ : TermsReport
        How the model was fitted, with a table of the kernels: weight, share, and the leave-one-out
        loss of ridge regression without each.
    n_features_in_ : int
        Number of columns of the training samples, where they have columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where all of them are strings.

    See Also
    --------
    MultipleKernelRegressor : The same for numbers.
    SVC : Support vector classification with one kernel.
    KernelLogisticRegression : Probabilities that are fitted, with one kernel.

    Notes
    -----
    The weights of EasyMKL for more than two classes are the means of those of every class against
    the rest; SimpleMKL sums its objective over every two classes. Where the leave-one-out errors of
    ridge regression with equal weights are lower by more than two standard errors, equal weights
    are kept, and the report has a note; not for "easy" and "simple".

    References
    ----------
    .. [1] F. Aiolli and M. Donini, "EasyMKL: a scalable multiple kernel learning algorithm",
           Neurocomputing 169 (2015) 215-224.
    .. [2] A. Rakotomamonjy, F. Bach, S. Canu and Y. Grandvalet, "SimpleMKL", Journal of Machine
           Learning Research 9 (2008) 2491-2521.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import RBF, MultipleKernelClassifier
    >>> X = np.random.default_rng(0).uniform(-2, 2, (80, 3))
    >>> kernels = [RBF().on([0]), RBF().on([1]), RBF().on([2])]
    >>> model = MultipleKernelClassifier(kernels, "simple").fit(X, np.abs(X[:, 1]) > 1)
    >>> model.shares_.round(2).tolist()
    [0.0, 1.0, 0.0]
    >>> model.predict([[0.0, 0.1, 0.0], [0.0, 1.8, 0.0]]).tolist()
    [False, True]
    """

    needs: ClassVar[str] = "psd"
    stored: ClassVar[State] = State(
        finite=("weights_", "shares_", "alpha_", "path_", "steepness_"), plain=("machine_",)
    )

    _parameter_constraints: ClassVar[ParameterRules] = {
        "weights": [StrOptions({*RIDGE_METHODS, *MARGIN_METHODS})],
        "C": [Interval(Real, 0, None, closed="neither")],
        "lam": [Interval(Real, 0, 1, closed="neither")],
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "probability": ["boolean"],
        "random_state": ["random_state"],
        **MKL_RULES,
    }

    def __init__(
        self,
        kernels: Sequence[KernelLike],
        weights: str = "evidence",
        *,
        alpha: float | None = None,
        C: float = 1.0,
        lam: float = 0.1,
        groups: Sequence[Hashable] | None = None,
        sparse: bool = False,
        class_weight: ClassWeight = None,
        cv: Splitter = None,
        probability: bool = False,
        random_state: RandomState = None,
    ) -> None:
        self.kernels = kernels
        self.weights = weights
        self.alpha = alpha
        self.C = C
        self.lam = lam
        self.groups = groups
        self.sparse = sparse
        self.class_weight = class_weight
        self.cv = cv
        self.probability = probability
        self.random_state = random_state

    @fits
    def fit(self, X: RawSamples, y: Targets, sample_weight: Weights = None) -> Self:
        """Learn the weights, and fit the classifier.

        Parameters
        ----------
        X : array-like or collection of n_samples
            Training samples.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Each weight multiplies the loss of its sample.

        Returns
        -------
        self : MultipleKernelClassifier
            The fitted estimator.
        """
        start = time.perf_counter()
        data = begin_classes(self, X, y, sample_weight)
        terms = Terms(data, self.groups)
        grams = terms.grams()
        codes = self._codes(data)
        Y = codes - np.average(codes, axis=0, weights=data.weight)
        Y = np.ascontiguousarray(terms.root[:, None] * Y)
        callback, folds = iteration_callback(self), self._folds(data)
        task = Task(self.weights, Y, data.weight, self.alpha, folds, callback)
        task.labels, task.C, task.lam = data.y, self.C, self.lam
        result = learn(task, grams, self.sparse)
        self._keep_weights(data, terms, result)
        if self.weights in MARGIN_METHODS:
            last = self._fit_machine(data)
        else:
            last = self._fit_ridge(data, terms, grams, result, Y)
        solver = f"weights by {self.weights}, then {last}"
        seconds = time.perf_counter() - start
        self.report_ = self._terms_report(terms, grams, result, Y, solver, seconds)
        return self

    def _codes(self, data: Training) -> np.ndarray:
        """±1 for every class against the rest; one column for two classes."""
        codes = np.where(data.y[:, None] == np.arange(len(self.classes_)), 1.0, -1.0)
        return codes[:, 1:] if len(self.classes_) == 2 else codes

    def _keep_weights(self, data: Training, terms: Terms, result: Result) -> None:
        """Set the weights, the kernel and the samples; nothing is left of an earlier fit."""
        for name in ("dual_coef_", "intercept_", "steepness_", "machine_"):
            self.__dict__.pop(name, None)
        self._keep_samples(data)
        self.shares_ = terms.shares(result.weights.shares)
        self.weights_ = self.shares_ / terms.scale
        self.path_ = np.array(list(map(terms.shares, result.weights.path)))
        self.kernel_ = terms.kernel(self.shares_)
        self.alpha_ = result.alpha

    def _fit_machine(self, data: Training) -> str:
        """A support vector classifier with the learned kernel."""
        options = {"probability": self.probability, "random_state": self.random_state}
        machine = SVC(C=self.C, kernel=self.kernel_, **options)
        labels = self.classes_[data.y]
        self.machine_ = machine.fit(data.samples(), labels, sample_weight=data.weight)
        return self.machine_.report_.solver

    def _fit_ridge(
        self, data: Training, terms: Terms, grams: Grams, result: Result, Y: np.ndarray
    ) -> str:
        """Ridge regression on ±1, and probabilities from samples left out."""
        root = terms.root[:, None]
        coefficients, errors = ridge(grams, result, Y)
        codes = self._codes(data)
        self.dual_coef_ = root * coefficients
        self.intercept_ = np.average(codes, axis=0, weights=data.weight)
        self.steepness_ = steepness(_margins(codes - errors / root), data.y, data.weight)
        return "Cholesky"

    def decision_function(self, X: RawSamples) -> np.ndarray:
        """Evaluate the decision function.

        Parameters
        ----------
        X : array-like or collection of n_samples
            New samples.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            One number for two classes, positive for the second; else one column per class.
        """
        check_fitted(self)
        if hasattr(self, "machine_"):
            return self.machine_.decision_function(self._check_X(X, reset=False))
        return super().decision_function(X)

    def predict(self, X: RawSamples) -> np.ndarray:
        """Predict class labels.

        Parameters
        ----------
        X : array-like or collection of n_samples
            New samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            The class with the largest decision value; of `SVC`, that with most votes.
        """
        check_fitted(self)
        if hasattr(self, "machine_"):
            return self.machine_.predict(self._check_X(X, reset=False))
        return super().predict(X)

    @available_if(_has_probabilities)
    def predict_proba(self, X: RawSamples) -> np.ndarray:
        """Predict class probabilities.

        Parameters
        ----------
        X : array-like or collection of n_samples
            New samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities, classes in the order of ``classes_``.
        """
        check_fitted(self)
        if hasattr(self, "machine_"):
            return self.machine_.predict_proba(self._check_X(X, reset=False))
        return softmax(self.steepness_ * _margins(self._values(X)))


def _margins(values: np.ndarray) -> np.ndarray:
    """Decisions with a column for every class, also of two."""
    return np.hstack([-values, values]) if values.shape[1] == 1 else values
