"""Methods that answer a collection of Dask with another one, and rows of `scan` block by block."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from mercer.aliases import Estimator, RawSamples, Targets
from mercer.errors import ABSENT, InputError
from mercer.estimators.lazy import predict_lazily
from mercer.gram.blocks.base import Rows, stacked
from mercer.gram.blocks.lazy import is_dask
from mercer.params import NearestNames

_METHODS = (
    "predict",
    "predict_proba",
    "predict_log_proba",
    "decision_function",
    "score_samples",
    "transform",
)
_MARK = "_answers_dask"


def answer_lazily(cls: type) -> None:
    """Let the methods that a class defines for new samples take collections of Dask.

    Methods that are there under a condition only are changed inside of their descriptor.
    """
    for name in _METHODS:
        method: Any = vars(cls).get(name)
        if callable(method) and not hasattr(method, _MARK):
            setattr(cls, name, _lazy(method, name))
        elif callable(getattr(method, "fn", None)) and not hasattr(method.fn, _MARK):
            method.fn = _lazy(method.fn, name)
    score: Any = getattr(cls, "score", None)
    if callable(score) and not hasattr(score, _MARK) and _needs_targets(score):
        cls.score = _of_rows(score)  # type: ignore[attr-defined]


class AnswersDask(NearestNames):
    """A class whose methods for new samples answer collections of Dask lazily."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        answer_lazily(cls)


def _lazy(method: Callable[..., Any], name: str) -> Callable[..., Any]:
    @functools.wraps(method)
    def answer(self: Estimator, X: RawSamples, *args: Any, **options: Any) -> Any:
        if args or options:
            return method(self, X, *args, **options)
        if is_dask(X):
            return predict_lazily(self, X, name)
        if isinstance(X, Rows):
            return stacked([method(self, block.X) for block in X])
        return method(self, X, *args, **options)

    setattr(answer, _MARK, True)
    return answer


def _needs_targets(score: Callable[..., float]) -> bool:
    targets = inspect.signature(score).parameters.get("y")
    return targets is not None and targets.default is inspect.Parameter.empty


def _of_rows(score: Callable[..., float]) -> Callable[..., float]:
    """A score that takes rows of `scan` with their own targets and weights too."""

    @functools.wraps(score)
    def answer(
        self: Estimator, X: RawSamples, y: Targets = ABSENT, *args: Any, **options: Any
    ) -> float:
        given = () if y is ABSENT else (y,)  # without it, the score itself says that it is missing
        if not isinstance(X, Rows) or (y is not ABSENT and y is not None):
            return score(self, X, *given, *args, **options)
        blocks = [(block.y, block.weight) for block in X]
        if not blocks or any(targets is None for targets, _ in blocks):
            rule = "have no targets to be compared with"
            raise InputError("X", "rows of scan", rule, "give scan the target, or score the y")
        if blocks[0][1] is not None and not args:
            options.setdefault("sample_weight", np.concatenate([weight for _, weight in blocks]))
        return score(self, X, np.concatenate([targets for targets, _ in blocks]), *args, **options)

    setattr(answer, _MARK, True)
    return answer
