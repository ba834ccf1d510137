"""Results do not hang on the processor: a quick part of the tests under the code
paths of others.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
# examples, and tests that compare digits, counts of iterations, or choices
QUICK = (
    "src/mercer",
    "tests/gram",
    "tests/linalg",
    "tests/solvers",
    "tests/test_accuracy.py",
    "tests/test_regressions.py",
    "tests/contract/test_every_estimator.py",
)


def numpy_features() -> tuple[list[str], list[str]]:
    """The sets of instructions that NumPy has loops for beyond the baseline, and those
    found here.
    """
    try:
        from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__
    except ImportError:  # NumPy 1
        from numpy.core._multiarray_umath import __cpu_dispatch__, __cpu_features__
    return __cpu_dispatch__, [name for name in __cpu_dispatch__ if __cpu_features__[name]]


def settings() -> dict[str, dict[str, str]]:
    """Environments in which libraries take the code paths of other processors."""
    _, present = numpy_features()
    others = {
        "Numba without vector instructions": {"NUMBA_CPU_NAME": "generic"},
        "NumPy without vector instructions": {"NPY_DISABLE_CPU_FEATURES": " ".join(present)},
    }
    if platform.machine() in ("x86_64", "AMD64"):
        others["OpenBLAS for Nehalem"] = {"OPENBLAS_CORETYPE": "Nehalem"}
        if any(name.startswith(("AVX512", "X86_V4")) for name in present):
            others["OpenBLAS for SkylakeX"] = {"OPENBLAS_CORETYPE": "SkylakeX"}
    return others


@pytest.mark.slow
@pytest.mark.parametrize("processor", settings())
def test_a_quick_part_of_the_tests_elsewhere(processor, tmp_path):
    # compiled functions of another processor do not belong in the cache beside the source
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), **settings()[processor]}
    environment.pop("MERCER_TEST_ALL", None)
    command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider", *QUICK]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-4000:]


def test_numpy_takes_other_loops_when_told():
    """The setting has an effect: names that NumPy does not know would be ignored."""
    _, present = numpy_features()
    if not present:
        pytest.skip("NumPy has one code path on this processor")
    question = "import test_processors; print(test_processors.numpy_features()[1])"
    environment = {**os.environ, "NPY_DISABLE_CPU_FEATURES": " ".join(present)}
    environment["PYTHONPATH"] = str(ROOT / "tests")
    done = subprocess.run(
        [sys.executable, "-c", question], env=environment, capture_output=True, text=True
    )
    assert done.stdout == "[]\n", done.stderr
