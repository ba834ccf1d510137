"""Support vector machines on centers: hinges, tubes and quantiles, with and without kinks."""

import numpy as np
import pytest
from sklearn.metrics import mean_pinball_loss

import mercer
from mercer import RBF, SVC, SVR, KernelQuantileRegressor, OneClassSVM, scan
from mercer.errors import ParameterError

rng = np.random.default_rng(0)
N = 200
X = rng.standard_normal((N, 3))
Y = np.sin(2 * X[:, 0]) + X[:, 1] + 4.0 + 0.1 * rng.standard_normal(N)
LABELS = np.array(["low", "middle", "high"])[np.digitize(Y, [3.5, 4.5])]
WEIGHT = rng.random(N) + 0.5
KERNEL = RBF(length_scale=1.5)
K = KERNEL(X)


def check_minimum(f, u, loss, C):
    """The gradient of C Σ w·loss(f) + ½ uᵀKu, with f = Ku + b, vanishes by u and by b."""
    slopes = C * WEIGHT * loss(f)
    size = np.abs(K @ (C * WEIGHT * loss(np.zeros(N)))).max()
    assert np.abs(K @ (slopes + u)).max() <= 1e-7 * size
    assert abs(slopes.sum()) <= 1e-7 * size


def beyond_tube(f):
    """The distance of the function from the tube, with its side."""
    return np.sign(f - Y) * np.maximum(np.abs(f - Y) - 0.2, 0)


SIGNS = np.where(LABELS == "low", 1.0, -1.0)
HINGES = {
    "hinge": ("HuberizedHinge", lambda f: -SIGNS * np.clip(1 - SIGNS * f, 0, 1)),
    "squared_hinge": ("SquaredHinge", lambda f: -2 * SIGNS * np.maximum(1 - SIGNS * f, 0)),
}


@pytest.mark.parametrize("loss", HINGES)
def test_svc_on_all_rows_is_the_machine_of_its_loss(loss):
    model = SVC(C=0.5, kernel=KERNEL, centers=N, tol=1e-7, loss=loss).fit(X, SIGNS, WEIGHT)
    name, slopes = HINGES[loss]
    assert name in model.report_.solver
    u = np.zeros(N)
    u[model.support_] = model.dual_coef_[0]
    f = K @ u + model.intercept_
    assert model.decision_function(X) == pytest.approx(f, abs=1e-9)
    check_minimum(f, u, slopes, 0.5)


@pytest.mark.parametrize("name", ["_WIDTH", "_TUBE"])
def test_the_hinge_and_the_tube_on_all_rows_are_near_the_exact_machines(name, monkeypatch):
    monkeypatch.setattr(f"mercer.estimators.svm.on_centers.{name}", 0.01)
    make, y = (SVC, SIGNS) if name == "_WIDTH" else (SVR, Y)
    exact = make(C=0.5, kernel=KERNEL, centers="all", tol=1e-6).fit(X, y)
    smooth = make(C=0.5, kernel=KERNEL, centers=N, tol=1e-6).fit(X, y)
    values = [
        model.decision_function(X) if name == "_WIDTH" else model.predict(X)
        for model in (exact, smooth)
    ]
    assert values[0] == pytest.approx(values[1], abs=0.04)


@pytest.mark.parametrize(
    ("model", "y"),
    [
        (SVC(kernel=KERNEL, loss="squared_hinge"), LABELS),
        (SVR(kernel=KERNEL, loss="squared_epsilon_insensitive"), Y),
    ],
)
def test_squared_losses_without_centers_are_refused(model, y):
    with pytest.raises(ParameterError, match="is for fits on centers only; set centers"):
        model.fit(X, y)
    assert model.set_params(centers=30).fit(X, y).score(X, y) > 0.8


def test_svc_of_three_classes_takes_the_best_of_each_against_the_rest():
    model = SVC(C=0.5, kernel=KERNEL, centers=40, random_state=0).fit(X, LABELS)
    assert model.dual_coef_.shape == (3, 40)
    assert model.n_support_.sum() == 40
    f = KERNEL(X, model.support_vectors_) @ model.dual_coef_.T + model.intercept_
    assert (model.predict(X) == model.classes_[f.argmax(axis=1)]).all()
    assert (model.predict(X) == LABELS).mean() > 0.8


@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
def test_svr_on_all_rows_is_the_machine_of_its_loss(loss):
    model = SVR(C=0.5, kernel=KERNEL, centers=N, epsilon=0.2, tol=1e-7, loss=loss)
    model.fit(X, Y, WEIGHT)
    u = np.zeros(N)
    u[model.support_] = model.dual_coef_[0]
    width = 0.25 * np.sqrt(np.cov(Y, aweights=WEIGHT, ddof=0))
    slopes = {
        "epsilon_insensitive": lambda f: np.clip(beyond_tube(f) / width, -1, 1),
        "squared_epsilon_insensitive": lambda f: 2 * beyond_tube(f),
    }
    check_minimum(model.predict(X), u, slopes[loss], 0.5)


def test_quantiles_on_all_rows_are_near_the_exact_ones():
    exact = KernelQuantileRegressor([0.2, 0.8], kernel=KERNEL, C=2.0).fit(X, Y)
    found = KernelQuantileRegressor([0.2, 0.8], kernel=KERNEL, C=2.0, centers=N).fit(X, Y)
    for column, level in enumerate((0.2, 0.8)):
        losses = [
            mean_pinball_loss(Y, m.predict(X)[:, column], alpha=level) for m in (exact, found)
        ]
        assert losses[1] == pytest.approx(losses[0], rel=0.05)
    assert found.score(X, Y) > 0.6


@pytest.mark.parametrize("model", [SVC(kernel=KERNEL), SVR(kernel=KERNEL)])
def test_sources_give_the_same_machine(model, tmp_path):
    y = LABELS if isinstance(model, SVC) else Y
    model = type(model)(kernel=KERNEL, centers=X[:30], tol=1e-7)
    direct = model.fit(X, y).predict(X)
    streamed = model.fit(scan(X, y, block_rows=70))
    assert (direct == streamed.predict(X)).all() or direct == pytest.approx(
        streamed.predict(X), abs=1e-5
    )
    mercer.save(streamed, tmp_path / "model.mercer")
    assert (mercer.load(tmp_path / "model.mercer").predict(X) == streamed.predict(X)).all()


def test_many_rows_change_the_loss_with_a_warning(monkeypatch):
    monkeypatch.setattr("mercer.gram.plan._EXACT_WORK", 1e3)
    monkeypatch.setattr("mercer.estimators.centers.data._FEW", 0)
    with mercer.config_context(memory_budget="300 kB"):
        with pytest.warns(UserWarning, match="too many for the exact dual problem: HuberizedHinge"):
            model = SVC(kernel=KERNEL).fit(X, LABELS)
        assert "Nyström" in model.report_.plan
        exact = SVC(kernel=KERNEL, centers="all").fit(X, LABELS)
    assert "Nyström" not in exact.report_.plan


def test_probabilities_are_calibrated_on_rows_held_out():
    model = SVC(kernel=KERNEL, centers=40, probability=True).fit(X, LABELS)
    p = model.predict_proba(X)
    assert p.sum(axis=1) == pytest.approx(np.ones(N))
    assert (model.classes_[p.argmax(axis=1)] == model.predict(X)).all()


def test_what_centers_cannot_do_is_refused():
    for parameters in ({"C": np.inf}, {"repair": "clip"}):
        with pytest.raises(ParameterError, match="is for exact fits only"):
            SVC(kernel=KERNEL, centers=10, **parameters).fit(X, LABELS)


def half_space(u, b, nu, width):
    """The objective of the smoothed one-class machine, in units of ν Σw, and its gradient."""
    total = nu * WEIGHT.sum()
    f = K @ u + b
    slope = np.clip(-f / width, 0.0, 1.0)
    value = 0.5 * u @ K @ u + b + WEIGHT @ (-slope * f - 0.5 * width * slope**2) / total
    return value, K @ (u - WEIGHT * slope / total), 1.0 - WEIGHT @ slope / total


@pytest.mark.parametrize("nu", [0.1, 0.5])
def test_one_class_on_all_rows_is_the_smoothed_machine(nu, monkeypatch):
    width, total = 0.002, nu * WEIGHT.sum()
    monkeypatch.setattr("mercer.estimators.svm.on_centers._density_width", lambda *_: width)
    model = OneClassSVM(nu=nu, kernel=KERNEL, centers=N, tol=1e-7).fit(X, None, WEIGHT)
    assert "SmoothHinge" in model.report_.solver
    u = np.zeros(N)
    u[model.support_] = model.dual_coef_[0] / total
    _, by_u, by_b = half_space(u, model.intercept_[0] / total - width / 2, nu, width)
    assert np.abs(by_u).max() < 1e-6 and abs(by_b) < 1e-6
    exact = OneClassSVM(nu=nu, kernel=KERNEL, tol=1e-6).fit(X, None, WEIGHT)
    gap = model.decision_function(X) - exact.decision_function(X)
    assert np.abs(gap).max() < 0.1 * exact.decision_function(X).std()
    outside = WEIGHT[model.decision_function(X) < 0].sum() / WEIGHT.sum()
    assert outside == pytest.approx(nu, abs=0.03)


def test_one_class_of_a_source_and_of_too_many_rows(monkeypatch):
    model = OneClassSVM(nu=0.2, kernel=KERNEL, centers=X[:40]).fit(X)
    streamed = OneClassSVM(nu=0.2, kernel=KERNEL, centers=X[:40]).fit(scan(X, block_rows=70))
    assert streamed.decision_function(X) == pytest.approx(
        model.decision_function(X), rel=1e-3, abs=1e-2
    )
    assert (model.predict(X) == -1).mean() == pytest.approx(0.2, abs=0.05)
    monkeypatch.setattr("mercer.gram.plan._EXACT_WORK", 1.0)
    monkeypatch.setattr("mercer.estimators.centers.data._FEW", 10)
    with (
        mercer.config_context(memory_budget="0.5 MB"),
        pytest.warns(UserWarning, match="SmoothHinge"),
    ):
        OneClassSVM(nu=0.2, kernel=KERNEL, random_state=0).fit(X)
    with pytest.raises(ParameterError, match="repair"):
        OneClassSVM(kernel=KERNEL, centers=10, repair="clip").fit(X)


def test_one_class_with_weights_is_that_of_copies():
    X = np.random.default_rng(0).standard_normal((50, 3))
    weight = np.random.default_rng(1).integers(0, 3, 50)
    model = mercer.OneClassSVM(kernel=RBF(), centers=X[:8], tol=1e-8)
    weighted = model.fit(X, sample_weight=weight).decision_function(X)
    copies = np.repeat(X, weight, axis=0)  # the width of the smoothed kink came from rows alone
    assert np.allclose(model.fit(copies).decision_function(X), weighted, rtol=0, atol=1e-9)
