"""The result of every test: the statistic, the p-value, the null distribution, and remarks."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, ClassVar

import numpy as np

from mercer.definiteness import INDEFINITE, UNKNOWN
from mercer.errors import DefinitenessWarning, ParameterError, explain, warn
from mercer.kernels.base import Kernel
from mercer.markup import LabeledLines, shortened
from mercer.params import between

_LEVEL = 0.05  # that texts speak of
_SHOWN = 1  # kernels of many that a text names


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class TestResult(LabeledLines):
    """The result of a test of a hypothesis.

    ``print`` shows it as text, notebooks show it as a table, and `to_dict` gives plain values.

    Parameters
    ----------
    statistic : float
        The statistic of the samples as they were given.
    pvalue : float
        How often a statistic at least as large is expected where the hypothesis is true. It is
        never 0: where it comes from permutations, the samples as given count as one of them.
    null : ndarray of shape (n_permutations,), or None
        The statistics of the permuted samples; None where the null distribution is a formula.
    kernel : Kernel, list of Kernel, or None
        The kernel, fitted where it learns from data, or those that were aggregated.
    n_permutations : int
        How many permutations were drawn; 0 where the null distribution is a formula.
    notes : tuple of str
        Remarks on the result: how the kernel was chosen, what it cannot see, and
        what is approximate.
    """

    __test__: ClassVar[bool] = False  # the name looks like one of pytest's classes
    title: ClassVar[str] = "test"  # what the text begins with
    hypothesis: ClassVar[str] = ""  # what is tested, in words
    symbol: ClassVar[str] = "statistic"  # the name of the statistic

    statistic: float
    pvalue: float
    null: np.ndarray | None = dataclasses.field(default=None, repr=False)
    kernel: Kernel | list[Kernel] | None = None
    n_permutations: int = 0
    notes: tuple[str, ...] = ()

    def rejects(self, level: float = _LEVEL) -> bool:
        """Whether the hypothesis is rejected at a level, such as 0.05."""
        return self.pvalue <= _checked_level(level)

    def critical_value(self, level: float = _LEVEL) -> float:
        """The value that the statistic has to exceed for the hypothesis to be rejected.

        It is NaN where the null distribution is a formula, and infinite where there are too few
        permutations for this level.
        """
        rank = math.floor(_checked_level(level) * (self.n_permutations + 1))
        if self.null is None:
            return math.nan
        if rank < 1:
            return math.inf
        return float(np.sort(self.null)[-rank])

    def kernel_text(self) -> str:
        """The kernel as algebra; the first ones of many."""
        if self.kernel is None:
            return "none"
        if isinstance(self.kernel, Kernel):
            return shortened(str(self.kernel))
        shown = [shortened(str(kernel)) for kernel in self.kernel[:_SHOWN]]
        rest = len(self.kernel) - len(shown)
        return ", ".join(shown) + (f", and {rest} more" if rest > 0 else "")

    def facts(self) -> dict[str, Any]:
        """Return the results beside statistic and p-value, as plain values by name."""
        return {}

    def to_dict(self) -> dict[str, Any]:
        """Everything but the null distribution by name, as plain values."""
        critical = self.critical_value()
        return {
            "test": self.title,
            "hypothesis": self.hypothesis,
            "statistic": float(self.statistic),
            "pvalue": float(self.pvalue),
            "n_permutations": int(self.n_permutations),
            "critical_value": critical if math.isfinite(critical) else None,
            "kernel": self.kernel_text(),
            **self.facts(),
            "notes": list(self.notes),
        }

    def lines(self) -> list[tuple[str, str]]:
        """The result as labeled lines of text."""
        lines = [(self.title, self.verdict()), (self.statistic_name(), f"{self.statistic:.6g}")]
        lines.append(("p-value", self._pvalue_text()))
        critical = self.critical_value()
        if math.isfinite(critical):
            lines.append(("exceeded at 5 %", f"{critical:.6g}"))
        lines.append(("kernel", self.kernel_text()))
        for name, value in self.facts().items():
            lines.append((name.replace("_", " "), _plain(value)))
        return [*lines, *(("note", note) for note in self.notes)]

    def statistic_name(self) -> str:
        """Return the name of the statistic."""
        return self.symbol

    def verdict(self) -> str:
        """Whether the hypothesis is rejected at 5 %, in words."""
        word = "rejected" if self.rejects() else "not rejected"
        return f"{self.hypothesis}: {word} at 5 %"

    def _pvalue_text(self) -> str:
        text = f"{self.pvalue:.4g}"
        if self.n_permutations:
            return f"{text}, from {self.n_permutations} permutations"
        return text


def _checked_level(level: float) -> float:
    between(0.0, 1.0).check("level", level)
    return float(level)


def _plain(value: object) -> str:
    """One value, or several, as text."""
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_plain, value))
    if isinstance(value, float):
        return f"{value:.4g}"
    return str(value)


def kernel_notes(kernel: Kernel, test: str, conditional: bool = True) -> tuple[str, ...]:
    """Notes on a kernel in a test; warns of one that may not be positive.

    Parameters
    ----------
    kernel : Kernel
        The fitted kernel.
    test : str
        The name of the test, for the warning.
    conditional : bool, default=True
        Whether a kernel that is only conditionally positive definite is right here.
    """
    certificate = kernel.certificate()
    if certificate.status == INDEFINITE:
        rule = f"is indefinite: the level of {test} holds, but its statistic is no distance"
        warn(explain("kernel", kernel, rule, "see k.certificate()"), DefinitenessWarning)
        return (f"the kernel is indefinite: the p-value holds, but {_NO_DISTANCE}",)
    if certificate.status == UNKNOWN:
        return (f"it is unknown whether the kernel is positive definite: if not, {_NO_DISTANCE}",)
    if certificate.status == "cpd" and not conditional:
        rule = "is only conditionally positive definite"
        raise ParameterError("kernel", kernel, rule, f"use k.center(), for {test}")
    return _characteristic_notes(certificate)


_NO_DISTANCE = "the statistic is no distance, and a difference may go unseen"


def _characteristic_notes(certificate: Any) -> tuple[str, ...]:
    """What the certificate says of the differences that the kernel can see."""
    fact = str(getattr(certificate, "characteristic", "") or "")
    if fact == "no":
        return (
            "the kernel is not characteristic: there are differences that it cannot see, so that"
            " a large p-value says little",
        )
    return ()
