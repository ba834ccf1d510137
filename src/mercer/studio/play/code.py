"""The analysis that the page shows, as a Python program."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from mercer.kernels.base import REGISTRY
from mercer.kernels.functions import FUNCTIONS, MAKERS
from mercer.studio.play.learners import CLASSES, NONE
from mercer.studio.play.problem import Problem

_ROW = 6  # points on a line
_DIGITS = 3


def python_code(problem: Problem, request: dict[str, Any]) -> str:
    """A program that fits the learner with the kernel on the samples, and prints the proof."""
    text = str(request.get("kernel", "")).strip()
    learner = problem.learner
    options = {**problem.learner.checked(problem.options), **dict(learner.fixed)}
    arguments = "".join(f", {name}={value!r}" for name, value in options.items())
    arrays = _samples(problem, request)
    names = ", ".join(sorted({*_names(text), learner.name}))
    head = "" if problem.space == "samples" else "import numpy as np\n"
    fit = "model.fit(X)" if learner.task == NONE else "model.fit(X, y)"
    lines = [
        f"{head}from mercer import {names}",
        "",
        *arrays,
        "",
        f"kernel = {text}",
        "print(kernel.certificate())",
        "",
        f"model = {learner.name}(kernel=kernel{arguments})",
        fit,
        "print(model.report_)",
    ]
    if learner.task != NONE:
        word = "training accuracy" if learner.task == CLASSES else "training R²"
        lines.append(f'print(f"{word}: {{model.score(X, y):.3f}}")')
    return "\n".join(lines) + "\n"


def _names(text: str) -> list[str]:
    """The names of an expression that are imported."""
    known = {*REGISTRY, *FUNCTIONS, *MAKERS}
    nodes = ast.walk(ast.parse(text, mode="eval"))
    return [node.id for node in nodes if isinstance(node, ast.Name) and node.id in known]


def _samples(problem: Problem, request: dict[str, Any]) -> list[str]:
    if problem.space == "samples":
        name = str(request["data"]["set"])
        loading = "from mercer.studio.lessons.samples import collection"
        objects = [f"{key} = samples.objects[{key!r}]" for key in collection_objects(name)]
        return [
            loading,
            "",
            f"samples = collection({name!r})",
            "X, y = samples.X, samples.y",
            *objects,
        ]
    X = _listed("X", problem.X.round(_DIGITS))
    values: np.ndarray = problem.y.round(_DIGITS)
    if problem.learner.task == CLASSES:
        values = values.astype(int)
    return [*X, *_listed("y", values)]


def collection_objects(name: str) -> list[str]:
    """The names of objects, such as a graph, that belong to a collection."""
    from mercer.studio.lessons.samples import collection

    return list(collection(name).objects)


def _listed(name: str, values: np.ndarray) -> list[str]:
    rows = [repr(row) for row in values.tolist()]
    lines = [", ".join(rows[at : at + _ROW]) for at in range(0, len(rows), _ROW)]
    return [f"{name} = np.array([", *(f"    {line}," for line in lines), "])"]
