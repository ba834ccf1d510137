"""Closure rules: what follows for a composite kernel from the certificates of its parts."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Sequence

from mercer.definiteness.certificate import (
    CPD,
    DIVISIBLE,
    INDEFINITE,
    POSITIVE_DIAGONAL,
    PSD,
    SEPARATES,
    STRICT,
    UNKNOWN,
    Certificate,
    Where,
    Witness,
)


def _meet(parts: Sequence[Certificate]) -> Where:
    where = Where()
    for part in parts:
        where = where.meet(part.where)
    return where


def _shared(
    parts: Sequence[Certificate], fact: str, how: Callable[[Iterator[bool]], bool]
) -> set[str]:
    return {fact} if parts and how(part.has(fact) for part in parts) else set()


def sum_rule(claim: str, parts: Sequence[Certificate]) -> Certificate:
    """A sum: psd if every term is, strict if besides one term is, cpd if one term is only cpd."""
    where = _meet(parts)
    if all(p.psd for p in parts):
        status = STRICT if any(p.status == STRICT for p in parts) else PSD
        facts = _shared(parts, POSITIVE_DIAGONAL, any) | _shared(parts, SEPARATES, any)
        return Certificate(
            status,
            claim,
            "sum: cᵀ(K₁ + K₂)c = cᵀK₁c + cᵀK₂c",
            where,
            tuple(parts),
            frozenset(facts),
        )
    if all(p.cpd for p in parts):
        facts = _shared(parts, SEPARATES, any)
        return Certificate(
            CPD,
            claim,
            "sum of cpd terms: each term is ≥ 0 where Σc = 0",
            where,
            tuple(parts),
            frozenset(facts),
        )
    return Certificate(UNKNOWN, claim, "no rule: a term is not psd", where, tuple(parts))


def scale_rule(
    claim: str, factor: float, part: Certificate, witness: Callable[[], Witness | None]
) -> Certificate:
    """c·k."""
    if factor == 0:
        return Certificate(PSD, claim, "weight 0: the zero kernel", part.where, (part,))
    if factor > 0:
        rule = (
            f"positive multiple: feature map √{factor:g} φ"
            if part.psd
            else "positive multiple keeps the status"
        )
        witness_ = part.witness and dataclasses.replace(
            part.witness, value=factor * part.witness.value
        )
        return Certificate(part.status, claim, rule, part.where, (part,), part.facts, witness_)
    found = witness() if part.psd else None
    if found is not None:
        return Certificate(
            INDEFINITE,
            claim,
            "negative multiple of a kernel with k(x,x) > 0",
            part.where,
            (part,),
            witness=found,
        )
    return Certificate(UNKNOWN, claim, "no rule: a negative multiple", part.where, (part,))


def product_rule(claim: str, parts: Sequence[Certificate], split: bool = False) -> Certificate:
    """A product (Schur); ``split`` if the factors look at disjoint columns that together are all of them."""
    where = _meet(parts)
    if not all(p.psd for p in parts):
        return Certificate(
            UNKNOWN, claim, "no rule: Schur's theorem needs psd factors", where, tuple(parts)
        )
    facts = _shared(parts, POSITIVE_DIAGONAL, all) | _shared(parts, DIVISIBLE, all)
    strict = [i for i, p in enumerate(parts) if p.status == STRICT]
    if split:
        rule = "tensor product over disjoint columns that cover all, each factor strict on its own"
        return Certificate(STRICT, claim, rule, where, tuple(parts), frozenset(facts))
    if strict and all(p.has(POSITIVE_DIAGONAL) for i, p in enumerate(parts) if i != strict[0]):
        rule = "Schur product of a strict factor with factors of positive diagonal"
        return Certificate(STRICT, claim, rule, where, tuple(parts), frozenset(facts))
    return Certificate(
        PSD, claim, "Schur product: feature map φ₁ ⊗ φ₂", where, tuple(parts), frozenset(facts)
    )


def pull_back_rule(claim: str, part: Certificate, injective: bool, name: str = "f") -> Certificate:
    """k(f(x), f(y))."""
    where = (
        Where(conditions=(f"{name}(x) in {part.where}",))
        if part.where.space != "any set"
        else part.where
    )
    if not part.cpd:
        return Certificate(
            UNKNOWN, claim, "no rule: pull-back of a part that is not psd", where, (part,)
        )
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
        return Certificate(
            UNKNOWN, claim, "no rule: conformal change needs a psd kernel", part.where, (part,)
        )
    status = STRICT if part.status == STRICT and nonzero else PSD
    facts = {POSITIVE_DIAGONAL} if nonzero and part.has(POSITIVE_DIAGONAL) else set()
    return Certificate(
        status,
        claim,
        "conformal change: feature map f(x) φ(x)",
        part.where,
        (part,),
        frozenset(facts),
    )


def power_rule(claim: str, exponent: float, part: Certificate) -> Certificate:
    """k ** n, integer n ≥ 1 or a real exponent."""
    facts = {f for f in (POSITIVE_DIAGONAL, DIVISIBLE) if part.has(f)}
    if exponent % 2 == 1 and part.has(SEPARATES):  # φ ⊗ φ ⊗ φ tells φ from −φ
        facts.add(SEPARATES)
    if not part.psd:
        return Certificate(
            UNKNOWN, claim, "no rule: a power of a part that is not psd", part.where, (part,)
        )
    if float(exponent).is_integer():
        rule = "power: repeated Schur product, feature map φ ⊗ … ⊗ φ"
        return Certificate(part.status, claim, rule, part.where, (part,), frozenset(facts))
    if part.has(DIVISIBLE):
        rule = f"power {exponent:g} of an infinitely divisible kernel: log k is cpd (Schoenberg)"
        return Certificate(part.status, claim, rule, part.where, (part,), frozenset(facts))
    rule = f"no rule: a power that is not an integer ({exponent:g}) of a kernel not known to be infinitely divisible"
    return Certificate(UNKNOWN, claim, rule, part.where, (part,))


def power_series_rule(
    claim: str, part: Certificate, radius: float, *, coefficients: Sequence[float], stated: str = ""
) -> Certificate:
    """Σ aₙ kⁿ, of which the first coefficients are given."""
    negative = min(coefficients) < 0
    constant = coefficients[0] > 0
    linear = any(a > 0 for a in coefficients[1:])
    first = len(coefficients) > 1 and coefficients[1] > 0
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
        return Certificate(
            UNKNOWN,
            claim,
            "no rule: exp of a part that is neither psd nor cpd",
            part.where,
            (part,),
        )
    rule = (
        "exponential: the power series of exp"
        if part.psd
        else "Schoenberg: exp of a cpd kernel is psd"
    )
    status = PSD
    if part.has(SEPARATES):
        status = STRICT
        rule += "; strict because distinct points have a positive distance"
    return Certificate(
        status, claim, rule, part.where, (part,), frozenset({POSITIVE_DIAGONAL, DIVISIBLE})
    )


def normalize_rule(claim: str, part: Certificate) -> Certificate:
    """k(x,y)/√(k(x,x) k(y,y))."""
    if not part.psd:
        return Certificate(
            UNKNOWN, claim, "no rule: normalising needs a psd kernel", part.where, (part,)
        )
    facts = {f for f in (POSITIVE_DIAGONAL, DIVISIBLE) if part.has(f)}
    return Certificate(
        part.status,
        claim,
        "normalisation: feature map φ/‖φ‖",
        part.where,
        (part,),
        frozenset(facts),
    )


def center_rule(claim: str, part: Certificate) -> Certificate:
    """Centred on training data."""
    if not part.cpd:
        return Certificate(
            UNKNOWN, claim, "no rule: centring needs a psd or cpd kernel", part.where, (part,)
        )
    facts = {SEPARATES} if part.has(SEPARATES) else set()
    rule = (
        "centring: feature map φ − φ_c"
        if part.psd
        else "centring a cpd kernel: δ_x − mean has Σc = 0, so the form is ≥ 0"
    )
    return Certificate(PSD, claim, rule, part.where, (part,), frozenset(facts))
