"""Relations of columns: Holm's correction, conditions, tables, and bad input."""

from __future__ import annotations

import numpy as np
import pytest

from mercer.errors import InputTypeError, ParameterError
from mercer.statistics.independence.pairs import holm, relate


def naive_holm(pvalues):
    m, out = len(pvalues), []
    for p in pvalues:
        steps = [(m - sum(q < r for q in pvalues)) * r for r in pvalues if r <= p]
        out.append(min(1.0, max(steps)))
    return out


def test_holm():
    pvalues = np.random.default_rng(0).permutation([0.001, 0.01, 0.02, 0.3, 0.5, 0.9])
    assert np.allclose(holm(pvalues), naive_holm(pvalues))


def table(n=100, seed=1):
    z, a, b, c = np.random.default_rng(seed).standard_normal((4, n))
    return {"z": z, "x": z + 0.5 * a, "y": z + 0.5 * b, "noise": c}


def test_pairs_and_conditions():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(table())
    found = relate(frame, n_permutations=199, random_state=0)
    assert set(found.dependent()) == {("z", "x"), ("z", "y"), ("x", "y")}
    assert found.joint.rejects() and len(found.pairs) == 6
    given = relate(frame, ["x", "y", "noise"], given=["z"])
    assert given.dependent() == [] and given.joint is None
    assert "given z" in str(given) and "<table>" in found._repr_html_()
    assert found.to_dict()["pairs"][0]["corrected"] <= 0.05


def test_mixed_columns_with_missing_values():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(table())
    frame["color"] = np.where(frame["x"] > 0, "red", "blue")
    frame.loc[::6, "x"] = np.nan
    frame.loc[::7, "color"] = None
    found = relate(frame, ["x", "color", "noise"], n_permutations=199, random_state=0)
    assert found.dependent() == [("x", "color")]


def test_few_rows_are_drawn_and_few_permutations_said():
    values = np.stack(list(table(300).values()), axis=1)
    found = relate(values, n_permutations=19, max_rows=50, random_state=0)
    assert found.pairs[0].result.n_samples == 50
    assert any("50 of the 300" in note for note in found.notes)
    assert any("too few for 6 pairs" in note for note in found.notes)


@pytest.mark.parametrize(
    ("columns", "options", "error", "match"),
    [
        ([0], {}, ParameterError, "too few"),
        ([0, 0], {}, ParameterError, "twice"),
        ([0, 9], {}, ParameterError, "not a column"),
        ([0, 1], {"given": [1]}, ParameterError, "given"),
        ([0, 1], {"given": [7]}, ParameterError, "not a column"),
        ([0, 1], {"given": [2], "groups": [0] * 20}, ParameterError, "not valid"),
        (None, {"max_rows": 1}, ParameterError, "max_rows"),
    ],
)
def test_bad_input(columns, options, error, match):
    with pytest.raises(error, match=match):
        relate(np.random.default_rng(0).standard_normal((20, 3)), columns, **options)


def test_no_table():
    with pytest.raises(InputTypeError, match="not a table"):
        relate([{1, 2}, {2, 3}], [0, 1])
    with pytest.raises(ParameterError, match="pairs"):
        relate(np.zeros((5, 40)))
