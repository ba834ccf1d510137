"""Additive terms of a kernel in plain sentences."""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np

from mercer.estimators.search.expression import innermost
from mercer.kernels.base import Kernel
from mercer.kernels.combine.columns import On
from mercer.kernels.combine.feature_space import Centered
from mercer.kernels.combine.products import Product
from mercer.kernels.combine.sums import Scaled
from mercer.kernels.vectors.coordinate import Periodic
from mercer.kernels.vectors.dot import Linear
from mercer.kernels.vectors.gaussian_mixtures import RationalQuadratic
from mercer.kernels.vectors.radial import RBF

Names = np.ndarray | None  # of the columns of a data frame


def term_sentence(term: Kernel, share: float, names: Names = None) -> str:
    """What a term is, and how much of the variance it explains."""
    text = describe_term(term, names)
    return f"{text[0].upper()}{text[1:]} explains {_percent(share)} of the variance."


def noise_sentence(deviation: float, share: float) -> str:
    """The last sentence, of what the terms leave."""
    return f"Noise with a standard deviation of {deviation:.3g} is the remaining {_percent(share)}."


def describe_term(term: Kernel, names: Names = None) -> str:
    """A noun phrase for a product of base kernels, the most specific factor first."""
    kernel = term.kernel if isinstance(term, Scaled) else term
    factors = kernel.terms if isinstance(kernel, Product) else [kernel]
    ranked = sorted(factors, key=lambda factor: _words_of(factor).rank)
    first, *others = ranked
    phrase = f"{_words_of(first).noun}{_of(first, names)}"
    changes = [f"{_words_of(other).change}{_of(other, names, ' with ')}" for other in others]
    if not changes:
        return phrase
    return f"{phrase} whose size and shape {' and '.join(changes)}"


class Words(NamedTuple):
    """How a kernel is described."""

    rank: int  # periods first, then smooth functions, then others, and straight lines last
    noun: str  # what the kernel alone describes
    change: str  # how it changes what another factor describes


@functools.singledispatch
def words(kernel: Kernel) -> Words:
    """The description of a kernel; those of other modules can be registered."""
    return Words(2, f"a function with the kernel {kernel!r}", f"vary by the kernel {kernel!r}")


@words.register
def _(kernel: Periodic) -> Words:
    period = _value(kernel.period)
    noun = f"a periodic function with period {period}"
    return Words(0, noun, f"repeat with period {period}")


@words.register
def _(kernel: RBF) -> Words:
    scale = _value(kernel.length_scale)
    noun = f"a smooth trend with length scale {scale}"
    return Words(1, noun, f"change over a length scale of {scale}")


@words.register
def _(kernel: RationalQuadratic) -> Words:
    scale = _value(kernel.length_scale)
    noun = f"irregular variation of many length scales around {scale}"
    return Words(1, noun, f"change over a length scale of {scale}")


@words.register
def _(kernel: Linear) -> Words:
    return Words(3, "a linear trend", "change linearly")


@words.register
def _(kernel: Centered) -> Words:
    inner = words(kernel.kernel)
    if inner.rank == 3:
        return inner
    return words.dispatch(Kernel)(kernel)


def _words_of(factor: Kernel) -> Words:
    return words(innermost(factor))


def _of(factor: Kernel, names: Names, word: str = " of ") -> str:
    """The column that a factor looks at, if it looks at some."""
    if not isinstance(factor, On):
        return ""
    column = factor.columns
    if names is not None and isinstance(column, int):
        return f"{word}{names[column]}"
    return f"{word}column {column}"


def _value(number: float | np.ndarray) -> str:
    """A parameter in three digits, or one for each column."""
    return ", ".join(f"{each:.3g}" for each in np.atleast_1d(np.asarray(number, dtype=float)))


def _percent(share: float) -> str:
    """A share in percent, with two digits where it is small."""
    if abs(share) >= 0.0995:
        return f"{100 * share:.0f} %"
    return f"{100 * share:.1f} %"
