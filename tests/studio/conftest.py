"""The studio's tests need its extra; those in a browser need Chromium and its driver, too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

pytest.importorskip("starlette", reason="the extra studio is not installed")
pytest.importorskip("httpx", reason="httpx is not installed")

from mercer.studio.actions import perform

Ask = Callable[..., dict[str, Any]]


@pytest.fixture
def ask() -> Ask:
    """Ask the actions of a worker in this process; an error fails the test."""

    def call(action: str, **request: Any) -> dict[str, Any]:
        answer = perform({"do": action, **request}, lambda progress: None)
        assert "error" not in answer, answer["error"]
        return answer

    return call


@pytest.fixture
def refused() -> Callable[..., str]:
    """The error with which an action refuses a request."""

    def call(action: str, **request: Any) -> str:
        answer = perform({"do": action, **request}, lambda progress: None)
        assert "bug" not in answer, answer
        return answer["error"]

    return call


@pytest.fixture
def plane() -> list[list[float]]:
    """Sixty points of two classes."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    return np.column_stack([X, X[:, 0] * X[:, 1] > 0]).tolist()
