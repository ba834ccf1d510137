"""``mercer explain``: the kernel of a model with its proof, its score, and what it depends on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from mercer.aliases import Estimator, RawSamples
from mercer.automatic.explanations import fitted_samples, term_shares
from mercer.cli.loading import load_model
from mercer.cli.output import align, print_json
from mercer.domains.base import pick_rows, raw_length
from mercer.domains.raw import dense_numbers
from mercer.kernels.base import Kernel
from mercer.report.formatting import score_text, shorten


def run(path: Path, as_json: bool) -> int:
    """Run the command; return its exit code."""
    model = load_model(path)
    if isinstance(model, Kernel):
        certificate = str(model.certificate())
        if as_json:
            print_json({"kernel": repr(model), "certificate": certificate})
        else:
            print(certificate)
        return 0
    summary = getattr(model, "source_", {}).get("summary", {})
    fitted = getattr(model, "model_", model)
    kernel = getattr(fitted, "kernel_", None)
    shares = term_shares(fitted)
    examples = _largest_weights(fitted)
    if not as_json:
        _print_model(fitted, kernel, summary)
        _print_contributions(summary.get("contributions"))
        _print_shares(shares)
        _print_examples(examples)
        return 0
    values: dict[str, object] = {
        "model": type(fitted).__name__,
        "kernel": None,
        "certificate": None,
    }
    if kernel is not None:
        values |= {"kernel": repr(kernel), "certificate": str(kernel.certificate())}
    print_json({**values, "summary": summary, "shares": shares, "examples": examples})
    return 0


def _print_model(model: Estimator, kernel: Kernel | None, summary: dict[str, Any]) -> None:
    name = type(model).__name__
    lines = [("model", name)]
    if summary:
        is_accuracy = summary["score"] == "accuracy"
        score = score_text(summary["mean"], summary["error"], is_accuracy)
        lines = [
            ("model", f"{name}, fitted on {summary['samples']:,} samples"),
            ("target", f"{summary['target']} ({summary['task']})"),
            (summary["score"], f"{score} in cross-validation"),
        ]
    if kernel is None:
        print(align(lines))
        return
    print(align([*lines, ("kernel", repr(kernel))]))
    print(f"\nIs the kernel positive semi-definite?\n\n{kernel.certificate()}")


def _print_contributions(contributions: list[Any] | None) -> None:
    if not contributions:
        return
    print("\nPermutation importance: fall of the score when a column is shuffled\n")
    largest = max(contributions[0][1], 1e-12)
    for name, drop, error in contributions:
        bar = "█" * max(0, round(40 * drop / largest))
        print(f"  {name[:28]:28s} {drop:8.4f} ± {error:.4f}  {bar}")


def _print_shares(shares: list[tuple[str, float]]) -> None:
    if not shares:
        return
    print("\nShare of each kernel term in the squared norm ‖f‖² of the learned function\n")
    for name, share in shares:
        print(f"  {100 * share:5.1f} %  {name}")


def _print_examples(examples: list[dict[str, object]]) -> None:
    if not examples:
        return
    print("\nTraining samples with the largest weights\n")
    for example in examples:
        print(f"  {example['weight']:10.4g}  {example['sample']}")


def _largest_weights(model: Estimator, count: int = 8) -> list[dict[str, object]]:
    """The training samples with the largest weights, as text."""
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
        text = _sample_text(pick_rows(samples, [row]))
        examples.append({"weight": float(total[row]), "sample": text})
    return examples


def _sample_text(one: RawSamples) -> str:
    """A collection of one sample as one line."""
    if hasattr(one, "columns"):
        cells = zip(one.columns, one.to_numpy(dtype=object)[0], strict=True)
        text = ", ".join(f"{name}={value}" for name, value in cells)
    elif hasattr(one, "toarray"):
        text = f"{one.nnz} nonzero values"
    else:
        text = " ".join(str(one[0]).split())
    return shorten(text, 110)
