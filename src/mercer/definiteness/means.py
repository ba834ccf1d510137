"""Whether a kernel is characteristic: whether the mean of φ(x) determines the distribution of x.

Two distributions have the same mean of φ if ∫∫ k dμ dμ = 0 for their difference μ, a signed
measure of total mass 0. Where it is positive for every signed measure μ ≠ 0, whatever its mass,
products, powers and changes of length keep the property; this is what `Means.signed` says. Only
distributions whose mean of φ exists, E √k(x,x) < ∞, are spoken of; of a bounded kernel all are.

The rules below are used by those of `mercer.definiteness.rules`. Two lemmas carry them.

* If ∫∫ k₁ dμ dμ > 0 for all signed μ ≠ 0, and k₂ = Σ f_n(x) f_n(y) with k₂(x,x) > 0, then
  ∫∫ k₁k₂ dμ dμ = Σ ∫∫ k₁ d(f_nμ) d(f_nμ), which is 0 only if all f_nμ are, that is if μ is.
  The sum needs a separable feature space, which `White` on a continuum has not.
* If two such kernels look at different columns, and ∫ f(x)g(y) dμ = 0 for all f and g of their
  spaces, then for each g the measure ∫ g(y) μ(·, dy) is 0, so μ(A × ·) is for each A, and μ is.

References
----------
B. K. Sriperumbudur, A. Gretton, K. Fukumizu, B. Schölkopf and G. R. G. Lanckriet (2010). Hilbert
space embeddings and metrics on probability measures. Journal of Machine Learning Research 11,
1517-1561.

B. K. Sriperumbudur, K. Fukumizu and G. R. G. Lanckriet (2011). Universality, characteristic kernels
and RKHS embedding of measures. Journal of Machine Learning Research 12, 2389-2410.

Z. Szabó and B. K. Sriperumbudur (2018). Characteristic and universal tensor product kernels.
Journal of Machine Learning Research 18 (233), 1-29.

J. Ziegel, D. Ginsbourger and L. Dümbgen (2024). Characteristic kernels on Hilbert spaces, Banach
spaces, and on sets of measures. Bernoulli 30, 1441-1457.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

YES, NO, NOT_KNOWN = "yes", "no", "unknown"


@dataclasses.dataclass(frozen=True)
class Means:
    """Whether a distribution is determined by the mean of φ(x).

    Parameters
    ----------
    answer : {"yes", "no", "unknown"}
        Whether the mean determines the distribution: whether the kernel is characteristic.
    reason : str
        Why.
    signed : bool
        Whether it also determines every finite signed measure.
    finite : bool
        Whether there are finitely many features, on infinitely many samples.
    separable : bool
        Whether the feature space is known to be separable.
    """

    answer: str = NOT_KNOWN
    reason: str = "no theorem applies"
    signed: bool = False
    finite: bool = False
    separable: bool = False

    def __str__(self) -> str:
        return f"characteristic: {self.answer} ({self.reason})"


SILENT = Means()

SPECTRUM = Means(
    YES,
    "continuous and translation-invariant, and no open set of frequencies has spectral measure 0 "
    "(Sriperumbudur et al. 2010, theorem 9)",
    signed=True,
    separable=True,
)

GAUSSIAN = Means(
    YES,
    "a Gaussian of a distance in a separable Hilbert space that separates all samples, up to a "
    "change of length (Ziegel et al. 2024)",
    signed=True,
    separable=True,
)

ENERGY = Means(
    YES,
    "where the mass is 0 the form is an integral of those of Gaussians of all widths, so the means "
    "distinguish all distributions of finite moment (Székely and Rizzo 2013)",
    separable=True,
)

FINITE_SET = Means(
    YES,
    "strictly positive definite on a finite set, whose measures are vectors",
    signed=True,
    separable=True,
)

ATOMS = Means(NO, "distributions without atoms all have the mean 0")


def finite(features: str) -> Means:
    """The means of a kernel with m features: m + 2 samples have a combination of mean 0."""
    reason = f"finitely many features, {features}: other distributions have the same mean of them"
    return Means(NO, reason, finite=True, separable=True)


def blind(reason: str) -> Means:
    """The means of a kernel for which two distributions with equal means are known."""
    return Means(NO, reason, separable=True)


def of_sum(parts: Sequence[Means], psd: bool) -> Means:
    """A characteristic term suffices: the others take nothing away from its form."""
    separable, few, answer, signed = True, True, NOT_KNOWN, False
    for part in parts:
        separable &= part.separable
        few &= part.finite
        if part.answer == YES:
            answer = YES
            signed |= psd and part.signed
    if few:
        return finite("those of the terms")
    if answer != YES:
        return Means(separable=separable)
    return Means(YES, "a term of the sum is", signed=signed, separable=separable)


def of_product(parts: Sequence[Means], positive: bool) -> Means:
    """A factor that distinguishes signed measures suffices where the others are never 0."""
    separable = all(part.separable for part in parts)
    if all(part.finite for part in parts):
        return finite("products of those of the factors")
    if positive and separable and any(part.signed for part in parts):
        reason = "a factor distinguishes all signed measures, and the others have k(x,x) > 0"
        return Means(YES, reason, signed=True, separable=True)
    return Means(separable=separable)


def of_columns(parts: Sequence[Means]) -> Means:
    """Factors on disjoint columns that cover all: each has to distinguish signed measures."""
    separable = all(part.separable for part in parts)
    if all(part.signed for part in parts):
        reason = "each factor distinguishes all signed measures on its own columns"
        return Means(YES, f"{reason} (Szabó and Sriperumbudur 2018)", True, separable=separable)
    return Means(separable=separable)


def of_length(part: Means, nonzero: bool) -> Means:
    """f(x) k(x,y) f(y), normalized kernels among them: the measure fμ takes the place of μ."""
    if part.finite:
        return finite("those of the part, scaled")
    if nonzero and part.signed:
        reason = "the part distinguishes all signed measures, and f is never 0"
        return Means(YES, reason, signed=True, separable=part.separable)
    return Means(separable=part.separable)


def of_image(part: Means, injective: bool) -> Means:
    """k(f(x), f(y)): an injective function keeps distributions apart."""
    if injective and part.answer == YES:
        return part
    return Means(separable=part.separable)


def of_some_columns(part: Means, covers: bool, known: bool) -> Means:
    """The means of a kernel on some columns; ``known`` is whether their number is known."""
    if covers:
        return part
    if known:
        return blind("other columns are not seen")
    return part if part.answer == NO else Means(separable=part.separable)


def of_center(part: Means) -> Means:
    """The form is the same where the mass is 0."""
    return dataclasses.replace(part, signed=False)


def of_power(part: Means, integer: bool, divisible: bool) -> Means:
    """k ** p: a repeated product, or the exponential of p log k."""
    if integer:
        return of_product([part, part], positive=True)
    if part.signed and part.separable and divisible:
        return GAUSSIAN
    return Means(separable=part.separable)


def of_exp(part: Means, separates: bool) -> Means:
    """exp(k), a Gaussian in feature space up to lengths, where k separates samples."""
    if separates and part.separable:
        return GAUSSIAN
    return Means(separable=part.separable)


def of_series(part: Means, coefficients: Sequence[float]) -> Means:
    """Σ aₙ kⁿ with aₙ ≥ 0: a power with aₙ > 0 suffices."""
    if part.signed and part.separable and max(coefficients[1:], default=0.0) > 0:
        return Means(YES, "a power in the series is", signed=True, separable=True)
    return Means(separable=part.separable)
