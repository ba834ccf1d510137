"""dHSIC: joint independence of several views of the same samples."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from mercer import _compiled
from mercer.aliases import KernelLike, RandomState, RawSamples
from mercer.definiteness import CPD
from mercer.errors import MemoryBudgetError, ParameterError, ShapeError
from mercer.gram.plan import PRODUCTS, RAISE, fits
from mercer.statistics.independence.hsic import IndependenceResult, few_orders
from mercer.statistics.independence.null import values_of
from mercer.statistics.independence.views import (
    View,
    all_notes,
    centered_matrix,
    check_same_length,
    read_view,
)
from mercer.statistics.permutations import (
    all_tied,
    check_permutations,
    generator,
    group_numbers,
    permutation_pvalue,
    row_permutations,
    too_few,
)

_ROUNDING = 1e-14  # share of the terms that is left of independent views, by rounding
_BLOCK = 2**22  # entries of the permutations that are drawn at a time


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class JointResult(IndependenceResult):
    """The result of a test of joint independence, with the attributes of `IndependenceResult`."""

    title: ClassVar[str] = "dHSIC"
    hypothesis: ClassVar[str] = "the views are jointly independent"
    symbol: ClassVar[str] = "dHSIC"


def dhsic_test(
    *views: RawSamples,
    kernels: KernelLike | Sequence[KernelLike] = "auto",
    n_permutations: int = 999,
    groups: ArrayLike | None = None,
    random_state: RandomState = None,
) -> JointResult:
    """Test whether several views of the same samples are jointly independent.

    The statistic is the squared distance between the mean of φ₁(x) ⊗ ... ⊗ φ_d(x) and the tensor
    product of the means, and each view but the first is permuted on its own. Three views can be
    dependent although any two of them are independent. With two views it is HSIC.

    Parameters
    ----------
    *views : collections of n samples
        Two or more views of the same samples, row by row.
    kernels : Kernel, str or callable, or a list of them, default="auto"
        The kernel of all views, or one for each. "auto" chooses one from each view alone. For three
        views or more, a kernel that is only conditionally positive definite is replaced by the
        positive one that it induces, ⟨φ(x) − μ, φ(y) − μ⟩ + c, with the mean μ of φ and c the mean
        of ‖φ(x) − μ‖²; without c, dependence of two views alone would go unseen.
    n_permutations : int, default=999
        How many permutations are drawn.
    groups : array_like of shape (n,), optional
        Labels of dependent rows. Whole groups are permuted, those of the same size among each
        other, and rows keep their order inside.
    random_state : int, Generator or None, default=None
        The seed of the permutations.

    Returns
    -------
    JointResult
        The statistic, the p-value, the null distribution, and remarks.

    References
    ----------
    N. Pfister, P. Bühlmann, B. Schölkopf and J. Peters (2018). Kernel-based tests for joint
    independence. Journal of the Royal Statistical Society B 80, 5-31.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import dhsic_test
    >>> x, y = np.random.default_rng(0).choice([-1.0, 1.0], (2, 60))
    >>> dhsic_test(x, y, x * y, random_state=0).pvalue  # any two are independent
    0.001
    """
    read = _read(views, kernels)
    n, count = check_same_length(read), check_permutations(n_permutations)
    stack = _matrices(read)
    means = stack.mean(axis=2)
    constant = float(np.prod(means.mean(axis=1)))

    def value(orders: np.ndarray) -> float:
        joint = _compiled.permuted.permuted_product(stack, orders, np.empty(n)) / n**2
        moved = np.take_along_axis(means, orders, axis=1)
        mixed = float(np.mean(np.prod(moved, axis=0)))
        difference = float(joint) + constant - 2.0 * mixed
        return difference if abs(difference) > _ROUNDING * abs(joint) else 0.0

    rng = generator(random_state)
    numbers = None if groups is None else group_numbers(groups, n)
    statistic = value(np.tile(np.arange(n), (len(read), 1)))
    null = _permuted(value, stack, count, rng, numbers)
    few = few_orders(n, numbers)
    notes = all_notes(read) + _tensor_notes(read) + few + too_few(count)
    if not few:
        notes += all_tied(statistic, null)
    return JointResult(
        statistic=statistic,
        pvalue=permutation_pvalue(statistic, null),
        null=null,
        kernel=[view.kernel for view in read],
        n_permutations=count,
        notes=notes,
        n_samples=n,
        forms=(f"{len(read)} matrices of {n} rows",),
    )


def _read(views: tuple[RawSamples, ...], kernels: KernelLike | Sequence[KernelLike]) -> list[View]:
    """The views with their kernels."""
    if len(views) < 2:
        rule = "of independence needs at least two views"
        raise ShapeError("views", f"{len(views)} views", rule, "give dhsic_test(X, Y, Z)")
    each = [kernels] * len(views)
    if isinstance(kernels, (list, tuple)):
        each = list(kernels)
    if len(each) != len(views):
        rule = f"must be one kernel, or one for each of the {len(views)} views"
        raise ParameterError("kernels", f"{len(each)} kernels", rule)
    pairs = enumerate(zip(views, each, strict=True), start=1)
    return [read_view(raw, f"view {i}", kernel, "dhsic_test") for i, (raw, kernel) in pairs]


def _matrices(views: list[View]) -> np.ndarray:
    """The Gram matrices of all views, one after the other."""
    n, n_views = len(views[0]), len(views)
    if not fits(n_views * n, n, PRODUCTS):
        rule = "exceed half the memory budget"
        remedy = f"take fewer rows, test two views at a time by hsic_test, or {RAISE}"
        raise MemoryBudgetError("Gram matrices", f"{n_views} of {n} rows", rule, remedy)
    stack = np.empty((n_views, n, n))
    for number, view in enumerate(views):
        stack[number] = _matrix(view, several=n_views > 2)
    return stack


def _matrix(view: View, several: bool) -> np.ndarray:
    """The Gram matrix of a view; for several views that of a positive definite kernel."""
    if view.kernel.certificate().status != CPD:
        return np.asarray(view.kernel(view.samples), dtype=np.float64)
    K = centered_matrix(view)
    return K + np.trace(K) / len(K) if several else K


def _permuted(
    value: Callable[[np.ndarray], float],
    stack: np.ndarray,
    count: int,
    rng: np.random.Generator,
    groups: np.ndarray | None,
) -> np.ndarray:
    """The statistic where every view but the first is permuted on its own."""
    n_views, n = stack.shape[:2]
    step = max(1, _BLOCK // (n * n_views))
    parts = []
    for start in range(0, count, step):
        size = min(step, count - start)
        orders = np.tile(np.arange(n), (size, n_views, 1))
        for number in range(1, n_views):
            orders[:, number] = row_permutations(n, size, rng, groups)
        parts.append(values_of(value, orders))
    return np.concatenate(parts)


def _tensor_notes(views: list[View]) -> tuple[str, ...]:
    """A remark where kernels are characteristic, but their tensor product need not be."""
    if len(views) < 3:
        return ()
    notes = []
    for view in views:
        certificate = view.kernel.certificate()
        if certificate.status == CPD:
            notes.append(f"{view.kernel} is used as the positive definite kernel that it induces")
        elif certificate.characteristic == "yes" and not certificate.means.signed:
            notes.append(
                f"{view.kernel} is characteristic, but not for signed measures: of three"
                " views or more, dependence of some of them may go unseen"
            )
    return tuple(dict.fromkeys(notes))
