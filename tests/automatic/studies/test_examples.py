"""Typical samples, and reasons why others were predicted badly, by a direct look at the kernel."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from mercer.automatic.studies.examples import reasons, typical_samples


@pytest.mark.parametrize("kind", ["two", "three"])
def test_typical_samples_are_like_their_class(studied, kind):
    result = studied(kind)
    X, y = result.question.X, result.question.y
    K = np.asarray(result.model.kernel_(X))
    cosines = K / np.sqrt(np.outer(K.diagonal(), K.diagonal()))
    found = typical_samples(result.model, result.question)
    assert {each.label for each in found} == set(y)
    for each in found:
        members = np.flatnonzero(y == each.label)
        means = cosines[np.ix_(members, members)].mean(axis=1)
        assert each.row == members[np.argmax(means)]
        assert each.similarity == pytest.approx(means.max())


def test_reasons_leave_the_sample_itself_out(studied):
    result = studied("two")
    X, y = result.question.X, result.question.y
    K = np.asarray(result.model.kernel_(X))
    cosines = K / np.sqrt(np.outer(K.diagonal(), K.diagonal()))
    rows = [0, 7, 31]
    for row, text in reasons(result.model, result.question, result.held_out, rows).items():
        others = np.delete(np.arange(90), row)
        nearest = others[np.argsort(-cosines[row, others], kind="stable")[:5]]
        labels, counts = np.unique(y[nearest], return_counts=True)
        assert str(labels[np.argmax(counts)]) in text
        assert ("all" if counts.max() == 5 else str(counts.max())) in text


def test_numbers_are_averaged(studied):
    result = studied("numbers")
    assert len(typical_samples(result.model, result.question)) == 3
    assert all("on average" in text for text in result.reasons.values())
    assert reasons(result.model, result.question, result.held_out, []) == {}


def test_columns_that_are_left_out_do_not_matter(studied):
    result = studied("two")
    wide = dataclasses.replace(
        result.held_out, X=result.question.X.assign(key=[f"k{row}" for row in range(90)])
    )
    expected = reasons(result.model, result.question, result.held_out, [3, 4])
    assert expected == reasons(result.model, result.question, wide, [3, 4]) != {}
