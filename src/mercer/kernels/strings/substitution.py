"""Scores of letters against letters, as alignments use them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mercer.errors import ParameterError
from mercer.params import is_real, is_square_matrix

__all__: list[str] = []

AMINO_ACIDS = "ARNDCQEGHILKMFPSTWYV"

# NCBI's table in half bits: the amino acids, then B (N or D), Z (Q or E), X (any) and * (stop).
_BLOSUM62_LETTERS = AMINO_ACIDS + "BZX*"
_BLOSUM62_ROWS = """
 4 -1 -2 -2  0 -1 -1  0 -2 -1 -1 -1 -1 -2 -1  1  0 -3 -2  0 -2 -1  0 -4
-1  5  0 -2 -3  1  0 -2  0 -3 -2  2 -1 -3 -2 -1 -1 -3 -2 -3 -1  0 -1 -4
-2  0  6  1 -3  0  0  0  1 -3 -3  0 -2 -3 -2  1  0 -4 -2 -3  3  0 -1 -4
-2 -2  1  6 -3  0  2 -1 -1 -3 -4 -1 -3 -3 -1  0 -1 -4 -3 -3  4  1 -1 -4
 0 -3 -3 -3  9 -3 -4 -3 -3 -1 -1 -3 -1 -2 -3 -1 -1 -2 -2 -1 -3 -3 -2 -4
-1  1  0  0 -3  5  2 -2  0 -3 -2  1  0 -3 -1  0 -1 -2 -1 -2  0  3 -1 -4
-1  0  0  2 -4  2  5 -2  0 -3 -3  1 -2 -3 -1  0 -1 -3 -2 -2  1  4 -1 -4
 0 -2  0 -1 -3 -2 -2  6 -2 -4 -4 -2 -3 -3 -2  0 -2 -2 -3 -3 -1 -2 -1 -4
-2  0  1 -1 -3  0  0 -2  8 -3 -3 -1 -2 -1 -2 -1 -2 -2  2 -3  0  0 -1 -4
-1 -3 -3 -3 -1 -3 -3 -4 -3  4  2 -3  1  0 -3 -2 -1 -3 -1  3 -3 -3 -1 -4
-1 -2 -3 -4 -1 -2 -3 -4 -3  2  4 -2  2  0 -3 -2 -1 -2 -1  1 -4 -3 -1 -4
-1  2  0 -1 -3  1  1 -2 -1 -3 -2  5 -1 -3 -1  0 -1 -3 -2 -2  0  1 -1 -4
-1 -1 -2 -3 -1  0 -2 -3 -2  1  2 -1  5  0 -2 -1 -1 -1 -1  1 -3 -1 -1 -4
-2 -3 -3 -3 -2 -3 -3 -3 -1  0  0 -3  0  6 -4 -2 -2  1  3 -1 -3 -3 -1 -4
-1 -2 -2 -1 -3 -1 -1 -2 -2 -3 -3 -1 -2 -4  7 -1 -1 -4 -3 -2 -2 -1 -2 -4
 1 -1  1  0 -1  0  0  0 -1 -2 -2  0 -1 -2 -1  4  1 -3 -2 -2  0  0  0 -4
 0 -1  0 -1 -1 -1 -1 -2 -2 -1 -1 -1 -1 -2 -1  1  5 -2 -2  0 -1 -1  0 -4
-3 -3 -4 -4 -2 -2 -3 -2 -2 -3 -2 -3 -1  1 -4 -3 -2 11  2 -3 -4 -3 -2 -4
-2 -2 -2 -3 -2 -1 -2 -3  2 -1 -1 -2 -1  3 -3 -2 -2  2  7 -1 -3 -2 -1 -4
 0 -3 -3 -3 -1 -2 -2 -3 -3  3  1 -2  1 -1 -2 -2  0 -3 -1  4 -3 -2 -1 -4
-2 -1  3  4 -3  0  1 -1  0 -3 -4  0 -3 -3 -2  0 -1 -4 -3 -3  4  1 -1 -4
-1  0  0  1 -3  3  4 -2  0 -3 -3  1 -1 -3 -1  0 -1 -3 -2 -2  1  4 -1 -4
 0 -1 -1 -1 -2 -1 -1 -1 -1 -1 -1 -1 -1 -1 -2  0  0 -2 -1 -1 -1 -1 -1 -4
-4 -4 -4 -4 -4 -4 -4 -4 -4 -4 -4 -4 -4 -4 -4 -4 -4 -4 -4 -4 -4 -4 -4  1
"""

_REMEDY = 'give "match", "blosum62", a dict of dicts {"a": {"a": 2, "b": -1}, ...}, or a pair (alphabet, matrix)'


def read_scores(what: str, scores: Any) -> tuple[str, np.ndarray] | None:
    """The alphabet and the symmetric matrix of its scores; None for ``"match"``, which has any alphabet."""
    if isinstance(scores, str) and scores in ("match", "blosum62"):
        if scores == "match":
            return None
        return _BLOSUM62_LETTERS, np.array(_BLOSUM62_ROWS.split(), dtype=float).reshape(24, 24)
    if isinstance(scores, Mapping):
        return _from_mapping(what, scores)
    if (
        isinstance(scores, (tuple, list))
        and len(scores) == 2
        and isinstance(scores[0], str)
        and is_square_matrix(scores[1])
    ):
        alphabet, matrix = scores[0], np.asarray(scores[1], dtype=float)
        if len(alphabet) != len(matrix):
            raise ParameterError(
                what, alphabet, f"has {len(alphabet)} letters for a matrix of {len(matrix)} rows"
            )
        if len(set(alphabet)) < len(alphabet):
            raise ParameterError(what, alphabet, "names a letter twice")
        if not np.array_equal(matrix, matrix.T):
            i, j = np.argwhere(matrix != matrix.T)[0]
            rule = f"is not symmetric: {alphabet[i]!r} on {alphabet[j]!r} scores {matrix[i, j]:g}, and {matrix[j, i]:g} the other way"
            raise ParameterError(what, "the matrix", rule, "use (S + S.T)/2")
        return alphabet, matrix
    raise ParameterError(what, scores, "are not scores of letters", _REMEDY)


def _from_mapping(what: str, scores: Mapping[Any, Any]) -> tuple[str, np.ndarray]:
    """A table by letters; half of it is enough."""
    letters = list(scores)
    if not letters or any(
        not isinstance(a, str) or len(a) != 1 or not isinstance(scores[a], Mapping) for a in letters
    ):
        raise ParameterError(what, scores, "must have one dict for every letter", _REMEDY)
    matrix = np.empty((len(letters), len(letters)))
    for i, a in enumerate(letters):
        for j, b in enumerate(letters[: i + 1]):
            given = [scores[p][q] for p, q in ((a, b), (b, a)) if q in scores[p]]
            if not given or not all(is_real(score) for score in given):
                raise ParameterError(
                    f"{what}[{a!r}][{b!r}]", given[0] if given else None, "must be a number"
                )
            if given[0] != given[-1]:
                raise ParameterError(
                    f"{what}[{a!r}][{b!r}]",
                    given[0],
                    f"is {given[-1]} the other way round",
                    "use their mean",
                )
            matrix[i, j] = matrix[j, i] = given[0]
        strange = [b for b in scores[a] if b not in scores]
        if strange:
            raise ParameterError(
                f"{what}[{a!r}]", strange[0], "has no dict of its own", "give one for every letter"
            )
    return "".join(letters), matrix
