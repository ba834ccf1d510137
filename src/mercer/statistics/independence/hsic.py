"""The Hilbert-Schmidt independence criterion of two views of the same samples."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from mercer.aliases import KernelLike, RandomState, RawSamples
from mercer.errors import ParameterError
from mercer.markup import shortened
from mercer.params import choice, integer
from mercer.statistics.independence.null import (
    chi_squares,
    cross_sum,
    gamma_pvalue,
    leading_eigenvalues,
    permutation_moments,
    permuted_sums,
)
from mercer.statistics.independence.views import (
    Centered,
    all_notes,
    centered,
    check_same_length,
    read_view,
)
from mercer.statistics.permutations import (
    all_tied,
    check_permutations,
    generator,
    group_numbers,
    permutation_pvalue,
    too_few,
    warn_of_permutations,
)
from mercer.statistics.result import TestResult

_NULLS = ("permutation", "gamma", "spectral")
_LEAST = 6  # samples for which a formula of the null distribution makes any sense
_FEW_ORDERS = 20  # fewer permutations than this cannot reject at 5 %
SAME_FOR_ALL = "the same for all samples, so that nothing depends on it"


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class IndependenceResult(TestResult):
    """The result of a test of independence, with the attributes of `TestResult`.

    Attributes
    ----------
    n_samples : int
        The number of samples.
    forms : tuple of str
        How the centered Gram matrix of each view was held.
    method : str
        The null distribution: "permutation", "gamma" or "spectral".
    """

    title: ClassVar[str] = "HSIC"
    hypothesis: ClassVar[str] = "the views are independent"
    symbol: ClassVar[str] = "HSIC"

    n_samples: int = 0
    forms: tuple[str, ...] = ()
    method: str = "permutation"

    def kernel_text(self) -> str:
        """The kernels of all views, as algebra."""
        kernels = self.kernel if isinstance(self.kernel, list) else [self.kernel]
        return ", ".join(shortened(str(kernel)) for kernel in kernels)

    def facts(self) -> dict[str, Any]:
        """Samples, the forms of the matrices, and how far the statistic stands out."""
        facts: dict[str, Any] = {"n_samples": self.n_samples, "null": self.method}
        if self.null is not None and float(np.std(self.null)) > 0:
            excess = (self.statistic - float(np.mean(self.null))) / float(np.std(self.null))
            facts["excess"] = f"{excess:.2f} standard deviations of the null"
        facts["matrices"] = list(dict.fromkeys(self.forms))
        return facts


def hsic_test(
    X: RawSamples,
    Y: RawSamples,
    *,
    kernel_x: KernelLike = "auto",
    kernel_y: KernelLike = "auto",
    null: str = "permutation",
    n_permutations: int = 999,
    groups: ArrayLike | None = None,
    rank: int | None = None,
    random_state: RandomState = None,
) -> IndependenceResult:
    """Test whether two views of the same samples are independent.

    The statistic is HSIC = tr(KHLH)/n², the squared Hilbert-Schmidt norm of the covariance of φ(x)
    and ψ(y). It is 0 in the population exactly if x and y are independent, where both kernels are
    characteristic. Two kernels that are only conditionally positive definite are right, too: with
    ``NegativeDistance()`` for both, HSIC is the squared distance covariance.

    Parameters
    ----------
    X, Y : collection of n samples
        Two views of the same samples, row by row: tables, strings, sets, graphs, series, or numbers
        in a row.
    kernel_x, kernel_y : Kernel, str or callable, default="auto"
        The kernels. "auto" is the sum of a wide and of a narrow kernel that suit the view, chosen
        from each view alone, so that permutations remain valid.
    null : {"permutation", "gamma", "spectral"}, default="permutation"
        The null distribution. Permutations of the rows of ``Y`` give an exact level for any n.
        "gamma" takes a Gamma distribution of the mean and variance over all permutations, and
        "spectral" the limit Σ λ_i μ_j z², of independent samples and many rows.
    n_permutations : int, default=999
        How many permutations are drawn.
    groups : array_like of shape (n,), optional
        Labels of dependent rows. Whole groups are permuted, those of the same size among each
        other, and rows keep their order inside.
    rank : int, optional
        Use factors of at most this rank in the place of Gram matrices; their error is reported.
        Without it they are used where they are exact, or where matrices do not fit the budget.
    random_state : int, Generator or None, default=None
        The seed of the permutations.

    Returns
    -------
    IndependenceResult
        The statistic, the p-value, the null distribution, and remarks.

    References
    ----------
    A. Gretton, K. Fukumizu, C. H. Teo, L. Song, B. Schölkopf and A. J. Smola (2008). A kernel
    statistical test of independence. Advances in Neural Information Processing Systems 20, 585-592.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import hsic_test
    >>> x = np.random.default_rng(0).uniform(-1.0, 1.0, 100)
    >>> result = hsic_test(x, x**2, random_state=0)  # uncorrelated, but not independent
    >>> result.pvalue
    0.001
    """
    choice(*_NULLS).check("null", null)
    if rank is not None:
        integer(1).check("rank", rank)
    views = [read_view(X, "X", kernel_x, "hsic_test"), read_view(Y, "Y", kernel_y, "hsic_test")]
    n = check_same_length(views)
    K, L = (centered(view, rank) for view in views)
    notes = all_notes(views) + _notes(K, L)
    shared: dict[str, Any] = {
        "kernel": [view.kernel for view in views],
        "n_samples": n,
        "forms": (K.text(), L.text()),
        "method": null,
    }
    rng = generator(random_state)
    if null == "permutation":
        numbers = None if groups is None else group_numbers(groups, n)
        count = check_permutations(n_permutations)
        return by_permutations(K, L, count, rng, numbers, notes, shared)
    _check_formula(null, n, groups)
    warn_of_permutations(n_permutations, f"null={null!r}")
    statistic = cross_sum(K, L, np.arange(n)) / n**2
    if null == "gamma":
        mean, variance = permutation_moments(K.matrix(), L.matrix())
        pvalue = gamma_pvalue(statistic * n**2, mean, variance)
        return IndependenceResult(statistic=statistic, pvalue=pvalue, notes=notes, **shared)
    draws = _spectral_draws(K, L, rng)
    pvalue = permutation_pvalue(statistic, draws)
    notes += (
        f"the null distribution is a limit for many samples, of which {len(draws)} were drawn",
    )
    return IndependenceResult(statistic=statistic, pvalue=pvalue, null=draws, notes=notes, **shared)


def by_permutations(
    K: Centered,
    L: Centered,
    count: int,
    rng: np.random.Generator,
    groups: np.ndarray | None,
    notes: tuple[str, ...],
    shared: dict[str, Any],
) -> IndependenceResult:
    """The test by permutations of the rows of the second view."""
    n = len(K.array)

    def value(order: np.ndarray) -> float:
        return cross_sum(K, L, order) / n**2

    statistic = value(np.arange(n))
    if K.constant or L.constant:
        null = np.zeros(count)
    else:
        null = permuted_sums(value, n, count, rng, groups)
        notes += () if few_orders(n, groups) else all_tied(statistic, null)
    return IndependenceResult(
        statistic=statistic,
        pvalue=permutation_pvalue(statistic, null),
        null=null,
        n_permutations=count,
        notes=notes + few_orders(n, groups) + too_few(count),
        **shared,
    )


def few_orders(n: int, groups: np.ndarray | None) -> tuple[str, ...]:
    """A remark where there are too few different permutations to reject anything."""
    sizes = [n] if groups is None else np.unique(np.bincount(groups), return_counts=True)[1]
    orders = math.prod(math.factorial(min(int(size), 10)) for size in sizes)
    if orders >= _FEW_ORDERS:
        return ()
    return (f"there are only {orders} different permutations: the test cannot reject at 5 %",)


def _notes(K: Centered, L: Centered) -> tuple[str, ...]:
    """Notes on the Gram matrices."""
    notes = []
    for name, form in (("X", K), ("Y", L)):
        if form.constant:
            notes.append(f"{name} is {SAME_FOR_ALL}")
        if form.factor and form.trace_error > 1e-10:
            error = f"{100 * form.trace_error:.2g} % of its trace"
            notes.append(f"the factor of {name} lacks {error}: the level holds, some power is lost")
    return tuple(notes)


def _check_formula(null: str, n: int, groups: ArrayLike | None) -> None:
    """Refuse formulas where they are not valid."""
    if groups is not None:
        rule = "assumes independent rows, which groups are not"
        raise ParameterError("null", null, rule, "use null='permutation' with groups")
    if n < _LEAST:
        rule = f"needs at least {_LEAST} samples, and there are {n}"
        raise ParameterError("null", null, rule, "use null='permutation'")


def _spectral_draws(K: Centered, L: Centered, rng: np.random.Generator) -> np.ndarray:
    """Draws of Σ_ij λ_i μ_j z_ij²/n², which HSIC has as its limit under independence."""
    n = len(K.array)
    left, right = leading_eigenvalues(K.matrix()), leading_eigenvalues(L.matrix())
    weights = np.sort((left[:, None] * right).ravel())[::-1]
    weights = weights[weights > 1e-6 * weights[:1].sum()]
    return chi_squares(weights, rng) / n**3
