"""Support vector classification, one against one as LIBSVM does it."""

from __future__ import annotations

import dataclasses
import itertools
import time
from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import compute_class_weight
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import _ovr_decision_function
from sklearn.utils.validation import check_is_fitted

from mercer.aliases import (
    ClassWeight,
    Gamma,
    KernelLike,
    Prepared,
    RandomState,
    RawSamples,
    Targets,
    Weights,
)
from mercer.errors import ParameterError
from mercer.estimators.common.fitting import fits, iteration_callback
from mercer.estimators.common.training import Training, encode_classes
from mercer.estimators.svm.base import SupportVectorMachine, filled
from mercer.estimators.svm.probability import held_out_margins, softmax, steepness
from mercer.execution.threads import run
from mercer.execution.workspace import Workspace
from mercer.gram.fill import dense
from mercer.gram.plan import WHOLE, plan_matrix
from mercer.kernels.base import Kernel
from mercer.solvers.margin.dual import Bounds, DualSolution
from mercer.solvers.margin.one_vs_one import solve_pairs
from mercer.solvers.margin.problem import TINY, MarginProblem, in_one_matrix


@dataclasses.dataclass
class _TwoClasses:
    """The problem of two classes: its samples, and its solution once there is one."""

    number: int
    rows: np.ndarray  # the samples of the first class, then those of the second
    sign: np.ndarray  # +1 for the first class, -1 for the second
    bound: np.ndarray  # weights of the samples
    beta: np.ndarray | None = None
    intercept: float = 0.0
    solution: DualSolution | None = None
    plan: str = ""

    @property
    def solved(self) -> bool:
        return self.solution is not None and self.solution.converged

    def bounds(self, C: float) -> Bounds:
        """0 ≤ sign·β ≤ C·weight."""
        limit = C * self.bound
        lower = np.where(self.sign < 0, -limit, 0.0)
        return Bounds(lower[None], np.where(self.sign > 0, limit, 0.0)[None])


class MarginClassifier(ClassifierMixin, SupportVectorMachine):
    """Base class of support vector classifiers, one against one."""

    classes_: np.ndarray
    class_weight: ClassWeight
    probability: bool
    break_ties: bool
    decision_function_shape: str
    random_state: RandomState
    C: float = 1.0

    @fits
    def fit(self, X: RawSamples, y: Targets, sample_weight: Weights = None) -> Self:
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
        data = self._begin(X, y, sample_weight, "labels")
        encode_classes(self, data)
        self.class_weight_ = self._class_weights(data)
        bound = data.weight * self.class_weight_[data.y]
        members = [np.flatnonzero(data.y == c) for c in range(len(self.classes_))]
        problems = [
            _two_classes(number, data.rows, members[a], members[b], bound)
            for number, (a, b) in enumerate(itertools.combinations(range(len(members)), 2))
        ]
        self._solve_problems(data, problems, [len(m) for m in members])
        self._assemble(data, [data.rows[m] for m in members], problems)
        solutions = [problem.solution for problem in problems if problem.solution is not None]
        self._report(data.kernel, problems[0].plan, solutions, time.perf_counter() - start)
        if self.probability:
            self._calibrate(data)
        return self

    def _class_weights(self, data: Training) -> np.ndarray:
        if self.class_weight is None:
            return np.ones(len(self.classes_))
        labels = self.classes_[data.y]
        weights = compute_class_weight(self.class_weight, classes=self.classes_, y=labels)
        values = np.asarray(weights, dtype=float)
        if not np.isfinite(values).all() or (values <= 0).any():
            rule = "must be finite and positive for every class"
            raise ParameterError("class_weight", self.class_weight, rule)
        return values

    def _solve_problems(
        self, data: Training, problems: list[_TwoClasses], sizes: list[int]
    ) -> None:
        """Solve all problems: small ones together, then the others one by one on the threads."""
        kernel = data.kernel
        whole = self._whole(kernel, data.X)
        if kernel is not None and in_one_matrix(sizes, len(whole)):
            whole, kernel = dense(kernel, whole, whole), None
        if kernel is None:
            self._solve_together(whole, problems)
        left = [problem for problem in problems if not problem.solved]

        def solve(number: int, work: Workspace) -> None:
            lent = work if len(problems) > 1 else None
            self._solve_one(kernel, whole, left[number], lent)

        run(len(left), solve, "support vectors")

    def _solve_one(
        self, kernel: Kernel | None, whole: Prepared, two: _TwoClasses, work: Workspace | None
    ) -> None:
        problem = self._part(kernel, whole, two.rows, two.number, work)
        begun = two.solution
        if begun is not None:  # go on where the solver of small problems ended
            problem.earlier = [(begun.beta, self.C * float(two.bound.sum()))]
        solution, beta, two.intercept = self._solve_pair(problem, two)
        if begun is not None:
            iterations = begun.iterations + solution.iterations
            solution = dataclasses.replace(solution, iterations=iterations)
        two.beta, two.solution = problem.coefficients(beta), solution
        two.plan = problem.plan

    def _solve_pair(
        self, problem: MarginProblem, two: _TwoClasses
    ) -> tuple[DualSolution, np.ndarray, float]:
        raise NotImplementedError(type(self).__name__)

    def _solve_together(self, matrix: np.ndarray, problems: list[_TwoClasses]) -> None:
        """Solve small problems in one compiled call, where the formulation allows it."""

    def _assemble(
        self, data: Training, members: list[np.ndarray], problems: list[_TwoClasses]
    ) -> None:
        """LIBSVM's layout: support vectors class by class, a row of coefficients per other class."""
        solutions = [problem.solution for problem in problems]
        self._pairs = list(itertools.combinations(range(len(members)), 2))
        self._pair_intercept = np.array([problem.intercept for problem in problems])
        iterations = [solution.iterations for solution in solutions if solution is not None]
        self.n_iter_ = np.array(iterations, dtype=np.int32)
        coefficient = np.zeros((data.n_given, len(problems)))
        for number, problem in enumerate(problems):
            coefficient[problem.rows, number] = problem.beta
        used = (coefficient != 0).any(axis=1)
        by_class = [m[used[m]] for m in members]
        support = np.concatenate(by_class)
        self._n_support = np.array([len(m) for m in by_class], dtype=np.int32)
        self._keep_support(data.kernel, data.X, support)
        self._pair_coef = np.ascontiguousarray(coefficient[support])
        if len(members) == 2:  # scikit-learn flips the signs of two classes
            self.dual_coef_, self.intercept_ = -self._pair_coef.T, -self._pair_intercept
            return
        label = np.repeat(np.arange(len(members)), self._n_support)
        self.dual_coef_ = np.zeros((len(members) - 1, len(support)))
        for number, (a, b) in enumerate(self._pairs):
            self.dual_coef_[b - 1, label == a] = self._pair_coef[label == a, number]
            self.dual_coef_[a, label == b] = self._pair_coef[label == b, number]
        self.intercept_ = self._pair_intercept.copy()

    @property
    def n_support_(self) -> np.ndarray:
        """Number of support vectors of each class."""
        check_is_fitted(self)
        return self._n_support

    # -- prediction --------------------------------------------------------------------------------

    def _pairwise_decision(self, X: RawSamples) -> np.ndarray:
        """One column per two classes (a, b), positive for a."""
        check_is_fitted(self)
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
        check_is_fitted(self)
        if self.break_ties and self.decision_function_shape == "ovo":
            raise ValueError("break_ties must be False when decision_function_shape is 'ovo'")
        if self.break_ties and len(self.classes_) > 2:
            return self.classes_[np.argmax(self.decision_function(X), axis=1)]
        decision = self._pairwise_decision(X)
        if len(self.classes_) == 2:
            return self.classes_[(decision[:, 0] <= 0).astype(int)]
        return self.classes_[np.argmax(self._votes(decision), axis=1)]

    def _votes(self, decision: np.ndarray) -> np.ndarray:
        votes = np.zeros((len(decision), len(self.classes_)))
        for number, (a, b) in enumerate(self._pairs):
            votes[:, a] += decision[:, number] > 0
            votes[:, b] += decision[:, number] <= 0
        return votes

    # -- probabilities -----------------------------------------------------------------------------

    def _scores(self, decision: np.ndarray) -> np.ndarray:
        """What `predict` maximises; decision values separate equal votes by less than one vote."""
        if self.break_ties:
            return _ovr_decision_function(decision < 0, -decision, len(self.classes_))
        votes = self._votes(decision)
        total = np.zeros_like(votes)
        for number, (a, b) in enumerate(self._pairs):
            total[:, a] += decision[:, number]
            total[:, b] -= decision[:, number]
        small = total / (3 * (np.abs(total) + 1))
        # among equal votes `predict` takes the first class
        winner = np.argmax(votes, axis=1)
        tied = votes == votes.max(axis=1, keepdims=True)
        below_winner = np.take_along_axis(small, winner[:, None], axis=1) - 1e-9
        small = np.where(tied, np.minimum(small, below_winner), small)
        small[np.arange(len(small)), winner] += 1e-9
        return votes + small

    def _calibrate(self, data: Training) -> None:
        """One steepness, from decisions on held-out folds."""
        margins, labels = held_out_margins(self, data, self.classes_, self.random_state)
        self._steepness = steepness(margins, labels)

    def _margins(self, X: RawSamples) -> np.ndarray:
        decision = self._pairwise_decision(X)
        if len(self.classes_) == 2:
            return np.column_stack([decision[:, 0], -decision[:, 0]]) / 2
        return self._scores(decision)

    def _has_probability(self) -> bool:
        if not self.probability:
            raise AttributeError("predict_proba is not available when probability=False")
        return True

    @available_if(_has_probability)
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
        check_is_fitted(self)
        return softmax(self._steepness * self._margins(X))

    @available_if(_has_probability)
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

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = True
        return tags


def _two_classes(
    number: int, rows: np.ndarray, first: np.ndarray, second: np.ndarray, bound: np.ndarray
) -> _TwoClasses:
    both = np.concatenate([first, second])
    sign = np.repeat([1.0, -1.0], [len(first), len(second)])
    return _TwoClasses(number, rows[both], sign, bound[both])


class SVC(MarginClassifier):
    """The soft-margin classifier; parameters and attributes as in scikit-learn, plus ``repair`` for indefinite kernels and
    ``warm_start``, which begins at the coefficients of the last fit if the samples are as many and the classes the same.

    Examples
    --------
    >>> from mercer import RBF, SVC
    >>> model = SVC(kernel=RBF(length_scale=0.5)).fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 1, 0])
    >>> model.predict([[0.1], [1.4]]).tolist()
    [0, 1]
    """

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: KernelLike = "rbf",
        degree: int = 3,
        gamma: Gamma = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        probability: bool = False,
        tol: float = 1e-3,
        cache_size: float = 200,
        class_weight: ClassWeight = None,
        verbose: bool = False,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        random_state: RandomState = None,
        repair: str | None = None,
        warm_start: bool = False,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state
        self.repair = repair
        self.warm_start = warm_start

    def _solve_pair(
        self, problem: MarginProblem, two: _TwoClasses
    ) -> tuple[DualSolution, np.ndarray, float]:
        beta = np.zeros((1, len(two.sign)))
        bounds = two.bounds(self.C)
        solution = problem.solve(two.sign[None], bounds, beta, 0.0, self.max_iter)
        return solution, solution.beta[0], float(solution.levels[0])

    def _solve_together(self, matrix: np.ndarray, problems: list[_TwoClasses]) -> None:
        observed = self.warm_start or self.max_iter >= 0 or iteration_callback(self) is not None
        large = max(len(problem.rows) for problem in problems) > TINY
        if observed or large or self.repair is not None:
            return
        limits = [problem.bounds(self.C) for problem in problems]
        bounds = Bounds(
            np.concatenate([limit.lower[0] for limit in limits]),
            np.concatenate([limit.upper[0] for limit in limits]),
        )
        sign = np.concatenate([problem.sign for problem in problems])
        rows = [problem.rows for problem in problems]
        plan = str(plan_matrix(len(matrix), WHOLE, given=True))
        if len(problems) > 1:
            plan += ", shared by all classes"
        solutions = solve_pairs(matrix, rows, sign, bounds, self.tol)
        for problem, solution in zip(problems, solutions, strict=True):
            problem.solution, problem.beta = solution, solution.beta[0]
            problem.intercept, problem.plan = float(solution.levels[0]), plan


class NuSVC(MarginClassifier):
    """ν bounds the share of margin errors from above and that of support vectors from below; as in scikit-learn."""

    def __init__(
        self,
        *,
        nu: float = 0.5,
        kernel: KernelLike = "rbf",
        degree: int = 3,
        gamma: Gamma = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        probability: bool = False,
        tol: float = 1e-3,
        cache_size: float = 200,
        class_weight: ClassWeight = None,
        verbose: bool = False,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        random_state: RandomState = None,
        repair: str | None = None,
        warm_start: bool = False,
    ) -> None:
        self.nu = nu
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state
        self.repair = repair
        self.warm_start = warm_start

    def _solve_pair(
        self, problem: MarginProblem, two: _TwoClasses
    ) -> tuple[DualSolution, np.ndarray, float]:
        sign, bound, n = two.sign, two.bound, len(two.sign)
        share = self._checked_share(sign, bound)
        lower, upper = np.zeros((2, n)), np.zeros((2, n))
        upper[0] = np.where(sign > 0, bound, 0.0)
        lower[1] = np.where(sign < 0, -bound, 0.0)
        beta = np.vstack([filled(upper[0], share), -filled(-lower[1], share)])
        bounds = Bounds(lower, upper)
        solution = problem.solve(np.zeros((2, n)), bounds, beta, 0.0, self.max_iter)
        # f is −level on free variables: r above the middle for one class, r below for the other
        high, low = -solution.levels[0], -solution.levels[1]
        r = max((high - low) / 2, 1e-300)
        return solution, solution.beta.sum(axis=0) / r, -(high + low) / (2 * r)

    def _checked_share(self, sign: np.ndarray, bound: np.ndarray) -> float:
        """The sum of coefficients that ν asks of each class."""
        total = bound.sum()
        lighter = min(bound[sign > 0].sum(), bound[sign < 0].sum())
        share = self.nu * total / 2
        if share > lighter * (1 + 1e-12):
            most = f"with these classes and weights it can be at most {2 * lighter / total:.4g}"
            rule = f"specified nu is infeasible: {most}"
            raise ParameterError("nu", self.nu, rule, "lower nu, or balance the classes")
        return float(share)
