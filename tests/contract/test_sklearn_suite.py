"""scikit-learn's own tests with mercer's classes in place of its own: all pass but for those
that differ on purpose, which `contract.differences` lists with their reasons."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
import sklearn
from contract.differences import DIFFERENCES

import mercer

WRITTEN_FOR = (1, 9)  # the release whose tests the table was compared with

TESTS = Path(__file__).resolve().parents[1]
SOURCE = Path(mercer.__file__).resolve().parents[1]


def outcomes(module: str, folder: Path) -> tuple[set[str], set[str]]:
    """The names of the tests of a module that failed, and of those that passed."""
    record = folder / "record.xml"
    settings = folder / "pytest.ini"
    settings.write_text("[pytest]\n")  # neither this project's settings nor scikit-learn's
    path = os.pathsep.join([str(SOURCE), str(TESTS)])
    plugins = ["-p", "no:cacheprovider", "-p", "no:xdist", "-p", "contract.in_place"]
    options = ["-c", settings, "-q", "--tb=no", f"--junitxml={record}", "--pyargs", module]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *plugins, *options],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    assert done.returncode in (0, 1), done.stdout + done.stderr  # else nothing was run
    failed, passed = set(), set()
    for test in ElementTree.parse(record).iter("testcase"):
        ended = {part.tag for part in test}
        if ended & {"failure", "error"}:
            failed.add(test.get("name"))
        elif "skipped" not in ended:
            passed.add(test.get("name"))
    return failed, passed


def named(tests: set[str], row: str) -> set[str]:
    """The tests that a row of the table is about: one, or one with all of its parameters."""
    return {test for test in tests if test == row or test.startswith(row + "[")}


@pytest.mark.slow
@pytest.mark.parametrize("module", DIFFERENCES)
def test_only_the_listed_differences(module, tmp_path):
    if importlib.util.find_spec(f"sklearn.{module}") is None:
        pytest.skip(f"this scikit-learn comes without sklearn.{module}")
    release = tuple(int(part) for part in sklearn.__version__.split(".")[:2])
    if release < WRITTEN_FOR:
        pytest.skip(f"the table is for the tests of scikit-learn {WRITTEN_FOR}, not {release}")
    failed, passed = outcomes(f"sklearn.{module}", tmp_path)
    listed = DIFFERENCES[module]
    on_purpose = set().union(*(named(failed, row) for row in listed))
    assert not failed - on_purpose, "tests of scikit-learn that fail without a reason"
    alike = {row for row in listed if named(passed, row) and not named(failed, row)}
    assert not alike, "listed as different, but scikit-learn's test passes"
