"""A kernel, its proof, a refuted non-kernel, and how fast it is: ``make demo``."""

from __future__ import annotations

import time

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC

import mercer
from mercer import RBF, DistanceCosine, Linear, Polynomial, Sigmoid


def headline(text: str) -> None:
    print(f"\n== {text} ==\n")


def best(call, rounds: int = 5) -> float:
    call()
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


k = 0.5 * RBF(length_scale=2.0) + Polynomial(degree=3) * Linear()

headline("A kernel is algebra; it prints, and parses back")
print(k)
print("the same after parsing:", repr(mercer.parse(repr(k))) == repr(k))

headline("Why it is valid")
print(k.certificate())

headline("What is not a kernel is refuted, with points to check")
print(Sigmoid().certificate())
print()
print(DistanceCosine().certificate(d=2))

headline("scikit-learn takes it as it is")
rng = np.random.default_rng(0)
X = rng.standard_normal((300, 2))
y = (np.hypot(*X.T) > 1.1).astype(int)
print(f"SVC(kernel=RBF()) on a ring: accuracy {SVC(kernel=RBF()).fit(X[:200], y[:200]).score(X[200:], y[200:]):.2f}")

headline("How fast")
X = rng.standard_normal((4000, 20))
ours, theirs = best(lambda: RBF.from_gamma(0.025)(X)), best(lambda: rbf_kernel(X, gamma=0.025))
gap = np.abs(RBF.from_gamma(0.025)(X) - rbf_kernel(X, gamma=0.025)).max()
print(
    f"RBF Gram matrix, 4,000 x 4,000, 20 columns: {1e3 * ours:.0f} ms, scikit-learn {1e3 * theirs:.0f} ms: {theirs / ours:.1f} times faster"
)
print(f"largest difference {gap:.0e}")
far = 1e8 + X[:5]
print(f"the same data shifted by 1e8: scikit-learn is off by {np.abs(rbf_kernel(far, gamma=0.025) - RBF.from_gamma(0.025)(far)).max():.1f}")
