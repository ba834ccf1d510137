"""What leaves say of themselves as functions of columns."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np

from mercer.aliases import RawSamples
from mercer.errors import NotSeparableError
from mercer.kernels.separable.parts import PartValues
from mercer.kernels.separable.terms import Columns, ColumnTerm, Separation, constant

if TYPE_CHECKING:
    from mercer.kernels.base import Kernel

__all__: list[str] = []

Form = Callable[[Any, Columns], Separation]  # of a kernel and the columns of a table

_REMEDY = (
    "take Spectrum(), GappedKmer(), Mismatch(), WeightedDegree(), BagOfWords(), TfIdf() "
    'or sums of them: mercer fit --kernel "GappedKmer(7, 5)"'
)
_REMEDIES = {
    "graphs": 'take WeisfeilerLehman(): mercer fit --kernel "WeisfeilerLehman(depth=3)"',
    "trees": "SubsetTrees().fragments(X) lists fragments with their features",
    "series": "GlobalAlignment().alignment(x, y) shows which points it compares",
}


class Separable:
    """A kernel that may be a sum of products over columns."""

    splits: ClassVar[Form | None] = None  # of a leaf: how it is separated into columns

    if TYPE_CHECKING:
        invariance: ClassVar[str]

    def __init_subclass__(cls, splits: Form | None = None, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.splits = splits  # never inherited: a subclass may have another formula

    def of_column(self, position: int, n_columns: int) -> Kernel:
        """The kernel of one column alone, with that column's own parameters."""
        kernel = cast("Kernel", self).copy()
        for name, value in kernel.continuous_params().items():
            if np.ndim(value) == 1:
                kernel.set_params(**{name: float(value[position])})
        return kernel

    def largest_value(self) -> float:
        """A bound on |k|; infinite where none is known."""
        return 1.0 if self.invariance in ("translation", "radial") else math.inf

    def part_values(self, X: RawSamples, samples: RawSamples, C: np.ndarray) -> list[PartValues]:
        """Return what positions, words or nodes add to Σ c_i k(x, x_i), c the rows of C.

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
        domain = cast("Kernel", self).domain.name
        raise NotSeparableError("kernel", self, rule, _REMEDIES.get(domain, _REMEDY))

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
        form = type(self).splits
        if len(columns) == 1 and form not in (constant_form, noise_form):
            form = single_form
        if form is None:
            rule = "is no sum of products over columns"
            raise NotSeparableError("kernel", self, rule, "explain it by sampling")
        return form(self, columns)


def single_form(kernel: Kernel, columns: Columns) -> Separation:
    """The kernel itself, of a table with one column."""
    return Separation([ColumnTerm(1.0, {0: kernel})], 0.0, kernel.largest_value())


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


def constant_form(kernel: Kernel, columns: Columns) -> Separation:
    """The same value for all samples."""
    return constant(float(kernel.diag([0])[0]))


def noise_form(kernel: Kernel, columns: Columns) -> Separation:
    """Noise of training samples is 0 at new ones."""
    return Separation([], 0.0, 0.0)
