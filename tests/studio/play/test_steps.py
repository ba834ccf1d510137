"""Learning step by step ends where the fit ends."""

from __future__ import annotations

import numpy as np

WINDOW = [-3.0, 3.0, -3.0, 3.0]


def test_the_last_frame_of_a_machine_is_its_fit(ask, plane):
    request = {
        "data": {"points": plane},
        "kernel": "RBF()",
        "window": WINDOW,
        "learner": {"name": "SVC", "options": {"C": 10.0}},
    }
    film = ask("steps", **request)
    fit = ask("look", **request, want=["surface"], grid=48)
    np.testing.assert_allclose(film["frames"][-1], fit["surface"], atol=2e-3)
    assert len(film["frames"]) == len(film["steps"]) > 3
    assert film["weights"].shape == (len(film["steps"]), 60)
    assert film["weights"].max() == 1.0
    moved = np.abs(film["frames"][0] - film["frames"][-1]).max()
    assert moved > 0.1


def test_a_gaussian_process_climbs_the_likelihood(ask):
    line = np.linspace(-3, 3, 25)
    points = np.column_stack([line, np.sin(1.5 * line), 0 * line]).tolist()
    film = ask(
        "steps",
        data={"space": "curve", "points": points},
        kernel="RBF(length_scale=0.2)",
        window=WINDOW,
        learner={"name": "GaussianProcessRegressor", "options": {"alpha": 0.01}},
    )
    values = [float(step["text"].split()[-1]) for step in film["steps"]]
    assert values[-1] > values[0] + 1 and film["steps"][0]["kernel"] == "RBF(length_scale=0.2)"
    assert film["frames"].shape[1:] == (3, 161)


def test_learners_without_steps_say_so(refused, plane):
    text = refused("steps", data={"points": plane}, kernel="RBF()", learner={"name": "RVC"})
    assert "learns in one step" in text
