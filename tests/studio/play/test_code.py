"""The copied program runs, and gives what the page shows."""

from __future__ import annotations

import contextlib
import io

import pytest


def run(code: str) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, "copied", "exec"), {})
    return out.getvalue()


@pytest.mark.parametrize(
    ("kernel", "learner"),
    [
        ("0.5 * RBF(length_scale=0.7) + Linear()", {"name": "SVC", "options": {"C": 3.0}}),
        ("RBF() @ squash", {"name": "KernelKMeans", "options": {"n_clusters": 2}}),
        ("Matern()", {"name": "GaussianProcessClassifier"}),
    ],
)
def test_the_program_prints_the_proof_and_the_score(ask, plane, kernel, learner):
    plane = [[round(value, 3) for value in row] for row in plane]
    request = {"data": {"points": plane}, "kernel": kernel, "learner": learner}
    said = run(ask("code", **request)["code"])
    assert "definite" in said
    for name, value in ask("look", **request)["facts"]:
        if name == "training accuracy":
            assert f"{name}: {float(value.split()[0]) / 100:.3f}" in said


def test_samples_of_other_kinds_are_loaded_by_name(ask):
    code = ask(
        "code",
        data={"space": "samples", "set": "karate"},
        kernel="LaplacianDiffusion(club, t=0.5)",
        learner={"name": "SVC"},
    )["code"]
    assert "training accuracy" in run(code)
