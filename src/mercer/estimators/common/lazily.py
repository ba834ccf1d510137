"""Methods that answer a collection of Dask with another one, and rows of `scan` block by block."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from mercer.aliases import Estimator, RawSamples
from mercer.estimators.lazy import predict_lazily
from mercer.gram.blocks.base import Rows
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
            return np.concatenate([method(self, block.X) for block in X])
        return method(self, X, *args, **options)

    setattr(answer, _MARK, True)
    return answer
