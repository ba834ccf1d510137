"""Rows of zeros and ones, 64 in a word."""

from __future__ import annotations

from numba.core import types
from numba.extending import intrinsic

from mercer._compiled import compiled


@intrinsic
def _ones(typingctx, word):
    """The number of ones of a word: one instruction."""

    def codegen(context, builder, signature, args):
        return builder.ctpop(args[0])

    return types.uint64(types.uint64), codegen


@compiled
def common_ones(x, y, i0, j0, out):
    """out[i, j] = in how many columns row i0 + i of x and row j0 + j of y are both 1."""
    m, n = out.shape
    for i in range(m):
        a = x[i0 + i]
        for j in range(n):
            b = y[j0 + j]
            count = types.uint64(0)
            for k in range(a.size):
                count += _ones(a[k] & b[k])  # type: ignore[call-arg]
            out[i, j] = count
