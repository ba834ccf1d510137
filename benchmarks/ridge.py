"""Kernel ridge against scikit-learn, and against the floor: one Gram matrix and one LAPACK
Cholesky, one eigendecomposition.

Run ``python benchmarks/ridge.py``; ``--quick`` for small sizes.
"""

from __future__ import annotations

import argparse

import numpy as np
from scipy import linalg
from sklearn.kernel_ridge import KernelRidge as TheirRidge
from timing import best, record

from mercer import RBF, KernelRidge, KernelRidgeCV


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--quick", action="store_true", help="small sizes, for a look")
    quick = options.parse_args().quick
    rng = np.random.default_rng(0)
    n = 1500 if quick else 6000
    X = rng.standard_normal((n, 20))
    y = np.sin(X[:, 0])
    k = RBF.from_gamma(0.05)
    KernelRidge(kernel=k).fit(X[:500], y[:500])
    ours = best(lambda: KernelRidge(kernel=k).fit(X, y), 3)
    theirs = best(lambda: TheirRidge(kernel="rbf", gamma=0.05).fit(X, y), 2)

    def floor() -> None:
        K = k(X)
        K[np.diag_indices_from(K)] += 1.0
        linalg.lapack.dpotrf(K.T, lower=0, overwrite_a=1, clean=0)

    least = best(floor, 3)
    ratios = f"{theirs / ours:.1f} x (goal 2); {ours / least:.2f} floors (goal 1.3)"
    record(
        f"KernelRidge fit, n = {n}",
        ours=ours,
        peers={"scikit-learn": theirs},
        goals={"scikit-learn": 2.0},
        remark=f"{ours / least:.2f} times one Gram matrix and one Cholesky factor",
    )
    print(f"KernelRidge fit, n = {n}: ours {ours:.3f} s, scikit-learn {theirs:.3f} s: {ratios}")
    n = 800 if quick else 3000
    X, y = X[:n], y[:n]
    alphas = np.logspace(-4, 4, 50)
    ours = best(lambda: KernelRidgeCV(alphas=alphas, kernel=k).fit(X, y), 2)
    K = k(X)
    least = best(lambda: np.linalg.eigh(K), 2)
    share = f"{ours / least:.2f} of one eigendecomposition, {least:.3f} s (goal: under 2)"
    record(
        f"KernelRidgeCV, 50 penalties, n = {n}",
        ours=ours,
        remark=f"{ours / least:.2f} of one eigendecomposition",
    )
    print(f"KernelRidgeCV, 50 penalties, n = {n}: {ours:.3f} s, {share}")


if __name__ == "__main__":
    main()
