"""Is a function of the distance a kernel? Bochner's theorem asks for its Fourier transform."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator

import numpy as np

from mercer.definiteness import INDEFINITE, UNKNOWN, Certificate, Where, Witness
from mercer.errors import MercerError, ParameterError
from mercer.kernels.base import Kernel
from mercer.kernels.expression import parse
from mercer.kernels.functions import describe
from mercer.kernels.numerics.refutation import refute_on
from mercer.kernels.vectors.radial import ScaledDistance
from mercer.params import function, integer, param, positive

__all__ = ["bochner"]

_DIMENSION = dataclasses.replace(integer(1, 1000), rule="a dimension: an integer from 1 to 1000")
_FREQUENCIES = 100
_NODES = 2000  # of the quadrature,
_PER_PANEL = 20  # in panels of these
_MOST_POINTS = 400  # of a grid on which a witness is looked for
_NEGATIVE = 1e-6  # times the largest value of the transform: below minus this is no rounding error

_NO_RULE = "no rule: "

Profile = Callable[[np.ndarray], np.ndarray]


class _OfDistance(ScaledDistance, abstract=True):
    """f(‖x − y‖) for a function of an array of distances."""

    f: Profile = param(check=function)
    length_scale: float = param(default=1.0, check=positive)

    def profile(self, s2: np.ndarray) -> np.ndarray:
        return np.asarray(self.f(np.sqrt(s2)), dtype=float)


def bochner(f: Kernel | str | Profile, d: int = 1) -> Certificate:
    """Ask whether f(‖x − y‖) is a positive semi-definite kernel on R^d.

    A kernel whose Fourier transform is known in closed form is proved by it. Any other function is
    refuted, by points and coefficients that anyone can check, or it stays unknown: the certificate
    then says at which frequencies its transform was looked at.

    Parameters
    ----------
    f : Kernel, str or callable
        A stationary kernel or an expression of one, or a function of an array of distances.
    d : int, default 1
        The dimension.

    Returns
    -------
    Certificate
        The proof, the refutation, or what was looked at.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import RBF, bochner
    >>> bochner(RBF(), d=3).status
    'strict'
    >>> bochner(lambda r: np.cos(r), d=2).status
    'indefinite'
    >>> bochner(lambda r: np.exp(-(r**2)), d=2).status
    'unknown'
    """
    _DIMENSION.check("d", d)
    if isinstance(f, str):
        f = parse(f)
    if isinstance(f, Kernel):
        return _of_kernel(f, d)
    function.check("f", f)
    return _of_function(_OfDistance(f=f), d)


def _of_kernel(kernel: Kernel, d: int) -> Certificate:
    if kernel.invariance not in ("radial", "translation"):
        rule = "is not a function of x − y"
        raise ParameterError("f", kernel, rule, "give a stationary kernel, such as Matern()")
    certificate = kernel.certificate(d)
    if certificate.status != UNKNOWN or kernel.invariance != "radial":
        return certificate
    origin, axis = np.zeros((1, d)), np.eye(1, d)

    def f(r: np.ndarray) -> np.ndarray:
        return kernel(np.outer(r, axis), origin).reshape(r.shape)

    looked = _of_function(_OfDistance(f=f), d)
    if looked.witness is None:
        rule = f"{certificate.rule}; {looked.rule.removeprefix(_NO_RULE)}"
        return dataclasses.replace(certificate, rule=rule)
    return dataclasses.replace(looked, claim=certificate.claim, parts=certificate.parts)


def _of_function(kernel: _OfDistance, d: int) -> Certificate:
    name = describe(kernel.f).name
    _check_values(kernel.f, name)
    claim = f"{name}(‖x − y‖)"
    where = Where(f"R^{d}")
    omega, transform = _transform(kernel.f, d)
    witness = _first(kernel, _candidates(omega, transform, d)) or kernel.refute(d=d)
    if witness is not None:
        rule = "a counterexample"
        return Certificate(INDEFINITE, claim, rule, where, witness=witness)
    return Certificate(UNKNOWN, claim, f"{_NO_RULE}{_looked_at(omega, transform)}", where)


def _check_values(f: Profile, name: str) -> None:
    """Refuse what gives no finite number for every distance of an array."""
    remedy = "give a function of an array of distances"
    try:
        values = np.asarray(f(np.array([0.0, 1e-3, 1.0])), dtype=float)
    except (TypeError, ValueError) as error:
        raise ParameterError("f", name, f"cannot compute an array ({error})", remedy) from error
    if values.shape != (3,):
        raise ParameterError("f", name, f"gives {values.shape} for an array of shape (3,)", remedy)
    if not np.isfinite(values).all():
        raise ParameterError("f", name, "is not finite at the distances 0, 0.001 and 1", remedy)


def _looked_at(omega: np.ndarray, transform: np.ndarray) -> str:
    """What the transform was like, in words."""
    if not len(omega):
        return "the function is 0, or decays too slowly for a transform: no frequency was looked at"
    range_ = f"{len(omega)} frequencies from {omega[0]:.3g} to {omega[-1]:.3g}"
    at = int(np.argmin(transform))
    if transform[at] < -_NEGATIVE * np.abs(transform).max():
        minimum = f"negative at frequency {omega[at]:.4g}, but no witness was found"
        return f"of {range_} the Fourier transform is {minimum}"
    return f"the Fourier transform is not negative at {range_}, which proves nothing in between"


def _transform(f: Profile, d: int) -> tuple[np.ndarray, np.ndarray]:
    """The radial Fourier transform in R^d, up to a factor, at some frequencies; none without decay.

    ∫ f(r) r^(d−1) Ω(ωr) dr, Ω(z) = Γ(d/2) (2/z)^(d/2−1) J_(d/2−1)(z) = ₀F₁(d/2; −z²/4).
    """
    from scipy.special import hyp0f1

    far = np.geomspace(1e-12, 1e12, 1200)
    radii = far[np.argmax(_log_size(f, far, d))] * np.geomspace(1e-3, 1e4, 400)
    sizes = _log_size(f, radii, d)
    large = np.flatnonzero(sizes > sizes.max() + math.log(1e-10))
    if not len(large) or large[-1] >= len(radii) - 20:
        return np.empty(0), np.empty(0)
    end = radii[large[-1] + 1]
    nodes, weights = np.polynomial.legendre.leggauss(_PER_PANEL)
    # one half of the panels for the first tenth, where most functions are steepest
    half = _NODES // _PER_PANEL // 2 + 1
    edges = np.unique(np.r_[np.linspace(0, 0.1 * end, half), np.linspace(0.1 * end, end, half)])
    widths = np.diff(edges)[:, None]
    r = (edges[:-1, None] + widths * (nodes + 1) / 2).ravel()
    w = (widths * weights / 2).ravel()
    mass = w * np.asarray(f(r), dtype=float) * (r / end) ** (d - 1)
    omega = np.geomspace(0.05 / end, 0.2 * _NODES / end, _FREQUENCIES)
    waves = hyp0f1(d / 2, -0.25 * (omega[:, None] * r) ** 2)
    return omega, waves @ mass


def _log_size(f: Profile, radii: np.ndarray, d: int) -> np.ndarray:
    """log |f(r)| r^d, the share of a distance r in the transform."""
    with np.errstate(divide="ignore"):
        return np.log(np.abs(np.asarray(f(radii), dtype=float))) + d * np.log(radii)


def _candidates(omega: np.ndarray, transform: np.ndarray, d: int) -> Iterator[np.ndarray]:
    """Two points at several distances, then grids that resolve the most negative frequencies."""
    axis = np.zeros((2, d))
    for distance in np.geomspace(1e-2, 1e2, 60):
        axis[1, 0] = distance
        yield axis.copy()
    axes = min(d, 4)
    side = int(_MOST_POINTS ** (1 / axes))
    steps = np.stack(np.meshgrid(*[np.arange(side)] * axes, indexing="ij"), axis=-1)
    grid = np.zeros((side**axes, d))
    grid[:, :axes] = steps.reshape(-1, axes)
    negative = np.flatnonzero(transform < -_NEGATIVE * np.abs(transform).max(initial=0.0))
    for at in negative[np.argsort(transform[negative])][:3]:
        for share in (0.9, 0.6, 0.35):
            yield grid * (share * np.pi / omega[at])


def _first(kernel: Kernel, collections: Iterator[np.ndarray]) -> Witness | None:
    """The first witness among collections of points."""
    for points in collections:
        try:
            witness = refute_on(kernel, points, balanced=False)
        except (MercerError, np.linalg.LinAlgError):  # too large there: not a place to look
            continue
        if witness is not None:
            return witness
    return None
