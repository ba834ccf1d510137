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
from pathlib import Path
import numpy as np
import mercer
from mercer import RBF

def megabytes(what):  # of this process alone: ru_maxrss begins with the peak of the parent
    with open("/proc/self/status") as file:
        return int(next(line for line in file if line.startswith(what)).split()[1]) / 1e3

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
    "LinearSVC": {},
    "LinearSVR": {"max_iter": 20},
    "CentroidNovelty": {"kernel": k},
    "KernelCCA": {"kernel": k},
    "KernelICA": {"random_state": 0},
    "LabelPropagation": {"gamma": 0.05, "max_iter": 1},
    "LabelSpreading": {"gamma": 0.05, "max_iter": 1},
    "LocalModels": {"estimator": mercer.KernelRidge(kernel=k)},
    "MercerMap": {"kernel": k},
    "MultipleKernelClassifier": {"kernels": [k, RBF(2.0)]},
    "MultipleKernelRegressor": {"kernels": [k, RBF(2.0)]},
    "NuSVC": {"kernel": k, "max_iter": 2000},
    "NuSVR": {"kernel": k, "max_iter": 2000},
    "RVC": {"kernel": k, "max_iter": 1},
    "RVR": {"kernel": k, "max_iter": 1},
    "SVDD": {"kernel": k, "max_iter": 2000},
}
options = without_centers.get(name, options)
model = getattr(mercer, name)(**options)
with_labels = "KernelDiscriminant", "KernelLogisticRegression", "RVC"
labels = any(word in name for word in ("Classif", "SVC", "Label")) or name in with_labels
target = (y > 0).astype(int) if labels else y
if name.startswith("Label"):
    target[300:] = -1
if name == "KernelCCA":
    target = np.hstack([y[:, None], X[:, 1:3]])
if name not in ("KernelICA", "MercerMap"):
    model.fit(X[:600], target[:600])  # imports and compiled functions, which no budget counts
Path("/proc/self/clear_refs").write_text("5")  # the peak starts anew from what is held now
before, refused = megabytes("VmRSS"), ""
with mercer.config_context(memory_budget=f"{sys.argv[3]} MB"):
    try:
        model.fit(X, target)
    except mercer.errors.MemoryBudgetError as error:
        refused = str(error)
print(json.dumps([before, megabytes("VmHWM"), refused]))
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
    "LinearSVC",
]
REFUSED = ["KernelCCA", "KernelICA", "MercerMap", "MultipleKernelClassifier"]
REFUSED += ["MultipleKernelRegressor"]
QUADRATIC = ["CentroidNovelty", "LabelPropagation", "LabelSpreading", "LocalModels", "NuSVC"]
QUADRATIC += ["NuSVR", "RVC", "RVR", "SVDD"]
COMPILED = 60  # MB that imports and compiled functions take, beside the data


def peak_above(name: str, n: int) -> tuple[float, str]:
    """The peak in MB above the data and what was compiled, and why the fit was refused."""
    command = [sys.executable, "-W", "ignore", "-c", CODE, name, str(n), str(BUDGET)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    before, after, refused = json.loads(done.stdout.splitlines()[-1])
    print(f"{name}, {n} rows: {after - before:.0f} MB", refused)
    return after - before, refused


@pytest.mark.parametrize("n", [100_000, 1_000_000])
@pytest.mark.parametrize("name", LEARNERS)
def test_peak_memory_of_many_rows(name, n):
    peak, refused = peak_above(name, n)
    assert not refused
    assert peak <= BUDGET + COMPILED


@pytest.mark.parametrize("name", QUADRATIC)
def test_peak_memory_of_learners_that_take_all_pairs(name):
    peak, refused = peak_above(name, 100_000)
    assert not refused
    assert peak <= BUDGET + COMPILED


@pytest.mark.parametrize("name", [*REFUSED, "LinearSVR"])
def test_what_does_not_fit_is_refused_before_it_takes_more(name):
    peak, refused = peak_above(name, 1_000_000 if name == "LinearSVR" else 100_000)
    assert "or raise the budget" in refused
    assert peak <= BUDGET + COMPILED


MAPPED = """
import json, sys, threading, time
import numpy as np
import mercer
from mercer import RBF

def megabytes():  # of the process itself, without pages of mapped files
    with open("/proc/self/status") as file:
        return int(next(line for line in file if line.startswith("RssAnon")).split()[1]) / 1e3

def watch():
    while running:
        peaks.append(megabytes())
        time.sleep(0.005)

name, path, scanned = sys.argv[1:]
n = 400_000
X = np.memmap(path, dtype=float, mode="w+", shape=(n, 20))
y = np.empty(n)
for start in range(0, n, 20_000):
    rows = np.random.default_rng(start).standard_normal((20_000, 20))
    X[start : start + 20_000] = rows
    y[start : start + 20_000] = np.sin(2 * rows[:, 0]) + rows[:, 1] * rows[:, 2]
X = np.memmap(path, dtype=float, mode="r", shape=(n, 20))
labels = "Classifier", "Logistic", "SVC", "Discriminant"
target = (y > 0).astype(int) if any(each in name for each in labels) else y
more = {
    "KernelPCA": {"n_components": 3},
    "KernelKMeans": {"n_clusters": 3, "max_iter": 3},
    "SpectralClustering": {"n_clusters": 3},
    "GaussianProcessClassifier": {"optimizer": None},
}
options = {"kernel": RBF(4.0), "centers": 50, "random_state": 0, **more.get(name, {})}
model = getattr(mercer, name)(**options).fit(np.array(X[:1000]), target[:1000])
before, peaks, running = megabytes(), [], True
given = (mercer.scan(X, target),) if scanned == "scanned" else (X, target)
thread = threading.Thread(target=watch)
thread.start()
try:
    with mercer.config_context(memory_budget="200 MB"):
        model.fit(*given)
finally:
    running = False
    thread.join()
print(json.dumps(max(peaks) - before))
"""


@pytest.mark.parametrize("way", ["given", "scanned"])
@pytest.mark.parametrize(
    "name", [each for each in LEARNERS[:14] if each[-16:] != "ProcessRegressor"]
)
def test_memory_maps_are_never_loaded_as_a_whole(name, way, tmp_path):
    command = [sys.executable, "-W", "ignore", "-c", MAPPED, name, str(tmp_path / "X"), way]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert float(done.stdout.splitlines()[-1]) < 60  # MB, where the map has 64
