"""Why, and where, a kernel is positive semi-definite.

A `Certificate` is a node of a proof: what is claimed (`status`), on which set (`where`), by which `rule`,
from which `parts`. The closure rules below combine certificates; they know nothing of kernels.

The statuses, from the strongest to the weakest:

* ``strict``: the Gram matrix of distinct points is nonsingular,
* ``psd``: cᵀKc ≥ 0 for every c,
* ``cpd``: cᵀKc ≥ 0 whenever Σc = 0,
* ``unknown``: no rule applies,
* ``indefinite``: some cᵀKc < 0, and a `Witness` shows it.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

STRICT, PSD, CPD, UNKNOWN, INDEFINITE = "strict", "psd", "cpd", "unknown", "indefinite"

_WORDS = {
    STRICT: "strictly positive definite",
    PSD: "positive semi-definite",
    CPD: "conditionally positive semi-definite (Σc = 0)",
    UNKNOWN: "not known to be positive semi-definite",
    INDEFINITE: "INDEFINITE",
}

# What else the rules need to know of a part.
POSITIVE_DIAGONAL = "k(x,x) > 0"
SEPARATES = "k(x,x) + k(y,y) − 2k(x,y) > 0 for x ≠ y"
DIVISIBLE = "infinitely divisible"


@dataclasses.dataclass(frozen=True)
class Witness:
    """Points and coefficients with cᵀKc < 0: a refutation anyone can check."""

    points: Any
    coefficients: Any
    value: float
    balanced: bool = False  # Σc = 0, so that it refutes "cpd" as well

    def __str__(self) -> str:
        kind = "Σc = 0 and " if self.balanced else ""
        count = len(self.coefficients)
        if count <= 5:
            points = ", ".join(str(p.tolist() if hasattr(p, "tolist") else p) for p in self.points)
            weights = ", ".join(f"{c:.4g}" for c in self.coefficients)
            return f"x = ({points}), c = ({weights}): {kind}cᵀKc = {self.value:.4g} < 0"
        return f"{count} points: {kind}cᵀKc = {self.value:.4g} < 0"


@dataclasses.dataclass(frozen=True)
class Where:
    """The set on which a claim holds."""

    space: str = "any set"
    max_dim: float = math.inf
    conditions: tuple[str, ...] = ()

    def meet(self, other: Where) -> Where:
        """Both at once."""
        if self.space == "any set":
            space = other.space
        elif other.space in ("any set", self.space):
            space = self.space
        else:
            space = f"{self.space} ∩ {other.space}"
        extra = tuple(c for c in other.conditions if c not in self.conditions)
        return Where(space, min(self.max_dim, other.max_dim), self.conditions + extra)

    def __str__(self) -> str:
        text = self.space
        if math.isfinite(self.max_dim):
            text += f", d ≤ {self.max_dim:g}"
        return ", ".join((text, *self.conditions))


@dataclasses.dataclass(frozen=True)
class Certificate:
    """One node of a proof; ``print`` shows the tree."""

    status: str
    claim: str
    rule: str
    where: Where = Where()
    parts: tuple[Certificate, ...] = ()
    facts: frozenset[str] = frozenset()
    witness: Witness | None = None

    @property
    def domain(self) -> str:
        """The set on which the status holds, as text."""
        return str(self.where)

    @property
    def psd(self) -> bool:
        """Whether cᵀKc ≥ 0 for all c."""
        return self.status in (STRICT, PSD)

    @property
    def cpd(self) -> bool:
        """Whether cᵀKc ≥ 0 for all c with Σc = 0."""
        return self.status in (STRICT, PSD, CPD)

    def has(self, fact: str) -> bool:
        return fact in self.facts or (self.status == STRICT and fact in (POSITIVE_DIAGONAL, SEPARATES))

    def leaves(self) -> Iterator[Certificate]:
        """The nodes without parts, from left to right."""
        if not self.parts:
            yield self
        for part in self.parts:
            yield from part.leaves()

    def failing(self) -> Certificate | None:
        """The first leaf that is not psd, if any: where to look."""
        return next((leaf for leaf in self.leaves() if not leaf.psd), None)

    def _lines(self, indent: str) -> Iterator[str]:
        yield f"{indent}{self.claim}"
        yield f"{indent}  is {_WORDS[self.status]} on {self.where}"
        yield f"{indent}  by {self.rule}"
        if self.witness is not None:
            yield f"{indent}  witness: {self.witness}"
        for part in self.parts:
            yield from part._lines(indent + "    ")

    def __str__(self) -> str:
        return "\n".join(self._lines(""))

    def __repr__(self) -> str:
        return f"<Certificate: {self.claim} is {self.status} on {self.where}>"


@dataclasses.dataclass(frozen=True)
class Definite:
    """A leaf's claim, written beside its formula: ``definite = Definite("strict", "Bochner: ...")``."""

    status: str
    rule: str
    space: str = "R^d"
    max_dim: float = math.inf
    conditions: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()

    def certificate(self, claim: str) -> Certificate:
        return Certificate(self.status, claim, self.rule, Where(self.space, self.max_dim, self.conditions), (), frozenset(self.facts))


# -- closure rules ---------------------------------------------------------------------------------------------------


def _meet(parts: Sequence[Certificate]) -> Where:
    where = Where()
    for part in parts:
        where = where.meet(part.where)
    return where


def _shared(parts: Sequence[Certificate], fact: str, how: Callable[[Iterator[bool]], bool]) -> set[str]:
    return {fact} if parts and how(part.has(fact) for part in parts) else set()


def sum_rule(claim: str, parts: Sequence[Certificate]) -> Certificate:
    """A sum: psd if every term is, strict if besides one term is, cpd if one term is only cpd."""
    where = _meet(parts)
    if all(p.psd for p in parts):
        status = STRICT if any(p.status == STRICT for p in parts) else PSD
        facts = _shared(parts, POSITIVE_DIAGONAL, any) | _shared(parts, SEPARATES, any)
        return Certificate(status, claim, "sum: cᵀ(K₁ + K₂)c = cᵀK₁c + cᵀK₂c", where, tuple(parts), frozenset(facts))
    if all(p.cpd for p in parts):
        facts = _shared(parts, SEPARATES, any)
        return Certificate(CPD, claim, "sum of cpd terms: each term is ≥ 0 where Σc = 0", where, tuple(parts), frozenset(facts))
    return Certificate(UNKNOWN, claim, "no rule: a term is not psd", where, tuple(parts))


def scale_rule(claim: str, factor: float, part: Certificate, witness: Callable[[], Witness | None]) -> Certificate:
    """c·k."""
    if factor == 0:
        return Certificate(PSD, claim, "weight 0: the zero kernel", part.where, (part,))
    if factor > 0:
        rule = f"positive multiple: feature map √{factor:g} φ" if part.psd else "positive multiple keeps the status"
        witness_ = part.witness and dataclasses.replace(part.witness, value=factor * part.witness.value)
        return Certificate(part.status, claim, rule, part.where, (part,), part.facts, witness_)
    found = witness() if part.psd else None
    if found is not None:
        return Certificate(INDEFINITE, claim, "negative multiple of a kernel with k(x,x) > 0", part.where, (part,), witness=found)
    return Certificate(UNKNOWN, claim, "no rule: a negative multiple", part.where, (part,))


def product_rule(claim: str, parts: Sequence[Certificate], split: bool = False) -> Certificate:
    """A product (Schur); ``split`` if the factors look at disjoint columns that together are all of them."""
    where = _meet(parts)
    if not all(p.psd for p in parts):
        return Certificate(UNKNOWN, claim, "no rule: Schur's theorem needs psd factors", where, tuple(parts))
    facts = _shared(parts, POSITIVE_DIAGONAL, all) | _shared(parts, DIVISIBLE, all)
    strict = [i for i, p in enumerate(parts) if p.status == STRICT]
    if split:
        rule = "tensor product over disjoint columns that cover all, each factor strict on its own"
        return Certificate(STRICT, claim, rule, where, tuple(parts), frozenset(facts))
    if strict and all(p.has(POSITIVE_DIAGONAL) for i, p in enumerate(parts) if i != strict[0]):
        rule = "Schur product of a strict factor with factors of positive diagonal"
        return Certificate(STRICT, claim, rule, where, tuple(parts), frozenset(facts))
    return Certificate(PSD, claim, "Schur product: feature map φ₁ ⊗ φ₂", where, tuple(parts), frozenset(facts))


def pull_back_rule(claim: str, part: Certificate, injective: bool, name: str = "f") -> Certificate:
    """k(f(x), f(y))."""
    where = Where(conditions=(f"{name}(x) in {part.where}",)) if part.where.space != "any set" else part.where
    if not part.cpd:
        return Certificate(UNKNOWN, claim, "no rule: pull-back of a part that is not psd", where, (part,))
    status = part.status
    facts = set(part.facts)
    if not injective:
        status = PSD if status == STRICT else status
        facts.discard(SEPARATES)
        if part.status == STRICT:
            facts.add(POSITIVE_DIAGONAL)
        rule = f"pull-back by {name} (not known to be injective, so never strict): φ({name}(x))"
    else:
        rule = f"pull-back by the injective {name}: φ({name}(x))"
    return Certificate(status, claim, rule, where, (part,), frozenset(facts))


def conformal_rule(claim: str, part: Certificate, nonzero: bool) -> Certificate:
    """f(x) k(x,y) f(y)."""
    if not part.psd:
        return Certificate(UNKNOWN, claim, "no rule: conformal change needs a psd kernel", part.where, (part,))
    status = STRICT if part.status == STRICT and nonzero else PSD
    facts = {POSITIVE_DIAGONAL} if nonzero and part.has(POSITIVE_DIAGONAL) else set()
    return Certificate(status, claim, "conformal change: feature map f(x) φ(x)", part.where, (part,), frozenset(facts))


def power_rule(claim: str, exponent: float, part: Certificate) -> Certificate:
    """k ** n, integer n ≥ 1 or a real exponent."""
    facts = {f for f in (POSITIVE_DIAGONAL, DIVISIBLE) if part.has(f)}
    if exponent % 2 == 1 and part.has(SEPARATES):  # φ ⊗ φ ⊗ φ tells φ from −φ
        facts.add(SEPARATES)
    if not part.psd:
        return Certificate(UNKNOWN, claim, "no rule: a power of a part that is not psd", part.where, (part,))
    if float(exponent).is_integer():
        rule = "power: repeated Schur product, feature map φ ⊗ … ⊗ φ"
        return Certificate(part.status, claim, rule, part.where, (part,), frozenset(facts))
    if part.has(DIVISIBLE):
        rule = f"power {exponent:g} of an infinitely divisible kernel: log k is cpd (Schoenberg)"
        return Certificate(part.status, claim, rule, part.where, (part,), frozenset(facts))
    rule = f"no rule: a power that is not an integer ({exponent:g}) of a kernel not known to be infinitely divisible"
    return Certificate(UNKNOWN, claim, rule, part.where, (part,))


def power_series_rule(
    claim: str, part: Certificate, radius: float, *, negative: bool, constant: bool, linear: bool, first: bool, stated: str = ""
) -> Certificate:
    """Σ aₙ kⁿ; ``constant`` if a₀ > 0, ``first`` if a₁ > 0, ``linear`` if some aₙ > 0 with n ≥ 1, ``negative`` if some aₙ < 0."""
    conditions = () if math.isinf(radius) else (f"k(x,x) < {radius:g}",)
    where = part.where.meet(Where(conditions=conditions))
    if negative or not part.psd:
        why = "a coefficient is negative" if negative else "the base is not psd"
        return Certificate(UNKNOWN, claim, f"no rule: {why}", where, (part,))
    status = STRICT if part.status == STRICT and linear else PSD
    facts = {POSITIVE_DIAGONAL} if constant or (linear and part.has(POSITIVE_DIAGONAL)) else set()
    if first and part.has(SEPARATES):
        facts.add(SEPARATES)
    rule = f"power series with coefficients ≥ 0{stated}: sums of Schur powers and their limit; by Cauchy–Schwarz all stay inside the radius"
    return Certificate(status, claim, rule, where, (part,), frozenset(facts))


def exp_rule(claim: str, part: Certificate) -> Certificate:
    """exp(k): psd for psd and cpd k; strict iff k separates points."""
    if not part.cpd:
        return Certificate(UNKNOWN, claim, "no rule: exp of a part that is neither psd nor cpd", part.where, (part,))
    rule = "exponential: the power series of exp" if part.psd else "Schoenberg: exp of a cpd kernel is psd"
    status = PSD
    if part.has(SEPARATES):
        status = STRICT
        rule += "; strict because distinct points have a positive distance"
    return Certificate(status, claim, rule, part.where, (part,), frozenset({POSITIVE_DIAGONAL, DIVISIBLE}))


def normalize_rule(claim: str, part: Certificate) -> Certificate:
    """k(x,y)/√(k(x,x) k(y,y))."""
    if not part.psd:
        return Certificate(UNKNOWN, claim, "no rule: normalising needs a psd kernel", part.where, (part,))
    facts = {f for f in (POSITIVE_DIAGONAL, DIVISIBLE) if part.has(f)}
    return Certificate(part.status, claim, "normalisation: feature map φ/‖φ‖", part.where, (part,), frozenset(facts))


def center_rule(claim: str, part: Certificate) -> Certificate:
    """Centred on training data."""
    if not part.cpd:
        return Certificate(UNKNOWN, claim, "no rule: centring needs a psd or cpd kernel", part.where, (part,))
    facts = {SEPARATES} if part.has(SEPARATES) else set()
    rule = "centring: feature map φ − φ_c" if part.psd else "centring a cpd kernel: δ_x − mean has Σc = 0, so the form is ≥ 0"
    return Certificate(PSD, claim, rule, part.where, (part,), frozenset(facts))
