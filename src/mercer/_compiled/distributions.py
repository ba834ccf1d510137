"""Tiles of kernels on rows of probabilities, laid out as in `products`: x against a panel of y."""

from __future__ import annotations

import numpy as np

from mercer._compiled import compiled

GROUP = 32

_LN2_HIGH = 6.93147180369123816490e-01  # the last bits are zero: k * _LN2_HIGH is exact
_LN2_LOW = 1.90821492927058770002e-10
_TINY = 2.0**-1022
_ROOT_HALF_BITS = 0x3FE6A09E667F3BCD  # of √½: mantissas from there to √2 are as near to 1 as can be
# The polynomial of (log((1+s)/(1−s)) − 2s)/s in s², lowest degree first, as in fdlibm.
_L0 = 6.666666666666735130e-01
_L1 = 3.999999999940941908e-01
_L2 = 2.857142874366239149e-01
_L3 = 2.222219843214978396e-01
_L4 = 1.818357216161805012e-01
_L5 = 1.531383769920937332e-01
_L6 = 1.479819860511658591e-01
# Near-minimax polynomials, lowest degree first:
# ((1+d) log(1+d) + (1−d) log(1−d))/(2d²) in d² on |d| ≤ ½ ...
_Q0 = float.fromhex("0x1.0000000000000p-1")
_Q1 = float.fromhex("0x1.5555555555443p-4")
_Q2 = float.fromhex("0x1.111111112ef58p-5")
_Q3 = float.fromhex("0x1.24924910295b5p-6")
_Q4 = float.fromhex("0x1.6c16c8a3784f2p-7")
_Q5 = float.fromhex("0x1.f07a9bdb3ab64p-8")
_Q6 = float.fromhex("0x1.68306a98fc5ebp-8")
_Q7 = float.fromhex("0x1.0fe99c45eda8fp-8")
_Q8 = float.fromhex("0x1.be2ef4129eefap-9")
_Q9 = float.fromhex("0x1.f73365e683d4ep-10")
_Q10 = float.fromhex("0x1.2e9f10f4d39d0p-8")
_Q11 = float.fromhex("-0x1.bb880ae195968p-9")
_Q12 = float.fromhex("0x1.d77b2c1344c63p-8")
# ... and −(1+r) log((1+r)/2)/2 in r on 0 ≤ r ≤ ⅓.
_G0 = float.fromhex("0x1.62e42fefa39efp-2")
_G1 = float.fromhex("-0x1.3a37a020b8dc7p-3")
_G2 = float.fromhex("-0x1.ffffffffeead3p-3")
_G3 = float.fromhex("0x1.5555554c5976bp-4")
_G4 = float.fromhex("-0x1.555552e733cf5p-5")
_G5 = float.fromhex("0x1.999934f5ed024p-6")
_G6 = float.fromhex("-0x1.110bcef8558d9p-6")
_G7 = float.fromhex("0x1.85b9484a01fabp-7")
_G8 = float.fromhex("-0x1.223dc0e6b56b9p-7")
_G9 = float.fromhex("0x1.b29a765d9aa17p-8")
_G10 = float.fromhex("-0x1.2cce68ee8842fp-8")
_G11 = float.fromhex("0x1.445de810a4ebep-9")
_G12 = float.fromhex("-0x1.7d53819bb7f18p-11")


@compiled
def log(x):
    """log x for a normal number x > 0, within one unit in the last place, in vector code."""
    bits = np.float64(x).view(np.int64)
    k = np.float64(np.int32((bits - _ROOT_HALF_BITS) >> 52))
    t = np.int64(bits - (((bits - _ROOT_HALF_BITS) >> 52) << 52)).view(np.float64) - 1.0
    s = t / (2.0 + t)
    z = s * s
    w = z * z
    r = z * ((_L0 + z * _L1) + w * ((_L2 + z * _L3) + w * ((_L4 + z * _L5) + w * _L6)))
    half = 0.5 * t * t
    return k * _LN2_HIGH - ((half - (s * (half + r) + k * _LN2_LOW)) - t)


@compiled
def jensen_shannon_tile(x, panel, out):
    """Σ (p log p + q log q)/2 − m log m, m = (p+q)/2, the Jensen-Shannon divergence.

    No term is negative, those of p = q are 0, and none cancels. With d = |p−q|/(p+q) a term is
    m ((1+d) log(1+d) + (1−d) log(1−d))/2, a power series in d² with positive coefficients; with
    r = min/max it is max (r log r − (1+r) log((1+r)/2))/2, for values far apart. One division
    serves both. All stands in the loop itself, because a function of this size is not inlined and
    then nothing is vector code. Columns are summed in groups, so that many lose no accuracy.
    """
    m, d = x.shape
    n = out.shape[1]
    group = np.empty(n)
    for i in range(m):
        row = out[i]
        for j in range(n):
            row[j] = 0.0
        for start in range(0, d, GROUP):
            for j in range(n):
                group[j] = 0.0
            for f in range(start, min(d, start + GROUP)):
                a, p = x[i, f], panel[f]
                for j in range(n):
                    b = p[j]
                    high = max(a, b)
                    low = min(a, b)
                    apart = 3.0 * low < high
                    part = low if apart else high - low
                    whole = high if apart else high + low
                    ratio = part / max(whole, _TINY)
                    z = ratio if apart else ratio * ratio
                    z2 = z * z
                    z4 = z2 * z2
                    z8 = z4 * z4
                    near = ((_Q0 + z * _Q1) + z2 * (_Q2 + z * _Q3)) + z4 * (
                        (_Q4 + z * _Q5) + z2 * (_Q6 + z * _Q7)
                    )
                    near += z8 * (((_Q8 + z * _Q9) + z2 * (_Q10 + z * _Q11)) + z4 * _Q12)
                    far = ((_G0 + z * _G1) + z2 * (_G2 + z * _G3)) + z4 * (
                        (_G4 + z * _G5) + z2 * (_G6 + z * _G7)
                    )
                    far += z8 * (((_G8 + z * _G9) + z2 * (_G10 + z * _G11)) + z4 * _G12)
                    far = high * (far + 0.5 * ratio * log(max(ratio, _TINY)))
                    near = 0.5 * (high - low) * ratio * near
                    group[j] += far if apart else near
            for j in range(n):
                row[j] += group[j]
