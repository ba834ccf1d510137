"""Support vector machines on centers: the losses of all rows, for functions on some of them.

The dual problem of the hinge grows with the number of rows. Beyond some of them it is solved in the
primal, with parabolas instead of the kinks of the hinge and of the tube, so that ``C`` keeps its
meaning; or with the squared losses, as `LinearSVC` does by default.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from mercer.errors import ParameterError, explain, warn
from mercer.estimators.centers.changes import Repeated, Times
from mercer.estimators.centers.classes import accuracy
from mercer.estimators.centers.data import RowData
from mercer.estimators.centers.problem import CenterProblem, Fitted, Score, Task
from mercer.estimators.centers.scores import r_squared
from mercer.estimators.svm.probability import asked, steepness
from mercer.gram.blocks.base import Block
from mercer.solvers.nystrom.losses import (
    HuberizedHinge,
    HuberizedTube,
    SmoothHinge,
    SmoothLoss,
    SmoothQuantile,
    SquaredHinge,
    SquaredTube,
)

if TYPE_CHECKING:
    from mercer.estimators.svm.base import SupportVectorMachine
    from mercer.estimators.svm.classifier import MarginClassifier
    from mercer.estimators.svm.one_class import OneClassSVM
    from mercer.estimators.svm.svr import MarginRegressor

EXACT_STEPS = 2.4  # the dual problem computes so many matrices in all: exact to 500,000 rows
_CALIBRATING, _MOST = 0.2, 5000  # rows held out, to calibrate probabilities
_INSIDE = 0.1  # of the parabola's curvature: few rows lie at the kink
_FEW = 500  # rows of which the spread of densities is measured
_WIDTH = 1.0  # of the parabola at the kink of the hinge: that of the margin on one side
_TUBE = 0.25  # width of the parabolas at the kinks of the tube, in standard deviations
_SMOOTHED = 0.02  # width of the parabola at the kink of a quantile's loss, in standard deviations


def fit_classes(machine: MarginClassifier, data: RowData, start: float) -> None:
    """The hinge of every class against the rest; of two classes, one function."""
    n_classes = len(machine.classes_)
    held = None
    if asked(machine):
        held = max(1, min(_MOST, int(_CALIBRATING * data.count)))
    problem = CenterProblem(machine, data, held_out=held)
    n_outputs = 1 if n_classes == 2 else n_classes
    # labels change with the fourth digit of the function less than with other centers
    tol = machine.tol
    loss: SmoothLoss = HuberizedHinge(_WIDTH)
    if machine.loss == "squared_hinge":
        loss = SquaredHinge()
    fitted = _fit(machine, problem, loss, n_outputs, 1.0, accuracy, tol)
    labels = _labels_of_centers(problem, fitted)
    order = np.argsort(labels, kind="stable")
    machine._n_support = np.bincount(labels, minlength=n_classes).astype(np.int32)
    _keep(machine, data, fitted, order, start)
    weights, bias = fitted.solution.weights[order], fitted.solution.bias
    if n_classes == 2:
        machine._pairs = [(0, 1)]
        machine._pair_coef, machine._pair_intercept = -weights, -bias
    else:
        machine._pairs = list(itertools.combinations(range(n_classes), 2))
        first, second = np.array(machine._pairs).T
        machine._pair_coef = np.ascontiguousarray(weights[:, first] - weights[:, second])
        machine._pair_intercept = bias[first] - bias[second]
    machine.class_weight_ = np.asarray(data.class_factors)
    machine.__dict__.pop("_steepness", None)
    if asked(machine):
        assert problem.test is not None and problem.test.y is not None
        margins = machine._margins(problem.test.X)
        machine._steepness = steepness(margins, problem.test.y, np.ones(len(margins)))


def _labels_of_centers(problem: CenterProblem, fitted: Fitted) -> np.ndarray:
    """The classes of the centers; 0 for given ones, which have none."""
    assert problem.candidates is not None
    count = len(fitted.positions)
    if problem.candidates.y is None:
        return np.zeros(count, dtype=np.int64)
    return problem.candidates.y[:count]


def fit_tube(machine: MarginRegressor, data: RowData, start: float) -> None:
    """The distance of the target from a tube about the function."""
    problem = CenterProblem(machine, data)
    epsilon = float(vars(machine)["epsilon"])
    loss: SmoothLoss = HuberizedTube(epsilon, _TUBE * data.spread)
    if machine.loss == "squared_epsilon_insensitive":
        loss = SquaredTube(epsilon)
    fitted = _fit(machine, problem, loss, data.n_targets, data.spread, r_squared)
    machine._n_support = np.full(data.n_targets, len(fitted.positions), dtype=np.int32)
    _keep(machine, data, fitted, np.arange(len(fitted.positions)), start)


def fit_quantiles(
    machine: SupportVectorMachine, data: RowData, levels: np.ndarray, start: float
) -> None:
    """The loss of every quantile, with a parabola instead of its kink."""
    problem = CenterProblem(machine, data)
    problem.change(Repeated(len(levels)))
    loss = SmoothQuantile(tuple(levels.tolist()), _SMOOTHED * data.spread)
    fitted = _fit(machine, problem, loss, len(levels), data.spread, None)
    _keep(machine, data, fitted, np.arange(len(fitted.positions)), start)


def fit_half_space(machine: OneClassSVM, data: RowData, start: float) -> None:
    """The half-space of one class: ½‖f‖² + Σ w max(0, ρ − f) − ν Σw ρ, its kink smoothed.

    It is solved for f and ρ over ν Σw, which do not grow with the number of rows.
    """
    problem = CenterProblem(machine, data, held_out=0)
    total = float(machine.nu) * data.total_weight
    problem.change(Times(1.0 / total))
    assert problem.fresh is not None
    width = _density_width(data, problem.fresh)
    loss = SmoothHinge(width)
    task = Task(
        loss,
        np.ones(1),
        1,
        intercept=True,
        curvature=_INSIDE * loss.curvature,
        tol=min(1e-4, 0.1 * machine.tol),
        scale=width / _SMOOTHED,
        tilt=1.0,
    )
    _warn_of_loss(problem, loss)
    _refuse_repair(machine)
    fitted = problem.fit(task)
    _keep(machine, data, fitted, np.arange(len(fitted.positions)), start)
    machine._n_support = np.full(1, len(fitted.positions), dtype=np.int32)
    machine._dual_coef = total * machine._dual_coef
    # half of those in the smoothed part count as outside, so that a share of ν does in all
    machine.intercept_ = total * (machine.intercept_ + 0.5 * width)


def _density_width(data: RowData, rows: Block) -> float:
    """A small part of the spread of the rows' mean kernel values."""
    some = rows.take(np.arange(min(_FEW, len(rows))))
    weight = some.weights()
    means = np.average(data.kernel(some.X), axis=1, weights=weight)
    variance = np.average((means - np.average(means, weights=weight)) ** 2, weights=weight)
    return _SMOOTHED * (float(np.sqrt(variance)) or float(np.abs(means).max()) or 1.0)


def _fit(
    machine: SupportVectorMachine,
    problem: CenterProblem,
    loss: SmoothLoss,
    n_outputs: int,
    scale: float,
    score: Score | None,
    tol: float | None = None,
) -> Fitted:
    """Minimize C Σ w·loss + ½ ‖f‖², with a bias."""
    if tol is None:
        tol = min(1e-4, 0.1 * machine.tol)
    C = float(vars(machine)["C"])
    if np.isinf(C):
        raise ParameterError("C", C, "is for exact fits only", "set centers='all'")
    _refuse_repair(machine)
    _warn_of_loss(problem, loss)
    problem.change(Times(C))
    task = Task(
        loss, np.ones(1), n_outputs, intercept=True, curvature=loss.curvature, tol=tol, scale=scale
    )
    return problem.fit(task, score)


def _refuse_repair(machine: SupportVectorMachine) -> None:
    if machine.repair is not None:
        rule, remedy = "is for exact fits only", "set centers='all'"
        raise ParameterError("repair", machine.repair, rule, remedy)


def _warn_of_loss(problem: CenterProblem, loss: SmoothLoss) -> None:
    """Say that the problem is another one than the exact one, where that was not asked for."""
    if isinstance(problem.given, str):
        rule = f"rows are too many for the exact dual problem: {type(loss).__name__} loss instead"
        remedy = "set centers='all' to insist, or a number of centers to accept"
        warn(explain("X", f"{problem.count:,}", rule, remedy), UserWarning)


def _keep(
    machine: SupportVectorMachine, data: RowData, fitted: Fitted, order: np.ndarray, start: float
) -> None:
    """Set what all machines keep: the centers take the place of support vectors."""
    n_training = max(data.count, len(order))
    shape = getattr(fitted.samples, "shape", ())
    machine.shape_fit_ = (n_training, *shape[1:])
    machine.__dict__.pop("_duals", None)
    machine.kernel_ = data.kernel
    machine.support_ = fitted.positions[order].astype(np.int64)
    machine.support_vectors_ = fitted.block.take(order).X
    machine._dual_coef = np.ascontiguousarray(fitted.solution.weights[order].T)
    machine.intercept_ = fitted.solution.bias.copy()
    machine.n_iter_ = fitted.solution.iterations
    machine.fit_status_ = int(not fitted.solution.converged)
    fitted.facts["support"] = len(order)
    machine.report_ = fitted.report(data, start)
    if machine.verbose:
        print(machine.report_)
