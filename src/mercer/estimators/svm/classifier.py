"""Support vector classification of any number of classes, one against one as LIBSVM does it."""

from __future__ import annotations

import dataclasses
import itertools
import time
from typing import ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils import Tags, compute_class_weight
from sklearn.utils.multiclass import _ovr_decision_function

from mercer.aliases import ClassWeight, RandomState, RawSamples, Targets, Weights
from mercer.errors import ModelFileError, ParameterError
from mercer.estimators.centers.data import Opened, open_rows
from mercer.estimators.common.fitting import fits
from mercer.estimators.common.training import Training, encode_classes
from mercer.estimators.common.validation import check_fitted
from mercer.estimators.svm.base import SupportVectorMachine
from mercer.estimators.svm.on_centers import EXACT_STEPS, fit_classes
from mercer.estimators.svm.probability import (
    WithProbability,
    asked,
    held_out_margins,
    softmax,
    steepness,
)
from mercer.estimators.svm.two_classes import EveryTwoClasses, TwoClasses
from mercer.execution.threads import POOL, run
from mercer.execution.workspace import Workspace
from mercer.gram.fill import dense
from mercer.gram.plan import fits_all_classes, fits_class_blocks
from mercer.solvers.margin.class_gaussians import ClassGaussians
from mercer.solvers.margin.dual import DualSolution
from mercer.solvers.margin.one_vs_one import PairSolutions
from mercer.solvers.margin.problem import TINY, MarginProblem
from mercer.state import State


class MarginClassifier(ClassifierMixin, SupportVectorMachine):
    """Base class of support vector classifiers, one against one."""

    classes_: np.ndarray
    class_weight: ClassWeight
    probability: bool | str
    break_ties: bool
    decision_function_shape: str
    random_state: RandomState
    C: float = 1.0
    loss: str = "hinge"
    solves_together: ClassVar[bool] = False  # small problems, in one compiled call
    stored: ClassVar[State] = State(
        finite=("class_weight_", "_pair_coef", "_pair_intercept", "_steepness"),
        plain=("classes_", "_pairs"),
        per_sample=("_pair_coef",),
    )

    @fits
    def fit(self, X: RawSamples, y: Targets = None, sample_weight: Weights = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like or collection of n_samples
            Training samples, or their Gram matrix if the kernel is "precomputed".
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Each weight multiplies C for its sample.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        start = time.perf_counter()
        opened = Opened(X, y, sample_weight)
        if "centers" in vars(self):
            opened = open_rows(self, X, y, sample_weight, target="labels", steps=EXACT_STEPS)
            if opened.data is not None:
                fit_classes(self, opened.data, start)
                return self
            X, y, sample_weight = opened.X, opened.y, opened.weight
        data = self._begin(X, y, sample_weight, "labels")
        encode_classes(self, data)
        self.class_weight_, weight = np.ones(len(self.classes_)), data.weight
        if self.class_weight is not None:
            self.class_weight_ = self._class_weights(data)
            weight = weight * self.class_weight_[data.y]
        members, by_class = [], np.argsort(data.y, kind="stable")
        for size in np.bincount(data.y).tolist():
            members.append(by_class[:size])
            by_class = by_class[size:]
        problems = EveryTwoClasses(data.rows, members, weight)
        self._solve_problems(data, problems, members)
        self._pairs = list(itertools.combinations(range(len(members)), 2))
        self._keep_coefficients(data, members, problems)
        self.n_iter_ = problems.iterations
        seconds, solutions = time.perf_counter() - start, problems.solutions
        self._report(data.kernel, problems.plan, solutions, seconds, n_problems=problems.count)
        if opened.notes:
            opened.annotate(self)
        if self.probability and asked(self):
            margins, rows = held_out_margins(self, data, self.classes_, self.random_state)
            self._steepness = steepness(margins, data.y[rows], data.weight[rows])
        elif hasattr(self, "_steepness"):  # of an earlier fit
            del self._steepness
        return self

    def _class_weights(self, data: Training) -> np.ndarray:
        """One weight per class, all of them positive."""
        labels = self.classes_[data.y]
        weights = compute_class_weight(self.class_weight, classes=self.classes_, y=labels)
        values = np.asarray(weights, dtype=float)
        if not np.isfinite(values).all() or (values <= 0).any():
            rule = "must be finite and positive for every class"
            raise ParameterError("class_weight", self.class_weight, rule)
        return values

    def _solve_problems(
        self, data: Training, problems: EveryTwoClasses, members: list[np.ndarray]
    ) -> None:
        """Solve all problems: small ones together, then the others one by one on the threads."""
        kernel, whole = data.kernel, data.whole()
        sizes = sorted(map(len, members))
        small = sum(sizes[-2:]) <= TINY  # so that any two classes are
        # problems are solved apart where single steps matter, or where the problems are changed
        counts_steps = self.warm_start or self.max_iter >= 0
        has_callback = hasattr(self, "_callback_fit_ctx")
        is_changed = self.repair is not None or np.isinf(self.C)
        apart = counts_steps or has_callback or is_changed
        together = self.solves_together and small and not apart
        rows, begun, memory = None, None, None
        if kernel is not None and together and len(members) > 2 and fits_class_blocks(sizes):
            rows = kernel.gaussian_rows(whole)  # few are needed of a pair
        if rows is not None:
            classes = ClassGaussians(rows, [data.rows[at] for at in members], problems.pairs)
            begun = self._solve_together(np.empty((0, 0)), problems, classes)
        elif kernel is not None and small and fits_all_classes(len(whole)):
            # cutting the problems from one matrix is half the work, if the classes are small
            memory = POOL.borrow()  # fresh pages cost as much as what is written to them
            matrix = memory.out(len(whole), len(whole))
            whole, kernel = dense(kernel, whole, whole, out=matrix), None
        if together and kernel is None:
            begun = self._solve_together(whole, problems)
        unsolved = np.arange(problems.count)
        if begun is not None:
            unsolved = np.flatnonzero(~begun.converged)
        plans = [problems.plan] * len(unsolved)
        solutions: list[DualSolution | None] = [None] * len(unsolved)

        def solve(task: int, work: Workspace) -> None:
            buffers, number = work if problems.count > 1 else None, unsolved[task]
            two = problems[number]
            problem = self._part(kernel, whole, two.rows, two.number, buffers)
            steps = 0
            if begun is not None:
                start = begun.of(number)
                problem.earlier = [(start.beta, self.C * float(two.weight.sum()))]
                steps = start.iterations
            solution, beta, problems.intercepts[number] = self._solve_pair(problem, two)
            steps += solution.iterations
            problems.iterations[number] = steps
            problems.beta[two.variables] = problem.coefficients(beta)
            solutions[task] = dataclasses.replace(solution, iterations=steps)
            plans[task] = problem.plan

        run(len(unsolved), solve, "support vectors")
        if memory is not None:
            POOL.idle.append(memory)
        problems.solutions.extend(filter(None, solutions))
        if len(unsolved) and unsolved[0] == 0:
            problems.plan = plans[0]

    def _solve_pair(
        self, problem: MarginProblem, two: TwoClasses
    ) -> tuple[DualSolution, np.ndarray, float]:
        """Solve the dual problem of two classes: the solution, coefficients and intercept."""
        raise NotImplementedError(type(self).__name__)

    def _solve_together(
        self, matrix: np.ndarray, problems: EveryTwoClasses, classes: ClassGaussians | None = None
    ) -> PairSolutions:
        """Solve small problems in one compiled call, which may leave some of them unsolved.

        They are cut from the matrix or, where classes are given, from that of their Gaussians.
        """
        raise NotImplementedError(type(self).__name__)

    def _keep_coefficients(
        self, data: Training, members: list[np.ndarray], problems: EveryTwoClasses
    ) -> None:
        """Set the support vectors, class by class, and their coefficients in every problem."""
        nonzero = np.flatnonzero(problems.beta)
        of_rows = problems.rows[nonzero]
        place = np.full(self.shape_fit_[0], -1, dtype=np.intp)  # among the support vectors
        place[of_rows] = 0
        support = []
        for member in members:
            rows = data.rows[member]
            support.append(rows[place[rows] == 0])
        counts = list(map(len, support))
        self._n_support = np.array(counts, dtype=np.int32)
        self._keep_support(data.kernel, data.X, np.concatenate(support))
        place[self.support_] = np.arange(len(self.support_))
        of_rows, beta = place[of_rows], problems.beta[nonzero]
        self._pair_coef = np.zeros((len(self.support_), problems.count))
        self._pair_coef[of_rows, problems.number[nonzero]] = beta
        self._pair_intercept = problems.intercepts
        if len(members) > 2:
            # LIBSVM's layout: a row for each class beside a sample's own
            self._dual_coef = np.zeros((len(members) - 1, len(self.support_)))
            self._dual_coef[problems.beside[nonzero], of_rows] = beta
            self.intercept_ = self._pair_intercept.copy()
            return
        # scikit-learn flips the signs of two classes
        self._dual_coef = -self._pair_coef.T
        self.intercept_ = -self._pair_intercept

    def _linear_coefficients(self) -> np.ndarray:
        sign = -1.0 if len(self.classes_) == 2 else 1.0
        return sign * self._pair_coef.T

    def _check_loaded(self) -> None:
        """One column of coefficients and one intercept for every two classes."""
        n_classes = len(self.classes_)
        n_pairs = n_classes * (n_classes - 1) // 2
        pairs = itertools.combinations(range(n_classes), 2)
        numbered = len(self._pairs) == n_pairs and self._pairs == list(pairs)
        shapes = self._pair_coef.shape, self._pair_intercept.shape
        if not numbered or shapes != ((len(self.support_), n_pairs), (n_pairs,)):
            rule = "are not those of the coefficients"
            raise ModelFileError("classes_", f"{n_classes} classes", rule)
        if int(self._n_support.sum()) != len(self.support_):
            rule = f"does not add up to {len(self.support_)}"
            raise ModelFileError("n_support_", self._n_support.tolist(), rule)

    @property
    def n_support_(self) -> np.ndarray:
        """Number of support vectors of each class."""
        check_fitted(self)
        return self._n_support

    # -- prediction --------------------------------------------------------------------------------

    def _pairwise_decision(self, X: RawSamples) -> np.ndarray:
        """One column per two classes (a, b), positive for a."""
        check_fitted(self)
        X = self._check_X(X, reset=False)
        return self._expansion().apply(X, self._pair_coef) + self._pair_intercept

    def decision_function(self, X: RawSamples) -> np.ndarray:
        """Evaluate the decision function.

        Parameters
        ----------
        X : array-like or collection of n_samples
            New samples.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_columns)
            One number for two classes, positive for the second; else one column per class ("ovr")
            or per two classes ("ovo").
        """
        decision = self._pairwise_decision(X)
        if len(self.classes_) == 2:
            return -decision[:, 0]
        if self.decision_function_shape == "ovr":
            return _ovr_decision_function(decision < 0, -decision, len(self.classes_))
        return decision

    def predict(self, X: RawSamples) -> np.ndarray:
        """Predict class labels: the class with most votes of the pairs.

        With ``break_ties`` it is the class with the largest decision value.

        Parameters
        ----------
        X : array-like or collection of n_samples
            New samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Class labels.
        """
        check_fitted(self)
        if self.break_ties and self.decision_function_shape == "ovo":
            raise ValueError("break_ties must be False when decision_function_shape is 'ovo'")
        if self.break_ties and len(self.classes_) > 2:
            return self.classes_[np.argmax(self.decision_function(X), axis=1)]
        decision = self._pairwise_decision(X)
        if len(self.classes_) == 2:
            return self.classes_[(decision[:, 0] <= 0).astype(int)]
        return self.classes_[np.argmax(self._votes(decision), axis=1)]

    def _votes(self, decision: np.ndarray) -> np.ndarray:
        """How many of its pairs each class wins."""
        votes = np.zeros((len(decision), len(self.classes_)))
        for number, (a, b) in enumerate(self._pairs):
            votes[:, a] += decision[:, number] > 0
            votes[:, b] += decision[:, number] <= 0
        return votes

    # -- probabilities -----------------------------------------------------------------------------

    def _scores(self, decision: np.ndarray) -> np.ndarray:
        """What `predict` maximizes; decision values separate equal votes by less than one vote."""
        if self.break_ties:
            return _ovr_decision_function(decision < 0, -decision, len(self.classes_))
        votes = self._votes(decision)
        confidence = np.zeros_like(votes)
        for number, (a, b) in enumerate(self._pairs):
            confidence[:, a] += decision[:, number]
            confidence[:, b] -= decision[:, number]
        small = confidence / (3 * (np.abs(confidence) + 1))
        # among equal votes `predict` takes the first class
        winner = np.argmax(votes, axis=1)
        tied = votes == votes.max(axis=1, keepdims=True)
        below_winner = np.take_along_axis(small, winner[:, None], axis=1) - 1e-9
        small = np.where(tied, np.minimum(small, below_winner), small)
        small[np.arange(len(small)), winner] += 1e-9
        return votes + small

    def _margins(self, X: RawSamples) -> np.ndarray:
        """One score per class, of which `predict_proba` is the softmax."""
        decision = self._pairwise_decision(X)
        if len(self.classes_) == 2:
            return np.column_stack([decision[:, 0], -decision[:, 0]]) / 2
        return self._scores(decision)

    @property
    def probA_(self) -> np.ndarray:
        """The slope of each two classes' logistic calibration, as LIBSVM's; empty without one.

        It is that of P(first class) = 1 / (1 + exp(A f + B)) for the decision value f in favor of
        the first class. All pairs of classes share it, because the calibration has one parameter.
        """
        check_fitted(self)
        if not hasattr(self, "_steepness"):
            return np.empty(0)
        return np.full(len(self._pairs), -self._steepness)

    @property
    def probB_(self) -> np.ndarray:
        """The offset of each two classes' logistic calibration: 0, so that labels agree."""
        return np.zeros_like(self.probA_)

    @WithProbability
    def predict_proba(self, X: RawSamples) -> np.ndarray:
        """Predict class probabilities, of which the largest is that of the predicted class.

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
        if not hasattr(self, "_steepness"):
            remedy = "fit again: probability is True now"
            raise NotFittedError(
                f"predict_proba is not available when fitted with probability=False: {remedy}"
            )
        return softmax(self._steepness * self._margins(X))

    @WithProbability
    def predict_log_proba(self, X: RawSamples) -> np.ndarray:
        """Predict logarithms of class probabilities.

        Parameters
        ----------
        X : array-like or collection of n_samples
            New samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Logarithms of `predict_proba`.
        """
        return np.log(self.predict_proba(X))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = True
        return tags
