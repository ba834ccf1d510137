"""Slow, obvious kernel values to test fast ones against.

Every kernel is written here straight from its definition, one pair of rows at a time, in mpmath
arithmetic.  Nothing
is imported from the library under test: a kernel is only asked for its class name and for
``get_params(deep=False)``,
and is then copied into a tree of plain nodes.  Floats are taken as the exact binary numbers they
are.

Formulas work at whatever precision is current and never set it themselves; the public functions
choose it.  That is
what lets ``mpmath.diff`` rerun them with more digits to take a derivative.
"""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from itertools import chain, combinations, combinations_with_replacement

import numpy as np
from mpmath import mp, mpf

DIGITS = 60  # significant digits of every result
# further digits to lose: arc-cosine of order 2 at an angle 1e-16 from opposite cancels 64 of them
GUARD = 70
SERIES_TINY = 1e-70  # a power series ends after SERIES_QUIET terms in a row below this,
SERIES_QUIET = 32  # a row of them because one zero coefficient says nothing of the next,
SERIES_LIMIT = 20_000  # or here


# ---- The plain tree ----


@dataclass(frozen=True, eq=False)
class Node:
    """A kernel's name and its fields: mpf, nested lists of mpf, child Nodes, or anything else left
    as it was.
    """

    name: str
    fields: dict


class Rows(tuple):
    """Raw rows of any kind, hashable by identity because sets and arrays are not by value."""

    __eq__, __hash__ = object.__eq__, object.__hash__


def _exact(value):
    """A field as exact numbers, lists of them, or a Node; functions, slices, mpf and the like pass
    through.
    """
    if hasattr(value, "get_params") and not isinstance(value, type):
        return _node(value)
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [_exact(v) for v in value]
    if isinstance(value, Fraction):
        return mpf(value.numerator) / value.denominator
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return mpf(value)
    return value


def _node(kernel) -> Node:
    name, function = type(kernel).__name__, getattr(kernel, "python_function", None)
    if function is not None:
        return Node("custom", {"function": function, "params": dict(kernel.function_params)})
    if name not in KNOWN:
        raise KeyError(f"{name}: write its formula in tests/naive/, as CONTRIBUTING.md says")
    fields = {key: _exact(field) for key, field in kernel.get_params(deep=False).items()}
    if name == "Centered":
        center = getattr(kernel, "center_", None)
        fields["center_"] = None if center is None else Rows(center)
    elif name == "Warp":  # the fitted map, where the kernel has one
        fields["function"] = kernel.learned
    elif name in STRUCTURED:  # what was learned from data, as it is
        fields.update(
            {
                key: field
                for key, field in vars(kernel).items()
                if key.endswith("_") and not key.startswith("_")
            }
        )
    return Node(name, fields)


def _evaluate(node: Node, x, y, same: bool):
    if node.name in NUMERIC:
        if len(x) != len(y):
            raise ValueError(f"rows of {len(x)} and {len(y)} columns")
        return NUMERIC[node.name](node.fields, _numbers(x), _numbers(y))
    if node.name in SETS:
        return SETS[node.name](_members(x), _members(y))
    return GENERAL[node.name](node.fields, x, y, same)


def _numbers(row) -> list:
    return [mpf(float(v)) for v in row]


def _members(row) -> frozenset:
    """A set as it is, or the indices of the ones in a 0-1 row."""
    return (
        frozenset(row)
        if isinstance(row, (set, frozenset))
        else frozenset(i for i, v in enumerate(row) if v)
    )


# ---- Kernels of two vectors of numbers: f(fields, x, y) ----


def _dot(x, y):
    return mp.fsum(a * b for a, b in zip(x, y, strict=True))


def _differences(x, y, scale=1) -> list:
    """x - y, each column over its scale or all over the one scale."""
    scales = scale if isinstance(scale, list) else [scale] * len(x)
    return [(a - b) / s for a, b, s in zip(x, y, scales, strict=True)]


def _r2(x, y, scale=1):
    return mp.fsum(d**2 for d in _differences(x, y, scale))


def _r(x, y, scale=1):
    return mp.sqrt(_r2(x, y, scale))


def _arc_cosine(p, x, y):
    order, xx, yy = int(p["order"]), _dot(x, x), _dot(y, y)
    if xx == 0 or yy == 0:
        return mpf(1) / 2 if order == 0 else mpf(0)
    # |x||y| sin(theta) by Lagrange's identity: unlike acos of a rounded cosine, exact for
    # parallel vectors.
    pairs = combinations(range(len(x)), 2)
    wedge = mp.sqrt(mp.fsum((x[i] * y[j] - x[j] * y[i]) ** 2 for i, j in pairs))
    rest = mp.atan2(wedge, -_dot(x, y))  # pi - theta
    sin, cos = mp.sin(rest), -mp.cos(rest)  # of theta
    angular = (rest, sin + rest * cos, 3 * sin * cos + rest * (1 + 2 * cos**2))[order]
    return mp.sqrt(xx * yy) ** order * angular / mp.pi


def _cosine(p, x, y):
    norms = mp.sqrt(_dot(x, x) * _dot(y, y))
    return _dot(x, y) / norms if norms else mpf(0)


def _rbf(p, x, y):
    return mp.exp(-_r2(x, y, p["length_scale"]) / 2)


def _matern(p, x, y):
    nu = p["nu"]
    if mp.isinf(nu):
        return _rbf(p, x, y)
    z = mp.sqrt(2 * nu) * _r(x, y, p["length_scale"])
    return 2 ** (1 - nu) / mp.gamma(nu) * z**nu * mp.besselk(nu, z) if z else mpf(1)


def _periodic(p, x, y):
    sines = [mp.sinpi(d) for d in _differences(x, y, p["period"])]
    return mp.exp(-2 * _r2(sines, [0] * len(sines), p["length_scale"]))


def _bessel(p, x, y):
    nu, z = p["order"], _r(x, y, p["length_scale"])
    return mp.gamma(nu + 1) * (2 / z) ** nu * mp.besselj(nu, z) if z else mpf(1)


def _wendland(p, x, y):
    t, k = _r(x, y, p["length_scale"]), int(p["smoothness"])
    n = int(p["dimension"]) // 2 + k + 1
    if t >= 1:
        return mpf(0)
    polynomial = (
        mpf(1),
        (n + 1) * t + 1,
        ((n**2 + 4 * n + 3) * t**2 + (3 * n + 6) * t + 3) / 3,
        (
            (n**3 + 9 * n**2 + 23 * n + 15) * t**3
            + (6 * n**2 + 36 * n + 45) * t**2
            + (15 * n + 45) * t
            + 15
        )
        / 15,
    )[k]
    return (1 - t) ** (n + k) * polynomial


def _spline(a, b):
    m = min(a, b)
    return 1 + a * b + a * b * m - (a + b) / 2 * m**2 + m**3 / 3


def _chi2(a, b):
    return (a - b) ** 2 / (a + b) if a or b else mpf(0)


def _tanimoto(p, x, y):
    if p["form"] == "minmax":
        common, whole = mp.fsum(map(min, x, y)), mp.fsum(map(max, x, y))
    else:
        common = _dot(x, y)
        whole = _dot(x, x) + _dot(y, y) - common
    return common / whole if whole else mpf(1)


def _subsets(items):
    items = list(items)
    return chain.from_iterable(combinations(items, size) for size in range(len(items) + 1))


def _sum_of_products(subsets):
    return mp.fsum(mp.fprod(a * b for a, b in pairs) for pairs in subsets)


def _stationary(p, x, y):
    """Frequencies and densities are floats; everything else is exact."""
    count = int(p["points"])
    omega = float(p["cutoff"]) * (np.arange(count) + 0.5) / count
    mass = [mpf(float(s)) for s in p["spectral_density"](omega)]
    total = mp.fsum(mass)

    def column(r):
        waves = zip(mass, omega, strict=True)
        return mp.fsum(m * mp.cos(mpf(float(w)) * r) for m, w in waves) / total

    return mp.fprod(column((a - b) / p["length_scale"]) for a, b in zip(x, y, strict=True))


def _with(node, path, value):
    """A node with one of its fields, or of its children's fields, replaced."""
    head, _, rest = path.partition("__")
    new = _with(node.fields[head], rest, value) if rest else value
    return Node(node.name, {**node.fields, head: new})


def _mixture(p, x, y, same):
    terms = zip(p["weights"], p["values"], strict=True)
    nodes = ((w, _with(p["kernel"], p["parameter"], v)) for w, v in terms)
    return mp.fsum(w * _evaluate(node, x, y, same) for w, node in nodes)


NUMERIC = {
    "Stationary": _stationary,
    "Linear": lambda p, x, y: _dot(x, y),
    "GeneralLinear": lambda p, x, y: _dot(x, [_dot(row, y) for row in p["A"]]),
    "Polynomial": lambda p, x, y: (p["scale"] * _dot(x, y) + p["offset"]) ** p["degree"],
    "ExponentialDot": lambda p, x, y: mp.exp(p["alpha"] * _dot(x, y)),
    "Sigmoid": lambda p, x, y: mp.tanh(p["scale"] * _dot(x, y) + p["offset"]),
    "ArcCosine": _arc_cosine,
    "Cosine": _cosine,
    "RBF": _rbf,
    "Gaussian": _rbf,
    "Exponential": lambda p, x, y: mp.exp(-_r(x, y, p["length_scale"])),
    "Laplacian": lambda p, x, y: mp.exp(-mp.fsum(map(abs, _differences(x, y, p["length_scale"])))),
    "Matern": _matern,
    "RationalQuadratic": lambda p, x, y: (
        (1 + _r2(x, y, p["length_scale"]) / (2 * p["alpha"])) ** -p["alpha"]
    ),
    "InverseMultiquadric": lambda p, x, y: 1 / mp.sqrt(_r2(x, y) + p["c"] ** 2),
    "Multiquadric": lambda p, x, y: -mp.sqrt(_r2(x, y) + p["c"] ** 2),
    "NegativeDistance": lambda p, x, y: -(_r(x, y) ** p["power"]),
    "LogDistance": lambda p, x, y: -mp.log1p(_r(x, y) ** p["power"]),
    "Periodic": _periodic,
    "Bessel": _bessel,
    "DistanceCosine": lambda p, x, y: mp.cos(_r(x, y, p["length_scale"])),
    "Wendland": _wendland,
    "Spline": lambda p, x, y: mp.fprod(map(_spline, x, y)),
    "Brownian": lambda p, x, y: mp.fprod(map(min, x, y)),
    "Tanimoto": _tanimoto,
    "Chi2": lambda p, x, y: mp.exp(-p["gamma"] * mp.fsum(map(_chi2, x, y))),
    "ANOVA": lambda p, x, y: _sum_of_products(
        combinations(zip(x, y, strict=True), int(p["degree"]))
    ),
    "AllSubsets": lambda p, x, y: _sum_of_products(_subsets(zip(x, y, strict=True))),
    "Matches": lambda p, x, y: _dot(x, y) / len(x),
}

SETS = {
    "Jaccard": lambda a, b: mpf(len(a & b)) / len(a | b) if a | b else mpf(1),
    "SharedSubsets": lambda a, b: mpf(2) ** len(a & b),
    "SetIntersection": lambda a, b: mpf(len(a & b)),
}


# ---- Kernels of anything, and kernels of kernels: f(fields, x, y, same) ----


def _child(p, x, y, same):
    return _evaluate(p["kernel"], x, y, same)


def _children(p, x, y, same) -> list:
    return [_evaluate(field, x, y, same) for field in p.values() if isinstance(field, Node)]


def _apply(p, row) -> np.ndarray:
    """What the kernel's function of a table makes of a table of this one row."""
    return np.atleast_1d(np.asarray(p["function"](np.array([row], dtype=float)))[0])


def _index(row) -> int:
    return int(np.ravel(row)[0])


def _power_series(p, x, y, same):
    t, coefficients = _child(p, x, y, same), p["coefficients"]
    if not callable(coefficients):
        return mp.fsum(a * t**n for n, a in enumerate(coefficients))
    total, power, quiet = mpf(0), mpf(1), 0
    for n in range(SERIES_LIMIT):
        term = _exact(coefficients(n)) * power
        total, power = total + term, power * t
        quiet = quiet + 1 if abs(term) < SERIES_TINY else 0
        if quiet == SERIES_QUIET:
            break
    return total


def _normalized(p, x, y, same):
    diagonal = _child(p, x, x, True) * _child(p, y, y, True)
    return _child(p, x, y, same) / mp.sqrt(diagonal) if diagonal else mpf(0)


def _mean(values: list):
    return mp.fsum(values) / len(values)


@lru_cache(maxsize=64)
def _center_mean(node: Node, center: Rows, precision: int):
    """Mean over all pairs of centers: one number shared by every entry of a Gram matrix, hence
    remembered.
    """
    indices = range(len(center))
    return _mean([_evaluate(node, center[i], center[j], i == j) for i in indices for j in indices])


def _centered(p, x, y, same):
    node, center = p["kernel"], p["center_"]
    if center is None:
        raise ValueError("a Centered kernel without centers has no value")
    from_x = _mean([_evaluate(node, x, c, False) for c in center])
    from_y = _mean([_evaluate(node, y, c, False) for c in center])
    return _evaluate(node, x, y, same) - from_x - from_y + _center_mean(node, center, mp.prec)


def _on(p, x, y, same):
    columns = p["columns"] if isinstance(p["columns"], slice) else [int(c) for c in p["columns"]]
    return _child(p, np.asarray(x)[columns], np.asarray(y)[columns], same)


def _counts(node, x) -> dict:
    """The features of a sample under a kernel, by name."""
    if node is None or node.name == "Linear":
        return dict(enumerate(_numbers(x)))
    if node.name == "SetIntersection":
        return dict.fromkeys(_members(x), mpf(1))
    if node.name == "Spectrum":
        return Counter(import_module("naive.strings").substrings(x, int(node.fields["length"])))
    trees = import_module("naive.trees")
    features = trees.features(node.name, node.fields, x)
    norm = mp.sqrt(trees.inner(features, features)) if node.fields["normalized"] else mpf(1)
    return {key: weight / norm for key, weight in features.items()}


def _intersection(p, x, y, same):
    a, b = _counts(p["of"], x), _counts(p["of"], y)
    return mp.fsum(min(a[j], b[j]) for j in a if j in b)


GENERAL = {
    "custom": lambda p, x, y, same: mpf(float(p["function"](x, y, **p["params"]))),
    "Constant": lambda p, x, y, same: p["c"],
    "White": lambda p, x, y, same: mpf(1 if same else 0),
    "Precomputed": lambda p, x, y, same: p["matrix"][_index(x)][_index(y)],
    "Sum": lambda p, x, y, same: mp.fsum(_children(p, x, y, same)),
    "Limit": lambda p, x, y, same: list(_children(p, x, y, same))[-1],
    "Mixture": _mixture,
    "Product": lambda p, x, y, same: mp.fprod(_children(p, x, y, same)),
    "Scaled": lambda p, x, y, same: p["factor"] * _child(p, x, y, same),
    "Power": lambda p, x, y, same: _child(p, x, y, same) ** p["exponent"],
    "PowerSeries": _power_series,
    "Exp": lambda p, x, y, same: mp.exp(_child(p, x, y, same)),
    "HistogramIntersection": _intersection,
    "Convolution": lambda p, x, y, same: mp.fsum(
        _evaluate(p["kernel"], a, b, False) for a in p["parts"](x) for b in p["parts"](y)
    ),
    "Normalized": _normalized,
    "Centered": _centered,
    "Warp": lambda p, x, y, same: _child(p, _apply(p, x), _apply(p, y), same),
    "On": _on,
    "Conformal": lambda p, x, y, same: (
        float(_apply(p, x)[0]) * _child(p, x, y, same) * float(_apply(p, y)[0])
    ),
    "FromFeatures": lambda p, x, y, same: _dot(_numbers(_apply(p, x)), _numbers(_apply(p, y))),
}

# kernels of samples that are not vectors: each family has an oracle of its own, f(fields, x, y,
# same)
STRUCTURED: set = set()
_FAMILIES = ["categories", "strings", "alignments", "texts", "distributions", "nodes"]
_FAMILIES += ["whole_graphs", "trees", "series"]
for _family in _FAMILIES:
    if find_spec(f"naive.{_family}") is not None:
        _kernels = import_module(f"naive.{_family}").KERNELS
        GENERAL.update(_kernels)
        STRUCTURED |= set(_kernels)

KNOWN: frozenset = frozenset(NUMERIC) | frozenset(SETS) | frozenset(GENERAL) - {"custom"}


# ---- What the tests call ----


def _rounded(number) -> mpf:
    with mp.workdps(DIGITS):
        return +mpf(number)  # mpf() refuses a complex number, so none escapes


def value(kernel, x, y, same: bool = False) -> mpf:
    """The kernel of two rows; ``same`` says that they are one and the same observation, which only
    White minds.
    """
    with mp.workdps(DIGITS + GUARD):
        return _rounded(_evaluate(_node(kernel), x, y, same))


def gram(kernel, X, Y=None) -> np.ndarray:
    """All kernel values of rows X against rows Y, or against X itself, as an object
    array of mpf.
    """
    rows, columns = list(X), list(X if Y is None else Y)
    K = np.empty((len(rows), len(columns)), dtype=object)
    with mp.workdps(DIGITS + GUARD):
        node = _node(kernel)
        for i, j in np.ndindex(K.shape):
            K[i, j] = _rounded(_evaluate(node, rows[i], columns[j], Y is None and i == j))
    return K


def _replaced(tree, path: list, number):
    """The tree with the number at this path of field names and array positions replaced."""
    if not path:
        return number
    step, *rest = path
    if isinstance(tree, Node):
        return Node(tree.name, {**tree.fields, step: _replaced(tree.fields[step], rest, number)})
    branches = list(tree)
    branches[step] = _replaced(branches[step], rest, number)
    return branches


def derivative(kernel, path: str, index, x, y, same: bool = False) -> mpf:
    """Derivative of the value in one parameter: ``index`` is None for a scalar, else where in the
    array it stands.
    """
    steps = path.split("__") + ([] if index is None else np.atleast_1d(index).tolist())
    with mp.workdps(DIGITS):  # diff itself doubles this for the two values it subtracts
        at = node = _node(kernel)
        for step in steps:
            at = at.fields[step] if isinstance(at, Node) else at[step]
        return _rounded(
            mp.diff(lambda number: _evaluate(_replaced(node, steps, number), x, y, same), at)
        )


# Sums with signs, whose rounding errors are relative to the same sums of absolute numbers.
SIGNED_SUMS = frozenset({"Linear", "GeneralLinear", "Polynomial", "ANOVA", "AllSubsets"})


def _absolute(field):
    return [_absolute(f) for f in field] if isinstance(field, list) else abs(field)


def condition(kernel, x, y, same: bool = False) -> mpf:
    """The magnitude that rounding errors of the value are relative to."""
    with mp.workdps(DIGITS + GUARD):
        node = _node(kernel)
        if node.name in SIGNED_SUMS:
            node = Node(node.name, {key: _absolute(field) for key, field in node.fields.items()})
            x, y = _absolute(list(x)), _absolute(list(y))
        return _rounded(abs(_evaluate(node, x, y, same)))


def _polynomial_features(p, x) -> list:
    """Monomials of the row with sqrt(offset) appended, each weighted by the root of its multinomial
    coefficient.
    """
    degree = int(p["degree"])
    row = [mp.sqrt(p["scale"]) * v for v in x] + [mp.sqrt(p["offset"])]
    features = []
    for monomial in combinations_with_replacement(range(len(row)), degree):
        repeats = mp.fprod(mp.factorial(times) for times in Counter(monomial).values())
        features.append(
            mp.sqrt(mp.factorial(degree) / repeats) * mp.fprod(row[i] for i in monomial)
        )
    return features


FEATURES = {
    "Polynomial": _polynomial_features,
    "ANOVA": lambda p, x: map(mp.fprod, combinations(x, int(p["degree"]))),
    "AllSubsets": lambda p, x: map(mp.fprod, _subsets(x)),
}


def features_by_enumeration(kernel, x, universe=None) -> list:
    """Explicit features whose inner product is the kernel; a Python set needs the ``universe`` it
    is drawn from.
    """
    with mp.workdps(DIGITS + GUARD):
        node = _node(kernel)
        if node.name == "SharedSubsets":
            subsets = _subsets(range(len(x)) if universe is None else universe)
            return [mpf(1 if _members(x).issuperset(subset) else 0) for subset in subsets]
        return [_rounded(feature) for feature in FEATURES[node.name](node.fields, _numbers(x))]


def min_eigenvalue(K) -> mpf:
    """Smallest eigenvalue of a small symmetric matrix."""
    with mp.workdps(DIGITS):
        return min(mp.eigsy(mp.matrix(np.asarray(K).tolist()), eigvals_only=True))


def is_psd(K, tol) -> bool:
    """Whether no eigenvalue is below ``-tol``."""
    return min_eigenvalue(K) >= -tol
