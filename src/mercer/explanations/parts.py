"""What positions of strings, words of texts and nodes of graphs add to what a model says."""

from __future__ import annotations

import functools
import html
from typing import Any

import numpy as np

from mercer.aliases import RawSamples
from mercer.domains.raw import raw_length
from mercer.errors import ParameterError
from mercer.explanations.formatting import largest_first
from mercer.explanations.functions import LearnedFunction
from mercer.kernels.separable.parts import PartValues

_SAMPLES = 5  # that are shown
_PARTS = 12  # of each, with the largest values


class PartExplanation:
    """What the parts of samples add to f(x): positions of a string, words, nodes of a graph.

    ``explain`` makes it for models whose kernel has an explicit feature map φ: f(x) = ⟨w, φ(x)⟩ +
    b, and every feature belongs to the places where it occurs. A substring's share is divided
    equally among its letters, and a node has the shares of its colors. These values are sums over
    features, not Shapley values: of a normalized kernel the length of φ(x) is taken as it is.

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
        What f is.

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
    ) -> None:
        self.values = values
        self.labels = labels
        self.base_values = base_values
        self.output_names = output_names
        self.quantity = quantity

    def __len__(self) -> int:
        return len(self.values)

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
        at = names.index(output) if output in names else output
        if not isinstance(at, (int, np.integer)) or not -len(names) <= at < len(names):
            raise ParameterError("output", output, f"must be one of {names}, or a position")
        values = [value[:, at] for value in self.values]
        quantity = f"{self.quantity} of {names[at]}"
        return PartExplanation(values, self.labels, self.base_values[:, at], None, quantity)

    def to_dict(self) -> dict[str, Any]:
        """Plain lists and numbers, as JSON holds them.

        Returns
        -------
        dict
            The parameters by their names.
        """
        return {
            "values": [value.tolist() for value in self.values],
            "labels": self.labels,
            "base_values": self.base_values.tolist(),
            "output_names": self.output_names,
            "quantity": self.quantity,
        }

    def _single_outputs(self) -> list[tuple[str, PartExplanation]]:
        if not self.output_names:
            return [("", self)]
        return [(f", {name}", self.output(name)) for name in self.output_names]

    def __repr__(self) -> str:
        return f"PartExplanation({len(self)} samples, quantity={self.quantity!r})"

    def __str__(self) -> str:
        lines = [f"contributions of parts to the {self.quantity}"]
        for title, one in self._single_outputs():
            for row in range(min(_SAMPLES, len(one))):
                lines += ["", *_sample_text(f"sample {row}{title}", one, row)]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """The letters or words with a background whose color is their contribution."""
        parts = [f"<p>contributions of parts to the {html.escape(self.quantity)}</p>"]
        for title, one in self._single_outputs():
            for row in range(min(_SAMPLES, len(one))):
                head = html.escape(f"sample {row}{title}")
                parts.append(f"<p>{head}: {''.join(_colored(one, row))}</p>")
        return "".join(parts)


def _sample_text(title: str, one: PartExplanation, row: int) -> list[str]:
    values, base = one.values[row], float(one.base_values[row])
    lines = [f"{title}: {base + values.sum():.4g} = {base:.4g}, and"]
    for at in largest_first(values, _PARTS):
        lines.append(f"  {one.labels[row][at]:<12} (part {at})  {values[at]:+.4g}")
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
    found = [functools.reduce(PartValues.plus, some) for some in zip(*of_sums, strict=True)]
    base = np.tile(function.intercept, (raw_length(rows), 1))
    values = [part.values for part in found]
    outputs: list[str] | None = function.outputs
    if base.shape[1] == 1:
        values, base, outputs = [value[:, 0] for value in values], base[:, 0], None
    labels = [part.labels for part in found]
    return PartExplanation(values, labels, base, outputs, function.quantity)
