"""``mercer explain``: the kernel of a model with its proof, its score, and what it depends on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mercer.aliases import Estimator, RawSamples
from mercer.automatic.explanations import fitted_samples, term_shares
from mercer.automatic.learners import title_of
from mercer.automatic.metrics import METRICS
from mercer.cli.loading import load_model
from mercer.cli.output import align, folded, print_json
from mercer.domains.base import pick_rows, raw_length
from mercer.domains.raw import dense_numbers
from mercer.estimators.learning.effects import MainEffect
from mercer.kernels.base import Kernel
from mercer.kernels.functions import without_marks
from mercer.markup import visible
from mercer.report.formatting import metric_text, shorten
from mercer.report.terms import readable, term_lines

_MOST_LINES = 40  # of a proof that is printed whole, and the letters of a line of longer ones
_MOST_LETTERS = 200
_INDENT = 4  # of the parts of a proof


def run(path: Path, as_json: bool) -> int:
    """Run the command; return its exit code."""
    model = load_model(path)
    if isinstance(model, Kernel):
        certificate = str(model.certificate())
        if as_json:
            print_json({"kernel": repr(model), "certificate": certificate})
        else:
            print(folded(visible(certificate)))
        return 0
    summary = getattr(model, "source_", {}).get("summary", {})
    fitted = getattr(model, "model_", model)
    kernels = _kernels(model)
    effects = getattr(model, "source_", {}).get("effects", [])
    shares = term_shares(fitted)
    examples = _largest_weights(fitted, getattr(model, "target_scale_", 1.0))
    if not as_json:
        _print_model(model, kernels, summary, _columns(model))
        _print_contributions(summary.get("contributions"), _score_shuffled(summary))
        _print_effects(effects)
        _print_shares(shares)
        _print_examples(examples)
        _print_proofs(kernels)
        return 0
    values: dict[str, object] = {"model": type(fitted).__name__, "kernel": None}
    values["certificate"] = None
    if kernels:
        values["kernel"] = _one_or_all([without_marks(repr(kernel)) for kernel in kernels])
        values["certificate"] = _one_or_all([_proof(kernel) for kernel in kernels])
    explanation = {"effects": effects, "shares": shares, "examples": examples}
    print_json({**values, "summary": summary, **explanation})
    return 0


def _kernels(model: Estimator) -> list[Kernel]:
    """The fitted kernels of a model: none, one, or one for each class."""
    kernel = getattr(model, "kernel_", None)
    several = kernel if isinstance(kernel, Sequence) else [kernel]
    return [each for each in several if isinstance(each, Kernel)]


def _columns(model: Estimator) -> list[str] | None:
    """The names of the columns that a kernel of vectors reads; None of other kernels."""
    if hasattr(model, "model_") or not hasattr(model, "feature_names_in_"):
        return None
    return list(map(str, model.feature_names_in_))


def _proof(kernel: Kernel) -> str:
    return without_marks(str(kernel.certificate()))


def _one_or_all(values: list[str]) -> str | list[str]:
    return values[0] if len(values) == 1 else values


def _print_model(
    model: Estimator, kernels: list[Kernel], summary: dict[str, Any], columns: list[str] | None
) -> None:
    name = title_of(getattr(model, "model_", model))
    lines = [("model", name)]
    if summary:
        lines = [
            ("model", f"{name}, fitted on {summary['samples']:,} samples"),
            ("target", f"{summary['target']} ({summary['task']})"),
            (summary["score"], _score_text(summary)),
        ]
        left_out = [each["column"] for each in summary.get("left out", [])]
        if left_out:
            lines.append(("left out", ", ".join(left_out)))
    for kernel in kernels:
        first, *others = term_lines(kernel, columns)
        lines += [("kernel", first), *(("", line) for line in others)]
    print(align(lines))


def _print_proofs(kernels: list[Kernel]) -> None:
    """The proofs of the kernels, in outline where they are long."""
    certificates = dict.fromkeys(readable(str(kernel.certificate())) for kernel in kernels)
    for certificate in certificates:
        outline = _outline(visible(certificate))
        print(f"\nIs the kernel positive semi-definite?\n\n{folded(outline)}")


def _outline(proof: str) -> str:
    """A proof without its deepest parts, where it has too many lines to be read."""
    lines = proof.splitlines()
    if len(lines) <= _MOST_LINES:
        return proof
    depths = [(len(line) - len(line.lstrip())) // _INDENT for line in lines]
    for most in range(max(depths), -1, -1):
        kept = [line for line, depth in zip(lines, depths, strict=True) if depth <= most]
        if len(kept) <= _MOST_LINES:
            break
    kept = [f"{line[:_MOST_LETTERS]} …" if len(line) > _MOST_LETTERS else line for line in kept]
    rest = len(lines) - len(kept)
    return "\n".join(
        (*kept, f"… in outline, without {rest:,} lines; --json prints the whole proof")
    )


def _score_text(summary: dict[str, Any]) -> str:
    """The score with its error and its baseline, and how it was estimated."""
    if summary["mean"] is None:
        return "was not estimated"
    # Files of earlier versions know these two only.
    old = "accuracy" if summary["score"] == "accuracy" else "r2"
    name = summary.get("metric", old)
    baseline = metric_text(name, summary["baseline"])
    ways = {0: "of leave-one-out predictions", 1: "on a test file"}
    if "held out" in summary:
        ways[1] = f"on {summary['held out']:,} rows held out"
    way = ways.get(summary["folds"], "in cross-validation")
    return f"{metric_text(name, summary['mean'], summary['error'])} {way} (baseline {baseline})"


def _score_shuffled(summary: dict[str, Any]) -> str:
    """The score by which columns are compared, by its name where it is another one."""
    name = summary.get("importance metric")
    return "score" if name in (None, summary.get("metric")) else METRICS[name].title


def _print_contributions(contributions: list[Any] | None, score: str) -> None:
    if not contributions:
        return
    print(f"\nPermutation importance: fall of the {score} when a column is shuffled\n")
    largest = max(contributions[0][1], 1e-12)
    for name, drop, error in contributions:
        bar = "█" * max(0, round(40 * drop / largest))
        print(f"  {visible(name[:28]):28s} {drop:8.4f} ± {error:.4f}  {bar}")


def _print_effects(effects: list[list[Any]]) -> None:
    """The main effects, as curves of small bars or a number for each category."""
    if not effects:
        return
    classes = {about for *_, about in effects}
    of = f"the probability of {effects[0][3]}" if effects[0][3] else "the prediction"
    if len(classes) > 1:
        of = "the probability of the class that changes most"
    print(f"\nMain effects on {visible(of)}, as one column changes and the others stay\n")
    for name, values, numbers, about in effects:
        text = str(MainEffect(name, values, np.array(numbers), about))
        if len(classes) > 1:
            text += f"   (of {about})"
        print(f"  {visible(name[:28]):28s} {visible(shorten(text, 100))}")


def _print_shares(shares: list[tuple[str, float]]) -> None:
    if not shares:
        return
    print("\nShare of each kernel term in the squared norm ‖f‖² of the learned function\n")
    for name, share in shares:
        print(f"  {100 * share:5.1f} %  {visible(readable(name))}")


def _print_examples(examples: list[dict[str, object]]) -> None:
    if not examples:
        return
    print("\nTraining samples with the largest weights\n")
    for example in examples:
        print(f"  {example['weight']:10.4g}  {visible(str(example['sample']))}")


def _largest_weights(model: Estimator, scale: float, count: int = 8) -> list[dict[str, object]]:
    """The training samples with the largest weights, in units of the target, as text."""
    samples = fitted_samples(model, "support_vectors_", "relevance_vectors_", "X_fit_")
    if samples is None or not hasattr(model, "dual_coef_"):
        return []
    weights = np.atleast_2d(dense_numbers(model.dual_coef_))
    n_samples = raw_length(samples)
    if n_samples not in weights.shape:
        return []
    if weights.shape[-1] != n_samples:
        weights = weights.T
    total = weights[0]
    if len(weights) > 1:
        # The signs of several rows, as of several classes, have no common meaning.
        total = np.abs(weights).sum(axis=0)
    order = np.argsort(-np.abs(total), kind="stable")[:count]
    examples: list[dict[str, object]] = []
    for row in order.tolist():
        text = _sample_text(pick_rows(samples, [row]), _columns(model))
        examples.append({"weight": scale * float(total[row]), "sample": text})
    return examples


def _sample_text(one: RawSamples, columns: list[str] | None) -> str:
    """A collection of one sample as one line."""
    if columns is not None and isinstance(one, np.ndarray):
        cells = zip(columns, one[0].tolist(), strict=True)
        text = ", ".join(f"{name}={value:.4g}" for name, value in cells)
    elif hasattr(one, "columns"):
        cells = zip(one.columns, one.to_numpy(dtype=object)[0], strict=True)
        text = ", ".join(f"{name}={value}" for name, value in cells)
    elif hasattr(one, "toarray"):
        text = f"{one.nnz} nonzero values"
    else:
        text = " ".join(str(one[0]).split())
    return shorten(text, 110)
