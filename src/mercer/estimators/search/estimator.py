"""Search for a kernel, as an estimator."""

from __future__ import annotations

import time
from collections.abc import Collection
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from mercer.aliases import ParameterRules, RandomState, RawSamples, Targets, Weights
from mercer.domains.base import pick_rows
from mercer.errors import ABSENT, ParameterError
from mercer.estimators.common.base import KernelEstimator
from mercer.estimators.common.fitting import fits, iteration_callback, memory_remedy
from mercer.estimators.common.training import check_data
from mercer.estimators.common.validation import (
    are_equal,
    check_fitted,
    check_squares,
    check_weights,
)
from mercer.estimators.gp.inference import Prediction
from mercer.estimators.gp.regressor import GaussianProcessRegressor
from mercer.estimators.gp.targets import Units
from mercer.estimators.learning.terms import additive_terms, term_posteriors
from mercer.estimators.mkl.report import TermsReport
from mercer.estimators.search.bases import Bases, bases_on, given_bases
from mercer.estimators.search.extensions import Extensions
from mercer.estimators.search.greedy import Greedy
from mercer.estimators.search.likelihood import Samples
from mercer.estimators.search.ranges import Ranges
from mercer.estimators.search.scores import ScoreName, Scorer
from mercer.estimators.search.sentences import noise_sentence, term_sentence
from mercer.estimators.search.worth import variance_shares, worth_of_terms
from mercer.execution.blas import serial_blas
from mercer.kernels.base import Kernel
from mercer.kernels.combine.sums import Sum
from mercer.state import State

_FEW = 150  # samples on which candidates are screened
_BLOCKS = 10  # along one column


class KernelSearch(RegressorMixin, KernelEstimator):
    """Search for the kernel of a Gaussian process among sums and products of base kernels.

    The search begins with the best base kernel. In every round it tries to add each base kernel, to
    multiply each term by it, and to put it in the place of another one; the parameters of every
    candidate are learned by the evidence, from the values known before. It stops when the best
    candidate gains less than the standard error of the gain. Then it leaves out, or replaces by
    something simpler, whatever is not missed by more than a standard error. The kernel found is
    readable: `describe` says in a sentence what every additive term contributes.

    Parameters
    ----------
    bases : sequence of Kernel or str, default=None
        The base kernels, of any one kind of samples. None is for vectors:
        ``RBF()``, ``RationalQuadratic()``, ``Periodic()`` and ``Linear().center()``.
    operators : sequence of {"+", "*"}, default=("+", "*")
        How base kernels are combined.
    depth : int, default=3
        The largest number of operators: with 3, at most four base kernels are combined.
    scoring : {"bic", "evidence", "loo"}, default="bic"
        What candidates are compared by: the log marginal likelihood less ½ log n for each
        parameter, which finds the terms that made the data most often; the log marginal likelihood
        itself; or the log density of samples that are left out, which looks at predictions alone.
    columns : {"each", "all"}, default="each"
        Whether base kernels look at one column of vectors each, or at all columns at once.
    blocks : int, default=None
        The number of blocks of consecutive samples of which each is left out as a whole, for
        ``scoring="loo"``. As many blocks as samples leave out single samples. None is ten blocks
        along the column for vectors of one column, a series, whose neighbors predict each other's
        values whatever the kernel; and single samples otherwise.
    rows : int, default=1000
        The largest number of samples that the search looks at; more of them are drawn from. The
        Gaussian process of the kernel found is fitted to all samples.
    random_state : int, RandomState or None, default=None
        The seed that samples are drawn with, where there are more than 150.

    Attributes
    ----------
    kernel_ : Kernel
        The kernel found, in the units of y, without the noise. ``kernel_.certificate()`` proves it.
    noise_ : float
        The variance of the noise.
    history_ : list of dict
        Every candidate by the round it was tried in: depth, kernel, number of parameters, score,
        gain over the best before, standard error of the gain, and whether it was kept. Candidates
        that were only screened have no score.
    best_score_ : float
        The score of the kernel found, of all samples that the search has looked at: a log density,
        less the number of parameters for "loo", less ½ log n for each for "bic", and less the
        logarithm of the number of frequencies for each period.
    process_ : GaussianProcessRegressor
        The Gaussian process with this kernel, of y less its mean.
    n_features_in_ : int
        The number of columns of X, where X has columns.
    feature_names_in_ : ndarray of str
        The names of the columns, where X has names for them.
    shares_ : ndarray of shape (n_terms,)
        The share of every additive term of the kernel in the variance of y.
    report_ : TermsReport
        How the search went, with a table of the terms: the weight of each, its share in the
        variance of y, and the mean squared leave-one-out error without it, which says what the
        term is worth for prediction.

    See Also
    --------
    GaussianProcessRegressor, term_shares, DecompositionDisplay

    References
    ----------
    Duvenaud, Lloyd, Grosse, Tenenbaum and Ghahramani, Structure Discovery in Nonparametric
    Regression through Compositional Kernel Search, ICML 2013.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import RBF, KernelSearch, Linear, Periodic
    >>> X = np.linspace(0, 10, 80)[:, None]
    >>> noise = np.random.default_rng(0).normal(scale=0.1, size=80)
    >>> y = 0.5 * X[:, 0] + np.sin(2 * np.pi * X[:, 0]) + noise
    >>> bases = [RBF(), Periodic(), Linear().center()]
    >>> model = KernelSearch(bases, depth=1).fit(X, y)
    >>> print(model.describe())  # doctest: +ELLIPSIS
    A linear trend explains ... % of the variance.
    A periodic function with period ...
    Noise with a standard deviation of 0... is the remaining 0.4 %.
    """

    needs: ClassVar[str] = "psd"
    memory_remedy: ClassVar[str] = "look at fewer samples with rows=..."

    _parameter_constraints: ClassVar[ParameterRules] = {
        "bases": ["array-like", str, Kernel, None],
        "operators": ["array-like", str],
        "depth": [Interval(Integral, 0, None, closed="left")],
        "scoring": [StrOptions({"loo", "evidence", "bic"})],
        "columns": [StrOptions({"each", "all"})],
        "blocks": [Interval(Integral, 2, None, closed="left"), None],
        "rows": [Interval(Integral, 3, None, closed="left")],
        "random_state": ["random_state"],
    }

    stored: ClassVar[State] = State(
        finite=("noise_", "best_score_", "shares_", "_mean"),
        plain=("kernel_", "history_", "process_", "report_"),
    )

    def __init__(
        self,
        bases: Bases = None,
        *,
        operators: Collection[str] = ("+", "*"),
        depth: int = 3,
        scoring: ScoreName = "bic",
        columns: str = "each",
        blocks: int | None = None,
        rows: int = 1000,
        random_state: RandomState = None,
    ) -> None:
        self.bases = bases
        self.operators = operators
        self.depth = depth
        self.scoring = scoring
        self.columns = columns
        self.blocks = blocks
        self.rows = rows
        self.random_state = random_state

    def _given_kernel(self) -> Kernel:
        """The sum of the base kernels, which says what samples they read."""
        return Sum(*given_bases(self.bases))

    def _operators(self) -> frozenset[str]:
        operators = frozenset(self.operators)
        if not operators <= {"+", "*"}:
            raise ParameterError("operators", self.operators, "must be among '+' and '*'")
        return operators

    @fits
    def fit(self, X: RawSamples, y: Targets, sample_weight: Weights = None) -> Self:
        """Search for a kernel, and fit a Gaussian process with it.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or list
            The training samples, of whatever kind the base kernels read.
        y : array-like of shape (n_samples,)
            One number for each sample.
        sample_weight : array-like of shape (n_samples,), default=None
            How often each target was observed: the variance of its noise is divided by the weight,
            and a weight of 0 leaves the sample out.

        Returns
        -------
        self : KernelSearch
            The fitted estimator.
        """
        start = time.perf_counter()
        X, y = check_data(self, X, y, "number", **self._array_options())
        check_squares(y)
        operators = self._operators()
        weight: np.ndarray | float = 1.0
        counted = np.arange(len(y))
        if sample_weight is not None:
            weight = check_weights(sample_weight, len(y))
            counted = np.flatnonzero(weight > 0)
            weight = weight[counted]
        bases = bases_on(self.bases, X, counted, self.columns)
        if len(counted) < len(y):
            X, y = pick_rows(X, counted), y[counted]
        if are_equal(X):
            what, remedy = f"all {len(y)} samples of X", "give samples that differ"
            raise ParameterError(what, ABSENT, "are equal: no kernel tells them apart", remedy)
        rng = check_random_state(self.random_state)
        rows = _drawn(rng, len(y), self.rows)
        chosen = weight[rows] if isinstance(weight, np.ndarray) else weight
        units = Units.of(y[rows], True, chosen)
        looked_at = X if len(rows) == len(y) else pick_rows(X, rows)
        ranges = Ranges(looked_at)
        blocks = self._blocks(ranges, len(rows))
        samples = Samples(looked_at, units.normalize(y)[rows], ranges, blocks, chosen)
        few = samples
        if len(rows) > _FEW:
            few = samples.some(_drawn(rng, len(rows), _FEW))
        extensions = Extensions(samples, bases, operators, self.depth)
        search = Greedy(samples, few, Scorer(self.scoring), extensions, iteration_callback(self))
        with serial_blas():  # many small factorizations
            best = search.run()
        scale, self._mean = float(units.scale), float(units.shift)
        self.kernel_ = best.expression.kernel(scale**2)
        self.noise_ = best.expression.noise * scale**2
        self.history_ = search.history
        count = float(np.broadcast_to(chosen, rows.shape).sum())
        self.best_score_ = best.score.total - count * float(np.log(scale))
        process = GaussianProcessRegressor(self.kernel_, alpha=self.noise_, optimizer=None)
        given = weight if isinstance(weight, np.ndarray) else None
        with memory_remedy("KernelSearch", "fit on fewer samples"):
            self.process_ = process.fit(X, y - self._mean, sample_weight=given)
        self.kernel_ = self.process_.kernel_
        self.shares_ = variance_shares(self.process_, weight)
        seconds = time.perf_counter() - start
        self._report(search, best.n_parameters, weight, seconds)
        return self

    def _array_options(self) -> dict[str, object]:
        return {"accept_sparse": False, "order": "C"} if self._takes_vectors() else {}

    def _blocks(self, ranges: Ranges, n: int) -> list[np.ndarray] | None:
        """The samples that are left out together, in the order of rows or along one column."""
        order, count = np.arange(n), self.blocks
        if self.blocks is None:
            if len(ranges.columns) != 1:
                return None
            order, count = np.argsort(ranges.columns[0].values, kind="stable"), min(_BLOCKS, n)
        assert count is not None
        if self.scoring != "loo" and self.blocks is not None:
            rule = f"is for scoring='loo', and not for {self.scoring!r}"
            raise ParameterError("blocks", self.blocks, rule, "leave it out")
        if count > n:
            rule = f"must not exceed the number of samples, {n}"
            raise ParameterError("blocks", count, rule)
        return np.array_split(order, count)

    def _report(
        self, search: Greedy, n_parameters: int, weight: np.ndarray | float, seconds: float
    ) -> None:
        solver = f"greedy search by {self.scoring}, {len(search.history)} candidates"
        terms, loss = worth_of_terms(self.process_, self.shares_, self.noise_, weight)
        facts = {
            "objective": self.best_score_,
            "evaluations": search.evaluations,
            "components": len(terms),
        }
        notes, n = [f"{n_parameters} parameters learned"], len(self.process_.y_train_)
        if len(search.samples) < n:
            notes.append(f"the search has looked at {len(search.samples)} samples")
        plan = self.process_.report_.plan
        entries = (self.kernel_, plan, solver, n, seconds, None, facts, tuple(notes))
        self.report_ = TermsReport(*entries, terms=terms, loss=loss)

    def predict(
        self, X: RawSamples, return_std: bool = False, return_cov: bool = False
    ) -> Prediction:
        """Predict the mean of the function, and its standard deviations or covariance.

        They are of the function, without the noise, as those of `GaussianProcessRegressor` with its
        ``alpha``. A new value of y has the noise too: its standard deviation is
        ``np.sqrt(std**2 + model.noise_)``, and 95 % of new values should lie within 1.96 of these.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or list
            The samples.
        return_std : bool, default=False
            Whether to return standard deviations of the function too, without the noise.
        return_cov : bool, default=False
            Whether to return the covariance matrix too; not together with ``return_std``.

        Returns
        -------
        ndarray or tuple of two ndarray
            The mean of shape (n_samples,), and standard deviations or the covariance.
        """
        check_fitted(self)
        X = self._check_X(X, reset=False, **self._array_options())
        predicted = self.process_.predict(X, return_std=return_std, return_cov=return_cov)
        if isinstance(predicted, tuple):
            return predicted[0] + self._mean, predicted[1]
        return predicted + self._mean

    def predict_terms(self, X: RawSamples) -> tuple[np.ndarray, np.ndarray]:
        """The posterior of every additive term of the kernel.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or list
            The samples.

        Returns
        -------
        tuple of two ndarray of shape (n_samples, n_terms)
            The means, whose sum is the prediction less the mean of y, and standard deviations.
        """
        check_fitted(self)
        X = self._check_X(X, reset=False, **self._array_options())
        return term_posteriors(self.process_, X)

    def describe(self) -> str:
        """Describe what was found, a sentence for each additive term, the largest share first.

        The share of a term is its covariance with y over the variance of y: shares add up to 1,
        with that of the noise.

        Returns
        -------
        str
            The sentences, a line for each.
        """
        check_fitted(self)
        shares = self.shares_
        names = getattr(self, "feature_names_in_", None)
        terms = additive_terms(self.kernel_)
        lines = [
            term_sentence(terms[at], float(shares[at]), names)
            for at in np.argsort(-shares, kind="stable")
        ]
        lines.append(noise_sentence(float(np.sqrt(self.noise_)), 1.0 - float(shares.sum())))
        return "\n".join(lines)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        return tags


def _drawn(rng: np.random.RandomState, n: int, most: int) -> np.ndarray:
    """Positions of at most so many of n samples, in order."""
    if n <= most:
        return np.arange(n)
    return np.sort(rng.permutation(n)[:most])
