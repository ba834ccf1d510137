"""What leaves say of themselves as functions of columns."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np

from mercer.aliases import RawSamples
from mercer.errors import NotSeparableError
from mercer.kernels.separable.mixtures import gaussian_mixture
from mercer.kernels.separable.parts import PartValues
from mercer.kernels.separable.terms import Columns, ColumnTerm, Separation, constant

if TYPE_CHECKING:
    from mercer.kernels.base import Kernel

__all__: list[str] = []


class Separable:
    """A kernel that may be a sum of products over columns."""

    splits: ClassVar[str] = ""  # the form of a leaf, a key of `FORMS`

    if TYPE_CHECKING:
        invariance: ClassVar[str]

    def __init_subclass__(cls, splits: str = "", **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.splits = splits  # never inherited: a subclass may have another formula

    def of_column(self, position: int, n_columns: int) -> Kernel:
        """The kernel of one column alone, with that column's own parameters."""
        kernel = cast("Kernel", self).copy()
        for name, value in kernel.continuous_params().items():
            if np.ndim(value) == 1:
                kernel.set_params(**{name: float(value[position])})
        return kernel

    def mixture(self) -> tuple[float, bool]:
        """Of a mixture of Gaussians: the shape of the Gamma distribution of τ, or of 1/τ."""
        raise NotImplementedError(type(self).__name__)

    def largest_value(self) -> float:
        """A bound on |k|; infinite where none is known."""
        return 1.0 if self.invariance in ("translation", "radial") else math.inf

    def part_values(self, X: RawSamples, samples: RawSamples, C: np.ndarray) -> list[PartValues]:
        """What positions, words or nodes of samples add to Σ c_i k(x, x_i), c the rows of C.

        Parameters
        ----------
        X : collection
            The samples.
        samples : collection of m samples
            The x_i.
        C : ndarray of shape (m, n_outputs)
            The coefficients.

        Returns
        -------
        list of PartValues
            The parts of each sample, whose values sum to its sums.

        Examples
        --------
        >>> import numpy as np
        >>> from mercer import Spectrum
        >>> found = Spectrum(length=2).part_values(["aab"], ["ab", "abb"], np.ones((2, 1)))
        >>> found[0].labels, found[0].values.ravel().tolist()
        (['a', 'a', 'b'], [0.0, 1.0, 1.0])
        """
        rule = "has no parts whose share of its features is known"
        remedy = "take Spectrum(), BagOfWords(), TfIdf(), WeisfeilerLehman() or sums of them"
        raise NotSeparableError("kernel", self, rule, remedy)

    def separation(self, columns: Columns) -> Separation:
        """The kernel of a table with these columns as a sum of products over them.

        Parameters
        ----------
        columns : sequence
            The names of the columns, or their positions.

        Returns
        -------
        Separation
            The terms, each a weight and a kernel for some of the columns, by position.

        Examples
        --------
        >>> from mercer import RBF, Linear
        >>> [term.factors for term in (2.0 * RBF([1.0, 3.0])).separation([0, 1]).terms]
        [{0: RBF().on([0]), 1: RBF(length_scale=3.0).on([1])}]
        >>> len(Linear().separation([0, 1]).terms)
        2
        """
        kernel = cast("Kernel", self)
        if self.splits in WITHOUT_COLUMNS:
            return WITHOUT_COLUMNS[self.splits](kernel)
        if len(columns) == 1:
            return Separation([ColumnTerm(1.0, {0: kernel})], 0.0, self.largest_value())
        if self.splits not in FORMS:
            rule = "is no sum of products over columns"
            raise NotSeparableError("kernel", self, rule, "explain it by sampling")
        return FORMS[self.splits](kernel, columns)


def _of_columns(kernel: Kernel, columns: Columns) -> dict[int, Kernel]:
    """The kernel of each column, of samples that have all columns."""
    count = len(columns)
    return {j: kernel.of_column(j, count).on([j]) for j in range(count)}


def product_form(kernel: Kernel, columns: Columns) -> Separation:
    """One product over the columns."""
    term = ColumnTerm(1.0, _of_columns(kernel, columns))
    return Separation([term], 0.0, kernel.largest_value())


def sum_form(kernel: Kernel, columns: Columns) -> Separation:
    """A term for each column."""
    factors = _of_columns(kernel, columns).items()
    terms = [ColumnTerm(1.0, {j: factor}) for j, factor in factors]
    return Separation(terms, 0.0, kernel.largest_value())


def mean_form(kernel: Kernel, columns: Columns) -> Separation:
    """The mean over the columns."""
    return sum_form(kernel, columns).scaled(1.0 / len(columns))


def _mixture_form(kernel: Any, columns: Columns) -> Separation:
    """Gaussians of several widths, each a product over the columns."""
    from mercer.kernels.vectors.radial import RBF

    shape, inverse = kernel.mixture()
    if math.isinf(shape):
        return RBF(kernel.length_scale).separation(columns)
    tau, weights, error = gaussian_mixture(kernel.profile, shape, inverse)
    terms = []
    for factor, weight in zip(tau, weights, strict=True):
        scale = np.asarray(kernel.length_scale, dtype=float) / math.sqrt(factor)
        terms += RBF(scale.tolist()).separation(columns).scaled(float(weight)).terms
    return Separation(terms, error, 1.0)


def _power_form(kernel: Any, columns: Columns) -> Separation:
    """(scale ⟨x, y⟩ + offset)^degree, multiplied out."""
    from mercer.kernels.vectors.dot import Linear

    inner = Linear().separation(columns).scaled(float(kernel.scale))
    if kernel.offset != 0:
        inner = inner.plus(constant(float(kernel.offset)))
    return inner.raised(int(kernel.degree))


def _constant_form(kernel: Kernel) -> Separation:
    return constant(float(kernel.diag([0])[0]))


def _noise_form(kernel: Kernel) -> Separation:
    """Noise of training samples is 0 at new ones."""
    return Separation([], 0.0, 0.0)


FORMS: dict[str, Callable[[Any, Columns], Separation]] = {
    "product": product_form,
    "sum": sum_form,
    "mean": mean_form,
    "mixture": _mixture_form,
    "power": _power_form,
}
WITHOUT_COLUMNS: dict[str, Callable[[Any], Separation]] = {
    "constant": _constant_form,
    "noise": _noise_form,
}
