"""Base class of estimators of several kernels."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from numbers import Real
from typing import ClassVar

import numpy as np
from sklearn.model_selection import check_cv
from sklearn.utils._param_validation import Interval

from mercer.aliases import KernelLike, ParameterRules, Splitter
from mercer.errors import ParameterError
from mercer.estimators.common.base import KernelEstimator
from mercer.estimators.common.training import Training
from mercer.estimators.mkl.learning import Result
from mercer.estimators.mkl.report import TermsReport, losses_without
from mercer.estimators.mkl.terms import Terms
from mercer.kernels.base import Kernel
from mercer.kernels.combine.sums import Sum
from mercer.kernels.expression import parse
from mercer.solvers.mkl.grams import Grams
from mercer.solvers.mkl.loo import Folds

MKL_RULES: ParameterRules = {
    "alpha": [Interval(Real, 0, None, closed="neither"), None],
    "groups": ["array-like", None],
    "sparse": ["boolean"],
    "cv": ["cv_object", None],
}


class MultipleKernelEstimator(KernelEstimator):
    """Base class of estimators with a list of kernels."""

    needs: ClassVar[str] = "psd"
    memory_remedy: ClassVar[str] = "fit on fewer samples"
    kernels: Sequence[KernelLike]
    groups: Sequence[Hashable] | None
    cv: Splitter

    def _given_kernel(self) -> KernelLike:
        """The sum of the kernels, of which samples are read by each."""
        given = vars(self)["kernels"]
        if isinstance(given, (str, Kernel)) or not isinstance(given, Sequence) or not given:
            remedy = "give [k1, k2, ...]"
            raise ParameterError("kernels", given, "must be a list of kernels", remedy)
        return Sum(*(_kernel(kernel, at) for at, kernel in enumerate(given)))

    def _folds(self, data: Training) -> Folds:
        """The samples of each fold, all of them once; None to leave out one at a time."""
        if self.cv is None:
            return None
        splitter = check_cv(self.cv)
        folds = [test for _, test in splitter.split(np.zeros((data.count, 1)), data.y)]
        if sorted(np.concatenate(folds).tolist()) != list(range(data.count)):
            rule = "must leave out every sample once"
            raise ParameterError("cv", self.cv, rule, "give a number of folds, or KFold")
        return folds

    def _terms_report(
        self, terms: Terms, grams: Grams, result: Result, Y: np.ndarray, solver: str, seconds: float
    ) -> TermsReport:
        """The report of a fit, with the table of all kernels."""
        loss, without = losses_without(grams, result.relative, Y)
        shares = terms.shares(result.weights.shares)
        weights = shares / terms.scale
        texts = map(repr, terms.kernels)
        rows = zip(texts, weights.tolist(), shares.tolist(), terms.each(without), strict=True)
        learned = result.weights
        facts = {"objective": learned.value, "iterations": learned.iterations}
        return TermsReport(
            terms.kernel(shares),
            str(terms.plan),
            solver,
            grams.n,
            seconds,
            learned.converged,
            facts,
            result.notes,
            terms=tuple((text, w, s, float(lost)) for text, w, s, lost in rows),
            loss=loss,
        )


def _kernel(kernel: KernelLike, at: int) -> Kernel:
    """A kernel, or the one that an expression describes."""
    if isinstance(kernel, str):
        return parse(kernel)
    if isinstance(kernel, Kernel):
        return kernel
    remedy = "give a mercer kernel, or an expression such as 'RBF()'"
    raise ParameterError(f"kernels[{at}]", kernel, "is not a kernel", remedy)
