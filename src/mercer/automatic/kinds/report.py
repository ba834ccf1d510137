"""Reports of models of mixed kernels."""

from __future__ import annotations

from mercer.automatic.kinds.models import LearnedMixture, MixtureClassifier
from mercer.automatic.tabular.members import meanings
from mercer.estimators.common.report import FitReport


def mixture_report(
    model: LearnedMixture, n_samples: int, seconds: float, notes: list[str]
) -> FitReport:
    """Terms with their weights, the error of left-out samples, and the time of each stage."""
    lines = []
    for term in sorted(model.members_, key=lambda term: -term.weight):
        lines.append(f"{term.weight:.0%} {term.title}, {term.how}")
    lines += meanings(" ".join(lines))
    lines.append(f"{model.loss_name} of left-out samples: {model.loo_loss_:.4g}")
    if model.n_chosen_ < n_samples:
        lines.append(f"kernels and penalty were chosen on {model.n_chosen_:,} samples")
    solver = f"kernel ridge regression, penalty {model.penalty_:.2g}"
    if isinstance(model, MixtureClassifier):
        solver = f"kernel logistic regression, penalty {model.penalty_:.2g}"
    lines += [f"{stage}: {spent:.2g} s" for stage, spent in model.seconds_.items()]
    plan = f"one model of {n_samples:,} samples with a sum of {len(model.members_)} kernels"
    return FitReport(model.kernel_, plan, solver, n_samples, seconds, None, {}, (*lines, *notes))
