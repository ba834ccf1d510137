"""Exact Gaussian processes against GPyTorch on the published 20 splits of five UCI regression sets.

Run ``python benchmarks/uci.py [name ...] [--splits N] [--write PATH]``; without names, all of them:
boston concrete energy yacht kin8nm.

Both sides learn the same model: mean zero, a scaled RBF kernel with one length scale per column,
and Gaussian noise of variance at
least 1e-6, by the exact evidence, in double precision, from the same start with the same
tolerances: ours by its own descent, GPyTorch by
SciPy's L-BFGS-B. Inputs and target are standardized by the training part. With fewer than 400
training rows (yacht) ours begins at eight
further points. Where there are more than 2,000 training rows (kin8nm), both learn on the first
1,000 of them, and go on from there on all
rows for at most 15 iterations of L-BFGS-B. On every later split of such a set each side begins at
what it learned itself on the split
before, and takes Newton's steps in the logarithms of the parameters, with the second derivatives
found there, until a step promises less
than 0.001 of evidence: an evaluation takes GPyTorch a minute of one core.
Errors and log-likelihoods are of noisy test observations, in the target's units.
"""

from __future__ import annotations

import argparse
import dataclasses
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize
from timing import REAL

from mercer import RBF, GaussianProcessRegressor, White

try:
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", FutureWarning
        )  # of torch.jit, which GPyTorch's own imports use
        import gpytorch
        import torch
        from linear_operator.utils.errors import NanError, NotPSDError
except ImportError:
    gpytorch = None

SETS = ("boston", "concrete", "energy", "yacht", "kin8nm")
START_NOISE, LEAST_NOISE = 0.1, 1e-6  # variances of the standardized target
TINY, STARTS = 400, 8  # below TINY rows ours begins at so many further points
MANY, FEW, CAP = (
    2000,
    1000,
    15,
)  # beyond MANY rows: learn on FEW, then at most CAP iterations on all
GAIN, STEPS = 1e-3, 8  # on later splits: the evidence not worth another step, and the most steps
LEARNED: dict[str, Any] = {}  # by each side on the last split of more than MANY rows


@dataclasses.dataclass
class Outcome:
    """What one library made of one split."""

    rmse: float
    density: float  # mean log-likelihood of the test observations
    evidence: float
    noise: float
    seconds: float


Learner = Callable[
    [np.ndarray, np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray, float, float]
]


# -- ours
# --------------------------------------------------------------------------------------------------


def descend(
    minus: Any, theta: np.ndarray, bounds: Any, iterations: int
) -> tuple[np.ndarray, float]:
    """The optimizer mercer uses by itself, stopped early."""
    result = minimize(
        minus, theta, method="L-BFGS-B", jac=True, bounds=bounds, options={"maxiter": iterations}
    )
    return result.x, result.fun


def newton(minus: Any, theta: np.ndarray, curvature: np.ndarray) -> tuple[np.ndarray, float]:
    """Steps from near the optimum; the second derivatives stay as they are."""
    best = np.inf
    for _ in range(STEPS):
        value, slope = minus(theta)
        if value > best:
            warnings.warn(
                f"a step led from {best:.6g} to {value:.6g}, and was the last", stacklevel=2
            )
            break
        kept, best = theta, value
        step = np.linalg.solve(curvature, slope)
        if step @ slope / 2 < GAIN:
            break
        theta = theta - step
    return kept, best


def by_newton(minus: Any, theta: np.ndarray, bounds: Any) -> tuple[np.ndarray, float]:
    if "curvature" not in LEARNED:  # by differences, once; they only say how far to step
        slope, width = minus(theta)[1], 1e-3
        rows = (
            np.array([minus(theta + width * unit)[1] - slope for unit in np.eye(len(theta))])
            / width
        )
        values, vectors = np.linalg.eigh(rows + rows.T)
        LEARNED["curvature"] = (
            vectors * np.maximum(np.abs(values) / 2, 1.0) @ vectors.T
        )  # a step is down, and no longer than the slope
    return newton(minus, theta, LEARNED["curvature"])


def ours(
    X: np.ndarray, y: np.ndarray, Z: np.ndarray
) -> tuple[np.ndarray, np.ndarray, float, float]:
    """Means and variances of observations at ``Z``, the evidence, and the noise learned."""
    d = X.shape[1]
    kernel = 1.0 * RBF(length_scale=np.full(d, np.sqrt(d))) + START_NOISE * White()
    # White is all the noise there is, as in the peer: alpha would come on top of it
    made = partial(GaussianProcessRegressor, alpha=0.0, bounds={"k2__factor": (LEAST_NOISE, 1e5)})
    if len(X) > MANY:
        first = "ours" not in LEARNED
        kernel = made(kernel).fit(X[:FEW], y[:FEW]).kernel_ if first else LEARNED["ours"]
        model = made(
            kernel, optimizer=partial(descend, iterations=CAP) if first else by_newton
        ).fit(X, y)
        LEARNED["ours"] = model.kernel_
    else:
        # few rows have many maxima: SciPy's first steps in logarithms lead elsewhere than
        # GPyTorch's in its softplus
        model = made(
            kernel, n_restarts_optimizer=STARTS if len(X) < TINY else 0, random_state=0
        ).fit(X, y)
    # the diagonal of White counts in the prior variance k(z, z): the deviations are those of
    # noisy observations
    mean, deviation = model.predict(Z, return_std=True)
    return (
        mean,
        deviation**2,
        model.log_marginal_likelihood_value_,
        model.kernel_.get_params()["k2__factor"],
    )


# -- theirs
# --------------------------------------------------------------------------------------------------


def process(X: Any, y: Any) -> Any:
    """GPyTorch's exact process at the common start; no part of it has a prior unless it is given
    one.
    """
    d = X.shape[1]

    class Process(gpytorch.models.ExactGP):
        def __init__(self) -> None:
            constraint = gpytorch.constraints.GreaterThan(LEAST_NOISE)
            super().__init__(
                X, y, gpytorch.likelihoods.GaussianLikelihood(noise_constraint=constraint)
            )
            self.mean_module = gpytorch.means.ZeroMean()
            self.covar_module = gpytorch.kernels.ScaleKernel(
                gpytorch.kernels.RBFKernel(ard_num_dims=d)
            )

        def forward(self, x: Any) -> Any:
            return gpytorch.distributions.MultivariateNormal(
                self.mean_module(x), self.covar_module(x)
            )

    model = Process().double()
    model.covar_module.outputscale = 1.0
    model.covar_module.base_kernel.lengthscale = float(np.sqrt(d))
    model.likelihood.noise = START_NOISE
    return model


def evidence(model: Any, X: Any, y: Any) -> Callable[[np.ndarray], tuple[float, np.ndarray]]:
    """Minus the evidence, and its slopes, as a function of the model's raw parameters."""
    model.set_train_data(X, y, strict=False)
    model.train()
    likelihood = gpytorch.mlls.ExactMarginalLogLikelihood(model.likelihood, model)
    raw = list(model.parameters())

    def minus(theta: np.ndarray) -> tuple[float, np.ndarray]:
        torch.nn.utils.vector_to_parameters(torch.from_numpy(theta.copy()), raw)
        model.zero_grad()
        try:
            value = -len(y) * likelihood(model(X), y)  # GPyTorch's is per row
        except (NanError, NotPSDError):
            # too long a step of the line search. Infinity would make its next step
            # NaN; this is worse than any point worth a visit
            return 10.0 * len(y), np.zeros(len(theta))
        value.backward()
        return value.item(), np.concatenate([parameter.grad.numpy().ravel() for parameter in raw])

    return minus


def learn(model: Any, X: Any, y: Any, iterations: int | None = None) -> float:
    """Maximize the evidence over the model's raw parameters; the evidence reached."""
    raw = list(model.parameters())
    start = torch.nn.utils.parameters_to_vector(raw).detach().numpy()
    options = {} if iterations is None else {"maxiter": iterations}
    result = minimize(evidence(model, X, y), start, method="L-BFGS-B", jac=True, options=options)
    if result.status not in (0, 1):
        warnings.warn(f"lbfgs failed to converge ({result.message})", stacklevel=2)
    torch.nn.utils.vector_to_parameters(torch.from_numpy(result.x), raw)
    return -float(result.fun)


def learn_again(model: Any, X: Any, y: Any) -> float:
    """The same from near the optimum, by steps in the logarithms of the parameters, in the order of
    ours.
    """
    raw = list(model.parameters())
    names = [name for name, _ in model.named_parameters()]
    assert [name.rpartition(".")[2] for name in names] == [
        "raw_noise",
        "raw_outputscale",
        "raw_lengthscale",
    ], names
    minus = evidence(model, X, y)

    scaled, noisy = model.covar_module, model.likelihood

    def put(theta: np.ndarray) -> np.ndarray:
        size = np.exp(theta)
        scaled.outputscale, scaled.base_kernel.lengthscale, noisy.noise = (
            float(size[0]),
            torch.from_numpy(size[1:-1]),
            float(size[-1]),
        )
        return size

    def minus_log(theta: np.ndarray) -> tuple[float, np.ndarray]:
        size = put(theta)
        at = torch.nn.utils.parameters_to_vector(raw).detach().numpy()
        value, slope = minus(at)
        per_raw = np.roll(
            slope / (1 / (1 + np.exp(-at))), -1
        )  # a parameter is the softplus of its raw one; the noise comes last
        return value, per_raw * size

    start = [
        part.detach().numpy().ravel()
        for part in (scaled.outputscale, scaled.base_kernel.lengthscale, noisy.noise)
    ]
    theta, value = newton(minus_log, np.log(np.concatenate(start)), LEARNED["curvature"])
    put(theta)
    return -value


def theirs(
    X: np.ndarray, y: np.ndarray, Z: np.ndarray
) -> tuple[np.ndarray, np.ndarray, float, float]:
    """As `ours`, by GPyTorch with Cholesky factors wherever it could use conjugate gradients."""
    rows, target, new = (torch.from_numpy(np.ascontiguousarray(part)) for part in (X, y, Z))
    exact = gpytorch.settings.fast_computations(
        covar_root_decomposition=False, log_prob=False, solves=False
    )
    with exact, gpytorch.settings.max_cholesky_size(10**9):
        model = process(rows, target)
        if len(X) > MANY:
            first = "theirs" not in LEARNED
            if first:
                learn(model, rows[:FEW], target[:FEW])
            else:
                model.load_state_dict(LEARNED["theirs"])
            value = learn(model, rows, target, CAP) if first else learn_again(model, rows, target)
            LEARNED["theirs"] = model.state_dict()
        else:
            value = learn(model, rows, target)
        model.eval()
        with torch.no_grad():
            made = model.likelihood(model(new))
            return made.mean.numpy(), made.variance.numpy(), value, float(model.likelihood.noise)


# -- the comparison
# --------------------------------------------------------------------------------------------------


def splits(name: str) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
    """Training and test inputs and targets of every split; the target is the last column."""
    table = np.loadtxt(REAL / name / f"{name}.txt")
    for text in (REAL / name / "splits_test.txt").read_text().splitlines():
        held = np.zeros(len(table), dtype=bool)
        held[np.array(text.split(), dtype=int)] = True
        yield table[~held, :-1], table[~held, -1], table[held, :-1], table[held, -1]


def run(
    learner: Learner, X: np.ndarray, y: np.ndarray, Z: np.ndarray, target: np.ndarray
) -> Outcome:
    center, spread = X.mean(axis=0), X.std(axis=0)
    spread = np.where(spread > 0, spread, 1.0)
    start = time.perf_counter()
    mean, variance, evidence, noise = learner(
        (X - center) / spread, (y - y.mean()) / y.std(), (Z - center) / spread
    )
    seconds = time.perf_counter() - start
    gap, variance = target - (y.mean() + y.std() * mean), y.var() * variance
    density = -0.5 * np.log(2 * np.pi * variance) - 0.5 * gap**2 / variance
    return Outcome(float(np.sqrt(np.mean(gap**2))), float(density.mean()), evidence, noise, seconds)


def told(learner: Learner, label: str, *split: np.ndarray) -> Outcome:
    """Run, and print every warning met on the way: a comparison of fits that failed would say
    nothing.
    """
    with warnings.catch_warnings(record=True) as met:
        warnings.simplefilter("always")
        found = run(learner, *split)
    for message in dict.fromkeys(f"{kind.category.__name__}: {kind.message}" for kind in met):
        print(f"  {label}: {message}", flush=True)
    return found


def mean_error(values: np.ndarray) -> tuple[float, float]:
    """The mean, and its standard error."""
    return float(values.mean()), float(values.std(ddof=1) / np.sqrt(len(values))) if len(
        values
    ) > 1 else float("nan")


HEAD = (
    "| set | splits | quantity | mercer | GPyTorch | difference, paired | within two standard errors |\n"  # noqa: E501
    "| --- | ---: | --- | ---: | ---: | ---: | --- |\n"
)


def rows(name: str, pairs: list[tuple[Outcome, Outcome]]) -> str:
    """The set's lines of the table."""
    made = ""
    for field, label in {
        "rmse": "test RMSE",
        "density": "test log-likelihood",
        "evidence": "evidence",
        "seconds": "seconds",
    }.items():
        a, b = (np.array([getattr(pair[side], field) for pair in pairs]) for side in (0, 1))
        (mine, my), (peer, their), (gap, error) = mean_error(a), mean_error(b), mean_error(a - b)
        cells = [
            name,
            str(len(pairs)),
            label,
            f"{mine:.4f} ± {my:.4f}",
            f"{peer:.4f} ± {their:.4f}",
            f"{gap:+.1e} ± {error:.1e}",
            "",
        ]
        if field in ("rmse", "density") and len(pairs) > 1:
            cells[-1] = "yes" if abs(gap) <= 2 * their else "MISSED"
        made += "| " + " | ".join(cells) + " |\n"
    return made


def compare(name: str, count: int, keep: Callable[[str], None]) -> None:
    """Both libraries on every split, in turn; the set's lines so far are handed to ``keep`` after
    each.
    """
    pairs: list[tuple[Outcome, Outcome]] = []
    LEARNED.clear()
    for i, split in zip(range(count), splits(name), strict=False):
        pairs.append((told(ours, "mercer", *split), told(theirs, "GPyTorch", *split)))
        a, b = pairs[-1]
        shown = (
            f"{field} {getattr(a, field):.6g} / {getattr(b, field):.6g}"
            for field in ("rmse", "density", "evidence", "noise")
        )
        print(f"{name} {i}: {', '.join(shown)}, {a.seconds:.1f} / {b.seconds:.1f} s", flush=True)
        keep(rows(name, pairs))


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("names", nargs="*", choices=[*SETS, []], help="which data sets")
    options.add_argument(
        "--splits", type=int, default=20, help="how many of the splits, from the first"
    )
    options.add_argument("--write", type=Path, help="where to write the table, split by split")
    given = options.parse_args()
    if gpytorch is None:
        print("GPyTorch is not installed: there is nothing to compare with")
        return
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((50, 3)), rng.standard_normal(50)
    for learner in (ours, theirs):
        run(learner, X, y, X + 1.0, y)  # what is compiled at first use is not timed
    made: dict[str, str] = {}
    for name in given.names or SETS:
        if not (REAL / name).is_dir():
            print(f"{name}: the data are not here")
            continue

        def keep(lines: str) -> None:
            made[name] = lines
            if given.write is not None:
                given.write.write_text(HEAD + "".join(made.values()))

        compare(name, given.splits, keep)
    if made:
        print("\n" + HEAD + "".join(made.values()), flush=True)


if __name__ == "__main__":
    main()
