"""Node kernels straight from their definitions: dense matrices in mpmath arithmetic, no
eigenvectors, no sparse storage.
"""

from functools import lru_cache

from mpmath import mp, mpf


def _weights(B, names):
    """The matrix as nested tuples of mpf, and the list of nodes."""
    if hasattr(B, "nodes"):  # networkx
        nodes = list(B)
        rows = [[mpf(0)] * len(nodes) for _ in nodes]
        for i, a in enumerate(nodes):
            for j, b in enumerate(nodes):
                if B.has_edge(a, b):
                    rows[i][j] = mpf(B[a][b].get("weight", 1))
        return tuple(map(tuple, rows)), nodes
    if hasattr(B, "toarray"):
        B = B.toarray().tolist()
    rows = tuple(tuple(mpf(v) for v in row) for row in B)
    return rows, list(range(len(rows))) if names is None else list(names)


def _laplacian(rows):
    n = len(rows)
    return mp.matrix(n, n) + mp.diag([mp.fsum(row) for row in rows]) - mp.matrix(rows)


def _parts(rows):
    """The connected parts, by walking."""
    left, parts = set(range(len(rows))), []
    while left:
        reached, edge = set(), {min(left)}
        while edge:
            reached |= edge
            edge = {j for i in edge for j, w in enumerate(rows[i]) if w} - reached
        parts.append(sorted(reached))
        left -= reached
    return parts


def _pseudo_inverse(rows):
    """(L + J)⁻¹ − J on every connected part, J the mean over it."""
    n, L = len(rows), _laplacian(rows)
    out = mp.matrix(n, n)
    for part in _parts(rows):
        size = len(part)
        J = mp.matrix([[mpf(1) / size] * size for _ in part])
        block = mp.matrix([[L[i, j] for j in part] for i in part])
        inverse = (block + J) ** -1 - J
        for a, i in enumerate(part):
            for b, j in enumerate(part):
                out[i, j] = inverse[a, b]
    return out


def _walk(rows, steps, a):
    n = len(rows)
    degree = [mp.fsum(row) for row in rows]
    L = _laplacian(rows)
    root = [1 / mp.sqrt(d) if d else mpf(0) for d in degree]
    M = mp.matrix(n, n)
    for i in range(n):
        for j in range(n):
            M[i, j] = (a if i == j else 0) - root[i] * L[i, j] * root[j]
    return M ** int(steps)


@lru_cache(maxsize=256)
def _matrix(name, rows, numbers, precision):
    p = dict(numbers)
    if name == "CommonNeighbours":
        return mp.matrix(rows) ** int(p["power"])
    if name == "Diffusion":
        return mp.expm(p["t"] * mp.matrix(rows))
    if name == "LaplacianDiffusion":
        return mp.expm(-p["t"] * _laplacian(rows))
    if name == "RegularizedLaplacian":
        return (mp.eye(len(rows)) + p["t"] * _laplacian(rows)) ** -1
    if name == "CommuteTime":
        return _pseudo_inverse(rows)
    return _walk(rows, p["steps"], p["a"])


def _position(nodes, x):
    value = x[0] if not isinstance(x, str) and hasattr(x, "__len__") and x not in nodes else x
    return nodes.index(value) if value in nodes else int(value)


def _kernel(name):
    def value(p, x, y, same):
        rows, nodes = _weights(p["B"], p["names"])
        numbers = tuple(
            (key, number)
            for key, number in p.items()
            if key not in ("B", "names") and not key.endswith("_")
        )
        return _matrix(name, rows, numbers, mp.prec)[_position(nodes, x), _position(nodes, y)]

    return value


KERNELS = {
    name: _kernel(name)
    for name in (
        "CommonNeighbours",
        "Diffusion",
        "LaplacianDiffusion",
        "RegularizedLaplacian",
        "CommuteTime",
        "RandomWalk",
    )
}
