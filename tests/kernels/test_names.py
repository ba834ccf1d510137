"""Names of parameters and kernels: old ones, misspelt ones, and those of other libraries."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV

import mercer
from mercer import (
    RBF,
    SVC,
    BlendedSpectrum,
    Laplacian,
    Linear,
    Mismatch,
    Polynomial,
    Sigmoid,
    Spectrum,
    Subsequence,
    errors,
)
from mercer.errors import ParameterError, ParseError

WORDS = ["abba", "abab", "baba", "bbaa"]


@pytest.mark.parametrize("kernel", [Spectrum, BlendedSpectrum, Mismatch])
def test_n_is_the_old_name_of_length(kernel):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        new = kernel(length=2)
    with pytest.warns(DeprecationWarning, match="write length"):
        old = kernel(n=2)
    with pytest.warns(DeprecationWarning, match="write length"):
        parsed = mercer.parse(f"{kernel.__name__}(n=2)")
    with pytest.warns(DeprecationWarning, match="write length"):
        changed = kernel().set_params(n=2)
    with pytest.warns(DeprecationWarning, match="write length"):
        assert changed.n == 2
    with pytest.warns(DeprecationWarning, match="write length"):
        changed.n = 2
    for same in (old, parsed, changed):
        assert repr(same) == repr(new)
        assert np.array_equal(same.fit(WORDS)(WORDS), new.fit(WORDS)(WORDS))
    with (
        pytest.warns(DeprecationWarning, match="write length"),
        pytest.raises(ParameterError, match="twice"),
    ):
        kernel(n=2, length=3)


def test_a_search_by_an_old_name():
    search = GridSearchCV(SVC(kernel=Spectrum()), {"kernel__n": [1, 2]}, cv=2)
    with pytest.warns(DeprecationWarning, match="write length"):
        search.fit(WORDS * 2, [0, 1] * 4)


def test_old_pickles_and_model_files(tmp_path, monkeypatch):
    kernel = Spectrum(length=2)
    state = {"n" if name == "length" else name: v for name, v in vars(kernel).items()}
    monkeypatch.setattr(Spectrum, "__getstate__", lambda self: state)
    assert pickle.loads(pickle.dumps(kernel)).length == 2
    monkeypatch.undo()

    vars(kernel)["n"] = vars(kernel).pop("length")
    monkeypatch.setattr(Spectrum, "get_params", lambda self, deep=True: {"n": 2})
    mercer.save(kernel, tmp_path / "old.mercer")
    monkeypatch.undo()
    assert repr(mercer.load(tmp_path / "old.mercer")) == "Spectrum(length=2)"


@pytest.mark.parametrize(
    ("make", "hint"),
    [
        (lambda: RBF(lenght_scale=1.0), "did you mean length_scale?"),
        (lambda: RBF(lengthscale=1.0), "did you mean length_scale?"),
        (lambda: RBF(gamma=0.5), "RBF.from_gamma"),
        (lambda: RBF(sigma=0.5), "RBF.from_sigma"),
        (lambda: Laplacian(gamma=0.5), "length_scale = 1/gamma"),
        (lambda: Polynomial(2, gamma=0.5), "write scale"),
        (lambda: Polynomial(2, coef0=0.5), "write offset"),
        (lambda: Sigmoid(gamma=0.5), "write scale"),
        (lambda: RBF().set_params(lenghtscale=1.0), "did you mean length_scale?"),
        (lambda: RBF().set_params(gamma=1.0), "RBF.from_gamma"),
        (lambda: (RBF() + Linear()).set_params(k1__lenght_scale=1.0), "did you mean length_scale?"),
        (lambda: setattr(RBF(), "lenght_scale", 1.0), "did you mean length_scale?"),
        (lambda: Subsequence(lenght=2), "did you mean length?"),
        (lambda: Linear(offset=2), "it has none"),
    ],
)
def test_a_misspelt_parameter_is_told_its_name(make, hint):
    with pytest.raises(ParameterError, match="is not a parameter") as caught:
        make()
    assert hint in str(caught.value)
    assert isinstance(caught.value, TypeError)  # as Python raises it, and scikit-learn


@pytest.mark.parametrize("name", mercer.kernels.catalogue())
def test_every_kernel_names_the_parameter_that_was_meant(name):
    example = mercer.kernels.catalogue()[name].examples()[0]
    for parameter in example.get_params(deep=False):
        with pytest.raises(ParameterError, match=rf"did you mean {parameter}\?"):
            example.copy().set_params(**{f"{parameter}e": 1.0})


def test_a_command_that_is_another_function():
    with pytest.raises(AttributeError, match="mmd_test"):
        mercer.compare  # noqa: B018


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("RFB()", "did you mean RBF?"),
        ("Specturm(3)", "did you mean Spectrum?"),
        ("WhiteKernel()", "White()"),
        ("gaussian", "did you mean Gaussian()?"),
        ("Gausian(2)", "did you mean Gaussian?"),
        ("SquaredExponential", "write SquaredExponential()"),
        ("ExpSineSquared()", "Periodic"),
        ("RBF(lenght_scale=1)", "did you mean length_scale?"),
        ("RBF(gamma=1)", "from_gamma"),
    ],
)
def test_misspelt_expressions(text, hint):
    with pytest.raises((ParseError, ParameterError)) as caught:
        mercer.parse(text)
    assert hint in str(caught.value)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("Specturm", "did you mean Spectrum?"),
        ("SVM", "did you mean"),
        ("KernelPac", "did you mean KernelPCA?"),
        ("WhiteKernel", "White()"),
        ("ExpSineSquared", "Periodic"),
        ("parce", "did you mean parse?"),
    ],
)
def test_misspelt_names_of_the_package(name, hint):
    with pytest.raises(AttributeError, match=f"no attribute '{name}'") as caught:
        getattr(mercer, name)
    assert hint in str(caught.value)
    with pytest.raises(ImportError, match=f"cannot import name '{name}'") as refused:
        exec(f"from mercer import {name}")
    assert hint in str(refused.value)


def test_names_without_a_hint_and_modules():
    with pytest.raises(ImportError, match="cannot import name 'qqqqqq'"):
        exec("from mercer import qqqqqq")
    exec("from mercer import studio, cli, kernels")  # modules, of which two are not public names
    assert not hasattr(mercer, "WhiteKernel")


def test_a_misspelt_error_is_told_its_name():
    with pytest.raises(AttributeError, match=r"mercer.errors.*'ParamterError'.*ParameterError\?"):
        errors.ParamterError  # noqa: B018


def test_aliases():
    assert mercer.SquaredExponential is mercer.Gaussian is RBF
    assert repr(mercer.parse("SquaredExponential(2.0)")) == "RBF(length_scale=2.0)"
