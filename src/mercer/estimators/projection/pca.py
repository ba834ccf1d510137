"""Kernel principal component analysis."""

from __future__ import annotations

import time
from typing import ClassVar, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags

from mercer.aliases import RawSamples, Targets, Weights
from mercer.errors import ParameterError
from mercer.estimators.centers.data import open_rows
from mercer.estimators.centers.unlabeled import EXACT_STEPS
from mercer.estimators.common.expansion import Expansion
from mercer.estimators.common.fitting import fits
from mercer.estimators.common.kernel_choice import gamma_value, is_precomputed
from mercer.estimators.common.numbers import precision
from mercer.estimators.common.report import FitReport
from mercer.estimators.common.training import Training, begin
from mercer.estimators.common.validation import check_fitted
from mercer.estimators.projection.pca_on_centers import fit_components
from mercer.estimators.projection.preimage import PreImages
from mercer.gram import plan as plans
from mercer.gram.matrix import Centered
from mercer.state import State


class KernelPCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, PreImages):
    """Kernel principal component analysis: the directions Σ_i v_ij φ(x_i)/√λ_j of largest variance.

    v_j are the leading eigenvectors of the centered Gram matrix and λ_j their eigenvalues; new
    samples are centered with the training mean. With weights w they are those of √W K √W, and the
    directions are Σ_i √w_i v_ij φ(x_i)/√λ_j. Parameters and attributes are those of scikit-learn.
    A matrix that does not fit half the memory budget is never stored. Conditionally positive
    definite kernels will do, because centering makes them positive semi-definite.

    Parameters
    ----------
    n_components : int, float or None, default=None
        The number of components; None keeps all that are not 0, a number between 0 and 1 as many as
        explain that share of the variance. Both need the stored matrix.
    kernel : Kernel, str or callable, default="linear"
        A mercer kernel, an expression of kernels, one of scikit-learn's names ("linear", "poly",
        "rbf", "sigmoid", "laplacian", "cosine", "chi2"), a function of two collections or samples,
        or "precomputed", where ``X`` is the Gram matrix.
    gamma : {"scale", "auto", "sigest", "median"}, float or None, default=None
        The coefficient of a kernel that is given by name. "scale" is 1/(n_features · X.var()),
        "auto" and None are 1/n_features, "sigest" and "median" come from distances between samples.
    degree : float, default=3
        The degree of the polynomial kernel that is given by name.
    coef0 : float, default=1.0
        The constant term of the polynomial and the sigmoid kernel that are given by name.
    kernel_params : dict or None, default=None
        Further arguments of a kernel that is a function.
    alpha : float, default=1.0
        The penalty of the ridge regression of ``inverse="ridge"``.
    fit_inverse_transform : bool, default=False
        Whether `inverse_transform` is wanted.
    inverse : {"ridge", "fixed_point"}, default="ridge"
        How pre-images are found: by a ridge regression from the projections to the samples, as in
        scikit-learn, or by an iteration for radial kernels, which needs no fit.
    eigen_solver : {"auto", "dense", "lanczos", "arpack", "randomized"}, default="auto"
        "arpack" means "lanczos"; "randomized" makes a few passes, which is not exact.
    tol : float, default=0.0
        The residual of "lanczos" over the largest eigenvalue; 0 asks for all that double precision
        has.
    max_iter : int or None, default=None
        The largest number of passes of "lanczos" over the matrix.
    iterated_power : int or "auto", default="auto"
        The number of passes of "randomized"; "auto" is 7, or 4 for a tenth of all components.
    remove_zero_eig : bool, default=False
        Whether components of variance 0 are left out where ``n_components`` is more than the rank.
    random_state : int, RandomState or None, default=None
        Seed of the start of the iterations, and of the centers. Beyond rounding error, only the
        results of "randomized" and of fits on centers depend on it.
    copy_X : bool, default=True
        Whether a copy of ``X`` is kept, so that later changes of it have no effect. ``X`` is never
        overwritten.
    n_jobs : int or None, default=None
        Accepted for compatibility; the number of threads is that of `mercer.set_config`.
    centers : {"auto", "all"}, int or array-like, default="auto"
        Directions are combinations of these samples: all, so many drawn uniformly, or given ones.
        The variance is that of all samples in any case. "auto" takes all while they are few
        enough (see the guide on scaling). A fit on centers needs a number of components.

    Attributes
    ----------
    eigenvalues_ : ndarray of shape (n_components,)
        The eigenvalues of the centered Gram matrix, the largest first.
    eigenvectors_ : ndarray of shape (n_samples, n_components)
        Its eigenvectors, a row for each sample of positive weight; the largest entry of a column,
        over the root of the weight, is positive. On centers c the coefficients v of the directions
        Σ_i v_ij φ(c_i)/√λ_j, a row for each center.
    explained_variance_ : ndarray of shape (n_components,)
        The variances of the components, eigenvalues over n − 1, with n the sum of the weights.
    explained_variance_ratio_ : ndarray of shape (n_components,)
        Their shares in the whole variance.
    kernel_ : Kernel or None
        The kernel in use; None for a precomputed Gram matrix.
    gamma_ : float
        The coefficient of the kernel that was given by name.
    X_fit_ : collection or None
        The training samples of positive weight, or the centers; None for a precomputed matrix.
    X_transformed_fit_ : ndarray of shape (n_samples, n_components)
        The projections of the training samples, for ridge pre-images.
    dual_coef_ : ndarray of shape (n_samples, n_features)
        The coefficients of ridge pre-images.
    report_ : FitReport
        How the model was fitted.
    n_features_in_ : int
        The number of columns of ``X``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The names of the columns of ``X``, where it has such.

    See Also
    --------
    KernelDiscriminant : Directions that separate classes.
    KernelCCA : Directions of several views that correlate.

    References
    ----------
    .. [1] B. Schölkopf, A. Smola, K.-R. Müller. Nonlinear component analysis as a kernel eigenvalue
       problem. Neural Computation 10, 1998.
    .. [2] S. Mika, B. Schölkopf, A. Smola, K.-R. Müller, M. Scholz, G. Rätsch. Kernel PCA and
       de-noising in feature spaces. NIPS 1998.

    Examples
    --------
    >>> from mercer import RBF, KernelPCA
    >>> model = KernelPCA(2, kernel=RBF()).fit([[0.0], [1.0], [4.0], [5.0]])
    >>> model.transform([[0.5]]).shape, model.explained_variance_ratio_.round(2).tolist()
    ((1, 2), [0.67, 0.17])
    """

    memory_remedy: ClassVar[str] = "use eigen_solver='lanczos' with a number of components"
    stored: ClassVar[State] = State(
        finite=("_dual", "_center", "_weight", "_share"),
        plain=(
            *("kernel_", "gamma_", "X_fit_", "report_", "_n_training", "_n_features_out"),
            "_rows",
        ),
        samples=("X_fit_",),
        per_sample=("_dual", "_weight", "_rows", "_share"),
        positions={"_rows": "_n_training"},
    )

    @fits
    def fit(self, X: RawSamples, y: Targets = None, sample_weight: Weights = None) -> Self:
        """Find the principal components.

        Parameters
        ----------
        X : array-like, sparse matrix or collection of length n_samples
            Training samples, or their Gram matrix if it is precomputed.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            The weights of the samples in the mean and in the covariance. A weight of 2 is the same
            row twice, one of 0 leaves the row out.

        Returns
        -------
        KernelPCA
            The fitted estimator.
        """
        start = time.perf_counter()
        for name in ("dual_coef_", "X_transformed_fit_", "_latent", "_share"):  # of an earlier fit
            self.__dict__.pop(name, None)
        if self.fit_inverse_transform and is_precomputed(self.kernel):
            rule = "is not possible: Cannot fit_inverse_transform with a precomputed kernel"
            raise ParameterError("fit_inverse_transform", True, rule, "give the kernel and samples")
        opened = open_rows(self, X, None, sample_weight, target="none", steps=EXACT_STEPS)
        if opened.data is not None:
            fit_components(self, opened.data, start)
            self._fit_inverse()
            return self
        data = begin(self, opened.X, None, opened.weight, target="none")
        if self.fit_inverse_transform:
            self._check_invertible(data)
        n = data.count
        count = min(self._wanted() or n, n)
        solver = self._solver(n, count)
        if solver == "dense":
            plans.require_room(n, n, np.float64)
        matrix = data.matrix(plans.PRODUCTS, required=solver == "dense")
        total = data.weight.sum()
        centered = Centered(matrix, data.weight / total)
        self._diagonal = matrix.diagonal()
        self._total_mean = float((data.weight * centered.row_means).sum() / total)
        top, how = self._solve(data, centered, count, solver)
        self._keep_eigenpairs(top, count, data.weight)
        self._keep_projection(data, centered.row_means)
        n_positive = int((self.eigenvalues_ > 0).sum())
        notes = (*self._notes(top, n_positive), *opened.notes)
        self._fit_inverse()
        explained = float(self.explained_variance_ratio_.sum())
        facts = {"components": n_positive, "explained": explained}
        plan, seconds = str(matrix.plan), time.perf_counter() - start
        self.report_ = FitReport(data.kernel, plan, how, n, seconds, facts=facts, notes=notes)
        return self

    def _keep_projection(self, data: Training, row_means: np.ndarray) -> None:
        self.kernel_ = data.kernel
        self.X_fit_ = data.own_samples() if self.copy_X else data.samples()
        self._n_training, self._rows, self._weight = data.n_given, data.rows, data.weight
        self.gamma_ = self.gamma
        if self._takes_vectors() and not self._takes_as_given(data.X):
            weight = np.bincount(data.rows, data.weight, data.n_given)
            self.gamma_ = gamma_value(self.gamma, data.X, None if (weight == 1).all() else weight)
        positive = self.eigenvalues_ > 0
        root = np.sqrt(np.where(positive, self.eigenvalues_, 1.0))
        self._dual = np.where(positive, self.eigenvectors_ / root, 0.0)
        self._dual *= np.sqrt(data.weight)[:, None]
        # far from the origin, a sum that is only nearly 0 would count
        self._dual -= data.weight[:, None] * (self._dual.sum(axis=0) / data.weight.sum())
        self._center = row_means @ self._dual
        self._n_features_out = self._dual.shape[1]

    # -- projections -------------------------------------------------------------------------------

    def _expansion(self) -> Expansion:
        return Expansion(self.kernel_, self.X_fit_, self._rows, self._n_training)

    def transform(self, X: RawSamples) -> np.ndarray:
        """Coordinates along the components.

        Parameters
        ----------
        X : array-like, sparse matrix or collection of length n_samples
            New samples, or k(X, X_train) if the kernel is precomputed.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            The coordinates, in single precision where ``X`` is.
        """
        check_fitted(self)
        dtype = precision(X)
        X = self._check_X(X, reset=False)
        Z = self._expansion().apply(X, np.ascontiguousarray(self._dual)) - self._center
        return Z.astype(dtype, copy=False)

    def fit_transform(self, X: RawSamples, y: Targets = None, **options: object) -> np.ndarray:
        """Fit, and return the coordinates of the same samples.

        Parameters
        ----------
        X : array-like, sparse matrix or collection of length n_samples
            Training samples, or their Gram matrix if it is precomputed.
        y : None
            Ignored.
        **options : dict
            Further arguments of `fit`.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            The coordinates, in single precision where ``X`` is.
        """
        self.fit(X, y, **options)
        if len(self._rows) < self._n_training or hasattr(self, "_share"):
            return self.transform(X)
        return self._projections().astype(precision(X), copy=False)

    def reconstruction_error(self, X: RawSamples) -> np.ndarray:
        """‖φ(x) − P φ(x)‖², with P the projection on the mean and the components.

        It is large for samples unlike the training samples.

        Parameters
        ----------
        X : array-like, sparse matrix or collection of length n_samples
            New samples, or k(X, X_train) if the kernel is precomputed.

        Returns
        -------
        ndarray of shape (n_samples,)
            The squared distances.
        """
        check_fitted(self)
        X = self._check_X(X, reset=False)
        expansion = self._expansion()
        share = self._mean_shares()[:, None]
        sums = expansion.apply(X, np.ascontiguousarray(np.hstack([self._dual, share])))
        Z, mean = sums[:, :-1] - self._center, sums[:, -1]
        own = expansion.squares(X, self._diagonal)
        return np.maximum(own - 2 * mean + self._total_mean - (Z**2).sum(axis=1), 0.0)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.input_tags.sparse and not self.fit_inverse_transform
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
