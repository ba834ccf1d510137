"""Oracles of kernels on distributions: straight from the definitions, scores by numerical
differentiation in mpmath.
"""

from functools import lru_cache

import numpy as np
from mpmath import mp, mpf


def _row(x) -> list:
    return [mpf(float(v)) for v in x]


def _entropy(p):
    return -mp.fsum(v * mp.log(v) for v in p if v)


def _jensen_shannon(p, x, y, same):
    x, y = _row(x), _row(y)
    middle = [(a + b) / 2 for a, b in zip(x, y, strict=True)]
    return mp.exp(-p["gamma"] * (_entropy(middle) - (_entropy(x) + _entropy(y)) / 2))


def _affinity(x, y):
    return mp.fsum(mp.sqrt(a * b) for a, b in zip(_row(x), _row(y), strict=True))


def _probability_product(p, x, y, same):
    return mp.fsum((a * b) ** p["rho"] for a, b in zip(_row(x), _row(y), strict=True) if a * b)


def _mean_embedding(p, x, y, same):
    from naive import _evaluate

    values = [
        _evaluate(p["kernel"], a, b, same and i == j)
        for i, a in enumerate(x)
        for j, b in enumerate(y)
    ]
    return mp.fsum(values) / len(values)


# ---- Fisher: log-likelihoods as functions of a shift of the parameters ----


def _log_sum(values):
    top = max(values)
    return top + mp.log(mp.fsum(mp.exp(v - top) for v in values))


def _softmax_logs(logs, shift):
    logits = [a + b for a, b in zip(logs, shift, strict=True)]
    return [a - _log_sum(logits) for a in logits]


def _numbers(array):
    return [mpf(float(v)) for v in np.ravel(array)]


def _gaussian(x, weights, means, roots, covariances, t):
    """log p(x) with logits + t, means μ + C t, covariances C (I + S(t)) Cᵀ; ``roots`` are C⁻ᵀ as
    scikit-learn keeps them.
    """
    groups, d = np.shape(means)
    t = list(t)
    log_weights = _softmax_logs([mp.log(mpf(float(w))) for w in weights], t[:groups])
    move = np.array(t[groups : groups * (1 + d)], dtype=object).reshape(groups, d)
    rest = t[groups * (1 + d) :]
    each = {"full": d * (d + 1) // 2, "tied": d * (d + 1) // 2, "diag": d, "spherical": 1}[
        covariances
    ]
    found = []
    for k in range(groups):
        root = np.asarray(roots if covariances == "tied" else roots[k])
        inverse = mp.matrix(
            np.diag(np.broadcast_to(root, (d,))).tolist() if root.ndim < 2 else root.tolist()
        )
        z = inverse.T * mp.matrix(
            [mpf(float(a)) - mpf(float(b)) for a, b in zip(x, means[k], strict=True)]
        )
        z = z - mp.matrix(list(move[k]))
        free = rest if covariances == "tied" else rest[k * each : (k + 1) * each]
        spread = mp.eye(d)
        if covariances in ("full", "tied"):
            for value, i, j in zip(free, *np.triu_indices(d), strict=True):
                spread[int(i), int(j)] += value
                if i != j:
                    spread[int(j), int(i)] += value
        else:
            for i in range(d):
                spread[i, i] += free[i if covariances == "diag" else 0]
        volume = (
            mp.fsum(mp.log(inverse[i, i]) for i in range(d))
            - mp.log(mp.det(spread)) / 2
            - d * mp.log(2 * mp.pi) / 2
        )
        found.append(log_weights[k] + volume - (z.T * mp.lu_solve(spread, z))[0] / 2)
    return _log_sum(found)


def _discrete(x, log_weights, log_p, t, bernoulli):
    groups, d = np.shape(log_p)
    shifted = _softmax_logs(_numbers(log_weights), t[:groups])
    found = []
    for k in range(groups):
        logs, move = _numbers(log_p[k]), t[groups + k * d : groups + (k + 1) * d]
        if bernoulli:
            logits = [a - mp.log1p(-mp.exp(a)) + b for a, b in zip(logs, move, strict=True)]
            value = mp.fsum(
                (-mp.log1p(mp.exp(-a)) if v else -mp.log1p(mp.exp(a)))
                for a, v in zip(logits, x, strict=True)
            )
        else:
            value = mp.fsum(a * v for a, v in zip(_softmax_logs(logs, move), x, strict=True))
        found.append(shifted[k] + value)
    return _log_sum(found)


def log_likelihood(name, p, x, t):
    """Of one row under a model given by its name and its fields, the parameters shifted by t."""
    if name == "GaussianMixture":
        return _gaussian(
            x, p["weights_"], p["means_"], p["precisions_cholesky_"], p["covariance_type"], t
        )
    if name == "GaussianNB":
        return _gaussian(x, p["class_prior_"], p["theta_"], 1.0 / np.sqrt(p["var_"]), "diag", t)
    row = _row(x)
    if name == "BernoulliNB" and p["binarize"] is not None:
        row = [v > p["binarize"] for v in row]
    return _discrete(row, p["class_log_prior_"], p["feature_log_prob_"], t, name == "BernoulliNB")


class _Known:
    """A model and a row, hashable by identity of the one and value of the other."""

    def __init__(self, node, x):
        self.node, self.x = node, x
        arrays = sorted(
            (k, np.asarray(v).tobytes())
            for k, v in node.fields.items()
            if k.endswith("_") and isinstance(v, np.ndarray)
        )
        self.key = (
            node.name,
            str(node.fields.get("covariance_type")),
            tuple(arrays),
            np.asarray(x, dtype=float).tobytes(),
        )

    def __eq__(self, other):
        return self.key == other.key

    def __hash__(self):
        return hash(self.key)


@lru_cache(maxsize=512)
def _score(known, count, precision):
    def slope(i):
        return mp.diff(
            lambda s: log_likelihood(
                known.node.name,
                known.node.fields,
                known.x,
                [s if j == i else 0 for j in range(count)],
            ),
            0,
        )

    return [slope(i) for i in range(count)]


@lru_cache(maxsize=512)
def _solved(known, information, count, epsilon, precision):
    matrix = mp.matrix(np.frombuffer(information).reshape(count, count).tolist())
    ridge = epsilon * mp.fsum(matrix[i, i] for i in range(count)) / count
    return mp.lu_solve(matrix + ridge * mp.eye(count), mp.matrix(_score(known, count, precision)))


def _fisher(p, x, y, same):
    information = np.asarray(p["information_"])
    count, x, y = len(information), _Known(p["model"], x), _Known(p["model"], y)
    with mp.workdps(
        40
    ):  # far more than a test needs; a score is a numerical derivative and takes its time
        right = _solved(y, information.tobytes(), count, p["epsilon"], mp.prec)
        return mp.fsum(a * b for a, b in zip(_score(x, count, mp.prec), right, strict=True))


KERNELS = {
    "JensenShannon": _jensen_shannon,
    "Hellinger": lambda p, x, y, same: mp.exp(-p["gamma"] * (1 - _affinity(x, y))),
    "Bhattacharyya": lambda p, x, y, same: _affinity(x, y),
    "ProbabilityProduct": _probability_product,
    "MeanEmbedding": _mean_embedding,
    "Fisher": _fisher,
    # models are parameters of Fisher; their names make them nodes with what they learned
    **dict.fromkeys(("GaussianMixture", "GaussianNB", "MultinomialNB", "BernoulliNB")),
}
