"""Contributions of positions of strings, words and nodes of graphs to predictions."""

from __future__ import annotations

import functools
import html
from collections.abc import Iterable
from typing import Any, Literal

import numpy as np

from mercer.aliases import RawSamples
from mercer.domains.raw import raw_length
from mercer.errors import NotSeparableError, ParameterError
from mercer.explanations.formatting import largest_first
from mercer.explanations.functions import LearnedFunction
from mercer.explanations.outputs import output_position
from mercer.explanations.sampling import sampled_values
from mercer.kernels.base import Kernel
from mercer.kernels.separable.parts import PartValues
from mercer.kernels.texts import BagOfWords, TfIdf
from mercer.markup import visible

_SAMPLES = 5  # that are shown
_PARTS = 12  # of each, with the largest values
_LONGEST = 1000  # letters or words of a sample
_LETTERS = 500_000  # of all strings that are made for a sample, about
_FEWEST = 10  # orders, each with its reverse


class PartExplanation:
    """Contributions of the parts of samples to f(x): positions, words, or nodes of a graph.

    ``explain`` makes it for models whose kernel has an explicit feature map φ: f(x) = ⟨w, φ(x)⟩ +
    b, and every feature belongs to the places where it occurs. A substring's share is divided
    equally among its letters, and a node has the shares of its colors. These values are sums over
    features, not Shapley values: of a normalized kernel the length of φ(x) is taken as it is.
    Letters and words of other kernels have Shapley values by sampling, with standard errors; those
    that are left out are replaced by letters or words drawn from the background.

    Parameters
    ----------
    values : list of ndarray of shape (n_parts,) or (n_parts, n_outputs)
        The contributions, an array for each sample.
    labels : list of list of str
        The letters, the words, or the nodes.
    base_values : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        What remains, the intercept: values and base sum to f(x).
    output_names : list of str or None
        The names of several outputs.
    quantity : str
        What f is; of two classes it names the one that positive values speak for.
    errors : list of ndarray or None
        The standard errors of values that were sampled, in the form of ``values``.

    Attributes
    ----------
    method : {"exact", "sampling"}
        How the values were computed.

    Examples
    --------
    >>> from mercer import SVC, BagOfWords, explain
    >>> texts = ["oil and gas", "crude oil", "wheat and corn", "corn prices"]
    >>> model = SVC(kernel=BagOfWords()).fit(texts, ["oil", "oil", "grain", "grain"])
    >>> explanation = explain(model, ["oil and corn"])
    >>> explanation.labels
    [['and', 'corn', 'oil']]
    >>> [round(float(value), 2) + 0.0 for value in explanation.values[0]]
    [0.0, -0.67, 0.67]
    """

    def __init__(
        self,
        values: list[np.ndarray],
        labels: list[list[str]],
        base_values: np.ndarray,
        output_names: list[str] | None = None,
        quantity: str = "prediction",
        errors: list[np.ndarray] | None = None,
    ) -> None:
        self.values = values
        self.labels = labels
        self.base_values = base_values
        self.output_names = output_names
        self.quantity = quantity
        self.errors = errors

    def __len__(self) -> int:
        return len(self.values)

    @property
    def method(self) -> str:
        """ "exact" for shares of features, "sampling" for Shapley values."""
        return "exact" if self.errors is None else "sampling"

    def __getitem__(self, rows: Any) -> PartExplanation:
        """The explanation of some samples; of a single one it is a list of one as well."""
        if isinstance(rows, (int, np.integer)) and not -len(self) <= rows < len(self):
            raise IndexError(f"sample {rows} of {len(self)}")
        some = np.atleast_1d(np.arange(len(self))[rows])
        return PartExplanation(
            [self.values[row] for row in some],
            [self.labels[row] for row in some],
            self.base_values[some],
            self.output_names,
            self.quantity,
            None if self.errors is None else [self.errors[row] for row in some],
        )

    def mean_absolute(self, by: Literal["label", "position"] = "label") -> dict[Any, Any]:
        """The mean absolute value of each letter, word or node, or of each position.

        Parameters
        ----------
        by : {"label", "position"}, default="label"
            The mean over all occurrences of a label; or over all samples that have a part at a
            position, which is counted from 0: for sequences that are aligned.

        Returns
        -------
        dict
            Labels, the largest mean first, or positions in order; with several outputs the means
            are arrays, with one value for each.
        """
        if by not in ("label", "position"):
            raise ParameterError("by", by, "must be 'label' or 'position'")
        if by == "position":
            return self._means(map(range, map(len, self.labels)))
        means = self._means(self.labels)
        return dict(sorted(means.items(), key=lambda item: -float(np.sum(item[1]))))

    def _means(self, keys: Iterable[Iterable[Any]]) -> dict[Any, Any]:
        """The mean absolute value of the parts with the same key, of which every part has one."""
        groups: dict[Any, list[np.ndarray]] = {}
        for of_parts, values in zip(keys, self.values, strict=True):
            for key, value in zip(of_parts, np.abs(values), strict=True):
                groups.setdefault(key, []).append(value)
        means = {key: np.mean(values, axis=0) for key, values in groups.items()}
        if self.output_names is None:
            return {key: float(mean) for key, mean in means.items()}
        return means

    def output(self, output: int | str) -> PartExplanation:
        """The explanation of one of several outputs.

        Parameters
        ----------
        output : int or str
            Its position, or its name.

        Returns
        -------
        PartExplanation
            The values of that output alone.
        """
        names = self.output_names or []
        at = output_position(names, output)
        values = [value[:, at] for value in self.values]
        errors = None if self.errors is None else [error[:, at] for error in self.errors]
        quantity = f"{self.quantity} of {names[at]}"
        return PartExplanation(values, self.labels, self.base_values[:, at], None, quantity, errors)

    def to_dict(self) -> dict[str, Any]:
        """Plain lists and numbers, as JSON holds them.

        Returns
        -------
        dict
            The parameters by their names.
        """
        sampled = {}
        if self.errors is not None:
            sampled["errors"] = [error.tolist() for error in self.errors]
        return {
            **sampled,
            "values": [value.tolist() for value in self.values],
            "labels": self.labels,
            "base_values": self.base_values.tolist(),
            "output_names": self.output_names,
            "quantity": self.quantity,
            "method": self.method,
        }

    def _error_text(self) -> str:
        """How values were sampled, and how exact they are; nothing of exact ones."""
        if self.errors is None:
            return ""
        largest = max((float(error.max(initial=0.0)) for error in self.errors), default=0.0)
        way = "Shapley values by sampling, compared with parts drawn from the background"
        return f": {way}; standard errors up to {largest:.2g}"

    def _single_outputs(self) -> list[tuple[str, PartExplanation]]:
        if not self.output_names:
            return [("", self)]
        return [(f", {name}", self.output(name)) for name in self.output_names]

    def __repr__(self) -> str:
        return f"PartExplanation({len(self)} samples, quantity={self.quantity!r})"

    def __str__(self) -> str:
        text = self.text([f"sample {row}" for row in range(min(_SAMPLES, len(self)))])
        rest = len(self) - _SAMPLES
        return visible(f"{text}\n\nand {rest} more samples" if rest > 0 else text)

    def text(self, names: list[str]) -> str:
        """The parts with the largest contributions, of the first samples.

        Parameters
        ----------
        names : list of str
            How these samples are called.

        Returns
        -------
        str
            A line for each part; places are counted from 1.
        """
        lines = [f"contributions of parts to the {self.quantity}{self._error_text()}"]
        for title, one in self._single_outputs():
            for row, name in enumerate(names):
                lines += ["", *_sample_text(f"{name}{title}", one, row)]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """The letters or words with a background whose color is their contribution."""
        head = html.escape(f"contributions of parts to the {self.quantity}{self._error_text()}")
        parts = [f"<p>{head}</p>"]
        for title, one in self._single_outputs():
            for row in range(min(_SAMPLES, len(one))):
                head = html.escape(f"sample {row}{title}")
                parts.append(f"<p>{head}: {''.join(_colored(one, row))}</p>")
        return "".join(parts)


def _sample_text(title: str, one: PartExplanation, row: int) -> list[str]:
    values, base = one.values[row], float(one.base_values[row])
    whose = "no parts" if one.errors is None else "drawn parts on average"
    lines = [f"{title}: {base + values.sum():.4g}, the sum of {base:.4g} for {whose}, and"]
    for at in largest_first(values, _PARTS):
        place = f"(part {at + 1} of {len(values)})"
        lines.append(f"  {one.labels[row][at]:<12} {place}  {values[at]:+.4g}")
    return lines


def _colored(one: PartExplanation, row: int) -> list[str]:
    longest = float(np.abs(one.values[row]).max(initial=0.0)) or 1.0
    is_string = all(len(label) == 1 for label in one.labels[row])
    spans = []
    for label, value in zip(one.labels[row], one.values[row], strict=True):
        color = "214,39,40" if value > 0 else "31,119,180"
        style = f"background:rgba({color},{abs(value) / longest:.2f})"
        text = html.escape(label if is_string else f"{label} ")
        spans.append(f'<span style="{style}" title="{value:+.4g}">{text}</span>')
    return spans


def explain_parts(function: LearnedFunction, X: RawSamples) -> PartExplanation:
    """The contributions of parts, by the kernels of all sums that the function is made of."""
    rows = function.read(X)
    of_sums = [
        part.kernel.part_values(part.encode(rows), part.samples, part.coefficients)
        for part in function.parts
    ]
    parts = [functools.reduce(PartValues.plus, some) for some in zip(*of_sums, strict=True)]
    base = np.tile(function.intercept, (raw_length(rows), 1))
    values = [part.values for part in parts]
    outputs: list[str] | None = function.outputs
    if base.shape[1] == 1:
        values, base, outputs = [value[:, 0] for value in values], base[:, 0], None
    labels = [part.labels for part in parts]
    return PartExplanation(values, labels, base, outputs, function.quantity)


def has_letters(function: LearnedFunction, rows: RawSamples) -> bool:
    """Whether samples are strings, and not trees or molecules that are written as texts."""
    if not isinstance(rows, (list, tuple)) or not all(isinstance(row, str) for row in rows):
        return False
    return all("strings" in part.kernel.domain.accepts for part in function.parts)


def explain_letters(
    function: LearnedFunction,
    rows: RawSamples,
    background: RawSamples,
    samples: int,
    rng: np.random.Generator,
) -> PartExplanation:
    """Shapley values of letters or words, compared with ones that are drawn from the background.

    Parameters
    ----------
    function : LearnedFunction
        What is explained.
    rows : list of str
        The samples, as the function reads them.
    background : list of str or None
        The strings whose letters, or words, are drawn; None for the training samples.
    samples : int
        The least number of orders of the letters of a short sample; long ones have fewer.
    rng : Generator
        What draws them.

    Returns
    -------
    PartExplanation
        The values with their standard errors.
    """
    between = " " if any(_reads_words(part.kernel) for part in function.parts) else ""
    if background is None:
        background = function.parts[0].samples
    to_draw = [part for text in background for part in _split(text, between)]
    pool = np.array(to_draw or [""])
    labels = [_split(text, between) for text in rows]
    values, errors, bases = [], [], []
    for parts in labels:
        value, error, base_value = _explained(function, parts, between, pool, samples, rng)
        values.append(value)
        errors.append(error)
        bases.append(base_value)
    base, outputs = np.array(bases), function.outputs or None
    if base.shape[1] == 1:
        values = [value[:, 0] for value in values]
        errors = [error[:, 0] for error in errors]
        base, outputs = base[:, 0], None
    return PartExplanation(values, labels, base, outputs, function.quantity, errors)


def _reads_words(kernel: Kernel) -> bool:
    """Whether a kernel, or a part of it, compares words."""
    return isinstance(kernel, (BagOfWords, TfIdf)) or any(map(_reads_words, kernel.children()))


def _split(text: str, between: str) -> list[str]:
    return text.split() if between else list(text)


def _explained(
    function: LearnedFunction,
    parts: list[str],
    between: str,
    pool: np.ndarray,
    samples: int,
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The values of the parts of a sample, their standard errors, and the base."""

    def values_of(table: np.ndarray) -> np.ndarray:
        return function(function.read([between.join(row) for row in table.tolist()]))

    count = len(parts)
    if count > _LONGEST:
        rule = f"has no parts whose share is known, and a sample has {count:,} letters or words"
        remedy = 'fit again with a kernel such as "GappedKmer(7, 5).normalize()"'
        raise NotSeparableError("kernel", function.parts[0].kernel, rule, remedy)
    if count == 0:
        nothing = np.zeros((0, len(function.intercept)))
        return nothing, nothing, values_of(np.empty((1, 0), dtype=pool.dtype))[0]
    pairs = min(-(-samples // 2), max(_FEWEST, _LETTERS // (2 * count * (count + 1))))
    drawn = rng.choice(pool, (max(pairs, 2), count))
    row = np.array([parts])
    values, errors = sampled_values(values_of, row, drawn, np.arange(count), 2 * len(drawn), rng)
    return values[0], errors[0], values_of(row)[0] - values[0].sum(axis=0)
