"""The report of a fit: one class for all estimators, formatted in one place."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar

import mercer.markup as markup
from mercer.state import State, storable

if TYPE_CHECKING:
    from mercer.kernels.base import Kernel

# the facts that solvers report, with the words and the format in which they are printed
FACTS: dict[str, tuple[str, str]] = {
    "objective": ("objective", ".10g"),
    "gap": ("KKT gap", ".3g"),
    "residual": ("residual", ".3g"),
    "tol": ("tolerance", ".3g"),
    "iterations": ("iterations", "d"),
    "support": ("support vectors", "d"),
    "relevant": ("relevance vectors", "d"),
    "likelihood": ("log marginal likelihood", ".10g"),
    "bound": ("variational bound", ".10g"),
    "jitter": ("jitter on the diagonal", ".3g"),
    "evaluations": ("evaluations", "d"),
    "at_bounds": ("at their bounds", "s"),
    "kept": ("not learned", "s"),
    "identity": ("relative error of a = w (y − f)/λ", ".1e"),
    "contrast": ("kernel generalized variance", ".6g"),
    "sources": ("sources", "d"),
    "components": ("components", "d"),
    "explained": ("share of the variance", ".3g"),
    "clusters": ("clusters", "d"),
    "smallest_cluster": ("samples in the smallest", "d"),
    "largest_cluster": ("in the largest", "d"),
    "inertia": ("inertia", ".10g"),
    "eigenvalues": ("eigenvalues", ".3g"),
    "ranks": ("ranks", "d"),
    "unexplained": ("shares of the trace left out", ".1e"),
    "left_out": ("k(x, x) − ‖φ(x)‖² of other samples: mean", ".3g"),
    "left_out_sem": ("its standard error", ".1g"),
    "left_out_most": ("largest", ".3g"),
    "correlations": ("regularized correlations", ".3f"),
    "training": ("correlations of the training samples", ".3f"),
    "inertia_shares": ("shares of the inertia", ".3f"),
    "passes": ("passes over the rows", "d"),
    "rounding": ("estimated relative rounding error", ".1e"),
    "score": ("score of rows held out", ".6g"),
    "score_half": ("with half the centers", ".6g"),
    "missed": ("the centers miss", "{:.3g} % ± {:.1g} of k(x, x), at most {:.3g} % of a row"),
    "trace_error": ("", ""),  # the same, not divided by k(x, x): for those who compute with it
    "bytes": ("bytes of the rows", "d"),
}


@storable
@dataclasses.dataclass(frozen=True)
class FitReport:
    """How a model was fitted: kernel, plan of the Gram matrix, solver, and what it reached.

    ``print`` shows it as text, notebooks show it as a table, and `to_dict` gives plain values. The
    facts of a solver are attributes too: ``report.objective``.

    Parameters
    ----------
    model : Kernel, str or None
        The fitted kernel, or text where it is not a mercer kernel; None where it is precomputed.
    plan : str
        The form and size of the Gram matrix.
    solver : str
        How the problem was solved.
    samples : int
        Number of training samples.
    seconds : float
        Duration of the fit.
    converged : bool or None
        Whether the solver has converged; None for a fit that is not iterative.
    facts : dict of str to object
        What the solver reached, by the names in `FACTS`.
    notes : tuple of str
        Further remarks.
    """

    stored: ClassVar[State] = State(
        finite=("seconds",),
        plain=("model", "plan", "solver", "samples", "converged", "facts", "notes"),
    )

    model: Kernel | str | None = dataclasses.field(repr=False)
    plan: str
    solver: str
    samples: int
    seconds: float
    converged: bool | None = None
    facts: dict[str, Any] = dataclasses.field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __getattr__(self, name: str) -> Any:
        if name != "facts" and name in self.facts:
            return self.facts[name]
        raise AttributeError(f"this report has no {name!r}")

    @property
    def kernel(self) -> str:
        """The kernel as algebra.

        It is written when asked for, because a small fit takes no longer than that.
        """
        if self.model is None:
            return "precomputed"
        return str(self.model)

    @property
    def status(self) -> str:
        """The status of the kernel's certificate."""
        if self.model is None or isinstance(self.model, str):
            return "unknown"
        return self.model.certify(None).status

    @property
    def learned(self) -> tuple[str, ...]:
        """Remarks on what the kernel and its parts have learned from the samples, or assumed."""
        if self.model is None or isinstance(self.model, str):
            return ()
        return tuple(dict.fromkeys(_remarks(self.model)))

    def to_dict(self) -> dict[str, object]:
        """Everything by name, as plain values."""
        return {
            "kernel": self.kernel,
            "status": self.status,
            "plan": self.plan,
            "solver": self.solver,
            "converged": self.converged,
            **self.facts,
            "learned": self.learned,
            "notes": self.notes,
            "samples": self.samples,
            "seconds": self.seconds,
        }

    def lines(self) -> list[tuple[str, str]]:
        """The report as labeled lines of text."""
        kernel = markup.four_digits(markup.shortened(self.kernel))
        if self.status != "unknown":
            kernel = f"{kernel} ({self.status})"
        lines = [("kernel", kernel), *(("", remark) for remark in self.learned)]
        lines += [("plan", self.plan), ("solver", self.solver)]
        result = self._result()
        if result:
            lines.append(("result", result))
        lines += [("note", note) for note in self.notes]
        lines.append(("", f"{self.samples:,} samples, {self.seconds:.3g} s"))
        return lines

    def _result(self) -> str:
        """Whether the solver has converged, and its facts, in words."""
        parts = []
        if self.converged is not None:
            parts.append("converged" if self.converged else "NOT converged")
        for name, value in self.facts.items():
            words, form = FACTS[name]
            text = _formatted(value, form)
            if words and text:
                parts.append(f"{words} {text}")
        return ", ".join(parts)

    def __str__(self) -> str:
        return "\n".join(f"{label:<12}{text}" for label, text in self.lines())

    def _repr_html_(self) -> str:
        lines = self.lines()
        rows = [(markup.escaped(label), markup.escaped(text)) for label, text in lines]
        return markup.box(markup.table(rows))


def _remarks(kernel: Kernel) -> Iterator[str]:
    """The remarks of a kernel and its parts on their fit."""
    remark = getattr(kernel, "remark", str)()
    if remark:
        yield f"{type(kernel).__name__}: {remark}"
    for child in kernel.children():
        yield from _remarks(child)


def _formatted(value: object, form: str) -> str:
    """One number or text, or several; empty where there is nothing to say."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        return "" if _is_missing(value) else format(value, form)
    if "{" in form:
        return form.format(*value)
    separator = {"s": ", "}.get(form, " ")
    return separator.join(_formatted(entry, form) for entry in value)


def _is_missing(value: object) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))
