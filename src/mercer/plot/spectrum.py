"""The eigenvalues of a Gram matrix: how many directions of the feature space the samples fill."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from mercer.aliases import Axes, Estimator, RawSamples
from mercer.domains.base import pick_rows, raw_length
from mercer.errors import ParameterError, ShapeError
from mercer.kernels.base import Kernel
from mercer.plot._axes import axes, kernel_and_samples


class SpectrumDisplay:
    """Eigenvalues of K/n in descending order on a logarithmic scale, negative ones marked, with the effective dimension Σ λ/(λ + ridge).

    A spectrum that falls at once means a kernel that sees little: every sample like every other. One that does not fall means that every
    sample is like itself only. What lies below the line is rounding. Make it with `from_kernel`, `from_estimator` or `from_matrix`.

    Parameters
    ----------
    values : eigenvalues of K/n, descending
    ridge : what a direction must exceed to count

    Attributes
    ----------
    ax_, figure_, line_, negative_ : what was drawn
    effective_dimension_ : Σ max(λ, 0)/(max(λ, 0) + ridge)

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> from sklearn.datasets import load_iris
    >>> from mercer import RBF, SpectrumDisplay
    >>> display = SpectrumDisplay.from_kernel(RBF(length_scale=1.0), load_iris().data)
    >>> round(display.effective_dimension_)
    29
    """

    def __init__(self, *, values: np.ndarray, ridge: float = 1e-3) -> None:
        self.values, self.ridge = values, ridge

    @classmethod
    def from_estimator(
        cls,
        estimator: Estimator,
        X: RawSamples,
        *,
        most: int = 1000,
        ridge: float = 1e-3,
        ax: Axes = None,
        **options: Any,
    ) -> Self:
        """Of ``X`` by the kernel of a fitted estimator; the steps before it in a pipeline are applied."""
        return cls.from_kernel(
            *kernel_and_samples(estimator, X), most=most, ridge=ridge, ax=ax, **options
        )

    @classmethod
    def from_kernel(
        cls,
        kernel: Kernel,
        X: RawSamples,
        *,
        most: int = 1000,
        ridge: float = 1e-3,
        ax: Axes = None,
        **options: Any,
    ) -> Self:
        """Of ``X``, or of ``most`` samples taken evenly from more."""
        n = raw_length(X)
        if most < 1:
            raise ParameterError("most", most, "must be at least 1 sample")
        rows = (
            np.arange(n)
            if n <= most
            else np.unique(np.linspace(0, n - 1, most).round().astype(int))
        )
        return cls.from_matrix(
            np.asarray(kernel(pick_rows(X, rows))), ridge=ridge, ax=ax, **options
        )

    @classmethod
    def from_matrix(cls, K: Any, *, ridge: float = 1e-3, ax: Axes = None, **options: Any) -> Self:
        """Of a symmetric matrix that is there already."""
        K = np.asarray(K, dtype=float)
        if K.ndim != 2 or K.shape[0] != K.shape[1]:
            raise ShapeError("K", f"array of shape {K.shape}", "must be a square matrix")
        if not (np.isfinite(ridge) and ridge > 0):
            raise ParameterError("ridge", ridge, "must be a number > 0")
        return cls(values=np.linalg.eigvalsh(K)[::-1] / len(K), ridge=ridge).plot(ax=ax, **options)

    def plot(self, *, ax: Axes = None, color: str = "C0", **style: Any) -> Self:
        """Draw; further options are those of Matplotlib's plot."""
        self.ax_ = ax = axes(ax)
        self.figure_ = ax.figure
        positive = np.maximum(self.values, 0.0)
        self.effective_dimension_ = float((positive / (positive + self.ridge)).sum())
        floor = max(
            float(np.abs(self.values).max()) * len(self.values) * np.finfo(float).eps,
            np.finfo(float).tiny,
        )
        at = np.arange(1, len(self.values) + 1)
        (self.line_,) = ax.semilogy(
            at, np.maximum(self.values, floor / 10), **{"color": color, "linewidth": 1.6, **style}
        )
        below = self.values < -10 * floor
        self.negative_ = (
            ax.semilogy(at[below], -self.values[below], "x", color="C3", label="negative")[0]
            if below.any()
            else None
        )
        ax.axhline(floor, color="0.5", linestyle=":", linewidth=1, label="rounding")
        ax.axvline(
            self.effective_dimension_,
            color="C1",
            linestyle="--",
            linewidth=1.2,
            label=f"effective dimension {self.effective_dimension_:.0f}",
        )
        ax.set(
            xlabel="eigenvalue", ylabel="λ / n", xlim=(0.5, len(at) + 0.5), ylim=(floor / 10, None)
        )
        ax.yaxis.set_major_formatter(
            _power
        )  # as plain text: mathematics may be switched off, for names with dollars
        ax.legend(loc="best", frameon=False, fontsize="small")
        return self


def _power(value: float, _: Any) -> str:
    exponent = round(float(np.log10(value))) if value > 0 else 0
    return f"1e{exponent}" if exponent else "1"
