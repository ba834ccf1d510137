"""What a fit on arrays imports, and that what was left out is there when it is needed."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

HEAVY = ["pandas", "pyarrow", "dask", "distributed", "matplotlib", "polars", "networkx"]
HEAVY += ["scipy.stats", "scipy.optimize", "scipy.spatial", "sklearn.metrics"]
BEGIN = """
import json, sys
import numpy as np
import mercer
"""


def run(code: str, *arguments: str) -> object:
    """What a process prints at the end."""
    command = [sys.executable, "-W", "ignore", "-c", BEGIN + code, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


FIT = """
X = np.random.default_rng(0).standard_normal((300, 3))
y = X[:, 0] + X[:, 1] ** 2
name, heavy = sys.argv[1], json.loads(sys.argv[2])
target = (y > 0.5).astype(int) if "Class" in name or name == "SVC" else y
options = {} if name == "KernelNeighborsRegressor" else {"centers": 20}
model = getattr(mercer, name)(kernel=mercer.RBF(), **options).fit(X, target)
model.predict(X)
print(json.dumps([each for each in heavy if each in sys.modules]))
"""


@pytest.mark.parametrize(
    "name",
    [
        "KernelRidge",
        "KernelRidgeCV",
        "KernelRidgeClassifier",
        "KernelNeighborsRegressor",
        "SVC",
        "SVR",
    ],
)
def test_fits_on_arrays_import_nothing_that_they_do_not_use(name):
    assert run(FIT, name, json.dumps(HEAVY)) == []


def test_pandas_can_be_used_after_scikit_learn_was_imported_without_it():
    code = """
mercer.KernelRidge
assert "pandas" not in sys.modules and "scipy.stats" not in sys.modules
import scipy, sklearn.utils.fixes as fixes
assert fixes.pd.DataFrame is sys.modules["pandas"].DataFrame  # scikit-learn's own name
import pandas
assert fixes.pd is not pandas and fixes.pd.__version__ == pandas.__version__
assert scipy.stats.__file__ and fixes._mode(np.array([3, 1, 3]))[0] == 3
frame = pandas.DataFrame({"a": [0.0, 1.0, 2.0], "b": [1.0, 0.0, 1.0]})
model = mercer.KernelRidge(kernel="rbf").fit(frame, frame["a"])
print(json.dumps([list(model.feature_names_in_), type(scipy.stats).__name__]))
"""
    pytest.importorskip("pandas")
    assert run(code) == [["a", "b"], "module"]


def test_frames_are_read_where_pandas_was_imported_first():
    code = """
import pandas
frame = pandas.DataFrame({"a": [0.0, 1.0, 2.0], "b": [1.0, 0.0, 1.0]})
model = mercer.KernelRidge(kernel="rbf").fit(frame, frame["a"])
import sklearn.utils.fixes as fixes
print(json.dumps([fixes.pd is pandas, "pandas" in sys.modules]))
"""
    pytest.importorskip("pandas")
    assert run(code) == [True, True]


def test_scikit_learn_is_left_alone_where_it_is_imported_already():
    code = """
import sklearn.utils.fixes as fixes
pandas = fixes.pd
mercer.KernelRidge
print(json.dumps([fixes.pd is pandas, fixes.pd is sys.modules.get("pandas")]))
"""
    assert run(code) == [True, True]


def test_pandas_that_is_not_installed_is_not_stood_in_for():
    code = """
sys.modules["pandas"] = None
X = np.arange(6.0).reshape(3, 2)
mercer.KernelRidge(kernel="rbf").fit(X, X[:, 0])
import sklearn.utils.fixes as fixes
print(json.dumps([fixes.pd, sys.modules["pandas"]]))
"""
    assert run(code) == [None, None]


def test_a_stand_in_that_another_thread_has_seen_imports_the_package_and_its_parts():
    code = """
from mercer.execution.imports import StandIn
import scipy
sys.modules["scipy.stats"] = StandIn("scipy.stats")
import scipy.stats.qmc
from scipy.stats import norm
print(json.dumps([float(norm.cdf(0.0)), type(sys.modules["scipy.stats"]).__name__]))
"""
    assert run(code) == [0.5, "module"]
