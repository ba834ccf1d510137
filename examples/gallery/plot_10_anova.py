"""
The ANOVA kernel by recursion and by enumeration
================================================

The ANOVA kernel of degree d is the sum of the products of x_i z_i over all subsets of d
coordinates. There are C(n, d) subsets of d factors each, so that enumeration takes d·C(n, d)
operations (the lecture has the d inside the binomial coefficient). The recursion over
coordinates, K(s, m) = x_m z_m K(s−1, m−1) + K(s, m−1), takes n·d. The lecture has no example and
no times; they are measured here.
"""

import os
import time
from itertools import chain, combinations
from math import comb

import matplotlib.pyplot as plt
import numpy as np

from mercer import ANOVA

plt.style.use("tableau-colorblind10")
FAST = os.environ.get("MERCER_GALLERY_FAST") == "1"
WIDTH, ROWS = (14, 30) if FAST else (20, 40)
X = np.random.default_rng(0).standard_normal((ROWS, WIDTH))

# %%
# Three implementations: the features of all subsets, the recursion of the lecture in plain
# Python, and the library.


def enumerated(X, subsets):
    features = np.ones((len(X), len(subsets)))
    for coordinates in subsets.T:
        features *= X[:, coordinates]
    return features @ features.T


def recursion(x, z, degree):
    row = [1.0] + [0.0] * degree  # K(0, m) = 1, and K(s, 0) = 0
    for product in x * z:
        row = [1.0] + [product * row[s - 1] + row[s] for s in range(1, degree + 1)]
    return row[degree]


def best_time(call, repeats=3):
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


# %%
# Times are for the Gram matrix of all rows, without the time to list the subsets.

print(
    f"Gram matrix of {ROWS} rows with n = {WIDTH} columns; "
    "differences from the library's, relative to the largest entry"
)
print(f"{'':23}{'difference':>22}{'milliseconds':>24}")
print(
    f"{'d':>3}{'C(n,d)':>9}{'d·C(n,d)':>11}{'subsets':>11}"
    f"{'by hand':>11}{'subsets':>13}{'library':>11}{'ratio':>10}"
)
rows = []
for degree in range(1, WIDTH // 2 + 1):
    count = comb(WIDTH, degree)
    subsets = np.fromiter(
        chain.from_iterable(combinations(range(WIDTH), degree)), dtype=np.intp
    ).reshape(count, degree)
    kernel = ANOVA(degree=degree)
    slow, fast = enumerated(X, subsets), kernel(X)
    plain = np.array([recursion(X[0], z, degree) for z in X])
    gaps = (
        np.abs(slow - fast).max() / np.abs(slow).max(),
        np.abs(plain - fast[0]).max() / np.abs(fast[0]).max(),
    )
    times = (
        best_time(lambda s=subsets: enumerated(X, s), 2),
        best_time(lambda k=kernel: k(X), 5),
    )
    rows.append((degree, degree * count, *times))
    shown = f"{degree:3d}{count:9d}{degree * count:11d}{gaps[0]:11.0e}{gaps[1]:11.0e}"
    print(
        shown
        + f"{1e3 * times[0]:13.2f}{1e3 * times[1]:11.3f}{times[0] / times[1]:10.1f}"
    )
degrees, operations, slow, fast = np.array(rows).T
print(
    "d inside the binomial, as printed, would be C(d·n, d) = "
    f"{comb(WIDTH * WIDTH // 2, WIDTH // 2):.1e} for the last row"
)

# %%
# The time of the enumeration grows with d·C(n, d), and faster where the features exceed the
# cache. The recursion always takes a tenth of a millisecond, most of which is the overhead of a
# call.

figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4.4), layout="constrained")
left.semilogy(degrees, 1e3 * slow, "s-", color="C1", label="all subsets")
left.semilogy(degrees, 1e3 * fast, "o-", color="C0", label="recursion")
left.set(
    title=f"Time of a Gram matrix, n = {WIDTH}",
    xlabel="degree d",
    ylabel="milliseconds",
)
left.legend(frameon=False)
right.loglog(operations, 1e3 * slow, "s", color="C1", label="all subsets, measured")
right.loglog(
    operations,
    1e3 * slow[-1] * operations / operations[-1],
    "--",
    color="0.3",
    label="proportional to d·C(n, d)",
)
right.set(
    title="Time and number of operations", xlabel="d·C(n, d)", ylabel="milliseconds"
)
right.legend(frameon=False)
