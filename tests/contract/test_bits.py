"""Bits do not depend on the threads of OpenMP and BLAS, but for the learners that docs/scaling.md
names.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from mercer.estimators import ESTIMATORS

FOLDER = Path(__file__).parent
DOCUMENTED = {
    "KernelRidge",
    "KernelRidgeCV",
    "KernelRidgeClassifier",
    "KernelLogisticRegression",
    "GaussianProcessRegressor",
    "GaussianProcessClassifier",
    "KernelDiscriminant",
    "KernelCCA",
    "SpectralClustering",
    "KernelSearch",
    "LocalModels",
    "MultipleKernelClassifier",
    "MultipleKernelRegressor",
    "ConformalClassifier",
    "ConformalRegressor",
    "MercerMap",
}
FEW = {"RVC", "RVR", "KernelICA"}  # slow with many samples
PROGRAM = """
import hashlib, json, sys, threading, warnings
import numpy as np
import cases

warnings.simplefilter("ignore")
found = {}


def fit(names):
    for name in names:
        model = cases.fitted(name, n=260 if name in few else 420)
        digest = hashlib.sha256()
        for method in cases.methods(model):
            values = getattr(model, method)(cases.samples(name, 60, seed=1))
            digest.update(np.ascontiguousarray(values).tobytes())
        found[name] = digest.hexdigest()


names, few, side_by_side = json.loads(sys.argv[1])
parts = [names[0::2], names[1::2]] if side_by_side else [names]
threads = [threading.Thread(target=fit, args=(part,)) for part in parts]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(json.dumps(found))
"""


def digests(threads: int, side_by_side: bool) -> dict[str, str]:
    """What every learner predicts, in a process with so many threads."""
    names = sorted(ESTIMATORS.keys() - DOCUMENTED)
    limits = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), str(threads))
    path = os.pathsep.join([str(FOLDER), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps([names, sorted(FEW), side_by_side])],
        env={**os.environ, **limits, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=1200,
        check=True,
    )
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.slow
def test_bits_do_not_depend_on_threads_of_linear_algebra():
    alone = digests(1, side_by_side=False)
    assert len(alone) == len(ESTIMATORS) - len(DOCUMENTED)
    for threads in (2, 8):
        assert digests(threads, side_by_side=False) == alone
    assert digests(2, side_by_side=True) == alone


def test_the_documentation_names_the_exceptions():
    text = (FOLDER.parents[1] / "docs" / "scaling.md").read_text(encoding="utf-8")
    paragraph = text[
        text.index("The threads of BLAS") : text.index("The others have the same bits")
    ]
    assert {word.strip("`,.") for word in paragraph.split() if "`Kernel" in word} <= DOCUMENTED
    assert all(f"`{name}`" in paragraph for name in DOCUMENTED)
