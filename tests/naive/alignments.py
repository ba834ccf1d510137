"""Slow values of the kernels that align strings, straight from their definitions, in mpmath
arithmetic.

Part of `naive`: f(fields, x, y, same) of two Python strings.
"""

from collections import defaultdict
from functools import cache
from itertools import combinations, pairwise

from mpmath import mp, mpf

# A part of NCBI's BLOSUM62, typed apart from the library's table.
_SOME = {
    "AA": 4, "AE": -1, "AG": 0, "AH": -2, "AP": -1, "AW": -3,
    "EE": 5, "EG": -2, "EH": 0, "EP": -1, "EW": -3,
    "GG": 6, "GH": -2, "GP": -2, "GW": -2,
    "HH": 8, "HP": -2, "HW": -2,
    "PP": 7, "PW": -4,
    "WW": 11,
}  # fmt: skip


def subsequence_features(x, length, decay):
    """One coordinate for every subsequence, decay to the letters it stretches over, by enumeration
    of its places.
    """
    found = defaultdict(mpf)
    for places in combinations(range(len(x)), length):
        found["".join(x[i] for i in places)] += decay ** (places[-1] - places[0] + 1)
    return found


def _subsequence(p, x, y, same):
    left, right = (subsequence_features(text, int(p["length"]), p["decay"]) for text in (x, y))
    return mp.fsum(value * right[u] for u, value in left.items() if u in right)


def score(scores, a, b):
    """The score of a letter on a letter."""
    if scores == "match":
        return mpf(1 if a == b else -1)
    if scores == "blosum62":
        return mpf(_SOME["".join(sorted(a + b))])
    if isinstance(scores, dict):
        return mpf(scores[a][b] if b in scores[a] else scores[b][a])
    alphabet, matrix = scores
    return mpf(matrix[alphabet.index(a)][alphabet.index(b)])


def gap(p, skipped):
    """What a run of skipped letters costs."""
    return (
        p["open"] + p["extend"] * (skipped - 1) if skipped > 1 else p["open"] if skipped else mpf(0)
    )


def alignments_by_enumeration(p, x, y):
    """Σ exp(β score) over all sets of pairs of letters in increasing order: for very
    short strings.
    """
    total = mpf(1)  # the empty alignment
    for size in range(1, min(len(x), len(y)) + 1):
        for left in combinations(range(len(x)), size):
            for right in combinations(range(len(y)), size):
                worth = mp.fsum(
                    score(p["scores"], x[i], y[j]) for i, j in zip(left, right, strict=True)
                )
                for places in (left, right):
                    worth -= mp.fsum(gap(p, b - a - 1) for a, b in pairwise(places))
                total += mp.exp(p["beta"] * worth)
    return total


def alignments(p, x, y):
    """The same sum, sorted by the last pair of an alignment, which follows any pair before it."""
    gaps = [mp.exp(-p["beta"] * gap(p, n)) for n in range(max(len(x), len(y)) + 1)]
    ending = {}
    for i in range(len(x)):
        for j in range(len(y)):
            before = mp.fsum(
                ending[a, b] * gaps[i - a - 1] * gaps[j - b - 1] for a in range(i) for b in range(j)
            )
            ending[i, j] = mp.exp(p["beta"] * score(p["scores"], x[i], y[j])) * (1 + before)
    return 1 + mp.fsum(ending.values())


_ALONE: dict = {}  # sums of strings with themselves: one number for a whole row of a Gram matrix


def _alone(p, x):
    key = (mp.prec, x, *map(repr, p.values()))
    if key not in _ALONE:
        _ALONE[key] = alignments(p, x, x)
    return _ALONE[key]


def _local_alignment(p, x, y, same):
    return alignments(p, x, y) / mp.sqrt(_alone(p, x) * _alone(p, y))


@cache
def edit_distance(x, y):
    """Levenshtein's, by what happens to the last letters."""
    if not x or not y:
        return len(x) + len(y)
    return min(
        edit_distance(x[:-1], y) + 1,
        edit_distance(x, y[:-1]) + 1,
        edit_distance(x[:-1], y[:-1]) + (x[-1] != y[-1]),
    )


KERNELS = {
    "Subsequence": _subsequence,
    "LocalAlignment": _local_alignment,
    "EditDistance": lambda p, x, y, same: mp.exp(-p["gamma"] * edit_distance(x, y)),
}
