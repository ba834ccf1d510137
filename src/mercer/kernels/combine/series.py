"""Power series of a kernel: Σ aₙ kⁿ inside its radius of convergence."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from mercer.aliases import Features
from mercer.definiteness import Certificate
from mercer.definiteness.rules import power_series_rule
from mercer.domains.base import Batch
from mercer.domains.parts import Parts
from mercer.errors import InfiniteFeaturesError, ParameterError, RadiusError
from mercer.gram.fill import overflow_error
from mercer.gram.tile import Pair
from mercer.kernels.base import Derivative, Kernel
from mercer.kernels.combine.composite import Profile, as_dense
from mercer.kernels.functions import inverse_root
from mercer.kernels.vectors.dot import Linear
from mercer.kernels.vectors.monomials import dot_power_features
from mercer.kernels.vectors.radial import RBF
from mercer.params import Constraint, as_vector, param, positive_or_inf

__all__ = ["PowerSeries"]

_MOST = 10_000  # terms
_QUIET = 64  # terms without weight that end the sum
_LOOKED_AT = 256  # coefficients of a function that a certificate looks at
_TINY = 1e-290  # a coefficient this small is close to the smallest floating-point number


def _are_coefficients(value: Any) -> bool:
    if callable(value):
        return not isinstance(value, Kernel)
    vector = as_vector(value)
    return vector is not None and bool(np.isfinite(vector).all())


_coefficients = Constraint("finite numbers, or a function of n", _are_coefficients)


def _term_size(size: float, n: int, log_largest: float) -> float:
    """|aₙ| · largestⁿ."""
    if size == 0:
        return 0.0
    logarithm = math.log(size)
    if n > 0:
        logarithm += n * log_largest
    if logarithm > 700:
        raise overflow_error(0, 0, math.inf)
    return math.exp(logarithm)


class PowerSeries(Profile):
    """Σ aₙ kⁿ; ``coefficients`` is a sequence, or a function n ↦ aₙ that is summed to rounding.

    A kernel value outside the radius is a `RadiusError`, never a NaN. It suffices to look at the
    diagonals: |k(x, y)| ≤ √(k(x, x) k(y, y)).

    Parameters
    ----------
    kernel : Kernel
        The kernel k.
    coefficients : sequence of float, or callable
        The numbers aₙ; a kernel if none is negative.
    radius : float
        The radius of convergence, which k(x, x) must not reach.

    Examples
    --------
    >>> from mercer import Linear, PowerSeries
    >>> geometric = PowerSeries(Linear(), coefficients=lambda n: 1.0, radius=1.0)
    >>> geometric([[0.5]]).round(12).tolist()
    [[1.333333333333]]
    """

    coefficients: Sequence[float] | Callable[[int], float] = param(check=_coefficients)
    radius: float = param(default=math.inf, check=positive_or_inf)

    def _coefficient(self, n: int) -> float:
        """aₙ of a function, checked to be a finite number."""
        assert callable(self.coefficients)
        what = f"PowerSeries: coefficients({n})"
        try:
            value = float(self.coefficients(n))
        except OverflowError as error:
            remedy = "write it with math.lgamma and math.exp"
            raise ParameterError(what, str(error), "could not be computed", remedy) from None
        if not math.isfinite(value):
            raise ParameterError(what, value, "must be a finite number")
        return value

    def _first_coefficients(self) -> list[float]:
        """All coefficients of a sequence; of a function the first ones that it can compute."""
        if not callable(self.coefficients):
            return [float(a) for a in self.coefficients]
        first = [self._coefficient(0)]
        with contextlib.suppress(ParameterError):
            for n in range(1, _LOOKED_AT):
                first.append(self._coefficient(n))
        return first

    def certify(self, d: int | None) -> Certificate:
        first = self._first_coefficients()
        stated, assumed = getattr(self.coefficients, "proof", ""), ""
        if callable(self.coefficients) and not stated:
            assumed = f"aₙ ≥ 0 for all n (looked at for n < {len(first)}, later negative ones are "
            assumed += "refused) and the series converges"
        part = self.kernel.certify(d)
        # beyond the radius that the coefficients have the series does not converge
        radius = min(self.radius, getattr(self.coefficients, "radius", math.inf))
        return power_series_rule(
            repr(self), part, radius, coefficients=first, stated=stated, assumed=assumed
        )

    def prepare(self, batch: Batch) -> Parts:
        samples = self.kernel.prepare(batch)
        if math.isfinite(self.radius):
            diagonal = self.kernel.diagonal(samples)
            row = int(np.argmax(diagonal))
            if diagonal[row] >= self.radius:
                what = f"k(x[{row}], x[{row}])"
                rule = f"must be below the radius of convergence {self.radius:g}"
                raise RadiusError(what, float(diagonal[row]), rule, "rescale the data")
        return Parts(samples)

    def _terms(self, largest: float) -> np.ndarray:
        """As many coefficients as matter for values up to ``largest``."""
        if not callable(self.coefficients):
            return np.asarray(self.coefficients, dtype=float)
        coefficients: list[float] = []
        log_largest = math.log(largest) if largest > 0 else -math.inf
        total = 0.0
        smallest = 1.0
        n_quiet = 0
        for n in range(_MOST):
            coefficients.append(self._coefficient(n))
            size = abs(coefficients[-1])
            if coefficients[-1] < 0:
                self._check_sign(coefficients)
            if n_quiet == 0 and size < _TINY:
                self._check_underflow(coefficients, smallest, largest)
            if size:
                smallest = min(smallest, size)
            term = _term_size(size, n, log_largest)
            total += term
            # Many small terms in a row end the sum, so that series with gaps do not stop early.
            is_quiet = n > 0 and term <= 1e-18 * total
            n_quiet = n_quiet + 1 if is_quiet else 0
            if n_quiet >= _QUIET:
                return np.array(coefficients[: 1 - _QUIET])
        rule = f"did not converge within {_MOST} terms at |k| = {largest:g}"
        raise RadiusError("PowerSeries", self, rule, "keep the data further inside the radius")

    @staticmethod
    def _check_sign(coefficients: list[float]) -> None:
        """A negative coefficient must be one that a certificate sees, or follow such a one."""
        if min(coefficients[:_LOOKED_AT]) < 0:
            return
        what = f"PowerSeries: coefficients({len(coefficients) - 1})"
        remedy = "give a sequence for a series whose late terms are negative"
        raise ParameterError(what, coefficients[-1], "must be >= 0, as the first ones are", remedy)

    @staticmethod
    def _check_underflow(coefficients: list[float], smallest: float, largest: float) -> None:
        """A coefficient must not vanish by underflow while its term still counts."""
        if coefficients[-1] == 0 and smallest >= _TINY:
            return
        what = f"PowerSeries: coefficients({len(coefficients) - 1})"
        rule = f"falls below the smallest float while |k| = {largest:g} still needs it"
        remedy = "scale the kernel down, or use k.exp() for the exponential"
        raise RadiusError(what, coefficients[-1], rule, remedy)

    def values(self, inner: np.ndarray, out: np.ndarray) -> None:
        coefficients = self._terms(float(np.abs(inner).max()))
        out.fill(coefficients[-1])
        for a in coefficients[-2::-1]:
            out *= inner
            out += a

    def continuous_params(self) -> dict[str, Any]:
        params = super().continuous_params()
        if callable(self.coefficients):
            return params
        return {"coefficients": self.coefficients, **params}

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        part = pair.part(0)
        inner = np.empty(pair.shape)
        self.kernel.tile(part, inner)
        coefficients = self._terms(float(np.abs(inner).max()))
        if not callable(self.coefficients):
            for n in range(len(coefficients)):
                yield "coefficients", n, inner**n
        slope: np.ndarray | float = 0.0
        if len(coefficients) > 1:
            derived = coefficients[1:] * np.arange(1, len(coefficients))
            slope = np.polynomial.polynomial.polyval(inner, derived)
        for name, place, tile in self.kernel.tile_derivatives(part):
            yield f"kernel__{name}", place, tile * slope

    def map_features(self, batch: Batch, truncate: int | None) -> Features:
        if callable(self.coefficients):
            return super().map_features(batch, truncate)
        weights = [float(a) for a in self.coefficients]
        if min(weights) < 0:
            rule = "has a negative coefficient and no real feature map"
            raise InfiniteFeaturesError("features", self, rule)
        return dot_power_features(as_dense(self.kernel.map_features(batch, truncate)), weights)

    def feature_dim(self, p: int) -> float:
        inner = self.kernel.feature_dim(p)
        if callable(self.coefficients) or math.isinf(inner):
            return math.inf
        degrees = [n for n, a in enumerate(self.coefficients) if a]
        return sum(math.comb(int(inner) + n - 1, n) for n in degrees)

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [
            cls(kernel=Linear(), coefficients=[1.0, 0.5, 0.0, 0.25]),
            cls(kernel=0.5 * RBF(), coefficients=inverse_root(1.0), radius=1.0),
        ]
