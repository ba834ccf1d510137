"""The search for a kernel: CPU seconds and forecasts on CO₂ at Mauna Loa, and how often the terms
that made the data are found.

Run ``python benchmarks/search.py [co2 recovery]``; without names, both of them.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

from mercer import RBF, Kernel, KernelSearch, Linear, Periodic, Product, Scaled, Sum

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples"))
import co2

MONTHS = 417
DRAWS = [
    RBF(2.0) + Periodic(1.3),
    Linear() + Periodic(0.9, 0.8),
    RBF(3.0) * Periodic(1.0),
    1.0 * RBF(1.0),
    1.0 * Periodic(1.5),
    RBF(0.5) + Linear(),
    RBF(4.0) * Periodic(1.0, 0.8) + Linear(),
    Linear() * Periodic(1.2),
    RBF(3.0) * Periodic(0.8, 0.7),
    RBF(1.5) + Periodic(0.8),
]


def forecasts() -> None:
    """Search on the first months, and predict the others."""
    weeks = co2.weekly()
    if not weeks:
        print("skipped: the data of Mauna Loa were not found")
        return
    X, y = co2.monthly(weeks)
    ahead = slice(MONTHS, None)
    for settings in ({}, {"scoring": "loo"}, {"scoring": "loo", "blocks": 4}):
        start = time.process_time()
        model = KernelSearch(random_state=0, **settings).fit(X[:MONTHS], y[:MONTHS])
        seconds = time.process_time() - start
        error = np.sqrt(np.mean((model.predict(X[ahead]) - y[ahead]) ** 2))
        count = model.report_.evaluations
        print(f"{settings}: {seconds:.1f} CPU s, {count} evaluations, RMSE ahead {error:.2f} ppm")
        print(model.describe())


def forms(kernel: Kernel) -> list[str]:
    """The names of the factors of every term."""
    terms = kernel.terms if isinstance(kernel, Sum) else [kernel]
    bare = [term.kernel if isinstance(term, Scaled) else term for term in terms]
    factors = [term.terms if isinstance(term, Product) else [term] for term in bare]
    return sorted("*".join(sorted(repr(f).split("(")[0] for f in each)) for each in factors)


def recovery(n: int = 150, noise: float = 0.01, seed: int = 100) -> None:
    """Draw functions from kernels, and count how often the search finds their terms."""
    right = 0
    for at, kernel in enumerate(DRAWS):
        rng = np.random.default_rng(seed + at)
        X = np.sort(rng.uniform(-5, 5, n))[:, None]
        K = kernel(X) / kernel.diag(X).mean() + noise * np.eye(n)
        y = np.linalg.cholesky(K) @ rng.standard_normal(n)
        start = time.process_time()
        found = forms(KernelSearch().fit(X, y).kernel_)
        right += found == forms(kernel)
        seconds = time.process_time() - start
        print(f"{' + '.join(forms(kernel)):>28}: {' + '.join(found)} ({seconds:.1f} CPU s)")
    print(f"the terms of {right} of {len(DRAWS)} draws were found")


if __name__ == "__main__":
    names = sys.argv[1:] or ["co2", "recovery"]
    if "co2" in names:
        forecasts()
    if "recovery" in names:
        recovery()
