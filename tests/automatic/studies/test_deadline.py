"""A limit of time: a clock that the tests move, since theirs must not depend on the machine."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mercer import RBF, AutoRegressor
from mercer.automatic import assess
from mercer.automatic.studies.deadline import (
    Deadline,
    OutOfTimeError,
    best_in_time,
    check_time,
    keeping,
    time_is_over,
)
from mercer.automatic.studies.effort import Effort
from mercer.automatic.studies.stages import Stages
from mercer.automatic.study import study
from mercer.errors import DataWarning
from mercer.readers import Source

RNG = np.random.default_rng(0)
X = RNG.standard_normal((60, 2))
Y = X[:, 0] + 0.1 * RNG.standard_normal(60)


class Clock:
    """Seconds that pass when a test says so, or by every look at the clock."""

    def __init__(self) -> None:
        self.seconds, self.each_look = 0.0, 0.0

    def __call__(self) -> float:
        self.seconds += self.each_look
        return self.seconds


@pytest.fixture
def clock(monkeypatch):
    made = Clock()
    monkeypatch.setattr("mercer.automatic.studies.deadline._now", made)
    return made


def test_a_deadline_holds_within_its_block(clock):
    check_time()
    with keeping(Deadline(5.0)):
        clock.seconds = 5.0
        check_time()
        clock.seconds = 5.1
        assert time_is_over()
        with pytest.raises(OutOfTimeError):
            check_time()
    assert not time_is_over()


def attempts(clock, **seconds):
    """A fit that takes so many seconds of each effort, and looks at the clock once a second."""

    def attempt(effort):
        for _ in range(seconds[effort]):
            clock.seconds += 1.0
            check_time()
        return effort

    return attempt


@pytest.mark.parametrize(
    ("seconds", "model", "words"),
    [
        (1000.0, "best", []),
        (100.0, "balanced", ["too short for 'best', which takes about 120 s"]),
        (10.0, "fast", ["too short for 'balanced', which takes about 15 s"]),
        (0.5, "fast", ["too short for 'balanced'", "1 s, 0.5 s more than time = 0.5"]),
    ],
)
def test_the_most_effort_that_there_is_time_for(clock, seconds, model, words):
    found, notes = best_in_time(attempts(clock, fast=1, balanced=15, best=100), seconds)
    assert found == model and len(notes) == len(words)
    for note, part in zip(notes, words, strict=True):
        assert part in note


def test_effort_that_takes_longer_than_foreseen_is_given_up(clock):
    found, notes = best_in_time(attempts(clock, fast=1, balanced=900, best=1), 20.0)
    assert found == "fast" and clock.seconds == 21.0
    assert notes == [
        "'balanced' was given up when time = 20 was over",
        "the fit took 21 s, 1 s more than time = 20",
    ]


def test_a_fit_is_stopped_between_its_candidates(clock, monkeypatch):
    """The kernels of the balanced effort are not all learned; the model is that of the least."""
    monkeypatch.setattr("mercer.automatic.studies.deadline._SLOWER", {"balanced": 0.0})
    plain = AutoRegressor(time="fast").fit(X, Y)
    clock.each_look = 1.0
    model = AutoRegressor(time=4.0).fit(X, Y)
    assert "'balanced' was given up when time = 4 was over" in str(model.report_)
    np.testing.assert_array_equal(model.predict(X), plain.predict(X))


def test_candidates_that_are_not_tried_are_counted(clock):
    whole = AutoRegressor(RBF(), "ridge", time=100.0).fit(X, Y)
    assert len(whole.candidates_) >= 3
    clock.each_look = 1.0
    with pytest.warns(DataWarning, match="time = 0.5 was over before 2 of 3 kernels were tried"):
        model = AutoRegressor(RBF(), "ridge", time=0.5).fit(X, Y)
    assert model.candidates_ == whole.candidates_[:1]
    assert np.isfinite(model.predict(X)).all()


@pytest.mark.parametrize(("done", "repeats", "known"), [(2, 1, 40), (3, 1, 60), (5, 1, 60)])
def test_folds_that_are_enough(done, repeats, known):
    def enough(count):
        return count >= done

    model = AutoRegressor(RBF(2.0), "ridge")
    part = assess(model, X, Y, cv=3, repeats=2, enough=enough)
    assert part.repeats == repeats and (part.fold >= 0).sum() == known
    assert len(part.models) == min(done, 3) == len(part.scores)
    whole = assess(model, X, Y, cv=3, repeats=2)
    np.testing.assert_array_equal(part.scores, whole.scores[: len(part.scores)])
    some = part.take(np.flatnonzero(part.fold >= 0))
    assert some.predicted.shape == (1, known) and np.isfinite(some.predicted).all()


def test_a_study_says_what_it_left_out(monkeypatch):
    """Two folds in a time that is enough for three by the time of the fit; then it is over."""
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "y": Y})
    source = Source("table", frame, None, [], None, "made up")
    spent = iter(np.arange(0.0, 1e6, 1.0))
    monkeypatch.setattr(Stages, "spent", property(lambda stages: next(spent)))
    monkeypatch.setattr(Effort, "rounds", lambda *of: (3, 1))
    result = study(source, "y", kernel=RBF(2.0), learner="ridge", effort=Effort(seconds=5.0))
    text = " ".join(result.notes)
    assert "there was time for 2 of 3 folds" in text
    for left_out in ("the importance of the columns", "the learning curve", "a linear model"):
        assert f"no time for {left_out}" in text
    assert len(result.assessment.scores) == 2 and result.contributions == []
    assert result.assessment.predicted.shape == (1, len(result.held_out.y))
