"""Tables of the user: columns, fits, and predictions with explanations."""

from __future__ import annotations

import numpy as np
import pytest

from mercer import load
from mercer.studio.actions import perform

pd = pytest.importorskip("pandas")


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    size, color = rng.normal(size=90), rng.choice(["red", "blue"], 90)
    kind = np.where(size + (color == "red") > 0.5, "big", "small")
    price = 2 * size + rng.normal(0, 0.1, 90)
    rows = zip(size.round(3), color, price.round(3), kind, strict=True)
    text = "size,color,price,kind\n" + "\n".join(",".join(map(str, row)) for row in rows)
    path = tmp_path / "things.csv"
    path.write_text(text.replace("blue", "", 1), encoding="utf-8")
    return path


def fit(ask, table, told=None, **request):
    folder = table.parent
    request = {"path": str(table), "folder": str(folder), "number": 1, "quick": True, **request}
    answer = perform({"do": "fit", **request}, (told if told is not None else []).append)
    assert "error" not in answer, answer
    return answer


def test_columns_are_described(ask, table):
    answer = ask("columns", path=str(table))
    assert answer["count"] == 90 and answer["target"] == "kind"
    by_name = {column["name"]: column for column in answer["columns"]}
    assert by_name["size"]["kind"] == "number" and by_name["color"]["missing"] == 1
    assert by_name["color"]["values"] and len(answer["rows"]) == 8


def test_two_columns_become_points(ask, refused, table):
    request = {"path": str(table), "across": "size", "along": "price"}
    answer = ask("points", **request, target="kind")
    assert answer["task"] == "classes" and answer["classes"] == ["big", "small"]
    np.testing.assert_allclose(answer["points"][:, :2].mean(axis=0), 0, atol=1e-9)
    assert "not both columns" in refused("points", **{**request, "along": "color"}, target="kind")
    assert "not in the table" in refused("points", **request, target="nothing")


def test_a_classification_is_fitted_saved_and_asked(ask, table):
    told: list = []
    answer = fit(ask, table, told, target="kind", columns=["size", "color"])
    assert answer["summary"]["task"] == "classification" and "%" in answer["score"]
    assert answer["confusion"].sum() == 90 and answer["classes"] == ["big", "small"]
    assert answer["hardest"][0]["cells"].keys() == {"size", "color"}
    stages = {each["stage"] for each in told if "stage" in each}
    assert {"Cross-validation", "Writing the report"} <= stages
    assert any("on held-out samples" in each.get("found", "") for each in told)
    assert (table.parent / "report-1.html").read_text("utf-8").startswith("<!doctype html>")
    folder = str(table.parent)
    fields = ask("form", folder=folder, number=1)["fields"]
    assert [field["name"] for field in fields] == ["size", "color"]
    big = ask("predict", folder=folder, number=1, row={"size": "3", "color": "red"})
    assert big["predicted"] == "big" and sum(big["probabilities"]) == pytest.approx(1)
    model = load(table.parent / "model-1.mercer")
    row = pd.DataFrame({"size": [3.0], "color": ["red"]})
    assert big["probabilities"] == pytest.approx(model.predict_proba(row)[0].tolist())
    assert big["effects"][0]["column"] == "size" and big["effects"][0]["effect"] > 0
    missing = ask("predict", folder=folder, number=1, row={"size": "3", "color": ""})
    assert sum(missing["probabilities"]) == pytest.approx(1)


def test_a_regression_has_pairs_and_an_interval(ask, refused, table):
    answer = fit(ask, table, target="price", columns=["size"])
    assert answer["pairs"].shape == (90, 2)
    asked = ask("predict", folder=str(table.parent), number=1, row={"size": "1"})
    low, high = asked["interval"]
    assert low < asked["predicted"] < high and asked["predicted"] == pytest.approx(2, abs=0.5)
    wrong = {"folder": str(table.parent), "number": 1, "row": {"size": "tall"}}
    assert "is not a number" in refused("predict", **wrong)


def test_what_is_missing_is_said(refused, tmp_path):
    assert "choose a file" in refused("columns")
    assert "fit a model first" in refused("predict", folder=str(tmp_path), number=9)
    assert "is not there" in refused("form", folder=str(tmp_path), number=1)
