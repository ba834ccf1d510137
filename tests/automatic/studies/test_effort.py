"""Folds and repeats are as many as there is time for."""

from __future__ import annotations

import pytest

from mercer.automatic.studies.effort import Effort


@pytest.mark.parametrize(
    ("effort", "fitted", "spent", "rounds"),
    [
        (Effort(), 9.0, 99.0, (5, 10)),
        (Effort(repeats=3), 9.0, 99.0, (5, 3)),
        (Effort(quick=True), 9.0, 99.0, (5, 1)),
        (Effort(quick=True, repeats=2), 9.0, 99.0, (5, 2)),
        (Effort(seconds=60), 0.1, 10.0, (5, 10)),
        (Effort(seconds=60), 2.0, 10.0, (5, 5)),
        (Effort(seconds=60), 10.0, 10.0, (5, 1)),
        (Effort(seconds=60), 15.0, 10.0, (3, 1)),
        (Effort(seconds=60), 40.0, 10.0, (1, 1)),
        (Effort(seconds=60), 40.0, 70.0, (0, 1)),
    ],
)
def test_rounds(effort, fitted, spent, rounds):
    assert effort.rounds(100, fitted, spent) == rounds


def test_choices():
    assert Effort().choices == {} and Effort(seconds=100.0).choices == {"time": 30.0}
    assert Effort(quick=True).choices["time"] == "fast"
    assert Effort(seconds=5.0).is_over(6.0) and not Effort().is_over(1e9)
