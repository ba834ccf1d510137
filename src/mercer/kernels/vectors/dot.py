"""Functions of an inner product, constants and noise."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from mercer import _compiled
from mercer.aliases import Prepared
from mercer.definiteness import (
    DIVISIBLE,
    INDEFINITE,
    POSITIVE_DIAGONAL,
    PSD,
    SEPARATES,
    STRICT,
    UNKNOWN,
    Certificate,
    Definite,
    Where,
    Witness,
)
from mercer.domains.base import Anything, Batch, Domain
from mercer.domains.vectors import CsrSamples, VectorSamples
from mercer.errors import DefinitenessError, KernelOverflowError, ParameterError, WidthError
from mercer.gram.tile import Pair
from mercer.kernels.base import Derivative, Kernel
from mercer.kernels.combine.parts import Parts
from mercer.kernels.vectors.monomials import dot_power_features, exponential_features
from mercer.params import choice, integer, nonnegative, param, positive, real, square_matrix

__all__ = [
    "ArcCosine",
    "Constant",
    "Cosine",
    "ExponentialDot",
    "GeneralLinear",
    "Linear",
    "Polynomial",
    "Sigmoid",
    "White",
]

_ANYTHING = Anything()


def dense_rows(samples: Any) -> np.ndarray:
    return samples.x.toarray() if samples.sparse else samples.x


class DotKernel(Kernel, abstract=True):
    """k(x, y) = profile(⟨x, y⟩)."""

    invariance: ClassVar[str] = "dot"

    def profile(self, dots: np.ndarray) -> np.ndarray:
        raise NotImplementedError(
            f"{type(self).__name__} must define profile(dots), or values(dots, out)"
        )

    def values(self, dots: np.ndarray, out: np.ndarray) -> None:
        np.copyto(out, self.profile(dots))

    def _refuted(
        self, rule: str, where: Where, candidates: list[tuple[np.ndarray, np.ndarray]]
    ) -> Certificate:
        """Indefinite by the best of some witnesses; unknown if rounding leaves none of them negative."""
        best = None
        for points, weights in candidates:
            try:
                value = float(weights @ self(points) @ weights)
            except KernelOverflowError:
                continue
            if value < 0 and (best is None or value < best.value):
                best = Witness(points, weights, value)
        return Certificate(
            UNKNOWN if best is None else INDEFINITE, repr(self), rule, where, witness=best
        )

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        self.values(pair.dot(out), out)

    def diagonal(self, side: Prepared) -> np.ndarray:
        out = np.empty((1, len(side)))
        self.values(side.norms[None, :], out)
        return out[0]


class Linear(DotKernel):
    """k(x, y) = ⟨x, y⟩."""

    definite = Definite(PSD, "inner product: φ(x) = x", facts=(SEPARATES,))

    def profile(self, dots: np.ndarray) -> np.ndarray:
        return dots

    def map_features(self, batch: Batch, truncate: int | None) -> Any:
        return self.prepare(batch).x

    def feature_dim(self, p: int) -> float:
        return p


class GeneralLinear(Kernel):
    """k(x, y) = xᵀ A y for a positive semi-definite matrix A."""

    A: Any = param(check=square_matrix, continuous=True)

    def claim(self) -> Definite:
        a = np.asarray(self.A, dtype=float)
        nonsingular = np.linalg.eigvalsh(a)[0] > 10 * len(a) * np.finfo(float).eps * np.abs(a).max()
        rule = "inner product: A = LLᵀ by its eigenvectors (checked), φ(x) = Lᵀx"
        return Definite(PSD, rule, facts=(SEPARATES,) if nonsingular else ())

    def check_params(self) -> None:
        a = np.asarray(self.A, dtype=float)
        if not np.allclose(a, a.T, rtol=1e-12, atol=1e-12 * np.abs(a).max()):
            raise ParameterError(
                "GeneralLinear: A", "asymmetric", "must be symmetric", "use (A + A.T)/2"
            )
        low = float(np.linalg.eigvalsh(a)[0])
        if low < -10 * len(a) * np.finfo(float).eps * max(np.abs(a).max(), 1e-300):
            remedy = "use mercer.repair(A) to clip it"
            raise DefinitenessError(
                "GeneralLinear: A",
                f"smallest eigenvalue {low:.6g}",
                "must be positive semi-definite",
                remedy,
            )

    def prepare(self, batch: Batch) -> Parts:
        samples: Any = super().prepare(batch)
        a = np.asarray(self.A, dtype=float)
        if samples.n_features != len(a):
            raise WidthError(
                "GeneralLinear: A",
                f"{len(a)} x {len(a)}",
                f"does not fit X, which has {samples.n_features} columns",
            )
        if samples.sparse:
            from scipy.sparse import csr_matrix

            return Parts(CsrSamples(csr_matrix(samples.x @ a)), samples)
        return Parts(VectorSamples(np.ascontiguousarray(samples.x @ a)), samples)

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        np.copyto(out, pair.of(pair.x[0], pair.y[1]).dot(out))

    def diagonal(self, side: Parts) -> np.ndarray:
        return side[0].products_with(side[1])

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        x, y = dense_rows(pair.x[1])[pair.rows], dense_rows(pair.y[1])[pair.cols]
        for a, b in itertools.product(range(x.shape[1]), repeat=2):
            yield "A", (a, b), np.outer(x[:, a], y[:, b])

    def map_features(self, batch: Batch, truncate: int | None) -> Any:
        values, vectors = np.linalg.eigh(np.asarray(self.A, dtype=float))
        return self.prepare(batch)[1].x @ (vectors * np.sqrt(np.maximum(values, 0.0)))

    def feature_dim(self, p: int) -> float:
        return len(np.asarray(self.A))

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(A=[[2.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 0.0]])]


class Polynomial(DotKernel):
    """k(x, y) = (scale ⟨x, y⟩ + offset)^degree."""

    degree: int = param(check=integer(1, 2**31))
    scale: float = param(default=1.0, check=positive, continuous=True)
    offset: float = param(default=1.0, check=real, continuous=True)

    def certify(self, d: int | None) -> Certificate:
        space = Where("R^d")
        if self.offset < 0:
            # At x = 0 the value is offset^degree; where scale·y² = −offset the diagonal vanishes but k(0, y) does not.
            if self.degree % 2:
                points, weights = np.zeros((1, d or 1)), np.ones(1)
            else:
                points = np.zeros((2, d or 1))
                points[1, 0] = math.sqrt(-self.offset / self.scale)
                weights = np.array([-1.0, 2.0])
            rule = "a negative offset: the binomial expansion has a negative coefficient"
            return self._refuted(rule, space, [(points, weights)])
        if self.offset == 0:
            facts = {SEPARATES} if self.degree % 2 else set()
            rule = "inner product: φ(x) = all monomials of exactly this degree, by the multinomial theorem"
        else:
            facts = {SEPARATES, POSITIVE_DIAGONAL}
            rule = "inner product: φ(x) = all monomials up to this degree, by the binomial theorem"
        return Certificate(PSD, repr(self), rule, space, facts=frozenset(facts))

    def values(self, dots: np.ndarray, out: np.ndarray) -> None:
        _compiled.profiles.integer_power(
            dots, float(self.scale), float(self.offset), int(self.degree), out
        )

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        dots = pair.dot()
        outer = self.degree * (self.scale * dots + self.offset) ** (self.degree - 1)
        yield "scale", None, outer * dots
        yield "offset", None, outer

    def map_features(self, batch: Batch, truncate: int | None) -> Any:
        if self.offset < 0:
            raise DefinitenessError(
                "Polynomial: offset",
                self.offset,
                "< 0 has no real feature map",
                "give an offset >= 0",
            )
        n = self.degree
        try:
            weights = [
                math.comb(n, j) * float(self.offset) ** (n - j) * float(self.scale) ** j
                for j in range(n + 1)
            ]
        except OverflowError:
            raise KernelOverflowError(
                "Polynomial: degree", n, "is too large for a feature map in floating point"
            ) from None
        return dot_power_features(dense_rows(self.prepare(batch)), weights)

    def feature_dim(self, p: int) -> float:
        return (
            math.comb(p + self.degree, self.degree)
            if self.offset
            else math.comb(p + self.degree - 1, self.degree)
        )

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [
            cls(degree=3),
            cls(degree=2, scale=0.5),
            cls(degree=4, offset=0.0),
            cls(degree=2, offset=-1.0),
        ]


class ExponentialDot(DotKernel):
    """k(x, y) = exp(α ⟨x, y⟩)."""

    definite = Definite(
        STRICT,
        "power series: exp has positive coefficients, and ⟨x, y⟩ separates points",
        facts=(DIVISIBLE,),
    )
    alpha: float = param(default=1.0, check=positive, continuous=True)

    def values(self, dots: np.ndarray, out: np.ndarray) -> None:
        _compiled.profiles.exponential(dots, float(self.alpha), out)

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        dots = pair.dot()
        yield "alpha", None, np.exp(self.alpha * dots) * dots

    def map_features(self, batch: Batch, truncate: int | None) -> Any:
        if truncate is None:
            return super().map_features(batch, truncate)
        return exponential_features(
            math.sqrt(self.alpha) * dense_rows(self.prepare(batch)), truncate
        )

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(alpha=0.3)]


class Sigmoid(DotKernel):
    """tanh(scale ⟨x, y⟩ + offset): not a kernel for any offset, already on the line. Here for comparison."""

    scale: float = param(default=1.0, check=positive, continuous=True)
    offset: float = param(default=0.0, check=real, continuous=True)

    def certify(self, d: int | None) -> Certificate:
        """A witness on the first axis; each case is a short computation with tanh."""
        s, b = float(self.scale), float(self.offset)
        if b < 0:  # k(0, 0) = tanh(offset) < 0
            lines = [([0.0], [1.0])]
        else:
            unit, t = 1.0 / math.sqrt(s), math.sqrt(2.0 * b / s)
            lines = [
                (
                    [0.1 * unit, 2.0 * unit],
                    [-2.0, 0.4],
                ),  # tanh(s a²) tanh(s L²) < tanh(s a L)² for small a and offset
                (
                    [t, -t, 0.0],
                    [1.0, 1.0, -2.0],
                ),  # tanh(b + t) + tanh(b − t) < 2 tanh(b): tanh is concave above 0
            ]
        candidates = []
        for line, weights in lines:
            points = np.zeros((len(line), d or 1))
            points[:, 0] = line
            candidates.append((points, np.array(weights)))
        return self._refuted(
            "counterexample: tanh is not a power series with coefficients ≥ 0",
            Where("R^d"),
            candidates,
        )

    def profile(self, dots: np.ndarray) -> np.ndarray:
        return np.tanh(self.scale * dots + self.offset)

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        dots = pair.dot()
        outer = 1.0 / np.cosh(self.scale * dots + self.offset) ** 2
        yield "scale", None, outer * dots
        yield "offset", None, outer

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(), cls(scale=0.5, offset=1.0), cls(offset=-1.0)]


class Cosine(Kernel):
    """k(x, y) = ⟨x, y⟩/(‖x‖ ‖y‖), and 0 with a zero vector."""

    definite = Definite(PSD, "inner product: φ(x) = x/‖x‖, and 0 at the zero vector")
    invariance: ClassVar[str] = "dot"

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        _compiled.profiles.cosine(
            pair.dot(out), pair.x.norms[pair.rows], pair.y.norms[pair.cols], out
        )

    def diagonal(self, side: Prepared) -> np.ndarray:
        return (side.norms > 0).astype(float)

    def map_features(self, batch: Batch, truncate: int | None) -> Any:
        samples: Any = self.prepare(batch)
        norm = np.sqrt(np.where(samples.norms > 0, samples.norms, 1.0))
        if samples.sparse:
            from scipy.sparse import diags_array

            return (diags_array(1.0 / norm) @ samples.x).tocsr()
        return samples.x / norm[:, None]

    def feature_dim(self, p: int) -> float:
        return p


class ArcCosine(Kernel):
    """(1/π) ‖x‖ⁿ ‖y‖ⁿ J_n(θ), θ the angle: an infinitely wide layer of (rectified) units.

    A zero vector is at a right angle to everything, itself included, as a unit at its threshold is half on.
    """

    invariance: ClassVar[str] = "dot"
    order: int = param(default=1, check=choice(0, 1, 2))

    def claim(self) -> Definite:
        rule = "mixture: an integral of products of threshold units over Gaussian weights"
        return Definite(PSD, rule, facts=() if self.order else (POSITIVE_DIAGONAL,))

    def prepare(self, batch: Batch) -> Parts:
        x = dense_rows(super().prepare(batch))
        norms = np.sqrt(np.einsum("ij,ij->i", x, x))
        return Parts(
            VectorSamples(x / np.where(norms > 0, norms, 1.0)[:, None]), norm=norms**self.order
        )

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        rows, panel = pair.of(pair.x[0], pair.y[0]).coordinates()
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


class Constant(Kernel):
    """k(x, y) = c ≥ 0."""

    domain: ClassVar[Domain] = _ANYTHING
    invariance: ClassVar[str] = "radial"
    c: float = param(default=1.0, check=nonnegative, continuous=True)

    def claim(self) -> Definite:
        return Definite(
            PSD,
            "inner product: φ(x) = √c",
            "any set",
            facts=(POSITIVE_DIAGONAL,) if self.c > 0 else (),
        )

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        out.fill(self.c)

    def diagonal(self, side: Prepared) -> np.ndarray:
        return np.full(len(side), float(self.c))

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        yield "c", None, np.ones(pair.shape)

    def map_features(self, batch: Batch, truncate: int | None) -> Any:
        return np.full((len(batch), 1), math.sqrt(self.c))

    def feature_dim(self, p: int) -> float:
        return 1


class White(Kernel):
    """Noise of the sample, not of its value: k(X) is the identity and k(X, Y) is 0, equal rows or not."""

    definite = Definite(STRICT, "inner product: one orthogonal direction per sample", "any set")
    domain: ClassVar[Domain] = _ANYTHING
    invariance: ClassVar[str] = "none"

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        if pair.x.origin is not pair.y.origin:
            out.fill(0.0)
            return
        same = pair.x.identities()[pair.rows, None] == pair.y.identities()[None, pair.cols]
        np.copyto(out, same)

    def diagonal(self, side: Prepared) -> np.ndarray:
        return np.ones(len(side))
