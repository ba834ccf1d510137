"""Frequencies drawn from the spectral measures of stationary kernels.

By Bochner's theorem k(x, y) = a E cos⟨ω, x − y⟩ for every stationary kernel, ω of a probability
distribution and a = k(x, x). A kernel has random Fourier features if its distribution is here.
"""

from __future__ import annotations

import functools
import math

import numpy as np

from mercer.errors import ParameterError
from mercer.kernels.base import Kernel
from mercer.kernels.combine.columns import On
from mercer.kernels.combine.products import Product
from mercer.kernels.combine.sums import Scaled, Sum
from mercer.kernels.vectors.coordinate import Periodic
from mercer.kernels.vectors.distance import InverseMultiquadric, Laplacian
from mercer.kernels.vectors.dot import Constant
from mercer.kernels.vectors.gaussian_mixtures import Exponential, Matern, RationalQuadratic
from mercer.kernels.vectors.radial import RBF
from mercer.kernels.vectors.stationary import Stationary

_TINY = 1e-300

Spectrum = tuple[float, np.ndarray]  # k(x, x), and frequencies, one in each column


class Draws:
    """Random numbers for some frequencies: independent, orthogonal, or of low discrepancy.

    Parameters
    ----------
    generator : RandomState
        The source of randomness.
    count : int
        The number of frequencies.
    method : {"plain", "orthogonal", "qmc"}
        Directions of Gaussian vectors are orthogonal to each other in groups; or all numbers are
        scrambled Sobol points.
    """

    def __init__(self, generator: np.random.RandomState, count: int, method: str) -> None:
        self.generator, self.count, self.method = generator, count, method

    def normals(self, d: int) -> np.ndarray:
        """Gaussian vectors of d numbers, in columns."""
        if self.method == "orthogonal":
            return self._orthogonal(d)
        if self.method == "qmc":
            return _normal_quantiles(self._sobol(d))
        return self.generator.normal(size=(d, self.count))

    def normals_and_uniforms(self, d: int) -> tuple[np.ndarray, np.ndarray]:
        """Gaussian vectors in columns, and a number between 0 and 1 for each."""
        if self.method == "qmc":
            points = self._sobol(d + 1)
            return _normal_quantiles(points[:d]), points[d]
        return self.normals(d), self.generator.uniform(size=self.count)

    def uniforms(self, d: int) -> np.ndarray:
        """Numbers between 0 and 1, d in each column."""
        if self.method == "qmc":
            return self._sobol(d)
        return self.generator.uniform(size=(d, self.count))

    def _sobol(self, d: int) -> np.ndarray:
        from scipy.stats.qmc import Sobol

        seed = int(self.generator.randint(2**31 - 1))
        points = Sobol(d, scramble=True, seed=seed)
        exponent = math.ceil(math.log2(self.count))
        # in random order: two scrambled sequences are not independent point by point
        order = self.generator.permutation(self.count)
        return points.random_base2(exponent)[: self.count][order].T

    def _orthogonal(self, d: int) -> np.ndarray:
        """Columns of random orthogonal matrices, with the lengths of Gaussian vectors."""
        groups = []
        for _ in range(-(-self.count // d)):
            Q, R = np.linalg.qr(self.generator.normal(size=(d, d)))
            groups.append(Q * np.sign(np.diag(R)))
        lengths = np.sqrt(self.generator.chisquare(d, size=self.count))
        return np.hstack(groups)[:, : self.count] * lengths


def _normal_quantiles(uniforms: np.ndarray) -> np.ndarray:
    from scipy.special import ndtri

    return ndtri(np.clip(uniforms, 1e-12, 1.0 - 1e-12))


def _gamma_quantiles(shape: float, uniforms: np.ndarray) -> np.ndarray:
    from scipy.special import gammaincinv

    return np.maximum(gammaincinv(shape, uniforms), _TINY)


def _per_column(scale: float | np.ndarray, d: int) -> np.ndarray:
    return np.broadcast_to(np.asarray(scale, dtype=float), (d,))[:, None]


@functools.singledispatch
def spectrum(kernel: Kernel, draws: Draws, d: int) -> Spectrum:
    """k(x, x) and random frequencies of a kernel on d columns."""
    rule = "has no spectral density that is known"
    remedy = "give a stationary kernel, such as Matern(), or use Nystroem, which takes any kernel"
    raise ParameterError("kernel", kernel, rule, remedy)


@spectrum.register
def _gaussian(kernel: RBF, draws: Draws, d: int) -> Spectrum:
    return 1.0, draws.normals(d) / _per_column(kernel.length_scale, d)


@spectrum.register
def _matern(kernel: Matern, draws: Draws, d: int) -> Spectrum:
    return 1.0, _student(kernel.nu, draws, d) / _per_column(kernel.length_scale, d)


@spectrum.register
def _exponential(kernel: Exponential, draws: Draws, d: int) -> Spectrum:
    return 1.0, _student(0.5, draws, d) / _per_column(kernel.length_scale, d)


def _student(nu: float, draws: Draws, d: int) -> np.ndarray:
    """Vectors of the multivariate t distribution with 2ν degrees of freedom."""
    if math.isinf(nu):
        return draws.normals(d)
    normals, uniforms = draws.normals_and_uniforms(d)
    return normals * np.sqrt(nu / _gamma_quantiles(nu, uniforms))


@spectrum.register
def _rational(kernel: RationalQuadratic, draws: Draws, d: int) -> Spectrum:
    # a mixture of exp(−t s²/2), t of a Gamma distribution of mean 1
    normals, uniforms = draws.normals_and_uniforms(d)
    mixed = normals * np.sqrt(_gamma_quantiles(kernel.alpha, uniforms) / kernel.alpha)
    return 1.0, mixed / _per_column(kernel.length_scale, d)


@spectrum.register
def _inverse_multiquadric(kernel: InverseMultiquadric, draws: Draws, d: int) -> Spectrum:
    # a mixture of exp(−t r²), t of a Gamma distribution of shape ½ and rate c²
    normals, uniforms = draws.normals_and_uniforms(d)
    c = float(kernel.c)
    return 1.0 / c, normals * np.sqrt(2.0 * _gamma_quantiles(0.5, uniforms)) / c


@spectrum.register
def _laplacian(kernel: Laplacian, draws: Draws, d: int) -> Spectrum:
    cauchy = np.tan(np.pi * (draws.uniforms(d) - 0.5))
    return 1.0, cauchy / _per_column(kernel.length_scale, d)


@spectrum.register
def _periodic(kernel: Periodic, draws: Draws, d: int) -> Spectrum:
    # exp(z cos a − z) is the characteristic function of a difference of two Poisson numbers
    from scipy.stats import poisson

    half = 0.5 / _per_column(kernel.length_scale, d) ** 2
    up, down = np.split(draws.uniforms(2 * d), 2)
    whole = poisson.ppf(up, half) - poisson.ppf(down, half)
    return 1.0, 2.0 * np.pi * whole / _per_column(kernel.period, d)


@spectrum.register
def _stationary(kernel: Stationary, draws: Draws, d: int) -> Spectrum:
    omega, share = kernel.spectrum()
    signed = 2.0 * draws.uniforms(d) - 1.0
    at = np.searchsorted(np.cumsum(share), np.abs(signed))
    values = omega[np.minimum(at, len(omega) - 1)]
    return 1.0, np.sign(signed) * values / float(kernel.length_scale)


@spectrum.register
def _constant(kernel: Constant, draws: Draws, d: int) -> Spectrum:
    return float(kernel.c), np.zeros((d, draws.count))


@spectrum.register
def _scaled(kernel: Scaled, draws: Draws, d: int) -> Spectrum:
    if kernel.factor < 0:
        rule = "is a negative multiple, which has no spectral density"
        raise ParameterError("kernel", kernel, rule, "give a factor >= 0")
    size, frequencies = spectrum(kernel.kernel, draws, d)
    return float(kernel.factor) * size, frequencies


@spectrum.register
def _columns(kernel: On, draws: Draws, d: int) -> Spectrum:
    positions = kernel.positions(d)
    if positions is None:
        rule = "looks at columns by name"
        raise ParameterError("kernel", kernel, rule, "give the positions of the columns")
    size, inner = spectrum(kernel.kernel, draws, len(positions))
    frequencies = np.zeros((d, draws.count))
    np.add.at(frequencies, positions, inner)
    return size, frequencies


@spectrum.register
def _product(kernel: Product, draws: Draws, d: int) -> Spectrum:
    sizes, frequencies = zip(*(spectrum(term, draws, d) for term in kernel.terms), strict=True)
    return math.prod(sizes), np.sum(frequencies, axis=0)


@spectrum.register
def _sum(kernel: Sum, draws: Draws, d: int) -> Spectrum:
    sizes, frequencies = zip(*(spectrum(term, draws, d) for term in kernel.terms), strict=True)
    total = sum(sizes)
    if total == 0:
        return 0.0, frequencies[0]
    # in the shares of the terms: a random term for each frequency would only add variance
    ends = np.cumsum(sizes) / total
    places = (draws.generator.permutation(draws.count) + 0.5) / draws.count
    chosen = np.minimum(np.searchsorted(ends, places), len(sizes) - 1)
    columns = np.arange(draws.count)
    return total, np.stack(frequencies)[chosen, :, columns].T
