"""Kernels of shared substrings, by enumerating features."""

from collections import Counter
from itertools import product
from math import comb

from mpmath import mpf


def substrings(x, n):
    return [x[i : i + n] for i in range(len(x) - n + 1)]


def _inner(a, b):
    return mpf(sum(a[u] * b[u] for u in a))


def _spectrum(p, x, y, same):
    return _inner(
        Counter(substrings(x, int(p["length"]))), Counter(substrings(y, int(p["length"])))
    )


def _blended(p, x, y, same):
    return sum(
        p["decay"] ** (2 * m) * _spectrum({"length": m}, x, y, same)
        for m in range(1, int(p["length"]) + 1)
    )


def _gapped(p, x, y, same):
    length, matches = int(p["length"]), int(p["matches"])
    total = 0
    for u in substrings(x, length):
        for v in substrings(y, length):
            total += comb(sum(a == b for a, b in zip(u, v, strict=True)), matches)
    return mpf(total)


def _mismatch(p, x, y, same):
    n, most = int(p["length"]), int(p["mismatches"])
    alphabet = p["alphabet"] if p["alphabet"] is not None else p["alphabet_"]

    def counts(text):
        found = Counter()
        for u in map("".join, product(alphabet, repeat=n)):
            found[u] = sum(
                sum(a != b for a, b in zip(u, v, strict=True)) <= most for v in substrings(text, n)
            )
        return found

    return _inner(counts(x), counts(y))


def _weighted_degree(p, x, y, same):
    d = int(p["length"])
    total = mpf(0)
    for m in range(1, d + 1):
        pairs = zip(substrings(x, m), substrings(y, m), strict=False)
        total += mpf(2 * (d - m + 1)) / (d * (d + 1)) * sum(u == v for u, v in pairs)
    return total


KERNELS = {
    "Spectrum": _spectrum,
    "WeightedDegree": _weighted_degree,
    "BlendedSpectrum": _blended,
    "GappedKmer": _gapped,
    "Mismatch": _mismatch,
}
