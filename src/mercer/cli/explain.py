"""``mercer explain``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from mercer.automatic.explanations import term_shares
from mercer.cli.loading import load_model
from mercer.cli.output import lines, print_json
from mercer.domains.base import pick_rows
from mercer.kernels.base import Kernel


def run(path: Path, as_json: bool) -> int:
    model = load_model(path)
    if isinstance(model, Kernel):
        print_json(
            {"kernel": repr(model), "certificate": str(model.certificate())}
        ) if as_json else print(model.certificate())
        return 0
    inner = getattr(model, "model_", model)
    kernel = getattr(inner, "kernel_", None)
    summary = getattr(model, "source_", {}).get("summary", {})
    shares = term_shares(inner)
    examples = _examples(inner)
    if as_json:
        proof = None if kernel is None else str(kernel.certificate())
        told = {
            "model": type(inner).__name__,
            "kernel": None if kernel is None else repr(kernel),
            "certificate": proof,
        }
        print_json({**told, "summary": summary, "shares": shares, "examples": examples})
        return 0
    pairs = [
        (
            "model",
            f"{type(inner).__name__}"
            + (f", fitted on {summary['samples']:,} samples" if summary else ""),
        )
    ]
    if summary:
        score = (
            f"{100 * summary['mean']:.1f} % ± {100 * summary['error']:.1f}"
            if summary["score"] == "accuracy"
            else f"{summary['mean']:.3f} ± {summary['error']:.3f}"
        )
        pairs += [
            ("target", f"{summary['target']} ({summary['task']})"),
            (summary["score"], f"{score} on unseen samples"),
        ]
    if kernel is not None:
        pairs.append(("kernel", repr(kernel)))
    print(lines(pairs))
    if kernel is not None:
        print(f"\nWhy it is a kernel\n\n{kernel.certificate()}")
    if summary.get("contributions"):
        print("\nWhat the score loses when a column is shuffled\n")
        for name, drop, error in summary["contributions"]:
            bar = "█" * max(0, round(40 * drop / max(summary["contributions"][0][1], 1e-12)))
            print(f"  {name[:28]:28s} {drop:8.4f} ± {error:.4f}  {bar}")
    if shares:
        print("\nShares of ‖f‖² by term of the kernel\n")
        print("\n".join(f"  {100 * share:5.1f} %  {name}" for name, share in shares))
    if examples:
        print("\nSamples that weigh most\n")
        for one in examples:
            print(f"  {one['weight']:10.4g}  {one['sample']}")
    return 0


def _examples(model: Any, count: int = 8) -> list[dict[str, Any]]:
    """The samples of largest weight, as text."""
    samples = next(
        (
            getattr(model, name)
            for name in ("support_vectors_", "relevance_vectors_", "X_fit_")
            if hasattr(model, name)
        ),
        None,
    )
    dual = getattr(model, "dual_coef_", None)
    if samples is None or dual is None:
        return []
    weight = np.atleast_2d(np.asarray(dual, dtype=float))
    size = len(samples) if not hasattr(samples, "shape") else samples.shape[0]
    if weight.shape[-1] != size:
        weight = weight.T
    if weight.shape[-1] != size:
        return []
    total = weight.sum(axis=0) if len(weight) == 1 else np.abs(weight).sum(axis=0)
    order = np.argsort(-np.abs(total), kind="stable")[:count]
    return [
        {"weight": float(total[at]), "sample": _line(pick_rows(samples, [int(at)]))} for at in order
    ]


def _line(one: Any) -> str:
    """A sample in one line."""
    if hasattr(one, "columns"):
        text = ", ".join(
            f"{name}={value}"
            for name, value in zip(one.columns, one.to_numpy(dtype=object)[0], strict=True)
        )
    elif hasattr(one, "toarray"):
        text = f"{one.nnz} values set"
    else:
        text = " ".join(str(one[0]).split())
    return text if len(text) <= 110 else text[:109] + "…"
