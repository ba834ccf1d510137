"""Facts of held-out predictions, against scikit-learn."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest
from sklearn import metrics

from mercer.automatic.studies import details

CLASSES = ("two", "three")


@pytest.mark.parametrize("kind", CLASSES)
def test_confusion_and_scores_of_classes(studied, kind):
    result = studied(kind)
    y, predicted = result.held_out.y, result.assessment.predicted[0]
    classes, counts = details.confusion(result)
    np.testing.assert_array_equal(counts, metrics.confusion_matrix(y, predicted, labels=classes))
    expected = metrics.precision_recall_fscore_support(
        y, predicted, labels=classes, zero_division=0
    )
    scores = details.class_scores(result)
    assert [each.name for each in scores] == [str(name) for name in classes]
    values = [(each.precision, each.recall, each.f1, each.samples) for each in scores]
    np.testing.assert_allclose(np.transpose(values), expected)


@pytest.mark.parametrize("kind", CLASSES)
def test_curves(studied, kind):
    result = studied(kind)
    y, probability = result.held_out.y, result.assessment.probability
    classes = np.unique(y)
    drawn = details.curves(result)
    assert len(drawn) == (1 if kind == "two" else 3)
    for each in drawn:
        positive = y == each.name
        score = probability[:, list(classes).index(each.name)]
        assert each.area == pytest.approx(metrics.roc_auc_score(positive, score))
        average = metrics.average_precision_score(positive, score)
        assert each.average_precision == pytest.approx(average)
        false, true, _ = metrics.roc_curve(positive, score, drop_intermediate=False)
        np.testing.assert_allclose(each.false_positives, false)
        np.testing.assert_allclose(each.true_positives, true)


def test_confused_pairs_come_in_order(studied):
    pairs = details.most_confused(studied("three"))
    counts = [count for *_, count in pairs]
    assert counts == sorted(counts, reverse=True)
    assert all(true != predicted for true, predicted, _ in pairs)


@pytest.mark.parametrize("kind", CLASSES)
def test_calibration_is_by_groups(studied, kind):
    groups = details.calibration(studied(kind))
    assert (np.diff(groups.predicted) >= 0).all()
    assert ((groups.observed >= 0) & (groups.observed <= 1)).all()
    assert 0 <= groups.gap <= 1


def test_calibration_of_perfect_predictions_has_no_group_of_both_ends(studied):
    """Three groups of 90 samples, of which half are predicted at either end."""
    result = studied("two")
    y = result.held_out.y
    sure = np.where(y[:, None] == np.unique(y), 0.99, 0.01)
    assessment = dataclasses.replace(result.assessment, probability=sure)
    groups = details.calibration(dataclasses.replace(result, assessment=assessment))
    assert set(groups.predicted.round(2)) == {0.01, 0.99} and groups.gap < 0.02


def test_numbers_have_no_classes(studied):
    assert details.details(studied("numbers")) == {}
    assert details.curves(studied("numbers")) == []


@pytest.mark.parametrize("kind", [*CLASSES, "numbers"])
def test_the_summary_is_plain(studied, kind):
    result = studied(kind)
    summary = json.loads(json.dumps(result.summary()))
    assert summary["hardest"][0]["reason"] and summary["typical"]
    assert all(0 < each["row"] <= 90 for each in summary["hardest"] + summary["typical"])
    for name, each in summary["scores"].items():
        assert each["linear"] == result.linear[name][0]
