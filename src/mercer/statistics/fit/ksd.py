"""The kernel Stein discrepancy: whether samples come from a density, known up to a factor."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from mercer.aliases import KernelLike, RandomState, RawSamples
from mercer.errors import InputTypeError, ParameterError, ShapeError
from mercer.execution.threads import run
from mercer.execution.workspace import Workspace
from mercer.gram.plan import rows_at_a_time
from mercer.kernels.base import Kernel
from mercer.kernels.vectors.gaussian_mixtures import RationalQuadratic
from mercer.proposals.registry import is_auto
from mercer.statistics.automatic_kernel import fitted_kernel
from mercer.statistics.fit.samplers import Sampler, sampler_of
from mercer.statistics.fit.scores import ScoreLike, score_function
from mercer.statistics.fit.stein import Term, stein_block, stein_terms
from mercer.statistics.permutations import (
    check_permutations,
    generator,
    group_numbers,
    permutation_pvalue,
    signs_of,
)
from mercer.statistics.result import TestResult, kernel_notes
from mercer.statistics.samples import as_samples

_MANY = 200  # samples from which the level was measured
_SKEWED = 0.01  # skewness² over the number of rows, up to which the level was seen to hold
_SIMULATED = 500  # rows up to which samples are simulated where scores are skewed
_ROWS = 128  # of the Stein kernel at a time
_SIGNS = 2**24  # entries of the matrix of signs at a time


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class FitResult(TestResult):
    """The result of a test of goodness of fit, with the attributes of `TestResult`.

    Attributes
    ----------
    n_samples : int
        The number of samples.
    scores : ndarray of shape (n_samples, n_columns)
        ∇ log p at the samples.
    how : str
        Where the null distribution comes from: "wild bootstrap" or "samples of the density".
    """

    title: ClassVar[str] = "KSD"
    hypothesis: ClassVar[str] = "the samples come from the density"
    symbol: ClassVar[str] = "KSD²"

    n_samples: int = 0
    scores: np.ndarray = dataclasses.field(default_factory=lambda: np.zeros((0, 0)), repr=False)
    how: str = "wild bootstrap"

    def facts(self) -> dict[str, Any]:
        """The number of samples, and how far the statistic stands out."""
        facts: dict[str, Any] = {"n_samples": self.n_samples, "null": self.how}
        if self.null is not None and float(np.std(self.null)) > 0:
            excess = (self.statistic - float(np.mean(self.null))) / float(np.std(self.null))
            facts["excess"] = f"{excess:.2f} standard deviations of the null"
        return facts


def ksd_test(
    X: RawSamples,
    score: ScoreLike,
    *,
    kernel: KernelLike = "auto",
    n_permutations: int = 999,
    groups: ArrayLike | None = None,
    null: str = "auto",
    random_state: RandomState = None,
) -> FitResult:
    """Test whether samples come from a density p that is known up to a factor.

    All that is asked of p is its score ∇ log p, from which the factor drops out. The statistic is
    the kernel Stein discrepancy KSD² = Σ_ij h(x_i, x_j)/n² with the Stein kernel h of p, and the
    null distribution that of Σ_ij ε_i ε_j h(x_i, x_j)/n² with random signs ε (wild bootstrap), or
    that of KSD² of samples drawn from p.

    Parameters
    ----------
    X : array-like of shape (n, d)
        The samples, rows of numbers.
    score : callable, or a distribution
        A function of rows that returns ∇ log p, one row for each; or something that has a score: a
        fitted `KernelDensity` with a smooth window, a fitted GaussianMixture of scikit-learn, a
        frozen continuous distribution of SciPy, or a list of such, one for each column.
    kernel : Kernel or str, default="auto"
        A radial kernel with second derivatives: RBF, RationalQuadratic, InverseMultiquadric,
        Matern(nu=2.5), and sums of them. "auto" is (1 + Σ (x_j − y_j)²/ℓ_j²)^(−½), a kernel whose
        tails are heavy enough to see samples that are too wide, with ℓ_j from the samples.
    n_permutations : int, default=999
        How many vectors of signs, or samples of the density, are drawn.
    groups : array_like of shape (n,), optional
        Labels of dependent rows, which have the same sign.
    null : {"auto", "bootstrap", "simulated"}, default="auto"
        The null distribution: random signs, or samples of the density, which hold the level for any
        density and number of rows but cost as much as the test, `n_permutations` times. They need a
        distribution instead of a function. "auto" simulates where scores are skewed and there are
        up to 500 rows.
    random_state : int, Generator or None, default=None
        The seed of the signs or samples.

    Returns
    -------
    FitResult
        The statistic, the p-value, the null distribution, and remarks.

    Notes
    -----
    Stein's identity needs a density that vanishes at the boundary of its support; distributions of
    SciPy are checked for that. Mixtures of far components have nearly the same score whatever the
    weights of these, so that no test by scores sees wrong weights. Random signs are symmetric:
    where scores are skewed, as those of many densities that end at 0, they reject too often, and a
    note says so.

    References
    ----------
    K. Chwialkowski, H. Strathmann and A. Gretton (2016). A kernel test of goodness of fit.
    International Conference on Machine Learning, 2606-2615.

    J. Gorham and L. Mackey (2017). Measuring sample quality with kernels. International Conference
    on Machine Learning, 1292-1301.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import ksd_test
    >>> X = np.random.default_rng(0).standard_normal((300, 2))
    >>> ksd_test(X, lambda x: -x, random_state=0).rejects()
    False
    >>> ksd_test(X + 0.4, lambda x: -x, random_state=0).pvalue
    0.001
    """
    rows = _numbers(X)
    n, d = rows.shape
    count = check_permutations(n_permutations)
    chosen, notes = _kernel(kernel, rows)
    terms = stein_terms(chosen, d)
    scores = score_function(score, d)(rows)
    rng, remarks, how = generator(random_state), _few(n) + _skewed(scores), "wild bootstrap"
    sampler = _sampler(null, score, groups, bool(_skewed(scores)) and n <= _SIMULATED)
    if sampler is None:
        numbers = None if groups is None else group_numbers(groups, n)
        statistic, values = _statistics(terms, rows, scores, count, rng, numbers)
    else:
        remarks, how = (), "samples of the density"
        statistic = _discrepancy(terms, rows, scores)
        values = np.empty(count)
        for number in range(count):
            drawn = _numbers(sampler(n, rng))
            terms = stein_terms(_kernel(kernel, drawn)[0], d)
            values[number] = _discrepancy(terms, drawn, score_function(score, d)(drawn))
    return FitResult(
        statistic=statistic,
        pvalue=permutation_pvalue(statistic, values),
        null=values,
        kernel=chosen,
        n_permutations=count,
        notes=(*notes, *kernel_notes(chosen, "ksd_test", conditional=False), *remarks),
        n_samples=n,
        scores=scores,
        how=how,
    )


def _sampler(
    null: str, score: ScoreLike, groups: ArrayLike | None, is_needed: bool
) -> Sampler | None:
    """What draws the samples of the null distribution; None for random signs."""
    if null not in ("auto", "bootstrap", "simulated"):
        raise ParameterError("null", null, "must be 'auto', 'bootstrap' or 'simulated'")
    if null == "bootstrap" or (null == "auto" and not (is_needed and groups is None)):
        return None
    sampler = sampler_of(score)
    if null == "simulated" and (sampler is None or groups is not None):
        rule = "needs a density that can be sampled, and independent rows"
        remedy = "give a distribution as the score and no groups, or null='bootstrap'"
        raise ParameterError("null", null, rule, remedy)
    return sampler


def _discrepancy(terms: list[Term], X: np.ndarray, S: np.ndarray) -> float:
    """KSD² of some samples."""
    return float(quadratic_forms(terms, X, S, np.ones((len(X), 1)))[0])


def _numbers(X: RawSamples) -> np.ndarray:
    """The samples as rows of finite numbers."""
    samples = as_samples(X, "X")
    try:
        rows = np.asarray(samples, dtype=np.float64)
    except (TypeError, ValueError):
        rule = "does not hold numbers, of which the score is a gradient"
        raise InputTypeError("X", type(X).__name__, rule, "give rows of numbers") from None
    if rows.ndim != 2:
        rule = "must be a table of numbers, one row for each sample"
        raise ShapeError("X", f"array of shape {rows.shape}", rule)
    if not np.isfinite(rows).all():
        at = int(np.flatnonzero(~np.isfinite(rows).all(axis=1))[0])
        raise ShapeError("X", f"row {at}", "has values that are not finite", "drop or fill it")
    return rows


def _kernel(kernel: KernelLike, rows: np.ndarray) -> tuple[Kernel, tuple[str, ...]]:
    if not is_auto(kernel):
        return fitted_kernel(kernel, rows)
    with np.errstate(over="ignore", invalid="ignore"):
        spread = np.sqrt(rows.shape[1]) * rows.std(axis=0)
    if not np.isfinite(spread).all():
        size = f"values up to {np.abs(rows).max():.3g}"
        raise ParameterError("X", size, "have no finite variance", "scale the samples")
    lengths = [float(f"{value or 1.0:.4g}") for value in spread]
    note = "the widths of the kernel are standard deviations of the samples, times √d"
    return RationalQuadratic(length_scale=lengths, alpha=0.5), (note,)


def _few(n: int) -> tuple[str, ...]:
    if n >= _MANY:
        return ()
    return (
        f"the wild bootstrap is right for many samples: its level was measured from {_MANY} on",
    )


def _skewed(scores: np.ndarray) -> tuple[str, ...]:
    """A remark where random signs, which are symmetric, stand for scores that are not."""
    with np.errstate(over="ignore"):
        deviation = scores.std(axis=0)
        z = (scores - scores.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0)
    skewness = np.mean(z**3, axis=0)
    worst = int(np.argmax(np.abs(skewness)))
    if skewness[worst] ** 2 <= _SKEWED * len(scores):
        return ()
    return (
        f"the scores of column {worst} are skewed (skewness {skewness[worst]:.2g}), for which p is"
        " too small: test rows on another scale, such as their logarithms, whose scores are not",
    )


def _statistics(
    terms: list[Term],
    X: np.ndarray,
    S: np.ndarray,
    count: int,
    rng: np.random.Generator,
    groups: np.ndarray | None,
) -> tuple[float, np.ndarray]:
    """KSD² with signs that are all 1, and with random ones; some columns of signs at a time."""
    n = len(X)
    step = max(1, _SIGNS // n)
    parts = []
    for start in range(0, count, step):
        signs = np.ones((n, 1 + min(step, count - start)))
        signs[:, 1:] = signs_of(n, signs.shape[1] - 1, rng, groups)
        parts.append(quadratic_forms(terms, X, S, signs))
    return float(parts[0][0]), np.concatenate([part[1:] for part in parts])


def quadratic_forms(
    terms: list[Term], X: np.ndarray, S: np.ndarray, signs: np.ndarray
) -> np.ndarray:
    """εᵀHε/n² for every column of signs, by blocks of rows of H, of which none is kept."""
    n = len(X)
    height = rows_at_a_time(n, 0.02, most=_ROWS)
    starts = range(0, n, height)
    parts = np.empty((len(starts), signs.shape[1]))

    def task(number: int, work: Workspace) -> None:
        work.serial_blas()
        start = starts[number]
        stop = min(n, start + height)
        block = stein_block(terms, X, S, start, stop)
        parts[number] = np.einsum("ij,ij->j", signs[start:stop], block @ signs)

    run(len(starts), task, "Stein kernel")
    return parts.sum(axis=0) / n**2
