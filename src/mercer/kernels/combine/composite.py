"""What all kernels with children share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from mercer.aliases import Prepared
from mercer.domains.base import Batch, Domain
from mercer.errors import DomainMismatchError
from mercer.gram.tile import Pair
from mercer.kernels.base import Kernel
from mercer.kernels.combine.parts import Parts
from mercer.params import Constraint

__all__: list[str] = []

is_kernel = Constraint("a kernel", lambda v: isinstance(v, Kernel), "give a mercer kernel object")


class Joint(Domain):
    """Samples that several domains can read."""

    def __init__(self, domains: list[Domain]) -> None:
        self.domains = domains
        self.name = " and ".join(dict.fromkeys(d.name for d in domains))
        self.accepts = frozenset.intersection(*(d.accepts for d in domains))

    def _strictest(self) -> Domain:
        """The one whose samples the others take too; being choosy shows in a longer name or a shorter list."""
        return min(
            self.domains, key=lambda d: (len(d.accepts & {"matrix"}), len(d.accepts), -len(d.name))
        )

    def sample(self, count: int, width: int, rng: np.random.Generator) -> Any:
        return self._strictest().sample(count, width, rng)

    def lattices(self, width: int, rng: np.random.Generator) -> list[Any]:
        return self._strictest().lattices(width, rng)


def is_constant(kernel: Kernel) -> bool:
    from mercer.kernels.vectors.dot import Constant

    return isinstance(kernel, Constant)


class Composite(Kernel, abstract=True):
    """A kernel with children."""

    def children(self) -> dict[str, Kernel]:
        return {
            name: value
            for name in self._param_names()
            if isinstance(value := getattr(self, name), Kernel)
        }

    @property
    def domain(self) -> Domain:  # type: ignore[override]
        domains = [child.domain for child in self.children().values()]
        return domains[0] if all(d == domains[0] for d in domains) else Joint(domains)

    @property
    def leaves(self) -> int:
        return sum(child.leaves for child in self.children().values())

    @property
    def invariance(self) -> str:  # type: ignore[override]
        kinds = {child.invariance for child in self.children().values() if not is_constant(child)}
        if not kinds:
            return "radial"
        if len(kinds) == 1:
            return kinds.pop()
        return "translation" if kinds == {"translation", "radial"} else "none"

    def check_params(self) -> None:
        domains = {name: child.domain for name, child in self.children().items()}
        if domains and not frozenset.intersection(*(d.accepts for d in domains.values())):
            names = ", ".join(
                f"{getattr(self, name)!r} on {domain.name}" for name, domain in domains.items()
            )
            rule = "mixes kernels on different kinds of samples"
            raise DomainMismatchError(
                type(self).__name__,
                names,
                rule,
                "say which columns each looks at: k1.on('a') + k2.on('b')",
            )

    def prepare(self, batch: Batch) -> Any:
        return Parts(*(child.prepare(batch) for child in self.children().values()))

    def fit_batch(self, batch: Batch) -> Any:
        for child in self.children().values():
            child.fit_batch(batch)
        return self

    def rounding_error(self, side: Prepared) -> float:
        return max(
            (
                child.rounding_error(part)
                for child, part in zip(self.children().values(), side.sides, strict=True)
            ),
            default=0.0,
        )

    def pairs(self, pair: Pair) -> Iterator[tuple[str, Kernel, Pair]]:
        x, y = pair.x.sides, pair.y.sides
        for at, (name, child) in enumerate(self.children().items()):
            yield name, child, pair.of(x[at], y[at])

    def continuous_params(self) -> dict[str, Any]:
        found = dict(super().continuous_params())
        for name, child in self.children().items():
            found.update(
                {f"{name}__{inner}": value for inner, value in child.continuous_params().items()}
            )
        return found


def within(child: Kernel, parent: int) -> str:
    """A child's text, in brackets where the algebra needs them."""
    return f"({child!r})" if child.precedence < parent else repr(child)
