"""Stores that pass by the cache, for matrices larger than it.

An ordinary store first reads the line it changes; a matrix of hundreds of megabytes that is written
once need not be read. Only whole, aligned lines profit: the caller sees to it that rows start on a
line and hold a multiple of 8 numbers.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from mercer._compiled import compiled

_STEP = 8  # doubles in a cache line


def _nontemporal_store(typingctx, array, index, value):
    """array[index] = value, marked nontemporal."""

    def codegen(context, builder, signature, args):
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        word = ir.IntType(64)
        place = builder.bitcast(builder.gep(data, [args[1]]), word.as_pointer())
        store = builder.store(builder.bitcast(args[2], word), place)
        one = ir.Constant(ir.IntType(32), 1)
        store.set_metadata("nontemporal", builder.module.add_metadata([one]))
        return context.get_dummy_value()

    return types.void(array, types.intp, types.float64), codegen


_stream: Callable[..., None] = intrinsic(_nontemporal_store)


@compiled
def deliver(tile, matrix, i0, j0, both):
    """As `storage.deliver`, for a float64 matrix whose rows start on a cache line.

    Tiles have a multiple of 8 rows and columns.
    """
    m, n = tile.shape
    flag = np.empty(n)
    for j in range(n):
        flag[j] = 0.0
    for start in range(0, m, _STEP):
        for i in range(start, start + _STEP):
            row = tile[i]
            to = matrix[i0 + i, j0 : j0 + n]
            for j in range(n):
                _stream(to, j, row[j])
            for j in range(n):
                flag[j] += row[j] * 0.0
        if both:
            r0, r1, r2, r3 = tile[start], tile[start + 1], tile[start + 2], tile[start + 3]
            r4, r5, r6, r7 = tile[start + 4], tile[start + 5], tile[start + 6], tile[start + 7]
            for j in range(n):
                to = matrix[j0 + j, i0 + start : i0 + start + _STEP]
                _stream(to, 0, r0[j])
                _stream(to, 1, r1[j])
                _stream(to, 2, r2[j])
                _stream(to, 3, r3[j])
                _stream(to, 4, r4[j])
                _stream(to, 5, r5[j])
                _stream(to, 6, r6[j])
                _stream(to, 7, r7[j])
    total = 0.0
    for j in range(n):
        total += flag[j]
    return total == 0.0
