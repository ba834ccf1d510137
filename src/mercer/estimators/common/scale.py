"""A word about kernels whose values are small against the penalty that a learner has by default."""

from __future__ import annotations

import inspect

import numpy as np

from mercer.aliases import Estimator, RawSamples
from mercer.domains.base import pick_rows, raw_length
from mercer.errors import explain, warn
from mercer.kernels.base import Kernel
from mercer.kernels.graphs.node_kernel import NodeKernel

_SOME = 64  # samples whose k(x, x) are looked at
_SMALL = 0.5  # of the default penalty


def warn_of_small_values(estimator: Estimator, kernel: Kernel, X: RawSamples) -> None:
    """Warn where the default penalty holds a kernel on nodes down to a constant prediction.

    The share of heat or of a walk at a node is about 1/n, while penalties suit k(x, x) near 1.
    """
    if not _compares_nodes(kernel):
        return
    penalty = _default_penalty(estimator)
    diagonal = kernel.diag(pick_rows(X, np.arange(min(_SOME, raw_length(X)))))
    size = float(diagonal.mean())
    if size < _SMALL * penalty:
        name = type(estimator).__name__
        rule = f"is small against the default penalty of {name}, which may predict a constant"
        remedy = "use kernel.normalize(), or choose the penalty by cross-validation"
        warn(explain(f"{kernel!r}: the mean of k(x, x)", size, rule, remedy))


def _compares_nodes(kernel: Kernel) -> bool:
    """Whether the kernel, or a part of it, is one on nodes."""
    return isinstance(kernel, NodeKernel) or any(map(_compares_nodes, kernel.children()))


def _default_penalty(estimator: Estimator) -> float:
    """The penalty of a learner against k(x, x): 1/C or alpha; 0 where the user chose it."""
    params = inspect.signature(type(estimator)).parameters
    given = {name: vars(estimator)[name] for name in ("C", "alpha") if name in params}
    defaults = {name: params[name].default for name in given}
    if not given or given != defaults:
        return 0.0
    return 1.0 / given["C"] if "C" in given else float(given["alpha"])
