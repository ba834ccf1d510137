"""The eigenvalues of a Gram matrix: how many directions of the feature space the samples fill."""

from __future__ import annotations

from typing import Self

import numpy as np

from mercer.aliases import Axes, Estimator, RawSamples
from mercer.domains.base import pick_rows, raw_length
from mercer.errors import ParameterError
from mercer.kernels.base import Kernel
from mercer.plot._axes import Option, axes
from mercer.plot._estimator import evenly, kernel_and_samples, square_matrix


class SpectrumDisplay:
    """Eigenvalues λ of K/n on a logarithmic scale, and the effective dimension Σ λ/(λ + ridge).

    A spectrum that falls steeply means a kernel that distinguishes little: every sample is
    similar to every other. One that does not fall means that every sample is similar to itself
    only. What lies below the dotted line is rounding error; negative eigenvalues beyond it are
    marked. Make it with `from_kernel`, `from_estimator` or `from_matrix`.

    Parameters
    ----------
    values : ndarray of shape (n,)
        The eigenvalues of K/n, descending.
    ridge : float, default=1e-3
        What an eigenvalue must exceed for its direction to count.

    Attributes
    ----------
    ax_, figure_ : Axes and Figure of Matplotlib
        Where it was drawn.
    line_ : artist
        The eigenvalues.
    negative_ : artist or None
        The marks of negative eigenvalues.
    effective_dimension_ : float
        Σ max(λ, 0)/(max(λ, 0) + ridge).

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from sklearn.datasets import load_iris
    >>> from mercer import RBF, SpectrumDisplay
    >>> display = SpectrumDisplay.from_kernel(RBF(length_scale=1.0), load_iris().data)
    >>> round(display.effective_dimension_)
    29
    """

    def __init__(self, *, values: np.ndarray, ridge: float = 1e-3) -> None:
        self.values = values
        self.ridge = ridge

    @classmethod
    def from_estimator(
        cls,
        estimator: Estimator,
        X: RawSamples,
        *,
        most: int = 1000,
        ridge: float = 1e-3,
        ax: Axes = None,
        **options: Option,
    ) -> Self:
        """Draw the spectrum of samples by the kernel of a fitted estimator.

        Parameters
        ----------
        estimator : fitted estimator with a kernel, or a pipeline that ends with one
            Whose kernel is used; the steps before it are applied to the samples.
        X : samples
            The samples.
        most : int, default=1000
            The largest number of samples that are used, taken evenly from more.
        ridge : float, default=1e-3
            What an eigenvalue must exceed for its direction to count.
        ax : Axes of Matplotlib or None, default=None
            Where to draw; by default on new axes.
        **options
            Options of `plot`.

        Returns
        -------
        display : SpectrumDisplay
            The display, drawn.
        """
        kernel, X = kernel_and_samples(estimator, X)
        return cls.from_kernel(kernel, X, most=most, ridge=ridge, ax=ax, **options)

    @classmethod
    def from_kernel(
        cls,
        kernel: Kernel,
        X: RawSamples,
        *,
        most: int = 1000,
        ridge: float = 1e-3,
        ax: Axes = None,
        **options: Option,
    ) -> Self:
        """Draw the spectrum of samples.

        Parameters
        ----------
        kernel : Kernel
            The kernel; one that learns from data must have been fitted.
        X : samples
            The samples.
        most : int, default=1000
            The largest number of samples that are used, taken evenly from more.
        ridge : float, default=1e-3
            What an eigenvalue must exceed for its direction to count.
        ax : Axes of Matplotlib or None, default=None
            Where to draw; by default on new axes.
        **options
            Options of `plot`.

        Returns
        -------
        display : SpectrumDisplay
            The display, drawn.
        """
        rows = evenly(raw_length(X), most)
        return cls.from_matrix(kernel(pick_rows(X, rows)), ridge=ridge, ax=ax, **options)

    @classmethod
    def from_matrix(
        cls, K: object, *, ridge: float = 1e-3, ax: Axes = None, **options: Option
    ) -> Self:
        """Draw the spectrum of a Gram matrix that was computed before.

        Parameters
        ----------
        K : array-like of shape (n_samples, n_samples)
            The matrix, symmetric.
        ridge : float, default=1e-3
            What an eigenvalue must exceed for its direction to count.
        ax : Axes of Matplotlib or None, default=None
            Where to draw; by default on new axes.
        **options
            Options of `plot`.

        Returns
        -------
        display : SpectrumDisplay
            The display, drawn.
        """
        matrix = square_matrix(K)
        if not (np.isfinite(ridge) and ridge > 0):
            raise ParameterError("ridge", ridge, "must be a number > 0")
        values = np.linalg.eigvalsh(matrix)[::-1] / len(matrix)
        return cls(values=values, ridge=ridge).plot(ax=ax, **options)

    def plot(self, *, ax: Axes = None, color: str = "C0", **style: Option) -> Self:
        """Draw the display.

        Parameters
        ----------
        ax : Axes of Matplotlib or None, default=None
            Where to draw; by default on new axes.
        color : str, default="C0"
            The color of the line.
        **style
            Options of Matplotlib's plot.

        Returns
        -------
        display : SpectrumDisplay
            The display itself.
        """
        self.ax_ = ax = axes(ax)
        self.figure_ = ax.figure
        positive = np.maximum(self.values, 0.0)
        self.effective_dimension_ = float((positive / (positive + self.ridge)).sum())
        numbers = np.finfo(float)
        largest = float(np.abs(self.values).max())
        floor = max(largest * len(self.values) * numbers.eps, numbers.tiny)
        at = np.arange(1, len(self.values) + 1)
        style = {"color": color, "linewidth": 1.6, **style}
        (self.line_,) = ax.semilogy(at, np.maximum(self.values, floor / 10), **style)
        self.negative_ = None
        below = self.values < -10 * floor
        if below.any():
            look = {"color": "C3", "label": "negative"}
            (self.negative_,) = ax.semilogy(at[below], -self.values[below], "x", **look)
        ax.axhline(floor, color="0.5", linestyle=":", linewidth=1, label="rounding")
        name = f"effective dimension {self.effective_dimension_:.0f}"
        ax.axvline(self.effective_dimension_, color="C1", linestyle="--", linewidth=1.2, label=name)
        ax.set(xlabel="eigenvalue", ylabel="λ / n", xlim=(0.5, len(at) + 0.5))
        ax.set(ylim=(floor / 10, None))
        # As plain text: mathematics may be switched off, for names with dollars.
        ax.yaxis.set_major_formatter(_power)
        ax.legend(loc="best", frameon=False, fontsize="small")
        return self


def _power(value: float, _: object) -> str:
    """A power of ten, for the ticks."""
    exponent = 0
    if value > 0:
        exponent = round(float(np.log10(value)))
    return f"1e{exponent}" if exponent else "1"
