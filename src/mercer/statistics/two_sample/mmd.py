"""The test of two samples by the maximum mean discrepancy."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from mercer.aliases import KernelLike, RandomState, RawSamples
from mercer.domains.base import Batch, raw_length
from mercer.errors import ParameterError, warn_ignored
from mercer.kernels.base import Kernel
from mercer.params import choice
from mercer.proposals.registry import is_auto
from mercer.statistics.automatic_kernel import automatic_kernels, fitted_kernel, kernels_of_ranks
from mercer.statistics.permutations import (
    all_tied,
    check_permutations,
    generator,
    permutation_pvalue,
    warn_of_permutations,
)
from mercer.statistics.result import kernel_notes
from mercer.statistics.samples import as_samples, pooled, same_in_any_order
from mercer.statistics.two_sample.aggregation import aggregated
from mercer.statistics.two_sample.design import Design, free_design, paired_design
from mercer.statistics.two_sample.large import block_test, cross_test
from mercer.statistics.two_sample.result import MMDResult
from mercer.statistics.two_sample.unbiased import equal_rows, unbiased_values

_SAME = "the two samples have the same mean in feature space, as equal samples do: p = 1"
_BY_FORMULA = {"cross": cross_test, "block": block_test}


def mmd_test(
    X: RawSamples,
    Y: RawSamples,
    kernel: KernelLike = "auto",
    *,
    method: str = "auto",
    paired: bool = False,
    groups: Any = None,
    n_permutations: int = 999,
    block_size: int | None = None,
    random_state: RandomState = None,
) -> MMDResult:
    """Test whether two samples come from the same distribution, by the maximum mean discrepancy.

    MMD is the distance of the means of two distributions in the feature space of a kernel. Where
    the kernel is characteristic, as `RBF` is, it is 0 only if the distributions are equal. Samples
    may be of any kind that a kernel reads: vectors, tables with categories and missing values,
    strings, texts, sets, graphs, trees, series.

    Parameters
    ----------
    X, Y : collections of samples
        The two samples. Columns of data frames are matched by name.
    kernel : Kernel, str, callable, list of them, or "auto", default="auto"
        The kernel. "auto" takes one that suits the samples, looking at both together. Several
        kernels are aggregated.
    method : {"auto", "quadratic", "aggregated", "cross", "block"}, default="auto"
        "quadratic" compares all pairs of rows, and permutes. "aggregated" does so for several
        kernels and combines their statistics, so that no width has to be guessed. "cross"
        compares one half of the rows with the other, and "block" those of small blocks; both use
        a normal null distribution instead of permutations, for many rows. "auto" is "aggregated"
        for a list of kernels and for ``kernel="auto"``, else "quadratic".
    paired : bool, default=False
        Whether row i of X belongs to row i of Y, as measurements before and after do: then the two
        rows of a pair are swapped at random.
    groups : array-like of shape (n_X + n_Y,), or a pair of arrays, optional
        Labels of rows that depend on each other, those of X first. Groups that lie in one sample
        are permuted as a whole; where every group has rows of both samples, rows are permuted
        within groups. With ``paired``, one label for each pair.
    n_permutations : int, default=999
        How many permutations are drawn.
    block_size : int, optional
        Rows of each sample in a block, for ``method="block"``; √n by default.
    random_state : int, Generator or None, default=None
        Where permutations and halves are drawn from.

    Returns
    -------
    MMDResult
        Statistic, p-value, the statistics of all permutations, the witness function, and notes.

    Notes
    -----
    The level of permutation tests is exact, for any kernel and any number of rows, if rows are
    independent, or grouped. No matrix of n² values is stored: n rows and p permutations need
    n × p bytes and a few tiles.

    References
    ----------
    Gretton, Borgwardt, Rasch, Schölkopf and Smola, "A kernel two-sample test", JMLR 13, 2012.
    Biggs, Schrab and Gretton, "MMD-FUSE: learning and combining kernels for two-sample testing
    without data splitting", NeurIPS 2023.
    Chatterjee and Bhattacharya, "Boosting the power of kernel two-sample tests", Biometrika, 2024.
    Shekhar, Kim and Ramdas, "A permutation-free kernel two-sample test", NeurIPS 2022.
    Zaremba, Gretton and Blaschko, "B-tests: low variance kernel two-sample tests", NIPS 2013.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import mmd_test
    >>> rng = np.random.default_rng(0)
    >>> X, Y = rng.standard_normal((100, 2)), 1.5 * rng.standard_normal((80, 2))
    >>> result = mmd_test(X, Y, random_state=0)
    >>> result.pvalue < 0.01, result.method
    (True, 'aggregated')
    >>> mmd_test(["aab", "aba"] * 9, ["abb", "bab"] * 9, random_state=0).rejects(0.01)
    True
    """
    method = _chosen_method(method, kernel)
    X, Y = as_samples(X, "X", kernel), as_samples(Y, "Y", kernel)
    Z = pooled(X, Y)
    n, rng = raw_length(X), generator(random_state)
    if block_size is not None and method != "block":
        warn_ignored("block_size", block_size, f'method="{method}" has no blocks')
    if method in _BY_FORMULA:
        warn_of_permutations(n_permutations, f'method="{method}"')
        _refuse_structure(method, paired, groups)
        fitted, notes = _one_kernel(kernel, Z)
        result = _BY_FORMULA[method](fitted, Z, n, rng, notes, block_size)
        if equal_rows(fitted, Z, n) or same_in_any_order(X, Y):
            return dataclasses.replace(result, pvalue=1.0, notes=(_SAME, *result.notes))
        return result
    count = check_permutations(n_permutations)
    if paired:
        design, notes = paired_design(n, raw_length(Y), count, rng, groups)
    else:
        design, notes = free_design(n, raw_length(Y), count, rng, groups)
    if method == "aggregated":
        return _aggregated(kernel, Z, design, notes)
    fitted, about = _one_kernel(kernel, Z)
    values = unbiased_values(fitted, Z, design)
    return _result(values.squared, values.same, design, Z, kernel=fitted, notes=(*about, *notes))


def _chosen_method(method: str, kernel: KernelLike) -> str:
    """The method that "auto" stands for; others are checked against the kernel."""
    choice("auto", "quadratic", "aggregated", "cross", "block").check("method", method)
    several = isinstance(kernel, (list, tuple))
    if method == "auto":
        return "aggregated" if several or is_auto(kernel) else "quadratic"
    if several and method != "aggregated":
        rule = "takes one kernel"
        raise ParameterError("method", method, rule, 'give one, or method="aggregated"')
    return method


def _refuse_structure(method: str, paired: bool, groups: Any) -> None:
    """Methods without permutations know independent rows only."""
    if paired or groups is not None:
        rule = "is for independent rows, without pairs and groups"
        raise ParameterError("method", method, rule, 'use method="quadratic"')


def _one_kernel(kernel: KernelLike, Z: RawSamples) -> tuple[Kernel, tuple[str, ...]]:
    fitted, notes = fitted_kernel(kernel, Z)
    return fitted, (*notes, *kernel_notes(fitted, "mmd_test"))


def _aggregated(
    kernel: KernelLike, Z: RawSamples, design: Design, notes: tuple[str, ...]
) -> MMDResult:
    """The test over several kernels."""
    given = [kernel]
    ranked: list[Kernel] = []
    if is_auto(kernel):
        given, ranked = automatic_kernels(Z), kernels_of_ranks(Z)
        notes = ("kernels were chosen from both samples together", *notes)
    elif isinstance(kernel, (list, tuple)):
        given = list(kernel)
    if not given:
        raise ParameterError("kernel", kernel, "holds no kernel", "give at least one")
    batch = Batch(Z)
    fitted = [_one_kernel(each, Z) for each in given]
    kernels = [each for each, _ in fitted] + [each.fit(Z) for each in ranked]
    about = [remark for _, remarks in fitted for remark in remarks]
    values = [unbiased_values(each, batch, design) for each in kernels]
    squared = np.array([each.squared for each in values])
    statistics, shares = aggregated(squared, len(given))
    notes = (*dict.fromkeys(about), *notes)
    same = all(each.same for each in values)
    return _result(statistics, same, design, Z, kernel=kernels, notes=notes, shares=shares)


def _result(
    statistics: np.ndarray,
    same: bool,
    design: Design,
    Z: RawSamples,
    *,
    kernel: Kernel | list[Kernel],
    notes: tuple[str, ...],
    shares: np.ndarray | None = None,
) -> MMDResult:
    """The result of a test by permutations; the first value is that of the samples as given."""
    statistic, null = float(statistics[0]), statistics[1:]
    pvalue, remarks = permutation_pvalue(statistic, null), all_tied(statistic, null)
    if same:
        pvalue, remarks = 1.0, (_SAME,)
    return MMDResult(
        statistic=statistic,
        pvalue=pvalue,
        null=null,
        kernel=kernel,
        n_permutations=len(null),
        notes=(*remarks, *notes),
        method="quadratic" if shares is None else "aggregated",
        n_first=design.n_first,
        n_second=design.n_second,
        pooled=Z,
        shares=shares,
        paired=design.paired,
    )
