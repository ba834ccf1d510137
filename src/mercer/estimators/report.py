"""What a fit tells of itself."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class MarginReport:
    """The certificate of convergence of a margin machine, and how it was reached."""

    kernel: str
    status: str
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
