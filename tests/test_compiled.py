"""Compiled code is compiled once per machine, not once per process."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from mercer import _compiled

_CODE = """
import numpy as np, mercer
from mercer import RBF, Matern, Linear, Polynomial, _compiled
X = np.random.default_rng(0).standard_normal((300, 4))
k = 0.5 * RBF() + Polynomial(degree=2) * Linear() + Matern() + Matern(length_scale=np.ones(4), nu=2.5)
k(X); k.gram(X) @ X; k.gradient(X, np.ones((300, 300))); k.diag(X)
missed = sum(
    sum(f.stats.cache_misses.values())
    for name in ("products", "profiles", "storage")
    for f in vars(getattr(_compiled, name)).values()
    if hasattr(f, "stats")
)
print(missed)
"""  # noqa: E501


def test_a_second_process_compiles_nothing():
    runs = [
        subprocess.run(
            [sys.executable, "-c", _CODE], capture_output=True, text=True, check=True
        ).stdout
        for _ in range(2)
    ]
    assert runs[1].strip() == "0"


_FIRST_FIT = """
import sys
import numpy as np
import mercer
X = np.random.default_rng(0).standard_normal((60, 8))
{model}.fit(X, (X[:, 0] > 0.1).astype({kind})).predict(X)
for name, module in sys.modules.items():
    for function in vars(module).values() if name.startswith("mercer._compiled.") else ():
        if getattr(function, "__module__", "") == name and getattr(function, "signatures", ()):
            print(function.__name__, len(function.signatures))
"""
_GRAM = {"sqdist_tile", "exponential_down", "mirror", "times_vector"}


@pytest.mark.parametrize(
    ("model", "kind", "needed"),
    [
        ("mercer.KernelRidge(kernel='rbf')", "float", _GRAM),
        ("mercer.SVC()", "int", _GRAM | {"solve_pairs"}),
    ],
)
def test_a_first_small_fit_needs_few_functions_each_for_one_type(model, kind, needed):
    code = _FIRST_FIT.format(model=model, kind=kind)
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    called = dict(line.split() for line in said.stdout.splitlines())
    # with an empty cache, what they call is listed as well
    parts = {name for name in called if name.startswith("_")}
    inner = {"steps", "gaps", "fetch_row", "fill_slopes", "subtract_rows", "certificate"}
    assert set(called) - parts - inner - {"exp_down"} == needed
    assert set(called.values()) == {"1"}


_COMPILED_ANEW = """
import numpy as np
from numba.core import event
from mercer._compiled import one_vs_one

class Count(event.Listener):
    names = []
    def on_start(self, _): ...
    def on_end(self, done):
        function = done.data["dispatcher"].py_func
        if function.__module__.startswith("mercer"):
            self.names.append(function.__name__)

event.register("numba:compile", Count())
K, y = np.eye(4), np.array([1.0, 1.0, -1.0, -1.0])
place, starts = np.arange(4), np.array([0, 4])
results = np.zeros(4), np.zeros(4), np.zeros(1, int), np.zeros(1, bool), np.zeros((1, 4))
gaussians = None, None, np.empty((1, 0, 0), int)
lower, upper = np.minimum(y, 0.0), np.maximum(y, 0.0)
limits = lower, upper, 1e-3, 200, 100
one_vs_one.solve_pairs(K, *gaussians, place, starts, y, *limits, *results)
print(*sorted(Count.names))
"""


@pytest.mark.slow
def test_no_part_of_a_compiled_function_is_compiled_twice(tmp_path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    said = subprocess.run(
        [sys.executable, "-c", _COMPILED_ANEW],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    names = said.stdout.split()
    assert "_steps" in names and "newton_step" in names
    assert len(names) == len(set(names))


_NO_FOLDER = """
import numpy as np
from numba.core import caching
named = "UserProvidedCacheLocator"  # the folder of NUMBA_CACHE_DIR, if there is one
locator = getattr(caching, named, None) or getattr(caching, "_" + named)
for kind in (getattr(caching, name, None) for name in ("CacheImpl", "_CacheImpl")):
    if kind is not None:
        kind._locator_classes = [locator]
from mercer._compiled import storage
storage.mirror(np.eye(3))
print(storage.mirror.stats.cache_path)
"""


def test_where_no_cache_can_be_written_a_private_folder_is_used(tmp_path):
    environment = {name: v for name, v in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    environment["TMPDIR"] = str(tmp_path)
    for _ in range(2):
        said = subprocess.run(
            [sys.executable, "-c", _NO_FOLDER],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        assert said.stdout.startswith(str(tmp_path / f"mercer-{os.getuid()}"))


def test_a_folder_that_others_can_write_is_not_used(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    folder = tmp_path / f"mercer-{os.getuid()}"
    assert _compiled.private_folder() == str(folder)
    folder.chmod(0o777)
    assert _compiled.private_folder() == ""
    folder.rmdir()
    folder.symlink_to(tmp_path)
    assert _compiled.private_folder() == ""
