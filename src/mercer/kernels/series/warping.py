"""Dynamic time warping: a distance between series, which is not one of any feature space."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from mercer import _compiled
from mercer.definiteness import INDEFINITE, Certificate, Where, Witness
from mercer.domains.base import Domain
from mercer.domains.structures.series import Series, SeriesSamples
from mercer.gram.tile import Pair
from mercer.kernels.base import Derivative, Kernel
from mercer.kernels.parameters import computed
from mercer.kernels.series.global_alignment import channel_axis
from mercer.kernels.strings.pairwise import Entries
from mercer.params import param, positive

__all__ = ["DynamicTimeWarping", "ExpDTW"]


def squared_warping(pair: Pair) -> np.ndarray:
    """The least sums of squared distances of one tile."""
    entries = Entries.of_tile(pair)
    x, y = entries.x, entries.y
    order = entries.order_by_length()
    left, right = entries.left[order], entries.right[order]
    in_order = np.empty(len(order))

    def fill(left: np.ndarray, right: np.ndarray, where: slice) -> None:
        series = (x.values, x.offsets, y.values, y.offsets)
        _compiled.series.warping_costs(*series, left, right, in_order[where])

    dataclasses.replace(entries, left=left, right=right).run(fill, _compiled.series.LANES)
    values = np.empty(len(order))
    values[order] = in_order
    tile = np.empty(pair.shape)
    entries.scatter(pair, values, tile)
    return tile


class DynamicTimeWarping(Kernel):
    """−d²/2, d² = min Σ ‖x_i − y_j‖² over all alignments of x and y, as those of `GlobalAlignment`.

    It gives `KernelNeighborsClassifier` and `KernelNeighborsRegressor` the distance d, in which the
    neighbors of series are found. It is no kernel: the distance of (1) and (1, 1) is 0, though one
    is nearer to (2) than the other. No other learner takes it.

    Parameters
    ----------
    channels : {None, "first", "last"}, default=None
        The order of the axes of arrays: "first" for (n, channels, length), as aeon and sktime have
        it, "last" for (n, length, channels), as tslearn. Needed for arrays of three axes only.

    Examples
    --------
    >>> from mercer import DynamicTimeWarping, KernelNeighborsClassifier
    >>> (-2.0 * DynamicTimeWarping()([[0, 1, 2]], [[0, 0, 1, 2], [0, 1, 4]])).tolist()
    [[0.0, 4.0]]
    >>> model = KernelNeighborsClassifier(1, kernel=DynamicTimeWarping())
    >>> model.fit([[0, 1, 2, 0], [2, 1, 0, 0]], ["up", "down"]).predict(
    ...     [[0, 0, 0, 1, 2]]
    ... ).tolist()
    ['up']

    References
    ----------
    H. Sakoe and S. Chiba (1978). Dynamic programming algorithm optimization for spoken word
    recognition. IEEE Transactions on Acoustics, Speech, and Signal Processing 26, 43-49.
    """

    is_distance: ClassVar[bool] = True
    channels: str | None = param(default=None, check=channel_axis)

    @computed
    def domain(self) -> Domain:
        return Series(self.channels)

    @property
    def constant_diagonal(self) -> bool:
        return True

    def certify(self, d: int | None) -> Certificate:
        points = [np.array([[1.0]]), np.array([[1.0], [1.0]]), np.array([[2.0]])]
        witness = Witness(points, np.array([-3.0, 2.0, 1.0]), -1.0, balanced=True)
        rule = "a counterexample: d((1), (1, 1)) = 0, but their distances from (2) differ"
        return Certificate(INDEFINITE, repr(self), rule, Where("series"), witness=witness)

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        np.multiply(squared_warping(pair), -0.5, out=out)

    def diagonal(self, samples: SeriesSamples) -> np.ndarray:
        return np.zeros(len(samples))


class ExpDTW(Kernel):
    """exp(−γ d²), d² = min Σ ‖x_i − y_j‖² over all alignments of x and y; not a kernel for any γ.

    It is often used as if it were positive semi-definite. Learners refuse it, with three series
    that show that it is not; `GlobalAlignment`, which sums over all alignments, is.

    Parameters
    ----------
    gamma : float, default=1.0
        The rate γ of decay, a positive number.
    channels : {None, "first", "last"}, default=None
        The order of the axes of arrays: "first" for (n, channels, length), as aeon and sktime have
        it, "last" for (n, length, channels), as tslearn. Needed for arrays of three axes only.

    Examples
    --------
    >>> from mercer import ExpDTW
    >>> ExpDTW(gamma=0.5)([[0, 1, 2]], [[0, 0, 1, 2], [0, 1, 4]]).round(4).tolist()
    [[1.0, 0.1353]]
    >>> ExpDTW().certificate().status
    'indefinite'

    References
    ----------
    H. Lei and B. Sun (2007). A study on the dynamic time warping in kernel machines. Third
    International IEEE Conference on Signal-Image Technologies, 839-845.
    """

    gamma: float = param(default=1.0, check=positive, continuous=True)
    channels: str | None = param(default=None, check=channel_axis)

    @computed
    def domain(self) -> Domain:
        return Series(self.channels)

    @property
    def constant_diagonal(self) -> bool:
        return True

    def certify(self, d: int | None) -> Certificate:
        rule = "a counterexample: d((s), (s, s)) = 0, but their distances from (2s) differ"
        return Certificate(INDEFINITE, repr(self), rule, Where("series"), witness=self._witness())

    def _witness(self) -> Witness:
        """Three series (s), (s, s), (2s), whose values are 1, a = exp(−γs²) and a².

        With c = (−w, w, 1), cᵀKc = 1 − 2 a (1 − a) w.
        """
        s = 1.0 / math.sqrt(self.gamma)
        a = math.exp(-self.gamma * s * s)
        w = 1.0 / (a * (1.0 - a))
        points = [np.array([[s]]), np.array([[s], [s]]), np.array([[2.0 * s]])]
        return Witness(points, np.array([-w, w, 1.0]), 1.0 - 2.0 * a * (1.0 - a) * w)

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        np.exp(-self.gamma * squared_warping(pair), out=out)

    def diagonal(self, samples: SeriesSamples) -> np.ndarray:
        return np.ones(len(samples))

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        squares = squared_warping(pair)
        yield "gamma", None, -squares * np.exp(-self.gamma * squares)

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(), cls(gamma=0.2)]
