"""A fitted learner over the plane or along a line, and the facts of its fit."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import is_classifier

from mercer.aliases import Estimator
from mercer.studio.play.problem import Problem

_LINE = 241  # points of a curve
_LARGEST_GRID = 160


def fitted(problem: Problem) -> tuple[Estimator, list[str]]:
    """The learner, fitted, and the warnings of the fit."""
    problem.check_learnable()
    model = problem.learner.make(problem.kernel, problem.options)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if problem.targets is None:
            model.fit(problem.X)
        else:
            model.fit(problem.X, problem.targets)
    return model, [str(each.message) for each in caught]


def surface(problem: Problem, request: dict[str, Any]) -> dict[str, Any]:
    """The answers of the fitted learner, its support vectors and the facts of the fit."""
    model, notes = fitted(problem)
    answer: dict[str, Any] = {"notes": notes[:3], "facts": _facts(problem, model)}
    support = support_of(model, problem.count)
    if support is not None:
        answer["support"] = support.astype(float)
    if hasattr(model, "labels_") and not is_classifier(model):
        answer["clusters"] = np.asarray(model.labels_, float)
    if problem.space == "samples":
        return answer
    window = request.get("window", [-3.0, 3.0, -3.0, 3.0])
    if problem.space == "curve":
        return answer | _curve(problem, model, window)
    side = min(int(request.get("grid", problem.learner.grid)), _LARGEST_GRID)
    return answer | _plane(model, window, side)


def plane_points(window: list[float], side: int) -> np.ndarray:
    """The points of a grid over a window, row by row from the bottom."""
    across = np.linspace(window[0], window[1], side)
    along = np.linspace(window[2], window[3], side)
    grid = np.meshgrid(across, along)
    return np.column_stack([grid[0].ravel(), grid[1].ravel()])


def _plane(model: Estimator, window: list[float], side: int) -> dict[str, Any]:
    kind, values = answers(model, plane_points(window, side))
    return {"surface": values.reshape(side, side), "surface_kind": kind}


def answers(model: Estimator, Z: np.ndarray) -> tuple[str, np.ndarray]:
    """What a model says at points: "margin", "side", "regions", "values" or "density"."""
    classes = getattr(model, "classes_", None)
    if hasattr(model, "score_samples") and not hasattr(model, "decision_function"):
        return "density", np.exp(np.asarray(model.score_samples(Z), float))
    if classes is not None and len(classes) == 2:
        return _two_classes(model, Z)
    if classes is not None:
        return "regions", np.asarray(classes)[np.searchsorted(classes, model.predict(Z))]
    if hasattr(model, "labels_"):
        return "regions", np.asarray(model.predict(Z), float)
    if hasattr(model, "decision_function"):
        return "side", np.asarray(model.decision_function(Z), float).ravel()
    return "values", np.asarray(model.predict(Z), float).ravel()


def _two_classes(model: Estimator, Z: np.ndarray) -> tuple[str, np.ndarray]:
    if hasattr(model, "decision_function"):
        kind = "margin" if hasattr(model, "support_vectors_") else "side"
        return kind, np.asarray(model.decision_function(Z), float).ravel()
    return "side", 2.0 * np.asarray(model.predict_proba(Z))[:, 1] - 1.0


def _curve(problem: Problem, model: Estimator, window: list[float]) -> dict[str, Any]:
    """The predicted curve, with a band of two standard deviations or the tube of ε."""
    line = np.linspace(window[0], window[1], _LINE)
    if problem.learner.name in ("GaussianProcessRegressor", "RVR"):
        mean, deviation = model.predict(line[:, None], return_std=True)
        return {"curve": np.vstack([line, mean, 2.0 * deviation]), "band": "± 2 std. deviations"}
    _, mean = answers(model, line[:, None])
    if problem.learner.name == "SVR":
        tube = np.full(_LINE, model.epsilon)
        return {"curve": np.vstack([line, mean, tube]), "band": "tube of half-width ε"}
    return {"curve": np.vstack([line, mean, np.zeros(_LINE)])}


def support_of(model: Estimator, count: int) -> np.ndarray | None:
    """Positions of the support or relevance vectors, if the model has them."""
    name = "support_" if hasattr(model, "support_vectors_") else "relevance_"
    positions = getattr(model, name, None)
    if positions is None or np.max(positions, initial=-1) >= count:
        return None
    return np.asarray(positions)


def _facts(problem: Problem, model: Estimator) -> list[list[str]]:
    facts = []
    support = support_of(model, problem.count)
    if support is not None:
        title = "relevance vectors" if hasattr(model, "relevance_") else "support vectors"
        facts.append([title, f"{len(support)} of {problem.count}"])
    if problem.targets is not None:
        predicted = np.asarray(model.predict(problem.X))
        if problem.learner.task == "classes":
            right = float(np.mean(predicted == problem.targets))
            facts.append(["training accuracy", f"{100 * right:.1f} %"])
        else:
            error = float(np.sqrt(np.mean((predicted - problem.y) ** 2)))
            facts.append(["training error (RMSE)", f"{error:.4g}"])
    report = getattr(model, "report_", None)
    if report is not None:
        if report.solver and not str(report.solver).startswith("optimizer"):
            facts.append(["solver", str(report.solver).partition(",")[0]])
        for name in ("iterations", "log_marginal_likelihood"):
            if name in report.facts:
                facts.append([name.replace("_", " "), f"{report.facts[name]:.6g}"])
    return facts
