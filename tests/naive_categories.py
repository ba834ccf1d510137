"""Kernels on tables of categories, straight from their definitions."""

from mpmath import mp, mpf


def _overlap(p, x, y, same):
    return mpf(sum(a == b for a, b in zip(x, y, strict=True))) / len(x)


def _weighted_overlap(p, x, y, same):
    total = mpf(0)
    for a, b, shares in zip(x, y, p["frequencies_"], strict=True):
        if a == b:
            total += (1 - mpf(shares.get(a, 0)) ** p["alpha"]) ** (1 / p["alpha"])
    return mp.exp(p["gamma"] * total / len(x))


KERNELS = {"Overlap": _overlap, "WeightedOverlap": _weighted_overlap}


# ---- holes: the mean over all ways to fill them, each row's holes on their own ----


def _is_hole(value):
    return value is None or bool(value != value)


def _fillings(row, distributions):
    """Pairs (completed row, probability)."""
    ways = [(1, [])]
    for value, distribution in zip(row, distributions, strict=True):
        choices = list(distribution.items()) if _is_hole(value) else [(value, 1)]
        ways = [(weight * p, [*filled, v]) for weight, filled in ways for v, p in choices]
    return [(filled, weight) for weight, filled in ways]


def _expected(p, x, y, same):
    import naive

    inner, fitted = p["kernel"], p["expected_"]
    if inner.name == "RBF":
        return _expected_gaussian(inner.fields, fitted, x, y)
    if inner.name == "Linear":
        x, y = ([m if _is_hole(v) else v for v, m in zip(row, fitted.means_, strict=True)] for row in (x, y))
        return mp.fsum(mpf(float(a)) * mpf(float(b)) for a, b in zip(x, y, strict=True))
    if inner.name == "Polynomial":  # by draws
        shared = [[float(v) for v in column] for column in fitted.table_]
        bags = []
        for row in (x, y):
            whole = not any(_is_hole(v) for v in row)
            rows = [[column[m] if _is_hole(v) else float(v) for v, column in zip(row, shared, strict=True)] for m in range(len(shared[0]))]
            bags.append(rows[:1] if whole else rows)
        values = [naive._evaluate(inner, a, b, False) for a in bags[0] for b in bags[1]]
        return mp.fsum(values) / len(values)
    if inner.name == "WeightedOverlap":
        inner.fields["frequencies_"] = fitted.rarities_
    total = mpf(0)
    for a, weight_a in _fillings(x, fitted.shares_):
        for b, weight_b in _fillings(y, fitted.shares_):
            total += mpf(weight_a) * mpf(weight_b) * naive._evaluate(inner, a, b, False)
    return total


def _expected_gaussian(p, fitted, x, y):
    """By the integral of a Gaussian, column by column."""
    total = mpf(1)
    for a, b, mean, variance in zip(x, y, fitted.means_, fitted.variances_, strict=True):
        mean, variance, scale2 = mpf(float(mean)), mpf(float(variance)), p["length_scale"] ** 2
        holes = _is_hole(a) + _is_hole(b)
        wide = scale2 + holes * variance
        gap = 0 if holes == 2 else (mean - mpf(float(b)) if _is_hole(a) else mpf(float(a)) - (mean if holes else mpf(float(b))))
        total *= mp.sqrt(scale2 / wide) * mp.exp(-(gap**2) / (2 * wide))
    return total


KERNELS |= {"MissingAware": _expected, "Completions": _expected}
