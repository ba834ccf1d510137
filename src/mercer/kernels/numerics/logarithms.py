"""The hyperparameters of a kernel as logarithms, as scikit-learn's Gaussian processes show them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from sklearn.gaussian_process.kernels import Hyperparameter

__all__: list[str] = []

_DEFAULT = (1e-5, 1e5)
Limits = dict[str, tuple[float, float]]  # the least and the largest value, by label


class Logarithms:
    """``theta``, ``bounds`` and ``hyperparameters`` of the positive continuous parameters.

    A Gaussian process notes in ``_limits`` which numbers it learns; without it all are.
    """

    if TYPE_CHECKING:

        def continuous_params(self) -> dict[str, Any]: ...
        def set_params(self, **params: Any) -> Any: ...

    def _learned_limits(self) -> Limits:
        """Bounds by the labels of numbers: ``length_scale``, or ``length_scale[1]`` of an array."""
        noted: Limits | None = vars(self).get("_limits")
        if noted is not None:
            return noted
        limits: Limits = {}
        for name, value in self.continuous_params().items():
            numbers = np.asarray(value, dtype=float)
            if numbers.ndim < 2 and (numbers > 0).all():
                labels = [f"{name}[{i}]" for i in range(numbers.size)] if numbers.ndim else [name]
                limits.update(dict.fromkeys(labels, _DEFAULT))
        return limits

    @property
    def theta(self) -> np.ndarray:
        """Logarithms of the hyperparameters that a Gaussian process learns."""
        values = self.continuous_params()
        numbers = []
        for label in self._learned_limits():
            name, position = split_label(label)
            numbers.append(values[name] if position is None else values[name][position])
        return np.log(np.array(numbers, dtype=float))

    @theta.setter
    def theta(self, theta: np.ndarray) -> None:
        new: dict[str, Any] = {}
        values = self.continuous_params()
        numbers = np.exp(np.asarray(theta, dtype=float))
        for label, number in zip(self._learned_limits(), numbers, strict=True):
            name, position = split_label(label)
            if position is None:
                new[name] = float(number)
            else:
                new.setdefault(name, np.array(values[name], dtype=float))[position] = number
        self.set_params(**new)

    @property
    def bounds(self) -> np.ndarray:
        """Logarithms of the least and the largest values, a row for each number of ``theta``."""
        limits = list(self._learned_limits().values())
        return np.log(np.array(limits, dtype=float).reshape(-1, 2))

    @property
    def hyperparameters(self) -> list[Hyperparameter]:
        """Name, bounds and size of all hyperparameters, as scikit-learn describes them."""
        from sklearn.gaussian_process.kernels import Hyperparameter

        grouped: dict[str, list[tuple[float, float]]] = {n: [] for n in self.continuous_params()}
        for label, limits in self._learned_limits().items():
            grouped[split_label(label)[0]].append(limits)
        return [
            Hyperparameter(
                name, "numeric", np.array(limits) if limits else "fixed", len(limits) or 1
            )
            for name, limits in grouped.items()
        ]


def split_label(label: str) -> tuple[str, int | None]:
    """The name of a parameter, and the position if the label is of one number of an array."""
    name, bracket, rest = label.partition("[")
    return name, int(rest[:-1]) if bracket else None
