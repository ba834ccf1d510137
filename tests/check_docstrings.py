"""Validate the docstrings of all public kernels and estimators: ``python
tests/check_docstrings.py``.

The names come from the two registries, the checks from ``[tool.numpydoc_validation]`` in
pyproject.toml.
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

from mercer.estimators import ESTIMATORS
from mercer.kernels import catalogue

ROOT = Path(__file__).resolve().parents[1]


def problems(name: str, checks: list[str]) -> list[str]:
    """What numpydoc finds in the docstring of ``mercer.<name>``, a line for each problem."""
    from numpydoc.validate import validate

    errors = validate(f"mercer.{name}")["errors"]
    return [f"mercer.{name}: {code} {words}" for code, words in errors if code in checks]


def main() -> int:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    checks = settings["tool"]["numpydoc_validation"]["checks"]
    lines = [line for name in (*catalogue(), *ESTIMATORS) for line in problems(name, checks)]
    print("\n".join(lines) or "The docstrings of all kernels and estimators are complete.")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
