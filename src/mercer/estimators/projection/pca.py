"""Principal components in feature space."""

from __future__ import annotations

import dataclasses
import functools
import time
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from scipy import linalg
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin, clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_array, check_is_fitted

from mercer.aliases import Gamma, KernelLike, ParameterRules, RandomState, RawSamples, Targets
from mercer.errors import DefinitenessWarning, InputTypeError, ParameterError, explain, warn
from mercer.estimators.common.base import KERNEL_RULES, KernelEstimator
from mercer.estimators.common.expansion import Expansion
from mercer.estimators.common.fitting import fits, iteration_callback
from mercer.estimators.common.kernel_choice import choose_kernel, gamma_value
from mercer.estimators.common.report import FitReport
from mercer.estimators.common.signs import sign_flips
from mercer.estimators.common.training import Training, begin
from mercer.estimators.projection.preimage import fixed_point, latent_matrix, radial_part, ridge
from mercer.execution.blas import serial_blas
from mercer.gram import plan as plans
from mercer.gram.matrix import Centered, Matrix
from mercer.gram.stored import FEW
from mercer.kernels.base import Kernel
from mercer.linalg.lanczos import CLOSE, Leading, block_size, leading

_SMALL = 300  # samples below which all eigenvalues are computed
_NEGATIVE = 1e-8  # of the largest: an eigenvalue below minus this is not rounding


class _Unit:
    """A centred Gram matrix over a scale; the mean of every column of the product is taken off."""

    def __init__(self, matrix: Matrix, scale: float) -> None:
        self.matrix, self.scale = matrix, scale

    def __matmul__(self, V: np.ndarray) -> np.ndarray:
        image = self.matrix @ (V - V.mean(axis=0)) / self.scale
        return image - image.mean(axis=0)


class KernelPCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, KernelEstimator):
    """Principal component analysis of φ(x), with scikit-learn's parameters and attributes.

    The leading eigenvectors v_j of the centred Gram matrix, λ_j their eigenvalues, give directions
    Σ_i v_ij φ(x_i)/√λ_j; new samples are centred with the training mean. Where the matrix does not
    fit half the memory budget it is never stored. Kernels that are only conditionally positive will
    do: centring makes them positive.

    Parameters
    ----------
    n_components : how many; None for all that are not 0, or a share of the variance between 0 and
    1, which both take the stored matrix kernel, gamma, degree, coef0 : as in `SVC`, but linear by
    default; gamma=None is 1/columns kernel_params : further arguments of a kernel that is a
    function (of two collections) fit_inverse_transform, inverse, alpha : `inverse_transform` by
    "ridge", a regression from the projections with penalty alpha, as in
        scikit-learn, or by "fixed_point", an iteration for radial kernels that needs no fit
    eigen_solver : "dense", "lanczos" ("arpack" means the same), "randomized" (a few passes, not to
    the last digit), or "auto" tol, max_iter : the residual of Lanczos beside the largest eigenvalue
    (0 for all that double precision has), its passes over the matrix iterated_power : passes of
    "randomized"; "auto" takes 7, or 4 for a tenth of all components remove_zero_eig : leave out
    components of variance 0 where n_components is more than there are random_state : of the start
    of the iterations; the result does not depend on it beyond rounding, but for "randomized" copy_X
    : keep a copy of X, so that changing it later changes nothing here; X itself is never written on
    n_jobs : accepted for the sake of existing programs; threads are those of `mercer.set_config`

    Attributes
    ----------
    eigenvalues_, eigenvectors_ : of the centred Gram matrix, the largest first; the largest entry
    of a column is positive explained_variance_, explained_variance_ratio_ : eigenvalues over n − 1,
    as in PCA, and over the trace kernel_, gamma_, X_fit_ : the kernel as used, and the samples
    dual_coef_, X_transformed_fit_ : of the ridge pre-image

    Examples
    --------
    >>> from mercer import RBF, KernelPCA
    >>> model = KernelPCA(2, kernel=RBF()).fit([[0.0], [1.0], [4.0], [5.0]])
    >>> model.transform([[0.5]]).shape, model.explained_variance_ratio_.round(2).tolist()
    ((1, 2), [0.67, 0.17])
    """

    needs: ClassVar[str] = "cpd"

    _parameter_constraints: ClassVar[ParameterRules] = {
        "n_components": [
            Interval(Integral, 1, None, closed="left"),
            Interval(Real, 0, 1, closed="neither"),
            None,
        ],
        **KERNEL_RULES,
        "gamma": [*KERNEL_RULES["gamma"], None],
        "kernel_params": [dict, None],
        "alpha": [Interval(Real, 0, None, closed="left")],
        "fit_inverse_transform": ["boolean"],
        "inverse": [StrOptions({"ridge", "fixed_point"})],
        "eigen_solver": [StrOptions({"auto", "dense", "lanczos", "arpack", "randomized"})],
        "tol": [Interval(Real, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left"), None],
        "iterated_power": [Interval(Integral, 0, None, closed="left"), StrOptions({"auto"})],
        "remove_zero_eig": ["boolean"],
        "random_state": ["random_state"],
        "copy_X": ["boolean"],
        "n_jobs": [None, Integral],
    }

    def __init__(
        self,
        n_components: float | None = None,
        *,
        kernel: KernelLike = "linear",
        gamma: Gamma = None,
        degree: float = 3,
        coef0: float = 1.0,
        kernel_params: dict[str, Any] | None = None,
        alpha: float = 1.0,
        fit_inverse_transform: bool = False,
        inverse: str = "ridge",
        eigen_solver: str = "auto",
        tol: float = 0.0,
        max_iter: int | None = None,
        iterated_power: Any = "auto",
        remove_zero_eig: bool = False,
        random_state: RandomState = None,
        copy_X: bool = True,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.alpha = alpha
        self.fit_inverse_transform = fit_inverse_transform
        self.inverse = inverse
        self.eigen_solver = eigen_solver
        self.tol = tol
        self.max_iter = max_iter
        self.iterated_power = iterated_power
        self.remove_zero_eig = remove_zero_eig
        self.random_state = random_state
        self.copy_X = copy_X
        self.n_jobs = n_jobs

    def _given_kernel(self) -> Any:
        if self.kernel_params and callable(self.kernel) and not isinstance(self.kernel, Kernel):
            return functools.partial(self.kernel, **self.kernel_params)
        return self.kernel

    @fits
    def fit(self, X: RawSamples, y: Targets = None) -> Self:
        """Fit on samples ``X``; ``y`` is ignored."""
        start = time.perf_counter()
        for name in ("dual_coef_", "X_transformed_fit_", "_latent"):  # of an earlier fit
            self.__dict__.pop(name, None)
        data = begin(self, X, None, None, target="none")
        if self.fit_inverse_transform:
            self._check_invertible(data)
        n = data.count
        count = n
        if isinstance(self.n_components, Integral):
            count = min(int(self.n_components), n)
        solver = self._solver(n, count)
        if solver == "dense":
            plans.require_room(n, n, np.float64)
        matrix = data.matrix(plans.PRODUCTS, required=solver == "dense")
        centered = Centered(matrix, np.full(n, 1.0 / n))
        self._diagonal, self._row_means = matrix.diagonal(), centered.row_means
        self._total_mean = float(self._row_means.mean())
        top, how = self._solve(data, centered, count, solver)
        self._keep_eigenpairs(top, count)
        self._keep_projection(data)
        n_positive = int((self.eigenvalues_ > 0).sum())
        notes = self._notes(top, n_positive)
        if self.fit_inverse_transform and self.inverse == "ridge":
            self._fit_ridge()
        explained = float(self.explained_variance_ratio_.sum())
        self.report_ = FitReport(
            data.kernel,
            str(matrix.plan),
            how,
            n,
            time.perf_counter() - start,
            facts={"components": n_positive, "explained": explained},
            notes=notes,
        )
        return self

    # -- the eigenproblem --------------------------------------------------------------------------

    def _counts_components(self) -> bool:
        """Whether ``n_components`` is a number of components, not a share of the variance."""
        return isinstance(self.n_components, Integral)

    def _solver(self, n: int, count: int) -> str:
        if self.eigen_solver == "arpack":
            return "lanczos"
        if self.eigen_solver != "auto":
            return self.eigen_solver
        if self._counts_components() and not plans.fits(n, n, plans.PRODUCTS):
            return "lanczos"  # the matrix is not stored unless there is no other way
        return "dense" if n <= _SMALL or count > n // 10 else "lanczos"

    def _solve(
        self, data: Training, matrix: Centered, count: int, solver: str
    ) -> tuple[Leading, str]:
        """The largest eigenpairs of the centred matrix, and how they were found."""
        if solver == "dense":
            return self._solve_dense(data, matrix, count)
        n = len(matrix)
        narrow = FEW if matrix.plan.stored else block_size(count)
        block = min(n, count + 10 if solver == "randomized" else narrow)
        rng = check_random_state(0 if self.random_state is None else self.random_state)
        # squares of tiny or huge eigenvalues would be lost
        scale = float(np.abs(self._diagonal).max(initial=0.0)) or 1.0
        # the rounding error of products with the matrix that is not centred
        noise = np.finfo(float).eps * float(np.abs(self._diagonal / scale).sum())
        with serial_blas():  # products run on mercer's threads, and the rest is small
            top = leading(
                _Unit(matrix.matrix, scale),
                rng.standard_normal((n, block)),
                count,
                noise=noise,
                callback=iteration_callback(self),
                **self._precision(solver, count, n),
            )
        top = dataclasses.replace(top, values=top.values * scale, lowest=top.lowest * scale)
        name = "randomised block Krylov" if solver == "randomized" else "block Lanczos"
        if solver == "lanczos" and not top.converged:
            message = f"relative residual {top.residual:.2g} after {top.iterations} passes"
            advice = "raise max_iter, or use 'dense'"
            warn(f"no convergence: {message}; {advice}", ConvergenceWarning)
        passes = f"{top.iterations} passes of {block} columns"
        return top, f"{name}, {passes}, relative residual {top.residual:.1e}"

    def _precision(self, solver: str, count: int, n: int) -> dict[str, Any]:
        """Tolerance and passes of the iteration."""
        if solver != "randomized":
            passes = 1000 if self.max_iter is None else int(self.max_iter)
            return {"tol": self.tol or CLOSE, "passes": passes}
        power = self.iterated_power
        if power == "auto":
            power = 4 if count >= 0.1 * n else 7
        return {"tol": 0.0, "passes": power + 1}

    def _solve_dense(self, data: Training, matrix: Matrix, count: int) -> tuple[Leading, str]:
        n = len(matrix)
        certified = data.kernel is not None and data.kernel.certificate().cpd
        # negative eigenvalues are looked for where there may be some
        some = None if count > n // 2 or not certified else [n - count, n - 1]
        values, vectors = linalg.eigh(
            matrix.dense(), subset_by_index=some, overwrite_a=True, check_finite=False
        )
        lowest = float(values[0]) if some is None else np.nan
        values, vectors = values[::-1][:count], vectors[:, ::-1][:, :count]
        return Leading(values, vectors, lowest, iterations=1), f"dense eigenvalues, {n} x {n}"

    def _keep_eigenpairs(self, top: Leading, count: int) -> None:
        """Eigenpairs with signs that reproduce; what is rounding error or negative becomes 0."""
        n = len(top.vectors)
        eps = np.finfo(float).eps
        trace = float(self._diagonal.sum()) - n * self._total_mean
        rounding = max(
            eps * n * float(np.abs(self._diagonal).max(initial=0.0)),
            10 * eps * float(np.abs(top.values).max(initial=0.0)),
        )
        positive = np.flatnonzero(top.values > rounding)
        values, vectors = np.zeros(count), np.zeros((n, count))
        values[: len(positive)] = top.values[positive]
        kept = top.vectors[:, positive]
        vectors[:, : len(positive)] = kept * sign_flips(kept)
        size = count
        if not self._counts_components() or self.remove_zero_eig:
            size = len(positive)
        if self.n_components is not None and not self._counts_components():
            reached = np.searchsorted(np.cumsum(values[:size]), self.n_components * trace)
            size = min(size, int(reached) + 1)
        self.eigenvalues_, self.eigenvectors_ = values[:size], vectors[:, :size]
        self.explained_variance_ = self.eigenvalues_ / max(n - 1, 1)
        total = trace if trace > rounding else np.inf
        self.explained_variance_ratio_ = self.eigenvalues_ / total

    def _keep_projection(self, data: Training) -> None:
        self.kernel_ = data.kernel
        self.X_fit_ = data.own_samples() if self.copy_X else data.samples()
        self._n_training = data.n_given
        vectors = self._takes_vectors()
        self.gamma_ = gamma_value(self.gamma, data.X, None) if vectors else self.gamma
        positive = self.eigenvalues_ > 0
        root = np.sqrt(np.where(positive, self.eigenvalues_, 1.0))
        self._dual = np.where(positive, self.eigenvectors_ / root, 0.0)
        # far from the origin, a sum that is only nearly 0 would count
        self._dual -= self._dual.mean(axis=0)
        self._center = self._row_means @ self._dual
        self._n_features_out = self._dual.shape[1]

    def _notes(self, top: Leading, kept: int) -> tuple[str, ...]:
        """What the user should know, also said in warnings."""
        notes = []
        largest = float(top.values.max(initial=0.0))
        rounding = 10 * np.finfo(float).eps * float(np.abs(self._diagonal).sum())
        if top.lowest < -max(_NEGATIVE * max(largest, -top.lowest), rounding):
            low = f"{top.lowest:.4g}"
            notes.append(f"negative eigenvalues, one at most {low}, are left out")
            rule = (
                f"is not positive on these samples: smallest eigenvalue at most {low}, largest "
                f"{largest:.4g}; it is left out"
            )
            remedy = "repair the matrix by mercer.repair(K) and give it as precomputed"
            warn(explain("kernel", self.kernel, rule, remedy), DefinitenessWarning)
        if isinstance(self.n_components, Integral) and kept < self.n_components:
            others = "left out" if self.remove_zero_eig else "columns of zeros"
            rule = f"is more than the rank, {kept}: the others are {others}"
            notes.append(f"n_components={self.n_components} {rule}")
            warn(explain("n_components", self.n_components, rule), UserWarning)
        return tuple(notes)

    # -- projections -------------------------------------------------------------------------------------------------

    def _expansion(self) -> Expansion:
        return Expansion(self.kernel_, self.X_fit_, np.arange(self._n_training), self._n_training)

    def transform(self, X: RawSamples) -> np.ndarray:
        """Coordinates along the components."""
        check_is_fitted(self)
        X = self._check_X(X, reset=False)
        return self._expansion().apply(X, np.ascontiguousarray(self._dual)) - self._center

    def fit_transform(self, X: RawSamples, y: Targets = None, **options: Any) -> np.ndarray:
        """Fit, and the coordinates of the same samples."""
        self.fit(X, y, **options)
        return self.eigenvectors_ * np.sqrt(self.eigenvalues_)

    def reconstruction_error(self, X: RawSamples) -> np.ndarray:
        """‖φ(x) − P φ(x)‖², P the projection on mean and components: large for samples unlike the training samples."""
        check_is_fitted(self)
        X = self._check_X(X, reset=False)
        expansion = self._expansion()
        n = self._n_training
        sums = expansion.apply(
            X, np.ascontiguousarray(np.hstack([self._dual, np.full((n, 1), 1.0 / n)]))
        )
        Z, mean = sums[:, :-1] - self._center, sums[:, -1]
        own = expansion.squares(X, self._diagonal)
        return np.maximum(own - 2 * mean + self._total_mean - (Z**2).sum(axis=1), 0.0)

    # -- pre-images --------------------------------------------------------------------------------------------------

    def _check_invertible(self, data: Training) -> None:
        if data.kernel is None:
            raise ParameterError(
                "fit_inverse_transform",
                True,
                "cannot be had with a precomputed kernel",
                "give the kernel and samples",
            )
        if hasattr(data.X, "toarray"):
            raise InputTypeError(
                "X", "sparse matrix", "has no inverse transform", "give X.toarray()"
            )
        if not self._takes_vectors():
            raise InputTypeError(
                "fit_inverse_transform", True, f"is for vectors, not for {data.kernel.domain.name}"
            )
        if self.inverse == "fixed_point":
            radial_part(data.kernel)

    def _latent_kernel(self, Z: np.ndarray) -> Kernel:
        if isinstance(self.kernel, Kernel):
            made = clone(self.kernel)
            if np.ndim(getattr(made, "length_scale", 1.0)):
                rule = "with a length scale for every column cannot compare projections, which have other columns"
                raise ParameterError("kernel", made, rule, "use inverse='fixed_point'")
            return made.fit(Z)
        found = choose_kernel(self._given_kernel(), Z, self.gamma_, self.degree, self.coef0).kernel
        assert found is not None
        return found.fit(Z)

    def _fit_ridge(self) -> None:
        Z = self.eigenvectors_ * np.sqrt(self.eigenvalues_)
        plans.require_room(len(Z), len(Z), np.float64, "the matrix of the ridge pre-image")
        self._latent = self._latent_kernel(Z)
        self.X_transformed_fit_ = Z
        self.dual_coef_ = ridge(
            latent_matrix(self._latent, Z), np.asarray(self.X_fit_), float(self.alpha)
        )

    def inverse_transform(self, X: RawSamples) -> np.ndarray:
        """Samples whose projections are near ``X``: coordinates along the components, as `transform` gives them."""
        check_is_fitted(self)
        if not self.fit_inverse_transform:
            raise NotFittedError(
                "The fit_inverse_transform parameter was not set to True when instantiating: the inverse transform is not available."
            )
        Z = check_array(X, dtype=np.float64)
        width = self._dual.shape[1]
        if Z.shape[1] != width:
            raise ParameterError(
                "X",
                f"array of shape {Z.shape}",
                f"must have {width} columns, one for each component",
            )
        if self.inverse == "ridge" and not hasattr(self, "_latent"):
            raise NotFittedError("inverse='ridge' was set after the fit: fit again")
        if self.inverse == "ridge":
            return latent_matrix(self._latent, self.X_transformed_fit_, Z) @ self.dual_coef_
        samples = np.asarray(self.X_fit_)
        known = self.eigenvectors_ * np.sqrt(self.eigenvalues_)
        made = np.empty((len(Z), samples.shape[1]))
        for first in range(0, len(Z), 256):  # a block of new points against all samples at a time
            some = Z[first : first + 256]
            near = np.argmin((known**2).sum(axis=1) - 2 * some @ known.T, axis=1)
            weights = some @ self._dual.T + 1.0 / self._n_training
            made[first : first + 256] = fixed_point(
                radial_part(self.kernel_), samples, weights, samples[near]
            )
        return made

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.input_tags.sparse and not self.fit_inverse_transform
        return tags
