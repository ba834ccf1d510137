"""Pre-images: samples whose image in feature space lies near a given combination Σ γ_i φ(x_i)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from scipy import linalg
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_array, check_is_fitted

from mercer.aliases import Gamma, RawSamples
from mercer.domains.base import Batch
from mercer.errors import InputTypeError, ParameterError, UnsupportedInputError
from mercer.estimators.common.expansion import Expansion
from mercer.estimators.common.kernel_choice import choose_kernel
from mercer.estimators.common.numbers import precision
from mercer.estimators.common.training import Training
from mercer.estimators.projection.components import PrincipalComponents
from mercer.gram import plan as plans
from mercer.gram.fill import dense
from mercer.kernels.base import Kernel
from mercer.kernels.combine.sums import Scaled
from mercer.kernels.vectors.radial import ScaledDistance
from mercer.state import State

_BLOCK = 256  # new points that are compared with all samples at a time


class PreImages(PrincipalComponents):
    """The inverse transform of a projection in feature space."""

    stored: ClassVar[State] = State(
        finite=("dual_coef_", "X_transformed_fit_"),
        plain=("_latent",),
        per_sample=("dual_coef_", "X_transformed_fit_"),
    )

    kernel_: Kernel | None
    gamma_: Gamma
    X_fit_: RawSamples
    _dual: np.ndarray
    _center: np.ndarray
    _rows: np.ndarray
    _n_training: int
    _weight: np.ndarray  # of the training samples
    _share: np.ndarray  # on centers: the mean of all rows as a combination of them

    def _mean_shares(self) -> np.ndarray:
        """The mean in feature space as a combination of the samples that are kept."""
        if hasattr(self, "_share"):
            return self._share
        return self._weight / self._weight.sum()

    def _check_invertible(self, data: Training) -> None:
        what = "fit_inverse_transform"
        assert data.kernel is not None
        if hasattr(data.X, "toarray"):
            rule = "has no inverse transform"
            raise UnsupportedInputError("X", "sparse matrix", rule, "give X.toarray()")
        if not self._takes_vectors():
            raise InputTypeError(what, True, f"is for vectors, not for {data.kernel.domain.name}")
        if self.inverse == "fixed_point":
            radial_part(data.kernel)

    def _projections(self) -> np.ndarray:
        """The projections of the training samples of positive weight, or of the centers."""
        if hasattr(self, "_share"):
            expansion = Expansion(self.kernel_, self.X_fit_, self._rows, self._n_training)
            return expansion.apply(self.X_fit_, np.ascontiguousarray(self._dual)) - self._center
        return self.eigenvectors_ * np.sqrt(self.eigenvalues_) / np.sqrt(self._weight)[:, None]

    def _latent_kernel(self, Z: np.ndarray) -> Kernel:
        """The kernel that compares projections."""
        if isinstance(self.kernel, Kernel):
            kernel = clone(self.kernel)
            if np.ndim(getattr(kernel, "length_scale", 1.0)):
                columns = "projections, which have other columns"
                rule = f"with a length scale for every column cannot compare {columns}"
                raise ParameterError("kernel", kernel, rule, "use inverse='fixed_point'")
            return kernel.fit(Z)
        named = self.gamma_, self.degree, self.coef0
        chosen = choose_kernel(self._given_kernel(), Z, *named).kernel
        assert chosen is not None
        return chosen.fit(Z)

    def _fit_inverse(self) -> None:
        """Prepare the inverse transform, where it is wanted and needs a fit."""
        if self.fit_inverse_transform and self.inverse == "ridge":
            self._fit_ridge()

    def _fit_ridge(self) -> None:
        Z = self._projections()
        plans.require_room(len(Z), len(Z), np.float64, "the matrix of the ridge pre-image")
        self._latent = self._latent_kernel(Z)
        self.X_transformed_fit_ = Z
        K = latent_matrix(self._latent, Z)
        self.dual_coef_ = ridge(K, np.asarray(self.X_fit_), float(self.alpha) / self._weight)

    def inverse_transform(self, X: RawSamples) -> np.ndarray:
        """Samples whose projections are near given ones.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)
            Coordinates along the components, as `transform` returns them.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            The pre-images, in single precision where ``X`` is.
        """
        check_is_fitted(self)
        if not self.fit_inverse_transform:
            unset = "The fit_inverse_transform parameter was not set to True when instantiating"
            raise NotFittedError(f"{unset}: the inverse transform is not available.")
        Z = check_array(X, dtype=np.float64)
        n_components = self._dual.shape[1]
        if Z.shape[1] != n_components:
            rule = f"must have {n_components} columns, one for each component"
            raise ParameterError("X", f"array of shape {Z.shape}", rule)
        if self.inverse == "fixed_point":
            return self._by_fixed_point(Z).astype(precision(X), copy=False)
        if not hasattr(self, "_latent"):
            raise NotFittedError("inverse='ridge' was set after the fit: fit again")
        images = latent_matrix(self._latent, self.X_transformed_fit_, Z) @ self.dual_coef_
        return images.astype(precision(X), copy=False)

    def _by_fixed_point(self, Z: np.ndarray) -> np.ndarray:
        kernel = radial_part(self.kernel_)
        samples = np.asarray(self.X_fit_)
        projections = self._projections()
        squares = (projections**2).sum(axis=1)
        images = np.empty((len(Z), samples.shape[1]))
        for first in range(0, len(Z), _BLOCK):
            block = slice(first, first + _BLOCK)
            nearest = np.argmin(squares - 2 * Z[block] @ projections.T, axis=1)
            weights = Z[block] @ self._dual.T + self._mean_shares()
            images[block] = fixed_point(kernel, samples, weights, samples[nearest])
        return images


def ridge(K: np.ndarray, X: np.ndarray, penalty: np.ndarray | float) -> np.ndarray:
    """(K + penalty)⁻¹ X: a regression from the projections, with kernel matrix K, to the samples.

    Samples may have penalties of their own. K is overwritten.
    """
    K.flat[:: len(K) + 1] += penalty
    return linalg.solve(K, X, assume_a="pos", overwrite_a=True, check_finite=False)


def radial_part(kernel: Kernel | None) -> ScaledDistance:
    """The radial kernel that a kernel is but for a factor; other kernels have no iteration."""
    part = kernel
    while isinstance(part, Scaled):
        part = part.kernel
    if isinstance(part, ScaledDistance):
        return part
    shown = "precomputed" if kernel is None else kernel
    rule = f"is for radial kernels, not for {shown}"
    raise ParameterError("inverse", "fixed_point", rule, "use inverse='ridge'")


def fixed_point(
    kernel: ScaledDistance,
    X: np.ndarray,
    weights: np.ndarray,
    start: np.ndarray,
    tol: float = 1e-9,
    max_iter: int = 500,
) -> np.ndarray:
    """For every row γ of ``weights`` the z that maximizes Σ γ_i k(z, x_i).

    Repeatedly, z becomes the mean of X weighted by γ_i times the slope of the kernel at z. Where
    the weights cancel, and the mean would run away, z stays where it was.
    """
    scale = np.broadcast_to(np.asarray(kernel.length_scale, dtype=float), X.shape[1:])
    reach = float(np.abs(X).max()) or 1.0
    z = np.array(start, dtype=float)
    moving = np.arange(len(z))
    for _ in range(max_iter):
        s2 = cdist(z[moving] / scale, X / scale, "sqeuclidean")
        with np.errstate(all="ignore"):
            at_samples = kernel.slope(np.full_like(s2, 1e-300))
            pull = weights[moving] * np.where(s2 > 0, kernel.slope(s2), at_samples)
        total = pull.sum(axis=1)
        sound = np.isfinite(total) & (np.abs(total) > 1e-12 * np.abs(pull).sum(axis=1))
        moving, pull, total = moving[sound], pull[sound], total[sound]
        new = (pull @ X) / total[:, None]
        near = np.abs(new).max(axis=1) <= 10 * reach
        moving, new = moving[near], new[near]
        step = np.abs(new - z[moving]).max(axis=1)
        z[moving] = new
        moving = moving[step > tol * reach]
        if len(moving) == 0:
            break
    return z


def latent_matrix(kernel: Kernel, Z: np.ndarray, other: np.ndarray | None = None) -> np.ndarray:
    """The kernel matrix of projections, or between other projections (rows) and these."""
    batch = Batch(Z)
    columns = kernel.prepare(batch)
    if other is None:
        return dense(kernel, columns, columns)
    return dense(kernel, kernel.prepare(Batch(other, like=batch)), columns)
