"""Greedy search: the best expression is extended by one operator at a time, while that pays.

References
----------
Duvenaud, Lloyd, Grosse, Tenenbaum and Ghahramani, Structure Discovery in Nonparametric Regression
through Compositional Kernel Search, ICML 2013.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

import numpy as np

from mercer.errors import MercerError
from mercer.estimators.common.fitting import Callback
from mercer.estimators.search.expression import Expression
from mercer.estimators.search.extensions import Extensions
from mercer.estimators.search.likelihood import Likelihood, Samples
from mercer.estimators.search.scores import Score, Scorer
from mercer.solvers.gp.descent import bfgs

_STARTS = 2  # of a candidate that are followed
_FIRST, _SCREEN, _REFINE, _FINISH = 5, 12, 12, 25  # steps of starts, candidates, the best, the last
_LAST = 100  # steps of the expression found
_MORE, _REFINED = 6, 3  # candidates that are followed further, and to the end


@dataclasses.dataclass(frozen=True)
class Learned:
    """An expression with learned parameters, its evidence and score, and its residuals."""

    expression: Expression
    evidence: float
    score: Score
    residuals: np.ndarray
    n_parameters: int


@dataclasses.dataclass
class Greedy:
    """The state of a search: what was tried, and the best of it.

    Candidates are screened on some of the samples, ``few``; the best of them are learned and
    compared on all.
    """

    samples: Samples
    few: Samples
    scorer: Scorer
    extensions: Extensions
    callback: Callback | None = None
    history: list[dict[str, Any]] = dataclasses.field(default_factory=list)
    _tried: dict[str, Learned] = dataclasses.field(default_factory=dict)
    _stopped: bool = False

    @property
    def evaluations(self) -> int:
        """How often an evidence was computed."""
        return self.samples.evaluations + self.few.evaluations

    def run(self) -> Learned:
        """Extend the best expression while the gain exceeds its standard error, then simplify."""
        best = self._best(None)
        if best is None:
            rule = "give no finite likelihood; scale X and y, or choose other base kernels"
            raise ValueError(f"bases = {self.extensions.bases} {rule}")
        while not self._stopped:
            extension = self._best(best)
            if extension is None:
                break
            best = extension
        return self._simplified(best)

    # -- rounds ------------------------------------------------------------------------------------

    def _best(self, current: Learned | None) -> Learned | None:
        """The best extension by one operator; None if none gains more than its standard error."""
        candidates = self.extensions.first(self.samples.y)
        if current is not None:
            candidates = self.extensions.of(current.expression, self.samples.y, current.residuals)
        tried = [self._begin(starts) for starts in candidates.values()]
        known = _in_order([each for each in tried if each is not None])
        promising = [self._descend(self.few, each.expression, _SCREEN) for each in known[:_MORE]]
        known = _in_order([*(each for each in promising if each is not None), *known[_MORE:]])
        known = _in_order([*known, *self._variants(known)])
        refined = self._refined(each.expression for each in known[:_REFINED])
        if not refined:
            return None
        best = max(refined, key=lambda each: each.score.total)
        best = self._descend(self.samples, best.expression, _FINISH) or best
        kept = current is None or _is_gain(best, current)
        self._note(refined, current, best, kept)
        self._note_screened(known[_REFINED:])
        return best if kept else None

    def _variants(self, known: list[Learned]) -> list[Learned]:
        """The best candidates with something simpler in the place of a factor.

        A smooth kernel that has made room for a period may be left with a straight line.
        """
        forms = {each.expression.form for each in known}
        variants: list[Learned] = []
        for each in known[:_REFINED]:
            for variant in each.expression.replaced(self.extensions.replacements):
                if variant.form not in forms:
                    forms.add(variant.form)
                    learned = self._descend(self.few, variant, _SCREEN)
                    variants += [learned] if learned is not None else []
        return variants

    def _refined(self, expressions: Iterable[Expression]) -> list[Learned]:
        """Expressions after some steps on all samples."""
        learned = [self._descend(self.samples, each, _REFINE) for each in expressions]
        return [each for each in learned if each is not None]

    def _simplified(self, best: Learned) -> Learned:
        """Leave out what can be left out at a loss below its standard error."""
        while not self._stopped:
            replaced = best.expression.replaced(self.extensions.replacements)
            options = self._refined([*best.expression.without_one(), *replaced])
            within = [each for each in options if not _is_gain(best, each)]
            if not within:
                break
            simpler = max(within, key=lambda each: each.score.total)
            simpler = self._descend(self.samples, simpler.expression, _FINISH) or simpler
            self._note(options, best, simpler, True)
            best = simpler
        return self._descend(self.samples, best.expression, _LAST) or best

    # -- learning ----------------------------------------------------------------------------------

    def _begin(self, starts: list[list[Expression]]) -> Learned | None:
        """A candidate after a few steps from the best of its starts."""
        if self._stopped:
            return None
        most = _STARTS // len(starts)
        reached = []
        # parameters that are far from those learned before have a longer way to go
        for some, steps in zip(starts, (_FIRST, _SCREEN), strict=False):
            first = self._promising(some)[:most]
            reached += [self._descend(self.few, start, steps) for start in first]
        known = [each for each in reached if each is not None]
        return max(known, key=lambda each: each.evidence, default=None)

    def _promising(self, starts: list[Expression]) -> list[Expression]:
        """The starts of the largest evidence first."""
        values = [Likelihood(self.few, start).value() for start in starts]
        return [starts[at] for at in np.argsort(-np.array(values), kind="stable")]

    def _descend(self, samples: Samples, start: Expression, steps: int) -> Learned | None:
        """The expression after so many steps of a descent; None where it has no evidence."""
        problem = Likelihood(samples, start)
        try:
            descent = bfgs(problem, problem.theta, problem.bounds, max_iter=steps)
        except MercerError:  # a kernel that is not defined for these samples at all parameters
            return None
        result = problem.evidence(descent.x) if np.isfinite(descent.value) else None
        if result is None:
            return None
        expression = problem.expression(descent.x)
        factors = [factor for term in expression.terms for factor in term.factors]
        price = sum(map(samples.ranges.price, factors))
        noise = samples.noise(expression.noise)
        count = len(descent.x)
        score = self.scorer(result, samples.Y, count, price, samples.blocks, noise)
        if self.callback is not None:
            self._stopped |= bool(self.callback(self.evaluations, score.total))
        return Learned(expression, result.value, score, noise.variance * result.alpha[:, 0], count)

    # -- history -----------------------------------------------------------------------------------

    def _note(
        self, refined: list[Learned], before: Learned | None, best: Learned, kept: bool
    ) -> None:
        """Write down what was learned on all samples, each expression once, the best first."""
        latest = {each.expression.form: each for each in [*refined, best]}
        for each in sorted(latest.values(), key=lambda one: -one.score.total):
            gain = error = None
            if before is not None:
                gain, error = each.score.gain_over(before.score)
            self._write(each, each.score.total, gain, error, kept and each is best)

    def _note_screened(self, screened: list[Learned]) -> None:
        """Write down what was only screened: scores of some samples are not comparable."""
        for each in screened:
            self._write(each, None, None, None, False)

    def _write(
        self,
        learned: Learned,
        score: float | None,
        gain: float | None,
        error: float | None,
        kept: bool,
    ) -> None:
        entry = {
            "depth": learned.expression.depth,
            "kernel": repr(learned.expression.kernel()),
            "parameters": learned.n_parameters,
            "score": score,
            "gain": gain,
            "error": error,
            "kept": kept,
        }
        self.history.append(entry)


def _in_order(learned: list[Learned]) -> list[Learned]:
    """The best first."""
    return sorted(learned, key=lambda each: -each.score.total)


def _is_gain(new: Learned, old: Learned) -> bool:
    """Whether a score exceeds another by more than the standard error of the difference."""
    gain, error = new.score.gain_over(old.score)
    return gain > error
