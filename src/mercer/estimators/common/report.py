"""What a fit tells of itself."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mercer.estimators.common.training import Training
    from mercer.kernels.base import Kernel


@dataclasses.dataclass(frozen=True)
class MarginReport:
    """The certificate of convergence of a margin machine, and how it was reached."""

    model: Kernel | None = dataclasses.field(repr=False)
    plan: str
    solver: str
    objective: float
    gap: float
    tol: float
    iterations: int
    converged: bool
    support: int
    samples: int
    seconds: float

    @property
    def kernel(self) -> str:
        """The kernel as algebra; written when asked for, because a small fit takes no longer than that."""
        return "precomputed" if self.model is None else repr(self.model)

    @property
    def status(self) -> str:
        """What its certificate says."""
        return "unknown" if self.model is None else self.model.certify(None).status

    def __str__(self) -> str:
        verdict = "converged" if self.converged else "NOT converged"
        return "\n".join(
            [
                f"kernel      {self.kernel} ({self.status})",
                f"plan        {self.plan}",
                f"solver      {self.solver}",
                f"{verdict}: KKT gap {self.gap:.3g} (tolerance {self.tol:.3g}), dual objective {self.objective:.10g}",
                f"            {self.iterations} steps, {self.support} of {self.samples} samples support it, {self.seconds:.3g} s",
            ]
        )


@dataclasses.dataclass(frozen=True)
class NewtonReport:
    """How a fit by Newton's method ended."""

    kernel: str
    status: str
    plan: str
    solver: str
    objective: float
    residual: float
    tol: float
    iterations: int
    converged: bool
    samples: int
    seconds: float

    @classmethod
    def of(
        cls, data: Training, plan: str, solver: str, found: Any, tol: float, seconds: float
    ) -> NewtonReport:
        name = "precomputed" if data.kernel is None else repr(data.kernel)
        status = "unknown" if data.kernel is None else data.kernel.certify(None).status
        parts = (found.objective, found.residual, tol, found.iterations, found.converged)
        return cls(name, status, plan, solver, *parts, data.count, seconds)

    def __str__(self) -> str:
        verdict = "converged" if self.converged else "NOT converged"
        return "\n".join(
            [
                f"kernel      {self.kernel} ({self.status})",
                f"plan        {self.plan}",
                f"solver      {self.solver}",
                f"{verdict}: residual {self.residual:.3g} (tolerance {self.tol:.3g}), objective {self.objective:.10g}",
                f"            {self.iterations} steps on {self.samples} samples, {self.seconds:.3g} s",
            ]
        )


@dataclasses.dataclass(frozen=True)
class PenalisedReport:
    """How a fit that is one linear system, or less, was made."""

    kernel: str
    status: str
    plan: str
    solver: str
    samples: int
    seconds: float

    @classmethod
    def of(cls, data: Training, plan: str, solver: str, seconds: float) -> PenalisedReport:
        name = "precomputed" if data.kernel is None else repr(data.kernel)
        return cls(
            name,
            "unknown" if data.kernel is None else data.kernel.certify(None).status,
            plan,
            solver,
            data.count,
            seconds,
        )

    def __str__(self) -> str:
        return "\n".join(
            [
                f"kernel      {self.kernel} ({self.status})",
                f"plan        {self.plan}",
                f"solver      {self.solver}; {self.samples} samples, {self.seconds:.3g} s",
            ]
        )


@dataclasses.dataclass(frozen=True)
class CorrelationReport:
    """How well several views correlate, and at which rank each was taken."""

    views: tuple[tuple[str, int, float], ...]  # kernel, rank, share of the trace left out
    correlations: Any
    training: Any
    samples: int
    seconds: float

    def __str__(self) -> str:
        lines = []
        for at, (kernel, rank, left) in enumerate(self.views):
            lines.append(
                f"view {at}      {kernel}, incomplete Cholesky of rank {rank}, {left:.1e} of the trace left out"
            )
        shown = "  ".join(f"{value:.3f}" for value in self.correlations)
        plain = "  ".join(f"{value:.3f}" for value in self.training)
        lines += [f"correlations, regularised  {shown}", f"on the training samples    {plain}"]
        return "\n".join([*lines, f"            {self.samples} samples, {self.seconds:.3g} s"])


@dataclasses.dataclass(frozen=True)
class RelevanceReport:
    """What a relevance vector machine kept, and how it got there."""

    kernel: str
    status: str
    plan: str
    likelihood: float
    relevant: int
    samples: int
    iterations: int
    converged: bool
    seconds: float

    def __str__(self) -> str:
        verdict = "converged" if self.converged else "NOT converged"
        return "\n".join(
            [
                f"kernel      {self.kernel} ({self.status}; as a basis, any function will do)",
                f"plan        {self.plan}",
                f"{verdict}: log marginal likelihood {self.likelihood:.10g}",
                f"            {self.iterations} steps, {self.relevant} of {self.samples} samples are relevant, {self.seconds:.3g} s",
            ]
        )


@dataclasses.dataclass(frozen=True)
class DiscoveryReport:
    """What a projection or a clustering found, and how."""

    kernel: str
    status: str
    plan: str
    solver: str
    found: str
    notes: tuple[str, ...]
    samples: int
    seconds: float

    @classmethod
    def of(
        cls,
        data: Training,
        plan: str,
        solver: str,
        found: str,
        notes: tuple[str, ...],
        seconds: float,
    ) -> DiscoveryReport:
        name = "precomputed" if data.kernel is None else repr(data.kernel)
        return cls(
            name,
            "unknown" if data.kernel is None else data.kernel.certify(None).status,
            plan,
            solver,
            found,
            notes,
            data.count,
            seconds,
        )

    def __str__(self) -> str:
        lines = [
            f"kernel      {self.kernel} ({self.status})",
            f"plan        {self.plan}",
            f"solver      {self.solver}",
            f"found       {self.found}",
        ]
        lines += [f"note        {note}" for note in self.notes]
        return "\n".join([*lines, f"            {self.samples} samples, {self.seconds:.3g} s"])
