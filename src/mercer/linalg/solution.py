"""Base class of solutions: whether, how and after how many steps it ended."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(kw_only=True)
class Solution:
    """Base class of all results of iterative and direct solvers."""

    iterations: int = 0
    residual: float = 0.0
    converged: bool = True
    reason: str = "converged"
