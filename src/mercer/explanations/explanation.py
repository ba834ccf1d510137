"""The contributions of columns to what a model says of rows."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from mercer.aliases import Axes
from mercer.errors import ParameterError
from mercer.explanations.formatting import as_html, as_text
from mercer.explanations.outputs import output_position

_KINDS = ("waterfall", "bar", "beeswarm")


class Explanation:
    """Shapley values of the columns: what each adds to f(x) beyond the mean over a background.

    ``explain`` makes it. The values of a row sum to f(x) − ``base_values``. It has the attributes
    of the class of the same name in the package shap, whose plots accept it. ``print`` shows it as
    text, notebooks show it as a table.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_columns) or (n_rows, n_columns, n_outputs)
        The contributions.
    base_values : ndarray of shape (n_rows,) or (n_rows, n_outputs)
        The mean of f over the background, the same for all rows.
    data : ndarray of shape (n_rows, n_columns)
        The rows.
    feature_names : list of str
        The names of the columns.
    output_names : list of str or None
        The names of several outputs, such as classes.
    quantity : str
        What f is: a decision function, log-odds, a prediction.
    method : {"exact", "quadrature", "sampling"}
        How the values were computed.
    error : ndarray or float
        0 for exact values; for a quadrature a bound on the error of every value; for sampling the
        standard errors of the values.
    interactions : ndarray of shape (n_rows, n_columns, n_columns[, n_outputs]) or None
        Halves of the interaction indices of two columns; the diagonal holds what is left of each
        column's value, so that every row of the matrix sums to it.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import RBF, KernelRidge, explain
    >>> X = np.random.default_rng(0).standard_normal((60, 3))
    >>> model = KernelRidge(0.1, kernel=RBF(2.0)).fit(X, np.sin(X[:, 0]) + X[:, 1] ** 2)
    >>> explanation = explain(model, X[:2], background=X)
    >>> explanation.values.shape, explanation.method
    ((2, 3), 'exact')
    >>> np.allclose(
    ...     explanation.values.sum(axis=1) + explanation.base_values, model.predict(X[:2])
    ... )
    True
    """

    def __init__(
        self,
        values: np.ndarray,
        base_values: Any,
        data: np.ndarray,
        feature_names: list[str],
        output_names: list[str] | None = None,
        quantity: str = "prediction",
        method: str = "exact",
        error: Any = 0.0,
        interactions: np.ndarray | None = None,
    ) -> None:
        self.values = values
        self.base_values = base_values
        self.data = data
        self.display_data = None
        self.feature_names = feature_names
        self.output_names = output_names
        self.quantity = quantity
        self.method = method
        self.error = error
        self.interactions = interactions

    # -- parts -------------------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the values."""
        return np.shape(self.values)

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, item: Any) -> Explanation:
        """Some rows; with a third index, of one output: ``explanation[:, :, 1]``."""
        rows, *others = item if isinstance(item, tuple) else (item,)
        every_column = not others or (isinstance(others[0], slice) and others[0] == slice(None))
        if not every_column:  # single columns, as shap's scatter plots ask for them
            return self._in_shap("the second index", others[0])[item]
        picked = self._rows(rows)
        return picked.output(others[1]) if len(others) > 1 else picked

    def _rows(self, rows: Any) -> Explanation:
        error = self.error[rows] if self._has_errors() else self.error
        interactions = None if self.interactions is None else self.interactions[rows]
        return self._with(
            values=self.values[rows],
            base_values=np.asarray(self.base_values)[rows],
            data=self.data[rows],
            error=error,
            interactions=interactions,
        )

    def output(self, output: int | str) -> Explanation:
        """The explanation of one of several outputs.

        Parameters
        ----------
        output : int or str
            Its position, or its name.

        Returns
        -------
        Explanation
            The values of that output alone.
        """
        names = self.output_names or []
        at = output_position(names, output)
        error = np.broadcast_to(self.error, (*np.shape(self.error)[:-1], len(names)))[..., at]
        interactions = None if self.interactions is None else self.interactions[..., at]
        return self._with(
            values=self.values[..., at],
            base_values=np.asarray(self.base_values)[..., at],
            output_names=None,
            quantity=f"{self.quantity} of {names[at]}",
            error=error,
            interactions=interactions,
        )

    def plus(self, exact: Explanation) -> Explanation:
        """The explanation of a sum of two functions, the second of which is known exactly.

        Parameters
        ----------
        exact : Explanation
            That of the second function, of the same rows against the same background.

        Returns
        -------
        Explanation
            The sums of the values, with the errors of this one.
        """
        return self._with(
            values=self.values + exact.values, base_values=self.base_values + exact.base_values
        )

    def _has_errors(self) -> bool:
        """Whether every value has an error of its own, instead of one bound for all."""
        return np.shape(self.error) == np.shape(self.values)

    def _with(self, **changed: Any) -> Explanation:
        return Explanation(**{**self._arguments(), **changed})

    def _arguments(self) -> dict[str, Any]:
        names = ("values", "base_values", "data", "feature_names", "output_names")
        return {
            name: getattr(self, name)
            for name in (*names, "quantity", "method", "error", "interactions")
        }

    # -- showing -----------------------------------------------------------------------------------

    def __str__(self) -> str:
        return as_text(self)

    def __repr__(self) -> str:
        return (
            f"Explanation(shape={self.shape}, quantity={self.quantity!r}, method={self.method!r})"
        )

    def _repr_html_(self) -> str:
        return as_html(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain lists and numbers, as JSON holds them.

        Returns
        -------
        dict
            The parameters by their names.
        """
        return {
            name: value.tolist() if hasattr(value, "tolist") else value
            for name, value in self._arguments().items()
        }

    def plot(self, kind: str = "", *, ax: Axes = None, **options: Any) -> Any:
        """Draw the explanation: "waterfall" of one row, "bar" or "beeswarm" of several.

        Parameters
        ----------
        kind : {"waterfall", "bar", "beeswarm"}
            The kind of picture; a waterfall by default for one row, else a beeswarm.
        ax : Axes of Matplotlib or None, default=None
            Where to draw; by default on new axes.
        **options
            Options of the display.

        Returns
        -------
        display
            `WaterfallDisplay`, `ContributionsDisplay` or `BeeswarmDisplay`.
        """
        from mercer.plot.explanations.bars import ContributionsDisplay
        from mercer.plot.explanations.beeswarm import BeeswarmDisplay
        from mercer.plot.explanations.waterfall import WaterfallDisplay

        one_row = np.ndim(self.values) == 1 or len(self.values) == 1
        kind = kind or ("waterfall" if one_row else "beeswarm")
        displays: dict[str, Any] = dict(
            zip(_KINDS, (WaterfallDisplay, ContributionsDisplay, BeeswarmDisplay), strict=True)
        )
        if kind not in displays:
            raise ParameterError("kind", kind, f"must be one of {', '.join(displays)}")
        return displays[kind].from_explanation(self, ax=ax, **options)

    # -- the package shap --------------------------------------------------------------------------

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), tuple(self._arguments().values())

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """The class of shap's own explanations where shap is loaded: its plots ask for it."""
        shap = sys.modules.get("shap")
        return getattr(shap, "Explanation", Explanation)

    def _in_shap(self, what: str, value: object) -> Any:
        """The same as shap's own explanation, if shap is loaded."""
        shap = sys.modules.get("shap")
        if shap is None:
            rule = "must be a colon: all columns are needed for the sum"
            raise ParameterError(what, value, rule)
        names = ("values", "base_values", "data", "feature_names", "output_names")
        return shap.Explanation(**{name: vars(self)[name] for name in names})

    def __getattr__(self, name: str) -> Any:
        """What else shap's plots ask of an explanation, such as ``abs``, its own class answers."""
        if name.startswith("_") or "shap" not in sys.modules:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self._in_shap("attribute", name), name)
