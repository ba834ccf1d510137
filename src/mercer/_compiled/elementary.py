"""Scalar functions written so that a loop over them becomes vector code."""

from __future__ import annotations

import numpy as np

from mercer._compiled import compiled

_LOG2E = 1.4426950408889634
_LN2_HIGH = 6.93147180369123816490e-01  # the last bits are zero: k * _LN2_HIGH is exact
_LN2_LOW = 1.90821492927058770002e-10
# Near-minimax polynomial of (exp(r) - 1 - r) / r**2 on |r| <= log(2) / 2, lowest degree first.
_C0 = float.fromhex("0x1.0000000000001p-1")
_C1 = float.fromhex("0x1.5555555555556p-3")
_C2 = float.fromhex("0x1.5555555553d63p-5")
_C3 = float.fromhex("0x1.11111111109b3p-7")
_C4 = float.fromhex("0x1.6c16c1788bd90p-10")
_C5 = float.fromhex("0x1.a01a01a7c41d5p-13")
_C6 = float.fromhex("0x1.a019b90d2ae7ap-16")
_C7 = float.fromhex("0x1.71de0dae63bb3p-19")
_C8 = float.fromhex("0x1.289185613a3d6p-22")
_C9 = float.fromhex("0x1.af38a9b0ec855p-26")


@compiled
def exp_down(x):
    """e**x for x ≤ 0 within one unit in the last place: `exp` with a cheaper last step.

    y is multiplied by 2**(k + 64), which stays normal, and then by 2**-64, which rounds subnormal
    results as it should.
    """
    x = max(x, -746.0)
    k = np.floor(x * _LOG2E + 0.5)
    r = (x - k * _LN2_HIGH) - k * _LN2_LOW
    r2 = r * r
    r4 = r2 * r2
    p = ((_C0 + r * _C1) + r2 * (_C2 + r * _C3)) + r4 * (
        ((_C4 + r * _C5) + r2 * (_C6 + r * _C7)) + r4 * (_C8 + r * _C9)
    )
    y = 1.0 + (r + r2 * p)
    return (y * np.int64(np.int64(np.int32(k) + (64 + 1023)) << 52).view(np.float64)) * 2.0**-64


@compiled
def exp(x):
    """e**x within one unit in the last place, subnormal results and infinity included.

    A NaN stays one. x = k log 2 + r; the power of two is applied in two halves, so that it neither
    overflows nor underflows before the result does.
    """
    x = min(max(x, -746.0), 710.0)
    k = np.floor(x * _LOG2E + 0.5)
    r = (x - k * _LN2_HIGH) - k * _LN2_LOW
    r2 = r * r
    r4 = r2 * r2
    p = ((_C0 + r * _C1) + r2 * (_C2 + r * _C3)) + r4 * (
        ((_C4 + r * _C5) + r2 * (_C6 + r * _C7)) + r4 * (_C8 + r * _C9)
    )
    y = 1.0 + (r + r2 * p)
    whole = np.int32(k)
    half = whole >> 1
    low = np.int64(np.int64(half + 1023) << 52).view(np.float64)
    high = np.int64(np.int64(whole - half + 1023) << 52).view(np.float64)
    return (y * low) * high
