"""ν-support vector classification."""

from __future__ import annotations

import dataclasses

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from mercer.aliases import ClassWeight, Gamma, KernelLike, RandomState
from mercer.errors import ParameterError, explain, warn
from mercer.estimators.svm.classifier import MarginClassifier
from mercer.estimators.svm.hulls import nearest_points
from mercer.estimators.svm.two_classes import TwoClasses
from mercer.solvers.margin.dual import DualSolution
from mercer.solvers.margin.problem import MarginProblem


class NuSVC(MarginClassifier):
    """ν-support vector classification: the soft margin by a share of errors.

    ν bounds the share of margin errors from above and that of support vectors from below. Use it in
    place of `SVC` where such a share is easier to choose than C. Names and defaults are
    scikit-learn's.

    Parameters
    ----------
    nu : float, default=0.5
        An upper bound on the share of margin errors and a lower bound on the share of support
        vectors, between 0 and 1.
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
    SVC : The same classifier with a penalty C.

    References
    ----------
    .. [1] B. Schölkopf, A. J. Smola, R. C. Williamson and P. L. Bartlett, "New support vector
           algorithms", Neural Computation 12 (2000) 1207-1245.
    .. [2] C.-C. Chang and C.-J. Lin, "LIBSVM: a library for support vector machines", ACM
           Transactions on Intelligent Systems and Technology 2 (2011) 27.

    Examples
    --------
    >>> from mercer import RBF, NuSVC
    >>> model = NuSVC(nu=0.5, kernel=RBF()).fit([[0.0], [1.0], [4.0], [5.0]], [0, 0, 1, 1])
    >>> model.predict([[0.5], [4.5]]).tolist()
    [0, 1]
    """

    def __init__(
        self,
        *,
        nu: float = 0.5,
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
        self, problem: MarginProblem, two: TwoClasses
    ) -> tuple[DualSolution, np.ndarray, float]:
        share = self._checked_share(two.sign, two.weight)
        nearest = nearest_points(problem, two.sign, two.weight, share, 1.0, self.max_iter)
        if nearest.margin == 0.0:
            rule = "is too small for these classes and this kernel: their margin comes out 0"
            remedy = "predictions are near chance: raise nu, or give another kernel"
            warn(explain("nu", self.nu, rule, remedy), ConvergenceWarning)
            # there is no scale to give to coefficients whose sum is 0 in feature space
            nearest = dataclasses.replace(nearest, margin=1.0)
        elif nearest.margin <= nearest.solution.gap:
            rule = (
                f"leaves a margin of {nearest.margin:.2g}, less than the accuracy of the solution"
            )
            remedy = "the scale of decision values is uncertain: raise nu, or lower tol"
            warn(explain("nu", self.nu, rule, remedy), ConvergenceWarning)
        return nearest.solution, nearest.beta, nearest.intercept

    def _checked_share(self, sign: np.ndarray, weight: np.ndarray) -> float:
        """The sum of coefficients that ν asks of each class."""
        total = weight.sum()
        lighter = min(weight[sign > 0].sum(), weight[sign < 0].sum())
        share = self.nu * total / 2
        if share > lighter * (1 + 1e-12):
            most = f"with these classes and weights it can be at most {2 * lighter / total:.4g}"
            rule = f"specified nu is infeasible: {most}"
            raise ParameterError("nu", self.nu, rule, "lower nu, or balance the classes")
        return float(share)
