"""Fit two tables, write their reports, prove one kernel and refute another: ``make demo``."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

from mercer.datasets import shipped

FOLDER = Path("demo")


def mercer(*arguments: str) -> int:
    """Print a command and run it."""
    print(f"\n$ mercer {shlex.join(arguments)}\n", flush=True)
    return subprocess.run([sys.executable, "-m", "mercer", *arguments]).returncode


FOLDER.mkdir(exist_ok=True)
failed = 0
for name, file in shipped().items():
    model, report = str(FOLDER / f"{name}.mercer"), str(FOLDER / f"{name}.html")
    failed |= mercer("fit", str(file), "--target", "Class", "--model", model, "--report", report)
failed |= mercer("check", "0.5 * RBF(length_scale=2.0) + Polynomial(degree=3) * Linear()")
failed |= mercer("check", "Sigmoid()") != 1  # the exit code of a refuted kernel
print("\nOpen these reports in a browser:")
for name in shipped():
    print(f"  {(FOLDER / f'{name}.html').resolve()}")
sys.exit(int(bool(failed)))
