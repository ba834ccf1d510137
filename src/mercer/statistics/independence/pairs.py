"""Which columns of a table depend on each other, two by two, corrected for their number."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mercer.aliases import RandomState, RawSamples
from mercer.domains.base import pick_rows, raw_length
from mercer.domains.raw import select_columns
from mercer.errors import InputTypeError, ParameterError
from mercer.markup import TextTable
from mercer.params import integer, renamed_arguments
from mercer.statistics.independence.dhsic import JointResult, dhsic_test
from mercer.statistics.independence.hsic import IndependenceResult, hsic_test
from mercer.statistics.independence.kci import kci_test
from mercer.statistics.permutations import check_permutations, generator
from mercer.statistics.samples import as_samples

_MOST_PAIRS = 500


@dataclasses.dataclass(frozen=True)
class Relation:
    """The test of two columns.

    Parameters
    ----------
    first, second : object
        The names of the columns.
    result : IndependenceResult
        The test of these two alone.
    corrected : float
        Its p-value, corrected for the number of pairs by Holm's method.
    """

    first: Any
    second: Any
    result: IndependenceResult
    corrected: float


@dataclasses.dataclass(frozen=True)
class Relations(TextTable):
    """The tests of all pairs of columns, the clearest dependence first: the result of `relate`.

    Parameters
    ----------
    pairs : list of Relation
        One for each pair, in order of their p-values.
    joint : JointResult or None
        The test of joint independence of three columns or more; None of two, or given others.
    given : list
        The columns that were given.
    notes : tuple of str
        Remarks, such as that not all rows were used.
    """

    pairs: list[Relation]
    joint: JointResult | None = None
    given: tuple[Any, ...] = ()
    notes: tuple[str, ...] = ()

    def dependent(self, level: float = 0.05) -> list[tuple[Any, Any]]:
        """The pairs that depend on each other, with an error or more in ``level`` of cases."""
        relations = [pair for pair in self.pairs if pair.corrected <= level]
        return [(pair.first, pair.second) for pair in relations]

    def to_dict(self) -> dict[str, Any]:
        """Everything by name, as plain values."""
        pairs = []
        for pair in self.pairs:
            values = {"columns": [str(pair.first), str(pair.second)], "corrected": pair.corrected}
            pairs.append(values | pair.result.to_dict())
        joint = None if self.joint is None else self.joint.to_dict()
        given = list(map(str, self.given))
        return {"pairs": pairs, "joint": joint, "given": given, "notes": list(self.notes)}

    def rows(self) -> list[tuple[str, ...]]:
        """The table as text, with its head."""
        head = "columns" if not self.given else f"given {', '.join(map(str, self.given))}"
        rows: list[tuple[str, ...]] = [(head, "p, corrected", "p, alone", "verdict at 5 %")]
        for pair in self.pairs:
            word = "dependent" if pair.corrected <= 0.05 else "no dependence seen"
            numbers = f"{pair.corrected:.4g}", f"{pair.result.pvalue:.4g}"
            rows.append((f"{pair.first}, {pair.second}", *numbers, word))
        if self.joint is not None:
            word = "dependent" if self.joint.rejects() else "no dependence seen"
            rows.append(("all together", "", f"{self.joint.pvalue:.4g}", word))
        return rows


@renamed_arguments(table="X")
def relate(
    X: RawSamples,
    columns: Sequence[Any] | None = None,
    *,
    given: Sequence[Any] = (),
    groups: ArrayLike | None = None,
    n_permutations: int = 999,
    max_rows: int = 2000,
    random_state: RandomState = None,
) -> Relations:
    """Test which columns of a table depend on each other, with a correction for their number.

    Every column has the kernel that suits it: numbers, categories, texts, with missing values or
    without. Two columns are tested by `hsic_test`, three or more together by `dhsic_test` too, and
    pairs given other columns by `kci_test`.

    Parameters
    ----------
    X : DataFrame, or array of shape (n, d)
        The table.
    columns : sequence, optional
        The names, or positions, of the columns to test; all but the given ones by default.
    given : sequence, default=()
        The names, or positions, of columns that are given.
    groups : array_like of shape (n,), optional
        Labels of dependent rows, which are permuted as a whole.
    n_permutations : int, default=999
        How many permutations are drawn for each test.
    max_rows : int, default=2000
        Of longer tables so many rows are drawn at random; whole groups are not kept together then.
    random_state : int, Generator or None, default=None
        The seed of the permutations, and of the rows.

    Returns
    -------
    Relations
        The tests of all pairs, the clearest dependence first.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import relate
    >>> x, y, noise = np.random.default_rng(0).standard_normal((3, 80))
    >>> table = np.stack([x, y, x + y + 0.1 * noise], axis=1)
    >>> relate(table, random_state=0).dependent()
    [(0, 2), (1, 2)]
    """
    X = as_samples(X, "X")
    names = _names(X)
    given = tuple(_known(name, names, "given") for name in given)
    if columns is None:
        chosen = [name for name in names if name not in given]
    else:
        chosen = [_known(name, names, "columns") for name in columns]
    _check(chosen, given, groups)
    count, rng = check_permutations(n_permutations), generator(random_state)
    X, groups, notes = _fewer_rows(X, groups, max_rows, rng)
    views = {name: select_columns(X, [name]) for name in chosen}
    options: dict[str, Any] = {"n_permutations": count, "groups": groups}
    results: list[IndependenceResult] = []
    for first, second in itertools.combinations(chosen, 2):
        pair = views[first], views[second]
        if given:
            results.append(kci_test(*pair, select_columns(X, list(given))))
        else:
            results.append(hsic_test(*pair, random_state=rng, **options))
    joint = None
    if len(chosen) > 2 and not given:
        joint = dhsic_test(*views.values(), random_state=rng, **options)
    notes += _few_permutations(len(results), 0 if given else count)
    return Relations(_corrected(chosen, results), joint, given, notes)


def holm(pvalues: Sequence[float]) -> np.ndarray:
    """p-values corrected by Holm's method: one error or more in at most so many cases.

    Examples
    --------
    >>> from mercer.statistics.independence.pairs import holm
    >>> holm([0.01, 0.04, 0.03]).round(10).tolist()
    [0.03, 0.06, 0.06]
    """
    values = np.asarray(pvalues, dtype=float)
    order = np.argsort(values, kind="stable")
    factors = np.arange(len(values), 0, -1)
    out = np.empty_like(values)
    out[order] = np.minimum(np.maximum.accumulate(factors * values[order]), 1.0)
    return out


def _corrected(chosen: list[Any], results: list[Any]) -> list[Relation]:
    corrected = holm([result.pvalue for result in results])
    pairs = zip(itertools.combinations(chosen, 2), results, corrected, strict=True)
    relations = [Relation(a, b, result, float(p)) for (a, b), result, p in pairs]
    return sorted(relations, key=lambda pair: (pair.corrected, pair.result.pvalue))


def _names(table: RawSamples) -> list[Any]:
    """The names of the columns, or their positions."""
    if hasattr(table, "columns"):
        return list(table.columns)
    shape = np.shape(table)
    if len(shape) != 2:
        raise InputTypeError("table", table, "is not a table", "give a data frame or an array")
    return list(range(shape[1]))


def _known(name: Any, names: list[Any], argument: str) -> Any:
    if name not in names:
        shown = ", ".join(map(str, names[:12]))
        raise ParameterError(argument, name, "is not a column", f"choose among {shown}")
    return name


def _check(chosen: list[Any], given: tuple[Any, ...], groups: ArrayLike | None) -> None:
    """Refuse columns of which nothing can be tested."""
    if len(chosen) < 2:
        remedy = "name at least two columns"
        raise ParameterError("columns", chosen, "are too few to be related", remedy)
    if len(set(chosen)) < len(chosen) or set(chosen) & set(given):
        rule = "name a column twice, or one that is given"
        raise ParameterError("columns", chosen, rule, "name each column once")
    count = len(chosen) * (len(chosen) - 1) // 2
    if count > _MOST_PAIRS:
        rule = f"have {count} pairs, more than {_MOST_PAIRS}"
        raise ParameterError("columns", f"{len(chosen)} columns", rule, "name fewer columns")
    if given and groups is not None:
        rule = "are for permutations, which are not valid given other columns"
        raise ParameterError("groups", "labels", rule, "leave groups or given out")


def _fewer_rows(
    table: RawSamples, groups: ArrayLike | None, most: int, rng: np.random.Generator
) -> tuple[RawSamples, ArrayLike | None, tuple[str, ...]]:
    """At most so many rows, and a note where some are left out."""
    integer(2).check("max_rows", most)
    n = raw_length(table)
    if n <= most:
        return table, groups, ()
    rows = np.sort(rng.choice(n, most, replace=False))
    kept = None if groups is None else np.asarray(groups)[rows]
    note = f"{most} of the {n} rows were drawn at random: max_rows allows for more"
    return pick_rows(table, rows), kept, (note,)


def _few_permutations(n_pairs: int, count: int) -> tuple[str, ...]:
    if not count or n_pairs <= 0.05 * (count + 1):
        return ()
    needed = 20 * n_pairs - 1
    return (f"{count} permutations are too few for {n_pairs} pairs: take at least {needed}",)
