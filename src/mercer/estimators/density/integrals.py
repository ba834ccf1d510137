"""Integrals of kernels over R^d, by which sums of kernels become densities."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable

import numpy as np
from scipy import integrate, special

from mercer.domains.vectors.domain import are_vectors
from mercer.errors import DataWarning, KernelOverflowError, ParameterError, explain, warn
from mercer.estimators.common.kernel_choice import CallableKernel
from mercer.estimators.density.windows import log_surface
from mercer.kernels.base import Kernel
from mercer.kernels.combine.maps import Warp
from mercer.kernels.combine.sums import Scaled, Sum
from mercer.kernels.vectors.distance import Laplacian
from mercer.kernels.vectors.dot import Constant, White
from mercer.kernels.vectors.radial import RBF, ScaledDistance

Profile = Callable[[np.ndarray], np.ndarray]  # values of a function of distances
_LOG_RADII = np.linspace(-345.0, 345.0, 6901)  # of radii whose squares are finite numbers
_NOTHING = 1e-18  # share of the largest value of an integrand, below which it is 0


def core(kernel: Kernel | None) -> Kernel | None:
    """The kernel without its positive factors, which a density does not depend on."""
    while isinstance(kernel, Scaled) and kernel.factor > 0:
        kernel = kernel.kernel
    return kernel


def log_integral(kernel: Kernel | None, d: int) -> float | None:
    """Log of ∫ k(x, y) dx over R^d; None where there is no volume, as for sets.

    A kernel of vectors whose integral is infinite, or depends on y, is refused; there is a warning
    of a pull-back of vectors.
    """
    if kernel is None:
        return None
    if not _has_volume(kernel, d):
        if isinstance(kernel, Warp) and d > 0:
            rule = f"is a pull-back, whose integral over R^{d} is not known"
            remedy = "take the estimate as a density up to a factor, or map the samples first"
            warn(explain("kernel", kernel, rule, remedy), DataWarning)
        return None
    value = _log_integral(kernel, d)
    if value is None or value == -np.inf:
        rule = f"has no finite, positive integral over R^{d} that is the same for all samples"
        remedy = "use a window by name, such as 'gaussian', or a kernel such as RBF() or Matern()"
        raise ParameterError("kernel", kernel, f"{rule}, and so gives no density", remedy)
    return value


def _has_volume(kernel: Kernel, d: int) -> bool:
    """Whether samples are points of R^d; a constant or white kernel takes samples of any kind."""
    if isinstance(kernel, CallableKernel):
        return False
    if isinstance(kernel, Constant | White) and d > 0:
        return True
    return are_vectors(kernel.domain)


@functools.singledispatch
def _log_integral(kernel: Kernel, d: int) -> float | None:
    """The logarithm, None where it is not known or infinite."""
    if kernel.invariance != "radial":
        return None
    return _log_radial(lambda r: kernel(np.zeros((1, 1)), r[:, None])[0], d)


@_log_integral.register
def _(kernel: White, d: int) -> float:
    return -np.inf  # new samples differ from the training samples


@_log_integral.register
def _(kernel: Sum, d: int) -> float | None:
    terms = [_log_integral(term, d) for term in kernel.terms]
    if None in terms:
        return None
    return float(special.logsumexp(np.array(terms, dtype=float)))


@_log_integral.register
def _(kernel: RBF, d: int) -> float:
    return _log_scales(kernel, d) + 0.5 * d * float(np.log(2 * np.pi))


@_log_integral.register
def _(kernel: Laplacian, d: int) -> float:
    return _log_scales(kernel, d) + d * float(np.log(2.0))


@_log_integral.register
def _(kernel: ScaledDistance, d: int) -> float | None:
    radial = _log_radial(lambda r: kernel.profile(r * r), d)
    if radial is None:
        return None
    return radial + _log_scales(kernel, d)


@_log_integral.register
def _(kernel: Scaled, d: int) -> float | None:
    inner = _log_integral(kernel.kernel, d)
    if inner is None or kernel.factor <= 0:
        return None
    return float(np.log(kernel.factor)) + inner


def _log_scales(kernel: RBF | Laplacian | ScaledDistance, d: int) -> float:
    """Log of the product of the length scales of d columns."""
    return float(np.log(np.broadcast_to(kernel.length_scale, (d,))).sum())


def _log_radial(profile: Profile, d: int) -> float | None:
    """Log of the integral of a function of ‖x‖: a surface times ∫ r^{d−1} profile(r) dr.

    The variable is log r, in which the integrand r^d profile(r) is one bump whatever the scale.
    """
    try:
        with np.errstate(all="ignore"):
            values = profile(np.exp(_LOG_RADII))
            logs = d * _LOG_RADII + np.log(np.abs(values))
    except KernelOverflowError:
        return None
    top = float(logs.max())
    inside = np.flatnonzero(logs > top + np.log(_NOTHING))
    if not np.isfinite(top) or inside[-1] == len(_LOG_RADII) - 1:
        return None

    def density(t: float) -> float:
        return float(np.exp(d * t - top) * profile(np.array([np.exp(t)]))[0])

    ends = _LOG_RADII[[max(inside[0] - 1, 0), inside[-1] + 1]]
    # one length scale is where a compact kernel ends
    pieces = np.unique([ends[0], *np.clip([0.0, _LOG_RADII[logs.argmax()]], *ends), ends[1]])
    parts = [
        integrate.quad(density, low, high, epsabs=1e-13, epsrel=1e-12, limit=400)[0]
        for low, high in itertools.pairwise(pieces)
    ]
    if sum(parts) <= 0:
        return None
    return log_surface(d) + top + float(np.log(sum(parts)))
