"""The kernel and the estimator of CONTRIBUTING.md pass the contract when they are
added as it says.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
KERNEL, FORMULA, ESTIMATOR, REGISTRATION = re.findall(
    r"^```python\n(.*?)^```", (ROOT / "CONTRIBUTING.md").read_text("utf-8"), flags=re.M | re.S
)
# the two files that get one line, and what follows it there
ORACLE = ("tests/naive/__init__.py", "STRUCTURED: set")
REGISTRY = ("src/mercer/estimators/__init__.py", "def estimator(")


def insert(file: Path, line: str, before: str) -> None:
    text = file.read_text("utf-8")
    assert text.count(f"\n{before}") == 1
    file.write_text(text.replace(f"\n{before}", f"\n{line}\n\n{before}"), "utf-8")


@pytest.fixture
def copy(tmp_path) -> Path:
    """The library and its contract, with both additions; compiled functions are copied too."""
    folder = tmp_path / "mercer"
    shutil.copytree(ROOT / "src", folder / "src")
    for part in ("contract", "naive"):
        shutil.copytree(ROOT / "tests" / part, folder / "tests" / part)
    shutil.copy(ROOT / "tests" / "conftest.py", folder / "tests")
    shutil.copy(ROOT / "pyproject.toml", folder)
    (folder / "src/mercer/kernels/vectors/cauchy.py").write_text(KERNEL, "utf-8")
    (folder / "src/mercer/estimators/nearest_centroid.py").write_text(ESTIMATOR, "utf-8")
    insert(folder / ORACLE[0], FORMULA, ORACLE[1])
    insert(folder / REGISTRY[0], REGISTRATION, REGISTRY[1])
    return folder


def run_tests(folder: Path, *options: str) -> str:
    """What pytest prints in the copy: a line for each test."""
    command = [sys.executable, "-m", "pytest", "-vv", "-p", "no:cacheprovider", *options]
    environment = {**os.environ, "PYTHONPATH": str(folder / "src")}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-4000:]
    return done.stdout


def test_both_additions_pass_the_contract(copy):
    names = ("Cauchy", "KernelNearestCentroid")
    tests = ("tests/contract", "src/mercer/estimators/nearest_centroid.py")
    chosen = " or ".join((*names, "nearest_centroid", "test_the_oracle_knows"))
    printed = run_tests(copy, *tests, "-k", chosen)
    for name in names:
        assert printed.count(f"[{name}") >= 4
    assert "nearest_centroid.KernelNearestCentroid PASSED" in printed
