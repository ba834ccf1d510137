"""Kernels of scikit-learn among ours, which its operators take for numbers."""

from __future__ import annotations

from collections.abc import Iterator

from mercer.errors import DomainMismatchError
from mercer.kernels.base import Kernel

__all__: list[str] = []


_HOME = "sklearn.gaussian_process.kernels"


def is_foreign(value: object) -> bool:
    """Whether it is a kernel of scikit-learn's Gaussian processes."""
    return any(kind.__module__ == _HOME for kind in type(value).__mro__)


def refuse_mixture(value: object) -> None:
    """Refuse a sum or a product that scikit-learn made with one of our kernels as its constant.

    Its operators accept any object in silence, and the result cannot even be printed.
    """
    if type(value).__module__ != _HOME:
        return
    for ours in _ours_inside(value):
        rule = f"was taken for a number by a {type(value).__name__} of scikit-learn"
        remedy = f"combine kernels of mercer only, or say to_sklearn({ours!r}) in it"
        raise DomainMismatchError("kernel", ours, rule, remedy)


def _ours_inside(value: object) -> Iterator[Kernel]:
    """Our kernels among the parameters of scikit-learn's own classes, and of their parts."""
    if type(value).__module__ == _HOME:
        for part in vars(value).values():
            yield from _ours_inside(part)
    elif isinstance(value, Kernel):
        yield value
