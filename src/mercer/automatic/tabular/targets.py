"""Targets as kernels learn them: positive numbers may be learned as square roots or logarithms."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np

from mercer.solvers.ridge.left_out import left_out_path
from mercer.state import storable

IDENTITY, ROOT, LOGARITHM = "as it is", "square root", "logarithm"
_FUNCTIONS: dict[str, tuple[Callable[..., np.ndarray], Callable[..., np.ndarray]]] = {
    ROOT: (np.sqrt, np.square),
    LOGARITHM: (np.log, np.exp),
}
_MARGIN = 0.1  # how far a prediction may leave the range of the targets, in units of that range
_CURVED = 2.0  # the ratio of two quantiles from which a curve differs much from a line
_BETTER = (
    0.9  # a ratio of errors: learned kernels gain less by a map than the plain ones asked here
)


@storable
@dataclasses.dataclass(frozen=True)
class TargetMap:
    """A function g of a target, in units of its spread, and how predictions are mapped back.

    With y in any units whose zero lies at ``origin``, a model learns z = (g(y − origin) −
    center)/scale. The mean of y is not g⁻¹ of the mean of g: predictions mapped back are multiplied
    by ``factor``, the ratio of the mean target and the mean of left-out predictions.
    """

    kind: str = IDENTITY
    origin: float = 0.0
    center: float = 0.0
    scale: float = 1.0
    low: float = -np.inf  # of z
    high: float = np.inf
    factor: float = 1.0

    def __call__(self, y: np.ndarray) -> np.ndarray:
        """The transformed target, which the model learns."""
        if self.kind == IDENTITY:
            return y
        forth, _ = _FUNCTIONS[self.kind]
        with np.errstate(divide="ignore"):
            z = (forth(np.maximum(y - self.origin, 0.0)) - self.center) / self.scale
        return np.clip(z, self.low, self.high)

    def mapped_back(self, z: np.ndarray) -> np.ndarray:
        """Predictions in the units of the target."""
        if self.kind == IDENTITY:
            return z
        return self.origin + self.factor * self._beyond_origin(z)

    def unbiased(self, z: np.ndarray, y: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
        """Left-out predictions of y along the last axis but one, each with its own factor."""
        if self.kind == IDENTITY:
            return z
        beyond = self._beyond_origin(z)
        return self.origin + self._factors(beyond, y, weight) * beyond

    def fitted(self, z: np.ndarray, y: np.ndarray, weight: np.ndarray | None) -> TargetMap:
        """The map with the factor that these left-out predictions need."""
        if self.kind == IDENTITY:
            return self
        factor = self._factors(self._beyond_origin(z), y, weight)
        return dataclasses.replace(self, factor=float(factor.squeeze()))

    def _beyond_origin(self, z: np.ndarray) -> np.ndarray:
        _, back = _FUNCTIONS[self.kind]
        return back(self.center + self.scale * np.clip(z, self.low, self.high))

    def _factors(self, beyond: np.ndarray, y: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
        mean = np.average(y - self.origin, axis=0, weights=weight)
        predicted = np.average(beyond, axis=-2, weights=weight)
        return np.asarray(mean / predicted)[..., None, :]


AS_IT_IS = TargetMap()


def target_map(kind: str, y: np.ndarray, origin: float, weight: np.ndarray | None) -> TargetMap:
    """The map of this kind in units of the mean and the spread of these targets."""
    if kind == IDENTITY:
        return AS_IT_IS
    forth, _ = _FUNCTIONS[kind]
    u = forth(y - origin)
    center = float(np.average(u, weights=weight))
    scale = float(np.sqrt(np.average((u - center) ** 2, weights=weight))) or 1.0
    room = _MARGIN * float(np.ptp(u))
    low, high = float(u.min()) - room, float(u.max()) + room
    if kind == ROOT:
        low = max(low, 0.0)
    return TargetMap(kind, origin, center, scale, (low - center) / scale, (high - center) / scale)


def maps_to_try(y: np.ndarray, origin: float | None, weight: np.ndarray | None) -> list[TargetMap]:
    """The target as it is, and its root and logarithm if it is positive and spread enough."""
    kinds = [IDENTITY]
    if origin is not None and y.min() >= origin:
        low, high = np.quantile(y - origin, [0.1, 0.9])
        if high > _CURVED * low:
            kinds += [ROOT]
            if y.min() > origin:
                kinds += [LOGARITHM]
    return [target_map(kind, y, origin or 0.0, weight) for kind in kinds]


def choose_target(
    maps: list[TargetMap],
    grams: list[np.ndarray],
    y: np.ndarray,
    penalties: np.ndarray,
    weight: np.ndarray | None = None,
    groups: np.ndarray | None = None,
) -> tuple[TargetMap, dict[str, float]]:
    """The map with the least mean squared leave-one-out error of y, and the errors of all.

    The error of a map is that of its best Gram matrix and penalty; one eigendecomposition of a
    matrix serves all maps and penalties. The first map, the target as it is, is kept unless another
    one is clearly better.
    """
    Y = np.column_stack([each(y) for each in maps])
    losses = dict.fromkeys((each.kind for each in maps), np.inf)
    for K in grams:
        path = left_out_path(K, Y, weight, penalties, groups)
        for place, each in enumerate(maps):
            predicted = each.unbiased(path[..., place : place + 1], y[:, None], weight)
            squares = ((predicted - y[:, None]) ** 2)[..., 0]
            least = float(np.average(squares, axis=-1, weights=weight).min())
            losses[each.kind] = min(losses[each.kind], least)
    best = min(maps, key=lambda each: losses[each.kind])
    if losses[best.kind] > _BETTER * losses[maps[0].kind]:
        best = maps[0]
    return best, losses
