"""Support vector classification, one against one as LIBSVM does it."""

from __future__ import annotations

import dataclasses
import itertools
import time
from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import column_or_1d, compute_class_weight
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import _ovr_decision_function, check_classification_targets
from sklearn.utils.validation import check_is_fitted

from mercer.aliases import ClassWeight, Gamma, KernelLike, RandomState, RawSamples, Targets, Weights
from mercer.config import format_bytes
from mercer.domains.base import pick_rows, raw_length
from mercer.errors import ParameterError
from mercer.estimators.common.base import check_weights
from mercer.estimators.common.fitting import fits, step_teller
from mercer.estimators.svm.base import Margin, filled
from mercer.estimators.svm.problem import TINY, MarginProblem, in_one_matrix
from mercer.execution.threads import run
from mercer.execution.workspace import Workspace
from mercer.gram.fill import dense
from mercer.solvers.margin.dual import DualSolution
from mercer.solvers.margin.one_vs_one import solve_pairs


class MarginClassifier(ClassifierMixin, Margin):
    """One against one, as LIBSVM does it."""

    classes_: np.ndarray

    @fits
    def fit(self, X: RawSamples, y: Targets, sample_weight: Weights = None) -> Self:
        """Fit on samples ``X`` with labels ``y``; a weight multiplies C for its sample."""
        start = time.perf_counter()
        if y is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y is None"
            )
        X, y, weight, choice = self._begin(X, y, sample_weight)
        y = column_or_1d(y, warn=True) if y.ndim != 1 else y
        if y.dtype.kind not in "iubU":
            check_classification_targets(y)
        rows, kernel = self._kept(choice, X, weight)
        self.classes_, label = _classes(y)
        present = (
            np.unique(label[rows]) if len(rows) < len(label) else np.arange(len(self.classes_))
        )
        if len(present) < 2:
            raise ValueError(
                f"The number of classes has to be greater than one; got {len(present)} class"
                + ("" if len(self.classes_) == len(present) else " with positive weight")
            )
        if len(present) < len(self.classes_):  # a class whose samples all have weight 0 is absent
            self.classes_ = self.classes_[present]
            rows = rows[np.isin(label[rows], present)]
            label = np.searchsorted(present, label)
        if self.class_weight is None:
            self.class_weight_ = np.ones(len(self.classes_))
        else:
            given = self.class_weight
            self.class_weight_ = np.asarray(
                compute_class_weight(given, classes=self.classes_, y=y[rows]), dtype=float
            )
            if not np.isfinite(self.class_weight_).all() or (self.class_weight_ <= 0).any():
                raise ParameterError(
                    "class_weight", given, "must be finite and positive for every class"
                )
        bound = weight * self.class_weight_[np.minimum(label, len(self.classes_) - 1)]
        members = [rows[label[rows] == c] for c in range(len(self.classes_))]
        pairs = list(itertools.combinations(range(len(members)), 2))
        whole, shared = self._whole(kernel, X), kernel
        if kernel is not None and in_one_matrix([len(m) for m in members], len(whole)):
            whole, shared = dense(kernel, whole, whole), None
        found: list[Any] = (
            self._solve_pairs(whole, members, pairs, bound)
            if shared is None
            else [None] * len(pairs)
        )
        left = [
            number
            for number, solved in enumerate(found)
            if solved is None or not solved[3].converged
        ]

        def work(at_left: int, space: Workspace) -> None:
            number = left[at_left]
            a, b = pairs[number]
            at = np.concatenate([members[a], members[b]])
            sign = np.concatenate([np.ones(len(members[a])), -np.ones(len(members[b]))])
            problem = self._part(shared, whole, at, number, space if len(pairs) > 1 else None)
            begun = None if found[number] is None else found[number][3]
            if begun is not None:  # go on where that ended
                problem.warm = [(begun.beta, self.C * float(bound[at].sum()))]
            solution, beta, intercept = self._solve_pair(problem, sign, bound[at])
            if begun is not None:
                solution = dataclasses.replace(
                    solution, iterations=begun.iterations + solution.iterations
                )
            found[number] = at, problem.coefficients(beta), intercept, solution, problem.plan

        run(len(left), work, "support vectors")
        self._assemble(kernel, X, members, pairs, found)
        self._report(kernel, found[0][4], [f[3] for f in found], time.perf_counter() - start)
        if self.probability:
            self._calibrate(X, y, sample_weight)
        return self

    def _solve_pair(
        self, problem: MarginProblem, sign: np.ndarray, bound: np.ndarray
    ) -> tuple[DualSolution, np.ndarray, float]:
        raise NotImplementedError(type(self).__name__)

    def _solve_pairs(
        self,
        matrix: np.ndarray,
        members: list[np.ndarray],
        pairs: list[tuple[int, int]],
        bound: np.ndarray,
    ) -> list[Any]:
        """For every pair its rows, coefficients, intercept, solution and plan, where that needs no problem object for each; else None."""
        return [None] * len(pairs)

    def _assemble(
        self,
        kernel: KernelLike,
        X: RawSamples,
        members: list[np.ndarray],
        pairs: list[tuple[int, int]],
        found: list[Any],
    ) -> None:
        """LIBSVM's layout: support vectors class by class, one row of coefficients for each other class."""
        self._pairs = pairs
        self._pair_intercept = np.array([f[2] for f in found])
        self.n_iter_ = np.array([f[3].iterations for f in found], dtype=np.int32)
        if len(members) == 2:  # scikit-learn turns the signs of two classes
            at, beta = found[0][0], found[0][1]
            used = np.flatnonzero(beta)
            first = int(np.searchsorted(used, len(members[0])))
            self._n_support = np.array([first, len(used) - first], dtype=np.int32)
            self._keep_support(kernel, X, at[used])
            self._pair_coef = beta[used][:, None]
            self.dual_coef_, self.intercept_ = -self._pair_coef.T, -self._pair_intercept
            return
        coefficient = np.zeros((raw_length(X), len(pairs)))
        for number, (at, beta, *_) in enumerate(found):
            coefficient[at, number] = beta
        used = (coefficient != 0).any(axis=1)
        by_class = [m[used[m]] for m in members]
        support = np.concatenate(by_class)
        self._n_support = np.array([len(m) for m in by_class], dtype=np.int32)
        self._keep_support(kernel, X, support)
        self._pair_coef = np.ascontiguousarray(coefficient[support])
        label = np.repeat(np.arange(len(members)), self._n_support)
        self.dual_coef_ = np.zeros((len(members) - 1, len(support)))
        for number, (a, b) in enumerate(pairs):
            self.dual_coef_[b - 1, label == a] = self._pair_coef[label == a, number]
            self.dual_coef_[a, label == b] = self._pair_coef[label == b, number]
        self.intercept_ = self._pair_intercept.copy()

    @property
    def n_support_(self) -> np.ndarray:
        """The number of support vectors of each class."""
        check_is_fitted(self)
        return self._n_support

    def _pairwise_decision(self, X: RawSamples) -> np.ndarray:
        """One column per pair (a, b), positive for a."""
        check_is_fitted(self)
        X = self._check_X(X, reset=False)
        return self._expansion().apply(X, self._pair_coef) + self._pair_intercept

    def decision_function(self, X: RawSamples) -> np.ndarray:
        """Distances to the boundary; one column per class ("ovr") or per pair ("ovo") if there are more than two."""
        decision = self._pairwise_decision(X)
        if len(self.classes_) == 2:
            return -decision[:, 0]
        if self.decision_function_shape == "ovr":
            return _ovr_decision_function(decision < 0, -decision, len(self.classes_))
        return decision

    def predict(self, X: RawSamples) -> np.ndarray:
        """The class with most votes of the pairs; with ``break_ties`` the one with the largest decision."""
        check_is_fitted(self)
        p = self.get_params(deep=False)
        if p["break_ties"] and p["decision_function_shape"] == "ovo":
            raise ValueError("break_ties must be False when decision_function_shape is 'ovo'")
        if p["break_ties"] and len(self.classes_) > 2:
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

    # -- probabilities -----------------------------------------------------------------------------------------------

    def _scores(self, decision: np.ndarray) -> np.ndarray:
        """What `predict` maximises, with the size of the decisions to tell equal votes apart by less than one vote."""
        votes = self._votes(decision)
        total = np.zeros_like(votes)
        for number, (a, b) in enumerate(self._pairs):
            total[:, a] += decision[:, number]
            total[:, b] -= decision[:, number]
        small = total / (3 * (np.abs(total) + 1))
        if self.break_ties:
            return _ovr_decision_function(decision < 0, -decision, len(self.classes_))
        # among equal votes `predict` takes the first class
        winner = np.argmax(votes, axis=1)
        tied = votes == votes.max(axis=1, keepdims=True)
        small = np.where(
            tied,
            np.minimum(small, np.take_along_axis(small, winner[:, None], axis=1) - 1e-9),
            small,
        )
        small[np.arange(len(small)), winner] += 1e-9
        return votes + small

    def _calibrate(self, X: RawSamples, y: np.ndarray, sample_weight: Weights) -> None:
        """One steepness, from decisions on held-out folds: a sigmoid through the boundary, or a softmax of the scores."""
        from scipy.optimize import minimize_scalar
        from sklearn.base import clone
        from sklearn.model_selection import StratifiedKFold

        weight = check_weights(sample_weight, len(y))
        rows = np.flatnonzero((weight > 0) & np.isin(y, self.classes_))
        pairwise = self.kernel_ is None
        X = pick_rows(X, rows)[:, rows] if pairwise else pick_rows(X, rows)
        y, weight = y[rows], weight[rows]
        label = np.searchsorted(self.classes_, y)
        folds = int(min(5, np.bincount(label).min()))
        held: list[np.ndarray] = []
        truth: list[np.ndarray] = []
        if folds >= 2:
            for train, test in StratifiedKFold(
                folds, shuffle=True, random_state=self.random_state
            ).split(np.zeros(len(y)), y):
                model = clone(self).set_params(probability=False)
                part = pick_rows(X, train)[:, train] if pairwise else pick_rows(X, train)
                model.fit(part, y[train], None if sample_weight is None else weight[train])
                other = pick_rows(X, test)[:, train] if pairwise else pick_rows(X, test)
                held.append(model._margins(other))
                truth.append(label[test])
        else:  # a class of one sample cannot be held out
            whole = clone(self).set_params(probability=False).fit(X, y, weight)
            held, truth = [whole._margins(X)], [label]
        margins, classes = np.vstack(held), np.concatenate(truth)

        def loss(log_steepness: float) -> float:
            p = _softmax(np.exp(log_steepness) * margins)
            return -float(np.log(np.maximum(p[np.arange(len(p)), classes], 1e-300)).mean())

        self._steepness = float(
            np.exp(minimize_scalar(loss, bounds=(-6.0, 6.0), method="bounded").x)
        )

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
        """Probabilities that agree with `predict`: the likeliest class is the predicted one."""
        check_is_fitted(self)
        return _softmax(self._steepness * self._margins(X))

    @available_if(_has_probability)
    def predict_log_proba(self, X: RawSamples) -> np.ndarray:
        """Logarithms of `predict_proba`."""
        return np.log(self.predict_proba(X))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = True
        return tags


def _classes(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Like `np.unique` with its inverse, sooner for small integers."""
    if y.dtype.kind == "i" and len(y) and int(y.min()) >= 0 and int(y.max()) < 1000:
        classes = np.flatnonzero(np.bincount(y)).astype(y.dtype)
        return classes, np.searchsorted(classes, y)
    return np.unique(y, return_inverse=True)


def _softmax(scores: np.ndarray) -> np.ndarray:
    raised = np.exp(scores - scores.max(axis=1, keepdims=True))
    return raised / raised.sum(axis=1, keepdims=True)


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
        self, problem: MarginProblem, sign: np.ndarray, bound: np.ndarray
    ) -> tuple[DualSolution, np.ndarray, float]:
        limit = self.C * bound
        lower, upper = np.where(sign < 0, -limit, 0.0)[None], np.where(sign > 0, limit, 0.0)[None]
        solution = problem.solve(
            sign[None], lower, upper, np.zeros((1, len(sign))), 0.0, self.max_iter
        )
        return solution, solution.beta[0], float(solution.levels[0])

    def _solve_pairs(
        self,
        matrix: np.ndarray,
        members: list[np.ndarray],
        pairs: list[tuple[int, int]],
        bound: np.ndarray,
    ) -> list[Any]:
        watched = self.warm_start or self.max_iter >= 0 or step_teller(self) is not None
        if (
            watched
            or self.repair is not None
            or max(len(members[a]) + len(members[b]) for a, b in pairs) > TINY
        ):
            return super()._solve_pairs(matrix, members, pairs, bound)
        places = [np.concatenate([members[a], members[b]]) for a, b in pairs]
        sign = np.concatenate(
            [np.repeat([1.0, -1.0], [len(members[a]), len(members[b])]) for a, b in pairs]
        )
        limit = self.C * bound[np.concatenate(places)]
        solved = solve_pairs(
            matrix,
            places,
            sign,
            np.where(sign < 0, -limit, 0.0),
            np.where(sign > 0, limit, 0.0),
            self.tol,
        )
        plan = f"dense Gram matrix, float64, {format_bytes(matrix.nbytes)}{', shared by all classes' if len(pairs) > 1 else ''}"
        return [
            (at, s.beta[0], float(s.levels[0]), s, plan)
            for at, s in zip(places, solved, strict=True)
        ]


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
        self, problem: MarginProblem, sign: np.ndarray, bound: np.ndarray
    ) -> tuple[DualSolution, np.ndarray, float]:
        n = len(sign)
        share = self.nu * bound.sum() / 2
        lighter = min(bound[sign > 0].sum(), bound[sign < 0].sum())
        if share > lighter * (1 + 1e-12):
            most = 2 * lighter / bound.sum()
            rule = f"specified nu is infeasible: with these classes and weights it can be at most {most:.4g}"
            raise ParameterError("nu", self.nu, rule, "lower nu, or balance the classes")
        lower, upper = np.zeros((2, n)), np.zeros((2, n))
        upper[0] = np.where(sign > 0, bound, 0.0)
        lower[1] = np.where(sign < 0, -bound, 0.0)
        beta = np.vstack([filled(upper[0], share), -filled(-lower[1], share)])
        solution = problem.solve(np.zeros((2, n)), lower, upper, beta, 0.0, self.max_iter)
        # f is −level on free variables: r above the middle for one class, r below it for the other
        high, low = -solution.levels[0], -solution.levels[1]
        r = max((high - low) / 2, 1e-300)
        return solution, solution.beta.sum(axis=0) / r, -(high + low) / (2 * r)
