"""Kernels between series: Gram matrices of GunPoint (50 series of 150 points) against tslearn,
dtaidistance and pySigLib, as far as they are installed.

Run ``python benchmarks/series.py``. Times are those of the processor, all threads together.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable

import numpy as np
from timing import REAL, best, line

from mercer import DynamicTimeWarping, GlobalAlignment, Linear, Signature


def _peer(module: str, call: Callable[..., object]) -> dict[str, float]:
    """The seconds of another library, if it is here."""
    try:
        library = importlib.import_module(module)
    except ImportError:
        return {}
    return {module.partition(".")[0]: best(lambda: call(library), 3, time.process_time)}


def main() -> None:
    file = REAL / "ucr_gunpoint" / "GunPoint_TRAIN.txt"
    if not file.exists():
        print("GunPoint: the data are not here")
        return
    X = np.loadtxt(file)[:, 1:]
    times = np.broadcast_to(np.linspace(0, 1, X.shape[1]), X.shape)
    paths = np.ascontiguousarray(np.stack([X, times], axis=2))
    gak, dtw, signature = GlobalAlignment(5.0), DynamicTimeWarping(), Signature(4, Linear())
    gak(X), dtw(X), signature(X)
    cells = 50 * 51 / 2 * 150**2

    def report(name: str, kernel: object, theirs: dict[str, float], asked: float) -> None:
        seconds = best(lambda: kernel(X), 3, time.process_time)
        note = f"{1e9 * seconds / cells:.1f} ns a cell"
        line(name, seconds, theirs, dict.fromkeys(theirs, asked), note)

    theirs = _peer("tslearn.metrics", lambda peer: peer.cdist_gak(X[:, :, None], sigma=5.0))
    report("global alignment, GunPoint", gak, theirs, 3.0)
    theirs = _peer("dtaidistance.dtw", lambda peer: peer.distance_matrix_fast(X.copy()))
    report("warping, GunPoint", dtw, theirs, 2.5)
    theirs = _peer("pysiglib", lambda peer: peer.sig_kernel_gram(paths, paths, dyadic_order=0))
    report("signature of 4 levels, GunPoint", signature, theirs, 1.0)


if __name__ == "__main__":
    main()
