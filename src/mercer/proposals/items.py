"""Kernels to try on strings, texts and sets, all with k(x, x) = 1.

The kernels of a family differ in a parameter, such as the length of substrings, and the best of
them is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mercer.errors import InputTypeError
from mercer.kernels.base import Kernel
from mercer.kernels.sets import Jaccard, SetIntersection
from mercer.kernels.strings.mismatch import Mismatch
from mercer.kernels.strings.substrings import BlendedSpectrum, GappedKmer, Spectrum
from mercer.kernels.strings.weighted_degree import WeightedDegree
from mercer.kernels.texts import TfIdf

Families = list[list[Kernel]]

_MOST_SAMPLES = 5000  # from which letters and lengths are read
_FEW_LETTERS = 6  # alphabets up to this size, such as that of DNA, need longer substrings
_LONG = 3000.0  # letters of a text, on average, from which substrings say less than words
_SHORT = 8.0  # letters below which a string has hardly any substring of six


def string_kernels(samples: Sequence[Any]) -> Families:
    """Substrings of several lengths, with gaps or mismatches, and by place if all are aligned."""
    _check_strings(samples)
    some = samples[:_MOST_SAMPLES]
    lengths = np.array(list(map(len, some)))
    mean_length = float(lengths.mean())
    letters = set().union(*map(str.lower, some))
    if len(letters) > _FEW_LETTERS or mean_length < _SHORT:
        families = _of_many_letters(mean_length)
    else:
        families = _of_few_letters()
    if len(lengths) > 1 and np.ptp(lengths) == 0:
        families.append([WeightedDegree(length=d).normalize() for d in (3, 1, 6)])
    return families


def _check_strings(samples: Sequence[Any]) -> None:
    """Refuse samples that are no strings."""
    for text in samples:
        if not isinstance(text, str):
            kind = type(text).__name__
            raise InputTypeError("X", kind, "is among the strings", "give strings only")


def _of_few_letters() -> Families:
    """Long substrings, since short ones of few letters are in every string."""
    return [
        _spectra(3, 4, 5, 6),
        [GappedKmer(length=8, matches=5).normalize(), GappedKmer(6, 4).normalize()],
        [Mismatch(length=5).normalize(), Mismatch(length=4).normalize()],
    ]


def _of_many_letters(mean_length: float) -> Families:
    """Short substrings, with gaps where strings are long enough for them."""
    families = [_spectra(2, 3, 4), [BlendedSpectrum(length=n).normalize() for n in (3, 5)]]
    if mean_length >= _SHORT:
        families.append([GappedKmer(length=5, matches=3).normalize()])
    return families


def _spectra(*lengths: int) -> list[Kernel]:
    return [Spectrum(length=n).normalize() for n in lengths]


def text_kernels(samples: Sequence[Any]) -> Families:
    """Words, pairs of words, and substrings, which know the endings and the misspellings."""
    families: Families = [[TfIdf(), TfIdf(ngrams=(1, 2))]]
    if float(np.mean([len(text) for text in samples[:_MOST_SAMPLES]])) < _LONG:
        families.append(_spectra(4, 3, 5))
    return families


def set_kernels(samples: Sequence[Any]) -> Families:
    """Shares of common elements."""
    return [[Jaccard()], [SetIntersection().normalize()]]
