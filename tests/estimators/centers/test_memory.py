"""Peak memory of fits that are linear in n, in processes of their own: the budget is obeyed."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="Linux says the peak memory"),
]

BUDGET = 300  # MB
CODE = """
import json, sys
import numpy as np
import mercer
from mercer import RBF

def peak():  # of this process alone, in MB: ru_maxrss begins with the peak of the parent
    with open("/proc/self/status") as file:
        return int(next(line for line in file if line.startswith("VmHWM")).split()[1]) / 1e3

name, n = sys.argv[1], int(sys.argv[2])
rng = np.random.default_rng(0)
X = rng.standard_normal((n, 20))
y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2]
k = RBF(4.0)
more = {
    "KernelPCA": {"n_components": 5},
    "KernelKMeans": {"n_clusters": 4, "max_iter": 5},
    "SpectralClustering": {"n_clusters": 4},
    "GaussianProcessRegressor": {"alpha": 0.1, "optimizer": None},
    "GaussianProcessClassifier": {"optimizer": None},
}
options = {"kernel": k, "centers": 300, "random_state": 0, **more.get(name, {})}
without_centers = {
    "KernelDensity": {},
    "KernelNeighborsClassifier": {"kernel": k},
    "KernelNeighborsRegressor": {"kernel": k},
    "Nystroem": {"kernel": k, "n_components": 100, "random_state": 0},
    "RBFSampler": {"random_state": 0},
    "PolynomialCountSketch": {"random_state": 0},
    "KernelMap": {"kernel": k},
}
options = without_centers.get(name, options)
model = getattr(mercer, name)(**options)
labels = "Classif" in name or name in ("SVC", "KernelDiscriminant", "KernelLogisticRegression")
target = (y > 0).astype(int) if labels else y
before = peak()
with mercer.config_context(memory_budget=f"{sys.argv[3]} MB"):
    model.fit(X, target)
print(json.dumps([before, peak()]))
"""
LEARNERS = [
    "KernelRidge",
    "KernelRidgeCV",
    "KernelRidgeClassifier",
    "KernelLogisticRegression",
    "KernelQuantileRegressor",
    "SVC",
    "SVR",
    "OneClassSVM",
    "KernelPCA",
    "KernelKMeans",
    "SpectralClustering",
    "KernelDiscriminant",
    "GaussianProcessRegressor",
    "GaussianProcessClassifier",
    "KernelDensity",
    "KernelNeighborsClassifier",
    "KernelNeighborsRegressor",
    "Nystroem",
    "RBFSampler",
    "PolynomialCountSketch",
    "KernelMap",
]
COMPILED = 60  # MB that imports and compiled functions take, beside the data


@pytest.mark.parametrize("n", [100_000, 1_000_000])
@pytest.mark.parametrize("name", LEARNERS)
def test_peak_memory_of_many_rows(name, n):
    command = [sys.executable, "-W", "ignore", "-c", CODE, name, str(n), str(BUDGET)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    before, after = json.loads(done.stdout.splitlines()[-1])
    assert after - before <= BUDGET + COMPILED
