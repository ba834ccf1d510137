"""Closure rules: what follows for a composite kernel from the certificates of its parts."""

from __future__ import annotations

import dataclasses
import functools
import math
import operator
from collections.abc import Callable, Iterable, Sequence

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
from mercer.definiteness.means import (
    finite,
    of_center,
    of_columns,
    of_exp,
    of_image,
    of_length,
    of_power,
    of_product,
    of_series,
    of_sum,
)

Facts = frozenset[str]

_OPPENHEIM = "det(A∘B) ≥ det A · Π B_ii (Oppenheim)"


def _facts(
    names: Iterable[str], parts: Sequence[Certificate], how: Callable[[Iterable[bool]], bool]
) -> Facts:
    """The facts of these names that any, or all, of the parts have."""
    facts = set()
    for name in names:
        if how(map(operator.methodcaller("has", name), parts)):
            facts.add(name)
    return frozenset(facts)


def _kept(part: Certificate, *names: str) -> Facts:
    """The facts of these names that the only part has."""
    return _facts(names, [part], all)


_means = operator.attrgetter("means")


def _no_rule(claim: str, why: str, where: Where, parts: Sequence[Certificate]) -> Certificate:
    return Certificate(UNKNOWN, claim, f"no rule: {why}", where, tuple(parts))


def sum_rule(claim: str, parts: Sequence[Certificate]) -> Certificate:
    """k1 + k2: psd if every term is, strict if besides one term is, cpd if one term is only cpd."""
    where = parts[0].where
    for part in parts[1:]:
        if part.where != where:
            where = where.meet(part.where)
    statuses = set(map(operator.attrgetter("status"), parts))
    if statuses & {UNKNOWN, INDEFINITE}:
        return _no_rule(claim, "a term is not known to be psd", where, parts)
    known = frozenset[str]().union(*map(operator.attrgetter("facts"), parts))
    if STRICT in statuses:
        known |= {POSITIVE_DIAGONAL, SEPARATES}
    if CPD in statuses:
        rule = "sum of cpd terms: each term is ≥ 0 where Σc = 0"
        facts = known & {SEPARATES}
        means = of_sum(list(map(_means, parts)), psd=False)
        return Certificate(CPD, claim, rule, where, tuple(parts), facts, means=means)
    rule = "sum: cᵀ(K₁ + K₂)c = cᵀK₁c + cᵀK₂c"
    status = PSD
    if STRICT in statuses:
        status = STRICT
        rule += ", and that of a strict term is > 0 unless c = 0"
    facts = known & {POSITIVE_DIAGONAL, SEPARATES}
    means = of_sum(list(map(_means, parts)), psd=True)
    return Certificate(status, claim, rule, where, tuple(parts), facts, means=means)


def scale_rule(
    claim: str, factor: float, part: Certificate, witness: Callable[[], Witness | None]
) -> Certificate:
    """c·k: a positive multiple is as its part; a negative one of a psd kernel has a witness."""
    if factor == 0:
        rule = "weight 0: the zero kernel"
        return Certificate(PSD, claim, rule, part.where, (part,), means=finite("none"))
    if factor > 0:
        rule = "positive multiple keeps the status"
        if part.psd:
            rule = f"positive multiple: feature map √{factor:g} φ"
        refuting = part.witness
        if refuting is not None:
            refuting = dataclasses.replace(refuting, value=factor * refuting.value)
        return Certificate(
            part.status, claim, rule, part.where, (part,), part.facts, refuting, means=part.means
        )
    point = witness() if part.psd else None
    if point is None:
        return _no_rule(claim, "a negative multiple", part.where, [part])
    rule = "negative multiple of a kernel with k(x,x) > 0"
    return Certificate(INDEFINITE, claim, rule, part.where, (part,), witness=point)


def product_rule(claim: str, parts: Sequence[Certificate], split: bool = False) -> Certificate:
    """k1 · k2, by Schur; ``split`` if the factors look at disjoint columns that cover all."""
    where = functools.reduce(Where.meet, map(operator.attrgetter("where"), parts))
    if not all(part.psd for part in parts):
        return _no_rule(claim, "Schur's theorem needs psd factors", where, parts)
    status, uses = STRICT, frozenset[str]()
    means = of_product(list(map(_means, parts)), all(part.has(POSITIVE_DIAGONAL) for part in parts))
    if split:
        means = of_columns([part.parts[0].means for part in parts if part.parts])  # no constants
        rule = "tensor product over disjoint columns that cover all, each factor strict on its own "
        rule += "columns"
        if not all(part.parts for part in parts):
            rule += ", times a constant > 0"
    elif _is_strict_product(parts):
        rule = "Schur product of a strict factor with factors of positive diagonal"
        rule += f": {_OPPENHEIM}"
        uses = frozenset({POSITIVE_DIAGONAL})
    else:
        status = PSD
        rule = "Schur product: feature map φ₁ ⊗ φ₂"
    facts = _facts([POSITIVE_DIAGONAL, DIVISIBLE], parts, all)
    return Certificate(status, claim, rule, where, tuple(parts), facts, uses=uses, means=means)


def _is_strict_product(parts: Sequence[Certificate]) -> bool:
    """Whether one factor is strict and the others have a positive diagonal, as strict ones have."""
    any_strict = any(part.status == STRICT for part in parts)
    return any_strict and all(part.has(POSITIVE_DIAGONAL) for part in parts)


def _where_images_are(where: Where, name: str) -> Where:
    """The points whose images under a function of this name are in a set."""
    conditions = [c.replace("(x)", f"({name}(x))") for c in where.conditions if "(x)" in c]
    rest = tuple(c for c in where.conditions if "(x)" not in c)
    if where.space == "any set":
        return Where(conditions=(*conditions, *rest))
    image = Where(where.space, where.max_dim, rest)
    return Where(conditions=(f"{name}(x) in {image}", *conditions))


def pull_back_rule(
    claim: str, part: Certificate, injective: bool, name: str = "f", stated: bool = False
) -> Certificate:
    """k(f(x), f(y)): as k, and strict only for an injective f; ``stated`` if a user says it is."""
    where = _where_images_are(part.where, name)
    image = f"its Gram matrix is that of the part at the points {name}(x)"
    if not part.cpd:
        return _no_rule(claim, "pull-back of a part that is not psd", where, [part])
    if injective and part.has(SEPARATES):
        rule = f"pull-back by the injective {name}: {image}, distinct where the x are"
        if stated:
            rule = f"pull-back by {name}: {image}, distinct where the x are, as {name} is injective"
            where = where.meet(Where(conditions=(f"assumed: {name} is injective",)))
        means = of_image(part.means, injective=True)
        return Certificate(part.status, claim, rule, where, (part,), part.facts, means=means)
    rule = f"pull-back by {name}: {image}, which may be equal where the x are distinct"
    facts = (part.facts - {SEPARATES}) | _kept(part, POSITIVE_DIAGONAL)
    status = PSD if part.status == STRICT else part.status
    means = of_image(part.means, injective)
    return Certificate(status, claim, rule, where, (part,), facts, means=means)


def conformal_rule(claim: str, part: Certificate, nonzero: bool, assumed: str = "") -> Certificate:
    """f(x) k(x,y) f(y): psd, and strict where k is and f never vanishes, which may be assumed."""
    if not part.psd:
        return _no_rule(claim, "conformal change needs a psd kernel", part.where, [part])
    rule = "conformal change: feature map f(x) φ(x)"
    means = of_length(part.means, nonzero)
    if not nonzero:
        return Certificate(PSD, claim, rule, part.where, (part,), means=means)
    facts = _kept(part, POSITIVE_DIAGONAL)
    where = part.where
    if assumed and facts:  # nothing else depends on it
        where = where.meet(Where(conditions=(f"assumed: {assumed}",)))
    if part.status == STRICT:
        rule += "; strict because f(x) ≠ 0"
    return Certificate(part.status, claim, rule, where, (part,), facts, means=means)


def power_rule(claim: str, exponent: float, part: Certificate) -> Certificate:
    """k ** p: psd for an integer p ≥ 1, and for any p > 0 where k is infinitely divisible."""
    if not part.psd:
        return _no_rule(claim, "a power of a part that is not psd", part.where, [part])
    uses: Facts = frozenset()
    if float(exponent).is_integer():
        rule = "power: repeated Schur product, feature map φ ⊗ … ⊗ φ"
        if part.status == STRICT:
            rule += f"; strict because {_OPPENHEIM}"
    elif part.has(DIVISIBLE):
        rule = f"power {exponent:g} of an infinitely divisible kernel: log k is cpd (Schoenberg)"
        uses = frozenset({DIVISIBLE})
        if part.status == STRICT:
            rule += ", and as k(x,y)² < k(x,x) k(y,y) for x ≠ y it is strict"
    else:
        kind = "a kernel not known to be infinitely divisible"
        why = f"a power that is not an integer ({exponent:g}) of {kind}"
        return _no_rule(claim, why, part.where, [part])
    facts = _kept(part, POSITIVE_DIAGONAL, DIVISIBLE)
    if exponent % 2 == 1:  # φ ⊗ φ ⊗ φ distinguishes φ from −φ
        facts |= _kept(part, SEPARATES)
    means = of_power(part.means, float(exponent).is_integer(), part.has(DIVISIBLE))
    return Certificate(part.status, claim, rule, part.where, (part,), facts, uses=uses, means=means)


def power_series_rule(
    claim: str,
    part: Certificate,
    radius: float,
    *,
    coefficients: Sequence[float],
    stated: str = "",
    assumed: str = "",
) -> Certificate:
    """Σ aₙ kⁿ: psd if no aₙ is negative; ``coefficients`` are the first of them.

    Of the others a formula is ``stated`` that shows it, or it is ``assumed``.
    """
    where = part.where
    if min(coefficients) < 0:
        return _no_rule(claim, "a coefficient is negative", where, [part])
    if assumed:
        where = where.meet(Where(conditions=(assumed,)))
    if math.isfinite(radius):
        where = where.meet(Where(conditions=(f"k(x,x) < {radius:g}",)))
    if not part.psd:
        return _no_rule(claim, "the base is not psd", where, [part])
    known = f", {stated}" if stated else ""
    sums = f"power series with coefficients ≥ 0{known}: sums of Schur powers and their limit"
    rule = f"{sums}; by Cauchy–Schwarz all stay inside the radius"
    status = part.status if max(coefficients[1:], default=0.0) > 0 else PSD
    if status == STRICT:
        rule += "; a power n ≥ 1 with a positive coefficient is strict as the base is"
    facts = _power_series_facts(part, coefficients)
    gives: Facts = frozenset()
    if coefficients[0] > 0:
        gives = frozenset({POSITIVE_DIAGONAL})
    means = of_series(part.means, coefficients)
    return Certificate(status, claim, rule, where, (part,), facts, gives=gives, means=means)


def _power_series_facts(part: Certificate, coefficients: Sequence[float]) -> Facts:
    """What is known of Σ aₙ kⁿ with aₙ ≥ 0 beside its status."""
    facts: Facts = frozenset()
    if coefficients[0] > 0:
        facts |= {POSITIVE_DIAGONAL}
    if any(a > 0 for a in coefficients[1:]):
        facts |= _kept(part, POSITIVE_DIAGONAL)
    if len(coefficients) > 1 and coefficients[1] > 0:
        facts |= _kept(part, SEPARATES)
    return facts


def exp_rule(claim: str, part: Certificate) -> Certificate:
    """exp(k): psd for psd and cpd k; strict iff k separates points."""
    if not part.cpd:
        return _no_rule(claim, "exp of a part that is neither psd nor cpd", part.where, [part])
    rule = "Schoenberg: exp of a cpd kernel is psd"
    if part.psd:
        rule = "exponential: the power series of exp"
    status, uses = PSD, frozenset[str]()
    if part.has(SEPARATES):
        status, uses = STRICT, frozenset({SEPARATES})
        rule += "; strict because distinct points have a positive distance in feature space"
    facts = frozenset({POSITIVE_DIAGONAL, DIVISIBLE})
    means = of_exp(part.means, part.has(SEPARATES))
    return Certificate(
        status, claim, rule, part.where, (part,), facts, uses=uses, gives=facts, means=means
    )


def normalize_rule(claim: str, part: Certificate) -> Certificate:
    """k(x,y)/√(k(x,x) k(y,y)): as k."""
    if not part.psd:
        return _no_rule(claim, "normalizing needs a psd kernel", part.where, [part])
    rule = "normalization: feature map φ/‖φ‖, and 0 where φ is"
    if part.status == STRICT:
        rule = "normalization: feature map φ/‖φ‖, a change of length that keeps independence"
    facts = _kept(part, POSITIVE_DIAGONAL, DIVISIBLE)
    means = of_length(part.means, nonzero=True)
    return Certificate(part.status, claim, rule, part.where, (part,), facts, means=means)


def center_rule(claim: str, part: Certificate) -> Certificate:
    """⟨φ(x) − φ_c, φ(y) − φ_c⟩: psd for psd and cpd kernels."""
    if not part.cpd:
        return _no_rule(claim, "centering needs a psd or cpd kernel", part.where, [part])
    rule = "centering a cpd kernel: δ_x − mean has Σc = 0, so the form is ≥ 0"
    if part.psd:
        rule = "centering: feature map φ − φ_c"
    facts, means = _kept(part, SEPARATES), of_center(part.means)
    return Certificate(PSD, claim, rule, part.where, (part,), facts, means=means)


def limit_rule(claim: str, parts: Sequence[Certificate]) -> Certificate:
    """lim kₙ: psd if every term is; a limit of positive numbers may be 0, so never strict."""
    assumed = Where(conditions=("assumed: the sequence converges, and goes on like these terms",))
    where = functools.reduce(Where.meet, map(operator.attrgetter("where"), parts), assumed)
    if not all(part.cpd for part in parts):
        return _no_rule(claim, "a term is not known to be psd", where, parts)
    rule = "limit: each cᵀKₙc is ≥ 0 by its own rule, and so is the limit of these numbers"
    status = PSD if all(part.psd for part in parts) else CPD
    if status == CPD:
        rule += ", where Σc = 0"
    return Certificate(status, claim, rule, where, tuple(parts))


def mixture_rule(
    claim: str, parts: Sequence[Certificate], weights: Sequence[float], error: float
) -> Certificate:
    """Σ w_i k_θi with w_i ≥ 0: as a sum; the part that is shown is one that decides the status."""
    used = [part for part, weight in zip(parts, weights, strict=True) if weight > 0]
    if not used:
        return Certificate(PSD, claim, "weights 0: the zero kernel", parts[0].where)
    whole = sum_rule(claim, used)
    if not whole.cpd:
        shown = next(part for part in used if not part.cpd)
        return dataclasses.replace(whole, parts=(shown,))
    # the one shown is the one that decides: all are at least cpd, one strict term suffices
    shown = next(part for part in used if part.status == whole.status)
    each = CPD if whole.status == CPD else PSD
    values = "1 value" if len(used) == 1 else f"{len(used)} values"
    rule = f"mixture: a sum with weights > 0 over {values} of a parameter, each {each}"
    if whole.status == STRICT:
        rule += ", and the one shown strict"
    if error > 0:
        rule += f"; its distance from the integral is not proved, but estimated as {error:g}"
    return dataclasses.replace(whole, rule=rule, parts=(shown,))
