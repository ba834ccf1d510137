"""Kernels of trees and of fingerprints: Gram matrices of the syntax trees of 400 functions, and of
2,000 rows of 2,048 bits.

Run ``python benchmarks/trees.py [functions fingerprints]``; without names, both. Reading is
included. The goal for subset trees is five seconds; no other library for Python has tree kernels.
Fingerprints are compared with SciPy, and with RDKit where it is installed.
"""

from __future__ import annotations

import ast
import os
import sys
import time
from pathlib import Path

import numpy as np
from scipy.spatial.distance import cdist
from timing import best, line, record

from mercer import PartialTrees, SubsetTrees, Subtrees, Tanimoto


def functions() -> None:
    found = []
    for file in sorted(Path(os.__file__).parent.glob("*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        found += [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    chosen = np.random.default_rng(0).choice(len(found), 400, replace=False)
    trees = [found[i] for i in chosen]
    for kernel in (SubsetTrees(), Subtrees(), PartialTrees()):
        kernel(trees[:3])
        ours = best(lambda kernel=kernel: kernel(trees), 2, time.process_time)
        record(f"{kernel!r}, 400 functions", ours=ours, remark="goal 5 s for subset trees")
        print(f"{kernel!r}, 400 functions: {ours:.2f} s")


def fingerprints() -> None:
    X = (np.random.default_rng(0).random((2000, 2048)) < 0.03).astype(np.uint8)
    kernel = Tanimoto()
    kernel(X[:3])
    ours = best(lambda: kernel(X), 3)
    some = X[:500].astype(bool)
    peers = {"SciPy": best(lambda: cdist(some, some, "jaccard"), 1) * 16}
    try:
        from rdkit import DataStructs
    except ImportError:
        DataStructs = None
    if DataStructs is not None:
        bits = [DataStructs.CreateFromBitString("".join(map(str, row))) for row in X.tolist()]
        bulk = DataStructs.BulkTanimotoSimilarity
        peers["RDKit"] = best(lambda: [bulk(row, bits) for row in bits], 3)
    goals = {"SciPy": 1.0, "RDKit": 1.0}
    line("Tanimoto, 2,000 x 2,048 bits", ours, peers, goals, "SciPy: 500 rows, times 16")


if __name__ == "__main__":
    tasks = {"functions": functions, "fingerprints": fingerprints}
    for name in sys.argv[1:] or tasks:
        tasks[name]()
