"""What the playground shows, against the library asked directly."""

from __future__ import annotations

import numpy as np
import pytest

from mercer import RBF, SVC, GaussianProcessRegressor, KernelPCA
from mercer.studio.play.learners import LEARNERS

WINDOW = [-3.0, 3.0, -3.0, 3.0]
KERNEL = "RBF(length_scale=0.8)"


def look(ask, points, **request):
    request = {"kernel": KERNEL, "window": WINDOW, "data": {"points": points}, **request}
    return ask("look", **request)


def test_the_surface_is_the_decision_function(ask, plane):
    answer = look(ask, plane, learner={"name": "SVC", "options": {"C": 2.0}}, grid=20)
    X, y = np.array(plane)[:, :2], np.array(plane)[:, 2].astype(int)
    model = SVC(kernel=RBF(0.8), C=2.0).fit(X, y)
    axis = np.linspace(-3, 3, 20)
    expected = [[model.decision_function([[x, z]])[0] for x in axis] for z in axis]
    np.testing.assert_allclose(answer["surface"], expected, atol=1e-6)
    assert answer["surface_kind"] == "margin"
    assert answer["support"].tolist() == model.support_.tolist()
    assert answer["facts"][0] == ["support vectors", f"{len(model.support_)} of 60"]


def test_the_gram_matrix_is_sorted_by_class(ask, plane):
    answer = look(ask, plane, want=["gram"])
    rows = answer["gram_rows"].astype(int)
    X, y = np.array(plane)[:, :2], np.array(plane)[:, 2]
    assert (np.diff(y[rows]) >= 0).all()
    np.testing.assert_allclose(answer["gram"], np.asarray(RBF(0.8)(X))[np.ix_(rows, rows)])
    drawn = look(ask, plane, want=["gram"], order="drawn")
    assert drawn["gram_rows"].tolist() == list(range(60))


def test_the_spectrum_is_that_of_the_gram_matrix(ask, plane):
    answer = look(ask, plane, want=["spectrum"])
    K = np.asarray(RBF(0.8)(np.array(plane)[:, :2]))
    np.testing.assert_allclose(answer["spectrum"], np.linalg.eigvalsh(K)[::-1] / 60, atol=1e-12)
    assert answer["spectrum_facts"]["negative"] == 0
    negative = look(ask, plane, want=["spectrum"], kernel="Sigmoid()")
    assert negative["spectrum_facts"]["negative"] > 0


def test_the_map_is_kernel_pca(ask, plane):
    answer = look(ask, plane, want=["components"])
    X = np.array(plane)[:, :2]
    model = KernelPCA(2, kernel=RBF(0.8)).fit(X)
    np.testing.assert_allclose(np.abs(answer["components"]), np.abs(model.transform(X)), atol=1e-6)
    np.testing.assert_allclose(answer["shares"], model.explained_variance_ratio_[:2], atol=1e-4)


def test_the_map_of_many_samples_is_kernel_pca(ask):
    X = np.random.default_rng(0).uniform(-2, 2, (150, 2))
    points = np.column_stack([X, X[:, 0] > 0]).tolist()
    answer = look(ask, points, want=["components"])
    model = KernelPCA(2, kernel=RBF(0.8)).fit(X)
    np.testing.assert_allclose(np.abs(answer["components"]), np.abs(model.transform(X)), atol=1e-4)
    assert answer["shares"][0] == pytest.approx(model.explained_variance_ratio_[0], abs=1e-4)


def test_the_map_of_equal_eigenvalues_stays_the_same(ask):
    X = np.random.default_rng(0).uniform(-2, 2, (150, 2))
    points = np.column_stack([X, X[:, 0] > 0]).tolist()
    first, second = (
        look(ask, points, want=["components"], kernel="RBF(length_scale=0.0001)") for _ in range(2)
    )
    assert first["components"].shape == (150, 2)
    np.testing.assert_array_equal(first["components"], second["components"])


def test_neighbors_are_nearest_in_feature_space(ask, plane):
    answer = look(ask, plane, want=["neighbors"], focus=7)
    X = np.array(plane)[:, :2]
    distances = np.linalg.norm(X - X[7], axis=1)  # RBF keeps their order
    expected = [row for row in np.argsort(distances) if row != 7][:6]
    assert [each["row"] for each in answer["neighbors"]] == expected
    for each in answer["neighbors"]:
        assert each["distance"] == pytest.approx(np.sqrt(2 - 2 * each["value"]))


def test_the_posterior_is_that_of_the_gaussian_process(ask):
    points = [[x, np.sin(2 * x), 0.0] for x in np.linspace(-2, 2, 9)]
    answer = look(
        ask,
        points,
        data={"space": "curve", "points": points},
        learner={"name": "GaussianProcessRegressor", "options": {"alpha": 0.05}},
    )
    X, y = np.array(points)[:, :1], np.array(points)[:, 1]
    model = GaussianProcessRegressor(RBF(0.8), alpha=0.05, optimizer=None).fit(X, y - y.mean())
    mean, deviation = model.predict(answer["line"][:, None], return_std=True)
    np.testing.assert_allclose(answer["posterior"][0], mean + y.mean(), atol=1e-6)
    np.testing.assert_allclose(answer["posterior"][1], deviation, atol=1e-6)
    assert answer["prior"].shape == (5, 121)


def test_draws_of_the_prior_have_the_kernel_as_covariance(ask):
    answers = [look(ask, [], want=["draws"], seed=seed)["prior"] for seed in range(60)]
    drawn = np.vstack(answers)[:, ::20]
    line = look(ask, [], want=["draws"])["line"][::20]
    np.testing.assert_allclose(drawn.T @ drawn / len(drawn), RBF(0.8)(line[:, None]), atol=0.25)


@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_draws_a_surface(ask, plane, name):
    learner = LEARNERS[name]
    points = [[*row[:2], row[0] if learner.task == "values" else row[2]] for row in plane]
    answer = look(ask, points, learner={"name": name}, want=["surface"], grid=9)
    assert answer["failed"] == {} and np.isfinite(answer["surface"]).all()
    assert answer["surface"].shape == (9, 9)


def test_one_view_that_fails_leaves_the_others(ask, plane):
    answer = look(ask, plane, kernel="Sigmoid()", learner={"name": "SVC"})
    assert answer["failed"].keys() == {"surface", "draws"}
    assert "indefinite" in answer["failed"]["surface"] and answer["gram"].shape == (60, 60)
    assert answer["proof"]["witness"]["value"] < 0


def test_few_points_are_no_error(ask):
    assert "draw two" in look(ask, [])["failed"]["surface"]
    one = look(ask, [[0.0, 0.0, 0.0]])
    assert one["gram"].shape == (1, 1)
    assert "another class" in look(ask, [[0.0, 0.0, 0.0], [1.0, 1.0, 0.0]])["failed"]["surface"]


def test_bad_requests_are_refused_in_one_line(refused):
    assert "not a known kernel" in refused("look", kernel="Foo()")
    assert "is no learner" in refused("look", kernel="RBF()", learner={"name": "os.system"})
    assert "finite" in refused("look", kernel="RBF()", data={"points": [[0, 0, float("nan")]]})
    assert "are more than" in refused("look", kernel="RBF()", data={"points": [[0, 0, 0]] * 2001})
    assert "space" in refused("look", kernel="RBF()", data={"space": "../etc"})
    assert "there is no action" in refused("__init__")


def test_options_stay_within_their_ranges(ask, plane):
    answer = look(ask, plane, learner={"name": "SVC", "options": {"C": 1e9}})
    assert "C = 1000000000.0 must be from 0.01 to 1000" in answer["failed"]["surface"]
