"""What every estimator of the registry promises; `cases` says what differs between them, and who
cannot do what.
"""

from __future__ import annotations

import inspect
import pickle
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from contract.cases import (
    CASES,
    ESTIMATORS,
    GAMMA,
    KERNEL,
    case,
    every_estimator,
    fitted,
    make,
    methods,
    samples,
    takes_weights,
    target,
    value,
)
from scipy.sparse import csr_array
from sklearn.base import clone, is_regressor
from sklearn.metrics.pairwise import rbf_kernel

import mercer
from mercer import Jaccard, Polynomial, config_context, errors, markup


def test_all_cases_are_of_estimators():
    assert CASES.keys() <= ESTIMATORS.keys()


# -- kernels
# --------------------------------------------------------------------------------------------------


@every_estimator("expression")
def test_an_expression_is_its_kernel(name):
    Z = samples(name, 20, 1)
    by_text = fitted(name, kernel=repr(KERNEL))
    np.testing.assert_array_equal(value(by_text, Z), value(fitted(name), Z))


@every_estimator("names")
def test_scikit_learn_names(name):
    X, Z = samples(name), samples(name, 20, 1)
    if name == "KernelDensity":  # its names are those of windows, in bandwidths
        named = mercer.KernelDensity(kernel="gaussian", bandwidth=KERNEL.length_scale).fit(X)
    else:
        named = fitted(name, kernel="rbf")
    np.testing.assert_allclose(value(named, Z), value(fitted(name), Z), atol=1e-9)


@every_estimator()
def test_a_misspelt_argument_is_told_the_nearest(name):
    cls, known = getattr(mercer, name), list(make(name).get_params(deep=False))
    longest = max(known, key=len)
    given = {p: v for p, v in make(name).get_params(deep=False).items() if p != longest}
    with pytest.raises(errors.UnknownParameterError, match=f"did you mean {longest}"):
        cls(**given, **{longest[:-1]: 1})
    for misspelt in (longest[:-1], f"{longest[:-1]}__part"):
        with pytest.raises(errors.UnknownParameterError, match=f"did you mean {longest}"):
            make(name).set_params(**{misspelt: 1})
    assert (
        list(inspect.signature(cls).parameters)
        == list(inspect.signature(cls.__init__).parameters)[1:]
    )


@every_estimator("kernel")
def test_parameters_that_are_ignored_are_named(name):
    others = {"gamma": 0.37, "degree": 5, "coef0": 2.5}
    known = make(name).get_params(deep=False)
    for parameter in others.keys() & known.keys():
        model = make(name).set_params(**{parameter: others[parameter]})
        with pytest.warns(UserWarning, match=f"{parameter} = .* is ignored"):
            model.fit(samples(name), target(name))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted(name)


@every_estimator("function")
def test_a_function_of_two_collections(name):
    Z = samples(name, 20, 1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = fitted(name, kernel=lambda a, b: rbf_kernel(a, b, gamma=GAMMA))
    needs = getattr(make(name), "needs", "psd")  # some need no positive kernel
    expected_kinds = set() if needs == "any" else {errors.DefinitenessWarning}
    assert {w.category for w in caught} == expected_kinds
    values, expected = value(model, Z), value(fitted(name), Z)
    if name == "KernelDensity":  # the integral of a function is not known: a density up to a factor
        values, expected = values - values[0], expected - expected[0]
    np.testing.assert_allclose(values, expected, atol=1e-6)


@every_estimator("precomputed")
def test_a_precomputed_matrix(name):
    X, Z = samples(name), samples(name, 20, 1)
    K = KERNEL(X)
    before = K.copy()
    values = value(fitted(name, K, "precomputed"), KERNEL(Z, X))
    expected = value(fitted(name), Z)
    if name == "KernelDensity":  # the integral of a matrix is not known: a density up to a factor
        values, expected = values - values[0], expected - expected[0]
    np.testing.assert_allclose(values, expected, atol=1e-6)
    np.testing.assert_array_equal(K, before)


# -- samples and weights
# -----------------------------------------------------------------------------------------------


@every_estimator("frames")
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_frames_are_arrays(name, frame):
    X, Z = samples(name), samples(name, 20, 1)
    columns = ["a", "b", "c", "d"]
    framed = fitted(name, frame(dict(zip(columns, X.T, strict=True))))
    assert framed.feature_names_in_.tolist() == columns
    named = frame(dict(zip(columns, Z.T, strict=True)))
    np.testing.assert_array_equal(value(framed, named), value(fitted(name), Z))


@every_estimator()
def test_rows_may_be_sparse_in_training_or_afterwards(name):
    X, Z = samples(name), samples(name, 20, 1)
    if not make(name).__sklearn_tags__().input_tags.sparse:
        pytest.skip("takes no sparse rows")
    dense, from_sparse = fitted(name), fitted(name, csr_array(X))
    expected = value(dense, Z)
    for values in (value(dense, csr_array(Z)), value(from_sparse, Z)):
        np.testing.assert_allclose(values, expected, atol=1e-6)
    np.testing.assert_allclose(value(from_sparse, csr_array(Z)), expected, atol=1e-6)


@every_estimator("sets")
def test_sets_as_samples(name):
    pick = np.random.default_rng(0).random((80, 9)) < 0.4
    sets = [{letter for letter, kept in zip("abcdefghi", row, strict=True) if kept} for row in pick]
    old, new = sets[:60], sets[60:]
    values = value(fitted(name, old, Jaccard()), new)
    if "precomputed" in case(name).cannot:
        assert len(values) == 20 and np.isfinite(values).all()
        return
    expected = value(fitted(name, Jaccard()(old), "precomputed"), Jaccard()(new, old))
    np.testing.assert_allclose(values, expected, atol=1e-6)


def letters_in_common(a, b):
    return float(len(set(a) & set(b)))


@every_estimator("function", "sets")
def test_a_function_of_texts(name):
    words = ["".join(row) for row in np.random.default_rng(0).choice(list("abcdef"), (80, 5))]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", errors.DefinitenessWarning)
        model = fitted(name, words[:60], letters_in_common)
        if not methods(model):
            return
        values = value(model, words[60:])
        again = value(fitted(name, np.array(words[:60]), letters_in_common), np.array(words[60:]))
    assert len(values) == 20 and np.isfinite(values).all()
    np.testing.assert_array_equal(again, values)


@every_estimator("weights")
def test_a_weight_counts_a_row_so_many_times(name):
    if not takes_weights(make(name)):
        pytest.skip("fit takes no sample_weight")
    X, y, Z = samples(name), target(name), samples(name, 20, 1)
    weight = np.random.default_rng(2).integers(0, 3, len(X))
    rows = np.repeat(np.arange(len(X)), weight)
    weighted = make(name).fit(X, y, sample_weight=weight.astype(float))
    repeated = make(name).fit(X[rows], None if y is None else y[rows])
    np.testing.assert_allclose(value(weighted, Z), value(repeated, Z), rtol=1e-5, atol=1e-5)


# -- copies, files and threads
# -----------------------------------------------------------------------------------------


@every_estimator()
def test_copies_give_the_same(name):
    Z = samples(name, 20, 1)
    model = fitted(name)
    expected = value(model, Z)
    np.testing.assert_array_equal(value(pickle.loads(pickle.dumps(model)), Z), expected)
    twin = clone(model)
    assert repr(twin) == repr(model)
    for parameter in case(name).kernel(KERNEL):
        assert getattr(twin, parameter) is not getattr(model, parameter)
    np.testing.assert_array_equal(value(twin.fit(samples(name), target(name)), Z), expected)


@every_estimator()
def test_a_saved_model_gives_the_same(name, tmp_path):
    Z = samples(name, 20, 1)
    model = fitted(name)
    mercer.save(model, tmp_path / "model.mercer")
    loaded = mercer.load(tmp_path / "model.mercer")
    assert type(loaded) is type(model) and repr(loaded) == repr(model)
    for method in methods(model):
        expected = getattr(model, method)(Z)
        np.testing.assert_array_equal(getattr(loaded, method)(Z), expected, err_msg=method)


@every_estimator()
def test_bits_do_not_depend_on_threads(name):
    n, Z = case(name).many, samples(name, 800, 1)
    results = []
    for threads in (1, 2, 8):
        with config_context(threads=threads):
            model = fitted(name, n=n)
            results.append({**vars(model), "value": value(model, Z)})
    for other in results[1:]:
        assert other.keys() == results[0].keys()
        for key, first in results[0].items():
            if isinstance(first, np.ndarray):
                np.testing.assert_array_equal(other[key], first, err_msg=key)


# -- a fit that does not end
# -------------------------------------------------------------------------------------------


@contextmanager
def calls_of_mercer(interrupt_at: float = np.inf) -> Iterator[list[int]]:
    """Count the calls of the library's functions in this thread; raise KeyboardInterrupt at one of
    them.

    Generators do not count: Python ignores what is raised while one is closed.
    """
    count = [0]

    def watch(frame: FrameType, event: str, argument: object) -> None:
        if frame.f_code.co_flags & inspect.CO_GENERATOR:
            return
        if event == "call" and frame.f_globals.get("__name__", "").startswith("mercer."):
            count[0] += 1
            if count[0] >= interrupt_at:
                sys.setprofile(None)
                raise KeyboardInterrupt

    previous = sys.getprofile()
    sys.setprofile(watch)
    try:
        yield count
    finally:
        sys.setprofile(previous)


@every_estimator()
def test_an_interrupted_fit_leaves_no_trace(name):
    Z = samples(name, 20, 1)
    model = fitted(name)
    before, expected = dict(vars(model)), value(model, Z)
    other = samples(name, 50, 0)[::-1].copy()
    y = target(name, 50)
    counted = make(name).fit(other, y)  # what is done once only, at the first fit, is not counted
    with calls_of_mercer() as count:
        counted.fit(other, y)
    for share in (0.1, 0.5, 0.9):
        for estimator, attributes in ((model, before), (make(name), None)):
            attributes = dict(vars(estimator)) if attributes is None else attributes
            with pytest.raises(KeyboardInterrupt), calls_of_mercer(max(1, share * count[0])):
                estimator.fit(other, y)
            assert vars(estimator).keys() == attributes.keys()
            assert all(vars(estimator)[key] is kept for key, kept in attributes.items())
    np.testing.assert_array_equal(value(model, Z), expected)


# -- reports and callbacks
# ---------------------------------------------------------------------------------------------


@every_estimator("report")
def test_a_report_prints(name, capsys):
    report = fitted(name).report_
    print(report)
    text = capsys.readouterr().out
    assert " s" in text
    if "kernel" not in case(name).cannot:
        assert markup.four_digits(repr(KERNEL)) in text
    assert {"kernel", "plan", "solver", "samples", "seconds"} <= report.to_dict().keys()
    assert report.to_dict()["samples"] == 60
    assert report._repr_html_().count("<table") == 1


class Listener:
    """Remembers what scikit-learn tells its callbacks."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def setup(self, estimator, context):
        self.heard.append("setup")

    def on_fit_task_begin(self, estimator, context):
        self.heard.append(f"begin {context.task_name}")

    def on_fit_task_end(self, estimator, context, *, fitted_estimator=None):
        self.heard.append(f"end {context.task_name}")
        self.fitted = fitted_estimator

    def teardown(self, estimator, context):
        self.heard.append("teardown")


@every_estimator("callbacks")
def test_callbacks_hear_of_a_fit(name):
    pytest.importorskip("sklearn.callback")
    Z = samples(name, 20, 1)
    listener = Listener()
    model = make(name).set_callbacks(listener)
    model.fit(samples(name), target(name))
    assert listener.heard[:2] == ["setup", "begin fit"]
    assert listener.heard[-2:] == ["end fit", "teardown"]
    np.testing.assert_array_equal(value(listener.fitted, Z), value(model, Z))


# -- bad input
# --------------------------------------------------------------------------------------------------


def first_line(caught: pytest.ExceptionInfo) -> str:
    return str(caught.value).splitlines()[0]


@every_estimator("nan")
def test_errors_of_missing_values_name_x(name):
    missing = samples(name)
    missing[3, 1] = np.nan
    with pytest.raises(ValueError) as caught:
        fitted(name, missing)
    assert "X" in first_line(caught) and "NaN" in first_line(caught)
    model = fitted(name)
    for method in methods(model):
        with pytest.raises(ValueError) as caught:
            getattr(model, method)(missing)
        assert "X" in first_line(caught) and "NaN" in first_line(caught)


@every_estimator()
def test_errors_of_empty_samples_name_the_estimator(name):
    X, y = samples(name), target(name)
    messages = case(name).messages
    with pytest.raises(ValueError, match=messages.get("samples", f"0 sample.*{name}")):
        make(name).fit(X[:0], None if y is None else y[:0])
    with pytest.raises(ValueError, match=messages.get("features", f"0 feature.*{name}")):
        make(name).fit(X[:, :0], y)


@every_estimator()
def test_errors_of_a_wrong_number_of_features(name):
    model = fitted(name)
    for method in methods(model):
        with pytest.raises(ValueError) as caught:
            getattr(model, method)(samples(name)[:, :3])
        usual = f"X has 3 features, but {name} is expecting 4 features as input."
        assert first_line(caught) == case(name).messages.get("width", usual)


@every_estimator()
def test_errors_of_targets_name_y(name):
    X, y = samples(name), target(name)
    if y is None:
        pytest.skip("it has no targets")
    with pytest.raises(ValueError, match="requires y"):
        make(name).fit(X, None)
    with pytest.raises(ValueError, match=r"y|inconsistent numbers of samples: \[60, 50\]"):
        make(name).fit(X, y[:50])
    if is_regressor(make(name)):
        y[2] = np.nan
        with pytest.raises(ValueError) as caught:
            make(name).fit(X, y)
        assert "y" in first_line(caught) and "NaN" in first_line(caught)


@every_estimator("precomputed")
def test_errors_of_a_precomputed_matrix_name_its_width(name):
    K = KERNEL(samples(name))
    with pytest.raises(ValueError) as caught:
        fitted(name, K[:, :50], "precomputed")
    assert "(60, 50)" in first_line(caught) and "square" in first_line(caught)
    model = fitted(name, K, "precomputed")
    with pytest.raises(ValueError) as caught:
        value(model, K[:5, :50])
    assert "50" in first_line(caught) and "60" in first_line(caught)


@every_estimator("sets")
def test_errors_of_sets(name):
    y = target(name)
    sets: list[Any] = [{"a"}, {"b"}, {"a", "c"}] * 20
    with pytest.raises(errors.EmptyInputError):
        make(name, Jaccard()).fit([], None if y is None else y[:0])
    sets[5] = 3
    with pytest.raises(ValueError) as caught:
        value(make(name, Jaccard()).fit(sets, y), [{"a"}])
    assert "X[5]" in first_line(caught)


@every_estimator("overflow")
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
def test_an_overflow_names_the_row(name, weighted):
    model = make(name, Polynomial(degree=9))
    if weighted and not takes_weights(model):
        pytest.skip("fit takes no sample_weight")
    X = samples(name)
    X[40] = 1e40
    options = {"sample_weight": np.repeat([0.0, 1.0], [10, 50])} if weighted else {}
    with pytest.raises(errors.KernelOverflowError) as caught:
        value(model.fit(X, target(name), **options), X[:3])
    assert "[40]" in first_line(caught)
