"""Kernels of tables and of nodes: Gram matrices of 8,124 mushrooms against one-hot rows, diffusion
on a graph of 100,000 nodes.

Run ``python benchmarks/structured.py [mushrooms diffusion]``; without names, both.
"""

from __future__ import annotations

import csv
import sys

import numpy as np
from projection import alone
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import OneHotEncoder
from timing import REAL, best, line

from mercer import MissingAware, Overlap


def mushrooms() -> None:
    file = REAL / "mushroom" / "mushroom.csv"
    if not file.exists():
        print("mushroom: the data are not here")
        return
    with file.open(newline="", encoding="utf-8") as lines:
        table = np.array(list(csv.reader(lines))[1:], dtype=object)[:, :22]
    encoded = OneHotEncoder(sparse_output=False).fit_transform(table)
    holed = np.where(table == "?", None, table)
    aware = MissingAware(Overlap()).fit(holed)
    Overlap()(table[:300]), aware(holed[:300])
    theirs = best(lambda: rbf_kernel(encoded, gamma=0.05), 3)
    gap = np.abs(Overlap()(table[:500]) - encoded[:500] @ encoded[:500].T / 22).max()
    # a ratio of a third is asked: categories are compared, where the peer multiplies matrices
    line(
        "Overlap, 8,124 mushrooms × 22",
        best(lambda: Overlap()(table), 3),
        {"rbf_kernel": theirs},
        {"rbf_kernel": 0.33},
        f"differ by {gap:.0e}",
    )
    line(
        "MissingAware(Overlap), the same with holes",
        best(lambda: aware(holed), 3),
        {"rbf_kernel": theirs},
        {"rbf_kernel": 0.33},
    )


def diffusion() -> None:
    program = (
        "import time, numpy as np, scipy.sparse as sp, mercer\n"
        "rng = np.random.default_rng(0)\n"
        "n = 100_000\n"
        "i, j = rng.integers(n, size=(2, 300_000))\n"
        "B = sp.csr_array((np.ones(300_000), (i, j)), shape=(n, n)); B = ((B + B.T) > 0).astype(float)\n"  # noqa: E501
        "k = mercer.Diffusion(B, t=0.1)\n"
        "start = time.perf_counter()\n"
        "k.act(rng.standard_normal((n, 10)))\n"
        "print(f'{time.perf_counter() - start:.1f} s, no dense matrix, which would be 80 GB')"
    )
    task = "Diffusion, 100,000 nodes, on 10 vectors"
    print(f"{task}: {alone(task, program, 1.0)}", flush=True)


def main() -> None:
    tasks = {"mushrooms": mushrooms, "diffusion": diffusion}
    for name in sys.argv[1:] or tasks:
        tasks[name]()


if __name__ == "__main__":
    main()
