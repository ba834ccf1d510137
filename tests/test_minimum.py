"""tests/minimum.txt, which `make test-min` installs, holds the lowest versions that pyproject.toml
declares.
"""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def requirements(extra: str | None, project: dict) -> list[str]:
    """The packages of an extra, with those of the extras it names; None is the project itself."""
    lines = project["dependencies"] if extra is None else project["optional-dependencies"][extra]
    own = [line for line in lines if not line.startswith("mercer[")]
    named = re.findall(r"mercer\[(.+?)\]", " ".join(lines))
    inner = [name for group in named for name in group.split(",")]
    return own + [line for name in inner for line in requirements(name, project)]


def declared() -> dict[str, str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    lines = requirements(None, project) + requirements("test", project)
    return dict(line.split(">=") for line in lines)


def installed_by_make() -> dict[str, str]:
    lines = (ROOT / "tests" / "minimum.txt").read_text("utf-8").splitlines()
    return dict(line.split("==") for line in lines if not line.startswith("#"))


def test_the_lowest_versions_are_those_declared():
    lowest = {name: release(text) for name, text in declared().items()}
    assert {name: release(text) for name, text in installed_by_make().items()} == lowest


def release(text: str) -> tuple[int, int]:
    """Major and minor number: 13 is 13.0, and 1.26.* any patch of 1.26."""
    major, minor = (*text.removesuffix(".*").split("."), "0")[:2]
    return int(major), int(minor)


def test_what_runs_is_not_older():
    for name, text in declared().items():
        assert release(version(name)) >= release(text), name
