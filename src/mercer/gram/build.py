"""Gram matrices in the form that a plan states."""

from __future__ import annotations

from mercer.aliases import Prepared
from mercer.gram.fill import Fills, dense
from mercer.gram.matrix import Matrix
from mercer.gram.plan import FLOAT64, Plan
from mercer.gram.stored import Stored
from mercer.gram.streamed import Streamed


def gram_matrix(kernel: Fills, samples: Prepared, plan: Plan) -> Matrix:
    """The Gram matrix of prepared samples, in the form that was planned."""
    if plan.stored:
        return Stored(dense(kernel, samples, samples, FLOAT64), plan)
    return Streamed(kernel, samples, samples, plan)
