"""Support vector machines: scikit-learn's parameters and attributes, any kernel, one solver."""

from __future__ import annotations

import itertools
import time
import warnings
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin, OutlierMixin, RegressorMixin, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import column_or_1d, compute_class_weight
from sklearn.utils._param_validation import Interval, StrOptions, validate_parameter_constraints
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import _ovr_decision_function, check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from mercer.domains.base import pick_rows, raw_length
from mercer.errors import ParameterError, ShapeError, explain
from mercer.estimators.base import Choice, Expansion, KernelEstimator, check_square
from mercer.estimators.margin_problem import MarginProblem
from mercer.estimators.report import MarginReport
from mercer.gram.run import run
from mercer.kernels.base import Kernel
from mercer.kernels.dot import Linear
from mercer.solvers.smo import DualSolution


class _Margin(KernelEstimator):
    """What all margin machines share."""

    needs: ClassVar[str] = "cpd"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "degree": [Interval(Integral, 0, None, closed="left")],
        "gamma": [StrOptions({"scale", "auto"}), Interval(Real, 0.0, None, closed="left")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "shrinking": ["boolean"],
        "cache_size": [Interval(Real, 0, None, closed="neither")],
        "verbose": ["verbose"],
        "max_iter": [Interval(Integral, -1, None, closed="left")],
        "C": [Interval(Real, 0.0, None, closed="neither")],
        "nu": [Interval(Real, 0.0, 1.0, closed="right")],
        "epsilon": [Interval(Real, 0.0, None, closed="left")],
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "probability": ["boolean"],
        "decision_function_shape": [StrOptions({"ovo", "ovr"})],
        "break_ties": ["boolean"],
        "random_state": ["random_state"],
    }

    def _validate_params(self) -> None:
        known = vars(self)
        mine = {name: rule for name, rule in self._parameter_constraints.items() if name in known}
        validate_parameter_constraints(mine, {n: known[n] for n in mine}, caller_name=type(self).__name__)

    # -- data --------------------------------------------------------------------------------------------------------

    def _weights(self, sample_weight: Any, n: int) -> np.ndarray:
        if sample_weight is None:
            return np.ones(n)
        weight = np.asarray(sample_weight, dtype=np.float64)
        if weight.ndim == 0:
            weight = np.full(n, float(weight))
        if weight.shape != (n,):
            raise ShapeError(explain("sample_weight", f"array of shape {weight.shape}", f"must have one value for each of the {n} samples"))
        if not np.isfinite(weight).all() or weight.min() < 0:
            row = int(np.argmax(~np.isfinite(weight) | (weight < 0)))
            raise ParameterError(explain(f"sample_weight[{row}]", float(weight[row]), "must be finite and >= 0"))
        if not weight.any():
            raise ParameterError(explain("sample_weight", "all 0", "leaves no sample: all samples have zero or negative weights"))
        return weight

    def _begin(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, np.ndarray, Choice]:
        """Checked data without the samples of weight 0, and the kernel fitted on them."""
        if self._plain(X, y):  # arrays that need no conversion: scikit-learn's checks cost more than a small fit
            self.n_features_in_ = X.shape[1]
            self.__dict__.pop("feature_names_in_", None)
        elif self._takes_vectors():
            if y is None:
                X = self._check_X(X, reset=True)
            else:
                pairwise = isinstance(self.kernel, str) and self.kernel == "precomputed"  # type: ignore[attr-defined]
                X, y = validate_data(
                    self, X, y, accept_sparse=False if pairwise else "csr", dtype=np.float64, order="C", **self._target_checks()
                )
        else:
            X = self._check_X(X, reset=True)
            if y is not None:
                y = column_or_1d(y, warn=True)
                if len(y) != raw_length(X):
                    raise ShapeError(explain("y", f"{len(y)} values", f"must have one for each of the {raw_length(X)} samples"))
        n = raw_length(X)
        weight = self._weights(sample_weight, n)
        choice = self._choose(X, weight if sample_weight is not None else None)
        if choice.kernel is None:
            check_square(X)
        self.shape_fit_ = X.shape if hasattr(X, "shape") else (n,)
        return X, y, weight, choice

    def _plain(self, X: Any, y: Any) -> bool:
        """Whether the data are what the checks would make of them, seen at a glance."""
        return (
            type(X) is np.ndarray
            and type(y) is np.ndarray
            and X.dtype == np.float64
            and X.ndim == 2
            and X.shape[1] > 0
            and y.shape == X.shape[:1]
            and len(X) > 1
            and y.dtype.kind in "iubU"
            and self._takes_vectors()
            and X.flags.c_contiguous
            and bool(np.isfinite(X.sum()))
        )

    def _target_checks(self) -> dict[str, Any]:
        return {}

    def _kept(self, choice: Choice, X: Any, weight: np.ndarray) -> tuple[np.ndarray, Kernel | None]:
        """The samples of positive weight, and the kernel fitted on them."""
        rows = np.flatnonzero(weight > 0)
        kernel = choice.kernel
        if kernel is not None:
            kernel.fit(X if len(rows) == len(weight) else pick_rows(X, rows))
        return rows, kernel

    def _problem(self, kernel: Kernel | None, X: Any, rows: np.ndarray) -> MarginProblem:
        return MarginProblem(kernel, X, rows, self.tol, self.repair)  # type: ignore[attr-defined]

    def _report(self, kernel: Kernel | None, plan: str, solutions: list[DualSolution], seconds: float) -> None:
        worst = max(solutions, key=lambda s: s.gap)
        n = self.shape_fit_[0]
        converged = all(s.converged for s in solutions)
        self.report_ = MarginReport(
            kernel="precomputed" if kernel is None else repr(kernel),
            status="unknown" if kernel is None else kernel.certify(None).status,
            plan=plan,
            solver=f"second-order SMO, {len(solutions)} problem(s)",
            objective=sum(s.objective for s in solutions),
            gap=worst.gap,
            tol=self.tol,  # type: ignore[attr-defined]
            iterations=sum(s.iterations for s in solutions),
            converged=converged,
            support=len(self.support_),
            samples=n,
            seconds=seconds,
        )
        self.fit_status_ = 0 if converged else 1
        if not converged:
            advice = "scale the features (StandardScaler), raise max_iter or tol, or lower C"
            warnings.warn(
                f"{type(self).__name__} did not converge ({worst.reason}): KKT gap {worst.gap:.3g}, tolerance {self.tol:.3g}; {advice}",  # type: ignore[attr-defined]
                ConvergenceWarning,
                stacklevel=3,
            )
        if self.verbose:  # type: ignore[attr-defined]
            print(self.report_)

    def _expansion(self) -> Expansion:
        samples = None if self.kernel_ is None else self.support_vectors_
        return Expansion(self.kernel_, samples, self.support_, self.shape_fit_[0])

    def _keep_support(self, kernel: Kernel | None, X: Any, support: np.ndarray) -> None:
        self.kernel_ = kernel
        self.support_ = support.astype(np.int32)
        self.support_vectors_ = np.empty((0, 0)) if kernel is None else pick_rows(X, support)

    @property
    def coef_(self) -> np.ndarray:
        """The weights of the columns, for the linear kernel."""
        check_is_fitted(self)
        if not isinstance(self.kernel_, Linear):
            raise AttributeError("coef_ is only available when using a linear kernel")
        made = self.dual_coef_ @ self.support_vectors_
        return np.asarray(made)


class _MarginClassifier(ClassifierMixin, _Margin):
    """One against one, as LIBSVM does it."""

    classes_: np.ndarray

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit on samples ``X`` with labels ``y``; a weight multiplies C for its sample."""
        start = time.perf_counter()
        if y is None:
            raise ValueError(f"This {type(self).__name__} estimator requires y to be passed, but the target y is None")
        X, y, weight, choice = self._begin(X, y, sample_weight)
        y = column_or_1d(y, warn=True) if y.ndim != 1 else y
        if y.dtype.kind not in "iubU":
            check_classification_targets(y)
        rows, kernel = self._kept(choice, X, weight)
        self.classes_, label = np.unique(y, return_inverse=True)
        present = np.unique(label[rows])
        if len(present) < 2:
            raise ValueError(
                f"The number of classes has to be greater than one; got {len(present)} class"
                + ("" if len(self.classes_) == len(present) else " with positive weight")
            )
        if len(present) < len(self.classes_):  # a class whose samples all have weight 0 is absent
            self.classes_ = self.classes_[present]
            rows = rows[np.isin(label[rows], present)]
            label = np.searchsorted(present, label)
        if self.class_weight is None:  # type: ignore[attr-defined]
            self.class_weight_ = np.ones(len(self.classes_))
        else:
            self.class_weight_ = compute_class_weight(self.class_weight, classes=self.classes_, y=y[rows])  # type: ignore[attr-defined]
        bound = weight * self.class_weight_[np.minimum(label, len(self.classes_) - 1)]
        members = [rows[label[rows] == c] for c in range(len(self.classes_))]
        pairs = list(itertools.combinations(range(len(members)), 2))
        found: list[Any] = [None] * len(pairs)

        def work(number: int, _: Any) -> None:
            a, b = pairs[number]
            at = np.concatenate([members[a], members[b]])
            sign = np.concatenate([np.ones(len(members[a])), -np.ones(len(members[b]))])
            problem = self._problem(kernel, X, at)
            solution, beta, intercept = self._solve_pair(problem, sign, bound[at])
            found[number] = at, problem.coefficients(beta), intercept, solution, problem.plan

        run(len(pairs), work, "support vectors")
        self._assemble(kernel, X, members, pairs, found)
        self._report(kernel, found[0][4], [f[3] for f in found], time.perf_counter() - start)
        if self.probability:  # type: ignore[attr-defined]
            self._calibrate(X, y, sample_weight)
        return self

    def _solve_pair(self, problem: MarginProblem, sign: np.ndarray, bound: np.ndarray) -> tuple[DualSolution, np.ndarray, float]:
        raise NotImplementedError(type(self).__name__)

    def _assemble(self, kernel: Any, X: Any, members: list[np.ndarray], pairs: list[tuple[int, int]], found: list[Any]) -> None:
        """LIBSVM's layout: support vectors class by class, one row of coefficients for each other class."""
        n = raw_length(X)
        coefficient = np.zeros((n, len(pairs)))
        for number, (at, beta, *_) in enumerate(found):
            coefficient[at, number] = beta
        used = (coefficient != 0).any(axis=1)
        by_class = [m[used[m]] for m in members]
        support = np.concatenate(by_class)
        self._n_support = np.array([len(m) for m in by_class], dtype=np.int32)
        self._keep_support(kernel, X, support)
        self._pair_coef = np.ascontiguousarray(coefficient[support])
        self._pair_intercept = np.array([f[2] for f in found])
        self._pairs = pairs
        label = np.repeat(np.arange(len(members)), self._n_support)
        dual = np.zeros((len(members) - 1, len(support)))
        for number, (a, b) in enumerate(pairs):
            dual[b - 1, label == a] = self._pair_coef[label == a, number]
            dual[a, label == b] = self._pair_coef[label == b, number]
        binary = len(members) == 2
        self.dual_coef_ = -dual if binary else dual
        self.intercept_ = -self._pair_intercept if binary else self._pair_intercept.copy()
        self.n_iter_ = np.array([f[3].iterations for f in found], dtype=np.int32)

    @property
    def n_support_(self) -> np.ndarray:
        """The number of support vectors of each class."""
        check_is_fitted(self)
        return self._n_support

    def _pairwise_decision(self, X: Any) -> np.ndarray:
        """One column per pair (a, b), positive for a."""
        check_is_fitted(self)
        X = self._check_X(X, reset=False)
        return self._expansion().apply(X, self._pair_coef) + self._pair_intercept

    def decision_function(self, X: Any) -> np.ndarray:
        """Distances to the boundary; one column per class ("ovr") or per pair ("ovo") if there are more than two."""
        decision = self._pairwise_decision(X)
        if len(self.classes_) == 2:
            return -decision[:, 0]
        if self.decision_function_shape == "ovr":  # type: ignore[attr-defined]
            return _ovr_decision_function(decision < 0, -decision, len(self.classes_))
        return decision

    def predict(self, X: Any) -> np.ndarray:
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
        if self.break_ties:  # type: ignore[attr-defined]
            return _ovr_decision_function(decision < 0, -decision, len(self.classes_))
        # among equal votes `predict` takes the first class
        winner = np.argmax(votes, axis=1)
        tied = votes == votes.max(axis=1, keepdims=True)
        small = np.where(tied, np.minimum(small, np.take_along_axis(small, winner[:, None], axis=1) - 1e-9), small)
        small[np.arange(len(small)), winner] += 1e-9
        return votes + small

    def _calibrate(self, X: Any, y: np.ndarray, sample_weight: Any) -> None:
        """One steepness, from decisions on held-out folds: a sigmoid through the boundary, or a softmax of the scores."""
        from scipy.optimize import minimize_scalar
        from sklearn.base import clone
        from sklearn.model_selection import StratifiedKFold

        weight = self._weights(sample_weight, len(y))
        rows = np.flatnonzero((weight > 0) & np.isin(y, self.classes_))
        pairwise = self.kernel_ is None
        X = pick_rows(X, rows)[:, rows] if pairwise else pick_rows(X, rows)
        y, weight = y[rows], weight[rows]
        label = np.searchsorted(self.classes_, y)
        folds = int(min(5, np.bincount(label).min()))
        held: list[np.ndarray] = []
        truth: list[np.ndarray] = []
        if folds >= 2:
            for train, test in StratifiedKFold(folds, shuffle=True, random_state=self.random_state).split(np.zeros(len(y)), y):  # type: ignore[attr-defined]
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

        self._steepness = float(np.exp(minimize_scalar(loss, bounds=(-6.0, 6.0), method="bounded").x))

    def _margins(self, X: Any) -> np.ndarray:
        decision = self._pairwise_decision(X)
        if len(self.classes_) == 2:
            return np.column_stack([decision[:, 0], -decision[:, 0]]) / 2
        return self._scores(decision)

    def _has_probability(self) -> bool:
        if not self.probability:  # type: ignore[attr-defined]
            raise AttributeError("predict_proba is not available when probability=False")
        return True

    @available_if(_has_probability)
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities that agree with `predict`: the likeliest class is the predicted one."""
        check_is_fitted(self)
        return _softmax(self._steepness * self._margins(X))

    @available_if(_has_probability)
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithms of `predict_proba`."""
        return np.log(self.predict_proba(X))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = True
        return tags


def _softmax(scores: np.ndarray) -> np.ndarray:
    raised = np.exp(scores - scores.max(axis=1, keepdims=True))
    return raised / raised.sum(axis=1, keepdims=True)


class SVC(_MarginClassifier):
    """The soft-margin classifier; parameters and attributes as in scikit-learn, plus ``repair`` for indefinite kernels.

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
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        probability: bool = False,
        tol: float = 1e-3,
        cache_size: float = 200,
        class_weight: Any = None,
        verbose: bool = False,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        random_state: Any = None,
        repair: str | None = None,
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

    def _solve_pair(self, problem: MarginProblem, sign: np.ndarray, bound: np.ndarray) -> tuple[DualSolution, np.ndarray, float]:
        limit = self.C * bound
        lower, upper = np.where(sign < 0, -limit, 0.0)[None], np.where(sign > 0, limit, 0.0)[None]
        solution = problem.solve(sign[None], lower, upper, np.zeros((1, len(sign))), 0.0, self.max_iter)
        return solution, solution.beta[0], float(solution.levels[0])


class NuSVC(_MarginClassifier):
    """ν bounds the share of margin errors from above and that of support vectors from below; as in scikit-learn."""

    def __init__(
        self,
        *,
        nu: float = 0.5,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        probability: bool = False,
        tol: float = 1e-3,
        cache_size: float = 200,
        class_weight: Any = None,
        verbose: bool = False,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        random_state: Any = None,
        repair: str | None = None,
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

    def _solve_pair(self, problem: MarginProblem, sign: np.ndarray, bound: np.ndarray) -> tuple[DualSolution, np.ndarray, float]:
        n = len(sign)
        share = self.nu * bound.sum() / 2
        lighter = min(bound[sign > 0].sum(), bound[sign < 0].sum())
        if share > lighter * (1 + 1e-12):
            most = 2 * lighter / bound.sum()
            rule = f"specified nu is infeasible: with these classes and weights it can be at most {most:.4g}"
            raise ParameterError(explain("nu", self.nu, rule, "lower nu, or balance the classes"))
        lower, upper = np.zeros((2, n)), np.zeros((2, n))
        upper[0] = np.where(sign > 0, bound, 0.0)
        lower[1] = np.where(sign < 0, -bound, 0.0)
        beta = np.vstack([_filled(upper[0], share), -_filled(-lower[1], share)])
        solution = problem.solve(np.zeros((2, n)), lower, upper, beta, 0.0, self.max_iter)
        # f is −level on free variables: r above the middle for one class, r below it for the other
        high, low = -solution.levels[0], -solution.levels[1]
        r = max((high - low) / 2, 1e-300)
        return solution, solution.beta.sum(axis=0) / r, -(high + low) / (2 * r)


def _filled(room: np.ndarray, total: float) -> np.ndarray:
    """The first variables at their bounds, until they sum to the total."""
    before = np.concatenate([[0.0], np.cumsum(room)[:-1]])
    return np.clip(total - before, 0.0, room)


class _SingleMachine(_Margin):
    """One problem, one row of coefficients."""

    def _finish(
        self, problem: MarginProblem, X: Any, rows: np.ndarray, beta: np.ndarray, intercept: float, solution: DualSolution, start: float
    ) -> None:
        kernel = problem.kernel
        beta = problem.coefficients(beta)
        used = np.flatnonzero(beta)
        self._keep_support(kernel, X, rows[used])
        self._n_support = np.array([len(used)], dtype=np.int32)
        self.dual_coef_ = beta[None, used]
        self.intercept_ = np.array([intercept])
        self.n_iter_ = solution.iterations
        self._report(kernel, problem.plan, [solution], time.perf_counter() - start)

    @property
    def n_support_(self) -> np.ndarray:
        """The number of support vectors."""
        check_is_fitted(self)
        return self._n_support

    def _value(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        X = self._check_X(X, reset=False)
        return self._expansion().apply(X, np.ascontiguousarray(self.dual_coef_.T))[:, 0] + self.intercept_[0]


class _MarginRegressor(RegressorMixin, _SingleMachine):
    def _target_checks(self) -> dict[str, Any]:
        return {"y_numeric": True, "multi_output": False}

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit on samples ``X`` with numbers ``y``; a weight multiplies C for its sample."""
        start = time.perf_counter()
        if y is None:
            raise ValueError(f"This {type(self).__name__} estimator requires y to be passed, but the target y is None")
        X, y, weight, choice = self._begin(X, y, sample_weight)
        target = np.asarray(y, dtype=np.float64)
        rows, kernel = self._kept(choice, X, weight)
        problem = self._problem(kernel, X, rows)
        solution, intercept = self._solve(problem, target[rows], self.C * weight[rows])  # type: ignore[attr-defined]
        self._finish(problem, X, rows, solution.beta.sum(axis=0), intercept, solution, start)
        return self

    def _solve(self, problem: MarginProblem, y: np.ndarray, limit: np.ndarray) -> tuple[DualSolution, float]:
        raise NotImplementedError(type(self).__name__)

    def predict(self, X: Any) -> np.ndarray:
        """The regression function."""
        return self._value(X)


class SVR(_MarginRegressor):
    """ε-insensitive regression, as in scikit-learn.

    Examples
    --------
    >>> from mercer import RBF, SVR
    >>> model = SVR(kernel=RBF(), C=100.0, epsilon=0.01).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 0.0])
    >>> model.predict([[1.0]]).round(2).tolist()
    [0.99]
    """

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        C: float = 1.0,
        epsilon: float = 0.1,
        shrinking: bool = True,
        cache_size: float = 200,
        verbose: bool = False,
        max_iter: int = -1,
        repair: str | None = None,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.C = C
        self.epsilon = epsilon
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.repair = repair

    def _solve(self, problem: MarginProblem, y: np.ndarray, limit: np.ndarray) -> tuple[DualSolution, float]:
        solution = problem.solve(y[None], -limit[None], limit[None], np.zeros((1, len(y))), float(self.epsilon), self.max_iter)
        return solution, float(solution.levels[0])


class NuSVR(_MarginRegressor):
    """ν in place of ε: it bounds the share of points outside the tube; as in scikit-learn."""

    def __init__(
        self,
        *,
        nu: float = 0.5,
        C: float = 1.0,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        tol: float = 1e-3,
        cache_size: float = 200,
        verbose: bool = False,
        max_iter: int = -1,
        repair: str | None = None,
    ) -> None:
        self.nu = nu
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.tol = tol
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.repair = repair

    def _solve(self, problem: MarginProblem, y: np.ndarray, limit: np.ndarray) -> tuple[DualSolution, float]:
        zero = np.zeros_like(limit)
        start = _filled(limit, self.nu * limit.sum() / 2)
        solution = problem.solve(
            np.vstack([y, y]), np.vstack([zero, -limit]), np.vstack([limit, zero]), np.vstack([start, -start]), 0.0, self.max_iter
        )
        self.epsilon_ = float((solution.levels[0] - solution.levels[1]) / 2)
        return solution, float(solution.levels.mean())


def _boundary(solution: DualSolution, diagonal: np.ndarray) -> float:
    """The level of a boundary that has its own support vectors inside, rounding included, once they are known exactly."""
    scale = float(np.abs(solution.beta).sum()) * float(np.abs(diagonal).max())
    if solution.gap <= 1e-9 * max(scale, 1e-300):
        return float(solution.edges[0]) + 1e-12 * scale
    return float(solution.levels[0])


class OneClassSVM(OutlierMixin, _SingleMachine):
    """The half-space that holds all but a share ν of the samples, as in scikit-learn: +1 inside, −1 outside."""

    needs: ClassVar[str] = "psd"

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        nu: float = 0.5,
        shrinking: bool = True,
        cache_size: float = 200,
        verbose: bool = False,
        max_iter: int = -1,
        repair: str | None = None,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.nu = nu
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.repair = repair

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit on samples ``X``; ``y`` is ignored."""
        start = time.perf_counter()
        X, _, weight, choice = self._begin(X, None, sample_weight)
        rows, kernel = self._kept(choice, X, weight)
        problem = self._problem(kernel, X, rows)
        room = weight[rows]
        beta = _filled(room, self.nu * room.sum())[None]
        zero = np.zeros_like(beta)
        solution = problem.solve(zero, zero.copy(), room[None].copy(), beta, 0.0, self.max_iter)
        self._finish(problem, X, rows, solution.beta[0], _boundary(solution, problem.diagonal), solution, start)
        self.offset_ = -self.intercept_
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Positive inside."""
        return self._value(X)

    def score_samples(self, X: Any) -> np.ndarray:
        """The decision before the offset is subtracted."""
        return self.decision_function(X) + self.offset_

    def predict(self, X: Any) -> np.ndarray:
        """+1 inside, −1 outside."""
        return np.where(self.decision_function(X) >= 0, 1, -1)


class SVDD(OutlierMixin, _SingleMachine):
    """The smallest ball in feature space that holds all but a share ν of the samples (support vector data description).

    With a kernel of constant k(x, x) it is the one-class SVM; unlike that it also takes conditionally positive kernels.

    Examples
    --------
    >>> from mercer import SVDD, NegativeDistance
    >>> model = SVDD(kernel=NegativeDistance(power=2.0), nu=0.5).fit([[-1.0], [0.0], [1.0]])
    >>> model.predict([[0.1], [3.0]]).tolist()
    [1, -1]
    """

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        nu: float = 0.5,
        shrinking: bool = True,
        cache_size: float = 200,
        verbose: bool = False,
        max_iter: int = -1,
        repair: str | None = None,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.nu = nu
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.repair = repair

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit on samples ``X``; ``y`` is ignored."""
        start = time.perf_counter()
        X, _, weight, choice = self._begin(X, None, sample_weight)
        rows, kernel = self._kept(choice, X, weight)
        problem = self._problem(kernel, X, rows)
        room = weight[rows] / (self.nu * weight[rows].sum())
        target = problem.diagonal[None] / 2
        beta = _filled(room, 1.0)[None]
        solution = problem.solve(target, np.zeros_like(beta), room[None].copy(), beta, 0.0, self.max_iter)
        within = float(solution.beta[0] @ (target[0] - solution.slack[0]))
        level = _boundary(solution, problem.diagonal)
        self.radius_ = float(np.sqrt(max(2 * level + within, 0.0)))
        diagonal = problem.diagonal
        self._diagonal = float(diagonal[0]) if np.ptp(diagonal) <= 1e-12 * abs(float(diagonal[0])) else None
        self._finish(problem, X, rows, 2 * solution.beta[0], 2 * level, solution, start)
        self.offset_ = np.array([-(self.radius_**2)])
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """The squared radius less the squared distance from the centre: positive inside."""
        value = self._value(X)
        if self.kernel_ is not None:
            return value - self.kernel_.diag(self._check_X(X, reset=False))
        if self._diagonal is None:
            rule = "does not hold k(x, x) of new samples, which SVDD needs unless it is the same for all"
            raise ParameterError(explain("kernel", "precomputed", rule, "normalise the kernel, or give a kernel object"))
        return value - self._diagonal

    def score_samples(self, X: Any) -> np.ndarray:
        """Minus the squared distance from the centre."""
        return self.decision_function(X) + self.offset_

    def predict(self, X: Any) -> np.ndarray:
        """+1 inside, −1 outside."""
        return np.where(self.decision_function(X) >= 0, 1, -1)
