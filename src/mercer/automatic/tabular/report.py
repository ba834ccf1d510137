"""Reports of models of learned kernels."""

from __future__ import annotations

from mercer.automatic.tabular.classifier import LearnedClassifier
from mercer.automatic.tabular.members import describe_member, meanings
from mercer.automatic.tabular.models import LearnedTable
from mercer.estimators.common.report import FitReport
from mercer.estimators.local_models import LocalModels


def learned_report(
    model: LearnedTable, n_samples: int, seconds: float, notes: list[str]
) -> FitReport:
    """Members with their weights, the error of left-out samples, and the time of each stage."""
    lines = [
        f"{member.weight:.0%} {describe_member(member)}, penalty {member.penalty:.2g}"
        for member in model.members_
    ]
    lines += meanings(" ".join(lines))
    lines += _target_lines(model)
    lines.append(f"{model.loss_name} of left-out samples: {model.loo_loss_:.4g}")
    if model.n_chosen_ < n_samples:
        lines.append(f"members and penalties were chosen on {model.n_chosen_:,} samples")
    solver = "averaged kernel ridge regressions"
    if isinstance(model, LearnedClassifier):
        solver = f"kernel logistic regression of the summed kernel, penalty {model.penalty_:.2g}"
        if model.plain_share_:
            share = f"{model.plain_share_:.0%} of the probabilities"
            lines.append(f"{share} come from kernels with one length scale, not learned")
    plan = f"one model of {n_samples:,} rows"
    if isinstance(model.model_, LocalModels):
        plan = f"{len(model.model_.estimators_)} models of parts of the table"
    lines += [f"{stage}: {spent:.2g} s" for stage, spent in model.seconds_.items()]
    return FitReport(model.kernel_, plan, solver, n_samples, seconds, None, {}, (*lines, *notes))


def _target_lines(model: LearnedTable) -> list[str]:
    """How the target is learned, if there was a choice."""
    losses = getattr(model, "target_losses_", {})
    if not losses:
        return []
    errors = ", ".join(f"{kind} {loss:.3g}" for kind, loss in losses.items())
    return [f"target: {model._target().kind}; errors of kernels that are not learned: {errors}"]
