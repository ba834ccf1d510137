"""Convolution kernels: samples are compared by all pairs of their parts.

>>> from mercer import Convolution, Spectrum, parse
>>> parse("Convolution(words, Spectrum(1))")(["an ant"], ["a tan"])[0, 0]
np.float64(7.0)
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, cast

import numpy as np

from mercer.aliases import RawSamples
from mercer.definiteness import PSD, UNKNOWN, Certificate
from mercer.domains.base import Batch, Domain
from mercer.domains.distributions import Decomposed
from mercer.kernels.base import Kernel
from mercer.kernels.combine.composite import is_kernel
from mercer.kernels.distributions.embeddings import BagKernel
from mercer.kernels.functions import numbers, words
from mercer.kernels.strings.substrings import Spectrum
from mercer.kernels.vectors.radial import RBF
from mercer.params import function, param

__all__ = ["Convolution"]


class Convolution(BagKernel):
    """Σ k(a, b) over the parts a of x and b of y: Haussler's R-convolution.

    A function takes samples apart, in whatever way they are composed: a text into words, a graph
    into nodes with their neighbors, a picture into patches. A sample without parts has the value 0
    with all others. Large samples have larger values: ``.normalize()`` makes up for it.

    Several kernels of parts that belong together, one for each component, are a product:
    ``k1.on([0]) * k2.on([1])`` compares parts that are pairs.

    Parameters
    ----------
    parts : callable
        A function of one sample that returns the list of its parts, or an array of them. A function
        with a name (`register_function`) can be saved and parsed; ``words`` and ``numbers`` are
        there.
    kernel : Kernel
        The kernel k, on parts.

    Examples
    --------
    >>> from mercer import RBF, Convolution
    >>> k = Convolution(lambda path: [[b - a] for a, b in zip(path, path[1:])], RBF())
    >>> k([[0.0, 1.0, 3.0]], [[5.0, 6.0]]).round(3).tolist()  # the steps 1 and 2 against 1
    [[1.607]]

    References
    ----------
    D. Haussler (1999). Convolution kernels on discrete structures. Technical report UCSC-CRL-99-10,
    University of California at Santa Cruz.
    """

    parts: Callable[[Any], RawSamples] = param(check=function)
    kernel: Kernel = param(check=is_kernel)

    @property
    def domain(self) -> Domain:  # type: ignore[override]
        return Decomposed(self.parts, self.kernel.domain)

    def bags(self, batch: Batch) -> list[RawSamples]:
        return cast(Decomposed, self.domain).bags(batch)

    def shares(self, sizes: np.ndarray) -> np.ndarray:
        return np.ones(len(sizes))

    def certify(self, d: int | None) -> Certificate:
        part = self.kernel.certify(None)
        where = dataclasses.replace(part.where, space=f"samples with parts in {part.where.space}")
        if part.psd:  # It is never strict: two samples may have the same parts.
            rule = "convolution: the feature of a sample is the sum of the features of its parts"
            return Certificate(PSD, repr(self), rule, where, (part,))
        rule = "no rule: the kernel of parts is not known to be psd"
        return Certificate(UNKNOWN, repr(self), rule, where, (part,))

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(words, Spectrum(length=1)), cls(numbers, RBF() + 0.5 * RBF(length_scale=3.0))]
