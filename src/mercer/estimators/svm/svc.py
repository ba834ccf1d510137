"""C-support vector classification."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

import numpy as np
from sklearn.utils._param_validation import StrOptions

from mercer.aliases import CentersLike, ClassWeight, Gamma, KernelLike, ParameterRules, RandomState
from mercer.errors import ParameterError
from mercer.estimators.svm.classifier import MarginClassifier
from mercer.estimators.svm.hulls import nearest_points
from mercer.estimators.svm.two_classes import EveryTwoClasses, TwoClasses
from mercer.gram.plan import FLOAT64, Plan
from mercer.solvers.margin.class_gaussians import ClassGaussians
from mercer.solvers.margin.dual import Bounds, DualSolution
from mercer.solvers.margin.one_vs_one import PairSolutions, solve_pairs
from mercer.solvers.margin.problem import MarginProblem


class SVC(MarginClassifier):
    """C-support vector classification: the soft-margin classifier in feature space.

    It minimizes C Σ w max(0, 1 − y (f(x) + b)) + ½ ‖f‖² for every two classes with labels y = ±1;
    with more than two classes they vote. Use it where few samples should carry the decision and
    labels matter more than probabilities. Names and defaults are scikit-learn's. Conditionally
    positive definite kernels are enough, because the coefficients sum to zero.

    Parameters
    ----------
    C : float, default=1.0
        The inverse strength of the penalty ½ ‖f‖²: the loss is multiplied by C. ``inf`` asks for
        the hard margin, and is an error where the kernel does not separate the classes.
    kernel : Kernel, str or callable, default="rbf"
        A mercer kernel, an expression such as ``"0.5 * RBF() + Linear()"``, a scikit-learn name, a
        function of two collections or of two samples, or "precomputed", where X is the Gram matrix.
    degree : int, default=3
        The degree of the kernel named "poly"; ignored by all others.
    gamma : {"scale", "auto", "sigest", "median"} or float, default="scale"
        The coefficient of the kernels named "rbf", "poly", "sigmoid", "laplacian" and "chi2":
        "scale" is 1 / (n_features · variance of X), "auto" is 1 / n_features, and "sigest" and
        "median" come from distances between samples. Kernel objects have their own parameters.
    coef0 : float, default=0.0
        The constant term of the kernels named "poly" and "sigmoid".
    shrinking : bool, default=True
        Accepted as in scikit-learn, without effect on the solver.
    probability : bool, default=False
        Whether `predict_proba` is available. Its one parameter is fitted to decisions on five
        held-out folds, which takes five more fits.
    tol : float, default=1e-3
        The gap in the Karush-Kuhn-Tucker conditions at which the dual problem is solved.
    cache_size : float, default=200
        Accepted as in scikit-learn, without effect: the setting ``memory_budget`` limits the
        memory.
    class_weight : dict or "balanced", default=None
        Weights by class label, which multiply C; "balanced" weighs classes inversely to their
        sizes.
    verbose : bool, default=False
        Whether the report of the fit is printed.
    max_iter : int, default=-1
        The largest number of steps of the solver; -1 for no limit.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        What `decision_function` returns for more than two classes: one column per class ("ovr"), or
        one per two classes ("ovo").
    break_ties : bool, default=False
        Whether `predict` separates classes of equal votes by their decision values, at the price of
        a longer prediction.
    random_state : int, RandomState instance or None, default=None
        Determines the folds on which probabilities are calibrated.
    repair : {"clip", "flip", "shift"} or None, default=None
        How the Gram matrix of an indefinite kernel is made positive semi-definite: negative
        eigenvalues are set to zero, replaced by their magnitudes, or the diagonal is raised. None
        refuses such kernels.
    centers : {"auto", "all"}, int or array-like, default="auto"
        The rows c that the function f(x) = Σ a_j k(x, c_j) + b is made of: "all" training rows, a
        number of rows drawn uniformly, or given rows. "auto" is "all" up to 500,000 rows, and then
        10 √n. On centers the problem is solved in the primal, with the loss of all rows, which
        ``report_`` names; ``support_`` and ``dual_coef_`` are then the positions of all centers and
        their coefficients in f.
        With more than two classes, there is a row of coefficients and a bias for each class against
        the rest.
    loss : {"hinge", "squared_hinge"}, default="hinge"
        The loss on centers: the hinge, whose kink is replaced by the parabola
        (1 − y f(x))² / 2 between 0 and 1, so that ``C`` means what it means with all rows; or the
        squared hinge C Σ w max(0, 1 − y f(x))². With all rows, only the hinge is available.
    warm_start : bool, default=False
        Whether a fit begins at the coefficients of the last one, where the samples of a problem are
        the same rows.

    Attributes
    ----------
    kernel_ : Kernel or None
        The fitted kernel; None where it is precomputed.
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    class_weight_ : ndarray of shape (n_classes,)
        The weight of each class.
    support_ : ndarray of shape (n_SV,)
        Positions of the support vectors among the training samples, class by class.
    support_vectors_ : array-like or collection of n_SV
        The support vectors; empty where the kernel is precomputed.
    n_support_ : ndarray of shape (n_classes,)
        Number of support vectors of each class.
    dual_coef_ : ndarray or CSR matrix of shape (n_classes - 1, n_SV)
        Coefficients of the support vectors, a row for each class beside their own; CSR where the
        samples are sparse.
    intercept_ : ndarray of shape (n_classes * (n_classes - 1) / 2,)
        The bias of every two classes.
    coef_ : ndarray or CSR matrix of shape (n_classes * (n_classes - 1) / 2, n_features)
        The weights of the features for every two classes, read-only; only for the linear kernel.
    probA_, probB_ : ndarray of shape (n_classes * (n_classes - 1) / 2,)
        The slope and the offset (0) of the logistic calibration; empty without ``probability``.
    n_iter_ : ndarray of shape (n_classes * (n_classes - 1) / 2,)
        Number of steps of the solver for every two classes.
    fit_status_ : int
        0 if the fit has converged, else 1 (with a warning).
    shape_fit_ : tuple of int
        The shape of the training samples.
    report_ : FitReport
        How the model was fitted: plan of the Gram matrix, solver, convergence, time.
    n_features_in_ : int
        Number of columns of the training samples, where they have columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where all of them are strings.

    See Also
    --------
    NuSVC : The same classifier with a bound on the share of margin errors.
    KernelLogisticRegression : Probabilities that are fitted, not calibrated afterwards.

    References
    ----------
    .. [1] C. Cortes and V. Vapnik, "Support-vector networks", Machine Learning 20 (1995) 273-297.
    .. [2] C.-C. Chang and C.-J. Lin, "LIBSVM: a library for support vector machines", ACM
           Transactions on Intelligent Systems and Technology 2 (2011) 27.

    Examples
    --------
    >>> from mercer import RBF, SVC
    >>> model = SVC(kernel=RBF(length_scale=0.5)).fit(
    ...     [[0.0], [1.0], [2.0], [3.0]], [0, 1, 1, 0]
    ... )
    >>> model.predict([[0.1], [1.4]]).tolist()
    [0, 1]
    """

    solves_together: ClassVar[bool] = True
    _parameter_constraints: ClassVar[ParameterRules] = {
        **MarginClassifier._parameter_constraints,
        "loss": [StrOptions({"hinge", "squared_hinge"})],
    }

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: KernelLike = "rbf",
        degree: int = 3,
        gamma: Gamma = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        probability: bool | str = False,
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
        centers: CentersLike = "auto",
        loss: str = "hinge",
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
        self.centers = centers
        self.loss = loss

    def _solve_pair(
        self, problem: MarginProblem, two: TwoClasses
    ) -> tuple[DualSolution, np.ndarray, float]:
        if np.isinf(self.C):
            return self._solve_hard_margin(problem, two)
        beta = np.zeros((1, len(two.sign)))
        sign = two.sign[None]
        limit = self.C * two.weight[None] * sign
        bounds = Bounds(np.minimum(limit, 0.0), np.maximum(limit, 0.0))
        solution = problem.solve(sign, bounds, beta, 0.0, self.max_iter)
        return solution, solution.beta[0], float(solution.levels[0])

    def _solve_hard_margin(
        self, problem: MarginProblem, two: TwoClasses
    ) -> tuple[DualSolution, np.ndarray, float]:
        """The limit of a growing C: the normal joins the nearest points of the two hulls."""
        room = np.full(len(two.sign), 2.0)  # beyond the sum 1: no bound is ever in the way
        nearest = nearest_points(problem, two.sign, room, 1.0, self.tol, self.max_iter)
        margin, solution = nearest.margin, nearest.solution
        if margin == 0.0:
            rule = "asks for a hard margin, but this kernel does not separate the classes"
            raise ParameterError("C", self.C, rule, "give a finite C, or another kernel")
        gap = solution.gap / margin
        objective = solution.objective / margin**2 - 2.0 / margin
        converged = solution.converged or gap <= self.tol
        scaled = dataclasses.replace(solution, gap=gap, objective=objective, converged=converged)
        return scaled, nearest.beta, nearest.intercept

    def _solve_together(
        self, matrix: np.ndarray, problems: EveryTwoClasses, classes: ClassGaussians | None = None
    ) -> PairSolutions:
        limit = self.C * problems.weight * problems.sign
        bounds = Bounds(np.minimum(limit, 0.0), np.maximum(limit, 0.0))
        plan = str(Plan("stored", FLOAT64, matrix.nbytes, "is shared by all problems"))
        if classes is not None:
            largest = int(np.diff(problems.starts).max())
            size = FLOAT64.itemsize * (largest**2 + classes.entries)
            plan = str(Plan("rows", FLOAT64, size, "few are needed"))
        if problems.count > 1:
            plan += ", shared by all classes" if classes is None else ", of every two classes"
        data = problems.rows, problems.starts, problems.sign
        found = solve_pairs(matrix, *data, bounds, self.tol, classes)
        problems.plan = plan
        problems.beta, problems.intercepts = found.beta, found.figures[:, 0].copy()
        problems.iterations = found.iterations.astype(np.int32)
        problems.solutions.append(found.together)
        return found
