"""The Nyström map: features whose inner products are the kernel's on some centers."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterable, Iterator, Mapping
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils._param_validation import Interval

from mercer.aliases import (
    Gamma,
    KernelLike,
    ParameterRules,
    Prepared,
    RandomState,
    RawSamples,
    Targets,
)
from mercer.domains.base import pick_rows, raw_length
from mercer.errors import ParameterError, ShapeError, explain, warn
from mercer.estimators.centers.data import generator
from mercer.estimators.common.base import KERNEL_RULES, KernelEstimator
from mercer.estimators.common.expansion import Expansion
from mercer.estimators.common.fitting import fits, restores
from mercer.estimators.common.kernel_choice import is_precomputed
from mercer.estimators.common.numbers import precision
from mercer.estimators.common.report import FitReport
from mercer.estimators.common.training import Training, begin
from mercer.estimators.common.validation import check_fitted
from mercer.estimators.features.named_kernel import (
    named_parameters,
    refuse_parameters,
    warn_of_unused,
)
from mercer.estimators.features.unexplained import FRESH, some_of, unexplained
from mercer.gram.blocks.base import Block, Rows
from mercer.gram.blocks.sources import is_source, scan
from mercer.gram.fill import dense
from mercer.gram.plan import FLOAT64, require_room
from mercer.kernels.base import Kernel
from mercer.kernels.vectors.coordinate import Chi2
from mercer.linalg.products import product
from mercer.solvers.nystrom.centers import HOW, choose_centers, inverse_root_of
from mercer.state import State

_BLOCK = 4096  # samples whose kernel values are held at a time
_CANDIDATES = 20  # rows that are drawn from a source for each center


class Nystroem(ClassNamePrefixFeaturesOutMixin, TransformerMixin, KernelEstimator):
    """The Nyström map φ(x) = K_mm^(−½) [k(x, c_1), ..., k(x, c_m)] of m centers.

    ⟨φ(x), φ(y)⟩ is the kernel where x or y is a center, and close to it elsewhere; a linear model
    on these features is a kernel model on m centers. Parameters and attributes are those of
    scikit-learn, and any kernel on any kind of samples will do. New samples are mapped in blocks,
    so that their kernel values are never stored.

    Parameters
    ----------
    kernel : Kernel, str or callable, default="rbf"
        A mercer kernel, an expression of kernels, one of scikit-learn's names, a function, or
        "precomputed", where ``X`` is the Gram matrix.
    gamma : {"scale", "auto", "sigest", "median"}, float or None, default=None
        The coefficient of a kernel that is given by name; None is 1/n_features.
    coef0 : float or None, default=None
        The constant term of the polynomial and the sigmoid kernel that are given by name; None
        is 1.
    degree : float or None, default=None
        The degree of the polynomial kernel that is given by name; None is 3.
    kernel_params : dict or None, default=None
        Further arguments of a kernel that is a function; of one that is given by name, values of
        ``gamma``, ``coef0`` and ``degree`` where those are None.
    n_components : int, default=100
        The number of centers, which is the number of features.
    random_state : int, RandomState or None, default=None
        Seed of the draw of centers.
    n_jobs : int or None, default=None
        Accepted for compatibility; the number of threads is that of `mercer.set_config`.
    centers : {"uniform", "rpcholesky", "kmeans"} or collection, default="uniform"
        How centers are chosen among the samples: uniformly, as scikit-learn does; by randomly
        pivoted Cholesky, which leaves a smaller error where the samples have clusters; the samples
        nearest to the means of clusters. A collection of samples is taken as the centers.

    Attributes
    ----------
    components_ : collection of length n_components
        The centers; positions for a precomputed Gram matrix.
    component_indices_ : ndarray of shape (n_components,) or None
        Their positions among the training samples; None if they were given.
    normalization_ : ndarray of shape (n_components, n_components)
        K_mm^(−½), of the Gram matrix of the centers.
    kernel_ : Kernel or None
        The kernel in use; None for a precomputed Gram matrix.
    n_samples_seen_ : int
        The number of samples of `fit`, or of all calls of `partial_fit`.
    report_ : FitReport
        The centers and what they leave: the mean and the largest k(x, x) − ‖φ(x)‖² of samples that
        are no centers, and the standard error of the mean.
    n_features_in_ : int
        The number of columns of ``X``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The names of the columns of ``X``, where it has such.

    See Also
    --------
    RBFSampler : Random Fourier features of stationary kernels.
    KernelMap : The kernel values with centers themselves.

    References
    ----------
    .. [1] C. K. I. Williams, M. Seeger. Using the Nyström method to speed up kernel machines.
       NIPS 2000.
    .. [2] Y. Chen, E. N. Epperly, J. A. Tropp, R. J. Webber. Randomly pivoted Cholesky. 2022.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import RBF, Nystroem
    >>> X = np.linspace(0.0, 4.0, 50)[:, None]
    >>> model = Nystroem(RBF(), n_components=10, centers="rpcholesky", random_state=0).fit(
    ...     X
    ... )
    >>> Z = model.transform(X)
    >>> bool(abs(Z @ Z.T - RBF()(X)).max() < 1e-3)
    True
    """

    memory_remedy: ClassVar[str] = "take fewer components"
    _parameter_constraints: ClassVar[ParameterRules] = {
        "gamma": [*KERNEL_RULES["gamma"], None],
        "coef0": [*KERNEL_RULES["coef0"], None],
        "degree": [Interval(Real, 1, None, closed="left"), None],
        "kernel_params": [dict, None],
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
    }
    component_indices_: np.ndarray | None
    stored: ClassVar[State] = State(
        finite=("normalization_",),
        plain=(
            *("kernel_", "components_", "component_indices_", "n_samples_seen_", "report_"),
            *("_n_features_out", "_n_training"),
        ),
    )

    def __init__(
        self,
        kernel: KernelLike = "rbf",
        *,
        gamma: Gamma = None,
        coef0: float | None = None,
        degree: float | None = None,
        kernel_params: dict[str, Any] | None = None,
        n_components: int = 100,
        random_state: RandomState = None,
        n_jobs: int | None = None,
        centers: str | RawSamples = "uniform",
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.coef0 = coef0
        self.degree = degree
        self.kernel_params = kernel_params
        self.n_components = n_components
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.centers = centers

    @fits
    def fit(self, X: RawSamples, y: Targets = None) -> Self:
        """Choose the centers and factor their Gram matrix.

        Parameters
        ----------
        X : array-like, sparse matrix, collection of length n_samples or source of rows
            Training samples, or their Gram matrix if it is precomputed. Of a source some are drawn.
        y : None
            Ignored.

        Returns
        -------
        Nystroem
            The fitted estimator.
        """
        start = time.perf_counter()
        self._check_parameters()
        if is_source(X):
            return self._fit_source(scan(X))
        data = begin(self, X, None, None, target="none")
        self.kernel_, self._n_training = data.kernel, data.n_given
        self.n_samples_seen_ = data.n_given
        whole = data.whole()
        self._keep_centers(data, whole)
        self._n_features_out = raw_length(self.components_)
        self.normalization_ = inverse_root_of(self._center_gram(whole))
        facts = self._unexplained(whole)
        how = "given" if self.component_indices_ is None else self.centers
        plan = f"Nyström, {self._n_features_out} of {data.n_given} samples, {how}"
        seconds = time.perf_counter() - start
        solver = "eigenvectors of the centers' Gram matrix"
        self.report_ = FitReport(data.kernel, plan, solver, data.n_given, seconds, facts=facts)
        return self

    def _fit_source(self, source: Rows) -> Self:
        """Fit on rows that are drawn uniformly from a source."""
        count = len(source)
        size = min(count, _CANDIDATES * int(self.n_components) + FRESH)
        drawn = np.sort(generator(self.random_state).choice(count, size, replace=False))
        self.fit(source.take(drawn).X).n_samples_seen_ = count
        if self.component_indices_ is not None:
            self.component_indices_ = drawn[self.component_indices_]
        note = f"{size} of {count} rows were drawn, of which centers are chosen"
        plan = (
            f"Nyström, {self._n_features_out} of {count} samples, {self.report_.plan.split()[-1]}"
        )
        self.report_ = dataclasses.replace(self.report_, plan=plan, samples=count, notes=(note,))
        return self

    @restores
    def partial_fit(self, X: RawSamples, y: Targets = None) -> Self:
        """Fit on the first block of samples; count and check further ones.

        The features must stay the same once a model was trained on them, so that all centers are
        of the first block: shuffle the rows before, or give the centers.

        Parameters
        ----------
        X : array-like, sparse matrix or collection of length n_samples
            A block of training samples.
        y : None
            Ignored.

        Returns
        -------
        Nystroem
            The fitted estimator.
        """
        if not hasattr(self, "normalization_"):
            return self.fit(X)
        if self.kernel_ is None:
            raise ParameterError("kernel", "precomputed", "has no blocks of samples", "call fit")
        self.n_samples_seen_ += raw_length(self._check_X(X, reset=False))
        return self

    def _given_kernel(self) -> KernelLike:
        # scikit-learn's function has another default than its other kernels
        if self.kernel == "chi2" and self._kernel_parameters()["gamma"] is None:
            return Chi2(gamma=1.0)
        return super()._given_kernel()

    def _kernel_parameters(self) -> Mapping[str, Any]:
        return named_parameters(self)

    def _warn_of_unused_params(self) -> None:
        warn_of_unused(self.kernel_params)

    def _check_parameters(self) -> None:
        if isinstance(self.centers, str) and self.centers not in HOW:
            rule = f"must be {', '.join(map(repr, HOW))}, or samples"
            raise ParameterError("centers", self.centers, rule)
        named = isinstance(self.kernel, str) and not is_precomputed(self.kernel)
        if not named and not isinstance(self.kernel, Kernel):
            refuse_parameters(self)

    def _keep_centers(self, data: Training, whole: Prepared) -> None:
        """Set the centers and their positions."""
        if isinstance(self.centers, str):
            self._keep_drawn_centers(data, whole)
            return
        if data.kernel is None:
            rule = "cannot be samples where X is the Gram matrix"
            raise ParameterError("centers", self.centers, rule, "use 'uniform'")
        self.components_ = self._check_X(self.centers, reset=False)
        self.component_indices_ = None

    def _keep_drawn_centers(self, data: Training, whole: Prepared) -> None:
        """Set centers that are some of the samples."""
        count = int(self.n_components)
        if count > data.n_given:
            rule = f"is more than the {data.n_given} samples, which are all taken"
            warn(explain("n_components", count, rule, "give fewer"), UserWarning)
        indices = self._draw(whole, min(count, data.n_given))
        self.component_indices_ = indices
        self.components_ = indices if data.kernel is None else pick_rows(data.X, indices)

    def _draw(self, whole: Prepared, count: int) -> np.ndarray:
        """Positions of the centers."""
        if self.kernel_ is not None:
            return choose_centers(self.kernel_, whole, count, self.centers, self.random_state)
        if self.centers != "uniform":
            rule = "needs samples, where X is the Gram matrix"
            raise ParameterError("centers", self.centers, rule, "use 'uniform'")
        return check_random_state(self.random_state).permutation(len(whole))[:count]

    def _prepared_centers(self, whole: Prepared) -> Prepared:
        """The centers as the kernel reads them, by the numbers of the user's rows."""
        if self.component_indices_ is None:
            return self._expansion().prepare(self.components_)[1]
        return whole.take(self.component_indices_)

    def _center_gram(self, whole: Prepared) -> np.ndarray:
        count = self._n_features_out
        require_room(count, 3 * count, FLOAT64, "the Gram matrix of the centers and its factors")
        if self.kernel_ is None:
            return whole[np.ix_(self.components_, self.components_)].astype(np.float64)
        centers = self._prepared_centers(whole)
        return dense(self.kernel_, centers, centers, FLOAT64)

    def _expansion(self) -> Expansion:
        """The centers among the training samples."""
        positions = np.arange(self._n_features_out)
        if self.kernel_ is None:
            positions = self.components_
        return Expansion(self.kernel_, self.components_, positions, self._n_training)

    def _unexplained(self, whole: Prepared) -> dict[str, float]:
        """What the features miss of fresh samples, as `unexplained` measures it."""
        fresh = np.arange(len(whole))
        if self.component_indices_ is not None:
            fresh = np.delete(fresh, self.component_indices_)
        if not len(fresh):
            return {}
        chosen = some_of(fresh)
        if self.kernel_ is None:
            own, values = whole[chosen, chosen], whole[np.ix_(chosen, self.components_)]
        else:
            some = whole.take(chosen)
            own = self.kernel_.diagonal(some)
            values = dense(self.kernel_, some, self._prepared_centers(whole), FLOAT64)
        return unexplained(own, product(values, self.normalization_))

    def transform(self, X: RawSamples) -> np.ndarray:
        """The features of samples, computed block by block.

        Parameters
        ----------
        X : array-like, sparse matrix or collection of length n_samples
            New samples, or k(X, X_train) if the kernel is precomputed.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            The features, in single precision where ``X`` is.
        """
        check_fitted(self)
        dtype = precision(X)
        X = self._check_X(X, reset=False)
        n = raw_length(X)
        remedy = "use transform_blocks, which yields the features of a block at a time"
        require_room(n, self._n_features_out, dtype, "the features", remedy)
        out = np.empty((n, self._n_features_out), dtype=dtype)
        for first in range(0, n, _BLOCK):
            rows = slice(first, min(n, first + _BLOCK))
            some = X[rows] if hasattr(X, "shape") else pick_rows(X, np.arange(n)[rows])
            out[rows] = self._features(some)
        return out

    def transform_blocks(self, blocks: Iterable[RawSamples]) -> Iterator[np.ndarray]:
        """Yield the features of each block of samples, for more rows than memory holds.

        Parameters
        ----------
        blocks : iterable of collections of samples, or source of rows
            The blocks, such as those of a file that is read in parts.

        Yields
        ------
        ndarray of shape (n_samples of the block, n_components)
            The features of a block.
        """
        for block in blocks:
            yield self.transform(block.X if isinstance(block, Block) else block)

    def _features(self, X: RawSamples) -> np.ndarray:
        """The features of a block of checked samples."""
        if self.kernel_ is None:
            if X.shape[1] != self._n_training:
                rule = "must have one column for each training sample"
                remedy = f"give k(X, X_train) with {self._n_training} columns"
                raise ShapeError("X", f"{X.shape[1]} columns", rule, remedy)
            values = np.asarray(X, dtype=np.float64)[:, self.components_]
        else:
            values = dense(self.kernel_, *self._expansion().prepare(X), FLOAT64)
        return product(values, self.normalization_)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
