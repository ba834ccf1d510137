"""Additive terms of a kernel in plain sentences."""

from __future__ import annotations

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
    first, *others = sorted(factors, key=_rank)
    words = [f"{_noun(first)}{_of(first, names)}"]
    changes = [f"{_change(other)}{_of(other, names, ' with ')}" for other in others]
    if changes:
        words.append(f"whose size and shape {' and '.join(changes)}")
    return " ".join(words)


def _rank(factor: Kernel) -> int:
    """Periods first, then smooth functions, then others, and straight lines last."""
    inner = innermost(factor)
    if isinstance(inner, Periodic):
        return 0
    if isinstance(inner, (RBF, RationalQuadratic)):
        return 1
    return 3 if _is_linear(inner) else 2


def _is_linear(kernel: Kernel) -> bool:
    return isinstance(kernel.kernel if isinstance(kernel, Centered) else kernel, Linear)


def _noun(factor: Kernel) -> str:
    """What a factor alone describes."""
    inner = innermost(factor)
    if isinstance(inner, Periodic):
        return f"a periodic function with period {_value(inner.period)}"
    if isinstance(inner, RBF):
        return f"a smooth trend with length scale {_value(inner.length_scale)}"
    if isinstance(inner, RationalQuadratic):
        scale = _value(inner.length_scale)
        return f"irregular variation of many length scales around {scale}"
    if _is_linear(inner):
        return "a linear trend"
    return f"a function with the kernel {inner!r}"


def _change(factor: Kernel) -> str:
    """How a factor changes what another one describes."""
    inner = innermost(factor)
    if isinstance(inner, (RBF, RationalQuadratic)):
        return f"change over a length scale of {_value(inner.length_scale)}"
    if isinstance(inner, Periodic):
        return f"repeat with period {_value(inner.period)}"
    if _is_linear(inner):
        return "change linearly"
    return f"vary by the kernel {inner!r}"


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
