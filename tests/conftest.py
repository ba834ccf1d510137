"""Shared fixtures; the Hypothesis profile keeps runs the same everywhere."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import settings

from mercer.datasets import data_folder
from mercer.kernels.base import REGISTRY
from mercer.kernels.expression import CUSTOM
from mercer.kernels.functions import FUNCTIONS, MAKERS
from mercer.solvers.margin.plain import Patience

settings.register_profile("mercer", deadline=None, derandomize=True, max_examples=50)
settings.load_profile("mercer")

Patience.limit = 0.0  # results to the bit must not depend on what is compiled already


@pytest.fixture(autouse=True)
def _names_of_one_test() -> Iterator[None]:
    """Unregister the kernels and functions that a test has registered: others may use the names."""
    spaces: list[dict[str, Any]] = [REGISTRY, CUSTOM, FUNCTIONS, MAKERS]
    before = [dict(space) for space in spaces]
    yield
    for space, known in zip(spaces, before, strict=True):
        for name, entry in list(space.items()):
            if name in known:
                space[name] = known[name]
            elif not _is_own(entry):  # modules of the library may be imported by a test
                del space[name]


def _is_own(entry: Any) -> bool:
    """Whether it is the library itself that has registered a kernel or a function."""
    made = getattr(entry, "python_function", getattr(entry, "function", entry))
    return str(getattr(made, "__module__", "")).startswith("mercer.")


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


_CHANGING = re.compile(
    r"0x[0-9a-f]{6}|\\x1f\\x8b"
)  # an address in memory; a packed file, which holds the time


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if _CHANGING.search(item.nodeid):
            raise pytest.UsageError(
                f"{item.nodeid}: the name differs between workers; give the parameters ids"
            )
    if os.environ.get("MERCER_TEST_ALL"):
        return
    for item in items:
        if "slow" in item.keywords:
            item.add_marker(pytest.mark.skip(reason="a long test: make test-all runs it"))


@pytest.fixture
def shared_data() -> Path:
    """Real data sets, where ``MERCER_DATA`` says or beside the project."""
    folder = data_folder()
    if folder is None:
        pytest.skip("the real data sets are not here")
    return folder
