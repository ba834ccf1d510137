"""Inner products of transformed vectors: by a matrix, of directions, of layers of random units;
the sigmoid.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Iterator
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from mercer import _compiled
from mercer.aliases import Prepared
from mercer.definiteness import POSITIVE_DIAGONAL, PSD, SEPARATES, Certificate, Definite
from mercer.definiteness.means import blind, finite
from mercer.definiteness.scale import judge
from mercer.domains.base import Batch
from mercer.domains.parts import Parts
from mercer.domains.vectors.domain import CsrSamples, VectorSamples
from mercer.errors import DefinitenessError, ParameterError, WidthError
from mercer.gram.single import SingleTiles
from mercer.gram.tile import Pair
from mercer.kernels.base import Derivative, Kernel
from mercer.kernels.parameters import show_value
from mercer.kernels.vectors.dot import DotKernel, dense_rows
from mercer.kernels.vectors.single_tiles import Formula, vector_tiles
from mercer.params import choice, param, positive, real, square_matrix

__all__ = ["ArcCosine", "Cosine", "GeneralLinear", "Sigmoid"]


_EPS = float(np.finfo(float).eps)
_SAFE = 450  # binary digits: the squares of larger numbers, or their sums, may be no numbers


class GeneralLinear(Kernel):
    """k(x, y) = xᵀ A y for a positive semi-definite matrix A, the linear kernel of a metric.

    Parameters
    ----------
    A : array-like of shape (n_features, n_features)
        A symmetric positive semi-definite matrix; both are checked.

    Examples
    --------
    >>> from mercer import GeneralLinear
    >>> GeneralLinear(A=[[2.0, 0.0], [0.0, 1.0]])([[1.0, 1.0], [0.0, 3.0]]).tolist()
    [[3.0, 3.0], [3.0, 9.0]]
    """

    A: ArrayLike = param(check=square_matrix, continuous=True)

    def _matrix(self) -> np.ndarray:
        return np.asarray(self.A, dtype=float)

    def claim(self) -> Definite:
        a = self._matrix()
        rule = "inner product: A = LLᵀ by its eigenvectors (checked), φ(x) = Lᵀx"
        facts = (SEPARATES,) if judge(a, _EPS).strict else ()
        return Definite(PSD, rule, f"R^{len(a)}", facts=facts, means=finite("Lᵀx"))

    def certify(self, d: int | None) -> Certificate:
        """The certificate, which names the matrix by four digits of its entries."""
        short = [[float(f"{entry:.4g}") for entry in row] for row in self._matrix()]
        claim = f"{type(self).__name__}(A={show_value(short)})"
        return dataclasses.replace(super().certify(d), claim=claim)

    def check_params(self) -> None:
        a, what = self._matrix(), "GeneralLinear: A"
        if not np.allclose(a, a.T, rtol=1e-12, atol=1e-12 * np.abs(a).max()):
            raise ParameterError(what, "asymmetric", "must be symmetric", "use (A + A.T)/2")
        judgement = judge(a, _EPS)
        if not judgement.psd:
            low = min(float(np.linalg.eigvalsh(a)[0]), float(judgement.worst @ a @ judgement.worst))
            rule, remedy = "must be positive semi-definite", "use mercer.repair(A) to clip it"
            raise DefinitenessError(what, f"smallest eigenvalue {low:.6g}", rule, remedy)

    def prepare(self, batch: Batch) -> Parts:
        """Two parts: the rows xᵀA, and the samples themselves."""
        samples = super().prepare(batch)
        a = self._matrix()
        if samples.n_features != len(a):
            rule = f"does not fit X, which has {samples.n_features} columns"
            raise WidthError("GeneralLinear: A", f"{len(a)} x {len(a)}", rule)
        if samples.sparse:
            from scipy.sparse import csr_matrix

            return Parts(CsrSamples(csr_matrix(samples.x @ a)), samples)
        return Parts(VectorSamples(np.ascontiguousarray(samples.x @ a)), samples)

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        np.copyto(out, pair.of(pair.x[0], pair.y[1]).dot(out))

    def diagonal(self, samples: Prepared) -> np.ndarray:
        return samples[0].products_with(samples[1])

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        x = dense_rows(pair.x[1])[pair.rows]
        y = dense_rows(pair.y[1])[pair.cols]
        for a, b in itertools.product(range(x.shape[1]), repeat=2):
            yield "A", (a, b), np.outer(x[:, a], y[:, b])

    def map_features(self, batch: Batch, truncate: int | None) -> np.ndarray:
        values, vectors = np.linalg.eigh(self._matrix())
        return self.prepare(batch)[1].x @ (vectors * np.sqrt(np.maximum(values, 0.0)))

    def feature_dim(self, p: int) -> float:
        return len(self._matrix())

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(A=[[2.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 0.0]])]


def _exponents(samples: Prepared) -> np.ndarray:
    """The whole e of every row whose largest entry is between 2^(e − 1) and 2^e."""
    largest = abs(samples.x).max(axis=1)
    if samples.sparse:
        largest = largest.toarray().ravel()
    return np.frexp(largest)[1]


def _direct(samples: Prepared) -> Prepared:
    """The same directions, of rows whose squares neither underflow nor overflow."""
    exponents = _exponents(samples)
    if np.abs(exponents).max() < _SAFE:
        return samples
    if samples.sparse:
        x = samples.x.copy()
        x.data = np.ldexp(x.data, np.repeat(-exponents, np.diff(x.indptr)))
        return CsrSamples(x)._inherit(samples, np.arange(len(samples)))
    x = np.ldexp(samples.x, -exponents[:, None])
    return VectorSamples(x)._inherit(samples, np.arange(len(samples)))


class Cosine(Kernel):
    """k(x, y) = ⟨x, y⟩/(‖x‖ ‖y‖), the cosine similarity, and 0 with a zero vector.

    Examples
    --------
    >>> from mercer import Cosine
    >>> Cosine()([[1.0, 0.0], [3.0, 4.0]]).tolist()
    [[1.0, 0.6], [0.6, 1.0]]
    """

    definite = Definite(
        PSD, "inner product: φ(x) = x/‖x‖, and 0 at the zero vector", means=finite("x/‖x‖")
    )
    invariance: ClassVar[str] = "dot"

    def prepare(self, batch: Batch) -> Prepared:
        return _direct(super().prepare(batch))

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        x_norms, y_norms = pair.x.norms[pair.rows], pair.y.norms[pair.cols]
        _compiled.profiles.cosine(pair.dot(out), x_norms, y_norms, out)

    def diagonal(self, samples: Prepared) -> np.ndarray:
        return (samples.norms > 0).astype(float)

    def map_features(self, batch: Batch, truncate: int | None) -> np.ndarray:
        samples = self.prepare(batch)
        norm = np.sqrt(np.where(samples.norms > 0, samples.norms, 1.0))
        if samples.sparse:
            from scipy.sparse import diags_array

            return (diags_array(1.0 / norm) @ samples.x).tocsr()
        return samples.x / norm[:, None]

    def feature_dim(self, p: int) -> float:
        return p


class ArcCosine(Kernel):
    """(1/π) ‖x‖ⁿ ‖y‖ⁿ J_n(θ), θ the angle: an infinitely wide layer of (rectified) units.

    A zero vector is at a right angle to everything, itself included, as a unit at its threshold is
    half on.

    Parameters
    ----------
    order : {0, 1, 2}, default 1
        n, the power of the units: 0 for steps, 1 for rectified linear units, 2 for their squares.

    References
    ----------
    Cho and Saul, "Kernel methods for deep learning", NIPS 2009.

    Examples
    --------
    >>> from mercer import ArcCosine
    >>> ArcCosine(order=0)([[1.0, 0.0], [0.0, 2.0]]).tolist()
    [[1.0, 0.5], [0.5, 1.0]]
    """

    invariance: ClassVar[str] = "dot"
    order: int = param(default=1, check=choice(0, 1, 2))

    def claim(self) -> Definite:
        unit = f"max(0, ⟨w, x⟩)^{self.order}"
        if self.order == 0:
            unit = "[⟨w, x⟩ > 0] + ½ [⟨w, x⟩ = 0]"
        rule = f"mixture: 2 E φ_w(x) φ_w(y), w of a normal distribution, φ_w(x) = {unit}"
        means = blind("φ(cx) = c^order φ(x) for c > 0: mixtures of points on a ray agree")
        return Definite(PSD, rule, facts=() if self.order else (POSITIVE_DIAGONAL,), means=means)

    def prepare(self, batch: Batch) -> Parts:
        """The rows scaled to length 1, and their norms to the power of the order."""
        samples = super().prepare(batch)
        exponents = _exponents(samples)
        x = np.ldexp(dense_rows(samples), -exponents[:, None])
        norms = np.sqrt(np.einsum("ij,ij->i", x, x))
        directions = VectorSamples(x / np.where(norms > 0, norms, 1.0)[:, None])
        return Parts(directions, norm=np.ldexp(norms, exponents) ** self.order)

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        rows, panel = pair.part(0).coordinates()
        _compiled.products.angle_tile(rows, panel, out)
        theta = out.copy()
        rest = np.pi - theta
        if self.order == 0:
            np.divide(rest, np.pi, out=out)
            return
        if self.order == 1:
            np.copyto(out, np.sin(theta) + rest * np.cos(theta))
        else:
            np.copyto(out, 3 * np.sin(theta) * np.cos(theta) + rest * (1 + 2 * np.cos(theta) ** 2))
        out *= pair.x.extra["norm"][pair.rows, None] * pair.y.extra["norm"][None, pair.cols]
        out /= np.pi

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(), cls(order=0), cls(order=2)]


class Sigmoid(DotKernel):
    """tanh(scale ⟨x, y⟩ + offset): not a kernel for any offset, already on the line.

    It is here for comparison; its certificate shows a negative quadratic form.

    Parameters
    ----------
    scale : float, default 1.0
        The positive factor of the inner product.
    offset : float, default 0.0
        What is added to it.

    Examples
    --------
    >>> from mercer import Sigmoid
    >>> Sigmoid().certificate().status
    'indefinite'
    """

    hints: ClassVar[dict[str, str]] = {"gamma": "write scale", "coef0": "write offset"}
    scale: float = param(default=1.0, check=positive, continuous=True)
    offset: float = param(default=0.0, check=real, continuous=True)

    def certify(self, d: int | None) -> Certificate:
        """A witness on the first axis; each case is a short computation with tanh."""
        candidates = []
        for line, coefficients in self._candidates():
            points = np.zeros((len(line), d or 1))
            points[:, 0] = line
            candidates.append((points, np.array(coefficients)))
        rule = "counterexample: tanh is not a power series with coefficients ≥ 0"
        return self._refuted(rule, candidates)

    def _candidates(self) -> list[tuple[list[float], list[float]]]:
        """Numbers and coefficients of which at least one combination is negative."""
        s, b = float(self.scale), float(self.offset)
        if b < 0:  # k(0, 0) = tanh(offset) < 0
            return [([0.0], [1.0])]
        # tanh(s a²) tanh(s L²) < tanh(s a L)² for small a and offset
        unit = 1.0 / math.sqrt(s)
        small = ([0.1 * unit, 2.0 * unit], [-2.0, 0.4])
        # tanh(b + t) + tanh(b − t) < 2 tanh(b): tanh is concave above 0
        t = math.sqrt(2.0 * b / s)
        return [small, ([t, -t, 0.0], [1.0, 1.0, -2.0])]

    def profile(self, dots: np.ndarray) -> np.ndarray:
        return np.tanh(self.scale * dots + self.offset)

    def single_tiles(self, centers: Prepared) -> SingleTiles | None:
        # the values are at most 1, but the inner products and their errors are not
        slope = 1.0 + self.scale * float(centers.norms.max())
        numbers = float(self.scale), float(self.offset), 1, slope
        return vector_tiles(Formula("TANH", "PRODUCTS", *numbers), centers, 1.0, 1.0)

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        dots = pair.dot()
        outer = 1.0 / np.cosh(self.scale * dots + self.offset) ** 2
        yield "scale", None, outer * dots
        yield "offset", None, outer

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(), cls(scale=0.5, offset=1.0), cls(offset=-1.0)]
