"""Convolution kernels: sums over the parts of samples."""

import numpy as np
import pytest

import mercer
from mercer import RBF, Convolution, Linear, MeanEmbedding, SetIntersection, Spectrum
from mercer.errors import EmptyInputError, InputTypeError
from mercer.kernels.functions import numbers, words


def steps(path):
    return np.diff(path)[:, None]


def letters(text):
    return [set(word) for word in text.split()]


def test_equals_the_sum_over_pairs():
    rng = np.random.default_rng(0)
    paths = [rng.standard_normal(size) for size in (4, 7, 2, 300, 5)]
    k = Convolution(steps, RBF(0.7))
    exact = [[RBF(0.7)(steps(a), steps(b)).sum() for b in paths] for a in paths]
    np.testing.assert_allclose(k(paths), exact, rtol=1e-12)
    np.testing.assert_allclose(k(paths[:2], paths), k(paths)[:2], rtol=1e-13)


def test_bags_times_their_sizes():
    rng = np.random.default_rng(1)
    bags = [rng.standard_normal((size, 2)) for size in (3, 1, 8)]
    sizes = np.array([3.0, 1.0, 8.0])
    K = Convolution(lambda bag: bag, RBF())(bags)
    np.testing.assert_allclose(K, MeanEmbedding(RBF())(bags) * np.outer(sizes, sizes), rtol=1e-13)


def test_samples_without_parts():
    texts = ["", "a bc", "", "", "c", "b", ""]
    k = Convolution(words, Spectrum(1))
    K = k(texts)
    full = [1, 4, 5]
    assert np.array_equal(K[np.ix_(full, full)], k([texts[i] for i in full]))
    assert not np.delete(K, full, axis=0).any() and not np.delete(K, full, axis=1).any()
    assert np.array_equal(k(texts[1:2], texts[:1]), [[0.0]])
    assert np.array_equal(k(texts[:2], texts[2:]), K[:2, 2:])
    assert np.array_equal(k.normalize()(texts).diagonal(), (K.diagonal() > 0).astype(float))
    np.testing.assert_allclose((k.features(texts) @ k.features(texts).T).toarray(), K)


def test_errors_name_the_sample():
    with pytest.raises(EmptyInputError, match="no parts"):
        Convolution(words, Spectrum(1))(["", " "])
    with pytest.raises(InputTypeError, match=r"X\[1\].*words"):
        Convolution(words, Spectrum(1))(["a", 3])
    with pytest.raises(InputTypeError, match=r"X\[0\]"):
        Convolution(len, RBF())(["abc"])
    with pytest.raises(InputTypeError, match=r"in the bag X\[1\]"):
        Convolution(lambda x: x, Spectrum(1))([["a"], [1]])
    with pytest.raises(mercer.errors.ParameterError, match="parts"):
        Convolution("no function", RBF())


def test_any_kernel_of_parts():
    k = Convolution(letters, SetIntersection())
    assert k(["ab bc"], ["abc b"])[0, 0] == 2 + 1 + 2 + 1
    trees = Convolution(lambda text: text.splitlines(), mercer.Subtrees(normalized=False))
    assert trees(["(a b)\n(c d)"], ["(a b)"])[0, 0] == 2


def test_gradient_reaches_the_kernel_of_parts():
    X = np.random.default_rng(2).standard_normal((6, 3))
    k = Convolution(numbers, RBF(1.5))
    W = np.ones((6, 6))
    step = 1e-5
    values = [(Convolution(numbers, RBF(1.5 + s)))(X).sum() for s in (-step, step)]
    slope = (values[1] - values[0]) / (2 * step)
    assert k.gradient(X, W)["kernel__length_scale"] == pytest.approx(slope, rel=1e-7)


def test_learning_saving_and_parsing(tmp_path):
    X = ["red apple", "green apple", "red cherry", "fast car", "slow car", "red car"] * 3
    y = ["fruit"] * 3 + ["car"] * 3
    model = mercer.SVC(kernel=Convolution(words, Spectrum(2)).normalize()).fit(X, y * 3)
    assert model.score(X, y * 3) == 1.0
    mercer.save(model, tmp_path / "m.mercer")
    assert np.array_equal(mercer.load(tmp_path / "m.mercer").predict(X), model.predict(X))
    k = mercer.parse("Convolution(words, Spectrum(2))")
    assert repr(mercer.parse(repr(k))) == repr(k)


def test_certificates():
    assert Convolution(numbers, Linear()).certificate().psd
    assert "convolution" in str(Convolution(numbers, Linear()).certificate())
    assert Convolution(numbers, mercer.NegativeDistance()).certificate().status == "unknown"
