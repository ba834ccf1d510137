"""``mercer fit`` works on all public tables at hand, and on those of scikit-learn."""

from __future__ import annotations

import json

import pytest
import sklearn.datasets
from cli.tables import TABLES

from mercer.datasets import data_folder

BUNDLED = {
    "iris": 0.9,
    "wine": 0.9,
    "linnerud": -1.0,
    "breast_cancer": 0.9,
    "diabetes": 0.35,
    "digits": 0.95,
}
LARGE = ("breast_cancer", "diabetes", "digits")


@pytest.mark.slow
@pytest.mark.skipif(data_folder() is None, reason="the public data sets are not on this machine")
@pytest.mark.parametrize("name", TABLES)
def test_public_tables(mercer, name):
    target = [] if TABLES[name] is None else ["--target", TABLES[name]]
    said = mercer("fit", data_folder() / name, *target, "--folds", "2", "--repeats", "1", "--json")
    assert said.code == 0, said.err
    found = json.loads(said.out)
    assert found["mean"] > (found["baseline"] if found["task"] == "classification" else 0.0) - 0.1


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.slow) if name in LARGE else name for name in BUNDLED],
)
def test_bundled_tables(mercer, name, tmp_path):
    bunch = getattr(sklearn.datasets, f"load_{name}")(as_frame=True)
    y = bunch.target if bunch.target.ndim == 1 else bunch.target.iloc[:, 0]
    bunch.data.assign(what=y.to_numpy()).to_csv(tmp_path / f"{name}.csv", index=False)
    said = mercer(
        "fit",
        f"{name}.csv",
        "-t",
        "what",
        "--folds",
        "3",
        "--repeats",
        "1",
        "--json",
        "--no-report",
    )
    assert said.code == 0, said.err
    found = json.loads(said.out)
    assert found["mean"] > BUNDLED[name] and found["task"] == (
        "regression" if name in ("linnerud", "diabetes") else "classification"
    )
    again = mercer("predict", f"{name}.mercer", f"{name}.csv")
    assert again.code == 0 and again.out.count("\n") == len(y) + 1
