"""Power series of a kernel: Σ aₙ kⁿ inside its radius of convergence."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from mercer.definiteness import Certificate
from mercer.definiteness.rules import power_series_rule
from mercer.domains.base import Batch
from mercer.errors import InfiniteFeaturesError, ParameterError, RadiusError
from mercer.gram.fill import overflow_error
from mercer.gram.tile import Pair
from mercer.kernels.base import Derivative, Kernel
from mercer.kernels.combine.composite import Composite, is_kernel
from mercer.kernels.combine.parts import Parts
from mercer.kernels.vectors.monomials import dot_power_features
from mercer.params import Constraint, param, positive_or_inf

__all__ = ["PowerSeries"]

_MOST = 10_000  # terms
_QUIET = 64  # terms without weight that end the sum
_LOOKED_AT = 256  # coefficients of a function that a certificate looks at


def _are_coefficients(value: Any) -> bool:
    if isinstance(value, Kernel):
        return False
    if callable(value):
        return True
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError, OverflowError):
        return False
    return (
        array.ndim == 1
        and array.size > 0
        and np.asarray(value).dtype.kind in "fiu"
        and bool(np.isfinite(array).all())
    )


class PowerSeries(Composite):
    """Σ aₙ kⁿ; ``coefficients`` is a sequence, or a function n ↦ aₙ that is summed to rounding.

    A kernel value outside the radius is a `RadiusError`, never a NaN. It suffices to look at the diagonals:
    |k(x, y)| ≤ √(k(x, x) k(y, y)).

    >>> from mercer import Linear, PowerSeries
    >>> geometric = PowerSeries(Linear(), coefficients=lambda n: 1.0, radius=1.0)
    >>> geometric([[0.5]]).round(12).tolist()
    [[1.333333333333]]
    """

    kernel: Kernel = param(check=is_kernel)
    coefficients: Any = param(
        check=Constraint("finite numbers, or a function of n", _are_coefficients)
    )
    radius: float = param(default=math.inf, check=positive_or_inf)

    def _coefficient(self, n: int) -> float:
        if not callable(self.coefficients):
            return float(self.coefficients[n]) if n < len(self.coefficients) else 0.0
        try:
            value = float(self.coefficients(n))
        except OverflowError as error:
            remedy = "write it with math.lgamma and math.exp"
            raise ParameterError(
                f"PowerSeries: coefficients({n})", str(error), "could not be computed", remedy
            ) from None
        if not math.isfinite(value):
            raise ParameterError(
                f"PowerSeries: coefficients({n})", value, "must be a finite number"
            )
        return value

    def certify(self, d: int | None) -> Certificate:
        looked = []
        for n in range(_LOOKED_AT if callable(self.coefficients) else len(self.coefficients)):
            try:
                looked.append(self._coefficient(n))
            except ParameterError:
                if not looked:
                    raise
                break
        stated = (
            f" (looked at for n < {len(looked)}, refused later if one is not)"
            if callable(self.coefficients)
            else ""
        )
        return power_series_rule(
            repr(self),
            self.kernel.certify(d),
            self.radius,
            negative=min(looked) < 0,
            constant=looked[0] > 0,
            linear=any(a > 0 for a in looked[1:]),
            first=len(looked) > 1 and looked[1] > 0,
            stated=stated,
        )

    def prepare(self, batch: Batch) -> Parts:
        side = self.kernel.prepare(batch)
        if math.isfinite(self.radius):
            diagonal = self.kernel.diagonal(side)
            if diagonal.max() >= self.radius:
                row = int(np.argmax(diagonal))
                rule = f"must be below the radius of convergence {self.radius:g}"
                raise RadiusError(
                    f"k(x[{row}], x[{row}])", float(diagonal[row]), rule, "rescale the data"
                )
        return Parts(side)

    def _terms(self, largest: float) -> np.ndarray:
        """As many coefficients as matter for values up to ``largest``."""
        if not callable(self.coefficients):
            return np.asarray(self.coefficients, dtype=float)
        found: list[float] = []
        total, quiet, smallest, signed = 0.0, 0, 1.0, False
        log_largest = math.log(largest) if largest > 0 else 0.0
        for n in range(_MOST):
            found.append(self._coefficient(n))
            if found[-1] < 0:
                signed = signed or n < _LOOKED_AT
                if not signed:
                    remedy = "give a sequence for a series whose late terms are negative"
                    raise ParameterError(
                        f"PowerSeries: coefficients({n})",
                        found[-1],
                        "must be >= 0, as the first ones are",
                        remedy,
                    )
            size = abs(found[-1])
            if quiet == 0 and (0 < size < 1e-290 or (size == 0 and 0 < smallest < 1e-290)):
                remedy = "scale the kernel down, or use k.exp() for the exponential"
                rule = f"falls below the smallest float while |k| = {largest:g} still needs it"
                raise RadiusError(f"PowerSeries: coefficients({n})", found[-1], rule, remedy)
            smallest = min(smallest, size) if size else smallest
            grown = (
                math.log(size) + n * log_largest if size and (n == 0 or largest > 0) else -math.inf
            )
            if grown > 700:
                raise overflow_error(0, 0, math.inf)
            term = math.exp(grown)
            total += term
            # many small terms in a row, so that series with gaps do not stop early
            quiet = quiet + 1 if n > 0 and term <= 1e-18 * total else 0
            if quiet >= _QUIET:
                return np.array(found[: len(found) - _QUIET + 1])
        rule = f"did not converge within {_MOST} terms at |k| = {largest:g}"
        raise RadiusError("PowerSeries", self, rule, "keep the data further inside the radius")

    def _sum(self, values: np.ndarray, out: np.ndarray) -> None:
        coefficients = self._terms(float(np.abs(values).max()))
        out.fill(coefficients[-1])
        for a in coefficients[-2::-1]:
            out *= values
            out += a

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        mark = pair.work.mark()
        inner = pair.buffer()
        self.kernel.tile(pair.of(pair.x[0], pair.y[0]), inner)
        self._sum(inner, out)
        pair.work.release(mark)

    def diagonal(self, side: Parts) -> np.ndarray:
        inner = self.kernel.diagonal(side[0])
        out = np.empty_like(inner)
        self._sum(inner, out)
        return out

    def continuous_params(self) -> dict[str, Any]:
        own = {} if callable(self.coefficients) else {"coefficients": self.coefficients}
        return {**own, **super().continuous_params()}

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        part = pair.of(pair.x[0], pair.y[0])
        inner = np.empty(pair.shape)
        self.kernel.tile(part, inner)
        coefficients = self._terms(float(np.abs(inner).max()))
        if not callable(self.coefficients):
            for n in range(len(coefficients)):
                yield "coefficients", n, inner**n
        outer = (
            np.polynomial.polynomial.polyval(
                inner, coefficients[1:] * np.arange(1, len(coefficients))
            )
            if len(coefficients) > 1
            else 0.0
        )
        for name, index, tile in self.kernel.tile_derivatives(part):
            yield f"kernel__{name}", index, tile * outer

    def map_features(self, batch: Batch, truncate: int | None) -> Any:
        if callable(self.coefficients):
            return super().map_features(batch, truncate)
        weights = [float(a) for a in self.coefficients]
        if min(weights) < 0:
            raise InfiniteFeaturesError(
                "features", self, "has a negative coefficient and no real feature map"
            )
        inner = self.kernel.map_features(batch, truncate)
        return dot_power_features(inner.toarray() if hasattr(inner, "toarray") else inner, weights)

    def feature_dim(self, p: int) -> float:
        inner = self.kernel.feature_dim(p)
        if callable(self.coefficients) or math.isinf(inner):
            return math.inf
        return sum(math.comb(int(inner) + n - 1, n) for n, a in enumerate(self.coefficients) if a)

    @classmethod
    def examples(cls) -> list[Kernel]:
        from mercer.kernels.vectors.dot import Linear
        from mercer.kernels.vectors.radial import RBF

        return [
            cls(kernel=Linear(), coefficients=[1.0, 0.5, 0.0, 0.25]),
            cls(kernel=0.5 * RBF(), coefficients=inverse_root(1.0), radius=1.0),
        ]


def inverse_root(theta: float) -> Callable[[int], float]:
    """The coefficients of 1/√(θ − z) = Σ (2n choose n) zⁿ/(4ⁿ θ^(n+½)), all positive."""
    return InverseRoot(theta)


class InverseRoot:
    """n → a_n of 1/√(θ − z) = Σ a_n zⁿ."""

    def __init__(self, theta: float) -> None:
        self.theta = theta

    def __repr__(self) -> str:
        return f"inverse_root({self.theta!r})"

    def __call__(self, n: int) -> float:
        return math.exp(
            math.lgamma(2 * n + 1)
            - 2 * math.lgamma(n + 1)
            - n * math.log(4.0)
            - (n + 0.5) * math.log(self.theta)
        )
