"""Everything that the page shows of one kernel on one collection of samples, in one answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mercer.errors import MercerError
from mercer.studio.kernel.proofs import prove
from mercer.studio.play.draws import draws
from mercer.studio.play.problem import Problem
from mercer.studio.play.surfaces import surface
from mercer.studio.play.views import components, gram, neighbors, spectrum

View = Callable[[Problem, dict[str, Any]], dict[str, Any]]


def _proof(problem: Problem, request: dict[str, Any]) -> dict[str, Any]:
    X = problem.X if problem.count else None
    return {"proof": prove(problem.kernel, problem.dimension, X, problem.graph)}


_VIEWS: dict[str, View] = {
    "proof": _proof,
    "surface": surface,
    "gram": gram,
    "spectrum": spectrum,
    "components": components,
    "neighbors": neighbors,
    "draws": draws,
}
_NEED_SAMPLES = ("gram", "spectrum", "components", "neighbors")


def look(request: dict[str, Any]) -> dict[str, Any]:
    """The views that are wanted; one that fails has a reason in ``failed``, and others go on."""
    problem = Problem.of(request)
    wanted = [str(name) for name in request.get("want", list(_VIEWS))]
    answer: dict[str, Any] = {"block": problem.block, "text": repr(problem.kernel)}
    answer["wanted"] = wanted
    failed: dict[str, str] = {}
    for name in wanted:
        view = _VIEWS.get(name)
        if view is None or (problem.count == 0 and name in _NEED_SAMPLES):
            continue
        try:
            answer |= view(problem, request)
        except (MercerError, ValueError, np.linalg.LinAlgError, ArithmeticError) as error:
            failed[name] = " ".join(str(error).split())
    return {**answer, "failed": failed}
