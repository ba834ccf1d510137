"""Columns are tested one by one, and the correction holds for all of them together."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from mercer import column_tests, errors, mmd_test

RNG = np.random.default_rng(0)


def table(n, shift):
    frame = pd.DataFrame(RNG.standard_normal((n, 3)), columns=["a", "b", "c"])
    frame["kind"] = RNG.choice(list("xyz"), n)
    frame["c"] += shift
    return frame.assign(one=1.0)


def test_the_column_that_differs_is_named():
    found = column_tests(table(60, 0.0), table(50, 1.5), random_state=0)
    assert found.different() == ["c"] and found.tests[0].name == "c"
    one = next(test for test in found.tests if test.name == "one")
    assert one.pvalue == 1.0 and one.corrected == 1.0
    assert all(test.corrected >= test.pvalue - 1e-12 for test in found.tests)
    assert [test.corrected for test in found.tests] == sorted(t.corrected for t in found.tests)
    assert "c" in str(found) and "<table>" in found._repr_html_()
    assert found.to_dict()["columns"][0]["name"] == "c"


def test_missing_values_in_one_table_are_a_difference():
    X, Y = table(60, 0.0), table(60, 0.0)
    Y.loc[::5, "a"] = np.nan
    assert column_tests(X, Y, random_state=0).different() == ["a"]


def test_arrays_sparse_matrices_and_lists():
    X, Y = RNG.standard_normal((40, 3)), RNG.standard_normal((40, 3)) + np.array([0.0, 2.0, 0.0])
    assert column_tests(X, Y, random_state=0).different() == [1]
    assert column_tests(sp.csr_matrix(X), sp.csr_matrix(Y), random_state=0).different() == [1]
    assert column_tests(X.tolist(), Y.tolist(), random_state=0).different() == [1]
    with pytest.raises(errors.InputTypeError, match="without columns"):
        column_tests([{1}, {2}], [{1}, {3}])


def test_many_rows_are_thinned_and_it_is_said():
    X, Y = RNG.standard_normal((50, 2)), RNG.standard_normal((60, 2))
    found = column_tests(X, Y, max_rows=30, n_permutations=19, random_state=0)
    assert "30 and 30 of 50 and 60 rows" in found.notes[0]


def test_columns_of_a_result():
    X, Y = table(40, 0.0), table(40, 2.0)
    result = mmd_test(X, Y, n_permutations=19, random_state=0)
    assert result.columns(n_permutations=99, random_state=0).different() == ["c"]


def test_the_chance_of_naming_any_column_is_the_level():
    named = 0
    for seed in range(60):
        rng = np.random.default_rng([seed, 5])
        X, Y = rng.standard_normal((2, 15, 6))
        named += bool(column_tests(X, Y, n_permutations=39, random_state=rng).different())
    assert named / 60 <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 60)
