"""Conditional independence of two views of the same samples, given a third."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

import numpy as np

from mercer.aliases import KernelLike, RandomState, RawSamples
from mercer.definiteness import CPD, INDEFINITE
from mercer.domains.base import Batch
from mercer.errors import DefinitenessError, EmptyInputError, MemoryBudgetError
from mercer.gram.build import gram_matrix
from mercer.gram.matrix import Matrix
from mercer.gram.plan import COPY, RAISE, fits, plan_matrix
from mercer.kernels.base import Kernel
from mercer.linalg.cholesky import pivoted_cholesky
from mercer.markup import shortened
from mercer.params import choice
from mercer.statistics.independence.hsic import SAME_FOR_ALL, IndependenceResult
from mercer.statistics.independence.null import chi_squares, gamma_pvalue, leading_eigenvalues
from mercer.statistics.independence.regression import Regression, learn_regression, residuals
from mercer.statistics.independence.views import View, all_notes, check_same_length, read_view
from mercer.statistics.permutations import generator, permutation_pvalue

_LEAST = 10  # samples from which anything can be learned
_TOLERANCE = 1e-12  # share of the trace that a factor may lack
_MOST_RANK = 400
_BLOCK = 512  # rows of the Gram matrices of residuals at a time
_NEVER = (
    "no conditional test holds its level for all distributions: here it rests on the regressions"
    " on Z, and on many samples"
)


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class ConditionalResult(IndependenceResult):
    """The result of a test of conditional independence.

    It has the attributes of `IndependenceResult`, too.

    Attributes
    ----------
    regressions : tuple of Regression
        The kernel on Z and the noise with which X (together with Z) and Y were regressed on Z.
    """

    title: ClassVar[str] = "KCI"
    hypothesis: ClassVar[str] = "X and Y are independent given Z"
    symbol: ClassVar[str] = "statistic"

    regressions: tuple[Regression, ...] = ()

    def facts(self) -> dict[str, Any]:
        """The number of samples, the matrices, and the regressions."""
        facts = super().facts()
        for name, regression in zip("XY", self.regressions, strict=False):
            kernel = shortened(str(regression.kernel))
            facts[f"{name}_given_Z"] = f"{kernel}, noise {regression.noise:.3g}"
        return facts


def kci_test(
    X: RawSamples,
    Y: RawSamples,
    Z: RawSamples,
    *,
    kernel_x: KernelLike = "auto",
    kernel_y: KernelLike = "auto",
    kernel_z: KernelLike = "auto",
    null: str = "gamma",
    random_state: RandomState = None,
) -> ConditionalResult:
    """Test whether two views of the same samples are independent given a third.

    What Z explains of the features of (X, Z) and of Y is subtracted by Gaussian processes, whose
    hyperparameters maximize their evidence; the statistic is tr(K_r L_r)/n for the Gram matrices of
    the residuals. Rows are never permuted, which would break the dependence on Z and is no valid
    test here: the null distribution is the limit Σ λ_i z_i², with the eigenvalues λ_i of the
    product K_r ∘ L_r / n entry by entry.

    Parameters
    ----------
    X, Y, Z : collection of n samples
        Three views of the same samples, row by row; Z is what is given.
    kernel_x, kernel_y, kernel_z : Kernel, str or callable, default="auto"
        The kernels. "auto" chooses one from each view alone. Hyperparameters of the kernel on Z are
        where the regressions start.
    null : {"gamma", "spectral"}, default="gamma"
        A Gamma distribution of the mean and variance of the limit, or draws of the limit itself,
        which needs the eigenvalues of an n × n matrix.
    random_state : int, Generator or None, default=None
        The seed of the draws.

    Returns
    -------
    ConditionalResult
        The statistic, the p-value, and remarks.

    Notes
    -----
    A small p-value may also mean that a regression on Z failed, because a kernel does not suit Z or
    the samples are few for the number of its columns. The documentation has measured levels.

    References
    ----------
    K. Zhang, J. Peters, D. Janzing and B. Schölkopf (2011). Kernel-based conditional independence
    test and application in causal discovery. Uncertainty in Artificial Intelligence, 804-813.

    R. D. Shah and J. Peters (2020). The hardness of conditional independence testing and the
    generalized covariance measure. The Annals of Statistics 48, 1514-1538.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import kci_test
    >>> z, a, b = np.random.default_rng(0).standard_normal((3, 200))
    >>> kci_test(z + a, z + b, z).rejects(), kci_test(z + a, z + a + b, z).rejects()
    (False, True)
    """
    choice("gamma", "spectral").check("null", null)
    given = (("X", X, kernel_x), ("Y", Y, kernel_y), ("Z", Z, kernel_z))
    views = [
        _positive(read_view(raw, name, kernel, "kci_test", mixed=False))
        for name, raw, kernel in given
    ]
    z = views[2]
    n = check_same_length(views)
    if n < _LEAST:
        rule = f"are too few for regressions, which need at least {_LEAST}"
        raise EmptyInputError("X", f"{n} samples", rule, "give more")
    matrices = [_matrix(view.kernel, view) for view in views]
    A, lack_a = _factor(_Rows(matrices[0], matrices[2]))  # X together with Z
    B, lack_b = _factor(_Rows(matrices[1]))
    regressions = tuple(learn_regression(z.kernel, z.samples, F) for F in (A, B))
    residual_a, residual_b = (
        residuals(F, _given(z, regression), regression.noise)
        for F, regression in zip((A, B), regressions)
    )
    statistic = float(np.sum((residual_a.T @ residual_b) ** 2)) / n
    constant = [view.name for view, K in zip(views[:2], matrices) if _is_constant(K)]
    remarks = [f"{name} is {SAME_FOR_ALL}" for name in constant]
    shared: dict[str, Any] = {
        "statistic": statistic,
        "kernel": [view.kernel for view in views],
        "n_samples": n,
        "forms": (_form(A, lack_a), _form(B, lack_b)),
        "method": null,
        "notes": (*all_notes(views), *remarks, _NEVER),
        "regressions": regressions,
    }
    if constant:
        return ConditionalResult(pvalue=1.0, **shared)
    if null == "gamma":
        pvalue = gamma_pvalue(statistic, *limit_moments(residual_a, residual_b))
        return ConditionalResult(pvalue=pvalue, **shared)
    draws = _limit_draws(residual_a, residual_b, generator(random_state))
    return ConditionalResult(pvalue=permutation_pvalue(statistic, draws), null=draws, **shared)


def limit_moments(A: np.ndarray, B: np.ndarray) -> tuple[float, float]:
    """Mean and variance of Σ λ_i z_i², the λ_i those of (AAᵀ) ∘ (BBᵀ)/n, by blocks of rows."""
    n = len(A)
    mean = float(np.sum(A**2, axis=1) @ np.sum(B**2, axis=1)) / n
    total = 0.0
    for start in range(0, n, _BLOCK):
        block = (A[start : start + _BLOCK] @ A.T) * (B[start : start + _BLOCK] @ B.T)
        total += float(np.vdot(block, block))
    return mean, 2.0 * total / n**2


def _limit_draws(A: np.ndarray, B: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draws of the limit of the statistic."""
    n = len(A)
    if not fits(n, n, COPY):
        remedy = f"use null='gamma', or {RAISE}"
        raise MemoryBudgetError("the matrix of the limit", f"{n} rows", "does not fit", remedy)
    return chi_squares(leading_eigenvalues((A @ A.T) * (B @ B.T) / n), rng)


def _positive(view: View) -> View:
    """The view with a positive definite kernel: products of kernels need one."""
    status = view.kernel.certificate().status
    if status == CPD:
        return dataclasses.replace(view, kernel=view.kernel.center().fit(view.samples))
    if status == INDEFINITE:
        rule = "is indefinite, and regressions need a positive definite kernel"
        raise DefinitenessError(f"kernel_{view.name.lower()}", view.kernel, rule, "see certificate")
    return view


class _Rows:
    """The product of Gram matrices, entry by entry, by its rows."""

    def __init__(self, *matrices: Matrix) -> None:
        self.matrices = matrices

    def row(self, i: int) -> np.ndarray:
        return np.prod([matrix.row(i) for matrix in self.matrices], axis=0)

    def diagonal(self) -> np.ndarray:
        return np.prod([matrix.diagonal() for matrix in self.matrices], axis=0)


def _matrix(kernel: Kernel, view: View) -> Matrix:
    return gram_matrix(kernel, kernel.prepare(Batch(view.samples)), plan_matrix(len(view), COPY))


def _is_constant(K: Matrix) -> bool:
    """Whether all samples have the same features: k(x_1, x_i) = k(x_i, x_i) for all i."""
    diagonal = K.diagonal()
    return bool(np.allclose(K.row(0), diagonal, 1e-12, 0.0) and np.ptp(diagonal) == 0.0)


def _factor(rows: _Rows) -> tuple[np.ndarray, float]:
    """A centered factor, and the share of the trace that it lacks."""
    diagonal = rows.diagonal()
    L = pivoted_cholesky(rows, min(len(diagonal), _MOST_RANK), _TOLERANCE)
    lack = 1.0 - float(np.sum(L**2)) / max(float(diagonal.sum()), 1e-300)
    return np.ascontiguousarray(L - L.mean(axis=0)), max(lack, 0.0)


def _given(z: View, regression: Regression) -> np.ndarray:
    """A factor of the centered Gram matrix of Z with the kernel that was learned."""
    return _factor(_Rows(_matrix(regression.kernel, z)))[0]


def _form(A: np.ndarray, lack: float) -> str:
    return f"factor of rank {A.shape[1]}, {lack:.1g} of the trace off"
