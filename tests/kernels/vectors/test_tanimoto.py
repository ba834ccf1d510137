"""The Tanimoto kernel."""

import numpy as np
import pytest
import scipy.sparse

import mercer
from mercer import Jaccard, Tanimoto
from mercer.errors import DomainError

FORMS = [Tanimoto(), Tanimoto(form="dot")]


@pytest.mark.parametrize("kernel", FORMS, ids=repr)
@pytest.mark.parametrize("width", [1, 63, 64, 65, 200])
def test_on_bits_it_is_the_jaccard_kernel(kernel, width):
    X = (np.random.default_rng(width).random((30, width)) < 0.3).astype(float)
    X[4] = 0
    K = kernel(X)
    assert np.array_equal(K, Jaccard()(X))
    assert np.array_equal(kernel(scipy.sparse.csr_matrix(X)), K)
    sets = [set(np.flatnonzero(row).tolist()) for row in X]
    assert np.array_equal(Jaccard()(sets), K)
    assert K[4, 4] == 1.0 and not K[4, X.any(axis=1)].any()


@pytest.mark.parametrize("kernel", FORMS, ids=repr)
def test_bits_beside_counts(kernel):
    rng = np.random.default_rng(0)
    bits, counts = rng.integers(0, 2, (20, 70)), rng.poisson(1.0, (10, 70))
    both = np.vstack([bits, counts])
    assert np.array_equal(kernel(bits, counts), kernel(both)[:20, 20:])
    assert np.array_equal(kernel(counts, bits), kernel(both)[20:, :20])
    assert np.array_equal(kernel(bits), kernel(both)[:20, :20])


@pytest.mark.parametrize("kernel", FORMS, ids=repr)
@pytest.mark.parametrize("width", [3, 100])
def test_sparse_rows(kernel, width):
    X = np.random.default_rng(1).random((40, width)) * (
        np.random.default_rng(2).random((40, width)) < 0.3
    )
    sparse = scipy.sparse.csr_matrix(X)
    np.testing.assert_allclose(kernel(sparse), kernel(X), rtol=1e-13)
    assert (kernel(sparse).diagonal() == 1).all() and (kernel(X).diagonal() == 1).all()


def test_definitions():
    x, y = np.array([[2.0, 0.0, 1.0]]), np.array([[1.0, 1.0, 1.0]])
    assert Tanimoto()(x, y)[0, 0] == 2 / 4
    assert Tanimoto(form="dot")(x, y)[0, 0] == 3 / (5 + 3 - 3)
    assert Tanimoto(form="dot")([[1.0]], [[-1.0]])[0, 0] == -1 / 3
    with pytest.raises(DomainError, match=">= 0"):
        Tanimoto()([[1.0, -1.0]])


def test_classification_of_fingerprints(tmp_path):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 30)
    X = (rng.random((60, 128)) < np.where(y[:, None] == 1, 0.2, 0.4)).astype(np.uint8)
    model = mercer.SVC(kernel=Tanimoto()).fit(X, y)
    assert model.score(X, y) > 0.9
    mercer.save(model, tmp_path / "m.mercer")
    assert np.array_equal(mercer.load(tmp_path / "m.mercer").predict(X), model.predict(X))
