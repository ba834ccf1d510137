"""Which training samples a prediction rests on: leave-one-out influence, and the nearest ones."""

from __future__ import annotations

import html
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mercer.aliases import Estimator, RawSamples, Weights
from mercer.domains.raw import raw_length
from mercer.errors import EmptyInputError, InputTypeError, ParameterError
from mercer.explanations.functions import LearnedFunction, learned_function
from mercer.explanations.leave_one_out import NormalSystem, normal_systems
from mercer.kernels.geometry import feature_distance
from mercer.markup import visible
from mercer.params import integer

_SHOWN = 5  # samples of each kind, and rows


class Influence:
    """Changes of predictions by training samples, and the nearest ones in feature space.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_training[, n_outputs]) or None
        f(x) minus the prediction of the same model without the training sample; positive where the
        sample raises the prediction. None for models without a closed form.
    nearest : ndarray of int of shape (n_rows, n_nearest)
        Positions, among all training samples, of the nearest of those that the model keeps.
    distances : ndarray of shape (n_rows, n_nearest)
        Their distances in feature space.
    predictions : ndarray of shape (n_rows[, n_outputs])
        f(x).
    quantity : str
        What f is.

    Examples
    --------
    >>> from mercer import RBF, KernelRidge, influence
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 0.0, 1.0]
    >>> model = KernelRidge(0.1, kernel=RBF()).fit(X, y)
    >>> found = influence(model, [[1.1]])
    >>> found.most(0, count=1), found.nearest[0, :2].tolist()
    ([1], [1, 2])
    >>> without = KernelRidge(0.1, kernel=RBF()).fit([X[0], *X[2:]], [y[0], *y[2:]])
    >>> change = model.predict([[1.1]]) - without.predict([[1.1]])
    >>> bool(abs(found.values[0, 1] - change[0]) < 1e-12)
    True
    """

    def __init__(
        self,
        values: np.ndarray | None,
        nearest: np.ndarray,
        distances: np.ndarray,
        predictions: np.ndarray,
        quantity: str = "prediction",
    ) -> None:
        self.values = values
        self.nearest = nearest
        self.distances = distances
        self.predictions = predictions
        self.quantity = quantity

    def __len__(self) -> int:
        return len(self.nearest)

    def most(self, row: int, count: int = _SHOWN, output: int = 0) -> list[int]:
        """The training samples of the largest influence on one row, of either sign.

        Parameters
        ----------
        row : int
            The row.
        count : int, default=5
            How many samples.
        output : int, default=0
            The output, where there are several.

        Returns
        -------
        list of int
            Positions among the training samples, the largest first.
        """
        if self.values is None:
            rule = "has no closed form for this model"
            remedy = "take KernelRidge, KernelRidgeClassifier or GaussianProcessRegressor"
            raise ParameterError("influence", self.quantity, rule, remedy)
        order = np.argsort(-np.abs(self._of_output(row, output)), kind="stable")
        return order[:count].tolist()

    def _of_output(self, row: int, output: int) -> np.ndarray:
        assert self.values is not None
        return self.values[row] if self.values.ndim == 2 else self.values[row, :, output]

    def to_dict(self) -> dict[str, Any]:
        """Plain lists and numbers, as JSON holds them.

        Returns
        -------
        dict
            The parameters by their names.
        """
        return {
            name: value.tolist() if hasattr(value, "tolist") else value
            for name, value in vars(self).items()
        }

    def __repr__(self) -> str:
        form = None if self.values is None else self.values.shape
        return f"Influence(values={form}, quantity={self.quantity!r})"

    def __str__(self) -> str:
        lines = [f"training samples behind the {self.quantity}"]
        for row in range(min(_SHOWN, len(self))):
            lines += ["", f"row {row}", *(f"  {line}" for line in self._lines(row))]
        return visible("\n".join(lines))

    def _lines(self, row: int) -> list[str]:
        lines = []
        if self.values is not None:
            own = self._of_output(row, 0)
            changes = ", ".join(f"{i} ({own[i]:+.3g})" for i in self.most(row))
            lines.append(f"changed most by: {changes}")
        pairs = zip(self.nearest[row], self.distances[row], strict=True)
        near = ", ".join(f"{i} ({distance:.3g})" for i, distance in pairs)
        return [*lines, f"nearest in feature space: {near}"]

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


def influence(
    model: Estimator, X: RawSamples, *, sample_weight: Weights = None, nearest: int = _SHOWN
) -> Influence:
    """Find the training samples that predictions rest on.

    The influence of a sample is the change of f(x) when it is left out and nothing is chosen again:
    kernel, penalty, noise and units of the targets stay. It has a closed form for kernel ridge
    regression, the least-squares classifier, Gaussian process regression with the exact method, and
    automatic models of tables that are averages of ridge regressions.

    Parameters
    ----------
    model : fitted estimator
        The model; of one without a closed form only the nearest samples are found.
    X : array-like, data frame or collection
        The samples whose predictions are asked about.
    sample_weight : array-like of shape (n_training,), optional
        The weights that the model was fitted with.
    nearest : int, default=5
        How many of the nearest training samples to find.

    Returns
    -------
    Influence
        Changes of the predictions, and the nearest samples.

    References
    ----------
    .. [1] R. D. Cook, "Detection of influential observation in linear regression", Technometrics 19
           (1977) 15-18.

    Examples
    --------
    >>> from mercer import GaussianProcessRegressor, influence
    >>> model = GaussianProcessRegressor(alpha=0.1).fit([[0.0], [1.0]], [0.0, 1.0])
    >>> influence(model, [[0.9]]).most(0, count=1)
    [1]
    """
    integer(1).check("nearest", nearest)
    if hasattr(model, "_check_fitted"):
        model._check_fitted()
    check_is_fitted(model)
    function = learned_function(model)
    if function is None:
        rule = "is not known to be a sum over training samples"
        raise InputTypeError("model", model, rule, "give a learner with one kernel")
    if raw_length(X) == 0:
        raise EmptyInputError("X", "no samples", "has nothing to explain", "give some")
    rows = function.read(X)
    places, distances = _nearest(function, rows, nearest)
    kept = getattr(model, "support_", None)
    if kept is not None and len(kept) == raw_length(function.parts[0].samples):
        places = np.asarray(kept)[places]
    systems, values = normal_systems(model, function, sample_weight), None
    if systems is not None:
        values = np.sum([_changes(system, rows) for system in systems], axis=0)
    predictions = function(rows)
    if predictions.shape[1] == 1:
        predictions = predictions[:, 0]
        values = None if values is None else values[..., 0]
    return Influence(values, places, distances, predictions, function.quantity)


def _changes(system: NormalSystem, rows: RawSamples) -> np.ndarray:
    """f(x) − f₋ᵢ(x) = (k(x)ᵀ G)_i a_i/G_ii, with the inverse G of K + penalty."""
    inverse, border = system.inverse()
    part = system.part
    lever = np.asarray(part.kernel.gram(part.encode(rows), system.samples) @ inverse) + border
    own = lever / inverse.diagonal()
    changes = own[:, :, None] * part.coefficients[system.counted]
    values = np.zeros((len(changes), len(part.coefficients), changes.shape[2]))
    values[:, system.counted] = changes
    return values


def _nearest(
    function: LearnedFunction, rows: RawSamples, count: int
) -> tuple[np.ndarray, np.ndarray]:
    """The nearest training samples, by the sum of squared distances of all parts."""
    squares: Any = 0.0
    for part in function.parts:
        distance = feature_distance(part.kernel, part.encode(rows), part.samples)
        squares = squares + distance**2
    order = np.argsort(squares, axis=1, kind="stable")[:, :count]
    return order, np.sqrt(np.take_along_axis(squares, order, axis=1))
