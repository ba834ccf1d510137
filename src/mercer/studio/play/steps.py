"""Learning step by step: the iterations of a support vector machine, or of a Gaussian process."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import minimize

from mercer.errors import InputError
from mercer.estimators import estimator
from mercer.studio.play.problem import Problem
from mercer.studio.play.surfaces import answers, plane_points, support_of

_GRID, _LINE = 48, 161
_NUMBER = re.compile(r"\d+\.\d{4,}(e[-+]?\d+)?")
_MOST_STEPS = 24
_MACHINES = ("SVC", "NuSVC", "SVR", "OneClassSVM")
_PROCESSES = ("GaussianProcessRegressor", "GaussianProcessClassifier")
Likelihood = Callable[..., tuple[float, np.ndarray]]


def steps(problem: Problem, request: dict[str, Any]) -> dict[str, Any]:
    """Snapshots of the learner while it learns, from the first to the last."""
    problem.check_learnable()
    if problem.space == "samples":
        raise InputError("steps", "samples", "are shown for points only")
    window = request.get("window", [-3.0, 3.0, -3.0, 3.0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that few iterations are not enough is the point
        if problem.learner.name in _MACHINES:
            return _machine_steps(problem, window)
        if problem.learner.name in _PROCESSES:
            return _process_steps(problem, window)
    remedy = "choose a support vector machine or a Gaussian process"
    raise InputError("learner", problem.learner.name, "learns in one step", remedy)


def _machine_steps(problem: Problem, window: list[float]) -> dict[str, Any]:
    """Fits that end after 1, 2, 3, ... iterations of sequential minimal optimization.

    The last frame is the whole fit, in which the solver may do more than iterate.
    """
    full = problem.learner.make(problem.kernel, problem.options)
    _fit(full, problem)
    most = max(1, int(np.max(getattr(full, "n_iter_", 1))))
    counts = np.unique(np.geomspace(1, most, _MOST_STEPS).round().astype(int)).tolist()
    frames, pictures, supports = [], [], []
    for count in counts:
        model = full
        if count < most:
            model = problem.learner.make(problem.kernel, problem.options)
            _fit(model.set_params(max_iter=count), problem)
        pictures.append(_picture(problem, model, window))
        supports.append(_weights(model, problem.count))
        support = support_of(model, problem.count)
        text = f"{0 if support is None else len(support)} support vectors"
        frames.append({"title": f"iteration {count} of {most}", "text": text})
    kind = _kind(problem, full)
    arrays = {"frames": np.array(pictures), "weights": np.array(supports)}
    return {"steps": frames, "surface_kind": kind, **arrays}


def _process_steps(problem: Problem, window: list[float]) -> dict[str, Any]:
    """Kernels on the way to the largest marginal likelihood, and the fit with each."""
    cls = estimator(problem.learner.name)
    options = {key: value for key, value in problem.learner.fixed if key != "optimizer"}
    options |= problem.learner.checked(problem.options)
    start = cls(kernel=problem.kernel, optimizer=None, **options)
    _fit(start, problem)
    path = _ascend(start.log_marginal_likelihood, start.kernel_.theta)
    frames: list[dict[str, str]] = []
    pictures = []
    for theta in path:
        kernel = problem.kernel.copy()
        kernel.theta = theta
        model = cls(kernel=kernel, optimizer=None, **options)
        _fit(model, problem)
        pictures.append(_picture(problem, model, window))
        value = float(model.log_marginal_likelihood(theta))
        title = f"step {len(frames)} of {len(path) - 1}"
        text = f"log marginal likelihood {value:.4g}"
        frames.append({"title": title, "text": text, "kernel": _shortened(repr(kernel))})
    return {"steps": frames, "surface_kind": _kind(problem, start), "frames": np.array(pictures)}


def _ascend(likelihood: Likelihood, theta: np.ndarray) -> list[np.ndarray]:
    """Hyperparameters after each step of L-BFGS, in logarithms, the given ones first."""
    path = [np.array(theta)]

    def negative(values: np.ndarray) -> tuple[float, np.ndarray]:
        value, slope = likelihood(values, eval_gradient=True)
        return -float(value), -np.asarray(slope)

    bounds = [(-7.0, 7.0)] * len(path[0])
    if len(path[0]):
        options = {"maxiter": _MOST_STEPS - 1}
        keep = lambda values: path.append(np.array(values))  # noqa: E731
        minimize(
            negative,
            path[0],
            jac=True,
            method="L-BFGS-B",
            bounds=bounds,
            callback=keep,
            options=options,
        )
    return path


def _shortened(text: str) -> str:
    """An expression with four digits of each number, for the page."""
    return _NUMBER.sub(lambda match: f"{float(match[0]):.4g}", text)


def _fit(model: Any, problem: Problem) -> None:
    if problem.targets is None:
        model.fit(problem.X)
    else:
        model.fit(problem.X, problem.targets)


def _kind(problem: Problem, model: Any) -> str:
    return "curve" if problem.space == "curve" else answers(model, problem.X[:1])[0]


def _picture(problem: Problem, model: Any, window: list[float]) -> np.ndarray:
    """The answers over the plane, or mean and band along the line."""
    if problem.space == "plane":
        return answers(model, plane_points(window, _GRID))[1].reshape(_GRID, _GRID)
    line = np.linspace(window[0], window[1], _LINE)
    band = np.full(_LINE, float(getattr(model, "epsilon", 0.0)))
    if problem.learner.name == "GaussianProcessRegressor":
        mean, deviation = model.predict(line[:, None], return_std=True)
        return np.vstack([line, mean, 2.0 * deviation])
    return np.vstack([line, model.predict(line[:, None]), band])


def _weights(model: Any, count: int) -> np.ndarray:
    """The size of the dual coefficient of each sample, as a share of the largest."""
    weights = np.zeros(count)
    support = support_of(model, count)
    if support is not None and len(support):
        sizes = np.abs(np.atleast_2d(np.asarray(model.dual_coef_))).max(axis=0)
        weights[support] = sizes / (sizes.max() or 1.0)
    return weights
