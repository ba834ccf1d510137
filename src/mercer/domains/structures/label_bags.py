"""Bags of labels: finite collections of texts and numbers, in which a label may occur often."""

from __future__ import annotations

import itertools
from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from mercer.aliases import RawSamples
from mercer.domains.base import Batch, Domain, Samples
from mercer.domains.raw import as_list, starts_of
from mercer.domains.structures.graph_labels import Numbering, plain
from mercer.errors import EmptyInputError, InputTypeError


@dataclass(eq=False)
class LabelBagSamples(Samples):
    """Bags: ``labels[starts[i]:starts[i + 1]]`` are those of bag i, as positions in ``names``."""

    labels: np.ndarray
    starts: np.ndarray
    names: tuple[Hashable, ...]

    def __len__(self) -> int:
        return len(self.starts) - 1

    def take(self, rows: np.ndarray) -> LabelBagSamples:
        parts = [self.labels[self.starts[row] : self.starts[row + 1]] for row in rows]
        starts = starts_of(np.diff(self.starts)[rows])
        labels = np.concatenate([self.labels[:0], *parts])
        return LabelBagSamples(labels, starts, self.names)._inherit(self, rows)


class LabelBags(Domain):
    """Lists, tuples or sets of labels; empty ones are legal."""

    name = "bags of labels"
    accepts = frozenset({"objects", "bags of labels"})

    def encode(self, batch: Batch) -> LabelBagSamples:
        bags = as_list(batch.raw, batch.argument, "bags", "give a list of lists of labels")
        if len(bags) == 0:
            raise EmptyInputError(batch.argument, bags, "is empty", "give at least one bag")
        numbering, parts = Numbering(), []
        for row, bag in enumerate(bags):
            what = f"{batch.argument}[{row}]"
            if not isinstance(bag, (list, tuple, set, frozenset, np.ndarray)):
                remedy = "give a list, a tuple or a set"
                raise InputTypeError(what, bag, "is not a bag of labels", remedy)
            parts.append(numbering.number(list(bag), what))
        starts = starts_of(np.array([len(part) for part in parts]))
        return LabelBagSamples(np.concatenate(parts), starts, tuple(map(plain, numbering.names)))

    def sample(self, count: int, n_columns: int, rng: np.random.Generator) -> list[list[str]]:
        sizes = rng.integers(0, n_columns + 3, count)
        return [rng.choice(list("abcde"), size).tolist() for size in sizes]

    def lattices(self, n_columns: int, rng: np.random.Generator) -> list[RawSamples]:
        """All small bags of three labels, and random bags."""
        small = [
            list(bag)
            for size in range(4)
            for bag in itertools.combinations_with_replacement("abc", size)
        ]
        return [small, self.sample(60, n_columns, rng)]


LABEL_BAGS = LabelBags()
