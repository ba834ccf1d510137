"""Learners on centers: the exact ones where all rows are centers, the formula where not."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

import mercer
import mercer.estimators.centers.data
from mercer import (
    RBF,
    KernelLogisticRegression,
    KernelRidge,
    KernelRidgeClassifier,
    KernelRidgeCV,
    Laplacian,
    Spectrum,
    scan,
)
from mercer.errors import InputError, InputTypeError, NotFiniteError, ParameterError, WidthError
from mercer.estimators.centers.attempt import sample_size

rng = np.random.default_rng(0)
N = 200
X = rng.standard_normal((N, 3))
Y = np.sin(2 * X[:, 0]) + X[:, 1] + 4.0
LABELS = np.array(["low", "middle", "high"])[np.digitize(Y, [3.5, 4.5])]
WEIGHT = rng.integers(1, 4, N).astype(float)
NEW = rng.standard_normal((50, 3))
KERNEL = RBF(length_scale=1.5)

LEARNERS = {
    "ridge": (KernelRidge(0.3, kernel=KERNEL), Y),
    "targets": (KernelRidge([0.3, 2.0], kernel=KERNEL), np.column_stack([Y, X[:, 2]])),
    "laplacian": (KernelRidge(0.3, kernel=Laplacian()), Y),
    "ridge classifier": (KernelRidgeClassifier(0.3, kernel=KERNEL), LABELS),
    "two classes": (KernelRidgeClassifier(0.3, kernel=KERNEL), LABELS == "low"),
    "balanced": (KernelRidgeClassifier(0.3, kernel=KERNEL, class_weight="balanced"), LABELS),
    "logistic": (KernelLogisticRegression(2.0, kernel=KERNEL, tol=1e-9), LABELS == "low"),
    "no intercept": (
        KernelLogisticRegression(2.0, kernel=KERNEL, tol=1e-9, fit_intercept=False),
        LABELS == "low",
    ),
    "multinomial": (
        KernelLogisticRegression(2.0, kernel=KERNEL, tol=1e-9, class_weight={"low": 3.0}),
        LABELS,
    ),
}


def values(model, rows=NEW):
    if hasattr(model, "decision_function"):
        return model.decision_function(rows)
    return model.predict(rows)


def blocks(X, y, weight=None, size=90):
    def factory():
        for start in range(0, len(X), size):
            part = slice(start, start + size)
            yield X[part], y[part], None if weight is None else weight[part]

    return factory


def fresh(model, **changes):
    return type(model)(**{**model.get_params(deep=False), **changes})


@pytest.mark.parametrize("name", LEARNERS)
def test_all_rows_as_centers_give_the_exact_learner(name):
    model, y = LEARNERS[name]
    exact = fresh(model, centers="all").fit(X, y, WEIGHT)
    found = fresh(model, centers=N).fit(X, y, WEIGHT)
    assert "Nyström, 200 of 200 rows" in found.report_.plan
    assert values(found) == pytest.approx(values(exact), abs=1e-6)


def test_rows_in_single_precision_are_read_block_by_block(monkeypatch):
    monkeypatch.setattr(mercer.estimators.centers.data, "_SAMPLE", 100)
    narrow = X.astype(np.float32)
    for model, target in (LEARNERS["ridge"], LEARNERS["ridge classifier"]):
        model = fresh(model, centers=60)
        given = fresh(model).fit(narrow, target, WEIGHT)
        expected = fresh(model).fit(narrow.astype(float), target, WEIGHT)
        np.testing.assert_allclose(values(given), values(expected), atol=1e-8)
    narrow[7, 1] = np.nan
    with pytest.raises(NotFiniteError, match="row 7 "):
        KernelRidge(0.3, kernel=KERNEL, centers=60).fit(narrow, Y)


def test_penalties_beyond_memory_have_ten_times_the_root_of_the_rows():
    with mercer.config_context(memory_budget="400 kB"):  # half of it holds no 200 × 200
        model = KernelRidgeCV([0.3, 3.0], kernel=KERNEL).fit(X, Y)
    assert len(model.X_fit_) <= 2 * mercer.gram.plan.default_centers(N)


@pytest.mark.parametrize("name", LEARNERS)
def test_sources_and_arrays_give_the_same_model(name):
    model, y = LEARNERS[name]
    direct = fresh(model, centers=X[:40]).fit(X, y, WEIGHT)
    streamed = fresh(model, centers=X[:40]).fit(scan(blocks(X, y, WEIGHT)))
    assert values(streamed) == pytest.approx(values(direct), abs=1e-7)
    assert streamed.n_features_in_ == 3
    assert "read block by block" in str(streamed.report_)


def test_ridge_is_the_explicit_formula_on_the_centered_target():
    model = KernelRidge(0.3, kernel=KERNEL, centers=40).fit(X, Y)
    C = model.X_fit_
    K, inner = KERNEL(X, C), KERNEL(C)
    mean = Y.mean()
    u = np.linalg.solve(K.T @ K + 0.3 * inner, K.T @ (Y - mean))
    assert model.intercept_ == pytest.approx(mean)
    assert model.predict(X) == pytest.approx(mean + K @ u, abs=1e-8)
    facts = model.report_.facts
    error = 1.0 - np.einsum("ij,ji->i", K, np.linalg.solve(inner, K.T))
    assert facts["trace_error"][0] == pytest.approx(error.mean(), rel=1e-6)
    assert facts["trace_error"][2] == pytest.approx(error.max(), rel=1e-6)
    assert facts["passes"] == facts["iterations"] + 1


def test_bits_do_not_depend_on_threads():
    many = rng.standard_normal((9000, 3))
    found = []
    for threads in (1, 2, 8):
        with mercer.config_context(threads=threads):
            model = KernelRidge(kernel=KERNEL, centers=30).fit(many, many[:, 0])
            found.append(model.dual_coef_.tobytes())
    assert found[0] == found[1] == found[2]


def test_the_seed_decides_the_centers():
    first, second = (KernelRidge(kernel=KERNEL, centers=20).fit(X, Y) for _ in range(2))
    other = KernelRidge(kernel=KERNEL, centers=20, random_state=1).fit(X, Y)
    assert (first.X_fit_ == second.X_fit_).all()
    assert not (first.X_fit_ == other.X_fit_).all()


def test_the_plan_is_automatic(monkeypatch):
    """Exact up to a number of entries, then 10 √n centers, doubled if that helps."""
    monkeypatch.setattr("mercer.gram.plan._EXACT_WORK", 1e5)
    monkeypatch.setattr("mercer.estimators.centers.data._FEW", 0)
    monkeypatch.setattr("mercer.estimators.centers.problem._LARGE", 100)
    monkeypatch.setattr("mercer.estimators.centers.problem._HELD_OUT", 0.2)
    with mercer.config_context(memory_budget="500 kB"):
        assert mercer.gram.plan.plan_centers(200, 27) == min(141, mercer.gram.plan.most_centers())
        model = KernelRidge(0.1, kernel=KERNEL).fit(X, Y)
    assert "Nyström" in model.report_.plan
    assert model.report_.score_half < 1.0
    assert "held out" in str(model.report_)
    assert 0.3 < model.report_.score <= 1.0


@pytest.mark.parametrize("name", ["ridge", "logistic", "multinomial"])
def test_twice_as_many_centers_are_solved_to_the_end(name, monkeypatch):
    """They begin with rough solutions on fewer, and end where a fit on the same centers ends."""
    monkeypatch.setattr("mercer.gram.plan._EXACT_WORK", 1e5)
    monkeypatch.setattr("mercer.estimators.centers.data._FEW", 0)
    monkeypatch.setattr("mercer.estimators.centers.problem._LARGE", 100)
    monkeypatch.setattr("mercer.estimators.centers.problem._HELD_OUT", 0.2)
    monkeypatch.setattr("mercer.estimators.centers.problem._BETTER", -1.0)
    monkeypatch.setattr("mercer.estimators.centers.problem.default_centers", lambda count: 30)
    model, y = LEARNERS[name]
    with mercer.config_context(memory_budget="500 kB"):
        found = fresh(model).fit(X, y)
        same = fresh(model, centers=found.X_fit_).fit(X, y)
    assert len(found.X_fit_) == 60
    assert found.report_.score_half is not None
    assert found.report_.residual < 1e-6
    assert values(found) == pytest.approx(values(same), abs=1e-6)


def test_fewer_rows_make_the_preconditioner_where_passes_are_cheap():
    assert sample_size(1000, 10**6) == 8000
    assert sample_size(10_000, 10**6) == 30_000
    assert sample_size(4000, 10**5) == 8000
    assert sample_size(10_000, 10**5) == 20_000
    assert sample_size(4000, 10**5, np.dtype(np.float64)) == 32_000


def test_penalties_are_chosen_by_rows_held_out():
    model = KernelRidgeCV([1e-3, 0.1, 1e4], kernel=KERNEL, centers=60).fit(X, Y)
    assert model.alpha_ < 1e4
    assert model.loo_errors_.shape == (3,)
    assert model.loo_errors_[2] > 2 * model.loo_errors_.min()
    single = KernelRidge(model.alpha_, kernel=KERNEL, centers=60).fit(X, Y)
    assert model.predict(NEW) == pytest.approx(single.predict(NEW), abs=1e-8)


def test_structured_samples_have_centers_too():
    words = ["".join(rng.choice(list("abc"), 12)) for _ in range(120)]
    y = np.array([word.count("ab") for word in words], dtype=float)
    model = KernelRidge(0.1, kernel=Spectrum(length=2), centers=30).fit(words, y)
    exact = KernelRidge(0.1, kernel=Spectrum(length=2)).fit(words, y)
    assert np.abs(model.predict(words) - exact.predict(words)).mean() < 0.5
    streamed = KernelRidge(0.1, kernel=Spectrum(length=2), centers=model.X_fit_)
    streamed.fit(lambda: ((words[i : i + 50], y[i : i + 50]) for i in range(0, 120, 50)))
    # K_mm has rank 9 of 30: steps end where the energy stagnates, at 1e-5 of the first
    assert streamed.predict(words) == pytest.approx(model.predict(words), abs=5e-5)


def test_tiles_are_in_double_precision_where_rounding_matters(monkeypatch):
    """A very wide kernel with a small penalty has large coefficients."""
    monkeypatch.setattr("mercer.gram.plan._MANY_ENTRIES", 1.0)
    smooth = KernelRidge(1.0, kernel=KERNEL, centers=40).fit(X, Y)
    assert "float32 tiles" in smooth.report_.plan
    wide = KernelRidge(1e-6, kernel=RBF(length_scale=20.0), centers=40).fit(X, Y)
    assert "float64 tiles" in wide.report_.plan
    exact = KernelRidge(1e-6, kernel=RBF(length_scale=20.0), centers=40)
    monkeypatch.setattr("mercer.gram.plan._MANY_ENTRIES", 1e9)
    assert wide.predict(X) == pytest.approx(exact.fit(X, Y).predict(X), abs=2e-3)


def test_passes_in_double_precision_end_before_rounding_error(monkeypatch):
    """Where single precision was tried first: more digits would take half of the passes."""
    monkeypatch.setattr("mercer.gram.plan._MANY_ENTRIES", 1.0)
    wide = KernelRidge(1e-6, kernel=RBF(length_scale=6.0), centers=40).fit(X, Y)
    assert "float64 tiles" in wide.report_.plan
    assert 1e-10 < wide.report_.residual < 1e-6


def test_models_survive_a_file(tmp_path):
    for name in ("ridge", "multinomial"):
        model, y = LEARNERS[name]
        model = fresh(model, centers=25).fit(X, y)
        mercer.save(model, tmp_path / "model.mercer")
        assert (values(mercer.load(tmp_path / "model.mercer")) == values(model)).all()


# -- bad input -------------------------------------------------------------------------------------


@pytest.mark.parametrize("centers", [10, "auto"])
def test_nan_is_named_by_its_block(centers):
    bad = X.copy()
    bad[133, 1] = np.nan
    model = KernelRidge(kernel=KERNEL, centers=centers)
    with pytest.raises(NotFiniteError, match=r"row 133 \(block 1\), column 1 = nan"):
        model.fit(blocks(bad, Y))
    with pytest.raises(NotFiniteError, match=r"y of row 133 \(block 1\)"):
        model.fit(blocks(X, bad[:, 1]))


@pytest.mark.parametrize("seed", range(3))  # the row is among those that are drawn, or is not
def test_rows_of_tables_that_are_not_finite_are_named(seed):
    table = pd.DataFrame({"a": X[:, 0], "c": np.where(X[:, 1] > 0, "x", "y")})
    kernel = mercer.table_kernel(table)
    table.loc[150, "a"] = np.nan
    model = KernelRidge(kernel=kernel, centers=5, random_state=seed)
    with pytest.raises(NotFiniteError, match=r"^row 150 \(block 3\), a = nan"):
        model.fit(scan(table, Y, block_rows=50))
    with pytest.raises(NotFiniteError, match=r"^X\[150\], a = nan"):
        model.fit(table, Y)
    with pytest.raises(NotFiniteError, match=r"^X\[150\], a = nan"):
        model.fit(table, Y, sample_weight=np.arange(N) > 40)


@pytest.mark.parametrize("seed", range(3))
def test_samples_that_the_kernel_cannot_read_are_named(seed):
    words = ["abab"] * N
    words[150] = 3.5
    model = KernelRidge(kernel=Spectrum(2), centers=5, random_state=seed)
    with pytest.raises(InputTypeError, match=r"^row 150 \(block 3\) = 3.5 is not a string"):
        model.fit(scan(words, Y, block_rows=50))
    with pytest.raises(InputTypeError, match=r"^X\[150\] = 3.5 is not a string"):
        model.fit(words, Y)


def test_blocks_of_another_width_are_named():
    def factory():
        yield X, Y
        yield X[:, :2], Y

    with pytest.raises(WidthError, match=r"row 200 \(block 1\).*3 columns"):
        KernelRidge(kernel=KERNEL, centers=10).fit(factory)


def test_text_where_numbers_are_wanted_is_named():
    def factory():
        yield X, Y
        yield X.astype(object) + "a", Y

    with pytest.raises((TypeError, ValueError)):
        KernelRidge(kernel=KERNEL, centers=10).fit(factory)


def sparse(X):
    return scipy.sparse.csr_matrix(X)


def renamed(X):
    return pd.DataFrame(X, columns=["a", "b", "z"])


@pytest.mark.parametrize(
    ("first", "second", "match"),
    [
        (X, X + 1j, "complex"),
        (X, sparse(X), "is sparse"),
        (sparse(X), X, "is dense"),
        (pd.DataFrame(X, columns=["a", "b", "c"]), renamed(X), "'c'"),
        (pd.DataFrame(X, columns=["a", "b", "c"]), X, "is an array"),
    ],
    ids=["complex", "sparse", "dense", "renamed", "array"],
)
@pytest.mark.parametrize("late", [False, True])  # where no sampled row can be
def test_blocks_of_another_kind_are_named(first, second, match, late, monkeypatch):
    if late:
        monkeypatch.setattr(mercer.estimators.centers.data, "_SAMPLE", 1)

    def factory():
        yield first, Y
        yield second, Y

    with pytest.raises(InputError, match=rf"row 200 \(block 1\).*{match}"):
        KernelRidge(kernel=KERNEL, centers=10).fit(factory)


@pytest.mark.parametrize(
    ("model", "first", "second"),
    [
        (KernelRidge(kernel=KERNEL, centers=10), Y, LABELS),
        (KernelRidge(kernel=KERNEL, centers=10), Y, np.column_stack([Y, Y])),
        (KernelRidge(kernel=KERNEL, centers=10), np.column_stack([Y, Y]), Y),
        (KernelRidgeClassifier(kernel=KERNEL, centers=10), LABELS, Y > 4),
        (KernelRidgeClassifier(kernel=KERNEL, centers=10), Y > 4, LABELS),
        (KernelRidgeClassifier(kernel=KERNEL, centers=10), LABELS, LABELS[:, None]),
    ],
)
def test_targets_of_another_kind_are_named(model, first, second):
    def factory():
        yield X, first
        yield X, second

    with pytest.raises(InputError, match=r"y of row 200 \(block 1\)"):
        model.fit(factory)


def test_labels_that_come_late_are_classes_too():
    order = np.argsort(LABELS)  # files sorted by class
    model = KernelRidgeClassifier(kernel=KERNEL, centers=60)
    model.fit(blocks(X[order], LABELS[order]))
    assert model.classes_.tolist() == ["high", "low", "middle"]
    assert (model.predict(X) == LABELS).mean() > 0.8


def test_other_rows_the_second_time_are_an_error():
    calls = []

    def factory():
        calls.append(0)
        yield X + len(calls), Y

    with pytest.raises(InputError, match="gave other rows"):
        KernelRidge(kernel=KERNEL, centers=10).fit(factory)


def test_more_centers_than_rows_are_all_rows():
    with pytest.warns(UserWarning, match="is more than the 200 rows"):
        model = KernelRidge(kernel=KERNEL, centers=500).fit(X, Y)
    assert len(model.X_fit_) == N


def test_centers_must_fit_the_rows():
    with pytest.raises(ParameterError, match="finite rows of 3 columns"):
        KernelRidge(kernel=KERNEL, centers=X[:5, :2]).fit(X, Y)
    for empty in ([], np.empty((0, 3))):
        with pytest.raises(ParameterError, match=r"centers = .* is empty"):
            KernelRidge(kernel=KERNEL, centers=empty).fit(X, Y)
    with pytest.raises(ParameterError, match="not a precomputed matrix"):
        KernelRidge(kernel="precomputed", centers=5).fit(KERNEL(X), Y)


def test_sources_need_targets():
    with pytest.raises(ValueError, match="is missing in row 0"):
        KernelRidge(kernel=KERNEL, centers=5).fit(lambda: [X])


def test_small_sources_are_loaded_with_a_note():
    model = KernelRidge(kernel=KERNEL).fit(blocks(X, Y))
    assert "all 200 rows were loaded into memory" in str(model.report_)
    assert model.predict(NEW) == pytest.approx(KernelRidge(kernel=KERNEL).fit(X, Y).predict(NEW))


def test_a_fit_that_fails_leaves_the_model_as_it_was():
    model = KernelRidge(kernel=KERNEL, centers=10).fit(X, Y)
    before = model.predict(NEW)
    with pytest.raises(InputError):
        model.fit(lambda: [])
    assert (model.predict(NEW) == before).all()


def test_the_report_says_how_large_a_scanned_memory_map_is(tmp_path):
    X = np.memmap(tmp_path / "X", dtype=float, mode="w+", shape=(400, 2))
    X[:] = np.random.default_rng(0).standard_normal(X.shape)
    for centers, note in ((20, "400 rows, 6.4 kB, read block by block"), ("all", "6.4 kB")):
        model = KernelRidge(kernel=RBF(), centers=centers).fit(mercer.scan(X, X[:, 0]))
        assert note in str(model.report_)
