"""Kernel principal components against scikit-learn's, against the eigenproblem written out, and
against plain principal components.
"""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import projection as naive
from sklearn.base import clone
from sklearn.datasets import make_circles, make_moons
from sklearn.decomposition import PCA
from sklearn.decomposition import KernelPCA as Theirs
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import mercer
from mercer import (
    RBF,
    Jaccard,
    KernelPCA,
    Laplacian,
    Linear,
    NegativeDistance,
    Polynomial,
    Sigmoid,
    config_context,
    errors,
    feature_distance,
    repair,
)

SOLVERS = ["auto", "dense", "lanczos", "arpack", "randomized"]
KERNELS = [
    {"kernel": "rbf", "gamma": 0.02},
    {"kernel": "poly", "degree": 2, "gamma": 0.3, "coef0": 2.0},
    {"kernel": "cosine"},
    {"kernel": "linear"},
]


@parametrize_with_checks([KernelPCA(n_components=2, kernel=RBF(), fit_inverse_transform=True)])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def samples(n: int = 80, d: int = 5, seed: int = 0):
    """Columns of different spreads, so that eigenvalues lie apart, and new samples."""
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, d)) * np.arange(1, d + 1), rng.standard_normal(
        (30, d)
    ) * np.arange(1, d + 1)


def aligned(Z, other):
    """Z with the signs of other."""
    return Z * np.sign((Z * other).sum(axis=0))


def projector(V):
    return V @ np.linalg.pinv(V)


def quiet(model, *args):
    """Fitted with what it warns of left unsaid."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return model.fit(*args)


# -- equal to scikit-learn, and to the definition
# ----------------------------------------------------------------------


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("options", KERNELS, ids=lambda o: o["kernel"])
def test_scikit_learns_components(options, solver):
    X, new = samples()
    ours = KernelPCA(3, eigen_solver=solver, random_state=0, **options).fit(X)
    theirs = Theirs(3, eigen_solver="dense", **options).fit(X)
    np.testing.assert_allclose(ours.eigenvalues_, theirs.eigenvalues_, rtol=1e-8)
    expected = theirs.transform(new)
    np.testing.assert_allclose(
        aligned(ours.transform(new), expected),
        expected,
        atol=1e-8 * max(1.0, np.abs(expected).max()),
    )
    np.testing.assert_allclose(
        aligned(ours.eigenvectors_, theirs.eigenvectors_), theirs.eigenvectors_, atol=1e-8
    )


@pytest.mark.parametrize("solver", SOLVERS)
def test_matrices_made_beforehand(solver):
    X, new = samples()
    K, K_new = RBF(length_scale=5.0)(X), RBF(length_scale=5.0)(new, X)
    kept = K.copy()
    ours = KernelPCA(3, kernel="precomputed", eigen_solver=solver, random_state=0).fit(K)
    theirs = Theirs(3, kernel="precomputed", eigen_solver="dense").fit(K)
    np.testing.assert_allclose(
        aligned(ours.transform(K_new), theirs.transform(K_new)), theirs.transform(K_new), atol=1e-8
    )
    np.testing.assert_array_equal(K, kept)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(
    "kernel",
    [RBF(length_scale=6.0), Polynomial(degree=2), Laplacian(length_scale=4.0), NegativeDistance()],
    ids=lambda k: type(k).__name__,
)
def test_the_definition(kernel, solver):
    if solver == "randomized" and isinstance(kernel, (Laplacian, NegativeDistance)):
        pytest.skip("a slow decay of the eigenvalues is not for random projections")
    X, new = samples()
    model, expected = (
        KernelPCA(4, kernel=kernel, eigen_solver=solver, random_state=0).fit(X),
        naive.kernel_pca(kernel(X), 4),
    )
    large = expected.values[0]
    np.testing.assert_allclose(model.eigenvalues_, expected.values, rtol=1e-8)
    np.testing.assert_allclose(
        aligned(model.eigenvectors_, expected.vectors), expected.vectors, atol=1e-8
    )
    scores = expected.scores(kernel(new, X))
    np.testing.assert_allclose(
        aligned(model.transform(new), scores), scores, atol=1e-8 * max(1.0, np.sqrt(large))
    )


@pytest.mark.parametrize("solver", ["auto", "dense", "lanczos"])
def test_repeated_eigenvalues_are_a_subspace(solver):
    """A regular tetrahedron's corners, many of each: three equal eigenvalues."""
    X = np.repeat(
        [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]], 10, axis=0
    )
    for options in ({"kernel": "linear"}, {"kernel": "rbf", "gamma": 0.3}):
        ours, theirs = (
            KernelPCA(3, eigen_solver=solver, **options).fit(X),
            Theirs(3, eigen_solver="dense", **options).fit(X),
        )
        np.testing.assert_allclose(ours.eigenvalues_, theirs.eigenvalues_, rtol=1e-8)
        np.testing.assert_allclose(
            projector(ours.transform(X)), projector(theirs.transform(X)), atol=1e-8
        )
        np.testing.assert_allclose(ours.eigenvectors_.T @ ours.eigenvectors_, np.eye(3), atol=1e-8)


@pytest.mark.parametrize("shape", [(80, 5), (20, 50)], ids=str)
@pytest.mark.parametrize("kernel", ["linear", Linear()], ids=str)
def test_the_linear_kernel_is_principal_component_analysis(kernel, shape):
    X, new = samples(*shape)
    ours, theirs = KernelPCA(3, kernel=kernel).fit(X + 7.0), PCA(3, svd_solver="full").fit(X + 7.0)
    expected = theirs.transform(new)
    np.testing.assert_allclose(aligned(ours.transform(new), expected), expected, atol=1e-8)
    np.testing.assert_allclose(ours.explained_variance_, theirs.explained_variance_, rtol=1e-9)
    np.testing.assert_allclose(
        ours.explained_variance_ratio_, theirs.explained_variance_ratio_, rtol=1e-9
    )


def test_the_rows_of_the_training_samples_are_the_scaled_eigenvectors():
    X, _ = samples()
    model = KernelPCA(4, kernel=RBF(length_scale=4.0))
    Z = model.fit_transform(X)
    np.testing.assert_allclose(Z, model.eigenvectors_ * np.sqrt(model.eigenvalues_), atol=1e-12)
    np.testing.assert_allclose(model.transform(X), Z, atol=1e-9)
    np.testing.assert_allclose(Z.mean(axis=0), 0.0, atol=1e-9)
    np.testing.assert_allclose(Z.T @ Z, np.diag(model.eigenvalues_), atol=1e-8)
    assert (np.diff(model.eigenvalues_) <= 0).all()
    V = model.eigenvectors_
    assert (V[np.abs(V).argmax(axis=0), range(4)] > 0).all()


def test_all_components_keep_every_distance():
    X, _ = samples(40)
    kernel = RBF(length_scale=3.0)
    Z = KernelPCA(kernel=kernel).fit_transform(X)
    distances = np.sqrt(((Z[:, None] - Z[None]) ** 2).sum(axis=2))
    np.testing.assert_allclose(distances, feature_distance(kernel, X), atol=1e-6)
    model = KernelPCA(kernel=kernel).fit(X)
    assert model.explained_variance_ratio_.sum() == pytest.approx(1.0, abs=1e-9)


def test_shares_of_variance_are_of_the_whole():
    X, _ = samples()
    model = KernelPCA(2, kernel=RBF(length_scale=4.0)).fit(X)
    total = np.trace(naive.centered(RBF(length_scale=4.0)(X)))
    np.testing.assert_allclose(
        model.explained_variance_ratio_, model.eigenvalues_ / total, rtol=1e-9
    )
    np.testing.assert_allclose(
        model.explained_variance_, model.eigenvalues_ / (len(X) - 1), rtol=1e-12
    )


def test_fewer_components_are_the_first():
    X, new = samples()
    many, few = (
        KernelPCA(c, kernel=RBF(length_scale=4.0), eigen_solver="dense").fit(X) for c in (5, 2)
    )
    np.testing.assert_allclose(few.transform(new), many.transform(new)[:, :2], atol=1e-9)


@settings(max_examples=15)
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(2, 25),
    d=st.integers(1, 4),
    components=st.integers(1, 6),
)
def test_any_samples(seed, n, d, components):
    rng = np.random.default_rng(seed)
    X = np.round(rng.standard_normal((n, d)), 1)
    X[rng.integers(0, n)] = X[0]
    kernel = RBF(length_scale=2.0)
    expected = naive.kernel_pca(kernel(X), components) if np.ptp(X, axis=0).any() else None
    if expected is None:
        return
    model = quiet(KernelPCA(components, kernel=kernel), X)
    r = min(len(model.eigenvalues_), len(expected.values))
    np.testing.assert_allclose(model.eigenvalues_[:r], expected.values[:r], rtol=1e-6, atol=1e-12)
    rank = int((model.eigenvalues_ > 0).sum())
    assert np.isfinite(model.transform(X)).all() and not model.eigenvalues_[rank:].any()
    assert abs(rank - len(expected.values)) <= 1 or expected.values[-1] < 1e-6
    error = model.reconstruction_error(X)
    assert (error >= 0).all()
    np.testing.assert_allclose(error, expected.error(np.ones(n), kernel(X)), atol=1e-6)


# -- back to the samples
# -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", KERNELS[:2] + KERNELS[3:], ids=lambda o: o["kernel"])
@pytest.mark.parametrize("alpha", [1.0, 0.01])
def test_scikit_learns_way_back(options, alpha):
    X, new = samples()
    ours = KernelPCA(3, fit_inverse_transform=True, alpha=alpha, **options).fit(X)
    theirs = Theirs(
        3, fit_inverse_transform=True, alpha=alpha, eigen_solver="dense", **options
    ).fit(X)
    expected = theirs.inverse_transform(theirs.transform(new))
    np.testing.assert_allclose(
        ours.inverse_transform(ours.transform(new)), expected, atol=1e-6 * np.abs(expected).max()
    )
    assert (
        ours.X_transformed_fit_.shape == theirs.X_transformed_fit_.shape
        and ours.dual_coef_.shape == theirs.dual_coef_.shape
    )
    np.testing.assert_allclose(
        np.abs(ours.X_transformed_fit_), np.abs(theirs.X_transformed_fit_), atol=1e-6
    )


def circle(n: int = 150, noise: float = 0.15, seed: int = 0):
    rng = np.random.default_rng(seed)
    angle = rng.uniform(0, 2 * np.pi, n)
    clean = np.column_stack([np.cos(angle), np.sin(angle)])
    return clean, clean + noise * rng.standard_normal(clean.shape)


@pytest.mark.parametrize(
    "kernel", [{"kernel": "rbf", "gamma": 1.0}, {"kernel": RBF(length_scale=0.7)}], ids=str
)
def test_the_fixed_point_takes_noise_away(kernel):
    _, noisy = circle()
    test, dirty = circle(60, seed=1)
    model = KernelPCA(4, fit_inverse_transform=True, inverse="fixed_point", **kernel).fit(noisy)
    back = model.inverse_transform(model.transform(dirty))
    before, after = (np.linalg.norm(a - test, axis=1) for a in (dirty, back))
    assert back.shape == dirty.shape and np.isfinite(back).all()
    assert after.mean() < 0.9 * before.mean()
    assert (
        np.abs(np.linalg.norm(back, axis=1) - 1).mean()
        < 0.7 * np.abs(np.linalg.norm(dirty, axis=1) - 1).mean()
    )


def test_the_fixed_point_is_one():
    """x = Σ g_i k(x, x_i) x_i/Σ g_i k(x, x_i), where Σ g_i φ(x_i) is the projection."""
    _, noisy = circle()
    _, new = circle(20, seed=1)
    kernel = RBF(length_scale=0.7)
    model = KernelPCA(4, kernel=kernel, fit_inverse_transform=True, inverse="fixed_point").fit(
        noisy
    )
    x = model.inverse_transform(model.transform(new))
    slow = naive.kernel_pca(kernel(noisy), 4)
    weights = slow.weights(slow.scores(kernel(new, noisy))) * kernel(x, noisy)
    np.testing.assert_allclose(weights @ noisy / weights.sum(axis=1, keepdims=True), x, atol=1e-4)


def test_the_fixed_point_finds_samples_again():
    X, _ = samples(40, 3)
    model = KernelPCA(
        kernel=RBF(length_scale=2.0), fit_inverse_transform=True, inverse="fixed_point"
    ).fit(X)
    np.testing.assert_allclose(model.inverse_transform(model.transform(X)), X, atol=1e-2)


def test_the_way_back_has_to_be_asked_for():
    X, _ = samples()
    with pytest.raises((NotFittedError, ValueError), match="fit_inverse_transform"):
        KernelPCA(2, kernel="rbf").fit(X).inverse_transform(np.zeros((1, 2)))
    with pytest.raises(ValueError):
        KernelPCA(2, kernel="precomputed", fit_inverse_transform=True).fit(RBF()(X))
    with pytest.raises(ValueError):
        KernelPCA(2, kernel="poly", fit_inverse_transform=True, inverse="fixed_point").fit(X)
    with pytest.raises(ValueError, match="inverse"):
        KernelPCA(2, kernel="rbf", fit_inverse_transform=True, inverse="hope").fit(X)


# -- reconstruction errors
# ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "kernel",
    [RBF(length_scale=4.0), Polynomial(degree=2), Linear()],
    ids=lambda k: type(k).__name__,
)
def test_reconstruction_errors(kernel):
    X, new = samples()
    model, slow = KernelPCA(3, kernel=kernel).fit(X), naive.kernel_pca(kernel(X), 3)
    expected = slow.error(np.diag(kernel(new)), kernel(new, X))
    np.testing.assert_allclose(
        model.reconstruction_error(new),
        expected,
        rtol=1e-7,
        atol=1e-9 * np.abs(np.diag(kernel(new))).max(),
    )
    own = model.reconstruction_error(X)
    assert own.sum() == pytest.approx(
        np.trace(naive.centered(kernel(X))) - model.eigenvalues_.sum(), rel=1e-7
    )


def test_far_samples_are_reconstructed_badly():
    X, _ = samples()
    model = KernelPCA(5, kernel=RBF(length_scale=4.0)).fit(X)
    assert (
        model.reconstruction_error(np.full((1, 5), 100.0))[0] > model.reconstruction_error(X).max()
    )


def test_nothing_is_left_with_every_component():
    X, _ = samples()
    error = KernelPCA(kernel=Linear()).fit(X).reconstruction_error(X)
    assert (error >= 0).all() and error.max() < 1e-8 * (X**2).sum(axis=1).max()


# -- kernels and samples of every sort
# ---------------------------------------------------------------------------------


def test_ways_to_name_a_kernel():
    X, new = samples()
    expected = KernelPCA(3, kernel=RBF(length_scale=5.0)).fit(X).transform(new)
    given = [
        ("rbf", 0.02),
        ("RBF(length_scale=5.0)", None),
        (lambda a, b: RBF(length_scale=5.0)(a, b), None),
    ]
    for kernel, gamma in given:
        model = quiet(KernelPCA(3, kernel=kernel, gamma=gamma), X)
        np.testing.assert_allclose(model.transform(new), expected, atol=1e-7)
    assert KernelPCA(3, kernel="rbf").fit(X).gamma_ == pytest.approx(1 / X.shape[1])


def test_sets():
    sets = [{"a", "b"}, {"a", "c"}, {"b", "c"}, {"x", "y"}, {"x", "z"}, {"y", "z"}]
    model = KernelPCA(2, kernel=Jaccard()).fit(sets)
    expected = naive.kernel_pca(Jaccard()(sets), 2)
    np.testing.assert_allclose(model.eigenvalues_, expected.values)
    first = model.transform([{"a"}, {"x"}])[:, 0]
    assert first[0] * first[1] < 0


@pytest.mark.parametrize("kernel", ["rbf", "linear", "cosine", RBF(length_scale=3.0)], ids=str)
def test_sparse_rows_are_dense_rows(kernel):
    X, new = (np.where(np.abs(a) > 1.0, a, 0.0) for a in samples())
    dense, sparse = (
        KernelPCA(3, kernel=kernel).fit(X),
        KernelPCA(3, kernel=kernel).fit(sp.csr_matrix(X)),
    )
    np.testing.assert_allclose(
        aligned(sparse.transform(sp.csr_matrix(new)), dense.transform(new)),
        dense.transform(new),
        atol=1e-7,
    )


def test_frames_come_out_named():
    X, _ = samples()
    frame = pd.DataFrame(X, columns=list("abcde"), index=np.arange(len(X)) + 7)
    made = KernelPCA(2, kernel="rbf").set_output(transform="pandas").fit_transform(frame)
    assert made.columns.tolist() == ["kernelpca0", "kernelpca1"] and made.index.equals(frame.index)


def test_circles_are_apart_in_a_pipeline_and_a_search():
    X, y = make_circles(150, factor=0.3, noise=0.05, random_state=0)
    model = make_pipeline(KernelPCA(3, kernel=RBF()), LogisticRegression())
    search = GridSearchCV(model, {"kernelpca__kernel__length_scale": [0.5, 1000.0]}, cv=3).fit(X, y)
    assert (
        search.best_params_ == {"kernelpca__kernel__length_scale": 0.5}
        and search.best_score_ > 0.98
    )
    again = clone(search.best_estimator_).fit(X, y)
    np.testing.assert_array_equal(again.predict(X), search.predict(X))


def test_definiteness():
    X, new = samples()
    with pytest.raises(errors.DefinitenessError, match="Sigmoid"):
        KernelPCA(2, kernel=Sigmoid(scale=0.5)).fit(X)
    K = X @ np.diag([1.0, 1.0, 1.0, -1.0, -1.0]) @ X.T
    with pytest.raises(ValueError, match="significant negative eigenvalues") as refused:
        KernelPCA(kernel="precomputed").fit(K)
    assert isinstance(refused.value, errors.DefinitenessError) and "repair" in str(refused.value)
    with pytest.raises(ValueError, match="significant negative eigenvalues"):
        Theirs(kernel="precomputed").fit(K)
    with pytest.warns(errors.DefinitenessWarning, match=r"mercer\.repair|repair"):
        model = KernelPCA(3, kernel="precomputed").fit(K)
    assert (model.eigenvalues_ > 0).all() and np.isfinite(model.transform(K)).all()
    repaired = KernelPCA(kernel="precomputed").fit(repair(K).matrix)
    assert len(repaired.eigenvalues_) == 3
    lowest = np.linalg.eigvalsh(naive.centered(K))[0]
    with pytest.warns(errors.DefinitenessWarning, match=f"{lowest:.0f}"[:4]):
        KernelPCA(2, kernel="precomputed").fit(K)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        KernelPCA(2, kernel=NegativeDistance()).fit(X).transform(new)


# -- what must hold
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "kernel",
    [RBF(length_scale=5.0), Polynomial(degree=2), NegativeDistance()],
    ids=lambda k: type(k).__name__,
)
def test_a_small_memory_budget_changes_the_way_only(kernel):
    X, new = samples(300)
    roomy = KernelPCA(3, kernel=kernel).fit(X)
    with config_context(memory_budget="200 kB"):
        narrow = KernelPCA(3, kernel=kernel).fit(X)
        found, error = narrow.transform(new), narrow.reconstruction_error(new)
    scale = max(1.0, np.abs(found).max())
    np.testing.assert_allclose(narrow.eigenvalues_, roomy.eigenvalues_, rtol=1e-8)
    np.testing.assert_allclose(found, roomy.transform(new), atol=1e-8 * scale)
    np.testing.assert_allclose(
        narrow.explained_variance_ratio_, roomy.explained_variance_ratio_, rtol=1e-8
    )
    np.testing.assert_allclose(error, roomy.reconstruction_error(new), atol=1e-8 * scale**2)
    assert str(narrow.report_) and narrow.report_.plan != roomy.report_.plan


@pytest.mark.parametrize("budget", ["8 GB", "500 kB"])
@pytest.mark.parametrize("solver", ["auto", "lanczos", "randomized"])
def test_bits_do_not_depend_on_threads(budget, solver):
    X, new = samples(400)
    found = []
    for threads in (1, 2, 8):
        with config_context(threads=threads, memory_budget=budget):
            model = KernelPCA(
                3, kernel=RBF(length_scale=5.0), eigen_solver=solver, random_state=0
            ).fit(X)
            found.append((model.eigenvalues_, model.eigenvectors_, model.transform(new)))
    for other in found[1:]:
        assert all(np.array_equal(a, b) for a, b in zip(found[0], other, strict=True))


def test_shifting_the_data_changes_nothing():
    X, new = (np.round(a * 2**20) / 2**20 for a in samples())
    near, far = (
        KernelPCA(3, kernel=RBF(length_scale=4.0)).fit(X + shift).transform(new + shift)
        for shift in (0.0, 1e6)
    )
    np.testing.assert_allclose(near, far, atol=1e-8)


def test_a_constant_added_to_the_kernel_changes_nothing():
    X, new = samples()
    plain, raised = (
        KernelPCA(3, kernel=k).fit(X).transform(new)
        for k in (RBF(length_scale=4.0), RBF(length_scale=4.0) + 3.0)
    )
    np.testing.assert_allclose(plain, raised, atol=1e-8)


def test_the_random_state_decides():
    X, _ = samples()
    a, b = (
        KernelPCA(3, kernel="rbf", eigen_solver="randomized", random_state=3).fit(X)
        for _ in range(2)
    )
    np.testing.assert_array_equal(a.eigenvectors_, b.eigenvectors_)


def test_moons_are_apart_on_two_components():
    X, y = make_moons(120, noise=0.05, random_state=0)
    Z = KernelPCA(2, kernel="rbf", gamma=15).fit_transform(X)
    assert LogisticRegression().fit(Z, y).score(Z, y) > 0.95


def test_the_report_says_how():
    X, _ = samples()
    text = str(KernelPCA(2, kernel=RBF()).fit(X).report_)
    assert "RBF" in text


# -- degenerate data
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("solver", ["auto", "dense", "lanczos", "randomized"])
def test_more_components_than_the_rank(solver):
    X, new = samples(40, 3)
    model = KernelPCA(10, kernel=Linear(), eigen_solver=solver, random_state=0)
    with pytest.warns(UserWarning, match=r"\b3\b"):
        model.fit(X)
    Z = model.transform(new)
    assert (
        Z.shape == (30, 10) and np.isfinite(Z).all() and not Z[:, 3:].any()
    )  # zeros, as scikit-learn has them
    assert (model.eigenvalues_ > 0).tolist() == [True] * 3 + [False] * 7
    assert len(model.get_feature_names_out()) == 10
    fewer = quiet(KernelPCA(10, kernel=Linear(), eigen_solver=solver, remove_zero_eig=True), X)
    assert fewer.fit_transform(X).shape == (40, 3)


def test_asking_for_nothing_in_particular_is_no_reason_to_warn():
    X, _ = samples(40, 3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert KernelPCA(kernel=Linear()).fit(X).transform(X).shape == (40, 3)
        assert KernelPCA(kernel=Linear(), remove_zero_eig=True).fit(X).transform(X).shape == (40, 3)


@pytest.mark.parametrize("solver", ["auto", "dense", "lanczos", "randomized"])
def test_duplicates_and_constant_columns_are_legal(solver):
    X = np.column_stack([np.ones(40), np.arange(40) // 4])
    for kernel in (RBF(length_scale=3.0), Linear()):
        model = quiet(KernelPCA(2, kernel=kernel, eigen_solver=solver), X)
        Z = model.transform(X)
        assert np.isfinite(Z).all()
        np.testing.assert_allclose(Z[0], Z[3], atol=1e-9)
    assert (model.eigenvalues_ > 0).tolist() == [True, False]


@pytest.mark.parametrize("kernel", ["rbf", "linear", RBF()], ids=str)
@pytest.mark.parametrize(
    "X", [np.ones((20, 2)), np.zeros((3, 1)), np.ones((1, 2))], ids=["equal", "zero", "one"]
)
def test_without_spread_there_is_an_error_or_nothing_but_numbers(X, kernel):
    try:
        model = quiet(KernelPCA(2, kernel=kernel), X)
    except ValueError:
        return
    Z = model.transform(X)
    assert len(Z) == len(X) and np.isfinite(Z).all() and np.abs(Z).sum() < 1e-6
    assert (
        np.isfinite(model.explained_variance_ratio_).all()
        and np.isfinite(model.explained_variance_).all()
    )
    np.testing.assert_allclose(model.reconstruction_error(X), 0.0, atol=1e-9)


# -- refusals
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("X", "match"),
    [
        (np.full((30, 2), np.nan), "NaN"),
        (np.full((30, 2), np.inf), "infinity|inf"),
        ([["a", "b"]] * 30, "could not convert|numeric|string"),
        (np.ones(30), "2D"),
        (np.ones((0, 3)), "0 sample|no rows|empty"),
        (np.ones((4, 0)), "0 feature|no columns|empty"),
    ],
    ids=lambda v: str(v)[:30],
)
def test_bad_data(X, match):
    with pytest.raises(ValueError, match=match):
        KernelPCA().fit(X)


@pytest.mark.parametrize(
    "options",
    [
        {"n_components": 0},
        {"n_components": -1},
        {"n_components": 1.5},
        {"kernel": 3},
        {"kernel": "hope"},
        {"gamma": "much"},
        {"eigen_solver": "hope"},
        {"tol": -1.0},
        {"max_iter": 0},
        {"alpha": -1.0, "fit_inverse_transform": True},
        {"iterated_power": "hope"},
    ],
    ids=str,
)
def test_bad_parameters(options):
    with pytest.raises(ValueError):
        KernelPCA(**options).fit(samples()[0])


def test_refusals_after_the_fit():
    X, _ = samples()
    for call in (
        KernelPCA().transform,
        KernelPCA().reconstruction_error,
        KernelPCA(fit_inverse_transform=True).inverse_transform,
    ):
        with pytest.raises(NotFittedError):
            call(X)
    model = KernelPCA(2).fit(X)
    for call in (model.transform, model.reconstruction_error):
        with pytest.raises(ValueError, match="features"):
            call(X[:, :2])
        with pytest.raises(ValueError, match="NaN"):
            call(X * np.nan)
    with pytest.raises(ValueError, match="square"):
        KernelPCA(kernel="precomputed").fit(X)
    with pytest.raises(ValueError):
        KernelPCA(kernel="precomputed").fit(RBF()(X)).transform(RBF()(X)[:, :10])


def test_a_share_of_the_variance():
    X, _ = samples(60, 5)
    whole = KernelPCA(kernel=RBF(length_scale=5.0)).fit(X)
    part = KernelPCA(0.9, kernel=RBF(length_scale=5.0)).fit(X)
    shares = np.cumsum(whole.explained_variance_ratio_)
    count = len(part.eigenvalues_)
    assert shares[count - 1] >= 0.9 > shares[count - 2]
    np.testing.assert_allclose(part.eigenvalues_, whole.eigenvalues_[:count])


def test_more_copies_than_a_block_has_columns():
    """One eigenvalue nine times, then smaller ones: a narrow Krylov space sees a few of the copies
    only.
    """
    rng = np.random.default_rng(0)
    U = np.linalg.qr(np.column_stack([np.ones(400), rng.standard_normal((400, 30))]))[0][:, 1:]
    values = np.concatenate([[3.0], np.full(9, 2.0), np.linspace(1.0, 0.1, 20)])
    K = (U * values) @ U.T
    model = KernelPCA(12, kernel="precomputed", eigen_solver="lanczos").fit((K + K.T) / 2)
    np.testing.assert_allclose(model.eigenvalues_, values[:12], atol=1e-10)


def test_text_where_numbers_should_be():
    with pytest.raises(ValueError, match="holds text or objects where kernel rbf needs numbers"):
        KernelPCA(kernel="rbf").fit([["a"], ["b"]])
    with pytest.raises(ValueError, match="one text, not a collection"):
        KernelPCA(kernel=Jaccard()).fit("abc")


@pytest.mark.parametrize("solver", ["dense", "lanczos", "randomized"])
def test_weights_are_copies(solver):
    X, Z = samples(400)
    weight = np.random.default_rng(1).integers(0, 4, len(X))
    rows = np.repeat(np.arange(len(X)), weight)
    options = {"kernel": RBF(6.0), "eigen_solver": solver, "random_state": 0, "tol": 1e-12}
    options |= {"iterated_power": 40, "fit_inverse_transform": True}
    weighted = KernelPCA(4, **options).fit(X, sample_weight=weight.astype(float))
    repeated = KernelPCA(4, **options).fit(X[rows])
    for name in ("eigenvalues_", "explained_variance_", "explained_variance_ratio_"):
        np.testing.assert_allclose(getattr(weighted, name), getattr(repeated, name), rtol=1e-6)
    projected = weighted.transform(Z)
    np.testing.assert_allclose(projected, repeated.transform(Z), atol=1e-6)
    ours, theirs = (m.reconstruction_error(Z) for m in (weighted, repeated))
    np.testing.assert_allclose(ours, theirs, atol=1e-6)
    ours, theirs = (m.inverse_transform(projected) for m in (weighted, repeated))
    np.testing.assert_allclose(ours, theirs, atol=1e-4)
    weighted.inverse = repeated.inverse = "fixed_point"
    ours, theirs = (m.inverse_transform(projected) for m in (weighted, repeated))
    np.testing.assert_allclose(ours, theirs, atol=1e-4)


def test_projections_of_weighted_samples():
    X, Z = samples(60)
    weight = np.random.default_rng(1).uniform(0.1, 3.0, len(X))
    model = KernelPCA(3, kernel=RBF(6.0))
    of_training = model.fit_transform(X, sample_weight=weight)
    np.testing.assert_allclose(of_training, model.transform(X), atol=1e-10)
    # the weighted variances of the coordinates, which do not correlate
    scatter = (weight[:, None] * of_training).T @ of_training
    np.testing.assert_allclose(scatter, np.diag(model.eigenvalues_), atol=1e-9)
    np.testing.assert_allclose(weight @ of_training, 0.0, atol=1e-10)
    weight[::3] = 0.0
    coordinates = model.fit_transform(X, sample_weight=weight)
    assert coordinates.shape == (60, 3)
    np.testing.assert_allclose(coordinates, model.transform(X), atol=1e-10)
    K = KernelPCA(3, kernel="precomputed").fit(RBF(6.0)(X), sample_weight=weight)
    np.testing.assert_allclose(K.transform(RBF(6.0)(Z, X)), model.transform(Z), atol=1e-9)


def test_weights_of_plain_principal_components():
    X, Z = samples(50)
    weight = np.random.default_rng(1).integers(1, 4, len(X))
    ours = KernelPCA(3, kernel="linear").fit(X, sample_weight=weight)
    plain = PCA(3).fit(np.repeat(X, weight, axis=0))
    np.testing.assert_allclose(np.abs(ours.transform(Z)), np.abs(plain.transform(Z)), atol=1e-8)
    np.testing.assert_allclose(ours.explained_variance_, plain.explained_variance_)


@pytest.mark.parametrize("n", [23, 31, 64, 333])
@pytest.mark.parametrize("value", [1.0, 0.1, 1 / 3])
def test_a_constant_matrix_has_no_components(n, value):
    K = np.full((n, n), value)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", mercer.errors.DataWarning)  # that all are equal
        for weight in (None, np.arange(n) + 1.0):
            model = KernelPCA(kernel="precomputed").fit(K, sample_weight=weight)
            assert model.eigenvalues_.shape == (0,)


@pytest.mark.parametrize("kernel", ["rbf", "precomputed"])
def test_single_precision_gives_single_precision(kernel):
    X = np.random.default_rng(0).standard_normal((20, 3)).astype(np.float32)
    if kernel == "precomputed":
        X = rbf_kernel(X)
    ours = KernelPCA(3, kernel=kernel, fit_inverse_transform=kernel == "rbf")
    theirs = Theirs(3, kernel=kernel, fit_inverse_transform=kernel == "rbf")
    for data in (X, X.astype(np.float64), pd.DataFrame(X), X.tolist()):
        Z, expected = ours.fit_transform(data), theirs.fit_transform(data)
        assert Z.dtype == expected.dtype == ours.transform(data).dtype
        np.testing.assert_allclose(np.abs(Z), np.abs(expected), atol=1e-4)
        if kernel == "rbf":
            assert ours.inverse_transform(Z).dtype == theirs.inverse_transform(expected).dtype


def test_sparse_samples_have_no_inverse_transform():
    X = sp.csr_matrix(np.eye(4))
    for cls in (KernelPCA, Theirs):
        with pytest.raises(NotImplementedError):
            cls(2, kernel="rbf", fit_inverse_transform=True).fit(X)
