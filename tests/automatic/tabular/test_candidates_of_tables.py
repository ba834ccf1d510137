"""Targets, metrics and sums that the models of tables choose from, against definitions."""

from __future__ import annotations

import numpy as np
import pytest

from mercer import AutoRegressor, load, save
from mercer.automatic.tabular import kernels
from mercer.automatic.tabular.additive import allows_terms, by_terms
from mercer.automatic.tabular.gradients import (
    allows_full_metric,
    by_gradient_products,
    by_gradients,
    gradient_products,
    metric_rbf,
)
from mercer.automatic.tabular.importances import contributions
from mercer.automatic.tabular.kernels import PENALTIES, Rows, by_evidence, gram
from mercer.automatic.tabular.members import plain_members
from mercer.automatic.tabular.penalties import best_share, plain_share
from mercer.automatic.tabular.targets import (
    IDENTITY,
    LOGARITHM,
    ROOT,
    choose_target,
    maps_to_try,
    target_map,
)
from mercer.kernels.vectors.distance import Laplacian
from mercer.kernels.vectors.radial import RBF


def positive_data(n: int = 120) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2))
    return X, np.exp(X[:, 0] + 0.1 * rng.normal(size=n))


@pytest.mark.parametrize("kind", [ROOT, LOGARITHM])
def test_targets_are_mapped_there_and_back(kind):
    _, y = positive_data()
    each = target_map(kind, y, 0.0, None)
    z = each(y)
    assert abs(z.mean()) < 1e-9
    assert z.std() == pytest.approx(1.0)
    np.testing.assert_allclose(each.mapped_back(z), y)
    assert each(np.array([-1.0, 0.0])).min() >= each.low  # also where there is no logarithm


def test_predictions_mapped_back_have_the_mean_of_the_target():
    _, y = positive_data()
    each = target_map(LOGARITHM, y, 0.0, None)
    shrunk = 0.5 * each(y)[:, None]
    predicted = each.unbiased(shrunk, y[:, None], None)
    assert predicted.mean() == pytest.approx(y.mean())
    fitted = each.fitted(shrunk, y[:, None], None)
    np.testing.assert_allclose(fitted.mapped_back(shrunk), predicted)


def test_the_error_of_a_target_is_that_of_refitted_models():
    X, y = positive_data(30)
    y = y - y.min() + 0.1
    K, penalties = RBF()(X), np.array([0.3])
    maps = maps_to_try(y, 0.0, None)
    assert [each.kind for each in maps] == [IDENTITY, ROOT, LOGARITHM]
    _, losses = choose_target(maps, [K], y, penalties)
    for each in maps:
        z, predicted = each(y), np.empty(30)
        for i in range(30):
            kept = np.arange(30) != i
            system = K[np.ix_(kept, kept)] + 0.3 * np.eye(29)
            predicted[i] = K[i, kept] @ np.linalg.solve(system, z[kept])
        back = each.unbiased(predicted[:, None], y[:, None], None)[:, 0]
        assert losses[each.kind] == pytest.approx(np.mean((back - y) ** 2))


def test_positive_targets_are_learned_as_logarithms_where_that_is_better(tmp_path):
    X, y = positive_data(200)
    model = AutoRegressor().fit(X, 1000.0 * y)
    assert model.model_.target_.kind == LOGARITHM
    assert "target: logarithm" in str(model.report_)
    assert model.score(X, 1000.0 * y) > 0.7
    save(model, tmp_path / "model")
    np.testing.assert_array_equal(load(tmp_path / "model").predict(X), model.predict(X))
    negative = AutoRegressor().fit(X, y - 10.0)
    assert negative.model_.target_.kind == IDENTITY


def test_products_of_gradients_are_those_of_finite_differences():
    rng = np.random.default_rng(1)
    Z, Y = rng.normal(size=(20, 3)), rng.normal(size=(20, 2))
    rows, kernel = Rows(Z, np.arange(3), Y), RBF([0.8, 1.0, 2.0])
    K = gram(kernel, Z)
    dual = np.linalg.solve(K + 0.1 * np.eye(20), Y)
    step, slopes = 1e-5, np.empty((20, 2, 3))
    for j in range(3):
        moved = step * np.eye(3)[j]
        up, down = gram(kernel, Z + moved, Z) @ dual, gram(kernel, Z - moved, Z) @ dual
        slopes[:, :, j] = (up - down) / (2 * step)
    expected = np.einsum("ntj,ntk->jk", slopes, slopes) / 20
    np.testing.assert_allclose(gradient_products(rows, kernel, K, 0.1), expected, rtol=1e-6)


def test_a_metric_is_a_kernel_of_linear_combinations():
    rng = np.random.default_rng(2)
    Z = rng.normal(size=(15, 3))
    B = rng.normal(size=(3, 3))
    metric = B @ B.T
    K = gram(metric_rbf(Z, metric), Z)
    steps = Z[:, None] - Z
    squares = np.einsum("ijk,kl,ijl->ij", steps, metric, steps)
    ratio = -np.log(K[squares > 0]) / squares[squares > 0]
    np.testing.assert_allclose(ratio, ratio[0], rtol=2e-3)  # its entries are rounded


def test_full_metrics_find_the_direction_that_matters():
    rng = np.random.default_rng(3)
    Z = rng.normal(size=(250, 3))
    y = np.sin(1.5 * (Z[:, 0] - Z[:, 1]))
    rows = Rows(Z, np.arange(3), y[:, None])
    assert allows_full_metric(rows)
    start = by_gradients(rows, 1)
    full = by_gradient_products(rows, start)
    loss = rows.losses(rows.path(gram(full.kernel, Z))).min()
    assert loss < 0.5 * rows.losses(start.left_out).min()
    shares = contributions(full.kernel, Z)
    assert shares.sum() == pytest.approx(1.0)
    assert shares[2] < 0.1


def test_terms_of_single_columns_help_where_effects_add_up():
    rng = np.random.default_rng(4)
    Z = rng.uniform(-2, 2, size=(150, 5))
    y = np.sin(2 * Z[:, 0]) + np.abs(Z[:, 1]) + Z[:, 2] ** 2 / 2 + 0.05 * rng.normal(size=150)
    rows = Rows(Z, np.arange(5), ((y - y.mean()) / y.std())[:, None])
    assert allows_terms(rows)
    product = Laplacian([3.0, 3.0, 3.0, 30.0, 30.0])
    learned = by_terms(rows, product, 0.1)
    assert learned.kernel.certificate().status in ("psd", "strict")
    losses = [rows.losses(rows.path(gram(k, Z))).min() for k in (learned.kernel, product)]
    assert losses[0] < 0.8 * losses[1]
    shares = contributions(learned.kernel, Z)
    assert shares[:3].sum() > 0.8
    assert np.isfinite(PENALTIES).all()


def test_plain_kernels_read_bounded_scores_and_ranks():
    Z, y = positive_data(60)
    rows = {kind: Rows(Z, np.arange(2), y[:, None] - y.mean()) for kind in ("squash", "ranks")}
    found = [
        (type(m.kernel).__name__, m.scores, m.weight, m.kernel.length_scale)
        for m in plain_members(rows)
    ]
    assert {each[:3] for each in found} == {
        ("RBF", "squash", 0.25),
        ("Laplacian", "squash", 0.25),
        ("RBF", "ranks", 0.5),
    }
    assert all(np.ndim(scale) == 0 for *_, scale in found)
    alone = plain_members({"squash": rows["squash"]})
    assert [m.weight for m in alone] == [0.5, 0.5]


def test_the_share_of_plain_kernels_grows_as_rows_for_each_length_scale_become_few():
    assert plain_share(10, 1000) == 0.0
    shares = [plain_share(60, n) for n in (2000, 1000, 200, 50)]
    assert shares == sorted(shares) and shares[0] > 0.2 and shares[-1] == 0.75


def test_a_share_is_that_of_the_least_loss_or_near_the_expected_one():
    rng = np.random.default_rng(5)
    codes = rng.integers(0, 2, 2000)
    sure, unsure = (np.where(codes[:, None] == [0, 1], p, 1.0 - p) for p in (0.9, 0.6))
    wrong = sure[:, ::-1]
    assert best_share(sure, unsure, codes, None, 0.5) == 0.0
    assert best_share(unsure, sure, codes, np.ones(2000), 0.5) == 1.0
    assert best_share(sure, sure, codes, None, 0.35) == 0.35
    assert 0.0 < best_share(sure[:3], unsure[:3], codes[:3], None, 0.5) < 0.5
    right = rng.random(2000) < 0.7  # probabilities 0.9 are too sure of themselves
    learned = np.where(right[:, None], sure, wrong)
    assert 0.4 < best_share(learned, np.full((2000, 2), 0.5), codes, None, 0.0) < 0.6


def test_length_scales_of_many_rows_begin_with_those_of_few(monkeypatch):
    rng = np.random.default_rng(6)
    Z = rng.normal(size=(720, 2))
    y = np.sin(2.0 * Z[:, :1]) + 0.1 * rng.normal(size=(720, 1))
    seen = []
    slope = kernels.profiled_slope

    def counted(K, *rest):
        seen.append(len(K))
        return slope(K, *rest)

    monkeypatch.setattr(kernels, "profiled_slope", counted)
    learned, _ = by_evidence(Rows(Z, np.arange(2), y), 25)
    assert seen.count(720) <= 12 < seen.count(240)
    scales = learned.kernel.length_scale
    assert 3.0 * scales[0] < scales[1]


def test_weighted_rows_count_as_often_as_they_weigh():
    rng = np.random.default_rng(5)
    Z = rng.normal(size=(40, 2))
    y = Z[:, :1] + Z[:, 1:] ** 2
    twice = np.repeat(np.arange(40), 2)
    product = Laplacian(4.0)
    plain = by_terms(Rows(Z, np.arange(2), y), product, 0.1).kernel
    weighted = by_terms(Rows(Z, np.arange(2), y, np.full(40, 2.0)), product, 0.1).kernel
    np.testing.assert_allclose(gram(weighted, Z), gram(plain, Z), rtol=1e-2)
    assert len(twice) == 80
