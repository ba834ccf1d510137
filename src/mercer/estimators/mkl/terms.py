"""The terms of a sum of kernels, and their Gram matrices on the training samples."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from mercer.errors import ParameterError
from mercer.estimators.common.training import Training
from mercer.estimators.common.validation import check_resolved
from mercer.gram.fill import dense
from mercer.gram.plan import FLOAT64, Plan, plan_stack, require_room
from mercer.kernels.base import Kernel
from mercer.kernels.combine.sums import Scaled, Sum
from mercer.solvers.mkl.grams import Grams, Recomputed, stored


class Terms:
    """Fitted kernels, of which some may share a weight.

    Each is divided by its mean diagonal k(x, x) on the training samples, so that weights compare
    kernels of any unit. A group is the mean of its kernels.

    Parameters
    ----------
    data : Training
        The samples, and the sum of the kernels.
    groups : sequence of labels or None
        A label for each kernel; kernels of one label share a weight.
    """

    def __init__(self, data: Training, groups: Sequence[Hashable] | None) -> None:
        assert isinstance(data.kernel, Sum)
        self.kernels: list[Kernel] = data.kernel.terms
        self.samples = data.prepared()
        self.root = np.sqrt(data.weight)
        self.members = _members(groups, len(self.kernels))
        for kernel in self.kernels:
            is_bias = kernel.is_constant  # the other kernels vary, or there was a warning
            check_resolved(kernel, data.samples(), must_differ=not is_bias)
        self.scale = self._mean_diagonals(data.weight)
        self.plan: Plan | None = None

    def _mean_diagonals(self, weight: np.ndarray) -> np.ndarray:
        scale = np.empty(len(self.kernels))
        for k, kernel in enumerate(self.kernels):
            diagonal = kernel.diagonal(self.samples[k])
            if not np.isfinite(diagonal).all():
                dense(kernel, self.samples[k], self.samples[k])  # an error that names the sample
            scale[k] = np.average(diagonal, weights=weight)
            if not scale[k] > 0:
                rule = "has a mean of k(x, x) that is not positive on these samples"
                raise ParameterError(f"kernels[{k}]", kernel, rule, "leave it out")
        return scale

    def grams(self) -> Grams:
        """The Gram matrices of all groups, stored where they fit the memory budget.

        Where only single precision fits, `learn` sees to it that this is enough.
        """
        n = len(self.samples)
        require_room(n, n, FLOAT64)
        self.plan = plan_stack(n, len(self.members))
        ones = np.ones(len(self.members))
        if self.plan.form == "triangles":
            return stored(self._group_gram, n, ones, self.plan.dtype)
        return Recomputed(self._group_gram, n, ones)

    def _group_gram(self, number: int) -> np.ndarray:
        """The mean of the divided matrices of a group, multiplied by the roots of the weights."""
        total: np.ndarray | None = None
        for k in self.members[number]:
            K = dense(self.kernels[k], self.samples[k], self.samples[k], FLOAT64)
            K /= self.scale[k] * len(self.members[number])
            total = K if total is None else np.add(total, K, out=total)
        assert total is not None
        if not (self.root == 1).all():
            total *= self.root[:, None]
            total *= self.root
        return total

    def each(self, by_group: np.ndarray) -> np.ndarray:
        """Values of all kernels from values of their groups."""
        values = np.empty(len(self.kernels))
        for number, group in enumerate(self.members):
            values[group] = by_group[number]
        return values

    def shares(self, by_group: np.ndarray) -> np.ndarray:
        """The share of every kernel in the mean of k(x, x), from that of the groups."""
        return self.each(by_group / np.array([len(group) for group in self.members]))

    def kernel(self, shares: np.ndarray) -> Sum:
        """The learned sum; kernels of weight 0 are not in it."""
        weights = shares / self.scale
        kept = np.flatnonzero(weights)
        return Sum(*(Scaled(float(weights[k]), self.kernels[k]) for k in kept))


def _members(groups: Sequence[Hashable] | None, count: int) -> list[list[int]]:
    """The kernels of each group, groups in the order in which they come first."""
    if groups is None:
        return [[k] for k in range(count)]
    labels = list(groups)
    if len(labels) != count:
        rule = f"must have a label for each of the {count} kernels"
        raise ParameterError("groups", groups, rule)
    members: dict[Hashable, list[int]] = {}
    for k, label in enumerate(labels):
        members.setdefault(label, []).append(k)
    return list(members.values())
