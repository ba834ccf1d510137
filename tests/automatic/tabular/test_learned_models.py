"""Learned models of tables: scores, length scales, members, against definitions."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mercer import AutoClassifier, AutoRegressor, load, save
from mercer.automatic.kinds.models import LearnedMixture
from mercer.automatic.learners import title_of
from mercer.automatic.tabular.classifier import LearnedClassifier, stratified_order
from mercer.automatic.tabular.gradients import by_gradients
from mercer.automatic.tabular.kernels import Rows, WidthProblem, gram
from mercer.automatic.tabular.members import greedy_average
from mercer.automatic.tabular.models import LearnedTable
from mercer.automatic.tabular.scores import TableScores
from mercer.errors import ParameterError, ShapeError
from mercer.kernels.vectors.radial import RBF
from mercer.proposals.tables import read_columns
from mercer.solvers.ridge.left_out import left_out, left_out_path


def data(n: int = 60) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(n, 3))
    return X, np.sin(2.0 * X[:, 0]) + 0.1 * rng.normal(size=n)


def table(n: int = 80) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({"size": rng.gamma(2.0, size=n), "town": rng.choice(list("xyz"), n)})
    frame["day"] = pd.date_range("2024-01-01", periods=n).strftime("%Y-%m-%d")
    y = frame["size"].to_numpy() + (frame["town"] == "x")
    frame.loc[::7, "size"] = np.nan
    return frame, y


@pytest.mark.parametrize("penalty", [1e-4, 0.5])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("grouped", [False, True])
def test_left_out_predictions_are_those_of_refitted_models(penalty, weighted, grouped):
    X, y = data(30)
    K, Y = RBF()(X), np.column_stack([y, y**2])
    weight = np.linspace(0.5, 2.0, 30) if weighted else None
    groups = np.arange(30) // 4 if grouped else None
    added = np.full(30, penalty) if weight is None else penalty / weight
    expected = np.empty_like(Y)
    for i in range(30):
        kept = np.arange(30) != i if groups is None else groups != groups[i]
        system = K[np.ix_(kept, kept)] + np.diag(added[kept])
        expected[i] = K[i, kept] @ np.linalg.solve(system, Y[kept])
    path = left_out_path(K, Y, weight, np.array([penalty, 2.0]), groups)
    np.testing.assert_allclose(path[0], expected, rtol=1e-6, atol=1e-9)
    one = left_out(K, Y, weight, penalty, groups)
    tolerance = 1e-4 if penalty > 1e-3 else 1e-8
    np.testing.assert_allclose(one, expected, rtol=tolerance, atol=tolerance)


def test_gradient_of_the_evidence():
    X, y = data(25)
    rows = Rows(X, np.array([0, 1, 1]), y[:, None])
    problem, at = WidthProblem(rows), np.array([0.3, -0.4, -1.0])
    value, gradient = problem(at)
    for k in range(3):
        step = 1e-5 * np.eye(3)[k]
        slope = (problem(at + step)[0] - problem(at - step)[0]) / 2e-5
        assert gradient[k] == pytest.approx(slope, rel=1e-5, abs=1e-7)
    assert np.isfinite(value)


def test_average_gradients_look_at_the_column_that_matters():
    X, y = data(200)
    kernel = by_gradients(Rows(X, np.arange(3), y[:, None]), 2).kernel
    first, *others = kernel.length_scale
    assert first < 0.7 * min(others)


def test_greedy_average_is_never_worse_than_the_best_alone():
    rng = np.random.default_rng(0)
    y = rng.normal(size=(50, 1))
    predictions = [y + rng.normal(size=y.shape) for _ in range(6)]
    rows = Rows(np.zeros((50, 1)), np.zeros(1, dtype=int), y)
    shares, average = greedy_average(predictions, rows, 5)
    assert shares.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(average, np.tensordot(shares, predictions, axes=1))
    assert rows.loss(average) <= min(map(rows.loss, predictions))


@pytest.mark.parametrize("kind", ["squash", "ranks"])
def test_scores_of_frames_lists_and_new_levels(kind):
    frame, _ = table()
    scores = TableScores(read_columns(frame), (), kind).fit(frame)
    Z = scores(frame)
    assert np.isfinite(Z).all()
    assert Z.shape[1] == len(scores.tied) == len(scores.owners_)
    new = frame.head(3).assign(town="elsewhere")
    places = [k for k, owner in enumerate(scores.owners_) if owner == "town"]
    assert (scores(new)[:, places] == 0).all()
    rows = [list(row) for row in frame.itertuples(index=False)]
    listed = TableScores(read_columns(rows), (), kind).fit(rows)
    np.testing.assert_array_equal(listed(rows), Z)


def test_kernel_of_raw_rows_is_that_of_the_members():
    frame, y = table()
    model = AutoRegressor(members=2).fit(frame, y)
    table_model = model.model_
    Z = {kind: scores(frame) for kind, scores in table_model.scores_.items()}
    expected = sum(m.weight * gram(m.kernel, Z[m.scores]) for m in table_model.members_)
    np.testing.assert_allclose(model.kernel_(frame), expected, rtol=1e-10)
    assert model.kernel_.certificate().status == "psd"
    assert model.importances_.sum() == pytest.approx(1.0)
    assert model.importances_[0] > model.importances_[2]


@pytest.mark.parametrize("task", [AutoRegressor, AutoClassifier])
@pytest.mark.parametrize("effort", ["fast", "balanced"])
def test_saved_models_predict_the_same(task, effort, tmp_path):
    frame, y = table()
    target = y if task is AutoRegressor else np.digitize(y, [1.5, 3.0])
    model = task(time=effort).fit(frame, target)
    save(model, tmp_path / "model")
    loaded = load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.predict(frame), model.predict(frame))
    np.testing.assert_array_equal(loaded.importances_, model.importances_)
    assert str(loaded.report_) == str(model.report_)


def test_predicted_classes_are_the_most_probable_ones():
    frame, y = table()
    model = AutoClassifier().fit(frame, np.digitize(y, [1.5, 3.0]))
    probability = model.predict_proba(frame)
    np.testing.assert_allclose(probability.sum(axis=1), 1.0)
    np.testing.assert_array_equal(model.predict(frame), model.classes_[probability.argmax(axis=1)])


def test_penalties_of_classes_are_chosen_on_rows_that_no_kernel_saw():
    model = LearnedClassifier([])
    codes = np.arange(1100) % 2
    codes[7] = 2  # a class with one row
    order = stratified_order(codes, 0)
    rows, are_seen = model._judged_rows(codes, order)
    assert not are_seen and len(np.intersect1d(rows, order[:700])) == 1
    assert 7 in rows and len(rows) == 401
    rows, are_seen = model._judged_rows(codes[:1000], stratified_order(codes[:1000], 0))
    assert are_seen and len(rows) == 700
    fast = LearnedClassifier([], effort="fast")
    assert not fast._judged_rows(codes, order)[1]


def test_left_out_probabilities_of_noise_are_no_better_than_chance():
    rng = np.random.default_rng(0)
    losses = []
    for _ in range(3):
        X, y = rng.normal(size=(60, 20)), rng.permutation(60) % 2
        losses.append(AutoClassifier().fit(X, y).tuned_.loss)
    assert np.median(losses) > 0.67  # that of chance is 0.69


def test_intervals_hold_about_the_share_they_say():
    X, y = data(400)
    model = AutoRegressor().fit(X[:200], y[:200])
    low, high = model.predict_interval(X[200:], 0.8)
    assert 0.65 < np.mean((low <= y[200:]) & (y[200:] <= high)) < 0.92
    with pytest.raises(ParameterError, match="coverage"):
        model.predict_interval(X, 1.5)
    with pytest.raises(ParameterError, match="learner"):
        AutoRegressor(learner="ridge").fit(X, y).predict_interval(X)


def test_groups_are_left_out_together():
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(20), 5)
    X = rng.normal(size=(20, 2))[group] + 1e-3 * rng.normal(size=(100, 2))
    y = rng.normal(size=20)[group]
    alone = AutoRegressor().fit(X, y)
    together = AutoRegressor().fit(X, y, groups=group)
    # nothing can be learned of a group by others, but much of a sample by its own group
    assert np.std(alone.loo_errors_) < 0.3 * np.std(together.loo_errors_)
    with pytest.raises(ShapeError, match="groups"):
        AutoRegressor().fit(X, y, groups=group[:50])


def test_parameters_are_checked():
    X, y = data()
    for name, value in [("members", 0), ("time", "slow"), ("time", -1.0), ("metric", "auc")]:
        with pytest.raises(ParameterError, match=name):
            AutoRegressor(**{name: value}).fit(X, y)


def test_seconds_are_said_not_to_reproduce():
    X, y = data(30)
    model = AutoRegressor(time=0.001).fit(X, y)
    assert "not reproducible" in str(model.report_)


def test_class_weights_move_probabilities():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2))
    y = (X[:, 0] + 0.5 * rng.normal(size=120) > 1.2).astype(int)
    plain = AutoClassifier(time="fast").fit(X, y).predict_proba(X)[:, 1].mean()
    balanced = AutoClassifier(time="fast", class_weight="balanced").fit(X, y)
    assert balanced.predict_proba(X)[:, 1].mean() > plain + 0.05


@pytest.mark.slow
def test_large_tables_are_fitted_part_by_part():
    rng = np.random.default_rng(0)
    X = rng.uniform(-3, 3, size=(4500, 2))
    y = np.sin(X[:, 0]) + 0.1 * rng.normal(size=4500)
    model = AutoRegressor(time="fast").fit(X, y)
    assert "parts of the table" in str(model.report_)
    assert model.score(X, y) > 0.95


def test_a_large_table_is_fitted_whole_by_conjugate_gradients(monkeypatch):
    from mercer.automatic.tabular import ensembles, models

    rng = np.random.default_rng(5)
    X = rng.normal(size=(700, 3))
    y = np.sin(X[:, 0]) + 0.3 * rng.normal(size=700)
    monkeypatch.setattr(models, "EFFORTS", {"balanced": models.Effort(100, 200, 1, 100, 200, 2)})
    for module in (ensembles, models):
        monkeypatch.setattr(module, "WHOLE", 300)
    model = AutoRegressor().fit(X, y)
    whole = model.model_.model_
    assert isinstance(whole, ensembles.RidgeMembers)
    assert len(whole.Z_) == 700
    monkeypatch.setattr(ensembles, "WHOLE", 1000)
    exact = whole.fit(whole.Z_, (y - y.mean()) / y.std()).predict(whole.Z_)
    fitted = (model.predict(X) - y.mean()) / y.std()
    np.testing.assert_allclose(fitted, exact, atol=5e-3)


def test_parts_of_a_large_table_obey_the_memory_budget(monkeypatch):
    from mercer import config_context
    from mercer.automatic.tabular import models

    monkeypatch.setattr(models, "WHOLE", 100)
    monkeypatch.setattr(models, "EFFORTS", {"balanced": models.Effort(100, 150, 1, 100, 150, 2)})
    X, y = data(1200)
    with config_context(memory_budget="4 MB"):
        model = AutoRegressor().fit(X, y + np.random.default_rng(0).normal(size=1200))
    assert len(model.model_.model_.estimators_) > 1


def test_what_is_printed_is_explained():
    """A report defines the words by which it describes members, and names no inner class."""
    X, y = data(80)
    model = AutoRegressor().fit(X, y)
    text = str(model.report_)
    for words, meaning in (("@ squash", "squash: columns"), ("(evidence", "evidence: each")):
        assert (words in text) == (meaning in text)
    assert title_of(model.model_) == "ridge regression with learned kernels"
    assert title_of(AutoRegressor(learner="ridge").fit(X, y).model_) == "KernelRidge"
    for kind in (LearnedTable, LearnedMixture):
        titles = [one.title for one in kind.__subclasses__()]
        assert len(titles) == 2 and all("regression with" in title for title in titles)


def test_scores_of_dates_are_named_by_their_cycles():
    frame, _ = table()
    frame["signup"] = pd.date_range("2019-01-01", periods=80, freq="17h").astype(str)
    scores = TableScores(read_columns(frame), (), "squash").fit(frame)
    assert len(scores.titles) == scores(frame).shape[1]
    named = [title for title in scores.titles if title.startswith("signup")]
    assert named == ["signup", *["signup in the week"] * 2, *["signup in the day"] * 2]
    assert scores.titles.count("day in the week") == 2 and scores.titles.count("town") == 3
    assert scores.titles.index("town") == scores.owners_.index("town")
