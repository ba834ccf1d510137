"""Compile at once what is otherwise compiled when it is first used: `warmup`.

Numba keeps compiled functions on disk, for each type of argument. The stages below therefore call
learners and kernels as users do, on few samples; one more than a tile holds takes the path of large
matrices.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from mercer import _compiled
from mercer import kernels as all_kernels
from mercer.aliases import Frame
from mercer.automatic.models import AutoClassifier, AutoRegressor
from mercer.domains.base import Batch
from mercer.domains.vectors.domain import TILE
from mercer.errors import ParameterError
from mercer.estimators import estimator
from mercer.explanations.explaining import explain
from mercer.kernels.base import Kernel
from mercer.solvers.margin.plain import Patience
from mercer.statistics.independence.dhsic import dhsic_test
from mercer.statistics.independence.hsic import hsic_test

Report = Callable[[str, int, float], object]  # of a stage, its new functions and its seconds

kernels: Any = all_kernels  # which names of kernels it has is known when it is imported
_FEW, _SOME, _MANY = 40, TILE + 8, 640  # samples; SVC has single precision from 600 on
_LARGE = 6000  # samples of which SVC computes rows when it needs them
_STREAMED = 2400  # samples whose Gram matrix is written past the cache


def warmup(report: Report | None = None) -> int:
    """Compile the functions that kernels and learners use, and cache them on disk.

    Without it, each is compiled when it is first used, so that a first fit may take some seconds.
    A second call, also in another process, finds everything on disk and takes seconds. Functions
    are compiled for the processor at hand: call it once per machine, for example when an image is
    built. ``mercer warmup`` does the same from the command line.

    Parameters
    ----------
    report : callable, optional
        Called after every stage with its name, the number of functions that were compiled, and the
        seconds it took.

    Returns
    -------
    int
        How many functions were compiled; 0 if all of them were on disk.

    Examples
    --------
    >>> import mercer
    >>> compiled = mercer.warmup()  # doctest: +SKIP
    >>> mercer.warmup()  # doctest: +SKIP
    0
    """
    if report is not None and not callable(report):
        rule = "must be a function of a name, a number and seconds"
        raise ParameterError("report", report, rule, "give print, for example")
    before = _compiled.compilations()
    Patience.spent = Patience.limit
    for name, stage in STAGES.items():
        start, known = time.perf_counter(), _compiled.compilations()
        stage()
        if report is not None:
            report(name, _compiled.compilations() - known, time.perf_counter() - start)
    return _compiled.compilations() - before


# -- samples ---------------------------------------------------------------------------------------


def _rows(n: int, d: int = 4) -> np.ndarray:
    return np.random.default_rng(0).random((n, d))


def _labels(X: np.ndarray, n_classes: int = 2) -> np.ndarray:
    """Classes that overlap, so that margins have free variables and errors."""
    noise = np.random.default_rng(1).random(len(X))
    return ((X[:, 0] + 0.3 * noise) * n_classes / 1.3).astype(int)


def _table(n: int, incomplete: bool) -> Frame:
    """Rows of numbers and categories as a list, which needs no pandas."""
    table = [[float(a), float(b), "xyz"[int(3 * c)], "pq"[int(2 * d)]] for a, b, c, d in _rows(n)]
    if incomplete:
        for i in range(0, n, 5):
            table[i][i % 4] = None
    return table


# -- stages ----------------------------------------------------------------------------------------


def _gram(kernel: Kernel, n: int = _FEW) -> None:
    """A Gram matrix, a rectangular one, a product and a derivative."""
    X = _rows(n)
    kernel(X)
    kernel(X[:5], X)
    kernel.diag(X)
    kernel.gram(X) @ np.ones(n)


def _distances() -> None:
    widths = np.ones(4)
    for kernel in (kernels.RBF(), kernels.RBF(length_scale=widths), kernels.Laplacian()):
        _gram(kernel)
        kernel.gradient(_rows(_FEW), np.ones((_FEW, _FEW)))
    for order in (0.5, 1.5, 2.5):
        _gram(kernels.Matern(nu=order))
    _gram(kernels.RationalQuadratic())
    _gram(kernels.InverseMultiquadric())
    _gram(kernels.RBF() * kernels.RBF(length_scale=widths) + kernels.Linear(), _SOME)
    _single_tiles()
    wide = _rows(_FEW, 60)  # BLAS, and the repair of what it lost
    kernels.RBF()(np.concatenate([wide, wide[:2]]))


def _single_tiles() -> None:
    """One kernel by differences, one by BLAS, and one of categories: no other types of numbers."""
    words = np.array([list("ab"), list("ac")], dtype=object)
    pairs = (
        (kernels.RBF(), _rows(_FEW)),
        (kernels.RBF(), _rows(_FEW, 60)),
        (kernels.Overlap(), words),
    )
    for kernel, X in pairs:
        samples = kernel.prepare(Batch(X))
        tiles = kernel.single_tiles(samples)
        assert tiles is not None
        tiles.matrix(samples)


def _inner_products() -> None:
    chosen = (kernels.Linear(), kernels.Polynomial(degree=3), kernels.ExponentialDot())
    for kernel in (*chosen, kernels.Cosine(), kernels.ArcCosine()):
        _gram(kernel)
    wide = _rows(_FEW, 60)
    kernels.Linear()(np.concatenate([wide, wide[:2]]))


def _coordinates() -> None:
    chosen = (kernels.ANOVA(degree=2), kernels.AllSubsets(), kernels.Spline(), kernels.Brownian())
    for kernel in (*chosen, kernels.Chi2(), kernels.HistogramIntersection(), kernels.Periodic()):
        _gram(kernel)
    kernels.Periodic().gradient(_rows(_FEW), np.ones((_FEW, _FEW)))
    _gram(kernels.Normalized(kernels.ANOVA(degree=2)))


def _margins() -> None:
    for n_classes in (2, 3):
        X = _rows(_FEW)
        y = _labels(X, n_classes)
        estimator("SVC")().fit(X, y).predict(X)
        estimator("KernelRidgeClassifier")(kernel="rbf").fit(X, y).predict(X)
    X = _rows(_MANY)
    estimator("SVC")(tol=1e-2).fit(X, _labels(X)).predict(X)


def _regressions() -> None:
    X = _rows(_FEW)
    y = np.sin(3.0 * X[:, 0])
    for model in (
        estimator("KernelRidge")(kernel="rbf"),
        estimator("SVR")(),
        estimator("GaussianProcessRegressor")(),
    ):
        model.fit(X, y).predict(X)
    estimator("OneClassSVM")().fit(X).predict(X)


def _linear_margins() -> None:
    X = _rows(_FEW)
    estimator("LinearSVC")().fit(X, _labels(X)).predict(X)
    estimator("LinearSVC")(penalty="l1", dual=False).fit(X, _labels(X)).predict(X)
    estimator("LinearSVR")().fit(X, X[:, 0]).predict(X)


def _tables() -> None:
    y = _labels(_rows(_FEW))
    for incomplete in (False, True):
        table = _table(_FEW, incomplete)
        AutoClassifier(random_state=0).fit(table, y).predict_proba(table)
        AutoRegressor(random_state=0).fit(table, y + 0.5).predict(table)


def _arrays() -> None:
    for n in (_FEW, _SOME):
        X = _rows(n)
        AutoClassifier(random_state=0).fit(X, _labels(X)).predict_proba(X)
        AutoRegressor(random_state=0).fit(X, np.sin(3.0 * X[:, 0])).predict(X)


def _strings() -> None:
    words = ["kernel", "matrix", "method", "mercer", "theorem", "tensor"]
    for kernel in (kernels.Subsequence(2), kernels.Spectrum(2), kernels.EditDistance(2.0)):
        kernel(words)
    kernels.Subsequence(2).gradient(words, np.ones((6, 6)))
    kernels.LocalAlignment()(["ARND", "ARNE", "CQEG"])


def _sparse_rows() -> None:
    from scipy import sparse

    X = _rows(_MANY, 20)
    rows, labels = sparse.csr_matrix(X * (X > 0.7)), _labels(X)
    for kernel in (kernels.RBF(), kernels.Linear(), kernels.HistogramIntersection()):
        kernel(rows[:_FEW])
    estimator("SVC")().fit(rows, labels).predict(rows)
    estimator("LinearSVC")().fit(rows, labels)
    estimator("LinearSVC")(loss="hinge").fit(rows[:_FEW], labels[:_FEW])


def _many_rows() -> None:
    """Machines whose Gram matrix is computed row by row, or on centers and block by block."""
    X = _rows(_LARGE)
    y = np.sin(3.0 * X[:, 0])
    for kernel in ("rbf", "laplacian"):
        estimator("SVC")(kernel=kernel, tol=1e-2).fit(X, _labels(X)).predict(X[:_FEW])
    kernels.RBF()(X[:_STREAMED])
    few = X[:_MANY]
    several = [kernels.RBF(width) for width in (0.5, 1.0, 2.0, 4.0)]
    for weights in ("evidence", "easy"):
        estimator("MultipleKernelClassifier")(several, weights=weights).fit(few, _labels(few))
    estimator("KernelICA")(2, random_state=0).fit(few[:, :2])
    estimator("CentroidNovelty")(kernel="rbf").fit(few).predict(few)
    kernels.RationalQuadratic(np.ones(4)).gradient(few[:_FEW], np.ones((_FEW, _FEW)))
    estimator("LinearSVC")(multi_class="crammer_singer").fit(few, _labels(few, 3))
    for rows in (few, few.astype(np.float32)):
        estimator("KernelRidge")(kernel="rbf", centers=_FEW).fit(rows, y[:_MANY]).predict(rows)
    logistic = estimator("KernelLogisticRegression")(kernel="rbf", centers=_FEW)
    logistic.fit(few, _labels(few)).predict(few)
    estimator("KernelKMeans")(2, kernel="rbf", centers=_FEW, random_state=0).fit(few)
    estimator("KernelKMeans")(2, kernel="rbf", random_state=0).fit(few)
    estimator("KernelNeighborsClassifier")(kernel="rbf").fit(few, _labels(few)).predict(few)


def _missing_values() -> None:
    table = np.array([["a", "b"], ["a", None], ["c", "b"]], dtype=object)
    numbers = _rows(_FEW)
    numbers[::5, 0] = np.nan
    for kernel in (kernels.Overlap(), kernels.WeightedOverlap()):
        kernel.fit(table[::2])(table[::2])
        kernels.MissingAware(kernel).fit(table)(table)
    kernels.MissingAware(kernels.RBF()).fit(numbers)(numbers)
    shares = _rows(_FEW)
    kernels.JensenShannon()(shares / shares.sum(axis=1, keepdims=True))


def _graphs() -> None:
    path, triangle = [(0, 1), (1, 2)], [(0, 1), (1, 2), (2, 0)]
    plain = [(path, None), (triangle, None)]
    labeled = [(path, list("aba")), (triangle, list("abb"))]
    for name in ("WeisfeilerLehman", "WeisfeilerLehmanAssignment", "ShortestPaths", "GraphHopper"):
        getattr(kernels, name)()(labeled)
    for kernel in (kernels.GraphWalks(decay=0.1), kernels.GraphEditDistance()):
        kernel(plain)
        kernel(labeled)
    kernels.Graphlets(3)(plain)
    kernels.Graphlets(4)(plain)


def _trees() -> None:
    trees = ["(S (NP she) (VP runs))", "(S (NP he) (VP (V runs)))", "(S (NP it))"]
    for kernel in (kernels.Subtrees(), kernels.SubsetTrees(), kernels.PartialTrees()):
        kernel(trees)
    kernels.Tanimoto()(_rows(_FEW) > 0.5)


def _series() -> None:
    series = [np.arange(4.0), np.arange(6.0) % 3, np.ones(5)]
    weights = np.ones((3, 3))
    for kernel in (kernels.GlobalAlignment(), kernels.Signature(2), kernels.Signature(None)):
        kernel.gradient(series, weights)
        kernel(series)
    kernels.ExpDTW()(series)
    kernels.CurveProduct()(series)


def _independence() -> None:
    X = _rows(_FEW)
    hsic_test(X, X[:, 0], n_permutations=5, random_state=0)
    dhsic_test(X, X[:, 0], X[:, 1], n_permutations=5, random_state=0)


def _explanations() -> None:
    X = _rows(_FEW)
    model = estimator("KernelRidge")(kernel="rbf").fit(X, X[:, 0])
    explain(model, X[:2], background=X[:5], interactions=True)


STAGES: dict[str, Callable[[], None]] = {
    "kernels of distances": _distances,
    "kernels of inner products": _inner_products,
    "kernels of coordinates": _coordinates,
    "support vector machines": _margins,
    "regression": _regressions,
    "linear machines": _linear_margins,
    "automatic models of arrays": _arrays,
    "automatic models of tables": _tables,
    "sparse rows": _sparse_rows,
    "many rows": _many_rows,
    "missing values": _missing_values,
    "kernels of strings": _strings,
    "kernels of graphs": _graphs,
    "kernels of trees": _trees,
    "kernels of series": _series,
    "tests of independence": _independence,
    "explanations": _explanations,
}
