"""Projections and clusterings against scikit-learn and tslearn, and the memory of large ones.

Run ``python benchmarks/projection.py [pca kmeans spectral memory cca]``; without names, all. Each
line has our time, the peers' and the
ratio, all from one run, the best of several rounds. Memory is the high-water mark of a process of
its own. scikit-learn's dense
eigenvalues take half a minute at n = 5,000, and are left out.
"""

from __future__ import annotations

import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
from sklearn.cluster import SpectralClustering as TheirSpectral
from sklearn.decomposition import KernelPCA as TheirPCA
from sklearn.metrics import adjusted_rand_score
from timing import best, line, record

from mercer import RBF, KernelKMeans, KernelPCA, SpectralClustering

try:
    from tslearn.clustering import KernelKMeans as TheirKMeans
except ImportError:
    TheirKMeans = None


def groups(n: int, d: int, k: int, spread: float = 3.0) -> np.ndarray:
    """k overlapping clouds."""
    rng = np.random.default_rng(0)
    return (
        rng.standard_normal((n, d)) + spread * rng.standard_normal((k, d))[rng.integers(k, size=n)]
    )


def pca() -> None:
    """The spectra of clouds (decaying) and of one round cloud (ten nearly equal eigenvalues, the
    hardest to part).
    """
    clouds = {
        "ten clouds": groups(5000, 10, 10),
        "one cloud": np.random.default_rng(0).standard_normal((5000, 10)),
    }
    for name, X in clouds.items():
        gamma = 0.5 / X.shape[1] / X.var()
        model = KernelPCA(10, kernel="rbf", gamma=gamma)
        mine = best(lambda: model.fit(X), 5)
        peers, gaps = {}, []
        for solver in ("arpack", "randomized"):
            other = TheirPCA(10, kernel="rbf", gamma=gamma, eigen_solver=solver, random_state=0)
            peers[solver] = best(lambda: other.fit(X), 4)
            overlap = np.abs(np.sum(other.eigenvectors_ * model.eigenvectors_, axis=0))
            gaps.append(f"{solver} {1 - overlap.min():.0e}")
        line(
            f"KernelPCA, n = 5,000, 10 components, {name}",
            mine,
            peers,
            {"faster": 2.0},
            f"1 - |cos| of components: {', '.join(gaps)}",
        )


def kmeans() -> None:
    """From random labels, the only start that tslearn has, with its tolerance; both compute the
    Gram matrix.
    """
    n, k = 10_000, 10
    X = groups(n, 10, k, 2.0)
    kernel = RBF.from_gamma(0.02)
    start = np.random.RandomState(0).randint(k, size=n)
    mine = best(lambda: KernelKMeans(k, kernel=kernel, init=start, max_iter=50, tol=1e-6).fit(X), 3)
    made = KernelKMeans(k, kernel=kernel, init=start, max_iter=50, tol=1e-6).fit(X)
    peers, remark = {}, f"{made.n_iter_} rounds, inertia {made.inertia_:.6g}"
    if TheirKMeans is not None:
        other = TheirKMeans(
            k, kernel="rbf", kernel_params={"gamma": 0.02}, max_iter=50, tol=1e-6, random_state=0
        )
        peers["tslearn"] = best(lambda: other.fit(X[:, :, None]), 1)
        ours = KernelKMeans(k, kernel=kernel, random_state=0).fit(X)
        agree = adjusted_rand_score(ours.labels_, other.labels_)
        remark += f"; tslearn {other.n_iter_} rounds; labels agree with those from k-means++ to ARI {agree:.3f}"  # noqa: E501
    line(
        "KernelKMeans, n = 10,000, k = 10, from random labels",
        mine,
        peers,
        {"tslearn": 3.0},
        remark,
    )


def spectral() -> None:
    X = groups(5000, 10, 5, 3.0)
    model = SpectralClustering(5, gamma=0.05, random_state=0)
    other = TheirSpectral(5, gamma=0.05, random_state=0)
    mine, seconds = best(lambda: model.fit(X), 3), best(lambda: other.fit(X), 2)
    agree = adjusted_rand_score(model.labels_, other.labels_)
    line(
        "SpectralClustering, n = 5,000, RBF",
        mine,
        {"scikit-learn": seconds},
        {"scikit-learn": 2.0},
        f"labels agree to ARI {agree:.4f}",
    )
    model = SpectralClustering(5, affinity="nearest_neighbors", random_state=0)
    other = TheirSpectral(5, affinity="nearest_neighbors", random_state=0)
    mine, seconds = best(lambda: model.fit(X), 3), best(lambda: other.fit(X), 2)
    agree = adjusted_rand_score(model.labels_, other.labels_)
    line(
        "SpectralClustering, n = 5,000, neighbors",
        mine,
        {"scikit-learn": seconds},
        {},
        f"labels agree to ARI {agree:.4f}",
    )


def alone(task: str, program: str, goal: float) -> str:
    """What a program prints in a process of its own, and its high-water mark."""
    peak = "\nfrom pathlib import Path\nprint(Path('/proc/self/status').read_text().split('VmHWM:')[1].split()[0])\n"  # noqa: E501
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program + peak],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parent,
    )
    *said, kilobytes = run.stdout.split("\n")[:-1] or [run.stderr, "0"]
    record(
        task, memory=1024.0 * int(kilobytes), goals={"memory": 1e9 * goal}, remark=" ".join(said)
    )
    return f"{' '.join(said)}; the whole process at most {int(kilobytes) / 1e6:.2f} GB"


def memory() -> None:
    program = (
        "import projection, mercer\n"
        "mercer.set_config(memory_budget='1 GB')\n"
        "X = projection.groups(50_000, 20, 10)\n"
        "model = mercer.KernelPCA(10, kernel='rbf', gamma=0.005).fit(X)\n"
        "print(f'{model.report_.seconds:.1f} s, {model.report_.solver}')"
    )
    task = "KernelPCA, n = 50,000, d = 20, 10 components"
    print(f"{task}: {alone(task, program, 2.0)} (goal 2; the matrix alone is 20 GB)", flush=True)


def cca() -> None:
    for n in (5000, 10_000, 20_000):
        program = (
            "import numpy as np, mercer\n"
            "rng = np.random.default_rng(0)\n"
            f"z = rng.standard_normal(({n}, 3))\n"
            f"X, Y = np.hstack([z, rng.standard_normal(({n}, 5))]), np.hstack([np.sin(z), rng.standard_normal(({n}, 4))])\n"  # noqa: E501
            "mercer.KernelCCA(3).fit(X[:600], Y[:600])\n"
            "print(f'{mercer.KernelCCA(3).fit(X, Y).report_.seconds:.2f} s')"
        )
        task = f"KernelCCA, {n:,} pairs, rank 500"
        print(f"{task}: {alone(task, program, 1.0)} (goal 1)", flush=True)


def main() -> None:
    warnings.simplefilter("ignore")
    tasks = {"pca": pca, "kmeans": kmeans, "spectral": spectral, "memory": memory, "cca": cca}
    for name in sys.argv[1:] or tasks:
        tasks[name]()


if __name__ == "__main__":
    main()
