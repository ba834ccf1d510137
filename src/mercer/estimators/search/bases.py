"""The base kernels of a search: those that were given, or those that suit the samples."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mercer.aliases import KernelLike, RawSamples
from mercer.domains.base import Batch, pick_rows
from mercer.domains.vectors.domain import are_vectors
from mercer.errors import ParameterError
from mercer.estimators.common.base import certificate_on
from mercer.estimators.gp.hyperparameters import check_status
from mercer.gram.fill import dense
from mercer.gram.plan import FLOAT64
from mercer.kernels.base import Kernel
from mercer.kernels.combine.columns import On
from mercer.kernels.combine.sums import Scaled
from mercer.kernels.expression import parse
from mercer.kernels.vectors.coordinate import Periodic
from mercer.kernels.vectors.dot import Linear
from mercer.kernels.vectors.gaussian_mixtures import RationalQuadratic
from mercer.kernels.vectors.radial import RBF

Bases = Sequence[KernelLike] | None


def given_bases(bases: Bases) -> list[Kernel]:
    """Copies of the kernels that were given, or those of vectors; weights are left out."""
    if bases is None:
        return [RBF(), RationalQuadratic(), Periodic(), Linear().center()]
    if isinstance(bases, (str, Kernel)):
        rule = "is one kernel, where a list of base kernels is expected"
        raise ParameterError("bases", bases, rule, f"set bases=[{bases}]")
    kernels = [parse(base) if isinstance(base, str) else base for base in bases]
    if not kernels:
        rule, remedy = "has no kernel to begin with", "give at least one, or None for the default"
        raise ParameterError("bases", list(kernels), rule, remedy)
    for at, kernel in enumerate(kernels):
        if not isinstance(kernel, Kernel):
            remedy = "give a mercer kernel or an expression, such as RBF() or 'RBF()'"
            raise ParameterError(f"bases[{at}]", kernel, "is not a kernel", remedy)
    return [_unweighted(kernel).copy() for kernel in kernels]


def _unweighted(kernel: Kernel) -> Kernel:
    """The kernel without a factor, which every term has anyway."""
    return kernel.kernel if isinstance(kernel, Scaled) and kernel.factor > 0 else kernel


def bases_on(bases: Bases, X: RawSamples, counted: np.ndarray, columns: str) -> list[Kernel]:
    """The base kernels, fitted to the counted samples; each once for every column of vectors."""
    kernels: list[Kernel] = []
    for base in given_bases(bases):
        check_status(base, certificate_on(base, X))
        width = X.shape[1] if are_vectors(base.domain) and not isinstance(base, On) else 1
        if columns == "each" and width > 1:
            kernels += [base.on(at) for at in range(width)]
        else:
            kernels.append(base)
    for base in kernels:
        base.fit(pick_rows(X, counted))
        samples = base.prepare(Batch(X)).take(counted)  # which know their rows
        if not np.isfinite(base.diagonal(samples)).all():
            dense(base, samples, samples, FLOAT64)  # an error that names the row
    return kernels
