"""Ensembles of given members: averaged ridge regressions, and logistic regression of a sum."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np
from scipy import linalg
from scipy.special import softmax
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone

from mercer.automatic.tabular.kernels import gram
from mercer.automatic.tabular.members import Member
from mercer.automatic.tabular.targets import AS_IT_IS, IDENTITY, TargetMap
from mercer.domains.base import Batch
from mercer.execution.blas import serial_blas
from mercer.gram.fill import dense
from mercer.gram.plan import FLOAT32, plan_matrix
from mercer.gram.plan import WHOLE as WHOLE_MATRIX
from mercer.gram.stored import Stored
from mercer.kernels.base import Kernel
from mercer.solvers.newton import Binary, newton
from mercer.solvers.ridge.single import single_precision_ridge
from mercer.solvers.ridge.triangle import Triangle
from mercer.solvers.softmax import softmax_regression, whiten
from mercer.state import State, storable

WHOLE = 4000  # rows up to which a matrix is factored
_TOL = 1e-4  # of the gradient of a log-loss
_SINGLE = 3e-3  # penalties from which a factor in single precision is refined
_MANY = 1000  # training rows from which predictions may be in single precision
_UNSEEN = 1e-4  # rounding errors of predictions, in standard deviations of the target
_REFINEMENTS = 4  # solutions with such a factor, each of what the last one left
_BLOCK = 2**22  # values of a matrix between new rows and training rows that are held at a time


def scores_of(kind: str, Z: np.ndarray, n_scores: int) -> np.ndarray:
    """The scores of one kind, of those of all kinds side by side."""
    first = 0 if kind == "squash" else Z.shape[1] - n_scores
    return np.ascontiguousarray(Z[:, first : first + n_scores])


class _Members(BaseEstimator):
    """Members whose kernels read their own kind of scores, side by side in one array."""

    stored: ClassVar[State] = State(finite=("Z_", "dual_coef_"))

    members: list[Member]
    n_scores: int

    def _part(self, Z: np.ndarray, scores: str) -> np.ndarray:
        return scores_of(scores, Z, self.n_scores)

    def _blocks(self, Z: np.ndarray) -> list[np.ndarray]:
        Z = np.asarray(Z, dtype=float)
        step = -(-_BLOCK // len(self.Z_))
        return [Z[first : first + step] for first in range(0, len(Z), step)]


@storable
class RidgeMembers(RegressorMixin, _Members):
    """The weighted average of one kernel ridge regression for each member.

    They learn the target as its map says, and predict it in its own units.
    """

    def __init__(self, members: list[Member], n_scores: int, target: TargetMap | None = None):
        self.members = members
        self.n_scores = n_scores
        self.target = target

    def fit(self, Z: np.ndarray, y: np.ndarray, sample_weight: np.ndarray | None = None) -> Self:
        """Solve the equations of every member on all rows."""
        self.Z_ = np.asarray(Z, dtype=float)
        self.n_features_in_ = self.Z_.shape[1]
        targets = self._map(np.asarray(y, dtype=float).reshape(len(self.Z_), -1))
        solve = _factored_dual if len(targets) <= WHOLE else _iterated_dual
        duals = []
        with serial_blas():
            for member in self.members:
                dual = solve(member, self._part(self.Z_, member.scores), targets, sample_weight)
                duals.append(member.weight * dual)
        self.dual_coef_ = np.array(duals)
        return self

    def predict(self, Z: np.ndarray) -> np.ndarray:
        """The average prediction of every row."""
        Z = np.asarray(Z, dtype=float)
        terms = zip(self.members, self.dual_coef_, strict=True)
        total = np.sum([self._term(Z, member, dual) for member, dual in terms], axis=0)
        predicted = self._map.mapped_back(total)
        return predicted[:, 0] if predicted.shape[1] == 1 else predicted

    def _term(self, Z: np.ndarray, member: Member, dual: np.ndarray) -> np.ndarray:
        """What a member adds to the predictions, in single precision where that is exact enough.

        Models of few rows are quick enough in double precision.
        """
        kernel, own = member.kernel, self._part(self.Z_, member.scores)
        tiles = None
        if len(own) >= _MANY:
            tiles = kernel.single_tiles(kernel.prepare(Batch(own)))
        if tiles is None or np.linalg.norm(dual, axis=0).max() * tiles.error > _UNSEEN:
            blocks = [self._part(block, member.scores) for block in self._blocks(Z)]
            return np.concatenate([gram(kernel, block, own) @ dual for block in blocks])
        rows = kernel.prepare(Batch(self._part(Z, member.scores)))
        return tiles.times(rows, dual)

    @property
    def _map(self) -> TargetMap:
        return self.target or AS_IT_IS

    @property
    def learns_target_itself(self) -> bool:
        """Whether predictions are sums of kernels: no root or logarithm is learned."""
        return self._map.kind == IDENTITY


def _factored_dual(
    member: Member, Z: np.ndarray, Y: np.ndarray, weight: np.ndarray | None
) -> np.ndarray:
    """The coefficients of one ridge regression, by Cholesky.

    With a penalty that is not tiny, a factor in single precision and refined solutions are enough.
    """
    K = gram(member.kernel, Z)
    K[np.diag_indices(len(K))] += member.penalty if weight is None else member.penalty / weight
    if member.penalty < _SINGLE:
        factor = linalg.cho_factor(K.T, overwrite_a=True, check_finite=False)
        return linalg.cho_solve(factor, Y, check_finite=False)
    factor = linalg.cho_factor(K.T.astype(np.float32), overwrite_a=True, check_finite=False)
    dual = np.zeros_like(Y)
    for _ in range(_REFINEMENTS):
        dual += linalg.cho_solve(factor, (Y - K @ dual).astype(np.float32), check_finite=False)
    return dual


def _iterated_dual(
    member: Member, Z: np.ndarray, Y: np.ndarray, weight: np.ndarray | None
) -> np.ndarray:
    """The coefficients of one ridge regression, by conjugate gradients in single precision."""
    rows = member.kernel.prepare(Batch(Z))
    tiles = member.kernel.single_tiles(rows)
    if tiles is None:
        K = Triangle.copy(dense(member.kernel, rows, rows, FLOAT32))
    else:
        K = Triangle.of(tiles, rows)
    return single_precision_ridge(K, Y, member.penalty, weight).x


@storable
class LogisticMembers(ClassifierMixin, _Members):
    """Logistic regression with the weighted sum of the members' kernels, and a constant."""

    stored: ClassVar[State] = State(plain=("classes_",))

    def __init__(self, members: list[Member], n_scores: int, penalty: float) -> None:
        self.members = members
        self.n_scores = n_scores
        self.penalty = penalty

    def fit(self, Z: np.ndarray, y: np.ndarray, sample_weight: np.ndarray | None = None) -> Self:
        """Fit the probabilities of the classes on all rows."""
        self.Z_ = np.asarray(Z, dtype=float)
        self.n_features_in_ = self.Z_.shape[1]
        self.classes_ = np.unique(y)
        K = self.summed_gram(self.Z_)
        self.dual_coef_ = fit_dual(K, np.asarray(y), sample_weight, self.penalty)
        return self

    def summed_gram(self, Z: np.ndarray) -> np.ndarray:
        """The matrix of the summed kernel between rows and training rows."""
        weights: dict[tuple[str, Kernel], float] = {}
        for member in self.members:
            key = (member.scores, member.kernel)
            weights[key] = weights.get(key, 0.0) + member.weight
        total = np.ones((len(Z), len(self.Z_)))
        for (scores, kernel), weight in weights.items():
            values = gram(kernel, self._part(Z, scores), self._part(self.Z_, scores))
            values *= weight
            total += values
        return total

    def predict_proba(self, Z: np.ndarray) -> np.ndarray:
        """Class probabilities, in the order of ``classes_``."""
        blocks = [self.summed_gram(block) @ self.dual_coef_ for block in self._blocks(Z)]
        return class_probabilities(np.concatenate(blocks))

    def predict(self, Z: np.ndarray) -> np.ndarray:
        """The most probable class of every row."""
        return self.classes_[np.argmax(self.predict_proba(Z), axis=1)]


@storable
class LogisticMixture(ClassifierMixin, BaseEstimator):
    """The weighted mean of the probabilities of several logistic regressions."""

    stored: ClassVar[State] = State(plain=("models_", "classes_"))

    def __init__(self, models: list[LogisticMembers], shares: list[float]) -> None:
        self.models = models
        self.shares = shares

    def fit(self, Z: np.ndarray, y: np.ndarray, sample_weight: np.ndarray | None = None) -> Self:
        """Fit each of the models on all rows."""
        self.models_ = [clone(model).fit(Z, y, sample_weight) for model in self.models]
        self.classes_ = np.unique(y)
        self.n_features_in_ = Z.shape[1]
        return self

    def predict_proba(self, Z: np.ndarray) -> np.ndarray:
        """Class probabilities, in the order of ``classes_``."""
        parts = zip(self.shares, self.models_, strict=True)
        return np.sum([share * model.predict_proba(Z) for share, model in parts], axis=0)

    def predict(self, Z: np.ndarray) -> np.ndarray:
        """The most probable class of every row."""
        return self.classes_[np.argmax(self.predict_proba(Z), axis=1)]


def class_probabilities(F: np.ndarray) -> np.ndarray:
    """Probabilities of two classes from one column of log-odds, or of one class for each column."""
    if F.shape[1] == 1:
        F = np.hstack([np.zeros_like(F), F])
    return softmax(F, axis=1)


def fit_dual(K: np.ndarray, y: np.ndarray, weight: np.ndarray | None, penalty: float) -> np.ndarray:
    """Coefficients of logistic regression with a Gram matrix that holds a constant."""
    classes = np.unique(y)
    if len(classes) == 1:
        return np.zeros((len(y), 1))
    if len(classes) == 2:
        return binary_dual(K, y == classes[1], weight, penalty, _TOL)
    indicators = (y[:, None] == classes).astype(float)
    counted = np.ones(len(y)) if weight is None else weight
    return softmax_regression(whiten(K), indicators, counted, penalty).dual


def binary_dual(
    K: np.ndarray,
    positive: np.ndarray,
    weight: np.ndarray | None,
    penalty: float,
    tol: float,
    start: np.ndarray | None = None,
) -> np.ndarray:
    """Coefficients of logistic regression of two classes without a bias, an array (n, 1)."""
    matrix = Stored(K, plan_matrix(len(K), WHOLE_MATRIX, given=True))
    counted = np.ones(len(K)) if weight is None else weight
    warm = None if start is None else (start, np.zeros(1))
    loss = Binary(positive, counted / penalty)
    return newton(matrix, loss, intercept=False, tol=tol, start=warm).dual
