"""A user's own function as a kernel."""

from __future__ import annotations

import functools
import importlib
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.svm import SVC

import mercer
from mercer import RBF, errors
from mercer.errors import ParameterError, SlowPathWarning
from mercer.testing import check_kernel


@mercer.kernel(status="psd")
def shifted_square(x, y, offset=1.0, scale=0.5):
    total = offset
    for i in range(x.size):
        total += scale * x[i] * y[i]
    return total * total


def test_compiled_equals_the_python_function(rng):
    X, Y = rng.standard_normal((30, 3)), rng.standard_normal((5, 3))
    slow = np.array([[shifted_square.python_function(x, y) for y in Y] for x in X])
    np.testing.assert_allclose(shifted_square(X, Y), slow, rtol=1e-13)
    np.testing.assert_allclose(
        shifted_square(X), mercer.Polynomial(degree=2, scale=0.5)(X), rtol=1e-12
    )
    check_kernel(shifted_square)


def test_parameters(rng):
    X = rng.standard_normal((6, 2))
    other = shifted_square(offset=2.0)
    assert (
        repr(other) == "shifted_square(offset=2.0)" and repr(shifted_square) == "shifted_square()"
    )
    np.testing.assert_allclose(
        other(X), mercer.Polynomial(degree=2, scale=0.5, offset=2.0)(X), rtol=1e-12
    )
    assert (
        repr(mercer.parse("2.0 * shifted_square(offset=2.0) + RBF()"))
        == "2.0 * shifted_square(offset=2.0) + RBF()"
    )
    assert other.get_params() == {"offset": 2.0, "scale": 0.5}
    with pytest.raises(errors.ParameterError):
        other.set_params(offset="much")
    with pytest.raises(errors.ParameterError):
        other.set_params(speed=1.0)


def test_gradient_by_complex_step(rng):
    X, W = rng.standard_normal((7, 3)), rng.standard_normal((7, 7))
    reference = mercer.Polynomial(degree=2, scale=0.5).gradient(X, W)
    found = shifted_square.gradient(X, W)
    assert found["offset"] == pytest.approx(reference["offset"], rel=1e-12)
    assert found["scale"] == pytest.approx(reference["scale"], rel=1e-12)


def test_copies(rng):
    X = rng.standard_normal((5, 2))
    other = shifted_square(offset=3.0)
    for again in (pickle.loads(pickle.dumps(other)), clone(other), (2.0 * other).kernel):
        assert np.array_equal(again(X), other(X))


def test_in_the_algebra_and_in_scikit_learn(rng):
    X = rng.standard_normal((60, 2))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    assert (RBF() * shifted_square).certificate().status == "psd" or (
        RBF() * shifted_square
    ).certificate().psd
    assert SVC(kernel=shifted_square).fit(X, y).score(X, y) > 0.8


def test_what_cannot_be_compiled_runs_slowly_and_says_so(rng):
    @mercer.kernel
    def through_text(x, y):
        return float(len(str({}))) * 0 + float(np.dot(x, y))

    X = rng.standard_normal((8, 2))
    with pytest.warns(errors.SlowPathWarning, match="through_text"):
        K = through_text(X)
    np.testing.assert_allclose(K, X @ X.T, rtol=1e-13)
    with warnings.catch_warnings():  # said once
        warnings.simplefilter("error")
        through_text(X)

    strict = mercer.kernel(through_text.python_function, compile="compile")
    with pytest.raises(errors.CompilationError, match="through_text"):
        strict(X)


def test_any_objects():
    @mercer.kernel(objects=True, status="psd")
    def common_letters(a, b):
        return float(len(set(a) & set(b)))

    K = common_letters(["abc", "bcd", "xyz"])
    assert K.tolist() == [[3.0, 2.0, 0.0], [2.0, 3.0, 0.0], [0.0, 0.0, 3.0]]
    assert common_letters.certificate().status == "psd"


def test_functions_that_round_asymmetrically_give_symmetric_matrices(rng):
    @mercer.kernel
    def lopsided(x, y):
        return x[0] * 0.1 * y[0]

    K = lopsided(rng.standard_normal((300, 1)))
    assert np.array_equal(K, K.T)


@pytest.mark.parametrize("bad", [3, "x", None.__class__])
def test_only_functions_of_two_samples(bad):
    with pytest.raises((errors.ParameterError, ValueError, TypeError)):
        mercer.kernel(bad)(np.ones((2, 2)))


def test_parameters_need_numbers_as_defaults():
    with pytest.raises(errors.ParameterError):
        mercer.kernel(lambda x, y, p: 0.0)
    with pytest.raises(errors.ParameterError):
        mercer.kernel(lambda x, *y: 0.0)
    with pytest.raises(errors.ParameterError):
        mercer.kernel(status="surely")


def test_local_functions_are_pickled_with_their_code(rng):
    factor = 3.0

    @mercer.kernel(status="psd")
    def local(x, y, width=1.0):
        return factor * np.exp(-((x[0] - y[0]) ** 2) / width)

    X = rng.standard_normal((5, 1))
    again = pickle.loads(pickle.dumps(2.0 * local(width=2.0)))
    assert np.array_equal(again(X), (2.0 * local(width=2.0))(X))
    assert again.certificate().status == "psd"
    assert again.kernel._function is local._function  # nothing is compiled twice


def test_a_kernel_that_has_gone_is_named():
    restore, (module, _, *state) = shifted_square.__reduce__()
    with pytest.raises(errors.ModelFileError, match="gone"):
        restore(module, "gone", *state)
    with pytest.raises(errors.ParameterError, match="speed"):
        restore(module, "shifted_square", *state[:-1], {"speed": 1.0})


SCRIPT = """
import numpy as np, mercer, pickle
from sklearn.model_selection import GridSearchCV, cross_val_score

@mercer.kernel(status="psd")
def mine(x, y, width=1.0):
    return np.exp(-np.sum((x - y) ** 2) / width**2)

def inside():
    @mercer.kernel(objects=True, status="psd")
    def letters(a, b):
        return float(len(set(a) & set(b)))
    return letters

if __name__ == "__main__":
    X = np.random.default_rng(0).standard_normal((40, 2))
    y = X[:, 0] > 0
    grid = {"kernel__kernel__width": [0.1, 2.0]}
    search = GridSearchCV(mercer.SVC(kernel=1.0 * mine), grid, n_jobs=2)
    print(search.fit(X, y).best_score_ > 0.8)
    words = ["ab", "ac", "xy", "xz"] * 5
    model = mercer.SVC(kernel=inside())
    print(cross_val_score(model, words, [0, 0, 1, 1] * 5, n_jobs=2, cv=2).mean() == 1.0)
"""


def test_other_processes_take_kernels_of_a_script(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["True", "True"], done.stderr


def test_copies_without_samples():
    assert repr(shifted_square()) == "shifted_square()"
    assert shifted_square() is not shifted_square
    assert repr(shifted_square(scale=2.0)()) == "shifted_square(scale=2.0)"


def _slow(x, y, width=1.5):
    return float(np.exp(-abs(x[0] - y[0]) / width)) + 0.0 * len(str({}))


def _through_abs(x, y, width=1.5):
    return np.exp(-abs(x[0] - y[0]) / abs(width))


def _through_comparison(x, y, width=1.5):
    return max(0.0, 1.0 - abs(x[0] - y[0]) / width)


@pytest.mark.parametrize("function", [_slow, _through_abs, _through_comparison])
@pytest.mark.filterwarnings("ignore::mercer.errors.SlowPathWarning")
def test_gradient_by_differences_where_the_complex_step_is_wrong(function, rng):
    k = mercer.kernel(function, status="psd")
    X, W = rng.standard_normal((30, 1)), rng.standard_normal((30, 30))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = k.gradient(X, W)["width"]
        k.gradient(X, W)
    notes = [str(w.message) for w in told if "central differences" in str(w.message)]
    assert len(notes) == (function is not _slow)
    h = 1e-4
    expected = np.sum(W * (k(width=1.5 + h)(X) - k(width=1.5 - h)(X))) / (2 * h)
    assert found == pytest.approx(expected, rel=1e-5)
    assert abs(found) > 1e-3


def test_a_derivative_that_says_nothing_decides_nothing(rng):
    k = mercer.kernel(_through_abs, status="psd")
    X, W = rng.standard_normal((8, 1)), rng.standard_normal((8, 8))
    assert abs(k(width=1e15).gradient(X, W)["width"]) < 1e-15
    assert "width" not in k._function.analytic
    with pytest.warns(UserWarning, match="central differences"):
        assert k.gradient(X, W)["width"] != 0.0


def test_gaussian_processes_learn_the_parameters(rng):
    @mercer.kernel(status="psd")
    def bell(x, y, width=1.0):
        total = 0.0
        for i in range(x.size):
            total += (x[i] - y[i]) ** 2
        return np.exp(-total / (2 * width**2))

    X = rng.uniform(-3, 3, (40, 1))
    y = np.sin(X[:, 0]) + 0.1 * rng.standard_normal(40)
    own = mercer.GaussianProcessRegressor(2.0 * bell, alpha=0.01).fit(X, y)
    reference = mercer.GaussianProcessRegressor(2.0 * RBF(), alpha=0.01).fit(X, y)
    assert own.kernel_.kernel.width == pytest.approx(reference.kernel_.kernel.length_scale, 1e-3)
    bounds = {"kernel__width": (0.01, 0.02)}
    with pytest.warns(match="at its bound"):
        narrow = mercer.GaussianProcessRegressor(2.0 * bell, alpha=0.01, bounds=bounds).fit(X, y)
    assert narrow.kernel_.kernel.width == pytest.approx(0.02)
    labels = y > 0
    classifier = mercer.GaussianProcessClassifier(bell).fit(X, labels)
    assert classifier.score(X, labels) > 0.8
    sparse = mercer.GaussianProcessRegressor(bell, alpha=0.01, method="sparse").fit(X, y)
    assert sparse.score(X, y) > 0.9


def test_objects_are_refused_with_the_remedy(rng):
    @mercer.kernel
    def numbers(x, y):
        return x[0] * y[0]

    for samples in (["abc", "d"] * 4, [{"a": 1}, {"b": 2}] * 4):
        with pytest.raises(errors.InputTypeError, match="objects=True"):
            numbers(samples)
        with pytest.raises(errors.InputTypeError, match="objects=True"):
            mercer.SVC(kernel=numbers).fit(samples, [0, 1] * 4)


def test_one_warning_of_a_kernel_of_which_nothing_is_known(rng):
    @mercer.kernel
    def unknown(x, y, width=1.0):
        return np.exp(-((x[0] - y[0]) ** 2) / width)

    X = rng.standard_normal((20, 1))
    with pytest.warns(errors.DefinitenessWarning, match="status='psd'") as told:
        mercer.SVC(kernel=2.0 * unknown).fit(X, X[:, 0] > 0)
    assert len(told) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mercer.KernelRidge(kernel=unknown).fit(X, X[:, 0])
        mercer.GaussianProcessRegressor(unknown(width=2.0), alpha=0.1).fit(X, X[:, 0])


def test_reading_beyond_a_row_is_an_error(rng):
    @mercer.kernel(status="psd")
    def third(x, y):
        return x[2] * y[2]

    third(rng.standard_normal((4, 3)))
    with pytest.raises(IndexError):
        third(rng.standard_normal((4, 2)))


def test_the_user_is_told_what_takes_time(rng, capsys):
    @mercer.kernel(status="psd")
    def product(x, y):
        return x[0] * y[0]

    with mercer.config_context(progress=True):
        product(rng.standard_normal((4, 1)))
        assert "compiling the kernel product" in capsys.readouterr().err
        product(rng.standard_normal((4, 2)))
        assert capsys.readouterr().err == ""


def test_nobody_can_make_up_objects():
    @mercer.kernel(objects=True, status="psd")
    def common(a, b):
        return float(len(a.items() & b.items()))

    objects = [{"a": i % 3, "b": i % 4} for i in range(24)]
    for k in (common, 2.0 * common + 1.0):
        check_kernel(k, objects)
        assert k.refute(objects) is None
        for call in (k.refute, lambda k=k: check_kernel(k)):
            with pytest.raises(errors.InputError, match=r"cannot be made up: .*k\.refute\(X\)"):
                call()


def test_the_claim_is_put_to_the_samples():
    @mercer.kernel(objects=True, status="psd")
    def liar(a, b):
        return float(a["a"] != b["a"])

    with pytest.raises(AssertionError, match=r"liar.* claims psd on objects, but x = ") as caught:
        check_kernel(liar, [{"a": i} for i in range(24)])
    assert "made up" not in str(caught.value)


def test_points_that_were_made_up_are_said_to_be():
    @mercer.kernel(status="psd")
    def only_near(x, y):
        return max(0.0, 1.0 - abs(x[0] - y[0])) if abs(x[0]) < 2.0 and abs(y[0]) < 2.0 else -1.0

    hours = np.linspace(0.0, 1.0, 20)[:, None]
    assert only_near.refute(hours) is None
    with pytest.raises(AssertionError, match=r"these points were made up.*refute\(X\) look at"):
        check_kernel(only_near, hours)


def helper(a):
    return abs(a)


def test_the_reason_why_it_cannot_be_compiled_names_what_is_wrong():
    @mercer.kernel
    def calls(x, y):
        return np.exp(-helper(x[0] - y[0]))

    with pytest.warns(SlowPathWarning, match="'helper'"):
        calls(np.array([[0.0], [1.0]]))


def test_products_of_rows_give_no_warning_of_the_compiler():
    @mercer.kernel(status="psd")
    def product(x, y):
        return np.dot(x, y)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        product(np.asfortranarray(np.arange(6.0).reshape(3, 2)))


@pytest.mark.parametrize("how", ["decorator", "objects", "pairs", "collections"])
def test_a_function_that_is_not_symmetric_is_refused(how):
    X, y = np.arange(10.0).reshape(5, 2), [0, 1, 0, 1, 0]
    functions = {
        "decorator": mercer.kernel(status="psd")(lambda x, y: x[0] - y[0] + 1.0),
        "objects": mercer.kernel(objects=True)(lambda x, y: float(x[0] - y[0] + 1.0)),
        "pairs": lambda x, y: float(x[0] - y[0] + 1.0),
        "collections": lambda X, Y: X[:, :1] - Y[:, 0] + 1.0,
    }
    words = r"symmetric: k\(x\[0\], x\[4\]\) = -7, but k\(x\[4\], x\[0\]\) = 9"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(ParameterError, match=words):
            mercer.SVC(kernel=functions[how]).fit(X, y)


def test_a_parameter_without_a_default_is_said_to_have_none():
    with pytest.raises(ParameterError, match="w = 'no default' must have a number"):
        mercer.kernel(lambda x, y, w: w)


@pytest.mark.parametrize("value", ["a", None, 1j, np.ones(2), [1.0, 2.0]])
@pytest.mark.parametrize("objects", [False, True])
def test_what_is_no_number_is_named(value, objects):
    k = mercer.kernel(objects=objects, status="psd")(lambda x, y: value)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # not that it cannot be compiled
        with pytest.raises(ParameterError, match=r"<lambda> = .* not a number; return one number"):
            k([[1.0], [2.0]])


class Scalar:
    def product(self, x, y):
        return float(x @ y)

    def __call__(self, x, y):
        return float(x @ y)


def test_methods_are_kernels_that_are_not_compiled():
    with pytest.warns(errors.SlowPathWarning, match="method instead of a function"):
        assert mercer.kernel(Scalar().product)([[1.0], [2.0]]).tolist() == [[1.0, 2.0], [2.0, 4.0]]


@pytest.mark.parametrize("nameless", [functools.partial(Scalar.product, None), Scalar()])
def test_functions_without_a_name_are_refused(nameless):
    with pytest.raises(ParameterError, match=r"has no name; write it as a function with def"):
        mercer.kernel(nameless)


def test_a_misspelt_parameter_of_a_function_is_told_by_its_name():
    @mercer.kernel
    def wide(x, y, width=1.0):
        return width * x[0] * y[0]

    with pytest.raises(errors.UnknownParameterError, match=r"wide: widht = 2.0 .* mean width"):
        wide(widht=2.0)


def test_a_module_that_cannot_be_imported_is_named(tmp_path, monkeypatch):
    """The kernel may well be there: only its module is not where Python looks."""
    code = "import mercer\n\n@mercer.kernel(compile='python')\ndef apart(x, y):\n    return 1.0\n"
    (tmp_path / "kernels_of_mine.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)
    data = pickle.dumps(importlib.import_module("kernels_of_mine").apart)
    assert repr(pickle.loads(data)) == "apart()"
    monkeypatch.undo()
    monkeypatch.delitem(sys.modules, "kernels_of_mine")
    match = "module kernels_of_mine cannot be imported .*; put its file"
    with pytest.raises(errors.ModelFileError, match=match):
        pickle.loads(data)
    (tmp_path / "kernels_of_mine.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(errors.ModelFileError, match="is not a kernel any more"):
        pickle.loads(data)
