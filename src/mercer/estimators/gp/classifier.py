"""Gaussian process classification by Laplace's approximation."""

from __future__ import annotations

import copy
import time
from numbers import Integral
from types import SimpleNamespace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.multiclass import check_classification_targets

from mercer.aliases import (
    CentersLike,
    KernelLike,
    ParameterRules,
    RandomState,
    RawSamples,
    Targets,
    Weights,
)
from mercer.config import format_bytes
from mercer.domains.base import pick_rows, raw_length
from mercer.errors import ModelFileError, explain
from mercer.estimators.centers.data import open_rows
from mercer.estimators.common.base import CENTER_RULES
from mercer.estimators.common.fitting import fits
from mercer.estimators.common.kernel_choice import Choice
from mercer.estimators.common.validation import check_fitted
from mercer.estimators.gp.base import GaussianProcess
from mercer.estimators.gp.bounds import BoundsLike, Names
from mercer.estimators.gp.kernel_argument import one_or_several, same_kernel
from mercer.estimators.gp.learning import Learned, Optimizer, PriorsLike
from mercer.estimators.gp.on_centers import EXACT_STEPS, CenterLaplace, fit_laplace
from mercer.estimators.gp.problems import (
    BinaryProblem,
    Contrast,
    LaplaceProblem,
    MultinomialProblem,
    check_room,
    choose_contrasts,
    split_thetas,
    votes,
)
from mercer.solvers.gp.mode import SampleWeight
from mercer.state import State


class GaussianProcessClassifier(ClassifierMixin, GaussianProcess):
    """Gaussian process classification on any kernel, with scikit-learn's parameters and names.

    A latent function f, a Gaussian process of covariance k, gives the probability of a class,
    1/(1 + exp(−f(x))). The posterior of f is approximated by a normal distribution at its mode
    (Laplace's approximation), and the kernel's hyperparameters maximize the approximate evidence.
    Use it where probabilities matter that become undecided far from the data.

    More than two classes are several problems, of each class against the rest or of every two
    classes, with probabilities normalized; or one problem with a softmax and one kernel for all.

    Parameters
    ----------
    kernel : Kernel, str, callable or sklearn.gaussian_process.kernels.Kernel, default=None
        The covariance function: a mercer kernel, an expression, one of scikit-learn's names for
        kernels, a function of two collections or samples, or a kernel of scikit-learn's Gaussian
        processes. It is copied. None is ``1.0 * RBF(1.0)``.
    optimizer : {"bfgs", "fmin_l_bfgs_b"}, callable or None, default="bfgs"
        How hyperparameters are learned: by BFGS with short steps, by SciPy's L-BFGS-B, by a
        function of (objective, start, bounds) that returns the best θ and the value there, or not
        at all.
    n_restarts_optimizer : int, default=0
        The number of further starts, drawn around the given values and within the bounds by turns.
    max_iter_predict : int, default=100
        The largest number of Newton steps for a mode.
    warm_start : bool, default=False
        Whether to begin at the modes of the last fit, and at its hyperparameters if the given
        kernel is still the same.
    copy_X_train : bool, default=True
        Whether to keep a copy of the training samples, rather than the array that was given.
    random_state : int, RandomState or None, default=None
        The seed that further starts and centers are drawn with.
    multi_class : {"one_vs_rest", "one_vs_one", "multinomial"}, default="one_vs_rest"
        How more than two classes are learned: a problem for each class against the rest, a problem
        for every two classes, or all classes at once with a softmax.
    n_jobs : int, default=None
        Has no effect; it is there because scikit-learn has it.
    bounds : tuple of two float, or dict, default=(1e-5, 1e5)
        The least and the largest value of every learned hyperparameter of a mercer kernel, or a
        dictionary of such pairs by name. An array of hyperparameters may have a list of pairs.
    fixed : str or sequence of str, default=()
        Names of hyperparameters of a mercer kernel that are not learned. ``length_scale[1]`` is one
        number of an array, also in ``bounds`` and ``priors``.
    priors : dict, default=None
        Densities of hyperparameters by name, objects with ``logpdf`` such as SciPy's frozen
        distributions. Their logarithms are added to the evidence while hyperparameters are learned.
    centers : {"auto", "all"}, int or array-like, default="auto"
        The latent function is a combination of these samples: all, so many drawn uniformly, or
        given ones. Hyperparameters are then learned on 1,000 samples, and the posterior is that of
        all. "auto" takes all while their matrix fits half the memory budget.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    n_classes_ : int
        The number of classes.
    kernel_ : Kernel, sklearn.gaussian_process.kernels.Kernel, or sequence of Kernel
        The kernel with the hyperparameters learned. Of several problems a sequence, whose
        ``kernels``, ``theta`` and ``bounds`` are as those of scikit-learn's CompoundKernel.
    base_estimator_ : SimpleNamespace
        What was computed for the problem of two classes, or ``estimators_`` with all problems.
    log_marginal_likelihood_value_ : float
        The approximate log marginal likelihood, averaged over the problems.
    n_features_in_ : int
        The number of columns of X, where X has columns.
    feature_names_in_ : ndarray of str
        The names of the columns, where X has names for them.
    report_ : FitReport
        How the model was fitted: the evidence, hyperparameters at their bounds, and those that were
        not learned.

    See Also
    --------
    GaussianProcessRegressor : The same for numbers.
    KernelLogisticRegression : Probabilities from the mode alone, for given hyperparameters.

    References
    ----------
    Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006, chapter 3.

    Examples
    --------
    >>> from mercer import RBF, GaussianProcessClassifier
    >>> model = GaussianProcessClassifier(4.0 * RBF(), optimizer=None)
    >>> model = model.fit([[0.0], [1.0], [4.0], [5.0]], ["low", "low", "high", "high"])
    >>> model.predict([[0.5], [4.5]]).tolist(), float(model.predict_proba([[50.0]])[0, 0])
    (['low', 'high'], 0.5)
    """

    _problems: list[Any]  # LaplaceProblem, or CenterLaplace on centers
    memory_remedy: ClassVar[str] = "fit on fewer samples"
    _parameter_constraints: ClassVar[ParameterRules] = {
        **GaussianProcess._parameter_constraints,
        "max_iter_predict": [Interval(Integral, 1, None, closed="left")],
        "warm_start": ["boolean"],
        "multi_class": [StrOptions({"one_vs_rest", "one_vs_one", "multinomial"})],
        "n_jobs": [Integral, None],
        **CENTER_RULES,
    }

    stored: ClassVar[State] = State(
        plain=("classes_", "n_classes_", "_problems", "_contrasts", "_kernel_before")
    )

    def __init__(
        self,
        kernel: KernelLike = None,
        *,
        optimizer: Optimizer = "bfgs",
        n_restarts_optimizer: int = 0,
        max_iter_predict: int = 100,
        warm_start: bool = False,
        copy_X_train: bool = True,
        random_state: RandomState = None,
        multi_class: str = "one_vs_rest",
        n_jobs: int | None = None,
        bounds: BoundsLike = (1e-5, 1e5),
        fixed: Names = (),
        priors: PriorsLike = None,
        centers: CentersLike = "auto",
    ) -> None:
        self.kernel = kernel
        self.optimizer = optimizer
        self.n_restarts_optimizer = n_restarts_optimizer
        self.max_iter_predict = max_iter_predict
        self.warm_start = warm_start
        self.copy_X_train = copy_X_train
        self.random_state = random_state
        self.multi_class = multi_class
        self.n_jobs = n_jobs
        self.bounds = bounds
        self.fixed = fixed
        self.priors = priors
        self.centers = centers

    def _choose(self, X: RawSamples, weight: Weights = None) -> Choice:
        return Choice(self._hyperparameters().mercer_kernel, foreign=False)

    @fits
    def fit(self, X: RawSamples, y: Targets = None, sample_weight: Weights = None) -> Self:
        """Learn the hyperparameters by the approximate evidence of the labels.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or list
            The training samples, of whatever kind the kernel reads.
        y : array-like of shape (n_samples,)
            A label for each sample.
        sample_weight : array-like of shape (n_samples,), default=None
            What the log-likelihood of each label is multiplied by. A weight of 2 is the same row
            twice (with one value of a `White` term for both), one of 0 leaves the row out.

        Returns
        -------
        self : GaussianProcessClassifier
            The fitted estimator.
        """
        start = time.perf_counter()
        opened = open_rows(self, X, y, sample_weight, target="labels", steps=EXACT_STEPS)
        if opened.data is not None:
            fit_laplace(self, opened.data, start)
            return self
        given, y = self._begin(opened.X, opened.y, "labels")
        check_classification_targets(y)
        X, y, counted, weight = self._count(given, y, opened.weight)
        n = raw_length(X)
        self.classes_, labels = np.unique(y, return_inverse=True)
        self.n_classes_ = len(self.classes_)
        check_room(n, self.n_classes_, self.multi_class)
        if self.n_classes_ < 2:
            rule = "requires 2 or more distinct classes"
            raise ValueError(f"GaussianProcessClassifier {rule}; got {self.n_classes_} class")
        X = self._own(X)
        self._contrasts = choose_contrasts(self.n_classes_, self.multi_class)
        problems = [self._problem(X, labels, weight, contrast) for contrast in self._contrasts]
        self._check_values(problems[0].parameters.mercer_kernel, given, counted)
        self._continue_from_last_fit(problems)
        learned = Learned()
        for problem in problems:
            learned = learned.and_then(self._learn(problem.parameters, problem.evidence))
            problem.condition()
        self._problems, self._kernel_before = problems, copy.deepcopy(self.kernel)
        values = [problem.approximation.value for problem in problems]
        self.log_marginal_likelihood_value_ = np.float64(np.mean(values))
        self.kernel_ = one_or_several([problem.parameters.kernel for problem in problems])
        size = format_bytes(8 * n * n)
        plan = f"Laplace, {len(problems)} problem(s), dense Gram matrix, float64, {size}"
        facts = {"likelihood": self.log_marginal_likelihood_value_}
        every = [problem.parameters for problem in problems]
        self._set_report(every, plan, n, start, learned, facts, opened.notes)
        return self

    @property
    def base_estimator_(self) -> SimpleNamespace:
        """The problem of two classes, or ``estimators_`` with all problems, named as scikit-learn
        names them: ``X_train_, y_train_, kernel_, L_, pi_, W_sr_``.
        """
        check_fitted(self)
        parts = [problem.as_estimator() for problem in self._problems]
        return parts[0] if len(parts) == 1 else SimpleNamespace(estimators_=parts)

    def _problem(
        self, X: RawSamples, labels: np.ndarray, weight: SampleWeight, contrast: Contrast
    ) -> LaplaceProblem:
        positive, negative = contrast
        parameters, max_iter = self._hyperparameters(), self.max_iter_predict
        problem: LaplaceProblem
        if positive is None:
            indicators = labels == np.arange(self.n_classes_)[:, None]
            problem = MultinomialProblem(parameters, X, indicators, weight, max_iter)
        elif negative is None:
            problem = BinaryProblem(parameters, X, labels == positive, weight, max_iter)
        else:
            rows = np.flatnonzero((labels == positive) | (labels == negative))
            some, ones = pick_rows(X, rows), labels[rows] == positive
            own = weight[rows] if isinstance(weight, np.ndarray) else weight
            problem = BinaryProblem(parameters, some, ones, own, max_iter)
        parameters.fit(problem.X)
        return problem

    def _continue_from_last_fit(self, problems: list[LaplaceProblem]) -> None:
        """Begin at the modes of the last fit, and at its θ if the kernel is the same."""
        last = vars(self).get("_problems", [])
        if not self.warm_start or len(last) != len(problems):
            return
        same = self.optimizer is not None and same_kernel(self._kernel_before, self.kernel)
        for problem, before in zip(problems, last, strict=True):
            problem.mode = before.mode
            if same and problem.parameters.labels() == before.parameters.labels():
                problem.parameters.theta = before.parameters.theta

    def log_marginal_likelihood(
        self,
        theta: np.ndarray | None = None,
        eval_gradient: bool = False,
        clone_kernel: bool = True,
    ) -> float | tuple[float, np.ndarray]:
        """The approximate log marginal likelihood of the training data, averaged over the problems.

        Parameters
        ----------
        theta : array-like of shape (n_hyperparameters,), default=None
            Logarithms of the hyperparameters, the same for all problems or those of all problems
            one after the other; None for those that were learned.
        eval_gradient : bool, default=False
            Whether to return the gradient in ``theta`` too, which all problems share.
        clone_kernel : bool, default=True
            Whether ``kernel_`` is left alone; if not, its hyperparameters are changed.

        Returns
        -------
        float or tuple of float and ndarray
            The log marginal likelihood, and its gradient if that was asked for.
        """
        check_fitted(self)
        if theta is None:
            if eval_gradient:
                raise ValueError("Gradient can only be evaluated for theta!=None")
            return self.log_marginal_likelihood_value_
        if isinstance(self._problems[0], CenterLaplace):
            rule = "is for exact fits: on centers the evidence is known where it was learned"
            raise ValueError(explain("theta", theta, rule, "set centers='all'"))
        values, gradients = [], []
        thetas = split_thetas(np.asarray(theta, dtype=float), self._problems, eval_gradient)
        for fitted, own in zip(self._problems, thetas, strict=True):
            parameters = fitted.parameters
            if clone_kernel:
                parameters = self._hyperparameters(parameters.kernel)
            problem = fitted.with_parameters(parameters, self.max_iter_predict)
            value, gradient = problem.evidence(own, eval_gradient)
            values.append(value)
            gradients.append(gradient)
        if eval_gradient:
            return np.float64(np.mean(values)), np.mean(gradients, axis=0)
        return np.float64(np.mean(values))

    def latent_mean_and_variance(self, X: RawSamples) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance of the latent function, for two classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or list
            The samples.

        Returns
        -------
        tuple of two ndarray of shape (n_samples,)
            Means and variances; positive means speak for the second class.
        """
        check_fitted(self)
        if self.n_classes_ > 2:
            rule = (
                "Returning the mean and variance of the latent function f is only supported for "
                "binary classification"
            )
            raise ValueError(f"{rule}, received {self.n_classes_} classes")
        return self._problems[0].latent(self._check_X(X, reset=False))

    def predict_proba(self, X: RawSamples) -> np.ndarray:
        """Predict probabilities, averaged over the latent function.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or list
            The samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities of the classes; far from the data they are undecided.
        """
        check_fitted(self)
        X = self._check_X(X, reset=False)
        each = np.column_stack([problem.probabilities(X) for problem in self._problems])
        if self.n_classes_ == 2:
            return np.column_stack([1 - each[:, 0], each[:, 0]])
        if self.multi_class == "one_vs_one":
            each = votes(each, self._contrasts, self.n_classes_)
        total = each.sum(axis=1, keepdims=True)
        return np.where(total > 0, each / np.where(total > 0, total, 1.0), 1.0 / self.n_classes_)

    def predict(self, X: RawSamples) -> np.ndarray:
        """Predict the most probable class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or list
            The samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            The labels.
        """
        check_fitted(self)
        if self.n_classes_ == 2:  # also where probabilities are a half but for rounding
            mean = self._problems[0].latent_mean(self._check_X(X, reset=False))
            return self.classes_[(mean > 0).astype(int)]
        return self.classes_[np.argmax(self.predict_proba(X), axis=1)]

    def _check_loaded(self) -> None:
        contrasts = choose_contrasts(self.n_classes_, self.multi_class)
        n_classes = len(self.classes_)
        known = self.n_classes_, self._contrasts, len(self._problems)
        if known != (n_classes, contrasts, len(contrasts)):
            raise ModelFileError("classes_", n_classes, "are not those of the problems")
        if isinstance(self.kernel_, list):
            self.kernel_ = one_or_several(self.kernel_)
