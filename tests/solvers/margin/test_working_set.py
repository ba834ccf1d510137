"""The blocked solver finds what plain pairs find, with few rows at hand."""

from __future__ import annotations

import numpy as np
import pytest

from mercer import RBF, SVC, SVR, NuSVC, NuSVR, OneClassSVM, config_context
from mercer.gram.row_cache import RowCache
from mercer.solvers.margin import problem as margin_problem
from mercer.solvers.margin.dual import Bounds, DualProblem
from mercer.solvers.margin.smo import solve_dual
from mercer.solvers.margin.working_set import solve_blocked


class Rows:
    """Rows of a stored matrix, and which were asked for."""

    quick = False

    def __init__(self, K):
        self.K, self.asked = K, []

    def __len__(self):
        return len(self.K)

    def rows(self, index, out):
        self.asked.extend(index.tolist())
        out[...] = self.K[index]

    def block(self, rows, columns, out=None):
        raise AssertionError("only a quick source is asked for blocks")


def problem(n: int, C: float, seed: int = 0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 4))
    sign = np.where(X[:, 0] * X[:, 1] + 0.3 * rng.standard_normal(n) > 0, 1.0, -1.0)
    return X, sign, np.where(sign < 0, -C, 0.0)[None], np.where(sign > 0, C, 0.0)[None]


@pytest.mark.parametrize("C", [0.5, 20.0])
@pytest.mark.parametrize("slots", [130, 400, 700])
def test_equals_plain_pairs(C, slots, monkeypatch):
    import mercer.solvers.margin.working_set as blocked

    monkeypatch.setattr(blocked, "SIZE", 128)
    X, sign, lower, upper = problem(700, C)
    K = RBF()(X)
    bounds = Bounds(lower, upper)
    plain = solve_dual(K, DualProblem(sign[None], bounds, np.zeros((1, 700))))
    with config_context(memory_budget=8 * 700 * slots):
        cache = RowCache(Rows(K))
    assert cache.slots == slots
    problem_again = DualProblem(sign[None], bounds, np.zeros((1, 700)))
    made = solve_blocked(cache, K.diagonal().copy(), problem_again)
    assert made.converged and made.gap <= 1.1e-3
    assert made.objective == pytest.approx(plain.objective, rel=1e-5)
    np.testing.assert_allclose(K @ made.beta[0], K @ plain.beta[0], atol=2e-2)


def test_rows_are_computed_once_while_there_is_room(monkeypatch):
    monkeypatch.setattr("mercer.gram.row_cache._LEAST", 4)
    source = Rows(np.repeat(np.arange(50.0)[:, None], 50, axis=1))
    asked = source.asked
    with config_context(memory_budget=8 * 50 * 10):
        cache = RowCache(source)
    for rows in ([1, 2, 3], [2, 3, 4], [1, 4]):
        slots = cache.want(np.array(rows))
        assert cache.table[slots, 0].tolist() == rows
    assert asked == [1, 2, 3, 4]
    for start in range(10, 50, 5):
        rows = np.arange(start, start + 5)
        assert cache.table[cache.want(rows), 0].tolist() == rows.tolist()
    assert cache.table[cache.want(np.array([1])), 0].tolist() == [1]
    assert asked.count(1) == 2  # it had to give way


@pytest.mark.parametrize(
    "model",
    [
        SVC(kernel=RBF(), C=5.0),
        NuSVC(kernel=RBF(), nu=0.3),
        SVR(kernel=RBF(), C=5.0),
        NuSVR(kernel=RBF()),
        OneClassSVM(kernel=RBF(), nu=0.2),
    ],
    ids=repr,
)
def test_machines_agree_on_either_path(model, monkeypatch):
    from sklearn.base import clone

    X, sign, _, _ = problem(500, 1.0)
    dense = clone(model).fit(X, sign)
    monkeypatch.setattr(margin_problem, "_SMALL", 100)
    with config_context(memory_budget="1 MB"):
        blocked = clone(model).fit(X, sign)
    assert "rows on demand" in blocked.report_.plan and "dense" in dense.report_.plan
    value = "decision_function" if hasattr(model, "decision_function") else "predict"
    np.testing.assert_allclose(getattr(blocked, value)(X), getattr(dense, value)(X), atol=2e-2)


def test_bits_do_not_depend_on_threads(monkeypatch):
    monkeypatch.setattr(margin_problem, "_SMALL", 100)
    X, sign, _, _ = problem(900, 1.0)
    found = []
    for threads in (1, 2, 8):
        with config_context(threads=threads):
            found.append(SVC(kernel=RBF(), C=10.0).fit(X, sign).dual_coef_)
    assert all(np.array_equal(found[0], other) for other in found[1:])


class QuickRows(Rows):
    """The same rows from a source that computes blocks."""

    quick = True

    def block(self, rows, columns, out=None):
        if out is None:
            out = np.empty((len(rows), len(columns)), dtype=np.float32)
        out[:, : len(columns)] = self.K[np.ix_(rows, columns)]
        return out


@pytest.mark.parametrize("slots", [70, 700])
def test_only_rows_that_moved_are_computed(slots, monkeypatch):
    import mercer.solvers.margin.working_set as blocked

    monkeypatch.setattr(blocked, "SIZE", 128)
    # 70 slots are fewer than the variables that move in a round
    monkeypatch.setattr("mercer.gram.plan._QUICK_ROWS", 4 * 700 * slots)
    X, sign, lower, upper = problem(700, 1.0)
    K = RBF()(X).astype(np.float32)
    made, asked = {}, {}
    for kind in (Rows, QuickRows):
        with config_context(memory_budget=8 * 700 * 700):
            cache = RowCache(kind(K))
        assert cache.slots == (slots if kind.quick else 700)
        dual = DualProblem(sign[None], Bounds(lower, upper), np.zeros((1, 700)))
        made[kind] = solve_blocked(cache, np.ones(700), dual)
        asked[kind] = set(cache.source.asked)
    quick = made[QuickRows]
    np.testing.assert_array_equal(quick.beta, made[Rows].beta)
    assert set(np.flatnonzero(quick.beta[0])) <= asked[QuickRows] < asked[Rows]
    # the slack that every round updates is the one computed afresh
    fresh = sign - K.astype(np.float64) @ quick.beta[0]
    np.testing.assert_allclose(quick.slack[0], fresh, atol=1e-12)
    assert quick.converged
