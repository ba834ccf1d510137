"""Kernels of numbers for tables that hold other columns too."""

from __future__ import annotations

import shlex

from mercer.aliases import RawSamples
from mercer.domains.vectors.domain import are_vectors
from mercer.domains.vectors.misfits import misfits
from mercer.errors import InputTypeError
from mercer.kernels.base import Kernel


def check_columns(kernel: Kernel, X: RawSamples) -> None:
    """Refuse a kernel of numbers for a table that has other columns, and name the rest."""
    if not are_vectors(kernel.domain):
        return
    columns = [misfit.column for misfit in misfits(X) if not misfit.is_missing]
    if not columns:
        return
    numeric = [str(name) for name in X.columns if name not in columns]
    rule = f"needs numbers, and these columns are not: {', '.join(map(str, columns))}"
    remedy = "leave --kernel out"
    if numeric:
        remedy = f"give --columns {shlex.quote(','.join(numeric))}, or {remedy}"
    raise InputTypeError("--kernel", repr(kernel), rule, remedy)
