"""Peak memory of fits on centers, in processes of their own: the budget is obeyed at every n."""

import json
import subprocess
import sys

import pytest

resource = pytest.importorskip("resource")
pytestmark = pytest.mark.slow

BUDGET = 300  # MB
CODE = """
import json, resource, sys
import numpy as np
import mercer
from mercer import RBF

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
model = getattr(mercer, name)(**options)
labels = "Classif" in name or name in ("SVC", "KernelDiscriminant", "KernelLogisticRegression")
target = (y > 0).astype(int) if labels else y
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
with mercer.config_context(memory_budget=f"{sys.argv[3]} MB"):
    model.fit(X, target)
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps([before / 1e3, after / 1e3]))
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
