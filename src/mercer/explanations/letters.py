"""What letters of strings, or words of texts, add: Shapley values by sampling, for any kernel."""

from __future__ import annotations

import numpy as np

from mercer.aliases import RawSamples
from mercer.errors import NotSeparableError
from mercer.explanations.functions import LearnedFunction
from mercer.explanations.parts import PartExplanation
from mercer.explanations.sampling import sampled_values
from mercer.kernels.base import Kernel
from mercer.kernels.texts import BagOfWords, TfIdf

_LONGEST = 1000  # letters or words of a sample
_LETTERS = 500_000  # of all strings that are made for a sample, about
_FEWEST = 10  # orders, each with its reverse


def is_list_of_strings(rows: RawSamples) -> bool:
    """Whether samples are strings."""
    return isinstance(rows, (list, tuple)) and all(isinstance(row, str) for row in rows)


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
    pool = np.array([part for text in background for part in _split(text, between)] or [""])
    found = [_explained(function, _split(x, between), between, pool, samples, rng) for x in rows]
    values, errors, bases = ([one[at] for one in found] for at in range(3))
    base, outputs = np.array(bases), function.outputs or None
    if base.shape[1] == 1:
        values, errors = ([each[:, 0] for each in some] for some in (values, errors))
        base, outputs = base[:, 0], None
    labels = [_split(x, between) for x in rows]
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
