"""Why, and where, a kernel is positive semi-definite.

A `Certificate` is a node of a proof: what is claimed (`status`), on which set (`where`), by which
`rule`, from which `parts`. The closure rules of `mercer.definiteness.rules` combine certificates;
they know nothing of kernels.

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
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from mercer.aliases import RawSamples
from mercer.definiteness import html
from mercer.definiteness.means import SILENT, Means

STRICT, PSD, CPD, UNKNOWN, INDEFINITE = "strict", "psd", "cpd", "unknown", "indefinite"

_WORDS = {
    STRICT: "strictly positive definite",
    PSD: "positive semi-definite",
    CPD: "conditionally positive semi-definite (Σc = 0)",
    UNKNOWN: "not known to be positive semi-definite",
    INDEFINITE: "INDEFINITE",
}

_NO_RULE = "no rule"  # how the reason begins where nothing is proved

_REAL = re.compile(r"R\^(d|\d+)")

# A larger set, not a smaller one: it is that of a composite where all parts allow it.
MAY_BE_MISSING = "values may be missing"

# What else the rules need to know of a part.
POSITIVE_DIAGONAL = "k(x,x) > 0"
SEPARATES = "k(x,x) + k(y,y) − 2k(x,y) > 0 for x ≠ y"
DIVISIBLE = "infinitely divisible"

_FACTS = {  # as they are printed of a part on which a rule relies
    POSITIVE_DIAGONAL: f"and {POSITIVE_DIAGONAL}",
    SEPARATES: f"and {SEPARATES}",
    DIVISIBLE: "and is infinitely divisible: k^p is psd for every p > 0",
}


def _unsigned(value: Any) -> Any:
    """A float or an array of floats without −0, whose sign means nothing."""
    return value + 0.0 if getattr(value, "dtype", np.dtype(object)).kind == "f" else value


def _plain(value: Any) -> Any:
    """A sample as plain values; arrays, also those in a dictionary, become lists."""
    if hasattr(value, "tolist"):
        return _unsigned(value).tolist()
    if isinstance(value, dict):
        return {name: _plain(entry) for name, entry in value.items()}
    return value


@dataclasses.dataclass(frozen=True)
class Witness:
    """Points and coefficients with cᵀKc < 0: a refutation anyone can check.

    Parameters
    ----------
    points : collection
        The samples x_1, ..., x_n.
    coefficients : ndarray of shape (n,)
        The vector c.
    value : float
        cᵀKc, a negative number.
    balanced : bool
        Whether Σc = 0, so that a claim of "cpd" is refuted as well.
    """

    points: RawSamples
    coefficients: np.ndarray
    value: float
    balanced: bool = False

    def __str__(self) -> str:
        kind = "Σc = 0 and " if self.balanced else ""
        return f"{self._where()}: {kind}cᵀKc = {self.value:.4g} < 0"

    def _where(self) -> str:
        """All points and coefficients, with all digits: anyone can check them."""
        points = ", ".join(map(repr, self.listed()))
        weights = ", ".join(repr(float(_unsigned(c))).removesuffix(".0") for c in self.coefficients)
        return f"x = ({points}), c = ({weights})"

    def listed(self) -> list[Any]:
        """The points as plain values; those of a data frame by the names of its columns."""
        if hasattr(self.points, "to_dict"):
            return list(self.points.to_dict("records"))
        return list(map(_plain, self.points))

    def to_dict(self) -> dict[str, Any]:
        """Points, coefficients and cᵀKc as plain values, with all digits."""
        return {
            "points": self.listed(),
            "coefficients": [float(c) for c in self.coefficients],
            "value": float(self.value),
            "balanced": self.balanced,
        }


@dataclasses.dataclass(frozen=True)
class Where:
    """The set on which a claim holds: a space, the largest dimension, and further conditions."""

    space: str = "any set"
    max_dim: float = math.inf
    conditions: tuple[str, ...] = ()

    def meet(self, other: Where) -> Where:
        """The intersection of the two sets."""
        spaces = self.space, other.space
        if self.space == "any set":
            space = other.space
        elif other.space in ("any set", self.space):
            space = self.space
        elif "R^d" in spaces and all(map(_REAL.fullmatch, spaces)):
            # the space of any dimension holds that of a given one
            space = min(spaces)
        else:
            space = f"{self.space} ∩ {other.space}"
        conditions = dict.fromkeys(self.conditions + other.conditions)
        if not (self._allows_missing and other._allows_missing):
            conditions.pop(MAY_BE_MISSING, None)
        return Where(space, min(self.max_dim, other.max_dim), tuple(conditions))

    @property
    def _allows_missing(self) -> bool:
        """Whether rows with missing values are in the set."""
        return self.space == "any set" or MAY_BE_MISSING in self.conditions

    def __str__(self) -> str:
        text = self.space
        if math.isfinite(self.max_dim):
            text += f", d ≤ {self.max_dim:g}"
        return ", ".join((text, *self.conditions))


@dataclasses.dataclass(frozen=True)
class Certificate:
    """A proof that a kernel is positive semi-definite, or what is known instead.

    ``print`` shows the tree of its parts, and notebooks show it as a tree that folds.

    Parameters
    ----------
    status : {"strict", "psd", "cpd", "unknown", "indefinite"}
        What is claimed.
    claim : str
        The kernel of which it is claimed.
    rule : str
        Why it holds.
    where : Where
        The set on which it holds.
    parts : tuple of Certificate
        The certificates from which it follows.
    facts : frozenset of str
        What else is known and may be used in further proofs.
    witness : Witness, optional
        Points and coefficients that show that the kernel is indefinite.
    uses : frozenset of str
        Facts of the parts on which the rule relies; they are printed with these.
    gives : frozenset of str
        Facts that the rule gives by itself, whatever is known of the parts.
    means : Means
        What means in feature space say of distributions: whether it is characteristic, and why.

    Examples
    --------
    >>> from mercer import RBF
    >>> RBF().certificate()
    <Certificate: RBF() is strict on R^d>
    """

    status: str
    claim: str
    rule: str
    where: Where = Where()
    parts: tuple[Certificate, ...] = ()
    facts: frozenset[str] = frozenset()
    witness: Witness | None = None
    uses: frozenset[str] = frozenset()
    gives: frozenset[str] = frozenset()
    means: Means = SILENT

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

    @property
    def reason(self) -> str:
        """The rule in words: why the claim holds, or that no rule applies."""
        return self.rule if self.rule.startswith(_NO_RULE) else f"by {self.rule}"

    @property
    def characteristic(self) -> str:
        """Whether means in feature space distinguish all distributions: yes, no or unknown.

        ``means.reason`` says why. Tests of Linear() see differences of means only.

        >>> from mercer import RBF, Linear
        >>> RBF().certificate().characteristic, Linear().certificate().characteristic
        ('yes', 'no')
        """
        return self.means.answer

    def has(self, fact: str) -> bool:
        """Whether a fact is known; a strict kernel separates points and has a positive diagonal."""
        return self._follows(fact) or fact in self.facts

    def _follows(self, fact: str) -> bool:
        """Whether a fact follows from the status alone."""
        return self.status == STRICT and fact in (POSITIVE_DIAGONAL, SEPARATES)

    def leaves(self) -> Iterator[Certificate]:
        """The nodes without parts, from left to right."""
        if not self.parts:
            yield self
        for part in self.parts:
            yield from part.leaves()

    def failing(self) -> Certificate | None:
        """The first leaf that is not psd, if any: where to look."""
        return next((leaf for leaf in self.leaves() if not leaf.psd), None)

    def _lines(self, indent: str, wanted: frozenset[str] = frozenset()) -> Iterator[str]:
        """The lines of the proof; of what else is known those facts that are ``wanted`` above."""
        yield f"{indent}{self.claim}"
        yield f"{indent}  is {_WORDS[self.status]} on {self.where}"
        yield f"{indent}  {self.reason}"
        shown = {fact for fact in wanted & self.facts if not self._follows(fact)}
        for fact, text in _FACTS.items():
            if fact in shown:
                yield f"{indent}  {text}"
        if self.witness is not None:
            yield f"{indent}  witness: {self.witness}"
        for part in self.parts:
            yield from part._lines(indent + "    ", self.uses | (shown - self.gives))

    def __str__(self) -> str:
        return "\n".join(self._lines(""))

    def _repr_html_(self) -> str:
        """The proof as notebooks show it: a tree that folds."""
        return html.proof(self, _WORDS)

    def __repr__(self) -> str:
        return f"<Certificate: {self.claim} is {self.status} on {self.where}>"


@dataclasses.dataclass(frozen=True)
class Definite:
    """The claim of a kernel without children, written beside its formula.

    Parameters
    ----------
    status : {"strict", "psd", "cpd"}
        What is claimed.
    rule : str
        Why it holds.
    space : str
        The set on which it holds.
    max_dim : float
        The largest dimension in which it holds.
    conditions : tuple of str
        Further conditions.
    facts : tuple of str
        What else is known and may be used in proofs.
    means : Means
        What means in feature space say of distributions.

    Examples
    --------
    >>> from mercer import Definite
    >>> Definite("strict", "Bochner: a positive Fourier transform").certificate("k")
    <Certificate: k is strict on R^d>
    """

    status: str
    rule: str
    space: str = "R^d"
    max_dim: float = math.inf
    conditions: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    means: Means = SILENT

    def certificate(self, claim: str) -> Certificate:
        """The claim as a proof without parts."""
        where = Where(self.space, self.max_dim, self.conditions)
        facts = frozenset(self.facts)
        return Certificate(self.status, claim, self.rule, where, facts=facts, means=self.means)
