"""Substitution matrices: the scores of letters against letters that alignments use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from mercer.errors import ParameterError
from mercer.params import is_real, is_square_matrix

__all__: list[str] = []

AMINO_ACIDS = "ARNDCQEGHILKMFPSTWYV"

# NCBI's matrix in half bits: the amino acids, then B (N or D), Z (Q or E), X (any) and * (stop).
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

REMEDY = (
    'give "match", "blosum62", a dict of dicts {"a": {"a": 2, "b": -1}, ...}, '
    "or a tuple (alphabet, matrix)"
)
LetterScores = str | Mapping[str, Mapping[str, float]] | tuple[str, ArrayLike] | list[object]


class Substitution(NamedTuple):
    """An alphabet and the symmetric matrix of the scores of its letters."""

    letters: str
    matrix: np.ndarray


def read_scores(what: str, scores: LetterScores) -> Substitution | None:
    """The substitution matrix that is meant; None for ``"match"``, which has any alphabet."""
    match scores:
        case "match":
            return None
        case "blosum62":
            values = np.array(_BLOSUM62_ROWS.split(), dtype=float)
            return Substitution(_BLOSUM62_LETTERS, values.reshape(24, 24))
        case Mapping():
            return _from_mapping(what, scores)
        case (str() as letters, matrix) if is_square_matrix(matrix):
            return _checked(what, letters, np.asarray(matrix, dtype=float))
    raise ParameterError(what, scores, "are not scores of letters", REMEDY)


def _checked(what: str, letters: str, matrix: np.ndarray) -> Substitution:
    """A substitution matrix of distinct letters that is symmetric."""
    if len(letters) != len(matrix):
        rule = f"has {len(letters)} letters for a matrix of {len(matrix)} rows"
        raise ParameterError(what, letters, rule)
    if len(set(letters)) < len(letters):
        raise ParameterError(what, letters, "names a letter twice")
    asymmetric = np.argwhere(matrix != matrix.T)
    if len(asymmetric):
        i, j = asymmetric[0]
        rule = f"is not symmetric: {letters[i]!r} on {letters[j]!r} scores {matrix[i, j]:g}"
        rule += f", and {matrix[j, i]:g} the other way"
        raise ParameterError(what, "the matrix", rule, "use (S + S.T)/2")
    return Substitution(letters, matrix)


def _from_mapping(what: str, scores: Mapping[str, Mapping[str, float]]) -> Substitution:
    """The matrix of a dict of dicts, which may give the score of two letters one way only."""
    letters = list(scores)
    well_formed = [_is_letter(a) and isinstance(scores[a], Mapping) for a in letters]
    if not letters or not all(well_formed):
        raise ParameterError(what, scores, "must have one dict for every letter", REMEDY)
    matrix = np.empty((len(letters), len(letters)))
    for i, a in enumerate(letters):
        for j, b in enumerate(letters[: i + 1]):
            matrix[i, j] = matrix[j, i] = _score(f"{what}[{a!r}][{b!r}]", scores, a, b)
        for b in scores[a]:
            if b not in scores:
                rule = "has no dict of its own"
                raise ParameterError(f"{what}[{a!r}]", b, rule, "give one for every letter")
    return Substitution("".join(letters), matrix)


def _is_letter(value: object) -> bool:
    return isinstance(value, str) and len(value) == 1


def _score(what: str, scores: Mapping[str, Mapping[str, float]], a: str, b: str) -> float:
    """The score of a on b, which must be the same both ways where it is given twice."""
    score = scores[a].get(b, scores[b].get(a))
    mirrored = scores[b].get(a, score)
    if not (is_real(score) and is_real(mirrored)):
        raise ParameterError(what, score, "must be a number")
    assert score is not None
    if score != mirrored:
        rule = f"is {mirrored} the other way round"
        raise ParameterError(what, score, rule, "use their mean")
    return score
