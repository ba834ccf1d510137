"""Ridge regression without some of its samples, in closed form for all new samples.

The solution of (K + D) a + b = z, with D a positive diagonal and with Σ a = 0 where there is a bias
b, is linear in the targets: a = M z and b = hᵀz. Let e = (M_BB)⁻¹ a_B for a group B of samples.
Then the solution without the group misses its targets by e, and at any x it is lower by
(k(x)ᵀM + hᵀ)_B e. Groups of one sample give the models of leave-one-out, larger ones those of
cross-validation.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from mercer.solvers.ridge.leave_one_out import leave_one_out


@dataclasses.dataclass
class Removal:
    """The maps from targets to coefficients and bias, and the coefficients."""

    projector: np.ndarray  # M, of shape (n, n)
    offset: np.ndarray  # h, of shape (n,); zeros where there is no bias
    dual: np.ndarray  # a, of shape (n, n_targets)

    def errors(self, groups: np.ndarray | None = None) -> np.ndarray:
        """Targets less what the solution without their group predicts; None: one by one."""
        if groups is None:
            return self.dual / self.projector.diagonal()[:, None]
        errors = np.empty_like(self.dual)
        for group in np.unique(groups):
            rows = np.flatnonzero(groups == group)
            errors[rows] = np.linalg.solve(self.projector[np.ix_(rows, rows)], self.dual[rows])
        return errors


def removal(
    K: np.ndarray, noise: np.ndarray | float, Z: np.ndarray, bias: bool = False
) -> Removal | None:
    """The maps of a system whose matrix K is overwritten; None where it is singular.

    With a bias, K is centered: this changes neither M nor the model, and makes K + D positive
    definite for conditionally positive definite kernels too.
    """
    if not bias:
        solved = leave_one_out(K, noise, Z)
        if solved is None:
            return None
        return Removal(solved.inverse, np.zeros(len(K)), solved.dual)
    means = K.mean(axis=0)
    K = K - means - means[:, None] + means.mean()
    solved = leave_one_out(K, noise, Z)
    if solved is None:
        return None
    sums = solved.inverse.sum(axis=0)
    share = sums / sums.sum()
    projector = solved.inverse - np.outer(sums, share)
    # the bias of the centered matrix, and what centering has taken from the function
    return Removal(projector, share - projector @ means, projector @ Z)
