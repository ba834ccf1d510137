"""Shared fixtures; the Hypothesis profile keeps runs the same everywhere."""

from __future__ import annotations

import os
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

from mercer.datasets import data_folder
from mercer.solvers.margin.plain import Patience

settings.register_profile("mercer", deadline=None, derandomize=True, max_examples=50)
settings.load_profile("mercer")

Patience.limit = 0.0  # results to the bit must not depend on what is compiled already


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
