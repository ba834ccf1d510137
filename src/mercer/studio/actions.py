"""What a page may ask of its worker, by name."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from mercer.config import set_config
from mercer.errors import MercerError
from mercer.studio.data import columns, fits, predictions
from mercer.studio.kernel.catalogue import catalogue
from mercer.studio.lessons import chapters, presets
from mercer.studio.play import learners
from mercer.studio.play.code import python_code
from mercer.studio.play.comparison import compare
from mercer.studio.play.look import look
from mercer.studio.play.problem import Problem
from mercer.studio.play.steps import steps

Request = dict[str, Any]
Tell = Callable[[Request], None]


def _hello(request: Request, tell: Tell) -> Request:
    return {
        "kernels": catalogue(),
        "learners": learners.listed(),
        "presets": presets.listed(),
        "chapters": list(chapters.chapters()),
    }


def _look(request: Request, tell: Tell) -> Request:
    return look(request)


def _samples(request: Request, tell: Tell) -> Request:
    seed = int(request.get("seed", 0))
    return presets.samples(str(request.get("space")), str(request.get("name")), seed)


def _steps(request: Request, tell: Tell) -> Request:
    return steps(Problem.of(request), request)


def _compare(request: Request, tell: Tell) -> Request:
    return compare(Problem.of(request), Problem.of({**request, "kernel": request.get("other", "")}))


def _code(request: Request, tell: Tell) -> Request:
    return {"code": python_code(Problem.of(request), request)}


def _chapter(request: Request, tell: Tell) -> Request:
    return {"text": chapters.chapter(str(request.get("name")))}


_ACTIONS: dict[str, Callable[[Request, Tell], Request]] = {
    "hello": _hello,
    "look": _look,
    "samples": _samples,
    "steps": _steps,
    "compare": _compare,
    "code": _code,
    "chapter": _chapter,
    "columns": columns.describe,
    "points": columns.as_points,
    "fit": fits.fit,
    "form": predictions.form,
    "predict": predictions.predict,
}
NAMES = frozenset(_ACTIONS)


def perform(request: Request, tell: Tell) -> Request:
    """The answer to a request; an error is an answer, too."""
    action = _ACTIONS.get(str(request.get("do")))
    if action is None:
        return {"error": f"there is no action {request.get('do')!r}"}
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return action(request, tell)
    except (MercerError, ValueError, OSError) as error:
        return {"error": " ".join(str(error).split())}
    except MemoryError:
        return {"error": "there is not enough memory for this; use fewer samples"}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {' '.join(str(error).split())}", "bug": True}


def warm_up() -> None:
    """Load what the first picture needs, so that it comes at once."""
    set_config(threads=1, progress=False)
    request = {
        "do": "look",
        "kernel": "RBF()",
        "data": {"points": [[0.0, 0.0, 0.0], [1.0, 1.0, 1.0], [0.0, 1.0, 1.0]]},
    }
    perform(request, lambda progress: None)
