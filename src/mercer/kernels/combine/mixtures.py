"""Integrals of kernels over a positive measure, by quadrature with weights ≥ 0."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Self

import numpy as np

from mercer.definiteness import Certificate
from mercer.definiteness.rules import mixture_rule
from mercer.domains.base import Batch
from mercer.domains.parts import Parts
from mercer.errors import ParameterError
from mercer.gram.tile import Pair
from mercer.kernels.base import Derivative, Kernel
from mercer.kernels.combine.composite import Composite, is_kernel
from mercer.kernels.vectors.radial import RBF
from mercer.params import Constraint, as_vector, nonnegative, param, positive

__all__ = ["Mixture"]


def _are_numbers(value: Any) -> bool:
    vector = as_vector(value)
    return vector is not None and len(vector) > 0 and bool(np.isfinite(vector).all())


def _are_weights(value: Any) -> bool:
    return _are_numbers(value) and bool((np.asarray(value, dtype=float) >= 0).all())


_numbers = Constraint("finite numbers", _are_numbers)
_weights = Constraint("finite numbers >= 0", _are_weights)
_name = Constraint("the name of a parameter", lambda v: isinstance(v, str))


class Mixture(Composite):
    """Σ_i w_i k_θi(x, y), w_i ≥ 0: an integral ∫ k_θ(x, y) dμ(θ) over one parameter of a kernel.

    The sum that is computed is positive semi-definite itself, whatever its distance from the
    integral, because the weights of the quadrature are not negative.

    Parameters
    ----------
    kernel : Kernel
        The kernel k.
    parameter : str
        The name of its parameter θ that is integrated out.
    values : sequence of float
        The nodes θ_i.
    weights : sequence of float
        Their weights w_i, not negative.
    error : float, default 0.0
        An estimate of the distance from the integral, which the certificate prints: it is not
        proved.

    Examples
    --------
    >>> from mercer import RBF, Mixture, RationalQuadratic
    >>> X = [[0.0], [1.0], [3.0]]
    >>> mixed = Mixture.gamma(RBF(), shape=2.0, points=40)
    >>> abs(mixed(X) - RationalQuadratic(alpha=2.0)(X)).max() < 1e-8
    np.True_
    """

    kernel: Kernel = param(check=is_kernel)
    parameter: str = param(check=_name)
    values: Sequence[float] = param(check=_numbers)
    weights: Sequence[float] = param(check=_weights, continuous=True)
    error: float = param(default=0.0, check=nonnegative)

    @classmethod
    def gamma(
        cls, kernel: Kernel, shape: float, *, length_scale: float = 1.0, points: int = 40
    ) -> Self:
        """Mix a kernel over its length scale ℓ, where 1/ℓ² has a Gamma distribution.

        Of `RBF` this is `RationalQuadratic(length_scale, alpha=shape)`, up to the error of
        quadrature by Gauss and Laguerre.

        Parameters
        ----------
        kernel : Kernel
            The kernel, with a parameter ``length_scale``.
        shape : float
            The shape α of the distribution.
        length_scale : float, default 1.0
            The length scale at the mean of the distribution.
        points : int, default 40
            The number of nodes.

        Returns
        -------
        Mixture
            The sum over the nodes; its error is estimated from half as many.
        """
        from scipy.special import roots_genlaguerre

        positive.check("shape", shape)

        def rule(count: int) -> tuple[np.ndarray, np.ndarray]:
            nodes, weights = roots_genlaguerre(count, shape - 1.0)
            return length_scale * np.sqrt(shape / nodes), weights / weights.sum()

        return cls._of_rule(kernel, "length_scale", rule, points)

    @classmethod
    def over(
        cls,
        kernel: Kernel,
        parameter: str,
        density: Callable[[np.ndarray], np.ndarray],
        low: float,
        high: float,
        *,
        points: int = 40,
    ) -> Self:
        """Integrate a kernel against a density ≥ 0 of a parameter from ``low`` to ``high``.

        Parameters
        ----------
        kernel : Kernel
            The kernel.
        parameter : str
            The name of its parameter.
        density : callable
            The density at an array of values.
        low, high : float
            The ends of the interval.
        points : int, default 40
            The number of nodes of Gauss and Legendre.

        Returns
        -------
        Mixture
            The sum over the nodes; its error is estimated from half as many.
        """

        def rule(count: int) -> tuple[np.ndarray, np.ndarray]:
            nodes, weights = np.polynomial.legendre.leggauss(count)
            values = low + (high - low) * (nodes + 1.0) / 2.0
            weights = weights * (high - low) / 2.0 * np.asarray(density(values), dtype=float)
            _weights.check("Mixture: density", weights)
            return values, weights

        return cls._of_rule(kernel, parameter, rule, points)

    @classmethod
    def _of_rule(
        cls,
        kernel: Kernel,
        parameter: str,
        rule: Callable[[int], tuple[np.ndarray, np.ndarray]],
        points: int,
    ) -> Self:
        """The mixture of a quadrature rule, with its distance from that of half as many nodes."""

        sums = []
        for count in (points, max(1, points // 2)):
            values, weights = rule(count)
            sums.append(cls(kernel.copy(), parameter, values.tolist(), weights.tolist()))
        fine, coarse = sums
        X = kernel.domain.sample(30, 1, np.random.default_rng(0))
        fine.error = float(f"{np.abs(fine.fit(X)(X) - coarse.fit(X)(X)).max():.1e}")
        return fine

    def check_params(self) -> None:
        super().check_params()
        if self.parameter not in self.kernel.get_params():
            known = ", ".join(self.kernel.get_params()) or "none"
            rule = f"is not a parameter of {self.kernel!r}"
            raise ParameterError("Mixture: parameter", self.parameter, rule, f"it has {known}")
        if len(self.values) != len(self.weights):
            rule = f"must be one for each of the {len(self.values)} values"
            raise ParameterError("Mixture: weights", f"{len(self.weights)} weights", rule)

    def components(self) -> list[Kernel]:
        """The kernel at every node."""
        return [self.kernel.copy().set_params(**{self.parameter: float(v)}) for v in self.values]

    def certify(self, d: int | None) -> Certificate:
        parts = [component.certify(d) for component in self.components()]
        weights = [float(w) for w in self.weights]
        return mixture_rule(repr(self), parts, weights, float(self.error))

    @property
    def constant_diagonal(self) -> bool:
        return self.kernel.constant_diagonal

    def prepare(self, batch: Batch) -> Parts:
        return Parts(*(component.prepare(batch) for component in self.components()))

    def rounding_error(self, samples: Parts) -> float:
        pairs = zip(self.components(), samples.sides, self.weights, strict=True)
        return sum(w * component.rounding_error(side) for component, side, w in pairs)

    def _terms(self, pair: Pair) -> Iterator[tuple[float, Kernel, Pair]]:
        """Every node's weight and kernel, with the tile of the samples that it prepared."""
        for at, (w, component) in enumerate(zip(self.weights, self.components(), strict=True)):
            yield float(w), component, pair.of(pair.x[at], pair.y[at])

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        total = np.zeros(out.shape)
        for weight, component, part in self._terms(pair):
            component.tile(part, out)
            total += weight * out
        np.copyto(out, total)

    def diagonal(self, samples: Parts) -> np.ndarray:
        total = np.zeros(len(samples))
        terms = zip(self.weights, self.components(), samples.sides, strict=True)
        for weight, component, side in terms:
            total += float(weight) * component.diagonal(side)
        return total

    def continuous_params(self) -> dict[str, Any]:
        inner = self.kernel.continuous_params()
        others = {f"kernel__{n}": v for n, v in inner.items() if n != self.parameter}
        return {"weights": self.weights, **others}

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        totals: dict[Any, np.ndarray] = {}
        for at, (weight, component, part) in enumerate(self._terms(pair)):
            values = np.empty(pair.shape)
            component.tile(part, values)
            yield "weights", at, values
            for name, place, tile in component.tile_derivatives(part):
                key = (name, place)
                totals[key] = totals.get(key, 0.0) + weight * tile
        for (name, place), total in totals.items():
            if name != self.parameter:
                yield f"kernel__{name}", place, total

    @classmethod
    def examples(cls) -> list[Kernel]:
        scales = cls(RBF(), "length_scale", [0.5, 1.0, 3.0], [0.2, 0.5, 0.3])
        return [scales, cls(2.0 * RBF(), "kernel__length_scale", [1.0, 2.0], [0.5, 0.5], 0.01)]
