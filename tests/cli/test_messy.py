"""Tables as people have them: keys, counters, idle texts, and classes of which one prevails."""

from __future__ import annotations

import csv
import json
import re

import numpy as np
import pytest
from automatic.checks.messy import messy
from cli.test_fit import told

from mercer import load

IDLE = ["customer_id", "token", "count", "remark", "version"]


@pytest.fixture
def table(tmp_path):
    """The file messy.csv of 200 rows."""
    frame, y = messy(200)
    frame.assign(y=y).to_csv(tmp_path / "messy.csv", index=False)
    return frame.assign(y=y)


def left_out(said) -> list[str]:
    return [each["column"] for each in json.loads(said.out)["left out"]]


# -- columns ---------------------------------------------------------------------------------------


@pytest.mark.usefixtures("table")
def test_what_is_no_feature_is_left_out_and_told(mercer, fit):
    said = fit("messy.csv", "-t", "y")
    lines = re.findall(r"^left out +(.*)$", said.out, re.M)
    assert said.code == 0 and [line.partition(":")[0] for line in lines] == IDLE
    assert "--keep COLUMN uses a column all the same" in said.out
    assert not any(name in told(said)["kernel"] for name in IDLE)
    assert list(load("messy.mercer").feature_names_in_) == ["age", "income", "city"]
    explained = mercer("explain", "messy.mercer").out
    assert f"left out  {', '.join(IDLE)}" in explained


@pytest.mark.usefixtures("table")
def test_new_rows_need_no_column_that_is_left_out(mercer, fit, table, tmp_path):
    fit("messy.csv", "-t", "y", "-q")
    table[["city", "age", "income"]].to_csv(tmp_path / "new.csv", index=False)
    said = mercer("predict", "messy.mercer", "new.csv")
    assert said.code == 0 and said.out.count("\n") == 201 and said.err == ""


@pytest.mark.usefixtures("table")
def test_columns_are_chosen(fit):
    kept = fit("messy.csv", "-t", "y", "--keep", "token", "--drop", "city", "--json")
    assert left_out(kept) == ["city", "customer_id", "count", "remark", "version"]
    some = fit("messy.csv", "-t", "y", "--columns", "age,income,token", "--json")
    assert set(left_out(some)) == {"customer_id", "count", "city", "remark", "version"}
    given = fit("messy.csv", "-t", "y", "-k", "RBF(9.0).on(['age', 'count'])", "--json")
    assert left_out(given) == []


@pytest.mark.parametrize(
    ("options", "part"),
    [
        (["--drop", "incme"], "drop = 'incme' is not a column; did you mean 'income'"),
        (["--keep", "nothing"], "keep = 'nothing' is not a column"),
        (["--columns", "age,nothing"], "columns = 'nothing' is not a column"),
        (["--id", "nothing"], "id = 'nothing' is not a column"),
        (["--metric", "acuracy"], "did you mean 'accuracy'"),
        (["--metric", "rmse"], "holds text"),
        (["--metric", "r2", "--task", "classification"], "metric = 'r2' is not a metric of"),
        (["--time", "0"], "--time"),
        (["--test", "none.csv"], "'none.csv' is not there"),
        (["--test", "other.csv"], "has no column 'y'"),
    ],
)
@pytest.mark.usefixtures("table")
def test_refused(fit, one_line, options, part, tmp_path):
    (tmp_path / "other.csv").write_text("age,income\n1,2\n3,4\n")
    one_line(fit("messy.csv", "-t", "y", *options), part)


@pytest.mark.usefixtures("table")
def test_names_go_with_the_predictions(mercer, fit, table):
    fit("messy.csv", "-t", "y", "--id", "token", "-q")
    rows = list(csv.reader(mercer("predict", "messy.mercer", "messy.csv").out.splitlines()))
    assert rows[0] == ["token", "y"]
    assert [row[0] for row in rows[1:]] == table["token"].tolist()
    other = mercer("predict", "messy.mercer", "messy.csv", "--id", "customer_id", "-p").out
    assert other.startswith("customer_id,y,p(no),p(yes)\n")
    assert [row.partition(",")[0] for row in other.splitlines()[1:]] == [
        str(each) for each in table["customer_id"]
    ]
    fit("messy.csv", "-t", "y", "--id", "0", "-q")
    assert mercer("predict", "messy.mercer", "messy.csv").out.startswith("customer_id,y\n")


# -- metrics ---------------------------------------------------------------------------------------


@pytest.mark.usefixtures("table")
def test_unbalanced_classes_are_judged_by_the_log_loss(mercer, fit):
    said = fit("messy.csv", "-t", "y")
    found = told(said)
    assert re.match(r"0\.\d{3} ± .* \(baseline, always no: 0\.386\)", found["log-loss"])
    assert "(baseline 87.0 %)" in found["accuracy"] and "(baseline 0.500)" in found["AUC"]
    assert re.match(r".* %.*, recall .* %.*\(of yes\)", found["precision"])
    assert any(note.startswith("87.0 % of the samples are 'no'") for note in found["note"])
    again = mercer("predict", "messy.mercer", "messy.csv")
    assert "(baseline, always no: 87.0 %)" in again.err and "AUC 0." in again.err
    told_all = json.loads(mercer("predict", "messy.mercer", "messy.csv", "--json").out)
    assert told_all["baselines"]["accuracy"] == 0.87 and told_all["scores"]["auc"] > 0.7


@pytest.mark.usefixtures("table")
def test_a_metric_is_chosen(fit):
    for metric, title in (("auc", "AUC"), ("balanced", "balanced"), ("f1", "F1")):
        said = fit("messy.csv", "-t", "y", "--metric", metric)
        assert "baseline, always no:" in told(said)[title], said.out
        assert told(said)["note"] == [] or "accuracy is no better" in " ".join(told(said)["note"])
    said = fit("messy.csv", "-t", "age", "--metric", "mae", "--json")
    assert json.loads(said.out)["score"] == "MAE"


@pytest.mark.usefixtures("table")
def test_balanced_classes(fit):
    plain, even = (
        json.loads(fit("messy.csv", "-t", "y", "-l", "logistic", *more, "--json").out)["scores"]
        for more in ([], ["--balanced"])
    )
    assert even["recall"]["mean"] > plain["recall"]["mean"] + 0.2
    assert even["balanced"]["mean"] > plain["balanced"]["mean"]
    assert even["accuracy"]["mean"] < plain["accuracy"]["mean"]


def test_a_model_that_learned_nothing(mercer, tmp_path):
    rng = np.random.default_rng(0)
    y = rng.permutation(np.repeat(["no", "yes"], [70, 30]))
    a, b = rng.random((2, 100))
    rows = [f"{a[at]:.3f},{b[at]:.3f},{y[at]}" for at in range(100)]
    (tmp_path / "noise.csv").write_text("a,b,y\n" + "\n".join(rows))
    options = ("-l", "ridge", "--repeats", "2", "--no-report")
    notes = told(mercer("fit", "noise.csv", "-t", "y", *options))["note"]
    assert "the model is no better than 'always no' within its error: nothing was learned" in notes
    notes = told(mercer("fit", "noise.csv", "-t", "a", *options))["note"]
    assert "the model is no better than the mean within its error: nothing was learned" in notes


def test_what_tells_the_target_alone_is_pointed_out(fit, table, tmp_path):
    closed = np.where(table["y"] == "yes", "closed", "open")
    table.assign(status=closed).to_csv(tmp_path / "leak.csv", index=False)
    notes = told(fit("leak.csv", "-t", "y"))["note"]
    assert any(note.startswith("column 'status' predicts y by itself (AUC 1)") for note in notes)


def test_labels_that_are_no_class_are_all_named(mercer, fit, table, tmp_path):
    fit("messy.csv", "-t", "y", "-q")
    labels = table["y"].to_list()
    labels[:3] = ["Yes", "maybe", "maybe"]
    table.assign(y=labels).to_csv(tmp_path / "new.csv", index=False)
    said = mercer("predict", "messy.mercer", "new.csv")
    assert "y = 'Yes' is not a class of the model, nor is 'maybe': 1.5 % of the labels" in said.err
    assert "is 'Yes' meant for 'yes'?" in said.err and "AUC" in said.err
    scores = json.loads(mercer("predict", "messy.mercer", "new.csv", "--json").out)["scores"]
    assert scores["logloss"] < 1.0  # of the labels that are classes


# -- time and test sets ----------------------------------------------------------------------------


def test_a_test_file(mercer, table, tmp_path):
    table[:150].to_csv(tmp_path / "train.csv", index=False)
    odd = table[150:].copy()
    odd.iloc[:2, -1] = "perhaps"
    odd.to_csv(tmp_path / "test.csv", index=False)
    said = mercer("fit", "train.csv", "-t", "y", "-l", "ridge", "--test", "test.csv")
    assert said.code == 0 and "on the 48 samples of the test file" in said.out, said.err
    note = "2 rows of the test file have a y that is not a class of the data, such as 'perhaps'"
    assert any(line.startswith(note) for line in told(said)["note"])
    summary = load("train.mercer").source_["summary"]
    assert summary["folds"] == 1 and 0 < summary["scores"]["auc"]["error"] < 0.3
    page = (tmp_path / "train.html").read_text()
    assert "48 samples of a test file" in page and "--test test.csv" in page
    assert "on a test file" in mercer("explain", "train.mercer").out
    numbers = mercer("fit", "train.csv", "-t", "age", "--test", "test.csv", "--no-report")
    assert numbers.code == 0 and "on the 50 samples of the test file" in numbers.out


@pytest.mark.usefixtures("table")
def test_no_assessment(mercer, tmp_path):
    options = ("-t", "y", "-l", "ridge", "--no-assess")
    said = mercer("fit", "messy.csv", *options)
    assert said.code == 0 and told(said)["log-loss"] == "was not estimated"
    page = (tmp_path / "messy.html").read_text()
    assert "The error was not estimated." in page and "--no-assess" in page
    assert "was not estimated" in mercer("explain", "messy.mercer").out
    assert json.loads(mercer("fit", "messy.csv", *options, "--json").out)["mean"] is None


@pytest.mark.usefixtures("table")
def test_quick(mercer, tmp_path):
    said = mercer("fit", "messy.csv", "-t", "y", "-l", "ridge", "--quick")
    assert said.code == 0 and "1 × 5-fold" in said.out
    page = (tmp_path / "messy.html").read_text()
    assert "--quick" in page and "Learning curve" not in page


@pytest.mark.usefixtures("table")
def test_a_limit_of_time(mercer):
    options = ("-t", "y", "-l", "ridge", "--no-report", "--time", "1")
    said = mercer("fit", "messy.csv", *options)
    assert said.code == 0 and ("× " in said.out or "there was no time" in said.out)


def test_what_is_in_doubt_is_said_before_the_error_it_leads_to(mercer, tmp_path):
    rows = [f"{i / 7:.3f},{i % 5},{'ab'[i % 2]}" for i in range(40)]
    rows[5] = "0.5x,1,a"
    (tmp_path / "cell.csv").write_text("\n".join(["u,v,y", *rows]))
    said = mercer("fit", "cell.csv", "-t", "y", "-k", "RBF()", "-l", "svc", "--no-assess")
    assert said.code == 2
    doubt, error = said.err.splitlines()
    assert "note: " in doubt and "line 7" in doubt and "0.5x" in doubt
    assert "must be finite" in error
