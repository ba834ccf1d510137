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


def _is_missing(value):
    return value is None or bool(value != value)


def _fillings(row, distributions):
    """Pairs (completed row, probability)."""
    ways = [(1, [])]
    for value, distribution in zip(row, distributions, strict=True):
        choices = list(distribution.items()) if _is_missing(value) else [(value, 1)]
        ways = [(weight * p, [*filled, v]) for weight, filled in ways for v, p in choices]
    return [(filled, weight) for weight, filled in ways]


def _expected(p, x, y, same):
    import naive

    inner, fitted = p["kernel"], p["expected_"]
    if inner.name == "RBF":
        return _expected_gaussian(inner.fields, fitted, x, y)
    if inner.name == "Linear":
        x, y = (
            [m if _is_missing(v) else v for v, m in zip(row, fitted.means_, strict=True)]
            for row in (x, y)
        )
        return mp.fsum(mpf(float(a)) * mpf(float(b)) for a, b in zip(x, y, strict=True))
    if inner.name == "Polynomial":  # by draws
        shared = [[float(v) for v in column] for column in fitted.table_]
        bags = []
        for row in (x, y):
            whole = not any(_is_missing(v) for v in row)
            rows = [
                [
                    column[m] if _is_missing(v) else float(v)
                    for v, column in zip(row, shared, strict=True)
                ]
                for m in range(len(shared[0]))
            ]
            bags.append(rows[:1] if whole else rows)
        values = [naive._evaluate(inner, a, b, False) for a in bags[0] for b in bags[1]]
        return mp.fsum(values) / len(values)
    if inner.name == "WeightedOverlap":
        inner.fields["frequencies_"] = fitted.rarities_

    def value(a, b):
        if (
            inner.name == "Warp"
        ):  # RBF @ one_hot: every column in which they differ adds 2 to the squared distance
            return mp.exp(
                -sum(u != v for u, v in zip(a, b, strict=True))
                / inner.fields["kernel"].fields["length_scale"] ** 2
            )
        return naive._evaluate(inner, a, b, False)

    total = mpf(0)
    for a, weight_a in _fillings(x, fitted.shares_):
        for b, weight_b in _fillings(y, fitted.shares_):
            total += mpf(weight_a) * mpf(weight_b) * value(a, b)
    return total


def _expected_gaussian(p, fitted, x, y):
    """By the integral of a Gaussian, or by all values of the column, column by column."""
    total = mpf(1)
    if fitted.observed_ is not None:
        for a, b, (values, counts) in zip(x, y, fitted.observed_, strict=True):
            chances = [
                (mpf(float(v)), mpf(int(c)) / int(counts.sum()))
                for v, c in zip(values, counts, strict=True)
            ]
            left, right = (chances if _is_missing(v) else [(mpf(float(v)), mpf(1))] for v in (a, b))
            total *= mp.fsum(
                w * z * mp.exp(-((u - v) ** 2) / (2 * p["length_scale"] ** 2))
                for u, w in left
                for v, z in right
            )
        return total
    for a, b, mean, variance in zip(x, y, fitted.means_, fitted.variances_, strict=True):
        mean, variance, scale2 = mpf(float(mean)), mpf(float(variance)), p["length_scale"] ** 2
        holes = _is_missing(a) + _is_missing(b)
        wide = scale2 + holes * variance
        gap = (
            0
            if holes == 2
            else (
                mean - mpf(float(b))
                if _is_missing(a)
                else mpf(float(a)) - (mean if holes else mpf(float(b)))
            )
        )
        total *= mp.sqrt(scale2 / wide) * mp.exp(-(gap**2) / (2 * wide))
    return total


KERNELS |= {"MissingAware": _expected, "Completions": _expected}


def _same_holes(p, x, y, same):
    different = sum(
        (_is_missing(a) or a in p["missing"]) != (_is_missing(b) or b in p["missing"])
        for a, b in zip(x, y, strict=True)
    )
    return mp.exp(-different / mpf(p["length_scale"]) ** 2)


KERNELS |= {"SharedMissingness": _same_holes}


# ---- holes filled: once by what is usual in the training column, or by donors ----


def _training_rows(deck):
    return list(zip(*(column.values for column in deck.columns), strict=True))


def _usual(column):
    seen = [v for v in column if not _is_missing(v)]
    if all(isinstance(v, float) for v in seen):
        return sum(map(mpf, seen)) / len(seen)
    most = max(seen.count(v) for v in seen)
    return sorted(v for v in set(seen) if seen.count(v) == most)[0]


def _mode_filled(p, x, y, same):
    import naive

    usual = [_usual(column.values) for column in p["deck_"].columns]
    x, y = ([m if _is_missing(v) else v for v, m in zip(row, usual, strict=True)] for row in (x, y))
    return naive._evaluate(p["kernel"], x, y, same)


def _imputed(p, x, y, same):
    """The draws are the library's; what they may be, and how they are used, is not."""
    import naive

    deck = p["deck_"]
    rows = _training_rows(deck)
    filled = []
    for row in (x, y):
        versions = deck.completions([list(row)])[0]
        for version in versions:
            for k, (value, made) in enumerate(zip(row, version, strict=True)):
                if not _is_missing(value):
                    assert value == made
                else:
                    assert made in [rows[i][k] for i in _donors(row, rows, k, int(p["donors"]))]
        filled.append(versions)
    values = [naive._evaluate(p["kernel"], a, b, same) for a, b in zip(*filled, strict=True)]
    return mp.fsum(values) / len(values)


def _donors(row, rows, k, count):
    """All that may be among the nearest rows, whichever way ties are broken."""
    ranges = []
    for column in zip(*rows, strict=True):
        seen = [v for v in column if not _is_missing(v)]
        ranges.append(max(seen) - min(seen) if all(isinstance(v, float) for v in seen) else None)

    def apart(other):
        shared = [
            (a, b, r)
            for a, b, r in zip(row, other, ranges, strict=True)
            if not (_is_missing(a) or _is_missing(b))
        ]
        terms = [abs(a - b) / (r or 1.0) if r is not None else float(a != b) for a, b, r in shared]
        return sum(terms) / len(terms) if terms else 1.0

    able = [i for i, other in enumerate(rows) if not _is_missing(other[k])]
    nearest = sorted(apart(rows[i]) for i in able)[:count]
    return [i for i in able if apart(rows[i]) <= nearest[-1] + 1e-12]


KERNELS |= {"ModeFilled": _mode_filled, "Imputed": _imputed}
