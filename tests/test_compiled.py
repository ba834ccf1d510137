"""Compiled code is compiled once per machine, not once per process."""

from __future__ import annotations

import subprocess
import sys

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
