"""Stationary kernels given by their spectral density."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from mercer.aliases import RawSamples
from mercer.definiteness import POSITIVE_DIAGONAL, PSD, Definite
from mercer.definiteness.means import finite
from mercer.domains.base import Batch
from mercer.domains.parts import Parts
from mercer.errors import DefinitenessError, ParameterError
from mercer.gram.tile import Pair
from mercer.kernels.base import Derivative, Kernel
from mercer.kernels.functions import describe, register_function
from mercer.kernels.vectors.dot import dense_rows
from mercer.params import between, function, integer, param, positive

__all__ = ["Stationary"]


@register_function("normal_density")
def normal_density(omega: RawSamples) -> np.ndarray:
    """exp(−ω²/2), the spectral density of a Gaussian."""
    return np.exp(-0.5 * np.asarray(omega, dtype=float) ** 2)


class Stationary(Kernel):
    """Π_j g((x_j − y_j)/ℓ), g(r) = ∫ S(ω) cos(ωr) dω/∫ S(ω) dω: any stationary kernel of a column.

    By Bochner's theorem g is a kernel if the spectral density S is not negative, and every
    continuous stationary kernel on the line has a spectral measure ≥ 0. The integrals from 0 to the
    cutoff are sums over the midpoints of equal steps, whose weights are positive: the sum that is
    computed is a kernel itself.

    Parameters
    ----------
    spectral_density : callable
        S, of an array of frequencies ω ≥ 0; values are finite and not negative.
    length_scale : float, default 1.0
        The length scale ℓ.
    cutoff : float, default 10.0
        The largest frequency that is looked at.
    points : int, default 64
        The number of frequencies. The sum has the period 2π ℓ points/cutoff, of which all
        differences should be a small part.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import RBF, Stationary
    >>> gaussian = Stationary(lambda omega: np.exp(-(omega**2) / 2))
    >>> X = [[0.0], [1.0], [2.5]]
    >>> abs(gaussian(X) - RBF()(X)).max() < 1e-12
    np.True_
    """

    invariance = "translation"
    spectral_density: Callable[[np.ndarray], np.ndarray] = param(check=function)
    length_scale: float = param(default=1.0, check=positive, continuous=True)
    cutoff: float = param(default=10.0, check=between(0.0, 1e100))
    points: int = param(default=64, check=integer(1, 10_000))

    def claim(self) -> Definite:
        name = describe(self.spectral_density).name
        weights = f"a sum of {self.points} cosines with weights {name}(ω) ≥ 0 (checked)"
        rule = f"Bochner: {weights} in every column, and their Schur product"
        return Definite(PSD, rule, facts=(POSITIVE_DIAGONAL,), means=finite("cosines and sines"))

    def spectrum(self) -> tuple[np.ndarray, np.ndarray]:
        """The frequencies, and their shares of the spectral mass."""
        omega = float(self.cutoff) * (np.arange(int(self.points)) + 0.5) / int(self.points)
        what = "Stationary: spectral_density"
        try:
            density = np.asarray(self.spectral_density(omega), dtype=float)
        except (TypeError, ValueError) as error:
            rule = f"must be a function of an array of frequencies ({error})"
            raise ParameterError(what, self.spectral_density, rule) from None
        if density.shape != omega.shape or not np.isfinite(density).all():
            rule = "must be one finite number for each frequency"
            raise DefinitenessError(what, f"array of shape {density.shape}", rule)
        if density.min() < 0 or density.max() == 0:
            at = int(np.argmin(density))
            value = f"{density[at]:.4g} at frequency {omega[at]:.4g}"
            raise DefinitenessError(what, value, "must not be negative, nor 0 everywhere")
        return omega, density / density.sum()

    def check_params(self) -> None:
        self.spectrum()

    def prepare(self, batch: Batch) -> Parts:
        """For every row and column the cosines and the sines, times the roots of their shares."""
        x = dense_rows(super().prepare(batch))
        omega, share = self.spectrum()
        angles = x[:, :, None] * (omega / float(self.length_scale))
        root = np.sqrt(share)
        waves = np.concatenate([root * np.cos(angles), root * np.sin(angles)], axis=2)
        return Parts(waves=waves, x=x)

    def _column(self, pair: Pair, j: int) -> np.ndarray:
        """g of the differences in one column."""
        x, y = pair.x.extra["waves"][pair.rows, j], pair.y.extra["waves"][pair.cols, j]
        return np.einsum("if,jf->ij", x, y)

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        out.fill(1.0)
        for j in range(pair.x.extra["x"].shape[1]):
            out *= self._column(pair, j)

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        n_columns = pair.x.extra["x"].shape[1]
        columns = [self._column(pair, j) for j in range(n_columns)]
        total = np.zeros(pair.shape)
        for j in range(n_columns):
            others = np.prod(columns[:j] + columns[j + 1 :], axis=0)
            total += self._slope(pair, j) * others
        yield "length_scale", None, total

    def _slope(self, pair: Pair, j: int) -> np.ndarray:
        """dg/dℓ = (r/ℓ²) Σ ω sin(ωr/ℓ) of one column, sin(a − b) = sin a cos b − cos a sin b."""
        omega, scale = self.spectrum()[0], float(self.length_scale)
        x, y = pair.x.extra["waves"][pair.rows, j], pair.y.extra["waves"][pair.cols, j]
        count = len(omega)
        sines = np.einsum("if,jf->ij", omega * x[:, count:], y[:, :count])
        sines -= np.einsum("if,jf->ij", omega * x[:, :count], y[:, count:])
        left, right = pair.x.extra["x"][pair.rows, j], pair.y.extra["x"][pair.cols, j]
        return sines * (left[:, None] - right) / scale**2

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(normal_density), cls(normal_density, length_scale=2.0, cutoff=6.0, points=24)]
